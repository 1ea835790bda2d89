/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unwraps counters of 16 and 32 bits into 64, once, so that nothing else in
 * the core knows of wrapping.  Sequence numbers are RFC 3550's (16 bits), the
 * send timestamps of the header extension count microseconds in 32 bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t TfrcSeq;       /* unwrapped sequence number [packets] */

typedef struct
{
  bool started;
  uint64_t highest;             /* newest value so far, unwrapped */
} TfrcSeqUnwrapper;

void tfrc_seq_unwrapper_init (TfrcSeqUnwrapper * self);

/* The value nearest to the newest one that has these low 16 (32) bits; a
 * newer one becomes the newest.  The first value starts one wrap above zero,
 * so that older ones have a place.  A distance of exactly half the space
 * counts as older. */
uint64_t tfrc_seq_unwrap16 (TfrcSeqUnwrapper * self, uint16_t value);
uint64_t tfrc_seq_unwrap32 (TfrcSeqUnwrapper * self, uint32_t value);
