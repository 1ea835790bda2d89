/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtp/circuit-breaker.h"

#include <math.h>
#include <stddef.h>

#define CONGESTION_FACTOR 10.0 /* section 4.3: "10 times" */
#define MEDIA_TIMEOUT_FACTOR 5 /* k of section 4.2 */
#define SMOOTHING 5            /* Tr, Tdr = 0.8 old + 0.2 new */
#define REDUCTION 10.0         /* section 4.3, "at least a factor of ten" */

static void
note_frame_interval (RtpCircuitBreakerStream *self, TfrcDuration interval,
    TfrcTime now)
{
  uint64_t second = now / TFRC_SECOND;
  TfrcDuration *largest =
      &self->frame_intervals[second % RTP_CIRCUIT_BREAKER_FRAME_SECONDS];

  if (interval > RTP_CIRCUIT_BREAKER_FRAME_SECONDS * TFRC_SECOND)
    return;
  for (uint64_t i = self->frame_second + 1; i <= second
      && i <= self->frame_second + RTP_CIRCUIT_BREAKER_FRAME_SECONDS;
      i++)
    self->frame_intervals[i % RTP_CIRCUIT_BREAKER_FRAME_SECONDS] = 0;
  self->frame_second = second;
  *largest = tfrc_time_max (*largest, interval);
}

static void
note_frame (RtpCircuitBreakerStream *self, uint32_t timestamp, TfrcTime now)
{
  if (self->framed && timestamp == self->timestamp)
    return;
  if (self->framed)
    note_frame_interval (self, tfrc_time_since (self->frame_at, now), now);
  self->framed = true;
  self->timestamp = timestamp;
  self->frame_at = now;
}

void
rtp_circuit_breaker_stream_on_sent (RtpCircuitBreakerStream *self,
    uint32_t timestamp, uint32_t size, TfrcTime now)
{
  self->sent_at = now;
  self->open.packets++;
  self->open.bytes += size;
  note_frame (self, timestamp, now);
}

bool
rtp_circuit_breaker_stream_is_known (RtpCircuitBreakerStream *self,
    const RtpReportBlock *block, TfrcTime now)
{
  if (self->reported && self->reporter_ssrc == block->reporter_ssrc)
    return true;
  rtp_circuit_breaker_stream_forget (self, now);
  self->reported = true;
  self->reporter_ssrc = block->reporter_ssrc;
  self->highest_seq = block->highest_seq;
  self->cumulative_lost = block->cumulative_lost;
  self->block_at = now;
  self->report_interval = 0;
  return false;
}

/* Fraction of the packets the block covers that were lost, 0 to 1.  Falls back to
 * the fraction lost field of the block if the receiver keeps no cumulative count,
 * or if duplicates hide losses in it. */
static double
get_fraction_lost (const RtpCircuitBreakerStream *self,
    const RtpReportBlock *block)
{
  double expected = (double) (block->highest_seq - self->highest_seq);
  double lost = (double) block->cumulative_lost - self->cumulative_lost;

  if (lost > 0.0 && lost <= expected)
    return lost / expected;
  return block->fraction_lost / 256.0;
}

bool
rtp_circuit_breaker_stream_on_block (RtpCircuitBreakerStream *self,
    const RtpReportBlock *block, TfrcTime now)
{
  TfrcTime since = tfrc_time_max (self->block_at, self->interval_at);
  /* Also true across a wrap of the 32 bits. */
  bool progress = block->highest_seq - self->highest_seq - 1 < UINT32_MAX / 2;

  self->open.lost_time += (TfrcDuration) ((double) tfrc_time_since (since, now)
      * get_fraction_lost (self, block));
  self->highest_seq = block->highest_seq;
  self->cumulative_lost = block->cumulative_lost;
  self->block_at = now;
  return progress;
}

