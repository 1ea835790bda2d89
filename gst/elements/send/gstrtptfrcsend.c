/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtptfrcsend
 * @title: rtptfrcsend
 * @see_also: rtptfrcreceive, tfrcsink, rtpbin
 *
 * The sender of TFRC (RFC 5348), or of TFMCC (RFC 4654) for a group of receivers, for an
 * RTP flow of any number of SSRCs.  Packets come in at `sink`, or at requested pads
 * `sink_%u`, each with a priority; they are queued until the allowed rate lets them be
 * sent, get a header extension, and go out at `src`.  RTCP from the receivers comes in at
 * `rtcp_sink`; reports of rtptfrcreceive and requests for key frames are taken out, and
 * the rest goes out at `rtcp_src`.
 *
 * #GstRtpTfrcSend:mode selects the protocol in the change to PAUSED; auto is TFMCC if the
 * first caps name its header extension (urn:x-gst:rtp-hdrext:tfmcc:1), else TFRC.  TFMCC
 * follows the receiver that limits the group most, the CLR; without a receiver the rate
 * falls to #GstRtpTfrcSend:min-bitrate, and never below it.
 *
 * Element messages announce a new CLR (tfmcc-clr), a receiver for which the group is too
 * fast (tfmcc-slow-receiver) or which has moved (tfrc-receiver-moved), and the circuit
 * breakers of RFC 8083 (rtp-circuit-breaker), which stop nearly all sending while no
 * feedback shows that packets arrive; docs/elements.md has their fields.
 *
 * Packets queued for longer than #GstRtpTfrcSend:max-queue-time are dropped: whole frames
 * of video and everything up to the next key frame, which is requested upstream at most
 * once a second; single packets of anything else.  While the rate is reduced for a moment
 * only, frames of video wait for up to four times as long.  Sequence numbers are rewritten
 * without gaps.  The bitrate of the nearest video encoder upstream follows the allowed
 * rate, or the part of it that other streams leave; the encoders of several pads share it
 * by priority.  It is restored when the pad or the element stops.  With
 * encoder-control=false the application sets it, by notify::bitrate.
 *
 * The receiver need not be rtptfrcreceive: see #GstRtpTfrcSend:feedback.
 * Transport-wide feedback may also come as the event `RTPTWCCPackets`, which an
 * rtpsession sends upstream; so the element works as auxiliary sender of webrtcbin
 * (signal request-aux-sender), where nothing is linked to `rtcp_sink`.  If nothing is
 * linked to `rtcp_src` either, it reads the RTCP of the rtpsession downstream of `src`, as
 * in a media of gst-rtsp-server.
 *
 * Put it before rtpbin.  Packets of a source that is not live wait for their running time
 * (sync), and, if no encoder follows the rate, for the rate.  Network sinks behind it are
 * set to sync=false then, as packets have waited already.  Packets are sent, and get
 * older, in PLAYING only, so there is no preroll.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 rtpbin name=bin rtptfrcsend name=tfrc \
 *     videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! \
 *     tfrc.sink  tfrc.src ! bin.send_rtp_sink_0 \
 *     bin.send_rtp_src_0 ! udpsink host=127.0.0.1 port=5004 sync=false async=false \
 *     bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=5005 sync=false async=false \
 *     udpsrc port=5007 caps=application/x-rtcp ! tfrc.rtcp_sink \
 *     tfrc.rtcp_src ! bin.recv_rtcp_sink_0
 * ]| sends H.264 to the launch line of rtptfrcreceive.
 */

#include "send/gstrtptfrcsend.h"

#include <gst/video/video.h>
#include <stdio.h>

#include "common/locks.h"
#include "common/repair-types.h"
#include "common/pads.h"
#include "common/properties.h"
#include "common/stats.h"
#include "encoder/encoder.h"
#include "encoder/upstream.h"
#include "net/session.h"
#include "send/pacer.h"
#include "send/repair.h"
#include "send/settings.h"
#include "send/sink-pad.h"

GST_DEBUG_CATEGORY (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* Bound of a reported path MTU, which may be nonsense [bytes of RTP]. */
#define LEAST_MTU 500

/* How often to check whether packets are still sent in TCP only. */
#define LOOK_INTERVAL TFRC_SECOND

enum
{
  PROP_SETTING = 1, /* any property in send/settings.h */
  PROP_BITRATE,
  PROP_ECT,
  PROP_PAYLOAD_TYPE,
  PROP_PAYLOADER, /* any that is the payloader's */
  PROP_STATS
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate request_template =
    GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
        GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_sink_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("application/x-rtcp"));
static GstStaticPadTemplate rtcp_src_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("application/x-rtcp"));

/* All but `src` have their partner as element_private.  Caps are passed on without our
 * header extension, latency with our queue added. */
typedef struct
{
  GstPad *sink;
  GstPad *src;
  GstPad *rtcp_sink;
  GstPad *rtcp_src;
} Pads;

struct _GstRtpTfrcSend
{
  GstElement parent;

  Pads pads;

  TfrcSendPacer *pacer;
  TfrcSendIngress ingress; /* used by the sink pads' streaming threads */
  gint session_sought;     /* the rtpsession was looked for; atomic */
  gint control;            /* TfrcSendControl; atomic */
  TfrcTime looked_at;      /* when TCP was looked for; source pad's task */
  /* the rtpsession whose RTCP is overheard; source pad's task */
  GWeakRef session;

  GMutex configuring;        /* serialises configure_parts */
  TfrcSendSettings settings; /* object lock */

  /* Guarded by the object lock, as are the fields of the sink pads. */
  guint next_pad;
  gboolean awaits_caps; /* the first caps complete flow_config */
  gboolean began;       /* STREAM_START was sent since EOS */
  gboolean flushed;     /* FLUSH_START was sent since FLUSH_STOP */
  gint active;          /* the source pad is active; atomic */
  /* a thread changes that, or starts or stops the task */
  gboolean task_changing;
  GCond task_changed;

  /* Written when the element starts, and by the thread with the first caps. */
  TfrcSendFlowConfig flow_config;
};

G_DEFINE_TYPE_WITH_CODE (GstRtpTfrcSend, gst_rtp_tfrc_send, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_tfrc_send_debug, "rtptfrcsend", 0,
        "TFRC sender"));
GST_ELEMENT_REGISTER_DEFINE (rtptfrcsend, "rtptfrcsend", GST_RANK_NONE,
    GST_TYPE_RTP_TFRC_SEND);

/* Without the strings, which may be freed. */
static TfrcSendSettings
get_settings (GstRtpTfrcSend *self)
{
  GST_OBJECT_AUTO_LOCK (self, locker);
  return self->settings;
}

/* Applies the settings to all parts.  Threads are serialised, so that the last one
 * applies the newest settings. */
