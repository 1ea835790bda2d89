/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of nothing but padding (RFC 3550 section 5.1), for probes.
 *
 * In the numbers of a stream they would be lost with it and asked for again, and
 * depayloaders of MPEG-TS and Theora, and players, complain of each.  So they have an
 * SSRC of their own, and go to no receiver but one that says that it keeps them from
 * who knows nothing of them (docs/wire-format.md). */
#pragma once

#include "send/queue.h"

#define TFRC_PADDING_HEAD_SIZE 128

typedef struct
{
  guint32 ssrc;
  guint16 seq;                         /* of the next */
  guint8 head[TFRC_PADDING_HEAD_SIZE]; /* of the newest packet with a stamp */
  gsize head_size;                     /* 0 = none */
  TfrcQueueItem item;                  /* of that, without its object */
} TfrcPadding;

void tfrc_padding_start (TfrcPadding *self);

/* The packet of `item` is about to leave as it is. */
void tfrc_padding_on_sent (TfrcPadding *self, const TfrcQueueItem *item);

/* object, size, stamp_offset, stamp_room and seq of `item`, which is the caller's. 
 * FALSE: none can be made. */
gboolean tfrc_padding_pop (TfrcPadding *self, TfrcQueueItem *item);
