/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says hello; its packets are known by the address object that they carry. */

#include "bins/greeter.h"

#include <gst/net/net.h>

#include "common/pads.h"
#include "common/stats.h"
#include "net/hello.h"
#include "net/session.h"
#include "receive/gstrtptfrcreceive.h"

struct _TfrcGreeter
{
  GstElement *rtpbin;
  GstElement *receive;

  /* Of _connect, while nothing streams. */
  GSocketAddress *sender; /* NULL = nobody is spoken to */
  GSocketAddress *to;     /* the same, of the socket's family */
  GSocket *socket;

  GThread *thread; /* NULL = none; of state changes */
  GMutex lock;     /* guards all below */
  GCond cond;
  gboolean stopping;
  gboolean answered; /* in this tick */
  guint64 cookie;
  guint64 sent;
};

TfrcGreeter *
tfrc_greeter_new (GstElement *rtpbin, GstElement *receive)
{
  TfrcGreeter *self = g_new0 (TfrcGreeter, 1);

  self->rtpbin = rtpbin;
  self->receive = receive;
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  return self;
}

static void
disconnect (TfrcGreeter *self)
{
  g_clear_object (&self->sender);
  g_clear_object (&self->to);
  g_clear_object (&self->socket);
}

void
tfrc_greeter_free (TfrcGreeter *self)
{
  if (!self)
    return;
  disconnect (self);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

static void
say_hello (TfrcGreeter *self)
{
  GstBuffer *hello;
  guint64 cookie;
  guint ssrc;

  g_mutex_lock (&self->lock);
  cookie = self->cookie;
  self->sent++;
  g_mutex_unlock (&self->lock);
  g_object_get (self->receive, "rtcp-ssrc", &ssrc, NULL);
  hello = tfrc_hello_new (TFRC_HELLO_FROM_RECEIVER, ssrc, cookie);
  gst_buffer_add_net_address_meta (hello, self->to);
  tfrc_rtcp_send (self->rtpbin, hello);
}

/* The first answer in a tick is followed at once, however many come.  With SRTP one that
 * authenticates; without, who can forge the sender's address can say what its next
 * answer corrects. */
static GstPadProbeReturn
on_rtcp_in (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcGreeter *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta;
  gboolean first;
  guint64 cookie;

  if (!tfrc_hello_read (buffer, TFRC_HELLO_FROM_SENDER, &cookie))
    return GST_PAD_PROBE_OK;
  meta = gst_buffer_get_net_address_meta (buffer);
  if (meta && tfrc_address_is_equal (meta->addr, self->sender)) {
    g_mutex_lock (&self->lock);
    self->cookie = cookie;
    first = !self->answered;
    self->answered = TRUE;
    g_mutex_unlock (&self->lock);
    if (first)
      say_hello (self);
  }
  return GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn
on_rtcp_out (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcGreeter *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  if (!meta || meta->addr != self->to)
    return GST_PAD_PROBE_OK;
  tfrc_socket_send_to (self->socket, buffer, self->to);
  return GST_PAD_PROBE_DROP;
}

void
tfrc_greeter_connect (TfrcGreeter *self, TfrcTransport *transport,
    const TfrcEndpoint *endpoint, GstElement *udpsrc, GstElement *udpsink)
{
  GstPad *pad;

  disconnect (self);
  if (!endpoint->sender)
    return;
  self->sender = G_SOCKET_ADDRESS (g_object_ref (endpoint->sender));
  self->to = tfrc_sockets_map_address (&transport->sockets, self->sender, 0);
  self->socket = g_object_ref (transport->sockets.reports);
  pad = tfrc_transport_get_rtcp_pad (transport, udpsrc);
  tfrc_packet_probe_add (pad, on_rtcp_in, self, NULL);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (udpsink, "sink");
  tfrc_packet_probe_add (pad, on_rtcp_out, self, NULL);
  gst_object_unref (pad);
}

void
tfrc_greeter_begin_run (TfrcGreeter *self)
{
  g_mutex_lock (&self->lock);
  self->cookie = self->sent = 0;
  g_mutex_unlock (&self->lock);
}

/* 0 of another host. */
static guint64
count_packets (TfrcGreeter *self)
{
  GSocketAddress *source = gst_rtp_tfrc_receive_get_source_address (
      GST_RTP_TFRC_RECEIVE (self->receive));
  GstStructure *stats = NULL;
  guint64 packets = 0;

  if (source && tfrc_address_is_equal (source, self->sender)) {
    g_object_get (self->receive, "stats", &stats, NULL);
    gst_structure_get_uint64 (stats, "packets", &packets);
    gst_structure_free (stats);
  }
  g_clear_object (&source);
  return packets;
}

static gpointer
run (gpointer data)
{
  TfrcGreeter *self = data;
  TfrcGreeting greeting = { 0 };
  gint64 tick_at = g_get_monotonic_time ();

  g_mutex_lock (&self->lock);
  while (!self->stopping) {
    self->answered = FALSE;
    g_mutex_unlock (&self->lock);
    if (tfrc_greeting_is_due (&greeting, count_packets (self)))
      say_hello (self);
    tick_at += (gint64) (TFRC_GREETING_TICK / TFRC_MICROSECOND);
    g_mutex_lock (&self->lock);
    while (!self->stopping
        && g_cond_wait_until (&self->cond, &self->lock, tick_at)) {
    }
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

void
tfrc_greeter_start (TfrcGreeter *self)
{
  if (!self->sender)
    return;
  g_mutex_lock (&self->lock);
  self->stopping = FALSE;
  g_mutex_unlock (&self->lock);
  self->thread = g_thread_new ("tfrcgreeter", run, self);
}

void
tfrc_greeter_stop (TfrcGreeter *self)
{
  if (!self->thread)
    return;
  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
  g_thread_join (g_steal_pointer (&self->thread));
}

void
tfrc_greeter_add_stats (TfrcGreeter *self, GstStructure *stats)
{
  g_mutex_lock (&self->lock);
  tfrc_stats_set (stats, "hellos-sent", self->sent);
  g_mutex_unlock (&self->lock);
}
