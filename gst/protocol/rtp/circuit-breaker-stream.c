/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts what leaves between reports; see the header. */
#include "rtp/circuit-breaker-stream.h"

#include <math.h>

#define CONGESTION_FACTOR 10.0 /* section 4.3: "10 times" */
#define MEDIA_TIMEOUT_FACTOR 5 /* k of section 4.2 */
#define SMOOTHING 5            /* 0.8 old + 0.2 new, as for Tr */

void
rtp_circuit_breaker_stream_init (RtpCircuitBreakerStream *self, uint32_t ssrc)
{
  *self = (RtpCircuitBreakerStream) { .ssrc = ssrc };
}

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

/* Of what the block is about, 0 to 1.  A receiver that counts no cumulative
 * number, or whose copies make up for it, has the fraction. */
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
  /* Over a wrap of the 32 bits too. */
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
  /* The receiver's Td is not known here, but its mean is what it sends by. */
  self->report_interval = self->report_interval == 0
      ? duration
      : self->report_interval - self->report_interval / SMOOTHING
          + duration / SMOOTHING;

  /* A larger MEDIA_TIMEOUT replaces the one that runs, a smaller one does
   * not.  Who sent nothing has lost nothing. */
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

bool
rtp_circuit_breaker_stream_is_lost (const RtpCircuitBreakerStream *self)
{
  return self->stalled > 0 && self->stalled >= self->media_timeout;
}

/* "more than CB_INTERVAL report blocks": they lie between one more. */
bool
rtp_circuit_breaker_stream_is_judged (const RtpCircuitBreakerStream *self)
{
  return self->interval > 0 && self->n_intervals >= self->interval;
}

/* The last CB_INTERVAL of them, as far as they are there. */
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

bool
rtp_circuit_breaker_stream_is_congested (const RtpCircuitBreakerStream *self,
    TfrcDuration rtt)
{
  RtpCircuitBreakerInterval sum;
  double fraction_lost, packet_size;

  if (!rtp_circuit_breaker_stream_is_judged (self))
    return false;
  sum = sum_intervals (self);
  /* "at least one packet per max (Tdr, Tr)" */
  if (sum.packets * tfrc_time_max (self->report_interval, rtt) < sum.duration)
    return false;
  fraction_lost = (double) sum.lost_time / (double) sum.duration;
  /* Ours: "the packets comprising the last 4 G frames" may be four small ones
   * behind an outage, while the rate is of all of the intervals. */
  packet_size = (double) sum.bytes / (double) sum.packets;
  return tfrc_rate_of ((double) sum.bytes, sum.duration) > CONGESTION_FACTOR
      * rtp_circuit_breaker_get_rate (packet_size, rtt, fraction_lost);
}

TfrcRate
rtp_circuit_breaker_stream_get_rate (const RtpCircuitBreakerStream *self)
{
  RtpCircuitBreakerInterval sum = sum_intervals (self);

  return sum.duration == 0 ? 0.0
                           : tfrc_rate_of ((double) sum.bytes, sum.duration);
}

void
rtp_circuit_breaker_stream_update_interval (RtpCircuitBreakerStream *self,
    TfrcDuration rtt, TfrcTime now)
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
