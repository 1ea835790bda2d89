/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names, key lengths and tags of the ciphers. */

#include "security/srtp.h"

#include "common/properties.h"

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

TFRC_DEFINE_ENUM_TYPE (GstTfrcSrtpCipher, gst_tfrc_srtp_cipher,
    { GST_TFRC_SRTP_CIPHER_AES_128_ICM, "AES-128-CM, key of 30 bytes",
        "aes-128-icm" },
    { GST_TFRC_SRTP_CIPHER_AES_256_ICM, "AES-256-CM, key of 46 bytes",
        "aes-256-icm" },
    { GST_TFRC_SRTP_CIPHER_AES_128_GCM, "AES-128-GCM, key of 28 bytes",
        "aes-128-gcm" },
    { GST_TFRC_SRTP_CIPHER_AES_256_GCM, "AES-256-GCM, key of 44 bytes",
        "aes-256-gcm" });

TFRC_DEFINE_ENUM_TYPE (GstTfrcSrtpAuth, gst_tfrc_srtp_auth,
    { GST_TFRC_SRTP_AUTH_HMAC_SHA1_80, "HMAC-SHA1, tag of 80 bits",
        "hmac-sha1-80" },
    { GST_TFRC_SRTP_AUTH_HMAC_SHA1_32, "HMAC-SHA1, tag of 32 bits (RTP only)",
        "hmac-sha1-32" });

guint
tfrc_srtp_get_overhead (const TfrcSrtpConfig *config)
{
  if (ciphers[config->cipher].tag_size)
    return ciphers[config->cipher].tag_size;
  return config->auth == GST_TFRC_SRTP_AUTH_HMAC_SHA1_80 ? 10 : 4;
}

/* RFC 3711 section 3.4; the tag of GCM is in front of it (RFC 7714 section
 * 9.2). */
guint
tfrc_srtp_get_rtcp_tag_size (const TfrcSrtpConfig *config)
{
  return ciphers[config->cipher].tag_size ? 0 : 10;
}

gsize
tfrc_srtp_get_key_size (const TfrcSrtpConfig *config)
{
  return ciphers[config->cipher].key_size;
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
