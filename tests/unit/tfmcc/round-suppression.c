/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The feedback timer: its distribution, its bias, what cancels it, and how many
 * receivers of a group report in a round. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "check-suite.h"
#include "tfmcc/round.h"

#define R_MAX (100 * MS)
#define N_DRAWS 100000

static TfmccSuppression
timer_of (double bias, uint64_t seed)
{
  TfmccSuppressionConfig config = tfmcc_suppression_config_default ();
  TfmccSuppression timer;

  config.bias = bias;
  tfmcc_suppression_init (&timer, &config, seed);
  return timer;
}

/* The random delay, as a fraction of T = 6 R_max. */
static double
draw (TfmccSuppression *timer, double ratio)
{
  tfmcc_suppression_start (timer, ratio * 1000.0, 1000.0, R_MAX, 0, 0);
  return (double) timer->expires_at / (6.0 * R_MAX);
}

/* P (t <= u) = N^(u/T - 1), so the quantile of q is 1 + log_N q. */
static const struct
{
  double part, quantile;
} quantiles[] = {
  { .001, .25 },
  { .01, .5 },
  { .1, .75 },
  { .25, .8495 },
  { .5, .9247 },
  { .75, .9688 },
  { .9, .9886 },
};

#define N_QUANTILES (sizeof quantiles / sizeof quantiles[0])

START_TEST (delays_are_exponentially_distributed)
{
  TfmccSuppression timer = timer_of (0.0, 1);
  unsigned below[N_QUANTILES] = { 0 };
  unsigned n_at_once = 0;
  double sum = 0.0;

  for (unsigned i = 0; i < N_DRAWS; i++) {
    double t = draw (&timer, 0.5);

    ck_assert (t >= 0.0 && t <= 1.0);
    sum += t;
    n_at_once += !(t > 0.0);
    for (unsigned j = 0; j < N_QUANTILES; j++)
      below[j] += t <= quantiles[j].quantile;
  }
  /* 1/N of them, 10, and the standard deviation is its square root. */
  ck_assert_uint_ge (n_at_once, 1);
  ck_assert_uint_le (n_at_once, 22);
  /* 1 - (1 - 1/N) / ln N; the standard deviation of one delay is about 0.11. */
  ck_assert_double_eq_tol (sum / N_DRAWS, 0.89144, 0.002);
  for (unsigned j = 0; j < N_QUANTILES; j++)
    ck_assert_double_eq_tol ((double) below[j] / N_DRAWS, quantiles[j].part,
        4.0 * sqrt (quantiles[j].part / N_DRAWS));
}

END_TEST
/* gamma r' T comes first, r' = (clip (r, 0.5, 0.9) - 0.5) / 0.4. */
static const struct
{
  double ratio, least;
} biases[] = {
  { 0.1, 0.0 },
  { 0.5, 0.0 },
  { 0.6, 0.0625 },
  { 0.7, 0.125 },
  { 0.9, 0.25 },
  { 1.0, 0.25 },
  { 8.0, 0.25 },
};

#define N_BIASES (sizeof biases / sizeof biases[0])

START_TEST (low_rates_report_earlier)
{
  for (unsigned j = 0; j < N_BIASES; j++) {
    TfmccSuppression biased = timer_of (0.25, 7);
    TfmccSuppression plain = timer_of (0.0, 7);

    for (unsigned i = 0; i < 100; i++)
      ck_assert_double_eq_tol (draw (&biased, biases[j].ratio),
          biases[j].least + 0.75 * draw (&plain, 1.0), 1e-8);
  }
}

END_TEST
START_TEST (who_has_just_come_does_not_wait_for_the_bias)
{
  TfmccSuppression biased = timer_of (0.25, 7), plain = timer_of (0.25, 7);

  for (unsigned i = 0; i < 100; i++) {
    tfmcc_suppression_start (&biased, 1000.0, 0.0, R_MAX, 0, 0);
    ck_assert_double_eq_tol ((double) biased.expires_at / (6.0 * R_MAX),
        draw (&plain, 0.1), 1e-8);
  }
  /* Unless the timer has no random part. */
  biased = timer_of (1.0, 7);
  tfmcc_suppression_start (&biased, 1000.0, 0.0, R_MAX, 0, 0);
  ck_assert_uint_eq (biased.expires_at, 6 * R_MAX);
}

END_TEST
/* The paper's plain offset: gamma r T. */
START_TEST (the_range_of_the_bias_can_be_set)
{
  TfmccSuppressionConfig config = tfmcc_suppression_config_default ();
  TfmccSuppression plain = timer_of (0.0, 7), biased;

  config.least_biased_ratio = 1.0;
  config.most_biased_ratio = 0.0;
  tfmcc_suppression_init (&biased, &config, 7);
  for (unsigned i = 1; i <= 10; i++)
    ck_assert_double_eq_tol (draw (&biased, i / 10.0),
        0.25 * (i / 10.0) + 0.75 * draw (&plain, 1.0), 1e-8);
}

