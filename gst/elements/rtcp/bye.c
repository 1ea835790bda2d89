/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds and sends the BYE of a bin that stops. */

#include "rtcp/bye.h"

#include <gst/rtp/rtp.h>
#include <string.h>

#include "common/pads.h"

#define MAX_RTCP_SIZE 1200
/* RFC 3550 section 6.6: the count has five bits. */
#define MAX_SSRCS 31

static guint get_own_ssrcs (GstElement *rtpbin, guint32 *ssrcs);
static GstBuffer *make_bye (GstElement *rtpbin, guint32 *ssrcs, guint n_ssrcs);

void
tfrc_bye_send (GstElement *rtpbin, guint32 ssrc)
{
  guint32 ssrcs[MAX_SSRCS] = { ssrc };
  guint n_ssrcs = ssrc ? 1 : get_own_ssrcs (rtpbin, ssrcs);
  GstPad *pad = gst_element_get_static_pad (rtpbin, "send_rtcp_src_0");

  if (n_ssrcs > 0 && gst_pad_is_linked (pad)) {
    /* rtpsession does this with its first RTCP, seconds after the first RTP. */
    tfrc_pads_start_rtcp (pad, NULL);
    gst_pad_push (pad, make_bye (rtpbin, ssrcs, n_ssrcs));
  }
  gst_object_unref (pad);
}

/* The internal sources of RTPSession:stats. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS /* GValueArray, which rtpsession uses */
    static guint
    get_own_ssrcs (GstElement *rtpbin, guint32 *ssrcs)
{
  GObject *session = NULL;
  GstStructure *stats = NULL;
  const GValue *value;
  GValueArray *sources;
  guint n_ssrcs = 0;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  if (!session)
    return 0;
  g_object_get (session, "stats", &stats, NULL);
  g_object_unref (session);
  value = stats ? gst_structure_get_value (stats, "source-stats") : NULL;
  sources = value ? g_value_get_boxed (value) : NULL;
  for (guint i = 0; sources && i < sources->n_values && n_ssrcs < MAX_SSRCS;
      i++) {
    const GstStructure *source = gst_value_get_structure (sources->values + i);
    gboolean internal = FALSE;
    guint ssrc;

    if (gst_structure_get_boolean (source, "internal", &internal) && internal
        && gst_structure_get_uint (source, "ssrc", &ssrc))
      ssrcs[n_ssrcs++] = ssrc;
  }
  gst_clear_structure (&stats);
  return n_ssrcs;
}

G_GNUC_END_IGNORE_DEPRECATIONS
/* RFC 3550 section 6.1: a compound starts with a report and names the CNAME. */
static GstBuffer *
make_bye (GstElement *rtpbin, guint32 *ssrcs, guint n_ssrcs)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (MAX_RTCP_SIZE);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  GstStructure *sdes = NULL;
  const gchar *cname;

  g_object_get (rtpbin, "sdes", &sdes, NULL);
  cname = sdes ? gst_structure_get_string (sdes, "cname") : NULL;
  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, ssrcs[0]);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SDES, &packet);
  gst_rtcp_packet_sdes_add_item (&packet, ssrcs[0]);
  if (cname)
    gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME,
        strlen (cname), (const guint8 *) cname);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_BYE, &packet);
  for (guint i = 0; i < n_ssrcs; i++)
    gst_rtcp_packet_bye_add_ssrc (&packet, ssrcs[i]);
  gst_rtcp_buffer_unmap (&rtcp);
  gst_clear_structure (&sdes);
  return buffer;
}
