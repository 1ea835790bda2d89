/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/flow.h"

#include <math.h>

#include "common/repair-types.h"
#include "common/stats.h"
#include "tfrc/sender.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* Report delay of a receiver that never reports (feedback=none).  The nofeedback timer
 * waits for four of these, so it never expires. */
#define NO_REPORT_DELAY (TFRC_TIME_NONE / 64)
/* Transport-wide feedback begins with the receiver's first RTCP packet, 1 to 3.1 s after
 * it started (RFC 3550 section 6.2: half of 5 s, times 0.5 to 1.5, divided by 1.21828). */
#define TWCC_FIRST_REPORT_DELAY TFRC_SECOND

#define SECONDS_1900_TO_1970 G_GUINT64_CONSTANT (2208988800)
/* The reporter SSRC of an rtpsession before its first regular RTCP packet, seconds after
 * the first media packet.  After that packet it still sends the reports collected before,
 * all but the oldest without its SSRC. */
#define NO_SSRC 0xFFFFFFFFu
/* The slowest receiver is reported after so long, and so often at most, as is the flow
 * that limits a shared encoder (encoder/binding.c). */
#define SLOWEST_TIME TFRC_SECOND
#define SLOWEST_INTERVAL (10 * TFRC_SECOND)
#define NOTIFY_THRESHOLD 0.01 /* part of the last notified bitrate */

/* An interval begins and ends when a push that had to wait returns: downstream buffers
 * are full at both times, so what was pushed in between is what the sink accepted. */
#define INTERVAL TFRC_SECOND
#define LONGEST_INTERVAL (10 * TFRC_SECOND)
/* Shorter delays are due to scheduling. */
#define MIN_WAIT (20 * TFRC_MILLISECOND)
/* A pad blocked once, as for a client that has not sent PLAY yet, is not a full
 * connection. */
#define MIN_WAITS 3
/* Tolerates the burst of a key frame. */
#define MORE 1.15
#define DECREASE 0.9
#define INCREASE 1.15 /* per second */
#define NO_LIMIT 4.0

void
tfrc_back_pressure_init (TfrcBackPressure *self)
{
  *self = (TfrcBackPressure) { .limit = INFINITY };
}

void
tfrc_back_pressure_on_pushed (TfrcBackPressure *self, gsize bytes,
    TfrcTime began, TfrcTime now)
{
  TfrcDuration elapsed = tfrc_time_since (self->begun_at, now);

  if (!isinf (self->limit))
    self->limit *= pow (INCREASE,
        tfrc_duration_to_seconds (tfrc_time_since (self->grown_at, now)));
  if (self->limit >= NO_LIMIT * self->taken)
    self->limit = INFINITY;
  self->grown_at = now;
  self->went_out += bytes;
  if (tfrc_time_since (began, now) < MIN_WAIT)
    return;
  self->n_waits++;
  if (self->begun_at != 0 && elapsed <= LONGEST_INTERVAL) {
    if (elapsed < INTERVAL || self->n_waits < MIN_WAITS)
      return;
    if ((gdouble) self->came_in > MORE * (gdouble) self->went_out) {
      self->taken = tfrc_rate_of ((gdouble) self->went_out, elapsed);
      self->limit = DECREASE * self->taken;
      GST_INFO ("what leaves is taken slowly: rate_bytes_s=%.0f "
                "came_in=%" G_GUINT64_FORMAT " went_out=%" G_GUINT64_FORMAT,
          self->taken, self->came_in, self->went_out);
    }
  }
  self->begun_at = now;
  self->came_in = self->went_out = 0;
  self->n_waits = 0;
}

void
tfrc_send_flow_init (TfrcSendFlow *self)
{
  const TfrcSendFlowConfig config = {
    .unicast = tfrc_sender_config_default ()
  };

  self->max_rate = INFINITY;
  self->slowest = g_new0 (TfrcSendReceiver, 1);
  self->others = (TfrcSendReceivers) { 0 };
  tfrc_send_flow_start (self, &config);
}

