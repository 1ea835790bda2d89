/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The playout delay, from the lateness of packets. */
#include <check.h>
#include <stdlib.h>

#include "check-suite.h"
#include "rtp/playout-delay.h"

#define INTERVAL (5 * MS)

static TfrcPlayoutDelay playout_delay;
static TfrcTime now;
static TfrcDuration largest_step_down;
static unsigned changes;

static void
setup (void)
{
  tfrc_playout_delay_init (&playout_delay);
  now = 1000 * S;
  largest_step_down = 0;
  changes = 0;
}

static void
packet (TfrcDuration lateness)
{
  TfrcDuration before = playout_delay.delay;
  bool changed = tfrc_playout_delay_on_packet (&playout_delay, lateness, now);

  ck_assert_int_eq (changed, playout_delay.delay != before);
  changes += changed;
  if (before > playout_delay.delay)
    largest_step_down = tfrc_time_max (largest_step_down,
        before - playout_delay.delay);
}

/* Packets that are late by `from` to `to`. */
static void
spend (TfrcDuration duration, TfrcDuration from, TfrcDuration to)
{
  TfrcTime end = now + duration;

  for (uint64_t i = 0; now < end; i++) {
    now += INTERVAL;
    packet (from + (to - from) * (i % 8) / 7);
  }
}

/* 60 ms and the margin of 10 ms, in whole steps of 10 ms. */
START_TEST (it_covers_the_largest_lateness)
{
  spend (10 * S, 0, 60 * MS);
  ck_assert_uint_eq (playout_delay.delay, 70 * MS);
  spend (60 * S, 0, 60 * MS);
  ck_assert_uint_eq (playout_delay.delay, 70 * MS);
}

END_TEST
/* From 300 to 70 ms there are 23 steps, one every 100 ms: 20 of them in 2 s. */
START_TEST (it_begins_long_and_shrinks_by_small_steps)
{
  packet (0);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_INITIAL);
  spend (2 * S, 0, 60 * MS);
  ck_assert_uint_eq (playout_delay.delay, 100 * MS);
  spend (S / 2, 0, 60 * MS);
  ck_assert_uint_eq (playout_delay.delay, 70 * MS);
  ck_assert_uint_eq (changes, 23);
  ck_assert_uint_eq (largest_step_down, TFRC_PLAYOUT_DELAY_STEP);
}

END_TEST
START_TEST (it_grows_with_the_packet_that_needs_it)
{
  spend (10 * S, 0, 20 * MS);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MIN);
  packet (30 * MS);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MIN);
  packet (31 * MS);
  ck_assert_uint_eq (playout_delay.delay, 50 * MS);
  packet (250 * MS);
  ck_assert_uint_eq (playout_delay.delay, 260 * MS);
}

END_TEST
/* A single late packet is remembered for four seconds, give or take a slice: nine
 * steps down from 130 ms give 40. */
START_TEST (what_came_late_once_is_soon_forgotten)
{
  spend (10 * S, 0, 20 * MS);
  packet (115 * MS);
  spend (3 * S + 800 * MS, 0, 20 * MS);
  ck_assert_uint_eq (playout_delay.delay, 130 * MS);
  spend (400 * MS, 0, 20 * MS);
  ck_assert_uint_lt (playout_delay.delay, 130 * MS);
  spend (S, 0, 20 * MS);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MIN);
}

END_TEST
/* Until the first of them is twenty seconds old. */
START_TEST (what_came_late_again_is_remembered)
{
  spend (10 * S, 0, 20 * MS);
  packet (115 * MS);
  spend (5 * S, 0, 20 * MS);
  packet (175 * MS);
  spend (14 * S + 800 * MS, 0, 20 * MS);
  ck_assert_uint_eq (playout_delay.delay, 130 * MS);
  spend (400 * MS, 0, 20 * MS);
  ck_assert_uint_lt (playout_delay.delay, 130 * MS);
  spend (S, 0, 20 * MS);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MIN);
}

END_TEST
/* Like the frames during a step of the path's rate, over a second. */
START_TEST (what_is_of_one_event_came_once)
{
  spend (10 * S, 0, 20 * MS);
  spend (S, 0, 300 * MS);
  ck_assert_uint_eq (playout_delay.delay, 310 * MS);
  spend (7 * S, 0, 20 * MS);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MIN);
}

END_TEST
/* 15 ms, an RTT of 300 and the margin of 10, in whole steps of 10.  The delay
 * shrinks as it does after late packets: 29 steps, one every 100 ms. */
START_TEST (it_leaves_time_for_an_answer)
{
  spend (10 * S, 0, 20 * MS);
  ck_assert (tfrc_playout_delay_on_request (&playout_delay, 15 * MS, 300 * MS,
      now));
  ck_assert_uint_eq (playout_delay.delay, 330 * MS);
  ck_assert (!tfrc_playout_delay_on_request (&playout_delay, 15 * MS, 300 * MS,
      now));
  spend (3 * S, 0, 20 * MS);
  ck_assert_uint_eq (playout_delay.delay, 330 * MS);
  spend (3 * S + 29 * TFRC_PLAYOUT_DELAY_SLICE, 0, 20 * MS);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MIN);
  ck_assert_uint_eq (largest_step_down, TFRC_PLAYOUT_DELAY_STEP);
}

