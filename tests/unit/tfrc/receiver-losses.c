/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the receiver handles losses, marks, late packets, restarts, several SSRCs and
 * anything else that a network may deliver. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "receiver-verbs.h"
#include "base/rng.h"

/* A flow with one loss event, at 1130 ms; the next sequence number is 14. */
static void
setup_with_loss (void)
{
  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  stream (1, 100 * MS, 10 * MS, 1000 * MS, 1090 * MS);
  stream (11, 100 * MS, 10 * MS, 1100 * MS, 1130 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 1);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
}

/* Timers that expire earlier are served first. */
static void
receive_packet (const TfrcDataPacket *packet, TfrcTime now)
{
  while (tfrc_receiver_next_deadline (&receiver) < now) {
    TfrcTime deadline = tfrc_receiver_next_deadline (&receiver);

    tfrc_receiver_on_deadline (&receiver, deadline);
    tfrc_receiver_poll_feedback (&receiver, &feedback, deadline);
  }
  ck_assert_int_eq (tfrc_receiver_on_packet (&receiver, packet, now), TFRC_OK);
  tfrc_receiver_poll_feedback (&receiver, &feedback, now);
}

/* `n` packets of `size` in `window` give X_recv; and the first loss interval for
 * it, computed independently from the equation: 10, 6.25, 40, 10 and 68.493 packets
 * per RTT.  For Reno the last would be 3145.46: its p is below 0.55 R^3 = 5.5e-4. */
static const struct
{
  uint32_t size;
  TfrcDuration rtt, window;
  uint32_t n;
  double interval;
} firsts[] = {
  { 1460, 100 * MS, 100 * MS, 10, 82.150938 },
  { 1000, 50 * MS, 200 * MS, 25, 39.543168 },
  { 1460, 100 * MS, 250 * MS, 100, 1084.445521 },
  { 1200, 200 * MS, 200 * MS, 10, 82.150938 },
  { 1460, 100 * MS, 146 * MS, 100, 2625.703300 },
};

#define N_FIRSTS ((int) (sizeof firsts / sizeof firsts[0]))

START_TEST (first_interval_follows_from_the_largest_receive_rate)
{
  TfrcTime now = 1000 * MS;
  TfrcDataPacket packet = packet_of (0, firsts[_i].rtt, now);

  setup ();
  packet.size = firsts[_i].size;
  tfrc_receiver_on_packet (&receiver, &packet, now);
  expect_report (now);
  for (uint32_t i = 1; i <= firsts[_i].n; i++) {
    packet.seq++;
    tfrc_receiver_on_packet (&receiver, &packet,
        now + i * firsts[_i].window / firsts[_i].n);
  }
  /* The timer is served late: the window is the time that actually passed. */
  now += firsts[_i].window;
  tfrc_receiver_on_deadline (&receiver, now);
  expect_report (now);
  ck_assert_double_eq_tol (feedback.receive_rate,
      firsts[_i].n * firsts[_i].size
          / tfrc_duration_to_seconds (firsts[_i].window),
      1e-6);
  /* X_recv decreases afterwards; its maximum counts. */
  packet.seq++;
  tfrc_receiver_on_packet (&receiver, &packet, now + 1);
  now += 2 * firsts[_i].rtt;
  tfrc_receiver_on_deadline (&receiver, now);
  expect_report (now);
  ck_assert_double_eq (feedback.loss_event_rate, 0.0);

  packet.seq++;
  for (int i = 0; i < 3; i++) {
    packet.seq++;
    tfrc_receiver_on_packet (&receiver, &packet, now + 1);
  }
  expect_report (now + 1);
  ck_assert_double_eq_tol (1.0 / feedback.loss_event_rate, firsts[_i].interval,
      1e-6);
}

END_TEST
/* 20,000 packets of one size and 1000 of another, always 10 per RTT.  X_recv is
 * that of the last seconds, and s in the equation is the largest packet: 10 per RTT
 * are 82 packets per loss, and if each is a sixth of that size, 9.6. */
