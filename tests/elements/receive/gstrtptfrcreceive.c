/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcreceive passes on and reports. */

#include "receive/fixture.h"

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

/* RFC 5348 section 6.3: the first packet is reported at once, with X_recv = 0
 * and p = 0; then once per RTT, for which nobody wakes while nothing came.  Ten
 * packets in the next 20 ms, at 2 to 20 ms, are X_recv = 10 * 124 / 0.02 s =
 * 62000 bytes/s. */
GST_START_TEST (test_the_first_packet_is_reported_at_once_then_once_per_rtt)
{
  Fixture self;
  TfrcFeedback feedback;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless_equals_int_hex (feedback.media_ssrc, VIDEO_SSRC);
  fail_unless_equals_int (feedback.echo_time_us, 1000000);
  fail_unless_equals_uint64 (feedback.echo_delay, 0);
  fail_unless_equals_float (feedback.receive_rate, 0.0);
  fail_unless_equals_float (feedback.loss_event_rate, 0.0);

  for (i = 1; i <= 10; i++) {
    /* The last one is there just before the timer. */
    fixture_advance_to (&self, TFRC_SECOND + i * RTT / 10 - 1000);
    fixture_push_packet (&self);
    fail_unless_equals_uint64 (fixture_wait_for_sleep (&self),
        TFRC_SECOND + RTT);
  }
  fixture_crank (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless_equals_int (feedback.echo_time_us, 1019999);
  fail_unless_equals_uint64 (feedback.echo_delay, 1000);
  fail_unless_equals_float (feedback.receive_rate, 62000.0);
  /* 5 % of 124 bytes are 6, and of 1240 they are 62: less than a report. */
  fail_unless_equals_uint64 (fixture_get_counter (&self, "feedback-over-share"),
      2);
  fixture_push_packet (&self);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self),
      TFRC_SECOND + 2 * RTT);
  fixture_clear (&self);
}

GST_END_TEST;

/* A packet made now, that arrives after `delay`. */
static void
push_late (Fixture *self, TfrcDuration delay)
{
  GstBuffer *buffer = fixture_make_packet (self);

  fixture_advance_to (self, fixture_get_time (self) + delay);
  fail_unless_equals_int (gst_harness_push (self->rtp, buffer), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (self->rtp));
}

/* Of the second report the packets took 5, 9 and 5 ms, and the last one came a
 * millisecond before the timer.  The clock that is told is not the system's. */
