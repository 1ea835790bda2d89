/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*   RTP     udpsrc -> rtptfrcreceive -> rtpbin -> src_%u
 *   RTCP    with the RTP, or udpsrc -> rtpbin
 *           rtptfrcreceive, rtpbin -> funnel -> (srtpenc) -> udpsink
 *
 * rtpbin, rtptfrcreceive and the funnel exist as long as the element; the rest is created
 * in NULL to READY and removed in READY to NULL. */

/**
 * SECTION:element-tfrcsrc
 * @title: tfrcsrc
 *
 * Receives the RTP streams that a tfrcsink sends, measures their loss, and reports it
 * once per round trip, as TFRC (RFC 5348) requires, to the source of the packets: with
 * #GstTfrcSrc:rtcp-mux to the same port, which works through NAT.  In a multicast group
 * (TFMCC, RFC 4654) it reports as often as the sender needs, and when it leaves;
 * tfmcc-hopeless is posted when the group has been too fast for it for
 * #GstTfrcSrc:leave-timeout.
 *
 * A pad src_%u is added for each payload type.  Its caps come from #GstTfrcSrc:caps, else
 * from the static payload types, else from #GstTfrcSrc:encoding-name.  A restarted
 * sender, with a new SSRC, continues on the existing pad.  Both ends may start in any
 * order.
 *
 * This is a live source with the latency of its jitter buffer (#GstTfrcSrc:latency),
 * which adapts to the packets; each change is posted as a LATENCY message, after which
 * an application has to call gst_bin_recalculate_latency().
 *
 * With #GstTfrcSrc:srtp-key only SRTP (RFC 3711) is accepted.  For the key see tfrcsink.
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

#include "bins/bin.h"

#include <gst/net/net.h>
#include <gst/pbutils/pbutils.h>
#include <gst/rtp/rtp.h>
#include <string.h>

#include "common/stats.h"
#include "tfmcc-wire.h"
#include "tfrc-wire-packet-feedback.h"
#include "receive/gstrtptfrcreceive.h"
#include "bins/sdp.h"
#include "common/rtp.h"
#include "common/pads.h"
#include "common/properties.h"
#include "net/session.h"
#include "bins/repair.h"
#include "net/sockets.h"
#include "bins/source-pads.h"
#include "net/hello.h"

GST_DEBUG_CATEGORY (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

#define DEFAULT_HOST "::"

enum
{
  PROP_SDP = GST_TFRC_BIN_N_PROPS,
  PROP_LATENCY,
  PROP_PROXIED, /* from here on: proxies of rtptfrcreceive */
};

/* Sends hellos (net/hello.h) to the sender in sender-host, at once and while it sends
 * nothing, with the cookie of the newest answer.  Has a thread in PLAYING only, as
 * nothing is received below. */
typedef struct
{
  /* The sender's in the socket's family; set by connect_greeter, while nothing streams. */
  GSocketAddress *to; /* NULL = no hellos */

  GThread *thread; /* NULL = none; used by state changes only */
  GCond cond;
  gboolean stopping; /* under the lock, as all below */
  gboolean answered; /* an answer came in this tick */
  guint64 cookie;
  guint64 sent;
} Greeter;

/* Whether regular RTCP (RR, SDES, BYE) is sent: always with unicast; in a group only
 * while the group is known to be small.
 *
 * An rtpsession knows only the sender, as the other receivers report to the sender
 * only, and would send as often as with two members (RFC 3550 section 6.2): every 5 s,
 * from each of 10,000 receivers.  Its rtcp-rr-bandwidth=0 would stop that permanently. */
typedef struct
{
  gboolean is_group;
  guint limit;         /* receivers */
  gboolean small;      /* the group is known to be small */
  guint32 spoken_ssrc; /* in the last RTCP sent; 0 = none, or it was BYE */
  guint64 withheld;
} RegularRtcp;

/* The destination of RTCP: feedback-host and feedback-port, if set; else with rtcp-mux
 * the source of the RTP; else the source of the sender's RTCP or, until the first one,
 * the port next to that of the RTP.  It is the only client of a udpsink: a dynudpsink,
 * which sends to the address in each buffer, does not support an IPv6 socket. */
typedef struct
{
  /* the udpsink's client; NULL = none yet; of the thread that sends RTCP */
  GSocketAddress *to;
  GSocketAddress *of;          /* the source of the RTP then; of that thread */
  gboolean stale;              /* RTCP has come since; under the lock */
  GSocketAddress *rtcp_source; /* of the sender's RTCP; under the lock */
  GSocketAddress *rtp_source;  /* of its RTP at that time; under the lock */
} ReturnPath;

struct _GstTfrcSrc
{
  GstTfrcBin parent;

  /* Exist as long as the element. */
  GstElement *funnel;
  TfrcSourcePads *source_pads;
  GObject *session;     /* RTPSession of rtpbin */
  guint16 n_collisions; /* of the streaming thread */
  TfrcJitterBuffers *buffers;
  TfrcRepair *repair;

  GMutex lock; /* of the threads that receive and send RTCP */
  ReturnPath return_path;
  Greeter greeter;
  RegularRtcp regular_rtcp; /* under the lock */