static const struct
{
  uint32_t before, after;
  double interval;
} sizes[] = {
  { 200, 1200, 82.150938 },
  { 1200, 200, 9.556740 },
  { 1200, 1200, 82.150938 },
};

START_TEST (the_first_interval_is_by_the_packets_of_the_largest_receive_rate)
{
  TfrcTime now = 1000 * MS;
  TfrcDataPacket packet = packet_of (0, 100 * MS, now);

  setup ();
  for (unsigned i = 0; i < 21000; i++) {
    packet.size = i < 20000 ? sizes[_i].before : sizes[_i].after;
    receive_packet (&packet, now);
    packet.seq++;
    now += 10 * MS;
  }
  for (unsigned i = 0; i < 3; i++) {
    packet.seq++;
    receive_packet (&packet, now++);
  }
  ck_assert_double_eq_tol (1.0 / feedback.loss_event_rate, sizes[_i].interval,
      1e-5);
}

END_TEST
/* Every other packet is half as large as the one before: 10 of 900 bytes on average
 * in an RTT of 100 ms are 90000 bytes/s, which a sender with s = 1200 has to
 * calculate. */
START_TEST (the_first_interval_is_by_the_largest_packets_where_the_rate_is)
{
  TfrcTime now = 1000 * MS;
  TfrcDataPacket packet = packet_of (0, 100 * MS, now);
  TfrcPath path = tfrc_path_rfc5348 (1200.0, 100 * MS);

  setup ();
  for (unsigned i = 0; i < 2000; i++) {
    packet.size = i % 2 == 0 ? 1200 : 600;
    receive_packet (&packet, now);
    packet.seq++;
    now += 10 * MS;
  }
  for (unsigned i = 0; i < 3; i++) {
    packet.seq++;
    receive_packet (&packet, now++);
  }
  path.tcp = TFRC_TCP_CUBIC;
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, feedback.loss_event_rate),
      90000.0, 90.0);
}

END_TEST
START_TEST (first_packet_marked_stands_for_half_a_packet_per_rtt)
{
  TfrcDataPacket packet = packet_of (0, 100 * MS, 1000 * MS);

  setup ();
  packet.congestion_marked = true;
  tfrc_receiver_on_packet (&receiver, &packet, 1000 * MS);
  expect_report (1000 * MS);
  ck_assert_double_eq_tol (1.0 / feedback.loss_event_rate, 4.844283, 1e-6);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_marked, 1);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 0);
}

END_TEST
START_TEST (a_loss_before_any_receive_rate_does_too)
{
  const TfrcDuration rtts[] = { 0, 20 * MS, 500 * MS };

  for (size_t i = 0; i < 3; i++) {
    setup ();
    receive (0, rtts[i], 1000 * MS);
    expect_report (1000 * MS);
    receive (2, rtts[i], 1000 * MS);
    receive (3, rtts[i], 1000 * MS);
    tfrc_receiver_poll_feedback (&receiver, &feedback, 1000 * MS);
    receive (4, rtts[i], 1000 * MS);
    expect_report (1000 * MS);
    ck_assert_double_eq_tol (1.0 / feedback.loss_event_rate, 4.844283, 1e-6);
  }
}

END_TEST
START_TEST (a_late_packet_takes_its_loss_back_at_once)
{
  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  receive (2, 100 * MS, 1010 * MS);
  receive (3, 100 * MS, 1020 * MS);
  receive (4, 100 * MS, 1030 * MS);
  expect_report (1030 * MS);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
  ck_assert_int_eq (receive (1, 100 * MS, 1040 * MS), TFRC_OK);
  expect_report (1040 * MS);
  ck_assert_double_eq (feedback.loss_event_rate, 0.0);
  /* The echo is the newest packet, not the late one. */
  ck_assert_uint_eq (feedback.echo_time_us, 1030000);
  ck_assert_uint_eq (feedback.echo_delay, 10 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 0);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_late, 1);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 0);
  expect_deadline (1140 * MS);
}

