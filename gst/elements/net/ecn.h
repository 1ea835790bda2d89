/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ECN bits (RFC 3168) and the DSCP (RFC 2474) of what a socket sends and
 * receives.  They share an octet and are never changed by one another. */
#pragma once

#include <gio/gio.h>
#include <gst/base/gstpushsrc.h>

#include "rtp/ecn.h"

/* The TOS byte of one IPv4 datagram or the traffic class of one of IPv6 as a
 * control message of GLib: six bits of DSCP and the ECN bits.  On a buffer it is in
 * GstNetControlMessageMeta, which outlives srtpdec.
 *
 * Once the type is there, GLib makes one for whoever receives with IP_RECVTOS
 * or IPV6_RECVTCLASS. */
#define TFRC_TYPE_ECN_MESSAGE (tfrc_ecn_message_get_type ())
G_DECLARE_FINAL_TYPE (TfrcEcnMessage, tfrc_ecn_message, TFRC, ECN_MESSAGE,
    GSocketControlMessage)

/* For a datagram to send to an address of `family`. */
GSocketControlMessage *tfrc_ecn_message_new (GSocketFamily family,
    guint8 traffic_class);

/* FALSE: nobody read the bits of this packet. */
gboolean tfrc_ecn_message_of_buffer (GstBuffer *buffer, TfrcEcnCodepoint *ecn);

/* Sets the ECN bits of all that the socket sends. */
gboolean tfrc_ecn_socket_mark (GSocket *socket, TfrcEcnCodepoint ecn,
    GError **error);

/* Sets the DSCP (0 to 63) of all that the socket sends. */
gboolean tfrc_ecn_socket_set_dscp (GSocket *socket, guint dscp, GError **error);

/* A live source of datagrams with their ECN bits, which udpsrc does not hand
 * on: what tfrcsrc takes in its place when ECN is wanted.
 *
 * Each buffer is a datagram, with running time, GstNetAddressMeta and, in
 * GstNetControlMessageMeta, a TfrcEcnMessage.  It binds no socket, joins no
 * group and has no timeout: the socket's owner does what is needed.  Not an
 * element that others can make: it has no factory. */
#define GST_TYPE_TFRC_ECN_SRC (gst_tfrc_ecn_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcEcnSrc, gst_tfrc_ecn_src, GST, TFRC_ECN_SRC,
    GstPushSrc)

/* Refers to both; the socket is not closed.  An element message "GstUDPSrcTimeout"
 * comes after each `timeout` [ns] without a datagram; 0 = never. */
GstElement *gst_tfrc_ecn_src_new (GSocket *socket, GstCaps *caps,
    GstClockTime timeout);
