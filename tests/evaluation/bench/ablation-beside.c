/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A greedy stream beside TCP, in virtual time: one and three flows of Reno and of
 * CUBIC on 5 Mbit/s of 50 ms with queues of 50 and of 200 ms; and beside one of Reno
 * in networks unlike that. */
#include <stdio.h>

#include "ablation.h"
#include "virtual-bottleneck.h"

#define SEEDS 5
#define SETTLE (20 * TFRC_SECOND)
#define END (80 * TFRC_SECOND)

typedef struct
{
  const char *name;
  BottleneckKind kind;
  unsigned flows; /* of TCP */
  TfrcRate rate;
  TfrcDuration rtt, queue;
  uint32_t packet_size; /* of both; 0 = 1200 bytes */
  double skew;          /* of the receiver's clock */
  double reorder;       /* overtaken by six */
} Path;

static const Path paths[] = {
  { "1 Reno, 50 ms", BOTTLENECK_RENO, 1, 5 * MBIT, 50 * MS, 50 * MS },
  { "3 Reno, 50 ms", BOTTLENECK_RENO, 3, 5 * MBIT, 50 * MS, 50 * MS },
  { "1 CUBIC, 50 ms", BOTTLENECK_CUBIC, 1, 5 * MBIT, 50 * MS, 50 * MS },
  { "3 CUBIC, 50 ms", BOTTLENECK_CUBIC, 3, 5 * MBIT, 50 * MS, 50 * MS },
  { "1 Reno, 200 ms", BOTTLENECK_RENO, 1, 5 * MBIT, 50 * MS, 200 * MS },
  { "3 Reno, 200 ms", BOTTLENECK_RENO, 3, 5 * MBIT, 50 * MS, 200 * MS },
  { "1 CUBIC, 200 ms", BOTTLENECK_CUBIC, 1, 5 * MBIT, 50 * MS, 200 * MS },
  { "3 CUBIC, 200 ms", BOTTLENECK_CUBIC, 3, 5 * MBIT, 50 * MS, 200 * MS },
  { "RTT 1 ms", BOTTLENECK_RENO, 1, 5 * MBIT, MS, 50 * MS },
  { "RTT 300 ms", BOTTLENECK_RENO, 1, 5 * MBIT, 300 * MS, 100 * MS },
  { "0.3 Mbit/s", BOTTLENECK_RENO, 1, 0.3 * MBIT, 50 * MS, 500 * MS },
  { "100 Mbit/s", BOTTLENECK_RENO, 1, 100 * MBIT, 50 * MS, 50 * MS },
  { "overtaken", BOTTLENECK_RENO, 1, 5 * MBIT, 50 * MS, 50 * MS, 0, 0, 0.05 },
  { "200 bytes", BOTTLENECK_RENO, 1, 5 * MBIT, 50 * MS, 50 * MS, 200 },
  { "500 ppm", BOTTLENECK_RENO, 1, 5 * MBIT, 50 * MS, 50 * MS, 0, 500e-6 },
};

static const char *
get_heading (size_t column)
{
  return paths[column].name;
}

static BottleneckConfig
config_of (const Path *path)
{
  BottleneckConfig config = bottleneck_config_default ();
  uint32_t size = path->packet_size != 0 ? path->packet_size : 1200;

  config.forward.rate = path->rate;
  config.forward.queue_limit = path->queue;
  config.forward.delay = config.back.delay = path->rtt / 2;
  config.forward.reorder = path->reorder;
  config.forward.reorder_packets = path->reorder > 0.0 ? 6 : 0;
  /* Against phase effects: a packet's time at the bottleneck. */
  config.access_jitter = tfrc_rate_time_for (path->rate, size);
  config.n_flows = 1 + path->flows;
  for (unsigned i = 0; i < config.n_flows; i++) {
    config.flows[i].kind = i == 0 ? BOTTLENECK_TFRC : path->kind;
    config.flows[i].packet_size = size;
    config.flows[i].start_at = i * 200 * MS;
    config.flows[i].clock_skew = path->skew;
  }
  return config;
}

/* Bytes of the stream and of a TCP, once settled. */
static void
run (const BottleneckConfig *config, double bytes[2])
{
  VirtualBottleneck *link = bottleneck_new (config);
  uint64_t before[BOTTLENECK_FLOWS];

  bottleneck_run (link, SETTLE);
  for (unsigned i = 0; i < config->n_flows; i++)
    before[i] = bottleneck_get_counters (link, i).received_bytes;
  bottleneck_run (link, END);
  for (unsigned i = 0; i < config->n_flows; i++)
    bytes[i != 0] += (double) (bottleneck_get_counters (link, i).received_bytes
                         - before[i])
        / (i == 0 ? 1 : config->n_flows - 1);
  bottleneck_free (link);
}

static void
measure (size_t column, char cell[ABLATION_CELL])
{
  BottleneckConfig config = config_of (&paths[column]);
  double bytes[2] = { 0.0 };

  for (config.seed = 1; config.seed <= SEEDS; config.seed++)
    run (&config, bytes);
  snprintf (cell, ABLATION_CELL, "%.2f", bytes[0] / bytes[1]);
}

const AblationTable ablation_beside = { "Tfrc", sizeof paths / sizeof paths[0],
  get_heading, measure };
