/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfrc/sender.h"

#include <assert.h>
#include <math.h>

/* q and q2 of RFC 5348 sections 4.3 and 4.5. */
#define RTT_WEIGHT 0.9
/* alpha, beta and K of RFC 6298 section 2. */
#define SRTT_GAIN 0.125
#define RTTVAR_GAIN 0.25
#define RTTVAR_FACTOR 4.0

void
tfrc_rtt_init (TfrcRtt *self, const TfrcRtoConfig *config)
{
  *self = (TfrcRtt) { .config = *config };
  if (!(self->config.scale >= 1.0) || isinf (self->config.scale))
    self->config.scale = 1.0;
}

static TfrcDuration
smooth (TfrcDuration rtt, TfrcDuration sample, double kept)
{
  double mean = kept * (double) rtt + (1.0 - kept) * (double) sample;

  return mean < 1.0 ? 1 : (TfrcDuration) (mean + 0.5);
}

/* A sample that stands for `n` has the weight of n equal ones. */
void
tfrc_rtt_on_samples (TfrcRtt *self, TfrcDuration sample, double n)
{
  double seconds = tfrc_duration_to_seconds (sample);
  double kept = pow (RTT_WEIGHT, n);

  assert (sample > 0);
  if (!tfrc_rtt_is_known (self)) {
    self->rtt = sample;
    self->sqrt_mean = sqrt (seconds);
    self->srtt = seconds;
    self->rttvar = seconds / 2.0;
  } else {
    self->rtt = smooth (self->rtt, sample, kept);
    self->sqrt_mean = kept * self->sqrt_mean + (1.0 - kept) * sqrt (seconds);
    /* RFC 6298 section 2.3: RTTVAR first, with the old SRTT. */
    self->rttvar += (1.0 - pow (1.0 - RTTVAR_GAIN, n))
        * (fabs (self->srtt - seconds) - self->rttvar);
    self->srtt += (1.0 - pow (1.0 - SRTT_GAIN, n)) * (seconds - self->srtt);
  }
  self->sample = sample;
}

TfrcDuration
tfrc_rtt_get_smoothed (const TfrcRtt *self, TfrcDuration sample)
{
  return tfrc_rtt_is_known (self)
      ? smooth (self->rtt, sample, RTT_WEIGHT)
      : sample;
}

bool
tfrc_rtt_is_known (const TfrcRtt *self)
{
  return self->rtt != 0;
}

static double
get_tcp_rto (const TfrcRtt *self)
{
  /* RFC 6298 section 2: the G in max (G, K RTTVAR) is the 1 us of our wire format,
   * which is negligible beside the floor. */
  double rto = self->srtt + RTTVAR_FACTOR * self->rttvar;

  return fmax (rto, tfrc_duration_to_seconds (self->config.floor));
}

TfrcDuration
tfrc_rtt_get_rto (const TfrcRtt *self)
{
  assert (tfrc_rtt_is_known (self));
  switch (self->config.mode) {
    case TFRC_RTO_TCP:
      return tfrc_duration_from_seconds (get_tcp_rto (self));
    case TFRC_RTO_SCALED:
      /* Rhee and Xu 2007 section VII: a smaller t_RTO raises the rate where losses
       * are frequent, and TFRC would get less than TCP. */
      return tfrc_duration_from_seconds (get_tcp_rto (self)
          / self->config.scale);
    case TFRC_RTO_RFC5348:
    default:
      return 4 * self->rtt;
  }
}

double
tfrc_rtt_get_damping (const TfrcRtt *self)
{
  /* A sample is at least 1 ns, so the root is positive. */
  if (!tfrc_rtt_is_known (self))
    return 1.0;
  return self->sqrt_mean / sqrt (tfrc_duration_to_seconds (self->sample));
}

static void
add (TfrcReceiveSet *self, TfrcRate receive_rate, TfrcTime now)
{
  uint32_t i;

  if (self->length < TFRC_RECEIVE_SET_SIZE)
    self->length++;
  for (i = self->length - 1; i > 0; i--) {
    self->rate[i] = self->rate[i - 1];
    self->at[i] = self->at[i - 1];
  }
  self->rate[0] = receive_rate;
  self->at[0] = now;
}

