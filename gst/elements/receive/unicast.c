/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From packets to feedback, RFC 5348 section 6. */

#include "receive/unicast.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

void
tfrc_unicast_receiver_init (TfrcUnicastReceiver *self, GstElement *owner,
    const TfrcReceiverConfig *config, TfrcReceiverGuards guards)
{
  *self = (TfrcUnicastReceiver) { .owner = owner };
  tfrc_guarded_receiver_init (&self->guarded, config, guards);
  self->seen = tfrc_receiver_get_counters (&self->guarded.receiver);
}

void
tfrc_unicast_receiver_forget (TfrcUnicastReceiver *self)
{
  tfrc_guarded_receiver_forget (&self->guarded);
  self->pending = FALSE;
}

/* Takes what the core reports; newer feedback replaces one not yet sent.  FALSE:
 * nothing. */
static gboolean
drain (TfrcUnicastReceiver *self, TfrcTime now)
{
  TfrcReceiverCounters counters;

  if (!tfrc_receiver_poll_feedback (&self->guarded.receiver, &self->feedback,
          now))
    return FALSE;
  self->feedback_replaced += self->pending ? 1 : 0;
  self->pending = TRUE;
  self->feedback_at = now;

  counters = tfrc_receiver_get_counters (&self->guarded.receiver);
  if (counters.sender_restarts != self->seen.sender_restarts)
    GST_INFO_OBJECT (self->owner, "event=sender-restart ssrc=%08x",
        self->feedback.media_ssrc);
  if (counters.stream_resets != self->seen.stream_resets)
    GST_INFO_OBJECT (self->owner, "event=stream-reset ssrc=%08x",
        self->feedback.media_ssrc);
  if (counters.loss_events != self->seen.loss_events)
    GST_DEBUG_OBJECT (self->owner,
        "event=loss packets_lost=%" G_GUINT64_FORMAT
        " loss_events=%" G_GUINT64_FORMAT,
        counters.packets_lost, counters.loss_events);
  self->seen = counters;
  return TRUE;
}

TfrcResult
tfrc_unicast_receiver_on_packet (TfrcUnicastReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now)
{
  TfrcResult result = tfrc_guarded_receiver_on_packet (&self->guarded, packet,
      now);

  if (result == TFRC_OK && drain (self, now))
    self->steady = FALSE;
  return result;
}

void
tfrc_unicast_receiver_remove_stream (TfrcUnicastReceiver *self, guint32 ssrc,
    TfrcTime now)
{
  tfrc_guarded_receiver_remove_stream (&self->guarded, ssrc);
  drain (self, now);
}

TfrcTime
tfrc_unicast_receiver_next_deadline (const TfrcUnicastReceiver *self)
{
  const TfrcReceiver *receiver = &self->guarded.receiver;

  if (self->pending)
    return 0;
  return self->steady ? tfrc_receiver_next_deadline (receiver)
                      : tfrc_receiver_next_wakeup (receiver);
}

gboolean
tfrc_unicast_receiver_poll (TfrcUnicastReceiver *self, TfrcFeedback *feedback,
    TfrcTime now)
{
  if (tfrc_receiver_next_deadline (&self->guarded.receiver) <= now) {
    tfrc_receiver_on_deadline (&self->guarded.receiver, now);
    self->steady |= drain (self, now);
  }
  if (!self->pending)
    return FALSE;
  self->pending = FALSE;
  *feedback = self->feedback;
  /* The echo was held until now. */
  feedback->echo_delay += tfrc_time_since (self->feedback_at, now);
  tfrc_guarded_receiver_add_delay (&self->guarded, feedback);
  return TRUE;
}
