/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the header extension (RFC 8285) of TFRC or of TFMCC into RTP packets.
 *
 * It does so in two steps, so that the size of a queued packet is known, and little work
 * is left when it is sent: tfrc_extension_writer_prepare makes room for the longest
 * extension, tfrc_extension_writer_write fills it in.  TFMCC's extension is shorter if no
 * report is echoed, and is padded then; that is rare, as a group with a CLR echoes it in
 * each packet. */
#pragma once

#include <gst/rtp/rtp.h>

#include "common/properties.h"
#include "tfmcc-wire.h"
#include "tfrc-wire.h"

typedef struct _TfrcExtensionFormat TfrcExtensionFormat;

/* The header extension's data of either protocol, for one packet. */
typedef struct
{
  guint8 data[MAX (TFRC_WIRE_EXTENSION_SIZE, TFMCC_WIRE_EXTENSION_MAX)];
  guint size; /* of `data`; zero after that */
} TfrcExtensionBytes;

#define TFRC_EXTENSION_IDS 256

typedef struct
{
  const TfrcExtensionFormat *format; /* of the protocol; NULL = no extensions */
  /* that tfrc_extension_writer_prepare makes for the extension [bytes] */
  guint room;
  guint id;         /* 1 to 255; 0 = not chosen yet */
  guint configured; /* property; 0 = automatic */
  guint named;      /* of our extension in caps; 0 = none */
  /* of transport-wide sequence numbers; 0 = none */
  guint transport_id;
  /* a bit for each id of another extension */
  guint32 taken[TFRC_EXTENSION_IDS / 32];
  gboolean in_use; /* a packet was sent with `id` */
} TfrcExtensionWriter;

/* `mode`: GST_TFRC_MODE_TFMCC, else TFRC.  `extensions` FALSE: packets and caps are not
 * changed. */
void tfrc_extension_writer_init (TfrcExtensionWriter *self, GstTfrcMode mode,
    gboolean extensions);

/* The most bytes that the extension adds to a packet: extension header, two-byte element
 * header, data, and padding to 32 bits. */
guint tfrc_extension_writer_get_max_overhead (const TfrcExtensionWriter *self);

/* Whether caps name the extension of TFMCC. */
gboolean tfrc_extension_writer_caps_name_tfmcc (const GstCaps *caps);

/* Reads which ids the caps of a stream assign to extensions, ours and others. */
void tfrc_extension_writer_read_caps (TfrcExtensionWriter *self,
    const GstCaps *caps);

/* Chooses the id: that in caps, else `configured`, else the present one, unless other
 * caps or packets have it for another extension.  Else the highest free id of the
 * one-byte form, as payloaders assign theirs from 1 on, and a receiver may have been told
 * ours; else one of the two-byte form.  Takes ownership of the caps, and returns them
 * with the extension and TFRC's feedback (a=rtcp-fb) added. */
GstCaps *tfrc_extension_writer_set_caps (TfrcExtensionWriter *self,
    GstCaps *caps, guint configured);

/* Removes the extensions of both protocols from caps, which upstream then sees.  Takes
 * ownership of the caps. */
GstCaps *tfrc_extension_writer_strip_caps (GstCaps *caps);

/* Makes room in an RTP packet, a writable buffer.  Returns the offset of our extension's
 * data in the packet; 0: the packet's own header extension has no room for it, and is
 * unchanged.  Chooses another id if the packet, or caps given to
 * tfrc_extension_writer_read_caps, has it for another extension; then the caps have to be
 * set again. */
guint tfrc_extension_writer_prepare (TfrcExtensionWriter *self,
    GstBuffer *buffer);

/* Whether an RTP packet has the extension into which an rtpsession writes a
 * transport-wide sequence number; as there, in the one-byte form only. */
gboolean
tfrc_extension_writer_is_transport_numbered (const TfrcExtensionWriter *self,
    GstRTPBuffer *rtp);

/* Writes the extension.  `offset`: returned by tfrc_extension_writer_prepare for the same
 * buffer, now writable; `room`: as it was then.  From any thread. */
void tfrc_extension_writer_write (GstBuffer *buffer, guint offset, guint room,
    const TfrcExtensionBytes *extension);
