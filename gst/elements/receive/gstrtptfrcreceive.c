/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtptfrcreceive
 * @title: rtptfrcreceive
 * @see_also: rtptfrcsend, tfrcsrc, rtpbin
 *
 * The receiver of TFRC (RFC 5348) and of TFMCC (RFC 4654) for an RTP flow: it measures loss
 * events and the rate of the packets that pass unchanged from `sink` to `src`, and makes
 * RTCP packets on `rtcp_src` for the rtptfrcsend at the other end.
 *
 * With TFRC that is one report per round trip; the RTT comes from the sender in a header
 * extension (urn:ietf:params:rtp-hdrext:rtt-sendts).  With TFMCC the element is one of up to
 * #GstRtpTfrcReceive:group-size receivers: it calculates the rate that it could receive, and
 * reports once per round trip if it is the current limiting receiver, else at random times
 * and only if no other receiver has reported as low a rate before
 * (urn:x-gst:rtp-hdrext:tfmcc:1; RTCP PSFB FMT 15, "TFMC").
 *
 * The protocol is that of #GstRtpTfrcReceive:mode, else of the extension in the caps
 * (extmap-N), else of the size of the extension in the packets: 7 bytes are TFRC's, 8 or 16
 * TFMCC's.  Its id is that of #GstRtpTfrcReceive:extension-id, else of the caps, else
 * learnt.  Packets without it are passed on, and counted.
 *
 * RTCP that is multiplexed with RTP (RFC 5761) passes too, except for SR
 * requests (RTPFB FMT 5), on which an rtpsession of GStreamer 1.22 dead-locks.
 *
 * For a video stream that does not start with a key frame, and after loss, the element
 * requests one from the sender (RTCP PLI), at most once a second until it comes, and ten
 * times in all.  It also does so for GstForceKeyUnit events from downstream, which it passes
 * on upstream.  In a group not known to have eight receivers or fewer, one of them requests
 * it for all.
 *
 * An application that runs TFMCC on its own rtpbin handles
 * #GstRtpTfrcReceive::ssrc-collision and emits #GstRtpTfrcReceive::leave before
 * it stops.  The element message tfmcc-hopeless (docs/elements.md) says that less could be
 * received than was sent for #GstRtpTfrcReceive:leave-timeout.
 *
 * Arrival times are taken from the system clock when a packet comes in, so put
 * the element next to the source, in front of queues and jitter buffers.  It
 * is live and adds no latency.  Sinks on `rtcp_src` need sync=false
 * async=false: there is no report before the first packet.  When the flow's
 * packets carry #GstNetAddressMeta, so do the reports, with the address of the
 * sender.
 *
 * ECN marks (RFC 3168) are looked for in #GstNetControlMessageMeta, which tfrcsrc
 * adds with ecn=true, and so may any source that sets IP_RECVTOS and
 * IPV6_RECVTCLASS on its GSocket; udpsrc of GStreamer 1.22 does not.
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
 * ]| sends; the packets are paced in front of rtpbin.
 * |[
 * gst-launch-1.0 rtpbin name=bin rtptfrcreceive name=tfrc funnel name=rtcp \
 *     udpsrc port=5004 caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264" ! \
 *     tfrc.sink  tfrc.src ! bin.recv_rtp_sink_0 \
 *     udpsrc port=5005 caps=application/x-rtcp ! bin.recv_rtcp_sink_0 \
 *     tfrc.rtcp_src ! rtcp.  bin.send_rtcp_src_0 ! rtcp. \
 *     rtcp. ! udpsink host=127.0.0.1 port=5007 sync=false async=false \
 *     bin. ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| receives, and sends feedback and rtpbin's own RTCP to port 5007.
 */

#include "receive/gstrtptfrcreceive.h"

#include <gst/net/net.h>
#include <gst/video/video.h>

#include "common/alarm.h"
#include "common/locks.h"
#include "net/ecn.h"
#include "common/properties.h"
#include "common/pads.h"
#include "common/stats.h"
#include "receive/reception.h"
#include "net/session.h"

GST_DEBUG_CATEGORY (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

enum
{
  PROP_SETTING = 1, /* any property in receive/settings.h */
  PROP_SOURCE_ADDRESS,
  PROP_STATS,
};

enum
{
  SIGNAL_REQUEST_PT_MAP,
  SIGNAL_SSRC_COLLISION,
  SIGNAL_LEAVING,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_src_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("application/x-rtcp"));

/* How long a thread may wait until downstream has taken the last report. */
#define MAX_FINISH_US (200 * G_TIME_SPAN_MILLISECOND)

/* The reporter: pushes the reception's output on the RTCP source pad, from the pad's
 * task.  That sleeps until the reception's next deadline, and pushes with no lock held.
 * It also posts the statistics messages.
 *
 * It continues whatever a push returns.  NOT_LINKED: no one needs the reports.  FLUSHING:
 * downstream is starting or stopping.  EOS from downstream causes a warning, and any
 * error an element error, each once until a report is accepted again.
 *
 * Guarded by the element's lock, which the caller holds where a function says so. */
typedef struct
{
  TfrcAlarm alarm; /* wakes the task */
  gboolean running;
  TfrcTime stats_at; /* of the next message; TFRC_TIME_NONE = off */
  gboolean eos;      /* EOS must be pushed */
  gboolean eos_sent;
  /* the thread that pushes an output, with the lock released; or NULL */
  GThread *busy;
  GCond idle; /* signalled when not busy */

  /* used by the task: since a report was accepted */
  GstFlowReturn worst_flow;

  guint64 packets; /* reports pushed */
} Reporter;

struct _GstRtpTfrcReceive
{
  GstElement parent;

  GstPad *sinkpad;
  GstPad *srcpad;
  GstPad *rtcp_srcpad;
  GstClock *clock; /* set in PAUSED and above */
  GstElement *bin; /* the bin with `watch`; not referenced */
  const GstRtpTfrcReceiveWatch *watch;

  GMutex lock; /* guards all fields below */
  /* PAUSED after PLAYING.  No reports are made, as one that waited in a sink for PLAYING
   * would be taken for a long path delay. */
  gboolean paused;
  TfrcReceiveSettings settings;
  TfrcReception *reception; /* too large for the instance struct */
  Reporter reporter;
};

G_DEFINE_TYPE_WITH_CODE (GstRtpTfrcReceive, gst_rtp_tfrc_receive,
    GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_tfrc_receive_debug, "rtptfrcreceive", 0,
        "TFRC and TFMCC receiver for RTP"));
GST_ELEMENT_REGISTER_DEFINE (rtptfrcreceive, "rtptfrcreceive", GST_RANK_NONE,
    GST_TYPE_RTP_TFRC_RECEIVE);

/* Called by the task of the RTCP pad, with no lock held. */
static void
notify_application (GstElement *element, const TfrcReceiveMessage *message)
{
  switch (message->kind) {
    case TFMCC_MESSAGE_NONE:
      break;
    case TFMCC_MESSAGE_COLLISION:
      g_signal_emit (element, signals[SIGNAL_SSRC_COLLISION], 0, message->ssrc);
      break;
    case TFMCC_MESSAGE_HOPELESS:
      gst_element_post_message (element,
          gst_message_new_element (GST_OBJECT (element),
              gst_structure_new ("tfmcc-hopeless", "bitrate", G_TYPE_UINT64,
                  tfrc_rate_to_bits (message->rate), "sending-bitrate",
                  G_TYPE_UINT64, tfrc_rate_to_bits (message->sending_rate), "left",
                  G_TYPE_BOOLEAN, message->leaves, NULL)));
      break;
    case TFMCC_MESSAGE_LEAVING:
      g_signal_emit (element, signals[SIGNAL_LEAVING], 0);
      break;
  }
}

static void
post_refusal (GstRtpTfrcReceive *self, GstFlowReturn flow)
{
  if (flow == GST_FLOW_EOS)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Downstream of rtcp_src is at EOS and accepts no reports (%s), so"
         " the sender slows down: flush or restart it.",
            gst_flow_get_name (flow)),
        (NULL));
  else
    GST_ELEMENT_ERROR_WITH_DETAILS (self, STREAM, FAILED,
        ("Downstream of rtcp_src accepts no reports (%s), so the sender "
         "slows down: see its error messages, and restart it.",
            gst_flow_get_name (flow)),
        (NULL), ("flow-return", G_TYPE_INT, flow, NULL));
}