void
tfrc_receive_set_update (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcDuration rtt, TfrcTime now)
{
  assert (receive_rate >= 0.0);
  add (self, receive_rate, now);
  /* The newest come first, so the old ones are at the end; the one just added
   * stays. */
  while (tfrc_time_since (self->at[self->length - 1], now) > 2 * rtt)
    self->length--;
}

void
tfrc_receive_set_maximize (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcTime now)
{
  TfrcRate largest = receive_rate;
  uint32_t i;

  assert (receive_rate >= 0.0);
  for (i = 0; i < self->length; i++)
    if (!isinf (self->rate[i]))
      largest = fmax (largest, self->rate[i]);
  tfrc_receive_set_reset (self, largest, now);
}

void
tfrc_receive_set_halve (TfrcReceiveSet *self)
{
  uint32_t i;

  for (i = 0; i < self->length; i++)
    self->rate[i] /= 2.0;
}

void
tfrc_receive_set_reset (TfrcReceiveSet *self, TfrcRate rate, TfrcTime now)
{
  self->rate[0] = rate;
  self->at[0] = now;
  self->length = 1;
}

TfrcRate
tfrc_receive_set_max (const TfrcReceiveSet *self)
{
  TfrcRate largest = 0.0;
  uint32_t i;

  for (i = 0; i < self->length; i++)
    largest = fmax (largest, self->rate[i]);
  return largest;
}

void
tfrc_data_limit_on_rate_limited (TfrcDataLimit *self, TfrcDuration resolution,
    TfrcTime now)
{
  TfrcRateLimitedSpan *newest = &self->spans[self->head];

  if (self->length > 0 && now - newest->first_at <= resolution) {
    newest->last_at = now;
    return;
  }
  self->head = (self->head + 1) % TFRC_DATA_LIMIT_SPANS;
  self->spans[self->head] = (TfrcRateLimitedSpan) { now, now };
  if (self->length < TFRC_DATA_LIMIT_SPANS)
    self->length++;
}

bool
tfrc_data_limit_covers (const TfrcDataLimit *self, TfrcTime echo,
    TfrcDuration rtt)
{
  uint32_t i;

  /* From the newest backwards; the interval may start before the clock's origin. */
  for (i = 0; i < self->length; i++) {
    const TfrcRateLimitedSpan *span =
        &self->spans[(self->head + TFRC_DATA_LIMIT_SPANS - i)
            % TFRC_DATA_LIMIT_SPANS];

    if (span->first_at <= echo)
      return echo >= rtt && span->last_at <= echo - rtt;
  }
  return true;
}

/* Nofeedback timer before the first RTT sample, RFC 5348 section 4.2. */
#define WAITING_INTERVAL (2 * TFRC_SECOND)
/* The instants at which the rate was the limit are kept in TFRC_DATA_LIMIT_SPANS
 * spans of this part of R, or of the report delay: 16 of these in all. */
#define LIMIT_SPANS_PER_RTT 8
/* Nothing is left of the previous value by then: 0.9^64 = 0.1 %. */
#define MAX_RTTS_PER_SAMPLE 64
/* A sample that many R after the previous one, between these limits, counts as one,
 * as in RFC 5348. */
#define SAMPLE_OFTEN 0.7
#define SAMPLE_RARE 2.0
/* RFC 5348 section 4.3, step 4, for losses in a data-limited interval. */
#define DATA_LIMITED_LOSS_FACTOR 0.85
/* p is a mean over this many loss events. */
#define LOSS_RTT_WEIGHT 8

TfrcSenderConfig
tfrc_sender_config_default (void)
{
  return (TfrcSenderConfig) {
    .max_segment_size = 1200,
    .max_rate = INFINITY,
    .granularity = TFRC_MILLISECOND,
    .max_credit = 10 * TFRC_MILLISECOND,
    .oscillation_damping = true,
    .self_clocking = false,
    .self_clocking_factor = 1.1,
    .rto = { .mode = TFRC_RTO_RFC5348, .scale = 3.0, .floor = TFRC_SECOND },
    .rate_scale = 1.0,
    .packets_per_ack = 1.0,
    .probe_interval = 3 * TFRC_SECOND,
    .min_nofeedback_interval = 20 * TFRC_MILLISECOND,
    .tcp = TFRC_TCP_CUBIC,
    .fast_return = true,
  };
}

