/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fixture of the tests of rtptfrcreceive. */

#include "receive/fixture.h"

#include <gst/rtp/rtp.h>

const guint8 fixture_idr[2] = { 0x65, 0x88 };
const guint8 fixture_slice[2] = { 0x41, 0x9A };

void
fixture_init (Fixture *self, const gchar *caps)
{
  memset (self, 0, sizeof (*self));
  self->clock =
      GST_TEST_CLOCK (gst_test_clock_new_with_start_time (TFRC_SECOND));
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
  self->payload = fixture_idr;
  self->home = g_inet_socket_address_new_from_string ("192.0.2.1", 5004);
  self->away = g_inet_socket_address_new_from_string ("192.0.2.2", 5004);
}

void
fixture_clear (Fixture *self)
{
  gst_harness_teardown (self->rtcp);
  gst_harness_teardown (self->rtp);
  gst_object_unref (self->element);
  gst_system_clock_set_default (NULL);
  gst_object_unref (self->clock);
  g_object_unref (self->home);
  g_object_unref (self->away);
}

TfrcTime
fixture_get_time (Fixture *self)
{
  return gst_clock_get_time (GST_CLOCK (self->clock));
}

void
fixture_advance_to (Fixture *self, TfrcTime at)
{
  gst_test_clock_set_time (self->clock, at);
}

TfrcTime
fixture_wait_for_sleep (Fixture *self)
{
  GstClockID id;
  TfrcTime deadline;

  gst_test_clock_wait_for_next_pending_id (self->clock, &id);
  deadline = gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  return deadline;
}

void
fixture_crank (Fixture *self)
{
  fail_unless (gst_test_clock_crank (self->clock));
}

static GstBuffer *
make_packet (Fixture *self, const guint8 *element, gsize size)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD_SIZE, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, VIDEO_SSRC);
  gst_rtp_buffer_set_seq (&rtp, self->seq);
  gst_rtp_buffer_set_timestamp (&rtp, self->seq * 3000);
  gst_rtp_buffer_set_marker (&rtp, TRUE);
  memcpy (gst_rtp_buffer_get_payload (&rtp), self->payload, 2);
  if (self->extension_id != 0)
    fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp,
        self->extension_id, element, size));
  gst_rtp_buffer_unmap (&rtp);
  self->seq++;
  return buffer;
}

GstBuffer *
fixture_make_packet (Fixture *self)
{
  const TfrcExtension extension = {
    (guint32) (fixture_get_time (self) / TFRC_MICROSECOND), self->rtt
  };
  guint8 data[TFRC_WIRE_EXTENSION_SIZE];

  tfrc_wire_write_extension (data, &extension);
  return make_packet (self, data, sizeof (data));
}

GstBuffer *
fixture_make_group_packet (Fixture *self, const TfmccExtension *extension)
{
  TfmccExtension sent = *extension;
  guint8 data[TFMCC_WIRE_EXTENSION_MAX];

  sent.send_time_us = (guint32) (fixture_get_time (self) / TFRC_MICROSECOND);
  return make_packet (self, data, tfmcc_wire_write_extension (data, &sent));
}

void
fixture_push_packet (Fixture *self)
{
  GstBuffer *buffer = fixture_make_packet (self), *out;

  fail_unless_equals_int (gst_harness_push (self->rtp, buffer), GST_FLOW_OK);
  out = gst_harness_pull (self->rtp);
  fail_unless (out == buffer);
  gst_buffer_unref (out);
}

void
fixture_read_feedback (GstBuffer *buffer, gsize prefix_size,
    TfrcFeedback *feedback)
{
  GstMapInfo map;
  size_t packet_size, delay_size;
  uint32_t sender_ssrc;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (tfrc_wire_read_rtcp (map.data + prefix_size,
                              map.size - prefix_size, &packet_size, feedback,
                              &sender_ssrc),
      TFRC_WIRE_FEEDBACK);
  fail_unless_equals_int_hex (sender_ssrc, 0xAABBCCDD);
  delay_size = map.size - prefix_size - packet_size;
  feedback->has_delay = delay_size > 0;
  if (feedback->has_delay) {
    fail_unless_equals_int (tfrc_wire_read_delay (map.data + prefix_size
                                    + packet_size,
                                delay_size, &feedback->delay, &sender_ssrc),
        TFRC_WIRE_DELAY);
    fail_unless_equals_int_hex (sender_ssrc, 0xAABBCCDD);
  }
  gst_buffer_unmap (buffer, &map);
}

void
fixture_pull_feedback (Fixture *self, TfrcFeedback *feedback)
{
  GstBuffer *buffer = gst_harness_pull (self->rtcp);

  fail_unless (buffer != NULL);
  fixture_read_feedback (buffer, 0, feedback);
  gst_buffer_unref (buffer);
}

void
fixture_pull_key_frame_request (Fixture *self)
{
  static const guint8 pli[] = { 0x81, 206, 0, 2, 0xAA, 0xBB, 0xCC, 0xDD, 0x11,
    0x11, 0x22, 0x22 };
  GstBuffer *buffer = gst_harness_pull (self->rtcp);

  fail_unless (buffer != NULL);
  gst_check_buffer_data (buffer, pli, sizeof (pli));
  gst_buffer_unref (buffer);
}

guint64
fixture_get_counter (Fixture *self, const gchar *name)
{
  GstStructure *stats;
  guint64 value = G_MAXUINT64;

  g_object_get (self->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s", name);
  gst_structure_free (stats);
  return value;
}
