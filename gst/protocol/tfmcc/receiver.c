/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfmcc/receiver.h"

#include <math.h>
#include <stddef.h>

#include "tfrc/equation.h"

/* R_max cannot express a longer RTT (RFC 4654 section 2.2.1). */
#define MAX_RTT (64 * TFRC_SECOND)

/* Two clocks drift apart by at most this fraction of the time: 500 ppm is the most
 * by which NTP corrects a clock, and several times the difference between two
 * crystals. */
#define TIME_PER_DRIFT 2000

TfmccRttConfig
tfmcc_rtt_config_default (void)
{
  return (TfmccRttConfig) {
    .weight = 0.5,
    .clr_weight = 0.1,
    .delay_weight = 0.05,
  };
}

void
tfmcc_rtt_init (TfmccRtt *self, const TfmccRttConfig *config, bool clock_drift)
{
  *self = (TfmccRtt) {
    .config = *config,
    .initial = TFMCC_INITIAL_RTT,
    .clock_drift = clock_drift,
  };
}

void
tfmcc_rtt_set_initial (TfmccRtt *self, TfrcDuration rtt)
{
  self->initial = tfrc_time_min (tfrc_time_max (rtt, TFMCC_MIN_RTT), MAX_RTT);
}

/* RFC 4654 section 4.4: without a measurement the rate is calculated with R_max.
 * The sender replaces that by the true RTT, as "X_r R_max / R_r" (section 3.3), so
 * it must be the current R_max, not that when the receiver joined. */
bool
tfmcc_rtt_on_max_rtt (TfmccRtt *self, TfrcDuration max_rtt)
{
  TfrcDuration before = self->initial;

  if (self->synchronised)
    return false;
  tfmcc_rtt_set_initial (self, max_rtt);
  return self->measured == 0 && self->initial != before;
}

void
tfmcc_rtt_set_own (TfmccRtt *self, TfrcDuration rtt)
{
  tfmcc_rtt_set_initial (self, rtt);
  self->synchronised = true;
}

void
tfmcc_rtt_set_synchronised (TfmccRtt *self, TfrcDuration one_way_delay,
    TfrcDuration sender_error, TfrcDuration receiver_error)
{
  TfrcDuration sum = tfrc_time_add (tfrc_time_add (one_way_delay, sender_error),
      receiver_error);

  tfmcc_rtt_set_own (self, tfrc_time_add (sum, sum));
}

static TfrcDuration
smooth (TfrcDuration old, TfrcDuration sample, double weight)
{
  return (TfrcDuration) llround ((1.0 - weight) * (double) old
      + weight * (double) sample);
}

/* A negative difference is due to clock drift or a forged extension: gives the
 * least RTT. */
static TfrcDuration
from_difference (uint32_t difference_us)
{
  if (difference_us > UINT32_MAX / 2)
    return TFMCC_MIN_RTT;
  return tfrc_time_min (tfrc_time_max (difference_us * TFRC_MICROSECOND,
                            TFMCC_MIN_RTT),
      MAX_RTT);
}

/* RFC 4654 section 4.3.2: "R_sample = now - tr_r'".  The first sample replaces R,
 * later ones are smoothed; adjustments by one-way delays since the last sample are
 * dropped. */
void
tfmcc_rtt_on_echo (TfmccRtt *self, const TfmccEcho *echo, uint32_t send_time_us,
    uint32_t now_us)
{
  const TfmccRttConfig *config = &self->config;
  TfrcDuration sample = from_difference (now_us - echo->report_time_us);

  self->measured = self->measured == 0
      ? sample
      : smooth (self->measured, sample,
            echo->is_clr ? config->clr_weight : config->weight);
  self->adjusted = self->measured;
  self->reverse_delay_us = send_time_us - echo->report_time_us;
  self->drift_at_us = now_us;
}

/* RFC 4654 section 4.3.3 applies "as long as clock drift between real RTT
 * measurements is negligible".  A receiver whose R' gets too short by drift is
 * suppressed more, and never measures again; one whose R' gets too long reports,
 * and is echoed.  So while R' is below the measured R it returns to that, as fast
 * as clocks may drift. */
static void
allow_for_drift (TfmccRtt *self, uint32_t now_us)
{
  uint32_t drift_us = (now_us - self->drift_at_us) / TIME_PER_DRIFT;

  self->drift_at_us += drift_us * TIME_PER_DRIFT;
  if (self->adjusted < self->measured)
    self->reverse_delay_us += (uint32_t) tfrc_time_min (drift_us,
        (self->measured - self->adjusted) / TFRC_MICROSECOND);
}

