/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The simulated link: serialisation, queue bound, schedule, losses, order.
 * 1250 bytes at 125000 bytes/s (1 Mbit/s) take 10 ms. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "check-suite.h"
#include "link-model.h"

#define SIZE 1250
#define RATE 125000.0

static LinkConfig config;
static LinkModel *model;

static void
setup (void)
{
  link_config_init (&config);
  config.rate = RATE;
  model = NULL;
}

static void
teardown (void)
{
  link_model_free (model);
}

static void
start (void)
{
  model = link_model_new (&config, 1, 0);
}

static void
expect_output (uint32_t id, TfrcTime at, LinkFate fate, bool last)
{
  LinkOutput output;

  ck_assert (link_model_poll (model, &output, at));
  ck_assert_uint_eq (output.id, id);
  ck_assert_uint_eq (output.at, at);
  ck_assert_int_eq (output.fate, fate);
  ck_assert_int_eq (output.last, last);
}

/* Out exactly at `at`, and not 1 ns earlier. */
static void
expect_arrival (uint32_t id, TfrcTime at)
{
  LinkOutput output;

  ck_assert (!link_model_poll (model, &output, at - 1));
  expect_output (id, at, LINK_DELIVERED, true);
}

static void
expect_nothing (TfrcTime now)
{
  LinkOutput output;

  ck_assert (!link_model_poll (model, &output, now));
}

static void
step_at (TfrcTime at, TfrcRate rate)
{
  LinkStep *step = &config.steps[config.n_steps++];

  step->at = at;
  step->rate = rate;
}

START_TEST (packets_are_serialised_one_after_the_other)
{
  config.delay = 50 * MS;
  start ();
  ck_assert_uint_eq (link_model_next_deadline (model), TFRC_TIME_NONE);
  /* Two at 0: wire 0-10 and 10-20 ms.  One at 35 ms finds it idle. */
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 1, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 2, 0), LINK_QUEUED);
  ck_assert_uint_eq (link_model_next_deadline (model), 10 * MS);
  ck_assert_int_eq (link_model_enqueue (model, 125, 3, 35 * MS), LINK_QUEUED);
  expect_arrival (1, 60 * MS);
  expect_arrival (2, 70 * MS);
  expect_arrival (3, 86 * MS); /* 125 bytes: 1 ms */
  ck_assert_uint_eq (link_model_next_deadline (model), TFRC_TIME_NONE);
}

END_TEST
/* Whoever polls late still learns the exact times, and capacity is not lost. */
START_TEST (a_late_poll_changes_nothing)
{
  LinkOutput output;
  uint32_t id;

  start ();
  for (id = 0; id < 5; id++)
    link_model_enqueue (model, SIZE, id, 0);
  for (id = 0; id < 5; id++) {
    ck_assert (link_model_poll (model, &output, TFRC_SECOND));
    ck_assert_uint_eq (output.id, id);
    ck_assert_uint_eq (output.at, (id + 1) * 10 * MS);
  }
}

END_TEST
START_TEST (an_infinite_rate_takes_no_time)
{
  config.rate = INFINITY;
  config.delay = 5 * MS;
  start ();
  link_model_enqueue (model, SIZE, 1, MS);
  link_model_enqueue (model, SIZE, 2, MS);
  ck_assert_uint_eq (link_model_get_queue_time (model), 0);
  expect_arrival (1, 6 * MS);
  expect_output (2, 6 * MS, LINK_DELIVERED, true);
}

END_TEST
/* Opportunities at 10, 10, 30 and 40 ms, then at 50, 50, 70 and 80 ms.  Two
 * packets of 1250 bytes: the second has 250 of the first opportunity and the rest
 * of the second, all at 10 ms.  Three of 1250 bytes and one of 2000 at 12 ms are
 * 5750: 1500 at 30, at 40 and 50 each, then 1250 of that at 50 ms, so the first
 * is out at 30, the second at 40, the others at 50 ms. */