static void
configure_parts (GstRtpTfrcSend *self)
{
  TfrcSendSettings settings;
  gint control;

  g_mutex_lock (&self->configuring);
  GST_OBJECT_LOCK (self);
  settings = self->settings;
  settings.encoder = tfrc_encoder_settings_copy (&self->settings.encoder);
  settings.encoder.delay_controlled = settings.delay_target > 0
      && self->flow_config.mode != GST_TFRC_MODE_TFMCC;
  GST_OBJECT_UNLOCK (self);
  control = g_atomic_int_get (&self->control);
  settings.encoder.control &= control != TFRC_SEND_LEFT_TO_TCP;
  settings.circuit_breaker &= control == TFRC_SEND_CONTROLLED;

  tfrc_send_pacer_configure (self->pacer, &settings);
  tfrc_send_pads_configure_encoders (GST_ELEMENT (self), &settings.encoder);
  g_mutex_unlock (&self->configuring);
  tfrc_encoder_settings_clear (&settings.encoder);
}

/* The rtpsession downstream gets RTCP.  It is read from there if neither RTCP pad is
 * linked; nothing of it needs to be passed on. */
static void
on_receiving_rtcp (GObject *session, GstBuffer *buffer, GstRtpTfrcSend *self)
{
  if (gst_pad_is_linked (self->pads.rtcp_sink)
      || gst_pad_is_linked (self->pads.rtcp_src))
    return;
  tfrc_pads_start_rtcp (self->pads.rtcp_sink, NULL);
  gst_pad_chain (self->pads.rtcp_sink, gst_buffer_ref (buffer));
}

/* Signal of a multiudpsink. */
static void
on_client_added (G_GNUC_UNUSED GstElement *sink, const gchar *host, gint port,
    GstRtpTfrcSend *self)
{
  tfrc_send_pacer_add_client (self->pacer, host, port);
}

/* In the source pad's task: looks whether packets are sent in TCP.  Then, until a report
 * comes, which not all clients send in TCP, the encoder keeps its own bitrate. */
static void
follow_sinks (GstRtpTfrcSend *self, const TfrcSinks *sinks, TfrcTime now)
{
  const gboolean in_tcp = sinks->tcp && !sinks->others;

  self->looked_at = now;
  if (!tfrc_send_pacer_set_in_tcp (self->pacer, sinks->tcp, sinks->others))
    return;
  g_atomic_int_set (&self->control,
      in_tcp ? TFRC_SEND_LEFT_TO_TCP : TFRC_SEND_CONTROLLED);
  configure_parts (self);
  if (in_tcp)
    GST_ELEMENT_INFO (self, RESOURCE, SETTINGS,
        ("Packets are sent inside RTSP's TCP connection, which has its own "
         "congestion control: the encoder keeps its own bitrate until the "
         "client reports."),
        (NULL));
}

/* In the source pad's task: looks for the rtpsession downstream, after it was linked
 * anew. */
static void
listen_to_session (GstRtpTfrcSend *self, TfrcTime now)
{
  TfrcSinks sinks = { .on_client_added = G_CALLBACK (on_client_added),
    .object = self };
  g_autoptr (GObject) old = NULL;
  g_autoptr (GObject) session = NULL;

  /* A client may have been added to an existing sink. */
  if (g_atomic_int_get (&self->control) != TFRC_SEND_CONTROLLED
      && tfrc_time_since (self->looked_at, now) >= LOOK_INTERVAL)
    g_atomic_int_set (&self->session_sought, FALSE);
  if (!g_atomic_int_compare_and_exchange (&self->session_sought, FALSE, TRUE))
    return;
  old = g_weak_ref_get (&self->session);
  sinks.paced = get_settings (self).sync;
  tfrc_sinks_visit (&sinks, self->pads.src);
  session = sinks.session;
  if (session != old) {
    if (old != NULL)
      g_signal_handlers_disconnect_by_func (old, on_receiving_rtcp, self);
    if (session != NULL)
      g_signal_connect_object (session, "on-receiving-rtcp",
          G_CALLBACK (on_receiving_rtcp), self, 0);
    g_weak_ref_set (&self->session, session);
    GST_DEBUG_OBJECT (self, "hears the RTCP of %" GST_PTR_FORMAT, session);
  }
  if (session != NULL)
    follow_sinks (self, &sinks, now);
}

/* The number of packets up to the next SSRC: an rtpsession counts a list as packets of
 * its first SSRC. */
static guint
count_first (const TfrcQueueItem *items, guint n_items)
{
  guint n = 1;

  while (n < n_items && items[n].ssrc == items->ssrc)
    n++;
  return n;
}

static GstFlowReturn
push_some (GstPad *srcpad, const TfrcQueueItem *items, guint n_items)
{
  GstBufferList *list;

  if (n_items == 1)
    return gst_pad_push (srcpad, GST_BUFFER_CAST (items->object));

  list = gst_buffer_list_new_sized (n_items);
  for (guint i = 0; i < n_items; i++)
    gst_buffer_list_add (list, GST_BUFFER_CAST (items[i].object));
  return gst_pad_push_list (srcpad, list);
}

/* Pushes the packets.  Those of the push that failed, and all after them, stay listed in
 * `due`, without references. */
static GstFlowReturn
push_packets (GstPad *srcpad, TfrcSendDue *due)
{
  GstFlowReturn ret = GST_FLOW_OK;
  guint first = 0, n = 0;

  while (ret == GST_FLOW_OK && first + n < due->n_items) {
    first += n;
    n = count_first (&due->items[first], due->n_items - first);
    ret = push_some (srcpad, &due->items[first], n);
  }
  for (guint i = first + n; i < due->n_items; i++)
    gst_mini_object_unref (due->items[i].object);
  due->n_items -= first;
  memmove (due->items, &due->items[first], due->n_items * sizeof *due->items);
  return ret;
}

/* Pushes what is due: packets or an event. */
static GstFlowReturn
push (GstRtpTfrcSend *self, TfrcSendDue *due)
{
  GstPad *srcpad = self->pads.src;
  gboolean flushing;
  GstFlowReturn ret;
  gsize bytes = 0;
  gint control;

  if (due->event != NULL)
    gst_pad_push_event (srcpad, due->event);
  if (due->n_items == 0)
    return GST_FLOW_OK;

  listen_to_session (self, due->now);
  flushing = GST_PAD_IS_FLUSHING (srcpad);
  for (guint i = 0; i < due->n_items; i++)
    bytes += due->items[i].size;
  ret = push_packets (srcpad, due);
  control = (gint) tfrc_send_pacer_on_pushed (self->pacer, bytes, due->now);
  if (control != g_atomic_int_get (&self->control)) {
    g_atomic_int_set (&self->control, control);
    configure_parts (self);
  }
  /* Only if this pad is flushing or not linked: else the error is from further
   * downstream, and an rtpsession has numbered the packets, as after any other error. */
  if ((ret == GST_FLOW_FLUSHING && flushing)
      || (ret == GST_FLOW_NOT_LINKED && !gst_pad_is_linked (srcpad)))
    tfrc_send_pacer_take_back (self->pacer, due);
  return ret;
}

