/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive in a harness, under a test clock: nothing sleeps. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>
#include <gst/video/video.h>

#include "tfrc-wire-extension.h"
#include "tfrc-wire-feedback.h"
#include "tfrc-wire-rtcp.h"

#define EXTENSION_ID 3
#define VIDEO_SSRC 0x11112222
#define RTT (100 * TFRC_MILLISECOND)
#define PAYLOAD_SIZE 100
/* Header 12, extension header 4, element 1 + 7, payload. */
#define PACKET_SIZE (12 + 4 + 8 + PAYLOAD_SIZE)
#define VIDEO_CAPS "application/x-rtp, media=video, clock-rate=90000, " \
    "encoding-name=H264, payload=96"
#define STAMPED_CAPS VIDEO_CAPS ", extmap-3=" TFRC_WIRE_EXTENSION_URI

/* Two first bytes of H.264 payloads. */
static const guint8 idr[] = { 0x65, 0x88 };
static const guint8 slice[] = { 0x41, 0x9A };

/* The element with both its outputs, at a time that only the test moves. */
typedef struct
{
  GstTestClock *clock;
  GstElement *element;
  GstHarness *rtp;
  GstHarness *rtcp;
  guint16 seq;
  guint8 extension_id;          /* 0 = packets are not stamped */
  TfrcDuration rtt;             /* that the stamps carry */
  const guint8 *payload;
} Fixture;

static void
fixture_init (Fixture *self, const gchar *caps)
{
  memset (self, 0, sizeof (*self));
  self->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time
      (TFRC_SECOND));
  gst_system_clock_set_default (GST_CLOCK (self->clock));
  self->element = gst_element_factory_make ("rtptfrcreceive", NULL);
  fail_unless (self->element != NULL);
  g_object_set (self->element, "rtcp-ssrc", 0xAABBCCDD, NULL);
  self->rtp = gst_harness_new_with_element (self->element, "sink", "src");
  self->rtcp = gst_harness_new_with_element (self->element, NULL, "rtcp_src");
  gst_harness_set_src_caps_str (self->rtp, caps);
  self->seq = 65530;
  self->extension_id = EXTENSION_ID;
  self->rtt = RTT;
  self->payload = idr;
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

static TfrcTime
get_time (Fixture *self)
{
  return gst_clock_get_time (GST_CLOCK (self->clock));
}

/* Time goes on to `at`; whoever waits until then has been woken. */
static void
advance_to (Fixture *self, TfrcTime at)
{
  gst_test_clock_set_time (self->clock, at);
}

/* The task sleeps until its next deadline, which is returned. */
static TfrcTime
wait_for_sleep (Fixture *self)
{
  GstClockID id;
  TfrcTime deadline;

  gst_test_clock_wait_for_next_pending_id (self->clock, &id);
  deadline = gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  return deadline;
}

/* Wakes the task at its next deadline. */
static void
crank (Fixture *self)
{
  fail_unless (gst_test_clock_crank (self->clock));
}

static GstBuffer *
make_packet (Fixture *self)
{
  const TfrcStamp stamp = {
    (guint32) (get_time (self) / TFRC_MICROSECOND), self->rtt
  };
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD_SIZE, 0, 0);
  guint8 data[TFRC_WIRE_EXTENSION_SIZE];
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, VIDEO_SSRC);
  gst_rtp_buffer_set_seq (&rtp, self->seq);
  gst_rtp_buffer_set_timestamp (&rtp, self->seq * 3000);
  gst_rtp_buffer_set_marker (&rtp, TRUE);
  memcpy (gst_rtp_buffer_get_payload (&rtp), self->payload, 2);
  if (self->extension_id != 0) {
    tfrc_wire_write_stamp (data, &stamp);
    fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp,
            self->extension_id, data, sizeof (data)));
  }
  gst_rtp_buffer_unmap (&rtp);
  self->seq++;
  return buffer;
}

/* Pushes one packet, which comes out as the very same buffer. */
static void
push_packet (Fixture *self)
{
  GstBuffer *buffer = make_packet (self), *out;

  fail_unless_equals_int (gst_harness_push (self->rtp, buffer), GST_FLOW_OK);
  out = gst_harness_pull (self->rtp);
  fail_unless (out == buffer);
  gst_buffer_unref (out);
}

