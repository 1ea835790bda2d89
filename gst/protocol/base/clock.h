/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of another host, as the timestamps in its packets show it:
 * microseconds from a random offset, which wrap in 71 minutes. */
#pragma once

#include "base/time.h"

/* Whether both timestamps can be of one clock: between them it has advanced as ours
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
