/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sender and receiver over a link that changes: steps, outages, a receiver that
 * restarts. 2 Mbit/s, 50 ms RTT, 100 ms drop-tail. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "virtual-pair.h"

static VirtualPair *
start (TfrcTime first_at, TfrcRate first, TfrcTime second_at)
{
  PairConfig config = pair_config_default ();

  config.forward.rate = 2 * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.steps[0] = (LinkStep) { first_at, first };
  config.forward.steps[1] = (LinkStep) { second_at, 2 * MBIT };
  config.forward.n_steps = 2;
  return pair_new (&config);
}

START_TEST (steps_are_followed)
{
  /* Down: four to eight loss events halve the rate (Floyd et al. 2000 appendix
   * A.2), so from 2000 to 500 kbit/s takes twice that, at an RTT that the queue
   * extends to 150 to 450 ms: 2 s.  Up: by 0.5 packets per RTT in each RTT (with
   * discounting) it takes longer than by doubling, 6 s. */
  VirtualPair *pair = start (30 * TFRC_SECOND, 0.5 * MBIT, 60 * TFRC_SECOND);
  PairRates rates;

  pair_run (pair, 30 * TFRC_SECOND);
  ck_assert_uint_le (pair_run_until_below (pair, 1.1 * 0.5 * MBIT, 500 * MS,
                         20 * TFRC_SECOND),
      2 * TFRC_SECOND);
  pair_run (pair, 40 * TFRC_SECOND);
  rates = pair_run_bins (pair, TFRC_SECOND, 20);
  ck_assert_double_ge (rates.mean, 0.85 * 0.5 * MBIT);
  ck_assert_double_le (rates.mean, 1.05 * 0.5 * MBIT);
  ck_assert_uint_le (pair_run_until_above (pair, 0.8 * 2 * MBIT, 500 * MS,
                         20 * TFRC_SECOND),
      6 * TFRC_SECOND);
  pair_free (pair);
}

END_TEST
/* Nothing arrives for `length`: the rate halves every 4 R, later every two packets,
 * while packets are sent at least every 3 s. */
static const struct
{
  TfrcDuration length, first_packet, recovered;
} outages[] = {
  /* After 5 s a packet is sent every 2 s / X, about as long as the rate has been
   * halving: well within 3 s. */
  { 5 * TFRC_SECOND, 3 * TFRC_SECOND, 7 * TFRC_SECOND },
  { 30 * TFRC_SECOND, 3 * TFRC_SECOND + 50 * MS, 9 * TFRC_SECOND },
  { 300 * TFRC_SECOND, 3 * TFRC_SECOND + 50 * MS, 9 * TFRC_SECOND },
};

START_TEST (an_outage_is_survived)
{
  TfrcTime back_at = 30 * TFRC_SECOND + outages[_i].length;
  VirtualPair *pair = start (30 * TFRC_SECOND, 0.0, back_at);
  uint64_t received, sent;
  TfrcTime now;
  TfrcDuration more;

  pair_run (pair, 31 * TFRC_SECOND);
  sent = pair_get_counters (pair).packets;
  pair_run (pair, back_at);
  received = pair_get_counters (pair).received_bytes;
  /* It falls silent: at most 208 packets/s, halved once in the first second and
   * then every 4 R <= 0.6 s, are 104 * 0.6 * 2 = 125 packets, and then one every 3
   * s. */
  ck_assert_uint_le (pair_get_counters (pair).packets - sent,
      125 + outages[_i].length / (3 * TFRC_SECOND));
  ck_assert_int_eq (pair_get_sender (pair)->state, TFRC_SENDER_NO_FEEDBACK);
  for (now = back_at; pair_get_counters (pair).received_bytes == received;
      now += 10 * MS) {
    ck_assert_uint_le (now - back_at, outages[_i].first_packet);
    pair_run (pair, now);
  }
  more = pair_run_until_above (pair, 1.5 * MBIT, 500 * MS, 60 * TFRC_SECOND);
  ck_assert_uint_ne (more, TFRC_TIME_NONE);
  ck_assert_uint_le (now - back_at + more, outages[_i].recovered);
  pair_free (pair);
}

END_TEST
/* A new receiver has no losses: with p = 0 slow start continues from the present
 * rate, within recv_limit, twice the receive rate.  So the link gets up to twice
 * its rate until the sender learns of a loss: for an RTT of 150 ms with a full
 * queue that is 37,500 bytes too many, 37 packets of 1000, and some more until a
 * report arrives.  It makes no difference if its first report is lost. */
START_TEST (a_restarted_receiver_costs_a_slow_start)
{
  VirtualPair *pair = start (600 * TFRC_SECOND, 2 * MBIT, 601 * TFRC_SECOND);
  LinkConfig back = *link_model_get_config (pair_get_back (pair));
  uint64_t lost_before;
  TfrcTime now = 30 * TFRC_SECOND;
  PairRates rates;

  pair_run (pair, now);
  lost_before = pair_get_counters (pair).link_losses;
  pair_restart_receiver (pair);
  if (_i == 1) {
    back.loss = 1.0;
    pair_set_back (pair, &back);
    while (tfrc_receiver_get_counters (pair_get_receiver (pair)).feedback == 0)
      pair_run (pair, now += TFRC_MILLISECOND);
    back.loss = 0.0;
    pair_set_back (pair, &back);
  }
  /* 200 ms bins of 50000 bytes. */
  rates = pair_run_bins (pair, 200 * MS, 50);
  ck_assert_double_ge (rates.lowest, 0.5 * 2 * MBIT);
  ck_assert_double_le (rates.highest, 2.0 * 2 * MBIT);
  ck_assert_double_ge (rates.mean, 0.85 * 2 * MBIT);
  ck_assert_uint_le (pair_get_counters (pair).link_losses - lost_before, 44);
  pair_free (pair);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("pair-changes");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, steps_are_followed);
  tcase_add_loop_test (tcase, an_outage_is_survived, 0,
      sizeof outages / sizeof outages[0]);
  tcase_add_loop_test (tcase, a_restarted_receiver_costs_a_slow_start, 0, 2);
  return run_check_suite (suite);
}