  TfrcDescription description; /* under the object lock */
  gboolean seen[128];          /* by payload type; under the object lock */
  gint retransmission; /* GstTfrcRetransmission; under the object lock */
  gint complete;       /* no-more-pads was emitted; atomic */
  gint warned;         /* of an unknown payload type; atomic */
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u",
    GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS ("application/x-rtp"));

G_DEFINE_TYPE_WITH_CODE (GstTfrcSrc, gst_tfrc_src, GST_TYPE_TFRC_BIN,
    GST_DEBUG_CATEGORY_INIT (gst_tfrc_src_debug, "tfrcsrc", 0, "TFRC source"));
GST_ELEMENT_REGISTER_DEFINE (tfrcsrc, "tfrcsrc", GST_RANK_NONE,
    GST_TYPE_TFRC_SRC);

/* Also for each packet, so without checks of the type. */
static GstRtpTfrcReceive *
get_receive (gpointer self)
{
  return (GstRtpTfrcReceive *) ((GstTfrcBin *) self)->inner;
}

static const TfrcSockets *
get_sockets (GstTfrcSrc *self)
{
  return &self->parent.transport->sockets;
}

static gboolean
is_greeted (GstTfrcSrc *self, GSocketAddress *address)
{
  return tfrc_address_is_equal (address,
      G_SOCKET_ADDRESS (self->parent.transport->endpoint.sender));
}

static void
say_hello (GstTfrcSrc *self)
{
  GstBuffer *hello;
  guint64 cookie;
  guint ssrc;

  g_mutex_lock (&self->lock);
  cookie = self->greeter.cookie;
  self->greeter.sent++;
  g_mutex_unlock (&self->lock);
  g_object_get (self->parent.inner, "rtcp-ssrc", &ssrc, NULL);
  hello = tfrc_hello_new (TFRC_HELLO_FROM_RECEIVER, ssrc, cookie);
  gst_buffer_add_net_address_meta (hello, self->greeter.to);
  tfrc_rtcp_send (self->parent.rtpbin, hello);
}

/* Replies at once to the first answer in a tick, and only to that.  Without SRTP a
 * third party can forge an answer, which the next true one corrects. */
