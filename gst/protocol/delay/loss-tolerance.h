/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Estimates which part of the losses is congestion, from the queue: losses while
 * the queue is short are not, if the path has held a longer queue without loss
 * within the last minute.  If there is no such queue, a train of packets sent at
 * once makes one.  Behind a policer, or a buffer of a few packets, no queue is ever
 * held, and all losses count.  Not part of RFC 5348, which uses p as it is.
 *
 * Instants and durations [ns]. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

/* Packets in a train: the initial window of RFC 6928. */
#define TFRC_TRAIN_PACKETS 10

typedef struct
{
  double congestive;  /* part of p that counts, 1/4 to 1 */
  double queue_share; /* mean over loss events, where 1 = with a queue */
  double loss_event_rate;
  TfrcDuration queue; /* at the previous report */
  /* When a longer queue was seen whose losses may still be reported, or
   * TFRC_TIME_NONE. */
  TfrcTime queued_at;
  /* When a queue was last held without loss, or TFRC_TIME_NONE. */
  TfrcTime held_at;
  TfrcTime train_at; /* when the last train was sent, or TFRC_TIME_NONE */
} TfrcLossTolerance;

void tfrc_loss_tolerance_init (TfrcLossTolerance *self);

/* To be called after each report with delays: p as reported, the queue that the
 * newest packets found, the target that it is compared with, and R, > 0. */
void tfrc_loss_tolerance_on_report (TfrcLossTolerance *self,
    double loss_event_rate, TfrcDuration queue, TfrcDuration target,
    TfrcDuration rtt, TfrcTime now);

/* Whether a train should be sent now; true at most every ten seconds, while there
 * are losses and no newer proof. */
bool tfrc_loss_tolerance_poll_train (TfrcLossTolerance *self, TfrcTime now);
