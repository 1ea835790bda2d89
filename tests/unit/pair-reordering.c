/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reordered packets do not lower the rate, at any rate and RTT: a path without
 * losses, a sender that always has data and may send up to `max_rate`. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "virtual-pair.h"

#define MAX_RATE (100 * MBIT)
/* In the middle of slow start, at 2.7 Mbit/s. */
#define EVENT_AT (850 * MS)

/* `controls`: with the defaults of the elements. */
static VirtualPair *
start (TfrcRate max_rate, TfrcDuration rtt, double share, size_t overtaken_by,
    bool controls)
{
  PairConfig config = pair_config_default ();

  config.sender_checks.delay_target = controls ? 8 * MS : 0;
  config.sender.max_rate = max_rate;
  config.forward.delay = config.back.delay = rtt / 2;
  config.forward.reorder = share;
  config.forward.reorder_packets = overtaken_by;
  return pair_new (&config);
}

/* One packet sent after EVENT_AT takes the link as it is in `bad`. */
static void
spoil_one_packet (VirtualPair *pair, const LinkConfig *bad)
{
  LinkConfig good = *link_model_get_config (pair_get_forward (pair));
  TfrcTime now = EVENT_AT;
  uint64_t packets;

  pair_run (pair, now);
  packets = pair_get_counters (pair).packets;
  pair_set_forward (pair, bad);
  while (pair_get_counters (pair).packets == packets)
    pair_run (pair, now += TFRC_MICROSECOND);
  pair_set_forward (pair, &good);
}

static TfrcRate
get_rate (const VirtualPair *pair)
{
  return (pair_get_sender (pair))->rate;
}

/* W_init / R doubles in each RTT: 4380 bytes in 100 ms are 0.35 Mbit/s, and
 * 2^9 times that is more than 100. */
START_TEST (an_undisturbed_flow_has_its_rate_after_two_seconds)
{
  VirtualPair *pair = start (MAX_RATE, 100 * MS, 0.0, 0, _i % 2);

  pair_run (pair, 2 * TFRC_SECOND);
  ck_assert_double_eq (get_rate (pair), MAX_RATE);
  pair_free (pair);
}

END_TEST
/* Overtaken by six, the packet counts as lost until it arrives: X is X_Bps for an
 * RTT, then slow start continues.  If it is really lost it is the first loss event,
 * after which X grows by half a packet per RTT in each RTT: 5 Mbit/s in 10 s. */
START_TEST (a_loss_that_was_none_costs_less_than_a_loss)
{
  VirtualPair *late = start (MAX_RATE, 100 * MS, 0.0, 0, _i % 2);
  VirtualPair *lost = start (MAX_RATE, 100 * MS, 0.0, 0, _i % 2);
  LinkConfig bad = *link_model_get_config (pair_get_forward (late));

  bad.reorder = 1.0;
  bad.reorder_packets = 6;
  spoil_one_packet (late, &bad);
  bad.reorder = 0.0;
  bad.loss = 1.0;
  spoil_one_packet (lost, &bad);
  pair_run (late, 3 * TFRC_SECOND);
  pair_run (lost, 3 * TFRC_SECOND);
  ck_assert_double_gt (pair_get_sender (lost)->loss_event_rate, 0.0);
  ck_assert_double_lt (get_rate (lost), 5 * MBIT);
  ck_assert_uint_eq (
      tfrc_receiver_get_counters (pair_get_receiver (late)).packets_late, 1);
  ck_assert_double_eq (pair_get_sender (late)->loss_event_rate, 0.0);
  ck_assert_double_eq (get_rate (late), MAX_RATE);
  pair_free (late);
  pair_free (lost);
}

END_TEST
/* One packet in 20 is overtaken by six: about two packets teach the receiver the
 * tolerance, which costs two or three RTTs of slow start each, and from then on
 * none is declared lost.  If six packets take longer than an RTT, each is declared
 * lost for a moment, and the rate is reached all the same. */
static const struct
{
  double max_rate_mbit;
  unsigned rtt_ms;
} paths[] = {
  { 0.3, 1 },
  { 0.3, 50 },
  { 0.3, 300 },
  { 2, 1 },
  { 2, 50 },
  { 2, 300 },
  { 20, 1 },
  { 20, 50 },
  { 20, 300 },
  { 100, 1 },
  { 100, 50 },
  { 100, 100 },
  { 100, 300 },
};

START_TEST (a_path_that_reorders_keeps_its_rate)
{
  TfrcRate max_rate = paths[_i / 2].max_rate_mbit * MBIT;
  TfrcDuration rtt = paths[_i / 2].rtt_ms * MS;
  VirtualPair *even = start (max_rate, rtt, 0.0, 0, _i % 2);
  VirtualPair *odd = start (max_rate, rtt, 0.05, 6, _i % 2);
  TfrcDuration taken = pair_run_until_above (even, 0.9 * max_rate, 500 * MS,
      60 * TFRC_SECOND);
  PairRates rates;

  ck_assert_uint_le (pair_run_until_above (odd, 0.9 * max_rate, 500 * MS,
                         60 * TFRC_SECOND),
      taken + 6 * rtt + 100 * MS);
  pair_run (odd, 10 * TFRC_SECOND);
  rates = pair_run_bins (odd, TFRC_SECOND, 20);
  ck_assert_double_ge (rates.mean, 0.99 * max_rate);
  ck_assert_double_ge (rates.lowest, 0.9 * max_rate);
  if (6 * 1200 / max_rate < tfrc_duration_to_seconds (rtt))
    ck_assert_uint_le (
        tfrc_receiver_get_counters (pair_get_receiver (odd)).packets_late, 5);
  pair_free (even);
  pair_free (odd);
}

END_TEST
/* A loss is detected at most an RTT later than without tolerance: on a link of 20
 * Mbit/s whose queue of 100 ms is full the flow loses no more. */
START_TEST (reordering_does_not_hide_losses)
{
  double lost[2];

  for (unsigned i = 0; i < 2; i++) {
    PairConfig config = pair_config_default ();
    VirtualPair *pair;

    config.forward.rate = 20 * MBIT;
    config.forward.queue_limit = 100 * MS;
    config.forward.reorder = 0.05 * i;
    config.forward.reorder_packets = 20;
    pair = pair_new (&config);
    pair_run (pair, 60 * TFRC_SECOND);
    ck_assert_double_ge ((double) pair_get_counters (pair).received_bytes,
        0.85 * 60 * config.forward.rate);
    lost[i] = (double) pair_get_counters (pair).link_losses;
    /* What is missing in the end is counted as lost by the receiver, too. */
    ck_assert_double_le (
        fabs ((double) tfrc_receiver_get_counters (pair_get_receiver (pair))
                  .packets_lost
            - lost[i]),
        10.0);
    pair_free (pair);
  }
  ck_assert_double_gt (lost[0], 0.0);
  ck_assert_double_le (lost[1], 1.5 * lost[0]);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("pair-reordering");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      an_undisturbed_flow_has_its_rate_after_two_seconds, 0, 2);
  tcase_add_loop_test (tcase, a_loss_that_was_none_costs_less_than_a_loss, 0,
      2);
  tcase_add_loop_test (tcase, a_path_that_reorders_keeps_its_rate, 0,
      2 * sizeof paths / sizeof paths[0]);
  tcase_add_test (tcase, reordering_does_not_hide_losses);
  return run_check_suite (suite);
}
