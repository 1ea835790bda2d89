/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bound of a media source: rates in bytes/s, reports of hand-made RTTs over
 * a path of 50 ms. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "delay/bottleneck.h"

#define MS TFRC_MILLISECOND
#define EMPTY (50 * MS)
#define FULL (120 * MS)
#define RATE 62500.0 /* 500 kbit/s */
#define MUCH 1e6     /* X without the bound */

/* Packets of 100 bytes, so that the time of two (3.2 ms) does not matter. */
static void
report (TfrcBottleneck *self, TfrcDuration rtt, TfrcRate receive_rate,
    TfrcTime now)
{
  TfrcBottleneckReport report = { rtt, receive_rate, 0.01, 100.0 };

  tfrc_bottleneck_on_report (self, &report, now);
}

/* One report of an empty queue and a fast link, one of a full queue and a slow
 * one: bounded at 0.97 RATE. */
static void
start (TfrcBottleneck *self, TfrcTime now)
{
  tfrc_bottleneck_init (self);
  report (self, EMPTY, 3.0 * RATE, now - 100 * MS);
  report (self, FULL, RATE, now);
}

/* 50 ms and a threshold of max (20 ms, 50 ms / 2) = 25 ms. */
START_TEST (a_queue_that_drains_bounds_nothing)
{
  TfrcBottleneck self;

  tfrc_bottleneck_init (&self);
  ck_assert_double_eq (tfrc_bottleneck_limit (&self, MUCH), MUCH);
  report (&self, EMPTY, 9.0 * RATE, TFRC_SECOND);
  report (&self, 75 * MS, 3.0 * RATE, 2 * TFRC_SECOND);
  ck_assert_double_eq (tfrc_bottleneck_limit (&self, MUCH), MUCH);
  report (&self, 75 * MS + 1, RATE, 3 * TFRC_SECOND);
  ck_assert_double_lt (tfrc_bottleneck_limit (&self, MUCH), MUCH);
}

END_TEST
START_TEST (a_link_that_does_not_change_bounds_nothing)
{
  TfrcBottleneck self;
  TfrcTime now;

  /* Half is no fall, however full the queue. */
  tfrc_bottleneck_init (&self);
  report (&self, EMPTY, RATE, TFRC_SECOND);
  for (now = 2 * TFRC_SECOND; now < 60 * TFRC_SECOND; now += 150 * MS)
    report (&self, FULL, RATE, now);
  report (&self, FULL, 0.5 * RATE, now);
  ck_assert_double_eq (tfrc_bottleneck_limit (&self, MUCH), MUCH);
}

END_TEST
START_TEST (a_standing_queue_bounds_at_what_arrives)
{
  TfrcBottleneck self;

  /* 0.97 * 62500; what is below passes as it is. */
  start (&self, TFRC_SECOND);
  ck_assert_double_eq_tol (tfrc_bottleneck_limit (&self, 2.0 * RATE), 60625.0,
      0.01);
  ck_assert_double_eq (tfrc_bottleneck_limit (&self, 60000.0), 60000.0);
  /* A packet more in one report: 62500 + 0.4 * 7500 = 65500. */
  report (&self, FULL, 70000.0, TFRC_SECOND + 100 * MS);
  ck_assert_double_eq_tol (tfrc_bottleneck_limit (&self, 2.0 * RATE),
      0.97 * 65500.0, 0.01);
}

END_TEST
START_TEST (a_fall_of_the_link_counts_at_once)
{
  TfrcBottleneck self;

  /* 60 % is noise: 62500 - 0.4 * 25000 = 52500; below half it is not. */
  start (&self, TFRC_SECOND);
  report (&self, FULL, 0.6 * RATE, TFRC_SECOND + 100 * MS);
  ck_assert_double_eq_tol (tfrc_bottleneck_limit (&self, RATE), 0.97 * 52500.0,
      0.01);
  report (&self, FULL, 0.4 * 52500.0, TFRC_SECOND + 200 * MS);
  ck_assert_double_eq_tol (tfrc_bottleneck_limit (&self, RATE), 0.97 * 21000.0,
      0.01);
}

END_TEST
START_TEST (a_queue_of_slow_start_is_wanted)
{
  TfrcBottleneckReport lossless = { FULL, RATE, 0.0, 100.0 };
  TfrcBottleneck self;

  tfrc_bottleneck_init (&self);
  report (&self, EMPTY, 3.0 * RATE, TFRC_SECOND);
  tfrc_bottleneck_on_report (&self, &lossless, 2 * TFRC_SECOND);
  ck_assert_double_eq (tfrc_bottleneck_limit (&self, MUCH), MUCH);
}

