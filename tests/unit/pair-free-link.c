/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow with default settings, alone on any kind of link, never stays below a
 * third of the free capacity for ten seconds, whatever its source is and whatever
 * happened before.  If one does, the test searches for the simplest link that still
 * holds it down, and prints it.
 *
 *   test-pair-free-link [FIRST LAST]
 *
 * runs these links, of a minute and a half each, instead of the first ones: a
 * thousand take a day, and half a percent of them hold the flow down (docs/delay.md). */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check-suite.h"
#include "random-link.h"
#include "virtual-bottleneck.h"

#define SECONDS 90
#define WINDOW 10
#define MOST_CHANGES 3
/* Beyond these a flow may be slower: docs/delay.md. */
#define MOST_JITTER 10.0 /* [ms] */
#define MOST_RISE 8.0
#define N_LINKS 64
#define CLIFF_RATE (0.2 * MBIT)
#define TARGET (8 * MS) /* as set by the elements */

typedef enum
{
  GREEDY,
  VIDEO, /* consists of key frames and others, at the rate X allows */
  TOLD,  /* its rate follows, like an encoder's */
  CLIFF, /* the same, and skips everything below 0.2 Mbit/s */
  STILL, /* the same, and at times nothing moves */
  N_SOURCES,
} Source;

typedef struct
{
  unsigned at; /* [s] */
  double mbit;
  unsigned longer_ms; /* one-way delay from then on */
} Change;

typedef struct
{
  double mbit;
  unsigned rtt_ms;
  unsigned queue_ms;
  Source source;
  unsigned still_from, still_until; /* [s] */
  unsigned jitter_ms;
  unsigned back_jitter_ms;
  unsigned aggregate_ms;
  int skew_ppm;
  bool plain_reports;
  unsigned n_changes;
  Change changes[MOST_CHANGES];
} Scenario;

static unsigned first_link = 0, last_link = N_LINKS;

/* Of the others, those that show former faults: X_recv of bursts further apart than
 * the RTT; growth with a queue that is short but not quite empty; a path that
 * becomes longer by more than q* as it becomes faster, or by less. */
static const unsigned telling[] = { 77, 639, 885, 324, 1109, 1299, 68, 928,
  1363, 183, 246, 502, 869, 1657, 1943 };

/* Another rate, or a fraction of the initial one, as in a fade. */
static double
draw_rate (TfrcRng *rng, double first, double last)
{
  double mbit = random_chance (rng, 0.5)
      ? random_scale (rng, 0.3, 50.0)
      : first * random_scale (rng, 0.02, 1.0);

  return fmin (mbit, MOST_RISE * last);
}

static Scenario
draw (unsigned number)
{
  Scenario scenario = { 0 };
  TfrcRng rng;

  tfrc_rng_init (&rng, number, 7);
  scenario.mbit = random_scale (&rng, 0.3, 50.0);
  scenario.rtt_ms = (unsigned) random_scale (&rng, 1.0, 300.0);
  scenario.queue_ms = (unsigned) random_scale (&rng, 20.0, 1000.0);
  scenario.source = (Source) (tfrc_rng_next (&rng) % N_SOURCES);
  if (random_chance (&rng, 0.3))
    scenario.jitter_ms = (unsigned) random_scale (&rng, 1.0, MOST_JITTER);
  if (random_chance (&rng, 0.2))
    scenario.back_jitter_ms = (unsigned) random_scale (&rng, 1.0, MOST_JITTER);
  if (random_chance (&rng, 0.2))
    scenario.aggregate_ms = (unsigned) random_scale (&rng, 2.0, 20.0);
  if (random_chance (&rng, 0.3))
    scenario.skew_ppm = (int) random_between (&rng, -200.0, 200.0);
  scenario.plain_reports = random_chance (&rng, 0.1);
  scenario.n_changes = tfrc_rng_next (&rng) % (MOST_CHANGES + 1);
  for (unsigned i = 0; i < scenario.n_changes; i++)
    scenario.changes[i] = (Change) {
      .at = 20 + 20 * i + tfrc_rng_next (&rng) % 10,
      .mbit = draw_rate (&rng, scenario.mbit,
          i > 0 ? scenario.changes[i - 1].mbit : scenario.mbit),
      .longer_ms = random_chance (&rng, 0.3)
          ? (unsigned) random_scale (&rng, 1.0, 100.0)
          : 0,
    };
  scenario.still_from = tfrc_rng_next (&rng) % 30;
  scenario.still_until = scenario.still_from + tfrc_rng_next (&rng) % 30;
  return scenario;
}

