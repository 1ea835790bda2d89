/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "checks/reception-reports.h"

#include <math.h>

#include "tfrc/equation.h"

/* RFC 3550 section 6.2: "The RECOMMENDED value for a fixed minimum interval is 5
 * seconds".  It is randomized up to 1.5 times that, before the division by 1.21828
 * (section 6.3.1). */
#define INTERVAL (5 * TFRC_SECOND)
#define MAX_INTERVAL (7500 * TFRC_MILLISECOND)
#define INTERVAL_DECAY 8
/* Over a shorter time bursts would be measured, and no rate. */
#define MIN_INTERVAL (200 * TFRC_MILLISECOND)
/* Relative to the threshold: above NEAR_BELOW losses are to be expected; above
 * FAR_ABOVE the link must be another one. */
#define NEAR_BELOW 0.9
#define FAR_ABOVE 1.25
/* Above FAR_ABOVE the rate grows this many times as fast, but by at most so many
 * `increase` steps. */
#define FAR_PART 4.0
#define FAR_MOST 5.0
/* By how much X may exceed the link for each second between reports, relative to the loss
 * that trips a circuit breaker: if the link is known, and if not, then by so much at
 * most. */
#define STEP_PART 0.25
#define START_PART 1.0
#define START_MOST 2.0
/* After each the RTT with a full queue is taken for half as long: the link may be another. */
#define FULL_RTT_HALF_LIFE (60 * TFRC_SECOND)
/* For rare reports of a receiver that reports by bytes, relative to the threshold:
 * the receive rate that shows another link, and how far the rate grows to find out. */
#define PASSED 1.05
#define BEYOND 1.15
/* A receiver reports by bytes if its reports arrive after about the same number of
 * bytes: which deviation from their mean is allowed, how many more intervals must
 * be within it than not, and how many are counted.  Then: which share of these
 * bytes is sent without a report before X is reduced, how often X is reduced, and
 * from which loss on the reduction was right and it was not only a report that got
 * lost. */
#define EVEN 0.05
#define N_EVEN 4
#define MAX_EVEN 8
#define MISSED 0.2
#define MAX_MISSED 3
#define MISSED_LOSS 0.1
/* If losses exceed this, reports get lost as well: two in a row must be missing. */
#define LOSSY 0.05
/* For several receivers: the loss that starts a trial; the share of the rate at
 * which less must have helped; the share of the loss that is no improvement; and
 * the share of it at which an ignored receiver counts again. */
#define TRIAL_LOSS 0.1
#define TRIAL_PART 0.25
#define TRIAL_KEPT 0.75
#define TRIAL_BACK 0.5
/* A group member that loses less than this in its first report does not limit the
 * rate: a start costs everybody as much, and so do the CLR's own losses. */
#define MEMBER_LOSS 0.05
/* As long as a circuit breaker waits for regular RTCP (RFC 8083 section 4.1). */
#define RECEIVER_TIMEOUT (3 * INTERVAL)

/* Sums over the report blocks of one packet. */
typedef struct
{
  uint64_t expected;
  uint64_t lost;
  double recent_expected; /* the same over the last `loss_time` */
  double recent_lost;
  double bytes;                 /* bytes that arrived */
  const TfrcSentPacket *newest; /* newest packet reported as arrived */
  uint32_t ssrc;                /* SSRC of that packet */
  double fraction_lost;         /* largest fraction lost field of the blocks */
  TfrcDuration rtt_sample;
  TfrcDuration elapsed; /* since the previous report */
  TfrcRate receive_rate;
  TfrcRate link_rate; /* bytes / elapsed, assumed to be what the link carries */
} Summary;

/* What earlier reports of a receiver said. */
typedef struct
{
  bool known;
  TfrcTime reported_at;
  TfrcTime newest_sent_at; /* when the newest packet they covered was sent */
  TfrcDuration interval;   /* between the last two; 0: only one so far */
} Before;