/* Takes ownership of the pad. */
static void
ask_key_frame (GstPad *sinkpad, guint32 ssrc)
{
  GstEvent *event =
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0);

  /* For an rtpfunnel upstream to find the right encoder. */
  gst_structure_set (gst_event_writable_structure (event), "ssrc", G_TYPE_UINT,
      ssrc, NULL);
  GST_DEBUG_OBJECT (sinkpad, "asking for a key frame: ssrc=%08x", ssrc);
  if (!gst_pad_push_event (sinkpad, event))
    GST_DEBUG_OBJECT (sinkpad, "nobody upstream makes key frames");
  gst_object_unref (sinkpad);
}

static void
announce_ect (GstRtpTfrcSend *self, const TfrcSendMessages *messages)
{
  if (messages->ect_changed)
    g_object_notify (G_OBJECT (self), "ect");
}

/* Tells the application. */
static void
announce (GstRtpTfrcSend *self, const TfrcSendMessages *messages)
{
  for (guint i = 0; i < messages->n; i++) {
    GST_INFO_OBJECT (self, "event=%" GST_PTR_FORMAT, messages->items[i]);
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self), messages->items[i]));
  }
}

static void send_due (gpointer user_data);

/* Starts the task after flushing, or after a push failed with NOT_LINKED. */
static gboolean
start_task (GstRtpTfrcSend *self)
{
  /* Not while the pad is being deactivated: the task would run beside the next one. */
  return g_atomic_int_get (&self->active)
      && gst_pad_start_task (self->pads.src, send_due, self, NULL);
}

static void
fail (GstRtpTfrcSend *self, GstFlowReturn ret)
{
  gboolean eos;

  GST_INFO_OBJECT (self, "pausing: %s", gst_flow_get_name (ret));
  /* Before the pacer knows of the failure: from then on the thread that links the pad
   * starts the task. */
  gst_pad_pause_task (self->pads.src);
  if (!tfrc_send_pacer_fail (self->pacer, ret, &eos)) {
    start_task (self);
    return;
  }
  /* After EOS upstream pushes nothing more, and would not see the error. */
  if (eos && (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS)) {
    GST_ELEMENT_FLOW_ERROR (self, ret);
    gst_pad_push_event (self->pads.src, gst_event_new_eos ());
  }
}

static void
post_slowest (GstRtpTfrcSend *self, const TfrcSlowestReceiver *slowest)
{
  guint64 bitrate = tfrc_rate_to_bits (slowest->rate);

  if (slowest->ignored) {
    GST_ELEMENT_WARNING_WITH_DETAILS (self, RESOURCE, SETTINGS,
        ("One of the %u receivers of this stream, SSRC %08x, loses as much "
         "however little is sent: the rate no longer follows it.  It gets more "
         "than its path can carry; the application may disconnect it.",
            slowest->n_receivers, slowest->ssrc),
        (NULL),
        ("receivers", G_TYPE_UINT, slowest->n_receivers, "ssrc", G_TYPE_UINT,
            slowest->ssrc, "let-go", G_TYPE_BOOLEAN, TRUE, NULL));
    return;
  }
  GST_ELEMENT_INFO_WITH_DETAILS (self, RESOURCE, SETTINGS,
      ("%u receivers get this stream: its rate is that of the slowest one, "
       "SSRC %08x, %" G_GUINT64_FORMAT " bits/s.",
          slowest->n_receivers, slowest->ssrc, bitrate),
      (NULL),
      ("receivers", G_TYPE_UINT, slowest->n_receivers, "ssrc", G_TYPE_UINT,
          slowest->ssrc, "bitrate", G_TYPE_UINT64, bitrate, NULL));
}

/* The MTU of media packets: RTX and parity packets are longer than those. */
static guint
without_repair (const GstRtpTfrcSend *self, guint mtu)
{
  if (self->flow_config.fec != 0)
    return mtu - TFRC_FEC_HEADER_SIZE;
  return self->flow_config.repairs ? mtu - TFRC_RTX_HEADER_SIZE : mtu;
}

static void
warn_of_black_hole (GstRtpTfrcSend *self)
{
  const guint mtu = get_settings (self).mtu;

  tfrc_send_ingress_bound_mtu (&self->ingress, TFRC_MTU_BY_LOSSES,
      without_repair (self, TFRC_FITTING_SIZE), self->pads.src);
  GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
      ("Packets of more than %u bytes are lost, and others arrive: the path's "
       "MTU is below the property 'mtu', and no ICMP message says so.  "
       "Payloaders whose mtu is the default make smaller ones from now on; "
       "set 'mtu' lower by %u.",
          TFRC_FITTING_SIZE, MAX (mtu, TFRC_FITTING_SIZE) - TFRC_FITTING_SIZE),
      (NULL));
}

static void
warn_of_overload (GstRtpTfrcSend *self, TfrcOverloadMessage *message)
{
  const TfrcSendSettings settings = get_settings (self);

  tfrc_overload_post (message, GST_ELEMENT (self), settings.encoder.control,
      settings.feedback == GST_RTP_TFRC_FEEDBACK_NONE);
}

static void
send_due (gpointer user_data)
{
  GstRtpTfrcSend *self = user_data;
  TfrcSendDue due;
  GstFlowReturn ret;

  if (!tfrc_send_pacer_wait (self->pacer, &due)) {
    gst_pad_pause_task (self->pads.src);
    return;
  }
  /* ECT first, as the packets leave with it; all else later, as it may take a while. */
  announce_ect (self, &due.messages);
  ret = push (self, &due);
  if (due.wants_key_frame && due.key_pad != NULL) {
    tfrc_encoder_on_key_frame_request (
        GST_RTP_TFRC_SEND_PAD (due.key_pad)->input.encoder, due.now);
    ask_key_frame (due.key_pad, due.key_ssrc);
  }
  announce (self, &due.messages);
  if (due.slowest_changed)
    post_slowest (self, &due.slowest);
  if (due.overloaded)
    warn_of_overload (self, &due.overload);
  if (due.is_black_hole)
    warn_of_black_hole (self);
  /* The receiver that reported may have been one of several clients. */
  if (due.watch_changed) {
    g_atomic_int_set (&self->session_sought, FALSE);
    tfrc_feedback_watch_post (&due.watch_message, GST_ELEMENT (self));
  }
  if (due.bitrate_moved)
    g_object_notify (G_OBJECT (self), "bitrate");
  if (due.update_encoders)
    tfrc_send_pads_update_encoders (GST_ELEMENT (self), due.now);
  if (due.post_stats)
    tfrc_stats_post (GST_ELEMENT (self));
  if (ret != GST_FLOW_OK)
    fail (self, ret);
}

/* RTCP came in: gives what is for the sender to the pacer, and passes the rest on. */
static GstFlowReturn
gst_rtp_tfrc_send_rtcp_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  TfrcSendMessages messages;
  GstFlowReturn ret;

  buffer = tfrc_send_pacer_push_rtcp (self->pacer, buffer,
      !gst_pad_is_linked (self->pads.rtcp_sink), &messages);
  announce_ect (self, &messages);
  announce (self, &messages);
  if (buffer == NULL)
    return GST_FLOW_OK;
  ret = gst_pad_push (self->pads.rtcp_src, buffer);
  /* The element works without an rtpsession. */
  return ret == GST_FLOW_NOT_LINKED ? GST_FLOW_OK : ret;
}

