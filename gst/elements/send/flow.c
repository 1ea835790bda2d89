/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Either protocol's sender. */

#include "send/flow.h"

#include <math.h>

#include "common/stats.h"

/* The nofeedback timer waits for four of these: feedback=none never gets one. */
#define NO_REPORT_DELAY (TFRC_TIME_NONE / 64)

#define SECONDS_1900_TO_1970 G_GUINT64_CONSTANT (2208988800)
#define NOTIFY_THRESHOLD 0.01 /* of the last bitrate that was notified */

void
tfrc_send_flow_init (TfrcSendFlow *self)
{
  const TfrcSendFlowConfig config = {
    .unicast = tfrc_sender_config_default ()
  };

  self->max_rate = INFINITY;
  self->arrivals.n_numbered = 0;
  tfrc_send_flow_start (self, &config);
}

void
tfrc_send_flow_start (TfrcSendFlow *self, const TfrcSendFlowConfig *config)
{
  self->is_group = config->mode == GST_TFRC_MODE_TFMCC;
  if (self->is_group) {
    tfmcc_send_flow_init (&self->group, &config->group);
  } else {
    const TfrcReceptionConfig reception = tfrc_reception_config_default ();
    TfrcSenderGuards guards = tfrc_sender_guards_default ();

    /* Reception reports are seconds apart. */
    if (config->feedback != GST_RTP_TFRC_FEEDBACK_RR
        && config->feedback != GST_RTP_TFRC_FEEDBACK_NONE)
      guards.delay_control.target = config->delay_target;
    guards.tolerate_loss = config->tolerate_loss;
    tfrc_guarded_sender_init (&self->unicast.guarded, &config->unicast, guards);
    tfrc_encoder_rate_init (&self->unicast.encoder_rate,
        guards.bound_encoder && guards.delay_control.target == 0);
    tfrc_feedback_format_start (&self->unicast.format, config->feedback);
    tfrc_reception_reports_init (&self->unicast.reception, &reception);
    if (config->feedback == GST_RTP_TFRC_FEEDBACK_RR)
      tfrc_sender_set_report_delay (&self->unicast.guarded.sender,
          tfrc_reception_reports_get_delay (&self->unicast.reception));
    else if (config->feedback == GST_RTP_TFRC_FEEDBACK_NONE)
      tfrc_sender_set_report_delay (&self->unicast.guarded.sender,
          NO_REPORT_DELAY);
    self->unicast.ends_padding = FALSE;
  }
  self->followed = FALSE;
  tfrc_arrivals_start (&self->arrivals, &config->unicast,
      config->ect == TFRC_ECN_ECT_1);
  self->rate_limit = INFINITY;
  self->notified_bitrate = 0;
}

void
tfrc_send_flow_begin_path (TfrcSendFlow *self)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group)
    return;
  tfrc_guarded_sender_begin_path (&unicast->guarded);
  tfrc_encoder_rate_init (&unicast->encoder_rate,
      unicast->encoder_rate.bounded);
  tfrc_feedback_format_start (&unicast->format, unicast->format.wanted);
  tfrc_reception_reports_forget (&unicast->reception);
  unicast->ends_padding = FALSE;
  tfrc_sender_based_forget (&self->arrivals.based);
  tfrc_delay_meter_forget (&self->arrivals.delays);
}

gboolean
tfrc_send_flow_config_has_stamps (const TfrcSendFlowConfig *self)
{
  return self->mode == GST_TFRC_MODE_TFMCC
      || self->feedback == GST_RTP_TFRC_FEEDBACK_AUTO
      || self->feedback == GST_RTP_TFRC_FEEDBACK_TFRC;
}

GstTfrcMode
tfrc_send_flow_get_mode (const TfrcSendFlow *self)
{
  return self->is_group ? GST_TFRC_MODE_TFMCC : GST_TFRC_MODE_TFRC;
}

TfrcTime
tfrc_send_flow_next_send_at (const TfrcSendFlow *self)
{
  return self->is_group
      ? tfmcc_sender_next_send_at (&self->group.sender)
      : tfrc_sender_next_send_at (&self->unicast.guarded.sender);
}

