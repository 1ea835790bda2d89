/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What delay control (delay/delay-control.h) buys and costs, beside plain TFRC.
 * Virtual time: equal runs print equal figures.
 *
 *   bench-delay [--seeds N] [--target MS] [--acks N] [--markdown] [--trace FLOW]
 *               [CELL [VARIANT,...]]
 *
 * runs the cells whose names contain CELL, and these variants; without any, plain
 * TFRC and what users get who set no property.  The variant cubic has a CUBIC flow in
 * our place; --acks: packets that TCP acknowledges at a time, 2 or 1.  One line for each, of medians over
 * the seeds, and where the delay is controlled whether it holds what the cell asks
 * for (--trace: and what that flow's control knows, every 100 ms):
 *
 *   rate    what the first flow sends [kbit/s]
 *   use     what arrives of all flows, by what the link could carry
 *   p50 p95 of the queue, sampled every 10 ms [ms]
 *   h50 h95 h99 of how long the first flow's pacer has held a frame [ms]
 *   CoV     of the first flow's rate over seconds
 *   loss    of the first flow's packets [%]
 *   share   Jain's index of all flows; beside TCP: share by TCP's mean share
 *   start   most of the queue in the first 3 s [ms]
 *   third   use in the third second
 *   above   seconds with more than 100 ms of queue within ten after an event
 *   back    seconds until nine tenths of the link are used after a second one
 *   drops   frames that the pacer of the first flow dropped
 *   away    part of the time that the first flow leaves the queue to X
 *
 * All but the start leave out the first ten seconds, or what a cell says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delay-cells.h"
#include "tcp-model.h"

#define STEP (10 * MS)
#define MOST_SECONDS 4000
#define MOST_SEEDS 16

static const struct
{
  const char *name;
  int width;
  int digits;
} columns[N_FIGURES] = {
  [RATE] = { "rate", 6, 0 },
  [USE] = { "use", 5, 3 },
  [P50] = { "p50", 5, 0 },
  [P95] = { "p95", 5, 0 },
  [HELD50] = { "h50", 4, 0 },
  [HELD95] = { "h95", 4, 0 },
  [HELD99] = { "h99", 4, 0 },
  [COV] = { "CoV", 5, 3 },
  [LOSS] = { "loss", 5, 2 },
  [SHARE] = { "share", 5, 3 },
  [START] = { "start", 5, 0 },
  [THIRD] = { "third", 5, 2 },
  [ABOVE] = { "above", 5, 1 },
  [BACK] = { "back", 4, 0 },
  [DROPS] = { "drops", 5, 0 },
  [AWAY] = { "away", 5, 2 },
};

typedef struct
{
  double figures[N_FIGURES];
} Figures;

typedef struct
{
  const char *name;
  bool control;
  bool probes;   /* of TfrcProbing */
  bool tolerant; /* TfrcLossTolerance */
  bool cubic;    /* in our place */
} Variant;

static const Variant variants[] = {
  { "plain", false },
  { "control", true },
  { "+probes", true, true },
  { "tolerant", true, false, true },
  { "default", true, true, true },
  { "cubic", .cubic = true },
};

typedef struct
{
  const Cell *cell;
  BottleneckConfig config;
  VirtualBottleneck *world;
  int traced;                        /* flow, or -1 */
  double queues[MOST_SECONDS * 100]; /* [ms] */
  double held[MOST_SECONDS * 100];   /* [ms] */
  unsigned n_queues;
  unsigned n_away;              /* of these, X alone */
  double capacity;              /* bytes that the link could carry */
  double seconds[MOST_SECONDS]; /* what the first flow sent */
  double uses[MOST_SECONDS];    /* what arrived, by what could */
  BottleneckCounters before[BOTTLENECK_FLOWS];
} Run;

typedef struct
{
  unsigned seeds;
  TfrcDuration target;
  unsigned packets_per_ack;
  bool markdown;
  int traced; /* flow, or -1 */
} Options;

static unsigned
get_from (const Cell *cell)
{
  return cell->from != 0 ? cell->from : 10;
}

static unsigned
get_seconds (const Cell *cell)
{
  return cell->seconds != 0 ? cell->seconds : 60;
}

static void
configure_flows (Run *run, const Variant *variant, const Options *options,
    uint64_t seed)
{
  const Cell *cell = run->cell;
  BottleneckConfig *config = &run->config;

  config->n_flows = cell->flows != 0 ? cell->flows : 1;
  if (cell->tcp >= config->n_flows)
    config->n_flows += cell->tcp;
  for (unsigned i = 0; i < config->n_flows; i++) {
    BottleneckFlowConfig *flow = &config->flows[i];

    /* Not all on one beat. */
    flow->start_at = i * 37 * MS + seed * 11 * MS;
    flow->packets_per_ack = options->packets_per_ack;
    if (i >= config->n_flows - cell->tcp)
      flow->kind = BOTTLENECK_RENO;
    else if (variant->cubic)
      flow->kind = BOTTLENECK_CUBIC;
    else if (variant->control)
      flow->delay_target = options->target;
    flow->probes = variant->probes;
    flow->tolerate_loss = variant->tolerant;
  }
  if (cell->late != 0)
    config->flows[config->n_flows - 1].start_at = cell->late * S;
}

static void
configure (Run *run, const Variant *variant, const Options *options,
    uint64_t seed)
{
  const Cell *cell = run->cell;
  BottleneckConfig *config = &run->config;

  *config = bottleneck_config_default ();
  config->seed = seed;
  config->forward.rate = cell->mbit * MBIT;
  config->forward.queue_limit = cell->queue_ms * MS;
  config->forward.delay = (cell->rtt_ms != 0 ? cell->rtt_ms : 50) * MS / 2;
  config->back.delay = config->forward.delay;
  /* Against phase effects, docs/evaluation.md. */
  if (cell->flows > 1)
    config->access_jitter = tfrc_rate_time_for (config->forward.rate, 1200.0);
  configure_flows (run, variant, options, seed);
  if (cell->manage_queue != NULL)
    cell->manage_queue (config);
  if (cell->change != NULL)
    cell->change (config);
  if (cell->also != NULL)
    cell->also (config);
}

static void
change_route (Run *run, TfrcTime now)
{
  LinkConfig link = run->config.forward;

  if (run->cell->detour_ms == 0)
    return;
  if (now == run->cell->event * S)
    link.delay += run->cell->detour_ms * MS;
  else if (now != run->cell->second * S)
    return;
  bottleneck_set_forward (run->world, &link);
}

static uint64_t
get_received (const Run *run)
{
  uint64_t bytes = 0;

  for (unsigned i = 0; i < run->config.n_flows; i++)
    bytes += bottleneck_get_counters (run->world, i).received_bytes;
  return bytes;
}

static void
print_trace (const Run *run, TfrcTime now)
{
  const TfrcDelayControl *control = bottleneck_get_delay_control (run->world,
      (unsigned) run->traced);
  const TfrcSender *sender = bottleneck_get_sender (run->world,
      (unsigned) run->traced);

  printf ("%.1f s state %d queue %.1f ms seen %.1f expected %.1f target %.1f "
          "held %.0f kbit/s delivered %.0f limit %.0f X %.0f p %.5f R %.1f at "
          "losses %.1f\n",
      tfrc_duration_to_seconds (now), control->state,
      run->queues[run->n_queues - 1], (double) control->path.queue / MS,
      (double) control->path.expected / MS, (double) control->target / MS,
      run->held[run->n_queues - 1], control->path.delivered / 125.0,
      tfrc_delay_control_get_limit (control) / 125.0, sender->rate / 125.0,
      sender->loss_event_rate, (double) sender->rtt.rtt / MS,
      (double) sender->loss_rtt / MS);
}

static bool
is_away (const Run *run)
{
  TfrcDelayState state = bottleneck_get_delay_control (run->world, 0)->state;

  return state == TFRC_DELAY_COMPETE || state == TFRC_DELAY_PROBE;
}

static void
run_cell (Run *run)
{
  const LinkModel *link = bottleneck_get_forward (run->world);
  uint64_t sent = 0, received = 0;
  double capacity = 0.0;

  for (TfrcTime now = STEP; now <= get_seconds (run->cell) * S; now += STEP) {
    bottleneck_run (run->world, now);
    change_route (run, now);
    run->held[run->n_queues] =
        (double) bottleneck_get_frame_wait (run->world, 0) / MS;
    run->queues[run->n_queues++] = (double) link_model_get_queue_time (link)
        / MS;
    if (now > get_from (run->cell) * S && is_away (run))
      run->n_away++;
    if (run->traced >= 0 && now % (100 * MS) == 0)
      print_trace (run, now);
    capacity += tfrc_rate_bytes_in (link_model_get_rate (link), STEP);
    if (now == get_from (run->cell) * S)
      for (unsigned i = 0; i < run->config.n_flows; i++)
        run->before[i] = bottleneck_get_counters (run->world, i);
    if (now % S == 0) {
      uint64_t s = bottleneck_get_counters (run->world, 0).sent_bytes;
      uint64_t r = get_received (run);
      size_t second = now / S - 1;

      run->seconds[second] = (double) (s - sent);
      run->uses[second] = (double) (r - received) / capacity;
      if (now > get_from (run->cell) * S)
        run->capacity += capacity;
      capacity = 0.0;
      sent = s;
      received = r;
    }
  }
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
get_share (const Run *run, const double *bytes)
{
  unsigned n = run->config.n_flows, n_tcp = run->cell->tcp;
  double sum = 0.0, squares = 0.0, tcp = 0.0;

  for (unsigned i = 0; i < n; i++) {
    sum += bytes[i];
    squares += bytes[i] * bytes[i];
    if (i >= n - n_tcp)
      tcp += bytes[i];
  }
  if (n_tcp > 0)
    return bytes[0] / (tcp / n_tcp);
  return sum * sum / (n * squares);
}

static void
judge_event (const Run *run, double *figures)
{
  const Cell *cell = run->cell;
  unsigned second = cell->second;

  for (unsigned i = cell->event * 100;
      i < (cell->event + 10) * 100 && i < run->n_queues; i++)
    figures[ABOVE] += run->queues[i] > 100.0 ? 0.01 : 0.0;
  if (second == 0)
    return;
  while (second < get_seconds (cell) && run->uses[second] < 0.9)
    second++;
  figures[BACK] = second - cell->second;
}

static void
judge_rates (const Run *run, double *figures)
{
  unsigned from = get_from (run->cell), seconds = get_seconds (run->cell);
  double bytes[BOTTLENECK_FLOWS], received = 0.0;
  double sum = 0.0, squares = 0.0, n = seconds - from;
  BottleneckCounters first = bottleneck_get_counters (run->world, 0);

  for (unsigned i = 0; i < run->config.n_flows; i++) {
    bytes[i] = (double) (bottleneck_get_counters (run->world, i).received_bytes
        - run->before[i].received_bytes);
    received += bytes[i];
  }
  for (unsigned i = from; i < seconds; i++) {
    sum += run->seconds[i];
    squares += run->seconds[i] * run->seconds[i];
  }
  figures[RATE] = sum / n * 8.0 / 1000.0;
  figures[COV] = sqrt (fmax (0.0, squares / n - sum / n * sum / n)) / (sum / n);
  figures[LOSS] = 100.0 * (double) (first.lost - run->before[0].lost)
      / ((double) (first.sent_bytes - run->before[0].sent_bytes) / 1200.0);
  figures[USE] = received / run->capacity;
  figures[SHARE] = get_share (run, bytes);
  figures[THIRD] = run->uses[2];
  figures[DROPS] = (double) first.frames_dropped;
}

static void
judge_times (double *values, unsigned n, double *p50, double *p95)
{
  qsort (values, n, sizeof values[0], compare);
  *p50 = values[n / 2];
  *p95 = values[n * 95 / 100];
}

static Figures
measure (const Cell *cell, const Variant *variant, const Options *options,
    uint64_t seed)
{
  Run *run = calloc (1, sizeof *run);
  unsigned from = get_from (cell) * 100;
  Figures result = { 0 };
  double *figures = result.figures;

  run->cell = cell;
  run->traced = options->traced;
  configure (run, variant, options, seed);
  run->world = bottleneck_new (&run->config);
  run_cell (run);
  judge_rates (run, figures);
  for (unsigned i = 0; i < 300; i++)
    figures[START] = fmax (figures[START], run->queues[i]);
  if (cell->event != 0)
    judge_event (run, figures);
  run->n_queues -= from;
  figures[AWAY] = (double) run->n_away / run->n_queues;
  judge_times (run->queues + from, run->n_queues, &figures[P50], &figures[P95]);
  judge_times (run->held + from, run->n_queues, &figures[HELD50],
      &figures[HELD95]);
  figures[HELD99] = run->held[from + run->n_queues * 99 / 100];
  bottleneck_free (run->world);
  free (run);
  return result;
}

static Figures
get_median (const Cell *cell, const Variant *variant, const Options *options)
{
  Figures all[MOST_SEEDS], median;
  double values[MOST_SEEDS];

  for (unsigned i = 0; i < options->seeds; i++)
    all[i] = measure (cell, variant, options, i + 1);
  for (unsigned f = 0; f < N_FIGURES; f++) {
    for (unsigned i = 0; i < options->seeds; i++)
      values[i] = all[i].figures[f];
    qsort (values, options->seeds, sizeof values[0], compare);
    median.figures[f] = values[options->seeds / 2];
  }
  return median;
}

/* Within the range that docs/evaluation.md accepts, or else no further from 1 than
 * plain TFRC; and not below 0.4, or where plain TFRC is, not below that. */
static bool
holds_share (double share, double plain, double range)
{
  return fabs (log (share)) <= fmax (fabs (log (plain)), log (range))
      && share >= fmin (0.4, plain);
}

static bool
holds (const Goal *goal, const Figures *plain, const Figures *figures)
{
  double value = figures->figures[goal->figure];

  switch (goal->kind) {
    case AT_LEAST:
      return value >= goal->value;
    case AT_MOST:
      return value <= goal->value;
    case BESIDE_PLAIN:
      return holds_share (value, plain->figures[SHARE], goal->value);
    case OF_PLAIN:
      return value >= goal->value * plain->figures[goal->figure];
    case NO_GOAL:
      break;
  }
  return true;
}

/* Which goals are missed; "" where none is set. */
static void
print_verdict (const Cell *cell, const Figures *plain, const Figures *figures)
{
  bool missed = false;

  if (cell->goals[0].kind == NO_GOAL)
    return;
  for (unsigned i = 0; i < DELAY_MOST_GOALS; i++)
    if (!holds (&cell->goals[i], plain, figures)) {
      printf ("%s%s", missed ? " " : "misses ",
          columns[cell->goals[i].figure].name);
      missed = true;
    }
  if (!missed)
    printf ("holds");
}

static void
print_line (const Cell *cell, const Variant *variant, const Figures *plain,
    const Figures *figures, bool markdown)
{
  const char *between = markdown ? " | " : " ";

  printf ("%s%-18s%s%-9s", markdown ? "| " : "", cell->name, between,
      variant->name);
  for (unsigned f = 0; f < N_FIGURES; f++)
    printf ("%s%*.*f", between, columns[f].width, columns[f].digits,
        figures->figures[f]);
  printf ("%s", between);
  if (variant->control)
    print_verdict (cell, plain, figures);
  printf ("%s\n", markdown ? " |" : "");
  fflush (stdout);
}

static void
print_head (bool markdown)
{
  const char *between = markdown ? " | " : " ";

  printf ("%s%-18s%s%-9s", markdown ? "| " : "", "cell", between, "");
  for (unsigned f = 0; f < N_FIGURES; f++)
    printf ("%s%*s", between, columns[f].width, columns[f].name);
  printf ("%s\n", markdown ? " | goals |" : "");
  if (!markdown)
    return;
  printf ("| --- | ---");
  for (unsigned f = 0; f < N_FIGURES; f++)
    printf (" | ---:");
  printf (" | --- |\n");
}

static bool
has_word (const char *words, const char *word)
{
  const char *at = words;
  size_t n = strlen (word);

  for (; (at = strstr (at, word)) != NULL; at++)
    if ((at == words || at[-1] == ',') && (at[n] == 0 || at[n] == ','))
      return true;
  return false;
}

/* Plain TFRC is the first. */
static void
run_variants (const Cell *cell, const char *words, const Options *options)
{
  Figures plain = { 0 }, figures;

  for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
    if (!has_word (words, variants[v].name) && v != 0)
      continue;
    figures = get_median (cell, &variants[v], options);
    if (v == 0)
      plain = figures;
    if (has_word (words, variants[v].name))
      print_line (cell, &variants[v], &plain, &figures, options->markdown);
  }
}

int
main (int argc, char **argv)
{
  static Cell cells[DELAY_MOST_CELLS];
  Options options = {
    .seeds = 3, .target = 8 * MS, .packets_per_ack = 2, .traced = -1
  };
  const char *words[2] = { "", "plain,default" };
  unsigned n_words = 0;
  unsigned n = delay_cells_list (cells);

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--seeds") == 0 && i + 1 < argc)
      options.seeds = (unsigned) atoi (argv[++i]);
    else if (strcmp (argv[i], "--target") == 0 && i + 1 < argc)
      options.target = (TfrcDuration) atoi (argv[++i]) * MS;
    else if (strcmp (argv[i], "--acks") == 0 && i + 1 < argc)
      options.packets_per_ack = (unsigned) atoi (argv[++i]);
    else if (strcmp (argv[i], "--trace") == 0 && i + 1 < argc)
      options.traced = atoi (argv[++i]);
    else if (strcmp (argv[i], "--markdown") == 0)
      options.markdown = true;
    else if (n_words < 2)
      words[n_words++] = argv[i];
  }
  if (options.seeds < 1 || options.seeds > MOST_SEEDS
      || options.packets_per_ack < 1
      || options.packets_per_ack > TCP_MODEL_MOST_PER_ACK)
    return EXIT_FAILURE;
  print_head (options.markdown);
  for (unsigned c = 0; c < n; c++)
    if (strstr (cells[c].name, words[0]) != NULL)
      run_variants (&cells[c], words[1], &options);
  return EXIT_SUCCESS;
}
