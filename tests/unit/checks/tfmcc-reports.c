/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources of reports: how many they may send, who owns an SSRC, and about how many
 * there are. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "check-suite.h"
#include "checks/tfmcc-reports.h"

#define RTT (100 * MS)
#define MAX_RTT (500 * MS)
#define PACKET_INTERVAL (10 * MS)

static TfmccReportCheck check;

static void
setup (void)
{
  check = (TfmccReportCheck) { 0 };
}

/* A report by a receiver whose timestamps started at `offset_us`. */
static TfmccReportVerdict
report (uint32_t ssrc, uint32_t offset_us, bool is_clr, TfrcTime now)
{
  TfmccReport report = {
    .ssrc = ssrc,
    .report_time_us = offset_us + (uint32_t) (now / TFRC_MICROSECOND),
  };

  return tfmcc_report_check_judge (&check, &report, RTT, MAX_RTT,
      PACKET_INTERVAL, is_clr, now);
}

/* How many of `n` reports pass, one every `interval`. */
static unsigned
flood (uint32_t ssrc, bool is_clr, unsigned n, TfrcDuration interval,
    TfrcTime now)
{
  unsigned n_passed = 0;

  for (unsigned i = 0; i < n; i++)
    n_passed += report (ssrc, 5, is_clr, now + i * interval)
        == TFMCC_REPORT_PASSED;
  return n_passed;
}

/* Eight at once, then one per R_max / 2 = 250 ms: of 1000 in 10 s 8 + 39 pass (the
 * last one arrives after 9.99 s). */
START_TEST (a_flood_is_limited_to_two_per_r_max)
{
  ck_assert_uint_eq (flood (1, false, 1000, 10 * MS, 100 * S), 8 + 39);
  ck_assert_int_eq (report (1, 5, false, 110 * S - 1), TFMCC_REPORT_LIMITED);
  /* Others have their own share, and silence saves up no more than the burst. */
  ck_assert_uint_eq (flood (2, false, 9, 0, 110 * S), 8);
  ck_assert_uint_eq (flood (1, false, 20, 0, 200 * S), 8);
}

END_TEST
/* Its RTT / 4 is 25 ms, longer than s/X / 2 = 5 ms: 8 + 399 of 10,000. */
START_TEST (the_clr_may_report_by_its_rtt)
{
  ck_assert_uint_eq (flood (1, true, 10000, MS, 100 * S), 8 + 399);
}

END_TEST
/* Seven reports at once cost 1.75 s at R_max / 2, more than the 175 ms that the CLR
 * may owe. */
START_TEST (a_new_clr_owes_nothing)
{
  ck_assert_uint_eq (flood (1, false, 7, 0, 100 * S), 7);
  ck_assert_uint_eq (flood (1, true, 100, RTT, 100 * S + RTT), 100);
}

END_TEST
START_TEST (the_former_clr_may_go_on_until_it_hears_of_that)
{
  ck_assert_uint_eq (flood (1, true, 100, RTT, 100 * S), 100);
  /* 16 R_max = 8 s at one per RTT. */
  ck_assert_uint_eq (flood (1, false, 80, RTT, 110 * S), 80);
  /* And then 8 at once and one per 250 ms of 9.9 s. */
  ck_assert_uint_eq (flood (1, false, 100, RTT, 120 * S), 8 + 39);
}

END_TEST
/* Timestamps that are off by more than 10 s either way are from another receiver. */
static const struct
{
  int64_t off_ms;
  TfmccReportVerdict verdict;
} offsets[] = {
  { 0, TFMCC_REPORT_PASSED },
  { 9999, TFMCC_REPORT_PASSED },
  { -9999, TFMCC_REPORT_PASSED },
  { 10001, TFMCC_REPORT_COLLIDING },
  { -10001, TFMCC_REPORT_COLLIDING },
  { 2000000, TFMCC_REPORT_COLLIDING },
  { -2000000, TFMCC_REPORT_COLLIDING },
};

START_TEST (timestamps_tell_two_receivers_of_one_ssrc_apart)
{
  uint32_t off_us = (uint32_t) (1000 * offsets[_i].off_ms);

  /* They wrap in between. */
  ck_assert_int_eq (report (1, 0xFFFFFF00u - 100000000u, false, 100 * S),
      TFMCC_REPORT_PASSED);
  ck_assert_int_eq (report (1, 0xFFFFFF00u - 100000000u + off_us, false,
                        130 * S),
      offsets[_i].verdict);
  /* The owner is not affected. */
  ck_assert_int_eq (report (1, 0xFFFFFF00u - 100000000u, false, 140 * S),
      TFMCC_REPORT_PASSED);
}

END_TEST
START_TEST (after_a_minute_of_silence_an_ssrc_is_free)
{
  report (1, 0, false, 100 * S);
  for (unsigned i = 1; i < 60; i++)
    ck_assert_int_eq (report (1, 1u << 31, false, 100 * S + i * S),
        TFMCC_REPORT_COLLIDING);
  ck_assert_int_eq (report (1, 1u << 31, false, 160 * S), TFMCC_REPORT_PASSED);
  ck_assert_int_eq (report (1, 0, false, 161 * S), TFMCC_REPORT_COLLIDING);
}