GST_START_TEST (test_delays_come_behind_the_feedback)
{
  Fixture self;
  TfrcFeedback feedback;
  TfrcTime arrival;
  guint32 offset_us;

  fixture_init (&self, EXTENSION_CAPS);
  push_late (&self, 2 * TFRC_MILLISECOND);
  fixture_pull_feedback (&self, &feedback);
  fail_unless (feedback.has_delay);
  offset_us = feedback.delay.arrival_us - 1002000;
  fail_unless (offset_us != 0);
  fail_unless_equals_int (feedback.delay.least_delay_us - offset_us, 2000);
  fail_unless_equals_int (feedback.delay.newest_delay_us - offset_us, 2000);
  fail_unless_equals_int (feedback.delay.bytes, PACKET_SIZE);

  push_late (&self, 5 * TFRC_MILLISECOND);
  push_late (&self, 9 * TFRC_MILLISECOND);
  push_late (&self, 5 * TFRC_MILLISECOND);
  arrival = fixture_get_time (&self) / TFRC_MICROSECOND;
  fixture_crank (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless (feedback.has_delay);
  fail_unless_equals_int (feedback.delay.least_delay_us - offset_us, 5000);
  fail_unless (feedback.delay.newest_delay_us - offset_us >= 5000);
  fail_unless (feedback.delay.newest_delay_us - offset_us <= 9000);
  fail_unless_equals_int (feedback.delay.arrival_us - offset_us, arrival);
  fail_unless_equals_int (feedback.delay.bytes, 4 * PACKET_SIZE);
  fixture_clear (&self);
}

GST_END_TEST;

/* The header and extension of the next packet of the stream, with 255 bytes of padding and
 * no payload; `beside`: under another SSRC, with the stream as its CSRC. */
static GstBuffer *
make_padding (Fixture *self, gboolean beside, guint16 seq)
{
  GstBuffer *like = fixture_make_packet (self);
  guint header_size = PACKET_SIZE - PAYLOAD_SIZE, csrc_size = beside ? 4 : 0;
  guint8 *data = g_malloc0 (header_size + csrc_size + 255);
  gsize size = header_size + csrc_size + 255;

  gst_buffer_extract (like, 0, data, 12);
  gst_buffer_extract (like, 12, data + 12 + csrc_size, header_size - 12);
  data[0] |= 0x20;
  data[size - 1] = 255;
  if (beside) {
    data[0] |= 1;
    GST_WRITE_UINT16_BE (data + 2, seq);
    GST_WRITE_UINT32_BE (data + 8, VIDEO_SSRC + 1);
    GST_WRITE_UINT32_BE (data + 12, VIDEO_SSRC);
    self->seq--;
  }
  gst_buffer_unref (like);
  return gst_buffer_new_wrapped (data, size);
}

/* 24 bytes of header and extension, 4 of CSRC, 255 of padding.  A hole in their numbers is
 * a loss to TFRC, and none of the picture.  What pads in the numbers of the stream
 * would leave a hole there. */
GST_START_TEST (test_padding_beside_the_stream_is_measured_and_ends)
{
  const guint16 seqs[] = { 7, 8, 12, 13, 14, 15 };
  Fixture self;
  TfrcFeedback feedback;
  GstBuffer *buffer;

  fixture_init (&self, EXTENSION_CAPS);
  self.payload = fixture_idr;
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless (feedback.delay.ends_padding);
  self.payload = fixture_slice;
  for (guint i = 0; i < G_N_ELEMENTS (seqs); i++) {
    fixture_advance_to (&self, TFRC_SECOND + (i + 1) * TFRC_MILLISECOND);
    fail_unless_equals_int (gst_harness_push (self.rtp,
                                make_padding (&self, TRUE, seqs[i])),
        GST_FLOW_OK);
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 0);
  fixture_pull_feedback (&self, &feedback);
  fail_unless (feedback.loss_event_rate > 0);
  fail_unless_equals_int (feedback.media_ssrc, VIDEO_SSRC + 1);

  fixture_push_packet (&self);
  fail_unless_equals_int (gst_harness_push (self.rtp,
                              make_padding (&self, FALSE, 0)),
      GST_FLOW_OK);
  buffer = gst_harness_pull (self.rtp);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 24 + 255);
  gst_buffer_unref (buffer);
  while ((buffer = gst_harness_try_pull (self.rtcp)) != NULL) {
    fail_unless (gst_buffer_get_size (buffer) > 12); /* no PLI */
    gst_buffer_unref (buffer);
  }
  fixture_clear (&self);
}

GST_END_TEST;

/* RFC 5348 section 6.3: no RTT, so each packet has its report. */
GST_START_TEST (test_without_an_rtt_every_packet_is_reported)
{
  Fixture self;
  TfrcFeedback feedback;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  self.rtt = 0;
  for (i = 0; i < 3; i++) {
    fixture_advance_to (&self, (i + 1) * TFRC_SECOND);
    fixture_push_packet (&self);
    fixture_pull_feedback (&self, &feedback);
    fail_unless_equals_int (feedback.echo_time_us, (i + 1) * 1000000);
  }
  fixture_clear (&self);
}

GST_END_TEST;

/* Each packet of a buffer list is measured, and passed on. */
GST_START_TEST (test_the_packets_of_a_list_pass)
{
  Fixture self;
  GstBufferList *list = gst_buffer_list_new ();
  GstPad *pad;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  for (i = 0; i < 5; i++)
    gst_buffer_list_add (list, fixture_make_packet (&self));
  pad = gst_element_get_static_pad (self.element, "sink");
  fail_unless_equals_int (gst_pad_chain_list (pad, list), GST_FLOW_OK);
  gst_object_unref (pad);
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 5);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets"), 5);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "bytes"),
      5 * PACKET_SIZE);
  fixture_clear (&self);
}

GST_END_TEST;

