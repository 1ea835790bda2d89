/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcreceive makes of the ECN bits that came with packets. */

#include "receive/fixture.h"

#include <gst/net/net.h>
#include <netinet/in.h>

#include "tfrc-wire.h"

/* As GLib makes the message for any source that asked for IP_RECVTOS. */
static void
push_packet (Fixture *self, TfrcEcnCodepoint ecn)
{
  guint8 tos = ecn;
  GSocketControlMessage *message =
      g_socket_control_message_deserialize (IPPROTO_IP, IP_TOS, 1, &tos);
  GstBuffer *buffer = fixture_make_packet (self);

  gst_buffer_add_net_control_message_meta (buffer, message);
  g_object_unref (message);
  fail_unless_equals_int (gst_harness_push (self->rtp, buffer), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (self->rtp));
}

/* Takes the next report; the number of summaries in the XR behind it. */
static gsize
pull_report (Fixture *self, TfrcFeedback *feedback, TfrcEcnSummary *summaries)
{
  GstBuffer *report = gst_harness_pull (self->rtcp);
  GstMapInfo map;
  uint32_t ssrc;
  size_t size;
  bool alone;
  gsize n;

  gst_buffer_map (report, &map, GST_MAP_READ);
  fail_unless_equals_int (tfrc_wire_read_rtcp (map.data, map.size, &size,
                              feedback, &ssrc),
      TFRC_WIRE_FEEDBACK);
  size += TFRC_WIRE_DELAY_SIZE;
  n = tfrc_wire_read_ecn (map.data + size, map.size - size, summaries, &alone);
  fail_unless_equals_int (alone, n > 0);
  gst_buffer_unmap (report, &map);
  gst_buffer_unref (report);
  return n;
}

/* RFC 5348 section 5.1: a marked packet is a loss event at its arrival, and
 * section 6.2: that is reported at once.  No sequence number is missing. */
GST_START_TEST (a_mark_is_reported_as_a_loss_event)
{
  TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS];
  TfrcFeedback feedback;
  Fixture self;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  for (i = 0; i < 20; i++) {
    push_packet (&self, TFRC_ECN_ECT_0);
    fixture_advance_to (&self, fixture_get_time (&self) + 4 * TFRC_MILLISECOND);
  }
  pull_report (&self, &feedback, summaries);
  fail_unless_equals_float (feedback.loss_event_rate, 0.0);

  push_packet (&self, TFRC_ECN_CE);
  /* Those of the timer may be in front of it; time stands still now. */
  do
    pull_report (&self, &feedback, summaries);
  while (!(feedback.loss_event_rate > 0.0));
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-marked"), 1);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-lost"), 0);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "loss-events"), 1);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "ecn-ce"), 1);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "ecn-ect-0"), 20);
  fixture_clear (&self);
}

GST_END_TEST;

/* RFC 9331: it is the sender's to answer that, so each report tells. */
GST_START_TEST (a_mark_of_ect_1_is_no_loss_and_told_at_once)
{
  TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS];
  TfrcFeedback feedback;
  Fixture self;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  for (i = 0; i <= 10; i++) {
    if (i > 0)
      fixture_advance_to (&self, TFRC_SECOND + i * RTT - 1000);
    push_packet (&self, i % 2 == 0 ? TFRC_ECN_ECT_1 : TFRC_ECN_CE);
    if (i > 0)
      fixture_crank (&self);
    fail_unless_equals_int (pull_report (&self, &feedback, summaries), 1);
    fail_unless_equals_float (feedback.loss_event_rate, 0.0);
    fail_unless_equals_int (summaries[0].ce, (i + 1) / 2);
  }
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-marked"), 0);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "ecn-ect-1"), 6);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "ecn-ce"), 5);
  fixture_clear (&self);
}

GST_END_TEST;

/* RFC 6679 section 7.2: the first report tells; then one in 500 ms does.  An
 * RTT is 20 ms, so the reports at 1.0 and 1.5 s have one, and the 24 between none. */
GST_START_TEST (summaries_go_with_reports)
{
  TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS];
  TfrcFeedback feedback;
  Fixture self;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  for (i = 0; i <= 25; i++) {
    if (i > 0)
      fixture_advance_to (&self, TFRC_SECOND + i * RTT - 1000);
    push_packet (&self, i == 2 ? TFRC_ECN_NOT_ECT : TFRC_ECN_ECT_0);
    if (i > 0)
      fixture_crank (&self);
    fail_unless_equals_int (pull_report (&self, &feedback, summaries),
        i % 25 == 0 ? 1 : 0);
  }
  fail_unless_equals_int_hex (summaries[0].media_ssrc, VIDEO_SSRC);
  fail_unless_equals_int (summaries[0].ect_0, 25);
  fail_unless_equals_int (summaries[0].not_ect, 1);
  fail_unless_equals_int (summaries[0].lost, 0);
  fixture_clear (&self);
}

GST_END_TEST;

/* From a udpsrc: nothing is known, and nothing told. */
GST_START_TEST (without_bits_no_summary_is_sent)
{
  TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS];
  TfrcFeedback feedback;
  Fixture self;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fail_unless_equals_int (pull_report (&self, &feedback, summaries), 0);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "ecn-not-ect"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

static Suite *
rtptfrcreceiveecn_suite (void)
{
  Suite *suite = suite_create ("rtptfrcreceiveecn");
  TCase *tcase = tcase_create ("marks");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_mark_is_reported_as_a_loss_event);
  tcase_add_test (tcase, a_mark_of_ect_1_is_no_loss_and_told_at_once);
  tcase_add_test (tcase, summaries_go_with_reports);
  tcase_add_test (tcase, without_bits_no_summary_is_sent);
  return suite;
}

GST_CHECK_MAIN (rtptfrcreceiveecn);
