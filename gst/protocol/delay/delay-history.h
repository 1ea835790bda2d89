/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the newest reports told of delays and bytes, for a sender: the rate at which
 * packets arrived over some time, the least delay of some time, and whether more was
 * sent than arrived.  Delays are of any origin.  Durations [ns] unless told, rates
 * [bytes/s]. */
#pragma once

#include "base/units.h"
#include "delay/delay-meter.h"

#define TFRC_DELAY_SAMPLES 16

/* A report's delays, and what the sender knows of the packet that it echoes. */
typedef struct
{
  TfrcDelayReport delay;
  double sent;       /* up to that packet [bytes] */
  double bytes_sent; /* in all */
  double slack; /* that may have arrived beyond these: was overtaken [bytes] */
} TfrcDelayArrival;

/* The same, with numbers that do not wrap. */
typedef struct
{
  TfrcTime at;
  int64_t least_delay_us;
  int64_t newest_delay_us;
  int64_t arrival_us;
  uint64_t bytes;
  double sent;
} TfrcDelaySample;

/* Of zeros it is empty. */
typedef struct
{
  TfrcDelaySample samples[TFRC_DELAY_SAMPLES];
  uint32_t n_samples; /* ever; the newest is at (n - 1) % TFRC_DELAY_SAMPLES */
} TfrcDelayHistory;

/* Reports that were overtaken do not come here.  A count of more bytes than can have
 * arrived is another receiver's, and begins the history anew.  So does one whose clock
 * was set since the last report, of which both clocks show the same time, but for the
 * delay of the way back: false. */
bool tfrc_delay_history_add (TfrcDelayHistory *self,
    const TfrcDelayArrival *arrival, TfrcTime now);

/* There is one. */
const TfrcDelaySample *
tfrc_delay_history_get_newest (const TfrcDelayHistory *self);

/* At which packets arrived over `horizon`, by the receiver's clock; `otherwise` where
 * there is no such time. */
TfrcRate tfrc_delay_history_get_rate (const TfrcDelayHistory *self,
    TfrcDuration horizon, TfrcRate otherwise);

/* The least delay of the newest report and of those that came less than `span` ago
 * [us]. */
int64_t tfrc_delay_history_get_least_us (const TfrcDelayHistory *self,
    TfrcDuration span, TfrcTime now);

/* What was sent more than before, in some `horizon` since `since`, lengthened the queue
 * and did nothing else: nobody else has a part of the link. */
bool tfrc_delay_history_grew_alone (const TfrcDelayHistory *self,
    TfrcDuration horizon, TfrcTime since);
