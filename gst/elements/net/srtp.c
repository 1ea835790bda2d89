/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets up srtpenc, and decrypts in probes on the source pads of the udpsrcs, by libsrtp2,
 * in a context (an srtpdec outside the pipeline) for each stream.
 *
 * A receiver that joins after the sequence number wrapped does not know the roll-over
 * counter (RFC 3711 section 3.3.1), so nothing authenticates.  A packet of a stream
 * without a valid context is therefore tried with one counter after the other; where the
 * rate limit stops, the next packet continues.  The context in which a packet
 * authenticates becomes that of the stream, also in later runs, so packets of one run
 * cannot be replayed in another.
 *
 * Keys are requested and packets pushed without the lock.  It is held while contexts are
 * used, which call nothing outside. */

#include "net/srtp.h"

#include <string.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#include "common/locks.h"
#include "common/properties.h"
#include "common/pads.h"
#include "net/session.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

static const struct
{
  const gchar *name; /* in caps and properties of GStreamer's elements */
  gsize key_size;    /* master key and salt [bytes] */
  guint tag_size;    /* of GCM [bytes]; 0 = that of the authentication */
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

static const gchar *
get_rtp_auth (const TfrcSrtpConfig *config)
{
  if (ciphers[config->cipher].tag_size)
    return "null"; /* GCM authenticates by itself */
  return config->auth == GST_TFRC_SRTP_AUTH_HMAC_SHA1_80
      ? "hmac-sha1-80"
      : "hmac-sha1-32";
}

/* SRTCP always has the tag of 80 bits (RFC 3711 section 5.2). */
static const gchar *
get_rtcp_auth (const TfrcSrtpConfig *config)
{
  return ciphers[config->cipher].tag_size ? "null" : "hmac-sha1-80";
}

/* FALSE with an error: the element is missing. */
static gboolean
check_element (const gchar *name, GError **error)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);

  if (!factory)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "element '%s' is missing (GStreamer's plugin 'srtp')", name);
  return factory != NULL;
}

static gboolean
check_key (const TfrcSrtpConfig *config, GError **error)
{
  gsize size = gst_buffer_get_size (config->key);
  gsize needed = ciphers[config->cipher].key_size;

  if (size == needed)
    return TRUE;
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "srtp-key has %" G_GSIZE_FORMAT " bytes; %s needs %" G_GSIZE_FORMAT
      " (master key and salt)",
      size, ciphers[config->cipher].name, needed);
  return FALSE;
}

GstElement *
tfrc_srtp_encoder_new (const TfrcSrtpConfig *config, GError **error)
{
  const gchar *cipher = ciphers[config->cipher].name;
  GstElement *element;

  if (!check_key (config, error) || !check_element ("srtpenc", error))
    return NULL;
  element = gst_element_factory_make ("srtpenc", "srtpenc");
  gst_util_set_object_arg (G_OBJECT (element), "rtp-cipher", cipher);
  gst_util_set_object_arg (G_OBJECT (element), "rtcp-cipher", cipher);
  gst_util_set_object_arg (G_OBJECT (element), "rtp-auth",
      get_rtp_auth (config));
  gst_util_set_object_arg (G_OBJECT (element), "rtcp-auth",
      get_rtcp_auth (config));
  g_object_set (element, "key", config->key, NULL);
  return element;
}

/* Contexts: a packet is pushed into an srtpdec, and its output taken at the source
 * pads. */

