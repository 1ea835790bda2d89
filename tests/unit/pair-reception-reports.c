/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender whose receiver sends only reception reports, every 2.5 to 7.5 s. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check-suite.h"
#include "tfrc/equation.h"
#include "virtual-pair.h"

#define PACKET 1200 /* of a pair by default */
#define SEEDS \
  8 /* one seed gives 0.6 to 0.85 of the equation's rate at 4 % of loss */
#define RUN 200 /* [s] */

static PairConfig
path_of (double mbit, TfrcDuration rtt, double loss, bool video)
{
  PairConfig config = pair_config_default ();

  config.forward.rate = mbit * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.loss = loss;
  config.forward.delay = config.back.delay = rtt / 2;
  config.sender_checks.delay_target = 8 * MS; /* must stay inactive */
  config.report_interval = 5 * TFRC_SECOND;
  config.reception_reports = true;
  if (video) {
    config.frame_interval = 33 * MS;
    config.encoder_max_rate = 20 * MBIT;
  }
  return config;
}

/* What arrives, relative to the link's rate, and the fraction of packets lost. */
static double
get_share (PairConfig config, double *lost)
{
  double share = 0.0;

  *lost = 0.0;
  for (config.seed = 1; config.seed <= SEEDS; config.seed++) {
    VirtualPair *pair = pair_new (&config);
    PairCounters before, after;

    pair_run (pair, 100 * TFRC_SECOND);
    before = pair_get_counters (pair);
    pair_run (pair, (100 + RUN) * TFRC_SECOND);
    after = pair_get_counters (pair);
    share += (double) (after.received_bytes - before.received_bytes)
        / (config.forward.rate * RUN) / SEEDS;
    *lost += (double) (after.link_losses - before.link_losses)
        / (double) (after.packets - before.packets) / SEEDS;
    pair_free (pair);
  }
  return share;
}

static const struct
{
  double mbit;
  TfrcDuration rtt;
} paths[] = {
  { 0.3, 50 * MS },
  { 0.3, 300 * MS },
  { 2.0, 20 * MS },
  { 2.0, 50 * MS },
  { 2.0, 300 * MS },
  { 10.0, 50 * MS },
};

/* Between 0.85 of the link and 1.1 times a rate without losses. */
START_TEST (most_of_a_clean_link_is_used)
{
  double lost;

  ck_assert_double_ge (get_share (path_of (paths[_i / 2].mbit,
                                      paths[_i / 2].rtt, 0.0, _i % 2),
                           &lost),
      0.7);
  ck_assert_double_le (lost, 1.0 - 1.0 / 1.1);
}

END_TEST
static const struct
{
  double mbit;
  TfrcDuration rtt;
  TfrcDuration report_interval;
  TfrcDuration queue;
} fast_paths[] = {
  { 3.0, 200 * MS, 5 * TFRC_SECOND, 100 * MS },
  { 5.0, 100 * MS, 5 * TFRC_SECOND, 100 * MS },
  { 5.0, 200 * MS, 5 * TFRC_SECOND, 100 * MS },
  { 10.0, 100 * MS, 5 * TFRC_SECOND, 100 * MS },
  { 3.0, 200 * MS, 500 * MS, 100 * MS },
  { 5.0, 100 * MS, 500 * MS, 100 * MS },
  { 10.0, 50 * MS, 500 * MS, 100 * MS },
  { 2.0, 50 * MS, 500 * MS, 500 * MS },
  { 10.0, 50 * MS, 500 * MS, 500 * MS },
};

/* Ten times TCP's rate is 5 Mbit/s at 100 ms with a loss of 0.055, at 200 ms of 0.014: who
 * exceeds the link by a tenth until the next report is reduced to a tenth, then to
 * nothing, and uses 0.2 to 0.6 of it.  A full queue of 500 ms makes a path of 50 ms one of
 * 550: there 0.002 of 10 Mbit/s is as much, and who takes the path for one of 50 ms uses
 * 0.7. */
START_TEST (a_circuit_breaker_leaves_a_fast_link_to_be_used)
{
  PairConfig config = path_of (fast_paths[_i].mbit, fast_paths[_i].rtt, 0.0,
      true);
  double lost;

  config.report_interval = fast_paths[_i].report_interval;
  config.forward.queue_limit = fast_paths[_i].queue;
  config.circuit_breaker = true;
  ck_assert_double_ge (get_share (config, &lost),
      fast_paths[_i].queue > 100 * MS ? 0.85 : 0.7);
}

