/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/flow.h"
#include "units.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define SECOND TFRC_SECOND
#define FRAME (33 * MS)

/* Bytes per frame of a rate in kbit/s. */
static gsize
bytes_of (gdouble kbits)
{
  return (gsize) (kbits * 125.0 * 0.033);
}

/* Frames of an encoder that follows, but for `own` [kbit/s]; 0: what it is told.  The
 * sink takes `link`, and `wait` of each frame besides. */
static TfrcTime
run (TfrcBackPressure *self, TfrcTime now, TfrcDuration time, gdouble own,
    gdouble link, TfrcDuration wait)
{
  TfrcTime end = now + time, due = now;

  while (now < end) {
    gdouble kbits = MIN (own, self->limit / 125.0);
    TfrcTime began = MAX (now, due);
    gsize bytes = bytes_of (kbits);

    for (; due <= began; due += FRAME)
      self->came_in += bytes;
    now = began + tfrc_rate_time_for (link * 125.0, (gdouble) bytes) + wait;
    tfrc_back_pressure_on_pushed (self, bytes, began, now);
  }
  return now;
}

GST_START_TEST (what_is_taken_slowly_is_the_limit)
{
  TfrcBackPressure self;
  TfrcTime now;

  tfrc_back_pressure_init (&self);
  now = run (&self, SECOND, 5 * SECOND, 2000, 500, 0);
  fail_unless (self.limit / 125.0 > 400 && self.limit / 125.0 < 700);
  now = run (&self, now, 20 * SECOND, 2000, 500, 0);
  fail_unless (self.limit / 125.0 > 400 && self.limit / 125.0 < 700);
  run (&self, now, 15 * SECOND, 2000, 20000, 0);
  fail_unless (isinf (self.limit));
}

GST_END_TEST;

/* A sink that syncs to the clock waits for most of each frame, and takes all. */
GST_START_TEST (waiting_for_the_clock_limits_nothing)
{
  TfrcBackPressure self;

  tfrc_back_pressure_init (&self);
  run (&self, SECOND, 20 * SECOND, 2000, 100000, 25 * MS);
  fail_unless (isinf (self.limit));
}

GST_END_TEST;

/* One packet is held until the client says PLAY. */
GST_START_TEST (one_long_wait_limits_nothing)
{
  TfrcBackPressure self;
  TfrcTime now = SECOND;

  tfrc_back_pressure_init (&self);
  for (guint i = 0; i < 90; i++)
    self.came_in += 4000;
  tfrc_back_pressure_on_pushed (&self, 1000, now, now + 3 * SECOND);
  now += 3 * SECOND;
  for (guint i = 0; i < 90; i++, now += MS)
    tfrc_back_pressure_on_pushed (&self, 4000, now, now + MS);
  run (&self, now, 5 * SECOND, 2000, 100000, 0);
  fail_unless (isinf (self.limit));
}

GST_END_TEST;

static Suite *
back_pressure_suite (void)
{
  Suite *suite = suite_create ("back-pressure");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, what_is_taken_slowly_is_the_limit);
  tcase_add_test (tcase, waiting_for_the_clock_limits_nothing);
  tcase_add_test (tcase, one_long_wait_limits_nothing);
  return suite;
}

GST_CHECK_MAIN (back_pressure);
