/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend: paces RTP packets at the rate that TFRC allows. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#define GST_TYPE_RTP_TFRC_SEND (gst_rtp_tfrc_send_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcSend, gst_rtp_tfrc_send, GST, RTP_TFRC_SEND,
    GstElement)

/* Packets to the receiver take another path from now on: the rate begins anew (RFC 5348
 * section 4.2), so does the check whether ECN works (RFC 6679 section 7.2), and the MTU is
 * the user's again.  `to`: the new destination, NULL = not known. */
void gst_rtp_tfrc_send_begin_path (GstRtpTfrcSend *self, GSocketAddress *to);

/* Sets the element to PAUSED, and waits until packets that left the queue are pushed, but
 * no longer than `limit`. */
void gst_rtp_tfrc_send_pause (GstRtpTfrcSend *self, GstClockTime limit);

/* The system says that the path carries no RTP packets larger than `mtu` [bytes], until it
 * says otherwise: sets payloaders whose mtu is the default. */
void gst_rtp_tfrc_send_set_path_mtu (GstRtpTfrcSend *self, guint mtu);

/* Sets the TTL of packets to a group, from the next start on. */
void gst_rtp_tfrc_send_set_hops (GstRtpTfrcSend *self, guint hops);

/* Sets a function that is called in the streaming thread when a packet is due, and tells
 * whether to accept (TRUE) or drop it.  Not to be called while data flows. */
void gst_rtp_tfrc_send_set_gate (GstRtpTfrcSend *self,
    gboolean (*admits) (gpointer gate), gpointer gate);

GST_ELEMENT_REGISTER_DECLARE (rtptfrcsend);
