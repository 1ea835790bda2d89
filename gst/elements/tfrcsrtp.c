/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets up srtpenc and srtpdec.  Neither protects nor checks a packet itself:
 * that is libsrtp2.
 *
 * A receiver that joins after the sequence number wrapped does not know the
 * roll-over counter (RFC 3711 section 3.3.1), so that nothing authenticates.
 * Every failed packet of an SSRC of which none has authenticated makes it try
 * the next counter, 0 to 3, 0 to 7, 0 to 15 and so on. */

#include "tfrcsrtp.h"

#include <gst/rtp/rtp.h>

#define FIRST_ROC_LIMIT 4
#define LAST_ROC_LIMIT 65536
/* SSRCs that never authenticated and are remembered: anybody can make up
 * some, and srtpdec keeps a cipher for each. */
#define MAX_UNPROVEN 32
/* Packets without a single good one before the key is called wrong; more than
 * a late receiver needs after a day at 10 Mbit/s would never be reached by
 * sparse RTCP. */
#define WARN_AFTER 50

typedef struct
{
  guint32 ssrc;
  guint32 roc;                  /* handed to srtpdec */
  guint32 roc_limit;            /* tried up to here, then from 0 again */
  gboolean in_flight;           /* went in, not out yet */
  gboolean proven;              /* one has authenticated */
} Stream;

struct _TfrcSrtpDecoder
{
  TfrcSrtpConfig config;        /* without the key: get_key has it */
  GstElement *owner;
  GstElement *element;
  TfrcSrtpGetKey get_key;
  gpointer user_data;

  GMutex lock;                  /* guards all below */
  GHashTable *streams;          /* SSRC -> Stream */
  guint n_unproven;
  guint64 received;
  guint64 accepted;
  gboolean warned;
};

static const struct
{
  const gchar *name;            /* of GstSrtpCipherType */
  gsize key_size;               /* master key and salt [bytes] */
  guint tag_size;               /* of GCM; 0 = that of the auth [bytes] */
} ciphers[] = {
  [GST_TFRC_SRTP_CIPHER_AES_128_ICM] = {"aes-128-icm", 16 + 14, 0},
  [GST_TFRC_SRTP_CIPHER_AES_256_ICM] = {"aes-256-icm", 32 + 14, 0},
  [GST_TFRC_SRTP_CIPHER_AES_128_GCM] = {"aes-128-gcm", 16 + 12, 16},
  [GST_TFRC_SRTP_CIPHER_AES_256_GCM] = {"aes-256-gcm", 32 + 12, 16},
};

static const gchar *get_rtp_auth (const TfrcSrtpConfig * config);
static const gchar *get_rtcp_auth (const TfrcSrtpConfig * config);
static gboolean check_key (const TfrcSrtpConfig * config, GError ** error);
static GstElement *make_element (const gchar *factory, GError ** error);
static void add_probe (TfrcSrtpDecoder * self, const gchar *pad_name,
    GstPadProbeCallback callback);
static GstPadProbeReturn on_rtp_in (GstPad *pad, GstPadProbeInfo * info,
    gpointer user_data);
static GstPadProbeReturn on_rtcp_in (GstPad *pad, GstPadProbeInfo * info,
    gpointer user_data);
static GstPadProbeReturn on_out (GstPad *pad, GstPadProbeInfo * info,
    gpointer user_data);
static GstCaps *on_request_key (GstElement *element, guint ssrc,
    TfrcSrtpDecoder * self);

GType
gst_tfrc_srtp_cipher_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_TFRC_SRTP_CIPHER_AES_128_ICM, "AES-128-CM, key of 30 bytes",
        "aes-128-icm"},
    {GST_TFRC_SRTP_CIPHER_AES_256_ICM, "AES-256-CM, key of 46 bytes",
        "aes-256-icm"},
    {GST_TFRC_SRTP_CIPHER_AES_128_GCM, "AES-128-GCM, key of 28 bytes",
        "aes-128-gcm"},
    {GST_TFRC_SRTP_CIPHER_AES_256_GCM, "AES-256-GCM, key of 44 bytes",
        "aes-256-gcm"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcSrtpCipher",
            values));
  return type;
}

GType
gst_tfrc_srtp_auth_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_TFRC_SRTP_AUTH_HMAC_SHA1_80, "HMAC-SHA1, tag of 80 bits",
        "hmac-sha1-80"},
    {GST_TFRC_SRTP_AUTH_HMAC_SHA1_32, "HMAC-SHA1, tag of 32 bits (RTP only)",
        "hmac-sha1-32"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcSrtpAuth",
            values));
  return type;
}

guint
tfrc_srtp_get_overhead (const TfrcSrtpConfig * config)
{
  if (ciphers[config->cipher].tag_size)
    return ciphers[config->cipher].tag_size;
  return config->auth == GST_TFRC_SRTP_AUTH_HMAC_SHA1_80 ? 10 : 4;
}

