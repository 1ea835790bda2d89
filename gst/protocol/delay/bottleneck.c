/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bound of a media source by X_recv while a queue stands.  No part of
 * RFC 5348; docs/encoders.md says what the numbers were chosen by. */
#include "delay/bottleneck.h"

#include <math.h>

/* The least RTT of one to two periods is that of the empty queue. */
#define PERIOD (15 * TFRC_SECOND)

/* A queue stands when it adds more than all of these: the jitter of timers
 * and hosts, half of the RTT, and a frame of two packets. */
#define LEAST_QUEUE (20 * TFRC_MILLISECOND)
#define RTT_PART 2
#define FRAME_PACKETS 2.0

/* Weight of the newest X_recv, which moves by a packet per RTT; below half of
 * the mean it is no noise but another rate. */
#define WEIGHT 0.4
#define RESTART_PART 0.5

/* Where it is back after a while it was a gap between frames: the next counts as a
 * fall when it has lasted for half as long again, or for MAX_GAP. */
#define MAX_GAP TFRC_SECOND
#define GAP_PART 1.5

/* How long after such a fall the bound follows what arrives. */
#define HOLD (10 * TFRC_SECOND)

/* The bound, as a part of what arrives. */
typedef struct
{
  double initial;
  TfrcDuration delay; /* until it grows */
  double growth;      /* per second from then on */
} GainCurve;

static const GainCurve standing_curve = { 0.97, 3 * TFRC_SECOND, 0.1 };
static const GainCurve clear_curve = { 1.02, TFRC_SECOND / 2, 0.2 };

#define MAX_GAIN 1.25
#define LEAST_PART 0.25 /* of X */

void
tfrc_bottleneck_init (TfrcBottleneck *self)
{
  *self = (TfrcBottleneck) {
    .least_rtt = { TFRC_TIME_NONE, TFRC_TIME_NONE },
    .bound = (double) INFINITY,
  };
}

static TfrcDuration
update_least_rtt (TfrcBottleneck *self, TfrcDuration sample, TfrcTime now)
{
  if (tfrc_time_since (self->period_since, now) >= PERIOD) {
    self->least_rtt[1] = self->least_rtt[0];
    self->least_rtt[0] = TFRC_TIME_NONE;
    self->gaps[1] = self->gaps[0];
    self->gaps[0] = 0;
    self->period_since = now;
  }
  self->least_rtt[0] = tfrc_time_min (self->least_rtt[0], sample);
  return tfrc_time_min (self->least_rtt[0], self->least_rtt[1]);
}

/* Takes X_recv into the mean.  True: it fell. */
static bool
update_delivered (TfrcBottleneck *self, TfrcRate rate, TfrcTime now)
{
  TfrcDuration age = tfrc_time_since (self->low_since, now);
  bool lasts = self->low && age >= MAX_GAP && self->delivered >= self->before;

  if (age >= MAX_GAP)
    self->low = false;
  if (self->low && rate >= RESTART_PART * self->before) {
    self->gaps[0] = tfrc_time_max (self->gaps[0], age);
    self->delivered = self->before;
    self->held_until = now;
    self->bound = (double) INFINITY;
    self->low = false;
  }
  if (rate >= RESTART_PART * self->delivered) {
    self->delivered += (self->delivered > 0.0 ? WEIGHT : 1.0)
        * (rate - self->delivered);
    return false;
  }
  if (!self->low && !lasts) {
    self->low = true;
    self->before = self->delivered;
    self->low_since = now;
  }
  if (!lasts
      && (double) tfrc_time_since (self->low_since, now)
          < GAP_PART * (double) tfrc_time_max (self->gaps[0], self->gaps[1]))
    return false;
  self->delivered = rate;
  return true;
}

static double
get_gain (const TfrcBottleneck *self, TfrcTime now)
{
  const GainCurve *curve = self->standing ? &standing_curve : &clear_curve;
  TfrcDuration age = tfrc_time_since (self->since, now);

  if (age <= curve->delay)
    return curve->initial;
  return fmin (self->standing ? MAX_GAIN : (double) INFINITY,
      curve->initial
          + curve->growth * tfrc_duration_to_seconds (age - curve->delay));
}

void
tfrc_bottleneck_on_report (TfrcBottleneck *self,
    const TfrcBottleneckReport *report, TfrcTime now)
{
  TfrcDuration least = update_least_rtt (self, report->rtt_sample, now);
  TfrcDuration queue = tfrc_time_max (LEAST_QUEUE, least / RTT_PART);
  bool fell = update_delivered (self, report->receive_rate, now);
  bool standing;

  queue = tfrc_time_max (queue,
      tfrc_rate_time_for (self->delivered,
          FRAME_PACKETS * report->segment_size));
  /* In slow start the queue is filled on purpose. */
  standing = report->loss_event_rate > 0.0
      && report->rtt_sample > tfrc_time_add (least, queue);
  if (standing && fell)
    self->held_until = tfrc_time_add (now, HOLD);
  standing = standing && now < self->held_until;
  if (standing != self->standing) {
    self->standing = standing;
    self->since = now;
  }
  self->bound = fmax (standing ? 0.0 : self->bound,
      get_gain (self, now) * self->delivered);
}

TfrcRate
tfrc_bottleneck_limit (const TfrcBottleneck *self, TfrcRate rate)
{
  return fmin (rate, fmax (self->bound, LEAST_PART * rate));
}
