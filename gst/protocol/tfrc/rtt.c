/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip time at the sender, RFC 5348 sections 4.3 (R) and 4.5 (R_sqmean),
 * and t_RTO (section 3.1, RFC 6298 section 2).  Knows nothing of packets: the
 * sender checks its samples. */
#include "tfrc/rtt.h"

#include <assert.h>
#include <math.h>

/* q and q2 of RFC 5348 sections 4.3 and 4.5. */
#define RTT_WEIGHT 0.9
/* alpha, beta and K of RFC 6298 section 2. */
#define SRTT_GAIN 0.125
#define RTTVAR_GAIN 0.25
#define RTTVAR_FACTOR 4.0

void
tfrc_rtt_init (TfrcRtt *self, const TfrcRtoConfig *config)
{
  *self = (TfrcRtt) { .config = *config };
  if (!(self->config.scale >= 1.0) || isinf (self->config.scale))
    self->config.scale = 1.0;
}

static TfrcDuration
smooth (TfrcDuration rtt, TfrcDuration sample, double kept)
{
  double mean = kept * (double) rtt + (1.0 - kept) * (double) sample;

  return mean < 1.0 ? 1 : (TfrcDuration) (mean + 0.5);
}

/* Of `n` samples the weights are those of one, n times. */
void
tfrc_rtt_on_samples (TfrcRtt *self, TfrcDuration sample, double n)
{
  double seconds = tfrc_duration_to_seconds (sample);
  double kept = pow (RTT_WEIGHT, n);

  assert (sample > 0);
  if (!tfrc_rtt_is_known (self)) {
    self->rtt = sample;
    self->sqrt_mean = sqrt (seconds);
    self->srtt = seconds;
    self->rttvar = seconds / 2.0;
  } else {
    self->rtt = smooth (self->rtt, sample, kept);
    self->sqrt_mean = kept * self->sqrt_mean + (1.0 - kept) * sqrt (seconds);
    /* RFC 6298 section 2.3: RTTVAR first, with the old SRTT. */
    self->rttvar += (1.0 - pow (1.0 - RTTVAR_GAIN, n))
        * (fabs (self->srtt - seconds) - self->rttvar);
    self->srtt += (1.0 - pow (1.0 - SRTT_GAIN, n)) * (seconds - self->srtt);
  }
  self->sample = sample;
}

void
tfrc_rtt_on_sample (TfrcRtt *self, TfrcDuration sample)
{
  tfrc_rtt_on_samples (self, sample, 1.0);
}

TfrcDuration
tfrc_rtt_get_smoothed (const TfrcRtt *self, TfrcDuration sample)
{
  return tfrc_rtt_is_known (self)
      ? smooth (self->rtt, sample, RTT_WEIGHT)
      : sample;
}

bool
tfrc_rtt_is_known (const TfrcRtt *self)
{
  return self->rtt != 0;
}

static double
get_tcp_rto (const TfrcRtt *self)
{
  /* RFC 6298 section 2: the G in max (G, K RTTVAR) is our wire's 1 us and
   * vanishes beside the floor. */
  double rto = self->srtt + RTTVAR_FACTOR * self->rttvar;

  return fmax (rto, tfrc_duration_to_seconds (self->config.floor));
}

TfrcDuration
tfrc_rtt_get_rto (const TfrcRtt *self)
{
  assert (tfrc_rtt_is_known (self));
  switch (self->config.mode) {
    case TFRC_RTO_TCP:
      return tfrc_duration_from_seconds (get_tcp_rto (self));
    case TFRC_RTO_SCALED:
      /* Rhee and Xu 2007 section VII: a smaller t_RTO raises the rate where
       * losses are frequent, where TFRC falls behind TCP. */
      return tfrc_duration_from_seconds (get_tcp_rto (self)
          / self->config.scale);
    case TFRC_RTO_RFC5348:
    default:
      return 4 * self->rtt;
  }
}

double
tfrc_rtt_get_damping (const TfrcRtt *self)
{
  /* A sample is at least 1 ns, so the root is above zero. */
  if (!tfrc_rtt_is_known (self))
    return 1.0;
  return self->sqrt_mean / sqrt (tfrc_duration_to_seconds (self->sample));
}