static void
push_report (GstRtpTfrcReceive *self, GstBuffer *buffer)
{
  GstFlowReturn flow;

  tfrc_pads_start_rtcp (self->rtcp_srcpad, GST_ELEMENT (self));
  flow = gst_pad_push (self->rtcp_srcpad, buffer);
  if (flow == GST_FLOW_OK) {
    if (self->reporter.worst_flow != GST_FLOW_OK)
      GST_INFO_OBJECT (self, "event=reports-taken-again");
    self->reporter.worst_flow = GST_FLOW_OK;
    return;
  }
  GST_DEBUG_OBJECT (self, "event=report-refused flow=%s",
      gst_flow_get_name (flow));
  /* Errors are below EOS. */
  if (flow > GST_FLOW_EOS || flow >= self->reporter.worst_flow)
    return;
  self->reporter.worst_flow = flow;
  post_refusal (self, flow);
}

/* When the next statistics message is due; if that is now, the following one is
 * scheduled. */
static TfrcTime
next_stats_at (GstRtpTfrcReceive *self, TfrcTime now)
{
  TfrcDuration interval = self->settings.stats_interval * TFRC_MILLISECOND;
  TfrcTime at = self->reporter.stats_at;

  if (interval == 0)
    self->reporter.stats_at = at = TFRC_TIME_NONE;
  else if (at == TFRC_TIME_NONE || at > now + interval)
    self->reporter.stats_at = at = now + interval;
  else if (at <= now)
    self->reporter.stats_at = tfrc_time_max (at + interval, now);
  return at;
}

