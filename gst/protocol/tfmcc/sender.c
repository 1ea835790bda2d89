/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender of RFC 4654 section 3: packets out, which reports are believed,
 * rounds, timeouts.  What they do to the rate is in tfmcc/sender-rate.c. */
#include "tfmcc/sender-rate.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* No report answers an older packet; R_max cannot say more. */
#define MAX_RTT (64 * TFRC_SECOND)

static TfrcTime advance (TfmccSender *self, TfrcTime now);
static TfrcDuration rtt_of (const TfmccSender *self, const TfmccReport *report);
static bool is_possible (const TfmccSender *self, const TfmccReport *report);
static bool is_admitted (TfmccSender *self, const TfmccReport *report,
    TfrcDuration rtt);
static void take (TfmccSender *self, const TfmccReport *report,
    TfrcDuration rtt);
static void echo_later (TfmccSender *self, TfmccClrChange change,
    const TfmccReport *report);
static void ask_group (TfmccSender *self);
static void begin_round (TfmccSender *self);
static TfrcDuration halving_interval (const TfmccSender *self);

TfmccSenderConfig
tfmcc_sender_config_default (void)
{
  return (TfmccSenderConfig) {
    .max_segment_size = 1200,
    .min_rate = 0.0,
    .max_rate = INFINITY,
    .max_credit = 10 * TFRC_MILLISECOND,
    .round = tfmcc_round_config_default (),
  };
}

void
tfmcc_sender_init (TfmccSender *self, const TfmccSenderConfig *config)
{
  *self = (TfmccSender) { .config = *config };
  if (self->config.max_segment_size == 0)
    self->config.max_segment_size = 1;
  if (!(self->config.min_rate >= 0.0))
    self->config.min_rate = 0.0;
  if (!(self->config.max_rate >= self->config.min_rate))
    self->config.max_rate = self->config.min_rate;
  tfmcc_round_init (&self->round, &self->config.round);
  tfmcc_clr_init (&self->clr);
  tfmcc_echoes_init (&self->echoes);
  tfmcc_guard_init (&self->guard);
  tfmcc_sending_rate_init (&self->sending_rate);
  tfrc_pacer_init (&self->pacer, self->round.config.granularity,
      self->config.max_credit);
  tfrc_segment_size_init (&self->segment_size,
      (double) self->config.max_segment_size);
  self->started_at = self->sent_at = self->heard_at = TFRC_TIME_NONE;
  self->data_limited_at = TFRC_TIME_NONE;
  tfmcc_sender_rate_init (self);
}

TfrcTime
tfmcc_sender_next_send_at (const TfmccSender *self)
{
  return tfrc_pacer_next_send_at (&self->pacer,
      tfmcc_ramp_get (&self->rate, self->now), self->round.max_rtt);
}

TfmccStamp
tfmcc_sender_on_sent (TfmccSender *self, uint32_t size, bool backlog,
    TfrcTime now)
{
  TfmccStamp stamp = { 0 };
  TfrcTime half;

  assert (size > 0);
  now = advance (self, now);
  if (self->started_at == TFRC_TIME_NONE) {
    self->started_at = self->heard_at = now;
    tfmcc_round_start (&self->round, now);
  } else if (tfmcc_sender_rate_resume (self)) {
    self->heard_at = now;
    tfmcc_clr_on_pause (&self->clr);
  }
  tfrc_pacer_on_sent (&self->pacer, size, tfmcc_ramp_get (&self->rate, now),
      self->round.max_rtt, now);
  tfrc_segment_size_on_packet (&self->segment_size, size, 0.0);
  self->sent_at = now;
  tfmcc_clr_on_sent (&self->clr, now);
  self->counters.packets++;
  tfmcc_sending_rate_on_packet (&self->sending_rate,
      (uint32_t) (now / TFRC_MICROSECOND), self->counters.packets,
      self->round.max_rtt);
  self->counters.bytes += size;
  self->application_limited = !backlog;
  if (!backlog)
    self->data_limited_at = now;
  tfmcc_sender_rate_note_interval (self);

  half = tfrc_time_add (self->round.began_at,
      tfmcc_round_get_span (&self->round) / 2);
  stamp.suppression_rate = self->round.suppression_rate;
  stamp.max_rtt = self->round.max_rtt;
  stamp.round = self->round.number;
  stamp.send_time_us = (uint32_t) (now / TFRC_MICROSECOND)
      + self->config.timestamp_offset_us;
  stamp.slow_start = self->slow_start;
  stamp.application_limited = self->application_limited;
  stamp.has_echo = tfmcc_echoes_next (&self->echoes, now >= half,
      self->round.number, &stamp.echo, now);
  return stamp;
}

