/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc/receiver.h"

#include <math.h>

/* D66: a report is sent after a quarter of R, within these limits, if so many
 * packets have arrived. */
#define PARTS_PER_RTT 4
#define LEAST_PART (25 * TFRC_MILLISECOND)
#define MOST_PART (100 * TFRC_MILLISECOND)
#define ENOUGH_PACKETS 4

/* Effect of newly detected losses on the loss history. */
typedef enum
{
  LOSSES_UNCHANGED,
  LOSSES_NEW_EVENT,
  LOSSES_REPAIRED, /* a late packet took its loss back */
} LossChange;

TfrcReceiverConfig
tfrc_receiver_config_default (void)
{
  TfrcReceiverConfig config = {
    .history_length = TFRC_DEFAULT_HISTORY,
    .history_discounting = true,
    .discount_threshold = TFRC_DISCOUNT_THRESHOLD,
    .detect_outages = true,
    .min_feedback_interval = TFRC_MILLISECOND,
    .adaptive_reordering = true,
    .recent_maximum = true,
    .tcp = TFRC_TCP_CUBIC,
    .fast_return = true,
  };

  return config;
}

/* The state before the first packet, RFC 5348 section 6.3. */
static void
forget (TfrcReceiver *self)
{
  tfrc_loss_detector_init (&self->detector, self->config.adaptive_reordering,
      self->config.detect_outages);
  tfrc_loss_history_init (&self->history, self->config.history_length,
      self->config.history_discounting ? self->config.discount_threshold : 1.0);
  self->history.small_packets = self->config.small_packets;
  tfrc_receive_rate_init (&self->receive_rate);
  self->receive_rate.keeps_maximum = !self->config.recent_maximum;
  tfrc_segment_size_init (&self->segment_size, 0.0);
  self->rtt = 0;
  self->timer_rtt = 0;
  self->timer_at = TFRC_TIME_NONE;
  self->idle = false;
  self->has_echo = false;
  self->unreported = false;
  self->loss_event_rate = 0.0;
  self->feedback_due = false;
}

void
tfrc_receiver_init (TfrcReceiver *self, const TfrcReceiverConfig *config)
{
  self->config = *config;
  if (config->history_length < TFRC_MIN_HISTORY)
    self->config.history_length = TFRC_MIN_HISTORY;
  if (config->history_length > TFRC_MAX_HISTORY)
    self->config.history_length = TFRC_MAX_HISTORY;
  if (!(config->discount_threshold > 0.0) || config->discount_threshold > 1.0)
    self->config.discount_threshold = TFRC_DISCOUNT_THRESHOLD;
  self->counters = (TfrcReceiverCounters) { 0 };
  self->now = 0;
  self->n_losses = 0;
  forget (self);
}

void
tfrc_receiver_set_small_packets (TfrcReceiver *self)
{
  self->config.small_packets = true;
  self->history.small_packets = true;
}

void
tfrc_receiver_counters_add (TfrcReceiverCounters *self,
    const TfrcLossHistory *history, const TfrcLossDetector *detector)
{
  self->loss_events += history->now.intervals.events;
  self->packets_lost -= detector->flow.packets_unsent;
  self->stream_resets += detector->stream_resets;
}

void
tfrc_receiver_forget (TfrcReceiver *self)
{
  tfrc_receiver_counters_add (&self->counters, &self->history, &self->detector);
  forget (self);
}

TfrcResult
tfrc_receiver_counters_refuse (TfrcReceiverCounters *self, TfrcArrival arrival)
{
  if (arrival == TFRC_ARRIVAL_DUPLICATE) {
    self->packets_duplicate++;
    return TFRC_DUPLICATE;
  }
  if (arrival == TFRC_ARRIVAL_STALE) {
    self->packets_late++;
    return TFRC_STALE;
  }
  self->packets_unproven++;
  return TFRC_INVALID;
}

/* A packet without extension counts for the sequence and for X_recv.  Only the
 * newest packet with one is echoed and gives R. */
