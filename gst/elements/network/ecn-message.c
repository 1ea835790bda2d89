/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IP_TOS and IPV6_TCLASS.  An IPv6 socket may send and receive IPv4, too, and
 * has the options of both. */

#include "network/ecn-message.h"

#include <gst/net/net.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

struct _TfrcEcnMessage
{
  GSocketControlMessage parent;
  GSocketFamily family;
  TfrcEcnCodepoint ecn;
  guint8 dscp_bits; /* where they are in the octet */
};

G_DEFINE_TYPE (TfrcEcnMessage, tfrc_ecn_message, G_TYPE_SOCKET_CONTROL_MESSAGE);

static gboolean set_option (GSocket *socket, int level, int option, int value,
    GError **error);
static gboolean set_bits (GSocket *socket, int mask, int bits, GError **error);
static gboolean set_bits_of (GSocket *socket, int level, int option, int mask,
    int bits, GError **error);

GSocketControlMessage *
tfrc_ecn_message_new (GSocketFamily family, TfrcEcnCodepoint ecn)
{
  TfrcEcnMessage *self = g_object_new (TFRC_TYPE_ECN_MESSAGE, NULL);

  self->family = family;
  self->ecn = ecn;
  return G_SOCKET_CONTROL_MESSAGE (self);
}

GSocketControlMessage *
tfrc_ecn_message_new_like (GSocket *socket, GSocketFamily family,
    TfrcEcnCodepoint ecn)
{
  GSocketControlMessage *self = tfrc_ecn_message_new (family, ecn);
  gboolean ipv6 = family == G_SOCKET_FAMILY_IPV6;
  int byte = 0;

  if (g_socket_get_option (socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
          ipv6 ? IPV6_TCLASS : IP_TOS, &byte, NULL))
    TFRC_ECN_MESSAGE (self)->dscp_bits = (guint8) (byte & ~TFRC_ECN_MASK);
  return self;
}

TfrcEcnCodepoint
tfrc_ecn_message_get (TfrcEcnMessage *self)
{
  return self->ecn;
}

gboolean
tfrc_ecn_message_enable (GSocket *socket, GError **error)
{
  /* GLib finds the class among those that are there. */
  g_type_class_unref (g_type_class_ref (TFRC_TYPE_ECN_MESSAGE));
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6
      && !set_option (socket, IPPROTO_IPV6, IPV6_RECVTCLASS, 1, error))
    return FALSE;
  return set_option (socket, IPPROTO_IP, IP_RECVTOS, 1, error);
}

gboolean
tfrc_ecn_message_mark (GSocket *socket, TfrcEcnCodepoint ecn, GError **error)
{
  if (set_bits (socket, TFRC_ECN_MASK, ecn, error))
    return TRUE;
  g_prefix_error (error, "ECN: ");
  return FALSE;
}

gboolean
tfrc_ecn_message_set_dscp (GSocket *socket, guint dscp, GError **error)
{
  if (set_bits (socket, ~TFRC_ECN_MASK, (int) dscp << 2, error))
    return TRUE;
  g_prefix_error (error, "qos-dscp %u: ", dscp);
  return FALSE;
}

gboolean
tfrc_ecn_message_of_buffer (GstBuffer *buffer, TfrcEcnCodepoint *ecn)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_NET_CONTROL_MESSAGE_META_API_TYPE))) {
    GSocketControlMessage *message =
        ((GstNetControlMessageMeta *) meta)->message;

    if (TFRC_IS_ECN_MESSAGE (message)) {
      *ecn = TFRC_ECN_MESSAGE (message)->ecn;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
set_option (GSocket *socket, int level, int option, int value, GError **error)
{
  if (g_socket_set_option (socket, level, option, value, error))
    return TRUE;
  g_prefix_error (error, "ECN: ");
  return FALSE;
}

static gboolean
set_bits (GSocket *socket, int mask, int bits, GError **error)
{
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6
      && !set_bits_of (socket, IPPROTO_IPV6, IPV6_TCLASS, mask, bits, error))
    return FALSE;
  return set_bits_of (socket, IPPROTO_IP, IP_TOS, mask, bits, error);
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

static gsize
get_size (GSocketControlMessage *message)
{
  return sizeof (int);
}

static int
get_level (GSocketControlMessage *message)
{
  return TFRC_ECN_MESSAGE (message)->family == G_SOCKET_FAMILY_IPV6
      ? IPPROTO_IPV6
      : IPPROTO_IP;
}

static int
get_msg_type (GSocketControlMessage *message)
{
  return TFRC_ECN_MESSAGE (message)->family == G_SOCKET_FAMILY_IPV6
      ? IPV6_TCLASS
      : IP_TOS;
}

static void
serialize (GSocketControlMessage *message, gpointer data)
{
  int byte = TFRC_ECN_MESSAGE (message)->ecn
      | TFRC_ECN_MESSAGE (message)->dscp_bits;

  memcpy (data, &byte, sizeof (byte));
}

/* Linux gives the TOS as one byte and the traffic class as an int. */
static GSocketControlMessage *
deserialize (int level, int type, gsize size, gpointer data)
{
  gboolean ipv4 = level == IPPROTO_IP && type == IP_TOS;
  int byte = 0;

  if (!ipv4 && !(level == IPPROTO_IPV6 && type == IPV6_TCLASS))
    return NULL;
  if (size == sizeof (guint8))
    byte = *(const guint8 *) data;
  else if (size >= sizeof (int))
    memcpy (&byte, data, sizeof (int));
  else
    return NULL;
  return tfrc_ecn_message_new (ipv4 ? G_SOCKET_FAMILY_IPV4
                                    : G_SOCKET_FAMILY_IPV6,
      byte & TFRC_ECN_MASK);
}

static void
tfrc_ecn_message_class_init (TfrcEcnMessageClass *klass)
{
  GSocketControlMessageClass *message_class =
      G_SOCKET_CONTROL_MESSAGE_CLASS (klass);

  message_class->get_size = get_size;
  message_class->get_level = get_level;
  message_class->get_type = get_msg_type;
  message_class->serialize = serialize;
  message_class->deserialize = deserialize;
}

static void
tfrc_ecn_message_init (TfrcEcnMessage *self)
{
}