/* Checks the last packet of a report, a feedback. */
static void
read_feedback (GstBuffer *buffer, gsize prefix_size, TfrcFeedback *feedback)
{
  GstMapInfo map;
  size_t packet_size;
  uint32_t sender_ssrc;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (tfrc_wire_read_rtcp (map.data + prefix_size,
          map.size - prefix_size, &packet_size, feedback, &sender_ssrc),
      TFRC_WIRE_FEEDBACK);
  fail_unless_equals_int (prefix_size + packet_size, map.size);
  fail_unless_equals_int_hex (sender_ssrc, 0xAABBCCDD);
  gst_buffer_unmap (buffer, &map);
}

static void
pull_feedback (Fixture *self, TfrcFeedback *feedback)
{
  GstBuffer *buffer = gst_harness_pull (self->rtcp);

  fail_unless (buffer != NULL);
  read_feedback (buffer, 0, feedback);
  gst_buffer_unref (buffer);
}

/* Whether the next report is a PLI for the video stream. */
static void
pull_key_frame_request (Fixture *self)
{
  static const guint8 pli[] = { 0x81, 206, 0, 2, 0xAA, 0xBB, 0xCC, 0xDD,
    0x11, 0x11, 0x22, 0x22
  };
  GstBuffer *buffer = gst_harness_pull (self->rtcp);

  fail_unless (buffer != NULL);
  gst_check_buffer_data (buffer, pli, sizeof (pli));
  gst_buffer_unref (buffer);
}

static guint64
get_counter (Fixture *self, const gchar *name)
{
  GstStructure *stats;
  guint64 value = G_MAXUINT64;

  g_object_get (self->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s", name);
  gst_structure_free (stats);
  return value;
}

/* RFC 5348 section 6.3: the first packet is reported at once, with X_recv = 0
 * and p = 0; then once per RTT.  Ten packets in the next 100 ms, at 10 to
 * 100 ms, are X_recv = 10 * 124 / 0.1 s = 12400 bytes/s. */
GST_START_TEST (test_the_first_packet_is_reported_at_once_then_once_per_rtt)
{
  Fixture self;
  TfrcFeedback feedback;
  guint i;

  fixture_init (&self, STAMPED_CAPS);
  push_packet (&self);
  pull_feedback (&self, &feedback);
  fail_unless_equals_int_hex (feedback.media_ssrc, VIDEO_SSRC);
  fail_unless_equals_int (feedback.echo_time_us, 1000000);
  fail_unless_equals_uint64 (feedback.echo_delay, 0);
  fail_unless_equals_float (feedback.receive_rate, 0.0);
  fail_unless_equals_float (feedback.loss_event_rate, 0.0);

  fail_unless_equals_uint64 (wait_for_sleep (&self), TFRC_SECOND + RTT);
  for (i = 1; i <= 10; i++) {
    /* The last one is there just before the timer. */
    advance_to (&self, TFRC_SECOND + i * 10 * TFRC_MILLISECOND - 1000);
    push_packet (&self);
  }
  crank (&self);
  pull_feedback (&self, &feedback);
  fail_unless_equals_int (feedback.echo_time_us, 1099999);
  fail_unless_equals_uint64 (feedback.echo_delay, 1000);
  fail_unless_equals_float (feedback.receive_rate, 12400.0);
  fail_unless_equals_uint64 (wait_for_sleep (&self), TFRC_SECOND + 2 * RTT);
  fixture_clear (&self);
}

GST_END_TEST;

/* RFC 5348 section 6.3: no RTT, so each packet has its report. */
GST_START_TEST (test_without_an_rtt_every_packet_is_reported)
{
  Fixture self;
  TfrcFeedback feedback;
  guint i;

  fixture_init (&self, STAMPED_CAPS);
  self.rtt = 0;
  for (i = 0; i < 3; i++) {
    advance_to (&self, (i + 1) * TFRC_SECOND);
    push_packet (&self);
    pull_feedback (&self, &feedback);
    fail_unless_equals_int (feedback.echo_time_us, (i + 1) * 1000000);
  }
  fixture_clear (&self);
}

GST_END_TEST;

/* A buffer list goes through as it is; all of it is measured. */
GST_START_TEST (test_a_list_passes_as_the_same_list)
{
  Fixture self;
  GstBufferList *list = gst_buffer_list_new ();
  GstPad *pad;
  guint i;

  fixture_init (&self, STAMPED_CAPS);
  for (i = 0; i < 5; i++)
    gst_buffer_list_add (list, make_packet (&self));
  pad = gst_element_get_static_pad (self.element, "sink");
  fail_unless_equals_int (gst_pad_chain_list (pad, list), GST_FLOW_OK);
  gst_object_unref (pad);
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 5);
  fail_unless_equals_uint64 (get_counter (&self, "packets"), 5);
  fail_unless_equals_uint64 (get_counter (&self, "bytes"), 5 * PACKET_SIZE);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_a_loss_is_reported_at_once_and_a_key_frame_asked_for)
{
  Fixture self;
  TfrcFeedback feedback;
  guint i;

  fixture_init (&self, STAMPED_CAPS);
  push_packet (&self);
  pull_feedback (&self, &feedback);
  self.payload = slice;
  for (i = 1; i <= 20; i++) {
    advance_to (&self, TFRC_SECOND + i * TFRC_MILLISECOND);
    if (i == 17)
      self.seq++;
    push_packet (&self);
  }
  /* The hole is lost with the third packet after it (i = 19). */
  pull_feedback (&self, &feedback);
  fail_unless (feedback.loss_event_rate > 0.0);
  pull_key_frame_request (&self);
  fail_unless_equals_uint64 (get_counter (&self, "packets-lost"), 1);
  fail_unless_equals_uint64 (get_counter (&self, "loss-events"), 1);
  fail_unless_equals_uint64 (get_counter (&self, "key-frame-requests"), 1);
  fixture_clear (&self);
}