static void
reporter_loop (gpointer user_data)
{
  GstRtpTfrcReceive *self = user_data;
  TfrcReceiveMessage message = { TFMCC_MESSAGE_NONE };
  GstBuffer *report = NULL;
  gboolean silent;
  TfrcTime now;

  g_mutex_lock (&self->lock);
  if (!self->reporter.running) {
    g_mutex_unlock (&self->lock);
    gst_pad_pause_task (self->rtcp_srcpad);
    return;
  }
  now = tfrc_alarm_get_time (&self->reporter.alarm);
  silent = self->paused || self->reporter.eos_sent;
  if (!silent)
    report = tfrc_reception_poll (self->reception, &message, now);
  if (report || message.kind != TFMCC_MESSAGE_NONE) {
    self->reporter.packets += report != NULL;
    self->reporter.busy = g_thread_self ();
    g_mutex_unlock (&self->lock);
    if (report)
      push_report (self, report);
    else
      notify_application (GST_ELEMENT (self), &message);
    g_mutex_lock (&self->lock);
    self->reporter.busy = NULL;
    g_cond_signal (&self->reporter.idle);
    g_mutex_unlock (&self->lock);
  } else if (self->reporter.eos && !self->reporter.eos_sent) {
    self->reporter.eos_sent = TRUE;
    g_mutex_unlock (&self->lock);
    tfrc_pads_start_rtcp (self->rtcp_srcpad, GST_ELEMENT (self));
    gst_pad_push_event (self->rtcp_srcpad, gst_event_new_eos ());
  } else if (next_stats_at (self, now) <= now) {
    g_mutex_unlock (&self->lock);
    tfrc_stats_post (GST_ELEMENT (self));
  } else {
    tfrc_alarm_wait (&self->reporter.alarm, &self->lock,
        silent ? self->reporter.stats_at
               : tfrc_time_min (self->reporter.stats_at,
                     tfrc_reception_next_deadline (self->reception)));
    g_mutex_unlock (&self->lock);
  }
}

/* Starts and stops the task, when the pad is (de)activated. */
static gboolean
reporter_start (GstRtpTfrcReceive *self)
{
  g_mutex_lock (&self->lock);
  tfrc_alarm_set_clock (&self->reporter.alarm, gst_object_ref (self->clock));
  self->reporter.running = TRUE;
  self->reporter.eos = FALSE;
  self->reporter.eos_sent = FALSE;
  self->reporter.stats_at = TFRC_TIME_NONE;
  self->reporter.worst_flow = GST_FLOW_OK;
  self->reporter.packets = 0;
  g_mutex_unlock (&self->lock);
  return gst_pad_start_task (self->rtcp_srcpad, reporter_loop, self, NULL);
}

