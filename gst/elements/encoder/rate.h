/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate that an encoder may follow: the lower of X and X_inst [bytes/s],
 * each smoothed.
 *
 * X alone sees a growing queue a second late, and an encoder that follows it
 * swings around the rate of the link.  Above X the encoder has no business: a
 * queue that shrinks is no reason to fill it again.  The jitter of single RTT
 * samples must not count as a growing queue, so the damping is smoothed before
 * the two are compared.
 *
 * After a fall of the link what arrives is the bound: guard/bottleneck.h. */
#pragma once

#include <glib.h>

#include "guard/bottleneck.h"
#include "tfrc/sender.h"

typedef struct
{
  TfrcRate rate;   /* mean of X; 0 = no report yet */
  gdouble damping; /* mean of X_inst / X */
  TfrcTime at;     /* of these means */
  bool bounded;    /* by the bottleneck */
  TfrcBottleneck bottleneck;
} TfrcEncoderRate;

/* `bounded`: also by guard/bottleneck.h. */
void tfrc_encoder_rate_init (TfrcEncoderRate *self, bool bounded);

/* Carries the means up to `now` with the rates of `sender` as they are: to be
 * called before anything that may change them. */
void tfrc_encoder_rate_advance (TfrcEncoderRate *self, const TfrcSender *sender,
    TfrcTime now);

/* The sender took a report.  The first one starts the means. */
void tfrc_encoder_rate_on_report (TfrcEncoderRate *self,
    const TfrcSender *sender, TfrcTime now);

/* 0: no report yet. */
TfrcRate tfrc_encoder_rate_get (const TfrcEncoderRate *self);
