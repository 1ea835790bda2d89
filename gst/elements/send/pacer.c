/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/pacer.h"

#include <math.h>
#ifdef HAVE_PR_SET_TIMERSLACK
#include <sys/prctl.h>
#endif

#include "common/alarm.h"
#include "common/locks.h"
#include "common/repair-types.h"
#include "common/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* What may be queued before PLAYING, and by sources that can wait at any time [bytes]. */
#define PREROLL_BYTES (1024 * 1024)

/* The granularity of the send timer, t_gran of RFC 5348 section 8.3: packets due within
 * it are sent together. */
#define TIMER_GRANULARITY TFRC_MILLISECOND
/* With ECT(1): packets sent together form a queue, and an L4S queue marks from 1 ms on. */
#define L4S_GRANULARITY (TFRC_MILLISECOND / 4)

/* Timer slack of the task's thread: how late the kernel may wake it to save wakeups
 * [ns]. */
#define TIMER_SLACK 1
#define TIMER_SLACK_DEFAULT 0 /* the thread's initial value, usually 50 us */

/* Work that concerns no queued packet may be this late, to be done together with the next
 * packet: at 30 frames/s the task then need not wake up between two frames. */
#define SLACK (30 * TFRC_MILLISECOND)

/* By how much longer than max-queue-time frames may wait while they are withheld. */
#define WITHHELD_FACTOR 4
/* Looking through a long queue takes longer than sending a packet of it. */
#define TRIM_INTERVAL (10 * TFRC_MILLISECOND)

#define RTP_SEQ_OFFSET 2 /* in an RTP packet [bytes] */

/* At EOS the queue is sent for so long; then the rest is dropped. */
#define DRAIN_TIME (3 * TFRC_SECOND)

struct _TfrcSendPacer
{
  GMutex lock;     /* guards all fields below */
  GCond room;      /* for sink pads, and for the end of `pushing` */
  TfrcAlarm alarm; /* wakes the source pad's task */
  TfrcSendFlow flow;
  TfrcQueue *queue;
  guint n_waiting;   /* sink pads that wait for room */
  GPtrArray *inputs; /* of TfrcSendInput */
  TfrcRetransmitter *retransmitter;
  TfrcFecEncoder *fec;
  TfrcFecShare fec_share;
  TfrcPadding padding;
  TfrcStopwatch stopwatch; /* queue time: runs while playing only */
  TfrcSendFeedback feedback;
  TfrcSendEncoderShares encoder_shares;
  TfrcOverload overload;
  GstFlowReturn flow_return; /* not OK: no packet is accepted */
  gboolean relinked;         /* since the task last waited */
  gboolean pushing;          /* packets that have left the queue */
  TfrcDuration max_queue_time;
  TfrcTime trimmed_at;     /* queue time */
  TfrcDuration trimmed_to; /* limit then; a lower one is applied at once */
  gboolean sync;
  TfrcTime drain_until; /* queue time; TFRC_TIME_NONE = no EOS */
  TfrcTime release_at;  /* next tick of the coarse timer */
  TfrcDuration tick;    /* of the timer */
  /* queueing time of the newest packet sent ... */
  TfrcDuration pacer_delay;
  /* ... and of the newest RTX packet from upstream */
  TfrcDuration rtx_delay;
  guint64 bytes_new;           /* of media packets sent */
  guint64 bytes_repair;        /* of RTX and parity packets sent */
  TfrcDuration stats_interval; /* 0 = never */
  TfrcTime stats_at;           /* TFRC_TIME_NONE = never */
};

static void
begin_run_of_input (TfrcSendInput *self)
{
  self->waited = FALSE;
  self->target = 0;
  self->over_since = TFRC_TIME_NONE;
}

/* Resets what belongs to one flow. */
static void
reset (TfrcSendPacer *self)
{
  tfrc_queue_reset (self->queue);
  self->stopwatch = (TfrcStopwatch) { 0 };
  tfrc_send_feedback_reset (&self->feedback);
  tfrc_send_encoder_shares_start (&self->encoder_shares);
  tfrc_overload_start (&self->overload);
  for (guint i = 0; i < self->inputs->len; i++)
    begin_run_of_input (g_ptr_array_index (self->inputs, i));
  self->trimmed_at = 0;
  self->release_at = 0;
  self->pacer_delay = 0;
  self->rtx_delay = 0;
  self->bytes_new = 0;
  self->bytes_repair = 0;
}

TfrcSendPacer *
tfrc_send_pacer_new (void)
{
  TfrcSendPacer *self = g_new0 (TfrcSendPacer, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->room);
  tfrc_alarm_init (&self->alarm);
  tfrc_send_flow_init (&self->flow);
  self->queue = tfrc_queue_new ();
  self->inputs = g_ptr_array_new ();
  self->retransmitter = tfrc_retransmitter_new ();
  self->fec = tfrc_fec_encoder_new ();
  self->feedback.flow = &self->flow;
  self->feedback.queue = self->queue;
  self->feedback.stopwatch = &self->stopwatch;
  self->feedback.retransmitter = self->retransmitter;
  self->feedback.fec = self->fec;
  self->feedback.padding = &self->padding;
  tfrc_send_feedback_start_ecn (&self->feedback, TFRC_ECN_NOT_ECT);
  self->flow_return = GST_FLOW_FLUSHING;
  self->drain_until = TFRC_TIME_NONE;
  self->stats_at = TFRC_TIME_NONE;
  reset (self);
  return self;
}

