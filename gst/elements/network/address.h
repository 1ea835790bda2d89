/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses of hosts and groups, with the IPv6 scope that they may have. */
#pragma once

#include <gio/gio.h>

/* The address of `host`, a literal or a name.  Blocks for a name. */
GInetSocketAddress *tfrc_address_resolve (const gchar *host, guint16 port,
    GError **error);

gboolean tfrc_address_is_group (GInetSocketAddress *address);

/* The same host, IPv6 scope included, with another port; the caller unrefs. */
GSocketAddress *tfrc_address_with_port (GInetSocketAddress *address,
    guint port);

/* 0 of IPv4. */
guint tfrc_address_get_scope (GInetSocketAddress *address);
