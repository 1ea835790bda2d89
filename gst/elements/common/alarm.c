/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/alarm.h"

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

void
tfrc_alarm_init (TfrcAlarm *self)
{
  *self = (TfrcAlarm) { NULL };
  g_cond_init (&self->cond);
}

void
tfrc_alarm_clear (TfrcAlarm *self)
{
  tfrc_alarm_set_clock (self, NULL);
  g_cond_clear (&self->cond);
}

/* Whether it is the usual system clock, and not a test's.  Waiting on that by GStreamer
 * wakes the thread twice: 500 us early, and at the deadline. */
static gboolean
is_monotonic (GstClock *clock)
{
  GstClockType type;

  if (G_OBJECT_TYPE (clock) != GST_TYPE_SYSTEM_CLOCK)
    return FALSE;
  g_object_get (clock, "clock-type", &type, NULL);
  return type == GST_CLOCK_TYPE_MONOTONIC;
}

void
tfrc_alarm_set_clock (TfrcAlarm *self, GstClock *clock)
{
  g_clear_pointer (&self->id, gst_clock_id_unref);
  gst_clear_object (&self->clock);
  self->clock = clock;
  self->is_monotonic = clock != NULL && is_monotonic (clock);
}

TfrcTime
tfrc_alarm_get_time (const TfrcAlarm *self)
{
  return self->clock != NULL ? gst_clock_get_time (self->clock) : 0;
}

/* The deadline in us of g_get_monotonic_time, rounded up. */
static gint64
to_monotonic (const TfrcAlarm *self, TfrcTime deadline)
{
  gint64 now = g_get_monotonic_time ();
  TfrcDuration left = tfrc_time_since (tfrc_alarm_get_time (self), deadline);

  return now + (gint64) (left / TFRC_MICROSECOND) + 1;
}

static void
wait_on_clock (TfrcAlarm *self, GMutex *lock, TfrcTime deadline)
{
  if (self->id == NULL
      || !gst_clock_single_shot_id_reinit (self->clock, self->id, deadline)) {
    g_clear_pointer (&self->id, gst_clock_id_unref);
    self->id = gst_clock_new_single_shot_id (self->clock, deadline);
  }
  self->sleeping = TRUE;
  g_mutex_unlock (lock);
  gst_clock_id_wait (self->id, NULL);
  g_mutex_lock (lock);
  self->sleeping = FALSE;
}

void
tfrc_alarm_wait (TfrcAlarm *self, GMutex *lock, TfrcTime deadline)
{
  self->deadline = deadline;
  if (deadline == TFRC_TIME_NONE || self->clock == NULL)
    g_cond_wait (&self->cond, lock);
  else if (self->is_monotonic)
    g_cond_wait_until (&self->cond, lock, to_monotonic (self, deadline));
  else
    wait_on_clock (self, lock, deadline);
  self->deadline = 0;
}

void
tfrc_alarm_wake (TfrcAlarm *self)
{
  g_cond_signal (&self->cond);
  if (self->sleeping)
    gst_clock_id_unschedule (self->id);
}

void
tfrc_alarm_wake_before (TfrcAlarm *self, TfrcTime deadline)
{
  if (deadline < self->deadline)
    tfrc_alarm_wake (self);
}