/* RFC 4654 section 4.3.3: "R' = max (D_r + now - ts_j, 1 ms)", where the reverse
 * delay D_r is R_sample minus the forward delay, (now - tr_r') - (now - ts_i) =
 * ts_i - tr_r'. The offset between the clocks cancels out.  Smoothed as in Widmer
 * and Handley 2001 section 2.4.3, since it includes the queueing delay of each
 * packet. */
void
tfmcc_rtt_on_packet (TfmccRtt *self, uint32_t send_time_us, uint32_t now_us)
{
  if (self->measured == 0)
    return;
  if (self->clock_drift)
    allow_for_drift (self, now_us);
  self->adjusted = smooth (self->adjusted,
      from_difference (self->reverse_delay_us + now_us - send_time_us),
      self->config.delay_weight);
}

bool
tfmcc_rtt_is_measured (const TfmccRtt *self)
{
  return self->measured != 0;
}

bool
tfmcc_rtt_is_own (const TfmccRtt *self)
{
  return self->measured != 0 || self->synchronised;
}

TfrcDuration
tfmcc_rtt_get (const TfmccRtt *self)
{
  return self->measured != 0 ? self->adjusted : self->initial;
}

/* Entries of the byte log per RTT ... */
#define LOG_ENTRIES_PER_RTT 16
/* ... but no more than fit into the log in TFMCC_FRAMES_TIME: 61 us with 4096
 * entries, less than a sixteenth of the shortest RTT. */
#define LEAST_RESOLUTION (TFMCC_FRAMES_TIME / (TFRC_BYTE_LOG_LENGTH - 8))
#if TFRC_MAX_HISTORY < TFMCC_MAX_HISTORY
#define MAX_HISTORY TFRC_MAX_HISTORY
#else
#define MAX_HISTORY TFMCC_MAX_HISTORY
#endif
/* RFC 4654 section 4.3.1: have_loss is cleared after a pause of this many RTTs. */
#define PAUSE_RTTS 10
/* The receive rate is measured over this many RTTs, RFC 4654 section 4.3.4: "2 to
 * 4". */
#define RATE_RTTS 3
/* What was known of a sender is used for this long after its last packet. */
#define RESTART_TIME (60 * TFRC_SECOND)
/* Upper bound, in R_max, of the growth of the path's delay in a round that the
 * timer takes into account. */
#define MOST_GROWN_RTTS 2
/* Widmer and Handley 2001 section 2.5.1: above this fraction of the sending rate a
 * rate is about as high. */
#define LOWER_PART 0.9
/* The last packet of a frame is shorter: with a queue, s is at most this multiple
 * of the mean size. */
#define QUEUED_SIZES 1.3
/* X_recv of the delay control is measured over the time of this many packets, but no
 * more than TFMCC_FRAMES_TIME: fewer are no rate, and a rate of long ago delays. */
#define LEAST_QUEUED 4

void
tfmcc_arrivals_init (TfmccArrivals *self)
{
  self->first_at = TFRC_TIME_NONE;
  tfrc_byte_log_init (&self->log);
}

void
tfmcc_arrivals_add (TfmccArrivals *self, uint32_t size, TfrcDuration rtt,
    TfrcTime now)
{
  if (self->first_at == TFRC_TIME_NONE)
    self->first_at = now;
  tfrc_byte_log_add (&self->log, size,
      tfrc_time_max (rtt / LOG_ENTRIES_PER_RTT, LEAST_RESOLUTION), now);
}

TfrcRate
tfmcc_arrivals_get_rate (const TfmccArrivals *self, TfrcDuration window,
    TfrcDuration rtt, TfrcTime now)
{
  TfrcDuration age;
  uint64_t bytes;

  if (self->first_at == TFRC_TIME_NONE)
    return 0.0;
  /* The first packet starts the measurement and is not counted; while it is the
   * only one, it counts as one in the window. */
  age = tfrc_time_since (self->first_at, now);
  if (age < window)
    window = tfrc_time_max (age, rtt);
  bytes = tfrc_byte_log_between (&self->log, tfrc_time_sub (now, window), now);
  if (bytes == 0 && age <= window)
    bytes = tfrc_byte_log_between (&self->log,
        tfrc_time_sub (self->first_at, 1), now);
  return tfrc_rate_of ((double) bytes, window);
}

/* With the full equation, from which RFC 4654 section 5.6 leaves out the timeouts:
 * with few packets per RTT these are most of it. */
double
tfmcc_arrivals_first_interval (TfrcRate rate, TfrcDuration rtt, double size)
{
  TfrcPath path = tfrc_path_rfc5348 (size, rtt);

  return 1.0 / tfrc_equation_loss_event_rate (&path, rate);
}

