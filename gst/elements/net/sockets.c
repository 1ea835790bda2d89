/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "net/sockets.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "common/pads.h"
#include "common/properties.h"
#include "net/ecn.h"
#include "net/session.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

/* A key frame at 100 Mbit/s and a scheduling delay of 100 ms; see net.core.rmem_max. */
#define RECEIVE_BUFFER_SIZE (2 * 1024 * 1024)
/* Attempts to find two adjacent free ports. */
#define PAIR_ATTEMPTS 64
/* More than a receive buffer holds; ends the loop during a flood. */
#define MAX_DRAINED 100000

/* Whether the system has a way to `address`; sends nothing. */
static gboolean
has_route (GSocketAddress *address)
{
  g_autoptr (GSocket) socket =
      g_socket_new (g_socket_address_get_family (address),
          G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  return socket && g_socket_connect (socket, address, NULL, NULL);
}

/* The best of the addresses of a name: of `family` before others, then with a route before
 * others; so localhost is 127.0.0.1 on a host without IPv6. */
static GSocketAddress *
choose_address (const GList *found, guint16 port, GSocketFamily family)
{
  GSocketAddress *best = NULL;
  gint best_rank = -1;

  for (; found && best_rank < 3; found = found->next) {
    g_autoptr (GSocketAddress) address = g_inet_socket_address_new (found->data,
        port);
    gint rank = has_route (address);

    if (family == G_SOCKET_FAMILY_INVALID
        || g_socket_address_get_family (address) == family)
      rank += 2;
    if (rank > best_rank)
      g_set_object (&best, address);
    best_rank = MAX (rank, best_rank);
  }
  return best;
}

GInetSocketAddress *
tfrc_address_resolve (const gchar *host, guint16 port, GSocketFamily family,
    GError **error)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string (host, port);
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  GList *found;

  if (address)
    return G_INET_SOCKET_ADDRESS (address);
  found = g_resolver_lookup_by_name (resolver, host, NULL, error);
  if (!found) {
    if (strpbrk (host, ":/[") != NULL)
      g_prefix_error (error,
          "a name or an address is wanted here, without port "
          "or brackets, and no URI: ");
    return NULL;
  }
  address = choose_address (found, port, family);
  g_resolver_free_addresses (found);
  return G_INET_SOCKET_ADDRESS (address);
}

gboolean
tfrc_address_is_group (GInetSocketAddress *address)
{
  return g_inet_address_get_is_multicast (
      g_inet_socket_address_get_address (address));
}

gboolean
tfrc_address_names_group (const gchar *host)
{
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new_from_string (host, 0);

  return address && tfrc_address_is_group (G_INET_SOCKET_ADDRESS (address));
}

gboolean
tfrc_address_is_equal (GSocketAddress *a, GSocketAddress *b)
{
  GInetSocketAddress *inet_a, *inet_b;

  /* udpsrc mostly attaches the same object for the same address. */
  if (a == b)
    return TRUE;
  if (!G_IS_INET_SOCKET_ADDRESS (a) || !G_IS_INET_SOCKET_ADDRESS (b))
    return FALSE;
  inet_a = G_INET_SOCKET_ADDRESS (a);
  inet_b = G_INET_SOCKET_ADDRESS (b);
  return g_inet_socket_address_get_port (inet_a)
      == g_inet_socket_address_get_port (inet_b)
      && g_inet_address_equal (g_inet_socket_address_get_address (inet_a),
          g_inet_socket_address_get_address (inet_b));
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

void
tfrc_address_set_fields (GSocketAddress *address, GstStructure *structure,
    const gchar *host_field, const gchar *port_field)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  g_autofree gchar *host =
      g_inet_address_to_string (g_inet_socket_address_get_address (inet));
  guint scope = tfrc_address_get_scope (inet);
  g_autofree gchar *text = scope ? g_strdup_printf ("%s%%%u", host, scope)
                                 : NULL;

  gst_structure_set (structure, host_field, G_TYPE_STRING, text ? text : host,
      port_field, G_TYPE_UINT, (guint) g_inet_socket_address_get_port (inet),
      NULL);
}

/* Prefixes an error of bind() with what to do.  GLib 2.74 maps EADDRNOTAVAIL to FAILED,
 * and 2.84 to CONNECTION_REFUSED. */
