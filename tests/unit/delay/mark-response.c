/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What CE marks reduce a rate by.  A round lasts 50 ms. */
#include <check.h>

#include "check-suite.h"
#include "delay/delay-control.h"
#include "units.h"

#define ROUND (50 * MS)

static TfrcMarkResponse marks;

/* Alpha begins at 1.  Of the ten packets of the first mark's round and the ten after it four
 * are marked: 1 + (.2 - 1) / 16 = .95. */
START_TEST (alpha_follows_the_share_of_marked_packets)
{
  tfrc_mark_response_init (&marks);
  ck_assert (tfrc_mark_response_on_marks (&marks, 1, 9, ROUND, 1000 * MS));
  ck_assert_double_eq (marks.alpha, 1.0);
  tfrc_mark_response_on_marks (&marks, 3, 7, ROUND, 1020 * MS);
  ck_assert_double_eq (marks.alpha, 1.0);
  tfrc_mark_response_on_marks (&marks, 1, 9, ROUND, 1050 * MS);
  ck_assert_double_eq_tol (marks.alpha, 0.95, 1e-9);
  tfrc_mark_response_on_marks (&marks, 0, 16, ROUND, 1100 * MS);
  ck_assert_double_eq_tol (marks.alpha, 0.95 * 15.0 / 16.0, 1e-9);
}

END_TEST
START_TEST (a_rate_is_reduced_once_a_round)
{
  tfrc_mark_response_init (&marks);
  ck_assert (tfrc_mark_response_on_marks (&marks, 1, 0, ROUND, 1000 * MS));
  ck_assert (tfrc_mark_response_is_pending (&marks, ROUND, 1049 * MS));
  ck_assert (!tfrc_mark_response_on_marks (&marks, 1, 0, ROUND, 1049 * MS));
  ck_assert (!tfrc_mark_response_is_pending (&marks, ROUND, 1050 * MS));
  ck_assert (tfrc_mark_response_on_marks (&marks, 1, 0, ROUND, 1050 * MS));
}

END_TEST
/* Whether the bottleneck marks at all is unknown before the first mark. */
START_TEST (without_a_mark_nothing_is_reduced_or_measured)
{
  tfrc_mark_response_init (&marks);
  for (TfrcTime at = 0; at < TFRC_SECOND; at += 10 * MS) {
    ck_assert (!tfrc_mark_response_on_marks (&marks, 0, 10, ROUND, at));
    ck_assert (!tfrc_mark_response_is_pending (&marks, ROUND, at));
  }
  ck_assert_double_eq (marks.alpha, 1.0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("mark-response");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, alpha_follows_the_share_of_marked_packets);
  tcase_add_test (tcase, a_rate_is_reduced_once_a_round);
  tcase_add_test (tcase, without_a_mark_nothing_is_reduced_or_measured);
  return run_check_suite (suite);
}
