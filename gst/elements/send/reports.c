/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/reports.h"

#include <gst/net/gstnetaddressmeta.h>

#include "common/stats.h"
#include "net/session.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* The event that an rtpsession makes of RTCP follows that at once. */
#define TWCC_IN_RTCP_TIME TFRC_SECOND

void
tfrc_send_reports_clear (TfrcSendReports *self)
{
  for (guint i = 0; i < TFRC_SEND_MAX_RETURNS; i++)
    g_clear_object (&self->returns[i].address);
}

void
tfrc_send_reports_add_client (TfrcSendReports *self, const gchar *host,
    gint port, TfrcTime now)
{
  TfrcSendReturn *added =
      &self->returns[self->n_returns++ % TFRC_SEND_MAX_RETURNS];

  g_clear_object (&added->address);
  *added = (TfrcSendReturn) { .address = g_inet_address_new_from_string (host),
    .port = (guint) port,
    .at = now };
}

/* It sends RTCP from its port of RTP, or from the next one (RFC 3550 section 11). */
static gboolean
is_from (const TfrcSendReturn *client, GInetSocketAddress *from)
{
  guint port = g_inet_socket_address_get_port (from);

  return client->address != NULL
      && (port == client->port || port == client->port + 1)
      && g_inet_address_equal (client->address,
          g_inet_socket_address_get_address (from));
}

/* Whose blocks these are may have paused.  TCP loses nothing, and of what comes inside it
 * gst-rtsp-server gives the first buffer alone a time. */
static void
forgive_pause (TfrcSendReports *self, TfrcFeedbackFilterResult *content,
    GstBuffer *buffer)
{
  const GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  gboolean in_tcp = self->tcp && !GST_BUFFER_PTS_IS_VALID (buffer);

  for (guint i = 0; i < content->n_blocks && in_tcp; i++)
    content->blocks[i].cumulative_lost = content->blocks[i].fraction_lost = 0;
  if (meta == NULL || !G_IS_INET_SOCKET_ADDRESS (meta->addr))
    return;
  for (guint i = 0; i < TFRC_SEND_MAX_RETURNS; i++)
    if (is_from (&self->returns[i], G_INET_SOCKET_ADDRESS (meta->addr)))
      for (guint k = 0; k < content->n_blocks; k++)
        tfrc_reception_reports_on_return (&self->flow->unicast.reception,
            content->blocks[k].reporter_ssrc, self->returns[i].at);
}

void
tfrc_send_reports_start (TfrcSendReports *self)
{
  tfrc_send_circuit_breaker_start (&self->circuit_breaker);
  tfrc_feedback_watch_start (&self->watch);
  self->counters = (TfrcFeedbackFilterCounters) { 0 };
  self->upstream_requests = (TfrcUpstreamRequests) { 0 };
  self->twcc_in_rtcp_at = TFRC_TIME_NONE;
}

void
tfrc_send_reports_begin_path (TfrcSendReports *self)
{
  tfrc_ecn_check_init (&self->ecn, self->ecn.ect);
  tfrc_send_circuit_breaker_begin_path (&self->circuit_breaker);
  tfrc_feedback_watch_resume (&self->watch);
}

TfrcSendEcn
tfrc_send_reports_get_ecn (const TfrcSendReports *self)
{
  static const gchar *const states[] = { "off", "testing", "waiting",
    "working" };
  static const gchar *const failures[] = { "failed", "unreported", "bleached",
    "blocked", "marked" };
  const TfrcEcnCheck *check = &self->ecn;

  return (TfrcSendEcn) { check->state,
    check->state == TFRC_ECN_FAILED ? failures[check->failure]
                                    : states[check->state],
    tfrc_ecn_check_get_ect (check) };
}

/* RTX packets have no key frames of their own. */
static void
ask_key_frame (TfrcSendReports *self, guint32 ssrc, TfrcTime now)
{
  TfrcSendStream *stream = tfrc_queue_find_stream (self->queue, ssrc);

  if (stream != NULL
      && !tfrc_picture_loss_covers_request (&stream->picture_loss,
          tfrc_send_flow_get_rtt (self->flow), now))
    tfrc_queue_ask_key_frame (self->queue, stream,
        tfrc_stopwatch_read (self->stopwatch, now));
}

