/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read of RTP packets and of their caps. */
#pragma once

#include <gst/gst.h>

/* The fixed part of an RTP header (RFC 3550 section 5.1): whoever has read it
 * hands it on, since to look into a buffer costs more than most of what is done
 * with what is there. */

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

/* Ids of RTP header extensions in caps: "extmap-N", as GStreamer maps
 * a=extmap of SDP (RFC 8285 section 5). */

/* Of the two-byte form; that of one byte has 1 to 14. */
#define TFRC_EXTMAP_MAX_ID 255

/* N of a field "extmap-N"; 0 = it is none. */
guint tfrc_extmap_parse_id (const gchar *field);

/* Whether it is a field "extmap-..." whose value names the URI: it is that, or an
 * array of direction, URI and attributes. */
gboolean tfrc_extmap_names (const gchar *field, const GValue *value,
    const gchar *uri);

/* The id that the caps give the URI; 0 = none. */
guint tfrc_extmap_find_id (const GstStructure *caps, const gchar *uri);

/* Does a key frame start in this RTP packet?  Told from the first bytes of the
 * payload: GST_BUFFER_FLAG_DELTA_UNIT is not reliable behind payloaders, and a
 * receiver does not have it.
 *
 * Encoding names are those of RTP caps, "H264" for one.  Payloads may come
 * from anywhere: nothing past `size` is read, and what is too short to tell
 * starts no key frame. */

/* TRUE also for a packet that carries what goes in front of a key frame:
 * parameter sets of H.264 and H.265, headers of Theora. */
gboolean tfrc_key_frame_starts (const gchar *encoding_name,
    const guint8 *payload, gsize size);

/* Whether tfrc_key_frame_starts can tell at all. NULL: no. */
gboolean tfrc_key_frame_is_known (const gchar *encoding_name);