static void
configure_source (BottleneckFlowConfig *flow, const Scenario *scenario)
{
  flow->delay_target = TARGET;
  flow->tolerate_loss = true;
  flow->clock_skew = scenario->skew_ppm * 1e-6;
  flow->plain_reports = scenario->plain_reports;
  flow->encoder = scenario->source != GREEDY;
  flow->told = scenario->source >= TOLD;
  flow->drops_old = flow->told;
  if (flow->told) {
    flow->encoder_max_rate = 60.0 * MBIT;
    flow->probes = true;
  }
  if (scenario->source == CLIFF)
    flow->encoder_cliff = CLIFF_RATE;
  if (scenario->source == STILL) {
    flow->still_from = scenario->still_from * S;
    flow->still_until = scenario->still_until * S;
  }
}

static BottleneckConfig
configure (const Scenario *scenario)
{
  BottleneckConfig config = bottleneck_config_default ();

  config.forward.rate = scenario->mbit * MBIT;
  config.forward.delay = config.back.delay = scenario->rtt_ms * MS / 2;
  config.forward.queue_limit = TFRC_TIME_NONE;
  /* In bytes, as buffers are; at least a frame of ten packets. */
  config.forward.queue_limit_bytes =
      (size_t) fmax (scenario->queue_ms * 1e-3 * config.forward.rate, 12000.0);
  config.forward.jitter = scenario->jitter_ms * MS;
  config.back.jitter = scenario->back_jitter_ms * MS;
  config.aggregate = scenario->aggregate_ms * MS;
  configure_source (&config.flows[0], scenario);
  return config;
}

/* At the start of second `at`. */
static bool
change (const Scenario *scenario, BottleneckConfig *config,
    VirtualBottleneck *world, unsigned at)
{
  for (unsigned i = 0; i < scenario->n_changes; i++)
    if (scenario->changes[i].at == at) {
      config->forward.rate = scenario->changes[i].mbit * MBIT;
      config->forward.delay += scenario->changes[i].longer_ms * MS;
      bottleneck_set_forward (world, &config->forward);
      return true;
    }
  return false;
}

/* Whether the link is too slow for the encoder to produce anything. */
static bool
is_too_slow (const Scenario *scenario, double rate)
{
  return scenario->source == CLIFF && rate < 1.5 * CLIFF_RATE;
}

static bool
is_still (const Scenario *scenario, unsigned second)
{
  return scenario->source == STILL && second >= scenario->still_from
      && second < scenario->still_until;
}

/* The second that ends WINDOW seconds in a row, each below a third, or 0. */
static unsigned
find_fault (const Scenario *scenario)
{
  BottleneckConfig config = configure (scenario);
  VirtualBottleneck *world = bottleneck_new (&config);
  unsigned second = 0, low = 0;
  uint64_t received = 0, before;

  while (second < SECONDS && low < WINDOW) {
    bool changed = change (scenario, &config, world, second);

    before = received;
    bottleneck_run (world, ++second * S);
    received = bottleneck_get_counters (world, 0).received_bytes;
    if (changed)
      low = 0;
    if (is_still (scenario, second - 1)
        || is_too_slow (scenario, config.forward.rate)
        || (double) (received - before) >= config.forward.rate / 3.0)
      low = 0;
    else
      low++;
  }
  bottleneck_free (world);
  return low < WINDOW ? 0 : second;
}

