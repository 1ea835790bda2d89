/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X, X_Bps and recv_limit: RFC 5348 section 4.3 step 4, section 4.4's cuts,
 * and the extension that bounds X (Bansal et al. 2001).  Whether a report may be
 * believed is decided before. */
#include "tfrc/sender-rate.h"

#include <math.h>

/* RFC 5348 section 4.3, step 4, for losses in a data-limited interval. */
#define DATA_LIMITED_LOSS_FACTOR 0.85

static TfrcRate clamp_receive_rate (TfrcSender *self, TfrcRate reported);
static void update_loss_event_rate (TfrcSender *self, double p, TfrcTime now);
static void update_receive_limit (TfrcSender *self, bool new_loss,
    TfrcTime now);
static void update_rate (TfrcSender *self, TfrcTime now);
static TfrcRate get_self_clocked_limit (const TfrcSender *self, TfrcTime now);
static TfrcRate get_slow_start_rate (TfrcSender *self, TfrcTime now);
static void update_limits (TfrcSender *self, TfrcRate limit, TfrcTime now);

/* X, within its bounds, and X_inst by RFC 5348 section 4.5. */
void
tfrc_sender_rate_set (TfrcSender *self, TfrcRate rate)
{
  TfrcRate minimum = tfrc_sender_rate_get_minimum (self);
  double damping = self->config.oscillation_damping
      ? tfrc_rtt_get_damping (&self->rtt)
      : 1.0;

  self->rate = fmin (fmax (rate, minimum), self->config.max_rate);
  self->instant_rate = fmin (fmax (self->rate * damping, minimum),
      self->config.max_rate);
}

/* s / t_mbi. */
TfrcRate
tfrc_sender_rate_get_minimum (const TfrcSender *self)
{
  return tfrc_rate_of (tfrc_segment_size_get (&self->segment_size),
      TFRC_MAX_BACKOFF_INTERVAL);
}

void
tfrc_sender_rate_on_report (TfrcSender *self, const TfrcFeedback *feedback,
    bool first, TfrcTime now)
{
  bool new_loss = feedback->loss_event_rate > self->loss_event_rate;

  /* Section 4.2: "W_init = min (4 MSS, max (2 MSS, 4380))", over the present
   * R, since it is also the recover_rate of section 4.4. */
  self->initial_rate =
      tfrc_rate_of (fmin (4.0 * self->config.max_segment_size,
                        fmax (2.0 * self->config.max_segment_size, 4380.0)),
          self->rtt.rtt);

  self->receive_rate = clamp_receive_rate (self, feedback->receive_rate);
  /* Section 4.3: a report of X_recv = 0 is the receiver's first. */
  self->data_limited = feedback->receive_rate > 0.0
      && tfrc_data_limit_covers (&self->data_limit,
          self->feedback_check.echo + TFRC_MICROSECOND - 1, self->rtt.rtt);
  if (self->data_limited)
    self->counters.feedback_data_limited++;
  update_loss_event_rate (self, feedback->loss_event_rate, now);
  if (first) {
    /* Section 4.2: replaces step 4.  Infinity holds for two RTTs from here on,
     * a length of time that was not known before. */
    tfrc_receive_set_init (&self->receive_set, now);
    self->last_doubled_at = now;
    tfrc_sender_rate_set (self, fmin (self->initial_rate, self->equation_rate));
  } else {
    update_receive_limit (self, new_loss, now);
    update_rate (self, now);
  }
}

/* RFC 5348 section 4.4, the nofeedback timer has expired; false: X stays.
 * `idle`: nothing was sent since the timer was set. */
bool
tfrc_sender_rate_on_nofeedback (TfrcSender *self, bool idle, TfrcTime now)
{
  TfrcRate receive_rate = tfrc_receive_set_max (&self->receive_set);
  TfrcRate recover_rate = self->initial_rate;
  double p = self->loss_event_rate;

  if (!tfrc_rtt_is_known (&self->rtt)) {
    if (idle)
      return false;
    tfrc_sender_rate_set (self, self->rate / 2.0);
  } else if (idle
      && ((p > 0.0 && receive_rate < recover_rate)
          || (p <= 0.0 && self->rate < 2.0 * recover_rate))) {
    return false;
  } else if (p <= 0.0) {
    tfrc_sender_rate_set (self, self->rate / 2.0);
  } else if (self->equation_rate > 2.0 * receive_rate) {
    /* 2 X_recv was the limit. */
    update_limits (self, receive_rate, now);
  } else {
    update_limits (self, self->equation_rate / 2.0, now);
  }
  return true;
}

/* X_recv, no more than we sent over (t_new - R, t_new] and no less than one
 * packet per RTT.
 *
 * With a constant delay the receiver's R holds the same packets as ours.  Two
 * windows over evenly spaced packets differ by one at most, and so do jittered
 * arrivals as long as packets keep their order: one packet is the slack.  A
 * draining queue compresses arrivals beyond that; what the clamp takes away
 * then does not bind, since recv_limit is still twice what we send.
 *
 * The report proves that a packet arrived, and one packet per RTT is the least
 * that RFC 5348 section 6.2 reports.  Without that bound the 0 of a restarted
 * receiver would stop the flow. */