TfmccReceiverConfig
tfmcc_receiver_config_default (void)
{
  return (TfmccReceiverConfig) {
    .history_length = TFRC_DEFAULT_HISTORY,
    .history_discounting = true,
    .discount_threshold = TFMCC_DISCOUNT_THRESHOLD,
    .adaptive_reordering = true,
    .frames_window = true,
    .pause_ends_window = true,
    .newest_max_rtt = true,
    .clock_drift = true,
    .spaced_clr_reports = true,
    .start_delay = true,
    .restart_rtt = true,
    .slow_start_factor = 2.0,
    .rtt = tfmcc_rtt_config_default (),
    .suppression = tfmcc_suppression_config_default (),
  };
}

static void
forget (TfmccReceiver *self)
{
  tfrc_loss_detector_init (&self->detector, self->config.adaptive_reordering,
      true);
  tfrc_loss_history_init (&self->history, self->config.history_length,
      self->config.history_discounting ? self->config.discount_threshold : 1.0);
  tfmcc_arrivals_init (&self->arrivals);
  tfrc_segment_size_init (&self->segment_size, 0.0);
  tfmcc_rtt_init (&self->rtt, &self->config.rtt, self->config.clock_drift);
  self->sending_rate = (TfmccSendingRate) { 0 };
  self->suppression.expires_at = TFRC_TIME_NONE;
  self->clr_role.is_clr = false;
  self->newest_at = self->data_limited_at = TFRC_TIME_NONE;
  tfmcc_queue_bound_init (&self->queue_bound, self->config.delay_target);
  tfmcc_overload_init (&self->overload);
  self->overload_rate = INFINITY;
  self->grown_us = 0;
  self->max_rtt_before = 0;
  self->loss_event_rate = 0.0;
  self->has_loss = false;
  self->reported_in_round = false;
  self->leaving = false;
  self->report_due = false;
}

void
tfmcc_receiver_init (TfmccReceiver *self, const TfmccReceiverConfig *config)
{
  self->config = *config;
  if (config->history_length < TFMCC_MIN_HISTORY)
    self->config.history_length = TFMCC_MIN_HISTORY;
  if (config->history_length > MAX_HISTORY)
    self->config.history_length = MAX_HISTORY;
  if (!(config->discount_threshold > 0.0) || config->discount_threshold > 1.0)
    self->config.discount_threshold = TFMCC_DISCOUNT_THRESHOLD;
  if (!(config->slow_start_factor >= 1.0))
    self->config.slow_start_factor = 1.0;
  self->counters = (TfrcReceiverCounters) { 0 };
  self->now = 0;
  tfmcc_suppression_init (&self->suppression, &config->suppression,
      config->seed);
  self->clr_role = (TfmccClrRole) { 0 };
  forget (self);
}

void
tfmcc_receiver_forget (TfmccReceiver *self)
{
  tfrc_receiver_counters_add (&self->counters, &self->history, &self->detector);
  forget (self);
}

void
tfmcc_receiver_on_restart (TfmccReceiver *self, TfrcDuration max_rtt,
    TfrcTime now)
{
  bool measured = tfmcc_rtt_is_measured (&self->rtt);
  /* A sender that restarted before any echo has not changed what is known. */
  TfrcDuration before = measured ? self->newest.max_rtt : self->max_rtt_before;
  bool known = self->config.restart_rtt && before > 0
      && tfrc_time_since (self->newest_at, now) <= RESTART_TIME;
  TfrcDuration rtt = tfrc_time_min (tfmcc_rtt_get (&self->rtt), max_rtt);

  tfmcc_receiver_forget (self);
  if (!known)
    return;
  tfmcc_rtt_set_own (&self->rtt, rtt);
  self->max_rtt_before = before;
}

void
tfmcc_receiver_set_ssrc (TfmccReceiver *self, uint32_t ssrc)
{
  self->config.ssrc = ssrc;
  self->clr_role.is_clr = false;
  self->reported_in_round = false;
}

/* R_max is never below s/X, so a longer interval is a pause. */
static TfrcDuration
get_packet_interval (const TfmccReceiver *self)
{
  return tfrc_time_min (self->newest.max_rtt,
      tfmcc_sending_rate_get_interval (&self->sending_rate));
}

static TfrcDuration
get_time_unit (const TfmccReceiver *self)
{
  return tfrc_time_max (tfmcc_rtt_get (&self->rtt), get_packet_interval (self));
}

/* The measurement starts after a silence, which is no rate of the path.  Packets
 * that the path held and released at once count as taking as long as they took to
 * be sent. */
static void
measure_from (TfmccReceiver *self, const TfmccExtension *extension)
{
  TfmccArrivals *arrivals = &self->arrivals;
  uint32_t after_us;

  if (extension == NULL)
    return;
  if (arrivals->first_at == TFRC_TIME_NONE)
    self->first_sent_us = extension->send_time_us;
  after_us = extension->send_time_us - self->first_sent_us;
  /* The first one may have overtaken it. */
  if (after_us <= UINT32_MAX / 2)
    arrivals->first_at = tfrc_time_min (arrivals->first_at,
        tfrc_time_sub (self->now, after_us * TFRC_MICROSECOND));
}

