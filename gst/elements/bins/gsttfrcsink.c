/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*   sink_%u -> rtptfrcsend -> rtpbin
 *   RTP     rtpbin -> (srtpenc) -> udpsink
 *   RTCP    rtpbin -> (srtpenc) -> udpsink
 *           udpsrc -> rtptfrcsend -> rtpbin
 *
 * The first line exists as long as the element; the rest is created in NULL to READY and
 * removed in READY to NULL. */

/**
 * SECTION:element-tfrcsink
 * @title: tfrcsink
 *
 * Sends RTP streams to one host at the rate that TFRC (RFC 5348) allows, and
 * sets the bitrate of the video encoder upstream to that rate.  The receiver
 * is tfrcsrc, which reports once per round trip.  To a multicast group it sends
 * at the rate of the slowest receiver (TFMCC, RFC 4654), but not below
 * #GstTfrcSink:min-bitrate.
 *
 * Each stream has its own pad.  All streams share one rate, according to the
 * #GstTfrcSinkPad:priority of their pads, and, with #GstTfrcSink:rtcp-mux, one UDP port.
 * Packets wait until the rate allows them, for #GstTfrcSink:max-queue-time at most.
 *
 * A file plays at its own speed (#GstTfrcSink:sync); packets of a live source are paced
 * as they arrive.  Like rtpsink this element does not preroll: READY to PAUSED returns
 * NO_PREROLL, also with a file, and packets leave in PLAYING only.  (Otherwise a pipeline
 * whose decodebin is still being set up could be set to PLAYING too early, and never
 * forward its EOS.)
 *
 * With #GstTfrcSink:srtp-key everything is sent, and accepted, as SRTP (RFC 3711).  This
 * element never discloses the key, but the srtpenc inside puts it into its caps, so
 * pipeline graphs (dot files) and logs of GST_DEBUG=5 contain it.  A stream with a fixed
 * SSRC needs a new SSRC in each run with the same key.
 *
 * ## Launch lines
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! tfrcsink host=127.0.0.1 port=5004
 * ]| Sends, and follows the network.
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Receives and shows it.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! tfrcsink host=239.255.1.2 port=5006 multicast-iface=lo
 * ]| Sends to a group of any size.
 * |[
 * gst-launch-1.0 tfrcsrc address=239.255.1.2 port=5006 multicast-iface=lo encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Is one of its receivers.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! tfrcsink listen=true bind-port=5010
 * ]| Waits for a receiver that may be behind a NAT.
 * |[
 * gst-launch-1.0 tfrcsrc sender-host=127.0.0.1 sender-port=5010 port=5012 encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Is that receiver.
 */

#include "bins/bin.h"

#include <gst/net/net.h>
#include <string.h>

#include "common/locks.h"
#include "common/stats.h"
#include "send/parity.h"
#include "send/gstrtptfrcsend.h"
#include "net/session.h"
#include "bins/sink-pads.h"
#include "common/pads.h"
#include "common/properties.h"
#include "common/repair-types.h"
#include "net/hello.h"
#include "net/sockets.h"
#include "net/transport.h"
#include "bins/sdp.h"

GST_DEBUG_CATEGORY (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define DEFAULT_HOST "127.0.0.1"
/* Time limit for a packet that is being sent; normally a socket accepts it at once. */
#define PUSH_LIMIT (200 * GST_MSECOND)

enum
{
  PROP_SDP = GST_TFRC_BIN_N_PROPS,
  PROP_RETRANSMISSION, /* of rtptfrcsend, where it is off by default */
  PROP_FEC,            /* the same */
  PROP_PROXIED,        /* from here on: proxies of rtptfrcsend */
};

struct _GstTfrcSink
{
  GstTfrcBin parent;

  /* Exist as long as the element. */
  TfrcMembers *members;
  GstPad *sent;    /* its caps contain the header extension */
  GMutex sdp_lock; /* serializes on_change */
  gchar *sdp;      /* last one notified, in any run; NULL = none */

  GstElement *rtp_sink; /* of the transport, as rtcp_sink */
  GstElement *rtcp_sink;
  GMutex aiming;         /* while the destination of these is set */
  gboolean open;         /* so it can be; under `aiming` and the object lock */
  gboolean retargeting;  /* a thread is in retarget; under the object lock */
  TfrcPathMtu path_mtu;  /* not used with a group */
  guint mtu;             /* under the object lock */
  TfrcListener listener; /* under the object lock */
  guint32 listener_ssrc; /* in its answers */
  gint waiting;          /* no receiver is admitted yet; atomic */
  gint warned_of_ipv4;   /* in this run, that it gets no answer; atomic */
  gchar *own_host;       /* host and port that the application set, while */
  guint own_port;        /* another is followed; object lock; else NULL */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u",
    GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS ("application/x-rtp"));

static void gst_tfrc_sink_init_child_proxy (gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstTfrcSink, gst_tfrc_sink, GST_TYPE_TFRC_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY,
        gst_tfrc_sink_init_child_proxy);
    GST_DEBUG_CATEGORY_INIT (gst_tfrc_sink_debug, "tfrcsink", 0, "TFRC sink"));
GST_ELEMENT_REGISTER_DEFINE (tfrcsink, "tfrcsink", GST_RANK_NONE,
    GST_TYPE_TFRC_SINK);

/* Notifies "sdp" if its text has changed: by the caps of a stream, a removed stream, the
 * header extension or a setting.  Called with no lock held. */
