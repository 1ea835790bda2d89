/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time that runs only while it is let: the age of packets that may not leave
 * in PAUSED must not grow meanwhile.  Clock times go in and out. */
#pragma once

#include <glib.h>

#include "base/time.h"

/* All zero: stands still at 0. */
typedef struct
{
  gboolean running;
  TfrcDuration stood_still; /* clock time minus its time, if running */
  TfrcTime stopped_at;      /* its time, if not */
} TfrcStopwatch;

void tfrc_stopwatch_run (TfrcStopwatch *self, gboolean running, TfrcTime now);

/* What it shows at the clock time `now`. */
TfrcTime tfrc_stopwatch_read (const TfrcStopwatch *self, TfrcTime now);

/* The clock time at which it will show `time`; it must be running. */
TfrcTime tfrc_stopwatch_to_clock (const TfrcStopwatch *self, TfrcTime time);