struct _TfrcSrtpContext
{
  GstElement *element;
  GstPad *sink_pad;
  GstCaps *key; /* the answer to request-key of srtpdec */
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
  /* At 100 Mbit/s packets are reordered by more than the default of 128. */
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

/* NULL does nothing. */
static void
context_free (TfrcSrtpContext *self)
{
  if (!self)
    return;
  gst_element_set_state (self->element, GST_STATE_NULL);
  gst_object_unref (self->sink_pad);
  gst_object_unref (self->element);
  gst_caps_unref (self->key);
  g_free (self);
}

/* Resets the context; `roc`: the roll-over counter of the next packet. */
static void
context_set_key (TfrcSrtpContext *self, const TfrcSrtpConfig *config,
    GstBuffer *key, guint32 roc)
{
  const gchar *cipher = ciphers[config->cipher].name;

  g_signal_emit_by_name (self->element, "clear-keys");
  gst_caps_unref (self->key);
  self->key = gst_caps_new_simple ("application/x-srtp",
      "srtp-key", GST_TYPE_BUFFER, key, "roc", G_TYPE_UINT, roc,
      "srtp-cipher", G_TYPE_STRING, cipher,
      "srtcp-cipher", G_TYPE_STRING, cipher,
      "srtp-auth", G_TYPE_STRING, get_rtp_auth (config),
      "srtcp-auth", G_TYPE_STRING, get_rtcp_auth (config), NULL);
}

/* The decrypted packet, or NULL: it is not authentic, or a replay. */
static GstBuffer *
context_open (TfrcSrtpContext *self, GstBuffer *packet)
{
  gst_pad_chain (self->sink_pad, gst_buffer_copy (packet));
  return g_steal_pointer (&self->opened);
}

/* Streams: a table of bounded size. */

#define MAX_ROC 65535
#define SEQ_MODULUS 65536
#define PATIENCE GST_SECOND
/* Remembered streams of which nothing has authenticated. */
#define MAX_UNKNOWN 32

static void
stream_free (gpointer data)
{
  TfrcSrtpStream *stream = data;

  context_free (stream->context);
  gst_clear_buffer (&stream->key);
  g_free (stream);
}

void
tfrc_srtp_streams_init (TfrcSrtpStreams *self, guint most_known)
{
  self->most_known = most_known;
  self->table = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
      stream_free);
}

void
tfrc_srtp_streams_clear (TfrcSrtpStreams *self)
{
  g_clear_pointer (&self->table, g_hash_table_unref);
}

static gint64
get_id (const TfrcSrtpHeader *header)
{
  return (gint64) header->rtcp << 32 | header->ssrc;
}

TfrcSrtpStream *
tfrc_srtp_streams_find (const TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header)
{
  gint64 id = get_id (header);

  return g_hash_table_lookup (self->table, &id);
}

static gboolean
is_known (const TfrcSrtpStream *self)
{
  return self->good_at != GST_CLOCK_TIME_NONE;
}

static gboolean
is_unknown (gpointer key, gpointer value, gpointer user_data)
{
  return !is_known (value);
}

/* Removes all streams of which nothing has authenticated, or of the others the one that
 * has been silent for longest, where their limit is reached. */
static void
make_room (TfrcSrtpStreams *self)
{
  TfrcSrtpStream *oldest = NULL;
  GHashTableIter iter;
  gpointer value;
  guint n_known = 0;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    TfrcSrtpStream *stream = value;

    if (!is_known (stream))
      continue;
    n_known++;
    if (!oldest || stream->good_at < oldest->good_at)
      oldest = stream;
  }
  if (g_hash_table_size (self->table) - n_known >= MAX_UNKNOWN)
    g_hash_table_foreach_remove (self->table, is_unknown, NULL);
  if (n_known >= self->most_known)
    g_hash_table_remove (self->table, &oldest->id);
}

static void
forget (TfrcSrtpStream *self)
{
  g_clear_pointer (&self->context, context_free);
  self->highest = self->floor = -1;
  self->next_roc = 0;
  self->good_at = self->asked_at = GST_CLOCK_TIME_NONE;
}

TfrcSrtpStream *
tfrc_srtp_streams_find_or_add (TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header)
{
  TfrcSrtpStream *stream = tfrc_srtp_streams_find (self, header);

  if (stream)
    return stream;
  make_room (self);
  stream = g_new0 (TfrcSrtpStream, 1);
  stream->id = get_id (header);
  forget (stream);
  g_hash_table_insert (self->table, &stream->id, stream);
  return stream;
}

gboolean
tfrc_srtp_keys_equal (GstBuffer *one, GstBuffer *other)
{
  GstMapInfo map;
  gboolean equal;

  if (!one || !other || !gst_buffer_map (one, &map, GST_MAP_READ))
    return one == other;
  equal = gst_buffer_get_size (other) == map.size
      && gst_buffer_memcmp (other, 0, map.data, map.size) == 0;
  gst_buffer_unmap (one, &map);
  return equal;
}

gboolean
tfrc_srtp_stream_needs_resync (const TfrcSrtpStream *self, GstClockTime now)
{
  return !self || !is_known (self) || now >= self->good_at + PATIENCE;
}