static void
on_change (GObject *object, GParamSpec *pspec, GstTfrcSink *self)
{
  gboolean changed;
  gchar *text;

  /* Disposed. */
  if (!self->sent)
    return;
  g_mutex_lock (&self->sdp_lock);
  g_object_get (self, "sdp", &text, NULL);
  changed = g_strcmp0 (text, self->sdp) != 0;
  g_free (self->sdp);
  self->sdp = text;
  g_mutex_unlock (&self->sdp_lock);
  if (changed)
    g_object_notify (G_OBJECT (self), "sdp");
}

/* Waiting for a receiver */

static GstMessage *
new_receiver_message (GstTfrcSink *self, const gchar *name,
    GSocketAddress *receiver)
{
  GstStructure *fields = gst_structure_new_empty (name);

  tfrc_address_set_fields (receiver, fields, "host", "port");
  GST_INFO_OBJECT (self, "event=%s %" GST_PTR_FORMAT, name, fields);
  return gst_message_new_element (GST_OBJECT (self), fields);
}

/* Sends to a receiver that has shown that it receives at this address. */
static void
admit (GstTfrcSink *self, GSocketAddress *receiver)
{
  GstMessage *found = new_receiver_message (self, "tfrc-receiver-found",
      receiver);
  const GstStructure *fields = gst_message_get_structure (found);
  TfrcNetSettings *settings = &GST_TFRC_BIN (self)->transport->settings;
  guint port;

  /* So that retarget sees a change even if host and port already have these values. */
  GST_OBJECT_LOCK (self);
  g_free (settings->host);
  settings->host = g_strdup ("");
  GST_OBJECT_UNLOCK (self);
  gst_structure_get_uint (fields, "port", &port);
  g_object_set (self, "host", gst_structure_get_string (fields, "host"), "port",
      port, NULL);
  g_atomic_int_set (&self->waiting, FALSE);
  gst_element_post_message (GST_ELEMENT (self), found);
}

static void
answer (GstTfrcSink *self, GSocketAddress *receiver, guint64 cookie)
{
  GstBuffer *hello = tfrc_hello_new (TFRC_HELLO_FROM_SENDER,
      self->listener_ssrc, cookie);

  gst_buffer_add_net_address_meta (hello, receiver);
  tfrc_rtcp_send (self->parent.rtpbin, hello);
}

static void
warn_of_ipv4 (GstTfrcSink *self)
{
  if (g_atomic_int_compare_and_exchange (&self->warned_of_ipv4, FALSE, TRUE))
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("bind-address is of IPv6, and receivers that speak first by IPv4 get "
         "no answer there: leave it out for IPv4."),
        (NULL));
}

static GstPadProbeReturn
on_receiver_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcSink *self = GST_TFRC_SINK (user_data);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcListenerVerdict verdict = TFRC_LISTENER_PASSES;
  GSocket *socket = GST_TFRC_BIN (self)->transport->sockets.rtcp;
  /* FALSE for IPv4 on an IPv6 socket, to which the answer could not be sent. */
  gboolean has_way_back = meta
      && g_socket_address_get_family (meta->addr)
          == g_socket_get_family (socket);
  guint64 cookie;

  GST_OBJECT_LOCK (self);
  if (has_way_back)
    verdict = tfrc_listener_on_rtcp (&self->listener, buffer, meta->addr,
        gst_util_get_timestamp (), &cookie);
  GST_OBJECT_UNLOCK (self);
  if (meta && !has_way_back)
    warn_of_ipv4 (self);
  if (verdict == TFRC_LISTENER_PASSES)
    return GST_PAD_PROBE_OK;
  if (verdict == TFRC_LISTENER_ANSWERS)
    answer (self, meta->addr, cookie);
  else if (verdict == TFRC_LISTENER_ADMITS)
    admit (self, meta->addr);
  return GST_PAD_PROBE_DROP;
}