GstElement *
tfrc_srtp_make_encoder (const TfrcSrtpConfig * config, GError ** error)
{
  GstElement *element;
  const gchar *cipher = ciphers[config->cipher].name;

  if (!check_key (config, error))
    return NULL;
  element = make_element ("srtpenc", error);
  if (!element)
    return NULL;
  gst_util_set_object_arg (G_OBJECT (element), "rtp-cipher", cipher);
  gst_util_set_object_arg (G_OBJECT (element), "rtcp-cipher", cipher);
  gst_util_set_object_arg (G_OBJECT (element), "rtp-auth",
      get_rtp_auth (config));
  gst_util_set_object_arg (G_OBJECT (element), "rtcp-auth",
      get_rtcp_auth (config));
  g_object_set (element, "key", config->key, NULL);
  return element;
}

TfrcSrtpDecoder *
tfrc_srtp_decoder_new (const TfrcSrtpConfig * config, GstElement *owner,
    TfrcSrtpGetKey get_key, gpointer user_data, GError ** error)
{
  GstElement *element = make_element ("srtpdec", error);
  TfrcSrtpDecoder *self;

  if (!element)
    return NULL;
  self = g_new0 (TfrcSrtpDecoder, 1);
  self->config = *config;
  self->config.key = NULL;
  self->owner = owner;
  self->element = gst_object_ref_sink (element);
  self->get_key = get_key;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  self->streams = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  /* Paced packets reorder by more than the default of 128 at 100 Mbit/s. */
  g_object_set (element, "replay-window-size", 1024, NULL);
  g_signal_connect (element, "request-key", G_CALLBACK (on_request_key), self);
  add_probe (self, "rtp_sink", on_rtp_in);
  add_probe (self, "rtcp_sink", on_rtcp_in);
  add_probe (self, "rtp_src", on_out);
  add_probe (self, "rtcp_src", on_out);
  return self;
}

void
tfrc_srtp_decoder_free (TfrcSrtpDecoder * self)
{
  if (!self)
    return;
  gst_object_unref (self->element);
  g_hash_table_unref (self->streams);
  g_mutex_clear (&self->lock);
  g_free (self);
}

GstElement *
tfrc_srtp_decoder_get_element (TfrcSrtpDecoder * self)
{
  return self->element;
}

void
tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder * self, guint64 *received,
    guint64 *dropped)
{
  g_mutex_lock (&self->lock);
  *received = self->received;
  *dropped = self->received - self->accepted;
  g_mutex_unlock (&self->lock);
}

static const gchar *
get_rtp_auth (const TfrcSrtpConfig * config)
{
  if (ciphers[config->cipher].tag_size)
    return "null";              /* GCM authenticates by itself */
  return config->auth == GST_TFRC_SRTP_AUTH_HMAC_SHA1_80
      ? "hmac-sha1-80" : "hmac-sha1-32";
}

/* RFC 3711 section 5.2: SRTCP keeps the tag of 80 bits. */
static const gchar *
get_rtcp_auth (const TfrcSrtpConfig * config)
{
  return ciphers[config->cipher].tag_size ? "null" : "hmac-sha1-80";
}

static gboolean
check_key (const TfrcSrtpConfig * config, GError ** error)
{
  gsize size = gst_buffer_get_size (config->key);

  if (size == ciphers[config->cipher].key_size)
    return TRUE;
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "srtp-key has %" G_GSIZE_FORMAT " bytes; %s needs %" G_GSIZE_FORMAT
      " (master key and salt)", size, ciphers[config->cipher].name,
      ciphers[config->cipher].key_size);
  return FALSE;
}

static GstElement *
make_element (const gchar *factory, GError ** error)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (!element)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "element '%s' is missing (GStreamer's plugin 'srtp')", factory);
  return element;
}

static void
add_probe (TfrcSrtpDecoder * self, const gchar *pad_name,
    GstPadProbeCallback callback)
{
  GstPad *pad = gst_element_get_static_pad (self->element, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, self, NULL);
  gst_object_unref (pad);
}

/* RFC 5761 section 4: payload types 64 to 95 of the second byte are RTCP. */
static gboolean
read_ssrc (GstBuffer *buffer, guint32 * ssrc)
{
  guint8 header[12];

  if (gst_buffer_extract (buffer, 0, header, sizeof (header)) !=
      sizeof (header) || header[0] >> 6 != 2)
    return FALSE;
  if ((header[1] & 0x7f) >= 64 && (header[1] & 0x7f) <= 95)
    return FALSE;
  *ssrc = GST_READ_UINT32_BE (header + 8);
  return TRUE;
}

static gboolean
is_unproven (gpointer key, gpointer value, gpointer user_data)
{
  return !((Stream *) value)->proven;
}