GST_END_TEST;

/* The first frame, of one packet, is none: asked at once and a second later;
 * then it comes. */
GST_START_TEST (test_a_joiner_asks_for_a_key_frame_until_it_comes)
{
  Fixture self;

  fixture_init (&self, VIDEO_CAPS);
  self.extension_id = 0;
  self.payload = slice;
  push_packet (&self);
  pull_key_frame_request (&self);
  fail_unless_equals_uint64 (wait_for_sleep (&self), 2 * TFRC_SECOND);
  crank (&self);
  pull_key_frame_request (&self);
  self.payload = idr;
  push_packet (&self);
  fail_unless_equals_uint64 (get_counter (&self, "key-frames"), 1);
  advance_to (&self, 5 * TFRC_SECOND);
  push_packet (&self);
  fail_unless_equals_uint64 (get_counter (&self, "key-frame-requests"), 2);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_force_key_unit_from_downstream_asks_and_goes_on)
{
  Fixture self;
  TfrcFeedback feedback;
  GstEvent *event;

  fixture_init (&self, STAMPED_CAPS);
  push_packet (&self);
  pull_feedback (&self, &feedback);
  gst_harness_push_upstream_event (self.rtp,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0));
  pull_key_frame_request (&self);
  do {
    event = gst_harness_pull_upstream_event (self.rtp);
    fail_unless (event != NULL);
    if (gst_video_event_is_force_key_unit (event))
      break;
    gst_event_unref (event);
  } while (TRUE);
  gst_event_unref (event);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_key_frame_requests_can_be_turned_off)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, STAMPED_CAPS);
  g_object_set (self.element, "key-frame-requests", FALSE, NULL);
  self.payload = slice;
  push_packet (&self);
  pull_feedback (&self, &feedback);
  fail_unless_equals_uint64 (wait_for_sleep (&self), TFRC_SECOND + RTT);
  fail_unless_equals_uint64 (get_counter (&self, "key-frame-requests"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

/* RR 8, SDES 4 + 4 + 2 + 4 + 1 and one to fill the word. */
GST_START_TEST (test_a_compound_report_begins_with_rr_and_cname)
{
  static const guint8 prefix[] = { 0x80, 201, 0, 1, 0xAA, 0xBB, 0xCC, 0xDD,
    0x81, 202, 0, 3, 0xAA, 0xBB, 0xCC, 0xDD, 1, 4, 'n', 'a', 'm', 'e', 0, 0
  };
  Fixture self;
  TfrcFeedback feedback;
  GstBuffer *buffer;
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;

  fixture_init (&self, STAMPED_CAPS);
  g_object_set (self.element, "rtcp-reduced-size", FALSE, "cname", "name",
      NULL);
  push_packet (&self);
  buffer = gst_harness_pull (self.rtcp);
  fail_unless_equals_int (gst_buffer_memcmp (buffer, 0, prefix,
          sizeof (prefix)), 0);
  read_feedback (buffer, sizeof (prefix), &feedback);
  /* As rtpsession checks it. */
  fail_unless (gst_rtcp_buffer_validate (buffer));
  fail_unless (gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp));
  fail_unless_equals_int (gst_rtcp_buffer_get_packet_count (&rtcp), 3);
  gst_rtcp_buffer_unmap (&rtcp);
  gst_buffer_unref (buffer);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_reports_begin_with_stream_start_caps_and_segment)
{
  static const GstEventType types[] = { GST_EVENT_STREAM_START,
    GST_EVENT_CAPS, GST_EVENT_SEGMENT
  };
  Fixture self;
  guint i;

  fixture_init (&self, STAMPED_CAPS);
  push_packet (&self);
  for (i = 0; i < G_N_ELEMENTS (types); i++) {
    GstEvent *event = gst_harness_pull_event (self.rtcp);

    fail_unless_equals_int (GST_EVENT_TYPE (event), types[i]);
    gst_event_unref (event);
  }
  fixture_clear (&self);
}

GST_END_TEST;

/* A packet of the known stream moves the address; one of another stream does
 * not while the first is there. */
GST_START_TEST (test_reports_carry_the_address_of_the_proven_sender)
{
  GSocketAddress *home =
      g_inet_socket_address_new_from_string ("192.0.2.1", 5004);
  GSocketAddress *away =
      g_inet_socket_address_new_from_string ("192.0.2.2", 5004);
  Fixture self;
  GstBuffer *buffer;
  GSocketAddress *address;
  guint i;

  fixture_init (&self, STAMPED_CAPS);
  for (i = 0; i < 3; i++) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    buffer = make_packet (&self);
    if (i == 1) {
      fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
      gst_rtp_buffer_set_ssrc (&rtp, 666);
      gst_rtp_buffer_unmap (&rtp);
      self.seq--;
    }
    gst_buffer_add_net_address_meta (buffer, i == 0 ? home : away);
    gst_harness_push (self.rtp, buffer);
    g_object_get (self.element, "source-address", &address, NULL);
    fail_unless (address == (i == 2 ? away : home));
    g_object_unref (address);
  }
  buffer = gst_harness_pull (self.rtcp);
  fail_unless (gst_buffer_get_net_address_meta (buffer) != NULL);
  gst_buffer_unref (buffer);
  fixture_clear (&self);
  g_object_unref (home);
  g_object_unref (away);
}