static void
explain (GError **error, GInetAddress *host, guint port)
{
  g_autofree gchar *text = NULL;

  if (!error)
    return;
  text = g_inet_address_to_string (host);
  if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    g_prefix_error (error, "UDP port %u is taken, choose another one: ", port);
  else if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED))
    g_prefix_error (error,
        "UDP port %u is kept for root, choose one from 1024 on: ", port);
  else if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_FAILED)
      || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED))
    g_prefix_error (error,
        "%s is no address of this host, name one that is, or none: ", text);
}

static GSocket *open_any (GSocketFamily family, guint port, GError **error);

static GSocket *
open_socket (GInetSocketAddress *address, guint port, GError **error)
{
  GInetAddress *host = g_inet_socket_address_get_address (address);
  GSocketFamily family = g_inet_address_get_family (host);
  GError *refused = NULL;
  g_autoptr (GSocketAddress) local = NULL;
  GSocket *socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, &refused);

  /* On a host without IPv6 the IPv6 wildcard falls back to that of IPv4. */
  if (family == G_SOCKET_FAMILY_IPV6 && g_inet_address_get_is_any (host)
      && g_error_matches (refused, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED)) {
    g_error_free (refused);
    return open_any (G_SOCKET_FAMILY_IPV4, port, error);
  }
  if (!socket) {
    g_propagate_error (error, refused);
    return NULL;
  }
  /* A smaller buffer than requested is no error. */
  g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER_SIZE,
      NULL);
  if (family == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_V6ONLY,
        !g_inet_address_get_is_any (host), NULL);
  local = tfrc_address_with_port (address, port);
  /* Sockets that share a group's port all receive its packets.  Of two on the same
   * unicast port one would receive nothing, so the second bind has to fail. */
  if (!g_socket_bind (socket, local, tfrc_address_is_group (address), error)) {
    g_clear_object (&socket);
    explain (error, host, port);
  }
  return socket;
}

static GSocket *
open_any (GSocketFamily family, guint port, GError **error)
{
  g_autoptr (GInetAddress) any = g_inet_address_new_any (family);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (any, 0);

  return open_socket (G_INET_SOCKET_ADDRESS (address), port, error);
}

/* Opens both sockets or none. */
static void
open_pair (TfrcSockets *self, GInetSocketAddress *address, GError **error)
{
  guint wanted = g_inet_socket_address_get_port (address);

  for (guint attempt = 0; attempt < (wanted ? 1 : PAIR_ATTEMPTS); attempt++) {
    guint port;

    g_clear_error (error);
    self->rtp = open_socket (address, wanted, error);
    if (!self->rtp)
      return;
    port = tfrc_sockets_get_port (self);
    /* RFC 3550 section 11: RTP uses the even port of a pair. */
    if (port < 65535 && (wanted || port % 2 == 0))
      self->rtcp = open_socket (address, port + 1, error);
    if (self->rtcp)
      return;
    tfrc_sockets_close (self);
  }
  if (error && !*error)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "no two adjacent UDP ports are free for RTP and RTCP");
}

gboolean
tfrc_sockets_open (TfrcSockets *self, GInetSocketAddress *address,
    gboolean rtcp_mux, GError **error)
{
  if (rtcp_mux) {
    self->rtp = open_socket (address, g_inet_socket_address_get_port (address),
        error);
    g_set_object (&self->rtcp, self->rtp);
  } else
    open_pair (self, address, error);
  if (!self->rtp)
    return FALSE;
  self->reports = tfrc_address_is_group (address)
      ? open_any (g_socket_get_family (self->rtp), 0, error)
      : g_object_ref (self->rtcp);
  return self->reports != NULL;
}

void
tfrc_sockets_close (TfrcSockets *self)
{
  if (self->rtp)
    g_socket_close (self->rtp, NULL);
  if (self->rtcp && self->rtcp != self->rtp)
    g_socket_close (self->rtcp, NULL);
  if (self->reports && self->reports != self->rtcp)
    g_socket_close (self->reports, NULL);
  g_clear_object (&self->rtp);
  g_clear_object (&self->rtcp);
  g_clear_object (&self->reports);
}

guint
tfrc_sockets_get_port (const TfrcSockets *self)
{
  g_autoptr (GSocketAddress) address = NULL;

  if (self->rtp)
    address = g_socket_get_local_address (self->rtp, NULL);
  return address
      ? g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address))
      : 0;
}

static guint
drain_socket (GSocket *socket)
{
  gchar datagram[1];
  guint count = 0;

  while (count < MAX_DRAINED
      && g_socket_receive_with_blocking (socket, datagram, sizeof (datagram),
             FALSE, NULL, NULL)
          >= 0)
    count++;
  return count;
}