void
tfrc_send_pacer_free (TfrcSendPacer *self)
{
  tfrc_send_flow_clear (&self->flow);
  tfrc_send_feedback_clear (&self->feedback);
  tfrc_queue_free (self->queue);
  g_ptr_array_unref (self->inputs);
  tfrc_retransmitter_free (self->retransmitter);
  tfrc_fec_encoder_free (self->fec);
  tfrc_alarm_clear (&self->alarm);
  g_cond_clear (&self->room);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_send_pacer_start_flow (TfrcSendPacer *self,
    const TfrcSendFlowConfig *config)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_send_flow_start (&self->flow, config);
  /* RFC 6679 section 7.2.3: a group's sender does not know which receivers read CE
   * marks. */
  tfrc_send_feedback_start_ecn (&self->feedback,
      self->flow.is_group ? TFRC_ECN_NOT_ECT : config->ect);
  self->tick = config->ect == TFRC_ECN_ECT_1
      ? L4S_GRANULARITY
      : TIMER_GRANULARITY;
  tfrc_retransmitter_start (self->retransmitter, config->repairs,
      self->flow.is_group ? NULL : self->queue);
  tfrc_fec_encoder_start (self->fec, config->unicast.max_segment_size);
  tfrc_fec_share_init (&self->fec_share, config->fec);
  self->padding = (TfrcPadding) { .ssrc = g_random_int () };
}

void
tfrc_send_pacer_begin_path (TfrcSendPacer *self, GSocketAddress *to)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_send_flow_begin_path (&self->flow);
  self->retransmitter->black_hole = (TfrcBlackHole) { 0 };
  tfrc_send_feedback_begin_path (&self->feedback, to);
  tfrc_alarm_wake (&self->alarm);
}

void
tfrc_send_pacer_start (TfrcSendPacer *self, GstClock *clock)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_alarm_set_clock (&self->alarm, clock);
  reset (self);
  if (self->stats_interval > 0)
    self->stats_at = tfrc_alarm_get_time (&self->alarm);
}

void
tfrc_send_pacer_stop (TfrcSendPacer *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_queue_reset (self->queue);
  tfrc_retransmitter_start (self->retransmitter, FALSE, NULL);
  tfrc_fec_encoder_start (self->fec, self->fec->max_size);
  tfrc_alarm_set_clock (&self->alarm, NULL);
  self->stats_at = TFRC_TIME_NONE;
  self->flow.notified_bitrate = 0;
}

void
tfrc_send_pacer_set_playing (TfrcSendPacer *self, gboolean playing)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  const TfrcTime now = tfrc_alarm_get_time (&self->alarm);

  tfrc_stopwatch_run (&self->stopwatch, playing, now);
  self->flow.resumed_at = playing ? now : TFRC_TIME_NONE;
  if (playing)
    tfrc_feedback_watch_resume (&self->feedback.watch);
  tfrc_alarm_wake (&self->alarm);
  g_cond_broadcast (&self->room);
}

void
tfrc_send_pacer_wait_until_pushed (TfrcSendPacer *self, GstClockTime limit)
{
  const gint64 until = g_get_monotonic_time ()
      + (gint64) GST_TIME_AS_USECONDS (limit);

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  while (self->pushing && g_cond_wait_until (&self->room, &self->lock, until))
    continue;
}

void
tfrc_send_pacer_configure (TfrcSendPacer *self,
    const TfrcSendSettings *settings)
{
  const TfrcDuration interval = settings->stats_interval * TFRC_MILLISECOND;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_send_flow_set_bounds (&self->flow,
      tfrc_rate_from_bits (settings->encoder.min_bitrate),
      settings->encoder.max_bitrate == 0
          ? INFINITY
          : tfrc_rate_from_bits (settings->encoder.max_bitrate));
  tfrc_send_circuit_breaker_configure (&self->feedback.circuit_breaker,
      settings->circuit_breaker
          && (self->flow.is_group
              || settings->feedback != GST_RTP_TFRC_FEEDBACK_NONE),
      self->flow.is_group);
  self->max_queue_time = settings->max_queue_time * TFRC_MILLISECOND;
  for (guint i = 0; i < self->inputs->len && !settings->sync; i++)
    ((TfrcSendInput *) g_ptr_array_index (self->inputs, i))->waited = FALSE;
  self->sync = settings->sync;
  g_cond_broadcast (&self->room);
  self->feedback.key_frame_on_loss = settings->key_frame_on_loss;
  if (interval != self->stats_interval)
    self->stats_at = interval == 0 ? TFRC_TIME_NONE
                                   : tfrc_alarm_get_time (&self->alarm);
  self->stats_interval = interval;
  tfrc_alarm_wake (&self->alarm);
}

TfrcSendStream *
tfrc_send_pacer_find_stream (TfrcSendPacer *self, const TfrcSendInput *input,
    guint32 ssrc)
{
  TfrcSendStream *stream = tfrc_queue_find_stream (self->queue, ssrc);

  return stream != NULL && stream->input == input ? stream : NULL;
}

void
tfrc_send_pacer_add_stream (TfrcSendPacer *self, TfrcSendInput *input,
    guint32 ssrc, const GstCaps *caps)
{
  TfrcSendStream *stream;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  stream = tfrc_queue_find_stream (self->queue, ssrc);
  if (stream == NULL)
    stream = tfrc_queue_add_stream (self->queue, ssrc);
  else
    stream->starts_anew = TRUE;
  if (caps != NULL)
    tfrc_send_stream_set_caps (stream, gst_caps_get_structure (caps, 0));
  stream->input = input;
  stream->priority = input->priority;
  tfrc_queue_update_level (self->queue, stream);
}

void
tfrc_send_pacer_set_priority (TfrcSendPacer *self, TfrcSendInput *input,
    GstTfrcPriority priority)
{
  TfrcSendStream *stream;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  input->priority = priority;
  for (guint i = 0; (stream = tfrc_queue_get_stream (self->queue, i)) != NULL;
      i++) {
    if (stream->input == input) {
      stream->priority = priority;
      tfrc_queue_update_level (self->queue, stream);
    }
  }
}

