/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The allowed rate X of a TfrcSender and what bounds it.  For tfrc/sender.c
 * alone. */
#pragma once

#include "tfrc/sender.h"

/* Packets that are sent within this part of an RTT share an entry of the log. */
#define TFRC_SENDER_LOG_ENTRIES_PER_RTT 256

/* X, within its bounds, and X_inst by RFC 5348 section 4.5. */
void tfrc_sender_rate_set (TfrcSender *self, TfrcRate rate);

/* s / t_mbi. */
TfrcRate tfrc_sender_rate_get_minimum (const TfrcSender *self);

/* A report that passed all checks; R and the newest echo are up to date
 * already.
 * `first`: it brought the first RTT sample. */
void tfrc_sender_rate_on_report (TfrcSender *self, const TfrcFeedback *feedback,
    bool first, TfrcTime now);

/* RFC 5348 section 4.4, the nofeedback timer has expired; false: X stays.
 * `idle`: nothing was sent since the timer was set. */
bool tfrc_sender_rate_on_nofeedback (TfrcSender *self, bool idle, TfrcTime now);