END_TEST
/* Five frames per second of one packet each: the packet after a hole comes 200 ms
 * later, and so does each request, however early packets are.  With so few packets
 * there is time for two answers: 2 RTTs and 40 ms, and the margin. */
START_TEST (it_leaves_time_until_a_hole_is_seen)
{
  for (int i = 0; i < 50; i++) {
    now += 200 * MS;
    packet (0);
    if (i % 8 == 7)
      tfrc_playout_delay_on_request (&playout_delay, 200 * MS, 30 * MS, now);
  }
  ck_assert_uint_eq (playout_delay.delay, 310 * MS);
}

END_TEST
/* 300 ms late, and requested up to 20 ms later. */
START_TEST (a_wait_ends_with_the_lateness_that_it_was_of)
{
  spend (10 * S, 0, 20 * MS);
  packet (300 * MS);
  tfrc_playout_delay_on_request (&playout_delay, 320 * MS, 30 * MS, now);
  ck_assert_uint_eq (playout_delay.delay, 360 * MS);
  spend (5 * S, 0, 20 * MS);
  tfrc_playout_delay_on_request (&playout_delay, 20 * MS, 30 * MS, now);
  spend (10 * S, 0, 20 * MS);
  ck_assert_uint_le (playout_delay.delay, 100 * MS);
}

END_TEST
/* 115 ms and the margin in whole steps, and six steps down in the second behind it.
 * What needs less than the delay changes nothing. */
START_TEST (what_is_waited_for_is_not_remembered)
{
  spend (10 * S, 0, 60 * MS);
  ck_assert (tfrc_playout_delay_wait_for (&playout_delay, 115 * MS));
  ck_assert_uint_eq (playout_delay.delay, 130 * MS);
  ck_assert (!tfrc_playout_delay_wait_for (&playout_delay, 60 * MS));
  ck_assert_uint_eq (playout_delay.delay, 130 * MS);
  spend (S, 0, 60 * MS);
  ck_assert_uint_eq (playout_delay.delay, 70 * MS);
  ck_assert_uint_eq (largest_step_down, TFRC_PLAYOUT_DELAY_STEP);
  tfrc_playout_delay_wait_for (&playout_delay, S);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MAX);
}

END_TEST
START_TEST (it_stays_within_its_bounds)
{
  spend (20 * S, 0, 0);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MIN);
  packet (TFRC_PLAYOUT_DELAY_MAX);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MAX);
}

END_TEST
START_TEST (what_no_delay_covers_says_nothing)
{
  spend (10 * S, 0, 60 * MS);
  packet (TFRC_PLAYOUT_DELAY_MAX + 1);
  packet (TFRC_TIME_NONE);
  ck_assert_uint_eq (playout_delay.delay, 70 * MS);
}

END_TEST
/* The first packet after a pause finds the old ones forgotten, and the delay
 * shrinks once. */
START_TEST (a_pause_is_no_reason_to_jump)
{
  spend (10 * S, 0, 200 * MS);
  ck_assert_uint_eq (playout_delay.delay, 210 * MS);
  now += 3600 * S;
  packet (0);
  ck_assert_uint_ge (playout_delay.delay, 200 * MS);
  spend (5 * S, 0, 0);
  ck_assert_uint_eq (playout_delay.delay, TFRC_PLAYOUT_DELAY_MIN);
  ck_assert_uint_eq (largest_step_down, TFRC_PLAYOUT_DELAY_STEP);
}

END_TEST
/* As the packets of two streams may be. */
START_TEST (instants_that_run_backwards_belong_to_the_newest_slice)
{
  spend (10 * S, 0, 0);
  now -= 5 * S;
  packet (115 * MS);
  ck_assert_uint_eq (playout_delay.delay, 130 * MS);
  now += 5 * S;
  spend (3 * S, 0, 0);
  ck_assert_uint_eq (playout_delay.delay, 130 * MS);
}

END_TEST
int
main (void)
{
  Suite *suite = suite_create ("playout-delay");
  TCase *test_case = tcase_create ("playout-delay");

  tcase_add_checked_fixture (test_case, setup, NULL);
  tcase_add_test (test_case, it_covers_the_largest_lateness);
  tcase_add_test (test_case, it_begins_long_and_shrinks_by_small_steps);
  tcase_add_test (test_case, it_grows_with_the_packet_that_needs_it);
  tcase_add_test (test_case, what_came_late_once_is_soon_forgotten);
  tcase_add_test (test_case, what_came_late_again_is_remembered);
  tcase_add_test (test_case, what_is_of_one_event_came_once);
  tcase_add_test (test_case, it_leaves_time_for_an_answer);
  tcase_add_test (test_case, it_leaves_time_until_a_hole_is_seen);
  tcase_add_test (test_case, a_wait_ends_with_the_lateness_that_it_was_of);
  tcase_add_test (test_case, what_is_waited_for_is_not_remembered);
  tcase_add_test (test_case, it_stays_within_its_bounds);
  tcase_add_test (test_case, what_no_delay_covers_says_nothing);
  tcase_add_test (test_case, a_pause_is_no_reason_to_jump);
  tcase_add_test (test_case,
      instants_that_run_backwards_belong_to_the_newest_slice);
  suite_add_tcase (suite, test_case);
  return run_check_suite (suite);
}