guint
tfrc_sockets_drain (TfrcSockets *self)
{
  guint count = drain_socket (self->rtp);

  if (self->rtcp != self->rtp)
    count += drain_socket (self->rtcp);
  return count;
}

void
tfrc_sockets_send_on_link (GSocket *socket, GInetSocketAddress *to)
{
#ifdef HAVE_IPV6_UNICAST_IF /* of Linux */
  /* Fails on a socket bound to a link, which sends there anyway. */
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_UNICAST_IF,
        (gint) htonl (tfrc_address_get_scope (to)), NULL);
#endif
}

void
tfrc_socket_send_to (GSocket *socket, GstBuffer *buffer, GSocketAddress *to,
    GSocketControlMessage *message)
{
  g_autoptr (GError) error = NULL;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  if (g_socket_send_message_with_timeout (socket, to,
          &(GOutputVector) { map.data, map.size }, 1, &message, message != NULL,
          G_SOCKET_MSG_NONE, 0, NULL, NULL, &error)
      != G_POLLABLE_RETURN_OK)
    GST_DEBUG ("lost: %s",
        error != NULL ? error->message : "the socket has no room");
  gst_buffer_unmap (buffer, &map);
}

#define REMOTE "tfrc-remote" /* data of a udpsink: GSocketAddress */

void
tfrc_sockets_set_remote (GstElement *udpsink, GInetSocketAddress *remote)
{
  g_autofree gchar *host =
      g_inet_address_to_string (g_inet_socket_address_get_address (remote));
  g_autoptr (GSocket) ipv6 = NULL;

  g_object_set_data_full (G_OBJECT (udpsink), REMOTE, g_object_ref (remote),
      g_object_unref);
  g_object_set (udpsink, "host", host, "port",
      (gint) g_inet_socket_address_get_port (remote), NULL);
  g_object_get (udpsink, "socket-v6", &ipv6, NULL);
  if (ipv6)
    tfrc_sockets_send_on_link (ipv6, remote);
}

static gpointer
ref_remote (gpointer remote, gpointer unused)
{
  return g_object_ref (remote);
}

/* Sends the packet to the address of the udpsink, and keeps it from the udpsink.  Its own
 * host must not be read while another thread sets it. */
static GstPadProbeReturn
send_at_once (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GSocket *socket = user_data;
  g_autoptr (GSocketAddress) to =
      g_object_dup_data (G_OBJECT (GST_PAD_PARENT (pad)), REMOTE, ref_remote,
          NULL);
  const gboolean ipv6 = g_socket_address_get_family (to)
      == G_SOCKET_FAMILY_IPV6;
  g_autoptr (GSocketControlMessage) not_ect = NULL;
  gint byte = 0;

  g_socket_get_option (socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
      ipv6 ? IPV6_TCLASS : IP_TOS, &byte, NULL);
  not_ect = tfrc_ecn_message_new (g_socket_address_get_family (to),
      (guint8) (byte & ~TFRC_ECN_MASK));
  tfrc_socket_send_to (socket, GST_PAD_PROBE_INFO_BUFFER (info), to, not_ect);
  return GST_PAD_PROBE_DROP;
}

void
tfrc_sockets_send_at_once (GstElement *udpsink, GSocket *socket)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (udpsink, "sink");

  tfrc_packet_probe_add (pad, send_at_once, g_object_ref (socket),
      g_object_unref);
}

GSocketAddress *
tfrc_sockets_map_address (const TfrcSockets *self, GSocketAddress *address,
    guint port_offset)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  GInetAddress *host = g_inet_socket_address_get_address (inet);
  guint port = g_inet_socket_address_get_port (inet) + port_offset;
  g_autoptr (GInetAddress) mapped = NULL;
  guint8 bytes[16] = {
    0,
  };

  if (g_socket_get_family (self->rtp) != G_SOCKET_FAMILY_IPV6
      || g_inet_address_get_family (host) != G_SOCKET_FAMILY_IPV4) {
    if (port_offset == 0)
      return g_object_ref (address);
    return tfrc_address_with_port (inet, port);
  }
  /* RFC 4291 section 2.5.5.2: ::ffff:a.b.c.d */
  bytes[10] = bytes[11] = 0xff;
  memcpy (bytes + 12, g_inet_address_to_bytes (host), 4);
  mapped = g_inet_address_new_from_bytes (bytes, G_SOCKET_FAMILY_IPV6);
  return g_inet_socket_address_new (mapped, port);
}

