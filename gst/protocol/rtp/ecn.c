/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtp/ecn.h"

/* A stream may lose its place after this many packets of the flow without one of
 * its own. */
#define SILENT_PACKETS (16 * TFRC_MAX_STREAMS)

void
tfrc_ecn_summary_count (TfrcEcnSummary *self, TfrcEcnCodepoint ecn)
{
  switch (ecn) {
    case TFRC_ECN_NOT_ECT:
      self->not_ect++;
      break;
    case TFRC_ECN_ECT_0:
      self->ect_0++;
      break;
    case TFRC_ECN_ECT_1:
      self->ect_1++;
      break;
    case TFRC_ECN_CE:
      self->ce++;
      break;
  }
}

static TfrcEcnStream *
find_stream (TfrcEcnCount *self, uint32_t ssrc)
{
  for (size_t i = 0; i < self->n_streams; i++) {
    if (self->streams[i].summary.media_ssrc == ssrc)
      return &self->streams[i];
  }
  return NULL;
}

/* Returns NULL if no place is free. */
static TfrcEcnStream *
add_stream (TfrcEcnCount *self, uint32_t ssrc, uint16_t seq)
{
  TfrcEcnStream *stream = &self->streams[0];

  if (self->n_streams < TFRC_MAX_STREAMS) {
    stream = &self->streams[self->n_streams++];
  } else {
    for (size_t i = 1; i < TFRC_MAX_STREAMS; i++)
      if (self->streams[i].newest_at < stream->newest_at)
        stream = &self->streams[i];
    if (self->packets - stream->newest_at < SILENT_PACKETS)
      return NULL;
  }
  *stream = (TfrcEcnStream) { .summary.media_ssrc = ssrc };
  tfrc_seq_unwrapper_init (&stream->seq);
  stream->first_seq = tfrc_seq_unwrap16 (&stream->seq, seq);
  return stream;
}

void
tfrc_ecn_count_on_packet (TfrcEcnCount *self, uint32_t ssrc, uint16_t seq,
    TfrcEcnCodepoint ecn, bool duplicate)
{
  TfrcEcnStream *stream = find_stream (self, ssrc);

  self->packets++;
  self->received[ecn & TFRC_ECN_MASK]++;
  if (ecn == TFRC_ECN_ECT_0 || ecn == TFRC_ECN_ECT_1)
    self->is_l4s = ecn == TFRC_ECN_ECT_1;
  if (!stream)
    stream = add_stream (self, ssrc, seq);
  if (!stream)
    return;
  stream->newest_at = self->packets;
  tfrc_ecn_summary_count (&stream->summary, ecn);
  if (duplicate)
    stream->summary.duplicates++;
  else
    stream->received++;
  tfrc_seq_unwrap16 (&stream->seq, seq);
}

void
tfrc_ecn_count_remove_stream (TfrcEcnCount *self, uint32_t ssrc)
{
  TfrcEcnStream *stream = find_stream (self, ssrc);

  if (stream)
    *stream = self->streams[--self->n_streams];
}

/* RFC 6679 section 5.2: packets expected minus packets received, without
 * duplicates.  Packets from before the first one received can make the difference
 * negative. */
static uint32_t
get_lost (const TfrcEcnStream *self)
{
  uint64_t expected = self->seq.highest - self->first_seq + 1;

  return self->received >= expected
      ? 0
      : (uint32_t) (expected - self->received);
}

size_t
tfrc_ecn_count_poll (TfrcEcnCount *self,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], TfrcTime now)
{
  size_t n = self->n_streams < TFRC_ECN_MAX_STREAMS
      ? self->n_streams
      : TFRC_ECN_MAX_STREAMS;

  if (n == 0
      || (self->reported_at != 0 && !self->is_l4s
          && tfrc_time_since (self->reported_at, now)
              < TFRC_ECN_SUMMARY_INTERVAL))
    return 0;
  self->reported_at = now;
  for (size_t i = 0; i < n; i++) {
    const TfrcEcnStream *stream =
        &self->streams[(self->next_reported + i) % self->n_streams];

    summaries[i] = stream->summary;
    summaries[i].lost = get_lost (stream);
  }
  self->next_reported = (self->next_reported + n) % self->n_streams;
  return n;
}

