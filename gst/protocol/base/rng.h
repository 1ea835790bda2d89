/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seeded generator (PCG-XSH-RR 64/32, O'Neill 2014): the same seed gives the
 * same numbers on every machine.  Not for cryptography. */
#pragma once

#include <stdint.h>

typedef struct
{
  uint64_t state;
  uint64_t increment; /* odd */
} TfrcRng;

static inline uint32_t
tfrc_rng_next (TfrcRng *self)
{
  uint64_t old = self->state;
  uint32_t xorshifted, rotation;

  /* PCG's 64-bit linear congruential generator. */
  self->state = old * UINT64_C (6364136223846793005) + self->increment;
  xorshifted = (uint32_t) (((old >> 18) ^ old) >> 27);
  rotation = (uint32_t) (old >> 59);
  return (xorshifted >> rotation) | (xorshifted << ((32 - rotation) & 31));
}

/* `stream` selects one of 2^63 independent sequences of a seed. */
static inline void
tfrc_rng_init (TfrcRng *self, uint64_t seed, uint64_t stream)
{
  self->state = 0;
  self->increment = (stream << 1) | 1;
  tfrc_rng_next (self);
  self->state += seed;
  tfrc_rng_next (self);
}

/* Uniform in (0, 1]: never 0, so its logarithm is finite. */
static inline double
tfrc_rng_uniform (TfrcRng *self)
{
  return ((double) tfrc_rng_next (self) + 1.0) / 4294967296.0;
}
