/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "checks/tfrc-sender.h"

#include <math.h>

/* An older echo says nothing about the current path. */
#define MAX_ECHO_AGE (60 * TFRC_SECOND)
/* A train of packets is limited to what may be sent in this time, or an RTT, as it
 * is followed by a silence of that length.  Fewer packets than LEAST_TRAIN would
 * not show a queue. */
#define TRAIN_TIME (250 * TFRC_MILLISECOND)
#define LEAST_TRAIN 3.0

void
tfrc_feedback_check_init (TfrcFeedbackCheck *self, uint32_t timestamp_offset_us)
{
  *self = (TfrcFeedbackCheck) {
    .timestamp_offset_us = timestamp_offset_us,
    .echo = TFRC_TIME_NONE,
  };
}

/* The same echo again.  A new report has held it for longer, or comes from a later
 * packet of the same burst and shows a new loss event.  A replayed report does
 * neither.  A report that has held it for longer and received nothing since is
 * TFRC_NO_ARRIVALS. */
static TfrcResult
check_order (const TfrcFeedbackCheck *self, const TfrcFeedback *feedback,
    TfrcTime echo)
{
  if (self->echo == TFRC_TIME_NONE || echo > self->echo)
    return TFRC_OK;
  if (echo < self->echo)
    return TFRC_STALE;
  if (feedback->echo_delay > self->echo_delay)
    return feedback->receive_rate > 0.0 ? TFRC_OK : TFRC_NO_ARRIVALS;
  if (feedback->echo_delay < self->echo_delay)
    return TFRC_STALE;
  return feedback->loss_event_rate > self->loss_event_rate
      ? TFRC_OK
      : TFRC_DUPLICATE;
}

TfrcResult
tfrc_feedback_check_judge (const TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, const TfrcByteLog *sent, TfrcTime *echo,
    TfrcTime now)
{
  TfrcTime now_us = now / TFRC_MICROSECOND;
  uint32_t age_us = (uint32_t) now_us + self->timestamp_offset_us
      - feedback->echo_time_us;
  double p = feedback->loss_event_rate;
  TfrcResult order;

  if (!(p >= 0.0 && p <= 1.0) || !(feedback->receive_rate >= 0.0)
      || isinf (feedback->receive_rate))
    return TFRC_INVALID;
  /* Of the future, or before the clock started. */
  if (age_us > UINT32_MAX / 2 || age_us > now_us)
    return TFRC_INVALID;
  *echo = (now_us - age_us) * TFRC_MICROSECOND;
  if (age_us > MAX_ECHO_AGE / TFRC_MICROSECOND)
    return TFRC_STALE;
  order = check_order (self, feedback, *echo);
  if (order != TFRC_OK && order != TFRC_NO_ARRIVALS)
    return order;
  /* R_sample must be above 0. */
  if ((order == TFRC_OK
          && !tfrc_byte_log_covers (sent, *echo, TFRC_MICROSECOND))
      || feedback->echo_delay >= now - *echo)
    return TFRC_INVALID;
  return order;
}

void
tfrc_feedback_check_accept (TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, TfrcTime echo)
{
  self->echo = echo;
  self->echo_delay = feedback->echo_delay;
  self->loss_event_rate = feedback->loss_event_rate;
}

/* Packets sent within this part of an RTT share an entry of the log. */
#define LOG_ENTRIES_PER_RTT 256
/* Reports in time are about the last two RTTs and look back over one more. */
#define EXACT_RTTS 4
#define REPORT_GRACE (25 * TFRC_MILLISECOND)
/* Reports of longer intervals make no control loop that could hold a queue. */
#define MOST_CONTROLLED_INTERVAL TFRC_SECOND

/* Bytes sent over (t_new - rtt, t_new]. */
static double
get_bytes_before (const TfrcCheckedSender *self, const TfrcReport *report,
    TfrcDuration rtt)
{
  /* The echo is in whole microseconds. */
  return (double) tfrc_byte_log_between (&self->sent,
      tfrc_time_sub (report->echo, rtt), report->echo + TFRC_MICROSECOND - 1);
}

/* The largest receive rate that is possible with what was sent over (t_new - rtt,
 * t_new], see clamp_receive_rate (). */
