/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the reports of a receiver show about the path: how long its queue is, how long it
 * will be, and at which rate packets arrive.
 *
 * The queue is what the one-way delay of the newest packets exceeds the base delay by, at
 * most what the RTT allows, less what jitter makes of it without a queue.  Without one-way
 * delays it is what the RTT exceeds its least by, and the delivery rate is X_recv.  Instants
 * and durations [ns], rates [bytes/s]. */
#pragma once

#include "base/units.h"
#include "base/base-delay.h"
#include "tfrc/packet.h"

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

/* The delays and byte counts of the newest reports: gives the rate at which packets arrived
 * over some time, the least delay of some time, and whether more was sent than arrived.
 * Delays have an arbitrary origin.  Starts zeroed, which is empty. */
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

/* So many drains in a row must leave a delay that is no queue. */
#define TFRC_PATH_DRAINS 3

/* What the sender knows after it has processed a feedback report. */
typedef struct
{
  TfrcDuration rtt;         /* R */
  TfrcDuration rtt_sample;  /* of this report */
  TfrcRate receive_rate;    /* X_recv */
  TfrcRate allowed_rate;    /* X */
  double segment_size;      /* s [bytes] */
  double loss_event_rate;   /* p */
  bool data_limited;        /* in the interval that the report covers */
  double bytes_before_echo; /* sent within the RTT before the echoed packet */
  double bytes_in_flight;   /* sent after the packet that the report echoes */
  double bytes_sent;        /* in total */
  TfrcDuration flight_time; /* since that packet was sent */
  bool has_delay;           /* `delay` is valid */
  TfrcDelayReport delay;
} TfrcPathReport;

/* How the flow uses the path meanwhile. */
typedef struct
{
  TfrcDuration target; /* q* */
  bool
      in_slow_start; /* the least queue is that of a round (RFC 9406 section 4.2) */
  bool
      follows_queue; /* the rate follows the expected queue, so errors of it count */
} TfrcPathUse;

typedef struct
{
  TfrcBaseDelay one_way;
  TfrcBaseDelay round_trip;
  TfrcDelayHistory history;
  int64_t return_delay; /* delay of the return path, by an unknown offset */
  TfrcTime reported_at; /* newest report, or TFRC_TIME_NONE */
  double passed;        /* since the report before [s] */

  TfrcDuration rtt;     /* R of the newest report */
  TfrcDuration age;     /* largest recent age of the information in reports */
  TfrcDuration horizon; /* over which the queue and B are measured */
  TfrcDuration queue;   /* that the newest packets found */
  TfrcDuration least_queue; /* that any packet of the report found */
  /* What the least delay of the report exceeds the base delay by, and did on average when
   * the last drains, of which there were n_drains, must have emptied the queue. */
  TfrcDuration excess;
  TfrcDuration left[TFRC_PATH_DRAINS];
  uint32_t n_drains;
  TfrcDuration expected; /* queue that a packet sent now will find */
  TfrcRate delivered;    /* B, the delivery rate; at least least_rate */
  TfrcRate least_rate;   /* a packet per horizon */
  double last_expected;  /* `expected` of the previous report [s] */
  double last_queue;     /* `queue` of the previous report [s] */
  double above; /* by which the queue exceeds the expected one on average [s] */
  double below; /* by which it is shorter on average [s] */
  double jitter; /* mean excess of the queue over the least one [s] */

  uint64_t
      clock_steps; /* of the receiver's clock: the base delay starts anew */
  /* Reports of a queue longer than the RTT allows, which is cut to that, or of no bytes
   * delivered, where X_recv is taken instead. */
  uint64_t impossible;
} TfrcMeasuredPath;

void tfrc_measured_path_init (TfrcMeasuredPath *self);

/* Every RTT sample, for the base RTT, also if nothing else is measured. */
void tfrc_measured_path_on_rtt (TfrcMeasuredPath *self, TfrcDuration sample,
    TfrcTime now);

/* A report that the sender accepted, behind tfrc_measured_path_on_rtt ().  `now`: not
 * before reported_at. */
void tfrc_measured_path_on_report (TfrcMeasuredPath *self,
    const TfrcPathReport *report, const TfrcPathUse *use, TfrcTime now);

/* Starts the base delay anew with the present delay, as the path may have changed. */
void tfrc_measured_path_restart_base (TfrcMeasuredPath *self, TfrcTime now);

/* A drain must have emptied the queue, and left this mean `excess`. */
void tfrc_measured_path_on_drained (TfrcMeasuredPath *self, TfrcDuration left);

/* The RTT without the queue. */
TfrcDuration tfrc_measured_path_get_empty_rtt (const TfrcMeasuredPath *self);

/* Mean deviation of the queue from the expected one [s]. */
double tfrc_measured_path_get_deviation (const TfrcMeasuredPath *self);

/* The part of the noise that goes both ways [s].  A fade makes the queue longer than
 * expected, and what is withheld then shortens it as expected. */
double tfrc_measured_path_get_steady_noise (const TfrcMeasuredPath *self);

/* The variation of the delay that the flow does not cause [s]. */
double tfrc_measured_path_get_noise (const TfrcMeasuredPath *self);
