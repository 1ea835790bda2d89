/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How late answers arrive, from when packets were requested. */
#include <check.h>
#include <stdlib.h>

#include "check-suite.h"
#include "rtp/playout-delay.h"

#define WAIT (20 * MS)
#define RTT (50 * MS)
#define LONGEST (500 * MS)

static TfrcRepairTime repair_time;
static TfrcTime now;

static void
setup (void)
{
  tfrc_repair_time_init (&repair_time, LONGEST);
  now = 1200 * S; /* a slice begins */
}

static void
request (TfrcDuration wait, TfrcDuration rtt)
{
  tfrc_repair_time_on_request (&repair_time, wait, rtt, LONGEST, now);
}

/* The packets are late by `lateness`, and were when they were requested. */
static TfrcDuration
get_needed (void)
{
  return tfrc_repair_time_get (&repair_time, LONGEST);
}

/* As many packets per second, of which one in `lost_of` is requested; 0 = none. */
static void
spend (TfrcDuration duration, unsigned per_second, unsigned lost_of)
{
  TfrcTime end = now + duration;

  for (unsigned i = 1; now < end; i++) {
    now += S / per_second;
    if (lost_of > 0 && i % lost_of == 0)
      request (WAIT, RTT);
    else
      tfrc_repair_time_on_packet (&repair_time, now);
  }
}

START_TEST (nothing_is_needed_while_nothing_is_asked_for)
{
  ck_assert_uint_eq (get_needed (), 0);
  spend (10 * S, 100, 0);
  ck_assert_uint_eq (get_needed (), 0);
}

END_TEST
START_TEST (it_is_the_wait_and_a_round_trip)
{
  request (20 * MS, 50 * MS);
  ck_assert_uint_eq (get_needed (), 70 * MS);
  request (10 * MS, 50 * MS);
  ck_assert_uint_eq (get_needed (), 70 * MS);
  request (0, 80 * MS);
  ck_assert_uint_eq (get_needed (), 100 * MS);
}

END_TEST
/* A hole is noticed by the packet after it, which is no later than others are by
 * now. */
START_TEST (a_wait_that_packets_do_not_have_any_more_does_not_count)
{
  request (300 * MS, RTT);
  ck_assert_uint_eq (get_needed (), 350 * MS);
  ck_assert_uint_eq (tfrc_repair_time_get (&repair_time, 100 * MS), 190 * MS);
  ck_assert_uint_eq (tfrc_repair_time_get (&repair_time, 0), 90 * MS);
}

END_TEST
/* In a stream of few packets the next packet comes long after the hole, and will
 * again: 150 ms, and no more than the time until the request. */
START_TEST (a_wait_that_was_longer_than_packets_were_late_does)
{
  tfrc_repair_time_on_request (&repair_time, 200 * MS, RTT, 50 * MS, now);
  ck_assert_uint_eq (tfrc_repair_time_get (&repair_time, 0), 200 * MS);
  ck_assert_uint_eq (tfrc_repair_time_get (&repair_time, 80 * MS), 250 * MS);
}

END_TEST
/* The queue that overflowed has drained since: 30 ms and not 200. */
START_TEST (round_trips_are_those_of_the_newest_request)
{
  request (30 * MS, 200 * MS);
  request (20 * MS, 50 * MS);
  ck_assert_uint_eq (get_needed (), 80 * MS);
}

END_TEST
START_TEST (what_no_answer_reaches_says_nothing)
{
  request (300 * MS, 201 * MS);
  request (TFRC_TIME_NONE, RTT);
  ck_assert_uint_eq (get_needed (), 0);
  request (300 * MS, 200 * MS);
  ck_assert_uint_eq (get_needed (), 500 * MS);
}

END_TEST
/* The newest request has a longer round trip: 300 and 400 ms are too long. */
START_TEST (it_is_no_longer_than_answers_may_take)
{
  request (300 * MS, 50 * MS);
  request (20 * MS, 400 * MS);
  ck_assert_uint_eq (get_needed (), 500 * MS);
}

END_TEST
/* In slice 0, and until slice 2 begins, 6 s later. */
START_TEST (losses_that_do_not_come_again_are_soon_forgotten)
{
  for (int i = 0; i < 20; i++)
    request (WAIT, RTT);
  spend (5 * S + 900 * MS, 10, 0);
  ck_assert_uint_eq (get_needed (), 70 * MS);
  spend (100 * MS, 10, 0);
  ck_assert_uint_eq (get_needed (), 0);
}

END_TEST
/* The second one comes 20 s after the first: until the first is forgotten. */
START_TEST (losses_that_keep_coming_are_remembered_for_a_minute)
{
  request (WAIT, RTT);
  spend (20 * S, 10, 0);
  ck_assert_uint_eq (get_needed (), 0);
  request (WAIT, RTT);
  spend (39 * S, 10, 0);
  ck_assert_uint_eq (get_needed (), 70 * MS);
  spend (2 * S, 10, 0);
  ck_assert_uint_eq (get_needed (), 0);
}

