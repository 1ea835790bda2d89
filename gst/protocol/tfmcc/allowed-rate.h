/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X, which falls at once and rises along a slope to its target: RFC 4654 sections
 * 3.3 and 3.6. */
#pragma once

#include "base/rate.h"

typedef struct
{
  TfrcRate base;   /* at `since` [bytes/s] */
  TfrcRate target; /* never exceeded */
  double slope;    /* [bytes/s per s] */
  TfrcTime since;  /* flat until then */
} TfmccAllowedRate;

TfrcRate tfmcc_allowed_rate_get (const TfmccAllowedRate *self, TfrcTime now);

/* `rate` from now on, without a rise. */
void tfmcc_allowed_rate_set (TfmccAllowedRate *self, TfrcRate rate,
    TfrcTime now);

/* Towards `target`: at once if it is lower; with `slope` if it is higher,
 * beginning at `start`, which is now or later. */
void tfmcc_allowed_rate_approach (TfmccAllowedRate *self, TfrcRate target,
    double slope, TfrcTime start, TfrcTime now);
