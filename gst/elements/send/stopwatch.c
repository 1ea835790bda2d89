/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clock time less the time it stood still. */

#include "send/stopwatch.h"

void
tfrc_stopwatch_run (TfrcStopwatch *self, gboolean running, TfrcTime now)
{
  if (running && !self->running)
    self->stood_still = tfrc_time_since (self->stopped_at, now);
  else if (!running)
    self->stopped_at = tfrc_stopwatch_read (self, now);
  self->running = running;
}

TfrcTime
tfrc_stopwatch_read (const TfrcStopwatch *self, TfrcTime now)
{
  return self->running ? tfrc_time_since (self->stood_still, now)
                       : self->stopped_at;
}

TfrcTime
tfrc_stopwatch_to_clock (const TfrcStopwatch *self, TfrcTime time)
{
  return tfrc_time_add (time, self->stood_still);
}
