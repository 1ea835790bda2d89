/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcsend writes into packets and reads from RTCP as the sender of a
 * TFMCC group. */

#include "send/group-fixture.h"

#include <gio/gio.h>
#include <gst/net/gstnetaddressmeta.h>

#include "tfrc-wire-bytes.h"
#include "tfrc-wire.h"
#include "units.h"

#define RECEIVER 0xDEADBEEF

#define EXTENSION_OFFSET 12
#define EXTENSION_SIZE 24

/* The header extension of the next packet; the send timestamp, which begins
 * anywhere, is taken out of it and returned. */
static guint32
pull_extension (SendFixture *f, gsize extension_offset,
    guint8 extension[EXTENSION_SIZE])
{
  GstBuffer *buffer = gst_harness_pull (f->rtp);
  guint8 *timestamp = extension + extension_offset + 4;
  guint32 send_time_us;

  assert_equals_int (gst_buffer_get_size (buffer), GROUP_PACKET_SIZE);
  gst_buffer_extract (buffer, EXTENSION_OFFSET, extension, EXTENSION_SIZE);
  gst_buffer_unref (buffer);
  send_time_us = tfrc_wire_get32 (timestamp);
  memset (timestamp, 0, 4);
  return send_time_us;
}

static void
assert_bytes (const guint8 *found, const guint8 *expected, gsize size)
{
  for (gsize i = 0; i < size; i++)
    fail_unless (found[i] == expected[i], "byte %u: %02x, not %02x", (guint) i,
        found[i], expected[i]);
}

/* First without an echo, 0x3FFF: S, F, no suppression; R_max is s/X + 1 ms =
 * 501 ms, 0x90.  Then with one, 0xF68C: C, E, S, F and 0.9 x 998.4 kbit/s =
 * 898.56 kbit/s, which is 100 x 2^13 (1 + 12/128) bit/s rounded down.  The
 * report of 0x01020304 came 100 ms before: 100000 us are 0x186A0. */
static const struct
{
  const gchar *extmap;
  gsize extension_offset;
  guint8 first[EXTENSION_SIZE];
  guint8 second[EXTENSION_SIZE];
} forms[] = {
  { "", 5, { 0xBE, 0xDE, 0, 5, 0xE7, 0x3F, 0xFF, 0x90, 0 },
      { 0xBE, 0xDE, 0, 5, 0xEF, 0xF6, 0x8C, 0x90, 0, 0, 0, 0, 0, 0xDE, 0xAD,
          0xBE, 0xEF, 0x01, 0x03, 0x89, 0xA4 } },
  { ", extmap-20=" TFMCC_WIRE_EXTENSION_URI, 6,
      { 0x10, 0, 0, 5, 20, 8, 0x3F, 0xFF, 0x90, 0 },
      { 0x10, 0, 0, 5, 20, 16, 0xF6, 0x8C, 0x90, 0, 0, 0, 0, 0, 0xDE, 0xAD,
          0xBE, 0xEF, 0x01, 0x03, 0x89, 0xA4 } },
};

