/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What delay control (guard/delay-control.h) buys and costs, beside plain TFRC and
 * with each of its parts left out.  Virtual time: equal runs print equal figures.
 *
 *   bench-delay [--seeds N] [--target MS] [--trace] [CELL [VARIANT,...]]
 *
 * runs the cells whose names contain CELL, and these variants.  One line for each,
 * of means over the seeds (--trace: and what the first flow's control knows, every
 * 100 ms):
 *
 *   rate    what the first flow sends [kbit/s]
 *   use     what arrives of all flows, by what the link could carry
 *   p50 p95 of the queue, sampled every 10 ms [ms]
 *   CoV     of the first flow's rate over seconds
 *   loss    of the first flow's packets [%]
 *   Jain    index of all flows, or for cells beside TCP: share / TCP's mean share
 *   start   most of the queue in the first 3 s [ms], and use in the third second
 *   react   seconds with more than 100 ms of queue within ten after an event, and
 *           seconds until nine tenths of the link are used after a second one
 *
 * All but the start leave out the first ten seconds, or what a cell says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-bottleneck.h"

#define MS TFRC_MILLISECOND
#define S TFRC_SECOND
#define MBIT 125000.0 /* bytes/s of 1 Mbit/s */
#define STEP (10 * MS)
#define MOST_SECONDS 400

typedef struct
{
  const char *name;
  double mbit;
  unsigned rtt_ms;
  unsigned queue_ms;
  unsigned seconds;
  unsigned from; /* measures begin [s]; 0: 10 */
  unsigned flows;
  unsigned tcp;  /* of these, the last ones */
  unsigned late; /* the last flow begins [s] */
  void (*change) (BottleneckConfig *config);
  unsigned event;  /* [s]; 0 = none */
  unsigned second; /* event [s] */
} Cell;

typedef struct
{
  const char *name;
  bool control;
  void (*change) (BottleneckFlowConfig *flow);
} Variant;

typedef struct
{
  double rate, use, p50, p95, variation, loss, fairness;
  double start_queue, start_use, above, recovery;
} Figures;

static void
lose_1 (BottleneckConfig *config)
{
  config->forward.loss = 0.01;
}

static void
lose_2 (BottleneckConfig *config)
{
  config->forward.loss = 0.02;
}

static void
use_cubic (BottleneckConfig *config)
{
  for (unsigned i = 0; i < config->n_flows; i++)
    if (config->flows[i].kind == BOTTLENECK_RENO)
      config->flows[i].kind = BOTTLENECK_CUBIC;
}

static void
begin_late (BottleneckConfig *config)
{
  config->flows[0].start_at = 20 * S;
}

static void
cubic_first (BottleneckConfig *config)
{
  use_cubic (config);
  begin_late (config);
}

/* TCP comes after 20 s and goes after a minute. */
static void
tcp_visits (BottleneckConfig *config)
{
  for (unsigned i = 0; i < config->n_flows; i++)
    if (config->flows[i].kind == BOTTLENECK_RENO) {
      config->flows[i].start_at = 20 * S;
      config->flows[i].stop_at = 60 * S;
    }
}

static void
cubic_visits (BottleneckConfig *config)
{
  tcp_visits (config);
  use_cubic (config);
}

static void
one_without (BottleneckConfig *config)
{
  config->flows[1].delay.target = 0;
}

static void
jitter (BottleneckConfig *config)
{
  config->forward.jitter = 30 * MS;
}

static void
aggregate (BottleneckConfig *config)
{
  config->aggregate = 10 * MS;
}

static void
skew_up (BottleneckConfig *config)
{
  config->flows[0].clock_skew = 200e-6;
}

static void
skew_down (BottleneckConfig *config)
{
  config->flows[0].clock_skew = -200e-6;
}

static void
fill_back (BottleneckConfig *config)
{
  config->back.rate = 0.5 * MBIT;
  config->back.queue_limit = 300 * MS;
  config->back_load = 0.55 * MBIT;
}

