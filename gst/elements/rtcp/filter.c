/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks over RTCP compound packets in buffers. */

#include "rtcp/filter.h"

#include <gst/rtp/rtp.h>

#include "tfrc-wire-feedback.h"
#include "tfrc-wire-rtcp.h"

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
tfrc_rtcp_filter_sr_requests (GstBuffer *buffer, guint *n_removed)
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
tfrc_rtcp_read_byes (GstBuffer *buffer, guint32 *ssrcs, guint n_max)
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
