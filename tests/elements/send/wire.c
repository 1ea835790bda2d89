/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcsend writes into packets and reads from RTCP. */

#include "send/fixture.h"
#include "common/properties.h"

#include <gst/video/video.h>

#include "base/trace.h"
#include "tfrc-wire.h"

/* Caps that come in, the property, and the id that goes out. */
static const struct
{
  const gchar *extmap;
  guint property;
  guint id;
} ids[] = {
  { "", 0, SEND_ID },
  { ", extmap-14=urn:a, extmap-13=urn:b", 0, 12 },
  { "", 7, 7 },
  { ", extmap-5=" TFRC_WIRE_EXTENSION_URI, 7, 5 },
  { "", 200, 200 },
  { ", extmap-200=" TFRC_WIRE_EXTENSION_URI, 0, 200 },
};

static SendFixture f;

static void
set_up (void)
{
  send_fixture_init (&f);
}

/* Upstream never hears of the extension. */
GST_START_TEST (caps_downstream_name_the_extension)
{
  gchar *caps_string = g_strconcat (VIDEO_CAPS, ids[__i__].extmap, NULL);
  gchar *field = g_strdup_printf ("extmap-%u", ids[__i__].id);
  GstStructure *structure;
  gboolean feedback;
  GstBuffer *buffer;
  GstCaps *caps;

  g_object_set (f.element, "extension-id", ids[__i__].property, NULL);
  send_fixture_start (&f, caps_string);
  send_fixture_push_packets (&f, 1);
  buffer = gst_harness_pull (f.rtp);
  fail_unless (send_fixture_read_packet (buffer, ids[__i__].id).has_extension);
  gst_buffer_unref (buffer);

  caps = gst_pad_get_current_caps (f.rtp->sinkpad);
  structure = gst_caps_get_structure (caps, 0);
  assert_equals_string (gst_structure_get_string (structure, field),
      TFRC_WIRE_EXTENSION_URI);
  fail_unless (gst_structure_get_boolean (structure, "rtcp-fb-tfrc", &feedback)
      && feedback);
  gst_harness_set_sink_caps (f.rtp, caps);
  caps = gst_pad_peer_query_caps (f.rtp->srcpad, NULL);
  fail_if (gst_structure_has_field (gst_caps_get_structure (caps, 0), field));
  gst_caps_unref (caps);
  g_free (caps_string);
  g_free (field);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* One, with these words. */
static void
assert_warning (GstBus *bus, const gchar *words)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GError *warning = NULL;

  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (strstr (warning->message, words) != NULL, "%s",
      warning->message);
  g_error_free (warning);
  gst_message_unref (message);
  fail_if (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
}

/* Once for a run; equal bounds, or none above, are right. */
GST_START_TEST (bounds_that_cross_are_told)
{
  static const guint most[] = { 1999999, 2000000, 0 };
  GstElement *send = gst_element_factory_make ("rtptfrcsend", NULL);
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (send, bus);
  g_object_set (send, "min-bitrate", 2000000, "max-bitrate", most[__i__], NULL);
  gst_element_set_state (send, GST_STATE_PAUSED);
  if (__i__ == 0)
    assert_warning (bus, "min-bitrate is 2000000 and max-bitrate 1999999");
  else
    fail_if (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
  gst_element_set_state (send, GST_STATE_NULL);
  gst_element_set_bus (send, NULL);
  gst_object_unref (bus);
  gst_object_unref (send);
}

GST_END_TEST;

/* Extensions that packets bring, and whether ours has place beside. */
typedef enum
{
  ONE_BYTE,
  TWO_BYTE,
  FOREIGN
} Form;

static const struct
{
  Form form;
  guint id;          /* of the extension */
  gboolean two_byte; /* form of the packet that leaves */
  guint64 without_extension;
} forms[] = {
  { ONE_BYTE, 1, FALSE, 0 },
  { TWO_BYTE, 1, TRUE, 0 },
  { ONE_BYTE, 20, FALSE, 1 },
  { TWO_BYTE, 20, TRUE, 0 },
  { FOREIGN, 1, FALSE, 1 },
};

GST_START_TEST (an_extension_of_the_stream_stays)
{
  const guint8 level[] = { 42 };
  GstBuffer *buffer = send_fixture_make_packet (1, 1, PAYLOAD_SIZE);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint id = forms[__i__].id;
  gpointer data;
  guint size;
  guint8 bits;
  guint16 profile;

  g_object_set (f.element, "extension-id", id, NULL);
  send_fixture_start (&f, VIDEO_CAPS ", extmap-3=urn:level");
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  if (forms[__i__].form == ONE_BYTE)
    gst_rtp_buffer_add_extension_onebyte_header (&rtp, 3, level, 1);
  else if (forms[__i__].form == TWO_BYTE)
    gst_rtp_buffer_add_extension_twobytes_header (&rtp, 0, 3, level, 1);
  else
    gst_rtp_buffer_set_extension_data (&rtp, 0xABAC, 1);
  gst_rtp_buffer_unmap (&rtp);
  gst_harness_push (f.rtp, buffer);

  buffer = gst_harness_pull (f.rtp);
  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  if (forms[__i__].two_byte) {
    fail_unless (gst_rtp_buffer_get_extension_twobytes_header (&rtp, &bits, id,
        0, &data, &size));
    assert_equals_int (size, TFRC_WIRE_EXTENSION_SIZE);
    fail_unless (gst_rtp_buffer_get_extension_twobytes_header (&rtp, &bits, 3,
        0, &data, &size));
    assert_equals_int (*(guint8 *) data, 42);
  } else if (forms[__i__].form == ONE_BYTE) {
    assert_equals_int (gst_rtp_buffer_get_extension_onebyte_header (&rtp,
                           (guint8) MIN (id, 14), 0, &data, &size),
        id < 15);
    fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp, 3, 0, &data,
        &size));
    assert_equals_int (*(guint8 *) data, 42);
  } else {
    gst_rtp_buffer_get_extension_data (&rtp, &profile, &data, &size);
    assert_equals_int (profile, 0xABAC);
  }
  assert_equals_int (gst_rtp_buffer_get_payload_len (&rtp), PAYLOAD_SIZE);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  assert_equals_uint64 (send_fixture_get_stat (&f, "packets-not-stamped"),
      forms[__i__].without_extension);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* 3 is the level's: the highest free id, 14, is ours, and the level keeps its;
 * who has told a receiver 3 hears of it. */
GST_START_TEST (an_id_of_another_extension_is_not_taken)
{
  GstBus *bus = gst_bus_new ();
  GstCaps *caps;
  const GstStructure *structure;

  gst_element_set_bus (f.element, bus);
  g_object_set (f.element, "extension-id", 3, NULL);
  send_fixture_start (&f, VIDEO_CAPS ", extmap-3=urn:level");
  gst_harness_push (f.rtp, send_fixture_make_packet (1, 1, PAYLOAD_SIZE));
  gst_buffer_unref (gst_harness_pull (f.rtp));
  caps = gst_pad_get_current_caps (f.rtp->sinkpad);
  structure = gst_caps_get_structure (caps, 0);
  assert_equals_string (gst_structure_get_string (structure, "extmap-3"),
      "urn:level");
  assert_equals_string (gst_structure_get_string (structure, "extmap-14"),
      TFRC_WIRE_EXTENSION_URI);
  gst_caps_unref (caps);
  assert_warning (bus, "id 3 is that of another");
  gst_element_set_bus (f.element, NULL);
  gst_object_unref (bus);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Nobody's caps have told of it: the caps of the funnel before us are bare.
 * The extension moves with the first packet that shows it, and the caps with it. */
GST_START_TEST (an_extension_that_only_packets_show_keeps_its_id)
{
  const guint8 mid[TFRC_WIRE_EXTENSION_SIZE] = "seventh";
  GstBuffer *buffer = send_fixture_make_packet (1, 1, PAYLOAD_SIZE);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBus *bus = gst_bus_new ();
  gpointer data;
  guint size;
  GstCaps *caps;

  gst_element_set_bus (f.element, bus);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  send_fixture_pull_packet (&f);
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, SEND_ID, mid, sizeof mid);
  gst_rtp_buffer_unmap (&rtp);
  gst_harness_push (f.rtp, buffer);
  send_fixture_run_until (&f, START + TFRC_SECOND);

  buffer = gst_harness_pull (f.rtp);
  fail_unless (send_fixture_read_packet (buffer, SEND_ID - 1).has_extension);
  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp, SEND_ID, 0,
      &data, &size));
  assert_equals_int (size, sizeof mid);
  fail_unless (memcmp (data, mid, size) == 0);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  caps = gst_pad_get_current_caps (f.rtp->sinkpad);
  assert_equals_string (gst_structure_get_string (gst_caps_get_structure (caps,
                                                      0),
                            "extmap-13"),
      TFRC_WIRE_EXTENSION_URI);
  gst_caps_unref (caps);
  assert_warning (bus, "ours now has id 13");
  gst_element_set_bus (f.element, NULL);
  gst_object_unref (bus);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* What is no RTP packet is dropped, what is above the MTU passes; both count. */
