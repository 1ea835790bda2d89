/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Queue, time and deadlines of the sender, behind one lock. */

#include "tfrcsendpacer.h"

#include "tfrcalarm.h"
#include "tfrcsendbreaker.h"
#include "tfrcsendstats.h"

/* The coarse timer that RFC 5348 section 8.3 calls t_gran: packets that are
 * due within it leave together. */
#define TIMER_GRANULARITY TFRC_MILLISECOND

/* How often the encoder hears of the rate.  It takes a new one ten times a
 * second at most, and that should be a fresh one. */
#define ENCODER_INTERVAL (20 * TFRC_MILLISECOND)

/* What concerns no packet in the queue may be so late, to be done with the next
 * packet: at 30 frames/s the task need not wake between two frames. */
#define SLACK (30 * TFRC_MILLISECOND)

/* Beyond so many times what the streams take, the encoder follows nothing. */
#define AMPLE_RATE_FACTOR 4

/* At EOS the queue may take so long to empty, and is dropped then. */
#define DRAIN_TIME (3 * TFRC_SECOND)

/* What a source that is not live may queue before PLAYING. */
#define PREROLL_BYTES (1024 * 1024)

struct _TfrcSendPacer
{
  TfrcFlow *flow;

  GMutex lock;                  /* guards all below */
  GCond room;                   /* the sink pad may go on */
  TfrcAlarm alarm;              /* of the source pad's task */
  TfrcQueue *queue;
  GstFlowReturn flow_return;    /* not OK: nothing is taken */
  gboolean eos;                 /* came in */
  TfrcTime drain_until;         /* queue time; TFRC_TIME_NONE = no EOS */
  TfrcDuration max_queue_time;
  TfrcDuration stats_interval;  /* 0 = never */

  /* Queue time runs while playing alone. */
  gboolean playing;
  TfrcDuration stood_still;     /* clock time minus queue time, if playing */
  TfrcTime stopped_at;          /* queue time, if not */

  TfrcTime release_at;          /* next tick of the coarse timer */
  TfrcTime encoder_at;          /* TFRC_TIME_NONE = no packet yet */
  gboolean rate_is_ample;       /* encoder_at need not be kept to the tick */
  TfrcTime stats_at;            /* TFRC_TIME_NONE = never */
  TfrcDuration pacer_delay;     /* of the packet that left last */
  TfrcEncoderFlow encoder_flow; /* the last of a turn */
  guint bitrate;                /* [bits/s] */
  TfrcSendRtcpCounters rtcp_counters;
  TfrcSendBreaker breaker;
};

static TfrcTime get_queue_time (const TfrcSendPacer *self, TfrcTime now);
static void trim (TfrcSendPacer *self, TfrcTime now);
static gboolean fill_turn (TfrcSendPacer *self, TfrcSendTurn *turn);
static void take_packets (TfrcSendPacer *self, TfrcSendTurn *turn);
static void measure_encoder_flow (TfrcSendPacer *self, TfrcSendTurn *turn);
static TfrcTime get_wakeup (const TfrcSendPacer *self);
static TfrcTime get_next_send_at (const TfrcSendPacer *self);
static gboolean is_our_ssrc (guint32 ssrc, gpointer user_data);

TfrcSendPacer *
tfrc_send_pacer_new (TfrcFlow *flow)
{
  TfrcSendPacer *self = g_new0 (TfrcSendPacer, 1);

  self->flow = tfrc_flow_ref (flow);
  g_mutex_init (&self->lock);
  g_cond_init (&self->room);
  tfrc_alarm_init (&self->alarm);
  self->queue = tfrc_queue_new ();
  self->flow_return = GST_FLOW_FLUSHING;
  self->drain_until = TFRC_TIME_NONE;
  self->encoder_at = TFRC_TIME_NONE;
  self->stats_at = TFRC_TIME_NONE;
  self->encoder_flow.overhead = 1.0;
  tfrc_send_breaker_start (&self->breaker);
  return self;
}

void
tfrc_send_pacer_free (TfrcSendPacer *self)
{
  tfrc_queue_free (self->queue);
  tfrc_alarm_clear (&self->alarm);
  g_cond_clear (&self->room);
  g_mutex_clear (&self->lock);
  tfrc_flow_unref (self->flow);
  g_free (self);
}

