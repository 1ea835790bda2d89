/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repair of lost packets at the sender: retransmission (RTX), unless an rtprtxsend
 * upstream does it; what that has in common with parity (send/parity.h); and padding
 * packets for probes.  All work on packets with final sequence numbers, and give packets
 * to the pacer.
 *
 * No lock, no clock, no pads: the caller has those. */
#pragma once

#include <gst/rtp/rtp.h>
#include <gst/gst.h>

#include "send/queue.h"
#include "tfrc-wire.h"
#include "base/units.h"

/* What RTX and parity have in common: base of their per-stream structs; arrays of those
 * are `streams` below.
 *
 * A stream stays known after its newest packet, so that its repair continues with the same
 * SSRC and numbers if it comes back: receivers know the SSRC, and no number of it is used
 * for two packets (RFC 3711 section 9.1). */
typedef struct
{
  guint32 ssrc; /* of the stream */
  guint32 repair_ssrc;
  guint16 seq;      /* of the next repair packet */
  TfrcTime sent_at; /* when its newest packet was sent */
} TfrcRepaired;

/* Of a new stream: random numbers. */
TfrcRepaired tfrc_repair_begin (const GPtrArray *streams, guint32 ssrc);

/* The stream that sent nothing for longest, if there are as many as the queue knows; else
 * NULL. */
gpointer tfrc_repair_find_too_many (const GPtrArray *streams);

/* Whether this is the SSRC of the repair packets of one of the streams. */
gboolean tfrc_repair_has_ssrc (const GPtrArray *streams, guint32 ssrc);

/* A parity or padding packet that belongs to a stream.  Its header and extension are
 * those of a packet of the stream, but it has an SSRC and sequence numbers of its own,
 * and the stream as its only CSRC. */
typedef struct
{
  guint8 *data; /* to be freed by g_free () */
  gsize size;
  guint8 *payload; /* points into `data` */
} TfrcExtraPacket;

/* Size of its header [bytes]. */
guint tfrc_extra_packet_get_header_size (GstRTPBuffer *like);

/* Makes a packet with the header of `like`, the sent packet of `item`.  `size`,
 * `extension_offset`, `ssrc` and `seq` of `item` become those of the new packet. */
TfrcExtraPacket tfrc_extra_packet_make (GstRTPBuffer *like, TfrcQueueItem *item,
    guint32 ssrc, guint16 seq, gsize payload_size);

#define TFRC_PADDING_HEAD_SIZE 128

/* Packets that contain only padding (RFC 3550 section 5.1), for probes.
 *
 * Within a stream's own sequence numbers, lost padding would be requested again, and
 * depayloaders of MPEG-TS and Theora, and players, complain of each such packet.  So
 * padding has an SSRC of its own, and is only sent to a receiver that announces that it
 * removes it (docs/protocol.md). */
typedef struct
{
  guint32 ssrc;
  guint16 seq; /* of the next packet */
  /* start of the newest packet with a header extension */
  guint8 head[TFRC_PADDING_HEAD_SIZE];
  gsize head_size;    /* 0 = none */
  TfrcQueueItem item; /* of that packet, without `object` */
} TfrcPadding;

/* The packet of `item`, final, is about to be sent. */
void tfrc_padding_on_sent (TfrcPadding *self, const TfrcQueueItem *item);

/* Makes a packet: sets `item` as tfrc_retransmitter_pop does, but not repaired_ssrc.
 * FALSE: none can be made. */
gboolean tfrc_padding_pop (TfrcPadding *self, TfrcQueueItem *item);

/* The retransmitter keeps sent packets, and retransmits those that receivers request
 * (RFC 4588 with SSRC multiplexing: RTX packets have their own SSRC, sequence numbers and
 * payload type).
 *
 * It works on final sequence numbers, as receivers request packets by these, and gives
 * RTX packets to the pacer, which sends them before new packets at the allowed rate.
 * Whoever requests, retransmission is bounded: a packet is retransmitted once per RTT; an
 * answer that waited too long is dropped; and all answers together take at most a quarter
 * of the bytes of new packets. */

/* RTP packets of this size fit any path (RFC 9000 section 14, RFC 8200 section 5). */
#define TFRC_FITTING_SIZE 1200

/* Evidence of a path that silently drops large packets (a PMTU black hole, RFC 8899
 * section 1), from the packets up to those that receivers request; all zero at the start,
 * and on another path. */
typedef struct
{
  guint large_missed; /* in a row */
  TfrcTime since;     /* the first of these was sent */
  guint fitting_missed;
  guint fitting_arrived;
  /* the last fitting packet after the last large one that was missed */
  gboolean arrived;
  /* a fitting packet arrived between two large ones, as it does not in a burst of losses */
  gboolean between;
  /* tfrc_retransmitter_poll_black_hole has returned TRUE */
  gboolean reported;
} TfrcBlackHole;

