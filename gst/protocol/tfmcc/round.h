/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback rounds.  At the sender: R_max and the suppression rate that it announces
 * (RFC 4654 sections 3.2 and 3.4).  At a receiver: the feedback timer, which keeps
 * a group from reporting all at once.  It is exponentially distributed, biased in
 * favour of low rates (Widmer and Handley 2001 section 2.5), and cancelled when the
 * sender has heard of a rate that is about as low (RFC 4654 section 4.5).
 *
 * T is the longest time that a receiver waits.  The sender ends its rounds by it
 * and the receivers choose their timers within it, so both must derive the same T
 * from the same R_max (Widmer and Handley 2001 section 2.5.3). */
#pragma once

#include "base/rng.h"
#include "tfmcc/packet.h"
#include "base/units.h"

/* The sender's rate, measured from its timestamps: lost packets count, and queues
 * on the path do not matter.  A TFMCC receiver compares its own rate with this one
 * (R_send of Widmer and Handley 2001 section 2.5), which is not in the packets. */
typedef struct
{
  uint32_t time_us; /* ts_i */
  TfrcSeq position; /* packets, or bytes, of the flow up to it */
} TfmccSendingMark;

/* Starts zeroed. */
typedef struct
{
  TfmccSendingMark older, newer; /* at least a span apart */
  TfmccSendingMark newest;
  bool started;
} TfmccSendingRate;

/* A data packet newer than all before has arrived, at the flow position `position`.
 * The rate is measured over one to two `span`s. */
void tfmcc_sending_rate_on_packet (TfmccSendingRate *self,
    uint32_t send_time_us, TfrcSeq position, TfrcDuration span);

/* Mean time between two packets, or bytes [ns]; 0 while not known. */
TfrcDuration tfmcc_sending_rate_get_interval (const TfmccSendingRate *self);

/* Phase of the sender's rate, which decides on T. */
typedef enum
{
  TFMCC_STEADY,
  TFMCC_SLOW_START, /* no receiver has lost a packet: c = 0 */
  /* Its first round, no receiver is behind yet: no bias, 3/4 of b. */
  TFMCC_FIRST_ROUND,
} TfmccPhase;

/* The phase in feedback round `round`; both are in every extension. */
TfmccPhase tfmcc_phase (bool slow_start, uint8_t round);

typedef struct
{
  double rtts;              /* b, T in units of R_max; default 6 */
  double packets;           /* c of the receivers' timers; default 3 */
  double margin;            /* theta: X_supp = (1 - theta) X_r; default 0.1 */
  TfrcDuration granularity; /* ts_gran of the sender; default 10 ms */
  TfrcDuration initial_rtt; /* R_max at the start; default 500 ms */
  /* Our deviations, docs/rules.md; default true, false gives RFC 4654. */
  bool start_delay;      /* T is shorter in slow start */
  bool measured_max_rtt; /* R_max soon falls to the measured RTTs */
} TfmccRoundConfig;

/* R_max and R_peak of some receivers. */
typedef struct
{
  TfrcDuration max, peak;
} TfmccLongestRtt;

typedef struct
{
  TfmccRoundConfig config;
  uint8_t number;              /* fb_nr */
  bool slow_start;             /* no receiver has reported a loss so far */
  TfrcTime began_at;           /* TFRC_TIME_NONE: no packet sent yet */
  bool answered;               /* by a receiver that is not the CLR */
  TfrcDuration max_rtt;        /* R_max */
  TfrcDuration max_rtt_before; /* at the start of the round */
  TfrcDuration least_max_rtt;  /* s/X + ts_gran */
  TfrcDuration peak_rtt;       /* R_peak, the largest R_r in this round */
  /* The same from current receivers only: the CLR, and the others. */
  TfmccLongestRtt clr, others;
  /* Time for those who know R_max from the sender before; 0: does not apply. */
  TfrcDuration known_span;
  TfrcDuration packet_interval; /* interval from which T is computed */
  TfrcRate suppression_rate;    /* X_supp, INFINITY = none */
  bool loss_reported;           /* a loss was reported in this round */
  /* Part of the round was slow start: a report with a loss is suppressed only by
   * others with a loss. */
  bool losses_apart;
} TfmccRound;

TfmccRoundConfig tfmcc_round_config_default (void);

/* Values out of range are clamped. */
void tfmcc_round_init (TfmccRound *self, const TfmccRoundConfig *config);

