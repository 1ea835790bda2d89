/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bins/w3c-stats.h"

/* NULL ends a table. */
typedef struct
{
  const gchar *name;  /* W3C's */
  const gchar *field; /* ours, a guint64 */
  gdouble scale;      /* 0 = a count: guint64; else a double */
} Mapping;

static const Mapping outbound[] = {
  { "packetsSent", "packets", 0 },
  { "bytesSent", "bytes", 0 },
  { "retransmittedPacketsSent", "retransmissions-sent", 0 },
  { "retransmittedBytesSent", "retransmission-bytes", 0 },
  { "nackCount", "retransmissions-asked", 0 },
  { "pliCount", "key-frame-requests-received", 0 },
  { "targetBitrate", "encoder-target-bitrate", 1 },
  { NULL },
};

static const Mapping inbound[] = {
  { "packetsReceived", "packets", 0 },
  { "bytesReceived", "bytes", 0 },
  { "packetsLost", "packets-lost", 0 },
  { "packetsDiscarded", "packets-too-late", 0 },
  { "retransmittedPacketsReceived", "retransmissions-recovered", 0 },
  { "fecPacketsReceived", "fec-received", 0 },
  { "nackCount", "retransmissions-asked", 0 },
  { "pliCount", "key-frame-requests", 0 },
  { "framesReceived", "frames", 0 },
  { "freezeCount", "freezes", 0 },
  { "totalFreezesDuration", "freezes-ns", 1e-9 },
  { NULL },
};

static guint64
get_number (const GstStructure *stats, const gchar *field)
{
  guint64 number = 0;

  gst_structure_get_uint64 (stats, field, &number);
  return number;
}

static GstStructure *
new_part (const gchar *type, const GstStructure *stats)
{
  return gst_structure_new (type, "type", G_TYPE_STRING, type, "timestamp",
      G_TYPE_DOUBLE, 1e-6 * get_number (stats, "time-ns"), NULL);
}

static GstStructure *
map (const gchar *type, const Mapping *mappings, const GstStructure *stats)
{
  GstStructure *mapped = new_part (type, stats);

  for (; mappings->name != NULL; mappings++) {
    guint64 number = get_number (stats, mappings->field);

    if (mappings->scale == 0)
      gst_structure_set (mapped, mappings->name, G_TYPE_UINT64, number, NULL);
    else
      gst_structure_set (mapped, mappings->name, G_TYPE_DOUBLE,
          mappings->scale * number, NULL);
  }
  return mapped;
}

typedef void (*SourceFunc) (const GstStructure *source, GstStructure *mapped);

/* Calls `func` for each that somebody else has in the session, as rtpsession's
 * statistics have it. */
static void
visit_sources (GstElement *rtpbin, SourceFunc func, GstStructure *mapped)
{
  GObject *session = NULL;
  GstStructure *stats = NULL;
  const GValue *sources;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  if (session == NULL)
    return;
  g_object_get (session, "stats", &stats, NULL);
  sources = gst_structure_get_value (stats, "source-stats");
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  for (guint i = 0; sources != NULL
      && i < ((GValueArray *) g_value_get_boxed (sources))->n_values;
      i++) {
    const GstStructure *source = gst_value_get_structure (
        g_value_array_get_nth (g_value_get_boxed (sources), i));
    gboolean internal = TRUE;

    gst_structure_get_boolean (source, "internal", &internal);
    if (!internal)
      func (source, mapped);
  }
  G_GNUC_END_IGNORE_DEPRECATIONS
  gst_structure_free (stats);
  g_object_unref (session);
}

/* Of several receivers the one that lost most. */
static void
add_report (const GstStructure *source, GstStructure *mapped)
{
  gboolean reports = FALSE;
  guint fraction = 0;
  gdouble worst = -1;
  gint lost = 0;

  gst_structure_get_boolean (source, "have-rb", &reports);
  gst_structure_get_uint (source, "rb-fractionlost", &fraction);
  gst_structure_get_double (mapped, "fractionLost", &worst);
  if (!reports || fraction / 256.0 < worst)
    return;
  gst_structure_get_int (source, "rb-packetslost", &lost);
  gst_structure_set (mapped, "fractionLost", G_TYPE_DOUBLE, fraction / 256.0,
      "packetsLost", G_TYPE_INT, lost, NULL);
}

static void
add_jitter (const GstStructure *source, GstStructure *mapped)
{
  gboolean sends = FALSE;
  guint jitter;
  gint rate;

  gst_structure_get_boolean (source, "is-sender", &sends);
  if (sends && gst_structure_get_uint (source, "jitter", &jitter)
      && gst_structure_get_int (source, "clock-rate", &rate) && rate > 0)
    gst_structure_set (mapped, "jitter", G_TYPE_DOUBLE, (gdouble) jitter / rate,
        NULL);
}

/* Takes the part. */
static void
add_part (GstStructure *all, GstStructure *part)
{
  gst_structure_set (all, gst_structure_get_name (part), GST_TYPE_STRUCTURE,
      part, NULL);
  gst_structure_free (part);
}

static GstStructure *
report (const GstStructure *stats, GstElement *rtpbin)
{
  GstStructure *remote = new_part ("remote-inbound-rtp", stats);
  guint64 rtt_ns = get_number (stats, "rtt-ns");

  if (rtpbin != NULL)
    visit_sources (rtpbin, add_report, remote);
  if (rtt_ns > 0)
    gst_structure_set (remote, "roundTripTime", G_TYPE_DOUBLE, 1e-9 * rtt_ns,
        NULL);
  else if (!gst_structure_has_field (remote, "fractionLost"))
    g_clear_pointer (&remote, gst_structure_free);
  return remote;
}

GstStructure *
tfrc_w3c_stats_of_sink (GstStructure *stats, GstElement *rtpbin)
{
  GstStructure *all = gst_structure_new_empty ("webrtc-stats");
  GstStructure *remote = report (stats, rtpbin);

  add_part (all, map ("outbound-rtp", outbound, stats));
  if (remote != NULL)
    add_part (all, remote);
  gst_structure_free (stats);
  return all;
}

GstStructure *
tfrc_w3c_stats_of_src (GstStructure *stats, GstElement *rtpbin)
{
  GstStructure *all = gst_structure_new_empty ("webrtc-stats");
  GstStructure *received = map ("inbound-rtp", inbound, stats);

  if (rtpbin != NULL)
    visit_sources (rtpbin, add_jitter, received);
  add_part (all, received);
  gst_structure_free (stats);
  return all;
}
