/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ECN bits (RFC 3168) and the DSCP (RFC 2474) of what a socket sends and
 * receives.  They share an octet and are never changed by one another. */
#pragma once

#include <gio/gio.h>

#include "rtp/ecn.h"

/* From now on datagrams come with a TfrcEcnMessage.  FALSE: the system
 * cannot. */
gboolean tfrc_ecn_socket_enable (GSocket *socket, GError **error);

/* Sets the ECN bits of all that the socket sends. */
gboolean tfrc_ecn_socket_mark (GSocket *socket, TfrcEcnCodepoint ecn,
    GError **error);

/* Sets the DSCP (0 to 63) of all that the socket sends. */
gboolean tfrc_ecn_socket_set_dscp (GSocket *socket, guint dscp, GError **error);

/* A control message (TfrcEcnMessage) for one datagram to an address of
 * `family`, with the DSCP that the socket has now. */
GSocketControlMessage *tfrc_ecn_socket_make_message (GSocket *socket,
    GSocketFamily family, TfrcEcnCodepoint ecn);