static void
add_packet (TfrcReceiver *self, const TfrcDataPacket *packet,
    TfrcArrival arrival)
{
  self->counters.packets++;
  self->counters.bytes += packet->size;
  if (arrival == TFRC_ARRIVAL_REPAIRED)
    self->counters.packets_late++;
  if (packet->congestion_marked)
    self->counters.packets_marked++;
  if (!packet->has_extension)
    self->counters.packets_without_extension++;

  if (packet->has_extension
      && (arrival == TFRC_ARRIVAL_NEW || !self->has_echo)) {
    self->has_echo = true;
    self->echo.ssrc = packet->ssrc;
    self->echo.send_time_us = packet->extension.send_time_us;
    self->echo.arrived_at = self->now;
    self->rtt = packet->extension.rtt;
  }
  self->unreported = self->unreported || packet->has_extension;
  tfrc_receive_rate_on_packet (&self->receive_rate, packet->size, self->rtt,
      self->now);
  tfrc_segment_size_on_packet (&self->segment_size, packet->size,
      self->loss_event_rate);
}

/* RFC 5348 section 6.3.1: the first loss interval is that at which the equation
 * gives the largest recent X_recv, but at least half a packet per RTT. */
static double
calculate_first_interval (const TfrcReceiver *self)
{
  double s = self->receive_rate.largest.size;
  TfrcRate target = self->receive_rate.largest.rate;
  /* Without an RTT no X_recv is measured over one.  The lower limit of the target
   * gives the same interval for any R, and for both TCPs below 0.7 s. */
  TfrcDuration rtt = self->rtt > 0 ? self->rtt : TFRC_SECOND / 10;
  TfrcPath path = tfrc_path_rfc5348 (s > 1.0 ? s : 1.0, rtt);
  TfrcRate least;

  path.tcp = self->config.tcp;
  if (path.tcp != TFRC_TCP_RENO)
    path.segment_size = fmax (path.segment_size,
        tfrc_segment_size_get_largest (&self->segment_size));
  /* The sender's equation does the same (RFC 4828 sections 4.1 and 4.2). */
  if (self->config.small_packets) {
    target /= tfrc_small_packets_get_payload_share (path.segment_size);
    path.segment_size = TFRC_SMALL_PACKETS_SEGMENT_SIZE;
  }
  least = tfrc_rate_of (0.5 * path.segment_size, rtt);
  if (self->rtt == 0 || target < least)
    target = least;
  return 1.0 / tfrc_equation_loss_event_rate (&path, target);
}

static void
add_loss (TfrcReceiver *self, const TfrcLossRun *run)
{
  if (self->history.now.intervals.events == 0)
    tfrc_loss_history_set_first_interval (&self->history,
        calculate_first_interval (self));
  if (!run->marked) {
    self->counters.packets_lost += run->count;
    self->losses[self->n_losses++ % TFRC_RECENT_LOSSES] = (TfrcLoss) {
      .ssrc = self->detector.lost_ssrc,
      .count = run->count,
      .seq = run->seq,
    };
  }
  tfrc_loss_history_on_loss (&self->history, run, self->rtt);
}

/* RFC 5348 section 6.1 step 1. */
static LossChange
update_history (TfrcReceiver *self)
{
  uint64_t events = self->history.now.intervals.events;
  bool repaired = false;
  TfrcSeq position;
  TfrcLossRun run;

  if (tfrc_loss_detector_poll_repair (&self->detector, &position)) {
    self->counters.packets_lost--;
    repaired = tfrc_loss_history_on_repair (&self->history, position);
  }
  while (tfrc_loss_detector_poll_loss (&self->detector, &run))
    add_loss (self, &run);
  if (repaired)
    return LOSSES_REPAIRED;
  return events == self->history.now.intervals.events
      ? LOSSES_UNCHANGED
      : LOSSES_NEW_EVENT;
}

/* Part of the timer's R after which a report is sent if enough packets have
 * arrived. */
static TfrcDuration
get_part (const TfrcReceiver *self)
{
  TfrcDuration part = tfrc_time_max (self->timer_rtt / PARTS_PER_RTT,
      LEAST_PART);

  return self->config.fast_return
      ? tfrc_time_min (self->timer_rtt, tfrc_time_min (part, MOST_PART))
      : self->timer_rtt;
}