START_TEST (a_trace_lets_bytes_through_when_it_says)
{
  TfrcDuration times[] = { 10 * MS, 10 * MS, 30 * MS, 40 * MS };
  LinkTrace trace = { times, 4 };

  config.rate = INFINITY;
  config.trace = &trace;
  config.delay = MS;
  start ();
  link_model_enqueue (model, SIZE, 1, 0);
  ck_assert_uint_eq (link_model_get_queue_time (model), 10 * MS);
  link_model_enqueue (model, SIZE, 2, 0);
  ck_assert_uint_eq (link_model_get_queue_time (model), 10 * MS);
  ck_assert_uint_eq (link_model_next_deadline (model), 10 * MS);
  expect_arrival (1, 11 * MS);
  expect_output (2, 11 * MS, LINK_DELIVERED, true);
  link_model_enqueue (model, SIZE, 3, 12 * MS);
  link_model_enqueue (model, SIZE, 4, 12 * MS);
  link_model_enqueue (model, SIZE, 5, 12 * MS);
  link_model_enqueue (model, 2000, 6, 12 * MS);
  ck_assert_uint_eq (link_model_get_queue_bytes (model), 5750);
  ck_assert_uint_eq (link_model_get_queue_time (model), 38 * MS);
  expect_arrival (3, 31 * MS);
  ck_assert_uint_eq (link_model_get_queue_bytes (model), 4250);
  expect_arrival (4, 41 * MS);
  expect_arrival (5, 51 * MS);
  expect_output (6, 51 * MS, LINK_DELIVERED, true);
  ck_assert_uint_eq (link_model_next_deadline (model), TFRC_TIME_NONE);
}

END_TEST
/* What nobody used is lost: after a year of silence the next packet waits for
 * the next opportunity.  A year is 788400000 rounds of 40 ms. */
START_TEST (an_idle_trace_keeps_nothing_for_later)
{
  TfrcDuration times[] = { 10 * MS, 40 * MS };
  LinkTrace trace = { times, 2 };
  TfrcTime year = UINT64_C (31536000) * TFRC_SECOND;

  config.trace = &trace;
  start ();
  link_model_enqueue (model, SIZE, 1, year + 11 * MS);
  expect_arrival (1, year + 40 * MS);
  /* In the 100 ms before are those at 40, 50, 80 and 90 ms. */
  expect_nothing (year + 110 * MS);
  ck_assert_double_eq_tol (link_model_get_rate (model), 60000.0, 1e-6);
}

END_TEST
/* The wait is that until the opportunities that come, however fast or slow they
 * were: 20 ms of queue are two packets here, and 3000 bytes as well. */
START_TEST (a_trace_has_the_same_bounds_of_the_queue)
{
  TfrcDuration times[] = { 10 * MS, 20 * MS, 30 * MS };
  LinkTrace trace = { times, 3 };
  unsigned by_bytes;

  for (by_bytes = 0; by_bytes < 2; by_bytes++) {
    setup ();
    config.trace = &trace;
    config.queue_limit = by_bytes ? TFRC_TIME_NONE : 19 * MS;
    config.queue_limit_bytes = by_bytes ? 3000 : LINK_UNLIMITED_BYTES;
    start ();
    ck_assert_int_eq (link_model_enqueue (model, 1500, 1, 0), LINK_QUEUED);
    ck_assert_int_eq (link_model_enqueue (model, 1500, 2, 0), LINK_QUEUED);
    ck_assert_int_eq (link_model_enqueue (model, 1500, 3, 0),
        LINK_DROPPED_QUEUE);
    expect_arrival (1, 10 * MS);
    ck_assert_int_eq (link_model_enqueue (model, 1500, 4, 10 * MS),
        LINK_QUEUED);
    if (!by_bytes)
      teardown ();
  }
}

END_TEST
/* 500 bytes are left of a packet of 2000 when the trace becomes 1 Mbit/s: 4 ms.
 * The trace starts over with the schedule. */
START_TEST (a_trace_ends_and_starts_over_live)
{
  TfrcDuration times[] = { 10 * MS, 20 * MS };
  LinkTrace trace = { times, 2 };

  config.trace = &trace;
  start ();
  link_model_enqueue (model, 2000, 1, 0);
  config.trace = NULL;
  config.rate = RATE;
  link_model_set_config (model, &config, 15 * MS);
  expect_arrival (1, 19 * MS);
  config.trace = &trace;
  link_model_set_config (model, &config, 25 * MS);
  link_model_enqueue (model, SIZE, 2, 25 * MS);
  link_model_restart_schedule (model, 27 * MS);
  expect_arrival (2, 37 * MS);
}