static gboolean
reporter_stop (GstRtpTfrcReceive *self)
{
  gboolean stopped;

  g_mutex_lock (&self->lock);
  self->reporter.running = FALSE;
  tfrc_alarm_wake (&self->reporter.alarm);
  g_mutex_unlock (&self->lock);
  stopped = gst_pad_stop_task (self->rtcp_srcpad);
  g_mutex_lock (&self->lock);
  tfrc_alarm_set_clock (&self->reporter.alarm, NULL);
  g_mutex_unlock (&self->lock);
  return stopped;
}

/* To be called after each call that changes the reception.  With the lock held. */
static void
reporter_wake (GstRtpTfrcReceive *self)
{
  tfrc_alarm_wake_before (&self->reporter.alarm,
      tfrc_reception_next_deadline (self->reception));
}

/* Waits until what is due has been pushed, or 200 ms, as downstream may block.  Called by
 * the task itself, it returns at once.  With the lock held, which is released meanwhile. */
static void
reporter_finish (GstRtpTfrcReceive *self)
{
  gint64 end = g_get_monotonic_time () + MAX_FINISH_US;

  tfrc_alarm_wake (&self->reporter.alarm);
  while (self->reporter.running && !self->paused && !self->reporter.eos_sent
      && self->reporter.busy != g_thread_self ()
      && (self->reporter.busy
          || tfrc_reception_next_deadline (self->reception) == 0)
      && g_cond_wait_until (&self->reporter.idle, &self->lock, end))
    ;
}

GSocketAddress *
gst_rtp_tfrc_receive_get_source_address (GstRtpTfrcReceive *self)
{
  GSocketAddress *address;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  address = self->reception->source.address;
  if (address)
    g_object_ref (address);
  return address;
}

void
gst_rtp_tfrc_receive_set_watch (GstRtpTfrcReceive *self, GstElement *bin,
    const GstRtpTfrcReceiveWatch *watch)
{
  self->bin = bin;
  self->watch = watch;
}

gboolean
gst_rtp_tfrc_receive_admits_rtcp (GstRtpTfrcReceive *self, GstBuffer *buffer,
    TfrcWireCompound *compound)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  return tfrc_reception_admits_rtcp (self->reception, buffer, compound);
}

gboolean
gst_rtp_tfrc_receive_knows_ssrc (GstRtpTfrcReceive *self, guint32 ssrc)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  return tfmcc_receive_flow_knows_ssrc (&self->reception->flow.group, ssrc);
}

gboolean
gst_rtp_tfrc_receive_has_stream (GstRtpTfrcReceive *self, guint32 ssrc)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  return tfrc_source_address_has_ssrc (&self->reception->source, ssrc);
}

guint
gst_rtp_tfrc_receive_get_extension_id (GstRtpTfrcReceive *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  return tfrc_extension_reader_get_id (&self->reception->extensions);
}

void
gst_rtp_tfrc_receive_set_repairs (GstRtpTfrcReceive *self, gboolean requests,
    gboolean retransmits, gboolean uses_parity)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->reception->requests_packets = requests;
  self->reception->sender_retransmits = retransmits;
  self->reception->uses_parity = uses_parity;
}

GstClockTime
gst_rtp_tfrc_receive_on_missing (GstRtpTfrcReceive *self, guint32 ssrc,
    guint16 seq, GstClockTime *time_left, GstClockTime longest,
    GstClockTime *hold)
{
  GstClockTime rtt = 0;

  *hold = 0;
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (self->clock) {
    rtt = tfrc_reception_on_missing (self->reception, ssrc, seq, time_left,
        longest, hold, gst_clock_get_time (self->clock));
    reporter_wake (self);
  }
  return rtt;
}

void
gst_rtp_tfrc_receive_on_unrepaired (GstRtpTfrcReceive *self, guint32 ssrc,
    guint16 seq)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (self->clock) {
    tfrc_reception_on_unrepaired (self->reception, ssrc, seq,
        gst_clock_get_time (self->clock));
    reporter_wake (self);
  }
}

