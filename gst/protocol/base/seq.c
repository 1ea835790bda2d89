/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/seq.h"

#define SPACE (UINT64_C (1) << 16)

void
tfrc_seq_unwrapper_init (TfrcSeqUnwrapper *self)
{
  self->started = false;
  self->highest = 0;
}

/* No underflow: highest never falls below the first value, which is at least
 * SPACE. */
TfrcSeq
tfrc_seq_unwrap16 (TfrcSeqUnwrapper *self, uint16_t value)
{
  TfrcSeq ahead;

  if (!self->started) {
    self->started = true;
    self->highest = SPACE + value;
    return self->highest;
  }
  ahead = (value - self->highest) & (SPACE - 1);
  if (ahead >= SPACE / 2)
    return self->highest - (SPACE - ahead);
  self->highest += ahead;
  return self->highest;
}