END_TEST
/* A forged packet is 2500 ahead.  The 100 packets that follow it take their losses back
 * one by one, and the next one those of numbers that no packet had. */
START_TEST (numbers_below_a_forged_one_are_not_lost)
{
  uint16_t seq;

  setup ();
  seq = stream (0, 100 * MS, 10 * MS, 1000 * MS, 2000 * MS);
  receive (seq + 2500, 100 * MS, 2001 * MS);
  seq = stream (seq, 100 * MS, 10 * MS, 2010 * MS, 2500 * MS);
  ck_assert_uint_gt (tfrc_receiver_get_counters (&receiver).packets_lost, 2400);
  seq = stream (seq, 100 * MS, 10 * MS, 2500 * MS, 4000 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 0);
  /* Nor when the sender starts anew. */
  receive (seq, 0, 4000 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 0);
}

END_TEST
START_TEST (a_mark_is_reported_at_its_arrival)
{
  TfrcDataPacket packet = packet_of (1, 100 * MS, 1010 * MS);

  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  packet.congestion_marked = true;
  tfrc_receiver_on_packet (&receiver, &packet, 1010 * MS);
  expect_report (1010 * MS);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
}

END_TEST
START_TEST (sparse_audio_beside_dense_video)
{
  TfrcDataPacket audio = packet_of (1, 100 * MS, 1000 * MS);
  uint16_t seq;

  setup ();
  audio.ssrc = AUDIO;
  audio.size = 100;
  tfrc_receiver_on_packet (&receiver, &audio, 1000 * MS);
  expect_report (1000 * MS);
  seq = stream (100, 100 * MS, 10 * MS, 1000 * MS, 1200 * MS);
  /* Audio 2 is missing; three later packets of the flow have arrived by 1230 ms,
   * and one RTT has passed at 1310 ms. */
  audio.seq = 3;
  tfrc_receiver_on_packet (&receiver, &audio, 1210 * MS);
  seq = stream (seq, 100 * MS, 10 * MS, 1210 * MS, 1300 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 0);
  stream (seq, 100 * MS, 10 * MS, 1300 * MS, 1310 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 1);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
  ck_assert_uint_eq (feedback.media_ssrc, VIDEO);
  /* X_recv is that of both. */
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).bytes,
      30 * SIZE + 200);
}

END_TEST
/* Streams in turn, none with a number that has a common divisor with 50, and every
 * fiftieth packet is lost: that is 1/50 of each stream, and of any subset of them. */
static const uint32_t stream_counts[] = { 1, 21, TFRC_MAX_STREAMS - 1,
  2 * TFRC_MAX_STREAMS + 1 };

START_TEST (any_number_of_streams_has_the_loss_event_rate_of_one)
{
  TfrcTime now = 1000 * MS;

  setup ();
  for (uint32_t i = 0; i < 100000; i++) {
    TfrcDataPacket packet = packet_of ((uint16_t) (i / stream_counts[_i]),
        10 * MS, now);

    packet.ssrc = i % stream_counts[_i];
    if (i % 50 != 25)
      receive_packet (&packet, now);
    now += MS;
  }
  ck_assert_double_eq_tol (1.0 / feedback.loss_event_rate, 50.0, 5.0);
}

END_TEST
START_TEST (a_stream_that_leaves_gives_its_losses_up)
{
  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  receive (2, 100 * MS, 1010 * MS);
  expect_silence (1010 * MS);
  tfrc_receiver_remove_stream (&receiver, VIDEO);
  expect_report (1010 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 1);
}

END_TEST
START_TEST (a_restarted_sender_starts_a_new_history)
{
  setup_with_loss ();
  receive (14, 0, 1140 * MS);
  expect_report (1140 * MS);
  ck_assert_double_eq (feedback.loss_event_rate, 0.0);
  ck_assert_double_eq (feedback.receive_rate, 0.0);
  expect_deadline (TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).sender_restarts, 1);
  /* Counters go on. */
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 1);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets, 14);
  /* Its second packet without an RTT is not a second restart, and missing packets
   * between both count in the new history. */
  receive (15, 0, 1150 * MS);
  expect_report (1150 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).sender_restarts, 1);
  /* The hole before the restart is not counted as lost. */
  receive (16, 100 * MS, 1160 * MS);
  receive (17, 100 * MS, 1170 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 1);
}

