/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The effect of other senders, a receiver's clock, restarts and lost reports on a
 * flow: next to nothing, since all input is checked. */
#include <check.h>
#include <stdlib.h>

#include "check-suite.h"
#include "virtual-pair.h"

/* Mbit/s that arrived in the last `span`; `before` is the number of bytes before
 * it.  Ends the pair. */
static double
rate_since (VirtualPair *pair, uint64_t before, TfrcDuration span)
{
  uint64_t bytes = pair_get_counters (pair).received_bytes - before;

  pair_free (pair);
  return tfrc_rate_of ((double) bytes, span) / MBIT;
}

/* A sender restarts after 20 s in which a tenth of its packets got lost. */
static double
rate_after_restart (void)
{
  PairConfig config = pair_config_of (2.0 * MBIT, 300 * MS);
  LinkConfig lossy = config.forward;
  VirtualPair *pair = pair_new (&config);
  uint64_t before;

  lossy.loss = 0.1;
  pair_set_forward (pair, &lossy);
  pair_run (pair, 20 * S);
  pair_set_forward (pair, &config.forward);
  before = pair_get_counters (pair).received_bytes;
  pair_restart_sender (pair);
  pair_run (pair, 30 * S);
  return rate_since (pair, before, 10 * S);
}

/* Rate of a flow at 2 Mbit/s while another sender's packets, with their own SSRC
 * and clock, arrive every 20 ms for 30 s. */
static double
rate_beside_foreign_packets (void)
{
  PairConfig config = pair_config_of (2.0 * MBIT, 50 * MS);
  VirtualPair *pair = pair_new (&config);
  TfrcDataPacket foreign = {
    .ssrc = 0xBAD, .size = 100, .has_extension = true
  };
  uint64_t before;

  pair_run (pair, 20 * S);
  before = pair_get_counters (pair).received_bytes;
  for (TfrcTime now = 20 * S; now < 50 * S; now += 20 * MS) {
    pair_run (pair, now);
    foreign.seq = (uint16_t) (foreign.seq + 2);
    foreign.extension.send_time_us = (uint32_t) (now / TFRC_MICROSECOND)
        + 0x40000000;
    foreign.extension.rtt = 50 * MS;
    pair_forge_packet (pair, &foreign);
  }
  return rate_since (pair, before, 30 * S);
}

/* An attacker who sees no packets guesses a thousand reports per second. */
static double
rate_beside_guessed_reports (void)
{
  PairConfig config = pair_config_of (2.0 * MBIT, 50 * MS);
  VirtualPair *pair = pair_new (&config);
  TfrcFeedback guess = { .receive_rate = 1000.0, .loss_event_rate = 1.0 };
  uint64_t before;
  TfrcRng rng;

  tfrc_rng_init (&rng, 1, 0);
  pair_run (pair, 20 * S);
  before = pair_get_counters (pair).received_bytes;
  for (TfrcTime now = 20 * S; now < 50 * S; now += MS) {
    pair_run (pair, now);
    guess.echo_time_us = tfrc_rng_next (&rng);
    pair_forge_report (pair, &guess);
  }
  return rate_since (pair, before, 30 * S);
}

/* The receiver does not implement TFRC: it reports arrivals, as in RFC 8888. */
static PairConfig
reported_path (TfrcDuration interval)
{
  PairConfig config = pair_config_of (2.0 * MBIT, 50 * MS);

  config.report_interval = interval;
  config.report_timed = true;
  return config;
}

static double
count_expiries (const PairConfig *config, TfrcDuration duration)
{
  VirtualPair *pair = pair_new (config);
  double count;

  pair_run (pair, duration);
  count = (double) (pair_get_sender (pair))->counters.nofeedback_expiries;
  pair_free (pair);
  return count;
}

static double
expiries_between_reports (void)
{
  PairConfig config = reported_path (250 * MS);

  config.frame_interval = 33 * MS;
  config.encoder_max_rate = MBIT;
  return count_expiries (&config, 60 * S);
}

static double
run_rate (VirtualPair *pair, unsigned seconds)
{
  double rate = pair_run_bins (pair, S, seconds).mean / MBIT;

  pair_free (pair);
  return rate;
}

static double
rate_with_lost_reports (void)
{
  PairConfig config = reported_path (100 * MS);
  VirtualPair *pair;

  config.back.loss = 0.2;
  pair = pair_new (&config);
  pair_run (pair, 20 * S);
  return run_rate (pair, 100);
}

static double
rate_beside_another_receiver (void)
{
  PairConfig config = reported_path (100 * MS);
  VirtualPair *pair = pair_new (&config);

  pair_run (pair, 20 * S);
  pair_add_reporter (pair);
  return run_rate (pair, 60);
}

/* Back by 20 of the 60 s after which it wraps. */
static double
rate_after_clock_was_set (void)
{
  PairConfig config = reported_path (100 * MS);
  VirtualPair *pair = pair_new (&config);

  pair_run (pair, 20 * S);
  pair_set_report_clock (pair, 40 * S);
  return run_rate (pair, 15);
}

/* The limits between which each measured value must lie. */
static const struct
{
  double (*measure) (void);
  double least, most;
} figures[] = {
  { rate_after_restart, 0.9, 1.2 },
  { rate_beside_foreign_packets, 1.9, 2.01 },
  { rate_beside_guessed_reports, 1.9, 2.01 },
  { expiries_between_reports, 0.0, 0.0 },
  { rate_with_lost_reports, 1.9, 2.01 },
  { rate_beside_another_receiver, 1.9, 2.01 },
  { rate_after_clock_was_set, 1.8, 2.0 },
};

#define N_FIGURES (sizeof figures / sizeof figures[0])

START_TEST (a_flow_keeps_its_rate)
{
  double figure = figures[_i].measure ();

  ck_assert_double_ge (figure, figures[_i].least);
  ck_assert_double_le (figure, figures[_i].most);
}

END_TEST
int
main (void)
{
  Suite *suite = suite_create ("pair-strangers");
  TCase *tcase = tcase_create ("general");

  tcase_add_loop_test (tcase, a_flow_keeps_its_rate, 0, N_FIGURES);
  suite_add_tcase (suite, tcase);
  return run_check_suite (suite);
}