void
tfrc_send_flow_clear (TfrcSendFlow *self)
{
  tfrc_send_receivers_clear (&self->others);
  g_free (self->slowest);
}

/* Used until the first report shows the actual delay. */
static TfrcDuration
get_first_report_delay (const TfrcUnicast *self)
{
  switch (self->format.wanted) {
    case GST_RTP_TFRC_FEEDBACK_RR:
      return tfrc_reception_reports_get_delay (&self->reception);
    case GST_RTP_TFRC_FEEDBACK_TWCC:
      return TWCC_FIRST_REPORT_DELAY;
    case GST_RTP_TFRC_FEEDBACK_NONE:
      return NO_REPORT_DELAY;
    default:
      return self->hears_session
          ? tfrc_reception_reports_get_delay (&self->reception)
          : 0;
  }
}

void
tfrc_send_flow_start (TfrcSendFlow *self, const TfrcSendFlowConfig *config)
{
  self->is_group = config->mode == GST_TFRC_MODE_TFMCC;
  tfrc_send_receivers_clear (&self->others);
  if (self->is_group) {
    tfmcc_send_flow_init (&self->group, &config->group);
    self->group.follows_rr = config->feedback == GST_RTP_TFRC_FEEDBACK_AUTO
        || config->feedback == GST_RTP_TFRC_FEEDBACK_RR;
  } else {
    const TfrcReceptionConfig reception = tfrc_reception_config_default ();
    TfrcSenderChecks checks = tfrc_sender_checks_default ();

    /* Delay control needs frequent reports; reception reports are seconds apart. */
    if (config->feedback != GST_RTP_TFRC_FEEDBACK_RR
        && config->feedback != GST_RTP_TFRC_FEEDBACK_NONE)
      checks.delay_target = config->delay_target;
    checks.tolerate_loss = config->tolerate_loss;
    tfrc_checked_sender_init (&self->slowest->checked, &config->unicast,
        checks);
    tfrc_encoder_rate_init (&self->slowest->encoder_rate);
    self->unicast.format = (TfrcFeedbackFormat) { .wanted = config->feedback };
    tfrc_reception_reports_init (&self->unicast.reception, &reception);
    self->unicast.hears_session = config->hears_session;
    tfrc_sender_set_report_delay (&self->slowest->checked.sender,
        get_first_report_delay (&self->unicast));
    self->unicast.ends_padding = FALSE;
    self->unicast.left_to_tcp = FALSE;
  }
  self->followed = FALSE;
  tfrc_packet_feedback_start (&self->slowest->packet_feedback, &config->unicast,
      config->ect == TFRC_ECN_ECT_1);
  self->rate_limit = INFINITY;
  tfrc_back_pressure_init (&self->back_pressure);
  self->slowest_ssrc = self->posted_ssrc = self->twcc_ssrc = 0;
  self->posted_at = 0;
  self->resumed_at = 0;
  self->recent_rate = 0.0;
  self->notified_bitrate = 0;
}

/* Restarts the sender as if nothing had been sent. */
static void
begin_anew (TfrcCheckedSender *self, TfrcRate start_rate,
    TfrcDuration report_delay)
{
  TfrcSenderConfig config = self->sender.config;

  config.start_rate = start_rate;
  tfrc_checked_sender_init (self, &config, self->checks);
  tfrc_sender_set_report_delay (&self->sender, report_delay);
}

gboolean
tfrc_send_flow_set_in_tcp (TfrcSendFlow *self, gboolean in_tcp, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group || unicast->format.wanted == GST_RTP_TFRC_FEEDBACK_NONE
      || in_tcp == unicast->left_to_tcp
      || (in_tcp && tfrc_send_flow_has_receiver (self)))
    return FALSE;
  if (in_tcp) {
    unicast->start_rate_before =
        self->slowest->checked.sender.config.start_rate;
    unicast->in_tcp_since = now;
    unicast->bytes_in_tcp = 0;
    begin_anew (&self->slowest->checked,
        MIN (self->max_rate, TFRC_SEND_UNBOUND_RATE), NO_REPORT_DELAY);
  } else {
    begin_anew (&self->slowest->checked, unicast->start_rate_before,
        get_first_report_delay (unicast));
  }
  unicast->left_to_tcp = in_tcp;
  self->recent_rate = 0.0;
  return TRUE;
}

