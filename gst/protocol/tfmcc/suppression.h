/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The feedback timer of a receiver, which keeps a group from answering all at
 * once: exponentially distributed, biased in favour of low rates (Widmer and
 * Handley 2001 section 2.5), cancelled when the sender has heard of a rate that
 * is about as low (RFC 4654 section 4.5).  Does not know what a report says. */
#pragma once

#include "base/rate.h"
#include "base/rng.h"
#include "tfmcc/feedback-delay.h"

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

/* Nothing to report in this round, or not any more. */
void tfmcc_suppression_cancel (TfmccSuppression *self);

/* Whether the report is due now; if so the timer stops.  While the data
 * packets stay away for longer than R_max it is put off instead, since a
 * suppressing one may be among them: `newest_at` is when the last one came. */
bool tfmcc_suppression_expire (TfmccSuppression *self, TfrcTime newest_at,
    TfrcTime now);
