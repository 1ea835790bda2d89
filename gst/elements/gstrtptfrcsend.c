/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend: pads, events, queries and states of the sender.
 *
 * Threads: the streaming thread of the sink pad reads packets and queues them;
 * the task of the source pad waits for their time, stamps and pushes them, and
 * does all that is periodic; the thread behind rtcp_sink brings the receiver's
 * reports.  `lock` guards what they share.  It is taken before the lock of the
 * flow, and never held while pushing, notifying or posting. */

#include "gstrtptfrcsend.h"

#include <gst/video/video.h>

#include "tfrcalarm.h"
#include "tfrcencoder.h"
#include "tfrcfeedbackfilter.h"
#include "tfrcflow.h"
#include "tfrcqueue.h"
#include "tfrcsendintake.h"
#include "tfrcsendsettings.h"
#include "tfrcsendstats.h"
#include "tfrcstats.h"
#include "tfrcupstream.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* Packets of one list, in and out. */
#define MAX_BURST 32

/* The coarse timer that RFC 5348 section 8.3 calls t_gran: packets that are
 * due within it leave together. */
#define TIMER_GRANULARITY TFRC_MILLISECOND

/* How often the encoder hears of the rate. */
#define ENCODER_INTERVAL (100 * TFRC_MILLISECOND)

/* At EOS the queue may take so long to empty, and is dropped then. */
#define DRAIN_TIME (3 * TFRC_SECOND)

/* What a source that is not live may queue in PAUSED before it has to wait. */
#define PREROLL_BYTES (1024 * 1024)

#define RTP_SEQ_OFFSET 2

struct _GstRtpTfrcSend
{
  GstElement parent;

  GstPad *sinkpad;
  GstPad *srcpad;
  GstPad *rtcp_sinkpad;
  GstPad *rtcp_srcpad;

  TfrcFlow *flow;
  TfrcEncoder *encoder;

  /* Sink pad's streaming thread. */
  TfrcSendIntake intake;

  GMutex lock;                  /* guards all below */
  TfrcSendSettings settings;
  TfrcAlarm alarm;              /* of the source pad's task */
  GCond room;                   /* the sink pad may go on */
  TfrcQueue *queue;
  GstFlowReturn flow_return;    /* of the last push; not OK: no packets taken */
  gboolean eos;                 /* came in */
  TfrcTime drain_until;         /* queue time; TFRC_TIME_NONE = no EOS yet */

  /* Time of the queue: runs in PLAYING alone. */
  gboolean playing;
  TfrcDuration stood_still;     /* clock time minus queue time, in PLAYING */
  TfrcTime stopped_at;          /* queue time otherwise */

  TfrcTime released_at;
  TfrcTime encoder_at;          /* TFRC_TIME_NONE = no packet yet */
  TfrcTime stats_at;            /* TFRC_TIME_NONE = off */
  TfrcDuration pacer_delay;     /* of the packet that left last */
  TfrcEncoderFlow encoder_flow; /* the last told */
  guint bitrate;                /* the last notified */
  TfrcSendIntakeCounters intake_counters;       /* copy, for other threads */
  TfrcSendRtcpCounters rtcp_counters;
};

/* What one turn of the task has to do after it let go of the lock. */
typedef struct
{
  TfrcQueueItem items[MAX_BURST];
  TfrcStamp stamps[MAX_BURST];
  guint n_items;
  GstEvent *event;              /* NULL = none */
  gboolean bitrate_moved;
  gboolean wants_key_frame;
  guint32 key_ssrc;
  gboolean update_encoder;
  TfrcEncoderFlow encoder_flow;
  gboolean post_stats;
} Turn;

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_sink_template =
GST_STATIC_PAD_TEMPLATE ("rtcp_sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtcp"));
static GstStaticPadTemplate rtcp_src_template =
GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtcp"));

G_DEFINE_TYPE (GstRtpTfrcSend, gst_rtp_tfrc_send, GST_TYPE_ELEMENT);
GST_ELEMENT_REGISTER_DEFINE (rtptfrcsend, "rtptfrcsend", GST_RANK_NONE,
    GST_TYPE_RTP_TFRC_SEND);

static void gst_rtp_tfrc_send_loop (GstPad *pad);
static TfrcTime get_queue_time (const GstRtpTfrcSend *self, TfrcTime now);
static void trim_queue (GstRtpTfrcSend *self, TfrcTime now);
static gboolean take_turn (GstRtpTfrcSend *self, Turn *turn, TfrcTime now);
static void take_packets (GstRtpTfrcSend *self, Turn *turn, TfrcTime now);
static void measure_encoder_flow (GstRtpTfrcSend *self, Turn *turn,
    TfrcTime now);
