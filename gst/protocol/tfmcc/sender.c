/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/sender.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* Reports about older packets are invalid; R_max cannot express more. */
#define MAX_RTT (64 * TFRC_SECOND)
/* RFC 4654 section 3.3: at least one packet in this time. */
#define MAX_PACKET_INTERVAL (8 * TFRC_SECOND)
/* RFC 4654 sections 3.3 and 3.6: a silence of the group, or of the application,
 * halves the rate after every so many R_max. */
#define HALVING_RTTS 10
/* RFC 7661 section 4.4.3: slow start returns to this part of a rate that was not
 * used for a while. */
#define RETURN_PART 0.75
/* RFC 7661 section 5: a rate of longer ago says nothing about the present. */
#define RETURN_TIME (300 * TFRC_SECOND)
/* The source counts as the limit if so recently a packet was sent with nothing
 * waiting behind it. */
#define UNUSED_TIME TFRC_SECOND

TfrcRate
tfmcc_allowed_rate_get (const TfmccAllowedRate *self, TfrcTime now)
{
  double seconds = tfrc_duration_to_seconds (tfrc_time_since (self->since,
      now));

  return fmin (self->target, self->base + self->slope * seconds);
}

void
tfmcc_allowed_rate_set (TfmccAllowedRate *self, TfrcRate rate, TfrcTime now)
{
  *self = (TfmccAllowedRate) { .base = rate, .target = rate, .since = now };
}

void
tfmcc_allowed_rate_approach (TfmccAllowedRate *self, TfrcRate target,
    double slope, TfrcTime start, TfrcTime now)
{
  TfrcRate rate = tfmcc_allowed_rate_get (self, now);

  if (target <= rate) {
    tfmcc_allowed_rate_set (self, target, now);
    return;
  }
  /* A hold that has not ended yet is not cut short. */
  if (self->since > now && self->target > self->base)
    start = tfrc_time_max (start, self->since);
  *self = (TfmccAllowedRate) {
    .base = rate,
    .target = target,
    .slope = slope,
    .since = tfrc_time_max (start, now),
  };
}

/* RFC 4654 section 3.5: by class, then the oldest round, then the lowest rate. */
static bool
goes_before (const TfmccPendingEcho *a, const TfmccPendingEcho *b,
    uint8_t round)
{
  uint8_t age_a = (uint8_t) (round - a->round);
  uint8_t age_b = (uint8_t) (round - b->round);

  if (a->priority != b->priority)
    return a->priority < b->priority;
  if (a->priority != TFMCC_ECHO_NEW_CLR && age_a != age_b)
    return age_a > age_b;
  return a->rate < b->rate;
}

static void
remove_at (TfmccEchoes *self, uint32_t i)
{
  self->pending[i] = self->pending[--self->n_pending];
}

static void
remove_receiver (TfmccEchoes *self, uint32_t ssrc)
{
  for (uint32_t i = 0; i < self->n_pending; i++) {
    if (self->pending[i].ssrc == ssrc) {
      remove_at (self, i);
      return;
    }
  }
}

static TfmccPendingEcho
pending_of (const TfmccReport *report, TfmccEchoClass priority, TfrcTime now)
{
  return (TfmccPendingEcho) {
    .priority = priority,
    .ssrc = report->ssrc,
    .report_time_us = report->report_time_us,
    .received_at = now,
    .round = report->round,
    .rate = report->rate,
  };
}

void
tfmcc_echoes_add (TfmccEchoes *self, const TfmccReport *report,
    TfmccEchoClass priority, uint8_t round, TfrcTime now)
{
  TfmccPendingEcho added = pending_of (report, priority, now);
  uint32_t last = 0;

  remove_receiver (self, added.ssrc);
  if (self->n_pending < TFMCC_MAX_ECHOES) {
    self->pending[self->n_pending++] = added;
    return;
  }
  self->dropped++;
  for (uint32_t i = 1; i < self->n_pending; i++) {
    if (goes_before (&self->pending[last], &self->pending[i], round))
      last = i;
  }
  if (goes_before (&added, &self->pending[last], round))
    self->pending[last] = added;
}

