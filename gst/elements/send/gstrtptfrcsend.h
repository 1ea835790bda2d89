/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend: paces RTP packets at the rate that TFRC allows. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#define GST_TYPE_RTP_TFRC_SEND (gst_rtp_tfrc_send_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcSend, gst_rtp_tfrc_send, GST, RTP_TFRC_SEND,
    GstElement)

/* Packets to one receiver go another way from now on: the rate begins anew (RFC 5348
 * section 4.2), and so does asking whether ECN works (RFC 6679 section 7.2).  `to`: where. */
void gst_rtp_tfrc_send_begin_path (GstRtpTfrcSend *self, GSocketAddress *to);

/* To PAUSED, until what was on its way is pushed, for `limit` at most. */
void gst_rtp_tfrc_send_pause (GstRtpTfrcSend *self, GstClockTime limit);

/* The path carries no larger packets than that [bytes of RTP]: payloaders that stand at
 * their default are set to fit. */
void gst_rtp_tfrc_send_lower_mtu (GstRtpTfrcSend *self, guint mtu);

/* How many networks packets to a group may cross, from the next start on. */
void gst_rtp_tfrc_send_set_hops (GstRtpTfrcSend *self, guint hops);

/* While nothing streams: whether what comes in is taken is asked of `admits`, in its
 * thread, once it is due; FALSE drops it. */
void gst_rtp_tfrc_send_set_gate (GstRtpTfrcSend *self,
    gboolean (*admits) (gpointer gate), gpointer gate);

GST_ELEMENT_REGISTER_DECLARE (rtptfrcsend);