/* RR 8, SDES 4 + 4 + 2 + 4 + 1 and one to fill the word. */
GST_START_TEST (test_a_compound_report_begins_with_rr_and_cname)
{
  static const guint8 prefix[] = { 0x80, 201, 0, 1, 0xAA, 0xBB, 0xCC, 0xDD,
    0x81, 202, 0, 3, 0xAA, 0xBB, 0xCC, 0xDD, 1, 4, 'n', 'a', 'm', 'e', 0, 0 };
  Fixture self;
  TfrcFeedback feedback;
  GstBuffer *buffer;
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;

  fixture_init (&self, EXTENSION_CAPS);
  g_object_set (self.element, "rtcp-reduced-size", FALSE, "cname", "name",
      NULL);
  fixture_push_packet (&self);
  buffer = gst_harness_pull (self.rtcp);
  fail_unless_equals_int (gst_buffer_memcmp (buffer, 0, prefix,
                              sizeof (prefix)),
      0);
  fixture_read_feedback (buffer, sizeof (prefix), &feedback);
  /* As rtpsession checks it. */
  fail_unless (gst_rtcp_buffer_validate (buffer));
  fail_unless (gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp));
  fail_unless_equals_int (gst_rtcp_buffer_get_packet_count (&rtcp), 4);
  gst_rtcp_buffer_unmap (&rtcp);
  gst_buffer_unref (buffer);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_reports_begin_with_stream_start_caps_and_segment)
{
  static const GstEventType types[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS,
    GST_EVENT_SEGMENT };
  Fixture self;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  for (i = 0; i < G_N_ELEMENTS (types); i++) {
    GstEvent *event = gst_harness_pull_event (self.rtcp);

    fail_unless_equals_int (GST_EVENT_TYPE (event), types[i]);
    gst_event_unref (event);
  }
  fixture_clear (&self);
}

GST_END_TEST;

/* Packets of a stream of their own would take the place of ours in tfrcsrc, and
 * its losses would be ours: dropped while ours is there, if they come from
 * elsewhere or tell another time. */
static const struct
{
  guint at_ms;
  gboolean home;
  guint8 ssrc_end; /* the last of its bytes */
  guint8 clock;    /* the first byte of the extension */
  guint passed;    /* buffers, then */
  guint64 foreign;
} strangers[] = {
  { 1000, TRUE, 0x22, 0, 1, 0 },
  { 1000, TRUE, 0x22, 0, 2, 0 },
  { 1000, TRUE, 0x22, 0, 3, 0 },
  { 1010, TRUE, 0x22, 0, 4, 0 },
  /* Under our SSRC, from elsewhere; after 200 ms of silence it is ours, behind a NAT
   * that gave it another address, and back. */
  { 1020, FALSE, 0x22, 0, 4, 1 },
  { 1210, FALSE, 0x22, 0, 5, 1 },
  { 1410, TRUE, 0x22, 0, 6, 1 },
  /* From elsewhere, whatever it tells. */
  { 1420, FALSE, 0x23, 0, 6, 2 },
  { 1430, FALSE, 0x23, 0x55, 6, 3 },
  /* From our address, of another clock. */
  { 1440, TRUE, 0x23, 0x55, 6, 4 },
  { 1500, TRUE, 0x22, 0, 7, 4 },
  { 1510, TRUE, 0x23, 0x55, 7, 5 },
  /* The sender's second stream. */
  { 1520, TRUE, 0x23, 0, 8, 5 },
  { 2000, TRUE, 0x22, 0, 9, 5 },
  { 2060, TRUE, 0x23, 0, 10, 5 },
  /* The sender restarts: from its address after 0.5 s, or from any after 1 s. */
  { 2559, TRUE, 0x24, 0x55, 10, 6 },
  { 2560, TRUE, 0x24, 0x55, 11, 6 },
  { 3559, FALSE, 0x25, 0xAA, 11, 7 },
  { 3560, FALSE, 0x25, 0xAA, 12, 7 },
};

