/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From rtcp_sink to the pacer and to rtcp_src. */

#include "send/rtcp.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

static gboolean handle_feedback (TfrcSendRtcp *self,
    const TfrcFeedback *feedback, TfrcTime now);
static void handle_report (TfrcSendRtcp *self, const TfmccReport *report,
    TfrcTime now);

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

GstFlowReturn
tfrc_send_rtcp_push (TfrcSendRtcp *self, GstBuffer *buffer)
{
  TfrcFeedbackFilterResult result;
  gboolean accepted = FALSE;
  GstFlowReturn ret;
  TfrcTime now;

  buffer = tfrc_send_pacer_filter_rtcp (self->pacer, buffer, &result, &now);
  for (guint i = 0; i < result.n_feedback; i++)
    accepted |= handle_feedback (self, &result.feedback[i], now);
  tfrc_send_ecn_on_report (self->ecn, result.ecn, result.n_ecn, accepted, now);
  for (guint i = 0; i < result.n_reports; i++)
    handle_report (self, &result.reports[i], now);
  for (guint i = 0; i < result.n_blocks; i++)
    GST_DEBUG_OBJECT (self->srcpad,
        "report block ssrc=%08x reporter_ssrc=%08x "
        "highest_seq=%u fraction_lost_256=%u",
        result.blocks[i].media_ssrc, result.blocks[i].reporter_ssrc,
        result.blocks[i].highest_seq, result.blocks[i].fraction_lost);
  if (result.feedback_malformed + result.rtcp_malformed > 0 && !self->warned) {
    self->warned = TRUE;
    GST_WARNING_OBJECT (self->srcpad,
        "malformed RTCP or feedback came in; "
        "more is only counted");
  }

  if (buffer == NULL)
    return GST_FLOW_OK;
  ret = gst_pad_push (self->srcpad, buffer);
  /* The flow works without an rtpsession. */
  return ret == GST_FLOW_NOT_LINKED ? GST_FLOW_OK : ret;
}

/* FALSE: it counts for nothing. */
static gboolean
handle_feedback (TfrcSendRtcp *self, const TfrcFeedback *feedback, TfrcTime now)
{
  TfrcResult result = tfrc_send_pacer_on_feedback (self->pacer, feedback, now);

  GST_DEBUG_OBJECT (self->srcpad,
      "feedback ssrc=%08x "
      "receive_rate_bytes_s=%.0f loss_event_rate=%.6f "
      "echo_delay_ns=%" G_GUINT64_FORMAT " result=%d",
      feedback->media_ssrc, feedback->receive_rate, feedback->loss_event_rate,
      feedback->echo_delay, result);
  return result == TFRC_OK;
}

static void
handle_report (TfrcSendRtcp *self, const TfmccReport *report, TfrcTime now)
{
  TfrcResult result = tfrc_send_pacer_on_report (self->pacer, report, now);

  GST_DEBUG_OBJECT (self->srcpad,
      "report ssrc=%08x rate_bytes_s=%.0f "
      "round=%u has_rtt=%d has_loss=%d leaving=%d result=%d",
      report->ssrc, report->rate, report->round, report->has_rtt,
      report->has_loss, report->leaving, result);
}
