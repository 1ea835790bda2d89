/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "checks/tfmcc-packets.h"

#include <math.h>

/* How long a packet may wait in queues.  Clocks have a random origin within 71
 * minutes, so those of two senders agree by chance in 0.5 % of the cases. */
#define JITTER (10 * TFRC_SECOND)
/* Another clock is accepted after this many packets, if there was no packet of the
 * first one for this long, and for two R_max. */
#define RESTART_PACKETS 3
#define RESTART_TIMEOUT TFRC_SECOND
/* Least part of R_max that it keeps from round to round: 0.25 while it is the
 * initial one, minus 6 % since its code is rounded up. */
#define LEAST_MAX_RTT_FACTOR 0.2
/* R_max is accepted at once up to this, which covers real networks and s/X, and
 * beyond it up to twice the value of the previous round. */
#define USUAL_MAX_RTT (10 * TFRC_SECOND)

/* An RTT sample is at most twice R_max, plus the time the forward path may hold
 * packets (JITTER), and not negative except for drift.  Timestamps have a random
 * origin, so those of another receiver with our SSRC pass in 0.3 % of the cases. */
#define SAMPLE_DRIFT_US (uint32_t) (TFRC_SECOND / TFRC_MICROSECOND)

void
tfmcc_packet_check_forget (TfmccPacketCheck *self)
{
  self->sender = (TfmccKnownSender) { 0 };
}

TfmccPacketVerdict
tfmcc_packet_check_judge (TfmccPacketCheck *self,
    const TfmccExtension *extension, TfrcTime now)
{
  TfmccKnownSender *known = &self->sender;
  TfrcDuration gap = tfrc_time_since (known->arrived_at, now);

  if (!known->bound)
    return TFMCC_PACKET_OURS;
  if (tfrc_clock_agrees (known->send_time_us, known->arrived_at,
          extension->send_time_us, now, JITTER)) {
    known->n_others = 0;
    return TFMCC_PACKET_OURS;
  }
  if (known->n_others > 0
      && !tfrc_clock_agrees (known->other_send_time_us, known->other_arrived_at,
          extension->send_time_us, now, JITTER))
    known->n_others = 0;
  known->n_others++;
  known->other_send_time_us = extension->send_time_us;
  known->other_arrived_at = now;
  if (known->n_others < RESTART_PACKETS || gap <= RESTART_TIMEOUT
      || gap <= 2 * known->max_rtt)
    return TFMCC_PACKET_FOREIGN;
  tfmcc_packet_check_forget (self);
  return TFMCC_PACKET_RESTARTED;
}

/* RFC 4654 section 4.5: a higher number, or one that has wrapped, is a new round.
 * A round lasts for at least R_max, and half of that is accepted, so no number
 * makes this receiver report much more often.  A number that goes back, or too far
 * ahead, is accepted if the next packet confirms it. */
static bool
is_plausible_round (TfmccKnownSender *self, uint8_t round, TfrcTime now)
{
  uint8_t ahead = (uint8_t) (round - self->round);
  TfrcDuration age = tfrc_time_since (self->round_began_at, now);
  bool was_doubted = self->doubted
      && (round == self->doubted_round
          || round == (uint8_t) (self->doubted_round + 1));

  self->doubted = false;
  if (ahead == 0)
    return true;
  if (ahead <= UINT8_MAX / 2 && ahead * self->max_rtt <= 2 * age)
    return true;
  if (was_doubted && self->max_rtt <= 2 * age)
    return true;
  self->doubted = true;
  self->doubted_round = round;
  return false;
}

static TfrcDuration
bounded_max_rtt (const TfmccKnownSender *self, const TfmccExtension *extension,
    uint8_t n_rounds)
{
  TfrcDuration max_rtt = extension->max_rtt;
  double least = (double) self->max_rtt;

  if (max_rtt >= self->max_rtt)
    return tfrc_time_min (max_rtt,
        tfrc_time_max (tfrc_time_max (USUAL_MAX_RTT, self->max_rtt),
            2 * self->round_max_rtt));
  least *= pow (LEAST_MAX_RTT_FACTOR, n_rounds);
  return tfrc_time_max (max_rtt, (TfrcDuration) least);
}

bool
tfmcc_packet_check_correct (TfmccPacketCheck *self, TfmccExtension *extension,
    TfrcTime now)
{
  TfmccKnownSender *known = &self->sender;
  TfmccExtension given = *extension;
  uint8_t n_rounds = 0;

  if (!known->bound) {
    known->bound = true;
    known->round = extension->round;
    /* It is not known when this round began, so the next one may follow at once. */
    known->round_began_at = tfrc_time_sub (now, extension->max_rtt);
    known->round_max_rtt = known->max_rtt = extension->max_rtt;
  } else if (is_plausible_round (known, extension->round, now)) {
    n_rounds = (uint8_t) (extension->round - known->round);
  } else {
    extension->round = known->round;
  }
  if (n_rounds > 0) {
    known->round = extension->round;
    known->round_began_at = now;
    known->round_max_rtt = known->max_rtt;
  }
  extension->max_rtt = known->max_rtt = bounded_max_rtt (known, extension,
      n_rounds);
  known->send_time_us = extension->send_time_us;
  known->arrived_at = now;
  return extension->round != given.round || extension->max_rtt != given.max_rtt;
}

