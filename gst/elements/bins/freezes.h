/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that come too late after the one before, as W3C's webrtc-stats counts them
 * (freezeCount).  No lock. */
#pragma once

#include <gst/gst.h>

#define TFRC_FREEZES_FRAMES 30 /* whose intervals are averaged */

typedef struct
{
  GstClockTime intervals[TFRC_FREEZES_FRAMES]; /* a ring */
  GstClockTime last_at;                        /* of the frame before */
  guint64 frames;
  guint64 freezes;
  GstClockTime time; /* all freezes together */
} TfrcFreezes;

/* A frame is complete at `now`. */
void tfrc_freezes_on_frame (TfrcFreezes *self, GstClockTime now);