TfrcSendControl
tfrc_send_flow_get_control (const TfrcSendFlow *self)
{
  if (self->is_group || !self->unicast.left_to_tcp)
    return TFRC_SEND_CONTROLLED;
  return isinf (self->back_pressure.limit)
      ? TFRC_SEND_LEFT_TO_TCP
      : TFRC_SEND_BOUND_BY_TCP;
}

void
tfrc_send_flow_begin_path (TfrcSendFlow *self)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group)
    return;
  self->recent_rate = 0.0;
  tfrc_send_receivers_clear (&self->others);
  tfrc_checked_sender_begin_path (&self->slowest->checked);
  tfrc_encoder_rate_init (&self->slowest->encoder_rate);
  unicast->format = (TfrcFeedbackFormat) { .wanted = unicast->format.wanted };
  tfrc_reception_reports_forget (&unicast->reception);
  unicast->ends_padding = FALSE;
  tfrc_sender_based_forget (&self->slowest->packet_feedback.based);
  tfrc_delay_meter_forget (&self->slowest->packet_feedback.delays);
}

TfrcTime
tfrc_send_flow_next_send_at (const TfrcSendFlow *self)
{
  return self->is_group
      ? tfmcc_sender_next_send_at (&self->group.sender)
      : tfrc_sender_next_send_at (&self->slowest->checked.sender);
}

static void
look_for_report (TfrcSendFlow *self, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;
  TfrcSender *sender = &self->slowest->checked.sender;

  if (unicast->format.current != GST_RTP_TFRC_FEEDBACK_RR
      || !tfrc_reception_reports_poll_missed (&unicast->reception, sender,
          &self->slowest->packet_feedback.based))
    return;
  tfrc_encoder_rate_advance (&self->slowest->encoder_rate, sender, now);
  tfrc_sender_set_report_delay (sender,
      tfrc_reception_reports_get_delay (&unicast->reception));
  tfrc_sender_on_missed_report (sender, now);
}

void
tfrc_send_flow_charge (TfrcSendFlow *self, const TfrcSentRtp *packet,
    gboolean backlog, TfrcExtensionBytes *extension, TfrcTime now)
{
  TfrcExtension sent;

  if (self->is_group) {
    const TfrcExtension none = { 0 };

    tfmcc_send_flow_charge (&self->group, packet->size, backlog, extension,
        now);
    if (self->group.follows_rr)
      tfrc_sender_based_on_sent (&self->slowest->packet_feedback.based,
          packet->ssrc, packet->seq, packet->size, &none, now);
    return;
  }
  if (self->unicast.left_to_tcp)
    self->unicast.bytes_in_tcp += packet->size;
  sent = packet->probe
      ? tfrc_checked_sender_on_probe_sent (&self->slowest->checked,
            packet->size, now)
      : tfrc_checked_sender_on_sent (&self->slowest->checked, packet->size,
            backlog, now);
  if (packet->ends_frame)
    tfrc_checked_sender_on_frame_end (&self->slowest->checked, now);
  tfrc_send_receivers_on_sent (&self->others, packet, sent.rtt, now);
  if (self->unicast.format.wanted != GST_RTP_TFRC_FEEDBACK_TFRC)
    tfrc_packet_feedback_on_sent (&self->slowest->packet_feedback, packet,
        &sent, now);
  else
    self->slowest->packet_feedback.n_numbered += packet->transport_numbered;
  look_for_report (self, now);
  tfrc_wire_write_extension (extension->data, &sent);
  extension->size = TFRC_WIRE_EXTENSION_SIZE;
}