void
tfmcc_echoes_set_clr (TfmccEchoes *self, const TfmccReport *report,
    TfrcTime now)
{
  if (!self->has_clr || self->clr.ssrc != report->ssrc)
    self->clr_owed = true;
  self->has_clr = true;
  self->clr = pending_of (report, TFMCC_ECHO_OTHER, now);
}

/* "tr_r' = tr_r + ts_d", RFC 4654 section 2.2.1. */
static void
fill_echo (TfmccEcho *echo, const TfmccPendingEcho *pending, bool is_clr,
    TfrcTime now)
{
  *echo = (TfmccEcho) {
    .ssrc = pending->ssrc,
    .report_time_us = pending->report_time_us
        + (uint32_t) (tfrc_time_since (pending->received_at, now)
            / TFRC_MICROSECOND),
    .is_clr = is_clr,
  };
}

bool
tfmcc_echoes_next (TfmccEchoes *self, bool clr_is_due, uint8_t round,
    TfmccEcho *echo, TfrcTime now)
{
  uint32_t first = 0;

  for (uint32_t i = 1; i < self->n_pending; i++) {
    if (goes_before (&self->pending[i], &self->pending[first], round))
      first = i;
  }
  if (self->n_pending > 0
      && (self->pending[first].priority == TFMCC_ECHO_NEW_CLR
          || !(self->has_clr && self->clr_owed && clr_is_due))) {
    TfmccPendingEcho chosen = self->pending[first];
    bool is_clr = self->has_clr && chosen.ssrc == self->clr.ssrc;

    remove_at (self, first);
    fill_echo (echo, &chosen, is_clr, now);
    if (is_clr)
      self->clr_owed = false;
    return true;
  }
  if (!self->has_clr)
    return false;
  fill_echo (echo, &self->clr, true, now);
  self->clr_owed = false;
  return true;
}

TfmccSenderConfig
tfmcc_sender_config_default (void)
{
  return (TfmccSenderConfig) {
    .max_segment_size = 1200,
    .min_rate = 0.0,
    .max_rate = INFINITY,
    .max_credit = 10 * TFRC_MILLISECOND,
    .round = tfmcc_round_config_default (),
    .rise_by_time = true,
    .rise_by_max_segment = true,
    .data_limited_reports = true,
    .restart_at_packet_per_rtt = true,
    .spaced_clr_reports = true,
    .clr_timeout_by_packets = true,
    .bound_unused_rate = true,
    .halve_after_round = true,
    .known_successor = true,
  };
}

static void
forget_round (TfmccSender *self)
{
  self->slow_start_minimum = self->slow_start_clr_rate = INFINITY;
}

static void
set_slow_start (TfmccSender *self, bool slow_start)
{
  self->slow_start = slow_start;
  self->returning &= !slow_start;
  self->round.slow_start = slow_start;
  self->round.losses_apart |= slow_start;
}

static TfrcRate
get_least_rate (const TfmccSender *self)
{
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      MAX_PACKET_INTERVAL);
}

static TfrcRate
bounded (const TfmccSender *self, TfrcRate rate)
{
  TfrcRate least = fmax (self->config.min_rate, get_least_rate (self));

  return fmax (least, fmin (rate, fmin (self->limit, self->config.max_rate)));
}

static void
note_packet_interval (TfmccSender *self)
{
  /* The rate reaches the target within R_max, which the first packet announces. */
  bool soon = self->slow_start && self->round.config.measured_max_rtt;
  TfrcRate rate = soon ? self->rate.target
                       : tfmcc_allowed_rate_get (&self->rate, self->now);
  TfrcDuration interval = tfrc_rate_time_for (rate,
      tfrc_segment_size_get (&self->segment_size));

  tfmcc_round_set_packet_interval (&self->round, interval,
      tfmcc_sending_rate_get_interval (&self->sending_rate));
  self->clr.packet_interval = interval;
}

static void
set_rate (TfmccSender *self, TfrcRate rate)
{
  tfmcc_allowed_rate_set (&self->rate, bounded (self, rate), self->now);
  note_packet_interval (self);
}

