/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend in a harness, under a test clock: nothing sleeps. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/rtp.h>
#include <gst/video/video.h>

#include "tfrc-trace.h"
#include "tfrc-wire-extension.h"
#include "tfrc-wire-feedback.h"
#include "tfrc-wire-rtcp.h"

#define SSRC 0x11112222
#define RECEIVER_SSRC 0x99998888
#define VIDEO_CAPS "application/x-rtp, media=video, clock-rate=90000, " \
    "encoding-name=VP8, payload=96, ssrc=(uint)286335522"       /* SSRC */
#define PAYLOAD_SIZE 414
/* Header 12, extension header 4, element 1 + 7, payload. */
#define PACKET_SIZE (12 + 4 + 8 + PAYLOAD_SIZE)
#define START TFRC_SECOND
#define RTT (100 * TFRC_MILLISECOND)
/* W_init / R = max (2 x 1400, 4380) / 0.1 s = 43800 bytes/s (RFC 5348 section
 * 4.2), at which a packet of 438 bytes takes 10 ms. */
#define PACKET_TIME (10 * TFRC_MILLISECOND)

/* The element with both its flows, at a time that only the test moves. */
typedef struct
{
  GstTestClock *clock;
  GstElement *element;
  GstHarness *rtp;
  GstHarness *rtcp;
  guint16 seq;
} Fixture;

/* What the test reads of a packet that left. */
typedef struct
{
  guint16 seq;
  guint32 timestamp;
  gboolean stamped;
  TfrcStamp stamp;
} Packet;

static void
fixture_init (Fixture *self)
{
  memset (self, 0, sizeof (*self));
  self->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_system_clock_set_default (GST_CLOCK (self->clock));
  self->element = gst_element_factory_make ("rtptfrcsend", NULL);
  fail_unless (self->element != NULL);
  self->seq = 65534;
}

static void
fixture_start (Fixture *self, const gchar *caps)
{
  self->rtp = gst_harness_new_with_element (self->element, "sink", "src");
  self->rtcp =
      gst_harness_new_with_element (self->element, "rtcp_sink", "rtcp_src");
  gst_harness_set_src_caps_str (self->rtcp, "application/x-rtcp");
  gst_harness_set_src_caps_str (self->rtp, caps);
}

static void
fixture_clear (Fixture *self)
{
  gst_harness_teardown (self->rtcp);
  gst_harness_teardown (self->rtp);
  gst_object_unref (self->element);
  gst_system_clock_set_default (NULL);
  gst_object_unref (self->clock);
}

/* Goes through all deadlines of the task until `at`, and waits until it sleeps
 * beyond. */
static void
run_until (Fixture *self, TfrcTime at)
{
  TfrcTime deadline;
  GstClockID id;

  for (;;) {
    gst_test_clock_wait_for_next_pending_id (self->clock, &id);
    deadline = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    if (deadline > at)
      break;
    fail_unless (gst_test_clock_crank (self->clock));
  }
  gst_test_clock_set_time (self->clock, at);
}

static GstBuffer *
make_packet (guint16 seq, guint32 timestamp, guint payload_size)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload_size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  /* VP8, start of a frame that is no key frame. */
  memset (gst_rtp_buffer_get_payload (&rtp), 0x11, payload_size);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* Each packet is a frame of its own. */
static void
push_packets (Fixture *self, guint n)
{
  for (guint i = 0; i < n; i++, self->seq++)
    assert_equals_int (gst_harness_push (self->rtp, make_packet (self->seq,
                self->seq * 3000u, PAYLOAD_SIZE)), GST_FLOW_OK);
}

static Packet
read_packet (GstBuffer *buffer, guint id)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  Packet packet = { 0 };
  gpointer data;
  guint8 bits;
  guint size;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  packet.seq = gst_rtp_buffer_get_seq (&rtp);
  packet.timestamp = gst_rtp_buffer_get_timestamp (&rtp);
  packet.stamped = (id < 15 ?
      gst_rtp_buffer_get_extension_onebyte_header (&rtp, id, 0, &data, &size) :
      gst_rtp_buffer_get_extension_twobytes_header (&rtp, &bits, id, 0, &data,
          &size))
      && tfrc_wire_read_stamp (&packet.stamp, data, size);
  gst_rtp_buffer_unmap (&rtp);
  return packet;
}