END_TEST
/* 100 ms at 1 Mbit/s: the packet on the wire and nine more make a wait of
 * 100 ms for the eleventh, which just fits; the twelfth would wait 110 ms. */
START_TEST (the_queue_holds_its_milliseconds_and_no_more)
{
  uint32_t id;

  config.queue_limit = 100 * MS;
  start ();
  for (id = 1; id <= 11; id++) {
    ck_assert_uint_eq (link_model_get_queue_time (model), (id - 1) * 10 * MS);
    ck_assert_int_eq (link_model_enqueue (model, SIZE, id, 0), LINK_QUEUED);
    ck_assert_uint_eq (link_model_get_found_wait (model), (id - 1) * 10 * MS);
  }
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 12, 0),
      LINK_DROPPED_QUEUE);
  ck_assert_uint_eq (link_model_get_found_wait (model), 110 * MS);
  /* What is left of the packet on the wire counts: room after 10 ms. */
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 13, 10 * MS - 1),
      LINK_DROPPED_QUEUE);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 14, 10 * MS), LINK_QUEUED);
  ck_assert_uint_eq (link_model_get_queue_bytes (model), 11 * SIZE);
  ck_assert_uint_eq (link_model_get_queue_packets (model), 11);
  ck_assert_uint_eq (link_model_get_counters (model)->dropped_queue, 2);
  ck_assert_uint_eq (link_model_get_counters (model)->offered, 14);
}

END_TEST
START_TEST (the_queue_holds_its_bytes_and_no_more)
{
  config.queue_limit_bytes = 3 * SIZE;
  start ();
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 1, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 2, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, SIZE + 1, 3, 0),
      LINK_DROPPED_QUEUE);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 4, 0), LINK_QUEUED);
  /* After 5 ms 625 bytes have left. */
  ck_assert_int_eq (link_model_enqueue (model, 626, 5, 5 * MS),
      LINK_DROPPED_QUEUE);
  ck_assert_int_eq (link_model_enqueue (model, 625, 6, 5 * MS), LINK_QUEUED);
}

END_TEST
/* The one on the wire counts. */
START_TEST (the_queue_holds_its_packets_and_no_more)
{
  config.queue_limit_packets = 2;
  start ();
  ck_assert_int_eq (link_model_enqueue (model, 1, 1, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 2, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, 1, 3, 0), LINK_DROPPED_QUEUE);
  ck_assert_int_eq (link_model_enqueue (model, 1, 4, 10 * MS), LINK_QUEUED);
}

END_TEST
/* Two packets at once, and one each 20 ms: half of what the link carries. */
START_TEST (a_policer_lets_so_much_through_and_holds_nothing)
{
  config.police_rate = SIZE / 0.02;
  config.police_bytes = 2 * SIZE;
  start ();
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 1, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 2, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 3, 20 * MS - 1),
      LINK_DROPPED_QUEUE);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 4, 20 * MS), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 5, 20 * MS),
      LINK_DROPPED_QUEUE);
}

END_TEST
START_TEST (an_idle_link_takes_any_packet)
{
  config.queue_limit = 0;
  config.queue_limit_bytes = 10;
  start ();
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 1, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue (model, 1, 2, 0), LINK_DROPPED_QUEUE);
  expect_arrival (1, 10 * MS);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 3, 10 * MS), LINK_QUEUED);
}

END_TEST
/* 5 ms at 1 Mbit/s move 625 of 1250 bytes; the rest at 500 kbit/s takes
 * another 10 ms.  Back at 1 Mbit/s from 20 ms: the second packet moved 312.5
 * bytes from 15 to 20 ms, 937.5 are left, 7.5 ms. */
START_TEST (a_step_applies_within_a_packet)
{
  step_at (5 * MS, RATE / 2);
  step_at (20 * MS, RATE);
  start ();
  link_model_enqueue (model, SIZE, 1, 0);
  link_model_enqueue (model, SIZE, 2, 0);
  ck_assert_uint_eq (link_model_next_deadline (model), 5 * MS);
  expect_arrival (1, 15 * MS);
  expect_arrival (2, 27500000);
  ck_assert_double_eq (link_model_get_rate (model), RATE);
}

