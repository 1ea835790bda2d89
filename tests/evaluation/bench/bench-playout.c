/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a playout delay that follows the packets (rtp/playout-delay.h) buys, and
 * costs, beside a fixed one of 300 ms: over link profiles and links of its own, means
 * of some seeds, in virtual time, so that equal runs print equal figures.
 *
 *   bench-playout PROFILE...
 *
 * For both: packets that come too late [%], lost packets that are
 * not there in time, of 10,000, how often in a minute that breaks the picture, and
 * the time from encoding to playout, median and 95th percentile over packets [ms].
 * Of the one that follows also how often in a minute it grew by more than a frame,
 * which is seen as a short stop, and by how much at most [ms]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link-profile.h"
#include "playout-trace.h"

#define N_SEEDS 5
#define MAX_NETWORKS 64

typedef struct
{
  const char *name;
  double mbit;
  unsigned rtt_ms;
  double loss;
  bool bursts;    /* 4 packets in the mean, 2 % of the time */
  bool reorders;  /* 2 % of the packets come 30 ms late */
  bool overflows; /* once, as slow start may have it */
  bool drains;    /* a queue of 400 ms that stands no longer after 60 s */
  bool plain;     /* TFRC as RFC 5348 has it: no control of the delay */
} Cell;

static const Cell cells[] = {
  { .name = "steady, RFC 5348", .mbit = 2, .plain = true },
  { .name = "one burst", .mbit = 2, .overflows = true },
  { .name = "drained, RFC 5348", .mbit = 2, .drains = true, .plain = true },
  { .name = "0.1 %, RFC 5348", .mbit = 2, .loss = 0.001, .plain = true },
  { .name = "0.1 %", .mbit = 2, .loss = 0.001 },
  { .name = "3 %", .mbit = 2, .loss = 0.03 },
  { .name = "5 %", .mbit = 2, .loss = 0.05 },
  { .name = "bursts, RFC 5348", .mbit = 2, .bursts = true, .plain = true },
  { .name = "bursts", .mbit = 2, .bursts = true },
  { .name = "1 % at 1 ms", .mbit = 2, .rtt_ms = 1, .loss = 0.01 },
  { .name = "1 % at 150 ms", .mbit = 2, .rtt_ms = 150, .loss = 0.01 },
  { .name = "0.03 % at 150 ms", .mbit = 2, .rtt_ms = 150, .loss = 0.0003 },
  { .name = "1 % at 300 ms", .mbit = 2, .rtt_ms = 300, .loss = 0.01 },
  { .name = "1 %, 0.3 Mbit/s", .mbit = 0.3, .loss = 0.01 },
  { .name = "1 %, 100 Mbit/s", .mbit = 100, .loss = 0.01 },
  { .name = "1 %, reordering", .mbit = 6, .loss = 0.01, .reorders = true },
};

#define N_CELLS (sizeof cells / sizeof *cells)

static const TfrcDuration delays[] = { 300 * MS, 0 };

#define N_DELAYS (sizeof delays / sizeof *delays)

typedef struct
{
  char name[32];
  PlayoutFigures figures[N_DELAYS];
} Row;

/* Adds a seed's share. */
static void
add (PlayoutFigures *sum, const PlayoutFigures *one)
{
  sum->late += one->late / N_SEEDS;
  sum->unrepaired += one->unrepaired / N_SEEDS;
  sum->episodes += one->episodes / N_SEEDS;
  sum->p50 += one->p50 / N_SEEDS;
  sum->p95 += one->p95 / N_SEEDS;
  sum->growths += one->growths / N_SEEDS;
  if (one->largest_growth > sum->largest_growth)
    sum->largest_growth = one->largest_growth;
}

static void
measure (Row *row, PairConfig *config)
{
  for (config->seed = 1; config->seed <= N_SEEDS; config->seed++) {
    PlayoutTrace trace = playout_trace_new (*config);

    for (unsigned i = 0; i < N_DELAYS; i++) {
      PlayoutFigures figures = playout_trace_replay (&trace, delays[i]);

      add (&row->figures[i], &figures);
    }
    playout_trace_clear (&trace);
  }
}

/* As tfrcsink sends unless it is told otherwise. */
static void
set_defaults (PairConfig *config)
{
  config->sender_checks.delay_target = 8 * MS;
  config->sender_checks.tolerate_loss = true;
}

static void
measure_profile (Row *row, const char *path)
{
  char error[LINK_PROFILE_ERROR_SIZE];
  const char *name = strrchr (path, '/');
  PairConfig config = pair_config_default ();
  LinkProfile profile;

  if (!link_profile_load (&profile, path,
          tfrc_duration_to_seconds (PLAYOUT_RUN), error)) {
    fprintf (stderr, "%s\n", error);
    exit (1);
  }
  name = name ? name + 1 : path;
  snprintf (row->name, sizeof row->name, "%.*s", (int) strcspn (name, "."),
      name);
  config.forward = profile.forward;
  config.back = profile.back;
  set_defaults (&config);
  measure (row, &config);
  link_profile_clear (&profile);
}

static void
measure_cell (Row *row, const Cell *cell)
{
  PairConfig config = pair_config_default ();
  unsigned rtt_ms = cell->rtt_ms > 0 ? cell->rtt_ms : 50;

  snprintf (row->name, sizeof row->name, "%s", cell->name);
  config.forward.delay = config.back.delay = rtt_ms * MS / 2;
  config.forward.rate = cell->mbit * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.loss = cell->loss;
  if (cell->bursts) {
    config.forward.ge_enter = 0.0051;
    config.forward.ge_leave = 0.25;
    config.forward.ge_loss = 1.0;
  }
  if (cell->reorders) {
    config.forward.reorder = 0.02;
    config.forward.reorder_delay = 30 * MS;
  }
  if (cell->overflows) {
    config.forward.n_steps = 2;
    config.forward.steps[0] = (LinkStep) { 20 * S, 0.0 };
    config.forward.steps[1] = (LinkStep) { 20 * S + 50 * MS,
      cell->mbit * MBIT };
  }
  if (cell->drains) {
    config.forward.queue_limit = 400 * MS;
    config.forward.n_steps = 1;
    config.forward.steps[0] = (LinkStep) { 60 * S, 20 * MBIT };
  }
  if (!cell->plain)
    set_defaults (&config);
  measure (row, &config);
}

static void
print_table (const Row *rows, unsigned n)
{
  printf ("| link | 300 ms: late %% | unrepaired | breaks | p50 | p95 | "
          "following: late %% | unrepaired | breaks | p50 | p95 | growths | "
          "largest |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (unsigned i = 0; i < n; i++) {
    printf ("| %s", rows[i].name);
    for (unsigned j = 0; j < N_DELAYS; j++) {
      const PlayoutFigures *one = &rows[i].figures[j];

      printf (" | %.2f | %.1f | %.1f | %.0f | %.0f", 100 * one->late,
          1e4 * one->unrepaired, one->episodes, 1000 * one->p50,
          1000 * one->p95);
    }
    printf (" | %.1f | %.0f |\n", rows[i].figures[1].growths,
        1000 * rows[i].figures[1].largest_growth);
  }
}

int
main (int argc, char **argv)
{
  static Row rows[MAX_NETWORKS];
  unsigned n = 0;

  for (int i = 1; i < argc && n < MAX_NETWORKS - N_CELLS; i++)
    measure_profile (&rows[n++], argv[i]);
  for (unsigned i = 0; i < N_CELLS; i++)
    measure_cell (&rows[n++], &cells[i]);
  print_table (rows, n);
  return 0;
}
