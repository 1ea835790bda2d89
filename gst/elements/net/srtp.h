/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP (RFC 3711, RFC 7714) for the bins: srtpenc and srtpdecs with the key, which
 * let receivers join late, and what recognises SRTP where there is no key.
 *
 * The key goes to srtpenc and srtpdec alone: no log, message, statistics or
 * caps of ours hold it. */
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

/* A new srtpenc, floating; the error says that it is missing or that the key
 * has not the length that the cipher needs. */
GstElement *tfrc_srtp_encoder_new (const TfrcSrtpConfig *config,
    GError **error);

/* Gives the master key for `ssrc`, or NULL for none; the caller unrefs.  Called
 * without a lock, in the thread of the packet. */
typedef GstBuffer *(*TfrcSrtpGetKey) (guint ssrc, gpointer user_data);

/* srtpdec for what comes in: gives it the key, lets receivers join late and counts
 * what does not authenticate. */
typedef struct _TfrcSrtpDecoder TfrcSrtpDecoder;

/* `owner` is not referenced; it posts the one warning of a wrong key. */
TfrcSrtpDecoder *tfrc_srtp_decoder_new (const TfrcSrtpConfig *config,
    gboolean is_group, GstElement *owner, TfrcSrtpGetKey get_key,
    gpointer user_data, GError **error);

/* When its element is in state NULL. */
void tfrc_srtp_decoder_free (TfrcSrtpDecoder *self);

/* Before srtpdec is in PAUSED: counts anew, and may warn again.  NULL does
 * nothing. */
void tfrc_srtp_decoder_begin_run (TfrcSrtpDecoder *self);

/* The srtpenc of our own packets: where the other end has a new key it gets the
 * one for SSRC 0 anew. */
void tfrc_srtp_decoder_set_encoder (TfrcSrtpDecoder *self, GstElement *encoder);

GstElement *tfrc_srtp_decoder_get_element (TfrcSrtpDecoder *self);

/* Packets that came in, and that did not authenticate. */
void tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder *self, guint64 *received,
    guint64 *dropped);

/* For an end without a key: recognises SRTP, says so once, and keeps it from
 * those who would take it for media.
 *
 * Nothing in an RTP packet tells whether it is protected.  Its RTCP does: what
 * comes of an SSRC in front of that gets through. */
typedef struct _TfrcSrtpDetector TfrcSrtpDetector;

/* `owner`, which posts the warning, is not referenced. */
TfrcSrtpDetector *tfrc_srtp_detector_new (GstElement *owner);
/* NULL does nothing. */
void tfrc_srtp_detector_unref (TfrcSrtpDetector *self);

/* The other end may be another one.  NULL does nothing. */
void tfrc_srtp_detector_begin_run (TfrcSrtpDetector *self);

/* Looks at what leaves `udpsrc`, in each run until RTCP is seen that is not
 * protected. */
void tfrc_srtp_detector_add (TfrcSrtpDetector *self, GstElement *udpsrc);

/* The cryptographic context (RFC 3711 section 3.2) of one SSRC's RTP or RTCP:
 * an srtpdec that nobody else uses and no pipeline holds.
 *
 * GStreamer's srtpdec cannot let an SSRC go: it names it to libsrtp2 in host
 * byte order, which knows SSRCs in network byte order.  With all of it in an
 * srtpdec of its own what is forgotten is gone.
 *
 * No locks, as what is below: the owner has one.  Nothing of it is heard
 * elsewhere. */
typedef struct _TfrcSrtpContext TfrcSrtpContext;

/* No run: what was there in one is no news in the next. */
TfrcSrtpContext *tfrc_srtp_context_new (void);

/* What can be read of a packet that may be anybody's. */
typedef struct
{
  gboolean rtcp;
  guint32 ssrc;
  guint32 number; /* sequence number, or the index of SRTCP */
} TfrcSrtpHeader;

/* The streams that come in: of each SSRC its RTP and its RTCP, which have
 * indexes of their own (RFC 3711 section 3.2.1).  A stream is tried until a
 * packet authenticates, and then believed, by the context in which it did.
 *
 * The receivers of a group report from an SSRC each, and a member can make up
 * more: of those the ones heard of last are remembered.  A report replayed after
 * its SSRC was forgotten authenticates again; that it is old shows in it. */
