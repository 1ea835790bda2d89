/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stopwatch, and a sleep until a deadline that can be woken. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"

/* A time that only advances while it is allowed to: so packets that may not be sent in
 * PAUSED do not get older.  Arguments are times of a clock.  All zero: stopped at 0. */
typedef struct
{
  gboolean running;
  TfrcDuration stood_still; /* if running: clock time minus its time */
  TfrcTime stopped_at;      /* if stopped: its time */
} TfrcStopwatch;

/* Starts or stops it at the clock time `now`. */
void tfrc_stopwatch_run (TfrcStopwatch *self, gboolean running, TfrcTime now);

/* Its time at the clock time `now`. */
TfrcTime tfrc_stopwatch_read (const TfrcStopwatch *self, TfrcTime now);

/* The clock time at which its time will be `time`; it must be running. */
TfrcTime tfrc_stopwatch_to_clock (const TfrcStopwatch *self, TfrcTime time);

/* A thread's sleep until a deadline of a GstClock, which other threads may wake.  The
 * owner's lock is held around every call but init and clear. */
typedef struct
{
  GstClock *clock;       /* owned; NULL = sleeps until woken */
  gboolean is_monotonic; /* it is the clock of g_get_monotonic_time */
  /* reused; NULL before the first wait on a clock that is not monotonic */
  GstClockID id;
  GCond cond;
  gboolean sleeping; /* on the clock */
  TfrcTime deadline; /* of the sleep; 0 = no thread sleeps */
} TfrcAlarm;

void tfrc_alarm_init (TfrcAlarm *self);
void tfrc_alarm_clear (TfrcAlarm *self);

/* Sets the clock, of which it takes ownership.  No thread may be waiting. */
void tfrc_alarm_set_clock (TfrcAlarm *self, GstClock *clock);

/* The clock's time; 0 = there is no clock. */
TfrcTime tfrc_alarm_get_time (const TfrcAlarm *self);

/* Sleeps until the deadline or tfrc_alarm_wake; may wake earlier.  The lock is released
 * meanwhile. */
void tfrc_alarm_wait (TfrcAlarm *self, GMutex *lock, TfrcTime deadline);
void tfrc_alarm_wake (TfrcAlarm *self);

/* Wakes the thread only if it would sleep beyond the deadline. */
void tfrc_alarm_wake_before (TfrcAlarm *self, TfrcTime deadline);
