/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* R, R_sqmean and t_RTO, RFC 5348 sections 3.1, 4.3 and 4.5, RFC 6298. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfrc/sender.h"

static const TfrcRtoConfig rfc5348 = { TFRC_RTO_RFC5348, 3.0, TFRC_SECOND };

static TfrcRtt
rtt_of (TfrcRtoMode mode, TfrcDuration floor, TfrcDuration sample)
{
  TfrcRtoConfig config = { mode, 3.0, floor };
  TfrcRtt rtt;

  tfrc_rtt_init (&rtt, &config);
  tfrc_rtt_on_samples (&rtt, sample, 1.0);
  return rtt;
}

START_TEST (first_sample_is_the_rtt)
{
  TfrcRtt rtt;

  tfrc_rtt_init (&rtt, &rfc5348);
  ck_assert (!tfrc_rtt_is_known (&rtt));
  ck_assert_double_eq (tfrc_rtt_get_damping (&rtt), 1.0);
  tfrc_rtt_on_samples (&rtt, 100 * MS, 1.0);
  ck_assert (tfrc_rtt_is_known (&rtt));
  ck_assert_uint_eq (rtt.rtt, 100 * MS);
  ck_assert_uint_eq (tfrc_rtt_get_rto (&rtt), 400 * MS);
}

END_TEST
START_TEST (later_samples_weigh_a_tenth)
{
  TfrcRtt rtt = rtt_of (TFRC_RTO_RFC5348, TFRC_SECOND, 100 * MS);

  /* 0.9 * 100 + 0.1 * 200 = 110; 0.9 * 110 + 0.1 * 10 = 100. */
  tfrc_rtt_on_samples (&rtt, 200 * MS, 1.0);
  ck_assert_uint_eq (rtt.rtt, 110 * MS);
  tfrc_rtt_on_samples (&rtt, 10 * MS, 1.0);
  ck_assert_uint_eq (rtt.rtt, 100 * MS);
  ck_assert_uint_eq (rtt.sample, 10 * MS);
}

END_TEST
/* Twice 0.9 of 100 ms and the rest of 50 ms: 95, then 90.5 ms.  Four quarters of a
 * sample are one: 0.9^(4/4). */
START_TEST (a_sample_may_stand_for_several)
{
  TfrcRtt many = rtt_of (TFRC_RTO_TCP, 0, 100 * MS);
  TfrcRtt single = many, parts = many, one = many;

  tfrc_rtt_on_samples (&many, 50 * MS, 2.0);
  tfrc_rtt_on_samples (&single, 50 * MS, 1.0);
  tfrc_rtt_on_samples (&single, 50 * MS, 1.0);
  ck_assert_uint_eq (many.rtt, 90500 * TFRC_MICROSECOND);
  ck_assert_uint_eq (many.rtt, single.rtt);
  ck_assert_double_eq_tol (many.srtt, single.srtt, 1e-12);
  ck_assert_double_eq_tol (many.sqrt_mean, single.sqrt_mean, 1e-12);
  for (int i = 0; i < 4; i++)
    tfrc_rtt_on_samples (&parts, 50 * MS, 0.25);
  tfrc_rtt_on_samples (&one, 50 * MS, 1.0);
  ck_assert_uint_le (parts.rtt - 95 * MS + 2, 4);
  ck_assert_double_eq_tol (parts.srtt, one.srtt, 1e-12);
  ck_assert_double_eq_tol (tfrc_rtt_get_damping (&parts),
      tfrc_rtt_get_damping (&one), 1e-9);
}

END_TEST
START_TEST (rtt_never_reaches_zero)
{
  TfrcRtt rtt = rtt_of (TFRC_RTO_RFC5348, TFRC_SECOND, 1);
  int i;

  for (i = 0; i < 100; i++)
    tfrc_rtt_on_samples (&rtt, 1, 1.0);
  ck_assert_uint_eq (rtt.rtt, 1);
  ck_assert (isfinite (tfrc_rtt_get_damping (&rtt)));
}

