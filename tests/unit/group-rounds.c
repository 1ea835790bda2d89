/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reports of a round in a group whose rates do not change: how many there are,
 * and how near the lowest of them is to the lowest rate.  Receivers are only timers
 * here, and values of both sides have the resolution of the wire. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "check-suite.h"
#include "tfmcc/round.h"
#include "tfmcc-wire.h"

#define R_MAX (512 * TFRC_MILLISECOND) /* its code is exact */
#define SENDING_RATE 125000.0
#define MAX_GROUP 10000
/* Reports in flight in a round. */
#define MAX_REPORTS MAX_GROUP

typedef struct
{
  TfrcRate rate;
  TfmccSuppression timer;
} Receiver;

typedef struct
{
  /* When it is made; half an R_max later the sender has it, and after another half
   * the group. */
  TfrcTime at;
  TfrcRate rate;
} Report;

typedef struct
{
  unsigned n;
  /* Rates are uniform from this fraction of the sending rate up to all of it. */
  double least;
  double margin, bias;
} Group;

static Receiver receivers[MAX_GROUP];
static Report reports[MAX_REPORTS];
static TfrcRng rng;

static TfrcRate
coded (TfrcRate rate)
{
  return tfmcc_wire_rate_from_code (tfmcc_wire_rate_to_code (rate));
}

static TfrcRate
start (const Group *group)
{
  TfmccSuppressionConfig config = tfmcc_suppression_config_default ();
  TfrcRate lowest = INFINITY;

  config.bias = group->bias;
  tfrc_rng_init (&rng, 5, 1);
  for (unsigned i = 0; i < group->n; i++) {
    receivers[i].rate = SENDING_RATE
        * (group->least + (1.0 - group->least) * tfrc_rng_uniform (&rng));
    lowest = fmin (lowest, receivers[i].rate);
    tfmcc_suppression_init (&receivers[i].timer, &config, i + 1);
  }
  return lowest;
}

static int
compare (const void *a, const void *b)
{
  TfrcTime x = ((const Receiver *) a)->timer.expires_at;
  TfrcTime y = ((const Receiver *) b)->timer.expires_at;

  return (x > y) - (x < y);
}

/* Goes through the timers in order; a receiver reports unless what the sender
 * announced half an R_max ago cancels its timer.  Returns the number of reports. */
static unsigned
run_round (const Group *group, TfmccRound *round, TfrcRate *lowest_reported)
{
  unsigned n_reports = 0, n_heard = 0;

  *lowest_reported = INFINITY;
  for (unsigned i = 0; i < group->n; i++)
    tfmcc_suppression_start (&receivers[i].timer, receivers[i].rate,
        SENDING_RATE, R_MAX, 0, 0);
  qsort (receivers, group->n, sizeof receivers[0], compare);
  for (unsigned i = 0; i < group->n; i++) {
    TfrcTime now = receivers[i].timer.expires_at;

    while (n_heard < n_reports && reports[n_heard].at + R_MAX <= now)
      tfmcc_round_on_report (round, reports[n_heard++].rate, true, 0);
    if (tfmcc_suppression_on_rate (&receivers[i].timer,
            coded (round->suppression_rate), receivers[i].rate))
      continue;
    reports[n_reports++] = (Report) { now, coded (receivers[i].rate) };
    *lowest_reported = fmin (*lowest_reported, coded (receivers[i].rate));
  }
  ck_assert (tfmcc_round_on_deadline (round,
      tfmcc_round_next_deadline (round)));
  return n_reports;
}

/* Groups as in Widmer and Handley with N = 10000, T = 6 R_max and a delay of R_max;
 * the means are those of an event simulation by the rules alone. */
static const struct
{
  Group group;
  double expected;
} groups[] = {
  { { 1000, 1.0, 0.1, 0.0 }, 4.99 },
  { { 10000, 1.0, 0.1, 0.0 }, 6.97 },
  { { 1000, 0.5, 0.1, 0.0 }, 10.92 },
  { { 10000, 0.5, 0.1, 0.0 }, 13.32 },
  { { 1000, 0.1, 0.1, 0.0 }, 19.28 },
  { { 10000, 0.1, 0.1, 0.0 }, 20.40 },
  { { 1000, 0.5, 1.0, 0.0 }, 4.70 },
  { { 10000, 0.5, 1.0, 0.0 }, 6.22 },
};

START_TEST (so_many_report_in_a_round)
{
  const Group *group = &groups[_i].group;
  unsigned n_rounds = group->n < 10000 ? 500 : 150;
  TfmccRoundConfig config = tfmcc_round_config_default ();
  TfmccRound round;
  unsigned n_reports = 0;

  config.margin = group->margin;
  tfmcc_round_init (&round, &config);
  round.began_at = 0;
  start (group);
  for (unsigned i = 0; i < n_rounds; i++) {
    TfrcRate lowest;

    round.began_at = 0;
    n_reports += run_round (group, &round, &lowest);
  }
  ck_assert_double_eq_tol ((double) n_reports / n_rounds, groups[_i].expected,
      0.15 * groups[_i].expected);
}

END_TEST
/* A receiver suppressed by X_supp = 0.9 X_r can take more than that: the lowest
 * report is at most 1 / 0.9 of the lowest rate, with the resolution of the codes
 * 1.0079^2 of that: 12.9 %. */
static const Group static_groups[] = {
  { 10, 0.1, 0.1, 0.25 },
  { 100, 0.5, 0.1, 0.25 },
  { 1000, 0.1, 0.1, 0.25 },
  { 1000, 0.1, 0.1, 0.0 },
  { 10000, 0.5, 0.1, 0.25 },
  { 10000, 0.05, 0.1, 0.25 },
};

START_TEST (the_lowest_report_is_near_the_lowest_rate_in_every_round)
{
  const Group *group = &static_groups[_i];
  unsigned n_rounds = group->n < 10000 ? 1000 : 150;
  TfmccRoundConfig config = tfmcc_round_config_default ();
  TfmccRound round;
  TfrcRate true_lowest;

  config.margin = group->margin;
  tfmcc_round_init (&round, &config);
  round.began_at = 0;
  true_lowest = start (group);
  for (unsigned i = 0; i < n_rounds; i++) {
    TfrcRate lowest;

    round.began_at = 0;
    ck_assert_uint_gt (run_round (group, &round, &lowest), 0);
    ck_assert_double_ge (lowest, true_lowest / 1.0079);
    ck_assert_double_le (lowest, 1.13 * true_lowest);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("group-rounds");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, so_many_report_in_a_round, 0,
      sizeof groups / sizeof groups[0]);
  tcase_add_loop_test (tcase,
      the_lowest_report_is_near_the_lowest_rate_in_every_round, 0,
      sizeof static_groups / sizeof static_groups[0]);
  return run_check_suite (suite);
}
