/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Initiation and fallback of RFC 6679 section 7. */

#include "rtp/ecn-check.h"

void
tfrc_ecn_check_init (TfrcEcnCheck *self, bool wanted)
{
  *self = (TfrcEcnCheck) {
    .state = wanted ? TFRC_ECN_TESTING : TFRC_ECN_OFF,
  };
}

bool
tfrc_ecn_check_is_ect (const TfrcEcnCheck *self)
{
  return self->state == TFRC_ECN_TESTING || self->state == TFRC_ECN_WORKING;
}

void
tfrc_ecn_check_on_sent (TfrcEcnCheck *self, TfrcTime now)
{
  if (self->unanswered)
    return;
  self->unanswered = true;
  self->unanswered_since = now;
}

static void
fail (TfrcEcnCheck *self, TfrcEcnFailure failure)
{
  self->state = TFRC_ECN_FAILED;
  self->failure = failure;
}

void
tfrc_ecn_check_on_feedback (TfrcEcnCheck *self, TfrcTime now)
{
  self->unanswered = false;
  if (self->state == TFRC_ECN_WAITING) {
    self->state = TFRC_ECN_TESTING;
    self->reports = 0;
    self->bleached = 0;
  }
  if (self->reports++ == 0)
    self->reports_since = now;
  /* RFC 6679 section 7.3: ECT only as long as the receiver tells of marks. */
  if (tfrc_ecn_check_is_ect (self)
      && self->reports >= TFRC_ECN_UNREPORTED_REPORTS
      && tfrc_time_since (self->reports_since, now) >= TFRC_ECN_UNREPORTED_TIME)
    fail (self, TFRC_ECN_FAILURE_UNREPORTED);
}

/* NULL: no place. */
static TfrcEcnSummary *
find (TfrcEcnCheck *self, uint32_t ssrc)
{
  size_t i = 0, oldest = 0;

  self->summaries++;
  for (; i < self->n_seen && self->seen[i].media_ssrc != ssrc; i++)
    if (self->seen_at[i] < self->seen_at[oldest])
      oldest = i;
  if (i == TFRC_MAX_STREAMS) {
    /* All places twice over told of others: that stream left. */
    if (self->summaries - self->seen_at[oldest] <= 2 * TFRC_MAX_STREAMS)
      return NULL;
    i = oldest;
  } else if (i == self->n_seen) {
    self->n_seen++;
  }
  self->seen_at[i] = self->summaries;
  if (self->seen[i].media_ssrc != ssrc)
    self->seen[i] = (TfrcEcnSummary) { .media_ssrc = ssrc };
  return &self->seen[i];
}

/* What arrived since the last summary of that SSRC.  Counters wrap; one of a
 * receiver that began anew is behind. */
static TfrcEcnSummary
count_new (TfrcEcnCheck *self, const TfrcEcnSummary *summary)
{
  TfrcEcnSummary *seen = find (self, summary->media_ssrc);
  TfrcEcnSummary new = { 0 };

  if (seen == NULL)
    return new;
  if (summary->ect_0 - seen->ect_0 > UINT32_MAX / 2
      || summary->ect_1 - seen->ect_1 > UINT32_MAX / 2)
    *seen = (TfrcEcnSummary) { 0 };
  new = (TfrcEcnSummary) {
    .ect_0 = summary->ect_0 - seen->ect_0,
    .ect_1 = summary->ect_1 - seen->ect_1,
    .ce = (uint16_t) (summary->ce - seen->ce),
    .not_ect = (uint16_t) (summary->not_ect - seen->not_ect),
  };
  *seen = *summary;
  self->ect_0 += new.ect_0;
  self->ect_1 += new.ect_1;
  self->ce += new.ce;
  self->not_ect += new.not_ect;
  return new;
}

void
tfrc_ecn_check_on_summary (TfrcEcnCheck *self, const TfrcEcnSummary *summary)
{
  TfrcEcnSummary new = count_new (self, summary);

  self->reports = 0;
  if (!tfrc_ecn_check_is_ect (self))
    return;
  if (new.ect_0 > 0 || new.ce > 0) {
    self->state = TFRC_ECN_WORKING;
    self->waited = false;
    self->bleached = 0;
  } else if (new.not_ect + new.ect_1 >= TFRC_ECN_BLEACHED_PACKETS
      && ++self->bleached >= TFRC_ECN_BLEACHED_SUMMARIES) {
    /* RFC 6679 section 7.4 */
    fail (self, TFRC_ECN_FAILURE_BLEACHED);
  }
}

void
tfrc_ecn_check_on_deadline (TfrcEcnCheck *self, TfrcTime now)
{
  if (!tfrc_ecn_check_is_ect (self) || !self->unanswered
      || tfrc_time_since (self->unanswered_since, now) < TFRC_ECN_TIMEOUT)
    return;
  /* Nobody may be there, or the path is down; but if reports came as soon as
   * packets were not ECT, and ended with ECT, then ECT is the reason. */
  if (self->waited) {
    fail (self, TFRC_ECN_FAILURE_BLOCKED);
  } else {
    self->state = TFRC_ECN_WAITING;
    self->waited = true;
  }
}
