/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of a flow that its reports may take, RFC 3550 section 6.2: a
 * deviation from RFC 5348 section 6, which has a report per RTT (D15). */
#pragma once

#include "base/rate.h"

typedef struct
{
  double share;            /* 0 = no limit */
  uint32_t report_size;    /* on the wire [bytes] */
  uint64_t bytes_reported; /* of the flow, at the newest report */
} TfrcFeedbackShare;

void tfrc_feedback_share_init (TfrcFeedbackShare *self, double share,
    uint32_t report_size);

/* Time until the next report: `rtt`, or longer where a report per RTT takes
 * more than its share of `rate`, which comes in packets of `size` bytes. */
TfrcDuration tfrc_feedback_share_get_interval (const TfrcFeedbackShare *self,
    TfrcDuration rtt, TfrcRate rate, double size);

/* A report is made, when `bytes` of the flow have come in all: true if it takes
 * more than its share of what came since the report before. */
bool tfrc_feedback_share_on_report (TfrcFeedbackShare *self, uint64_t bytes);