GST_START_TEST (extensions_leave_byte_for_byte)
{
  gchar *caps = g_strconcat (VIDEO_CAPS, forms[__i__].extmap, NULL);
  gsize extension_offset = forms[__i__].extension_offset;
  TfmccReport report = { .ssrc = RECEIVER,
    .media_ssrc = SSRC,
    .rate = tfrc_rate_from_bits (1000000),
    .report_time_us = 0x01020304 };
  guint8 extension[EXTENSION_SIZE];
  guint32 send_time_us;
  SendFixture f;

  group_fixture_init (&f);
  send_fixture_start (&f, caps);
  send_fixture_push_packets (&f, 1);
  send_time_us = pull_extension (&f, extension_offset, extension);
  assert_bytes (extension, forms[__i__].first, EXTENSION_SIZE);

  send_fixture_run_until (&f, START + RTT);
  report.echo_time_us = send_time_us;
  group_fixture_push_report (&f, &report);
  send_fixture_run_until (&f, START + 2 * RTT);
  send_fixture_push_packets (&f, 1);
  assert_equals_int (pull_extension (&f, extension_offset, extension),
      send_time_us + 2 * RTT / TFRC_MICROSECOND);
  assert_bytes (extension, forms[__i__].second, EXTENSION_SIZE);
  g_free (caps);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Mode, extmap that comes in, extension-id; the protocol and the id that are
 * used. */
static const struct
{
  const gchar *mode;
  const gchar *extmap;
  guint property;
  const gchar *used_mode;
  guint id;
} choices[] = {
  { "tfmcc", "", 0, "tfmcc", SEND_ID },
  { "tfmcc", ", extmap-1=urn:a", 7, "tfmcc", 7 },
  { "tfmcc", ", extmap-14=" TFRC_WIRE_EXTENSION_URI, 0, "tfmcc", 13 },
  { "auto", "", 0, "tfrc", SEND_ID },
  { "auto", ", extmap-5=" TFMCC_WIRE_EXTENSION_URI, 7, "tfmcc", 5 },
  { "tfrc", ", extmap-14=" TFMCC_WIRE_EXTENSION_URI, 0, "tfrc", 13 },
};

/* Upstream never hears of the extension, and only TFRC has feedback to be
 * negotiated. */
GST_START_TEST (mode_and_caps_choose_the_protocol)
{
  gchar *caps_string = g_strconcat (VIDEO_CAPS, choices[__i__].extmap, NULL);
  gchar *field = g_strdup_printf ("extmap-%u", choices[__i__].id);
  gboolean group = g_str_equal (choices[__i__].used_mode, "tfmcc");
  GstStructure *stats;
  GstCaps *caps;
  SendFixture f;

  send_fixture_init (&f);
  gst_util_set_object_arg (G_OBJECT (f.element), "mode", choices[__i__].mode);
  g_object_set (f.element, "extension-id", choices[__i__].property, NULL);
  send_fixture_start (&f, caps_string);
  send_fixture_push_packets (&f, 1);
  gst_buffer_unref (gst_harness_pull (f.rtp));

  caps = gst_pad_get_current_caps (f.rtp->sinkpad);
  assert_equals_string (gst_structure_get_string (gst_caps_get_structure (caps,
                                                      0),
                            field),
      group ? TFMCC_WIRE_EXTENSION_URI : TFRC_WIRE_EXTENSION_URI);
  assert_equals_int (gst_structure_has_field (gst_caps_get_structure (caps, 0),
                         "rtcp-fb-tfrc"),
      !group);
  gst_harness_set_sink_caps (f.rtp, caps);
  caps = gst_pad_peer_query_caps (f.rtp->srcpad, NULL);
  fail_if (gst_structure_has_field (gst_caps_get_structure (caps, 0), field));
  gst_caps_unref (caps);
  g_object_get (f.element, "stats", &stats, NULL);
  assert_equals_string (gst_structure_get_string (stats, "mode"),
      choices[__i__].used_mode);
  gst_structure_free (stats);
  g_free (caps_string);
  g_free (field);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* An extension that the stream brings stays, before and after ours that
 * is shorter than its room. */
GST_START_TEST (an_extension_of_the_stream_stays)
{
  const guint8 level[] = { 42 };
  GstBuffer *buffer = send_fixture_make_packet (1, 1, PAYLOAD_SIZE);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean two_byte = __i__ == 1;
  SendFixture f;
  gpointer data;
  guint8 bits;
  guint size;

  group_fixture_init (&f);
  send_fixture_start (&f, VIDEO_CAPS ", extmap-3=urn:level");
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  if (two_byte)
    gst_rtp_buffer_add_extension_twobytes_header (&rtp, 0, 3, level, 1);
  else
    gst_rtp_buffer_add_extension_onebyte_header (&rtp, 3, level, 1);
  gst_rtp_buffer_unmap (&rtp);
  gst_harness_push (f.rtp, buffer);

  buffer = gst_harness_pull (f.rtp);
  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  fail_unless (two_byte ? gst_rtp_buffer_get_extension_twobytes_header (&rtp,
                              &bits, SEND_ID, 0, &data, &size)
                        : gst_rtp_buffer_get_extension_onebyte_header (&rtp,
                              SEND_ID, 0, &data, &size));
  assert_equals_int (size, TFMCC_WIRE_EXTENSION_SIZE);
  fail_unless (two_byte ? gst_rtp_buffer_get_extension_twobytes_header (&rtp,
                              &bits, 3, 0, &data, &size)
                        : gst_rtp_buffer_get_extension_onebyte_header (&rtp, 3,
                              0, &data, &size));
  assert_equals_int (*(guint8 *) data, 42);
  assert_equals_int (gst_rtp_buffer_get_payload_len (&rtp), PAYLOAD_SIZE);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* What comes in at rtcp_sink: whether it is passed on, and what it counts. */
static const guint8 remb[] = { 0x8F, 206, 0, 5, 9, 9, 9, 9, 0, 0, 0, 0, 'R',
  'E', 'M', 'B', 1, 0x0B, 0xD0, 0x90, 0x11, 0x11, 0x22, 0x22 };

static const struct
{
  const gchar *mode;
  gint offset;   /* of a byte of a good report ... */
  guint8 change; /* ... to flip bits of */
  gboolean passed;
  guint64 reports, foreign, malformed;
  gboolean diagnosed; /* the report has what no rate goes by */
} inputs[] = {
  { "tfmcc", 0, 0x00, FALSE, 1, 0, 0 },
  { "tfmcc", 11, 0x01, TRUE, 0, 1, 0 },  /* another media SSRC */
  { "tfmcc", 12, 0x01, TRUE, 0, 0, 0 },  /* another magic */
  { "tfmcc", 0, 0x01, TRUE, 0, 0, 0 },   /* FMT 14 */
  { "tfmcc", 19, 0x30, FALSE, 0, 0, 1 }, /* version 2 */
  { "tfmcc", 16, 0x10, FALSE, 0, 0, 1 }, /* diagnostics that are not there */
  { "tfmcc", 0, 0x00, FALSE, 1, 0, 0, TRUE },
  { "tfrc", 0, 0x00, TRUE, 0, 0, 0 },
  { "tfrc", 0, 0x00, TRUE, 0, 0, 0, TRUE },
};

GST_START_TEST (rtcp_for_others_passes)
{
  guint8 data[TFMCC_WIRE_REPORT_MAX];
  TfmccReport report = { .ssrc = RECEIVER, .media_ssrc = SSRC, .rate = 10000 };
  TfmccDiagnostics diagnostics = { .loss_event_rate = 0.5, .rtt = RTT };
  gboolean group = g_str_equal (inputs[__i__].mode, "tfmcc");
  GstBuffer *first;
  SendFixture f;
  gsize size;

  send_fixture_init (&f);
  gst_util_set_object_arg (G_OBJECT (f.element), "mode", inputs[__i__].mode);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  first = gst_harness_pull (f.rtp);
  if (group) {
    TfmccExtension extension;

    gst_buffer_extract (first, EXTENSION_OFFSET + 5 + 4,
        &extension.send_time_us, 4);
    report.echo_time_us = GUINT32_FROM_BE (extension.send_time_us);
  }
  gst_buffer_unref (first);
  send_fixture_run_until (&f, START + RTT);

  size = tfmcc_wire_write_report (data, &report,
      inputs[__i__].diagnosed ? &diagnostics : NULL);
  data[inputs[__i__].offset] ^= inputs[__i__].change;
  send_fixture_push_rtcp (&f, data, size);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp),
      inputs[__i__].passed);
  if (group)
    assert_equals_uint64 (send_fixture_get_stat (&f, "reports"),
        inputs[__i__].reports);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"),
      inputs[__i__].reports);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-foreign"),
      inputs[__i__].foreign);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-malformed"),
      inputs[__i__].malformed);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Sends a packet, and waits for what receivers may report of it; returns its extension. */
