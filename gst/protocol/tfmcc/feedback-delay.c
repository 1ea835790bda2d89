/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/feedback-delay.h"

#include <math.h>

TfrcDuration
tfmcc_feedback_delay (double rtts, double packets, TfrcDuration max_rtt,
    TfrcDuration packet_interval)
{
  double seconds = fmax (tfrc_duration_to_seconds (max_rtt),
      (packets + 1.0) * tfrc_duration_to_seconds (packet_interval));

  return tfrc_duration_from_seconds (rtts * seconds);
}

double
tfmcc_feedback_delay_clamp_setting (double value, double low, double high,
    double otherwise)
{
  return isnan (value) ? otherwise : fmin (fmax (value, low), high);
}
