/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/newcomers.h"

#include "base/clock.h"

/* A flow that was silent for so long may be another sender's. */
#define SILENCE (500 * TFRC_MILLISECOND)
/* Packets of one sender may be so much later or earlier than each other. */
#define JITTER (2 * TFRC_SECOND)

void
tfrc_newcomers_init (TfrcNewcomers *self)
{
  *self = (TfrcNewcomers) { 0 };
}

void
tfrc_newcomers_on_stamp (TfrcNewcomers *self, uint32_t send_time_us,
    TfrcTime now)
{
  self->heard = true;
  self->send_time_us = send_time_us;
  self->arrived_at = now;
}

bool
tfrc_newcomers_is_alive (const TfrcNewcomers *self, TfrcTime now)
{
  return self->heard && tfrc_time_since (self->arrived_at, now) < SILENCE;
}

bool
tfrc_newcomers_admit (const TfrcNewcomers *self, const TfrcDataPacket *packet,
    TfrcTime now)
{
  if (!tfrc_newcomers_is_alive (self, now))
    return true;
  return packet->stamped
      && tfrc_clock_agrees (self->send_time_us, self->arrived_at,
          packet->stamp.send_time_us, now, JITTER);
}
