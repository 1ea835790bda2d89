/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/rtp.h"

#include <string.h>

#define VERSION 2

/* Of the two-byte form, but for its application bits. */
#define TWO_BYTE_PROFILE 0x1000
#define TWO_BYTE_MASK 0xFFF0
/* The one-byte form ends at this id. */
#define LAST_ID 15

/* Beyond it the look for all ids would take too long [bytes]. */
#define MOST_BYTES 64

static TfrcRtpHeader
read_header (const guint8 *data)
{
  return (TfrcRtpHeader) {
    .n_csrcs = data[0] & TFRC_CSRC_COUNT_MASK,
    .payload_type = data[1] & 0x7f,
    .marker = data[1] >> 7,
    .seq = GST_READ_UINT16_BE (data + 2),
    .timestamp = GST_READ_UINT32_BE (data + 4),
    .ssrc = GST_READ_UINT32_BE (data + 8),
  };
}

gboolean
tfrc_rtp_header_read (TfrcRtpHeader *self, GstBuffer *packet)
{
  GstMemory *memory = gst_buffer_n_memory (packet) > 0
      ? gst_buffer_peek_memory (packet, 0)
      : NULL;
  GstMapInfo map;
  gboolean is_whole;

  if (memory == NULL || !gst_memory_map (memory, &map, GST_MAP_READ))
    return FALSE;
  is_whole = map.size >= TFRC_RTP_HEADER_SIZE;
  if (is_whole)
    *self = read_header (map.data);
  gst_memory_unmap (memory, &map);
  return is_whole;
}

gboolean
tfrc_rtp_packet_read (TfrcRtpPacket *self, guint8 *data, gsize size)
{
  TfrcHeaderExtension extension = { 0 };
  gsize offset;

  if (size < TFRC_RTP_HEADER_SIZE || data[0] >> 6 != VERSION)
    return FALSE;
  offset = TFRC_RTP_HEADER_SIZE
      + TFRC_CSRC_SIZE * (data[0] & TFRC_CSRC_COUNT_MASK);
  if (data[0] & TFRC_EXTENSION_BIT) {
    if (size < offset + TFRC_EXTENSION_HEADER_SIZE)
      return FALSE;
    extension.profile = GST_READ_UINT16_BE (data + offset);
    extension.size = TFRC_EXTENSION_WORD
        * GST_READ_UINT16_BE (data + offset + 2);
    extension.data = data + offset + TFRC_EXTENSION_HEADER_SIZE;
    offset += TFRC_EXTENSION_HEADER_SIZE + extension.size;
  }
  if (size < offset)
    return FALSE;
  *self = (TfrcRtpPacket) {
    .header = read_header (data),
    .extension = extension,
    .padded = (data[0] & TFRC_PADDING_BIT) != 0,
    .payload = data + offset,
    .payload_size = (guint) (size - offset),
  };
  return TRUE;
}

guint
tfrc_header_extension_get_max_id (const TfrcHeaderExtension *self)
{
  if (self->data == NULL || self->size > MOST_BYTES)
    return 0;
  return self->profile == TFRC_ONE_BYTE_PROFILE
      ? TFRC_ONE_BYTE_MAX_ID
      : TFRC_EXTMAP_MAX_ID;
}

guint8 *
tfrc_header_extension_find (const TfrcHeaderExtension *self, guint id,
    guint *size)
{
  const gboolean one_byte = self->profile == TFRC_ONE_BYTE_PROFILE;
  const guint header_size = one_byte ? 1 : 2;
  gsize offset = 0;

  if (self->data == NULL || id == 0
      || (!one_byte && (self->profile & TWO_BYTE_MASK) != TWO_BYTE_PROFILE))
    return NULL;
  while (offset + header_size < self->size) {
    const guint8 *element = self->data + offset;
    const guint element_id = one_byte ? element[0] >> 4 : element[0];
    const guint length = one_byte ? (element[0] & 0x0f) + 1u : element[1];

    if (element_id == 0) {
      offset++;
      continue;
    }
    offset += header_size;
    if ((one_byte && element_id == LAST_ID) || offset + length > self->size)
      return NULL;
    if (element_id == id) {
      *size = length;
      return self->data + offset;
    }
    offset += length;
  }
  return NULL;
}

gsize
tfrc_rtp_packet_remove_element (const TfrcRtpPacket *self, guint8 *data,
    guint id)
{
  const TfrcHeaderExtension *extension = &self->extension;
  const guint header_size = extension->profile == TFRC_ONE_BYTE_PROFILE ? 1 : 2;
  guint size;
  guint8 *element = tfrc_header_extension_find (extension, id, &size);
  gsize removed = TFRC_EXTENSION_HEADER_SIZE + extension->size;

  if (element == NULL)
    return 0;
  memset (element - header_size, 0, header_size + size);
  for (gsize i = 0; i < extension->size; i++)
    if (extension->data[i] != 0)
      return 0;
  data[0] &= (guint8) ~TFRC_EXTENSION_BIT;
  memmove (data + removed, data,
      TFRC_RTP_HEADER_SIZE + TFRC_CSRC_SIZE * self->header.n_csrcs);
  return removed;
}

