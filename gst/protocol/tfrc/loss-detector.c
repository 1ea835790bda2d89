/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfrc/loss-detector.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* The next packet may be later: a falling rate spaces out the packets that overtake
 * it. */
#define MARGIN 2
/* RFC 8985 section 6.2 step 4 keeps the window for 16 recoveries. */
#define MEMORY 16

void
tfrc_reordering_init (TfrcReordering *self, bool adaptive)
{
  *self = (TfrcReordering) { .adaptive = adaptive };
}

void
tfrc_reordering_on_late (TfrcReordering *self, TfrcDuration lateness,
    TfrcDuration rtt)
{
  if (!self->adaptive || lateness > rtt)
    return;
  self->newest = tfrc_time_max (self->newest, MARGIN * lateness);
  self->tolerance = tfrc_time_max (self->tolerance, self->newest);
}

void
tfrc_reordering_on_loss (TfrcReordering *self)
{
  if (++self->losses < MEMORY)
    return;
  self->tolerance = self->newest;
  self->newest = 0;
  self->losses = 0;
}

TfrcDuration
tfrc_reordering_get_tolerance (const TfrcReordering *self, TfrcDuration rtt)
{
  return tfrc_time_min (self->tolerance, rtt);
}

/* Silence longer than this many RTTs, and this many packet intervals, is an outage. */
#define OUTAGE_FACTOR 4

/* insert_hole () drops a lost hole to make room.  TFRC_MAX_WAITING holes may not be
 * lost yet, and a packet adds one. */
static_assert (TFRC_MAX_WAITING >= TFRC_NDUPACK
        && TFRC_MAX_HOLES > TFRC_MAX_WAITING + 1,
    "no place for a new hole");

static void
stream_init (TfrcStream *self, uint32_t ssrc)
{
  memset (self, 0, sizeof *self);
  self->ssrc = ssrc;
}

static void
start (TfrcStream *self, uint16_t seq, TfrcFlow *flow, TfrcTime now)
{
  self->first_seq = tfrc_seq_unwrap16 (&self->unwrapper, seq);
  self->newest_at = now;
  self->older_mark.at = now;
  self->older_mark.seq = self->first_seq;
  self->newer_mark = self->older_mark;
  flow->highest++;
}

/* Inserts a hole in front of hole `i`.  If there is no room, the oldest hole,
 * declared lost long ago, is dropped. */
static void
insert_hole (TfrcStream *self, uint32_t i, const TfrcHole *hole)
{
  TfrcHole *holes = self->holes;

  if (self->n_holes == TFRC_MAX_HOLES) {
    assert (self->n_lost > 0 && i > 0);
    self->n_holes--;
    self->n_lost--;
    i--;
    memmove (holes, holes + 1, self->n_holes * sizeof *holes);
  }
  memmove (holes + i + 1, holes + i, (self->n_holes - i) * sizeof *holes);
  holes[i] = *hole;
  self->n_holes++;
}

/* Mean time between packets as the sender numbered them, over the last one to two
 * RTTs; TFRC_TIME_NONE after only one packet. */
static TfrcDuration
mean_spacing (const TfrcStream *self)
{
  TfrcSeq count = self->unwrapper.highest - self->older_mark.seq;

  return count == 0 ? TFRC_TIME_NONE
                    : (self->newest_at - self->older_mark.at) / count;
}

static bool
is_outage (const TfrcStream *self, const TfrcFlow *flow, TfrcTime now)
{
  TfrcDuration gap = now - flow->newest_at;

  /* A division is only needed for a long gap. */
  return flow->detect_outages && gap > OUTAGE_FACTOR * flow->rtt
      && gap / OUTAGE_FACTOR > mean_spacing (self);
}

/* RFC 5348 section 5.2: lost packets would have arrived evenly spread between
 * S_before and S_after.
 *
 * An outage is different (deviation D12).  If no packet of the flow arrived for
 * longer than four RTTs, the sender's nofeedback timer has cut the rate repeatedly
 * meanwhile, so most of the lost packets were sent at the beginning, as densely as
 * those before.  Spread over the whole gap, they would lie more than an RTT apart,
 * each would be a loss event, and p would go to 1. */
static void
add_hole (TfrcStream *self, uint32_t count, const TfrcFlow *flow, TfrcTime now)
{
  TfrcDuration spacing = (now - self->newest_at) / ((TfrcDuration) count + 1);
  TfrcHole hole = {
    .first_seq = self->unwrapper.highest + 1,
    .seen_at = now,
    .seen_packets = flow->packets,
  };

  if (is_outage (self, flow, now))
    spacing = tfrc_time_min (spacing, mean_spacing (self));
  hole.run.first = flow->highest + 1;
  hole.run.count = count;
  hole.run.first_at = self->newest_at + spacing;
  hole.run.spacing = spacing;
  insert_hole (self, self->n_holes, &hole);
}