/* A packet without extension is the sender's if others of its SSRC had one. */
static bool
is_ours (TfmccPacketCheck *self, TfmccReceiver *receiver,
    const TfrcDataPacket *packet, const TfmccExtension *extension, TfrcTime now)
{
  bool leaving = receiver->leaving;

  if (extension == NULL)
    return tfrc_loss_detector_knows (&receiver->detector, packet->ssrc);
  switch (tfmcc_packet_check_judge (self, extension, now)) {
    case TFMCC_PACKET_OURS:
      break;
    case TFMCC_PACKET_FOREIGN:
      return false;
    case TFMCC_PACKET_RESTARTED:
      self->counters.sender_restarts++;
      tfmcc_receiver_on_restart (receiver, extension->max_rtt, now);
      receiver->leaving = leaving;
      break;
  }
  return true;
}

static bool
is_strange_echo (const TfmccReceiver *receiver, const TfmccExtension *extension,
    TfrcTime now)
{
  uint32_t sample_us = (uint32_t) (now / TFRC_MICROSECOND)
      + receiver->config.timestamp_offset_us - extension->echo.report_time_us;
  TfrcDuration limit_us = (2 * extension->max_rtt + JITTER) / TFRC_MICROSECOND;

  return extension->has_echo && extension->echo.ssrc == receiver->config.ssrc
      && sample_us + SAMPLE_DRIFT_US > limit_us + SAMPLE_DRIFT_US;
}

TfrcResult
tfmcc_packet_check_on_packet (TfmccPacketCheck *self, TfmccReceiver *receiver,
    const TfrcDataPacket *packet, const TfmccExtension *extension, TfrcTime now)
{
  TfrcSeq newest;
  TfmccKnownSender before;
  TfmccExtension plausible;
  bool corrected, strange;
  TfrcResult result;

  now = tfrc_time_max (receiver->now, now);
  if (!is_ours (self, receiver, packet, extension, now)) {
    self->counters.packets_foreign++;
    return TFRC_INVALID;
  }
  if (extension == NULL)
    return tfmcc_receiver_on_packet (receiver, packet, NULL, now);
  newest = receiver->detector.flow.highest;
  before = self->sender;
  plausible = *extension;
  corrected = tfmcc_packet_check_correct (self, &plausible, now);
  strange = is_strange_echo (receiver, &plausible, now);
  if (strange)
    plausible.echo.ssrc = ~receiver->config.ssrc;
  result = tfmcc_receiver_on_packet (receiver, packet, &plausible, now);
  /* Only the newest packet shows the current state. */
  if (receiver->detector.flow.highest > newest) {
    self->counters.extensions_corrected += corrected;
    self->counters.ssrc_collisions += strange;
  } else {
    self->sender = before;
  }
  return result;
}

/* Time constant of the means, as a fraction of the timeout. */
#define MEMORY (1.0 / 8.0)
#define TOO_FAST_RATIO 0.7
#define BEARABLE_RATIO 0.8

void
tfmcc_leave_check_init (TfmccLeaveCheck *self, TfrcDuration timeout)
{
  self->timeout = timeout;
  tfmcc_leave_check_forget (self);
}

void
tfmcc_leave_check_forget (TfmccLeaveCheck *self)
{
  self->rate = 0.0;
  self->sending_rate = 0.0;
  self->updated_at = TFRC_TIME_NONE;
  self->too_fast_since = TFRC_TIME_NONE;
  self->hopeless = false;
}

/* An exponential mean over time, so that it does not matter how often it is
 * updated. */
static void
average (TfmccLeaveCheck *self, TfrcRate rate, TfrcRate sending_rate,
    TfrcTime now)
{
  double memory = MEMORY * tfrc_duration_to_seconds (self->timeout);
  double weight = 1.0;

  if (self->updated_at != TFRC_TIME_NONE)
    weight -=
        exp (-tfrc_duration_to_seconds (tfrc_time_since (self->updated_at, now))
            / memory);
  self->rate += weight * (rate - self->rate);
  self->sending_rate += weight * (sending_rate - self->sending_rate);
  self->updated_at = now;
}

bool
tfmcc_leave_check_on_rates (TfmccLeaveCheck *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcTime now)
{
  if (self->timeout == 0) {
    tfmcc_leave_check_forget (self);
    return false;
  }
  average (self, rate, sending_rate, now);
  if (self->rate >= BEARABLE_RATIO * self->sending_rate) {
    self->too_fast_since = TFRC_TIME_NONE;
    self->hopeless = false;
  } else if (self->too_fast_since == TFRC_TIME_NONE
      && self->rate < TOO_FAST_RATIO * self->sending_rate) {
    self->too_fast_since = now;
  }
  if (self->hopeless || self->too_fast_since == TFRC_TIME_NONE
      || tfrc_time_since (self->too_fast_since, now) < self->timeout)
    return false;
  self->hopeless = true;
  return true;
}