#define PREFIX "extmap-"

guint
tfrc_extmap_parse_id (const gchar *field)
{
  guint64 id;

  if (!g_str_has_prefix (field, PREFIX)
      || !g_ascii_string_to_unsigned (field + strlen (PREFIX), 10, 1,
          TFRC_EXTMAP_MAX_ID, &id, NULL))
    return 0;
  return (guint) id;
}

gboolean
tfrc_extmap_names (const gchar *field, const GValue *value, const gchar *uri)
{
  if (!g_str_has_prefix (field, PREFIX))
    return FALSE;
  if (GST_VALUE_HOLDS_ARRAY (value)) {
    if (gst_value_array_get_size (value) < 2)
      return FALSE;
    value = gst_value_array_get_value (value, 1);
  }
  return G_VALUE_HOLDS_STRING (value)
      && g_strcmp0 (g_value_get_string (value), uri) == 0;
}

guint
tfrc_extmap_find_id (const GstStructure *caps, const gchar *uri)
{
  for (gint i = 0; i < gst_structure_n_fields (caps); i++) {
    const gchar *field = gst_structure_nth_field_name (caps, i);

    if (tfrc_extmap_names (field, gst_structure_get_value (caps, field), uri))
      return tfrc_extmap_parse_id (field);
  }
  return 0;
}

gpointer
tfrc_ssrc_find (const GPtrArray *items, guint32 ssrc)
{
  for (guint i = 0; i < items->len; i++) {
    guint32 *item = g_ptr_array_index (items, i);

    if (*item == ssrc)
      return item;
  }
  return NULL;
}

/* Finds the start of key frames in RTP payloads: RFC 6184 (H.264), RFC 7798
 * (H.265), RFC 7741 (VP8), RFC 9628 (VP9), the AV1 RTP specification 1.0,
 * draft-barbato-avt-rtp-theora-01 and RFC 2435 (JPEG). */

/* The NAL units of an aggregation packet, each after a 16-bit size. */
static gboolean
any_nal_is_key (const guint8 *data, gsize size,
    gboolean (*is_key) (guint8 header))
{
  gsize offset = 0;

  while (size - offset > 2) {
    gsize nal_size = (gsize) data[offset] << 8 | data[offset + 1];

    offset += 2;
    if (nal_size == 0 || nal_size > size - offset)
      return FALSE;
    if (is_key (data[offset]))
      return TRUE;
    offset += nal_size;
  }
  return FALSE;
}

/* RFC 6184 section 5.2, the type of a NAL unit: IDR slice or SPS. */
static gboolean
h264_nal_is_key (guint8 header)
{
  guint type = header & 0x1F;

  return type == 5 || type == 7;
}

static gboolean
h264_starts (const guint8 *payload, gsize size)
{
  switch (payload[0] & 0x1F) {
    case 24: /* STAP-A */
      return any_nal_is_key (payload + 1, size - 1, h264_nal_is_key);
    case 25: /* STAP-B: 16 bits of decoding order first */
      return size > 3
          && any_nal_is_key (payload + 3, size - 3, h264_nal_is_key);
    case 28: /* FU-A and FU-B: start bit, type */
    case 29:
      return size > 1 && payload[1] & 0x80 && h264_nal_is_key (payload[1]);
    default:
      return h264_nal_is_key (payload[0]);
  }
}

/* RFC 7798 section 1.1.4: intra random access points, VPS, SPS. */
static gboolean
h265_type_is_key (guint type)
{
  return (type >= 16 && type <= 23) || type == 32 || type == 33;
}

static gboolean
h265_nal_is_key (guint8 header)
{
  return h265_type_is_key (header >> 1 & 0x3F);
}

static gboolean
h265_starts (const guint8 *payload, gsize size)
{
  if (size < 3)
    return FALSE;
  switch (payload[0] >> 1 & 0x3F) {
    case 48: /* aggregation packet, without DONL */
      return any_nal_is_key (payload + 2, size - 2, h265_nal_is_key);
    case 49: /* fragmentation unit: start bit, type */
      return payload[2] & 0x80 && h265_type_is_key (payload[2] & 0x3F);
    default:
      return h265_nal_is_key (payload[0]);
  }
}

