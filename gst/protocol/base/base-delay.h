/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base delay: the one-way delay of a path whose queues are empty, estimated as the
 * minimum over the last TFRC_BASE_DELAY_SLICES slices of time, which expire one by
 * one.
 *
 * Delays may have any origin, like one-way delays between two unsynchronized
 * clocks.  The clock skew is removed.  It is measured on the reverse path, where no
 * queue of ours is: the median of the slopes between the least delays of any two
 * slices (Theil-Sen), limited to max_skew.  Durations [ns]. */
#pragma once

#include "base/units.h"

/* Crystals of hosts are within 100 ppm each; NTP slews by up to 500 ppm. */
#define TFRC_BASE_DELAY_MAX_SKEW 600e-6
#define TFRC_BASE_DELAY_SLICES 6
#define TFRC_BASE_DELAY_SLICE (5 * TFRC_SECOND)

typedef struct
{
  int64_t delay;
  TfrcTime at; /* TFRC_TIME_NONE: no sample */
} TfrcLeastDelay;

typedef struct
{
  /* Relative, e.g. 300e-6; 0: both timestamps are of one clock. */
  double max_skew;
  double skew;          /* clock skew: growth of the delay per time */
  TfrcTime slice_since; /* TFRC_TIME_NONE before the first sample */
  TfrcLeastDelay slices[TFRC_BASE_DELAY_SLICES]; /* newest first */
  /* slices of the reverse delay */
  TfrcLeastDelay reverse[TFRC_BASE_DELAY_SLICES];
} TfrcBaseDelay;

/* `max_skew`: largest relative drift between the two clocks. */
void tfrc_base_delay_init (TfrcBaseDelay *self, double max_skew);

/* Forgets the delays after a path change.  The clock skew is kept, as the clocks
 * are the same. */
void tfrc_base_delay_restart (TfrcBaseDelay *self);

/* Adds a one-way delay and, measured with the same two clocks, the delay of the
 * reverse path, `reverse_delay`.  Each may have any origin. */
void tfrc_base_delay_on_sample (TfrcBaseDelay *self, int64_t delay,
    int64_t reverse_delay, TfrcTime now);

/* Queueing delay: how much `delay` exceeds the base delay; 0 before the first
 * sample. */
TfrcDuration tfrc_base_delay_get_queue (const TfrcBaseDelay *self,
    int64_t delay, TfrcTime now);