void
tfrc_ecn_check_init (TfrcEcnCheck *self, TfrcEcnCodepoint ect)
{
  *self = (TfrcEcnCheck) {
    .state = ect == TFRC_ECN_NOT_ECT ? TFRC_ECN_OFF : TFRC_ECN_TESTING,
    .ect = ect,
  };
}

TfrcEcnCodepoint
tfrc_ecn_check_get_ect (const TfrcEcnCheck *self)
{
  return self->state == TFRC_ECN_TESTING || self->state == TFRC_ECN_WORKING
      ? self->ect
      : TFRC_ECN_NOT_ECT;
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
  if (self->marked == 0)
    self->marked_since = 0;
  else if (self->marked_since == 0)
    self->marked_since = now;
  if (tfrc_ecn_check_get_ect (self) && self->marked >= TFRC_ECN_MARKED_PACKETS
      && tfrc_time_since (self->marked_since, now) >= TFRC_ECN_MARKED_TIME)
    fail (self, TFRC_ECN_FAILURE_MARKED);
  /* RFC 6679 section 7.3: ECT may be sent only as long as the receiver reports
   * marks. */
  if (tfrc_ecn_check_get_ect (self)
      && self->reports >= TFRC_ECN_UNREPORTED_REPORTS
      && tfrc_time_since (self->reports_since, now) >= TFRC_ECN_UNREPORTED_TIME)
    fail (self, TFRC_ECN_FAILURE_UNREPORTED);
}

/* Returns NULL if no place is free. */
static TfrcEcnSummary *
find_seen (TfrcEcnCheck *self, uint32_t ssrc)
{
  size_t i = 0, oldest = 0;

  self->summaries++;
  for (; i < self->n_seen && self->seen[i].media_ssrc != ssrc; i++)
    if (self->seen_at[i] < self->seen_at[oldest])
      oldest = i;
  if (i == TFRC_MAX_STREAMS) {
    /* No summary of this SSRC during twice as many summaries as there are places:
     * the stream has ended. */
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

/* What arrived since the last summary of that SSRC.  The counters wrap; one that
 * went backwards belongs to a receiver that restarted. */
static TfrcEcnSummary
count_new (TfrcEcnCheck *self, const TfrcEcnSummary *summary)
{
  TfrcEcnSummary *seen = find_seen (self, summary->media_ssrc);
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
  bool l4s = self->ect == TFRC_ECN_ECT_1;
  uint32_t as_sent = l4s ? new.ect_1 : new.ect_0;

  self->reports = 0;
  if (!tfrc_ecn_check_get_ect (self))
    return;
  self->marked = l4s && as_sent == 0 ? self->marked + new.ce : 0;
  if (as_sent > 0 || new.ce > 0) {
    self->state = TFRC_ECN_WORKING;
    self->waited = false;
    self->bleached = 0;
  } else if (new.not_ect + new.ect_0 + new.ect_1 >= TFRC_ECN_BLEACHED_PACKETS
      && ++self->bleached >= TFRC_ECN_BLEACHED_SUMMARIES) {
    /* RFC 6679 section 7.4 */
    fail (self, TFRC_ECN_FAILURE_BLEACHED);
  }
}

void
tfrc_ecn_check_on_deadline (TfrcEcnCheck *self, TfrcTime now)
{
  if (!tfrc_ecn_check_get_ect (self) || !self->unanswered
      || tfrc_time_since (self->unanswered_since, now) < TFRC_ECN_TIMEOUT)
    return;
  /* Either nobody receives, or the path is down.  But if reports started once
   * packets were sent as not-ECT, and stopped again with ECT, then ECT is the
   * cause. */
  if (self->waited) {
    fail (self, TFRC_ECN_FAILURE_BLOCKED);
  } else {
    self->state = TFRC_ECN_WAITING;
    self->waited = true;
  }
}
