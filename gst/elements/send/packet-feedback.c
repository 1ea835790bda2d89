/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/packet-feedback.h"

#include "common/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* As long as the nofeedback timer before the first report (RFC 5348 section 4.2): a
 * receiver silent for this long no longer reports in that format. */
#define TIMEOUT (2 * TFRC_SECOND)
/* The same before reception reports are followed, which all receivers send, and which say
 * so little that other formats are worth waiting for. */
#define TIMEOUT_BEFORE_RR (5 * TFRC_SECOND)

gboolean
tfrc_feedback_format_admits (const TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now)
{
  TfrcDuration timeout = format == GST_RTP_TFRC_FEEDBACK_RR
      ? TIMEOUT_BEFORE_RR
      : TIMEOUT;

  if (self->wanted != GST_RTP_TFRC_FEEDBACK_AUTO)
    return format == self->wanted;
  return self->current == GST_RTP_TFRC_FEEDBACK_AUTO || format <= self->current
      || tfrc_time_since (self->reported_at, now) >= timeout;
}

void
tfrc_feedback_format_on_accepted (TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now)
{
  if (format != self->current)
    GST_INFO ("following other reports: format=%s format_before=%s",
        tfrc_feedback_get_name (format),
        tfrc_feedback_get_name (self->current));
  self->current = format;
  self->reported_at = now;
}

/* Period of the reference time in transport-wide feedback, which the event does not
 * unwrap. */
#define EVENT_CLOCK_PERIOD ((1ull << 24) * 64 * TFRC_MILLISECOND)

/* What the event says about a packet. */
typedef struct
{
  guint16 seq;
  guint64 arrived_at; /* TFRC_TIME_NONE = lost */
} EventPacket;

/* Not the SSRC of a packet: all transport-wide sequence numbers are logged under it. */
#define TRANSPORT_SSRC 0

TfrcWireKind
tfrc_packet_feedback_reader_open_rtcp (TfrcPacketFeedbackReader *self,
    const guint8 *data, gsize packet_size)
{
  TfrcWireKind kind;

  self->is_event = FALSE;
  self->format = GST_RTP_TFRC_FEEDBACK_CCFB;
  kind = tfrc_wire_begin_ccfb (&self->ccfb, data, packet_size, &self->report);
  if (kind != TFRC_WIRE_FOREIGN)
    return kind;
  self->format = GST_RTP_TFRC_FEEDBACK_TWCC;
  return tfrc_wire_begin_twcc (&self->twcc, data, packet_size, &self->report);
}

guint
tfrc_packet_feedback_reader_open_report (TfrcPacketFeedbackReader *self,
    const TfrcFeedbackSpan *packets, const TfrcFeedbackSpan *end)
{
  guint n = 1;

  tfrc_packet_feedback_reader_open_rtcp (self, packets->data, packets->size);
  while (self->format == GST_RTP_TFRC_FEEDBACK_CCFB && packets + n < end
      && tfrc_wire_join_ccfb (&self->ccfb, packets[n].data, packets[n].size,
          &self->report))
    n++;
  return n;
}

static gboolean
holds_array (const GValue *value)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  return G_VALUE_HOLDS (value, g_value_array_get_type ());
  G_GNUC_END_IGNORE_DEPRECATIONS
}

/* FALSE: not in the format of an rtpsession. */
static gboolean
peek_event (const TfrcTwccEventReader *self, guint i, EventPacket *packet)
{
  const GValueArray *array = g_value_get_boxed (self->packets);
  const GValue *value = &array->values[i];
  const GstStructure *structure;
  gboolean lost;
  guint seq;

  if (!GST_VALUE_HOLDS_STRUCTURE (value))
    return FALSE;
  structure = gst_value_get_structure (value);
  if (!gst_structure_get_uint (structure, "seqnum", &seq)
      || !gst_structure_get_boolean (structure, "lost", &lost)
      || !gst_structure_get_uint64 (structure, "remote-ts",
          &packet->arrived_at))
    return FALSE;
  packet->seq = (guint16) seq;
  if (lost)
    packet->arrived_at = TFRC_TIME_NONE;
  return TRUE;
}

