/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One-way delays that come with the feedback, and what delay-target makes of
 * them. */
#include "send/fixture.h"

#include <math.h>

#include "tfrc-wire.h"

#define TARGET_MS 20
#define REPORT_SIZE (TFRC_WIRE_FEEDBACK_SIZE + TFRC_WIRE_DELAY_SIZE)

/* A report on `packet` that came at once. */
static void
make_report (guint8 data[REPORT_SIZE], const SendPacket *packet,
    TfrcRate receive_rate, const TfrcDelayReport *delay, guint32 reporter_ssrc)
{
  const TfrcFeedback feedback = {
    .media_ssrc = SSRC,
    .echo_time_us = packet->extension.send_time_us,
    .receive_rate = receive_rate,
  };

  tfrc_wire_write_feedback (data, &feedback, RECEIVER_SSRC);
  tfrc_wire_write_delay (data + TFRC_WIRE_FEEDBACK_SIZE, delay, reporter_ssrc);
}

/* Starts the flow of an element that is there, and makes a report on its second
 * packet. */
static void
go_on_with_report (SendFixture *f, guint8 data[REPORT_SIZE],
    guint32 reporter_ssrc)
{
  const TfrcDelayReport delay = { .bytes = 2 * PACKET_SIZE };
  SendPacket packet;

  send_fixture_start (f, VIDEO_CAPS);
  send_fixture_start_flow (f);
  send_fixture_push_packets (f, 1);
  packet = send_fixture_pull_packet (f);
  send_fixture_run_until (f, START + 2 * RTT);
  make_report (data, &packet, PACKET_SIZE, &delay, reporter_ssrc);
}

static void
start_with_report (SendFixture *f, guint8 data[REPORT_SIZE],
    guint32 reporter_ssrc)
{
  send_fixture_init (f);
  go_on_with_report (f, data, reporter_ssrc);
}