gboolean
tfrc_send_reports_ask_key_frame (TfrcSendReports *self, const guint32 *ssrc,
    TfrcTime now)
{
  const TfrcSendStream *stream = ssrc != NULL
      ? tfrc_queue_find_stream (self->queue, *ssrc)
      : tfrc_queue_get_stream (self->queue, 0);

  if (stream == NULL)
    return FALSE;
  self->counters.key_frame_requests++;
  if (ssrc != NULL)
    ask_key_frame (self, *ssrc, now);
  else
    tfrc_queue_ask_key_frame (self->queue, NULL,
        tfrc_stopwatch_read (self->stopwatch, now));
  return TRUE;
}

static void
note_loss (TfrcSendReports *self, TfrcSendStream *stream, gboolean lost,
    TfrcTime now)
{
  gboolean repaired = !self->key_frame_on_loss || self->retransmitter->asked > 0
      || self->upstream_requests.asked > 0 || self->fec->percentage > 0;

  if (tfrc_picture_loss_on_report (&stream->picture_loss, lost, repaired,
          tfrc_send_flow_get_rtt (self->flow), now))
    tfrc_queue_ask_key_frame (self->queue, stream,
        tfrc_stopwatch_read (self->stopwatch, now));
}

/* After packet feedback.  What parity leaves unrepaired the receiver tells that
 * computes it; and feedback of TFRC tells of no packet: who sends it asks itself. */
static void
note_losses (TfrcSendReports *self, TfrcTime now)
{
  TfrcSendStream *stream;
  guint32 ssrc;

  while (tfrc_send_flow_poll_lost (self->flow, &ssrc)) {
    stream = tfrc_queue_find_stream (self->queue, ssrc);
    if (stream != NULL)
      note_loss (self, stream, TRUE, now);
  }
  for (guint i = 0; (stream = tfrc_queue_get_stream (self->queue, i)) != NULL;
      i++)
    note_loss (self, stream, FALSE, now);
}

/* What the flow said of feedback or a report. */
static void
note_result (TfrcSendReports *self, TfrcResult result, TfrcTime now)
{
  if (result == TFRC_OK && self->circuit_breaker.enabled)
    rtp_circuit_breaker_on_feedback (&self->circuit_breaker.breaker, now);
  if (result != TFRC_NO_NEWS)
    tfrc_feedback_watch_on_report (&self->watch, result, now);
}

/* That nothing came of one is no fault. */
static TfrcResult
follow_packet_feedback (TfrcSendReports *self, TfrcPacketFeedbackReader *reader,
    TfrcTime now)
{
  TfrcResult result = tfrc_send_flow_on_packet_feedback (self->flow, reader,
      now);

  GST_DEBUG ("packet feedback: result=%d", result);
  note_losses (self, now);
  if (result != TFRC_DUPLICATE)
    note_result (self, result, now);
  return result;
}

/* Packet feedback stays in the RTCP, since an rtpsession has a use for it.  Where that
 * hands transport-wide feedback back as an event, it comes once: an event does not name
 * the receiver.  TRUE: one was followed with success. */
static gboolean
read_packet_feedback (TfrcSendReports *self, TfrcFeedbackFilterResult *content,
    TfrcTime now)
{
  const TfrcFeedbackSpan *packet = content->spans;
  const TfrcFeedbackSpan *end = packet + content->n_spans;
  gboolean accepted = FALSE;
  TfrcPacketFeedbackReader reader;
  guint n = 0;

  while (packet < end) {
    packet += tfrc_packet_feedback_reader_open_report (&reader, packet, end);
    if (reader.format == GST_RTP_TFRC_FEEDBACK_TWCC)
      self->twcc_in_rtcp_at = now;
    if (!tfrc_send_flow_admits (self->flow, reader.format, now))
      continue;
    if (n++ >= TFRC_FEEDBACK_FILTER_MAX) {
      self->counters.feedback_excess++;
      continue;
    }
    accepted |= follow_packet_feedback (self, &reader, now) == TFRC_OK;
    if (reader.format == GST_RTP_TFRC_FEEDBACK_CCFB) {
      content->ecn[0] = self->flow->packet_feedback.ecn;
      content->n_ecn = 1;
    }
  }
  return accepted;
}

