/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink: wires rtptfrcsend to rtpbin, SRTP and UDP sockets.
 *
 *   sink_%u -> rtpfunnel -> clocksync -> rtptfrcsend -> rtpbin
 *   RTP     rtpbin -> (srtpenc) -> udpsink
 *   RTCP    rtpbin -> (srtpenc) -> udpsink
 *           udpsrc -> (srtpdec) -> rtptfrcsend -> rtpbin
 *
 * Paces nothing and parses nothing itself.  The first line exists as long as
 * the element; the rest is made in NULL to READY and goes in READY to NULL. */

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
 * Every stream takes a pad of its own; all of them share one rate and, with
 * #GstTfrcSink:rtcp-mux, one UDP port.  Packets wait until the rate allows
 * them, #GstTfrcSink:max-queue-time at most.
 *
 * The element synchronizes to the clock before it paces (#GstTfrcSink:sync),
 * so that a file plays at its own speed.  Like rtpsink it does not preroll:
 * READY to PAUSED returns NO_PREROLL, for a file too, and packets leave in
 * PLAYING only.  (Said to have prerolled, a pipeline whose decodebin is still
 * at work may be set to PLAYING too early and never forward its EOS.)
 * Leaving PLAYING says RTCP BYE.  EOS is posted when every pad
 * has it and the last packet has left.
 *
 * With #GstTfrcSink:srtp-key everything is sent, and accepted, as SRTP
 * (RFC 3711).  The key is in nothing that this element shows; but srtpenc
 * inside puts it into its caps, so that pipeline graphs (dot files) and logs
 * of GST_DEBUG=5 hold it.  A stream whose SSRC is set by hand must get a new
 * one for every run with the same key.
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
 */

#include "gsttfrcsink.h"

#include "gstrtptfrcsend.h"
#include "tfrcbye.h"
#include "tfrcidentity.h"
#include "tfrcmembers.h"
#include "tfrcmerge.h"
#include "tfrcnetsettings.h"
#include "tfrcpathmtu.h"
#include "tfrcproxy.h"
#include "tfrcsdp.h"
#include "tfrcsockets.h"
#include "tfrcsrtp.h"
#include "tfrcstats.h"
#include "tfrctransport.h"
#include "tfrcuri.h"

GST_DEBUG_CATEGORY_STATIC (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_SYNC TRUE
#define DEFAULT_MTU 1500

enum
{
  PROP_SYNC = TFRC_NET_N_PROPS,
  PROP_MTU,
  PROP_STATS,
  PROP_SDP,
  PROP_PROXIED,                 /* and above: of rtptfrcsend */
};

enum
{
  SIGNAL_REQUEST_KEY,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

struct _GstTfrcSink
{
  GstBin parent;

  /* As long as the element. */
  GstElement *funnel;
  GstElement *clocksync;
  GstElement *send;
  GstElement *rtpbin;
  const gchar *missing;         /* a factory that is not there, or NULL */
  TfrcMerge *merge;
  TfrcMembers *members;

  TfrcTransport *transport;     /* READY and above; under the object lock */
  GstElement *rtp_sink;         /* of the transport */
  TfrcPathMtu *path_mtu;        /* under the object lock; NULL with a group */

  TfrcNetSettings settings;     /* under the object lock */
  guint mtu;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u",
    GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS ("application/x-rtp"));

static void gst_tfrc_sink_uri_handler_init (gpointer g_iface,
    gpointer iface_data);

G_DEFINE_TYPE_WITH_CODE (GstTfrcSink, gst_tfrc_sink, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER,
        gst_tfrc_sink_uri_handler_init));
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (tfrcsink, "tfrcsink", GST_RANK_NONE,
    GST_TYPE_TFRC_SINK, GST_DEBUG_CATEGORY_INIT (gst_tfrc_sink_debug,
        "tfrcsink", 0, "TFRC sink"));

/* A key for `ssrc`; 0 asks for that of our own packets. */
static GstBuffer *
get_key (guint ssrc, gpointer user_data)
{
  GstTfrcSink *self = user_data;
  GstBuffer *key = NULL;

  g_signal_emit (self, signals[SIGNAL_REQUEST_KEY], 0, ssrc, &key);
  if (key)
    return key;
  GST_OBJECT_LOCK (self);
  if (self->settings.srtp.key)
    key = gst_buffer_ref (self->settings.srtp.key);
  GST_OBJECT_UNLOCK (self);
  return key;
}

static GstElement *
add_udpsink (GstTfrcSink * self, GInetSocketAddress *remote, gboolean rtcp,
    GError ** error)
{
  GstElement *udpsink =
      tfrc_transport_add_sender (self->transport, remote, rtcp, error);

  if (udpsink)
    tfrc_transport_link_out (self->transport, self->rtpbin,
        rtcp ? "send_rtcp_src_0" : "send_rtp_src_0", rtcp, udpsink);
  return udpsink;
}

/* Routers say nothing about packets to an IPv4 group, and those to one of IPv6
 * take many ways. */
static void
watch_path (GstTfrcSink * self, GstElement *udpsrc, GInetSocketAddress *remote,
    guint mtu)
{
  GstPad *pad;

  if (g_inet_address_get_is_multicast (g_inet_socket_address_get_address
          (remote)))
    return;
  pad = gst_element_get_static_pad (udpsrc, "src");
  GST_OBJECT_LOCK (self);
  self->path_mtu = tfrc_path_mtu_new (GST_ELEMENT (self), pad, remote, mtu);
  GST_OBJECT_UNLOCK (self);
  gst_object_unref (pad);
}

static gboolean
add_transport (GstTfrcSink * self, const TfrcNetSettings * settings,
    const TfrcEndpoint *endpoint, GError ** error)
{
  GInetSocketAddress *remote = endpoint->host;
  GSocketFamily family =
      g_socket_address_get_family (G_SOCKET_ADDRESS (remote));
  TfrcTransport *transport = tfrc_transport_new (GST_BIN (self), settings,
      endpoint, get_key, error);
  GstElement *udpsrc;
  guint mtu;

  if (!transport)
    return FALSE;
  GST_OBJECT_LOCK (self);
  self->transport = transport;
  mtu = self->mtu;
  GST_OBJECT_UNLOCK (self);
  self->rtp_sink = add_udpsink (self, remote, FALSE, error);
  if (!self->rtp_sink || !add_udpsink (self, remote, TRUE, error))
    return FALSE;
  tfrc_transport_follow_ect (self->transport, self->send);
  udpsrc = tfrc_transport_add (self->transport, "udpsrc", TRUE, error);
  if (!udpsrc)
    return FALSE;
  tfrc_transport_link_in (self->transport, udpsrc, TRUE, self->send,
      "rtcp_sink");
  g_object_set (self->send, "mtu", mtu -
      tfrc_transport_get_overhead (self->transport, family), NULL);
  watch_path (self, udpsrc, remote, mtu);
  return TRUE;
}

static gboolean
start (GstTfrcSink * self)
{
  TfrcNetSettings settings;
  TfrcEndpoint endpoint = { NULL, };
  GError *error = NULL;
  gboolean started = FALSE;

  GST_OBJECT_LOCK (self);
  settings = tfrc_net_settings_copy (&self->settings);
  GST_OBJECT_UNLOCK (self);

  if (self->missing) {
    g_set_error (&error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "element '%s' is missing", self->missing);
  } else if (tfrc_net_settings_check (&settings, &error)
      && tfrc_endpoint_init_sink (&endpoint, &settings, &error)) {
    g_object_set (self->send, "mode", endpoint.mode, "ecn", settings.ecn, NULL);
    started = add_transport (self, &settings, &endpoint, &error);
  }
  if (error)
    tfrc_transport_post_error (GST_ELEMENT (self), error);
  tfrc_endpoint_clear (&endpoint);
  tfrc_net_settings_clear (&settings);
  return started;
}

static void
stop (GstTfrcSink * self)
{
  TfrcTransport *transport;
  TfrcPathMtu *path_mtu;

  GST_OBJECT_LOCK (self);
  transport = g_steal_pointer (&self->transport);
  path_mtu = g_steal_pointer (&self->path_mtu);
  GST_OBJECT_UNLOCK (self);
  self->rtp_sink = NULL;
  g_clear_pointer (&path_mtu, tfrc_path_mtu_unref);
  tfrc_transport_free (transport);
}

static GstStateChangeReturn
gst_tfrc_sink_change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !start (self)) {
    stop (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  /* What reaches a udpsink in PAUSED waits there: the time in its stamps would
   * look like a long way, and BYE is for now. */
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    gst_element_set_state (self->send, GST_STATE_PAUSED);
    tfrc_bye_send (self->rtpbin, 0);
  }

  result = GST_ELEMENT_CLASS (gst_tfrc_sink_parent_class)->change_state
      (element, transition);

  if (transition == GST_STATE_CHANGE_READY_TO_NULL
      || (transition == GST_STATE_CHANGE_NULL_TO_READY
          && result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return result;
}

static void
add_stats (gpointer sink, GstStructure *stats)
{
  GstTfrcSink *self = sink;

  tfrc_members_add_stats (self->members, stats);
  GST_OBJECT_LOCK (self);
  tfrc_transport_add_stats (self->transport, stats);
  tfrc_path_mtu_add_stats (self->path_mtu, stats);
  GST_OBJECT_UNLOCK (self);
}

/* Only what happens to the RTP is news; RTCP goes on after the last packet. */
static void
gst_tfrc_sink_handle_message (GstBin * bin, GstMessage * message)
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
    default:
      GST_BIN_CLASS (gst_tfrc_sink_parent_class)->handle_message (bin,
          tfrc_stats_complete_message (message, add_stats, self));
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
gst_tfrc_sink_request_new_pad (GstElement *element, GstPadTemplate * template,
    const gchar *name, const GstCaps *caps)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);

  return self->merge ? tfrc_merge_request_pad (self->merge, template, name)
      : NULL;
}

static void
gst_tfrc_sink_release_pad (GstElement *element, GstPad *pad)
{
  tfrc_merge_release_pad (GST_TFRC_SINK (element)->merge, pad);
}

/* rtpsession needs the clock rate, which rtpfunnel keeps to itself. */
static GstCaps *
on_request_pt_map (GstElement *rtpbin, guint session, guint payload_type,
    GstTfrcSink * self)
{
  return tfrc_merge_get_caps (self->merge, payload_type);
}

/* GObject */

static GstStructure *
get_stats (GstTfrcSink * self)
{
  GstStructure *stats = NULL;

  g_object_get (self->send, "stats", &stats, NULL);
  add_stats (self, stats);
  return stats;
}

/* NULL while no stream has caps, or none that are sent: what is sent has the
 * header extension, without which a receiver could not answer. */
static gchar *
make_sdp (GstTfrcSink * self)
{
  TfrcSdp sdp = {.caps = tfrc_merge_get_all_caps (self->merge) };
  GstPad *pad = gst_element_get_static_pad (self->send, "src");
  GstCaps *sent = gst_pad_get_current_caps (pad);
  gchar *text = NULL;

  g_object_get (self->send, "mode", &sdp.mode, NULL);
  GST_OBJECT_LOCK (self);
  sdp.host = g_strdup (self->settings.host);
  sdp.ttl = self->settings.ttl_mc;
  /* With none the system chooses, and may choose anew. */
  if (sdp.mode == GST_TFRC_MODE_TFMCC)
    sdp.source = g_strdup (self->settings.bind_address);
  sdp.port = self->settings.port;
  sdp.rtcp_mux = self->settings.rtcp_mux;
  sdp.srtp = self->transport && tfrc_transport_has_srtp (self->transport);
  GST_OBJECT_UNLOCK (self);
  sdp.extension_id = sent ? tfrc_sdp_get_extension_id (sent, NULL) : 0;
  if (sent && !gst_caps_is_empty (sdp.caps))
    text = tfrc_sdp_write (&sdp);
  gst_clear_caps (&sent);
  gst_object_unref (pad);
  tfrc_sdp_clear (&sdp);
  return text;
}

static void
gst_tfrc_sink_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  if (id == TFRC_NET_PROP_URI) {
    tfrc_net_settings_set_uri_property (&self->settings, GST_ELEMENT (self),
        value);
  } else if (id == PROP_SYNC) {
    if (self->clocksync)
      g_object_set_property (G_OBJECT (self->clocksync), "sync", value);
  } else if (id >= PROP_PROXIED) {
    g_object_set_property (G_OBJECT (self->send), pspec->name, value);
  } else {
    GST_OBJECT_LOCK (self);
    if (id == PROP_MTU)
      self->mtu = g_value_get_uint (value);
    else
      tfrc_net_settings_set (&self->settings, id, value);
    GST_OBJECT_UNLOCK (self);
  }
}