static TfrcRate
clamp_receive_rate (TfrcSender *self, TfrcRate reported)
{
  TfrcTime echo = self->feedback_check.echo;
  TfrcDuration rtt = self->rtt.rtt;
  double size = tfrc_segment_size_get (&self->segment_size);
  /* The echo has microseconds, the log entries of many packets. */
  double bytes = (double) tfrc_byte_log_between (&self->sent,
      tfrc_time_sub (echo, rtt), echo + TFRC_MICROSECOND - 1);
  double slack = fmax (fmax (size, (double) self->config.max_segment_size),
      bytes / TFRC_SENDER_LOG_ENTRIES_PER_RTT);
  TfrcRate limit = tfrc_rate_of (bytes + slack, rtt);

  if (reported > limit) {
    self->counters.feedback_clamped++;
    return limit;
  }
  return fmax (reported, tfrc_rate_of (size, rtt));
}

static void
update_loss_event_rate (TfrcSender *self, double p, TfrcTime now)
{
  TfrcPath path;

  /* The wire has no mark for a new loss event; an increase of p is what the
   * receiver reports at once (RFC 5348 section 6.1). */
  if (p > self->loss_event_rate) {
    self->counters.loss_reports++;
    self->loss_reported_at = now;
  }
  self->loss_event_rate = p;
  path = (TfrcPath) {
    .segment_size = tfrc_segment_size_get (&self->segment_size),
    .rtt = self->rtt.rtt,
    .rto = tfrc_rtt_get_rto (&self->rtt),
    .packets_per_ack = self->config.packets_per_ack,
  };
  self->equation_rate = p > 0.0
      ? self->config.rate_scale * tfrc_equation_rate (&path, p)
      : INFINITY;
}

/* RFC 5348 section 4.3, step 4, first half: X_recv_set and recv_limit. */
static void
update_receive_limit (TfrcSender *self, bool new_loss, TfrcTime now)
{
  TfrcReceiveSet *set = &self->receive_set;

  if (self->data_limited && new_loss) {
    tfrc_receive_set_halve (set);
    tfrc_receive_set_maximize (set,
        DATA_LIMITED_LOSS_FACTOR * self->receive_rate, now);
    self->receive_limit = tfrc_receive_set_max (set);
    return;
  }
  if (self->data_limited)
    tfrc_receive_set_maximize (set, self->receive_rate, now);
  else
    tfrc_receive_set_update (set, self->receive_rate, self->rtt.rtt, now);
  self->receive_limit = 2.0 * tfrc_receive_set_max (set);
}

/* RFC 5348 section 4.3, step 4, second half: X. */
static void
update_rate (TfrcSender *self, TfrcTime now)
{
  TfrcRate rate;

  if (self->loss_event_rate > 0.0) {
    rate = fmin (self->equation_rate, self->receive_limit);
    if (self->config.self_clocking)
      rate = fmin (rate, get_self_clocked_limit (self, now));
  } else {
    rate = get_slow_start_rate (self, now);
  }
  tfrc_sender_rate_set (self, rate);
}

/* Bansal et al. 2001 section 4.1.1: "if (loss is reported) SEND_RATE = min
 * (CALC_RATE, RECV_RATE) else if (NOT SLOWSTART) SEND_RATE = min (CALC_RATE, C
 * RECV_RATE)", where a loss counts for one RTT.
 *
 * RECV_RATE speaks of the network only where the rate was the limit.  For a
 * data-limited interval it is the largest of X_recv_set, so that a pause of the
 * encoder does not hold the flow down. */
static TfrcRate
get_self_clocked_limit (const TfrcSender *self, TfrcTime now)
{
  TfrcRate limit = self->data_limited
      ? tfrc_receive_set_max (&self->receive_set)
      : self->receive_rate;

  if (self->loss_reported_at == TFRC_TIME_NONE
      || now - self->loss_reported_at >= self->rtt.rtt)
    return self->config.self_clocking_factor * limit;
  return limit;
}

static TfrcRate
get_slow_start_rate (TfrcSender *self, TfrcTime now)
{
  TfrcRate rate = self->rate;

  if (now - self->last_doubled_at >= self->rtt.rtt) {
    rate = fmax (fmin (2.0 * rate, self->receive_limit), self->initial_rate);
    self->last_doubled_at = now;
  } else {
    /* X_recv_set may have shrunk in the middle of the RTT. */
    rate = fmin (rate, fmax (self->receive_limit, self->initial_rate));
  }
  return rate;
}

/* "Update_Limits (timer_limit)" of RFC 5348 section 4.4. */
static void
update_limits (TfrcSender *self, TfrcRate limit, TfrcTime now)
{
  limit = fmax (limit, tfrc_sender_rate_get_minimum (self));
  tfrc_receive_set_reset (&self->receive_set, limit / 2.0, now);
  self->receive_limit = limit;
  tfrc_sender_rate_set (self, fmin (self->equation_rate, limit));
}