gboolean
tfrc_send_pacer_set_stream_caps (TfrcSendPacer *self,
    const TfrcSendInput *input, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gboolean found = FALSE, of_one;
  TfrcSendStream *stream;
  guint ssrc;

  of_one = gst_structure_get_uint (structure, "ssrc", &ssrc);
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  for (guint i = 0; (stream = tfrc_queue_get_stream (self->queue, i)) != NULL;
      i++) {
    if (stream->input != input || stream->is_rtx
        || (of_one && stream->ssrc != ssrc))
      continue;
    tfrc_send_stream_set_caps (stream, structure);
    tfrc_queue_update_level (self->queue, stream);
    found = TRUE;
  }
  return found;
}

void
tfrc_send_pacer_restart_input (TfrcSendPacer *self, TfrcSendInput *input,
    gboolean flush)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_queue_restart_input (self->queue, input, flush);
  input->waited = FALSE;
  g_cond_broadcast (&self->room);
}

void
tfrc_send_pacer_add_input (TfrcSendPacer *self, TfrcSendInput *input)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  begin_run_of_input (input);
  input->waits_with = GST_CLOCK_TIME_NONE;
  g_ptr_array_add (self->inputs, input);
}

void
tfrc_send_pacer_forget_input (TfrcSendPacer *self, TfrcSendInput *input)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_queue_forget_input (self->queue, input);
  g_ptr_array_remove (self->inputs, input);
}

void
tfrc_send_pacer_wake_sources (TfrcSendPacer *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  g_cond_broadcast (&self->room);
}

static GstClockTime
get_running_time (const TfrcSendInput *input, GstClockTime pts)
{
  const GstSegment *segment;

  if (input->segment == NULL)
    return GST_CLOCK_TIME_NONE;
  gst_event_parse_segment (input->segment, &segment);
  if (segment->format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
}

/* With the lock held.  TRUE: the source has to wait for the running time of its packets. */
static gboolean
must_be_due (const TfrcSendPacer *self, const TfrcSendInput *input)
{
  return self->sync && self->flow_return == GST_FLOW_OK
      && self->stopwatch.running && !GST_PAD_IS_FLUSHING (input->pad);
}

/* max-queue-time, but at least the time of two packets: less would make a slow flow drop
 * everything, key frames included, or accept a packet only after the previous one was
 * sent. */
static TfrcDuration
get_most_queue_time (TfrcSendPacer *self, TfrcTime now)
{
  return tfrc_time_max (self->max_queue_time,
      tfrc_send_flow_get_two_packets_time (&self->flow, now));
}

/* Sources that wait are served in order of running time.  Otherwise the pads of one file
 * would drift apart, as small packets find room more often. */
static gboolean
is_due_first (const TfrcSendPacer *self, const TfrcSendInput *input)
{
  for (guint i = 0; i < self->inputs->len; i++) {
    const TfrcSendInput *other = g_ptr_array_index (self->inputs, i);

    if (other->waits_with < input->waits_with)
      return FALSE;
  }
  return TRUE;
}

/* The part of the queue that sources that can wait may fill.  Beside a live source it is
 * a half, or live packets would get too old.  Beside a live encoder that follows the rate
 * it is an eighth, so that a key frame queued after it is sent in time. */
static gdouble
get_waiting_part (const TfrcSendPacer *self)
{
  gdouble part = 1.0;

  for (guint i = 0; i < self->inputs->len; i++) {
    const TfrcSendInput *input = g_ptr_array_index (self->inputs, i);

    if (input->live)
      part = MIN (part, input->follows ? 1.0 / 8 : 1.0 / 2);
  }
  return part;
}

/* With the lock held.  Where live sources share the queue, those that can wait count only
 * their own bytes. */
static gboolean
has_room (TfrcSendPacer *self, const TfrcSendInput *input)
{
  TfrcTime now = tfrc_alarm_get_time (&self->alarm);
  gdouble most = PREROLL_BYTES, part;

  if (!self->stopwatch.running) {
    /* It must be sent at its running time, which is known in PLAYING only. */
    if (self->sync && !input->live)
      return FALSE;
  } else if (!tfrc_send_input_can_wait (input)) {
    return TRUE;
  } else if (is_due_first (self, input)) {
    most = MIN (most,
        tfrc_rate_bytes_in (tfrc_send_flow_get_pacing_rate (&self->flow, now),
            get_most_queue_time (self, now)));
    part = get_waiting_part (self);
    if (part < 1.0)
      return (gdouble) self->queue->can_wait_bytes <= most * part;
  } else {
    return FALSE;
  }
  return self->queue->bytes <= most;
}

gboolean
tfrc_send_pacer_wait_for_room (TfrcSendPacer *self, TfrcSendInput *input,
    GstClockTime pts, GstClockTime *due)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->n_waiting++;
  *due = input->waits_with = get_running_time (input, pts);
  while (self->flow_return == GST_FLOW_OK && !has_room (self, input)
      && !GST_PAD_IS_FLUSHING (input->pad))
    g_cond_wait (&self->room, &self->lock);
  input->waits_with = GST_CLOCK_TIME_NONE;
  if (--self->n_waiting > 0)
    g_cond_broadcast (&self->room);
  return must_be_due (self, input);
}

gboolean
tfrc_send_pacer_wait_for_time (TfrcSendPacer *self, TfrcSendInput *input,
    GstClockTime time)
{
  gint64 end = g_get_monotonic_time () + (gint64) (time / GST_USECOND) + 1;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (must_be_due (self, input)) {
    input->waited = TRUE;
    g_cond_wait_until (&self->room, &self->lock, end);
  }
  return must_be_due (self, input);
}

