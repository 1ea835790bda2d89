/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/reception-reports.h"

#include <assert.h>
#include <math.h>

/* RFC 3550 section 6.2: "The RECOMMENDED value for a fixed minimum interval is 5
 * seconds", and 1.5 times that is the longest that is drawn, by 1.21828 at most. */
#define INTERVAL (5 * TFRC_SECOND)
#define MAX_INTERVAL (7500 * TFRC_MILLISECOND)
#define INTERVAL_DECAY 8
/* In less time it is bursts that arrive, and no rate. */
#define MIN_INTERVAL (200 * TFRC_MILLISECOND)
/* As a circuit breaker waits for regular RTCP (RFC 8083 section 4.1). */
#define RECEIVER_TIMEOUT (3 * INTERVAL)

/* What the blocks of one packet say together. */
typedef struct
{
  uint64_t expected;
  uint64_t lost;
  double bytes;                 /* that arrived */
  const TfrcSentPacket *newest; /* of those reported to have arrived */
  uint32_t ssrc;                /* its own */
  TfrcDuration rtt_sample;
  TfrcDuration elapsed; /* since the report before */
} Summary;

TfrcReceptionConfig
tfrc_reception_config_default (void)
{
  return (TfrcReceptionConfig) { .decrease = 0.85, .increase = 1.1 };
}

void
tfrc_reception_reports_init (TfrcReceptionReports *self,
    const TfrcReceptionConfig *config)
{
  *self = (TfrcReceptionReports) {
    .config = *config,
    .interval = INTERVAL,
    .threshold = (double) INFINITY,
  };
}

void
tfrc_reception_reports_forget (TfrcReceptionReports *self)
{
  self->n_streams = 0;
  self->has_report = false;
}

/* RFC 3550 section 6.4.1: A - LSR - DLSR.  Whatever clock the SR was written by, what
 * is longer than the newest packet has been under way is not it. */
static void
measure_rtt (Summary *summary, const RtpReportBlock *block, uint32_t ntp,
    TfrcTime now)
{
  uint32_t units = ntp - block->last_sender_report
      - block->delay_since_sender_report;
  TfrcDuration sample = units * TFRC_SECOND / 65536;

  if (block->last_sender_report != 0 && sample > 0)
    summary->rtt_sample = tfrc_time_min (summary->rtt_sample, sample);
}

/* The newest packet that the block tells of; NULL: none that can have arrived. */
static const TfrcSentPacket *
find_newest (const TfrcSenderBased *sent, const RtpReportBlock *block,
    TfrcTime now)
{
  const TfrcSentPacket *packet = tfrc_sender_based_find_sent (sent,
      block->media_ssrc, (uint16_t) block->highest_seq);

  return packet != NULL && packet->sent_at < now ? packet : NULL;
}

/* Changes nothing but for who the receiver is. */
static TfrcResult
check_blocks (TfrcReceptionReports *self, const RtpReportBlock *blocks,
    uint32_t n, const TfrcSenderBased *sent, uint32_t ntp, Summary *summary,
    TfrcTime now)
{
  TfrcDuration elapsed = tfrc_time_since (self->reported_at, now);

  if (n == 0 || (self->has_report && elapsed < MIN_INTERVAL))
    return TFRC_DUPLICATE;
  for (uint32_t i = 0; i < n; i++) {
    const TfrcSentPacket *packet = find_newest (sent, &blocks[i], now);

    if (packet != NULL
        && (summary->newest == NULL
            || packet->sent_at > summary->newest->sent_at)) {
      summary->newest = packet;
      summary->ssrc = blocks[i].media_ssrc;
    }
  }
  if (summary->newest == NULL) {
    self->counters.reports_invalid++;
    return TFRC_INVALID;
  }
  if (self->has_report && blocks[0].reporter_ssrc != self->reporter_ssrc) {
    if (elapsed < RECEIVER_TIMEOUT) {
      self->counters.reports_foreign++;
      return TFRC_FOREIGN;
    }
    tfrc_reception_reports_forget (self);
  }
  /* Nothing has arrived since the report before. */
  if (self->has_report && summary->newest->sent_at <= self->newest_sent_at)
    return TFRC_DUPLICATE;
  self->reporter_ssrc = blocks[0].reporter_ssrc;
  /* It is at least as long as the way there and back. */
  summary->rtt_sample = tfrc_time_since (summary->newest->sent_at, now);
  for (uint32_t i = 0; i < n; i++)
    measure_rtt (summary, &blocks[i], ntp, now);
  return TFRC_OK;
}