END_TEST
START_TEST (two_packets_are_no_queue)
{
  /* 2 * 1000 bytes at 8000 bytes/s take 250 ms. */
  TfrcBottleneckReport slow = { EMPTY, 8000.0, 0.01, 1000.0 };
  TfrcBottleneck self;

  tfrc_bottleneck_init (&self);
  report (&self, EMPTY, 24000.0, TFRC_SECOND);
  slow.rtt_sample = 300 * MS;
  tfrc_bottleneck_on_report (&self, &slow, 2 * TFRC_SECOND);
  ck_assert_double_eq (tfrc_bottleneck_limit (&self, 16000.0), 16000.0);
  tfrc_bottleneck_init (&self);
  report (&self, EMPTY, 24000.0, TFRC_SECOND);
  slow.rtt_sample = 301 * MS;
  tfrc_bottleneck_on_report (&self, &slow, 3 * TFRC_SECOND);
  ck_assert_double_eq_tol (tfrc_bottleneck_limit (&self, 16000.0), 7760.0,
      0.01);
}

END_TEST
/* The queue has drained at 2 s: gain 1.02 for 0.5 s, then 0.2 more in a second.  It
 * never falls. */
START_TEST (a_drained_queue_lifts_the_bound_slowly)
{
  static const struct
  {
    unsigned at_ms;
    double gain;
  } course[] = {
    { 2000, 1.02 },
    { 2500, 1.02 },
    { 3000, 1.12 },
    { 3500, 1.22 },
    { 4000, 1.32 },
    { 6000, 1.72 },
  };
  TfrcBottleneck self;
  unsigned i;

  start (&self, TFRC_SECOND);
  for (i = 0; i < sizeof course / sizeof course[0]; i++) {
    report (&self, EMPTY, RATE, course[i].at_ms * MS);
    ck_assert_double_eq_tol (tfrc_bottleneck_limit (&self, 2.0 * RATE),
        course[i].gain * RATE, 0.01);
  }
  report (&self, EMPTY, 0.1 * RATE, 6100 * MS);
  ck_assert_double_eq_tol (tfrc_bottleneck_limit (&self, 2.0 * RATE),
      1.72 * RATE, 0.01);
}

END_TEST
/* A report every 100 ms of half of what the source was told 100 ms before.  The gain
 * is above 2 after 0.5 + 0.98 / 0.2 = 5.4 s. */
START_TEST (a_source_that_makes_half_is_let_go)
{
  TfrcBottleneck self;
  TfrcRate told = RATE;
  TfrcTime now;

  start (&self, TFRC_SECOND);
  for (now = 1100 * MS; told < MUCH; now += 100 * MS) {
    ck_assert_uint_le (now, 20 * TFRC_SECOND);
    report (&self, EMPTY, 0.5 * told, now);
    told = tfrc_bottleneck_limit (&self, MUCH);
  }
}

END_TEST
/* Five frames a second, the last report of each says a tenth, and the queue is full
 * meanwhile: the first gap is taken for a fall until the next frame, further ones of
 * 100 ms for none; what lasts for 150 ms is one. */
START_TEST (a_gap_between_frames_is_no_fall)
{
  TfrcBottleneck self;
  TfrcTime now = TFRC_SECOND;

  tfrc_bottleneck_init (&self);
  report (&self, EMPTY, 3.0 * RATE, now);
  for (unsigned i = 0; i < 50; i++) {
    now += 100 * MS;
    report (&self, FULL, 0.3 * RATE, now);
    ck_assert (self.standing == (i == 0));
    now += 100 * MS;
    report (&self, FULL, 3.0 * RATE, now);
    ck_assert_double_eq (tfrc_bottleneck_limit (&self, MUCH), MUCH);
  }
  report (&self, FULL, RATE, now + 100 * MS);
  report (&self, FULL, RATE, now + 249 * MS);
  ck_assert (!self.standing);
  report (&self, FULL, RATE, now + 250 * MS);
  ck_assert (self.standing);
  ck_assert_double_eq_tol (tfrc_bottleneck_limit (&self, 2.0 * RATE),
      0.97 * RATE, 0.01);
}

END_TEST
/* A gap of 900 ms, and half as long again would be 1350 ms; but what has lasted for a
 * second is no gap. */