END_TEST
START_TEST (new_sources_are_limited_in_a_round)
{
  unsigned n_passed = 0;

  for (uint32_t ssrc = 1; ssrc <= 10000; ssrc++)
    n_passed += report (ssrc, ssrc, false, 100 * S) == TFMCC_REPORT_PASSED;
  ck_assert_uint_eq (n_passed,
      TFMCC_REPORT_CHECK_SETS * TFMCC_REPORT_CHECK_WAYS);
  ck_assert_int_eq (report (20000, 0, false, 100 * S), TFMCC_REPORT_LIMITED);
  check.newcomers = 0;
  ck_assert_int_eq (report (20000, 0, false, 100 * S), TFMCC_REPORT_PASSED);
}

END_TEST
/* The source that continues to report keeps its place, whatever new ones appear. */
START_TEST (the_longest_silent_source_makes_room)
{
  for (uint32_t i = 0; i < 10000; i++) {
    if (i % 100 == 0)
      check.newcomers = 0;
    report (1000 + i, i, false, 100 * S + i * 10 * MS);
    if (i % 50 == 0)
      ck_assert_int_eq (report (1, 7, false, 100 * S + i * 10 * MS),
          TFMCC_REPORT_PASSED);
  }
  ck_assert_int_eq (report (1, 1u << 31, false, 200 * S),
      TFMCC_REPORT_COLLIDING);
}

END_TEST
/* n of 4096 bits: the standard error is sqrt (m (e^t - t - 1)) / (t m) with t =
 * n/m, 1.8 % for 10,000; three of that. */
static const struct
{
  uint32_t n, error;
} groups[] = { { 0, 0 }, { 1, 0 }, { 10, 0 }, { 100, 2 }, { 1000, 33 },
  { 10000, 540 } };

START_TEST (receivers_are_counted_about)
{
  for (uint32_t ssrc = 1; ssrc <= groups[_i].n; ssrc++) {
    check.newcomers = 0;
    report (ssrc, 0, false, 100 * S);
    report (ssrc, 0, false, 101 * S);
  }
  ck_assert_uint_le (abs ((int) tfmcc_report_check_get_receivers (&check,
                              110 * S)
                         - (int) groups[_i].n),
      groups[_i].error);
}

END_TEST
/* Minutes begin at 60 s here. */
START_TEST (those_who_fell_silent_are_forgotten)
{
  report (1, 0, false, 61 * S);
  report (2, 0, false, 130 * S);
  ck_assert_uint_eq (tfmcc_report_check_get_receivers (&check, 179 * S), 2);
  ck_assert_uint_eq (tfmcc_report_check_get_receivers (&check, 181 * S), 1);
  report (3, 0, false, 182 * S);
  ck_assert_uint_eq (tfmcc_report_check_get_receivers (&check, 182 * S), 2);
  ck_assert_uint_eq (tfmcc_report_check_get_receivers (&check, 300 * S), 0);
}

END_TEST
/* A packet of the sender, and 10 ms later a report about it. */
static void
answer (TfmccSender *sender, uint32_t ssrc, TfrcTime now)
{
  TfmccReport report = { .ssrc = ssrc,
    .rate = 1e5,
    .echo_time_us = (uint32_t) (now / TFRC_MICROSECOND),
    .report_time_us = (uint32_t) (now / TFRC_MICROSECOND) };

  while (tfmcc_sender_next_deadline (sender) <= now)
    tfmcc_sender_on_deadline (sender, tfmcc_sender_next_deadline (sender));
  tfmcc_sender_on_sent (sender, 1000, true, now);
  report.round = sender->round.number;
  ck_assert_int_eq (tfmcc_report_check_on_report (&check, sender, &report,
                        now + 10 * MS),
      TFRC_OK);
}

/* In a larger group more receivers have reported by then. */
START_TEST (up_to_sixteen_receivers_are_few_behind_four_rounds)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();
  TfrcTime now = 60 * S;
  TfmccSender sender;

  tfmcc_sender_init (&sender, &config);
  for (unsigned i = 0; i < 40; i++, now += 600 * MS) {
    answer (&sender, i % 16, now);
    ck_assert_int_eq (sender.few_receivers, sender.counters.rounds >= 4);
  }
  ck_assert (tfmcc_sender_on_sent (&sender, 1000, true, now).few_receivers);
  answer (&sender, 16, now);
  ck_assert (!tfmcc_sender_on_sent (&sender, 1000, true, now).few_receivers);
  /* Those of the first minute are forgotten at 180 s. */
  for (; now < 180 * S; now += 600 * MS) {
    answer (&sender, 1, now);
    ck_assert (!sender.few_receivers);
  }
  answer (&sender, 1, now);
  ck_assert (sender.few_receivers);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-reports");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, a_flood_is_limited_to_two_per_r_max);
  tcase_add_test (tcase, the_clr_may_report_by_its_rtt);
  tcase_add_test (tcase, a_new_clr_owes_nothing);
  tcase_add_test (tcase, the_former_clr_may_go_on_until_it_hears_of_that);
  tcase_add_loop_test (tcase, timestamps_tell_two_receivers_of_one_ssrc_apart,
      0, sizeof offsets / sizeof offsets[0]);
  tcase_add_test (tcase, after_a_minute_of_silence_an_ssrc_is_free);
  tcase_add_test (tcase, new_sources_are_limited_in_a_round);
  tcase_add_test (tcase, the_longest_silent_source_makes_room);
  tcase_add_loop_test (tcase, receivers_are_counted_about, 0,
      sizeof groups / sizeof groups[0]);
  tcase_add_test (tcase, those_who_fell_silent_are_forgotten);
  tcase_add_test (tcase, up_to_sixteen_receivers_are_few_behind_four_rounds);
  return run_check_suite (suite);
}
