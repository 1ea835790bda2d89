/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judges what comes back; see the header. */
#include "rtp-circuit-breaker.h"

#include <math.h>
#include <stddef.h>

#define MEDIA_TIMEOUT_FACTOR 5  /* k of section 4.2 */
#define CONGESTION_FACTOR 10.0  /* section 4.3: "10 times" */
#define SMOOTHING 5             /* Tr = 0.8 Tr + 0.2 new */

/* Frames that are further apart are no measure of Tf: the source paused. */
#define MAX_FRAME_INTERVAL TFRC_SECOND

static RtpCircuitBreakerStream *find_stream (RtpCircuitBreaker *self,
    uint32_t ssrc);
static RtpCircuitBreakerStream *add_stream (RtpCircuitBreaker *self,
    uint32_t ssrc);
static void count_frame (RtpCircuitBreakerStream *stream, uint32_t timestamp,
    uint32_t size, TfrcTime now);
static void begin_reports (RtpCircuitBreakerStream *stream,
    const RtpReportBlock *block, TfrcTime now);
static void note_progress (RtpCircuitBreaker *self);
static void close_interval (RtpCircuitBreakerStream *stream, TfrcTime now);
static bool media_is_lost (const RtpCircuitBreaker *self,
    RtpCircuitBreakerStream *stream);
static bool is_congested (const RtpCircuitBreaker *self,
    const RtpCircuitBreakerStream *stream);
static void hear (RtpCircuitBreaker *self, TfrcTime now);
static void trip (RtpCircuitBreaker *self, RtpCircuitBreakerState state,
    uint32_t ssrc, TfrcTime now);
static void restart (RtpCircuitBreaker *self, TfrcTime now);
static void forget_reports (RtpCircuitBreaker *self, TfrcTime now);
static TfrcDuration smooth (TfrcDuration old, TfrcDuration sample);

void
rtp_circuit_breaker_init (RtpCircuitBreaker *self, bool group)
{
  *self = (RtpCircuitBreaker) {
    .group = group,
    .state = RTP_CIRCUIT_BREAKER_CLOSED,
    .silent_since = TFRC_TIME_NONE,
    .closed_at = TFRC_TIME_NONE,
  };
}

void
rtp_circuit_breaker_on_sent (RtpCircuitBreaker *self, uint32_t ssrc,
    uint32_t timestamp, uint32_t size, TfrcTime now)
{
  RtpCircuitBreakerStream *stream = find_stream (self, ssrc);

  /* Section 4.1 is for who "is sending data": after a pause nobody owes a
   * report yet. */
  if (self->silent_since == TFRC_TIME_NONE
      || tfrc_time_since (self->sent_at, now) >= RTP_CIRCUIT_BREAKER_TD)
    self->silent_since = now;
  self->sent_at = now;
  if (self->group)
    return;

  if (stream == NULL)
    stream = add_stream (self, ssrc);
  stream->sent_at = now;
  stream->open.packets++;
  stream->open.bytes += size;
  count_frame (stream, timestamp, size, now);
}

void
rtp_circuit_breaker_on_feedback (RtpCircuitBreaker *self, TfrcTime now)
{
  hear (self, now);
  if (self->state == RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT
      || self->state == RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT)
    restart (self, now);
}

void
rtp_circuit_breaker_on_report (RtpCircuitBreaker *self,
    const RtpReportBlock *block, TfrcDuration rtt, TfrcTime now)
{
  RtpCircuitBreakerStream *stream = find_stream (self, block->media_ssrc);
  bool progress;

  hear (self, now);
  if (self->group || stream == NULL)
    return;
  if (rtt > 0)
    self->rtt = smooth (self->rtt, rtt);
  if (!stream->reported || stream->reporter_ssrc != block->reporter_ssrc) {
    begin_reports (stream, block, now);
    return;
  }

  /* "does not increase", over a wrap of the 32 bits too. */
  progress = block->highest_seq - stream->highest_seq - 1 < UINT32_MAX / 2;
  stream->highest_seq = block->highest_seq;
  if (progress)
    note_progress (self);
  stream->open.lost_time += tfrc_time_since (stream->block_at, now) / 256
      * block->fraction_lost;
  if (self->state != RTP_CIRCUIT_BREAKER_CLOSED && progress) {
    /* After congestion a few packets that arrive prove little; that none of
     * them is lost, over an interval of its own, does. */
    if (self->state != RTP_CIRCUIT_BREAKER_CONGESTION
        || (block->fraction_lost == 0 && stream->block_at >= self->tripped_at))
      restart (self, now);
  }
  stream->block_at = now;
  if (tfrc_time_since (stream->interval_at, now)
      < RTP_CIRCUIT_BREAKER_MIN_REPORT_INTERVAL)
    return;

  close_interval (stream, now);
  if (self->state != RTP_CIRCUIT_BREAKER_CLOSED)
    return;
  if (media_is_lost (self, stream))
    trip (self, RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT, stream->ssrc, now);
  else if (is_congested (self, stream))
    trip (self, RTP_CIRCUIT_BREAKER_CONGESTION, stream->ssrc, now);
}