gboolean
tfrc_srtp_stream_wants_key (TfrcSrtpStream *self, GstClockTime now)
{
  if (is_known (self) && self->asked_at != GST_CLOCK_TIME_NONE
      && now < self->asked_at + PATIENCE)
    return FALSE;
  self->asked_at = now;
  return TRUE;
}

void
tfrc_srtp_stream_set_key (TfrcSrtpStream *self, GstBuffer *key)
{
  if (!key || tfrc_srtp_keys_equal (self->key, key))
    return;
  gst_buffer_replace (&self->key, key);
  forget (self);
}

gint64
tfrc_srtp_stream_guess_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header)
{
  guint16 step = (guint16) (header->number - (guint16) self->highest);
  gint64 index = self->highest + (gint16) step;

  if (header->rtcp || self->highest < 0)
    return header->number;
  return index < 0 ? index + SEQ_MODULUS : index;
}

gint64
tfrc_srtp_stream_get_next_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header)
{
  gint64 index = tfrc_srtp_stream_guess_index (self, header);

  while (!header->rtcp && index <= self->highest)
    index += SEQ_MODULUS;
  return index;
}

guint32
tfrc_srtp_stream_try_next (TfrcSrtpStream *self, guint32 roc, guint32 first)
{
  if (roc > first)
    self->next_roc = roc % MAX_ROC + 1;
  return MAX (self->next_roc, first + 1);
}

void
tfrc_srtp_stream_set_context (TfrcSrtpStream *self, TfrcSrtpContext *context)
{
  context_free (self->context);
  self->context = context;
  self->floor = self->highest;
  self->next_roc = 0;
}

gboolean
tfrc_srtp_stream_on_authentic (TfrcSrtpStream *self, gint64 index,
    GstClockTime now)
{
  gboolean first = !is_known (self);

  self->highest = MAX (self->highest, index);
  self->good_at = now;
  return first;
}

/* The packet decrypted in the context of its stream, or NULL; `self` may be NULL. */
static GstBuffer *
stream_open (TfrcSrtpStream *self, GstBuffer *packet,
    const TfrcSrtpHeader *header, GstClockTime now)
{
  GstBuffer *opened;
  gint64 index;

  if (!self || !self->context)
    return NULL;
  index = tfrc_srtp_stream_guess_index (self, header);
  if (index <= self->floor)
    return NULL;
  opened = context_open (self->context, packet);
  if (opened)
    tfrc_srtp_stream_on_authentic (self, index, now);
  return opened;
}

/* The rate limit: counts strangers and attempts by the second. */

#define PERIOD GST_SECOND
/* Those of one host, and of one socket of it, of TFRC_SRTP_MAX_STRANGERS. */
#define MAX_STRANGERS_OF_HOST 16
#define MAX_STRANGERS_OF_SOCKET 8
/* Roll-over counters tried per second, besides one for each packet: about 10 ms of CPU.
 * With 2^16 packets to each counter they cover 31 hours at 300 packets/s. */
#define MAX_ATTEMPTS 512
#define MAX_TIME (20 * GST_MSECOND)

/* All zero: the address is unknown. */
static TfrcSrtpStranger
get_stranger (GSocketAddress *from)
{
  TfrcSrtpStranger stranger = { 0 };
  GInetSocketAddress *inet;
  GInetAddress *host;

  if (!from || !G_IS_INET_SOCKET_ADDRESS (from))
    return stranger;
  inet = G_INET_SOCKET_ADDRESS (from);
  host = g_inet_socket_address_get_address (inet);
  memcpy (stranger.host, g_inet_address_to_bytes (host),
      g_inet_address_get_native_size (host));
  stranger.port = g_inet_socket_address_get_port (inet);
  return stranger;
}

static gboolean
has_same_host (const TfrcSrtpStranger *self, const TfrcSrtpStranger *other)
{
  return memcmp (self->host, other->host, sizeof (self->host)) == 0;
}