static TfmccExtension
start_flow (SendFixture *f)
{
  TfmccExtension extension;

  group_fixture_init (f);
  send_fixture_start (f, VIDEO_CAPS);
  send_fixture_push_packets (f, 1);
  extension = group_fixture_pull_extension (f, NULL);
  send_fixture_run_until (f, START + RTT);
  return extension;
}

/* A compound of TFRC feedback, a report and REMB, which is FMT 15 too: the
 * report alone is taken out. */
GST_START_TEST (a_report_is_taken_out_of_a_compound)
{
  guint8
      compound[TFRC_WIRE_FEEDBACK_SIZE + TFMCC_WIRE_REPORT_MAX + sizeof remb];
  SendPacket packet = { 0 };
  TfmccReport report;
  TfmccExtension extension;
  SendFixture f;
  GstBuffer *rest;
  gsize size;

  extension = start_flow (&f);
  send_fixture_make_feedback (compound, &packet, SSRC);
  report = group_fixture_make_report (&f, RECEIVER, 10000, &extension, RTT);
  size = TFRC_WIRE_FEEDBACK_SIZE;
  size += tfmcc_wire_write_report (compound + size, &report, NULL);
  memcpy (compound + size, remb, sizeof remb);
  send_fixture_push_rtcp (&f, compound, size + sizeof remb);

  rest = gst_harness_pull (f.rtcp);
  assert_equals_int (gst_buffer_get_size (rest),
      TFRC_WIRE_FEEDBACK_SIZE + sizeof remb);
  assert_equals_int (gst_buffer_memcmp (rest, 0, compound,
                         TFRC_WIRE_FEEDBACK_SIZE),
      0);
  assert_equals_int (gst_buffer_memcmp (rest, TFRC_WIRE_FEEDBACK_SIZE, remb,
                         sizeof remb),
      0);
  gst_buffer_unref (rest);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports"), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* One source has eight reports to its credit.  The rest of its flood, which
 * claims that it can take next to nothing, is not even read. */
GST_START_TEST (a_flood_of_reports_is_cut)
{
  TfmccReport report;
  TfmccExtension extension;
  SendFixture f;

  extension = start_flow (&f);
  report = group_fixture_make_report (&f, RECEIVER, 20000, &extension, RTT);
  group_fixture_push_report (&f, &report);
  report.ssrc = RECEIVER + 1;
  for (guint i = 0; i < 1000; i++) {
    report.rate = i < 8 ? tfrc_rate_from_bits (24000) : 1.0;
    group_fixture_push_report (&f, &report);
    report.report_time_us++;
  }
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports"), 1 + 8);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports-limited"), 992);
  assert_equals_uint64 (send_fixture_get_stat (&f, "receivers-seen"), 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "clr-changes"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "clr-bitrate"), 20000);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Eight of nine in one packet are read; none is passed on. */
