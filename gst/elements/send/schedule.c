/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deadlines of the sender, and the turns that they make. */

#include "send/schedule.h"

/* The coarse timer that RFC 5348 section 8.3 calls t_gran: packets that are
 * due within it leave together. */
#define TIMER_GRANULARITY TFRC_MILLISECOND

/* What concerns no packet in the queue may be so late, to be done with the next
 * packet: at 30 frames/s the task need not wake between two frames. */
#define SLACK (30 * TFRC_MILLISECOND)

/* At EOS the queue may take so long to empty, and is dropped then. */
#define DRAIN_TIME (3 * TFRC_SECOND)

static void poll_news (TfrcSendSchedule *self, TfrcSendTurn *turn);
static void take_packets (TfrcSendSchedule *self, TfrcSendTurn *turn);
static TfrcTime get_next_send_at (const TfrcSendSchedule *self);

void
tfrc_send_schedule_init (TfrcSendSchedule *self, TfrcFlow *flow,
    TfrcQueue *queue, const TfrcStopwatch *stopwatch, TfrcSendBreaker *breaker,
    TfrcSendWatch *watch)
{
  *self = (TfrcSendSchedule) {
    .flow = flow,
    .queue = queue,
    .stopwatch = stopwatch,
    .breaker = breaker,
    .watch = watch,
    .drain_until = TFRC_TIME_NONE,
    .stats_at = TFRC_TIME_NONE,
  };
  tfrc_encoder_feed_start (&self->feed);
}

void
tfrc_send_schedule_start (TfrcSendSchedule *self, TfrcTime now)
{
  self->release_at = 0;
  self->pacer_delay = 0;
  self->stats_at = self->stats_interval == 0 ? TFRC_TIME_NONE : now;
  tfrc_encoder_feed_start (&self->feed);
}

void
tfrc_send_schedule_stop (TfrcSendSchedule *self)
{
  self->stats_at = TFRC_TIME_NONE;
  self->bitrate = 0;
}

void
tfrc_send_schedule_set_limits (TfrcSendSchedule *self,
    TfrcDuration max_queue_time, TfrcDuration stats_interval, TfrcTime now)
{
  self->max_queue_time = max_queue_time;
  if (stats_interval != self->stats_interval)
    self->stats_at = stats_interval == 0 ? TFRC_TIME_NONE : now;
  self->stats_interval = stats_interval;
}

void
tfrc_send_schedule_start_draining (TfrcSendSchedule *self, TfrcTime now)
{
  self->drain_until = tfrc_time_add (tfrc_stopwatch_read (self->stopwatch, now),
      DRAIN_TIME);
}

void
tfrc_send_schedule_end_draining (TfrcSendSchedule *self)
{
  self->drain_until = TFRC_TIME_NONE;
}

void
tfrc_send_schedule_trim (TfrcSendSchedule *self, TfrcTime now)
{
  TfrcTime queue_time = tfrc_stopwatch_read (self->stopwatch, now);

  if (queue_time >= self->drain_until) {
    tfrc_queue_drop_packets (self->queue);
    return;
  }
  /* Less would make a slow flow drop all it has, key frames included.  Where
   * the circuit breaker lets only probes leave, no key frame would help. */
  tfrc_queue_trim (self->queue,
      tfrc_time_max (self->max_queue_time,
          tfrc_flow_get_two_packets_time (self->flow, now)),
      tfrc_send_breaker_lets_pass (self->breaker)
          && tfrc_flow_is_heard (self->flow),
      queue_time);
}

gboolean
tfrc_send_schedule_fill_turn (TfrcSendSchedule *self, TfrcSendTurn *turn)
{
  const TfrcQueueItem *head;
  TfrcQueueItem item;

  tfrc_flow_on_deadline (self->flow, turn->now);
  tfrc_send_breaker_on_deadline (self->breaker, turn->now);
  tfrc_flow_set_rate_limit (self->flow,
      tfrc_send_breaker_get_rate_limit (self->breaker));
  poll_news (self, turn);
  turn->update_encoder = tfrc_encoder_feed_on_deadline (&self->feed,
      self->queue, self->flow, turn->now);
  if (turn->update_encoder)
    turn->encoder_flow = self->feed.flow;
  turn->post_stats = self->stats_at <= turn->now;
  if (turn->post_stats)
    self->stats_at = tfrc_time_add (turn->now, self->stats_interval);

  turn->n_items = 0;
  turn->event = NULL;
  tfrc_send_schedule_trim (self, turn->now);
  head = tfrc_queue_peek (self->queue);
  if (head != NULL && head->stream == NULL) {
    tfrc_queue_pop (self->queue, &item);
    turn->event = GST_EVENT_CAST (item.object);
  } else if (head != NULL && self->stopwatch->running) {
    take_packets (self, turn);
  }
  return turn->n_items > 0 || turn->event != NULL || turn->bitrate_moved
      || turn->wants_key_frame || turn->clr_changed || turn->breaker_changed
      || turn->watch_changed || turn->update_encoder || turn->post_stats;
}