static TfrcTime get_wakeup (GstRtpTfrcSend *self);
static GstFlowReturn push_packets (GstRtpTfrcSend *self, Turn *turn);
static void push_key_request (GstRtpTfrcSend *self, guint32 ssrc);
static GstStructure *create_stats (GstRtpTfrcSend *self);

static void
apply_settings (GstRtpTfrcSend *self)
{
  TfrcEncoderConfig config;
  gchar *element, *property;
  TfrcRate max_rate;

  g_mutex_lock (&self->lock);
  config = tfrc_send_settings_get_encoder_config (&self->settings);
  config.element = element = g_strdup (config.element);
  config.property = property = g_strdup (config.property);
  max_rate = tfrc_send_settings_get_max_rate (&self->settings);
  self->stats_at = self->settings.stats_interval == 0 ? TFRC_TIME_NONE :
      tfrc_alarm_get_time (&self->alarm);
  tfrc_alarm_wake (&self->alarm);
  g_mutex_unlock (&self->lock);

  tfrc_flow_set_max_rate (self->flow, max_rate);
  tfrc_encoder_set_config (self->encoder, &config);
  g_free (element);
  g_free (property);
}

static GstFlowReturn
queue_packets (GstRtpTfrcSend *self, const TfrcQueueItem *items, guint n)
{
  GstFlowReturn ret;
  guint64 payload_bytes = 0;
  TfrcTime now, queue_time;
  gboolean was_empty;

  g_mutex_lock (&self->lock);
  self->intake_counters = self->intake.counters;
  while (self->flow_return == GST_FLOW_OK && !self->playing
      && tfrc_queue_get_bytes (self->queue) > PREROLL_BYTES)
    g_cond_wait (&self->room, &self->lock);
  ret = self->flow_return;
  if (ret != GST_FLOW_OK) {
    g_mutex_unlock (&self->lock);
    for (guint i = 0; i < n; i++)
      gst_mini_object_unref (items[i].object);
    return ret;
  }

  now = tfrc_alarm_get_time (&self->alarm);
  queue_time = get_queue_time (self, now);
  was_empty = tfrc_queue_peek (self->queue) == NULL;
  for (guint i = 0; i < n; i++) {
    if (items[i].stream->video)
      payload_bytes += items[i].payload_size;
    tfrc_queue_push_packet (self->queue, &items[i], queue_time);
  }
  trim_queue (self, now);
  if (self->encoder_at == TFRC_TIME_NONE)
    self->encoder_at = now;
  if (was_empty || tfrc_queue_next_deadline (self->queue) <= queue_time)
    tfrc_alarm_wake (&self->alarm);
  g_mutex_unlock (&self->lock);

  if (payload_bytes > 0)
    tfrc_encoder_on_output (self->encoder, payload_bytes, now);
  return GST_FLOW_OK;
}

/* FALSE: no packet for the queue. */
static gboolean
read_packet (GstRtpTfrcSend *self, GstBuffer *buffer, TfrcQueueItem *item)
{
  TfrcSendIntake *intake = &self->intake;

  switch (tfrc_send_intake_read (intake, buffer, item, self->queue,
          &self->lock, self->sinkpad)) {
    case TFRC_SEND_INTAKE_INVALID:
      if (intake->counters.packets_invalid == 1)
        GST_WARNING_OBJECT (self, "dropped a buffer that is no RTP packet; "
            "more are only counted");
      return FALSE;
    case TFRC_SEND_INTAKE_UNSTAMPED:
      if (intake->counters.packets_unstamped == 1)
        GST_WARNING_OBJECT (self, "no place for the stamp in a packet: id=%u; "
            "more are only counted", intake->stamper.id);
      return TRUE;
    case TFRC_SEND_INTAKE_OVERSIZE:
      if (intake->counters.packets_oversize == 1)
        GST_WARNING_OBJECT (self, "a packet is above the mtu: size=%u "
            "mtu=%u; more are only counted", item->size, intake->mtu);
      return TRUE;
    case TFRC_SEND_INTAKE_OK:
      break;
  }
  return TRUE;
}

static GstFlowReturn
gst_rtp_tfrc_send_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  TfrcQueueItem item;

  return queue_packets (self, &item, read_packet (self, buffer, &item) ? 1 : 0);
}

static GstFlowReturn
gst_rtp_tfrc_send_chain_list (GstPad *pad, GstObject *parent,
    GstBufferList *list)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  guint length = gst_buffer_list_length (list);
  GPtrArray *buffers = g_ptr_array_sized_new (length);
  TfrcQueueItem items[MAX_BURST];
  GstFlowReturn ret = GST_FLOW_OK;
  guint next = 0;

  /* Without the list the buffers are ours alone and need no copy. */
  for (guint i = 0; i < length; i++)
    g_ptr_array_add (buffers, gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);

  while (next < length && ret == GST_FLOW_OK) {
    guint n = 0;

    for (; next < length && n < MAX_BURST; next++) {
      if (read_packet (self, g_ptr_array_index (buffers, next), &items[n]))
        n++;
    }
    ret = queue_packets (self, items, n);
  }
  for (; next < length; next++)
    gst_buffer_unref (g_ptr_array_index (buffers, next));
  g_ptr_array_unref (buffers);
  return ret;
}

