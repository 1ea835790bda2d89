/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/clr.h"

#include <math.h>

/* RFC 4654 section 3.3: a CLR that has not reported for this many RTTs is overdue,
 * or gone ... */
#define OVERDUE_RTTS 4
#define GONE_RTTS 10
/* ... unless it was chosen within so many. */
#define NEW_RTTS 10

static const TfmccLimiter nobody = { .rate = INFINITY };

void
tfmcc_clr_choice_init (TfmccClrChoice *self, TfrcDuration least_rtt,
    bool timeout_by_packets)
{
  *self = (TfmccClrChoice) {
    .least_rtt = least_rtt,
    .timeout_by_packets = timeout_by_packets,
    .unanswered_since = TFRC_TIME_NONE,
    .lowest = { nobody, nobody },
  };
}

static void
forget_report (TfmccClrChoice *self, uint32_t ssrc)
{
  for (unsigned i = 0; i < 2; i++) {
    if (self->lowest[i].ssrc == ssrc)
      self->lowest[i] = nobody;
  }
}

/* Remembers the lowest report of the receivers that are not the CLR; of each only
 * the newest counts. */
static void
remember_report (TfmccClrChoice *self, const TfmccLimiter *reporter)
{
  forget_report (self, reporter->ssrc);
  if (reporter->rate < self->lowest[0].rate)
    self->lowest[0] = *reporter;
}

/* Takes over what the CLR has reported. */
static void
follow (TfmccClrChoice *self, const TfmccLimiter *limiter, bool leaving)
{
  self->limiter = *limiter;
  self->unanswered_since = self->timeout_by_packets
      ? TFRC_TIME_NONE
      : tfrc_time_max (limiter->reported_at, limiter->chosen_at);
  self->leaving = leaving;
  self->overdue = false;
}

static TfmccClrChange
choose (TfmccClrChoice *self, const TfmccLimiter *limiter, bool leaving,
    TfmccClrChange change)
{
  self->known = true;
  self->changes++;
  forget_report (self, limiter->ssrc);
  follow (self, limiter, leaving);
  return change;
}

TfmccClrChange
tfmcc_clr_choice_on_report (TfmccClrChoice *self, const TfmccReport *report,
    TfrcRate rate, TfrcDuration rtt, TfrcRate sending_rate, TfrcTime now)
{
  TfmccLimiter reporter = {
    .ssrc = report->ssrc,
    .rate = rate,
    .rtt = rtt,
    .reported_at = now,
    .chosen_at = now,
    .report_time_us = report->report_time_us,
  };

  if (tfmcc_clr_choice_is (self, report->ssrc)) {
    reporter.chosen_at = self->limiter.chosen_at;
    follow (self, &reporter, report->leaving);
    return TFMCC_CLR_REPORTED;
  }
  /* RFC 4654 section 3.3, about a CLR that is gone: "And we increase as in case 3". */
  if (!self->known)
    return choose (self, &reporter, report->leaving,
        self->changes == 0 ? TFMCC_CLR_FIRST : TFMCC_CLR_SUCCEEDED);
  if (self->leaving)
    return choose (self, &reporter, report->leaving, TFMCC_CLR_SUCCEEDED);
  if (report->leaving) {
    forget_report (self, report->ssrc);
    return TFMCC_CLR_UNCHANGED;
  }
  if (rate < sending_rate) {
    remember_report (self, &self->limiter);
    return choose (self, &reporter, false, TFMCC_CLR_LOWER);
  }
  remember_report (self, &reporter);
  return TFMCC_CLR_UNCHANGED;
}

void
tfmcc_clr_choice_on_round (TfmccClrChoice *self)
{
  self->lowest[1] = self->lowest[0];
  self->lowest[0] = nobody;
}

bool
tfmcc_clr_choice_succeed (TfmccClrChoice *self, TfrcTime now)
{
  TfmccLimiter next = self->lowest[self->lowest[1].rate < self->lowest[0].rate];

  if (isinf (next.rate))
    return false;
  next.chosen_at = now;
  choose (self, &next, false, TFMCC_CLR_SUCCEEDED);
  return true;
}

void
tfmcc_clr_choice_forget (TfmccClrChoice *self, uint32_t ssrc)
{
  forget_report (self, ssrc);
  if (tfmcc_clr_choice_is (self, ssrc))
    self->known = false;
}

bool
tfmcc_clr_choice_is (const TfmccClrChoice *self, uint32_t ssrc)
{
  return self->known && self->limiter.ssrc == ssrc;
}

void
tfmcc_clr_choice_on_sent (TfmccClrChoice *self, TfrcTime now)
{
  if (self->unanswered_since == TFRC_TIME_NONE)
    self->unanswered_since = now;
}

void
tfmcc_clr_choice_on_pause (TfmccClrChoice *self)
{
  if (!self->timeout_by_packets)
    return;
  self->unanswered_since = TFRC_TIME_NONE;
  self->overdue = false;
}

static TfrcTime
after_rtts (const TfmccClrChoice *self, TfrcTime start, unsigned rtts)
{
  TfrcDuration rtt = tfrc_time_max (self->limiter.rtt, self->least_rtt);

  return tfrc_time_add (start,
      rtts * tfrc_time_max (rtt, self->packet_interval));
}

TfrcTime
tfmcc_clr_choice_next_deadline (const TfmccClrChoice *self)
{
  if (!self->known || self->unanswered_since == TFRC_TIME_NONE)
    return TFRC_TIME_NONE;
  if (self->overdue || self->leaving)
    return after_rtts (self, self->unanswered_since, GONE_RTTS);
  return tfrc_time_max (after_rtts (self, self->unanswered_since, OVERDUE_RTTS),
      after_rtts (self, self->limiter.chosen_at, NEW_RTTS));
}

TfmccClrTimeout
tfmcc_clr_choice_on_deadline (TfmccClrChoice *self, TfrcTime now)
{
  if (tfmcc_clr_choice_next_deadline (self) > now)
    return TFMCC_CLR_ON_TIME;
  if (after_rtts (self, self->unanswered_since, GONE_RTTS) <= now) {
    self->known = false;
    return TFMCC_CLR_GONE;
  }
  self->overdue = true;
  return TFMCC_CLR_OVERDUE;
}

bool
tfmcc_clr_role_on_name (TfmccClrRole *self, bool us)
{
  bool begins = us && !self->is_clr;

  self->is_clr = us;
  return begins;
}

void
tfmcc_clr_role_on_report (TfmccClrRole *self, TfrcTime now)
{
  self->reported_at = now;
  self->unreported = false;
}

/* RFC 4654 section 4.5: the CLR reports once per RTT, whatever others do; on very
 * short paths less often (D48).  Without new data packets there is nothing new to
 * report. */
TfrcTime
tfmcc_clr_role_next_report (const TfmccClrRole *self, TfrcDuration interval)
{
  if (!self->is_clr || !self->unreported)
    return TFRC_TIME_NONE;
  return tfrc_time_add (self->reported_at, interval);
}