TfrcTime
rtp_circuit_breaker_next_deadline (const RtpCircuitBreaker *self)
{
  if (self->state != RTP_CIRCUIT_BREAKER_CLOSED)
    return TFRC_TIME_NONE;
  return tfrc_time_add (self->silent_since, RTP_CIRCUIT_BREAKER_TIMEOUT);
}

void
rtp_circuit_breaker_on_deadline (RtpCircuitBreaker *self, TfrcTime now)
{
  if (now < rtp_circuit_breaker_next_deadline (self))
    return;
  if (tfrc_time_since (self->sent_at, now) >= RTP_CIRCUIT_BREAKER_TD)
    self->silent_since = TFRC_TIME_NONE;
  else
    trip (self, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT, 0, now);
}

TfrcTime
rtp_circuit_breaker_next_send_at (const RtpCircuitBreaker *self)
{
  if (self->state == RTP_CIRCUIT_BREAKER_CLOSED || self->group)
    return 0;
  return tfrc_time_add (self->sent_at, RTP_CIRCUIT_BREAKER_PROBE_INTERVAL);
}

const char *
rtp_circuit_breaker_state_get_name (RtpCircuitBreakerState state)
{
  switch (state) {
    case RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT:
      return "rtcp-timeout";
    case RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT:
      return "media-timeout";
    case RTP_CIRCUIT_BREAKER_CONGESTION:
      return "congestion";
    case RTP_CIRCUIT_BREAKER_CLOSED:
    default:
      return "closed";
  }
}

/* "ceil (3 min (max (10 G Tf, 10 Tr, 3 Tdr), max (15, 3 Td)) / (3 Tdr))" */
unsigned
rtp_circuit_breaker_get_interval (TfrcDuration decision_interval,
    TfrcDuration rtt, TfrcDuration report_interval, TfrcDuration own_interval)
{
  TfrcDuration wanted = tfrc_time_max (10 * decision_interval,
      tfrc_time_max (10 * rtt, 3 * report_interval));
  TfrcDuration span = tfrc_time_min (wanted,
      tfrc_time_max (15 * TFRC_SECOND, 3 * own_interval));

  return (unsigned) ((span + report_interval - 1) / report_interval);
}

/* "ceil (k max (Tf, Tr, Tdr) / Tdr)" */
unsigned
rtp_circuit_breaker_get_media_timeout (TfrcDuration frame_interval,
    TfrcDuration rtt, TfrcDuration report_interval)
{
  TfrcDuration span = MEDIA_TIMEOUT_FACTOR * tfrc_time_max (frame_interval,
      tfrc_time_max (rtt, report_interval));

  return (unsigned) ((span + report_interval - 1) / report_interval);
}

/* "X = s / (Tr sqrt (2 b p / 3))" */
TfrcRate
rtp_circuit_breaker_get_rate (double packet_size, TfrcDuration rtt,
    double fraction_lost)
{
  if (rtt == 0 || !(fraction_lost > 0.0))
    return INFINITY;
  return packet_size / (tfrc_duration_to_seconds (rtt)
      * sqrt (2.0 * fraction_lost / 3.0));
}

static RtpCircuitBreakerStream *
find_stream (RtpCircuitBreaker *self, uint32_t ssrc)
{
  for (unsigned i = 0; i < RTP_CIRCUIT_BREAKER_MAX_STREAMS; i++)
    if (self->streams[i].used && self->streams[i].ssrc == ssrc)
      return &self->streams[i];
  return NULL;
}

