/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
#pragma once

#include <gst/gst.h>

#include "base/rng.h"
#include "base/streams.h"
#include "base/time.h"

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

/* Forgets the streams; the counters go on. */
void tfrc_key_requests_forget (TfrcKeyRequests *self);

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

/* Whether the packet `seq` is of so large a hole that a key frame is to be asked for,
 * not the packets. */
gboolean tfrc_key_requests_replace (TfrcKeyRequests *self, guint32 ssrc,
    guint16 seq);

/* Somebody wants a key frame of `ssrc`; 0 = of all streams. */
void tfrc_key_requests_want (TfrcKeyRequests *self, guint32 ssrc, TfrcTime now);

void tfrc_key_requests_remove_stream (TfrcKeyRequests *self, guint32 ssrc);

/* TFRC_TIME_NONE: nothing to ask for. */
TfrcTime tfrc_key_requests_next_deadline (const TfrcKeyRequests *self);

/* The SSRC to ask now; call until it returns FALSE. */
gboolean tfrc_key_requests_poll (TfrcKeyRequests *self, guint32 *ssrc,
    TfrcTime now);
