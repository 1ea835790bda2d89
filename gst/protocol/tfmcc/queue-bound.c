/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/queue-bound.h"

#include <math.h>

#include "tfmcc/packet.h"

/* The target is at least the time that two packets take on the link, as packets on
 * slow links take long.  But it is at most four times the configured one, since a
 * low rate on a fast link is no reason for a long queue. */
#define TARGET_PACKETS 2.0
#define MOST_TARGETS 4.0
/* The excess is to be drained within this many RTTs, in steps that are limited. */
#define DRAIN_RTTS 2.0
#define MAX_DECREASE 0.3
#define MAX_INCREASE 0.2
/* Up to this multiple of the target the queue is normal: the rate is slightly above
 * the link's, since the sender's rate rises between reports. */
#define CLEAR_TARGETS 1.5
/* With fewer packets in an RTT than these a short queue lowers no rate. */
#define FEW_PACKETS 12.0
/* But the path may have become longer, and what is sent less arrives less.  So a
 * normal queue does not lower the rate below this part of what arrived before it. */
#define NORMAL_PART 0.7
/* A queue of our own shrinks by what is withheld, since the link carries as much
 * while less is sent.  The queue counts as that of other flows if it has shrunk by
 * less than half, once what is missing is this many times its length. */
#define WITHHELD_PART 1.5
#define YIELDED_PART 0.5
/* While the queue grows by this share of the time, more is sent than the link
 * carries, and nothing counts as withheld. */
#define GROWTH_PART 0.1
/* Nothing is withheld during a pause: an update counts at most this many RTTs. */
#define MOST_RTTS 2
/* How long a queue of other flows is left alone; doubled each time that the next
 * try finds the same. */
#define FOREIGN_TIME (15 * TFRC_SECOND)
#define MAX_FOREIGN_TIME (240 * TFRC_SECOND)
/* After so long without one it starts with FOREIGN_TIME again. */
#define FOREIGN_MEMORY (60 * TFRC_SECOND)
/* The base delay expires after half a minute, so the queue has to be emptied now
 * and then; each try is limited to EMPTY_RTTS. */
#define EMPTY_EACH (8 * TFRC_SECOND)
#define EMPTY_RTTS 10

void
tfmcc_queue_bound_init (TfmccQueueBound *self, TfrcDuration target)
{
  *self = (TfmccQueueBound) {
    .target = target,
    .least_since = TFRC_TIME_NONE,
    .least_echoed = INT64_MAX,
    .rate = INFINITY,
    .foreign_time = FOREIGN_TIME,
  };
  tfrc_base_delay_init (&self->base, TFRC_BASE_DELAY_MAX_SKEW);
}

void
tfmcc_queue_bound_on_delay (TfmccQueueBound *self, uint32_t delay_us,
    TfrcTime now)
{
  int64_t delay;

  if (!self->has_origin) {
    self->has_origin = true;
    self->origin_us = delay_us;
  }
  delay = (int64_t) (int32_t) (delay_us - self->origin_us)
      * (int64_t) TFRC_MICROSECOND;
  if (self->least_since == TFRC_TIME_NONE) {
    self->least_since = now;
    self->least = delay;
  }
  if (delay < self->least)
    self->least = delay;
  if (delay < self->least_echoed)
    self->least_echoed = delay;
}

/* Before the first packet no report of ours can have been echoed. */
void
tfmcc_queue_bound_on_echo (TfmccQueueBound *self, uint32_t back_us,
    TfrcTime now)
{
  if (self->least_echoed == INT64_MAX)
    return;
  tfrc_base_delay_on_sample (&self->base, self->least_echoed,
      (int64_t) (int32_t) (back_us + self->origin_us)
          * (int64_t) TFRC_MICROSECOND,
      now);
  self->least_echoed = INT64_MAX;
}

bool
tfmcc_queue_bound_is_due (const TfmccQueueBound *self, TfrcDuration rtt,
    TfrcTime now)
{
  return self->least_since != TFRC_TIME_NONE
      && tfrc_time_since (self->least_since, now)
      >= tfrc_time_max (rtt, TFMCC_MIN_CLR_INTERVAL);
}

static void
release (TfmccQueueBound *self)
{
  self->rate = INFINITY;
  self->withheld = self->withheld_before = self->most = 0.0;
}

static void
leave_to_others (TfmccQueueBound *self, TfrcTime now)
{
  if (now > tfrc_time_add (self->foreign_until, FOREIGN_MEMORY))
    self->foreign_time = FOREIGN_TIME;
  self->foreign_until = tfrc_time_add (now, self->foreign_time);
  self->foreign_time = tfrc_time_min (2 * self->foreign_time, MAX_FOREIGN_TIME);
  release (self);
}

bool
tfmcc_queue_bound_lowers (const TfmccQueueBound *self)
{
  return isfinite (self->rate) && self->lowers;
}

bool
tfmcc_queue_bound_is_above (const TfmccQueueBound *self)
{
  return (double) self->queue > self->usual_target;
}