END_TEST
/* From 10 to 50 Mbit/s: the loss that trips a breaker is 1.5 * 100 / 573^2 = 0.00046 at
 * the 550 ms of the queue before, with which X needs 48 minutes from 0.9 to 1.25 of 10
 * Mbit/s. */
START_TEST (a_circuit_breaker_leaves_a_link_that_became_faster_to_be_found)
{
  PairConfig config = path_of (10.0, 50 * MS, 0.0, false);
  VirtualPair *pair;

  config.report_interval = 500 * MS;
  config.forward.queue_limit = 500 * MS;
  config.circuit_breaker = true;
  config.seed = (uint64_t) _i + 1;
  pair = pair_new (&config);
  pair_run (pair, 100 * TFRC_SECOND);
  config.forward.rate = 50.0 * MBIT;
  pair_set_forward (pair, &config.forward);
  ck_assert_uint_ne (pair_run_until_above (pair, 35.0 * MBIT, TFRC_SECOND,
                         300 * TFRC_SECOND),
      TFRC_TIME_NONE);
  pair_free (pair);
}

END_TEST
/* With p = 0.01 the equation gives 2.1 Mbit/s at 50 ms, for losses that are each a
 * loss event. */
START_TEST (losses_that_are_not_ours_cost_what_the_equation_says)
{
  double lost;
  double share = get_share (path_of (2.0, 50 * MS, 0.01, _i), &lost);

  ck_assert_double_ge (share, 0.4);
  ck_assert_double_le (share, 0.95);
}

END_TEST
/* What arrives, relative to the rate of the equation. */
static double
get_part_of_equation (double loss, TfrcDuration rtt, TfrcDuration interval,
    TfrcDuration loss_time)
{
  TfrcPath path = tfrc_path_rfc5348 (PACKET, rtt);
  PairConfig config = path_of (20.0, rtt, loss, false);
  double lost;

  config.report_interval = interval;
  config.reception.loss_time = loss_time;
  return get_share (config, &lost) * config.forward.rate
      / tfrc_equation_rate (&path, loss);
}

static const double losses[] = { 0.005, 0.01, 0.02, 0.04 };

/* Of the reports within a second some show a packet or two lost, and some none. */
START_TEST (often_reported_losses_cost_what_the_equation_says)
{
  double loss = losses[_i / 2];
  TfrcDuration rtt = (_i % 2 ? 100 : 50) * MS;
  double part = get_part_of_equation (loss, rtt, 500 * MS, 5 * TFRC_SECOND);

  ck_assert_double_ge (part, 0.7);
  ck_assert_double_le (part, 1.0);
  ck_assert_double_le (get_part_of_equation (loss, rtt, 500 * MS, 0),
      0.8 * part);
}

END_TEST
/* The first report after the step covers the time before, too. */
START_TEST (two_reports_after_a_step_the_rate_is_below_the_link)
{
  PairConfig config = path_of (2.0, 50 * MS, 0.0, _i % 2);
  LinkConfig slow = config.forward;
  VirtualPair *pair;
  uint64_t reports;

  config.seed = (uint64_t) _i + 1;
  pair = pair_new (&config);
  pair_run (pair, (100 + (TfrcTime) _i) * TFRC_SECOND);
  slow.rate = 0.5 * MBIT;
  pair_set_forward (pair, &slow);
  reports = pair_get_counters (pair).reports;
  ck_assert_uint_le (pair_run_until_below (pair, 0.5 * MBIT, TFRC_SECOND,
                         40 * TFRC_SECOND),
      16 * TFRC_SECOND);
  ck_assert_uint_le (pair_get_counters (pair).reports - reports, 2);
  pair_free (pair);
}

END_TEST
typedef struct
{
  /* Time until it is below the link's rate, after the step down. */
  TfrcDuration below;
  TfrcDuration back; /* time until it is 0.8 of that, after the step up */
} Step;

