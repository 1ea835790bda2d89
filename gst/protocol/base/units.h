/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Units of the protocol core: instants and durations, rates, sequence numbers, and
 * the number of streams. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Instants and durations are 64-bit nanoseconds, as in GstClockTime and ns-3, so
 * that neither needs a conversion.
 *
 * TFRC_TIME_NONE is later than every instant, so that the earlier of two deadlines
 * needs no special case.  Nothing here reads a clock. */

typedef uint64_t TfrcTime;     /* instant [ns], monotonic, arbitrary origin */
typedef uint64_t TfrcDuration; /* [ns] */

#define TFRC_TIME_NONE UINT64_MAX
#define TFRC_MICROSECOND ((TfrcDuration) 1000)
#define TFRC_MILLISECOND ((TfrcDuration) 1000000)
#define TFRC_SECOND ((TfrcDuration) 1000000000)

/* t + d; saturates at TFRC_TIME_NONE. */
static inline TfrcTime
tfrc_time_add (TfrcTime t, TfrcDuration d)
{
  return t > TFRC_TIME_NONE - d ? TFRC_TIME_NONE : t + d;
}

/* t - d, but at least 0; TFRC_TIME_NONE stays TFRC_TIME_NONE. */
static inline TfrcTime
tfrc_time_sub (TfrcTime t, TfrcDuration d)
{
  if (t == TFRC_TIME_NONE)
    return t;
  return t > d ? t - d : 0;
}

/* Time from `earlier` to `now`; 0 if `earlier` is not in the past. */
static inline TfrcDuration
tfrc_time_since (TfrcTime earlier, TfrcTime now)
{
  return now > earlier ? now - earlier : 0;
}

static inline TfrcTime
tfrc_time_min (TfrcTime a, TfrcTime b)
{
  return a < b ? a : b;
}

static inline TfrcTime
tfrc_time_max (TfrcTime a, TfrcTime b)
{
  return a > b ? a : b;
}

/* The latest time so far, which is kept in *latest: clocks never go back.  `now` is an
 * instant, and not TFRC_TIME_NONE, after which no time would come. */
static inline TfrcTime
tfrc_time_advance (TfrcTime *latest, TfrcTime now)
{
  assert (now != TFRC_TIME_NONE);
  *latest = tfrc_time_max (*latest, now);
  return *latest;
}

static inline double
tfrc_duration_to_seconds (TfrcDuration d)
{
  return (double) d / 1e9;
}

/* Saturates: negative and NaN become 0, too long becomes TFRC_TIME_NONE. */
static inline TfrcDuration
tfrc_duration_from_seconds (double seconds)
{
  if (!(seconds > 0.0))
    return 0;
  if (seconds >= 1.8e10)
    return TFRC_TIME_NONE;
  return (TfrcDuration) (seconds * 1e9 + 0.5);
}

/* Whether two timestamps of a remote host can be of the same clock: between them it
 * must have advanced as much as ours, within `jitter`.  The timestamps are in
 * microseconds from a random offset and wrap after 71 minutes, so those of two
 * different clocks agree by chance with a probability of 2 jitter / 71 minutes. */
static inline bool
tfrc_clock_agrees (uint32_t earlier_us, TfrcTime earlier_at, uint32_t later_us,
    TfrcTime later_at, TfrcDuration jitter)
{
  uint32_t jitter_us = (uint32_t) (jitter / TFRC_MICROSECOND);
  uint32_t ahead_us = later_us - earlier_us
      - (uint32_t) (tfrc_time_since (earlier_at, later_at) / TFRC_MICROSECOND);

  return ahead_us + jitter_us <= 2 * jitter_us;
}

/* Rates, and all conversions between rates and times.
 *
 * A rate is a double in bytes/s.  Only properties use bits/s; the last two
 * functions convert them. */

typedef double TfrcRate; /* [bytes/s] */

/* Longest interval between two packets, the t_mbi of RFC 5348 section 4.3. */
#define TFRC_MAX_BACKOFF_INTERVAL (64 * TFRC_SECOND)

/* Time to send `bytes` at `rate` [ns]; TFRC_TIME_NONE if rate is 0. */
static inline TfrcDuration
tfrc_rate_time_for (TfrcRate rate, double bytes)
{
  if (!(rate > 0.0))
    return TFRC_TIME_NONE;
  return tfrc_duration_from_seconds (bytes / rate);
}

/* Bytes sent at `rate` in `duration`. */
double tfrc_rate_bytes_in (TfrcRate rate, TfrcDuration duration);

/* Rate of `bytes` in `duration`; 0 if duration is 0. */
TfrcRate tfrc_rate_of (double bytes, TfrcDuration duration);

/* Bits/s of a property to bytes/s and back; rounds to the nearest bit/s and
 * saturates at UINT64_MAX. */
TfrcRate tfrc_rate_from_bits (uint64_t bits_per_second);
uint64_t tfrc_rate_to_bits (TfrcRate rate);

/* Unwraps the 16-bit sequence numbers of RFC 3550 to 64 bits, so that the rest of
 * the core need not handle wrapping. */

typedef uint64_t TfrcSeq; /* unwrapped sequence number [packets] */

typedef struct
{
  bool started;
  TfrcSeq highest; /* newest value so far, unwrapped */
} TfrcSeqUnwrapper;

/* The next number will be the first. */
void tfrc_seq_unwrapper_init (TfrcSeqUnwrapper *self);

/* The value with these low 16 bits that is nearest to the highest so far; a higher
 * one becomes the highest.  The first value is placed one wrap above zero, so that
 * older ones do not underflow.  A distance of exactly half the space counts as
 * older. */
TfrcSeq tfrc_seq_unwrap16 (TfrcSeqUnwrapper *self, uint16_t value);

/* How many SSRCs are tracked: one limit for all tables by SSRC, in the core and in
 * the elements.  A further SSRC takes the place of the least recently heard one;
 * where that would restart a check, live SSRCs keep their places. */
#ifndef TFRC_MAX_STREAMS
#define TFRC_MAX_STREAMS 64
#endif