TfrcReceptionConfig
tfrc_reception_config_default (void)
{
  return (TfrcReceptionConfig) {
    .decrease = 0.85,
    .increase = 1.1,
    .near_time = 2 * TFRC_SECOND,
    .loss_time = INTERVAL,
  };
}

void
tfrc_reception_reports_init (TfrcReceptionReports *self,
    const TfrcReceptionConfig *config)
{
  *self = (TfrcReceptionReports) {
    .config = *config,
    .interval = INTERVAL,
    .threshold = (double) INFINITY,
    .limit = (double) INFINITY,
  };
}

void
tfrc_reception_reports_forget (TfrcReceptionReports *self)
{
  self->n_streams = 0;
  self->has_report = false;
  self->limit = (double) INFINITY;
}

/* RFC 3550 section 6.4.1: A - LSR - DLSR.  Samples longer than the newest packet
 * has been in flight are wrong, whatever clock the SR used. */
static void
measure_rtt (Summary *summary, const RtpReportBlock *block, uint32_t ntp)
{
  uint32_t units = ntp - block->last_sender_report
      - block->delay_since_sender_report;
  TfrcDuration sample = units * TFRC_SECOND / 65536;

  if (block->last_sender_report != 0 && sample > 0)
    summary->rtt_sample = tfrc_time_min (summary->rtt_sample, sample);
}

/* The newest packet covered by the block; NULL if that cannot have arrived. */
static const TfrcSentPacket *
find_newest (const TfrcSenderBased *sent, const RtpReportBlock *block,
    TfrcTime now)
{
  const TfrcSentPacket *packet = tfrc_sender_based_find_sent (sent,
      block->media_ssrc, (uint16_t) block->highest_seq);

  return packet != NULL && packet->sent_at < now ? packet : NULL;
}

static Before
look_up (const TfrcReceptionReports *self, uint32_t reporter_ssrc)
{
  Before before = { 0 };

  for (uint32_t i = 0; i < self->n_streams; i++) {
    const TfrcReceptionStream *stream = &self->streams[i];

    if (stream->reporter_ssrc != reporter_ssrc)
      continue;
    before.known = true;
    before.reported_at = tfrc_time_max (before.reported_at,
        stream->reported_at);
    before.newest_sent_at = tfrc_time_max (before.newest_sent_at,
        stream->sent_at);
    before.interval = tfrc_time_max (before.interval, stream->interval);
  }
  return before;
}

/* Whether the receiver was silent for so long that it counts as gone, like the one
 * that limits a group (tfrc_reception_reports_forget_silent).  Two reports in a row
 * may have been lost. */
static bool
was_gone (const Before *before, TfrcTime now)
{
  return before->known
      && tfrc_time_since (before->reported_at, now)
      > tfrc_time_max (RECEIVER_TIMEOUT, 3 * before->interval);
}

static TfrcResult
check_blocks (TfrcReceptionReports *self, const RtpReportBlock *blocks,
    uint32_t n, const Before *before, const TfrcSenderBased *sent,
    Summary *summary, TfrcTime now)
{
  if (n == 0
      || (before->known
          && tfrc_time_since (before->reported_at, now) < MIN_INTERVAL))
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
  if (summary->newest == NULL)
    return TFRC_INVALID;
  /* Nothing has arrived since the previous report. */
  if (before->known && summary->newest->sent_at <= before->newest_sent_at)
    return TFRC_DUPLICATE;
  return TFRC_OK;
}

/* The place of the stream, or one to reuse, which then has another SSRC.  NULL: all
 * places belong to streams that are still reported. */
static TfrcReceptionStream *
find_stream (TfrcReceptionReports *self, const RtpReportBlock *block,
    TfrcTime now)
{
  TfrcReceptionStream *oldest = &self->streams[0];

  for (uint32_t i = 0; i < self->n_streams; i++) {
    TfrcReceptionStream *stream = &self->streams[i];

    if (stream->reporter_ssrc == block->reporter_ssrc
        && stream->ssrc == block->media_ssrc)
      return stream;
    if (stream->reported_at < oldest->reported_at)
      oldest = stream;
  }
  if (self->n_streams < TFRC_RECEPTION_STREAMS)
    oldest = &self->streams[self->n_streams++];
  else if (tfrc_time_since (oldest->reported_at, now) < RECEIVER_TIMEOUT)
    return NULL;
  oldest->ssrc = ~block->media_ssrc;
  return oldest;
}

