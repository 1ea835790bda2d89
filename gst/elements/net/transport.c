/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "net/transport.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "common/pads.h"
#include "common/stats.h"
#include "net/session.h"
#include "net/ecn.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

/* Path MTU: IP_MTU is read from a socket that is connected for this, as the sending ones
 * are not connected; the kernel caches the path MTU by destination. */

#define INTERVAL GST_SECOND

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcPathMtu *self = user_data;
  GstClockTime now = gst_util_get_timestamp ();
  g_autoptr (GInetSocketAddress) remote = NULL;

  if (now >= self->next_at) {
    self->next_at = now + INTERVAL;
    GST_OBJECT_LOCK (self->element);
    g_set_object (&remote, *self->remote);
    GST_OBJECT_UNLOCK (self->element);
    if (remote)
      tfrc_path_mtu_on_found (self, tfrc_path_mtu_read (remote));
  }
  return GST_PAD_PROBE_OK;
}

void
tfrc_path_mtu_watch (TfrcPathMtu *self, GstElement *element, GstPad *pad,
    GInetSocketAddress *const *remote, guint mtu,
    void (*on_found) (GstElement *element, guint found))
{
  *self = (TfrcPathMtu) {
    .element = element,
    .on_found = on_found,
    .remote = remote,
    .mtu = mtu,
  };
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_buffer,
      self, NULL);
}

void
tfrc_path_mtu_begin_run (TfrcPathMtu *self)
{
  self->next_at = 0;
  self->warned = 0;
  g_atomic_int_set (&self->found, 0);
}

guint
tfrc_path_mtu_read (GInetSocketAddress *remote)
{
  gint mtu = 0;
#ifdef HAVE_IP_MTU /* Linux only */
  GSocketAddress *address = G_SOCKET_ADDRESS (remote);
  GSocketFamily family = g_socket_address_get_family (address);
  gboolean is_ipv6 = family == G_SOCKET_FAMILY_IPV6;
  g_autoptr (GSocket) socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);

  if (socket && g_socket_connect (socket, address, NULL, NULL))
    g_socket_get_option (socket, is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
        is_ipv6 ? IPV6_MTU : IP_MTU, &mtu, NULL);
#endif
  return (guint) MAX (mtu, 0);
}

void
tfrc_path_mtu_on_found (TfrcPathMtu *self, guint found)
{
  g_atomic_int_set (&self->found, (gint) found);
  if (found == 0)
    return;
  if (self->on_found)
    self->on_found (self->element, MIN (found, self->mtu));
  if (found >= self->mtu || found == self->warned)
    return;
  self->warned = found;
  GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
      ("The path carries packets of %u bytes, and up to %u are sent: set the "
       "property 'mtu' to %u.",
          found, self->mtu, found),
      ("larger ones leave as fragments, and are lost with any of them"));
}

#define IPV4_HEADER_SIZE 20
#define IPV6_HEADER_SIZE 40
#define UDP_HEADER_SIZE 8

/* A tfrcsrc binds to its host, a tfrcsink does not. */
static gboolean
set_up_sockets (TfrcTransport *self, GError **error)
{
  const TfrcNetSettings *settings = &self->settings;
  GSocket *const sockets[] = { self->sockets.rtp, self->sockets.rtcp,
    self->sockets.reports };
  gboolean sending = self->endpoint.local != self->endpoint.host;
  gint option = sending ? SO_SNDBUF : SO_RCVBUF, granted = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sockets); i++) {
    g_socket_set_ttl (sockets[i], settings->ttl);
    if (settings->qos_dscp >= 0
        && !tfrc_ecn_socket_set_dscp (sockets[i], (guint) settings->qos_dscp,
            error))
      return FALSE;
    if (settings->buffer_size != 0)
      g_socket_set_option (sockets[i], SOL_SOCKET, option,
          settings->buffer_size, NULL);
  }
  /* Linux reports twice the size, which includes its own overhead: socket(7). */
  g_socket_get_option (self->sockets.rtp, SOL_SOCKET, option, &granted, NULL);
  if (granted / 2 < settings->buffer_size)
    GST_ELEMENT_WARNING (self->bin, RESOURCE, SETTINGS,
        ("The system grants %d bytes of buffer-size=%d: an administrator can "
         "raise net.core.%s.",
            granted / 2, settings->buffer_size,
            sending ? "wmem_max" : "rmem_max"),
        (NULL));
  return TRUE;
}