/* Sends answers to the address in their meta; other RTCP goes to the receiver, if any. */
static GstPadProbeReturn
on_rtcp_leaving (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcSink *self = GST_TFRC_SINK (user_data);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  if (meta)
    tfrc_socket_send_to (GST_TFRC_BIN (self)->transport->sockets.reports,
        buffer, meta->addr, NULL);
  return meta || g_atomic_int_get (&self->waiting)
      ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

/* Whether RTP may be sent, and detects a lost receiver: only while there is RTP to
 * send is one missed.  Called before the pacer, as packets that wait there would be
 * old, and seem unanswered. */
static gboolean
admit_rtp (gpointer user_data)
{
  GstTfrcSink *self = GST_TFRC_SINK (user_data);
  g_autoptr (GSocketAddress) lost = NULL;

  GST_OBJECT_LOCK (self);
  lost = tfrc_listener_take_lost (&self->listener, gst_util_get_timestamp ());
  if (lost)
    g_atomic_int_set (&self->waiting, TRUE);
  GST_OBJECT_UNLOCK (self);
  if (lost)
    gst_element_post_message (GST_ELEMENT (self),
        new_receiver_message (self, "tfrc-receiver-lost", lost));
  return !g_atomic_int_get (&self->waiting);
}

static void
on_path_mtu (GstElement *element, guint found)
{
  GstTfrcBin *bin = GST_TFRC_BIN (element);

  gst_rtp_tfrc_send_set_path_mtu (GST_RTP_TFRC_SEND (bin->inner),
      found - tfrc_transport_get_overhead (bin->transport));
}

static gboolean
gst_tfrc_sink_prepare (GstTfrcBin *bin, GError **error)
{
  const TfrcNetSettings *settings = &bin->transport->settings;
  TfrcEndpoint *endpoint = &bin->transport->endpoint;
  TfrcNetSettings own = *settings;

  if (settings->listen && tfrc_address_names_group (settings->host))
    return tfrc_properties_refuse (error,
        "listen is for one receiver, and host '%s' a multicast group",
        settings->host);
  /* The receiver is unknown yet; the local address determines the address family. */
  if (settings->listen)
    own.host = settings->bind_address
        ? settings->bind_address
        : (gchar *) "0.0.0.0";
  if (!tfrc_endpoint_init_sink (endpoint, &own,
          settings->listen ? G_SOCKET_FAMILY_IPV4 : G_SOCKET_FAMILY_INVALID,
          error))
    return FALSE;
  if (tfrc_endpoint_reaches_nobody (endpoint, settings))
    GST_ELEMENT_WARNING (bin, RESOURCE, SETTINGS,
        ("multicast-iface '%s' leads to this host alone, to which loop=false "
         "sends nothing: set loop=true or another multicast-iface.",
            settings->multicast_iface),
        (NULL));
  g_object_set (bin->inner, "mode", endpoint->mode, "ecn", settings->ecn, NULL);
  gst_rtp_tfrc_send_set_hops (GST_RTP_TFRC_SEND (bin->inner), settings->ttl_mc);
  tfrc_session_set_cname (bin->rtpbin, settings->cname);
  return TRUE;
}

static gboolean
gst_tfrc_sink_connect (GstTfrcBin *bin, GError **error)
{
  GstTfrcSink *self = GST_TFRC_SINK (bin);
  TfrcTransport *transport = bin->transport;
  GInetSocketAddress *remote = transport->endpoint.host;
  g_autoptr (GstPad) in = NULL;
  g_autoptr (GstPad) out = NULL;
  GstElement *udpsrc;
  guint mtu;

  GST_OBJECT_LOCK (self);
  mtu = self->mtu;
  GST_OBJECT_UNLOCK (self);
  self->rtp_sink = tfrc_transport_send (transport, FALSE, bin->rtpbin,
      "send_rtp_src_0", remote, error);
  self->rtcp_sink = self->rtp_sink
      ? tfrc_transport_send (transport, TRUE, bin->rtpbin, "send_rtcp_src_0",
            remote, error)
      : NULL;
  udpsrc = self->rtcp_sink
      ? tfrc_transport_receive (transport, TRUE, bin->inner, "rtcp_sink", error)
      : NULL;
  if (!udpsrc)
    return FALSE;
  g_object_set (bin->inner, "mtu",
      mtu - tfrc_transport_get_overhead (transport), NULL);
  in = gst_element_get_static_pad (udpsrc, "src");
  out = gst_element_get_static_pad (self->rtcp_sink, "sink");
  /* Routers send no ICMP errors for IPv4 groups, and an IPv6 group has many paths. */
  if (!tfrc_address_is_group (remote))
    tfrc_path_mtu_watch (&self->path_mtu, GST_ELEMENT (self), in,
        &transport->endpoint.host, mtu, on_path_mtu);
  if (transport->settings.listen) {
    tfrc_packet_probe_add (in, on_receiver_rtcp, self, NULL);
    tfrc_packet_probe_add (out, on_rtcp_leaving, self, NULL);
  }
  if (transport->settings.rtcp_mux)
    tfrc_sockets_send_at_once (self->rtcp_sink, transport->sockets.rtcp);
  tfrc_transport_follow_ect (transport, bin->inner);
  return TRUE;
}

/* A udpsink that opens or closes reads its destination without a lock: it is not set
 * meanwhile. */
static void
set_open (GstTfrcSink *self, gboolean open)
{
  G_MUTEX_AUTO_LOCK (&self->aiming, locker);
  GST_OBJECT_AUTO_LOCK (self, object_locker);
  self->open = open;
}

static void
gst_tfrc_sink_disconnect (GstTfrcBin *bin)
{
  GstTfrcSink *self = GST_TFRC_SINK (bin);

  set_open (self, FALSE);
  self->rtp_sink = self->rtcp_sink = NULL;
}

/* Another target while the transport is there */

/* A change of destination.  Everything is referenced or copied, as the transport may be
 * freed meanwhile. */
typedef struct
{
  GstElement *senders[2]; /* of RTP and of RTCP */
  GInetSocketAddress *old;
  TfrcNetSettings settings;
  gchar *old_host;
  guint old_port;
} Target;

/* FALSE: packets already go where the properties say, or another thread changes it. */
static gboolean
target_take (Target *target, GstTfrcSink *self, gboolean first)
{
  GstTfrcBin *bin = GST_TFRC_BIN (self);
  TfrcTransport *transport;
  gboolean moved;

  GST_OBJECT_AUTO_LOCK (self, locker);
  transport = self->open ? bin->transport : NULL;
  moved = transport && !(first && self->retargeting)
      && (bin->settings.port != transport->settings.port
          || !g_str_equal (bin->settings.host, transport->settings.host));
  if (moved)
    *target = (Target) {
      { gst_object_ref (self->rtp_sink), gst_object_ref (self->rtcp_sink) },
      g_object_ref (transport->endpoint.host),
      tfrc_net_settings_copy (&bin->settings),
      g_strdup (transport->settings.host),
      transport->settings.port,
    };
  if (!first || moved)
    self->retargeting = moved;
  return moved;
}

static void
target_clear (Target *target)
{
  for (guint i = 0; i < 2; i++)
    gst_object_unref (target->senders[i]);
  g_object_unref (target->old);
  tfrc_net_settings_clear (&target->settings);
  g_free (target->old_host);
}

static gboolean
target_resolve (const Target *target, TfrcEndpoint *endpoint, GError **error)
{
  const TfrcNetSettings *settings = &target->settings;
  GSocketFamily family =
      g_socket_address_get_family (G_SOCKET_ADDRESS (target->old));

  if (!tfrc_net_settings_check (settings, error)
      || !tfrc_endpoint_init_sink (endpoint, settings, family, error))
    return FALSE;
  if (tfrc_address_is_group (target->old) || endpoint->is_group)
    return tfrc_properties_refuse (error,
        "host '%s': a group is chosen, and left, in NULL", settings->host);
  return g_socket_address_get_family (G_SOCKET_ADDRESS (endpoint->host))
      == family
      || tfrc_properties_refuse (error,
          "host '%s' is not of the address family of the one before: set it in "
          "NULL",
          settings->host);
}

static void
set_remotes (const Target *target, GInetSocketAddress *remote)
{
  const guint port = g_inet_socket_address_get_port (remote);
  const gboolean muxed = target->settings.rtcp_mux;

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GSocketAddress) address = tfrc_address_with_port (remote,
        port + (i == 1 && !muxed));

    tfrc_sockets_set_remote (target->senders[i],
        G_INET_SOCKET_ADDRESS (address));
  }
}

