/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Was the sender data-limited over the whole interval that a report covers?
 * The method of RFC 5348 section 8.2.1. */
#pragma once

#include "tfrc-time.h"

typedef struct
{
  TfrcTime not_limited_1;       /* NotLimited1 */
  TfrcTime not_limited_2;       /* NotLimited2 */
  TfrcTime newest_report_at;    /* t_next */
  TfrcTime newest_echo;         /* t_new */
} TfrcDataLimit;

void tfrc_data_limit_init (TfrcDataLimit * self);

/* The sender has sent all that it may and holds more. */
void tfrc_data_limit_on_rate_limited (TfrcDataLimit * self, TfrcTime now);

/* A report echoes the packet sent at `echo`.  True: the sender was limited by
 * its data during all of (echo - rtt, echo]. */
bool tfrc_data_limit_on_feedback (TfrcDataLimit * self, TfrcTime echo,
    TfrcDuration rtt, TfrcTime now);
