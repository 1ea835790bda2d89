/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rtt-sendts header extension in caps and packets. */

#include "tfrcstamper.h"

#include "tfrc-wire-extension.h"

#define RTP_HEADER_SIZE 12
#define EXTENSION_HEADER_SIZE 4

#define ONE_BYTE_PROFILE 0xBEDE /* RFC 8285 section 4.2 */
#define ONE_BYTE_MAX_ID 14
#define TWO_BYTE_MAX_ID 255

#define EXTENSION_BIT 0x10      /* of the first byte, RFC 3550 section 5.1 */
#define CSRC_COUNT_MASK 0x0F

/* Header, extension header, element header of one byte, stamp. */
#define BARE_OFFSET (RTP_HEADER_SIZE + EXTENSION_HEADER_SIZE + 1)
#define BARE_SIZE (BARE_OFFSET + TFRC_WIRE_EXTENSION_SIZE)
#define BARE_EXTENSION_WORDS 2

/* a=rtcp-fb:<pt> tfrc, as GStreamer maps SDP to caps. */
#define FEEDBACK_FIELD "rtcp-fb-tfrc"

static guint extend_bare_header (const TfrcStamper *self, GstBuffer *buffer);
static guint add_element (const TfrcStamper *self, GstRTPBuffer *rtp);
static guint find_id (const GstStructure *caps);
static guint find_free_id (const GstStructure *caps);
static gboolean is_taken (const GstStructure *caps, guint id);
static gboolean is_our_field (const gchar *name, const GValue *value);
static gboolean keep_field (GQuark field, GValue *value, gpointer unused);
static gpointer get_element (GstRTPBuffer *rtp, guint id, gboolean two_byte);

void
tfrc_stamper_init (TfrcStamper *self)
{
  self->id = 0;
}

GstCaps *
tfrc_stamper_set_caps (TfrcStamper *self, GstCaps *caps, guint configured)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  guint from_caps = find_id (structure);
  gchar *field;

  if (from_caps != 0)
    self->id = from_caps;
  else if (configured != 0 && !is_taken (structure, configured))
    self->id = configured;
  else if (configured != 0 || self->id == 0 || is_taken (structure, self->id))
    self->id = find_free_id (structure);

  caps = gst_caps_make_writable (caps);
  if (self->id == 0)
    return caps;
  field = g_strdup_printf ("extmap-%u", self->id);
  gst_caps_set_simple (caps, field, G_TYPE_STRING, TFRC_WIRE_EXTENSION_URI,
      FEEDBACK_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
  g_free (field);
  return caps;
}

GstCaps *
tfrc_stamper_strip_caps (GstCaps *caps)
{
  caps = gst_caps_make_writable (caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    gst_structure_filter_and_map_in_place (gst_caps_get_structure (caps, i),
        keep_field, NULL);
  return caps;
}

guint
tfrc_stamper_prepare (const TfrcStamper *self, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint offset;

  if (self->id == 0)
    return 0;
  if (self->id <= ONE_BYTE_MAX_ID) {
    offset = extend_bare_header (self, buffer);
    if (offset != 0)
      return offset;
  }
  if (!gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp))
    return 0;
  offset = add_element (self, &rtp);
  gst_rtp_buffer_unmap (&rtp);
  return offset;
}

void
tfrc_stamper_write (GstBuffer *buffer, guint offset, const TfrcStamp *stamp)
{
  guint8 data[TFRC_WIRE_EXTENSION_SIZE];

  tfrc_wire_write_stamp (data, stamp);
  gst_buffer_fill (buffer, offset, data, sizeof data);
}

/* The usual packet: a header of its own memory, no CSRC, no extension.  The
 * header is made anew with the extension behind it: one allocation, and the
 * buffer keeps its number of memories.  0: not that packet. */
static guint
extend_bare_header (const TfrcStamper *self, GstBuffer *buffer)
{
  GstMemory *old = gst_buffer_peek_memory (buffer, 0);
  guint8 header[BARE_SIZE] = { 0 };
  GstMemory *memory;
  GstMapInfo map;

  if (gst_memory_get_sizes (old, NULL, NULL) != RTP_HEADER_SIZE
      || gst_buffer_extract (buffer, 0, header,
          RTP_HEADER_SIZE) != RTP_HEADER_SIZE
      || (header[0] & (EXTENSION_BIT | CSRC_COUNT_MASK)) != 0)
    return 0;

  header[0] |= EXTENSION_BIT;
  GST_WRITE_UINT16_BE (header + RTP_HEADER_SIZE, ONE_BYTE_PROFILE);
  GST_WRITE_UINT16_BE (header + RTP_HEADER_SIZE + 2, BARE_EXTENSION_WORDS);
  header[BARE_OFFSET - 1] =
      (guint8) (self->id << 4 | (TFRC_WIRE_EXTENSION_SIZE - 1));

  memory = gst_allocator_alloc (NULL, BARE_SIZE, NULL);
  if (!gst_memory_map (memory, &map, GST_MAP_WRITE)) {
    gst_memory_unref (memory);
    return 0;
  }
  memcpy (map.data, header, BARE_SIZE);
  gst_memory_unmap (memory, &map);
  gst_buffer_replace_memory (buffer, 0, memory);
  return BARE_OFFSET;
}

