/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/branch.h"

#define MAX_PAYLOAD 1100

void
branch_link (Branch *self, SendFixture *f, GstPad *srcpad, guint32 ssrc)
{
  GstCaps *caps = gst_caps_from_string (
      "application/x-rtp, media=video, clock-rate=90000, encoding-name=VP8, "
      "payload=96");
  GstSegment segment;

  *self = (Branch) { .ssrc = ssrc, .srcpad = srcpad };
  self->sinkpad = gst_element_request_pad_simple (f->element, "sink_%u");
  gst_pad_set_active (self->srcpad, TRUE);
  assert_equals_int (gst_pad_link_full (self->srcpad, self->sinkpad,
                         GST_PAD_LINK_CHECK_NOTHING),
      GST_PAD_LINK_OK);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->srcpad, gst_event_new_stream_start ("test"));
  gst_pad_push_event (self->srcpad, gst_event_new_caps (caps));
  gst_pad_push_event (self->srcpad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

/* Behind it a payloader would be. */
void
branch_init (Branch *self, SendFixture *f, const gchar *factory, guint32 ssrc)
{
  GstElement *encoder = gst_element_factory_make (factory, NULL);

  gst_object_ref_sink (encoder);
  /* An element that comes into a bin is unlinked. */
  if (GST_OBJECT_PARENT (f->element) != NULL)
    gst_bin_add (GST_BIN (GST_OBJECT_PARENT (f->element)), encoder);
  branch_link (self, f, gst_element_get_static_pad (encoder, "src"), ssrc);
  self->encoder = encoder;
}

void
branch_clear (Branch *self, SendFixture *f)
{
  gst_pad_set_active (self->srcpad, FALSE);
  if (GST_OBJECT_PARENT (self->sinkpad) == GST_OBJECT (f->element))
    gst_element_release_request_pad (f->element, self->sinkpad);
  gst_object_unref (self->sinkpad);
  gst_object_unref (self->srcpad);
  gst_clear_object (&self->encoder);
}

void
branch_push_frame (Branch *self, guint64 bitrate)
{
  guint left = (guint) (bitrate * FRAME_TIME / TFRC_SECOND / 8);
  guint size;

  self->timestamp += 3600;
  for (; left > 0; left -= size) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    GstBuffer *buffer;

    size = MIN (left, MAX_PAYLOAD);
    buffer = send_fixture_make_packet (self->seq++, self->timestamp, size);
    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_ssrc (&rtp, self->ssrc);
    gst_rtp_buffer_unmap (&rtp);
    assert_equals_int (gst_pad_push (self->srcpad, buffer), GST_FLOW_OK);
  }
}
