/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delay/delay-control.h"

#include <math.h>

#define MS TFRC_MILLISECOND

/* A queue on the way there is part of the RTT, whose newest sample is of one
 * packet. */
#define RTT_SLACK (5 * MS)

/* The queue and the rate are taken over an RTT, but never over less than this, so
 * many packets (one packet more or less is then little) or the age of the news, which
 * is more than an RTT where reports are rare: what D does meanwhile is seen after it.
 * The age is the most of this time. */
#define AGE_MEMORY 2.0 /* [s] */
#define LEAST_HORIZON (20 * MS)
#define MOST_HORIZON TFRC_SECOND
#define HORIZON_PACKETS 6.0
/* B is the mean of several horizons, as long as that of the last is near it. */
#define SLOW_HORIZONS 4
#define RATE_NOISE 0.1
/* Of fewer packets under way nothing is expected. */
#define FLIGHT_PACKETS 3.0

/* q* = target (B / 2 Mbit/s)^-SPREAD and what varies by itself: how far the queue is
 * from what was expected of it, and packets of one RTT above the least of them. */
#define REFERENCE_RATE 250000.0
#define SPREAD 0.4
#define RATE_MEMORY 30.0 /* [s], of the most of B: that of the base delay */
#define BEST_MEMORY 60.0 /* [s], of what a fade is to end with */
#define MOST_TARGET 4.0
#define NOISE_TIME 2.0 /* [s] */

/* D = B (1 + GAIN (q* - q) / horizon). */
#define GAIN 0.8
#define LEAST_STEP 0.3
#define MOST_STEP 1.25
/* At an empty queue, where clocks that part hide it, too; and of D itself, where B
 * says little of what could be.  It is seen a horizon later: no more than this queue. */
#define SURE_STEP 1.06
#define SURE_QUEUE (6 * MS)
/* Where packets are few, B is that of a while ago: D grows by itself, up to this
 * multiple of B, as X does by X_recv. */
#define MOST_CLIMB 2.0
/* A sender that sent less than this part of D is not limited by it. */
#define IDLE_PART 0.8
/* When the queue has been empty for so long, D rises by the largest steps to what the
 * path carried in the last minute, as TCP does by slow start behind a timeout. */
#define EMPTY_RTTS 3
/* And behind a second below half of q*, or thrice as long, to what it never carried: for
 * a source that leaves some of D to what RFC 5348 section 4.2 has a flow begin with, since
 * less may be less than an encoder can make of anything. */
#define LONG_SHORT TFRC_SECOND
#define LONG_SHORT_RTTS 9
#define INITIAL_WINDOW 4380.0

/* g of RFC 8257 section 3.3. */
#define MARK_GAIN (1.0 / 16.0)

/* RFC 9406 section 4.2 ends slow start when the least RTT of a round rises by an
 * eighth, and by 4 ms at least; here it is also the jitter of hosts. */
#define LEAST_RISE (8 * MS)
#define RISE_PART 8
/* Beyond twice what varies by itself, which is known some time later: a START that ended
 * by no more than that goes on. */
#define RISE_NOISE 2.0
#define RESUME_TIME (4 * TFRC_SECOND)
#define RISE_RTTS 2
/* Of the RTT of the empty path; reports may be in parts of it. */
#define ROUND_PART 0.7
#define START_PART 0.8

/* The base of the delay is forgotten after thrice this time. */
#define DRAIN_INTERVAL (10 * TFRC_SECOND)
/* An empty queue, and no more than a quarter of q*: that of a fast link would pass
 * for one, and nothing show the base. */
#define CLEAR (2 * MS)
/* As the news of it takes one; and three times a queue of 10 s would be too long. */
#define DRAIN_RTTS 2
#define LONGEST_DRAIN TFRC_SECOND
/* Above q* for so long, though D lets it drain: the path may have become longer, and D
 * falls until that is known. */
#define ABOVE_INTERVAL (3 * TFRC_SECOND)
#define LEAST_LEFT 0.05 /* of B, or nothing would tell of the queue */
/* Of an encoder: a report may be of fewer packets than were sent as one burst when it
 * began, and those alone would find a queue that is gone with the frame. */
