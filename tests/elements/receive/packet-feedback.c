/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive with senders that are none of ours: RFC 8888 and transport-wide
 * feedback, byte by byte. */
#include "receive/fixture.h"

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>
#include <netinet/in.h>

#include "tfrc-wire-packet-feedback.h"
#include "units.h"

#define TWCC_ID 5
#define TWCC_CAPS VIDEO_CAPS ", extmap-5=" TFRC_WIRE_TWCC_URI
#define IP_TOS_CE 3

/* What the element's clock begins with is random: these bytes tell it. */
#define ANY 0xEE

static void
start_with_share (Fixture *self, const gchar *feedback, const gchar *caps,
    gdouble share)
{
  fixture_init (self, caps);
  self->extension_id = 0;
  gst_element_set_state (self->element, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (self->element), "feedback", feedback);
  g_object_set (self->element, "feedback-share", share, NULL);
  gst_element_set_state (self->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (self->rtp, caps);
  /* So that the task always has something to sleep for. */
  g_object_set (self->element, "stats-interval", 3600 * 1000, NULL);
}

static void
start (Fixture *self, const gchar *feedback, const gchar *caps)
{
  start_with_share (self, feedback, caps, 0.05);
}

/* The next report, which is due by now: a setting has the task look at the time. */
static GstBuffer *
pull_report (Fixture *self)
{
  g_object_set (self->element, "feedback-interval", 50, NULL);
  return gst_harness_pull (self->rtcp);
}

static void
push (Fixture *self, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (self->rtp, buffer), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (self->rtp));
}

static void
push_numbered (Fixture *self, guint16 number)
{
  GstBuffer *buffer = fixture_make_packet (self);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 data[2];

  GST_WRITE_UINT16_BE (data, number);
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, TWCC_ID, data, 2);
  gst_rtp_buffer_unmap (&rtp);
  push (self, buffer);
}

/* The next report is this one; `expected` has ANY where any byte will do. */
static void
expect_report (Fixture *self, const guint8 *expected, gsize size)
{
  GstBuffer *report = pull_report (self);
  GstMapInfo map;

  gst_buffer_map (report, &map, GST_MAP_READ);
  fail_unless_equals_uint64 (map.size, size);
  for (gsize i = 0; i < size; i++)
    fail_unless (expected[i] == ANY || map.data[i] == expected[i],
        "byte %u is %02x", (guint) i, map.data[i]);
  gst_buffer_unmap (report, &map);
  gst_buffer_unref (report);
}

/* RFC 8888 section 3.1.  65530 comes at 1 s and is reported at once; 65532 20 ms later,
 * with a mark, 0 after 49 ms, and 1 ms later both are due: 30 ms are 31 / 1024 s. */
GST_START_TEST (rfc8888_by_its_bytes)
{
  static const guint8 first[] = { 0x8B, 205, 0, 5, 0xAA, 0xBB, 0xCC, 0xDD, 0x11,
    0x11, 0x22, 0x22, 0xFF, 0xFA, 0, 1, 0x80, 0, 0, 0, ANY, ANY, ANY, ANY };
  static const guint8 second[] = { 0x8B, 205, 0, 7, 0xAA, 0xBB, 0xCC, 0xDD,
    0x11, 0x11, 0x22, 0x22, 0xFF, 0xFB, 0, 6, 0, 0, 0xE0, 31, 0, 0, 0, 0, 0, 0,
    0x80, 1, ANY, ANY, ANY, ANY };
  guint8 tos = IP_TOS_CE;
  GSocketControlMessage *message;
  GstBuffer *marked;
  Fixture self;

  /* Three packets of 112 bytes are too few for a report of 52 every 50 ms. */
  start_with_share (&self, "ccfb", VIDEO_CAPS, 0.0);
  message = g_socket_control_message_deserialize (IPPROTO_IP, IP_TOS, 1, &tos);
  fixture_push_packet (&self);
  expect_report (&self, first, sizeof first);
  fixture_advance_to (&self, 1020 * MS);
  self.seq++;
  marked = fixture_make_packet (&self);
  gst_buffer_add_net_control_message_meta (marked, message);
  push (&self, marked);
  fixture_advance_to (&self, 1049 * MS);
  self.seq = 0;
  fixture_push_packet (&self);
  fixture_advance_to (&self, 1050 * MS);
  expect_report (&self, second, sizeof second);
  g_object_unref (message);
  fixture_clear (&self);
}

