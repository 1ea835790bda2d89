/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grouping losses into loss events, RFC 5348 section 5.2, and taking losses back. */
#include <check.h>

#include "check-suite.h"
#include "tfrc/loss-intervals.h"
#include "base/rng.h"

#define RTT (100 * MS)
#define N 8

static TfrcLossHistory history, reference;

static void
setup (void)
{
  tfrc_loss_history_init (&history, N, 1.0);
  tfrc_loss_history_set_first_interval (&history, 100.0);
}

static TfrcLossRun
run_of (TfrcSeq first, uint32_t count, TfrcTime first_at, TfrcDuration spacing)
{
  TfrcLossRun run = {
    .first = first, .count = count, .first_at = first_at, .spacing = spacing
  };

  return run;
}

static void
lose (TfrcSeq first, uint32_t count, TfrcTime first_at, TfrcDuration spacing)
{
  TfrcLossRun run = run_of (first, count, first_at, spacing);

  tfrc_loss_history_on_loss (&history, &run, RTT);
}

static void
lose_one (TfrcSeq position, TfrcTime at)
{
  lose (position, 1, at, 0);
}

static void
expect_events (uint64_t events, TfrcSeq newest_start)
{
  ck_assert_uint_eq (history.now.intervals.events, events);
  ck_assert_uint_eq (history.now.intervals.event_start, newest_start);
}

static void
expect_same (const TfrcLossIntervals *a, const TfrcLossIntervals *b)
{
  ck_assert_uint_eq (a->events, b->events);
  ck_assert_uint_eq (a->n_closed, b->n_closed);
  if (a->events > 0)
    ck_assert_uint_eq (a->event_start, b->event_start);
  for (uint32_t i = 0; i < a->n_closed; i++) {
    ck_assert_double_eq (a->sizes[i], b->sizes[i]);
    ck_assert_double_eq (a->discounts[i], b->discounts[i]);
  }
}

START_TEST (losses_within_one_rtt_are_one_event)
{
  setup ();
  lose_one (50, 1000 * MS);
  expect_events (1, 50);
  lose_one (60, 1050 * MS);
  /* T_old + R >= T_new: exactly one RTT later is still in the event. */
  lose_one (70, 1100 * MS);
  expect_events (1, 50);
  /* The start of an event does not move with its later losses. */
  lose_one (71, 1100 * MS + 1);
  expect_events (2, 71);
  ck_assert_double_eq (history.now.intervals.sizes[0], 21.0);
  ck_assert_double_eq (history.now.intervals.sizes[1], 100.0);
}

END_TEST
START_TEST (a_burst_of_many_rtts_is_many_events)
{
  setup ();
  /* 250 packets 5 ms apart, R = 100 ms: an event every 21 packets, as the 21st lies
   * 105 ms after the start. 250 / 21 = 11.9: 12 events, the last starts at packet
   * 231. */
  lose (1000, 250, 1000 * MS, 5 * MS);
  expect_events (12, 1231);
  for (int i = 0; i < N; i++)
    ck_assert_double_eq (history.now.intervals.sizes[i], 21.0);
}

END_TEST
START_TEST (a_burst_at_one_instant_is_one_event)
{
  setup ();
  lose (1000, 3000, 1000 * MS, 0);
  expect_events (1, 1000);
}

END_TEST
/* A run counted event by event. */
static void
lose_one_by_one (TfrcSeq first, uint32_t count, TfrcTime first_at,
    TfrcDuration spacing)
{
  for (uint32_t i = 0; i < count; i++)
    lose_one (first + i, first_at + i * spacing);
}

/* Intervals so short that those of a burst discount them, and that the first ones
 * of the burst are discounted by later ones. */
static void
short_intervals (uint32_t n)
{
  tfrc_loss_history_init (&history, n, 0.25);
  for (uint32_t i = 0; i < n; i++)
    lose_one (200000 - 2 * (n - i), 1000 * MS + i * 200 * MS);
}

START_TEST (the_length_of_a_burst_costs_no_accuracy)
{
  const uint32_t lengths[] = { 2, 8, 31, 256 };
  const TfrcDuration spacings[] = { MS, 30 * MS, 99 * MS, 100 * MS, 101 * MS };

  for (size_t n = 0; n < 4; n++) {
    for (size_t s = 0; s < 5; s++) {
      short_intervals (lengths[n]);
      lose_one_by_one (200000, 30000, 100000 * MS, spacings[s]);
      reference = history;

      short_intervals (lengths[n]);
      lose (200000, 30000, 100000 * MS, spacings[s]);
      expect_same (&history.now.intervals, &reference.now.intervals);
      ck_assert_uint_eq (history.now.event_at, reference.now.event_at);
    }
  }
}

END_TEST
START_TEST (a_late_packet_joins_two_events)
{
  setup ();
  lose_one (50, 1000 * MS);
  lose_one (60, 1080 * MS);
  lose_one (70, 1150 * MS);
  expect_events (2, 70);
  /* Without 50 the first event starts at 60 and includes 70. */
  ck_assert (tfrc_loss_history_on_repair (&history, 50));
  expect_events (1, 60);
  ck_assert_double_eq (history.now.intervals.sizes[0], 100.0);
}