static guint64
find_newest (const TfrcTwccEventReader *self)
{
  guint64 newest = 0;
  EventPacket packet;

  for (guint i = 0; i < self->n; i++) {
    if (peek_event (self, i, &packet) && packet.arrived_at != TFRC_TIME_NONE)
      newest = MAX (newest, packet.arrived_at);
  }
  return newest;
}

/* The event has neither reporter SSRC nor report count.  The session does not notice a
 * lost report; packets missing between two consecutive ones it has added as lost. */
gboolean
tfrc_packet_feedback_reader_open_event (TfrcPacketFeedbackReader *self,
    const GstStructure *structure)
{
  const GValue *packets = gst_structure_get_value (structure, "packets");
  TfrcTwccEventReader *event = &self->event;

  if (!gst_structure_has_name (structure, TFRC_TWCC_EVENT) || packets == NULL
      || !holds_array (packets) || g_value_get_boxed (packets) == NULL)
    return FALSE;
  self->is_event = TRUE;
  self->format = GST_RTP_TFRC_FEEDBACK_TWCC;
  *event = (TfrcTwccEventReader) {
    .packets = packets,
    .n = ((const GValueArray *) g_value_get_boxed (packets))->n_values,
  };
  event->newest = find_newest (event);
  self->report = (TfrcPacketReport) {
    .clock = event->newest % EVENT_CLOCK_PERIOD,
    .clock_period = EVENT_CLOCK_PERIOD,
    .resolution = TFRC_WIRE_TWCC_TICK,
  };
  return TRUE;
}

static gboolean
next_in_event (TfrcTwccEventReader *self, TfrcReportedPacket *packet)
{
  EventPacket next;

  while (self->i < self->n) {
    if (!peek_event (self, self->i++, &next))
      continue;
    *packet = (TfrcReportedPacket) { .seq = next.seq };
    if (next.arrived_at != TFRC_TIME_NONE) {
      packet->arrived = packet->has_time = TRUE;
      packet->age = self->newest - next.arrived_at;
    }
    return TRUE;
  }
  return FALSE;
}

/* The next packet that arrived or is missing, or the last one of a run of missing packets;
 * FALSE: no more. */
static gboolean
read_next (TfrcPacketFeedbackReader *self, TfrcReportedPacket *packet)
{
  if (self->is_event)
    return next_in_event (&self->event, packet);
  if (self->format == GST_RTP_TFRC_FEEDBACK_CCFB)
    return tfrc_wire_next_ccfb (&self->ccfb, packet);
  return tfrc_wire_next_twcc (&self->twcc, packet);
}

void
tfrc_packet_feedback_start (TfrcPacketFeedback *self,
    const TfrcSenderConfig *sender, gboolean l4s)
{
  TfrcSenderBasedConfig config = tfrc_sender_based_config_default ();

  config.receiver.small_packets = sender->small_packets;
  config.receiver.tcp = sender->tcp;
  config.l4s = l4s;
  tfrc_sender_based_init (&self->based, &config);
  self->delays = (TfrcDelayMeter) { 0 };
  self->format = GST_RTP_TFRC_FEEDBACK_AUTO;
  self->ecn = (TfrcEcnSummary) { 0 };
}

void
tfrc_packet_feedback_on_sent (TfrcPacketFeedback *self,
    const TfrcSentRtp *packet, const TfrcExtension *extension, TfrcTime now)
{
  gboolean logged = tfrc_sender_based_on_sent (&self->based, packet->ssrc,
      packet->seq, packet->size, extension, now);

  if (packet->transport_numbered && logged)
    tfrc_sender_based_on_numbered (&self->based, (guint16) self->n_numbered++);
  else if (packet->transport_numbered)
    tfrc_sender_based_on_sent (&self->based, TRANSPORT_SSRC,
        (guint16) self->n_numbered++, packet->size, extension, now);
}

void
tfrc_packet_feedback_take_back (TfrcPacketFeedback *self, guint n)
{
  for (; n > 0; n--)
    tfrc_sender_based_take_back (&self->based, TRANSPORT_SSRC,
        (guint16) --self->n_numbered);
}

