/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the sender is: the address of the newest packet that proved itself.
 *
 * Anybody can send a packet.  A new address is followed for an SSRC that came
 * from the former one too (the core has found its sequence number plausible),
 * or once the former one has been silent for a second: a sender that restarted
 * has another SSRC and port.
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

#include "base/time.h"
#include "tfrc-wire-compound.h"

#define TFRC_SOURCE_ADDRESS_SSRCS 8

typedef struct
{
  GSocketAddress *address;                  /* owned; NULL = not known */
  TfrcTime newest_at;                       /* its newest packet */
  guint32 ssrcs[TFRC_SOURCE_ADDRESS_SSRCS]; /* of it; oldest replaced */
  guint n_ssrcs;                            /* ever added */
  GSocketAddress *first;                    /* owned; that was known */
  gint credit;                              /* bytes that may go there */
  TfrcTime reported_at;                     /* when the last ones did */
} TfrcSourceAddress;

/* Of zeros it is a new one. */
void tfrc_source_address_clear (TfrcSourceAddress *self);

/* Whether packets from there may be taken as the sender's: from where it is, or
 * from anywhere while that is not known or has been silent for `timeout`. */
gboolean tfrc_source_address_accepts (const TfrcSourceAddress *self,
    GSocketAddress *address, TfrcDuration timeout, TfrcTime now);

/* Whether it is one of the last SSRCs of the sender. */
gboolean tfrc_source_address_has_ssrc (const TfrcSourceAddress *self,
    guint32 ssrc);

/* Whether RTCP that came over the network, and names whom `compound` says, is the
 * sender's. */
gboolean tfrc_source_address_accepts_rtcp (const TfrcSourceAddress *self,
    GstBuffer *buffer, const TfrcWireCompound *compound);

/* The stream has left.  After the last one anybody may come. */
void tfrc_source_address_remove (TfrcSourceAddress *self, guint32 ssrc);

/* An accepted packet; `address` may be NULL.  TRUE: the sender's address is
 * another one now. */
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
 * it comes from where that is, or has an SSRC that is none of the last of the
 * sender.
 *
 * An rtpsession drops what comes under a known SSRC from another address: it
 * might be a loop or a collision.  The sender has proved itself, and when it is
 * somewhere else, behind another mapping of its NAT for instance, the stream is to
 * go on; and one that restarts proves itself with its third packet in a group, the
 * first two of which pass.  Packets under its SSRCs from any other address keep
 * theirs, and are dropped. */
GstBuffer *tfrc_source_address_hide_move (const TfrcSourceAddress *self,
    GstBuffer *buffer);
