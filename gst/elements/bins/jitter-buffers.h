/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The jitter buffers of an rtpbin, one for each SSRC: it keeps them, and their
 * threads, until somebody clears the SSRC. */
#pragma once

#include <gst/gst.h>

typedef struct _TfrcJitterBuffers TfrcJitterBuffers;

/* Whether `ssrc` is a stream.  Any thread. */
typedef gboolean (*TfrcJitterBuffersKnows) (GstElement *bin, guint ssrc);
/* `ssrc` is being cleared; with no lock held. */
typedef void (*TfrcJitterBuffersGone) (GstElement *bin, guint ssrc);

/* Of session 0 of `rtpbin`, which is in `bin` and has no session yet.  There are never
 * more than TFRC_MAX_STREAMS, and eight that will soon be cleared. */
TfrcJitterBuffers *tfrc_jitter_buffers_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffersKnows knows, TfrcJitterBuffersGone gone);
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
 * set meanwhile.  FALSE: something is on its way out; ask again. */
gboolean tfrc_jitter_buffers_clear_later (TfrcJitterBuffers *self, guint ssrc);

/* Clears every SSRC, at once.  READY makes the demuxers of rtpbin forget them,
 * so that nobody can do it after that. */
void tfrc_jitter_buffers_clear_all (TfrcJitterBuffers *self);