static void
account (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccExtension *extension)
{
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);

  if (self->newest_at != TFRC_TIME_NONE
      && tfrc_time_since (self->newest_at, self->now)
          > PAUSE_RTTS * get_time_unit (self)) {
    /* Otherwise the rate has fallen, or packets were lost. */
    if (extension != NULL && extension->slow_start)
      self->has_loss = false;
    if (self->config.pause_ends_window)
      self->arrivals.first_at = TFRC_TIME_NONE;
  }
  if (self->config.pause_ends_window)
    measure_from (self, extension);
  self->counters.packets++;
  self->counters.bytes += packet->size;
  if (packet->congestion_marked)
    self->counters.packets_marked++;
  tfmcc_arrivals_add (&self->arrivals, packet->size, rtt, self->now);
  tfrc_segment_size_on_packet (&self->segment_size, packet->size,
      self->loss_event_rate);
}

/* Receive rate over the last `window`, or since the first packet.  A timer may
 * expire after up to R_max of silence, which can be longer than the window.  So the
 * window ends when the next packet was due, since a pause of the sender is no rate
 * of the path. */
static TfrcRate
receive_rate (const TfmccReceiver *self, TfrcDuration window)
{
  TfrcTime newest_at = self->detector.flow.newest_at;
  TfrcTime end = self->now;

  if (self->config.pause_ends_window)
    end = tfrc_time_min (end,
        tfrc_time_add (newest_at, get_packet_interval (self)));
  if (self->config.frames_window && self->data_limited_at != TFRC_TIME_NONE
      && tfrc_time_since (self->data_limited_at, newest_at)
          <= TFMCC_FRAMES_TIME)
    window = tfrc_time_max (window, TFMCC_FRAMES_TIME);
  return tfmcc_arrivals_get_rate (&self->arrivals, window,
      tfmcc_rtt_get (&self->rtt), end);
}

/* Receive rate over the last RTT.  In slow start the sender may have overshot by a
 * factor of two (Widmer and Handley 2001 appendix B). */
static TfrcRate
get_first_event_rate (const TfmccReceiver *self)
{
  TfrcRate rate = receive_rate (self, tfmcc_rtt_get (&self->rtt));

  return self->newest_at != TFRC_TIME_NONE && self->newest.slow_start
      ? rate / 2.0
      : rate;
}

static double
get_first_interval (const TfmccReceiver *self)
{
  return tfmcc_arrivals_first_interval (self->first_event_rate,
      tfmcc_rtt_get (&self->rtt),
      tfrc_segment_size_get_largest (&self->segment_size));
}

/* Until R_max after the first packet there is no X_recv to report: the timer waits
 * for that, within T. */
static void
put_off (TfmccReceiver *self, TfrcDuration interval)
{
  TfrcDuration span = tfmcc_suppression_get_span (&self->suppression,
      self->newest.max_rtt, interval);

  self->put_off = 0;
  if (self->has_loss || self->suppression.phase == TFMCC_FIRST_ROUND)
    return;
  self->put_off = tfrc_time_min (tfrc_time_since (self->now,
                                     tfrc_time_add (self->arrivals.first_at,
                                         self->newest.max_rtt)),
      tfrc_time_since (self->suppression.expires_at,
          tfrc_time_add (self->now, span)));
  self->suppression.expires_at = tfrc_time_add (self->suppression.expires_at,
      self->put_off);
}

/* Of the first round, in which R_max is a guess, the R_max of the sender before. */
static bool
knows_max_rtt (const TfmccReceiver *self)
{
  return self->max_rtt_before > 0 && get_packet_interval (self) > 0
      && self->suppression.phase == TFMCC_FIRST_ROUND;
}

/* R_max plus what the path's delay has grown by: a suppressing report takes effect
 * later by that, and until then thousands would report. */
static TfrcDuration
get_longest_rtt (const TfmccReceiver *self)
{
  if (knows_max_rtt (self))
    return tfrc_time_min (self->newest.max_rtt,
        tfrc_time_max (self->max_rtt_before, get_packet_interval (self)));
  return tfrc_time_add (self->newest.max_rtt,
      tfrc_time_min (self->grown_us * TFRC_MICROSECOND,
          MOST_GROWN_RTTS * self->newest.max_rtt));
}

/* Before the first loss r is X_recv / X_send (Widmer and Handley 2001 section 2.6),
 * since the reported rate is a multiple of X_recv. */