static gboolean
needs_scope (GInetAddress *group)
{
  return g_inet_address_get_family (group) == G_SOCKET_FAMILY_IPV6
      && (g_inet_address_get_is_mc_link_local (group)
          || g_inet_address_get_is_mc_node_local (group));
}

gchar **
tfrc_multicast_split_ifaces (const gchar *ifaces)
{
  return g_strsplit (ifaces ? ifaces : "", ",", -1);
}

static gboolean
is_named_before (gchar **ifaces, guint i)
{
  guint first = 0;

  while (if_nametoindex (ifaces[first]) != if_nametoindex (ifaces[i]))
    first++;
  return first < i;
}

/* `group` with the scope id that a link-local IPv6 group needs (RFC 4007); the caller
 * unrefs.  NULL with an error if one of `ifaces` (empty = the system's choice) does not
 * exist or is named twice, or if such a group has no scope, or several. */
static GInetSocketAddress *
resolve_group (GInetSocketAddress *group, gchar **ifaces, GError **error)
{
  GInetAddress *address = g_inet_socket_address_get_address (group);
  guint scope = tfrc_address_get_scope (group);
  guint n_ifaces = g_strv_length (ifaces);
  g_autofree gchar *text = g_inet_address_to_string (address);

  for (guint i = 0; i < n_ifaces; i++) {
    if (if_nametoindex (ifaces[i]) != 0)
      continue;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "multicast-iface '%s' is no network interface of this host, see ip "
        "link",
        ifaces[i]);
    return NULL;
  }
  if (needs_scope (address) && (n_ifaces > 1 || n_ifaces + scope == 0)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "host '%s' is a group of one link: multicast-iface must say of which",
        text);
    return NULL;
  }
  for (guint i = 1; i < n_ifaces; i++) {
    if (!is_named_before (ifaces, i))
      continue;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "multicast-iface names '%s' twice", ifaces[i]);
    return NULL;
  }
  if (n_ifaces > 0 && needs_scope (address))
    scope = if_nametoindex (ifaces[0]);
  return g_object_new (G_TYPE_INET_SOCKET_ADDRESS, "address", address, "port",
      (guint) g_inet_socket_address_get_port (group), "scope-id", scope, NULL);
}

/* An address of the interface; NULL = it has none of that family. */
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

/* A socket connected to `group`, which fails without a route and sends nothing. */
static GSocket *
connect_to (GInetSocketAddress *group, const gchar *iface, GError **error)
{
  GSocketFamily family = g_socket_address_get_family (G_SOCKET_ADDRESS (group));
  g_autoptr (GInetAddress) own = iface ? get_address (iface, family) : NULL;
  GSocket *socket;

  if (iface && !own) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
        "it has no %s address",
        family == G_SOCKET_FAMILY_IPV6 ? "IPv6" : "IPv4");
    return NULL;
  }
  socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP,
      error);
  if (socket
      && ((iface && !tfrc_multicast_set_interface (socket, iface, error))
          || !g_socket_connect (socket, G_SOCKET_ADDRESS (group), NULL, error)))
    g_clear_object (&socket);
  return socket;
}

/* Whether there is a route to `group`; FALSE with an error that says what is missing. */
static gboolean
check_route (GInetSocketAddress *group, const gchar *iface, GError **error)
{
  g_autoptr (GSocket) socket = connect_to (group, iface, error);
  g_autofree gchar *text =
      g_inet_address_to_string (g_inet_socket_address_get_address (group));

  if (!socket && iface)
    g_prefix_error (error,
        "multicast-iface '%s' has no address or route for the group '%s': ",
        iface, text);
  else if (!socket)
    g_prefix_error (error,
        "no route to the group '%s', so set multicast-iface: ", text);
  return socket != NULL;
}

gboolean
tfrc_multicast_set_interface (GSocket *socket, const gchar *iface,
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
    g_autoptr (GInetAddress) own = get_address (iface, family);

    /* On lo, Linux would choose the source address of another interface, or 0.0.0.0, to
     * which no receiver can report. */
    if (own)
      memcpy (&request.imr_address, g_inet_address_to_bytes (own),
          sizeof (request.imr_address));
    failed = setsockopt (g_socket_get_fd (socket), IPPROTO_IP, IP_MULTICAST_IF,
        &request, sizeof (request));
  }
  if (failed)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s",
        g_strerror (errno));
  return !failed;
}

