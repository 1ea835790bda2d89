/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drives a TfrcCheckedSender in tests: evenly spaced packets out, hand-made reports
 * in.  Sizes in bytes, rates in bytes/s. */
#pragma once

#include "checks/tfrc-sender.h"

/* Sends packets of `size` bytes evenly at `rate` from `from` to before
 * `until`; `backlog` as in tfrc_checked_sender_on_sent (). */
void sender_flow_send (TfrcCheckedSender *checked, uint32_t size, bool backlog,
    TfrcRate rate, TfrcTime from, TfrcTime until);

/* A report that arrives now, echoes the packet sent at `echo` and was held for
 * `delay`. */
TfrcFeedback sender_flow_make_report (const TfrcCheckedSender *checked,
    TfrcTime echo, TfrcDuration delay, TfrcRate receive_rate, double p);

/* Hands it in; delay 0. */
TfrcResult sender_flow_report (TfrcCheckedSender *checked, TfrcTime echo,
    TfrcRate receive_rate, double p, TfrcTime now);