static void
gst_tfrc_sink_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  if (self->missing && id >= PROP_SYNC) {
    g_param_value_set_default (pspec, value);
  } else if (id == PROP_SYNC) {
    g_object_get_property (G_OBJECT (self->clocksync), "sync", value);
  } else if (id == PROP_STATS) {
    g_value_take_boxed (value, get_stats (self));
  } else if (id == PROP_SDP) {
    g_value_take_string (value, make_sdp (self));
  } else if (id >= PROP_PROXIED) {
    g_object_get_property (G_OBJECT (self->send), pspec->name, value);
  } else {
    GST_OBJECT_LOCK (self);
    if (id == PROP_MTU)
      g_value_set_uint (value, self->mtu);
    else
      tfrc_net_settings_get (&self->settings, id, value);
    GST_OBJECT_UNLOCK (self);
  }
}

static void
gst_tfrc_sink_finalize (GObject *object)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  tfrc_merge_free (self->merge);
  tfrc_members_free (self->members);
  tfrc_net_settings_clear (&self->settings);
  G_OBJECT_CLASS (gst_tfrc_sink_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  static const gchar *const own[] = { "mode", "mtu", "stats", "ecn", NULL };

  tfrc_net_settings_install (klass, DEFAULT_HOST, TRUE);
  g_object_class_install_property (klass, PROP_SYNC,
      g_param_spec_boolean ("sync", "Sync",
          "Wait for the running time of packets before pacing them "
          "(default: true)", DEFAULT_SYNC,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_MTU,
      g_param_spec_uint ("mtu", "MTU",
          "Largest IP packet that the path carries; payloaders that stand at "
          "their default are set to fit; a path that carries less is warned "
          "of (bytes, default: 1500)",
          576, 65535, DEFAULT_MTU, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  /**
   * GstTfrcSink:stats:
   *
   * What #rtptfrcsend has, and "srtp-received" and "srtp-dropped" (both
   * guint64): packets that came in with SRTP, and those of them that did not
   * authenticate or were replayed; "rtcp-members" (guint): SSRCs whose regular
   * RTCP was heard; "rtcp-members-refused" (guint64): RTCP packets of more of
   * them, or in the sender's name, which were dropped; and "path-mtu" (guint):
   * the largest IP packet that the way to the host carries in one piece
   * (bytes), 0 while that is not known, and with a group.
   */
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "State and counters; fields, types and units as documented",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_SDP,
      g_param_spec_string ("sdp", "SDP",
          "Description of the streams, for the receiver; without a key "
          "(default: NULL = the caps are not known yet)", NULL,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  tfrc_proxy_install (klass, GST_TYPE_RTP_TFRC_SEND, PROP_PROXIED, own);
}

static void
gst_tfrc_sink_class_init (GstTfrcSinkClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBinClass *bin_class = GST_BIN_CLASS (klass);

  object_class->set_property = gst_tfrc_sink_set_property;
  object_class->get_property = gst_tfrc_sink_get_property;
  object_class->finalize = gst_tfrc_sink_finalize;
  element_class->change_state = gst_tfrc_sink_change_state;
  element_class->request_new_pad = gst_tfrc_sink_request_new_pad;
  element_class->release_pad = gst_tfrc_sink_release_pad;
  bin_class->handle_message = gst_tfrc_sink_handle_message;

  install_properties (object_class);
  signals[SIGNAL_REQUEST_KEY] = tfrc_net_settings_add_signal (klass);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "TFRC sink",
      "Generic/Bin/Sink/Network/RTP",
      "Sends RTP over UDP at the rate that TFRC (RFC 5348) allows, or TFMCC "
      "(RFC 4654) to a multicast group", "The gst-tfrc developers");
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_SRTP_CIPHER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_SRTP_AUTH, 0);
}

static GstElement *
add_child (GstTfrcSink * self, const gchar *factory)
{
  GstElement *child = gst_element_factory_make (factory, NULL);

  if (child)
    gst_bin_add (GST_BIN (self), child);
  else
    self->missing = factory;
  return child;
}

static void
gst_tfrc_sink_init (GstTfrcSink * self)
{
  GstPad *pad;

  tfrc_net_settings_init (&self->settings, DEFAULT_HOST);
  self->mtu = DEFAULT_MTU;
  gst_bin_set_suppressed_flags (GST_BIN (self),
      GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);

  self->members = tfrc_members_new ();
  self->send = g_object_new (GST_TYPE_RTP_TFRC_SEND, NULL);
  gst_bin_add (GST_BIN (self), self->send);
  tfrc_proxy_connect (G_OBJECT (self), G_OBJECT (self->send));
  self->funnel = add_child (self, "rtpfunnel");
  self->clocksync = add_child (self, "clocksync");
  self->rtpbin = add_child (self, "rtpbin");
  if (self->missing)
    return;

  tfrc_identity_set_cname (self->rtpbin);
  g_signal_connect_object (self->rtpbin, "request-pt-map",
      G_CALLBACK (on_request_pt_map), self, 0);
  gst_element_link_many (self->funnel, self->clocksync, self->send, NULL);
  gst_element_link_pads (self->send, "src", self->rtpbin, "send_rtp_sink_0");
  gst_element_link_pads (self->send, "rtcp_src", self->rtpbin,
      "recv_rtcp_sink_0");
  pad = gst_element_get_static_pad (self->send, "rtcp_src");
  tfrc_members_watch (self->members, pad, self->rtpbin);
  gst_object_unref (pad);
  self->merge = tfrc_merge_new (GST_ELEMENT (self), self->funnel,
      self->clocksync);
}

/* GstURIHandler */

static GstURIType
gst_tfrc_sink_uri_get_type (GType type)
{
  return GST_URI_SINK;
}

static gboolean
gst_tfrc_sink_uri_set_uri (GstURIHandler * handler, const gchar *uri,
    GError ** error)
{
  GstTfrcSink *self = GST_TFRC_SINK (handler);

  return tfrc_net_settings_set_uri (&self->settings, GST_ELEMENT (self), uri,
      error);
}

static void
gst_tfrc_sink_uri_handler_init (gpointer g_iface, gpointer iface_data)
{
  GstURIHandlerInterface *iface = g_iface;

  iface->get_type = gst_tfrc_sink_uri_get_type;
  iface->get_protocols = tfrc_uri_get_protocols;
  iface->get_uri = tfrc_uri_get_uri;
  iface->set_uri = gst_tfrc_sink_uri_set_uri;
}
