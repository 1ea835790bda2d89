/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measured streams and the allowed rate, every 20 ms. */

#include "send/encoder-updates.h"

/* How often the encoder hears of the rate.  It takes a new one ten times a
 * second at most, and that should be a fresh one. */
#define INTERVAL (20 * TFRC_MILLISECOND)

/* After so long without a packet nothing is measured that an encoder could hear. */
#define IDLE_TIME TFRC_SECOND

void
tfrc_send_encoder_updates_start (TfrcSendEncoderUpdates *self)
{
  *self = (TfrcSendEncoderUpdates) {
    .due_at = TFRC_TIME_NONE,
    .flow = { .overhead = 1.0 },
  };
}

void
tfrc_send_encoder_updates_on_packet (TfrcSendEncoderUpdates *self, TfrcTime now)
{
  self->packet_at = now;
  if (self->due_at == TFRC_TIME_NONE)
    self->due_at = now;
}

gboolean
tfrc_send_encoder_updates_on_deadline (TfrcSendEncoderUpdates *self,
    const TfrcQueue *queue, TfrcSendFlow *flow, TfrcTime now)
{
  TfrcSendStream *encoded = NULL, *stream;
  gdouble rate = 0;
  TfrcRate allowed;

  if (now < self->due_at)
    return FALSE;
  self->due_at = tfrc_queue_get_packets (queue) == 0
          && tfrc_time_since (self->packet_at, now) >= IDLE_TIME
      ? TFRC_TIME_NONE
      : tfrc_time_add (now, INTERVAL);
  for (guint i = 0; (stream = tfrc_queue_get_stream (queue, i)) != NULL; i++) {
    tfrc_send_stream_measure (stream, now);
    rate += stream->rate;
    if (tfrc_send_stream_may_follow (stream)
        && (encoded == NULL || stream->rate >= encoded->rate))
      encoded = stream;
  }
  if (!tfrc_send_flow_get_encoder_rate (flow, &allowed, now))
    return FALSE;

  self->flow = (TfrcEncoderFlow) {
    .allowed_bitrate = tfrc_rate_to_bits (allowed),
    .other_bitrate =
        tfrc_rate_to_bits (encoded != NULL ? rate - encoded->rate : rate),
    .overhead = encoded != NULL && encoded->payload_rate > 0
        ? encoded->rate / encoded->payload_rate
        : 1.0,
    .queued_bytes = tfrc_queue_get_bytes (queue),
  };
  return TRUE;
}
