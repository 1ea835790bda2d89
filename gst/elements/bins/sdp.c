/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes and reads SDP with GstSDP.  Several streams on one port form a BUNDLE group
 * (RFC 9143).  Payload formats are those of GStreamer, and a few more. */

#include "bins/sdp.h"

#include <gst/sdp/sdp.h>
#include <string.h>
#include <gst/rtp/rtp.h>

#include "common/rtp.h"
#include "common/repair-types.h"
#include "tfrc/equation.h"
#include "tfmcc-wire.h"
#include "tfrc-wire.h"

/* Time from the first packet that a parity packet covers to that parity packet. */
#define FEC_REPAIR_WINDOW_US 200000
#define FEC_USUAL_PERCENTAGE 10 /* written if it adapts to the loss */

void
tfrc_sdp_clear (TfrcSdp *self)
{
  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->host, g_free);
  g_clear_pointer (&self->source, g_free);
}

/* Values of a=rtcp-fb (RFC 4585 section 4.2, RFC 8888 section 6); RRs need none. */
static const gchar *const feedback_names[] = {
  [GST_RTP_TFRC_FEEDBACK_AUTO] = "tfrc",
  [GST_RTP_TFRC_FEEDBACK_TFRC] = "tfrc",
  [GST_RTP_TFRC_FEEDBACK_CCFB] = "ack ccfb",
  [GST_RTP_TFRC_FEEDBACK_TWCC] = "transport-cc",
  [GST_RTP_TFRC_FEEDBACK_RR] = NULL,
  [GST_RTP_TFRC_FEEDBACK_NONE] = NULL,
};

static void G_GNUC_PRINTF (3, 4) add_attribute (GstSDPMedia *media,
    const gchar *name, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *value = NULL;

  va_start (arguments, format);
  value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  gst_sdp_media_add_attribute (media, name, value);
}

/* Adds a repair format with the clock rate of the stream that it repairs.  Its rtpmap
 * goes first, as ffmpeg takes the last one for that of the stream. */
static void
add_format (GstSDPMedia *media, guint type, const gchar *encoding,
    const GstStructure *original)
{
  gint clock_rate = 0;
  GstSDPAttribute attribute;
  gchar *value = g_strdup_printf ("%u", type);

  gst_sdp_media_add_format (media, value);
  g_free (value);
  gst_structure_get_int (original, "clock-rate", &clock_rate);
  value = g_strdup_printf ("%u %s/%d", type, encoding, clock_rate);
  gst_sdp_attribute_set (&attribute, "rtpmap", value);
  gst_sdp_media_insert_attribute (media, 0, &attribute);
  g_free (value);
}

/* The payload type for repairs of a stream.  FALSE: none, or another stream has it. */
static gboolean
find_type (const TfrcSdp *self, const GstCaps *original,
    guint (*get_type) (guint payload_type), guint *type)
{
  gint payload = 0, other;

  gst_structure_get_int (gst_caps_get_structure (original, 0), "payload",
      &payload);
  *type = get_type ((guint) payload);
  for (guint i = 0; i < gst_caps_get_size (self->caps); i++)
    if (gst_structure_get_int (gst_caps_get_structure (self->caps, i),
            "payload", &other)
        && (guint) other == *type)
      return FALSE;
  return *type != 0;
}

/* RFC 4588 section 8.1. */
static void
add_rtx (const TfrcSdp *self, GstSDPMedia *media, const GstCaps *original)
{
  const GstStructure *structure = gst_caps_get_structure (original, 0);
  gint payload = 0;
  guint type;

  if (!find_type (self, original, tfrc_rtx_get_payload_type, &type))
    return;
  gst_structure_get_int (structure, "payload", &payload);
  add_format (media, type, "rtx", structure);
  add_attribute (media, "fmtp", "%u apt=%d;rtx-time=%u", type, payload,
      (guint) (TFRC_RTX_TIME / GST_MSECOND));
  add_attribute (media, "rtcp-fb", "%d nack", payload);
}