void
tfrc_sender_init (TfrcSender *self, const TfrcSenderConfig *config)
{
  *self = (TfrcSender) { .config = *config };
  if (self->config.max_segment_size == 0)
    self->config.max_segment_size = 1;
  if (!(self->config.self_clocking_factor >= 1.0))
    self->config.self_clocking_factor = 1.0;
  if (!(self->config.rate_scale > 0.0))
    self->config.rate_scale = 1.0;
  if (!(self->config.packets_per_ack >= 1.0))
    self->config.packets_per_ack = 1.0;
  if (self->config.probe_interval == 0)
    self->config.probe_interval = TFRC_MAX_BACKOFF_INTERVAL;

  tfrc_pacer_init (&self->pacer, self->config.granularity,
      self->config.max_credit);
  if (self->config.small_packets)
    self->pacer.min_interval = TFRC_SMALL_PACKETS_MIN_INTERVAL;
  tfrc_receive_set_reset (&self->receive_set, INFINITY, 0);
  tfrc_rtt_init (&self->rtt, &self->config.rto);
  tfrc_segment_size_init (&self->segment_size,
      (double) self->config.max_segment_size);

  self->state = TFRC_SENDER_WAITING;
  self->equation_rate = INFINITY;
  self->receive_limit = INFINITY;
  self->send_limit = INFINITY;
  self->loss_reported_at = TFRC_TIME_NONE;
  self->nofeedback_at = TFRC_TIME_NONE;
  self->reported_at = TFRC_TIME_NONE;
  /* RFC 5348 section 4.2: one packet per second until an RTT is known. */
  self->rate = config->start_rate > 0.0
      ? config->start_rate
      : tfrc_segment_size_get (&self->segment_size);
  tfrc_sender_set_max_rate (self, config->max_rate);
}

void
tfrc_sender_set_start_rate (TfrcSender *self, TfrcRate rate)
{
  assert (self->state == TFRC_SENDER_WAITING && rate > 0.0);
  self->config.start_rate = self->rate = fmin (rate, self->config.max_rate);
}

/* Whether X is a number of packets, as before the first feedback without a start
 * rate. */
static bool
counts_packets (const TfrcSender *self)
{
  return self->state == TFRC_SENDER_WAITING && !(self->config.start_rate > 0.0);
}

/* The rate that schedules a packet of `size` bytes: X_inst, or without feedback at
 * least one packet per probe_interval (RFC 8085 section 3.1). */
static TfrcRate
get_schedule_rate (const TfrcSender *self, double size)
{
  /* Called three times per packet, so without calling fmin (). */
  TfrcRate rate = self->send_limit < self->instant_rate
      ? self->send_limit
      : self->instant_rate;

  if (self->state == TFRC_SENDER_SLOW_START
      || self->state == TFRC_SENDER_EQUATION)
    return rate;
  /* s is positive. */
  if (counts_packets (self))
    rate *= size / tfrc_segment_size_get (&self->segment_size);
  return fmax (rate, tfrc_rate_of (size, self->config.probe_interval));
}

/* R for the pacer.  With a start rate, a late timer must not lower the rate before
 * R is known either. */
static TfrcDuration
get_credit_time (const TfrcSender *self)
{
  return self->state == TFRC_SENDER_WAITING && self->config.start_rate > 0.0
      ? self->config.max_credit
      : self->rtt.rtt;
}

TfrcTime
tfrc_sender_next_send_at (const TfrcSender *self)
{
  return tfrc_pacer_next_send_at (&self->pacer,
      get_schedule_rate (self, (double) self->pacer.last_size),
      get_credit_time (self));
}

/* s / t_mbi. */
static TfrcRate
get_minimum_rate (const TfrcSender *self)
{
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      TFRC_MAX_BACKOFF_INTERVAL);
}

