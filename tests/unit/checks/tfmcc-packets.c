/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which extensions a receiver accepts: by clock, round number and RTT. */
#include <check.h>

#include "check-suite.h"
#include "checks/tfmcc-packets.h"

#define MAX_RTT (500 * MS)
#define OFFSET_US 0xFFFF0000u /* wraps after 66 ms */
#define OTHER_US 0x80000000u  /* another sender's clock */

static TfmccPacketCheck packets;
static TfmccExtension extension;
static TfrcTime now;

static void
setup (void)
{
  packets = (TfmccPacketCheck) { 0 };
  extension = (TfmccExtension) { .max_rtt = MAX_RTT };
  now = 100 * S;
}

/* A packet of a sender whose clock started at `offset_us`, `after` the previous
 * one. */
static TfmccPacketVerdict
check (uint32_t offset_us, TfrcDuration after)
{
  now += after;
  extension.send_time_us = offset_us + (uint32_t) (now / TFRC_MICROSECOND);
  return tfmcc_packet_check_judge (&packets, &extension, now);
}

/* The newest packet of our sender; returns the extension after the check. */
static TfmccExtension
correct (uint8_t round, TfrcDuration max_rtt, TfrcDuration after)
{
  TfmccExtension given;

  extension.round = round;
  extension.max_rtt = max_rtt;
  ck_assert_int_eq (check (OFFSET_US, after), TFMCC_PACKET_OURS);
  given = extension;
  ck_assert (tfmcc_packet_check_correct (&packets, &given, now)
      == (given.round != round || given.max_rtt != max_rtt));
  return given;
}

static uint8_t
round_of (uint8_t round, TfrcDuration after)
{
  return correct (round, MAX_RTT, after).round;
}

static TfrcDuration
max_rtt_of (uint8_t round, TfrcDuration max_rtt, TfrcDuration after)
{
  return correct (round, max_rtt, after).max_rtt;
}

/* 10 s of queues either way. */
static const struct
{
  int64_t off_ms;
  TfmccPacketVerdict verdict;
} clocks[] = {
  { 0, TFMCC_PACKET_OURS },
  { 9999, TFMCC_PACKET_OURS },
  { -9999, TFMCC_PACKET_OURS },
  { 10001, TFMCC_PACKET_FOREIGN },
  { -10001, TFMCC_PACKET_FOREIGN },
  { 2000000, TFMCC_PACKET_FOREIGN },
};

START_TEST (a_foreign_clock_is_told_apart)
{
  correct (0, MAX_RTT, 0);
  ck_assert_int_eq (check (OFFSET_US + (uint32_t) (1000 * clocks[_i].off_ms),
                        3600 * S),
      clocks[_i].verdict);
}

END_TEST
START_TEST (who_sends_beside_our_sender_never_takes_over)
{
  correct (0, MAX_RTT, 0);
  for (unsigned i = 0; i < 1000; i++) {
    for (unsigned j = 0; j < 10; j++)
      ck_assert_int_eq (check (OTHER_US, 1 * MS), TFMCC_PACKET_FOREIGN);
    correct (0, MAX_RTT, MS);
  }
}

END_TEST
/* 2 R_max = 1 s and 1 s of silence, and three packets. */
START_TEST (a_sender_that_restarted_is_believed_after_a_silence)
{
  correct (0, MAX_RTT, 0);
  ck_assert_int_eq (check (OTHER_US, 400 * MS), TFMCC_PACKET_FOREIGN);
  ck_assert_int_eq (check (OTHER_US, 300 * MS), TFMCC_PACKET_FOREIGN);
  ck_assert_int_eq (check (OTHER_US, 300 * MS), TFMCC_PACKET_FOREIGN);
  ck_assert_int_eq (check (OTHER_US, 1 * MS), TFMCC_PACKET_RESTARTED);
  ck_assert_int_eq (check (OTHER_US, 1 * MS), TFMCC_PACKET_OURS);
}

END_TEST
START_TEST (stray_packets_are_not_a_restart)
{
  correct (0, MAX_RTT, 0);
  for (uint32_t i = 1; i < 100; i++)
    ck_assert_int_eq (check (i * 11000000, S), TFMCC_PACKET_FOREIGN);
}

END_TEST
START_TEST (a_restart_waits_for_a_second_and_two_r_max)
{
  correct (0, 20 * MS, 0);
  for (unsigned i = 0; i < 10; i++)
    ck_assert_int_eq (check (OTHER_US, 100 * MS), TFMCC_PACKET_FOREIGN);
  ck_assert_int_eq (check (OTHER_US, MS), TFMCC_PACKET_RESTARTED);
  setup ();
  correct (0, 8 * S, 0);
  for (unsigned i = 0; i < 16; i++)
    ck_assert_int_eq (check (OTHER_US, S), TFMCC_PACKET_FOREIGN);
  ck_assert_int_eq (check (OTHER_US, MS), TFMCC_PACKET_RESTARTED);
}

