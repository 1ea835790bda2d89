/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/rng.h"

/* Multiplier of PCG's 64-bit linear congruential generator. */
#define PCG_MULTIPLIER UINT64_C (6364136223846793005)

void
tfrc_rng_init (TfrcRng *self, uint64_t seed, uint64_t stream)
{
  self->state = 0;
  self->increment = (stream << 1) | 1;
  tfrc_rng_next (self);
  self->state += seed;
  tfrc_rng_next (self);
}

uint32_t
tfrc_rng_next (TfrcRng *self)
{
  uint64_t old = self->state;
  uint32_t xorshifted, rotation;

  self->state = old * PCG_MULTIPLIER + self->increment;
  xorshifted = (uint32_t) (((old >> 18) ^ old) >> 27);
  rotation = (uint32_t) (old >> 59);
  return (xorshifted >> rotation) | (xorshifted << ((32 - rotation) & 31));
}

double
tfrc_rng_uniform (TfrcRng *self)
{
  return ((double) tfrc_rng_next (self) + 1.0) / 4294967296.0;
}
