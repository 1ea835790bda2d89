/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender of RFC 5348 section 4: packets out, reports in, the nofeedback
 * timer and the states.  What a report does to the rate is in
 * tfrc/sender-rate.c.  Holds no packets and no timer; the caller sends when it
 * is told to and passes on what came back. */
#include "tfrc/sender-rate.h"

#include <assert.h>
#include <math.h>

/* Nofeedback timer before the first RTT sample, RFC 5348 section 4.2. */
#define WAITING_INTERVAL (2 * TFRC_SECOND)
/* The instants at which the rate was the limit are kept for
 * TFRC_DATA_LIMIT_SPANS times this part of the RTT: 16 RTTs. */
#define LIMIT_SPANS_PER_RTT 8
/* Reports that are not late are of the last two RTTs and look back over one. */
#define EXACT_RTTS 4

static TfrcTime advance (TfrcSender *self, TfrcTime now);
static void set_state (TfrcSender *self, TfrcSenderState state);
static TfrcRate get_schedule_rate (const TfrcSender *self, double size);
static TfrcDuration get_path_interval (const TfrcSender *self);
static TfrcDuration get_nofeedback_interval (const TfrcSender *self);
static void note_silence (TfrcSender *self, TfrcTime now);
static TfrcDuration get_log_resolution (const TfrcSender *self);
static void accept_feedback (TfrcSender *self, const TfrcFeedback *feedback,
    TfrcTime echo, TfrcTime now);

