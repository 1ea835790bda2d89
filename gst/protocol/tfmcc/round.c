/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfmcc/round.h"

#include <math.h>

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

  /* The sender has restarted, or its clock was set: measuring starts anew. */
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

/* 1 - gamma: the part of T that is random. */
#define FIRST_ROUND_PART 0.75
/* RFC 4654 section 3.2: what R_max keeps from round to round. */
#define MAX_RTT_DECAY 0.9
/* The same for the part of R_max above the RTTs of the current receivers. */
#define UNMEASURED_DECAY 0.25
/* The code on the wire rounds R_max up by at most this fraction ... */
#define MAX_RTT_STEPS 16
/* ... and cannot express more. */
#define MAX_INITIAL_RTT (63 * TFRC_SECOND)

TfmccPhase
tfmcc_phase (bool slow_start, uint8_t round)
{
  if (!slow_start)
    return TFMCC_STEADY;
  return round == 0 ? TFMCC_FIRST_ROUND : TFMCC_SLOW_START;
}

/* Most timers end near T, and reports are under way for up to R_max, T / 4.5. */
#define KNOWN_SPANS 1.25

/* "b max (R_max, (c + 1) s/X)" with b = `rtts`, c = `packets`, s/X =
 * `packet_interval`. */
static TfrcDuration
get_longest_delay (double rtts, double packets, TfmccPhase phase,
    TfrcDuration max_rtt, TfrcDuration packet_interval)
{
  double seconds;

  if (phase != TFMCC_STEADY)
    packets = 0.0;
  if (phase == TFMCC_FIRST_ROUND)
    rtts *= FIRST_ROUND_PART;
  seconds = fmax (tfrc_duration_to_seconds (max_rtt),
      (packets + 1.0) * tfrc_duration_to_seconds (packet_interval));

  return tfrc_duration_from_seconds (rtts * seconds);
}

/* Limits b, c and the like to their ranges; `otherwise` replaces NaN. */
static double
clamp_setting (double value, double low, double high, double otherwise)
{
  return isnan (value) ? otherwise : fmin (fmax (value, low), high);
}

TfmccRoundConfig
tfmcc_round_config_default (void)
{
  return (TfmccRoundConfig) {
    .rtts = 6.0,
    .packets = 3.0,
    .margin = 0.1,
    .granularity = 10 * TFRC_MILLISECOND,
    .initial_rtt = TFMCC_INITIAL_RTT,
    .start_delay = true,
    .measured_max_rtt = true,
  };
}

void
tfmcc_round_init (TfmccRound *self, const TfmccRoundConfig *config)
{
  TfmccRoundConfig initial = tfmcc_round_config_default ();

  *self = (TfmccRound) {
    .config = {
          .rtts = clamp_setting (config->rtts, 1.0, 100.0, initial.rtts),
          .packets =
          clamp_setting (config->packets, 0.0, 100.0, initial.packets),
          .margin =
          clamp_setting (config->margin, 0.0, 1.0, initial.margin),
          .granularity = config->granularity,
          .initial_rtt = tfrc_time_min (tfrc_time_max (config->initial_rtt,
                  TFMCC_MIN_RTT), MAX_INITIAL_RTT),
          .start_delay = config->start_delay,
          .measured_max_rtt = config->measured_max_rtt,
        },
    .began_at = TFRC_TIME_NONE,
    .suppression_rate = TFMCC_NO_SUPPRESSION,
  };
  self->max_rtt = self->max_rtt_before = self->config.initial_rtt;
}

void
tfmcc_round_set_packet_interval (TfmccRound *self, TfrcDuration interval,
    TfrcDuration actual)
{
  self->least_max_rtt = tfrc_time_add (interval, self->config.granularity);
  self->max_rtt = tfrc_time_max (self->max_rtt, self->least_max_rtt);
  self->packet_interval = tfrc_time_max (interval,
      tfrc_time_min (actual, self->max_rtt));
}

void
tfmcc_round_on_rtt (TfmccRound *self, TfrcDuration rtt)
{
  self->peak_rtt = tfrc_time_max (self->peak_rtt, rtt);
  self->max_rtt = tfrc_time_max (self->max_rtt, rtt);
}

void
tfmcc_longest_rtt_add (TfmccLongestRtt *self, TfrcDuration rtt)
{
  self->peak = tfrc_time_max (self->peak, rtt);
  self->max = tfrc_time_max (self->max, rtt);
}

/* RFC 4654 section 3.2: "R_max = max (0.9 R_max, R_peak)". */
static TfrcDuration
decay (TfrcDuration max_rtt, double part, TfrcDuration peak_rtt)
{
  return tfrc_time_max ((TfrcDuration) (part * (double) max_rtt), peak_rtt);
}

/* R_max may be above the measured RTTs: an initial guess, the RTT of a receiver
 * that has left, or an s/X that was longer.  In slow start the rate, which rises
 * with the round, decides how long it must be for s/X. */
