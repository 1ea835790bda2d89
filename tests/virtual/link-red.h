/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random early detection (Floyd and Jacobson 1993), the gentle variant: an
 * average of the wait in the queue decides, at random, about who comes.
 *   average < min                nothing happens
 *   min to max                   early, with a probability of 0 to `share`,
 *                                spread evenly over the packets
 *   max to 2 max                 early, with `share` to 1
 *   2 max and more               forced
 * Marking instead of dropping (RFC 3168 section 7) is the caller's: it may
 * mark the early ones only. */
#pragma once

#include "base/units.h"
#include "base/rng.h"

typedef struct
{
  TfrcDuration min; /* of the average wait */
  TfrcDuration max; /* 0 = no RED */
  double share;     /* max_p: at an average of `max` */
  double weight;    /* w_q: of the newest wait in the average */
} LinkRedConfig;

typedef struct
{
  double average;  /* wait [ns] */
  unsigned passed; /* since the last early one, above min */
} LinkRed;

typedef enum
{
  LINK_RED_PASSES,
  LINK_RED_EARLY,
  LINK_RED_FORCED,
} LinkRedOutcome;

/* A packet comes that would wait for `wait`, after the link was idle for
 * `idle`, in which it could have sent a packet each `packet_time`. */
LinkRedOutcome link_red_judge (LinkRed *self, const LinkRedConfig *config,
    TfrcDuration wait, TfrcDuration idle, TfrcDuration packet_time,
    TfrcRng *rng);
