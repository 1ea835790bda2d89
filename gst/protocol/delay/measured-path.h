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
#include "delay/delay-history.h"

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