static void
end_max_rtt (TfmccRound *self)
{
  TfrcDuration measured;

  self->clr.max = decay (self->clr.max, MAX_RTT_DECAY, self->clr.peak);
  self->others.max = decay (self->others.max, MAX_RTT_DECAY, self->others.peak);
  measured = tfrc_time_max (self->clr.max, self->others.max);
  self->max_rtt = self->config.measured_max_rtt && measured > 0
      ? decay (self->max_rtt, UNMEASURED_DECAY, measured)
      : decay (self->max_rtt, MAX_RTT_DECAY, self->peak_rtt);
  self->clr.peak = self->others.peak = self->peak_rtt = 0;
}

void
tfmcc_round_end (TfmccRound *self, TfrcTime now)
{
  bool knows_interval = self->config.measured_max_rtt && self->slow_start;

  /* Without any report in the round the previous R_max remains the best guess. */
  if (self->peak_rtt > 0)
    end_max_rtt (self);
  if (!knows_interval)
    self->max_rtt = tfrc_time_max (self->max_rtt, self->least_max_rtt);
  self->max_rtt_before = self->max_rtt;
  self->number++;
  self->began_at = now;
  self->answered = false;
  self->known_span = 0;
  self->loss_reported = false;
  self->losses_apart = self->slow_start;
  self->suppression_rate = TFMCC_NO_SUPPRESSION;
}

/* RFC 4654 section 3.4: "if X_supp > X_r: X_supp = (1 - g) X_r".  A report with a
 * loss ends slow start and must not be suppressed by reports without, so these do
 * not count beside it (Widmer and Handley 2001 section 2.6).  Later they do count:
 * of many receivers that join together without a loss, all would report. */
void
tfmcc_round_on_report (TfmccRound *self, TfrcRate rate, bool has_loss,
    TfrcTime now)
{
  if (self->losses_apart && has_loss && !self->loss_reported) {
    self->loss_reported = true;
    self->suppression_rate = TFMCC_NO_SUPPRESSION;
  }
  if ((!self->losses_apart || has_loss == self->loss_reported)
      && self->suppression_rate > rate)
    self->suppression_rate = (1.0 - self->config.margin) * rate;
  self->answered = true;
  if (tfmcc_round_next_deadline (self) <= now)
    tfmcc_round_end (self, now);
}

void
tfmcc_round_on_known_rtt (TfmccRound *self, TfrcTime now)
{
  self->known_span = (TfrcDuration) (KNOWN_SPANS
      * (double) tfrc_time_since (self->began_at, now));
}

static TfrcDuration
span_for (const TfmccRound *self, TfrcDuration max_rtt)
{
  TfmccPhase phase = self->config.start_delay
      ? tfmcc_phase (self->slow_start, self->number)
      : TFMCC_STEADY;

  return get_longest_delay (self->config.rtts, self->config.packets, phase,
      max_rtt, self->packet_interval);
}

TfrcDuration
tfmcc_round_get_span (const TfmccRound *self)
{
  return span_for (self, self->max_rtt);
}

/* RFC 4654 section 3.4: T, or the first report after it, at latest 2 T.  Receivers
 * compute T from the code of R_max, which is rounded up, and most timers expire
 * near its end; the next round must not cut these off.  In slow start X doubles at
 * the end of the round, and reports sent until T are still in flight. */
TfrcTime
tfmcc_round_next_deadline (const TfmccRound *self)
{
  TfrcDuration span;

  if (!self->answered)
    return tfrc_time_add (self->began_at, 2 * tfmcc_round_get_span (self));
  span = span_for (self, self->max_rtt + self->max_rtt / MAX_RTT_STEPS);
  if (self->known_span > 0)
    span = tfrc_time_min (span, self->known_span);
  if (self->slow_start && self->config.measured_max_rtt)
    span += self->peak_rtt;
  return tfrc_time_add (self->began_at, span);
}

bool
tfmcc_round_on_deadline (TfmccRound *self, TfrcTime now)
{
  if (tfmcc_round_next_deadline (self) > now)
    return false;
  tfmcc_round_end (self, now);
  return true;
}

/* Widmer and Handley 2001 section 2.5.1: the bias starts below 90 % of the sending
 * rate and is full at 50 %. */
TfmccSuppressionConfig
tfmcc_suppression_config_default (void)
{
  return (TfmccSuppressionConfig) {
    .group_size = 10000.0,
    .bias = 0.25,
    .rtts = 6.0,
    .packets = 3.0,
    .least_biased_ratio = 0.9,
    .most_biased_ratio = 0.5,
  };
}