static gboolean
queue_event (GstRtpTfrcSend *self, GstEvent *event)
{
  gboolean queued;

  g_mutex_lock (&self->lock);
  queued = self->flow_return == GST_FLOW_OK
      || (self->flow_return != GST_FLOW_FLUSHING && GST_EVENT_IS_STICKY (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_EOS);
  if (queued) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
      self->eos = TRUE;
      self->drain_until = tfrc_time_add (get_queue_time (self,
              tfrc_alarm_get_time (&self->alarm)), DRAIN_TIME);
    } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
      self->eos = FALSE;
      self->drain_until = TFRC_TIME_NONE;
    }
    tfrc_queue_push_event (self->queue, event);
    tfrc_alarm_wake (&self->alarm);
  }
  g_mutex_unlock (&self->lock);

  if (!queued)
    gst_event_unref (event);
  return queued;
}

static gboolean
set_caps (GstRtpTfrcSend *self, GstEvent *event)
{
  GstCaps *caps;
  guint extension_id, mtu, old_id = self->intake.stamper.id;

  g_mutex_lock (&self->lock);
  extension_id = self->settings.extension_id;
  mtu = self->settings.mtu;
  g_mutex_unlock (&self->lock);

  gst_event_parse_caps (event, &caps);
  caps = tfrc_send_intake_set_caps (&self->intake, gst_caps_ref (caps),
      extension_id, self->queue, &self->lock);
  gst_event_unref (event);
  if (self->intake.stamper.id != old_id)
    GST_INFO_OBJECT (self, "stamping packets: extension_id=%u",
        self->intake.stamper.id);

  event = gst_event_new_caps (caps);
  gst_caps_unref (caps);
  tfrc_upstream_set_mtu (self->sinkpad, mtu - TFRC_STAMPER_MAX_OVERHEAD);
  tfrc_encoder_attach (self->encoder, self->sinkpad);
  return queue_event (self, event);
}

static void
start_flushing (GstRtpTfrcSend *self)
{
  g_mutex_lock (&self->lock);
  self->flow_return = GST_FLOW_FLUSHING;
  tfrc_alarm_wake (&self->alarm);
  g_cond_signal (&self->room);
  g_mutex_unlock (&self->lock);
}

/* Empties the queue as GstQueue does: sticky events but EOS and SEGMENT stay
 * known to the source pad. */
static void
stop_flushing (GstRtpTfrcSend *self)
{
  TfrcQueueItem item;

  g_mutex_lock (&self->lock);
  tfrc_queue_drop_packets (self->queue);
  while (tfrc_queue_pop (self->queue, &item)) {
    GstEvent *event = GST_EVENT_CAST (item.object);

    if (GST_EVENT_IS_STICKY (event)
        && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
        && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
      gst_pad_store_sticky_event (self->srcpad, event);
    gst_event_unref (event);
  }
  self->eos = FALSE;
  self->drain_until = TFRC_TIME_NONE;
  self->flow_return = GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
}

static gboolean
gst_rtp_tfrc_send_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  gboolean ret;

  GST_LOG_OBJECT (pad, "event %" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      ret = gst_pad_push_event (self->srcpad, event);
      start_flushing (self);
      gst_pad_pause_task (self->srcpad);
      return ret;
    case GST_EVENT_FLUSH_STOP:
      ret = gst_pad_push_event (self->srcpad, event);
      stop_flushing (self);
      gst_pad_start_task (self->srcpad,
          (GstTaskFunction) gst_rtp_tfrc_send_loop, self->srcpad, NULL);
      return ret;
    case GST_EVENT_CAPS:
      return set_caps (self, event);
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        return queue_event (self, event);
      return gst_pad_event_default (pad, parent, event);
  }
}

static gboolean
gst_rtp_tfrc_send_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps, *allowed;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      /* Payloaders are not to make an extension of ours. */
      if (!gst_pad_query_default (pad, parent, query))
        return FALSE;
      gst_query_parse_caps_result (query, &caps);
      caps = tfrc_stamper_strip_caps (gst_caps_copy (caps));
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_parse_accept_caps (query, &caps);
      allowed = gst_pad_query_caps (pad, NULL);
      gst_query_set_accept_caps_result (query,
          gst_caps_can_intersect (caps, allowed));
      gst_caps_unref (allowed);
      return TRUE;
    default:
      /* Nobody waits for the queue to empty, and memory needs no allocator. */
      if (GST_QUERY_IS_SERIALIZED (query))
        return FALSE;
      return gst_pad_query_default (pad, parent, query);
  }
}

