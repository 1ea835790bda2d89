/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of RFC 6679 section 5.2. */

#include "rtp/ecn-count.h"

/* A stream that was silent while so many packets of all of them came makes room. */
#define SILENT_PACKETS (16 * TFRC_MAX_STREAMS)

static void count (TfrcEcnSummary *self, TfrcEcnCodepoint ecn);

void
tfrc_ecn_count_init (TfrcEcnCount *self)
{
  *self = (TfrcEcnCount) { 0 };
}

static TfrcEcnStream *
find (TfrcEcnCount *self, uint32_t ssrc)
{
  for (size_t i = 0; i < self->n_streams; i++) {
    if (self->streams[i].summary.media_ssrc == ssrc)
      return &self->streams[i];
  }
  return NULL;
}

/* NULL: no place. */
static TfrcEcnStream *
add (TfrcEcnCount *self, uint32_t ssrc, uint16_t seq)
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
  TfrcEcnStream *stream = find (self, ssrc);

  self->packets++;
  self->received[ecn & TFRC_ECN_MASK]++;
  if (!stream)
    stream = add (self, ssrc, seq);
  if (!stream)
    return;
  stream->newest_at = self->packets;
  count (&stream->summary, ecn);
  if (duplicate)
    stream->summary.duplicates++;
  else
    stream->received++;
  tfrc_seq_unwrap16 (&stream->seq, seq);
}

void
tfrc_ecn_count_remove_stream (TfrcEcnCount *self, uint32_t ssrc)
{
  TfrcEcnStream *stream = find (self, ssrc);

  if (stream)
    *stream = self->streams[--self->n_streams];
}

/* RFC 6679 section 5.2: packets expected less those received that were not
 * duplicates; at most the packets in front of the first are too many. */
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
      || (self->told_at != 0
          && tfrc_time_since (self->told_at, now) < TFRC_ECN_SUMMARY_INTERVAL))
    return 0;
  self->told_at = now;
  for (size_t i = 0; i < n; i++) {
    const TfrcEcnStream *stream =
        &self->streams[(self->next_told + i) % self->n_streams];

    summaries[i] = stream->summary;
    summaries[i].lost = get_lost (stream);
  }
  self->next_told = (self->next_told + n) % self->n_streams;
  return n;
}

static void
count (TfrcEcnSummary *self, TfrcEcnCodepoint ecn)
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
