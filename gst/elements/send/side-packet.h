/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A packet beside a stream: parity of it, or padding.  Its header, with its extension,
 * is that of a packet of the stream, but for an SSRC and numbers of its own; the stream
 * is its only CSRC. */
#pragma once

#include <gst/rtp/rtp.h>

#include "send/queue.h"

typedef struct
{
  guint8 *data; /* to be freed */
  gsize size;
  guint8 *payload; /* in it */
} TfrcSidePacket;

/* `like`: the packet that `item` was of as it left.  Its `size`, `stamp_offset` and
 * `seq` become those of the one that is made. */
TfrcSidePacket tfrc_side_packet_new (GstRTPBuffer *like, TfrcQueueItem *item,
    guint32 ssrc, guint16 seq, gsize payload_size);

/* Bytes of header that there would be. */
guint tfrc_side_packet_get_header_size (GstRTPBuffer *like);

#define TFRC_PADDING_HEAD_SIZE 128

/* Packets of nothing but padding (RFC 3550 section 5.1), for probes.
 *
 * In the numbers of a stream they would be lost with it and asked for again, and
 * depayloaders of MPEG-TS and Theora, and players, complain of each.  So they have an
 * SSRC of their own, and go to no receiver but one that says that it keeps them from
 * who knows nothing of them (docs/wire-format.md). */
typedef struct
{
  guint32 ssrc;
  guint16 seq;                         /* of the next */
  guint8 head[TFRC_PADDING_HEAD_SIZE]; /* of the newest packet with a stamp */
  gsize head_size;                     /* 0 = none */
  TfrcQueueItem item;                  /* of that, without its object */
} TfrcPadding;

/* The packet of `item` is about to leave as it is. */
void tfrc_padding_on_sent (TfrcPadding *self, const TfrcQueueItem *item);

/* object, size, stamp_offset, stamp_room and seq of `item`, which is the caller's. 
 * FALSE: none can be made. */
gboolean tfrc_padding_pop (TfrcPadding *self, TfrcQueueItem *item);
