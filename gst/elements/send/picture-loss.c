/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/picture-loss.h"

/* After the first loss a receiver may take a round trip and this to ask for the
 * packet.  Whoever does so once does it always. */
#define REQUEST_DELAY (100 * TFRC_MILLISECOND)

/* From the request to the encoder to a key frame that the receiver has decoded, a
 * round trip apart: pacing it, and waiting in a jitter buffer. */
#define KEY_FRAME_DELAY (400 * TFRC_MILLISECOND)

void
tfrc_picture_loss_init (TfrcPictureLoss *self)
{
  *self = (TfrcPictureLoss) {
    .first_at = TFRC_TIME_NONE,
    .asked_at = TFRC_TIME_NONE,
  };
}

gboolean
tfrc_picture_loss_on_report (TfrcPictureLoss *self, gboolean lost,
    gboolean repaired, TfrcDuration rtt, TfrcTime now)
{
  if (lost && self->first_at == TFRC_TIME_NONE)
    self->first_at = now;
  self->unanswered |= lost;
  if (repaired)
    self->unanswered = FALSE;
  if (!self->unanswered
      || tfrc_time_since (self->first_at, now) < rtt + REQUEST_DELAY)
    return FALSE;
  self->unanswered = FALSE;
  self->asked_at = now;
  return TRUE;
}

gboolean
tfrc_picture_loss_covers_request (const TfrcPictureLoss *self, TfrcDuration rtt,
    TfrcTime now)
{
  return self->asked_at != TFRC_TIME_NONE
      && tfrc_time_since (self->asked_at, now) < rtt + KEY_FRAME_DELAY;
}
