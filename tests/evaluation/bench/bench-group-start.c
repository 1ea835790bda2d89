/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the table of docs/results/groups.md: how a group starts, by number of
 * receivers, RTT and rate, with D61 and without.  Means of 16 groups, in
 * a minute. */
#include <math.h>
#include <stdio.h>

#include "switches.h"
#include "virtual-group.h"

#define N_GROUPS 16
#define STEP (5 * MS)
#define LIMIT (120 * S)

typedef struct
{
  unsigned n;
  TfrcDuration rtt;
  double rate;    /* of the slowest link [Mbit/s] */
  double reorder; /* part of the packets that come 10 ms late */
} Case;

typedef struct
{
  double seconds; /* until X is 1 Mbit/s, or 0.8 of the slowest link */
  double lost;    /* by the slowest, until 3 s behind slow start */
  double reports; /* in a round of slow start, without the CLR's */
  unsigned most;  /* of them */
} Figures;

static const Case cases[] = {
  { 1, 50 * MS, 3.0, 0.0 },
  { 4, 50 * MS, 3.0, 0.0 },
  { 4, 1 * MS, 3.0, 0.0 },
  { 4, 300 * MS, 3.0, 0.0 },
  { 4, 50 * MS, 0.3, 0.0 },
  { 4, 50 * MS, 3.0, 0.05 },
  { 4, 50 * MS, 30.0, 0.0 },
  { 16, 50 * MS, 3.0, 0.0 },
};

/* Links of 1 to 3.3 times `rate`, with queues of 100 ms. */
static VirtualGroup *
group_of (const Case *one, double rate, uint64_t seed)
{
  GroupConfig config = group_config_default ();
  VirtualGroup *group;

  config.seed = seed;
  config.sender.max_segment_size = config.packet_size;
  group = group_new (&config);
  for (unsigned i = 0; i < one->n; i++) {
    GroupPath path = group_path_default ();

    path.forward.delay = path.back.delay = one->rtt / 2;
    path.forward.rate = rate * MBIT * (1.0 + 2.3 * i / fmax (one->n - 1, 1));
    path.forward.queue_limit = 100 * MS;
    path.forward.reorder = one->reorder;
    path.forward.reorder_delay = 10 * MS;
    group_join (group, &path);
  }
  return group;
}

/* Adds what one group does; `rate` is that of its slowest link. */
static void
add_group (Figures *sum, const Case *one, double rate, uint64_t seed)
{
  VirtualGroup *group = group_of (one, rate, seed);
  const TfmccSender *sender = group_get_sender (group);
  TfrcRate goal = fmin (1.0, 0.8 * rate) * MBIT;
  TfrcTime now = 0, reached_at = LIMIT, ended_at = TFRC_TIME_NONE;
  uint64_t rounds = 0, before = 0, reports = 0;

  while (now < LIMIT
      && (ended_at == TFRC_TIME_NONE || reached_at == LIMIT
          || now < ended_at + 3 * S)) {
    now += STEP;
    group_run (group, now);
    if (tfmcc_sender_get_rate (sender, now) >= goal && reached_at == LIMIT)
      reached_at = now;
    if (!sender->slow_start && ended_at == TFRC_TIME_NONE)
      ended_at = now;
    if (sender->counters.rounds > rounds && ended_at == TFRC_TIME_NONE) {
      sum->most = sum->most > reports - before
          ? sum->most
          : (unsigned) (reports - before);
      before = reports;
      rounds = sender->counters.rounds;
    }
    if (ended_at == TFRC_TIME_NONE)
      reports = sender->counters.reports - sender->counters.reports_clr;
  }
  sum->seconds += tfrc_duration_to_seconds (reached_at) / N_GROUPS;
  sum->lost +=
      (double) tfmcc_receiver_get_counters (group_get_receiver (group, 0))
          .packets_lost
      / N_GROUPS;
  sum->reports += (double) before / (double) (rounds > 0 ? rounds : 1)
      / N_GROUPS;
  group_free (group);
}

/* Where slow start ends between two doublings differs by the link: 0.75 to 1.25
 * times the rate. */
static Figures
measure (const Case *one)
{
  Figures sum = { 0 };

  for (unsigned i = 0; i < N_GROUPS; i++)
    add_group (&sum, one, one->rate * (0.75 + 0.5 * i / (N_GROUPS - 1)), i + 1);
  return sum;
}

int
main (void)
{
  puts ("| receivers | RTT | slowest link | goal [s] | lost by it | reports in "
        "a round, most |");
  puts ("|--:|--:|--:|--:|--:|--:|");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const Case *one = &cases[i];
    Figures with, without;

    switches_turn_off (NULL);
    with = measure (one);
    switches_turn_off ("measured-max-rtt,start-delay");
    without = measure (one);
    printf ("| %u | %.0f ms | %g Mbit/s%s | %.1f (%.1f) | %.0f (%.0f) | "
            "%.1f (%.1f), %u (%u) |\n",
        one->n, 1000.0 * tfrc_duration_to_seconds (one->rtt), one->rate,
        one->reorder > 0.0 ? ", reordering" : "", with.seconds, without.seconds,
        with.lost, without.lost, with.reports, without.reports, with.most,
        without.most);
    fflush (stdout);
  }
  return 0;
}