static void
target_apply (const Target *target, GstTfrcSink *self,
    GInetSocketAddress *remote)
{
  for (guint i = 0; i < 2; i++)
    g_object_freeze_notify (G_OBJECT (target->senders[i]));
  g_mutex_lock (&self->aiming);
  if (self->open)
    set_remotes (target, remote);
  g_mutex_unlock (&self->aiming);
  for (guint i = 0; i < 2; i++)
    g_object_thaw_notify (G_OBJECT (target->senders[i]));
}

/* After a change, updates the transport's settings, which say where packets go; after a
 * failure, resets those of the bin, which are the properties. */
static void
settle (GstTfrcSink *self, const Target *target, gboolean moved)
{
  GstTfrcBin *bin = GST_TFRC_BIN (self);
  TfrcNetSettings *changed = &bin->settings;

  GST_OBJECT_AUTO_LOCK (self, locker);
  if (moved)
    changed = bin->transport ? &bin->transport->settings : NULL;
  /* Properties that were set meanwhile are kept for the next iteration. */
  if (changed
      && (moved
          || (changed->port == target->settings.port
              && g_str_equal (changed->host, target->settings.host)))) {
    g_free (changed->host);
    changed->host = g_strdup (moved ? target->settings.host : target->old_host);
    changed->port = moved ? target->settings.port : target->old_port;
  }
}

static void
retarget (GstTfrcSink *self)
{
  GstElement *inner = GST_TFRC_BIN (self)->inner;
  Target target;

  for (gboolean first = TRUE; target_take (&target, self, first);
      first = FALSE) {
    TfrcEndpoint endpoint = { NULL };
    g_autoptr (GError) error = NULL;
    gboolean moved = target_resolve (&target, &endpoint, &error);

    if (moved) {
      target_apply (&target, self, endpoint.host);
      gst_rtp_tfrc_send_begin_path (GST_RTP_TFRC_SEND (inner),
          G_SOCKET_ADDRESS (endpoint.host));
      GST_OBJECT_LOCK (self);
      if (self->open)
        g_set_object (&self->parent.transport->endpoint.host, endpoint.host);
      if (self->listener.receiver)
        g_set_object (&self->listener.receiver,
            G_SOCKET_ADDRESS (endpoint.host));
      GST_OBJECT_UNLOCK (self);
      GST_INFO_OBJECT (self,
          "event=retargeted host=%s port=%u old_host=%s old_port=%u",
          target.settings.host, target.settings.port, target.old_host,
          target.old_port);
    } else {
      GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
          ("%s. Packets go to '%s' port %u as before.", error->message,
              target.old_host, target.old_port),
          (NULL));
    }
    settle (self, &target, moved);
    tfrc_endpoint_clear (&endpoint);
    target_clear (&target);
  }
}

/* Takes ownership of `host`; NULL: the application's settings are the current ones. */
static void
keep_own_address (GstTfrcSink *self, gchar *host, guint port)
{
  GST_OBJECT_AUTO_LOCK (self, locker);
  g_free (self->own_host);
  self->own_host = host;
  self->own_port = port;
}

/* Restores the application's host and port, as the next run need not be to the address
 * that the receiver moved to. */
static void
restore_own_address (GstTfrcSink *self)
{
  g_autofree gchar *host = NULL;
  guint port;

  GST_OBJECT_LOCK (self);
  host = g_steal_pointer (&self->own_host);
  port = self->own_port;
  GST_OBJECT_UNLOCK (self);
  if (host)
    g_object_set (self, "host", host, "port", port, NULL);
}

