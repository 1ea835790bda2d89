/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates and binds the UDP sockets of tfrcsink and tfrcsrc.  Joins no
 * multicast group and sends nothing. */

#include "network/sockets.h"

#include "network/address.h"
#include "network/ecn-socket.h"

#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* A key frame at 100 Mbit/s and a scheduling delay of 100 ms fit; the kernel
 * gives less where net.core.rmem_max says so. */
#define RECEIVE_BUFFER_SIZE (2 * 1024 * 1024)
/* Ports asked of the kernel until two adjacent ones are free. */
#define PAIR_ATTEMPTS 64
/* More than a receive buffer holds: a flood must not keep us here. */
#define MAX_DRAINED 100000

/* What bind() refused, in words that say what to do.  EADDRNOTAVAIL is a
 * failure to GLib 2.74, and to 2.84 a refused connection. */
static void
explain (GError **error, GInetAddress *host, guint port)
{
  gchar *text;

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
  g_free (text);
}

static GSocket *open_any (GSocketFamily family, guint port, GError **error);

static GSocket *
open_socket (GInetSocketAddress *address, guint port, GError **error)
{
  GInetAddress *host = g_inet_socket_address_get_address (address);
  GSocketFamily family = g_inet_address_get_family (host);
  GError *refused = NULL;
  GSocketAddress *local;
  GSocket *socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, &refused);

  /* The wildcard of a host without IPv6 is that of IPv4. */
  if (family == G_SOCKET_FAMILY_IPV6 && g_inet_address_get_is_any (host)
      && g_error_matches (refused, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED)) {
    g_error_free (refused);
    return open_any (G_SOCKET_FAMILY_IPV4, port, error);
  }
  if (!socket) {
    g_propagate_error (error, refused);
    return NULL;
  }
  /* What an administrator does not grant is no error. */
  g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER_SIZE,
      NULL);
  if (family == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_V6ONLY,
        !g_inet_address_get_is_any (host), NULL);
  local = tfrc_address_with_port (address, port);
  /* Every receiver gets what comes to a group; but of two on a unicast port
   * one would get nothing, and must fail instead. */
  if (!g_socket_bind (socket, local, tfrc_address_is_group (address), error)) {
    g_clear_object (&socket);
    explain (error, host, port);
  }
  g_object_unref (local);
  return socket;
}

static GSocket *
open_any (GSocketFamily family, guint port, GError **error)
{
  GInetAddress *any = g_inet_address_new_any (family);
  GSocketAddress *address = g_inet_socket_address_new (any, 0);
  GSocket *socket = open_socket (G_INET_SOCKET_ADDRESS (address), port, error);

  g_object_unref (address);
  g_object_unref (any);
  return socket;
}

static gboolean
open_pair (TfrcSockets *self, GInetSocketAddress *address, GError **error)
{
  guint wanted = g_inet_socket_address_get_port (address);
  guint attempt;

  for (attempt = 0; attempt < PAIR_ATTEMPTS; attempt++) {
    guint port;

    g_clear_error (error);
    self->rtp = open_socket (address, wanted, error);
    if (!self->rtp)
      return FALSE;
    port = tfrc_sockets_get_port (self);
    /* RFC 3550 section 11: RTP on the even port of a pair. */
    if (port < 65535 && (wanted || port % 2 == 0))
      self->rtcp = open_socket (address, port + 1, error);
    if (self->rtcp)
      return TRUE;
    tfrc_sockets_close (self);
    if (wanted)
      break;
  }
  if (error && !*error)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "no two adjacent UDP ports are free for RTP and RTCP");
  return FALSE;
}

gboolean
tfrc_sockets_open (TfrcSockets *self, GInetSocketAddress *address,
    gboolean rtcp_mux, GError **error)
{
  if (!rtcp_mux) {
    if (!open_pair (self, address, error))
      return FALSE;
  } else {
    self->rtp = open_socket (address, g_inet_socket_address_get_port (address),
        error);
    if (!self->rtp)
      return FALSE;
    self->rtcp = g_object_ref (self->rtp);
  }
  if (tfrc_address_is_group (address))
    self->reports = open_any (g_socket_get_family (self->rtp), 0, error);
  else
    self->reports = g_object_ref (self->rtcp);
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
  GSocketAddress *address;
  guint port;

  if (!self->rtp)
    return 0;
  address = g_socket_get_local_address (self->rtp, NULL);
  if (!address)
    return 0;
  port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
  g_object_unref (address);
  return port;
}

void
tfrc_sockets_set_ttl (TfrcSockets *self, guint ttl)
{
  g_socket_set_ttl (self->rtp, ttl);
  if (self->rtcp != self->rtp)
    g_socket_set_ttl (self->rtcp, ttl);
  if (self->reports != self->rtcp)
    g_socket_set_ttl (self->reports, ttl);
}

gboolean
tfrc_sockets_set_dscp (TfrcSockets *self, guint dscp, GError **error)
{
  return tfrc_ecn_socket_set_dscp (self->rtp, dscp, error)
      && tfrc_ecn_socket_set_dscp (self->rtcp, dscp, error)
      && tfrc_ecn_socket_set_dscp (self->reports, dscp, error);
}

guint
tfrc_sockets_set_buffer_size (TfrcSockets *self, gboolean sending, guint size)
{
  gint option = sending ? SO_SNDBUF : SO_RCVBUF;
  gint granted = 0;

  g_socket_set_option (self->rtcp, SOL_SOCKET, option, (gint) size, NULL);
  g_socket_set_option (self->rtp, SOL_SOCKET, option, (gint) size, NULL);
  g_socket_get_option (self->rtp, SOL_SOCKET, option, &granted, NULL);
  /* Linux tells of twice as much: with what it needs for itself. */
  return (guint) granted / 2;
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
  /* Refused by one that is bound to a link, and so leaves there anyway. */
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_UNICAST_IF,
        (gint) htonl (tfrc_address_get_scope (to)), NULL);
#endif
}

GSocketAddress *
tfrc_sockets_map_address (const TfrcSockets *self, GSocketAddress *address,
    guint port_offset)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  GInetAddress *host = g_inet_socket_address_get_address (inet);
  guint port = g_inet_socket_address_get_port (inet) + port_offset;
  GInetAddress *mapped;
  GSocketAddress *result;
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
  result = g_inet_socket_address_new (mapped, port);
  g_object_unref (mapped);
  return result;
}
