/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc-newcomers.h"

/* A flow that was silent for so long may be another sender's. */
#define SILENCE (500 * TFRC_MILLISECOND)
/* How long nobody is admitted after one who was refused. */
#define REFUSAL TFRC_SECOND
/* Packets of one sender may be so much later or earlier than each other. */
#define JITTER (2 * TFRC_SECOND)

static bool keeps_pace (const TfrcNewcomers *self, uint32_t send_time_us,
    TfrcTime now);

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
tfrc_newcomers_admit (TfrcNewcomers *self, const TfrcDataPacket *packet,
    TfrcTime now)
{
  bool closed = self->refusing
      && tfrc_time_since (self->refused_at, now) < REFUSAL;

  if (!tfrc_newcomers_is_alive (self, now)) {
    self->refusing = false;
    return true;
  }
  if (!closed && packet->stamped
      && keeps_pace (self, packet->stamp.send_time_us, now))
    return true;
  self->refusing = true;
  self->refused_at = now;
  return false;
}

/* Sender's timestamps and our clock advance alike. */
static bool
keeps_pace (const TfrcNewcomers *self, uint32_t send_time_us, TfrcTime now)
{
  uint32_t jitter_us = (uint32_t) (JITTER / TFRC_MICROSECOND);
  uint32_t ahead_us = send_time_us - self->send_time_us
      - (uint32_t) (tfrc_time_since (self->arrived_at, now) / TFRC_MICROSECOND);

  return ahead_us + jitter_us <= 2 * jitter_us;
}