/* Joins on each interface, or on that of the system's choice; closing the socket leaves.
 * Needed as udpsrc of GStreamer 1.22 has no source-specific joins. */
static gboolean
join_group (TfrcTransport *self, GSocket *socket, GError **error)
{
  GInetAddress *group =
      g_inet_socket_address_get_address (self->endpoint.local);
  GInetAddress *source = self->endpoint.multicast_source;
  gchar **ifaces = self->ifaces;
  guint i = 0;

  if (!self->settings.auto_multicast)
    return TRUE;
  do {
    if (!(source ? g_socket_join_multicast_group_ssm (socket, group, source,
                       ifaces[i], error)
                 : g_socket_join_multicast_group (socket, group, FALSE,
                       ifaces[i], error)))
      return FALSE;
  } while (ifaces[i] && ifaces[++i]);
  return TRUE;
}

/* Linux 4.20; not in the headers of glibc 2.36. */
#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29
#endif

/* Excludes groups that only other sockets of this host have joined. */
static void
receive_joined_only (GSocket *socket)
{
#ifdef HAVE_IP_MULTICAST_ALL /* Linux; elsewhere this is the default */
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0, NULL);
  else
    g_socket_set_option (socket, IPPROTO_IP, IP_MULTICAST_ALL, 0, NULL);
#endif
}

/* Sets the outgoing interface of a tfrcsink's sockets, and the groups and source that a
 * tfrcsrc's sockets receive. */
static gboolean
prepare_group (TfrcTransport *self, GError **error)
{
  GSocket *sockets[] = { self->sockets.rtp, self->sockets.rtcp };
  gboolean receiving = tfrc_address_is_group (self->endpoint.local);
  gboolean prepared = TRUE;

  for (guint i = 0; prepared && i < (sockets[0] == sockets[1] ? 1 : 2); i++) {
    if (receiving && self->settings.auto_multicast)
      receive_joined_only (sockets[i]);
    if (receiving && self->endpoint.multicast_source)
      prepared = join_group (self, sockets[i], error);
    else if (!receiving && self->ifaces[0])
      prepared = tfrc_multicast_set_interface (sockets[i], self->ifaces[0],
          error);
  }
  return prepared;
}

/* Referenced by the bin and by the list. */
static void
add_element (TfrcTransport *self, GstElement *element)
{
  gst_bin_add (self->bin, element);
  self->elements = g_list_prepend (self->elements, gst_object_ref (element));
}

static gboolean
add_srtp (TfrcTransport *self, TfrcSrtpGetKey get_key, GError **error)
{
  const TfrcSrtpConfig *config = &self->settings.srtp;
  TfrcSrtpDecoder *decoder;

  if (config->key) {
    GstElement *encoder = tfrc_srtp_encoder_new (config, error);

    if (!encoder)
      return FALSE;
    add_element (self, encoder);
    self->encoder = encoder;
  }
  decoder = tfrc_srtp_decoder_new (config, self->endpoint.is_group,
      GST_ELEMENT (self->bin), get_key, self->bin, error);
  if (decoder && self->encoder)
    tfrc_srtp_decoder_set_encoder (decoder, self->encoder);
  GST_OBJECT_LOCK (self->bin);
  self->decoder = decoder;
  GST_OBJECT_UNLOCK (self->bin);
  return decoder != NULL;
}

static void
warn_of_no_key (GstBin *bin, const TfrcSrtpConfig *srtp)
{
  guint request = g_signal_lookup ("request-key", G_OBJECT_TYPE (bin));

  if (!srtp->key
      && (srtp->cipher != GST_TFRC_SRTP_CIPHER_AES_128_ICM
          || srtp->auth != GST_TFRC_SRTP_AUTH_HMAC_SHA1_80
          || g_signal_has_handler_pending (bin, request, 0, FALSE)))
    GST_ELEMENT_WARNING (bin, RESOURCE, SETTINGS,
        ("Nothing is encrypted: set srtp-key, or return a key from "
         "request-key."),
        (NULL));
}

