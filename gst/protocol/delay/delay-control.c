/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delay/delay-control.h"

#include <math.h>

/* g of RFC 8257 section 3.3. */
#define MARK_GAIN (1.0 / 16.0)

void
tfrc_mark_response_init (TfrcMarkResponse *self)
{
  *self = (TfrcMarkResponse) { .alpha = 1.0 }; /* RFC 8257 section 3.3 */
}

/* Updates alpha once per round, from the first mark on: before it nobody knows whether the
 * bottleneck marks at all. */
static void
measure_marks (TfrcMarkResponse *self, TfrcDuration round, TfrcTime now)
{
  if (self->round_at != 0 && now - self->round_at < round)
    return;
  if (self->round_at != 0 && self->arrived > 0)
    self->alpha += MARK_GAIN
        * ((double) self->marked / (double) self->arrived - self->alpha);
  if (self->round_at != 0 || self->marked > 0)
    self->round_at = now;
  self->marked = self->arrived = 0;
}

bool
tfrc_mark_response_is_pending (const TfrcMarkResponse *self, TfrcDuration round,
    TfrcTime now)
{
  return self->cut_at != 0 && now - self->cut_at < round;
}

bool
tfrc_mark_response_on_marks (TfrcMarkResponse *self, uint32_t marked,
    uint32_t unmarked, TfrcDuration round, TfrcTime now)
{
  self->marked += marked;
  self->arrived += (uint64_t) marked + unmarked;
  measure_marks (self, round, now);
  if (marked == 0 || tfrc_mark_response_is_pending (self, round, now))
    return false;
  self->cut_at = now;
  return true;
}

#define MS TFRC_MILLISECOND

/* q* = target (B / 2 Mbit/s)^-SPREAD + noise.  The noise is the mean deviation of the
 * queue from what was expected, and the jitter of the packets of one report. */
#define REFERENCE_RATE 250000.0
#define SPREAD 0.4
#define RATE_MEMORY \
  30.0 /* [s], of high_rate: as long as that of the base delay */
#define BEST_MEMORY \
  60.0 /* [s], of best_rate, which D returns to after a fade */
#define MOST_TARGET 4.0
/* Noise of both directions adds LOUD_GAIN times what it is above LOUD targets, at most
 * MOST_TARGET again.  A flow whose q* is shorter than the delay that jitter makes of an
 * empty path gives way to it until nothing is left (Arun, Alizadeh and Balakrishnan,
 * Starvation in end-to-end congestion control, SIGCOMM 2022). */
#define LOUD 2.5
#define LOUD_GAIN 6.0

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

/* RFC 9406 section 4.2 ends slow start when the least RTT of a round rises by an
 * eighth, and at least by 4 ms; LEAST_RISE is more than that for the jitter of hosts. */
#define LEAST_RISE (8 * MS)
#define RISE_PART 8
/* The rise must exceed twice the noise, too, and that of both directions once more, since
 * the rise is the most of several reports.  The noise is known only after some time, so a
 * START that ended by a rise within it is resumed, until RESUME_TIME.  The rise includes
 * what was in flight when START ended, which is seen in the next RISE_RTTS. */
#define RISE_NOISE 2.0
#define RESUME_TIME (4 * TFRC_SECOND)
#define RISE_RTTS 2
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
/* Of B, sent in any case: without packets nothing is measured, and frames that wait for
 * the pacer are dropped in the end. */
#define LEAST_LEFT 0.25
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
/* A delay that a drain changed by less than this part, or than what the queue deviates from
 * what is expected, is no queue: the path became longer.  One of n equal flows takes two n-ths
 * of its queue away, so that up to six are told from a path. */