static void
learn_payload_type (GstRtpTfrcReceive *self, guint8 type, gboolean one_csrc)
{
  g_autoptr (GstCaps) caps = NULL;

  g_mutex_unlock (&self->lock);
  if (self->watch)
    self->watch->first_of_type (self->bin, type, one_csrc);
  g_signal_emit (self, signals[SIGNAL_REQUEST_PT_MAP], 0, (guint) type, &caps);
  g_mutex_lock (&self->lock);
  tfrc_reception_learn_payload_type (self->reception, type, caps);
}

/* Forgets what was learnt about payload types from others than the sender. */
static void
change_sender (GstRtpTfrcReceive *self)
{
  self->reception->sender_changed = FALSE;
  tfrc_reception_forget_payload_types (self->reception);
  if (!self->watch)
    return;
  g_mutex_unlock (&self->lock);
  self->watch->sender_changed (self->bin);
  g_mutex_lock (&self->lock);
}

/* Removes the streams that were evicted for another one, or for the sender. */
static void
evict_streams (GstRtpTfrcReceive *self, TfrcTime now)
{
  guint32 ssrc;

  while (tfrc_source_address_poll_gone (&self->reception->source, &ssrc)) {
    tfrc_reception_remove_stream (self->reception, ssrc, now);
    if (!self->watch)
      continue;
    g_mutex_unlock (&self->lock);
    self->watch->stream_evicted (self->bin, ssrc);
    g_mutex_lock (&self->lock);
  }
}

/* FALSE: the packet must not be passed on.  `moved` is set to TRUE if the source address
 * has changed.  Lock: as for process. */
static gboolean
measure_rtp (GstRtpTfrcReceive *self, GstBuffer *buffer,
    const TfrcRtpPacket *rtp, gboolean *moved, TfrcTime now)
{
  const guint8 type = rtp->header.payload_type;
  TfrcAdmission admission = tfrc_reception_admit (self->reception, buffer, rtp,
      now);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcResult result;
  gboolean ends;

  if (admission >= TFRC_ADMISSION_UNPROVEN)
    return FALSE;
  if (G_UNLIKELY (self->reception->sender_changed))
    change_sender (self);
  if (G_UNLIKELY (!self->reception->payload_types.types[type].known))
    learn_payload_type (self, type, rtp->header.n_csrcs == 1);
  result = tfrc_reception_on_packet (self->reception, buffer, rtp, admission,
      moved, &ends, now);
  if (meta)
    tfrc_source_address_on_bytes (&self->reception->source, meta->addr,
        gst_buffer_get_size (buffer));
  return !ends && (result != TFRC_FOREIGN || admission == TFRC_ADMISSION_TRIAL);
}

/* Takes ownership of the buffer, and returns what is to be pushed: the same, unless it is
 * RTCP that must not pass, or from another sender, or from one that has moved;
 * NULL = nothing.  With the lock held, which is released while the application is asked
 * about a new payload type. */
static GstBuffer *
process (GstRtpTfrcReceive *self, GstBuffer *buffer, gboolean *moved,
    TfrcTime now)
{
  GstMapInfo map = GST_MAP_INFO_INIT;
  gboolean is_rtcp = FALSE, is_rtp = FALSE, passes = FALSE;
  TfrcRtpPacket rtp;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    /* The first bytes of RTCP may look like RTP. */
    is_rtcp = map.size > 1 && tfrc_packet_is_rtcp_byte (map.data[1]);
    is_rtp = !is_rtcp && tfrc_rtp_packet_read (&rtp, map.data, map.size);
    if (is_rtp)
      passes = measure_rtp (self, buffer, &rtp, moved, now);
    gst_buffer_unmap (buffer, &map);
  }
  if (is_rtp) {
    evict_streams (self, now);
    if (!passes)
      gst_clear_buffer (&buffer);
  } else if (is_rtcp) {
    buffer = tfrc_reception_on_rtcp (self->reception, buffer, now);
  } else if (self->reception->packets_malformed++ == 0) {
    GST_WARNING_OBJECT (self,
        "event=malformed-rtp size_bytes=%" G_GSIZE_FORMAT " (said once)",
        gst_buffer_get_size (buffer));
  }
  return buffer && self->watch
      ? tfrc_source_address_hide_move (&self->reception->source, buffer)
      : buffer;
}

