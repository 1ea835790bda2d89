/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue: retransmissions, and separately from them packets with the serialized
 * events between them.
 *
 * Packets of one priority leave in the order in which they came.  Each priority gets
 * twice the rate of the one below it while both have packets (RFC 8835 section 4.1), so
 * that none waits for a burst of another, and none starves.  No packet overtakes an event
 * other than GstForceKeyUnit; a segment event is sent before the packets that belong to
 * it, and caps that did not change are not sent again.  Repair packets (RTX, parity) made
 * by this element are not queued here, but count against the share of their stream's
 * priority.
 *
 * The queue is bounded in time: tfrc_queue_trim drops what is too old, except packets of
 * a source that can wait.  It drops whole frames of video and then everything up to a key
 * frame, and single packets of anything else.  A frame of which a packet has been sent,
 * and the newest key frame of a stream, are kept.  Packets leave with their final
 * sequence numbers, without gaps.
 *
 * No lock, no clock, no pads: the caller has those.  Times are of any clock that stops
 * while nothing may be sent. */
#pragma once

#include <gst/base/base.h>
#include <gst/gst.h>

#include "send/stream.h"

/* Beyond this size packets of any age are dropped; 5 s at 100 Mbit/s. */
#define TFRC_QUEUE_MAX_BYTES (64 * 1024 * 1024)

/* Serialized events in the queue.  They have no age, and may come without packets while
 * nothing is sent.  Beyond this number the oldest event is dropped that is not sticky, or
 * is superseded. */
#define TFRC_QUEUE_MAX_EVENTS 1024

/* SSRCs known at a time; more than any application sends.  A new one replaces the one
 * that was silent for longest, with its queued packets.  That one's numbering is lost
 * with it, so the receiver sees these packets as lost. */
#define TFRC_QUEUE_MAX_STREAMS 1024

typedef struct
{
  GstMiniObject *object;  /* GstBuffer or GstEvent, owned */
  TfrcSendStream *stream; /* NULL = an event */
  GstEvent *segment;      /* of the packet, owned; NULL = none */
  TfrcTime arrived_at;
  guint32 timestamp;      /* RTP */
  guint32 frame;          /* of the stream */
  guint size;             /* as sent [bytes] */
  guint payload_size;     /* [bytes] */
  guint extension_offset; /* of the header extension; 0 = none */
  guint extension_room;   /* for the extension [bytes] */
  guint16 seq;            /* RTP; final after tfrc_queue_pop */
  guint16 skipped;        /* packets dropped right before it */
  guint8 payload_type;    /* RTP; 0 = made here, for repair or a probe */
  guint32 ssrc;
  /* of RTX or parity: the stream that it repairs; 0 = not known, or another packet */
  guint32 repaired_ssrc;
  guint8 level;        /* of GstTfrcPriority; 0 = RTX from upstream */
  gboolean key;        /* of a key frame */
  gboolean ends_frame; /* by its marker bit (RFC 3551 section 5) */
  gboolean droppable;  /* no other frame needs it */
  gboolean renumbered; /* `seq` differs from the packet's */
  /* an rtpsession will give it a transport-wide sequence number, too */
  gboolean transport_numbered;
  gboolean probe;    /* of TfrcProbing: needed by no one */
  gboolean can_wait; /* its source can wait */
} TfrcQueueItem;

typedef struct
{
  guint64 frames_dropped;
  guint64 packets_dropped;
  guint64 key_frame_requests; /* sent upstream */
} TfrcQueueCounters;

#define TFRC_QUEUE_LEVELS (GST_TFRC_PRIORITY_HIGH + 1)

/* Other files may only read its fields. */
typedef struct
{
  GstQueueArray *items; /* of TfrcQueueItem */
  GstQueueArray *rtx;   /* the same, for RTX from upstream */
  /* of TfrcSendStream, in the order in which they appeared */
  GPtrArray *streams;
  TfrcSendStream *newest; /* of the newest packet */
  guint64 n_arrived;      /* counts incoming packets and streams */
  guint packets;
  guint packets_of[TFRC_QUEUE_LEVELS];
  guint64 bytes;
  guint64 can_wait_bytes; /* of `bytes`, from sources that can wait */
  guint events;
  /* newest sent, to be cleared in a flush; NULL = none */
  GstEvent *sent_segment;
  /* newest received since STREAM_START; NULL = none */
  GstEvent *caps;
  guint64 virtual_time;            /* start of the packet sent last */
  guint64 ends[TFRC_QUEUE_LEVELS]; /* end of the last packet of each level */
  TfrcQueueCounters counters;
} TfrcQueue;

