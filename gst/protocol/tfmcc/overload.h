/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detects from its first packets whether a receiver that has just joined gets all
 * that is sent.  Not part of RFC 4654: docs/rules.md, D71.
 *
 * A path that carries less than is sent delivers packets at its own rate, each with
 * a longer delay than the one before, or loses most of them.  Three or four packets
 * show that, long before the first loss is detected or a feedback timer expires.  Delays
 * have an arbitrary origin. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

typedef struct
{
  /* Arrival time of the first packet; TFRC_TIME_NONE: none. */
  TfrcTime first_at;
  uint32_t first_sent_us; /* its send timestamp */
  uint32_t newest_us;     /* the latest send timestamp */
  TfrcSeq first;          /* its flow position */
  uint32_t packets;       /* packets that arrived after it */
  uint64_t bytes;         /* bytes of these */
  uint32_t delay_us;      /* delay of the newest packet */
  uint32_t later; /* packets in a row with a longer delay than the one before */
  uint32_t grown_us;  /* growth of the delay over all of them */
  double us_per_byte; /* arrival interval of the newest two packets */
  bool even;          /* that of the two before was about the same */
  bool over;          /* overload was found, or detection has ended */
} TfmccOverload;

void tfmcc_overload_init (TfmccOverload *self);

/* A packet has arrived; `highest` is the highest flow position.  Returns, once, the
 * rate [bytes/s] at which the queue would drain; otherwise INFINITY. */
TfrcRate tfmcc_overload_on_packet (TfmccOverload *self, uint32_t size,
    TfrcSeq highest, uint32_t send_time_us, uint32_t delay_us, TfrcTime now);