static void
encode (BottleneckConfig *config)
{
  for (unsigned i = 0; i < config->n_flows; i++)
    config->flows[i].encoder = true;
}

static void
encode_little (BottleneckConfig *config)
{
  encode (config);
  config->flows[0].encoder_max_rate = 0.8 * MBIT;
}

static void
encode_on_off (BottleneckConfig *config)
{
  encode (config);
  config->flows[0].on_time = 3 * S;
}

static void
fall_and_rise (BottleneckConfig *config)
{
  config->forward.n_steps = 2;
  config->forward.steps[0] = (LinkStep) { 30 * S, 0.5 * MBIT };
  config->forward.steps[1] = (LinkStep) { 60 * S, 2.0 * MBIT };
}

static void
fall_and_rise_encoded (BottleneckConfig *config)
{
  fall_and_rise (config);
  encode (config);
}

static void
plain_reports (BottleneckConfig *config)
{
  config->flows[0].plain_reports = true;
}

/* A walk of the logarithm between 0.3 and 12 Mbit/s with steps of `width` per
 * 100 ms, over 25.6 s again and again; the buffer holds 300 kB. */
static void
walk (BottleneckConfig *config, double width)
{
  double lowest = log (0.3 * MBIT), highest = log (12.0 * MBIT);
  double at = log (4.0 * MBIT);
  TfrcRng rng;

  tfrc_rng_init (&rng, config->seed, 77);
  config->forward.n_steps = LINK_MAX_STEPS - 1;
  for (unsigned i = 0; i < LINK_MAX_STEPS - 1; i++) {
    at += width * (2.0 * tfrc_rng_uniform (&rng) - 1.0);
    if (at > highest)
      at = 2.0 * highest - at;
    if (at < lowest)
      at = 2.0 * lowest - at;
    config->forward.steps[i] = (LinkStep) { (i + 1) * 100 * MS, exp (at) };
  }
  config->forward.repeat = LINK_MAX_STEPS * 100 * MS;
  config->forward.queue_limit = TFRC_TIME_NONE;
  config->forward.queue_limit_bytes = 300000;
}

static void
walk_slowly (BottleneckConfig *config)
{
  walk (config, 0.15);
}

static void
walk_fast (BottleneckConfig *config)
{
  walk (config, 0.5);
}