END_TEST
START_TEST (a_restart_under_another_ssrc)
{
  TfrcDataPacket packet = packet_of (4000, 0, 1140 * MS);

  setup_with_loss ();
  packet.ssrc = AUDIO;
  tfrc_receiver_on_packet (&receiver, &packet, 1140 * MS);
  expect_report (1140 * MS);
  ck_assert_uint_eq (feedback.media_ssrc, AUDIO);
  ck_assert_double_eq (feedback.loss_event_rate, 0.0);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).sender_restarts, 1);
}

END_TEST
/* Like a_restarted_sender, but the next packet carries an RTT. */
START_TEST (a_forgotten_flow_starts_a_new_history)
{
  setup_with_loss ();
  tfrc_receiver_forget (&receiver);
  expect_deadline (TFRC_TIME_NONE);
  receive (1000, 100 * MS, 1140 * MS);
  expect_report (1140 * MS);
  ck_assert_double_eq (feedback.loss_event_rate, 0.0);
  ck_assert_double_eq (feedback.receive_rate, 0.0);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).sender_restarts, 0);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 1);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 1);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets, 14);
}

END_TEST
START_TEST (an_older_packet_without_rtt_is_no_restart)
{
  setup_with_loss ();
  /* Duplicates, late packets, and packets far off. */
  ck_assert_int_eq (receive (13, 0, 1140 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (receive (10, 0, 1140 * MS), TFRC_OK);
  ck_assert_int_eq (receive (40000, 0, 1140 * MS), TFRC_INVALID);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).sender_restarts, 0);
  ck_assert_uint_eq (receiver.rtt, 100 * MS);
}

END_TEST
START_TEST (another_ssrc_continues_the_history)
{
  TfrcDataPacket packet = packet_of (4000, 100 * MS, 1140 * MS);

  setup_with_loss ();
  packet.ssrc = AUDIO;
  tfrc_receiver_on_packet (&receiver, &packet, 1140 * MS);
  expect_silence (1140 * MS);
  tfrc_receiver_on_deadline (&receiver,
      tfrc_receiver_next_deadline (&receiver));
  ck_assert (tfrc_receiver_poll_feedback (&receiver, &feedback, 1240 * MS));
  ck_assert_uint_eq (feedback.media_ssrc, AUDIO);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 1);
}

END_TEST
START_TEST (packets_without_extension_count_for_sequence_and_rate_only)
{
  TfrcDataPacket packet = packet_of (0, 0, 0);

  setup ();
  packet.has_extension = false;
  tfrc_receiver_on_packet (&receiver, &packet, 990 * MS);
  /* Nothing to echo, nothing to report. */
  expect_silence (990 * MS);
  receive (1, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  packet.seq = 2;
  tfrc_receiver_on_packet (&receiver, &packet, 1050 * MS);
  /* Since the last report only data without an extension: no report with an old
   * echo. */
  tfrc_receiver_on_deadline (&receiver, 1100 * MS);
  expect_silence (1100 * MS);
  receive (3, 100 * MS, 1140 * MS);
  expect_report (1140 * MS);
  ck_assert_uint_eq (feedback.echo_time_us, 1140000);
  /* Both packets in (1040, 1140]. */
  ck_assert_double_eq_tol (feedback.receive_rate, 20000.0, 1e-6);
  ck_assert_uint_eq (
      tfrc_receiver_get_counters (&receiver).packets_without_extension, 2);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 0);
}