TfrcSenderConfig
tfrc_sender_config_default (void)
{
  return (TfrcSenderConfig) {
    .max_segment_size = 1200,
    .max_rate = INFINITY,
    .granularity = TFRC_MILLISECOND,
    .max_credit = 10 * TFRC_MILLISECOND,
    .probe_interval = 3 * TFRC_SECOND,
    .oscillation_damping = true,
    .self_clocking = false,
    .self_clocking_factor = 1.1,
    .rto = { .mode = TFRC_RTO_RFC5348, .scale = 3.0, .floor = TFRC_SECOND },
    .rate_scale = 1.0,
    .packets_per_ack = 1.0,
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

  tfrc_byte_log_init (&self->sent);
  tfrc_data_limit_init (&self->data_limit);
  tfrc_feedback_check_init (&self->feedback_check,
      self->config.timestamp_offset_us);
  tfrc_pacer_init (&self->pacer, self->config.granularity,
      self->config.max_credit);
  tfrc_receive_set_init (&self->receive_set, 0);
  tfrc_rtt_init (&self->rtt, &self->config.rto);
  tfrc_segment_size_init (&self->segment_size,
      (double) self->config.max_segment_size);
  tfrc_silence_init (&self->silence);

  self->state = TFRC_SENDER_WAITING;
  self->equation_rate = INFINITY;
  self->receive_limit = INFINITY;
  self->loss_reported_at = TFRC_TIME_NONE;
  self->nofeedback_at = TFRC_TIME_NONE;
  /* RFC 5348 section 4.2: one packet per second until there is an RTT. */
  self->rate = tfrc_segment_size_get (&self->segment_size);
  tfrc_sender_set_max_rate (self, config->max_rate);
}

TfrcTime
tfrc_sender_next_send_at (const TfrcSender *self)
{
  return tfrc_pacer_next_send_at (&self->pacer,
      get_schedule_rate (self, (double) self->pacer.last_size), self->rtt.rtt);
}

TfrcStamp
tfrc_sender_on_sent (TfrcSender *self, uint32_t size, bool backlog,
    TfrcTime now)
{
  double old_size = tfrc_segment_size_get (&self->segment_size);

  now = advance (self, now);
  tfrc_pacer_on_sent (&self->pacer, size,
      get_schedule_rate (self, (double) self->pacer.last_size), self->rtt.rtt,
      now);
  tfrc_byte_log_stretch (&self->sent, EXACT_RTTS * self->rtt.rtt, now);
  tfrc_byte_log_add (&self->sent, size, get_log_resolution (self), now);
  tfrc_segment_size_on_packet (&self->segment_size, size,
      self->loss_event_rate);
  self->counters.packets++;
  self->counters.bytes += size;

  /* X is in packets before the first RTT sample, whatever their size. */
  if (self->state == TFRC_SENDER_WAITING)
    tfrc_sender_rate_set (self,
        self->rate / old_size * tfrc_segment_size_get (&self->segment_size));

  /* Nobody could miss feedback while there was nothing to answer, so the
   * first packet after the timer was set gets the whole of it: a frame sent
   * just before the timer expires is no reason to halve. */
  if (!self->sent_since_nofeedback) {
    TfrcTime expiry = tfrc_time_add (now, get_nofeedback_interval (self));

    if (self->nofeedback_at == TFRC_TIME_NONE || self->nofeedback_at < expiry)
      self->nofeedback_at = expiry;
    self->sent_since_nofeedback = true;
  }
  if (backlog && tfrc_sender_next_send_at (self) > now)
    tfrc_data_limit_on_rate_limited (&self->data_limit,
        self->rtt.rtt / LIMIT_SPANS_PER_RTT, now);

  return (TfrcStamp) {
    .send_time_us = (uint32_t) (now / TFRC_MICROSECOND)
        + self->config.timestamp_offset_us,
    .rtt = self->rtt.rtt,
  };
}

TfrcResult
tfrc_sender_on_feedback (TfrcSender *self, const TfrcFeedback *feedback,
    TfrcTime now)
{
  TfrcTime echo = TFRC_TIME_NONE;
  TfrcResult result;

  now = advance (self, now);
  /* Of a process that was stopped the report may wake up first. */
  note_silence (self, now);
  result = tfrc_feedback_check_judge (&self->feedback_check, feedback,
      &self->sent, &echo, now);
  switch (result) {
    case TFRC_OK:
      self->counters.feedback++;
      accept_feedback (self, feedback, echo, now);
      break;
    case TFRC_DUPLICATE:
    case TFRC_STALE:
      self->counters.feedback_stale++;
      break;
    case TFRC_INVALID:
    case TFRC_FOREIGN:
      self->counters.feedback_invalid++;
      break;
  }
  return result;
}

TfrcTime
tfrc_sender_next_deadline (const TfrcSender *self)
{
  return self->nofeedback_at;
}

void
tfrc_sender_on_deadline (TfrcSender *self, TfrcTime now)
{
  bool idle = !self->sent_since_nofeedback;
  bool changed;

  now = advance (self, now);
  if (now < self->nofeedback_at)
    return;
  note_silence (self, now);
  changed = tfrc_sender_rate_on_nofeedback (self, idle, now);
  self->sent_since_nofeedback = false;
  if (idle && !changed) {
    /* Nobody missed anything and nothing will change: the next packet starts
     * the timer. */
    self->nofeedback_at = TFRC_TIME_NONE;
    return;
  }
  self->counters.nofeedback_expiries++;
  if (!idle && tfrc_rtt_is_known (&self->rtt))
    set_state (self, TFRC_SENDER_SILENT);
  self->nofeedback_at = tfrc_time_add (now, get_nofeedback_interval (self));
}

void
tfrc_sender_set_max_rate (TfrcSender *self, TfrcRate max_rate)
{
  self->config.max_rate = fmax (max_rate, tfrc_sender_rate_get_minimum (self));
  tfrc_sender_rate_set (self, self->rate);
}

TfrcRate
tfrc_sender_get_rate (const TfrcSender *self)
{
  return self->rate;
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

TfrcSenderCounters
tfrc_sender_get_counters (const TfrcSender *self)
{
  return self->counters;
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
  trace->mean_loss_interval = self->loss_event_rate > 0.0
      ? 1.0 / self->loss_event_rate
      : 0.0;
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
  trace->feedback_stale = counters->feedback_stale;
  trace->feedback_invalid = counters->feedback_invalid;
  trace->feedback_clamped = counters->feedback_clamped;
  trace->feedback_data_limited = counters->feedback_data_limited;
  trace->nofeedback_expiries = counters->nofeedback_expiries;
}

/* Time never runs back: a `now` before an earlier one is taken as that. */
static TfrcTime
advance (TfrcSender *self, TfrcTime now)
{
  assert (now != TFRC_TIME_NONE);
  if (now < self->now)
    self->counters.clock_steps_back++;
  else
    self->now = now;
  return self->now;
}

static void
set_state (TfrcSender *self, TfrcSenderState state)
{
  /* The arrows of the header's diagram, from -> set of to. */
  static const unsigned legal[] = {
    [TFRC_SENDER_WAITING] = 1u << TFRC_SENDER_SLOW_START
        | 1u << TFRC_SENDER_EQUATION,
    [TFRC_SENDER_SLOW_START] = 1u << TFRC_SENDER_EQUATION
        | 1u << TFRC_SENDER_SILENT,
    [TFRC_SENDER_EQUATION] = 1u << TFRC_SENDER_SLOW_START
        | 1u << TFRC_SENDER_SILENT,
    [TFRC_SENDER_SILENT] = 1u << TFRC_SENDER_SLOW_START
        | 1u << TFRC_SENDER_EQUATION,
  };

  if (state == self->state)
    return;
  assert ((legal[self->state] & 1u << state) != 0);
  self->state = state;
}

/* What a packet of `size` bytes is scheduled by: X_inst, or while no feedback
 * comes at least one packet per probe_interval (RFC 8085 section 3.1). */
static TfrcRate
get_schedule_rate (const TfrcSender *self, double size)
{
  TfrcRate rate = self->instant_rate;

  if (self->state == TFRC_SENDER_SLOW_START
      || self->state == TFRC_SENDER_EQUATION)
    return rate;
  /* Before the first feedback X counts packets, not bytes; s is above 0. */
  if (self->state == TFRC_SENDER_WAITING)
    rate *= size / tfrc_segment_size_get (&self->segment_size);
  return fmax (rate, tfrc_rate_of (size, self->config.probe_interval));
}

/* "4 R" of RFC 5348 section 4.3 step 3, or before there is an RTT what section
 * 4.2 has instead, and at least TFRC_MIN_NOFEEDBACK_INTERVAL (deviation). */
static TfrcDuration
get_path_interval (const TfrcSender *self)
{
  return tfrc_rtt_is_known (&self->rtt)
      ? tfrc_time_max (4 * self->rtt.rtt, TFRC_MIN_NOFEEDBACK_INTERVAL)
      : WAITING_INTERVAL;
}

/* RFC 5348 section 4.3 step 3, "RTO = max (4 R, 2 s / X)". */
static TfrcDuration
get_nofeedback_interval (const TfrcSender *self)
{
  double size = tfrc_segment_size_get (&self->segment_size);

  return tfrc_time_max (get_path_interval (self),
      tfrc_rate_time_for (self->rate, 2.0 * size));
}

/* If the nofeedback timer is due, and not of an idle flow. */
static void
note_silence (TfrcSender *self, TfrcTime now)
{
  if (self->sent_since_nofeedback && now >= self->nofeedback_at)
    tfrc_silence_on_expiry (&self->silence, self->nofeedback_at);
}

static TfrcDuration
get_log_resolution (const TfrcSender *self)
{
  return self->rtt.rtt / TFRC_SENDER_LOG_ENTRIES_PER_RTT;
}

/* RFC 5348 section 4.3, in its order. */
static void
accept_feedback (TfrcSender *self, const TfrcFeedback *feedback, TfrcTime echo,
    TfrcTime now)
{
  bool first = !tfrc_rtt_is_known (&self->rtt);
  /* Below the resolution of the wire there is no telling 0 from 1 us. */
  TfrcDuration sample = tfrc_time_max (now - echo - feedback->echo_delay,
      TFRC_MICROSECOND);
  TfrcDuration interval;

  if (tfrc_silence_lets_count (&self->silence, echo, sample,
          get_path_interval (self)))
    tfrc_rtt_on_sample (&self->rtt, sample);
  tfrc_feedback_check_accept (&self->feedback_check, feedback, echo);
  interval = get_nofeedback_interval (self);
  tfrc_sender_rate_on_report (self, feedback, first, now);
  set_state (self,
      self->loss_event_rate > 0.0 ? TFRC_SENDER_EQUATION
                                  : TFRC_SENDER_SLOW_START);

  /* Step 6 with the RTO of step 3, or a longer one when X has fallen so far
   * that the timer would expire between two packets. */
  self->nofeedback_at = tfrc_time_add (now,
      tfrc_time_max (interval, get_nofeedback_interval (self)));
  self->sent_since_nofeedback = false;
}