/* Where there is nothing better: those of each receiver together. */
static void
read_blocks (TfrcSendReports *self, const TfrcFeedbackFilterResult *content,
    const gchar *address, TfrcTime now)
{
  const RtpReportBlock *block = content->blocks;
  const RtpReportBlock *end = block + content->n_blocks;

  while (block < end
      && tfrc_send_flow_admits (self->flow, GST_RTP_TFRC_FEEDBACK_RR, now)) {
    TfrcResult result;
    guint n = 1;

    GST_DEBUG ("report block ssrc=%08x reporter_ssrc=%08x "
               "highest_seq=%u fraction_lost_256=%u",
        block->media_ssrc, block->reporter_ssrc, block->highest_seq,
        block->fraction_lost);
    while (block + n < end && block[n].reporter_ssrc == block->reporter_ssrc)
      n++;
    result = tfrc_send_flow_on_blocks (self->flow, block, n, address,
        g_get_real_time (), now);
    if (result == TFRC_OK)
      note_result (self, result, now);
    block += n;
  }
  for (guint i = 0; i < content->n_byes; i++)
    tfrc_send_flow_on_bye (self->flow, content->byes[i], now);
}

static gboolean
is_our_ssrc (guint32 ssrc, gpointer user_data)
{
  const TfrcSendReports *self = user_data;

  return tfrc_queue_find_stream (self->queue, ssrc) != NULL
      || tfrc_repair_has_ssrc (self->retransmitter->streams, ssrc)
      || tfrc_repair_has_ssrc (self->fec->streams, ssrc)
      || ssrc == self->padding->ssrc;
}

static void
read_feedback (TfrcSendReports *self, const TfrcFeedbackFilterResult *content,
    TfrcSendRtcpPacket *packet, TfrcTime now)
{
  packet->n_feedback = content->n_feedback;
  packet->feedback_accepted = packet->no_news = FALSE;
  for (guint i = 0; i < content->n_feedback; i++) {
    const TfrcFeedback *feedback = &content->feedback[i];
    TfrcResult result;

    if (!tfrc_send_flow_admits (self->flow, GST_RTP_TFRC_FEEDBACK_TFRC, now))
      continue;
    result = tfrc_send_flow_on_feedback (self->flow, feedback, now);
    GST_DEBUG ("feedback ssrc=%08x receive_rate_bytes_s=%.0f "
               "loss_event_rate=%.6f echo_delay_ns=%" G_GUINT64_FORMAT
               " result=%d",
        feedback->media_ssrc, feedback->receive_rate, feedback->loss_event_rate,
        feedback->echo_delay, result);
    note_result (self, result, now);
    packet->feedback_accepted |= result == TFRC_OK;
    packet->no_news |= result == TFRC_NO_NEWS;
  }
}

/* Of members of a group. */
static void
read_reports (TfrcSendReports *self, const TfrcFeedbackFilterResult *content,
    const gchar *address, TfrcTime now)
{
  for (guint i = 0; i < content->n_reports; i++) {
    const TfmccReport *report = &content->reports[i];
    TfrcResult result = tfmcc_send_flow_on_report (&self->flow->group, report,
        content->report_p[i], address, now);

    GST_DEBUG ("report ssrc=%08x rate_bytes_s=%.0f "
               "round=%u has_rtt=%d has_loss=%d leaving=%d result=%d",
        report->ssrc, report->rate, report->round, report->has_rtt,
        report->has_loss, report->leaving, result);
    note_result (self, result, now);
  }
}

/* `accepted`: feedback was, or packet feedback. */
static void
check_ecn (TfrcSendReports *self, const TfrcFeedbackFilterResult *content,
    gboolean accepted, TfrcTime now)
{
  TfrcEcnCheck *check = &self->ecn;
  guint ce = (guint) check->ce, ect_1 = (guint) check->ect_1;
  guint marked, unmarked;

  for (guint i = 0; i < content->n_ecn; i++)
    tfrc_ecn_check_on_summary (check, &content->ecn[i]);
  if (accepted)
    tfrc_ecn_check_on_feedback (check, now);
  /* Where they left as ECT(1). */
  marked = check->ect == TFRC_ECN_ECT_1 ? (guint) check->ce - ce : 0;
  unmarked = (guint) check->ect_1 - ect_1;
  if (marked + unmarked > 0 && !self->flow->is_group)
    tfrc_checked_sender_on_marks (&self->flow->unicast.checked, marked,
        unmarked, now);
}

