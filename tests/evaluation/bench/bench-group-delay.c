/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the table of docs/results/groups.md: what the delay control of a group buys, with
 * it and without.  Groups of greedy senders in virtual time; the queue is that of
 * the slowest link.  Medians of 8 groups. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-group.h"

#define N_GROUPS 8
#define STEP (5 * MS)
#define TARGET (15 * MS)
#define BEGIN (30 * S)
#define END (150 * S)
#define N_STEPS ((END - BEGIN) / STEP)

typedef struct
{
  const char *name;
  unsigned n;
  TfrcDuration rtt, queue;
  double rate;        /* of the slowest link [Mbit/s] */
  double loss;        /* of the last one, whose link is wide */
  double reorder;     /* part of the packets that 3 overtake */
  int drift_ppm;      /* of the slowest one's clock */
  TfrcRate source;    /* [Mbit/s]; 0: greedy */
  TfrcTime narrow_at; /* its link has a third from here for 30 s; 0: never */
} Case;

typedef struct
{
  double use, p50, p95, lost, start_lost;
} Figures;

static const Case cases[] = {
  { "2 Mbit/s", 1, 50 * MS, 100 * MS, 2.0, 0, 0, 0, 0, 0 },
  { "2 Mbit/s, queue of 1000 ms", 1, 50 * MS, 1000 * MS, 2.0, 0, 0, 0, 0, 0 },
  { "3 Mbit/s", 4, 50 * MS, 100 * MS, 3.0, 0, 0, 0, 0, 0 },
  { "3 Mbit/s, RTT 1 ms", 4, 1 * MS, 100 * MS, 3.0, 0, 0, 0, 0, 0 },
  { "3 Mbit/s, RTT 300 ms", 4, 300 * MS, 200 * MS, 3.0, 0, 0, 0, 0, 0 },
  { "0.3 Mbit/s", 4, 50 * MS, 200 * MS, 0.3, 0, 0, 0, 0, 0 },
  { "30 Mbit/s", 4, 50 * MS, 100 * MS, 30.0, 0, 0, 0, 0, 0 },
  { "16 receivers, 3 Mbit/s", 16, 50 * MS, 100 * MS, 3.0, 0, 0, 0, 0, 0 },
  { "1 Mbit/s, another loses 1 %", 4, 50 * MS, 100 * MS, 1.0, .01, 0, 0, 0, 0 },
  { "3 Mbit/s, another loses 0.5 %", 4, 50 * MS, 100 * MS, 3.0, .005, 0, 0, 0,
      0 },
  { "3 Mbit/s, 1 % overtaken", 4, 50 * MS, 100 * MS, 3.0, 0, .01, 0, 0, 0 },
  { "3 Mbit/s, clock 500 ppm fast", 4, 50 * MS, 100 * MS, 3.0, 0, 0, 500, 0,
      0 },
  { "3 Mbit/s, clock 500 ppm slow", 4, 50 * MS, 100 * MS, 3.0, 0, 0, -500, 0,
      0 },
  { "3 Mbit/s, source of 2", 4, 50 * MS, 100 * MS, 3.0, 0, 0, 0, 2, 0 },
  { "3 Mbit/s, 1 for 30 s", 4, 50 * MS, 200 * MS, 3.0, 0, 0, 0, 0, 60 * S },
};

static GroupPath
path_of (const Case *one, unsigned i, double rate)
{
  GroupPath path = group_path_default ();
  bool lossy = one->loss > 0.0 && i == one->n - 1;

  path.forward.delay = path.back.delay = one->rtt / 2;
  path.forward.rate = rate * MBIT
      * (lossy ? 10.0 : 1.0 + 2.0 * i / fmax (one->n - 1, 1));
  path.forward.queue_limit = one->queue;
  path.forward.loss = lossy ? one->loss : 0.0;
  path.forward.reorder = one->reorder;
  path.forward.reorder_packets = one->reorder > 0.0 ? 3 : 0;
  return path;
}

static int
compare (const void *a, const void *b)
{
  double one = *(const double *) a, other = *(const double *) b;

  return (one > other) - (one < other);
}

