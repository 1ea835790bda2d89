/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When probes fill what a source leaves unused, and how much they take. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "delay/probing.h"

#define RTT (100 * MS)
#define PROBE (150 * MS) /* 1.5 RTT */
#define ALLOWED 40000.0  /* [bytes/s] */
#define SIZE 200
#define START_BYTES 65700 /* 15 x 4380, what slow start sends in four RTTs */

static const TfrcProbingReport usual = {
  .allowed_rate = ALLOWED,
  .wanted_rate = (double) INFINITY,
  .rtt = RTT,
  .receive_limited = true,
  .queue_empty = true,
};

/* A source of packets of SIZE, one per interval, with a report every RTT; probes
 * are sent at the allowed rate. */
typedef struct
{
  TfrcProbing probing;
  TfrcProbingReport report;
  TfrcDuration interval;
  TfrcTime now;
  TfrcTime next_packet_at, next_probe_at;
  double source_bytes, probe_bytes;
  TfrcDuration on; /* time during which a probe was on */
} World;

static void
start (World *self, TfrcRate source_rate)
{
  *self = (World) {
    .report = usual,
    .interval = tfrc_rate_time_for (source_rate, SIZE),
  };
  tfrc_probing_init (&self->probing);
}

static void
run (World *self, TfrcTime until)
{
  for (; self->now < until; self->now += MS) {
    if (self->now >= self->next_packet_at) {
      tfrc_probing_on_source (&self->probing, SIZE, false, self->now);
      self->source_bytes += SIZE;
      self->next_packet_at += self->interval;
    }
    if (self->now % self->report.rtt == 0)
      tfrc_probing_on_report (&self->probing, &self->report, self->now);
    if (self->now >= tfrc_probing_next_deadline (&self->probing))
      tfrc_probing_on_deadline (&self->probing, self->now);
    if (!tfrc_probing_is_on (&self->probing))
      continue;
    self->on += MS;
    if (self->now >= self->next_probe_at) {
      tfrc_probing_on_probe (&self->probing, SIZE);
      self->probe_bytes += SIZE;
      self->next_probe_at = self->now
          + tfrc_rate_time_for (self->report.allowed_rate, SIZE);
    }
  }
}

/* 1.5 RTT from the report on: 6000 bytes at 40,000/s.  The next one starts 20 times
 * as much later. */
START_TEST (a_probe_fills_an_rtt_and_a_half)
{
  World world;

  start (&world, ALLOWED / 10.0);
  run (&world, RTT);
  ck_assert_uint_eq (world.probing.counters.probes, 1);
  ck_assert_uint_eq (tfrc_probing_next_deadline (&world.probing), PROBE);
  ck_assert (tfrc_probing_was_on (&world.probing, 0));
  run (&world, PROBE + MS);
  ck_assert (!tfrc_probing_is_on (&world.probing));
  ck_assert (!tfrc_probing_was_on (&world.probing, PROBE));
  ck_assert_double_eq_tol (world.probe_bytes, 6000.0, SIZE);
  run (&world, 20 * PROBE);
  ck_assert_uint_eq (world.probing.counters.probes, 1);
  run (&world, 20 * PROBE + MS);
  ck_assert_uint_eq (world.probing.counters.probes, 2);
}

END_TEST
/* The source sends half of what is allowed, so nothing but the limits below bounds
 * the probes. */
START_TEST (probes_take_a_twentieth_of_the_time)
{
  static const TfrcDuration rtts[] = { MS, 20 * MS, 100 * MS, 500 * MS };
  World world;

  start (&world, ALLOWED / 2.0);
  world.report.rtt = rtts[_i];
  run (&world, 100 * S);
  ck_assert_uint_gt (world.probing.counters.probes, 5);
  /* The first of these time spans contains all of the first probe. */
  ck_assert_uint_le (world.on,
      (100 * S + 20 * 3 * rtts[_i]) / 20 + 3 * S / 100);
}

END_TEST
/* Sources of 0.05 to 0.7 of what is allowed: in total, and from a fifth on in any
 * second.  A probe is 6000 bytes, a fifth is 8000 bytes per second, and each probe
 * with its pause takes 3 s. */
START_TEST (probes_take_a_quarter_of_what_the_source_sends)
{
  static const double parts[] = { 0.05, 0.1, 0.2, 0.4, 0.7 };
  double source[101] = { 0 }, probes[101] = { 0 };
  World world;

  start (&world, parts[_i] * ALLOWED);
  for (unsigned second = 1; second <= 100; second++) {
    run (&world, second * S);
    source[second] = world.source_bytes;
    probes[second] = world.probe_bytes;
    ck_assert_double_le (world.probe_bytes,
        START_BYTES + world.source_bytes / 4.0);
    /* Whenever they start, three seconds contain one probe. */
    if (second >= 3 && parts[_i] >= 0.2)
      ck_assert_double_le (probes[second] - probes[second - 3],
          (source[second] - source[second - 3]) / 4.0 + 2 * SIZE);
  }
  ck_assert_uint_gt (world.probing.counters.probes, 10);
}