static TfrcDuration
get_frame_interval (const RtpCircuitBreakerStream *self, TfrcTime now)
{
  uint64_t second = now / TFRC_SECOND;
  TfrcDuration largest = 0;

  for (uint64_t i = 0;
      i < RTP_CIRCUIT_BREAKER_FRAME_SECONDS && i <= self->frame_second; i++)
    if (self->frame_second - i + RTP_CIRCUIT_BREAKER_FRAME_SECONDS > second)
      largest = tfrc_time_max (largest,
          self->frame_intervals[(self->frame_second - i)
              % RTP_CIRCUIT_BREAKER_FRAME_SECONDS]);
  return largest;
}

bool
rtp_circuit_breaker_stream_end_interval (RtpCircuitBreakerStream *self,
    TfrcDuration rtt, TfrcTime now)
{
  TfrcDuration duration = tfrc_time_since (self->interval_at, now);
  unsigned media_timeout;

  if (duration < RTP_CIRCUIT_BREAKER_MIN_REPORT_INTERVAL)
    return false;
  self->open.duration = duration;
  /* Tdr: the receiver's deterministic interval is not known, so the mean interval
   * between its reports is taken. */
  self->report_interval = self->report_interval == 0
      ? duration
      : self->report_interval - self->report_interval / SMOOTHING
          + duration / SMOOTHING;

  /* A larger MEDIA_TIMEOUT applies at once, a smaller one only after progress
   * (section 4.2).  If nothing was sent, a lack of progress means nothing. */
  media_timeout =
      rtp_circuit_breaker_get_media_timeout (get_frame_interval (self, now),
          rtt, self->report_interval);
  if (self->progressed || media_timeout > self->media_timeout)
    self->media_timeout = media_timeout;
  if (self->progressed)
    self->stalled = 0;
  else if (self->open.packets > 0)
    self->stalled++;

  self->intervals[self->next_interval] = self->open;
  self->next_interval = (self->next_interval + 1)
      % RTP_CIRCUIT_BREAKER_MAX_INTERVALS;
  if (self->n_intervals < RTP_CIRCUIT_BREAKER_MAX_INTERVALS)
    self->n_intervals++;
  self->open = (RtpCircuitBreakerInterval) { 0 };
  self->interval_at = now;
  self->progressed = false;
  return true;
}

/* Section 4.3, "more than CB_INTERVAL report blocks": there are CB_INTERVAL
 * intervals between them. */
static bool
is_judged (const RtpCircuitBreakerStream *self)
{
  return self->interval > 0 && self->n_intervals >= self->interval;
}

/* Sum of the last CB_INTERVAL intervals, or of as many as there are. */
static RtpCircuitBreakerInterval
sum_intervals (const RtpCircuitBreakerStream *self)
{
  RtpCircuitBreakerInterval sum = { 0 };

  for (unsigned i = 0; i < self->interval && i < self->n_intervals; i++) {
    const RtpCircuitBreakerInterval *interval =
        &self->intervals[(self->next_interval
                             + RTP_CIRCUIT_BREAKER_MAX_INTERVALS - 1 - i)
            % RTP_CIRCUIT_BREAKER_MAX_INTERVALS];

    sum.duration += interval->duration;
    sum.lost_time += interval->lost_time;
    sum.packets += interval->packets;
    sum.bytes += interval->bytes;
  }
  return sum;
}

/* Section 4.3: more than ten times TCP's rate over the last CB_INTERVAL intervals. */
static bool
is_congested (const RtpCircuitBreakerStream *self, TfrcDuration rtt)
{
  RtpCircuitBreakerInterval sum;
  double fraction_lost, packet_size;

  if (!is_judged (self))
    return false;
  sum = sum_intervals (self);
  /* "at least one packet per max (Tdr, Tr)" */
  if (sum.packets * tfrc_time_max (self->report_interval, rtt) < sum.duration)
    return false;
  fraction_lost = (double) sum.lost_time / (double) sum.duration;
  /* Ours: the RFC takes the size from "the packets comprising the last 4 G frames".
   * After an outage these may be four small ones, while the rate is the mean over
   * all intervals. */
  packet_size = (double) sum.bytes / (double) sum.packets;
  return tfrc_rate_of ((double) sum.bytes, sum.duration) > CONGESTION_FACTOR
      * rtp_circuit_breaker_get_rate (packet_size, rtt, fraction_lost);
}