static void
start_timer (TfmccReceiver *self)
{
  TfrcDuration interval = get_packet_interval (self);
  TfrcRate sending_rate =
      tfrc_rate_of (tfrc_segment_size_get (&self->segment_size), interval);
  TfrcRate rate = tfmcc_receiver_get_rate (self);

  if (!self->has_loss)
    sending_rate *= self->config.slow_start_factor;
  tfmcc_suppression_start (&self->suppression, rate, sending_rate,
      self->newest.max_rtt, interval, self->now);
  put_off (self, interval);
}

static bool
is_timer_running (const TfmccReceiver *self)
{
  return self->suppression.expires_at != TFRC_TIME_NONE;
}

/* The end of slow start does not wait for the next round: "no later than one
 * feedback delay after the loss" (Widmer and Handley 2001 section 2.6). */
static void
report_first_loss (TfmccReceiver *self)
{
  /* The rate is now that of the equation, so the timer need not wait for X_recv. */
  if (is_timer_running (self))
    self->suppression.expires_at = tfrc_time_max (self->now,
        tfrc_time_sub (self->suppression.expires_at, self->put_off));
  self->put_off = 0;
  if (!self->clr_role.is_clr && !self->leaving
      && self->newest_at != TFRC_TIME_NONE && self->newest.slow_start
      && !is_timer_running (self))
    start_timer (self);
}

/* Few receivers need no suppression.  One that can take less than is sent reports
 * with the loss, at most once per R_max, without waiting for its timer (D73). */
static void
report_lower_rate (TfmccReceiver *self)
{
  if (!self->newest.few_receivers || self->clr_role.is_clr || self->leaving
      || !tfmcc_rtt_is_measured (&self->rtt)
      || tfrc_time_since (self->clr_role.reported_at, self->now)
          < self->newest.max_rtt
      || tfmcc_receiver_get_rate (self)
          >= LOWER_PART * tfmcc_receiver_get_sending_rate (self))
    return;
  self->suppression.expires_at = TFRC_TIME_NONE;
  self->report_due = true;
}

static void
collect_losses (TfmccReceiver *self)
{
  uint64_t events = self->history.now.intervals.events;
  bool had_loss = self->has_loss;
  TfrcSeq position;
  TfrcLossRun run;

  if (tfrc_loss_detector_poll_repair (&self->detector, &position)) {
    self->counters.packets_lost--;
    tfrc_loss_history_on_repair (&self->history, position);
  }
  while (tfrc_loss_detector_poll_loss (&self->detector, &run)) {
    if (self->history.now.intervals.events == 0) {
      self->first_event_rate = get_first_event_rate (self);
      tfrc_loss_history_set_first_interval (&self->history,
          get_first_interval (self));
    }
    if (!run.marked)
      self->counters.packets_lost += run.count;
    tfrc_loss_history_on_loss (&self->history, &run,
        tfmcc_rtt_get (&self->rtt));
    self->loss_event_rate = tfmcc_receiver_get_loss_event_rate (self);
  }
  if (self->history.now.intervals.events > events) {
    self->has_loss = true;
    if (!self->newest.slow_start)
      tfmcc_queue_bound_on_loss (&self->queue_bound, self->now);
    report_lower_rate (self);
  }
  /* The only loss was taken back: p is 0 again, and the equation gives no rate. */
  if (self->history.now.intervals.events == 0)
    self->has_loss = false;
  if (self->has_loss && !had_loss)
    report_first_loss (self);
}

/* Returns true if the packet starts a feedback round. */
static bool
store_extension (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccExtension *extension)
{
  bool new_round = self->newest_at == TFRC_TIME_NONE
      || extension->round != self->newest.round;

  self->newest = *extension;
  if (self->config.start_delay)
    self->suppression.phase = tfmcc_phase (extension->slow_start,
        extension->round);
  self->newest_at = self->now;
  if (extension->application_limited)
    self->data_limited_at = self->now;
  self->media_ssrc = packet->ssrc;
  tfmcc_sending_rate_on_packet (&self->sending_rate, extension->send_time_us,
      self->detector.flow.highest, extension->max_rtt);
  return new_round;
}

/* RFC 4654 section 5.6 and Widmer and Handley 2001 appendix A: loss events and l_0
 * that were computed with the initial RTT are recomputed with the true one, or with
 * a changed R_max. */
static void
remodel (TfmccReceiver *self)
{
  if (self->history.now.intervals.events > 0)
    tfrc_loss_history_remodel (&self->history, tfmcc_rtt_get (&self->rtt),
        get_first_interval (self) / self->history.first_interval);
}

static uint32_t
timestamp_us (const TfmccReceiver *self)
{
  return (uint32_t) (self->now / TFRC_MICROSECOND)
      + self->config.timestamp_offset_us;
}