/* Sets X, within its bounds, and X_inst by RFC 5348 section 4.5. */
static void
set_rate (TfrcSender *self, TfrcRate rate)
{
  TfrcRate minimum = get_minimum_rate (self);

  self->rate = fmin (fmax (rate, minimum), self->config.max_rate);
  self->instant_rate =
      fmin (fmax (self->rate * tfrc_sender_get_damping (self), minimum),
          self->config.max_rate);
}

/* RFC 5348 section 4.3 step 3, "RTO = max (4 R, 2 s / X)"; before an RTT is known
 * section 4.2 uses 2 s instead of 4 R. */
static TfrcDuration
get_nofeedback_interval (const TfrcSender *self)
{
  double size = tfrc_segment_size_get (&self->segment_size);
  TfrcDuration path = WAITING_INTERVAL;

  if (tfrc_rtt_is_known (&self->rtt))
    path = tfrc_time_max (4 * tfrc_time_max (self->rtt.rtt, self->report_delay),
        self->config.min_nofeedback_interval);
  else if (self->config.start_rate > 0.0)
    path = tfrc_time_max (path, 4 * self->report_delay);
  return tfrc_time_max (path, tfrc_rate_time_for (self->rate, 2.0 * size));
}

TfrcExtension
tfrc_sender_on_sent (TfrcSender *self, uint32_t size, bool backlog,
    TfrcTime now)
{
  double old_size = tfrc_segment_size_get (&self->segment_size);

  assert (now != TFRC_TIME_NONE);
  tfrc_pacer_on_sent (&self->pacer, size,
      get_schedule_rate (self, (double) self->pacer.last_size),
      get_credit_time (self), now);
  tfrc_segment_size_on_packet (&self->segment_size, size,
      self->loss_event_rate);
  self->counters.packets++;
  self->counters.bytes += size;

  /* Before the first RTT sample X is in packets of any size. */
  if (counts_packets (self))
    set_rate (self,
        self->rate / old_size * tfrc_segment_size_get (&self->segment_size));

  if (self->nofeedback_at == TFRC_TIME_NONE)
    self->nofeedback_at = tfrc_time_add (now, get_nofeedback_interval (self));
  self->sent_since_nofeedback = true;
  if (backlog && tfrc_sender_next_send_at (self) > now)
    tfrc_data_limit_on_rate_limited (&self->data_limit,
        tfrc_time_max (self->rtt.rtt, self->report_delay) / LIMIT_SPANS_PER_RTT,
        now);

  return (TfrcExtension) {
    .send_time_us = (uint32_t) (now / TFRC_MICROSECOND)
        + self->config.timestamp_offset_us,
    .rtt = self->rtt.rtt,
  };
}

/* RFC 4828 section 4.2, "X * s_true / (s_true + H)": applies to rates derived from
 * TCP's.  X_recv does not include headers, nor does what is derived from it. */
static double
get_payload_share (const TfrcSender *self)
{
  double size = tfrc_segment_size_get (&self->segment_size);

  return self->config.small_packets
      ? tfrc_small_packets_get_payload_share (size)
      : 1.0;
}

/* RFC 5348 section 4.2: "W_init = min (4 MSS, max (2 MSS, 4380))", divided by the
 * current R, since it is also the recover_rate of section 4.4. */
static TfrcRate
calculate_initial_rate (const TfrcSender *self)
{
  double window = fmin (4.0 * self->config.max_segment_size,
      fmax (2.0 * self->config.max_segment_size, 4380.0));

  return tfrc_rate_of (get_payload_share (self) * window, self->rtt.rtt);
}

/* The weights of sections 4.3 and 4.5 are for one sample per R: a sample of a
 * longer interval counts as several. */
static double
count_interval (TfrcDuration sample, TfrcDuration interval)
{
  uint64_t n = tfrc_time_min (interval / sample, MAX_RTTS_PER_SAMPLE);

  return n > 1 ? (double) n : 1.0;
}

