/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads RTP packets and their caps. */
#pragma once

#include <gst/gst.h>
#include <gst/rtp/rtp.h>

/* The fixed part of an RTP header (RFC 3550 section 5.1).  It is read once and passed on,
 * since mapping a buffer costs more than most of what is done with the header. */

#define TFRC_RTP_HEADER_SIZE 12 /* bytes */
#define TFRC_CSRC_COUNT_MASK 0x0F
#define TFRC_MARKER_BIT 0x80

typedef struct
{
  guint8 n_csrcs;
  guint8 payload_type;
  gboolean marker;
  guint16 seq;
  guint32 timestamp;
  guint32 ssrc;
} TfrcRtpHeader;

/* FALSE: the packet is too short. */
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

/* The one-byte form of header extensions (RFC 8285 section 4.2). */
#define TFRC_ONE_BYTE_PROFILE 0xBEDE
#define TFRC_ONE_BYTE_MAX_ID 14

/* The highest id that an element of the packet's header extension may have (RFC 8285
 * sections 4.2 and 4.3); 0 = it has none, or is too long to look for all. */
guint tfrc_header_extension_get_max_id (GstRTPBuffer *rtp);

/* The data of the element with this id, of `size` bytes; NULL: there is none. */
guint8 *tfrc_header_extension_find (GstRTPBuffer *rtp, guint id, guint *size);

/* Makes padding of that element (RFC 8285 section 4.1.2); takes ownership of the buffer. */
GstBuffer *tfrc_header_extension_clear (GstBuffer *buffer, guint id);

/* Ids of RTP header extensions in caps: "extmap-N", as GStreamer maps
 * a=extmap of SDP (RFC 8285 section 5). */

/* Of the two-byte form. */
#define TFRC_EXTMAP_MAX_ID 255

/* N of a field "extmap-N"; 0 = it is another field. */
guint tfrc_extmap_parse_id (const gchar *field);

/* Whether `field` is "extmap-..." and `value` has the URI: as a string, or in an array of
 * direction, URI and attributes. */
gboolean tfrc_extmap_names (const gchar *field, const GValue *value,
    const gchar *uri);

/* The id of the URI in the caps; 0 = none. */
guint tfrc_extmap_find_id (const GstStructure *caps, const gchar *uri);

/* The item with this SSRC, a guint32 with which all items begin; NULL = none. */
gpointer tfrc_ssrc_find (const GPtrArray *items, guint32 ssrc);

/* Recognises key frames by the first bytes of an RTP payload: GST_BUFFER_FLAG_DELTA_UNIT
 * is not reliable after payloaders, and a receiver does not have it.
 *
 * Encoding names are those of RTP caps, for example "H264".  Payloads may be malicious:
 * nothing beyond `size` is read, and one that is too short starts no key frame. */

/* TRUE: a key frame starts in this packet; or it has what precedes a key frame: parameter
 * sets of H.264 and H.265, headers of Theora. */
gboolean tfrc_key_frame_starts (const gchar *encoding_name,
    const guint8 *payload, gsize size);

/* Whether tfrc_key_frame_starts knows this encoding; NULL: FALSE. */
gboolean tfrc_key_frame_is_known (const gchar *encoding_name);