void
tfrc_send_flow_charge (TfrcSendFlow *self, const TfrcSentRtp *packet,
    gboolean backlog, TfrcStampBytes *stamp, TfrcTime now)
{
  TfrcStamp sent;

  if (self->is_group) {
    tfmcc_send_flow_charge (&self->group, packet->size, backlog, stamp, now);
    return;
  }
  sent = packet->probe
      ? tfrc_guarded_sender_on_probe_sent (&self->unicast.guarded, packet->size,
            now)
      : tfrc_guarded_sender_on_sent (&self->unicast.guarded, packet->size,
            backlog, now);
  if (self->unicast.format.wanted != GST_RTP_TFRC_FEEDBACK_TFRC)
    tfrc_arrivals_on_sent (&self->arrivals, packet, &sent, now);
  else
    self->arrivals.n_numbered += packet->transport_numbered;
  tfrc_wire_write_stamp (stamp->data, &sent);
  stamp->size = TFRC_WIRE_EXTENSION_SIZE;
}

void
tfrc_send_flow_take_back (TfrcSendFlow *self, guint n)
{
  if (self->is_group)
    return;
  if (self->unicast.format.wanted != GST_RTP_TFRC_FEEDBACK_TFRC)
    tfrc_arrivals_take_back (&self->arrivals, n);
  else
    self->arrivals.n_numbered -= n;
}

gboolean
tfrc_send_flow_admits (const TfrcSendFlow *self, GstRtpTfrcFeedback format,
    TfrcTime now)
{
  return !self->is_group
      && tfrc_feedback_format_admits (&self->unicast.format, format, now);
}

static TfrcResult
give_feedback (TfrcSendFlow *self, GstRtpTfrcFeedback format,
    const TfrcFeedback *feedback, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;
  TfrcResult result;

  tfrc_encoder_rate_advance (&unicast->encoder_rate, &unicast->guarded.sender,
      now);
  result = tfrc_guarded_sender_on_feedback (&unicast->guarded, feedback, now);
  if (result != TFRC_OK)
    return result;
  tfrc_encoder_rate_on_report (&unicast->encoder_rate, &unicast->guarded.sender,
      now);
  tfrc_feedback_format_on_accepted (&unicast->format, format, now);
  if (feedback->has_delay || format != GST_RTP_TFRC_FEEDBACK_TFRC)
    unicast->ends_padding = format == GST_RTP_TFRC_FEEDBACK_TFRC
        && feedback->delay.ends_padding;
  if (format != GST_RTP_TFRC_FEEDBACK_RR)
    tfrc_reception_reports_forget (&unicast->reception);
  return TFRC_OK;
}

TfrcResult
tfrc_send_flow_on_feedback (TfrcSendFlow *self, const TfrcFeedback *feedback,
    TfrcTime now)
{
  if (self->is_group)
    return TFRC_INVALID;
  tfrc_sender_set_report_delay (&self->unicast.guarded.sender, 0);
  return give_feedback (self, GST_RTP_TFRC_FEEDBACK_TFRC, feedback, now);
}

TfrcResult
tfrc_send_flow_on_arrivals (TfrcSendFlow *self, TfrcArrivalReader *reader,
    TfrcTime now)
{
  TfrcArrivals *arrivals = &self->arrivals;
  const TfrcSenderBased *based = &arrivals->based;
  uint64_t accepted = based->receiver.counters.packets;
  uint64_t unknown = based->counters.packets_unknown;
  TfrcFeedback feedback;
  TfrcResult result;
  gboolean ok = FALSE;

  if (self->is_group)
    return TFRC_INVALID;
  result = tfrc_arrivals_begin_report (arrivals, reader, now);
  if (result != TFRC_OK)
    return result;
  while (tfrc_arrivals_poll_feedback (arrivals, reader, &feedback)) {
    tfrc_sender_set_report_delay (&self->unicast.guarded.sender,
        tfrc_sender_based_get_report_delay (based));
    result = give_feedback (self, reader->format, &feedback, now);
    ok |= result == TFRC_OK;
  }
  if (ok || result != TFRC_OK)
    return ok ? TFRC_OK : result;
  /* No feedback came of it. */
  return accepted == based->receiver.counters.packets
          && unknown < based->counters.packets_unknown
      ? TFRC_INVALID
      : TFRC_DUPLICATE;
}

/* RFC 3550 section 4: the middle 32 of 64 bits of seconds since 1900. */
static guint32
to_middle_of_ntp (gint64 real_time)
{
  guint64 seconds = (guint64) real_time / G_USEC_PER_SEC + SECONDS_1900_TO_1970;
  guint64 rest = (guint64) real_time % G_USEC_PER_SEC;

  return (guint32) (seconds << 16 | (rest << 16) / G_USEC_PER_SEC);
}