static TfrcTime
get_queue_time (const TfrcSendPacer *self, TfrcTime now)
{
  return tfrc_stopwatch_read (&self->stopwatch, now);
}

/* Frames that wait since packets are withheld for a moment, as by a drain of the path's
 * queue, leave soon after it: sooner than the key frame that would replace them.  So they
 * may wait for longer, unless what waits takes longer than that at the rate of before. */
static TfrcDuration
get_most_frame_time (TfrcSendPacer *self, TfrcDuration most, TfrcTime now)
{
  TfrcRate rate = tfrc_send_flow_get_recent_rate (&self->flow, now);

  return (gdouble) self->queue->bytes > tfrc_rate_bytes_in (rate, most)
      ? most
      : tfrc_time_max (most, WITHHELD_FACTOR * self->max_queue_time);
}

/* Drops packets that are too old. */
static void
trim_queue (TfrcSendPacer *self, TfrcTime now)
{
  TfrcTime queue_time = get_queue_time (self, now);
  TfrcDuration most;
  gboolean has_receiver;

  if (queue_time >= self->drain_until) {
    tfrc_queue_drop_packets (self->queue);
    return;
  }
  most = get_most_queue_time (self, now);
  if (most >= self->trimmed_to
      && tfrc_time_since (self->trimmed_at, queue_time) < TRIM_INTERVAL)
    return;
  self->trimmed_at = queue_time;
  self->trimmed_to = most;
  /* While the circuit breaker only lets probes pass, a key frame would not help. */
  has_receiver = rtp_circuit_breaker_state_allows_sending (self->feedback
                         .circuit_breaker.breaker.state)
      && tfrc_send_flow_has_receiver (&self->flow);
  tfrc_queue_trim (self->queue, most,
      has_receiver ? get_most_frame_time (self, most, now) : most, has_receiver,
      tfrc_send_flow_awaits_end_of_frame (&self->flow), queue_time);
}

static guint
count_repair (const TfrcSendPacer *self)
{
  return gst_queue_array_get_length (self->retransmitter->answers)
      + gst_queue_array_get_length (self->fec->waiting);
}

static TfrcTime
get_next_send_at (const TfrcSendPacer *self)
{
  return tfrc_time_max (tfrc_send_flow_next_send_at (&self->flow),
      rtp_circuit_breaker_next_send_at (&self->feedback.circuit_breaker
              .breaker));
}

/* When the next packet of a probe may be sent; TFRC_TIME_NONE: no probe is on, or media
 * or repair packets come first. */
static TfrcTime
get_next_probe_at (const TfrcSendPacer *self, TfrcTime now)
{
  if (!tfrc_send_flow_is_probing (&self->flow)
      || tfrc_queue_peek (self->queue) != NULL || count_repair (self) > 0
      || !self->stopwatch.running || self->drain_until != TFRC_TIME_NONE
      || !rtp_circuit_breaker_state_allows_sending (self->feedback
              .circuit_breaker.breaker.state))
    return TFRC_TIME_NONE;
  if (!tfrc_retransmitter_can_probe (self->retransmitter, now)
      && !(tfrc_send_flow_takes_padding (&self->flow)
          && self->padding.head_size > 0))
    return TFRC_TIME_NONE;
  return tfrc_time_max (get_next_send_at (self), self->release_at);
}

/* With an empty queue timers may be late by SLACK.  collect_due runs the nofeedback timer
 * first, so no packet is sent at a rate that should have been reduced; only the encoder
 * learns of it later. */
static TfrcTime
get_next_deadline (const TfrcSendPacer *self)
{
  gboolean empty = tfrc_queue_peek (self->queue) == NULL
      && count_repair (self) == 0;
  TfrcDuration slack = empty ? SLACK : 0;
  TfrcTime at = tfrc_time_min (self->stats_at,
      tfrc_time_add (tfrc_send_flow_next_deadline (&self->flow), slack));

  at = tfrc_time_min (at, tfrc_time_add (self->encoder_shares.due_at, slack));
  at = tfrc_time_min (at,
      tfrc_send_circuit_breaker_next_deadline (&self->feedback
              .circuit_breaker));
  if (self->feedback.watch.due)
    return 0;
  if (!self->stopwatch.running)
    return at;
  at = tfrc_time_min (at,
      tfrc_stopwatch_to_clock (&self->stopwatch,
          tfrc_queue_next_deadline (self->queue)));
  if (empty)
    return tfrc_time_min (at,
        get_next_probe_at (self, tfrc_alarm_get_time (&self->alarm)));
  at = tfrc_time_min (at,
      tfrc_stopwatch_to_clock (&self->stopwatch, self->drain_until));
  return tfrc_time_min (at,
      tfrc_time_max (get_next_send_at (self), self->release_at));
}

static void
wake_if_due_earlier (TfrcSendPacer *self)
{
  tfrc_alarm_wake_before (&self->alarm, get_next_deadline (self));
}

