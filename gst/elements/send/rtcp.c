/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From rtcp_sink to the pacer and to rtcp_src. */

#include "send/rtcp.h"

#include "rtcp/members.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

void
tfrc_send_rtcp_init (TfrcSendRtcp *self, GstPad *srcpad, TfrcSendPacer *pacer,
    TfrcSendEcn *ecn)
{
  *self = (TfrcSendRtcp) {
    .srcpad = srcpad,
    .pacer = pacer,
    .ecn = ecn,
  };
}

static void
log_content (GstPad *srcpad, const TfrcSendRtcpPacket *packet)
{
  const TfrcFeedbackFilterResult *content = &packet->content;

  for (guint i = 0; i < content->n_feedback; i++) {
    const TfrcFeedback *feedback = &content->feedback[i];

    GST_DEBUG_OBJECT (srcpad,
        "feedback ssrc=%08x "
        "receive_rate_bytes_s=%.0f loss_event_rate=%.6f "
        "echo_delay_ns=%" G_GUINT64_FORMAT " result=%d",
        feedback->media_ssrc, feedback->receive_rate, feedback->loss_event_rate,
        feedback->echo_delay, packet->feedback_results[i]);
  }
  for (guint i = 0; i < packet->n_arrival_reports; i++)
    GST_DEBUG_OBJECT (srcpad, "report of arrivals: result=%d",
        packet->arrival_results[i]);
  for (guint i = 0; i < content->n_reports; i++) {
    const TfmccReport *report = &content->reports[i];

    GST_DEBUG_OBJECT (srcpad,
        "report ssrc=%08x rate_bytes_s=%.0f "
        "round=%u has_rtt=%d has_loss=%d leaving=%d result=%d",
        report->ssrc, report->rate, report->round, report->has_rtt,
        report->has_loss, report->leaving, packet->report_results[i]);
  }
  for (guint i = 0; i < content->n_blocks; i++)
    GST_DEBUG_OBJECT (srcpad,
        "report block ssrc=%08x reporter_ssrc=%08x "
        "highest_seq=%u fraction_lost_256=%u",
        content->blocks[i].media_ssrc, content->blocks[i].reporter_ssrc,
        content->blocks[i].highest_seq, content->blocks[i].fraction_lost);
}

GstFlowReturn
tfrc_send_rtcp_push (TfrcSendRtcp *self, GstBuffer *buffer)
{
  TfrcSendRtcpPacket packet;
  const TfrcFeedbackFilterResult *content = &packet.content;
  gboolean accepted = FALSE;
  GstFlowReturn ret;

  buffer = tfrc_send_pacer_push_rtcp (self->pacer, buffer, &packet);
  log_content (self->srcpad, &packet);
  for (guint i = 0; i < content->n_feedback; i++)
    accepted |= packet.feedback_results[i] == TFRC_OK;
  tfrc_send_ecn_on_report (self->ecn, content->ecn, content->n_ecn, accepted,
      packet.arrived_at);
  if (content->feedback_malformed + content->rtcp_malformed > 0
      && !self->warned) {
    self->warned = TRUE;
    GST_WARNING_OBJECT (self->srcpad,
        "malformed RTCP or feedback came in; "
        "more is only counted");
  }

  if (buffer == NULL)
    return GST_FLOW_OK;
  if (content->heard) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_SET (buffer, TFRC_MEMBERS_ABOUT_US);
  }
  ret = gst_pad_push (self->srcpad, buffer);
  /* The flow works without an rtpsession. */
  return ret == GST_FLOW_NOT_LINKED ? GST_FLOW_OK : ret;
}
