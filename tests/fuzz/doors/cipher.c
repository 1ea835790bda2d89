/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cipher.h"

#include <gst/gst.h>

#define MAX_PACKETS 5000

struct _Cipher
{
  GstElement *element;
  GstPad *inlets[2]; /* RTP, RTCP */
  GstPad *outlets[2];
  GByteArray *result;
  gboolean done;
  guint n_packets;
};

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Cipher *self = gst_pad_get_element_private (pad);
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_byte_array_set_size (self->result, 0);
    g_byte_array_append (self->result, map.data, (guint) map.size);
    self->done = TRUE;
    gst_buffer_unmap (buffer, &map);
  }
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
ignore (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static void
begin (Cipher *self)
{
  static const gchar *const types[] = { "application/x-rtp",
    "application/x-rtcp" };
  GstSegment segment;
  guint i;

  gst_element_set_state (self->element, GST_STATE_PLAYING);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (i = 0; i < 2; i++) {
    GstCaps *caps = gst_caps_new_empty_simple (types[i]);

    gst_pad_set_active (self->outlets[i], TRUE);
    gst_pad_set_active (self->inlets[i], TRUE);
    gst_pad_push_event (self->inlets[i], gst_event_new_stream_start ("fuzz"));
    gst_pad_push_event (self->inlets[i], gst_event_new_caps (caps));
    gst_pad_push_event (self->inlets[i], gst_event_new_segment (&segment));
    gst_caps_unref (caps);
  }
  self->n_packets = 0;
}

static void
end (Cipher *self)
{
  guint i;

  for (i = 0; i < 2; i++) {
    gst_pad_set_active (self->inlets[i], FALSE);
    gst_pad_set_active (self->outlets[i], FALSE);
  }
  gst_element_set_state (self->element, GST_STATE_NULL);
}

static void
link_pad (Cipher *self, guint i)
{
  static const gchar *const sinks[] = { "rtp_sink_0", "rtcp_sink_0" };
  static const gchar *const sources[] = { "rtp_src_0", "rtcp_src_0" };
  GstPad *sink = gst_element_request_pad_simple (self->element, sinks[i]);
  GstPad *source = gst_element_get_static_pad (self->element, sources[i]);

  self->inlets[i] = gst_pad_new (NULL, GST_PAD_SRC);
  self->outlets[i] = gst_pad_new (NULL, GST_PAD_SINK);
  gst_pad_set_element_private (self->outlets[i], self);
  gst_pad_set_chain_function (self->outlets[i], take);
  gst_pad_set_event_function (self->outlets[i], ignore);
  g_assert (gst_pad_link (self->inlets[i], sink) == GST_PAD_LINK_OK);
  g_assert (gst_pad_link (source, self->outlets[i]) == GST_PAD_LINK_OK);
  gst_object_unref (sink);
  gst_object_unref (source);
}

Cipher *
cipher_new (void)
{
  Cipher *self = g_new0 (Cipher, 1);

  self->element = gst_element_factory_make ("srtpenc", NULL);
  g_assert (self->element != NULL);
  gst_util_set_object_arg (G_OBJECT (self->element), "key", CIPHER_KEY);
  g_object_set (self->element, "allow-repeat-tx", TRUE, NULL);
  self->result = g_byte_array_new ();
  link_pad (self, 0);
  link_pad (self, 1);
  begin (self);
  return self;
}

void
cipher_free (Cipher *self)
{
  guint i;

  end (self);
  gst_object_unref (self->element);
  for (i = 0; i < 2; i++) {
    gst_object_unref (self->inlets[i]);
    gst_object_unref (self->outlets[i]);
  }
  g_byte_array_unref (self->result);
  g_free (self);
}

void
cipher_protect (Cipher *self, GByteArray *data, gboolean is_rtcp)
{
  self->done = FALSE;
  if (data->len < 12)
    return;
  gst_pad_push (self->inlets[is_rtcp ? 1 : 0],
      gst_buffer_new_memdup (data->data, data->len));
  if (!self->done)
    return;
  g_byte_array_set_size (data, 0);
  g_byte_array_append (data, self->result->data, self->result->len);
}

void
cipher_protect_any (Cipher *self, GByteArray *data, gboolean is_rtcp)
{
  if (self->n_packets++ == MAX_PACKETS) {
    end (self);
    begin (self);
  }
  cipher_protect (self, data, is_rtcp);
}