/* RFC 7741 section 4.2, the descriptor, and 4.3, P of the payload header. */
static gboolean
vp8_starts (const guint8 *payload, gsize size)
{
  gsize offset = 1;

  /* The first packet of a frame: S = 1, PID = 0. */
  if ((payload[0] & 0x17) != 0x10)
    return FALSE;
  if (payload[0] & 0x80) { /* X */
    guint8 extension;

    if (size <= offset)
      return FALSE;
    extension = payload[offset++];
    if (extension & 0x80) { /* I: picture id of 7 or 15 bits */
      if (size <= offset)
        return FALSE;
      offset += payload[offset] & 0x80 ? 2 : 1;
    }
    if (extension & 0x40) /* L */
      offset++;
    if (extension & 0x30) /* T, K */
      offset++;
  }
  return offset < size && !(payload[offset] & 0x01);
}

/* RFC 9628 section 4.2: I P L F B E V Z. */
static gboolean
vp9_starts (const guint8 *payload, gsize size)
{
  gsize offset = 1;

  /* Not inter-picture predicted, and the start of a frame. */
  if (payload[0] & 0x40 || !(payload[0] & 0x08))
    return FALSE;
  if (payload[0] & 0x80) { /* I: picture id of 7 or 15 bits */
    if (size <= offset)
      return FALSE;
    offset += payload[offset] & 0x80 ? 2 : 1;
  }
  if (payload[0] & 0x20) { /* L: the base spatial layer alone, SID = 0 */
    if (size <= offset || payload[offset] & 0x0E)
      return FALSE;
    offset += payload[0] & 0x10 ? 1 : 2; /* F = 0: TL0PICIDX */
  }
  return offset < size;
}

/* AV1 RTP specification section 4.4, Z Y W W N: N marks the first packet of a
 * coded video sequence, which is no fragment (Z = 0). */
static gboolean
av1_starts (const guint8 *payload, gsize size)
{
  return size > 1 && (payload[0] & 0x88) == 0x08;
}

/* draft-barbato-avt-rtp-theora-01 section 2.2: 24 bits of ident, F, TDT, number of
 * packets, then packets after a 16-bit length each. */
static gboolean
theora_starts (const guint8 *payload, gsize size)
{
  guint fragment, type;

  if (size < 7)
    return FALSE;
  fragment = payload[3] >> 6;
  type = payload[3] >> 4 & 0x03;
  if (fragment > 1) /* neither whole nor the first fragment */
    return FALSE;
  if (type == 1) /* packed configuration */
    return TRUE;
  /* Theora specification section 7.1: a video data packet, intra frame. */
  return type == 0 && (payload[6] & 0xC0) == 0;
}

/* RFC 2435 section 3.1: each frame is a key frame; fragment offset 0 starts it. */
static gboolean
jpeg_starts (const guint8 *payload, gsize size)
{
  return size > 8 && payload[1] == 0 && payload[2] == 0 && payload[3] == 0;
}

/* RFC 5371 section 3: a fragment offset of 24 bits at the end of the header. */
static gboolean
jpeg2000_starts (const guint8 *payload, gsize size)
{
  return size > 8 && payload[5] == 0 && payload[6] == 0 && payload[7] == 0;
}

/* RFC 4175 section 4.3: after two bytes of sequence number, the first segment of a line
 * has its length, field and line number, and offset in the line. */
static gboolean
raw_starts (const guint8 *payload, gsize size)
{
  return size > 8 && payload[4] == 0 && payload[5] == 0
      && (payload[6] & 0x7F) == 0 && payload[7] == 0;
}

typedef gboolean (*StartsFunc) (const guint8 *payload, gsize size);

typedef struct
{
  const gchar *encoding_name;
  StartsFunc starts;
} KeyFrameFormat;

static const KeyFrameFormat formats[] = {
  { "H264", h264_starts },
  { "H265", h265_starts },
  { "VP8", vp8_starts },
  { "VP9", vp9_starts },
  { "AV1", av1_starts },
  { "THEORA", theora_starts },
  { "JPEG", jpeg_starts },
  { "JPEG2000", jpeg2000_starts },
  { "RAW", raw_starts },
};

static const KeyFrameFormat *
find_format (const gchar *encoding_name)
{
  if (!encoding_name)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_ascii_strcasecmp (formats[i].encoding_name, encoding_name) == 0)
      return &formats[i];
  return NULL;
}

gboolean
tfrc_key_frame_starts (const gchar *encoding_name, const guint8 *payload,
    gsize size)
{
  const KeyFrameFormat *format = find_format (encoding_name);

  return format && size > 0 && format->starts (payload, size);
}

gboolean
tfrc_key_frame_is_known (const gchar *encoding_name)
{
  return find_format (encoding_name) != NULL;
}
