/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP (RFC 3711, RFC 7714) for the bins: srtpenc, a decoder made of srtpdecs that lets
 * receivers join late, and detection of SRTP at an end without a key.
 *
 * Only srtpenc and srtpdec get the key: no log, message, statistics or caps of this
 * plugin contain it. */
#pragma once

#include <gio/gio.h>
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

/* A new floating srtpenc; NULL with an error if the element is missing or the key does
 * not have the length that the cipher needs. */
GstElement *tfrc_srtp_encoder_new (const TfrcSrtpConfig *config,
    GError **error);

/* Returns the master key and salt for `ssrc`, or NULL; the caller unrefs.  Called without
 * a lock held, in the thread of the packet. */
typedef GstBuffer *(*TfrcSrtpGetKey) (guint ssrc, gpointer user_data);

/* Decrypts received packets: asks for keys, lets receivers join late, and counts packets
 * that fail authentication.
 *
 * Without a key: detects SRTP, warns once, and drops it, as it would be taken for plain
 * RTP.  An RTP packet does not show whether it is protected, but RTCP does: until the first
 * SRTCP of an SSRC its RTP passes, and all from the first unprotected RTCP on. */
typedef struct _TfrcSrtpDecoder TfrcSrtpDecoder;

/* `owner`, which posts one warning per run of a wrong or missing key, is not referenced.
 * Keys are those that `get_key` returns; `config` says whether there is one.  `is_group`: more streams are remembered.  NULL with an error if srtpdec is missing. */
TfrcSrtpDecoder *tfrc_srtp_decoder_new (const TfrcSrtpConfig *config,
    gboolean is_group, GstElement *owner, TfrcSrtpGetKey get_key,
    gpointer user_data, GError **error);

/* NULL does nothing. */
void tfrc_srtp_decoder_unref (TfrcSrtpDecoder *self);

/* Decrypts the packets from `udpsrc`, or without a key inspects them.  `rtcp`: with a key
 * RTP goes no further there. */
void tfrc_srtp_decoder_add (TfrcSrtpDecoder *self, GstElement *udpsrc,
    gboolean rtcp);

/* While nothing streams: resets counters, warning and detection. */
void tfrc_srtp_decoder_begin_run (TfrcSrtpDecoder *self);

/* Sets the srtpenc of our own packets: its key is requested again, for SSRC 0, when the
 * other end begins to use a new key. */
void tfrc_srtp_decoder_set_encoder (TfrcSrtpDecoder *self, GstElement *encoder);

/* The numbers of packets received, and of those that failed authentication. */
void tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder *self, guint64 *received,
    guint64 *dropped);

/* The cryptographic context (RFC 3711 section 3.2) of the RTP or RTCP of one SSRC: an
 * srtpdec of its own, outside the pipeline.
 *
 * An srtpdec cannot remove an SSRC: it passes the SSRC to libsrtp2 in host byte order,
 * where network byte order is expected.  Freeing the srtpdec does remove it.
 *
 * No locks here and below: the owner has one. */
typedef struct _TfrcSrtpContext TfrcSrtpContext;

/* No run: a context outlives it, so that packets of an earlier run remain replays. */
TfrcSrtpContext *tfrc_srtp_context_new (void);

/* The fields read from a packet before it is authenticated. */
typedef struct
{
  gboolean rtcp;
  guint32 ssrc;
  guint32 number; /* sequence number, or the index of SRTCP */
} TfrcSrtpHeader;

/* The received streams: RTP and RTCP of each SSRC, which have separate indices (RFC
 * 3711 section 3.2.1).  Packets of a stream are tried with several roll-over counters
 * until one authenticates; from then on its context is that of the stream.
 *
 * Each receiver of a group reports with its own SSRC, and a member can make up more,
 * so only the most recent ones are remembered.  A report replayed after its SSRC was
 * forgotten authenticates again, but its contents show that it is old. */
typedef struct
{
  gint64 id;                /* SSRC and whether RTCP */
  GstBuffer *key;           /* NULL = none was given */
  TfrcSrtpContext *context; /* NULL = none yet */
  gint64 highest;           /* authentic index, or -1 */
  gint64 floor;             /* only indices above it belong to this context */
  guint32 next_roc;         /* roll-over counter of the next trial */
  GstClockTime good_at;     /* newest packet that authenticated, or NONE */
  GstClockTime asked_at;    /* when the key was requested, or NONE */
} TfrcSrtpStream;

