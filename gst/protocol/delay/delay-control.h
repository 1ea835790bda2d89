/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A bound of what a sender sends below X, which keeps the queue of the path
 * short while it is the flow's own.  No part of RFC 5348: X and its rules stay as
 * they are, and with a target of 0 there is no bound.
 *
 *   START ---- a queue begins to stand ----> DRAIN ----> CONTROL
 *                                              ^  <---- each ten seconds,
 *                                              |        or far above the target
 *   COMPETE <--- the queue stays or overflows, whatever is withheld --- DRAIN
 *      |  ^
 *      v  |                     two probes in a row emptied the queue, or
 *     PROBE ------------------- it grows by nobody but us ----> DRAIN
 *
 * CONTROL sends what arrives, more while the queue is below the target q* and less
 * above it, where what is under way already counts as sent.  q* falls with the rate
 * of a flow, so that unequal flows become equal, and rises with what the delay
 * varies by itself.  DRAIN withholds twice the queue, so that the delay of the empty
 * path is seen.  COMPETE sends X: the queue is filled by somebody who yields to losses
 * alone.  Now and then PROBE withholds some packets and sees whether the queue falls by
 * them.  Where X sends more and that much more arrives, somebody else gives way; where
 * no more arrives, there is nobody.
 *
 * Marks of packets that leave as ECT(1) (RFC 9331) lower D in proportion, at most once a
 * round, as Prague and DCTCP (RFC 8257 section 3.3) do; who marks keeps the queue, so X
 * alone never counts then.
 *
 * One call in (tfrc_delay_control_on_report or _on_deadline), then read
 * tfrc_delay_control_get_limit and low_until, when that changes by itself, anew.
 * Instants and durations [ns], rates [bytes/s]. */
#pragma once

#include "base/units.h"
#include "base/base-delay.h"
#include "delay/delay-history.h"

/* What the sender knows when it has taken a report. */
typedef struct
{
  TfrcDuration rtt;         /* R */
  TfrcDuration rtt_sample;  /* of this report */
  TfrcRate receive_rate;    /* X_recv */
  TfrcRate allowed_rate;    /* X */
  double segment_size;      /* s [bytes] */
  double loss_event_rate;   /* p */
  bool data_limited;        /* the interval that the report is of */
  double bytes_before_echo; /* sent within an RTT up to the packet echoed */
  double bytes_in_flight;   /* sent since the packet that the report echoes */
  double bytes_sent;        /* in all */
  TfrcDuration flight_time; /* since that packet was sent */
  bool has_delay;           /* `delay` is there */
  TfrcDelayReport delay;
} TfrcDelayControlReport;

typedef enum
{
  TFRC_DELAY_START,
  TFRC_DELAY_CONTROL,
  TFRC_DELAY_DRAIN,
  TFRC_DELAY_COMPETE,
  TFRC_DELAY_PROBE,
} TfrcDelayState;

typedef struct
{
  uint64_t drains;
  uint64_t probes;
  uint64_t competitions; /* times that X was left alone */
  uint64_t clock_steps;  /* of the receiver: its delays begin anew */
  /* Reports of a queue that was always longer than the RTT allows, which is cut to
   * that, or of far fewer bytes than X_recv, which is taken instead. */
  uint64_t impossible;
  uint64_t mark_cuts; /* of D, by marks */
} TfrcDelayCounters;