GST_END_TEST;

/* A report of 52 bytes on the wire is 5 % of 1040: of ten packets of 112 bytes, so one
 * that comes alone waits for 250 ms; a compound one, of which it is the end, longer. */
GST_START_TEST (reports_keep_to_their_share)
{
  Fixture self;

  start (&self, "ccfb", VIDEO_CAPS);
  fixture_push_packet (&self);
  gst_buffer_unref (pull_report (&self));
  for (guint i = 0; i < 9; i++)
    fixture_push_packet (&self);
  while (fixture_wait_for_sleep (&self) != 1250 * MS)
    g_thread_yield ();
  fixture_push_packet (&self);
  while (fixture_wait_for_sleep (&self) != 1050 * MS)
    g_thread_yield ();
  fixture_advance_to (&self, 1050 * MS);
  gst_buffer_unref (pull_report (&self));
  fixture_clear (&self);
}

GST_END_TEST;

/* draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1: 7, 8 and 10 of the
 * transport, 4 ms (16 ticks of 250 us) after each other.  Symbols 1 1 0 1 are a vector
 * of one bit each: 10 1101 and zeros. */
GST_START_TEST (transport_wide_feedback_by_its_bytes)
{
  static const guint8 first[] = { 0x8F, 205, 0, 5, 0xAA, 0xBB, 0xCC, 0xDD, 0x11,
    0x11, 0x22, 0x22, 0, 6, 0, 1, ANY, ANY, ANY, 0, 0xA0, 0x00, ANY, 0 };
  static const guint8 second[] = { 0x8F, 205, 0, 6, 0xAA, 0xBB, 0xCC, 0xDD,
    0x11, 0x11, 0x22, 0x22, 0, 7, 0, 4, ANY, ANY, ANY, 1, 0xB4, 0x00, ANY, 16,
    16, 0, 0, 0 };
  Fixture self;

  start_with_share (&self, "twcc", TWCC_CAPS, 0.0);
  push_numbered (&self, 6);
  expect_report (&self, first, sizeof first);
  fixture_advance_to (&self, 1041 * MS);
  push_numbered (&self, 7);
  fixture_advance_to (&self, 1045 * MS);
  push_numbered (&self, 8);
  fixture_advance_to (&self, 1049 * MS);
  push_numbered (&self, 10);
  fixture_advance_to (&self, 1050 * MS);
  expect_report (&self, second, sizeof second);
  fixture_clear (&self);
}

GST_END_TEST;

/* RFC 8285 section 4.3: a sender that has other, longer elements puts all into that
 * form. */
GST_START_TEST (transport_numbers_are_read_in_either_form)
{
  static const guint ids[] = { 5, 14, 15, 255 };
  static const guint8 number[] = { 0, 6 };
  gchar *caps = g_strdup_printf (VIDEO_CAPS ", extmap-%u=" TFRC_WIRE_TWCC_URI,
      ids[__i__]);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer;
  guint8 data[16];
  Fixture self;

  start (&self, "twcc", caps);
  buffer = fixture_make_packet (&self);
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_add_extension_twobytes_header (&rtp, 0, (guint8) ids[__i__],
      number, sizeof number);
  gst_rtp_buffer_unmap (&rtp);
  push (&self, buffer);
  g_object_set (self.element, "feedback-interval", 50, NULL);
  fixture_wait_for_sleep (&self);
  buffer = gst_harness_try_pull (self.rtcp);
  fail_unless (buffer != NULL);
  gst_buffer_extract (buffer, 0, data, sizeof data);
  fail_unless_equals_int (data[0] & 0x1F, 15);
  fail_unless_equals_int (GST_READ_UINT16_BE (data + 12), 6);
  gst_buffer_unref (buffer);
  g_free (caps);
  fixture_clear (&self);
}

