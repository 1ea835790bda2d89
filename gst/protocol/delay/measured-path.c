/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delay/measured-path.h"

#include <math.h>
#include <string.h>

#define CLOCK_STEP_US 1000000

/* Factor by which packets must be sent faster than earlier ones, and than they
 * arrived; and largest share of the additional bytes that may have arrived.  On a
 * link of which a flow has the share x, (1 - x) of what it sends more arrives; if
 * it has the whole link, nothing does. */
#define FASTER 1.25
#define ANSWER 0.25
/* Factor by which earlier packets may have arrived faster than the newest ones.  What
 * arrived faster had more of the link: since then another flow has come (back), as BBR does
 * when it has measured its least RTT, or the capacity fell. */
#define TAKEN 1.1

/* The packets that arrived between two reports. */
typedef struct
{
  uint32_t first; /* age of the sample before the first of them */
  TfrcRate sent;
  TfrcRate arrived;
} Stretch;

/* Sample by age, where 0 is the newest. */
static const TfrcDelaySample *
get_sample (const TfrcDelayHistory *self, uint32_t age)
{
  return &self->samples[(self->n_samples - 1 - age) % TFRC_DELAY_SAMPLES];
}

static bool
has_sample (const TfrcDelayHistory *self, uint32_t age)
{
  return age < TFRC_DELAY_SAMPLES && age < self->n_samples;
}

/* The least delay of an interval is near its newest one, whatever the origin of the
 * clocks. */
static TfrcDelaySample
unwrap (const TfrcDelayHistory *self, const TfrcDelayArrival *arrival,
    TfrcTime now)
{
  static const TfrcDelaySample none = { 0 };
  const TfrcDelaySample *last = self->n_samples > 0
      ? get_sample (self, 0)
      : &none;
  const TfrcDelayReport *delay = &arrival->delay;
  int64_t newest_delay_us = last->newest_delay_us
      + (int32_t) (delay->newest_delay_us - (uint32_t) last->newest_delay_us);

  return (TfrcDelaySample) {
    .at = now,
    .least_delay_us = newest_delay_us
        + (int32_t) (delay->least_delay_us - delay->newest_delay_us),
    .newest_delay_us = newest_delay_us,
    .arrival_us = last->arrival_us
        + (int32_t) (delay->arrival_us - (uint32_t) last->arrival_us),
    .bytes = last->bytes + (uint32_t) (delay->bytes - (uint32_t) last->bytes),
    .sent = arrival->sent,
  };
}

bool
tfrc_delay_history_add (TfrcDelayHistory *self, const TfrcDelayArrival *arrival,
    TfrcTime now)
{
  const TfrcDelaySample *last = get_sample (self, 0);
  TfrcDelaySample sample = unwrap (self, arrival, now);
  int64_t passed = (int64_t) ((now - last->at) / TFRC_MICROSECOND);
  int64_t arrived = sample.arrival_us - last->arrival_us;
  bool is_step = self->n_samples > 0
      && (arrived < 0 || arrived - passed > CLOCK_STEP_US
          || passed - arrived > CLOCK_STEP_US);

  if (is_step
      || (self->n_samples > 0
          && (double) (sample.bytes - last->bytes)
              > arrival->bytes_sent - last->sent + arrival->slack))
    self->n_samples = 0;
  self->samples[self->n_samples++ % TFRC_DELAY_SAMPLES] = sample;
  return !is_step;
}

/* The newest sample whose packet arrived at least `duration` before that of the
 * newest one, or the oldest there is. */
static const TfrcDelaySample *
get_sample_before (const TfrcDelayHistory *self, TfrcDuration duration)
{
  const TfrcDelaySample *newest = get_sample (self, 0);
  const TfrcDelaySample *sample = newest;

  for (uint32_t age = 1; has_sample (self, age); age++) {
    sample = get_sample (self, age);
    if ((newest->arrival_us - sample->arrival_us) * 1000 >= (int64_t) duration)
      break;
  }
  return sample;
}

TfrcRate
tfrc_delay_history_get_rate (const TfrcDelayHistory *self, TfrcDuration horizon,
    TfrcRate otherwise)
{
  const TfrcDelaySample *newest = get_sample (self, 0);
  const TfrcDelaySample *oldest = get_sample_before (self, horizon);
  double span = (double) (newest->arrival_us - oldest->arrival_us) / 1e6;

  if (!(span > 0.0))
    return otherwise;
  return (double) (newest->bytes - oldest->bytes) / span;
}

