/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP (RFC 3711, RFC 7714) for the bins: makes srtpenc and srtpdec, holds
 * the key, lets receivers join late and counts what does not authenticate.
 *
 * The key goes to srtpenc and srtpdec alone: no log, message, statistics or
 * caps of ours hold it. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

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
  GstBuffer *key;               /* master key and salt; NULL = no SRTP */
  GstTfrcSrtpCipher cipher;
  GstTfrcSrtpAuth auth;
} TfrcSrtpConfig;

/* Bytes that SRTP adds to an RTP packet. */
guint tfrc_srtp_get_overhead (const TfrcSrtpConfig * config);

/* A new srtpenc or srtpdec, floating; the error says which element is missing
 * or that the key has not the length that the cipher needs. */
GstElement *tfrc_srtp_make_encoder (const TfrcSrtpConfig * config,
    GError ** error);

/* Gives the master key for `ssrc`, or NULL for none; the caller unrefs.
 * Called with srtpdec's lock held: it may not touch srtpdec. */
typedef GstBuffer *(*TfrcSrtpGetKey) (guint ssrc, gpointer user_data);

typedef struct _TfrcSrtpDecoder TfrcSrtpDecoder;

/* `owner` is not referenced; it posts the one warning of a wrong key. */
TfrcSrtpDecoder *tfrc_srtp_decoder_new (const TfrcSrtpConfig * config,
    GstElement * owner, TfrcSrtpGetKey get_key, gpointer user_data,
    GError ** error);

/* When its element is in state NULL. */
void tfrc_srtp_decoder_free (TfrcSrtpDecoder * self);

GstElement *tfrc_srtp_decoder_get_element (TfrcSrtpDecoder * self);

/* Packets that came in, and that did not authenticate. */
void tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder * self, guint64 * received,
    guint64 * dropped);

/* For an end without a key: looks at the first RTCP packet that `udpsrc` hands
 * on; one that is none, as SRTCP is, makes `owner` post a warning. */
void tfrc_srtp_watch_plain (GstElement * udpsrc, GstElement * owner);

G_END_DECLS
