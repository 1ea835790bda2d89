/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/feedback-format.h"

#include "common/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* Of the nofeedback timer before the first report (RFC 5348 section 4.2): who is
 * silent for so long does not report any more. */
#define TIMEOUT (2 * TFRC_SECOND)
/* Reception reports come from everybody, and tell so little that others are waited
 * for. */
#define TIMEOUT_BEFORE_RR (5 * TFRC_SECOND)

void
tfrc_feedback_format_start (TfrcFeedbackFormat *self, GstRtpTfrcFeedback wanted)
{
  *self = (TfrcFeedbackFormat) { .wanted = wanted };
}

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
      || tfrc_time_since (self->heard_at, now) >= timeout;
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
  self->heard_at = now;
}

void
tfrc_feedback_format_set_stats (const TfrcFeedbackFormat *self,
    GstStructure *stats)
{
  tfrc_stats_set (stats, "feedback-format",
      tfrc_feedback_get_name (self->current));
}
