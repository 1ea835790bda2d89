/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much arrives at a receiver of TFMCC: the receive rate over the last RTTs
 * (RFC 4654 section 4.3.4).  The present is an argument and not before the last
 * packet. */
#pragma once

#include "tfmcc/packet.h"
#include "tfrc/byte-log.h"

typedef struct
{
  TfrcTime first_at; /* of the first packet; TFRC_TIME_NONE: none */
  TfrcByteLog log;
} TfmccArrivals;

void tfmcc_arrivals_init (TfmccArrivals *self);
void tfmcc_arrivals_add (TfmccArrivals *self, uint32_t size, TfrcDuration rtt,
    TfrcTime now);

/* What arrived within the last `window`, or since the first packet, which is at
 * least taken as one RTT [bytes/s]; 0 before it. */
TfrcRate tfmcc_arrivals_get_rate (const TfmccArrivals *self,
    TfrcDuration window, TfrcDuration rtt, TfrcTime now);

/* The loss interval in front of the first loss event, for `rate` received over
 * the last RTT in packets of `size` > 0 bytes: RFC 4654 section 5.6. */
double tfmcc_arrivals_first_interval (TfrcRate rate, TfrcDuration rtt,
    double size);
