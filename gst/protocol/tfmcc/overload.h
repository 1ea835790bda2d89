/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether who has just come gets what is sent, by its first packets.  Nothing of RFC
 * 4654: docs/rules.md, D71.
 *
 * A path that carries less than is sent delivers the packets at its own rate, each later
 * than the one before, or loses most of them.  Four packets tell that, long before the
 * first loss is found, or a feedback timer expires.  Delays have any origin. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

typedef struct
{
  TfrcTime first_at; /* arrival of the first packet; TFRC_TIME_NONE: none */
  uint32_t first_sent_us; /* its send time, ... */
  uint32_t newest_us;     /* and the latest one */
  TfrcSeq first;          /* its position */
  uint32_t packets;       /* that came behind it */
  uint64_t bytes;         /* of these */
  uint32_t delay_us;      /* of the newest */
  uint32_t later;    /* packets in a row that took longer than the one before */
  uint32_t grown_us; /* by so much, all of them */
  double us_per_byte; /* between the newest two, at their arrival, ... */
  bool even;          /* and as much between the two before */
  bool over; /* it has been found, or will not be looked for any more */
} TfmccOverload;

void tfmcc_overload_init (TfmccOverload *self);

/* A packet at its arrival; `highest` is the newest position of the flow.  What is to
 * be sent for the queue to go, once: else INFINITY. */
TfrcRate tfmcc_overload_on_packet (TfmccOverload *self, uint32_t size,
    TfrcSeq highest, uint32_t send_time_us, uint32_t delay_us, TfrcTime now);
