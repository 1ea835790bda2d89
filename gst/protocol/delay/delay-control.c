/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delay/delay-control.h"

#include <math.h>

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

/* q* = target (B / 2 Mbit/s)^-SPREAD + noise.  The noise is the mean deviation of the
 * queue from what was expected, and the jitter of the packets of one report. */
#define REFERENCE_RATE 250000.0
#define SPREAD 0.4
#define RATE_MEMORY \
  30.0 /* [s], of high_rate: as long as that of the base delay */
#define BEST_MEMORY \
  60.0 /* [s], of best_rate, which D returns to after a fade */
#define MOST_TARGET 4.0
#define NOISE_TIME 2.0 /* [s] */

/* D = B (1 + GAIN (q* - q) / horizon). */
#define GAIN 0.8
#define LEAST_STEP 0.3
#define MOST_STEP 1.25
/* The least growth while the queue is empty, of B, or of D itself where B is limited by
 * the source.  The result is seen one horizon later, so the growth is bounded such that it
 * adds at most SURE_QUEUE until then. */
#define SURE_STEP 1.06
#define SURE_QUEUE (6 * MS)
/* At a few packets per RTT, B is outdated: D then grows from its own value, up to this
 * multiple of B, as X does up to twice X_recv (RFC 5348 section 4.3). */
#define MOST_CLIMB 2.0
/* A sender that sent less than this part of D is limited by its source. */
#define IDLE_PART 0.8
/* When the queue has been empty for this long, D grows by MOST_STEP per report up to the
 * highest B of the last minute, as TCP returns to ssthresh by slow start. */
#define EMPTY_RTTS 3
/* When the queue has been below half of q* for this long, D grows beyond the highest B,
 * too.  Where the source limits, up to the initial rate of RFC 5348 section 4.2: below that
 * an encoder may be unable to produce anything, and B would never show more. */
#define LONG_SHORT TFRC_SECOND
#define LONG_SHORT_RTTS 9
#define INITIAL_WINDOW 4380.0

/* g of RFC 8257 section 3.3. */
#define MARK_GAIN (1.0 / 16.0)

/* RFC 9406 section 4.2 ends slow start when the least RTT of a round rises by an
 * eighth, and at least by 4 ms; LEAST_RISE is more than that for the jitter of hosts. */
#define LEAST_RISE (8 * MS)
#define RISE_PART 8
/* The rise must exceed twice the noise, too.  The noise is known only after some time, so a
 * START that ended by a rise within it is resumed, until RESUME_TIME.  The rise includes
 * what was in flight when START ended, which is seen in the next RISE_RTTS. */
#define RISE_NOISE 2.0
#define RESUME_TIME (4 * TFRC_SECOND)
#define RISE_RTTS 2
/* A round lasts this part of the base RTT, as there may be several reports per RTT. */
#define ROUND_PART 0.7
#define START_PART 0.8

/* CONTROL drains the queue when it was not seen empty for this long.  Until then a path
 * that became longer by less than q* passes for a queue, and D hardly grows. */
#define DRAIN_INTERVAL (5 * TFRC_SECOND)
/* A queue below this, and below a quarter of q*, is empty.  Without the latter the short
 * target of a fast flow would count as empty, and the base delay never be measured. */
#define CLEAR (2 * MS)
/* A drain lasts at least two RTTs, as its effect is reported after one, and no longer than
 * LONGEST_DRAIN, however long the queue is. */
#define DRAIN_RTTS 2
#define LONGEST_DRAIN TFRC_SECOND
/* CONTROL also drains when the queue stayed above q* for this long although D is below B:
 * the path may have become longer, and D would fall until the base delay is known. */
#define ABOVE_INTERVAL (3 * TFRC_SECOND)
#define LEAST_LEFT \
  0.05 /* of B, sent in any case: without packets nothing is measured */
/* The least queue is taken over at least one frame of an encoder.  A report may cover fewer
 * packets than one burst, which would find a queue that is gone with the frame. */
