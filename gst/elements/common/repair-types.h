/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both ends know of repair: retransmission (RTX, RFC 4588) and parity (RFC 6015),
 * and their payload types. */
#pragma once

#include <gst/gst.h>
#include <gst/rtp/rtp.h>

#include "tfrc-wire.h"

/* The parity of packets (SMPTE 2022-1, RFC 6015), which both ends compute.  The CSRC list
 * of a parity packet names the stream that it protects, as in RFC 8627; its header
 * extension is its own.  Protected are timestamps, markers, payload types and payloads,
 * but not CSRCs, header extensions and padding. */

/* CSRC and parity header: how much longer a parity packet is than the longest packet that
 * it protects [bytes]. */
#define TFRC_FEC_HEADER_SIZE (4 + TFRC_WIRE_PARITY_SIZE)

/* The parity of some packets (count 0: of none).  All zero is empty. */
typedef struct
{
  TfrcWireParity header; /* without `stride` */
  gboolean marker;
  guint8 *payload;
  guint size; /* of `payload` [bytes]: that of the longest packet */
} TfrcParity;

/* Adds a packet.  Adding it a second time removes it, except from `count`. */
void tfrc_parity_add (TfrcParity *self, GstRTPBuffer *rtp);

/* Empties the parity. */
void tfrc_parity_clear (TfrcParity *self);

#define GST_TYPE_TFRC_RETRANSMISSION (gst_tfrc_retransmission_get_type ())

typedef enum
{
  GST_TFRC_RETRANSMISSION_OFF,
  GST_TFRC_RETRANSMISSION_AUTO,
  GST_TFRC_RETRANSMISSION_ON,
} GstTfrcRetransmission;

GType gst_tfrc_retransmission_get_type (void);

/* Size of the original sequence number, at the start of an RTX packet's payload (RFC 4588
 * section 4) [bytes]. */
#define TFRC_RTX_HEADER_SIZE 2

/* How long a sender keeps sent packets: "rtx-time" of RFC 4588 section 8.1. */
#define TFRC_RTX_TIME (1 * GST_SECOND)

/* In a group, packets that one receiver requests are sent to all.  With more receivers
 * than this, that is more than parity would take.  Both ends count the receivers whose
 * reports are echoed. */
#define TFRC_REPAIRED_RECEIVERS 8

/* The payload types of RTX, and of parity, for packets of `payload_type`: 127 to 112, and
 * 63 to 48, for 96 to 111.  As they are fixed, a receiver without SDP knows them, too.
 * 0: there is none for other types. */
guint tfrc_rtx_get_payload_type (guint payload_type);
guint tfrc_fec_get_payload_type (guint payload_type);

/* The payload type whose RTX, or parity, has this type; 0 = none has. */
guint tfrc_rtx_get_original_type (guint payload_type);
guint tfrc_fec_get_original_type (guint payload_type);

/* Whether caps are of RTX packets; `original` (NULL = not wanted) is set to the payload
 * type that they retransmit ("apt"). */
gboolean tfrc_rtx_is_caps (const GstStructure *caps, guint *original);

/* Whether caps are of parity. */
gboolean tfrc_fec_is_caps (const GstStructure *caps);

/* Whether caps are of RTX or parity. */
gboolean tfrc_repair_is_caps (const GstStructure *caps);

/* Makes the caps of RTX packets (`rtx`), or of parity, for a stream with the caps
 * `original`.  The caller owns them. */
GstCaps *tfrc_repair_make_caps (const GstCaps *original, guint payload_type,
    gboolean rtx);
