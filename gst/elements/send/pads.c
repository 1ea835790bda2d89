/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads of rtptfrcsend; each knows its partner as its element_private.  Caps go
 * without our header extension, latency with our queue. */

#include "send/pads.h"

#include "common/pads.h"
#include "send/stamper.h"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
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
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
  gst_element_class_add_static_pad_template (klass, &rtcp_sink_template);
  gst_element_class_add_static_pad_template (klass, &rtcp_src_template);
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

void
tfrc_send_pads_init (TfrcSendPads *self, GstElement *element)
{
  self->sink = tfrc_pads_add (element, &sink_template);
  self->src = tfrc_pads_add (element, &src_template);
  self->rtcp_sink = tfrc_pads_add (element, &rtcp_sink_template);
  self->rtcp_src = tfrc_pads_add (element, &rtcp_src_template);
  tfrc_pads_join (self->sink, self->src);
  tfrc_pads_join (self->rtcp_sink, self->rtcp_src);
  GST_PAD_SET_PROXY_CAPS (self->sink);
  gst_pad_set_query_function (self->sink, query_sink);
}

gboolean
tfrc_send_pads_query_latency (const TfrcSendPads *self, GstClockTime queue_time,
    GstQuery *query)
{
  GstClockTime min, max;
  gboolean live;

  if (!gst_pad_peer_query (self->sink, query))
    return FALSE;
  /* A packet may leave at once, or after all of the queue's time. */
  gst_query_parse_latency (query, &live, &min, &max);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += queue_time;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}