/* RFC 6015 section 5.2.1; D is the usual number of packets in a column. */
static void
add_fec (const TfrcSdp *self, GstSDPMedia *media, const GstCaps *original)
{
  const GstStructure *structure = gst_caps_get_structure (original, 0);
  guint type;

  if (!find_type (self, original, tfrc_fec_get_payload_type, &type))
    return;
  add_format (media, type, "1d-interleaved-parityfec", structure);
  add_attribute (media, "fmtp", "%u L=1;D=%d;repair-window=%d", type,
      MAX (100 / (self->fec > 0 ? self->fec : FEC_USUAL_PERCENTAGE), 1),
      FEC_REPAIR_WINDOW_US);
}

static void
add_media (const TfrcSdp *self, GstSDPMessage *message, guint index)
{
  g_autoptr (GstCaps) caps = gst_caps_copy_nth (self->caps, index);
  GstSDPMedia *media;
  gint payload = 0;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload", &payload);
  gst_sdp_media_new (&media);
  gst_sdp_media_set_port_info (media, self->port, 1);
  gst_sdp_media_set_proto (media, self->srtp ? "RTP/SAVPF" : "RTP/AVPF");
  gst_sdp_media_set_media_from_caps (caps, media);
  gst_sdp_media_add_attribute (media, "sendonly", "");
  if (self->rtcp_mux)
    gst_sdp_media_add_attribute (media, "rtcp-mux", "");
  if (gst_caps_get_size (self->caps) > 1)
    add_attribute (media, "mid", "%u", index);
  /* RFC 4585 section 4.2. */
  if (self->mode != GST_TFRC_MODE_TFMCC && feedback_names[self->feedback])
    add_attribute (media, "rtcp-fb", "%d %s", payload,
        feedback_names[self->feedback]);
  if (self->small_packets && self->mode != GST_TFRC_MODE_TFMCC)
    add_attribute (media, "rtcp-fb", "%d tfrc small-packets", payload);
  if (self->tcp == TFRC_TCP_RENO && self->mode != GST_TFRC_MODE_TFMCC)
    add_attribute (media, "rtcp-fb", "%d tfrc reno", payload);
  if (self->repairs)
    add_rtx (self, media, caps);
  if (self->fec != 0)
    add_fec (self, media, caps);
  /* If the payloader's caps have the extmap, it is written already. */
  if (self->extension_id && !tfrc_sdp_get_extension_id (caps, NULL))
    add_attribute (media, "extmap", "%u %s", self->extension_id,
        self->mode == GST_TFRC_MODE_TFMCC ? TFMCC_WIRE_EXTENSION_URI
                                          : TFRC_WIRE_EXTENSION_URI);
  gst_sdp_message_add_media (message, media);
  gst_sdp_media_free (media);
}

gchar *
tfrc_sdp_write (const TfrcSdp *self)
{
  const gchar *family = strchr (self->host, ':') ? "IP6" : "IP4";
  guint n_streams = gst_caps_get_size (self->caps);
  g_autoptr (GstSDPMessage) message = NULL;
  g_autoptr (GString) group = g_string_new ("BUNDLE");
  g_autofree gchar *filter = NULL;

  gst_sdp_message_new (&message);
  gst_sdp_message_set_version (message, "0");
  gst_sdp_message_set_origin (message, "-", "0", "0", "IN", family, self->host);
  gst_sdp_message_set_session_name (message, "tfrcsink");
  /* GstSDP writes the TTL only where SDP has one: after IPv4 groups. */
  gst_sdp_message_set_connection (message, "IN", family, self->host, self->ttl,
      0);
  gst_sdp_message_add_time (message, "0", "0", NULL);
  if (self->source) {
    filter = g_strdup_printf (" incl IN %s %s %s", family, self->host,
        self->source);
    gst_sdp_message_add_attribute (message, "source-filter", filter);
  }
  for (guint i = 0; i < n_streams; i++)
    g_string_append_printf (group, " %u", i);
  if (n_streams > 1)
    gst_sdp_message_add_attribute (message, "group", group->str);
  for (guint i = 0; i < n_streams; i++)
    add_media (self, message, i);
  return gst_sdp_message_as_text (message);
}

