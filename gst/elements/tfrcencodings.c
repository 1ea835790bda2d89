/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the payload formats' registrations say of media type and clock rate. */

#include "tfrcencodings.h"

#include <gst/rtp/rtp.h>

static const struct
{
  const gchar *name;            /* as depayloaders' caps have it */
  const gchar *media;
  gint clock_rate;              /* [Hz] */
} encodings[] = {
  {"AC3", "audio", 48000},
  {"AV1", "video", 90000},
  {"G726-32", "audio", 8000},
  {"H261", "video", 90000},
  {"H263-1998", "video", 90000},
  {"H263-2000", "video", 90000},
  {"H264", "video", 90000},
  {"H265", "video", 90000},
  {"JPEG", "video", 90000},
  {"MP4V-ES", "video", 90000},
  {"MP2T", "video", 90000},
  {"MPV", "video", 90000},
  {"OPUS", "audio", 48000},
  {"VP8", "video", 90000},
  {"VP9", "video", 90000},
};

/* RFC 3551 section 6: below are the static assignments, above dynamic ones. */
#define FIRST_DYNAMIC 35

static GstCaps *pick_structure (GstCaps *caps, guint payload_type);
static gint find_encoding (const gchar *name);

GstCaps *
tfrc_encodings_get_caps (GstCaps *caps, const gchar *encoding_name,
    guint payload_type)
{
  GstCaps *picked = caps ? pick_structure (caps, payload_type) : NULL;
  const GstRTPPayloadInfo *info;
  gint index;

  if (picked)
    return picked;
  if (payload_type < FIRST_DYNAMIC) {
    info = gst_rtp_payload_info_for_pt (payload_type);
    if (info)
      return gst_caps_new_simple ("application/x-rtp",
          "media", G_TYPE_STRING, info->media,
          "encoding-name", G_TYPE_STRING, info->encoding_name,
          "clock-rate", G_TYPE_INT, (gint) info->clock_rate,
          "payload", G_TYPE_INT, (gint) payload_type, NULL);
  }
  index = encoding_name ? find_encoding (encoding_name) : -1;
  if (index < 0)
    return NULL;
  return gst_caps_new_simple ("application/x-rtp",
      "media", G_TYPE_STRING, encodings[index].media,
      "encoding-name", G_TYPE_STRING, encodings[index].name,
      "clock-rate", G_TYPE_INT, encodings[index].clock_rate,
      "payload", G_TYPE_INT, (gint) payload_type, NULL);
}

gboolean
tfrc_encodings_is_known (const gchar *encoding_name)
{
  return find_encoding (encoding_name) >= 0;
}

static GstCaps *
pick_structure (GstCaps *caps, guint payload_type)
{
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *structure = gst_caps_get_structure (caps, i);
    GstCaps *picked;
    gint payload;

    if (gst_structure_get_int (structure, "payload", &payload)
        && (guint) payload != payload_type)
      continue;
    structure = gst_structure_copy (structure);
    /* A restarted sender has another SSRC, offset and start. */
    gst_structure_remove_fields (structure, "ssrc", "seqnum-offset",
        "timestamp-offset", "seqnum-base", "clock-base", NULL);
    gst_structure_set (structure, "payload", G_TYPE_INT, (gint) payload_type,
        NULL);
    gst_structure_set_name (structure, "application/x-rtp");
    picked = gst_caps_new_empty ();
    gst_caps_append_structure (picked, structure);
    return picked;
  }
  return NULL;
}

static gint
find_encoding (const gchar *name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (encodings); i++) {
    if (g_ascii_strcasecmp (encodings[i].name, name) == 0)
      return i;
  }
  return -1;
}
