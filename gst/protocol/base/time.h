/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instants and durations of the protocol core: nanoseconds in 64 bits, as
 * GstClockTime and ns-3 have them, so that neither needs a conversion.
 *
 * TFRC_TIME_NONE is later than every instant, so the earlier of two deadlines
 * needs no special case.  Nothing here reads a clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
