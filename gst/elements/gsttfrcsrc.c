/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsrc: wires rtptfrcreceive to rtpbin, SRTP and UDP sockets.
 *
 *   RTP     udpsrc -> (srtpdec) -> rtptfrcreceive -> rtpbin -> src_%u
 *   RTCP    with the RTP, or udpsrc -> (srtpdec) -> rtpbin
 *           rtptfrcreceive, rtpbin -> funnel -> (srtpenc) -> udpsink
 *
 * rtpbin, rtptfrcreceive and the funnel exist as long as the element; the rest
 * from NULL to READY until READY to NULL. */

/**
 * SECTION:element-tfrcsrc
 * @title: tfrcsrc
 *
 * Receives the RTP streams that a tfrcsink sends, measures their loss, and
 * reports once per round trip, as TFRC (RFC 5348) has it, to where the packets
 * come from: with #GstTfrcSrc:rtcp-mux the same port, which goes through NAT.
 * In a multicast group (TFMCC, RFC 4654) it reports as often as the sender needs
 * it, and tells when it leaves; tfmcc-hopeless is posted when the group is too
 * fast for it for #GstTfrcSrc:leave-timeout.
 *
 * A pad src_%u appears for each payload type.  What it holds comes from
 * #GstTfrcSrc:caps, else from the static payload types, else from
 * #GstTfrcSrc:encoding-name.  A restarted sender, with a new SSRC, comes out of
 * the pad that is there.  Both ends may start in any order.  A key frame is
 * asked for when a stream appears, after loss, and when a decoder asks.
 *
 * This is a live source: it has the latency of its jitter buffer
 * (#GstTfrcSrc:latency, which should be above the sender's max-queue-time) and
 * gives no data in PAUSED; on return to PLAYING it drops what came meanwhile.
 *
 * With #GstTfrcSrc:srtp-key only SRTP (RFC 3711) gets in.  Of the key see
 * tfrcsink.
 *
 * ## Launch lines
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Receives and shows video.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! tfrcsink host=127.0.0.1 port=5004
 * ]| Sends it.
 * |[
 * gst-launch-1.0 tfrcsrc address=239.255.1.2 port=5006 multicast-iface=lo encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Joins a group.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! tfrcsink host=239.255.1.2 port=5006 multicast-iface=lo
 * ]| Sends to it.
 */

#include "gsttfrcsrc.h"

#include "gstrtptfrcreceive.h"
#include "tfrcdescription.h"
#include "tfrcidentity.h"
#include "tfrcnetsettings.h"
#include "tfrcproxy.h"
#include "tfrcreturnpath.h"
#include "tfrcrtcpgate.h"
#include "tfrcstats.h"
#include "tfrcsteadyaddress.h"
#include "tfrcstreams.h"
#include "tfrctransport.h"
#include "tfrcuri.h"

