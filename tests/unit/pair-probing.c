/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources that send less than they may, with probes and without. */
#include <check.h>

#include "check-suite.h"
#include "virtual-bottleneck.h"

#define LINK_RATE 250000.0 /* [bytes/s] */
#define KBIT 125.0

/* An encoder that follows the rate, with delay control, and a queue of a second. */
static BottleneckConfig
make_config (TfrcDuration rtt, bool probes)
{
  BottleneckConfig config = bottleneck_config_default ();

  config.forward.rate = LINK_RATE;
  config.forward.queue_limit = S;
  config.forward.delay = config.back.delay = rtt / 2;
  config.flows[0].encoder = config.flows[0].told = true;
  config.flows[0].delay_target = 8 * MS;
  config.flows[0].probes = probes;
  return config;
}

/* What arrived from `from` to `until`, relative to what the link could carry. */
static double
get_use (VirtualBottleneck *world, TfrcTime from, TfrcTime until)
{
  uint64_t before;

  bottleneck_run (world, from);
  before = bottleneck_get_counters (world, 0).received_bytes;
  bottleneck_run (world, until);
  return (double) (bottleneck_get_counters (world, 0).received_bytes - before)
      / tfrc_rate_bytes_in (
          link_model_get_rate (bottleneck_get_forward (world)), until - from);
}

/* x264 produces only skipped frames below 400 kbit/s, and W_init / R is 350 kbit/s
 * at 100 ms (RFC 5348 section 4.2: 4380 bytes), 175 at 200 and 117 at 300.  A probe
 * doubles X, and the next one comes 30 RTTs later. */
START_TEST (an_encoder_that_begins_above_the_first_rate_begins)
{
  BottleneckConfig config = make_config ((1 + _i) * 100 * MS, false);
  VirtualBottleneck *world;
  BottleneckCounters counters;

  config.flows[0].encoder_cliff = 400 * KBIT;
  world = bottleneck_new (&config);
  ck_assert_double_lt (get_use (world, 0, 60 * S), 0.02);
  bottleneck_free (world);

  config.flows[0].probes = true;
  world = bottleneck_new (&config);
  ck_assert_double_gt (get_use (world, 25 * S, 35 * S), 0.9);
  bottleneck_run (world, 60 * S);
  counters = bottleneck_get_counters (world, 0);
  ck_assert_uint_gt (counters.probe_bytes, 4000);
  ck_assert_double_lt ((double) counters.probe_bytes,
      0.01 * (double) counters.sent_bytes);
  bottleneck_free (world);
}

END_TEST
/* The link falls to a quarter while the scene is still, which skipped frames do not
 * show.  The previous D would be three quarters too much. */
START_TEST (a_still_scene_sees_the_link_fall)
{
  TfrcDuration longest[2] = { 0 };

  for (int probes = 0; probes < 2; probes++) {
    BottleneckConfig config = make_config (50 * MS, probes);
    VirtualBottleneck *world;

    config.forward.n_steps = 1;
    config.forward.steps[0] = (LinkStep) { 20 * S, LINK_RATE / 4.0 };
    config.flows[0].still_from = 19 * S;
    config.flows[0].still_until = 50 * S;
    world = bottleneck_new (&config);
    bottleneck_run (world, 50 * S);
    for (TfrcTime now = 50 * S; now < 55 * S; now += 10 * MS) {
      bottleneck_run (world, now);
      longest[probes] = tfrc_time_max (longest[probes],
          link_model_get_queue_time (bottleneck_get_forward (world)));
    }
    bottleneck_free (world);
  }
  ck_assert_uint_gt (longest[0], 250 * MS);
  ck_assert_uint_lt (longest[1], longest[0] / 2);
}

END_TEST
/* An encoder that produces 0.6 of the rate it is given. */
START_TEST (an_encoder_below_its_target_is_told_more)
{
  double use[2];

  for (int probes = 0; probes < 2; probes++) {
    BottleneckConfig config = make_config (50 * MS, probes);
    VirtualBottleneck *world;

    config.flows[0].told = false;
    config.flows[0].encoder_part = 0.6;
    world = bottleneck_new (&config);
    use[probes] = get_use (world, 10 * S, 60 * S);
    bottleneck_free (world);
  }
  ck_assert_double_gt (use[1], 0.5);
  ck_assert_double_gt (use[1], use[0]);
}

END_TEST
/* For a scene that moves now and then the result is as without probes, within the
 * difference of a few packets. */
START_TEST (probes_that_are_lost_do_no_harm)
{
  double use[2];

  for (int probes = 0; probes < 2; probes++) {
    BottleneckConfig config = make_config (50 * MS, probes);
    VirtualBottleneck *world;

    config.flows[0].loses_probes = true;
    config.flows[0].on_time = 4 * S;
    world = bottleneck_new (&config);
    use[probes] = get_use (world, 0, 120 * S);
    ck_assert (!probes
        || bottleneck_get_counters (world, 0).probe_bytes > 10000);
    bottleneck_free (world);
  }
  ck_assert_double_gt (use[1], 0.97 * use[0]);
}

END_TEST
/* On a full link the queue shows it: there is nothing but the encoder's packets. */
START_TEST (a_full_link_is_not_probed)
{
  BottleneckConfig config = make_config (50 * MS, true);
  VirtualBottleneck *world = bottleneck_new (&config);
  uint64_t before;

  bottleneck_run (world, 10 * S);
  before = bottleneck_get_counters (world, 0).probe_bytes;
  bottleneck_run (world, 60 * S);
  ck_assert_double_lt ((double) (bottleneck_get_counters (world, 0).probe_bytes
                           - before),
      0.001 * tfrc_rate_bytes_in (LINK_RATE, 50 * S));
  bottleneck_free (world);
}

END_TEST

int
main (void)
{
  Suite *suite = suite_create ("pair-probing");
  TCase *tc = tcase_create ("general");

  tcase_add_loop_test (tc, an_encoder_that_begins_above_the_first_rate_begins,
      0, 3);
  tcase_add_test (tc, a_still_scene_sees_the_link_fall);
  tcase_add_test (tc, an_encoder_below_its_target_is_told_more);
  tcase_add_test (tc, probes_that_are_lost_do_no_harm);
  tcase_add_test (tc, a_full_link_is_not_probed);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
