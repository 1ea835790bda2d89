/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The current limiting receiver (CLR), RFC 4654.  At the sender: which receiver it
 * is, which one replaces it, and when it is given up (section 3.3).  At a receiver:
 * whether it is the CLR, and when it reports as such (section 4.5).  How the rate
 * follows the CLR is in tfmcc/sender.c. */
#pragma once

#include "tfmcc/packet.h"

typedef struct
{
  uint32_t ssrc;
  TfrcRate rate;    /* rate of its newest report, adjusted [bytes/s] */
  TfrcDuration rtt; /* R_r, the RTT that the sender measures */
  TfrcTime reported_at;
  TfrcTime chosen_at;
  uint32_t report_time_us; /* of its newest report, for the echo */
} TfmccLimiter;

typedef struct
{
  bool known;
  TfmccLimiter limiter;
  bool leaving;                 /* it has announced to leave */
  bool overdue;                 /* no report for 4 RTTs */
  TfrcDuration least_rtt;       /* lower bound of RTTs in timeouts */
  TfrcDuration packet_interval; /* s / X, likewise */
  bool timeout_by_packets;
  /* Start of its silence; TFRC_TIME_NONE: it is not silent. */
  TfrcTime unanswered_since;
  uint64_t changes;
  /* The lowest reports of other receivers, in this round and in the one before; a
   * rate of INFINITY: there was none. */
  TfmccLimiter lowest[2];
} TfmccClrChoice;

typedef enum
{
  TFMCC_CLR_UNCHANGED, /* report of another receiver that is not the limit */
  TFMCC_CLR_REPORTED,  /* report of the CLR */
  TFMCC_CLR_FIRST,     /* the first CLR ever */
  TFMCC_CLR_LOWER,     /* another receiver becomes the CLR by its lower rate */
  TFMCC_CLR_SUCCEEDED, /* the CLR leaves or was given up, and is replaced */
} TfmccClrChange;

typedef enum
{
  TFMCC_CLR_ON_TIME,
  TFMCC_CLR_OVERDUE, /* no report for 4 of its RTTs */
  TFMCC_CLR_GONE,    /* none for 10: there is no CLR any more */
} TfmccClrTimeout;

/* `least_rtt`: lower bound of RTTs in timeouts.  `timeout_by_packets`: silence
 * starts with the first packet after a report.  RFC 4654: 0 and false. */
void tfmcc_clr_choice_init (TfmccClrChoice *self, TfrcDuration least_rtt,
    bool timeout_by_packets);

/* A report has arrived; `rate` is adjusted by the true RTT, `sending_rate` is X. */
TfmccClrChange tfmcc_clr_choice_on_report (TfmccClrChoice *self,
    const TfmccReport *report, TfrcRate rate, TfrcDuration rtt,
    TfrcRate sending_rate, TfrcTime now);

/* A feedback round starts. */
void tfmcc_clr_choice_on_round (TfmccClrChoice *self);

/* The CLR leaves, or was given up: makes the other receiver that reported the
 * lowest rate in this round or the one before the CLR.  Returns false if there is
 * none. */
bool tfmcc_clr_choice_succeed (TfmccClrChoice *self, TfrcTime now);

/* Ignores that receiver from now on. */
void tfmcc_clr_choice_forget (TfmccClrChoice *self, uint32_t ssrc);

bool tfmcc_clr_choice_is (const TfmccClrChoice *self, uint32_t ssrc);

/* A packet is sent.  Silence starts with the first one after a report, since
 * without packets a receiver has nothing to report. */
void tfmcc_clr_choice_on_sent (TfmccClrChoice *self, TfrcTime now);

/* The packets sent so far need not be reported any more. */
void tfmcc_clr_choice_on_pause (TfmccClrChoice *self);

TfrcTime tfmcc_clr_choice_next_deadline (const TfmccClrChoice *self);
TfmccClrTimeout tfmcc_clr_choice_on_deadline (TfmccClrChoice *self,
    TfrcTime now);

typedef struct
{
  TfrcTime reported_at; /* newest report, as the CLR or not */
  bool is_clr;          /* this receiver is the CLR */
  bool unreported;      /* an extension arrived since the newest report */
} TfmccClrRole;

/* A data packet names the CLR, this receiver (`us`) or another one.  Returns true
 * if it has become us. */
bool tfmcc_clr_role_on_name (TfmccClrRole *self, bool us);

/* A report is sent. */
void tfmcc_clr_role_on_report (TfmccClrRole *self, TfrcTime now);

/* When the CLR reports next, `interval` after its last report; TFRC_TIME_NONE if
 * this receiver is not the CLR, or there is nothing new to report. */
TfrcTime tfmcc_clr_role_next_report (const TfmccClrRole *self,
    TfrcDuration interval);