void
tfrc_send_flow_take_back (TfrcSendFlow *self, guint n)
{
  if (self->is_group)
    return;
  tfrc_send_receivers_take_back (&self->others, n);
  if (self->unicast.format.wanted != GST_RTP_TFRC_FEEDBACK_TFRC)
    tfrc_packet_feedback_take_back (&self->slowest->packet_feedback, n);
  else
    self->slowest->packet_feedback.n_numbered -= n;
}

gboolean
tfrc_send_flow_admits (const TfrcSendFlow *self, GstRtpTfrcFeedback format,
    TfrcTime now)
{
  return self->is_group
      ? format == GST_RTP_TFRC_FEEDBACK_RR
      : tfrc_feedback_format_admits (&self->unicast.format, format, now);
}

static TfrcResult
give_feedback (TfrcSendFlow *self, GstRtpTfrcFeedback format,
    const TfrcFeedback *feedback, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;
  TfrcResult result;

  tfrc_encoder_rate_advance (&self->slowest->encoder_rate,
      &self->slowest->checked.sender, now);
  /* The sender starts at the rate that the encoder made inside TCP. */
  if (unicast->left_to_tcp && unicast->bytes_in_tcp > 0)
    tfrc_sender_set_start_rate (&self->slowest->checked.sender,
        tfrc_rate_of ((double) unicast->bytes_in_tcp,
            tfrc_time_since (unicast->in_tcp_since, now)));
  result = tfrc_checked_sender_on_feedback (&self->slowest->checked, feedback,
      now);
  if (result != TFRC_OK)
    return result;
  tfrc_encoder_rate_on_report (&self->slowest->encoder_rate,
      &self->slowest->checked.sender, now);
  tfrc_feedback_format_on_accepted (&unicast->format, format, now);
  unicast->left_to_tcp = FALSE;
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
  tfrc_sender_set_report_delay (&self->slowest->checked.sender, 0);
  return give_feedback (self, GST_RTP_TFRC_FEEDBACK_TFRC, feedback, now);
}

static void
choose_receiver (TfrcSendFlow *self, gboolean gone, TfrcTime now)
{
  if (tfrc_send_receivers_choose (&self->others, &self->slowest, gone, now))
    tfrc_sender_set_max_rate (&self->slowest->checked.sender, self->rate_limit);
}

static void
name_reporter (TfrcSendFlow *self, TfrcPacketFeedbackReader *reader)
{
  guint32 *ssrc = &reader->report.reporter_ssrc;

  if (reader->format != GST_RTP_TFRC_FEEDBACK_TWCC || reader->is_event)
    return;
  if (*ssrc == NO_SSRC && self->twcc_ssrc != 0)
    *ssrc = self->twcc_ssrc;
  self->twcc_ssrc = *ssrc;
}

/* A report of the slowest receiver, or of a new one in its place. */
static TfrcResult
read_report (TfrcSendFlow *self, TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  TfrcPacketFeedback *packet_feedback = &self->slowest->packet_feedback;
  const TfrcSenderBased *based = &packet_feedback->based;
  const uint64_t accepted = based->receiver.counters.packets;
  const uint64_t unknown = based->counters.packets_unknown;
  TfrcFeedback feedback;
  TfrcResult result;
  gboolean ok = FALSE;

  result = tfrc_packet_feedback_begin_report (packet_feedback, reader, now);
  if (result != TFRC_OK)
    return result;
  while (tfrc_packet_feedback_poll_feedback (packet_feedback, reader,
      &feedback)) {
    /* What it echoes waited for the end of the pause, as the receiver did. */
    if (based->echo_sent_at < self->resumed_at)
      continue;
    tfrc_sender_set_report_delay (&self->slowest->checked.sender,
        tfrc_sender_based_get_report_delay (based));
    result = give_feedback (self, reader->format, &feedback, now);
    ok |= result == TFRC_OK;
  }
  tfrc_packet_feedback_end_report (packet_feedback, &self->slowest->checked,
      now);
  if (ok || result != TFRC_OK)
    return ok ? TFRC_OK : result;
  /* The report gave the sender no feedback. */
  return accepted == based->receiver.counters.packets
          && unknown < based->counters.packets_unknown
      ? TFRC_INVALID
      : TFRC_DUPLICATE;
}

