/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/side-packet.h"

#include <string.h>

#include "common/rtp-header.h"

#define CSRC_SIZE 4
#define ONE_BYTE_PROFILE 0xbede /* RFC 8285 section 4.2 */
#define PADDING_BIT 0x20
#define CSRC_COUNT_MASK 0x0f
#define MARKER_BIT 0x80
#define MOST_PADDING 255 /* its last byte counts it */

/* The stamp of the packet may have been shorter than the room for it. */
static void
make_stamp_room (guint8 *data, const TfrcQueueItem *item)
{
  guint8 *length = data + item->stamp_offset - 1;
  guint16 profile = GST_READ_UINT16_BE (data + TFRC_RTP_HEADER_SIZE
      + CSRC_SIZE);

  *length = profile == ONE_BYTE_PROFILE
      ? (guint8) ((*length & 0xf0) | (item->stamp_room - 1))
      : (guint8) item->stamp_room;
}

guint
tfrc_side_packet_get_header_size (GstRTPBuffer *like)
{
  return gst_rtp_buffer_get_header_len (like) + CSRC_SIZE
      - CSRC_SIZE * gst_rtp_buffer_get_csrc_count (like);
}

TfrcSidePacket
tfrc_side_packet_new (GstRTPBuffer *like, TfrcQueueItem *item, guint32 ssrc,
    guint16 seq, gsize payload_size)
{
  guint header_size = tfrc_side_packet_get_header_size (like);
  guint old_size = gst_rtp_buffer_get_header_len (like);
  guint before = TFRC_RTP_HEADER_SIZE + CSRC_SIZE;
  gsize size = header_size + payload_size;
  guint8 *data = g_malloc (size);

  gst_buffer_extract (like->buffer, 0, data, TFRC_RTP_HEADER_SIZE);
  gst_buffer_extract (like->buffer, old_size - (header_size - before),
      data + before, header_size - before);
  data[0] = (guint8) ((data[0] & ~(PADDING_BIT | CSRC_COUNT_MASK)) | 1);
  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  GST_WRITE_UINT32_BE (data + TFRC_RTP_HEADER_SIZE,
      gst_rtp_buffer_get_ssrc (like));
  if (item->stamp_offset != 0) {
    item->stamp_offset += header_size - old_size;
    make_stamp_room (data, item);
  }
  item->seq = seq;
  item->size = (guint) size;
  return (TfrcSidePacket) { data, size, data + header_size };
}

void
tfrc_padding_on_sent (TfrcPadding *self, const TfrcQueueItem *item)
{
  if (item->stamp_offset == 0)
    return;
  self->head_size = gst_buffer_extract (GST_BUFFER_CAST (item->object), 0,
      self->head, sizeof (self->head));
  self->head[0] &= (guint8) ~PADDING_BIT;
  self->item = (TfrcQueueItem) {
    .stamp_offset = item->stamp_offset,
    .stamp_room = item->stamp_room,
    .transport_numbered = item->transport_numbered,
  };
}

gboolean
tfrc_padding_pop (TfrcPadding *self, TfrcQueueItem *item)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcSidePacket packet;
  GstBuffer *head;
  gboolean ok;

  if (self->head_size == 0)
    return FALSE;
  head = gst_buffer_new_memdup (self->head, self->head_size);
  ok = gst_rtp_buffer_map (head, GST_MAP_READ, &rtp);
  if (ok) {
    *item = self->item;
    packet = tfrc_side_packet_new (&rtp, item, self->ssrc, self->seq++,
        MOST_PADDING);
    packet.data[0] |= PADDING_BIT;
    packet.data[1] &= (guint8) ~MARKER_BIT;
    memset (packet.payload, 0, MOST_PADDING - 1);
    packet.payload[MOST_PADDING - 1] = MOST_PADDING;
    item->object = GST_MINI_OBJECT_CAST (gst_buffer_new_wrapped (packet.data,
        packet.size));
    gst_rtp_buffer_unmap (&rtp);
  } else {
    self->head_size = 0; /* it is longer than that */
  }
  gst_buffer_unref (head);
  return ok;
}