static Packet
pull_packet (Fixture *self)
{
  GstBuffer *buffer = gst_harness_pull (self->rtp);
  Packet packet = read_packet (buffer, 1);

  assert_equals_int (gst_buffer_get_size (buffer), PACKET_SIZE);
  fail_unless (packet.stamped);
  gst_buffer_unref (buffer);
  return packet;
}

/* A report that echoes `packet` and came at once. */
static void
make_feedback (guint8 data[TFRC_WIRE_FEEDBACK_SIZE], const Packet * packet,
    guint32 media_ssrc)
{
  const TfrcFeedback feedback = {
    .media_ssrc = media_ssrc,
    .echo_time_us = packet->stamp.send_time_us,
    .receive_rate = 0,
    .loss_event_rate = 0,
  };

  tfrc_wire_write_feedback (data, &feedback, RECEIVER_SSRC);
}

static void
push_rtcp (Fixture *self, const guint8 *data, gsize size)
{
  assert_equals_int (gst_harness_push (self->rtcp,
          gst_buffer_new_memdup (data, size)), GST_FLOW_OK);
}

/* Sends the first packet at START and reports it one RTT later. */
static Packet
start_flow (Fixture *self)
{
  guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE];
  Packet packet;

  push_packets (self, 1);
  packet = pull_packet (self);
  run_until (self, START + RTT);
  make_feedback (feedback, &packet, SSRC);
  push_rtcp (self, feedback, sizeof feedback);
  return packet;
}

static guint64
get_stat (Fixture *self, const gchar *name)
{
  GstStructure *stats;
  guint64 value;

  g_object_get (self->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "%s", name);
  gst_structure_free (stats);
  return value;
}

/* Before the first report one packet a second may leave (RFC 5348 section
 * 4.2): its next deadline lets the second go. */
GST_START_TEST (one_packet_a_second_before_feedback)
{
  Fixture f;
  Packet before, after;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  push_packets (&f, 2);
  before = pull_packet (&f);
  run_until (&f, START + 900 * TFRC_MILLISECOND);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtp), 0);
  run_until (&f, START + TFRC_SECOND);
  after = pull_packet (&f);
  assert_equals_int (after.seq, (guint16) (before.seq + 1));
  assert_equals_uint64 (before.stamp.rtt, 0);
  fixture_clear (&f);
}

GST_END_TEST;

/* A long queue leaves at 10 ms a packet, once the saved time is used up, and
 * stamps carry the RTT of the report. */
GST_START_TEST (packets_leave_at_the_allowed_rate)
{
  Fixture f;
  Packet packet, last;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  last = start_flow (&f);
  push_packets (&f, 20);
  run_until (&f, START + 300 * TFRC_MILLISECOND);
  fail_unless (gst_harness_buffers_in_queue (f.rtp) >= 18);

  for (guint i = 0; i < 18; i++) {
    packet = pull_packet (&f);
    assert_equals_int (packet.seq, (guint16) (last.seq + 1));
    assert_equals_uint64 (packet.stamp.rtt, RTT);
    if (i >= 4)
      assert_equals_int (packet.stamp.send_time_us - last.stamp.send_time_us,
          PACKET_TIME / TFRC_MICROSECOND);
    last = packet;
  }
  assert_equals_uint64 (get_stat (&f, "feedback"), 1);
  fixture_clear (&f);
}

GST_END_TEST;

/* A frame that comes in as one list. */
GST_START_TEST (a_list_is_paced_packet_by_packet)
{
  Fixture f;
  GstBufferList *list = gst_buffer_list_new ();
  Packet last;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  last = start_flow (&f);
  for (guint i = 0; i < 50; i++, f.seq++)
    gst_buffer_list_add (list, make_packet (f.seq, 1, PAYLOAD_SIZE));
  gst_pad_push_list (f.rtp->srcpad, list);
  run_until (&f, START + 2 * RTT);
  /* 100 ms of packets and at most 10 ms of credit. */
  fail_unless (gst_harness_buffers_in_queue (f.rtp) >= 10);
  fail_unless (gst_harness_buffers_in_queue (f.rtp) <= 12);
  assert_equals_int (pull_packet (&f).seq, (guint16) (last.seq + 1));
  fixture_clear (&f);
}

