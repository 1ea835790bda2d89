/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The allowed rate X of a TfmccSender and what moves it.  For tfmcc/sender.c
 * alone. */
#pragma once

#include "tfmcc/sender.h"

/* RFC 4654 sections 3.3 and 3.6: silence, of the group or of the application,
 * halves the rate every so many R_max. */
#define TFMCC_SENDER_HALVING_RTTS 10

/* RFC 4654 section 3.1, with s and R_max as they are configured. */
void tfmcc_sender_rate_init (TfmccSender *self);

/* X from now on, within its bounds. */
void tfmcc_sender_rate_set (TfmccSender *self, TfrcRate rate);

/* One packet in 8 s: nobody is served with less. */
TfrcRate tfmcc_sender_rate_get_minimum (const TfmccSender *self);

/* s or how fast packets leave has changed: the round and the timeouts of the
 * CLR go by the time between packets. */
void tfmcc_sender_rate_note_interval (TfmccSender *self);

/* X': what the receiver limits us to, which is at `rtt`. */
TfrcRate tfmcc_sender_rate_get_limit (const TfmccSender *self,
    const TfmccReport *report, TfrcDuration rtt);

/* A report that limits us to `limit`, and what became of the CLR by it. */
void tfmcc_sender_rate_on_report (TfmccSender *self, const TfmccReport *report,
    TfrcRate limit, TfmccClrChange change);

/* A feedback round has begun. */
void tfmcc_sender_rate_on_round (TfmccSender *self);

/* The packet that leaves now may end a pause of the application: true if the
 * pause was long enough for slow start. */
bool tfmcc_sender_rate_resume (TfmccSender *self);
