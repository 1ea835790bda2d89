/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "checks/tfmcc-reports.h"

#include <stddef.h>

#include "base/units.h"

#define MINUTE (60 * TFRC_SECOND)
/* The timestamps of a source advance with time, except that its reports may wait in
 * queues.  Timestamps of two sources have random origins within 71 minutes, so two
 * that share an SSRC are not noticed in 0.5 % of the cases. */
#define JITTER (10 * TFRC_SECOND)
/* A source that has been silent for this long loses its SSRC. */
#define OWNERSHIP MINUTE
/* Reports that may arrive at once: by the timer, about a loss, after a change of
 * role, or held by the network. */
#define BURST 8
/* As many as there are places. */
#define MAX_NEWCOMERS (TFMCC_REPORT_CHECK_SETS * TFMCC_REPORT_CHECK_WAYS)
/* In a group of 100 receivers, more than FEW_RECEIVERS have reported after
 * FEW_ROUNDS rounds: four or five do in each (timers of RFC 4654 section 2.5). */
#define FEW_RECEIVERS 16
#define FEW_ROUNDS 4
/* A receiver that is no longer the CLR learns so within two rounds, 12 R_max; where
 * a round is longer there are fewer packets to report. */
#define ROLE_RTTS 16
/* A report may raise R_max in a round to this many times the previous value, or to
 * 500 ms, but never beyond MAX_REPORTED_RTT. */
#define RTT_GROWTH 4
#define MAX_REPORTED_RTT (10 * TFRC_SECOND)

static bool
is_admitted (TfmccReportCheck *self, const TfmccSender *sender,
    const TfmccReport *report, TfrcDuration rtt, TfrcTime now)
{
  if (self->rounds != sender->counters.rounds) {
    self->rounds = sender->counters.rounds;
    self->newcomers = 0;
  }
  switch (tfmcc_report_check_judge (self, report, rtt, sender->round.max_rtt,
      sender->clr.packet_interval,
      tfmcc_clr_choice_is (&sender->clr, report->ssrc), now)) {
    case TFMCC_REPORT_PASSED:
      return true;
    case TFMCC_REPORT_LIMITED:
      self->counters.limited++;
      break;
    case TFMCC_REPORT_COLLIDING:
      self->counters.colliding++;
      break;
  }
  return false;
}

static TfrcDuration
get_rtt_bound (const TfmccRound *round)
{
  TfrcDuration bound = tfrc_time_max (RTT_GROWTH * round->max_rtt_before,
      TFMCC_INITIAL_RTT);

  bound = tfrc_time_max (tfrc_time_min (bound, MAX_REPORTED_RTT),
      round->max_rtt);
  return bound / TFRC_MICROSECOND * TFRC_MICROSECOND;
}

TfrcResult
tfmcc_report_check_on_report (TfmccReportCheck *self, TfmccSender *sender,
    const TfmccReport *report, TfrcTime now)
{
  TfrcDuration rtt = tfmcc_sender_measure_rtt (sender, report, now);
  TfrcDuration bound = get_rtt_bound (&sender->round);
  TfmccReport bounded = *report;

  /* The sender itself refuses reports that answer no packet. */
  if (rtt > 0) {
    if (!is_admitted (self, sender, report, rtt,
            tfrc_time_max (sender->now, now)))
      return TFRC_STALE;
    if (rtt > bound) {
      self->counters.rtt_bounded++;
      /* As if the newest packet had been sent later. */
      bounded.echo_time_us += (uint32_t) ((rtt - bound) / TFRC_MICROSECOND);
    }
  }
  sender->few_receivers = self->n_seen <= FEW_RECEIVERS
      && sender->counters.rounds >= FEW_ROUNDS;
  return tfmcc_sender_on_report (sender, &bounded, now);
}

/* Spreads SSRCs, which may not be random: the finalizer of MurmurHash3. */
static uint32_t
hash (uint32_t ssrc)
{
  ssrc ^= ssrc >> 16;
  ssrc *= 0x85EBCA6B;
  ssrc ^= ssrc >> 13;
  ssrc *= 0xC2B2AE35;
  return ssrc ^ ssrc >> 16;
}

static TfmccReportSource *
find (TfmccReportCheck *self, uint32_t ssrc)
{
  TfmccReportSource *set = &self->sources[hash (ssrc) % TFMCC_REPORT_CHECK_SETS
      * TFMCC_REPORT_CHECK_WAYS];

  for (unsigned i = 0; i < TFMCC_REPORT_CHECK_WAYS; i++) {
    if (set[i].known && set[i].ssrc == ssrc)
      return &set[i];
  }
  return NULL;
}

