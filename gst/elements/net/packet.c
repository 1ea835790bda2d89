/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the clear part of RTP and RTCP packets, and RTCP compounds. */

#include "net/packet.h"

#include <gst/net/net.h>

#include "tfrc-wire-rtcp.h"

#define VERSION 2
#define PT_SR 200
#define PT_APP 204

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
tfrc_packet_read_compound (GstBuffer *buffer, TfrcWireCompound *compound)
{
  GstMapInfo map;
  gboolean valid;

  compound->has_end = FALSE;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  valid = tfrc_wire_read_compound (map.data, map.size, compound);
  gst_buffer_unmap (buffer, &map);
  return valid;
}

gboolean
tfrc_packet_begins_as_rtcp (GstBuffer *buffer)
{
  guint8 head[2];

  return gst_buffer_extract (buffer, 0, head, sizeof (head)) == sizeof (head)
      && head[1] >= PT_SR && head[1] <= PT_APP;
}

gboolean
tfrc_packet_is_plain_rtcp (GstBuffer *buffer)
{
  TfrcWireCompound compound;

  tfrc_packet_read_compound (buffer, &compound);
  return compound.has_end;
}

GstBuffer *
tfrc_packet_remove_harmful (GstBuffer *buffer, const TfrcWireCompound *compound)
{
  GstBuffer *filtered;
  GstMapInfo map;
  gsize size;

  if (compound->n_harmful == 0 || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return buffer;
  filtered = gst_buffer_new ();
  gst_buffer_copy_into (filtered, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  for (gsize offset = 0; offset < map.size; offset += size) {
    size = tfrc_wire_get_packet_size (map.data + offset);
    if (!tfrc_wire_harms_receiver (map.data + offset, size))
      gst_buffer_copy_into (filtered, buffer, GST_BUFFER_COPY_MEMORY, offset,
          size);
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  if (gst_buffer_get_size (filtered) == 0)
    gst_clear_buffer (&filtered);
  return filtered;
}

gchar *
tfrc_packet_get_source (GstBuffer *buffer)
{
  const GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  return meta != NULL && G_IS_SOCKET_CONNECTABLE (meta->addr)
      ? g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (meta->addr))
      : NULL;
}
