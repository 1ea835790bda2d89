/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IP_TOS and IPV6_TCLASS, RFC 3542 section 6.5. */

#include "common/ecn-message.h"

#include <gst/net/net.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

struct _TfrcEcnMessage
{
  GSocketControlMessage parent;
  GSocketFamily family;
  guint8 traffic_class; /* of IPv4, the TOS byte */
};

G_DEFINE_TYPE (TfrcEcnMessage, tfrc_ecn_message, G_TYPE_SOCKET_CONTROL_MESSAGE);

GSocketControlMessage *
tfrc_ecn_message_new (GSocketFamily family, guint8 traffic_class)
{
  TfrcEcnMessage *self = g_object_new (TFRC_TYPE_ECN_MESSAGE, NULL);

  self->family = family;
  self->traffic_class = traffic_class;
  return G_SOCKET_CONTROL_MESSAGE (self);
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
      *ecn = TFRC_ECN_MESSAGE (message)->traffic_class & TFRC_ECN_MASK;
      return TRUE;
    }
  }
  return FALSE;
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
  int byte = TFRC_ECN_MESSAGE (message)->traffic_class;

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
      (guint8) byte);
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
