/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc-receiver.h"

#include <math.h>
#include <stddef.h>

#include "tfrc-equation.h"

#if TFRC_MAX_HISTORY < TFMCC_MAX_HISTORY
#define MAX_HISTORY TFRC_MAX_HISTORY
#else
#define MAX_HISTORY TFMCC_MAX_HISTORY
#endif
/* The receive rate is taken over this many RTTs, RFC 4654 section 4.3.4: "2 to
 * 4". */
#define RATE_RTTS 3
/* RFC 4654 section 4.3.1: have_loss does not outlive a pause of so many RTTs. */
#define PAUSE_RTTS 10
/* A CLR that is not called so for this many of the longest rounds has been
 * replaced; the sender names it once a round (RFC 4654 section 3.5). */
#define CLR_ROUNDS 2

static void forget (TfmccReceiver *self);
static TfrcTime advance (TfmccReceiver *self, TfrcTime now);
static bool is_ours (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccStamp *stamp);
static TfrcResult refuse (TfmccReceiver *self, TfrcArrival arrival);
static void account (TfmccReceiver *self, const TfrcDataPacket *packet);
static void on_stamp (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccStamp *given);
static void on_echo (TfmccReceiver *self, const TfmccStamp *stamp);
static void remodel (TfmccReceiver *self);
static void collect_losses (TfmccReceiver *self);
static double first_interval (const TfmccReceiver *self);
static void begin_round (TfmccReceiver *self);
static void start_timer (TfmccReceiver *self);
static TfrcDuration packet_interval (const TfmccReceiver *self);
static TfrcDuration rtt_or_interval (const TfmccReceiver *self);
static void be_suppressed (TfmccReceiver *self);
static void be_clr (TfmccReceiver *self);
static TfrcTime next_clr_report (const TfmccReceiver *self);
static TfrcRate receive_rate (const TfmccReceiver *self, TfrcDuration window);
static double mean_size (const TfmccReceiver *self);
static uint32_t timestamp_us (const TfmccReceiver *self);

TfmccReceiverConfig
tfmcc_receiver_config_default (void)
{
  return (TfmccReceiverConfig) {
    .history_length = TFRC_DEFAULT_HISTORY,
    .history_discounting = true,
    .discount_threshold = TFMCC_DISCOUNT_THRESHOLD,
    .slow_start_factor = 2.0,
    .rtt = tfmcc_rtt_config_default (),
    .suppression = tfmcc_suppression_config_default (),
  };
}

void
tfmcc_receiver_init (TfmccReceiver *self, const TfmccReceiverConfig *config)
{
  TfmccReceiverCounters none = { 0 };

  self->config = *config;
  if (config->history_length < TFMCC_MIN_HISTORY)
    self->config.history_length = TFMCC_MIN_HISTORY;
  if (config->history_length > MAX_HISTORY)
    self->config.history_length = MAX_HISTORY;
  if (!(config->discount_threshold > 0.0) || config->discount_threshold > 1.0)
    self->config.discount_threshold = TFMCC_DISCOUNT_THRESHOLD;
  if (!(config->slow_start_factor >= 1.0))
    self->config.slow_start_factor = 1.0;
  self->counters = none;
  self->loss_events_before = 0;
  self->stream_resets_before = 0;
  self->now = 0;
  tfmcc_suppression_init (&self->suppression, &config->suppression,
      config->seed);
  forget (self);
}

void
tfmcc_receiver_forget (TfmccReceiver *self)
{
  self->loss_events_before += tfrc_loss_history_get_events (&self->history);
  self->stream_resets_before += self->detector.stream_resets;
  forget (self);
}

void
tfmcc_receiver_set_ssrc (TfmccReceiver *self, uint32_t ssrc)
{
  self->config.ssrc = ssrc;
  self->is_clr = false;
  self->reported_in_round = false;
}

void
tfmcc_receiver_set_synchronised (TfmccReceiver *self,
    TfrcDuration one_way_delay, TfrcDuration sender_error,
    TfrcDuration receiver_error)
{
  tfmcc_rtt_set_synchronised (&self->rtt, one_way_delay, sender_error,
      receiver_error);
}

