/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback rounds, R_max and the suppression rate of the sender; T, and the ranges
 * of b and c. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfmcc/round.h"

static TfmccRound round_;

static void
setup (void)
{
  TfmccRoundConfig config = tfmcc_round_config_default ();

  tfmcc_round_init (&round_, &config);
  tfmcc_round_set_packet_interval (&round_, 10 * MS, 0);
  round_.began_at = 0;
}

/* Ends the current round, as an answered one with this as its largest RTT. */
static void
end_round (TfrcDuration peak)
{
  uint8_t number = round_.number;

  tfmcc_round_on_rtt (&round_, peak);
  tfmcc_longest_rtt_add (&round_.others, peak);
  tfmcc_round_on_report (&round_, 1000.0, true, round_.began_at);
  ck_assert (tfmcc_round_on_deadline (&round_,
      tfmcc_round_next_deadline (&round_)));
  ck_assert_uint_eq (round_.number, (uint8_t) (number + 1));
}

START_TEST (a_round_lasts_six_of_the_longest_rtts)
{
  ck_assert_uint_eq (tfmcc_round_get_span (&round_), 3000 * MS);
  /* "max (R_max, (c + 1) s/X)": 4 * 200 ms is more than 500. */
  tfmcc_round_set_packet_interval (&round_, 200 * MS, 0);
  ck_assert_uint_eq (tfmcc_round_get_span (&round_), 4800 * MS);
}

END_TEST
/* 0 becomes the shortest RTT, 1 ms, and R_max s/X + 10 ms; 2 min becomes 63 s. */
START_TEST (the_first_longest_rtt_is_configured)
{
  TfmccRoundConfig config = tfmcc_round_config_default ();

  config.initial_rtt = 80 * MS;
  tfmcc_round_init (&round_, &config);
  ck_assert_uint_eq (round_.max_rtt, 80 * MS);
  config.initial_rtt = 0;
  tfmcc_round_init (&round_, &config);
  ck_assert_uint_eq (round_.max_rtt, 1 * MS);
  tfmcc_round_set_packet_interval (&round_, 5 * MS, 0);
  ck_assert_uint_eq (round_.max_rtt, 15 * MS);
  config.initial_rtt = 120 * TFRC_SECOND;
  tfmcc_round_init (&round_, &config);
  ck_assert_uint_eq (round_.max_rtt, 63 * TFRC_SECOND);
}

END_TEST
START_TEST (an_application_that_sends_less_makes_it_longer)
{
  tfmcc_round_set_packet_interval (&round_, 10 * MS, 200 * MS);
  ck_assert_uint_eq (tfmcc_round_get_span (&round_), 4800 * MS);
  ck_assert_uint_eq (round_.max_rtt, 500 * MS);
  /* A pause is no packet interval: at most R_max counts. */
  tfmcc_round_set_packet_interval (&round_, 10 * MS, 60000 * MS);
  ck_assert_uint_eq (tfmcc_round_get_span (&round_), 12000 * MS);
}

END_TEST
/* T is 3 s; that of the receivers may be a sixteenth longer. */
START_TEST (an_answered_round_ends_at_t_and_another_at_twice_that)
{
  ck_assert_uint_eq (tfmcc_round_next_deadline (&round_), 6000 * MS);
  ck_assert (!tfmcc_round_on_deadline (&round_, 3000 * MS));
  tfmcc_round_on_report (&round_, 1000.0, true, 2000 * MS);
  ck_assert_uint_eq (tfmcc_round_next_deadline (&round_), 3187500000);
  ck_assert (!tfmcc_round_on_deadline (&round_, 3187 * MS));
  ck_assert (tfmcc_round_on_deadline (&round_, 3188 * MS));
  ck_assert_uint_eq (round_.number, 1);
  ck_assert_uint_eq (round_.began_at, 3188 * MS);
  /* Nobody answers this round. */
  ck_assert (!tfmcc_round_on_deadline (&round_, 9187 * MS));
  ck_assert (tfmcc_round_on_deadline (&round_, 9188 * MS));
  ck_assert_uint_eq (round_.number, 2);
}

