/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which streams may join a live flow. */
#include <check.h>

#include "check-suite.h"
#include "checks/tfrc-receiver.h"

#define US TFRC_MICROSECOND
#define VIDEO 0x1111
#define AUDIO 0x2222
#define RTT (100 * MS)
#define START (100 * TFRC_SECOND)
#define HALF (500 * MS)      /* so much silence ends a flow */
#define CLOCK_US 0xFFFFFF00u /* at START; wraps 256 us later */

static TfrcCheckedReceiver checked;

static void
start (void)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();

  tfrc_checked_receiver_init (&checked, &config,
      (TfrcReceiverChecks) { .report_delays = false });
}

static TfrcDataPacket
packet_of (uint16_t seq, TfrcDuration rtt, TfrcTime now)
{
  TfrcDataPacket packet = {
    .ssrc = VIDEO, .seq = seq, .size = 1000, .has_extension = true
  };

  packet.extension.rtt = rtt;
  packet.extension.send_time_us = CLOCK_US
      + (uint32_t) ((int64_t) (now - START) / (int64_t) US);
  return packet;
}

static TfrcResult
receive (uint16_t seq, TfrcDuration rtt, TfrcTime now)
{
  TfrcDataPacket packet = packet_of (seq, rtt, now);

  return tfrc_checked_receiver_on_packet (&checked, &packet, now);
}

/* A packet of a sender whose clock is `ahead` of the flow's. */
static bool
admits (int64_t ahead_us, TfrcTime now)
{
  TfrcDataPacket packet = packet_of (0, RTT, now);

  packet.ssrc = AUDIO;
  packet.extension.send_time_us += (uint32_t) ahead_us;
  return tfrc_checked_receiver_on_packet (&checked, &packet, now) == TFRC_OK;
}

static bool
admits_without_extension (TfrcTime now)
{
  TfrcDataPacket packet = { .ssrc = 3, .size = 1000 };

  return tfrc_checked_receiver_on_packet (&checked, &packet, now) == TFRC_OK;
}

START_TEST (anybody_may_begin)
{
  start ();
  ck_assert (admits_without_extension (START));
  start ();
  ck_assert (admits (1000000000, START));
}

END_TEST
/* 2 s either way, across the wrap of send timestamps. */
static const struct
{
  int64_t ahead_us;
  bool admitted;
} clocks[] = {
  { 0, true },
  { 2000000, true },
  { -2000000, true },
  { 2000001, false },
  { -2000001, false },
  { 0x7FFFFFFF, false },
  { 0x80000000, false },
};

START_TEST (a_stream_of_the_flows_clock_joins)
{
  start ();
  receive (0, RTT, START);
  ck_assert_int_eq (admits (clocks[_i].ahead_us, START + 499 * MS),
      clocks[_i].admitted);
}

END_TEST
START_TEST (a_stream_without_extensions_does_not_join)
{
  start ();
  receive (0, RTT, START);
  ck_assert (!admits_without_extension (START));
  ck_assert (!admits_without_extension (START + HALF - 1));
  ck_assert (admits_without_extension (START + HALF));
}

END_TEST
START_TEST (another_clock_may_follow_after_silence)
{
  start ();
  receive (0, RTT, START);
  ck_assert (!admits (3000000, START + HALF - 1));
  ck_assert (admits (3000000, START + HALF));
}

END_TEST
/* However many try, and however often. */
START_TEST (a_refusal_keeps_nobody_else_out)
{
  start ();
  receive (0, RTT, START);
  ck_assert (!admits (3000000, START));
  ck_assert (!admits_without_extension (START + 400 * MS));
  ck_assert (admits (0, START + 400 * MS));
}

END_TEST
/* With another clock, with holes, as fast as the flow: nothing of it counts. */
START_TEST (a_stranger_brings_no_losses)
{
  start ();
  receive (0, 100 * MS, 1000 * MS);
  for (uint16_t i = 1; i <= 100; i++) {
    TfrcTime now = (1000 + 10 * (TfrcTime) i) * MS;
    TfrcDataPacket packet = packet_of ((uint16_t) (5 * i), 100 * MS, now);

    ck_assert_int_eq (receive (i, 100 * MS, now), TFRC_OK);
    packet.ssrc = AUDIO;
    packet.extension.send_time_us += 3000000;
    ck_assert_int_eq (tfrc_checked_receiver_on_packet (&checked, &packet, now),
        TFRC_FOREIGN);
  }
  ck_assert_uint_eq (checked.packets_foreign, 100);
  ck_assert_uint_eq (
      tfrc_receiver_get_counters (&checked.receiver).packets_lost, 0);
  ck_assert_double_eq (checked.receiver.loss_event_rate, 0.0);
}

END_TEST
/* Every 50th packet of the flow is followed by a stray one without extension, or by
 * a forged one with another clock; audio starts with the next. */
