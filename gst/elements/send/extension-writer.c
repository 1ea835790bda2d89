/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/extension-writer.h"

#include "tfrc-wire-packet-feedback.h"
#include "common/rtp.h"

/* Offset of the data, after RTP header, extension header and element header. */
#define BARE_OFFSET (TFRC_RTP_HEADER_SIZE + TFRC_EXTENSION_HEADER_SIZE + 1)

#define TRANSPORT_NUMBER_SIZE 2 /* of transport-wide feedback */

/* a=rtcp-fb:<pt> tfrc, as GStreamer maps SDP to caps. */
#define FEEDBACK_FIELD "rtcp-fb-tfrc"

struct _TfrcExtensionFormat
{
  const gchar *uri;
  guint room;                  /* of the longest extension [bytes] */
  const gchar *feedback_field; /* of the caps; NULL = none */
};

static const TfrcExtensionFormat tfrc_format = { TFRC_WIRE_EXTENSION_URI,
  TFRC_WIRE_EXTENSION_SIZE, FEEDBACK_FIELD };

static const TfrcExtensionFormat tfmcc_format = { TFMCC_WIRE_EXTENSION_URI,
  TFMCC_WIRE_EXTENSION_MAX, NULL };

void
tfrc_extension_writer_init (TfrcExtensionWriter *self, GstTfrcMode mode,
    gboolean extensions)
{
  const TfrcExtensionFormat *format = mode == GST_TFRC_MODE_TFMCC
      ? &tfmcc_format
      : &tfrc_format;

  *self = (TfrcExtensionWriter) { 0 };
  if (extensions) {
    self->format = format;
    self->room = format->room;
  }
}

guint
tfrc_extension_writer_get_max_overhead (const TfrcExtensionWriter *self)
{
  return self->format == NULL
      ? 0
      : TFRC_EXTENSION_HEADER_SIZE + GST_ROUND_UP_4 (2 + self->room);
}

gboolean
tfrc_extension_writer_caps_name_tfmcc (const GstCaps *caps)
{
  return tfrc_extmap_find_id (gst_caps_get_structure (caps, 0),
             tfmcc_format.uri)
      != 0;
}

static void
reserve_id (TfrcExtensionWriter *self, guint id)
{
  self->taken[id / 32] |= 1u << id % 32;
}

void
tfrc_extension_writer_read_caps (TfrcExtensionWriter *self, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);
    guint id = tfrc_extmap_parse_id (name);
    const GValue *value = gst_structure_get_value (structure, name);

    if (id == 0)
      continue;
    if (tfrc_extmap_names (name, value, TFRC_WIRE_TWCC_URI))
      self->transport_id = id;
    if (self->format != NULL
        && tfrc_extmap_names (name, value, self->format->uri))
      self->named = id;
    else
      reserve_id (self, id);
  }
}

static gboolean
is_taken (const TfrcExtensionWriter *self, guint id)
{
  return (self->taken[id / 32] & 1u << id % 32) != 0;
}

/* Id 15 is reserved in the one-byte form (RFC 8285 section 4.2). */
static guint
find_free_id (const TfrcExtensionWriter *self)
{
  guint id;

  for (id = TFRC_ONE_BYTE_MAX_ID; id > 0; id--) {
    if (!is_taken (self, id))
      return id;
  }
  for (id = TFRC_ONE_BYTE_MAX_ID + 2; id <= TFRC_EXTMAP_MAX_ID; id++) {
    if (!is_taken (self, id))
      return id;
  }
  return 0;
}

static void
choose_id (TfrcExtensionWriter *self)
{
  const guint wanted[] = { self->named, self->configured, self->id };

  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    if (wanted[i] != 0 && !is_taken (self, wanted[i])) {
      self->id = wanted[i];
      return;
    }
  }
  self->id = find_free_id (self);
}

GstCaps *
tfrc_extension_writer_set_caps (TfrcExtensionWriter *self, GstCaps *caps,
    guint configured)
{
  g_autofree gchar *field = NULL;

  tfrc_extension_writer_read_caps (self, caps);
  if (self->format == NULL)
    return caps;
  self->configured = configured;
  choose_id (self);

  caps = gst_caps_make_writable (caps);
  if (self->id == 0)
    return caps;
  field = g_strdup_printf ("extmap-%u", self->id);
  gst_caps_set_simple (caps, field, G_TYPE_STRING, self->format->uri, NULL);
  if (self->format->feedback_field != NULL)
    gst_caps_set_simple (caps, self->format->feedback_field, G_TYPE_BOOLEAN,
        TRUE, NULL);
  return caps;
}

static gboolean
keep_field (GQuark field, GValue *value, gpointer unused)
{
  const gchar *name = g_quark_to_string (field);

  return !tfrc_extmap_names (name, value, tfrc_format.uri)
      && !tfrc_extmap_names (name, value, tfmcc_format.uri)
      && !g_str_equal (name, FEEDBACK_FIELD);
}