GST_START_TEST (a_packet_of_many_reports_is_cut)
{
  guint8 data[9 * TFMCC_WIRE_REPORT_SIZE];
  TfmccReport report;
  TfmccExtension extension;
  SendFixture f;

  extension = start_flow (&f);
  for (guint i = 0; i < 9; i++) {
    report = group_fixture_make_report (&f, RECEIVER + i, 20000, &extension,
        RTT);
    tfmcc_wire_write_report (data + i * TFMCC_WIRE_REPORT_SIZE, &report, NULL);
  }
  send_fixture_push_rtcp (&f, data, sizeof data);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports"), 8);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-excess"), 1);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* An echo of what was never sent, a round that has not been. */
GST_START_TEST (impossible_reports_are_counted)
{
  TfmccReport report;
  TfmccExtension extension;
  SendFixture f;

  extension = start_flow (&f);
  report = group_fixture_make_report (&f, RECEIVER, 100, &extension, RTT);
  report.echo_time_us -= 60 * 1000000;
  group_fixture_push_report (&f, &report);
  report = group_fixture_make_report (&f, RECEIVER, 100, &extension, RTT);
  report.round++;
  group_fixture_push_report (&f, &report);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports-invalid"), 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-invalid"), 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Thousands of receivers that want a key frame within a second get one, and
 * those of the next second the next. */
GST_START_TEST (a_group_gets_one_key_frame_a_second)
{
  guint8 pli[TFRC_WIRE_PLI_SIZE];
  SendFixture f;

  group_fixture_init (&f);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  group_fixture_pull_extension (&f, NULL);
  for (guint i = 0; i < 3000; i++) {
    send_fixture_run_until (&f, START + i * MS / 4);
    tfrc_wire_write_pli (pli, RECEIVER + i, SSRC);
    send_fixture_push_rtcp (&f, pli, sizeof pli);
  }
  assert_equals_uint64 (send_fixture_get_stat (&f,
                            "key-frame-requests-received"),
      3000);
  assert_equals_uint64 (send_fixture_get_stat (&f, "key-frame-requests"), 1);
  send_fixture_run_until (&f, START + TFRC_SECOND);
  for (guint i = 0; i < 3000; i++) {
    tfrc_wire_write_pli (pli, RECEIVER + i, SSRC);
    send_fixture_push_rtcp (&f, pli, sizeof pli);
  }
  send_fixture_run_until (&f, START + TFRC_SECOND + 999 * MS);
  assert_equals_uint64 (send_fixture_get_stat (&f, "key-frame-requests"), 2);
  send_fixture_clear (&f);
}

GST_END_TEST;