TfrcTransport *
tfrc_transport_new (GstBin *bin, const TfrcNetSettings *settings)
{
  TfrcTransport *self = g_new0 (TfrcTransport, 1);

  self->bin = bin;
  self->settings = tfrc_net_settings_copy (settings);
  self->ifaces = tfrc_multicast_split_ifaces (settings->multicast_iface);
  return self;
}

gboolean
tfrc_transport_open (TfrcTransport *self, TfrcSrtpGetKey get_key,
    GError **error)
{
  TfrcSrtpConfig *srtp = &self->settings.srtp;

  gst_clear_buffer (&srtp->key);
  srtp->key = get_key (0, self->bin);
  warn_of_no_key (self->bin, srtp);
  return tfrc_sockets_open (&self->sockets, self->endpoint.local,
             self->settings.rtcp_mux, error)
      && set_up_sockets (self, error)
      && (!self->endpoint.is_group || prepare_group (self, error))
      && add_srtp (self, get_key, error);
}

void
tfrc_transport_free (TfrcTransport *self)
{
  if (!self)
    return;
  if (self->send)
    g_signal_handlers_disconnect_by_data (self->send, self->sockets.rtp);
  for (GList *walk = self->elements; walk; walk = walk->next) {
    gst_element_set_locked_state (walk->data, TRUE);
    gst_element_set_state (walk->data, GST_STATE_NULL);
    gst_bin_remove (self->bin, walk->data);
  }
  g_list_free_full (self->elements, gst_object_unref);
  tfrc_srtp_decoder_unref (self->decoder);
  tfrc_net_settings_clear (&self->settings);
  tfrc_endpoint_clear (&self->endpoint);
  g_strfreev (self->ifaces);
  tfrc_sockets_close (&self->sockets);
  g_free (self);
}

/* Pacer and rtpsession decide when a packet is sent. */
static void
never_wait (GstElement *udpsink)
{
  g_object_set (udpsink, "sync", FALSE, "async", FALSE, NULL);
}

void
tfrc_transport_begin_run (TfrcTransport *self)
{
  tfrc_srtp_decoder_begin_run (self->decoder);
  /* playsink sets async=true on the first sink that it finds inside a bin. */
  for (GList *walk = self->elements; walk; walk = walk->next)
    if (GST_OBJECT_FLAG_IS_SET (walk->data, GST_ELEMENT_FLAG_SINK))
      never_wait (walk->data);
}

void
tfrc_transport_stop (TfrcTransport *self)
{
  for (GList *walk = self->elements; walk; walk = walk->next) {
    if (GST_OBJECT_FLAG_IS_SET (walk->data, GST_ELEMENT_FLAG_SINK))
      gst_element_set_state (walk->data, GST_STATE_READY);
  }
  for (GList *walk = self->elements; walk; walk = walk->next) {
    /* After tfrc_transport_leave a source stays in NULL, as its socket may be closed. */
    if (GST_OBJECT_FLAG_IS_SET (walk->data, GST_ELEMENT_FLAG_SOURCE)
        && !gst_element_is_locked_state (walk->data))
      gst_element_set_state (walk->data, GST_STATE_READY);
  }
}

/* In GStreamer 1.26 a live source stops for good if its thread returns from waiting for
 * a packet only after the element is in PLAYING again. */
void
tfrc_transport_pause (TfrcTransport *self)
{
  for (GList *walk = self->elements; walk; walk = walk->next) {
    if (GST_OBJECT_FLAG_IS_SET (walk->data, GST_ELEMENT_FLAG_SOURCE)
        && !gst_element_is_locked_state (walk->data)) {
      gst_element_set_state (walk->data, GST_STATE_READY);
      gst_element_set_state (walk->data, GST_STATE_PAUSED);
    }
  }
}

