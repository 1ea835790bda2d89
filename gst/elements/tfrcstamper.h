/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts the header extension (RFC 8285) of TFRC or of TFMCC into RTP packets.
 *
 * In two steps, so that the size of a packet is known while it waits and
 * little is left to do when it leaves: tfrc_stamper_prepare makes room for the
 * longest stamp, tfrc_stamper_write fills it in.  TFMCC's stamp is shorter
 * when no report is echoed; what is left then is padding.  That is seldom: a
 * group with a limiting receiver hears of it in each packet. */
#pragma once

#include <gst/rtp/rtp.h>

#include "tfrcmode.h"
#include "tfrcstampbytes.h"

G_BEGIN_DECLS

typedef struct _TfrcStampFormat TfrcStampFormat;

typedef struct
{
  const TfrcStampFormat *format;        /* of the protocol */
  guint id;                     /* 1 to 255; 0 = not chosen yet */
} TfrcStamper;

/* GST_TFRC_MODE_TFMCC, else TFRC. */
void tfrc_stamper_init (TfrcStamper * self, GstTfrcMode mode);

/* The most that a stamp adds to a packet: the header of the extension, a
 * two-byte element header, the stamp, padding to 32 bits [bytes]. */
guint tfrc_stamper_get_max_overhead (const TfrcStamper * self);

/* Whether caps name the extension of TFMCC. */
gboolean tfrc_stamper_caps_name_tfmcc (const GstCaps * caps);

/* Chooses the id: what the caps name, else `configured` unless `caps` give it
 * to another extension, else the one in use already, else the first that `caps`
 * leave free; none where all are taken.  Takes the caps and returns
 * them with the extension and TFRC's feedback (a=rtcp-fb) added. */
GstCaps *tfrc_stamper_set_caps (TfrcStamper * self, GstCaps * caps,
    guint configured);

/* Takes the extensions of both protocols out of caps, for those upstream. */
GstCaps *tfrc_stamper_strip_caps (GstCaps * caps);

/* Makes room in an RTP packet, a writable buffer.  Returns where in the packet
 * the stamp goes; 0: its header extension has no place for it. */
guint tfrc_stamper_prepare (const TfrcStamper * self, GstBuffer * buffer);

/* What tfrc_stamper_prepare makes room for [bytes]. */
guint tfrc_stamper_get_room (const TfrcStamper * self);

/* `offset` from tfrc_stamper_prepare, `room` as it was then, of the same
 * buffer, now writable.  From any thread. */
void tfrc_stamper_write (GstBuffer * buffer, guint offset, guint room,
    const TfrcStampBytes * stamp);

G_END_DECLS
