/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads RTP packets and their caps. */
#pragma once

#include <gst/gst.h>

/* The fixed part of an RTP header (RFC 3550 section 5.1).  It is read once and passed on,
 * since mapping a buffer costs more than most of what is done with the header. */

#define TFRC_RTP_HEADER_SIZE 12 /* bytes */
#define TFRC_CSRC_COUNT_MASK 0x0F
#define TFRC_CSRC_SIZE 4 /* bytes */
#define TFRC_EXTENSION_BIT 0x10
#define TFRC_PADDING_BIT 0x20
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

/* FALSE: it is too short.  As for a GstRTPBuffer, it is in the first memory. */
gboolean tfrc_rtp_header_read (TfrcRtpHeader *self, GstBuffer *packet);

/* Header extensions: profile and length, and the unit of that (RFC 3550 section 5.3.1)
 * [bytes]; and their one-byte form (RFC 8285 section 4.2). */
#define TFRC_EXTENSION_HEADER_SIZE 4
#define TFRC_EXTENSION_WORD 4
#define TFRC_ONE_BYTE_PROFILE 0xBEDE
#define TFRC_ONE_BYTE_MAX_ID 14

typedef struct
{
  guint16 profile;
  guint8 *data; /* behind profile and length; NULL = the packet has none */
  gsize size;   /* [bytes] */
} TfrcHeaderExtension;

/* The highest id that an element may have (RFC 8285 sections 4.2 and 4.3); 0 = there is no
 * header extension, or it is too long to look for all. */
guint tfrc_header_extension_get_max_id (const TfrcHeaderExtension *self);

/* The data of the element with this id, of `size` bytes; NULL: there is none. */
guint8 *tfrc_header_extension_find (const TfrcHeaderExtension *self, guint id,
    guint *size);

/* A packet that is mapped once, as a whole: a GstRTPBuffer maps header and header
 * extension each by itself. */
typedef struct
{
  TfrcRtpHeader header;
  TfrcHeaderExtension extension;
  gboolean padded;
  const guint8 *payload; /* with its padding */
  guint payload_size;
} TfrcRtpPacket;

/* FALSE: this is no RTP. */
gboolean tfrc_rtp_packet_read (TfrcRtpPacket *self, guint8 *data, gsize size);

/* Makes padding of the element with this id (RFC 8285 section 4.1.2), or removes the header
 * extension if it has no other: the packet then begins at the returned offset in `data`,
 * and *self is outdated. */
gsize tfrc_rtp_packet_remove_element (const TfrcRtpPacket *self, guint8 *data,
    guint id);

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