/* Each makes one thing simpler; the last ones remove changes. */
static Scenario
simplify (const Scenario *scenario, unsigned step)
{
  Scenario simpler = *scenario;

  switch (step) {
    case 0:
      simpler.jitter_ms = 0;
      break;
    case 1:
      simpler.back_jitter_ms = 0;
      break;
    case 2:
      simpler.aggregate_ms = 0;
      break;
    case 3:
      simpler.skew_ppm = 0;
      break;
    case 4:
      simpler.plain_reports = false;
      break;
    case 5:
      simpler.source = GREEDY;
      break;
    case 6:
      simpler.source = TOLD;
      break;
    case 7:
      simpler.rtt_ms = 50;
      break;
    case 8:
      simpler.queue_ms = 1000;
      break;
    case 9:
      simpler.mbit = 2.0;
      break;
    default:
      if (step - 10 >= simpler.n_changes)
        break;
      simpler.n_changes--;
      for (unsigned i = step - 10; i < simpler.n_changes; i++)
        simpler.changes[i] = simpler.changes[i + 1];
  }
  return simpler;
}

static Scenario
shrink (Scenario scenario)
{
  for (unsigned step = 0; step < 10 + MOST_CHANGES; step++) {
    Scenario simpler = simplify (&scenario, step);

    if (find_fault (&simpler) > 0)
      scenario = simpler;
  }
  return scenario;
}

static void
tell (unsigned number, const Scenario *scenario)
{
  static const char *const sources[N_SOURCES] = { "greedy", "video", "told",
    "cliff", "still" };

  printf ("link %u: under a third before second %u: %s on %.2f Mbit/s, "
          "%u ms, queue %u ms, jitter %u and %u ms, aggregates %u ms, skew %d "
          "ppm%s",
      number, find_fault (scenario), sources[scenario->source], scenario->mbit,
      scenario->rtt_ms, scenario->queue_ms, scenario->jitter_ms,
      scenario->back_jitter_ms, scenario->aggregate_ms, scenario->skew_ppm,
      scenario->plain_reports ? ", RFC 5348's reports" : "");
  if (scenario->source == STILL)
    printf (", still %u to %u s", scenario->still_from, scenario->still_until);
  for (unsigned i = 0; i < scenario->n_changes; i++)
    printf ("; %u s: %.2f Mbit/s, %u ms longer", scenario->changes[i].at,
        scenario->changes[i].mbit, scenario->changes[i].longer_ms);
  printf ("\n");
  fflush (stdout); /* the process of a test that fails does not return */
}

/* Whether the link holds a flow down; prints it if so. */
static bool
is_fault (unsigned number)
{
  Scenario scenario = draw (number);

  if (find_fault (&scenario) == 0)
    return false;
  scenario = shrink (scenario);
  tell (number, &scenario);
  return true;
}

START_TEST (no_flow_stays_under_a_third_of_a_free_link)
{
  unsigned faults = 0;

  for (unsigned i = first_link; i < last_link; i++)
    faults += is_fault (i);
  ck_assert_uint_eq (faults, 0);
}

END_TEST
START_TEST (no_flow_stays_there_where_it_once_did)
{
  ck_assert (!is_fault (telling[_i]));
}

END_TEST int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("pair-free-link");
  TCase *tcase = tcase_create ("general");

  if (argc == 3) {
    first_link = (unsigned) strtoul (argv[1], NULL, 10);
    last_link = (unsigned) strtoul (argv[2], NULL, 10);
  }
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 86400);
  tcase_add_test (tcase, no_flow_stays_under_a_third_of_a_free_link);
  tcase_add_loop_test (tcase, no_flow_stays_there_where_it_once_did, 0,
      sizeof telling / sizeof *telling);
  return run_check_suite (suite);
}