static gboolean
names_any (GParamSpec **pspecs, guint n, const gchar *const *names)
{
  for (guint i = 0; i < n; i++)
    if (g_strv_contains (names, pspecs[i]->name))
      return TRUE;
  return FALSE;
}

/* Once for all properties of one g_object_set (). */
static void
gst_tfrc_sink_dispatch_properties_changed (GObject *object, guint n,
    GParamSpec **pspecs)
{
  static const gchar *const target[] = { "host", "address", "port", NULL };
  static const gchar *const in_sdp[] = { "host", "address", "port", "rtcp-mux",
    "ttl-mc", "bind-address", "retransmission", "fec", NULL };

  if (names_any (pspecs, n, target)) {
    keep_own_address (GST_TFRC_SINK (object), NULL, 0);
    retarget (GST_TFRC_SINK (object));
  }
  G_OBJECT_CLASS (gst_tfrc_sink_parent_class)
      ->dispatch_properties_changed (object, n, pspecs);
  if (names_any (pspecs, n, in_sdp))
    on_change (object, NULL, GST_TFRC_SINK (object));
}

static void
warn_of_l4s (GstTfrcSink *self)
{
  gboolean l4s, ecn;
  guint delay_target;

  g_object_get (self, "l4s", &l4s, "ecn", &ecn, "delay-target", &delay_target,
      NULL);
  if (l4s && (!ecn || delay_target == 0))
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("l4s does nothing without ecn=true and a delay-target."), (NULL));
}

static void
gst_tfrc_sink_begin_run (GstTfrcBin *bin)
{
  GstTfrcSink *self = GST_TFRC_SINK (bin);

  warn_of_l4s (self);
  GST_OBJECT_LOCK (self);
  tfrc_listener_begin_run (&self->listener);
  g_atomic_int_set (&self->waiting, bin->transport->settings.listen);
  g_atomic_int_set (&self->warned_of_ipv4, FALSE);
  GST_OBJECT_UNLOCK (self);
  tfrc_random_fill (&self->listener_ssrc, sizeof (self->listener_ssrc));
  tfrc_members_begin_run (self->members);
  tfrc_sink_pads_begin_run (GST_ELEMENT (self));
  tfrc_path_mtu_begin_run (&self->path_mtu);
  g_signal_emit_by_name (self->parent.rtpbin, "clear-pt-map");
  GST_TFRC_BIN_CLASS (gst_tfrc_sink_parent_class)->begin_run (bin);
}

/* Stops RTP before BYE: a receiver would take a later packet for one of a new sender, and
 * ignore other senders for half a second. */
static void
leave (GstTfrcBin *self)
{
  gst_rtp_tfrc_send_pause (GST_RTP_TFRC_SEND (self->inner), PUSH_LIMIT);
  tfrc_bye_send (self->rtpbin, 0);
}

static GstStateChangeReturn
gst_tfrc_sink_change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn ret;

  /* Before the udpsinks are in PAUSED, where packets wait: their send time would then
   * look like a long delay, and BYE would be late. */
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    leave (GST_TFRC_BIN (element));
  /* Below PLAYING nothing is received.  Datagrams that arrived meanwhile are
   * discarded, as they would seem to have been delayed by the network. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
    tfrc_sockets_drain (&GST_TFRC_BIN (element)->transport->sockets);
    GST_OBJECT_LOCK (element);
    GST_TFRC_SINK (element)->listener.rtcp_at = gst_util_get_timestamp ();
    GST_OBJECT_UNLOCK (element);
  }
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    set_open (GST_TFRC_SINK (element), FALSE);
  ret = GST_ELEMENT_CLASS (gst_tfrc_sink_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY
      && ret != GST_STATE_CHANGE_FAILURE) {
    set_open (GST_TFRC_SINK (element), TRUE);
    /* For a host or port that was set meanwhile. */
    retarget (GST_TFRC_SINK (element));
  }
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    restore_own_address (GST_TFRC_SINK (element));
  return ret;
}

static void
gst_tfrc_sink_add_stats (GstTfrcBin *bin, GstStructure *stats)
{
  GstTfrcSink *self = GST_TFRC_SINK (bin);

  tfrc_stats_add (stats, TFRC_STATS_SINK);
  tfrc_members_add_stats (self->members, stats);
  GST_TFRC_BIN_CLASS (gst_tfrc_sink_parent_class)->add_stats (bin, stats);
  GST_OBJECT_AUTO_LOCK (self, locker);
  tfrc_stats_set (stats, "path-mtu",
      (guint) g_atomic_int_get (&self->path_mtu.found));
  tfrc_stats_set (stats, "hellos-answered", self->listener.answered);
  tfrc_stats_set (stats, "hellos-refused", self->listener.refused);
}

/* rtptfrcsend has found that the receiver moved to another address.  Takes ownership
 * of the message, and returns the one to post. */
static GstMessage *
follow (GstTfrcSink *self, GstMessage *message)
{
  TfrcNetSettings *settings = &GST_TFRC_BIN (self)->settings;
  const GstStructure *found = gst_message_get_structure (message);
  const gchar *host = gst_structure_get_string (found, "host");
  g_autofree gchar *own_host = NULL;
  gboolean followed;
  guint port, own_port;

  gst_structure_get_uint (found, "port", &port);
  GST_OBJECT_LOCK (self);
  /* Without rtcp-mux the source of RTCP does not show the address of RTP. */
  followed = settings->follow_receiver && settings->rtcp_mux;
  own_host = g_strdup (self->own_host ? self->own_host : settings->host);
  own_port = self->own_host ? self->own_port : settings->port;
  GST_OBJECT_UNLOCK (self);
  if (followed) {
    g_object_set (self, "host", host, "port", port, NULL);
    keep_own_address (self, g_steal_pointer (&own_host), own_port);
  }
  message = gst_message_make_writable (message);
  gst_structure_set (gst_message_writable_structure (message), "followed",
      G_TYPE_BOOLEAN, followed, NULL);
  return message;
}