void
tfrc_transport_leave (TfrcTransport *self)
{
  for (GList *walk = self->elements; walk; walk = walk->next) {
    g_autoptr (GstPad) pad = NULL;
    g_autoptr (GstPad) peer = NULL;

    if (!GST_OBJECT_FLAG_IS_SET (walk->data, GST_ELEMENT_FLAG_SOURCE))
      continue;
    pad = gst_element_get_static_pad (walk->data, "src");
    peer = gst_pad_get_peer (pad);
    gst_element_set_locked_state (walk->data, TRUE);
    gst_element_set_state (walk->data, GST_STATE_NULL);
    gst_pad_send_event (peer, gst_event_new_eos ());
  }
  if (self->sockets.reports != self->sockets.rtcp) {
    g_socket_close (self->sockets.rtp, NULL);
    g_socket_close (self->sockets.rtcp, NULL);
  }
}

static GstCaps *
make_caps (gboolean rtcp)
{
  return gst_caps_new_empty_simple (rtcp ? "application/x-rtcp"
                                         : "application/x-rtp");
}

static GstElement *
make_ecn_src (TfrcTransport *self, GError **error)
{
  g_autoptr (GstCaps) caps = make_caps (FALSE);

  if (tfrc_address_is_group (self->endpoint.local)
      && !self->endpoint.multicast_source
      && !join_group (self, self->sockets.rtp, error))
    return NULL;
  return gst_tfrc_ecn_src_new (self->sockets.rtp, caps, self->settings.timeout);
}

static GstElement *
make_udp (const gchar *factory, const gchar *name, GError **error)
{
  GstElement *element = gst_element_factory_make (factory, name);

  if (!element)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "element '%s' is missing (GStreamer's plugin 'udp')", factory);
  return element;
}

static GstElement *
make_udpsrc (TfrcTransport *self, gboolean rtcp, GError **error)
{
  const TfrcNetSettings *settings = &self->settings;
  g_autoptr (GstCaps) caps = make_caps (rtcp);
  GstElement *udpsrc = make_udp ("udpsrc", rtcp ? "rtcp_udpsrc" : "rtp_udpsrc",
      error);

  if (udpsrc)
    g_object_set (udpsrc, "socket",
        rtcp ? self->sockets.rtcp : self->sockets.rtp, "close-socket", FALSE,
        "caps", caps, "auto-multicast",
        settings->auto_multicast && !self->endpoint.multicast_source,
        "multicast-iface", settings->multicast_iface, "loop", settings->loop,
        "timeout", rtcp ? (guint64) 0 : settings->timeout, NULL);
  return udpsrc;
}

GstElement *
tfrc_transport_receive (TfrcTransport *self, gboolean rtcp, GstElement *to,
    const gchar *to_pad, GError **error)
{
  GstElement *source = self->settings.ecn && !rtcp
      ? make_ecn_src (self, error)
      : make_udpsrc (self, rtcp, error);

  if (!source)
    return NULL;
  add_element (self, source);
  /* Before the probes of others, which get what is decrypted. */
  tfrc_srtp_decoder_add (self->decoder, source, rtcp);
  gst_element_link_pads (source, "src", to, to_pad);
  return source;
}

/* The further interfaces of multicast-iface: packets to the group are sent through these,
 * besides that of the socket. */
typedef struct
{
  GSocket *socket;
  GSocketAddress *group;
  GPtrArray *messages; /* of GSocketControlMessage, for each interface */
} OtherInterfaces;

static void
free_other_interfaces (gpointer data)
{
  OtherInterfaces *self = data;

  g_object_unref (self->socket);
  g_object_unref (self->group);
  g_ptr_array_unref (self->messages);
  g_free (self);
}

static GstPadProbeReturn
send_through_others (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  OtherInterfaces *self = user_data;

  for (guint i = 0; i < self->messages->len; i++)
    tfrc_socket_send_to (self->socket, GST_PAD_PROBE_INFO_BUFFER (info),
        self->group, g_ptr_array_index (self->messages, i));
  return GST_PAD_PROBE_OK;
}