/* D66: a sample counts as many times as RTTs have passed since the previous one,
 * unless that is about one.  A longer sample counts only once: it may have waited
 * for a stopped process. */
static double
count_samples (const TfrcSender *self, const TfrcReport *report, TfrcTime now)
{
  const TfrcRtt *rtt = &self->rtt_before;
  TfrcDuration sample = report->rtt_sample;
  double n;

  if (!self->config.fast_return || report->interval > 0
      || !tfrc_rtt_is_known (rtt))
    return count_interval (sample, report->interval);
  n = (double) tfrc_time_since (rtt->sampled_at, now)
      / (double) tfrc_time_max (tfrc_time_min (rtt->rtt, sample),
          self->report_delay);
  if (n < SAMPLE_OFTEN)
    return n;
  if (sample >= rtt->rtt || (n < SAMPLE_RARE && sample >= rtt->rtt / 2))
    return 1.0;
  return fmin (n, MAX_RTTS_PER_SAMPLE);
}

/* The first sample sets R.  D62: at a start rate many packets are sent before it.
 * Of the reports about these the smallest sample sets R, since the others waited
 * for the first report to be sent.  Returns true if X starts from this sample. */
static bool
begins_rtt (TfrcSender *self, const TfrcReport *report, TfrcTime now)
{
  if (!tfrc_rtt_is_known (&self->rtt)) {
    self->first_report_at = now;
    return true;
  }
  if (!(self->config.start_rate > 0.0) || report->echo >= self->first_report_at
      || report->rtt_sample >= self->rtt.rtt)
    return false;
  tfrc_rtt_init (&self->rtt, &self->config.rto);
  self->rtt_before = self->rtt;
  self->loss_rtt = tfrc_time_min (self->loss_rtt, report->rtt_sample);
  /* With losses X is that of the equation. */
  return !(report->loss_event_rate > 0.0);
}

/* Of samples that arrive at the same instant only the newest counts.  With all of
 * them R would follow in one step what it is meant to follow in ten. */
static void
update_rtt (TfrcSender *self, const TfrcReport *report, bool together,
    TfrcTime now)
{
  if (!together)
    self->rtt_before = self->rtt;
  self->rtt = self->rtt_before;
  tfrc_rtt_on_samples (&self->rtt, report->rtt_sample,
      count_samples (self, report, now));
  self->rtt.sampled_at = now;
}

static TfrcPath
get_path (const TfrcSender *self, const TfrcRtt *rtt)
{
  double mean = tfrc_segment_size_get (&self->segment_size);
  double size = mean;

  /* A single packet larger than max_segment_size must not become the segment size
   * for good. */
  if (self->config.tcp != TFRC_TCP_RENO)
    size = fmin (tfrc_segment_size_get_largest (&self->segment_size),
        fmax (mean, self->config.max_segment_size));
  if (self->config.small_packets)
    size = fmin (TFRC_SMALL_PACKETS_SEGMENT_SIZE,
        self->config.max_segment_size);
  return (TfrcPath) {
    .segment_size = size,
    .rtt = rtt->rtt,
    .rto = tfrc_rtt_get_rto (rtt),
    .packets_per_ack = self->config.packets_per_ack,
    .tcp = self->config.tcp,
    .loss_rtt = self->loss_event_rate > 0.0 ? self->loss_rtt : rtt->rtt,
  };
}

/* Factor applied to the equation's rate. */
static double
get_rate_scale (const TfrcSender *self)
{
  return self->config.rate_scale * get_payload_share (self);
}

/* X_Bps. */
static TfrcRate
calculate_equation_rate (const TfrcSender *self, double p)
{
  TfrcPath path = get_path (self, &self->rtt);

  return p > 0.0 ? get_rate_scale (self) * tfrc_equation_rate (&path, p)
                 : (double) INFINITY;
}

/* The window is that of the RTT at loss events.  A longer R now lowers X, as it
 * slows down TCP's acknowledgements, but does not enlarge the window.  At the first
 * loss R still lags behind the queue that slow start has filled, so the sample is
 * taken. */
