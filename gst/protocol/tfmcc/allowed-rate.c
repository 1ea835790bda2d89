/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/allowed-rate.h"

#include <math.h>

TfrcRate
tfmcc_allowed_rate_get (const TfmccAllowedRate *self, TfrcTime now)
{
  double seconds = tfrc_duration_to_seconds (tfrc_time_since (self->since,
      now));

  return fmin (self->target, self->base + self->slope * seconds);
}

void
tfmcc_allowed_rate_set (TfmccAllowedRate *self, TfrcRate rate, TfrcTime now)
{
  *self = (TfmccAllowedRate) { .base = rate, .target = rate, .since = now };
}

void
tfmcc_allowed_rate_approach (TfmccAllowedRate *self, TfrcRate target,
    double slope, TfrcTime start, TfrcTime now)
{
  TfrcRate rate = tfmcc_allowed_rate_get (self, now);

  if (target <= rate) {
    tfmcc_allowed_rate_set (self, target, now);
    return;
  }
  /* A pause that is still to come is not cut short. */
  if (self->since > now && self->target > self->base)
    start = tfrc_time_max (start, self->since);
  *self = (TfmccAllowedRate) {
    .base = rate,
    .target = target,
    .slope = slope,
    .since = tfrc_time_max (start, now),
  };
}
