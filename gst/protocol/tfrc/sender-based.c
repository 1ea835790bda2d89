/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc/sender-based.h"

#include <assert.h>
#include <string.h>

static_assert ((TFRC_SENT_LENGTH & (TFRC_SENT_LENGTH - 1)) == 0,
    "the hash wraps in the middle of the log");

/* After so long a silence another receiver may take over.  A stream may lose its
 * place after as long without sending: its newest packets have been reported. */
#define TAKEOVER_TIME (500 * TFRC_MILLISECOND)
/* How far the receiver's clock may be ahead of or behind ours, counted from its
 * first report: as much as packets of one sender may be late
 * (checks/tfrc-receiver.c). */
#define CLOCK_TOLERANCE (2 * TFRC_SECOND)
/* The nofeedback timer then takes 2 s, as before the first report. */
#define MAX_REPORT_DELAY (500 * TFRC_MILLISECOND)
/* A report lowers a larger delay by this fraction. */
#define REPORT_DELAY_DECAY 8
#define ECN_CE 3
#define TRANSPORT_SSRC 0
/* Most packets of one loss that are looked up for their SSRC. */
#define MAX_LOST_PACKETS 64

/* Consecutive packets of a stream have consecutive hashes. */
static uint32_t
hash (uint32_t ssrc, uint16_t seq)
{
  return ((ssrc * 2654435769u >> 16) + seq) % TFRC_SENT_LENGTH;
}

TfrcSenderBasedConfig
tfrc_sender_based_config_default (void)
{
  return (TfrcSenderBasedConfig) {
    .receiver = tfrc_receiver_config_default (),
  };
}

void
tfrc_sender_based_init (TfrcSenderBased *self,
    const TfrcSenderBasedConfig *config)
{
  self->config = *config;
  tfrc_receiver_init (&self->receiver, &config->receiver);
  self->n_streams = 0;
  self->n_sent = 0;
  self->losses_reported = 0;
  memset (self->newest_of, 0, sizeof self->newest_of);
  memset (self->numbered, 0, sizeof self->numbered);
  self->counters = (TfrcSenderBasedCounters) { 0 };
  self->has_report = false;
  self->now = self->made_at = self->clock_excess = 0;
  self->resolution = self->longest = self->report_delay = 0;
  self->contiguous = false;
  self->echo_sent_at = self->newest_sent_at = 0;
}

void
tfrc_sender_based_forget (TfrcSenderBased *self)
{
  tfrc_receiver_forget (&self->receiver);
  self->has_report = false;
}

/* Returns n_streams if there is none. */
static uint32_t
find_stream (const TfrcSenderBased *self, uint32_t ssrc)
{
  uint32_t i;

  for (i = 0; i < self->n_streams && self->streams[i].ssrc != ssrc; i++)
    continue;
  return i;
}

static TfrcSentStream *
find_oldest_stream (TfrcSenderBased *self)
{
  TfrcSentStream *stream = &self->streams[0];

  for (uint32_t i = 1; i < self->n_streams && i < TFRC_MAX_STREAMS; i++) {
    if (self->streams[i].sent_at < stream->sent_at)
      stream = &self->streams[i];
  }
  return stream;
}

/* If there is no free place, takes that of the stream silent for longest. */
static TfrcSentStream *
add_stream (TfrcSenderBased *self, uint32_t ssrc, uint64_t since, TfrcTime now)
{
  TfrcSentStream *stream;

  if (self->n_streams < TFRC_MAX_STREAMS) {
    stream = &self->streams[self->n_streams++];
  } else {
    stream = find_oldest_stream (self);
    if (ssrc != TRANSPORT_SSRC
        && tfrc_time_since (stream->sent_at, now) < TAKEOVER_TIME)
      return NULL;
    tfrc_receiver_remove_stream (&self->receiver, stream->ssrc);
  }
  *stream = (TfrcSentStream) { .ssrc = ssrc, .since = since };
  return stream;
}

/* Returns NULL if there is no place. */
static TfrcSentStream *
get_stream (TfrcSenderBased *self, uint32_t ssrc, uint64_t since, TfrcTime now)
{
  uint32_t i = find_stream (self, ssrc);

  return i < self->n_streams ? &self->streams[i]
                             : add_stream (self, ssrc, since, now);
}

