/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfrc/equation.h"

#include <assert.h>
#include <math.h>

#define MIN_LOSS_EVENT_RATE 1e-12
#define RELATIVE_ERROR 1e-10
/* (C (3 + beta) / (4 (1 - beta)))^(1/4) with C = 0.4 and beta = 0.7, as RFC 9438
 * section 5.1 rounds it. */
#define CUBIC_FACTOR 1.054
/* Limit of loss_rtt, in R: the window of what was a much longer path does not
 * apply. */
#define MOST_LOSS_RTT 2.0

TfrcPath
tfrc_path_rfc5348 (double segment_size, TfrcDuration rtt)
{
  TfrcPath path = {
    .segment_size = segment_size,
    .rtt = rtt,
    /* RFC 5348 section 3.1: t_RTO SHOULD be 4 R, b = 1 is RECOMMENDED. */
    .rto = 4 * rtt,
    .packets_per_ack = 1.0,
    .loss_rtt = rtt,
  };

  return path;
}

/* Mean time per packet in congestion avoidance [s], T / s. */
static double
get_packet_time (const TfrcPath *path, double p)
{
  double rtt = tfrc_duration_to_seconds (path->rtt);
  double reno = rtt * sqrt (2.0 * path->packets_per_ack * p / 3.0);
  double loss_rtt = tfrc_duration_to_seconds (path->loss_rtt);
  double root = sqrt (p / fmin (loss_rtt, MOST_LOSS_RTT * rtt));

  /* RFC 9438 section 4.3: the larger of both windows applies. */
  return path->tcp == TFRC_TCP_CUBIC
      ? fmin (reno, rtt * root * sqrt (root) / CUBIC_FACTOR)
      : reno;
}

TfrcRate
tfrc_equation_rate (const TfrcPath *path, double p)
{
  double rto = tfrc_duration_to_seconds (path->rto);
  double b = path->packets_per_ack;

  assert (path->rtt > 0 && path->segment_size > 0.0 && b > 0.0);

  if (!(p > 0.0))
    return INFINITY;
  /* The divisor is positive, as R, b and p are. */
  return path->segment_size
      / (get_packet_time (path, p)
          + rto * 3.0 * sqrt (3.0 * b * p / 8.0) * p * (1.0 + 32.0 * p * p));
}

/* The rate falls strictly with p, so p is found by bisection, in logarithms because
 * it spans twelve decades. */
double
tfrc_equation_loss_event_rate (const TfrcPath *path, TfrcRate rate)
{
  double low = MIN_LOSS_EVENT_RATE;
  double high = 1.0;

  if (!(rate > tfrc_equation_rate (path, high)))
    return high;
  if (rate >= tfrc_equation_rate (path, low))
    return low;
  while (high > low * (1.0 + RELATIVE_ERROR)) {
    double middle = sqrt (low * high);

    if (tfrc_equation_rate (path, middle) > rate)
      low = middle;
    else
      high = middle;
  }
  return sqrt (low * high);
}
