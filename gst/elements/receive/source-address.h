/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's address, which SSRCs belong to it, and how much may be sent to it.
 *
 * Anybody can send a packet.  An SSRC is proven by three packets with consecutive numbers
 * from one address.  That is then the sender's address, and all SSRCs from there belong
 * to the sender: up to 64, of which the one silent for longest is replaced.  Other
 * addresses are refused while the sender is heard.  But one of its SSRCs may come from
 * another address once it has been silent for 200 ms or four packet intervals, as after a
 * change of its NAT mapping.
 *
 * While no sender is known or heard, packets of SSRCs are passed on before these are
 * proven, so that an honest sender's first picture is not lost: of eight SSRCs at a time,
 * and of four new ones per second.
 *
 * Without SRTP the source address of packets is not verified.  Against amplification,
 * reports are limited to the bytes that came from there, with UDP and IP headers, and
 * beyond that to one packet per second.  A flow with one report per RTT, or per packet if
 * that is less, does not reach this limit.
 *
 * No clock, no lock: the owner has both. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "base/units.h"
#include "tfrc-wire.h"

typedef struct
{
  guint32 ssrc;
  GSocketAddress *address; /* owned; source of its packets; NULL = free */
  TfrcTime newest_at;      /* its newest packet */
  guint16 newest_seq;
  guint packets;   /* consecutive, until it is proven */
  gboolean proven; /* belongs to the sender */
  gboolean passed; /* its packets are passed on */
} TfrcSourceStream;

typedef struct
{
  GSocketAddress *address; /* owned; of the newest packet; NULL = not known */
  GSocketAddress *sender;  /* owned; of the proven sender */
  TfrcTime newest_at;      /* its newest packet */
  TfrcDuration interval;   /* mean, between its packets */
  GSocketAddress *first;   /* owned; the first one known */
  TfrcSourceStream streams[TFRC_MAX_STREAMS];
  TfrcTime trials_until; /* each new trial adds TRIAL_INTERVAL */
  guint32 gone[TFRC_MAX_STREAMS];
  guint n_gone;
  guint64 evicted;      /* streams that were replaced */
  gint credit;          /* bytes that may go to `address` */
  TfrcTime reported_at; /* when the last ones were sent */
} TfrcSourceAddress;

typedef enum
{
  TFRC_ADMISSION_SENDER, /* the packet is the sender's */
  TFRC_ADMISSION_TRIAL,  /* it may be; pass it on */
  /* the same, and call tfrc_source_address_prove () */
  TFRC_ADMISSION_PROVES,
  TFRC_ADMISSION_UNPROVEN, /* it may be; do not pass it on */
  TFRC_ADMISSION_FOREIGN,  /* it is of another sender */
} TfrcAdmission;

/* Frees what the object owns.  Zeroed memory is a new object. */
void tfrc_source_address_clear (TfrcSourceAddress *self);

/* Whether packets from `address` may be the sender's: it is the sender's address, or that
 * is not known, or has been silent for `timeout`. */
gboolean tfrc_source_address_accepts (const TfrcSourceAddress *self,
    GSocketAddress *address, TfrcDuration timeout, TfrcTime now);

/* Decides on a packet that arrived. */
TfrcAdmission tfrc_source_address_admit (TfrcSourceAddress *self, guint32 ssrc,
    guint16 seq, GSocketAddress *address, TfrcDuration timeout, TfrcTime now);

/* The protocol accepted a packet.  If it came from the sender's address, its SSRC is kept
 * as one of the sender from now on; SSRCs in forged packets are not. */
void tfrc_source_address_keep (TfrcSourceAddress *self, guint32 ssrc,
    GSocketAddress *address, TfrcTime now);

/* The sender has this address from now on.  Returns how many unproven SSRCs from other
 * addresses were passed on before, and are evicted now. */
guint tfrc_source_address_prove (TfrcSourceAddress *self,
    GSocketAddress *address);

/* Gives the next SSRC that was passed on and is evicted; call it until FALSE after each
 * of the functions above. */
gboolean tfrc_source_address_poll_gone (TfrcSourceAddress *self, guint32 *ssrc);

/* Whether packets of the SSRC are passed on. */
gboolean tfrc_source_address_has_ssrc (const TfrcSourceAddress *self,
    guint32 ssrc);

/* Whether RTCP in which all SSRCs are those in `compound` is the sender's; always TRUE if
 * the buffer has no source address. */
gboolean tfrc_source_address_accepts_rtcp (const TfrcSourceAddress *self,
    GstBuffer *buffer, const TfrcWireCompound *compound);

/* The stream has left.  After the last one another sender may come. */
void tfrc_source_address_remove (TfrcSourceAddress *self, guint32 ssrc);

/* The protocol accepted an admitted packet.  TRUE: reports are sent to another address
 * from now on. */
gboolean tfrc_source_address_on_packet (TfrcSourceAddress *self, guint32 ssrc,
    GSocketAddress *address, TfrcTime now);

/* `size` bytes of RTP came from `address`, or `size` bytes of RTCP were sent back. */
void tfrc_source_address_on_bytes (TfrcSourceAddress *self,
    GSocketAddress *address, gsize size);
void tfrc_source_address_on_report (TfrcSourceAddress *self, gsize size,
    TfrcTime now);

/* When the next report may be sent; 0 = now. */
TfrcTime tfrc_source_address_next_report_at (const TfrcSourceAddress *self);

/* Gives a buffer the sender's first address as source, if it came from the present one,
 * or has an SSRC that is not the sender's.  Takes ownership of the buffer, and returns it
 * or a copy.
 *
 * An rtpsession drops packets of a known SSRC from another address, as they might be a
 * loop or a collision.  But if a proven sender's address changes, for instance by another
 * NAT mapping, its stream must continue.  In a group, a sender that restarts is proven by
 * its third packet only, and the first two are passed on, too.  Packets of the sender's
 * SSRCs from any other address keep that, and are dropped. */
GstBuffer *tfrc_source_address_hide_move (const TfrcSourceAddress *self,
    GstBuffer *buffer);