#define FRAME_TIME (40 * MS)
#define FAR_ABOVE 1.6 /* of the target: somebody takes the queue for the path */
/* What a packet takes is not: of those of unlike sizes a larger one would pass for it.  In
 * a fade, below this part of what came before, that is longer than any queue may be. */
#define THIN_PART 0.5

/* A queue is not ours that DRAINs in a row have not shortened by this part, or to
 * what is short at the rate of the last half minute.  Two are enough where it overflows
 * behind the first one, of as little as that left. */
#define FAILURE_PART 0.25
#define FAILURES 4
#define LOSS_FAILURES 2
/* One that a DRAIN has not moved by this is none: the path became longer. */
#define FLAT_PART 0.1
/* Nor one that overflows twice within this time.  Where the capacity falls, what is
 * under way overflows it once, in several RTTs. */
#define LOSS_MEMORY (20 * TFRC_SECOND)
#define OVERFLOW_TIME TFRC_SECOND /* losses within it are of one */
#define LONG_MEMORY TFRC_SECOND   /* a loss is of the long queue before it */
/* Two probes are judged within eight seconds.  Who comes back to COMPETE so soon was let
 * out of it by chance, and needs twice as many next time. */
#define PROBE_INTERVAL (5 * TFRC_SECOND)
#define NEXT_PROBE (3 * TFRC_SECOND / 2) /* behind one that has succeeded */
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
    .low_until = TFRC_TIME_NONE,
    .started_at = TFRC_TIME_NONE,
    .reported_at = TFRC_TIME_NONE,
    .loss_at = TFRC_TIME_NONE,
  };
  tfrc_base_delay_init (&self->one_way, TFRC_BASE_DELAY_MAX_SKEW);
  tfrc_base_delay_init (&self->round_trip, 0.0);
}

/* Of a report with delays. */
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
  /* From the arrival of the newest packet to that of the report, less what it waited
   * for the report. */
  self->back = (int64_t) (now - report->flight_time + report->rtt_sample)
      - 1000 * newest->arrival_us;
  tfrc_base_delay_on_sample (&self->one_way, 1000 * newest->newest_delay_us,
      self->back, now);
}

/* B: that of the last horizons together, which packets that come one by one move
 * less, or else that of the last one. */
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

/* R of the empty path. */
static TfrcDuration
get_empty_rtt (const TfrcDelayControl *self)
{
  return tfrc_time_max (self->rtt / 4, tfrc_time_sub (self->rtt, self->queue));
}

/* Of the packets of a report, and of a frame where the RTT is shorter; in START of
 * those of a round, as RFC 9406 has it. */
static int64_t
get_least_delay (const TfrcDelayControl *self, TfrcTime now)
{
  TfrcDuration span = self->rtt < FRAME_TIME ? FRAME_TIME : 0;

  if (self->state == TFRC_DELAY_START)
    span = (TfrcDuration) (ROUND_PART * (double) get_empty_rtt (self));
  return tfrc_delay_history_get_least_us (&self->history, span, now);
}

/* Both queues, no longer than the RTT allows. */
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
    /* The RTT is of one packet, and the delay of several. */
    self->counters.impossible += self->least_queue > round_trip + RTT_SLACK;
    self->queue = round_trip + RTT_SLACK;
  }
  self->least_queue = tfrc_time_min (self->least_queue, self->queue);
}

/* The queue without what varies by itself, and what is under way beyond what arrives
 * in the same time: it will wait, too, as the packets of the last RTT have not been
 * reported.  But only as far as there is a queue: else what arrives is what was sent,
 * and not what could. */
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
  /* Half a packet would be on its way by now, if packets could be parted. */
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

/* q* of a flow that has `rate`. */
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

/* Of a report `passed` seconds behind the one before. */
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

/* When it was empty, and what of it a DRAIN or PROBE changes.  A rate that has fallen since
 * is no reason for a longer one, see is_far_above (). */
