/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names, key lengths and tags of the ciphers, and srtpenc.  Protects no packet
 * itself: that is libsrtp2. */

#include "security/srtp.h"

static const struct
{
  const gchar *name; /* of GstSrtpCipherType */
  gsize key_size;    /* master key and salt [bytes] */
  guint tag_size;    /* of GCM; 0 = that of the auth [bytes] */
} ciphers[] = {
  [GST_TFRC_SRTP_CIPHER_AES_128_ICM] = { "aes-128-icm", 16 + 14, 0 },
  [GST_TFRC_SRTP_CIPHER_AES_256_ICM] = { "aes-256-icm", 32 + 14, 0 },
  [GST_TFRC_SRTP_CIPHER_AES_128_GCM] = { "aes-128-gcm", 16 + 12, 16 },
  [GST_TFRC_SRTP_CIPHER_AES_256_GCM] = { "aes-256-gcm", 32 + 12, 16 },
};

static gboolean check_key (const TfrcSrtpConfig *config, GError **error);

GType
gst_tfrc_srtp_cipher_get_type (void)
{
  static const GEnumValue values[] = {
    { GST_TFRC_SRTP_CIPHER_AES_128_ICM, "AES-128-CM, key of 30 bytes",
        "aes-128-icm" },
    { GST_TFRC_SRTP_CIPHER_AES_256_ICM, "AES-256-CM, key of 46 bytes",
        "aes-256-icm" },
    { GST_TFRC_SRTP_CIPHER_AES_128_GCM, "AES-128-GCM, key of 28 bytes",
        "aes-128-gcm" },
    { GST_TFRC_SRTP_CIPHER_AES_256_GCM, "AES-256-GCM, key of 44 bytes",
        "aes-256-gcm" },
    { 0, NULL, NULL }
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstTfrcSrtpCipher", values));
  return type;
}

GType
gst_tfrc_srtp_auth_get_type (void)
{
  static const GEnumValue values[] = {
    { GST_TFRC_SRTP_AUTH_HMAC_SHA1_80, "HMAC-SHA1, tag of 80 bits",
        "hmac-sha1-80" },
    { GST_TFRC_SRTP_AUTH_HMAC_SHA1_32, "HMAC-SHA1, tag of 32 bits (RTP only)",
        "hmac-sha1-32" },
    { 0, NULL, NULL }
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstTfrcSrtpAuth", values));
  return type;
}

guint
tfrc_srtp_get_overhead (const TfrcSrtpConfig *config)
{
  if (ciphers[config->cipher].tag_size)
    return ciphers[config->cipher].tag_size;
  return config->auth == GST_TFRC_SRTP_AUTH_HMAC_SHA1_80 ? 10 : 4;
}

const gchar *
tfrc_srtp_get_cipher_name (const TfrcSrtpConfig *config)
{
  return ciphers[config->cipher].name;
}

const gchar *
tfrc_srtp_get_rtp_auth (const TfrcSrtpConfig *config)
{
  if (ciphers[config->cipher].tag_size)
    return "null"; /* GCM authenticates by itself */
  return config->auth == GST_TFRC_SRTP_AUTH_HMAC_SHA1_80
      ? "hmac-sha1-80"
      : "hmac-sha1-32";
}

/* RFC 3711 section 5.2: SRTCP keeps the tag of 80 bits. */
const gchar *
tfrc_srtp_get_rtcp_auth (const TfrcSrtpConfig *config)
{
  return ciphers[config->cipher].tag_size ? "null" : "hmac-sha1-80";
}

GstElement *
tfrc_srtp_make_element (const gchar *factory, GError **error)
{
  GstElement *element = gst_element_factory_make (factory, factory);

  if (!element)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "element '%s' is missing (GStreamer's plugin 'srtp')", factory);
  return element;
}

GstElement *
tfrc_srtp_make_encoder (const TfrcSrtpConfig *config, GError **error)
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

static gboolean
check_key (const TfrcSrtpConfig *config, GError **error)
{
  gsize size = gst_buffer_get_size (config->key);

  if (size == ciphers[config->cipher].key_size)
    return TRUE;
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "srtp-key has %" G_GSIZE_FORMAT " bytes; %s needs %" G_GSIZE_FORMAT
      " (master key and salt)",
      size, ciphers[config->cipher].name, ciphers[config->cipher].key_size);
  return FALSE;
}
