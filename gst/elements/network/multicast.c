/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces and socket options of multicast, on Linux. */

#include "network/multicast.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "network/address.h"

/* Linux 4.20; not in the headers of glibc 2.36. */
#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29
#endif

static gboolean
needs_scope (GInetAddress *group)
{
  return g_inet_address_get_family (group) == G_SOCKET_FAMILY_IPV6
      && (g_inet_address_get_is_mc_link_local (group)
          || g_inet_address_get_is_mc_node_local (group));
}

GInetSocketAddress *
tfrc_multicast_resolve (GInetSocketAddress *group, const gchar *iface,
    GError **error)
{
  GInetAddress *address = g_inet_socket_address_get_address (group);
  GInetSocketAddress *resolved = NULL;
  guint scope = tfrc_address_get_scope (group);
  gchar *text = g_inet_address_to_string (address);

  if (iface && if_nametoindex (iface) == 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "multicast-iface '%s' is no network interface of this host", iface);
  } else if (needs_scope (address) && !iface && scope == 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "host '%s' is a group of one link: multicast-iface must say of which",
        text);
  } else {
    if (iface && needs_scope (address))
      scope = if_nametoindex (iface);
    resolved = g_object_new (G_TYPE_INET_SOCKET_ADDRESS, "address", address,
        "port", (guint) g_inet_socket_address_get_port (group), "scope-id",
        scope, NULL);
  }
  g_free (text);
  return resolved;
}

/* NULL = the interface has none of that family. */
static GInetAddress *
get_address (const gchar *iface, GSocketFamily family)
{
  struct ifaddrs *all = NULL, *each;
  GInetAddress *found = NULL;

  if (getifaddrs (&all) != 0)
    return NULL;
  for (each = all; each && !found; each = each->ifa_next) {
    GSocketAddress *address;

    if (!each->ifa_addr || (GSocketFamily) each->ifa_addr->sa_family != family
        || strcmp (each->ifa_name, iface) != 0)
      continue;
    address = g_socket_address_new_from_native (each->ifa_addr,
        sizeof (struct sockaddr_in6));
    found = g_object_ref (
        g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)));
    g_object_unref (address);
  }
  freeifaddrs (all);
  return found;
}

/* A socket that could send to `group`: asks for a route and sends nothing. */
static GSocket *
connect_to (GInetSocketAddress *group, const gchar *iface, GError **error)
{
  GSocketFamily family = g_socket_address_get_family (G_SOCKET_ADDRESS (group));
  GInetAddress *own = iface ? get_address (iface, family) : NULL;
  GSocket *socket;

  if (iface && !own) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
        "it has no %s address",
        family == G_SOCKET_FAMILY_IPV6 ? "IPv6" : "IPv4");
    return NULL;
  }
  g_clear_object (&own);
  socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP,
      error);
  if (socket
      && ((iface && !tfrc_multicast_send_through (socket, iface, error))
          || !g_socket_connect (socket, G_SOCKET_ADDRESS (group), NULL, error)))
    g_clear_object (&socket);
  return socket;
}

gboolean
tfrc_multicast_check_route (GInetSocketAddress *group, const gchar *iface,
    GError **error)
{
  GSocket *socket = connect_to (group, iface, error);
  gboolean found = socket != NULL;

  if (!found) {
    gchar *text =
        g_inet_address_to_string (g_inet_socket_address_get_address (group));

    if (iface)
      g_prefix_error (error,
          "multicast-iface '%s' does not lead to the group "
          "'%s': ",
          iface, text);
    else
      g_prefix_error (error,
          "no route to the group '%s', and multicast-iface "
          "is not set: ",
          text);
    g_free (text);
  }
  g_clear_object (&socket);
  return found;
}

gboolean
tfrc_multicast_send_through (GSocket *socket, const gchar *iface,
    GError **error)
{
  GSocketFamily family = g_socket_get_family (socket);
  int index = (int) if_nametoindex (iface);
  int failed;

  if (family == G_SOCKET_FAMILY_IPV6) {
    failed = setsockopt (g_socket_get_fd (socket), IPPROTO_IPV6,
        IPV6_MULTICAST_IF, &index, sizeof (index));
  } else {
    struct ip_mreqn request = { .imr_ifindex = index };
    GInetAddress *own = get_address (iface, family);

    /* Left to choose, Linux takes no loopback address on lo, but one of
     * another interface, or 0.0.0.0, to which nobody can report. */
    if (own)
      memcpy (&request.imr_address, g_inet_address_to_bytes (own),
          sizeof (request.imr_address));
    g_clear_object (&own);
    failed = setsockopt (g_socket_get_fd (socket), IPPROTO_IP, IP_MULTICAST_IF,
        &request, sizeof (request));
  }
  if (failed)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s",
        g_strerror (errno));
  return !failed;
}

void
tfrc_multicast_receive_own_only (GSocket *socket)
{
#ifdef HAVE_IP_MULTICAST_ALL /* of Linux; elsewhere a socket hears no other */
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0, NULL);
  else
    g_socket_set_option (socket, IPPROTO_IP, IP_MULTICAST_ALL, 0, NULL);
#endif
}
