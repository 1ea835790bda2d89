/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTT samples across a silence; RFC 5348 sections 4.3 and 4.4. */
#include "guard/silence.h"

void
tfrc_silence_init (TfrcSilence *self)
{
  *self = (TfrcSilence) { .since = TFRC_TIME_NONE };
}

void
tfrc_silence_on_expiry (TfrcSilence *self, TfrcTime expiry)
{
  if (!self->sampled)
    return;
  self->since = expiry;
  self->sampled = false;
}

bool
tfrc_silence_lets_count (TfrcSilence *self, TfrcTime sent, TfrcDuration sample,
    TfrcDuration timer)
{
  if (self->since != TFRC_TIME_NONE && sent < self->since && sample > timer)
    return false;
  self->sampled = true;
  return true;
}