TfrcResult
tfrc_send_flow_on_packet_feedback (TfrcSendFlow *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  if (self->is_group)
    return TFRC_INVALID;
  name_reporter (self, reader);
  choose_receiver (self, FALSE, now);
  return tfrc_packet_feedback_is_of_another (&self->slowest->packet_feedback,
             reader, now)
      ? tfrc_send_receivers_on_report (&self->others, self->slowest, reader,
            now)
      : read_report (self, reader, now);
}

gboolean
tfrc_send_flow_exclude (TfrcSendFlow *self, guint32 ssrc, const gchar *address,
    gboolean exclude, TfrcTime now)
{
  if (!self->is_group)
    return FALSE;
  return exclude
      ? tfmcc_send_flow_exclude (&self->group, ssrc, address, now)
      : tfmcc_reporters_admit (&self->group.reporters, ssrc, address);
}

GstStructure *
tfrc_send_flow_poll_message (TfrcSendFlow *self, TfrcTime now)
{
  GstStructure *message;

  if (!self->is_group)
    return NULL;
  message = tfmcc_send_flow_poll_clr_message (&self->group);
  return message != NULL
      ? message
      : tfmcc_send_flow_poll_slow_message (&self->group, now);
}

gboolean
tfrc_send_flow_poll_slowest (TfrcSendFlow *self, TfrcSlowestReceiver *slowest,
    TfrcTime now)
{
  const TfrcReceptionReports *reception = &self->unicast.reception;
  const TfrcSenderBased *based = &self->slowest->packet_feedback.based;

  if (self->is_group)
    return FALSE;
  slowest->rate = tfrc_sender_get_send_rate (&self->slowest->checked.sender);
  slowest->ignored =
      tfrc_reception_reports_poll_ignored (&self->unicast.reception,
          &slowest->ssrc);
  if (slowest->ignored) {
    slowest->n_receivers = tfrc_reception_reports_count (reception, now);
    return TRUE;
  }
  if (reception->has_report)
    slowest->ssrc = reception->reporter_ssrc;
  else
    slowest->ssrc = based->has_report ? based->reporter_ssrc : 0;
  if (slowest->ssrc != self->slowest_ssrc) {
    self->slowest_ssrc = slowest->ssrc;
    self->slowest_since = now;
  }
  if (slowest->ssrc == 0 || slowest->ssrc == self->posted_ssrc
      || tfrc_time_since (self->slowest_since, now) < SLOWEST_TIME
      || (self->posted_at != 0
          && tfrc_time_since (self->posted_at, now) < SLOWEST_INTERVAL))
    return FALSE;
  slowest->n_receivers = reception->has_report
      ? tfrc_reception_reports_count (reception, now)
      : self->others.n + 1;
  if (slowest->n_receivers < 2)
    return FALSE;
  self->posted_ssrc = slowest->ssrc;
  self->posted_at = now;
  return TRUE;
}

gboolean
tfrc_send_flow_poll_lost (TfrcSendFlow *self, guint32 *ssrc)
{
  return tfrc_sender_based_poll_lost (&self->slowest->packet_feedback.based,
             ssrc)
      || tfrc_send_receivers_poll_lost (&self->others, ssrc);
}

/* RFC 3550 section 4: the middle 32 of the 64 bits of an NTP timestamp (since 1900). */
static guint32
to_middle_of_ntp (gint64 real_time)
{
  guint64 seconds = (guint64) real_time / G_USEC_PER_SEC + SECONDS_1900_TO_1970;
  guint64 rest = (guint64) real_time % G_USEC_PER_SEC;

  return (guint32) (seconds << 16 | (rest << 16) / G_USEC_PER_SEC);
}