/* A free place of its set, or that of the source silent for longest. */
static TfmccReportSource *
get_place (TfmccReportCheck *self, uint32_t ssrc)
{
  TfmccReportSource *set = &self->sources[hash (ssrc) % TFMCC_REPORT_CHECK_SETS
      * TFMCC_REPORT_CHECK_WAYS];
  TfmccReportSource *place = set;

  for (unsigned i = 0; i < TFMCC_REPORT_CHECK_WAYS; i++) {
    if (!set[i].known)
      return &set[i];
    if (set[i].passed_at < place->passed_at)
      place = &set[i];
  }
  return place;
}

static bool
is_another (const TfmccReportSource *source, const TfmccReport *report,
    TfrcTime now)
{
  return tfrc_time_since (source->passed_at, now) < OWNERSHIP
      && !tfrc_clock_agrees (source->report_time_us, source->passed_at,
          report->report_time_us, now, JITTER);
}

/* A token bucket: each report costs an interval, and up to BURST may be owed. */
static bool
pay (TfmccReportSource *source, TfrcDuration interval, TfrcTime now)
{
  TfrcTime start = tfrc_time_max (source->paid_until, now);

  if (start - now > (BURST - 1) * interval)
    return false;
  source->paid_until = tfrc_time_add (start, interval);
  return true;
}

static void
begin_minute (TfmccReportCheck *self, TfrcDuration age, TfrcTime now)
{
  self->n_seen = 0;
  for (uint32_t i = 0; i < TFMCC_REPORT_CHECK_SEEN_BITS / 64; i++) {
    self->seen[1][i] = age < 2 * MINUTE ? self->seen[0][i] : 0;
    self->seen[0][i] = 0;
    self->n_seen += (uint32_t) __builtin_popcountll (self->seen[1][i]);
  }
  self->minute_began_at = now - age % MINUTE;
}

static void
see (TfmccReportCheck *self, uint32_t ssrc, TfrcTime now)
{
  TfrcDuration age = tfrc_time_since (self->minute_began_at, now);
  uint32_t place = hash (ssrc) / TFMCC_REPORT_CHECK_SETS
      % TFMCC_REPORT_CHECK_SEEN_BITS;
  uint64_t bit = UINT64_C (1) << place % 64;

  if (age >= MINUTE)
    begin_minute (self, age, now);
  self->n_seen +=
      ((self->seen[0][place / 64] | self->seen[1][place / 64]) & bit) == 0;
  self->seen[0][place / 64] |= bit;
}

/* A receiver reports once per round, which takes at least R_max, and about a loss
 * that ends slow start; the CLR once per RTT, but not more often than packets
 * arrive.  Twice as many pass, since both ends know R_max and R only approximately. */
TfmccReportVerdict
tfmcc_report_check_judge (TfmccReportCheck *self, const TfmccReport *report,
    TfrcDuration rtt, TfrcDuration max_rtt, TfrcDuration packet_interval,
    bool is_clr, TfrcTime now)
{
  TfmccReportSource *source = find (self, report->ssrc);
  TfrcDuration interval = max_rtt / 2;

  if (source != NULL && is_another (source, report, now))
    return TFMCC_REPORT_COLLIDING;
  if (source == NULL) {
    if (self->newcomers >= MAX_NEWCOMERS)
      return TFMCC_REPORT_LIMITED;
    self->newcomers++;
    source = get_place (self, report->ssrc);
    *source = (TfmccReportSource) { .known = true, .ssrc = report->ssrc };
  }
  /* What it owes was counted in the longer intervals of other receivers. */
  if (is_clr && now >= source->clr_until)
    source->paid_until = now;
  if (is_clr)
    source->clr_until = tfrc_time_add (now, ROLE_RTTS * max_rtt);
  if (now < source->clr_until)
    interval = tfrc_time_min (interval,
        tfrc_time_max (rtt / 4, packet_interval / 2));
  if (!pay (source, interval, now))
    return TFMCC_REPORT_LIMITED;
  source->report_time_us = report->report_time_us;
  source->passed_at = now;
  see (self, report->ssrc, now);
  return TFMCC_REPORT_PASSED;
}

/* Linear counting (Whang, Vander-Zanden and Taylor 1990): after n sources a share
 * e^(-n/m) of m bits is still 0. */
uint32_t
tfmcc_report_check_get_receivers (const TfmccReportCheck *self, TfrcTime now)
{
  TfrcDuration age = tfrc_time_since (self->minute_began_at, now);
  uint32_t zeros = 0;

  for (uint32_t i = 0; i < TFMCC_REPORT_CHECK_SEEN_BITS; i++) {
    uint64_t words = (age < 2 * MINUTE ? self->seen[0][i / 64] : 0)
        | (age < MINUTE ? self->seen[1][i / 64] : 0);

    zeros += (words >> i % 64 & 1) == 0;
  }
  if (zeros == 0)
    zeros = 1;
  return (uint32_t) lround (TFMCC_REPORT_CHECK_SEEN_BITS
      * log ((double) TFMCC_REPORT_CHECK_SEEN_BITS / zeros));
}
