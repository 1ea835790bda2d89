/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See the header. */
#include "delay-spread.h"

#include <math.h>
#include <stddef.h>

void
delay_spread_add (DelaySpread *self, TfrcDuration duration)
{
  size_t step = (size_t) ((duration + DELAY_SPREAD_STEP - 1)
      / DELAY_SPREAD_STEP);

  self->counts[step < DELAY_SPREAD_STEPS ? step : DELAY_SPREAD_STEPS]++;
  self->n++;
  self->max = tfrc_time_max (self->max, duration);
}

TfrcDuration
delay_spread_percentile (const DelaySpread *self, double share)
{
  uint64_t wanted = (uint64_t) ceil (share * (double) self->n), n = 0;
  size_t step;

  for (step = 0; step < DELAY_SPREAD_STEPS; step++) {
    n += self->counts[step];
    if (n >= wanted)
      return tfrc_time_min (step * DELAY_SPREAD_STEP, self->max);
  }
  return self->max;
}
