/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive: measures an RTP flow and reports to its TFRC sender. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "tfrc-wire.h"

#define GST_TYPE_RTP_TFRC_RECEIVE (gst_rtp_tfrc_receive_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcReceive, gst_rtp_tfrc_receive, GST,
    RTP_TFRC_RECEIVE, GstElement)
GST_ELEMENT_REGISTER_DECLARE (rtptfrcreceive);

/* Source address of the newest packet of the sender, to which reports are sent;
 * NULL = none yet, or buffers have no GstNetAddressMeta.  From any thread; the caller
 * owns a reference. */
GSocketAddress *
gst_rtp_tfrc_receive_get_source_address (GstRtpTfrcReceive *self);

/* Callbacks, from the streaming thread with no lock held: an SSRC was evicted and must be
 * forgotten; another sender has replaced earlier ones, so what was learnt about payload
 * types is void; and, right before GstRtpTfrcReceive::request-pt-map, whether the packet
 * has one contributing source, as parity has. */
typedef struct
{
  void (*stream_evicted) (GstElement *bin, guint ssrc);
  void (*sender_changed) (GstElement *bin);
  void (*first_of_type) (GstElement *bin, guint payload_type,
      gboolean one_csrc);
} GstRtpTfrcReceiveWatch;

/* Sets the callbacks of the bin that contains the element, before data flows.  From then
 * on packets passed on have the same source address even when a sender moves, see
 * tfrc_source_address_hide_move. */
void gst_rtp_tfrc_receive_set_watch (GstRtpTfrcReceive *self, GstElement *bin,
    const GstRtpTfrcReceiveWatch *watch);

/* Whether RTCP, of any port, may be passed on, without SR requests: it is well-formed,
 * and all SSRCs in it are the sender's.  From any thread. */
gboolean gst_rtp_tfrc_receive_admits_rtcp (GstRtpTfrcReceive *self,
    GstBuffer *buffer, TfrcWireCompound *compound);

/* TFMCC: whether `ssrc` is that of the sender, or of a receiver whose report was echoed
 * recently.  From any thread. */
gboolean gst_rtp_tfrc_receive_knows_ssrc (GstRtpTfrcReceive *self,
    guint32 ssrc);

/* Whether packets of `ssrc` are passed on.  From any thread. */
gboolean gst_rtp_tfrc_receive_has_stream (GstRtpTfrcReceive *self,
    guint32 ssrc);

/* The id of the header extension; 0 = none, or not known yet.  From any thread. */
guint gst_rtp_tfrc_receive_get_extension_id (GstRtpTfrcReceive *self);

/* For repair outside of this element; from any thread.  set_repairs: whether lost packets
 * are requested (`requests`), or computed from parity (`uses_parity`): then a key frame
 * is requested when a packet is lost for good, and not when its loss is detected.
 * `retransmits`: the sender is known to retransmit on request; else packets are requested
 * if they have our header extension, and it is known from the first answer on.
 * on_missing: a packet is missing, and useful for another `time_left`, which grows to what
 * an answer needs if that is no more than `longest`.  Returns the RTT; 0 = not known, or
 * there will be no answer.  *hold: how long it may still arrive by reordering; 0 = it will
 * not.  on_unrepaired: a packet is lost for good. */
void gst_rtp_tfrc_receive_set_repairs (GstRtpTfrcReceive *self,
    gboolean requests, gboolean retransmits, gboolean uses_parity);
GstClockTime gst_rtp_tfrc_receive_on_missing (GstRtpTfrcReceive *self,
    guint32 ssrc, guint16 seq, GstClockTime *time_left, GstClockTime longest,
    GstClockTime *hold);
void gst_rtp_tfrc_receive_on_unrepaired (GstRtpTfrcReceive *self, guint32 ssrc,
    guint16 seq);
