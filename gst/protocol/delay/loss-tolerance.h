/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which part of the losses is congestion, told by the queue: none that comes while
 * the queue is short, where the path was seen to hold a longer one without loss within
 * the last minute.  Where none comes by itself a train of packets that leave at once
 * makes one.  Behind a policer or a buffer of a few packets nothing is seen to be held,
 * and all losses count.  No part of RFC 5348, which takes p as it is.
 *
 * Instants and durations [ns]. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

/* Of a train: as many as a flow may begin with (RFC 6928). */
#define TFRC_TRAIN_PACKETS 10

typedef struct
{
  double congestive; /* part of p that counts, 1/4 to 1 */
  double seen;       /* mean of the loss events: 1 = at a queue */
  double loss_event_rate;
  TfrcDuration queue; /* of the report before */
  TfrcTime queued_at; /* a longer queue was, whose losses may follow, or NONE */
  TfrcTime held_at;   /* it was without loss, or TFRC_TIME_NONE */
  TfrcTime train_at;  /* of packets that left at once, or TFRC_TIME_NONE */
} TfrcLossTolerance;

void tfrc_loss_tolerance_init (TfrcLossTolerance *self);

/* After each report with delays: p as reported, the queue that the newest packets found,
 * the target that is compared with and R, > 0. */
void tfrc_loss_tolerance_on_report (TfrcLossTolerance *self,
    double loss_event_rate, TfrcDuration queue, TfrcDuration target,
    TfrcDuration rtt, TfrcTime now);

/* Whether a train should leave now; true at most each ten seconds, while there are losses
 * and no newer proof. */
bool tfrc_loss_tolerance_poll_train (TfrcLossTolerance *self, TfrcTime now);