/* s / R_max. */
static TfrcRate
packet_per_rtt (const TfmccSender *self)
{
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      self->round.max_rtt);
}

/* RFC 4654 section 3.1: one packet per R_max; or the configured start rate, if
 * higher. */
static TfrcRate
get_first_rate (const TfmccSender *self)
{
  return fmax (packet_per_rtt (self), self->config.start_rate);
}

void
tfmcc_sender_init (TfmccSender *self, const TfmccSenderConfig *config)
{
  *self = (TfmccSender) { .config = *config, .limit = INFINITY };
  /* Its lowest bit is not transmitted (gst/wire/tfmcc-wire.h). */
  self->config.timestamp_offset_us &= ~UINT32_C (1);
  if (self->config.max_segment_size == 0)
    self->config.max_segment_size = 1;
  if (!(self->config.min_rate >= 0.0))
    self->config.min_rate = 0.0;
  if (!(self->config.max_rate >= self->config.min_rate))
    self->config.max_rate = self->config.min_rate;
  tfmcc_round_init (&self->round, &self->config.round);
  tfmcc_clr_choice_init (&self->clr,
      self->config.spaced_clr_reports ? TFMCC_MIN_CLR_INTERVAL : 0,
      self->config.clr_timeout_by_packets);
  tfrc_pacer_init (&self->pacer, self->round.config.granularity,
      self->config.max_credit);
  tfrc_segment_size_init (&self->segment_size,
      (double) self->config.max_segment_size);
  self->started_at = self->sent_at = self->interval_began_at = TFRC_TIME_NONE;
  self->data_limited_at = TFRC_TIME_NONE;
  set_slow_start (self, true);
  self->resume_rate = INFINITY;
  forget_round (self);
  tfmcc_allowed_rate_set (&self->rate, 0.0, 0);
  set_rate (self, get_first_rate (self));
}

TfrcTime
tfmcc_sender_next_send_at (const TfmccSender *self)
{
  return tfrc_pacer_next_send_at (&self->pacer,
      tfmcc_allowed_rate_get (&self->rate, self->now), self->round.max_rtt);
}

/* RFC 4654 section 3.6: during a pause the rate halves every 10 R_max, and slow
 * start leads back to what it was.  It starts as the first one did: from one packet
 * per 8 s it would take minutes.  On short paths frames are further apart than 10
 * R_max, which is no pause of the source. */
static bool
resume (TfmccSender *self)
{
  TfrcDuration pause = tfrc_time_since (self->sent_at, self->now);
  TfrcDuration halving = tfrc_time_max (HALVING_RTTS * self->round.max_rtt,
      UNUSED_TIME);
  TfrcRate rate = tfmcc_allowed_rate_get (&self->rate, self->sent_at);
  TfrcRate rest;
  uint64_t n_halvings = pause / halving;

  if (n_halvings == 0)
    return false;
  /* A pause during slow start does not change the rate that it leads back to. */
  if (!self->slow_start)
    self->resume_rate = rate;
  set_slow_start (self, true);
  forget_round (self);
  rest = rate * pow (0.5, (double) n_halvings);
  if (self->config.restart_at_packet_per_rtt)
    rest = fmax (rest, fmin (rate, get_first_rate (self)));
  set_rate (self, rest);
  return true;
}