bool
tfrc_sender_based_on_sent (TfrcSenderBased *self, uint32_t ssrc, uint16_t seq,
    uint32_t size, const TfrcExtension *extension, TfrcTime now)
{
  TfrcSentStream *stream = get_stream (self, ssrc, self->n_sent + 1, now);
  uint64_t *newest;

  if (stream == NULL)
    return false;
  stream->sent_at = now;
  stream->seq = seq;
  newest = &self->newest_of[hash (ssrc, seq)];
  self->sent[++self->n_sent % TFRC_SENT_LENGTH] = (TfrcSentPacket) {
    .number = ++stream->newest,
    .older = *newest,
    .sent_at = now,
    .extension = *extension,
    .size = size,
    .bytes = stream->bytes += size,
    .ssrc = ssrc,
    .seq = seq,
  };
  *newest = self->n_sent;
  return true;
}

void
tfrc_sender_based_on_numbered (TfrcSenderBased *self, uint16_t seq)
{
  TfrcSentPacket *sent = &self->sent[self->n_sent % TFRC_SENT_LENGTH];
  TfrcSentStream *stream = get_stream (self, TRANSPORT_SSRC, self->n_sent,
      sent->sent_at);

  stream->sent_at = sent->sent_at;
  stream->seq = sent->transport_seq = seq;
  stream->bytes += sent->size;
  sent->transport_number = ++stream->newest;
  self->numbered[seq % TFRC_SENT_LENGTH] = self->n_sent;
}

/* Whether the packet has a transport-wide sequence number besides its own. */
static bool
is_numbered (const TfrcSentPacket *sent, uint32_t ssrc)
{
  return ssrc == TRANSPORT_SSRC && sent->ssrc != TRANSPORT_SSRC;
}

static TfrcSeq *
number_of (TfrcSentPacket *sent, uint32_t ssrc)
{
  return is_numbered (sent, ssrc) ? &sent->transport_number : &sent->number;
}

/* Returns 0 if there is none, or it was sent too long ago. */
static uint64_t
find_numbered (const TfrcSenderBased *self, uint64_t oldest, uint16_t seq)
{
  uint64_t index = self->numbered[seq % TFRC_SENT_LENGTH];
  const TfrcSentPacket *sent = &self->sent[index % TFRC_SENT_LENGTH];

  return index >= oldest && sent->transport_seq == seq
          && sent->transport_number != 0
      ? index
      : 0;
}

/* Its index; 0 if it was not sent, was sent too long ago, or belongs to an earlier
 * stream with that SSRC. */
static uint64_t
find_packet (const TfrcSenderBased *self, uint32_t stream, uint16_t seq)
{
  uint64_t oldest = self->n_sent < TFRC_SENT_LENGTH
      ? 1
      : self->n_sent - TFRC_SENT_LENGTH + 1;
  const TfrcSentPacket *sent;
  uint32_t ssrc;

  if (stream == self->n_streams)
    return 0;
  ssrc = self->streams[stream].ssrc;
  if (oldest < self->streams[stream].since)
    oldest = self->streams[stream].since;
  if (ssrc == TRANSPORT_SSRC && find_numbered (self, oldest, seq) != 0)
    return find_numbered (self, oldest, seq);
  for (uint64_t i = self->newest_of[hash (ssrc, seq)]; i >= oldest;
      i = sent->older) {
    sent = &self->sent[i % TFRC_SENT_LENGTH];
    if (sent->ssrc == ssrc && sent->seq == seq && sent->number != 0)
      return i;
  }
  return 0;
}

void
tfrc_sender_based_take_back (TfrcSenderBased *self, uint32_t ssrc, uint16_t seq)
{
  uint32_t i = find_stream (self, ssrc);
  uint64_t index = find_packet (self, i, seq);
  TfrcSentPacket *sent = &self->sent[index % TFRC_SENT_LENGTH];

  if (index == 0 || *number_of (sent, ssrc) != self->streams[i].newest)
    return;
  *number_of (sent, ssrc) = 0;
  self->streams[i].seq--;
  self->streams[i].newest--;
  self->streams[i].bytes -= sent->size;
}

const TfrcSentPacket *
tfrc_sender_based_find_sent (const TfrcSenderBased *self, uint32_t ssrc,
    uint16_t seq)
{
  uint64_t index = find_packet (self, find_stream (self, ssrc), seq);

  return index == 0 ? NULL : &self->sent[index % TFRC_SENT_LENGTH];
}

uint64_t
tfrc_sender_based_get_sent_bytes (const TfrcSenderBased *self, uint32_t ssrc)
{
  uint32_t i = find_stream (self, ssrc);

  return i < self->n_streams ? self->streams[i].bytes : 0;
}

