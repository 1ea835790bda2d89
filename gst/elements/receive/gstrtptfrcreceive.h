/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive: measures an RTP flow and reports to its TFRC sender. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_TFRC_RECEIVE (gst_rtp_tfrc_receive_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcReceive, gst_rtp_tfrc_receive, GST,
    RTP_TFRC_RECEIVE, GstElement)
GST_ELEMENT_REGISTER_DECLARE (rtptfrcreceive);

/* Where the newest packet that proved itself came from, so where reports
 * belong; NULL before it, or when buffers carry no GstNetAddressMeta.  Any
 * thread; the caller unrefs. */
GSocketAddress *
gst_rtp_tfrc_receive_get_source_address (GstRtpTfrcReceive *self);

/* Whether RTCP that came over the network is the sender's.  Any thread. */
gboolean gst_rtp_tfrc_receive_accepts_rtcp (GstRtpTfrcReceive *self,
    GstBuffer *buffer);

/* Whether `ssrc` is that of the sender or of a receiver that it has echoed
 * lately (TFMCC).  Any thread. */
gboolean gst_rtp_tfrc_receive_knows_ssrc (GstRtpTfrcReceive *self,
    guint32 ssrc);

G_END_DECLS
