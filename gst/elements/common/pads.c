/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds pads and joins them. */

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
tfrc_pads_start_rtcp (GstPad *pad, GstElement *owner)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstSegment segment;
  GstCaps *caps;
  gchar *id;

  if (event) {
    gst_event_unref (event);
    return;
  }
  id = owner ? gst_pad_create_stream_id (pad, owner, "rtcp")
             : g_strdup ("rtcp");
  event = gst_event_new_stream_start (id);
  gst_event_set_group_id (event, gst_util_group_id_next ());
  send_event (pad, event);
  g_free (id);

  caps = gst_caps_new_empty_simple ("application/x-rtcp");
  send_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  send_event (pad, gst_event_new_segment (&segment));
}