/* Or the place for it, which has another SSRC. */
static TfrcReceptionStream *
find_stream (TfrcReceptionReports *self, uint32_t ssrc)
{
  TfrcReceptionStream *stream;

  for (uint32_t i = 0; i < self->n_streams; i++) {
    if (self->streams[i].ssrc == ssrc)
      return &self->streams[i];
  }
  if (self->n_streams < TFRC_MAX_STREAMS)
    stream = &self->streams[self->n_streams++];
  else
    stream = &self->streams[self->next_stream++ % TFRC_MAX_STREAMS];
  stream->ssrc = ~ssrc;
  return stream;
}

/* What was expected is what was sent, whatever the receiver says.  A duplicate counts
 * as received, so fewer may have been lost than before. */
static void
count_losses (TfrcReceptionReports *self, const RtpReportBlock *block,
    const TfrcSentPacket *newest, Summary *summary)
{
  TfrcReceptionStream *stream = find_stream (self, block->media_ssrc);
  int64_t lost = (int64_t) block->cumulative_lost - stream->lost;

  if (stream->ssrc == block->media_ssrc && self->has_report
      && newest->number > stream->number && newest->bytes > stream->bytes) {
    uint64_t expected = newest->number - stream->number;
    uint64_t n_lost = lost > 0 ? tfrc_time_min ((uint64_t) lost, expected) : 0;

    summary->expected += expected;
    summary->lost += n_lost;
    summary->bytes += (double) (newest->bytes - stream->bytes)
        * (double) (expected - n_lost) / (double) expected;
  }
  *stream = (TfrcReceptionStream) {
    .ssrc = block->media_ssrc,
    .number = newest->number,
    .bytes = newest->bytes,
    .lost = block->cumulative_lost,
  };
}

/* At which X will be `rate`. */
static double
find_p (const TfrcSender *sender, const Summary *summary, TfrcRate rate)
{
  return tfrc_sender_get_loss_event_rate_for (sender, rate, summary->rtt_sample,
      summary->elapsed);
}

static double
calculate_p (TfrcReceptionReports *self, const Summary *summary,
    TfrcRate receive_rate, const TfrcSender *sender)
{
  TfrcRate rate = sender->rate;
  double p = 0.0, increase;

  if (!tfrc_rtt_is_known (&sender->rtt))
    return 0.0;
  if (summary->lost > 0)
    p = fmin ((double) summary->lost / (double) summary->expected,
        find_p (sender, summary, self->config.decrease * receive_rate));
  if (p > find_p (sender, summary, rate))
    self->threshold = receive_rate;
  if (isinf (self->threshold) && p <= 0.0)
    return 0.0;
  increase = 2.0 * rate <= self->threshold
      ? fmax (2.0, self->config.increase)
      : self->config.increase;
  return fmax (p, find_p (sender, summary, increase * rate));
}

TfrcResult
tfrc_reception_reports_on_blocks (TfrcReceptionReports *self,
    const RtpReportBlock *blocks, uint32_t n, const TfrcSender *sender,
    const TfrcSenderBased *sent, uint32_t ntp, TfrcFeedback *feedback,
    TfrcTime now)
{
  Summary summary = { 0 };
  TfrcRate receive_rate = 0.0;
  TfrcResult result;
  bool had_report;

  result = check_blocks (self, blocks, n, sent, ntp, &summary, now);
  if (result != TFRC_OK)
    return result;
  for (uint32_t i = 0; i < n; i++) {
    const TfrcSentPacket *newest = find_newest (sent, &blocks[i], now);

    if (newest != NULL)
      count_losses (self, &blocks[i], newest, &summary);
  }
  /* The streams that were reported before are others. */
  if (summary.expected > 0) {
    summary.elapsed = tfrc_time_since (self->reported_at, now);
    receive_rate = tfrc_rate_of (summary.bytes, summary.elapsed);
    self->interval =
        tfrc_time_max (tfrc_time_min (summary.elapsed, MAX_INTERVAL),
            self->interval - self->interval / INTERVAL_DECAY);
  }
  *feedback = (TfrcFeedback) {
    .media_ssrc = summary.ssrc,
    .echo_time_us = summary.newest->stamp.send_time_us,
    .echo_delay = tfrc_time_sub (tfrc_time_since (summary.newest->sent_at, now),
        summary.rtt_sample),
    .receive_rate = receive_rate,
    .loss_event_rate = calculate_p (self, &summary, receive_rate, sender),
    .interval = summary.elapsed,
  };
  self->reported_at = now;
  self->newest_sent_at = summary.newest->sent_at;
  had_report = self->has_report;
  self->has_report = true;
  /* Counting begins here, which tells nothing of the path to who knows R. */
  if (!had_report && tfrc_rtt_is_known (&sender->rtt))
    return TFRC_DUPLICATE;
  self->counters.reports++;
  return TFRC_OK;
}

TfrcDuration
tfrc_reception_reports_get_delay (const TfrcReceptionReports *self)
{
  return 3 * self->interval / 4;
}
