/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/report-guard.h"

#include <stddef.h>

#include "base/clock.h"

#define MINUTE (60 * TFRC_SECOND)
/* The timestamps of one source advance as time does, but for what its reports
 * wait in queues.  Those of two begin at random in 71 minutes, so two that share
 * an SSRC stay unknown in 0.5 % of the cases. */
#define JITTER (10 * TFRC_SECOND)
/* Who has been silent for so long gives its SSRC free. */
#define OWNERSHIP MINUTE
/* Reports that may come at once, of the timer, of a loss and of a role that
 * has just changed; and after a time the network has held them. */
#define BURST 8
/* As many as find a place. */
#define MAX_NEWCOMERS (TFMCC_GUARD_SETS * TFMCC_GUARD_WAYS)
/* A receiver that is the CLR no more hears of it within two rounds, 12 R_max;
 * where a round is longer there are fewer packets to answer. */
#define ROLE_RTTS 16

static TfmccSource *find (TfmccGuard *self, uint32_t ssrc);
static TfmccSource *get_place (TfmccGuard *self, uint32_t ssrc);
static bool is_another (const TfmccSource *source, const TfmccReport *report,
    TfrcTime now);
static bool pay (TfmccSource *source, TfrcDuration interval, TfrcTime now);
static void see (TfmccGuard *self, uint32_t ssrc, TfrcTime now);
static uint32_t hash (uint32_t ssrc);

void
tfmcc_guard_init (TfmccGuard *self)
{
  *self = (TfmccGuard) { 0 };
}

void
tfmcc_guard_on_round (TfmccGuard *self)
{
  self->newcomers = 0;
}

/* A receiver reports once in a round, of at least R_max, and about a loss that
 * ends slow start; the CLR once per RTT and not more often than data comes.
 * Twice that passes, since both ends know R_max and R only roughly. */
TfmccGuardVerdict
tfmcc_guard_on_report (TfmccGuard *self, const TfmccReport *report,
    TfrcDuration rtt, TfrcDuration max_rtt, TfrcDuration packet_interval,
    bool is_clr, TfrcTime now)
{
  TfmccSource *source = find (self, report->ssrc);
  TfrcDuration interval = max_rtt / 2;

  if (source != NULL && is_another (source, report, now))
    return TFMCC_GUARD_COLLIDING;
  if (source == NULL) {
    if (self->newcomers >= MAX_NEWCOMERS)
      return TFMCC_GUARD_LIMITED;
    self->newcomers++;
    source = get_place (self, report->ssrc);
    *source = (TfmccSource) { .known = true, .ssrc = report->ssrc };
  }
  /* What it owes counts in the longer intervals of the others. */
  if (is_clr && now >= source->clr_until)
    source->paid_until = now;
  if (is_clr)
    source->clr_until = tfrc_time_add (now, ROLE_RTTS * max_rtt);
  if (now < source->clr_until)
    interval = tfrc_time_min (interval,
        tfrc_time_max (rtt / 4, packet_interval / 2));
  if (!pay (source, interval, now))
    return TFMCC_GUARD_LIMITED;
  source->report_time_us = report->report_time_us;
  source->passed_at = now;
  see (self, report->ssrc, now);
  return TFMCC_GUARD_PASSED;
}

/* Whang, Vander-Zanden and Taylor 1990, linear counting: of m bits a share
 * e^(-n/m) stays 0 after n sources. */
uint32_t
tfmcc_guard_get_receivers (const TfmccGuard *self, TfrcTime now)
{
  TfrcDuration age = tfrc_time_since (self->minute_began_at, now);
  uint32_t zeros = 0;

  for (uint32_t i = 0; i < TFMCC_GUARD_SEEN_BITS; i++) {
    uint64_t words = (age < 2 * MINUTE ? self->seen[0][i / 64] : 0)
        | (age < MINUTE ? self->seen[1][i / 64] : 0);

    zeros += (words >> i % 64 & 1) == 0;
  }
  if (zeros == 0)
    zeros = 1;
  return (uint32_t) lround (TFMCC_GUARD_SEEN_BITS
      * log ((double) TFMCC_GUARD_SEEN_BITS / zeros));
}

static TfmccSource *
find (TfmccGuard *self, uint32_t ssrc)
{
  TfmccSource *set =
      &self->sources[hash (ssrc) % TFMCC_GUARD_SETS * TFMCC_GUARD_WAYS];

  for (unsigned i = 0; i < TFMCC_GUARD_WAYS; i++) {
    if (set[i].known && set[i].ssrc == ssrc)
      return &set[i];
  }
  return NULL;
}

/* A free place of its set, or that of the longest silent source. */
static TfmccSource *
get_place (TfmccGuard *self, uint32_t ssrc)
{
  TfmccSource *set =
      &self->sources[hash (ssrc) % TFMCC_GUARD_SETS * TFMCC_GUARD_WAYS];
  TfmccSource *place = set;

  for (unsigned i = 0; i < TFMCC_GUARD_WAYS; i++) {
    if (!set[i].known)
      return &set[i];
    if (set[i].passed_at < place->passed_at)
      place = &set[i];
  }
  return place;
}

static bool
is_another (const TfmccSource *source, const TfmccReport *report, TfrcTime now)
{
  return tfrc_time_since (source->passed_at, now) < OWNERSHIP
      && !tfrc_clock_agrees (source->report_time_us, source->passed_at,
          report->report_time_us, now, JITTER);
}

/* Each report costs an interval, and BURST of them may be owed. */
static bool
pay (TfmccSource *source, TfrcDuration interval, TfrcTime now)
{
  TfrcTime start = tfrc_time_max (source->paid_until, now);

  if (start - now > (BURST - 1) * interval)
    return false;
  source->paid_until = tfrc_time_add (start, interval);
  return true;
}

static void
see (TfmccGuard *self, uint32_t ssrc, TfrcTime now)
{
  TfrcDuration age = tfrc_time_since (self->minute_began_at, now);
  uint32_t bit = hash (ssrc) / TFMCC_GUARD_SETS % TFMCC_GUARD_SEEN_BITS;

  if (age >= MINUTE) {
    for (uint32_t i = 0; i < TFMCC_GUARD_SEEN_BITS / 64; i++) {
      self->seen[1][i] = age < 2 * MINUTE ? self->seen[0][i] : 0;
      self->seen[0][i] = 0;
    }
    self->minute_began_at = now - age % MINUTE;
  }
  self->seen[0][bit / 64] |= UINT64_C (1) << bit % 64;
}

/* Spreads SSRCs, which need not be random: the last steps of MurmurHash3. */
static uint32_t
hash (uint32_t ssrc)
{
  ssrc ^= ssrc >> 16;
  ssrc *= 0x85EBCA6B;
  ssrc ^= ssrc >> 13;
  ssrc *= 0xC2B2AE35;
  return ssrc ^ ssrc >> 16;
}
