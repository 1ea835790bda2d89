/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a source that sends less than it may is helped out with packets that nobody
 * needs (probes), so that X and the delay control see what the path carries.  No
 * part of RFC 5348, by which what arrives bounds what may be sent: a scene that
 * does not move, or an encoder that makes nothing below some rate, holds both at
 * what it makes.
 *
 * A probe fills up what may be sent anyway for one and a half RTTs, so that one
 * X_recv is of it alone.  Between the beginnings of two lie twenty times as much,
 * and in all they take a quarter of what the source sent, and what a slow start
 * takes anyway.
 *
 * One call in, then read tfrc_probing_is_on and _next_deadline anew.  Sizes in
 * bytes. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

/* What the sender knows when it has taken a report. */
typedef struct
{
  TfrcRate allowed_rate; /* may be sent now */
  TfrcRate wanted_rate;  /* the source could use; 0 = it is not known to */
  TfrcDuration rtt;
  bool held;  /* what arrives, and nothing else, bounds what may be sent */
  bool clear; /* there is no queue */
} TfrcProbingReport;

typedef struct
{
  uint64_t probes;
  uint64_t bytes;
} TfrcProbingCounters;

typedef struct
{
  TfrcProbingCounters counters;
  double source_bytes; /* of about the last second */
  TfrcTime source_at;  /* of that */
  TfrcTime emptied_at; /* the source had nothing left to send; or NONE */
  double credit;       /* what probes may take */
  double most_credit;  /* that may be saved */
  double bytes_left;   /* of the probe; not above 0: none is on */
  TfrcTime begun_at;   /* of the probe, or of the last one, as the next two */
  TfrcRate rate;       /* that it fills up */
  TfrcTime until;
  TfrcTime next_at; /* none begins before */
} TfrcProbing;

void tfrc_probing_init (TfrcProbing *self);

/* A packet left, of the source or of a probe.  `backlog`: more is waiting. */
void tfrc_probing_on_source (TfrcProbing *self, uint32_t size, bool backlog,
    TfrcTime now);
void tfrc_probing_on_probe (TfrcProbing *self, uint32_t size);

/* A probe begins, or ends before its time. */
void tfrc_probing_on_report (TfrcProbing *self, const TfrcProbingReport *report,
    TfrcTime now);

/* Whether one was on when a packet was sent, or would have been. */
bool tfrc_probing_was_on (const TfrcProbing *self, TfrcTime sent_at);

/* When a probe ends by itself; TFRC_TIME_NONE: none is on. */
TfrcTime tfrc_probing_next_deadline (const TfrcProbing *self);
void tfrc_probing_on_deadline (TfrcProbing *self, TfrcTime now);

/* Its packets may leave, at the pace of all and behind those of the source. */
bool tfrc_probing_is_on (const TfrcProbing *self);

/* Whether the source had nothing to send at times, and so has sent clearly less than
 * `allowed` for about a second.  An encoder whose frames leave one by one fills some
 * RTTs and not others. */
bool tfrc_probing_is_idle (const TfrcProbing *self, TfrcRate allowed,
    TfrcTime now);