gboolean
tfrc_srtp_rate_limit_admit (TfrcSrtpRateLimit *self, GSocketAddress *from,
    GstClockTime now)
{
  TfrcSrtpStranger stranger = get_stranger (from);
  guint of_host = 0, of_socket = 0;

  if (now - self->strangers_at >= PERIOD) {
    self->strangers_at = now;
    self->n_strangers = 0;
  }
  for (guint i = 0; stranger.port != 0 && i < self->n_strangers; i++)
    if (has_same_host (&self->strangers[i], &stranger)) {
      of_host++;
      of_socket += self->strangers[i].port == stranger.port;
    }
  if (self->n_strangers == TFRC_SRTP_MAX_STRANGERS
      || of_host >= MAX_STRANGERS_OF_HOST
      || of_socket >= MAX_STRANGERS_OF_SOCKET)
    return FALSE;
  self->strangers[self->n_strangers++] = stranger;
  return TRUE;
}

/* It may have been admitted in the previous period. */
void
tfrc_srtp_rate_limit_refund (TfrcSrtpRateLimit *self, GSocketAddress *from)
{
  TfrcSrtpStranger stranger = get_stranger (from);

  for (guint i = 0; i < self->n_strangers; i++)
    if (has_same_host (&self->strangers[i], &stranger)
        && self->strangers[i].port == stranger.port) {
      self->strangers[i] = self->strangers[--self->n_strangers];
      return;
    }
}

gboolean
tfrc_srtp_rate_limit_may_try (TfrcSrtpRateLimit *self, GstClockTime spent,
    GstClockTime now)
{
  self->spent += spent;
  if (now - self->attempts_at >= PERIOD) {
    self->attempts_at = now;
    self->attempts = 0;
    self->spent = 0;
  }
  if (self->attempts >= MAX_ATTEMPTS || self->spent >= MAX_TIME)
    return FALSE;
  self->attempts++;
  return TRUE;
}

/* The decoder */

/* Packets without an authentic one before the warning of a wrong key: a sender without
 * feedback sends one per second. */
#define WARN_AFTER 4
/* After an authentic packet the other end may pause, while forged packets come. */
#define WARN_TIME (5 * GST_SECOND)

/* The SRTCP index with the flag E: before the authentication tag (RFC 3711 section 3.4),
 * with GCM after it (RFC 7714 section 9.2). */
#define SRTCP_INDEX_SIZE 4
#define SRTCP_TAG_SIZE 10
#define SRTCP_INDEX_MASK 0x7FFFFFFF
#define RTCP_HEADER_SIZE 8

/* The newest SSRCs whose RTCP is protected, with the hosts that it came from: RTP from
 * another host is not theirs. */
#define MAX_SOURCES 16

typedef struct
{
  guint32 ssrc;
  GInetAddress *host; /* owned; NULL = not known */
} Source;

struct _TfrcSrtpDecoder
{
  TfrcSrtpConfig config; /* without the key, which get_key returns */
  GstElement *owner;
  GstClock *clock;
  gboolean has_key;
  GstElement *encoder; /* or NULL */
  TfrcSrtpGetKey get_key;
  gpointer user_data;
  gint plain; /* without a key: the other end has none either; atomic */

  GMutex lock; /* guards all below */
  Source sources[MAX_SOURCES];
  guint n_sources; /* ever added */
  TfrcSrtpStreams streams;
  TfrcSrtpContext *trials[2]; /* the first one is used next */
  TfrcSrtpRateLimit rate_limit;
  guint64 received;
  guint64 dropped;
  guint64 strange;          /* packets since the last authentic one */
  GstClockTime accepted_at; /* when that came; NONE: there was none */
  gboolean warned;
};

/* `plain`: the packet lengths show that it is RTCP without SRTP.  As feedback comes
 * within a round trip of the first packet, a missing key shows at once. */
static void
count_received (TfrcSrtpDecoder *self, gboolean plain)
{
  gboolean warn;

  g_mutex_lock (&self->lock);
  self->received++;
  self->strange++;
  if (self->accepted_at == GST_CLOCK_TIME_NONE)
    warn = plain || self->strange > WARN_AFTER;
  else
    warn = self->strange > WARN_AFTER
        && gst_clock_get_time (self->clock) > self->accepted_at + WARN_TIME;
  warn = warn && !self->warned;
  if (warn)
    self->warned = TRUE;
  g_mutex_unlock (&self->lock);
  if (warn && plain)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT,
        ("The other end does not use SRTP: srtp-key must be set at both ends."),
        ("RTCP came in that is not protected"));
  else if (warn)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT,
        ("None of the packets that arrive authenticates: srtp-key, srtp-cipher "
         "and srtp-auth must be the same at both ends."),
        ("%d packets", WARN_AFTER));
}

