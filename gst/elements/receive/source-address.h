/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the sender is, and which SSRCs are its.
 *
 * Anybody can send a packet.  An SSRC proves itself by three packets whose numbers
 * follow each other, from one address, which then is the sender's: all SSRCs from
 * there are, up to 64, of which the one that was silent for longest makes room.
 * Other addresses are refused as long as it is heard; one of its SSRCs may come from
 * elsewhere once it has been silent for 200 ms or four intervals of its packets, as
 * behind another mapping of its NAT.
 *
 * Where there is no sender yet, or none is heard, SSRCs go on before they have proven
 * themselves, so that the first picture of an honest one is not lost: eight of them,
 * and four new ones a second.
 *
 * And how much goes there: that the sender is where its packets say, nobody has
 * proved without SRTP.  What is sent there is paid for by what came from there, UDP
 * and IP included, and otherwise there is one packet a second.  A flow with a report
 * per RTT, or per packet if that is less, does not meet that.
 *
 * No clock, no locks: the owner has both. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "base/units.h"
#include "tfrc-wire.h"

typedef struct
{
  guint32 ssrc;
  GSocketAddress *address; /* owned; of its packets; NULL = free */
  TfrcTime newest_at;      /* its newest packet */
  guint16 newest_seq;
  guint packets;   /* in a row, until it is proven */
  gboolean proven; /* it is the sender's */
  gboolean passed; /* its packets go on */
} TfrcSourceStream;

typedef struct
{
  GSocketAddress *address; /* owned; of the newest packet; NULL = not known */
  GSocketAddress *sender;  /* owned; that has proven itself */
  TfrcTime newest_at;      /* its newest packet */
  TfrcDuration interval;   /* of its packets, a mean */
  GSocketAddress *first;   /* owned; that was known */
  TfrcSourceStream streams[TFRC_MAX_STREAMS];
  TfrcTime trials_until; /* each takes its time */
  guint32 gone[TFRC_MAX_STREAMS];
  guint n_gone;
  guint64 evicted;      /* streams that made room */
  gint credit;          /* bytes that may go to `address` */
  TfrcTime reported_at; /* when the last ones did */
} TfrcSourceAddress;

typedef enum
{
  TFRC_ADMISSION_SENDER,   /* the packet is the sender's */
  TFRC_ADMISSION_TRIAL,    /* it may be, and goes on */
  TFRC_ADMISSION_PROVES,   /* as well, and see tfrc_source_address_prove () */
  TFRC_ADMISSION_UNPROVEN, /* it may be, and does not go on */
  TFRC_ADMISSION_FOREIGN,  /* it is somebody else's */
} TfrcAdmission;

/* Of zeros it is a new one. */
void tfrc_source_address_clear (TfrcSourceAddress *self);

/* Whether packets from there may be the sender's: from where it is, or from anywhere
 * while that is not known or has been silent for `timeout`. */
gboolean tfrc_source_address_accepts (const TfrcSourceAddress *self,
    GSocketAddress *address, TfrcDuration timeout, TfrcTime now);

/* Judges a packet that arrived. */
TfrcAdmission tfrc_source_address_admit (TfrcSourceAddress *self, guint32 ssrc,
    guint16 seq, GSocketAddress *address, TfrcDuration timeout, TfrcTime now);

/* The core took a packet for the sender's: of an SSRC from where that is it has a
 * place from now on.  What anybody makes up in the sender's name has none. */
void tfrc_source_address_keep (TfrcSourceAddress *self, guint32 ssrc,
    GSocketAddress *address, TfrcTime now);

/* The sender is there from now on.  Returns how many SSRCs from elsewhere have gone
 * on without a proof, and are gone now. */
guint tfrc_source_address_prove (TfrcSourceAddress *self,
    GSocketAddress *address);

/* The next SSRC that has gone on and makes room; to be asked for until FALSE after
 * each of the calls above. */
gboolean tfrc_source_address_poll_gone (TfrcSourceAddress *self, guint32 *ssrc);

/* Whether packets of the SSRC go on. */
gboolean tfrc_source_address_has_ssrc (const TfrcSourceAddress *self,
    guint32 ssrc);

/* Whether RTCP that came over the network, and names whom `compound` says, is the
 * sender's. */
gboolean tfrc_source_address_accepts_rtcp (const TfrcSourceAddress *self,
    GstBuffer *buffer, const TfrcWireCompound *compound);

/* The stream has left.  After the last one anybody may come. */
void tfrc_source_address_remove (TfrcSourceAddress *self, guint32 ssrc);

/* An admitted packet whose number the core found plausible.  TRUE: reports go to
 * another address now. */
gboolean tfrc_source_address_on_packet (TfrcSourceAddress *self, guint32 ssrc,
    GSocketAddress *address, TfrcTime now);

/* `size` bytes of RTP came from there, `size` bytes of RTCP were sent back. */
void tfrc_source_address_on_bytes (TfrcSourceAddress *self,
    GSocketAddress *address, gsize size);
void tfrc_source_address_on_report (TfrcSourceAddress *self, gsize size,
    TfrcTime now);

/* When something may be sent there; 0 = now. */
TfrcTime tfrc_source_address_next_report_at (const TfrcSourceAddress *self);

/* Takes the buffer and gives it back, or a copy: from where the sender was first, if
 * it comes from where that is, or has an SSRC that is none of the sender's.
 *
 * An rtpsession drops what comes under a known SSRC from another address: it
 * might be a loop or a collision.  The sender has proved itself, and when it is
 * somewhere else, behind another mapping of its NAT for instance, the stream is to
 * go on; and one that restarts proves itself with its third packet in a group, the
 * first two of which pass.  Packets under its SSRCs from any other address keep
 * theirs, and are dropped. */
GstBuffer *tfrc_source_address_hide_move (const TfrcSourceAddress *self,
    GstBuffer *buffer);
