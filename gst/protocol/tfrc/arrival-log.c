/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc/arrival-log.h"

#include <assert.h>

static_assert ((TFRC_ARRIVAL_LOG_LENGTH & (TFRC_ARRIVAL_LOG_LENGTH - 1)) == 0,
    "sequence numbers wrap in the middle of the log");

#define ECN_CE 3

/* A stream that has been silent for this long may lose its place to another one. */
#define SILENCE (500 * TFRC_MILLISECOND)

TfrcArrivalLogConfig
tfrc_arrival_log_config_default (void)
{
  return (TfrcArrivalLogConfig) {
    .interval = 50 * TFRC_MILLISECOND,
    .max_interval = 250 * TFRC_MILLISECOND,
    .share = 0.05,
  };
}

void
tfrc_arrival_log_init (TfrcArrivalLog *self, const TfrcArrivalLogConfig *config)
{
  self->config = *config;
  tfrc_arrival_log_forget (self);
}

void
tfrc_arrival_log_forget (TfrcArrivalLog *self)
{
  self->n_streams = 0;
  self->reported_at = TFRC_TIME_NONE;
  self->reported_bytes = 0;
  self->report_bytes = 0;
  self->bytes = 0;
}

/* Returns NULL if the SSRC has no place. */
static TfrcArrivalStream *
find_stream (TfrcArrivalLog *self, uint32_t ssrc)
{
  for (uint32_t i = 0; i < self->n_streams; i++) {
    if (self->streams[i].ssrc == ssrc)
      return &self->streams[i];
  }
  return NULL;
}

static TfrcArrivalStream *
find_silent_stream (TfrcArrivalLog *self)
{
  TfrcArrivalStream *stream = &self->streams[0];

  for (uint32_t i = 1; i < self->n_streams; i++) {
    if (self->streams[i].newest_at < stream->newest_at)
      stream = &self->streams[i];
  }
  return stream;
}

static void
start_stream (TfrcArrivalStream *stream, uint32_t ssrc)
{
  stream->ssrc = ssrc;
  stream->next = 0;
  stream->strays = false;
  tfrc_seq_unwrapper_init (&stream->seq);
  for (size_t i = 0; i < TFRC_ARRIVAL_LOG_LENGTH; i++)
    stream->packets[i].arrived = false;
}

/* Returns NULL if all streams are active: they keep their places.  If streams took
 * turns, packets would be gone before they are reported. */
static TfrcArrivalStream *
add_stream (TfrcArrivalLog *self, uint32_t ssrc, TfrcTime now)
{
  TfrcArrivalStream *stream;

  if (self->n_streams < TFRC_MAX_STREAMS) {
    stream = &self->streams[self->n_streams++];
  } else {
    stream = find_silent_stream (self);
    if (tfrc_time_since (stream->newest_at, now) < SILENCE)
      return NULL;
  }
  start_stream (stream, ssrc);
  return stream;
}

/* Two packets in a row, far from those before, mean that the sender restarted (RFC
 * 3550 appendix A.1); a single one is an old duplicate, or forged. */
static bool
is_stray (TfrcArrivalStream *stream, uint16_t seq)
{
  uint16_t ahead = (uint16_t) (seq - (uint16_t) stream->seq.highest);
  uint16_t behind = (uint16_t) -ahead;

  if (!stream->seq.started || ahead < TFRC_ARRIVAL_LOG_LENGTH
      || behind < TFRC_ARRIVAL_LOG_LENGTH) {
    stream->strays = false;
    return false;
  }
  if (stream->strays && stream->after_stray == seq) {
    start_stream (stream, stream->ssrc);
    return false;
  }
  stream->strays = true;
  stream->after_stray = (uint16_t) (seq + 1);
  return true;
}

/* Returns NULL if it has not arrived. */
static const TfrcLoggedArrival *
find_arrival (const TfrcArrivalStream *stream, TfrcSeq number)
{
  const TfrcLoggedArrival *arrival =
      &stream->packets[number % TFRC_ARRIVAL_LOG_LENGTH];

  return arrival->arrived && arrival->number == (uint32_t) number
      ? arrival
      : NULL;
}