END_TEST
START_TEST (a_slow_flow_stretches_the_timer)
{
  TfmccSuppression timer = timer_of (0.25, 1);

  /* b R_max, until (c + 1) s/X = 4 s/X is longer. */
  ck_assert_uint_eq (tfmcc_suppression_get_span (&timer, R_MAX, 25 * MS),
      600 * MS);
  ck_assert_uint_eq (tfmcc_suppression_get_span (&timer, R_MAX, 50 * MS),
      1200 * MS);
}

END_TEST
/* b R_max until s/X is longer; in the first round no rate means anything, and only
 * the random part remains: 3/4 of it. */
START_TEST (slow_start_has_shorter_timers)
{
  TfmccSuppression plain = timer_of (0.0, 7), timer = timer_of (0.25, 7);

  timer.phase = TFMCC_SLOW_START;
  ck_assert_uint_eq (tfmcc_suppression_get_span (&timer, R_MAX, 50 * MS),
      600 * MS);
  ck_assert_double_eq_tol (draw (&timer, 1.0), 0.25 + 0.75 * draw (&plain, 1.0),
      1e-8);
  timer.phase = TFMCC_FIRST_ROUND;
  ck_assert_uint_eq (tfmcc_suppression_get_span (&timer, R_MAX, 50 * MS),
      450 * MS);
  ck_assert_double_eq_tol (draw (&timer, 1.0), 0.75 * draw (&plain, 1.0), 1e-8);
  timer.phase = TFMCC_STEADY;
  ck_assert_uint_eq (tfmcc_suppression_get_span (&timer, R_MAX, 50 * MS),
      1200 * MS);
}

END_TEST
START_TEST (a_rate_about_as_low_cancels)
{
  TfmccSuppression timer = timer_of (0.25, 1);

  draw (&timer, 0.8); /* X_fbr = 800 */
  ck_assert (!tfmcc_suppression_on_rate (&timer, TFMCC_NO_SUPPRESSION, 800.0));
  ck_assert (!tfmcc_suppression_on_rate (&timer, 800.0, 800.0));
  ck_assert (tfmcc_suppression_on_rate (&timer, 799.0, 800.0));
  ck_assert (timer.expires_at == TFRC_TIME_NONE);
  /* Nothing is left to cancel. */
  ck_assert (!tfmcc_suppression_on_rate (&timer, 1.0, 800.0));
}

END_TEST
START_TEST (the_rate_at_the_start_of_the_round_cancels_too)
{
  TfmccSuppression timer = timer_of (0.25, 1);

  draw (&timer, 0.8);
  /* Now at 500, but 800 at the start of the round. */
  ck_assert (tfmcc_suppression_on_rate (&timer, 700.0, 500.0));
}

END_TEST
START_TEST (a_longer_max_rtt_stretches_what_is_left)
{
  TfmccSuppression timer = timer_of (0.25, 1);
  TfrcTime at;

  draw (&timer, 0.8);
  at = timer.expires_at;
  tfmcc_suppression_on_max_rtt (&timer, 2 * R_MAX, at - 40 * MS);
  ck_assert_uint_eq (timer.expires_at, at + 40 * MS);
  tfmcc_suppression_on_max_rtt (&timer, R_MAX / 2, at);
  ck_assert_uint_eq (timer.expires_at, at + 10 * MS);
}

END_TEST
START_TEST (a_report_waits_for_data)
{
  TfmccSuppression timer = timer_of (0.25, 1);
  TfrcTime at;

  draw (&timer, 0.8);
  at = timer.expires_at;
  ck_assert (!tfmcc_suppression_expire (&timer, at, at - 1));
  /* The newest packet is 130 ms old, R_max 100 ms: 30 ms more. */
  ck_assert (!tfmcc_suppression_expire (&timer, at - 130 * MS, at));
  ck_assert_uint_eq (timer.expires_at, at + 30 * MS);
  ck_assert (tfmcc_suppression_expire (&timer, at + 10 * MS, at + 30 * MS));
  ck_assert (timer.expires_at == TFRC_TIME_NONE);
}

END_TEST
/* A silence of 30 s at an R_max of 100 ms, after which it is 8 s: the 29.9 s that
 * are left are not part of a round of 2.4 s. */
START_TEST (what_silence_has_put_off_does_not_grow_with_r_max)
{
  TfmccSuppression timer = timer_of (0.25, 1);
  TfrcTime at;

  draw (&timer, 0.8);
  at = timer.expires_at + 30 * S;
  ck_assert (!tfmcc_suppression_expire (&timer, at - 30 * S, at));
  ck_assert_uint_eq (timer.expires_at, at + 29900 * MS);
  tfmcc_suppression_on_max_rtt (&timer, 8 * S, at);
  ck_assert_uint_eq (timer.expires_at, at + 29900 * MS);
  /* 2 s before its end it is scaled like any other. */
  tfmcc_suppression_on_max_rtt (&timer, 4 * S, at + 27900 * MS);
  ck_assert_uint_eq (timer.expires_at, at + 28900 * MS);
}

