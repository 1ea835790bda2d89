/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/arrivals.h"

#include "common/stats.h"

/* Of no packet: all numbers of the transport have this one. */
#define TRANSPORT_SSRC 0

void
tfrc_arrivals_start (TfrcArrivals *self, const TfrcSenderConfig *sender,
    gboolean l4s)
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
tfrc_arrivals_on_sent (TfrcArrivals *self, const TfrcSentRtp *packet,
    const TfrcStamp *stamp, TfrcTime now)
{
  gboolean logged = tfrc_sender_based_on_sent (&self->based, packet->ssrc,
      packet->seq, packet->size, stamp, now);

  if (packet->transport_numbered && logged)
    tfrc_sender_based_on_numbered (&self->based, (guint16) self->n_numbered++);
  else if (packet->transport_numbered)
    tfrc_sender_based_on_sent (&self->based, TRANSPORT_SSRC,
        (guint16) self->n_numbered++, packet->size, stamp, now);
}

void
tfrc_arrivals_take_back (TfrcArrivals *self, guint n)
{
  for (; n > 0; n--)
    tfrc_sender_based_take_back (&self->based, TRANSPORT_SSRC,
        (guint16) --self->n_numbered);
}

/* TFRC_OK: it tells of a packet that was sent.  Else any report on others would make
 * us forget what the receiver that is followed has lost. */
static TfrcResult
check_new_receiver (TfrcArrivals *self, TfrcArrivalReader reader)
{
  TfrcReportedPacket packet;
  guint unknown = 0;

  while (tfrc_arrival_reader_next (&reader, &packet)) {
    if (tfrc_sender_based_find_sent (&self->based, packet.ssrc, packet.seq))
      return TFRC_OK;
    unknown += packet.arrived;
  }
  self->based.counters.packets_unknown += unknown;
  return unknown > 0 ? TFRC_INVALID : TFRC_DUPLICATE;
}

TfrcResult
tfrc_arrivals_begin_report (TfrcArrivals *self, const TfrcArrivalReader *reader,
    TfrcTime now)
{
  gboolean same_form = reader->format == self->format
      && reader->is_event == self->is_event;
  gboolean continues = same_form && self->based.has_report
      && reader->report.reporter_ssrc == self->based.reporter_ssrc;
  TfrcResult result = TFRC_OK;

  if (!continues)
    result = check_new_receiver (self, *reader);
  if (result != TFRC_OK)
    return result;
  /* The first report of an rtpsession comes in RTCP, before its event, which names
   * no reporter and has another clock. */
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
poll_feedback (TfrcArrivals *self, TfrcFeedback *feedback)
{
  if (!tfrc_sender_based_poll_feedback (&self->based, feedback))
    return FALSE;
  feedback->has_delay = tfrc_delay_meter_poll (&self->delays, &feedback->delay);
  return TRUE;
}

gboolean
tfrc_arrivals_poll_feedback (TfrcArrivals *self, TfrcArrivalReader *reader,
    TfrcFeedback *feedback)
{
  const TfrcSentPacket *sent;
  TfrcReportedPacket packet;

  if (poll_feedback (self, feedback))
    return TRUE;
  if (self->report_ended)
    return FALSE;
  while (tfrc_arrival_reader_next (reader, &packet)) {
    sent = tfrc_sender_based_on_packet (&self->based, &packet);
    if (sent != NULL) {
      tfrc_delay_meter_on_packet (&self->delays, sent->stamp.send_time_us,
          sent->size, sent->stamp.rtt, self->based.receiver.now);
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
tfrc_arrivals_set_stats (const TfrcArrivals *self, GstStructure *stats)
{
  const TfrcSenderBasedCounters *counters = &self->based.counters;

  tfrc_stats_set (stats, "arrival-reports", counters->reports);
  tfrc_stats_set (stats, "arrival-reports-foreign", counters->reports_foreign);
  tfrc_stats_set (stats, "arrivals-unknown", counters->packets_unknown);
  tfrc_stats_set (stats, "arrivals-unreported", counters->packets_unreported);
}