#define FLAT_PART 0.3
/* CONTROL itself withholds while the queue is above q*.  Once that is KEPT_PART of the
 * longest queue, an own queue has fallen by as much; one that stayed above KEPT_ABOVE times
 * q* all the while is kept there by others.  The queue is theirs when this happens KEPT times
 * within LOSS_MEMORY: a TCP whose queue swings about q* else ends each drain by chance, and
 * holds the flow at a twentieth of the link.  Equal flows keep it below that multiple, but
 * for the end of each frame, and slower ones, without losses, at their own q*, of up to
 * MOST_TARGET targets.  KEPT_APART lets a drain find a longer path before. */
#define KEPT_PART 0.7
#define KEPT_ABOVE 1.3
#define KEPT 3
#define KEPT_APART (ABOVE_INTERVAL / 2)
/* The queue is our own while the last EMPTIED drains left no more than EMPTIED_PART of it:
 * losses are random then.  Others' queues end now and then during a drain, too, but not in
 * each one. */
#define EMPTIED 3
#define EMPTIED_PART (1.0 / 3.0)
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
    .reduced_until = TFRC_TIME_NONE,
    .started_at = TFRC_TIME_NONE,
    .loss_at = TFRC_TIME_NONE,
  };
  tfrc_measured_path_init (&self->path);
  tfrc_mark_response_init (&self->marks);
}

/* q* at `rate`; `loud`: of get_loud (). */
static TfrcDuration
get_target (const TfrcDelayControl *self, TfrcRate rate, double noise,
    double loud)
{
  double target = tfrc_duration_to_seconds (self->reference);
  double q = target * pow (rate / REFERENCE_RATE, -SPREAD);

  return tfrc_duration_from_seconds (fmin (q + noise, MOST_TARGET * target)
      + loud);
}

/* What noise of both directions adds to q* [s]. */
static double
get_loud (const TfrcDelayControl *self)
{
  double target = tfrc_duration_to_seconds (self->reference);
  double above = tfrc_measured_path_get_steady_noise (&self->path)
      - LOUD * target;

  return fmax (0.0, fmin (LOUD_GAIN * above, MOST_TARGET * target));
}

static void
update_target (TfrcDelayControl *self, double packet_size)
{
  double noise = tfrc_measured_path_get_noise (&self->path);
  double loud = get_loud (self);

  self->quiet_target = get_target (self, self->path.delivered, 0.0, 0.0);
  self->target = get_target (self, self->path.delivered, noise, loud);
  self->usual_target = get_target (self, self->high_rate, noise, loud);
  self->packet_time = tfrc_rate_time_for (fmax (self->path.delivered,
                                              THIN_PART * self->high_rate),
      packet_size);
}

/* The highest B of about the last `memory` [s]. */
static TfrcRate
get_highest (TfrcRate highest, double memory, const TfrcMeasuredPath *path)
{
  return fmax (path->delivered,
      highest * fmax (0.0, 1.0 - path->passed / memory));
}

/* Notes when the queue was last empty or short, and its extremes during a DRAIN or PROBE.
 * A queue fits only if it is below the target at high_rate, too, see is_far_above (). */
static void
note_queue (TfrcDelayControl *self, TfrcTime now)
{
  self->least = tfrc_time_min (self->least, self->path.queue);
  self->most = tfrc_time_max (self->most, self->path.queue);
  if (self->path.least_queue < tfrc_time_min (CLEAR, self->target / 4))
    self->empty_at = now;
  if (self->path.expected >= self->target / 4)
    self->above_quarter_at = now;
  if (self->path.queue >= self->target / 2)
    self->above_half_at = now;
  if (self->path.queue <= tfrc_time_min (self->target, self->usual_target))
    self->within_target_at = now;
}

static void
measure (TfrcDelayControl *self, const TfrcPathReport *report, TfrcTime now)
{
  const TfrcPathUse use = {
    .target = self->target,
    .in_slow_start = self->state == TFRC_DELAY_START,
    .follows_queue = self->state == TFRC_DELAY_CONTROL,
  };

  tfrc_measured_path_on_report (&self->path, report, &use, now);
  note_queue (self, now);
  self->high_rate = get_highest (self->high_rate, RATE_MEMORY, &self->path);
  self->best_rate = get_highest (self->best_rate, BEST_MEMORY, &self->path);
  update_target (self, report->segment_size);
}

