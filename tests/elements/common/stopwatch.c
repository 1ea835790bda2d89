/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time on which packets age. */

#include <gst/check/gstcheck.h>

#include "common/alarm.h"

#define BOOT (1000 * TFRC_SECOND) /* any clock time */

GST_START_TEST (it_stands_still_until_it_is_let_run)
{
  TfrcStopwatch stopwatch;

  stopwatch = (TfrcStopwatch) { 0 };
  assert_equals_uint64 (tfrc_stopwatch_read (&stopwatch, BOOT), 0);
  tfrc_stopwatch_run (&stopwatch, TRUE, BOOT);
  assert_equals_uint64 (tfrc_stopwatch_read (&stopwatch, BOOT), 0);
  assert_equals_uint64 (tfrc_stopwatch_read (&stopwatch, BOOT + 5), 5);
}

GST_END_TEST;

/* 2 s run, 10 s stand still, 3 s run: 5 s. */
GST_START_TEST (a_pause_does_not_count)
{
  TfrcStopwatch stopwatch;

  stopwatch = (TfrcStopwatch) { 0 };
  tfrc_stopwatch_run (&stopwatch, TRUE, BOOT);
  tfrc_stopwatch_run (&stopwatch, FALSE, BOOT + 2 * TFRC_SECOND);
  assert_equals_uint64 (tfrc_stopwatch_read (&stopwatch,
                            BOOT + 7 * TFRC_SECOND),
      2 * TFRC_SECOND);
  tfrc_stopwatch_run (&stopwatch, TRUE, BOOT + 12 * TFRC_SECOND);
  assert_equals_uint64 (tfrc_stopwatch_read (&stopwatch,
                            BOOT + 15 * TFRC_SECOND),
      5 * TFRC_SECOND);
  /* It will show 6 s a second after it showed 5 s. */
  assert_equals_uint64 (tfrc_stopwatch_to_clock (&stopwatch, 6 * TFRC_SECOND),
      BOOT + 16 * TFRC_SECOND);
  assert_equals_uint64 (tfrc_stopwatch_to_clock (&stopwatch, TFRC_TIME_NONE),
      TFRC_TIME_NONE);
}

GST_END_TEST;

GST_START_TEST (saying_the_same_twice_changes_nothing)
{
  TfrcStopwatch stopwatch;

  stopwatch = (TfrcStopwatch) { 0 };
  tfrc_stopwatch_run (&stopwatch, TRUE, BOOT);
  tfrc_stopwatch_run (&stopwatch, TRUE, BOOT + TFRC_SECOND);
  assert_equals_uint64 (tfrc_stopwatch_read (&stopwatch,
                            BOOT + 2 * TFRC_SECOND),
      2 * TFRC_SECOND);
  tfrc_stopwatch_run (&stopwatch, FALSE, BOOT + 2 * TFRC_SECOND);
  tfrc_stopwatch_run (&stopwatch, FALSE, BOOT + 4 * TFRC_SECOND);
  assert_equals_uint64 (tfrc_stopwatch_read (&stopwatch,
                            BOOT + 4 * TFRC_SECOND),
      2 * TFRC_SECOND);
}

GST_END_TEST;

static Suite *
tfrcstopwatch_suite (void)
{
  Suite *suite = suite_create ("tfrcstopwatch");
  TCase *tcase = tcase_create ("stopwatch");

  tcase_add_test (tcase, it_stands_still_until_it_is_let_run);
  tcase_add_test (tcase, a_pause_does_not_count);
  tcase_add_test (tcase, saying_the_same_twice_changes_nothing);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (tfrcstopwatch);