/* Posts EOS and stream-start of the RTP udpsink as the bin's, and drops those of RTCP,
 * which is sent even after the last RTP packet. */
static void
gst_tfrc_sink_handle_message (GstBin *bin, GstMessage *message)
{
  GstTfrcSink *self = GST_TFRC_SINK (bin);
  gboolean rtp = GST_MESSAGE_SRC (message) == GST_OBJECT (self->rtp_sink);
  GstMessage *own = NULL;
  guint group_id;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_EOS:
      own = gst_message_new_eos (GST_OBJECT (bin));
      break;
    case GST_MESSAGE_STREAM_START:
      own = gst_message_new_stream_start (GST_OBJECT (bin));
      if (gst_message_parse_group_id (message, &group_id))
        gst_message_set_group_id (own, group_id);
      break;
    case GST_MESSAGE_ELEMENT:
      if (gst_message_has_name (message, "tfrc-receiver-moved"))
        message = follow (self, message);
      /* fallthrough */
    default:
      GST_BIN_CLASS (gst_tfrc_sink_parent_class)->handle_message (bin, message);
      return;
  }
  gst_message_set_seqnum (own, gst_message_get_seqnum (message));
  gst_message_unref (message);
  if (rtp)
    gst_element_post_message (GST_ELEMENT (bin), own);
  else
    gst_message_unref (own);
}

/* Pads */

static GstPad *
gst_tfrc_sink_request_new_pad (GstElement *element, GstPadTemplate *template,
    const gchar *name, const GstCaps *caps)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstPad *pad = self->sent
      ? tfrc_sink_pads_request_pad (element, GST_TFRC_BIN (self)->inner,
            template, name)
      : NULL;

  if (!pad)
    return NULL;
  g_signal_connect_object (pad, "notify::caps", G_CALLBACK (on_change), self,
      0);
  gst_child_proxy_child_added (GST_CHILD_PROXY (self), G_OBJECT (pad),
      GST_PAD_NAME (pad));
  return pad;
}

static void
gst_tfrc_sink_release_pad (GstElement *element, GstPad *pad)
{
  gst_child_proxy_child_removed (GST_CHILD_PROXY (element), G_OBJECT (pad),
      GST_PAD_NAME (pad));
  tfrc_sink_pads_release_pad (element, pad);
  on_change (G_OBJECT (element), NULL, GST_TFRC_SINK (element));
}

/* The children are the elements, as of any bin, and then the pads, so that
 * sink_0::priority works in a launch line. */

static GstChildProxyInterface *child_proxy_parent;

static guint
gst_tfrc_sink_get_children_count (GstChildProxy *proxy)
{
  guint n_pads;

  GST_OBJECT_LOCK (proxy);
  n_pads = GST_ELEMENT (proxy)->numsinkpads;
  GST_OBJECT_UNLOCK (proxy);
  return child_proxy_parent->get_children_count (proxy) + n_pads;
}

static GObject *
gst_tfrc_sink_get_child_by_index (GstChildProxy *proxy, guint index)
{
  guint n_elements = child_proxy_parent->get_children_count (proxy);
  GObject *pad;

  if (index < n_elements)
    return child_proxy_parent->get_child_by_index (proxy, index);
  GST_OBJECT_AUTO_LOCK (proxy, locker);
  pad = g_list_nth_data (GST_ELEMENT (proxy)->sinkpads, index - n_elements);
  if (pad)
    g_object_ref (pad);
  return pad;
}

static GObject *
gst_tfrc_sink_get_child_by_name (GstChildProxy *proxy, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (proxy), name);

  return pad ? G_OBJECT (pad)
             : child_proxy_parent->get_child_by_name (proxy, name);
}

static void
gst_tfrc_sink_init_child_proxy (gpointer iface, gpointer data)
{
  GstChildProxyInterface *proxy = iface;

  child_proxy_parent = g_type_interface_peek_parent (iface);
  proxy->get_children_count = gst_tfrc_sink_get_children_count;
  proxy->get_child_by_index = gst_tfrc_sink_get_child_by_index;
  proxy->get_child_by_name = gst_tfrc_sink_get_child_by_name;
}

/* rtpsession needs the clock rate, which the caps of several streams do not contain. */
static GstCaps *
on_request_pt_map (GstElement *rtpbin, guint session, guint payload_type,
    GstTfrcSink *self)
{
  guint repeated = tfrc_rtx_get_original_type (payload_type);
  guint original = repeated ? repeated
                            : tfrc_fec_get_original_type (payload_type);
  GstCaps *caps = tfrc_sink_pads_get_caps (GST_ELEMENT (self), payload_type);
  g_autoptr (GstCaps) original_caps = NULL;

  if (caps || original == 0)
    return caps;
  original_caps = tfrc_sink_pads_get_caps (GST_ELEMENT (self), original);
  if (original_caps)
    caps = tfrc_repair_make_caps (original_caps, payload_type, repeated != 0);
  return caps;
}

