/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which part of the losses is congestion, told by the queue: none that comes while
 * the queue is short, where the path was seen to hold a longer one without loss within
 * the last minute.  Behind a policer or a buffer of a few packets nothing is seen to
 * be held, and all losses count.  No part of RFC 5348, which takes p as it is.
 *
 * Instants and durations [ns]. */
#pragma once

#include <stdbool.h>

#include "base/rate.h"
#include "base/time.h"

typedef struct
{
  double congestive; /* part of p that counts, 1/4 to 1 */
  double seen;       /* mean of the loss events: 1 = at a queue */
  double loss_event_rate;
  TfrcDuration queue; /* of the report before */
  TfrcTime held_at;   /* a longer queue was, without loss, or TFRC_TIME_NONE */
} TfrcLossTolerance;

void tfrc_loss_tolerance_init (TfrcLossTolerance *self);

/* After each report with delays: p as reported, the queue that the newest packets found
 * and the target that is compared with. */
void tfrc_loss_tolerance_on_report (TfrcLossTolerance *self,
    double loss_event_rate, TfrcDuration queue, TfrcDuration target,
    TfrcTime now);