TfrcResult
tfmcc_sender_on_report (TfmccSender *self, const TfmccReport *report,
    TfrcTime now)
{
  TfmccReport believed = *report;
  TfrcRate floor = tfmcc_sender_rate_get_minimum (self);
  TfrcDuration rtt, believed_rtt;

  advance (self, now);
  self->clr_change = TFMCC_CLR_UNCHANGED;
  rtt = rtt_of (self, report);
  if (rtt == 0 || !is_possible (self, report)) {
    self->counters.reports_invalid++;
    return TFRC_INVALID;
  }
  if (!is_admitted (self, report, rtt))
    return TFRC_STALE;
  believed_rtt = tfmcc_round_on_rtt (&self->round, rtt);
  self->counters.reports_rtt_bounded += believed_rtt < rtt;
  /* RFC 4654 section 3.3: nobody is served with less. */
  self->counters.reports_below_floor += report->rate < floor;
  believed.rate = fmax (report->rate, floor);
  take (self, &believed, believed_rtt);
  return TFRC_OK;
}

TfrcTime
tfmcc_sender_next_deadline (const TfmccSender *self)
{
  TfrcTime starved_at;

  if (self->started_at == TFRC_TIME_NONE)
    return TFRC_TIME_NONE;
  starved_at = tfrc_time_add (self->heard_at, halving_interval (self));
  return tfrc_time_min (starved_at,
      tfrc_time_min (tfmcc_round_next_deadline (&self->round),
          tfmcc_clr_next_deadline (&self->clr)));
}

void
tfmcc_sender_on_deadline (TfmccSender *self, TfrcTime now)
{
  bool clr_leaves = self->clr.leaving;

  now = advance (self, now);
  if (self->started_at == TFRC_TIME_NONE)
    return;
  if (tfmcc_round_on_deadline (&self->round, now))
    begin_round (self);

  switch (tfmcc_clr_on_deadline (&self->clr, now)) {
    case TFMCC_CLR_HEARD:
      break;
    case TFMCC_CLR_SILENT:
      tfmcc_sender_rate_set (self, tfmcc_ramp_get (&self->rate, now) / 2.0);
      break;
    case TFMCC_CLR_GONE:
      self->counters.clr_timeouts += !clr_leaves;
      tfmcc_echoes_clear_clr (&self->echoes);
      /* What it could have taken is no aim any more. */
      if (!self->slow_start)
        tfmcc_sender_rate_set (self, tfmcc_ramp_get (&self->rate, now));
      ask_group (self);
      break;
  }
  if (tfrc_time_add (self->heard_at, halving_interval (self)) <= now) {
    if (self->sent_at > self->heard_at) {
      self->counters.starvations++;
      tfmcc_sender_rate_set (self, tfmcc_ramp_get (&self->rate, now) / 2.0);
    }
    self->heard_at = now;
  }
}

void
tfmcc_sender_set_min_rate (TfmccSender *self, TfrcRate min_rate)
{
  TfrcRate rate = tfmcc_ramp_get (&self->rate, self->now);

  assert (min_rate >= 0.0);
  self->config.min_rate = min_rate;
  self->config.max_rate = fmax (self->config.max_rate, min_rate);
  if (rate < fmax (min_rate, tfmcc_sender_rate_get_minimum (self)))
    tfmcc_sender_rate_set (self, rate);
}

TfrcRate
tfmcc_sender_get_rate (const TfmccSender *self, TfrcTime now)
{
  return tfmcc_ramp_get (&self->rate, tfrc_time_max (self->now, now));
}

const TfmccLimiter *
tfmcc_sender_get_clr (const TfmccSender *self)
{
  return self->clr.known ? &self->clr.limiter : NULL;
}

uint32_t
tfmcc_sender_get_receivers (const TfmccSender *self, TfrcTime now)
{
  return tfmcc_guard_get_receivers (&self->guard, now);
}

TfmccSenderCounters
tfmcc_sender_get_counters (const TfmccSender *self)
{
  TfmccSenderCounters counters = self->counters;

  counters.clr_changes = self->clr.changes;
  return counters;
}

static TfrcTime
advance (TfmccSender *self, TfrcTime now)
{
  self->now = tfrc_time_max (self->now, now);
  return self->now;
}

