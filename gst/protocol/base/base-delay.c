/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/base-delay.h"

#include <math.h>

/* Slopes steeper than clocks can have come from a path change or a queue; they are
 * left out of the median. */
#define SLOPE_LIMIT 1.1
#define LEAST_SLOPES 3
#define MOST_SLOPES (TFRC_BASE_DELAY_SLICES * (TFRC_BASE_DELAY_SLICES - 1) / 2)

static void
forget (TfrcLeastDelay slices[TFRC_BASE_DELAY_SLICES])
{
  for (unsigned i = 0; i < TFRC_BASE_DELAY_SLICES; i++)
    slices[i].at = TFRC_TIME_NONE;
}

void
tfrc_base_delay_restart (TfrcBaseDelay *self)
{
  forget (self->slices);
}

void
tfrc_base_delay_init (TfrcBaseDelay *self, double max_skew)
{
  *self = (TfrcBaseDelay) {
    .max_skew = max_skew,
    .slice_since = TFRC_TIME_NONE,
  };
  forget (self->slices);
  forget (self->reverse);
}

/* The least delay of a slice, extrapolated to now by the clock skew. */
static int64_t
get_delay_at (const TfrcBaseDelay *self, const TfrcLeastDelay *least,
    TfrcTime now)
{
  double age = (double) now - (double) least->at;

  return least->delay + (int64_t) (self->skew * age);
}

/* Slope of the reverse delay between two slices, which is the clock skew.  Returns
 * false if a slice is empty, if their least delays lie too close together in time,
 * or if the path has changed. */
static bool
measure_slope (const TfrcBaseDelay *self, const TfrcLeastDelay *newer,
    const TfrcLeastDelay *older, double *slope)
{
  if (newer->at == TFRC_TIME_NONE || older->at == TFRC_TIME_NONE
      || newer->at < older->at + TFRC_BASE_DELAY_SLICE / 2)
    return false;
  *slope = (double) (older->delay - newer->delay)
      / (double) (newer->at - older->at);
  return fabs (*slope) <= SLOPE_LIMIT * self->max_skew;
}

/* Inserts into `n` sorted slopes. */
static void
insert (double slopes[MOST_SLOPES], unsigned n, double slope)
{
  for (; n > 0 && slopes[n - 1] > slope; n--)
    slopes[n] = slopes[n - 1];
  slopes[n] = slope;
}

static void
measure_skew (TfrcBaseDelay *self)
{
  double slopes[MOST_SLOPES], slope;
  unsigned n = 0;

  for (unsigned i = 1; i < TFRC_BASE_DELAY_SLICES; i++)
    for (unsigned newer = 0; newer < i; newer++)
      if (measure_slope (self, &self->reverse[newer], &self->reverse[i],
              &slope))
        insert (slopes, n++, slope);
  if (n < LEAST_SLOPES)
    return;
  slope = (slopes[(n - 1) / 2] + slopes[n / 2]) / 2.0;
  self->skew = fmax (-self->max_skew, fmin (slope, self->max_skew));
}

static void
shift (TfrcLeastDelay slices[TFRC_BASE_DELAY_SLICES])
{
  for (unsigned i = TFRC_BASE_DELAY_SLICES - 1; i > 0; i--)
    slices[i] = slices[i - 1];
  slices[0].at = TFRC_TIME_NONE;
}

/* After a pause several slices begin at once, and the old ones expire. */
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
  measure_skew (self);
  for (; n > 0; n--) {
    shift (self->slices);
    shift (self->reverse);
  }
}

void
tfrc_base_delay_on_sample (TfrcBaseDelay *self, int64_t delay,
    int64_t reverse_delay, TfrcTime now)
{
  TfrcLeastDelay *newest = &self->slices[0];

  if (self->slice_since == TFRC_TIME_NONE
      || tfrc_time_since (self->slice_since, now) >= TFRC_BASE_DELAY_SLICE)
    begin_slice (self, now);
  if (newest->at == TFRC_TIME_NONE || delay <= get_delay_at (self, newest, now))
    *newest = (TfrcLeastDelay) { delay, now };
  if (self->reverse[0].at == TFRC_TIME_NONE
      || reverse_delay <= self->reverse[0].delay)
    self->reverse[0] = (TfrcLeastDelay) { reverse_delay, now };
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
