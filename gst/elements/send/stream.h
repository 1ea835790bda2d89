/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One SSRC on its way through the sender: what it carries, where its frames
 * begin, which frames must stay, and how its packets are numbered.
 *
 * A frame is what shares one RTP timestamp; a packet of anything but video is
 * a frame of its own.  Sequence numbers that the pacer dropped are taken back
 * from all later packets, so that the receiver sees no hole. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"
#include "encoder/encoder.h"
#include "base/units.h"

/* When to ask the encoder of one stream for a key frame.
 *
 * At most once in TFRC_KEY_LIMIT_INTERVAL.  What is asked for while the
 * answer is still on its way is answered by it; what is asked for after that
 * waits until the interval is over.  Sends nothing itself. */

#define TFRC_KEY_LIMIT_INTERVAL (1 * TFRC_SECOND)

typedef struct
{
  TfrcTime sent_at;  /* the newest; TFRC_TIME_NONE = none */
  gboolean answered; /* a key frame left since */
  gboolean pending;  /* wanted again, once the interval is over */
} TfrcKeyLimit;

void tfrc_key_limit_init (TfrcKeyLimit *self);

/* Somebody wants a key frame.  TRUE: send a request now. */
gboolean tfrc_key_limit_ask (TfrcKeyLimit *self, TfrcTime now);

/* Whether a request would be sent at once. */
gboolean tfrc_key_limit_may_ask (const TfrcKeyLimit *self, TfrcTime now);

/* A key frame leaves. */
void tfrc_key_limit_on_key_frame (TfrcKeyLimit *self);

/* When a pending request is due; TFRC_TIME_NONE = none is. */
TfrcTime tfrc_key_limit_next_deadline (const TfrcKeyLimit *self);

/* TRUE: send a request now. */
gboolean tfrc_key_limit_on_deadline (TfrcKeyLimit *self, TfrcTime now);

/* When a key frame is to answer a loss of a stream that packet feedback tells of.
 *
 * A receiver without retransmission shows no picture until a key frame comes, and
 * browsers ask for one late or never.  Where somebody has packets repeated, that
 * is faster and costs less.  Where parity is sent, the receiver asks for what that
 * does not repair.
 *
 * How often encoders are asked is limited above. */
typedef struct
{
  gboolean unanswered; /* a loss is */
  TfrcTime first_at;   /* first report of a loss; TFRC_TIME_NONE = none */
  TfrcTime asked_at;   /* newest answer; TFRC_TIME_NONE = none */
} TfrcPictureLoss;

void tfrc_picture_loss_init (TfrcPictureLoss *self);

/* A report was read; `lost`: it told of a loss; `repaired`: lost packets are known
 * to be repeated or computed, or nobody wants an answer; `rtt`: 0 = not known.  TRUE: ask for a key frame now. */
gboolean tfrc_picture_loss_on_report (TfrcPictureLoss *self, gboolean lost,
    gboolean repaired, TfrcDuration rtt, TfrcTime now);

/* Whether a receiver that asks for a key frame means a loss that was answered,
 * since it cannot have decoded the answer yet. */
gboolean tfrc_picture_loss_covers_request (const TfrcPictureLoss *self,
    TfrcDuration rtt, TfrcTime now);

/* A larger jump of upstream's sequence numbers is a restart and neither a loss nor
 * reordering (RFC 3550 appendix A.1). */
#define TFRC_SEND_STREAM_MAX_DROPOUT 3000
#define TFRC_SEND_STREAM_MAX_MISORDER 100

/* Without any key frame for so long after frames were dropped, nobody answers
 * the requests: frames pass again as they come. */
#define TFRC_SEND_STREAM_KEY_WAIT (2 * TFRC_SECOND)

/* How many changes of a stream's numbers are remembered, for packets that are
 * asked for again. */
#define TFRC_SEND_STREAM_MOVES 32

/* From a packet on numbers leave less by `offset` than they came in. */
typedef struct
{
  guint64 first; /* counts packets that left */
  guint16 offset;
} TfrcSendStreamMove;

/* How late frames of video come, by their timestamps. */
typedef struct
{
  gint64 lag;         /* behind the first [ns] */
  gint64 least;       /* what is usual */
  gint64 mark;        /* from which it falls */
  TfrcTime marked_at; /* ... since */
  TfrcTime at;        /* the newest frame */
  gboolean catching_up;
} TfrcSendStreamLag;

/* A sink pad, as its streams and events know it. */
typedef struct
{
  GstPad *pad; /* not referenced */
  GstTfrcPriority priority;
  GstEvent *segment;    /* newest that came in; NULL = none */
  gboolean live;        /* as its source said with that, until it came early */
  GstClockTime latency; /* as it said; its packets may be as early */
  gboolean waited;      /* for the time of a packet: it can */
  GstClockTime
      waits_with; /* for room: a packet of that running time; NONE: does not */
  gboolean key_announced; /* by a GstForceKeyUnit event */

  /* Of the encoder that makes what comes in, of which the owner has the control;
   * NULL = none.  For send/flow.c. */
  TfrcEncoder *encoder;
  gboolean follows;    /* it can be told */
  guint64 least, most; /* what [bits/s] */
  gdouble target;      /* that much may be sent of what it makes [bits/s] */
  TfrcTime over_since; /* it makes more; TFRC_TIME_NONE = it does not */
  TfrcEncoderFlow flow;
  struct _TfrcSendStream *encoded; /* the fastest video; of one pass */
} TfrcSendInput;