static TfrcDuration
get_loss_rtt (const TfrcSender *self, const TfrcRtt *rtt, TfrcDuration sample,
    double p)
{
  if (self->loss_event_rate <= 0.0)
    return sample;
  if (p <= self->loss_event_rate)
    return self->loss_rtt;
  return ((LOSS_RTT_WEIGHT - 1) * self->loss_rtt + rtt->rtt) / LOSS_RTT_WEIGHT;
}

/* When the report would have arrived if it had not waited to be sent. */
static TfrcTime
get_report_time (const TfrcSender *self, const TfrcReport *report, TfrcTime now)
{
  if (self->report_delay == 0 || report->interval > 0)
    return now;
  return tfrc_time_min (now, report->echo + report->rtt_sample);
}

/* RFC 5348 section 4.3, step 4: X_recv_set and recv_limit. */
static void
update_receive_limit (TfrcSender *self, bool new_loss, TfrcTime now)
{
  TfrcReceiveSet *set = &self->receive_set;

  if (self->data_limited && new_loss) {
    tfrc_receive_set_halve (set);
    tfrc_receive_set_maximize (set,
        DATA_LIMITED_LOSS_FACTOR * self->receive_rate, now);
    self->receive_limit = tfrc_receive_set_max (set);
    return;
  }
  if (self->data_limited)
    tfrc_receive_set_maximize (set, self->receive_rate, now);
  else
    tfrc_receive_set_update (set, self->receive_rate, self->rtt.rtt, now);
  self->receive_limit = 2.0 * tfrc_receive_set_max (set);
  /* D66: a rate below that at which a flow may start only shows what the source
   * produced. */
  if (self->data_limited && self->config.fast_return)
    self->receive_limit = fmax (self->receive_limit, self->initial_rate);
}

/* Bansal et al. 2001 section 4.1.1: "if (loss is reported) SEND_RATE = min
 * (CALC_RATE, RECV_RATE) else if (NOT SLOWSTART) SEND_RATE = min (CALC_RATE, C
 * RECV_RATE)", where a loss counts for one RTT.
 *
 * RECV_RATE describes the network only if the rate was the limit.  For a
 * data-limited interval the largest of X_recv_set is taken, so that a pause of the
 * encoder does not hold the flow down. */
static TfrcRate
get_self_clocked_limit (const TfrcSender *self, TfrcTime now)
{
  TfrcRate limit = self->data_limited
      ? tfrc_receive_set_max (&self->receive_set)
      : self->receive_rate;

  if (!self->config.self_clocking)
    return (double) INFINITY;
  if (self->loss_reported_at == TFRC_TIME_NONE
      || now - self->loss_reported_at >= self->rtt.rtt)
    return self->config.self_clocking_factor * limit;
  return limit;
}

/* Of reports that arrive at the same instant, the one that allows most counts.
 * After a fade R is far above the actual RTT, so R_sample may bound the round
 * (D66). */
static TfrcRate
get_slow_start_rate (TfrcSender *self, const TfrcReport *report, bool together,
    TfrcTime now)
{
  TfrcDuration round = self->config.fast_return && report->interval == 0
      ? tfrc_time_min (self->rtt.rtt, report->rtt_sample)
      : self->rtt.rtt;

  if (together && now == self->last_doubled_at)
    return fmax (self->rate,
        fmin (2.0 * self->doubled_from, self->receive_limit));
  if (now - self->last_doubled_at < round)
    return self->rate;
  self->doubled_from = self->rate;
  self->last_doubled_at = now;
  return fmax (fmin (2.0 * self->rate, self->receive_limit),
      self->initial_rate);
}

/* The last part of step 4: X. */
static void
update_rate (TfrcSender *self, const TfrcReport *report, bool first,
    bool new_loss, bool together, TfrcTime now)
{
  if (first) {
    /* Section 4.2 replaces step 4.  Infinity now stays for two RTTs, which were not
     * known before. */
    tfrc_receive_set_reset (&self->receive_set, INFINITY, now);
    self->last_doubled_at = now;
    /* D62: a start rate remains if none of its packets was lost. */
    set_rate (self,
        counts_packets (self) || self->loss_event_rate > 0.0
            ? self->initial_rate
            : fmax (self->initial_rate, self->rate));
    self->doubled_from = self->rate / 2.0;
    return;
  }
  update_receive_limit (self, new_loss, get_report_time (self, report, now));
  if (self->loss_event_rate > 0.0)
    set_rate (self,
        fmin (fmin (self->equation_rate, self->receive_limit),
            get_self_clocked_limit (self, now)));
  else
    set_rate (self, get_slow_start_rate (self, report, together, now));
}