END_TEST
/* X_inst / X when R_sqmean was sqrt (0.1) and one more sample arrived: (0.9 sqrt
 * (0.1) + 0.1 sqrt (sample)) / sqrt (sample). */
static const struct
{
  TfrcDuration sample;
  double factor;
} dampings[] = {
  { 100 * MS, 1.0 },
  { 120 * MS, 0.921584 },
  { 200 * MS, 0.736396 },
  { 400 * MS, 0.55 },
  { 25 * MS, 1.9 },
};

START_TEST (damping_follows_the_square_root)
{
  TfrcRtt rtt = rtt_of (TFRC_RTO_RFC5348, TFRC_SECOND, 100 * MS);

  tfrc_rtt_on_samples (&rtt, dampings[_i].sample, 1.0);
  ck_assert_double_eq_tol (tfrc_rtt_get_damping (&rtt), dampings[_i].factor,
      5e-7);
}

END_TEST
START_TEST (tcp_rto_has_a_floor)
{
  /* SRTT + 4 RTTVAR = 100 + 4 * 50 = 300 ms, below 1 s. */
  TfrcRtt rtt = rtt_of (TFRC_RTO_TCP, TFRC_SECOND, 100 * MS);

  ck_assert_uint_eq (tfrc_rtt_get_rto (&rtt), TFRC_SECOND);
}

END_TEST
START_TEST (tcp_rto_follows_srtt_and_its_variation)
{
  TfrcRtt rtt = rtt_of (TFRC_RTO_TCP, 200 * MS, 100 * MS);

  ck_assert_uint_eq (tfrc_rtt_get_rto (&rtt), 300 * MS);
  /* RTTVAR = 3/4 * 50 + 1/4 * |100 - 180| = 57.5 ms,
   * SRTT = 7/8 * 100 + 1/8 * 180 = 110 ms, RTO = 110 + 230 = 340 ms. */
  tfrc_rtt_on_samples (&rtt, 180 * MS, 1.0);
  ck_assert_uint_eq (tfrc_rtt_get_rto (&rtt), 340 * MS);
  /* RTTVAR = 3/4 * 57.5 + 1/4 * 0 = 43.125, SRTT = 110, RTO = 282.5 ms. */
  tfrc_rtt_on_samples (&rtt, 110 * MS, 1.0);
  ck_assert_uint_eq (tfrc_rtt_get_rto (&rtt), 282500 * TFRC_MICROSECOND);
}

END_TEST
START_TEST (scaled_rto_is_a_third_of_tcp)
{
  TfrcRtt rtt = rtt_of (TFRC_RTO_SCALED, 0, 100 * MS);

  ck_assert_uint_eq (tfrc_rtt_get_rto (&rtt), 100 * MS);
}

END_TEST
START_TEST (a_scale_below_one_is_one)
{
  static const double scales[] = { 0.0, -3.0, 0.5, (double) NAN,
    (double) INFINITY };
  TfrcRtoConfig config = { TFRC_RTO_SCALED, scales[_i], 0 };
  TfrcRtt rtt;

  tfrc_rtt_init (&rtt, &config);
  tfrc_rtt_on_samples (&rtt, 100 * MS, 1.0);
  ck_assert_uint_eq (tfrc_rtt_get_rto (&rtt), 300 * MS);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-rtt");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, first_sample_is_the_rtt);
  tcase_add_test (tcase, later_samples_weigh_a_tenth);
  tcase_add_test (tcase, a_sample_may_stand_for_several);
  tcase_add_test (tcase, rtt_never_reaches_zero);
  tcase_add_loop_test (tcase, damping_follows_the_square_root, 0,
      sizeof dampings / sizeof dampings[0]);
  tcase_add_test (tcase, tcp_rto_has_a_floor);
  tcase_add_test (tcase, tcp_rto_follows_srtt_and_its_variation);
  tcase_add_test (tcase, scaled_rto_is_a_third_of_tcp);
  tcase_add_loop_test (tcase, a_scale_below_one_is_one, 0, 5);
  return run_check_suite (suite);
}
