/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What repairs losses, as both ends see it: retransmission (RTX, RFC 4588) and
 * parity (RFC 6015), whether there is any, and with which payload types. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_TFRC_RETRANSMISSION (gst_tfrc_retransmission_get_type ())

/**
 * GstTfrcRetransmission:
 * @GST_TFRC_RETRANSMISSION_OFF: none
 * @GST_TFRC_RETRANSMISSION_AUTO: where the other end has been heard of it
 * @GST_TFRC_RETRANSMISSION_ON: whatever they say
 */
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