static gint
compare_sinks (gconstpointer value, gconstpointer unused)
{
  return GST_IS_RTP_TFRC_SEND_PAD (g_value_get_object (value)) ? 0 : 1;
}

static GstIterator *
iterate_sinks (GstPad *pad, GstObject *parent)
{
  return gst_iterator_filter (
      gst_element_iterate_sink_pads (GST_ELEMENT (parent)), compare_sinks,
      NULL);
}

/* Adds the pads to the element, which owns them. */
static void
pads_init (Pads *self, GstElement *element)
{
  self->src = tfrc_pads_add (element, &src_template);
  gst_pad_set_iterate_internal_links_function (self->src, iterate_sinks);
  self->sink =
      tfrc_send_pad_new (gst_element_get_pad_template (element, "sink"), "sink",
          self->src);
  gst_element_add_pad (element, self->sink);
  self->rtcp_sink = tfrc_pads_add (element, &rtcp_sink_template);
  self->rtcp_src = tfrc_pads_add (element, &rtcp_src_template);
  tfrc_pads_join (self->rtcp_sink, self->rtcp_src);
}

/* Listeners may have to apply `ect` to a new socket. */
static void
begin_ecn (GstRtpTfrcSend *self, TfrcEcnCodepoint before)
{
  if (before != TFRC_ECN_NOT_ECT
      || tfrc_send_pacer_get_ect (self->pacer) != TFRC_ECN_NOT_ECT)
    g_object_notify (G_OBJECT (self), "ect");
}

/* A receiver that reports arrivals only identifies packets by numbers that they have
 * without the protocol's header extension. */
static gboolean
has_extensions (const TfrcSendFlowConfig *config)
{
  return config->mode == GST_TFRC_MODE_TFMCC
      || config->feedback == GST_RTP_TFRC_FEEDBACK_AUTO
      || config->feedback == GST_RTP_TFRC_FEEDBACK_TFRC;
}

/* Starts a new flow, and the parts that depend on its mode. */
static void
start_flow (GstRtpTfrcSend *self, guint mtu)
{
  const TfrcSendFlowConfig *config = &self->flow_config;
  TfrcEcnCodepoint ect = tfrc_send_pacer_get_ect (self->pacer);

  tfrc_send_pacer_start_flow (self->pacer, config);
  begin_ecn (self, ect);
  tfrc_send_ingress_start (&self->ingress, config->mode,
      has_extensions (config), mtu);
}

void
gst_rtp_tfrc_send_begin_path (GstRtpTfrcSend *self, GSocketAddress *to)
{
  TfrcEcnCodepoint ect = tfrc_send_pacer_get_ect (self->pacer);

  tfrc_send_pacer_begin_path (self->pacer, to);
  /* It may carry the user's packets again. */
  tfrc_send_ingress_bound_mtu (&self->ingress, TFRC_MTU_BY_SYSTEM, G_MAXUINT,
      self->pads.src);
  tfrc_send_ingress_bound_mtu (&self->ingress, TFRC_MTU_BY_LOSSES, G_MAXUINT,
      self->pads.src);
  begin_ecn (self, ect);
}

void
gst_rtp_tfrc_send_pause (GstRtpTfrcSend *self, GstClockTime limit)
{
  gst_element_set_state (GST_ELEMENT (self), GST_STATE_PAUSED);
  tfrc_send_pacer_wait_until_pushed (self->pacer, limit);
}

void
gst_rtp_tfrc_send_set_path_mtu (GstRtpTfrcSend *self, guint mtu)
{
  tfrc_send_ingress_bound_mtu (&self->ingress, TFRC_MTU_BY_SYSTEM,
      without_repair (self, MAX (mtu, LEAST_MTU)), self->pads.src);
}

void
gst_rtp_tfrc_send_set_hops (GstRtpTfrcSend *self, guint hops)
{
  GST_OBJECT_LOCK (self);
  self->settings.hops = hops;
  GST_OBJECT_UNLOCK (self);
}

void
gst_rtp_tfrc_send_set_gate (GstRtpTfrcSend *self,
    gboolean (*admits) (gpointer gate), gpointer gate)
{
  self->ingress.admits = admits;
  self->ingress.gate = gate;
}

/* With mode=auto, the flow is TFRC until the first caps.  By then rtcp_sink is linked, too,
 * unless the element is in an rtpbin. */
static void
complete_flow_config (GstRtpTfrcSend *self, const GstCaps *caps)
{
  TfrcSendFlowConfig *config = &self->flow_config;
  gboolean first;

  GST_OBJECT_LOCK (self);
  first = self->awaits_caps;
  self->awaits_caps = FALSE;
  if (first && config->mode == GST_TFRC_MODE_AUTO
      && tfrc_extension_writer_caps_name_tfmcc (caps)) {
    config->mode = GST_TFRC_MODE_TFMCC;
  } else if (first && !gst_pad_is_linked (self->pads.rtcp_sink)) {
    /* An rtpsession knows no reports of TFRC: the first report comes seconds later, and
     * packets are sent at `start_rate` until then. */
    config->hears_session = config->feedback == GST_RTP_TFRC_FEEDBACK_AUTO;
    if (config->hears_session && config->unicast.start_rate == 0.0)
      config->unicast.start_rate =
          tfrc_rate_from_bits (self->settings.encoder.start_bitrate);
  } else {
    first = FALSE;
  }
  GST_OBJECT_UNLOCK (self);
  if (!first)
    return;
  GST_INFO_OBJECT (self, "mode=%d hears_session=%d", config->mode,
      config->hears_session);
  start_flow (self, self->ingress.mtu);
  configure_parts (self);
}

static GstFlowReturn
gst_rtp_tfrc_send_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  return tfrc_send_ingress_push (&GST_RTP_TFRC_SEND (parent)->ingress,
      &GST_RTP_TFRC_SEND_PAD (pad)->input, buffer);
}

static GstFlowReturn
gst_rtp_tfrc_send_chain_list (GstPad *pad, GstObject *parent,
    GstBufferList *list)
{
  return tfrc_send_ingress_push_list (&GST_RTP_TFRC_SEND (parent)->ingress,
      &GST_RTP_TFRC_SEND_PAD (pad)->input, list);
}

static GstFlowReturn
set_caps (GstRtpTfrcSend *self, GstRtpTfrcSendPad *pad, GstEvent *event)
{
  guint extension_id;
  GstFlowReturn ret;
  gboolean shared;
  GstCaps *caps;

  GST_OBJECT_LOCK (self);
  extension_id = self->settings.extension_id;
  shared = tfrc_send_pads_count (GST_ELEMENT (self)) > 1;
  GST_OBJECT_UNLOCK (self);

  gst_event_parse_caps (event, &caps);
  complete_flow_config (self, caps);
  tfrc_encoder_attach (pad->input.encoder, GST_PAD (pad));
  ret = tfrc_send_ingress_set_caps (&self->ingress, &pad->input, caps, shared,
      extension_id);
  gst_event_unref (event);
  return ret;
}

