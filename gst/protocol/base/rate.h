/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rates, and the only place where a rate meets a time.
 *
 * A rate is a double in bytes/s.  Bits/s exist in properties alone and are
 * converted by the last two functions here. */
#pragma once

#include "base/time.h"

typedef double TfrcRate; /* [bytes/s] */

/* Longest interval between two packets, the t_mbi of RFC 5348 section 4.3. */
#define TFRC_MAX_BACKOFF_INTERVAL (64 * TFRC_SECOND)

/* Time that `bytes` take at `rate` [ns]; TFRC_TIME_NONE when rate is 0. */
static inline TfrcDuration
tfrc_rate_time_for (TfrcRate rate, double bytes)
{
  if (!(rate > 0.0))
    return TFRC_TIME_NONE;
  return tfrc_duration_from_seconds (bytes / rate);
}

/* Bytes that `rate` moves in `duration`. */
double tfrc_rate_bytes_in (TfrcRate rate, TfrcDuration duration);

/* The rate of `bytes` in `duration`; 0 when duration is 0. */
TfrcRate tfrc_rate_of (double bytes, TfrcDuration duration);

/* Bits/s of a property to bytes/s and back (rounded to the nearest bit/s,
 * saturating at UINT64_MAX). */
TfrcRate tfrc_rate_from_bits (uint64_t bits_per_second);
uint64_t tfrc_rate_to_bits (TfrcRate rate);
