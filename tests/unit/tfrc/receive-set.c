/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv_set, RFC 5348 section 4.3. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfrc/sender.h"

#define RTT (100 * MS)

START_TEST (infinity_holds_for_two_rtts)
{
  TfrcReceiveSet set;

  tfrc_receive_set_reset (&set, INFINITY, 0);
  ck_assert (isinf (tfrc_receive_set_max (&set)));
  tfrc_receive_set_update (&set, 1000.0, RTT, 100 * MS);
  ck_assert (isinf (tfrc_receive_set_max (&set)));
  /* "older than two round-trip times": exactly two are not older. */
  tfrc_receive_set_update (&set, 2000.0, RTT, 200 * MS);
  ck_assert (isinf (tfrc_receive_set_max (&set)));
  tfrc_receive_set_update (&set, 1500.0, RTT, 300 * MS);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 2000.0);
}

END_TEST
START_TEST (a_value_counts_for_two_rtts)
{
  TfrcReceiveSet set;

  tfrc_receive_set_reset (&set, 9000.0, 0);
  tfrc_receive_set_update (&set, 1000.0, RTT, 200 * MS);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 9000.0);
  tfrc_receive_set_update (&set, 500.0, RTT, 201 * MS);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 1000.0);
}

END_TEST
START_TEST (three_values_are_kept)
{
  TfrcReceiveSet set;

  /* Section 8.2.2: N = 3, the newest.  Of four reports within one RTT the first,
   * 9000, is dropped. */
  tfrc_receive_set_reset (&set, 9000.0, 0);
  tfrc_receive_set_update (&set, 3000.0, RTT, 10 * MS);
  tfrc_receive_set_update (&set, 4000.0, RTT, 20 * MS);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 9000.0);
  tfrc_receive_set_update (&set, 2000.0, RTT, 30 * MS);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 4000.0);
  ck_assert_uint_eq (set.length, TFRC_RECEIVE_SET_SIZE);
}

END_TEST
START_TEST (the_newest_value_stays_after_a_silence)
{
  TfrcReceiveSet set;

  tfrc_receive_set_reset (&set, 9000.0, 0);
  tfrc_receive_set_update (&set, 100.0, RTT, 60 * TFRC_SECOND);
  ck_assert_uint_eq (set.length, 1);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 100.0);
}

END_TEST
START_TEST (maximize_drops_infinity_and_keeps_the_largest)
{
  TfrcReceiveSet set;

  tfrc_receive_set_reset (&set, INFINITY, 0);
  tfrc_receive_set_maximize (&set, 700.0, 100 * MS);
  ck_assert_uint_eq (set.length, 1);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 700.0);
  tfrc_receive_set_maximize (&set, 300.0, 200 * MS);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 700.0);
  tfrc_receive_set_maximize (&set, 800.0, 300 * MS);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 800.0);
}

END_TEST
START_TEST (maximize_renews_the_largest)
{
  TfrcReceiveSet set;

  tfrc_receive_set_reset (&set, 700.0, 0);
  tfrc_receive_set_maximize (&set, 300.0, 10 * RTT);
  /* It has the time of the maximize, so it stays for two more RTTs. */
  tfrc_receive_set_update (&set, 200.0, RTT, 12 * RTT);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 700.0);
  tfrc_receive_set_update (&set, 100.0, RTT, 12 * RTT + 1);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 200.0);
}

END_TEST
START_TEST (halving_reaches_every_value)
{
  TfrcReceiveSet set;

  tfrc_receive_set_reset (&set, 800.0, 0);
  tfrc_receive_set_update (&set, 600.0, RTT, 10 * MS);
  tfrc_receive_set_halve (&set);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 400.0);
  tfrc_receive_set_update (&set, 0.0, RTT, 201 * MS);
  ck_assert_double_eq (tfrc_receive_set_max (&set), 300.0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-receive-set");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, infinity_holds_for_two_rtts);
  tcase_add_test (tcase, a_value_counts_for_two_rtts);
  tcase_add_test (tcase, three_values_are_kept);
  tcase_add_test (tcase, the_newest_value_stays_after_a_silence);
  tcase_add_test (tcase, maximize_drops_infinity_and_keeps_the_largest);
  tcase_add_test (tcase, maximize_renews_the_largest);
  tcase_add_test (tcase, halving_reaches_every_value);
  return run_check_suite (suite);
}