static GstPadProbeReturn
on_hello_in (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcSrc *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta;
  gboolean first;
  guint64 cookie;

  if (!tfrc_hello_read (buffer, TFRC_HELLO_FROM_SENDER, &cookie))
    return GST_PAD_PROBE_OK;
  meta = gst_buffer_get_net_address_meta (buffer);
  if (meta && is_greeted (self, meta->addr)) {
    g_mutex_lock (&self->lock);
    self->greeter.cookie = cookie;
    first = !self->greeter.answered;
    self->greeter.answered = TRUE;
    g_mutex_unlock (&self->lock);
    if (first)
      say_hello (self);
  }
  return GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn
on_hello_out (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcSrc *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  if (!meta || meta->addr != self->greeter.to)
    return GST_PAD_PROBE_OK;
  tfrc_socket_send_to (get_sockets (self)->reports, buffer, meta->addr, NULL);
  return GST_PAD_PROBE_DROP;
}

/* In NULL to READY, before other probes are added to `udpsink`. */
static void
connect_greeter (GstTfrcSrc *self, GstElement *udpsrc, GstElement *udpsink)
{
  TfrcTransport *transport = self->parent.transport;
  g_autoptr (GstPad) in = gst_element_get_static_pad (udpsrc, "src");
  g_autoptr (GstPad) out = gst_element_get_static_pad (udpsink, "sink");

  g_clear_object (&self->greeter.to);
  if (!transport->endpoint.sender)
    return;
  self->greeter.to = tfrc_sockets_map_address (get_sockets (self),
      G_SOCKET_ADDRESS (transport->endpoint.sender), 0);
  tfrc_packet_probe_add (in, on_hello_in, self, NULL);
  tfrc_packet_probe_add (out, on_hello_out, self, NULL);
}

/* The packets received so far; 0 if they are not from the greeted sender. */
static guint64
count_packets (GstTfrcSrc *self)
{
  g_autoptr (GSocketAddress) source =
      gst_rtp_tfrc_receive_get_source_address (get_receive (self));
  g_autoptr (GstStructure) stats = NULL;
  guint64 packets = 0;

  if (source && is_greeted (self, source)) {
    g_object_get (self->parent.inner, "stats", &stats, NULL);
    gst_structure_get_uint64 (stats, "packets", &packets);
  }
  return packets;
}

static gpointer
greet (gpointer data)
{
  GstTfrcSrc *self = data;
  TfrcGreeting greeting = { 0 };
  gint64 tick_at = g_get_monotonic_time ();

  g_mutex_lock (&self->lock);
  while (!self->greeter.stopping) {
    self->greeter.answered = FALSE;
    g_mutex_unlock (&self->lock);
    if (tfrc_greeting_is_due (&greeting, count_packets (self)))
      say_hello (self);
    tick_at += (gint64) (TFRC_GREETING_TICK / TFRC_MICROSECOND);
    g_mutex_lock (&self->lock);
    while (!self->greeter.stopping
        && g_cond_wait_until (&self->greeter.cond, &self->lock, tick_at)) {
    }
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* The greeter starts after the change to PLAYING, and stops before that to PAUSED. */
static void
start_greeter (GstTfrcSrc *self)
{
  self->greeter.stopping = FALSE;
  if (self->greeter.to)
    self->greeter.thread = g_thread_new ("tfrcgreeter", greet, self);
}

static void
stop_greeter (GstTfrcSrc *self)
{
  if (!self->greeter.thread)
    return;
  g_mutex_lock (&self->lock);
  self->greeter.stopping = TRUE;
  g_cond_signal (&self->greeter.cond);
  g_mutex_unlock (&self->lock);
  g_thread_join (g_steal_pointer (&self->greeter.thread));
}

static guint32
get_ssrc (GstTfrcSrc *self)
{
  guint ssrc;

  g_object_get (self->session, "internal-ssrc", &ssrc, NULL);
  return ssrc;
}

/* `ssrc` 0: a random one that no known member has. */
static void
set_ssrc (GstTfrcSrc *self, guint32 ssrc)
{
  gboolean draws = ssrc == 0;

  while (draws) {
    tfrc_random_fill (&ssrc, sizeof (ssrc));
    draws = ssrc == 0 || ssrc == get_ssrc (self)
        || gst_rtp_tfrc_receive_knows_ssrc (get_receive (self), ssrc);
  }
  g_object_set (self->session, "internal-ssrc", ssrc, NULL);
}

/* It was set here, or by rtpsession after a collision with the sender. */
static void
on_internal_ssrc (GObject *session, GParamSpec *pspec, GstTfrcSrc *self)
{
  g_object_set (self->parent.inner, "rtcp-ssrc", get_ssrc (self), NULL);
}

/* A collision with another receiver of a group (RFC 3550 section 8.2), which rtpsession
 * does not detect, as its RTCP goes to the sender only.  rtpsession keeps an SSRC that it
 * has used until it receives RTCP with that from elsewhere; then it sends BYE and adopts
 * its "internal-ssrc".  Such RTCP is made here, from a new address each time, as a second
 * collision with the same address would be taken for a loop. */
static void
on_collision (GstElement *receive, guint ssrc, GstTfrcSrc *self)
{
  g_autoptr (GSocketAddress) nobody = NULL;

  set_ssrc (self, 0);
  GST_INFO_OBJECT (receive, "event=ssrc-collision ssrc=%08x new=%08x", ssrc,
      get_ssrc (self));
  /* Until its first RTCP is due it has not used the SSRC. */
  if (!tfrc_session_is_own (self->session, ssrc))
    return;
  nobody = g_inet_socket_address_new_from_string ("0.0.0.0",
      ++self->n_collisions);
  tfrc_rtcp_make_up (self->parent.rtpbin, ssrc, FALSE, nobody);
}

/* Whether this RTCP was made here: no datagram is from 0.0.0.0. */
static gboolean
is_made_up (GstBuffer *rtcp)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (rtcp);

  return meta
      && g_inet_address_get_is_any (g_inet_socket_address_get_address (
          G_INET_SOCKET_ADDRESS (meta->addr)));
}

/* With the lock held: whether this RTCP is sent. */
static gboolean
passes (RegularRtcp *self, GstBuffer *buffer)
{
  TfrcWireCompound compound;

  if (!tfrc_packet_read_compound (buffer, &compound))
    return FALSE;
  if (compound.byes != 0) {
    if (self->is_group && compound.ssrcs[0] != self->spoken_ssrc)
      return FALSE;
    self->spoken_ssrc = 0;
    return TRUE;
  }
  if (self->is_group && !self->small)
    return FALSE;
  self->spoken_ssrc = compound.ssrcs[0];
  return TRUE;
}

/* Called about every 5 s. */
static GstPadProbeReturn
on_regular_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcSrc *self = user_data;
  RegularRtcp *regular = &self->regular_rtcp;
  g_autoptr (GstStructure) stats = NULL;
  guint size = 0; /* not known */
  gboolean small, pass;

  g_object_get (self->parent.inner, "stats", &stats, NULL);
  gst_structure_get_uint (stats, "receivers-overheard", &size);
  g_mutex_lock (&self->lock);
  small = size > 0 && size <= regular->limit;
  if (regular->is_group && small != regular->small)
    GST_INFO_OBJECT (self, "event=regular-rtcp on=%d overheard=%u", small,
        size);
  regular->small = small;
  pass = passes (regular, GST_PAD_PROBE_INFO_BUFFER (info));
  regular->withheld += !pass;
  g_mutex_unlock (&self->lock);
  return pass ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

/* Sends BYE if any RTCP was sent before (RFC 3550 section 6.3.7), and in PLAYING only: in
 * PAUSED the udpsink blocks. */
static void
send_bye (GstTfrcSrc *self)
{
  g_autoptr (GstElement) udpsink = gst_bin_get_by_name (GST_BIN (self),
      "rtcp_udpsink");
  guint32 spoken;

  if (udpsink == NULL || GST_STATE (udpsink) != GST_STATE_PLAYING)
    return;
  g_mutex_lock (&self->lock);
  spoken = self->regular_rtcp.spoken_ssrc;
  g_mutex_unlock (&self->lock);
  if (spoken != 0)
    tfrc_bye_send (self->parent.rtpbin, spoken);
}

/* While nothing streams: forgets the sender's addresses. */
static void
forget_return_path (ReturnPath *self)
{
  g_clear_object (&self->to);
  g_clear_object (&self->of);
  g_clear_object (&self->rtcp_source);
  g_clear_object (&self->rtp_source);
}

/* Without SRTP the source of RTCP is not authenticated: its port is accepted, but its
 * host must be that of the RTP, like its SSRCs. */
static void
follow_rtcp_source (GstTfrcSrc *self, GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  g_autoptr (GSocketAddress) source =
      gst_rtp_tfrc_receive_get_source_address (get_receive (self));

  if (meta && source
      && g_inet_address_equal (
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (source)),
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (meta
                  ->addr)))) {
    g_mutex_lock (&self->lock);
    g_set_object (&self->return_path.rtcp_source, meta->addr);
    g_set_object (&self->return_path.rtp_source, source);
    self->return_path.stale = TRUE;
    g_mutex_unlock (&self->lock);
  }
}

