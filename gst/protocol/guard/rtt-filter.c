/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/rtt-filter.h"

void
tfrc_rtt_filter_init (TfrcRttFilter *self)
{
  *self = (TfrcRttFilter) { .since = TFRC_TIME_NONE };
}

void
tfrc_rtt_filter_on_expiry (TfrcRttFilter *self, TfrcTime expiry)
{
  if (!self->sampled)
    return;
  self->since = expiry;
  self->sampled = false;
}

bool
tfrc_rtt_filter_admits (TfrcRttFilter *self, TfrcTime sent, TfrcDuration sample,
    TfrcDuration timer)
{
  if (self->since != TFRC_TIME_NONE && sent < self->since && sample > timer)
    return false;
  self->sampled = true;
  return true;
}
