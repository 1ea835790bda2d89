/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc-seq.h"

static uint64_t unwrap (TfrcSeqUnwrapper *self, uint64_t value, uint64_t space);

void
tfrc_seq_unwrapper_init (TfrcSeqUnwrapper *self)
{
  self->started = false;
  self->highest = 0;
}

uint64_t
tfrc_seq_unwrap16 (TfrcSeqUnwrapper *self, uint16_t value)
{
  return unwrap (self, value, UINT64_C (1) << 16);
}

uint64_t
tfrc_seq_unwrap32 (TfrcSeqUnwrapper *self, uint32_t value)
{
  return unwrap (self, value, UINT64_C (1) << 32);
}

/* The full value closest to `highest` whose low bits are those of `value`;
 * `space` is 2^16 or 2^32.  No underflow: highest never falls below the first
 * value, which is at least `space`. */
static uint64_t
unwrap (TfrcSeqUnwrapper *self, uint64_t value, uint64_t space)
{
  uint64_t ahead;

  if (!self->started) {
    self->started = true;
    self->highest = space + value;
    return self->highest;
  }
  ahead = (value - self->highest) & (space - 1);
  if (ahead >= space / 2)
    return self->highest - (space - ahead);
  self->highest += ahead;
  return self->highest;
}
