/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads of rtptfrcreceive.  RTP goes through, so sink and src know each other as
 * their element_private; reports come from the element. */

#include "receive/pads.h"

#include "common/pads.h"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_src_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("application/x-rtcp"));

static gboolean query_rtcp_src (GstPad *pad, GstObject *parent,
    GstQuery *query);

void
tfrc_receive_pads_install (GstElementClass *klass)
{
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
  gst_element_class_add_static_pad_template (klass, &rtcp_src_template);
}

void
tfrc_receive_pads_init (TfrcReceivePads *self, GstElement *element)
{
  self->sink = tfrc_pads_add (element, &sink_template);
  GST_PAD_SET_PROXY_CAPS (self->sink);
  GST_PAD_SET_PROXY_ALLOCATION (self->sink);
  self->src = tfrc_pads_add (element, &src_template);
  GST_PAD_SET_PROXY_CAPS (self->src);
  tfrc_pads_join (self->sink, self->src);
  self->rtcp_src = tfrc_pads_add (element, &rtcp_src_template);
  gst_pad_set_query_function (self->rtcp_src, query_rtcp_src);
  gst_pad_use_fixed_caps (self->rtcp_src);
}

static gboolean
query_rtcp_src (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  /* Reports have no timestamps; as rtpsession answers for its RTCP. */
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}