TfrcResult
tfmcc_receiver_on_packet (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccStamp *stamp, TfrcTime now)
{
  TfrcArrival arrival;

  now = advance (self, now);
  if (!is_ours (self, packet, stamp)) {
    self->counters.packets_foreign++;
    return TFRC_INVALID;
  }
  if (self->arrivals.first_at == TFRC_TIME_NONE && stamp != NULL)
    tfmcc_rtt_on_max_rtt (&self->rtt, stamp->max_rtt);
  arrival = tfrc_loss_detector_on_packet (&self->detector, packet,
      tfmcc_rtt_get (&self->rtt), now);
  if (arrival > TFRC_ARRIVAL_REPAIRED)
    return refuse (self, arrival);
  account (self, packet);
  if (arrival == TFRC_ARRIVAL_REPAIRED)
    self->counters.packets_late++;
  if (stamp == NULL)
    self->counters.packets_unstamped++;
  collect_losses (self);
  /* Only the newest packet says how things are. */
  if (stamp != NULL && arrival == TFRC_ARRIVAL_NEW)
    on_stamp (self, packet, stamp);
  be_clr (self);
  return TFRC_OK;
}

TfrcTime
tfmcc_receiver_next_deadline (const TfmccReceiver *self)
{
  return tfrc_time_min (next_clr_report (self),
      tfrc_time_min (tfmcc_suppression_next_deadline (&self->suppression),
          tfrc_loss_detector_next_deadline (&self->detector)));
}

void
tfmcc_receiver_on_deadline (TfmccReceiver *self, TfrcTime now)
{
  now = advance (self, now);
  tfrc_loss_detector_on_deadline (&self->detector, now);
  collect_losses (self);
  be_clr (self);
  if (tfmcc_suppression_expire (&self->suppression, self->newest_at, now))
    self->report_due = true;
}

void
tfmcc_receiver_remove_stream (TfmccReceiver *self, uint32_t ssrc, TfrcTime now)
{
  advance (self, now);
  tfrc_loss_detector_remove_stream (&self->detector, ssrc);
  collect_losses (self);
}

void
tfmcc_receiver_leave (TfmccReceiver *self, TfrcTime now)
{
  advance (self, now);
  self->leaving = true;
  tfmcc_suppression_cancel (&self->suppression);
  self->report_due = self->newest_at != TFRC_TIME_NONE
      && (self->is_clr || self->reported_in_round);
}

bool
tfmcc_receiver_has_report (const TfmccReceiver *self)
{
  return self->report_due;
}

bool
tfmcc_receiver_poll_report (TfmccReceiver *self, TfmccReport *report,
    TfrcTime now)
{
  if (!self->report_due)
    return false;
  now = advance (self, now);
  self->report_due = false;
  self->reported_in_round = true;
  self->news = false;
  self->clr_reported_at = now;
  self->counters.reports++;
  *report = (TfmccReport) {
    .ssrc = self->config.ssrc,
    .media_ssrc = self->media_ssrc,
    .has_rtt = tfmcc_rtt_is_own (&self->rtt),
    .has_loss = self->has_loss,
    .leaving = self->leaving,
    .rate = tfmcc_receiver_get_rate (self),
    .round = self->newest.round,
    .report_time_us = timestamp_us (self),
    .echo_time_us = self->newest.send_time_us
        + (uint32_t) (tfrc_time_since (self->newest_at, now)
        / TFRC_MICROSECOND),
  };
  return true;
}

/* RFC 4654 section 4.4, and twice the receive rate before the first loss. */
TfrcRate
tfmcc_receiver_get_rate (const TfmccReceiver *self)
{
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);
  double size = mean_size (self);
  TfrcPath path;

  if (!(size > 0.0))
    return 0.0;
  if (!self->has_loss)
    return fmax (self->config.slow_start_factor
        * tfmcc_receiver_get_receive_rate (self),
        tfrc_rate_of (size, TFMCC_MAX_PACKET_INTERVAL));
  path = tfrc_path_rfc5348 (size, rtt);
  return fmax (tfrc_equation_rate (&path,
          tfmcc_receiver_get_loss_event_rate (self)),
      tfrc_rate_of (size, TFMCC_MAX_PACKET_INTERVAL));
}

TfrcRate
tfmcc_receiver_get_receive_rate (const TfmccReceiver *self)
{
  return receive_rate (self, tfrc_time_max (TFMCC_FRAMES_TIME,
          RATE_RTTS * rtt_or_interval (self)));
}

