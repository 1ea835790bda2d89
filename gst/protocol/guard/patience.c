/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/patience.h"

#include <math.h>

/* Of the timeout: what the means are taken over. */
#define MEMORY (1.0 / 8.0)
#define LOSING_RATIO 0.7
#define CALM_RATIO 0.8

static void average (TfmccPatience *self, TfrcRate rate, TfrcRate sending_rate,
    TfrcTime now);

void
tfmcc_patience_init (TfmccPatience *self, TfrcDuration timeout)
{
  self->timeout = timeout;
  tfmcc_patience_forget (self);
}

void
tfmcc_patience_set_timeout (TfmccPatience *self, TfrcDuration timeout)
{
  self->timeout = timeout;
}

void
tfmcc_patience_forget (TfmccPatience *self)
{
  self->rate = 0.0;
  self->sending_rate = 0.0;
  self->updated_at = TFRC_TIME_NONE;
  self->losing_since = TFRC_TIME_NONE;
  self->hopeless = false;
}

bool
tfmcc_patience_on_rates (TfmccPatience *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcTime now)
{
  if (self->timeout == 0) {
    tfmcc_patience_forget (self);
    return false;
  }
  average (self, rate, sending_rate, now);
  if (self->rate >= CALM_RATIO * self->sending_rate) {
    self->losing_since = TFRC_TIME_NONE;
    self->hopeless = false;
  } else if (self->losing_since == TFRC_TIME_NONE
      && self->rate < LOSING_RATIO * self->sending_rate) {
    self->losing_since = now;
  }
  if (self->hopeless || self->losing_since == TFRC_TIME_NONE
      || tfrc_time_since (self->losing_since, now) < self->timeout)
    return false;
  self->hopeless = true;
  return true;
}

bool
tfmcc_patience_is_hopeless (const TfmccPatience *self)
{
  return self->hopeless;
}

/* Exponentially weighted by time, so that it does not matter how often the
 * rates are looked at. */
static void
average (TfmccPatience *self, TfrcRate rate, TfrcRate sending_rate,
    TfrcTime now)
{
  double memory = MEMORY * tfrc_duration_to_seconds (self->timeout);
  double weight = 1.0;

  if (self->updated_at != TFRC_TIME_NONE)
    weight -=
        exp (-tfrc_duration_to_seconds (tfrc_time_since (self->updated_at, now))
            / memory);
  self->rate += weight * (rate - self->rate);
  self->sending_rate += weight * (sending_rate - self->sending_rate);
  self->updated_at = now;
}