/* FALSE: srtpdec would read an SSRC where there is none: it takes packets that it does
 * not recognize as RTP for RTCP, and searches RTCP for the first packet with an SSRC,
 * although all after the first header is ciphertext. */
static gboolean
read_header (TfrcSrtpDecoder *self, GstBuffer *packet, TfrcSrtpHeader *header)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gsize size = gst_buffer_get_size (packet);
  gsize behind = SRTCP_INDEX_SIZE
      + (ciphers[self->config.cipher].tag_size ? 0 : SRTCP_TAG_SIZE);
  guint8 first[2], index[SRTCP_INDEX_SIZE], type;

  if (!tfrc_packet_read_ssrc (packet, &header->rtcp, &header->ssrc))
    return FALSE;
  if (header->rtcp) {
    gst_buffer_extract (packet, 0, first, sizeof (first));
    if (size < RTCP_HEADER_SIZE + behind || first[1] < GST_RTCP_TYPE_SR
        || first[1] > GST_RTCP_TYPE_PSFB || first[1] == GST_RTCP_TYPE_SDES
        || (first[1] == GST_RTCP_TYPE_BYE && (first[0] & 0x1F) == 0))
      return FALSE;
    gst_buffer_extract (packet, size - behind, index, sizeof (index));
    header->number = GST_READ_UINT32_BE (index) & SRTCP_INDEX_MASK;
    return TRUE;
  }
  if (!gst_rtp_buffer_map (packet,
          GST_MAP_READ | GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING, &rtp))
    return FALSE;
  header->number = gst_rtp_buffer_get_seq (&rtp);
  type = gst_rtp_buffer_get_payload_type (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return type < 64 || type > 80;
}

/* The source address of the packet; NULL: unknown. */
static GSocketAddress *
get_origin (GstBuffer *packet)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (packet);

  return meta ? meta->addr : NULL;
}

/* NULL: there is no key of the right size. */
static GstBuffer *
fetch_key (TfrcSrtpDecoder *self, guint32 ssrc)
{
  GstBuffer *key = self->get_key (ssrc, self->user_data);

  if (key && gst_buffer_get_size (key) != ciphers[self->config.cipher].key_size)
    gst_clear_buffer (&key);
  return key;
}

static void
ask_for_key (TfrcSrtpDecoder *self, const TfrcSrtpHeader *header)
{
  g_autoptr (GstBuffer) key = fetch_key (self, header->ssrc);
  G_MUTEX_AUTO_LOCK (&self->lock, locker);

  tfrc_srtp_stream_set_key (tfrc_srtp_streams_find_or_add (&self->streams,
                                header),
      key);
}

/* With the lock held.  Two contexts are used in turn, so that one of them always has a
 * session: a libsrtp2 built with NSS loads NSS with the first session of a process and
 * unloads it with the last one, 1 ms each. */
static GstBuffer *
try_counter (TfrcSrtpDecoder *self, TfrcSrtpStream *stream, GstBuffer *packet,
    guint32 roc)
{
  TfrcSrtpContext *context = self->trials[0];
  GstBuffer *opened;

  self->trials[0] = self->trials[1];
  self->trials[1] = context;
  context_set_key (context, &self->config, stream->key, roc);
  opened = context_open (context, packet);
  if (opened) {
    tfrc_srtp_stream_set_context (stream, context);
    self->trials[1] = tfrc_srtp_context_new ();
  }
  return opened;
}

/* With the lock held; *index contains the first counter to try, and is set to the last
 * one tried.  The first one is exempt from the rate limit: a sender that has just
 * started uses it. */
