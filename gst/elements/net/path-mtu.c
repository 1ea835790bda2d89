/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads IP_MTU of a socket that is connected for this: the sockets that send
 * are not, and the system keeps what it learned by destination. */

#include "net/path-mtu.h"

#include <netinet/in.h>

#include "net/debug.h"
#include "common/stats.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

#define INTERVAL GST_SECOND

struct _TfrcPathMtu
{
  GstElement *element;
  GInetSocketAddress *remote; /* under the element's lock */
  GstClock *clock;
  guint mtu; /* that is sent [bytes] */

  /* Of the pad's thread. */
  GstClockTime next_at;
  guint warned; /* of this size; 0: never */

  gint found; /* atomic [bytes] */
};

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcPathMtu *self = user_data;
  GstClockTime now = gst_clock_get_time (self->clock);
  GInetSocketAddress *remote;

  if (now >= self->next_at) {
    self->next_at = now + INTERVAL;
    GST_OBJECT_LOCK (self->element);
    remote = g_object_ref (self->remote);
    GST_OBJECT_UNLOCK (self->element);
    tfrc_path_mtu_on_found (self, tfrc_path_mtu_read (remote));
    g_object_unref (remote);
  }
  return GST_PAD_PROBE_OK;
}

TfrcPathMtu *
tfrc_path_mtu_new (GstElement *element, GstPad *pad, GInetSocketAddress *remote,
    guint mtu)
{
  TfrcPathMtu *self = g_atomic_rc_box_new0 (TfrcPathMtu);

  self->element = element;
  self->remote = g_object_ref (remote);
  self->clock = gst_system_clock_obtain ();
  self->mtu = mtu;
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_buffer,
      g_atomic_rc_box_acquire (self), (GDestroyNotify) tfrc_path_mtu_unref);
  return self;
}

void
tfrc_path_mtu_set_remote (TfrcPathMtu *self, GInetSocketAddress *remote)
{
  GST_OBJECT_LOCK (self->element);
  g_set_object (&self->remote, remote);
  GST_OBJECT_UNLOCK (self->element);
}

static void
clear (gpointer data)
{
  TfrcPathMtu *self = data;

  g_object_unref (self->remote);
  gst_object_unref (self->clock);
}

void
tfrc_path_mtu_unref (TfrcPathMtu *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

void
tfrc_path_mtu_begin_run (TfrcPathMtu *self)
{
  if (!self)
    return;
  self->next_at = 0;
  self->warned = 0;
  g_atomic_int_set (&self->found, 0);
}

#ifdef HAVE_IP_MTU
static guint
connect_and_ask (GSocket *socket, GSocketAddress *remote)
{
  gboolean is_ipv6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;
  gint mtu = 0;

  if (!g_socket_connect (socket, remote, NULL, NULL)
      || !g_socket_get_option (socket, is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
          is_ipv6 ? IPV6_MTU : IP_MTU, &mtu, NULL))
    return 0;
  return (guint) MAX (mtu, 0);
}
#else
/* Only Linux tells what it found on the path to a destination. */
static guint
connect_and_ask (GSocket *socket, GSocketAddress *remote)
{
  return 0;
}
#endif

guint
tfrc_path_mtu_read (GInetSocketAddress *remote)
{
  GSocketAddress *address = G_SOCKET_ADDRESS (remote);
  GSocket *socket = g_socket_new (g_socket_address_get_family (address),
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  guint mtu;

  if (!socket)
    return 0;
  mtu = connect_and_ask (socket, address);
  g_object_unref (socket);
  return mtu;
}

void
tfrc_path_mtu_on_found (TfrcPathMtu *self, guint found)
{
  g_atomic_int_set (&self->found, (gint) found);
  if (found == 0 || found >= self->mtu || found == self->warned)
    return;
  self->warned = found;
  GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
      ("The path carries packets of %u bytes, and up to %u are sent: set the "
       "property 'mtu' to %u.",
          found, self->mtu, found),
      ("larger ones leave as fragments, and are lost with any of them"));
}

void
tfrc_path_mtu_add_stats (TfrcPathMtu *self, GstStructure *stats)
{
  tfrc_stats_set (stats, "path-mtu",
      self ? (guint) g_atomic_int_get (&self->found) : 0);
}