static const Cell cells[] = {
  /* name          Mbit RTT queue  s from n tcp late */
  { "steady-100", 2.0, 50, 100, 60, 0, 1, 0, 0, NULL, 0, 0 },
  { "steady-1000", 2.0, 50, 1000, 60, 0, 1, 0, 0, NULL, 0, 0 },
  { "video-100", 2.0, 50, 100, 60, 0, 1, 0, 0, encode, 0, 0 },
  { "video-1000", 2.0, 50, 1000, 60, 0, 1, 0, 0, encode, 0, 0 },
  { "fast-100", 20.0, 50, 100, 60, 0, 1, 0, 0, NULL, 0, 0 },
  { "fast-1000", 20.0, 50, 1000, 60, 0, 1, 0, 0, NULL, 0, 0 },
  { "slow-1000", 0.3, 50, 1000, 60, 0, 1, 0, 0, NULL, 0, 0 },
  { "rtt1-1000", 2.0, 1, 1000, 60, 0, 1, 0, 0, NULL, 0, 0 },
  { "rtt1-fast", 20.0, 1, 1000, 60, 0, 1, 0, 0, NULL, 0, 0 },
  { "rtt300-1000", 2.0, 300, 1000, 60, 20, 1, 0, 0, NULL, 0, 0 },
  { "rtt300-fast", 20.0, 300, 1000, 60, 20, 1, 0, 0, NULL, 0, 0 },
  { "plain-reports", 2.0, 50, 1000, 60, 0, 1, 0, 0, plain_reports, 0, 0 },
  { "steps", 2.0, 50, 1000, 90, 0, 1, 0, 0, fall_and_rise, 30, 60 },
  { "steps-video", 2.0, 50, 1000, 90, 0, 1, 0, 0, fall_and_rise_encoded, 30,
      60 },
  { "loss-1", 2.0, 50, 1000, 60, 0, 1, 0, 0, lose_1, 0, 0 },
  { "loss-2", 2.0, 50, 1000, 60, 0, 1, 0, 0, lose_2, 0, 0 },
  { "two", 2.0, 50, 1000, 90, 30, 2, 0, 0, NULL, 0, 0 },
  { "two-late", 2.0, 50, 1000, 150, 80, 2, 0, 60, NULL, 60, 0 },
  { "four", 2.0, 50, 1000, 90, 30, 4, 0, 0, NULL, 0, 0 },
  { "four-late", 2.0, 50, 1000, 150, 80, 4, 0, 60, NULL, 60, 0 },
  { "four-fast-late", 20.0, 50, 1000, 150, 80, 4, 0, 60, NULL, 60, 0 },
  { "four-rtt300", 2.0, 300, 1000, 150, 60, 4, 0, 0, NULL, 0, 0 },
  { "four-video", 2.0, 50, 1000, 90, 30, 4, 0, 0, encode, 0, 0 },
  { "beside-without", 2.0, 50, 1000, 90, 30, 2, 0, 0, one_without, 0, 0 },
  { "jitter", 2.0, 50, 1000, 60, 0, 1, 0, 0, jitter, 0, 0 },
  { "jitter-fast", 20.0, 50, 1000, 60, 0, 1, 0, 0, jitter, 0, 0 },
  { "wifi", 2.0, 50, 1000, 60, 0, 1, 0, 0, aggregate, 0, 0 },
  { "wifi-fast", 20.0, 50, 1000, 60, 0, 1, 0, 0, aggregate, 0, 0 },
  { "skew+", 2.0, 50, 1000, 120, 0, 1, 0, 0, skew_up, 0, 0 },
  { "skew+fast", 20.0, 50, 1000, 120, 0, 1, 0, 0, skew_up, 0, 0 },
  { "skew-fast", 20.0, 50, 1000, 120, 0, 1, 0, 0, skew_down, 0, 0 },
  { "route", 2.0, 50, 1000, 90, 20, 1, 0, 0, NULL, 30, 60 },
  { "route-fast", 20.0, 50, 1000, 90, 20, 1, 0, 0, NULL, 30, 60 },
  { "back-full", 2.0, 50, 1000, 60, 0, 1, 0, 0, fill_back, 0, 0 },
  { "little", 2.0, 50, 1000, 60, 0, 1, 0, 0, encode_little, 0, 0 },
  { "on-off", 2.0, 50, 1000, 60, 0, 1, 0, 0, encode_on_off, 0, 0 },
  { "lte-slow", 4.0, 50, 0, 102, 10, 1, 0, 0, walk_slowly, 0, 0 },
  { "lte-fast", 4.0, 50, 0, 102, 10, 1, 0, 0, walk_fast, 0, 0 },
  { "reno-5-50", 5.0, 50, 50, 150, 50, 2, 1, 0, NULL, 0, 0 },
  { "reno-5-200", 5.0, 50, 200, 150, 50, 2, 1, 0, NULL, 0, 0 },
  { "reno-20-50", 20.0, 50, 50, 150, 50, 2, 1, 0, NULL, 0, 0 },
  { "reno-20-200", 20.0, 50, 200, 150, 50, 2, 1, 0, NULL, 0, 0 },
  { "reno3-20-200", 20.0, 50, 200, 150, 50, 4, 3, 0, NULL, 0, 0 },
  { "reno7-20-50", 20.0, 50, 50, 150, 50, 8, 7, 0, NULL, 0, 0 },
  { "reno-first-50", 5.0, 50, 50, 150, 50, 2, 1, 0, begin_late, 0, 0 },
  { "reno-first-200", 5.0, 50, 200, 150, 50, 2, 1, 0, begin_late, 0, 0 },
  { "cubic-5-50", 5.0, 50, 50, 150, 50, 2, 1, 0, use_cubic, 0, 0 },
  { "cubic-5-200", 5.0, 50, 200, 150, 50, 2, 1, 0, use_cubic, 0, 0 },
  { "cubic-20-200", 20.0, 50, 200, 150, 50, 2, 1, 0, use_cubic, 0, 0 },
  { "cubic-first-50", 5.0, 50, 50, 150, 50, 2, 1, 0, cubic_first, 0, 0 },
  { "cubic-first-200", 5.0, 50, 200, 150, 50, 2, 1, 0, cubic_first, 0, 0 },
  { "cubic-first-20", 20.0, 50, 200, 150, 50, 2, 1, 0, cubic_first, 0, 0 },
  { "cubic3-first", 20.0, 50, 200, 150, 50, 4, 3, 0, cubic_first, 0, 0 },
  /* While TCP is there, and when it is gone. */
  { "reno-visit", 5.0, 50, 200, 60, 22, 2, 1, 0, tcp_visits, 0, 0 },
  { "reno-left", 5.0, 50, 200, 100, 70, 1, 1, 0, tcp_visits, 60, 0 },
  { "cubic-visit", 5.0, 50, 200, 60, 22, 2, 1, 0, cubic_visits, 0, 0 },
  { "cubic-left", 5.0, 50, 200, 100, 70, 1, 1, 0, cubic_visits, 60, 0 },
};