static void
note_queue (TfrcDelayControl *self, TfrcTime now)
{
  self->least = tfrc_time_min (self->least, self->queue);
  self->most = tfrc_time_max (self->most, self->queue);
  if (self->least_queue < tfrc_time_min (CLEAR, self->target / 4))
    self->clear_at = now;
  if (self->expected >= self->target / 4)
    self->filled_at = now;
  if (self->queue >= self->target / 2)
    self->half_at = now;
  if (self->queue <= tfrc_time_min (self->target, self->usual_target))
    self->fits_at = now;
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
    /* Something came, or there were no report. */
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

/* Losses at a long queue. */
static bool
is_not_ours (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    bool new_loss, TfrcTime now)
{
  TfrcTime loss_at = self->loss_at;
  TfrcDuration target = tfrc_time_max (self->quiet_target, self->packet_time);

  if (self->queue > target + tfrc_time_max (5 * MS, target / 4))
    self->long_at = now;
  /* A loss is known some packets later, when the queue may be short again. */
  if (!new_loss || now - self->long_at > LONG_MEMORY)
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

/* For every packet of a report: a large frame of our own is soon gone by itself.
 * Behind a DRAIN that failed a rate that has fallen since is no reason for a longer
 * queue: else q* grows until it accepts a path that became longer. */
static bool
is_far_above (const TfrcDelayControl *self)
{
  TfrcDuration target = self->failures > 0 ? self->usual_target : self->target;

  target = tfrc_time_max (target, self->packet_time);
  return (double) self->least_queue > FAR_ABOVE * (double) target;
}

/* `part` of what arrives, for `duration`. */
static void
withhold (TfrcDelayControl *self, double part, TfrcDuration duration,
    TfrcTime now)
{
  self->before = self->least = self->most = self->queue;
  self->low_limit = fmax (1.0 - part, LEAST_LEFT) * self->delivered;
  self->low_until = tfrc_time_add (now, duration);
  self->judged_at = tfrc_time_add (self->low_until,
      tfrc_time_max (self->rtt, self->age));
}

/* Twice the queue is withheld; a third of B is left, where a second is enough for that. */
static void
drain (TfrcDelayControl *self, TfrcTime now)
{
  TfrcDuration duration = tfrc_time_min (LONGEST_DRAIN,
      tfrc_time_max (3 * self->queue, DRAIN_RTTS * self->rtt));

  self->counters.drains++;
  if (self->failures == 0)
    self->withheld_since = now;
  self->state = TFRC_DELAY_DRAIN;
  self->clear_at = now;
  self->was_far_above = is_far_above (self);
  withhold (self, 2.0 * (double) self->queue / (double) duration, duration,
      now);
}

static void
compete (TfrcDelayControl *self, TfrcTime now)
{
  if (self->counters.competitions++ > 0 && now - self->back_at < BACK_TIME)
    self->probes_needed = self->probes_needed < MOST_PROBES / 2
        ? 2 * self->probes_needed
        : MOST_PROBES;
  else
    self->probes_needed = PROBES;
  self->state = TFRC_DELAY_COMPETE;
  self->successes = 0;
  self->failures = 0;
  self->loss_at = TFRC_TIME_NONE;
  self->low_until = TFRC_TIME_NONE;
  self->judged_at = tfrc_time_add (now,
      tfrc_time_max (self->rtt, self->age + self->queue));
  self->probe_at = tfrc_time_add (now, PROBE_INTERVAL);
}

/* Of a PROBE that finds `queue`. */
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

/* With the delay that is found now; a DRAIN shows the one of the empty path. */
static void
begin_base (TfrcDelayControl *self, TfrcTime now)
{
  tfrc_base_delay_restart (&self->one_way);
  tfrc_base_delay_restart (&self->round_trip);
  if (self->history.n_samples > 0)
    tfrc_base_delay_on_sample (&self->one_way,
        1000 * tfrc_delay_history_get_newest (&self->history)->newest_delay_us,
        self->back, now);
}

static void
return_to_control (TfrcDelayControl *self, TfrcTime now)
{
  drain (self, now);
  self->limit = self->delivered;
  self->back_at = now;
  self->high_rate = self->delivered; /* whatever the path was before */
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
  /* What it withheld is back when the drain begins. */
  if (probed)
    self->queue = tfrc_time_max (self->queue, self->before);
  return_to_control (self, now);
}

/* At a short queue there is nothing to see, and nothing to do. */
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

/* A falling capacity or a competitor: what is withheld empties the queue of the
 * one, and not that of the other. */
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

/* A horizon of packets is longer than the RTT, and an encoder sends less than D:
 * what is added to B each horizon is then lost again. */
static bool
may_climb (const TfrcDelayControl *self)
{
  return self->horizon > tfrc_time_max (self->rtt, self->age)
      && self->expected < self->target / 2;
}

/* What arrives is then no measure of what could. */
static bool
is_idle (const TfrcDelayControl *self, const TfrcDelayControlReport *report)
{
  return report->data_limited
      || report->bytes_before_echo
      < IDLE_PART * tfrc_rate_bytes_in (self->limit, report->rtt)
          - report->segment_size;
}

/* To what the path carried not long ago, while the queue is empty, and beyond while it is
 * short.  Behind a fade R is still that of the fade. */
static void
recover (TfrcDelayControl *self, const TfrcDelayControlReport *report,
    TfrcTime now)
{
  TfrcRate most = fmin (self->best_rate, MOST_CLIMB * self->delivered);
  TfrcRate least = is_idle (self, report)
      ? tfrc_rate_of (INITIAL_WINDOW, report->rtt)
      : 0.0;
  TfrcDuration rtt = tfrc_time_min (self->rtt, report->rtt_sample);

  if (now - self->half_at > tfrc_time_max (LONG_SHORT, LONG_SHORT_RTTS * rtt))
    most = fmax (most, fmax (MOST_STEP * self->delivered, least));
  else if (now - self->filled_at <= EMPTY_RTTS * rtt)
    return;
  self->limit = fmax (self->limit, fmin (MOST_STEP * self->limit, most));
}

/* By a mark, within the horizon after which that is seen. */
static bool
is_cut (const TfrcDelayControl *self, TfrcTime now)
{
  return self->cut_at != 0 && now - self->cut_at < self->horizon;
}

/* Without a queue, and while D does not limit, what arrives may be less than what
 * could: D then rises only, or falls by itself. */
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
  if (now - self->clear_at > DRAIN_INTERVAL || is_far_above (self)
      || now - tfrc_time_max (self->fits_at, self->clear_at) > ABOVE_INTERVAL)
    drain (self, now);
}

/* The least delay of a round has risen by a queue, and not by what varies.  An R that
 * holds the queue would hide it. */
static bool
is_rise (const TfrcDelayControl *self, TfrcDuration rise)
{
  return rise > tfrc_time_max (LEAST_RISE, get_empty_rtt (self) / RISE_PART)
      + tfrc_duration_from_seconds (RISE_NOISE * get_noise (self));
}

/* What ended START, and what is seen now, is no queue: RFC 9406 section 4.2 resumes
 * slow start, too. */
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
    self->clear_at = now;
    self->state = TFRC_DELAY_CONTROL;
  }
}

/* What was under way when START ended is seen in the two RTTs behind it. */
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
  self->low_until = TFRC_TIME_NONE;
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
      /* A loss that is taken back was of packets that overtook each other. */
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
      /* Behind what the last DRAIN or PROBE withheld: that says nothing of the link. */
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

/* Where no packet was ever marked nobody knows whether any would be.  Rounds are as long
 * as D takes to grow: RFC 9331 section 4.3 wants no more of a short RTT. */
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
    self->low_until = TFRC_TIME_NONE;
    self->clear_at = now;
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
  if (now >= self->low_until)
    self->low_until = TFRC_TIME_NONE;
}

TfrcRate
tfrc_delay_control_get_limit (const TfrcDelayControl *self)
{
  if (self->low_until != TFRC_TIME_NONE)
    return fmin (self->low_limit, self->limit);
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

/* All that might be sent was, and a queue would be seen.  Where one is that is too long,
 * the path carries B, whatever it did before. */
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