GST_END_TEST;

/* Caps that come in, the property, and the id that goes out. */
static const struct
{
  const gchar *extmap;
  guint property;
  guint id;
} ids[] = {
  {"", 0, 1},
  {", extmap-1=urn:a, extmap-2=urn:b", 0, 3},
  {"", 7, 7},
  {", extmap-5=" TFRC_WIRE_EXTENSION_URI, 7, 5},
  {"", 200, 200},
  {", extmap-200=" TFRC_WIRE_EXTENSION_URI, 0, 200},
};

/* Upstream never hears of the extension. */
GST_START_TEST (caps_downstream_name_the_extension)
{
  Fixture f;
  gchar *caps_string = g_strconcat (VIDEO_CAPS, ids[__i__].extmap, NULL);
  gchar *field = g_strdup_printf ("extmap-%u", ids[__i__].id);
  GstStructure *structure;
  gboolean feedback;
  GstBuffer *buffer;
  GstCaps *caps;

  fixture_init (&f);
  g_object_set (f.element, "extension-id", ids[__i__].property, NULL);
  fixture_start (&f, caps_string);
  push_packets (&f, 1);
  buffer = gst_harness_pull (f.rtp);
  fail_unless (read_packet (buffer, ids[__i__].id).stamped);
  gst_buffer_unref (buffer);

  caps = gst_pad_get_current_caps (f.rtp->sinkpad);
  structure = gst_caps_get_structure (caps, 0);
  assert_equals_string (gst_structure_get_string (structure, field),
      TFRC_WIRE_EXTENSION_URI);
  fail_unless (gst_structure_get_boolean (structure, "rtcp-fb-tfrc",
          &feedback) && feedback);
  gst_harness_set_sink_caps (f.rtp, caps);
  caps = gst_pad_peer_query_caps (f.rtp->srcpad, NULL);
  fail_if (gst_structure_has_field (gst_caps_get_structure (caps, 0), field));
  gst_caps_unref (caps);
  g_free (caps_string);
  g_free (field);
  fixture_clear (&f);
}

GST_END_TEST;

/* Extensions that packets bring, and whether a stamp has place beside. */
typedef enum
{ ONE_BYTE, TWO_BYTE, FOREIGN } Form;

static const struct
{
  Form form;
  guint id;                     /* of the stamp */
  gboolean two_byte;            /* form of the packet that leaves */
  guint64 unstamped;
} forms[] = {
  {ONE_BYTE, 1, FALSE, 0},
  {TWO_BYTE, 1, TRUE, 0},
  {ONE_BYTE, 20, FALSE, 1},
  {TWO_BYTE, 20, TRUE, 0},
  {FOREIGN, 1, FALSE, 1},
};

GST_START_TEST (an_extension_of_the_stream_stays)
{
  Fixture f;
  const guint8 level[] = { 42 };
  GstBuffer *buffer = make_packet (1, 1, PAYLOAD_SIZE);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint id = forms[__i__].id;
  gpointer data;
  guint size;
  guint8 bits;
  guint16 profile;

  fixture_init (&f);
  g_object_set (f.element, "extension-id", id, NULL);
  fixture_start (&f, VIDEO_CAPS ", extmap-3=urn:level");
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
            (guint8) MIN (id, 14), 0, &data, &size), id < 15);
    fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp, 3, 0,
            &data, &size));
    assert_equals_int (*(guint8 *) data, 42);
  } else {
    gst_rtp_buffer_get_extension_data (&rtp, &profile, &data, &size);
    assert_equals_int (profile, 0xABAC);
  }
  assert_equals_int (gst_rtp_buffer_get_payload_len (&rtp), PAYLOAD_SIZE);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  assert_equals_uint64 (get_stat (&f, "packets-not-stamped"),
      forms[__i__].unstamped);
  fixture_clear (&f);
}

GST_END_TEST;