TfmccExtension
tfmcc_sender_on_sent (TfmccSender *self, uint32_t size, bool backlog,
    TfrcTime now)
{
  TfmccExtension extension = { 0 };
  TfrcTime half;

  assert (size > 0);
  now = tfrc_time_advance (&self->now, now);
  if (self->started_at == TFRC_TIME_NONE) {
    self->started_at = self->interval_began_at = now;
    self->round.began_at = now;
  } else if (resume (self)) {
    self->interval_began_at = now;
    tfmcc_clr_choice_on_pause (&self->clr);
  }
  tfrc_pacer_on_sent (&self->pacer, size,
      tfmcc_allowed_rate_get (&self->rate, now), self->round.max_rtt, now);
  tfrc_segment_size_on_packet (&self->segment_size, size, 0.0);
  self->sent_at = now;
  tfmcc_clr_choice_on_sent (&self->clr, now);
  self->counters.packets++;
  tfmcc_sending_rate_on_packet (&self->sending_rate,
      (uint32_t) (now / TFRC_MICROSECOND), self->counters.packets,
      self->round.max_rtt);
  self->counters.bytes += size;
  tfmcc_sending_rate_on_packet (&self->used_rate,
      (uint32_t) (now / TFRC_MICROSECOND), self->counters.bytes, UNUSED_TIME);
  self->application_limited = !backlog;
  if (!backlog)
    self->data_limited_at = now;
  note_packet_interval (self);

  half = tfrc_time_add (self->round.began_at,
      tfmcc_round_get_span (&self->round) / 2);
  extension.suppression_rate = self->round.suppression_rate;
  extension.max_rtt = self->round.max_rtt;
  extension.round = self->round.number;
  extension.send_time_us = (uint32_t) (now / TFRC_MICROSECOND)
      + self->config.timestamp_offset_us;
  extension.slow_start = self->slow_start;
  extension.application_limited = self->application_limited;
  extension.few_receivers = self->few_receivers;
  extension.has_echo = tfmcc_echoes_next (&self->echoes, now >= half,
      self->round.number, &extension.echo, now);
  return extension;
}

TfrcDuration
tfmcc_sender_measure_rtt (const TfmccSender *self, const TfmccReport *report,
    TfrcTime now)
{
  uint64_t now_us = tfrc_time_max (self->now, now) / TFRC_MICROSECOND;
  uint32_t age_us = (uint32_t) now_us + self->config.timestamp_offset_us
      - report->echo_time_us;
  uint8_t rounds_ago = (uint8_t) (self->round.number - report->round);

  if (self->started_at == TFRC_TIME_NONE || age_us > UINT32_MAX / 2
      || age_us > MAX_RTT / TFRC_MICROSECOND
      || (TfrcTime) age_us * TFRC_MICROSECOND
          > tfrc_time_since (self->started_at, tfrc_time_max (self->now, now))
              + 2 * TFRC_MICROSECOND)
    return 0;
  /* The rate must be valid, and the round must have begun. */
  if (!(report->rate > 0.0) || isinf (report->rate)
      || rounds_ago > UINT8_MAX / 2 || rounds_ago > self->counters.rounds)
    return 0;
  return tfrc_time_max (age_us * TFRC_MICROSECOND, TFMCC_MIN_RTT);
}

/* A receiver without an RTT has calculated with R_max, or an earlier value of it;
 * its rate is corrected by the RTT measured here ("X' = X_r R_max / R_r").  A
 * receiver without a loss received what was sent.  If that was less than X for lack
 * of data, it is no reason to lower X, as for data-limited intervals in RFC 5348
 * section 4.3. */
static TfrcRate
get_limit (const TfmccSender *self, const TfmccReport *report, TfrcDuration rtt)
{
  TfrcTime seen_at = tfrc_time_sub (self->now,
      tfrc_time_add (rtt, TFMCC_FRAMES_TIME));

  if (report->has_loss)
    return report->has_rtt
        ? report->rate
        : report->rate * (double) self->round.max_rtt / (double) rtt;
  if (!self->config.data_limited_reports
      || self->data_limited_at == TFRC_TIME_NONE
      || self->data_limited_at < seen_at)
    return report->rate;
  return fmax (report->rate, tfmcc_allowed_rate_get (&self->rate, self->now));
}

/* RFC 4654 section 3.1: X starts with one packet per R_max; in slow start it is no
 * less if R_max turns out to be shorter. */
static TfrcRate
start_rate (const TfmccSender *self)
{
  const TfmccRound *round = &self->round;

  if (!round->config.measured_max_rtt)
    return 0.0;
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      round->max_rtt_before + round->config.granularity);
}

/* One packet per R_max in each R_max: "8 s/R_max bit/s per R_max".  RFC 4654
 * assumes packets of one size.  Those of a slow video are small because it is slow,
 * and would hardly let it rise.  TCP, too, grows by its largest segment. */