/* In a free place, or that of the one that is silent for longest. */
static RtpCircuitBreakerStream *
add_stream (RtpCircuitBreaker *self, uint32_t ssrc)
{
  RtpCircuitBreakerStream *stream = &self->streams[0];

  for (unsigned i = 0; i < RTP_CIRCUIT_BREAKER_MAX_STREAMS; i++) {
    if (!self->streams[i].used) {
      stream = &self->streams[i];
      break;
    }
    if (self->streams[i].sent_at < stream->sent_at)
      stream = &self->streams[i];
  }
  *stream = (RtpCircuitBreakerStream) {.used = true,.ssrc = ssrc };
  return stream;
}

static void
count_frame (RtpCircuitBreakerStream *stream, uint32_t timestamp,
    uint32_t size, TfrcTime now)
{
  bool first = stream->frame_packets[stream->frame] == 0;

  if (!first && timestamp != stream->timestamp) {
    TfrcDuration interval = tfrc_time_since (stream->frame_at, now);

    if (interval > 0 && interval <= MAX_FRAME_INTERVAL)
      stream->frame_interval = smooth (stream->frame_interval, interval);
    stream->frame = (stream->frame + 1) % RTP_CIRCUIT_BREAKER_SIZE_FRAMES;
    stream->frame_packets[stream->frame] = 0;
    stream->frame_bytes[stream->frame] = 0;
    first = true;
  }
  if (first) {
    stream->timestamp = timestamp;
    stream->frame_at = now;
  }
  stream->frame_packets[stream->frame]++;
  stream->frame_bytes[stream->frame] += size;
}

/* Somebody reports for the first time, or somebody else: numbers to compare
 * with begin here. */
static void
begin_reports (RtpCircuitBreakerStream *stream, const RtpReportBlock *block,
    TfrcTime now)
{
  stream->reported = true;
  stream->reporter_ssrc = block->reporter_ssrc;
  stream->highest_seq = block->highest_seq;
  stream->block_at = now;
  stream->interval_at = now;
  stream->progressed = false;
  stream->open = (RtpCircuitBreakerInterval) { 0 };
  stream->report_interval = 0;
  stream->stalled = 0;
  stream->stalled_max = 0;
  stream->n_intervals = 0;
  stream->next_interval = 0;
}

/* All streams take one path: what one of them says of it is true for all. */
static void
note_progress (RtpCircuitBreaker *self)
{
  for (unsigned i = 0; i < RTP_CIRCUIT_BREAKER_MAX_STREAMS; i++)
    self->streams[i].progressed = true;
}

static void
close_interval (RtpCircuitBreakerStream *stream, TfrcTime now)
{
  stream->open.duration = tfrc_time_since (stream->interval_at, now);
  /* The receiver's Td is not known here, but its mean is what it sends by. */
  stream->report_interval =
      smooth (stream->report_interval, stream->open.duration);

  if (stream->progressed) {
    stream->stalled = 0;
    stream->stalled_max = 0;
  } else if (stream->open.packets > 0) {
    stream->stalled++;
  }
  stream->intervals[stream->next_interval] = stream->open;
  stream->next_interval =
      (stream->next_interval + 1) % RTP_CIRCUIT_BREAKER_MAX_INTERVALS;
  if (stream->n_intervals < RTP_CIRCUIT_BREAKER_MAX_INTERVALS)
    stream->n_intervals++;

  stream->open = (RtpCircuitBreakerInterval) { 0 };
  stream->interval_at = now;
  stream->progressed = false;
}

/* Section 4.2; while reports stall a larger MEDIA_TIMEOUT replaces the one
 * that runs, a smaller one does not. */
static bool
media_is_lost (const RtpCircuitBreaker *self, RtpCircuitBreakerStream *stream)
{
  unsigned timeout;

  if (stream->stalled == 0)
    return false;
  timeout = rtp_circuit_breaker_get_media_timeout (stream->frame_interval,
      self->rtt, stream->report_interval);
  if (timeout > stream->stalled_max)
    stream->stalled_max = timeout;
  return stream->stalled >= stream->stalled_max;
}

