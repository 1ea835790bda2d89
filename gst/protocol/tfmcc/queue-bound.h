/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delay control of a group: what a receiver reports while the queue of its path is
 * longer than it should be.  Nothing of RFC 4654: docs/rules.md, D68.
 *
 * X_recv is what the link of a queue carries, so a little less than that empties it.
 * Only who is heard once per RTT can do so in time, which is the CLR, and anybody while
 * the rate doubles, which a queue ends as a loss does.  A queue that does not yield is
 * somebody else's: the equation alone counts for a while.
 *
 * One-way delays have any origin. */
#pragma once

#include "base/base-delay.h"
#include "base/units.h"

typedef struct
{
  TfrcDuration target; /* 0: no queue is kept short */
  TfrcBaseDelay base;
  bool has_origin;
  uint32_t origin_us;   /* of the delays, the first one */
  int64_t least;        /* of the delays of this RTT ... */
  TfrcTime least_since; /* TFRC_TIME_NONE: there is none */
  int64_t least_echoed; /* ... and since the last report came back */
  TfrcDuration queue;   /* that no packet of the last RTT went round */
  double usual_target;  /* of the newest update [ns] */
  TfrcRate rate; /* that empties it; INFINITY: there is nothing to empty */
  bool lowers;   /* ... and is less than what arrives */

  double last_queue; /* of the update before [ns] */
  /* While it stood: time without a packet, had all been withheld at once [ns]. */
  double withheld;
  double most;               /* the queue meanwhile [ns] */
  TfrcTime foreign_until;    /* the queue is somebody else's ... */
  TfrcDuration foreign_time; /* ... for so long, the next time */
  TfrcTime emptied_at;       /* or, for so long, in vain */
} TfmccQueueBound;

/* What the receiver knows at the end of an RTT. */
typedef struct
{
  TfrcDuration rtt;  /* measured */
  TfrcRate received; /* X_recv over the last RTT */
  double size;       /* of its packets [bytes] */
  bool is_clr;
  bool slow_start;
  bool data_limited; /* the sender, within two RTTs */
} TfmccPathView;

void tfmcc_queue_bound_init (TfmccQueueBound *self, TfrcDuration target);

/* A packet took so long, with the offset of the clocks. */
void tfmcc_queue_bound_on_delay (TfmccQueueBound *self, uint32_t delay_us,
    TfrcTime now);

/* A report of ours took so long, by the same clocks. */
void tfmcc_queue_bound_on_echo (TfmccQueueBound *self, uint32_t back_us,
    TfrcTime now);

/* Whether an RTT is over, tfmcc_queue_bound_update is to be called then. */
bool tfmcc_queue_bound_is_due (const TfmccQueueBound *self, TfrcDuration rtt,
    TfrcTime now);

/* True if the end of slow start is to be reported at once. */
bool tfmcc_queue_bound_update (TfmccQueueBound *self, const TfmccPathView *view,
    TfrcTime now);

/* Whether less is to be sent than arrives, which a report tells as it tells a loss. */
bool tfmcc_queue_bound_lowers (const TfmccQueueBound *self);

/* Whether the queue is longer than it should be. */
bool tfmcc_queue_bound_is_above (const TfmccQueueBound *self);

/* Packets were lost.  A queue that overflows although less is sent is filled by
 * others. */
void tfmcc_queue_bound_on_loss (TfmccQueueBound *self, TfrcTime now);
