/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One SSRC on its way through the sender: its media type, frame boundaries, which frames
 * must not be dropped, and how its packets are renumbered.
 *
 * A frame is the packets that share an RTP timestamp; each packet of anything but video
 * is a frame of its own.  The sequence numbers of dropped packets are subtracted from all
 * later ones, so that the receiver sees no gap. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"
#include "encoder/encoder.h"
#include "base/units.h"

/* Limits how often the encoder of one stream is asked for a key frame: at most once per
 * TFRC_KEY_LIMIT_INTERVAL.  A request while the answer to the last one is awaited is
 * merged with that; one after the answer waits until the interval is over.  This only
 * decides; the caller sends the requests. */

#define TFRC_KEY_LIMIT_INTERVAL (1 * TFRC_SECOND)

typedef struct
{
  TfrcTime sent_at;  /* newest request; TFRC_TIME_NONE = none */
  gboolean answered; /* a key frame was sent since; set by the owner */
  gboolean pending;  /* another request is due when the interval is over */
} TfrcKeyLimit;

void tfrc_key_limit_init (TfrcKeyLimit *self);

/* A key frame is wanted.  TRUE: send a request now. */
gboolean tfrc_key_limit_ask (TfrcKeyLimit *self, TfrcTime now);

/* Whether a request would be sent at once. */
gboolean tfrc_key_limit_may_ask (const TfrcKeyLimit *self, TfrcTime now);

/* When a pending request is due; TFRC_TIME_NONE = none is. */
TfrcTime tfrc_key_limit_next_deadline (const TfrcKeyLimit *self);

/* TRUE: send a request now. */
gboolean tfrc_key_limit_on_deadline (TfrcKeyLimit *self, TfrcTime now);

/* Decides when a loss that packet feedback reports is answered by a key frame.
 *
 * A receiver without retransmission shows no picture until the next key frame, and
 * browsers request one late or never.  Where lost packets are retransmitted, that is
 * faster and costs less.  Where parity is sent, the receiver requests what parity does
 * not repair.
 *
 * How often encoders are asked is limited by TfrcKeyLimit. */
typedef struct
{
  gboolean unanswered; /* a loss has no answer yet */
  TfrcTime first_at;   /* first report of a loss; TFRC_TIME_NONE = none */
  /* newest request for a key frame; TFRC_TIME_NONE = none */
  TfrcTime asked_at;
} TfrcPictureLoss;

void tfrc_picture_loss_init (TfrcPictureLoss *self);

/* A report was read.  `lost`: it reported a loss; `repaired`: lost packets are
 * retransmitted or recovered from parity, or key frames on loss are off; `rtt`: 0 = not
 * known.  TRUE: ask for a key frame now. */
gboolean tfrc_picture_loss_on_report (TfrcPictureLoss *self, gboolean lost,
    gboolean repaired, TfrcDuration rtt, TfrcTime now);

/* Whether a receiver's key frame request is for a loss that was answered already, as it
 * cannot have decoded the answer yet. */
gboolean tfrc_picture_loss_covers_request (const TfrcPictureLoss *self,
    TfrcDuration rtt, TfrcTime now);

/* If no key frame comes for so long after frames were dropped, key frame requests have no
 * effect, and frames pass again without one. */
#define TFRC_SEND_STREAM_KEY_WAIT (2 * TFRC_SECOND)

/* Changes of a stream's `offset` that are remembered, for packets to be retransmitted. */
#define TFRC_SEND_STREAM_MOVES 32

/* From a packet on, numbers are reduced by `offset`. */
typedef struct
{
  guint64 first; /* the packet, by count of packets sent */
  guint16 offset;
} TfrcSendStreamMove;

/* How late video frames come in, by their RTP timestamps. */
typedef struct
{
  gint64 lag;         /* relative to the first frame [ns] */
  gint64 least;       /* the usual lag [ns] */
  gint64 mark;        /* lag from which it decreases [ns] ... */
  TfrcTime marked_at; /* ... since then */
  TfrcTime at;        /* the newest frame */
  gboolean catching_up;
} TfrcSendStreamLag;

/* A sink pad. */
typedef struct
{
  GstPad *pad; /* not referenced */
  GstTfrcPriority priority;
  GstEvent *segment; /* newest received, owned; NULL = none */
  /* its source is live, as upstream says, until its packets come early */
  gboolean live;
  GstClockTime latency; /* upstream's; packets may be that early */
  gboolean waited;      /* it waited for a packet's time, so it can wait */
  /* running time of the packet that waits for room in the queue; NONE = none does */
  GstClockTime waits_with;
  gboolean key_announced; /* by a GstForceKeyUnit event: comes next */

  /* The encoder upstream, whose control belongs to the owner; NULL = none.  For
   * encoder-shares.c. */
  TfrcEncoder *encoder;
  gboolean follows;    /* its bitrate can be set */
  guint64 least, most; /* range of its bitrate [bits/s] */
  gdouble target;      /* its target [bits/s] */
  TfrcTime over_since; /* it exceeds that; TFRC_TIME_NONE = it does not */
  TfrcEncoderFlow flow;
  TfrcRate rate, video_rate; /* of its streams, measured */
  /* its video stream of the highest rate; valid during one pass */
  struct _TfrcSendStream *encoded;
} TfrcSendInput;

/* Whether the source shall wait where the rate is too low, instead of having packets
 * dropped: a source that is not live, as a file, without an encoder that could make
 * smaller frames or a key frame.  NULL: FALSE. */