/* Requests for key frames from the rtpsession or the application count in the
 * same limit as ours. */
static gboolean
take_key_frame_event (GstRtpTfrcSend *self, const GstStructure *structure)
{
  TfrcSendStream *stream = NULL;
  gboolean has_streams;
  guint ssrc;

  g_mutex_lock (&self->lock);
  has_streams = tfrc_queue_get_stream (self->queue, 0) != NULL;
  if (gst_structure_get_uint (structure, "ssrc", &ssrc)) {
    stream = tfrc_queue_find_stream (self->queue, ssrc);
    has_streams = stream != NULL;
  }
  if (has_streams) {
    self->rtcp_counters.key_frame_requests_received++;
    tfrc_queue_ask_key_frame (self->queue, stream,
        get_queue_time (self, tfrc_alarm_get_time (&self->alarm)));
    tfrc_alarm_wake (&self->alarm);
  }
  g_mutex_unlock (&self->lock);
  return has_streams;
}

static gboolean
gst_rtp_tfrc_send_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM
      && gst_video_event_is_force_key_unit (event)
      && take_key_frame_event (self, gst_event_get_structure (event))) {
    gst_event_unref (event);
    return TRUE;
  }

  /* A source pad that was linked again may push again. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    gboolean restart;

    g_mutex_lock (&self->lock);
    restart = self->flow_return == GST_FLOW_NOT_LINKED;
    if (restart)
      self->flow_return = GST_FLOW_OK;
    g_mutex_unlock (&self->lock);
    if (restart)
      gst_pad_start_task (pad, (GstTaskFunction) gst_rtp_tfrc_send_loop, pad,
          NULL);
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_rtp_tfrc_send_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  GstClockTime min, max;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;

  /* A packet may leave at once, or after all of the queue's time. */
  gst_query_parse_latency (query, &live, &min, &max);
  if (GST_CLOCK_TIME_IS_VALID (max)) {
    g_mutex_lock (&self->lock);
    max += self->settings.max_queue_time * GST_MSECOND;
    g_mutex_unlock (&self->lock);
  }
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

static gboolean
is_our_ssrc (guint32 ssrc, gpointer user_data)
{
  return tfrc_queue_find_stream (user_data, ssrc) != NULL;
}

static void
take_feedback (GstRtpTfrcSend *self, const TfrcFeedbackFilterResult *result,
    TfrcTime now)
{
  for (guint i = 0; i < result->n_feedback; i++) {
    const TfrcFeedback *feedback = &result->feedback[i];
    TfrcResult outcome = tfrc_flow_on_feedback (self->flow, feedback, now);

    GST_DEBUG_OBJECT (self, "feedback ssrc=%08x receive_rate_bytes_s=%.0f "
        "loss_event_rate=%.6f echo_delay_ns=%" G_GUINT64_FORMAT " result=%d",
        feedback->media_ssrc, feedback->receive_rate,
        feedback->loss_event_rate, feedback->echo_delay, outcome);
  }
}

static GstFlowReturn
gst_rtp_tfrc_send_rtcp_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  TfrcFeedbackFilterResult result;
  gboolean first_malformed;
  GstFlowReturn ret;
  TfrcTime now;

  g_mutex_lock (&self->lock);
  now = tfrc_alarm_get_time (&self->alarm);
  buffer = tfrc_feedback_filter (buffer, &result, is_our_ssrc, self->queue);
  first_malformed = self->rtcp_counters.feedback_malformed
      + self->rtcp_counters.rtcp_malformed == 0
      && result.feedback_malformed + result.rtcp_malformed > 0;
  tfrc_send_stats_add_rtcp (&self->rtcp_counters, &result);
  for (guint i = 0; i < result.n_key_requests; i++)
    tfrc_queue_ask_key_frame (self->queue, tfrc_queue_find_stream (self->queue,
            result.key_requests[i]), get_queue_time (self, now));
  take_feedback (self, &result, now);
  if (result.n_feedback > 0 || result.n_key_requests > 0)
    tfrc_alarm_wake (&self->alarm);
  g_mutex_unlock (&self->lock);

  if (first_malformed)
    GST_WARNING_OBJECT (self, "malformed RTCP or feedback came in; more is "
        "only counted");
  if (buffer == NULL)
    return GST_FLOW_OK;
  ret = gst_pad_push (self->rtcp_srcpad, buffer);
  /* The flow works without an rtpsession. */
  return ret == GST_FLOW_NOT_LINKED ? GST_FLOW_OK : ret;
}

