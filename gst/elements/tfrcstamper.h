/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts the rtt-sendts header extension (RFC 8285) into RTP packets.
 *
 * In two steps, so that the size of a packet is known while it waits and
 * little is left to do when it leaves: tfrc_stamper_prepare makes room for the
 * stamp, tfrc_stamper_write fills it in. */
#pragma once

#include <gst/rtp/rtp.h>

#include "tfrc-packet.h"

G_BEGIN_DECLS

/* The most that a stamp adds to a packet: the header of the extension, a
 * two-byte element header, the stamp, padding to 32 bits [bytes]. */
#define TFRC_STAMPER_MAX_OVERHEAD 16

typedef struct
{
  guint id;                     /* 1 to 255; 0 = not chosen yet */
} TfrcStamper;

void tfrc_stamper_init (TfrcStamper * self);

/* Chooses the id: what the caps name, else `configured` unless `caps` give it
 * to another extension, else the one in use already, else the first that `caps`
 * leave free; none where all are taken.  Takes the caps and returns
 * them with the extension and the feedback (a=rtcp-fb) added. */
GstCaps *tfrc_stamper_set_caps (TfrcStamper * self, GstCaps * caps,
    guint configured);

/* Takes our extension out of caps, for those upstream. */
GstCaps *tfrc_stamper_strip_caps (GstCaps * caps);

/* Makes room in an RTP packet, a writable buffer.  Returns where in the packet
 * the stamp goes; 0: its header extension has no place for it. */
guint tfrc_stamper_prepare (const TfrcStamper * self, GstBuffer * buffer);

/* `offset` from tfrc_stamper_prepare, of the same buffer, now writable. */
void tfrc_stamper_write (GstBuffer * buffer, guint offset,
    const TfrcStamp * stamp);

G_END_DECLS