END_TEST
START_TEST (an_outage_loses_what_waits_and_what_comes)
{
  config.delay = 50 * MS;
  step_at (15 * MS, 0.0);
  step_at (40 * MS, RATE);
  start ();
  link_model_enqueue (model, SIZE, 1, 0);
  link_model_enqueue (model, SIZE, 2, 0);
  link_model_enqueue (model, SIZE, 3, 0);
  /* 1 is in the air and arrives; 2 and 3 are lost when the link goes. */
  expect_output (2, 15 * MS, LINK_DISCARDED, true);
  expect_output (3, 15 * MS, LINK_DISCARDED, true);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 4, 39 * MS),
      LINK_DROPPED_OUTAGE);
  ck_assert_uint_eq (link_model_get_queue_bytes (model), 0);
  ck_assert_uint_eq (link_model_get_queue_time (model), 0);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 5, 40 * MS), LINK_QUEUED);
  expect_arrival (1, 60 * MS);
  expect_arrival (5, 100 * MS);
  ck_assert_uint_eq (link_model_get_counters (model)->dropped_outage, 3);
  ck_assert_uint_eq (link_model_get_counters (model)->delivered, 2);
}

END_TEST
START_TEST (a_packet_that_ends_with_the_link_is_through)
{
  step_at (10 * MS, 0.0);
  start ();
  link_model_enqueue (model, SIZE, 1, 0);
  expect_arrival (1, 10 * MS);
  ck_assert_uint_eq (link_model_get_counters (model)->dropped_outage, 0);
}

END_TEST
/* Its handle was free from the start: an outage must not give it back. */
START_TEST (an_outage_does_not_lose_a_packet_twice)
{
  config.loss = 1.0;
  step_at (5 * MS, 0.0);
  start ();
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 1, 0), LINK_LOST);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 2, 0), LINK_LOST);
  expect_nothing (20 * MS);
  ck_assert_uint_eq (link_model_get_counters (model)->lost, 2);
  ck_assert_uint_eq (link_model_get_counters (model)->dropped_outage, 0);
}

END_TEST
START_TEST (a_schedule_repeats)
{
  TfrcTime at;

  step_at (30 * MS, 2 * RATE);
  step_at (60 * MS, 3 * RATE);
  config.repeat = 100 * MS;
  start ();
  for (at = 0; at < TFRC_SECOND; at += 10 * MS) {
    expect_nothing (at);
    ck_assert_double_eq (link_model_get_rate (model),
        at % (100 * MS) < 30 * MS       ? RATE
            : at % (100 * MS) < 60 * MS ? 2 * RATE
                                        : 3 * RATE);
  }
  /* Over at 1005 ms: the step comes 30 ms later. */
  link_model_restart_schedule (model, 1005 * MS);
  expect_nothing (1034 * MS);
  ck_assert_double_eq (link_model_get_rate (model), RATE);
  expect_nothing (1035 * MS);
  ck_assert_double_eq (link_model_get_rate (model), 2 * RATE);
}

END_TEST
START_TEST (live_changes_apply_to_what_is_queued)
{
  LinkConfig live;

  config.delay = 50 * MS;
  step_at (TFRC_SECOND, RATE);
  start ();
  link_model_enqueue (model, SIZE, 1, 0);
  link_model_enqueue (model, SIZE, 2, 0);
  /* At 15 ms 1 is in the air (arrives at 60) and 625 bytes of 2 are left:
   * 5 ms at the old rate, 2.5 at the new one; the delay falls to 0, but
   * nothing overtakes without reordering. */
  live = config;
  live.rate = 2 * RATE;
  live.delay = 0;
  link_model_set_config (model, &live, 15 * MS);
  ck_assert_uint_eq (link_model_next_deadline (model), 17500000);
  expect_arrival (1, 60 * MS);
  expect_output (2, 60 * MS, LINK_DELIVERED, true);
  link_model_enqueue (model, SIZE, 3, 100 * MS);
  expect_arrival (3, 105 * MS);
}

END_TEST
/* 20000 packets, p = 0.02: 400 expected, sigma = sqrt (n p (1 - p)) = 19.8;
 * four sigma are 79. */
START_TEST (random_loss_is_within_binomial_bounds)
{
  unsigned n_lost = 0;
  uint32_t id;

  config.rate = INFINITY;
  config.loss = 0.02;
  model = link_model_new (&config, (uint64_t) _i, 0);
  for (id = 0; id < 20000; id++) {
    if (link_model_enqueue (model, SIZE, id, id * MS) == LINK_LOST)
      n_lost++;
  }
  ck_assert_uint_ge (n_lost, 400 - 79);
  ck_assert_uint_le (n_lost, 400 + 79);
  ck_assert_uint_eq (link_model_get_counters (model)->lost, n_lost);
}

