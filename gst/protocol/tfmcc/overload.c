/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/overload.h"

#include <math.h>

/* Later there is a loss rate, and the timer of a round. */
#define WATCHED_TIME (2 * TFRC_SECOND)
/* Jitter delays packets as well, but rarely three in a row by so much in total ... */
#define LEAST_LATER 3
#define LEAST_GROWTH_US 45000
/* ... nor two in a row at the even spacing of a bottleneck. */
#define LEAST_EVEN 2
#define LEAST_EVEN_GROWTH_US 30000
#define EVEN_PART 0.25
/* With reordering, missing packets may still arrive within this time. */
#define LEAST_TIME (100 * TFRC_MILLISECOND)
#define LEAST_MISSING 8
/* If less than this share of what is sent arrives, the path carries no more. */
#define CARRIED_PART 0.7
/* Share of the receive rate to send at, so that the queue drains. */
#define DRAIN_PART 0.7

void
tfmcc_overload_init (TfmccOverload *self)
{
  *self = (TfmccOverload) { .first_at = TFRC_TIME_NONE };
}

static void
note_delay (TfmccOverload *self, uint32_t size, uint32_t sent_after_us,
    uint32_t delay_us)
{
  uint32_t growth_us = delay_us - self->delay_us;
  double us_per_byte = (double) (sent_after_us + growth_us) / (double) size;

  self->even = fabs (us_per_byte - self->us_per_byte)
      <= EVEN_PART * us_per_byte;
  self->us_per_byte = us_per_byte;
  self->delay_us = delay_us;
  if (growth_us == 0 || growth_us > UINT32_MAX / 2) {
    self->later = self->grown_us = 0;
    return;
  }
  self->later++;
  self->grown_us += growth_us;
}

static bool
is_delayed (const TfmccOverload *self)
{
  return (self->later >= LEAST_LATER && self->grown_us >= LEAST_GROWTH_US)
      || (self->even && self->later >= LEAST_EVEN
          && self->grown_us >= LEAST_EVEN_GROWTH_US);
}

static bool
misses_most (const TfmccOverload *self, TfrcSeq sent, TfrcDuration time)
{
  return time >= LEAST_TIME && sent >= self->packets + LEAST_MISSING
      && sent >= 2 * (TfrcSeq) self->packets;
}

/* Assumes that missing packets are as large as those that arrived. */
static TfrcRate
judge (TfmccOverload *self, TfrcSeq sent, TfrcDuration time)
{
  TfrcDuration sending = (self->newest_us - self->first_sent_us)
      * TFRC_MICROSECOND;
  double part;

  if (sent == 0 || time == 0
      || !(is_delayed (self) || misses_most (self, sent, time)))
    return INFINITY;
  part = (double) self->packets / (double) sent * (double) sending
      / (double) time;
  if (part >= CARRIED_PART)
    return INFINITY;
  self->over = true;
  return DRAIN_PART * tfrc_rate_of ((double) self->bytes, time);
}

TfrcRate
tfmcc_overload_on_packet (TfmccOverload *self, uint32_t size, TfrcSeq highest,
    uint32_t send_time_us, uint32_t delay_us, TfrcTime now)
{
  uint32_t sent_after_us;

  if (self->first_at == TFRC_TIME_NONE) {
    self->first_at = now;
    self->first_sent_us = self->newest_us = send_time_us;
    self->first = highest;
    self->delay_us = delay_us;
    return INFINITY;
  }
  self->over |= tfrc_time_since (self->first_at, now) > WATCHED_TIME;
  if (self->over)
    return INFINITY;
  self->packets++;
  self->bytes += size;
  sent_after_us = send_time_us - self->newest_us;
  if (sent_after_us <= UINT32_MAX / 2) {
    self->newest_us = send_time_us;
    note_delay (self, size, sent_after_us, delay_us);
  }
  return judge (self, highest - self->first,
      tfrc_time_since (self->first_at, now));
}
