/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data-limited intervals, RFC 5348 section 8.2.1.  What follows from them for
 * the rate is the sender's part. */
#include "tfrc/data-limit.h"

void
tfrc_data_limit_init (TfrcDataLimit *self)
{
  self->head = 0;
  self->length = 0;
}

void
tfrc_data_limit_on_rate_limited (TfrcDataLimit *self, TfrcDuration resolution,
    TfrcTime now)
{
  TfrcRateLimitedSpan *newest = &self->spans[self->head];

  if (self->length > 0 && now - newest->first_at <= resolution) {
    newest->last_at = now;
    return;
  }
  self->head = (self->head + 1) % TFRC_DATA_LIMIT_SPANS;
  self->spans[self->head] = (TfrcRateLimitedSpan) { now, now };
  if (self->length < TFRC_DATA_LIMIT_SPANS)
    self->length++;
}

bool
tfrc_data_limit_covers (const TfrcDataLimit *self, TfrcTime echo,
    TfrcDuration rtt)
{
  uint32_t i;

  /* From the newest back; the interval may start before the clock. */
  for (i = 0; i < self->length; i++) {
    const TfrcRateLimitedSpan *span =
        &self->spans[(self->head + TFRC_DATA_LIMIT_SPANS - i)
            % TFRC_DATA_LIMIT_SPANS];

    if (span->first_at <= echo)
      return echo >= rtt && span->last_at <= echo - rtt;
  }
  return true;
}
