/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much reordering is tolerated after some was seen, in TfrcReordering and in
 * the loss detector. */
#include <check.h>

#include "check-suite.h"
#include "tfrc/loss-detector.h"

#define RTT (100 * MS)
#define VIDEO 0x1111
#define AUDIO 0x2222

static TfrcReordering reordering;
static TfrcLossDetector detector;
static TfrcTime now;

static void
setup (void)
{
  tfrc_reordering_init (&reordering, true);
  tfrc_loss_detector_init (&detector, true, true);
  now = 1000 * MS;
}

static void
lose (unsigned times)
{
  while (times-- > 0)
    tfrc_reordering_on_loss (&reordering);
}

static void
expect_tolerance (TfrcDuration expected)
{
  ck_assert_uint_eq (tfrc_reordering_get_tolerance (&reordering, RTT),
      expected);
}

START_TEST (nothing_is_tolerated_before_it_was_seen)
{
  expect_tolerance (0);
  lose (100);
  expect_tolerance (0);
}

END_TEST
START_TEST (twice_the_latest_is_tolerated)
{
  tfrc_reordering_on_late (&reordering, 5 * MS, RTT);
  expect_tolerance (10 * MS);
  tfrc_reordering_on_late (&reordering, 20 * MS, RTT);
  expect_tolerance (40 * MS);
  tfrc_reordering_on_late (&reordering, 5 * MS, RTT);
  expect_tolerance (40 * MS);
}

END_TEST
START_TEST (no_more_than_an_rtt_is_tolerated)
{
  tfrc_reordering_on_late (&reordering, RTT, RTT);
  expect_tolerance (RTT);
  /* If R falls, no more than R is tolerated. */
  ck_assert_uint_eq (tfrc_reordering_get_tolerance (&reordering, MS), MS);
  ck_assert_uint_eq (tfrc_reordering_get_tolerance (&reordering, 0), 0);
}

END_TEST
START_TEST (who_is_later_than_an_rtt_teaches_nothing)
{
  tfrc_reordering_on_late (&reordering, RTT + 1, RTT);
  expect_tolerance (0);
  tfrc_reordering_on_late (&reordering, 1, 0);
  expect_tolerance (0);
}

END_TEST
/* Seen once after 10 losses: kept for the six that complete 16, and for 16 more. */
START_TEST (one_odd_packet_is_forgotten)
{
  lose (10);
  tfrc_reordering_on_late (&reordering, 10 * MS, RTT);
  lose (16 + 5);
  expect_tolerance (20 * MS);
  lose (1);
  expect_tolerance (0);
}

END_TEST
START_TEST (what_is_seen_again_is_kept_and_no_more)
{
  tfrc_reordering_on_late (&reordering, 40 * MS, RTT);
  for (unsigned i = 0; i < 100; i++) {
    lose (15);
    tfrc_reordering_on_late (&reordering, 10 * MS, RTT);
    expect_tolerance (i < 2 ? 80 * MS : 20 * MS);
  }
}

END_TEST
START_TEST (a_fixed_one_learns_nothing)
{
  tfrc_reordering_init (&reordering, false);
  tfrc_reordering_on_late (&reordering, 10 * MS, RTT);
  expect_tolerance (0);
}

END_TEST static TfrcArrival
receive (uint32_t ssrc, uint16_t seq)
{
  TfrcDataPacket packet = { .ssrc = ssrc, .seq = seq };

  return tfrc_loss_detector_on_packet (&detector, &packet, RTT, now);
}

/* A packet of VIDEO, 10 ms after the one before. */
static TfrcArrival
next (uint16_t seq)
{
  now += 10 * MS;
  return receive (VIDEO, seq);
}