typedef struct
{
  GHashTable *table; /* id -> TfrcSrtpStream */
  guint most_known;
} TfrcSrtpStreams;

/* Limits of the remembered streams that have authenticated; a few others come on top. */
#define TFRC_SRTP_KNOWN_IN_A_GROUP 512 /* several rounds of feedback */
#define TFRC_SRTP_KNOWN 128            /* RTP and RTCP of 64 SSRCs */

void tfrc_srtp_streams_init (TfrcSrtpStreams *self, guint most_known);
void tfrc_srtp_streams_clear (TfrcSrtpStreams *self);

/* The stream that the packet belongs to; NULL: it is not remembered. */
TfrcSrtpStream *tfrc_srtp_streams_find (const TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header);

/* The same, but adds the stream if needed, which may remove others. */
TfrcSrtpStream *tfrc_srtp_streams_find_or_add (TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header);

/* Whether to try packets that its context rejects with other roll-over counters: nothing
 * has authenticated for a second, or ever.  `self` may be NULL. */
gboolean tfrc_srtp_stream_needs_resync (const TfrcSrtpStream *self,
    GstClockTime now);

/* Whether to request the key before such a trial: with each packet until one has
 * authenticated, then once a second. */
gboolean tfrc_srtp_stream_wants_key (TfrcSrtpStream *self, GstClockTime now);

/* Sets the key that was returned; a different one resets the stream, NULL is ignored. */
void tfrc_srtp_stream_set_key (TfrcSrtpStream *self, GstBuffer *key);

/* The index of a packet that is closest to the highest one (RFC 3711 section 3.3.1). */
gint64 tfrc_srtp_stream_guess_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header);

/* The same, but for RTP the first such index above the highest one. */
gint64 tfrc_srtp_stream_get_next_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header);

/* The roll-over counter to try after `roc` failed; the trial of this packet began with
 * `first`.  The trial of the next packet continues there. */
guint32 tfrc_srtp_stream_try_next (TfrcSrtpStream *self, guint32 roc,
    guint32 first);

/* Takes `context` as that of the stream for indices above the highest one. */
void tfrc_srtp_stream_set_context (TfrcSrtpStream *self,
    TfrcSrtpContext *context);

/* Notes that the packet with this index has authenticated.  TRUE: it is the first one
 * with this key. */
gboolean tfrc_srtp_stream_on_authentic (TfrcSrtpStream *self, gint64 index,
    GstClockTime now);

/* Whether two keys are the same; NULL is none. */
gboolean tfrc_srtp_keys_equal (GstBuffer *one, GstBuffer *other);

/* Limits the cost per second of packets that do not authenticate, so that a flood with
 * made-up SSRCs does not delay the stream, even on a slow machine.  Times in ns, of the
 * owner's clock. */

/* Packets per second of streams of which none has authenticated lately, not counting
 * those that authenticate; the rest is dropped, as each makes srtpdec create a cipher. */
#define TFRC_SRTP_MAX_STRANGERS 32

typedef struct
{
  guint8 host[16];
  guint port; /* 0 = the address is unknown */
} TfrcSrtpStranger;

/* Starts zero-initialized. */
typedef struct
{
  TfrcSrtpStranger strangers[TFRC_SRTP_MAX_STRANGERS];
  guint n_strangers; /* in the period that began at strangers_at */
  GstClockTime strangers_at;
  guint attempts;     /* in the period that began at attempts_at */
  GstClockTime spent; /* on these attempts */
  GstClockTime attempts_at;
} TfrcSrtpRateLimit;

/* Whether a stranger from this address (NULL = unknown) may be tried.  A single host, and
 * a single socket of it, may use only a part of the limit. */
gboolean tfrc_srtp_rate_limit_admit (TfrcSrtpRateLimit *self,
    GSocketAddress *from, GstClockTime now);

/* Uncounts a packet from this address that was admitted and has authenticated. */
void tfrc_srtp_rate_limit_refund (TfrcSrtpRateLimit *self,
    GSocketAddress *from);

/* Whether one more roll-over counter may be tried; the previous one took `spent`. */
gboolean tfrc_srtp_rate_limit_may_try (TfrcSrtpRateLimit *self,
    GstClockTime spent, GstClockTime now);
