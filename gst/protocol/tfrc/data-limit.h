/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Was the sender data-limited over the whole interval that a report covers?
 * RFC 5348 section 8.2.1: it was not, if it was limited by its rate at any
 * instant of (t_old, t_new].
 *
 * The RFC remembers two such instants, the first since t_new and the first
 * since the newest report.  That is enough for one report per RTT.  A report of
 * a loss comes at once and may echo a packet just behind the last echo; both
 * instants then lie outside its interval and a greedy sender would pass for a
 * data-limited one.  So the instants of the last RTTs are kept, those close
 * together as one span, which gives the exact answer for any interval that is
 * longer than a span. */
#pragma once

#include "base/time.h"

#define TFRC_DATA_LIMIT_SPANS 128

typedef struct
{
  TfrcTime first_at; /* instants at which the rate was the limit */
  TfrcTime last_at;
} TfrcRateLimitedSpan;

typedef struct
{
  TfrcRateLimitedSpan spans[TFRC_DATA_LIMIT_SPANS];
  uint32_t head; /* index of the newest span */
  uint32_t length;
} TfrcDataLimit;

void tfrc_data_limit_init (TfrcDataLimit *self);

/* The sender has sent all that it may and holds more.  Instants within
 * `resolution` share a span. */
void tfrc_data_limit_on_rate_limited (TfrcDataLimit *self,
    TfrcDuration resolution, TfrcTime now);

/* True: the sender was limited by its data during all of (echo - rtt, echo]. */
bool tfrc_data_limit_covers (const TfrcDataLimit *self, TfrcTime echo,
    TfrcDuration rtt);
