/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver in a group reports while the queue of its path is too long. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tfmcc/queue-bound.h"
#include "units.h"

#define TARGET (15 * MS)
#define RTT (50 * MS)
/* 1000 bytes take 4 ms: two packets are less than the target. */
#define RATE 250000.0

static TfmccQueueBound bound;
static TfmccPathView view;
static TfrcTime now;

static void
setup (void)
{
  tfmcc_queue_bound_init (&bound, TARGET);
  view = (TfmccPathView) {
    .rtt = RTT, .received = RATE, .size = 1000.0, .is_clr = true
  };
  now = 1000 * S;
}

/* For that time, one RTT after the other, each packet finds this queue, and our
 * reports are echoed. */
static void
run (TfrcDuration queue, TfrcDuration time)
{
  TfrcTime end = now + time;

  while (now < end) {
    uint32_t delay_us = 7000000 + (uint32_t) (queue / TFRC_MICROSECOND);

    tfmcc_queue_bound_on_delay (&bound, delay_us, now);
    tfmcc_queue_bound_on_echo (&bound, 25000 - 7000000, now);
    ck_assert (!tfmcc_queue_bound_is_due (&bound, RTT, now));
    now += RTT;
    tfmcc_queue_bound_on_delay (&bound, delay_us, now);
    ck_assert (tfmcc_queue_bound_is_due (&bound, RTT, now));
    tfmcc_queue_bound_update (&bound, &view, now);
  }
}

/* 25 ms are 10 too many: 10 / (2 * 50) of X_recv less; 200 ms would be 185 / 100,
 * and 0.3 is the limit. */
START_TEST (a_queue_above_the_target_is_emptied_in_two_rtts)
{
  run (0, S);
  run (25 * MS, RTT);
  ck_assert_double_eq_tol (bound.rate, 0.9 * RATE, 1.0);
  run (200 * MS, RTT);
  ck_assert_double_eq_tol (bound.rate, 0.7 * RATE, 1.0);
  ck_assert (tfmcc_queue_bound_lowers (&bound));
}
END_TEST

START_TEST (a_short_queue_lets_it_grow_by_a_fifth)
{
  run (0, S);
  ck_assert_double_eq_tol (bound.rate, 1.2 * RATE, 1.0);
  ck_assert (!tfmcc_queue_bound_lowers (&bound));
}
END_TEST

/* Few packets in an RTT, or overtaken ones, make a low X_recv by chance; here 12.5,
 * and then 10.4. */
START_TEST (a_short_queue_of_few_packets_lowers_no_rate)
{
  view.sent = 1.5 * RATE;
  run (0, S);
  ck_assert_double_eq_tol (bound.rate, 1.2 * RATE, 1.0);
  view.size = 1200.0;
  run (0, RTT);
  ck_assert_double_eq_tol (bound.rate, 1.5 * RATE, 1.0);
  run (25 * MS, RTT);
  ck_assert_double_eq_tol (bound.rate, 0.9 * RATE, 1.0);
}
END_TEST

/* No other receiver is heard once per RTT, except in slow start. */
START_TEST (the_clr_alone_is_bound_and_all_in_slow_start)
{
  view.is_clr = false;
  run (0, S);
  run (100 * MS, RTT);
  ck_assert (isinf (bound.rate));
  view.slow_start = true;
  run (0, RTT);
  ck_assert (isinf (bound.rate));
  tfmcc_queue_bound_on_delay (&bound, 7100000, now);
  now += RTT;
  ck_assert (tfmcc_queue_bound_update (&bound, &view, now));
  ck_assert_double_lt (bound.rate, RATE);
}
END_TEST

START_TEST (a_source_that_is_slow_by_itself_is_not_bound)
{
  view.data_limited = true;
  run (0, S);
  ck_assert (isinf (bound.rate));
  run (100 * MS, RTT);
  ck_assert_double_lt (bound.rate, RATE);
}
END_TEST