/* What is no RTP packet is dropped, what is above the MTU passes; both count. */
GST_START_TEST (bad_input_is_counted)
{
  Fixture f;
  GstBuffer *buffer;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  gst_harness_push (f.rtp, gst_buffer_new_memdup ("no RTP", 6));
  gst_harness_push (f.rtp, gst_buffer_new ());
  gst_harness_push (f.rtp, make_packet (1, 1, 1400));
  buffer = gst_harness_pull (f.rtp);
  assert_equals_int (gst_buffer_get_size (buffer), 1424);
  gst_buffer_unref (buffer);
  assert_equals_uint64 (get_stat (&f, "packets-invalid"), 2);
  assert_equals_uint64 (get_stat (&f, "packets-oversize"), 1);
  fixture_clear (&f);
}

GST_END_TEST;

/* Nothing leaves before PLAYING, and the packet is not a nanosecond older
 * after an hour of PAUSED. */
GST_START_TEST (time_stands_still_in_paused)
{
  Fixture f;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  start_flow (&f);
  gst_element_set_state (f.element, GST_STATE_PAUSED);
  push_packets (&f, 1);
  gst_test_clock_advance_time (f.clock, 3600 * TFRC_SECOND);
  assert_equals_uint64 (get_stat (&f, "queue-time-ns"), 0);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtp), 0);
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  pull_packet (&f);
  assert_equals_uint64 (get_stat (&f, "pacer-delay-ns"), 0);
  assert_equals_uint64 (get_stat (&f, "frames-dropped"), 0);
  fixture_clear (&f);
}

GST_END_TEST;

/* At one packet a second two packets take 2 s: the four that came together
 * are still there, far beyond max-queue-time. */
GST_START_TEST (a_slow_flow_keeps_two_packets_time)
{
  Fixture f;
  Packet packet;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  push_packets (&f, 4);
  packet = pull_packet (&f);
  run_until (&f, START + 2 * TFRC_SECOND - 1);
  assert_equals_uint64 (get_stat (&f, "frames-dropped"), 0);
  assert_equals_int (pull_packet (&f).seq, (guint16) (packet.seq + 1));
  fixture_clear (&f);
}

GST_END_TEST;

/* EOS comes behind the packets, and no later than 3 s after it came in. */
GST_START_TEST (eos_waits_for_the_queue_but_not_for_long)
{
  Fixture f;
  GstEvent *event;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  while ((event = gst_harness_try_pull_event (f.rtp)) != NULL)
    gst_event_unref (event);
  push_packets (&f, 10);
  gst_harness_push_event (f.rtp, gst_event_new_eos ());
  pull_packet (&f);
  run_until (&f, START + 2900 * TFRC_MILLISECOND);
  do {
    event = gst_harness_try_pull_event (f.rtp);
    fail_if (event != NULL && GST_EVENT_TYPE (event) == GST_EVENT_EOS);
    gst_clear_event (&event);
  } while (gst_harness_events_in_queue (f.rtp) > 0);

  run_until (&f, START + 3 * TFRC_SECOND);
  do {
    gst_clear_event (&event);
    event = gst_harness_pull_event (f.rtp);
  } while (GST_EVENT_TYPE (event) != GST_EVENT_EOS);
  gst_event_unref (event);
  assert_equals_uint64 (get_stat (&f, "queue-packets"), 0);
  fixture_clear (&f);
}

GST_END_TEST;

/* Events between packets stay where they were. */
GST_START_TEST (serialized_events_keep_their_place)
{
  Fixture f;
  GstEvent *event;
  GstTagList *tags = gst_tag_list_new (GST_TAG_TITLE, "between", NULL);

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  push_packets (&f, 1);
  pull_packet (&f);
  while ((event = gst_harness_try_pull_event (f.rtp)) != NULL)
    gst_event_unref (event);
  push_packets (&f, 1);
  gst_harness_push_event (f.rtp, gst_event_new_tag (tags));
  run_until (&f, START + 900 * TFRC_MILLISECOND);
  assert_equals_int (gst_harness_events_in_queue (f.rtp), 0);
  run_until (&f, START + TFRC_SECOND);
  pull_packet (&f);
  event = gst_harness_pull_event (f.rtp);
  assert_equals_int (GST_EVENT_TYPE (event), GST_EVENT_TAG);
  gst_event_unref (event);
  fixture_clear (&f);
}

GST_END_TEST;

