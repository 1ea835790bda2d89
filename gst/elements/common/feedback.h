/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats of reports, by which a sender knows what arrived: as values of the
 * properties "feedback" of both ends, and as names. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_RTP_TFRC_FEEDBACK (gst_rtp_tfrc_feedback_get_type ())

/**
 * GstRtpTfrcFeedback:
 * @GST_RTP_TFRC_FEEDBACK_AUTO: what suits the other end
 * @GST_RTP_TFRC_FEEDBACK_TFRC: reports of rtptfrcreceive
 * @GST_RTP_TFRC_FEEDBACK_CCFB: RFC 8888
 * @GST_RTP_TFRC_FEEDBACK_TWCC: transport-wide feedback
 * @GST_RTP_TFRC_FEEDBACK_RR: reception reports alone (RFC 3550)
 * @GST_RTP_TFRC_FEEDBACK_NONE: none, and a rate that does not follow the network
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
  GST_RTP_TFRC_FEEDBACK_NONE,
} GstRtpTfrcFeedback;

GType gst_rtp_tfrc_feedback_get_type (void);

/* As in the property; AUTO is "none". */
const gchar *tfrc_feedback_get_name (GstRtpTfrcFeedback format);