static double
slope (const TfmccSender *self)
{
  double rtt = tfrc_duration_to_seconds (self->round.max_rtt);
  double size = tfrc_segment_size_get (&self->segment_size);

  if (self->config.rise_by_max_segment)
    size = fmax (size, (double) self->config.max_segment_size);

  return size / (rtt * rtt);
}

/* RFC 5348 section 4.3: a rate that is not used rises to at most twice the receive
 * rate.  In slow start receivers report that. */
static TfrcRate
get_usable_rate (const TfmccSender *self)
{
  /* Interval per byte: packets grow with the rate, and their mean size lags behind. */
  TfrcDuration interval = tfmcc_sending_rate_get_interval (&self->used_rate);

  if (!self->config.bound_unused_rate || self->slow_start || interval == 0
      || self->data_limited_at == TFRC_TIME_NONE
      || tfrc_time_since (self->data_limited_at, self->now) >= UNUSED_TIME)
    return INFINITY;
  return fmax (tfmcc_allowed_rate_get (&self->rate, self->now),
      2.0 * tfrc_rate_of (1.0, interval));
}

static void
forget_rate_before (TfmccSender *self)
{
  self->rate_before = 0.0;
  self->returning = false;
}

static bool
is_before_stale (const TfmccSender *self)
{
  return tfrc_time_since (self->before_at, self->now) > RETURN_TIME;
}

/* A receiver became the CLR while X was `rate`.  In slow start a path has carried
 * at least half of that, otherwise about all.  If another one becomes the CLR while
 * X returns to it, the path does not carry that rate any more. */
static void
note_rate_before (TfmccSender *self, TfrcRate rate, bool slow_start)
{
  if (self->returning || is_before_stale (self))
    self->rate_before = 0.0;
  self->returning = false;
  if (slow_start)
    rate /= 2.0;
  if (rate <= self->rate_before)
    return;
  self->rate_before = rate;
  self->before_at = self->now;
}

/* After the CLR has gone, X rises within a round to RETURN_PART of the rate before
 * it. */
static void
approach (TfmccSender *self, TfrcRate rate, TfrcTime start)
{
  TfrcRate present = tfmcc_allowed_rate_get (&self->rate, self->now);
  TfrcRate goal = RETURN_PART * self->rate_before;
  double rise = slope (self);

  if (fmin (present, rate) >= goal)
    forget_rate_before (self);
  if (self->returning) {
    rate = fmin (rate, goal);
    rise = fmax (rise,
        present
            / tfrc_duration_to_seconds (tfmcc_round_get_span (&self->round)));
  }
  tfmcc_allowed_rate_approach (&self->rate,
      bounded (self, fmin (rate, get_usable_rate (self))), rise, start,
      self->now);
  note_packet_interval (self);
}

/* RFC 4654 section 3.6: down at once, and up to the lowest report at the end of the
 * round.  Until then "the sender may choose to increase the rate by up to 8 s/R_max
 * bits/s every R_max", as long as there are reports, since the first rounds take
 * many seconds.  Of the CLR only the newest report counts. */
static void
slow_start_to (TfmccSender *self, uint32_t ssrc, TfrcRate rate)
{
  TfrcRate present = tfmcc_allowed_rate_get (&self->rate, self->now);

  rate = fmax (rate, start_rate (self));
  if (tfmcc_clr_choice_is (&self->clr, ssrc))
    self->slow_start_clr_rate = rate;
  else
    self->slow_start_minimum = fmin (self->slow_start_minimum, rate);
  if (rate < present)
    set_rate (self, rate);
  else if (self->rate.target <= present)
    approach (self,
        fmin (fmin (rate, present + packet_per_rtt (self)), self->resume_rate),
        self->now);
}

