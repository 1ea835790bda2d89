/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delay/mark-response.h"

/* g of RFC 8257 section 3.3. */
#define MARK_GAIN (1.0 / 16.0)

void
tfrc_mark_response_init (TfrcMarkResponse *self)
{
  *self = (TfrcMarkResponse) { .alpha = 1.0 }; /* RFC 8257 section 3.3 */
}

/* Updates alpha once per round, from the first mark on: before it nobody knows whether the
 * bottleneck marks at all. */
static void
measure (TfrcMarkResponse *self, TfrcDuration round, TfrcTime now)
{
  if (self->round_at != 0 && now - self->round_at < round)
    return;
  if (self->round_at != 0 && self->arrived > 0)
    self->alpha += MARK_GAIN
        * ((double) self->marked / (double) self->arrived - self->alpha);
  if (self->round_at != 0 || self->marked > 0)
    self->round_at = now;
  self->marked = self->arrived = 0;
}

bool
tfrc_mark_response_is_pending (const TfrcMarkResponse *self, TfrcDuration round,
    TfrcTime now)
{
  return self->cut_at != 0 && now - self->cut_at < round;
}

bool
tfrc_mark_response_on_marks (TfrcMarkResponse *self, uint32_t marked,
    uint32_t unmarked, TfrcDuration round, TfrcTime now)
{
  self->marked += marked;
  self->arrived += (uint64_t) marked + unmarked;
  measure (self, round, now);
  if (marked == 0 || tfrc_mark_response_is_pending (self, round, now))
    return false;
  self->cut_at = now;
  return true;
}
