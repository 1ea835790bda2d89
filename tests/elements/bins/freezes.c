/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which intervals between frames count as freezes. */

#include <gst/check/gstcheck.h>

#include "bins/source-pads.h"

#define MS GST_MSECOND

static GstClockTime
run (TfrcFreezes *self, GstClockTime now, GstClockTime interval, guint n)
{
  for (guint i = 0; i < n; i++)
    tfrc_freezes_on_frame (self, now += interval);
  return now;
}

/* At 40 ms a freeze is max (3 x 40, 40 + 150) = 190 ms; at 100 ms max (300, 250). */
GST_START_TEST (a_late_frame_is_a_freeze_by_the_mean_interval)
{
  static const struct
  {
    GstClockTime interval, late;
    guint freezes;
  } cases[] = {
    { 40 * MS, 189 * MS, 0 },
    { 40 * MS, 190 * MS, 1 },
    { 100 * MS, 299 * MS, 0 },
    { 100 * MS, 300 * MS, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcFreezes self = { 0 };
    GstClockTime now = run (&self, 0, cases[i].interval, 50);

    tfrc_freezes_on_frame (&self, now + cases[i].late);
    fail_unless_equals_uint64 (self.freezes, cases[i].freezes);
    fail_unless_equals_uint64 (self.time, cases[i].freezes * cases[i].late);
    fail_unless_equals_uint64 (self.frames, 51);
  }
}

GST_END_TEST;

/* The first interval has nothing to be compared with. */
GST_START_TEST (the_first_frames_are_no_freeze)
{
  TfrcFreezes self = { 0 };

  tfrc_freezes_on_frame (&self, 5 * GST_SECOND);
  tfrc_freezes_on_frame (&self, 9 * GST_SECOND);
  fail_unless_equals_uint64 (self.freezes, 0);
}

GST_END_TEST;

/* From 25 to 2 frames/s: behind k intervals of 500 ms and 30 - k of 40 three times the
 * mean of 40 + 15.3 k ms is no more than 500 ms for k of 0 to 8. */
GST_START_TEST (a_slower_source_is_no_freeze_for_long)
{
  TfrcFreezes self = { 0 };
  GstClockTime now = run (&self, 0, 40 * MS, 50);

  run (&self, now, 500 * MS, 60);
  fail_unless_equals_uint64 (self.freezes, 9);
}

GST_END_TEST;

static Suite *
freezes_suite (void)
{
  Suite *s = suite_create ("freezes");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_late_frame_is_a_freeze_by_the_mean_interval);
  tcase_add_test (tc, the_first_frames_are_no_freeze);
  tcase_add_test (tc, a_slower_source_is_no_freeze_for_long);
  return s;
}

GST_CHECK_MAIN (freezes);