static void
advance (TfrcStream *self, TfrcSeq seq, TfrcFlow *flow, TfrcTime now)
{
  uint32_t missing = (uint32_t) (seq - self->unwrapper.highest - 1);
  TfrcSpacingMark mark = { .at = now, .seq = seq };
  bool outage = is_outage (self, flow, now);

  if (missing > 0)
    add_hole (self, missing, flow, now);
  for (uint32_t i = self->n_lost; i < self->n_holes; i++)
    self->holes[i].later++;

  self->unwrapper.highest = seq;
  self->newest_at = now;
  flow->highest += missing + 1;
  if (outage) {
    self->older_mark = mark;
    self->newer_mark = mark;
  } else if (now - self->newer_mark.at >= flow->rtt) {
    self->older_mark = self->newer_mark;
    self->newer_mark = mark;
  }
}

/* Takes one packet out of hole `i` and returns its flow position.  The parts on
 * either side remain holes, declared lost or not as before. */
static TfrcSeq
fill_hole (TfrcStream *self, uint32_t i, TfrcSeq seq)
{
  TfrcHole above = self->holes[i];
  TfrcHole *below = &self->holes[i];
  uint32_t n_below = (uint32_t) (seq - below->first_seq);
  TfrcSeq position = below->run.first + n_below;
  bool lost = i < self->n_lost;

  above.first_seq = seq + 1;
  above.run.first = position + 1;
  above.run.count -= n_below + 1;
  above.run.first_at += (n_below + 1) * above.run.spacing;
  below->run.count = n_below;
  for (uint32_t j = self->n_lost; j <= i; j++)
    self->holes[j].later++;

  if (n_below == 0 && above.run.count > 0) {
    *below = above;
  } else if (n_below == 0) {
    self->n_holes--;
    self->n_lost -= lost ? 1 : 0;
    memmove (below, below + 1, (self->n_holes - i) * sizeof *below);
  } else if (above.run.count > 0) {
    self->n_lost += lost ? 1 : 0;
    insert_hole (self, i + 1, &above);
  }
  return position;
}

/* Index of the hole that contains `seq`, or n_holes. */
static uint32_t
find_hole (const TfrcStream *self, TfrcSeq seq)
{
  for (uint32_t i = self->n_holes; i > 0; i--) {
    const TfrcHole *hole = &self->holes[i - 1];

    if (seq >= hole->first_seq + hole->run.count)
      break;
    if (seq >= hole->first_seq)
      return i - 1;
  }
  return self->n_holes;
}

/* RFC 3550 appendix A.1: two packets in a row show that the source restarted its
 * sequence numbers.  Stricter than there, no packet of the old sequence may come in
 * between, so that a burst of old duplicates in a live stream is not taken for a
 * restart. */
static TfrcArrival
on_jump (TfrcStream *self, uint16_t seq)
{
  if (self->suspicious && seq == self->expected)
    return TFRC_ARRIVAL_RESET;
  self->suspicious = true;
  self->expected = (uint16_t) (seq + 1);
  return TFRC_ARRIVAL_UNPROVEN;
}

/* Reordering does not make so many packets in a row late: they are the stream, and the
 * highest number was no packet of it. */
static bool
is_the_stream (TfrcStream *self, uint16_t seq)
{
  self->n_old = seq == self->expected ? self->n_old + 1 : 1;
  self->expected = (uint16_t) (seq + 1);
  return self->n_old > TFRC_MAX_MISORDER;
}

/* Packets from `seq` in hole `i` on that were declared lost. */
static uint64_t
count_lost_from (const TfrcStream *self, uint32_t i, TfrcSeq seq)
{
  uint64_t count = self->holes[i].run.count - (seq - self->holes[i].first_seq);

  while (++i < self->n_lost)
    count += self->holes[i].run.count;
  return count;
}

/* A large hole is accepted if the gap was long enough for that many packets, within
 * a factor of two. */
static bool
is_plausible (const TfrcStream *self, TfrcSeq count, TfrcTime now)
{
  TfrcDuration spacing;

  if (count <= TFRC_MAX_DROPOUT)
    return true;
  spacing = mean_spacing (self);
  return spacing > 0 && spacing <= 2 * (now - self->newest_at) / count;
}

/* Sets *position for NEW, FILLED and REPAIRED, and advances flow->highest for NEW.
 * For RESET the stream is not changed: the caller gives up what is missing, initializes
 * the stream and hands the packet in again. */
