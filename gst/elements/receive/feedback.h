/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver tells the sender: which packets it misses, that it needs a key frame,
 * and RTCP packets with these and with reports. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "base/rng.h"
#include "tfmcc-wire.h"
#include "common/properties.h"
#include "rtp/ecn.h"
#include "tfrc/loss-detector.h"
#include "tfrc/packet.h"

/* Which missing packets the sender is asked for (RTCP NACK, RFC 4585 section
 * 6.2.1), and what became of them.  Whoever misses one says so as often as it
 * likes: a packet is asked for once per RTT, and only while an answer can
 * arrive in time.
 *
 * What was only overtaken need not be asked for: where packets came after they were
 * missed, those that are missed next have as long to come (TfrcReordering), unless an
 * answer could be too late then.
 *
 * No clock, no locks: the owner has both. */

/* Remembered, those that were answered included; the oldest make room. */
#define TFRC_NACKS_REMEMBERED 512

/* Packets that came last: who misses one says so a moment later, when it may have come. */
#define TFRC_NACKS_NEWEST 64

/* Named in one RTCP packet. */
#define TFRC_NACKS_MAX 32

typedef struct
{
  gboolean used;
  guint32 ssrc;
  guint16 seq;
  gboolean pending;   /* to be asked for */
  gboolean recovered; /* it came, or an answer did */
  TfrcTime wanted_at; /* first */
  TfrcTime due_at;    /* when it is to be asked for, with all that are then */
  TfrcTime asked_at;  /* TFRC_TIME_NONE = not yet */
  TfrcTime needed_at; /* when it is given up */
} TfrcMissing;

typedef struct
{
  TfrcMissing missing[TFRC_NACKS_REMEMBERED]; /* the newest at next - 1 */
  guint next;
  guint pending; /* of these */
  TfrcTime
      due_at;    /* when the next are to be asked for; TFRC_TIME_NONE = none */
  guint64 asked; /* packets, once for each time */
  guint64 recovered; /* packets that came in time */
  guint64 late;      /* packets whose answer would come, or came, too late */
  gboolean answered; /* one came, in time or not */
  guint64 newest[TFRC_NACKS_NEWEST]; /* SSRC and sequence number */
  guint next_newest;
  TfrcReordering reordering;
  TfrcDuration rtt; /* of the newest that was wanted */
} TfrcNacks;

void tfrc_nacks_init (TfrcNacks *self);

/* Forgets what is missing; the counters go on. */
void tfrc_nacks_forget (TfrcNacks *self);

/* A packet is missing that is of use for another `time_left`.  FALSE: no answer
 * would come in time.   `rtt`: 0 = not known. */
gboolean tfrc_nacks_want (TfrcNacks *self, guint32 ssrc, guint16 seq,
    TfrcDuration time_left, TfrcDuration rtt, TfrcTime now);

/* A packet came that is no repetition: it was overtaken, if it was missed. */
void tfrc_nacks_on_packet (TfrcNacks *self, guint32 ssrc, guint16 seq,
    TfrcTime now);

/* Whether that packet is one of the newest. */
gboolean tfrc_nacks_has_come (const TfrcNacks *self, guint32 ssrc, guint16 seq);

/* How long a packet that is missing may only be overtaken, whether it is asked for
 * meanwhile or not; 0: nothing is. */
TfrcDuration tfrc_nacks_get_hold (const TfrcNacks *self);

/* A repetition of a packet with the sequence number `seq` came.  Returns the
 * stream that misses it; 0 = none, or it has come before. */
guint32 tfrc_nacks_on_repair (TfrcNacks *self, guint16 seq, TfrcTime now);

/* Whether it is worth while to wait for answers: there was one, or few have been
 * asked for yet. */
gboolean tfrc_nacks_expect_answers (const TfrcNacks *self);

/* What to ask one stream for now, from old to new; returns how many, 0 when
 * there is nothing more. */
guint tfrc_nacks_poll (TfrcNacks *self, guint32 *ssrc,
    guint16 seqs[TFRC_NACKS_MAX], TfrcTime now);

/* When to ask the sender of a video stream for a key frame (RTCP PLI, RFC 4585
 * section 6.3.1): when a stream appears whose first frame is none, after loss,
 * and when somebody wants one; at most once a second and stream, until a key
 * frame has started.
 *
 * A stream that never answers (intra refresh has no key frames) is asked ten
 * times in all; after that, and for encodings whose key frames cannot be told,
 * each explicit wish gives one request.
 *
 * In a group many may want one at once: receivers that joined together, or lost
 * the same packet.  One request is enough, so each waits for a random time,
 * exponentially distributed as the feedback timer of RFC 4654 section 4.5, and
 * the key frame that the first one brings cancels all others.  The longest wait
 * is twice the time until an answer for who has seen no key frame yet, four
 * times that after loss, counted from a second after the last key frame: before
 * that the sender makes none.  So of n <= N receivers that all wait, at most
 * about 1.4 N^(1/4) ask, and 1.4 N^(1/2) joiners: 14 and 140 of 10000.
 *
 * No clock, no locks: the owner has both. */
