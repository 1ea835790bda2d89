/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc/loss-detector.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static_assert (TFRC_MAX_STREAMS >= 1, "no place for a stream");

/* Of a stream, before another one may have its place. */
#define SILENCE (500 * TFRC_MILLISECOND)

void
tfrc_loss_detector_init (TfrcLossDetector *self, bool adaptive, bool outages)
{
  memset (self, 0, offsetof (TfrcLossDetector, streams));
  self->flow.detect_outages = outages;
  tfrc_reordering_init (&self->flow.reordering, adaptive);
}

/* At most TFRC_MAX_WAITING holes of a stream wait, see
 * tfrc_stream_poll_loss (). */
static void
give_up (TfrcLossDetector *self, TfrcStream *stream)
{
  self->pending_ssrc = stream->ssrc;
  while (self->n_pending < TFRC_MAX_WAITING
      && tfrc_stream_give_up (stream, &self->pending[self->n_pending]))
    self->n_pending++;
}

/* Those that are heard keep their places: were they to take turns, none would be
 * there for long enough to lose anything. */
static TfrcStream *
add_stream (TfrcLossDetector *self, uint32_t ssrc)
{
  uint16_t place = 0;

  if (self->n_streams < TFRC_MAX_STREAMS) {
    place = self->n_streams++;
  } else {
    for (uint16_t i = 1; i < TFRC_MAX_STREAMS; i++) {
      if (self->streams[i].last_at < self->streams[place].last_at)
        place = i;
    }
    if (tfrc_time_since (self->streams[place].last_at, self->now) < SILENCE)
      return NULL;
    give_up (self, &self->streams[place]);
  }
  self->newest = place;
  tfrc_stream_init (&self->streams[place], ssrc);
  return &self->streams[place];
}

/* NULL: all places are those of others. */
static TfrcStream *
get_stream (TfrcLossDetector *self, uint32_t ssrc)
{
  if (self->n_streams > 0 && self->streams[self->newest].ssrc == ssrc)
    return &self->streams[self->newest];
  for (uint16_t i = 0; i < self->n_streams; i++) {
    if (self->streams[i].ssrc == ssrc) {
      self->newest = i;
      return &self->streams[i];
    }
  }
  return add_stream (self, ssrc);
}

/* RFC 5348 section 5.1: a marked packet is a congestion event as it arrives,
 * at its real arrival time (5.2). */
static void
add_mark (TfrcLossDetector *self, TfrcSeq position, TfrcTime now)
{
  TfrcLossRun *run = &self->pending[self->n_pending];

  assert (self->n_pending <= TFRC_MAX_WAITING);
  self->n_pending++;
  run->first = position;
  run->count = 1;
  run->first_at = now;
  run->spacing = 0;
  run->marked = true;
}

TfrcArrival
tfrc_loss_detector_on_packet (TfrcLossDetector *self,
    const TfrcDataPacket *packet, TfrcDuration rtt, TfrcTime now)
{
  TfrcStream *stream;
  TfrcSeq position = 0;
  TfrcArrival arrival;

  assert (now >= self->now);
  self->now = now;
  stream = get_stream (self, packet->ssrc);
  self->flow.rtt = rtt;
  if (self->flow.packets == 0)
    self->flow.newest_at = now;

  if (stream == NULL) {
    self->flow.packets++;
    self->flow.newest_at = now;
    return TFRC_ARRIVAL_NEW;
  }
  arrival = tfrc_stream_on_packet (stream, packet->seq, &self->flow, &position,
      now);
  if (arrival == TFRC_ARRIVAL_RESET) {
    self->stream_resets++;
    give_up (self, stream);
    tfrc_stream_init (stream, packet->ssrc);
    arrival = tfrc_stream_on_packet (stream, packet->seq, &self->flow,
        &position, now);
  }
  if (position == 0)
    return arrival;

  self->flow.packets++;
  self->flow.newest_at = now;
  if (arrival == TFRC_ARRIVAL_REPAIRED) {
    self->has_repair = true;
    self->repair = position;
  }
  if (packet->congestion_marked)
    add_mark (self, position, now);
  return arrival;
}

bool
tfrc_loss_detector_knows (const TfrcLossDetector *self, uint32_t ssrc)
{
  for (uint32_t i = 0; i < self->n_streams; i++) {
    if (self->streams[i].ssrc == ssrc)
      return true;
  }
  return false;
}

TfrcTime
tfrc_loss_detector_next_deadline (const TfrcLossDetector *self)
{
  TfrcTime deadline = TFRC_TIME_NONE;

  for (uint32_t i = 0; i < self->n_streams; i++)
    deadline = tfrc_time_min (deadline,
        tfrc_stream_next_deadline (&self->streams[i], &self->flow));
  return deadline;
}

void
tfrc_loss_detector_on_deadline (TfrcLossDetector *self, TfrcTime now)
{
  assert (now >= self->now);
  self->now = now;
}

bool
tfrc_loss_detector_poll_repair (TfrcLossDetector *self, TfrcSeq *position)
{
  if (!self->has_repair)
    return false;
  self->has_repair = false;
  *position = self->repair;
  return true;
}

bool
tfrc_loss_detector_poll_loss (TfrcLossDetector *self, TfrcLossRun *run)
{
  if (self->n_pending > 0) {
    self->n_pending--;
    *run = self->pending[0];
    self->lost_ssrc = self->pending_ssrc;
    memmove (self->pending, self->pending + 1, self->n_pending * sizeof *run);
    return true;
  }
  for (uint32_t i = 0; i < self->n_streams; i++) {
    self->lost_ssrc = self->streams[i].ssrc;
    if (tfrc_stream_poll_loss (&self->streams[i], &self->flow, run, self->now))
      return true;
  }
  return false;
}

void
tfrc_loss_detector_remove_stream (TfrcLossDetector *self, uint32_t ssrc)
{
  for (uint32_t i = 0; i < self->n_streams; i++) {
    if (self->streams[i].ssrc != ssrc)
      continue;
    give_up (self, &self->streams[i]);
    self->n_streams--;
    self->streams[i] = self->streams[self->n_streams];
    self->newest = 0;
    return;
  }
}