/* Whether the source is to wait instead of having dropped what the rate does not take: a
 * file as it is, of which nobody makes smaller frames or a key frame.  NULL: no. */
gboolean tfrc_send_input_can_wait (const TfrcSendInput *self);

typedef struct _TfrcSendStream
{
  guint32 ssrc;
  TfrcSendInput *input; /* that it comes in at; NULL = gone */
  gboolean video;
  gboolean repeats; /* packets of others (RFC 4588) */
  gboolean audio;
  GstTfrcPriority priority;
  const gchar *encoding_name; /* interned; NULL = not known */

  /* The newest packet that came in. */
  guint64 heard; /* its place among those of all streams */
  gboolean started;
  guint16 next_seq; /* expected */
  guint32 timestamp;
  guint32 frame; /* counts frames */
  guint frame_packets;
  gboolean frame_is_key;
  TfrcSendStreamLag lag;
  gboolean restart_announced; /* by caps: next packet may have restart_seq */
  guint16 restart_seq;
  gboolean starts_anew; /* the next packet has any number */
  guint16 skipped;      /* numbers dropped since the newest queued */

  /* Frames in the queue. */
  guint queued; /* packets */
  gboolean has_key;
  guint32 newest_key; /* frame */
  gboolean leaving;
  guint32 leaving_frame; /* the newest of which a packet has left */
  guint32 dropped_frame; /* the newest that lost a packet; 0 = none */
  guint32 counted_frame; /* the last that was counted as dropped */
  gboolean waiting;      /* drops all that is not a key frame */
  TfrcTime waiting_since;
  gboolean key_wanted; /* a request is due to be sent */
  TfrcKeyLimit key_limit;
  TfrcPictureLoss picture_loss;
  guint32 asked_key; /* the newest key frame that was asked for; 0 = none */
  gboolean asked_key_left; /* or what came after it */
  guint64 asked_key_place; /* its place among the packets that left */

  /* Of the pass of tfrc_queue_trim that is under way. */
  guint16 trimmed;      /* numbers dropped since the last packet that stays */
  gboolean trim_to_key; /* a frame went: so do those that need it */

  guint16 offset;   /* numbers dropped in front of what leaves */
  guint64 left;     /* packets */
  guint16 left_seq; /* of the newest of them */
  TfrcSendStreamMove moves[TFRC_SEND_STREAM_MOVES]; /* a ring */
  guint64 moved;                                    /* how many in all */

  /* What came in, dropped or not. */
  guint64 bytes; /* of RTP packets as they leave */
  guint64 payload_bytes;
  TfrcTime measured_at;
  guint64 measured_bytes;
  guint64 measured_payload_bytes;
  gdouble rate;         /* over about a second [bytes/s] */
  gdouble payload_rate; /* [bytes/s] */
} TfrcSendStream;

/* To be freed with g_free (). */
TfrcSendStream *tfrc_send_stream_new (guint32 ssrc);

/* Media, encoding name and numbering from `caps`. */
void tfrc_send_stream_set_caps (TfrcSendStream *self, const GstStructure *caps);

/* `priority`, or where that is automatic what the media says: any other level. */
GstTfrcPriority tfrc_send_stream_get_level (const TfrcSendStream *self);

/* Whether the payload of a packet with this timestamp must be looked at: only
 * the first packets of a frame tell a key frame. */
gboolean tfrc_send_stream_wants_key_check (const TfrcSendStream *self,
    guint32 timestamp);

/* Whether the packet that is to come in is of a source that catches up: one that stood
 * still for more than a second, its process stopped, and makes at least twice as fast
 * what nobody wants to see any more.  Not to be queued; its frames tell no key. */
gboolean tfrc_send_stream_is_old (TfrcSendStream *self, guint32 timestamp,
    TfrcTime now);

/* A packet comes in.  TRUE: it starts a frame. */
gboolean tfrc_send_stream_on_packet (TfrcSendStream *self, guint16 seq,
    guint32 timestamp, gboolean key);

/* Whether the packet that came in just now is not even to be queued, because
 * those that it belongs to, or a key frame that it needs, were dropped. */
gboolean tfrc_send_stream_must_drop (TfrcSendStream *self, gboolean new_frame,
    TfrcTime now);

/* A packet of `frame` leaves that came in with the number `seq`, behind `skipped`
 * that were dropped: the number that it leaves with. */
guint16 tfrc_send_stream_renumber (TfrcSendStream *self, guint32 frame,
    guint16 seq, guint16 skipped);

/* The number with which a packet came in that left with the number `left`.  FALSE:
 * none did, or not of late. */
gboolean tfrc_send_stream_find_original (const TfrcSendStream *self,
    guint16 left, guint16 *original);

/* Whether that packet is of use to a receiver that gets all that leaves later: not
 * when a key frame that was asked for is to be shown instead, or waits to leave.  Those
 * right in front of it may be its own, and a receiver that misses one takes it so. */
gboolean tfrc_send_stream_is_of_use (const TfrcSendStream *self, guint16 left);

/* Brings `rate` and `payload_rate` up to date. */
void tfrc_send_stream_measure (TfrcSendStream *self, TfrcTime now);

/* Wants a key frame, if none is on its way. */
void tfrc_send_stream_ask_key_frame (TfrcSendStream *self, TfrcTime now);