/* The packets expected are those that were sent, whatever the receiver says.
 * Duplicates count as received, so the cumulative loss may decrease.  Returns false
 * if there is no place. */
static bool
count_losses (TfrcReceptionReports *self, const RtpReportBlock *block,
    const TfrcSentPacket *newest, Summary *summary, TfrcTime now)
{
  TfrcReceptionStream *stream = find_stream (self, block, now);
  TfrcReceptionTrial trial = { 0 };
  double recent_expected = 0.0, recent_lost = 0.0;
  TfrcDuration elapsed = 0;
  int64_t lost;

  if (stream == NULL)
    return false;
  if (stream->ssrc == block->media_ssrc) {
    trial = stream->trial;
    elapsed = tfrc_time_since (stream->reported_at, now);
  }
  lost = (int64_t) block->cumulative_lost - stream->lost;
  if (stream->ssrc == block->media_ssrc && newest->number > stream->number
      && newest->bytes > stream->bytes) {
    uint64_t expected = newest->number - stream->number;
    uint64_t n_lost = lost > 0 ? tfrc_time_min ((uint64_t) lost, expected) : 0;
    /* Fraction of the earlier losses that still counts. */
    double kept = elapsed >= self->config.loss_time
        ? 0.0
        : 1.0 - (double) elapsed / (double) self->config.loss_time;

    recent_expected = (double) expected + kept * stream->recent_expected;
    recent_lost = (double) n_lost + kept * stream->recent_lost;
    summary->recent_expected += recent_expected;
    summary->recent_lost += recent_lost;
    summary->expected += expected;
    summary->lost += n_lost;
    summary->bytes += (double) (newest->bytes - stream->bytes)
        * (double) (expected - n_lost) / (double) expected;
  }
  *stream = (TfrcReceptionStream) {
    .trial = trial,
    .reporter_ssrc = block->reporter_ssrc,
    .ssrc = block->media_ssrc,
    .number = newest->number,
    .bytes = newest->bytes,
    .lost = block->cumulative_lost,
    .recent_expected = recent_expected,
    .recent_lost = recent_lost,
    .sent_at = newest->sent_at,
    .reported_at = now,
    .interval = elapsed,
  };
  return true;
}

/* The p at which X will be `rate`. */
static double
find_p (const TfrcSender *sender, const Summary *summary, TfrcRate rate)
{
  return tfrc_sender_get_loss_event_rate_for (sender, rate, summary->rtt_sample,
      summary->elapsed);
}

void
tfrc_reception_reports_on_bye (TfrcReceptionReports *self,
    uint32_t reporter_ssrc)
{
  uint32_t kept = 0;

  for (uint32_t i = 0; i < self->n_streams; i++)
    if (self->streams[i].reporter_ssrc != reporter_ssrc)
      self->streams[kept++] = self->streams[i];
  self->n_streams = kept;
  if (self->reporter_ssrc != reporter_ssrc)
    return;
  /* The next receiver need not report by bytes. */
  self->bytes = 0.0;
  self->n_even = 0;
  self->has_report = false;
  self->limit = (double) INFINITY;
}

void
tfrc_reception_reports_on_return (TfrcReceptionReports *self,
    uint32_t reporter_ssrc, TfrcTime at)
{
  const Before before = look_up (self, reporter_ssrc);

  if (before.known && before.newest_sent_at < at)
    tfrc_reception_reports_on_bye (self, reporter_ssrc);
}

bool
tfrc_reception_reports_is_ignored (const TfrcReceptionReports *self,
    uint32_t reporter_ssrc)
{
  for (uint32_t i = 0; i < self->n_streams; i++)
    if (self->streams[i].reporter_ssrc == reporter_ssrc)
      return self->streams[i].trial.ignored;
  return false;
}