/* Sets CB_INTERVAL, which applies from the next report on. */
static void
update_interval (RtpCircuitBreakerStream *self, TfrcDuration rtt, TfrcTime now)
{
  TfrcDuration report_interval = self->report_interval > 0
      ? self->report_interval
      : RTP_CIRCUIT_BREAKER_TD;
  unsigned interval =
      rtp_circuit_breaker_get_interval (get_frame_interval (self, now), rtt,
          report_interval, RTP_CIRCUIT_BREAKER_TD);

  self->interval = interval < RTP_CIRCUIT_BREAKER_MAX_INTERVALS
      ? interval
      : RTP_CIRCUIT_BREAKER_MAX_INTERVALS;
}

void
rtp_circuit_breaker_stream_forget (RtpCircuitBreakerStream *self, TfrcTime now)
{
  self->interval_at = now;
  self->progressed = false;
  self->open = (RtpCircuitBreakerInterval) { 0 };
  self->stalled = 0;
  self->media_timeout = 0;
  self->n_intervals = 0;
  self->next_interval = 0;
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
  TfrcDuration span = MEDIA_TIMEOUT_FACTOR
      * tfrc_time_max (frame_interval, tfrc_time_max (rtt, report_interval));

  return (unsigned) ((span + report_interval - 1) / report_interval);
}

/* "X = s / (Tr sqrt (2 b p / 3))" */
TfrcRate
rtp_circuit_breaker_get_rate (double packet_size, TfrcDuration rtt,
    double fraction_lost)
{
  if (rtt == 0 || !(fraction_lost > 0.0))
    return INFINITY;
  return packet_size
      / (tfrc_duration_to_seconds (rtt) * sqrt (2.0 * fraction_lost / 3.0));
}

void
rtp_circuit_breaker_init (RtpCircuitBreaker *self, bool group)
{
  *self = (RtpCircuitBreaker) {
    .group = group,
    .state = RTP_CIRCUIT_BREAKER_CLOSED,
    .unanswered_since = TFRC_TIME_NONE,
    .rate_limit = INFINITY,
    .cleared_at = TFRC_TIME_NONE,
  };
}

static RtpCircuitBreakerStream *
find_stream (RtpCircuitBreaker *self, uint32_t ssrc)
{
  for (uint32_t i = 0; i < self->n_streams; i++)
    if (self->streams[i].ssrc == ssrc)
      return &self->streams[i];
  return NULL;
}

/* Takes a free place, or that of the stream that has been silent longest.  Returns
 * NULL if all of them still send: then they represent the path. */
static RtpCircuitBreakerStream *
add_stream (RtpCircuitBreaker *self, uint32_t ssrc, TfrcTime now)
{
  RtpCircuitBreakerStream *stream = &self->streams[0];

  if (self->n_streams < TFRC_MAX_STREAMS) {
    stream = &self->streams[self->n_streams++];
  } else {
    for (uint32_t i = 1; i < TFRC_MAX_STREAMS; i++)
      if (self->streams[i].sent_at < stream->sent_at)
        stream = &self->streams[i];
    if (tfrc_time_since (stream->sent_at, now) < RTP_CIRCUIT_BREAKER_TIMEOUT)
      return NULL;
  }
  *stream = (RtpCircuitBreakerStream) { .ssrc = ssrc };
  return stream;
}

void
rtp_circuit_breaker_on_sent (RtpCircuitBreaker *self, uint32_t ssrc,
    uint32_t timestamp, uint32_t size, TfrcTime now)
{
  RtpCircuitBreakerStream *stream = find_stream (self, ssrc);

  /* Section 4.1 applies to an endpoint that "is sending data": after a pause no
   * report is due yet. */
  if (self->unanswered_since == TFRC_TIME_NONE
      || tfrc_time_since (self->sent_at, now) >= RTP_CIRCUIT_BREAKER_TD)
    self->unanswered_since = now;
  self->sent_at = now;
  if (self->group)
    return;

  if (stream == NULL)
    stream = add_stream (self, ssrc, now);
  if (stream != NULL)
    rtp_circuit_breaker_stream_on_sent (stream, timestamp, size, now);
}

