/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receivers that report arrivals, at rtptfrcsend: RFC 8888 and transport-wide
 * feedback in RTCP, and the latter as an event of an rtpsession. */

#include "send/packet-feedback.h"
#include "send/receivers.h"

#include <gst/net/net.h>

#include "send/fixture.h"

#include "tfrc-wire.h"
#include "units.h"

#define TRANSPORT_ID 5
#define TRANSPORT_CAPS \
  VIDEO_CAPS ", extmap-5=(string)\"" TFRC_WIRE_TWCC_URI "\""
#define FIRST_SEQ 1
#define WIRE_TIME (TFRC_SECOND / 1024) /* of RFC 8888 */

/* A packet with room for a number of the transport. */
static void
push_numbered_at (GstHarness *pad, guint32 ssrc, guint16 seq)
{
  GstBuffer *buffer = send_fixture_make_packet (seq, seq * 3000u, PAYLOAD_SIZE);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  const guint8 number[2] = { 0xAB, 0xCD };

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, TRANSPORT_ID,
      number, sizeof number));
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_unmap (&rtp);
  assert_equals_int (gst_harness_push (pad, buffer), GST_FLOW_OK);
}

static void
push_numbered_of (SendFixture *f, guint32 ssrc, guint16 seq)
{
  push_numbered_at (f->rtp, ssrc, seq);
}

static void
push_numbered (SendFixture *f, guint16 seq)
{
  push_numbered_of (f, SSRC, seq);
}

static void
start_with (SendFixture *f, const gchar *feedback, const gchar *retransmission,
    gint fec, const gchar *caps)
{
  send_fixture_init (f);
  g_object_set (f->element, "fec", fec, NULL);
  gst_util_set_object_arg (G_OBJECT (f->element), "retransmission",
      retransmission);
  gst_util_set_object_arg (G_OBJECT (f->element), "feedback", feedback);
  send_fixture_start (f, caps);
}

static void
start (SendFixture *f, const gchar *feedback, const gchar *caps)
{
  start_with (f, feedback, "off", 0, caps);
}

/* A packet, whose number it returns, is on its way for an RTT. */
static guint16
start_flow (SendFixture *f, const gchar *feedback)
{
  start (f, feedback, VIDEO_CAPS);
  send_fixture_push_packets (f, 1);
  gst_buffer_unref (gst_harness_pull (f->rtp));
  send_fixture_run_until (f, START + RTT);
  return f->seq - 1;
}

/* The same, of FIRST_SEQ, with number 0 of the transport. */
static void
push_first_numbered (SendFixture *f)
{
  push_numbered (f, FIRST_SEQ);
  gst_buffer_unref (gst_harness_pull (f->rtp));
  send_fixture_run_until (f, START + RTT);
}

static void
start_numbered_flow (SendFixture *f, const gchar *feedback)
{
  start (f, feedback, TRANSPORT_CAPS);
  push_first_numbered (f);
}

/* Of RFC 8888: packet `seq` arrived `age` before the report. */
static void
push_ccfb_with (SendFixture *f, guint32 reporter_ssrc, guint16 seq, guint8 ecn,
    TfrcDuration age)
{
  const TfrcPacketReport report = { .reporter_ssrc = reporter_ssrc,
    .clock = TFRC_SECOND,
    .clock_period = 65536 * TFRC_SECOND };
  const TfrcReportedPacket packet = { .ssrc = SSRC,
    .seq = seq,
    .arrived = TRUE,
    .has_time = TRUE,
    .ecn = ecn,
    .age = age };
  guint8 data[64];
  gsize n;
  gsize size = tfrc_wire_write_ccfb (data, sizeof data, &report, &packet, 1,
      &n);

  send_fixture_push_rtcp (f, data, size);
}

static void
push_ccfb (SendFixture *f, guint32 reporter_ssrc, guint16 seq, TfrcDuration age)
{
  push_ccfb_with (f, reporter_ssrc, seq, 0, age);
}

/* A report of each of two SSRCs in one compound packet, the second of `later` after
 * the first. */
static void
push_two_ccfb (SendFixture *f, guint16 seq, TfrcDuration later)
{
  guint8 data[128];
  gsize size = 0, n;

  for (guint i = 0; i < 2; i++) {
    const TfrcPacketReport report = { .reporter_ssrc = RECEIVER_SSRC,
      .clock = TFRC_SECOND + i * later,
      .clock_period = 65536 * TFRC_SECOND };
    const TfrcReportedPacket packet = {
      .ssrc = SSRC + i, .seq = seq, .arrived = TRUE, .has_time = TRUE
    };

    size += tfrc_wire_write_ccfb (data + size, sizeof data - size, &report,
        &packet, 1, &n);
  }
  send_fixture_push_rtcp (f, data, size);
}

/* Transport-wide: packet `seq` arrived. */
static void
push_twcc_of (SendFixture *f, guint32 reporter_ssrc, guint16 seq, guint8 count)
{
  const TfrcPacketReport report = { .reporter_ssrc = reporter_ssrc,
    .counted = TRUE,
    .count = count,
    .clock = TFRC_SECOND };
  const TfrcReportedPacket packet = {
    .seq = seq, .arrived = TRUE, .has_time = TRUE
  };
  guint8 data[64];
  gsize n;
  gsize size = tfrc_wire_write_twcc (data, sizeof data, &report, SSRC, &packet,
      1, &n);

  send_fixture_push_rtcp (f, data, size);
}

static void
push_twcc (SendFixture *f, guint16 seq, guint8 count)
{
  push_twcc_of (f, RECEIVER_SSRC, seq, count);
}