/* RFC 4570 section 3: "incl IN IP4 GROUP SOURCE..."; uses the first source. */
static void
read_source_filter (TfrcSdp *self, const gchar *filter)
{
  g_autofree gchar *copy = g_strstrip (g_strdup (filter));
  g_auto (GStrv) words = g_strsplit (copy, " ", -1);

  if (g_strv_length (words) >= 5 && g_str_equal (words[0], "incl")
      && (g_str_equal (words[3], self->host) || g_str_equal (words[3], "*")))
    self->source = g_strdup (words[4]);
}

/* tfrcsink writes it at session level; other senders may in each media section. */
static void
read_connection (TfrcSdp *self, const GstSDPMessage *message)
{
  const GstSDPConnection *connection = gst_sdp_message_get_connection (message);
  const GstSDPMedia *media = gst_sdp_message_get_media (message, 0);
  const gchar *filter;

  if (gst_sdp_media_connections_len (media) > 0)
    connection = gst_sdp_media_get_connection (media, 0);
  if (!connection->address
      || !gst_sdp_address_is_multicast (connection->nettype,
          connection->addrtype, connection->address))
    return;
  self->host = g_strdup (connection->address);
  filter = gst_sdp_media_get_attribute_val (media, "source-filter");
  if (!filter)
    filter = gst_sdp_message_get_attribute_val (message, "source-filter");
  if (filter)
    read_source_filter (self, filter);
}

static gboolean
read_media (TfrcSdp *self, const GstSDPMedia *media, GError **error)
{
  guint n_formats = gst_sdp_media_formats_len (media);
  const gchar *proto = gst_sdp_media_get_proto (media);

  if (!proto || !g_str_has_prefix (proto, "RTP/"))
    return tfrc_properties_refuse (error,
        "sdp has a media section of protocol '%s', not RTP",
        proto ? proto : "");
  self->srtp |= strstr (proto, "SAVP") != NULL;
  self->rtcp_mux |= gst_sdp_media_get_attribute_val (media, "rtcp-mux") != NULL;
  /* A BUNDLE group uses the port of its first media section. */
  if (self->port == 0)
    self->port = gst_sdp_media_get_port (media);
  for (guint i = 0; i < n_formats; i++) {
    gint payload = atoi (gst_sdp_media_get_format (media, i));
    GstCaps *caps = gst_sdp_media_get_caps_from_media (media, payload);

    if (!caps)
      return tfrc_properties_refuse (error,
          "sdp does not describe payload type %d", payload);
    gst_sdp_media_attributes_to_caps (media, caps);
    gst_structure_set_name (gst_caps_get_structure (caps, 0),
        "application/x-rtp");
    gst_caps_append (self->caps, caps);
  }
  if (self->extension_id == 0)
    self->extension_id = tfrc_sdp_get_extension_id (self->caps, &self->mode);
  return TRUE;
}

gboolean
tfrc_sdp_read (TfrcSdp *self, const gchar *text, GError **error)
{
  g_autoptr (GstSDPMessage) message = NULL;
  gboolean valid = TRUE;

  *self = (TfrcSdp) { .caps = gst_caps_new_empty () };
  /* The parser asserts that the text is not empty. */
  if (*text == '\0'
      || gst_sdp_message_new_from_text (text, &message) != GST_SDP_OK
      || gst_sdp_message_medias_len (message) == 0)
    valid = tfrc_properties_refuse (error,
        "sdp is no SDP with a media section: set what the sdp of a tfrcsink "
        "says");
  if (valid)
    read_connection (self, message);
  for (guint i = 0; valid && i < gst_sdp_message_medias_len (message); i++)
    valid = read_media (self, gst_sdp_message_get_media (message, i), error);
  if (!valid)
    tfrc_sdp_clear (self);
  return valid;
}

