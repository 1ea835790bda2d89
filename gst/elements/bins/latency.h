/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The latency of an rtpbin's jitter buffers: a fixed one, or one that follows
 * what packets need (rtp/playout-delay.h).  It is the same for all streams, so
 * that they stay together.
 *
 * With each new latency a jitter buffer posts the message after which the
 * pipeline's is to be calculated anew. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define TFRC_LATENCY_AUTO 0

typedef struct _TfrcLatency TfrcLatency;

/* Of session 0 of `rtpbin`, which is in `bin`; TFRC_LATENCY_AUTO at first. */
TfrcLatency *tfrc_latency_new (GstElement *bin, GstElement *rtpbin);
void tfrc_latency_free (TfrcLatency *self);

/* In ms, or TFRC_LATENCY_AUTO; at any time. */
void tfrc_latency_set (TfrcLatency *self, guint latency_ms);
guint tfrc_latency_get (TfrcLatency *self);

/* The answer to a request for a packet will come that long after the playout
 * without any delay [ns]: a delay that follows leaves time for it. */
void tfrc_latency_expect (TfrcLatency *self, GstClockTime lateness);

/* Forgets what was measured, before another run. */
void tfrc_latency_restart (TfrcLatency *self);

void tfrc_latency_add_stats (TfrcLatency *self, GstStructure *stats);

G_END_DECLS