TfrcQueue *tfrc_queue_new (void);
void tfrc_queue_free (TfrcQueue *self);

/* Empties the queue, and forgets streams and counters, too. */
void tfrc_queue_reset (TfrcQueue *self);

/* NULL: unknown SSRC. */
TfrcSendStream *tfrc_queue_find_stream (const TfrcQueue *self, guint32 ssrc);

/* Adds a stream.  May free the least recent one with its queued packets, so the caller
 * must have pushed all packets that point to streams. */
TfrcSendStream *tfrc_queue_add_stream (TfrcQueue *self, guint32 ssrc);

/* The n-th stream, or NULL if there are not that many. */
TfrcSendStream *tfrc_queue_get_stream (const TfrcQueue *self, guint n);

/* The stream's caps or priority have changed: its queued packets get the new level, too. */
void tfrc_queue_update_level (TfrcQueue *self, TfrcSendStream *stream);

/* Takes ownership of the event of `input` (NULL = of no pad).  Caps that are equal to
 * those before are not queued.  After GstForceKeyUnit the input's next frame of video
 * counts as a key frame, unless key frames of its encoding are recognised by their
 * packets. */
void tfrc_queue_push_event (TfrcQueue *self, TfrcSendInput *input,
    GstEvent *event);

/* Takes ownership of packet->object.  The caller has set object, stream, timestamp, size,
 * payload_size, payload_type, extension_offset, extension_room, seq, repaired_ssrc, key, ends_frame,
 * droppable and transport_numbered.  FALSE: the packet was dropped. */
gboolean tfrc_queue_push_packet (TfrcQueue *self, const TfrcQueueItem *packet,
    TfrcTime now);

/* Drops packets that came in before `now` - max_age, but frames that others need before
 * `now` - max_frame_age, which is no less.  `has_receiver`: a receiver reports;
 * then frames of which only a key frame could mend the loss are kept until one may be
 * requested.  `awaits_end`: none reports, and one may only do so at the end of a frame;
 * then of a frame that takes a second nothing but the last packet is kept. */
void tfrc_queue_trim (TfrcQueue *self, TfrcDuration max_age,
    TfrcDuration max_frame_age, gboolean has_receiver, gboolean awaits_end,
    TfrcTime now);

/* Drops all packets, also of started frames and key frames. */
void tfrc_queue_drop_packets (TfrcQueue *self);

/* The input's streams may continue with any sequence number.  `flush`: also drops its
 * queued packets, and forgets its segment. */
void tfrc_queue_restart_input (TfrcQueue *self, TfrcSendInput *input,
    gboolean flush);

/* The input is removed; its queued packets are kept. */
void tfrc_queue_forget_input (TfrcQueue *self, TfrcSendInput *input);

/* What is sent next; an event is only distinguishable as such (stream NULL).
 * NULL = empty. */
const TfrcQueueItem *tfrc_queue_peek (const TfrcQueue *self);

/* Removes what is sent next and gives it to the caller; FALSE = empty. */
gboolean tfrc_queue_pop (TfrcQueue *self, TfrcQueueItem *item);

/* Whether a repair packet of `stream` (NULL = a stream no longer known) may be sent
 * before the head of the queue: it precedes the packets of its own level, and is part of
 * that level's share, so call tfrc_queue_charge_repair when it is sent. */
gboolean tfrc_queue_allows_repair (const TfrcQueue *self,
    const TfrcSendStream *stream);
void tfrc_queue_charge_repair (TfrcQueue *self, const TfrcSendStream *stream,
    guint size);

/* Requests a key frame of this stream, or (NULL) of all video streams. */
void tfrc_queue_ask_key_frame (TfrcQueue *self, TfrcSendStream *stream,
    TfrcTime now);

/* Gives the next stream for which a key frame request is due at `now`; FALSE = none. */
gboolean tfrc_queue_poll_key_request (TfrcQueue *self, guint32 *ssrc,
    TfrcTime now);
TfrcTime tfrc_queue_next_deadline (const TfrcQueue *self);

void tfrc_queue_set_stats (const TfrcQueue *self, GstStructure *stats,
    TfrcTime now);
