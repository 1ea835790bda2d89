/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver of RFC 4654 sections 4 and 5: packets to the loss detector, losses
 * to the history, stamps to the RTT, and what a report says.  When there is one
 * is in tfmcc/receiver-reports.c, X_r in tfmcc/receiver-rate.c. */
#include "tfmcc/receiver.h"

#include <stddef.h>

#include "tfmcc/receiver-rate.h"
#include "tfmcc/receiver-reports.h"

#if TFRC_MAX_HISTORY < TFMCC_MAX_HISTORY
#define MAX_HISTORY TFRC_MAX_HISTORY
#else
#define MAX_HISTORY TFMCC_MAX_HISTORY
#endif
/* RFC 4654 section 4.3.1: have_loss does not outlive a pause of so many RTTs. */
#define PAUSE_RTTS 10

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
static uint32_t timestamp_us (const TfmccReceiver *self);

TfmccReceiverConfig
tfmcc_receiver_config_default (void)
{
  return (TfmccReceiverConfig) {
    .history_length = TFRC_DEFAULT_HISTORY,
    .history_discounting = true,
    .discount_threshold = TFMCC_DISCOUNT_THRESHOLD,
    .adaptive_reordering = true,
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
  tfmcc_clr_term_init (&self->clr_term);
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
  tfmcc_clr_term_end (&self->clr_term);
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
  tfmcc_receiver_reports_on_packet (self);
  return TFRC_OK;
}

TfrcTime
tfmcc_receiver_next_deadline (const TfmccReceiver *self)
{
  return tfrc_time_min (tfmcc_receiver_reports_next_deadline (self),
      tfrc_loss_detector_next_deadline (&self->detector));
}

void
tfmcc_receiver_on_deadline (TfmccReceiver *self, TfrcTime now)
{
  now = advance (self, now);
  tfrc_loss_detector_on_deadline (&self->detector, now);
  collect_losses (self);
  tfmcc_receiver_reports_on_deadline (self);
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
      && (self->clr_term.serving || self->reported_in_round);
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
  tfmcc_clr_term_on_report (&self->clr_term, now);
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
  return self->clr_term.serving;
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
  tfrc_loss_detector_init (&self->detector, self->config.adaptive_reordering,
      true);
  tfrc_loss_history_init (&self->history, self->config.history_length,
      self->config.history_discounting ? self->config.discount_threshold : 1.0);
  tfmcc_arrivals_init (&self->arrivals);
  tfrc_segment_size_init (&self->segment_size, 0.0);
  tfmcc_rtt_init (&self->rtt, &self->config.rtt);
  tfmcc_stamp_guard_init (&self->guard);
  tfmcc_sending_rate_init (&self->sending_rate);
  tfmcc_suppression_cancel (&self->suppression);
  tfmcc_clr_term_end (&self->clr_term);
  self->newest_at = self->data_limited_at = TFRC_TIME_NONE;
  self->loss_event_rate = 0.0;
  self->has_loss = false;
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
          > PAUSE_RTTS * tfmcc_receiver_rate_get_unit (self))
    self->has_loss = false;
  self->counters.packets++;
  self->counters.bytes += packet->size;
  if (packet->congestion_marked)
    self->counters.packets_marked++;
  tfmcc_arrivals_add (&self->arrivals, packet->size, rtt, self->now);
  tfrc_segment_size_on_packet (&self->segment_size, packet->size,
      self->loss_event_rate);
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
  tfmcc_sending_rate_on_packet (&self->sending_rate, stamp->send_time_us,
      tfrc_loss_detector_get_highest (&self->detector), stamp->max_rtt);
  if (tfmcc_rtt_on_max_rtt (&self->rtt, stamp->max_rtt))
    remodel (self);
  tfmcc_rtt_on_packet (&self->rtt, stamp->send_time_us, timestamp_us (self));
  if (stamp->has_echo)
    on_echo (self, stamp);
  tfmcc_receiver_reports_on_stamp (self, new_round);
}

static void
on_echo (TfmccReceiver *self, const TfmccStamp *stamp)
{
  bool ours = stamp->echo.ssrc == self->config.ssrc;

  if (ours
      && !tfmcc_rtt_is_possible (&stamp->echo, stamp->max_rtt,
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
  if (stamp->echo.is_clr)
    tfmcc_receiver_reports_on_clr (self, ours);
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
          tfmcc_receiver_rate_get_first_interval (self));
    }
    if (!run.marked)
      self->counters.packets_lost += run.count;
    tfrc_loss_history_on_loss (&self->history, &run,
        tfmcc_rtt_get (&self->rtt));
    self->loss_event_rate = tfmcc_receiver_get_loss_event_rate (self);
  }
  if (tfrc_loss_history_get_events (&self->history) > events)
    self->has_loss = true;
  /* The only loss came after all: p is 0 again, and has no rate. */
  if (tfrc_loss_history_get_events (&self->history) == 0)
    self->has_loss = false;
  if (self->has_loss && !had_loss)
    tfmcc_receiver_reports_on_first_loss (self);
}

static uint32_t
timestamp_us (const TfmccReceiver *self)
{
  return (uint32_t) (self->now / TFRC_MICROSECOND)
      + self->config.timestamp_offset_us;
}
