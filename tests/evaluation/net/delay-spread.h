/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many durations were how long: percentiles without keeping them.  Steps of
 * 0.25 ms up to 2 s; the maximum is exact. */
#pragma once

#include "base/units.h"

#define DELAY_SPREAD_STEP (TFRC_MILLISECOND / 4)
#define DELAY_SPREAD_STEPS 8000

typedef struct
{
  uint32_t counts[DELAY_SPREAD_STEPS + 1]; /* the last: longer ones */
  uint64_t n;
  TfrcDuration max;
} DelaySpread;

/* All zero is empty. */
void delay_spread_add (DelaySpread *self, TfrcDuration duration);

/* A bound that `share` of the durations, and no smaller one of the steps', are
 * within; 0 when empty. */
TfrcDuration delay_spread_percentile (const DelaySpread *self, double share);
