/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/suppression.h"

#include <math.h>

/* Widmer and Handley 2001 section 2.5.1: the bias begins below 90 % of the
 * sending rate and is at its full at 50 %. */
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
          .group_size = tfmcc_feedback_delay_clamp_setting (config->group_size, 2.0, 1e9,
              initial.group_size),
          .bias = tfmcc_feedback_delay_clamp_setting (config->bias, 0.0, 1.0, initial.bias),
          .rtts = tfmcc_feedback_delay_clamp_setting (config->rtts, 1.0, 100.0, initial.rtts),
          .packets =
          tfmcc_feedback_delay_clamp_setting (config->packets, 0.0, 100.0, initial.packets),
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
  return tfmcc_feedback_delay (self->config.rtts, self->config.packets,
      self->phase, max_rtt, packet_interval);
}

/* r' of the paper, 0 for the lowest rates: "(max (min (r, 0.9), 0.5) - 0.5) /
 * 0.4"; 1 while the sending rate is not known. */
static double
get_bias (const TfmccSuppressionConfig *config, TfrcRate rate,
    TfrcRate sending_rate)
{
  double least = config->least_biased_ratio;
  double most = config->most_biased_ratio;
  double ratio = sending_rate > 0.0 ? rate / sending_rate : 1.0;

  return (fmax (fmin (ratio, least), most) - most) / (least - most);
}

/* Widmer and Handley 2001 equations 2 and 3: "t' = gamma r' T + (1 - gamma) T
 * (1 + log_N x)", with x uniform in (0, 1]. */
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

/* What is longer than any timer has been put off by silence, which has nothing to
 * do with R_max. */
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

void
tfmcc_suppression_cancel (TfmccSuppression *self)
{
  self->expires_at = TFRC_TIME_NONE;
}

/* RFC 4654 section 4.5: "max (now - tr_i - R_max, 0)" more, as often as it takes:
 * while data packets stay away nothing could cancel the timer. */
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