END_TEST
START_TEST (settings_out_of_range_are_clamped)
{
  TfmccSuppressionConfig config = { 0.0, -1.0, 0.0, (double) NAN };
  TfmccSuppression timer;

  tfmcc_suppression_init (&timer, &config, 1);
  ck_assert_double_eq (timer.config.group_size, 2.0);
  ck_assert_double_eq (timer.config.bias, 0.0);
  ck_assert_double_eq (timer.config.rtts, 1.0);
  ck_assert_double_eq (timer.config.packets, 3.0);
  ck_assert_double_eq (timer.config.least_biased_ratio, 0.9);
  ck_assert_double_eq (timer.config.most_biased_ratio, 0.5);
}

END_TEST
/* How many of n identical receivers report in a round: those whose timer expires
 * within R_max of the first; and when that is, as a fraction of T. */
static double
mean_reports (unsigned n, double rtts, double bias, unsigned n_rounds,
    double *mean_first)
{
  TfmccSuppressionConfig config = tfmcc_suppression_config_default ();
  TfmccSuppression *timers = calloc (n, sizeof *timers);
  unsigned reports = 0;
  double sum = 0.0;

  config.rtts = rtts;
  config.bias = bias;
  for (unsigned i = 0; i < n; i++)
    tfmcc_suppression_init (&timers[i], &config, i + 1);
  for (unsigned round = 0; round < n_rounds; round++) {
    TfrcTime first = TFRC_TIME_NONE;

    for (unsigned i = 0; i < n; i++) {
      tfmcc_suppression_start (&timers[i], 500.0, 1000.0, R_MAX, 0, 0);
      first = tfrc_time_min (first, timers[i].expires_at);
    }
    for (unsigned i = 0; i < n; i++)
      reports += timers[i].expires_at <= first + R_MAX;
    sum += (double) first / (rtts * R_MAX);
  }
  free (timers);
  *mean_first = sum / n_rounds;
  return (double) reports / n_rounds;
}

/* E = N^(tau/T) (n/N + (1 - 1/N)^n - (1 - N^(-tau/T))^n) with tau = R_max, for T =
 * 3, 4, 5 and 6 R_max; and the mean of the first timer, as a fraction of T. */
static const struct
{
  unsigned n;
  double expected[4];
  double first;
} groups[] = {
  { 1, { 1.000, 1.000, 1.000, 1.000 }, .8914 },
  { 10, { 8.150, 6.513, 5.186, 4.231 }, .6821 },
  { 100, { 21.360, 10.000, 6.310, 4.642 }, .4379 },
  { 1000, { 21.648, 10.048, 6.340, 4.664 }, .1979 },
  { 10000, { 29.470, 13.679, 8.631, 6.349 }, .0238 },
  { 20000, { 46.004, 21.353, 13.473, 9.911 }, -1.0 },
};

#define N_GROUPS (4 * sizeof groups / sizeof groups[0])

START_TEST (few_of_a_group_report)
{
  unsigned n = groups[_i / 4].n;
  double expected = groups[_i / 4].expected[_i % 4];
  double first;

  ck_assert_double_eq_tol (mean_reports (n, 3.0 + _i % 4, 0.0,
                               n < 10000 ? 1000 : 200, &first),
      expected, 0.15 * expected);
  if (groups[_i / 4].first > 0.0)
    ck_assert_double_eq_tol (first, groups[_i / 4].first, 0.015);
}

END_TEST
/* gamma leaves a random part of 3/4 of T: T' = 4.5 R_max. */
static const struct
{
  unsigned n;
  double expected;
} biased_groups[] = { { 1000, 7.78 }, { 10000, 10.6 } };

START_TEST (the_bias_costs_some_reports)
{
  double expected = biased_groups[_i].expected;
  double first;

  ck_assert_double_eq_tol (mean_reports (biased_groups[_i].n, 6.0, 0.25,
                               biased_groups[_i].n < 10000 ? 2000 : 300,
                               &first),
      expected, 0.15 * expected);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-round-suppression");
  TCase *tests = tcase_create ("all");

  tcase_add_test (tests, delays_are_exponentially_distributed);
  tcase_add_test (tests, low_rates_report_earlier);
  tcase_add_test (tests, who_has_just_come_does_not_wait_for_the_bias);
  tcase_add_test (tests, the_range_of_the_bias_can_be_set);
  tcase_add_test (tests, a_slow_flow_stretches_the_timer);
  tcase_add_test (tests, slow_start_has_shorter_timers);
  tcase_add_test (tests, a_rate_about_as_low_cancels);
  tcase_add_test (tests, the_rate_at_the_start_of_the_round_cancels_too);
  tcase_add_test (tests, a_longer_max_rtt_stretches_what_is_left);
  tcase_add_test (tests, a_report_waits_for_data);
  tcase_add_test (tests, what_silence_has_put_off_does_not_grow_with_r_max);
  tcase_add_test (tests, settings_out_of_range_are_clamped);
  tcase_add_loop_test (tests, few_of_a_group_report, 0, N_GROUPS);
  tcase_add_loop_test (tests, the_bias_costs_some_reports, 0,
      sizeof biased_groups / sizeof biased_groups[0]);
  suite_add_tcase (suite, tests);
  return run_check_suite (suite);
}
