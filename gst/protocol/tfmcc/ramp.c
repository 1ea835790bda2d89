/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/ramp.h"

#include <math.h>

void
tfmcc_ramp_init (TfmccRamp *self, TfrcRate rate, TfrcTime now)
{
  tfmcc_ramp_set (self, rate, now);
}

TfrcRate
tfmcc_ramp_get (const TfmccRamp *self, TfrcTime now)
{
  double seconds = tfrc_duration_to_seconds (tfrc_time_since (self->since,
      now));

  return fmin (self->target, self->base + self->slope * seconds);
}

void
tfmcc_ramp_set (TfmccRamp *self, TfrcRate rate, TfrcTime now)
{
  *self = (TfmccRamp) { .base = rate, .target = rate, .since = now };
}

void
tfmcc_ramp_aim (TfmccRamp *self, TfrcRate target, double slope, TfrcTime start,
    TfrcTime now)
{
  TfrcRate rate = tfmcc_ramp_get (self, now);

  if (target <= rate) {
    tfmcc_ramp_set (self, target, now);
    return;
  }
  /* A pause that is still to come is not cut short. */
  if (self->since > now && self->target > self->base)
    start = tfrc_time_max (start, self->since);
  *self = (TfmccRamp) {
    .base = rate,
    .target = target,
    .slope = slope,
    .since = tfrc_time_max (start, now),
  };
}
