/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The delay of a path whose queues are empty: the least that was measured in the
 * last TFRC_BASE_DELAY_WINDOW, in slices that expire one by one.
 *
 * Delays may have any origin, as one-way delays between two clocks have.  The
 * rate by which the clocks part is taken out: it is the slope between the least
 * delays of the way back, where no queue of ours is, in any two slices, their
 * median (Theil-Sen), and within max_skew.  Durations [ns]. */
#pragma once

#include "base/units.h"

/* Crystals of hosts are within 100 ppm each, and NTP slews by 500 ppm. */
#define TFRC_BASE_DELAY_MAX_SKEW 600e-6
#define TFRC_BASE_DELAY_SLICES 6
#define TFRC_BASE_DELAY_SLICE (5 * TFRC_SECOND)
#define TFRC_BASE_DELAY_WINDOW (TFRC_BASE_DELAY_SLICES * TFRC_BASE_DELAY_SLICE)

typedef struct
{
  int64_t delay;
  TfrcTime at; /* TFRC_TIME_NONE: no sample */
} TfrcLeastDelay;

typedef struct
{
  double max_skew;      /* e.g. 300e-6; 0: the delays are of one clock */
  double skew;          /* growth of the delay per time, that of the clocks */
  TfrcTime slice_since; /* TFRC_TIME_NONE before the first sample */
  TfrcLeastDelay slices[TFRC_BASE_DELAY_SLICES]; /* newest first */
  TfrcLeastDelay back[TFRC_BASE_DELAY_SLICES];   /* of the way back */
} TfrcBaseDelay;

/* `max_skew`: clocks may drift apart by so much, as a factor. */
void tfrc_base_delay_init (TfrcBaseDelay *self, double max_skew);

/* Forgets the delays: the path is another one, and the clocks are the same. */
void tfrc_base_delay_restart (TfrcBaseDelay *self);

/* A delay was measured, and by the same clocks that of the report, `back`, whatever
 * its origin. */
void tfrc_base_delay_on_sample (TfrcBaseDelay *self, int64_t delay,
    int64_t back, TfrcTime now);

/* How much `delay` exceeds that of the empty path; 0 before the first sample. */
TfrcDuration tfrc_base_delay_get_queue (const TfrcBaseDelay *self,
    int64_t delay, TfrcTime now);
