/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ECN bits (RFC 3168) and the DSCP (RFC 2474) of datagrams sent and received.  They
 * share an octet; setting one leaves the other as it is. */
#pragma once

#include <gio/gio.h>
#include <gst/base/gstpushsrc.h>

#include "rtp/ecn.h"

/* A control message of a datagram, as of recvmsg (2).
 *
 * Once this type is registered, GLib creates one with the TOS byte or traffic class (six
 * bits of DSCP and two ECN bits) of each datagram that is received on a socket with
 * IP_RECVTOS or IPV6_RECVTCLASS.  A buffer carries it in a GstNetControlMessageMeta, which
 * srtpdec keeps. */
#define TFRC_TYPE_CONTROL_MESSAGE (tfrc_control_message_get_type ())
G_DECLARE_FINAL_TYPE (TfrcControlMessage, tfrc_control_message, TFRC,
    CONTROL_MESSAGE, GSocketControlMessage)
#define TFRC_CONTROL_MESSAGE_MAX 32 /* of data [bytes] */

GSocketControlMessage *tfrc_control_message_new (int level, int type,
    gconstpointer data, gsize size);

/* One that sets the TOS byte or traffic class of a datagram to an address of `family`. */
GSocketControlMessage *tfrc_ecn_message_new (GSocketFamily family,
    guint8 traffic_class);

/* Sets *ecn to the ECN bits that the buffer came with; FALSE: they were not read. */
gboolean tfrc_ecn_message_of_buffer (GstBuffer *buffer, TfrcEcnCodepoint *ecn);

/* Sets the ECN bits of all datagrams that the socket sends. */
gboolean tfrc_ecn_socket_mark (GSocket *socket, TfrcEcnCodepoint ecn,
    GError **error);

/* Sets the DSCP (0 to 63) of all datagrams that the socket sends. */
gboolean tfrc_ecn_socket_set_dscp (GSocket *socket, guint dscp, GError **error);

/* A live source that tfrcsrc uses instead of udpsrc when ECN is enabled, as udpsrc does
 * not pass on the ECN bits.
 *
 * Each buffer is one datagram, timestamped with the running time, with a
 * GstNetAddressMeta and a TfrcControlMessage in a GstNetControlMessageMeta.  Binding the
 * socket and joining a group is left to its owner.  There is no element factory. */
#define GST_TYPE_TFRC_ECN_SRC (gst_tfrc_ecn_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcEcnSrc, gst_tfrc_ecn_src, GST, TFRC_ECN_SRC,
    GstPushSrc)

/* Returns a floating reference; references `socket`, which it never closes, and `caps`.
 * Posts an element message "GstUDPSrcTimeout" after each `timeout` [ns] without a
 * datagram; 0 = never. */
GstElement *gst_tfrc_ecn_src_new (GSocket *socket, GstCaps *caps,
    GstClockTime timeout);