void
tfmcc_suppression_init (TfmccSuppression *self,
    const TfmccSuppressionConfig *config, uint64_t seed)
{
  TfmccSuppressionConfig initial = tfmcc_suppression_config_default ();

  *self = (TfmccSuppression) {
    .config = {
          .group_size = clamp_setting (config->group_size, 2.0, 1e9,
              initial.group_size),
          .bias = clamp_setting (config->bias, 0.0, 1.0, initial.bias),
          .rtts = clamp_setting (config->rtts, 1.0, 100.0, initial.rtts),
          .packets =
          clamp_setting (config->packets, 0.0, 100.0, initial.packets),
          .least_biased_ratio = config->least_biased_ratio,
          .most_biased_ratio = config->most_biased_ratio,
        },
    .expires_at = TFRC_TIME_NONE,
  };
  if (!(config->least_biased_ratio > config->most_biased_ratio)
      || !(config->most_biased_ratio >= 0.0)) {
    self->config.least_biased_ratio = initial.least_biased_ratio;
    self->config.most_biased_ratio = initial.most_biased_ratio;
  }
  tfrc_rng_init (&self->rng, seed, 1);
}

double
tfmcc_suppression_draw (TfrcRng *rng, double group_size)
{
  return fmax (1.0 + log (tfrc_rng_uniform (rng)) / log (group_size), 0.0);
}

TfrcDuration
tfmcc_suppression_get_span (const TfmccSuppression *self, TfrcDuration max_rtt,
    TfrcDuration packet_interval)
{
  return get_longest_delay (self->config.rtts, self->config.packets,
      self->phase, max_rtt, packet_interval);
}

/* r' of the paper, 0 for the lowest rates: "(max (min (r, 0.9), 0.5) - 0.5) / 0.4".
 * It is also 0 for a receiver that has just joined and does not know the sending
 * rate, unless the timer has no random part: then all that join together would
 * report together. */
static double
get_bias (const TfmccSuppressionConfig *config, TfrcRate rate,
    TfrcRate sending_rate)
{
  double least = config->least_biased_ratio;
  double most = config->most_biased_ratio;

  if (!(sending_rate > 0.0))
    return config->bias < 1.0 ? 0.0 : 1.0;
  return (fmax (fmin (rate / sending_rate, least), most) - most)
      / (least - most);
}

/* Widmer and Handley 2001 equations 2 and 3: "t' = gamma r' T + (1 - gamma) T (1 +
 * log_N x)", with x uniform in (0, 1]. */
void
tfmcc_suppression_start (TfmccSuppression *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcDuration max_rtt, TfrcDuration packet_interval,
    TfrcTime now)
{
  const TfmccSuppressionConfig *config = &self->config;
  TfrcDuration span = tfmcc_suppression_get_span (self, max_rtt,
      packet_interval);
  double random = tfmcc_suppression_draw (&self->rng, config->group_size);
  double part = self->phase == TFMCC_FIRST_ROUND
      ? random
      : config->bias * get_bias (config, rate, sending_rate)
          + (1.0 - config->bias) * random;

  self->max_rtt = max_rtt;
  self->rate_at_start = rate;
  self->expires_at = tfrc_time_add (now,
      tfrc_duration_from_seconds (part * tfrc_duration_to_seconds (span)));
}

/* RFC 4654 section 4.5: "X_supp < X_calc or X_supp < X_fbr". */
bool
tfmcc_suppression_on_rate (TfmccSuppression *self, TfrcRate suppression_rate,
    TfrcRate rate)
{
  if (self->expires_at == TFRC_TIME_NONE
      || !(suppression_rate < rate || suppression_rate < self->rate_at_start))
    return false;
  self->expires_at = TFRC_TIME_NONE;
  return true;
}

/* A timer that is longer than T was put off by silence, which does not scale with
 * R_max. */
void
tfmcc_suppression_on_max_rtt (TfmccSuppression *self, TfrcDuration max_rtt,
    TfrcTime now)
{
  TfrcDuration left = tfrc_time_since (now, self->expires_at);
  TfrcDuration longest;

  if (self->expires_at == TFRC_TIME_NONE || max_rtt == self->max_rtt
      || self->max_rtt == 0)
    return;
  longest = tfmcc_suppression_get_span (self, self->max_rtt, self->max_rtt);
  if (left <= longest)
    left = tfrc_duration_from_seconds (tfrc_duration_to_seconds (left)
        * (double) max_rtt / (double) self->max_rtt);
  self->expires_at = tfrc_time_add (now, left);
  self->max_rtt = max_rtt;
}

/* RFC 4654 section 4.5: puts the timer off by "max (now - tr_i - R_max, 0)",
 * repeatedly: without data packets nothing could cancel it. */
bool
tfmcc_suppression_expire (TfmccSuppression *self, TfrcTime newest_at,
    TfrcTime now)
{
  TfrcDuration silence = tfrc_time_since (newest_at, now);

  if (self->expires_at > now)
    return false;
  if (silence > self->max_rtt) {
    self->expires_at = tfrc_time_add (now, silence - self->max_rtt);
    return false;
  }
  self->expires_at = TFRC_TIME_NONE;
  return true;
}