TfrcRate
tfmcc_receiver_get_sending_rate (const TfmccReceiver *self)
{
  return tfrc_rate_of (mean_size (self),
      tfmcc_sending_rate_get_interval (&self->sending_rate));
}

double
tfmcc_receiver_get_loss_event_rate (const TfmccReceiver *self)
{
  return tfrc_loss_history_get_loss_event_rate (&self->history,
      tfrc_loss_detector_get_highest (&self->detector));
}

const TfmccStamp *
tfmcc_receiver_get_stamp (const TfmccReceiver *self)
{
  return self->newest_at == TFRC_TIME_NONE ? NULL : &self->newest;
}

TfrcDuration
tfmcc_receiver_get_rtt (const TfmccReceiver *self)
{
  return tfmcc_rtt_get (&self->rtt);
}

bool
tfmcc_receiver_is_clr (const TfmccReceiver *self)
{
  return self->is_clr;
}

TfmccReceiverCounters
tfmcc_receiver_get_counters (const TfmccReceiver *self)
{
  TfmccReceiverCounters counters = self->counters;

  counters.loss_events = self->loss_events_before
      + tfrc_loss_history_get_events (&self->history);
  counters.stream_resets = self->stream_resets_before
      + self->detector.stream_resets;
  return counters;
}

static void
forget (TfmccReceiver *self)
{
  tfrc_loss_detector_init (&self->detector);
  tfrc_loss_history_init (&self->history, self->config.history_length,
      self->config.history_discounting ? self->config.discount_threshold : 1.0);
  tfmcc_arrivals_init (&self->arrivals);
  tfmcc_rtt_init (&self->rtt, &self->config.rtt);
  tfmcc_stamp_guard_init (&self->guard);
  tfmcc_sending_rate_init (&self->sending_rate);
  tfmcc_suppression_cancel (&self->suppression);
  self->newest_at = self->data_limited_at = TFRC_TIME_NONE;
  self->has_loss = false;
  self->is_clr = false;
  self->news = false;
  self->reported_in_round = false;
  self->leaving = false;
  self->report_due = false;
}

static TfrcTime
advance (TfmccReceiver *self, TfrcTime now)
{
  self->now = tfrc_time_max (self->now, now);
  return self->now;
}

/* An SSRC without stamps is the sender's if it had some. */
static bool
is_ours (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccStamp *stamp)
{
  bool leaving = self->leaving;

  if (stamp == NULL)
    return tfrc_loss_detector_knows (&self->detector, packet->ssrc);
  switch (tfmcc_stamp_guard_check (&self->guard, stamp, self->now)) {
    case TFMCC_STAMP_OURS:
      break;
    case TFMCC_STAMP_FOREIGN:
      return false;
    case TFMCC_STAMP_RESTARTED:
      self->counters.sender_restarts++;
      tfmcc_receiver_forget (self);
      self->leaving = leaving;
      break;
  }
  return true;
}

static TfrcResult
refuse (TfmccReceiver *self, TfrcArrival arrival)
{
  if (arrival == TFRC_ARRIVAL_DUPLICATE) {
    self->counters.packets_duplicate++;
    return TFRC_DUPLICATE;
  }
  if (arrival == TFRC_ARRIVAL_STALE) {
    self->counters.packets_late++;
    return TFRC_STALE;
  }
  self->counters.packets_unproven++;
  return TFRC_INVALID;
}

static void
account (TfmccReceiver *self, const TfrcDataPacket *packet)
{
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);

  if (self->newest_at != TFRC_TIME_NONE
      && tfrc_time_since (self->newest_at, self->now)
      > PAUSE_RTTS * rtt_or_interval (self))
    self->has_loss = false;
  self->counters.packets++;
  self->counters.bytes += packet->size;
  if (packet->congestion_marked)
    self->counters.packets_marked++;
  tfmcc_arrivals_add (&self->arrivals, packet->size, rtt, self->now);
}