/* The queue belongs to other flows, by losses while it was long. */
static bool
is_not_ours (TfrcDelayControl *self, const TfrcPathReport *report,
    bool new_loss, TfrcTime now)
{
  TfrcTime loss_at = self->loss_at;
  TfrcDuration target = tfrc_time_max (self->quiet_target, self->packet_time);

  /* At an overflow every packet waits, at a random loss some do: those behind others. */
  if (self->path.least_queue > target + tfrc_time_max (5 * MS, target / 4))
    self->above_target_at = now;
  /* A loss is detected some packets later, when the queue may be short again. */
  if (!new_loss || now - self->above_target_at > LONG_MEMORY)
    return false;
  if (self->failures >= LOSS_FAILURES
      && now - self->withheld_since < LOSS_MEMORY
      && now - report->flight_time
          > tfrc_time_add (self->withheld_since, self->path.rtt))
    return true;
  if (self->emptied >= EMPTIED)
    return false;
  if (loss_at != TFRC_TIME_NONE && now - loss_at < OVERFLOW_TIME)
    return false;
  self->loss_at = now;
  return loss_at != TFRC_TIME_NONE && now - loss_at < LOSS_MEMORY;
}

/* The queue is kept above q* by others, however much D withholds. */
static bool
is_kept (TfrcDelayControl *self, TfrcTime now)
{
  if (self->state != TFRC_DELAY_CONTROL
      || (double) self->path.least_queue <= KEPT_ABOVE
              * (self->loss_event_rate > 0.0
                      ? (double) self->target
                      : MOST_TARGET * (double) self->reference)) {
    self->longest = 0;
    self->withheld = 0.0;
    return false;
  }
  self->longest = tfrc_time_max (self->longest, self->path.queue);
  self->withheld += self->path.passed
      * fmax (0.0, 1.0 - self->limit / self->path.delivered);
  if (self->withheld <= KEPT_PART * tfrc_duration_to_seconds (self->longest)
      || now - self->kept_at < KEPT_APART)
    return false;
  self->longest = 0;
  self->withheld = 0.0;
  self->kept = now - self->kept_at < LOSS_MEMORY ? self->kept + 1 : 1;
  self->kept_at = now;
  return self->kept >= KEPT;
}

/* Every packet of a report found a queue far above the target; a large frame of our own
 * drains by itself.  After a failed drain the target is that at high_rate: a rate that fell
 * since would raise q* until it accepts a path that became longer. */
static bool
is_far_above (const TfrcDelayControl *self)
{
  TfrcDuration target = self->failures > 0 ? self->usual_target : self->target;

  target = tfrc_time_max (target, self->packet_time);
  return (double) self->path.least_queue > FAR_ABOVE * (double) target;
}

/* Sends `part` of B less than B for `duration`, and notes when the result is reported. */
static void
withhold (TfrcDelayControl *self, double part, TfrcDuration duration,
    TfrcTime now)
{
  self->before = self->least = self->most = self->path.queue;
  self->excess_before = self->path.excess;
  self->excess_sum = 0;
  self->n_excess = 0;
  self->reduced_limit = fmax (1.0 - part, LEAST_LEFT) * self->path.delivered;
  self->reduced_until = tfrc_time_add (now, duration);
  self->judged_at = tfrc_time_add (self->reduced_until,
      tfrc_time_max (self->path.rtt, self->path.age));
}

/* Withholds twice the queue over three times its length, so that a third of B is sent
 * meanwhile; a long queue is drained in part only. */
