/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback rounds of a group of which nothing is left but the receivers'
 * timers, the sender's round and the delay between them: what Widmer and
 * Handley 2001 section 2.5 is about.  All receivers have the same RTT, which is
 * R_max; rates are parts of the sending rate, times are in RTTs. */
#pragma once

#include "tfmcc/round.h"

typedef struct
{
  unsigned receivers;
  double packet_interval;       /* between two data packets [RTTs], < 0.9 */
  double bias;                  /* gamma */
  double rtts;                  /* b */
  double margin;                /* theta */
  double lowest_rate, highest_rate;     /* drawn uniformly for each round */
  bool plain_offset;            /* the rate biases as it is, not truncated */
  uint64_t seed;
} FeedbackGroupConfig;

typedef struct
{
  unsigned reports;
  double first_after;           /* the first, since the timers' start [RTTs] */
  double lowest_reported;
  double lowest;                /* of all receivers */
} FeedbackOutcome;

typedef struct _FeedbackGroup FeedbackGroup;

FeedbackGroup *feedback_group_new (const FeedbackGroupConfig * config);
void feedback_group_free (FeedbackGroup * self);

/* The next round. */
FeedbackOutcome feedback_group_run (FeedbackGroup * self);
