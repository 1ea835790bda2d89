/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What it buys to learn how much a path reorders (TfrcReordering), and what
 * it costs, beside NDUPACK fixed at 3.  Virtual time: equal runs print equal
 * figures.  Four tables, each over rates, RTTs and packets that are overtaken:
 *
 *   free     a path that loses nothing and a flow that wants up to `Mbit/s`: when
 *            it has nine tenths of that [s], and the reports per second from then
 *   video    an encoder of 30 frames/s that can use as much, and a link of five
 *            times that: what it makes from 10 to 40 s, and the lowest X, by that
 *   full     a link of that rate with a queue of 100 ms, losses 0 and 1 %: what
 *            arrives from 10 to 40 s, by the link's rate
 *   losses   packets at that rate, 1 % lost: from when a lost packet was due to
 *            when its loss is known, mean and longest [ms] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "virtual-pair.h"

#define SEEDS 3

typedef struct
{
  double rate; /* [bytes/s] */
  TfrcDuration rtt;
  size_t overtaken_by; /* packets */
  double share;        /* of the packets, that are overtaken */
} ReorderingPath;

typedef struct
{
  double a, b;
} Figures;

typedef Figures (*Measure) (const ReorderingPath *path, bool adaptive,
    uint64_t seed);

static PairConfig
get_config (const ReorderingPath *path, bool adaptive, uint64_t seed)
{
  PairConfig config = pair_config_default ();

  config.seed = seed;
  config.receiver.adaptive_reordering = adaptive;
  config.forward.delay = config.back.delay = path->rtt / 2;
  config.forward.reorder = path->share;
  config.forward.reorder_packets = path->overtaken_by;
  return config;
}

static Figures
measure_free (const ReorderingPath *path, bool adaptive, uint64_t seed)
{
  enum
  {
    SECONDS = 20
  };
  PairConfig config = get_config (path, adaptive, seed);
  VirtualPair *pair;
  TfrcDuration start;
  uint64_t reports;
  Figures figures;

  config.sender.max_rate = path->rate;
  pair = pair_new (&config);
  start = pair_run_until_above (pair, 0.9 * path->rate, 500 * MS,
      120 * TFRC_SECOND);
  if (start == TFRC_TIME_NONE)
    start = 120 * TFRC_SECOND;
  reports = pair_get_counters (pair).reports;
  pair_run (pair, start + SECONDS * TFRC_SECOND);
  reports = pair_get_counters (pair).reports - reports;
  pair_free (pair);
  figures.a = tfrc_duration_to_seconds (start);
  figures.b = (double) reports / SECONDS;
  return figures;
}

static Figures
measure_video (const ReorderingPath *path, bool adaptive, uint64_t seed)
{
  PairConfig config = get_config (path, adaptive, seed);
  VirtualPair *pair;
  Figures video = { .b = INFINITY };
  uint64_t bytes;

  config.frame_interval = TFRC_SECOND / 30;
  config.encoder_max_rate = path->rate;
  config.forward.rate = 5.0 * path->rate;
  pair = pair_new (&config);
  pair_run (pair, 10 * TFRC_SECOND);
  bytes = pair_get_counters (pair).encoded_bytes;
  for (TfrcTime now = 10 * TFRC_SECOND; now <= 40 * TFRC_SECOND;
      now += 5 * MS) {
    pair_run (pair, now);
    video.b = fmin (video.b, (pair_get_sender (pair))->rate);
  }
  bytes = pair_get_counters (pair).encoded_bytes - bytes;
  pair_free (pair);
  video.a = (double) bytes / (30.0 * path->rate);
  video.b /= path->rate;
  return video;
}

static double
get_use (const ReorderingPath *path, const PairConfig *config)
{
  VirtualPair *pair = pair_new (config);
  uint64_t bytes;

  pair_run (pair, 10 * TFRC_SECOND);
  bytes = pair_get_counters (pair).received_bytes;
  pair_run (pair, 40 * TFRC_SECOND);
  bytes = pair_get_counters (pair).received_bytes - bytes;
  pair_free (pair);
  return (double) bytes / (30.0 * path->rate);
}

