/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/pads.h"

GstIterator *
tfrc_pads_iterate_partner (GstPad *pad, GstObject *parent)
{
  GstPad *partner = gst_pad_get_element_private (pad);
  GValue value = G_VALUE_INIT;
  GstIterator *iterator;

  if (!partner)
    return NULL;
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, partner);
  iterator = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return iterator;
}

GstPad *
tfrc_pads_add (GstElement *element, GstStaticPadTemplate *template)
{
  GstPad *pad = gst_pad_new_from_static_template (template,
      template->name_template);

  gst_pad_set_iterate_internal_links_function (pad, tfrc_pads_iterate_partner);
  gst_element_add_pad (element, pad);
  return pad;
}

void
tfrc_pads_join (GstPad *sink, GstPad *src)
{
  gst_pad_set_element_private (sink, src);
  gst_pad_set_element_private (src, sink);
}

static void
send_event (GstPad *pad, GstEvent *event)
{
  if (GST_PAD_IS_SRC (pad))
    gst_pad_push_event (pad, event);
  else
    gst_pad_send_event (pad, event);
}

void
tfrc_pads_begin_stream (GstPad *pad, const gchar *id, const gchar *type)
{
  GstEvent *event = gst_event_new_stream_start (id);
  GstCaps *caps = gst_caps_new_empty_simple (type);
  GstSegment segment;

  gst_event_set_group_id (event, gst_util_group_id_next ());
  send_event (pad, event);
  send_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  send_event (pad, gst_event_new_segment (&segment));
}

void
tfrc_pads_start_rtcp (GstPad *pad, GstElement *owner)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT,
      0);
  g_autofree gchar *id = NULL;

  if (event)
    return;
  id = owner ? gst_pad_create_stream_id (pad, owner, "rtcp")
             : g_strdup ("rtcp");
  tfrc_pads_begin_stream (pad, id, "application/x-rtcp");
}

gboolean
tfrc_pads_is_media (GstPad *pad, const gchar *media)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const gchar *own = NULL;

  if (caps)
    own = gst_structure_get_string (gst_caps_get_structure (caps, 0), "media");
  return g_strcmp0 (own, media) == 0;
}

typedef struct
{
  GstPad *pad;
  GstFlowReturn flow; /* of the last packet */
} Passage;

static gboolean
pass_on (GstBuffer **buffer, guint index, gpointer user_data)
{
  Passage *passage = user_data;
  GstBuffer *taken = g_steal_pointer (buffer);

  if (passage->flow != GST_FLOW_OK)
    gst_buffer_unref (taken);
  else if (GST_PAD_IS_SRC (passage->pad))
    passage->flow = gst_pad_push (passage->pad, taken);
  else
    passage->flow = gst_pad_chain (passage->pad, taken);
  return TRUE;
}

static GstPadProbeReturn
split_list (GstPad *pad, GstPadProbeInfo *info)
{
  /* In a writable list the packets have a single reference, so they are writable, too. */
  GstBufferList *list =
      gst_buffer_list_make_writable (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  Passage passage = { pad, GST_FLOW_OK };

  gst_buffer_list_foreach (list, pass_on, &passage);
  gst_buffer_list_unref (list);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = passage.flow;
  return GST_PAD_PROBE_HANDLED;
}

typedef struct
{
  GstPadProbeCallback on_packet;
  gpointer user_data;
  GDestroyNotify notify;
} PacketProbe;

static void
free_packet_probe (gpointer data)
{
  PacketProbe *self = data;

  if (self->notify)
    self->notify (self->user_data);
  g_free (self);
}

static GstPadProbeReturn
on_packets (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  const PacketProbe *self = user_data;

  return info->type & GST_PAD_PROBE_TYPE_BUFFER
      ? self->on_packet (pad, info, self->user_data)
      : split_list (pad, info);
}

void
tfrc_packet_probe_add (GstPad *pad, GstPadProbeCallback on_packet,
    gpointer user_data, GDestroyNotify notify)
{
  const PacketProbe probe = { on_packet, user_data, notify };

  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_packets,
      g_memdup2 (&probe, sizeof probe), free_packet_probe);
}