static void
without_start (BottleneckFlowConfig *flow)
{
  flow->delay.leaves_slow_start = false;
}

static void
without_rate (BottleneckFlowConfig *flow)
{
  flow->delay.target_by_rate = false;
}

static void
without_noise (BottleneckFlowConfig *flow)
{
  flow->delay.target_by_noise = false;
}

static void
without_drains (BottleneckFlowConfig *flow)
{
  flow->delay.drains = false;
}

static void
without_competition (BottleneckFlowConfig *flow)
{
  flow->delay.competes = false;
}

static void
without_skew (BottleneckFlowConfig *flow)
{
  flow->delay.takes_out_skew = false;
}

static void
without_rtt (BottleneckFlowConfig *flow)
{
  flow->delay.checks_by_rtt = false;
}

static void
without_expecting (BottleneckFlowConfig *flow)
{
  flow->delay.expects = false;
}

static void
without_joining (BottleneckFlowConfig *flow)
{
  flow->delay.joins_drains = false;
}

/* Instead of the bound: the receiver takes long queues for marks. */
static void
marks_alone (BottleneckFlowConfig *flow)
{
  flow->delay.target = 0;
  flow->mark_from = 10 * MS;
}

static void
bound_and_marks (BottleneckFlowConfig *flow)
{
  flow->mark_from = 20 * MS;
}

static const Variant variants[] = {
  { "plain", false, NULL },
  { "control", true, NULL },
  { "-start", true, without_start },
  { "-rate", true, without_rate },
  { "-noise", true, without_noise },
  { "-drains", true, without_drains },
  { "-competes", true, without_competition },
  { "-skew", true, without_skew },
  { "-rtt", true, without_rtt },
  { "-expects", true, without_expecting },
  { "-joins", true, without_joining },
  { "marks", true, marks_alone },
  { "both", true, bound_and_marks },
};

typedef struct
{
  const Cell *cell;
  BottleneckConfig config;
  VirtualBottleneck *world;
  bool trace;
  unsigned traced;
  double queues[MOST_SECONDS * 100]; /* [ms] */
  unsigned n_queues;
  double capacity;              /* bytes that the link could carry */
  double seconds[MOST_SECONDS]; /* what the first flow sent */
  double uses[MOST_SECONDS];    /* what arrived, by what could */
  BottleneckCounters before[BOTTLENECK_FLOWS];
} Run;

static unsigned
get_from (const Cell *cell)
{
  return cell->from != 0 ? cell->from : 10;
}

