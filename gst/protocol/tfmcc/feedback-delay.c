/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/feedback-delay.h"

#include <math.h>

/* 1 - gamma: the part of T that the bias leaves to chance. */
#define FIRST_ROUND_PART 0.75

TfmccPhase
tfmcc_phase (bool slow_start, uint8_t round)
{
  if (!slow_start)
    return TFMCC_STEADY;
  return round == 0 ? TFMCC_FIRST_ROUND : TFMCC_SLOW_START;
}

TfrcDuration
tfmcc_feedback_delay (double rtts, double packets, TfmccPhase phase,
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

double
tfmcc_feedback_delay_clamp_setting (double value, double low, double high,
    double otherwise)
{
  return isnan (value) ? otherwise : fmin (fmax (value, low), high);
}
