/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IP_TOS and IPV6_TCLASS.  An IPv6 socket may send and receive IPv4, too, and
 * has the options of both. */

#include "network/ecn-socket.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "common/ecn-message.h"

static gboolean
set_option (GSocket *socket, int level, int option, int value, GError **error)
{
  if (g_socket_set_option (socket, level, option, value, error))
    return TRUE;
  g_prefix_error (error, "ECN: ");
  return FALSE;
}

gboolean
tfrc_ecn_socket_enable (GSocket *socket, GError **error)
{
  /* GLib finds the class among those that are there. */
  g_type_class_unref (g_type_class_ref (TFRC_TYPE_ECN_MESSAGE));
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6
      && !set_option (socket, IPPROTO_IPV6, IPV6_RECVTCLASS, 1, error))
    return FALSE;
#ifdef HAVE_IP_RECVTOS /* of no standard, other than the rest */
  return set_option (socket, IPPROTO_IP, IP_RECVTOS, 1, error);
#else
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
      "ECN: this system does not tell the ECN bits of IPv4");
  return FALSE;
#endif
}

static gboolean
set_bits_of (GSocket *socket, int level, int option, int mask, int bits,
    GError **error)
{
  int byte = 0;

  return g_socket_get_option (socket, level, option, &byte, error)
      && g_socket_set_option (socket, level, option, (byte & ~mask) | bits,
          error);
}

static gboolean
set_bits (GSocket *socket, int mask, int bits, GError **error)
{
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6
      && !set_bits_of (socket, IPPROTO_IPV6, IPV6_TCLASS, mask, bits, error))
    return FALSE;
  return set_bits_of (socket, IPPROTO_IP, IP_TOS, mask, bits, error);
}

gboolean
tfrc_ecn_socket_mark (GSocket *socket, TfrcEcnCodepoint ecn, GError **error)
{
  if (set_bits (socket, TFRC_ECN_MASK, ecn, error))
    return TRUE;
  g_prefix_error (error, "ECN: ");
  return FALSE;
}

gboolean
tfrc_ecn_socket_set_dscp (GSocket *socket, guint dscp, GError **error)
{
  if (set_bits (socket, ~TFRC_ECN_MASK, (int) dscp << 2, error))
    return TRUE;
  g_prefix_error (error, "qos-dscp %u: ", dscp);
  return FALSE;
}

GSocketControlMessage *
tfrc_ecn_socket_make_message (GSocket *socket, GSocketFamily family,
    TfrcEcnCodepoint ecn)
{
  gboolean ipv6 = family == G_SOCKET_FAMILY_IPV6;
  int byte = 0;

  if (!g_socket_get_option (socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
          ipv6 ? IPV6_TCLASS : IP_TOS, &byte, NULL))
    byte = 0;
  return tfrc_ecn_message_new (family,
      (guint8) ((byte & ~TFRC_ECN_MASK) | (int) ecn));
}