/* Other files may only read its fields, and clear `black_hole`. */
typedef struct
{
  gboolean enabled;
  const TfrcQueue *queue; /* says which packets are useful; NULL = all */
  GPtrArray *streams;     /* of Sent */
  GstQueueArray *answers; /* of Answer */
  guint64 kept_bytes;
  guint64 credit; /* bytes that answers may take, times SHARE */
  /* payload types of RTX that upstream uses itself; bit n is for type 96 + n */
  guint32 taken;
  TfrcBlackHole black_hole;

  guint64 rtx_bytes; /* of RTX packets */
  guint64 asked;     /* sequence numbers requested */
  guint64 sent;      /* RTX packets */
} TfrcRetransmitter;

TfrcRetransmitter *tfrc_retransmitter_new (void);
void tfrc_retransmitter_free (TfrcRetransmitter *self);

/* Resets it.  `enabled` FALSE: it does nothing.  `queue`: its streams say which packets
 * are still useful (tfrc_send_stream_is_of_use).  NULL: all are, as in a group, where a
 * key frame for one member does not replace what others miss. */
void tfrc_retransmitter_start (TfrcRetransmitter *self, gboolean enabled,
    const TfrcQueue *queue);

/* Keeps a reference to the packet of `item`, final and about to be sent: nobody may write
 * to it any more. */
void tfrc_retransmitter_on_sent (TfrcRetransmitter *self,
    const TfrcQueueItem *item, TfrcTime now);

/* The receiver `asker` requests packets of the stream `ssrc`.  `rtt`: its RTT; 0 = not
 * known. */
void tfrc_retransmitter_on_nack (TfrcRetransmitter *self, guint32 ssrc,
    TfrcNackEntry entry, guint32 asker, TfrcDuration rtt, TfrcTime now);

/* TRUE, once for a path: it has turned out to carry no packet larger than TFRC_FITTING_SIZE.
 * `is_congested`: there is a queue, and a full queue may drop large packets rather than
 * small ones, so the evidence is discarded.  `nothing_arrives`: RTCP comes, but no report
 * of any arrival. */
gboolean tfrc_retransmitter_poll_black_hole (TfrcRetransmitter *self,
    gboolean is_congested, gboolean nothing_arrives, TfrcTime now);

/* The stream of the next RTX packet.  FALSE: none waits. */
gboolean tfrc_retransmitter_peek (const TfrcRetransmitter *self, guint32 *ssrc);

/* Gives the next RTX packet to be sent now; drops those that waited longer than
 * `max_age`.  Sets object (owned by the caller), size, extension_offset, extension_room,
 * transport_numbered, seq, ssrc and repaired_ssrc of `item`.  FALSE: none. */
gboolean tfrc_retransmitter_pop (TfrcRetransmitter *self, TfrcQueueItem *item,
    TfrcDuration max_age, TfrcTime now);

/* Whether there are packets to retransmit unrequested, for a probe: the newest of a
 * stream of which the receiver has requested some before. */
gboolean tfrc_retransmitter_can_probe (const TfrcRetransmitter *self,
    TfrcTime now);

/* Gives such a packet, as tfrc_retransmitter_pop () does. */
gboolean tfrc_retransmitter_pop_probe (TfrcRetransmitter *self,
    TfrcQueueItem *item, TfrcTime now);

/* Drops all kept packets and waiting answers. */
void tfrc_retransmitter_flush (TfrcRetransmitter *self);

void tfrc_retransmitter_set_stats (const TfrcRetransmitter *self,
    GstStructure *stats);

/* Retransmission by an rtprtxsend upstream.  It knows packets by the numbers that they
 * had before packets were dropped here, the receiver by those with which they were sent.
 * Requests are remembered so that the original sequence number in RTX packets (OSN,
 * RFC 4588 section 4) can be replaced. */

/* More than are requested within a round trip. */
#define TFRC_UPSTREAM_REQUESTS_MAX 256

typedef struct
{
  guint32 ssrc;         /* of the packet, not of the RTX packet */
  guint16 seq;          /* its number as sent */
  guint16 original_seq; /* its number as it came in */
  TfrcTime asked_at;
} TfrcUpstreamRequest;

typedef struct
{
  TfrcUpstreamRequest items[TFRC_UPSTREAM_REQUESTS_MAX]; /* a ring */
  /* total number noted */
  guint64 asked;
} TfrcUpstreamRequests;

/* Notes a request.  FALSE: the same packet was requested less than `interval` before, so
 * the answer is on its way. */
gboolean tfrc_upstream_requests_on_request (TfrcUpstreamRequests *self,
    const TfrcUpstreamRequest *request, TfrcDuration interval);

/* The newest request for the packet with this original number; NULL: none. */
const TfrcUpstreamRequest *
tfrc_upstream_requests_find (const TfrcUpstreamRequests *self,
    guint16 original);
