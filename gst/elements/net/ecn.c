/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IP_TOS and IPV6_TCLASS (RFC 3542 section 6.5), as socket options and, per datagram, as
 * control messages.  An IPv6 socket that also carries IPv4 has the options of both. */

#include "net/ecn.h"

#include <gst/net/net.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "net/session.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

struct _TfrcControlMessage
{
  GSocketControlMessage parent;
  int level, type;
  gsize size;
  guint8 data[TFRC_CONTROL_MESSAGE_MAX];
};

G_DEFINE_TYPE (TfrcControlMessage, tfrc_control_message,
    G_TYPE_SOCKET_CONTROL_MESSAGE);

GSocketControlMessage *
tfrc_control_message_new (int level, int type, gconstpointer data, gsize size)
{
  TfrcControlMessage *self = g_object_new (TFRC_TYPE_CONTROL_MESSAGE, NULL);

  self->level = level;
  self->type = type;
  self->size = size;
  memcpy (self->data, data, size);
  return G_SOCKET_CONTROL_MESSAGE (self);
}

GSocketControlMessage *
tfrc_ecn_message_new (GSocketFamily family, guint8 traffic_class)
{
  gboolean ipv6 = family == G_SOCKET_FAMILY_IPV6;
  int byte = traffic_class;

  return tfrc_control_message_new (ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
      ipv6 ? IPV6_TCLASS : IP_TOS, &byte, sizeof (byte));
}

gboolean
tfrc_ecn_message_of_buffer (GstBuffer *buffer, TfrcEcnCodepoint *ecn)
{
  gpointer state = NULL;
  GstMeta *meta;
  int byte;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_NET_CONTROL_MESSAGE_META_API_TYPE))) {
    GSocketControlMessage *message =
        ((GstNetControlMessageMeta *) meta)->message;

    if (TFRC_IS_CONTROL_MESSAGE (message)) {
      memcpy (&byte, TFRC_CONTROL_MESSAGE (message)->data, sizeof (byte));
      *ecn = byte & TFRC_ECN_MASK;
      return TRUE;
    }
  }
  return FALSE;
}

static gsize
get_size (GSocketControlMessage *message)
{
  return TFRC_CONTROL_MESSAGE (message)->size;
}

static int
get_level (GSocketControlMessage *message)
{
  return TFRC_CONTROL_MESSAGE (message)->level;
}

static int
get_msg_type (GSocketControlMessage *message)
{
  return TFRC_CONTROL_MESSAGE (message)->type;
}

static void
serialize (GSocketControlMessage *message, gpointer data)
{
  TfrcControlMessage *self = TFRC_CONTROL_MESSAGE (message);

  memcpy (data, self->data, self->size);
}

/* Linux delivers the TOS as one byte and the traffic class as an int. */
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
tfrc_control_message_class_init (TfrcControlMessageClass *klass)
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
tfrc_control_message_init (TfrcControlMessage *self)
{
}

static gboolean
switch_on (GSocket *socket, int level, int option, GError **error)
{
  if (g_socket_set_option (socket, level, option, TRUE, error))
    return TRUE;
  g_prefix_error (error, "ECN: ");
  return FALSE;
}

/* Has GLib attach a TfrcControlMessage to each datagram received.  FALSE: not supported. */
static gboolean
enable (GSocket *socket, GError **error)
{
  /* GLib searches the registered control message classes only. */
  g_type_class_unref (g_type_class_ref (TFRC_TYPE_CONTROL_MESSAGE));
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6
      && !switch_on (socket, IPPROTO_IPV6, IPV6_RECVTCLASS, error))
    return FALSE;
#ifdef HAVE_IP_RECVTOS /* unlike the IPv6 option it is in no standard */
  return switch_on (socket, IPPROTO_IP, IP_RECVTOS, error);
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

/* recvmmsg() would gain nothing with paced packets. */
#define MAX_SIZE 65536 /* of a datagram */

struct _GstTfrcEcnSrc
{
  GstPushSrc parent;

  GSocket *socket;
  GstCaps *caps;
  GCancellable *cancellable;
  gboolean has_fd;      /* the cancellable's file descriptor is held */
  GstClockTime timeout; /* 0 = none */
  guint8 *datagram;     /* MAX_SIZE */
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE (GstTfrcEcnSrc, gst_tfrc_ecn_src, GST_TYPE_PUSH_SRC);

GstElement *
gst_tfrc_ecn_src_new (GSocket *socket, GstCaps *caps, GstClockTime timeout)
{
  GstTfrcEcnSrc *self = g_object_new (GST_TYPE_TFRC_ECN_SRC, "name",
      "rtp_ecnsrc", NULL);

  self->socket = g_object_ref (socket);
  self->caps = gst_caps_ref (caps);
  self->timeout = timeout;
  return GST_ELEMENT (self);
}

static gboolean
gst_tfrc_ecn_src_start (GstBaseSrc *src)
{
  GstTfrcEcnSrc *self = GST_TFRC_ECN_SRC (src);
  g_autoptr (GError) error = NULL;
  GPollFD poll_fd;

  if (!enable (self->socket, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, (NULL),
        ("%s", error->message));
    return FALSE;
  }
  /* Otherwise GLib would create and close the cancellable's file descriptor with each
   * blocking receive. */
  self->has_fd = g_cancellable_make_pollfd (self->cancellable, &poll_fd);
  return TRUE;
}

static gboolean
gst_tfrc_ecn_src_stop (GstBaseSrc *src)
{
  GstTfrcEcnSrc *self = GST_TFRC_ECN_SRC (src);

  if (self->has_fd)
    g_cancellable_release_fd (self->cancellable);
  self->has_fd = FALSE;
  return TRUE;
}

static gboolean
gst_tfrc_ecn_src_unlock (GstBaseSrc *src)
{
  g_cancellable_cancel (GST_TFRC_ECN_SRC (src)->cancellable);
  return TRUE;
}

static gboolean
gst_tfrc_ecn_src_unlock_stop (GstBaseSrc *src)
{
  g_cancellable_reset (GST_TFRC_ECN_SRC (src)->cancellable);
  return TRUE;
}

static GstCaps *
gst_tfrc_ecn_src_get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstTfrcEcnSrc *self = GST_TFRC_ECN_SRC (src);

