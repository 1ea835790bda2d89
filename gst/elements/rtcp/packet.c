/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the clear part of RTP and RTCP packets, and RTCP compounds. */

#include "rtcp/packet.h"

#include <gst/rtp/rtp.h>

#include "tfrc-wire-feedback.h"
#include "tfrc-wire-rtcp.h"

#define VERSION 2

gboolean
tfrc_packet_read_ssrc (GstBuffer *buffer, gboolean *rtcp, guint32 *ssrc)
{
  guint8 header[12];
  gsize size = gst_buffer_extract (buffer, 0, header, sizeof (header));
  gsize offset;

  if (size < 2 || header[0] >> 6 != VERSION)
    return FALSE;
  *rtcp = tfrc_packet_is_rtcp_byte (header[1]);
  offset = *rtcp ? 4 : 8;
  if (size < offset + 4)
    return FALSE;
  *ssrc = GST_READ_UINT32_BE (header + offset);
  return TRUE;
}

gboolean
tfrc_packet_is_plain_rtcp (GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  gsize offset = 0;
  guint8 header[4];

  if (gst_buffer_extract (buffer, 0, header, 2) != 2
      || !tfrc_packet_is_rtcp_byte (header[1]))
    return FALSE;
  while (offset < size) {
    if (gst_buffer_extract (buffer, offset, header, 4) != 4
        || header[0] >> 6 != VERSION)
      return FALSE;
    offset += 4 * (gsize) (GST_READ_UINT16_BE (header + 2) + 1);
  }
  return offset == size;
}

/* Steps over the packet at *offset; FALSE at the end or at what is no RTCP
 * packet. */
static gboolean
next_packet (const guint8 *data, gsize size, gsize *offset, gsize *packet_size)
{
  TfrcFeedback feedback;
  uint32_t sender_ssrc;

  *offset += *packet_size;
  return *offset < size
      && tfrc_wire_read_rtcp (data + *offset, size - *offset, packet_size,
             &feedback, &sender_ssrc)
      != TFRC_WIRE_MALFORMED;
}

static guint
count_sr_requests (const guint8 *data, gsize size)
{
  gsize offset = 0, packet_size = 0;
  guint n = 0;

  while (next_packet (data, size, &offset, &packet_size))
    n += tfrc_wire_is_sr_request (data + offset, packet_size) ? 1 : 0;
  return n;
}

GstBuffer *
tfrc_packet_remove_sr_requests (GstBuffer *buffer, guint *n_removed)
{
  GstBuffer *filtered;
  GstMapInfo map;
  gsize offset = 0, packet_size = 0;

  *n_removed = 0;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return buffer;
  *n_removed = count_sr_requests (map.data, map.size);
  if (*n_removed == 0) {
    gst_buffer_unmap (buffer, &map);
    return buffer;
  }
  filtered = gst_buffer_new ();
  gst_buffer_copy_into (filtered, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  while (next_packet (map.data, map.size, &offset, &packet_size)) {
    if (!tfrc_wire_is_sr_request (map.data + offset, packet_size))
      gst_buffer_copy_into (filtered, buffer, GST_BUFFER_COPY_MEMORY, offset,
          packet_size);
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  if (gst_buffer_get_size (filtered) == 0)
    gst_clear_buffer (&filtered);
  return filtered;
}

guint
tfrc_packet_read_byes (GstBuffer *buffer, guint32 *ssrcs, guint n_max)
{
  gsize offset = 0, packet_size = 0;
  GstMapInfo map;
  guint n = 0;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return 0;
  while (next_packet (map.data, map.size, &offset, &packet_size)) {
    const guint8 *packet = map.data + offset;
    guint i, n_ssrcs = packet[0] & 0x1F;

    if (packet[1] != GST_RTCP_TYPE_BYE)
      continue;
    /* RFC 3550 section 6.6; the count may be more than there is room for. */
    for (i = 0; i < n_ssrcs && 8 + 4 * i <= packet_size && n < n_max; i++)
      ssrcs[n++] = GST_READ_UINT32_BE (packet + 4 + 4 * i);
  }
  gst_buffer_unmap (buffer, &map);
  return n;
}

static guint
read_packet_ssrcs (GstRTCPPacket *packet, guint32 *ssrcs, guint n_max)
{
  guint n_ssrcs = 0;

  switch (gst_rtcp_packet_get_type (packet)) {
    case GST_RTCP_TYPE_SR:
      if (n_max > 0)
        gst_rtcp_packet_sr_get_sender_info (packet, &ssrcs[n_ssrcs++], NULL,
            NULL, NULL, NULL);
      break;
    case GST_RTCP_TYPE_RR:
      if (n_max > 0)
        ssrcs[n_ssrcs++] = gst_rtcp_packet_rr_get_ssrc (packet);
      break;
    case GST_RTCP_TYPE_SDES:
      if (gst_rtcp_packet_sdes_first_item (packet))
        do {
          if (n_ssrcs < n_max)
            ssrcs[n_ssrcs++] = gst_rtcp_packet_sdes_get_ssrc (packet);
        } while (gst_rtcp_packet_sdes_next_item (packet));
      break;
    case GST_RTCP_TYPE_BYE:
      for (guint i = 0;
          i < gst_rtcp_packet_bye_get_ssrc_count (packet) && n_ssrcs < n_max;
          i++)
        ssrcs[n_ssrcs++] = gst_rtcp_packet_bye_get_nth_ssrc (packet, i);
      break;
    default:
      break;
  }
  return n_ssrcs;
}

guint
tfrc_packet_read_ssrcs (GstBuffer *buffer, guint32 *ssrcs)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  guint n_ssrcs = 0;
  gboolean more;

  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp))
    return 0;
  for (more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet); more;
      more = gst_rtcp_packet_move_to_next (&packet))
    n_ssrcs += read_packet_ssrcs (&packet, ssrcs + n_ssrcs,
        TFRC_PACKET_MAX_SSRCS - n_ssrcs);
  gst_rtcp_buffer_unmap (&rtcp);
  return n_ssrcs;
}
