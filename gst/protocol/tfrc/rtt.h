/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip time at the sender: R, the square-root mean that damps
 * oscillations (RFC 5348 sections 4.3 and 4.5), and the t_RTO of the equation
 * in the modes of Rhee and Xu (2005, 2007). */
#pragma once

#include "base/time.h"

typedef enum
{
  TFRC_RTO_RFC5348, /* 4 R, RFC 5348 section 3.1 */
  TFRC_RTO_TCP,     /* RFC 6298: max (floor, SRTT + 4 RTTVAR) */
  TFRC_RTO_SCALED,  /* that divided by a constant c, ToN 2007 */
} TfrcRtoMode;

typedef struct
{
  TfrcRtoMode mode;   /* default TFRC_RTO_RFC5348 */
  double scale;       /* c of TFRC_RTO_SCALED, >= 1; default 3 */
  TfrcDuration floor; /* of RFC 6298; default 1 s */
} TfrcRtoConfig;

typedef struct
{
  TfrcRtoConfig config;
  TfrcDuration rtt;    /* R; 0 = no sample yet */
  TfrcDuration sample; /* R_sample, the newest */
  TfrcTime sampled_at; /* when it came, for the sender */
  double sqrt_mean;    /* R_sqmean [sqrt (s)] */
  double srtt;         /* SRTT of RFC 6298 [s] */
  double rttvar;       /* RTTVAR of RFC 6298 [s] */
} TfrcRtt;

void tfrc_rtt_init (TfrcRtt *self, const TfrcRtoConfig *config);

/* Takes R_sample, > 0: R = 0.9 R + 0.1 R_sample (q = 0.9). */
void tfrc_rtt_on_sample (TfrcRtt *self, TfrcDuration sample);

/* The same of one that stands for n of them; n > 0 need not be whole. */
void tfrc_rtt_on_samples (TfrcRtt *self, TfrcDuration sample, double n);

/* What R would be with that sample. */
TfrcDuration tfrc_rtt_get_smoothed (const TfrcRtt *self, TfrcDuration sample);

bool tfrc_rtt_is_known (const TfrcRtt *self);

/* t_RTO of the equation; only when an RTT is known. */
TfrcDuration tfrc_rtt_get_rto (const TfrcRtt *self);

/* R_sqmean / sqrt (R_sample), the factor from X to X_inst; 1 when no RTT is
 * known. */
double tfrc_rtt_get_damping (const TfrcRtt *self);