END_TEST
START_TEST (the_last_loss_taken_back_leaves_none)
{
  setup ();
  lose_one (50, 1000 * MS);
  ck_assert_double_gt (
      tfrc_loss_intervals_get_loss_event_rate (&history.now.intervals, 60),
      0.0);
  ck_assert (tfrc_loss_history_on_repair (&history, 50));
  ck_assert_uint_eq (history.now.intervals.events, 0);
  ck_assert_double_eq (
      tfrc_loss_intervals_get_loss_event_rate (&history.now.intervals, 60),
      0.0);
  /* The next event becomes the first and gets the first interval set at that time. */
  tfrc_loss_history_set_first_interval (&history, 33.0);
  lose_one (90, 2000 * MS);
  ck_assert_double_eq (history.now.intervals.sizes[0], 33.0);
}

END_TEST
START_TEST (a_repair_splits_a_run)
{
  setup ();
  /* 5 packets, 60 ms apart: events at 0 and 120 ms, and at 240 ms. */
  lose (50, 5, 1000 * MS, 60 * MS);
  expect_events (3, 54);
  /* Without 52 (120 ms) the second event starts at 53 (180 ms) and ends at 280. */
  ck_assert (tfrc_loss_history_on_repair (&history, 52));
  expect_events (2, 53);
  ck_assert_uint_eq (history.n_records, 2);
  /* Not a second time. */
  ck_assert (!tfrc_loss_history_on_repair (&history, 52));
  ck_assert (tfrc_loss_history_on_repair (&history, 53));
  expect_events (2, 54);
  ck_assert (tfrc_loss_history_on_repair (&history, 50));
  expect_events (2, 54);
  ck_assert (tfrc_loss_history_on_repair (&history, 51));
  expect_events (1, 54);
  ck_assert (tfrc_loss_history_on_repair (&history, 54));
  ck_assert_uint_eq (history.now.intervals.events, 0);
  ck_assert_uint_eq (history.n_records, 0);
}

END_TEST
START_TEST (an_unknown_loss_is_not_taken_back)
{
  setup ();
  lose_one (50, 1000 * MS);
  ck_assert (!tfrc_loss_history_on_repair (&history, 49));
  ck_assert (!tfrc_loss_history_on_repair (&history, 51));
  expect_events (1, 50);
}

END_TEST
START_TEST (a_mark_is_never_taken_back)
{
  TfrcLossRun mark = run_of (50, 1, 1000 * MS, 0);

  setup ();
  mark.marked = true;
  tfrc_loss_history_on_loss (&history, &mark, RTT);
  ck_assert (!tfrc_loss_history_on_repair (&history, 50));
  expect_events (1, 50);
}

END_TEST
START_TEST (an_earlier_hole_starts_the_event_of_a_mark)
{
  TfrcLossRun mark = run_of (52, 1, 1020 * MS, 0);

  /* RFC 5348 section 5.1: n is missing, n + 1 arrives, n + 2 is marked; n is
   * declared lost later, and the event starts there. */
  setup ();
  lose_one (10, 500 * MS);
  mark.marked = true;
  tfrc_loss_history_on_loss (&history, &mark, RTT);
  expect_events (2, 52);
  lose_one (50, 1000 * MS);
  expect_events (2, 50);
  ck_assert_double_eq (history.now.intervals.sizes[0], 40.0);
}

END_TEST
START_TEST (any_order_gives_the_same_history)
{
  const TfrcSeq positions[] = { 50, 80, 150, 200, 205, 260, 1000, 1500 };
  TfrcRng rng;

  /* One packet per 3 ms. */
  tfrc_loss_history_init (&history, N, 0.25);
  for (size_t i = 0; i < 8; i++)
    lose_one (positions[i], positions[i] * 3 * MS);
  reference = history;

  tfrc_rng_init (&rng, 1, 1);
  for (int trial = 0; trial < 200; trial++) {
    bool done[8] = { false };
    int left = 8;

    tfrc_loss_history_init (&history, N, 0.25);
    while (left > 0) {
      uint32_t i = tfrc_rng_next (&rng) % 8;
      TfrcSeq wrong = positions[i] + 1;

      if (done[i])
        continue;
      done[i] = true;
      left--;
      /* A loss that is taken back leaves no trace either. */
      lose_one (wrong, wrong * 3 * MS);
      lose_one (positions[i], positions[i] * 3 * MS);
      ck_assert (tfrc_loss_history_on_repair (&history, wrong));
    }
    expect_same (&history.now.intervals, &reference.now.intervals);
  }
}

