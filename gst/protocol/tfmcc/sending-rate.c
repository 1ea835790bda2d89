/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/sending-rate.h"

static TfrcDuration
time_between (TfmccSendingMark earlier, TfmccSendingMark later)
{
  return (later.time_us - earlier.time_us) * TFRC_MICROSECOND;
}

void
tfmcc_sending_rate_on_packet (TfmccSendingRate *self, uint32_t send_time_us,
    TfrcSeq position, TfrcDuration span)
{
  TfmccSendingMark mark = { .time_us = send_time_us, .position = position };

  /* The sender has restarted, or its clock was set: everything anew. */
  if (self->started
      && (position <= self->newest.position
          || send_time_us - self->newest.time_us > UINT32_MAX / 2))
    self->started = false;
  self->newest = mark;
  if (!self->started) {
    self->older = self->newer = mark;
    self->started = true;
  } else if (time_between (self->newer, mark) >= span) {
    self->older = self->newer;
    self->newer = mark;
  }
}

TfrcDuration
tfmcc_sending_rate_get_interval (const TfmccSendingRate *self)
{
  TfrcSeq packets = self->newest.position - self->older.position;

  if (!self->started || packets == 0)
    return 0;
  return time_between (self->older, self->newest) / packets;
}
