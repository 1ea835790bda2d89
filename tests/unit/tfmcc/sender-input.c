/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports that a sender must not accept, or only within bounds: each has a limited
 * effect, and a counter. */

#include "check-suite.h"
#include "tfmcc-sender-verbs.h"

/* These answer no packet that was sent. */
static const struct
{
  int64_t age_us;
  TfrcRate rate;
} lies[] = {
  { -1, 1000.0 },     /* from the future */
  { 100003, 1000.0 }, /* before the first packet, as both are rounded */
  { 3000000000, 1000.0 },
  { 50000, 0.0 },
  { 50000, -1.0 },
  { 50000, (double) INFINITY },
  { 50000, (double) NAN },
};

START_TEST (impossible_reports_change_nothing)
{
  TfmccReport lie = report_of (4, lies[_i].rate, 0, 100 * MS);

  send_packet (0);
  lie.echo_time_us -= (uint32_t) lies[_i].age_us;
  ck_assert_int_eq (tfmcc_report_check_on_report (&check, &sender, &lie,
                        100 * MS),
      TFRC_INVALID);
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).reports_invalid, 1);
  ck_assert (tfmcc_sender_get_clr (&sender) == NULL);
  expect_rate (100 * MS, 2000.0);
}

END_TEST
/* The floor is 1000 / 8 = 125 bytes/s; 1 bit/s is 0.125. */
START_TEST (a_claim_of_one_bit_per_second_is_taken_as_the_floor)
{
  start_at (50000.0, 10 * S);
  report (2, 0.125, 10 * S);
  expect_rate (10 * S, 125.0);
  ck_assert_double_eq_tol (tfmcc_sender_get_clr (&sender)->rate, 125.0, 1e-9);
  ck_assert_double_eq_tol (sender.round.suppression_rate, 112.5, 1e-9);
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).reports_below_floor,
      1);
  /* The minimum rate of the application is never undercut. */
  tfmcc_sender_set_min_rate (&sender, 6250.0);
  report (2, 0.125, 10100 * MS);
  expect_rate (10100 * MS, 6250.0);
}

END_TEST
/* And when it falls silent the others get their rate back: after 10 of its RTTs,
 * 100 ms but at least s/X, it is gone; then, or a round later, the rate rises by
 * 1000 bytes/s per R_max, 510 ms, in each: by 30000 bytes/s in 7.8 s. */
START_TEST (a_liar_that_falls_silent_is_forgotten)
{
  TfrcDuration span;

  start_at (50000.0, 10 * S);
  tfmcc_sender_set_min_rate (&sender, 10000.0);
  report (2, 0.125, 10 * S);
  send_packet (10 * S);
  send_packet (10900 * MS);
  tfmcc_sender_on_deadline (&sender, 10999 * MS);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 2);
  tfmcc_sender_on_deadline (&sender, 11 * S);
  ck_assert (!tfmcc_clr_choice_is (&sender.clr, 2));
  expect_rate (11 * S, 10000.0);
  span = tfmcc_round_get_span (&sender.round);
  report (1, 50000.0, 11100 * MS);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 1);
  ck_assert_double_gt (tfmcc_sender_get_rate (&sender, 19 * S + span), 40000.0);
}

END_TEST
/* Eight pass at once, as the tests of the check show. */
START_TEST (a_flood_is_refused_and_counted)
{
  TfmccReport flood;

  start_at (50000.0, 10 * S);
  flood = report_of (2, 60000.0, 100 * MS, 10 * S);
  for (unsigned i = 0; i < 1000; i++)
    ck_assert_int_eq (tfmcc_report_check_on_report (&check, &sender, &flood,
                          10 * S),
        i < 8 ? TFRC_OK : TFRC_STALE);
  ck_assert_uint_eq (check.counters.limited, 992);
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).reports, 1 + 8);
  ck_assert_uint_eq (tfmcc_report_check_get_receivers (&check, 10 * S), 2);
}

END_TEST
/* The rate of the second receiver has no effect, and it is not echoed: it sees
 * echoes of reports that it did not send. */
START_TEST (the_second_receiver_of_an_ssrc_is_refused)
{
  TfmccReport second;

  start_at (50000.0, 10 * S);
  second = report_of (1, 1000.0, 100 * MS, 10 * S);
  second.report_time_us += 1u << 31;
  ck_assert_int_eq (tfmcc_report_check_on_report (&check, &sender, &second,
                        10 * S),
      TFRC_STALE);
  expect_rate (10 * S, 50000.0);
  ck_assert_uint_eq (check.counters.colliding, 1);
  send_packet (10 * S);
  ck_assert_uint_eq (extension.echo.ssrc, 1);
  ck_assert_uint_eq (extension.echo.report_time_us, 77);
}

END_TEST
/* Round 3 is the newest and 0 the oldest; a report may be up to 2^7 rounds behind. */
static const struct
{
  uint8_t round;
  TfrcResult result;
} rounds[] = {
  { 3, TFRC_OK },
  { 0, TFRC_OK },
  { 4, TFRC_INVALID },
  { 255, TFRC_INVALID },
  { 131, TFRC_INVALID },
};

START_TEST (a_round_that_never_began_is_not_answered)
{
  TfmccReport foreign;

  start_at (50000.0, 10 * S);
  for (unsigned i = 0; i < 3; i++) {
    send_packet (tfmcc_round_next_deadline (&sender.round));
    tfmcc_sender_on_deadline (&sender,
        tfmcc_round_next_deadline (&sender.round));
  }
  ck_assert_uint_eq (sender.round.number, 3);
  foreign = report_of (2, 60000.0, 100 * MS, sender.now);
  foreign.round = rounds[_i].round;
  ck_assert_int_eq (tfmcc_report_check_on_report (&check, &sender, &foreign,
                        sender.now),
      rounds[_i].result);
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).reports_invalid,
      rounds[_i].result == TFRC_INVALID);
}