/* RFC 4654 section 3.3: the cases by what the report changed about the CLR. */
static void
follow (TfmccSender *self, const TfmccReport *report, TfrcRate limit)
{
  TfrcRate clr_limit = self->clr.limiter.rate;

  if (self->slow_start) {
    slow_start_to (self, report->ssrc, limit);
    return;
  }
  switch (self->clr_change) {
    case TFMCC_CLR_UNCHANGED:
      break;
    case TFMCC_CLR_REPORTED:
      /* "X = min (X_r, X + 8 s/R_max)" */
      if (!self->config.rise_by_time && self->rate.since <= self->now) {
        set_rate (self,
            fmin (clr_limit,
                tfmcc_allowed_rate_get (&self->rate, self->now)
                    + packet_per_rtt (self)));
        break;
      }
      /* fall through */
    case TFMCC_CLR_FIRST:
    case TFMCC_CLR_LOWER:
      approach (self, clr_limit, self->now);
      break;
    case TFMCC_CLR_SUCCEEDED:
      /* "hold X for one feedback round, then ramp" */
      approach (self, clr_limit,
          tfrc_time_add (self->now, tfmcc_round_get_span (&self->round)));
      break;
  }
}

static void
echo_later (TfmccSender *self, const TfmccReport *report)
{
  bool is_clr = tfmcc_clr_choice_is (&self->clr, report->ssrc);
  TfmccEchoClass class = TFMCC_ECHO_OTHER;

  if (is_clr)
    tfmcc_echoes_set_clr (&self->echoes, report, self->now);
  if (self->clr_change == TFMCC_CLR_REPORTED && report->has_rtt)
    return;
  if (is_clr)
    class = TFMCC_ECHO_NEW_CLR;
  else if (!report->has_rtt)
    class = TFMCC_ECHO_NO_RTT;
  tfmcc_echoes_add (&self->echoes, report, class, self->round.number,
      self->now);
}

static void
end_slow_start_round (TfmccSender *self)
{
  TfrcRate lowest = fmin (self->slow_start_minimum, self->slow_start_clr_rate);

  if (self->slow_start && isfinite (lowest)) {
    TfrcRate rate = tfmcc_allowed_rate_get (&self->rate, self->now);
    TfrcRate target = bounded (self,
        fmin (fmax (fmax (lowest, start_rate (self)), rate),
            self->resume_rate));

    /* "approached gradually over one RTT", or faster if the regular slope is. */
    tfmcc_allowed_rate_approach (&self->rate, target,
        fmax (slope (self),
            (target - rate) / tfrc_duration_to_seconds (self->round.max_rtt)),
        self->now, self->now);
    if (target >= self->resume_rate)
      set_slow_start (self, false);
    note_packet_interval (self);
  }
  forget_round (self);
}

static void
begin_round (TfmccSender *self)
{
  self->counters.rounds++;
  tfmcc_clr_choice_on_round (&self->clr);
  /* The CLR has to be echoed once per round. */
  self->echoes.clr_owed = true;
  end_slow_start_round (self);
}

/* RFC 4654 section 3.4: "On every non-CLR report of the current round". */
static void
suppress (TfmccSender *self, const TfmccReport *report)
{
  uint8_t round = self->round.number;

  if (report->round == round)
    tfmcc_round_on_report (&self->round, report->rate, report->has_loss,
        self->now);
  if (self->round.number != round)
    begin_round (self);
}

/* R_max and T no longer depend on the CLR that has gone.  Not in slow start, where
 * X would rise with the end of the round. */
static void
end_round_of_clr (TfmccSender *self)
{
  self->round.clr = (TfmccLongestRtt) { 0 };
  if (self->slow_start || self->round.others.max == 0
      || self->round.peak_rtt == 0)
    return;
  tfmcc_round_end (&self->round, self->now);
  begin_round (self);
}

/* The CLR leaves, or was given up.  A receiver that reported in the last rounds can
 * replace it at once. */
static void
replace_clr (TfmccSender *self)
{
  const TfmccLimiter *clr = &self->clr.limiter;
  bool known = self->config.known_successor
      && tfmcc_clr_choice_succeed (&self->clr, self->now);

  self->returning = self->few_receivers && !self->slow_start
      && !is_before_stale (self);
  end_round_of_clr (self);
  if (known) {
    TfmccReport newest = {
      .ssrc = clr->ssrc,
      .rate = clr->rate,
      .round = self->round.number,
      .report_time_us = clr->report_time_us,
    };

    self->clr_change = TFMCC_CLR_SUCCEEDED;
    tfmcc_longest_rtt_add (&self->round.clr, clr->rtt);
    tfmcc_echoes_set_clr (&self->echoes, &newest, clr->reported_at);
    tfmcc_echoes_add (&self->echoes, &newest, TFMCC_ECHO_NEW_CLR, newest.round,
        clr->reported_at);
    if (!self->slow_start)
      approach (self, clr->rate, self->now);
  }
}

