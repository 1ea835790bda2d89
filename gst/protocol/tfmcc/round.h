/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback rounds: of the sender, with R_max and the suppression rate that it
 * announces (RFC 4654 sections 3.2 and 3.4), and the timer of a receiver, which
 * keeps a group from answering all at once: exponentially distributed, biased in
 * favour of low rates (Widmer and Handley 2001 section 2.5), cancelled when the
 * sender has heard of a rate that is about as low (RFC 4654 section 4.5).  Neither
 * knows what else a report says.
 *
 * T is the longest that a receiver waits: the sender ends its rounds by it and the
 * receivers draw their timers in it, so both must get the same from the same R_max
 * (Widmer and Handley 2001 section 2.5.3). */
#pragma once

#include "base/rng.h"
#include "tfmcc/packet.h"
#include "base/units.h"

/* How fast the sender sends, from its own timestamps: lost packets count, and
 * queues on the way do not.  A receiver of TFMCC compares its rate with this
 * one (R_send of Widmer and Handley 2001 section 2.5), which is not in the
 * packets. */
typedef struct
{
  uint32_t time_us; /* ts_i */
  TfrcSeq position; /* packets of the flow up to it, or bytes */
} TfmccSendingMark;

/* Begins as zero. */
typedef struct
{
  TfmccSendingMark older, newer; /* at least a span apart */
  TfmccSendingMark newest;
  bool started;
} TfmccSendingRate;

/* A data packet that is newer than all before, at the flow position
 * `position`.  What is measured spans one to two `span`s. */
void tfmcc_sending_rate_on_packet (TfmccSendingRate *self,
    uint32_t send_time_us, TfrcSeq position, TfrcDuration span);

/* Mean time between two packets, or bytes [ns]; 0 while not known. */
TfrcDuration tfmcc_sending_rate_get_interval (const TfmccSendingRate *self);

/* What the sender's rate does, for T. */
typedef enum
{
  TFMCC_STEADY,
  TFMCC_SLOW_START,  /* nobody has lost a packet: c = 0 */
  TFMCC_FIRST_ROUND, /* of it: nor is anybody behind: no bias, 3/4 of b */
} TfmccPhase;

/* Of feedback round `round`, which every extension has. */
TfmccPhase tfmcc_phase (bool slow_start, uint8_t round);

typedef struct
{
  double rtts;              /* b, T in R_max; default 6 */
  double packets;           /* c of the receivers' timers; default 3 */
  double margin;            /* theta: X_supp = (1 - theta) X_r; default 0.1 */
  TfrcDuration granularity; /* ts_gran of the sender; default 10 ms */
  TfrcDuration initial_rtt; /* R_max at the start; default 500 ms */
  /* Ours, docs/rules.md; default true, false: RFC 4654. */
  bool start_delay;      /* T is shorter in slow start */
  bool measured_max_rtt; /* R_max soon gives way to what is measured */
} TfmccRoundConfig;

/* Like R_max and R_peak. */
typedef struct
{
  TfrcDuration max, peak;
} TfmccLongestRtt;

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
  TfrcDuration peak_rtt;        /* R_peak, largest R_r of this round */
  TfmccLongestRtt clr, others;  /* the same, measured, of who is there */
  TfrcDuration packet_interval; /* what T is made for */
  TfrcRate suppression_rate;    /* X_supp, INFINITY = none */
  bool loss_reported;           /* in this round */
  bool losses_apart; /* some of it was slow start: only a loss suppresses one */
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

/* The same once more, to `clr` or `others` of the round, of one who stays. */
void tfmcc_longest_rtt_add (TfmccLongestRtt *self, TfrcDuration rtt);

/* A report of this round, not by the CLR, with its unadjusted rate. */
void tfmcc_round_on_report (TfmccRound *self, TfrcRate rate, bool has_loss,
    TfrcTime now);

/* T. */
TfrcDuration tfmcc_round_get_span (const TfmccRound *self);

/* The round's end as it looks now: T if it was answered, else 2 T. */
TfrcTime tfmcc_round_next_deadline (const TfmccRound *self);

/* True when a new round has begun. */
bool tfmcc_round_on_deadline (TfmccRound *self, TfrcTime now);

/* Ends now what would last as long as who has gone was far away. */
void tfmcc_round_end (TfmccRound *self, TfrcTime now);

typedef struct
{
  double group_size;         /* N, upper bound of the group; default 10000 */
  double bias;               /* gamma, part of T by the rate; default 1/4 */
  double rtts;               /* b, T in R_max; default 6 */
  double packets;            /* c, consecutive data packets whose loss does
                                 * no harm; default 3 */
  double least_biased_ratio; /* r' is 1 from this r on; default 0.9 */
  double most_biased_ratio;  /* and 0 up to this one; default 0.5 */
} TfmccSuppressionConfig;

typedef struct
{
  TfmccSuppressionConfig config;
  TfrcRng rng;
  TfmccPhase phase;       /* of the newest packet; TFMCC_STEADY at first */
  TfrcTime expires_at;    /* TFRC_TIME_NONE: nothing to report */
  TfrcDuration max_rtt;   /* R_max that the timer was made for */
  TfrcRate rate_at_start; /* X_fbr [bytes/s] */
} TfmccSuppression;

TfmccSuppressionConfig tfmcc_suppression_config_default (void);

/* Values out of range are clamped.  Receivers differ by their `seed`. */
void tfmcc_suppression_init (TfmccSuppression *self,
    const TfmccSuppressionConfig *config, uint64_t seed);

/* Part of a longest delay to wait, so that of up to `group_size` receivers few
 * are early: 1 + log_N x, at least 0, with x uniform in (0, 1].  P (<= u) =
 * N^(u - 1). */
double tfmcc_suppression_draw (TfrcRng *rng, double group_size);

/* T, the longest that the timer takes: "b max (R_max, (c + 1) s / X)". */
TfrcDuration tfmcc_suppression_get_span (const TfmccSuppression *self,
    TfrcDuration max_rtt, TfrcDuration packet_interval);

/* A round begins.  `rate` is what would be reported now, `sending_rate` what
 * the sender sends, `packet_interval` the time between data packets (s / X). */
void tfmcc_suppression_start (TfmccSuppression *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcDuration max_rtt, TfrcDuration packet_interval,
    TfrcTime now);

/* A data packet says that the sender has heard of about `suppression_rate`;
 * `rate` is what would be reported now.  True if that cancelled the timer. */
bool tfmcc_suppression_on_rate (TfmccSuppression *self,
    TfrcRate suppression_rate, TfrcRate rate);

/* R_max has changed: what is left of the timer changes with it. */
void tfmcc_suppression_on_max_rtt (TfmccSuppression *self, TfrcDuration max_rtt,
    TfrcTime now);

/* Whether the report is due now; if so the timer stops.  While the data
 * packets stay away for longer than R_max it is put off instead, since a
 * suppressing one may be among them: `newest_at` is when the last one came. */
bool tfmcc_suppression_expire (TfmccSuppression *self, TfrcTime newest_at,
    TfrcTime now);