END_TEST
START_TEST (refused_packets_are_counted_and_change_nothing)
{
  TfrcReceiverCounters counters;

  setup ();
  receive (1000, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  ck_assert_int_eq (receive (1000, 0, 1010 * MS), TFRC_DUPLICATE);
  ck_assert_int_eq (receive (990, 0, 1020 * MS), TFRC_STALE);
  ck_assert_int_eq (receive (20000, 900 * MS, 1030 * MS), TFRC_INVALID);
  counters = tfrc_receiver_get_counters (&receiver);
  ck_assert_uint_eq (counters.packets, 1);
  ck_assert_uint_eq (counters.bytes, SIZE);
  ck_assert_uint_eq (counters.packets_duplicate, 1);
  ck_assert_uint_eq (counters.packets_late, 1);
  ck_assert_uint_eq (counters.packets_unproven, 1);
  tfrc_receiver_on_deadline (&receiver, 1100 * MS);
  expect_silence (1100 * MS);
  ck_assert_uint_eq (receiver.rtt, 100 * MS);
  /* The second packet in a row confirms the jump. */
  ck_assert_int_eq (receive (20001, 100 * MS, 1110 * MS), TFRC_OK);
  expect_report (1110 * MS);
  counters = tfrc_receiver_get_counters (&receiver);
  ck_assert_uint_eq (counters.stream_resets, 1);
  ck_assert_uint_eq (counters.packets_lost, 0);
}

END_TEST
START_TEST (an_outage_is_few_loss_events)
{
  const TfrcDuration rtt = 150 * MS;
  uint16_t seq;

  setup ();
  receive (0, rtt, 1000 * MS);
  seq = stream (1, rtt, 5 * MS, 1000 * MS, 3000 * MS);
  /* 5 s of silence, 250 packets lost.  Placed as densely as before, 5 ms apart,
   * every 31st lies more than 150 ms after the start of its event: 250 / 31 = 8.06,
   * 9 events.  Spread over 5 s they would lie 19.9 ms apart, 8 per event, 32
   * events. */
  stream ((uint16_t) (seq + 250), rtt, 5 * MS, 8000 * MS, 8015 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 250);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 9);
}

END_TEST
START_TEST (trace_shows_the_receiver)
{
  TfrcTrace trace = { .allowed_rate = 7.0 };

  setup_with_loss ();
  tfrc_receiver_get_trace (&receiver, &trace, 1131 * MS);
  ck_assert_uint_eq (trace.at, 1131 * MS);
  ck_assert_uint_eq (trace.rtt, 100 * MS);
  ck_assert_uint_eq (trace.packets, 13);
  ck_assert_uint_eq (trace.bytes, 13 * SIZE);
  ck_assert_uint_eq (trace.packets_lost, 1);
  ck_assert_uint_eq (trace.loss_events, 1);
  ck_assert_double_eq (trace.segment_size, SIZE);
  ck_assert_double_eq (trace.loss_event_rate, feedback.loss_event_rate);
  ck_assert_double_eq (trace.discount, 1.0);
  ck_assert_double_eq (trace.receive_rate, feedback.receive_rate);
  /* Columns of the sender are left alone. */
  ck_assert_double_eq (trace.allowed_rate, 7.0);
}