/* Notes the source of the sender's RTCP, and removes packets that harm rtpsession. */
static GstPadProbeReturn
on_rtcp_in (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcSrc *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  TfrcWireCompound compound;

  if (is_made_up (buffer))
    return GST_PAD_PROBE_OK;
  if (!gst_rtp_tfrc_receive_admits_rtcp (get_receive (self), buffer, &compound))
    return GST_PAD_PROBE_DROP;
  follow_rtcp_source (self, buffer);
  info->data = tfrc_packet_remove_harmful (buffer, &compound);
  return info->data ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

/* The destination of RTCP if RTP comes from `source`. */
static GSocketAddress *
get_destination (GstTfrcSrc *self, GSocketAddress *source)
{
  const TfrcTransport *transport = self->parent.transport;
  gboolean muxed = transport->settings.rtcp_mux;
  GInetSocketAddress *host = transport->endpoint.feedback;
  guint port = transport->settings.feedback_port, offset = 0;
  g_autoptr (GSocketAddress) learned = NULL;
  g_autoptr (GSocketAddress) chosen = NULL;

  /* If the source of RTP has changed since the newest RTCP, the port next to it is used. */
  g_mutex_lock (&self->lock);
  if (!muxed && self->return_path.rtp_source == source)
    g_set_object (&learned, self->return_path.rtcp_source);
  g_mutex_unlock (&self->lock);
  if (!learned) {
    learned = g_object_ref (source);
    offset = muxed ? 0 : 1;
  }
  if (!host && !port)
    return tfrc_sockets_map_address (get_sockets (self), learned, offset);
  if (!host)
    host = G_INET_SOCKET_ADDRESS (learned);
  if (!port)
    port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (learned))
        + offset;
  chosen = tfrc_address_with_port (host, port);
  return tfrc_sockets_map_address (get_sockets (self), chosen, 0);
}

static void
aim (GstTfrcSrc *self, GstElement *udpsink, GSocketAddress *to)
{
  GSocketAddress *before = self->return_path.to;
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (to);
  guint port = g_inet_socket_address_get_port (inet);
  guint scope = tfrc_address_get_scope (inet);
  g_autofree gchar *host = NULL;

  if (before && tfrc_address_is_equal (before, to)
      && tfrc_address_get_scope (G_INET_SOCKET_ADDRESS (before)) == scope)
    return;
  host = g_inet_address_to_string (g_inet_socket_address_get_address (inet));
  GST_INFO_OBJECT (self, "event=destination host=%s scope_id=%u port=%u", host,
      scope, port);
  tfrc_sockets_send_on_link (get_sockets (self)->reports, inet);
  g_signal_emit_by_name (udpsink, "clear");
  g_signal_emit_by_name (udpsink, "add", host, port);
  g_set_object (&self->return_path.to, to);
}

static GstPadProbeReturn
on_rtcp_out (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcSrc *self = user_data;
  g_autoptr (GSocketAddress) source =
      gst_rtp_tfrc_receive_get_source_address (get_receive (self));
  g_autoptr (GSocketAddress) destination = NULL;
  ReturnPath *path = &self->return_path;
  gboolean stale;

  /* No RTP was received yet. */
  if (!source)
    return GST_PAD_PROBE_DROP;
  g_mutex_lock (&self->lock);
  stale = path->stale || path->of != source;
  path->stale = FALSE;
  g_mutex_unlock (&self->lock);
  if (!stale)
    return GST_PAD_PROBE_OK;
  g_set_object (&path->of, source);
  destination = get_destination (self, source);
  aim (self, GST_PAD_PARENT (pad), destination);
  return GST_PAD_PROBE_OK;
}

/* Keeps the destination of `udpsink` up to date from now on. */
static void
start_return_path (GstTfrcSrc *self, GstElement *udpsink)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (udpsink, "sink");

  /* Removes its default client, localhost, which may be of the other address family. */
  g_signal_emit_by_name (udpsink, "clear");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_rtcp_out,
      self, NULL);
}

/* Start and stop */

static gboolean
gst_tfrc_src_prepare (GstTfrcBin *bin, GError **error)
{
  GstTfrcSrc *self = GST_TFRC_SRC (bin);
  TfrcEndpoint *endpoint = &bin->transport->endpoint;
  const TfrcNetSettings *settings = &bin->transport->settings;
  g_autoptr (GstBuffer) key = self->description.needs_key
      ? gst_tfrc_bin_get_key (0, self)
      : NULL;

  if (!tfrc_description_check (&self->description, key != NULL, error)
      || !tfrc_endpoint_init_src (endpoint, settings, error))
    return FALSE;
  g_object_set (bin->inner, "mode", endpoint->mode, "cname", settings->cname,
      NULL);
  tfrc_session_set_cname (self->parent.rtpbin, settings->cname);
  return TRUE;
}

