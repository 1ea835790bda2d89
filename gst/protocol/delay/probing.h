/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides when to add packets that nobody needs (probes) to a source that sends
 * less than it may, so that X and delay control learn what the path carries.  Not
 * part of RFC 5348, where the receive rate limits the sending rate: a still scene,
 * or an encoder that cannot go below some rate, would keep both at what it
 * produces.
 *
 * A probe fills the allowed rate for one and a half RTTs, so that one X_recv covers
 * nothing else.  Probes start at least 20 times their length apart.  In total they
 * may take a quarter of what the source has sent, plus what slow start would have
 * sent.
 *
 * After each call read tfrc_probing_is_on and _next_deadline again.  Sizes in
 * bytes. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

/* State of the sender after a report. */
typedef struct
{
  TfrcRate allowed_rate; /* rate that may be sent now */
  /* Rate that the source could use; 0 = it is not known to need more. */
  TfrcRate wanted_rate;
  TfrcDuration rtt;
  /* the receive rate, and nothing else, limits the allowed rate */
  bool receive_limited;
  bool queue_empty; /* there is no queue */
} TfrcProbingReport;

typedef struct
{
  uint64_t probes;
  uint64_t bytes;
} TfrcProbingCounters;

typedef struct
{
  TfrcProbingCounters counters;
  double source_bytes; /* sum over about the last second */
  TfrcTime source_at;  /* when that was updated */
  /* When the source last had nothing left to send, or TFRC_TIME_NONE. */
  TfrcTime emptied_at;
  double credit;      /* bytes that probes may take */
  double most_credit; /* upper bound of the credit */
  double bytes_left;  /* of the current probe; none if not above 0 */
  TfrcTime begun_at; /* start of the current or last probe, like the next two */
  TfrcRate rate;     /* allowed rate that it fills */
  TfrcTime until;
  TfrcTime next_at; /* earliest start of the next probe */
} TfrcProbing;

void tfrc_probing_init (TfrcProbing *self);

/* A packet of the source, or of a probe, was sent.  `backlog`: more is waiting. */
void tfrc_probing_on_source (TfrcProbing *self, uint32_t size, bool backlog,
    TfrcTime now);
void tfrc_probing_on_probe (TfrcProbing *self, uint32_t size);

/* Starts a probe, or ends it early. */
void tfrc_probing_on_report (TfrcProbing *self, const TfrcProbingReport *report,
    TfrcTime now);

/* Whether a probe was on when a packet was sent, at `sent_at`. */
bool tfrc_probing_was_on (const TfrcProbing *self, TfrcTime sent_at);

/* When the current probe ends; TFRC_TIME_NONE: none is on. */
TfrcTime tfrc_probing_next_deadline (const TfrcProbing *self);
void tfrc_probing_on_deadline (TfrcProbing *self, TfrcTime now);

/* Whether packets of a probe may be sent, at the pacing rate and after those of the
 * source. */
bool tfrc_probing_is_on (const TfrcProbing *self);

/* Whether the source has had nothing to send at times, and has sent clearly less
 * than `allowed` over about a second.  An encoder whose frames are sent one by one
 * fills some RTTs and not others. */
bool tfrc_probing_is_idle (const TfrcProbing *self, TfrcRate allowed,
    TfrcTime now);