GstBuffer *
tfrc_send_reports_on_rtcp (TfrcSendReports *self, GstBuffer *buffer,
    const GstMapInfo *map, gboolean overheard, TfrcSendRtcpPacket *packet)
{
  TfrcFeedbackFilterResult content;
  g_autofree gchar *address = NULL;
  const TfrcTime now = packet->arrived_at;
  gboolean accepted, excluded;
  GstBuffer *rest;

  packet->rtt = tfrc_send_flow_get_rtt (self->flow);
  rest = tfrc_feedback_filter (buffer, map, self->flow->is_group,
      self->retransmitter->enabled, self->flow->packet_feedback.n_numbered,
      &content, is_our_ssrc, self);
  if (self->flow->is_group)
    address = tfrc_packet_get_source (buffer);
  excluded = self->flow->is_group
      && tfmcc_reporters_is_excluded (&self->flow->group.reporters,
          content.ssrc, address);
  if (overheard || excluded)
    content.n_key_requests = 0;
  if (excluded)
    content.n_nacks = content.n_blocks = content.n_byes = 0;
  tfrc_feedback_filter_count (&self->counters, &content);
  if (content.n_blocks > 0 && !self->flow->is_group)
    forgive_pause (self, &content, buffer);
  tfrc_send_circuit_breaker_on_rtcp (&self->circuit_breaker, &content,
      self->flow->is_group ? NULL : &self->flow->unicast.reception, packet->rtt,
      now);
  tfrc_feedback_watch_on_rtcp (&self->watch, &content, now);
  for (guint i = 0; i < content.n_key_requests; i++)
    ask_key_frame (self, content.key_requests[i], now);
  for (guint i = 0; i < content.n_nacks; i++)
    tfrc_retransmitter_on_nack (self->retransmitter,
        content.nacks[i].media_ssrc, content.nacks[i].entry,
        tfrc_send_flow_get_repair_time (self->flow), now);
  read_feedback (self, &content, packet, now);
  read_reports (self, &content, address, now);
  accepted = read_packet_feedback (self, &content, now)
      || packet->feedback_accepted;
  read_blocks (self, &content, address, now);
  packet->ecn_before = tfrc_send_reports_get_ecn (self);
  check_ecn (self, &content, accepted, now);
  packet->ecn = tfrc_send_reports_get_ecn (self);
  packet->heard = content.heard;
  packet->malformed = content.feedback_malformed + content.rtcp_malformed > 0;
  return rest;
}

TfrcResult
tfrc_send_reports_on_twcc_event (TfrcSendReports *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  if ((self->twcc_in_rtcp_at != TFRC_TIME_NONE
          && tfrc_time_since (self->twcc_in_rtcp_at, now) < TWCC_IN_RTCP_TIME)
      || !tfrc_send_flow_admits (self->flow, reader->format, now))
    return TFRC_FOREIGN;
  return follow_packet_feedback (self, reader, now);
}

/* What is repeated waits in the queue as well, and a receiver that waits for it asks
 * again. */
gboolean
tfrc_send_reports_on_request (TfrcSendReports *self, guint32 ssrc, guint *seq,
    TfrcDuration repeat_delay, TfrcTime now)
{
  TfrcUpstreamRequest request = {
    .ssrc = ssrc, .left = (guint16) *seq, .asked_at = now
  };
  const TfrcSendStream *stream = tfrc_queue_find_stream (self->queue, ssrc);
  gboolean ok = stream != NULL
      && tfrc_send_stream_find_original (stream, request.left,
          &request.original)
      && tfrc_send_stream_is_of_use (stream, request.left)
      && tfrc_upstream_requests_on_request (&self->upstream_requests, &request,
          tfrc_send_flow_get_rtt (self->flow) + repeat_delay);
  *seq = request.original;
  return ok;
}

void
tfrc_send_reports_set_stats (const TfrcSendReports *self, GstStructure *stats,
    TfrcTime now)
{
  tfrc_feedback_filter_set_stats (&self->counters, stats);
  tfrc_stats_set (stats, "retransmission-requests",
      self->upstream_requests.asked);
  tfrc_stats_set (stats, "retransmission-requests-early",
      self->upstream_requests.early);
  tfrc_send_circuit_breaker_set_stats (&self->circuit_breaker, stats, now);
  tfrc_feedback_watch_set_stats (&self->watch, stats);
  tfrc_stats_set (stats, "ecn", tfrc_send_reports_get_ecn (self).text);
  tfrc_stats_set (stats, "ecn-not-ect", self->ecn.not_ect);
  tfrc_stats_set (stats, "ecn-ect-0", self->ecn.ect_0);
  tfrc_stats_set (stats, "ecn-ect-1", self->ecn.ect_1);
  tfrc_stats_set (stats, "ecn-ce", self->ecn.ce);
}