static gboolean
gst_tfrc_src_connect (GstTfrcBin *bin, GError **error)
{
  GstTfrcSrc *self = GST_TFRC_SRC (bin);
  TfrcTransport *transport = bin->transport;
  GstElement *source = tfrc_transport_receive (transport, FALSE, bin->inner,
      "sink", error);
  GstElement *sink = source
      ? tfrc_transport_send (transport, TRUE, self->funnel, "src", NULL, error)
      : NULL;

  if (!sink)
    return FALSE;
  connect_greeter (self, source, sink);
  start_return_path (self, sink);
  return transport->settings.rtcp_mux
      || tfrc_transport_receive (transport, TRUE, bin->rtpbin,
             "recv_rtcp_sink_0", error)
      != NULL;
}

static void
begin_repair (GstTfrcSrc *self)
{
  GstTfrcRetransmission retransmission;
  gboolean described;
  g_autoptr (GstCaps) caps = NULL;

  GST_OBJECT_LOCK (self);
  retransmission = (GstTfrcRetransmission) self->retransmission;
  described = self->description.sdp != NULL;
  caps = self->description.caps ? gst_caps_ref (self->description.caps) : NULL;
  GST_OBJECT_UNLOCK (self);
  tfrc_repair_begin_run (self->repair, retransmission, caps, described);
}

static void
clear_payload_caps (GstTfrcSrc *self)
{
  g_signal_emit_by_name (GST_TFRC_BIN (self)->inner, "clear-pt-map");
  if (self->parent.rtpbin)
    g_signal_emit_by_name (self->parent.rtpbin, "clear-pt-map");
}

static void
gst_tfrc_src_begin_run (GstTfrcBin *bin)
{
  GstTfrcSrc *self = GST_TFRC_SRC (bin);
  guint ssrc, limit;
  GstTfrcMode mode;

  g_object_get (bin->inner, "mode", &mode, NULL);
  GST_OBJECT_LOCK (self);
  memset (self->seen, FALSE, sizeof (self->seen));
  ssrc = bin->settings.ssrc;
  limit = bin->settings.rtcp_group_limit;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->complete, FALSE);
  g_atomic_int_set (&self->warned, FALSE);
  clear_payload_caps (self);
  begin_repair (self);
  tfrc_source_pads_begin_run (self->source_pads);
  tfrc_jitter_buffers_begin_run (self->buffers);
  /* A new one, as the previous one may have sent BYE, and srtpenc restarts its indices
   * (RFC 3711 section 9.1). */
  set_ssrc (self, ssrc);
  g_mutex_lock (&self->lock);
  forget_return_path (&self->return_path);
  self->greeter.cookie = self->greeter.sent = 0;
  self->regular_rtcp = (RegularRtcp) {
    .is_group = mode == GST_TFRC_MODE_TFMCC,
    .limit = limit,
  };
  g_mutex_unlock (&self->lock);
  GST_TFRC_BIN_CLASS (gst_tfrc_src_parent_class)->begin_run (bin);
}

/* Sends the events that precede RTCP now.  An rtpsession sends them with its first
 * RTCP, and a flush before that clears the seqnum that it uses for them. */
static void
start_rtcp (GstTfrcSrc *self)
{
  static const gchar *const names[] = { "send_rtcp_src", "sync_src" };
  g_autoptr (GstElement) session = NULL;

  g_signal_emit_by_name (self->parent.rtpbin, "get-session", 0, &session);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (session, names[i]);

    tfrc_pads_start_rtcp (pad, NULL);
  }
}

static GstStateChangeReturn
gst_tfrc_src_change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);
  GstTfrcBin *bin = GST_TFRC_BIN (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    tfrc_sockets_drain (&bin->transport->sockets);
  /* Before the udpsink is in PAUSED, where packets would wait and become outdated. */
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    stop_greeter (self);
    g_signal_emit_by_name (bin->inner, "leave");
    gst_element_set_state (bin->inner, GST_STATE_PAUSED);
    send_bye (self);
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    /* First, so that no packet brings a cleared SSRC back. */
    tfrc_transport_stop (bin->transport);
    tfrc_jitter_buffers_clear_all (self->buffers);
  }
  result = GST_ELEMENT_CLASS (gst_tfrc_src_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && result != GST_STATE_CHANGE_FAILURE)
    start_rtcp (self);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING
      && result != GST_STATE_CHANGE_FAILURE)
    start_greeter (self);
  return result;
}

/* Only in PLAYING of the same run: in PAUSED EOS would wait in a udpsink, and a new
 * run joins the group again. */
static void
leave_group (GstElement *element, gpointer run)
{
  GstTfrcBin *bin = GST_TFRC_BIN (element);

  GST_STATE_LOCK (element);
  if (GST_STATE (element) == GST_STATE_PLAYING
      && bin->run == GPOINTER_TO_UINT (run)) {
    tfrc_transport_leave (bin->transport);
    bin->left = TRUE;
  }
  GST_STATE_UNLOCK (element);
}

/* The sender has been informed.  Leaves in another thread, as this one would wait for
 * itself to stop. */
