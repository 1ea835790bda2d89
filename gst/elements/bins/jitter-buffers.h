/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The jitter buffers of an rtpbin, one for each SSRC: it keeps them, and their
 * threads, until somebody clears the SSRC.
 *
 * They wait for a fixed time, or one that follows what packets need
 * (rtp/playout-delay.h).  It is the same for all streams, so that they stay
 * together.  With each new latency a jitter buffer posts the message after which the
 * pipeline's is to be calculated anew. */
#pragma once

#include <gst/gst.h>

#include "common/rtp.h"

#define TFRC_LATENCY_AUTO 0

typedef struct _TfrcJitterBuffers TfrcJitterBuffers;

/* Whether `ssrc` is a stream.  Any thread. */
typedef gboolean (*TfrcJitterBuffersKnows) (GstElement *bin, guint ssrc);
/* `ssrc` is being cleared; with no lock held. */
typedef void (*TfrcJitterBuffersGone) (GstElement *bin, guint ssrc);

/* Of session 0 of `rtpbin`, which is in `bin` and has no session yet; with
 * TFRC_LATENCY_AUTO at first.  There are never more than TFRC_MAX_STREAMS, and eight
 * that will soon be cleared. */
TfrcJitterBuffers *tfrc_jitter_buffers_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffersKnows knows, TfrcJitterBuffersGone gone);
void tfrc_jitter_buffers_free (TfrcJitterBuffers *self);
/* While rtpbin has none: forgets what was measured. */
void tfrc_jitter_buffers_begin_run (TfrcJitterBuffers *self);

/* In ms, or TFRC_LATENCY_AUTO; at any time. */
void tfrc_jitter_buffers_set_latency (TfrcJitterBuffers *self,
    guint latency_ms);
guint tfrc_jitter_buffers_get_latency (TfrcJitterBuffers *self);

/* Guards them, and what else is to be looked at for each packet in front of and
 * behind them: so it is taken once on either side. */
GMutex *tfrc_jitter_buffers_get_lock (TfrcJitterBuffers *self);

/* A packet comes, right before a jitter buffer gets it: `arrival` is its DTS.  With
 * the lock held, which it gives up. */
void tfrc_jitter_buffers_on_arrival (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime arrival);

/* A packet has left a jitter buffer, which lets them out in order, with this PTS.
 * TRUE: those right before it are lost for good.  With the lock held. */
gboolean tfrc_jitter_buffers_on_departure (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime pts);

/* How long behind the playout without any delay a packet that was `due` is asked
 * for, by a jitter buffer that says it waited for `delay`: that leaves out how late
 * the packet was by which it found out. */
GstClockTime tfrc_jitter_buffers_get_wait (TfrcJitterBuffers *self,
    GstClockTime due, GstClockTime delay);

/* A packet is asked for, after such a wait, at a round-trip time of `rtt` [ns]: a
 * delay that follows leaves time for the answer (rtp/playout-delay.h). */
void tfrc_jitter_buffers_expect_answer (TfrcJitterBuffers *self,
    GstClockTime wait, GstClockTime rtt);

/* Adds latency-ns (guint64) and packets-too-late (guint64, packets). */
void tfrc_jitter_buffers_add_stats (TfrcJitterBuffers *self,
    GstStructure *stats);

/* Clears one SSRC as soon as nothing is on its way out of its jitter buffer, and
 * not in the caller's thread.  Stopping the buffer waits for its thread, which
 * may wait for the caller's or in a sink that is in PAUSED, and no state can be
 * set meanwhile.  FALSE: something is on its way out; ask again. */
gboolean tfrc_jitter_buffers_clear_later (TfrcJitterBuffers *self, guint ssrc);

/* Clears every SSRC, at once.  READY makes the demuxers of rtpbin forget them,
 * so that nobody can do it after that. */
void tfrc_jitter_buffers_clear_all (TfrcJitterBuffers *self);