/* From 2 Mbit/s to 0.5, and back a minute later. */
static Step
step_down_and_up (const PairConfig *config)
{
  TfrcTime at = (100 + config->seed) * TFRC_SECOND;
  VirtualPair *pair = pair_new (config);
  LinkConfig link = config->forward;
  Step step;

  pair_run (pair, at);
  link.rate = 0.5 * MBIT;
  pair_set_forward (pair, &link);
  step.below = pair_run_until_below (pair, 0.5 * MBIT, TFRC_SECOND,
      40 * TFRC_SECOND);
  pair_run (pair, at + 60 * TFRC_SECOND);
  pair_set_forward (pair, &config->forward);
  step.back = pair_run_until_above (pair, 1.6 * MBIT, TFRC_SECOND,
      100 * TFRC_SECOND);
  pair_free (pair);
  return step;
}

/* As rtspsrc reports if its server has asked for it. */
START_TEST (two_reports_a_second_make_steps_short)
{
  PairConfig config = path_of (2.0, 50 * MS, 0.0, true);
  double lost;
  Step step;

  config.report_interval = 500 * MS;
  config.seed = (uint64_t) _i + 1;
  step = step_down_and_up (&config);
  ck_assert_uint_le (step.below, 4 * TFRC_SECOND);
  ck_assert_uint_le (step.back, 15 * TFRC_SECOND);
  if (_i > 0)
    return;
  ck_assert_double_ge (get_share (config, &lost), 0.9);
  ck_assert_double_le (lost, 0.01);
}

END_TEST
START_TEST (rare_reports_find_a_faster_link_within_a_minute)
{
  PairConfig config = path_of (2.0, 50 * MS, 0.0, _i % 2);

  config.seed = (uint64_t) _i + 1;
  ck_assert_uint_le (step_down_and_up (&config).back, 60 * TFRC_SECOND);
}

END_TEST
/* No report arrives: after three of the longest intervals the rate is halved,
 * repeatedly. */
START_TEST (a_path_that_dies_stops_the_flow)
{
  PairConfig config = path_of (2.0, 50 * MS, 0.0, false);
  LinkConfig dead = config.forward;
  VirtualPair *pair = pair_new (&config);

  pair_run (pair, 100 * TFRC_SECOND);
  dead.rate = 0.0;
  pair_set_forward (pair, &dead);
  pair_run (pair, 200 * TFRC_SECOND);
  ck_assert_double_le (pair_run_bins (pair, 10 * TFRC_SECOND, 1).mean,
      0.1 * MBIT);
  pair_free (pair);
}

END_TEST
/* The fraction lost as p: an overflowing queue is a single event with many losses. */
START_TEST (losses_as_events_would_leave_the_link_unused)
{
  PairConfig config = path_of (2.0, 50 * MS, 0.0, false);
  double lost;

  config.reception.decrease = 0.0;
  config.reception.increase = (double) INFINITY;
  config.reception.near_time = 0;
  ck_assert_double_le (get_share (config, &lost), 0.8 * 0.9);
}

END_TEST
/* As ffmpeg: a report after every 280,000 bytes.  With a packet per second, and
 * less without feedback, that would take more than five minutes; at 300 kbit/s it
 * takes 7.5 s. */
START_TEST (a_receiver_that_reports_by_bytes_is_heard_with_a_start_rate)
{
  static const double mbits[] = { 2.0, 0.3, 100.0 };
  static const TfrcDuration rtts[] = { 50 * MS, 1 * MS, 1 * MS };
  double mbit = mbits[_i / 4];
  bool started = _i % 4 < 2;
  PairConfig config = path_of (mbit, rtts[_i / 4], 0.0, _i % 2);
  VirtualPair *pair;

  config.report_bytes = 280000;
  config.sender.start_rate = started ? 0.3 * MBIT : 0.0;
  pair = pair_new (&config);
  pair_run (pair, 8 * TFRC_SECOND);
  ck_assert_int_eq (pair_get_counters (pair).reports > 0, started);
  pair_run (pair, 60 * TFRC_SECOND);
  if (started)
    ck_assert_double_ge (pair_run_bins (pair, 60 * TFRC_SECOND, 1).mean,
        0.7 * fmin (mbit, 20.0) * MBIT);
  else
    ck_assert_uint_eq (pair_get_counters (pair).reports, 0);
  pair_free (pair);
}

END_TEST
/* Long before the report: 280 kB take 4.5 s at half a Mbit/s, and the first report
 * after the step covers the time before it as well.  On the way back three reports
 * show that more arrives than at the threshold, and two more raise the rate by half
 * each. */