/* With the object lock held: only one thread at a time starts or stops the task, as one
 * would have to wait for what another has started. */
static void
wait_for_task_change (GstRtpTfrcSend *self)
{
  while (self->task_changing)
    g_cond_wait (&self->task_changed, GST_OBJECT_GET_LOCK (self));
}

static void
end_task_change (GstRtpTfrcSend *self)
{
  GST_OBJECT_LOCK (self);
  self->task_changing = FALSE;
  g_cond_broadcast (&self->task_changed);
  GST_OBJECT_UNLOCK (self);
}

/* Takes ownership of a flush event, and pushes it if now all pads flush, or no longer all
 * do.  So the thread whose pad changes that pushes its own event. */
static void
hand_on_flush (GstRtpTfrcSend *self, GstEvent *event)
{
  gboolean start = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;

  GST_OBJECT_LOCK (self);
  wait_for_task_change (self);
  if (self->flushed == start
      || tfrc_send_pads_are_flushing (GST_ELEMENT (self)) != start) {
    GST_OBJECT_UNLOCK (self);
    gst_event_unref (event);
    return;
  }
  self->flushed = start;
  self->task_changing = TRUE;
  GST_OBJECT_UNLOCK (self);

  gst_pad_push_event (self->pads.src, event);
  if (start) {
    tfrc_send_pacer_start_flushing (self->pacer);
    gst_pad_pause_task (self->pads.src);
  } else if (g_atomic_int_get (&self->active)) {
    tfrc_send_pacer_stop_flushing (self->pacer, self->pads.src);
    start_task (self);
  }
  end_task_change (self);
}

/* Flushes one pad; others continue. */
static void
flush (GstRtpTfrcSend *self, GstRtpTfrcSendPad *pad, GstEvent *event)
{
  gboolean start = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;

  GST_OBJECT_LOCK (self);
  pad->flushing = start;
  if (!start)
    pad->eos = FALSE;
  GST_OBJECT_UNLOCK (self);
  hand_on_flush (self, event);
  tfrc_send_pacer_restart_input (self->pacer, &pad->input, TRUE);
}

/* All pads together are one stream, which the first STREAM_START begins; that event is in
 * the queue before another pad's is processed. */
static GstFlowReturn
start_stream (GstRtpTfrcSend *self, GstRtpTfrcSendPad *pad, GstEvent *event)
{
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean first;

  GST_OBJECT_LOCK (self);
  pad->started = TRUE;
  pad->eos = FALSE;
  GST_OBJECT_UNLOCK (self);
  tfrc_send_pacer_restart_input (self->pacer, &pad->input, FALSE);
  /* Another sender may have lowered it. */
  tfrc_send_ingress_limit_mtu (&self->ingress, GST_PAD (pad), TRUE);
  hand_on_flush (self, gst_event_new_flush_stop (FALSE));

  GST_OBJECT_LOCK (self);
  wait_for_task_change (self);
  self->task_changing = TRUE;
  first = !self->began || tfrc_send_pads_count (GST_ELEMENT (self)) == 1;
  GST_OBJECT_UNLOCK (self);
  if (first)
    ret = tfrc_send_pacer_push_event (self->pacer, &pad->input, event);
  else
    gst_event_unref (event);
  GST_OBJECT_LOCK (self);
  self->began |= ret == GST_FLOW_OK;
  GST_OBJECT_UNLOCK (self);
  end_task_change (self);
  return ret;
}

/* FALSE: the event only concerns this pad.  The stream of all pads ends with the last
 * pad's EOS. */
static gboolean
is_for_all (GstRtpTfrcSend *self, GstRtpTfrcSendPad *pad, GstEvent *event)
{
  gboolean for_all = TRUE;

  GST_OBJECT_AUTO_LOCK (self, locker);
  pad->started = TRUE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    pad->eos = TRUE;
    for_all = tfrc_send_pads_are_at_eos (GST_ELEMENT (self));
    self->began &= !for_all;
  }
  return for_all;
}

/* A source that does not answer the latency query counts as live. */
static void
ask_latency (GstRtpTfrcSendPad *pad)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();

  pad->input.live = TRUE;
  pad->input.latency = 0;
  if (gst_pad_peer_query (GST_PAD (pad), query))
    gst_query_parse_latency (query, &pad->input.live, &pad->input.latency,
        NULL);
}

static GstFlowReturn
take_event (GstRtpTfrcSend *self, GstRtpTfrcSendPad *pad, GstEvent *event)
{
  gboolean for_all = is_for_all (self, pad, event);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    ask_latency (pad);
  if (for_all)
    return tfrc_send_pacer_push_event (self->pacer, &pad->input, event);
  gst_event_unref (event);
  return GST_FLOW_OK;
}

/* The return value for a sticky event is also what upstream gets for its next packet:
 * FLUSHING while the source pad is inactive, which is no error. */
static GstFlowReturn
gst_rtp_tfrc_send_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);

  GST_LOG_OBJECT (pad, "event %" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
      flush (self, GST_RTP_TFRC_SEND_PAD (pad), event);
      return GST_FLOW_OK;
    case GST_EVENT_STREAM_START:
      return start_stream (self, GST_RTP_TFRC_SEND_PAD (pad), event);
    case GST_EVENT_CAPS:
      return set_caps (self, GST_RTP_TFRC_SEND_PAD (pad), event);
    case GST_EVENT_INSTANT_RATE_CHANGE:
      /* Packets leave by their segment, and a sink of RTCP has none to change. */
      gst_event_unref (event);
      return GST_FLOW_OK;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        return take_event (self, GST_RTP_TFRC_SEND_PAD (pad), event);
      return gst_pad_event_default (pad, parent, event)
          ? GST_FLOW_OK
          : GST_FLOW_ERROR;
  }
}

/* Key frame requests of the rtpsession or the application are limited together with
 * ours. */
static gboolean
handle_key_frame_event (GstRtpTfrcSend *self, GstEvent *event)
{
  gboolean of_one;
  guint32 ssrc;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM
      || !gst_video_event_is_force_key_unit (event))
    return FALSE;
  of_one = gst_structure_get_uint (gst_event_get_structure (event), "ssrc",
      &ssrc);
  return tfrc_send_pacer_ask_key_frame (self->pacer, of_one ? &ssrc : NULL);
}

/* Translates a retransmission request for an rtprtxsend upstream.  FALSE: it is not
 * valid, or must not be answered. */
