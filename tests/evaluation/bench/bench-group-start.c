/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the tables of docs/results/groups.md: how a group starts, by number of
 * receivers, RTT and rate, with D61 and without, and how it does when its sender has
 * restarted, with D76 and without.  Means of 16 groups, in two minutes. */
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
  double lost;    /* by the slowest, until 3 s behind slow start; or [%] */
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

/* A sender of 0.3 Mbit/s at first, that is silent for two seconds. */
#define RESTARTS_AT (22 * S)
#define SILENT_FOR (2 * S)
#define BACK_PART 0.8
#define LOST_UNTIL (RESTARTS_AT + 10 * S)

typedef struct
{
  const char *what;
  unsigned n;
  TfrcDuration rtt;
  double rate, loss; /* of the first [Mbit/s] */
  double falls_to;   /* its link, meanwhile [Mbit/s]; 0: stays */
} Restart;

static const Restart restarts[] = {
  { "3 receivers, 50 ms, 2 Mbit/s", 3, 50 * MS, 2.0, 0.0, 0.0 },
  { "1 receiver", 1, 50 * MS, 2.0, 0.0, 0.0 },
  { "16 receivers", 16, 50 * MS, 2.0, 0.0, 0.0 },
  { "one loses 1 %", 3, 50 * MS, 2.0, 0.01, 0.0 },
  { "one loses 3 %, 20 ms", 3, 20 * MS, 20.0, 0.03, 0.0 },
  { "1 ms", 3, 1 * MS, 2.0, 0.0, 0.0 },
  { "300 ms", 3, 300 * MS, 2.0, 0.0, 0.0 },
  { "30 Mbit/s", 3, 50 * MS, 30.0, 0.0, 0.0 },
  { "the slowest link is at 0.4 Mbit/s then", 3, 50 * MS, 2.0, 0.0, 0.4 },
};

static VirtualGroup *
group_to_restart (const Restart *one, TfrcDuration initial_rtt, uint64_t seed)
{
  GroupConfig config = group_config_default ();
  double rate = one->rate * (0.75 + 0.5 * (double) (seed - 1) / (N_GROUPS - 1));
  VirtualGroup *group;

  config.seed = seed;
  config.sender.max_segment_size = config.packet_size;
  config.sender.start_rate = 0.3 * MBIT;
  config.sender.round.initial_rtt = initial_rtt;
  config.receiver.delay_target = 15 * MS;
  group = group_new (&config);
  for (unsigned i = 0; i < one->n; i++)
    group_join_by (group, one->rtt,
        rate * MBIT * (1.0 + 2.3 * i / fmax (one->n - 1, 1)),
        i == 0 ? one->loss : 0.0);
  return group;
}

static uint64_t
lost_by_first (const VirtualGroup *group)
{
  return tfmcc_receiver_get_counters (group_get_receiver (group, 0))
      .packets_lost;
}

static void
add_restart (Figures *sum, const Restart *one, TfrcDuration initial_rtt,
    uint64_t seed)
{
  VirtualGroup *group = group_to_restart (one, initial_rtt, seed);
  TfrcTime now = RESTARTS_AT;
  TfrcRate before;
  uint64_t lost;

  group_run (group, RESTARTS_AT - SILENT_FOR - 5 * S);
  before = group_run_rate (group, RESTARTS_AT - SILENT_FOR);
  group_set_paused (group, true);
  group_run (group, RESTARTS_AT);
  if (one->falls_to > 0.0) {
    GroupPath path = group_path_of (one->rtt, one->falls_to * MBIT, one->loss);

    group_set_path (group, 0, &path);
    before = one->falls_to * MBIT;
  }
  group_restart_sender (group);
  group_set_paused (group, false);
  lost = lost_by_first (group);
  while (now < LIMIT
      && group_run_rate (group, now + 100 * MS) < BACK_PART * before)
    now += 100 * MS;
  sum->seconds += tfrc_duration_to_seconds (now - RESTARTS_AT) / N_GROUPS;
  if (now < LOST_UNTIL)
    group_run (group, LOST_UNTIL);
  sum->lost += 100.0 * (double) (lost_by_first (group) - lost)
      / (double) group_get_sender (group)->counters.packets / N_GROUPS;
  group_free (group);
}

static Figures
measure_restart (const Restart *one, TfrcDuration initial_rtt, const char *off)
{
  Figures sum = { 0 };

  switches_turn_off (off);
  for (unsigned i = 0; i < N_GROUPS; i++)
    add_restart (&sum, one, initial_rtt, i + 1);
  return sum;
}

static void
print_restarts (void)
{
  puts (
      "\n| group | 200 ms: back after [s] | lost [%] | 500 ms: back after [s] "
      "| lost [%] |");
  puts ("|---|--:|--:|--:|--:|");
  for (size_t i = 0; i < sizeof restarts / sizeof restarts[0]; i++) {
    const Restart *one = &restarts[i];

    printf ("| %s |", one->what);
    for (TfrcDuration rtt = 200 * MS; rtt <= 500 * MS; rtt += 300 * MS) {
      Figures with = measure_restart (one, rtt, NULL);
      Figures without = measure_restart (one, rtt, "restart-rtt");

      printf (" %.1f (%.1f) | %.1f (%.1f) |", with.seconds, without.seconds,
          with.lost, without.lost);
    }
    putchar ('\n');
    fflush (stdout);
  }
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
  print_restarts ();
  return 0;
}