static void
expect_nothing (void)
{
  TfrcLossRun run;
  TfrcSeq position;

  ck_assert (!tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert (!tfrc_loss_detector_poll_repair (&detector, &position));
}

/* Reordering in `ssrc` after `seq`: the next packet is overtaken by four, 30 ms
 * after the first of these, so 60 ms are tolerated.  The newest packet is then
 * `seq` + 5. */
static void
learn_reordering (uint32_t ssrc, uint16_t seq)
{
  TfrcLossRun run;
  TfrcSeq position;

  receive (ssrc, seq);
  for (uint16_t i = 2; i <= 5; i++) {
    now += 10 * MS;
    receive (ssrc, (uint16_t) (seq + i));
  }
  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert_uint_eq (receive (ssrc, (uint16_t) (seq + 1)),
      TFRC_ARRIVAL_REPAIRED);
  ck_assert (tfrc_loss_detector_poll_repair (&detector, &position));
  expect_nothing ();
}

START_TEST (a_path_that_reorders_is_given_time)
{
  /* 15 at 1040 ms, position 6. */
  learn_reordering (VIDEO, 10);
  next (17);
  for (uint16_t seq = 18; seq <= 22; seq++) {
    next (seq);
    expect_nothing ();
    ck_assert_uint_eq (tfrc_loss_detector_next_deadline (&detector),
        seq < 19 ? TFRC_TIME_NONE : 1110 * MS);
  }
  ck_assert_uint_eq (next (16), TFRC_ARRIVAL_FILLED);
  expect_nothing ();
  ck_assert_uint_eq (tfrc_loss_detector_next_deadline (&detector),
      TFRC_TIME_NONE);
}

END_TEST
/* No more packets arrive, so only time decides; 17 at 1050 and 19 at 1060 ms. */
START_TEST (a_loss_is_known_when_the_time_is_over)
{
  TfrcLossRun run;

  learn_reordering (VIDEO, 10);
  next (17);
  receive (VIDEO, 16);
  next (19);
  next (20);
  next (21);
  expect_nothing ();
  ck_assert_uint_eq (tfrc_loss_detector_next_deadline (&detector), 1120 * MS);
  tfrc_loss_detector_on_deadline (&detector, 1120 * MS - 1);
  expect_nothing ();
  tfrc_loss_detector_on_deadline (&detector, 1120 * MS);
  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert_uint_eq (run.first, 9);
  ck_assert_uint_eq (run.count, 1);
  ck_assert_uint_eq (run.first_at, 1055 * MS);
  expect_nothing ();
}

END_TEST
/* It was never about to be taken for lost. */
START_TEST (who_was_overtaken_by_two_teaches_nothing)
{
  next (10);
  next (12);
  next (13);
  ck_assert_uint_eq (next (11), TFRC_ARRIVAL_FILLED);
  ck_assert_uint_eq (tfrc_reordering_get_tolerance (&detector.flow.reordering,
                         RTT),
      0);
}

END_TEST
START_TEST (reordering_is_that_of_all_ssrcs)
{
  learn_reordering (AUDIO, 500);
  next (10);
  next (12);
  next (13);
  next (14);
  expect_nothing ();
  ck_assert_uint_eq (next (11), TFRC_ARRIVAL_FILLED);
}

END_TEST
/* 60 ms are tolerated, but no time passes: the oldest hole is lost when there is
 * one more than may wait, and a stream that leaves gives up the others. */
START_TEST (so_many_holes_wait_and_no_more)
{
  TfrcLossRun run;
  uint16_t seq = 15;

  learn_reordering (VIDEO, 10);
  for (unsigned i = 0; i < TFRC_MAX_WAITING; i++) {
    receive (VIDEO, seq += 2);
    expect_nothing ();
  }
  receive (VIDEO, seq += 2);
  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert_uint_eq (run.first, 7);
  expect_nothing ();
  tfrc_loss_detector_remove_stream (&detector, VIDEO);
  for (unsigned i = 0; i < TFRC_MAX_WAITING; i++) {
    ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
    ck_assert_uint_eq (run.first, 9 + 2 * i);
  }
  expect_nothing ();
}

END_TEST
/* The same with a stream that restarts with a marked packet. */
START_TEST (a_reset_gives_up_all_that_waits)
{
  TfrcDataPacket packet = { .ssrc = VIDEO, .seq = 40001 };
  uint16_t seq = 15;
  TfrcLossRun run;

  learn_reordering (VIDEO, 10);
  for (unsigned i = 0; i < TFRC_MAX_WAITING; i++)
    receive (VIDEO, seq += 2);
  receive (VIDEO, 40000);
  packet.congestion_marked = true;
  ck_assert_uint_eq (tfrc_loss_detector_on_packet (&detector, &packet, RTT,
                         now),
      TFRC_ARRIVAL_NEW);
  for (unsigned i = 0; i < TFRC_MAX_WAITING; i++) {
    ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
    ck_assert (!run.marked);
  }
  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert (run.marked);
  expect_nothing ();
}

END_TEST
START_TEST (a_fixed_detector_counts_to_three)
{
  tfrc_loss_detector_init (&detector, false, true);
  for (unsigned i = 0; i < 3; i++)
    learn_reordering (VIDEO, (uint16_t) (10 + 5 * i));
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-reordering");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, nothing_is_tolerated_before_it_was_seen);
  tcase_add_test (tcase, twice_the_latest_is_tolerated);
  tcase_add_test (tcase, no_more_than_an_rtt_is_tolerated);
  tcase_add_test (tcase, who_is_later_than_an_rtt_teaches_nothing);
  tcase_add_test (tcase, one_odd_packet_is_forgotten);
  tcase_add_test (tcase, what_is_seen_again_is_kept_and_no_more);
  tcase_add_test (tcase, a_fixed_one_learns_nothing);
  tcase_add_test (tcase, a_path_that_reorders_is_given_time);
  tcase_add_test (tcase, a_loss_is_known_when_the_time_is_over);
  tcase_add_test (tcase, who_was_overtaken_by_two_teaches_nothing);
  tcase_add_test (tcase, reordering_is_that_of_all_ssrcs);
  tcase_add_test (tcase, so_many_holes_wait_and_no_more);
  tcase_add_test (tcase, a_reset_gives_up_all_that_waits);
  tcase_add_test (tcase, a_fixed_detector_counts_to_three);
  return run_check_suite (suite);
}