static void
start_timer (TfrcReceiver *self)
{
  self->receive_rate.begin_at = self->now;
  self->timer_rtt = self->rtt;
  self->timer_at = tfrc_time_add (self->now,
      tfrc_time_max (get_part (self), self->config.min_feedback_interval));
}

/* Restarts the timer for another part of R if too few packets have arrived; returns
 * whether. */
static bool
wait_for_packets (TfrcReceiver *self)
{
  const TfrcReceiveRate *rate = &self->receive_rate;
  TfrcDuration age = tfrc_time_since (rate->begin_at, self->now);
  TfrcDuration part = get_part (self);

  if (age >= self->timer_rtt
      || rate->log.packets - rate->reports[0].packets >= ENOUGH_PACKETS)
    return false;
  self->timer_at = rate->begin_at
      + tfrc_time_min (self->timer_rtt, (age / part + 1) * part);
  return true;
}

static double
calculate_p (const TfrcReceiver *self)
{
  /* RFC 4828 section 4.4: the open interval counts once it is no longer short. */
  if (self->config.small_packets
      && tfrc_loss_history_is_short (&self->history, self->rtt, self->now))
    return tfrc_loss_intervals_get_closed_loss_event_rate (&self->history.now
            .intervals);
  return tfrc_loss_intervals_get_loss_event_rate (&self->history.now.intervals,
      self->detector.flow.highest);
}

/* RFC 5348 section 6.2.  Without data there is no report, and the RFC restarts the
 * timer.  But the next packet makes it expire at once anyway (6.1 step 4).  So it
 * stops here, and an idle flow causes no wake-ups. */
static void
expire (TfrcReceiver *self)
{
  if (!self->unreported) {
    self->idle = true;
    self->timer_rtt = self->rtt;
    self->timer_at = TFRC_TIME_NONE;
    return;
  }
  /* A timer that had been restarted would have expired within the last R, so X_recv
   * does not cover the silence. */
  if (self->idle)
    self->receive_rate.begin_at = self->now;
  self->loss_event_rate = calculate_p (self);
  tfrc_receive_rate_on_report (&self->receive_rate, self->timer_rtt, self->now);
  self->feedback_due = true;
  self->unreported = false;
  self->idle = false;
  self->timer_at = TFRC_TIME_NONE;
  if (self->rtt > 0)
    start_timer (self);
}

/* RFC 5348 section 6.1 steps 2 to 4, and 6.3 for the first packets. */
static void
report_early (TfrcReceiver *self, bool first, LossChange change)
{
  double p_before = self->loss_event_rate;
  bool overdue = self->idle && self->unreported;

  if (!self->has_echo)
    return;
  /* Section 6.3: the first packet is reported, and every packet while none carries
   * an RTT. */
  if (first || self->rtt == 0) {
    if (self->unreported)
      expire (self);
    return;
  }
  if (self->timer_at == TFRC_TIME_NONE && !self->idle)
    start_timer (self);
  if (change == LOSSES_UNCHANGED && overdue
      && self->rtt < self->config.min_feedback_interval) {
    /* RFC 5348 section 6.1 step 4 reports the first packet after silence at once.  If
     * the RTT is below the granularity of the timer, that report would not cover the
     * burst that the packet belongs to, and a second one would follow a tick later: a
     * single report covers both. */
    self->idle = false;
    start_timer (self);
    return;
  }
  if (change == LOSSES_UNCHANGED && !overdue)
    return;
  self->loss_event_rate = calculate_p (self);
  if (self->loss_event_rate > p_before || change == LOSSES_REPAIRED || overdue)
    expire (self);
}

static void
expire_if_due (TfrcReceiver *self)
{
  if (self->timer_at <= self->now && !wait_for_packets (self))
    expire (self);
}