END_TEST
/* A round lasts for R_max; half of that, 250 ms, is accepted, and no minimum in the
 * round in which the receiver joined. */
START_TEST (rounds_advance_with_time)
{
  ck_assert_uint_eq (round_of (253, 0), 253);
  ck_assert_uint_eq (round_of (254, MS), 254);
  ck_assert_uint_eq (round_of (255, 3 * S), 255);
  ck_assert_uint_eq (round_of (0, 250 * MS), 0);
  ck_assert_uint_eq (round_of (1, 249 * MS), 0);
  ck_assert_uint_eq (round_of (1, 1 * MS), 1);
  /* 40 rounds in 10 s, after an outage. */
  ck_assert_uint_eq (round_of (41, 10 * S), 41);
  ck_assert_uint_eq (round_of (82, 10 * S), 41);
  /* A number more than half the space ahead is behind, after however long. */
  ck_assert_uint_eq (round_of (41 + 128, 100 * S), 41);
}

END_TEST
START_TEST (a_jump_is_believed_when_it_is_repeated)
{
  round_of (9, 0);
  round_of (10, S);
  ck_assert_uint_eq (round_of (200, S), 10);
  ck_assert_uint_eq (round_of (10, MS), 10);
  ck_assert_uint_eq (round_of (200, MS), 10);
  ck_assert_uint_eq (round_of (200, MS), 200);
  /* Backwards too, but only once confirmed. */
  ck_assert_uint_eq (round_of (190, MS), 200);
  ck_assert_uint_eq (round_of (190, MS), 200);
  ck_assert_uint_eq (round_of (190, 248 * MS), 190);
}

END_TEST
/* However the numbers jump, there is at most one round per 250 ms. */
START_TEST (no_numbers_make_rounds_come_faster)
{
  unsigned n_rounds = 0;
  uint8_t before = round_of (0, 0);

  for (unsigned i = 1; i <= 1000; i++) {
    uint8_t believed = round_of ((uint8_t) (i / 2 * 37), 10 * MS);

    n_rounds += believed != before;
    before = believed;
  }
  /* 10 s. */
  ck_assert_uint_le (n_rounds, 40);
  ck_assert_uint_ge (n_rounds, 10);
}

END_TEST
/* Up to 10 s at once, then up to twice the value of the previous round. */
START_TEST (r_max_rises_so_far)
{
  max_rtt_of (0, MAX_RTT, 0);
  ck_assert_uint_eq (max_rtt_of (0, 8 * S, 10 * MS), 8 * S);
  ck_assert_uint_eq (max_rtt_of (0, 63 * S, 10 * MS), 10 * S);
  ck_assert_uint_eq (max_rtt_of (1, 63 * S, 20 * S), 20 * S);
  ck_assert_uint_eq (max_rtt_of (1, 63 * S, 20 * S), 20 * S);
  ck_assert_uint_eq (max_rtt_of (2, 63 * S, 20 * S), 40 * S);
}

END_TEST
/* 0.8 per round: 500, 400, 320 ms.  Within a round it does not fall. */
/* 0.2 per round. */
START_TEST (r_max_falls_so_far)
{
  max_rtt_of (0, MAX_RTT, 0);
  ck_assert_uint_eq (max_rtt_of (0, MS, 10 * MS), 500 * MS);
  ck_assert_uint_eq (max_rtt_of (1, 125 * MS, 3 * S), 125 * MS);
  ck_assert_uint_eq (max_rtt_of (2, MS, 3 * S), 25 * MS);
  ck_assert_uint_eq (max_rtt_of (3, 100 * MS, 3 * S), 100 * MS);
  /* Two rounds later, one of which was not received. */
  ck_assert_uint_eq (max_rtt_of (5, MS, 3 * S), 4 * MS);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-packets");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_loop_test (tcase, a_foreign_clock_is_told_apart, 0,
      sizeof clocks / sizeof clocks[0]);
  tcase_add_test (tcase, who_sends_beside_our_sender_never_takes_over);
  tcase_add_test (tcase, a_sender_that_restarted_is_believed_after_a_silence);
  tcase_add_test (tcase, stray_packets_are_not_a_restart);
  tcase_add_test (tcase, a_restart_waits_for_a_second_and_two_r_max);
  tcase_add_test (tcase, rounds_advance_with_time);
  tcase_add_test (tcase, a_jump_is_believed_when_it_is_repeated);
  tcase_add_test (tcase, no_numbers_make_rounds_come_faster);
  tcase_add_test (tcase, r_max_rises_so_far);
  tcase_add_test (tcase, r_max_falls_so_far);
  return run_check_suite (suite);
}
