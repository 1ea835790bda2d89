/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/leave-check.h"

#include <math.h>

/* Of the timeout: what the means are taken over. */
#define MEMORY (1.0 / 8.0)
#define TOO_FAST_RATIO 0.7
#define BEARABLE_RATIO 0.8

void
tfmcc_leave_check_init (TfmccLeaveCheck *self, TfrcDuration timeout)
{
  self->timeout = timeout;
  tfmcc_leave_check_forget (self);
}

void
tfmcc_leave_check_forget (TfmccLeaveCheck *self)
{
  self->rate = 0.0;
  self->sending_rate = 0.0;
  self->updated_at = TFRC_TIME_NONE;
  self->too_fast_since = TFRC_TIME_NONE;
  self->hopeless = false;
}

/* Exponentially weighted by time, so that it does not matter how often the
 * rates are looked at. */
static void
average (TfmccLeaveCheck *self, TfrcRate rate, TfrcRate sending_rate,
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

bool
tfmcc_leave_check_on_rates (TfmccLeaveCheck *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcTime now)
{
  if (self->timeout == 0) {
    tfmcc_leave_check_forget (self);
    return false;
  }
  average (self, rate, sending_rate, now);
  if (self->rate >= BEARABLE_RATIO * self->sending_rate) {
    self->too_fast_since = TFRC_TIME_NONE;
    self->hopeless = false;
  } else if (self->too_fast_since == TFRC_TIME_NONE
      && self->rate < TOO_FAST_RATIO * self->sending_rate) {
    self->too_fast_since = now;
  }
  if (self->hopeless || self->too_fast_since == TFRC_TIME_NONE
      || tfrc_time_since (self->too_fast_since, now) < self->timeout)
    return false;
  self->hopeless = true;
  return true;
}
