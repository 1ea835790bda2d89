/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What waits to leave: packets that repeat others, then packets and the
 * serialized events between them.
 *
 * Packets of one priority leave in the order in which they came.  Of several
 * priorities each gets twice the rate of the one below while both have packets
 * (RFC 8835 section 4.1), so that none has to wait for a burst of another and none
 * starves.  Nothing overtakes an event but a GstForceKeyUnit; a segment leaves
 * in front of the packets that came in it, and caps that have been said do not come
 * again.  Repair does not wait here, but is part of what its stream may take.
 *
 * Bounded in time: tfrc_queue_trim drops what is too old, but of a source
 * that waits instead: whole frames of video and then everything up to a key frame, single
 * packets of anything else.  A frame of which a packet has left and the newest key frame of a
 * stream stay.  Packets leave with their final sequence numbers.
 *
 * No lock, no clock, no pads: the caller has those.  Times are of any clock
 * that stands still while nothing may leave. */
#pragma once

#include <gst/base/base.h>
#include <gst/gst.h>

#include "send/stream.h"

/* However young it is: 5 s at 100 Mbit/s. */
#define TFRC_QUEUE_MAX_BYTES (64 * 1024 * 1024)

/* Serialized events at a time: packets are bounded by their age, but events
 * have none and, while nothing leaves, come without packets.  Beyond it the
 * oldest goes that is not sticky or is superseded. */
#define TFRC_QUEUE_MAX_EVENTS 1024

/* SSRCs known at a time; the one that is silent for longest makes room, with
 * what it has in the queue: more than any application sends, since its numbers are
 * gone with it, and what was dropped then looks lost. */
#define TFRC_QUEUE_MAX_STREAMS 1024

typedef struct
{
  GstMiniObject *object;  /* GstBuffer or GstEvent, owned */
  TfrcSendStream *stream; /* NULL: an event */
  GstEvent *segment;      /* that it came in, owned; NULL = none */
  TfrcTime arrived_at;
  guint32 timestamp;           /* RTP */
  guint32 frame;               /* of the stream */
  guint size;                  /* as it leaves [bytes] */
  guint payload_size;          /* of that [bytes] */
  guint extension_offset;      /* of the extension in the packet; 0 = none */
  guint extension_room;        /* there [bytes] */
  guint16 seq;                 /* RTP; final once it left the queue */
  guint16 skipped;             /* numbers dropped right in front of it */
  guint32 repeated_ssrc;       /* of what it repeats; 0 = not known, or none */
  guint8 level;                /* of GstTfrcPriority; 0 = repeats another */
  gboolean key;                /* of a key frame */
  gboolean ends_frame;         /* by its marker bit (RFC 3551 section 5) */
  gboolean droppable;          /* no other frame needs it */
  gboolean renumbered;         /* `seq` is not what the packet has */
  gboolean transport_numbered; /* will get a number of the transport, too */
  gboolean probe;              /* of TfrcProbing: nobody needs it */
  gboolean patient;            /* came in by a pad that can wait */
} TfrcQueueItem;

typedef struct
{
  guint64 frames_dropped;
  guint64 packets_dropped;
  guint64 key_frame_requests; /* sent upstream */
} TfrcQueueCounters;

#define TFRC_QUEUE_LEVELS (GST_TFRC_PRIORITY_HIGH + 1)

/* For others to read alone. */
typedef struct
{
  GstQueueArray *items;   /* of TfrcQueueItem */
  GstQueueArray *repeats; /* the same; see tfrc_queue_lets_repair */
  GPtrArray *streams;     /* of TfrcSendStream, the newest last */
  TfrcSendStream *newest; /* that a packet came from */
  guint64 heard;          /* counts packets and streams that came in */
  guint packets;
  guint packets_of[TFRC_QUEUE_LEVELS];
  guint64 bytes;
  guint64 patient_bytes; /* of those */
  guint events;
  GstEvent *left_segment; /* newest that left; NULL = none */
  GstEvent *caps;         /* newest that came in; NULL = none of this stream */
  guint64 virtual_time;   /* at which the packet that left last began */
  guint64
      ends[TFRC_QUEUE_LEVELS]; /* virtual time at which the last packet ended */
  TfrcQueueCounters counters;
} TfrcQueue;