static GstBuffer *
try_counters (TfrcSrtpDecoder *self, TfrcSrtpStream *stream, GstBuffer *packet,
    gint64 *index)
{
  guint32 first = (guint32) (*index >> 16), roc = first;
  GstClockTime since = gst_clock_get_time (self->clock), now;
  GstBuffer *opened = try_counter (self, stream, packet, roc);

  while (!opened) {
    roc = tfrc_srtp_stream_try_next (stream, roc, first);
    now = gst_clock_get_time (self->clock);
    if (!tfrc_srtp_rate_limit_may_try (&self->rate_limit, now - since, now))
      break;
    since = now;
    opened = try_counter (self, stream, packet, roc);
  }
  *index = (gint64) roc << 16 | (*index & G_MAXUINT16);
  return opened;
}

/* Sets *first if the packet is the first authentic one with its key. */
static GstBuffer *
try_packet (TfrcSrtpDecoder *self, GstBuffer *packet,
    const TfrcSrtpHeader *header, gboolean *first)
{
  GstBuffer *opened = NULL;
  TfrcSrtpStream *stream;
  gint64 index;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  stream = tfrc_srtp_streams_find_or_add (&self->streams, header);
  index = tfrc_srtp_stream_get_next_index (stream, header);
  if (stream->key && index > stream->highest)
    opened = header->rtcp ? try_counter (self, stream, packet, 0)
                          : try_counters (self, stream, packet, &index);
  if (opened) {
    *first = tfrc_srtp_stream_on_authentic (stream, index,
        gst_clock_get_time (self->clock));
    tfrc_srtp_rate_limit_refund (&self->rate_limit, get_origin (packet));
  }
  return opened;
}

/* The decrypted packet, or NULL.  The context of its stream is used first; if nothing has
 * authenticated there for a second, other roll-over counters may be tried. */
static GstBuffer *
unprotect (TfrcSrtpDecoder *self, GstBuffer *packet,
    const TfrcSrtpHeader *header, gboolean *first)
{
  GstClockTime now = gst_clock_get_time (self->clock);
  gboolean tries, asks;
  GstBuffer *opened;
  TfrcSrtpStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, header);
  opened = stream_open (stream, packet, header, now);
  tries = !opened && tfrc_srtp_stream_needs_resync (stream, now)
      && tfrc_srtp_rate_limit_admit (&self->rate_limit, get_origin (packet),
          now);
  asks = tries
      && tfrc_srtp_stream_wants_key (
          tfrc_srtp_streams_find_or_add (&self->streams, header), now);
  g_mutex_unlock (&self->lock);
  if (asks)
    ask_for_key (self, header);
  return tries ? try_packet (self, packet, header, first) : opened;
}

/* An end that changes its key may expect a new one from us, too. */
static void
renew_own_key (TfrcSrtpDecoder *self)
{
  g_autoptr (GstBuffer) key = fetch_key (self, 0);
  g_autoptr (GstBuffer) used = NULL;

  g_object_get (self->encoder, "key", &used, NULL);
  if (key && !tfrc_srtp_keys_equal (key, used))
    g_object_set (self->encoder, "key", key, NULL);
}

static GstPadProbeReturn
decrypt (TfrcSrtpDecoder *self, GstPadProbeInfo *info, gboolean rtcp_only)
{
  GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER (info), *opened = NULL;
  TfrcSrtpHeader header;
  gboolean first = FALSE;

  count_received (self, tfrc_packet_is_plain_rtcp (packet));
  if (read_header (self, packet, &header) && (header.rtcp || !rtcp_only))
    opened = unprotect (self, packet, &header, &first);
  if (first && self->encoder)
    renew_own_key (self);
  g_mutex_lock (&self->lock);
  if (opened) {
    self->strange = 0;
    self->accepted_at = gst_clock_get_time (self->clock);
  }
  self->dropped += opened == NULL;
  g_mutex_unlock (&self->lock);
  gst_buffer_unref (packet);
  GST_PAD_PROBE_INFO_DATA (info) = opened;
  return opened ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

static GstPadProbeReturn
on_protected (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  return decrypt (user_data, info, FALSE);
}

/* RTP is not decrypted here, or the same packet at its own port would be a replay. */
static GstPadProbeReturn
on_protected_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  return decrypt (user_data, info, TRUE);
}

static GInetAddress *
get_host (GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  return meta && G_IS_INET_SOCKET_ADDRESS (meta->addr)
      ? g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (meta->addr))
      : NULL;
}

