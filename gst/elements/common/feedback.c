/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/feedback.h"

#include "common/properties.h"

TFRC_DEFINE_ENUM_TYPE (GstRtpTfrcFeedback, gst_rtp_tfrc_feedback,
    { GST_RTP_TFRC_FEEDBACK_AUTO, "What suits the other end", "auto" },
    { GST_RTP_TFRC_FEEDBACK_TFRC, "Reports of rtptfrcreceive", "tfrc" },
    { GST_RTP_TFRC_FEEDBACK_CCFB, "Congestion control feedback (RFC 8888)",
        "ccfb" },
    { GST_RTP_TFRC_FEEDBACK_TWCC, "Transport-wide feedback", "twcc" },
    { GST_RTP_TFRC_FEEDBACK_RR, "Reception reports of RTCP (RFC 3550)", "rr" },
    { GST_RTP_TFRC_FEEDBACK_NONE, "None: a fixed rate", "none" });

const gchar *
tfrc_feedback_get_name (GstRtpTfrcFeedback format)
{
  static const gchar *const names[] = {
    [GST_RTP_TFRC_FEEDBACK_AUTO] = "none",
    [GST_RTP_TFRC_FEEDBACK_TFRC] = "tfrc",
    [GST_RTP_TFRC_FEEDBACK_CCFB] = "ccfb",
    [GST_RTP_TFRC_FEEDBACK_TWCC] = "twcc",
    [GST_RTP_TFRC_FEEDBACK_RR] = "rr",
    [GST_RTP_TFRC_FEEDBACK_NONE] = "none",
  };

  return names[format];
}