GST_DEBUG_CATEGORY (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

#define DEFAULT_HOST "::"
/* The sender's pacer may hold a packet for 200 ms; the rest is for the
 * network's jitter. */
#define DEFAULT_LATENCY 300

enum
{
  PROP_LATENCY = TFRC_DESCRIPTION_N_PROPS,
  PROP_STATS,
  PROP_PROXIED,                 /* and above: of rtptfrcreceive */
};

enum
{
  SIGNAL_REQUEST_KEY,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

struct _GstTfrcSrc
{
  GstBin parent;

  /* As long as the element. */
  GstElement *receive;
  GstElement *rtpbin;
  GstElement *funnel;
  const gchar *missing;         /* a factory that is not there, or NULL */
  TfrcStreams *streams;
  TfrcReturnPath *return_path;
  TfrcIdentity *identity;
  TfrcSteadyAddress *steady_address;
  TfrcRtcpGate *gate;

  /* Under the object lock. */
  TfrcTransport *transport;     /* READY and above */
  TfrcNetSettings settings;
  TfrcDescription description;

  gint warned;                  /* of an unknown payload type; atomic */
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u",
    GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS ("application/x-rtp"));

static void gst_tfrc_src_uri_handler_init (gpointer g_iface,
    gpointer iface_data);

G_DEFINE_TYPE_WITH_CODE (GstTfrcSrc, gst_tfrc_src, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER,
        gst_tfrc_src_uri_handler_init));
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (tfrcsrc, "tfrcsrc", GST_RANK_NONE,
    GST_TYPE_TFRC_SRC, GST_DEBUG_CATEGORY_INIT (gst_tfrc_src_debug,
        "tfrcsrc", 0, "TFRC source"));

/* A key for `ssrc`; 0 asks for that of our own packets. */
static GstBuffer *
get_key (guint ssrc, gpointer user_data)
{
  GstTfrcSrc *self = user_data;
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

/* Start and stop */

static gboolean
add_elements (GstTfrcSrc * self, TfrcTransport * transport,
    const TfrcNetSettings * settings, const TfrcEndpoint *endpoint,
    GError ** error)
{
  gboolean rtcp_mux = settings->rtcp_mux;
  GstElement *source, *sink;

  source = tfrc_transport_add (transport, "udpsrc", FALSE, error);
  sink = source ? tfrc_transport_add (transport, "udpsink", TRUE, error)
      : NULL;
  if (!sink)
    return FALSE;
  tfrc_return_path_start (self->return_path, sink,
      tfrc_transport_get_sockets (transport), settings, endpoint);
  tfrc_transport_link_in (transport, source, FALSE, self->receive, "sink");
  tfrc_transport_link_out (transport, self->funnel, "src", TRUE, sink);
  if (rtcp_mux) {
    tfrc_transport_link_muxed_rtcp (transport, self->rtpbin,
        "recv_rtcp_sink_0");
    return TRUE;
  }
  source = tfrc_transport_add (transport, "udpsrc", TRUE, error);
  return source && tfrc_transport_link_in (transport, source, TRUE,
      self->rtpbin, "recv_rtcp_sink_0");
}

static gboolean
check_description (GstTfrcSrc * self, GError ** error)
{
  GstBuffer *key = self->description.needs_key ? get_key (0, self) : NULL;
  gboolean valid =
      tfrc_description_check (&self->description, key != NULL, error);

  gst_clear_buffer (&key);
  return valid;
}

static gboolean
start (GstTfrcSrc * self)
{
  TfrcTransport *transport = NULL;
  TfrcNetSettings settings;
  TfrcEndpoint endpoint = { NULL, };
  GError *error = NULL;
  gboolean started = FALSE;

  g_atomic_int_set (&self->warned, FALSE);
  GST_OBJECT_LOCK (self);
  settings = tfrc_net_settings_copy (&self->settings);
  GST_OBJECT_UNLOCK (self);

  if (self->missing) {
    g_set_error (&error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "element '%s' is missing", self->missing);
  } else if (check_description (self, &error)
      && tfrc_net_settings_check (&settings, &error)
      && tfrc_endpoint_init_src (&endpoint, &settings, &error)) {
    g_object_set (self->receive, "mode", endpoint.mode, NULL);
    tfrc_identity_choose (self->identity, settings.ssrc);
    tfrc_rtcp_gate_set (self->gate, endpoint.mode == GST_TFRC_MODE_TFMCC,
        settings.rtcp_group_limit);
    transport = tfrc_transport_new (GST_BIN (self), &settings, &endpoint,
        get_key, &error);
  }
  if (transport) {
    started = add_elements (self, transport, &settings, &endpoint, &error);
    GST_OBJECT_LOCK (self);
    self->transport = transport;
    GST_OBJECT_UNLOCK (self);
  }
  if (error)
    tfrc_transport_post_error (GST_ELEMENT (self), error);
  tfrc_endpoint_clear (&endpoint);
  tfrc_net_settings_clear (&settings);
  return started;
}

static void
stop (GstTfrcSrc * self)
{
  TfrcTransport *transport;

  GST_OBJECT_LOCK (self);
  transport = g_steal_pointer (&self->transport);
  GST_OBJECT_UNLOCK (self);
  if (self->return_path)
    tfrc_return_path_stop (self->return_path);
  tfrc_transport_free (transport);
}

static GstStateChangeReturn
gst_tfrc_src_change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !start (self)) {
    stop (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    GST_DEBUG_OBJECT (self, "event=drained packets=%u", tfrc_sockets_drain
        (tfrc_transport_get_sockets (self->transport)));
  /* What reaches a udpsink in PAUSED waits there, and would be old news. */
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    g_signal_emit_by_name (self->receive, "leave");
    gst_element_set_state (self->receive, GST_STATE_PAUSED);
    tfrc_rtcp_gate_send_bye (self->gate);
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    /* First, so that no packet brings a cleared SSRC back. */
    tfrc_transport_stop (self->transport);
    tfrc_streams_clear (self->streams);
  }

  result = GST_ELEMENT_CLASS (gst_tfrc_src_parent_class)->change_state
      (element, transition);

  if (transition == GST_STATE_CHANGE_READY_TO_NULL
      || (transition == GST_STATE_CHANGE_NULL_TO_READY
          && result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return result;
}

static void
leave_group (GstElement *element, gpointer user_data)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);

  GST_STATE_LOCK (element);
  if (self->transport && GST_STATE (element) >= GST_STATE_PAUSED)
    tfrc_transport_leave (self->transport);
  GST_STATE_UNLOCK (element);
}

/* The sender has been told, in a thread that must not wait for itself to
 * stop. */
static void
on_leaving (GstElement *receive, GstTfrcSrc * self)
{
  gst_element_call_async (GST_ELEMENT (self), leave_group, NULL, NULL);
}

static void
add_stats (gpointer src, GstStructure *stats)
{
  GstTfrcSrc *self = src;

  if (self->gate)
    tfrc_rtcp_gate_add_stats (self->gate, stats);
  GST_OBJECT_LOCK (self);
  tfrc_transport_add_stats (self->transport, stats);
  GST_OBJECT_UNLOCK (self);
}

/* The udpsink inside is none of the pipeline's sinks. */
static void
gst_tfrc_src_handle_message (GstBin * bin, GstMessage * message)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS
      || GST_MESSAGE_TYPE (message) == GST_MESSAGE_STREAM_START)
    gst_message_unref (message);
  else
    GST_BIN_CLASS (gst_tfrc_src_parent_class)->handle_message (bin,
        tfrc_stats_complete_message (message, add_stats, bin));
}