END_TEST
/* A lost packet keeps the wire busy. */
START_TEST (a_lost_packet_takes_its_time)
{
  LinkConfig clean;

  config.loss = 1.0;
  start ();
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 1, 0), LINK_LOST);
  clean = config;
  clean.loss = 0.0;
  link_model_set_config (model, &clean, 0);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 2, 0), LINK_QUEUED);
  expect_arrival (2, 20 * MS);
  ck_assert_uint_eq (link_model_get_counters (model)->delivered, 1);
}

END_TEST
/* Enter 0.01, leave 0.25, all lost in the bad state: bursts of 1 / 0.25 = 4
 * packets, and a share of 0.01 / 0.26 = 3.85 % lost.  In 200000 packets there
 * are about 1923 k bursts / 1000: n = 200000 * 0.25 * 0.01 / 0.26 = 1923.
 * The length is geometric with sigma sqrt (0.75) / 0.25 = 3.46, its mean over
 * 1923 bursts has sigma 0.079; four of them are 0.32.  The share has sigma
 * 0.0385 * sqrt (2 * 4 / (200000 * 0.0385)) = 3.2 %, four are 13 %. */
START_TEST (gilbert_elliott_bursts_have_their_length)
{
  unsigned n_lost = 0, n_bursts = 0;
  bool was_lost = false, is_lost;
  uint32_t id;
  double share, length;

  config.rate = INFINITY;
  config.ge_enter = 0.01;
  config.ge_leave = 0.25;
  config.ge_loss = 1.0;
  model = link_model_new (&config, (uint64_t) _i, 0);
  for (id = 0; id < 200000; id++) {
    is_lost = link_model_enqueue (model, SIZE, id, id * MS) == LINK_LOST;
    n_lost += is_lost;
    n_bursts += is_lost && !was_lost;
    was_lost = is_lost;
  }
  length = (double) n_lost / n_bursts;
  share = (double) n_lost / 200000;
  ck_assert_double_eq_tol (length, 4.0, 0.32);
  ck_assert_double_eq_tol (share, 0.01 / 0.26, 0.13 * 0.01 / 0.26);
}

END_TEST
/* Uniform from 0 to 20 ms: a mean of 10 ms, sigma of the mean over 5000
 * packets 20 / sqrt (12 * 5000) = 0.082 ms.  Sent every 100 ms nobody
 * overtakes, so the draws are seen as they are. */
START_TEST (jitter_is_uniform)
{
  LinkOutput output;
  uint32_t id;
  TfrcTime sent_at;
  double sum_ms = 0.0;

  config.rate = INFINITY;
  config.delay = 10 * MS;
  config.jitter = 20 * MS;
  start ();
  for (id = 0; id < 5000; id++) {
    sent_at = id * 100 * MS;
    link_model_enqueue (model, SIZE, id, sent_at);
    ck_assert (link_model_poll (model, &output, sent_at + 30 * MS));
    ck_assert_uint_ge (output.at, sent_at + 10 * MS);
    sum_ms += (double) (output.at - sent_at) / 1e6 - 10.0;
  }
  ck_assert_double_eq_tol (sum_ms / 5000, 10.0, 0.33);
}

END_TEST static unsigned
count_overtaken (void)
{
  LinkOutput output;
  uint32_t id, highest = 0;
  unsigned n_overtaken = 0, n_arrived = 0;

  start ();
  for (id = 0; id < 1000; id++)
    link_model_enqueue (model, SIZE, id, id * 12 * MS);
  while (link_model_poll (model, &output, 100 * TFRC_SECOND)) {
    n_arrived++;
    if (output.id < highest)
      n_overtaken++;
    else
      highest = output.id;
  }
  ck_assert_uint_eq (n_arrived, 1000);
  return n_overtaken;
}

START_TEST (jitter_keeps_the_order_unless_told)
{
  config.jitter = 40 * MS;
  ck_assert_uint_eq (count_overtaken (), 0);
  link_model_free (model);
  config.jitter_reorders = true;
  ck_assert_uint_gt (count_overtaken (), 100);
}

