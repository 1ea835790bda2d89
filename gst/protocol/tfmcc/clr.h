/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The current limiting receiver: who it is, who replaces it, when it is given
 * up.  RFC 4654 section 3.3, and the memory of the one before it from Widmer
 * and Handley 2001 appendix C.  What that does to the rate is the sender's. */
#pragma once

#include "tfmcc/packet.h"

typedef struct
{
  uint32_t ssrc;
  TfrcRate rate;    /* of its newest report, adjusted [bytes/s] */
  TfrcDuration rtt; /* R_r, as the sender sees it */
  TfrcTime reported_at;
  TfrcTime chosen_at;
} TfmccLimiter;

typedef struct
{
  bool known;
  TfmccLimiter limiter;
  bool leaving; /* it said so */
  bool silent;  /* 4 RTTs without a report */
  bool has_previous;
  TfmccLimiter previous;
  TfrcTime previous_until;
  TfrcDuration packet_interval; /* s / X: no timeout is shorter */
  TfrcTime unanswered_since;    /* first packet after its report, or NONE */
  uint64_t changes;
  uint32_t changes_in_round;
} TfmccClr;

typedef enum
{
  TFMCC_CLR_UNCHANGED, /* somebody else, and not the limit */
  TFMCC_CLR_REPORTED,  /* the CLR itself */
  TFMCC_CLR_FIRST,     /* there has never been one */
  TFMCC_CLR_LOWER,     /* somebody else has become it by its rate */
  TFMCC_CLR_SUCCEEDED, /* the CLR leaves, or was given up */
  TFMCC_CLR_RESTORED,  /* the one before has the lower rate again */
  TFMCC_CLR_KEPT,      /* somebody else is lower, but the CLR has
                                 * changed too often in this round */
} TfmccClrChange;

typedef enum
{
  TFMCC_CLR_HEARD,
  TFMCC_CLR_SILENT, /* no report for 4 of its RTTs */
  TFMCC_CLR_GONE,   /* for 10: there is none any more */
} TfmccClrTimeout;

void tfmcc_clr_init (TfmccClr *self);

/* A report, with its rate adjusted by the true RTT, while the sender sends at
 * `sending_rate`. */
TfmccClrChange tfmcc_clr_on_report (TfmccClr *self, const TfmccReport *report,
    TfrcRate rate, TfrcDuration rtt, TfrcRate sending_rate, TfrcTime now);

/* A feedback round has begun. */
void tfmcc_clr_on_round (TfmccClr *self);

bool tfmcc_clr_is (const TfmccClr *self, uint32_t ssrc);

void tfmcc_clr_set_packet_interval (TfmccClr *self, TfrcDuration interval);

/* A packet leaves: silence counts from the first one after a report, since a
 * receiver has nothing to answer while none comes. */
void tfmcc_clr_on_sent (TfmccClr *self, TfrcTime now);

/* What was sent until now needs no answer any more. */
void tfmcc_clr_on_pause (TfmccClr *self);

TfrcTime tfmcc_clr_next_deadline (const TfmccClr *self);
TfmccClrTimeout tfmcc_clr_on_deadline (TfmccClr *self, TfrcTime now);
