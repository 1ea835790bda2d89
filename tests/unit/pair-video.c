/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An encoder of 30 frames/s that follows the allowed rate up to a limit: the flow
 * is data-limited most of the time. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "virtual-pair.h"

static PairConfig
video_config (TfrcDuration rtt, TfrcRate link, TfrcRate encoder)
{
  PairConfig config = pair_config_default ();

  config.frame_interval = TFRC_SECOND / 30;
  config.encoder_max_rate = encoder;
  config.forward.rate = link;
  config.forward.queue_limit = 100 * MS;
  config.forward.delay = config.back.delay = rtt / 2;
  return config;
}

/* 20 Mbit/s, encoder capped at 3 Mbit/s: where the RTT is below the 33 ms
 * between frames most RTT-long windows are empty and the others hold a burst. */
static const TfrcDuration rtts[] = {
  1 * MS,
  5 * MS,
  10 * MS,
  15 * MS,
  20 * MS,
  25 * MS,
  33 * MS,
  40 * MS,
  50 * MS,
  100 * MS,
  300 * MS,
};

START_TEST (an_unused_link_keeps_the_encoder_at_its_bound)
{
  PairConfig config = video_config (rtts[_i], 20 * MBIT, 3 * MBIT);
  VirtualPair *pair = pair_new (&config);
  PairRates rates;
  int i;

  pair_run (pair, 10 * TFRC_SECOND);
  for (i = 0; i < 60; i++) {
    rates = pair_run_bins (pair, TFRC_SECOND, 1);
    ck_assert_double_ge (rates.mean, 0.95 * 3 * MBIT);
    ck_assert_double_le (rates.mean, 1.05 * 3 * MBIT);
    /* Nor does the allowed rate grow without bounds: a frame of 12500 bytes cannot
     * arrive faster than the link is, and twice that is the limit; or W_init / R. */
    ck_assert_double_le ((pair_get_sender (pair))->rate,
        fmax (2.1 * 20 * MBIT, pair_get_sender (pair)->initial_rate));
  }
  pair_free (pair);
}

END_TEST
START_TEST (no_timer_expires_on_a_loopback)
{
  /* R = 0.1 ms, 1 Gbit/s: two reports per frame and 33 ms between frames.  A
   * nofeedback timer of 4 R would expire with every frame. */
  PairConfig config = video_config (MS / 10, 1000 * MBIT, 3 * MBIT);
  VirtualPair *pair = pair_new (&config);
  TfrcSenderCounters counters;

  pair_run (pair, 10 * TFRC_SECOND);
  counters = (pair_get_sender (pair))->counters;
  ck_assert_uint_ge (counters.feedback, 300);
  ck_assert_uint_eq (counters.nofeedback_expiries, 0);
  pair_free (pair);
}

END_TEST
START_TEST (rare_losses_do_not_stop_the_encoder)
{
  /* 0.1 %, RTT up to 40 ms: the equation at p = 0.001 gives 5.6 Mbit/s * 1200/1460
   * * 100/40 and more, so the losses of a data-limited flow may lower the rate for
   * an RTT, but no longer. */
  PairConfig config = video_config (rtts[_i], 20 * MBIT, 3 * MBIT);
  VirtualPair *pair;
  PairRates rates;

  config.forward.loss = 0.001;
  pair = pair_new (&config);
  pair_run (pair, 10 * TFRC_SECOND);
  rates = pair_run_bins (pair, TFRC_SECOND, 120);
  ck_assert_double_ge (rates.mean, 0.95 * 3 * MBIT);
  ck_assert_double_ge (rates.lowest, 0.7 * 3 * MBIT);
  pair_free (pair);
}

END_TEST
START_TEST (the_encoder_fits_a_narrow_link)
{
  /* 1 Mbit/s for an encoder that could use 3. */
  PairConfig config = video_config (50 * MS, 1 * MBIT, 3 * MBIT);
  VirtualPair *pair = pair_new (&config);
  PairRates rates;
  uint64_t dropped;

  pair_run (pair, 10 * TFRC_SECOND);
  dropped = pair_get_counters (pair).frames_dropped;
  rates = pair_run_bins (pair, TFRC_SECOND, 60);
  ck_assert_double_ge (rates.mean, 0.8 * MBIT);
  ck_assert_double_le (rates.mean, 1.02 * MBIT);
  /* Hardly any of 1800 frames waits for more than 200 ms. */
  ck_assert_uint_le (pair_get_counters (pair).frames_dropped - dropped, 18);
  pair_free (pair);
}

END_TEST
START_TEST (video_flows_over_a_telephone_line)
{
  /* 64 kbit/s are 267 bytes per frame. */
  PairConfig config = video_config (100 * MS, 8000.0, 3 * MBIT);
  VirtualPair *pair;
  int i;

  config.forward.queue_limit = TFRC_SECOND;
  config.packet_size = 300;
  config.sender.max_segment_size = 300;
  pair = pair_new (&config);
  pair_run (pair, 20 * TFRC_SECOND);
  for (i = 0; i < 60; i++) {
    PairRates rates = pair_run_bins (pair, TFRC_SECOND, 1);

    ck_assert_double_ge (rates.mean, 0.5 * 8000.0);
  }
  pair_free (pair);
}

END_TEST
START_TEST (a_still_scene_keeps_the_rate_for_the_next_cut)
{
  /* A minute at 30 kbit/s; the rate used before stays allowed. */
  PairConfig config = video_config (50 * MS, 20 * MBIT, 3 * MBIT);
  VirtualPair *pair = pair_new (&config);
  TfrcRate before;

  pair_run (pair, 10 * TFRC_SECOND);
  before = (pair_get_sender (pair))->rate;
  pair_set_encoder_max_rate (pair, 0.03 * MBIT);
  pair_run (pair, 70 * TFRC_SECOND);
  ck_assert_double_ge ((pair_get_sender (pair))->rate, 0.5 * before);
  ck_assert_double_le ((pair_get_sender (pair))->rate, 1.1 * before);
  pair_free (pair);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("pair-video");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, an_unused_link_keeps_the_encoder_at_its_bound, 0,
      sizeof rtts / sizeof rtts[0]);
  tcase_add_test (tcase, no_timer_expires_on_a_loopback);
  tcase_add_loop_test (tcase, rare_losses_do_not_stop_the_encoder, 0, 8);
  tcase_add_test (tcase, the_encoder_fits_a_narrow_link);
  tcase_add_test (tcase, video_flows_over_a_telephone_line);
  tcase_add_test (tcase, a_still_scene_keeps_the_rate_for_the_next_cut);
  return run_check_suite (suite);
}