static void
measure_rtt (TfmccReceiver *self)
{
  const TfmccExtension *extension = &self->newest;
  bool ours = extension->has_echo && extension->echo.ssrc == self->config.ssrc;

  if (self->config.newest_max_rtt
      && tfmcc_rtt_on_max_rtt (&self->rtt, extension->max_rtt))
    remodel (self);
  tfmcc_rtt_on_packet (&self->rtt, extension->send_time_us,
      timestamp_us (self));
  if (ours) {
    bool first = !tfmcc_rtt_is_measured (&self->rtt);

    self->counters.echoes++;
    tfmcc_rtt_on_echo (&self->rtt, &extension->echo, extension->send_time_us,
        timestamp_us (self));
    if (first)
      remodel (self);
  }
  if (extension->has_echo && extension->echo.is_clr
      && tfmcc_clr_role_on_name (&self->clr_role, ours)) {
    self->counters.clr_periods++;
    self->suppression.expires_at = TFRC_TIME_NONE;
  }
}

/* X_recv over the last RTT, from a few packets at least. */
static TfrcRate
get_queued_rate (const TfmccReceiver *self)
{
  TfrcDuration packets = tfrc_time_min (TFMCC_FRAMES_TIME,
      LEAST_QUEUED * get_packet_interval (self));
  TfrcDuration least = tfrc_time_max (2 * TFMCC_MIN_CLR_INTERVAL, packets);

  return receive_rate (self, tfrc_time_max (tfmcc_rtt_get (&self->rtt), least));
}

static void
measure_queue (TfmccReceiver *self)
{
  TfmccQueueBound *bound = &self->queue_bound;
  const TfmccExtension *extension = &self->newest;
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);
  TfmccPathView view;

  if (bound->target == 0)
    return;
  tfmcc_queue_bound_on_delay (bound,
      timestamp_us (self) - extension->send_time_us, self->now);
  if (extension->has_echo && extension->echo.ssrc == self->config.ssrc)
    tfmcc_queue_bound_on_echo (bound, self->rtt.reverse_delay_us, self->now);
  if (!tfmcc_rtt_is_measured (&self->rtt)
      || !tfmcc_queue_bound_is_due (bound, rtt, self->now))
    return;
  view = (TfmccPathView) {
    .rtt = rtt,
    .received = get_queued_rate (self),
    .sent = tfmcc_receiver_get_sending_rate (self),
    .size = tfrc_segment_size_get (&self->segment_size),
    .is_clr = self->clr_role.is_clr,
    .slow_start = extension->slow_start,
    .data_limited = self->data_limited_at != TFRC_TIME_NONE
        && tfrc_time_since (self->data_limited_at, self->now) < 2 * rtt,
  };
  if (tfmcc_queue_bound_update (bound, &view, self->now))
    report_first_loss (self);
}

/* Applies to a receiver that has just joined: it has no RTT yet, nor a timer that
 * would expire in time.  One that was there before receivers were few, or sees the
 * flag by chance (the bit used to be part of the timestamp), must not report:
 * thousands that share a link would do so at the same time. */
static void
measure_overload (TfmccReceiver *self, uint32_t size,
    const TfmccExtension *extension)
{
  uint32_t sent_us = extension->send_time_us;
  TfrcRate rate;

  self->overload.over |= !extension->few_receivers || self->leaving
      || tfmcc_rtt_is_measured (&self->rtt);
  if (self->overload.over)
    return;
  rate = tfmcc_overload_on_packet (&self->overload, size,
      self->detector.flow.highest, sent_us, timestamp_us (self) - sent_us,
      self->now);
  if (isinf (rate))
    return;
  self->overload_rate = rate;
  self->suppression.expires_at = TFRC_TIME_NONE;
  self->report_due = true;
}

/* In the first round R_max is a guess, and no growth is added to it. */
static void
measure_growth (TfmccReceiver *self, bool new_round)
{
  uint32_t delay_us = timestamp_us (self) - self->newest.send_time_us;

  if (new_round
      || tfmcc_phase (self->newest.slow_start, self->newest.round)
          == TFMCC_FIRST_ROUND
      || delay_us - self->least_delay_us > UINT32_MAX / 2)
    self->least_delay_us = delay_us;
  self->grown_us = delay_us - self->least_delay_us;
}

/* RFC 4654 section 4.5. */
static void
begin_round (TfmccReceiver *self)
{
  self->counters.rounds++;
  self->reported_in_round = false;
  self->suppression.expires_at = TFRC_TIME_NONE;
  if (!self->clr_role.is_clr && !self->leaving)
    start_timer (self);
}

/* RFC 4654 section 4.5.  A receiver whose RTT is above R_max reports in any case;
 * one with a loss is not suppressed by those without (Widmer and Handley 2001
 * section 2.6). */
