/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a fuzzer as a program of calls: numbers of all kinds are taken
 * from it in turn. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MAX_CALLS 4096 /* of one input */

/* What is left of the input; zeros follow its end. */
typedef struct
{
  const uint8_t *data;
  size_t size;
} Program;

static inline void
require (bool condition)
{
  if (!condition)
    abort ();
}

static inline uint64_t
read_bytes (Program *program, size_t n_bytes)
{
  uint64_t value = 0;

  while (n_bytes-- > 0) {
    value <<= 8;
    if (program->size > 0) {
      value |= *program->data++;
      program->size--;
    }
  }
  return value;
}

/* Any double at all: NaN, infinities and denormals too. */
static inline double
read_double (Program *program)
{
  uint64_t bits = read_bytes (program, 8);
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* From nanoseconds to some minutes: a mantissa and an exponent. */
static inline TfrcDuration
read_duration (Program *program)
{
  uint64_t bits = read_bytes (program, 2);

  return (bits & 0xfff) << (bits >> 12) * 2;
}
