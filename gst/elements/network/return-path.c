/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Aims the udpsink of tfrcsrc, which has one client at most.  A dynudpsink, to
 * which every buffer brings its address, does not take an IPv6 socket. */

#include "network/return-path.h"

#include <gst/net/net.h>

#include "common/packet-probe.h"
#include "network/address.h"
#include "rtcp/identity.h"
#include "rtcp/packet.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

struct _TfrcReturnPath
{
  GstElement *owner;
  GstRtpTfrcReceive *receive;

  /* Of _start, while nothing streams. */
  const TfrcSockets *sockets;
  gboolean rtcp_mux;
  GInetSocketAddress *feedback_host; /* NULL = where the packets come from */
  guint feedback_port;               /* 0 = theirs */

  /* Of the thread that sends RTCP. */
  gchar *host; /* the udpsink's client; NULL = none yet */
  guint port;
  guint scope;
  GSocketAddress *aimed_at; /* where RTP came from at the last packet ... */
  GSocketAddress *aimed_at_rtcp; /* ... and RTCP; NULL = nothing yet */

  GMutex lock;                 /* guards all below */
  GSocketAddress *rtcp_source; /* of the sender's RTCP; NULL = none yet */
  GSocketAddress *rtp_source;  /* of its RTP at that time */
};

TfrcReturnPath *
tfrc_return_path_new (GstElement *owner, GstRtpTfrcReceive *receive)
{
  TfrcReturnPath *self = g_new0 (TfrcReturnPath, 1);

  self->owner = owner;
  self->receive = receive;
  g_mutex_init (&self->lock);
  return self;
}

void
tfrc_return_path_begin_run (TfrcReturnPath *self)
{
  g_clear_pointer (&self->host, g_free);
  g_clear_object (&self->aimed_at);
  g_clear_object (&self->aimed_at_rtcp);
  g_mutex_lock (&self->lock);
  g_clear_object (&self->rtcp_source);
  g_clear_object (&self->rtp_source);
  g_mutex_unlock (&self->lock);
}

void
tfrc_return_path_free (TfrcReturnPath *self)
{
  if (!self)
    return;
  tfrc_return_path_begin_run (self);
  g_clear_object (&self->feedback_host);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* RTCP proves nothing without SRTP: its port is believed, its host must be
 * the one that the RTP comes from, as its SSRCs are. */
static void
follow_rtcp_source (TfrcReturnPath *self, GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  GSocketAddress *source =
      gst_rtp_tfrc_receive_get_source_address (self->receive);

  if (meta && source
      && g_inet_address_equal (
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (source)),
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (meta
                  ->addr)))) {
    g_mutex_lock (&self->lock);
    g_set_object (&self->rtcp_source, meta->addr);
    g_set_object (&self->rtp_source, source);
    g_mutex_unlock (&self->lock);
  }
  g_clear_object (&source);
}