TfrcQueue *tfrc_queue_new (void);
void tfrc_queue_free (TfrcQueue *self);

/* As new: forgets streams and counters too. */
void tfrc_queue_reset (TfrcQueue *self);

/* NULL: not seen. */
TfrcSendStream *tfrc_queue_find_stream (const TfrcQueue *self, guint32 ssrc);

/* May free the stream that makes room, so its packets are pushed before. */
TfrcSendStream *tfrc_queue_add_stream (TfrcQueue *self, guint32 ssrc);

/* 0 <= n < number of streams, else NULL. */
TfrcSendStream *tfrc_queue_get_stream (const TfrcQueue *self, guint n);

/* Its caps or its priority have changed: what waits moves with it. */
void tfrc_queue_update_level (TfrcQueue *self, TfrcSendStream *stream);

/* Takes the event, of `input` (NULL: of none); equal caps count once in a stream.  GstForceKeyUnit: its next frame of
 * video is a key frame, unless packets of that encoding tell so themselves. */
void tfrc_queue_push_event (TfrcQueue *self, TfrcSendInput *input,
    GstEvent *event);

/* Takes the buffer of `packet`, which has object, stream, timestamp, size,
 * payload_size, extension_offset, extension_room, seq, repeated_ssrc, key, droppable and
 * transport_numbered.  FALSE: dropped. */
gboolean tfrc_queue_push_packet (TfrcQueue *self, const TfrcQueueItem *packet,
    TfrcTime now);

/* Drops frames that came before `now` - max_age.  `heard`: the receiver's
 * reports come; then frames whose loss only a key frame could mend stay until
 * one may be asked for. */
void tfrc_queue_trim (TfrcQueue *self, TfrcDuration max_age, gboolean heard,
    TfrcTime now);

/* Drops all packets, started frames and key frames too. */
void tfrc_queue_drop_packets (TfrcQueue *self);

/* Its streams go on with any number.  `flush`: without what waits, in a new
 * segment. */
void tfrc_queue_restart_input (TfrcQueue *self, TfrcSendInput *input,
    gboolean flush);

/* It goes: what came in there stays. */
void tfrc_queue_forget_input (TfrcQueue *self, TfrcSendInput *input);

/* After a flush the next packets come in a new segment. */
void tfrc_queue_forget_segment (TfrcQueue *self);

/* What leaves next, of an event only that it is one; NULL = empty. */
const TfrcQueueItem *tfrc_queue_peek (const TfrcQueue *self);

/* The same, now the caller's; FALSE = empty. */
gboolean tfrc_queue_pop (TfrcQueue *self, TfrcQueueItem *item);

/* Whether repair of what left of `stream` goes before what leaves next: it goes
 * before the packets of its own level, in the share of that level, which
 * tfrc_queue_charge_repair is to be told of when it leaves.  NULL: of a stream that
 * is not known any more. */
gboolean tfrc_queue_lets_repair (const TfrcQueue *self,
    const TfrcSendStream *stream);
void tfrc_queue_charge_repair (TfrcQueue *self, const TfrcSendStream *stream,
    guint size);

/* Somebody wants a key frame of this stream, or (NULL) of all video. */
void tfrc_queue_ask_key_frame (TfrcQueue *self, TfrcSendStream *stream,
    TfrcTime now);

/* The next stream of which a key frame is to be asked for at `now`. */
gboolean tfrc_queue_poll_key_request (TfrcQueue *self, guint32 *ssrc,
    TfrcTime now);
TfrcTime tfrc_queue_next_deadline (const TfrcQueue *self);

/* Sets the fields of the queue. */
void tfrc_queue_set_stats (const TfrcQueue *self, GstStructure *stats,
    TfrcTime now);
