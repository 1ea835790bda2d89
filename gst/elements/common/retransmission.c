/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payload types and caps of RTX packets, as GStreamer maps SDP to caps. */

#include "common/retransmission.h"

#include "common/enum-type.h"

#define ENCODING_NAME "RTX"

/* The dynamic types (RFC 3551 section 6), of which payloaders take the first. */
#define FIRST_ORIGINAL 96
#define LAST_ORIGINAL 111
#define LAST_DYNAMIC 127

TFRC_DEFINE_ENUM_TYPE (GstTfrcRetransmission, gst_tfrc_retransmission,
    { GST_TFRC_RETRANSMISSION_OFF, "Never", "off" },
    { GST_TFRC_RETRANSMISSION_AUTO, "If both ends know of it", "auto" },
    { GST_TFRC_RETRANSMISSION_ON, "With the payload types that are usual here",
        "on" });

guint
tfrc_rtx_get_payload_type (guint payload_type)
{
  if (payload_type < FIRST_ORIGINAL || payload_type > LAST_ORIGINAL)
    return 0;
  return LAST_DYNAMIC - (payload_type - FIRST_ORIGINAL);
}

guint
tfrc_rtx_get_original_type (guint payload_type)
{
  if (payload_type <= LAST_ORIGINAL || payload_type > LAST_DYNAMIC)
    return 0;
  return FIRST_ORIGINAL + (LAST_DYNAMIC - payload_type);
}

gboolean
tfrc_rtx_is_caps (const GstStructure *caps, guint *original)
{
  const gchar *name = gst_structure_get_string (caps, "encoding-name");
  const gchar *text = gst_structure_get_string (caps, "apt");
  guint64 type = 0;
  gint number;

  if (!name || g_ascii_strcasecmp (name, ENCODING_NAME) != 0)
    return FALSE;
  if (text)
    g_ascii_string_to_unsigned (text, 10, 1, LAST_DYNAMIC, &type, NULL);
  else if (gst_structure_get_int (caps, "apt", &number) && number > 0)
    type = (guint) number;
  if (original)
    *original = (guint) type;
  return TRUE;
}

GstCaps *
tfrc_rtx_make_caps (const GstCaps *original, guint payload_type)
{
  const GstStructure *structure = gst_caps_get_structure (original, 0);
  const gchar *media = gst_structure_get_string (structure, "media");
  gint clock_rate = 0, type = 0;
  gchar *apt;
  GstCaps *caps;

  gst_structure_get_int (structure, "clock-rate", &clock_rate);
  gst_structure_get_int (structure, "payload", &type);
  apt = g_strdup_printf ("%d", type);
  caps = gst_caps_new_simple ("application/x-rtp",
      "media", G_TYPE_STRING, media ? media : "video",
      "encoding-name", G_TYPE_STRING, ENCODING_NAME,
      "clock-rate", G_TYPE_INT, clock_rate,
      "payload", G_TYPE_INT, (gint) payload_type,
      "apt", G_TYPE_STRING, apt, NULL);
  g_free (apt);
  return caps;
}