END_TEST
START_TEST (what_is_forgotten_stays_counted)
{
  const uint32_t n = TFRC_MAX_LOSS_RUNS + 10;

  setup ();
  for (uint32_t i = 1; i <= n; i++)
    lose_one (10 * i, i * TFRC_SECOND);
  expect_events (n, 10 * n);
  ck_assert_uint_eq (history.n_records, TFRC_MAX_LOSS_RUNS);
  ck_assert_uint_eq (history.before.intervals.events, 10);
  ck_assert (!tfrc_loss_history_on_repair (&history, 100));
  expect_events (n, 10 * n);
  /* The oldest loss kept: its event goes, and its neighbours merge. */
  ck_assert (tfrc_loss_history_on_repair (&history, 110));
  expect_events (n - 1, 10 * n);
  ck_assert_double_eq (history.now.intervals.sizes[0], 10.0);
}

END_TEST
START_TEST (long_bursts_keep_no_long_list)
{
  /* A burst of 600 packets, 200 ms apart, is 600 events.  Regrouping takes 2 (n +
   * 1) steps for each such record, so only the newest is kept. */
  tfrc_loss_history_init (&history, TFRC_MAX_HISTORY, 1.0);
  for (uint32_t i = 1; i <= 5; i++) {
    lose (1000 * i, 600, i * 200 * TFRC_SECOND, 2 * RTT);
    ck_assert_uint_eq (history.n_records, 1);
    expect_events (600 * i, 1000 * i + 599);
  }
  /* Its packets may still arrive: 600 events, minus one. */
  ck_assert (tfrc_loss_history_on_repair (&history, 5599));
  expect_events (2999, 5598);
  ck_assert (!tfrc_loss_history_on_repair (&history, 4599));
  expect_events (2999, 5598);
}

END_TEST
START_TEST (events_that_can_be_taken_back_are_bounded)
{
  /* Records of ten events each: twelve of them are 120 events, thirteen are
   * more than TFRC_MAX_LOSS_EVENTS. */
  setup ();
  for (uint32_t i = 1; i <= 20; i++)
    lose (100 * i, 10, i * 10 * TFRC_SECOND, 2 * RTT);
  expect_events (200, 2009);
  ck_assert_uint_eq (history.n_records, 12);
  ck_assert (!tfrc_loss_history_on_repair (&history, 809));
  ck_assert (tfrc_loss_history_on_repair (&history, 900));
  expect_events (199, 2009);
}

END_TEST
START_TEST (a_loss_older_than_what_is_kept_starts_nothing)
{
  tfrc_loss_history_init (&history, TFRC_MAX_HISTORY, 1.0);
  for (uint32_t i = 1; i <= TFRC_MAX_LOSS_RUNS + 10; i++)
    lose_one (1000 + 10 * i, i * TFRC_SECOND);
  reference = history;
  /* From a sparse stream: its position is before, its nominal time after the events
   * that were dropped. */
  lose_one (1005, 11 * TFRC_SECOND - 1);
  expect_same (&history.now.intervals, &reference.now.intervals);
}

END_TEST
START_TEST (a_repair_in_a_full_list_splits_a_run)
{
  setup ();
  for (uint32_t i = 1; i <= TFRC_MAX_LOSS_RUNS; i++)
    lose (100 * i, 3, i * TFRC_SECOND, MS);
  ck_assert (tfrc_loss_history_on_repair (&history, 101));
  ck_assert_uint_eq (history.n_records, TFRC_MAX_LOSS_RUNS);
  expect_events (TFRC_MAX_LOSS_RUNS, 100 * TFRC_MAX_LOSS_RUNS);
  ck_assert (tfrc_loss_history_on_repair (&history, 102));
  ck_assert (!tfrc_loss_history_on_repair (&history, 100));
}

END_TEST
START_TEST (without_an_rtt_every_loss_is_an_event)
{
  TfrcLossRun run = run_of (50, 4, 1000 * MS, MS);

  setup ();
  tfrc_loss_history_on_loss (&history, &run, 0);
  expect_events (4, 53);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-loss-history");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, losses_within_one_rtt_are_one_event);
  tcase_add_test (tcase, a_burst_of_many_rtts_is_many_events);
  tcase_add_test (tcase, a_burst_at_one_instant_is_one_event);
  tcase_add_test (tcase, the_length_of_a_burst_costs_no_accuracy);
  tcase_add_test (tcase, a_late_packet_joins_two_events);
  tcase_add_test (tcase, the_last_loss_taken_back_leaves_none);
  tcase_add_test (tcase, a_repair_splits_a_run);
  tcase_add_test (tcase, an_unknown_loss_is_not_taken_back);
  tcase_add_test (tcase, a_mark_is_never_taken_back);
  tcase_add_test (tcase, an_earlier_hole_starts_the_event_of_a_mark);
  tcase_add_test (tcase, any_order_gives_the_same_history);
  tcase_add_test (tcase, what_is_forgotten_stays_counted);
  tcase_add_test (tcase, long_bursts_keep_no_long_list);
  tcase_add_test (tcase, events_that_can_be_taken_back_are_bounded);
  tcase_add_test (tcase, a_loss_older_than_what_is_kept_starts_nothing);
  tcase_add_test (tcase, a_repair_in_a_full_list_splits_a_run);
  tcase_add_test (tcase, without_an_rtt_every_loss_is_an_event);
  return run_check_suite (suite);
}