/* One turn of the source pad's task. */
static void
gst_rtp_tfrc_send_loop (GstPad *pad)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (GST_PAD_PARENT (pad));
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean eos;
  TfrcTime now;
  Turn turn;

  g_mutex_lock (&self->lock);
  if (self->flow_return != GST_FLOW_OK) {
    g_mutex_unlock (&self->lock);
    gst_pad_pause_task (pad);
    return;
  }
  now = tfrc_alarm_get_time (&self->alarm);
  if (!take_turn (self, &turn, now)) {
    tfrc_alarm_wait (&self->alarm, &self->lock, get_wakeup (self));
    g_mutex_unlock (&self->lock);
    return;
  }
  g_mutex_unlock (&self->lock);

  if (turn.bitrate_moved)
    g_object_notify (G_OBJECT (self), "bitrate");
  if (turn.wants_key_frame)
    push_key_request (self, turn.key_ssrc);
  if (turn.update_encoder)
    tfrc_encoder_update (self->encoder, &turn.encoder_flow, now);
  if (turn.post_stats)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self), create_stats (self)));
  if (turn.n_items > 0)
    ret = push_packets (self, &turn);
  else if (turn.event != NULL)
    gst_pad_push_event (self->srcpad, turn.event);
  if (ret == GST_FLOW_OK)
    return;

  g_mutex_lock (&self->lock);
  if (self->flow_return == GST_FLOW_OK)
    self->flow_return = ret;
  eos = self->eos;
  g_cond_signal (&self->room);
  g_mutex_unlock (&self->lock);
  GST_INFO_OBJECT (self, "pausing: %s", gst_flow_get_name (ret));
  gst_pad_pause_task (pad);
  /* After EOS nobody upstream is left to see the error. */
  if (eos && (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS)) {
    GST_ELEMENT_FLOW_ERROR (self, ret);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}

/* Finds out what is due; FALSE: nothing. */
static gboolean
take_turn (GstRtpTfrcSend *self, Turn *turn, TfrcTime now)
{
  const TfrcQueueItem *head;
  TfrcQueueItem item;
  TfrcTime queue_time = get_queue_time (self, now);
  guint bitrate;

  turn->n_items = 0;
  turn->event = NULL;
  tfrc_flow_on_deadline (self->flow, now);
  turn->bitrate_moved = tfrc_flow_poll_bitrate (self->flow, &bitrate);
  if (turn->bitrate_moved)
    self->bitrate = bitrate;
  turn->wants_key_frame = tfrc_queue_poll_key_request (self->queue,
      &turn->key_ssrc, queue_time);

  turn->update_encoder = FALSE;
  if (self->encoder_at <= now)
    measure_encoder_flow (self, turn, now);
  turn->post_stats = self->stats_at <= now;
  if (turn->post_stats)
    self->stats_at = now + self->settings.stats_interval * TFRC_MILLISECOND;

  trim_queue (self, now);
  head = tfrc_queue_peek (self->queue);
  if (head != NULL && head->stream == NULL) {
    tfrc_queue_pop (self->queue, &item);
    turn->event = GST_EVENT_CAST (item.object);
  } else if (head != NULL && self->playing) {
    take_packets (self, turn, now);
  }
  return turn->n_items > 0 || turn->event != NULL || turn->bitrate_moved
      || turn->wants_key_frame || turn->update_encoder || turn->post_stats;
}

/* All packets that may leave now; `backlog` tells the protocol whether the
 * rate or the data is the limit (RFC 5348 section 8.2.1). */
static void
take_packets (GstRtpTfrcSend *self, Turn *turn, TfrcTime now)
{
  const TfrcQueueItem *head;

  while (turn->n_items < MAX_BURST
      && (head = tfrc_queue_peek (self->queue)) != NULL
      && head->stream != NULL && tfrc_flow_next_send_at (self->flow) <= now) {
    TfrcQueueItem *item = &turn->items[turn->n_items];

    tfrc_queue_pop (self->queue, item);
    turn->stamps[turn->n_items++] = tfrc_flow_charge (self->flow, item->size,
        tfrc_queue_get_packets (self->queue) > 0, now);
    self->pacer_delay =
        tfrc_time_since (item->arrived_at, get_queue_time (self, now));
  }
  if (turn->n_items > 0)
    self->released_at = now;
}

