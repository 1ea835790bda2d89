/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv, the rate at which data arrives, RFC 5348 section 6.2, and the
 * largest one of late, from which the first loss interval follows (6.3.1). */
#pragma once

#include "tfrc/byte-log.h"
#include "base/rate.h"

/* What had come when a report was made. */
typedef struct
{
  uint64_t bytes;
  uint64_t packets;
} TfrcReceived;

typedef struct
{
  TfrcRate rate;
  double size; /* mean of the packets in it [bytes] */
} TfrcLargestRate;

typedef struct
{
  TfrcByteLog log;
  uint32_t newest_size;    /* of the newest packet [bytes] */
  bool reported;           /* X_recv was asked for before */
  TfrcReceived reports[2]; /* the newest, and the one before */
  TfrcTime begin_at;       /* of the interval not yet measured */
  TfrcRate rate;           /* X_recv of the newest report; first 0 */
  bool keeps_maximum;      /* as RFC 5348 has it; default false */
  /* Since R is known, of this period of 1 s or 8 R and the one before: what was held
   * up for once, and came at a stroke, is soon forgotten. */
  TfrcLargestRate largest;
  TfrcLargestRate newer; /* of this one */
  TfrcTime period_since;
} TfrcReceiveRate;

void tfrc_receive_rate_init (TfrcReceiveRate *self);

/* A packet of `size` bytes; `rtt` is R, 0 while not known. */
void tfrc_receive_rate_on_packet (TfrcReceiveRate *self, uint32_t size,
    TfrcDuration rtt, TfrcTime now);

/* A report is due, and at least one packet came since the last: measures
 * X_recv over the last `rtt`, or since the interval began if that is longer,
 * and begins the next.  `rtt` is R as it was when the feedback timer was
 * started (R_{m-1}), 0 while not known.  The first report has 0. */
TfrcRate tfrc_receive_rate_on_report (TfrcReceiveRate *self, TfrcDuration rtt,
    TfrcTime now);
