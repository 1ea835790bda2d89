/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/sink-pad.h"

#include "common/locks.h"
#include "common/pads.h"
#include "encoder/upstream.h"
#include "send/extension-writer.h"

enum
{
  PROP_PAD_PRIORITY = 1,
};

G_DEFINE_TYPE (GstRtpTfrcSendPad, gst_rtp_tfrc_send_pad, GST_TYPE_PAD);

static void
gst_rtp_tfrc_send_pad_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_AUTO_LOCK (object, locker);
  GST_RTP_TFRC_SEND_PAD (object)->priority = g_value_get_enum (value);
}

static void
gst_rtp_tfrc_send_pad_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GST_OBJECT_AUTO_LOCK (object, locker);
  g_value_set_enum (value, GST_RTP_TFRC_SEND_PAD (object)->priority);
}

static void
gst_rtp_tfrc_send_pad_finalize (GObject *object)
{
  TfrcSendInput *input = &GST_RTP_TFRC_SEND_PAD (object)->input;

  g_clear_pointer (&input->encoder, tfrc_encoder_free);
  gst_clear_event (&input->segment);
  G_OBJECT_CLASS (gst_rtp_tfrc_send_pad_parent_class)->finalize (object);
}

static void
gst_rtp_tfrc_send_pad_class_init (GstRtpTfrcSendPadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = gst_rtp_tfrc_send_pad_set_property;
  object_class->get_property = gst_rtp_tfrc_send_pad_get_property;
  object_class->finalize = gst_rtp_tfrc_send_pad_finalize;
  tfrc_priority_install (object_class, PROP_PAD_PRIORITY);
}

static void
gst_rtp_tfrc_send_pad_init (GstRtpTfrcSendPad *self)
{
  self->input.pad = GST_PAD (self);
}

static gboolean
is_requested (GstPad *pad)
{
  return GST_PAD_TEMPLATE_PRESENCE (GST_PAD_PAD_TEMPLATE (pad))
      == GST_PAD_REQUEST;
}

static gboolean
query_sink (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps, *allowed;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      /* Payloaders must not add our header extension. */
      if (!gst_pad_query_default (pad, parent, query))
        return FALSE;
      gst_query_parse_caps_result (query, &caps);
      caps = tfrc_extension_writer_strip_caps (gst_caps_copy (caps));
      /* An rtpsession offers one SSRC, but each stream needs its own. */
      for (guint i = 0; is_requested (pad) && i < gst_caps_get_size (caps); i++)
        gst_structure_remove_field (gst_caps_get_structure (caps, i), "ssrc");
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
      /* Serialized queries would have to wait for the queue; no allocation is proposed. */
      if (GST_QUERY_IS_SERIALIZED (query))
        return FALSE;
      return gst_pad_query_default (pad, parent, query);
  }
}

GstPad *
tfrc_send_pad_new (GstPadTemplate *template, const gchar *name, GstPad *src)
{
  GstPad *pad = g_object_new (GST_TYPE_RTP_TFRC_SEND_PAD, "name", name,
      "direction", GST_PAD_SINK, "template", template, NULL);

  gst_pad_set_element_private (pad, src);
  gst_pad_set_iterate_internal_links_function (pad, tfrc_pads_iterate_partner);
  GST_PAD_SET_PROXY_CAPS (pad);
  gst_pad_set_query_function (pad, query_sink);
  return pad;
}

GList *
tfrc_send_pads_list (GstElement *element)
{
  GList *pads = NULL;

  GST_OBJECT_LOCK (element);
  for (GList *walk = element->sinkpads; walk; walk = walk->next)
    if (GST_IS_RTP_TFRC_SEND_PAD (walk->data))
      pads = g_list_prepend (pads, gst_object_ref (walk->data));
  GST_OBJECT_UNLOCK (element);
  return g_list_reverse (pads);
}

static TfrcEncoder *
get_encoder (gpointer pad)
{
  return GST_RTP_TFRC_SEND_PAD (pad)->input.encoder;
}

/* Numbers of sink pads that are requested or in use. */
typedef struct
{
  guint all;
  guint eos;
  guint sending;
  guint flushing;
} PadCount;

