/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sender does about packets that are lost: sends them again (RTX), where an
 * rtprtxsend upstream does not; what that has in common with parity (send/parity.h); and
 * padding, for probes.  All stand behind the numbering, and hand packets back to the
 * pacer.
 *
 * No lock, no clock, no pads: the caller has those. */
#pragma once

#include <gst/rtp/rtp.h>
#include <gst/gst.h>

#include "send/queue.h"
#include "tfrc-wire.h"
#include "base/units.h"

/* The SSRC and the sequence numbers of what repairs a stream (RTX, parity), also of
 * streams that made room for others: one that comes back goes on with its own, so
 * that receivers know it, and each number of an SSRC is for one packet (RFC 3711
 * section 9.1). */

/* Remembered at a time; as many as the queue knows. */
#define TFRC_REPAIR_NUMBERS 1024

typedef struct
{
  guint32 ssrc; /* of the stream */
  guint32 repair_ssrc;
  guint16 seq; /* of the next packet of repair */
} TfrcRepairNumbers;

/* All zero: none. */
typedef struct
{
  TfrcRepairNumbers ring[TFRC_REPAIR_NUMBERS];
  guint n; /* that were kept in all */
} TfrcRepairMemory;

/* The stream makes room. */
void tfrc_repair_keep_numbers (TfrcRepairMemory *self,
    const TfrcRepairNumbers *numbers);

/* A stream comes, or comes back; what is taken stays there until it is kept anew. */
TfrcRepairNumbers tfrc_repair_take_numbers (TfrcRepairMemory *self,
    guint32 ssrc);

/* A stream that is repaired: how those of either way of repair, `streams` in what
 * follows, begin. */
typedef struct
{
  TfrcRepairNumbers numbers;
  TfrcTime sent_at; /* its newest packet */
} TfrcRepaired;

/* NULL: it is not there. */
gpointer tfrc_repair_find (const GPtrArray *streams, guint32 ssrc);

/* That sent nothing for longest, where one more would be too many; NULL: there is
 * room. */
gpointer tfrc_repair_find_too_many (const GPtrArray *streams);

/* Whether what repairs any of these has this SSRC. */
gboolean tfrc_repair_has_ssrc (const GPtrArray *streams, guint32 ssrc);

/* A packet beside a stream: parity of it, or padding.  Its header, with its extension,
 * is that of a packet of the stream, but for an SSRC and numbers of its own; the stream
 * is its only CSRC. */
typedef struct
{
  guint8 *data; /* to be freed */
  gsize size;
  guint8 *payload; /* in it */
} TfrcSidePacket;

/* Bytes of header that there would be. */
guint tfrc_side_packet_get_header_size (GstRTPBuffer *like);

/* `like`: the packet that `item` was of as it left.  Its `size`, `extension_offset` and
 * `seq` become those of the one that is made. */
TfrcSidePacket tfrc_side_packet_make (GstRTPBuffer *like, TfrcQueueItem *item,
    guint32 ssrc, guint16 seq, gsize payload_size);

#define TFRC_PADDING_HEAD_SIZE 128

/* Packets of nothing but padding (RFC 3550 section 5.1), for probes.
 *
 * In the numbers of a stream they would be lost with it and asked for again, and
 * depayloaders of MPEG-TS and Theora, and players, complain of each.  So they have an
 * SSRC of their own, and go to no receiver but one that says that it keeps them from
 * who knows nothing of them (docs/protocol.md). */
typedef struct
{
  guint32 ssrc;
  guint16 seq; /* of the next */
  guint8
      head[TFRC_PADDING_HEAD_SIZE]; /* of the newest packet with an extension */
  gsize head_size;                  /* 0 = none */
  TfrcQueueItem item;               /* of that, without its object */
} TfrcPadding;

/* The packet of `item` is about to leave as it is. */
void tfrc_padding_on_sent (TfrcPadding *self, const TfrcQueueItem *item);

/* object, size, extension_offset, extension_room and seq of `item`, which is the caller's. 
 * FALSE: none can be made. */
gboolean tfrc_padding_pop (TfrcPadding *self, TfrcQueueItem *item);

/* Keeps packets that left, and sends them again when a receiver misses them
 * (RFC 4588, SSRC multiplexing: RTX packets have an SSRC, sequence numbers and a
 * payload type of their own).
 *
 * It stands behind the numbering, so that what a receiver asks for by number is
 * what it misses, and hands RTX packets back to the pacer, which lets them go
 * before new ones at the allowed rate.  What bounds it, whoever asks:
 * a packet is answered once per RTT; an answer that waited too long is dropped;
 * and all answers together take no more than a quarter of what new packets
 * take. */

/* RTP packets of this size fit any path (RFC 9000 section 14, RFC 8200 section 5). */
#define TFRC_FITTING_SIZE 1200

/* Of packets in front of one that a receiver asked for, since large ones are lost. */
typedef struct
{
  guint large_missed; /* less for each that was not */
  guint fitting_missed;
  guint fitting_arrived;
  gboolean arrived; /* the last that fits, behind the last large one */
  gboolean between; /* one that fits did, between large ones missed */
  gboolean found;
  gboolean told; /* of that */
} TfrcBlackHole;