/* A clock that was set, stood, or lies, neither stops time here nor speeds it up: a step
 * beyond the tolerance ends there, and the clock goes on from where it was taken to be,
 * within the same bounds. */
static TfrcTime
bound_clock (const TfrcSenderBased *self, TfrcTime at)
{
  const int64_t most = (int64_t) CLOCK_TOLERANCE;
  int64_t ahead = (int64_t) (at - self->now);

  if (ahead < -most || ahead > most)
    ahead = (int64_t) (at - self->clock_excess - self->now);
  if (ahead < 0)
    return tfrc_time_sub (self->now,
        (TfrcDuration) (ahead < -most ? most : -ahead));
  return self->now + (TfrcDuration) (ahead > most ? most : ahead);
}

/* When the report was made, by the receiver's clock, unwrapped and counted from our
 * time of its first report. */
static void
follow_clock (TfrcSenderBased *self, const TfrcPacketReport *report)
{
  TfrcDuration period = report->clock_period;
  TfrcDuration forward = (report->clock + period - self->clock) % period;
  bool newer = !self->has_report || forward <= period / 2;
  TfrcTime at = self->now;

  if (self->has_report)
    at = self->clock_at + forward - (newer ? 0 : period);
  self->made_at = bound_clock (self, at);
  self->contiguous = self->has_report && report->counted && self->counted
      && report->count == (uint8_t) (self->count + 1);
  if (!newer && period - forward <= CLOCK_TOLERANCE)
    return;
  self->clock = report->clock;
  self->clock_at = at;
  self->clock_excess = at - self->made_at;
  self->counted = report->counted;
  self->count = report->count;
}

bool
tfrc_sender_based_has_receiver (const TfrcSenderBased *self, TfrcTime now)
{
  return self->has_report
      && tfrc_time_since (self->reported_at, now)
      < tfrc_time_max (TAKEOVER_TIME, 4 * self->report_delay);
}

TfrcResult
tfrc_sender_based_begin_report (TfrcSenderBased *self,
    const TfrcPacketReport *report, TfrcTime now)
{
  if (self->has_report && report->reporter_ssrc != self->reporter_ssrc) {
    if (tfrc_sender_based_has_receiver (self, now))
      return TFRC_FOREIGN;
    /* Another receiver: the losses of the previous one do not apply to it. */
    tfrc_sender_based_forget (self);
  }
  self->counters.reports++;
  self->newest_sent_at = 0;
  self->now = tfrc_time_max (self->now, now);
  self->resolution = report->resolution;
  self->longest = 0;
  follow_clock (self, report);
  self->reporter_ssrc = report->reporter_ssrc;
  self->reported_at = self->now;
  self->has_report = true;
  return TFRC_OK;
}

/* The report covers the numbers `first` to `last`.  Numbers before these may not
 * have been covered by any report.  If a report was lost, nothing is known of those
 * packets, and they are skipped.  If none was lost, the receiver leaves out what is
 * missing between two reports, and they count as lost. */
static void
cover (TfrcSenderBased *self, TfrcSentStream *stream, TfrcSeq first,
    TfrcSeq last)
{
  if (first > stream->covered + 1
      && (!self->contiguous || stream->covered == 0)) {
    stream->skipped += first - stream->covered - 1;
    stream->skipped_before = first;
  }
  if (last > stream->covered)
    stream->covered = last;
}

/* Runs the timers up to `at`.  The feedback timer expires once without new packets,
 * then stops, and each hole is lost once, so this ends. */
static void
expire_until (TfrcSenderBased *self, TfrcTime at)
{
  TfrcTime deadline;

  while ((deadline = tfrc_receiver_next_deadline (&self->receiver)) <= at)
    tfrc_receiver_on_deadline (&self->receiver, deadline);
}

/* Returns whether the receiver accepts the packet, and its arrival time is known. */
static bool
receive (TfrcSenderBased *self, const TfrcSentStream *stream, TfrcSeq number,
    const TfrcSentPacket *sent, const TfrcReportedPacket *packet)
{
  TfrcDataPacket data = {
    .ssrc = stream->ssrc,
    .seq = (uint16_t) (number - stream->skipped),
    .size = sent->size,
    .congestion_marked = packet->ecn == ECN_CE && !self->config.l4s,
    .has_extension = packet->has_time,
    .extension = sent->extension,
  };
  TfrcTime at = self->receiver.now;

  if (packet->has_time) {
    at = tfrc_time_sub (self->made_at, packet->age);
    self->longest = tfrc_time_max (self->longest, packet->age);
  }
  expire_until (self, at);
  if (tfrc_receiver_on_packet (&self->receiver, &data, at) != TFRC_OK
      || !packet->has_time)
    return false;
  if (self->receiver.echo.send_time_us == sent->extension.send_time_us)
    self->echo_sent_at = sent->sent_at;
  return true;
}