/* The rate, and how much of it the encoder cannot have. */
static void
measure_encoder_flow (GstRtpTfrcSend *self, Turn *turn, TfrcTime now)
{
  TfrcSendStream *encoded = NULL, *stream;
  gdouble rate = 0;
  TfrcRate allowed;

  self->encoder_at = now + ENCODER_INTERVAL;
  for (guint i = 0;
      (stream = tfrc_queue_get_stream (self->queue, i)) != NULL; i++) {
    tfrc_send_stream_measure (stream, now);
    rate += stream->rate;
    if (stream->video && (encoded == NULL || stream->rate >= encoded->rate))
      encoded = stream;
  }
  if (!tfrc_flow_get_smoothed_rate (self->flow, &allowed, now))
    return;

  turn->update_encoder = self->settings.encoder_control;
  turn->encoder_flow = (TfrcEncoderFlow) {
    .allowed_bitrate = tfrc_rate_to_bits (allowed),
    .other_bitrate =
        tfrc_rate_to_bits (encoded != NULL ? rate - encoded->rate : rate),
    .overhead = encoded != NULL && encoded->payload_rate > 0 ?
        encoded->rate / encoded->payload_rate : 1.0,
    .queued_bytes = tfrc_queue_get_bytes (self->queue),
  };
  self->encoder_flow = turn->encoder_flow;
}

/* When there is something to do if nothing comes in. */
static TfrcTime
get_wakeup (GstRtpTfrcSend *self)
{
  TfrcTime at = tfrc_time_min (tfrc_flow_next_deadline (self->flow),
      tfrc_time_min (self->encoder_at, self->stats_at));
  TfrcTime key_at = tfrc_queue_next_deadline (self->queue);

  /* Requests for key frames are dated in queue time. */
  if (self->playing)
    at = tfrc_time_min (at, tfrc_time_add (key_at, self->stood_still));
  if (self->playing && tfrc_queue_peek (self->queue) != NULL) {
    at = tfrc_time_min (at, tfrc_time_max (tfrc_flow_next_send_at (self->flow),
            tfrc_time_add (self->released_at, TIMER_GRANULARITY)));
    at = tfrc_time_min (at, tfrc_time_add (self->drain_until,
            self->stood_still));
  }
  return at;
}

static void
write_packet (const TfrcQueueItem *item, const TfrcStamp *stamp)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  guint8 seq[2];

  if (item->renumbered) {
    GST_WRITE_UINT16_BE (seq, item->seq);
    gst_buffer_fill (buffer, RTP_SEQ_OFFSET, seq, sizeof seq);
  }
  if (item->stamp_offset != 0)
    tfrc_stamper_write (buffer, item->stamp_offset, stamp);
}

static GstFlowReturn
push_packets (GstRtpTfrcSend *self, Turn *turn)
{
  GstBufferList *list;

  for (guint i = 0; i < turn->n_items; i++) {
    write_packet (&turn->items[i], &turn->stamps[i]);
    GST_LOG_OBJECT (self, "sending seq=%u size=%u send_time_us=%u",
        turn->items[i].seq, turn->items[i].size, turn->stamps[i].send_time_us);
  }
  if (turn->n_items == 1)
    return gst_pad_push (self->srcpad, GST_BUFFER_CAST (turn->items[0].object));

  list = gst_buffer_list_new_sized (turn->n_items);
  for (guint i = 0; i < turn->n_items; i++)
    gst_buffer_list_add (list, GST_BUFFER_CAST (turn->items[i].object));
  return gst_pad_push_list (self->srcpad, list);
}

/* With its SSRC, so that an rtpfunnel finds the right encoder. */
static void
push_key_request (GstRtpTfrcSend *self, guint32 ssrc)
{
  GstEvent *event =
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
      0);

  gst_structure_set (gst_event_writable_structure (event), "ssrc", G_TYPE_UINT,
      ssrc, NULL);
  GST_DEBUG_OBJECT (self, "asking for a key frame: ssrc=%08x", ssrc);
  if (!gst_pad_push_event (self->sinkpad, event))
    GST_DEBUG_OBJECT (self, "nobody upstream makes key frames");
}

static TfrcTime
get_queue_time (const GstRtpTfrcSend *self, TfrcTime now)
{
  return self->playing ? tfrc_time_since (self->stood_still, now) :
      self->stopped_at;
}

static void
trim_queue (GstRtpTfrcSend *self, TfrcTime now)
{
  TfrcTime queue_time = get_queue_time (self, now);
  TfrcDuration max_age = self->settings.max_queue_time * TFRC_MILLISECOND;

  if (queue_time >= self->drain_until) {
    tfrc_queue_drop_packets (self->queue);
    return;
  }
  /* Less would make a slow flow drop all it has, key frames included. */
  tfrc_queue_trim (self->queue, tfrc_time_max (max_age,
          tfrc_flow_get_two_packets_time (self->flow)), queue_time);
}