GST_START_TEST (test_streams_of_strangers_are_dropped)
{
  Fixture self;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  for (i = 0; i < G_N_ELEMENTS (strangers); i++) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    GstBuffer *buffer;
    guint8 *data;
    guint size;

    fixture_advance_to (&self, strangers[i].at_ms * TFRC_MILLISECOND);
    buffer = fixture_make_packet (&self);
    gst_buffer_fill (buffer, 11, &strangers[i].ssrc_end, 1);
    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
    fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp,
        EXTENSION_ID, 0, (gpointer *) &data, &size));
    data[3] ^= strangers[i].clock;
    gst_rtp_buffer_unmap (&rtp);
    gst_buffer_add_net_address_meta (buffer,
        strangers[i].home ? self.home : self.away);
    fail_unless_equals_int (gst_harness_push (self.rtp, buffer), GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_buffers_received (self.rtp),
        strangers[i].passed);
    fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-foreign"),
        strangers[i].foreign);
  }
  fixture_clear (&self);
}

GST_END_TEST;

/* One of another SSRC without an extension, and the sender's audio behind it. */
GST_START_TEST (test_a_stray_packet_keeps_no_stream_out)
{
  static const guint8 ends[] = { 0x22, 0x66, 0x33 };
  Fixture self;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  for (i = 0; i < 3 * 50; i++) {
    GstBuffer *buffer;

    fixture_advance_to (&self, TFRC_SECOND + i * 7 * TFRC_MILLISECOND);
    buffer = fixture_make_packet (&self);
    if (i % 3 == 1) {
      gst_buffer_unref (buffer);
      buffer = gst_rtp_buffer_new_allocate (100, 0, 0);
    }
    gst_buffer_fill (buffer, 11, &ends[i % 3], 1);
    fail_unless_equals_int (gst_harness_push (self.rtp, buffer), GST_FLOW_OK);
  }
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-foreign"),
      50);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets"), 100);
  fail_unless_equals_int (gst_harness_buffers_received (self.rtp), 100);
  fixture_clear (&self);
}

GST_END_TEST;

/* An rtpbin would make a jitter buffer for each SSRC that reports.  Our first
 * packet, a report of somebody else, ours. */
GST_START_TEST (test_rtcp_of_strangers_is_dropped)
{
  static const guint8 reports[][8] = {
    { 0x80, 201, 0, 1, 0x66, 0x66, 0x66, 0x66 },
    { 0x80, 201, 0, 1, 0x11, 0x11, 0x22, 0x22 },
  };
  Fixture self;
  GstBuffer *buffer;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  for (i = 0; i < 3; i++) {
    buffer = i == 0 ? fixture_make_packet (&self)
                    : gst_buffer_new_memdup (reports[i - 1], 8);
    gst_buffer_add_net_address_meta (buffer, self.home);
    fail_unless_equals_int (gst_harness_push (self.rtp, buffer), GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_buffers_received (self.rtp),
        i == 2 ? 2 : 1);
    fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-foreign"),
        i == 0 ? 0 : 1);
  }
  fixture_clear (&self);
}

GST_END_TEST;

/* A stranger's element of the same size under another id, three of them in
 * pace: ours would be learnt anew. */
GST_START_TEST (test_nothing_is_learnt_from_strangers)
{
  Fixture self;
  guint i;

  fixture_init (&self, VIDEO_CAPS);
  for (i = 0; i < 10; i++) {
    static const guint8 stranger = 0x66;
    GstBuffer *buffer;

    fixture_advance_to (&self, TFRC_SECOND + i * 10 * TFRC_MILLISECOND);
    fixture_push_packet (&self);
    if (i < 3)
      continue;
    self.extension_id = EXTENSION_ID + 1;
    buffer = fixture_make_packet (&self);
    self.extension_id = EXTENSION_ID;
    self.seq--;
    gst_buffer_fill (buffer, 11, &stranger, 1);
    fail_unless_equals_int (gst_harness_push (self.rtp, buffer), GST_FLOW_OK);
  }
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-foreign"), 7);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets"), 10);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-unstamped"),
      0);
  fixture_clear (&self);
}

GST_END_TEST;

/* After 200 ms of silence a packet of the known stream moves the address, neither one
 * of another stream nor one that is earlier does. */
