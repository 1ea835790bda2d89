/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFMCC's sender in a flow. */

#include "send/group-flow.h"

#include <math.h>

#include "common/stats.h"
#include "tfrc/equation.h"
#include "tfrc/sender.h"

/* p of one report is as wrong as twice the error of its round trip, which is most
 * of a short one: a mean over so long. */
#define LOSS_AVERAGE (1 * TFRC_SECOND)

/* A receiver has lost nothing any more when packets are further apart than 10
 * RTTs (RFC 4654 section 4.3.1), so at short ones with every frame. */
#define LOSS_MEMORY (5 * TFRC_SECOND)

void
tfmcc_send_flow_init (TfmccSendFlow *self, const TfmccSenderConfig *config)
{
  TfmccReportGuardConfig guard = tfmcc_report_guard_config_default ();

  *self = (TfmccSendFlow) { 0 };
  tfmcc_sender_init (&self->sender, config);
  tfmcc_report_guard_init (&self->guard, &guard);
  self->lost_at = TFRC_TIME_NONE;
}

void
tfmcc_send_flow_charge (TfmccSendFlow *self, guint size, gboolean backlog,
    TfrcStampBytes *stamp, TfrcTime now)
{
  TfmccStamp sent = tfmcc_sender_on_sent (&self->sender, size, backlog, now);

  *stamp = (TfrcStampBytes) { 0 };
  stamp->size = (guint) tfmcc_wire_write_stamp (stamp->data, &sent);
}

/* Reports have none: the p at which the equation gives X_r of the CLR. */
static gdouble
get_loss_event_rate (const TfmccSendFlow *self)
{
  const TfmccLimiter *clr = tfmcc_sender_get_clr (&self->sender);
  TfrcPath path =
      tfrc_path_rfc5348 (tfrc_segment_size_get (&self->sender.segment_size),
          clr->rtt);

  return tfrc_equation_loss_event_rate (&path, clr->rate);
}

/* The CLR reports a rate at a loss. */
static void
on_loss (TfmccSendFlow *self, TfrcTime now)
{
  gdouble weight = 1;

  if (self->lost_at != TFRC_TIME_NONE) {
    gdouble since = (gdouble) tfrc_time_since (self->lost_at, now);

    weight = since / (since + LOSS_AVERAGE);
  }
  self->loss_event_rate += weight
      * (get_loss_event_rate (self) - self->loss_event_rate);
  self->lost_at = now;
}

static void
add_news (TfmccSendFlow *self, const gchar *reason, TfrcTime now)
{
  const TfmccLimiter *clr = tfmcc_sender_get_clr (&self->sender);
  TfmccClrNews news = {
    .ssrc = clr != NULL ? clr->ssrc : 0,
    .previous_ssrc = self->told_ssrc,
    .rate = clr != NULL ? clr->rate
                        : tfmcc_sender_get_rate (&self->sender, now),
    .rtt = clr != NULL ? clr->rtt : 0,
    .reason = reason,
  };

  if (self->n_news == TFMCC_SEND_FLOW_MAX_NEWS)
    news.previous_ssrc = self->news[--self->n_news].previous_ssrc;
  self->news[self->n_news++] = news;
  self->told_ssrc = news.ssrc;
}

/* The CLR has gone; `reason` if nobody has taken its place. */
static void
add_end_of_clr (TfmccSendFlow *self, const gchar *reason, TfrcTime now)
{
  gboolean succeeded = tfmcc_sender_get_clr (&self->sender) != NULL;

  add_news (self, succeeded ? "succeeded" : reason, now);
}

/* NULL: it is who it was. */
static const gchar *
get_reason (TfmccClrChange change)
{
  switch (change) {
    case TFMCC_CLR_UNCHANGED:
    case TFMCC_CLR_REPORTED:
      return NULL;
    case TFMCC_CLR_FIRST:
      return "first";
    case TFMCC_CLR_LOWER:
      return "lower";
    case TFMCC_CLR_SUCCEEDED:
      return "succeeded";
  }
  return NULL;
}

TfrcResult
tfmcc_send_flow_on_report (TfmccSendFlow *self, const TfmccReport *report,
    const gchar *address, TfrcTime now)
{
  TfrcDuration rtt = tfmcc_sender_measure_rtt (&self->sender, report, now);
  const gchar *reason;
  TfrcResult result;

  if (tfmcc_reporters_is_excluded (&self->reporters, report->ssrc)) {
    self->reporters.reports_excluded++;
    return TFRC_STALE;
  }
  result = tfmcc_report_guard_on_report (&self->guard, &self->sender, report,
      now);
  if (result != TFRC_OK)
    return result;
  tfmcc_reporters_on_report (&self->reporters, report, rtt, address,
      self->sender.config.min_rate, now);
  reason = get_reason (self->sender.clr_change);
  if (reason != NULL)
    add_news (self, reason, now);
  if (report->has_loss && tfmcc_clr_choice_is (&self->sender.clr, report->ssrc))
    on_loss (self, now);
  return result;
}

gboolean
tfmcc_send_flow_exclude (TfmccSendFlow *self, guint32 ssrc, TfrcTime now)
{
  gboolean was_clr = tfmcc_clr_choice_is (&self->sender.clr, ssrc);

  if (!tfmcc_reporters_exclude (&self->reporters, ssrc))
    return FALSE;
  tfmcc_sender_forget (&self->sender, ssrc, now);
  if (was_clr)
    add_end_of_clr (self, "excluded", now);
  return TRUE;
}

TfrcTime
tfmcc_send_flow_next_deadline (const TfmccSendFlow *self)
{
  return self->n_news > 0 ? 0 : tfmcc_sender_next_deadline (&self->sender);
}

