/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of unicast. */
#include <stddef.h>

#include "ablation.h"
#include "sender-flow.h"
#include "virtual-bottleneck.h"
#include "virtual-pair.h"

/* Seconds until `rate` is reached behind an outage that begins after 20 s, at
 * most `limit`. */
static double
return_after (TfrcDuration outage, TfrcRate rate, TfrcDuration limit)
{
  PairConfig config = pair_config_of (2.0 * MBIT, 50 * MS);
  LinkConfig dead = config.forward;
  VirtualPair *pair = pair_new (&config);
  TfrcDuration back;

  dead.rate = 0.0;
  pair_run (pair, 20 * S);
  pair_set_forward (pair, &dead);
  pair_run (pair, 20 * S + outage);
  pair_set_forward (pair, &config.forward);
  back = pair_run_until_above (pair, rate, S, limit);
  pair_free (pair);
  return tfrc_duration_to_seconds (back == TFRC_TIME_NONE ? limit : back);
}

/* A link of 2 Mbit/s is gone for three minutes. */
static double
return_after_outage (void)
{
  return return_after (180 * S, MBIT, 200 * S);
}

/* 20 Mbit/s, 300 ms, one packet in 20 is overtaken by six. */
static double
start_on_reordering_path (void)
{
  PairConfig config = pair_config_default ();
  VirtualPair *pair;
  TfrcDuration start;

  config.sender.max_rate = 20.0 * MBIT;
  config.forward.delay = config.back.delay = 150 * MS;
  config.forward.reorder = 0.05;
  config.forward.reorder_packets = 6;
  pair = pair_new (&config);
  start = pair_run_until_above (pair, 18.0 * MBIT, 500 * MS, 120 * S);
  pair_free (pair);
  return start == TFRC_TIME_NONE ? 120.0 : tfrc_duration_to_seconds (start);
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

/* A loopback, where frames are 300 RTTs apart. */
static double
expiries_on_short_path (void)
{
  PairConfig config = pair_config_of (1000.0 * MBIT, MS / 10);

  config.frame_interval = 33 * MS;
  return count_expiries (&config, 60 * S);
}

/* After 8 s without the link, to three quarters of it. */
static double
return_after_short_outage (void)
{
  return return_after (8 * S, 1.5 * MBIT, 100 * S);
}

/* A video of 1 Mbit/s, which a link of 10 Mbit/s holds for 200 ms; a minute later it has
 * half of that: packets lost in 10 s. */
static double
losses_long_after_a_burst (void)
{
  PairConfig config = pair_config_of (10.0 * MBIT, 10 * MS);
  LinkConfig held = config.forward;
  VirtualPair *pair;
  uint64_t before;
  double lost;

  config.frame_interval = 33 * MS;
  config.encoder_max_rate = MBIT;
  config.forward.queue_limit = 300 * MS;
  held.rate = 1.0;
  held.queue_limit = TFRC_TIME_NONE;
  pair = pair_new (&config);
  pair_run (pair, 60 * S);
  pair_set_forward (pair, &held);
  pair_run (pair, 60 * S + 200 * MS);
  pair_set_forward (pair, &config.forward);
  pair_run (pair, 120 * S);
  before = pair_get_counters (pair).link_losses;
  config.forward.rate = 0.5 * MBIT;
  config.forward.queue_limit = 100 * MS;
  pair_set_forward (pair, &config.forward);
  pair_run (pair, 130 * S);
  lost = (double) (pair_get_counters (pair).link_losses - before);
  pair_free (pair);
  return lost;
}

/* 200 Mbit/s over 0.1 ms. */
static double
reports_on_shortest_path (void)
{
  PairConfig config = pair_config_default ();
  VirtualPair *pair;
  double rate;

  config.sender.max_rate = 200.0 * MBIT;
  config.forward.delay = config.back.delay = 50 * TFRC_MICROSECOND;
  pair = pair_new (&config);
  pair_run (pair, 5 * S);
  rate = (double) pair_get_counters (pair).reports / 5.0;
  pair_free (pair);
  return rate;
}

/* A sender of 0.32 Mbit/s, whose receiver says that it gets 1 Gbit/s. */
static double
rate_by_a_lie (void)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  static TfrcCheckedSender checked;

  config.max_segment_size = 1000;
  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  for (TfrcTime now = 0; now < 2 * S; now += 25 * MS) {
    tfrc_checked_sender_on_sent (&checked, 1000, true, now);
    if (now >= 100 * MS)
      sender_flow_report (&checked, now - 100 * MS,
          now == 100 * MS ? 0.0 : 1000.0 * MBIT, 0.0001, now);
  }
  return checked.sender.rate / MBIT;
}

