/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits requests for key frames to one in a second. */

#include "send/key-limit.h"

void
tfrc_key_limit_init (TfrcKeyLimit *self)
{
  *self = (TfrcKeyLimit) {
    .sent_at = TFRC_TIME_NONE,
    .answered = TRUE,
  };
}

static gboolean
send_now (TfrcKeyLimit *self, TfrcTime now)
{
  self->sent_at = now;
  self->answered = FALSE;
  self->pending = FALSE;
  return TRUE;
}

gboolean
tfrc_key_limit_ask (TfrcKeyLimit *self, TfrcTime now)
{
  if (tfrc_key_limit_may_ask (self, now))
    return send_now (self, now);
  if (self->answered)
    self->pending = TRUE;
  return FALSE;
}

gboolean
tfrc_key_limit_may_ask (const TfrcKeyLimit *self, TfrcTime now)
{
  return self->sent_at == TFRC_TIME_NONE
      || tfrc_time_since (self->sent_at, now) >= TFRC_KEY_LIMIT_INTERVAL;
}

void
tfrc_key_limit_on_key_frame (TfrcKeyLimit *self)
{
  self->answered = TRUE;
}

TfrcTime
tfrc_key_limit_next_deadline (const TfrcKeyLimit *self)
{
  return self->pending ? tfrc_time_add (self->sent_at, TFRC_KEY_LIMIT_INTERVAL)
                       : TFRC_TIME_NONE;
}

gboolean
tfrc_key_limit_on_deadline (TfrcKeyLimit *self, TfrcTime now)
{
  return self->pending && tfrc_key_limit_may_ask (self, now)
      && send_now (self, now);
}