static TfrcRate
get_most_received (const TfrcCheckedSender *self, const TfrcReport *report,
    TfrcDuration rtt)
{
  double size = fmax (tfrc_segment_size_get (&self->sender.segment_size),
      (double) self->sender.config.max_segment_size);
  double bytes = get_bytes_before (self, report, rtt);

  /* An entry of the log may hold many packets. */
  return tfrc_rate_of (bytes + fmax (size, bytes / LOG_ENTRIES_PER_RTT), rtt);
}

/* X_recv, limited to what was sent over (t_new - R, t_new], but at least one packet
 * per RTT.  That of a longer interval was computed here from what was sent, and is
 * not limited.
 *
 * With a constant delay the receiver's R covers the same packets as ours.  Two
 * windows over evenly spaced packets differ by at most one packet, and so do
 * jittered arrivals as long as packets keep their order, so one packet is allowed.
 * A draining queue compresses arrivals beyond that.  Then the limit does no harm,
 * since recv_limit is still twice the sending rate.  After a fade R is far above
 * the RTT and covers a time in which next to nothing was sent: there R_sample may
 * be the window as well.
 *
 * The report proves that a packet arrived, and one packet per RTT is the least that
 * RFC 5348 section 6.2 reports.  Without this lower bound the X_recv = 0 of a
 * restarted receiver would stop the flow. */
static TfrcRate
clamp_receive_rate (TfrcCheckedSender *self, const TfrcReport *report)
{
  const TfrcSender *sender = &self->sender;
  TfrcDuration rtt = tfrc_rtt_get_smoothed (&sender->rtt, report->rtt_sample);
  double size = tfrc_segment_size_get (&sender->segment_size);
  TfrcRate limit = get_most_received (self, report, rtt);

  if (report->rtt_sample < rtt / 2)
    limit = fmax (limit, get_most_received (self, report, report->rtt_sample));
  if (report->interval == 0 && report->receive_rate > limit) {
    self->counters.feedback_clamped++;
    return limit;
  }
  return fmax (report->receive_rate, tfrc_rate_of (size, rtt));
}

TfrcSenderChecks
tfrc_sender_checks_default (void)
{
  return (TfrcSenderChecks) {
    .clamp_receive_rate = true,
  };
}

void
tfrc_checked_sender_init (TfrcCheckedSender *self,
    const TfrcSenderConfig *config, TfrcSenderChecks checks)
{
  tfrc_sender_init (&self->sender, config);
  self->checks = checks;
  tfrc_byte_log_init (&self->sent);
  tfrc_feedback_check_init (&self->feedback_check, config->timestamp_offset_us);
  tfrc_delay_control_init (&self->delay_control, checks.delay_target);
  tfrc_loss_tolerance_init (&self->loss_tolerance);
  tfrc_report_watch_init (&self->report_watch);
  self->is_watched = self->arrived = false;
  tfrc_probing_init (&self->probing);
  self->wanted_rate = 0.0;
  self->counters = (TfrcSenderCheckCounters) { 0 };
  self->now = 0;
}

void
tfrc_checked_sender_begin_path (TfrcCheckedSender *self)
{
  const TfrcSender sender = self->sender;
  const TfrcProbingCounters probes = self->probing.counters;
  const TfrcFeedbackCheck check = self->feedback_check;
  const TfrcSenderCheckCounters counters = self->counters;
  const TfrcRate wanted_rate = self->wanted_rate;
  const TfrcTime now = self->now;

  tfrc_checked_sender_init (self, &sender.config, self->checks);
  self->sender.counters = sender.counters;
  self->sender.report_delay = sender.report_delay;
  self->probing.counters = probes;
  self->feedback_check = check;
  self->counters = counters;
  self->wanted_rate = wanted_rate;
  self->now = now;
}

/* One RTT, the wait for the receiver's timer, and a margin for timers and jitter. */
static TfrcDuration
get_report_time (const TfrcSender *sender)
{
  TfrcDuration rtt = sender->rtt.rtt;

  return tfrc_time_max (rtt, sender->rtt.sample)
      + tfrc_time_max (rtt, sender->report_delay)
      + tfrc_time_max (rtt / 2, REPORT_GRACE);
}

