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

/* Where the newest packet that proved itself came from, so where reports
 * belong; NULL before it, or when buffers carry no GstNetAddressMeta.  Any
 * thread; the caller unrefs. */
GSocketAddress *
gst_rtp_tfrc_receive_get_source_address (GstRtpTfrcReceive *self);

/* Told in the streaming thread, with no lock held: an SSRC made room and is to be
 * forgotten; a sender has taken the place of others, so that what is known of
 * payload types is not so; and right before GstRtpTfrcReceive::request-pt-map whether
 * the packet that it is about names one contributing source, as parity does. */
typedef struct
{
  void (*stream_evicted) (GstElement *bin, guint ssrc);
  void (*sender_changed) (GstElement *bin);
  void (*first_of_type) (GstElement *bin, guint payload_type,
      gboolean one_csrc);
} GstRtpTfrcReceiveWatch;

/* For the bin around it, before anything streams.  From then on what passes shows one
 * address of a sender that moves, too, see tfrc_source_address_hide_move. */
void gst_rtp_tfrc_receive_set_watch (GstRtpTfrcReceive *self, GstElement *bin,
    const GstRtpTfrcReceiveWatch *watch);

/* Whether RTCP, from whichever port, may go on, without SR requests: it can be read,
 * and all whom it names are the sender.  Any thread. */
gboolean gst_rtp_tfrc_receive_admits_rtcp (GstRtpTfrcReceive *self,
    GstBuffer *buffer, TfrcWireCompound *compound);

/* Whether `ssrc` is that of the sender or of a receiver that it has echoed
 * lately (TFMCC).  Any thread. */
gboolean gst_rtp_tfrc_receive_knows_ssrc (GstElement *receive, guint32 ssrc);

/* Whether packets of `ssrc` go on.  Any thread. */
gboolean gst_rtp_tfrc_receive_has_stream (GstRtpTfrcReceive *self,
    guint32 ssrc);

/* For who has repair beside the element; any thread.  Whether what is lost may come
 * again, since it is asked for, or be computed: then a key frame is asked for when a
 * packet is lost for good, and not when it is lost.  `answered`: the sender is known to
 * send again what it is asked for; else it is asked where its packets have our extension, and
 * known to from its first answer on.  A packet is missing that is of use for another
 * `time_left`: returns the RTT; 0 if it is not known or nobody answers.  *hold: for so long it
 * may only be overtaken; 0: nothing is. */
void gst_rtp_tfrc_receive_set_repairs (GstRtpTfrcReceive *self, gboolean asks,
    gboolean answered, gboolean corrects);
GstClockTime gst_rtp_tfrc_receive_want_packet (GstRtpTfrcReceive *self,
    guint32 ssrc, guint16 seq, GstClockTime time_left, GstClockTime *hold);
void gst_rtp_tfrc_receive_on_hole (GstRtpTfrcReceive *self, guint32 ssrc,
    guint16 seq);
