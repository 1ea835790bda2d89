/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The delays and byte counts of the newest reports, at a sender: gives the rate at
 * which packets arrived over some time, the least delay of some time, and whether
 * more was sent than arrived.  Delays have an arbitrary origin.  Durations in ns
 * unless stated otherwise, rates in bytes/s. */
#pragma once

#include "base/units.h"
#include "delay/delay-meter.h"

#define TFRC_DELAY_SAMPLES 16

/* The delays of a report, and what the sender knows about the packet that it
 * echoes. */
typedef struct
{
  TfrcDelayReport delay;
  double sent;       /* bytes sent up to that packet */
  double bytes_sent; /* bytes sent in total */
  /* Bytes that may have arrived in addition, by overtaking that packet. */
  double slack;
} TfrcDelayArrival;

/* The same with numbers that do not wrap. */
typedef struct
{
  TfrcTime at;
  int64_t least_delay_us;
  int64_t newest_delay_us;
  int64_t arrival_us;
  uint64_t bytes;
  double sent;
} TfrcDelaySample;

/* Starts zeroed, which is empty. */
typedef struct
{
  TfrcDelaySample samples[TFRC_DELAY_SAMPLES];
  /* Ever added; the newest is at (n - 1) % TFRC_DELAY_SAMPLES. */
  uint32_t n_samples;
} TfrcDelayHistory;

/* Adds a report; those overtaken by a newer one must not be added.  If more bytes
 * are reported than can have arrived, the report is from another receiver and the
 * history restarts.  It also restarts, and the function returns false, if the
 * receiver's clock was set: since the last report both clocks must have advanced by
 * the same time, except for changes of the reverse delay. */
bool tfrc_delay_history_add (TfrcDelayHistory *self,
    const TfrcDelayArrival *arrival, TfrcTime now);

/* The newest sample; there must be one. */
const TfrcDelaySample *
tfrc_delay_history_get_newest (const TfrcDelayHistory *self);

/* Rate at which packets arrived over the last `horizon`, by the receiver's clock;
 * `otherwise` if no time has passed. */
TfrcRate tfrc_delay_history_get_rate (const TfrcDelayHistory *self,
    TfrcDuration horizon, TfrcRate otherwise);

/* The least delay of the newest report and of those that arrived less than `span`
 * ago [us]. */
int64_t tfrc_delay_history_get_least_us (const TfrcDelayHistory *self,
    TfrcDuration span, TfrcTime now);

/* Whether sending more than before, over some `horizon` after `since`, only
 * lengthened the queue: then the flow is alone on the link. */
bool tfrc_delay_history_grew_alone (const TfrcDelayHistory *self,
    TfrcDuration horizon, TfrcTime since);