static void
configure (Run *run, const Variant *variant, TfrcDuration target, uint64_t seed)
{
  const Cell *cell = run->cell;
  BottleneckConfig *config = &run->config;

  *config = bottleneck_config_default ();
  config->seed = seed;
  config->forward.rate = cell->mbit * MBIT;
  config->forward.queue_limit = cell->queue_ms * MS;
  config->forward.delay = config->back.delay = cell->rtt_ms * MS / 2;
  /* Against phase effects, docs/networks.md. */
  if (cell->flows > 1)
    config->access_jitter = tfrc_rate_time_for (config->forward.rate, 1200.0);
  config->n_flows = cell->flows;
  if (cell->tcp >= cell->flows)
    config->n_flows = cell->flows + cell->tcp;
  for (unsigned i = 0; i < config->n_flows; i++) {
    BottleneckFlowConfig *flow = &config->flows[i];

    /* Not all on one beat. */
    flow->start_at = i * 37 * MS + seed * 11 * MS;
    if (i >= config->n_flows - cell->tcp)
      flow->kind = BOTTLENECK_RENO;
    else if (variant->control)
      flow->delay.target = target;
    if (variant->change != NULL)
      variant->change (flow);
  }
  if (cell->late != 0)
    config->flows[config->n_flows - 1].start_at = cell->late * S;
  if (cell->change != NULL)
    cell->change (config);
}

/* A route that is 40 ms longer between the two events. */
static void
change_route (Run *run, TfrcTime now)
{
  LinkConfig link = run->config.forward;

  if (strncmp (run->cell->name, "route", 5) != 0)
    return;
  if (now == run->cell->event * S)
    link.delay += 40 * MS;
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
      run->traced);
  const TfrcSender *sender = bottleneck_get_sender (run->world, run->traced);

  printf ("%.1f s state %d queue %.1f ms seen %.1f expected %.1f target %.1f "
          "kbit/s delivered %.0f limit %.0f X %.0f p %.5f\n",
      tfrc_duration_to_seconds (now), control->state,
      run->queues[run->n_queues - 1], (double) control->queue / MS,
      (double) control->expected / MS, (double) control->target / MS,
      control->delivered / 125.0,
      tfrc_delay_control_get_limit (control) / 125.0,
      tfrc_sender_get_rate (sender) / 125.0, sender->loss_event_rate);
}