/* in6_pktinfo (RFC 3542 section 6), which glibc defines with _GNU_SOURCE only. */
typedef struct
{
  struct in6_addr address;
  guint index;
} PacketInfo6;

GSocketControlMessage *
tfrc_multicast_message_new (GSocket *socket, const gchar *iface)
{
  GSocketFamily family = g_socket_get_family (socket);
  g_autoptr (GSocketAddress) local = g_socket_get_local_address (socket, NULL);
  g_autoptr (GInetAddress) own = get_address (iface, family);
  PacketInfo6 info6 = { .index = if_nametoindex (iface) };
  struct in_pktinfo info = { .ipi_ifindex = (int) info6.index };

  if (family == G_SOCKET_FAMILY_IPV6)
    return tfrc_control_message_new (IPPROTO_IPV6, IPV6_PKTINFO, &info6,
        sizeof (info6));
  /* Otherwise the source address would be that of IP_MULTICAST_IF, another interface. */
  if (own && local
      && g_inet_address_get_is_any (
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (local))))
    memcpy (&info.ipi_spec_dst, g_inet_address_to_bytes (own),
        sizeof (info.ipi_spec_dst));
  return tfrc_control_message_new (IPPROTO_IP, IP_PKTINFO, &info,
      sizeof (info));
}

/* RFC 4007: a link-local address is ambiguous without its link. */
static gboolean
has_link (GInetSocketAddress *address, const gchar *text, const gchar *property,
    GError **error)
{
  return !g_inet_address_get_is_link_local (
             g_inet_socket_address_get_address (address))
      || tfrc_address_get_scope (address) != 0
      || g_socket_address_get_family (G_SOCKET_ADDRESS (address))
      == G_SOCKET_FAMILY_IPV4
      || tfrc_properties_refuse (error,
          "%s '%s' is an address of one link: name its interface with it, as "
          "in %s%%eth0",
          property, text, text);
}

/* `family`: see tfrc_endpoint_init_sink. */
static gboolean
init (TfrcEndpoint *self, const TfrcNetSettings *settings, GSocketFamily family,
    GError **error)
{
  g_auto (GStrv) ifaces = NULL;
  GInetSocketAddress *group;

  *self = (TfrcEndpoint) {
    NULL,
  };
  self->host = tfrc_address_resolve (settings->host, settings->port, family,
      error);
  if (!self->host) {
    g_prefix_error (error, "host '%s': ", settings->host);
    return FALSE;
  }
  self->is_group = tfrc_address_is_group (self->host);
  self->mode = settings->mode;
  if (self->mode == GST_TFRC_MODE_AUTO)
    self->mode = self->is_group ? GST_TFRC_MODE_TFMCC : GST_TFRC_MODE_TFRC;
  if (!self->is_group)
    return has_link (self->host, settings->host, "host", error);
  if (self->mode == GST_TFRC_MODE_TFRC)
    return tfrc_properties_refuse (error,
        "host '%s' is a multicast group, and mode=tfrc is for one receiver: "
        "set mode=tfmcc or mode=auto",
        settings->host);
  ifaces = tfrc_multicast_split_ifaces (settings->multicast_iface);
  group = resolve_group (self->host, ifaces, error);
  if (!group)
    return FALSE;
  g_object_unref (self->host);
  self->host = group;
  /* With a bind-address, packets leave through the interface that has it. */
  if (settings->bind_address)
    return TRUE;
  for (guint i = 0; ifaces[i]; i++)
    if (!check_route (group, ifaces[i], error))
      return FALSE;
  return ifaces[0] || check_route (group, NULL, error);
}

/* The family of the host; INVALID: any, as the IPv6 wildcard accepts IPv4, too. */
static GSocketFamily
get_family (const TfrcEndpoint *self)
{
  GInetAddress *host = g_inet_socket_address_get_address (self->host);
  GSocketFamily family = g_inet_address_get_family (host);

  return family == G_SOCKET_FAMILY_IPV6 && g_inet_address_get_is_any (host)
      ? G_SOCKET_FAMILY_INVALID
      : family;
}

/* Whether `address` is of that family. */
static gboolean
is_family (TfrcEndpoint *self, GInetAddress *address, const gchar *text,
    const gchar *property, GError **error)
{
  GInetAddress *host = g_inet_socket_address_get_address (self->host);
  GSocketFamily family = get_family (self);
  g_autofree gchar *host_text = NULL;

  if (family == G_SOCKET_FAMILY_INVALID
      || g_inet_address_get_family (address) == family)
    return TRUE;
  host_text = g_inet_address_to_string (host);
  return tfrc_properties_refuse (error,
      "%s '%s' and host '%s' must both be IPv4 or both IPv6", property, text,
      host_text);
}

