/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP (RFC 3711, RFC 7714) for the bins: what a key is for.
 *
 * The key goes to srtpenc and srtpdec alone: no log, message, statistics or
 * caps of ours hold it. */
#pragma once

#include <gst/gst.h>

typedef enum
{
  GST_TFRC_SRTP_CIPHER_AES_128_ICM,
  GST_TFRC_SRTP_CIPHER_AES_256_ICM,
  GST_TFRC_SRTP_CIPHER_AES_128_GCM,
  GST_TFRC_SRTP_CIPHER_AES_256_GCM,
} GstTfrcSrtpCipher;

typedef enum
{
  GST_TFRC_SRTP_AUTH_HMAC_SHA1_80,
  GST_TFRC_SRTP_AUTH_HMAC_SHA1_32,
} GstTfrcSrtpAuth;

#define GST_TYPE_TFRC_SRTP_CIPHER (gst_tfrc_srtp_cipher_get_type ())
#define GST_TYPE_TFRC_SRTP_AUTH (gst_tfrc_srtp_auth_get_type ())
GType gst_tfrc_srtp_cipher_get_type (void);
GType gst_tfrc_srtp_auth_get_type (void);

typedef struct
{
  GstBuffer *key; /* master key and salt; NULL = no SRTP */
  GstTfrcSrtpCipher cipher;
  GstTfrcSrtpAuth auth;
} TfrcSrtpConfig;

/* Bytes that SRTP adds to an RTP packet. */
guint tfrc_srtp_get_overhead (const TfrcSrtpConfig *config);

/* Bytes of an SRTCP packet behind its index. */
guint tfrc_srtp_get_rtcp_tag_size (const TfrcSrtpConfig *config);

/* The length of the key that the cipher needs [bytes]. */
gsize tfrc_srtp_get_key_size (const TfrcSrtpConfig *config);

/* As the caps and properties of GStreamer's elements name them. */
const gchar *tfrc_srtp_get_cipher_name (const TfrcSrtpConfig *config);
const gchar *tfrc_srtp_get_rtp_auth (const TfrcSrtpConfig *config);
const gchar *tfrc_srtp_get_rtcp_auth (const TfrcSrtpConfig *config);

/* A new element of the plugin 'srtp', floating; the error says if it is
 * missing. */
GstElement *tfrc_srtp_make_element (const gchar *factory, GError **error);