static GstStructure *
create_stats (GstRtpTfrcSend *self)
{
  GstStructure *stats = gst_structure_new_empty (TFRC_STATS_NAME);
  TfrcEncoderStats encoder;
  TfrcTrace trace;
  TfrcTime now;

  tfrc_encoder_get_stats (self->encoder, &encoder);

  g_mutex_lock (&self->lock);
  now = tfrc_alarm_get_time (&self->alarm);
  tfrc_flow_get_trace (self->flow, &trace, now);
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_SENDER);
  tfrc_send_stats_set_queue (stats, self->queue, self->pacer_delay,
      get_queue_time (self, now));
  tfrc_send_stats_set_intake (stats, &self->intake_counters);
  tfrc_send_stats_set_rtcp (stats, &self->rtcp_counters);
  tfrc_send_stats_set_encoder (stats, &encoder, &self->encoder_flow);
  g_mutex_unlock (&self->lock);

  g_free (encoder.element);
  g_free (encoder.property);
  return stats;
}

static gboolean
gst_rtp_tfrc_send_sink_activate_mode (GstPad *pad, GstObject *parent,
    GstPadMode mode, gboolean active)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    stop_flushing (self);
  else
    start_flushing (self);
  return TRUE;
}

static gboolean
gst_rtp_tfrc_send_src_activate_mode (GstPad *pad, GstObject *parent,
    GstPadMode mode, gboolean active)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active) {
    stop_flushing (self);
    return gst_pad_start_task (pad, (GstTaskFunction) gst_rtp_tfrc_send_loop,
        pad, NULL);
  }
  start_flushing (self);
  return gst_pad_stop_task (pad);
}

/* READY to PAUSED: a new flow with new counters. */
static void
start (GstRtpTfrcSend *self)
{
  TfrcSenderConfig config;

  g_mutex_lock (&self->lock);
  config = tfrc_send_settings_get_sender_config (&self->settings);
  tfrc_flow_start (self->flow, &config);
  tfrc_alarm_set_clock (&self->alarm, gst_system_clock_obtain ());
  tfrc_queue_reset (self->queue);
  tfrc_send_intake_clear (&self->intake);
  tfrc_send_intake_init (&self->intake);
  self->intake.mtu = self->settings.mtu;
  self->playing = FALSE;
  self->stopped_at = 0;
  self->released_at = 0;
  self->encoder_at = TFRC_TIME_NONE;
  self->pacer_delay = 0;
  self->intake_counters = (TfrcSendIntakeCounters) { 0 };
  self->rtcp_counters = (TfrcSendRtcpCounters) { 0 };
  self->encoder_flow = (TfrcEncoderFlow) {.overhead = 1.0 };
  g_mutex_unlock (&self->lock);

  apply_settings (self);
}

static void
set_playing (GstRtpTfrcSend *self, gboolean playing)
{
  TfrcTime now;

  g_mutex_lock (&self->lock);
  now = tfrc_alarm_get_time (&self->alarm);
  if (playing)
    self->stood_still = tfrc_time_since (self->stopped_at, now);
  else
    self->stopped_at = get_queue_time (self, now);
  self->playing = playing;
  tfrc_alarm_wake (&self->alarm);
  g_cond_signal (&self->room);
  g_mutex_unlock (&self->lock);
}

static void
stop (GstRtpTfrcSend *self)
{
  tfrc_encoder_detach (self->encoder);

  g_mutex_lock (&self->lock);
  tfrc_queue_reset (self->queue);
  tfrc_alarm_set_clock (&self->alarm, NULL);
  self->stats_at = TFRC_TIME_NONE;
  self->bitrate = 0;
  g_mutex_unlock (&self->lock);
  g_object_notify (G_OBJECT (self), "bitrate");
}

static GstStateChangeReturn
gst_rtp_tfrc_send_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    start (self);
  else if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    set_playing (self, FALSE);

  ret = GST_ELEMENT_CLASS (gst_rtp_tfrc_send_parent_class)->change_state
      (element, transition);
  if (ret == GST_STATE_CHANGE_FAILURE)
    return ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    tfrc_encoder_attach (self->encoder, self->sinkpad);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_playing (self, TRUE);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop (self);

  /* Nothing leaves in PAUSED: a sink that waits for its first packet would
   * wait for ever. */
  if (ret == GST_STATE_CHANGE_SUCCESS
      && GST_STATE_TRANSITION_NEXT (transition) == GST_STATE_PAUSED)
    ret = GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

static GstIterator *
gst_rtp_tfrc_send_iterate_internal_links (GstPad *pad, GstObject *parent)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (parent);
  GstPad *other;
  GValue value = G_VALUE_INIT;
  GstIterator *iterator;

  if (pad == self->sinkpad)
    other = self->srcpad;
  else if (pad == self->srcpad)
    other = self->sinkpad;
  else if (pad == self->rtcp_sinkpad)
    other = self->rtcp_srcpad;
  else
    other = self->rtcp_sinkpad;

  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, other);
  iterator = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return iterator;
}

