/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random early detection: the average, the gaps between early packets, and
 * the bounds.  min 20 ms, max 60 ms, a tenth at max.  Then in a link. */
#include <check.h>

#include "check-suite.h"
#include "link-model.h"

static LinkRedConfig config;
static LinkRed red;
static TfrcRng rng;

static void
setup (void)
{
  config = (LinkRedConfig) {
    .min = 20 * MS, .max = 60 * MS, .share = 0.1, .weight = 1.0
  };
  red = (LinkRed) { .average = 0.0 };
  tfrc_rng_init (&rng, 1, 0);
}

static LinkRedOutcome
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
    { 40 * MS, 20, 10.5, 0.52 },
    { 60 * MS, 10, 5.5, 0.26 },
    { 90 * MS, 2, 1.45, 0.05 },
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

END_TEST
/* 1250 bytes take 10 ms.  The average is the wait itself: 10 ms behind one
 * packet, where the share is 1, and 20 ms behind two, twice the maximum, which
 * is forced. */
static LinkModel *
new_link (bool ecn)
{
  LinkConfig link;

  link_config_init (&link);
  link.rate = 125000.0;
  link.red = (LinkRedConfig) {
    .min = 5 * MS, .max = 10 * MS, .share = 1.0, .weight = 1.0
  };
  link.ecn = ecn;
  return link_model_new (&link, 1, 0);
}

START_TEST (a_link_marks_where_it_may_and_drops_elsewhere)
{
  LinkModel *link = new_link (true);
  LinkOutput output;

  ck_assert_int_eq (link_model_enqueue (link, 1250, 1, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (link, 1250, 2, 0), LINK_DROPPED_RED);
  ck_assert_int_eq (link_model_enqueue_ect (link, 1250, 3, 0), LINK_MARKED);
  ck_assert_int_eq (link_model_enqueue_ect (link, 1250, 4, 0),
      LINK_DROPPED_RED);
  ck_assert (link_model_poll (link, &output, 20 * MS));
  ck_assert_uint_eq (output.id, 1);
  ck_assert (link_model_poll (link, &output, 20 * MS));
  ck_assert_uint_eq (output.id, 3);
  ck_assert (!link_model_poll (link, &output, TFRC_SECOND));
  ck_assert_uint_eq (link_model_get_counters (link)->dropped_red, 2);
  ck_assert_uint_eq (link_model_get_counters (link)->marked, 1);
  link_model_free (link);
}

END_TEST
START_TEST (a_link_without_ecn_marks_nothing)
{
  LinkModel *link = new_link (false);

  ck_assert_int_eq (link_model_enqueue_ect (link, 1250, 1, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue_ect (link, 1250, 2, 0),
      LINK_DROPPED_RED);
  link_model_free (link);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("link-red");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, the_average_follows_the_wait);
  tcase_add_test (tcase, nothing_happens_below_the_minimum);
  tcase_add_test (tcase, twice_the_maximum_is_forced);
  tcase_add_test (tcase, without_a_maximum_nothing_happens);
  tcase_add_loop_test (tcase, gaps_are_uniform, 0, 3);
  tcase_add_test (tcase, a_link_marks_where_it_may_and_drops_elsewhere);
  tcase_add_test (tcase, a_link_without_ecn_marks_nothing);
  return run_check_suite (suite);
}
