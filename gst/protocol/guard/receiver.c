/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/receiver.h"

#include "base/clock.h"

/* A flow that was silent for so long may be another sender's. */
#define SILENCE (500 * TFRC_MILLISECOND)
/* Packets of one sender may be so much later or earlier than each other. */
#define JITTER (2 * TFRC_SECOND)

static bool shares_clock (const TfrcReceiver *receiver,
    const TfrcDataPacket *packet, TfrcTime now);

TfrcReceiverGuards
tfrc_receiver_guards_default (void)
{
  return (TfrcReceiverGuards) { .check_ssrcs = true };
}

void
tfrc_guarded_receiver_init (TfrcGuardedReceiver *self,
    const TfrcReceiverConfig *config, TfrcReceiverGuards guards)
{
  tfrc_receiver_init (&self->receiver, config);
  self->guards = guards;
  self->packets_foreign = 0;
  self->last_left_at = 0;
}

TfrcResult
tfrc_guarded_receiver_on_packet (TfrcGuardedReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now)
{
  now = tfrc_time_max (now, self->receiver.now);
  if (self->guards.check_ssrcs
      && !tfrc_guarded_receiver_trusts (self, packet->ssrc, now)
      && !shares_clock (&self->receiver, packet, now)) {
    self->packets_foreign++;
    return TFRC_FOREIGN;
  }
  return tfrc_receiver_on_packet (&self->receiver, packet, now);
}

void
tfrc_guarded_receiver_remove_stream (TfrcGuardedReceiver *self, uint32_t ssrc)
{
  tfrc_receiver_remove_stream (&self->receiver, ssrc);
  if (self->receiver.detector.n_streams == 0)
    self->last_left_at = self->receiver.now + 1;
}

bool
tfrc_guarded_receiver_trusts (const TfrcGuardedReceiver *self, uint32_t ssrc,
    TfrcTime now)
{
  const TfrcReceiver *receiver = &self->receiver;
  bool alive = receiver->has_echo
      && receiver->echo.arrived_at >= self->last_left_at
      && tfrc_time_since (receiver->echo.arrived_at, now) < SILENCE;

  return !alive || tfrc_loss_detector_knows (&receiver->detector, ssrc);
}

static bool
shares_clock (const TfrcReceiver *receiver, const TfrcDataPacket *packet,
    TfrcTime now)
{
  const TfrcEcho *echo = &receiver->echo;

  return packet->stamped
      && tfrc_clock_agrees (echo->send_time_us, echo->arrived_at,
          packet->stamp.send_time_us, now, JITTER);
}