void
tfrc_send_pacer_start (TfrcSendPacer *self, GstClock *clock)
{
  g_mutex_lock (&self->lock);
  tfrc_alarm_set_clock (&self->alarm, clock);
  tfrc_queue_reset (self->queue);
  self->playing = FALSE;
  self->stopped_at = 0;
  self->release_at = 0;
  self->encoder_at = TFRC_TIME_NONE;
  self->rate_is_ample = FALSE;
  self->stats_at = self->stats_interval == 0 ? TFRC_TIME_NONE :
      tfrc_alarm_get_time (&self->alarm);
  self->pacer_delay = 0;
  self->encoder_flow = (TfrcEncoderFlow) {.overhead = 1.0 };
  self->rtcp_counters = (TfrcSendRtcpCounters) { 0 };
  tfrc_send_breaker_start (&self->breaker);
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_stop (TfrcSendPacer *self)
{
  g_mutex_lock (&self->lock);
  tfrc_queue_reset (self->queue);
  tfrc_alarm_set_clock (&self->alarm, NULL);
  self->stats_at = TFRC_TIME_NONE;
  self->bitrate = 0;
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_set_playing (TfrcSendPacer *self, gboolean playing)
{
  TfrcTime now;

  g_mutex_lock (&self->lock);
  now = tfrc_alarm_get_time (&self->alarm);
  if (playing && !self->playing)
    self->stood_still = tfrc_time_since (self->stopped_at, now);
  else if (!playing)
    self->stopped_at = get_queue_time (self, now);
  self->playing = playing;
  tfrc_alarm_wake (&self->alarm);
  g_cond_signal (&self->room);
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_set_limits (TfrcSendPacer *self, guint max_queue_time,
    guint stats_interval)
{
  TfrcDuration interval = stats_interval * TFRC_MILLISECOND;

  g_mutex_lock (&self->lock);
  self->max_queue_time = max_queue_time * TFRC_MILLISECOND;
  if (interval != self->stats_interval)
    self->stats_at = interval == 0 ? TFRC_TIME_NONE :
        tfrc_alarm_get_time (&self->alarm);
  self->stats_interval = interval;
  tfrc_alarm_wake (&self->alarm);
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_set_circuit_breaker (TfrcSendPacer *self, gboolean enabled)
{
  g_mutex_lock (&self->lock);
  tfrc_send_breaker_configure (&self->breaker, enabled,
      tfrc_flow_get_mode (self->flow) == GST_TFRC_MODE_TFMCC);
  tfrc_alarm_wake (&self->alarm);
  g_mutex_unlock (&self->lock);
}

TfrcSendStream *
tfrc_send_pacer_find_stream (TfrcSendPacer *self, guint32 ssrc)
{
  TfrcSendStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_queue_find_stream (self->queue, ssrc);
  g_mutex_unlock (&self->lock);
  return stream;
}

TfrcSendStream *
tfrc_send_pacer_add_stream (TfrcSendPacer *self, guint32 ssrc,
    const GstCaps *caps)
{
  TfrcSendStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_queue_add_stream (self->queue, ssrc);
  if (caps != NULL)
    tfrc_send_stream_set_caps (stream, gst_caps_get_structure (caps, 0));
  g_mutex_unlock (&self->lock);
  return stream;
}

gboolean
tfrc_send_pacer_set_stream_caps (TfrcSendPacer *self, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  TfrcSendStream *stream;
  guint ssrc;

  if (!gst_structure_get_uint (structure, "ssrc", &ssrc))
    return FALSE;
  g_mutex_lock (&self->lock);
  stream = tfrc_queue_find_stream (self->queue, ssrc);
  if (stream != NULL)
    tfrc_send_stream_set_caps (stream, structure);
  g_mutex_unlock (&self->lock);
  return stream != NULL;
}

GstFlowReturn
tfrc_send_pacer_push (TfrcSendPacer *self, const TfrcQueueItem *items,
    guint n, TfrcTime *now)
{
  GstFlowReturn ret;
  gboolean was_empty;
  TfrcTime queue_time;

  g_mutex_lock (&self->lock);
  while (self->flow_return == GST_FLOW_OK && !self->playing
      && tfrc_queue_get_bytes (self->queue) > PREROLL_BYTES)
    g_cond_wait (&self->room, &self->lock);
  *now = tfrc_alarm_get_time (&self->alarm);
  queue_time = get_queue_time (self, *now);
  ret = self->flow_return;

  was_empty = tfrc_queue_peek (self->queue) == NULL;
  for (guint i = 0; i < n; i++) {
    if (ret == GST_FLOW_OK)
      tfrc_queue_push_packet (self->queue, &items[i], queue_time);
    else
      gst_mini_object_unref (items[i].object);
  }
  trim (self, *now);
  if (self->encoder_at == TFRC_TIME_NONE && n > 0)
    self->encoder_at = *now;
  if (was_empty || tfrc_queue_next_deadline (self->queue) <= queue_time)
    tfrc_alarm_wake_before (&self->alarm, get_wakeup (self));
  g_mutex_unlock (&self->lock);
  return ret;
}

gboolean
tfrc_send_pacer_push_event (TfrcSendPacer *self, GstEvent *event)
{
  gboolean taken;

  g_mutex_lock (&self->lock);
  /* After an error caps and segments are still to be known. */
  taken = self->flow_return == GST_FLOW_OK
      || (self->flow_return != GST_FLOW_FLUSHING && GST_EVENT_IS_STICKY (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_EOS);
  if (taken) {
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

  if (!taken)
    gst_event_unref (event);
  return taken;
}

void
tfrc_send_pacer_start_flushing (TfrcSendPacer *self)
{
  g_mutex_lock (&self->lock);
  self->flow_return = GST_FLOW_FLUSHING;
  tfrc_alarm_wake (&self->alarm);
  g_cond_signal (&self->room);
  g_mutex_unlock (&self->lock);
}

/* Empties the queue as GstQueue does: sticky events but EOS and SEGMENT stay
 * known to the source pad. */
void
tfrc_send_pacer_stop_flushing (TfrcSendPacer *self, GstPad *srcpad)
{
  TfrcQueueItem item;

  g_mutex_lock (&self->lock);
  tfrc_queue_drop_packets (self->queue);
  while (tfrc_queue_pop (self->queue, &item)) {
    GstEvent *event = GST_EVENT_CAST (item.object);

    if (GST_EVENT_IS_STICKY (event)
        && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
        && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
      gst_pad_store_sticky_event (srcpad, event);
    gst_event_unref (event);
  }
  self->eos = FALSE;
  self->drain_until = TFRC_TIME_NONE;
  self->flow_return = GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
}

gboolean
tfrc_send_pacer_restart (TfrcSendPacer *self)
{
  gboolean restart;

  g_mutex_lock (&self->lock);
  restart = self->flow_return == GST_FLOW_NOT_LINKED;
  if (restart)
    self->flow_return = GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
  return restart;
}

gboolean
tfrc_send_pacer_take_turn (TfrcSendPacer *self, TfrcSendTurn *turn)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = self->flow_return == GST_FLOW_OK;
  turn->now = tfrc_alarm_get_time (&self->alarm);
  if (ok && !fill_turn (self, turn))
    tfrc_alarm_wait (&self->alarm, &self->lock, get_wakeup (self));
  g_mutex_unlock (&self->lock);
  return ok;
}

gboolean
tfrc_send_pacer_fail (TfrcSendPacer *self, GstFlowReturn ret)
{
  gboolean eos;

  g_mutex_lock (&self->lock);
  if (self->flow_return == GST_FLOW_OK)
    self->flow_return = ret;
  eos = self->eos;
  g_cond_signal (&self->room);
  g_mutex_unlock (&self->lock);
  return eos;
}

gboolean
tfrc_send_pacer_ask_key_frame (TfrcSendPacer *self, const guint32 * ssrc)
{
  TfrcSendStream *stream;

  g_mutex_lock (&self->lock);
  stream = ssrc != NULL ? tfrc_queue_find_stream (self->queue, *ssrc) :
      tfrc_queue_get_stream (self->queue, 0);
  if (stream != NULL) {
    self->rtcp_counters.key_frame_requests_received++;
    tfrc_queue_ask_key_frame (self->queue, ssrc != NULL ? stream : NULL,
        get_queue_time (self, tfrc_alarm_get_time (&self->alarm)));
    tfrc_alarm_wake_before (&self->alarm, get_wakeup (self));
  }
  g_mutex_unlock (&self->lock);
  return stream != NULL;
}

GstBuffer *
tfrc_send_pacer_filter_rtcp (TfrcSendPacer *self, GstBuffer *buffer,
    TfrcFeedbackFilterResult *result, TfrcTime *now)
{
  g_mutex_lock (&self->lock);
  *now = tfrc_alarm_get_time (&self->alarm);
  buffer = tfrc_feedback_filter (buffer, tfrc_flow_get_mode (self->flow),
      result, is_our_ssrc, self->queue);
  tfrc_send_stats_add_rtcp (&self->rtcp_counters, result);
  tfrc_send_breaker_on_rtcp (&self->breaker, result,
      tfrc_flow_get_rtt (self->flow), *now);
  for (guint i = 0; i < result->n_key_requests; i++)
    tfrc_queue_ask_key_frame (self->queue, tfrc_queue_find_stream (self->queue,
            result->key_requests[i]), get_queue_time (self, *now));
  g_mutex_unlock (&self->lock);
  return buffer;
}

void
tfrc_send_pacer_on_feedback (TfrcSendPacer *self, TfrcTime now)
{
  g_mutex_lock (&self->lock);
  tfrc_send_breaker_on_feedback (&self->breaker, now);
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_wake (TfrcSendPacer *self)
{
  g_mutex_lock (&self->lock);
  tfrc_alarm_wake_before (&self->alarm, get_wakeup (self));
  g_mutex_unlock (&self->lock);
}

guint
tfrc_send_pacer_get_bitrate (TfrcSendPacer *self)
{
  guint bitrate;

  g_mutex_lock (&self->lock);
  bitrate = self->bitrate;
  g_mutex_unlock (&self->lock);
  return bitrate;
}

void
tfrc_send_pacer_set_stats (TfrcSendPacer *self, GstStructure *stats)
{
  TfrcTime now;

  g_mutex_lock (&self->lock);
  now = tfrc_alarm_get_time (&self->alarm);
  tfrc_flow_set_stats (self->flow, stats, now);
  tfrc_send_stats_set_queue (stats, self->queue, self->pacer_delay,
      get_queue_time (self, now));
  tfrc_send_stats_set_rtcp (stats, &self->rtcp_counters);
  tfrc_send_stats_set_flow (stats, &self->encoder_flow);
  tfrc_send_breaker_set_stats (&self->breaker, stats, now);
  g_mutex_unlock (&self->lock);
}

static TfrcTime
get_queue_time (const TfrcSendPacer *self, TfrcTime now)
{
  return self->playing ? tfrc_time_since (self->stood_still, now) :
      self->stopped_at;
}

static void
trim (TfrcSendPacer *self, TfrcTime now)
{
  TfrcTime queue_time = get_queue_time (self, now);

  if (queue_time >= self->drain_until) {
    tfrc_queue_drop_packets (self->queue);
    return;
  }
  /* Less would make a slow flow drop all it has, key frames included.  Where
   * the circuit breaker lets only probes leave, no key frame would help. */
  tfrc_queue_trim (self->queue, tfrc_time_max (self->max_queue_time,
          tfrc_flow_get_two_packets_time (self->flow, now)),
      tfrc_send_breaker_is_closed (&self->breaker)
      && tfrc_flow_is_heard (self->flow), queue_time);
}

/* FALSE: nothing is due. */
static gboolean
fill_turn (TfrcSendPacer *self, TfrcSendTurn *turn)
{
  const TfrcQueueItem *head;
  TfrcQueueItem item;
  guint bitrate;

  tfrc_flow_on_deadline (self->flow, turn->now);
  tfrc_send_breaker_on_deadline (&self->breaker, turn->now);
  turn->breaker_changed = tfrc_send_breaker_poll_news (&self->breaker,
      &turn->breaker_news, turn->now);
  turn->bitrate_moved = tfrc_flow_poll_bitrate (self->flow, &bitrate,
      turn->now);
  if (turn->bitrate_moved)
    self->bitrate = bitrate;
  turn->wants_key_frame = tfrc_queue_poll_key_request (self->queue,
      &turn->key_ssrc, get_queue_time (self, turn->now));

  turn->clr_changed = tfrc_flow_poll_clr_news (self->flow, &turn->clr_news);
  turn->update_encoder = FALSE;
  if (self->encoder_at <= turn->now)
    measure_encoder_flow (self, turn);
  turn->post_stats = self->stats_at <= turn->now;
  if (turn->post_stats)
    self->stats_at = tfrc_time_add (turn->now, self->stats_interval);

  turn->n_items = 0;
  turn->event = NULL;
  trim (self, turn->now);
  head = tfrc_queue_peek (self->queue);
  if (head != NULL && head->stream == NULL) {
    tfrc_queue_pop (self->queue, &item);
    turn->event = GST_EVENT_CAST (item.object);
  } else if (head != NULL && self->playing) {
    take_packets (self, turn);
  }
  return turn->n_items > 0 || turn->event != NULL || turn->bitrate_moved
      || turn->wants_key_frame || turn->clr_changed || turn->breaker_changed
      || turn->update_encoder || turn->post_stats;
}

/* All packets that may leave now; `backlog` tells the protocol whether the
 * rate or the data is the limit (RFC 5348 section 8.2.1). */
static void
take_packets (TfrcSendPacer *self, TfrcSendTurn *turn)
{
  const TfrcQueueItem *head;

  if (turn->now < self->release_at)
    return;
  while (turn->n_items < TFRC_SEND_MAX_BURST
      && (head = tfrc_queue_peek (self->queue)) != NULL
      && head->stream != NULL && get_next_send_at (self) <= turn->now) {
    TfrcQueueItem *item = &turn->items[turn->n_items];

    tfrc_queue_pop (self->queue, item);
    tfrc_send_breaker_on_sent (&self->breaker, item->stream->ssrc,
        item->timestamp, item->size, turn->now);
    item->stream = NULL;
    tfrc_flow_charge (self->flow, item->size,
        tfrc_queue_get_packets (self->queue) > 0,
        &turn->stamps[turn->n_items++], turn->now);
    self->pacer_delay = tfrc_time_since (item->arrived_at,
        get_queue_time (self, turn->now));
  }
  /* Less than a full turn was all that is due before the next tick. */
  if (turn->n_items > 0)
    self->release_at = turn->n_items == TFRC_SEND_MAX_BURST ? turn->now :
        tfrc_time_add (turn->now, TIMER_GRANULARITY);
}

/* The rate, and how much of it the encoder cannot have. */
static void
measure_encoder_flow (TfrcSendPacer *self, TfrcSendTurn *turn)
{
  TfrcSendStream *encoded = NULL, *stream;
  gdouble rate = 0;
  TfrcRate allowed;

  self->encoder_at = tfrc_time_add (turn->now, ENCODER_INTERVAL);
  for (guint i = 0;
      (stream = tfrc_queue_get_stream (self->queue, i)) != NULL; i++) {
    tfrc_send_stream_measure (stream, turn->now);
    rate += stream->rate;
    if (stream->video && (encoded == NULL || stream->rate >= encoded->rate))
      encoded = stream;
  }
  if (!tfrc_flow_get_encoder_rate (self->flow, &allowed, turn->now))
    return;

  self->rate_is_ample = allowed > AMPLE_RATE_FACTOR * rate;
  turn->update_encoder = TRUE;
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

/* When something is due if nothing comes in.  Every turn begins with the
 * nofeedback timer, so with an empty queue no packet leaves at a rate that
 * should have been cut; only the encoder hears of it later. */
static TfrcTime
get_wakeup (const TfrcSendPacer *self)
{
  gboolean empty = tfrc_queue_peek (self->queue) == NULL;
  TfrcTime timer_at = tfrc_flow_next_deadline (self->flow);
  TfrcTime encoder_at = self->encoder_at, at;

  if (empty)
    timer_at = tfrc_time_add (timer_at, SLACK);
  if (empty && self->rate_is_ample)
    encoder_at = tfrc_time_add (encoder_at, SLACK);
  at = tfrc_time_min (self->stats_at, tfrc_time_min (timer_at, encoder_at));
  at = tfrc_time_min (at, tfrc_send_breaker_next_deadline (&self->breaker));
  if (!self->playing)
    return at;
  at = tfrc_time_min (at, tfrc_time_add (tfrc_queue_next_deadline (self->queue),
          self->stood_still));
  if (empty)
    return at;
  at = tfrc_time_min (at, tfrc_time_add (self->drain_until, self->stood_still));
  return tfrc_time_min (at, tfrc_time_max (get_next_send_at (self),
          self->release_at));
}

static TfrcTime
get_next_send_at (const TfrcSendPacer *self)
{
  return tfrc_time_max (tfrc_flow_next_send_at (self->flow),
      tfrc_send_breaker_next_send_at (&self->breaker));
}

static gboolean
is_our_ssrc (guint32 ssrc, gpointer user_data)
{
  return tfrc_queue_find_stream (user_data, ssrc) != NULL;
}