static GstFlowReturn
gst_rtp_tfrc_receive_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpTfrcReceive *self = (GstRtpTfrcReceive *) parent;
  TfrcTime now = gst_clock_get_time (self->clock);
  gboolean moved = FALSE;

  g_mutex_lock (&self->lock);
  buffer = process (self, buffer, &moved, now);
  reporter_wake (self);
  g_mutex_unlock (&self->lock);

  if (moved)
    g_object_notify (G_OBJECT (self), "source-address");
  return buffer ? gst_pad_push (self->srcpad, buffer) : GST_FLOW_OK;
}

/* The input continues after EOS or a flush: reports may follow an EOS again, so
 * downstream is flushed.  With no lock held. */
static void
begin_anew (GstRtpTfrcReceive *self)
{
  gboolean after_eos;

  g_mutex_lock (&self->lock);
  tfrc_reception_restart (self->reception);
  after_eos = self->reporter.eos_sent;
  self->reporter.eos = FALSE;
  g_mutex_unlock (&self->lock);
  if (!after_eos)
    return;
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_start ());
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_stop (FALSE));
  g_mutex_lock (&self->lock);
  self->reporter.eos_sent = FALSE;
  g_mutex_unlock (&self->lock);
}

static gboolean
gst_rtp_tfrc_receive_sink_event (GstPad *pad, GstObject *parent,
    GstEvent *event)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (parent);
  gboolean ended;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      g_mutex_lock (&self->lock);
      tfrc_reception_set_caps (self->reception, caps);
      g_mutex_unlock (&self->lock);
      break;
    case GST_EVENT_STREAM_START:
      g_mutex_lock (&self->lock);
      ended = self->reporter.eos;
      g_mutex_unlock (&self->lock);
      if (ended)
        begin_anew (self);
      break;
    case GST_EVENT_FLUSH_STOP:
      begin_anew (self);
      break;
    case GST_EVENT_EOS:
      g_mutex_lock (&self->lock);
      if (self->clock)
        tfrc_receive_flow_leave (&self->reception->flow,
            gst_clock_get_time (self->clock));
      /* EOS is pushed after the last report. */
      self->reporter.eos = TRUE;
      tfrc_alarm_wake (&self->reporter.alarm);
      g_mutex_unlock (&self->lock);
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static void
want_key_frame (GstRtpTfrcReceive *self, guint ssrc)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (self->clock) {
    tfrc_key_requests_request (&self->reception->key_requests, ssrc,
        gst_clock_get_time (self->clock));
    reporter_wake (self);
  }
}

static gboolean
gst_rtp_tfrc_receive_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  /* rtpssrcdemux adds the stream's SSRC. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM
      && gst_video_event_is_force_key_unit (event)) {
    guint ssrc = 0;

    gst_structure_get_uint (gst_event_get_structure (event), "ssrc", &ssrc);
    want_key_frame (GST_RTP_TFRC_RECEIVE (parent), ssrc);
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_rtp_tfrc_receive_rtcp_src_query (GstPad *pad, GstObject *parent,
    GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  /* Reports have no timestamps; rtpsession answers the same for its RTCP. */
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static gboolean
gst_rtp_tfrc_receive_rtcp_src_activate_mode (GstPad *pad, GstObject *parent,
    GstPadMode mode, gboolean active)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  return active ? reporter_start (self) : reporter_stop (self);
}

static GstStateChangeReturn
gst_rtp_tfrc_receive_change_state (GstElement *element,
    GstStateChange transition)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (element);
  GstStateChangeReturn result;

  g_mutex_lock (&self->lock);
  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      self->clock = gst_system_clock_obtain ();
      self->paused = FALSE;
      tfrc_reception_start (self->reception, &self->settings);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      /* A live source has dropped what came in meanwhile. */
      if (self->paused)
        tfrc_reception_restart (self->reception);
      self->paused = FALSE;
      tfrc_alarm_wake (&self->reporter.alarm);
      break;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      self->paused = TRUE;
      tfrc_alarm_wake (&self->reporter.alarm);
      break;
    default:
      break;
  }
  g_mutex_unlock (&self->lock);

  result = GST_ELEMENT_CLASS (gst_rtp_tfrc_receive_parent_class)
               ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_mutex_lock (&self->lock);
    gst_clear_object (&self->clock);
    g_mutex_unlock (&self->lock);
  }
  return result;
}

static void
gst_rtp_tfrc_receive_clear_pt_map (GstRtpTfrcReceive *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_reception_forget_payload_types (self->reception);
}

