/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of unicast. */
#include <stddef.h>

#include "ablation.h"
#include "sender-flow.h"
#include "virtual-pair.h"

#define MS TFRC_MILLISECOND
#define S TFRC_SECOND
#define MBIT 125000.0 /* bytes/s of 1 Mbit/s */

/* A link of 2 Mbit/s is gone for three minutes. */
static double
return_after_outage (void)
{
  PairConfig config = pair_config_default ();
  VirtualPair *pair;
  LinkConfig dead;
  TfrcDuration back;

  config.forward.rate = 2.0 * MBIT;
  config.forward.queue_limit = 100 * MS;
  dead = config.forward;
  dead.rate = 0.0;
  pair = pair_new (&config);
  pair_run (pair, 20 * S);
  pair_set_forward (pair, &dead);
  pair_run (pair, 200 * S);
  pair_set_forward (pair, &config.forward);
  back = pair_run_until_above (pair, MBIT, S, 200 * S);
  pair_free (pair);
  return back == TFRC_TIME_NONE ? 200.0 : tfrc_duration_to_seconds (back);
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

/* A path of `mbit` Mbit/s, `rtt`, and a queue of 100 ms. */
static PairConfig
path_of (double mbit, TfrcDuration rtt)
{
  PairConfig config = pair_config_default ();

  config.forward.rate = mbit * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.delay = config.back.delay = rtt / 2;
  return config;
}

static double
count_expiries (const PairConfig *config, TfrcDuration duration)
{
  VirtualPair *pair = pair_new (config);
  double count;

  pair_run (pair, duration);
  count = (double) tfrc_sender_get_counters (pair_get_sender (pair))
              .nofeedback_expiries;
  pair_free (pair);
  return count;
}

/* A LAN, where one of ten reports gets lost. */
static double
expiries_on_short_path (void)
{
  PairConfig config = path_of (20.0, MS);

  config.frame_interval = 33 * MS;
  config.back.loss = 0.1;
  return count_expiries (&config, 60 * S);
}

static double
expiries_of_slow_video (void)
{
  PairConfig config = path_of (2.0, 50 * MS);

  config.frame_interval = S;
  return count_expiries (&config, 30 * S);
}

static double
losses_of_start (void)
{
  PairConfig config = path_of (2.0, MS);
  VirtualPair *pair;
  double count;

  config.forward.queue_limit = 50 * MS;
  pair = pair_new (&config);
  pair_run (pair, 5 * S);
  count = (double) pair_get_counters (pair).link_losses;
  pair_free (pair);
  return count;
}

/* After 8 s without the link, to three quarters of it. */
static double
return_after_short_outage (void)
{
  PairConfig config = path_of (2.0, 50 * MS);
  LinkConfig dead = config.forward;
  VirtualPair *pair = pair_new (&config);
  TfrcDuration back;

  dead.rate = 0.0;
  pair_run (pair, 20 * S);
  pair_set_forward (pair, &dead);
  pair_run (pair, 28 * S);
  pair_set_forward (pair, &config.forward);
  back = pair_run_until_above (pair, 1.5 * MBIT, S, 100 * S);
  pair_free (pair);
  return back == TFRC_TIME_NONE ? 100.0 : tfrc_duration_to_seconds (back);
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
  static TfrcGuardedSender guarded;

  config.max_segment_size = 1000;
  tfrc_guarded_sender_init (&guarded, &config, tfrc_sender_guards_default ());
  for (TfrcTime now = 0; now < 2 * S; now += 25 * MS) {
    tfrc_guarded_sender_on_sent (&guarded, 1000, true, now);
    if (now >= 100 * MS)
      sender_flow_report (&guarded, now - 100 * MS,
          now == 100 * MS ? 0.0 : 1000.0 * MBIT, 0.0001, now);
  }
  return tfrc_sender_get_rate (&guarded.sender) / MBIT;
}

/* A sender restarts after a tenth of its packets got lost for 20 s. */
static double
rate_after_restart (void)
{
  PairConfig config = path_of (2.0, 300 * MS);
  LinkConfig lossy = config.forward;
  VirtualPair *pair = pair_new (&config);
  uint64_t before;
  double rate;

  lossy.loss = 0.1;
  pair_set_forward (pair, &lossy);
  pair_run (pair, 20 * S);
  pair_set_forward (pair, &config.forward);
  before = pair_get_counters (pair).received_bytes;
  pair_restart_sender (pair);
  pair_run (pair, 30 * S);
  rate =
      tfrc_rate_of ((double) (pair_get_counters (pair).received_bytes - before),
          10 * S);
  pair_free (pair);
  return rate / MBIT;
}

const Ablation unicast_ablations[] = {
  { "probes", "half of 2 Mbit/s again after 3 min without a link [s]",
      return_after_outage, true, false },
  { "nofeedback-minimum",
      "video, 1 ms, a tenth of reports lost: expiries / min",
      expiries_on_short_path, true, false },
  { "first-packet", "video of 1 frame/s, 50 ms: expiries in 30 s",
      expiries_of_slow_video, true, false },
  { "limit-within-rtt", "start on 2 Mbit/s, 1 ms, 50 ms queue: packets lost",
      losses_of_start, true, false },
  { "outages", "1.5 of 2 Mbit/s again after 8 s without a link [s]",
      return_after_short_outage, true, false },
  { "report-interval", "200 Mbit/s, 0.1 ms: reports per second",
      reports_on_shortest_path, true, false },
  { "receive-rate-clamp", "0.32 Mbit/s sent, 1 Gbit/s reported: X [Mbit/s]",
      rate_by_a_lie, true, false },
  { "reordering", "start to 18 Mbit/s, 300 ms, overtaken by 6 [s]",
      start_on_reordering_path, true, false },
  { "restarts", "10 s after a restart, 10 % lost before [Mbit/s]",
      rate_after_restart, false, false },
  { NULL, NULL, NULL, false, false },
};
