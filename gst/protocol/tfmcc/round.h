/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback rounds of the sender, with R_max and the suppression rate that it
 * announces: RFC 4654 sections 3.2 and 3.4. */
#pragma once

#include "tfmcc/feedback-delay.h"
#include "tfmcc/packet.h"

typedef struct
{
  double rtts;              /* b, T in R_max; default 6 */
  double packets;           /* c of the receivers' timers; default 3 */
  double margin;            /* theta: X_supp = (1 - theta) X_r; default 0.1 */
  TfrcDuration granularity; /* ts_gran of the sender; default 10 ms */
  TfrcDuration initial_rtt; /* R_max at the start; default 500 ms */
  /* Ours, docs/deviations.md; default true, false: RFC 4654. */
  bool start_delay;      /* T is shorter in slow start */
  bool measured_max_rtt; /* initial_rtt soon gives way to what is measured */
} TfmccRoundConfig;

typedef struct
{
  TfmccRoundConfig config;
  uint8_t number;               /* fb_nr */
  bool slow_start;              /* nobody has reported a loss yet */
  TfrcTime began_at;            /* TFRC_TIME_NONE: no packet sent yet */
  bool answered;                /* by somebody else than the CLR */
  TfrcDuration max_rtt;         /* R_max */
  TfrcDuration max_rtt_before;  /* as the round began */
  TfrcDuration least_max_rtt;   /* 8 s/X + ts_gran */
  TfrcDuration peak_rtt;        /* R_peak, largest R_r of this round, */
  TfrcDuration highest_rtt;     /* and of all */
  TfrcDuration start_rtt;       /* what is left of initial_rtt */
  TfrcDuration packet_interval; /* what T is made for */
  TfrcRate suppression_rate;    /* X_supp, INFINITY = none */
  bool loss_reported;           /* in this round */
} TfmccRound;

TfmccRoundConfig tfmcc_round_config_default (void);

/* Values out of range are clamped. */
void tfmcc_round_init (TfmccRound *self, const TfmccRoundConfig *config);

/* "R_max = max (R_max, 8 s/X + ts_gran)", whenever X changes; `interval` is
 * s/X.  An application that sends less than it may makes it `actual`: that is
 * what the receivers see, and their T and ours should be about the same. */
void tfmcc_round_set_packet_interval (TfmccRound *self, TfrcDuration interval,
    TfrcDuration actual);

/* The RTT of any report, as the sender sees it. */
void tfmcc_round_on_rtt (TfmccRound *self, TfrcDuration rtt);

/* A report of this round, not by the CLR, with its unadjusted rate. */
void tfmcc_round_on_report (TfmccRound *self, TfrcRate rate, bool has_loss,
    TfrcTime now);

/* T. */
TfrcDuration tfmcc_round_get_span (const TfmccRound *self);

/* The round's end as it looks now: T if it was answered, else 2 T. */
TfrcTime tfmcc_round_next_deadline (const TfmccRound *self);

/* Ends the round early: there is no CLR to follow, somebody has to report.  False
 * within R_max of its begin, whose reports are on their way: however often the CLR
 * leaves, a round lasts that long.  False as well while nobody has answered this
 * round, for T and R_max: somebody still will, and sooner than the next one. */
bool tfmcc_round_cut (TfmccRound *self, TfrcTime now);

/* True when a new round has begun. */
bool tfmcc_round_on_deadline (TfmccRound *self, TfrcTime now);