GstFlowReturn
tfrc_send_pacer_push (TfrcSendPacer *self, TfrcQueueItem *items, guint n,
    TfrcSendPushed *pushed)
{
  const TfrcQueueItem *last = n > 0 ? &items[n - 1] : NULL;
  GstFlowReturn ret;
  gboolean was_empty;
  TfrcTime queue_time;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  pushed->now = tfrc_alarm_get_time (&self->alarm);
  queue_time = get_queue_time (self, pushed->now);
  if (last != NULL && !last->stream->is_rtx)
    pushed->running_time = get_running_time (last->stream->input,
        GST_BUFFER_PTS (last->object));
  ret = self->flow_return;

  was_empty = tfrc_queue_peek (self->queue) == NULL;
  for (guint i = 0; i < n; i++) {
    if (ret != GST_FLOW_OK) {
      gst_mini_object_unref (items[i].object);
      continue;
    }
    if (tfrc_send_stream_may_be_encoded (items[i].stream))
      pushed->encoded_bytes += items[i].payload_size;
    items[i].key &= tfrc_send_stream_wants_key_check (items[i].stream,
        items[i].timestamp);
    self->flow.back_pressure.came_in += items[i].size;
    tfrc_queue_push_packet (self->queue, &items[i], queue_time);
  }
  trim_queue (self, pushed->now);
  if (n > 0)
    tfrc_send_encoder_shares_on_packet (&self->encoder_shares, pushed->now);
  if (was_empty || tfrc_queue_next_deadline (self->queue) <= queue_time)
    wake_if_due_earlier (self);
  return ret;
}

GstFlowReturn
tfrc_send_pacer_push_event (TfrcSendPacer *self, TfrcSendInput *input,
    GstEvent *event)
{
  GstFlowReturn ret;
  gboolean taken;

  g_mutex_lock (&self->lock);
  ret = self->flow_return;
  /* After an error, sticky events such as caps and segments are still kept. */
  taken = ret == GST_FLOW_OK
      || (ret != GST_FLOW_FLUSHING && GST_EVENT_IS_STICKY (event)
          && GST_EVENT_TYPE (event) != GST_EVENT_EOS);
  if (taken) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
      self->drain_until =
          tfrc_time_add (get_queue_time (self,
                             tfrc_alarm_get_time (&self->alarm)),
              DRAIN_TIME);
    } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
      self->drain_until = TFRC_TIME_NONE;
    }
    tfrc_queue_push_event (self->queue, input, event);
    tfrc_alarm_wake (&self->alarm);
  }
  g_mutex_unlock (&self->lock);

  if (taken)
    return GST_FLOW_OK;
  gst_event_unref (event);
  return ret;
}

void
tfrc_send_pacer_start_flushing (TfrcSendPacer *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->flow_return = GST_FLOW_FLUSHING;
  tfrc_alarm_wake (&self->alarm);
  g_cond_broadcast (&self->room);
}

/* Empties the queue as GstQueue does: sticky events except EOS and SEGMENT are stored on
 * the source pad. */
