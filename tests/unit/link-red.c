/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random early detection: the average, the gaps between early packets, and
 * the bounds.  min 20 ms, max 60 ms, a tenth at max. */
#include <check.h>
#include <stdlib.h>

#include "link-red.h"

#define MS TFRC_MILLISECOND

static LinkRedConfig config;
static LinkRed red;
static TfrcRng rng;

static void
setup (void)
{
  config = (LinkRedConfig) {
    .min = 20 * MS,.max = 60 * MS,.share = 0.1,.weight = 1.0
  };
  red = (LinkRed) {
    .average = 0.0
  };
  tfrc_rng_init (&rng, 1, 0);
}

static LinkRedVerdict
judge (TfrcDuration wait)
{
  return link_red_judge (&red, &config, wait, 0, 10 * MS, &rng);
}

/* Packets until the next early one, itself included. */
static unsigned
gap (TfrcDuration wait)
{
  unsigned n = 1;

  while (judge (wait) == LINK_RED_PASSES)
    n++;
  return n;
}

/* 0.5 (100 - 0) = 50, then 50 + 0.5 (100 - 50) = 75.  An idle time of two
 * packets counts as two that found nothing: 75 / 4 = 18.75, and the one that
 * comes now makes it half of that. */
START_TEST (the_average_follows_the_wait)
{
  config.weight = 0.5;
  judge (100 * MS);
  ck_assert_double_eq_tol (red.average, 50e6, 1);
  judge (100 * MS);
  ck_assert_double_eq_tol (red.average, 75e6, 1);
  link_red_judge (&red, &config, 0, 20 * MS, 10 * MS, &rng);
  ck_assert_double_eq_tol (red.average, 9.375e6, 1);
  /* A link without a limit forgets at once. */
  link_red_judge (&red, &config, 0, 1, 0, &rng);
  ck_assert_double_eq (red.average, 0.0);
}

END_TEST
START_TEST (nothing_happens_below_the_minimum)
{
  unsigned i;

  for (i = 0; i < 10000; i++)
    ck_assert_int_eq (judge (20 * MS - 1), LINK_RED_PASSES);
}

END_TEST
START_TEST (twice_the_maximum_is_forced)
{
  ck_assert_int_eq (judge (120 * MS), LINK_RED_FORCED);
  ck_assert_int_ne (judge (120 * MS - 1), LINK_RED_FORCED);
}

END_TEST
START_TEST (without_a_maximum_nothing_happens)
{
  config.max = config.min = 0;
  ck_assert_int_eq (judge (TFRC_SECOND), LINK_RED_PASSES);
}

END_TEST
/* At 40 ms p_b is half of 0.1: the gaps are uniform from 1 to 20, with a mean
 * of 10.5 and a sigma of 5.77; of the mean of 2000 gaps four sigma are 0.52.
 * At 60 ms 1 to 10: 5.5, 2.87, 0.26.  At 90 ms p_b is 0.1 + 0.9 / 2 = 0.55;
 * the second gap has 0.55 / 0.45 > 1: 1 or 2, with a mean of 1.45. */
START_TEST (gaps_are_uniform)
{
  static const struct
  {
    TfrcDuration wait;
    unsigned longest;
    double mean, tolerance;
  } cases[] = {
    {40 * MS, 20, 10.5, 0.52},
    {60 * MS, 10, 5.5, 0.26},
    {90 * MS, 2, 1.45, 0.05},
  };
  unsigned i, n, longest = 0;
  double sum = 0.0;

  for (i = 0; i < 2000; i++) {
    n = gap (cases[_i].wait);
    sum += n;
    longest = n > longest ? n : longest;
  }
  ck_assert_uint_eq (longest, cases[_i].longest);
  ck_assert_double_eq_tol (sum / 2000, cases[_i].mean, cases[_i].tolerance);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("link-red");
  TCase *tcase = tcase_create ("general");
  SRunner *runner = srunner_create (suite);
  int failed;

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, the_average_follows_the_wait);
  tcase_add_test (tcase, nothing_happens_below_the_minimum);
  tcase_add_test (tcase, twice_the_maximum_is_forced);
  tcase_add_test (tcase, without_a_maximum_nothing_happens);
  tcase_add_loop_test (tcase, gaps_are_uniform, 0, 3);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