GstCaps *
tfrc_extension_writer_strip_caps (GstCaps *caps)
{
  caps = gst_caps_make_writable (caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    gst_structure_filter_and_map_in_place (gst_caps_get_structure (caps, i),
        keep_field, NULL);
  return caps;
}

/* The usual packet: its header is a memory of its own, without CSRC or extension.  The
 * header is replaced by one with extension, by one allocation, so that the buffer keeps
 * its number of memories.  0: another kind of packet. */
static guint
extend_bare_header (const TfrcExtensionWriter *self, GstBuffer *buffer)
{
  GstMemory *old = gst_buffer_peek_memory (buffer, 0);
  guint extension_size = GST_ROUND_UP_4 (1 + self->room);
  gsize size = TFRC_RTP_HEADER_SIZE + TFRC_EXTENSION_HEADER_SIZE
      + extension_size;
  guint8 *data = NULL;
  GstMapInfo map;

  if (gst_memory_get_sizes (old, NULL, NULL) != TFRC_RTP_HEADER_SIZE
      || !gst_memory_map (old, &map, GST_MAP_READ))
    return 0;
  if ((map.data[0] & (TFRC_EXTENSION_BIT | TFRC_CSRC_COUNT_MASK)) == 0) {
    data = g_malloc0 (size);
    memcpy (data, map.data, TFRC_RTP_HEADER_SIZE);
  }
  gst_memory_unmap (old, &map);
  if (data == NULL)
    return 0;

  data[0] |= TFRC_EXTENSION_BIT;
  GST_WRITE_UINT16_BE (data + TFRC_RTP_HEADER_SIZE, TFRC_ONE_BYTE_PROFILE);
  GST_WRITE_UINT16_BE (data + TFRC_RTP_HEADER_SIZE + 2,
      extension_size / TFRC_EXTENSION_WORD);
  data[BARE_OFFSET - 1] = (guint8) (self->id << 4 | (self->room - 1));
  gst_buffer_replace_memory (buffer, 0,
      gst_memory_new_wrapped (0, data, size, 0, size, data, g_free));
  return BARE_OFFSET;
}

static TfrcHeaderExtension
get_extension (GstRTPBuffer *rtp)
{
  TfrcHeaderExtension extension = { 0 };
  gpointer data;
  guint words;

  if (gst_rtp_buffer_get_extension_data (rtp, &extension.profile, &data,
          &words)) {
    extension.data = data;
    extension.size = TFRC_EXTENSION_WORD * words;
  }
  return extension;
}

/* Adds an element.  NULL: there is no id, or the packet has a header extension of another
 * form. */
static guint8 *
make_room (const TfrcExtensionWriter *self, GstRTPBuffer *rtp)
{
  static const TfrcExtensionBytes empty;
  TfrcHeaderExtension extension = get_extension (rtp);
  gboolean added;
  guint size;

  if (self->id == 0)
    return NULL;
  if ((extension.data != NULL && extension.profile != TFRC_ONE_BYTE_PROFILE)
      || self->id > TFRC_ONE_BYTE_MAX_ID)
    added = gst_rtp_buffer_add_extension_twobytes_header (rtp, 0, self->id,
        empty.data, self->room);
  else
    added = gst_rtp_buffer_add_extension_onebyte_header (rtp, self->id,
        empty.data, self->room);
  extension = get_extension (rtp);
  return added ? tfrc_header_extension_find (&extension, self->id, &size)
               : NULL;
}

/* Adds the element to any other packet; returns the offset of its data, or 0. */
static guint
add_element (TfrcExtensionWriter *self, GstRTPBuffer *rtp)
{
  TfrcHeaderExtension extension = get_extension (rtp);
  guint8 *element;
  guint size;

  element = tfrc_header_extension_find (&extension, self->id, &size);
  while (element != NULL && self->id != self->named) {
    reserve_id (self, self->id);
    choose_id (self);
    element = tfrc_header_extension_find (&extension, self->id, &size);
  }
  if (element == NULL) {
    element = make_room (self, rtp);
    extension = get_extension (rtp);
    size = self->room;
  }
  if (element == NULL || size != self->room)
    return 0;

  return TFRC_RTP_HEADER_SIZE
      + TFRC_CSRC_SIZE * gst_rtp_buffer_get_csrc_count (rtp)
      + TFRC_EXTENSION_HEADER_SIZE + (guint) (element - extension.data);
}

guint
tfrc_extension_writer_prepare (TfrcExtensionWriter *self, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint offset = 0;

  if (self->format != NULL && is_taken (self, self->id))
    choose_id (self);
  if (self->id == 0)
    return 0;
  if (self->id <= TFRC_ONE_BYTE_MAX_ID)
    offset = extend_bare_header (self, buffer);
  if (offset == 0 && gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp)) {
    offset = add_element (self, &rtp);
    gst_rtp_buffer_unmap (&rtp);
  }
  self->in_use |= offset != 0;
  return offset;
}

gboolean
tfrc_extension_writer_is_transport_numbered (const TfrcExtensionWriter *self,
    GstRTPBuffer *rtp)
{
  gpointer data;
  guint size;

  return self->transport_id != 0 && self->transport_id <= TFRC_ONE_BYTE_MAX_ID
      && gst_rtp_buffer_get_extension_onebyte_header (rtp,
          (guint8) self->transport_id, 0, &data, &size)
      && size == TRANSPORT_NUMBER_SIZE;
}

/* In both forms, the byte before the data has the length. */
void
tfrc_extension_writer_write (GstBuffer *buffer, guint offset, guint room,
    const TfrcExtensionBytes *extension)
{
  guint8 length;

  /* The packet was prepared before caps selected the other protocol. */
  if (extension->size > room)
    return;
  if (extension->size < room) {
    gst_buffer_extract (buffer, offset - 1, &length, 1);
    length -= room - extension->size;
    gst_buffer_fill (buffer, offset - 1, &length, 1);
  }
  gst_buffer_fill (buffer, offset, extension->data, room);
}