/* Checks a report of a new receiver.  TFRC_OK: it is about a packet that was sent.
 * Without this check, any report would discard what is known of the current receiver's
 * losses. */
static TfrcResult
check_new_receiver (TfrcPacketFeedback *self, TfrcPacketFeedbackReader reader)
{
  TfrcReportedPacket packet;
  guint unknown = 0;

  while (read_next (&reader, &packet)) {
    if (tfrc_sender_based_find_sent (&self->based, packet.ssrc, packet.seq))
      return TFRC_OK;
    unknown += packet.arrived;
  }
  self->based.counters.packets_unknown += unknown;
  return unknown > 0 ? TFRC_INVALID : TFRC_DUPLICATE;
}

gboolean
tfrc_packet_feedback_is_of_another (TfrcPacketFeedback *self,
    const TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  return reader->format == self->format && !reader->is_event && !self->is_event
      && tfrc_sender_based_has_receiver (&self->based, now)
      && reader->report.reporter_ssrc != self->based.reporter_ssrc
      && check_new_receiver (self, *reader) == TFRC_OK;
}

TfrcResult
tfrc_packet_feedback_begin_report (TfrcPacketFeedback *self,
    const TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  gboolean same_form = reader->format == self->format
      && reader->is_event == self->is_event;
  gboolean continues = same_form && self->based.has_report
      && reader->report.reporter_ssrc == self->based.reporter_ssrc;
  TfrcResult result = continues ? TFRC_OK : check_new_receiver (self, *reader);

  if (result != TFRC_OK)
    return result;
  /* An rtpsession's first report comes in RTCP, before the event, which has no reporter
   * SSRC and another clock. */
  if (!same_form) {
    tfrc_sender_based_forget (&self->based);
    tfrc_delay_meter_forget (&self->delays);
  }
  self->format = reader->format;
  self->is_event = reader->is_event;
  self->report_ended = FALSE;
  return tfrc_sender_based_begin_report (&self->based, &reader->report, now);
}

static gboolean
poll_feedback (TfrcPacketFeedback *self, TfrcFeedback *feedback)
{
  if (!tfrc_sender_based_poll_feedback (&self->based, feedback))
    return FALSE;
  feedback->has_delay = tfrc_delay_meter_poll (&self->delays, &feedback->delay);
  return TRUE;
}

gboolean
tfrc_packet_feedback_poll_feedback (TfrcPacketFeedback *self,
    TfrcPacketFeedbackReader *reader, TfrcFeedback *feedback)
{
  const TfrcSentPacket *sent;
  TfrcReportedPacket packet;

  if (poll_feedback (self, feedback))
    return TRUE;
  if (self->report_ended)
    return FALSE;
  while (read_next (reader, &packet)) {
    sent = tfrc_sender_based_on_packet (&self->based, &packet);
    if (sent != NULL) {
      tfrc_delay_meter_on_packet (&self->delays, sent->extension.send_time_us,
          sent->size, sent->extension.rtt,
          tfrc_sender_based_get_arrival (&self->based));
      tfrc_ecn_summary_count (&self->ecn, packet.ecn);
    }
    if (poll_feedback (self, feedback))
      return TRUE;
  }
  tfrc_sender_based_end_report (&self->based);
  self->report_ended = TRUE;
  return poll_feedback (self, feedback);
}

void
tfrc_packet_feedback_end_report (const TfrcPacketFeedback *self,
    TfrcCheckedSender *checked, TfrcTime now)
{
  if (self->based.newest_sent_at > 0)
    tfrc_checked_sender_on_arrivals (checked, self->based.newest_sent_at, now);
}

void
tfrc_packet_feedback_set_stats (const TfrcPacketFeedback *self,
    GstStructure *stats)
{
  const TfrcSenderBasedCounters *counters = &self->based.counters;

  tfrc_stats_set (stats, "arrival-reports", counters->reports);
  tfrc_stats_set (stats, "arrivals-unknown", counters->packets_unknown);
}
