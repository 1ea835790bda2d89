/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payload types, caps, and XOR. */

#include "common/fec.h"

#include <string.h>

/* RFC 6015 section 5.2.1. */
#define ENCODING_NAME "1D-INTERLEAVED-PARITYFEC"

/* Originals are of the dynamic types that payloaders take, as in
 * common/retransmission.h; RTX has the rest of them.  Those from 35 to 63 are
 * free where RTCP comes with RTP (RFC 5761 section 4). */
#define FIRST_ORIGINAL 96
#define LAST_ORIGINAL 111
#define LAST_PARITY 63

guint
tfrc_fec_get_payload_type (guint payload_type)
{
  if (payload_type < FIRST_ORIGINAL || payload_type > LAST_ORIGINAL)
    return 0;
  return LAST_PARITY - (payload_type - FIRST_ORIGINAL);
}

guint
tfrc_fec_get_original_type (guint payload_type)
{
  if (payload_type > LAST_PARITY
      || payload_type < LAST_PARITY - (LAST_ORIGINAL - FIRST_ORIGINAL))
    return 0;
  return FIRST_ORIGINAL + (LAST_PARITY - payload_type);
}

gboolean
tfrc_fec_is_caps (const GstStructure *caps)
{
  const gchar *name = gst_structure_get_string (caps, "encoding-name");

  return name && g_ascii_strcasecmp (name, ENCODING_NAME) == 0;
}

GstCaps *
tfrc_fec_make_caps (const GstCaps *original, guint payload_type)
{
  const GstStructure *structure = gst_caps_get_structure (original, 0);
  const gchar *media = gst_structure_get_string (structure, "media");
  gint clock_rate = 0;

  gst_structure_get_int (structure, "clock-rate", &clock_rate);
  return gst_caps_new_simple ("application/x-rtp",
      "media", G_TYPE_STRING, media ? media : "video",
      "encoding-name", G_TYPE_STRING, ENCODING_NAME,
      "clock-rate", G_TYPE_INT, clock_rate,
      "payload", G_TYPE_INT, (gint) payload_type, NULL);
}

static void
xor_bytes (guint8 *to, const guint8 *from, guint size)
{
  for (guint i = 0; i < size; i++)
    to[i] ^= from[i];
}

void
tfrc_parity_add (TfrcParity *self, GstRTPBuffer *rtp)
{
  guint size = gst_rtp_buffer_get_payload_len (rtp);

  if (self->header.count == 0)
    self->header.first = gst_rtp_buffer_get_seq (rtp);
  self->header.count++;
  self->header.length ^= (guint16) size;
  self->header.payload_type ^= gst_rtp_buffer_get_payload_type (rtp);
  self->header.timestamp ^= gst_rtp_buffer_get_timestamp (rtp);
  self->marker ^= gst_rtp_buffer_get_marker (rtp);
  if (size > self->size) {
    self->payload = g_realloc (self->payload, size);
    memset (self->payload + self->size, 0, size - self->size);
    self->size = size;
  }
  if (size > 0)
    xor_bytes (self->payload, gst_rtp_buffer_get_payload (rtp), size);
}

void
tfrc_parity_clear (TfrcParity *self)
{
  g_free (self->payload);
  *self = (TfrcParity) { .payload = NULL };
}
