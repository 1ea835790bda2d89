/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much a rate is reduced by CE marks of ECT(1) packets (RFC 9331): in proportion to the
 * share of marked packets, at most once per round, as in Prague and DCTCP (RFC 8257 section
 * 3.3).  Instants and durations [ns]. */
#pragma once

#include "base/units.h"

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