/* Section 4.3, over the last CB_INTERVAL intervals, which lie between one
 * report more. */
static bool
is_congested (const RtpCircuitBreaker *self,
    const RtpCircuitBreakerStream *stream)
{
  unsigned n = rtp_circuit_breaker_get_interval (stream->frame_interval,
      self->rtt, stream->report_interval, RTP_CIRCUIT_BREAKER_TD);
  RtpCircuitBreakerInterval sum = { 0 };
  double packets = 0.0, bytes = 0.0;

  if (n > RTP_CIRCUIT_BREAKER_MAX_INTERVALS)
    n = RTP_CIRCUIT_BREAKER_MAX_INTERVALS;
  if (stream->n_intervals < n)
    return false;
  for (unsigned i = 1; i <= n; i++) {
    const RtpCircuitBreakerInterval *interval =
        &stream->intervals[(stream->next_interval
            + RTP_CIRCUIT_BREAKER_MAX_INTERVALS - i)
        % RTP_CIRCUIT_BREAKER_MAX_INTERVALS];

    sum.duration += interval->duration;
    sum.lost_time += interval->lost_time;
    sum.packets += interval->packets;
    sum.bytes += interval->bytes;
  }
  /* "at least one packet per max (Tdr, Tr)" */
  if (sum.packets * tfrc_time_max (stream->report_interval, self->rtt)
      < sum.duration)
    return false;

  for (unsigned i = 0; i < RTP_CIRCUIT_BREAKER_SIZE_FRAMES; i++) {
    packets += (double) stream->frame_packets[i];
    bytes += (double) stream->frame_bytes[i];
  }
  return tfrc_rate_of ((double) sum.bytes, sum.duration) > CONGESTION_FACTOR
      * rtp_circuit_breaker_get_rate (bytes / packets, self->rtt,
      (double) sum.lost_time / (double) sum.duration);
}

static void
hear (RtpCircuitBreaker *self, TfrcTime now)
{
  if (self->silent_since != TFRC_TIME_NONE)
    self->silent_since = now;
}

/* Section 4.5, "cease transmission". */
static void
trip (RtpCircuitBreaker *self, RtpCircuitBreakerState state, uint32_t ssrc,
    TfrcTime now)
{
  TfrcDuration least = state == RTP_CIRCUIT_BREAKER_CONGESTION
      ? RTP_CIRCUIT_BREAKER_CONGESTION_HOLD : 0;

  if (self->closed_at != TFRC_TIME_NONE && tfrc_time_since (self->closed_at,
          now) < RTP_CIRCUIT_BREAKER_STABLE_TIME)
    self->hold = tfrc_time_min (tfrc_time_max (2 * self->hold,
            RTP_CIRCUIT_BREAKER_FIRST_HOLD), RTP_CIRCUIT_BREAKER_MAX_HOLD);
  else
    self->hold = 0;
  self->hold = tfrc_time_max (self->hold, least);
  self->state = state;
  self->tripped_at = now;
  self->tripped_ssrc = ssrc;
  self->trips++;
  forget_reports (self, now);
}

/* Unless it is too early. */
static void
restart (RtpCircuitBreaker *self, TfrcTime now)
{
  if (tfrc_time_since (self->tripped_at, now) < self->hold)
    return;
  self->state = RTP_CIRCUIT_BREAKER_CLOSED;
  self->closed_at = now;
  self->silent_since = now;
  forget_reports (self, now);
}

/* What was told of the time before says nothing of the time after. */
static void
forget_reports (RtpCircuitBreaker *self, TfrcTime now)
{
  for (unsigned i = 0; i < RTP_CIRCUIT_BREAKER_MAX_STREAMS; i++) {
    RtpCircuitBreakerStream *stream = &self->streams[i];

    stream->interval_at = now;
    stream->progressed = false;
    stream->open = (RtpCircuitBreakerInterval) { 0 };
    stream->stalled = 0;
    stream->stalled_max = 0;
    stream->n_intervals = 0;
    stream->next_interval = 0;
  }
}

/* The first sample is taken as it is. */
static TfrcDuration
smooth (TfrcDuration old, TfrcDuration sample)
{
  return old == 0 ? sample : old - old / SMOOTHING + sample / SMOOTHING;
}
