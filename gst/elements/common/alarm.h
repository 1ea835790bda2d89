/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time that can stand still, and sleeps until a time. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"

/* Time that runs only while it is let: the age of packets that may not leave
 * in PAUSED must not grow meanwhile.  Clock times go in and out.  All zero: stands still
 * at 0. */
typedef struct
{
  gboolean running;
  TfrcDuration stood_still; /* clock time minus its time, if running */
  TfrcTime stopped_at;      /* its time, if not */
} TfrcStopwatch;

/* Lets it run from the clock time `now` on, or stops it then. */
void tfrc_stopwatch_run (TfrcStopwatch *self, gboolean running, TfrcTime now);

/* What it shows at the clock time `now`. */
TfrcTime tfrc_stopwatch_read (const TfrcStopwatch *self, TfrcTime now);

/* The clock time at which it will show `time`; it must be running. */
TfrcTime tfrc_stopwatch_to_clock (const TfrcStopwatch *self, TfrcTime time);

/* The sleep of a thread that works to deadlines of a GstClock and can be woken
 * earlier.  The owner's lock is held around every call but init and clear. */
typedef struct
{
  GstClock *clock;       /* NULL: none, tfrc_alarm_wait needs a wake */
  gboolean is_monotonic; /* it runs as g_get_monotonic_time does */
  GstClockID id; /* reused; NULL before the first wait on another clock */
  GCond cond;
  gboolean sleeping; /* on the clock */
  TfrcTime deadline; /* of the sleep; 0: nobody sleeps */
} TfrcAlarm;

void tfrc_alarm_init (TfrcAlarm *self);
void tfrc_alarm_clear (TfrcAlarm *self);

/* Takes the clock.  Nobody may wait. */
void tfrc_alarm_set_clock (TfrcAlarm *self, GstClock *clock);

/* 0 without a clock. */
TfrcTime tfrc_alarm_get_time (const TfrcAlarm *self);

/* Returns at the deadline or after tfrc_alarm_wake, or for no reason.  The
 * lock is released meanwhile. */
void tfrc_alarm_wait (TfrcAlarm *self, GMutex *lock, TfrcTime deadline);
void tfrc_alarm_wake (TfrcAlarm *self);

/* Wakes only who would sleep beyond the deadline. */
void tfrc_alarm_wake_before (TfrcAlarm *self, TfrcTime deadline);