static bool
has_others (const TfrcReceptionReports *self, uint32_t reporter_ssrc,
    TfrcTime now)
{
  for (uint32_t i = 0; i < self->n_streams; i++) {
    const TfrcReceptionStream *stream = &self->streams[i];

    if (stream->reporter_ssrc != reporter_ssrc
        && tfrc_time_since (stream->reported_at, now) < RECEIVER_TIMEOUT
        && !tfrc_reception_reports_is_ignored (self, stream->reporter_ssrc))
      return true;
  }
  return false;
}

static TfrcResult
read_blocks (TfrcReceptionReports *self, const RtpReportBlock *blocks,
    uint32_t n, const TfrcSenderBased *sent, uint32_t ntp, Before *before,
    Summary *summary, TfrcTime now)
{
  TfrcResult result;
  bool counted = false;

  if (n > 0)
    *before = look_up (self, blocks[0].reporter_ssrc);
  if (was_gone (before, now)
      && has_others (self, blocks[0].reporter_ssrc, now)) {
    tfrc_reception_reports_on_bye (self, blocks[0].reporter_ssrc);
    *before = (Before) { 0 };
  }
  result = check_blocks (self, blocks, n, before, sent, summary, now);
  if (result != TFRC_OK)
    return result;
  /* Upper bound: the time since the newest packet was sent. */
  summary->rtt_sample = tfrc_time_since (summary->newest->sent_at, now);
  for (uint32_t i = 0; i < n; i++) {
    const TfrcSentPacket *newest = find_newest (sent, &blocks[i], now);

    measure_rtt (summary, &blocks[i], ntp);
    summary->fraction_lost = fmax (summary->fraction_lost,
        blocks[i].fraction_lost / 256.0);
    if (newest != NULL)
      counted |= count_losses (self, &blocks[i], newest, summary, now);
  }
  /* There are too many receivers. */
  if (!counted)
    return TFRC_FOREIGN;
  /* Otherwise these are not the streams that were reported before. */
  if (summary->expected > 0) {
    summary->elapsed = tfrc_time_since (before->reported_at, now);
    summary->receive_rate = summary->link_rate = tfrc_rate_of (summary->bytes,
        summary->elapsed);
  }
  return TFRC_OK;
}

/* p from a receiver's losses.  Those of an overflowing queue are one loss event, so
 * they may not make X less than `decrease` times the receive rate; and only the
 * losses that this p stands for are remembered. */
static double
get_p_lost (TfrcReceptionReports *self, uint32_t reporter_ssrc,
    const Summary *summary, const TfrcSender *sender)
{
  double fraction, p;

  if (summary->lost == 0 || !tfrc_rtt_is_known (&sender->rtt))
    return 0.0;
  fraction = summary->recent_lost / summary->recent_expected;
  p = find_p (sender, summary, self->config.decrease * summary->receive_rate);
  if (p >= fraction)
    return fraction;
  for (uint32_t i = 0; i < self->n_streams; i++)
    if (self->streams[i].reporter_ssrc == reporter_ssrc)
      self->streams[i].recent_lost *= p / fraction;
  return p;
}

static bool
is_first_of_receiver (const TfrcReceptionReports *self, uint32_t i)
{
  for (uint32_t k = 0; k < i; k++)
    if (self->streams[k].reporter_ssrc == self->streams[i].reporter_ssrc)
      return false;
  return true;
}

uint32_t
tfrc_reception_reports_count (const TfrcReceptionReports *self, TfrcTime now)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < self->n_streams; i++)
    n += tfrc_time_since (self->streams[i].reported_at, now) < RECEIVER_TIMEOUT
        && is_first_of_receiver (self, i);
  return n;
}

/* Number of `increase` steps after a rare report.  If more arrives than when the
 * rate was last lowered, the link is another one.  Otherwise the rate grows up to
 * where that would show. */
static double
get_rare_times (const TfrcReceptionReports *self, const Summary *summary,
    TfrcRate rate, double times)
{
  double beyond = BEYOND * self->threshold / rate - 1.0;

  if (summary->receive_rate >= PASSED * self->threshold)
    return FAR_MOST;
  return fmax (fmin (times, beyond / (self->config.increase - 1.0)), 1.0);
}

