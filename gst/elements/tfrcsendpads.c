/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads of rtptfrcsend; each knows its partner as its element_private. */

#include "tfrcsendpads.h"

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_sink_template =
GST_STATIC_PAD_TEMPLATE ("rtcp_sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtcp"));
static GstStaticPadTemplate rtcp_src_template =
GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtcp"));

static GstPad *add_pad (GstElement *element, GstStaticPadTemplate *template);
static void make_partners (GstPad *sink, GstPad *src);

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
  self->sink = add_pad (element, &sink_template);
  self->src = add_pad (element, &src_template);
  self->rtcp_sink = add_pad (element, &rtcp_sink_template);
  self->rtcp_src = add_pad (element, &rtcp_src_template);
  make_partners (self->sink, self->src);
  make_partners (self->rtcp_sink, self->rtcp_src);
  GST_PAD_SET_PROXY_CAPS (self->sink);
}

static GstIterator *
iterate_partner (GstPad *pad, GstObject *parent)
{
  GValue value = G_VALUE_INIT;
  GstIterator *iterator;

  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, gst_pad_get_element_private (pad));
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

static void
make_partners (GstPad *sink, GstPad *src)
{
  gst_pad_set_element_private (sink, src);
  gst_pad_set_element_private (src, sink);
}
