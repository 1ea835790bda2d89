/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A rate that falls at once and rises along a slope to its target: RFC 4654
 * sections 3.3 and 3.6. */
#pragma once

#include "base/rate.h"

typedef struct
{
  TfrcRate base;   /* at `since` [bytes/s] */
  TfrcRate target; /* never exceeded */
  double slope;    /* [bytes/s per s] */
  TfrcTime since;  /* flat until then */
} TfmccRamp;

void tfmcc_ramp_init (TfmccRamp *self, TfrcRate rate, TfrcTime now);

TfrcRate tfmcc_ramp_get (const TfmccRamp *self, TfrcTime now);

/* `rate` from now on, without a rise. */
void tfmcc_ramp_set (TfmccRamp *self, TfrcRate rate, TfrcTime now);

/* Towards `target`: at once if it is lower; with `slope` if it is higher,
 * beginning at `start`, which is now or later. */
void tfmcc_ramp_aim (TfmccRamp *self, TfrcRate target, double slope,
    TfrcTime start, TfrcTime now);
