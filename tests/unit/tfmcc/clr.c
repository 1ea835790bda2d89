/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each transition of the current limiting receiver, RFC 4654 section 3.3; and when
 * a receiver is the CLR and reports as such. */
#include <check.h>

#include "check-suite.h"
#include "tfmcc/clr.h"

#define RTT (100 * MS)
#define X 1000.0
#define ROLE_RTT (60 * MS)

static TfmccClrChoice clr;
static TfmccClrRole role;

static void
setup (void)
{
  tfmcc_clr_choice_init (&clr, TFMCC_MIN_CLR_INTERVAL, true);
  role = (TfmccClrRole) { 0 };
}

/* A report, and a packet right after it. */
static TfmccClrChange
report (uint32_t ssrc, TfrcRate rate, bool leaving, TfrcTime now)
{
  TfmccReport report = { .ssrc = ssrc, .leaving = leaving };
  TfmccClrChange change = tfmcc_clr_choice_on_report (&clr, &report, rate, RTT,
      X, now);

  tfmcc_clr_choice_on_sent (&clr, now);
  return change;
}

START_TEST (the_first_report_makes_a_clr_whatever_its_rate)
{
  ck_assert (!tfmcc_clr_choice_is (&clr, 1));
  ck_assert_int_eq (report (1, 5 * X, false, 0), TFMCC_CLR_FIRST);
  ck_assert (tfmcc_clr_choice_is (&clr, 1));
  ck_assert_double_eq (clr.limiter.rate, 5 * X);
}

END_TEST
START_TEST (a_lower_rate_than_the_senders_takes_over)
{
  report (1, X, false, 0);
  ck_assert_int_eq (report (2, X, false, 0), TFMCC_CLR_UNCHANGED);
  ck_assert_int_eq (report (2, 0.99 * X, false, 0), TFMCC_CLR_LOWER);
  ck_assert (tfmcc_clr_choice_is (&clr, 2));
  ck_assert_uint_eq (clr.changes, 2);
}

END_TEST
START_TEST (who_leaves_does_not_take_over)
{
  report (2, X, false, 0);
  ck_assert_int_eq (report (1, 0.1 * X, true, 0), TFMCC_CLR_UNCHANGED);
  ck_assert (tfmcc_clr_choice_is (&clr, 2));
}

END_TEST
/* Without a CLR every receiver that reports becomes it, and is replaced at once. */
START_TEST (who_leaves_is_the_clr_until_the_next_report)
{
  ck_assert_int_eq (report (1, X, true, 0), TFMCC_CLR_FIRST);
  ck_assert_int_eq (report (2, 3 * X, false, MS), TFMCC_CLR_SUCCEEDED);
  ck_assert (tfmcc_clr_choice_is (&clr, 2));
}

END_TEST
START_TEST (anybody_succeeds_a_clr_that_leaves)
{
  report (1, X, false, 0);
  ck_assert_int_eq (report (1, X, true, MS), TFMCC_CLR_REPORTED);
  ck_assert_int_eq (report (2, 3 * X, false, 2 * MS), TFMCC_CLR_SUCCEEDED);
  ck_assert (tfmcc_clr_choice_is (&clr, 2));
  /* Only once. */
  ck_assert_int_eq (report (3, 3 * X, false, 3 * MS), TFMCC_CLR_UNCHANGED);
}

END_TEST
START_TEST (who_has_said_goodbye_is_not_missed)
{
  report (1, X, false, 0);
  report (1, X, true, 20 * RTT);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 30 * RTT - 1),
      TFMCC_CLR_ON_TIME);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 30 * RTT),
      TFMCC_CLR_GONE);
}

END_TEST
START_TEST (four_silent_rtts_are_told_and_ten_end_it)
{
  report (1, X, false, 0);
  report (1, X, false, 20 * RTT);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 24 * RTT);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 24 * RTT - 1),
      TFMCC_CLR_ON_TIME);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 24 * RTT),
      TFMCC_CLR_OVERDUE);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 30 * RTT);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 30 * RTT),
      TFMCC_CLR_GONE);
  ck_assert (!clr.known);
  ck_assert (tfmcc_clr_choice_next_deadline (&clr) == TFRC_TIME_NONE);
  ck_assert_int_eq (report (2, 9 * X, false, 31 * RTT), TFMCC_CLR_SUCCEEDED);
}

END_TEST
START_TEST (a_new_clr_may_be_silent_for_ten_rtts)
{
  report (1, X, false, 0);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 10 * RTT);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 10 * RTT),
      TFMCC_CLR_GONE);
}

END_TEST
START_TEST (a_report_ends_the_silence)
{
  report (1, X, false, 0);
  report (1, X, false, 20 * RTT);
  tfmcc_clr_choice_on_deadline (&clr, 24 * RTT);
  report (1, X, false, 25 * RTT);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 29 * RTT);
}