GST_START_TEST (packets_without_caps_are_warned_of)
{
  GstBus *bus = gst_bus_new ();
  GstSegment segment;

  gst_element_set_bus (f.element, bus);
  f.rtp = gst_harness_new_with_element (f.element, "sink", "src");
  f.rtcp = gst_harness_new_with_element (f.element, "rtcp_sink", "rtcp_src");
  gst_harness_set_src_caps_str (f.rtcp, "application/x-rtcp");
  gst_harness_play (f.rtp);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f.rtp, gst_event_new_stream_start ("bare"));
  gst_harness_push_event (f.rtp, gst_event_new_segment (&segment));
  gst_harness_push (f.rtp, send_fixture_make_packet (1, 1, PAYLOAD_SIZE));
  gst_buffer_unref (gst_harness_pull (f.rtp));

  assert_equals_uint64 (send_fixture_get_stat (&f, "packets-not-stamped"), 1);
  assert_warning (bus, "caps");
  gst_element_set_bus (f.element, NULL);
  gst_object_unref (bus);
  send_fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (bad_input_is_counted_and_warned_of_once)
{
  GstBus *bus = gst_bus_new ();
  GstBuffer *buffer;

  gst_element_set_bus (f.element, bus);
  send_fixture_start (&f, VIDEO_CAPS);
  gst_harness_push (f.rtp, gst_buffer_new_memdup ("no RTP", 6));
  gst_harness_push (f.rtp, gst_buffer_new ());
  gst_harness_push (f.rtp, send_fixture_make_packet (1, 1, 1400));
  buffer = gst_harness_pull (f.rtp);
  assert_equals_int (gst_buffer_get_size (buffer), 1424);
  gst_buffer_unref (buffer);
  assert_equals_uint64 (send_fixture_get_stat (&f, "packets-invalid"), 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "packets-oversize"), 1);
  assert_warning (bus, "no RTP packets");
  gst_element_set_bus (f.element, NULL);
  gst_object_unref (bus);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Of SDES-like foreign packet, feedback and SR request the first alone is
 * left. */
