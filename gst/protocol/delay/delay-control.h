/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delay control: a bound D of the send rate, below X, that keeps the bottleneck queue short
 * while no other flow fills it.  It is no part of RFC 5348, whose X and rules stay as they
 * are; with a target of 0 there is no bound.
 *
 *   START ---- a standing queue begins ----> DRAIN ----> CONTROL
 *                                              ^  <---- every five seconds, or when the
 *                                              |        queue is far above the target
 *   COMPETE <--- withholding does not shorten the queue, or it overflows -- DRAIN
 *      |  ^
 *      v  |           successful probes in a row, or the
 *     PROBE --------- queue grows by this flow alone ----> DRAIN
 *
 * START   slow start, until the least delay of a round rises (RFC 9406).
 * CONTROL sends at the delivery rate B, more while the queue is below the target q* and
 *         less while it is above; what is in flight counts as queued.  q* falls with B, so
 *         that unequal flows converge, and rises with the noise of the delay.
 * DRAIN   withholds twice the queue, so that the base delay is measured.
 * COMPETE sends at X, as the queue is filled by flows that respond to losses only.
 * PROBE   withholds some packets now and then, and looks whether the queue falls by them.
 *         COMPETE ends without probes when more is sent, but not more delivered: then
 *         there is no other flow that gives way.
 *
 * CE marks of ECT(1) packets reduce D (TfrcMarkResponse).  A queue that marks is kept short
 * by its AQM, so marks end COMPETE.
 *
 * Call tfrc_delay_control_on_report or _on_deadline, then read tfrc_delay_control_get_limit,
 * and reduced_until, the instant at which that limit changes by itself.
 * Instants and durations [ns], rates [bytes/s]. */
#pragma once

#include "base/units.h"
#include "delay/measured-path.h"

/* How much a rate is reduced by CE marks of ECT(1) packets (RFC 9331): in proportion to the
 * share of marked packets, at most once per round, as in Prague and DCTCP (RFC 8257 section
 * 3.3). */
typedef struct
{
  double alpha;      /* smoothed share of marked packets */
  uint64_t marked;   /* packets of this round */
  uint64_t arrived;  /* packets of this round, marked or not */
  TfrcTime round_at; /* start of this round; 0: no mark yet */
  TfrcTime cut_at;   /* last reduction; 0: none */
} TfrcMarkResponse;

void tfrc_mark_response_init (TfrcMarkResponse *self);

/* Packets have arrived with and without a mark.  `round`: what a round lasts.  TRUE: the
 * rate is to be multiplied by 1 - alpha / 2. */
bool tfrc_mark_response_on_marks (TfrcMarkResponse *self, uint32_t marked,
    uint32_t unmarked, TfrcDuration round, TfrcTime now);

/* A mark has reduced the rate within the last round, so the effect is not seen yet. */
bool tfrc_mark_response_is_pending (const TfrcMarkResponse *self,
    TfrcDuration round, TfrcTime now);

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
  uint64_t competitions; /* entries to COMPETE */
  uint64_t mark_cuts;    /* reductions of D by CE marks */
} TfrcDelayCounters;

typedef struct
{
  TfrcDuration reference; /* target of a flow of 2 Mbit/s; 0 = no control */
  TfrcDelayState state;
  TfrcDelayCounters counters;
  TfrcMeasuredPath path;
  TfrcMarkResponse marks;
  double loss_event_rate;

  TfrcDuration quiet_target; /* q* without noise */
  TfrcDuration target;       /* q* */
  TfrcDuration usual_target; /* q* at high_rate */
  TfrcDuration packet_time;  /* transmission time of a packet */
  TfrcDuration rise;         /* of the delay, that ended START */
  TfrcTime started_at;       /* START ended by it, or TFRC_TIME_NONE */

  TfrcRate limit;             /* D */
  TfrcRate reduced_limit;     /* bound while DRAIN or PROBE withholds */
  TfrcTime reduced_until;     /* end of that, or TFRC_TIME_NONE */
  TfrcTime judged_at;         /* the result of DRAIN or PROBE is reported */
  TfrcDuration before;        /* queue at the start of DRAIN or PROBE */
  TfrcDuration least;         /* least queue since then */
  TfrcDuration most;          /* longest queue since then */
  TfrcDuration excess_before; /* path.excess at the start of DRAIN or PROBE */
  TfrcDuration excess_sum;    /* of the reports since DRAIN withheld all */
  uint32_t n_excess;          /* these reports */
  TfrcRate best_rate;         /* highest B of the last minute, decaying */
  TfrcRate high_rate; /* highest B of the last half minute, since COMPETE */
  /* the expected queue was last above a quarter of q* */
  TfrcTime above_quarter_at;
  TfrcTime within_target_at; /* the queue was last within the target */
  TfrcTime above_half_at;    /* the queue was last above half of q* */
  TfrcTime empty_at;         /* the queue was last seen empty, or drained */
  bool was_far_above;   /* the queue at the start of DRAIN was far above q* */
  bool ends_with_queue; /* so that DRAIN ends once the queue is gone */
  uint32_t failures;    /* failed drains in a row */
  uint32_t emptied;     /* drains in a row that emptied the queue */
  TfrcTime withheld_since; /* start of the first of these */
  /* While the queue is above q* in CONTROL: the longest queue, and what D withheld of B as
   * transmission time [s].  How often that was in vain, and when last. */
  TfrcDuration longest;
  double withheld;
  uint32_t kept;
  TfrcTime kept_at;
  TfrcTime above_target_at;  /* the queue was last longer than the target */
  TfrcTime loss_at;          /* last overflow, or TFRC_TIME_NONE */
  TfrcTime compete_ended_at; /* end of the last COMPETE */
  TfrcTime probe_at;         /* next PROBE */
  uint32_t successes;        /* successful probes in a row */
  uint32_t probes_needed;    /* of these to leave COMPETE */
} TfrcDelayControl;

/* `target`: queueing delay aimed at by a flow of 2 Mbit/s; 0 = no control. */
void tfrc_delay_control_init (TfrcDelayControl *self, TfrcDuration target);

/* To be called with every report that the sender accepted.  Without control only its
 * rtt_sample is used, for the base RTT. */
void tfrc_delay_control_on_report (TfrcDelayControl *self,
    const TfrcPathReport *report, TfrcTime now);

/* To be called after a report, with the number of ECT(1) packets that arrived since the
 * previous call with and without a CE mark. */
void tfrc_delay_control_on_marks (TfrcDelayControl *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now);

/* To be called at reduced_until. */
void tfrc_delay_control_on_deadline (TfrcDelayControl *self, TfrcTime now);

/* Bound of the send rate; INFINITY = none but X. */
TfrcRate tfrc_delay_control_get_limit (const TfrcDelayControl *self);

/* To be called after a report on packets that were sent while a probe (TfrcProbing) filled
 * up what the source left of `rate`.  `receive_rate` is of these packets only, where B may
 * be measured over a longer time. */
void tfrc_delay_control_on_probe (TfrcDelayControl *self, TfrcRate rate,
    TfrcRate receive_rate);

/* Delay control is in charge of the queue (not in COMPETE), and expects hardly any. */
bool tfrc_delay_control_is_clear (const TfrcDelayControl *self);
