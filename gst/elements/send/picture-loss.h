/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a key frame is to answer a loss of a stream that reports of arrivals tell of.
 *
 * A receiver without retransmission shows no picture until a key frame comes, and
 * browsers ask for one late or never.  Where somebody has packets repeated, that
 * is faster and costs less.  Where parity is sent, the receiver asks for what that
 * does not repair.
 *
 * How often encoders are asked is limited elsewhere (send/key-limit.h). */
#pragma once

#include <glib.h>

#include "base/time.h"

typedef struct
{
  gboolean unanswered; /* a loss is */
  TfrcTime first_at;   /* first report of a loss; TFRC_TIME_NONE = none */
  TfrcTime asked_at;   /* newest answer; TFRC_TIME_NONE = none */
} TfrcPictureLoss;

void tfrc_picture_loss_init (TfrcPictureLoss *self);

/* A report was read; `lost`: it told of a loss; `repaired`: lost packets are known
 * to be repeated or computed, or nobody wants an answer; `rtt`: 0 = not known.  TRUE: ask for a key frame now. */
gboolean tfrc_picture_loss_on_report (TfrcPictureLoss *self, gboolean lost,
    gboolean repaired, TfrcDuration rtt, TfrcTime now);

/* Whether a receiver that asks for a key frame means a loss that was answered,
 * since it cannot have decoded the answer yet. */
gboolean tfrc_picture_loss_covers_request (const TfrcPictureLoss *self,
    TfrcDuration rtt, TfrcTime now);