/* "R_r = now - ts_i'", RFC 4654 section 3.2; 0: it answers nothing we sent. */
static TfrcDuration
rtt_of (const TfmccSender *self, const TfmccReport *report)
{
  TfrcTime now_us = self->now / TFRC_MICROSECOND;
  uint32_t age_us = (uint32_t) now_us + self->config.timestamp_offset_us
      - report->echo_time_us;

  if (self->started_at == TFRC_TIME_NONE || age_us > UINT32_MAX / 2
      || age_us > MAX_RTT / TFRC_MICROSECOND
      || (TfrcTime) age_us * TFRC_MICROSECOND
          > tfrc_time_since (self->started_at, self->now) + TFRC_MICROSECOND)
    return 0;
  return tfrc_time_max (age_us * TFRC_MICROSECOND, TFMCC_MIN_RTT);
}

/* A rate, and a round that has begun. */
static bool
is_possible (const TfmccSender *self, const TfmccReport *report)
{
  uint8_t age = (uint8_t) (self->round.number - report->round);

  return report->rate > 0.0 && !isinf (report->rate) && age <= UINT8_MAX / 2
      && age <= self->counters.rounds;
}

static bool
is_admitted (TfmccSender *self, const TfmccReport *report, TfrcDuration rtt)
{
  switch (tfmcc_guard_on_report (&self->guard, report, rtt, self->round.max_rtt,
      self->clr.packet_interval, tfmcc_clr_is (&self->clr, report->ssrc),
      self->now)) {
    case TFMCC_GUARD_PASSED:
      return true;
    case TFMCC_GUARD_LIMITED:
      self->counters.reports_limited++;
      break;
    case TFMCC_GUARD_COLLIDING:
      self->counters.reports_colliding++;
      break;
  }
  return false;
}

/* RFC 4654 section 3.3. */
static void
take (TfmccSender *self, const TfmccReport *report, TfrcDuration rtt)
{
  TfrcRate limit = tfmcc_sender_rate_get_limit (self, report, rtt);
  TfmccClrChange change;

  self->heard_at = self->now;
  self->counters.reports++;
  self->counters.reports_without_rtt += !report->has_rtt;
  self->counters.leaves += report->leaving;
  if (report->has_loss)
    self->slow_start = false;
  change = self->clr_change = tfmcc_clr_on_report (&self->clr, report, limit,
      rtt, tfmcc_ramp_get (&self->rate, self->now), self->now);
  tfmcc_sender_rate_on_report (self, report, limit, change);
  if (change == TFMCC_CLR_REPORTED && report->leaving)
    ask_group (self);
  echo_later (self, change, report);
  if (change == TFMCC_CLR_REPORTED) {
    self->counters.reports_clr++;
  } else {
    uint8_t round = self->round.number;

    /* "On every non-CLR report of the current round", section 3.4. */
    if (report->round == round)
      tfmcc_round_on_report (&self->round, report->rate, report->has_loss,
          self->now);
    if (self->round.number != round)
      begin_round (self);
  }
}

static void
echo_later (TfmccSender *self, TfmccClrChange change, const TfmccReport *report)
{
  TfmccEchoClass class = TFMCC_ECHO_OTHER;

  if (change == TFMCC_CLR_RESTORED)
    tfmcc_echoes_restore_clr (&self->echoes);
  if (tfmcc_clr_is (&self->clr, report->ssrc))
    tfmcc_echoes_set_clr (&self->echoes, report, self->now);
  if (change == TFMCC_CLR_REPORTED && report->has_rtt)
    return;
  if (tfmcc_clr_is (&self->clr, report->ssrc))
    class = TFMCC_ECHO_NEW_CLR;
  else if (!report->has_rtt)
    class = TFMCC_ECHO_NO_RTT;
  tfmcc_echoes_add (&self->echoes, report, class, self->round.number,
      self->now);
}

/* There is no CLR: a new round brings the next one. */
static void
ask_group (TfmccSender *self)
{
  if (tfmcc_round_cut (&self->round, self->now))
    begin_round (self);
}

static void
begin_round (TfmccSender *self)
{
  self->counters.rounds++;
  tfmcc_clr_on_round (&self->clr);
  tfmcc_guard_on_round (&self->guard);
  tfmcc_echoes_on_round (&self->echoes);
  tfmcc_sender_rate_on_round (self);
}

/* Nobody has to answer before a round without any answer is over, which takes
 * 12 R_max with b = 6, and more at low rates. */
static TfrcDuration
halving_interval (const TfmccSender *self)
{
  return tfrc_time_max (TFMCC_SENDER_HALVING_RTTS * self->round.max_rtt,
      2 * tfmcc_round_get_span (&self->round));
}