static void
note_arrival (TfrcArrivalStream *stream, TfrcSeq number, uint8_t ecn,
    TfrcTime now)
{
  TfrcLoggedArrival *slot = &stream->packets[number % TFRC_ARRIVAL_LOG_LENGTH];

  if (find_arrival (stream, number) == NULL)
    *slot = (TfrcLoggedArrival) {
      .at = now, .number = (uint32_t) number, .ecn = ecn, .arrived = true
    };
  else if (ecn == ECN_CE && slot->ecn != ECN_CE)
    slot->ecn = ecn;
  else
    return;
  if (stream->next == 0)
    stream->reported = number - 1;
  if (stream->next == 0 || number < stream->next)
    stream->next = number;
  /* Older packets have been overwritten. */
  if (stream->next + TFRC_ARRIVAL_LOG_LENGTH <= stream->seq.highest)
    stream->next = stream->seq.highest - TFRC_ARRIVAL_LOG_LENGTH + 1;
}

void
tfrc_arrival_log_on_packet (TfrcArrivalLog *self, uint32_t ssrc, uint16_t seq,
    uint32_t size, uint8_t ecn, TfrcTime now)
{
  TfrcArrivalStream *stream = find_stream (self, ssrc);

  self->bytes += size;
  if (stream == NULL)
    stream = add_stream (self, ssrc, now);
  if (stream != NULL)
    stream->newest_at = now;
  if (stream == NULL || is_stray (stream, seq))
    return;
  note_arrival (stream, tfrc_seq_unwrap16 (&stream->seq, seq), ecn, now);
}

/* Whether all packets that arrived have been reported. */
static bool
is_reported (const TfrcArrivalLog *self)
{
  for (uint32_t i = 0; i < self->n_streams; i++) {
    const TfrcArrivalStream *stream = &self->streams[i];

    if (stream->next != 0 && stream->next <= stream->seq.highest)
      return false;
  }
  return true;
}

/* Counts numbers above those reported.  Late packets below do not count: each of
 * them would trigger a report. */
static bool
is_half_full (const TfrcArrivalLog *self)
{
  for (uint32_t i = 0; i < self->n_streams; i++) {
    const TfrcArrivalStream *stream = &self->streams[i];

    if (stream->next != 0
        && stream->seq.highest - stream->reported
            >= TFRC_ARRIVAL_LOG_LENGTH / 2)
      return true;
  }
  return false;
}

TfrcTime
tfrc_arrival_log_next_deadline (const TfrcArrivalLog *self)
{
  const TfrcArrivalLogConfig *config = &self->config;
  bool affordable = config->share <= 0.0
      || config->share * (double) self->bytes >= (double) self->reported_bytes;

  if (is_reported (self))
    return TFRC_TIME_NONE;
  if (self->reported_at == TFRC_TIME_NONE || is_half_full (self))
    return 0;
  return tfrc_time_add (self->reported_at,
      affordable ? config->interval
                 : tfrc_time_max (config->interval, config->max_interval));
}

/* The highest number has arrived, so nothing is missing after the last packet. */
static size_t
peek_stream (const TfrcArrivalStream *stream, TfrcReportedPacket *packets,
    size_t max, TfrcTime now)
{
  uint16_t missing = 0;
  size_t n = 0;

  for (TfrcSeq number = stream->next;
      number != 0 && number <= stream->seq.highest && n < max; number++) {
    const TfrcLoggedArrival *arrival = find_arrival (stream, number);

    if (arrival == NULL) {
      missing++;
      continue;
    }
    packets[n++] = (TfrcReportedPacket) {
      .ssrc = stream->ssrc,
      .seq = (uint16_t) number,
      .missing = missing,
      .arrived = true,
      .has_time = true,
      .ecn = arrival->ecn,
      .age = tfrc_time_since (arrival->at, now),
    };
    missing = 0;
  }
  return n;
}

size_t
tfrc_arrival_log_peek (const TfrcArrivalLog *self, TfrcReportedPacket *packets,
    size_t max, TfrcTime now)
{
  size_t n = 0;

  for (uint32_t i = 0; i < self->n_streams; i++) {
    n += peek_stream (&self->streams[i], packets + n, max - n, now);
  }
  return n;
}

void
tfrc_arrival_log_on_reported (TfrcArrivalLog *self,
    const TfrcReportedPacket *packets, size_t n, uint32_t size, TfrcTime now)
{
  for (size_t i = 0; i < n; i++) {
    TfrcArrivalStream *stream = find_stream (self, packets[i].ssrc);
    TfrcSeqUnwrapper seq = stream->seq;

    stream->next = tfrc_seq_unwrap16 (&seq, packets[i].seq) + 1;
    if (stream->next > stream->reported + 1)
      stream->reported = stream->next - 1;
  }
  self->report_bytes += size;
  if (!is_reported (self))
    return;
  self->reported_at = now;
  self->reported_bytes = self->report_bytes;
  self->report_bytes = 0;
  self->bytes = 0;
}