static void
run_cell (Run *run)
{
  const LinkModel *link = bottleneck_get_forward (run->world);
  uint64_t sent = 0, received = 0;
  double capacity = 0.0;

  for (TfrcTime now = STEP; now <= run->cell->seconds * S; now += STEP) {
    bottleneck_run (run->world, now);
    change_route (run, now);
    run->queues[run->n_queues++] = (double) link_model_get_queue_time (link)
        / MS;
    if (run->trace && now % (100 * MS) == 0)
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
get_jain (const Run *run, const double *bytes)
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
judge_event (const Run *run, Figures *figures)
{
  const Cell *cell = run->cell;
  unsigned second = cell->second;

  for (unsigned i = cell->event * 100;
      i < (cell->event + 10) * 100 && i < run->n_queues; i++)
    figures->above += run->queues[i] > 100.0 ? 0.01 : 0.0;
  if (second == 0)
    return;
  while (second < cell->seconds && run->uses[second] < 0.9)
    second++;
  figures->recovery = second - cell->second;
}

static Figures
judge (Run *run)
{
  unsigned from = get_from (run->cell), seconds = run->cell->seconds;
  double bytes[BOTTLENECK_FLOWS], received = 0.0;
  double sum = 0.0, squares = 0.0, n = seconds - from, sent = 0.0;
  BottleneckCounters first = bottleneck_get_counters (run->world, 0);
  Figures figures = { 0 };

  for (unsigned i = 0; i < run->config.n_flows; i++) {
    bytes[i] = (double) (bottleneck_get_counters (run->world, i).received_bytes
        - run->before[i].received_bytes);
    received += bytes[i];
  }
  for (unsigned i = from; i < seconds; i++) {
    sum += run->seconds[i];
    squares += run->seconds[i] * run->seconds[i];
  }
  sent = (double) (first.sent_bytes - run->before[0].sent_bytes);
  figures.rate = sum / n * 8.0 / 1000.0;
  figures.variation = sqrt (fmax (0.0, squares / n - sum / n * sum / n))
      / (sum / n);
  figures.loss = 100.0 * (double) (first.lost - run->before[0].lost)
      / (sent / 1200.0);
  figures.use = received / run->capacity;
  figures.fairness = get_jain (run, bytes);
  figures.start_use = run->uses[2];
  for (unsigned i = 0; i < 300; i++)
    figures.start_queue = fmax (figures.start_queue, run->queues[i]);
  if (run->cell->event != 0)
    judge_event (run, &figures);
  run->n_queues -= from * 100;
  qsort (run->queues + from * 100, run->n_queues, sizeof run->queues[0],
      compare);
  figures.p50 = run->queues[from * 100 + run->n_queues / 2];
  figures.p95 = run->queues[from * 100 + run->n_queues * 95 / 100];
  return figures;
}

static Figures
measure (const Cell *cell, const Variant *variant, TfrcDuration target,
    uint64_t seed, bool trace)
{
  Run *run = calloc (1, sizeof *run);
  Figures figures;

  run->cell = cell;
  configure (run, variant, target, seed);
  run->world = bottleneck_new (&run->config);
  run->trace = trace;
  run->traced = 0;
  run_cell (run);
  figures = judge (run);
  bottleneck_free (run->world);
  free (run);
  return figures;
}

static void
print_mean (const Cell *cell, const Variant *variant, TfrcDuration target,
    unsigned seeds, bool trace)
{
  Figures sum = { 0 };

  for (uint64_t seed = 1; seed <= seeds; seed++) {
    Figures one = measure (cell, variant, target, seed, trace);

    sum.rate += one.rate / seeds;
    sum.use += one.use / seeds;
    sum.p50 += one.p50 / seeds;
    sum.p95 += one.p95 / seeds;
    sum.variation += one.variation / seeds;
    sum.loss += one.loss / seeds;
    sum.fairness += one.fairness / seeds;
    sum.start_queue += one.start_queue / seeds;
    sum.start_use += one.start_use / seeds;
    sum.above += one.above / seeds;
    sum.recovery += one.recovery / seeds;
  }
  printf ("%-15s %-9s %6.0f %5.3f %6.1f %6.1f %5.3f %5.2f %6.3f %5.0f %4.2f "
          "%5.2f %5.1f\n",
      cell->name, variant->name, sum.rate, sum.use, sum.p50, sum.p95,
      sum.variation, sum.loss, sum.fairness, sum.start_queue, sum.start_use,
      sum.above, sum.recovery);
  fflush (stdout);
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

int
main (int argc, char **argv)
{
  const char *words[2] = { "", "" };
  unsigned n_words = 0, seeds = 3;
  TfrcDuration target = 8 * MS;
  bool trace = false;

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--seeds") == 0 && i + 1 < argc)
      seeds = (unsigned) atoi (argv[++i]);
    else if (strcmp (argv[i], "--target") == 0 && i + 1 < argc)
      target = (TfrcDuration) atoi (argv[++i]) * MS;
    else if (strcmp (argv[i], "--trace") == 0)
      trace = true;
    else if (n_words < 2)
      words[n_words++] = argv[i];
  }
  printf ("%-15s %-9s %6s %5s %6s %6s %5s %5s %6s %5s %4s %11s\n", "cell", "",
      "rate", "use", "p50", "p95", "CoV", "loss", "Jain", "start", "", "react");
  for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++)
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++)
      if (strstr (cells[c].name, words[0]) != NULL
          && (words[1][0] == 0 || has_word (words[1], variants[v].name)))
        print_mean (&cells[c], &variants[v], target, seeds, trace);
  return EXIT_SUCCESS;
}
