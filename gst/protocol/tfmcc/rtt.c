/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/rtt.h"

#include <math.h>

/* An RTT beyond what R_max can say is no RTT (RFC 4654 section 2.2.1). */
#define MAX_RTT (64 * TFRC_SECOND)

/* Two clocks drift apart by this part of the time at most: 500 ppm is all that NTP
 * corrects a clock by, and several times what two crystals differ by. */
#define TIME_PER_DRIFT 2000

TfmccRttConfig
tfmcc_rtt_config_default (void)
{
  return (TfmccRttConfig) {
    .weight = 0.5,
    .clr_weight = 0.1,
    .delay_weight = 0.05,
  };
}

void
tfmcc_rtt_init (TfmccRtt *self, const TfmccRttConfig *config, bool clock_drift)
{
  *self = (TfmccRtt) {
    .config = *config,
    .initial = TFMCC_INITIAL_RTT,
    .clock_drift = clock_drift,
  };
}

void
tfmcc_rtt_set_initial (TfmccRtt *self, TfrcDuration rtt)
{
  self->initial = tfrc_time_min (tfrc_time_max (rtt, TFMCC_MIN_RTT), MAX_RTT);
}

/* RFC 4654 section 4.4: without a measurement the rate is calculated with R_max.
 * The sender puts the true RTT in its place by "X_r R_max / R_r" (section 3.3),
 * so it has to be the R_max of now, and not the one when the receiver joined. */
bool
tfmcc_rtt_on_max_rtt (TfmccRtt *self, TfrcDuration max_rtt)
{
  TfrcDuration before = self->initial;

  if (self->synchronised)
    return false;
  tfmcc_rtt_set_initial (self, max_rtt);
  return self->measured == 0 && self->initial != before;
}

void
tfmcc_rtt_set_synchronised (TfmccRtt *self, TfrcDuration one_way_delay,
    TfrcDuration sender_error, TfrcDuration receiver_error)
{
  TfrcDuration sum = tfrc_time_add (tfrc_time_add (one_way_delay, sender_error),
      receiver_error);

  tfmcc_rtt_set_initial (self, tfrc_time_add (sum, sum));
  self->synchronised = true;
}

static TfrcDuration
smooth (TfrcDuration old, TfrcDuration sample, double weight)
{
  return (TfrcDuration) llround ((1.0 - weight) * (double) old
      + weight * (double) sample);
}

/* A negative difference is clock drift, or a forged stamp: the least RTT. */
static TfrcDuration
from_difference (uint32_t difference_us)
{
  if (difference_us > UINT32_MAX / 2)
    return TFMCC_MIN_RTT;
  return tfrc_time_min (tfrc_time_max (difference_us * TFRC_MICROSECOND,
                            TFMCC_MIN_RTT),
      MAX_RTT);
}

/* RFC 4654 section 4.3.2: "R_sample = now - tr_r'", the first one replaces,
 * later ones are smoothed; what the delays said since the last is dropped. */
void
tfmcc_rtt_on_echo (TfmccRtt *self, const TfmccEcho *echo, uint32_t send_time_us,
    uint32_t now_us)
{
  const TfmccRttConfig *config = &self->config;
  TfrcDuration sample = from_difference (now_us - echo->report_time_us);

  self->measured = self->measured == 0
      ? sample
      : smooth (self->measured, sample,
            echo->is_clr ? config->clr_weight : config->weight);
  self->adjusted = self->measured;
  self->reverse_delay_us = send_time_us - echo->report_time_us;
  self->drift_at_us = now_us;
}

/* RFC 4654 section 4.3.3 holds "as long as clock drift between real RTT measurements
 * is negligible".  A receiver whose R' gets shorter by drift is suppressed the more,
 * and never measures again; one whose R' gets longer reports, and is echoed.  So R'
 * returns to the measured R, as fast as clocks may drift, when it is below. */
static void
allow_for_drift (TfmccRtt *self, uint32_t now_us)
{
  uint32_t drift_us = (now_us - self->drift_at_us) / TIME_PER_DRIFT;

  self->drift_at_us += drift_us * TIME_PER_DRIFT;
  if (self->adjusted < self->measured)
    self->reverse_delay_us += (uint32_t) tfrc_time_min (drift_us,
        (self->measured - self->adjusted) / TFRC_MICROSECOND);
}

/* RFC 4654 section 4.3.3: "R' = max (D_r + now - ts_j, 1 ms)", where the way
 * back D_r is R_sample less the way there, (now - tr_r') - (now - ts_i) = ts_i -
 * tr_r'.  The offset between the clocks cancels; smoothed as in Widmer and Handley 2001
 * section 2.4.3, since each packet's queueing is in it. */
void
tfmcc_rtt_on_packet (TfmccRtt *self, uint32_t send_time_us, uint32_t now_us)
{
  if (self->measured == 0)
    return;
  if (self->clock_drift)
    allow_for_drift (self, now_us);
  self->adjusted = smooth (self->adjusted,
      from_difference (self->reverse_delay_us + now_us - send_time_us),
      self->config.delay_weight);
}

bool
tfmcc_rtt_is_measured (const TfmccRtt *self)
{
  return self->measured != 0;
}

bool
tfmcc_rtt_is_own (const TfmccRtt *self)
{
  return self->measured != 0 || self->synchronised;
}

TfrcDuration
tfmcc_rtt_get (const TfmccRtt *self)
{
  return self->measured != 0 ? self->adjusted : self->initial;
}