static PadCount
count_pads (GstElement *element)
{
  PadCount n = { 0 };

  for (GList *walk = element->sinkpads; walk; walk = walk->next) {
    GstRtpTfrcSendPad *pad = walk->data;

    if (!GST_IS_RTP_TFRC_SEND_PAD (pad)
        || (!is_requested (walk->data) && !pad->started))
      continue;
    n.all++;
    n.eos += pad->eos;
    n.sending += pad->started && !pad->eos && !pad->flushing;
    n.flushing += pad->flushing;
  }
  return n;
}

guint
tfrc_send_pads_count (GstElement *element)
{
  return count_pads (element).all;
}

gboolean
tfrc_send_pads_are_at_eos (GstElement *element)
{
  PadCount n = count_pads (element);

  return n.all > 0 && n.eos == n.all;
}

gboolean
tfrc_send_pads_are_flushing (GstElement *element)
{
  PadCount n = count_pads (element);

  return n.flushing > 0 && n.sending == 0;
}

void
tfrc_send_pads_update_encoders (GstElement *element, TfrcTime now)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (element);

  for (GList *walk = pads; walk; walk = walk->next) {
    const TfrcEncoderFlow *flow =
        &GST_RTP_TFRC_SEND_PAD (walk->data)->input.flow;

    /* A new pad has no `flow` yet. */
    if (flow->overhead > 0)
      tfrc_encoder_update (get_encoder (walk->data), flow, now);
  }
}

static gboolean
has_encoder (GstElement *element, GstRtpTfrcSendPad *pad)
{
  GST_OBJECT_AUTO_LOCK (element, locker);
  return pad->encoder != NULL;
}

static guint
get_weight (GstRtpTfrcSendPad *pad)
{
  GstTfrcPriority priority;

  g_object_get (pad, "priority", &priority, NULL);
  return tfrc_priority_get_video_weight (priority);
}

void
tfrc_send_pads_configure_encoders (GstElement *element,
    const TfrcEncoderSettings *settings)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (element);
  guint weights = 0;

  for (GList *walk = pads; walk; walk = walk->next)
    weights += has_encoder (element, walk->data) ? get_weight (walk->data) : 0;
  for (GList *walk = pads; walk; walk = walk->next) {
    TfrcEncoderSettings own = *settings;
    guint weight = get_weight (walk->data);
    guint sum = has_encoder (element, walk->data) ? weights : weights + weight;

    /* A pad without encoder has the part that it would get.  When one is found, all are
     * configured again. */
    sum = MAX (sum, weight);
    own.min_bitrate = gst_util_uint64_scale_int (own.min_bitrate, weight, sum);
    own.start_bitrate = gst_util_uint64_scale_int (own.start_bitrate, weight,
        sum);
    tfrc_encoder_configure (get_encoder (walk->data), &own);
  }
}

static gboolean
feeds_another (GstElement *element, GstPad *sinkpad, GstElement *encoder)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (element);
  gboolean feeds = FALSE;

  for (GList *walk = pads; walk; walk = walk->next) {
    g_autoptr (GstElement) nearest = tfrc_encoder_find_upstream (walk->data);

    feeds |= walk->data != sinkpad && nearest == encoder;
  }
  return feeds;
}

gboolean
tfrc_send_pad_claim_encoder (GstPad *sinkpad, GstElement *encoder,
    gboolean nearest, GstElement *owner, gboolean *changed)
{
  GstRtpTfrcSendPad *pad = GST_RTP_TFRC_SEND_PAD (sinkpad);
  gboolean granted = encoder != NULL;

  if (granted && !nearest)
    granted = !tfrc_pads_is_media (sinkpad, "audio")
        && !feeds_another (owner, sinkpad, encoder);
  GST_OBJECT_LOCK (owner);
  for (GList *walk = owner->sinkpads; walk && encoder; walk = walk->next) {
    GstRtpTfrcSendPad *other = walk->data;

    if (GST_IS_RTP_TFRC_SEND_PAD (other) && other != pad
        && other->encoder == encoder)
      granted = FALSE;
  }
  *changed = pad->encoder != (granted ? encoder : NULL);
  pad->encoder = granted ? encoder : NULL;
  GST_OBJECT_UNLOCK (owner);
  return granted || encoder == NULL;
}

void
tfrc_send_pads_foreach_linked (GstElement *element,
    void (*call) (TfrcEncoder *encoder, GstPad *pad))
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (element);

  for (GList *walk = pads; walk; walk = walk->next)
    if (gst_pad_is_linked (walk->data))
      call (get_encoder (walk->data), walk->data);
}