void
tfrc_send_pacer_stop_flushing (TfrcSendPacer *self, GstPad *srcpad)
{
  TfrcQueueItem item;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_queue_drop_packets (self->queue);
  tfrc_retransmitter_flush (self->retransmitter);
  tfrc_fec_encoder_flush (self->fec);
  while (tfrc_queue_pop (self->queue, &item)) {
    GstEvent *event = GST_EVENT_CAST (item.object);

    if (GST_EVENT_IS_STICKY (event)
        && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
        && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
      gst_pad_store_sticky_event (srcpad, event);
    gst_event_unref (event);
  }
  gst_clear_event (&self->queue->sent_segment);
  self->drain_until = TFRC_TIME_NONE;
  self->flow_return = GST_FLOW_OK;
}

gboolean
tfrc_send_pacer_restart (TfrcSendPacer *self)
{
  gboolean restart;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->relinked = TRUE;
  restart = self->flow_return == GST_FLOW_NOT_LINKED;
  if (restart)
    self->flow_return = GST_FLOW_OK;
  return restart;
}

static void
set_timer_slack (gulong slack)
{
#ifdef HAVE_PR_SET_TIMERSLACK
  prctl (PR_SET_TIMERSLACK, slack, 0, 0, 0);
#endif
}

/* The timer slack is restored, as the thread belongs to a pool, and the task may be
 * stopped at any time. */
static void
sleep_until_due (TfrcSendPacer *self)
{
  TfrcTime deadline = get_next_deadline (self);

  set_timer_slack (TIMER_SLACK);
  tfrc_alarm_wait (&self->alarm, &self->lock, deadline);
  set_timer_slack (TIMER_SLACK_DEFAULT);
}

/* Queued packets are too large for the path, too, so they are dropped; and their losses
 * say nothing about the rate, so the path begins anew. */
static gboolean
look_for_black_hole (TfrcSendPacer *self, const TfrcSendDue *due)
{
  const gboolean nothing_arrives = due->watch_changed
      && due->watch_message.state == TFRC_FEEDBACK_WATCH_RTCP_ONLY;

  /* The members of a group have different paths. */
  if (self->flow.is_group
      || !tfrc_retransmitter_poll_black_hole (self->retransmitter,
          !nothing_arrives && tfrc_send_flow_has_queue (&self->flow),
          nothing_arrives, due->now))
    return FALSE;
  tfrc_queue_drop_packets (self->queue);
  tfrc_retransmitter_flush (self->retransmitter);
  tfrc_fec_encoder_flush (self->fec);
  tfrc_send_flow_begin_path (&self->flow);
  tfrc_queue_ask_key_frame (self->queue, NULL, get_queue_time (self, due->now));
  return TRUE;
}

/* Collects what has to be posted, notified or requested; one change of each kind at a
 * time. */
static void
collect_messages (TfrcSendPacer *self, TfrcSendDue *due)
{
  tfrc_send_messages_add (&due->messages,
      tfrc_send_circuit_breaker_poll_message (&self->feedback.circuit_breaker,
          due->now));
  due->bitrate_moved = tfrc_send_flow_poll_bitrate (&self->flow, due->now);
  due->wants_key_frame = tfrc_queue_poll_key_request (self->queue,
      &due->key_ssrc, get_queue_time (self, due->now));
  if (due->wants_key_frame) {
    const TfrcSendInput *input =
        tfrc_queue_find_stream (self->queue, due->key_ssrc)->input;

    /* The sink pad of the stream. */
    due->key_pad = input != NULL ? gst_object_ref (input->pad) : NULL;
  }
  tfrc_send_messages_add (&due->messages,
      tfrc_send_flow_poll_message (&self->flow, due->now));
  due->slowest_changed = tfrc_send_flow_poll_slowest (&self->flow,
      &due->slowest, due->now);
  due->watch_changed = tfrc_feedback_watch_poll_message (&self->feedback.watch,
      &due->watch_message, due->now);
  due->is_black_hole = look_for_black_hole (self, due);
}

/* For the encoder, repair is overhead of its stream; for the circuit breaker it is part
 * of what the stream sends. */
static gboolean
pop_repair (TfrcSendPacer *self, TfrcQueueItem *item, TfrcTime now)
{
  TfrcSendStream *stream;
  guint32 ssrc;

  if (!tfrc_retransmitter_peek (self->retransmitter, &ssrc)
      && !tfrc_fec_encoder_peek (self->fec, &ssrc))
    return FALSE;
  if (!tfrc_queue_allows_repair (self->queue,
          tfrc_queue_find_stream (self->queue, ssrc)))
    return FALSE;
  if (!tfrc_retransmitter_pop (self->retransmitter, item, self->max_queue_time,
          now)
      && !tfrc_fec_encoder_pop (self->fec, item, self->max_queue_time, now))
    return FALSE;
  self->bytes_repair += item->size;
  stream = tfrc_queue_find_stream (self->queue, item->repaired_ssrc);
  if (stream != NULL) {
    stream->bytes += item->size;
    tfrc_queue_charge_repair (self->queue, stream, item->size);
    tfrc_send_circuit_breaker_on_sent (&self->feedback.circuit_breaker,
        stream->ssrc, stream->timestamp, item->size, now);
  }
  return TRUE;
}

/* Repair is sent before new packets of the same priority, as its frame is shown first. */
static gboolean
pop_next (TfrcSendPacer *self, TfrcQueueItem *item, TfrcTime now)
{
  const TfrcQueueItem *head;
  TfrcDuration delay;

  if (pop_repair (self, item, now))
    return TRUE;
  head = tfrc_queue_peek (self->queue);
  if (head == NULL || head->stream == NULL)
    return FALSE;
  tfrc_queue_pop (self->queue, item);
  tfrc_send_circuit_breaker_on_sent (&self->feedback.circuit_breaker,
      item->ssrc, item->timestamp, item->size, now);
  delay = tfrc_time_since (item->arrived_at, get_queue_time (self, now));
  if (item->stream->is_rtx) {
    self->bytes_repair += item->size;
    self->rtx_delay = delay;
  } else {
    self->bytes_new += item->size;
    self->pacer_delay = delay;
  }
  item->stream = NULL;
  return TRUE;
}

/* Retransmissions are preferred to padding, as they may repair something. */
static gboolean
pop_probe (TfrcSendPacer *self, TfrcQueueItem *item, TfrcTime now)
{
  if (get_next_probe_at (self, now) > now)
    return FALSE;
  if (!tfrc_retransmitter_pop_probe (self->retransmitter, item, now)
      && !(tfrc_send_flow_takes_padding (&self->flow)
          && tfrc_padding_pop (&self->padding, item))) {
    self->release_at = tfrc_time_add (now, self->tick);
    return FALSE;
  }
  item->probe = TRUE;
  return TRUE;
}

/* Packets that are queued, with repair. */
static guint
count_waiting (const TfrcSendPacer *self)
{
  return self->queue->packets + count_repair (self);
}

static void
write_packet (const TfrcQueueItem *item, const TfrcExtensionBytes *extension)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  guint8 seq[2];

  if (item->renumbered) {
    GST_WRITE_UINT16_BE (seq, item->seq);
    gst_buffer_fill (buffer, RTP_SEQ_OFFSET, seq, sizeof seq);
  }
  if (item->extension_offset != 0)
    tfrc_extension_writer_write (buffer, item->extension_offset,
        item->extension_room, extension);
  GST_LOG ("sending seq=%u size=%u extension_bytes=%u", item->seq, item->size,
      extension->size);
}

/* Takes all packets that may be sent now.  `backlog` tells the protocol whether the rate
 * or the source is the limit (RFC 5348 section 8.2.1). */
static void
release_packets (TfrcSendPacer *self, TfrcSendDue *due)
{
  TfrcExtensionBytes extension;

  if (due->now < self->release_at)
    return;
  while (due->n_items < TFRC_SEND_MAX_BURST
      && get_next_send_at (self) <= due->now
      && (pop_next (self, &due->items[due->n_items], due->now)
          || pop_probe (self, &due->items[due->n_items], due->now))) {
    const TfrcQueueItem *item = &due->items[due->n_items++];
    const TfrcSentRtp sent = { item->ssrc, item->seq, item->size,
      item->transport_numbered, item->probe, item->ends_frame };

    tfrc_send_flow_charge (&self->flow, &sent, count_waiting (self) > 0,
        &extension, due->now);
    write_packet (item, &extension);
  }
  if (due->n_items == 0)
    return;
  /* After all are final, as repair keeps references to them. */
  for (guint i = 0; i < due->n_items; i++) {
    const TfrcQueueItem *item = &due->items[i];

    if (item->probe)
      continue;
    tfrc_retransmitter_on_sent (self->retransmitter, item, due->now);
    tfrc_fec_encoder_on_sent (self->fec, item, due->now);
    tfrc_padding_on_sent (&self->padding, item);
  }
  tfrc_feedback_watch_on_sent (&self->feedback.watch, self->flow.is_group,
      tfrc_send_flow_get_round_time (&self->flow), due->now);
  /* Less than a full burst was everything that is due before the next tick. */
  self->release_at = due->n_items == TFRC_SEND_MAX_BURST
      ? due->now
      : tfrc_time_add (due->now, self->tick);
}