/* The address that `property` names, which must be unicast and of the host's family.
 * Where any will do, it is that of a tfrcsink that listens: of IPv4 unless its bind-address
 * is another. */
static GInetSocketAddress *
resolve_as (TfrcEndpoint *self, const gchar *name, const gchar *property,
    GError **error)
{
  GSocketFamily family = get_family (self);
  GInetSocketAddress *found = tfrc_address_resolve (name, 0,
      family == G_SOCKET_FAMILY_INVALID ? G_SOCKET_FAMILY_IPV4 : family, error);

  if (!found) {
    g_prefix_error (error, "%s '%s': ", property, name);
    return NULL;
  }
  if (tfrc_address_is_group (found))
    tfrc_properties_refuse (error,
        "%s '%s' is a multicast group, not the address of a host", property,
        name);
  else if (is_family (self, g_inet_socket_address_get_address (found), name,
               property, error))
    return found;
  g_object_unref (found);
  return NULL;
}

/* The same with a port; a link-local address must have its scope. */
static gboolean
resolve_host (TfrcEndpoint *self, const gchar *name, guint port,
    const gchar *property, GInetSocketAddress **address, GError **error)
{
  g_autoptr (GInetSocketAddress) found = resolve_as (self, name, property,
      error);

  if (found && has_link (found, name, property, error))
    *address = G_INET_SOCKET_ADDRESS (tfrc_address_with_port (found, port));
  return *address != NULL;
}

gboolean
tfrc_endpoint_reaches_nobody (const TfrcEndpoint *self,
    const TfrcNetSettings *settings)
{
  g_autoptr (GInetAddress) own = NULL;

  if (!self->is_group || settings->loop || !settings->multicast_iface)
    return FALSE;
  own = get_address (settings->multicast_iface,
      g_socket_address_get_family (G_SOCKET_ADDRESS (self->host)));
  return own && g_inet_address_get_is_loopback (own);
}

gboolean
tfrc_endpoint_init_sink (TfrcEndpoint *self, const TfrcNetSettings *settings,
    GSocketFamily family, GError **error)
{
  g_autoptr (GInetAddress) any = NULL;
  g_autoptr (GSocketAddress) own = settings->bind_address
      ? g_inet_socket_address_new_from_string (settings->bind_address, 0)
      : NULL;

  if (own)
    family = g_socket_address_get_family (own);
  if (!init (self, settings, family, error))
    return FALSE;
  if (settings->bind_address)
    return resolve_host (self, settings->bind_address, settings->bind_port,
        "bind-address", &self->local, error);
  any = g_inet_address_new_any (
      g_socket_address_get_family (G_SOCKET_ADDRESS (self->host)));
  self->local = G_INET_SOCKET_ADDRESS (g_inet_socket_address_new (any,
      settings->bind_port));
  return TRUE;
}

gboolean
tfrc_endpoint_init_src (TfrcEndpoint *self, const TfrcNetSettings *settings,
    GError **error)
{
  g_autoptr (GInetSocketAddress) source = NULL;

  if (!init (self, settings, G_SOCKET_FAMILY_INVALID, error))
    return FALSE;
  self->local = g_object_ref (self->host);
  if ((settings->feedback_host
          && !resolve_host (self, settings->feedback_host, 0, "feedback-host",
              &self->feedback, error))
      || (settings->sender_host
          && !resolve_host (self, settings->sender_host, settings->sender_port,
              "sender-host", &self->sender, error)))
    return FALSE;
  if (self->sender && self->is_group)
    return tfrc_properties_refuse (error,
        "sender-host is for one receiver, and host '%s' a multicast group",
        settings->host);
  if (!settings->multicast_source || !self->is_group)
    return TRUE;
  source = resolve_as (self, settings->multicast_source, "multicast-source",
      error);
  if (source)
    self->multicast_source =
        g_object_ref (g_inet_socket_address_get_address (source));
  return source != NULL;
}

void
tfrc_endpoint_clear (TfrcEndpoint *self)
{
  g_clear_object (&self->host);
  g_clear_object (&self->local);
  g_clear_object (&self->feedback);
  g_clear_object (&self->sender);
  g_clear_object (&self->multicast_source);
}