void
rtp_circuit_breaker_on_rtcp (RtpCircuitBreaker *self, TfrcTime now)
{
  if (self->unanswered_since != TFRC_TIME_NONE)
    self->unanswered_since = now;
}

static void
forget_reports (RtpCircuitBreaker *self, TfrcTime now)
{
  for (uint32_t i = 0; i < self->n_streams; i++)
    rtp_circuit_breaker_stream_forget (&self->streams[i], now);
}

static void
restart (RtpCircuitBreaker *self, TfrcTime now)
{
  if (self->state == RTP_CIRCUIT_BREAKER_CONGESTION
      || self->state == RTP_CIRCUIT_BREAKER_REDUCED) {
    self->cleared_at = now;
    self->ceased = self->state == RTP_CIRCUIT_BREAKER_CONGESTION;
  }
  self->state = RTP_CIRCUIT_BREAKER_CLOSED;
  self->rate_limit = INFINITY;
  self->unanswered_since = now;
  forget_reports (self, now);
}

void
rtp_circuit_breaker_on_feedback (RtpCircuitBreaker *self, TfrcTime now)
{
  rtp_circuit_breaker_on_rtcp (self, now);
  if (self->state == RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT
      || self->state == RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT)
    restart (self, now);
}

/* Whether the block shows that the flow may restart.  After a timeout, any packet
 * that arrived does.  After congestion, only a time without losses does. */
static bool
is_evidence (RtpCircuitBreaker *self, const RtpReportBlock *block,
    TfrcTime since, TfrcTime now)
{
  if (self->state != RTP_CIRCUIT_BREAKER_CONGESTION)
    return true;
  if (since < self->tripped_at)
    return false;
  if (block->fraction_lost > 0)
    self->lossy_at = now;
  return tfrc_time_since (self->tripped_at, now) >= self->hold
      && tfrc_time_since (self->lossy_at, now)
      >= RTP_CIRCUIT_BREAKER_CONGESTION_HOLD;
}

static bool
was_congested (const RtpCircuitBreaker *self, TfrcTime now)
{
  return self->cleared_at != TFRC_TIME_NONE
      && tfrc_time_since (self->cleared_at, now)
      < (self->ceased ? RTP_CIRCUIT_BREAKER_STABLE_TIME
                      : RTP_CIRCUIT_BREAKER_REDUCTION_TIME);
}

/* Section 4.5, "cease transmission", or reduce the rate first (reduce ()). */
static void
trip (RtpCircuitBreaker *self, RtpCircuitBreakerState state, uint32_t ssrc,
    TfrcTime now)
{
  if (state == RTP_CIRCUIT_BREAKER_CONGESTION) {
    self->hold = self->hold > 0 && was_congested (self, now)
        ? tfrc_time_min (2 * self->hold, RTP_CIRCUIT_BREAKER_MAX_HOLD)
        : RTP_CIRCUIT_BREAKER_CONGESTION_HOLD;
    self->lossy_at = now;
  }
  self->state = state;
  self->rate_limit = INFINITY;
  self->tripped_at = now;
  self->tripped_ssrc = ssrc;
  self->trips++;
  forget_reports (self, now);
}

/* Section 4.3 allows senders to "first reduce their sending rate": here to a tenth
 * of the rate that tripped the breaker. */
static void
reduce (RtpCircuitBreaker *self, uint32_t ssrc, TfrcTime now)
{
  TfrcRate rate = 0.0;

  for (uint32_t i = 0; i < self->n_streams; i++) {
    RtpCircuitBreakerInterval sum = sum_intervals (&self->streams[i]);

    if (sum.duration > 0)
      rate += tfrc_rate_of ((double) sum.bytes, sum.duration);
  }
  trip (self, RTP_CIRCUIT_BREAKER_REDUCED, ssrc, now);
  self->rate_limit = rate / REDUCTION;
  self->hold = 0;
}

