/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drives a TfrcGuardedSender in tests: evenly spaced packets out, hand-made reports
 * in.  Sizes in bytes, rates in bytes/s. */
#pragma once

#include "guard/sender.h"

/* Sends packets of `size` bytes evenly at `rate` from `from` to before
 * `until`; `backlog` as in tfrc_guarded_sender_on_sent (). */
void sender_flow_send (TfrcGuardedSender *guarded, uint32_t size, bool backlog,
    TfrcRate rate, TfrcTime from, TfrcTime until);

/* A report that arrives now, echoes the packet sent at `echo` and was held for
 * `delay`. */
TfrcFeedback sender_flow_make_report (const TfrcGuardedSender *guarded,
    TfrcTime echo, TfrcDuration delay, TfrcRate receive_rate, double p);

/* Hands it in; delay 0. */
TfrcResult sender_flow_report (TfrcGuardedSender *guarded, TfrcTime echo,
    TfrcRate receive_rate, double p, TfrcTime now);