#define FRAME_TIME (40 * MS)
/* A queue above this multiple of q* is far above: another flow holds it up. */
#define FAR_ABOVE 1.6
/* No queue shorter than the transmission time of a packet is far above, or larger packets
 * among smaller ones would count as a queue.  That time is taken at no less than this part
 * of high_rate, as in a fade it would be longer than any queue. */
#define THIN_PART 0.5

/* A drain fails when it does not shorten the queue by FAILURE_PART, or not to FAR_ABOVE
 * times the target at high_rate.  After FAILURES failed drains in a row the queue belongs
 * to other flows.  LOSS_FAILURES are enough if the queue overflows although the first drain
 * left it that little. */
#define FAILURE_PART 0.25
#define FAILURES 4
#define LOSS_FAILURES 2
/* A delay that a drain changed by less than this part is no queue: the path became
 * longer.  Jitter changes it, too; one of four equal flows takes half of it away. */
#define FLAT_PART 0.15
/* A queue that overflows twice within LOSS_MEMORY belongs to other flows, too.  Losses
 * within OVERFLOW_TIME are one overflow: when the capacity falls, what is in flight fills
 * the queue for several RTTs.  A loss is an overflow if the queue was long within
 * LONG_MEMORY before it. */
#define LOSS_MEMORY (20 * TFRC_SECOND)
#define OVERFLOW_TIME TFRC_SECOND
#define LONG_MEMORY TFRC_SECOND
/* COMPETE ends after PROBES successful probes in a row.  A flow that returns to COMPETE
 * within BACK_TIME left it by chance, and needs twice as many the next time. */
#define PROBE_INTERVAL (5 * TFRC_SECOND)
#define NEXT_PROBE (3 * TFRC_SECOND / 2) /* after a successful one */
#define PROBES 2
#define MOST_PROBES 16
#define BACK_TIME (60 * TFRC_SECOND)
#define PROBE_PART 0.5
#define LONGEST_PROBE (250 * MS)
#define SUCCESS_PART 0.8

void
tfrc_delay_control_init (TfrcDelayControl *self, TfrcDuration target)
{
  *self = (TfrcDelayControl) {
    .reference = target,
    .state = TFRC_DELAY_START,
    .limit = (double) INFINITY,
    .alpha = 1.0, /* RFC 8257 section 3.3 */
    .reduced_until = TFRC_TIME_NONE,
    .started_at = TFRC_TIME_NONE,
    .reported_at = TFRC_TIME_NONE,
    .loss_at = TFRC_TIME_NONE,
  };
  tfrc_base_delay_init (&self->one_way, TFRC_BASE_DELAY_MAX_SKEW);
  tfrc_base_delay_init (&self->round_trip, 0.0);
}

