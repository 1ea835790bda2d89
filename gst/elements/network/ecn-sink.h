/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends each buffer to one address as a datagram that is not ECN-capable,
 * whatever its socket says of others: for RTCP that leaves from the socket of
 * RTP with ECT (RFC 6679 section 7.3.1), which a udpsink would mark as well.
 * Not an element that others can make: it has no factory. */
#pragma once

#include <gio/gio.h>
#include <gst/base/gstbasesink.h>

#define GST_TYPE_TFRC_ECN_SINK (gst_tfrc_ecn_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcEcnSink, gst_tfrc_ecn_sink, GST, TFRC_ECN_SINK,
    GstBaseSink)

/* Refers to both; the socket is not closed.  Datagrams have the DSCP that it has
 * now. */
GstElement *gst_tfrc_ecn_sink_new (GSocket *socket,
    GInetSocketAddress *address);
