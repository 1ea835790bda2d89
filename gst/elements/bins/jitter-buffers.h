/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The jitter buffers of an rtpbin, one for each SSRC.  rtpbin keeps them, and their
 * threads, until the SSRC is cleared.
 *
 * Their latency is fixed, or adapts to the lateness of packets (rtp/playout-delay.h).  It
 * is the same for all streams, to keep them synchronized.  When it changes, the jitter
 * buffers post a LATENCY message. */
#pragma once

#include <gst/gst.h>

#include "common/rtp.h"
#include "receive/gstrtptfrcreceive.h"

#define TFRC_LATENCY_AUTO 0

typedef struct _TfrcJitterBuffers TfrcJitterBuffers;

/* For session 0 of `rtpbin`, which is in `bin` and has no session yet; starts with
 * TFRC_LATENCY_AUTO.  There are at most TFRC_MAX_STREAMS jitter buffers, and eight more
 * that are about to be cleared.  `receive`, which is not referenced, forgets an SSRC that
 * is cleared. */
TfrcJitterBuffers *tfrc_jitter_buffers_new (GstElement *bin, GstElement *rtpbin,
    GstRtpTfrcReceive *receive);
void tfrc_jitter_buffers_free (TfrcJitterBuffers *self);
/* While rtpbin has no jitter buffers: forgets the measurements of the previous run. */
void tfrc_jitter_buffers_begin_run (TfrcJitterBuffers *self);

/* The latency [ms], or TFRC_LATENCY_AUTO; at any time. */
void tfrc_jitter_buffers_set_latency (TfrcJitterBuffers *self,
    guint latency_ms);
guint tfrc_jitter_buffers_get_latency (TfrcJitterBuffers *self);

/* The lock of this object, which users also take for their own state of each packet
 * before and after a jitter buffer: so there is one lock to take on each side. */
GMutex *tfrc_jitter_buffers_get_lock (TfrcJitterBuffers *self);

/* A packet is about to enter a jitter buffer; `arrival`: its DTS, or GST_CLOCK_TIME_NONE
 * if it must not affect the latency.  Call with the lock held, which is released. */
void tfrc_jitter_buffers_on_arrival (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime arrival);

/* A packet has left a jitter buffer, which outputs packets in order, with this PTS.
 * TRUE: the packets right before it are lost for good.  Call with the lock held. */
gboolean tfrc_jitter_buffers_on_departure (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime pts);

/* How long after `due`, its playout time without any latency, a packet is requested [ns].
 * The jitter buffer reports `delay` in its request, which leaves out the lateness of the
 * packet by which it detected the loss. */
GstClockTime tfrc_jitter_buffers_get_wait (TfrcJitterBuffers *self,
    GstClockTime due, GstClockTime delay);

/* A packet is requested after `wait`, at a round-trip time of `rtt` [ns]: an adaptive
 * latency allows for the time of the answer (rtp/playout-delay.h). */
void tfrc_jitter_buffers_expect_answer (TfrcJitterBuffers *self,
    GstClockTime wait, GstClockTime rtt);

/* The longest that a packet can be waited for, from playout without any latency [ns]. */
GstClockTime tfrc_jitter_buffers_get_longest (TfrcJitterBuffers *self);

/* A packet will be late by `lateness`: an adaptive latency covers it, also for what is
 * already waited for; soon, as another thread sets it.  Call before expect_answer. */
void tfrc_jitter_buffers_wait_for (TfrcJitterBuffers *self,
    GstClockTime lateness);

/* Adds latency-ns (guint64) and packets-too-late (guint64, packets). */
void tfrc_jitter_buffers_add_stats (TfrcJitterBuffers *self,
    GstStructure *stats);

/* Clears one SSRC in another thread, once its jitter buffer is not pushing a packet.
 * Stopping a jitter buffer waits for its thread, which may itself wait for the caller
 * or in a sink in PAUSED, and blocks state changes meanwhile.  FALSE: a packet is
 * still being pushed; call again. */
gboolean tfrc_jitter_buffers_clear_later (TfrcJitterBuffers *self, guint ssrc);

/* Clears every SSRC at once.  To be called before READY, in which the demuxers of rtpbin
 * forget the SSRCs, after which they cannot be cleared any more. */
void tfrc_jitter_buffers_clear_all (TfrcJitterBuffers *self);
