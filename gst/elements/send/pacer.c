/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lock, and who waits for what. */

#include "send/pacer.h"

#include "common/alarm.h"
#include "send/breaker.h"
#include "send/schedule.h"
#include "send/stats.h"
#include "common/stopwatch.h"

/* What a source that is not live may queue before PLAYING. */
#define PREROLL_BYTES (1024 * 1024)

struct _TfrcSendPacer
{
  TfrcFlow *flow;

  GMutex lock;     /* guards all below */
  GCond room;      /* the sink pad may go on */
  TfrcAlarm alarm; /* of the source pad's task */
  TfrcQueue *queue;
  TfrcStopwatch stopwatch; /* queue time: runs while playing alone */
  TfrcSendBreaker breaker;
  TfrcSendWatch watch;
  TfrcSendSchedule schedule; /* of these */
  GstFlowReturn flow_return; /* not OK: nothing is taken */
  gboolean eos;              /* came in */
  TfrcSendRtcpCounters rtcp_counters;
};

static void wake_if_due_earlier (TfrcSendPacer *self);
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
  tfrc_stopwatch_reset (&self->stopwatch);
  tfrc_send_breaker_start (&self->breaker);
  tfrc_send_watch_start (&self->watch);
  tfrc_send_schedule_init (&self->schedule, flow, self->queue, &self->stopwatch,
      &self->breaker, &self->watch);
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
  tfrc_stopwatch_reset (&self->stopwatch);
  tfrc_send_schedule_start (&self->schedule,
      tfrc_alarm_get_time (&self->alarm));
  self->rtcp_counters = (TfrcSendRtcpCounters) { 0 };
  tfrc_send_breaker_start (&self->breaker);
  tfrc_send_watch_start (&self->watch);
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_stop (TfrcSendPacer *self)
{
  g_mutex_lock (&self->lock);
  tfrc_queue_reset (self->queue);
  tfrc_alarm_set_clock (&self->alarm, NULL);
  tfrc_send_schedule_stop (&self->schedule);
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_set_playing (TfrcSendPacer *self, gboolean playing)
{
  g_mutex_lock (&self->lock);
  tfrc_stopwatch_run (&self->stopwatch, playing,
      tfrc_alarm_get_time (&self->alarm));
  if (playing)
    tfrc_send_watch_resume (&self->watch);
  tfrc_alarm_wake (&self->alarm);
  g_cond_signal (&self->room);
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_set_limits (TfrcSendPacer *self, guint max_queue_time,
    guint stats_interval)
{
  g_mutex_lock (&self->lock);
  tfrc_send_schedule_set_limits (&self->schedule,
      max_queue_time * TFRC_MILLISECOND, stats_interval * TFRC_MILLISECOND,
      tfrc_alarm_get_time (&self->alarm));
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
tfrc_send_pacer_push (TfrcSendPacer *self, const TfrcQueueItem *items, guint n,
    TfrcTime *now)
{
  GstFlowReturn ret;
  gboolean was_empty;
  TfrcTime queue_time;

  g_mutex_lock (&self->lock);
  while (self->flow_return == GST_FLOW_OK && !self->stopwatch.running
      && tfrc_queue_get_bytes (self->queue) > PREROLL_BYTES)
    g_cond_wait (&self->room, &self->lock);
  *now = tfrc_alarm_get_time (&self->alarm);
  queue_time = tfrc_stopwatch_read (&self->stopwatch, *now);
  ret = self->flow_return;

  was_empty = tfrc_queue_peek (self->queue) == NULL;
  for (guint i = 0; i < n; i++) {
    if (ret == GST_FLOW_OK)
      tfrc_queue_push_packet (self->queue, &items[i], queue_time);
    else
      gst_mini_object_unref (items[i].object);
  }
  tfrc_send_schedule_trim (&self->schedule, *now);
  if (n > 0)
    tfrc_encoder_feed_on_packet (&self->schedule.feed, *now);
  if (was_empty || tfrc_queue_next_deadline (self->queue) <= queue_time)
    wake_if_due_earlier (self);
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
      tfrc_send_schedule_start_draining (&self->schedule,
          tfrc_alarm_get_time (&self->alarm));
    } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
      self->eos = FALSE;
      tfrc_send_schedule_end_draining (&self->schedule);
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
  tfrc_send_schedule_end_draining (&self->schedule);
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
  if (ok && !tfrc_send_schedule_fill_turn (&self->schedule, turn))
    tfrc_alarm_wait (&self->alarm, &self->lock,
        tfrc_send_schedule_next_deadline (&self->schedule));
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
tfrc_send_pacer_ask_key_frame (TfrcSendPacer *self, const guint32 *ssrc)
{
  TfrcSendStream *stream;

  g_mutex_lock (&self->lock);
  stream = ssrc != NULL ? tfrc_queue_find_stream (self->queue, *ssrc)
                        : tfrc_queue_get_stream (self->queue, 0);
  if (stream != NULL) {
    self->rtcp_counters.key_frame_requests_received++;
    tfrc_queue_ask_key_frame (self->queue, ssrc != NULL ? stream : NULL,
        tfrc_stopwatch_read (&self->stopwatch,
            tfrc_alarm_get_time (&self->alarm)));
    wake_if_due_earlier (self);
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
  tfrc_send_watch_on_rtcp (&self->watch, result, *now);
  for (guint i = 0; i < result->n_key_requests; i++)
    tfrc_queue_ask_key_frame (self->queue,
        tfrc_queue_find_stream (self->queue, result->key_requests[i]),
        tfrc_stopwatch_read (&self->stopwatch, *now));
  g_mutex_unlock (&self->lock);
  return buffer;
}

void
tfrc_send_pacer_on_feedback (TfrcSendPacer *self, TfrcResult result,
    TfrcTime now)
{
  g_mutex_lock (&self->lock);
  if (result == TFRC_OK)
    tfrc_send_breaker_on_feedback (&self->breaker, now);
  tfrc_send_watch_on_report (&self->watch, result, now);
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_pacer_wake (TfrcSendPacer *self)
{
  g_mutex_lock (&self->lock);
  wake_if_due_earlier (self);
  g_mutex_unlock (&self->lock);
}

guint
tfrc_send_pacer_get_bitrate (TfrcSendPacer *self)
{
  guint bitrate;

  g_mutex_lock (&self->lock);
  bitrate = self->schedule.bitrate;
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
  tfrc_send_stats_set_queue (stats, self->queue, self->schedule.pacer_delay,
      tfrc_stopwatch_read (&self->stopwatch, now));
  tfrc_send_stats_set_rtcp (stats, &self->rtcp_counters);
  tfrc_send_stats_set_flow (stats, &self->schedule.feed.flow);
  tfrc_send_breaker_set_stats (&self->breaker, stats, now);
  tfrc_send_watch_set_stats (&self->watch, stats);
  g_mutex_unlock (&self->lock);
}

static void
wake_if_due_earlier (TfrcSendPacer *self)
{
  tfrc_alarm_wake_before (&self->alarm,
      tfrc_send_schedule_next_deadline (&self->schedule));
}

static gboolean
is_our_ssrc (guint32 ssrc, gpointer user_data)
{
  return tfrc_queue_find_stream (user_data, ssrc) != NULL;
}
