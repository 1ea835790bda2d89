/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far apart reports of 56 bytes are, so that they take 5 % of a flow. */
#include <check.h>

#include "check-suite.h"
#include "tfrc/feedback-share.h"

#define MS TFRC_MILLISECOND

static TfrcFeedbackShare share;

static void
setup (void)
{
  tfrc_feedback_share_init (&share, 0.05, 56);
}

/* 56 bytes are 5 % of 1120. */
static const struct
{
  double share, rate, size;
  TfrcDuration rtt, interval;
} intervals[] = {
  /* 1120 bytes take 11.2 ms, less than an RTT. */
  { 0.05, 100000.0, 1000.0, 30 * MS, 30 * MS },
  /* 40 ms, less than two RTTs and than a packet's 50 ms. */
  { 0.05, 28000.0, 1400.0, 30 * MS, 40 * MS },
  /* 112 ms, but a packet takes 50. */
  { 0.05, 10000.0, 500.0, 30 * MS, 50 * MS },
  /* 112 ms, but two RTTs take 60. */
  { 0.05, 10000.0, 1000.0, 30 * MS, 60 * MS },
  /* A packet takes 10 ms, but an RTT is the least. */
  { 0.05, 10000.0, 100.0, 30 * MS, 30 * MS },
  /* Nothing has come. */
  { 0.05, 0.0, 0.0, 30 * MS, 30 * MS },
  /* No limit. */
  { 0.0, 10000.0, 1000.0, 30 * MS, 30 * MS },
};

START_TEST (the_interval_has_bounds)
{
  tfrc_feedback_share_init (&share, intervals[_i].share, 56);
  ck_assert_double_eq_tol ((double) tfrc_feedback_share_get_interval (&share,
                               intervals[_i].rtt, intervals[_i].rate,
                               intervals[_i].size),
      (double) intervals[_i].interval, 1.0);
}

END_TEST
/* Of what came since the report before, not since the begin. */
START_TEST (a_report_exceeds_its_share_of_what_came_since_the_last)
{
  ck_assert (!tfrc_feedback_share_on_report (&share, 1120));
  ck_assert (tfrc_feedback_share_on_report (&share, 1120 + 1119));
  ck_assert (!tfrc_feedback_share_on_report (&share, 1120 + 1119 + 1120));
}

END_TEST
START_TEST (without_a_share_no_report_exceeds_it)
{
  tfrc_feedback_share_init (&share, 0.0, 56);
  ck_assert (!tfrc_feedback_share_on_report (&share, 0));
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-feedback-share");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_loop_test (tcase, the_interval_has_bounds, 0,
      sizeof intervals / sizeof intervals[0]);
  tcase_add_test (tcase,
      a_report_exceeds_its_share_of_what_came_since_the_last);
  tcase_add_test (tcase, without_a_share_no_report_exceeds_it);
  return run_check_suite (suite);
}