static TfrcExtension
note_sent (TfrcCheckedSender *self, uint32_t size, bool backlog, TfrcTime now)
{
  TfrcDuration rtt = self->sender.rtt.rtt;

  tfrc_byte_log_stretch (&self->sent, EXACT_RTTS * rtt, now);
  tfrc_byte_log_add (&self->sent, size, rtt / LOG_ENTRIES_PER_RTT, now);
  if (self->is_watched)
    tfrc_report_watch_on_sent (&self->report_watch,
        get_report_time (&self->sender), now);
  /* A sender that sends nothing until a report arrives is not limited by X. */
  return tfrc_sender_on_sent (&self->sender, size,
      backlog && !self->report_watch.overdue, now);
}

TfrcExtension
tfrc_checked_sender_on_sent (TfrcCheckedSender *self, uint32_t size,
    bool backlog, TfrcTime now)
{
  now = tfrc_time_advance (&self->now, now);
  tfrc_probing_on_source (&self->probing, size, backlog, now);
  return note_sent (self, size, backlog, now);
}

void
tfrc_checked_sender_on_frame_end (TfrcCheckedSender *self, TfrcTime now)
{
  if (self->is_watched)
    tfrc_report_watch_on_frame_end (&self->report_watch,
        get_report_time (&self->sender), tfrc_time_advance (&self->now, now));
}

/* The source is still the limit: RFC 5348 section 4.3 step 4 keeps the earlier
 * receive rate, whatever becomes of the probe. */
TfrcExtension
tfrc_checked_sender_on_probe_sent (TfrcCheckedSender *self, uint32_t size,
    TfrcTime now)
{
  tfrc_probing_on_probe (&self->probing, size);
  return note_sent (self, size, false, tfrc_time_advance (&self->now, now));
}

TfrcTime
tfrc_checked_sender_next_deadline (const TfrcCheckedSender *self)
{
  TfrcTime at = tfrc_time_min (tfrc_sender_next_deadline (&self->sender),
      self->delay_control.reduced_until);

  at = tfrc_time_min (at, self->report_watch.overdue_at);
  return tfrc_time_min (at, tfrc_probing_next_deadline (&self->probing));
}

/* How many packets may be sent at once: no more than may be sent in an RTT at the
 * current rate, as for credit (RFC 5348 section 4.6), since the packets after them
 * wait as long; and none if there is a queue, to which they would add. */
static uint32_t
get_longest_train (const TfrcCheckedSender *self)
{
  const TfrcSender *sender = &self->sender;
  TfrcDuration time = tfrc_time_max (sender->rtt.rtt, TRAIN_TIME);
  /* X_inst is far below X after a sample much longer than R. */
  TfrcRate rate = fmin (fmin (sender->rate, sender->instant_rate),
      sender->send_limit);
  double packets = tfrc_rate_bytes_in (rate, time)
      / tfrc_segment_size_get_largest (&sender->segment_size);

  return self->report_watch.overdue || packets < LEAST_TRAIN
          || !tfrc_delay_control_is_clear (&self->delay_control)
      ? 0
      : (uint32_t) fmin (packets, TFRC_TRAIN_PACKETS);
}

static void
bound_by_delay (TfrcCheckedSender *self)
{
  TfrcPacer *pacer = &self->sender.pacer;
  double size = tfrc_segment_size_get (&self->sender.segment_size);
  uint32_t longest;

  tfrc_sender_set_send_limit (&self->sender,
      fmin (tfrc_delay_control_get_limit (&self->delay_control),
          tfrc_report_watch_get_limit (&self->report_watch, size, self->now)));
  /* The rest of a train must not exceed what is allowed now. */
  longest = pacer->train > 0 ? get_longest_train (self) : 0;
  if (longest < pacer->train)
    tfrc_pacer_begin_train (pacer, longest);
}

void
tfrc_checked_sender_on_deadline (TfrcCheckedSender *self, TfrcTime now)
{
  now = tfrc_time_advance (&self->now, now);
  tfrc_sender_on_deadline (&self->sender, now);
  tfrc_delay_control_on_deadline (&self->delay_control, now);
  tfrc_report_watch_on_deadline (&self->report_watch, now);
  tfrc_probing_on_deadline (&self->probing, now);
  bound_by_delay (self);
}

