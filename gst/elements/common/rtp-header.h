/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fixed part of an RTP header (RFC 3550 section 5.1): whoever has read it
 * hands it on, since to look into a buffer costs more than most of what is done
 * with what is there. */
#pragma once

#include <gst/gst.h>

#define TFRC_RTP_HEADER_SIZE 12 /* bytes */

typedef struct
{
  guint8 n_csrcs;
  guint8 payload_type;
  gboolean marker;
  guint16 seq;
  guint32 timestamp;
  guint32 ssrc;
} TfrcRtpHeader;

/* FALSE: the packet is shorter than that. */
static inline gboolean
tfrc_rtp_header_read (TfrcRtpHeader *self, GstBuffer *packet)
{
  guint8 bytes[TFRC_RTP_HEADER_SIZE];

  if (gst_buffer_extract (packet, 0, bytes, sizeof (bytes)) < sizeof (bytes))
    return FALSE;
  *self = (TfrcRtpHeader) {
    .n_csrcs = bytes[0] & 0x0f,
    .payload_type = bytes[1] & 0x7f,
    .marker = bytes[1] >> 7,
    .seq = GST_READ_UINT16_BE (bytes + 2),
    .timestamp = GST_READ_UINT32_BE (bytes + 4),
    .ssrc = GST_READ_UINT32_BE (bytes + 8),
  };
  return TRUE;
}
