/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a receiver of TFMCC should leave a group that is too fast for it.  A
 * sender with a lower bound, or one that does not hear the receiver, sends more
 * than the receiver could take for ever; RFC 4654 section 4.4 has it leave then,
 * after 120 s of what is less than a packet in 8 s.
 *
 * Rates are compared as means over an eighth of the timeout: a single loss
 * event halves a calculated rate, and a long interval without loss raises it,
 * and neither says anything for longer than that.  The sender goes by the
 * current limiting receiver, so the means of that one's rate and of what is sent
 * are the same, give or take a few percent; another receiver may be a tenth lower
 * and suppressed all the same (theta).  So a group is too fast while the
 * mean is below 0.7 of the other, until it is above 0.8.  While nothing
 * is sent nothing is too fast.  Rates that follow from an RTT that is only
 * assumed say nothing: do not hand them in. */
#pragma once

#include "base/rate.h"

/* So long nobody wants to see a broken picture. */
#define TFMCC_LEAVE_TIMEOUT (10 * TFRC_SECOND)

typedef struct
{
  TfrcDuration timeout;    /* 0 = it never leaves */
  TfrcRate rate;           /* mean of X_r [bytes/s] */
  TfrcRate sending_rate;   /* mean of what is sent [bytes/s] */
  TfrcTime updated_at;     /* TFRC_TIME_NONE: no means yet */
  TfrcTime too_fast_since; /* TFRC_TIME_NONE: it is not */
  bool hopeless;           /* for longer than the timeout */
} TfmccLeaveCheck;

void tfmcc_leave_check_init (TfmccLeaveCheck *self, TfrcDuration timeout);

/* Another sender: no means. */
void tfmcc_leave_check_forget (TfmccLeaveCheck *self);

/* Since the last call the receiver could have taken `rate`, and `sending_rate`
 * was sent [bytes/s].  True if that has just become hopeless, once until it has
 * not been so. */
bool tfmcc_leave_check_on_rates (TfmccLeaveCheck *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcTime now);
