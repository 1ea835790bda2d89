/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts the header extension (RFC 8285) of TFRC or of TFMCC into RTP packets.
 *
 * In two steps, so that the size of a packet is known while it waits and
 * little is left to do when it leaves: tfrc_extension_writer_prepare makes room for the
 * longest extension, tfrc_extension_writer_write fills it in.  TFMCC's extension is shorter
 * when no report is echoed; what is left then is padding.  That is seldom: a
 * group with a limiting receiver hears of it in each packet. */
#pragma once

#include <gst/rtp/rtp.h>

#include "common/properties.h"
#include "tfmcc-wire.h"
#include "tfrc-wire.h"

typedef struct _TfrcExtensionFormat TfrcExtensionFormat;

/* What the flow writes into a packet that leaves: the bytes of either
 * protocol's header extension. */
typedef struct
{
  guint8 data[MAX (TFRC_WIRE_EXTENSION_SIZE, TFMCC_WIRE_EXTENSION_MAX)];
  guint size; /* of `data`; zeroes behind */
} TfrcExtensionBytes;

#define TFRC_EXTENSION_IDS 256

typedef struct
{
  const TfrcExtensionFormat *format; /* of the protocol; NULL: no extensions */
  guint id;                          /* 1 to 255; 0 = not chosen yet */
  guint configured;                  /* property; 0 = automatic */
  guint named;        /* what caps give our extension; 0 = nothing */
  guint transport_id; /* of transport-wide numbers; 0 = none */
  guint32 taken[TFRC_EXTENSION_IDS / 32]; /* a bit for each id of others */
  gboolean in_use;                        /* a packet has the id */
} TfrcExtensionWriter;

/* GST_TFRC_MODE_TFMCC, else TFRC.  FALSE `extensions`: packets and caps stay as they
 * are. */
void tfrc_extension_writer_init (TfrcExtensionWriter *self, GstTfrcMode mode,
    gboolean extensions);

/* The most that an extension adds to a packet: the header of the extension, a
 * two-byte element header, its data, padding to 32 bits [bytes]. */
guint tfrc_extension_writer_get_max_overhead (const TfrcExtensionWriter *self);

/* Whether caps name the extension of TFMCC. */
gboolean tfrc_extension_writer_caps_name_tfmcc (const GstCaps *caps);

/* Notes which ids the caps of a stream give to extensions, ours and others. */
void tfrc_extension_writer_read_caps (TfrcExtensionWriter *self,
    const GstCaps *caps);

/* Chooses the id: what caps name, else `configured`, else the one in use
 * already, each unless other caps, or packets, have it for another extension;
 * else the highest of the one-byte form that is free: payloaders count theirs
 * from 1, and a receiver may have been told ours; else one of the two-byte
 * form.  Takes the caps and returns them with the extension and TFRC's feedback
 * (a=rtcp-fb) added. */
GstCaps *tfrc_extension_writer_set_caps (TfrcExtensionWriter *self,
    GstCaps *caps, guint configured);

/* Takes the extensions of both protocols out of caps, for those upstream. */
GstCaps *tfrc_extension_writer_strip_caps (GstCaps *caps);

/* Makes room in an RTP packet, a writable buffer.  Returns where in the packet
 * the data of ours goes; 0: what it brings along has no place for ours, and is as it
 * was.  Chooses another id where the packet has an extension under ours, or
 * tfrc_extension_writer_read_caps told of one: then the caps have to be set anew. */
guint tfrc_extension_writer_prepare (TfrcExtensionWriter *self,
    GstBuffer *buffer);

/* Whether an RTP packet has the extension into which an rtpsession writes a number
 * of the transport; as those do, in the one-byte form only. */
gboolean
tfrc_extension_writer_is_transport_numbered (const TfrcExtensionWriter *self,
    GstRTPBuffer *rtp);

/* What tfrc_extension_writer_prepare makes room for [bytes]. */
guint tfrc_extension_writer_get_room (const TfrcExtensionWriter *self);

/* `offset` from tfrc_extension_writer_prepare, `room` as it was then, of the same
 * buffer, now writable.  From any thread. */
void tfrc_extension_writer_write (GstBuffer *buffer, guint offset, guint room,
    const TfrcExtensionBytes *extension);