static void
drain (TfrcDelayControl *self, TfrcTime now)
{
  TfrcDuration duration = tfrc_time_min (LONGEST_DRAIN,
      tfrc_time_max (3 * self->path.queue, DRAIN_RTTS * self->path.rtt));

  self->counters.drains++;
  if (self->failures == 0)
    self->withheld_since = now;
  self->state = TFRC_DELAY_DRAIN;
  self->empty_at = now;
  self->was_far_above = self->ends_with_queue = is_far_above (self);
  withhold (self, 2.0 * (double) self->path.queue / (double) duration, duration,
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
  self->kept = 0;
  self->loss_at = TFRC_TIME_NONE;
  self->reduced_until = TFRC_TIME_NONE;
  self->judged_at = tfrc_time_add (now,
      tfrc_time_max (self->path.rtt, self->path.age + self->path.queue));
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
  withhold (self, PROBE_PART, get_probe_time (self->path.queue), now);
}

static void
return_to_control (TfrcDelayControl *self, TfrcTime now)
{
  drain (self, now);
  self->ends_with_queue = false;
  self->limit = self->path.delivered;
  self->compete_ended_at = now;
  self->high_rate =
      self->path.delivered; /* the path may have changed meanwhile */
  tfrc_measured_path_restart_base (&self->path, now);
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
    self->path.queue = tfrc_time_max (self->path.queue, self->before);
  return_to_control (self, now);
}

/* A queue below the target needs no probe: that alone is a success. */
static void
wait_for_probe (TfrcDelayControl *self, TfrcTime now)
{
  if (now < self->probe_at)
    return;
  if (self->path.queue > self->target)
    probe (self, now);
  else
    judge_probe (self, now);
}

/* Where a gap in the service of the path made the queue, it is gone with the gap: what is
 * withheld any longer makes frames wait for an empty path.  Where packets take longer than
 * q*, single ones decide. */
static void
end_drain_with_queue (TfrcDelayControl *self, TfrcTime now)
{
  if (self->reduced_until == TFRC_TIME_NONE || !self->ends_with_queue
      || self->packet_time > self->target || self->path.expected > 0
      || (double) self->path.queue > EMPTIED_PART * (double) self->before)
    return;
  self->reduced_until = TFRC_TIME_NONE;
  self->judged_at = tfrc_time_add (now,
      tfrc_time_max (self->path.rtt, self->path.age));
}

/* Once all is withheld the queue is empty, and what is left is the delay of the empty path,
 * if it is left each time.  Where a packet takes longer than q*, single packets decide. */
static void
note_excess (TfrcDelayControl *self, TfrcTime now)
{
  double left;

  if (self->reduced_until == TFRC_TIME_NONE) {
    self->excess_sum += self->path.excess;
    self->n_excess++;
  }
  if (now < self->judged_at)
    return;
  left = (double) self->excess_sum / fmax (self->n_excess, 1.0);
  tfrc_measured_path_on_drained (&self->path,
      left <= EMPTIED_PART * (double) self->excess_before
              || self->packet_time > self->quiet_target
          ? 0
          : (TfrcDuration) left);
}

/* Tells a capacity that fell, where withholding empties the queue, from a competitor, who
 * keeps it filled, and from a path that became longer. */
static void
judge_drain (TfrcDelayControl *self, TfrcTime now)
{
  double before = (double) self->before;
  double left = (double) self->least;
  double flat = FLAT_PART * before;

  /* An RTT deviates by the way back and the receiver's timer, too. */
  if (self->path.history.n_samples > 0)
    flat = fmax (flat,
        tfrc_measured_path_get_deviation (&self->path) * (double) TFRC_SECOND);
  self->emptied = left <= EMPTIED_PART * before ? self->emptied + 1 : 0;
  self->state = TFRC_DELAY_CONTROL;
  if (before - left >= FAILURE_PART * before
      && left <= FAR_ABOVE * (double) self->usual_target)
    self->failures = 0;
  else if (self->was_far_above)
    self->failures++;
  else if (before - left < flat && (double) self->most - before < flat)
    tfrc_measured_path_restart_base (&self->path, now);
  if (self->failures >= FAILURES)
    compete (self, now);
}

/* The horizon is longer than the RTT, as packets are few, and an encoder sends less than D:
 * D, if taken from B, would lose within each horizon what it gained. */
static bool
may_climb (const TfrcDelayControl *self)
{
  return self->path.horizon > tfrc_time_max (self->path.rtt, self->path.age)
      && self->path.expected < self->target / 2;
}

/* The source sends less than D, so that B does not show the capacity. */
static bool
is_idle (const TfrcDelayControl *self, const TfrcPathReport *report)
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
recover (TfrcDelayControl *self, const TfrcPathReport *report, TfrcTime now)
{
  TfrcRate most = fmin (self->best_rate, MOST_CLIMB * self->path.delivered);
  TfrcRate least = is_idle (self, report)
      ? tfrc_rate_of (INITIAL_WINDOW, report->rtt)
      : 0.0;
  TfrcDuration rtt = tfrc_time_min (self->path.rtt, report->rtt_sample);

  if (now - self->above_half_at
      > tfrc_time_max (LONG_SHORT, LONG_SHORT_RTTS * rtt))
    most = fmax (most, fmax (MOST_STEP * self->path.delivered, least));
  else if (now - self->above_quarter_at <= EMPTY_RTTS * rtt)
    return;
  self->limit = fmax (self->limit, fmin (MOST_STEP * self->limit, most));
}

/* D = step * B.  But where the source limits or packets are few, B may be below the
 * capacity: D then only rises while there is no queue, and is reduced from its own value
 * when there is one. */
static void
update_limit (TfrcDelayControl *self, const TfrcPathReport *report,
    TfrcTime now)
{
  TfrcRate most = (double) INFINITY;
  bool idle;
  double error = ((double) self->target - (double) self->path.expected)
      / (double) self->path.horizon;
  double step = fmax (LEAST_STEP, fmin (1.0 + GAIN * error, MOST_STEP));

  if (isinf (self->limit))
    self->limit = fmax (report->allowed_rate, self->path.delivered);
  if (tfrc_mark_response_is_pending (&self->marks, self->path.horizon, now))
    most = self->limit;
  if (self->path.expected < self->target / 4)
    step = fmax (step,
        fmin (SURE_STEP,
            1.0 + (double) SURE_QUEUE / (double) self->path.horizon));
  recover (self, report, now);
  idle = is_idle (self, report);
  if (idle && self->path.expected < self->target / 4)
    self->limit = fmax (fmax (self->limit, step * self->path.delivered),
        fmin (SURE_STEP * self->limit, self->best_rate));
  else if (may_climb (self))
    self->limit = fmax (fmax (self->limit, step * self->path.delivered),
        fmin (SURE_STEP * self->limit, MOST_CLIMB * self->path.delivered));
  else if (idle || (error >= 0.0 && self->path.queue < self->target / 4))
    self->limit = error >= 0.0
        ? fmax (self->limit, step * self->path.delivered)
        : step * fmax (self->limit, self->path.delivered);
  else
    self->limit = step * self->path.delivered;
  self->limit = fmin (self->limit, most);
}

static void
control (TfrcDelayControl *self, const TfrcPathReport *report, TfrcTime now)
{
  update_limit (self, report, now);
  if (self->state == TFRC_DELAY_DRAIN) {
    end_drain_with_queue (self, now);
    note_excess (self, now);
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
  return rise > tfrc_time_max (LEAST_RISE,
                    tfrc_measured_path_get_empty_rtt (&self->path) / RISE_PART)
      + tfrc_duration_from_seconds (RISE_NOISE
              * tfrc_measured_path_get_noise (&self->path)
          + tfrc_measured_path_get_steady_noise (&self->path));
}

/* Neither the rise that ended START nor the present delay exceeds the noise known by now.
 * RFC 9406 section 4.2 resumes slow start, too. */
static bool
may_resume_start (const TfrcDelayControl *self, TfrcTime now)
{
  return self->started_at != TFRC_TIME_NONE && self->loss_event_rate == 0.0
      && now - self->started_at < RESUME_TIME
      && !is_rise (self, tfrc_time_max (self->rise, self->path.least_queue));
}

static void
leave_start (TfrcDelayControl *self, bool new_loss, TfrcTime now)
{
  if (is_rise (self, self->path.least_queue)) {
    self->rise = self->path.least_queue;
    self->started_at = now;
    self->limit = START_PART * self->path.delivered;
    drain (self, now);
  } else if (new_loss) {
    self->limit = self->path.delivered;
    self->empty_at = now;
    self->state = TFRC_DELAY_CONTROL;
  }
}

/* The rise includes what was in flight when START ended. */
static void
follow_rise (TfrcDelayControl *self, TfrcTime now)
{
  if (self->started_at != TFRC_TIME_NONE
      && now - self->started_at <= RISE_RTTS * self->path.rtt)
    self->rise = tfrc_time_max (self->rise, self->path.least_queue);
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
    const TfrcPathReport *report, TfrcTime now)
{
  bool new_loss = report->loss_event_rate > self->loss_event_rate;
  bool was_none = self->loss_event_rate > 0.0 && !(report->loss_event_rate > 0);

  tfrc_measured_path_on_rtt (&self->path, report->rtt_sample, now);
  if (self->reference == 0)
    return;
  if (self->path.reported_at != TFRC_TIME_NONE)
    now = tfrc_time_max (now, self->path.reported_at);
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
      } else if (is_not_ours (self, report, new_loss, now)
          || is_kept (self, now)) {
        compete (self, now);
      } else {
        control (self, report, now);
      }
      break;
    case TFRC_DELAY_COMPETE:
      /* Only packets after the last DRAIN or PROBE count: what that withheld changed the
       * rate, and not the link. */
      if (tfrc_delay_history_grew_alone (&self->path.history,
              self->path.horizon, self->judged_at))
        return_to_control (self, now);
      else
        wait_for_probe (self, now);
      break;
    case TFRC_DELAY_PROBE:
      if (now >= self->judged_at)
        judge_probe (self, now);
      break;
  }
}