static gboolean
knows (const TfrcSrtpDecoder *self, guint32 ssrc, GInetAddress *host)
{
  for (guint i = 0; i < MIN (self->n_sources, MAX_SOURCES); i++) {
    const Source *source = &self->sources[i];

    if (source->ssrc == ssrc
        && (source->host == host
            || (host && source->host
                && g_inet_address_equal (host, source->host))))
      return TRUE;
  }
  return FALSE;
}

static GstPadProbeReturn
on_unprotected (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gboolean rtcp, drop, warn = FALSE;
  GInetAddress *host;
  guint32 ssrc;

  if (g_atomic_int_get (&self->plain)
      || !tfrc_packet_read_ssrc (buffer, &rtcp, &ssrc))
    return GST_PAD_PROBE_OK;
  host = get_host (buffer);
  g_mutex_lock (&self->lock);
  if (rtcp && tfrc_packet_is_plain_rtcp (buffer)) {
    g_atomic_int_set (&self->plain, TRUE);
  } else if (rtcp && !knows (self, ssrc, host)) {
    Source *source = &self->sources[self->n_sources % MAX_SOURCES];

    source->ssrc = ssrc;
    g_set_object (&source->host, host);
    warn = self->n_sources++ == 0;
  }
  drop = !g_atomic_int_get (&self->plain) && knows (self, ssrc, host);
  g_mutex_unlock (&self->lock);
  if (warn)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT_NOKEY,
        ("What arrives seems to be SRTP, but srtp-key is not set."),
        ("RTCP whose lengths do not add up"));
  return drop ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
forget_sources (TfrcSrtpDecoder *self)
{
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&self->sources[i].host);
  self->n_sources = 0;
}

TfrcSrtpDecoder *
tfrc_srtp_decoder_new (const TfrcSrtpConfig *config, gboolean is_group,
    GstElement *owner, TfrcSrtpGetKey get_key, gpointer user_data,
    GError **error)
{
  TfrcSrtpDecoder *self;

  if (config->key && !check_element ("srtpdec", error))
    return NULL;
  self = g_atomic_rc_box_new0 (TfrcSrtpDecoder);
  self->config = *config;
  self->config.key = NULL;
  self->has_key = config->key != NULL;
  self->owner = owner;
  self->clock = gst_system_clock_obtain ();
  self->accepted_at = GST_CLOCK_TIME_NONE;
  self->get_key = get_key;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  tfrc_srtp_streams_init (&self->streams,
      is_group ? TFRC_SRTP_KNOWN_IN_A_GROUP : TFRC_SRTP_KNOWN);
  for (guint i = 0; self->has_key && i < G_N_ELEMENTS (self->trials); i++)
    self->trials[i] = tfrc_srtp_context_new ();
  return self;
}

static void
decoder_clear (gpointer data)
{
  TfrcSrtpDecoder *self = data;

  forget_sources (self);
  gst_object_unref (self->clock);
  g_clear_object (&self->encoder);
  for (guint i = 0; i < G_N_ELEMENTS (self->trials); i++)
    context_free (self->trials[i]);
  tfrc_srtp_streams_clear (&self->streams);
  g_mutex_clear (&self->lock);
}

void
tfrc_srtp_decoder_unref (TfrcSrtpDecoder *self)
{
  if (self)
    g_atomic_rc_box_release_full (self, decoder_clear);
}

void
tfrc_srtp_decoder_add (TfrcSrtpDecoder *self, GstElement *udpsrc, gboolean rtcp)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (udpsrc, "src");

  tfrc_packet_probe_add (pad,
      !self->has_key ? on_unprotected
          : rtcp     ? on_protected_rtcp
                     : on_protected,
      g_atomic_rc_box_acquire (self), (GDestroyNotify) tfrc_srtp_decoder_unref);
}

void
tfrc_srtp_decoder_begin_run (TfrcSrtpDecoder *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->received = self->dropped = self->strange = 0;
  self->accepted_at = GST_CLOCK_TIME_NONE;
  self->warned = FALSE;
  g_atomic_int_set (&self->plain, FALSE);
  forget_sources (self);
}

void
tfrc_srtp_decoder_set_encoder (TfrcSrtpDecoder *self, GstElement *encoder)
{
  self->encoder = gst_object_ref (encoder);
}

void
tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder *self, guint64 *received,
    guint64 *dropped)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  *received = self->received;
  *dropped = self->dropped;
}