static void
gst_rtp_tfrc_receive_remove_stream (GstRtpTfrcReceive *self, guint ssrc)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (self->clock) {
    tfrc_reception_remove_stream (self->reception, ssrc,
        gst_clock_get_time (self->clock));
    reporter_wake (self);
  }
}

static void
gst_rtp_tfrc_receive_leave (GstRtpTfrcReceive *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (self->clock) {
    tfrc_receive_flow_leave (&self->reception->flow,
        gst_clock_get_time (self->clock));
    reporter_finish (self);
  }
}

static GstStructure *
make_stats (GstRtpTfrcReceive *self)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_RECEIVE);
  g_autoptr (GstClock) clock = self->clock
      ? gst_object_ref (self->clock)
      : gst_system_clock_obtain ();
  TfrcTime now = gst_clock_get_time (clock);

  tfrc_reception_get_stats (self->reception, stats, now);
  tfrc_stats_set (stats, "rtcp-packets", self->reporter.packets);
  return stats;
}

static void
gst_rtp_tfrc_receive_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (object);
  gboolean known;

  if (tfrc_properties_refuse_late (GST_ELEMENT (self), pspec, value))
    return;
  g_mutex_lock (&self->lock);
  known = tfrc_receive_settings_set (&self->settings, pspec, value);
  tfrc_reception_update (self->reception, &self->settings);
  tfrc_alarm_wake (&self->reporter.alarm);
  g_mutex_unlock (&self->lock);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_rtp_tfrc_receive_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (object);
  gboolean known = TRUE;

  g_mutex_lock (&self->lock);
  switch (id) {
    case PROP_SOURCE_ADDRESS:
      g_value_set_object (value, self->reception->source.address);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, make_stats (self));
      break;
    default:
      known = tfrc_properties_get (&self->settings, pspec, value);
      break;
  }
  g_mutex_unlock (&self->lock);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_rtp_tfrc_receive_finalize (GObject *object)
{
  GstRtpTfrcReceive *self = GST_RTP_TFRC_RECEIVE (object);

  tfrc_alarm_clear (&self->reporter.alarm);
  g_cond_clear (&self->reporter.idle);
  tfrc_reception_clear (self->reception);
  g_free (self->reception);
  tfrc_properties_clear (&self->settings, G_OBJECT_GET_CLASS (object));
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (gst_rtp_tfrc_receive_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (klass, PROP_SOURCE_ADDRESS,
      g_param_spec_object ("source-address", "Source address",
          "Source address of the newest packet proven to be the sender's; "
          "NULL = not known (default: NULL)",
          G_TYPE_SOCKET_ADDRESS, flags));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "Measurements and counters",
          GST_TYPE_STRUCTURE, flags | GST_PARAM_DOC_SHOW_DEFAULT));
  tfrc_receive_settings_install (klass, PROP_SETTING);
}

static void
install_action (GType type, const gchar *name, GCallback handler,
    guint n_arguments)
{
  /* An argument, if there is one, is an SSRC. */
  g_signal_new_class_handler (name, type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      handler, NULL, NULL, NULL, G_TYPE_NONE, n_arguments, G_TYPE_UINT);
}

static void
install_actions (GType type)
{
  /**
   * GstRtpTfrcReceive::clear-pt-map:
   *
   * Forgets what #GstRtpTfrcReceive::request-pt-map said.
   */
  install_action (type, "clear-pt-map",
      G_CALLBACK (gst_rtp_tfrc_receive_clear_pt_map), 0);

  /**
   * GstRtpTfrcReceive::remove-stream:
   * @ssrc: the stream
   *
   * The stream has left (RTCP BYE): its missing packets are no longer waited
   * for, and no key frame of it is requested.
   */
  install_action (type, "remove-stream",
      G_CALLBACK (gst_rtp_tfrc_receive_remove_stream), 1);

  /**
   * GstRtpTfrcReceive::request-key-frame:
   * @ssrc: the stream; 0 = all
   *
   * Asks the sender for a key frame, at most once a second.
   */
  install_action (type, "request-key-frame", G_CALLBACK (want_key_frame), 1);

  /**
   * GstRtpTfrcReceive::leave:
   *
   * TFMCC: informs the sender, if this is the current limiting receiver, that it
   * leaves, and sends no more reports until the element resumes from PAUSED.
   * Returns when the report has been pushed; call it in PLAYING, before elements
   * downstream of `rtcp_src` stop.  No effect with TFRC.
   */
  install_action (type, "leave", G_CALLBACK (gst_rtp_tfrc_receive_leave), 0);
}