END_TEST
START_TEST (timeouts_are_no_shorter_than_packets_are_apart)
{
  report (1, X, false, 0);
  report (1, X, false, 20 * RTT);
  clr.packet_interval = 3 * RTT;
  /* 20 + 4 * 3; but it counts as new until 10 * 3. */
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 32 * RTT);
}

END_TEST
/* An RTT of 1 ms counts as 20. */
START_TEST (timeouts_leave_time_to_timers)
{
  TfmccReport by_clr = { .ssrc = 1 };

  tfmcc_clr_choice_on_report (&clr, &by_clr, X, MS, X, 0);
  tfmcc_clr_choice_on_report (&clr, &by_clr, X, MS, X, 1000 * MS);
  tfmcc_clr_choice_on_sent (&clr, 1000 * MS);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 1080 * MS);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 1080 * MS),
      TFMCC_CLR_OVERDUE);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 1200 * MS);
}

END_TEST
START_TEST (nobody_is_missed_in_a_pause)
{
  report (1, X, false, 0);
  tfmcc_clr_choice_on_pause (&clr);
  ck_assert (tfmcc_clr_choice_next_deadline (&clr) == TFRC_TIME_NONE);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 40 * RTT),
      TFMCC_CLR_ON_TIME);
  tfmcc_clr_choice_on_sent (&clr, 50 * RTT);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 54 * RTT);
}

END_TEST
/* Frames of video may be many RTTs apart. */
START_TEST (silence_counts_from_the_first_packet_behind_a_report)
{
  TfmccReport by_clr = { .ssrc = 1 };

  report (1, X, false, 0);
  tfmcc_clr_choice_on_report (&clr, &by_clr, X, RTT, X, 20 * RTT);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 45 * RTT),
      TFMCC_CLR_ON_TIME);
  tfmcc_clr_choice_on_sent (&clr, 50 * RTT);
  tfmcc_clr_choice_on_sent (&clr, 53 * RTT);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 54 * RTT);
}

END_TEST
/* RFC 4654 section 3.3 literally: counted from the report, in RTTs. */
START_TEST (silence_counts_from_the_report_without_our_rule)
{
  TfmccReport by_clr = { .ssrc = 1 };

  tfmcc_clr_choice_init (&clr, 0, false);
  report (1, X, false, 0);
  tfmcc_clr_choice_on_report (&clr, &by_clr, X, RTT, X, 20 * RTT);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 24 * RTT);
  tfmcc_clr_choice_on_pause (&clr);
  ck_assert_int_eq (tfmcc_clr_choice_on_deadline (&clr, 24 * RTT),
      TFMCC_CLR_OVERDUE);
}

END_TEST
START_TEST (the_lowest_of_the_last_two_rounds_succeeds)
{
  report (1, 0.5 * X, false, 0);
  report (2, 3 * X, false, 0);
  report (3, 2 * X, false, MS);
  tfmcc_clr_choice_on_round (&clr);
  report (4, 4 * X, false, 20 * RTT);
  ck_assert (tfmcc_clr_choice_succeed (&clr, 21 * RTT));
  ck_assert (tfmcc_clr_choice_is (&clr, 3));
  ck_assert_double_eq (clr.limiter.rate, 2 * X);
  ck_assert_uint_eq (clr.limiter.reported_at, MS);
  /* It has ten RTTs to report, and only one of the others is left. */
  tfmcc_clr_choice_on_sent (&clr, 21 * RTT);
  ck_assert_uint_eq (tfmcc_clr_choice_next_deadline (&clr), 31 * RTT);
  ck_assert (tfmcc_clr_choice_succeed (&clr, 21 * RTT));
  ck_assert (tfmcc_clr_choice_is (&clr, 4));
  ck_assert (!tfmcc_clr_choice_succeed (&clr, 21 * RTT));
  ck_assert (tfmcc_clr_choice_is (&clr, 4));
}

END_TEST
START_TEST (the_newest_report_of_each_counts)
{
  report (1, 0.5 * X, false, 0);
  report (2, 2 * X, false, 0);
  tfmcc_clr_choice_on_round (&clr);
  report (3, 3 * X, false, 0);
  report (2, 4 * X, false, 0);
  ck_assert (tfmcc_clr_choice_succeed (&clr, RTT));
  ck_assert (tfmcc_clr_choice_is (&clr, 3));
}

END_TEST
START_TEST (nobody_succeeds_whose_report_is_older_than_a_round)
{
  report (1, 0.5 * X, false, 0);
  report (2, 2 * X, false, 0);
  tfmcc_clr_choice_on_round (&clr);
  tfmcc_clr_choice_on_round (&clr);
  ck_assert (!tfmcc_clr_choice_succeed (&clr, RTT));
  ck_assert (tfmcc_clr_choice_is (&clr, 1));
}

END_TEST
START_TEST (nobody_succeeds_who_has_left_or_is_forgotten)
{
  report (1, 0.5 * X, false, 0);
  report (2, 2 * X, false, 0);
  report (2, 2 * X, true, 0);
  ck_assert (!tfmcc_clr_choice_succeed (&clr, RTT));
  report (2, 2 * X, false, 0);
  tfmcc_clr_choice_forget (&clr, 2);
  ck_assert (!tfmcc_clr_choice_succeed (&clr, RTT));
  ck_assert (tfmcc_clr_choice_is (&clr, 1));
  tfmcc_clr_choice_forget (&clr, 1);
  ck_assert (!clr.known);
}