static void
on_leaving (GstElement *receive, GstTfrcSrc *self)
{
  gst_element_call_async (GST_ELEMENT (self), leave_group,
      GUINT_TO_POINTER (GST_TFRC_BIN (self)->run), NULL);
}

static void
gst_tfrc_src_add_stats (GstTfrcBin *bin, GstStructure *stats)
{
  GstTfrcSrc *self = GST_TFRC_SRC (bin);

  tfrc_stats_add (stats, TFRC_STATS_SRC);
  g_mutex_lock (&self->lock);
  tfrc_stats_set (stats, "rtcp-withheld", self->regular_rtcp.withheld);
  tfrc_stats_set (stats, "hellos-sent", self->greeter.sent);
  g_mutex_unlock (&self->lock);
  if (self->buffers)
    tfrc_jitter_buffers_add_stats (self->buffers, stats);
  if (self->repair)
    tfrc_repair_add_stats (self->repair, stats);
  if (self->source_pads)
    tfrc_source_pads_add_stats (self->source_pads, stats);
  GST_TFRC_BIN_CLASS (gst_tfrc_src_parent_class)->add_stats (bin, stats);
}

/* Drops EOS and stream-start, as the udpsink inside is not a sink of the pipeline. */
static void
gst_tfrc_src_handle_message (GstBin *bin, GstMessage *message)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS
      || GST_MESSAGE_TYPE (message) == GST_MESSAGE_STREAM_START)
    gst_message_unref (message);
  else
    GST_BIN_CLASS (gst_tfrc_src_parent_class)->handle_message (bin, message);
}

/* Signals of rtpbin and streams */

/* The caps of a payload type; rtptfrcreceive needs them as it requests key frames of
 * video streams only. */
static GstCaps *
on_receive_pt_map (GstElement *receive, guint payload_type, GstTfrcSrc *self)
{
  guint original;
  TfrcRepairKind kind = tfrc_repair_get_kind (self->repair, payload_type,
      &original);
  g_autoptr (GstCaps) caps = NULL;

  GST_OBJECT_LOCK (self);
  caps = tfrc_description_get_caps (&self->description,
      kind != TFRC_REPAIR_NONE ? original : payload_type);
  GST_OBJECT_UNLOCK (self);
  if (kind == TFRC_REPAIR_NONE)
    tfrc_repair_expect (self->repair, payload_type);
  return kind == TFRC_REPAIR_NONE || !caps
      ? g_steal_pointer (&caps)
      : tfrc_repair_make_caps (caps, payload_type, kind == TFRC_REPAIR_RTX);
}

/* Once per payload type, so that an application can offer to install the plugin. */
static void
report_missing_depayloader (GstTfrcSrc *self, guint payload_type,
    const GstCaps *caps)
{
  gboolean *seen = &self->seen[payload_type % G_N_ELEMENTS (self->seen)];
  gboolean was_seen;

  GST_OBJECT_LOCK (self);
  was_seen = *seen;
  *seen = TRUE;
  GST_OBJECT_UNLOCK (self);
  if (was_seen || tfrc_repair_is_caps (gst_caps_get_structure (caps, 0))
      || tfrc_description_has_depayloader (caps))
    return;
  gst_pb_utils_init ();
  gst_element_post_message (GST_ELEMENT (self),
      gst_missing_decoder_message_new (GST_ELEMENT (self), caps));
}

/* Not the extension of transport-wide sequence numbers, as rtpsession would send its
 * feedback, too, and not our own, which packets no longer have behind this element. */
static gboolean
is_for_others (GQuark quark, GValue *value, gpointer unused)
{
  const gchar *field = g_quark_to_string (quark);

  return !tfrc_extmap_names (field, value, TFRC_WIRE_TWCC_URI)
      && !tfrc_extmap_names (field, value, TFRC_WIRE_EXTENSION_URI)
      && !tfrc_extmap_names (field, value, TFMCC_WIRE_EXTENSION_URI);
}

static GstCaps *
on_request_pt_map (GstElement *rtpbin, guint session, guint payload_type,
    GstTfrcSrc *self)
{
  GstCaps *caps = on_receive_pt_map (GST_TFRC_BIN (self)->inner, payload_type,
      self);

  if (caps) {
    report_missing_depayloader (self, payload_type, caps);
    caps = gst_caps_make_writable (caps);
    gst_structure_filter_and_map_in_place (gst_caps_get_structure (caps, 0),
        is_for_others, NULL);
  }
  /* rtpbin requests caps with every packet, so warn once only. */
  if (!caps && g_atomic_int_compare_and_exchange (&self->warned, FALSE, TRUE))
    GST_ELEMENT_WARNING (self, STREAM, CODEC_NOT_FOUND,
        ("Packets of payload type %u are dropped: encoding-name, caps or sdp "
         "must say what they are, by a name that GStreamer knows or with a "
         "clock-rate.",
            payload_type),
        (NULL));
  return caps;
}

/* rtpbin still has a jitter buffer, with its thread, for the stream. */
static void
on_stream_evicted (GstElement *bin, guint ssrc)
{
  tfrc_jitter_buffers_clear_later (GST_TFRC_SRC (bin)->buffers, ssrc);
}

static void
on_sender_changed (GstElement *bin)
{
  GstTfrcSrc *self = GST_TFRC_SRC (bin);

  tfrc_repair_forget_types (self->repair);
  g_signal_emit_by_name (self->parent.rtpbin, "clear-pt-map");
}