END_TEST
START_TEST (the_first_report_after_t_ends_the_round)
{
  tfmcc_round_on_report (&round_, 1000.0, true, 3500 * MS);
  ck_assert_uint_eq (round_.number, 1);
  ck_assert_uint_eq (round_.began_at, 3500 * MS);
  ck_assert (isinf (round_.suppression_rate));
}

END_TEST
START_TEST (round_numbers_wrap)
{
  for (unsigned i = 0; i < 256; i++)
    end_round (500 * MS);
  ck_assert_uint_eq (round_.number, 0);
}

END_TEST
START_TEST (the_lowest_report_suppresses_less_a_tenth)
{
  tfmcc_round_on_report (&round_, 1000.0, true, MS);
  ck_assert_double_eq_tol (round_.suppression_rate, 900.0, 1e-9);
  /* Not below X_supp: it stays. */
  tfmcc_round_on_report (&round_, 900.0, true, MS);
  ck_assert_double_eq_tol (round_.suppression_rate, 900.0, 1e-9);
  tfmcc_round_on_report (&round_, 800.0, true, MS);
  ck_assert_double_eq_tol (round_.suppression_rate, 720.0, 1e-9);
  end_round (500 * MS);
  ck_assert (isinf (round_.suppression_rate));
}

END_TEST
START_TEST (loss_reports_are_suppressed_by_loss_reports_only)
{
  round_.losses_apart = true;
  tfmcc_round_on_report (&round_, 500.0, false, MS);
  ck_assert_double_eq_tol (round_.suppression_rate, 450.0, 1e-9);
  tfmcc_round_on_report (&round_, 1000.0, true, MS);
  ck_assert_double_eq_tol (round_.suppression_rate, 900.0, 1e-9);
  tfmcc_round_on_report (&round_, 500.0, false, MS);
  ck_assert_double_eq_tol (round_.suppression_rate, 900.0, 1e-9);
}

END_TEST
/* A receiver that has joined without a loss reports twice its receive rate: others
 * like it need not report. */
START_TEST (behind_slow_start_any_lower_report_suppresses)
{
  tfmcc_round_on_report (&round_, 1000.0, true, MS);
  tfmcc_round_on_report (&round_, 500.0, false, MS);
  ck_assert_double_eq_tol (round_.suppression_rate, 450.0, 1e-9);
  tfmcc_round_on_report (&round_, 480.0, true, MS);
  ck_assert_double_eq_tol (round_.suppression_rate, 450.0, 1e-9);
}

END_TEST
/* A round that begins in slow start counts as slow start to its end, and the next
 * one does not. */
START_TEST (losses_are_apart_until_a_round_begins_behind_slow_start)
{
  round_.slow_start = true;
  end_round (500 * MS);
  round_.slow_start = false;
  tfmcc_round_on_report (&round_, 1000.0, true, round_.began_at);
  tfmcc_round_on_report (&round_, 500.0, false, round_.began_at);
  ck_assert_double_eq_tol (round_.suppression_rate, 900.0, 1e-9);
  end_round (500 * MS);
  tfmcc_round_on_report (&round_, 1000.0, true, round_.began_at);
  tfmcc_round_on_report (&round_, 500.0, false, round_.began_at);
  ck_assert_double_eq_tol (round_.suppression_rate, 450.0, 1e-9);
}

END_TEST
START_TEST (the_longest_rtt_rises_at_once_and_falls_by_a_tenth_a_round)
{
  tfmcc_round_on_rtt (&round_, 800 * MS);
  ck_assert_uint_eq (round_.max_rtt, 800 * MS);
  end_round (800 * MS);
  ck_assert_uint_eq (round_.max_rtt, 800 * MS);
  end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 720 * MS);
  end_round (700 * MS);
  ck_assert_uint_eq (round_.max_rtt, 700 * MS);
  for (unsigned i = 0; i < 100; i++)
    end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 100 * MS);
}

END_TEST
/* 500, 125, 31 ms, but no less than what is measured, which keeps 0.9 of itself as
 * usual. */