/* Of rtpbin and of the streams */

static GstCaps *
get_payload_caps (GstTfrcSrc * self, guint payload_type)
{
  GstCaps *caps;

  GST_OBJECT_LOCK (self);
  caps = tfrc_description_get_caps (&self->description, payload_type);
  GST_OBJECT_UNLOCK (self);
  return caps;
}

static GstCaps *
on_request_pt_map (GstElement *rtpbin, guint session, guint payload_type,
    GstTfrcSrc * self)
{
  GstCaps *caps = get_payload_caps (self, payload_type);

  /* Asked with every packet. */
  if (!caps && g_atomic_int_compare_and_exchange (&self->warned, FALSE, TRUE))
    GST_ELEMENT_WARNING (self, STREAM, CODEC_NOT_FOUND,
        ("Packets of payload type %u are dropped: encoding-name, caps or sdp "
            "must say what they are.", payload_type), (NULL));
  return caps;
}

/* rtptfrcreceive asks key frames of video streams. */
static GstCaps *
on_receive_pt_map (GstElement *receive, guint payload_type, GstTfrcSrc * self)
{
  return get_payload_caps (self, payload_type);
}

static void
request_key_frame (GstElement *bin, guint ssrc)
{
  g_signal_emit_by_name (GST_TFRC_SRC (bin)->receive, "request-key-frame",
      ssrc);
}

static void
remove_stream (GstElement *bin, guint ssrc)
{
  g_signal_emit_by_name (GST_TFRC_SRC (bin)->receive, "remove-stream", ssrc);
}

/* GObject */