/* A flush takes packets and EOS away; numbers and the protocol go on. */
GST_START_TEST (a_flush_empties_the_queue)
{
  Fixture f;
  GstSegment segment;
  Packet before;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  push_packets (&f, 4);
  before = pull_packet (&f);
  gst_harness_push_event (f.rtp, gst_event_new_flush_start ());
  assert_equals_int (gst_harness_push (f.rtp, make_packet (f.seq, 0,
              PAYLOAD_SIZE)), GST_FLOW_FLUSHING);
  gst_harness_push_event (f.rtp, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f.rtp, gst_event_new_segment (&segment));
  assert_equals_uint64 (get_stat (&f, "queue-packets"), 0);
  push_packets (&f, 1);
  run_until (&f, START + TFRC_SECOND);
  assert_equals_int (pull_packet (&f).seq, (guint16) (before.seq + 1));
  fixture_clear (&f);
}

GST_END_TEST;

/* A new run has a new protocol state, new counters and takes packets again
 * after EOS. */
GST_START_TEST (a_restart_begins_anew)
{
  Fixture f;
  Packet packet;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  start_flow (&f);
  gst_harness_push_event (f.rtp, gst_event_new_eos ());
  gst_element_set_state (f.element, GST_STATE_READY);
  assert_equals_uint64 (get_stat (&f, "packets-invalid"), 0);
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  gst_pad_set_active (f.rtp->srcpad, FALSE);
  gst_pad_set_active (f.rtp->srcpad, TRUE);
  gst_harness_push_event (f.rtp, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (f.rtp, VIDEO_CAPS);
  push_packets (&f, 1);
  packet = pull_packet (&f);
  assert_equals_uint64 (packet.stamp.rtt, 0);
  assert_equals_uint64 (get_stat (&f, "packets"), 1);
  assert_equals_uint64 (get_stat (&f, "feedback"), 0);
  fixture_clear (&f);
}

GST_END_TEST;

static gboolean
answer_latency (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 40 * GST_MSECOND, 100 * GST_MSECOND);
  return TRUE;
}

/* Min stays at 40 ms, max grows by max-queue-time to 100 + 300 ms. */
GST_START_TEST (latency_grows_by_the_queue)
{
  Fixture f;
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  fixture_init (&f);
  g_object_set (f.element, "max-queue-time", 300, NULL);
  fixture_start (&f, VIDEO_CAPS);
  gst_pad_set_query_function (f.rtp->srcpad, answer_latency);
  fail_unless (gst_pad_peer_query (f.rtp->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  assert_equals_uint64 (min, 40 * GST_MSECOND);
  fail_unless (live);
  assert_equals_uint64 (max, 400 * GST_MSECOND);
  gst_query_unref (query);
  fixture_clear (&f);
}

GST_END_TEST;

/* The caps have the numbers start again at 7; those that leave go on. */
GST_START_TEST (a_restarted_payloader_leaves_no_hole)
{
  Fixture f;
  GstCaps *caps;
  Packet before;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS ", seqnum-base=(uint)65534");
  before = start_flow (&f);
  gst_harness_set_src_caps_str (f.rtp, VIDEO_CAPS ", seqnum-base=(uint)7");
  f.seq = 7;
  push_packets (&f, 1);
  run_until (&f, START + 2 * RTT);
  assert_equals_int (pull_packet (&f).seq, (guint16) (before.seq + 1));
  caps = gst_pad_get_current_caps (f.rtp->sinkpad);
  fail_if (gst_structure_has_field (gst_caps_get_structure (caps, 0),
          "seqnum-base"));
  gst_caps_unref (caps);
  fixture_clear (&f);
}

GST_END_TEST;

/* Of SDES-like foreign packet, feedback and SR request the first alone is
 * left. */
GST_START_TEST (our_feedback_is_taken_out_of_a_compound)
{
  Fixture f;
  guint8 compound[TFRC_WIRE_PREFIX_MAX + TFRC_WIRE_FEEDBACK_SIZE + 12];
  guint8 sr_request[12] = { 0x85, 205, 0, 2, 1, 2, 3, 4, 0x11, 0x11, 0x22,
    0x22
  };
  gsize prefix;
  GstBuffer *rest;
  Packet packet;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  push_packets (&f, 1);
  packet = pull_packet (&f);
  run_until (&f, START + RTT);
  prefix = tfrc_wire_write_prefix (compound, sizeof compound, RECEIVER_SSRC,
      "me");
  make_feedback (compound + prefix, &packet, SSRC);
  memcpy (compound + prefix + TFRC_WIRE_FEEDBACK_SIZE, sr_request, 12);
  push_rtcp (&f, compound, prefix + TFRC_WIRE_FEEDBACK_SIZE + 12);
  rest = gst_harness_pull (f.rtcp);
  assert_equals_int (gst_buffer_get_size (rest), prefix);
  fail_unless (gst_buffer_memcmp (rest, 0, compound, prefix) == 0);
  gst_buffer_unref (rest);
  assert_equals_uint64 (get_stat (&f, "feedback"), 1);
  assert_equals_uint64 (get_stat (&f, "sr-requests-filtered"), 1);
  fixture_clear (&f);
}

GST_END_TEST;

/* Reduced-size feedback leaves nothing to push; that for another SSRC, for
 * another sender behind us, passes and has no effect. */
GST_START_TEST (feedback_for_others_passes)
{
  Fixture f;
  guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE];
  Packet packet;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  packet = start_flow (&f);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  make_feedback (feedback, &packet, SSRC + 1);
  push_rtcp (&f, feedback, sizeof feedback);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 1);
  assert_equals_uint64 (get_stat (&f, "feedback"), 1);
  assert_equals_uint64 (get_stat (&f, "feedback-foreign"), 1);
  fixture_clear (&f);
}