static uint64_t
get_lost (const VirtualGroup *group)
{
  return tfmcc_receiver_get_counters (group_get_receiver (group, 0))
      .packets_lost;
}

/* The link changes at the instants of a case. */
static void
run (VirtualGroup *group, const Case *one, double rate, TfrcTime now)
{
  GroupPath path = path_of (one, 0, rate);

  if (one->narrow_at != 0 && now == one->narrow_at)
    path.forward.rate /= 3.0;
  if (one->narrow_at != 0
      && (now == one->narrow_at || now == one->narrow_at + 30 * S))
    group_set_path (group, 0, &path);
  group_run (group, now);
}

static Figures
measure_group (const Case *one, TfrcDuration target, uint64_t seed)
{
  double rate = one->rate * (0.9 + 0.2 * (double) seed / N_GROUPS);
  static double waits[N_STEPS];
  GroupConfig config = group_config_default ();
  VirtualGroup *group;
  Figures figures = { 0 };
  uint64_t bytes;
  unsigned n = 0;

  config.seed = seed;
  config.sender.max_segment_size = config.packet_size;
  config.receiver.delay_target = target;
  config.source_rate = one->source * MBIT;
  group = group_new (&config);
  for (unsigned i = 0; i < one->n; i++) {
    GroupPath path = path_of (one, i, rate);

    group_join (group, &path);
  }
  group_set_drift (group, 0, one->drift_ppm);
  for (TfrcTime now = STEP; now <= BEGIN; now += STEP)
    run (group, one, rate, now);
  figures.start_lost = (double) get_lost (group);
  bytes = tfmcc_receiver_get_counters (group_get_receiver (group, 0)).bytes;
  for (TfrcTime now = BEGIN + STEP; now <= END; now += STEP) {
    run (group, one, rate, now);
    waits[n++] = 1000.0
        * tfrc_duration_to_seconds (
            link_model_get_queue_time (group_get_forward (group, 0)));
  }
  qsort (waits, n, sizeof waits[0], compare);
  figures.p50 = waits[n / 2];
  figures.p95 = waits[n * 95 / 100];
  figures.lost = (double) get_lost (group) - figures.start_lost;
  figures.use =
      (double) (tfmcc_receiver_get_counters (group_get_receiver (group, 0))
                    .bytes
          - bytes)
      / (rate * MBIT * tfrc_duration_to_seconds (END - BEGIN));
  group_free (group);
  return figures;
}

static double
median (double values[N_GROUPS])
{
  qsort (values, N_GROUPS, sizeof values[0], compare);
  return (values[(N_GROUPS - 1) / 2] + values[N_GROUPS / 2]) / 2.0;
}

static Figures
measure (const Case *one, TfrcDuration target)
{
  double values[sizeof (Figures) / sizeof (double)][N_GROUPS];
  Figures medians;
  double *median_of = &medians.use;

  for (unsigned i = 0; i < N_GROUPS; i++) {
    Figures figures = measure_group (one, target, i + 1);
    const double *value = &figures.use;

    for (unsigned j = 0; j < sizeof values / sizeof values[0]; j++)
      values[j][i] = value[j];
  }
  for (unsigned j = 0; j < sizeof values / sizeof values[0]; j++)
    median_of[j] = median (values[j]);
  return medians;
}

int
main (int argc, char **argv)
{
  puts ("| slowest link | of it | queue p50, p95 [ms] | lost in 120 s | in the "
        "first 30 s |");
  puts ("|---|--:|--:|--:|--:|");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Figures with, without;

    if (argc > 1 && !strstr (cases[i].name, argv[1]))
      continue;
    with = measure (&cases[i], TARGET);
    without = measure (&cases[i], 0);
    printf ("| %s | %.3f (%.3f) | %.0f, %.0f (%.0f, %.0f) | %.0f (%.0f) | %.0f "
            "(%.0f) |\n",
        cases[i].name, with.use, without.use, with.p50, with.p95, without.p50,
        without.p95, with.lost, without.lost, with.start_lost,
        without.start_lost);
    fflush (stdout);
  }
  return 0;
}