TfrcResult
tfrc_receiver_on_packet (TfrcReceiver *self, const TfrcDataPacket *packet,
    TfrcTime now)
{
  bool first;
  TfrcArrival arrival;

  now = tfrc_time_advance (&self->now, now);
  /* Nobody has to wake up for that, see tfrc_receiver_next_wakeup. */
  if (!self->unreported)
    expire_if_due (self);
  arrival = tfrc_loss_detector_on_packet (&self->detector, packet, self->rtt,
      now);
  if (arrival > TFRC_ARRIVAL_REPAIRED)
    return tfrc_receiver_counters_refuse (&self->counters, arrival);

  /* The newest packet carries no RTT although the sender had one: it has restarted,
   * and what was measured before no longer applies. */
  if (arrival == TFRC_ARRIVAL_NEW && packet->has_extension
      && packet->extension.rtt == 0 && self->rtt > 0) {
    self->counters.sender_restarts++;
    tfrc_receiver_forget (self);
    arrival = tfrc_loss_detector_on_packet (&self->detector, packet, 0, now);
  }
  first = !self->has_echo;
  /* RFC 5348 section 6.1: step 1, and steps 2 to 4. */
  add_packet (self, packet, arrival);
  report_early (self, first, update_history (self));
  return TFRC_OK;
}

TfrcTime
tfrc_receiver_next_deadline (const TfrcReceiver *self)
{
  return tfrc_time_min (self->timer_at,
      tfrc_loss_detector_next_deadline (&self->detector));
}

TfrcTime
tfrc_receiver_next_wakeup (const TfrcReceiver *self)
{
  return self->unreported ? tfrc_receiver_next_deadline (self)
                          : tfrc_loss_detector_next_deadline (&self->detector);
}

void
tfrc_receiver_on_deadline (TfrcReceiver *self, TfrcTime now)
{
  now = tfrc_time_advance (&self->now, now);
  tfrc_loss_detector_on_deadline (&self->detector, now);
  report_early (self, false, update_history (self));
  expire_if_due (self);
}

bool
tfrc_receiver_poll_feedback (TfrcReceiver *self, TfrcFeedback *feedback,
    TfrcTime now)
{
  if (!self->feedback_due)
    return false;
  self->feedback_due = false;
  self->counters.feedback++;
  *feedback = (TfrcFeedback) {
    .media_ssrc = self->echo.ssrc,
    .echo_time_us = self->echo.send_time_us,
    .echo_delay = tfrc_time_since (self->echo.arrived_at, now),
    .receive_rate = self->receive_rate.rate,
    .loss_event_rate = self->loss_event_rate,
  };
  return true;
}

void
tfrc_receiver_remove_stream (TfrcReceiver *self, uint32_t ssrc)
{
  tfrc_loss_detector_remove_stream (&self->detector, ssrc);
  report_early (self, false, update_history (self));
}

TfrcReceiverCounters
tfrc_receiver_get_counters (const TfrcReceiver *self)
{
  TfrcReceiverCounters counters = self->counters;

  tfrc_receiver_counters_add (&counters, &self->history, &self->detector);
  return counters;
}

void
tfrc_receiver_counters_get_trace (const TfrcReceiverCounters *self,
    TfrcTrace *trace)
{
  trace->packets = self->packets;
  trace->bytes = self->bytes;
  trace->packets_lost = self->packets_lost;
  trace->packets_marked = self->packets_marked;
  trace->packets_duplicate = self->packets_duplicate;
  trace->packets_late = self->packets_late;
  trace->packets_unproven = self->packets_unproven;
  trace->packets_without_extension = self->packets_without_extension;
  trace->loss_events = self->loss_events;
  trace->stream_resets = self->stream_resets;
}

void
tfrc_receiver_get_trace (const TfrcReceiver *self, TfrcTrace *trace,
    TfrcTime now)
{
  TfrcReceiverCounters counters = tfrc_receiver_get_counters (self);

  trace->at = now;
  trace->receive_rate = self->receive_rate.rate;
  trace->loss_event_rate = calculate_p (self);
  trace->rtt = self->rtt;
  trace->segment_size = tfrc_segment_size_get (&self->segment_size);
  trace->discount =
      tfrc_loss_intervals_get_discount (&self->history.now.intervals,
          self->detector.flow.highest);
  tfrc_receiver_counters_get_trace (&counters, trace);
  trace->sender_restarts = counters.sender_restarts;
  trace->feedback = counters.feedback;
}
