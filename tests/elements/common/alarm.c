/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sleeping until a deadline, on the system clock and on that of a test. */

#define _GNU_SOURCE
#include <gst/check/gstcheck.h>
#include <gst/check/gsttestclock.h>
#include <sys/resource.h>

#include "common/alarm.h"

#define ATTEMPTS 10 /* on a machine that is busy with something else */

typedef struct
{
  TfrcAlarm alarm;
  GMutex lock;
  TfrcTime deadline;
  GThread *thread;
} Sleeper;

static void
sleeper_init (Sleeper *self, GstClock *clock)
{
  tfrc_alarm_init (&self->alarm);
  g_mutex_init (&self->lock);
  tfrc_alarm_set_clock (&self->alarm, clock);
}

static void
sleeper_clear (Sleeper *self)
{
  tfrc_alarm_clear (&self->alarm);
  g_mutex_clear (&self->lock);
}

static gpointer
sleep_in_thread (gpointer user_data)
{
  Sleeper *self = user_data;

  g_mutex_lock (&self->lock);
  tfrc_alarm_wait (&self->alarm, &self->lock, self->deadline);
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* Returns while the thread sleeps. */
static void
start_sleeping (Sleeper *self, TfrcTime deadline)
{
  gboolean asleep = FALSE;

  self->deadline = deadline;
  self->thread = g_thread_new ("sleeper", sleep_in_thread, self);
  while (!asleep) {
    g_mutex_lock (&self->lock);
    asleep = self->alarm.deadline == deadline;
    g_mutex_unlock (&self->lock);
    g_thread_yield ();
  }
}

static glong
count_wakes (void)
{
  struct rusage usage;

  getrusage (RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

/* A wake-up costs more than all else that is done for a packet. */
GST_START_TEST (a_sleep_on_the_system_clock_is_one_wake)
{
  Sleeper self;
  TfrcTime deadline;
  glong wakes = 0;

  sleeper_init (&self, gst_system_clock_obtain ());
  g_mutex_lock (&self.lock);
  for (guint i = 0; i < ATTEMPTS && wakes != 1; i++) {
    wakes = count_wakes ();
    deadline = tfrc_alarm_get_time (&self.alarm) + 5 * TFRC_MILLISECOND;
    tfrc_alarm_wait (&self.alarm, &self.lock, deadline);
    fail_unless (tfrc_alarm_get_time (&self.alarm) >= deadline);
    wakes = count_wakes () - wakes;
  }
  g_mutex_unlock (&self.lock);
  fail_unless_equals_int (wakes, 1);
  sleeper_clear (&self);
}

GST_END_TEST;

GST_START_TEST (a_deadline_in_the_past_is_no_sleep)
{
  Sleeper self;

  sleeper_init (&self, gst_system_clock_obtain ());
  g_mutex_lock (&self.lock);
  tfrc_alarm_wait (&self.alarm, &self.lock, 1);
  g_mutex_unlock (&self.lock);
  sleeper_clear (&self);
}

GST_END_TEST;

/* Who sleeps until then or less sleeps on. */
GST_START_TEST (only_an_earlier_deadline_wakes)
{
  Sleeper self;
  TfrcTime hour;

  sleeper_init (&self, gst_system_clock_obtain ());
  hour = tfrc_alarm_get_time (&self.alarm) + 3600 * TFRC_SECOND;
  start_sleeping (&self, hour);
  g_mutex_lock (&self.lock);
  tfrc_alarm_wake_before (&self.alarm, hour);
  fail_unless_equals_uint64 (self.alarm.deadline, hour);
  tfrc_alarm_wake_before (&self.alarm, hour - 1);
  g_mutex_unlock (&self.lock);
  g_thread_join (self.thread);
  fail_unless (tfrc_alarm_get_time (&self.alarm) < hour);
  sleeper_clear (&self);
}

GST_END_TEST;

GST_START_TEST (a_clock_of_a_test_is_slept_on)
{
  GstClock *clock = gst_test_clock_new_with_start_time (TFRC_SECOND);
  Sleeper self;

  sleeper_init (&self, gst_object_ref (clock));
  start_sleeping (&self, 2 * TFRC_SECOND);
  gst_test_clock_wait_for_next_pending_id (GST_TEST_CLOCK (clock), NULL);
  fail_unless (gst_test_clock_crank (GST_TEST_CLOCK (clock)));
  g_thread_join (self.thread);
  fail_unless_equals_uint64 (tfrc_alarm_get_time (&self.alarm),
      2 * TFRC_SECOND);
  sleeper_clear (&self);
  gst_object_unref (clock);
}

GST_END_TEST;

static Suite *
tfrcalarm_suite (void)
{
  Suite *suite = suite_create ("tfrcalarm");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_sleep_on_the_system_clock_is_one_wake);
  tcase_add_test (tcase, a_deadline_in_the_past_is_no_sleep);
  tcase_add_test (tcase, only_an_earlier_deadline_wakes);
  tcase_add_test (tcase, a_clock_of_a_test_is_slept_on);
  return suite;
}

GST_CHECK_MAIN (tfrcalarm);
