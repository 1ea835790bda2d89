/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/rtp.h"

#include <string.h>

/* Beyond it the look for all ids would take too long [32-bit words]. */
#define MOST_WORDS 16

guint
tfrc_header_extension_get_max_id (GstRTPBuffer *rtp)
{
  guint16 profile;
  guint words;

  if (!gst_rtp_buffer_get_extension_data (rtp, &profile, NULL, &words)
      || words > MOST_WORDS)
    return 0;
  return profile == TFRC_ONE_BYTE_PROFILE
      ? TFRC_ONE_BYTE_MAX_ID
      : TFRC_EXTMAP_MAX_ID;
}

guint8 *
tfrc_header_extension_find (GstRTPBuffer *rtp, guint id, guint *size)
{
  gpointer data;
  guint8 app_bits;

  if (id == 0)
    return NULL;
  return (id <= TFRC_ONE_BYTE_MAX_ID
             && gst_rtp_buffer_get_extension_onebyte_header (rtp, (guint8) id,
                 0, &data, size))
          || gst_rtp_buffer_get_extension_twobytes_header (rtp, &app_bits,
              (guint8) id, 0, &data, size)
      ? data
      : NULL;
}

GstBuffer *
tfrc_header_extension_clear (GstBuffer *buffer, guint id)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 profile;
  guint8 *data;
  guint size, header;

  buffer = gst_buffer_make_writable (buffer);
  if (!gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp))
    return buffer;
  data = tfrc_header_extension_find (&rtp, id, &size);
  if (data != NULL) {
    gst_rtp_buffer_get_extension_data (&rtp, &profile, NULL, NULL);
    header = profile == TFRC_ONE_BYTE_PROFILE ? 1 : 2;
    memset (data - header, 0, header + size);
  }
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
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