static void
suppress (TfmccReceiver *self)
{
  /* Most packets have nothing to cancel, and need no rate calculated. */
  if (!is_timer_running (self) || !isfinite (self->newest.suppression_rate))
    return;
  if (self->newest.slow_start && self->has_loss)
    return;
  if (tfmcc_rtt_is_measured (&self->rtt)
      && tfmcc_rtt_get (&self->rtt) > self->newest.max_rtt)
    return;
  if (tfmcc_suppression_on_rate (&self->suppression,
          self->newest.suppression_rate, tfmcc_receiver_get_rate (self)))
    self->counters.reports_suppressed++;
}

static TfrcTime
next_clr_report (const TfmccReceiver *self)
{
  TfrcDuration least = self->config.spaced_clr_reports
      ? TFMCC_MIN_CLR_INTERVAL
      : 0;

  return tfmcc_clr_role_next_report (&self->clr_role,
      tfrc_time_max (tfmcc_rtt_get (&self->rtt), least));
}

static void
report_as_clr (TfmccReceiver *self)
{
  if (next_clr_report (self) <= self->now)
    self->report_due = true;
}

TfrcResult
tfmcc_receiver_on_packet (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccExtension *extension, TfrcTime now)
{
  TfrcArrival arrival;

  now = tfrc_time_advance (&self->now, now);
  /* Sections 4.1 and 4.3.2: R is R_max until it is measured. */
  if (self->arrivals.first_at == TFRC_TIME_NONE && extension != NULL)
    tfmcc_rtt_on_max_rtt (&self->rtt, extension->max_rtt);
  /* Section 5.1: which packets are lost. */
  arrival = tfrc_loss_detector_on_packet (&self->detector, packet,
      tfmcc_rtt_get (&self->rtt), now);
  if (arrival > TFRC_ARRIVAL_REPAIRED)
    return tfrc_receiver_counters_refuse (&self->counters, arrival);
  if (arrival == TFRC_ARRIVAL_REPAIRED)
    self->counters.packets_late++;
  if (extension == NULL)
    self->counters.packets_without_extension++;
  /* Section 4.3.4: the receive rate. */
  account (self, packet, extension);
  /* Sections 5.2 to 5.6: loss events and p. */
  collect_losses (self);
  /* Only the newest packet shows the current state. */
  if (extension != NULL && arrival == TFRC_ARRIVAL_NEW) {
    bool new_round = store_extension (self, packet, extension);

    /* Sections 4.3.2 and 4.3.3: the RTT. */
    measure_rtt (self);
    measure_queue (self);
    /* Section 4.5: the feedback timer. */
    self->clr_role.unreported = true;
    measure_growth (self, new_round);
    tfmcc_suppression_on_max_rtt (&self->suppression, get_longest_rtt (self),
        now);
    if (new_round)
      begin_round (self);
    suppress (self);
  }
  if (extension != NULL)
    measure_overload (self, packet->size, extension);
  report_as_clr (self);
  return TFRC_OK;
}

TfrcTime
tfmcc_receiver_next_deadline (const TfmccReceiver *self)
{
  return tfrc_time_min (tfrc_loss_detector_next_deadline (&self->detector),
      tfrc_time_min (next_clr_report (self), self->suppression.expires_at));
}

void
tfmcc_receiver_on_deadline (TfmccReceiver *self, TfrcTime now)
{
  now = tfrc_time_advance (&self->now, now);
  tfrc_loss_detector_on_deadline (&self->detector, now);
  collect_losses (self);
  report_as_clr (self);
  if (tfmcc_suppression_expire (&self->suppression, self->newest_at, now))
    self->report_due = true;
}

void
tfmcc_receiver_remove_stream (TfmccReceiver *self, uint32_t ssrc, TfrcTime now)
{
  tfrc_time_advance (&self->now, now);
  tfrc_loss_detector_remove_stream (&self->detector, ssrc);
  collect_losses (self);
}

/* Others leave silently: when a group ends, not every receiver may send a report
 * (D37). */
void
tfmcc_receiver_leave (TfmccReceiver *self, TfrcTime now)
{
  tfrc_time_advance (&self->now, now);
  self->leaving = true;
  self->suppression.expires_at = TFRC_TIME_NONE;
  self->report_due = self->newest_at != TFRC_TIME_NONE
      && (self->clr_role.is_clr || self->reported_in_round);
}

/* The bound found as the CLR does not apply once another receiver is the CLR. */
static bool
uses_queue_bound (const TfmccReceiver *self)
{
  return self->clr_role.is_clr || self->newest.slow_start;
}

/* This rate does not depend on an RTT, so the sender must not correct it (RFC 4654
 * section 3.3); it limits like a loss. */