TfrcResult
tfrc_send_flow_on_blocks (TfrcSendFlow *self, const RtpReportBlock *blocks,
    guint n, const gchar *address, gint64 real_time, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;
  TfrcFeedback feedback;
  TfrcResult result;

  if (self->is_group) {
    gboolean alone = tfmcc_send_flow_on_blocks (&self->group, blocks, n,
        address, &self->slowest->packet_feedback.based,
        to_middle_of_ntp (real_time), now);

    return alone ? TFRC_OK : TFRC_DUPLICATE;
  }
  result = tfrc_reception_reports_on_blocks (&unicast->reception, blocks, n,
      &self->slowest->checked.sender, &self->slowest->packet_feedback.based,
      to_middle_of_ntp (real_time), &feedback, now);
  if (result != TFRC_OK)
    return result;
  tfrc_sender_set_report_delay (&self->slowest->checked.sender,
      tfrc_reception_reports_get_delay (&unicast->reception));
  return give_feedback (self, GST_RTP_TFRC_FEEDBACK_RR, &feedback, now);
}

void
tfrc_send_flow_on_bye (TfrcSendFlow *self, guint32 ssrc, TfrcTime now)
{
  const TfrcSenderBased *based = &self->slowest->packet_feedback.based;

  if (self->is_group) {
    tfmcc_send_flow_on_bye (&self->group, ssrc);
    return;
  }
  tfrc_reception_reports_on_bye (&self->unicast.reception, ssrc);
  if (!tfrc_send_receivers_on_bye (&self->others, ssrc) && based->has_report
      && based->reporter_ssrc == ssrc)
    choose_receiver (self, TRUE, now);
}

TfrcTime
tfrc_send_flow_next_deadline (const TfrcSendFlow *self)
{
  return self->is_group
      ? (self->group.n_messages > 0
                ? 0
                : tfmcc_sender_next_deadline (&self->group.sender))
      : tfrc_checked_sender_next_deadline (&self->slowest->checked);
}

void
tfrc_send_flow_on_deadline (TfrcSendFlow *self, TfrcTime now)
{
  if (self->is_group) {
    tfmcc_send_flow_on_deadline (&self->group, now);
  } else if (tfrc_checked_sender_next_deadline (&self->slowest->checked)
      <= now) {
    tfrc_encoder_rate_advance (&self->slowest->encoder_rate,
        &self->slowest->checked.sender, now);
    tfrc_checked_sender_on_deadline (&self->slowest->checked, now);
  }
}

static void
update_wanted_rate (TfrcSendFlow *self)
{
  if (!self->is_group)
    self->slowest->checked.wanted_rate = self->followed ? self->max_rate : 0;
}

void
tfrc_send_flow_set_bounds (TfrcSendFlow *self, TfrcRate min_rate,
    TfrcRate max_rate)
{
  self->max_rate = max_rate;
  update_wanted_rate (self);
  if (self->is_group)
    tfmcc_sender_set_min_rate (&self->group.sender, min_rate);
  else
    self->unicast.reception.floor = min_rate;
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
  return !self->is_group
      && tfrc_probing_is_on (&self->slowest->checked.probing);
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
    tfrc_sender_set_max_rate (&self->slowest->checked.sender, limit);
  self->rate_limit = limit;
}

TfrcRate
tfrc_send_flow_get_pacing_rate (TfrcSendFlow *self, TfrcTime now)
{
  return self->is_group
      ? tfmcc_sender_get_rate (&self->group.sender, now)
      : tfrc_sender_get_pacing_rate (&self->slowest->checked.sender);
}

TfrcRate
tfrc_send_flow_get_recent_rate (TfrcSendFlow *self, TfrcTime now)
{
  const TfrcDuration elapsed = tfrc_time_since (self->recent_at, now);
  const TfrcRate rate = tfrc_send_flow_get_pacing_rate (self, now);

  self->recent_rate *= exp (-tfrc_duration_to_seconds (elapsed));
  self->recent_rate = MAX (self->recent_rate, rate);
  self->recent_at = now;
  return self->recent_rate;
}