static TfrcResult
refuse (TfrcCheckedSender *self, TfrcResult result)
{
  if (result == TFRC_INVALID)
    self->counters.feedback_invalid++;
  else
    self->counters.feedback_stale++;
  return result;
}

/* The first report of a receiver that takes over has no rate. */
static void
control_delay (TfrcCheckedSender *self, const TfrcReport *report,
    const TfrcFeedback *feedback, TfrcTime now)
{
  const TfrcSender *sender = &self->sender;
  TfrcPathReport delay_report = {
    .rtt = sender->rtt.rtt,
    .rtt_sample = report->rtt_sample,
    .receive_rate = report->receive_rate,
    .allowed_rate = sender->rate,
    .segment_size = tfrc_segment_size_get (&sender->segment_size),
    .loss_event_rate = report->loss_event_rate,
    .data_limited = sender->data_limited
        || tfrc_probing_is_idle (&self->probing,
            tfrc_sender_get_send_rate (sender), now),
    .flight_time = now - report->echo,
    .has_delay = feedback->has_delay,
    .delay = feedback->delay,
  };

  if (report->interval > MOST_CONTROLLED_INTERVAL
      || (report->receiver_started && sender->counters.feedback > 1))
    return;
  if (self->checks.delay_target > 0) {
    delay_report.bytes_before_echo = get_bytes_before (self, report,
        sender->rtt.rtt);
    delay_report.bytes_in_flight = (double) tfrc_byte_log_between (&self->sent,
        report->echo + TFRC_MICROSECOND - 1, now);
    delay_report.bytes_sent = (double) self->sent.bytes;
  }
  tfrc_delay_control_on_report (&self->delay_control, &delay_report, now);
}

/* Without one-way delays nothing is known about the queue. */
static void
judge_loss (TfrcCheckedSender *self, const TfrcFeedback *feedback, TfrcTime now)
{
  const TfrcDelayControl *control = &self->delay_control;

  if (!self->checks.tolerate_loss || control->reference == 0
      || !feedback->has_delay)
    return;
  tfrc_loss_tolerance_on_report (&self->loss_tolerance,
      feedback->loss_event_rate, control->path.queue, control->quiet_target,
      self->sender.rtt.rtt, now);
}

/* Expects a report about the packets after the one sent at `newest_at`. */
static void
expect_report (TfrcCheckedSender *self, TfrcTime newest_at, TfrcTime now)
{
  const TfrcSender *sender = &self->sender;

  tfrc_report_watch_on_report (&self->report_watch,
      self->is_watched ? tfrc_byte_log_first_after (&self->sent, newest_at)
                       : TFRC_TIME_NONE,
      get_report_time (sender),
      tfrc_time_max (sender->rtt.rtt / 2, REPORT_GRACE), self->arrived, now);
}

/* Reports with an interval arrive at any time, and the first one has none. */
static void
watch (TfrcCheckedSender *self, const TfrcReport *report, TfrcRate usual,
    TfrcTime now)
{
  /* Between the packets echoed by the newest two reports. */
  TfrcRate arrived =
      tfrc_delay_history_get_rate (&self->delay_control.path.history, 1,
          report->receive_rate);

  self->is_watched = self->checks.delay_target > 0 && report->interval == 0
      && !report->receiver_started;
  self->arrived = arrived >= usual / 2.0;
  expect_report (self, report->echo + TFRC_MICROSECOND - 1, now);
}

void
tfrc_checked_sender_on_arrivals (TfrcCheckedSender *self,
    TfrcTime newest_sent_at, TfrcTime now)
{
  now = tfrc_time_advance (&self->now, now);
  tfrc_report_watch_on_newest (&self->report_watch, newest_sent_at);
  expect_report (self, newest_sent_at, now);
  bound_by_delay (self);
}