/* Factor by which `rate` may grow. */
static double
get_increase (const TfrcReceptionReports *self, const Summary *summary,
    TfrcRate rate, TfrcTime now)
{
  const TfrcReceptionConfig *config = &self->config;
  double times;

  if (2.0 * rate <= self->threshold)
    return fmax (2.0, config->increase);
  if (config->near_time == 0)
    return config->increase;
  times = (double) summary->elapsed / (double) config->near_time;
  /* With several receivers the threshold may be that of another one. */
  if (self->n_even >= N_EVEN && times >= 1.0
      && tfrc_reception_reports_count (self, now) == 1)
    times = get_rare_times (self, summary, rate, times);
  else if (rate >= FAR_ABOVE * self->threshold)
    times = fmin (fmax (FAR_PART * times, 1.0), FAR_MOST);
  else
    times = rate > NEAR_BELOW * self->threshold ? fmin (times, 1.0) : 1.0;
  return 1.0 + (config->increase - 1.0) * times;
}

/* The fraction lost at which a circuit breaker trips: ten times s / (R sqrt (2 p / 3)) is
 * `rate` (RFC 8083 section 4.3). */
static double
get_tripping_loss (const TfrcSender *sender, TfrcRate rate, TfrcDuration rtt)
{
  double packets = tfrc_rate_bytes_in (rate, rtt)
      / tfrc_segment_size_get (&sender->segment_size);

  return 1.5 * 100.0 / (packets * packets);
}

static TfrcDuration
get_full_rtt (const TfrcReceptionReports *self, TfrcTime now)
{
  TfrcTime age = tfrc_time_since (self->lowered_at, now);

  return self->full_rtt >> tfrc_time_min (age / FULL_RTT_HALF_LIFE, 63);
}

/* The same as get_increase, but what exceeds the link until the next report must not
 * trip a circuit breaker.  Nothing does below the threshold.  Twice what the link carries
 * loses a half.  Reports by bytes come the sooner the more X exceeds the link. */
static double
get_safe_increase (const TfrcReceptionReports *self, const Summary *summary,
    const TfrcSender *sender, TfrcRate rate, TfrcTime now)
{
  bool starts = isinf (self->threshold);
  bool unknown = starts || rate >= FAR_ABOVE * self->threshold;
  double increase = starts ? 2.0 : get_increase (self, summary, rate, now);
  double seconds = tfrc_duration_to_seconds (tfrc_time_min (summary->elapsed,
      INTERVAL));
  /* Losses come from a full queue. */
  TfrcDuration rtt = unknown
      ? sender->rtt.rtt
      : tfrc_time_max (sender->rtt.rtt, get_full_rtt (self, now));
  double loss = get_tripping_loss (sender, rate, rtt);
  double room = starts ? 1.0 : NEAR_BELOW * self->threshold / rate;

  if (loss >= 0.5 || self->n_even >= N_EVEN)
    return increase;
  loss *= unknown ? fmin (START_PART * seconds, START_MOST)
                  : STEP_PART * seconds;
  return fmin (increase, fmax (1.0 + loss, room));
}

static double
calculate_p (TfrcReceptionReports *self, const Summary *summary, double p,
    const TfrcSender *sender, TfrcRate rate, TfrcTime now)
{
  double increase;

  if (!tfrc_rtt_is_known (&sender->rtt))
    return summary->fraction_lost;
  if (p > find_p (sender, summary, rate)) {
    self->threshold = summary->link_rate;
    /* Not by what was sent before. */
    if (tfrc_time_since (self->lowered_at, now) > summary->elapsed)
      self->full_rtt = tfrc_time_max (summary->rtt_sample,
          get_full_rtt (self, now) / 2);
    self->lowered_at = now;
  }
  increase = get_safe_increase (self, summary, sender, rate, now);
  if (isinf (self->threshold) && p <= 0.0 && increase >= 2.0)
    return 0.0;
  return fmax (p, find_p (sender, summary, increase * rate));
}