static void
push_nack (SendFixture *self, guint32 ssrc, guint16 seq)
{
  guint8 nack[TFRC_WIRE_NACK_SIZE (1)];

  send_fixture_push_rtcp (self, nack,
      tfrc_wire_write_nack (nack, ssrc, SSRC, &seq, 1));
}

/* That of who asks: an answer to anybody has reached it by then, or is lost.  Whoever has
 * not reported may be R_max away.  Half of that if it asks again. */
GST_START_TEST (a_packet_is_sent_again_once_per_rtt_of_who_asks)
{
  static const struct
  {
    guint receiver, after_ms, sent;
  } asks[] = { { 1, 0, 1 }, { 1, 245, 1 }, { 1, 255, 2 }, { 0, 345, 2 },
    { 0, 525, 3 } };
  TfrcTime answered_at = START + 200 * MS;
  TfmccExtension extension;
  TfmccReport report;
  SendFixture f;
  guint16 seq;

  group_fixture_init (&f);
  gst_util_set_object_arg (G_OBJECT (f.element), "retransmission", "on");
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  extension = group_fixture_pull_extension (&f, &seq);
  send_fixture_run_until (&f, START + 190 * MS);
  report = group_fixture_make_report (&f, RECEIVER, 64000, &extension,
      100 * MS);
  group_fixture_push_report (&f, &report);
  for (guint i = 0; i < G_N_ELEMENTS (asks); i++) {
    send_fixture_run_until (&f, answered_at + asks[i].after_ms * MS);
    push_nack (&f, RECEIVER + asks[i].receiver, seq);
    send_fixture_run_until (&f, answered_at + asks[i].after_ms * MS + MS);
    assert_equals_uint64 (send_fixture_get_stat (&f, "retransmissions-sent"),
        asks[i].sent);
  }
  assert_equals_uint64 (send_fixture_get_stat (&f, "max-rtt-ns"), 501 * MS);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* What one has asked for says nothing of the pictures of the others. */
GST_START_TEST (a_key_frame_for_one_leaves_others_their_repair)
{
  guint8 pli[TFRC_WIRE_PLI_SIZE];
  SendFixture f;
  guint16 seq;

  group_fixture_init (&f);
  gst_util_set_object_arg (G_OBJECT (f.element), "retransmission", "on");
  g_object_set (f.element, "min-bitrate", 1000000, NULL);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 6);
  group_fixture_pull_extension (&f, &seq);
  send_fixture_run_until (&f, START + 100 * MS);
  fail_unless (gst_harness_buffers_in_queue (f.rtp) >= 5);
  tfrc_wire_write_pli (pli, RECEIVER, SSRC);
  send_fixture_push_rtcp (&f, pli, sizeof pli);
  send_fixture_run_until (&f, START + 200 * MS);
  assert_equals_uint64 (send_fixture_get_stat (&f, "key-frame-requests"), 1);
  send_fixture_push_frame (&f, TRUE);
  push_nack (&f, RECEIVER + 1, seq);
  send_fixture_run_until (&f, START + 300 * MS);
  assert_equals_uint64 (send_fixture_get_stat (&f, "retransmissions-sent"), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* It takes what is sent, and costs the others no key frame and no repair. */
GST_START_TEST (who_is_excluded_asks_in_vain)
{
  guint8 pli[TFRC_WIRE_PLI_SIZE];
  gboolean excluded;
  SendFixture f;
  guint16 seq;

  group_fixture_init (&f);
  gst_util_set_object_arg (G_OBJECT (f.element), "retransmission", "on");
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  group_fixture_pull_extension (&f, &seq);
  g_signal_emit_by_name (f.element, "exclude-receiver", RECEIVER, &excluded);
  fail_unless (excluded);
  for (guint i = 0; i < 2; i++) {
    tfrc_wire_write_pli (pli, RECEIVER + i, SSRC);
    send_fixture_push_rtcp (&f, pli, sizeof pli);
    assert_equals_uint64 (send_fixture_get_stat (&f,
                              "key-frame-requests-received"),
        i);
    push_nack (&f, RECEIVER + i, seq);
    assert_equals_uint64 (send_fixture_get_stat (&f, "retransmissions-asked"),
        i);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

static void
push_report_from (SendFixture *self, const gchar *host, guint port,
    guint32 ssrc)
{
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new_from_string (host, port);
  const TfmccReport report = { .ssrc = ssrc, .media_ssrc = SSRC, .rate = 1e4 };
  guint8 data[TFMCC_WIRE_REPORT_MAX];
  gsize size = tfmcc_wire_write_report (data, &report, NULL);
  GstBuffer *buffer = gst_buffer_new_memdup (data, size);

  gst_buffer_add_net_address_meta (buffer, address);
  assert_equals_int (gst_harness_push (self->rtcp, buffer), GST_FLOW_OK);
}

/* Another SSRC and port each time. */
GST_START_TEST (who_is_excluded_by_address_is_not_heard)
{
  gboolean done;
  SendFixture f;

  group_fixture_init (&f);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  g_signal_emit_by_name (f.element, "exclude-address", "192.0.2.7:5004", &done);
  fail_unless (done);
  for (guint i = 0; i < 3; i++)
    push_report_from (&f, "192.0.2.7", 6000 + i, RECEIVER + i);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports-excluded"), 3);
  push_report_from (&f, "192.0.2.70", 6000, RECEIVER);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports-excluded"), 3);
  g_signal_emit_by_name (f.element, "admit-address", "192.0.2.7", &done);
  fail_unless (done);
  push_report_from (&f, "192.0.2.7", 6000, RECEIVER);
  assert_equals_uint64 (send_fixture_get_stat (&f, "reports-excluded"), 3);
  g_signal_emit_by_name (f.element, "exclude-address", NULL, &done);
  fail_if (done);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* All fields that docs list. */
GST_START_TEST (stats_have_the_fields_of_a_group)
{
  const gchar *fields[] = { "clr-bitrate", "clr-rtt-ns", "round", "max-rtt-ns",
    "reports", "reports-clr", "reports-invalid", "leaves", "clr-changes",
    "clr-timeouts", "starvations", "allowed-rate", "packets", "reports-limited",
    "reports-colliding", "reports-below-floor", "reports-rtt-bounded",
    "receivers-seen" };
  GstStructure *stats;
  SendFixture f;
  gdouble rate;

  group_fixture_init (&f);
  send_fixture_start (&f, VIDEO_CAPS);
  /* And that plus a millisecond. */
  assert_equals_uint64 (send_fixture_get_stat (&f, "max-rtt-ns"), 501 * MS);
  g_object_get (f.element, "stats", &stats, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    fail_unless (gst_structure_has_field (stats, fields[i]), "%s", fields[i]);
  /* A packet of the mtu per initial-max-rtt. */
  fail_unless (gst_structure_get_double (stats, "allowed-rate", &rate)
      && rate == 2 * 1400);
  fail_unless (gst_structure_has_field_typed (stats, "clr-ssrc", G_TYPE_UINT));
  fail_unless (gst_structure_has_field_typed (stats, "slow-start",
      G_TYPE_BOOLEAN));
  gst_structure_free (stats);
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
rtptfrcsendgroup_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsendgroup");
  TCase *extension = tcase_create ("extension");
  TCase *rtcp = tcase_create ("rtcp");

  tcase_add_loop_test (extension, extensions_leave_byte_for_byte, 0,
      G_N_ELEMENTS (forms));
  tcase_add_loop_test (extension, mode_and_caps_choose_the_protocol, 0,
      G_N_ELEMENTS (choices));
  tcase_add_loop_test (extension, an_extension_of_the_stream_stays, 0, 2);
  suite_add_tcase (suite, extension);
  tcase_add_loop_test (rtcp, rtcp_for_others_passes, 0, G_N_ELEMENTS (inputs));
  tcase_add_test (rtcp, a_report_is_taken_out_of_a_compound);
  tcase_add_test (rtcp, a_flood_of_reports_is_cut);
  tcase_add_test (rtcp, a_packet_of_many_reports_is_cut);
  tcase_add_test (rtcp, impossible_reports_are_counted);
  tcase_add_test (rtcp, a_group_gets_one_key_frame_a_second);
  tcase_add_test (rtcp, a_packet_is_sent_again_once_per_rtt_of_who_asks);
  tcase_add_test (rtcp, a_key_frame_for_one_leaves_others_their_repair);
  tcase_add_test (rtcp, who_is_excluded_asks_in_vain);
  tcase_add_test (rtcp, who_is_excluded_by_address_is_not_heard);
  tcase_add_test (rtcp, stats_have_the_fields_of_a_group);
  suite_add_tcase (suite, rtcp);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsendgroup);
