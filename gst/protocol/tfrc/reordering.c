/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc/reordering.h"

/* The next one may be later: a rate that falls spreads the packets that have to
 * overtake it. */
#define MARGIN 2
/* RFC 8985 section 6.2 step 4 keeps a window for 16 recoveries. */
#define MEMORY 16

void
tfrc_reordering_init (TfrcReordering *self, bool adaptive)
{
  *self = (TfrcReordering) { .adaptive = adaptive };
}

void
tfrc_reordering_on_late (TfrcReordering *self, TfrcDuration lateness,
    TfrcDuration rtt)
{
  if (!self->adaptive || lateness > rtt)
    return;
  self->newest = tfrc_time_max (self->newest, MARGIN * lateness);
  self->tolerance = tfrc_time_max (self->tolerance, self->newest);
}

void
tfrc_reordering_on_loss (TfrcReordering *self)
{
  if (++self->losses < MEMORY)
    return;
  self->tolerance = self->newest;
  self->newest = 0;
  self->losses = 0;
}

TfrcDuration
tfrc_reordering_get_tolerance (const TfrcReordering *self, TfrcDuration rtt)
{
  return tfrc_time_min (self->tolerance, rtt);
}
