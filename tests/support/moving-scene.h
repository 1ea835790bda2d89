/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A synthetic scene that really needs bits: a textured background that pans,
 * under a little noise.  I420, 640x360, 30 frames/s; frame n is the same in
 * every run.  videotestsrc's patterns need next to nothing (ball) or more than
 * any encoder can save (snow). */
#pragma once

#include <gst/gst.h>

#define MOVING_SCENE_WIDTH 640
#define MOVING_SCENE_HEIGHT 360
#define MOVING_SCENE_FRAME_RATE 30
#define MOVING_SCENE_CAPS \
  "video/x-raw,format=I420,width=640,height=360," \
  "framerate=30/1"

/* A buffer with PTS n / 30 s. */
GstBuffer *moving_scene_frame (guint n);
