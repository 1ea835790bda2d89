/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parity of packets that left: how much, and which.
 *
 * No lock, no clock, no pads: the caller has those. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "send/queue.h"
#include "send/repair.h"

/* How much parity is worth its bytes, where that is not set: none while nothing
 * is lost, nor where a receiver asks for what it misses, which costs less.  No
 * clock: `now` is the owner's. */

/* The value of the property `fec`: as follows. */
#define TFRC_FEC_AUTO -1

typedef struct
{
  gint setting;      /* [%], or TFRC_FEC_AUTO */
  guint64 asked;     /* packets, when that last rose, at: ... */
  TfrcTime asked_at; /* TFRC_TIME_NONE = never */
  TfrcTime
      lost_at; /* since when there is loss; TFRC_TIME_NONE = there is none */
} TfrcFecShare;

/* As the property fec: bytes of parity for each 100 bytes, or TFRC_FEC_AUTO. */
void tfrc_fec_share_init (TfrcFecShare *self, gint setting);

/* The share of parity [%] at a loss event rate; `asked`: how many packets
 * receivers have asked for so far, `instead`: of all that they miss, and not of what
 * parity leaves. */
guint tfrc_fec_share_get (TfrcFecShare *self, gdouble loss_event_rate,
    guint64 asked, gboolean instead, TfrcTime now);

/* Makes parity of packets that left (SMPTE 2022-1, RFC 6015), from which a
 * receiver computes one of them that was lost.
 *
 * It stands behind the numbering, as the retransmitter does, and hands packets of
 * parity back to the pacer.  How many packets one stands for follows from the
 * share of the bytes that parity may take: it is made as soon as packets have paid for
 * it, by turns of a row and, where that comes round in time, of a column. */

/* For others to read alone. */
typedef struct
{
  guint percentage;
  GPtrArray *streams; /* of Protected */
  TfrcRepairMemory memory;
  GstQueueArray *waiting; /* of Waiting */
  guint64 taken;          /* a bit for each type of parity that a stream has */
  guint max_size;         /* of a packet of parity [bytes] */

  guint64 bytes; /* that left, as the next two */
  guint64 sent;
} TfrcFecEncoder;

TfrcFecEncoder *tfrc_fec_encoder_new (void);
void tfrc_fec_encoder_free (TfrcFecEncoder *self);

/* As new; parity that would be longer than `max_size` [bytes] is not made. */
void tfrc_fec_encoder_start (TfrcFecEncoder *self, guint max_size);

/* Bytes of parity per 100 bytes of the packets that it protects; 0 = none is
 * made, as to begin with. */
void tfrc_fec_encoder_set_percentage (TfrcFecEncoder *self, guint percentage);

/* The packet of `item` is about to leave as it is. */
void tfrc_fec_encoder_on_sent (TfrcFecEncoder *self, const TfrcQueueItem *item,
    TfrcTime now);

/* Of which stream the next one is.  FALSE: none waits. */
gboolean tfrc_fec_encoder_peek (const TfrcFecEncoder *self, guint32 *ssrc);

/* The next one to leave now of those that waited no longer than `max_age`:
 * object, size, extension_offset, extension_room, transport_numbered and seq of `item`,
 * which is the caller's; its SSRC and that of the stream that it protects.
 * FALSE: none. */
gboolean tfrc_fec_encoder_pop (TfrcFecEncoder *self, TfrcQueueItem *item,
    guint32 *fec_ssrc, guint32 *ssrc, TfrcDuration max_age, TfrcTime now);

/* Drops what waits and what was begun. */
void tfrc_fec_encoder_flush (TfrcFecEncoder *self);

/* Sets the fields of the correction. */
void tfrc_fec_encoder_set_stats (const TfrcFecEncoder *self,
    GstStructure *stats);
