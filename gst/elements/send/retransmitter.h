/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps packets that left, and sends them again when a receiver misses them
 * (RFC 4588, SSRC multiplexing: RTX packets have an SSRC, sequence numbers and a
 * payload type of their own).
 *
 * It stands behind the numbering, so that what a receiver asks for by number is
 * what it misses, and hands RTX packets back to the pacer, which lets them go
 * before new ones at the allowed rate.  What bounds it, whoever asks:
 * a packet is answered once per RTT; an answer that waited too long is dropped;
 * and all answers together take no more than a quarter of what new packets
 * take.
 *
 * No lock, no clock, no pads: the caller has those. */
#pragma once

#include "send/queue.h"
#include "send/repair-numbers.h"
#include "tfrc-wire-rtcp.h"

/* For others to read alone. */
typedef struct
{
  gboolean enabled;
  GPtrArray *streams; /* of Sent */
  TfrcRepairMemory memory;
  GstQueueArray *answers; /* of Answer */
  guint64 kept_bytes;
  guint64 credit; /* bytes that answers may take, in 1/SHARE */
  guint32 taken;  /* a bit for each RTX type that a stream has, from 96 */

  guint64 bytes_repeated; /* of RTX packets */
  guint64 asked;          /* sequence numbers */
  guint64 sent;           /* RTX packets */
  guint64 gone;           /* asked for and not kept, or never sent */
  guint64 repeated;       /* asked for again within an RTT */
  guint64 refused;        /* beyond the share */
  guint64 late;           /* waited for too long */
} TfrcRetransmitter;

TfrcRetransmitter *tfrc_retransmitter_new (void);
void tfrc_retransmitter_free (TfrcRetransmitter *self);

/* As new, and from now on does what it is for, or nothing. */
void tfrc_retransmitter_start (TfrcRetransmitter *self, gboolean enabled);

/* Keeps a reference to the packet of `item`, which is about to leave as it is:
 * nobody may write to it any more. */
void tfrc_retransmitter_on_sent (TfrcRetransmitter *self,
    const TfrcQueueItem *item, TfrcTime now);

/* Whether RTX packets have this SSRC. */
gboolean tfrc_retransmitter_has_ssrc (const TfrcRetransmitter *self,
    guint32 ssrc);

/* A receiver misses packets of the stream `ssrc`.  `rtt`: 0 = not known. */
void tfrc_retransmitter_on_nack (TfrcRetransmitter *self, guint32 ssrc,
    TfrcNackEntry entry, TfrcDuration rtt, TfrcTime now);

/* Of which stream the next one is.  FALSE: none waits. */
gboolean tfrc_retransmitter_peek (const TfrcRetransmitter *self, guint32 *ssrc);

/* The next RTX packet to leave now of those that waited no longer than
 * `max_age`: object, size, stamp_offset, stamp_room,
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
