/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pushes packets into an srtpdec and takes out what it lets pass. */

#include "security/context.h"

#include "common/pads.h"

struct _TfrcSrtpContext
{
  GstElement *element;
  GstPad *sink_pad;
  GstCaps *key; /* as srtpdec asks for it */
  GstBuffer *opened;
};

static GstCaps *
on_request_key (GstElement *element, guint ssrc, TfrcSrtpContext *self)
{
  return gst_caps_ref (self->key);
}

static GstPadProbeReturn
on_opened (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSrtpContext *self = user_data;

  self->opened = GST_PAD_PROBE_INFO_BUFFER (info);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  return GST_PAD_PROBE_HANDLED;
}

TfrcSrtpContext *
tfrc_srtp_context_new (void)
{
  static const gchar *const outputs[] = { "rtp_src", "rtcp_src" };
  TfrcSrtpContext *self = g_new0 (TfrcSrtpContext, 1);

  self->element = gst_object_ref_sink (gst_element_factory_make ("srtpdec",
      NULL));
  self->sink_pad = gst_element_get_static_pad (self->element, "rtp_sink");
  self->key = gst_caps_new_empty ();
  /* Paced packets reorder by more than the default of 128 at 100 Mbit/s. */
  g_object_set (self->element, "replay-window-size", 1024, NULL);
  g_signal_connect (self->element, "request-key", G_CALLBACK (on_request_key),
      self);
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++) {
    GstPad *pad = gst_element_get_static_pad (self->element, outputs[i]);

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_opened, self, NULL);
    gst_object_unref (pad);
  }
  gst_element_set_state (self->element, GST_STATE_PAUSED);
  tfrc_pads_begin_stream (self->sink_pad, "srtp", "application/x-srtp");
  return self;
}

void
tfrc_srtp_context_free (TfrcSrtpContext *self)
{
  if (!self)
    return;
  gst_element_set_state (self->element, GST_STATE_NULL);
  gst_object_unref (self->sink_pad);
  gst_object_unref (self->element);
  gst_caps_unref (self->key);
  g_free (self);
}

void
tfrc_srtp_context_set_key (TfrcSrtpContext *self, const TfrcSrtpConfig *config,
    GstBuffer *key, guint32 roc)
{
  const gchar *cipher = tfrc_srtp_get_cipher_name (config);

  g_signal_emit_by_name (self->element, "clear-keys");
  gst_caps_unref (self->key);
  self->key = gst_caps_new_simple ("application/x-srtp",
      "srtp-key", GST_TYPE_BUFFER, key, "roc", G_TYPE_UINT, roc,
      "srtp-cipher", G_TYPE_STRING, cipher,
      "srtcp-cipher", G_TYPE_STRING, cipher,
      "srtp-auth", G_TYPE_STRING, tfrc_srtp_get_rtp_auth (config),
      "srtcp-auth", G_TYPE_STRING, tfrc_srtp_get_rtcp_auth (config), NULL);
}

GstBuffer *
tfrc_srtp_context_open (TfrcSrtpContext *self, GstBuffer *packet)
{
  gst_pad_chain (self->sink_pad, gst_buffer_copy (packet));
  return g_steal_pointer (&self->opened);
}
