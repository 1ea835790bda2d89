/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A day on a bad link: sequence numbers wrap about 40 times, timestamps 20 times,
 * and nothing may degrade. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "virtual-pair.h"

#define DAY (24 * 3600) /* [s] */

/* Every ten minutes: 300 kbit/s, 100 kbit/s, an outage of 10 s, 300 kbit/s. */
static PairConfig
day_config (void)
{
  PairConfig config = pair_config_default ();

  config.forward.rate = 37500.0;
  config.forward.queue_limit = 300 * MS;
  config.forward.steps[0] = (LinkStep) { 200 * TFRC_SECOND, 12500.0 };
  config.forward.steps[1] = (LinkStep) { 300 * TFRC_SECOND, 0.0 };
  config.forward.steps[2] = (LinkStep) { 310 * TFRC_SECOND, 37500.0 };
  config.forward.n_steps = 3;
  config.forward.repeat = 600 * TFRC_SECOND;
  config.forward.loss = 0.002;
  config.forward.jitter = 5 * MS;
  config.forward.duplicate = 0.001;
  config.back.loss = 0.01;
  config.packet_size = 900;
  config.sender.max_segment_size = 900;
  config.sender.timestamp_offset_us = 0xFFFF0000;
  return config;
}

START_TEST (a_day_passes)
{
  PairConfig config = day_config ();
  VirtualPair *pair = pair_new (&config);
  const TfrcSender *sender = pair_get_sender (pair);
  double bytes[24];
  unsigned second, hour;
  bool ok = true;

  for (second = 1; second <= DAY; second++) {
    uint64_t before = pair_get_counters (pair).received_bytes;
    TfrcRate rate;

    pair_run (pair, second * TFRC_SECOND);
    hour = (second - 1) / 3600;
    if ((second - 1) % 3600 == 0)
      bytes[hour] = 0.0;
    bytes[hour] += (double) (pair_get_counters (pair).received_bytes - before);
    rate = sender->rate;
    ok = ok && isfinite (rate) && rate >= 899.0 / 64.0 && rate <= 4.0 * 37500.0
        && sender->loss_event_rate >= 0.0 && sender->loss_event_rate <= 1.0
        && isfinite (tfrc_sender_get_pacing_rate (sender))
        && tfrc_sender_next_deadline (sender) > second * TFRC_SECOND;
    if (!ok)
      ck_abort_msg ("second %u: rate %g", second, rate);
  }
  /* The last hour is as good as the second, within 10 %. */
  ck_assert_double_ge (bytes[23], 0.9 * bytes[1]);
  ck_assert_double_le (bytes[23], 1.1 * bytes[1]);
  /* An hour offers 3600 * (490 * 37500 + 100 * 12500) / 600 bytes; most of it
   * is used. */
  ck_assert_double_ge (bytes[23], 0.75 * 117750000.0);
  ck_assert_uint_eq (pair_get_check_counters (pair).feedback_invalid, 0);
  ck_assert_uint_gt (pair_get_counters (pair).packets, 40u * 65536u);
  pair_free (pair);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("pair-day");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_day_passes);
  return run_check_suite (suite);
}