static void
on_first_of_type (GstElement *bin, guint payload_type, gboolean one_csrc)
{
  tfrc_repair_on_payload_type (GST_TFRC_SRC (bin)->repair, payload_type,
      one_csrc);
}

/* Whether all described streams have pads; without a description one is expected. */
static gboolean
have_all_pads (GstTfrcSrc *self, const GstCaps *caps)
{
  gint type;

  for (guint i = 0; caps && i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);

    if (gst_structure_get_int (structure, "payload", &type)
        && !tfrc_repair_is_caps (structure)
        && !tfrc_source_pads_has (self->source_pads, (guint) type))
      return FALSE;
  }
  return TRUE;
}

static void
on_attached (GstElement *element)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);
  g_autoptr (GstCaps) caps = NULL;

  GST_OBJECT_LOCK (self);
  caps = self->description.caps ? gst_caps_ref (self->description.caps) : NULL;
  GST_OBJECT_UNLOCK (self);
  if (have_all_pads (self, caps)
      && g_atomic_int_compare_and_exchange (&self->complete, FALSE, TRUE))
    gst_element_no_more_pads (element);
}

/* GObject */

/* Takes the network settings from the SDP. */
static void
set_network (TfrcNetSettings *settings, const TfrcSdp *sdp)
{
  settings->port = sdp->port;
  settings->rtcp_mux = sdp->rtcp_mux;
  if (sdp->mode == GST_TFRC_MODE_TFMCC)
    settings->mode = sdp->mode;
  if (!sdp->host)
    return;
  g_free (settings->host);
  settings->host = g_strdup (sdp->host);
  g_free (settings->multicast_source);
  settings->multicast_source = g_strdup (sdp->source);
}

static void
set_sdp (GstTfrcSrc *self, const gchar *text)
{
  GstTfrcBin *bin = GST_TFRC_BIN (self);
  TfrcSdp sdp = { NULL };
  gboolean valid;

  GST_OBJECT_LOCK (self);
  valid = tfrc_description_set_sdp (&self->description, text, &sdp);
  if (valid)
    set_network (&bin->settings, &sdp);
  GST_OBJECT_UNLOCK (self);
  if (valid)
    g_object_set (bin->inner, "extension-id", sdp.extension_id, NULL);
  tfrc_sdp_clear (&sdp);
}

static void
gst_tfrc_src_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  if (id == PROP_SDP)
    set_sdp (self, g_value_get_string (value));
  else if (id != PROP_LATENCY)
    G_OBJECT_CLASS (gst_tfrc_src_parent_class)
        ->set_property (object, id, value, pspec);
  else if (self->buffers)
    tfrc_jitter_buffers_set_latency (self->buffers, g_value_get_uint (value));
  /* As caps, encoding-name or sdp may have changed. */
  if (id == PROP_SDP || id == GST_TFRC_BIN_PROP_FIELD)
    clear_payload_caps (self);
}

static void
gst_tfrc_src_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  if (id != PROP_LATENCY)
    G_OBJECT_CLASS (gst_tfrc_src_parent_class)
        ->get_property (object, id, value, pspec);
  else if (self->buffers)
    g_value_set_uint (value, tfrc_jitter_buffers_get_latency (self->buffers));
}

