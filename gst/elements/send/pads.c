/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads of rtptfrcsend; each but `src` knows its partner as its element_private.  Caps go
 * without our header extension, latency with our queue. */

#include "send/pads.h"

#include "common/pads.h"
#include "send/gstrtptfrcsendpad.h"
#include "send/stamper.h"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate request_template =
    GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
        GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_sink_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("application/x-rtcp"));
static GstStaticPadTemplate rtcp_src_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("application/x-rtcp"));

void
tfrc_send_pads_install (GstElementClass *klass)
{
  gst_type_mark_as_plugin_api (GST_TYPE_RTP_TFRC_SEND_PAD, 0);
  gst_element_class_add_static_pad_template_with_gtype (klass, &sink_template,
      GST_TYPE_RTP_TFRC_SEND_PAD);
  gst_element_class_add_static_pad_template_with_gtype (klass,
      &request_template, GST_TYPE_RTP_TFRC_SEND_PAD);
  gst_element_class_add_static_pad_template (klass, &src_template);
  gst_element_class_add_static_pad_template (klass, &rtcp_sink_template);
  gst_element_class_add_static_pad_template (klass, &rtcp_src_template);
}

static void
remove_ssrc (GstCaps *caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    gst_structure_remove_field (gst_caps_get_structure (caps, i), "ssrc");
}

static gboolean
query_sink (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps, *allowed;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      /* Payloaders are not to make an extension of ours. */
      if (!gst_pad_query_default (pad, parent, query))
        return FALSE;
      gst_query_parse_caps_result (query, &caps);
      caps = tfrc_stamper_strip_caps (gst_caps_copy (caps));
      /* An rtpsession offers one SSRC, and so one to each stream. */
      if (GST_PAD_TEMPLATE_PRESENCE (GST_PAD_PAD_TEMPLATE (pad))
          == GST_PAD_REQUEST)
        remove_ssrc (caps);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_parse_accept_caps (query, &caps);
      allowed = gst_pad_query_caps (pad, NULL);
      gst_query_set_accept_caps_result (query,
          gst_caps_can_intersect (caps, allowed));
      gst_caps_unref (allowed);
      return TRUE;
    default:
      /* Nobody waits for the queue to empty, and memory needs no allocator. */
      if (GST_QUERY_IS_SERIALIZED (query))
        return FALSE;
      return gst_pad_query_default (pad, parent, query);
  }
}

static gint
compare_sinks (gconstpointer value, gconstpointer unused)
{
  return GST_IS_RTP_TFRC_SEND_PAD (g_value_get_object (value)) ? 0 : 1;
}

static GstIterator *
iterate_sinks (GstPad *pad, GstObject *parent)
{
  return gst_iterator_filter (
      gst_element_iterate_sink_pads (GST_ELEMENT (parent)), compare_sinks,
      NULL);
}

GstPad *
tfrc_send_pads_make_sink (const TfrcSendPads *self, GstPadTemplate *template,
    const gchar *name)
{
  GstPad *pad = g_object_new (GST_TYPE_RTP_TFRC_SEND_PAD, "name", name,
      "direction", GST_PAD_SINK, "template", template, NULL);

  gst_pad_set_element_private (pad, self->src);
  gst_pad_set_iterate_internal_links_function (pad, tfrc_pads_iterate_partner);
  GST_PAD_SET_PROXY_CAPS (pad);
  gst_pad_set_query_function (pad, query_sink);
  return pad;
}

void
tfrc_send_pads_init (TfrcSendPads *self, GstElement *element)
{
  self->src = tfrc_pads_add (element, &src_template);
  gst_pad_set_iterate_internal_links_function (self->src, iterate_sinks);
  self->sink = tfrc_send_pads_make_sink (self,
      gst_element_get_pad_template (element, "sink"), "sink");
  gst_element_add_pad (element, self->sink);
  self->rtcp_sink = tfrc_pads_add (element, &rtcp_sink_template);
  self->rtcp_src = tfrc_pads_add (element, &rtcp_src_template);
  tfrc_pads_join (self->rtcp_sink, self->rtcp_src);
}

gboolean
tfrc_send_pads_query_latency (const TfrcSendPads *self, GstClockTime queue_time,
    GstQuery *query)
{
  GstClockTime min, max;
  gboolean live;

  if (!gst_pad_query_default (self->src, GST_OBJECT_PARENT (self->src), query))
    return FALSE;
  /* A packet may leave at once, or after all of the queue's time. */
  gst_query_parse_latency (query, &live, &min, &max);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += queue_time;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}