static gboolean
translate_request (GstRtpTfrcSend *self, GstEvent **event)
{
  const GstStructure *structure = gst_event_get_structure (*event);
  guint ssrc, asked, seq;

  if (!gst_structure_get_uint (structure, "ssrc", &ssrc)
      || !gst_structure_get_uint (structure, "seqnum", &asked))
    return FALSE;
  seq = asked;
  if (!tfrc_send_pacer_translate_request (self->pacer, ssrc, &seq))
    return FALSE;
  if (seq != asked) {
    *event = gst_event_make_writable (*event);
    gst_structure_set (gst_event_writable_structure (*event), "seqnum",
        G_TYPE_UINT, seq, NULL);
  }
  return TRUE;
}

static gboolean
gst_rtp_tfrc_send_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  TfrcResult result;

  if (handle_key_frame_event (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (gst_event_has_name (event, "GstRTPRetransmissionRequest")
      && !translate_request (self, &event)) {
    gst_event_unref (event);
    return TRUE;
  }
  /* Passed on, as other elements upstream may use it, too. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM
      && tfrc_send_pacer_push_twcc_event (self->pacer, event, &result))
    GST_LOG_OBJECT (pad, "transport-wide feedback: result=%d", result);
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    g_atomic_int_set (&self->session_sought, FALSE);
    /* The pad was linked again after a push failed with NOT_LINKED. */
    if (tfrc_send_pacer_restart (self->pacer))
      start_task (self);
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_rtp_tfrc_send_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  GstClockTime min, max;
  gboolean live;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return TRUE;
  /* A packet may be sent at once, or after max-queue-time; longer only some may wait. */
  gst_query_parse_latency (query, &live, &min, &max);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += get_settings (self).max_queue_time * GST_MSECOND;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

static gboolean
gst_rtp_tfrc_send_src_activate_mode (GstPad *pad, GstObject *parent,
    GstPadMode mode, gboolean active)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  gboolean ok;

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  GST_OBJECT_LOCK (self);
  wait_for_task_change (self);
  self->task_changing = TRUE;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->active, active);
  if (active)
    tfrc_send_pacer_stop_flushing (self->pacer, pad);
  else
    tfrc_send_pacer_start_flushing (self->pacer);
  ok = active ? start_task (self) : gst_pad_stop_task (pad);
  end_task_change (self);
  return ok;
}

/* Resets the pad's state of an earlier run.  A pad without parent is new, and has none. */
static gboolean
gst_rtp_tfrc_send_sink_activate_mode (GstPad *pad, GstObject *parent,
    GstPadMode mode, gboolean active)
{
  GstRtpTfrcSendPad *sink = GST_RTP_TFRC_SEND_PAD (pad);
  GstRtpTfrcSend *self;

  if (mode != GST_PAD_MODE_PUSH || parent == NULL)
    return mode == GST_PAD_MODE_PUSH;
  self = GST_RTP_TFRC_SEND (parent);
  tfrc_send_pacer_wake_sources (self->pacer);
  GST_OBJECT_LOCK (self);
  sink->flushing = FALSE;
  if (active)
    sink->started = sink->eos = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (active)
    tfrc_send_pacer_restart_input (self->pacer, &sink->input, TRUE);
  return TRUE;
}

static void
on_priority (GstRtpTfrcSendPad *pad, GParamSpec *pspec, GstRtpTfrcSend *self)
{
  GstTfrcPriority priority;

  g_object_get (pad, "priority", &priority, NULL);
  tfrc_send_pacer_set_priority (self->pacer, &pad->input, priority);
  configure_parts (self);
}

/* The encoder control of a pad has found another encoder: the shares of all pads change
 * with it. */
static gboolean
on_encoder (GstPad *sinkpad, GstElement *encoder, gboolean nearest,
    GstElement *owner)
{
  gboolean changed;
  gboolean granted = tfrc_send_pad_claim_encoder (sinkpad, encoder, nearest,
      owner, &changed);

  if (changed)
    configure_parts (GST_RTP_TFRC_SEND (owner));
  return granted;
}

static void
set_up_sink (GstRtpTfrcSend *self, GstPad *pad)
{
  TfrcSendInput *input = &GST_RTP_TFRC_SEND_PAD (pad)->input;

  input->encoder = tfrc_encoder_new (GST_ELEMENT (self), on_encoder);
  tfrc_send_pacer_add_input (self->pacer, input);
  gst_pad_set_chain_function (pad, gst_rtp_tfrc_send_chain);
  gst_pad_set_chain_list_function (pad, gst_rtp_tfrc_send_chain_list);
  gst_pad_set_event_full_function (pad, gst_rtp_tfrc_send_sink_event);
  gst_pad_set_activatemode_function (pad, gst_rtp_tfrc_send_sink_activate_mode);
  g_signal_connect_object (pad, "notify::priority", G_CALLBACK (on_priority),
      self, 0);
}

static GstPad *
gst_rtp_tfrc_send_request_new_pad (GstElement *element,
    GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (element);
  g_autoptr (GstPad) taken = NULL;
  g_autofree gchar *own_name = NULL;
  GstPad *pad;
  guint id;

  GST_OBJECT_LOCK (self);
  if (name == NULL || sscanf (name, "sink_%u", &id) != 1)
    id = self->next_pad;
  self->next_pad = MAX (self->next_pad, id + 1);
  GST_OBJECT_UNLOCK (self);

  own_name = g_strdup_printf ("sink_%u", id);
  taken = gst_element_get_static_pad (element, own_name);
  if (taken)
    return NULL;
  pad = tfrc_send_pad_new (template, own_name, self->pads.src);
  set_up_sink (self, pad);
  gst_pad_set_active (pad, TRUE);
  gst_object_ref_sink (pad);
  if (!gst_element_add_pad (element, pad)) {
    tfrc_send_pacer_forget_input (self->pacer,
        &GST_RTP_TFRC_SEND_PAD (pad)->input);
    gst_clear_object (&pad);
  } else
    gst_object_unref (pad);
  configure_parts (self);
  return pad;
}

static void
release_encoder (GstRtpTfrcSendPad *pad)
{
  tfrc_encoder_detach (pad->input.encoder);
  on_encoder (GST_PAD (pad), NULL, FALSE, GST_PAD_PARENT (pad));
}

static void
gst_rtp_tfrc_send_release_pad (GstElement *element, GstPad *pad)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (element);
  GstRtpTfrcSendPad *sink = GST_RTP_TFRC_SEND_PAD (pad);
  gboolean eos;

  gst_object_ref (pad);
  gst_pad_set_active (pad, FALSE);
  g_signal_handlers_disconnect_by_data (pad, self);
  release_encoder (sink);
  gst_element_remove_pad (element, pad);
  configure_parts (self);
  tfrc_send_ingress_forget_input (&self->ingress, &sink->input);
  GST_OBJECT_LOCK (self);
  /* The EOS of all other pads was waiting for this one. */
  eos = !sink->eos && tfrc_send_pads_are_at_eos (GST_ELEMENT (self));
  self->began &= !eos;
  GST_OBJECT_UNLOCK (self);
  if (eos)
    tfrc_send_pacer_push_event (self->pacer, NULL, gst_event_new_eos ());
  hand_on_flush (self, gst_event_new_flush_stop (FALSE));
  gst_object_unref (pad);
}