static TfrcArrival
stream_on_packet (TfrcStream *self, uint16_t seq, TfrcFlow *flow,
    TfrcSeq *position, TfrcTime now)
{
  TfrcSeqUnwrapper trial = self->unwrapper;
  TfrcSeq highest = self->unwrapper.highest;
  TfrcSeq value = tfrc_seq_unwrap16 (&trial, seq);
  TfrcArrival arrival = TFRC_ARRIVAL_NEW;
  uint32_t i;

  if (!self->unwrapper.started) {
    start (self, seq, flow, now);
    *position = flow->highest;
  } else if (value > highest) {
    if (!is_plausible (self, value - highest - 1, now))
      return on_jump (self, seq);
    advance (self, value, flow, now);
    self->n_old = 0;
    *position = flow->highest;
  } else if ((i = find_hole (self, value)) < self->n_holes) {
    if (i < self->n_lost && highest - value > TFRC_MAX_MISORDER
        && is_the_stream (self, seq)) {
      flow->packets_unsent += count_lost_from (self, i, value);
      return TFRC_ARRIVAL_RESET;
    }
    arrival = i < self->n_lost ? TFRC_ARRIVAL_REPAIRED : TFRC_ARRIVAL_FILLED;
    /* If fewer packets overtook it, it was never about to be declared lost. */
    if (self->holes[i].later >= TFRC_NDUPACK)
      tfrc_reordering_on_late (&flow->reordering, now - self->holes[i].seen_at,
          flow->rtt);
    *position = fill_hole (self, i, value);
  } else if (highest - value > TFRC_MAX_MISORDER) {
    return on_jump (self, seq);
  } else {
    return value < self->first_seq ? TFRC_ARRIVAL_STALE
                                   : TFRC_ARRIVAL_DUPLICATE;
  }
  self->suspicious = false;
  self->last_at = now;
  return arrival;
}

/* Takes the next hole as lost at once, as no more packets of the SSRC are expected. */
static bool
stream_give_up (TfrcStream *self, TfrcLossRun *run)
{
  if (self->n_lost == self->n_holes)
    return false;
  *run = self->holes[self->n_lost].run;
  run->seq = (uint16_t) self->holes[self->n_lost].first_seq;
  self->n_lost++;
  return true;
}

/* RFC 5348 section 5.1: "at least NDUPACK packets with a higher sequence number
 * than the lost packet", and in addition the time for reordering.  A sparse stream
 * would wait long for three packets of its own: there, three of the flow and one
 * RTT are enough. */
static TfrcTime
stream_next_deadline (const TfrcStream *self, const TfrcFlow *flow)
{
  const TfrcHole *hole = &self->holes[self->n_lost];

  if (self->n_lost == self->n_holes)
    return TFRC_TIME_NONE;
  if (hole->later >= TFRC_NDUPACK)
    return tfrc_time_add (hole->seen_at,
        tfrc_reordering_get_tolerance (&flow->reordering, flow->rtt));
  if (flow->rtt == 0 || flow->packets - hole->seen_packets < TFRC_NDUPACK)
    return TFRC_TIME_NONE;
  return tfrc_time_add (hole->seen_at, flow->rtt);
}

/* Takes the next hole that is lost by now. */
static bool
stream_poll_loss (TfrcStream *self, TfrcFlow *flow, TfrcLossRun *run,
    TfrcTime now)
{
  if (self->n_lost == self->n_holes)
    return false;
  /* A packet above a hole is above all lower holes too, and arrived no earlier
   * after these, so holes become lost in order. */
  if (self->n_holes - self->n_lost <= TFRC_MAX_WAITING
      && stream_next_deadline (self, flow) > now)
    return false;
  tfrc_reordering_on_loss (&flow->reordering);
  return stream_give_up (self, run);
}

static_assert (TFRC_MAX_STREAMS >= 1, "no place for a stream");

/* A stream that has been silent for this long may lose its place to another one. */
#define SILENCE (500 * TFRC_MILLISECOND)

void
tfrc_loss_detector_init (TfrcLossDetector *self, bool adaptive, bool outages)
{
  memset (self, 0, offsetof (TfrcLossDetector, streams));
  self->flow.detect_outages = outages;
  tfrc_reordering_init (&self->flow.reordering, adaptive);
}

/* At most TFRC_MAX_WAITING holes of a stream are waiting, see stream_poll_loss (). */
static void
give_up (TfrcLossDetector *self, TfrcStream *stream)
{
  self->pending_ssrc = stream->ssrc;
  while (self->n_pending < TFRC_MAX_WAITING
      && stream_give_up (stream, &self->pending[self->n_pending]))
    self->n_pending++;
}

/* Active streams keep their places: if streams took turns, none would stay long
 * enough for a loss to be detected. */
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
  stream_init (&self->streams[place], ssrc);
  return &self->streams[place];
}

/* Returns NULL if other SSRCs have all places. */
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

/* RFC 5348 section 5.1: a marked packet is a congestion event on arrival, at its
 * actual arrival time (5.2). */
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
  arrival = stream_on_packet (stream, packet->seq, &self->flow, &position, now);
  if (arrival == TFRC_ARRIVAL_RESET) {
    self->stream_resets++;
    give_up (self, stream);
    stream_init (stream, packet->ssrc);
    arrival = stream_on_packet (stream, packet->seq, &self->flow, &position,
        now);
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
        stream_next_deadline (&self->streams[i], &self->flow));
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
    if (stream_poll_loss (&self->streams[i], &self->flow, run, self->now))
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