TfrcResult
tfrc_send_flow_on_blocks (TfrcSendFlow *self, const RtpReportBlock *blocks,
    guint n, gint64 real_time, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;
  TfrcFeedback feedback;
  TfrcResult result;

  if (self->is_group)
    return TFRC_INVALID;
  result = tfrc_reception_reports_on_blocks (&unicast->reception, blocks, n,
      &unicast->guarded.sender, &self->arrivals.based,
      to_middle_of_ntp (real_time), &feedback, now);
  if (result != TFRC_OK)
    return result;
  tfrc_sender_set_report_delay (&unicast->guarded.sender,
      tfrc_reception_reports_get_delay (&unicast->reception));
  return give_feedback (self, GST_RTP_TFRC_FEEDBACK_RR, &feedback, now);
}

void
tfrc_send_flow_on_bye (TfrcSendFlow *self, guint32 ssrc)
{
  if (!self->is_group)
    tfrc_reception_reports_on_bye (&self->unicast.reception, ssrc);
}

gboolean
tfrc_send_flow_excludes (const TfrcSendFlow *self, guint32 ssrc)
{
  return self->is_group
      && tfmcc_reporters_is_excluded (&self->group.reporters, ssrc);
}

TfrcResult
tfrc_send_flow_on_report (TfrcSendFlow *self, const TfmccReport *report,
    const gchar *address, TfrcTime now)
{
  return self->is_group
      ? tfmcc_send_flow_on_report (&self->group, report, address, now)
      : TFRC_INVALID;
}

TfrcTime
tfrc_send_flow_next_deadline (const TfrcSendFlow *self)
{
  return self->is_group
      ? tfmcc_send_flow_next_deadline (&self->group)
      : tfrc_guarded_sender_next_deadline (&self->unicast.guarded);
}

void
tfrc_send_flow_on_deadline (TfrcSendFlow *self, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group) {
    tfmcc_send_flow_on_deadline (&self->group, now);
  } else if (tfrc_guarded_sender_next_deadline (&unicast->guarded) <= now) {
    tfrc_encoder_rate_advance (&unicast->encoder_rate, &unicast->guarded.sender,
        now);
    tfrc_guarded_sender_on_deadline (&unicast->guarded, now);
  }
}

static void
update_wanted_rate (TfrcSendFlow *self)
{
  if (!self->is_group)
    self->unicast.guarded.wanted_rate = self->followed ? self->max_rate : 0;
}

void
tfrc_send_flow_set_bounds (TfrcSendFlow *self, TfrcRate min_rate,
    TfrcRate max_rate)
{
  self->max_rate = max_rate;
  update_wanted_rate (self);
  if (self->is_group)
    tfmcc_sender_set_min_rate (&self->group.sender, min_rate);
}

void
tfrc_send_flow_set_followed (TfrcSendFlow *self, gboolean followed)
{
  self->followed = followed;
  update_wanted_rate (self);
}

gboolean
tfrc_send_flow_is_probing (const TfrcSendFlow *self)
{
  return !self->is_group && tfrc_probing_is_on (&self->unicast.guarded.probing);
}

gboolean
tfrc_send_flow_takes_padding (const TfrcSendFlow *self)
{
  return !self->is_group && self->unicast.ends_padding;
}

void
tfrc_send_flow_set_rate_limit (TfrcSendFlow *self, TfrcRate limit)
{
  if (!self->is_group && limit != self->rate_limit)
    tfrc_sender_set_max_rate (&self->unicast.guarded.sender, limit);
  self->rate_limit = limit;
}

TfrcDuration
tfrc_send_flow_get_two_packets_time (TfrcSendFlow *self, TfrcTime now)
{
  TfrcRate rate = self->is_group
      ? tfmcc_sender_get_rate (&self->group.sender, now)
      : tfrc_sender_get_pacing_rate (&self->unicast.guarded.sender);
  gdouble size = tfrc_segment_size_get (self->is_group
          ? &self->group.sender.segment_size
          : &self->unicast.guarded.sender.segment_size);

  return tfrc_rate_time_for (rate, 2 * size);
}

TfrcDuration
tfrc_send_flow_get_rtt (const TfrcSendFlow *self)
{
  return self->is_group ? 0 : self->unicast.guarded.sender.rtt.rtt;
}