static void
gst_tfrc_src_finalize (GObject *object)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  g_clear_pointer (&self->source_pads, tfrc_source_pads_free);
  g_clear_pointer (&self->repair, tfrc_repair_free);
  g_clear_pointer (&self->buffers, tfrc_jitter_buffers_free);
  g_clear_object (&self->session);
  forget_return_path (&self->return_path);
  g_clear_object (&self->greeter.to);
  g_cond_clear (&self->greeter.cond);
  g_mutex_clear (&self->lock);
  g_free (self->description.sdp_error);
  G_OBJECT_CLASS (gst_tfrc_src_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  static const gchar *const handed_on[] = { "feedback", "feedback-interval",
    "key-frame-requests", "delay-target", "leave-timeout", "auto-leave",
    "extension-id", "source-address", "stats-interval", NULL };

  tfrc_properties_install (klass, GST_TFRC_BIN_PROP_FIELD,
      G_STRUCT_OFFSET (GstTfrcSrc, description.encoding_name),
      g_param_spec_string ("encoding-name", "Encoding name",
          "Encoding of dynamic payload types that caps does not have, e.g. "
          "H264, VP8, OPUS: one that GStreamer knows with one clock rate, AC3 "
          "or AV1 (default: NULL = unknown)",
          NULL, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, GST_TFRC_BIN_PROP_FIELD,
      G_STRUCT_OFFSET (GstTfrcSrc, description.caps),
      g_param_spec_boxed ("caps", "Caps",
          "RTP caps of the streams, a structure for each payload type "
          "(default: NULL)",
          GST_TYPE_CAPS, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, PROP_SDP,
      G_STRUCT_OFFSET (GstTfrcSrc, description.sdp),
      g_param_spec_string ("sdp", "SDP",
          "The sdp of a tfrcsink; sets caps, port, rtcp-mux and extension-id, "
          "for a group also host, multicast-source and mode (default: NULL)",
          NULL, TFRC_PROPERTY_BEFORE_READY));
  g_object_class_install_property (klass, PROP_LATENCY,
      g_param_spec_uint ("latency", "Latency",
          "Time that the jitter buffer waits for late packets, then to be "
          "above the sender's max-queue-time; 0 = as long as they need, 40 to "
          "500 (ms, default: 0)",
          0, G_MAXINT32, TFRC_LATENCY_AUTO, TFRC_PROPERTY_ANY_STATE));
  tfrc_properties_install (klass, GST_TFRC_BIN_PROP_FIELD,
      G_STRUCT_OFFSET (GstTfrcSrc, retransmission),
      g_param_spec_enum ("retransmission", "Retransmission",
          "Ask for what is missing (RTCP NACK, RFC 4588; in a group of up to "
          "eight, of up to 32 for what parity has not given), which the sender "
          "sends again with the payload type that sdp "
          "or caps have, else 223 less that of the stream; auto = if it is a "
          "tfrcsink or they have it (default: auto)",
          GST_TYPE_TFRC_RETRANSMISSION, GST_TFRC_RETRANSMISSION_AUTO,
          TFRC_PROPERTY_BEFORE_READY));
  gst_tfrc_bin_class_install_inner (GST_TFRC_BIN_CLASS (klass), PROP_PROXIED,
      handed_on);
}

static void
gst_tfrc_src_class_init (GstTfrcSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstTfrcBinClass *bin_class = GST_TFRC_BIN_CLASS (klass);

  object_class->set_property = gst_tfrc_src_set_property;
  object_class->get_property = gst_tfrc_src_get_property;
  object_class->finalize = gst_tfrc_src_finalize;
  element_class->change_state = gst_tfrc_src_change_state;
  GST_BIN_CLASS (klass)->handle_message = gst_tfrc_src_handle_message;
  bin_class->prepare = gst_tfrc_src_prepare;
  bin_class->connect = gst_tfrc_src_connect;
  bin_class->begin_run = gst_tfrc_src_begin_run;
  bin_class->add_stats = gst_tfrc_src_add_stats;

  gst_tfrc_bin_class_set_up (bin_class, GST_URI_SRC, DEFAULT_HOST,
      GST_TYPE_RTP_TFRC_RECEIVE);
  install_properties (object_class);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC source",
      "Generic/Bin/Source/Network/RTP",
      "Receives RTP over UDP and reports to its TFRC (RFC 5348) or TFMCC "
      "(RFC 4654) sender",
      "gst-tfrc maintainers");
}

static void
gst_tfrc_src_init (GstTfrcSrc *self)
{
  static const GstRtpTfrcReceiveWatch watch = { on_stream_evicted,
    on_sender_changed, on_first_of_type };
  GstTfrcBin *bin = GST_TFRC_BIN (self);
  g_autoptr (GstPad) rtcp_in = NULL;
  g_autoptr (GstPad) rtcp_out = NULL;

  gst_tfrc_bin_set_up (bin);
  g_mutex_init (&self->lock);
  g_cond_init (&self->greeter.cond);
  g_signal_connect_object (bin->inner, "request-pt-map",
      G_CALLBACK (on_receive_pt_map), self, 0);
  g_signal_connect_object (bin->inner, "leaving", G_CALLBACK (on_leaving), self,
      0);
  self->funnel = gst_tfrc_bin_add (bin, "funnel");
  if (bin->missing)
    return;

  self->buffers = tfrc_jitter_buffers_new (GST_ELEMENT (self), bin->rtpbin,
      get_receive (self));
  self->repair = tfrc_repair_new (bin->rtpbin, get_receive (self),
      self->buffers);
  g_signal_connect_object (bin->rtpbin, "request-pt-map",
      G_CALLBACK (on_request_pt_map), self, 0);
  self->source_pads = tfrc_source_pads_new (GST_ELEMENT (self), bin->rtpbin,
      get_receive (self), self->buffers, &src_template, on_attached);
  gst_element_link_pads (bin->inner, "src", bin->rtpbin, "recv_rtp_sink_0");
  gst_rtp_tfrc_receive_set_watch (get_receive (self), GST_ELEMENT (self),
      &watch);
  rtcp_in = gst_element_request_pad_simple (bin->rtpbin, "recv_rtcp_sink_0");
  tfrc_packet_probe_add (rtcp_in, on_rtcp_in, self, NULL);
  gst_element_link_pads (bin->inner, "rtcp_src", self->funnel, "sink_0");
  gst_element_link_pads (bin->rtpbin, "send_rtcp_src_0", self->funnel,
      "sink_1");
  rtcp_out = gst_element_get_static_pad (bin->rtpbin, "send_rtcp_src_0");
  tfrc_packet_probe_add (rtcp_out, on_regular_rtcp, self, NULL);
  g_signal_emit_by_name (bin->rtpbin, "get-internal-session", 0,
      &self->session);
  /* Disables probation, in which the first packet of an SSRC is held until the second one
   * arrives: too long for RTX and parity, which are rare. */
  g_object_set (self->session, "probation", 0, NULL);
  g_signal_connect_object (self->session, "notify::internal-ssrc",
      G_CALLBACK (on_internal_ssrc), self, 0);
  g_signal_connect_object (bin->inner, "ssrc-collision",
      G_CALLBACK (on_collision), self, 0);
  set_ssrc (self, 0);
}
