/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The latency of an rtpbin's jitter buffers: a fixed one, or one that follows
 * what packets need (rtp/playout-delay.h).  It is the same for all streams, so
 * that they stay together.
 *
 * With each new latency a jitter buffer posts the message after which the
 * pipeline's is to be calculated anew. */
#pragma once

#include <gst/gst.h>

#include "common/rtp-header.h"

#define TFRC_LATENCY_AUTO 0

typedef struct _TfrcLatency TfrcLatency;

/* Of session 0 of `rtpbin`, which is in `bin`; TFRC_LATENCY_AUTO at first. */
TfrcLatency *tfrc_latency_new (GstElement *bin, GstElement *rtpbin);
void tfrc_latency_free (TfrcLatency *self);

/* In ms, or TFRC_LATENCY_AUTO; at any time. */
void tfrc_latency_set (TfrcLatency *self, guint latency_ms);
guint tfrc_latency_get (TfrcLatency *self);

/* A packet comes, right before a jitter buffer gets it: `arrival` is its DTS. */
void tfrc_latency_on_arrival (TfrcLatency *self, const TfrcRtpHeader *header,
    GstClockTime arrival);

/* A packet has left its jitter buffer, with this PTS. */
void tfrc_latency_on_departure (TfrcLatency *self, const TfrcRtpHeader *header,
    GstClockTime pts);

/* How long behind the playout without any delay a packet that was `due` is asked
 * for, by a jitter buffer that says it waited for `delay`: that leaves out how late
 * the packet was by which it found out. */
GstClockTime tfrc_latency_get_wait (TfrcLatency *self, GstClockTime due,
    GstClockTime delay);

/* A packet is asked for, after such a wait, at a round-trip time of `rtt` [ns]: a
 * delay that follows leaves time for the answer (rtp/repair-time.h). */
void tfrc_latency_expect_answer (TfrcLatency *self, GstClockTime wait,
    GstClockTime rtt);

/* Forgets what was measured, while nothing streams. */
void tfrc_latency_begin_run (TfrcLatency *self);

void tfrc_latency_add_stats (TfrcLatency *self, GstStructure *stats);