START_TEST (a_receiver_that_reports_by_bytes_is_missed)
{
  PairConfig config = path_of (2.0, 50 * MS, 0.0, true);
  TfrcDuration below = 0, longest = 0;

  config.report_bytes = 280000;
  config.sender.start_rate = 0.3 * MBIT;
  for (config.seed = 1; config.seed <= 10; config.seed++) {
    Step step = step_down_and_up (&config);

    below += step.below / 10;
    longest = tfrc_time_max (longest, step.below);
    ck_assert_uint_le (step.back, 15 * TFRC_SECOND);
  }
  ck_assert_uint_le (below, 4 * TFRC_SECOND);
  ck_assert_uint_le (longest, 7 * TFRC_SECOND);
}

END_TEST
/* Through a link that cannot carry it, to a receiver that is gone: three intervals
 * of RTCP at the start rate, then half of it, and so on. */
START_TEST (a_start_without_reports_ends)
{
  PairConfig config = path_of (2.0, 50 * MS, 1.0, false);
  VirtualPair *pair;

  config.sender.start_rate = 0.3 * MBIT;
  pair = pair_new (&config);
  ck_assert_double_eq_tol (pair_run_bins (pair, 14 * TFRC_SECOND, 1).mean,
      0.3 * MBIT, 0.01 * MBIT);
  pair_run (pair, 46 * TFRC_SECOND);
  ck_assert_double_eq_tol (pair_run_bins (pair, 14 * TFRC_SECOND, 1).mean,
      0.3 * MBIT / 8, 0.01 * MBIT);
  pair_free (pair);
}

END_TEST
/* The table of docs/results/rules.md, D60. */
static void
print_table (void)
{
  static const struct
  {
    double mbit;
    TfrcDuration rtt;
  } rows[] = { { 0.3, 50 * MS }, { 0.3, 300 * MS }, { 2.0, 2 * MS },
    { 2.0, 50 * MS }, { 2.0, 300 * MS } };

  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double lost[2], share[2];

    for (unsigned k = 0; k < 2; k++)
      share[k] =
          get_share (path_of (rows[i].mbit, rows[i].rtt, 0.01 * k, false),
              &lost[k]);
    printf ("| %g Mbit/s, %u ms | %.2f, %.1f %% | %.2f, %.1f %% |\n",
        rows[i].mbit, (unsigned) (rows[i].rtt / MS), share[0], 100 * lost[0],
        share[1], 100 * lost[1]);
  }
}

/* Runs a minute more; returns what arrives in it relative to the link's rate. */
static double
get_minute_share (VirtualPair *pair, double mbit, TfrcTime *now)
{
  uint64_t before = pair_get_counters (pair).received_bytes;

  *now += 60 * TFRC_SECOND;
  pair_run (pair, *now);
  return (double) (pair_get_counters (pair).received_bytes - before)
      / (60.0 * mbit * MBIT);
}

/* A row of the table of docs/results/rules.md, D62. */
static void
print_start (double mbit, TfrcDuration rtt, double start)
{
  PairConfig config = path_of (mbit, rtt, 0.0, false);
  PairCounters counters;
  VirtualPair *pair;
  TfrcTime now = 0;
  double first;

  config.report_bytes = 280000;
  config.sender.start_rate = start * mbit * MBIT;
  pair = pair_new (&config);
  do {
    now += 10 * MS;
    pair_run (pair, now);
    counters = pair_get_counters (pair);
  } while (counters.reports == 0 && now < 100 * TFRC_SECOND);
  printf ("| %g Mbit/s, %u ms | %g | ", mbit, (unsigned) (rtt / MS), start);
  if (counters.reports > 0)
    printf ("%.2f s", tfrc_duration_to_seconds (now));
  else
    printf ("never");
  printf (" | %.0f %% |",
      100.0 * (double) counters.link_losses / (double) counters.packets);
  first = get_minute_share (pair, mbit, &now);
  printf (" %.2f, %.2f |\n", first, get_minute_share (pair, mbit, &now));
  pair_free (pair);
}

static void
print_starts (void)
{
  static const double mbits[] = { 0.3, 2.0, 100.0 };
  static const TfrcDuration rtts[] = { 1 * MS, 300 * MS };
  static const double starts[] = { 0.1, 0.5, 2.0 };

  for (size_t i = 0; i < 3 * 2 * 3; i++)
    print_start (mbits[i / 6], rtts[i / 3 % 2], starts[i % 3]);
}

/* A row of the second table of docs/results/rules.md, D60; `interval` 0: like
 * ffmpeg. */