GST_END_TEST;

/* What is sent, by the property, the caps, and whether packets have our extensions; the
 * report is told by its FMT. */
GST_START_TEST (the_format_is_what_is_wanted)
{
  static const struct
  {
    const gchar *feedback;
    const gchar *caps;
    gboolean has_extension;
    guint fmt; /* 0 = none */
    const gchar *format;
    const gchar *mode;
  } cases[] = {
    { "auto", VIDEO_CAPS, FALSE, 0, "tfrc" },
    { "auto", TWCC_CAPS, FALSE, 0, "tfrc" },
    { "auto", TWCC_CAPS ", rtcp-fb-transport-cc=true", FALSE, 15, "twcc" },
    { "auto", VIDEO_CAPS ", rtcp-fb-transport-cc=true", FALSE, 0, "tfrc" },
    { "auto", VIDEO_CAPS ", rtcp-fb-ack-ccfb=true", FALSE, 11, "ccfb" },
    { "auto", VIDEO_CAPS ", rtcp-fb-ack-ccfb=true", FALSE, 11, "ccfb", "tfrc" },
    { "auto", EXTENSION_CAPS ", rtcp-fb-ack-ccfb=true", TRUE, 2, "tfrc" },
    { "ccfb", EXTENSION_CAPS, TRUE, 11, "ccfb" },
    { "twcc", TWCC_CAPS, FALSE, 15, "twcc" },
    { "twcc", VIDEO_CAPS, FALSE, 0, "twcc" },
    { "rr", EXTENSION_CAPS, TRUE, 0, "rr" },
    { "tfrc", TWCC_CAPS ", rtcp-fb-transport-cc=true", FALSE, 0, "tfrc" },
  };
  GstStructure *stats;
  Fixture self;
  guint8 fmt;

  start (&self, cases[__i__].feedback, cases[__i__].caps);
  if (cases[__i__].mode) {
    gst_element_set_state (self.element, GST_STATE_READY);
    gst_util_set_object_arg (G_OBJECT (self.element), "mode",
        cases[__i__].mode);
    gst_element_set_state (self.element, GST_STATE_PLAYING);
    gst_harness_set_src_caps_str (self.rtp, cases[__i__].caps);
  }
  if (cases[__i__].has_extension) {
    self.extension_id = EXTENSION_ID;
    fixture_push_packet (&self);
  } else {
    push_numbered (&self, 1);
  }
  g_object_get (self.element, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats,
                                 "feedback-format"),
      cases[__i__].format);
  gst_structure_free (stats);
  if (cases[__i__].fmt == 0) {
    fixture_wait_for_sleep (&self);
    fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtcp), 0);
  } else {
    GstBuffer *report = pull_report (&self);

    gst_buffer_extract (report, 0, &fmt, 1);
    fail_unless_equals_int (fmt & 0x1F, cases[__i__].fmt);
    gst_buffer_unref (report);
  }
  fixture_clear (&self);
}

GST_END_TEST;

/* The report is one of RFC 5348 or RFC 8888, as `fmt` says, and of one SSRC. */
static void
expect_format (Fixture *self, guint fmt, guint32 media_ssrc)
{
  GstBuffer *report = pull_report (self);
  guint8 data[12];

  fail_unless_equals_int (gst_buffer_extract (report, 0, data, sizeof data),
      sizeof data);
  fail_unless_equals_int (data[0] & 0x1F, fmt);
  fail_unless_equals_int (GST_READ_UINT32_BE (data + 8), media_ssrc);
  gst_buffer_unref (report);
}

/* A second packet waits for the next report when extensions appear: its number is told
 * in no other format. */
