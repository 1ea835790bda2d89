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

#include "common/properties.h"
#include "tfmcc-wire.h"
#include "tfrc-wire.h"

typedef struct _TfrcStampFormat TfrcStampFormat;

/* What the flow writes into a packet that leaves: the bytes of either
 * protocol's header extension. */
typedef struct
{
  guint8 data[MAX (TFRC_WIRE_EXTENSION_SIZE, TFMCC_WIRE_EXTENSION_MAX)];
  guint size; /* of `data`; zeroes behind */
} TfrcStampBytes;

#define TFRC_STAMPER_IDS 256

typedef struct
{
  const TfrcStampFormat *format; /* of the protocol; NULL: no stamps */
  guint id;                      /* 1 to 255; 0 = not chosen yet */
  guint configured;              /* property; 0 = automatic */
  guint named;                   /* what caps give our extension; 0 = nothing */
  guint transport_id;            /* of transport-wide numbers; 0 = none */
  guint32 taken[TFRC_STAMPER_IDS / 32]; /* a bit for each id of others */
  gboolean in_use;                      /* a packet has the id */
} TfrcStamper;

/* GST_TFRC_MODE_TFMCC, else TFRC.  FALSE `stamps`: packets and caps stay as they
 * are. */
void tfrc_stamper_init (TfrcStamper *self, GstTfrcMode mode, gboolean stamps);

/* The most that a stamp adds to a packet: the header of the extension, a
 * two-byte element header, the stamp, padding to 32 bits [bytes]. */
guint tfrc_stamper_get_max_overhead (const TfrcStamper *self);

/* Whether caps name the extension of TFMCC. */
gboolean tfrc_stamper_caps_name_tfmcc (const GstCaps *caps);

/* Notes which ids the caps of a stream (TfrcStamper *, in `stamper`) give to
 * extensions, ours and others; for tfrc_upstream_visit_caps. */
void tfrc_stamper_read_caps (const GstCaps *caps, gpointer stamper);

/* Chooses the id: what caps name, else `configured`, else the one in use
 * already, each unless other caps, or packets, have it for another extension;
 * else the highest of the one-byte form that is free: payloaders count theirs
 * from 1, and a receiver may have been told ours; else one of the two-byte
 * form.  Takes the caps and returns them with the extension and TFRC's feedback
 * (a=rtcp-fb) added. */
GstCaps *tfrc_stamper_set_caps (TfrcStamper *self, GstCaps *caps,
    guint configured);

/* Takes the extensions of both protocols out of caps, for those upstream. */
GstCaps *tfrc_stamper_strip_caps (GstCaps *caps);

/* Makes room in an RTP packet, a writable buffer.  Returns where in the packet
 * the stamp goes; 0: its header extension has no place for it, and is as it
 * was.  Chooses another id where the packet has an extension under ours, or
 * tfrc_stamper_read_caps told of one: then the caps have to be set anew. */
guint tfrc_stamper_prepare (TfrcStamper *self, GstBuffer *buffer);

/* Whether an RTP packet has the extension into which an rtpsession writes a number
 * of the transport; as those do, in the one-byte form only. */
gboolean tfrc_stamper_is_transport_numbered (const TfrcStamper *self,
    GstRTPBuffer *rtp);

/* What tfrc_stamper_prepare makes room for [bytes]. */
guint tfrc_stamper_get_room (const TfrcStamper *self);

/* `offset` from tfrc_stamper_prepare, `room` as it was then, of the same
 * buffer, now writable.  From any thread. */
void tfrc_stamper_write (GstBuffer *buffer, guint offset, guint room,
    const TfrcStampBytes *stamp);
