/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judges what comes back; see the header. */
#include "rtp/circuit-breaker.h"

#include <math.h>
#include <stddef.h>

#define REDUCTION 10.0 /* section 4.3, "at least a factor of ten" */
#define SMOOTHING 5    /* Tr = 0.8 Tr + 0.2 new */

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

/* In a free place, or that of the one that is silent for longest.  NULL: all of them
 * send, and speak for the path. */
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
  rtp_circuit_breaker_stream_init (stream, ssrc);
  return stream;
}

void
rtp_circuit_breaker_on_sent (RtpCircuitBreaker *self, uint32_t ssrc,
    uint32_t timestamp, uint32_t size, TfrcTime now)
{
  RtpCircuitBreakerStream *stream = find_stream (self, ssrc);

  /* Section 4.1 is for who "is sending data": after a pause nobody owes a
   * report yet. */
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

/* All streams take one path: what one of them says of it is true for all. */
static void
note_progress (RtpCircuitBreaker *self)
{
  for (uint32_t i = 0; i < self->n_streams; i++)
    self->streams[i].progressed = true;
}

/* After a timeout that a packet arrived says all.  After congestion it proves
 * little; that none was lost for a while does. */
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

/* Section 4.5, "cease transmission", or what comes before. */
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

/* Section 4.3: to "first reduce their sending rate", to a tenth of what led to
 * the trip. */
static void
reduce (RtpCircuitBreaker *self, uint32_t ssrc, TfrcTime now)
{
  TfrcRate rate = 0.0;

  for (uint32_t i = 0; i < self->n_streams; i++)
    rate += rtp_circuit_breaker_stream_get_rate (&self->streams[i]);
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
  if (rtp_circuit_breaker_stream_is_lost (stream))
    trip (self, RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT, stream->ssrc, now);
  else if (!rtp_circuit_breaker_stream_is_congested (stream, self->rtt)) {
    /* The stream that it was about may have ended. */
    if (reduced && rtp_circuit_breaker_stream_is_judged (stream)
        && (stream->ssrc == self->tripped_ssrc
            || tfrc_time_since (self->tripped_at, now)
                >= 2 * RTP_CIRCUIT_BREAKER_TIMEOUT))
      restart (self, now);
  } else if (reduced || was_congested (self, now))
    trip (self, RTP_CIRCUIT_BREAKER_CONGESTION, stream->ssrc, now);
  else
    reduce (self, stream->ssrc, now);
  rtp_circuit_breaker_stream_update_interval (stream, self->rtt, now);
}

/* Only probes may leave. */
static bool
is_open (const RtpCircuitBreaker *self)
{
  return self->state != RTP_CIRCUIT_BREAKER_CLOSED
      && self->state != RTP_CIRCUIT_BREAKER_REDUCED;
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
  /* Of a stream that is not looked at, too: its path is the same. */
  if (rtt > 0)
    self->rtt = self->rtt == 0
        ? rtt
        : self->rtt - self->rtt / SMOOTHING + rtt / SMOOTHING;
  if (stream == NULL)
    return;
  /* An endpoint may report by several SSRCs (RFC 8108): one of them is followed. */
  if (stream->reported && stream->reporter_ssrc != block->reporter_ssrc
      && tfrc_time_since (stream->block_at, now) < RTP_CIRCUIT_BREAKER_TIMEOUT)
    return;
  if (!rtp_circuit_breaker_stream_is_known (stream, block, now)) {
    rtp_circuit_breaker_stream_update_interval (stream, self->rtt, now);
    return;
  }

  since = stream->block_at;
  progress = rtp_circuit_breaker_stream_on_block (stream, block, now);
  if (progress)
    note_progress (self);
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
  switch (state) {
    case RTP_CIRCUIT_BREAKER_REDUCED:
      return "reduced";
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
