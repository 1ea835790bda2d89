/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/base-delay.h"

#include <math.h>

/* A slope that is so much steeper than what clocks may have is another path or a
 * queue, and no skew. */
#define SLOPE_LIMIT 1.1
#define SKEW_WEIGHT 0.25 /* of the newest slope */

void
tfrc_base_delay_restart (TfrcBaseDelay *self)
{
  for (unsigned i = 0; i < TFRC_BASE_DELAY_SLICES; i++)
    self->slices[i].at = TFRC_TIME_NONE;
}

void
tfrc_base_delay_init (TfrcBaseDelay *self, double max_skew)
{
  *self = (TfrcBaseDelay) {
    .max_skew = max_skew,
    .slice_since = TFRC_TIME_NONE,
    .back = { .at = TFRC_TIME_NONE },
    .last_back = { .at = TFRC_TIME_NONE },
  };
  tfrc_base_delay_restart (self);
}

/* What the least delay would be now by the skew of the clocks. */
static int64_t
get_delay_at (const TfrcBaseDelay *self, const TfrcLeastDelay *least,
    TfrcTime now)
{
  double age = (double) now - (double) least->at;

  return least->delay + (int64_t) (self->skew * age);
}

static void
end_half (TfrcBaseDelay *self)
{
  const TfrcLeastDelay *last = &self->last_back;
  const TfrcLeastDelay *back = &self->back;
  double slope;

  self->n_slices = 0;
  if (back->at == TFRC_TIME_NONE)
    return;
  if (last->at != TFRC_TIME_NONE && back->at > last->at) {
    slope = (double) (last->delay - back->delay)
        / (double) (back->at - last->at);
    if (fabs (slope) <= SLOPE_LIMIT * self->max_skew) {
      self->skew += (self->has_skew ? SKEW_WEIGHT : 1.0) * (slope - self->skew);
      self->skew = fmax (-self->max_skew, fmin (self->skew, self->max_skew));
      self->has_skew = true;
    }
  }
  self->last_back = *back;
  self->back.at = TFRC_TIME_NONE;
}

/* After a pause several slices have passed, and all that is old goes. */
static void
begin_slice (TfrcBaseDelay *self, TfrcTime now)
{
  uint64_t n = self->slice_since == TFRC_TIME_NONE
      ? 1
      : tfrc_time_since (self->slice_since, now) / TFRC_BASE_DELAY_SLICE;

  self->slice_since = n == 1 && self->slice_since != TFRC_TIME_NONE
      ? self->slice_since + TFRC_BASE_DELAY_SLICE
      : now;
  if (n > TFRC_BASE_DELAY_SLICES)
    n = TFRC_BASE_DELAY_SLICES;
  for (; n > 0; n--) {
    if (self->n_slices == TFRC_BASE_DELAY_SKEW_SLICES)
      end_half (self);
    self->n_slices++;
    for (unsigned i = TFRC_BASE_DELAY_SLICES - 1; i > 0; i--)
      self->slices[i] = self->slices[i - 1];
    self->slices[0].at = TFRC_TIME_NONE;
  }
}

void
tfrc_base_delay_on_sample (TfrcBaseDelay *self, int64_t delay, int64_t back,
    TfrcTime now)
{
  TfrcLeastDelay *newest = &self->slices[0];

  if (self->slice_since == TFRC_TIME_NONE
      || tfrc_time_since (self->slice_since, now) >= TFRC_BASE_DELAY_SLICE)
    begin_slice (self, now);
  if (newest->at == TFRC_TIME_NONE || delay <= get_delay_at (self, newest, now))
    *newest = (TfrcLeastDelay) { delay, now };
  if (self->back.at == TFRC_TIME_NONE || back <= self->back.delay)
    self->back = (TfrcLeastDelay) { back, now };
}

TfrcDuration
tfrc_base_delay_get_queue (const TfrcBaseDelay *self, int64_t delay,
    TfrcTime now)
{
  int64_t base = delay;

  for (unsigned i = 0; i < TFRC_BASE_DELAY_SLICES; i++) {
    int64_t least;

    if (self->slices[i].at == TFRC_TIME_NONE)
      continue;
    least = get_delay_at (self, &self->slices[i], now);
    if (least < base)
      base = least;
  }
  return (TfrcDuration) (delay - base);
}