typedef struct
{
  gint64 id;                /* SSRC and whether RTCP */
  GstBuffer *key;           /* NULL = there was none */
  TfrcSrtpContext *context; /* NULL = none yet */
  gint64 highest;           /* authentic index, or -1 */
  gint64 floor;             /* what is not above came before this context */
  guint32 next_roc;         /* where the next trial goes on */
  GstClockTime good_at;     /* newest packet authentic by key, or NONE */
  GstClockTime asked_at;    /* for the key, or NONE */
} TfrcSrtpStream;

typedef struct
{
  GHashTable *table; /* id -> TfrcSrtpStream */
  guint most_known;
} TfrcSrtpStreams;

/* As many are kept of those that have authenticated, and a few others. */
#define TFRC_SRTP_KNOWN_IN_A_GROUP 512 /* several rounds of feedback */
#define TFRC_SRTP_KNOWN 128            /* RTP and RTCP of 64 SSRCs */

void tfrc_srtp_streams_init (TfrcSrtpStreams *self, guint most_known);
void tfrc_srtp_streams_clear (TfrcSrtpStreams *self);

/* NULL: it is not known. */
TfrcSrtpStream *tfrc_srtp_streams_find (const TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header);

/* The stream, new if it is not known; others may have to go. */
TfrcSrtpStream *tfrc_srtp_streams_find_or_add (TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header);

/* Whether to try what its context does not let pass: nothing has authenticated
 * for a second, or ever. */
gboolean tfrc_srtp_stream_is_doubted (const TfrcSrtpStream *self,
    GstClockTime now);

/* Whether to ask for the key, of one that is tried: with each packet until one
 * has authenticated, then once a second. */
gboolean tfrc_srtp_stream_wants_key (TfrcSrtpStream *self, GstClockTime now);

/* The answer.  With another key nothing is known of the stream.  NULL leaves it
 * as it is. */
void tfrc_srtp_stream_set_key (TfrcSrtpStream *self, GstBuffer *key);

/* The index of a packet that is closest to the highest one (RFC 3711 section
 * 3.3.1). */
gint64 tfrc_srtp_stream_guess_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header);

/* Of RTP the first that is above the highest one, too. */
gint64 tfrc_srtp_stream_get_next_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header);

/* The counter to try once `roc` failed, where the trial of the packet began with
 * `first`.  The next trial goes on there. */
guint32 tfrc_srtp_stream_try_next (TfrcSrtpStream *self, guint32 roc,
    guint32 first);

/* Takes the context, which is for what is above the highest index. */
void tfrc_srtp_stream_believe (TfrcSrtpStream *self, TfrcSrtpContext *context);

/* A packet with that index has authenticated.  TRUE: it is the first one with
 * the key. */
gboolean tfrc_srtp_stream_on_authentic (TfrcSrtpStream *self, gint64 index,
    GstClockTime now);

/* Whether two keys are the same; NULL is none. */
gboolean tfrc_srtp_keys_equal (GstBuffer *one, GstBuffer *other);

/* How much packets that do not authenticate may cost in a second: who sends
 * such with made-up SSRCs must not hold up the stream, on a slow machine
 * neither.  No clock: the owner has it.  Times in ns.
 *
 * Counted by the hash of their address: who is hit by others' is counted with
 * them. */
#define TFRC_SRTP_RATE_LIMIT_ORIGINS 256

/* Of zeros it is a new one. */
typedef struct
{
  guint strangers; /* in the period that began at: ... */
  guint8 of_hosts[TFRC_SRTP_RATE_LIMIT_ORIGINS];
  guint8 of_sockets[TFRC_SRTP_RATE_LIMIT_ORIGINS];
  guint32 salt; /* so that nobody knows whose hash is whose */
  GstClockTime strangers_at;
  guint attempts;     /* in the period that began at: ... */
  GstClockTime spent; /* time that they took */
  GstClockTime attempts_at;
} TfrcSrtpRateLimit;

/* Whether a packet `from` somewhere (NULL = not known) may be tried.  One host,
 * and one socket of it, leaves room for others. */
gboolean tfrc_srtp_rate_limit_admit (TfrcSrtpRateLimit *self,
    GSocketAddress *from, GstClockTime now);

/* One `from` somewhere that was admitted as a stranger has turned out
 * authentic. */
void tfrc_srtp_rate_limit_refund (TfrcSrtpRateLimit *self,
    GSocketAddress *from);

/* Whether one more roll-over counter may be tried; the one before took
 * `spent`. */
gboolean tfrc_srtp_rate_limit_may_try (TfrcSrtpRateLimit *self,
    GstClockTime spent, GstClockTime now);
