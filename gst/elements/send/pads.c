/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads of rtptfrcsend; each knows its partner as its element_private. */

#include "send/pads.h"

#include "common/pads.h"

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
}
