/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets up srtpenc.  Protects no packet itself: that is libsrtp2. */

#include "security/srtpenc.h"

static gboolean
check_key (const TfrcSrtpConfig *config, GError **error)
{
  gsize size = gst_buffer_get_size (config->key);
  gsize needed = tfrc_srtp_get_key_size (config);

  if (size == needed)
    return TRUE;
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "srtp-key has %" G_GSIZE_FORMAT " bytes; %s needs %" G_GSIZE_FORMAT
      " (master key and salt)",
      size, tfrc_srtp_get_cipher_name (config), needed);
  return FALSE;
}

GstElement *
tfrc_srtp_encoder_new (const TfrcSrtpConfig *config, GError **error)
{
  GstElement *element;
  const gchar *cipher = tfrc_srtp_get_cipher_name (config);

  if (!check_key (config, error))
    return NULL;
  element = tfrc_srtp_make_element ("srtpenc", error);
  if (!element)
    return NULL;
  gst_util_set_object_arg (G_OBJECT (element), "rtp-cipher", cipher);
  gst_util_set_object_arg (G_OBJECT (element), "rtcp-cipher", cipher);
  gst_util_set_object_arg (G_OBJECT (element), "rtp-auth",
      tfrc_srtp_get_rtp_auth (config));
  gst_util_set_object_arg (G_OBJECT (element), "rtcp-auth",
      tfrc_srtp_get_rtcp_auth (config));
  g_object_set (element, "key", config->key, NULL);
  return element;
}
