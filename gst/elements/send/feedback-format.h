/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the reports that come back the sender follows: all of one format, the
 * best that comes, so that nothing counts twice.
 *
 * A better one takes over at once, a worse one after those before have stopped.
 * No lock, no clock. */
#pragma once

#include <gst/gst.h>

#include "base/time.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_TFRC_FEEDBACK (gst_rtp_tfrc_feedback_get_type ())

/**
 * GstRtpTfrcFeedback:
 * @GST_RTP_TFRC_FEEDBACK_AUTO: the first of the following that comes
 * @GST_RTP_TFRC_FEEDBACK_TFRC: reports of rtptfrcreceive
 * @GST_RTP_TFRC_FEEDBACK_CCFB: RFC 8888
 * @GST_RTP_TFRC_FEEDBACK_TWCC: transport-wide feedback
 * @GST_RTP_TFRC_FEEDBACK_RR: reception reports alone (RFC 3550)
 *
 * The best first.
 */
typedef enum
{
  GST_RTP_TFRC_FEEDBACK_AUTO,
  GST_RTP_TFRC_FEEDBACK_TFRC,
  GST_RTP_TFRC_FEEDBACK_CCFB,
  GST_RTP_TFRC_FEEDBACK_TWCC,
  GST_RTP_TFRC_FEEDBACK_RR,
} GstRtpTfrcFeedback;

GType gst_rtp_tfrc_feedback_get_type (void);

typedef struct
{
  GstRtpTfrcFeedback wanted;
  GstRtpTfrcFeedback current; /* AUTO: none has come */
  TfrcTime heard_at;          /* the newest of the current */
} TfrcFeedbackFormat;

void tfrc_feedback_format_start (TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback wanted);

/* Whether a report of the format counts. */
gboolean tfrc_feedback_format_admits (const TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* One that does was accepted: from now on its format is followed. */
void tfrc_feedback_format_on_accepted (TfrcFeedbackFormat *self,
    GstRtpTfrcFeedback format, TfrcTime now);

/* Sets "feedback-format". */
void tfrc_feedback_format_set_stats (const TfrcFeedbackFormat *self,
    GstStructure *stats);

G_END_DECLS