/* For 100 ms of queue 0.3 is withheld: 15 ms per 50, and one and a half of the queue
 * after 11 RTTs, in the first of which the queue grew.  Then it is left alone for 15
 * s; then the next try is in vain, too: for 30. */
START_TEST (a_queue_that_does_not_yield_is_left_to_others)
{
  run (0, S);
  run (100 * MS, 11 * RTT);
  ck_assert (!isinf (bound.rate));
  run (100 * MS, RTT);
  ck_assert (isinf (bound.rate));
  ck_assert (bound.foreign_until == now + 15 * S);
  run (100 * MS, 14 * S);
  ck_assert (isinf (bound.rate));
  run (0, 2 * S);
  ck_assert (!isinf (bound.rate));
  run (100 * MS, 12 * RTT);
  ck_assert (bound.foreign_until == now + 30 * S);
}
END_TEST

/* By 0.3 of the time, as with a link that carries as much as before. */
START_TEST (a_queue_that_yields_is_ours)
{
  run (0, S);
  for (TfrcDuration queue = 900 * MS; queue > TARGET; queue -= 15 * MS) {
    run (queue, RTT);
    ck_assert (!isinf (bound.rate));
  }
}
END_TEST

/* The queue swings, since a request takes an RTT: it stands while 15 ms are
 * withheld, falls by these, and then by 14 below what counts as too long, where
 * nothing more is counted as withheld. */
START_TEST (a_queue_that_swings_about_the_target_is_ours)
{
  run (0, S);
  for (unsigned i = 0; i < 60; i++) {
    run (45 * MS, 2 * RTT);
    run (30 * MS, RTT);
    run (16 * MS, RTT);
    ck_assert (!isinf (bound.rate));
  }
}
END_TEST

/* A rate that rises between reports keeps the queue slightly above the target: 1 /
 * 100 is withheld for ever, except every 8 s, when the queue yields. */
START_TEST (a_queue_about_the_target_is_ours)
{
  run (0, S);
  for (unsigned i = 0; i < 60; i++) {
    run (16 * MS, 7 * S);
    run (2 * MS, RTT);
    ck_assert (!isinf (bound.rate));
  }
}
END_TEST

/* By 20 ms, of which 5 are above the target: as if a twentieth had to be withheld in
 * each RTT, and as much less came with the next. */
START_TEST (a_path_that_became_longer_costs_three_tenths)
{
  view.sent = RATE;
  run (0, S);
  for (unsigned i = 0; i < 100; i++) {
    run (20 * MS, RTT);
    ck_assert_double_ge (bound.rate, 0.7 * RATE);
    view.received = fmin (view.received, bound.rate);
  }
}
END_TEST

/* The base delay contains a part of the queue: only when it is to be emptied, with
 * 0.16 to be withheld, that shows. */
START_TEST (a_queue_about_the_target_that_cannot_be_emptied_is_not)
{
  run (0, RTT);
  run (16 * MS, 10 * S);
  ck_assert (isinf (bound.rate));
}
END_TEST

/* The CLR has found out by what it withholds, and all others by the same. */
START_TEST (who_does_not_limit_the_rate_learns_whose_the_queue_is)
{
  view.is_clr = false;
  run (0, S);
  run (100 * MS, 15 * RTT);
  view.is_clr = true;
  run (100 * MS, RTT);
  ck_assert (isinf (bound.rate));
}
END_TEST

/* Ten seconds without a packet, and then a frame that only finds its own queue. */
START_TEST (in_a_pause_nothing_is_withheld)
{
  run (0, S);
  run (30 * MS, RTT);
  now += 10 * S;
  run (30 * MS, RTT);
  ck_assert (!isinf (bound.rate));
}
END_TEST