END_TEST
/* 10 %: 100 of 1000, sigma 9.5.  Held for 30 ms at one packet each 12 ms:
 * two later ones overtake it. */
START_TEST (a_share_of_the_packets_is_reordered)
{
  unsigned n_overtaken;

  config.reorder = 0.1;
  config.reorder_delay = 30 * MS;
  n_overtaken = count_overtaken ();
  ck_assert_uint_ge (n_overtaken, 100 - 38);
  ck_assert_uint_le (n_overtaken, 100 + 38);
}

END_TEST
/* 10 ms each: 1 is held until 2 and 3 have come out at 20 and 30 ms, and the
 * ones behind it keep their times. */
/* From 10 to 30 ms: packets come each 10 ms behind two that wait, so each finds 20 ms and
 * every other one is marked (four deviations of 2000 draws: 90).  Equal bounds are a
 * step.  Of those that do not know ECN none is marked. */
START_TEST (the_ramp_marks_by_the_wait)
{
  unsigned marked = 0;

  config.ramp_min = 10 * MS;
  config.ramp_max = 30 * MS;
  start ();
  ck_assert_int_eq (link_model_enqueue_ect (model, SIZE, 0, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue_ect (model, SIZE, 1, 0), LINK_QUEUED);
  for (uint32_t id = 2; id < 2002; id++) {
    marked += link_model_enqueue_ect (model, SIZE, id, (id - 2) * 10 * MS)
        == LINK_MARKED;
    expect_arrival (id - 2, (id - 1) * 10 * MS);
  }
  ck_assert_uint_ge (marked, 910);
  ck_assert_uint_le (marked, 1090);
  ck_assert_uint_eq (link_model_get_counters (model)->marked, marked);

  config.ramp_min = config.ramp_max = 20 * MS;
  link_model_free (model);
  start ();
  ck_assert_int_eq (link_model_enqueue_ect (model, SIZE, 0, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue_ect (model, SIZE, 1, 0), LINK_QUEUED);
  ck_assert_int_eq (link_model_enqueue_ect (model, SIZE, 2, 0), LINK_MARKED);
  ck_assert_int_eq (link_model_enqueue (model, SIZE, 3, 0), LINK_QUEUED);
}

END_TEST
START_TEST (a_packet_is_overtaken_by_so_many)
{
  config.reorder = 1.0;
  config.reorder_packets = 2;
  start ();
  link_model_enqueue (model, SIZE, 1, 0);
  expect_nothing (10 * MS);
  config.reorder = 0.0;
  link_model_set_config (model, &config, 10 * MS);
  for (uint32_t id = 2; id <= 4; id++)
    link_model_enqueue (model, SIZE, id, 10 * MS);
  expect_arrival (2, 20 * MS);
  expect_arrival (3, 30 * MS);
  expect_output (1, 30 * MS, LINK_DELIVERED, true);
  expect_arrival (4, 40 * MS);
}

END_TEST
START_TEST (duplicates_arrive_behind_their_originals)
{
  config.delay = 50 * MS;
  config.duplicate = 1.0;
  start ();
  link_model_enqueue (model, SIZE, 1, 0);
  link_model_enqueue (model, SIZE, 2, 0);
  expect_nothing (60 * MS - 1);
  expect_output (1, 60 * MS, LINK_DELIVERED, false);
  expect_output (1, 60 * MS, LINK_DELIVERED, true);
  expect_output (2, 70 * MS, LINK_DELIVERED, false);
  expect_output (2, 70 * MS, LINK_DELIVERED, true);
  expect_nothing (TFRC_SECOND);
  ck_assert_uint_eq (link_model_get_counters (model)->duplicated, 2);
  ck_assert_uint_eq (link_model_get_counters (model)->delivered, 4);
}

END_TEST
/* An FNV-1a hash over everything that comes out of a busy run. */
static uint64_t
run_hash (uint64_t seed)
{
  LinkModel *link = link_model_new (&config, seed, 0);
  uint64_t hash = 14695981039346656037u;
  LinkOutput output;
  uint32_t id;

  for (id = 0; id < 5000; id++) {
    hash = (hash ^ link_model_enqueue (link, 100 + id % 1200, id, id * 3 * MS))
        * 1099511628211u;
    while (link_model_poll (link, &output, id * 3 * MS))
      hash = (hash ^ output.id ^ output.at) * 1099511628211u;
  }
  link_model_free (link);
  return hash;
}

START_TEST (the_seed_alone_decides)
{
  config.rate = 2 * RATE;
  config.queue_limit = 60 * MS;
  config.delay = 20 * MS;
  config.jitter = 10 * MS;
  config.loss = 0.01;
  config.ge_enter = 0.01;
  config.ge_leave = 0.3;
  config.ge_loss = 0.5;
  config.duplicate = 0.01;
  config.reorder = 0.01;
  config.reorder_delay = 15 * MS;
  config.red.min = 10 * MS;
  config.red.max = 50 * MS;
  ck_assert (run_hash (7) == run_hash (7));
  ck_assert (run_hash (7) != run_hash (8));
}

END_TEST
/* Each impairment has random numbers of its own: jitter moves no loss. */
START_TEST (impairments_do_not_disturb_each_other)
{
  LinkConfig other = config;
  LinkModel *shaken;
  uint32_t id;

  config.rate = other.rate = INFINITY;
  config.loss = other.loss = 0.1;
  other.jitter = 10 * MS;
  other.duplicate = 0.2;
  start ();
  shaken = link_model_new (&other, 1, 0);
  for (id = 0; id < 2000; id++)
    ck_assert_int_eq (link_model_enqueue (model, SIZE, id, id * MS),
        link_model_enqueue (shaken, SIZE, id, id * MS));
  link_model_free (shaken);
}

END_TEST
START_TEST (a_clock_that_goes_back_stands_still)
{
  start ();
  link_model_enqueue (model, SIZE, 1, 100 * MS);
  link_model_enqueue (model, SIZE, 2, 40 * MS);
  expect_nothing (50 * MS);
  expect_arrival (1, 110 * MS);
  expect_arrival (2, 120 * MS);
}

END_TEST static void
add_tests (TCase *tcase)
{
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, packets_are_serialised_one_after_the_other);
  tcase_add_test (tcase, a_late_poll_changes_nothing);
  tcase_add_test (tcase, an_infinite_rate_takes_no_time);
  tcase_add_test (tcase, a_trace_lets_bytes_through_when_it_says);
  tcase_add_test (tcase, an_idle_trace_keeps_nothing_for_later);
  tcase_add_test (tcase, a_trace_has_the_same_bounds_of_the_queue);
  tcase_add_test (tcase, a_trace_ends_and_starts_over_live);
  tcase_add_test (tcase, the_queue_holds_its_milliseconds_and_no_more);
  tcase_add_test (tcase, the_queue_holds_its_bytes_and_no_more);
  tcase_add_test (tcase, the_queue_holds_its_packets_and_no_more);
  tcase_add_test (tcase, a_policer_lets_so_much_through_and_holds_nothing);
  tcase_add_test (tcase, an_idle_link_takes_any_packet);
  tcase_add_test (tcase, a_step_applies_within_a_packet);
  tcase_add_test (tcase, an_outage_loses_what_waits_and_what_comes);
  tcase_add_test (tcase, a_packet_that_ends_with_the_link_is_through);
  tcase_add_test (tcase, an_outage_does_not_lose_a_packet_twice);
  tcase_add_test (tcase, a_schedule_repeats);
  tcase_add_test (tcase, live_changes_apply_to_what_is_queued);
  tcase_add_loop_test (tcase, random_loss_is_within_binomial_bounds, 0, 5);
  tcase_add_test (tcase, a_lost_packet_takes_its_time);
  tcase_add_loop_test (tcase, gilbert_elliott_bursts_have_their_length, 0, 3);
  tcase_add_test (tcase, jitter_is_uniform);
  tcase_add_test (tcase, jitter_keeps_the_order_unless_told);
  tcase_add_test (tcase, a_share_of_the_packets_is_reordered);
  tcase_add_test (tcase, the_ramp_marks_by_the_wait);
  tcase_add_test (tcase, a_packet_is_overtaken_by_so_many);
  tcase_add_test (tcase, duplicates_arrive_behind_their_originals);
  tcase_add_test (tcase, the_seed_alone_decides);
  tcase_add_test (tcase, impairments_do_not_disturb_each_other);
  tcase_add_test (tcase, a_clock_that_goes_back_stands_still);
}

int
main (void)
{
  Suite *suite = suite_create ("link-model");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  add_tests (tcase);
  return run_check_suite (suite);
}