typedef struct
{
  gboolean used;
  guint32 ssrc;
  const gchar *encoding_name; /* static or interned; NULL = not known */
  TfrcTime newest_at;         /* the newest packet */
  guint16 newest_seq;
  guint16 whole_seq; /* before it are packets of a large hole, or old ones */
  guint32 first_timestamp; /* of the first frame, until it is classified */
  gboolean classified;     /* the first frame is known to be key or not */
  gboolean key;            /* one has started */
  guint32 key_timestamp;   /* of the newest one */
  guint16 key_seq;         /* where it starts */
  TfrcTime key_at;         /* and when it started */
  gboolean gap;            /* packets are missing: lost, or only late */
  gboolean wanted;
  TfrcTime due_at;       /* of the next request, when wanted */
  TfrcDuration spread;   /* random part of that */
  TfrcTime requested_at; /* of the last; TFRC_TIME_NONE = never */
  guint unanswered;      /* requests since the last key frame */
} TfrcKeyRequestStream;

typedef struct
{
  TfrcKeyRequestStream streams[TFRC_MAX_STREAMS];
  /* Places of these that were ever taken; each packet looks at all of them. */
  guint n_streams;
  TfrcRng rng;
  /* Anybody may set: up to `group_size` receivers may ask, and from a request to the
   * key frame it takes up to `answer_time`; 0 = nobody else asks, so it is done at
   * once. */
  TfrcDuration answer_time;
  gdouble group_size;
  guint64 key_frames; /* seen */
  guint64 requests;   /* handed out */
} TfrcKeyRequests;

/* What is read of a packet of a video stream. */
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

/* Receivers of a group differ by their `seed`. */
void tfrc_key_requests_init (TfrcKeyRequests *self, guint64 seed);

/* A packet of video that was received `now`. */
void tfrc_key_requests_on_packet (TfrcKeyRequests *self,
    const TfrcKeyRequestPacket *packet, TfrcTime now);

/* Packets of the flow were declared lost: of the streams that miss some. */
void tfrc_key_requests_on_loss (TfrcKeyRequests *self, TfrcTime now);

/* A packet that was lost came again: all but the encoding name is set. */
void tfrc_key_requests_on_repair (TfrcKeyRequests *self,
    TfrcKeyRequestPacket *packet, TfrcTime now);

/* The packet `seq` is lost for good. */
void tfrc_key_requests_on_hole (TfrcKeyRequests *self, guint32 ssrc,
    guint16 seq, TfrcTime now);

/* Whether packets of `ssrc` are missing that no key frame was asked for. */
gboolean tfrc_key_requests_have_gap (TfrcKeyRequests *self, guint32 ssrc);

/* Whether the packet `seq` is of so large a hole that a key frame is to be asked for,
 * not the packets. */
gboolean tfrc_key_requests_replace (TfrcKeyRequests *self, guint32 ssrc,
    guint16 seq);

/* Somebody wants a key frame of `ssrc`; 0 = of all streams. */
void tfrc_key_requests_want (TfrcKeyRequests *self, guint32 ssrc, TfrcTime now);

/* The SSRC has left: nothing of it is asked for. */
void tfrc_key_requests_remove_stream (TfrcKeyRequests *self, guint32 ssrc);

/* TFRC_TIME_NONE: nothing to ask for. */
TfrcTime tfrc_key_requests_next_deadline (const TfrcKeyRequests *self);

/* The SSRC to ask now; call until it returns FALSE. */
gboolean tfrc_key_requests_poll (TfrcKeyRequests *self, guint32 *ssrc,
    TfrcTime now);

/* RTCP packets that rtptfrcreceive makes, as buffers: alone (reduced size, RFC
 * 5506) or behind an empty RR and an SDES (RFC 3550 section 6.1). */

/* On the wire around a report [bytes]. */
#define TFRC_REPORT_UDP_IPV4_SIZE 28

typedef struct
{
  gboolean reduced_size;
  guint32 ssrc; /* of the reporter */
  gchar *cname; /* owned, never NULL */
} TfrcReportFormat;

/* Its delays come behind it, and with `n_ecn` > 0 an XR packet with these. */
GstBuffer *tfrc_report_new_feedback (const TfrcReportFormat *format,
    const TfrcFeedback *feedback, const TfrcEcnSummary *ecn, gsize n_ecn);

/* The report's own SSRC is the reporter's. */
GstBuffer *tfrc_report_new_member_report (const TfrcReportFormat *format,
    const TfmccReport *report, const TfmccDiagnostics *diagnostics);

/* Arrivals, as CCFB or TWCC: the first *n_written of `packets`, those of a few hundred
 * numbers. */
GstBuffer *tfrc_report_new_packet_feedback (const TfrcReportFormat *format,
    GstRtpTfrcFeedback feedback_format, const TfrcPacketReport *report,
    guint32 media_ssrc, const TfrcReportedPacket *packets, gsize n,
    gsize *n_written);

/* Picture loss indication for the stream `media_ssrc`. */
GstBuffer *tfrc_report_new_pli (const TfrcReportFormat *format,
    guint32 media_ssrc);

/* NACK for the stream `media_ssrc`. */
GstBuffer *tfrc_report_new_nack (const TfrcReportFormat *format,
    guint32 media_ssrc, const guint16 *seqs, guint n);

/* On the wire, UDP and IPv4 included, of a packet with a report of `size` [bytes]. */
guint tfrc_report_get_wire_size (const TfrcReportFormat *format, guint size);