static void
warn_of_bounds (GstRtpTfrcSend *self)
{
  const TfrcEncoderSettings settings = get_settings (self).encoder;
  const guint least = settings.min_bitrate, most = settings.max_bitrate;

  if (most == 0 || least <= most)
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
      ("min-bitrate is %u and max-bitrate %u: max-bitrate bounds the encoder; "
       "with TFMCC packets may be sent at min-bitrate at least.  Set "
       "min-bitrate to max-bitrate or less.",
          least, most),
      (NULL));
}

/* READY to PAUSED: starts a new flow with new counters. */
static void
start (GstRtpTfrcSend *self)
{
  guint mtu;

  GST_OBJECT_LOCK (self);
  self->flow_config = tfrc_send_settings_get_flow_config (&self->settings);
  mtu = self->settings.mtu;
  GST_OBJECT_UNLOCK (self);
  warn_of_bounds (self);
  start_flow (self, without_repair (self, mtu));
  tfrc_send_ingress_limit_mtu (&self->ingress, self->pads.src, TRUE);
  GST_OBJECT_LOCK (self);
  self->awaits_caps = TRUE;
  self->began = self->flushed = FALSE;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->session_sought, FALSE);
  g_atomic_int_set (&self->control, TFRC_SEND_CONTROLLED);
  tfrc_send_pacer_start (self->pacer, gst_system_clock_obtain ());
  configure_parts (self);
}

static void
stop (GstRtpTfrcSend *self)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (GST_ELEMENT (self));

  for (GList *walk = pads; walk; walk = walk->next)
    release_encoder (walk->data);
  tfrc_send_pacer_stop (self->pacer);
  g_object_notify (G_OBJECT (self), "bitrate");
}

static void
set_playing (GstRtpTfrcSend *self, gboolean playing)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (GST_ELEMENT (self));

  for (GList *walk = pads; walk; walk = walk->next)
    tfrc_encoder_set_paused (GST_RTP_TFRC_SEND_PAD (walk->data)->input.encoder,
        !playing);
  tfrc_send_pacer_set_playing (self->pacer, playing);
}

/* The user has to ensure that the network can carry the rate, hence a warning. */
static void
warn_of_fixed_rate (GstRtpTfrcSend *self)
{
  const TfrcSendSettings settings = get_settings (self);
  g_autofree gchar *what = settings.encoder.control
      ? g_strdup_printf ("%u bits/s (start-bitrate) are",
            settings.encoder.start_bitrate)
      : g_strdup ("what the encoder makes is");

  if (settings.feedback != GST_RTP_TFRC_FEEDBACK_NONE
      || settings.mode == GST_TFRC_MODE_TFMCC)
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
      ("feedback=none: %s sent whatever the network can carry. What exceeds "
       "that is lost, and so are packets of others.",
          what),
      (NULL));
}

static GstStateChangeReturn
gst_rtp_tfrc_send_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    start (self);
    tfrc_send_pads_foreach_linked (element, tfrc_encoder_prepare);
  } else if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    set_playing (self, FALSE);

  ret = GST_ELEMENT_CLASS (gst_rtp_tfrc_send_parent_class)
            ->change_state (element, transition);
  if (ret == GST_STATE_CHANGE_FAILURE)
    return ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    tfrc_send_pads_foreach_linked (element, tfrc_encoder_attach);
    warn_of_fixed_rate (self);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_playing (self, TRUE);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop (self);

  /* Nothing is sent in PAUSED, so a sink must not wait for its preroll buffer. */
  if (ret == GST_STATE_CHANGE_SUCCESS
      && GST_STATE_TRANSITION_NEXT (transition) == GST_STATE_PAUSED)
    ret = GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

/* The payloader of the only stream; NULL: it is not known. */
static GstElement *
find_payloader (GstRtpTfrcSend *self)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (GST_ELEMENT (self));

  return pads != NULL && pads->next == NULL
      ? tfrc_upstream_find_payloader (pads->data)
      : NULL;
}

static void
gst_rtp_tfrc_send_set_property (GObject *object, guint prop_id,
    const GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);
  gboolean known;

  if (prop_id == PROP_PAYLOADER) {
    g_autoptr (GstElement) payloader = find_payloader (self);

    if (payloader != NULL)
      g_object_set_property (G_OBJECT (payloader), pspec->name, value);
    else
      GST_WARNING_OBJECT (self, "%s is not set: no single payloader upstream",
          pspec->name);
    return;
  }
  if (tfrc_properties_refuse_late (GST_ELEMENT (self), pspec, value))
    return;
  GST_OBJECT_LOCK (self);
  known = tfrc_properties_set (&self->settings, pspec, value);
  GST_OBJECT_UNLOCK (self);

  if (known)
    configure_parts (self);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static GstStructure *
get_stats (GstRtpTfrcSend *self)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SEND);
  g_autolist (GstPad) pads = tfrc_send_pads_list (GST_ELEMENT (self));

  tfrc_send_pacer_set_stats (self->pacer, stats);
  tfrc_send_ingress_set_stats (&self->ingress, stats);
  for (GList *walk = pads; walk; walk = walk->next)
    tfrc_encoder_add_stats (GST_RTP_TFRC_SEND_PAD (walk->data)->input.encoder,
        stats);
  return stats;
}

static void
get_of_payloader (GstRtpTfrcSend *self, const gchar *name, GValue *value)
{
  g_autoptr (GstElement) payloader = find_payloader (self);

  if (payloader != NULL)
    g_object_get_property (G_OBJECT (payloader), name, value);
}

/* In the caps, else that of the payloader; 0 = not known. */
static void
get_payload_type (GstRtpTfrcSend *self, GValue *value)
{
  g_value_set_uint (value, tfrc_send_ingress_get_payload_type (&self->ingress));
  if (g_value_get_uint (value) == 0)
    get_of_payloader (self, "pt", value);
}