START_TEST (the_first_longest_rtt_gives_way_to_measurements)
{
  round_.slow_start = _i == 0;
  end_round (60 * MS);
  ck_assert_uint_eq (round_.max_rtt, 125 * MS);
  end_round (40 * MS);
  ck_assert_uint_eq (round_.max_rtt, 54 * MS);
  end_round (300 * MS);
  ck_assert_uint_eq (round_.max_rtt, 300 * MS);
  end_round (40 * MS);
  ck_assert_uint_eq (round_.max_rtt, 270 * MS);
}

END_TEST
/* 400 ms from a CLR that then leaves, 100 from another receiver. */
START_TEST (who_has_left_makes_no_longest_rtt)
{
  tfmcc_longest_rtt_add (&round_.clr, 400 * MS);
  end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 400 * MS);
  round_.clr = (TfmccLongestRtt) { 0 };
  end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 100 * MS);
}

END_TEST
/* 2 s and ts_gran, 10 ms: each round leaves a quarter of that. */
START_TEST (a_rate_that_was_low_makes_no_longest_rtt)
{
  tfmcc_round_set_packet_interval (&round_, 2000 * MS, 0);
  tfmcc_round_set_packet_interval (&round_, 20 * MS, 0);
  ck_assert_uint_eq (round_.max_rtt, 2010 * MS);
  end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 502500 * TFRC_MICROSECOND);
  end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 125625 * TFRC_MICROSECOND);
  end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 100 * MS);
}

END_TEST
START_TEST (an_answer_later_than_the_first_longest_rtt_is_measured_too)
{
  round_.slow_start = true;
  end_round (800 * MS);
  ck_assert_uint_eq (round_.max_rtt, 800 * MS);
  end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 720 * MS);
}

END_TEST
START_TEST (without_a_report_nothing_is_measured)
{
  round_.slow_start = true;
  ck_assert (tfmcc_round_on_deadline (&round_,
      tfmcc_round_next_deadline (&round_)));
  ck_assert_uint_eq (round_.max_rtt, 500 * MS);
}

END_TEST
/* The first round takes 3/4 of 6 * 500 ms, a sixteenth more for the receivers' T,
 * and until reports sent by then have arrived; the second, with R_max = 125 ms, 750
 * ms.  A packet per 125 ms does not make it longer, since no receiver has lost any. */
START_TEST (rounds_of_slow_start_are_short)
{
  round_.slow_start = true;
  tfmcc_round_set_packet_interval (&round_, 125 * MS, 0);
  ck_assert_uint_eq (tfmcc_round_get_span (&round_), 2250 * MS);
  tfmcc_round_on_rtt (&round_, 50 * MS);
  tfmcc_round_on_report (&round_, 1000.0, false, 2000 * MS);
  ck_assert_uint_eq (tfmcc_round_next_deadline (&round_), 2390625000 + 50 * MS);
  end_round (50 * MS);
  ck_assert_uint_eq (tfmcc_round_get_span (&round_), 750 * MS);
  round_.slow_start = false;
  ck_assert_uint_eq (tfmcc_round_get_span (&round_), 6 * 4 * 125 * MS);
}

END_TEST
START_TEST (silence_leaves_the_longest_rtt_alone)
{
  ck_assert (tfmcc_round_on_deadline (&round_, 6000 * MS));
  ck_assert_uint_eq (round_.max_rtt, 500 * MS);
}

END_TEST
START_TEST (a_slow_flow_has_a_long_rtt)
{
  /* "R_max = max (R_max, 8 s/X + ts_gran)", ts_gran = 10 ms. */
  tfmcc_round_set_packet_interval (&round_, 2000 * MS, 0);
  ck_assert_uint_eq (round_.max_rtt, 2010 * MS);
  end_round (100 * MS);
  ck_assert_uint_eq (round_.max_rtt, 2010 * MS);
}