guint
tfrc_sdp_get_extension_id (const GstCaps *caps, GstTfrcMode *mode)
{
  static const gchar *const uris[] = {
    [GST_TFRC_MODE_TFRC] = TFRC_WIRE_EXTENSION_URI,
    [GST_TFRC_MODE_TFMCC] = TFMCC_WIRE_EXTENSION_URI,
  };

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    for (guint m = GST_TFRC_MODE_TFRC; m < G_N_ELEMENTS (uris); m++) {
      guint id = tfrc_extmap_find_id (gst_caps_get_structure (caps, i),
          uris[m]);

      if (id == 0)
        continue;
      if (mode)
        *mode = m;
      return id;
    }
  }
  if (mode)
    *mode = GST_TFRC_MODE_AUTO;
  return 0;
}

/* Encodings that GStreamer's table lacks, as registered and in depayloaders' caps. */
static const GstRTPPayloadInfo encodings[] = {
  { .media = "audio", .encoding_name = "AC3", .clock_rate = 48000 },
  { .media = "video", .encoding_name = "AV1", .clock_rate = 90000 },
  { .media = "video", .encoding_name = "JPEG2000", .clock_rate = 90000 },
  { .media = "video", .encoding_name = "THEORA", .clock_rate = 90000 },
  { .media = "application", .encoding_name = "X-GST", .clock_rate = 90000 },
};

/* RFC 3551 section 6: lower types are assigned statically. */
#define FIRST_DYNAMIC 35
#define LAST_DYNAMIC 127

gboolean
tfrc_description_set_sdp (TfrcDescription *self, const gchar *text,
    TfrcSdp *sdp)
{
  g_autoptr (GError) error = NULL;
  gboolean valid = text && tfrc_sdp_read (sdp, text, &error);

  g_free (self->sdp);
  self->sdp = g_strdup (text);
  g_free (self->sdp_error);
  self->sdp_error = error ? g_strdup (error->message) : NULL;
  self->needs_key = sdp->srtp;
  if (sdp->caps)
    gst_caps_replace (&self->caps, sdp->caps);
  return valid;
}

gboolean
tfrc_description_check (const TfrcDescription *self, gboolean has_key,
    GError **error)
{
  for (guint i = 0; self->caps && i < gst_caps_get_size (self->caps); i++) {
    const gchar *name =
        gst_structure_get_name (gst_caps_get_structure (self->caps, i));

    if (!g_str_equal (name, "application/x-rtp"))
      return tfrc_properties_refuse (error,
          "caps are those of RTP packets, application/x-rtp, and not '%s'; "
          "encoding-name=H264 does instead",
          name);
  }
  if (self->sdp_error)
    return tfrc_properties_refuse (error, "%s", self->sdp_error);
  if (self->needs_key && !has_key)
    g_set_error_literal (error, GST_STREAM_ERROR,
        GST_STREAM_ERROR_DECRYPT_NOKEY,
        "sdp says SRTP, but srtp-key is not set");
  return !self->needs_key || has_key;
}

/* FALSE for L16 and DVI4, which have a static payload type for each of several rates. */
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

/* NULL: unknown, or its name does not determine the clock rate. */
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
    /* These fields change when the sender restarts. */
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

/* Adds the clock rate, which a jitter buffer requires.  FALSE: it is unknown. */
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

  if (!picked)
    picked = gst_caps_new_simple ("application/x-rtp", "payload", G_TYPE_INT,
        (gint) payload_type, NULL);
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

/* The decoders of RED and ULPFEC count as depayloaders and accept any RTP, so the number
 * is compared with that for a stream without an encoding. */
gboolean
tfrc_description_has_depayloader (const GstCaps *caps)
{
  g_autoptr (GstCaps) none = gst_caps_copy (caps);

  gst_caps_set_simple (none, "encoding-name", G_TYPE_STRING, "", "payload",
      G_TYPE_INT, LAST_DYNAMIC, NULL);
  return count_depayloaders (caps) > count_depayloaders (none);
}