TfrcDuration
tfrc_send_flow_get_two_packets_time (TfrcSendFlow *self, TfrcTime now)
{
  gdouble size = tfrc_segment_size_get (self->is_group
          ? &self->group.sender.segment_size
          : &self->slowest->checked.sender.segment_size);

  return tfrc_rate_time_for (tfrc_send_flow_get_pacing_rate (self, now),
      2 * size);
}

TfrcDuration
tfrc_send_flow_get_rtt (const TfrcSendFlow *self)
{
  return self->is_group ? 0 : self->slowest->checked.sender.rtt.rtt;
}

TfrcDuration
tfrc_send_flow_get_rtt_of (const TfrcSendFlow *self, guint32 ssrc)
{
  TfrcDuration rtt;

  if (!self->is_group)
    return tfrc_send_flow_get_rtt (self);
  rtt = tfmcc_reporters_get_rtt (&self->group.reporters, ssrc);
  return rtt > 0 ? rtt : self->group.sender.round.max_rtt;
}

gboolean
tfrc_send_flow_has_few_receivers (const TfrcSendFlow *self)
{
  return !self->is_group || self->group.check.n_seen <= TFRC_REPAIRED_RECEIVERS;
}

gboolean
tfrc_send_flow_has_queue (const TfrcSendFlow *self)
{
  const TfrcDelayControl *control = &self->slowest->checked.delay_control;

  return !self->is_group && control->reference > 0
      && control->path.queue >= control->target;
}

gdouble
tfrc_send_flow_get_loss_event_rate (const TfrcSendFlow *self, TfrcTime now)
{
  if (self->is_group)
    return tfmcc_reporters_get_loss_event_rate (&self->group.reporters, now);
  return self->unicast.format.current == GST_RTP_TFRC_FEEDBACK_TFRC
      ? self->slowest->checked.sender.loss_event_rate
      : 0;
}

TfrcDuration
tfrc_send_flow_get_round_time (const TfrcSendFlow *self)
{
  if (self->is_group)
    return 2 * tfmcc_round_get_span (&self->group.sender.round);
  if (self->unicast.format.wanted == GST_RTP_TFRC_FEEDBACK_NONE
      || self->unicast.left_to_tcp)
    return TFRC_TIME_NONE;
  return self->unicast.format.current == GST_RTP_TFRC_FEEDBACK_RR
          || self->unicast.format.wanted == GST_RTP_TFRC_FEEDBACK_RR
      ? 4 * tfrc_reception_reports_get_delay (&self->unicast.reception)
      : 0;
}

gboolean
tfrc_send_flow_has_receiver (const TfrcSendFlow *self)
{
  TfrcSenderState state;

  if (self->is_group)
    return tfmcc_sender_get_clr (&self->group.sender) != NULL;
  /* There was a report, and the nofeedback timer has not expired since the newest. */
  state = self->slowest->checked.sender.state;
  return state != TFRC_SENDER_WAITING && state != TFRC_SENDER_NO_FEEDBACK;
}

/* By default an rtpsession sends transport-wide feedback when a frame ends. */
gboolean
tfrc_send_flow_awaits_end_of_frame (const TfrcSendFlow *self)
{
  const TfrcFeedbackFormat *format = &self->unicast.format;

  return !self->is_group
      && self->slowest->checked.sender.state == TFRC_SENDER_NO_FEEDBACK
      && (format->current == GST_RTP_TFRC_FEEDBACK_TWCC
          || format->wanted == GST_RTP_TFRC_FEEDBACK_TWCC);
}

/* There is a receiver, or no report is expected. */
static gboolean
is_answered (const TfrcSendFlow *self)
{
  return tfrc_send_flow_has_receiver (self)
      || (!self->is_group
          && (self->unicast.left_to_tcp
              || self->unicast.format.wanted == GST_RTP_TFRC_FEEDBACK_NONE));
}