static void
add_other_interfaces (TfrcTransport *self, GstElement *udpsink, GSocket *socket,
    GSocketAddress *group)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (udpsink, "sink");
  OtherInterfaces *others = g_new (OtherInterfaces, 1);

  others->socket = g_object_ref (socket);
  others->group = g_object_ref (group);
  others->messages = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 1; self->ifaces[i]; i++)
    g_ptr_array_add (others->messages,
        tfrc_multicast_message_new (socket, self->ifaces[i]));
  tfrc_packet_probe_add (pad, send_through_others, others,
      free_other_interfaces);
}

static void
start_sending (TfrcTransport *self, GstElement *udpsink, GSocket *socket,
    gboolean rtcp, GInetSocketAddress *remote)
{
  g_autoptr (GSocketAddress) address = tfrc_address_with_port (remote,
      g_inet_socket_address_get_port (remote)
          + (rtcp && !self->settings.rtcp_mux));

  tfrc_sockets_set_remote (udpsink, G_INET_SOCKET_ADDRESS (address));
  if (tfrc_address_is_group (remote) && g_strv_length (self->ifaces) > 1)
    add_other_interfaces (self, udpsink, socket, address);
}

/* The last sample would keep the last packet and, in the caps of srtpenc, the key.
 * udpsink sets the TTLs of the socket to its own.  A sender need not join the group. */
GstElement *
tfrc_transport_send (TfrcTransport *self, gboolean rtcp, GstElement *from,
    const gchar *from_pad, GInetSocketAddress *remote, GError **error)
{
  GSocket *socket = rtcp ? self->sockets.reports : self->sockets.rtp;
  GstElement *udpsink = make_udp ("udpsink",
      rtcp ? "rtcp_udpsink" : "rtp_udpsink", error);

  if (!udpsink)
    return NULL;
  never_wait (udpsink);
  g_object_set (udpsink, "close-socket", FALSE, "enable-last-sample", FALSE,
      "ttl", self->settings.ttl, "ttl-mc", self->settings.ttl_mc,
      "auto-multicast", FALSE, "loop", self->settings.loop,
      g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6 ? "socket-v6"
                                                            : "socket",
      socket, NULL);
  add_element (self, udpsink);
  if (remote)
    start_sending (self, udpsink, socket, rtcp, remote);
  if (self->encoder)
    gst_element_link_pads (from, from_pad, self->encoder,
        rtcp ? "rtcp_sink_0" : "rtp_sink_0");
  gst_element_link_pads (self->encoder ? self->encoder : from,
      !self->encoder ? from_pad
          : rtcp     ? "rtcp_src_0"
                     : "rtp_src_0",
      udpsink, "sink");
  return udpsink;
}

/* Another thread may free the transport meanwhile. */
static void
on_ect (GObject *send, GParamSpec *pspec, GSocket *socket)
{
  g_autoptr (GError) error = NULL;
  guint ect;

  g_object_get (send, "ect", &ect, NULL);
  if (!tfrc_ecn_socket_mark (socket, (TfrcEcnCodepoint) ect, &error))
    GST_WARNING_OBJECT (send, "event=not-marked: %s", error->message);
}

void
tfrc_transport_follow_ect (TfrcTransport *self, GstElement *send)
{
  self->send = send;
  g_signal_connect_object (send, "notify::ect", G_CALLBACK (on_ect),
      self->sockets.rtp, 0);
}

guint
tfrc_transport_get_overhead (const TfrcTransport *self)
{
  GSocketFamily family = g_socket_get_family (self->sockets.rtp);

  return (self->encoder ? tfrc_srtp_get_overhead (&self->settings.srtp) : 0)
      + UDP_HEADER_SIZE
      + (family == G_SOCKET_FAMILY_IPV6 ? IPV6_HEADER_SIZE : IPV4_HEADER_SIZE);
}

void
tfrc_transport_add_stats (TfrcTransport *self, GstStructure *stats)
{
  guint64 received = 0, dropped = 0;

  if (self && self->decoder)
    tfrc_srtp_decoder_get_counts (self->decoder, &received, &dropped);
  tfrc_stats_set (stats, "srtp-received", received);
  tfrc_stats_set (stats, "srtp-dropped", dropped);
}