void
tfmcc_send_flow_on_deadline (TfmccSendFlow *self, TfrcTime now)
{
  TfmccClrChoice before = self->sender.clr;

  tfmcc_sender_on_deadline (&self->sender, now);
  if (before.known
      && !tfmcc_clr_choice_is (&self->sender.clr, before.limiter.ssrc))
    add_end_of_clr (self, before.leaving ? "left" : "timeout", now);
  if (self->lost_at != TFRC_TIME_NONE
      && tfrc_time_since (self->lost_at, now) > LOSS_MEMORY) {
    self->lost_at = TFRC_TIME_NONE;
    self->loss_event_rate = 0;
  }
}

gboolean
tfmcc_send_flow_has_receiver (const TfmccSendFlow *self)
{
  return tfmcc_sender_get_clr (&self->sender) != NULL;
}

TfrcRate
tfmcc_send_flow_get_encoder_rate (const TfmccSendFlow *self, TfrcTime now)
{
  return tfmcc_sender_get_rate (&self->sender, now);
}

gboolean
tfmcc_send_flow_poll_news (TfmccSendFlow *self, TfmccClrNews *news)
{
  if (self->n_news == 0)
    return FALSE;
  *news = self->news[0];
  self->n_news--;
  memmove (self->news, self->news + 1, self->n_news * sizeof self->news[0]);
  return TRUE;
}

/* In the words of TFRC: nobody has reported yet, nobody has lost anything, the
 * CLR's rate rules, or there is none. */
static TfrcSenderState
get_state (const TfmccSendFlow *self)
{
  if (self->sender.counters.reports == 0)
    return TFRC_SENDER_WAITING;
  if (tfmcc_sender_get_clr (&self->sender) == NULL)
    return TFRC_SENDER_NO_FEEDBACK;
  return self->sender.slow_start ? TFRC_SENDER_SLOW_START
                                 : TFRC_SENDER_EQUATION;
}

void
tfmcc_send_flow_get_trace (const TfmccSendFlow *self, TfrcTrace *trace,
    TfrcTime now)
{
  const TfmccSender *sender = &self->sender;
  const TfmccLimiter *clr = tfmcc_sender_get_clr (sender);
  TfmccSenderCounters counters = tfmcc_sender_get_counters (sender);
  TfrcRate rate = tfmcc_sender_get_rate (sender, now);

  *trace = (TfrcTrace) {
    .at = now,
    .allowed_rate = rate,
    .instant_rate = rate,
    .equation_rate = clr != NULL ? clr->rate : INFINITY,
    .receive_limit = INFINITY,
    .loss_event_rate = self->loss_event_rate,
    .rtt = clr != NULL ? clr->rtt : 0,
    .segment_size = tfrc_segment_size_get (&sender->segment_size),
    .state = get_state (self),
    .data_limited = sender->application_limited,
    .packets = counters.packets,
    .bytes = counters.bytes,
    .feedback = counters.reports,
    .feedback_invalid = counters.reports_invalid,
    .nofeedback_expiries = counters.starvations,
  };
}

void
tfmcc_send_flow_set_stats (const TfmccSendFlow *self, GstStructure *stats,
    TfrcTime now)
{
  const TfmccSender *sender = &self->sender;
  const TfmccLimiter *clr = tfmcc_sender_get_clr (sender);
  TfmccSenderCounters counters = tfmcc_sender_get_counters (sender);
  TfrcRate suppression = sender->round.suppression_rate;

  tfrc_stats_add (stats, TFRC_STATS_SEND_GROUP);
  tfrc_stats_set (stats, "clr-ssrc", clr != NULL ? clr->ssrc : 0);
  tfrc_stats_set (stats, "clr-bitrate",
      clr != NULL ? tfrc_rate_to_bits (clr->rate) : 0);
  tfrc_stats_set (stats, "clr-rtt-ns", clr != NULL ? clr->rtt : 0);
  tfrc_stats_set (stats, "round", counters.rounds);
  tfrc_stats_set (stats, "max-rtt-ns", sender->round.max_rtt);
  tfrc_stats_set (stats, "suppression-bitrate",
      isfinite (suppression) ? tfrc_rate_to_bits (suppression) : 0);
  tfrc_stats_set (stats, "slow-start", sender->slow_start);
  tfrc_stats_set (stats, "reports", counters.reports);
  tfrc_stats_set (stats, "reports-clr", counters.reports_clr);
  tfrc_stats_set (stats, "reports-without-rtt", counters.reports_without_rtt);
  tfrc_stats_set (stats, "reports-invalid", counters.reports_invalid);
  tfrc_stats_set (stats, "reports-limited", self->guard.counters.limited);
  tfrc_stats_set (stats, "reports-colliding", self->guard.counters.colliding);
  tfrc_stats_set (stats, "reports-below-floor", counters.reports_below_floor);
  tfrc_stats_set (stats, "reports-rtt-bounded",
      self->guard.counters.rtt_bounded);
  tfrc_stats_set (stats, "receivers-seen",
      (guint64) tfmcc_report_guard_get_receivers (&self->guard, sender->now));
  tfrc_stats_set (stats, "echoes-dropped", sender->echoes.dropped);
  tfrc_stats_set (stats, "clr-changes", counters.clr_changes);
  tfrc_stats_set (stats, "clr-timeouts", counters.clr_timeouts);
  tfrc_stats_set (stats, "starvations", counters.starvations);
  tfrc_stats_set (stats, "leaves", counters.leaves);
  tfmcc_reporters_set_stats (&self->reporters, stats, now);
}
