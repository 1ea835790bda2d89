/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user says of the streams, and what is known of payload formats: by
 * GStreamer, and beyond. */

#include "bins/description.h"

#include <gst/rtp/rtp.h>

/* As their registrations have them, and depayloaders' caps. */
static const GstRTPPayloadInfo encodings[] = {
  { .media = "audio", .encoding_name = "AC3", .clock_rate = 48000 },
  { .media = "video", .encoding_name = "AV1", .clock_rate = 90000 },
};

/* RFC 3551 section 6: below are the static assignments, above dynamic ones. */
#define FIRST_DYNAMIC 35
#define LAST_DYNAMIC 127

gboolean
tfrc_description_set_sdp (TfrcDescription *self, const gchar *text,
    TfrcSdp *sdp)
{
  GError *error = NULL;
  gboolean valid = text && tfrc_sdp_read (sdp, text, &error);

  g_free (self->sdp);
  self->sdp = g_strdup (text);
  g_free (self->sdp_error);
  self->sdp_error = error ? g_strdup (error->message) : NULL;
  self->needs_key = sdp->srtp;
  if (sdp->caps)
    gst_caps_replace (&self->caps, sdp->caps);
  g_clear_error (&error);
  return valid;
}

gboolean
tfrc_description_check (const TfrcDescription *self, gboolean has_key,
    GError **error)
{
  if (self->sdp_error) {
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        self->sdp_error);
    return FALSE;
  }
  if (self->needs_key && !has_key) {
    g_set_error_literal (error, GST_STREAM_ERROR,
        GST_STREAM_ERROR_DECRYPT_NOKEY,
        "sdp says SRTP, but srtp-key is not set");
    return FALSE;
  }
  return TRUE;
}

static GstCaps *
make_caps (const GstRTPPayloadInfo *info, guint payload_type)
{
  return gst_caps_new_simple ("application/x-rtp",
      "media", G_TYPE_STRING, info->media,
      "encoding-name", G_TYPE_STRING, info->encoding_name,
      "clock-rate", G_TYPE_INT, (gint) info->clock_rate,
      "payload", G_TYPE_INT, (gint) payload_type, NULL);
}

/* L16 and DVI4 have a static payload type for each of some. */
static gboolean
has_one_rate (const GstRTPPayloadInfo *info)
{
  const GstRTPPayloadInfo *other;
  guint8 type;

  for (type = 0; type < FIRST_DYNAMIC; type++) {
    other = gst_rtp_payload_info_for_pt (type);
    if (other && other != info
        && g_str_equal (other->encoding_name, info->encoding_name))
      return FALSE;
  }
  return TRUE;
}

/* NULL: unknown, or its name does not tell the clock rate. */
static const GstRTPPayloadInfo *
find_encoding (const gchar *name)
{
  static const gchar *const media[] = { "video", "audio", "text" };
  const GstRTPPayloadInfo *info;

  for (guint i = 0; i < G_N_ELEMENTS (encodings); i++) {
    if (g_ascii_strcasecmp (encodings[i].encoding_name, name) == 0)
      return &encodings[i];
  }
  for (guint i = 0; i < G_N_ELEMENTS (media); i++) {
    info = gst_rtp_payload_info_for_name (media[i], name);
    if (info && info->clock_rate != 0)
      return has_one_rate (info) ? info : NULL;
  }
  return NULL;
}

static const GstRTPPayloadInfo *
find_payload_type (guint payload_type, const gchar *encoding_name)
{
  const GstRTPPayloadInfo *info = NULL;

  if (payload_type < FIRST_DYNAMIC)
    info = gst_rtp_payload_info_for_pt ((guint8) payload_type);
  return info || !encoding_name ? info : find_encoding (encoding_name);
}

static GstCaps *
pick_structure (GstCaps *caps, guint payload_type)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
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

/* A depayloader takes caps without a clock rate, a jitter buffer does not.
 * FALSE: it is not known. */
static gboolean
complete (GstStructure *structure, const gchar *encoding_name,
    guint payload_type)
{
  const gchar *own = gst_structure_get_string (structure, "encoding-name");
  const GstRTPPayloadInfo *info;

  if (gst_structure_has_field (structure, "clock-rate"))
    return TRUE;
  info = find_payload_type (payload_type, own ? own : encoding_name);
  if (!info)
    return FALSE;
  gst_structure_set (structure, "media", G_TYPE_STRING, info->media,
      "encoding-name", G_TYPE_STRING, info->encoding_name,
      "clock-rate", G_TYPE_INT, (gint) info->clock_rate, NULL);
  return TRUE;
}

GstCaps *
tfrc_description_get_caps (const TfrcDescription *self, guint payload_type)
{
  GstCaps *picked = self->caps ? pick_structure (self->caps, payload_type)
                               : NULL;
  const GstRTPPayloadInfo *info;

  if (!picked) {
    info = find_payload_type (payload_type, self->encoding_name);
    return info ? make_caps (info, payload_type) : NULL;
  }
  if (!complete (gst_caps_get_structure (picked, 0), self->encoding_name,
          payload_type))
    gst_clear_caps (&picked);
  return picked;
}

static guint
count_depayloaders (const GstCaps *caps)
{
  GList *all = gst_element_factory_list_get_elements (
      GST_ELEMENT_FACTORY_TYPE_DEPAYLOADER, GST_RANK_NONE);
  GList *some = gst_element_factory_list_filter (all, caps, GST_PAD_SINK,
      FALSE);
  guint n = g_list_length (some);

  gst_plugin_feature_list_free (some);
  gst_plugin_feature_list_free (all);
  return n;
}

/* Decoders of redundancy (RED, ULPFEC) take any RTP: more depayloaders take this
 * stream than one of no encoding. */
gboolean
tfrc_description_has_depayloader (const GstCaps *caps)
{
  GstCaps *none = gst_caps_copy (caps);
  gboolean has;

  gst_caps_set_simple (none, "encoding-name", G_TYPE_STRING, "", "payload",
      G_TYPE_INT, LAST_DYNAMIC, NULL);
  has = count_depayloaders (caps) > count_depayloaders (none);
  gst_caps_unref (none);
  return has;
}