/* There is no CLR any more. */
static void
lose_clr (TfmccSender *self, TfrcTime now)
{
  self->echoes.has_clr = false;
  /* The rate that it could have taken is no target any more. */
  if (!self->slow_start)
    set_rate (self, tfmcc_allowed_rate_get (&self->rate, now));
  replace_clr (self);
}

void
tfmcc_sender_forget (TfmccSender *self, uint32_t ssrc, TfrcTime now)
{
  bool was_clr = tfmcc_clr_choice_is (&self->clr, ssrc);

  now = tfrc_time_advance (&self->now, now);
  tfmcc_clr_choice_forget (&self->clr, ssrc);
  if (was_clr)
    lose_clr (self, now);
}

/* Whether only members that report by other means control the rate. */
static bool
is_bound_by_limit (const TfmccSender *self)
{
  return !self->has_receiver && isfinite (self->limit);
}

/* A receiver that reports without a loss where none reported before starts like a
 * new group, not at a rate that silence has reduced.  A rate set by other members
 * stays. */
static void
begin_with_first (TfmccSender *self, const TfmccReport *report)
{
  if (self->has_receiver || report->has_loss || report->leaving
      || is_bound_by_limit (self)
      || tfmcc_allowed_rate_get (&self->rate, self->now)
          >= self->config.start_rate)
    return;
  set_rate (self, self->config.start_rate);
  self->data_limited_at = self->now;
}

/* A receiver with an RTT before any echo has it from the sender before.  When the round
 * ends so soon nobody else may have been heard, so X rises to no more than receivers
 * can report of what was sent. */
static void
shorten_first_round (TfmccSender *self, const TfmccReport *report)
{
  if (!self->round.config.measured_max_rtt
      || self->counters.reports + self->counters.rounds > 0 || !report->has_rtt
      || report->has_loss)
    return;
  tfmcc_round_on_known_rtt (&self->round, self->now);
  self->slow_start_minimum = 2.0
      * tfmcc_allowed_rate_get (&self->rate, self->now);
}

TfrcResult
tfmcc_sender_on_report (TfmccSender *self, const TfmccReport *report,
    TfrcTime now)
{
  TfmccReport served = *report;
  TfrcRate floor = get_least_rate (self);
  TfrcRate limit, present;
  bool slow_start = self->slow_start;
  TfrcDuration rtt;

  now = tfrc_time_advance (&self->now, now);
  self->clr_change = TFMCC_CLR_UNCHANGED;
  rtt = tfmcc_sender_measure_rtt (self, report, now);
  if (rtt == 0) {
    self->counters.reports_invalid++;
    return TFRC_INVALID;
  }
  begin_with_first (self, report);
  shorten_first_round (self, report);
  self->interval_began_at = now;
  self->has_receiver = true;
  self->counters.reports++;
  self->counters.reports_without_rtt += !report->has_rtt;
  self->counters.leaves += report->leaving;

  /* Section 3.2: R_max. */
  tfmcc_round_on_rtt (&self->round, rtt);
  /* Section 3.3: the lower bound of rates, the CLR, X. */
  self->counters.reports_below_floor += report->rate < floor;
  served.rate = fmax (report->rate, floor);
  limit = get_limit (self, &served, rtt);
  if (report->has_loss)
    set_slow_start (self, false);
  present = tfmcc_allowed_rate_get (&self->rate, now);
  self->clr_change = tfmcc_clr_choice_on_report (&self->clr, &served, limit,
      rtt, present, now);
  if (self->clr_change == TFMCC_CLR_LOWER)
    note_rate_before (self, present, slow_start);
  if (!report->leaving)
    tfmcc_longest_rtt_add (tfmcc_clr_choice_is (&self->clr, report->ssrc)
            ? &self->round.clr
            : &self->round.others,
        rtt);
  follow (self, &served, limit);
  /* Section 3.5: the echo. */
  echo_later (self, &served);
  /* Section 3.4: X_supp and the end of the round. */
  if (self->clr_change == TFMCC_CLR_REPORTED)
    self->counters.reports_clr++;
  else
    suppress (self, &served);
  if (self->clr_change != TFMCC_CLR_UNCHANGED && report->leaving)
    replace_clr (self);
  return TFRC_OK;
}

