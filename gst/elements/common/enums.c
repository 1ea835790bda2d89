/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/enums.h"

#include "common/properties.h"

TFRC_DEFINE_ENUM_TYPE (GstTfrcMode, gst_tfrc_mode,
    { GST_TFRC_MODE_AUTO, "By the address or the caps", "auto" },
    { GST_TFRC_MODE_TFRC, "TFRC, one receiver (RFC 5348)", "tfrc" },
    { GST_TFRC_MODE_TFMCC, "TFMCC, a group of receivers (RFC 4654)", "tfmcc" });

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

TFRC_DEFINE_ENUM_TYPE (GstTfrcPriority, gst_tfrc_priority,
    { GST_TFRC_PRIORITY_AUTO, "High for audio, else low", "auto" },
    { GST_TFRC_PRIORITY_VERY_LOW, "Half of low's share", "very-low" },
    { GST_TFRC_PRIORITY_LOW, "As WebRTC has by default", "low" },
    { GST_TFRC_PRIORITY_MEDIUM, "Twice low's share", "medium" },
    { GST_TFRC_PRIORITY_HIGH, "Four times low's share", "high" });

guint
tfrc_priority_get_video_weight (GstTfrcPriority priority)
{
  if (priority == GST_TFRC_PRIORITY_AUTO)
    priority = GST_TFRC_PRIORITY_LOW;
  return 1u << (priority - GST_TFRC_PRIORITY_VERY_LOW);
}

void
tfrc_priority_install (GObjectClass *klass, guint id)
{
  g_object_class_install_property (klass, id,
      g_param_spec_enum ("priority", "Priority",
          "Share of the rate beside the other streams, while all have packets "
          "waiting: each level gets twice that of the one below (default: auto "
          "= high for audio, else low)",
          GST_TYPE_TFRC_PRIORITY, GST_TFRC_PRIORITY_AUTO,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
}