void
tfrc_sender_on_feedback (TfrcSender *self, const TfrcReport *report,
    TfrcTime now)
{
  bool first = begins_rtt (self, report, now);
  /* Our feedback packet does not flag a new loss event, but the receiver reports an
   * increase of p at once (section 6.1). */
  bool new_loss = report->interval == 0
      && report->loss_event_rate > self->loss_event_rate;
  /* Reports made from the same packet feedback (D56). */
  bool together = now == self->reported_at;
  TfrcDuration rto;

  assert (report->rtt_sample > 0);
  self->counters.feedback++;
  self->reported_at = now;

  /* Section 4.3 step 1 gave R_sample; step 2: R. */
  update_rtt (self, report, together, now);
  self->initial_rate = calculate_initial_rate (self);

  /* Step 3: RTO. */
  rto = get_nofeedback_interval (self);

  /* Step 4: X_recv_set and recv_limit, p and X_Bps, X. */
  self->receive_rate = report->receive_rate;
  /* The echo is in whole microseconds. */
  self->data_limited = !report->receiver_started
      && tfrc_data_limit_covers (&self->data_limit,
          report->echo + TFRC_MICROSECOND - 1,
          tfrc_time_max (self->rtt.rtt, report->interval));
  if (self->data_limited)
    self->counters.feedback_data_limited++;
  if (new_loss) {
    self->counters.loss_reports++;
    self->loss_reported_at = now;
  }
  self->loss_rtt = get_loss_rtt (self, &self->rtt, report->rtt_sample,
      report->loss_event_rate);
  self->loss_event_rate = report->loss_event_rate;
  self->equation_rate = calculate_equation_rate (self, self->loss_event_rate);
  update_rate (self, report, first, new_loss, together, now);

  /* Step 5, X_inst, is part of set_rate ().  Step 6: the nofeedback timer. */
  self->state = self->loss_event_rate > 0.0
      ? TFRC_SENDER_EQUATION
      : TFRC_SENDER_SLOW_START;
  self->nofeedback_at = tfrc_time_add (now, rto);
  self->sent_since_nofeedback = false;
}

TfrcTime
tfrc_sender_next_deadline (const TfrcSender *self)
{
  return self->nofeedback_at;
}

/* "Update_Limits (timer_limit)" of RFC 5348 section 4.4. */
static void
update_limits (TfrcSender *self, TfrcRate limit, TfrcTime now)
{
  limit = fmax (limit, get_minimum_rate (self));
  tfrc_receive_set_reset (&self->receive_set, limit / 2.0, now);
  self->receive_limit = limit;
  set_rate (self, fmin (self->equation_rate, limit));
}

/* The nofeedback timer has expired, RFC 5348 section 4.4.  Returns false if X
 * stays.  `idle`: nothing was sent since the timer was set. */
static bool
reduce_rate (TfrcSender *self, bool idle, TfrcTime now)
{
  TfrcRate receive_rate = tfrc_receive_set_max (&self->receive_set);
  TfrcRate recover_rate = self->initial_rate;
  double p = self->loss_event_rate;

  if (!tfrc_rtt_is_known (&self->rtt)) {
    if (idle)
      return false;
    set_rate (self, self->rate / 2.0);
  } else if (idle
      && ((p > 0.0 && receive_rate < recover_rate)
          || (p <= 0.0 && self->rate < 2.0 * recover_rate))) {
    return false;
  } else if (p <= 0.0) {
    set_rate (self, self->rate / 2.0);
  } else if (self->equation_rate > 2.0 * receive_rate) {
    /* The limit was 2 X_recv. */
    update_limits (self, receive_rate, now);
  } else {
    update_limits (self, self->equation_rate / 2.0, now);
  }
  return true;
}

