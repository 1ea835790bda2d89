/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drives rtptfrcsend in its tests. */

#include "send/fixture.h"

void
send_fixture_init (SendFixture *self)
{
  memset (self, 0, sizeof (*self));
  self->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_system_clock_set_default (GST_CLOCK (self->clock));
  self->element = gst_element_factory_make ("rtptfrcsend", NULL);
  fail_unless (self->element != NULL);
  self->seq = 65534;
  self->bus = gst_bus_new ();
  gst_element_set_bus (self->element, self->bus);
}

void
send_fixture_start (SendFixture *self, const gchar *caps)
{
  self->rtp = gst_harness_new_with_element (self->element,
      caps != NULL ? "sink" : NULL, "src");
  self->rtcp = gst_harness_new_with_element (self->element, "rtcp_sink",
      "rtcp_src");
  gst_harness_set_src_caps_str (self->rtcp, "application/x-rtcp");
  if (caps != NULL)
    gst_harness_set_src_caps_str (self->rtp, caps);
}

void
send_fixture_clear (SendFixture *self)
{
  gst_harness_teardown (self->rtcp);
  gst_harness_teardown (self->rtp);
  gst_element_set_bus (self->element, NULL);
  gst_object_unref (self->bus);
  gst_object_unref (self->element);
  gst_system_clock_set_default (NULL);
  gst_object_unref (self->clock);
}

void
send_fixture_run_until (SendFixture *self, TfrcTime at)
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

GstBuffer *
send_fixture_make_packet (guint16 seq, guint32 timestamp, guint payload_size)
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

void
send_fixture_push_packets (SendFixture *self, guint n)
{
  for (guint i = 0; i < n; i++, self->seq++)
    assert_equals_int (gst_harness_push (self->rtp,
                           send_fixture_make_packet (self->seq,
                               self->seq * 3000u, PAYLOAD_SIZE)),
        GST_FLOW_OK);
}

void
send_fixture_push_frame (SendFixture *self, gboolean key)
{
  GstBuffer *buffer = send_fixture_make_packet (self->seq, self->seq * 3000u,
      PAYLOAD_SIZE);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 *payload;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  payload = gst_rtp_buffer_get_payload (&rtp);
  payload[0] = 0x10; /* RFC 7741 section 4.2: S, PID 0, and nothing more */
  payload[1] = key ? 0 : 1;
  gst_rtp_buffer_unmap (&rtp);
  assert_equals_int (gst_harness_push (self->rtp, buffer), GST_FLOW_OK);
  self->seq++;
}

SendPacket
send_fixture_read_packet (GstBuffer *buffer, guint id)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  SendPacket packet = { 0 };
  gpointer data;
  guint8 bits;
  guint size;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  packet.seq = gst_rtp_buffer_get_seq (&rtp);
  packet.timestamp = gst_rtp_buffer_get_timestamp (&rtp);
  packet.has_extension =
      (id < 15 ? gst_rtp_buffer_get_extension_onebyte_header (&rtp, id, 0,
                     &data, &size)
               : gst_rtp_buffer_get_extension_twobytes_header (&rtp, &bits, id,
                     0, &data, &size))
      && tfrc_wire_read_extension (&packet.extension, data, size);
  gst_rtp_buffer_unmap (&rtp);
  return packet;
}

SendPacket
send_fixture_pull_packet (SendFixture *self)
{
  GstBuffer *buffer = gst_harness_pull (self->rtp);
  SendPacket packet = send_fixture_read_packet (buffer, SEND_ID);

  assert_equals_int (gst_buffer_get_size (buffer), PACKET_SIZE);
  fail_unless (packet.has_extension);
  gst_buffer_unref (buffer);
  return packet;
}

SendPacket
send_fixture_pull_all (SendFixture *self)
{
  SendPacket newest = { 0 };
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (self->rtp)) != NULL) {
    newest = send_fixture_read_packet (buffer, SEND_ID);
    gst_buffer_unref (buffer);
  }
  return newest;
}

void
send_fixture_make_feedback (guint8 data[TFRC_WIRE_FEEDBACK_SIZE],
    const SendPacket *packet, guint32 media_ssrc)
{
  const TfrcFeedback feedback = {
    .media_ssrc = media_ssrc,
    .echo_time_us = packet->extension.send_time_us,
    .receive_rate = 0,
    .loss_event_rate = 0,
  };

  tfrc_wire_write_feedback (data, &feedback, RECEIVER_SSRC);
}

void
send_fixture_push_rtcp (SendFixture *self, const guint8 *data, gsize size)
{
  assert_equals_int (gst_harness_push (self->rtcp,
                         gst_buffer_new_memdup (data, size)),
      GST_FLOW_OK);
}

void
send_fixture_push_feedback (SendFixture *self, const TfrcFeedback *feedback)
{
  guint8 data[TFRC_WIRE_FEEDBACK_SIZE];

  tfrc_wire_write_feedback (data, feedback, RECEIVER_SSRC);
  send_fixture_push_rtcp (self, data, sizeof data);
}

SendPacket
send_fixture_start_flow (SendFixture *self)
{
  guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE];
  SendPacket packet;

  send_fixture_push_packets (self, 1);
  packet = send_fixture_pull_packet (self);
  send_fixture_run_until (self, START + RTT);
  send_fixture_make_feedback (feedback, &packet, SSRC);
  send_fixture_push_rtcp (self, feedback, sizeof feedback);
  return packet;
}

static GstStructure *
get_stats (SendFixture *self)
{
  GstStructure *stats;

  g_object_get (self->element, "stats", &stats, NULL);
  return stats;
}

guint64
send_fixture_get_stat (SendFixture *self, const gchar *name)
{
  GstStructure *stats = get_stats (self);
  guint64 value;

  fail_unless (gst_structure_get_uint64 (stats, name, &value), "%s", name);
  gst_structure_free (stats);
  return value;
}

gdouble
send_fixture_get_rate (SendFixture *self, const gchar *name)
{
  GstStructure *stats = get_stats (self);
  gdouble rate;

  fail_unless (gst_structure_get_double (stats, name, &rate), "%s", name);
  gst_structure_free (stats);
  return rate;
}

void
send_fixture_assert_state (SendFixture *self, const gchar *name,
    const gchar *state)
{
  GstStructure *stats = get_stats (self);

  assert_equals_string (gst_structure_get_string (stats, name), state);
  gst_structure_free (stats);
}