static GstPadProbeReturn
on_rtcp_in (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcReturnPath *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  TfrcWireCompound compound;

  if (tfrc_identity_is_made_up (buffer))
    return GST_PAD_PROBE_OK;
  if (!gst_rtp_tfrc_receive_admits_rtcp (self->receive, buffer, &compound))
    return GST_PAD_PROBE_DROP;
  follow_rtcp_source (self, buffer);
  info->data = tfrc_packet_remove_harmful (buffer, &compound);
  return info->data ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

void
tfrc_return_path_watch (TfrcReturnPath *self, GstPad *rtcp_sinkpad)
{
  tfrc_packet_probe_add (rtcp_sinkpad, on_rtcp_in, self, NULL);
}

/* With the lock held.  That of the RTCP that comes with RTP from `source`; NULL = the
 * port beside it is to be guessed, as when the sender has just moved or restarted. */
static GSocketAddress *
get_rtcp_source (TfrcReturnPath *self, GSocketAddress *source)
{
  return self->rtcp_mux || self->rtp_source != source
      ? NULL
      : self->rtcp_source;
}

/* Where RTCP goes when RTP comes from `source`, and RTCP from `rtcp_source`. */
static GSocketAddress *
get_destination (TfrcReturnPath *self, GSocketAddress *source,
    GSocketAddress *rtcp_source)
{
  guint offset = self->rtcp_mux || rtcp_source ? 0 : 1;
  GInetSocketAddress *learned =
      G_INET_SOCKET_ADDRESS (rtcp_source ? rtcp_source : source);
  GSocketAddress *chosen, *mapped;

  if (!self->feedback_host && !self->feedback_port)
    return tfrc_sockets_map_address (self->sockets, G_SOCKET_ADDRESS (learned),
        offset);
  chosen = tfrc_address_with_port (self->feedback_host ? self->feedback_host
                                                       : learned,
      self->feedback_port ? self->feedback_port
                          : g_inet_socket_address_get_port (learned) + offset);
  mapped = tfrc_sockets_map_address (self->sockets, chosen, 0);
  g_object_unref (chosen);
  return mapped;
}

/* NULL: it is the same as at the last packet. */
static GSocketAddress *
find_change (TfrcReturnPath *self, GSocketAddress *source)
{
  GSocketAddress *destination = NULL, *rtcp_source;

  g_mutex_lock (&self->lock);
  rtcp_source = get_rtcp_source (self, source);
  if (source != self->aimed_at || rtcp_source != self->aimed_at_rtcp) {
    g_set_object (&self->aimed_at, source);
    g_set_object (&self->aimed_at_rtcp, rtcp_source);
    destination = get_destination (self, source, rtcp_source);
  }
  g_mutex_unlock (&self->lock);
  return destination;
}

static void
aim (TfrcReturnPath *self, GstElement *udpsink, GInetSocketAddress *to)
{
  gchar *host =
      g_inet_address_to_string (g_inet_socket_address_get_address (to));
  guint port = g_inet_socket_address_get_port (to);
  guint scope = tfrc_address_get_scope (to);

  if (port != self->port || scope != self->scope
      || g_strcmp0 (host, self->host) != 0) {
    GST_INFO_OBJECT (self->owner,
        "event=destination host=%s scope_id=%u "
        "port=%u",
        host, scope, port);
    tfrc_sockets_send_on_link (self->sockets->reports, to);
    g_signal_emit_by_name (udpsink, "clear");
    g_signal_emit_by_name (udpsink, "add", host, port);
    g_free (self->host);
    self->host = g_steal_pointer (&host);
    self->port = port;
    self->scope = scope;
  }
  g_free (host);
}

static GstPadProbeReturn
on_rtcp_out (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcReturnPath *self = user_data;
  GSocketAddress *source =
      gst_rtp_tfrc_receive_get_source_address (self->receive);
  GSocketAddress *destination;

  /* Nothing has come in. */
  if (!source)
    return GST_PAD_PROBE_DROP;
  destination = find_change (self, source);
  if (destination) {
    aim (self, GST_PAD_PARENT (pad), G_INET_SOCKET_ADDRESS (destination));
    g_object_unref (destination);
  }
  g_object_unref (source);
  return GST_PAD_PROBE_OK;
}

void
tfrc_return_path_start (TfrcReturnPath *self, GstElement *udpsink,
    const TfrcSockets *sockets, const TfrcNetSettings *settings,
    const TfrcEndpoint *endpoint)
{
  GstPad *pad = gst_element_get_static_pad (udpsink, "sink");

  self->sockets = sockets;
  self->rtcp_mux = settings->rtcp_mux;
  g_set_object (&self->feedback_host, endpoint->feedback);
  self->feedback_port = settings->feedback_port;
  /* Its default client is localhost, of whichever family that is. */
  g_signal_emit_by_name (udpsink, "clear");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_rtcp_out,
      self, NULL);
  gst_object_unref (pad);
}