static void
on_stamp (TfmccReceiver *self, const TfrcDataPacket *packet,
    const TfmccStamp *given)
{
  const TfmccStamp *stamp = &self->newest;
  uint8_t round = self->newest.round;
  bool new_round;

  self->newest = *given;
  if (tfmcc_stamp_guard_correct (&self->guard, &self->newest, self->now))
    self->counters.stamps_corrected++;
  new_round = self->newest_at == TFRC_TIME_NONE || stamp->round != round;
  self->newest_at = self->now;
  if (stamp->application_limited)
    self->data_limited_at = self->now;
  self->media_ssrc = packet->ssrc;
  self->news = true;
  tfmcc_sending_rate_on_packet (&self->sending_rate, stamp->send_time_us,
      tfrc_loss_detector_get_highest (&self->detector), stamp->max_rtt);
  if (tfmcc_rtt_on_max_rtt (&self->rtt, stamp->max_rtt))
    remodel (self);
  tfmcc_rtt_on_packet (&self->rtt, stamp->send_time_us, timestamp_us (self));
  if (stamp->has_echo)
    on_echo (self, stamp);
  tfmcc_suppression_on_max_rtt (&self->suppression, stamp->max_rtt, self->now);
  if (new_round)
    begin_round (self);
  be_suppressed (self);
}

static void
on_echo (TfmccReceiver *self, const TfmccStamp *stamp)
{
  bool ours = stamp->echo.ssrc == self->config.ssrc;

  if (ours && !tfmcc_rtt_is_possible (&stamp->echo, stamp->max_rtt,
          timestamp_us (self))) {
    self->counters.ssrc_collisions++;
    ours = false;
  }
  if (ours) {
    bool first = !tfmcc_rtt_is_measured (&self->rtt);

    self->counters.echoes++;
    tfmcc_rtt_on_echo (&self->rtt, &stamp->echo, stamp->send_time_us,
        timestamp_us (self));
    if (first)
      remodel (self);
  }
  if (!stamp->echo.is_clr)
    return;
  if (ours && !self->is_clr) {
    self->counters.clr_terms++;
    tfmcc_suppression_cancel (&self->suppression);
  }
  self->is_clr = ours;
  self->clr_named_at = self->now;
}

/* RFC 4654 section 5.6 and Widmer and Handley 2001 appendix A: what was grouped
 * and calculated with the initial RTT is done again with the true one, or with
 * R_max as it has become. */
static void
remodel (TfmccReceiver *self)
{
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);
  double ratio;

  if (tfrc_loss_history_get_events (&self->history) == 0)
    return;
  ratio = (double) rtt / (double) self->first_event_rtt;
  tfrc_loss_history_remodel (&self->history, rtt, ratio * ratio);
  self->first_event_rtt = rtt;
}

static void
collect_losses (TfmccReceiver *self)
{
  uint64_t events = tfrc_loss_history_get_events (&self->history);
  bool had_loss = self->has_loss;
  TfrcSeq position;
  TfrcLossRun run;

  if (tfrc_loss_detector_poll_repair (&self->detector, &position)) {
    self->counters.packets_lost--;
    tfrc_loss_history_on_repair (&self->history, position);
  }
  while (tfrc_loss_detector_poll_loss (&self->detector, &run)) {
    if (tfrc_loss_history_get_events (&self->history) == 0) {
      self->first_event_rtt = tfmcc_rtt_get (&self->rtt);
      tfrc_loss_history_set_first_interval (&self->history,
          first_interval (self));
    }
    if (!run.marked)
      self->counters.packets_lost += run.count;
    tfrc_loss_history_on_loss (&self->history, &run,
        tfmcc_rtt_get (&self->rtt));
  }
  if (tfrc_loss_history_get_events (&self->history) > events)
    self->has_loss = true;
  /* The only loss came after all: p is 0 again, and has no rate. */
  if (tfrc_loss_history_get_events (&self->history) == 0)
    self->has_loss = false;
  /* The end of slow start does not wait for the next round: "no later than one
   * feedback delay after the loss" (Widmer and Handley 2001 section 2.6). */
  if (self->has_loss && !had_loss && !self->is_clr && !self->leaving
      && self->newest_at != TFRC_TIME_NONE && self->newest.slow_start
      && tfmcc_suppression_next_deadline (&self->suppression) == TFRC_TIME_NONE)
    start_timer (self);
}

/* From the receive rate over the last RTT.  In slow start the sender may have
 * overshot by a factor of two (Widmer and Handley 2001 appendix B). */
