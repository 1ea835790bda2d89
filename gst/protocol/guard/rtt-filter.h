/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which RTT samples say nothing of the path: those of packets from before the
 * nofeedback timer expired, if they are longer than that timer.  One of the
 * ends was stopped, or the path was, and the answer waited there; a single
 * second of that in the smoothed R (RFC 5348 section 4.3 step 2) is forgotten
 * by a tenth per report, and there is one report per R.
 *
 * A path that has become that long is believed with the first packet that was
 * sent after the timer expired, and where packets are so rare that each of them
 * is older than an expiry, with the second. */
#pragma once

#include <stdbool.h>

#include "base/time.h"

typedef struct
{
  TfrcTime since; /* expiry that began the newest silence */
  bool sampled;   /* a sample has counted since then */
} TfrcRttFilter;

void tfrc_rtt_filter_init (TfrcRttFilter *self);

/* The nofeedback timer expired at `expiry`, though packets had been sent. */
void tfrc_rtt_filter_on_expiry (TfrcRttFilter *self, TfrcTime expiry);

/* Whether the sample of a packet that was sent at `sent` counts; `timer`: how
 * long the path's RTT lets the nofeedback timer take. */
bool tfrc_rtt_filter_admits (TfrcRttFilter *self, TfrcTime sent,
    TfrcDuration sample, TfrcDuration timer);