/* Every turn begins with the nofeedback timer, so with an empty queue no packet
 * leaves at a rate that should have been cut; only the encoder hears of it
 * later. */
TfrcTime
tfrc_send_schedule_next_deadline (const TfrcSendSchedule *self)
{
  gboolean empty = tfrc_queue_peek (self->queue) == NULL;
  TfrcDuration slack = empty ? SLACK : 0;
  TfrcTime at;

  at = tfrc_time_min (self->stats_at,
      tfrc_time_add (tfrc_flow_next_deadline (self->flow), slack));
  at = tfrc_time_min (at, tfrc_encoder_feed_next_deadline (&self->feed, slack));
  at = tfrc_time_min (at, tfrc_send_breaker_next_deadline (self->breaker));
  at = tfrc_time_min (at, tfrc_send_watch_next_deadline (self->watch));
  if (!self->stopwatch->running)
    return at;
  at = tfrc_time_min (at,
      tfrc_stopwatch_to_clock (self->stopwatch,
          tfrc_queue_next_deadline (self->queue)));
  if (empty)
    return at;
  at = tfrc_time_min (at,
      tfrc_stopwatch_to_clock (self->stopwatch, self->drain_until));
  return tfrc_time_min (at,
      tfrc_time_max (get_next_send_at (self), self->release_at));
}

/* What others are to hear of; one change of each in a turn. */
static void
poll_news (TfrcSendSchedule *self, TfrcSendTurn *turn)
{
  guint bitrate;

  turn->breaker_changed = tfrc_send_breaker_poll_news (self->breaker,
      &turn->breaker_news, turn->now);
  turn->bitrate_moved = tfrc_flow_poll_bitrate (self->flow, &bitrate,
      turn->now);
  if (turn->bitrate_moved)
    self->bitrate = bitrate;
  turn->wants_key_frame = tfrc_queue_poll_key_request (self->queue,
      &turn->key_ssrc, tfrc_stopwatch_read (self->stopwatch, turn->now));
  turn->clr_changed = tfrc_flow_poll_clr_news (self->flow, &turn->clr_news);
  turn->watch_changed = tfrc_send_watch_poll_news (self->watch,
      &turn->watch_news, turn->now);
}

/* All packets that may leave now; `backlog` tells the protocol whether the
 * rate or the data is the limit (RFC 5348 section 8.2.1). */
static void
take_packets (TfrcSendSchedule *self, TfrcSendTurn *turn)
{
  const TfrcQueueItem *head;

  if (turn->now < self->release_at)
    return;
  while (turn->n_items < TFRC_SEND_MAX_BURST
      && (head = tfrc_queue_peek (self->queue)) != NULL && head->stream != NULL
      && get_next_send_at (self) <= turn->now) {
    TfrcQueueItem *item = &turn->items[turn->n_items];

    tfrc_queue_pop (self->queue, item);
    tfrc_send_breaker_on_sent (self->breaker, item->stream->ssrc,
        item->timestamp, item->size, turn->now);
    item->stream = NULL;
    tfrc_flow_charge (self->flow, item->size,
        tfrc_queue_get_packets (self->queue) > 0,
        &turn->stamps[turn->n_items++], turn->now);
    self->pacer_delay = tfrc_time_since (item->arrived_at,
        tfrc_stopwatch_read (self->stopwatch, turn->now));
  }
  if (turn->n_items == 0)
    return;
  tfrc_send_watch_on_sent (self->watch, tfrc_flow_get_round_time (self->flow),
      turn->now);
  /* Less than a full turn was all that is due before the next tick. */
  self->release_at = turn->n_items == TFRC_SEND_MAX_BURST
      ? turn->now
      : tfrc_time_add (turn->now, TIMER_GRANULARITY);
}

static TfrcTime
get_next_send_at (const TfrcSendSchedule *self)
{
  return tfrc_time_max (tfrc_flow_next_send_at (self->flow),
      tfrc_send_breaker_next_send_at (self->breaker));
}