static void
judge (RtpCircuitBreaker *self, RtpCircuitBreakerStream *stream, TfrcTime now)
{
  bool reduced = self->state == RTP_CIRCUIT_BREAKER_REDUCED;

  if (!rtp_circuit_breaker_stream_end_interval (stream, self->rtt, now))
    return;
  /* Section 4.2: MEDIA_TIMEOUT reports in a row showed no progress. */
  if (stream->stalled > 0 && stream->stalled >= stream->media_timeout)
    trip (self, RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT, stream->ssrc, now);
  else if (!is_congested (stream, self->rtt)) {
    /* The stream that tripped may have ended; after a while any other counts. */
    if (reduced && is_judged (stream)
        && (stream->ssrc == self->tripped_ssrc
            || tfrc_time_since (self->tripped_at, now)
                >= 2 * RTP_CIRCUIT_BREAKER_TIMEOUT))
      restart (self, now);
  } else if (reduced || was_congested (self, now))
    trip (self, RTP_CIRCUIT_BREAKER_CONGESTION, stream->ssrc, now);
  else
    reduce (self, stream->ssrc, now);
  update_interval (stream, self->rtt, now);
}

bool
rtp_circuit_breaker_state_allows_sending (RtpCircuitBreakerState state)
{
  return state <= RTP_CIRCUIT_BREAKER_REDUCED;
}

static bool
is_open (const RtpCircuitBreaker *self)
{
  return !rtp_circuit_breaker_state_allows_sending (self->state);
}

void
rtp_circuit_breaker_on_report (RtpCircuitBreaker *self,
    const RtpReportBlock *block, TfrcDuration rtt, TfrcTime now)
{
  RtpCircuitBreakerStream *stream = find_stream (self, block->media_ssrc);
  TfrcTime since;
  bool progress;

  rtp_circuit_breaker_on_rtcp (self, now);
  if (self->group)
    return;
  /* Blocks about streams without a place count too: their path is the same. */
  if (rtt > 0)
    self->rtt = self->rtt == 0
        ? rtt
        : self->rtt - self->rtt / SMOOTHING + rtt / SMOOTHING;
  if (stream == NULL)
    return;
  /* An endpoint may report with several SSRCs (RFC 8108): only one is followed. */
  if (stream->reported && stream->reporter_ssrc != block->reporter_ssrc
      && tfrc_time_since (stream->block_at, now) < RTP_CIRCUIT_BREAKER_TIMEOUT)
    return;
  if (!rtp_circuit_breaker_stream_is_known (stream, block, now)) {
    update_interval (stream, self->rtt, now);
    return;
  }

  since = stream->block_at;
  progress = rtp_circuit_breaker_stream_on_block (stream, block, now);
  /* All streams take one path, so progress of one counts for all. */
  for (uint32_t i = 0; progress && i < self->n_streams; i++)
    self->streams[i].progressed = true;
  if (!is_open (self))
    judge (self, stream, now);
  else if (progress && is_evidence (self, block, since, now))
    restart (self, now);
}

TfrcTime
rtp_circuit_breaker_next_deadline (const RtpCircuitBreaker *self)
{
  if (is_open (self))
    return TFRC_TIME_NONE;
  return tfrc_time_add (self->unanswered_since, RTP_CIRCUIT_BREAKER_TIMEOUT);
}

void
rtp_circuit_breaker_on_deadline (RtpCircuitBreaker *self, TfrcTime now)
{
  if (now < rtp_circuit_breaker_next_deadline (self))
    return;
  if (tfrc_time_since (self->sent_at, now) >= RTP_CIRCUIT_BREAKER_TD)
    self->unanswered_since = TFRC_TIME_NONE;
  else
    trip (self, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT, 0, now);
}

TfrcTime
rtp_circuit_breaker_next_send_at (const RtpCircuitBreaker *self)
{
  if (!is_open (self) || self->group)
    return 0;
  return tfrc_time_add (self->sent_at, RTP_CIRCUIT_BREAKER_PROBE_INTERVAL);
}

const char *
rtp_circuit_breaker_state_get_name (RtpCircuitBreakerState state)
{
  static const char *const names[] = { "closed", "reduced", "rtcp-timeout",
    "media-timeout", "congestion" };

  return names[state];
}