END_TEST
/* Late, about round 0, but honest: its rate counts, and it suppresses nobody now. */
START_TEST (a_late_report_counts_but_for_the_round)
{
  TfmccReport late;

  start_at (50000.0, 10 * S);
  late = report_of (2, 20000.0, 100 * MS, 10 * S);
  send_packet (10 * S);
  tfmcc_sender_on_deadline (&sender, 30 * S);
  ck_assert_uint_eq (sender.round.number, 1);
  late = report_of (2, 20000.0, 1100 * MS, 31 * S);
  late.round = 0;
  accept (&late, 31 * S);
  expect_rate (31 * S, 20000.0);
  ck_assert (isinf (sender.round.suppression_rate));
  ck_assert (!sender.round.answered);
}

END_TEST
/* 2 s are accepted while R_max was 500 ms at the start of the round, 8 s in the
 * next, and 10 s at most; 500 ms always, however short R_max is. */
START_TEST (an_rtt_is_believed_up_to_four_times_r_max)
{
  static const struct
  {
    TfrcDuration max_rtt, believed;
  } rounds[] = {
    { 500 * MS, 2 * S },
    { 2 * S, 8 * S },
    { 8 * S, 10 * S },
    { 20 * MS, 500 * MS },
  };
  TfmccReport slow;

  send_packet (S);
  send_packet (61 * S);
  slow = report_of (2, 20000.0, 59 * S, 61 * S);
  for (unsigned i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
    slow.ssrc = 2 + i;
    sender.round.max_rtt = sender.round.max_rtt_before = rounds[i].max_rtt;
    accept (&slow, 61 * S);
    ck_assert_uint_eq (sender.round.max_rtt, rounds[i].believed);
  }
  ck_assert_uint_eq (check.counters.rtt_bounded, 4);
}

END_TEST
/* R_max was 500 ms: 2 s is the limit in this round. */
START_TEST (an_absurd_rtt_is_not_believed)
{
  TfmccReport slow;

  send_packet (S);
  send_packet (61 * S);
  slow = report_of (2, 20000.0, 59 * S, 61 * S);
  accept (&slow, 61 * S);
  ck_assert_uint_eq (sender.round.max_rtt, 2 * S);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->rtt, 2 * S);
  ck_assert_uint_eq (check.counters.rtt_bounded, 1);
}

END_TEST
/* Half the number space back is the past, however many rounds there were. */
START_TEST (after_the_rounds_have_wrapped_the_next_is_still_to_come)
{
  TfmccReport ahead;

  start_at (50000.0, 10 * S);
  for (TfrcTime now = 10 * S; sender.counters.rounds < 300; now += S) {
    send_packet (now);
    tfmcc_sender_on_deadline (&sender, now);
  }
  ahead = report_of (2, 60000.0, 100 * MS, sender.now);
  ahead.round++;
  ck_assert_int_eq (tfmcc_report_check_on_report (&check, &sender, &ahead,
                        sender.now),
      TFRC_INVALID);
}

END_TEST
/* 256 new sources in a round, and as many in the next; the first receiver is one of
 * them. */
START_TEST (a_round_renews_what_may_happen)
{
  TfmccReport other;

  start_at (50000.0, 10 * S);
  for (uint32_t i = 0; i < 300; i++) {
    other = report_of (100 + i, 49000.0 - 100.0 * i, 100 * MS, 10 * S);
    ck_assert_int_eq (tfmcc_report_check_on_report (&check, &sender, &other,
                          10 * S),
        i < 255 ? TFRC_OK : TFRC_STALE);
  }
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 100 + 254);
  /* The CLR is still known when the round is over. */
  for (TfrcTime now = 10100 * MS; sender.round.number == 0; now += 100 * MS) {
    send_packet (now);
    report (354, 46000.0, now);
    tfmcc_sender_on_deadline (&sender, now);
  }
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 354);
  other = report_of (1000, 1000.0, 0, sender.now);
  accept (&other, sender.now);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 1000);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-sender-input");
  TCase *tcase = tcase_create ("general");
  TCase *deviations = tcase_create ("deviations");

  suite_add_tcase (suite, tcase);
  suite_add_tcase (suite, deviations);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_checked_fixture (deviations, setup, NULL);
  tcase_add_loop_test (tcase, impossible_reports_change_nothing, 0,
      sizeof lies / sizeof lies[0]);
  tcase_add_test (tcase, a_claim_of_one_bit_per_second_is_taken_as_the_floor);
  tcase_add_test (tcase, a_liar_that_falls_silent_is_forgotten);
  tcase_add_test (deviations, a_flood_is_refused_and_counted);
  tcase_add_test (deviations, the_second_receiver_of_an_ssrc_is_refused);
  tcase_add_loop_test (tcase, a_round_that_never_began_is_not_answered, 0,
      sizeof rounds / sizeof rounds[0]);
  tcase_add_test (tcase, a_late_report_counts_but_for_the_round);
  tcase_add_test (deviations, an_rtt_is_believed_up_to_four_times_r_max);
  tcase_add_test (deviations, an_absurd_rtt_is_not_believed);
  tcase_add_test (tcase,
      after_the_rounds_have_wrapped_the_next_is_still_to_come);
  tcase_add_test (deviations, a_round_renews_what_may_happen);
  return run_check_suite (suite);
}