typedef struct
{
  TfrcDuration reference; /* target of a flow of 2 Mbit/s; 0 = no control */
  TfrcDelayState state;
  TfrcDelayCounters counters;
  TfrcBaseDelay one_way;
  TfrcBaseDelay round_trip;
  TfrcDelayHistory history;
  double loss_event_rate;

  TfrcDuration rtt;         /* R of the newest report */
  int64_t back;             /* delay of the newest report, of any origin */
  TfrcDuration age;         /* most of that of news in the last time */
  TfrcDuration horizon;     /* over which the queue and the rate are taken */
  TfrcDuration queue;       /* that the newest packets found */
  TfrcDuration least_queue; /* of the report's interval */
  TfrcDuration expected; /* the queue that will be found by what is sent now */
  TfrcDuration quiet_target; /* q* without noise */
  TfrcDuration target;       /* q* */
  TfrcDuration usual_target; /* q* at the most of B in the last time */
  TfrcDuration packet_time;  /* of a full one */
  TfrcRate delivered;        /* B: what arrives */
  double last_expected;      /* [s] */
  double last_queue;         /* [s] */
  double deviation;          /* mean deviation of the queue from that [s] */
  double jitter;        /* mean of it beyond the least of its interval [s] */
  TfrcDuration rise;    /* of the least delay of a round, that ended START */
  TfrcTime started_at;  /* then, or TFRC_TIME_NONE */
  TfrcTime reported_at; /* newest report, or TFRC_TIME_NONE */

  double alpha;        /* part of the packets that are marked, smoothed */
  uint64_t marked;     /* packets of this round */
  uint64_t arrived;    /* of these marked or not */
  TfrcTime round_at;   /* it began; 0: no mark yet */
  TfrcTime cut_at;     /* D, by a mark; 0: never */
  TfrcRate least_rate; /* a packet per horizon: D is no less */

  TfrcRate limit;          /* D */
  TfrcRate low_limit;      /* while it withholds */
  TfrcTime low_until;      /* then D again; TFRC_TIME_NONE: it does not */
  TfrcTime judged_at;      /* what is sent behind DRAIN and PROBE has arrived */
  TfrcDuration before;     /* the queue when they began */
  TfrcDuration least;      /* and the least since */
  TfrcDuration most;       /* and the most */
  TfrcRate best_rate;      /* most of B in the last time */
  TfrcRate high_rate;      /* the same, since COMPETE ended */
  TfrcTime filled_at;      /* the expected queue was last not empty */
  TfrcTime fits_at;        /* the queue was last no longer than the target */
  TfrcTime half_at;        /* the queue was last above half of the target */
  TfrcTime clear_at;       /* the queue was last seen empty, or drained */
  bool was_far_above;      /* the queue, when DRAIN began */
  uint32_t failures;       /* of DRAIN, in a row */
  TfrcTime withheld_since; /* the first of these began */
  TfrcTime long_at;        /* the queue was last too long */
  TfrcTime loss_at;        /* at a long queue, or TFRC_TIME_NONE */
  TfrcTime back_at;        /* the last COMPETE ended */
  TfrcTime probe_at;       /* next PROBE */
  uint32_t successes;      /* of PROBE, in a row */
  uint32_t probes_needed;  /* of these */
} TfrcDelayControl;

/* `target`: queue of a flow of 2 Mbit/s; 0 = no control. */
void tfrc_delay_control_init (TfrcDelayControl *self, TfrcDuration target);

/* Every report that the sender has taken.  Without control its rtt_sample alone counts,
 * for the base RTT. */
void tfrc_delay_control_on_report (TfrcDelayControl *self,
    const TfrcDelayControlReport *report, TfrcTime now);

/* After a report: what became of packets that left as ECT(1), since the call before. */
void tfrc_delay_control_on_marks (TfrcDelayControl *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now);

/* At low_until. */
void tfrc_delay_control_on_deadline (TfrcDelayControl *self, TfrcTime now);

/* What may be sent; INFINITY = no bound but X. */
TfrcRate tfrc_delay_control_get_limit (const TfrcDelayControl *self);

/* After a report on packets that were sent while a probe (TfrcProbing) filled up
 * what the source left of `rate`: X_recv is of them alone, where B may be of a longer
 * time. */
void tfrc_delay_control_on_probe (TfrcDelayControl *self, TfrcRate rate,
    TfrcRate receive_rate);

/* It controls the queue, and next to nothing of it is expected. */
bool tfrc_delay_control_is_clear (const TfrcDelayControl *self);