void
tfrc_sender_on_deadline (TfrcSender *self, TfrcTime now)
{
  bool idle = !self->sent_since_nofeedback;
  bool changed;

  if (now < self->nofeedback_at)
    return;
  changed = reduce_rate (self, idle, now);
  self->sent_since_nofeedback = false;
  if (idle && !changed) {
    /* No report is missing and X will not change: the next packet starts the timer. */
    self->nofeedback_at = TFRC_TIME_NONE;
    return;
  }
  self->counters.nofeedback_expiries++;
  if (!idle && tfrc_rtt_is_known (&self->rtt))
    self->state = TFRC_SENDER_NO_FEEDBACK;
  self->nofeedback_at = tfrc_time_add (now, get_nofeedback_interval (self));
}

void
tfrc_sender_on_missed_report (TfrcSender *self, TfrcTime now)
{
  reduce_rate (self, false, now);
  self->nofeedback_at = tfrc_time_add (now, get_nofeedback_interval (self));
}

void
tfrc_sender_set_max_rate (TfrcSender *self, TfrcRate max_rate)
{
  self->config.max_rate = fmax (max_rate, get_minimum_rate (self));
  set_rate (self, self->rate);
}

void
tfrc_sender_set_send_limit (TfrcSender *self, TfrcRate limit)
{
  self->send_limit = fmax (limit, get_minimum_rate (self));
}

void
tfrc_sender_set_report_delay (TfrcSender *self, TfrcDuration delay)
{
  self->report_delay = delay;
}

TfrcRate
tfrc_sender_get_send_rate (const TfrcSender *self)
{
  return fmin (self->rate, self->send_limit);
}

TfrcRate
tfrc_sender_get_pacing_rate (const TfrcSender *self)
{
  return get_schedule_rate (self, tfrc_segment_size_get (&self->segment_size));
}

double
tfrc_sender_get_damping (const TfrcSender *self)
{
  return self->config.oscillation_damping
      ? tfrc_rtt_get_damping (&self->rtt)
      : 1.0;
}

double
tfrc_sender_get_loss_event_rate_for (const TfrcSender *self, TfrcRate rate,
    TfrcDuration rtt_sample, TfrcDuration interval)
{
  TfrcRtt rtt = self->rtt;
  TfrcPath path;
  double p;

  rate /= get_rate_scale (self);
  tfrc_rtt_on_samples (&rtt, rtt_sample, count_interval (rtt_sample, interval));
  path = get_path (self, &rtt);
  p = tfrc_equation_loss_event_rate (&path, rate);
  if (p <= self->loss_event_rate)
    return p;
  path.loss_rtt = get_loss_rtt (self, &rtt, rtt_sample, p);
  return fmax (self->loss_event_rate,
      tfrc_equation_loss_event_rate (&path, rate));
}

void
tfrc_sender_get_trace (const TfrcSender *self, TfrcTrace *trace, TfrcTime now)
{
  const TfrcSenderCounters *counters = &self->counters;
  bool rtt_known = tfrc_rtt_is_known (&self->rtt);

  trace->at = now;
  trace->allowed_rate = self->rate;
  trace->instant_rate = self->instant_rate;
  trace->equation_rate = self->equation_rate;
  trace->receive_limit = self->receive_limit;
  trace->receive_rate = self->receive_rate;
  trace->loss_event_rate = self->loss_event_rate;
  trace->rtt = self->rtt.rtt;
  trace->rtt_sample = self->rtt.sample;
  trace->rto = rtt_known ? tfrc_rtt_get_rto (&self->rtt) : 0;
  trace->segment_size = tfrc_segment_size_get (&self->segment_size);
  trace->state = self->state;
  trace->data_limited = self->data_limited;
  trace->packets = counters->packets;
  trace->bytes = counters->bytes;
  trace->loss_events = counters->loss_reports;
  trace->feedback = counters->feedback;
  trace->nofeedback_expiries = counters->nofeedback_expiries;
}