GST_START_TEST (our_feedback_is_taken_out_of_a_compound)
{
  guint8 compound[TFRC_WIRE_PREFIX_MAX + TFRC_WIRE_FEEDBACK_SIZE + 12];
  guint8 sr_request[12] = { 0x85, 205, 0, 2, 1, 2, 3, 4, 0x11, 0x11, 0x22,
    0x22 };
  gsize prefix;
  GstBuffer *rest;
  SendPacket packet;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  packet = send_fixture_pull_packet (&f);
  send_fixture_run_until (&f, START + RTT);
  prefix = tfrc_wire_write_prefix (compound, sizeof compound, RECEIVER_SSRC,
      "me");
  send_fixture_make_feedback (compound + prefix, &packet, SSRC);
  memcpy (compound + prefix + TFRC_WIRE_FEEDBACK_SIZE, sr_request, 12);
  send_fixture_push_rtcp (&f, compound, prefix + TFRC_WIRE_FEEDBACK_SIZE + 12);
  rest = gst_harness_pull (f.rtcp);
  assert_equals_int (gst_buffer_get_size (rest), prefix);
  fail_unless (gst_buffer_memcmp (rest, 0, compound, prefix) == 0);
  gst_buffer_unref (rest);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "sr-requests-filtered"), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Reduced-size feedback leaves nothing to push; that for another SSRC, for
 * another sender behind us, passes and has no effect. */
GST_START_TEST (feedback_for_others_passes)
{
  guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE];
  SendPacket packet;

  send_fixture_start (&f, VIDEO_CAPS);
  packet = send_fixture_start_flow (&f);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  send_fixture_make_feedback (feedback, &packet, SSRC + 1);
  send_fixture_push_rtcp (&f, feedback, sizeof feedback);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-foreign"), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Every length of a report but the right one. */
GST_START_TEST (truncated_feedback_is_counted)
{
  guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE];
  SendPacket packet;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  packet = send_fixture_pull_packet (&f);
  send_fixture_make_feedback (feedback, &packet, SSRC);
  for (gsize size = 1; size < sizeof feedback; size++)
    send_fixture_push_rtcp (&f, feedback, size);
  assert_equals_uint64 (send_fixture_get_stat (&f, "rtcp-malformed"),
      sizeof feedback - 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 0);
  feedback[3]--; /* an honest length, but not ours */
  send_fixture_push_rtcp (&f, feedback, sizeof feedback - 4);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-malformed"), 1);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