END_TEST
START_TEST (who_was_the_clr_before_succeeds_a_short_visit)
{
  report (1, X, false, 0);
  report (2, 0.5 * X, false, MS);
  ck_assert (tfmcc_clr_choice_succeed (&clr, RTT));
  ck_assert (tfmcc_clr_choice_is (&clr, 1));
}

END_TEST
/* Named by a packet at 10 s, and reports at once. */
static void
begin (void)
{
  role.unreported = true;
  ck_assert (tfmcc_clr_role_on_name (&role, true));
  ck_assert (tfmcc_clr_role_next_report (&role, ROLE_RTT) <= 10 * S);
  tfmcc_clr_role_on_report (&role, 10 * S);
}

START_TEST (the_role_lasts_until_another_is_named)
{
  ck_assert (!role.is_clr);
  ck_assert (!tfmcc_clr_role_on_name (&role, false));
  ck_assert (!role.is_clr);
  begin ();
  ck_assert (role.is_clr);
  ck_assert (!tfmcc_clr_role_on_name (&role, true));
  ck_assert (role.is_clr);
  ck_assert (!tfmcc_clr_role_on_name (&role, false));
  ck_assert (!role.is_clr);
  ck_assert (tfmcc_clr_role_on_name (&role, true));
  ck_assert (role.is_clr);
}

END_TEST
START_TEST (a_report_is_due_an_rtt_after_the_last_if_there_is_news)
{
  begin ();
  ck_assert (tfmcc_clr_role_next_report (&role, ROLE_RTT) == TFRC_TIME_NONE);
  role.unreported = true;
  ck_assert_uint_eq (tfmcc_clr_role_next_report (&role, ROLE_RTT),
      10 * S + ROLE_RTT);
  role.unreported = true;
  ck_assert_uint_eq (tfmcc_clr_role_next_report (&role, ROLE_RTT),
      10 * S + ROLE_RTT);
  tfmcc_clr_role_on_report (&role, 10 * S + 70 * MS);
  ck_assert (tfmcc_clr_role_next_report (&role, ROLE_RTT) == TFRC_TIME_NONE);
  role.unreported = true;
  ck_assert_uint_eq (tfmcc_clr_role_next_report (&role, ROLE_RTT),
      10 * S + 130 * MS);
}

END_TEST
START_TEST (who_does_not_serve_has_no_report)
{
  begin ();
  role.unreported = true;
  role.is_clr = false;
  ck_assert (tfmcc_clr_role_next_report (&role, ROLE_RTT) == TFRC_TIME_NONE);
  /* Named again, it continues where it was. */
  ck_assert (tfmcc_clr_role_on_name (&role, true));
  ck_assert_uint_eq (tfmcc_clr_role_next_report (&role, ROLE_RTT),
      10 * S + ROLE_RTT);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-clr");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, the_first_report_makes_a_clr_whatever_its_rate);
  tcase_add_test (tcase, a_lower_rate_than_the_senders_takes_over);
  tcase_add_test (tcase, who_leaves_does_not_take_over);
  tcase_add_test (tcase, who_leaves_is_the_clr_until_the_next_report);
  tcase_add_test (tcase, anybody_succeeds_a_clr_that_leaves);
  tcase_add_test (tcase, who_has_said_goodbye_is_not_missed);
  tcase_add_test (tcase, four_silent_rtts_are_told_and_ten_end_it);
  tcase_add_test (tcase, a_new_clr_may_be_silent_for_ten_rtts);
  tcase_add_test (tcase, a_report_ends_the_silence);
  tcase_add_test (tcase, timeouts_are_no_shorter_than_packets_are_apart);
  tcase_add_test (tcase, timeouts_leave_time_to_timers);
  tcase_add_test (tcase, nobody_is_missed_in_a_pause);
  tcase_add_test (tcase, silence_counts_from_the_first_packet_behind_a_report);
  tcase_add_test (tcase, silence_counts_from_the_report_without_our_rule);
  tcase_add_test (tcase, the_lowest_of_the_last_two_rounds_succeeds);
  tcase_add_test (tcase, the_newest_report_of_each_counts);
  tcase_add_test (tcase, nobody_succeeds_whose_report_is_older_than_a_round);
  tcase_add_test (tcase, nobody_succeeds_who_has_left_or_is_forgotten);
  tcase_add_test (tcase, who_was_the_clr_before_succeeds_a_short_visit);
  tcase_add_test (tcase, the_role_lasts_until_another_is_named);
  tcase_add_test (tcase,
      a_report_is_due_an_rtt_after_the_last_if_there_is_news);
  tcase_add_test (tcase, who_does_not_serve_has_no_report);
  return run_check_suite (suite);
}
