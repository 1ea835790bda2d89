/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Retransmission (RFC 4588) as both ends see it: whether, and with which payload
 * types. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_TFRC_RETRANSMISSION (gst_tfrc_retransmission_get_type ())

/**
 * GstTfrcRetransmission:
 * @GST_TFRC_RETRANSMISSION_OFF: none
 * @GST_TFRC_RETRANSMISSION_AUTO: where the other end has been heard of it
 * @GST_TFRC_RETRANSMISSION_ON: wherever there is one receiver
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

/* To whom has asked for it with a group. */
#define TFRC_RETRANSMISSION_NOT_IN_A_GROUP \
  "retransmission=on has no effect in a group, where each loss would bring " \
  "requests from many."

/* The payload type under which packets of `payload_type` are sent again: 96 to
 * 111 have 127 to 112, so that who was told nothing knows it too.  0: others
 * have none. */
guint tfrc_rtx_get_payload_type (guint payload_type);

/* The payload type whose RTX type this is; 0: none's. */
guint tfrc_rtx_get_original_type (guint payload_type);

/* Whether caps are those of RTX packets; `original` (NULL = not wanted) is set
 * to the payload type that they stand for ("apt"). */
gboolean tfrc_rtx_is_caps (const GstStructure *caps, guint *original);

/* Of the RTX packets of a stream with these caps. */
GstCaps *tfrc_rtx_make_caps (const GstCaps *original, guint payload_type);
