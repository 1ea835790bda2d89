/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a media source should make after the rate of the link has fallen.
 *
 * X comes down over several loss events, and where a round trip then holds a
 * handful of packets it grows by ten per cent a second and more between two of
 * them: an encoder that follows it overruns the link again and again.  What
 * arrives cannot exceed the rate of the link.  So for some seconds after what
 * arrives has fallen below half while the queue grew, the source is held at
 * what arrives wherever the queue stands, and slightly below it until it has
 * drained.  Otherwise the bound only rises, slowly at first, until X is the
 * lower again.  On a link that does not change there is none; a gap between frames,
 * behind which as much arrives as before, is no fall.
 *
 * A queue that stays in spite of that is not ours.  After a while the bound
 * rises all the same, so that a flow beside one that fills every queue gets to
 * X.  Nor is the bound ever less than a quarter of X: a source that had
 * nothing to send has made little arrive.
 *
 * Only the source is bounded.  X, the pace and everything of RFC 5348 stay as
 * they are; a sender may always send less.  Times [ns], rates [bytes/s]. */
#pragma once

#include "base/rate.h"

typedef struct
{
  TfrcDuration rtt_sample; /* R_sample */
  TfrcRate receive_rate;   /* X_recv */
  double loss_event_rate;  /* p */
  double segment_size;     /* s [bytes] */
} TfrcBottleneckReport;

typedef struct
{
  TfrcDuration least_rtt[2]; /* of this period and the one before */
  TfrcDuration gaps[2];      /* the longest, of the same */
  TfrcTime period_since;
  TfrcRate delivered;  /* mean of X_recv; 0 = no report yet */
  bool low;            /* X_recv is below half of what it was: */
  TfrcRate before;     /* the mean of then, */
  TfrcTime low_since;  /* and when */
  TfrcRate bound;      /* INFINITY = none */
  bool standing;       /* the queue, and it bounds */
  TfrcTime held_until; /* a standing queue bounds until then */
  TfrcTime since;      /* of `standing` */
} TfrcBottleneck;

void tfrc_bottleneck_init (TfrcBottleneck *self);

/* Every report that the sender has taken. */
void tfrc_bottleneck_on_report (TfrcBottleneck *self,
    const TfrcBottleneckReport *report, TfrcTime now);

/* What the source may make of `rate`, which the flow may send. */
TfrcRate tfrc_bottleneck_limit (const TfrcBottleneck *self, TfrcRate rate);
