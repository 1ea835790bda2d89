/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What repairs losses, as both ends see it: retransmission (RTX, RFC 4588) and
 * parity (RFC 6015), whether there is any, and with which payload types. */
#pragma once

#include <gst/gst.h>
#include <gst/rtp/rtp.h>

#include "tfrc-wire-parity.h"

/* The parity of packets (SMPTE 2022-1, RFC 6015), which both ends compute.
 *
 * A packet of parity names the stream that it protects in its list of CSRCs, as
 * RFC 8627 has it; a header extension that it has is its own.  Protected are
 * timestamps, markers, payload types and payloads, but no CSRCs, header
 * extensions and padding. */

/* CSRC and header of parity: what such a packet is longer by than the longest
 * that it protects. */
#define TFRC_FEC_HEADER_SIZE (4 + TFRC_WIRE_PARITY_SIZE)

/* The parity of some packets, or (count 0) of none.  Zero to begin with. */
typedef struct
{
  TfrcWireParity header; /* without `stride` */
  gboolean marker;
  guint8 *payload;
  guint size; /* of that [bytes]: the longest of the packets has it */
} TfrcParity;

/* One more packet.  Adding one a second time takes it out again, but for its
 * number. */
void tfrc_parity_add (TfrcParity *self, GstRTPBuffer *rtp);

/* Of none again. */
void tfrc_parity_clear (TfrcParity *self);

#define GST_TYPE_TFRC_RETRANSMISSION (gst_tfrc_retransmission_get_type ())

typedef enum
{
  GST_TFRC_RETRANSMISSION_OFF,
  GST_TFRC_RETRANSMISSION_AUTO,
  GST_TFRC_RETRANSMISSION_ON,
} GstTfrcRetransmission;

GType gst_tfrc_retransmission_get_type (void);

/* In an RTX packet the original sequence number is in front of the payload
 * (RFC 4588 section 4) [bytes]. */
#define TFRC_RTX_HEADER_SIZE 2

/* How long a sender keeps what it sent: "rtx-time" of RFC 4588 section 8.1. */
#define TFRC_RTX_TIME (1 * GST_SECOND)

/* In a group each asks for what it lost itself, and all get it: beyond so many receivers
 * that is more than parity.  Both ends count those that are echoed. */
#define TFRC_REPAIRED_RECEIVERS 8

/* The payload types under which packets of `payload_type` are sent again, and
 * that of their parity: 96 to 111 have 127 to 112 and 63 to 48, so that who was
 * told nothing knows them too.  0: others have none. */
guint tfrc_rtx_get_payload_type (guint payload_type);
guint tfrc_fec_get_payload_type (guint payload_type);

/* The payload type whose RTX, or parity, has this type; 0: none's. */
guint tfrc_rtx_get_original_type (guint payload_type);
guint tfrc_fec_get_original_type (guint payload_type);

/* Whether caps are those of RTX packets; `original` (NULL = not wanted) is set
 * to the payload type that they stand for ("apt"). */
gboolean tfrc_rtx_is_caps (const GstStructure *caps, guint *original);

/* Of parity. */
gboolean tfrc_fec_is_caps (const GstStructure *caps);

/* Of either. */
gboolean tfrc_repair_is_caps (const GstStructure *caps);

/* Of the RTX packets (`rtx`), or the parity, of a stream with these caps. */
GstCaps *tfrc_repair_make_caps (const GstCaps *original, guint payload_type,
    gboolean rtx);