TfrcRate
tfrc_send_flow_get_known_rate (TfrcSendFlow *self, TfrcTime now)
{
  const TfrcCheckedSender *checked = &self->slowest->checked;
  const TfrcRate rate = tfrc_send_flow_get_pacing_rate (self, now);
  gboolean slow_start = self->is_group
      ? self->group.sender.slow_start
      : checked->sender.state == TFRC_SENDER_SLOW_START
          && checked->delay_control.state == TFRC_DELAY_START;

  return is_answered (self)
          && (!slow_start
              || rate >= MIN (self->rate_limit, self->back_pressure.limit))
      ? MIN (rate, self->back_pressure.limit)
      : 0.0;
}

static TfrcRate
get_max_announced (const TfrcSendFlow *self)
{
  return MIN (self->max_rate, self->back_pressure.limit);
}

gboolean
tfrc_send_flow_poll_bitrate (TfrcSendFlow *self, TfrcTime now)
{
  TfrcRate rate = self->is_group
      ? tfmcc_sender_get_rate (&self->group.sender, now)
      : tfrc_sender_get_send_rate (&self->slowest->checked.sender);
  guint64 bits = tfrc_rate_to_bits (MIN (rate, get_max_announced (self)));
  guint bitrate = (guint) MIN (bits, G_MAXUINT);

  if (fabs ((gdouble) bitrate - self->notified_bitrate)
      <= NOTIFY_THRESHOLD * self->notified_bitrate)
    return FALSE;
  self->notified_bitrate = bitrate;
  return TRUE;
}

gboolean
tfrc_send_flow_get_encoder_rate (TfrcSendFlow *self, TfrcRate *rate,
    TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group) {
    /* X itself, unsmoothed and from the start.  X rises slowly, and when it falls at
     * once, whatever an encoder makes above it is queued.  And the first report may be
     * seconds away, while hardly anything would be sent without a rate. */
    *rate = tfmcc_sender_get_rate (&self->group.sender, now);
  } else if (unicast->left_to_tcp) {
    if (isinf (self->back_pressure.limit))
      return FALSE;
    *rate = self->back_pressure.limit;
  } else {
    tfrc_encoder_rate_advance (&self->slowest->encoder_rate,
        &self->slowest->checked.sender, now);
    *rate = tfrc_encoder_rate_get (&self->slowest->encoder_rate);
    if (*rate == 0 && self->slowest->checked.sender.config.start_rate > 0)
      *rate = tfrc_sender_get_send_rate (&self->slowest->checked.sender);
  }
  *rate = MIN (*rate, get_max_announced (self));
  return *rate > 0;
}

void
tfrc_send_flow_set_stats (TfrcSendFlow *self, GstStructure *stats, TfrcTime now)
{
  TfrcTrace trace = { 0 };

  if (self->is_group)
    tfmcc_send_flow_get_trace (&self->group, &trace, now);
  else
    tfrc_checked_sender_get_trace (&self->slowest->checked, &trace, now);
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_SENDER);
  tfrc_stats_set (stats, "mode", self->is_group ? "tfmcc" : "tfrc");
  if (self->is_group) {
    tfmcc_send_flow_set_stats (&self->group, stats, now);
    return;
  }
  tfrc_stats_set (stats, "feedback-format",
      tfrc_feedback_get_name (self->unicast.format.current));
  tfrc_packet_feedback_set_stats (&self->slowest->packet_feedback, stats);
  tfrc_stats_set (stats, "arrival-receivers",
      (guint64) self->others.n
          + self->slowest->packet_feedback.based.has_report);
  tfrc_stats_set (stats, "padding-probes",
      self->slowest->checked.probing.counters.probes);
  tfrc_stats_set (stats, "padding-bytes",
      self->slowest->checked.probing.counters.bytes);
  tfrc_stats_set (stats, "reception-reports",
      self->unicast.reception.n_reports);
}
