/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoding name, caps and SDP of tfrcsrc. */

#include "bins/description.h"

#include "bins/encodings.h"

void
tfrc_description_clear (TfrcDescription *self)
{
  g_clear_pointer (&self->encoding_name, g_free);
  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->sdp, g_free);
  g_clear_pointer (&self->sdp_error, g_free);
}

void
tfrc_description_install (GObjectClass *klass)
{
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (klass, TFRC_DESCRIPTION_PROP_ENCODING_NAME,
      g_param_spec_string ("encoding-name", "Encoding name",
          "Encoding of dynamic payload types that caps does not have, e.g. "
          "H264, VP8, OPUS (default: NULL = unknown)",
          NULL, flags));
  g_object_class_install_property (klass, TFRC_DESCRIPTION_PROP_CAPS,
      g_param_spec_boxed ("caps", "Caps",
          "RTP caps of the streams, a structure for each payload type "
          "(default: NULL)",
          GST_TYPE_CAPS, flags));
  g_object_class_install_property (klass, TFRC_DESCRIPTION_PROP_SDP,
      g_param_spec_string ("sdp", "SDP",
          "The sdp of a tfrcsink; sets caps, port, rtcp-mux and extension-id "
          "(default: NULL)",
          NULL, flags));
}

gboolean
tfrc_description_set (TfrcDescription *self, guint prop_id, const GValue *value)
{
  switch (prop_id) {
    case TFRC_DESCRIPTION_PROP_ENCODING_NAME:
      g_free (self->encoding_name);
      self->encoding_name = g_value_dup_string (value);
      return TRUE;
    case TFRC_DESCRIPTION_PROP_CAPS:
      gst_caps_replace (&self->caps, (GstCaps *) gst_value_get_caps (value));
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfrc_description_get (const TfrcDescription *self, guint prop_id, GValue *value)
{
  switch (prop_id) {
    case TFRC_DESCRIPTION_PROP_ENCODING_NAME:
      g_value_set_string (value, self->encoding_name);
      return TRUE;
    case TFRC_DESCRIPTION_PROP_CAPS:
      gst_value_set_caps (value, self->caps);
      return TRUE;
    case TFRC_DESCRIPTION_PROP_SDP:
      g_value_set_string (value, self->sdp);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfrc_description_set_sdp (TfrcDescription *self, const gchar *text,
    TfrcSdp *sdp)
{
  GError *error = NULL;
  gboolean valid = text && tfrc_sdp_read (sdp, text, &error);

  g_free (self->sdp);
  self->sdp = g_strdup (text);
  g_free (self->sdp_error);
  self->sdp_error = error ? g_strdup (error->message) : NULL;
  self->needs_key = sdp->srtp;
  if (sdp->caps)
    gst_caps_replace (&self->caps, sdp->caps);
  g_clear_error (&error);
  return valid;
}

gboolean
tfrc_description_check (const TfrcDescription *self, gboolean has_key,
    GError **error)
{
  if (self->sdp_error) {
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        self->sdp_error);
    return FALSE;
  }
  if (self->needs_key && !has_key) {
    g_set_error_literal (error, GST_STREAM_ERROR,
        GST_STREAM_ERROR_DECRYPT_NOKEY,
        "sdp says SRTP, but srtp-key is not set");
    return FALSE;
  }
  return TRUE;
}

GstCaps *
tfrc_description_get_caps (const TfrcDescription *self, guint payload_type)
{
  return tfrc_encodings_get_caps (self->caps, self->encoding_name,
      payload_type);
}