static bool
is_followed (const TfrcReceptionReports *self, uint32_t reporter_ssrc,
    const Summary *summary, double p, const TfrcSender *sender, TfrcTime now)
{
  /* Two intervals, so that the sender's nofeedback timer, which waits for three,
   * does not expire. */
  return !self->has_report || reporter_ssrc == self->reporter_ssrc
      || tfrc_time_since (self->reported_at, now) >= 2 * self->interval
      || (p > 0.0 && p > find_p (sender, summary, sender->rate));
}

/* Returns NULL if it has reported nothing. */
static TfrcReceptionTrial *
find_trial (TfrcReceptionReports *self, uint32_t reporter_ssrc)
{
  for (uint32_t i = 0; i < self->n_streams; i++)
    if (self->streams[i].reporter_ssrc == reporter_ssrc)
      return &self->streams[i].trial;
  return NULL;
}

bool
tfrc_reception_reports_poll_ignored (TfrcReceptionReports *self,
    uint32_t *reporter_ssrc)
{
  *reporter_ssrc = self->ignored_ssrc;
  self->ignored_ssrc = 0;
  return *reporter_ssrc != 0;
}

/* Whether a lower rate has not reduced the losses. */
static bool
lower_rate_did_not_help (const TfrcReceptionReports *self,
    const TfrcReceptionTrial *trial, double lost, const TfrcSender *sender)
{
  return sender->rate < self->floor
      || (sender->rate <= TRIAL_PART * trial->rate
          && lost >= TRIAL_KEPT * trial->lost);
}

/* Returns true if the receiver is ignored. */
static bool
try_less (TfrcReceptionReports *self, uint32_t reporter_ssrc,
    const Summary *summary, const TfrcSender *sender, TfrcTime now)
{
  TfrcReceptionTrial *trial = find_trial (self, reporter_ssrc);
  double lost;

  if (trial == NULL || summary->expected == 0)
    return trial != NULL && trial->ignored;
  lost = (double) summary->lost / (double) summary->expected;
  if (lost < (trial->ignored ? TRIAL_BACK * trial->lost : TRIAL_LOSS)
      || !has_others (self, reporter_ssrc, now)) {
    *trial = (TfrcReceptionTrial) { 0 };
    return false;
  }
  if (trial->ignored)
    return true;
  if (trial->rate <= 0.0)
    *trial = (TfrcReceptionTrial) {
      .rate = sender->rate, .lost = lost, .since = TFRC_TIME_NONE
    };
  /* The time since the previous report counts, but none before X was lowered. */
  if (!lower_rate_did_not_help (self, trial, lost, sender))
    trial->since = TFRC_TIME_NONE;
  else if (trial->since == TFRC_TIME_NONE)
    trial->since = tfrc_time_max (tfrc_time_sub (now, summary->elapsed),
        self->lowered_at);
  if (trial->since != TFRC_TIME_NONE
      && tfrc_time_since (trial->since, now) >= self->config.loss_time) {
    trial->ignored = true;
    trial->lost = lost;
    self->ignored_ssrc = reporter_ssrc;
    self->threshold = fmax (self->threshold, trial->rate);
    if (self->reporter_ssrc == reporter_ssrc)
      self->has_report = false;
  }
  return trial->ignored;
}

/* Reports missed from another receiver do not count for this one. */
static void
follow (TfrcReceptionReports *self, uint32_t reporter_ssrc, TfrcTime now)
{
  if (!self->has_report || reporter_ssrc != self->reporter_ssrc)
    self->n_missed = 0;
  self->reporter_ssrc = reporter_ssrc;
  self->reported_at = now;
  self->has_report = true;
}

/* A burst of losses may be split between two reports, one with fewer and one with
 * more bytes. */
static void
note_bytes (TfrcReceptionReports *self, double bytes)
{
  if (fabs (bytes - self->bytes) > EVEN * self->bytes)
    self->n_even -= self->n_even > 0;
  else if (self->n_even < MAX_EVEN)
    self->n_even++;
  self->bytes = self->bytes > 0.0 ? (3.0 * self->bytes + bytes) / 4.0 : bytes;
}