/* What the rtpsession behind us makes of it: numbers from `first`, '.' that arrived,
 * 2 ms after each other, and 'x' that did not. */
static void
push_event (SendFixture *f, guint first, const gchar *packets)
{
  GstStructure *structure = gst_structure_new_empty ("RTPTWCCPackets");
  GValue array = G_VALUE_INIT;
  GValueArray *values;

  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  values = g_value_array_new (0);
  for (guint i = 0; packets[i] != '\0'; i++) {
    gboolean lost = packets[i] == 'x';
    GstStructure *packet = gst_structure_new ("RTPTWCCPacket",
        "seqnum", G_TYPE_UINT, (first + i) & 0xFFFF,
        "local-ts", G_TYPE_UINT64, GST_CLOCK_TIME_NONE,
        "remote-ts", G_TYPE_UINT64,
        lost ? GST_CLOCK_TIME_NONE : TFRC_SECOND + 2 * i * MS,
        "payload-type", G_TYPE_UCHAR, 96,
        "size", G_TYPE_UINT, PAYLOAD_SIZE,
        "lost", G_TYPE_BOOLEAN, lost, NULL);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, GST_TYPE_STRUCTURE);
    gst_value_set_structure (&value, packet);
    g_value_array_append (values, &value);
    g_value_unset (&value);
    gst_structure_free (packet);
  }
  g_value_init (&array, g_value_array_get_type ());
  G_GNUC_END_IGNORE_DEPRECATIONS
  g_value_take_boxed (&array, values);
  gst_structure_take_value (structure, "packets", &array);
  gst_harness_push_upstream_event (f->rtp,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, structure));
}

