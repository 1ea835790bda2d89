/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "delay/loss-tolerance.h"

#include <math.h>

/* How long a queue without loss is remembered. */
#define MEMORY (60 * TFRC_SECOND)
/* As long as timers and jitter make it. */
#define LEAST_QUEUE (2 * TFRC_MILLISECOND)
#define WEIGHT 0.125 /* of a loss event in the mean, as with n = 8 intervals */
/* If a proof was wrong, X is at most 2 to 3 times X_Bps for p up to 0.05. */
#define LEAST_PART 0.25
/* A train is sent when the last proof will soon be too old. */
#define TRAIN_INTERVAL (10 * TFRC_SECOND)
#define TRAIN_AGE (30 * TFRC_SECOND)
/* For so many RTTs after a train the queue consists of a known number of packets,
 * and proves that these were held even below the target. */
#define TRAIN_RTTS 3

void
tfrc_loss_tolerance_init (TfrcLossTolerance *self)
{
  *self = (TfrcLossTolerance) {
    .congestive = 1.0,
    .queue_share = 1.0,
    .queued_at = TFRC_TIME_NONE,
    .held_at = TFRC_TIME_NONE,
    .train_at = TFRC_TIME_NONE,
  };
}

static TfrcDuration
get_proof (const TfrcLossTolerance *self, TfrcDuration target, TfrcDuration rtt,
    TfrcTime now)
{
  bool is_train = self->train_at != TFRC_TIME_NONE
      && now - self->train_at < TRAIN_RTTS * rtt;

  return is_train ? 2 * LEAST_QUEUE : tfrc_time_max (2 * LEAST_QUEUE, target);
}

/* A queue was held without loss if no loss is reported within an RTT after it was
 * seen. */
static void
note_queue (TfrcLossTolerance *self, TfrcDuration queue, TfrcDuration proof,
    TfrcDuration rtt, TfrcTime now)
{
  if (self->queued_at != TFRC_TIME_NONE && now - self->queued_at > rtt) {
    self->held_at = self->queued_at;
    self->queued_at = TFRC_TIME_NONE;
  }
  if (self->queued_at == TFRC_TIME_NONE && queue > proof)
    self->queued_at = now;
}

void
tfrc_loss_tolerance_on_report (TfrcLossTolerance *self, double loss_event_rate,
    TfrcDuration queue, TfrcDuration target, TfrcDuration rtt, TfrcTime now)
{
  TfrcDuration long_queue = tfrc_time_max (LEAST_QUEUE, target / 2);

  if (loss_event_rate > self->loss_event_rate) {
    bool at_queue = tfrc_time_max (queue, self->queue) > long_queue;

    self->queue_share += WEIGHT * ((at_queue ? 1.0 : 0.0) - self->queue_share);
    self->queued_at = TFRC_TIME_NONE;
  } else {
    note_queue (self, queue, get_proof (self, target, rtt, now), rtt, now);
  }
  self->loss_event_rate = loss_event_rate;
  self->queue = queue;
  self->congestive = self->held_at == TFRC_TIME_NONE
          || now - self->held_at > MEMORY
      ? 1.0
      : fmax (self->queue_share, LEAST_PART);
}

bool
tfrc_loss_tolerance_poll_train (TfrcLossTolerance *self, TfrcTime now)
{
  if (!(self->loss_event_rate > 0.0)
      || (self->held_at != TFRC_TIME_NONE && now - self->held_at < TRAIN_AGE)
      || (self->train_at != TFRC_TIME_NONE
          && now - self->train_at < TRAIN_INTERVAL))
    return false;
  self->train_at = now;
  return true;
}