TfrcDuration
tfrc_send_flow_get_repair_time (const TfrcSendFlow *self)
{
  return self->is_group ? self->group.sender.round.max_rtt
                        : tfrc_send_flow_get_rtt (self);
}

gdouble
tfrc_send_flow_get_loss_event_rate (const TfrcSendFlow *self)
{
  if (self->is_group)
    return self->group.loss_event_rate;
  return self->unicast.format.current == GST_RTP_TFRC_FEEDBACK_TFRC
      ? self->unicast.guarded.sender.loss_event_rate
      : 0;
}

TfrcDuration
tfrc_send_flow_get_round_time (const TfrcSendFlow *self)
{
  if (self->is_group)
    return 2 * tfmcc_round_get_span (&self->group.sender.round);
  if (self->unicast.format.wanted == GST_RTP_TFRC_FEEDBACK_NONE)
    return TFRC_TIME_NONE;
  return self->unicast.format.current == GST_RTP_TFRC_FEEDBACK_RR
      ? 4 * tfrc_reception_reports_get_delay (&self->unicast.reception)
      : 0;
}

gboolean
tfrc_send_flow_has_receiver (const TfrcSendFlow *self)
{
  TfrcSenderState state;

  if (self->is_group)
    return tfmcc_send_flow_has_receiver (&self->group);
  /* Neither is the first report out nor has the nofeedback timer expired since
   * the newest. */
  state = self->unicast.guarded.sender.state;
  return state != TFRC_SENDER_WAITING && state != TFRC_SENDER_NO_FEEDBACK;
}

gboolean
tfrc_send_flow_poll_bitrate (TfrcSendFlow *self, guint *bitrate, TfrcTime now)
{
  TfrcRate rate = self->is_group
      ? tfmcc_sender_get_rate (&self->group.sender, now)
      : tfrc_sender_get_send_rate (&self->unicast.guarded.sender);
  guint64 bits = tfrc_rate_to_bits (MIN (rate, self->max_rate));

  *bitrate = (guint) MIN (bits, G_MAXUINT);
  if (fabs ((gdouble) *bitrate - self->notified_bitrate)
      <= NOTIFY_THRESHOLD * self->notified_bitrate)
    return FALSE;
  self->notified_bitrate = *bitrate;
  return TRUE;
}

gboolean
tfrc_send_flow_get_encoder_rate (TfrcSendFlow *self, TfrcRate *rate,
    TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group) {
    *rate = tfmcc_send_flow_get_encoder_rate (&self->group, now);
  } else {
    tfrc_encoder_rate_advance (&unicast->encoder_rate, &unicast->guarded.sender,
        now);
    *rate = tfrc_encoder_rate_get (&unicast->encoder_rate);
    if (*rate == 0 && unicast->guarded.sender.config.start_rate > 0)
      *rate = tfrc_sender_get_send_rate (&unicast->guarded.sender);
  }
  *rate = MIN (*rate, self->max_rate);
  return *rate > 0;
}

gboolean
tfrc_send_flow_poll_clr_news (TfrcSendFlow *self, TfmccClrNews *news)
{
  return self->is_group && tfmcc_send_flow_poll_news (&self->group, news);
}

static void
set_reception_stats (const TfrcReceptionCounters *counters, GstStructure *stats)
{
  tfrc_stats_set (stats, "reception-reports", counters->reports);
  tfrc_stats_set (stats, "reception-reports-invalid",
      counters->reports_invalid);
}

void
tfrc_send_flow_set_stats (TfrcSendFlow *self, GstStructure *stats, TfrcTime now)
{
  TfrcTrace trace = { 0 };

  if (self->is_group)
    tfmcc_send_flow_get_trace (&self->group, &trace, now);
  else
    tfrc_guarded_sender_get_trace (&self->unicast.guarded, &trace, now);
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_SENDER);
  tfrc_stats_set (stats, "mode", self->is_group ? "tfmcc" : "tfrc");
  if (self->is_group) {
    tfmcc_send_flow_set_stats (&self->group, stats, now);
    return;
  }
  tfrc_feedback_format_set_stats (&self->unicast.format, stats);
  tfrc_arrivals_set_stats (&self->arrivals, stats);
  tfrc_stats_set (stats, "padding-probes",
      self->unicast.guarded.probing.counters.probes);
  tfrc_stats_set (stats, "padding-bytes",
      self->unicast.guarded.probing.counters.bytes);
  set_reception_stats (&self->unicast.reception.counters, stats);
}