/* RFC 8888 section 7: its ECN bits are what RFC 6679 has summaries for. */
GST_START_TEST (ecn_bits_of_rfc8888_prove_ecn_and_tell_of_marks)
{
  gboolean l4s = __i__ == 1;
  SendFixture f;
  guint16 seq;

  send_fixture_init (&f);
  g_object_set (f.element, "ecn", TRUE, "l4s", l4s, NULL);
  gst_util_set_object_arg (G_OBJECT (f.element), "feedback", "ccfb");
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 2);
  gst_buffer_unref (gst_harness_pull (f.rtp));
  send_fixture_run_until (&f, START + 2 * TFRC_SECOND);
  seq = f.seq - 2;
  push_ccfb_with (&f, RECEIVER_SSRC, seq, l4s ? 1 : 2, 64 * WIRE_TIME);
  send_fixture_assert_state (&f, "ecn", "working");
  push_ccfb_with (&f, RECEIVER_SSRC, (guint16) (seq + 1), 3, WIRE_TIME);
  assert_equals_uint64 (send_fixture_get_stat (&f, "ecn-ce"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-mark-cuts"), l4s);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* R is the path's: 100 ms without the 62.5 ms from arrival to report.  The
 * rtpsession gets the report, too. */
GST_START_TEST (reports_of_rfc8888_need_no_extension)
{
  SendFixture f;
  guint16 seq = start_flow (&f, __i__ == 0 ? "auto" : "ccfb");

  push_ccfb (&f, RECEIVER_SSRC, seq, 64 * WIRE_TIME);
  send_fixture_assert_state (&f, "feedback-format", "ccfb");
  send_fixture_assert_state (&f, "feedback-state", "working");
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "delay-reports"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "rtt-ns"),
      RTT - 62500 * TFRC_MICROSECOND);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A client of an RTSP server reports the last packets before its pause at the end of it:
 * with an RTT of 6 s, and as if little had arrived.  It may play before the server does. */
GST_START_TEST (reports_of_before_a_pause_tell_nothing)
{
  const TfrcPacketReport report = { .reporter_ssrc = RECEIVER_SSRC,
    .counted = TRUE,
    .count = 1,
    .clock = TFRC_SECOND + 3 * RTT };
  const TfrcReportedPacket packets[] = {
    { .seq = 1, .arrived = TRUE, .has_time = TRUE, .age = 2 * RTT },
    { .seq = 2, .arrived = TRUE, .has_time = TRUE },
  };
  SendFixture f;
  guint8 data[64];
  gsize n, size;

  start_numbered_flow (&f, "twcc");
  push_twcc (&f, 0, 0);
  push_numbered (&f, FIRST_SEQ + 1);
  send_fixture_run_until (&f, START + 3 * RTT);
  push_numbered (&f, FIRST_SEQ + 2);
  send_fixture_run_until (&f, START + 4 * RTT);
  gst_element_set_state (f.element, GST_STATE_PAUSED);
  send_fixture_run_until (&f, START + 60 * RTT);
  if (__i__ == 0)
    gst_element_set_state (f.element, GST_STATE_PLAYING);
  size = tfrc_wire_write_twcc (data, sizeof data, &report, SSRC, packets, 2,
      &n);
  send_fixture_push_rtcp (&f, data, size);
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrival-reports"), 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "rtt-ns"), RTT);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Those that a receiver makes at one time, one for each SSRC. */
GST_START_TEST (packets_of_rfc8888_of_one_time_are_one_report)
{
  SendFixture f;
  guint16 seq = start_flow (&f, "ccfb");

  push_two_ccfb (&f, seq, __i__ * WIRE_TIME);
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrival-reports"),
      1 + __i__);
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrivals-unknown"), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Number 0 is the second packet, a second behind the first: the first one has no
 * extension. */
GST_START_TEST (numbers_of_the_transport_count_packets_with_the_extension)
{
  SendFixture f;

  start (&f, "auto", TRANSPORT_CAPS);
  send_fixture_push_packets (&f, 1);
  gst_buffer_unref (gst_harness_pull (f.rtp));
  push_numbered (&f, f.seq);
  send_fixture_run_until (&f, START + TFRC_SECOND);
  gst_buffer_unref (gst_harness_pull (f.rtp));
  send_fixture_run_until (&f, START + TFRC_SECOND + RTT);
  if (__i__ == 0)
    push_twcc (&f, 0, 0);
  else
    push_event (&f, 0, ".");
  send_fixture_assert_state (&f, "feedback-format", "twcc");
  send_fixture_assert_state (&f, "feedback-state", "working");
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 1);
  fail_unless (send_fixture_get_stat (&f, "rtt-ns") < 2 * RTT);
  send_fixture_clear (&f);
}

GST_END_TEST;

static GstFlowReturn
refuse (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_NOT_LINKED;
}

/* The source pad, by a push that fails. */
static void
run_until_paused (SendFixture *f, GstPad *pad)
{
  while (gst_pad_get_task_state (pad) != GST_TASK_PAUSED) {
    if (gst_test_clock_peek_id_count (f->clock) > 0)
      gst_test_clock_crank (f->clock);
    g_thread_yield ();
  }
}

/* There is no number behind it. */
static void
assert_third_has_number (SendFixture *f, guint16 number)
{
  push_numbered (f, FIRST_SEQ + 2);
  send_fixture_run_until (f, START + 4 * TFRC_SECOND);
  gst_buffer_unref (gst_harness_pull (f->rtp));
  send_fixture_run_until (f, START + 4 * TFRC_SECOND + RTT);
  push_twcc (f, number + 1, 0);
  assert_equals_uint64 (send_fixture_get_stat (f, "feedback"), 0);
  assert_equals_uint64 (send_fixture_get_stat (f, "feedback-foreign"), 1);
  push_twcc (f, number, 1);
  assert_equals_uint64 (send_fixture_get_stat (f, "feedback"), 1);
  assert_equals_uint64 (send_fixture_get_stat (f, "feedback-foreign"), 1);
}

/* Number 1 is the third packet, since nobody behind the source pad saw the second;
 * there is no number 2.  The peer of the second run has seen it, and numbered it as
 * an rtpsession does that is not linked further on: there the third is number 2. */
GST_START_TEST (what_nobody_took_has_no_number_of_the_transport)
{
  gboolean is_linked = __i__ == 1;
  GstPadChainFunction chain;
  SendFixture f;
  GstPad *pad, *peer;

  start_numbered_flow (&f, "auto");
  pad = gst_element_get_static_pad (f.element, "src");
  peer = gst_pad_get_peer (pad);
  chain = GST_PAD_CHAINFUNC (peer);
  if (is_linked)
    gst_pad_set_chain_function (peer, refuse);
  else
    gst_pad_unlink (pad, peer);
  push_numbered (&f, FIRST_SEQ + 1);
  run_until_paused (&f, pad);
  gst_test_clock_set_time (f.clock, START + 2 * TFRC_SECOND);
  gst_pad_set_chain_function (peer, chain);
  if (is_linked)
    gst_pad_send_event (pad, gst_event_new_reconfigure ());
  else
    gst_pad_link (pad, peer);
  assert_third_has_number (&f, is_linked ? 2 : 1);
  gst_object_unref (peer);
  gst_object_unref (pad);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Where the next packet in the queue meets the flush, before the element knows of it. */
static gboolean
hold_flush (GstPad *pad, GstObject *parent, GstEvent *event)
{
  SendFixture *f = g_object_get_data (G_OBJECT (pad), "fixture");
  GstPad *srcpad = gst_pad_get_peer (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    run_until_paused (f, srcpad);
  gst_object_unref (srcpad);
  return gst_pad_event_default (pad, parent, event);
}

/* Number 1 is the third packet: the second came no further than the source pad. */
GST_START_TEST (what_meets_a_flush_has_no_number_of_the_transport)
{
  GstSegment segment;
  SendFixture f;
  GstPad *pad, *peer;

  start_numbered_flow (&f, "auto");
  pad = gst_element_get_static_pad (f.element, "src");
  peer = gst_pad_get_peer (pad);
  g_object_set_data (G_OBJECT (peer), "fixture", &f);
  gst_pad_set_event_function (peer, hold_flush);
  push_numbered (&f, FIRST_SEQ + 1);
  gst_harness_push_event (f.rtp, gst_event_new_flush_start ());
  gst_harness_push_event (f.rtp, gst_event_new_flush_stop (FALSE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f.rtp, gst_event_new_segment (&segment));
  assert_third_has_number (&f, 1);
  gst_object_unref (peer);
  gst_object_unref (pad);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Packets that leave at 43.8 kB/s after the first report (fixture.h). */
static void
send_numbered (SendFixture *f, const gchar *feedback, guint n)
{
  start_numbered_flow (f, feedback);
  push_event (f, 0, ".");
  for (guint i = 1; i < n; i++)
    push_numbered (f, (guint16) (FIRST_SEQ + i));
  send_fixture_run_until (f, START + 2 * RTT + n * PACKET_TIME);
}

/* Three later ones have arrived (RFC 5348 section 5.1); what is missing at the end
 * may still come. */
GST_START_TEST (packets_that_an_event_misses_are_lost)
{
  SendFixture f;

  send_numbered (&f, "twcc", 12);
  push_event (&f, 1, "...xx...xx");
  assert_equals_uint64 (send_fixture_get_stat (&f, "loss-events"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrivals-unknown"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A packet each of twenty streams of one transport, more than RFC 8888's reports
 * could be about: by the transport's numbers they are one. */
GST_START_TEST (any_number_of_streams_has_the_numbers_of_one_transport)
{
  SendFixture f;

  start_numbered_flow (&f, "twcc");
  push_event (&f, 0, ".");
  for (guint i = 1; i <= 20; i++)
    push_numbered_of (&f, SSRC + i, FIRST_SEQ);
  send_fixture_run_until (&f, START + 2 * RTT + 20 * PACKET_TIME);
  push_event (&f, 1, ".....x..............");
  assert_equals_uint64 (send_fixture_get_stat (&f, "loss-events"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrivals-unknown"), 0);
  send_fixture_assert_state (&f, "feedback-state", "working");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* An rtpsession that has sent no RTCP before gives its SSRC to the oldest report alone
 * of those that waited for that. */
GST_START_TEST (
    reports_without_the_ssrc_of_their_receiver_are_of_the_one_before)
{
  SendFixture f;

  start_numbered_flow (&f, "twcc");
  for (guint16 i = 1; i <= 3; i++)
    push_numbered (&f, FIRST_SEQ + i);
  send_fixture_run_until (&f, START + 2 * RTT + 3 * PACKET_TIME);
  push_twcc (&f, 0, 0);
  push_twcc_of (&f, G_MAXUINT32, 1, 1);
  push_twcc_of (&f, G_MAXUINT32, 2, 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrival-receivers"), 1);
  push_twcc (&f, 3, 3);
  assert_equals_uint64 (send_fixture_get_stat (&f, "loss-events"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Behind rtcp_src the rtpsession tells by an event what we have read already. */
GST_START_TEST (an_event_tells_nothing_that_rtcp_has_told)
{
  SendFixture f;

  start_numbered_flow (&f, "auto");
  push_twcc (&f, 0, 0);
  push_event (&f, 0, ".");
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-stale"), 0);
  send_fixture_assert_state (&f, "feedback-state", "working");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Whoever brought RTCP was unlinked, say: what comes by events alone is heard. */
GST_START_TEST (an_event_tells_what_rtcp_no_longer_does)
{
  SendFixture f;

  start_numbered_flow (&f, "auto");
  push_twcc (&f, 0, 0);
  push_event (&f, 0, ".");
  push_numbered (&f, FIRST_SEQ + 1);
  send_fixture_run_until (&f, START + 10 * TFRC_SECOND);
  gst_buffer_unref (gst_harness_pull (f.rtp));
  push_event (&f, 1, ".");
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 2);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* As in webrtcbin, nothing is linked to rtcp_sink when the first caps come: an rtpsession
 * reports after seconds, and TFRC's timer of 2 s would halve the 300 kbit/s three times. */
GST_START_TEST (a_flow_in_an_rtpbin_begins_at_start_bitrate)
{
  SendFixture f;

  send_fixture_init (&f);
  f.rtp = gst_harness_new_with_element (f.element, "sink", "src");
  gst_harness_set_src_caps_str (f.rtp, VIDEO_CAPS);
  f.rtcp = gst_harness_new_with_element (f.element, "rtcp_sink", "rtcp_src");
  send_fixture_push_packets (&f, 1);
  gst_buffer_unref (gst_harness_pull (f.rtp));
  send_fixture_run_until (&f, START + 8 * TFRC_SECOND);
  assert_equals_float (send_fixture_get_rate (&f, "allowed-rate"), 37500.0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* What the receiver negotiated alone decides: with another format than TFRC nothing
 * is added to packets and caps. */
GST_START_TEST (packets_stay_as_they_are_without_reports_of_tfrc)
{
  static const struct
  {
    const gchar *feedback;
    gboolean has_extension;
  } cases[] = {
    { "auto", TRUE },
    { "tfrc", TRUE },
    { "ccfb", FALSE },
    { "twcc", FALSE },
  };
  const GstStructure *structure;
  SendFixture f;
  GstBuffer *buffer;
  GstCaps *caps;

  start (&f, cases[__i__].feedback, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  buffer = gst_harness_pull (f.rtp);
  assert_equals_int (gst_buffer_get_size (buffer),
      cases[__i__].has_extension ? PACKET_SIZE : 12 + PAYLOAD_SIZE);
  gst_buffer_unref (buffer);
  caps = gst_pad_get_current_caps (f.rtp->sinkpad);
  structure = gst_caps_get_structure (caps, 0);
  assert_equals_int (gst_structure_has_field (structure, "extmap-14"),
      cases[__i__].has_extension);
  assert_equals_int (gst_structure_has_field (structure, "rtcp-fb-tfrc"),
      cases[__i__].has_extension);
  gst_caps_unref (caps);
  assert_equals_uint64 (send_fixture_get_stat (&f, "packets-not-stamped"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Numbers that were not sent, another receiver, a report that is cut off. */
GST_START_TEST (bad_reports_of_arrivals_are_counted)
{
  guint8 report[12] = { 0x8F, 205, 0, 2 };
  GstBuffer *passed;
  SendFixture f;

  start_numbered_flow (&f, "auto");
  push_ccfb (&f, RECEIVER_SSRC, FIRST_SEQ + 100, 0);
  push_event (&f, 500, "..xx..");
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrivals-unknown"), 5);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 0);
  send_fixture_assert_state (&f, "feedback-state", "waiting");

  push_ccfb (&f, RECEIVER_SSRC, FIRST_SEQ, 0);
  for (guint i = 1; i <= TFRC_SEND_RECEIVERS_MAX + 1; i++)
    push_ccfb (&f, RECEIVER_SSRC + i, FIRST_SEQ, 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrival-receivers"),
      TFRC_SEND_RECEIVERS_MAX + 1);
  while ((passed = gst_harness_try_pull (f.rtcp)) != NULL)
    gst_buffer_unref (passed);
  /* Of nobody who sends here: what it may tell would take an rtpsession long. */
  send_fixture_push_rtcp (&f, report, sizeof report);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-foreign"), 1);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  GST_WRITE_UINT32_BE (report + 8, SSRC);
  send_fixture_push_rtcp (&f, report, sizeof report);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-malformed"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 1);
  /* It may be of use to the rtpsession behind us. */
  passed = gst_harness_pull (f.rtcp);
  gst_check_buffer_data (passed, report, sizeof report);
  gst_buffer_unref (passed);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* No packet has one in the first run, and one has 0 in the second. */
GST_START_TEST (reports_of_numbers_that_no_packet_has_reach_no_rtpsession)
{
  static const struct
  {
    guint16 first, count;
  } reports[] = { { 0, 2 }, { 1, 1 }, { 65535, 1 }, { 65535, 2 },
    { 0, 65528 } };
  guint8 report[36] = { 0x8F, 205, 0, 8 };
  SendFixture f;
  guint i;

  if (__i__ == 0)
    start_flow (&f, "auto");
  else
    start_numbered_flow (&f, "auto");
  GST_WRITE_UINT32_BE (report + 8, SSRC);
  for (i = 20; i < sizeof report; i += 2)
    GST_WRITE_UINT16_BE (report + i, 0x1FFF); /* so many have not arrived */
  for (i = 0; i < G_N_ELEMENTS (reports); i++) {
    GST_WRITE_UINT16_BE (report + 12, reports[i].first);
    GST_WRITE_UINT16_BE (report + 14, reports[i].count);
    send_fixture_push_rtcp (&f, report, sizeof report);
  }
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-foreign"), i);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  push_twcc (&f, 0, 0);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), __i__);
  send_fixture_clear (&f);
}

GST_END_TEST;

#define RR_SIZE 32

/* A reception report of RFC 3550: so much has arrived up to `highest_seq`. */
static void
write_rr (guint8 data[RR_SIZE], guint32 reporter_ssrc, guint32 highest_seq,
    guint lost)
{
  memset (data, 0, RR_SIZE);
  data[0] = 0x81;
  data[1] = 201;
  data[3] = 7;
  GST_WRITE_UINT32_BE (data + 4, reporter_ssrc);
  GST_WRITE_UINT32_BE (data + 8, SSRC);
  GST_WRITE_UINT24_BE (data + 13, lost);
  GST_WRITE_UINT32_BE (data + 16, highest_seq);
}

static void
push_rr (SendFixture *f, guint32 highest_seq, guint lost)
{
  guint8 data[RR_SIZE];

  write_rr (data, RECEIVER_SSRC, highest_seq, lost);
  send_fixture_push_rtcp (f, data, sizeof data);
}

/* The packet is on its way for 100 ms when the first comes.  Without a better report
 * for 5 s the next are followed in auto, too, which have to tell of new packets. */
GST_START_TEST (reception_reports_are_followed_for_want_of_better)
{
  SendFixture f;
  guint32 seq = start_flow (&f, __i__ == 0 ? "auto" : "rr");

  push_rr (&f, seq + 9, 0);
  push_rr (&f, seq, 0);
  send_fixture_assert_state (&f, "feedback-format", "rr");
  send_fixture_assert_state (&f, "feedback-state", "working");
  assert_equals_uint64 (send_fixture_get_stat (&f, "rtt-ns"), RTT);
  push_rr (&f, seq, 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reception-reports"), 1);

  send_fixture_push_packets (&f, 1);
  gst_buffer_unref (gst_harness_pull (f.rtp));
  send_fixture_run_until (&f, START + 2 * RTT);
  push_ccfb (&f, RECEIVER_SSRC, (guint16) (seq + 1), 0);
  send_fixture_assert_state (&f, "feedback-format", __i__ == 0 ? "ccfb" : "rr");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Its SSRC is that of the stream and one more, for each of them. */
static void
push_rr_of_libavformat (SendFixture *f, guint32 highest_seq, guint16 port)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string ("192.0.2.1",
      port);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, RR_SIZE, NULL);
  guint8 data[RR_SIZE];

  write_rr (data, SSRC + 1, highest_seq, 0);
  gst_buffer_fill (buffer, 0, data, sizeof data);
  gst_buffer_add_net_address_meta (buffer, address);
  g_object_unref (address);
  assert_equals_int (gst_harness_push (f->rtcp, buffer), GST_FLOW_OK);
}

/* The second one has told of nothing before, so that its first report counts for
 * nothing but itself. */
GST_START_TEST (receivers_of_one_ssrc_are_told_apart_by_their_addresses)
{
  SendFixture f;
  guint32 seq = start_flow (&f, "rr");

  push_rr_of_libavformat (&f, seq, 5000);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reception-reports"), 1);
  for (guint i = 1; i <= 2; i++) {
    send_fixture_push_packets (&f, 1);
    gst_buffer_unref (gst_harness_pull (f.rtp));
    send_fixture_run_until (&f, START + i * TFRC_SECOND);
    push_rr_of_libavformat (&f, f.seq - 1u, i == 1 ? 5001 : 5000);
    assert_equals_uint64 (send_fixture_get_stat (&f, "reception-reports"), i);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A packet leaves, and is on its way for so long. */
static void
send_one (SendFixture *f, TfrcTime until)
{
  send_fixture_push_packets (f, 1);
  gst_buffer_unref (gst_harness_pull (f->rtp));
  send_fixture_run_until (f, until);
}

/* Behind what the first tells, which is nothing new, stands what the second one does: it
 * is not taken for the first's.  That is followed until it says BYE. */
GST_START_TEST (reporters_of_one_datagram_are_told_apart_and_may_leave)
{
  const guint32 other = RECEIVER_SSRC + 100;
  guint8 data[2 * RR_SIZE];
  guint8 bye[16] = { 0x80, 201, 0, 1, 0, 0, 0, 0, 0x81, 203, 0, 1 };
  SendFixture f;
  guint32 seq = start_flow (&f, "rr");

  push_rr (&f, seq, 0);
  send_one (&f, START + 2 * TFRC_SECOND);
  push_rr (&f, f.seq - 1u, 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reception-reports"), 2);
  send_one (&f, START + 2500 * TFRC_MILLISECOND);
  write_rr (data, RECEIVER_SSRC, f.seq - 2u, 0);
  write_rr (data + RR_SIZE, other, f.seq - 1u, 0);
  send_fixture_push_rtcp (&f, data, sizeof data);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reception-reports"), 2);
  send_one (&f, START + 3 * TFRC_SECOND);
  write_rr (data, other, f.seq - 1u, 0);
  send_fixture_push_rtcp (&f, data, RR_SIZE);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reception-reports"), 2);

  GST_WRITE_UINT32_BE (bye + 4, RECEIVER_SSRC);
  GST_WRITE_UINT32_BE (bye + 12, RECEIVER_SSRC);
  send_fixture_push_rtcp (&f, bye, sizeof bye);
  send_one (&f, START + 3500 * TFRC_MILLISECOND);
  write_rr (data, other, f.seq - 1u, 0);
  send_fixture_push_rtcp (&f, data, RR_SIZE);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reception-reports"), 3);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* 300 kbit/s, the start bitrate, as in the first second so after a minute; nor does a
 * reception report change it. */
GST_START_TEST (without_feedback_the_rate_is_the_users)
{
  gdouble rate;
  GstStructure *stats;
  SendFixture f;

  start (&f, "none", VIDEO_CAPS);
  for (guint i = 1; i <= 60; i++) {
    send_fixture_push_packets (&f, 1);
    gst_buffer_unref (gst_harness_pull (f.rtp));
    send_fixture_run_until (&f, START + i * TFRC_SECOND);
    push_rr (&f, f.seq - 1, 0);
  }
  g_object_get (f.element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, "allowed-rate", &rate));
  assert_equals_float (rate, 37500.0);
  gst_structure_free (stats);
  send_fixture_assert_state (&f, "feedback-format", "none");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The path dies, twice, and RTCP still comes back: reception reports that are let in
 * tell of what arrived before. */
GST_START_TEST (a_routine_report_behind_a_dead_path_restarts_nothing)
{
  SendFixture f;
  TfrcTime now = START + RTT;

  start (&f, "auto", VIDEO_CAPS);
  for (guint i = 0; i < 2; i++) {
    guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE];
    SendPacket packet;

    send_fixture_push_packets (&f, 1);
    packet = send_fixture_pull_packet (&f);
    send_fixture_run_until (&f, now);
    send_fixture_make_feedback (feedback, &packet, SSRC);
    send_fixture_push_rtcp (&f, feedback, sizeof feedback);
    send_fixture_push_packets (&f, 1);
    gst_buffer_unref (gst_harness_pull (f.rtp));
    for (guint j = 0; j < 4; j++) {
      gdouble rate;

      now += 5500 * MS;
      send_fixture_run_until (&f, now);
      rate = send_fixture_get_rate (&f, "allowed-rate");
      push_rr (&f, f.seq - 1u, 0);
      assert_equals_float (send_fixture_get_rate (&f, "allowed-rate"), rate);
    }
    now += RTT;
  }
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 2);
  send_fixture_assert_state (&f, "feedback-format", "tfrc");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Of a receiver that knows none of our packets: who is followed stays, and what it
 * lost. */
GST_START_TEST (a_report_of_nothing_that_was_sent_changes_nothing)
{
  const guint8 empty_ccfb[12] = { 0x8B, 205, 0, 2 };
  SendFixture f;

  send_numbered (&f, "auto", 24);
  push_event (&f, 1, "...xx...xx..");
  fail_unless (send_fixture_get_rate (&f, "loss-event-rate") > 0.0);
  for (guint i = 0; i < 2; i++) {
    if (__i__ == 0)
      push_ccfb (&f, RECEIVER_SSRC + i, FIRST_SEQ + 100, 0);
    else
      send_fixture_push_rtcp (&f, empty_ccfb, sizeof empty_ccfb);
    push_event (&f, 13 + 5 * i, ".....");
  }
  send_fixture_assert_state (&f, "feedback-format", "twcc");
  send_fixture_run_until (&f, START + 4 * RTT + 24 * PACKET_TIME);
  push_event (&f, 23, ".");
  fail_unless (send_fixture_get_rate (&f, "loss-event-rate") > 0.0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* One that is silent for long is replaced only by one that knows our packets. */
GST_START_TEST (a_receiver_of_other_packets_does_not_replace_ours)
{
  SendFixture f;
  guint16 seq = start_flow (&f, "ccfb");

  push_ccfb (&f, RECEIVER_SSRC, seq, 0);
  send_fixture_run_until (&f, START + RTT + TFRC_SECOND);
  push_ccfb (&f, RECEIVER_SSRC + 1, (guint16) (seq + 101), 0);
  push_ccfb (&f, RECEIVER_SSRC, seq, 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "arrival-receivers"), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

static guint64
count_key_frames_asked (SendFixture *f)
{
  return send_fixture_get_stat (f, "key-frame-requests");
}

typedef struct
{
  gboolean enabled;
  const gchar *retransmission;
  gint fec;
  gboolean event, nack; /* the lost packet is asked for */
  gboolean asks;
} LossCase;

static const LossCase loss_cases[] = {
  { TRUE, "off", 0, FALSE, FALSE, TRUE },
  { TRUE, "on", 0, FALSE, FALSE, TRUE },
  { TRUE, "off", 0, TRUE, FALSE, FALSE },
  { TRUE, "on", 0, FALSE, TRUE, FALSE },
  { TRUE, "off", 20, FALSE, FALSE, FALSE },
  { TRUE, "off", -1, FALSE, FALSE, TRUE }, /* no tfrcsrc: no parity */
  { FALSE, "off", 0, FALSE, FALSE, FALSE },
};

/* Five packets in one event of which the second is lost: the encoder is asked R + 100
 * ms later.  A PLI that comes meanwhile means the same loss, and no second key frame
 * follows when the limit of one a second is over.  With a request for the packet,
 * whoever is to answer it, with parity, or switched off, nobody is asked. */
GST_START_TEST (a_loss_that_nobody_repairs_asks_for_a_key_frame)
{
  SendFixture f;
  const LossCase *c = &loss_cases[__i__];
  guint8 pli[TFRC_WIRE_PLI_SIZE], nack[TFRC_WIRE_NACK_SIZE (1)];
  const guint16 lost_seq = FIRST_SEQ + 2;

  start_with (&f, "twcc", c->retransmission, c->fec, TRANSPORT_CAPS);
  push_first_numbered (&f);
  g_object_set (f.element, "key-frame-on-loss", c->enabled, NULL);
  for (guint16 seq = FIRST_SEQ + 1; seq < FIRST_SEQ + 6; seq++)
    push_numbered (&f, seq);
  push_event (&f, 0, ".");
  send_fixture_run_until (&f, START + 4 * TFRC_SECOND);
  if (c->event)
    gst_harness_push_upstream_event (f.rtp,
        gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
            gst_structure_new ("GstRTPRetransmissionRequest",
                "ssrc", G_TYPE_UINT, SSRC, "seqnum", G_TYPE_UINT, lost_seq,
                NULL)));
  if (c->nack)
    send_fixture_push_rtcp (&f, nack,
        tfrc_wire_write_nack (nack, RECEIVER_SSRC, SSRC, &lost_seq, 1));
  push_event (&f, 1, ".x...");
  send_fixture_run_until (&f, START + 5 * TFRC_SECOND);
  assert_equals_uint64 (count_key_frames_asked (&f), 0);
  push_numbered (&f, FIRST_SEQ + 6);
  push_event (&f, 6, ".");
  send_fixture_run_until (&f, START + 5 * TFRC_SECOND + 1 * MS);
  assert_equals_uint64 (count_key_frames_asked (&f), c->asks);

  if (c->asks) {
    tfrc_wire_write_pli (pli, RECEIVER_SSRC, SSRC);
    send_fixture_push_rtcp (&f, pli, sizeof pli);
    send_fixture_run_until (&f, START + 8 * TFRC_SECOND);
    assert_equals_uint64 (count_key_frames_asked (&f), 1);
    send_fixture_push_rtcp (&f, pli, sizeof pli);
    send_fixture_run_until (&f, START + 9 * TFRC_SECOND);
    assert_equals_uint64 (count_key_frames_asked (&f), 2);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

#define AUDIO_SSRC 0x33334444
#define AUDIO_CAPS \
  "application/x-rtp, media=audio, clock-rate=48000, encoding-name=OPUS, " \
  "payload=97, extmap-5=(string)\"" TFRC_WIRE_TWCC_URI "\""

/* Numbers 1 to 5 of video, and 1 to 5 of audio, of which one arrived late or never. */
static void
push_ccfb_without (SendFixture *f, guint32 lost_ssrc, guint16 lost_seq)
{
  const TfrcPacketReport report = { .reporter_ssrc = RECEIVER_SSRC,
    .clock = 4 * TFRC_SECOND,
    .clock_period = 65536 * TFRC_SECOND };
  TfrcReportedPacket packets[10];
  guint8 data[128];
  gsize size, n;
  guint i = 0;

  for (guint k = 0; k < 10; k++) {
    guint32 ssrc = k < 5 ? SSRC : AUDIO_SSRC;
    guint16 seq = (guint16) (FIRST_SEQ + 1 + k % 5);

    if (ssrc != lost_ssrc || seq != lost_seq)
      packets[i++] = (TfrcReportedPacket) { .ssrc = ssrc,
        .seq = seq,
        .arrived = TRUE,
        .has_time = TRUE,
        .age = (10 - k) * WIRE_TIME,
        .missing = ssrc == lost_ssrc && seq == lost_seq + 1 };
  }
  size = tfrc_wire_write_ccfb (data, sizeof data, &report, packets, i, &n);
  assert_equals_int (n, i);
  send_fixture_push_rtcp (f, data, size);
}

/* Each report tells of five packets of video and five of audio, in turn: R + 100 ms
 * after the one by which the second of one is lost, its stream is asked for a key
 * frame, where it is video.  By numbers of the transport those are 1, 3, ... and 2,
 * 4, ... */
GST_START_TEST (a_key_frame_is_asked_of_who_lost_packets)
{
  gboolean by_transport = __i__ & 1, video_lost = __i__ >> 1;
  SendFixture f;
  GstHarness *audio;

  start (&f, by_transport ? "twcc" : "ccfb", TRANSPORT_CAPS);
  push_first_numbered (&f);
  audio = gst_harness_new_with_element (f.element, "sink_%u", NULL);
  gst_harness_set_src_caps_str (audio, AUDIO_CAPS);
  if (by_transport)
    push_event (&f, 0, ".");
  else
    push_ccfb (&f, RECEIVER_SSRC, FIRST_SEQ, 0);
  for (guint16 i = 1; i <= 5; i++) {
    push_numbered (&f, FIRST_SEQ + i);
    send_fixture_run_until (&f, START + 2 * RTT + (2 * i) * 2 * PACKET_TIME);
    push_numbered_at (audio, AUDIO_SSRC, FIRST_SEQ + i);
    send_fixture_run_until (&f,
        START + 2 * RTT + (2 * i + 1) * 2 * PACKET_TIME);
  }
  send_fixture_run_until (&f, START + TFRC_SECOND);
  for (guint i = 0; i < 2; i++) {
    if (by_transport)
      push_event (&f, 1, video_lost ? "..x......." : "...x......");
    else
      push_ccfb_without (&f, video_lost ? SSRC : AUDIO_SSRC, FIRST_SEQ + 2);
    send_fixture_run_until (&f, START + (2 + i) * TFRC_SECOND);
  }
  fail_unless (send_fixture_get_stat (&f, "loss-events") > 0);
  assert_equals_uint64 (count_key_frames_asked (&f), video_lost);
  gst_harness_teardown (audio);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Which makes its first loss interval. */
GST_START_TEST (the_receiver_beside_the_sender_has_its_tcp)
{
  TfrcPacketFeedback *packet_feedback = g_new (TfrcPacketFeedback, 1);
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.tcp = (TfrcTcp) __i__;
  packet_feedback->n_numbered = 0;
  tfrc_packet_feedback_start (packet_feedback, &config, FALSE);
  assert_equals_int (packet_feedback->based.receiver.config.tcp, __i__);
  g_free (packet_feedback);
}

GST_END_TEST;

static Suite *
packet_feedback_suite (void)
{
  Suite *suite = suite_create ("packet-feedback");
  TCase *tcase = tcase_create ("packet-feedback");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, ecn_bits_of_rfc8888_prove_ecn_and_tell_of_marks,
      0, 2);
  tcase_add_loop_test (tcase, reports_of_rfc8888_need_no_extension, 0, 2);
  tcase_add_loop_test (tcase, reports_of_before_a_pause_tell_nothing, 0, 2);
  tcase_add_loop_test (tcase, packets_of_rfc8888_of_one_time_are_one_report, 0,
      2);
  tcase_add_loop_test (tcase,
      numbers_of_the_transport_count_packets_with_the_extension, 0, 2);
  tcase_add_loop_test (tcase, what_nobody_took_has_no_number_of_the_transport,
      0, 2);
  tcase_add_test (tcase, what_meets_a_flush_has_no_number_of_the_transport);
  tcase_add_test (tcase, packets_that_an_event_misses_are_lost);
  tcase_add_test (tcase,
      any_number_of_streams_has_the_numbers_of_one_transport);
  tcase_add_test (tcase,
      reports_without_the_ssrc_of_their_receiver_are_of_the_one_before);
  tcase_add_test (tcase, an_event_tells_nothing_that_rtcp_has_told);
  tcase_add_test (tcase, an_event_tells_what_rtcp_no_longer_does);
  tcase_add_test (tcase, a_flow_in_an_rtpbin_begins_at_start_bitrate);
  tcase_add_loop_test (tcase, packets_stay_as_they_are_without_reports_of_tfrc,
      0, 4);
  tcase_add_test (tcase, bad_reports_of_arrivals_are_counted);
  tcase_add_loop_test (tcase,
      reports_of_numbers_that_no_packet_has_reach_no_rtpsession, 0, 2);
  tcase_add_test (tcase,
      reporters_of_one_datagram_are_told_apart_and_may_leave);
  tcase_add_test (tcase, without_feedback_the_rate_is_the_users);
  tcase_add_test (tcase, a_routine_report_behind_a_dead_path_restarts_nothing);
  tcase_add_test (tcase,
      receivers_of_one_ssrc_are_told_apart_by_their_addresses);
  tcase_add_loop_test (tcase, reception_reports_are_followed_for_want_of_better,
      0, 2);
  tcase_add_loop_test (tcase, a_report_of_nothing_that_was_sent_changes_nothing,
      0, 2);
  tcase_add_test (tcase, a_receiver_of_other_packets_does_not_replace_ours);
  tcase_add_loop_test (tcase, a_loss_that_nobody_repairs_asks_for_a_key_frame,
      0, G_N_ELEMENTS (loss_cases));
  tcase_add_loop_test (tcase, a_key_frame_is_asked_of_who_lost_packets, 0, 4);
  tcase_add_loop_test (tcase, the_receiver_beside_the_sender_has_its_tcp, 0, 2);
  return suite;
}

GST_CHECK_MAIN (packet_feedback);