START_TEST (stray_packets_keep_nobody_out)
{
  TfrcDataPacket audio = packet_of (0, 100 * MS, 1000 * MS);
  uint64_t n_strays = 0;

  start ();
  receive (0, 100 * MS, 1000 * MS);
  audio.ssrc = AUDIO;
  for (uint16_t i = 1; i < 3000; i++) {
    TfrcTime now = (1000 + 20 * (TfrcTime) i) * MS;

    ck_assert_int_eq (receive (i, 100 * MS, now), TFRC_OK);
    if (i % 50 == 1) {
      TfrcDataPacket stray = packet_of (i, 100 * MS, now);

      stray.ssrc = 0x6666 + i;
      stray.has_extension = _i == 1;
      stray.extension.send_time_us += 1000000000;
      ck_assert_int_eq (tfrc_checked_receiver_on_packet (&checked, &stray, now),
          TFRC_FOREIGN);
      n_strays++;
    }
    audio.seq = i;
    audio.extension.send_time_us =
        packet_of (i, 100 * MS, now).extension.send_time_us;
    ck_assert_int_eq (tfrc_checked_receiver_on_packet (&checked, &audio, now),
        TFRC_OK);
  }
  ck_assert_uint_eq (checked.packets_foreign, n_strays);
  ck_assert_uint_eq (
      tfrc_receiver_get_counters (&checked.receiver).packets_lost, 0);
}

END_TEST
/* The SSRC says BYE: the next sender need not wait for silence. */
START_TEST (a_flow_without_streams_is_open)
{
  TfrcDataPacket packet = packet_of (7, 0, 1003 * MS);

  start ();
  receive (0, 100 * MS, 1000 * MS);
  packet.ssrc = AUDIO;
  packet.extension.send_time_us += 3000000;
  ck_assert_int_eq (tfrc_checked_receiver_on_packet (&checked, &packet,
                        1001 * MS),
      TFRC_FOREIGN);
  ck_assert (!tfrc_checked_receiver_accepts_stream (&checked, AUDIO,
      1002 * MS));
  tfrc_checked_receiver_remove_stream (&checked, VIDEO);
  ck_assert (tfrc_checked_receiver_accepts_stream (&checked, AUDIO, 1002 * MS));
  ck_assert_int_eq (tfrc_checked_receiver_on_packet (&checked, &packet,
                        1003 * MS),
      TFRC_OK);
}

END_TEST
/* The next sender starts with a stream without extensions: the clock of the
 * previous one does not matter until an extension of the next one arrives. */
START_TEST (a_clock_that_has_left_binds_nobody)
{
  start ();
  receive (0, RTT, START);
  tfrc_checked_receiver_remove_stream (&checked, VIDEO);
  ck_assert (admits_without_extension (START + 10 * MS));
  ck_assert (admits (3000000, START + 20 * MS));
  ck_assert (!tfrc_checked_receiver_accepts_stream (&checked, VIDEO,
      START + 30 * MS));
}

END_TEST
/* A random origin, as for RTP timestamps (RFC 3550 section 5.1): a packet that took
 * no time. */
START_TEST (the_clock_that_is_told_has_an_offset)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();
  TfrcDataPacket packet = packet_of (0, RTT, START);
  TfrcFeedback feedback = { 0 };

  tfrc_checked_receiver_init (&checked, &config,
      (TfrcReceiverChecks) { .report_delays = true, .clock_offset_us = 4000 });
  packet.extension.send_time_us = (uint32_t) (START / US);
  tfrc_checked_receiver_on_packet (&checked, &packet, START);
  tfrc_checked_receiver_add_delay (&checked, &feedback);
  ck_assert (feedback.has_delay);
  ck_assert_uint_eq (feedback.delay.arrival_us, (uint32_t) (START / US) + 4000);
  ck_assert_uint_eq (feedback.delay.least_delay_us, 4000);
  ck_assert_uint_eq (feedback.delay.newest_delay_us, 4000);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("checks-receiver");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, anybody_may_begin);
  tcase_add_loop_test (tcase, a_stream_of_the_flows_clock_joins, 0,
      sizeof clocks / sizeof clocks[0]);
  tcase_add_test (tcase, a_stream_without_extensions_does_not_join);
  tcase_add_test (tcase, another_clock_may_follow_after_silence);
  tcase_add_test (tcase, a_refusal_keeps_nobody_else_out);
  tcase_add_test (tcase, a_stranger_brings_no_losses);
  tcase_add_loop_test (tcase, stray_packets_keep_nobody_out, 0, 2);
  tcase_add_test (tcase, a_flow_without_streams_is_open);
  tcase_add_test (tcase, a_clock_that_has_left_binds_nobody);
  tcase_add_test (tcase, the_clock_that_is_told_has_an_offset);
  return run_check_suite (suite);
}