  if (!filter)
    return gst_caps_ref (self->caps);
  return gst_caps_intersect_full (filter, self->caps, GST_CAPS_INTERSECT_FIRST);
}

/* Posts a message after each `timeout` without a datagram, as udpsrc does. */
static gboolean
wait_for_datagram (GstTfrcEcnSrc *self, GError **error)
{
  while (!g_socket_condition_timed_wait (self->socket, G_IO_IN,
      (gint64) (self->timeout / GST_USECOND), self->cancellable, error)) {
    if (!g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
      return FALSE;
    g_clear_error (error);
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self),
            gst_structure_new ("GstUDPSrcTimeout", "timeout", G_TYPE_UINT64,
                self->timeout, NULL)));
  }
  return TRUE;
}

/* Returns NULL with an error. */
static GstBuffer *
receive (GstTfrcEcnSrc *self, GError **error)
{
  GInputVector vector = { self->datagram, MAX_SIZE };
  GSocketControlMessage **messages = NULL;
  g_autoptr (GSocketAddress) address = NULL;
  gint n_messages = 0, flags = 0;
  GstBuffer *buffer;
  gssize size;

  size = g_socket_receive_message (self->socket, &address, &vector, 1,
      &messages, &n_messages, &flags, self->cancellable, error);
  if (size < 0)
    return NULL;
  /* A buffer of no bytes would have no memory, and an rtpsession complains. */
  buffer = gst_buffer_new_allocate (NULL, MAX (size, 1), NULL);
  gst_buffer_fill (buffer, 0, self->datagram, size);
  gst_buffer_set_size (buffer, size);
  if (address)
    gst_buffer_add_net_address_meta (buffer, address);
  for (gint i = 0; i < n_messages; i++) {
    gst_buffer_add_net_control_message_meta (buffer, messages[i]);
    g_object_unref (messages[i]);
  }
  g_free (messages);
  return buffer;
}

static GstFlowReturn
gst_tfrc_ecn_src_create (GstPushSrc *src, GstBuffer **created)
{
  GstTfrcEcnSrc *self = GST_TFRC_ECN_SRC (src);
  g_autoptr (GError) error = NULL;

  while (self->timeout == 0 || wait_for_datagram (self, &error)) {
    *created = receive (self, &error);
    if (*created != NULL)
      return GST_FLOW_OK;
    /* ICMP errors are ignored, as in udpsrc. */
    if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE)
        && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED))
      break;
    g_clear_error (&error);
  }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BUSY))
    return GST_FLOW_FLUSHING;
  GST_ELEMENT_ERROR (self, RESOURCE, READ, (NULL),
      ("receive error: %s", error->message));
  return GST_FLOW_ERROR;
}

static void
gst_tfrc_ecn_src_finalize (GObject *object)
{
  GstTfrcEcnSrc *self = GST_TFRC_ECN_SRC (object);

  g_clear_object (&self->socket);
  gst_clear_caps (&self->caps);
  g_object_unref (self->cancellable);
  g_free (self->datagram);
  G_OBJECT_CLASS (gst_tfrc_ecn_src_parent_class)->finalize (object);
}

static void
gst_tfrc_ecn_src_class_init (GstTfrcEcnSrcClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *source_class = GST_BASE_SRC_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_tfrc_ecn_src_finalize;
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Datagrams with ECN",
      "Source/Network", "Receives datagrams and their ECN bits",
      "gst-tfrc maintainers");
  source_class->start = gst_tfrc_ecn_src_start;
  source_class->stop = gst_tfrc_ecn_src_stop;
  source_class->unlock = gst_tfrc_ecn_src_unlock;
  source_class->unlock_stop = gst_tfrc_ecn_src_unlock_stop;
  source_class->get_caps = gst_tfrc_ecn_src_get_caps;
  GST_PUSH_SRC_CLASS (klass)->create = gst_tfrc_ecn_src_create;
}

static void
gst_tfrc_ecn_src_init (GstTfrcEcnSrc *self)
{
  self->cancellable = g_cancellable_new ();
  self->datagram = g_malloc (MAX_SIZE);
  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
  gst_base_src_set_do_timestamp (GST_BASE_SRC (self), TRUE);
}