gboolean tfrc_send_input_can_wait (const TfrcSendInput *self);

typedef struct _TfrcSendStream
{
  guint32 ssrc;
  TfrcSendInput *input; /* where it comes in; NULL = removed */
  gboolean video;
  gboolean is_rtx; /* RTX (RFC 4588) */
  gboolean audio;
  GstTfrcPriority priority;
  const gchar *encoding_name; /* interned; NULL = not known */
  gboolean knows_key_frames;  /* recognises them by their packets */

  /* About the newest packet that came in. */
  guint64 arrival; /* its number among packets of all streams */
  gboolean started;
  guint16 next_seq; /* expected */
  guint32 timestamp;
  guint32 frame; /* counted from 1 */
  guint frame_packets;
  gboolean frame_is_key;
  TfrcSendStreamLag lag;
  /* caps announced a restart: the next packet may have restart_seq */
  gboolean restart_announced;
  guint16 restart_seq;
  gboolean starts_anew; /* the next packet may have any number */
  guint16 skipped;      /* packets dropped since the newest one queued */

  /* Frames in the queue. */
  guint queued; /* packets */
  gboolean has_key;
  guint32 newest_key; /* frame */
  gboolean has_sent;
  guint32 sent_frame;    /* newest frame of which a packet was sent */
  guint32 dropped_frame; /* newest of which a packet was dropped; 0 = none */
  guint32 counted_frame; /* newest that was counted as dropped */
  gboolean waiting;      /* drops frames until a key frame comes */
  TfrcTime waiting_since;
  gboolean key_wanted; /* a request is due to be sent */
  TfrcKeyLimit key_limit;
  TfrcPictureLoss picture_loss;
  guint32 asked_key; /* newest key frame that answers a request; 0 = none */
  gboolean asked_key_sent; /* it, or a later frame, was sent ... */
  guint64 asked_key_place; /* ... and its place among packets sent */

  /* State of the present pass of tfrc_queue_trim. */
  guint16 trimmed;      /* packets dropped since the last one kept */
  gboolean trim_to_key; /* a frame was dropped, so drop dependent ones */

  guint16 offset;   /* packets dropped before those sent */
  guint64 n_sent;   /* packets sent */
  guint16 sent_seq; /* number of the newest one sent */
  TfrcSendStreamMove moves[TFRC_SEND_STREAM_MOVES]; /* a ring */
  guint64 moved;                                    /* total number of moves */

  /* All packets that came in, dropped or not. */
  guint64 bytes; /* RTP packets as sent, and their repair */
  guint64 payload_bytes;
  TfrcTime measured_at;
  guint64 measured_bytes;
  guint64 measured_payload_bytes;
  gdouble rate;         /* smoothed over about a second [bytes/s] */
  gdouble payload_rate; /* [bytes/s] */
} TfrcSendStream;

/* Free it with g_free (). */
TfrcSendStream *tfrc_send_stream_new (guint32 ssrc);

/* Reads media type, encoding name and sequence number base from `caps`. */
void tfrc_send_stream_set_caps (TfrcSendStream *self, const GstStructure *caps);

/* Whether a video encoder may have made it: rtpgstpay says media=application of any. */
gboolean tfrc_send_stream_may_be_encoded (const TfrcSendStream *self);

/* The priority level: `priority`, or by media type if that is automatic; never AUTO. */
GstTfrcPriority tfrc_send_stream_get_level (const TfrcSendStream *self);

/* Whether the payload of a packet with this timestamp must be parsed: a key frame is
 * recognised by its first packets only. */
gboolean tfrc_send_stream_wants_key_check (const TfrcSendStream *self,
    guint32 timestamp);

/* Whether the packet belongs to a source that is catching up: it stood still for more
 * than a second, as its process was stopped, and now produces outdated frames at least
 * twice as fast as in real time.  Such packets must not be queued, nor count as key
 * frames. */
gboolean tfrc_send_stream_is_old (TfrcSendStream *self, guint32 timestamp,
    TfrcTime now);

/* A packet came in.  TRUE: it starts a frame. */
gboolean tfrc_send_stream_on_packet (TfrcSendStream *self, guint16 seq,
    guint32 timestamp, gboolean key);

/* Whether the packet that just came in must be dropped instead of being queued, because
 * other packets of its frame, or a key frame that it depends on, were dropped. */
gboolean tfrc_send_stream_must_drop (TfrcSendStream *self, gboolean new_frame,
    TfrcTime now);

/* A packet of `frame` is sent that came in with number `seq`, after `skipped` dropped
 * ones.  Returns its new number. */
guint16 tfrc_send_stream_renumber (TfrcSendStream *self, guint32 frame,
    guint16 seq, guint16 skipped);

/* Finds the original number of the packet sent with number `seq`.  FALSE: there was
 * none, or it is too long ago. */
gboolean tfrc_send_stream_find_original (const TfrcSendStream *self,
    guint16 seq, guint16 *original);

/* Whether the packet sent with number `seq` still helps a receiver that gets everything
 * sent later: not if a requested key frame was sent after it, or waits to be.  The
 * packets right before that key frame may belong to it, and count as useful, as a
 * receiver that misses one takes them so. */
gboolean tfrc_send_stream_is_of_use (const TfrcSendStream *self, guint16 seq);

/* Updates `rate` and `payload_rate`. */
void tfrc_send_stream_measure (TfrcSendStream *self, TfrcTime now);

/* Requests a key frame, unless one is on its way. */
void tfrc_send_stream_ask_key_frame (TfrcSendStream *self, TfrcTime now);
