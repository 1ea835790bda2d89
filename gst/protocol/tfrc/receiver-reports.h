/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a TfrcReceiver reports: the feedback timer of RFC 5348 section 6.2, and
 * what makes it expire at once, sections 6.1 and 6.3.  Sets feedback_due; what a
 * report says is in tfrc/receiver.c, for which alone this is. */
#pragma once

#include "tfrc/receiver.h"

/* What the losses that became known did to the history. */
typedef enum
{
  TFRC_LOSSES_UNCHANGED,
  TFRC_LOSSES_NEW_EVENT,
  TFRC_LOSSES_REPAIRED, /* a loss was taken back */
} TfrcLossChange;

/* Packets or time have made `change`; `first`: by the first packet. */
void tfrc_receiver_reports_decide (TfrcReceiver *self, bool first,
    TfrcLossChange change);

/* The timer expires if its time has come. */
void tfrc_receiver_reports_on_deadline (TfrcReceiver *self);