/* With the lock held. */
static Stream *
get_stream (TfrcSrtpDecoder * self, guint32 ssrc)
{
  Stream *stream = g_hash_table_lookup (self->streams, GUINT_TO_POINTER (ssrc));

  if (!stream) {
    stream = g_new0 (Stream, 1);
    stream->ssrc = ssrc;
    stream->roc_limit = FIRST_ROC_LIMIT;
    g_hash_table_insert (self->streams, GUINT_TO_POINTER (ssrc), stream);
    self->n_unproven++;
  }
  return stream;
}

static void
next_roc (Stream * stream)
{
  stream->roc++;
  if (stream->roc == stream->roc_limit) {
    stream->roc = 0;
    if (stream->roc_limit < LAST_ROC_LIMIT)
      stream->roc_limit *= 2;
  }
}

/* Gives the SSRCs that srtpdec is to forget; with the lock held. */
static GArray *
forget_unproven (TfrcSrtpDecoder * self)
{
  GArray *forgotten = g_array_new (FALSE, FALSE, sizeof (guint32));
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->streams);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    if (is_unproven (NULL, value, NULL)) {
      g_array_append_val (forgotten, ((Stream *) value)->ssrc);
      g_hash_table_iter_remove (&iter);
    }
  }
  self->n_unproven = 0;
  return forgotten;
}

static void
count_received (TfrcSrtpDecoder * self)
{
  gboolean warn;

  g_mutex_lock (&self->lock);
  self->received++;
  warn = !self->warned && !self->accepted && self->received >= WARN_AFTER;
  if (warn)
    self->warned = TRUE;
  g_mutex_unlock (&self->lock);
  if (warn)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT,
        ("None of the packets that arrive authenticates: srtp-key, srtp-cipher "
            "and srtp-auth must be the same at both ends."),
        ("%d packets", WARN_AFTER));
}

static GstPadProbeReturn
on_rtp_in (GstPad *pad, GstPadProbeInfo * info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;
  GArray *forget = NULL;
  guint32 ssrc;
  guint i;

  count_received (self);
  if (!read_ssrc (GST_PAD_PROBE_INFO_BUFFER (info), &ssrc))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&self->lock);
  if (self->n_unproven >= MAX_UNPROVEN
      && !g_hash_table_contains (self->streams, GUINT_TO_POINTER (ssrc)))
    forget = forget_unproven (self);
  {
    Stream *stream = get_stream (self, ssrc);

    if (!stream->proven && stream->in_flight) {
      next_roc (stream);
      if (!forget)
        forget = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (forget, ssrc);
    }
    stream->in_flight = !stream->proven;
  }
  g_mutex_unlock (&self->lock);
  /* srtpdec asks for the key, and so for the roll-over counter, anew. */
  for (i = 0; forget && i < forget->len; i++)
    g_signal_emit_by_name (self->element, "remove-key",
        g_array_index (forget, guint32, i));
  if (forget)
    g_array_unref (forget);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_rtcp_in (GstPad *pad, GstPadProbeInfo * info, gpointer user_data)
{
  count_received (user_data);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_out (GstPad *pad, GstPadProbeInfo * info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;
  guint32 ssrc;
  Stream *stream;

  g_mutex_lock (&self->lock);
  self->accepted++;
  if (read_ssrc (GST_PAD_PROBE_INFO_BUFFER (info), &ssrc)) {
    stream = g_hash_table_lookup (self->streams, GUINT_TO_POINTER (ssrc));
    if (stream && !stream->proven) {
      stream->proven = TRUE;
      stream->in_flight = FALSE;
      self->n_unproven--;
    }
  }
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

static GstCaps *
on_request_key (GstElement *element, guint ssrc, TfrcSrtpDecoder * self)
{
  const gchar *cipher = ciphers[self->config.cipher].name;
  GstBuffer *key = self->get_key (ssrc, self->user_data);
  Stream *stream;
  guint32 roc = 0;
  GstCaps *caps;

  if (!key)
    return NULL;
  g_mutex_lock (&self->lock);
  stream = g_hash_table_lookup (self->streams, GUINT_TO_POINTER (ssrc));
  if (stream)
    roc = stream->roc;
  g_mutex_unlock (&self->lock);
  caps = gst_caps_new_simple ("application/x-srtp",
      "srtp-key", GST_TYPE_BUFFER, key, "ssrc", G_TYPE_UINT, ssrc,
      "roc", G_TYPE_UINT, roc,
      "srtp-cipher", G_TYPE_STRING, cipher,
      "srtcp-cipher", G_TYPE_STRING, cipher,
      "srtp-auth", G_TYPE_STRING, get_rtp_auth (&self->config),
      "srtcp-auth", G_TYPE_STRING, get_rtcp_auth (&self->config), NULL);
  gst_buffer_unref (key);
  return caps;
}