GST_END_TEST;

/* Every length of a report but the right one. */
GST_START_TEST (truncated_feedback_is_counted)
{
  Fixture f;
  guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE];
  Packet packet;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  push_packets (&f, 1);
  packet = pull_packet (&f);
  make_feedback (feedback, &packet, SSRC);
  for (gsize size = 1; size < sizeof feedback; size++)
    push_rtcp (&f, feedback, size);
  assert_equals_uint64 (get_stat (&f, "rtcp-malformed"), sizeof feedback - 1);
  assert_equals_uint64 (get_stat (&f, "feedback"), 0);
  feedback[3]--;                /* an honest length, but not ours */
  push_rtcp (&f, feedback, sizeof feedback - 4);
  assert_equals_uint64 (get_stat (&f, "feedback-malformed"), 1);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  fixture_clear (&f);
}

GST_END_TEST;

static void
assert_key_request (Fixture *self)
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
  Fixture f;
  guint8 pli[TFRC_WIRE_PLI_SIZE];
  guint8 fir[20] = { 0x84, 206, 0, 4, 1, 2, 3, 4, 0, 0, 0, 0,
    0x11, 0x11, 0x22, 0x22, 9, 0, 0, 0
  };

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  push_packets (&f, 1);
  pull_packet (&f);
  tfrc_wire_write_pli (pli, RECEIVER_SSRC, SSRC);
  push_rtcp (&f, pli, sizeof pli);
  assert_key_request (&f);
  push_rtcp (&f, fir, sizeof fir);
  gst_harness_push_upstream_event (f.rtp,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0));
  run_until (&f, START + 900 * TFRC_MILLISECOND);
  assert_equals_uint64 (get_stat (&f, "key-frame-requests"), 1);
  assert_equals_uint64 (get_stat (&f, "key-frame-requests-received"), 3);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);

  run_until (&f, START + TFRC_SECOND);
  push_rtcp (&f, fir, sizeof fir);
  assert_key_request (&f);
  assert_equals_uint64 (get_stat (&f, "key-frame-requests"), 2);
  fixture_clear (&f);
}

GST_END_TEST;

/* All columns of the protocol's sender side are there. */
GST_START_TEST (stats_have_all_columns_of_the_sender)
{
  Fixture f;
  GstStructure *stats;
  const TfrcTraceColumn *columns;
  size_t n;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  start_flow (&f);
  g_object_get (f.element, "stats", &stats, NULL);
  columns = tfrc_trace_get_columns (&n);
  for (size_t i = 0; i < n; i++)
    assert_equals_int (gst_structure_has_field (stats, columns[i].name),
        (columns[i].sides & TFRC_TRACE_SENDER) != 0);
  gst_structure_free (stats);
  fixture_clear (&f);
}