/* GObject */

/* NULL until a stream has caps, and the caps of the sent packets are known: they contain
 * the header extension, which a receiver needs. */
static gchar *
make_sdp (GstTfrcSink *self)
{
  GstTfrcBin *bin = GST_TFRC_BIN (self);
  TfrcSdp sdp = { NULL };
  gchar *text = NULL;
  g_autoptr (GstCaps) sent = NULL;
  gint retransmission;

  if (!self->sent)
    return NULL;
  sent = gst_pad_get_current_caps (self->sent);
  sdp.caps = tfrc_sink_pads_get_all_caps (GST_ELEMENT (self));
  g_object_get (bin->inner, "mode", &sdp.mode, "retransmission",
      &retransmission, "fec", &sdp.fec, "feedback", &sdp.feedback,
      "small-packets", &sdp.small_packets, "tcp", &sdp.tcp, NULL);
  sdp.repairs = retransmission != GST_TFRC_RETRANSMISSION_OFF;
  GST_OBJECT_LOCK (self);
  /* RFC 4007 section 11.2: the zone has a meaning on this host only. */
  sdp.host = g_strndup (bin->settings.host, strcspn (bin->settings.host, "%"));
  sdp.ttl = bin->settings.ttl_mc;
  /* Without a bind-address the system's choice may change, so there is no filter. */
  if (sdp.mode == GST_TFRC_MODE_TFMCC)
    sdp.source = g_strdup (bin->settings.bind_address);
  sdp.port = bin->settings.port;
  sdp.rtcp_mux = bin->settings.rtcp_mux;
  sdp.srtp = bin->transport && bin->transport->encoder != NULL;
  GST_OBJECT_UNLOCK (self);
  sdp.extension_id = sent ? tfrc_sdp_get_extension_id (sent, NULL) : 0;
  if (sent && !gst_caps_is_empty (sdp.caps))
    text = tfrc_sdp_write (&sdp);
  tfrc_sdp_clear (&sdp);
  return text;
}

static void
gst_tfrc_sink_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  if (id == PROP_SDP)
    g_value_take_string (value, make_sdp (GST_TFRC_SINK (object)));
  else
    G_OBJECT_CLASS (gst_tfrc_sink_parent_class)
        ->get_property (object, id, value, pspec);
}

static void
gst_tfrc_sink_dispose (GObject *object)
{
  gst_clear_object (&GST_TFRC_SINK (object)->sent);
  G_OBJECT_CLASS (gst_tfrc_sink_parent_class)->dispose (object);
}

