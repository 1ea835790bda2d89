/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From packets of video to requests for key frames. */

#include "receive/video.h"

void
tfrc_receive_video_init (TfrcReceiveVideo *self, guint64 seed)
{
  self->asks = FALSE;
  tfrc_payload_types_set_caps (&self->payload_types, NULL);
  tfrc_key_requests_init (&self->key_requests, seed);
  self->lost = 0;
}

void
tfrc_receive_video_on_packet (TfrcReceiveVideo *self, GstRTPBuffer *rtp,
    TfrcTime now)
{
  const TfrcMedia *media = tfrc_payload_types_get (&self->payload_types,
      gst_rtp_buffer_get_payload_type (rtp));
  TfrcKeyRequestPacket packet;

  if (!media->video)
    return;
  packet.ssrc = gst_rtp_buffer_get_ssrc (rtp);
  packet.seq = gst_rtp_buffer_get_seq (rtp);
  packet.timestamp = gst_rtp_buffer_get_timestamp (rtp);
  packet.marker = gst_rtp_buffer_get_marker (rtp);
  packet.encoding_name = media->encoding_name;
  packet.payload_size = gst_rtp_buffer_get_payload_len (rtp);
  packet.payload = packet.payload_size > 0
      ? gst_rtp_buffer_get_payload (rtp)
      : NULL;
  tfrc_key_requests_on_packet (&self->key_requests, &packet, now);
}

void
tfrc_receive_video_on_lost (TfrcReceiveVideo *self, guint64 lost, TfrcTime now)
{
  if (lost > self->lost)
    tfrc_key_requests_on_loss (&self->key_requests, now);
  self->lost = lost;
}

TfrcTime
tfrc_receive_video_next_deadline (const TfrcReceiveVideo *self)
{
  return self->asks ? tfrc_key_requests_next_deadline (&self->key_requests)
                    : TFRC_TIME_NONE;
}

gboolean
tfrc_receive_video_poll (TfrcReceiveVideo *self, guint32 *ssrc, TfrcTime now)
{
  return self->asks && tfrc_key_requests_poll (&self->key_requests, ssrc, now);
}