/* Any other packet. */
static guint
add_element (const TfrcStamper *self, GstRTPBuffer *rtp)
{
  static const guint8 empty[TFRC_WIRE_EXTENSION_SIZE] = { 0 };
  gboolean two_byte = self->id > ONE_BYTE_MAX_ID;
  guint16 profile;
  guint8 *element, *extension;
  guint words;
  gboolean added;

  if (gst_rtp_buffer_get_extension (rtp)) {
    if (!gst_rtp_buffer_get_extension_data (rtp, &profile, NULL, &words))
      return 0;
    two_byte |= profile != ONE_BYTE_PROFILE;
  }

  element = get_element (rtp, self->id, two_byte);
  if (element == NULL) {
    /* Fails where the packet has an extension of another form. */
    if (two_byte)
      added = gst_rtp_buffer_add_extension_twobytes_header (rtp, 0, self->id,
          empty, sizeof empty);
    else
      added = gst_rtp_buffer_add_extension_onebyte_header (rtp, self->id,
          empty, sizeof empty);
    element = added ? get_element (rtp, self->id, two_byte) : NULL;
  }
  if (element == NULL)
    return 0;

  gst_rtp_buffer_get_extension_data (rtp, &profile, (gpointer *) &extension,
      &words);
  return RTP_HEADER_SIZE + 4 * gst_rtp_buffer_get_csrc_count (rtp)
      + EXTENSION_HEADER_SIZE + (guint) (element - extension);
}

/* The id N of "extmap-N" that the caps give our URI; 0 = none. */
static guint
find_id (const GstStructure *caps)
{
  for (gint i = 0; i < gst_structure_n_fields (caps); i++) {
    const gchar *name = gst_structure_nth_field_name (caps, i);
    guint64 id;

    if (is_our_field (name, gst_structure_get_value (caps, name))
        && g_ascii_string_to_unsigned (name + strlen ("extmap-"), 10, 1,
            TWO_BYTE_MAX_ID, &id, NULL))
      return (guint) id;
  }
  return 0;
}

/* 15 has a meaning of its own in the one-byte form. */
static guint
find_free_id (const GstStructure *caps)
{
  for (guint id = 1; id <= TWO_BYTE_MAX_ID; id++) {
    if (id != ONE_BYTE_MAX_ID + 1 && !is_taken (caps, id))
      return id;
  }
  return 0;
}

static gboolean
is_taken (const GstStructure *caps, guint id)
{
  gchar field[sizeof "extmap-255"];

  g_snprintf (field, sizeof field, "extmap-%u", id);
  return gst_structure_has_field (caps, field);
}

/* The value is the URI, or an array of direction, URI and attributes. */
static gboolean
is_our_field (const gchar *name, const GValue *value)
{
  if (!g_str_has_prefix (name, "extmap-"))
    return FALSE;
  if (GST_VALUE_HOLDS_ARRAY (value)) {
    if (gst_value_array_get_size (value) < 2)
      return FALSE;
    value = gst_value_array_get_value (value, 1);
  }
  return G_VALUE_HOLDS_STRING (value)
      && g_strcmp0 (g_value_get_string (value), TFRC_WIRE_EXTENSION_URI) == 0;
}

static gboolean
keep_field (GQuark field, GValue *value, gpointer unused)
{
  const gchar *name = g_quark_to_string (field);

  return !is_our_field (name, value) && !g_str_equal (name, FEEDBACK_FIELD);
}

/* Where the stamp of this packet is; NULL: it has none, of that size. */
static gpointer
get_element (GstRTPBuffer *rtp, guint id, gboolean two_byte)
{
  guint8 app_bits;
  gpointer data;
  guint size;
  gboolean found;

  if (two_byte)
    found = gst_rtp_buffer_get_extension_twobytes_header (rtp, &app_bits,
        (guint8) id, 0, &data, &size);
  else
    found = gst_rtp_buffer_get_extension_onebyte_header (rtp, (guint8) id, 0,
        &data, &size);
  return found && size == TFRC_WIRE_EXTENSION_SIZE ? data : NULL;
}
