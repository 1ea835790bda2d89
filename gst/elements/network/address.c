/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What GInetSocketAddress has no call for. */

#include "network/address.h"

GInetSocketAddress *
tfrc_address_resolve (const gchar *host, guint16 port, GError **error)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string (host, port);
  GResolver *resolver;
  GList *found;

  if (address)
    return G_INET_SOCKET_ADDRESS (address);
  resolver = g_resolver_get_default ();
  found = g_resolver_lookup_by_name (resolver, host, NULL, error);
  g_object_unref (resolver);
  if (!found)
    return NULL;
  address = g_inet_socket_address_new (found->data, port);
  g_resolver_free_addresses (found);
  return G_INET_SOCKET_ADDRESS (address);
}

gboolean
tfrc_address_is_group (GInetSocketAddress *address)
{
  return g_inet_address_get_is_multicast (
      g_inet_socket_address_get_address (address));
}

GSocketAddress *
tfrc_address_with_port (GInetSocketAddress *address, guint port)
{
  GInetAddress *host = g_inet_socket_address_get_address (address);

  return g_object_new (G_TYPE_INET_SOCKET_ADDRESS, "address", host, "port",
      port, "scope-id", tfrc_address_get_scope (address), NULL);
}

guint
tfrc_address_get_scope (GInetSocketAddress *address)
{
  return g_socket_address_get_family (G_SOCKET_ADDRESS (address))
          == G_SOCKET_FAMILY_IPV6
      ? g_inet_socket_address_get_scope_id (address)
      : 0;
}