/* "R_max = max (R_max, 8 s/X + ts_gran)", to be called whenever X changes;
 * `interval` is s/X.  If an application sends less than it may, `actual` is its
 * interval: that is what receivers measure, and their T should be about the same as
 * ours. */
void tfmcc_round_set_packet_interval (TfmccRound *self, TfrcDuration interval,
    TfrcDuration actual);

/* RTT of any report, as measured by the sender. */
void tfmcc_round_on_rtt (TfmccRound *self, TfrcDuration rtt);

/* The same RTT for `clr` or `others` of the round, if the receiver is not leaving. */
void tfmcc_longest_rtt_add (TfmccLongestRtt *self, TfrcDuration rtt);

/* A report about this round, not from the CLR, with its unadjusted rate. */
void tfmcc_round_on_report (TfmccRound *self, TfrcRate rate, bool has_loss,
    TfrcTime now);

/* The first report, without a loss, is of a receiver that had an RTT before any echo,
 * so from the sender before: like all that were there it knows that one's R_max, too,
 * by which its timer ran. */
void tfmcc_round_on_known_rtt (TfmccRound *self, TfrcTime now);

/* T. */
TfrcDuration tfmcc_round_get_span (const TfmccRound *self);

/* When the round ends as far as known: after T if it was answered, else after 2 T. */
TfrcTime tfmcc_round_next_deadline (const TfmccRound *self);

/* Returns true if a new round has begun. */
bool tfmcc_round_on_deadline (TfmccRound *self, TfrcTime now);

/* Ends the round now, as its T is that of a receiver that has left. */
void tfmcc_round_end (TfmccRound *self, TfrcTime now);

typedef struct
{
  double group_size; /* N, upper bound of the group size; default 10000 */
  double bias; /* gamma, the part of T that depends on the rate; default 1/4 */
  double rtts; /* b, T in units of R_max; default 6 */
  /* c, consecutive data packets that may be lost without harm; default 3 */
  double packets;
  double least_biased_ratio; /* r' is 1 if r is at least this; default 0.9 */
  double most_biased_ratio;  /* r' is 0 if r is at most this; default 0.5 */
} TfmccSuppressionConfig;

typedef struct
{
  TfmccSuppressionConfig config;
  TfrcRng rng;
  TfmccPhase phase;       /* of the newest packet; initially TFMCC_STEADY */
  TfrcTime expires_at;    /* TFRC_TIME_NONE: nothing to report */
  TfrcDuration max_rtt;   /* R_max when the timer was started */
  TfrcRate rate_at_start; /* X_fbr [bytes/s] */
} TfmccSuppression;

TfmccSuppressionConfig tfmcc_suppression_config_default (void);

/* Values out of range are clamped.  Every receiver needs another `seed`. */
void tfmcc_suppression_init (TfmccSuppression *self,
    const TfmccSuppressionConfig *config, uint64_t seed);

/* Random fraction of T to wait, so that of up to `group_size` receivers few report
 * early: 1 + log_N x, at least 0, with x uniform in (0, 1].  P (<= u) = N^(u - 1). */
double tfmcc_suppression_draw (TfrcRng *rng, double group_size);

/* T, the longest time that the timer takes: "b max (R_max, (c + 1) s / X)". */
TfrcDuration tfmcc_suppression_get_span (const TfmccSuppression *self,
    TfrcDuration max_rtt, TfrcDuration packet_interval);

/* A round begins.  `rate` is what would be reported now, `sending_rate` that of the
 * sender, `packet_interval` the time between data packets (s / X). */
void tfmcc_suppression_start (TfmccSuppression *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcDuration max_rtt, TfrcDuration packet_interval,
    TfrcTime now);

/* A data packet shows that the sender has heard of about `suppression_rate`; `rate`
 * is what would be reported now.  Returns true if that cancelled the timer. */
bool tfmcc_suppression_on_rate (TfmccSuppression *self,
    TfrcRate suppression_rate, TfrcRate rate);

/* R_max has changed: scales the remaining time of the timer. */
void tfmcc_suppression_on_max_rtt (TfmccSuppression *self, TfrcDuration max_rtt,
    TfrcTime now);

/* Whether the report is due now; if so the timer stops.  If no data packet has
 * arrived for longer than R_max, the timer is put off instead, since a suppressing
 * packet may be among the missing ones: `newest_at` is when the last one arrived. */
bool tfmcc_suppression_expire (TfmccSuppression *self, TfrcTime newest_at,
    TfrcTime now);
