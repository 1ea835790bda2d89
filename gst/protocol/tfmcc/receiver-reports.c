/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback timer and CLR of a receiver of TFMCC.  Every receiver may report in
 * every round: those above the sender's rate are suppressed by the ones below
 * it. */
#include "tfmcc/receiver-reports.h"

#include <math.h>

#include "tfmcc/receiver-rate.h"

static void begin_round (TfmccReceiver *self);
static void start_timer (TfmccReceiver *self);
static bool is_timer_running (const TfmccReceiver *self);
static void be_suppressed (TfmccReceiver *self);
static void report_as_clr (TfmccReceiver *self);
static TfrcTime next_clr_report (const TfmccReceiver *self);

void
tfmcc_receiver_reports_on_stamp (TfmccReceiver *self, bool new_round)
{
  tfmcc_clr_term_on_stamp (&self->clr_term);
  tfmcc_suppression_on_max_rtt (&self->suppression, self->newest.max_rtt,
      self->now);
  if (new_round)
    begin_round (self);
  be_suppressed (self);
}

void
tfmcc_receiver_reports_on_clr (TfmccReceiver *self, bool us)
{
  if (!tfmcc_clr_term_on_name (&self->clr_term, us, self->now))
    return;
  self->counters.clr_terms++;
  tfmcc_suppression_cancel (&self->suppression);
}

/* The end of slow start does not wait for the next round: "no later than one
 * feedback delay after the loss" (Widmer and Handley 2001 section 2.6). */
void
tfmcc_receiver_reports_on_first_loss (TfmccReceiver *self)
{
  if (!self->clr_term.serving && !self->leaving
      && self->newest_at != TFRC_TIME_NONE && self->newest.slow_start
      && !is_timer_running (self))
    start_timer (self);
}

void
tfmcc_receiver_reports_on_packet (TfmccReceiver *self)
{
  report_as_clr (self);
}

TfrcTime
tfmcc_receiver_reports_next_deadline (const TfmccReceiver *self)
{
  return tfrc_time_min (next_clr_report (self),
      tfmcc_suppression_next_deadline (&self->suppression));
}

void
tfmcc_receiver_reports_on_deadline (TfmccReceiver *self)
{
  report_as_clr (self);
  if (tfmcc_suppression_expire (&self->suppression, self->newest_at, self->now))
    self->report_due = true;
}

/* RFC 4654 section 4.5. */
static void
begin_round (TfmccReceiver *self)
{
  self->counters.rounds++;
  self->reported_in_round = false;
  tfmcc_suppression_cancel (&self->suppression);
  tfmcc_clr_term_on_round (&self->clr_term,
      tfmcc_suppression_get_span (&self->suppression, self->newest.max_rtt,
          tfmcc_receiver_rate_get_interval (self)),
      self->now);
  if (!self->clr_term.serving && !self->leaving)
    start_timer (self);
}

/* Before the first loss r is X_recv / X_send (Widmer and Handley 2001 section
 * 2.6), since the rate that is reported is a multiple of X_recv. */
static void
start_timer (TfmccReceiver *self)
{
  TfrcDuration interval = tfmcc_receiver_rate_get_interval (self);
  TfrcRate sending_rate =
      tfrc_rate_of (tfrc_segment_size_get (&self->segment_size), interval);
  TfrcRate rate = tfmcc_receiver_get_rate (self);

  if (!self->has_loss)
    sending_rate *= self->config.slow_start_factor;
  tfmcc_suppression_start (&self->suppression, rate, sending_rate,
      self->newest.max_rtt, interval, self->now);
}

static bool
is_timer_running (const TfmccReceiver *self)
{
  return tfmcc_suppression_next_deadline (&self->suppression) != TFRC_TIME_NONE;
}

/* RFC 4654 section 4.5.  A receiver whose RTT is above R_max reports in any
 * case; one with a loss is not suppressed by those without (Widmer and Handley
 * 2001 section 2.6). */
static void
be_suppressed (TfmccReceiver *self)
{
  /* For most packets there is nothing to cancel, and no rate to calculate. */
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

static void
report_as_clr (TfmccReceiver *self)
{
  if (next_clr_report (self) <= self->now)
    self->report_due = true;
}

static TfrcTime
next_clr_report (const TfmccReceiver *self)
{
  return tfmcc_clr_term_next_report (&self->clr_term,
      tfmcc_rtt_get (&self->rtt));
}