GST_START_TEST (test_reports_carry_the_address_of_the_proven_sender)
{
  Fixture self;
  GstBuffer *buffer;
  GSocketAddress *address;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  for (i = 0; i < 6; i++) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    if (i == 5)
      fixture_advance_to (&self, TFRC_SECOND + 200 * TFRC_MILLISECOND);
    buffer = fixture_make_packet (&self);
    if (i == 3) {
      fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
      gst_rtp_buffer_set_ssrc (&rtp, 666);
      gst_rtp_buffer_unmap (&rtp);
      self.seq--;
    }
    gst_buffer_add_net_address_meta (buffer, i < 3 ? self.home : self.away);
    gst_harness_push (self.rtp, buffer);
    g_object_get (self.element, "source-address", &address, NULL);
    fail_unless (address == (i == 5 ? self.away : self.home));
    g_object_unref (address);
  }
  buffer = gst_harness_pull (self.rtcp);
  fail_unless (gst_buffer_get_net_address_meta (buffer) != NULL);
  gst_buffer_unref (buffer);
  fixture_clear (&self);
}

GST_END_TEST;

/* Its first packets have four elements that may be extensions, and its numbers jump. */
static void
push_strangers (Fixture *self, guint n)
{
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD_SIZE, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    guint8 element[TFRC_WIRE_EXTENSION_SIZE] = { 0x55 };

    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_ssrc (&rtp, 1000 + i);
    gst_rtp_buffer_set_seq (&rtp, (guint16) (100 * i));
    for (guint id = 4; id < 8; id++)
      gst_rtp_buffer_add_extension_onebyte_header (&rtp, id, element,
          sizeof (element));
    gst_rtp_buffer_unmap (&rtp);
    gst_buffer_add_net_address_meta (buffer, self->away);
    gst_harness_push (self->rtp, buffer);
  }
}

/* Eight go on, of 300; with its third packet the sender has a place of its own, and its
 * element, known from the first one on, is the one. */
GST_START_TEST (test_strangers_before_the_sender_leave_nothing)
{
  Fixture self;
  GstStructure *stats;
  guint i, id;

  fixture_init (&self, VIDEO_CAPS);
  push_strangers (&self, 300);
  fail_unless_equals_int (gst_harness_buffers_received (self.rtp), 8);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-unproven"),
      292);
  fixture_advance_to (&self, 2 * TFRC_SECOND);
  for (i = 0; i < 10; i++) {
    GstBuffer *buffer;

    fixture_advance_to (&self, (2000 + 10 * i) * TFRC_MILLISECOND);
    buffer = fixture_make_packet (&self);
    gst_buffer_add_net_address_meta (buffer, self.home);
    gst_harness_push (self.rtp, buffer);
    push_strangers (&self, 3);
  }
  /* Those of the first two rounds, by another clock, still go on. */
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-foreign"),
      3 * 10);
  fail_unless_equals_int (gst_harness_buffers_received (self.rtp),
      8 + 10 + 3 * 2);
  g_object_get (self.element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint (stats, "extension-id", &id));
  fail_unless_equals_int (id, EXTENSION_ID);
  gst_structure_free (stats);
  fixture_clear (&self);
}

GST_END_TEST;

/* RFC 5761: RTCP between RTP.  A sender report passes, an SR request and what an
 * rtpsession would take for RTP do not, none is measured. */