GST_START_TEST (arrivals_of_one_format_are_told_in_no_other)
{
  Fixture self;

  start (&self, "auto", VIDEO_CAPS ", rtcp-fb-ack-ccfb=true");
  fixture_push_packet (&self);
  expect_format (&self, 11, VIDEO_SSRC);
  fixture_push_packet (&self);
  fixture_wait_for_sleep (&self);
  g_object_set (self.element, "extension-id", EXTENSION_ID, NULL);
  self.extension_id = EXTENSION_ID;
  fixture_push_packet (&self);
  expect_format (&self, 2, VIDEO_SSRC);
  fixture_advance_to (&self, 1250 * MS);
  fixture_push_packet (&self);
  expect_format (&self, 2, VIDEO_SSRC);
  fixture_wait_for_sleep (&self);
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtcp), 0);
  fixture_clear (&self);
}

GST_END_TEST;

/* Numbers of the transport are those of no SSRC. */
GST_START_TEST (transport_numbers_are_told_in_no_other_format)
{
  Fixture self;

  start (&self, "auto", TWCC_CAPS ", rtcp-fb-transport-cc=true");
  push_numbered (&self, 6);
  expect_format (&self, 15, VIDEO_SSRC);
  push_numbered (&self, 7);
  fixture_wait_for_sleep (&self);
  gst_harness_set_src_caps_str (self.rtp, VIDEO_CAPS ", rtcp-fb-ack-ccfb=true");
  fixture_advance_to (&self, 1250 * MS);
  push_numbered (&self, 8);
  expect_format (&self, 11, VIDEO_SSRC);
  fixture_clear (&self);
}

GST_END_TEST;

/* Two streams of 500 at one instant, a third of them lost, are 2 x 8 + 2000 bytes and
 * head: all are told, each once, in reports that a path of 1280 bytes takes. */
GST_START_TEST (a_burst_is_told_in_several_reports)
{
  guint told[2] = { 0, 0 };
  Fixture self;

  /* Sound: no key frame is asked for. */
  start (&self, "ccfb",
      "application/x-rtp, media=audio, payload=96, clock-rate=90000");
  for (guint i = 0; i < 1000; i++) {
    GstBuffer *buffer = fixture_make_packet (&self);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_ssrc (&rtp, VIDEO_SSRC + i % 2);
    gst_rtp_buffer_set_seq (&rtp, (guint16) (65400 + i / 2));
    gst_rtp_buffer_unmap (&rtp);
    if (i % 6 < 4)
      push (&self, buffer);
    else
      gst_buffer_unref (buffer);
  }
  fixture_advance_to (&self, 1250 * MS);
  while (told[0] + told[1] < 668) {
    GstBuffer *report = pull_report (&self);
    TfrcReportedPacket packet;
    TfrcWireCcfbReader reader;
    TfrcPacketReport head;
    GstMapInfo map;

    gst_buffer_map (report, &map, GST_MAP_READ);
    fail_unless (map.size <= 1200);
    fail_unless_equals_int (tfrc_wire_begin_ccfb (&reader, map.data, map.size,
                                &head),
        TFRC_WIRE_FEEDBACK);
    while (tfrc_wire_next_ccfb (&reader, &packet))
      told[packet.ssrc - VIDEO_SSRC]++;
    gst_buffer_unmap (report, &map);
    gst_buffer_unref (report);
  }
  fail_unless_equals_int (told[0], 334);
  fail_unless_equals_int (told[1], 334);
  fixture_clear (&self);
}

GST_END_TEST;

static Suite *
packet_feedback_suite (void)
{
  Suite *suite = suite_create ("packet-feedback");
  TCase *tc = tcase_create ("virtual time");

  tcase_add_test (tc, rfc8888_by_its_bytes);
  tcase_add_test (tc, reports_keep_to_their_share);
  tcase_add_test (tc, transport_wide_feedback_by_its_bytes);
  tcase_add_loop_test (tc, transport_numbers_are_read_in_either_form, 0, 4);
  tcase_add_loop_test (tc, the_format_is_what_is_wanted, 0, 11);
  tcase_add_test (tc, arrivals_of_one_format_are_told_in_no_other);
  tcase_add_test (tc, transport_numbers_are_told_in_no_other_format);
  tcase_add_test (tc, a_burst_is_told_in_several_reports);
  suite_add_tcase (suite, tc);
  return suite;
}

GST_CHECK_MAIN (packet_feedback);