const TfrcSentPacket *
tfrc_sender_based_on_packet (TfrcSenderBased *self,
    const TfrcReportedPacket *packet)
{
  uint32_t i = find_stream (self, packet->ssrc);
  TfrcSentStream *stream = &self->streams[i];
  uint64_t index = find_packet (self, i, packet->seq);
  TfrcSentPacket *sent = &self->sent[index % TFRC_SENT_LENGTH];
  TfrcSeq number;
  bool *arrived;

  if (index == 0) {
    self->counters.packets_unknown += packet->arrived;
    return NULL;
  }
  number = *number_of (sent, packet->ssrc);
  arrived = is_numbered (sent, packet->ssrc)
      ? &sent->transport_arrived
      : &sent->arrived;
  cover (self, stream, number > packet->missing ? number - packet->missing : 1,
      number);
  /* Only the first report of an arrival counts.  A packet reported too late can no
   * longer be placed. */
  if (!packet->arrived || *arrived || number < stream->skipped_before)
    return NULL;
  *arrived = true;
  self->newest_sent_at = tfrc_time_max (self->newest_sent_at, sent->sent_at);
  return receive (self, stream, number, sent, packet) ? sent : NULL;
}

TfrcTime
tfrc_sender_based_get_arrival (const TfrcSenderBased *self)
{
  return self->receiver.now + self->clock_excess;
}

void
tfrc_sender_based_end_report (TfrcSenderBased *self)
{
  expire_until (self, self->made_at);
  self->report_delay -= self->report_delay / REPORT_DELAY_DECAY;
  self->report_delay = tfrc_sender_based_get_report_delay (self);
}

bool
tfrc_sender_based_poll_feedback (TfrcSenderBased *self, TfrcFeedback *feedback)
{
  TfrcDuration age = tfrc_time_since (self->echo_sent_at, self->now);

  if (!tfrc_receiver_poll_feedback (&self->receiver, feedback, self->made_at))
    return false;
  /* R_sample cannot be less than the resolution of the report's times.  If it is
   * negative by more than that, something is wrong, and the sender refuses the
   * report. */
  if (feedback->echo_delay <= age + self->resolution)
    feedback->echo_delay = tfrc_time_min (feedback->echo_delay,
        tfrc_time_sub (age, self->resolution));
  return true;
}

/* SSRC of the first packet of the run, found by its transport-wide sequence number;
 * 0: not known. */
static uint32_t
find_ssrc (const TfrcSenderBased *self, const TfrcLoss *run)
{
  uint32_t i = find_stream (self, TRANSPORT_SSRC);
  const TfrcSentStream *stream = &self->streams[i];
  uint64_t index;

  if (i == self->n_streams)
    return 0;
  index = find_packet (self, i,
      (uint16_t) (run->seq + stream->skipped + stream->seq - stream->newest));
  return index == 0 ? 0 : self->sent[index % TFRC_SENT_LENGTH].ssrc;
}

bool
tfrc_sender_based_poll_lost (TfrcSenderBased *self, uint32_t *ssrc)
{
  TfrcReceiver *receiver = &self->receiver;

  if (receiver->n_losses - self->losses_reported > TFRC_RECENT_LOSSES)
    self->losses_reported = receiver->n_losses - TFRC_RECENT_LOSSES;
  while (self->losses_reported < receiver->n_losses) {
    TfrcLoss *run =
        &receiver->losses[self->losses_reported % TFRC_RECENT_LOSSES];

    *ssrc = run->ssrc == TRANSPORT_SSRC ? find_ssrc (self, run) : run->ssrc;
    run->seq++;
    if (run->count > MAX_LOST_PACKETS)
      run->count = MAX_LOST_PACKETS;
    if (run->ssrc != TRANSPORT_SSRC || --run->count == 0)
      self->losses_reported++;
    if (*ssrc != 0)
      return true;
  }
  return false;
}

TfrcDuration
tfrc_sender_based_get_report_delay (const TfrcSenderBased *self)
{
  return tfrc_time_max (self->report_delay,
      tfrc_time_min (self->longest, MAX_REPORT_DELAY));
}