/* During a probe 100 %: parity that fills it may be of use. */
static guint
get_fec_percentage (TfrcSendPacer *self, TfrcTime now)
{
  const TfrcSendFlow *flow = &self->flow;
  guint percentage = tfrc_fec_share_get (&self->fec_share,
      tfrc_send_flow_get_loss_event_rate (flow, now),
      self->retransmitter->asked, tfrc_send_flow_has_few_receivers (flow), now);

  return percentage > 0 && tfrc_send_flow_is_probing (flow) ? 100 : percentage;
}

/* An event, or all packets that may be sent now. */
static void
collect_items (TfrcSendPacer *self, TfrcSendDue *due)
{
  const TfrcQueueItem *head;
  TfrcQueueItem item;

  due->n_items = 0;
  due->event = NULL;
  trim_queue (self, due->now);
  head = tfrc_queue_peek (self->queue);
  if (head != NULL && head->stream == NULL) {
    tfrc_queue_pop (self->queue, &item);
    due->event = GST_EVENT_CAST (item.object);
    /* After EOS no packet may be sent. */
    if (GST_EVENT_TYPE (due->event) == GST_EVENT_EOS) {
      tfrc_retransmitter_flush (self->retransmitter);
      tfrc_fec_encoder_flush (self->fec);
    }
  } else if ((count_waiting (self) > 0 && self->stopwatch.running)
      || get_next_probe_at (self, due->now) <= due->now) {
    release_packets (self, due);
  }
  if (self->n_waiting > 0)
    g_cond_broadcast (&self->room);
}

static gboolean
measure_overload (TfrcSendPacer *self, TfrcSendDue *due)
{
  const TfrcRate rate = self->feedback.circuit_breaker.breaker.state
          == RTP_CIRCUIT_BREAKER_CLOSED
      ? tfrc_send_flow_get_known_rate (&self->flow, due->now)
      : 0.0;

  due->overload.repaired = self->bytes_repair > 0;
  return tfrc_overload_on_measured (&self->overload, self->queue, self->inputs,
      rate, due->now, &due->overload);
}

/* FALSE: there is nothing for the task to do. */
static gboolean
collect_due (TfrcSendPacer *self, TfrcSendDue *due)
{
  RtpCircuitBreaker *breaker = &self->feedback.circuit_breaker.breaker;

  due->now = tfrc_alarm_get_time (&self->alarm);
  due->messages = (TfrcSendMessages) { .n = 0 };
  tfrc_send_flow_on_deadline (&self->flow, due->now);
  tfrc_fec_encoder_set_percentage (self->fec,
      get_fec_percentage (self, due->now));
  rtp_circuit_breaker_on_deadline (breaker, due->now);
  tfrc_send_flow_set_rate_limit (&self->flow, breaker->rate_limit);
  collect_messages (self, due);
  due->post_stats = self->stats_at <= due->now;
  if (due->post_stats)
    self->stats_at = tfrc_time_add (due->now, self->stats_interval);
  collect_items (self, due);
  /* After that, so that packets sent at once do not count as backlog. */
  due->update_encoders =
      tfrc_send_encoder_shares_on_deadline (&self->encoder_shares, self->queue,
          self->inputs, &self->flow, self->bytes_repair > 0, due->now);
  due->overloaded = due->update_encoders && measure_overload (self, due);
  return due->n_items > 0 || due->event != NULL || due->bitrate_moved
      || due->wants_key_frame || due->messages.n > 0 || due->slowest_changed
      || due->is_black_hole || due->watch_changed || due->update_encoders
      || due->post_stats;
}

TfrcEcnCodepoint
tfrc_send_pacer_get_ect (TfrcSendPacer *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  return tfrc_ecn_check_get_ect (&self->feedback.ecn);
}

gboolean
tfrc_send_pacer_wait (TfrcSendPacer *self, TfrcSendDue *due)
{
  gboolean ok;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->relinked = FALSE;
  ok = self->flow_return == GST_FLOW_OK;
  if (ok && !collect_due (self, due)) {
    sleep_until_due (self);
    ok = self->flow_return == GST_FLOW_OK;
    if (ok)
      collect_due (self, due);
  }
  if (ok) {
    self->pushing = due->n_items > 0;
    if (due->n_items > 0)
      tfrc_ecn_check_on_sent (&self->feedback.ecn, due->now);
    tfrc_ecn_check_on_deadline (&self->feedback.ecn, due->now);
    tfrc_send_feedback_announce_ecn (&self->feedback, &due->messages);
  }
  return ok;
}

void
tfrc_send_pacer_take_back (TfrcSendPacer *self, const TfrcSendDue *due)
{
  guint n = 0;

  for (guint i = 0; i < due->n_items; i++)
    n += due->items[i].transport_numbered;
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_send_flow_take_back (&self->flow, n);
}

TfrcSendControl
tfrc_send_pacer_on_pushed (TfrcSendPacer *self, gsize bytes, TfrcTime began)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->pushing = FALSE;
  if (!self->stopwatch.running)
    g_cond_broadcast (&self->room);
  tfrc_back_pressure_on_pushed (&self->flow.back_pressure, bytes, began,
      tfrc_alarm_get_time (&self->alarm));
  return tfrc_send_flow_get_control (&self->flow);
}

