/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The jitter buffers of an rtpbin, one for each SSRC: it keeps them, and their
 * threads, until somebody clears the SSRC. */
#pragma once

#include <gst/gst.h>

typedef struct _TfrcJitterBuffers TfrcJitterBuffers;

/* `ssrc` has been cleared; with no lock held. */
typedef void (*TfrcJitterBuffersCleared) (GstElement *bin, guint ssrc);

/* Of session 0 of `rtpbin`, which is in `bin`. */
TfrcJitterBuffers *tfrc_jitter_buffers_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffersCleared cleared);
void tfrc_jitter_buffers_free (TfrcJitterBuffers *self);
/* While rtpbin has none. */
void tfrc_jitter_buffers_begin_run (TfrcJitterBuffers *self);

/* A packet has left a jitter buffer, which lets them out in order.  TRUE: those
 * right before it are lost for good. */
gboolean tfrc_jitter_buffers_on_departure (TfrcJitterBuffers *self, guint ssrc,
    guint16 seq);

/* Clears one SSRC as soon as nothing is on its way out of its jitter buffer, and
 * not in the caller's thread.  Stopping the buffer waits for its thread, which
 * may wait for the caller's or in a sink that is in PAUSED, and no state can be
 * set meanwhile. */
void tfrc_jitter_buffers_clear_later (TfrcJitterBuffers *self, guint ssrc);

/* Clears every SSRC, at once.  READY makes the demuxers of rtpbin forget them,
 * so that nobody can do it after that. */
void tfrc_jitter_buffers_clear_all (TfrcJitterBuffers *self);
