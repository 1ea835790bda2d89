/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose report is echoed first, RFC 4654 section 3.5. */
#include <check.h>

#include "check-suite.h"
#include "tfmcc/sender.h"

#define ROUND 10

static TfmccEchoes echoes;

static void
setup (void)
{
  echoes = (TfmccEchoes) { 0 };
}

static TfmccReport
report_of (uint32_t ssrc, TfrcRate rate, uint8_t round)
{
  return (TfmccReport) {
    .ssrc = ssrc,
    .rate = rate,
    .round = round,
    .report_time_us = 1000 * ssrc,
  };
}

static void
add (uint32_t ssrc, TfmccEchoClass class, TfrcRate rate, uint8_t round)
{
  TfmccReport report = report_of (ssrc, rate, round);

  tfmcc_echoes_add (&echoes, &report, class, ROUND, 0);
}

static void
set_clr (uint32_t ssrc)
{
  TfmccReport report = report_of (ssrc, 100.0, ROUND);

  tfmcc_echoes_set_clr (&echoes, &report, 0);
}

/* The SSRC echoed next; 0: none. */
static uint32_t
next (bool clr_is_due)
{
  TfmccEcho echo;

  if (!tfmcc_echoes_next (&echoes, clr_is_due, ROUND, &echo, 0))
    return 0;
  ck_assert (echo.is_clr == (echoes.has_clr && echo.ssrc == echoes.clr.ssrc));
  return echo.ssrc;
}

START_TEST (classes_go_in_their_order)
{
  set_clr (9);
  add (1, TFMCC_ECHO_OTHER, 1.0, ROUND);
  add (2, TFMCC_ECHO_NO_RTT, 5.0, ROUND);
  add (9, TFMCC_ECHO_NEW_CLR, 9.0, ROUND);
  ck_assert_uint_eq (next (false), 9);
  ck_assert_uint_eq (next (false), 2);
  ck_assert_uint_eq (next (false), 1);
  /* And the CLR in every remaining packet. */
  ck_assert_uint_eq (next (false), 9);
  ck_assert_uint_eq (next (false), 9);
}

END_TEST
START_TEST (the_oldest_round_goes_first_and_ties_to_the_lowest_rate)
{
  add (1, TFMCC_ECHO_NO_RTT, 7.0, ROUND);
  add (2, TFMCC_ECHO_NO_RTT, 9.0, ROUND - 1);
  add (3, TFMCC_ECHO_NO_RTT, 3.0, ROUND);
  /* 250 is 16 rounds ago, as it wraps. */
  add (4, TFMCC_ECHO_NO_RTT, 9.0, 250);
  ck_assert_uint_eq (next (false), 4);
  ck_assert_uint_eq (next (false), 2);
  ck_assert_uint_eq (next (false), 3);
  ck_assert_uint_eq (next (false), 1);
  ck_assert_uint_eq (next (false), 0);
}

END_TEST
START_TEST (the_clr_is_echoed_once_a_round)
{
  set_clr (9);
  ck_assert_uint_eq (next (false), 9);
  for (uint32_t i = 1; i <= 6; i++)
    add (i, TFMCC_ECHO_NO_RTT, 1.0 * i, ROUND);
  echoes.clr_owed = true;
  ck_assert_uint_eq (next (false), 1);
  ck_assert_uint_eq (next (true), 9);
  ck_assert_uint_eq (next (true), 2);
  echoes.clr_owed = true;
  ck_assert_uint_eq (next (true), 9);
  ck_assert_uint_eq (next (true), 3);
}

END_TEST
START_TEST (a_new_clr_goes_before_the_old_one)
{
  set_clr (9);
  ck_assert_uint_eq (next (false), 9);
  set_clr (4);
  add (4, TFMCC_ECHO_NEW_CLR, 1.0, ROUND);
  ck_assert_uint_eq (next (true), 4);
}

END_TEST
START_TEST (the_hold_time_is_added)
{
  TfmccReport report = report_of (3, 1.0, ROUND);
  TfmccEcho echo;

  tfmcc_echoes_add (&echoes, &report, TFMCC_ECHO_OTHER, ROUND, 100 * MS);
  ck_assert (tfmcc_echoes_next (&echoes, false, ROUND, &echo, 107 * MS));
  ck_assert_uint_eq (echo.report_time_us, 3000 + 7000);
  ck_assert (!echo.is_clr);
}

END_TEST
START_TEST (a_later_report_replaces_an_earlier_one)
{
  add (3, TFMCC_ECHO_OTHER, 1.0, ROUND);
  add (3, TFMCC_ECHO_NO_RTT, 1.0, ROUND);
  ck_assert_uint_eq (echoes.n_pending, 1);
  ck_assert_uint_eq (next (false), 3);
  ck_assert_uint_eq (next (false), 0);
}

END_TEST
START_TEST (memory_is_bounded_and_the_last_in_order_makes_room)
{
  for (uint32_t i = 1; i <= 1000; i++)
    add (i, TFMCC_ECHO_OTHER, 2000.0 - i, ROUND);
  ck_assert_uint_eq (echoes.n_pending, TFMCC_MAX_ECHOES);
  ck_assert_uint_eq (echoes.dropped, 1000 - TFMCC_MAX_ECHOES);
  add (5000, TFMCC_ECHO_NO_RTT, 1e6, ROUND);
  ck_assert_uint_eq (next (false), 5000);
  ck_assert_uint_eq (next (false), 1000);
  ck_assert_uint_eq (next (false), 999);
}

END_TEST
START_TEST (without_a_clr_nothing_is_left_to_echo)
{
  set_clr (9);
  echoes.has_clr = false;
  ck_assert_uint_eq (next (true), 0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-sender-echo");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, classes_go_in_their_order);
  tcase_add_test (tcase,
      the_oldest_round_goes_first_and_ties_to_the_lowest_rate);
  tcase_add_test (tcase, the_clr_is_echoed_once_a_round);
  tcase_add_test (tcase, a_new_clr_goes_before_the_old_one);
  tcase_add_test (tcase, the_hold_time_is_added);
  tcase_add_test (tcase, a_later_report_replaces_an_earlier_one);
  tcase_add_test (tcase, memory_is_bounded_and_the_last_in_order_makes_room);
  tcase_add_test (tcase, without_a_clr_nothing_is_left_to_echo);
  return run_check_suite (suite);
}