START_TEST (what_lasts_for_a_second_is_a_fall)
{
  TfrcBottleneck self;
  TfrcTime now;

  tfrc_bottleneck_init (&self);
  report (&self, EMPTY, 3.0 * RATE, TFRC_SECOND);
  report (&self, FULL, 0.3 * RATE, 2000 * MS);
  report (&self, FULL, 3.0 * RATE, 2900 * MS);
  for (now = 3000 * MS; now < 4000 * MS; now += 100 * MS) {
    report (&self, FULL, RATE, now);
    ck_assert (!self.standing);
  }
  report (&self, FULL, RATE, now);
  ck_assert (self.standing);
  /* Another one counts anew: within a second it may be a gap. */
  report (&self, FULL, 0.3 * RATE, 6000 * MS);
  ck_assert_double_eq (self.delivered, RATE);
}

END_TEST
START_TEST (a_source_that_was_still_starts_at_a_quarter)
{
  TfrcBottleneck self;

  /* A still scene beside a queue of others: hardly anything arrives. */
  start (&self, TFRC_SECOND);
  report (&self, FULL, 100.0, TFRC_SECOND + 100 * MS);
  ck_assert_double_eq (tfrc_bottleneck_limit (&self, MUCH), 0.25 * MUCH);
}

END_TEST
/* A report every 150 ms of what the source made 150 ms before, and a queue that
 * stays whatever it does: from a tenth of X, which the floor makes a quarter,
 * to X.  The gain is above 1 after 3.3 s and 1.25 after 5.8 s; the mean of X_recv
 * lags by two reports and the path by one, so a factor of 1.25 takes about 3
 * reports: from a quarter to X in ln 4 / ln 1.25 * 3 * 150 ms = 2.8 s more. */
START_TEST (a_queue_of_others_does_not_hold_the_source_down)
{
  TfrcBottleneck self;
  TfrcRate made = 0.1 * MUCH;
  TfrcTime now;

  tfrc_bottleneck_init (&self);
  report (&self, EMPTY, MUCH, TFRC_SECOND);
  for (now = 2 * TFRC_SECOND; made < MUCH; now += 150 * MS) {
    ck_assert_uint_le (now, 12 * TFRC_SECOND);
    report (&self, FULL, made, now);
    made = tfrc_bottleneck_limit (&self, MUCH);
  }
  ck_assert_uint_ge (now, 6 * TFRC_SECOND);
}

END_TEST
START_TEST (a_longer_path_is_learnt_within_half_a_minute)
{
  TfrcBottleneck self;
  TfrcTime now;

  /* 120 ms from 1 s on, all of it distance. */
  start (&self, TFRC_SECOND);
  for (now = TFRC_SECOND; now <= 31 * TFRC_SECOND; now += TFRC_SECOND)
    report (&self, FULL, RATE, now);
  /* So the next fall, with the same RTT, comes without a queue. */
  report (&self, FULL, 0.4 * RATE, now);
  ck_assert (!self.standing);
}

END_TEST
START_TEST (a_fall_holds_the_source_for_ten_seconds)
{
  TfrcBottleneck self;
  TfrcTime now;

  start (&self, TFRC_SECOND);
  for (now = TFRC_SECOND; now < 11 * TFRC_SECOND; now += 100 * MS) {
    report (&self, FULL, RATE, now);
    ck_assert (self.standing);
  }
  report (&self, FULL, RATE, 11 * TFRC_SECOND);
  ck_assert (!self.standing);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-bottleneck");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_queue_that_drains_bounds_nothing);
  tcase_add_test (tcase, a_link_that_does_not_change_bounds_nothing);
  tcase_add_test (tcase, a_standing_queue_bounds_at_what_arrives);
  tcase_add_test (tcase, a_fall_of_the_link_counts_at_once);
  tcase_add_test (tcase, a_queue_of_slow_start_is_wanted);
  tcase_add_test (tcase, two_packets_are_no_queue);
  tcase_add_test (tcase, a_drained_queue_lifts_the_bound_slowly);
  tcase_add_test (tcase, a_source_that_makes_half_is_let_go);
  tcase_add_test (tcase, a_gap_between_frames_is_no_fall);
  tcase_add_test (tcase, what_lasts_for_a_second_is_a_fall);
  tcase_add_test (tcase, a_source_that_was_still_starts_at_a_quarter);
  tcase_add_test (tcase, a_queue_of_others_does_not_hold_the_source_down);
  tcase_add_test (tcase, a_longer_path_is_learnt_within_half_a_minute);
  tcase_add_test (tcase, a_fall_holds_the_source_for_ten_seconds);
  return run_check_suite (suite);
}
