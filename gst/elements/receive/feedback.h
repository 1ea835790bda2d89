/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver sends to the sender: requests for missing packets and key frames, and
 * the RTCP packets with these and with reports.
 *
 * No clock, no lock: the owner has both. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "base/rng.h"
#include "tfrc/loss-detector.h"

/* Decides which missing packets are requested (RTCP NACK, RFC 4585 section 6.2.1), and
 * keeps track of the answers.  Jitter buffers may ask for a packet as often as they like:
 * it is requested once per RTT, and only while an answer can arrive in time.
 *
 * A packet that is merely late by reordering need not be requested.  If packets arrived
 * after they were missed, later requests are delayed by as long (TfrcReordering), unless
 * an answer could then be too late. */

/* Missing packets that are remembered, including answered ones; the oldest are replaced. */
#define TFRC_NACKS_REMEMBERED 512

/* The newest packets: when a jitter buffer asks for one it may have just arrived. */
#define TFRC_NACKS_NEWEST 64

/* Packets requested by one RTCP packet. */
#define TFRC_NACKS_MAX 32

typedef struct
{
  gboolean used;
  guint32 ssrc;
  guint16 seq;
  gboolean pending;       /* a request is due */
  gboolean recovered;     /* it arrived, or was retransmitted */
  TfrcTime missing_since; /* tfrc_nacks_on_missing was called first */
  TfrcTime due_at;        /* when it is requested, with all others due */
  TfrcTime asked_at;      /* newest request; TFRC_TIME_NONE = none */
  TfrcTime needed_at;     /* when it is too late */
} TfrcMissing;

typedef struct
{
  /* a ring; the newest is at next - 1 */
  TfrcMissing missing[TFRC_NACKS_REMEMBERED];
  guint next;
  guint pending; /* pending ones */
  /* when the next request is due; TFRC_TIME_NONE = none */
  TfrcTime due_at;
  guint64 asked;     /* requests, counted per packet */
  guint64 recovered; /* packets retransmitted in time */
  gboolean answered; /* a packet was retransmitted, in time or not */
  guint64 newest[TFRC_NACKS_NEWEST]; /* SSRC and sequence number */
  guint next_newest;
  TfrcReordering reordering;
  TfrcDuration rtt; /* given with the newest missing packet */
} TfrcNacks;

void tfrc_nacks_init (TfrcNacks *self);

/* Forgets missing packets, but not the counters. */
void tfrc_nacks_forget (TfrcNacks *self);

/* A packet is missing, and useful for another `time_left`, which grows to what an answer
 * needs if that is no more than `longest`.  `rtt`: 0 = not known.  FALSE: an answer could
 * not arrive in time. */
gboolean tfrc_nacks_on_missing (TfrcNacks *self, guint32 ssrc, guint16 seq,
    TfrcDuration *time_left, TfrcDuration longest, TfrcDuration rtt,
    TfrcTime now);

/* A packet arrived that is no retransmission; if it was missing, it was reordered. */
void tfrc_nacks_on_packet (TfrcNacks *self, guint32 ssrc, guint16 seq,
    TfrcTime now);

/* Whether the packet is one of the newest that arrived. */
gboolean tfrc_nacks_has_arrived (const TfrcNacks *self, guint32 ssrc,
    guint16 seq);

/* How long a missing packet may still arrive by reordering, whether or not it is
 * requested meanwhile; 0 = no reordering was seen. */
TfrcDuration tfrc_nacks_get_hold (const TfrcNacks *self);

/* A retransmission of packet `seq` arrived.  Returns the SSRC of the stream that misses
 * it; 0 = none does, or it arrived before. */
guint32 tfrc_nacks_on_repair (TfrcNacks *self, guint16 seq, TfrcTime now);

/* Whether to wait for answers: there was one, or only few packets were requested so far. */
gboolean tfrc_nacks_expect_answers (const TfrcNacks *self);

/* Gives the packets of one stream to be requested now, from old to new.  Returns their
 * number; 0: no more. */
guint tfrc_nacks_poll (TfrcNacks *self, guint32 *ssrc,
    guint16 seqs[TFRC_NACKS_MAX], TfrcTime now);

/* Decides when to request a key frame of a video stream (RTCP PLI, RFC 4585
 * section 6.3.1): when a stream appears whose first frame is none, after loss, and when
 * the application asks for one.  At most once a second per stream, until a key frame has
 * started.
 *
 * From a stream that never answers, as intra refresh has no key frames, it is requested
 * ten times in all.  After that, and for encodings whose key frames cannot be recognised,
 * each explicit wish gives one request.
 *
 * In a group many receivers may need a key frame at once, as they joined together or lost
 * the same packet.  One request is enough, so each waits for a random time, exponentially
 * distributed as the feedback timer of RFC 4654 section 4.5, and the key frame that the
 * first request brings cancels all others.  The longest wait is twice the time until an
 * answer for receivers that have not seen a key frame yet, and four times that after
 * loss, counted from a second after the last key frame: the sender makes none before
 * that.  So of n <= N receivers that all wait, at most about 1.4 N^(1/4) send a request,
 * and 1.4 N^(1/2) after joining: 14 and 140 of 10000. */
