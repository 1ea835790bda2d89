/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/round.h"

/* RFC 4654 section 3.2: what R_max keeps of itself from round to round. */
#define MAX_RTT_DECAY 0.9
/* The same of initial_rtt, which is no RTT but a guess. */
#define INITIAL_RTT_DECAY 0.25
/* Its code on the wire rounds up by this part of it at most, */
#define MAX_RTT_STEPS 16
/* and cannot say more. */
#define MAX_INITIAL_RTT (63 * TFRC_SECOND)

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
          .rtts = tfmcc_feedback_delay_clamp_setting (config->rtts, 1.0, 100.0, initial.rtts),
          .packets =
          tfmcc_feedback_delay_clamp_setting (config->packets, 0.0, 100.0, initial.packets),
          .margin =
          tfmcc_feedback_delay_clamp_setting (config->margin, 0.0, 1.0, initial.margin),
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
  self->start_rtt = self->config.initial_rtt;
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
  self->highest_rtt = tfrc_time_max (self->highest_rtt, rtt);
  self->max_rtt = tfrc_time_max (self->max_rtt, rtt);
}

/* In slow start, as long as R_max is still a guess.  The rate that rises with the
 * round says how long it must be for s/X. */
static bool
fall_to_measured (TfmccRound *self)
{
  if (!self->config.measured_max_rtt || !self->slow_start || self->peak_rtt == 0
      || self->start_rtt <= self->highest_rtt)
    return false;
  self->start_rtt = tfrc_time_max ((TfrcDuration) (INITIAL_RTT_DECAY
                                       * (double) self->start_rtt),
      self->highest_rtt);
  self->max_rtt = self->start_rtt;
  return true;
}

/* RFC 4654 section 3.2: "R_max = max (0.9 R_max, R_peak)" unless an RTT has just
 * made it what it is, which gives the same. */
static void
end (TfmccRound *self, TfrcTime now)
{
  TfrcDuration decayed = (TfrcDuration) (MAX_RTT_DECAY
      * (double) self->max_rtt);

  /* A round without any report knows nothing better than the R_max of before. */
  if (!fall_to_measured (self)) {
    if (self->peak_rtt > 0)
      self->max_rtt = tfrc_time_max (decayed, self->peak_rtt);
    self->max_rtt = tfrc_time_max (self->max_rtt, self->least_max_rtt);
  }
  self->max_rtt_before = self->max_rtt;
  self->number++;
  self->began_at = now;
  self->answered = false;
  self->loss_reported = false;
  self->peak_rtt = 0;
  self->suppression_rate = TFMCC_NO_SUPPRESSION;
}

/* RFC 4654 section 3.4: "if X_supp > X_r: X_supp = (1 - g) X_r".  A report with
 * a loss ends slow start; those without must not suppress it, so they do not
 * count besides it (Widmer and Handley 2001 section 2.6). */
void
tfmcc_round_on_report (TfmccRound *self, TfrcRate rate, bool has_loss,
    TfrcTime now)
{
  if (has_loss && !self->loss_reported) {
    self->loss_reported = true;
    self->suppression_rate = TFMCC_NO_SUPPRESSION;
  }
  if (has_loss == self->loss_reported && self->suppression_rate > rate)
    self->suppression_rate = (1.0 - self->config.margin) * rate;
  self->answered = true;
  if (tfmcc_round_next_deadline (self) <= now)
    end (self, now);
}

static TfrcDuration
span_for (const TfmccRound *self, TfrcDuration max_rtt)
{
  TfmccPhase phase = self->config.start_delay
      ? tfmcc_phase (self->slow_start, self->number)
      : TFMCC_STEADY;

  return tfmcc_feedback_delay (self->config.rtts, self->config.packets, phase,
      max_rtt, self->packet_interval);
}

TfrcDuration
tfmcc_round_get_span (const TfmccRound *self)
{
  return span_for (self, self->max_rtt);
}

/* RFC 4654 section 3.4: T, or the first report after it, at latest 2 T.  Receivers
 * take their T by the code of R_max, which is rounded up, and most timers are at
 * its end: those must not be cut off by the next round.  In slow start X doubles
 * then, and what was reported until T is still on its way. */
TfrcTime
tfmcc_round_next_deadline (const TfmccRound *self)
{
  TfrcDuration span;

  if (!self->answered)
    return tfrc_time_add (self->began_at, 2 * tfmcc_round_get_span (self));
  span = span_for (self, self->max_rtt + self->max_rtt / MAX_RTT_STEPS);
  if (self->slow_start && self->config.measured_max_rtt)
    span += self->peak_rtt;
  return tfrc_time_add (self->began_at, span);
}

bool
tfmcc_round_cut (TfmccRound *self, TfrcTime now)
{
  TfrcDuration answers = self->max_rtt;

  /* Timers start anew with a round: one nearly over is not worth that. */
  if (!self->answered)
    answers += tfmcc_round_get_span (self);
  if (tfrc_time_since (self->began_at, now) < answers)
    return false;
  end (self, now);
  return true;
}

bool
tfmcc_round_on_deadline (TfmccRound *self, TfrcTime now)
{
  if (tfmcc_round_next_deadline (self) > now)
    return false;
  end (self, now);
  return true;
}