static void
print_step (TfrcDuration interval, TfrcDuration near_time)
{
  PairConfig config = path_of (2.0, 50 * MS, 0.0, true);
  double below = 0.0, back = 0.0, lost, share;

  if (interval == 0) {
    config.report_bytes = 280000;
    config.sender.start_rate = 0.3 * MBIT;
  } else {
    config.report_interval = interval;
  }
  config.reception.near_time = near_time;
  share = get_share (config, &lost);
  for (config.seed = 1; config.seed <= 10; config.seed++) {
    Step step = step_down_and_up (&config);

    below = fmax (below, tfrc_duration_to_seconds (step.below));
    back = fmax (back, tfrc_duration_to_seconds (step.back));
  }
  if (interval == 0)
    printf ("| 280 kB |");
  else
    printf ("| %g s |", tfrc_duration_to_seconds (interval));
  printf (" %g s | %.2f, %.1f %% | %.1f s | %.1f s |\n",
      tfrc_duration_to_seconds (near_time), share, 100 * lost, below, back);
}

static void
print_steps (void)
{
  static const TfrcDuration intervals[] = { 5000 * MS, 2000 * MS, 1000 * MS,
    500 * MS, 250 * MS };

  for (size_t i = 0; i < 5 * 2; i++)
    print_step (intervals[i / 2], i % 2 * 2 * TFRC_SECOND);
  print_step (0, 2 * TFRC_SECOND);
}

/* A row of the third table of docs/results/rules.md, D60. */
static void
print_loss (double loss, TfrcDuration rtt)
{
  static const TfrcDuration intervals[] = { 5000 * MS, 500 * MS };

  printf ("| %g %%, %u ms |", 100 * loss, (unsigned) (rtt / MS));
  for (size_t i = 0; i < 2 * 2; i++)
    printf (" %.2f |",
        get_part_of_equation (loss, rtt, intervals[i / 2],
            i % 2 ? 5 * TFRC_SECOND : 0));
  printf ("\n");
}

static void
print_losses (void)
{
  for (size_t i = 0; i < 4 * 2; i++)
    print_loss (losses[i / 2], i % 2 ? 100 * MS : 50 * MS);
}

int
main (int argc, char **argv)
{
  Suite *suite;
  TCase *tcase;

  if (argc > 1 && strcmp (argv[1], "--table") == 0) {
    print_table ();
    return EXIT_SUCCESS;
  }
  if (argc > 1 && strcmp (argv[1], "--starts") == 0) {
    print_starts ();
    return EXIT_SUCCESS;
  }
  if (argc > 1 && strcmp (argv[1], "--steps") == 0) {
    print_steps ();
    return EXIT_SUCCESS;
  }
  if (argc > 1 && strcmp (argv[1], "--losses") == 0) {
    print_losses ();
    return EXIT_SUCCESS;
  }
  suite = suite_create ("pair-reception-reports");
  tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, most_of_a_clean_link_is_used, 0, 12);
  tcase_add_loop_test (tcase, a_circuit_breaker_leaves_a_fast_link_to_be_used,
      0, sizeof fast_paths / sizeof fast_paths[0]);
  tcase_add_loop_test (tcase,
      a_circuit_breaker_leaves_a_link_that_became_faster_to_be_found, 0, SEEDS);
  tcase_add_loop_test (tcase,
      losses_that_are_not_ours_cost_what_the_equation_says, 0, 2);
  tcase_add_loop_test (tcase, often_reported_losses_cost_what_the_equation_says,
      0, 8);
  tcase_add_loop_test (tcase,
      two_reports_after_a_step_the_rate_is_below_the_link, 0, 6);
  tcase_add_loop_test (tcase, two_reports_a_second_make_steps_short, 0, 4);
  tcase_add_loop_test (tcase, rare_reports_find_a_faster_link_within_a_minute,
      0, 6);
  tcase_add_test (tcase, a_path_that_dies_stops_the_flow);
  tcase_add_test (tcase, losses_as_events_would_leave_the_link_unused);
  tcase_add_loop_test (tcase,
      a_receiver_that_reports_by_bytes_is_heard_with_a_start_rate, 0, 12);
  tcase_add_test (tcase, a_receiver_that_reports_by_bytes_is_missed);
  tcase_add_test (tcase, a_start_without_reports_ends);
  return run_check_suite (suite);
}
