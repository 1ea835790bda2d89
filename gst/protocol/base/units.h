/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the core counts in: instants and durations, rates, sequence numbers, streams. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Instants and durations of the protocol core: nanoseconds in 64 bits, as
 * GstClockTime and ns-3 have them, so that neither needs a conversion.
 *
 * TFRC_TIME_NONE is later than every instant, so the earlier of two deadlines
 * needs no special case.  Nothing here reads a clock. */

typedef uint64_t TfrcTime;     /* instant [ns], monotonic, any origin */
typedef uint64_t TfrcDuration; /* [ns] */

#define TFRC_TIME_NONE UINT64_MAX
#define TFRC_MICROSECOND ((TfrcDuration) 1000)
#define TFRC_MILLISECOND ((TfrcDuration) 1000000)
#define TFRC_SECOND ((TfrcDuration) 1000000000)

/* t + d; TFRC_TIME_NONE stays, and a sum past the end becomes it. */
static inline TfrcTime
tfrc_time_add (TfrcTime t, TfrcDuration d)
{
  return t > TFRC_TIME_NONE - d ? TFRC_TIME_NONE : t + d;
}

/* t - d, not before the origin; TFRC_TIME_NONE stays. */
static inline TfrcTime
tfrc_time_sub (TfrcTime t, TfrcDuration d)
{
  if (t == TFRC_TIME_NONE)
    return t;
  return t > d ? t - d : 0;
}

/* How long ago `earlier` was; 0 if it is not in the past. */
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

/* Whether both timestamps of another host, microseconds from a random offset that
 * wrap in 71 minutes, can be of one clock: between them it has advanced as ours
 * has, give or take the `jitter` of their ways.  Those of two clocks agree by chance,
 * in 2 jitter of 71 minutes. */
static inline bool
tfrc_clock_agrees (uint32_t earlier_us, TfrcTime earlier_at, uint32_t later_us,
    TfrcTime later_at, TfrcDuration jitter)
{
  uint32_t jitter_us = (uint32_t) (jitter / TFRC_MICROSECOND);
  uint32_t ahead_us = later_us - earlier_us
      - (uint32_t) (tfrc_time_since (earlier_at, later_at) / TFRC_MICROSECOND);

  return ahead_us + jitter_us <= 2 * jitter_us;
}

/* Rates, and the only place where a rate meets a time.
 *
 * A rate is a double in bytes/s.  Bits/s exist in properties alone and are
 * converted by the last two functions here. */

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

/* Unwraps RFC 3550's sequence numbers of 16 bits into 64, once, so that nothing
 * else in the core knows of wrapping. */

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

/* How many SSRCs anybody follows: one limit for every table by SSRC, in the core
 * and in the elements.  Where one more comes, the least recently heard makes room, but
 * nobody who is live where a check would begin anew by that. */
#ifndef TFRC_MAX_STREAMS
#define TFRC_MAX_STREAMS 64
#endif
