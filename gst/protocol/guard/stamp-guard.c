/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/stamp-guard.h"

#include "base/clock.h"

/* A packet may wait in queues for so long; clocks start at random in 71
 * minutes, so those of two senders are as close in 0.5 % of the cases. */
#define JITTER (10 * TFRC_SECOND)
/* Another clock is believed after so many packets, with nothing of the first
 * one for so long, and for two R_max. */
#define RESTART_PACKETS 3
#define RESTART_SILENCE TFRC_SECOND
/* R_max keeps 0.9 of itself from round to round (RFC 4654 section 3.2), less
 * 6 % since its code is rounded up. */
#define LEAST_MAX_RTT_FACTOR 0.8
/* It rises at once to what networks have and s/X can be, and beyond that to
 * twice what it was in the round before. */
#define USUAL_MAX_RTT (10 * TFRC_SECOND)

static bool believes_round (TfmccStampGuard *self, uint8_t round, TfrcTime now);
static TfrcDuration bounded_max_rtt (const TfmccStampGuard *self,
    TfrcDuration max_rtt, uint8_t n_rounds);

void
tfmcc_stamp_guard_init (TfmccStampGuard *self)
{
  *self = (TfmccStampGuard) { 0 };
}

TfmccStampVerdict
tfmcc_stamp_guard_check (TfmccStampGuard *self, const TfmccStamp *stamp,
    TfrcTime now)
{
  TfrcDuration silence = tfrc_time_since (self->arrived_at, now);

  if (!self->bound)
    return TFMCC_STAMP_OURS;
  if (tfrc_clock_agrees (self->send_time_us, self->arrived_at,
          stamp->send_time_us, now, JITTER)) {
    self->n_others = 0;
    return TFMCC_STAMP_OURS;
  }
  if (self->n_others > 0
      && !tfrc_clock_agrees (self->other_send_time_us, self->other_arrived_at,
          stamp->send_time_us, now, JITTER))
    self->n_others = 0;
  self->n_others++;
  self->other_send_time_us = stamp->send_time_us;
  self->other_arrived_at = now;
  if (self->n_others < RESTART_PACKETS || silence <= RESTART_SILENCE
      || silence <= 2 * self->max_rtt)
    return TFMCC_STAMP_FOREIGN;
  tfmcc_stamp_guard_init (self);
  return TFMCC_STAMP_RESTARTED;
}

bool
tfmcc_stamp_guard_correct (TfmccStampGuard *self, TfmccStamp *stamp,
    TfrcTime now)
{
  TfmccStamp given = *stamp;
  uint8_t n_rounds = 0;

  if (!self->bound) {
    self->bound = true;
    self->round = stamp->round;
    /* Nobody knows how long ago: the next one may follow at once. */
    self->round_began_at = tfrc_time_sub (now, stamp->max_rtt);
    self->round_max_rtt = self->max_rtt = stamp->max_rtt;
  } else if (believes_round (self, stamp->round, now)) {
    n_rounds = (uint8_t) (stamp->round - self->round);
  } else {
    stamp->round = self->round;
  }
  if (n_rounds > 0) {
    self->round = stamp->round;
    self->round_began_at = now;
    self->round_max_rtt = self->max_rtt;
  }
  stamp->max_rtt = self->max_rtt = bounded_max_rtt (self, stamp->max_rtt,
      n_rounds);
  self->send_time_us = stamp->send_time_us;
  self->arrived_at = now;
  return stamp->round != given.round || stamp->max_rtt != given.max_rtt;
}

/* RFC 4654 section 4.5: a higher number, or one that has wrapped, is a new round.
 * A round lasts for R_max at least, half of that is believed: so no number makes
 * this receiver report more often.  What runs back, or too far ahead, is believed
 * when the next packet says so, too. */
static bool
believes_round (TfmccStampGuard *self, uint8_t round, TfrcTime now)
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
bounded_max_rtt (const TfmccStampGuard *self, TfrcDuration max_rtt,
    uint8_t n_rounds)
{
  double least = (double) self->max_rtt;

  if (max_rtt >= self->max_rtt)
    return tfrc_time_min (max_rtt,
        tfrc_time_max (tfrc_time_max (USUAL_MAX_RTT, self->max_rtt),
            2 * self->round_max_rtt));
  least *= pow (LEAST_MAX_RTT_FACTOR, n_rounds);
  return tfrc_time_max (max_rtt, (TfrcDuration) least);
}
