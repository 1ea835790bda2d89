/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unwraps RFC 3550's sequence numbers of 16 bits into 64, once, so that nothing
 * else in the core knows of wrapping. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t TfrcSeq; /* unwrapped sequence number [packets] */

typedef struct
{
  bool started;
  TfrcSeq highest; /* newest value so far, unwrapped */
} TfrcSeqUnwrapper;

/* The next number is the first. */
void tfrc_seq_unwrapper_init (TfrcSeqUnwrapper *self);

/* The value nearest to the newest one that has these low 16 bits; a newer one
 * becomes the newest.  The first value starts one wrap above zero, so that
 * older ones have a place.  A distance of exactly half the space counts as
 * older. */
TfrcSeq tfrc_seq_unwrap16 (TfrcSeqUnwrapper *self, uint16_t value);