int64_t
tfrc_delay_history_get_least_us (const TfrcDelayHistory *self,
    TfrcDuration span, TfrcTime now)
{
  int64_t least_us = get_sample (self, 0)->least_delay_us;

  for (uint32_t age = 1;
      has_sample (self, age) && now - get_sample (self, age)->at < span;
      age++) {
    int64_t delay_us = get_sample (self, age)->least_delay_us;

    least_us = delay_us < least_us ? delay_us : least_us;
  }
  return least_us;
}

/* Measures the packets of one horizon, up to the report of age `last`.  If packets
 * waited longer than those before them, they were sent in less time than they
 * arrived in.  Returns false if there are none. */
static bool
measure_stretch (const TfrcDelayHistory *self, uint32_t last,
    TfrcDuration horizon, TfrcTime since, Stretch *stretch)
{
  const TfrcDelaySample *newest, *oldest;
  int64_t arrival_us, departure_us;

  for (uint32_t age = last + 1; has_sample (self, age); age++) {
    newest = get_sample (self, last);
    oldest = get_sample (self, age);
    arrival_us = newest->arrival_us - oldest->arrival_us;
    if (oldest->at < since)
      break;
    if (arrival_us * 1000 < (int64_t) horizon)
      continue;
    departure_us = arrival_us
        - (newest->newest_delay_us - oldest->newest_delay_us);
    if (departure_us <= 0 || newest->bytes <= oldest->bytes)
      break;
    *stretch = (Stretch) {
      .first = age,
      .sent = (double) (newest->bytes - oldest->bytes) * 1e6
          / (double) departure_us,
      .arrived = (double) (newest->bytes - oldest->bytes) * 1e6
          / (double) arrival_us,
    };
    return true;
  }
  return false;
}

bool
tfrc_delay_history_grew_alone (const TfrcDelayHistory *self,
    TfrcDuration horizon, TfrcTime since)
{
  Stretch newest, older;

  if (!measure_stretch (self, 0, horizon, since, &newest)
      || newest.sent < FASTER * newest.arrived)
    return false;
  older = newest;
  while (measure_stretch (self, older.first, horizon, since, &older)) {
    double more = newest.sent / older.sent - 1.0;

    if (older.arrived > TAKEN * newest.arrived)
      break;
    if (more >= FASTER - 1.0
        && newest.arrived / older.arrived - 1.0 <= ANSWER * more)
      return true;
  }
  return false;
}

#define MS TFRC_MILLISECOND

/* The queue on the forward path cannot be longer than what the newest RTT sample exceeds
 * the base RTT by; but that sample is of a single packet, hence some slack. */
#define RTT_SLACK (5 * MS)

/* The horizon, over which the queue and the delivery rate are measured, is one RTT, but at
 * least LEAST_HORIZON, HORIZON_PACKETS packets (so that one packet more or less hardly
 * matters), and the age of the information in a report.  Where reports are rare that age
 * exceeds the RTT, and the effect of D is seen only after it.  The largest age of the last
 * AGE_MEMORY counts. */
#define AGE_MEMORY 2.0 /* [s] */
#define LEAST_HORIZON (20 * MS)
#define MOST_HORIZON TFRC_SECOND
#define HORIZON_PACKETS 6.0
/* B is the mean rate of SLOW_HORIZONS horizons while the rate of the last horizon is
 * within RATE_NOISE of it. */
#define SLOW_HORIZONS 4
#define RATE_NOISE 0.1
/* With fewer packets than this in flight the expected queue is the measured one. */
#define FLIGHT_PACKETS 3.0
/* Of the deviation and the jitter. */
#define NOISE_TIME 2.0 /* [s] */
/* The least of many delays lies below their mean by some deviations.  What drains leave
 * beyond that is others' queue, or a path that became longer. */
#define EMPTY_DEVIATIONS 3.0
/* The least queue is taken over at least one frame of an encoder.  A report may cover fewer
 * packets than one burst, which would find a queue that is gone with the frame. */
#define FRAME_TIME (40 * MS)
/* A round of slow start lasts this part of the base RTT, as there may be several reports per RTT. */
#define ROUND_PART 0.7

void
tfrc_measured_path_init (TfrcMeasuredPath *self)
{
  *self = (TfrcMeasuredPath) { .reported_at = TFRC_TIME_NONE };
  tfrc_base_delay_init (&self->one_way, TFRC_BASE_DELAY_MAX_SKEW);
  tfrc_base_delay_init (&self->round_trip, 0.0);
}

void
tfrc_measured_path_on_rtt (TfrcMeasuredPath *self, TfrcDuration sample,
    TfrcTime now)
{
  tfrc_base_delay_on_sample (&self->round_trip, (int64_t) sample, 0, now);
}

/* What was measured against the former base delay is void. */
static void
forget_drains (TfrcMeasuredPath *self)
{
  memset (self->left, 0, sizeof (self->left));
}