END_TEST
/* Anything a network may deliver, with every RTT from 0 to 16.7 s. */
START_TEST (absurd_input_breaks_no_rule)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();
  TfrcRng rng;
  TfrcTime now = 0;
  /* Regrouping costs n^2 per loss. */
  int n_packets = _i < 5 ? 10000 : 2000;

  tfrc_rng_init (&rng, 20, (uint64_t) _i);
  config.history_length = 1U << (1 + _i);
  tfrc_receiver_init (&receiver, &config);
  for (int i = 0; i < n_packets; i++) {
    TfrcDataPacket packet = packet_of ((uint16_t) i, 0, now);
    uint32_t kind = tfrc_rng_next (&rng) % 16;

    packet.ssrc = kind == 0 ? tfrc_rng_next (&rng) % 20 : 1;
    packet.size = tfrc_rng_next (&rng) % 4 == 0 ? 0 : tfrc_rng_next (&rng);
    packet.congestion_marked = tfrc_rng_next (&rng) % 64 == 0;
    packet.has_extension = tfrc_rng_next (&rng) % 8 != 0;
    packet.extension.rtt = (tfrc_rng_next (&rng) >> tfrc_rng_next (&rng) % 32)
        * US;
    if (packet.extension.rtt > 16777215 * US)
      packet.extension.rtt = 16777215 * US;
    if (kind < 4)
      packet.seq = (uint16_t) (i + (int) (tfrc_rng_next (&rng) % 64) - 32);
    else if (kind == 4)
      packet.seq = (uint16_t) tfrc_rng_next (&rng);
    now += (TfrcTime) tfrc_rng_next (&rng) >> tfrc_rng_next (&rng) % 32;

    tfrc_receiver_on_packet (&receiver, &packet, now);
    if (tfrc_receiver_next_deadline (&receiver) <= now) {
      tfrc_receiver_on_deadline (&receiver, now);
      ck_assert_uint_gt (tfrc_receiver_next_deadline (&receiver), now);
    }
    if (tfrc_receiver_poll_feedback (&receiver, &feedback, now)) {
      ck_assert (feedback.loss_event_rate >= 0.0);
      ck_assert (feedback.loss_event_rate <= 1.0);
      ck_assert (feedback.receive_rate >= 0.0);
      ck_assert (isfinite (feedback.receive_rate));
    }
    ck_assert_uint_le (receiver.detector.n_streams, TFRC_MAX_STREAMS);
    ck_assert_uint_le (receiver.history.n_records, TFRC_MAX_LOSS_RUNS);
    for (uint32_t s = 0; s < receiver.detector.n_streams; s++)
      ck_assert_uint_le (receiver.detector.streams[s].n_holes
              - receiver.detector.streams[s].n_lost,
          TFRC_MAX_WAITING);
  }
  ck_assert_uint_gt (tfrc_receiver_get_counters (&receiver).loss_events, 100);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-receiver-losses");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      first_interval_follows_from_the_largest_receive_rate, 0, N_FIRSTS);
  tcase_add_loop_test (tcase,
      the_first_interval_is_by_the_packets_of_the_largest_receive_rate, 0,
      sizeof sizes / sizeof sizes[0]);
  tcase_add_test (tcase,
      the_first_interval_is_by_the_largest_packets_where_the_rate_is);
  tcase_add_test (tcase, first_packet_marked_stands_for_half_a_packet_per_rtt);
  tcase_add_test (tcase, a_loss_before_any_receive_rate_does_too);
  tcase_add_test (tcase, a_late_packet_takes_its_loss_back_at_once);
  tcase_add_test (tcase, numbers_below_a_forged_one_are_not_lost);
  tcase_add_test (tcase, a_mark_is_reported_at_its_arrival);
  tcase_add_test (tcase, sparse_audio_beside_dense_video);
  tcase_add_loop_test (tcase,
      any_number_of_streams_has_the_loss_event_rate_of_one, 0,
      sizeof stream_counts / sizeof stream_counts[0]);
  tcase_add_test (tcase, a_stream_that_leaves_gives_its_losses_up);
  tcase_add_test (tcase, a_restarted_sender_starts_a_new_history);
  tcase_add_test (tcase, a_restart_under_another_ssrc);
  tcase_add_test (tcase, a_forgotten_flow_starts_a_new_history);
  tcase_add_test (tcase, an_older_packet_without_rtt_is_no_restart);
  tcase_add_test (tcase, another_ssrc_continues_the_history);
  tcase_add_test (tcase,
      packets_without_extension_count_for_sequence_and_rate_only);
  tcase_add_test (tcase, refused_packets_are_counted_and_change_nothing);
  tcase_add_test (tcase, an_outage_is_few_loss_events);
  tcase_add_test (tcase, trace_shows_the_receiver);
  tcase_add_loop_test (tcase, absurd_input_breaks_no_rule, 0, 8);
  return run_check_suite (suite);
}