/* If X is limited by the equation, a probe changes little. */
static void
probe (TfrcCheckedSender *self, const TfrcReport *feedback, TfrcTime now)
{
  const TfrcSender *sender = &self->sender;
  TfrcProbingReport report;

  if (tfrc_probing_was_on (&self->probing, feedback->echo)) {
    tfrc_delay_control_on_probe (&self->delay_control, self->probing.rate,
        feedback->receive_rate);
    bound_by_delay (self);
  }
  report = (TfrcProbingReport) {
    .allowed_rate = tfrc_sender_get_send_rate (sender),
    .wanted_rate = self->wanted_rate,
    .rtt = sender->rtt.rtt,
    .queue_empty = tfrc_delay_control_is_clear (&self->delay_control),
    .receive_limited = tfrc_sender_get_send_rate (sender)
        < sender->equation_rate,
  };
  tfrc_probing_on_report (&self->probing, &report, now);
}

TfrcResult
tfrc_checked_sender_on_feedback (TfrcCheckedSender *self,
    const TfrcFeedback *feedback, TfrcTime now)
{
  TfrcReport report = {
    .receive_rate = feedback->receive_rate,
    .loss_event_rate = feedback->loss_event_rate,
    .receiver_started = !(feedback->receive_rate > 0.0),
    .interval = feedback->interval,
  };
  TfrcRate usual = self->delay_control.path.delivered;
  TfrcResult result;
  uint32_t train;

  now = tfrc_time_advance (&self->now, now);
  result = tfrc_feedback_check_judge (&self->feedback_check, feedback,
      &self->sent, &report.echo, now);
  if (result == TFRC_NO_ARRIVALS) {
    tfrc_feedback_check_accept (&self->feedback_check, feedback, report.echo);
    return result;
  }
  if (result != TFRC_OK)
    return refuse (self, result);

  /* The wire format cannot distinguish 0 from 1 us. */
  report.rtt_sample = tfrc_time_max (now - report.echo - feedback->echo_delay,
      TFRC_MICROSECOND);
  tfrc_feedback_check_accept (&self->feedback_check, feedback, report.echo);
  if (self->checks.clamp_receive_rate)
    report.receive_rate = clamp_receive_rate (self, &report);
  if (self->checks.tolerate_loss)
    report.loss_event_rate *= self->loss_tolerance.congestive;
  tfrc_sender_on_feedback (&self->sender, &report, now);
  self->counters.delay_reports += feedback->has_delay;
  report.loss_event_rate = feedback->loss_event_rate;
  control_delay (self, &report, feedback, now);
  judge_loss (self, feedback, now);
  watch (self, &report, usual, now);
  bound_by_delay (self);
  probe (self, &report, now);
  train = self->checks.tolerate_loss ? get_longest_train (self) : 0;
  if (train > 0 && tfrc_loss_tolerance_poll_train (&self->loss_tolerance, now))
    tfrc_pacer_begin_train (&self->sender.pacer, train);
  return TFRC_OK;
}

void
tfrc_checked_sender_on_marks (TfrcCheckedSender *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now)
{
  tfrc_delay_control_on_marks (&self->delay_control, marked, unmarked,
      tfrc_time_advance (&self->now, now));
  bound_by_delay (self);
}

static void
trace_delay (const TfrcCheckedSender *self, TfrcTrace *trace)
{
  const TfrcDelayControl *control = &self->delay_control;
  TfrcDuration rtt_sample = self->sender.rtt.sample;
  TfrcDelayCounters counters = control->counters;

  trace->send_limit = tfrc_delay_control_get_limit (control);
  trace->queue_delay = control->path.queue;
  trace->queue_target = control->target;
  trace->base_rtt = rtt_sample
      - tfrc_base_delay_get_queue (&control->path.round_trip,
          (int64_t) rtt_sample, self->now);
  trace->delay_state = control->state;
  trace->delay_drains = counters.drains;
  trace->delay_probes = counters.probes;
  trace->delay_competitions = counters.competitions;
  trace->delay_clock_steps = control->path.clock_steps;
  trace->delay_impossible = control->path.impossible;
  trace->delay_mark_cuts = counters.mark_cuts;
}

void
tfrc_checked_sender_get_trace (const TfrcCheckedSender *self, TfrcTrace *trace,
    TfrcTime now)
{
  tfrc_sender_get_trace (&self->sender, trace, now);
  trace->feedback_stale = self->counters.feedback_stale;
  trace->feedback_invalid = self->counters.feedback_invalid;
  trace->feedback_clamped = self->counters.feedback_clamped;
  trace->delay_reports = self->counters.delay_reports;
  trace_delay (self, trace);
}