END_TEST
/* Slices of 3 s: in slices 0 and 1, and until slice 3 begins. */
START_TEST (a_burst_over_two_slices_does_not_keep_coming)
{
  spend (2900 * MS, 10, 0);
  request (WAIT, RTT);
  spend (200 * MS, 10, 0);
  request (WAIT, RTT);
  spend (5 * S, 10, 0);
  ck_assert_uint_eq (get_needed (), 70 * MS);
  spend (S, 10, 0);
  ck_assert_uint_eq (get_needed (), 0);
}

END_TEST
/* 1 % of 6000 packets a minute are 60 loss events, for which 0.6 answers are lost;
 * for 4500 packets it is 0.45, and the threshold is 0.5.  Two round trips and 40
 * ms. */
START_TEST (it_is_two_round_trips_where_answers_are_lost_often_enough)
{
  spend (60 * S, 75, 100);
  ck_assert_uint_eq (get_needed (), 70 * MS);
  setup ();
  spend (60 * S, 100, 100);
  ck_assert_uint_eq (get_needed (), 160 * MS);
}

END_TEST
/* 1 % of 6000 packets again, but of every 400 four at once: 15 events, for which
 * 0.15 answers are lost. */
START_TEST (what_is_lost_at_once_is_one_event)
{
  for (int i = 0; i < 15; i++) {
    spend (3 * S + 960 * MS, 100, 0);
    for (int j = 0; j < 4; j++) {
      now += 10 * MS;
      request (WAIT, RTT);
    }
  }
  ck_assert_uint_eq (get_needed (), 70 * MS);
}

END_TEST
/* After 12 s it is 12 of 1200, 0.12 lost answers: 0.6 in a minute. */
START_TEST (the_first_minute_is_taken_for_the_next)
{
  spend (12 * S, 100, 100);
  ck_assert_uint_eq (get_needed (), 160 * MS);
}

END_TEST
/* 100 of 400 packets in 4 s, as in slow start. */
START_TEST (a_burst_is_no_reason_for_a_second_answer)
{
  spend (4 * S, 100, 4);
  ck_assert_uint_eq (get_needed (), 70 * MS);
}

END_TEST
/* 20 ms, two of 300 and 40 are 660. */
START_TEST (it_is_one_round_trip_where_two_take_too_long)
{
  spend (60 * S, 150, 20);
  ck_assert_uint_eq (get_needed (), 160 * MS);
  request (WAIT, 300 * MS);
  ck_assert_uint_eq (get_needed (), 320 * MS);
}

END_TEST
START_TEST (a_pause_is_forgotten)
{
  spend (60 * S, 150, 20);
  now += 3600 * S;
  tfrc_repair_time_on_packet (&repair_time, now);
  ck_assert_uint_eq (get_needed (), 0);
}

END_TEST
/* As the packets of two streams may be. */
START_TEST (instants_that_run_backwards_belong_to_the_newest_slice)
{
  spend (10 * S, 100, 0);
  now -= 5 * S;
  request (WAIT, RTT);
  ck_assert_uint_eq (get_needed (), 70 * MS);
}

END_TEST
int
main (void)
{
  Suite *suite = suite_create ("playout-delay-repair");
  TCase *test_case = tcase_create ("repair-time");

  tcase_add_checked_fixture (test_case, setup, NULL);
  tcase_add_test (test_case, nothing_is_needed_while_nothing_is_asked_for);
  tcase_add_test (test_case, it_is_the_wait_and_a_round_trip);
  tcase_add_test (test_case,
      a_wait_that_packets_do_not_have_any_more_does_not_count);
  tcase_add_test (test_case,
      a_wait_that_was_longer_than_packets_were_late_does);
  tcase_add_test (test_case, round_trips_are_those_of_the_newest_request);
  tcase_add_test (test_case, what_no_answer_reaches_says_nothing);
  tcase_add_test (test_case, it_is_no_longer_than_answers_may_take);
  tcase_add_test (test_case, losses_that_do_not_come_again_are_soon_forgotten);
  tcase_add_test (test_case,
      losses_that_keep_coming_are_remembered_for_a_minute);
  tcase_add_test (test_case, a_burst_over_two_slices_does_not_keep_coming);
  tcase_add_test (test_case,
      it_is_two_round_trips_where_answers_are_lost_often_enough);
  tcase_add_test (test_case, what_is_lost_at_once_is_one_event);
  tcase_add_test (test_case, the_first_minute_is_taken_for_the_next);
  tcase_add_test (test_case, a_burst_is_no_reason_for_a_second_answer);
  tcase_add_test (test_case, it_is_one_round_trip_where_two_take_too_long);
  tcase_add_test (test_case, a_pause_is_forgotten);
  tcase_add_test (test_case,
      instants_that_run_backwards_belong_to_the_newest_slice);
  suite_add_tcase (suite, test_case);
  return run_check_suite (suite);
}
