/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delay control of a group: the rate that a receiver reports while the queue of its
 * path is too long.  Not part of RFC 4654: docs/rules.md, D68.
 *
 * X_recv is the rate of the link if there is a queue, so a slightly lower rate
 * empties it.  Only receivers that are heard once per RTT can do that in time: the
 * CLR, and during slow start any receiver, as a queue ends slow start like a loss
 * does.  A queue that does not shrink is that of other flows: then only the
 * equation counts for a while.
 *
 * One-way delays have an arbitrary origin. */
#pragma once

#include "base/base-delay.h"
#include "base/units.h"

typedef struct
{
  TfrcDuration target; /* 0: no delay control */
  TfrcBaseDelay base;
  bool has_origin;
  uint32_t origin_us;   /* the first delay, from which others are counted */
  int64_t least;        /* least delay of this RTT */
  TfrcTime least_since; /* when that began; TFRC_TIME_NONE: no packet yet */
  int64_t least_echoed; /* least delay since the last echo of a report */
  TfrcDuration queue;   /* least queueing delay of the last RTT */
  double usual_target;  /* target at the newest update [ns] */
  TfrcRate rate; /* rate that empties the queue; INFINITY: there is no bound */
  TfrcRate unqueued; /* what arrived before the queue was above its target */
  bool lowers;       /* ... and is below the receive rate */

  double last_queue; /* at the previous update [ns] */
  /* Time for which nothing would have arrived if all that was withheld had been
   * withheld at once, less what the queue has yielded [ns]. */
  double withheld;
  double withheld_before;    /* the same before the newest update */
  double most;               /* longest queue in that time [ns] */
  TfrcTime foreign_until;    /* until then the queue is that of other flows */
  TfrcDuration foreign_time; /* how long it counts as such the next time */
  /* When it was empty, or a try to empty it was given up. */
  TfrcTime emptied_at;
} TfmccQueueBound;

/* State of the receiver at the end of an RTT. */
typedef struct
{
  TfrcDuration rtt;  /* measured RTT */
  TfrcRate received; /* X_recv over the last RTT */
  TfrcRate sent;     /* by the sender, over one to two R_max */
  double size;       /* mean size of its packets [bytes] */
  bool is_clr;
  bool slow_start;
  bool data_limited; /* the sender was data-limited within the last two RTTs */
} TfmccPathView;

void tfmcc_queue_bound_init (TfmccQueueBound *self, TfrcDuration target);

/* A packet had this one-way delay, including the offset of the clocks. */
void tfmcc_queue_bound_on_delay (TfmccQueueBound *self, uint32_t delay_us,
    TfrcTime now);

/* A report of ours had this delay to the sender, by the same clocks. */
void tfmcc_queue_bound_on_echo (TfmccQueueBound *self, uint32_t back_us,
    TfrcTime now);

/* Whether an RTT is over and tfmcc_queue_bound_update is to be called. */
bool tfmcc_queue_bound_is_due (const TfmccQueueBound *self, TfrcDuration rtt,
    TfrcTime now);

/* Updates the bound.  Returns true if the end of slow start is to be reported at
 * once. */
bool tfmcc_queue_bound_update (TfmccQueueBound *self, const TfmccPathView *view,
    TfrcTime now);

/* Whether the bound is below the receive rate, which is reported like a loss. */
bool tfmcc_queue_bound_lowers (const TfmccQueueBound *self);

/* Whether the queue is longer than its target. */
bool tfmcc_queue_bound_is_above (const TfmccQueueBound *self);

/* Packets were lost.  If the queue overflows although less is sent, other flows
 * fill it. */
void tfmcc_queue_bound_on_loss (TfmccQueueBound *self, TfrcTime now);
