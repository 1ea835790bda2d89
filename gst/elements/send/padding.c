/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/padding.h"

#include <string.h>

#include "send/side-packet.h"

#define PADDING_BIT 0x20
#define MARKER_BIT 0x80
#define MOST_PADDING 255 /* its last byte counts it */

void
tfrc_padding_start (TfrcPadding *self)
{
  *self = (TfrcPadding) { .ssrc = g_random_int () };
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