/* Bytes sent since the newest packet that was reported.  Sets *lossy if the
 * receiver loses many. */
static double
get_unreported_bytes (const TfrcReceptionReports *self,
    const TfrcSenderBased *sent, bool *lossy)
{
  double bytes = 0.0, expected = 0.0, lost = 0.0;

  for (uint32_t i = 0; i < self->n_streams; i++) {
    const TfrcReceptionStream *stream = &self->streams[i];

    if (stream->reporter_ssrc != self->reporter_ssrc)
      continue;
    bytes += (double) (tfrc_sender_based_get_sent_bytes (sent, stream->ssrc)
        - stream->bytes);
    expected += stream->recent_expected;
    lost += stream->recent_lost;
  }
  *lossy = lost > LOSSY * expected;
  return bytes;
}

bool
tfrc_reception_reports_poll_missed (TfrcReceptionReports *self,
    const TfrcSender *sender, const TfrcSenderBased *sent)
{
  double part = 1.0 + MISSED * (self->n_missed + 1);
  double bytes;
  bool lossy;

  if (!self->has_report || self->n_even < N_EVEN
      || self->n_missed == MAX_MISSED)
    return false;
  bytes = get_unreported_bytes (self, sent, &lossy);
  if (bytes <= (lossy ? part + 1.0 : part) * self->bytes
          + tfrc_rate_bytes_in (sender->rate, sender->rtt.rtt))
    return false;
  if (self->n_missed++ == 0)
    self->missed_rate = sender->rate;
  /* The time that these bytes take at half of X. */
  self->interval = tfrc_time_max (self->interval,
      tfrc_time_min (tfrc_rate_time_for (sender->rate / 2.0, self->bytes),
          MAX_INTERVAL));
  return true;
}

/* A report has arrived after one was missed.  If it shows few losses, the missed
 * one was lost, and X is restored.  Otherwise this report also covers the time
 * before the link became slower, and X may stay as it was reduced.  If only one was
 * missed, X may as well have grown too far; what arrived is then taken as the rate
 * of the link. */
static TfrcRate
end_missed (TfrcReceptionReports *self, Summary *summary, TfrcRate rate)
{
  bool slower = (double) summary->lost
      > MISSED_LOSS * (double) summary->expected;

  if (self->n_missed > 0 && slower) {
    summary->receive_rate = fmin (summary->receive_rate,
        rate / self->config.decrease);
    if (self->n_missed > 1)
      summary->link_rate = summary->receive_rate;
    self->threshold = summary->link_rate;
  } else if (self->n_missed > 0)
    rate = fmax (rate, self->missed_rate);
  self->n_missed = 0;
  return rate;
}

TfrcResult
tfrc_reception_reports_on_blocks (TfrcReceptionReports *self,
    const RtpReportBlock *blocks, uint32_t n, const TfrcSender *sender,
    const TfrcSenderBased *sent, uint32_t ntp, TfrcFeedback *feedback,
    TfrcTime now)
{
  Before before = { 0 };
  Summary summary = { 0 };
  TfrcRate rate = sender->rate;
  TfrcResult result;
  double p;

  if (n > 0 && blocks[0].reporter_ssrc != self->reporter_ssrc)
    tfrc_reception_reports_forget_silent (self, now);
  result = read_blocks (self, blocks, n, sent, ntp, &before, &summary, now);
  if (result != TFRC_OK)
    return result;
  if (self->has_report && blocks[0].reporter_ssrc == self->reporter_ssrc)
    rate = end_missed (self, &summary, rate);
  if (try_less (self, blocks[0].reporter_ssrc, &summary, sender, now))
    return TFRC_DUPLICATE;
  p = get_p_lost (self, blocks[0].reporter_ssrc, &summary, sender);
  if (!is_followed (self, blocks[0].reporter_ssrc, &summary, p, sender, now))
    return TFRC_DUPLICATE;
  follow (self, blocks[0].reporter_ssrc, now);
  if (summary.expected > 0) {
    note_bytes (self, summary.bytes);
    self->interval =
        tfrc_time_max (tfrc_time_min (summary.elapsed, MAX_INTERVAL),
            self->interval - self->interval / INTERVAL_DECAY);
  }
  *feedback = (TfrcFeedback) {
    .media_ssrc = summary.ssrc,
    .echo_time_us = summary.newest->extension.send_time_us,
    .echo_delay = tfrc_time_sub (tfrc_time_since (summary.newest->sent_at, now),
        summary.rtt_sample),
    .receive_rate = summary.receive_rate,
    .loss_event_rate = calculate_p (self, &summary, p, sender, rate, now),
    .interval = summary.elapsed,
  };
  /* Counting starts with this report, so if R is known it says nothing about the
   * path. */
  if (!before.known && tfrc_rtt_is_known (&sender->rtt))
    return TFRC_DUPLICATE;
  self->n_reports++;
  return TFRC_OK;
}