/* A round of marks is a horizon, as growth takes one; a flow of short RTT is thereby no more
 * aggressive (RFC 9331 section 4.3). */
void
tfrc_delay_control_on_marks (TfrcDelayControl *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now)
{
  if (self->reference == 0 || self->path.reported_at == TFRC_TIME_NONE)
    return;
  now = tfrc_time_max (now, self->path.reported_at);
  if (!tfrc_mark_response_on_marks (&self->marks, marked, unmarked,
          self->path.horizon, now))
    return;
  if (isinf (self->limit) || self->state == TFRC_DELAY_COMPETE)
    self->limit = self->path.delivered;
  if (self->state != TFRC_DELAY_DRAIN) {
    self->state = TFRC_DELAY_CONTROL;
    self->reduced_until = TFRC_TIME_NONE;
    self->empty_at = now;
  }
  self->limit = fmax ((1.0 - self->marks.alpha / 2.0) * self->limit,
      self->path.least_rate);
  self->started_at = TFRC_TIME_NONE;
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
      && self->path.expected < self->target / 4;
}

/* During the probe all that is allowed was sent.  Without a queue D may grow; where the
 * queue is far too long, the path carries no more than B, whatever it did before. */
void
tfrc_delay_control_on_probe (TfrcDelayControl *self, TfrcRate rate,
    TfrcRate receive_rate)
{
  if (is_far_above (self))
    self->best_rate = self->high_rate = self->path.delivered;
  else if (tfrc_delay_control_is_clear (self)
      && self->state == TFRC_DELAY_CONTROL)
    self->limit = fmax (self->limit,
        MOST_STEP * fmin (rate, fmax (self->path.delivered, receive_rate)));
}