/* Takes the one-way delays of a report, and a sample of the base delay. */
static void
add_delay (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    TfrcTime now)
{
  const TfrcDelayArrival arrival = {
    .delay = report->delay,
    .sent = report->bytes_sent - report->bytes_in_flight,
    .bytes_sent = report->bytes_sent,
    .slack = report->bytes_before_echo + report->segment_size,
  };

  const TfrcDelaySample *newest;

  if (!tfrc_delay_history_add (&self->history, &arrival, now)) {
    self->counters.clock_steps++;
    tfrc_base_delay_init (&self->one_way, TFRC_BASE_DELAY_MAX_SKEW);
  }
  newest = tfrc_delay_history_get_newest (&self->history);
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
get_delivered (const TfrcDelayControl *self, TfrcRate otherwise)
{
  TfrcRate last = tfrc_delay_history_get_rate (&self->history, self->horizon,
      otherwise);
  TfrcRate mean = tfrc_delay_history_get_rate (&self->history,
      SLOW_HORIZONS * self->horizon, last);

  return fmax (last / (1.0 + RATE_NOISE),
      fmin (mean, last * (1.0 + RATE_NOISE)));
}

/* The RTT without the queue. */
static TfrcDuration
get_empty_rtt (const TfrcDelayControl *self)
{
  return tfrc_time_max (self->rtt / 4, tfrc_time_sub (self->rtt, self->queue));
}

/* The least delay of the packets of a report, or of a frame where the RTT is shorter; in
 * START of the packets of a round (RFC 9406 section 4.2). */
static int64_t
get_least_delay (const TfrcDelayControl *self, TfrcTime now)
{
  TfrcDuration span = self->rtt < FRAME_TIME ? FRAME_TIME : 0;

  if (self->state == TFRC_DELAY_START)
    span = (TfrcDuration) (ROUND_PART * (double) get_empty_rtt (self));
  return tfrc_delay_history_get_least_us (&self->history, span, now);
}

/* Sets queue and least_queue, bounded by what the RTT allows. */
static void
measure_queue (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    TfrcTime now)
{
  TfrcDuration round_trip = tfrc_base_delay_get_queue (&self->round_trip,
      (int64_t) report->rtt_sample, now);

  if (!report->has_delay) {
    self->queue = self->least_queue = round_trip;
    return;
  }
  self->queue = tfrc_base_delay_get_queue (&self->one_way,
      1000 * tfrc_delay_history_get_newest (&self->history)->newest_delay_us,
      now);
  self->least_queue = tfrc_base_delay_get_queue (&self->one_way,
      1000 * get_least_delay (self, now), now);
  if (self->queue > round_trip + RTT_SLACK) {
    /* Only least_queue proves an error: the RTT is of one packet, the delay of several. */
    self->counters.impossible += self->least_queue > round_trip + RTT_SLACK;
    self->queue = round_trip + RTT_SLACK;
  }
  self->least_queue = tfrc_time_min (self->least_queue, self->queue);
}

/* The queue that a packet sent now will find: the measured one without jitter, and what is
 * in flight beyond what is delivered in the same time, which no report shows yet.  That
 * excess counts only up to the measured queue: without a queue, B is the rate at which
 * packets were sent, and not the capacity. */
static TfrcDuration
expect_queue (const TfrcDelayControl *self,
    const TfrcDelayControlReport *report)
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
measure_noise (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    double passed)
{
  double queue = tfrc_duration_to_seconds (self->queue);
  double weight = fmin (1.0, passed / NOISE_TIME);

  if (report->has_delay && self->delivered > 0.0) {
    double growth = queue - self->last_queue;
    double above = queue - tfrc_duration_to_seconds (self->least_queue)
        - report->segment_size / self->delivered - fmax (growth, 0.0);

    self->jitter += weight * (fmax (above, 0.0) - self->jitter);
  }
  self->last_queue = queue;
  if (self->state == TFRC_DELAY_CONTROL)
    self->deviation += weight
        * (fabs (queue - self->last_expected) - self->deviation);
}

/* [s] */
static double
get_noise (const TfrcDelayControl *self)
{
  return self->deviation + self->jitter;
}

/* q* at `rate`. */
static TfrcDuration
get_target (const TfrcDelayControl *self, TfrcRate rate, double noise)
{
  double target = tfrc_duration_to_seconds (self->reference);
  double q = target * pow (rate / REFERENCE_RATE, -SPREAD);

  return tfrc_duration_from_seconds (fmin (q + noise, MOST_TARGET * target));
}

static void
update_target (TfrcDelayControl *self, double packet_size)
{
  double noise = get_noise (self);

  self->quiet_target = get_target (self, self->delivered, 0.0);
  self->target = get_target (self, self->delivered, noise);
  self->usual_target = get_target (self, self->high_rate, noise);
  self->packet_time =
      tfrc_rate_time_for (fmax (self->delivered, THIN_PART * self->high_rate),
          packet_size);
}

/* Updates the age of the information in reports, and the horizon; `passed`: seconds since
 * the previous report. */
static void
measure_horizon (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    double passed)
{
  TfrcRate rate = self->delivered > 0.0
      ? self->delivered
      : report->receive_rate;
  TfrcDuration excess = tfrc_time_sub (self->queue, 2 * self->target);
  TfrcDuration empty = report->rtt - tfrc_time_min (excess, report->rtt / 2);

  self->age = tfrc_time_max (tfrc_time_sub (report->flight_time, self->queue),
      tfrc_duration_from_seconds (tfrc_duration_to_seconds (self->age)
          * fmax (0.0, 1.0 - passed / AGE_MEMORY)));
  self->horizon = tfrc_time_max (self->age,
      tfrc_rate_time_for (rate, HORIZON_PACKETS * report->segment_size));
  self->horizon = tfrc_time_max (tfrc_time_min (MOST_HORIZON, self->horizon),
      tfrc_time_max (empty, LEAST_HORIZON));
}

/* Notes when the queue was last empty or short, and its extremes during a DRAIN or PROBE.
 * A queue fits only if it is below the target at high_rate, too, see is_far_above (). */
static void
note_queue (TfrcDelayControl *self, TfrcTime now)
{
  self->least = tfrc_time_min (self->least, self->queue);
  self->most = tfrc_time_max (self->most, self->queue);
  if (self->least_queue < tfrc_time_min (CLEAR, self->target / 4))
    self->empty_at = now;
  if (self->expected >= self->target / 4)
    self->above_quarter_at = now;
  if (self->queue >= self->target / 2)
    self->above_half_at = now;
  if (self->queue <= tfrc_time_min (self->target, self->usual_target))
    self->within_target_at = now;
}

static void
measure (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    TfrcTime now)
{
  double passed = self->reported_at == TFRC_TIME_NONE
      ? 0.0
      : tfrc_duration_to_seconds (tfrc_time_since (self->reported_at, now));

  if (report->has_delay)
    add_delay (self, report, now);
  self->rtt = report->rtt;
  measure_queue (self, report, now);
  measure_horizon (self, report, passed);
  self->delivered = report->has_delay
      ? get_delivered (self, report->receive_rate)
      : report->receive_rate;
  if (!(self->delivered > 0.0)) {
    /* A report means that something arrived. */
    self->counters.impossible++;
    self->delivered = report->receive_rate;
  }
  self->least_rate = tfrc_rate_of (report->segment_size, self->horizon);
  self->delivered = fmax (self->delivered, self->least_rate);
  self->last_expected = tfrc_duration_to_seconds (self->expected);
  self->expected = expect_queue (self, report);
  note_queue (self, now);
  self->high_rate = fmax (self->delivered,
      self->high_rate * fmax (0.0, 1.0 - passed / RATE_MEMORY));
  self->best_rate = fmax (self->delivered,
      self->best_rate * fmax (0.0, 1.0 - passed / BEST_MEMORY));
  measure_noise (self, report, passed);
  update_target (self, report->segment_size);
}

/* The queue belongs to other flows, by losses while it was long. */
static bool
is_not_ours (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    bool new_loss, TfrcTime now)
{
  TfrcTime loss_at = self->loss_at;
  TfrcDuration target = tfrc_time_max (self->quiet_target, self->packet_time);

  if (self->queue > target + tfrc_time_max (5 * MS, target / 4))
    self->above_target_at = now;
  /* A loss is detected some packets later, when the queue may be short again. */
  if (!new_loss || now - self->above_target_at > LONG_MEMORY)
    return false;
  if (self->failures >= LOSS_FAILURES
      && now - self->withheld_since < LOSS_MEMORY
      && now - report->flight_time
          > tfrc_time_add (self->withheld_since, self->rtt))
    return true;
  if (loss_at != TFRC_TIME_NONE && now - loss_at < OVERFLOW_TIME)
    return false;
  self->loss_at = now;
  return loss_at != TFRC_TIME_NONE && now - loss_at < LOSS_MEMORY;
}

/* Every packet of a report found a queue far above the target; a large frame of our own
 * drains by itself.  After a failed drain the target is that at high_rate: a rate that fell
 * since would raise q* until it accepts a path that became longer. */
static bool
is_far_above (const TfrcDelayControl *self)
{
  TfrcDuration target = self->failures > 0 ? self->usual_target : self->target;

  target = tfrc_time_max (target, self->packet_time);
  return (double) self->least_queue > FAR_ABOVE * (double) target;
}

/* Sends `part` of B less than B for `duration`, and notes when the result is reported. */
static void
withhold (TfrcDelayControl *self, double part, TfrcDuration duration,
    TfrcTime now)
{
  self->before = self->least = self->most = self->queue;
  self->reduced_limit = fmax (1.0 - part, LEAST_LEFT) * self->delivered;
  self->reduced_until = tfrc_time_add (now, duration);
  self->judged_at = tfrc_time_add (self->reduced_until,
      tfrc_time_max (self->rtt, self->age));
}

/* Withholds twice the queue over three times its length, so that a third of B is sent
 * meanwhile; a long queue is drained in part only. */
static void
drain (TfrcDelayControl *self, TfrcTime now)
{
  TfrcDuration duration = tfrc_time_min (LONGEST_DRAIN,
      tfrc_time_max (3 * self->queue, DRAIN_RTTS * self->rtt));

  self->counters.drains++;
  if (self->failures == 0)
    self->withheld_since = now;
  self->state = TFRC_DELAY_DRAIN;
  self->empty_at = now;
  self->was_far_above = is_far_above (self);
  withhold (self, 2.0 * (double) self->queue / (double) duration, duration,
      now);
}

static void
compete (TfrcDelayControl *self, TfrcTime now)
{
  if (self->counters.competitions++ > 0
      && now - self->compete_ended_at < BACK_TIME)
    self->probes_needed = self->probes_needed < MOST_PROBES / 2
        ? 2 * self->probes_needed
        : MOST_PROBES;
  else
    self->probes_needed = PROBES;
  self->state = TFRC_DELAY_COMPETE;
  self->successes = 0;
  self->failures = 0;
  self->loss_at = TFRC_TIME_NONE;
  self->reduced_until = TFRC_TIME_NONE;
  self->judged_at = tfrc_time_add (now,
      tfrc_time_max (self->rtt, self->age + self->queue));
  self->probe_at = tfrc_time_add (now, PROBE_INTERVAL);
}

/* How long a PROBE at `queue` lasts. */
static TfrcDuration
get_probe_time (TfrcDuration queue)
{
  return tfrc_time_min (5 * queue / 2 + 25 * MS, LONGEST_PROBE);
}

static void
probe (TfrcDelayControl *self, TfrcTime now)
{
  self->counters.probes++;
  self->state = TFRC_DELAY_PROBE;
  self->limit = (double) INFINITY;
  withhold (self, PROBE_PART, get_probe_time (self->queue), now);
}

/* Starts the base delay anew with the present delay; a DRAIN then shows the true one. */
static void
begin_base (TfrcDelayControl *self, TfrcTime now)
{
  tfrc_base_delay_restart (&self->one_way);
  tfrc_base_delay_restart (&self->round_trip);
  if (self->history.n_samples > 0)
    tfrc_base_delay_on_sample (&self->one_way,
        1000 * tfrc_delay_history_get_newest (&self->history)->newest_delay_us,
        self->return_delay, now);
}

static void
return_to_control (TfrcDelayControl *self, TfrcTime now)
{
  drain (self, now);
  self->limit = self->delivered;
  self->compete_ended_at = now;
  self->high_rate = self->delivered; /* the path may have changed meanwhile */
  begin_base (self, now);
}

static void
judge_probe (TfrcDelayControl *self, TfrcTime now)
{
  double withheld = PROBE_PART * (double) get_probe_time (self->before);
  double fall = (double) self->before - (double) self->least;
  bool probed = self->state == TFRC_DELAY_PROBE;
  bool clear = !probed
      || fall >= SUCCESS_PART * fmin (withheld, (double) self->before);

  self->successes = clear ? self->successes + 1 : 0;
  self->state = TFRC_DELAY_COMPETE;
  self->probe_at = tfrc_time_add (now,
      self->successes > 0 ? NEXT_PROBE : PROBE_INTERVAL);
  if (self->successes < self->probes_needed)
    return;
  /* The queue is as long again as before the probe when the drain begins. */
  if (probed)
    self->queue = tfrc_time_max (self->queue, self->before);
  return_to_control (self, now);
}

/* A queue below the target needs no probe: that alone is a success. */
static void
wait_for_probe (TfrcDelayControl *self, TfrcTime now)
{
  if (now < self->probe_at)
    return;
  if (self->queue > self->target)
    probe (self, now);
  else
    judge_probe (self, now);
}

/* Tells a capacity that fell, where withholding empties the queue, from a competitor, who
 * keeps it filled, and from a path that became longer. */
static void
judge_drain (TfrcDelayControl *self, TfrcTime now)
{
  double before = (double) self->before;
  double left = (double) self->least;

  self->state = TFRC_DELAY_CONTROL;
  if (before - left >= FAILURE_PART * before
      && left <= FAR_ABOVE * (double) self->usual_target)
    self->failures = 0;
  else if (self->was_far_above)
    self->failures++;
  else if (before - left < FLAT_PART * before
      && (double) self->most - before < FLAT_PART * before)
    begin_base (self, now);
  if (self->failures >= FAILURES)
    compete (self, now);
}

/* The horizon is longer than the RTT, as packets are few, and an encoder sends less than D:
 * D, if taken from B, would lose within each horizon what it gained. */
static bool
may_climb (const TfrcDelayControl *self)
{
  return self->horizon > tfrc_time_max (self->rtt, self->age)
      && self->expected < self->target / 2;
}

/* The source sends less than D, so that B does not show the capacity. */
static bool
is_idle (const TfrcDelayControl *self, const TfrcDelayControlReport *report)
{
  return report->data_limited
      || report->bytes_before_echo
      < IDLE_PART * tfrc_rate_bytes_in (self->limit, report->rtt)
          - report->segment_size;
}

/* Lets D grow fast to what the path carried in the last minute while the queue is empty, and
 * beyond while it stays short.  After a fade R is still too long, so the RTT sample counts
 * where it is shorter. */
static void
recover (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    TfrcTime now)
{
  TfrcRate most = fmin (self->best_rate, MOST_CLIMB * self->delivered);
  TfrcRate least = is_idle (self, report)
      ? tfrc_rate_of (INITIAL_WINDOW, report->rtt)
      : 0.0;
  TfrcDuration rtt = tfrc_time_min (self->rtt, report->rtt_sample);

  if (now - self->above_half_at
      > tfrc_time_max (LONG_SHORT, LONG_SHORT_RTTS * rtt))
    most = fmax (most, fmax (MOST_STEP * self->delivered, least));
  else if (now - self->above_quarter_at <= EMPTY_RTTS * rtt)
    return;
  self->limit = fmax (self->limit, fmin (MOST_STEP * self->limit, most));
}

/* A mark has reduced D within the last horizon, so the effect is not seen yet. */
static bool
is_cut (const TfrcDelayControl *self, TfrcTime now)
{
  return self->cut_at != 0 && now - self->cut_at < self->horizon;
}

/* D = step * B.  But where the source limits or packets are few, B may be below the
 * capacity: D then only rises while there is no queue, and is reduced from its own value
 * when there is one. */
static void
update_limit (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    TfrcTime now)
{
  TfrcRate most = (double) INFINITY;
  bool idle;
  double error = ((double) self->target - (double) self->expected)
      / (double) self->horizon;
  double step = fmax (LEAST_STEP, fmin (1.0 + GAIN * error, MOST_STEP));

  if (isinf (self->limit))
    self->limit = fmax (report->allowed_rate, self->delivered);
  if (is_cut (self, now))
    most = self->limit;
  if (self->expected < self->target / 4)
    step = fmax (step,
        fmin (SURE_STEP, 1.0 + (double) SURE_QUEUE / (double) self->horizon));
  recover (self, report, now);
  idle = is_idle (self, report);
  if (idle && self->expected < self->target / 4)
    self->limit = fmax (fmax (self->limit, step * self->delivered),
        fmin (SURE_STEP * self->limit, self->best_rate));
  else if (may_climb (self))
    self->limit = fmax (fmax (self->limit, step * self->delivered),
        fmin (SURE_STEP * self->limit, MOST_CLIMB * self->delivered));
  else if (idle || (error >= 0.0 && self->queue < self->target / 4))
    self->limit = error >= 0.0 ? fmax (self->limit, step * self->delivered)
                               : step * fmax (self->limit, self->delivered);
  else
    self->limit = step * self->delivered;
  self->limit = fmin (self->limit, most);
}

static void
control (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    TfrcTime now)
{
  update_limit (self, report, now);
  if (self->state == TFRC_DELAY_DRAIN) {
    if (now >= self->judged_at)
      judge_drain (self, now);
    return;
  }
  if (now - self->empty_at > DRAIN_INTERVAL || is_far_above (self)
      || now - tfrc_time_max (self->within_target_at, self->empty_at)
          > ABOVE_INTERVAL)
    drain (self, now);
}

/* The least delay of a round has risen by more than noise.  The threshold is a part of the
 * base RTT: R itself includes the queue. */
static bool
is_rise (const TfrcDelayControl *self, TfrcDuration rise)
{
  return rise > tfrc_time_max (LEAST_RISE, get_empty_rtt (self) / RISE_PART)
      + tfrc_duration_from_seconds (RISE_NOISE * get_noise (self));
}

/* Neither the rise that ended START nor the present delay exceeds the noise known by now.
 * RFC 9406 section 4.2 resumes slow start, too. */
static bool
may_resume_start (const TfrcDelayControl *self, TfrcTime now)
{
  return self->started_at != TFRC_TIME_NONE && self->loss_event_rate == 0.0
      && now - self->started_at < RESUME_TIME
      && !is_rise (self, tfrc_time_max (self->rise, self->least_queue));
}

static void
leave_start (TfrcDelayControl *self, bool new_loss, TfrcTime now)
{
  if (is_rise (self, self->least_queue)) {
    self->rise = self->least_queue;
    self->started_at = now;
    self->limit = START_PART * self->delivered;
    drain (self, now);
  } else if (new_loss) {
    self->limit = self->delivered;
    self->empty_at = now;
    self->state = TFRC_DELAY_CONTROL;
  }
}

/* The rise includes what was in flight when START ended. */
static void
follow_rise (TfrcDelayControl *self, TfrcTime now)
{
  if (self->started_at != TFRC_TIME_NONE
      && now - self->started_at <= RISE_RTTS * self->rtt)
    self->rise = tfrc_time_max (self->rise, self->least_queue);
}

static void
resume_start (TfrcDelayControl *self)
{
  self->limit = (double) INFINITY;
  self->reduced_until = TFRC_TIME_NONE;
  self->state = TFRC_DELAY_START;
}

void
tfrc_delay_control_on_report (TfrcDelayControl *self,
    const TfrcDelayControlReport *report, TfrcTime now)
{
  bool new_loss = report->loss_event_rate > self->loss_event_rate;
  bool was_none = self->loss_event_rate > 0.0 && !(report->loss_event_rate > 0);

  tfrc_base_delay_on_sample (&self->round_trip, (int64_t) report->rtt_sample, 0,
      now);
  if (self->reference == 0)
    return;
  if (self->reported_at != TFRC_TIME_NONE)
    now = tfrc_time_max (now, self->reported_at);
  tfrc_delay_control_on_deadline (self, now);
  self->loss_event_rate = report->loss_event_rate;
  measure (self, report, now);
  switch (self->state) {
    case TFRC_DELAY_START:
      leave_start (self, new_loss, now);
      break;
    case TFRC_DELAY_CONTROL:
    case TFRC_DELAY_DRAIN:
      follow_rise (self, now);
      /* The only loss turned out to be reordering. */
      if ((was_none && self->state == TFRC_DELAY_CONTROL)
          || may_resume_start (self, now)) {
        resume_start (self);
      } else if (is_not_ours (self, report, new_loss, now)) {
        compete (self, now);
      } else {
        control (self, report, now);
      }
      break;
    case TFRC_DELAY_COMPETE:
      /* Only packets after the last DRAIN or PROBE count: what that withheld changed the
       * rate, and not the link. */
      if (tfrc_delay_history_grew_alone (&self->history, self->horizon,
              self->judged_at))
        return_to_control (self, now);
      else
        wait_for_probe (self, now);
      break;
    case TFRC_DELAY_PROBE:
      if (now >= self->judged_at)
        judge_probe (self, now);
      break;
  }
  self->reported_at = now;
}

/* Updates alpha once per round, from the first mark on: before it nobody knows whether the
 * bottleneck marks at all.  A round is a horizon, as growth takes one; a flow of short RTT
 * is thereby no more aggressive (RFC 9331 section 4.3). */
static void
measure_marks (TfrcDelayControl *self, TfrcTime now)
{
  if (self->round_at != 0 && now - self->round_at < self->horizon)
    return;
  if (self->round_at != 0 && self->arrived > 0)
    self->alpha += MARK_GAIN
        * ((double) self->marked / (double) self->arrived - self->alpha);
  if (self->round_at != 0 || self->marked > 0)
    self->round_at = now;
  self->marked = self->arrived = 0;
}

void
tfrc_delay_control_on_marks (TfrcDelayControl *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now)
{
  if (self->reference == 0 || self->reported_at == TFRC_TIME_NONE)
    return;
  now = tfrc_time_max (now, self->reported_at);
  self->marked += marked;
  self->arrived += (uint64_t) marked + unmarked;
  measure_marks (self, now);
  if (marked == 0 || is_cut (self, now))
    return;
  if (isinf (self->limit) || self->state == TFRC_DELAY_COMPETE)
    self->limit = self->delivered;
  if (self->state != TFRC_DELAY_DRAIN) {
    self->state = TFRC_DELAY_CONTROL;
    self->reduced_until = TFRC_TIME_NONE;
    self->empty_at = now;
  }
  self->limit = fmax ((1.0 - self->alpha / 2.0) * self->limit,
      self->least_rate);
  self->started_at = TFRC_TIME_NONE;
  self->cut_at = now;
  self->counters.mark_cuts++;
}

void
tfrc_delay_control_on_deadline (TfrcDelayControl *self, TfrcTime now)
{
  if (now >= self->reduced_until)
    self->reduced_until = TFRC_TIME_NONE;
}

TfrcRate
tfrc_delay_control_get_limit (const TfrcDelayControl *self)
{
  if (self->reduced_until != TFRC_TIME_NONE)
    return fmin (self->reduced_limit, self->limit);
  return self->state == TFRC_DELAY_COMPETE || self->state == TFRC_DELAY_PROBE
      ? (double) INFINITY
      : self->limit;
}

bool
tfrc_delay_control_is_clear (const TfrcDelayControl *self)
{
  return self->reference > 0
      && (self->state == TFRC_DELAY_START || self->state == TFRC_DELAY_CONTROL)
      && self->expected < self->target / 4;
}

/* During the probe all that is allowed was sent.  Without a queue D may grow; where the
 * queue is far too long, the path carries no more than B, whatever it did before. */
void
tfrc_delay_control_on_probe (TfrcDelayControl *self, TfrcRate rate,
    TfrcRate receive_rate)
{
  if (is_far_above (self))
    self->best_rate = self->high_rate = self->delivered;
  else if (tfrc_delay_control_is_clear (self)
      && self->state == TFRC_DELAY_CONTROL)
    self->limit = fmax (self->limit,
        MOST_STEP * fmin (rate, fmax (self->delivered, receive_rate)));
}