static void
gst_rtp_tfrc_send_get_property (GObject *object, guint prop_id, GValue *value,
    GParamSpec *pspec)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);
  gboolean known;

  switch (prop_id) {
    case PROP_STATS:
      g_value_take_boxed (value, get_stats (self));
      return;
    case PROP_BITRATE:
      g_value_set_uint (value, tfrc_send_pacer_get_bitrate (self->pacer));
      return;
    case PROP_ECT:
      g_value_set_uint (value, tfrc_send_pacer_get_ect (self->pacer));
      return;
    case PROP_PAYLOAD_TYPE:
      get_payload_type (self, value);
      return;
    case PROP_PAYLOADER:
      g_param_value_set_default (pspec, value);
      get_of_payloader (self, pspec->name, value);
      return;
  }
  GST_OBJECT_LOCK (self);
  known = tfrc_properties_get (&self->settings, pspec, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
gst_rtp_tfrc_send_finalize (GObject *object)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);

  g_weak_ref_clear (&self->session);
  tfrc_send_ingress_clear (&self->ingress);
  tfrc_send_pacer_free (self->pacer);
  tfrc_properties_clear (&self->settings, G_OBJECT_GET_CLASS (object));
  g_mutex_clear (&self->configuring);
  g_cond_clear (&self->task_changed);

  G_OBJECT_CLASS (gst_rtp_tfrc_send_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  tfrc_send_settings_install (klass, PROP_SETTING);
  g_object_class_install_property (klass, PROP_BITRATE,
      g_param_spec_uint ("bitrate", "Bitrate",
          "Rate that may be sent now, RTP headers included: the allowed rate,"
          " or the limit of delay-target if that is lower; notified, from a "
          "streaming thread, when it changes by more than 1 % (bits/s, 0 = "
          "not running)",
          0, G_MAXUINT, 0, flags));
  g_object_class_install_property (klass, PROP_ECT,
      g_param_spec_uint ("ect", "ECT",
          "ECN bits that packets shall have now: 2 = ECT(0), 1 = ECT(1), 0 = "
          "none; notified when it changes",
          0, TFRC_ECN_ECT_0, TFRC_ECN_NOT_ECT, flags));
  g_object_class_install_property (klass, PROP_PAYLOAD_TYPE,
      g_param_spec_uint ("pt", "Payload type",
          "Payload type of the packets, as payloaders have it, for RTSP "
          "servers that use this element as pay0 (0 = not known, or several "
          "streams)",
          0, 127, 0, flags));
  g_object_class_install_property (klass, PROP_PAYLOADER,
      g_param_spec_uint ("seqnum", "Sequence number",
          "The payloader's, of its newest packet, for the same (0 = several "
          "streams)",
          0, 65535, 0, flags));
  g_object_class_install_property (klass, PROP_PAYLOADER,
      g_param_spec_int ("seqnum-offset", "First sequence number",
          "The payloader's, which an RTSP server sets when it resets a media "
          "(-1 = random)",
          -1, 65535, -1, flags | G_PARAM_WRITABLE));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "State and counters of the flow", GST_TYPE_STRUCTURE,
          flags | GST_PARAM_DOC_SHOW_DEFAULT));
}

static gboolean
exclude_receiver (GstRtpTfrcSend *self, guint ssrc)
{
  return tfrc_send_pacer_exclude_receiver (self->pacer, ssrc, NULL, TRUE);
}

static gboolean
admit_receiver (GstRtpTfrcSend *self, guint ssrc)
{
  return tfrc_send_pacer_exclude_receiver (self->pacer, ssrc, NULL, FALSE);
}

static gboolean
exclude_address (GstRtpTfrcSend *self, const gchar *address)
{
  return address != NULL
      && tfrc_send_pacer_exclude_receiver (self->pacer, 0, address, TRUE);
}

static gboolean
admit_address (GstRtpTfrcSend *self, const gchar *address)
{
  return address != NULL
      && tfrc_send_pacer_exclude_receiver (self->pacer, 0, address, FALSE);
}

/**
 * GstRtpTfrcSend::exclude-receiver:
 * @ssrc: of its reports
 *
 * TFMCC: ignores that receiver in this run, so that the rate does not follow it.  If it
 * limited the group, the next slowest one takes its place.  tfmcc-slow-receiver and the
 * field reporters of the statistics name receivers.
 *
 * Returns: %FALSE if nothing is sent to a group, or 64 are excluded
 */

/**
 * GstRtpTfrcSend::admit-receiver:
 * @ssrc: of its reports
 *
 * TFMCC: no longer ignores an excluded receiver.
 *
 * Returns: %FALSE if it is not excluded
 */

/**
 * GstRtpTfrcSend::exclude-address:
 * @address: an IP address; a port, as in the message and the statistics, is ignored
 *
 * TFMCC: as exclude-receiver, for all receivers at that address, with their present and
 * later SSRCs.  There may be many behind a NAT or a relay.
 *
 * Returns: %FALSE if nothing is sent to a group, it is no IP address, or 64 are excluded
 */

/**
 * GstRtpTfrcSend::admit-address:
 * @address: an IP address, with a port or without
 *
 * TFMCC: no longer ignores an excluded address.
 *
 * Returns: %FALSE if it is not excluded
 */

static void
install_actions (GType type)
{
  const struct
  {
    const gchar *name;
    GCallback handler;
    GType of;
  } actions[] = {
    { "exclude-receiver", G_CALLBACK (exclude_receiver), G_TYPE_UINT },
    { "admit-receiver", G_CALLBACK (admit_receiver), G_TYPE_UINT },
    { "exclude-address", G_CALLBACK (exclude_address), G_TYPE_STRING },
    { "admit-address", G_CALLBACK (admit_address), G_TYPE_STRING },
  };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    g_signal_new_class_handler (actions[i].name, type,
        G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, actions[i].handler, NULL, NULL,
        NULL, G_TYPE_BOOLEAN, 1, actions[i].of);
}

static void
gst_rtp_tfrc_send_class_init (GstRtpTfrcSendClass *klass)
{
  GObjectClass *gobject_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  gobject_class->set_property = gst_rtp_tfrc_send_set_property;
  gobject_class->get_property = gst_rtp_tfrc_send_get_property;
  gobject_class->finalize = gst_rtp_tfrc_send_finalize;
  install_properties (gobject_class);
  install_actions (G_TYPE_FROM_CLASS (klass));

  element_class->change_state = gst_rtp_tfrc_send_change_state;
  element_class->request_new_pad = gst_rtp_tfrc_send_request_new_pad;
  element_class->release_pad = gst_rtp_tfrc_send_release_pad;
  gst_type_mark_as_plugin_api (GST_TYPE_RTP_TFRC_SEND_PAD, 0);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &sink_template, GST_TYPE_RTP_TFRC_SEND_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &request_template, GST_TYPE_RTP_TFRC_SEND_PAD);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class,
      &rtcp_sink_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC sender",
      "Filter/Network/RTP",
      "Paces RTP packets at the rate that TFRC (RFC 5348) or TFMCC (RFC 4654) "
      "allows",
      "gst-tfrc maintainers");
}

static void
gst_rtp_tfrc_send_init (GstRtpTfrcSend *self)
{
  g_mutex_init (&self->configuring);
  g_weak_ref_init (&self->session, NULL);
  g_cond_init (&self->task_changed);
  tfrc_properties_init (&self->settings, G_OBJECT_GET_CLASS (self));
  self->pacer = tfrc_send_pacer_new ();
  pads_init (&self->pads, GST_ELEMENT (self));
  set_up_sink (self, self->pads.sink);
  gst_pad_set_event_function (self->pads.src, gst_rtp_tfrc_send_src_event);
  gst_pad_set_query_function (self->pads.src, gst_rtp_tfrc_send_src_query);
  gst_pad_set_activatemode_function (self->pads.src,
      gst_rtp_tfrc_send_src_activate_mode);
  gst_pad_set_chain_function (self->pads.rtcp_sink,
      gst_rtp_tfrc_send_rtcp_chain);

  tfrc_send_ingress_init (&self->ingress, GST_ELEMENT (self), self->pacer);
}