/* Takes the one-way delays of a report, and a sample of the base delay. */
static void
add_delay (TfrcMeasuredPath *self, const TfrcPathReport *report, TfrcTime now)
{
  const TfrcDelayArrival arrival = {
    .delay = report->delay,
    .sent = report->bytes_sent - report->bytes_in_flight,
    .bytes_sent = report->bytes_sent,
    .slack = report->bytes_before_echo + report->segment_size,
  };

  const TfrcDelaySample *newest;

  if (!tfrc_delay_history_add (&self->history, &arrival, now)) {
    self->clock_steps++;
    tfrc_base_delay_init (&self->one_way, TFRC_BASE_DELAY_MAX_SKEW);
    forget_drains (self);
  }
  newest = get_sample (&self->history, 0);
  /* Delay of the return path, by an unknown clock offset: from the arrival of the newest
   * packet to the arrival of the report, less the receiver's hold time. */
  self->return_delay =
      (int64_t) (now - report->flight_time + report->rtt_sample)
      - 1000 * newest->arrival_us;
  tfrc_base_delay_on_sample (&self->one_way, 1000 * newest->newest_delay_us,
      self->return_delay, now);
}

/* B: the delivery rate of the last SLOW_HORIZONS, which single packets move less, unless
 * that of the last horizon differs by more than RATE_NOISE. */
static TfrcRate
get_delivered (const TfrcMeasuredPath *self, TfrcRate otherwise)
{
  TfrcRate last = tfrc_delay_history_get_rate (&self->history, self->horizon,
      otherwise);
  TfrcRate mean = tfrc_delay_history_get_rate (&self->history,
      SLOW_HORIZONS * self->horizon, last);

  return fmax (last / (1.0 + RATE_NOISE),
      fmin (mean, last * (1.0 + RATE_NOISE)));
}

TfrcDuration
tfrc_measured_path_get_empty_rtt (const TfrcMeasuredPath *self)
{
  return tfrc_time_max (self->rtt / 4, tfrc_time_sub (self->rtt, self->queue));
}

/* The least delay of the packets of a report, or of a frame where the RTT is shorter; in
 * slow start of the packets of a round. */
static int64_t
get_least_delay (const TfrcMeasuredPath *self, const TfrcPathUse *use,
    TfrcTime now)
{
  TfrcDuration span = self->rtt < FRAME_TIME ? FRAME_TIME : 0;

  if (use->in_slow_start)
    span = (TfrcDuration) (ROUND_PART
        * (double) tfrc_measured_path_get_empty_rtt (self));
  return tfrc_delay_history_get_least_us (&self->history, span, now);
}

double
tfrc_measured_path_get_deviation (const TfrcMeasuredPath *self)
{
  return self->above + self->below;
}

/* What the delay exceeds the base delay by without a queue. */
static TfrcDuration
get_empty_excess (const TfrcMeasuredPath *self)
{
  TfrcDuration least = tfrc_duration_from_seconds (EMPTY_DEVIATIONS
      * tfrc_measured_path_get_deviation (self));

  for (unsigned i = 0; i < TFRC_PATH_DRAINS; i++)
    least = tfrc_time_min (least, self->left[i]);
  return least;
}

/* Sets queue and least_queue, bounded by what the RTT allows. */
static void
measure_queue (TfrcMeasuredPath *self, const TfrcPathReport *report,
    const TfrcPathUse *use, TfrcTime now)
{
  TfrcDuration round_trip = tfrc_base_delay_get_queue (&self->round_trip,
      (int64_t) report->rtt_sample, now);

  if (!report->has_delay) {
    self->queue = self->least_queue = self->excess = round_trip;
    return;
  }
  self->queue = tfrc_base_delay_get_queue (&self->one_way,
      1000 * get_sample (&self->history, 0)->newest_delay_us, now);
  self->least_queue = tfrc_base_delay_get_queue (&self->one_way,
      1000 * get_least_delay (self, use, now), now);
  if (self->queue > round_trip + RTT_SLACK) {
    /* Only least_queue proves an error: the RTT is of one packet, the delay of several. */
    self->impossible += self->least_queue > round_trip + RTT_SLACK;
    self->queue = round_trip + RTT_SLACK;
  }
  self->excess = tfrc_time_min (self->least_queue, self->queue);
  self->queue = tfrc_time_sub (self->queue, get_empty_excess (self));
  self->least_queue = tfrc_time_sub (self->excess, get_empty_excess (self));
}

/* The queue that a packet sent now will find: the measured one without jitter, and what is
 * in flight beyond what is delivered in the same time, which no report shows yet.  That
 * excess counts only up to the measured queue: without a queue, B is the rate at which
 * packets were sent, and not the capacity. */