GST_END_TEST;

/* RFC 5761: RTCP between RTP.  A sender report passes, an SR request does not,
 * neither is measured. */
GST_START_TEST (test_multiplexed_rtcp_passes_without_sr_requests)
{
  static const guint8 rr[] = { 0x80, 201, 0, 1, 0, 0, 0, 1 };
  static const guint8 rr_and_request[] = { 0x80, 201, 0, 1, 0, 0, 0, 1,
    0x85, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2
  };
  Fixture self;
  GstBufferList *list = gst_buffer_list_new ();
  GstBufferList *request_only = gst_buffer_list_new ();
  GstBuffer *buffer;
  GstPad *pad;

  fixture_init (&self, STAMPED_CAPS);
  gst_harness_push (self.rtp, gst_buffer_new_memdup (rr, sizeof (rr)));
  gst_harness_push (self.rtp, gst_buffer_new_memdup (rr_and_request,
          sizeof (rr_and_request)));
  gst_harness_push (self.rtp, gst_buffer_new_memdup (rr_and_request + 8, 12));
  gst_buffer_list_add (list, gst_buffer_new_memdup (rr_and_request + 8, 12));
  gst_buffer_list_add (list, gst_buffer_new_memdup (rr_and_request,
          sizeof (rr_and_request)));
  pad = gst_element_get_static_pad (self.element, "sink");
  fail_unless_equals_int (gst_pad_chain_list (pad, list), GST_FLOW_OK);
  gst_buffer_list_add (request_only, gst_buffer_new_memdup (rr_and_request + 8,
          12));
  fail_unless_equals_int (gst_pad_chain_list (pad, request_only), GST_FLOW_OK);
  gst_object_unref (pad);

  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 3);
  while ((buffer = gst_harness_try_pull (self.rtp))) {
    gst_check_buffer_data (buffer, rr, sizeof (rr));
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_uint64 (get_counter (&self, "sr-requests-filtered"), 5);
  fail_unless_equals_uint64 (get_counter (&self, "packets"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_bad_input_is_counted_and_passed_on)
{
  static const guint8 truncated[] = { 0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
  Fixture self;
  gsize size;

  fixture_init (&self, STAMPED_CAPS);
  gst_harness_push (self.rtp, gst_buffer_new ());
  for (size = 1; size <= sizeof (truncated); size++)
    fail_unless_equals_int (gst_harness_push (self.rtp,
            gst_buffer_new_memdup (truncated, size)), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 12);
  fail_unless_equals_uint64 (get_counter (&self, "packets-malformed"), 12);

  /* No extension, and one under our id with 2 bytes. */
  self.extension_id = 0;
  gst_harness_push (self.rtp, make_packet (&self));
  {
    GstBuffer *buffer = make_packet (&self);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
    fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp,
            EXTENSION_ID, idr, 2));
    gst_rtp_buffer_unmap (&rtp);
    gst_harness_push (self.rtp, buffer);
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 14);
  fail_unless_equals_uint64 (get_counter (&self, "extensions-malformed"), 1);
  fail_unless_equals_uint64 (get_counter (&self, "packets-unstamped"), 2);
  fail_unless_equals_uint64 (get_counter (&self, "feedback"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_the_extension_is_found_without_signalling)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, VIDEO_CAPS);
  self.extension_id = 7;
  push_packet (&self);
  pull_feedback (&self, &feedback);
  fail_unless_equals_int (feedback.echo_time_us, 1000000);
  fixture_clear (&self);
}

GST_END_TEST;

/* After a pause the flow is a new one: its first packet is reported at once,
 * with X_recv = 0, and a jump of the sequence numbers is no loss. */
GST_START_TEST (test_resuming_forgets_the_flow_and_keeps_the_counters)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, STAMPED_CAPS);
  push_packet (&self);
  pull_feedback (&self, &feedback);
  fail_unless_equals_int (gst_element_set_state (self.element,
          GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  advance_to (&self, 10 * TFRC_SECOND);
  fail_unless_equals_int (gst_element_set_state (self.element,
          GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  self.seq += 100;
  push_packet (&self);
  pull_feedback (&self, &feedback);
  fail_unless_equals_int (feedback.echo_time_us, 10000000);
  fail_unless_equals_float (feedback.receive_rate, 0.0);
  fail_unless_equals_float (feedback.loss_event_rate, 0.0);
  fail_unless_equals_uint64 (get_counter (&self, "packets"), 2);
  fail_unless_equals_uint64 (get_counter (&self, "packets-lost"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_eos_follows_the_last_report_and_a_flush_undoes_it)
{
  Fixture self;
  TfrcFeedback feedback;
  GstEvent *event;
  GstSegment segment;
  gboolean seen = FALSE;

  fixture_init (&self, STAMPED_CAPS);
  push_packet (&self);
  pull_feedback (&self, &feedback);
  fail_unless (gst_harness_push_event (self.rtp, gst_event_new_eos ()));
  while (!seen) {
    event = gst_harness_pull_event (self.rtcp);
    fail_unless (event != NULL);
    seen = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (gst_harness_push_event (self.rtp, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (self.rtp,
          gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (self.rtp,
          gst_event_new_segment (&segment)));
  push_packet (&self);
  pull_feedback (&self, &feedback);
  fixture_clear (&self);
}

GST_END_TEST;

/* READY and back: counters begin anew. */
GST_START_TEST (test_a_restart_begins_anew)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, STAMPED_CAPS);
  push_packet (&self);
  pull_feedback (&self, &feedback);
  gst_element_set_state (self.element, GST_STATE_READY);
  gst_element_set_state (self.element, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (get_counter (&self, "packets"), 0);
  fail_unless_equals_uint64 (get_counter (&self, "rtcp-packets"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

/* Every 500 ms from when it is turned on. */
GST_START_TEST (test_stats_are_posted_at_their_interval)
{
  Fixture self;
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  guint i;

  fixture_init (&self, STAMPED_CAPS);
  gst_element_set_bus (self.element, bus);
  g_object_set (self.element, "stats-interval", 500, NULL);
  for (i = 1; i <= 3; i++) {
    fail_unless_equals_uint64 (wait_for_sleep (&self),
        TFRC_SECOND + i * 500 * TFRC_MILLISECOND);
    crank (&self);
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_ELEMENT);
    fail_unless (gst_message_has_name (message, "tfrc-stats"));
    fail_unless (gst_structure_has_field_typed (gst_message_get_structure
            (message), "loss-event-rate", G_TYPE_DOUBLE));
    gst_message_unref (message);
  }
  gst_element_set_bus (self.element, NULL);
  gst_object_unref (bus);
  fixture_clear (&self);
}

GST_END_TEST;

/* Without a BYE the sparse stream's hole would be lost after an RTT. */
GST_START_TEST (test_a_stream_that_says_bye_is_no_longer_asked)
{
  static const guint8 bye[] = { 0x81, 203, 0, 1, 0x11, 0x11, 0x22, 0x22 };
  Fixture self;

  fixture_init (&self, VIDEO_CAPS);
  self.extension_id = 0;
  self.payload = slice;
  push_packet (&self);
  pull_key_frame_request (&self);
  fail_unless_equals_uint64 (wait_for_sleep (&self), 2 * TFRC_SECOND);
  gst_harness_push (self.rtp, gst_buffer_new_memdup (bye, sizeof (bye)));
  g_signal_emit_by_name (self.element, "request-key-frame", 0);
  advance_to (&self, 3 * TFRC_SECOND);
  fail_unless_equals_uint64 (get_counter (&self, "key-frame-requests"), 1);
  fixture_clear (&self);
}

GST_END_TEST;

static GstCaps *
audio_caps (GstElement *element, guint type, guint *n_calls)
{
  fail_unless_equals_int (type, 96);
  (*n_calls)++;
  return gst_caps_from_string ("application/x-rtp, media=audio");
}

/* Sink caps that name another payload type: the application is asked once. */
GST_START_TEST (test_the_application_says_what_a_payload_type_is)
{
  Fixture self;
  guint i, n_calls = 0;

  fixture_init (&self, "application/x-rtp, media=video, payload=97, "
      "encoding-name=H264");
  g_signal_connect (self.element, "request-pt-map", G_CALLBACK (audio_caps),
      &n_calls);
  self.extension_id = 0;
  self.payload = slice;
  for (i = 0; i < 3; i++)
    push_packet (&self);
  fail_unless_equals_int (n_calls, 1);
  g_signal_emit_by_name (self.element, "clear-pt-map");
  push_packet (&self);
  fail_unless_equals_int (n_calls, 2);
  fail_unless_equals_uint64 (get_counter (&self, "key-frame-requests"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

static Suite *
rtptfrcreceive_suite (void)
{
  Suite *suite = suite_create ("rtptfrcreceive");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_the_first_packet_is_reported_at_once_then_once_per_rtt);
  tcase_add_test (tcase, test_without_an_rtt_every_packet_is_reported);
  tcase_add_test (tcase, test_a_list_passes_as_the_same_list);
  tcase_add_test (tcase,
      test_a_loss_is_reported_at_once_and_a_key_frame_asked_for);
  tcase_add_test (tcase, test_a_joiner_asks_for_a_key_frame_until_it_comes);
  tcase_add_test (tcase, test_force_key_unit_from_downstream_asks_and_goes_on);
  tcase_add_test (tcase, test_key_frame_requests_can_be_turned_off);
  tcase_add_test (tcase, test_a_compound_report_begins_with_rr_and_cname);
  tcase_add_test (tcase, test_reports_begin_with_stream_start_caps_and_segment);
  tcase_add_test (tcase, test_reports_carry_the_address_of_the_proven_sender);
  tcase_add_test (tcase, test_multiplexed_rtcp_passes_without_sr_requests);
  tcase_add_test (tcase, test_bad_input_is_counted_and_passed_on);
  tcase_add_test (tcase, test_the_extension_is_found_without_signalling);
  tcase_add_test (tcase, test_resuming_forgets_the_flow_and_keeps_the_counters);
  tcase_add_test (tcase,
      test_eos_follows_the_last_report_and_a_flush_undoes_it);
  tcase_add_test (tcase, test_a_restart_begins_anew);
  tcase_add_test (tcase, test_stats_are_posted_at_their_interval);
  tcase_add_test (tcase, test_a_stream_that_says_bye_is_no_longer_asked);
  tcase_add_test (tcase, test_the_application_says_what_a_payload_type_is);
  return suite;
}

GST_CHECK_MAIN (rtptfrcreceive);
