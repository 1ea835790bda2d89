/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parity of sent packets: how much to send, and of which packets.
 *
 * No lock, no clock, no pads: the caller has those. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "send/queue.h"
#include "send/repair.h"

/* Decides how much parity to send if the user has not set it: none while nothing is lost,
 * nor where a receiver requests what it misses, as retransmission costs less. */

/* Value of the property `fec`: decided here. */
#define TFRC_FEC_AUTO -1

typedef struct
{
  gint setting;      /* [%], or TFRC_FEC_AUTO */
  guint64 asked;     /* packets requested so far; last rose ... */
  TfrcTime asked_at; /* ... at this time; TFRC_TIME_NONE = never */
  /* since when there is loss; TFRC_TIME_NONE = there is none */
  TfrcTime lost_at;
} TfrcFecShare;

/* `setting`: parity in % of the protected bytes, or TFRC_FEC_AUTO. */
void tfrc_fec_share_init (TfrcFecShare *self, gint setting);

/* The share of parity [%] at a loss event rate.  `asked`: how many packets receivers have
 * requested so far; `instead`: they request all that they miss, and not only what parity
 * does not repair. */
guint tfrc_fec_share_get (TfrcFecShare *self, gdouble loss_event_rate,
    guint64 asked, gboolean instead, TfrcTime now);

/* Makes parity of sent packets (SMPTE 2022-1, RFC 6015), from which a receiver computes a
 * lost one.
 *
 * It works on final sequence numbers, as the retransmitter does, and gives parity packets
 * to the pacer.  How many packets one of them protects follows from the share of bytes
 * that parity may take: it is made as soon as the packets' bytes have earned it,
 * alternately for a row and, if columns fill soon enough, for a column. */

/* Other files may only read its fields. */
typedef struct
{
  guint percentage;
  GPtrArray *streams;     /* of Protected */
  GstQueueArray *waiting; /* of TfrcQueueItem, made at `arrived_at` */
  guint64 taken;          /* payload types of parity from upstream, as bits */
  guint max_size;         /* of a parity packet [bytes] */

  guint64 bytes; /* of parity packets given to the pacer */
  guint64 sent;
} TfrcFecEncoder;

TfrcFecEncoder *tfrc_fec_encoder_new (void);
void tfrc_fec_encoder_free (TfrcFecEncoder *self);

/* Resets it.  Parity packets larger than `max_size` [bytes] are not made. */
void tfrc_fec_encoder_start (TfrcFecEncoder *self, guint max_size);

/* Bytes of parity per 100 bytes of protected packets; 0 = no parity, which is the
 * default. */
void tfrc_fec_encoder_set_percentage (TfrcFecEncoder *self, guint percentage);

/* The packet of `item`, final, is about to be sent. */
void tfrc_fec_encoder_on_sent (TfrcFecEncoder *self, const TfrcQueueItem *item,
    TfrcTime now);

/* The stream of the next parity packet.  FALSE: none waits. */
gboolean tfrc_fec_encoder_peek (const TfrcFecEncoder *self, guint32 *ssrc);

/* Gives the next parity packet to be sent now; drops those that waited longer than
 * `max_age`.  Sets `item` as tfrc_retransmitter_pop does.  FALSE: none. */
gboolean tfrc_fec_encoder_pop (TfrcFecEncoder *self, TfrcQueueItem *item,
    TfrcDuration max_age, TfrcTime now);

/* Drops waiting parity packets, and parity that is not complete. */
void tfrc_fec_encoder_flush (TfrcFecEncoder *self);

void tfrc_fec_encoder_set_stats (const TfrcFecEncoder *self,
    GstStructure *stats);