static TfrcDuration
expect_queue (const TfrcMeasuredPath *self, const TfrcPathReport *report)
{
  double flight = tfrc_duration_to_seconds (report->flight_time);
  double queue = fmax (tfrc_duration_to_seconds (self->least_queue),
      tfrc_duration_to_seconds (self->queue)
          - (report->has_delay ? self->jitter : 0.0));
  double excess;

  if (self->delivered * flight < FLIGHT_PACKETS * report->segment_size)
    return tfrc_duration_from_seconds (queue);
  /* On average half of the packet in transmission has arrived. */
  excess = (report->bytes_in_flight + report->segment_size / 2.0)
          / self->delivered
      - flight;
  excess = fmax (-queue, fmin (excess, queue));
  return tfrc_duration_from_seconds (queue + excess);
}

static void
measure_noise (TfrcMeasuredPath *self, const TfrcPathReport *report,
    const TfrcPathUse *use)
{
  double queue = tfrc_duration_to_seconds (self->queue);
  double weight = fmin (1.0, self->passed / NOISE_TIME);

  if (report->has_delay && self->delivered > 0.0) {
    double growth = queue - self->last_queue;
    double above = queue - tfrc_duration_to_seconds (self->least_queue)
        - report->segment_size / self->delivered - fmax (growth, 0.0);

    self->jitter += weight * (fmax (above, 0.0) - self->jitter);
  }
  self->last_queue = queue;
  if (use->follows_queue) {
    double error = queue - self->last_expected;

    self->above += weight * (fmax (error, 0.0) - self->above);
    self->below += weight * (fmax (-error, 0.0) - self->below);
  }
}

double
tfrc_measured_path_get_steady_noise (const TfrcMeasuredPath *self)
{
  return 2.0 * fmin (self->above, self->below) + self->jitter;
}

double
tfrc_measured_path_get_noise (const TfrcMeasuredPath *self)
{
  return tfrc_measured_path_get_deviation (self) + self->jitter;
}

/* Updates the age of the information in reports, and the horizon. */
static void
measure_horizon (TfrcMeasuredPath *self, const TfrcPathReport *report,
    const TfrcPathUse *use)
{
  TfrcRate rate = self->delivered > 0.0
      ? self->delivered
      : report->receive_rate;
  TfrcDuration excess = tfrc_time_sub (self->queue, 2 * use->target);
  TfrcDuration empty = report->rtt - tfrc_time_min (excess, report->rtt / 2);

  self->age = tfrc_time_max (tfrc_time_sub (report->flight_time, self->queue),
      tfrc_duration_from_seconds (tfrc_duration_to_seconds (self->age)
          * fmax (0.0, 1.0 - self->passed / AGE_MEMORY)));
  self->horizon = tfrc_time_max (self->age,
      tfrc_rate_time_for (rate, HORIZON_PACKETS * report->segment_size));
  self->horizon = tfrc_time_max (tfrc_time_min (MOST_HORIZON, self->horizon),
      tfrc_time_max (empty, LEAST_HORIZON));
}

void
tfrc_measured_path_on_report (TfrcMeasuredPath *self,
    const TfrcPathReport *report, const TfrcPathUse *use, TfrcTime now)
{
  self->passed = self->reported_at == TFRC_TIME_NONE
      ? 0.0
      : tfrc_duration_to_seconds (tfrc_time_since (self->reported_at, now));
  if (report->has_delay)
    add_delay (self, report, now);
  self->rtt = report->rtt;
  measure_queue (self, report, use, now);
  measure_horizon (self, report, use);
  self->delivered = report->has_delay
      ? get_delivered (self, report->receive_rate)
      : report->receive_rate;
  if (!(self->delivered > 0.0)) {
    /* A report means that something arrived. */
    self->impossible++;
    self->delivered = report->receive_rate;
  }
  self->least_rate = tfrc_rate_of (report->segment_size, self->horizon);
  self->delivered = fmax (self->delivered, self->least_rate);
  self->last_expected = tfrc_duration_to_seconds (self->expected);
  self->expected = expect_queue (self, report);
  measure_noise (self, report, use);
  self->reported_at = now;
}

void
tfrc_measured_path_on_drained (TfrcMeasuredPath *self, TfrcDuration left)
{
  self->left[self->n_drains++ % TFRC_PATH_DRAINS] = left;
}

void
tfrc_measured_path_restart_base (TfrcMeasuredPath *self, TfrcTime now)
{
  forget_drains (self);
  tfrc_base_delay_restart (&self->one_way);
  tfrc_base_delay_restart (&self->round_trip);
  if (self->history.n_samples > 0)
    tfrc_base_delay_on_sample (&self->one_way,
        1000 * get_sample (&self->history, 0)->newest_delay_us,
        self->return_delay, now);
}
