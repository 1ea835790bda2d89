/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The feedback timer of RFC 5348.  Each report ends an interval of X_recv. */
#include "tfrc/receiver-reports.h"

static void expire (TfrcReceiver *self);
static void wait_for_burst (TfrcReceiver *self);
static void start_timer (TfrcReceiver *self);
static double calculate_p (const TfrcReceiver *self);

/* RFC 5348 section 6.1 steps 2 to 4, and 6.3 for the first packets. */
void
tfrc_receiver_reports_decide (TfrcReceiver *self, bool first,
    TfrcLossChange change)
{
  double p_before = self->loss_event_rate;
  bool overdue = self->silent && self->news;

  if (!self->has_echo)
    return;
  /* Section 6.3: the first packet is reported, and while none carries an RTT
   * every packet. */
  if (first || self->rtt == 0) {
    if (self->news)
      expire (self);
    return;
  }
  if (self->timer_at == TFRC_TIME_NONE && !self->silent)
    start_timer (self);
  if (change == TFRC_LOSSES_UNCHANGED && overdue
      && self->rtt < TFRC_MIN_FEEDBACK_INTERVAL) {
    wait_for_burst (self);
    return;
  }
  if (change == TFRC_LOSSES_UNCHANGED && !overdue)
    return;
  self->loss_event_rate = calculate_p (self);
  if (self->loss_event_rate > p_before || change == TFRC_LOSSES_REPAIRED
      || overdue)
    expire (self);
}

void
tfrc_receiver_reports_on_deadline (TfrcReceiver *self)
{
  if (self->timer_at <= self->now)
    expire (self);
}

/* RFC 5348 section 6.2.  Without data there is no report, and the timer would
 * start again; but whatever it did then, the next packet makes it expire at
 * once (6.1 step 4).  So it stops: a silent flow wakes nobody. */
static void
expire (TfrcReceiver *self)
{
  if (!self->news) {
    self->silent = true;
    self->timer_rtt = self->rtt;
    self->timer_at = TFRC_TIME_NONE;
    return;
  }
  /* Restarted all the while, the timer would have expired within the last R,
   * so X_recv does not reach back over the silence. */
  if (self->silent)
    tfrc_receive_rate_begin (&self->receive_rate, self->now);
  self->loss_event_rate = calculate_p (self);
  tfrc_receive_rate_on_report (&self->receive_rate, self->timer_rtt, self->now);
  if (tfrc_feedback_share_on_report (&self->share, self->counters.bytes))
    self->counters.feedback_over_share++;
  self->feedback_due = true;
  self->news = false;
  self->silent = false;
  self->timer_at = TFRC_TIME_NONE;
  if (self->rtt > 0)
    start_timer (self);
}

/* RFC 5348 section 6.1 step 4 reports the first packet after silence at once.
 * Where the RTT is below the timer's grain that packet says nothing of the
 * burst behind it, and a second report would follow a tick later: one tells of
 * both.  X_recv is measured from just before the packet. */
static void
wait_for_burst (TfrcReceiver *self)
{
  self->silent = false;
  start_timer (self);
  tfrc_receive_rate_begin (&self->receive_rate,
      tfrc_time_sub (self->now, TFRC_MICROSECOND));
}

static void
start_timer (TfrcReceiver *self)
{
  TfrcDuration interval = tfrc_feedback_share_get_interval (&self->share,
      tfrc_time_max (self->rtt, TFRC_MIN_FEEDBACK_INTERVAL),
      tfrc_receive_rate_get (&self->receive_rate),
      tfrc_segment_size_get (&self->segment_size));

  tfrc_receive_rate_begin (&self->receive_rate, self->now);
  self->timer_rtt = self->rtt;
  self->timer_at = tfrc_time_add (self->now, interval);
}

static double
calculate_p (const TfrcReceiver *self)
{
  return tfrc_loss_history_get_loss_event_rate (&self->history,
      tfrc_loss_detector_get_highest (&self->detector));
}
