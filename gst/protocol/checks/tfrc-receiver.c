/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "checks/tfrc-receiver.h"

#include "base/units.h"

/* After so long a silence the flow may be another sender's. */
#define SENDER_TIMEOUT (500 * TFRC_MILLISECOND)
/* How much later or earlier packets of one sender may arrive relative to each
 * other. */
#define JITTER (2 * TFRC_SECOND)

TfrcReceiverChecks
tfrc_receiver_checks_default (void)
{
  return (TfrcReceiverChecks) { .report_delays = true };
}

void
tfrc_checked_receiver_init (TfrcCheckedReceiver *self,
    const TfrcReceiverConfig *config, TfrcReceiverChecks checks)
{
  tfrc_receiver_init (&self->receiver, config);
  self->checks = checks;
  self->delay_meter = (TfrcDelayMeter) { 0 };
  self->packets_foreign = 0;
  self->last_left_at = 0;
}

/* `restarts`: restarts of the sender before this packet. */
static void
measure_delay (TfrcCheckedReceiver *self, const TfrcDataPacket *packet,
    uint64_t restarts, TfrcTime now)
{
  if (self->receiver.counters.sender_restarts != restarts)
    tfrc_delay_meter_forget (&self->delay_meter);
  if (packet->has_extension)
    tfrc_delay_meter_on_packet (&self->delay_meter,
        packet->extension.send_time_us, packet->size, packet->extension.rtt,
        now);
  else
    self->delay_meter.report.bytes += packet->size;
}

static bool
shares_clock (const TfrcReceiver *receiver, const TfrcDataPacket *packet,
    TfrcTime now)
{
  const TfrcEcho *echo = &receiver->echo;

  return packet->has_extension
      && tfrc_clock_agrees (echo->send_time_us, echo->arrived_at,
          packet->extension.send_time_us, now, JITTER);
}

TfrcResult
tfrc_checked_receiver_on_packet (TfrcCheckedReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now)
{
  TfrcResult result;
  uint64_t restarts;

  now = tfrc_time_max (now, self->receiver.now);
  if (!tfrc_checked_receiver_accepts_stream (self, packet->ssrc, now)
      && !shares_clock (&self->receiver, packet, now)) {
    self->packets_foreign++;
    return TFRC_FOREIGN;
  }
  restarts = self->receiver.counters.sender_restarts;
  result = tfrc_receiver_on_packet (&self->receiver, packet, now);
  if (result == TFRC_OK)
    measure_delay (self, packet, restarts, now);
  return result;
}

void
tfrc_checked_receiver_forget (TfrcCheckedReceiver *self)
{
  tfrc_receiver_forget (&self->receiver);
  tfrc_delay_meter_forget (&self->delay_meter);
}

void
tfrc_checked_receiver_add_delay (TfrcCheckedReceiver *self,
    TfrcFeedback *feedback)
{
  TfrcDelayReport *delay = &feedback->delay;

  feedback->has_delay = self->checks.report_delays
      && tfrc_delay_meter_poll (&self->delay_meter, delay);
  delay->arrival_us += self->checks.clock_offset_us;
  delay->newest_delay_us += self->checks.clock_offset_us;
  delay->least_delay_us += self->checks.clock_offset_us;
}

void
tfrc_checked_receiver_remove_stream (TfrcCheckedReceiver *self, uint32_t ssrc)
{
  tfrc_receiver_remove_stream (&self->receiver, ssrc);
  if (self->receiver.detector.n_streams == 0)
    self->last_left_at = self->receiver.now + 1;
}

bool
tfrc_checked_receiver_accepts_stream (const TfrcCheckedReceiver *self,
    uint32_t ssrc, TfrcTime now)
{
  const TfrcReceiver *receiver = &self->receiver;
  bool alive = receiver->has_echo
      && receiver->echo.arrived_at >= self->last_left_at
      && tfrc_time_since (receiver->echo.arrived_at, now) < SENDER_TIMEOUT;

  return !alive || tfrc_loss_detector_knows (&receiver->detector, ssrc);
}