/* The next limit for the member that is followed: what it can take if it has
 * losses, else a step more.  At most twice what arrives, as for a rate that is not
 * used (RFC 5348 section 4.3). */
static TfrcRate
find_next_limit (TfrcReceptionReports *self, const Summary *summary,
    TfrcRate taken, TfrcTime now)
{
  TfrcRate rate = self->limit * get_increase (self, summary, self->limit, now);

  if (taken < self->limit)
    self->threshold = summary->receive_rate;
  return fmin (taken,
      fmin (rate, fmax (self->limit, 2.0 * summary->receive_rate)));
}

TfrcResult
tfrc_reception_reports_on_member (TfrcReceptionReports *self,
    const RtpReportBlock *blocks, uint32_t n, const TfrcGroupSent *sent,
    uint32_t ntp, TfrcTime now)
{
  Before before = { 0 };
  Summary summary = { 0 };
  TfrcRate taken = (double) INFINITY;
  TfrcResult result;
  double lost;
  bool follows;

  result = read_blocks (self, blocks, n, sent->packets, ntp, &before, &summary,
      now);
  if (result != TFRC_OK)
    return result;
  lost = summary.fraction_lost;
  if (summary.expected > 0)
    lost = (double) summary.lost / (double) summary.expected;
  else /* counting starts with this report */
    summary.receive_rate = sent->rate * (1.0 - lost);
  if (lost > 0.0) {
    TfrcPath path = tfrc_path_rfc5348 (sent->size, summary.rtt_sample);

    taken = fmax (tfrc_equation_rate (&path, lost),
        self->config.decrease * summary.receive_rate);
  }
  self->limit = fmin (self->limit, sent->first);
  follows = self->has_report && blocks[0].reporter_ssrc == self->reporter_ssrc;
  if (!follows && (self->has_report || isinf (sent->first))
      && (lost < MEMBER_LOSS || taken >= self->limit))
    return TFRC_DUPLICATE;
  if (!follows)
    self->threshold = lost < MEMBER_LOSS
        ? (double) INFINITY
        : summary.receive_rate;
  self->limit = fmax (sent->least,
      follows ? find_next_limit (self, &summary, taken, now)
              : fmin (taken, self->limit));
  follow (self, blocks[0].reporter_ssrc, now);
  self->interval = summary.elapsed;
  self->n_reports++;
  return TFRC_OK;
}

void
tfrc_reception_reports_forget_silent (TfrcReceptionReports *self, TfrcTime now)
{
  TfrcDuration timeout = tfrc_time_min (TFRC_MEMBER_TIMEOUT,
      tfrc_time_max (RECEIVER_TIMEOUT, 3 * self->interval));

  if (self->has_report && tfrc_time_since (self->reported_at, now) > timeout)
    tfrc_reception_reports_on_bye (self, self->reporter_ssrc);
}

TfrcDuration
tfrc_reception_reports_get_delay (const TfrcReceptionReports *self)
{
  return 3 * self->interval / 4;
}