/* For others to read alone. */
typedef struct
{
  gboolean enabled;
  const TfrcQueue *queue; /* knows what is of use; NULL = all is */
  GPtrArray *streams;     /* of Sent */
  TfrcRepairMemory memory;
  GstQueueArray *answers; /* of Answer */
  guint64 kept_bytes;
  guint64 credit; /* bytes that answers may take, in 1/SHARE */
  guint32 taken;  /* a bit for each RTX type that a stream has, from 96 */
  TfrcBlackHole black_hole;

  guint64 bytes_repeated; /* of RTX packets */
  guint64 asked;          /* sequence numbers */
  guint64 large_missed;   /* packets that were, of more than fits any path */
  guint64 sent;           /* RTX packets */
  guint64 gone;           /* not kept, never sent, or replaced by a key frame */
  guint64 repeated;       /* asked for again within an RTT */
  guint64 refused;        /* beyond the share */
  guint64 late;           /* waited for too long */
} TfrcRetransmitter;

TfrcRetransmitter *tfrc_retransmitter_new (void);
void tfrc_retransmitter_free (TfrcRetransmitter *self);

/* As new, and from now on does what it is for, or nothing.  `queue`: what comes through
 * it is of use as tfrc_send_stream_is_of_use has it; NULL: all is, as in a group, where
 * one member's key frame is not what the others wait for. */
void tfrc_retransmitter_start (TfrcRetransmitter *self, gboolean enabled,
    const TfrcQueue *queue);

/* Keeps a reference to the packet of `item`, which is about to leave as it is:
 * nobody may write to it any more. */
void tfrc_retransmitter_on_sent (TfrcRetransmitter *self,
    const TfrcQueueItem *item, TfrcTime now);

/* A receiver misses packets of the stream `ssrc`.  `rtt`: 0 = not known. */
void tfrc_retransmitter_on_nack (TfrcRetransmitter *self, guint32 ssrc,
    TfrcNackEntry entry, TfrcDuration rtt, TfrcTime now);

/* Whether the path has turned out to carry no packet of more than TFRC_FITTING_SIZE;
 * TRUE once.  `is_congested`: there is a queue, which a full one drops large packets of
 * before small ones.  `nothing_arrives`: no report tells of any, and other RTCP comes. */
gboolean tfrc_retransmitter_poll_black_hole (TfrcRetransmitter *self,
    gboolean is_congested, gboolean nothing_arrives);

/* Of which stream the next one is.  FALSE: none waits. */
gboolean tfrc_retransmitter_peek (const TfrcRetransmitter *self, guint32 *ssrc);

/* The next RTX packet to leave now of those that waited no longer than
 * `max_age`: object, size, extension_offset, extension_room,
 * transport_numbered and seq of `item`, which is the caller's; its SSRC and that
 * of the stream that it repairs.  FALSE: none. */
gboolean tfrc_retransmitter_pop (TfrcRetransmitter *self, TfrcQueueItem *item,
    guint32 *rtx_ssrc, guint32 *ssrc, TfrcDuration max_age, TfrcTime now);

/* Packets that nobody asked for, for a probe: the newest of a stream of which the
 * receiver had one again before.  FALSE: there are none. */
gboolean tfrc_retransmitter_can_probe (const TfrcRetransmitter *self,
    TfrcTime now);

/* As tfrc_retransmitter_pop (). */
gboolean tfrc_retransmitter_pop_probe (TfrcRetransmitter *self,
    TfrcQueueItem *item, guint32 *rtx_ssrc, TfrcTime now);

/* Drops what is kept, and the answers that wait. */
void tfrc_retransmitter_flush (TfrcRetransmitter *self);

/* Sets the fields of the repair. */
void tfrc_retransmitter_set_stats (const TfrcRetransmitter *self,
    GstStructure *stats);

/* Packets that the receiver asks for again, by the numbers under which they left,
 * where an rtprtxsend in front of us repeats them, which knows them by the numbers
 * that they had before something was dropped (RFC 4588 section 4: the original
 * sequence number, OSN). */

/* More are not asked for within a round trip. */
#define TFRC_UPSTREAM_REQUESTS_MAX 256

typedef struct
{
  guint32 ssrc;     /* of the packet, not of its repetition */
  guint16 left;     /* its number as the receiver knows it */
  guint16 original; /* as upstream does */
  TfrcTime asked_at;
} TfrcUpstreamRequest;

typedef struct
{
  TfrcUpstreamRequest items[TFRC_UPSTREAM_REQUESTS_MAX]; /* a ring */
  guint64 asked;                                         /* of those in all */
  guint64 early; /* requests that were not noted */
} TfrcUpstreamRequests;

/* Notes a request.  FALSE: the packet was asked for less than `interval` before,
 * and what answers that is on its way. */
gboolean tfrc_upstream_requests_on_request (TfrcUpstreamRequests *self,
    const TfrcUpstreamRequest *request, TfrcDuration interval);

/* The request that a repetition of this original number answers, the newest; NULL:
 * none. */
const TfrcUpstreamRequest *
tfrc_upstream_requests_find (const TfrcUpstreamRequests *self,
    guint16 original);