/* 1 Mbit/s, 300 ms; the source pauses for every other second: packets lost in 40 s. */
static double
losses_behind_pauses (void)
{
  PairConfig config = pair_config_of (1.0 * MBIT, 300 * MS);
  VirtualPair *pair = pair_new (&config);
  uint64_t before;
  double lost;

  pair_run (pair, 20 * S);
  before = pair_get_counters (pair).link_losses;
  for (unsigned i = 0; i < 40; i++) {
    pair_set_paused (pair, i % 2 == 0);
    pair_run (pair, (21 + i) * S);
  }
  lost = (double) (pair_get_counters (pair).link_losses - before);
  pair_free (pair);
  return lost;
}

/* 4 Mbit/s fade to 25 kbit/s for 10 s; the buffer holds 0.2 s of the link. */
static double
return_after_fade (void)
{
  PairConfig config = pair_config_of (4.0 * MBIT, 50 * MS);
  VirtualPair *pair;
  TfrcDuration back;

  config.frame_interval = 33 * MS;
  config.forward.queue_limit = TFRC_TIME_NONE;
  config.forward.queue_limit_bytes = 100000;
  pair = pair_new (&config);
  pair_run (pair, 20 * S);
  config.forward.rate = 0.025 * MBIT;
  pair_set_forward (pair, &config.forward);
  pair_run (pair, 30 * S);
  config.forward.rate = 4.0 * MBIT;
  pair_set_forward (pair, &config.forward);
  back = pair_run_until_above (pair, 3.2 * MBIT, S, 60 * S);
  pair_free (pair);
  return back == TFRC_TIME_NONE ? 60.0 : tfrc_duration_to_seconds (back);
}

/* Beside one CUBIC flow on 20 Mbit/s, 50 ms, with a queue of 200 ms. */
static double
rate_beside_cubic (void)
{
  BottleneckConfig config = bottleneck_config_default ();
  VirtualBottleneck *link;
  uint64_t before, bytes;

  config.forward.rate = 20 * MBIT;
  config.forward.queue_limit = 200 * MS;
  config.access_jitter = tfrc_rate_time_for (config.forward.rate, 1200.0);
  config.n_flows = 2;
  config.flows[1].kind = BOTTLENECK_CUBIC;
  link = bottleneck_new (&config);
  bottleneck_run (link, 30 * S);
  before = bottleneck_get_counters (link, 0).received_bytes;
  bottleneck_run (link, 90 * S);
  bytes = bottleneck_get_counters (link, 0).received_bytes - before;
  bottleneck_free (link);
  return tfrc_rate_of ((double) bytes, 60 * S) / MBIT;
}

const Ablation unicast_ablations[] = {
  { "cubic", "20 Mbit/s beside one CUBIC, 200 ms of queue [Mbit/s]",
      rate_beside_cubic, false },
  { "probes", "half of 2 Mbit/s again after 3 min without a link [s]",
      return_after_outage, true },
  { "nofeedback-minimum", "video, 0.1 ms, 1 Gbit/s: expiries in a minute",
      expiries_on_short_path, true },
  { "outages", "1.5 of 2 Mbit/s again after 8 s without a link [s]",
      return_after_short_outage, true },
  { "recent-maximum",
      "half the rate a minute after a burst: packets lost in 10 s",
      losses_long_after_a_burst, true },
  { "report-interval", "200 Mbit/s, 0.1 ms: reports per second",
      reports_on_shortest_path, true },
  { "receive-rate-clamp", "0.32 Mbit/s sent, 1 Gbit/s reported: X [Mbit/s]",
      rate_by_a_lie, true },
  { "reordering", "start to 18 Mbit/s, 300 ms, overtaken by 6 [s]",
      start_on_reordering_path, true },
  { "credit", "1 Mbit/s, 300 ms, pauses of 1 s in 2: packets lost",
      losses_behind_pauses, true },
  { "fast-return", "3.2 of 4 Mbit/s again behind 10 s of 25 kbit/s [s]",
      return_after_fade, true },
  { NULL, NULL, NULL, false },
};
