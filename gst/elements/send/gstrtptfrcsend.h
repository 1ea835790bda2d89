/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend: paces RTP packets at the rate that TFRC allows. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_RTP_TFRC_SEND (gst_rtp_tfrc_send_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcSend, gst_rtp_tfrc_send, GST, RTP_TFRC_SEND,
    GstElement)

GST_ELEMENT_REGISTER_DECLARE (rtptfrcsend);
