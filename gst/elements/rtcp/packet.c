/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the clear part of RTP and RTCP packets. */

#include "rtcp/packet.h"

#include "rtcp/filter.h"

#define VERSION 2

gboolean
tfrc_packet_is_rtcp (GstBuffer *buffer)
{
  guint8 header[2];

  return gst_buffer_extract (buffer, 0, header, 2) == 2
      && tfrc_rtcp_is_second_byte (header[1]);
}

gboolean
tfrc_packet_read_ssrc (GstBuffer *buffer, gboolean *rtcp, guint32 *ssrc)
{
  guint8 header[12];
  gsize size = gst_buffer_extract (buffer, 0, header, sizeof (header));
  gsize offset;

  if (size < 2 || header[0] >> 6 != VERSION)
    return FALSE;
  *rtcp = tfrc_rtcp_is_second_byte (header[1]);
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

  if (!tfrc_packet_is_rtcp (buffer))
    return FALSE;
  while (offset < size) {
    if (gst_buffer_extract (buffer, offset, header, 4) != 4
        || header[0] >> 6 != VERSION)
      return FALSE;
    offset += 4 * (gsize) (GST_READ_UINT16_BE (header + 2) + 1);
  }
  return offset == size;
}
