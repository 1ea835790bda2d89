/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TOS byte of one IPv4 datagram or the traffic class of one of IPv6 as a
 * control message of GLib: six bits of DSCP and the ECN bits (RFC 3168).
 *
 * On a buffer it is in GstNetControlMessageMeta, which outlives srtpdec. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "rtp/ecn.h"

/* Once the type is there, GLib makes one for whoever receives with IP_RECVTOS
 * or IPV6_RECVTCLASS. */
#define TFRC_TYPE_ECN_MESSAGE (tfrc_ecn_message_get_type ())
G_DECLARE_FINAL_TYPE (TfrcEcnMessage, tfrc_ecn_message, TFRC, ECN_MESSAGE,
    GSocketControlMessage)

/* For a datagram to send to an address of `family`. */
GSocketControlMessage *tfrc_ecn_message_new (GSocketFamily family,
    guint8 traffic_class);

/* FALSE: nobody read the bits of this packet. */
gboolean tfrc_ecn_message_of_buffer (GstBuffer *buffer, TfrcEcnCodepoint *ecn);