static void
gst_rtp_tfrc_send_set_property (GObject *object, guint prop_id,
    const GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);
  gboolean known;

  g_mutex_lock (&self->lock);
  known = tfrc_send_settings_set (&self->settings, prop_id, value);
  g_mutex_unlock (&self->lock);

  if (known)
    apply_settings (self);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
gst_rtp_tfrc_send_get_property (GObject *object, guint prop_id,
    GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);
  gboolean known = TRUE;

  if (prop_id == TFRC_SEND_PROP_STATS) {
    g_value_take_boxed (value, create_stats (self));
    return;
  }

  g_mutex_lock (&self->lock);
  if (prop_id == TFRC_SEND_PROP_BITRATE)
    g_value_set_uint (value, self->bitrate);
  else
    known = tfrc_send_settings_get (&self->settings, prop_id, value);
  g_mutex_unlock (&self->lock);

  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
gst_rtp_tfrc_send_finalize (GObject *object)
{
  GstRtpTfrcSend *self = GST_RTP_TFRC_SEND (object);

  tfrc_encoder_free (self->encoder);
  tfrc_flow_unref (self->flow);
  tfrc_queue_free (self->queue);
  tfrc_send_intake_clear (&self->intake);
  tfrc_send_settings_clear (&self->settings);
  tfrc_alarm_clear (&self->alarm);
  g_cond_clear (&self->room);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (gst_rtp_tfrc_send_parent_class)->finalize (object);
}

static void
gst_rtp_tfrc_send_class_init (GstRtpTfrcSendClass *klass)
{
  GObjectClass *gobject_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_rtp_tfrc_send_debug, "rtptfrcsend", 0,
      "TFRC sender");

  gobject_class->set_property = gst_rtp_tfrc_send_set_property;
  gobject_class->get_property = gst_rtp_tfrc_send_get_property;
  gobject_class->finalize = gst_rtp_tfrc_send_finalize;
  tfrc_send_settings_install (gobject_class);

  element_class->change_state = gst_rtp_tfrc_send_change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class,
      &rtcp_sink_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC sender",
      "Filter/Network/RTP",
      "Paces RTP packets at the rate that TFRC (RFC 5348) allows",
      "The gst-tfrc developers");
}

static GstPad *
add_pad (GstRtpTfrcSend *self, GstStaticPadTemplate *template)
{
  GstPad *pad = gst_pad_new_from_static_template (template,
      template->name_template);

  gst_pad_set_iterate_internal_links_function (pad,
      gst_rtp_tfrc_send_iterate_internal_links);
  return pad;
}

static void
gst_rtp_tfrc_send_init (GstRtpTfrcSend *self)
{
  GstElement *element = GST_ELEMENT (self);

  g_mutex_init (&self->lock);
  g_cond_init (&self->room);
  tfrc_alarm_init (&self->alarm);
  tfrc_send_settings_init (&self->settings);
  tfrc_send_intake_init (&self->intake);
  self->flow = tfrc_flow_new ();
  self->queue = tfrc_queue_new ();
  self->encoder = tfrc_encoder_new (element);
  self->flow_return = GST_FLOW_FLUSHING;
  self->drain_until = TFRC_TIME_NONE;
  self->encoder_at = TFRC_TIME_NONE;
  self->stats_at = TFRC_TIME_NONE;
  self->encoder_flow.overhead = 1.0;

  self->sinkpad = add_pad (self, &sink_template);
  gst_pad_set_chain_function (self->sinkpad, gst_rtp_tfrc_send_chain);
  gst_pad_set_chain_list_function (self->sinkpad, gst_rtp_tfrc_send_chain_list);
  gst_pad_set_event_function (self->sinkpad, gst_rtp_tfrc_send_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_rtp_tfrc_send_sink_query);
  gst_pad_set_activatemode_function (self->sinkpad,
      gst_rtp_tfrc_send_sink_activate_mode);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);

  self->srcpad = add_pad (self, &src_template);
  gst_pad_set_event_function (self->srcpad, gst_rtp_tfrc_send_src_event);
  gst_pad_set_query_function (self->srcpad, gst_rtp_tfrc_send_src_query);
  gst_pad_set_activatemode_function (self->srcpad,
      gst_rtp_tfrc_send_src_activate_mode);

  self->rtcp_sinkpad = add_pad (self, &rtcp_sink_template);
  gst_pad_set_chain_function (self->rtcp_sinkpad, gst_rtp_tfrc_send_rtcp_chain);

  self->rtcp_srcpad = add_pad (self, &rtcp_src_template);

  gst_element_add_pad (element, self->sinkpad);
  gst_element_add_pad (element, self->srcpad);
  gst_element_add_pad (element, self->rtcp_sinkpad);
  gst_element_add_pad (element, self->rtcp_srcpad);
}