static Figures
measure_full (const ReorderingPath *path, bool adaptive, uint64_t seed)
{
  PairConfig config = get_config (path, adaptive, seed);
  Figures use;

  config.forward.rate = path->rate;
  config.forward.queue_limit = 100 * MS;
  use.a = get_use (path, &config);
  config.forward.loss = 0.01;
  use.b = get_use (path, &config);
  return use;
}

/* A packet is lost for good when the link says so as it is sent; all that is
 * declared lost besides comes after all. */
static Figures
measure_losses (const ReorderingPath *path, bool adaptive, uint64_t seed)
{
  enum
  {
    PACKETS = 20000,
    SIZE = 1200
  };
  static bool lost[PACKETS];
  PairConfig config = get_config (path, adaptive, seed);
  TfrcDuration spacing = tfrc_rate_time_for (path->rate, SIZE);
  LinkModel *link;
  TfrcLossDetector detector;
  Figures delay = { 0.0, 0.0 };
  unsigned n = 0;

  config.forward.loss = 0.01;
  link = link_model_new (&config.forward, seed, 0);
  tfrc_loss_detector_init (&detector, adaptive, true);
  for (uint32_t i = 0; i < PACKETS; i++) {
    TfrcTime now = (i + 1) * spacing;
    LinkOutput output;
    TfrcLossRun run;
    TfrcSeq repair;

    lost[i] = link_model_enqueue (link, SIZE, i, now) == LINK_LOST;
    while (link_model_poll (link, &output, now)) {
      TfrcDataPacket packet = { .seq = (uint16_t) output.id };

      tfrc_loss_detector_on_packet (&detector, &packet, path->rtt, now);
      tfrc_loss_detector_poll_repair (&detector, &repair);
    }
    if (tfrc_loss_detector_next_deadline (&detector) <= now)
      tfrc_loss_detector_on_deadline (&detector, now);
    while (tfrc_loss_detector_poll_loss (&detector, &run)) {
      double ms = (double) (now - run.first_at) / MS;

      if (!lost[run.first - 1])
        continue;
      delay.a += ms;
      delay.b = ms > delay.b ? ms : delay.b;
      n++;
    }
  }
  link_model_free (link);
  delay.a /= n > 0 ? n : 1;
  return delay;
}

static Figures
get_mean (Measure measure, const ReorderingPath *path, bool adaptive)
{
  Figures sum = { 0.0, 0.0 };

  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    Figures one = measure (path, adaptive, seed);

    sum.a += one.a / SEEDS;
    sum.b += one.b / SEEDS;
  }
  return sum;
}

static void
print_table (const char *name, const char *a, const char *b, Measure measure)
{
  static const double rates[] = { 0.3, 2.0, 20.0, 100.0 };
  static const unsigned rtts[] = { 1, 50, 300 };
  static const struct
  {
    size_t overtaken_by;
    double share;
  } orders[] = {
    { 0, 0.0 },
    { 1, 0.05 },
    { 1, 0.01 },
    { 6, 0.05 },
    { 6, 0.01 },
    { 20, 0.05 },
    { 20, 0.01 },
  };

  printf ("%-8s Mbit/s  RTT  by  share | fixed: %-7s %-7s | learnt: %-7s %s\n",
      name, a, b, a, b);
  for (unsigned r = 0; r < 4; r++)
    for (unsigned t = 0; t < 3; t++)
      for (unsigned o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        ReorderingPath path = { rates[r] * MBIT, rtts[t] * MS,
          orders[o].overtaken_by, orders[o].share };
        Figures fixed = get_mean (measure, &path, false);
        Figures learnt = get_mean (measure, &path, true);

        printf ("%-8s %6g %4u %3zu %6g | %14.3f %7.3f | %15.3f %7.3f\n", name,
            rates[r], rtts[t], path.overtaken_by, path.share, fixed.a, fixed.b,
            learnt.a, learnt.b);
        fflush (stdout);
      }
}

int
main (void)
{
  print_table ("free", "start", "reports", measure_free);
  print_table ("video", "made", "lowest", measure_video);
  print_table ("full", "loss 0", "loss 1%", measure_full);
  print_table ("losses", "mean", "longest", measure_losses);
  return EXIT_SUCCESS;
}