static void
gst_tfrc_sink_finalize (GObject *object)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  tfrc_members_free (self->members);
  g_clear_object (&self->listener.receiver);
  g_free (self->own_host);
  g_free (self->sdp);
  g_mutex_clear (&self->sdp_lock);
  g_mutex_clear (&self->aiming);
  G_OBJECT_CLASS (gst_tfrc_sink_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  static const gchar *const handed_on[] = { "min-bitrate", "start-bitrate",
    "max-bitrate", "bitrate", "max-queue-time", "delay-target", "tcp", "l4s",
    "feedback", "circuit-breaker", "encoder", "encoder-control",
    "encoder-bitrate-property", "encoder-bitrate-unit", "extension-id", "pt",
    "stats-interval", "sync", NULL };

  tfrc_properties_install (klass, GST_TFRC_BIN_PROP_FIELD,
      G_STRUCT_OFFSET (GstTfrcSink, mtu),
      g_param_spec_uint ("mtu", "MTU",
          "Largest IP packet that the path carries; payloaders that stand at "
          "their default are set to fit, larger packets are sent and counted "
          "in packets-oversize; a path that carries less is warned of (bytes, "
          "default: 1500)",
          576, 65535, 1500, TFRC_PROPERTY_BEFORE_READY));
  g_object_class_install_property (klass, PROP_SDP,
      g_param_spec_string ("sdp", "SDP",
          "Description of the streams, for the receiver; without a key; "
          "notified, from a streaming thread, when it changes (default: NULL "
          "= the caps are not known yet)",
          NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_RETRANSMISSION,
      g_param_spec_enum ("retransmission", "Retransmission",
          "Send again (RTX, RFC 4588), before new packets and at the same "
          "rate, what receivers miss (RTCP NACK); on = auto (default: auto)",
          GST_TYPE_TFRC_RETRANSMISSION, GST_TFRC_RETRANSMISSION_AUTO,
          TFRC_PROPERTY_BEFORE_PAUSED));
  g_object_class_install_property (klass, PROP_FEC,
      g_param_spec_int ("fec", "Forward error correction",
          "Bytes of parity (SMPTE 2022-1) for each 100 bytes sent, from which "
          "a receiver computes packets that are lost; -1 = as the loss needs, "
          "for a group and for a tfrcsrc that does not ask for them (%, 0 = "
          "none, default: -1)",
          TFRC_FEC_AUTO, 100, TFRC_FEC_AUTO, TFRC_PROPERTY_BEFORE_PAUSED));
  gst_tfrc_bin_class_install_inner (GST_TFRC_BIN_CLASS (klass), PROP_PROXIED,
      handed_on);
}

/* Emits the signal of the same name of the inner element. */
static void
hand_on (GClosure *closure, GValue *result, guint n_values,
    const GValue *values, gpointer hint, gpointer unused)
{
  GstElement *inner = GST_TFRC_BIN (g_value_get_object (&values[0]))->inner;
  guint id = ((const GSignalInvocationHint *) hint)->signal_id;
  GValue inside[2] = { G_VALUE_INIT, values[1] };

  g_value_init (&inside[0], G_OBJECT_TYPE (inner));
  g_value_set_object (&inside[0], inner);
  g_signal_emitv (inside,
      g_signal_lookup (g_signal_name (id), G_OBJECT_TYPE (inner)), 0, result);
  g_value_unset (&inside[0]);
}

/* Installs the action signals of #GstRtpTfrcSend, where they are described. */
static void
install_actions (GType type)
{
  static const gchar *const names[] = { "exclude-receiver", "admit-receiver",
    "exclude-address", "admit-address" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GClosure *closure = g_closure_new_simple (sizeof (GClosure), NULL);
    GSignalQuery query;

    g_signal_query (g_signal_lookup (names[i], GST_TYPE_RTP_TFRC_SEND), &query);
    g_closure_set_marshal (closure, hand_on);
    g_signal_newv (names[i], type, query.signal_flags, closure, NULL, NULL,
        NULL, query.return_type, query.n_params, (GType *) query.param_types);
  }
}

static gboolean
query_position (GstElement *element, GstPad *pad, gpointer query)
{
  GstFormat format;
  gint64 position, greatest;

  gst_query_parse_position (query, &format, &greatest);
  if (gst_pad_peer_query_position (pad, format, &position))
    gst_query_set_position (query, format, MAX (position, greatest));
  return TRUE;
}

/* The udpsinks do not synchronise, and have no position.  That of the sources is ahead by
 * what waits in the pacer. */
static gboolean
gst_tfrc_sink_query (GstElement *element, GstQuery *query)
{
  gint64 position;

  if (GST_QUERY_TYPE (query) != GST_QUERY_POSITION)
    return GST_ELEMENT_CLASS (gst_tfrc_sink_parent_class)
        ->query (element, query);
  gst_element_foreach_sink_pad (element, query_position, query);
  gst_query_parse_position (query, NULL, &position);
  return position >= 0;
}

static void
gst_tfrc_sink_class_init (GstTfrcSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstTfrcBinClass *bin_class = GST_TFRC_BIN_CLASS (klass);

  object_class->get_property = gst_tfrc_sink_get_property;
  object_class->dispatch_properties_changed =
      gst_tfrc_sink_dispatch_properties_changed;
  object_class->dispose = gst_tfrc_sink_dispose;
  object_class->finalize = gst_tfrc_sink_finalize;
  element_class->change_state = gst_tfrc_sink_change_state;
  element_class->query = gst_tfrc_sink_query;
  element_class->request_new_pad = gst_tfrc_sink_request_new_pad;
  element_class->release_pad = gst_tfrc_sink_release_pad;
  GST_BIN_CLASS (klass)->handle_message = gst_tfrc_sink_handle_message;
  bin_class->prepare = gst_tfrc_sink_prepare;
  bin_class->connect = gst_tfrc_sink_connect;
  bin_class->begin_run = gst_tfrc_sink_begin_run;
  bin_class->disconnect = gst_tfrc_sink_disconnect;
  bin_class->add_stats = gst_tfrc_sink_add_stats;

  gst_tfrc_bin_class_set_up (bin_class, GST_URI_SINK, DEFAULT_HOST,
      GST_TYPE_RTP_TFRC_SEND);
  install_properties (object_class);
  install_actions (G_TYPE_FROM_CLASS (klass));

  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_SINK_PAD, 0);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &sink_template, GST_TYPE_TFRC_SINK_PAD);
  gst_element_class_set_static_metadata (element_class, "TFRC sink",
      "Generic/Bin/Sink/Network/RTP",
      "Sends RTP over UDP at the rate that TFRC (RFC 5348) allows, or TFMCC "
      "(RFC 4654) to a multicast group",
      "gst-tfrc maintainers");
}

static void
gst_tfrc_sink_init (GstTfrcSink *self)
{
  GstTfrcBin *bin = GST_TFRC_BIN (self);
  g_autoptr (GstPad) rtcp_src = NULL;

  g_mutex_init (&self->sdp_lock);
  g_mutex_init (&self->aiming);
  gst_tfrc_bin_set_up (bin);
  gst_rtp_tfrc_send_set_gate (GST_RTP_TFRC_SEND (bin->inner), admit_rtp, self);
  self->members = tfrc_members_new ();
  if (bin->missing)
    return;

  g_object_set (bin->inner, "retransmission", GST_TFRC_RETRANSMISSION_AUTO,
      "fec", TFRC_FEC_AUTO, NULL);
  g_signal_connect_object (bin->rtpbin, "request-pt-map",
      G_CALLBACK (on_request_pt_map), self, 0);
  gst_element_link_pads (bin->inner, "src", bin->rtpbin, "send_rtp_sink_0");
  gst_element_link_pads (bin->inner, "rtcp_src", bin->rtpbin,
      "recv_rtcp_sink_0");
  rtcp_src = gst_element_get_static_pad (bin->inner, "rtcp_src");
  tfrc_members_watch (self->members, rtcp_src, bin->rtpbin);
  self->sent = gst_element_get_static_pad (bin->inner, "src");
  g_signal_connect_object (self->sent, "notify::caps", G_CALLBACK (on_change),
      self, 0);
}
