/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "common/repair-types.h"

#include <string.h>

#include "common/properties.h"

void
tfrc_parity_add (TfrcParity *self, GstRTPBuffer *rtp)
{
  guint size = gst_rtp_buffer_get_payload_len (rtp);
  const guint8 *payload = NULL;

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
    payload = gst_rtp_buffer_get_payload (rtp);
  for (guint i = 0; i < size; i++)
    self->payload[i] ^= payload[i];
}

void
tfrc_parity_clear (TfrcParity *self)
{
  g_free (self->payload);
  *self = (TfrcParity) { .payload = NULL };
}

#define RTX_NAME "RTX"
#define FEC_NAME "1D-INTERLEAVED-PARITYFEC" /* RFC 6015 section 5.2.1 */

/* Of the dynamic types (RFC 3551 section 6) payloaders use the first ones; RTX has the
 * last.  Parity has types from 35 to 63, which are not ambiguous if RTCP is multiplexed
 * with RTP (RFC 5761 section 4). */
#define FIRST_ORIGINAL 96
#define LAST_ORIGINAL 111
#define LAST_DYNAMIC 127
#define LAST_PARITY 63

TFRC_DEFINE_ENUM_TYPE (GstTfrcRetransmission, gst_tfrc_retransmission,
    { GST_TFRC_RETRANSMISSION_OFF, "Never", "off" },
    { GST_TFRC_RETRANSMISSION_AUTO, "If both ends know of it", "auto" },
    { GST_TFRC_RETRANSMISSION_ON, "With the payload types that are usual here",
        "on" });

/* Maps the first original type to `last`, and the following ones downwards. */
static guint
from_original (guint payload_type, guint last)
{
  if (payload_type < FIRST_ORIGINAL || payload_type > LAST_ORIGINAL)
    return 0;
  return last - (payload_type - FIRST_ORIGINAL);
}

static guint
to_original (guint payload_type, guint last)
{
  if (payload_type > last
      || payload_type < last - (LAST_ORIGINAL - FIRST_ORIGINAL))
    return 0;
  return FIRST_ORIGINAL + (last - payload_type);
}

guint
tfrc_rtx_get_payload_type (guint payload_type)
{
  return from_original (payload_type, LAST_DYNAMIC);
}

guint
tfrc_fec_get_payload_type (guint payload_type)
{
  return from_original (payload_type, LAST_PARITY);
}

guint
tfrc_rtx_get_original_type (guint payload_type)
{
  return to_original (payload_type, LAST_DYNAMIC);
}

guint
tfrc_fec_get_original_type (guint payload_type)
{
  return to_original (payload_type, LAST_PARITY);
}

static gboolean
has_name (const GstStructure *caps, const gchar *encoding_name)
{
  const gchar *name = gst_structure_get_string (caps, "encoding-name");

  return name && g_ascii_strcasecmp (name, encoding_name) == 0;
}

gboolean
tfrc_rtx_is_caps (const GstStructure *caps, guint *original)
{
  const gchar *text = gst_structure_get_string (caps, "apt");
  guint64 type = 0;
  gint number;

  if (!has_name (caps, RTX_NAME))
    return FALSE;
  if (text)
    g_ascii_string_to_unsigned (text, 10, 1, LAST_DYNAMIC, &type, NULL);
  else if (gst_structure_get_int (caps, "apt", &number) && number > 0)
    type = (guint) number;
  if (original)
    *original = (guint) type;
  return TRUE;
}

gboolean
tfrc_fec_is_caps (const GstStructure *caps)
{
  return has_name (caps, FEC_NAME);
}

gboolean
tfrc_repair_is_caps (const GstStructure *caps)
{
  return has_name (caps, RTX_NAME) || has_name (caps, FEC_NAME);
}

GstCaps *
tfrc_repair_make_caps (const GstCaps *original, guint payload_type,
    gboolean rtx)
{
  const GstStructure *structure = gst_caps_get_structure (original, 0);
  const gchar *media = gst_structure_get_string (structure, "media");
  gint clock_rate = 0, type = 0;
  GstCaps *caps;

  gst_structure_get_int (structure, "clock-rate", &clock_rate);
  gst_structure_get_int (structure, "payload", &type);
  caps = gst_caps_new_simple ("application/x-rtp",
      "media", G_TYPE_STRING, media ? media : "video",
      "encoding-name", G_TYPE_STRING, rtx ? RTX_NAME : FEC_NAME,
      "clock-rate", G_TYPE_INT, clock_rate,
      "payload", G_TYPE_INT, (gint) payload_type, NULL);
  if (rtx) {
    g_autofree gchar *apt = g_strdup_printf ("%d", type);

    gst_caps_set_simple (caps, "apt", G_TYPE_STRING, apt, NULL);
  }
  return caps;
}
