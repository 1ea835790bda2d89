/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC's sender in a flow. */

#include "send/unicast.h"

void
tfrc_unicast_init (TfrcUnicast *self, const TfrcSenderConfig *config)
{
  tfrc_sender_init (&self->sender, config);
  tfrc_encoder_rate_init (&self->encoder_rate);
}

void
tfrc_unicast_charge (TfrcUnicast *self, guint size, gboolean backlog,
    TfrcStampBytes *stamp, TfrcTime now)
{
  TfrcStamp sent = tfrc_sender_on_sent (&self->sender, size, backlog, now);

  tfrc_wire_write_stamp (stamp->data, &sent);
  stamp->size = TFRC_WIRE_EXTENSION_SIZE;
}

TfrcResult
tfrc_unicast_on_feedback (TfrcUnicast *self, const TfrcFeedback *feedback,
    TfrcTime now)
{
  TfrcResult result;

  tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
  result = tfrc_sender_on_feedback (&self->sender, feedback, now);
  if (result == TFRC_OK)
    tfrc_encoder_rate_on_report (&self->encoder_rate, &self->sender, now);
  return result;
}

void
tfrc_unicast_on_deadline (TfrcUnicast *self, TfrcTime now)
{
  if (tfrc_sender_next_deadline (&self->sender) > now)
    return;
  tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
  tfrc_sender_on_deadline (&self->sender, now);
}

gboolean
tfrc_unicast_is_heard (const TfrcUnicast *self)
{
  return self->sender.state != TFRC_SENDER_WAITING
      && self->sender.state != TFRC_SENDER_SILENT;
}

TfrcRate
tfrc_unicast_get_encoder_rate (TfrcUnicast *self, TfrcTime now)
{
  tfrc_encoder_rate_advance (&self->encoder_rate, &self->sender, now);
  return tfrc_encoder_rate_get (&self->encoder_rate);
}