/* No report need arrive before a round without any report is over, which takes 12
 * R_max with b = 6, and more at low rates.  On the shortest paths the reports of
 * the CLR are further apart than that. */
static TfrcDuration
halving_interval (const TfmccSender *self)
{
  TfrcDuration rtt = tfrc_time_max (self->round.max_rtt, self->clr.least_rtt);
  TfrcDuration round = self->config.halve_after_round
      ? 2 * tfmcc_round_get_span (&self->round)
      : 0;

  return tfrc_time_max (HALVING_RTTS * rtt, round);
}

TfrcTime
tfmcc_sender_next_deadline (const TfmccSender *self)
{
  TfrcTime halved_at;

  if (self->started_at == TFRC_TIME_NONE)
    return TFRC_TIME_NONE;
  halved_at = tfrc_time_add (self->interval_began_at, halving_interval (self));
  return tfrc_time_min (halved_at,
      tfrc_time_min (tfmcc_round_next_deadline (&self->round),
          tfmcc_clr_choice_next_deadline (&self->clr)));
}

void
tfmcc_sender_on_deadline (TfmccSender *self, TfrcTime now)
{
  bool clr_leaves = self->clr.leaving;

  now = tfrc_time_advance (&self->now, now);
  if (self->started_at == TFRC_TIME_NONE)
    return;
  if (tfmcc_round_on_deadline (&self->round, now))
    begin_round (self);

  switch (tfmcc_clr_choice_on_deadline (&self->clr, now)) {
    case TFMCC_CLR_ON_TIME:
      break;
    case TFMCC_CLR_OVERDUE:
      self->returning = false;
      set_rate (self, tfmcc_allowed_rate_get (&self->rate, now) / 2.0);
      break;
    case TFMCC_CLR_GONE:
      self->counters.clr_timeouts += !clr_leaves;
      lose_clr (self, now);
      break;
  }
  if (tfrc_time_add (self->interval_began_at, halving_interval (self)) <= now) {
    if (self->sent_at > self->interval_began_at && !is_bound_by_limit (self)) {
      self->has_receiver = false;
      self->counters.starvations++;
      set_rate (self, tfmcc_allowed_rate_get (&self->rate, now) / 2.0);
    }
    self->interval_began_at = now;
  }
}

void
tfmcc_sender_set_min_rate (TfmccSender *self, TfrcRate min_rate)
{
  TfrcRate rate = tfmcc_allowed_rate_get (&self->rate, self->now);

  assert (min_rate >= 0.0);
  self->config.min_rate = min_rate;
  self->config.max_rate = fmax (self->config.max_rate, min_rate);
  if (rate < fmax (min_rate, get_least_rate (self)))
    set_rate (self, rate);
}

void
tfmcc_sender_set_limit (TfmccSender *self, TfrcRate limit)
{
  self->limit = limit;
  if (is_bound_by_limit (self)) {
    self->interval_began_at = self->now;
    set_rate (self, limit);
    return;
  }
  self->rate.target = fmin (self->rate.target, bounded (self, limit));
  note_packet_interval (self);
}

TfrcRate
tfmcc_sender_get_rate (const TfmccSender *self, TfrcTime now)
{
  return tfmcc_allowed_rate_get (&self->rate, tfrc_time_max (self->now, now));
}

const TfmccLimiter *
tfmcc_sender_get_clr (const TfmccSender *self)
{
  return self->clr.known ? &self->clr.limiter : NULL;
}

TfmccSenderCounters
tfmcc_sender_get_counters (const TfmccSender *self)
{
  TfmccSenderCounters counters = self->counters;

  counters.clr_changes = self->clr.changes;
  return counters;
}
