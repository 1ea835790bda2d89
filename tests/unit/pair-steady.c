/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sender and receiver over one bottleneck that does not change: 50 ms RTT,
 * drop-tail. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "virtual-pair.h"

/* With our deviations, and without. */
static PairConfig
config_of (int i)
{
  return i == 0 ? pair_config_default () : pair_config_rfc5348 ();
}

START_TEST (a_greedy_flow_fills_the_link_smoothly)
{
  /* 2 Mbit/s, 100 ms of queue.  If losses come from the queue alone the rate stays
   * near that of the link: at least 0.93 of it is sent; above it no more than the
   * losses, 1 %. */
  PairConfig config = config_of (_i);
  VirtualPair *pair;
  PairRates rates;
  const TfrcSender *sender;

  config.forward.rate = 2 * MBIT;
  config.forward.queue_limit = 100 * MS;
  pair = pair_new (&config);
  sender = pair_get_sender (pair);
  pair_run (pair, 10 * TFRC_SECOND);
  rates = pair_run_bins (pair, TFRC_SECOND, 60);
  ck_assert_double_ge (rates.mean, 0.93 * 2 * MBIT);
  ck_assert_double_le (rates.mean, 1.01 * 2 * MBIT);
  /* Virtual time is reproducible: 0.0061, and 0.0064 without our deviations.  One
   * packet more or less of the 208 per second is 0.005. */
  ck_assert_double_le (rates.variation, 0.01);
  /* The RTT is that of the path, of its queue, and of one packet. */
  ck_assert_uint_ge (sender->rtt.rtt, 50 * MS);
  ck_assert_uint_le (sender->rtt.rtt, 155 * MS);
  ck_assert_uint_eq (sender->counters.feedback_data_limited, 0);
  ck_assert_uint_eq (pair_get_check_counters (pair).feedback_invalid, 0);
  ck_assert_uint_eq (pair_get_check_counters (pair).feedback_stale, 0);
  ck_assert_uint_eq (sender->counters.nofeedback_expiries, 0);
  pair_free (pair);
}

END_TEST
START_TEST (slow_start_reaches_the_link_within_a_second)
{
  /* W_init = 4380 bytes in 50 ms are 87600 bytes/s; doubling every 50 ms takes two
   * RTTs to 250000.  With the first report at 50 ms plus the wait of reports (up to
   * one RTT each): well within 1 s. */
  PairConfig config = config_of (_i);
  VirtualPair *pair;

  config.forward.rate = 2 * MBIT;
  config.forward.queue_limit = 100 * MS;
  pair = pair_new (&config);
  ck_assert_uint_le (pair_run_until_above (pair, 0.93 * 2 * MBIT, 200 * MS,
                         10 * TFRC_SECOND),
      TFRC_SECOND);
  pair_free (pair);
}

END_TEST
START_TEST (a_telephone_line_is_used)
{
  /* 64 kbit/s, 300-byte packets of 37.5 ms each, queue of 1 s: a window of 27
   * packets, so losses every few hundred packets. */
  PairConfig config = config_of (_i);
  VirtualPair *pair;
  PairRates rates;

  config.forward.rate = 8000.0;
  config.forward.queue_limit = TFRC_SECOND;
  config.packet_size = 300;
  config.sender.max_segment_size = 300;
  pair = pair_new (&config);
  pair_run (pair, 20 * TFRC_SECOND);
  rates = pair_run_bins (pair, TFRC_SECOND, 120);
  ck_assert_double_ge (rates.mean, 0.93 * 8000.0);
  ck_assert_double_gt (rates.lowest, 0.5 * 8000.0);
  pair_free (pair);
}

END_TEST
START_TEST (a_satellite_path_is_used)
{
  /* 600 ms RTT, 4 Mbit/s, a queue of 300 ms. */
  PairConfig config = config_of (_i);
  VirtualPair *pair;
  PairRates rates;

  config.forward.rate = 4 * MBIT;
  config.forward.queue_limit = 300 * MS;
  config.forward.delay = 300 * MS;
  config.back.delay = 300 * MS;
  pair = pair_new (&config);
  pair_run (pair, 120 * TFRC_SECOND);
  rates = pair_run_bins (pair, TFRC_SECOND, 240);
  ck_assert_double_ge (rates.mean, 0.85 * 4 * MBIT);
  ck_assert_uint_eq (pair_get_sender (pair)->counters.nofeedback_expiries, 0);
  pair_free (pair);
}

END_TEST
START_TEST (equal_seeds_give_equal_runs)
{
  PairConfig config = config_of (_i);
  PairCounters counters[2];
  int i;

  config.forward.rate = 2 * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.loss = 0.01;
  for (i = 0; i < 2; i++) {
    VirtualPair *pair = pair_new (&config);

    pair_run (pair, 30 * TFRC_SECOND);
    counters[i] = pair_get_counters (pair);
    pair_free (pair);
  }
  ck_assert_uint_eq (counters[0].bytes, counters[1].bytes);
  ck_assert_uint_eq (counters[0].link_losses, counters[1].link_losses);
  ck_assert (counters[0].rtt_sum == counters[1].rtt_sum);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("pair-steady");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, a_greedy_flow_fills_the_link_smoothly, 0, 2);
  tcase_add_loop_test (tcase, slow_start_reaches_the_link_within_a_second, 0,
      2);
  tcase_add_loop_test (tcase, a_telephone_line_is_used, 0, 2);
  tcase_add_loop_test (tcase, a_satellite_path_is_used, 0, 2);
  tcase_add_loop_test (tcase, equal_seeds_give_equal_runs, 0, 2);
  return run_check_suite (suite);
}