GST_START_TEST (delays_are_taken_with_their_feedback)
{
  guint8 report[REPORT_SIZE];
  SendFixture f;

  start_with_report (&f, report, RECEIVER_SSRC);
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-reports"), 0);
  send_fixture_push_rtcp (&f, report, sizeof report);
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-reports"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 2);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Without feedback in front of it, or behind that of somebody else, it may be for
 * another sender behind us. */
GST_START_TEST (delays_that_belong_to_no_feedback_pass)
{
  guint8 report[REPORT_SIZE];
  SendFixture f;

  start_with_report (&f, report, RECEIVER_SSRC + 1);
  send_fixture_push_rtcp (&f, report, sizeof report);
  send_fixture_push_rtcp (&f, report + TFRC_WIRE_FEEDBACK_SIZE,
      TFRC_WIRE_DELAY_SIZE);
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-reports"), 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 2);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *rest = gst_harness_pull (f.rtcp);

    assert_equals_int (gst_buffer_get_size (rest), TFRC_WIRE_DELAY_SIZE);
    fail_unless (gst_buffer_memcmp (rest, 0, report + TFRC_WIRE_FEEDBACK_SIZE,
                     TFRC_WIRE_DELAY_SIZE)
        == 0);
    gst_buffer_unref (rest);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Of a receiver that reports on somebody else's packets, too. */
GST_START_TEST (delays_behind_foreign_feedback_pass)
{
  const TfrcFeedback foreign = { .media_ssrc = SSRC + 1 };
  guint8 report[REPORT_SIZE];
  guint8 data[REPORT_SIZE + TFRC_WIRE_FEEDBACK_SIZE];
  GstBuffer *rest;
  SendFixture f;

  start_with_report (&f, report, RECEIVER_SSRC);
  memcpy (data, report, TFRC_WIRE_FEEDBACK_SIZE);
  tfrc_wire_write_feedback (data + TFRC_WIRE_FEEDBACK_SIZE, &foreign,
      RECEIVER_SSRC);
  memcpy (data + 2 * TFRC_WIRE_FEEDBACK_SIZE, report + TFRC_WIRE_FEEDBACK_SIZE,
      TFRC_WIRE_DELAY_SIZE);
  send_fixture_push_rtcp (&f, data, sizeof data);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-reports"), 0);
  rest = gst_harness_pull (f.rtcp);
  assert_equals_int (gst_buffer_get_size (rest), REPORT_SIZE);
  gst_buffer_unref (rest);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Seven that echo nothing, one that is right, and in the ninth place another. */
GST_START_TEST (delays_go_with_the_feedback_in_excess)
{
  const TfrcFeedback wrong = { .media_ssrc = SSRC };
  guint8 report[REPORT_SIZE];
  guint8 data[8 * TFRC_WIRE_FEEDBACK_SIZE + REPORT_SIZE];
  SendFixture f;

  start_with_report (&f, report, RECEIVER_SSRC);
  for (guint i = 0; i < 7; i++)
    tfrc_wire_write_feedback (data + i * TFRC_WIRE_FEEDBACK_SIZE, &wrong,
        RECEIVER_SSRC);
  memcpy (data + 7 * TFRC_WIRE_FEEDBACK_SIZE, report, TFRC_WIRE_FEEDBACK_SIZE);
  memcpy (data + 8 * TFRC_WIRE_FEEDBACK_SIZE, report, REPORT_SIZE);
  send_fixture_push_rtcp (&f, data, sizeof data);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-excess"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-reports"), 0);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The feedback in front of it counts all the same. */
GST_START_TEST (delays_of_another_length_are_dropped_and_counted)
{
  guint8 report[REPORT_SIZE];
  SendFixture f;

  start_with_report (&f, report, RECEIVER_SSRC);
  report[TFRC_WIRE_FEEDBACK_SIZE + 3]--;
  send_fixture_push_rtcp (&f, report, sizeof report - 4);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-malformed"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-reports"), 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 2);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (delay_is_controlled_unless_it_is_turned_off)
{
  guint8 report[REPORT_SIZE];
  SendFixture f;

  send_fixture_init (&f);
  if (__i__ == 1)
    g_object_set (f.element, "delay-target", 0, NULL);
  go_on_with_report (&f, report, RECEIVER_SSRC);
  send_fixture_push_rtcp (&f, report, sizeof report);
  fail_unless ((send_fixture_get_stat (&f, "queue-target-ns") > 0)
      == (__i__ == 0));
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Ten reports of packets that arrived at once, then ten of packets that waited for
 * 10, 20 .. 100 ms.  No packet is lost, so X does not fall, but what is sent does,
 * where there is a target.  The receiver's clock began with the sender's. */
GST_START_TEST (a_growing_queue_bounds_what_is_sent)
{
  guint32 bytes = 0;
  guint bitrate;
  SendFixture f;

  send_fixture_init (&f);
  g_object_set (f.element, "delay-target", __i__ * 20, NULL);
  send_fixture_start (&f, VIDEO_CAPS);
  for (guint i = 0; i < 20; i++) {
    const TfrcDuration queue = i < 10 ? 0 : (i - 9) * 10 * TFRC_MILLISECOND;
    const guint32 delay_us = (guint32) (queue / TFRC_MICROSECOND);
    guint8 report[REPORT_SIZE];
    TfrcDelayReport delay;
    SendPacket packet;
    TfrcTime sent_at;

    send_fixture_push_packets (&f, 1);
    packet = send_fixture_pull_packet (&f);
    sent_at = gst_clock_get_time (GST_CLOCK (f.clock));
    bytes += PACKET_SIZE;
    delay = (TfrcDelayReport) { delay_us, delay_us,
      packet.extension.send_time_us + delay_us, bytes };
    send_fixture_run_until (&f, sent_at + RTT + queue);
    make_report (report, &packet, tfrc_rate_of (PACKET_SIZE, RTT), &delay,
        RECEIVER_SSRC);
    send_fixture_push_rtcp (&f, report, sizeof report);
  }
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-reports"), 20);
  /* The thread that sends tells. */
  send_fixture_run_until (&f, gst_clock_get_time (GST_CLOCK (f.clock)) + RTT);
  g_object_get (f.element, "bitrate", &bitrate, NULL);
  if (__i__ == 0) {
    fail_unless (isinf (send_fixture_get_rate (&f, "send-limit")));
  } else {
    fail_unless (2 * send_fixture_get_rate (&f, "send-limit")
        < send_fixture_get_rate (&f, "allowed-rate"));
    /* In bits/s, and told when it moves by more than a hundredth. */
    fail_unless (fabs (bitrate / 8.0 / send_fixture_get_rate (&f, "send-limit")
                     - 1)
        < 0.02);
  }
  fail_unless ((send_fixture_get_stat (&f, "queue-delay-ns") > 0)
      == (__i__ > 0));
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
delay_suite (void)
{
  Suite *suite = suite_create ("send-delay");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, delays_are_taken_with_their_feedback);
  tcase_add_test (tc, delays_that_belong_to_no_feedback_pass);
  tcase_add_test (tc, delays_behind_foreign_feedback_pass);
  tcase_add_test (tc, delays_go_with_the_feedback_in_excess);
  tcase_add_test (tc, delays_of_another_length_are_dropped_and_counted);
  tcase_add_loop_test (tc, delay_is_controlled_unless_it_is_turned_off, 0, 2);
  tcase_add_loop_test (tc, a_growing_queue_bounds_what_is_sent, 0, 2);
  return suite;
}

GST_CHECK_MAIN (delay);