static bool
is_too_long (const TfmccQueueBound *self)
{
  return (double) self->queue > CLEAR_TARGETS * self->usual_target;
}

/* The packets in the queue were sent an RTT ago, so less must have been sent then
 * already: otherwise our own overshoot would count as that of others. */
void
tfmcc_queue_bound_on_loss (TfmccQueueBound *self, TfrcTime now)
{
  if (is_too_long (self) && isfinite (self->rate) && self->withheld > 0.0
      && self->withheld_before > 0.0)
    leave_to_others (self, now);
}

/* Target of the queue [ns]; 0: it is to be emptied now. */
static double
get_target (TfmccQueueBound *self, const TfmccPathView *view, TfrcTime now)
{
  TfrcTime due = tfrc_time_add (self->emptied_at, EMPTY_EACH);
  double packets = TARGET_PACKETS
      * (double) tfrc_rate_time_for (view->received, view->size);

  self->usual_target = fmax ((double) self->target,
      fmin (packets, MOST_TARGETS * (double) self->target));
  if ((double) self->queue < self->usual_target / 4.0
      || now > tfrc_time_add (due, EMPTY_RTTS * view->rtt))
    self->emptied_at = now;
  return now > due ? 0.0 : self->usual_target;
}

/* Whether so much was withheld that a queue of our own would have yielded.  A
 * receiver that is not the CLR sees what the CLR withholds from the same queue.
 * While the queue grows nothing counts as withheld. */
static bool
is_foreign (TfmccQueueBound *self, double decrease, bool to_be_empty,
    TfrcDuration time)
{
  double passed = (double) time;
  double queue = (double) self->queue;
  double growth = queue - self->last_queue;
  bool counts = (is_too_long (self) || to_be_empty)
      && growth < GROWTH_PART * passed;

  self->withheld_before = self->withheld;
  if (queue < self->usual_target / 2.0) {
    self->withheld = self->most = 0.0;
    return false;
  }
  if (counts)
    self->withheld += decrease * passed;
  self->withheld = fmax (0.0,
      self->withheld + fmin (growth, 0.0) / YIELDED_PART);
  self->most = fmax (self->most, queue);
  return self->withheld > WITHHELD_PART * self->most;
}

/* The bound for this share of X_recv. */
static TfrcRate
get_bound (TfmccQueueBound *self, const TfmccPathView *view, double decrease)
{
  TfrcRate rate = view->received * (1.0 - decrease);

  if ((double) self->queue <= self->usual_target)
    self->unqueued = fmin (view->received, view->sent);
  /* Few packets in an RTT make X_recv low by chance, more so if some are overtaken. */
  if (decrease < 0.0
      && tfrc_rate_time_for (view->received, FEW_PACKETS * view->size)
          > view->rtt)
    return fmax (rate, view->sent);
  return is_too_long (self) ? rate : fmax (rate, NORMAL_PART * self->unqueued);
}

/* Fraction of X_recv to withhold; below 0 the rate may grow.  With hardly any queue
 * it may grow at the full MAX_INCREASE, since the sender's slope is only a packet
 * per RTT. */
static double
get_decrease (const TfmccQueueBound *self, const TfmccPathView *view,
    double excess)
{
  if ((double) self->queue < self->usual_target / 2.0 && excess < 0.0)
    return -MAX_INCREASE;
  return fmax (-MAX_INCREASE,
      fmin (excess / (DRAIN_RTTS * (double) view->rtt), MAX_DECREASE));
}

bool
tfmcc_queue_bound_update (TfmccQueueBound *self, const TfmccPathView *view,
    TfrcTime now)
{
  TfrcDuration passed = tfrc_time_min (tfrc_time_since (self->least_since, now),
      MOST_RTTS * tfrc_time_max (view->rtt, TFMCC_MIN_CLR_INTERVAL));
  double target, excess, decrease;

  self->queue = tfrc_base_delay_get_queue (&self->base, self->least, now);
  self->least_since = TFRC_TIME_NONE;
  target = get_target (self, view, now);
  excess = (double) self->queue - target;
  decrease = get_decrease (self, view, excess);
  if (now < self->foreign_until || !(view->received > 0.0)) {
    release (self);
  } else if (is_foreign (self, decrease, !(target > 0.0), passed)) {
    leave_to_others (self, now);
  } else if (!(view->is_clr || view->slow_start)
      || ((double) self->queue < target / 2.0 && view->slow_start)
      || (view->data_limited && excess < 0.0)) {
    /* No bound is needed for a source that is slow by itself, nor while the rate
     * doubles and the queue is short.  Otherwise the bound is lifted step by step. */
    self->rate = INFINITY;
  } else {
    self->rate = get_bound (self, view, decrease);
  }
  self->lowers = decrease > 0.0;
  self->last_queue = (double) self->queue;
  return isfinite (self->rate) && excess > 0.0 && view->slow_start;
}