GST_END_TEST;

/* 43800 bytes/s; max-bitrate caps it at once. */
GST_START_TEST (bitrate_follows_the_allowed_rate)
{
  Fixture f;
  guint bitrate;

  fixture_init (&f);
  fixture_start (&f, VIDEO_CAPS);
  start_flow (&f);
  run_until (&f, START + RTT);
  g_object_get (f.element, "bitrate", &bitrate, NULL);
  assert_equals_int (bitrate, 8 * 43800);
  g_object_set (f.element, "max-bitrate", 100000, NULL);
  run_until (&f, START + RTT);
  g_object_get (f.element, "bitrate", &bitrate, NULL);
  assert_equals_int (bitrate, 100000);
  gst_element_set_state (f.element, GST_STATE_READY);
  g_object_get (f.element, "bitrate", &bitrate, NULL);
  assert_equals_int (bitrate, 0);
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  fixture_clear (&f);
}

GST_END_TEST;

/* 1200 bytes at most leave, of which 16 may be the extension. */
GST_START_TEST (payloaders_are_set_to_fit_the_mtu)
{
  GstElement *pay = gst_element_factory_make ("rtpvrawpay", NULL);
  GstHarness *in = gst_harness_new_with_element (pay, "sink", NULL);
  GstPad *srcpad = gst_element_get_static_pad (pay, "src");
  GstPad *sinkpad;
  Fixture f;
  guint mtu;

  fixture_init (&f);
  g_object_set (f.element, "mtu", 1200, NULL);
  f.rtp = gst_harness_new_with_element (f.element, NULL, "src");
  sinkpad = gst_element_get_static_pad (f.element, "sink");
  assert_equals_int (gst_pad_link (srcpad, sinkpad), GST_PAD_LINK_OK);
  gst_harness_set_src_caps_str (in, "video/x-raw, format=UYVY, width=16, "
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
  gst_object_unref (f.element);
  gst_system_clock_set_default (NULL);
  gst_object_unref (f.clock);
}

GST_END_TEST;

static Suite *
rtptfrcsend_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsend");
  TCase *pace = tcase_create ("pace");
  TCase *stamp = tcase_create ("stamp");
  TCase *events = tcase_create ("events");
  TCase *rtcp = tcase_create ("rtcp");

  tcase_add_test (pace, one_packet_a_second_before_feedback);
  tcase_add_test (pace, packets_leave_at_the_allowed_rate);
  tcase_add_test (pace, a_list_is_paced_packet_by_packet);
  tcase_add_test (pace, time_stands_still_in_paused);
  tcase_add_test (pace, a_slow_flow_keeps_two_packets_time);
  tcase_add_test (pace, bitrate_follows_the_allowed_rate);
  suite_add_tcase (suite, pace);
  tcase_add_loop_test (stamp, caps_downstream_name_the_extension, 0,
      G_N_ELEMENTS (ids));
  tcase_add_loop_test (stamp, an_extension_of_the_stream_stays, 0,
      G_N_ELEMENTS (forms));
  tcase_add_test (stamp, bad_input_is_counted);
  tcase_add_test (stamp, payloaders_are_set_to_fit_the_mtu);
  suite_add_tcase (suite, stamp);
  tcase_add_test (events, eos_waits_for_the_queue_but_not_for_long);
  tcase_add_test (events, serialized_events_keep_their_place);
  tcase_add_test (events, a_flush_empties_the_queue);
  tcase_add_test (events, a_restart_begins_anew);
  tcase_add_test (events, latency_grows_by_the_queue);
  tcase_add_test (events, a_restarted_payloader_leaves_no_hole);
  suite_add_tcase (suite, events);
  tcase_add_test (rtcp, our_feedback_is_taken_out_of_a_compound);
  tcase_add_test (rtcp, feedback_for_others_passes);
  tcase_add_test (rtcp, truncated_feedback_is_counted);
  tcase_add_test (rtcp, key_frame_requests_are_limited_to_one_a_second);
  tcase_add_test (rtcp, stats_have_all_columns_of_the_sender);
  suite_add_tcase (suite, rtcp);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsend);