static void
report_overload (TfmccReceiver *self, TfmccReport *report)
{
  if (isinf (self->overload_rate))
    return;
  report->has_rtt = report->has_loss = true;
  report->rate = self->overload_rate;
  self->overload_rate = INFINITY;
}

bool
tfmcc_receiver_poll_report (TfmccReceiver *self, TfmccReport *report,
    TfrcTime now)
{
  if (!self->report_due)
    return false;
  now = tfrc_time_advance (&self->now, now);
  self->report_due = false;
  self->reported_in_round = true;
  tfmcc_clr_role_on_report (&self->clr_role, now);
  self->counters.reports++;
  *report = (TfmccReport) {
    .ssrc = self->config.ssrc,
    .media_ssrc = self->media_ssrc,
    .has_rtt = tfmcc_rtt_is_own (&self->rtt),
    .has_loss = self->has_loss
        || (uses_queue_bound (self)
            && tfmcc_queue_bound_lowers (&self->queue_bound)),
    .leaving = self->leaving,
    .rate = tfmcc_receiver_get_rate (self),
    .round = self->newest.round,
    .report_time_us = timestamp_us (self),
    .echo_time_us = self->newest.send_time_us
        + (uint32_t) (tfrc_time_since (self->newest_at, now)
            / TFRC_MICROSECOND),
  };
  report_overload (self, report);
  return true;
}

/* X_recv over the last RTTs. */
static TfrcRate
get_receive_rate (const TfmccReceiver *self)
{
  return receive_rate (self,
      tfrc_time_max (self->config.frames_window ? TFMCC_FRAMES_TIME : 0,
          RATE_RTTS * get_time_unit (self)));
}

/* s is the largest packet (D1), since packets of a video are small if its rate is
 * low.  With a queue the actual packets fill it, so s is limited by their mean
 * size. */
static double
get_segment_size (const TfmccReceiver *self)
{
  double largest = tfrc_segment_size_get_largest (&self->segment_size);

  return tfmcc_queue_bound_is_above (&self->queue_bound)
      ? fmin (largest,
            QUEUED_SIZES * tfrc_segment_size_get (&self->segment_size))
      : largest;
}

/* RFC 4654 section 4.4; before the first loss twice the receive rate. */
TfrcRate
tfmcc_receiver_get_rate (const TfmccReceiver *self)
{
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);
  double size = tfrc_segment_size_get (&self->segment_size);
  TfrcPath path;
  TfrcRate rate;

  if (!(size > 0.0))
    return 0.0;
  path = tfrc_path_rfc5348 (get_segment_size (self), rtt);
  rate = self->has_loss
      ? tfrc_equation_rate (&path, tfmcc_receiver_get_loss_event_rate (self))
      : self->config.slow_start_factor * get_receive_rate (self);
  if (uses_queue_bound (self))
    rate = fmin (rate, self->queue_bound.rate);
  return fmax (rate, tfrc_rate_of (size, TFMCC_MAX_PACKET_INTERVAL));
}

TfrcRate
tfmcc_receiver_get_sending_rate (const TfmccReceiver *self)
{
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      tfmcc_sending_rate_get_interval (&self->sending_rate));
}

double
tfmcc_receiver_get_loss_event_rate (const TfmccReceiver *self)
{
  return tfrc_loss_intervals_get_loss_event_rate (&self->history.now.intervals,
      self->detector.flow.highest);
}

const TfmccExtension *
tfmcc_receiver_get_extension (const TfmccReceiver *self)
{
  return self->newest_at == TFRC_TIME_NONE ? NULL : &self->newest;
}

TfrcReceiverCounters
tfmcc_receiver_get_counters (const TfmccReceiver *self)
{
  TfrcReceiverCounters counters = self->counters;

  tfrc_receiver_counters_add (&counters, &self->history, &self->detector);
  return counters;
}

void
tfmcc_receiver_get_trace (const TfmccReceiver *self, TfrcTrace *trace,
    TfrcTime now)
{
  TfrcReceiverCounters counters = tfmcc_receiver_get_counters (self);

  trace->at = now;
  trace->receive_rate = get_receive_rate (self);
  trace->loss_event_rate = tfmcc_receiver_get_loss_event_rate (self);
  trace->rtt = tfmcc_rtt_is_measured (&self->rtt)
      ? tfmcc_rtt_get (&self->rtt)
      : 0;
  trace->segment_size = tfrc_segment_size_get (&self->segment_size);
  trace->discount =
      tfrc_loss_intervals_get_discount (&self->history.now.intervals,
          self->detector.flow.highest);
  tfrc_receiver_counters_get_trace (&counters, trace);
  trace->feedback = counters.reports;
}
