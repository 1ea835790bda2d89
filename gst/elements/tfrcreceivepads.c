/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads of rtptfrcreceive.  RTP goes through, so sink and src know each other as
 * their element_private; reports come from the element. */

#include "tfrcreceivepads.h"

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_src_template =
GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtcp"));

static GstPad *add_pad (GstElement *element, GstStaticPadTemplate *template);
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
  self->sink = add_pad (element, &sink_template);
  GST_PAD_SET_PROXY_CAPS (self->sink);
  GST_PAD_SET_PROXY_ALLOCATION (self->sink);
  self->src = add_pad (element, &src_template);
  GST_PAD_SET_PROXY_CAPS (self->src);
  gst_pad_set_element_private (self->sink, self->src);
  gst_pad_set_element_private (self->src, self->sink);
  self->rtcp_src = add_pad (element, &rtcp_src_template);
  gst_pad_set_query_function (self->rtcp_src, query_rtcp_src);
  gst_pad_use_fixed_caps (self->rtcp_src);
}

static GstIterator *
iterate_partner (GstPad *pad, GstObject *parent)
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

static GstPad *
add_pad (GstElement *element, GstStaticPadTemplate *template)
{
  GstPad *pad = gst_pad_new_from_static_template (template,
      template->name_template);

  gst_pad_set_iterate_internal_links_function (pad, iterate_partner);
  gst_element_add_pad (element, pad);
  return pad;
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