static void
assert_key_request (SendFixture *self)
{
  GstEvent *event;
  gboolean all_headers;
  guint ssrc;

  do {
    event = gst_harness_pull_upstream_event (self->rtp);
    fail_unless (event != NULL);
    if (gst_video_event_is_force_key_unit (event))
      break;
    gst_event_unref (event);
  } while (TRUE);
  fail_unless (gst_video_event_parse_upstream_force_key_unit (event, NULL,
      &all_headers, NULL));
  fail_unless (all_headers);
  fail_unless (gst_structure_get_uint (gst_event_get_structure (event), "ssrc",
      &ssrc));
  assert_equals_int (ssrc, SSRC);
  gst_event_unref (event);
}

/* PLI, FIR and the event of an rtpsession within one second give one request,
 * and none of the packets reaches the rtpsession. */
GST_START_TEST (key_frame_requests_are_limited_to_one_a_second)
{
  guint8 pli[TFRC_WIRE_PLI_SIZE];
  guint8 fir[20] = { 0x84, 206, 0, 4, 1, 2, 3, 4, 0, 0, 0, 0, 0x11, 0x11, 0x22,
    0x22, 9, 0, 0, 0 };

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  send_fixture_pull_packet (&f);
  tfrc_wire_write_pli (pli, RECEIVER_SSRC, SSRC);
  send_fixture_push_rtcp (&f, pli, sizeof pli);
  assert_key_request (&f);
  send_fixture_push_rtcp (&f, fir, sizeof fir);
  gst_harness_push_upstream_event (f.rtp,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0));
  send_fixture_run_until (&f, START + 900 * TFRC_MILLISECOND);
  assert_equals_uint64 (send_fixture_get_stat (&f, "key-frame-requests"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f,
                            "key-frame-requests-received"),
      3);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);

  send_fixture_run_until (&f, START + TFRC_SECOND);
  send_fixture_push_rtcp (&f, fir, sizeof fir);
  assert_key_request (&f);
  assert_equals_uint64 (send_fixture_get_stat (&f, "key-frame-requests"), 2);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* All columns of the protocol's sender side are there. */
