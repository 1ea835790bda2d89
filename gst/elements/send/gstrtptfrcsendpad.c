/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the priority; the element hears of it. */

#include "send/gstrtptfrcsendpad.h"

enum
{
  PROP_PRIORITY = 1,
};

G_DEFINE_TYPE (GstRtpTfrcSendPad, gst_rtp_tfrc_send_pad, GST_TYPE_PAD);

static void
gst_rtp_tfrc_send_pad_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  GST_RTP_TFRC_SEND_PAD (object)->priority = g_value_get_enum (value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_rtp_tfrc_send_pad_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  g_value_set_enum (value, GST_RTP_TFRC_SEND_PAD (object)->priority);
  GST_OBJECT_UNLOCK (object);
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
  tfrc_priority_install (object_class, PROP_PRIORITY);
}

static void
gst_rtp_tfrc_send_pad_init (GstRtpTfrcSendPad *self)
{
  self->input.pad = GST_PAD (self);
}