static double
first_interval (const TfmccReceiver *self)
{
  TfrcDuration rtt = tfmcc_rtt_get (&self->rtt);
  TfrcRate rate = receive_rate (self, rtt);

  if (self->newest_at != TFRC_TIME_NONE && self->newest.slow_start)
    rate /= 2.0;
  return tfmcc_first_interval (rate, rtt, mean_size (self));
}

/* RFC 4654 section 4.5.  Every receiver may report in every round: those above
 * the sender's rate are suppressed by the ones below it. */
static void
begin_round (TfmccReceiver *self)
{
  self->counters.rounds++;
  self->reported_in_round = false;
  tfmcc_suppression_cancel (&self->suppression);
  if (self->is_clr && tfrc_time_since (self->clr_named_at, self->now)
      > CLR_ROUNDS * tfmcc_suppression_get_span (&self->suppression,
          self->newest.max_rtt, packet_interval (self)))
    self->is_clr = false;
  if (!self->is_clr && !self->leaving)
    start_timer (self);
}

/* Before the first loss r is X_recv / X_send (Widmer and Handley 2001 section
 * 2.6), since the rate that is reported is a multiple of X_recv. */
static void
start_timer (TfmccReceiver *self)
{
  TfrcDuration interval = packet_interval (self);
  TfrcRate sending_rate = tfrc_rate_of (mean_size (self), interval);
  TfrcRate rate = tfmcc_receiver_get_rate (self);

  if (!self->has_loss)
    sending_rate *= self->config.slow_start_factor;
  tfmcc_suppression_start (&self->suppression, rate, sending_rate,
      self->newest.max_rtt, interval, self->now);
}

/* R_max is never below s/X, so what is longer is a pause. */
static TfrcDuration
packet_interval (const TfmccReceiver *self)
{
  return tfrc_time_min (self->newest.max_rtt,
      tfmcc_sending_rate_get_interval (&self->sending_rate));
}

/* Where packets are further apart than an RTT, a few RTTs without any are no
 * pause, and what arrives in a few RTTs is no rate. */
static TfrcDuration
rtt_or_interval (const TfmccReceiver *self)
{
  return tfrc_time_max (tfmcc_rtt_get (&self->rtt), packet_interval (self));
}

/* RFC 4654 section 4.5.  A receiver whose RTT is above R_max reports in any
 * case; one with a loss is not suppressed by those without (Widmer and Handley
 * 2001 section 2.6). */
static void
be_suppressed (TfmccReceiver *self)
{
  /* For most packets there is nothing to cancel, and no rate to calculate. */
  if (tfmcc_suppression_next_deadline (&self->suppression) == TFRC_TIME_NONE
      || !isfinite (self->newest.suppression_rate))
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

/* RFC 4654 section 4.5: the CLR reports once per RTT, whatever others do; on
 * the shortest paths less often (D48). */
static void
be_clr (TfmccReceiver *self)
{
  if (next_clr_report (self) <= self->now)
    self->report_due = true;
}

/* While no data comes there is nothing new to say. */
static TfrcTime
next_clr_report (const TfmccReceiver *self)
{
  if (!self->is_clr || !self->news)
    return TFRC_TIME_NONE;
  return tfrc_time_add (self->clr_reported_at,
      tfrc_time_max (tfmcc_rtt_get (&self->rtt), TFMCC_MIN_CLR_INTERVAL));
}

/* What arrived within the last `window`, or since the first packet. */
static TfrcRate
receive_rate (const TfmccReceiver *self, TfrcDuration window)
{
  if (self->data_limited_at != TFRC_TIME_NONE
      && tfrc_time_since (self->data_limited_at, self->now)
      <= TFMCC_FRAMES_TIME)
    window = tfrc_time_max (window, TFMCC_FRAMES_TIME);
  return tfmcc_arrivals_get_rate (&self->arrivals, window,
      tfmcc_rtt_get (&self->rtt), self->now);
}

static double
mean_size (const TfmccReceiver *self)
{
  return tfmcc_arrivals_get_mean_size (&self->arrivals);
}

static uint32_t
timestamp_us (const TfmccReceiver *self)
{
  return (uint32_t) (self->now / TFRC_MICROSECOND)
      + self->config.timestamp_offset_us;
}
