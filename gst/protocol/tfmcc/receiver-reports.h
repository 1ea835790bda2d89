/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a TfmccReceiver reports: by its feedback timer, of which the group's
 * rounds and the reports of others decide, or as the current limiting receiver
 * (CLR).  RFC 4654 section 4.5.  Sets report_due; what a report says is in
 * tfmcc/receiver.c, for which alone this is. */
#pragma once

#include "tfmcc/receiver.h"

/* The newest stamp; `new_round`: it is the first of a feedback round. */
void tfmcc_receiver_reports_on_stamp (TfmccReceiver *self, bool new_round);

/* The newest stamp names the CLR, `us` or another. */
void tfmcc_receiver_reports_on_clr (TfmccReceiver *self, bool us);

/* There is a loss, and was none before. */
void tfmcc_receiver_reports_on_first_loss (TfmccReceiver *self);

/* All that a packet brought is accounted for. */
void tfmcc_receiver_reports_on_packet (TfmccReceiver *self);

TfrcTime tfmcc_receiver_reports_next_deadline (const TfmccReceiver *self);
void tfmcc_receiver_reports_on_deadline (TfmccReceiver *self);
