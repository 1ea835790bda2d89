/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data-limited intervals, the method of RFC 5348 section 8.2.1.  R is 100 ms
 * and one way takes 50 ms: what was sent at t is reported at t + 100. */
#include <check.h>
#include <stdlib.h>

#include "tfrc-data-limit.h"

#define MS TFRC_MILLISECOND
#define RTT (100 * MS)

START_TEST (a_sender_that_never_was_limited_by_rate_is_data_limited)
{
  TfrcDataLimit limit;
  TfrcTime echo;

  tfrc_data_limit_init (&limit);
  for (echo = 0; echo < TFRC_SECOND; echo += RTT)
    ck_assert (tfrc_data_limit_on_feedback (&limit, echo, RTT, echo + RTT));
}

END_TEST
START_TEST (a_greedy_sender_never_is_data_limited)
{
  TfrcDataLimit limit;
  TfrcTime now;

  tfrc_data_limit_init (&limit);
  for (now = 0; now < TFRC_SECOND; now += 10 * MS) {
    tfrc_data_limit_on_rate_limited (&limit, now);
    if (now >= RTT && now % RTT == 0)
      ck_assert (!tfrc_data_limit_on_feedback (&limit, now - RTT, RTT, now));
  }
}

END_TEST
START_TEST (the_interval_excludes_its_start_and_includes_its_end)
{
  static const struct
  {
    TfrcTime limited_at;
    bool data_limited;
  } cases[] = {
    {1000 * MS, true}, {1000 * MS + 1, false}, {1100 * MS, false},
    {1100 * MS + 1, true},
  };
  TfrcDataLimit limit;

  tfrc_data_limit_init (&limit);
  tfrc_data_limit_on_rate_limited (&limit, cases[_i].limited_at);
  ck_assert (tfrc_data_limit_on_feedback (&limit, 1100 * MS, RTT, 1200 * MS)
      == cases[_i].data_limited);
}

END_TEST
START_TEST (one_full_instant_in_each_interval_is_enough)
{
  /* Section 8.2.1: a sender that sends in pairs at its full rate is limited
   * by its data between the pairs, yet in no whole interval.  A pair at 20
   * and 21 ms of every RTT; only the second finds nothing more to send. */
  TfrcDataLimit limit;
  TfrcTime now;
  int reports = 0;

  tfrc_data_limit_init (&limit);
  for (now = 0; now < 10 * RTT; now += MS) {
    if (now % RTT == 20 * MS)
      tfrc_data_limit_on_rate_limited (&limit, now);
    if (now >= RTT && now % RTT == 21 * MS) {
      ck_assert (!tfrc_data_limit_on_feedback (&limit, now - RTT, RTT, now));
      reports++;
    }
  }
  ck_assert_int_eq (reports, 9);
}

END_TEST
START_TEST (a_limit_after_the_echo_counts_for_the_next_report)
{
  /* Limited at 130 ms only.  The report at 150 ms covers (-50, 50]; the one at
   * 250 ms covers (50, 150] and finds it; the one after that does not. */
  TfrcDataLimit limit;

  tfrc_data_limit_init (&limit);
  tfrc_data_limit_on_rate_limited (&limit, 130 * MS);
  ck_assert (tfrc_data_limit_on_feedback (&limit, 50 * MS, RTT, 150 * MS));
  ck_assert (!tfrc_data_limit_on_feedback (&limit, 150 * MS, RTT, 250 * MS));
  ck_assert (tfrc_data_limit_on_feedback (&limit, 250 * MS, RTT, 350 * MS));
}

END_TEST
START_TEST (two_marks_bridge_a_report)
{
  /* NotLimited1 = 110 (first after t_new), and after the report at 150 ms
   * NotLimited2 = 160.  The report at 250 ms covers (50, 150]: NotLimited1.
   * Then NotLimited1 = NotLimited2 = 160 serves (150, 250]. */
  TfrcDataLimit limit;

  tfrc_data_limit_init (&limit);
  tfrc_data_limit_on_rate_limited (&limit, 110 * MS);
  ck_assert (tfrc_data_limit_on_feedback (&limit, 50 * MS, RTT, 150 * MS));
  tfrc_data_limit_on_rate_limited (&limit, 160 * MS);
  ck_assert_uint_eq (limit.not_limited_1, 110 * MS);
  ck_assert_uint_eq (limit.not_limited_2, 160 * MS);
  ck_assert (!tfrc_data_limit_on_feedback (&limit, 150 * MS, RTT, 250 * MS));
  ck_assert_uint_eq (limit.not_limited_1, 160 * MS);
  ck_assert (!tfrc_data_limit_on_feedback (&limit, 250 * MS, RTT, 350 * MS));
  ck_assert (tfrc_data_limit_on_feedback (&limit, 350 * MS, RTT, 450 * MS));
}

END_TEST
START_TEST (the_first_nanosecond_counts)
{
  TfrcDataLimit limit;

  tfrc_data_limit_init (&limit);
  tfrc_data_limit_on_rate_limited (&limit, 0);
  ck_assert (!tfrc_data_limit_on_feedback (&limit, 0, RTT, RTT));
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-data-limit");
  TCase *tcase = tcase_create ("general");
  SRunner *runner = srunner_create (suite);
  int failed;

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      a_sender_that_never_was_limited_by_rate_is_data_limited);
  tcase_add_test (tcase, a_greedy_sender_never_is_data_limited);
  tcase_add_loop_test (tcase,
      the_interval_excludes_its_start_and_includes_its_end, 0, 4);
  tcase_add_test (tcase, one_full_instant_in_each_interval_is_enough);
  tcase_add_test (tcase, a_limit_after_the_echo_counts_for_the_next_report);
  tcase_add_test (tcase, two_marks_bridge_a_report);
  tcase_add_test (tcase, the_first_nanosecond_counts);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