END_TEST
/* 1 % of what is allowed: 100 bytes of credit per second; a probe is 6000 bytes,
 * and the initial credit is worth ten. */
START_TEST (a_source_that_sends_next_to_nothing_pays_for_each)
{
  World world;

  start (&world, ALLOWED / 100.0);
  run (&world, 40 * S);
  ck_assert_uint_ge (world.probing.counters.probes, 11);
  ck_assert_uint_le (world.probing.counters.probes, 12);
  run (&world, 640 * S);
  ck_assert_uint_ge (world.probing.counters.probes, 20);
  ck_assert_uint_le (world.probing.counters.probes, 22);
}

END_TEST
/* After ten minutes at 0.7 of what is allowed the credit is no larger than at the
 * start.  Then the source sends 200 bytes every 5 s, which earn 3000 in 5 minutes. */
START_TEST (a_long_past_buys_no_more_than_a_start)
{
  World world;
  double before;

  start (&world, 0.7 * ALLOWED);
  run (&world, 600 * S);
  before = world.probe_bytes;
  world.interval = 5 * S;
  run (&world, 900 * S);
  ck_assert_double_gt (world.probe_bytes - before, START_BYTES / 2.0);
  ck_assert_double_le (world.probe_bytes - before, START_BYTES + 3000);
}

END_TEST
START_TEST (there_is_none_with_a_queue)
{
  World world;

  start (&world, ALLOWED / 10.0);
  world.report.queue_empty = false;
  run (&world, 10 * S);
  ck_assert_uint_eq (world.probing.counters.probes, 0);
}

END_TEST
/* The report at 100 ms shows a queue: packets sent later would have found it. */
START_TEST (a_queue_ends_a_probe)
{
  World world;

  start (&world, ALLOWED / 10.0);
  run (&world, 99 * MS);
  ck_assert (tfrc_probing_is_on (&world.probing));
  world.report.queue_empty = false;
  run (&world, 101 * MS);
  ck_assert (!tfrc_probing_is_on (&world.probing));
  ck_assert (!tfrc_probing_was_on (&world.probing, RTT));
  ck_assert (tfrc_probing_was_on (&world.probing, RTT - 1));
}

END_TEST
/* By its settings, or because no encoder follows. */
START_TEST (there_is_none_for_an_encoder_that_has_all_it_wants)
{
  static const TfrcRate wanted[] = { ALLOWED, ALLOWED / 2.0, 0.0 };
  World world;

  start (&world, ALLOWED / 10.0);
  world.report.wanted_rate = wanted[_i];
  run (&world, 10 * S);
  ck_assert_uint_eq (world.probing.counters.probes, 0);
  world.report.wanted_rate = ALLOWED + 1.0;
  run (&world, 20 * S);
  ck_assert_uint_gt (world.probing.counters.probes, 0);
}

END_TEST
START_TEST (there_is_none_where_something_else_bounds_the_rate)
{
  World world;

  start (&world, ALLOWED / 10.0);
  world.report.receive_limited = false;
  run (&world, 10 * S);
  ck_assert_uint_eq (world.probing.counters.probes, 0);
}

END_TEST
/* At 0.9 of what is allowed; or less, but always with more to send. */
START_TEST (there_is_none_for_a_source_that_sends_what_it_may)
{
  TfrcProbing probing;
  World world;

  start (&world, 0.9 * ALLOWED);
  run (&world, 5 * S);
  world.probing.counters.probes = 0;
  run (&world, 60 * S);
  ck_assert_uint_eq (world.probing.counters.probes, 0);

  tfrc_probing_init (&probing);
  for (TfrcTime now = 0; now < 60 * S; now += RTT) {
    tfrc_probing_on_source (&probing, SIZE, true, now);
    tfrc_probing_on_report (&probing, &usual, now);
  }
  ck_assert_uint_eq (probing.counters.probes, 0);
}

END_TEST

int
main (void)
{
  Suite *suite = suite_create ("tfrc-probing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_probe_fills_an_rtt_and_a_half);
  tcase_add_loop_test (tc, probes_take_a_twentieth_of_the_time, 0, 4);
  tcase_add_loop_test (tc, probes_take_a_quarter_of_what_the_source_sends, 0,
      5);
  tcase_add_test (tc, a_source_that_sends_next_to_nothing_pays_for_each);
  tcase_add_test (tc, a_long_past_buys_no_more_than_a_start);
  tcase_add_test (tc, there_is_none_with_a_queue);
  tcase_add_test (tc, a_queue_ends_a_probe);
  tcase_add_loop_test (tc, there_is_none_for_an_encoder_that_has_all_it_wants,
      0, 3);
  tcase_add_test (tc, there_is_none_where_something_else_bounds_the_rate);
  tcase_add_test (tc, there_is_none_for_a_source_that_sends_what_it_may);
  return run_check_suite (suite);
}