static GstStructure *
get_stats (GstTfrcSrc * self)
{
  GstStructure *stats = NULL;

  g_object_get (self->receive, "stats", &stats, NULL);
  add_stats (self, stats);
  return stats;
}

static void
set_sdp (GstTfrcSrc * self, const gchar *text)
{
  TfrcSdp sdp = { NULL, };
  gboolean valid;

  GST_OBJECT_LOCK (self);
  valid = tfrc_description_set_sdp (&self->description, text, &sdp);
  if (valid) {
    tfrc_net_settings_set_sdp (&self->settings, &sdp);
  }
  GST_OBJECT_UNLOCK (self);
  if (valid)
    g_object_set (self->receive, "extension-id", sdp.extension_id, NULL);
  tfrc_sdp_clear (&sdp);
}

static void
gst_tfrc_src_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  if (id == TFRC_NET_PROP_URI) {
    tfrc_net_settings_set_uri_property (&self->settings, GST_ELEMENT (self),
        value);
  } else if (id == TFRC_DESCRIPTION_PROP_SDP) {
    set_sdp (self, g_value_get_string (value));
  } else if (id == PROP_LATENCY) {
    if (self->rtpbin)
      g_object_set_property (G_OBJECT (self->rtpbin), "latency", value);
  } else if (id >= PROP_PROXIED) {
    g_object_set_property (G_OBJECT (self->receive), pspec->name, value);
  } else {
    GST_OBJECT_LOCK (self);
    if (!tfrc_description_set (&self->description, id, value))
      tfrc_net_settings_set (&self->settings, id, value);
    GST_OBJECT_UNLOCK (self);
  }
}

static void
gst_tfrc_src_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  if (id == PROP_LATENCY) {
    if (self->rtpbin)
      g_object_get_property (G_OBJECT (self->rtpbin), "latency", value);
  } else if (id == PROP_STATS) {
    g_value_take_boxed (value, get_stats (self));
  } else if (id >= PROP_PROXIED) {
    g_object_get_property (G_OBJECT (self->receive), pspec->name, value);
  } else {
    GST_OBJECT_LOCK (self);
    if (!tfrc_description_get (&self->description, id, value))
      tfrc_net_settings_get (&self->settings, id, value);
    GST_OBJECT_UNLOCK (self);
  }
}

