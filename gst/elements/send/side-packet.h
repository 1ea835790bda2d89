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
