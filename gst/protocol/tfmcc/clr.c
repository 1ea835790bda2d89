/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/clr.h"

/* RFC 4654 section 3.3: a CLR that has not been heard of for so many RTTs ... */
#define SILENT_RTTS 4
#define GONE_RTTS 10
/* ... unless it was chosen within this many. */
#define NEW_RTTS 10
/* "A few RTTs" of Widmer and Handley 2001 appendix C. */
#define PREVIOUS_RTTS 4
/* With honest receivers each is a tenth lower than the one before, or the two
 * lowest take turns. */
#define MAX_CHANGES_IN_ROUND 32

static TfmccClrChange choose (TfmccClr *self, const TfmccLimiter *limiter,
    TfmccClrChange change);
static TfmccClrChange update (TfmccClr *self, const TfmccReport *report,
    const TfmccLimiter *heard);
static TfrcTime after_rtts (const TfmccClr *self, TfrcTime start,
    unsigned rtts);

void
tfmcc_clr_init (TfmccClr *self)
{
  *self = (TfmccClr) { .unanswered_since = TFRC_TIME_NONE };
}

TfmccClrChange
tfmcc_clr_on_report (TfmccClr *self, const TfmccReport *report, TfrcRate rate,
    TfrcDuration rtt, TfrcRate sending_rate, TfrcTime now)
{
  TfmccLimiter heard = {
    .ssrc = report->ssrc,
    .rate = rate,
    .rtt = rtt,
    .reported_at = now,
    .chosen_at = now,
  };

  if (tfmcc_clr_is (self, report->ssrc))
    return update (self, report, &heard);
  /* Who is about to leave limits nobody (RFC 4654 section 3.3 case 2). */
  if (report->leaving) {
    if (self->has_previous && self->previous.ssrc == report->ssrc)
      self->has_previous = false;
    return TFMCC_CLR_UNCHANGED;
  }
  /* "And we increase as in case 3", RFC 4654 section 3.3 of one that is gone. */
  if (!self->known)
    return choose (self, &heard,
        self->changes == 0 ? TFMCC_CLR_FIRST : TFMCC_CLR_SUCCEEDED);
  /* The one before the one that leaves would be a memory of two CLRs ago. */
  if (self->leaving) {
    self->has_previous = false;
    return choose (self, &heard, TFMCC_CLR_SUCCEEDED);
  }
  if (rate < sending_rate) {
    if (self->changes_in_round >= MAX_CHANGES_IN_ROUND)
      return TFMCC_CLR_KEPT;
    self->has_previous = true;
    self->previous = self->limiter;
    self->previous_until = after_rtts (self, now, PREVIOUS_RTTS);
    return choose (self, &heard, TFMCC_CLR_LOWER);
  }
  return TFMCC_CLR_UNCHANGED;
}

void
tfmcc_clr_on_round (TfmccClr *self)
{
  self->changes_in_round = 0;
}

bool
tfmcc_clr_is (const TfmccClr *self, uint32_t ssrc)
{
  return self->known && self->limiter.ssrc == ssrc;
}

void
tfmcc_clr_set_packet_interval (TfmccClr *self, TfrcDuration interval)
{
  self->packet_interval = interval;
}

void
tfmcc_clr_on_sent (TfmccClr *self, TfrcTime now)
{
  if (self->unanswered_since == TFRC_TIME_NONE)
    self->unanswered_since = now;
}

void
tfmcc_clr_on_pause (TfmccClr *self)
{
  self->unanswered_since = TFRC_TIME_NONE;
  self->silent = false;
}

TfrcTime
tfmcc_clr_next_deadline (const TfmccClr *self)
{
  if (!self->known || self->unanswered_since == TFRC_TIME_NONE)
    return TFRC_TIME_NONE;
  if (self->silent || self->leaving)
    return after_rtts (self, self->unanswered_since, GONE_RTTS);
  return tfrc_time_max (after_rtts (self, self->unanswered_since, SILENT_RTTS),
      after_rtts (self, self->limiter.chosen_at, NEW_RTTS));
}

TfmccClrTimeout
tfmcc_clr_on_deadline (TfmccClr *self, TfrcTime now)
{
  if (tfmcc_clr_next_deadline (self) > now)
    return TFMCC_CLR_HEARD;
  if (after_rtts (self, self->unanswered_since, GONE_RTTS) <= now) {
    self->known = false;
    self->has_previous = false;
    return TFMCC_CLR_GONE;
  }
  self->silent = true;
  return TFMCC_CLR_SILENT;
}

static TfmccClrChange
choose (TfmccClr *self, const TfmccLimiter *limiter, TfmccClrChange change)
{
  self->known = true;
  self->limiter = *limiter;
  self->unanswered_since = TFRC_TIME_NONE;
  self->leaving = false;
  self->silent = false;
  self->changes++;
  self->changes_in_round++;
  return change;
}

/* The CLR's own report.  Once it could take more than the one before it, that
 * one is the limit again, without waiting for its report. */
static TfmccClrChange
update (TfmccClr *self, const TfmccReport *report, const TfmccLimiter *heard)
{
  TfmccLimiter previous = self->previous;
  TfrcTime chosen_at = self->limiter.chosen_at;

  self->limiter = *heard;
  self->limiter.chosen_at = chosen_at;
  self->unanswered_since = TFRC_TIME_NONE;
  self->leaving = report->leaving;
  self->silent = false;
  if (!self->has_previous)
    return TFMCC_CLR_REPORTED;
  if (self->previous_until <= heard->reported_at) {
    self->has_previous = false;
    return TFMCC_CLR_REPORTED;
  }
  if (heard->rate <= previous.rate)
    return TFMCC_CLR_REPORTED;
  self->has_previous = false;
  previous.chosen_at = previous.reported_at = heard->reported_at;
  return choose (self, &previous, TFMCC_CLR_RESTORED);
}

static TfrcTime
after_rtts (const TfmccClr *self, TfrcTime start, unsigned rtts)
{
  TfrcDuration rtt = tfrc_time_max (self->limiter.rtt, TFMCC_MIN_CLR_INTERVAL);

  return tfrc_time_add (start,
      rtts * tfrc_time_max (rtt, self->packet_interval));
}
