/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Down at once, up along a slope. */
#include <check.h>

#include "check-suite.h"
#include "tfmcc/sender.h"

static TfmccAllowedRate allowed;

static void
setup (void)
{
  tfmcc_allowed_rate_set (&allowed, 100.0, 10 * S);
}

static void
expect (TfrcTime now, TfrcRate rate)
{
  ck_assert_double_eq_tol (tfmcc_allowed_rate_get (&allowed, now), rate, 1e-9);
}

START_TEST (a_fall_is_immediate)
{
  tfmcc_allowed_rate_approach (&allowed, 40.0, 5.0, 11 * S, 11 * S);
  expect (11 * S, 40.0);
  expect (99 * S, 40.0);
}

END_TEST
START_TEST (a_rise_follows_the_slope_to_its_target)
{
  tfmcc_allowed_rate_approach (&allowed, 120.0, 5.0, 11 * S, 11 * S);
  expect (11 * S, 100.0);
  expect (13 * S, 110.0);
  expect (15 * S, 120.0);
  expect (99 * S, 120.0);
}

END_TEST
START_TEST (many_reports_do_not_make_it_steeper)
{
  for (unsigned i = 0; i <= 20; i++)
    tfmcc_allowed_rate_approach (&allowed, 1000.0, 5.0, 11 * S + i * S / 10,
        11 * S + i * S / 10);
  expect (13 * S, 110.0);
}

END_TEST
START_TEST (a_rise_may_begin_later)
{
  tfmcc_allowed_rate_approach (&allowed, 120.0, 5.0, 14 * S, 11 * S);
  expect (14 * S, 100.0);
  expect (15 * S, 105.0);
}

END_TEST
START_TEST (the_next_report_does_not_cut_the_pause_short)
{
  tfmcc_allowed_rate_approach (&allowed, 120.0, 5.0, 14 * S, 11 * S);
  tfmcc_allowed_rate_approach (&allowed, 130.0, 5.0, 12 * S, 12 * S);
  expect (14 * S, 100.0);
  expect (15 * S, 105.0);
  expect (99 * S, 130.0);
}

END_TEST
START_TEST (a_lower_target_on_the_way_up_stops_it)
{
  tfmcc_allowed_rate_approach (&allowed, 120.0, 5.0, 11 * S, 11 * S);
  tfmcc_allowed_rate_approach (&allowed, 105.0, 5.0, 13 * S, 13 * S);
  expect (13 * S, 105.0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-sender-rate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, a_fall_is_immediate);
  tcase_add_test (tcase, a_rise_follows_the_slope_to_its_target);
  tcase_add_test (tcase, many_reports_do_not_make_it_steeper);
  tcase_add_test (tcase, a_rise_may_begin_later);
  tcase_add_test (tcase, the_next_report_does_not_cut_the_pause_short);
  tcase_add_test (tcase, a_lower_target_on_the_way_up_stops_it);
  return run_check_suite (suite);
}
