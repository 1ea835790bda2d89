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

/* `stream` selects one of 2^63 independent sequences of a seed. */
void tfrc_rng_init (TfrcRng *self, uint64_t seed, uint64_t stream);
uint32_t tfrc_rng_next (TfrcRng *self);

/* Uniform in (0, 1]: never 0, so its logarithm is finite. */
double tfrc_rng_uniform (TfrcRng *self);
