/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The current limiting receiver (CLR), RFC 4654: at the sender which receiver it is,
 * who replaces it and when it is given up (section 3.3); at a receiver when it is
 * the CLR, and reports as that (section 4.5).  What it does to the rate is the
 * sender's. */
#pragma once

#include "tfmcc/packet.h"

typedef struct
{
  uint32_t ssrc;
  TfrcRate rate;    /* of its newest report, adjusted [bytes/s] */
  TfrcDuration rtt; /* R_r, as the sender sees it */
  TfrcTime reported_at;
  TfrcTime chosen_at;
  uint32_t report_time_us; /* of its newest report, for the echo */
} TfmccLimiter;

typedef struct
{
  bool known;
  TfmccLimiter limiter;
  bool leaving;                 /* it said so */
  bool overdue;                 /* 4 RTTs without a report */
  TfrcDuration least_rtt;       /* timeouts count no shorter ones, */
  TfrcDuration packet_interval; /* nor than s / X */
  bool timeout_by_packets;
  TfrcTime unanswered_since; /* silence counts from here; NONE: it does not */
  uint64_t changes;
  /* The others' lowest report of this round and of the one before; INFINITY:
   * there was none. */
  TfmccLimiter lowest[2];
} TfmccClrChoice;

typedef enum
{
  TFMCC_CLR_UNCHANGED, /* somebody else, and not the limit */
  TFMCC_CLR_REPORTED,  /* the CLR itself */
  TFMCC_CLR_FIRST,     /* there has never been one */
  TFMCC_CLR_LOWER,     /* somebody else has become it by its rate */
  TFMCC_CLR_SUCCEEDED, /* the CLR leaves, or was given up */
} TfmccClrChange;

typedef enum
{
  TFMCC_CLR_HEARD,
  TFMCC_CLR_OVERDUE, /* no report for 4 of its RTTs */
  TFMCC_CLR_GONE,    /* for 10: there is none any more */
} TfmccClrTimeout;

/* `least_rtt`: timeouts count no shorter ones.  `timeout_by_packets`: silence
 * counts from the first packet after a report.  0 and false: RFC 4654. */
void tfmcc_clr_choice_init (TfmccClrChoice *self, TfrcDuration least_rtt,
    bool timeout_by_packets);

/* A report, with its rate adjusted by the true RTT, while the sender sends at
 * `sending_rate`. */
TfmccClrChange tfmcc_clr_choice_on_report (TfmccClrChoice *self,
    const TfmccReport *report, TfrcRate rate, TfrcDuration rtt,
    TfrcRate sending_rate, TfrcTime now);

/* A feedback round begins. */
void tfmcc_clr_choice_on_round (TfmccClrChoice *self);

/* The CLR leaves, or was given up: whoever has reported least of the others, in this
 * round or the one before, is the CLR.  False if nobody has. */
bool tfmcc_clr_choice_succeed (TfmccClrChoice *self, TfrcTime now);

/* Nobody listens to that receiver any more. */
void tfmcc_clr_choice_forget (TfmccClrChoice *self, uint32_t ssrc);

bool tfmcc_clr_choice_is (const TfmccClrChoice *self, uint32_t ssrc);

/* A packet leaves: silence counts from the first one after a report, since a
 * receiver has nothing to answer while none comes. */
void tfmcc_clr_choice_on_sent (TfmccClrChoice *self, TfrcTime now);

/* What was sent until now needs no answer any more. */
void tfmcc_clr_choice_on_pause (TfmccClrChoice *self);

TfrcTime tfmcc_clr_choice_next_deadline (const TfmccClrChoice *self);
TfmccClrTimeout tfmcc_clr_choice_on_deadline (TfmccClrChoice *self,
    TfrcTime now);

typedef struct
{
  TfrcTime reported_at; /* newest report, of the CLR or not */
  bool is_clr;          /* we are the CLR */
  bool unreported;      /* an extension since the newest report */
} TfmccClrRole;

/* A data packet names the CLR, `us` or another; true if it becomes us. */
bool tfmcc_clr_role_on_name (TfmccClrRole *self, bool us);

/* A report is handed out. */
void tfmcc_clr_role_on_report (TfmccClrRole *self, TfrcTime now);

/* When the CLR reports next, `interval` after its last report; TFRC_TIME_NONE
 * while it is not us, or there is nothing new to say. */
TfrcTime tfmcc_clr_role_next_report (const TfmccClrRole *self,
    TfrcDuration interval);
