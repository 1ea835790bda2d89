/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend: pads, events, queries and states of the sender. */

#include "gstrtptfrcsend.h"

#include "tfrcsendsettings.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

struct _GstRtpTfrcSend
{
  GstElement parent;

  GstPad *sinkpad;
  GstPad *srcpad;
  GstPad *rtcp_sinkpad;
  GstPad *rtcp_srcpad;

  TfrcSendSettings settings;    /* object lock */
};

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

G_DEFINE_TYPE (GstRtpTfrcSend, gst_rtp_tfrc_send, GST_TYPE_ELEMENT);
GST_ELEMENT_REGISTER_DEFINE (rtptfrcsend, "rtptfrcsend", GST_RANK_NONE,
    GST_TYPE_RTP_TFRC_SEND);

static GstFlowReturn
gst_rtp_tfrc_send_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  return gst_pad_push (GST_RTP_TFRC_SEND (parent)->srcpad, buffer);
}

static GstFlowReturn
gst_rtp_tfrc_send_rtcp_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  return gst_pad_push (GST_RTP_TFRC_SEND (parent)->rtcp_srcpad, buffer);
}

static GstIterator *
gst_rtp_tfrc_send_iterate_internal_links (GstPad *pad, GstObject *parent)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  GstPad *other;
  GValue value = G_VALUE_INIT;
  GstIterator *iterator;

  if (pad == self->sinkpad)
    other = self->srcpad;
  else if (pad == self->srcpad)
    other = self->sinkpad;
  else if (pad == self->rtcp_sinkpad)
    other = self->rtcp_srcpad;
  else
    other = self->rtcp_sinkpad;

  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, other);
  iterator = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return iterator;
}

static void
gst_rtp_tfrc_send_set_property (GObject *object, guint prop_id,
    const GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = tfrc_send_settings_set (&self->settings, prop_id, value);
  GST_OBJECT_UNLOCK (self);

  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
gst_rtp_tfrc_send_get_property (GObject *object, guint prop_id,
    GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);
  gboolean known;

  switch (prop_id) {
    case TFRC_SEND_PROP_BITRATE:
      g_value_set_uint (value, 0);
      return;
    case TFRC_SEND_PROP_STATS:
      g_value_take_boxed (value, gst_structure_new_empty ("tfrc-stats"));
      return;
    default:
      break;
  }

  GST_OBJECT_LOCK (self);
  known = tfrc_send_settings_get (&self->settings, prop_id, value);
  GST_OBJECT_UNLOCK (self);

  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
gst_rtp_tfrc_send_finalize (GObject *object)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);

  tfrc_send_settings_clear (&self->settings);

  G_OBJECT_CLASS (gst_rtp_tfrc_send_parent_class)->finalize (object);
}

static void
gst_rtp_tfrc_send_class_init (GstRtpTfrcSendClass *klass)
{
  GObjectClass *gobject_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_rtp_tfrc_send_debug, "rtptfrcsend", 0,
      "TFRC sender");

  gobject_class->set_property = gst_rtp_tfrc_send_set_property;
  gobject_class->get_property = gst_rtp_tfrc_send_get_property;
  gobject_class->finalize = gst_rtp_tfrc_send_finalize;
  tfrc_send_settings_install (gobject_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class,
      &rtcp_sink_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC sender",
      "Filter/Network/RTP",
      "Paces RTP packets at the rate that TFRC (RFC 5348) allows",
      "The gst-tfrc developers");
}

static void
gst_rtp_tfrc_send_init (GstRtpTfrcSend *self)
{
  GstElement *element = GST_ELEMENT (self);

  tfrc_send_settings_init (&self->settings);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_rtp_tfrc_send_chain);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");

  self->rtcp_sinkpad =
      gst_pad_new_from_static_template (&rtcp_sink_template, "rtcp_sink");
  gst_pad_set_chain_function (self->rtcp_sinkpad, gst_rtp_tfrc_send_rtcp_chain);

  self->rtcp_srcpad =
      gst_pad_new_from_static_template (&rtcp_src_template, "rtcp_src");

  gst_pad_set_iterate_internal_links_function (self->sinkpad,
      gst_rtp_tfrc_send_iterate_internal_links);
  gst_pad_set_iterate_internal_links_function (self->srcpad,
      gst_rtp_tfrc_send_iterate_internal_links);
  gst_pad_set_iterate_internal_links_function (self->rtcp_sinkpad,
      gst_rtp_tfrc_send_iterate_internal_links);
  gst_pad_set_iterate_internal_links_function (self->rtcp_srcpad,
      gst_rtp_tfrc_send_iterate_internal_links);

  gst_element_add_pad (element, self->sinkpad);
  gst_element_add_pad (element, self->srcpad);
  gst_element_add_pad (element, self->rtcp_sinkpad);
  gst_element_add_pad (element, self->rtcp_srcpad);
}