typedef struct
{
  gboolean used;
  guint32 ssrc;
  const gchar *encoding_name; /* static or interned; NULL = not known */
  TfrcTime newest_at;         /* the newest packet */
  guint16 newest_seq;
  /* packets before it are in a large gap, or too old */
  guint16 whole_seq;
  guint32 first_timestamp; /* of the first frame, until it is classified */
  gboolean classified;     /* the first frame is known to be key or not */
  gboolean key;            /* a key frame has started */
  guint32 key_timestamp;   /* of the newest one */
  guint16 key_seq;         /* its first packet */
  TfrcTime key_at;         /* when it started */
  gboolean gap;            /* packets are missing, lost or late */
  gboolean wanted;
  TfrcTime due_at;       /* of the next request, if wanted */
  TfrcDuration spread;   /* random part of that */
  TfrcTime requested_at; /* of the last request; TFRC_TIME_NONE = never */
  guint unanswered;      /* requests since the last key frame */
} TfrcKeyRequestStream;

typedef struct
{
  TfrcKeyRequestStream streams[TFRC_MAX_STREAMS];
  /* How many of these were ever used; each packet searches only them. */
  guint n_streams;
  TfrcRng rng;
  /* May be set by the owner: up to `group_size` receivers may send requests, and a key
   * frame follows within `answer_time` of one; 0 = there are no others, so requests are
   * sent at once. */
  TfrcDuration answer_time;
  gdouble group_size;
  guint64 key_frames; /* seen */
  guint64 requests;   /* given out by tfrc_key_requests_poll */
} TfrcKeyRequests;

/* What is needed of a packet of a video stream. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  guint32 timestamp;
  gboolean marker;
  const gchar *encoding_name; /* static or interned; NULL = not known */
  const guint8 *payload;
  gsize payload_size;
} TfrcKeyRequestPacket;

/* `seed` must differ among the receivers of a group. */
void tfrc_key_requests_init (TfrcKeyRequests *self, guint64 seed);

/* A packet of video arrived at `now`. */
void tfrc_key_requests_on_packet (TfrcKeyRequests *self,
    const TfrcKeyRequestPacket *packet, TfrcTime now);

/* Packets of the flow were declared lost; they belong to the streams with a gap. */
void tfrc_key_requests_on_loss (TfrcKeyRequests *self, TfrcTime now);

/* A lost packet was retransmitted; all fields but the encoding name are set. */
void tfrc_key_requests_on_repair (TfrcKeyRequests *self,
    TfrcKeyRequestPacket *packet, TfrcTime now);

/* Packet `seq` is lost for good. */
void tfrc_key_requests_on_unrepaired (TfrcKeyRequests *self, guint32 ssrc,
    guint16 seq, TfrcTime now);

/* Whether packets of `ssrc` are missing for which no key frame was requested. */
gboolean tfrc_key_requests_have_gap (TfrcKeyRequests *self, guint32 ssrc);

/* Whether packet `seq` is in a gap so large that a key frame must be requested instead of
 * the packets. */
gboolean tfrc_key_requests_replace (TfrcKeyRequests *self, guint32 ssrc,
    guint16 seq);

/* A key frame of `ssrc` is wanted; 0 = of all streams. */
void tfrc_key_requests_request (TfrcKeyRequests *self, guint32 ssrc,
    TfrcTime now);

/* The stream has left: no key frame of it is requested any more. */
void tfrc_key_requests_remove_stream (TfrcKeyRequests *self, guint32 ssrc);

/* When the next request is due; TFRC_TIME_NONE = none. */
TfrcTime tfrc_key_requests_next_deadline (const TfrcKeyRequests *self);

/* Gives the SSRC of a request to be sent now; call it until it returns FALSE. */
gboolean tfrc_key_requests_poll (TfrcKeyRequests *self, guint32 *ssrc,
    TfrcTime now);

/* The RTCP packets of rtptfrcreceive are a report alone (reduced size, RFC 5506), or one
 * after an empty RR and an SDES (RFC 3550 section 6.1). */

/* The longest report, which fits a path of 1280 bytes (RFC 8200 section 5); more packets
 * are reported by another report. */
#define TFRC_REPORT_MAX 1200
#define TFRC_REPORT_PACKET_MAX (TFRC_WIRE_PREFIX_MAX + TFRC_REPORT_MAX)

/* UDP and IPv4 headers of a report [bytes]. */
#define TFRC_REPORT_UDP_IPV4_SIZE 28

typedef struct
{
  gboolean reduced_size;
  guint32 ssrc; /* of the reporter */
  gchar *cname; /* owned, never NULL */
} TfrcReportFormat;

/* Writes what comes before a report and returns its size, at most TFRC_WIRE_PREFIX_MAX
 * [bytes]. */
gsize tfrc_report_begin (const TfrcReportFormat *format, guint8 *data);

/* Size of a packet with a report of `size` bytes, with UDP and IPv4 headers [bytes]. */
guint tfrc_report_get_wire_size (const TfrcReportFormat *format, guint size);