/* Before the first update nothing was withheld either, whatever `now` is. */
START_TEST (a_queue_that_is_there_at_once_is_not_known_to_be_foreign)
{
  tfmcc_queue_bound_on_delay (&bound, 7000000, now);
  tfmcc_queue_bound_on_echo (&bound, 25000 - 7000000, now);
  bound.least_since = TFRC_TIME_NONE;
  tfmcc_queue_bound_on_delay (&bound, 7100000, now);
  now += RTT;
  tfmcc_queue_bound_update (&bound, &view, now);
  ck_assert (!isinf (bound.rate));
}
END_TEST

/* In the first RTT the queue grows, in the second less is asked for, and only from
 * the third on less arrives. */
START_TEST (what_overflows_while_less_is_sent_is_filled_by_others)
{
  run (0, S);
  tfmcc_queue_bound_on_loss (&bound, now);
  ck_assert (!isinf (bound.rate));
  for (unsigned i = 0; i < 2; i++) {
    run (100 * MS, RTT);
    tfmcc_queue_bound_on_loss (&bound, now);
    ck_assert (!isinf (bound.rate));
  }
  run (100 * MS, RTT);
  tfmcc_queue_bound_on_loss (&bound, now);
  ck_assert (isinf (bound.rate));
  ck_assert (bound.foreign_until == now + 15 * S);
  /* It counts as that of other flows already. */
  tfmcc_queue_bound_on_loss (&bound, now);
  ck_assert (bound.foreign_until == now + 15 * S);
}
END_TEST

/* 25 kB/s: a packet takes 40 ms, and two are above four targets. */
START_TEST (long_packets_have_a_longer_target_up_to_four_times)
{
  view.received = RATE / 10.0;
  run (0, S);
  run (59 * MS, RTT);
  ck_assert_double_gt (bound.rate, view.received);
  run (61 * MS, RTT);
  ck_assert_double_lt (bound.rate, view.received);
}
END_TEST

/* Otherwise the base delay would expire: every 8 s. */
START_TEST (the_queue_is_to_be_empty_now_and_then)
{
  run (0, S);
  run (14 * MS, 7 * S);
  ck_assert_double_gt (bound.rate, RATE);
  run (14 * MS, 1100 * MS);
  ck_assert_double_lt (bound.rate, RATE);
  run (14 * MS, S);
  ck_assert_double_gt (bound.rate, RATE);
}
END_TEST

int
main (void)
{
  Suite *suite = suite_create ("queue-bound");
  TCase *tcase = tcase_create ("queue-bound");

  SRunner *runner = srunner_create (suite);
  int failed;

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, a_queue_above_the_target_is_emptied_in_two_rtts);
  tcase_add_test (tcase, a_short_queue_lets_it_grow_by_a_fifth);
  tcase_add_test (tcase, a_short_queue_of_few_packets_lowers_no_rate);
  tcase_add_test (tcase, the_clr_alone_is_bound_and_all_in_slow_start);
  tcase_add_test (tcase, a_source_that_is_slow_by_itself_is_not_bound);
  tcase_add_test (tcase, a_queue_that_does_not_yield_is_left_to_others);
  tcase_add_test (tcase, a_queue_that_yields_is_ours);
  tcase_add_test (tcase, a_queue_that_swings_about_the_target_is_ours);
  tcase_add_test (tcase, a_queue_about_the_target_is_ours);
  tcase_add_test (tcase, a_path_that_became_longer_costs_three_tenths);
  tcase_add_test (tcase,
      a_queue_about_the_target_that_cannot_be_emptied_is_not);
  tcase_add_test (tcase, in_a_pause_nothing_is_withheld);
  tcase_add_test (tcase,
      a_queue_that_is_there_at_once_is_not_known_to_be_foreign);
  tcase_add_test (tcase, who_does_not_limit_the_rate_learns_whose_the_queue_is);
  tcase_add_test (tcase, what_overflows_while_less_is_sent_is_filled_by_others);
  tcase_add_test (tcase, long_packets_have_a_longer_target_up_to_four_times);
  tcase_add_test (tcase, the_queue_is_to_be_empty_now_and_then);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
