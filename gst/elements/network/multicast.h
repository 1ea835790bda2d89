/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multicast groups: the interface that leads to one, and what sockets need to
 * send to one or to hear one.  Any-source groups are joined by udpsrc, not
 * here. */
#pragma once

#include <gio/gio.h>

/* `group` with the scope id that a link-local IPv6 group needs (RFC 4007); the
 * caller unrefs.  An error if `iface` (NULL = the system's choice) does not
 * exist, or if that group needs one. */
GInetSocketAddress *tfrc_multicast_resolve (GInetSocketAddress *group,
    const gchar *iface, GError **error);

/* Whether packets to `group` find a way; the error says what is missing. */
gboolean tfrc_multicast_check_route (GInetSocketAddress *group,
    const gchar *iface, GError **error);

/* Makes packets that `socket` sends to groups of its family leave through
 * `iface`, from an address of that interface. */
gboolean tfrc_multicast_send_through (GSocket *socket, const gchar *iface,
    GError **error);

/* Keeps from `socket` what other sockets of this host have joined for. */
void tfrc_multicast_receive_own_only (GSocket *socket);
