/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets are lost and when they would have arrived, RFC 5348 sections
 * 5.1 and 5.2. */
#include <check.h>
#include <string.h>

#include "check-suite.h"
#include "tfrc/loss-detector.h"

#define RTT (100 * MS)
#define VIDEO 0x1111
#define AUDIO 0x2222
#define SILENCE (500 * MS) /* then a stream has lost its place */

static TfrcLossDetector detector;
static TfrcTime now;

static void
setup (void)
{
  tfrc_loss_detector_init (&detector, true, true);
  now = 1000 * MS;
}

static TfrcArrival
receive (uint32_t ssrc, uint16_t seq)
{
  TfrcDataPacket packet = { .ssrc = ssrc, .seq = seq, .size = 1200 };

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
expect_loss (TfrcSeq first, uint32_t count, TfrcTime first_at)
{
  TfrcLossRun run;

  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert_uint_eq (run.first, first);
  ck_assert_uint_eq (run.count, count);
  ck_assert_uint_eq (run.first_at, first_at);
  ck_assert (!run.marked);
}

static void
expect_nothing (void)
{
  TfrcLossRun run;
  TfrcSeq position;

  ck_assert (!tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert (!tfrc_loss_detector_poll_repair (&detector, &position));
}

static uint32_t
count_losses (void)
{
  uint32_t n = 0;
  TfrcLossRun run;

  while (tfrc_loss_detector_poll_loss (&detector, &run))
    n += run.count;
  return n;
}

static void
expect_repair (TfrcSeq expected)
{
  TfrcSeq position;

  ck_assert (tfrc_loss_detector_poll_repair (&detector, &position));
  ck_assert_uint_eq (position, expected);
}

START_TEST (third_later_packet_declares_the_loss)
{
  setup ();
  next (100);
  next (101);
  ck_assert_uint_eq (next (103), TFRC_ARRIVAL_NEW);
  expect_nothing ();
  next (104);
  expect_nothing ();
  next (105);
  /* 101 at 1020 ms is position 2, 103 came at 1030 ms: 102 is due halfway. */
  expect_loss (3, 1, 1025 * MS);
  expect_nothing ();
  ck_assert_uint_eq (detector.flow.highest, 6);
}

END_TEST
/* `late` packets overtake one packet; with three it counts as lost. */
START_TEST (reordering_below_three_is_no_loss)
{
  for (uint16_t late = 1; late <= 5; late++) {
    setup ();
    next (10);
    for (uint16_t i = 1; i <= late; i++)
      next ((uint16_t) (11 + i));
    if (late < TFRC_NDUPACK) {
      expect_nothing ();
      ck_assert_uint_eq (next (11), TFRC_ARRIVAL_FILLED);
      expect_nothing ();
    } else {
      /* 10 at 1010 ms, 12 at 1020 ms. */
      expect_loss (2, 1, 1015 * MS);
      ck_assert_uint_eq (next (11), TFRC_ARRIVAL_REPAIRED);
      expect_repair (2);
      expect_nothing ();
    }
    /* No packet can be declared lost any more. */
    for (uint16_t i = 1; i <= 5; i++)
      next ((uint16_t) (11 + late + i));
    expect_nothing ();
    ck_assert_uint_eq (detector.flow.highest, late + 7U);
  }
}

END_TEST
START_TEST (a_late_packet_splits_its_hole)
{
  setup ();
  next (10);
  now += 50 * MS;
  next (16);
  /* 11..15 missing; 13 arrives late: two later packets for 11..12, one for 14..15. */
  ck_assert_uint_eq (next (13), TFRC_ARRIVAL_FILLED);
  expect_nothing ();
  next (17);
  /* 10 at 1010, 16 at 1070 ms: 10 ms apart. */
  expect_loss (2, 2, 1020 * MS);
  expect_nothing ();
  next (18);
  expect_loss (5, 2, 1050 * MS);
  expect_nothing ();
}

END_TEST
START_TEST (a_lost_hole_shrinks_from_both_ends_and_the_middle)
{
  const uint16_t late[] = { 11, 15, 13, 12, 14 };
  const TfrcSeq positions[] = { 2, 6, 4, 3, 5 };

  setup ();
  next (10);
  next (16);
  next (17);
  next (18);
  expect_loss (2, 5, 1010 * MS + 10 * MS / 6);
  for (size_t i = 0; i < 5; i++) {
    ck_assert_uint_eq (next (late[i]), TFRC_ARRIVAL_REPAIRED);
    expect_repair (positions[i]);
    expect_nothing ();
    ck_assert_uint_eq (next (late[i]), TFRC_ARRIVAL_DUPLICATE);
    expect_nothing ();
  }
  ck_assert_uint_eq (detector.streams[0].n_holes, 0);
}

END_TEST
START_TEST (duplicates_have_no_effect)
{
  setup ();
  next (10);
  next (12);
  /* Duplicates of a later packet do not count towards NDUPACK. */
  for (int i = 0; i < 5; i++)
    ck_assert_uint_eq (next (12), TFRC_ARRIVAL_DUPLICATE);
  ck_assert_uint_eq (next (10), TFRC_ARRIVAL_DUPLICATE);
  expect_nothing ();
  ck_assert_uint_eq (next (11), TFRC_ARRIVAL_FILLED);
  ck_assert_uint_eq (next (11), TFRC_ARRIVAL_DUPLICATE);
  ck_assert_uint_eq (detector.flow.highest, 3);
  ck_assert_uint_eq (detector.flow.packets, 3);
}

END_TEST
START_TEST (older_than_the_first_packet_is_stale)
{
  setup ();
  next (10);
  ck_assert_uint_eq (next (9), TFRC_ARRIVAL_STALE);
  expect_nothing ();
  ck_assert_uint_eq (detector.flow.highest, 1);
}

END_TEST
START_TEST (nominal_times_lie_on_a_line)
{
  setup ();
  /* RFC 5348 section 5.2 with 10 at 1.000 s and 13 at 1.030 s: 11 is due at
   * 1.010 s, 12 at 1.020 s. */
  receive (VIDEO, 10);
  now = 1030 * MS;
  receive (VIDEO, 13);
  next (14);
  next (15);
  {
    TfrcLossRun run;

    ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
    ck_assert_uint_eq (run.count, 2);
    ck_assert_uint_eq (run.first_at, 1010 * MS);
    ck_assert_uint_eq (run.spacing, 10 * MS);
  }
}

END_TEST
START_TEST (a_hole_across_the_wrap)
{
  setup ();
  /* 65534 at 10.00 s, 2 at 10.04 s: 65535, 0 and 1 are due at 10.01, 10.02
   * and 10.03 s. */
  now = 10000 * MS;
  receive (VIDEO, 65534);
  now = 10040 * MS;
  receive (VIDEO, 2);
  next (3);
  next (4);
  expect_loss (2, 3, 10010 * MS);
  ck_assert_uint_eq (next (0), TFRC_ARRIVAL_REPAIRED);
  expect_repair (3);
}

END_TEST
START_TEST (loss_is_found_at_every_sequence_number)
{
  for (uint32_t start = 0; start < 65536; start++) {
    setup ();
    next ((uint16_t) start);
    next ((uint16_t) (start + 2));
    next ((uint16_t) (start + 3));
    next ((uint16_t) (start + 4));
    expect_loss (2, 1, 1015 * MS);
    expect_nothing ();
  }
}

END_TEST
START_TEST (a_mark_is_a_loss_at_its_arrival)
{
  TfrcDataPacket packet = {
    .ssrc = VIDEO, .seq = 11, .congestion_marked = true
  };
  TfrcLossRun run;

  setup ();
  next (10);
  now += 7 * MS;
  tfrc_loss_detector_on_packet (&detector, &packet, RTT, now);
  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert_uint_eq (run.first, 2);
  ck_assert_uint_eq (run.count, 1);
  ck_assert_uint_eq (run.first_at, 1017 * MS);
  ck_assert (run.marked);
  expect_nothing ();
  /* A duplicate of it is not a second mark. */
  tfrc_loss_detector_on_packet (&detector, &packet, RTT, now);
  expect_nothing ();
}

END_TEST
START_TEST (ssrcs_are_checked_apart_and_share_positions)
{
  setup ();
  next (10);
  receive (AUDIO, 65535);
  next (11);
  receive (AUDIO, 0);
  ck_assert_uint_eq (detector.flow.highest, 4);
  next (13);
  /* 12 takes position 5. */
  ck_assert_uint_eq (detector.flow.highest, 6);
  receive (AUDIO, 1);
  receive (AUDIO, 2);
  /* Three later packets of the flow, but only one of the SSRC. */
  expect_nothing ();
  next (14);
  next (15);
  expect_loss (5, 1, 1025 * MS);
  expect_nothing ();
}

END_TEST
START_TEST (a_sparse_stream_waits_for_the_flow_and_one_rtt)
{
  setup ();
  receive (AUDIO, 1);
  next (10);
  now = 1200 * MS;
  receive (AUDIO, 3);
  /* S_after itself is the first later packet of the flow. */
  expect_nothing ();
  ck_assert_uint_eq (tfrc_loss_detector_next_deadline (&detector),
      TFRC_TIME_NONE);
  next (11);
  ck_assert_uint_eq (tfrc_loss_detector_next_deadline (&detector),
      TFRC_TIME_NONE);
  next (12);
  expect_nothing ();
  ck_assert_uint_eq (tfrc_loss_detector_next_deadline (&detector), 1300 * MS);
  tfrc_loss_detector_on_deadline (&detector, 1300 * MS - 1);
  expect_nothing ();
  tfrc_loss_detector_on_deadline (&detector, 1300 * MS);
  /* 1 at 1000 ms, 3 at 1200 ms; position 1 and 2 were 1 and 10. */
  expect_loss (3, 1, 1100 * MS);
  expect_nothing ();
  ck_assert_uint_eq (tfrc_loss_detector_next_deadline (&detector),
      TFRC_TIME_NONE);
}

END_TEST
START_TEST (a_packet_after_one_rtt_declares_a_sparse_hole)
{
  setup ();
  receive (AUDIO, 1);
  receive (AUDIO, 3);
  next (10);
  now = 1099 * MS;
  receive (VIDEO, 11);
  expect_nothing ();
  now = 1100 * MS;
  receive (VIDEO, 12);
  expect_loss (2, 1, 1000 * MS);
}

END_TEST
START_TEST (without_an_rtt_only_the_ssrc_counts)
{
  TfrcDataPacket packet = { .ssrc = AUDIO, .seq = 1 };

  setup ();
  tfrc_loss_detector_on_packet (&detector, &packet, 0, now);
  packet.seq = 3;
  tfrc_loss_detector_on_packet (&detector, &packet, 0, now);
  packet.ssrc = VIDEO;
  for (int i = 0; i < 100; i++) {
    packet.seq++;
    now += 100 * MS;
    tfrc_loss_detector_on_packet (&detector, &packet, 0, now);
    expect_nothing ();
  }
  ck_assert_uint_eq (tfrc_loss_detector_next_deadline (&detector),
      TFRC_TIME_NONE);
}

END_TEST
START_TEST (outage_losses_lie_as_dense_as_the_packets_before)
{
  TfrcLossRun run;

  setup ();
  /* Every 5 ms, R = 100 ms; then 5 s of silence and 250 packets missing.  Evenly
   * spread they would lie 5 s / 251 = 19.9 ms apart. */
  for (uint16_t i = 0; i < 100; i++) {
    receive (VIDEO, i);
    now += 5 * MS;
  }
  now += 4995 * MS;
  receive (VIDEO, 350);
  receive (VIDEO, 351);
  receive (VIDEO, 352);
  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert_uint_eq (run.first, 101);
  ck_assert_uint_eq (run.count, 250);
  ck_assert_uint_eq (run.spacing, 5 * MS);
  /* 99 came at 1495 ms. */
  ck_assert_uint_eq (run.first_at, 1500 * MS);
}

END_TEST
/* One packet is missing after a silence, R = 100 ms.  Up to four RTTs or four
 * intervals it is placed in the middle, beyond both right after the packet before. */
static const struct
{
  TfrcDuration interval, silence, spacing;
} silences[] = {
  { 5 * MS, 400 * MS, 200 * MS },
  { 5 * MS, 404 * MS, 5 * MS },
  { 1000 * MS, 4000 * MS, 2000 * MS },
  { 1000 * MS, 4004 * MS, 1000 * MS },
};

START_TEST (a_short_silence_is_no_outage)
{
  TfrcLossRun run;

  setup ();
  for (uint16_t i = 0; i < 100; i++) {
    now += silences[_i].interval;
    receive (VIDEO, i);
  }
  now += silences[_i].silence;
  for (uint16_t i = 101; i < 104; i++)
    receive (VIDEO, i);
  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert_uint_eq (run.count, 1);
  ck_assert_uint_eq (run.spacing, silences[_i].spacing);
}

END_TEST
START_TEST (a_jump_needs_a_second_packet)
{
  setup ();
  next (10);
  /* 11 + 3000 would be a hole of 3000; one more is not accepted. */
  ck_assert_uint_eq (next (3012), TFRC_ARRIVAL_UNPROVEN);
  expect_nothing ();
  ck_assert_uint_eq (next (11), TFRC_ARRIVAL_NEW);
  /* The next number confirms nothing once the stream has gone on. */
  ck_assert_uint_eq (next (3013), TFRC_ARRIVAL_UNPROVEN);
  ck_assert_uint_eq (detector.stream_resets, 0);
  ck_assert_uint_eq (next (3014), TFRC_ARRIVAL_NEW);
  ck_assert_uint_eq (detector.stream_resets, 1);
  next (3015);
  next (3016);
  expect_nothing ();
  /* 10, 11, 3014, 3015, 3016: nothing between counts as lost. */
  ck_assert_uint_eq (detector.flow.highest, 5);
}

END_TEST
START_TEST (the_longest_dropout_is_a_hole)
{
  setup ();
  next (10);
  next (3011);
  next (3012);
  next (3013);
  expect_loss (2, 3000, 1010 * MS + 10 * MS / 3001);
}

END_TEST
START_TEST (a_long_silence_makes_a_long_hole_plausible)
{
  TfrcLossRun run;

  setup ();
  /* A packet per ms, silence for 4 s: up to 8000 may be missing. */
  for (uint16_t i = 0; i < 1000; i++) {
    now += MS;
    receive (VIDEO, i);
  }
  now += 4000 * MS;
  ck_assert_uint_eq (receive (VIDEO, 999 + 8002), TFRC_ARRIVAL_UNPROVEN);
  ck_assert_uint_eq (receive (VIDEO, 999 + 4000), TFRC_ARRIVAL_NEW);
  receive (VIDEO, 999 + 4001);
  receive (VIDEO, 999 + 4002);
  ck_assert (tfrc_loss_detector_poll_loss (&detector, &run));
  ck_assert_uint_eq (run.count, 3999);
  ck_assert_uint_eq (run.spacing, MS);
}

END_TEST
START_TEST (a_stream_may_start_again_further_back)
{
  setup ();
  next (5000);
  next (5002);
  /* 100 behind is a duplicate or stale, further behind is a jump. */
  ck_assert_uint_eq (next (4902), TFRC_ARRIVAL_STALE);
  ck_assert_uint_eq (next (4901), TFRC_ARRIVAL_UNPROVEN);
  ck_assert_uint_eq (next (4902), TFRC_ARRIVAL_STALE);
  ck_assert_uint_eq (next (20), TFRC_ARRIVAL_UNPROVEN);
  ck_assert_uint_eq (next (21), TFRC_ARRIVAL_NEW);
  /* The hole from before the reset is lost: 5000 at 1010, 5002 at 1020 ms. */
  expect_loss (2, 1, 1015 * MS);
  expect_nothing ();
  ck_assert_uint_eq (detector.stream_resets, 1);
}

END_TEST
START_TEST (the_longest_silent_stream_makes_room)
{
  setup ();
  /* SSRC 0 has a hole. */
  receive (0, 1);
  receive (0, 3);
  for (uint32_t ssrc = 1; ssrc < TFRC_MAX_STREAMS; ssrc++) {
    now += MS;
    receive (ssrc, 1);
  }
  expect_nothing ();
  now = 999 * MS + SILENCE;
  receive (77, 1);
  ck_assert (!tfrc_loss_detector_knows (&detector, 77));
  now += MS;
  ck_assert_uint_eq (receive (77, 2), TFRC_ARRIVAL_NEW);
  ck_assert (tfrc_loss_detector_knows (&detector, 77));
  expect_loss (2, 1, 1000 * MS);
  expect_nothing ();
  ck_assert_uint_eq (detector.n_streams, TFRC_MAX_STREAMS);
  /* SSRC 1 is still known, SSRC 0 is new. */
  ck_assert_uint_eq (receive (1, 1), TFRC_ARRIVAL_DUPLICATE);
  now += 20 * MS;
  ck_assert_uint_eq (receive (0, 3), TFRC_ARRIVAL_NEW);
  ck_assert (tfrc_loss_detector_knows (&detector, 0));
}

END_TEST
/* Two streams more than there are places send as much as the others, in turn.  The
 * first ones keep their places; the other two have no positions and no losses. */
START_TEST (too_many_streams_leave_the_first_ones_checked)
{
  const uint32_t n_streams = TFRC_MAX_STREAMS + 2;

  setup ();
  for (uint16_t seq = 0; seq < 10; seq++) {
    for (uint32_t ssrc = 0; ssrc < n_streams; ssrc++) {
      now += MS;
      if (seq != 4 || (ssrc != 0 && ssrc != n_streams - 1))
        ck_assert_uint_eq (receive (ssrc, seq), TFRC_ARRIVAL_NEW);
      if (ssrc == 0 && seq == 7)
        ck_assert_uint_eq (count_losses (), 1);
    }
  }
  ck_assert_uint_eq (count_losses (), 0);
  ck_assert_uint_eq (detector.flow.highest, 10 * TFRC_MAX_STREAMS);
  ck_assert (tfrc_loss_detector_knows (&detector, 0));
  ck_assert (!tfrc_loss_detector_knows (&detector, TFRC_MAX_STREAMS));
}

END_TEST
START_TEST (a_stream_that_leaves_loses_its_holes)
{
  setup ();
  next (10);
  receive (AUDIO, 5);
  next (12);
  tfrc_loss_detector_remove_stream (&detector, 0x9999);
  expect_nothing ();
  tfrc_loss_detector_remove_stream (&detector, VIDEO);
  expect_loss (3, 1, 1015 * MS);
  expect_nothing ();
  ck_assert_uint_eq (receive (AUDIO, 5), TFRC_ARRIVAL_DUPLICATE);
  ck_assert_uint_eq (receive (VIDEO, 12), TFRC_ARRIVAL_NEW);
}

END_TEST
START_TEST (old_holes_are_forgotten_one_by_one)
{
  TfrcSeq lost = 2;
  TfrcLossRun run;

  setup ();
  /* Every second packet missing: 80 holes, 64 are kept. */
  for (uint16_t seq = 0; seq <= 160; seq = (uint16_t) (seq + 2)) {
    next (seq);
    while (tfrc_loss_detector_poll_loss (&detector, &run)) {
      ck_assert_uint_eq (run.first, lost);
      lost += 2;
    }
  }
  /* 1, 3, ... 155 are lost, 157 and 159 are waiting. */
  ck_assert_uint_eq (lost, 158);
  ck_assert_uint_eq (detector.streams[0].n_holes, TFRC_MAX_HOLES);
  /* Packet 159 - 2 * 63 = 33 is the oldest one kept; its position is one more. */
  ck_assert_uint_eq (next (31), TFRC_ARRIVAL_UNPROVEN);
  ck_assert_uint_eq (next (33), TFRC_ARRIVAL_REPAIRED);
  expect_repair (34);
}

END_TEST

/* One forged packet 2500 ahead: what comes next is in a hole that is lost after an RTT,
 * and 100 packets in a row from there (TFRC_MAX_MISORDER) are the stream. */
START_TEST (a_stream_goes_on_below_a_forged_number)
{
  uint16_t seq = 0, last, before = 0;

  setup ();
  while (seq < 100)
    next (++seq);
  ck_assert_uint_eq (receive (VIDEO, seq + 2500), TFRC_ARRIVAL_NEW);
  last = seq + 1 + RTT / (10 * MS) + TFRC_MAX_MISORDER + 1;
  while (seq < last) {
    next (++seq);
    count_losses ();
    if (detector.stream_resets == 0)
      before = seq;
  }
  ck_assert_uint_eq (next (++seq), TFRC_ARRIVAL_NEW);
  /* What is missing from there up to the forged 2600 was never sent. */
  ck_assert_uint_eq (detector.flow.packets_unsent, 2599 - before);
}

END_TEST
/* Of two paths the slower one is an RTT late: its packets come between those of the other,
 * and repair what was lost. */
START_TEST (what_comes_late_between_newer_packets_is_repaired)
{
  uint16_t seq = 0, late;

  setup ();
  while (seq < 100)
    next (++seq);
  late = seq;
  seq += 300;
  for (unsigned i = 0; i < 20; i++) {
    next (++seq);
    count_losses ();
  }
  for (unsigned i = 0; i < 150; i++) {
    ck_assert_uint_eq (next (++late), TFRC_ARRIVAL_REPAIRED);
    ck_assert_uint_eq (next (++seq), TFRC_ARRIVAL_NEW);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-loss-detector");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, third_later_packet_declares_the_loss);
  tcase_add_test (tcase, reordering_below_three_is_no_loss);
  tcase_add_test (tcase, a_late_packet_splits_its_hole);
  tcase_add_test (tcase, a_lost_hole_shrinks_from_both_ends_and_the_middle);
  tcase_add_test (tcase, duplicates_have_no_effect);
  tcase_add_test (tcase, older_than_the_first_packet_is_stale);
  tcase_add_test (tcase, nominal_times_lie_on_a_line);
  tcase_add_test (tcase, a_hole_across_the_wrap);
  tcase_add_test (tcase, loss_is_found_at_every_sequence_number);
  tcase_add_test (tcase, a_mark_is_a_loss_at_its_arrival);
  tcase_add_test (tcase, ssrcs_are_checked_apart_and_share_positions);
  tcase_add_test (tcase, a_sparse_stream_waits_for_the_flow_and_one_rtt);
  tcase_add_test (tcase, a_packet_after_one_rtt_declares_a_sparse_hole);
  tcase_add_test (tcase, without_an_rtt_only_the_ssrc_counts);
  tcase_add_test (tcase, outage_losses_lie_as_dense_as_the_packets_before);
  tcase_add_loop_test (tcase, a_short_silence_is_no_outage, 0,
      sizeof silences / sizeof silences[0]);
  tcase_add_test (tcase, a_jump_needs_a_second_packet);
  tcase_add_test (tcase, the_longest_dropout_is_a_hole);
  tcase_add_test (tcase, a_long_silence_makes_a_long_hole_plausible);
  tcase_add_test (tcase, a_stream_may_start_again_further_back);
  tcase_add_test (tcase, the_longest_silent_stream_makes_room);
  tcase_add_test (tcase, too_many_streams_leave_the_first_ones_checked);
  tcase_add_test (tcase, a_stream_that_leaves_loses_its_holes);
  tcase_add_test (tcase, old_holes_are_forgotten_one_by_one);
  tcase_add_test (tcase, a_stream_goes_on_below_a_forged_number);
  tcase_add_test (tcase, what_comes_late_between_newer_packets_is_repaired);
  return run_check_suite (suite);
}