END_TEST
START_TEST (t_is_b_times_the_longer_of_r_max_and_some_packets)
{
  static const struct
  {
    double rtts, packets;
    TfmccPhase phase;
    TfrcDuration max_rtt, packet_interval, expected;
  } cases[] = {
    /* 4 packets of 125 ms are R_max. */
    { 6.0, 3.0, TFMCC_STEADY, 500 * MS, 100 * MS, 3000 * MS },
    { 6.0, 3.0, TFMCC_STEADY, 500 * MS, 125 * MS, 3000 * MS },
    { 6.0, 3.0, TFMCC_STEADY, 500 * MS, 200 * MS, 4800 * MS },
    { 4.0, 2.0, TFMCC_STEADY, 100 * MS, 50 * MS, 600 * MS },
    { 6.0, 0.0, TFMCC_STEADY, 100 * MS, 50 * MS, 600 * MS },
    { 6.0, 3.0, TFMCC_STEADY, 100 * MS, 0, 600 * MS },
    /* Of one packet only that packet can be lost. */
    { 6.0, 3.0, TFMCC_SLOW_START, 500 * MS, 200 * MS, 3000 * MS },
    { 6.0, 3.0, TFMCC_SLOW_START, 500 * MS, 600 * MS, 3600 * MS },
    /* 3/4 of 6 R_max. */
    { 6.0, 3.0, TFMCC_FIRST_ROUND, 500 * MS, 490 * MS, 2250 * MS },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_uint_eq (tfmcc_round_get_span (&(TfmccRound) {
                           .config.rtts = cases[i].rtts,
                           .config.packets = cases[i].packets,
                           .config.start_delay = true,
                           .number = cases[i].phase != TFMCC_FIRST_ROUND,
                           .slow_start = cases[i].phase != TFMCC_STEADY,
                           .max_rtt = cases[i].max_rtt,
                           .packet_interval = cases[i].packet_interval,
                       }),
        cases[i].expected);
}

END_TEST
START_TEST (the_first_round_is_that_of_slow_start)
{
  ck_assert_int_eq (tfmcc_phase (true, 0), TFMCC_FIRST_ROUND);
  ck_assert_int_eq (tfmcc_phase (true, 1), TFMCC_SLOW_START);
  ck_assert_int_eq (tfmcc_phase (false, 0), TFMCC_STEADY);
}

END_TEST
START_TEST (settings_stay_in_their_range)
{
  static const double cases[][2] = {
    { 0.5, 1.0 },
    { 7.0, 7.0 },
    { INFINITY, 100.0 },
    { NAN, 6.0 },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TfmccRoundConfig config = tfmcc_round_config_default ();

    config.rtts = cases[i][0];
    tfmcc_round_init (&round_, &config);
    ck_assert_double_eq (round_.config.rtts, cases[i][1]);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-round");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, a_round_lasts_six_of_the_longest_rtts);
  tcase_add_test (tcase, the_first_longest_rtt_is_configured);
  tcase_add_test (tcase, an_application_that_sends_less_makes_it_longer);
  tcase_add_test (tcase, an_answered_round_ends_at_t_and_another_at_twice_that);
  tcase_add_test (tcase, the_first_report_after_t_ends_the_round);
  tcase_add_test (tcase, round_numbers_wrap);
  tcase_add_test (tcase, the_lowest_report_suppresses_less_a_tenth);
  tcase_add_test (tcase, loss_reports_are_suppressed_by_loss_reports_only);
  tcase_add_test (tcase, behind_slow_start_any_lower_report_suppresses);
  tcase_add_test (tcase,
      losses_are_apart_until_a_round_begins_behind_slow_start);
  tcase_add_test (tcase,
      the_longest_rtt_rises_at_once_and_falls_by_a_tenth_a_round);
  tcase_add_loop_test (tcase, the_first_longest_rtt_gives_way_to_measurements,
      0, 2);
  tcase_add_test (tcase, who_has_left_makes_no_longest_rtt);
  tcase_add_test (tcase, a_rate_that_was_low_makes_no_longest_rtt);
  tcase_add_test (tcase,
      an_answer_later_than_the_first_longest_rtt_is_measured_too);
  tcase_add_test (tcase, without_a_report_nothing_is_measured);
  tcase_add_test (tcase, rounds_of_slow_start_are_short);
  tcase_add_test (tcase, silence_leaves_the_longest_rtt_alone);
  tcase_add_test (tcase, a_slow_flow_has_a_long_rtt);
  tcase_add_test (tcase, t_is_b_times_the_longer_of_r_max_and_some_packets);
  tcase_add_test (tcase, the_first_round_is_that_of_slow_start);
  tcase_add_test (tcase, settings_stay_in_their_range);
  return run_check_suite (suite);
}
