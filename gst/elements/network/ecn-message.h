/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ECN bits of one datagram (RFC 3168) as a control message of GLib: of
 * IPv4 the TOS byte, of IPv6 the traffic class.  The other six bits, the DSCP,
 * share the octet and are never changed by the ECN bits, nor these by them.
 *
 * On a buffer it is in GstNetControlMessageMeta, which outlives srtpdec. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "rtp/ecn-count.h"

G_BEGIN_DECLS

#define TFRC_TYPE_ECN_MESSAGE (tfrc_ecn_message_get_type ())
G_DECLARE_FINAL_TYPE (TfrcEcnMessage, tfrc_ecn_message, TFRC, ECN_MESSAGE,
    GSocketControlMessage)

/* For a datagram to send to an address of `family`. */
GSocketControlMessage *tfrc_ecn_message_new (GSocketFamily family,
    TfrcEcnCodepoint ecn);

/* The same with the DSCP that `socket` has now. */
GSocketControlMessage *tfrc_ecn_message_new_like (GSocket *socket,
    GSocketFamily family, TfrcEcnCodepoint ecn);

TfrcEcnCodepoint tfrc_ecn_message_get (TfrcEcnMessage *self);

/* From now on datagrams come with their bits.  FALSE: the system cannot. */
gboolean tfrc_ecn_message_enable (GSocket *socket, GError **error);

/* Sets the bits of all that the socket sends and leaves the DSCP as it is. */
gboolean tfrc_ecn_message_mark (GSocket *socket, TfrcEcnCodepoint ecn,
    GError **error);

/* Sets the DSCP (0 to 63, RFC 2474) of all that the socket sends and leaves the
 * bits as they are. */
gboolean tfrc_ecn_message_set_dscp (GSocket *socket, guint dscp,
    GError **error);

/* FALSE: nobody read the bits of this packet. */
gboolean tfrc_ecn_message_of_buffer (GstBuffer *buffer, TfrcEcnCodepoint *ecn);

G_END_DECLS
