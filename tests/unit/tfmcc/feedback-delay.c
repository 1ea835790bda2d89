/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* T, and what b and c may be. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfmcc/feedback-delay.h"

#define MS TFRC_MILLISECOND

START_TEST (it_is_b_times_the_longer_of_r_max_and_some_packets)
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
    /* Of one packet nothing but itself can be lost. */
    { 6.0, 3.0, TFMCC_SLOW_START, 500 * MS, 200 * MS, 3000 * MS },
    { 6.0, 3.0, TFMCC_SLOW_START, 500 * MS, 600 * MS, 3600 * MS },
    /* 3/4 of 6 R_max. */
    { 6.0, 3.0, TFMCC_FIRST_ROUND, 500 * MS, 490 * MS, 2250 * MS },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_uint_eq (tfmcc_feedback_delay (cases[i].rtts, cases[i].packets,
                           cases[i].phase, cases[i].max_rtt,
                           cases[i].packet_interval),
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
  ck_assert_double_eq (tfmcc_feedback_delay_clamp_setting (0.5, 1.0, 100.0,
                           6.0),
      1.0);
  ck_assert_double_eq (tfmcc_feedback_delay_clamp_setting (7.0, 1.0, 100.0,
                           6.0),
      7.0);
  ck_assert_double_eq (tfmcc_feedback_delay_clamp_setting (INFINITY, 1.0, 100.0,
                           6.0),
      100.0);
  ck_assert_double_eq (tfmcc_feedback_delay_clamp_setting (NAN, 1.0, 100.0,
                           6.0),
      6.0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-feedback-delay");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, it_is_b_times_the_longer_of_r_max_and_some_packets);
  tcase_add_test (tcase, the_first_round_is_that_of_slow_start);
  tcase_add_test (tcase, settings_stay_in_their_range);
  return run_check_suite (suite);
}
