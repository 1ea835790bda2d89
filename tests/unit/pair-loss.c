/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random losses: the rate is that of the equation for the loss events and the RTT
 * of the link itself. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "virtual-pair.h"

typedef struct
{
  TfrcRate rate;
  double variation;
  TfrcRate equation; /* counted by the link itself */
} Outcome;

/* With our deviations, and without. */
static PairConfig
config_of (int i)
{
  return i == 0 ? pair_config_default () : pair_config_rfc5348 ();
}

static Outcome
run (const PairConfig *config, unsigned seconds)
{
  VirtualPair *pair = pair_new (config);
  PairCounters before, after;
  PairRates rates;
  double p, rtt;
  TfrcPath path;

  pair_run (pair, 20 * TFRC_SECOND);
  before = pair_get_counters (pair);
  rates = pair_run_bins (pair, TFRC_SECOND, seconds);
  after = pair_get_counters (pair);
  p = (double) (after.link_loss_events - before.link_loss_events)
      / (double) (after.packets - before.packets);
  rtt = (after.rtt_sum - before.rtt_sum)
      / (double) (after.rtt_samples - before.rtt_samples);
  path = tfrc_path_rfc5348 (config->packet_size,
      tfrc_duration_from_seconds (rtt));
  pair_free (pair);
  return (Outcome) { rates.mean, rates.variation,
    tfrc_equation_rate (&path, p) };
}

/* The mean of eight intervals spreads by 1 / sqrt (8), and the rate with it; over
 * 300 s and some thousand loss events its mean is within a few per cent. */
static const struct
{
  double loss;
  TfrcDuration delay;
} paths[] = {
  { 0.02, 25 * MS },
  { 0.02, 50 * MS },
  { 0.005, 50 * MS },
  { 0.05, 25 * MS },
};

START_TEST (the_rate_is_that_of_the_equation)
{
  PairConfig config = config_of (_i % 2);
  Outcome outcome;

  config.forward.rate = 10 * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.loss = paths[_i / 2].loss;
  config.forward.delay = config.back.delay = paths[_i / 2].delay;
  outcome = run (&config, 300);
  ck_assert_double_ge (outcome.rate, 0.8 * outcome.equation);
  ck_assert_double_le (outcome.rate, 1.2 * outcome.equation);
  ck_assert_double_le (outcome.variation, 0.3);
}

END_TEST
START_TEST (one_per_cent_leaves_three_quarters_of_two_megabits)
{
  PairConfig config = config_of (_i);

  config.forward.rate = 2 * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.loss = 0.01;
  ck_assert_double_ge (run (&config, 120).rate, 1.5 * MBIT);
}

END_TEST
START_TEST (lost_feedback_hardly_matters)
{
  /* Every fifth report is lost: X_recv_set and p in the next one show the same. */
  PairConfig config = config_of (_i);
  Outcome outcome;

  config.forward.rate = 10 * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.loss = 0.02;
  config.back.loss = 0.2;
  outcome = run (&config, 300);
  ck_assert_double_ge (outcome.rate, 0.75 * outcome.equation);
  ck_assert_double_le (outcome.rate, 1.25 * outcome.equation);
}

END_TEST
START_TEST (a_shorter_timeout_raises_the_rate_where_losses_are_frequent)
{
  /* p near 0.1: t_RTO = max (1 s, ...) / 3 compared with 4 R = 0.2 s, so TCP's RTO
   * lowers the rate below RFC 5348's, and a third of it by less. */
  static const TfrcRtoMode modes[] = { TFRC_RTO_RFC5348, TFRC_RTO_SCALED,
    TFRC_RTO_TCP };
  TfrcRate rates[3];
  int i;

  for (i = 0; i < 3; i++) {
    PairConfig config = config_of (_i);

    config.forward.rate = 10 * MBIT;
    config.forward.loss = 0.1;
    config.sender.rto.mode = modes[i];
    rates[i] = run (&config, 300).rate;
  }
  ck_assert_double_gt (rates[0], 1.1 * rates[1]);
  ck_assert_double_gt (rates[1], 1.3 * rates[2]);
}

END_TEST
/* A first loss at 20 Mbit/s, R = 200 ms: 416.7 packets per R give 1/p = 14540.5 by
 * CUBIC and 115758.7 by Reno.  At the latter CUBIC's X is (115758.7 /
 * 14540.5)^(3/4) = 4.74 times that, at the former Reno's (14540.5 / 115758.7)^(1/2)
 * = 0.354: the result if the two ends do not use the same TCP. */
static const struct
{
  TfrcTcp sender, receiver;
  /* If not 0: packet feedback, the receiver runs at the sender. */
  TfrcDuration report_interval;
  double share; /* X_Bps relative to the receive rate */
} ends[] = {
  { TFRC_TCP_CUBIC, TFRC_TCP_CUBIC, 0, 1.0 },
  { TFRC_TCP_RENO, TFRC_TCP_RENO, 0, 1.0 },
  { TFRC_TCP_CUBIC, TFRC_TCP_RENO, 0, 4.74 },
  { TFRC_TCP_RENO, TFRC_TCP_CUBIC, 0, 0.354 },
  { TFRC_TCP_CUBIC, TFRC_TCP_CUBIC, 50 * MS, 1.0 },
  { TFRC_TCP_RENO, TFRC_TCP_RENO, 50 * MS, 1.0 },
};

START_TEST (a_first_loss_leaves_what_arrived)
{
  PairConfig config = pair_config_default ();
  const TfrcRate rate = 20 * MBIT;
  LinkConfig lossy;
  VirtualPair *pair;

  config.sender.tcp = ends[_i].sender;
  config.receiver.tcp = config.sender_based.receiver.tcp = ends[_i].receiver;
  config.report_interval = ends[_i].report_interval;
  config.report_timed = true;
  config.sender.max_rate = rate;
  config.forward.delay = config.back.delay = 100 * MS;
  lossy = config.forward;
  lossy.loss = 1.0;
  pair = pair_new (&config);
  pair_run (pair, 20 * TFRC_SECOND);
  pair_set_forward (pair, &lossy);
  pair_run (pair, 20 * TFRC_SECOND + MS);
  pair_set_forward (pair, &config.forward);
  pair_run (pair, 20500 * MS);
  ck_assert_double_eq_tol (pair_get_sender (pair)->equation_rate / rate,
      ends[_i].share, 0.03 * ends[_i].share);
  /* However high X_Bps is, X is at most twice the receive rate. */
  ck_assert_double_le (pair_get_sender (pair)->receive_limit, 2.06 * rate);
  pair_free (pair);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("pair-loss");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, the_rate_is_that_of_the_equation, 0,
      2 * sizeof paths / sizeof paths[0]);
  tcase_add_loop_test (tcase,
      one_per_cent_leaves_three_quarters_of_two_megabits, 0, 2);
  tcase_add_loop_test (tcase, lost_feedback_hardly_matters, 0, 2);
  tcase_add_loop_test (tcase,
      a_shorter_timeout_raises_the_rate_where_losses_are_frequent, 0, 2);
  tcase_add_loop_test (tcase, a_first_loss_leaves_what_arrived, 0,
      sizeof ends / sizeof ends[0]);
  return run_check_suite (suite);
}