GST_START_TEST (test_multiplexed_rtcp_passes_without_sr_requests)
{
  static const guint8 pli[] = { 0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2 };
  static const guint8 rr[] = { 0x80, 201, 0, 1, 0, 0, 0, 1 };
  static const guint8 rr_and_request[] = { 0x80, 201, 0, 1, 0, 0, 0, 1, 0x85,
    205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2 };
  Fixture self;
  GstBufferList *list = gst_buffer_list_new ();
  GstBufferList *request_only = gst_buffer_list_new ();
  GstBuffer *buffer;
  GstPad *pad;

  fixture_init (&self, EXTENSION_CAPS);
  gst_harness_push (self.rtp, gst_buffer_new_memdup (rr, sizeof (rr)));
  gst_harness_push (self.rtp,
      gst_buffer_new_memdup (rr_and_request, sizeof (rr_and_request)));
  gst_harness_push (self.rtp, gst_buffer_new_memdup (rr_and_request + 8, 12));
  gst_harness_push (self.rtp, gst_buffer_new_memdup (pli, sizeof (pli)));
  gst_buffer_list_add (list, gst_buffer_new_memdup (rr_and_request + 8, 12));
  gst_buffer_list_add (list,
      gst_buffer_new_memdup (rr_and_request, sizeof (rr_and_request)));
  pad = gst_element_get_static_pad (self.element, "sink");
  fail_unless_equals_int (gst_pad_chain_list (pad, list), GST_FLOW_OK);
  gst_buffer_list_add (request_only,
      gst_buffer_new_memdup (rr_and_request + 8, 12));
  fail_unless_equals_int (gst_pad_chain_list (pad, request_only), GST_FLOW_OK);
  gst_object_unref (pad);

  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 3);
  while ((buffer = gst_harness_try_pull (self.rtp))) {
    gst_check_buffer_data (buffer, rr, sizeof (rr));
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_uint64 (fixture_get_counter (&self,
                                 "sr-requests-filtered"),
      5);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "rtcp-malformed"), 1);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_bad_input_is_counted_and_passed_on)
{
  static const guint8 truncated[] = { 0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
  Fixture self;
  gsize size;

  fixture_init (&self, EXTENSION_CAPS);
  gst_harness_push (self.rtp, gst_buffer_new ());
  for (size = 1; size <= sizeof (truncated); size++)
    fail_unless_equals_int (gst_harness_push (self.rtp,
                                gst_buffer_new_memdup (truncated, size)),
        GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 12);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-malformed"),
      12);

  /* No extension, and one under our id with 2 bytes. */
  self.extension_id = 0;
  gst_harness_push (self.rtp, fixture_make_packet (&self));
  {
    GstBuffer *buffer = fixture_make_packet (&self);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
    fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp,
        EXTENSION_ID, fixture_idr, 2));
    gst_rtp_buffer_unmap (&rtp);
    gst_harness_push (self.rtp, buffer);
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.rtp), 14);
  fail_unless_equals_uint64 (fixture_get_counter (&self,
                                 "extensions-malformed"),
      1);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-unstamped"),
      2);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "feedback"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_the_extension_is_found_without_signalling)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, VIDEO_CAPS);
  self.extension_id = 7;
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless_equals_int (feedback.echo_time_us, 1000000);
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

  fixture_init (&self, EXTENSION_CAPS);
  gst_element_set_bus (self.element, bus);
  g_object_set (self.element, "stats-interval", 500, NULL);
  for (i = 1; i <= 3; i++) {
    fail_unless_equals_uint64 (fixture_wait_for_sleep (&self),
        TFRC_SECOND + i * 500 * TFRC_MILLISECOND);
    fixture_crank (&self);
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_ELEMENT);
    fail_unless (gst_message_has_name (message, "tfrc-stats"));
    fail_unless (gst_structure_has_field_typed (
        gst_message_get_structure (message), "loss-event-rate", G_TYPE_DOUBLE));
    gst_message_unref (message);
  }
  gst_element_set_bus (self.element, NULL);
  gst_object_unref (bus);
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
  tcase_add_test (tcase, test_delays_come_behind_the_feedback);
  tcase_add_test (tcase, test_padding_beside_the_stream_is_measured_and_ends);
  tcase_add_test (tcase, test_without_an_rtt_every_packet_is_reported);
  tcase_add_test (tcase, test_the_packets_of_a_list_pass);
  tcase_add_test (tcase, test_a_compound_report_begins_with_rr_and_cname);
  tcase_add_test (tcase, test_reports_begin_with_stream_start_caps_and_segment);
  tcase_add_test (tcase, test_reports_carry_the_address_of_the_proven_sender);
  tcase_add_test (tcase, test_strangers_before_the_sender_leave_nothing);
  tcase_add_test (tcase, test_streams_of_strangers_are_dropped);
  tcase_add_test (tcase, test_a_stray_packet_keeps_no_stream_out);
  tcase_add_test (tcase, test_nothing_is_learnt_from_strangers);
  tcase_add_test (tcase, test_rtcp_of_strangers_is_dropped);
  tcase_add_test (tcase, test_multiplexed_rtcp_passes_without_sr_requests);
  tcase_add_test (tcase, test_bad_input_is_counted_and_passed_on);
  tcase_add_test (tcase, test_the_extension_is_found_without_signalling);
  tcase_add_test (tcase, test_stats_are_posted_at_their_interval);
  return suite;
}

GST_CHECK_MAIN (rtptfrcreceive);