GST_START_TEST (stats_have_all_columns_of_the_sender)
{
  GstStructure *stats;
  const TfrcTraceColumn *columns;
  size_t n;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  g_object_get (f.element, "stats", &stats, NULL);
  columns = tfrc_trace_get_columns (&n);
  for (size_t i = 0; i < n; i++)
    assert_equals_int (gst_structure_has_field (stats, columns[i].name),
        (columns[i].sides & TFRC_TRACE_SENDER) != 0);
  gst_structure_free (stats);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* By another sender, to its smaller mtu. */
static void
set_payloader_elsewhere (GstElement *pay)
{
  GstElement *other = gst_element_factory_make ("rtptfrcsend", NULL);

  gst_object_ref_sink (other);
  g_object_set (other, "mtu", 800, NULL);
  fail_unless (gst_element_link_pads (pay, "src", other, "sink"));
  gst_element_set_state (other, GST_STATE_PAUSED);
  gst_element_set_state (other, GST_STATE_NULL);
  gst_element_unlink (pay, other);
  gst_object_unref (other);
}

/* 1200 bytes at most leave, of which 16 may be the extension.  The element plays before the
 * payloader is linked, which may have had another sender. */
GST_START_TEST (payloaders_are_set_to_fit_the_mtu)
{
  GstElement *pay = gst_element_factory_make ("rtpvrawpay", NULL);
  GstHarness *in = gst_harness_new_with_element (pay, "sink", NULL);
  GstPad *srcpad = gst_element_get_static_pad (pay, "src");
  GstPad *sinkpad;
  guint mtu;

  if (__i__ > 0) {
    set_payloader_elsewhere (pay);
    g_object_get (pay, "mtu", &mtu, NULL);
    assert_equals_int (mtu, 800 - 16);
  }
  g_object_set (f.element, "mtu", 1200, NULL);
  f.rtp = gst_harness_new_with_element (f.element, NULL, "src");
  sinkpad = gst_element_get_static_pad (f.element, "sink");
  assert_equals_int (gst_pad_link (srcpad, sinkpad), GST_PAD_LINK_OK);
  gst_harness_set_src_caps_str (in,
      "video/x-raw, format=UYVY, width=16, "
      "height=16, framerate=30/1");
  gst_harness_push (in, gst_harness_create_buffer (in, 16 * 16 * 2));
  gst_buffer_unref (gst_harness_pull (f.rtp));
  g_object_get (pay, "mtu", &mtu, NULL);
  assert_equals_int (mtu, 1200 - 16);

  gst_object_unref (srcpad);
  gst_object_unref (sinkpad);
  gst_harness_teardown (in);
  gst_harness_teardown (f.rtp);
  gst_object_unref (pay);
  gst_element_set_bus (f.element, NULL);
  gst_object_unref (f.bus);
  gst_object_unref (f.element);
  gst_system_clock_set_default (NULL);
  gst_object_unref (f.clock);
}

GST_END_TEST;

/* Caps come with the first packets, which are made by then: the payloaders that are there
 * in PAUSED know before, of the first run and of a second one with larger packets.  With
 * mode=auto caps may yet say TFMCC, and lower them by what its extension is larger. */
GST_START_TEST (payloaders_fit_from_the_first_packet_on)
{
  static const gint modes[] = { GST_TFRC_MODE_TFRC, GST_TFRC_MODE_TFMCC,
    GST_TFRC_MODE_AUTO };
  static const guint overheads[] = { 16, 24, 16 };
  static const guint mtus[] = { 800, 1200 };
  static const gchar *const names[] = { "sink", "sink_1" };
  GstElement *pays[2];
  GstPad *srcpads[2], *sinkpads[2];
  guint mtu;

  g_object_set (f.element, "mode", modes[__i__], NULL);
  sinkpads[0] = gst_element_get_static_pad (f.element, names[0]);
  sinkpads[1] = gst_element_request_pad_simple (f.element, names[1]);
  for (guint i = 0; i < 2; i++) {
    pays[i] = gst_element_factory_make ("rtpvrawpay", NULL);
    srcpads[i] = gst_element_get_static_pad (pays[i], "src");
    assert_equals_int (gst_pad_link (srcpads[i], sinkpads[i]), GST_PAD_LINK_OK);
  }
  for (guint run = 0; run < G_N_ELEMENTS (mtus); run++) {
    g_object_set (f.element, "mtu", mtus[run], NULL);
    gst_element_set_state (f.element, GST_STATE_PAUSED);
    for (guint i = 0; i < 2; i++) {
      g_object_get (pays[i], "mtu", &mtu, NULL);
      assert_equals_int (mtu, mtus[run] - overheads[__i__]);
    }
    gst_element_set_state (f.element, GST_STATE_NULL);
  }

  for (guint i = 0; i < 2; i++) {
    gst_object_unref (srcpads[i]);
    gst_object_unref (sinkpads[i]);
    gst_object_unref (pays[i]);
  }
  gst_element_set_bus (f.element, NULL);
  gst_object_unref (f.bus);
  gst_object_unref (f.element);
  gst_system_clock_set_default (NULL);
  gst_object_unref (f.clock);
}

GST_END_TEST;

static Suite *
rtptfrcsendwire_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsendwire");
  TCase *extension = tcase_create ("extension");
  TCase *rtcp = tcase_create ("rtcp");
  TCase *settings = tcase_create ("settings");

  tcase_add_loop_test (extension, caps_downstream_name_the_extension, 0,
      G_N_ELEMENTS (ids));
  tcase_add_loop_test (extension, an_extension_of_the_stream_stays, 0,
      G_N_ELEMENTS (forms));
  tcase_add_test (extension, an_id_of_another_extension_is_not_taken);
  tcase_add_test (extension, an_extension_that_only_packets_show_keeps_its_id);
  tcase_add_test (extension, packets_without_caps_are_warned_of);
  tcase_add_test (extension, bad_input_is_counted_and_warned_of_once);
  tcase_add_loop_test (extension, payloaders_are_set_to_fit_the_mtu, 0, 2);
  tcase_add_loop_test (extension, payloaders_fit_from_the_first_packet_on, 0,
      3);
  suite_add_tcase (suite, extension);
  tcase_add_checked_fixture (extension, set_up, NULL);
  tcase_add_test (rtcp, our_feedback_is_taken_out_of_a_compound);
  tcase_add_test (rtcp, feedback_for_others_passes);
  tcase_add_test (rtcp, truncated_feedback_is_counted);
  tcase_add_test (rtcp, key_frame_requests_are_limited_to_one_a_second);
  tcase_add_test (rtcp, stats_have_all_columns_of_the_sender);
  suite_add_tcase (suite, rtcp);
  tcase_add_checked_fixture (rtcp, set_up, NULL);
  suite_add_tcase (suite, settings);
  tcase_add_loop_test (settings, bounds_that_cross_are_told, 0, 3);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsendwire);
