/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receive rate over the last RTTs, and the first loss interval. */
#include <check.h>

#include "check-suite.h"
#include "tfmcc/receiver.h"
#include "tfrc/equation.h"

#define RTT (160 * MS) /* 16 log entries of 10 ms */

static TfmccArrivals arrivals;

static void
setup (void)
{
  tfmcc_arrivals_init (&arrivals);
}

START_TEST (nothing_arrives_at_no_rate)
{
  ck_assert_double_eq (tfmcc_arrivals_get_rate (&arrivals, S, RTT, S), 0.0);
}

END_TEST
START_TEST (a_single_packet_is_one_in_an_rtt)
{
  tfmcc_arrivals_add (&arrivals, 800, RTT, S);
  /* 800 / 0.16. */
  ck_assert_double_eq_tol (tfmcc_arrivals_get_rate (&arrivals, 3 * RTT, RTT, S),
      5000.0, 1e-9);
}

END_TEST
/* 20 ms apart; packets in (now - window, now] count. */
START_TEST (the_rate_is_that_of_the_window)
{
  for (unsigned i = 0; i <= 100; i++)
    tfmcc_arrivals_add (&arrivals, i < 92 ? 1000 : 500, RTT, S + i * 20 * MS);
  /* 8 packets of 500 in one RTT; 9 of them and 15 of 1000 in three. */
  ck_assert_double_eq_tol (tfmcc_arrivals_get_rate (&arrivals, RTT, RTT, 3 * S),
      4000.0 / 0.16, 1e-9);
  ck_assert_double_eq_tol (tfmcc_arrivals_get_rate (&arrivals, 3 * RTT, RTT,
                               3 * S),
      19500.0 / 0.48, 1e-9);
}

END_TEST
/* The first packet starts the time that is measured, and is not counted. */
START_TEST (a_short_history_is_measured_from_the_first_packet)
{
  for (unsigned i = 0; i <= 10; i++)
    tfmcc_arrivals_add (&arrivals, 1000, RTT, S + i * 20 * MS);
  ck_assert_double_eq_tol (tfmcc_arrivals_get_rate (&arrivals, 3 * RTT, RTT,
                               1200 * MS),
      10000.0 / 0.2, 1e-9);
}

END_TEST
/* 62.5 packets in an RTT, 7.5, and 1.9; the last would be 2.3 by RFC 4654 section
 * 5.6, for which the equation gives a 27th of that rate. */
static const struct
{
  double bits;
  TfrcDuration rtt;
} intervals[] = {
  { 1e6, 500 * MS },
  { 1e6, 60 * MS },
  { 375e3, 40 * MS },
};

START_TEST (the_first_interval_gives_what_came)
{
  TfrcPath path = tfrc_path_rfc5348 (1000.0, intervals[_i].rtt);
  TfrcRate rate = intervals[_i].bits / 8.0;
  double packets = tfmcc_arrivals_first_interval (rate, intervals[_i].rtt,
      1000.0);

  ck_assert_double_eq_tol (tfrc_equation_rate (&path, 1.0 / packets), rate,
      1e-6 * rate);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-receiver-arrivals");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, nothing_arrives_at_no_rate);
  tcase_add_test (tcase, a_single_packet_is_one_in_an_rtt);
  tcase_add_test (tcase, the_rate_is_that_of_the_window);
  tcase_add_test (tcase, a_short_history_is_measured_from_the_first_packet);
  tcase_add_loop_test (tcase, the_first_interval_gives_what_came, 0,
      sizeof intervals / sizeof intervals[0]);
  return run_check_suite (suite);
}
