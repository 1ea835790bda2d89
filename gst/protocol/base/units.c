/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/units.h"

#include <math.h>

double
tfrc_rate_bytes_in (TfrcRate rate, TfrcDuration duration)
{
  return duration == 0 ? 0.0 : rate * tfrc_duration_to_seconds (duration);
}

TfrcRate
tfrc_rate_of (double bytes, TfrcDuration duration)
{
  return duration == 0 ? 0.0 : bytes / tfrc_duration_to_seconds (duration);
}

TfrcRate
tfrc_rate_from_bits (uint64_t bits_per_second)
{
  return (double) bits_per_second / 8.0;
}

uint64_t
tfrc_rate_to_bits (TfrcRate rate)
{
  double bits = rate * 8.0;

  if (!(bits > 0.0))
    return 0;
  /* 2^64 as a double: the first value that does not fit. */
  if (bits >= 18446744073709551616.0)
    return UINT64_MAX;
  return (uint64_t) floor (bits + 0.5);
}

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
