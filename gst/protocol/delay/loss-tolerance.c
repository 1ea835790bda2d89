/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "delay/loss-tolerance.h"

#include <math.h>

#define MEMORY (60 * TFRC_SECOND)          /* of a queue that was held */
#define LEAST_QUEUE (2 * TFRC_MILLISECOND) /* what timers and jitter make */
#define WEIGHT 0.125 /* of a loss event, as of n = 8 intervals */
/* If the proof was wrong, X is at most 2 to 3 times X_Bps for p up to 0.05. */
#define LEAST_PART 0.25

void
tfrc_loss_tolerance_init (TfrcLossTolerance *self)
{
  *self = (TfrcLossTolerance) {
    .congestive = 1.0,
    .seen = 1.0,
    .held_at = TFRC_TIME_NONE,
  };
}

void
tfrc_loss_tolerance_on_report (TfrcLossTolerance *self, double loss_event_rate,
    TfrcDuration queue, TfrcDuration target, TfrcTime now)
{
  bool new_loss = loss_event_rate > self->loss_event_rate;
  TfrcDuration long_queue = tfrc_time_max (LEAST_QUEUE, target / 2);

  if (new_loss) {
    bool at_queue = tfrc_time_max (queue, self->queue) > long_queue;

    self->seen += WEIGHT * ((at_queue ? 1.0 : 0.0) - self->seen);
  } else if (queue > tfrc_time_max (2 * LEAST_QUEUE, target)) {
    self->held_at = now;
  }
  self->loss_event_rate = loss_event_rate;
  self->queue = queue;
  self->congestive = self->held_at == TFRC_TIME_NONE
          || now - self->held_at > MEMORY
      ? 1.0
      : fmax (self->seen, LEAST_PART);
}