gboolean
tfrc_send_pacer_fail (TfrcSendPacer *self, GstFlowReturn ret, gboolean *eos)
{
  gboolean failed;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  failed = ret != GST_FLOW_NOT_LINKED || !self->relinked;
  if (failed && self->flow_return == GST_FLOW_OK)
    self->flow_return = ret;
  *eos = self->drain_until != TFRC_TIME_NONE;
  g_cond_broadcast (&self->room);
  return failed;
}

gboolean
tfrc_send_pacer_ask_key_frame (TfrcSendPacer *self, const guint32 *ssrc)
{
  gboolean known;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  known = tfrc_send_feedback_ask_key_frame (&self->feedback, ssrc,
      tfrc_alarm_get_time (&self->alarm));
  wake_if_due_earlier (self);
  return known;
}

GstBuffer *
tfrc_send_pacer_push_rtcp (TfrcSendPacer *self, GstBuffer *buffer,
    gboolean overheard, TfrcSendMessages *messages)
{
  GstMapInfo map = GST_MAP_INFO_INIT;
  gboolean mapped = gst_buffer_map (buffer, &map, GST_MAP_READ);
  GstBuffer *rest;

  *messages = (TfrcSendMessages) { .n = 0 };
  g_mutex_lock (&self->lock);
  rest = tfrc_send_feedback_on_rtcp (&self->feedback, buffer, &map, overheard,
      messages, tfrc_alarm_get_time (&self->alarm));
  wake_if_due_earlier (self);
  g_mutex_unlock (&self->lock);
  if (mapped)
    gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return rest;
}

gboolean
tfrc_send_pacer_exclude_receiver (TfrcSendPacer *self, guint32 ssrc,
    const gchar *address, gboolean exclude)
{
  gboolean done;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  done = tfrc_send_flow_exclude (&self->flow, ssrc, address, exclude,
      tfrc_alarm_get_time (&self->alarm));
  wake_if_due_earlier (self);
  return done;
}

/* Upstream's RTX packets wait in the queue, too, so requests are answered once per RTT
 * and that delay. */
gboolean
tfrc_send_pacer_translate_request (TfrcSendPacer *self, guint32 ssrc,
    guint *seq)
{
  TfrcUpstreamRequest request = { .ssrc = ssrc, .seq = (guint16) *seq };
  const TfrcSendStream *stream;
  gboolean ok;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  request.asked_at = tfrc_alarm_get_time (&self->alarm);
  stream = tfrc_queue_find_stream (self->queue, ssrc);
  ok = stream != NULL
      && tfrc_send_stream_find_original (stream, request.seq,
          &request.original_seq)
      && tfrc_send_stream_is_of_use (stream, request.seq)
      && tfrc_upstream_requests_on_request (&self->feedback.upstream_requests,
          &request, tfrc_send_flow_get_rtt (&self->flow) + self->rtx_delay);
  *seq = request.original_seq;
  return ok;
}

guint32
tfrc_send_pacer_renumber_rtx (TfrcSendPacer *self, guint16 *seq)
{
  const TfrcUpstreamRequest *request;
  guint32 ssrc = 0;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  request = tfrc_upstream_requests_find (&self->feedback.upstream_requests,
      *seq);
  if (request != NULL) {
    *seq = request->seq;
    ssrc = request->ssrc;
  }
  return ssrc;
}

gboolean
tfrc_send_pacer_push_twcc_event (TfrcSendPacer *self, GstEvent *event,
    TfrcResult *result)
{
  const GstStructure *structure = gst_event_get_structure (event);
  TfrcPacketFeedbackReader reader;

  if (structure == NULL
      || !tfrc_packet_feedback_reader_open_event (&reader, structure))
    return FALSE;
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  *result = tfrc_send_feedback_on_event (&self->feedback, &reader,
      tfrc_alarm_get_time (&self->alarm));
  wake_if_due_earlier (self);
  return TRUE;
}

gboolean
tfrc_send_pacer_set_in_tcp (TfrcSendPacer *self, gboolean tcp, gboolean others)
{
  const gboolean in_tcp = tcp && !others;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->feedback.tcp = tcp;
  return tfrc_send_flow_set_in_tcp (&self->flow, in_tcp,
      tfrc_alarm_get_time (&self->alarm));
}

void
tfrc_send_pacer_add_client (TfrcSendPacer *self, const gchar *host, gint port)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_send_feedback_add_client (&self->feedback, host, port,
      tfrc_alarm_get_time (&self->alarm));
}

guint
tfrc_send_pacer_get_bitrate (TfrcSendPacer *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  return self->flow.notified_bitrate;
}

void
tfrc_send_pacer_set_stats (TfrcSendPacer *self, GstStructure *stats)
{
  const TfrcEncoderFlow *flow = &self->encoder_shares.flow;
  guint64 bytes;
  TfrcTime now;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  now = tfrc_alarm_get_time (&self->alarm);
  tfrc_send_flow_set_stats (&self->flow, stats, now);
  tfrc_queue_set_stats (self->queue, stats, get_queue_time (self, now));
  tfrc_stats_set (stats, "pacer-delay-ns", self->pacer_delay);
  tfrc_stats_set (stats, "smoothed-bitrate", flow->allowed_bitrate);
  tfrc_stats_set (stats, "overhead", flow->overhead);
  bytes = self->bytes_new + self->bytes_repair;
  tfrc_stats_set (stats, "repair-share",
      bytes > 0 ? (gdouble) self->bytes_repair / (gdouble) bytes : 0.0);
  tfrc_retransmitter_set_stats (self->retransmitter, stats);
  tfrc_fec_encoder_set_stats (self->fec, stats);
  tfrc_send_feedback_set_stats (&self->feedback, stats);
}