static void
gst_tfrc_src_finalize (GObject *object)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  tfrc_streams_free (self->streams);
  tfrc_return_path_free (self->return_path);
  tfrc_identity_free (self->identity);
  tfrc_steady_address_free (self->steady_address);
  tfrc_rtcp_gate_free (self->gate);
  tfrc_net_settings_clear (&self->settings);
  tfrc_description_clear (&self->description);
  G_OBJECT_CLASS (gst_tfrc_src_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  /* rtpsession knows the SSRC and the CNAME. */
  static const gchar *const own[] = { "mode", "stats", "rtcp-ssrc", "cname",
    NULL
  };

  tfrc_net_settings_install (klass, DEFAULT_HOST, FALSE);
  tfrc_description_install (klass);
  g_object_class_install_property (klass, PROP_LATENCY,
      g_param_spec_uint ("latency", "Latency",
          "Time that the jitter buffer waits for late packets; should be above "
          "the sender's max-queue-time (ms, default: 300)", 0, G_MAXINT32,
          DEFAULT_LATENCY, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  /**
   * GstTfrcSrc:stats:
   *
   * What #rtptfrcreceive has, and "srtp-received" and "srtp-dropped" (both
   * guint64): packets that came in with SRTP, and those of them that did not
   * authenticate or were replayed; and "rtcp-withheld" (guint64): regular RTCP
   * packets that were not sent, as the group is large or its size not known.
   */
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "What was measured; fields, types and units as documented",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  tfrc_proxy_install (klass, GST_TYPE_RTP_TFRC_RECEIVE, PROP_PROXIED, own);
}

static void
gst_tfrc_src_class_init (GstTfrcSrcClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBinClass *bin_class = GST_BIN_CLASS (klass);

  object_class->set_property = gst_tfrc_src_set_property;
  object_class->get_property = gst_tfrc_src_get_property;
  object_class->finalize = gst_tfrc_src_finalize;
  element_class->change_state = gst_tfrc_src_change_state;
  bin_class->handle_message = gst_tfrc_src_handle_message;

  install_properties (object_class);
  signals[SIGNAL_REQUEST_KEY] = tfrc_net_settings_add_signal (klass);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC source",
      "Generic/Bin/Source/Network/RTP",
      "Receives RTP over UDP and reports to its TFRC (RFC 5348) or TFMCC "
      "(RFC 4654) sender", "The gst-tfrc developers");
}

static GstElement *
add_child (GstTfrcSrc * self, const gchar *factory)
{
  GstElement *child = gst_element_factory_make (factory, NULL);

  if (child)
    gst_bin_add (GST_BIN (self), child);
  else
    self->missing = factory;
  return child;
}

static void
gst_tfrc_src_init (GstTfrcSrc * self)
{
  GstPad *pad;

  tfrc_net_settings_init (&self->settings, DEFAULT_HOST);
  gst_bin_set_suppressed_flags (GST_BIN (self),
      GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);

  self->receive = g_object_new (GST_TYPE_RTP_TFRC_RECEIVE, NULL);
  gst_bin_add (GST_BIN (self), self->receive);
  tfrc_proxy_connect (G_OBJECT (self), G_OBJECT (self->receive));
  g_signal_connect_object (self->receive, "request-pt-map",
      G_CALLBACK (on_receive_pt_map), self, 0);
  g_signal_connect_object (self->receive, "leaving",
      G_CALLBACK (on_leaving), self, 0);
  self->rtpbin = add_child (self, "rtpbin");
  self->funnel = add_child (self, "funnel");
  if (self->missing)
    return;

  g_object_set (self->rtpbin, "latency", DEFAULT_LATENCY, NULL);
  g_signal_connect_object (self->rtpbin, "request-pt-map",
      G_CALLBACK (on_request_pt_map), self, 0);
  gst_element_link_pads (self->receive, "src", self->rtpbin, "recv_rtp_sink_0");
  pad = gst_element_get_static_pad (self->rtpbin, "recv_rtp_sink_0");
  self->steady_address = tfrc_steady_address_new
      (GST_RTP_TFRC_RECEIVE (self->receive), pad);
  gst_object_unref (pad);
  pad = gst_element_request_pad_simple (self->rtpbin, "recv_rtcp_sink_0");
  self->return_path = tfrc_return_path_new (GST_ELEMENT (self),
      GST_RTP_TFRC_RECEIVE (self->receive));
  tfrc_return_path_watch (self->return_path, pad);
  gst_object_unref (pad);
  gst_element_link_pads (self->receive, "rtcp_src", self->funnel, "sink_0");
  gst_element_link_pads (self->rtpbin, "send_rtcp_src_0", self->funnel,
      "sink_1");
  self->gate = tfrc_rtcp_gate_new (self->rtpbin, self->receive);
  self->identity = tfrc_identity_new (self->rtpbin, self->receive);
  self->streams = tfrc_streams_new (GST_ELEMENT (self), self->rtpbin,
      &src_template, request_key_frame, remove_stream);
}

static GstURIType
gst_tfrc_src_uri_get_type (GType type)
{
  return GST_URI_SRC;
}

static gboolean
gst_tfrc_src_uri_set_uri (GstURIHandler * handler, const gchar *uri,
    GError ** error)
{
  GstTfrcSrc *self = GST_TFRC_SRC (handler);

  return tfrc_net_settings_set_uri (&self->settings, GST_ELEMENT (self), uri,
      error);
}

static void
gst_tfrc_src_uri_handler_init (gpointer g_iface, gpointer iface_data)
{
  GstURIHandlerInterface *iface = g_iface;

  iface->get_type = gst_tfrc_src_uri_get_type;
  iface->get_protocols = tfrc_uri_get_protocols;
  iface->get_uri = tfrc_uri_get_uri;
  iface->set_uri = gst_tfrc_src_uri_set_uri;
}