static void
install_signals (GType type)
{
  /**
   * GstRtpTfrcReceive::request-pt-map:
   * @pt: the payload type
   *
   * Asks for the caps of a payload type that is not in the sink caps.
   *
   * Returns: (nullable): its caps, with media and encoding-name
   */
  signals[SIGNAL_REQUEST_PT_MAP] = g_signal_new ("request-pt-map", type,
      G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, GST_TYPE_CAPS, 1, G_TYPE_UINT);

  /**
   * GstRtpTfrcReceive::ssrc-collision:
   * @ssrc: #GstRtpTfrcReceive:rtcp-ssrc
   *
   * TFMCC: another member of the group has this SSRC, too.  The handler gives the
   * rtpsession of this receiver another one, and sets #GstRtpTfrcReceive:rtcp-ssrc
   * to it.  Emitted from a streaming thread.
   */
  signals[SIGNAL_SSRC_COLLISION] = g_signal_new ("ssrc-collision", type,
      G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);

  /**
   * GstRtpTfrcReceive::leaving:
   *
   * TFMCC: the group is hopeless and #GstRtpTfrcReceive:auto-leave is set; the
   * sender was informed.  The handler stops the reception.  Emitted from a
   * streaming thread, for which it must not wait.
   */
  signals[SIGNAL_LEAVING] = g_signal_new ("leaving", type, G_SIGNAL_RUN_LAST, 0,
      NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
gst_rtp_tfrc_receive_class_init (GstRtpTfrcReceiveClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  /* GLib then creates one for any source that receives with IP_RECVTOS. */
  g_type_ensure (TFRC_TYPE_CONTROL_MESSAGE);
  object_class->set_property = gst_rtp_tfrc_receive_set_property;
  object_class->get_property = gst_rtp_tfrc_receive_get_property;
  object_class->finalize = gst_rtp_tfrc_receive_finalize;
  element_class->change_state = gst_rtp_tfrc_receive_change_state;
  install_properties (object_class);
  install_signals (G_TYPE_FROM_CLASS (klass));
  install_actions (G_TYPE_FROM_CLASS (klass));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC receiver",
      "Filter/Network/RTP",
      "Measures an RTP flow and reports to its TFRC or TFMCC "
      "sender (RFC 5348, RFC 4654)",
      "gst-tfrc maintainers");
}

static void
add_pads (GstRtpTfrcReceive *self)
{
  GstElement *element = GST_ELEMENT (self);

  self->sinkpad = tfrc_pads_add (element, &sink_template);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_pad_set_chain_function (self->sinkpad, gst_rtp_tfrc_receive_chain);
  gst_pad_set_event_function (self->sinkpad, gst_rtp_tfrc_receive_sink_event);

  self->srcpad = tfrc_pads_add (element, &src_template);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_pad_set_event_function (self->srcpad, gst_rtp_tfrc_receive_src_event);
  tfrc_pads_join (self->sinkpad, self->srcpad);

  self->rtcp_srcpad = tfrc_pads_add (element, &rtcp_src_template);
  gst_pad_use_fixed_caps (self->rtcp_srcpad);
  gst_pad_set_query_function (self->rtcp_srcpad,
      gst_rtp_tfrc_receive_rtcp_src_query);
  gst_pad_set_activatemode_function (self->rtcp_srcpad,
      gst_rtp_tfrc_receive_rtcp_src_activate_mode);
}

static void
gst_rtp_tfrc_receive_init (GstRtpTfrcReceive *self)
{
  g_mutex_init (&self->lock);
  tfrc_receive_settings_init (&self->settings, G_OBJECT_GET_CLASS (self));
  add_pads (self);
  self->reception = g_new0 (TfrcReception, 1);
  self->reception->owner = GST_ELEMENT (self);
  tfrc_reception_start (self->reception, &self->settings);
  g_cond_init (&self->reporter.idle);
  tfrc_alarm_init (&self->reporter.alarm);
}
