/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order, numbering and dropping of packets.
 *
 * Priority levels share the rate by start-time fair queueing (Goyal, Vin and Cheng 1996):
 * virtual time counts bytes per weight, and the head of the level that would start first
 * is sent next.
 *
 * Retransmissions precede packets of their stream's level, as the frame that lacks one is
 * to be shown before those that wait here.  They need none of the events that they
 * overtake, since the original packets were sent before those. */

#include "send/queue.h"

#include <gst/video/video.h>

#include "common/rtp.h"
#include "common/stats.h"

#define INITIAL_LENGTH 256
#define RTX_LEVEL GST_TFRC_PRIORITY_AUTO /* the level of retransmissions */
/* A frame that is not sent within this time is of no use but for the report on its end. */
#define END_ONLY_AGE TFRC_SECOND

static const TfrcQueueItem an_event = { NULL };

/* Arguments of tfrc_queue_trim. */
typedef struct
{
  TfrcDuration max_age;
  TfrcDuration max_frame_age;
  gboolean has_receiver;
  gboolean awaits_end;
  TfrcTime now;
} Limits;

TfrcQueue *
tfrc_queue_new (void)
{
  TfrcQueue *self = g_new0 (TfrcQueue, 1);

  self->items = gst_queue_array_new_for_struct (sizeof (TfrcQueueItem),
      INITIAL_LENGTH);
  self->rtx = gst_queue_array_new_for_struct (sizeof (TfrcQueueItem),
      INITIAL_LENGTH);
  self->streams = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
tfrc_queue_free (TfrcQueue *self)
{
  tfrc_queue_reset (self);
  gst_queue_array_free (self->items);
  gst_queue_array_free (self->rtx);
  g_ptr_array_unref (self->streams);
  g_free (self);
}

static GstQueueArray *
get_head_array (const TfrcQueue *self)
{
  const TfrcQueueItem *rtx = gst_queue_array_peek_head_struct (self->rtx);

  return rtx != NULL
          && tfrc_queue_allows_repair (self,
              tfrc_queue_find_stream (self, rtx->repaired_ssrc))
      ? self->rtx
      : self->items;
}

static void
unref_item (TfrcQueueItem *item)
{
  gst_mini_object_unref (item->object);
  gst_clear_event (&item->segment);
}

void
tfrc_queue_reset (TfrcQueue *self)
{
  TfrcQueueItem *item;

  while ((item = gst_queue_array_pop_head_struct (get_head_array (self)))
      != NULL)
    unref_item (item);
  gst_clear_event (&self->sent_segment);
  gst_clear_event (&self->caps);
  g_ptr_array_set_size (self->streams, 0);
  self->newest = NULL;
  self->n_arrived = 0;
  self->packets = 0;
  memset (self->packets_of, 0, sizeof self->packets_of);
  self->virtual_time = 0;
  memset (self->ends, 0, sizeof self->ends);
  self->bytes = self->can_wait_bytes = 0;
  self->events = 0;
  self->counters = (TfrcQueueCounters) { 0 };
}

TfrcSendStream *
tfrc_queue_find_stream (const TfrcQueue *self, guint32 ssrc)
{
  return self->newest != NULL && self->newest->ssrc == ssrc
      ? self->newest
      : tfrc_ssrc_find (self->streams, ssrc);
}

static void
uncount (TfrcQueue *self, const TfrcQueueItem *item)
{
  item->stream->queued--;
  self->packets--;
  self->packets_of[item->level]--;
  self->bytes -= item->size;
  self->can_wait_bytes -= item->can_wait ? item->size : 0;
}

static void
count_drop (TfrcQueue *self, TfrcSendStream *stream, guint32 frame)
{
  if (stream->counted_frame != frame)
    self->counters.frames_dropped++;
  stream->counted_frame = frame;
  stream->dropped_frame = MAX (stream->dropped_frame, frame);
  self->counters.packets_dropped++;
}

static void
drop_item (TfrcQueue *self, TfrcQueueItem *item)
{
  count_drop (self, item->stream, item->frame);
  uncount (self, item);
  unref_item (item);
}

/* `stream` NULL: of all streams. */
static void
drop_packets_of (TfrcQueue *self, GstQueueArray *items,
    const TfrcSendStream *stream)
{
  guint n = gst_queue_array_get_length (items);

  for (guint i = 0; i < n; i++) {
    TfrcQueueItem item =
        *(TfrcQueueItem *) gst_queue_array_pop_head_struct (items);

    if (item.stream == NULL || (stream != NULL && item.stream != stream)) {
      gst_queue_array_push_tail_struct (items, &item);
      continue;
    }
    item.stream->skipped = (guint16) (item.stream->skipped + item.skipped + 1);
    drop_item (self, &item);
  }
}

static void
make_room_for_stream (TfrcQueue *self)
{
  TfrcSendStream *oldest = g_ptr_array_index (self->streams, 0);

  for (guint i = 1; i < self->streams->len; i++) {
    TfrcSendStream *stream = g_ptr_array_index (self->streams, i);

    if (stream->arrival < oldest->arrival)
      oldest = stream;
  }
  /* In both queues: it may have become an RTX stream by new caps. */
  if (oldest->queued > 0)
    drop_packets_of (self, self->rtx, oldest);
  if (oldest->queued > 0)
    drop_packets_of (self, self->items, oldest);
  if (self->newest == oldest)
    self->newest = NULL;
  g_ptr_array_remove (self->streams, oldest);
}

TfrcSendStream *
tfrc_queue_add_stream (TfrcQueue *self, guint32 ssrc)
{
  TfrcSendStream *stream = tfrc_send_stream_new (ssrc);

  if (self->streams->len >= TFRC_QUEUE_MAX_STREAMS)
    make_room_for_stream (self);
  stream->arrival = self->n_arrived++;
  g_ptr_array_add (self->streams, stream);
  return stream;
}

TfrcSendStream *
tfrc_queue_get_stream (const TfrcQueue *self, guint n)
{
  return n < self->streams->len ? g_ptr_array_index (self->streams, n) : NULL;
}

void
tfrc_queue_update_level (TfrcQueue *self, TfrcSendStream *stream)
{
  const guint8 level = (guint8) tfrc_send_stream_get_level (stream);
  guint n = gst_queue_array_get_length (self->items);

  for (guint i = 0; i < n; i++) {
    TfrcQueueItem *item = gst_queue_array_peek_nth_struct (self->items, i);

    if (item->stream != stream)
      continue;
    self->packets_of[item->level]--;
    self->packets_of[level]++;
    item->level = level;
  }
}

/* Drops the oldest event that is not sticky, or is superseded by `event`, of the same
 * type.  If there is none, all events are sticky and of different types, so there are
 * few. */
static void
make_room_for_event (TfrcQueue *self, GstEvent *event)
{
  guint n = gst_queue_array_get_length (self->items);

  for (guint i = 0; i < n; i++) {
    TfrcQueueItem item =
        *(TfrcQueueItem *) gst_queue_array_peek_nth_struct (self->items, i);

    if (item.stream != NULL
        || (GST_EVENT_IS_STICKY (item.object)
            && GST_EVENT_TYPE (item.object) != GST_EVENT_TYPE (event)))
      continue;
    gst_queue_array_drop_struct (self->items, i, NULL);
    self->events--;
    unref_item (&item);
    return;
  }
}

/* Compares the caps to those before, and keeps them for the next call. */
static gboolean
are_same_caps (TfrcQueue *self, GstEvent *event)
{
  GstCaps *caps, *old_caps;
  gboolean same = FALSE;

  gst_event_parse_caps (event, &caps);
  if (self->caps != NULL) {
    gst_event_parse_caps (self->caps, &old_caps);
    same = gst_caps_is_strictly_equal (caps, old_caps);
  }
  gst_event_replace (&self->caps, event);
  return same;
}

static GstEvent *
ref_segment (const TfrcSendInput *input)
{
  return input != NULL && input->segment != NULL
      ? gst_event_ref (input->segment)
      : NULL;
}

void
tfrc_queue_push_event (TfrcQueue *self, TfrcSendInput *input, GstEvent *event)
{
  TfrcQueueItem item = { .object = GST_MINI_OBJECT_CAST (event) };

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_take (&input->segment, event);
    return;
  }
  /* Several inputs mostly have the same caps; each event would be a barrier for packets. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && are_same_caps (self, event)) {
    gst_event_unref (event);
    return;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    gst_clear_event (&self->caps);
  /* GstVideoEncoder sends it before the key frame that answers our request. */
  if (input != NULL && gst_video_event_is_force_key_unit (event))
    input->key_announced = TRUE;
  if (self->events >= TFRC_QUEUE_MAX_EVENTS)
    make_room_for_event (self, event);
  self->events++;
  item.segment = ref_segment (input);
  gst_queue_array_push_tail_struct (self->items, &item);
}

/* A requested key frame of the stream came in.  All its queued retransmissions are older,
 * and would only delay the key frame. */
static void
drop_repetitions_of (TfrcQueue *self, guint32 ssrc)
{
  guint n = gst_queue_array_get_length (self->rtx);

  for (guint i = 0; i < n; i++) {
    const TfrcQueueItem *item = gst_queue_array_peek_nth_struct (self->rtx, i);

    if (item->repaired_ssrc == ssrc) {
      drop_packets_of (self, self->rtx, item->stream);
      return;
    }
  }
}

/* A GstForceKeyUnit event came before this packet, the first of a frame: it is a key
 * frame. */
static gboolean
take_announcement (const TfrcSendStream *stream, guint32 timestamp)
{
  if (stream->input == NULL || !stream->input->key_announced || !stream->video
      || stream->knows_key_frames
      || (stream->started && timestamp == stream->timestamp))
    return FALSE;
  stream->input->key_announced = FALSE;
  return TRUE;
}

gboolean
tfrc_queue_push_packet (TfrcQueue *self, const TfrcQueueItem *packet,
    TfrcTime now)
{
  TfrcSendStream *stream = packet->stream;
  TfrcQueueItem item = *packet;
  gboolean announced = take_announcement (stream, packet->timestamp);
  gboolean old = tfrc_send_stream_is_old (stream, packet->timestamp, now);
  guint32 asked_key = stream->asked_key;
  gboolean new_frame;

  stream->bytes += packet->size;
  stream->payload_bytes += packet->payload_size;
  stream->arrival = self->n_arrived++;
  self->newest = stream;
  new_frame = tfrc_send_stream_on_packet (stream, packet->seq,
      packet->timestamp, !old && (packet->key || announced));
  if (stream->asked_key != asked_key)
    drop_repetitions_of (self, stream->ssrc);

  if (old || tfrc_send_stream_must_drop (stream, new_frame, now)) {
    count_drop (self, stream, stream->frame);
    stream->skipped++;
    gst_mini_object_unref (packet->object);
    return FALSE;
  }

  item.ssrc = stream->ssrc;
  item.arrived_at = now;
  item.frame = stream->frame;
  item.key = stream->frame_is_key;
  item.skipped = stream->skipped;
  item.can_wait = tfrc_send_input_can_wait (stream->input);
  if (!stream->is_rtx) {
    item.level = (guint8) tfrc_send_stream_get_level (stream);
    item.segment = ref_segment (stream->input);
  }
  stream->skipped = 0;
  stream->queued++;
  self->packets++;
  self->packets_of[item.level]++;
  self->bytes += item.size;
  self->can_wait_bytes += item.can_wait ? item.size : 0;
  gst_queue_array_push_tail_struct (stream->is_rtx ? self->rtx : self->items,
      &item);
  return TRUE;
}

static gboolean
is_protected (const TfrcQueueItem *item, const Limits *limits)
{
  const TfrcSendStream *stream = item->stream;

  if (limits->awaits_end && !item->ends_frame
      && tfrc_time_since (item->arrived_at, limits->now) > END_ONLY_AGE)
    return FALSE;
  return stream->video
      && ((stream->has_sent && stream->sent_frame == item->frame)
          || (stream->has_key && stream->newest_key == item->frame));
}

/* After a frame of video all that follow up to a key frame are dropped.  While none may
 * be requested, a flow that gets reports would then have nothing to send, and be limited
 * by what it received (recv_limit of RFC 5348 section 4.3).  An encoder that makes more
 * than the rate would never recover from that, so its frames are sent late instead, for a
 * second at most. */
static gboolean
can_be_spared (const TfrcQueueItem *item, const Limits *limits)
{
  const TfrcSendStream *stream = item->stream;

  if (tfrc_send_input_can_wait (stream->input))
    return FALSE;
  return !limits->has_receiver || !stream->video || item->droppable
      || stream->waiting
      || (stream->has_key && item->frame < stream->newest_key)
      || tfrc_key_limit_may_ask (&stream->key_limit, limits->now);
}

static gboolean
is_too_old (const TfrcQueueItem *item, const Limits *limits)
{
  const TfrcSendStream *stream = item->stream;
  /* A key frame that is queued already replaces what is in front of it. */
  gboolean needed = stream->video && !item->droppable
      && !(stream->has_key && item->frame < stream->newest_key);

  return tfrc_time_since (item->arrived_at, limits->now)
      > (needed ? limits->max_frame_age : limits->max_age);
}

static gboolean
must_drop (const TfrcQueueItem *item, const Limits *limits, gboolean overfull)
{
  TfrcSendStream *stream = item->stream;
  gboolean over = overfull
      || (is_too_old (item, limits) && can_be_spared (item, limits));

  if (is_protected (item, limits) || (item->key && !over)) {
    stream->trim_to_key &= !item->key || item->frame == stream->dropped_frame;
    return FALSE;
  }
  /* The rest of a dropped frame may be younger by some microseconds. */
  if (over || stream->trim_to_key || item->frame == stream->dropped_frame) {
    if (stream->video && !item->droppable)
      stream->trim_to_key = TRUE;
    return TRUE;
  }
  return FALSE;
}

/* Accounts dropped packets that were at the end of the queue, and requests a key frame if
 * needed. */
static void
end_trim (TfrcSendStream *stream, TfrcTime now)
{
  stream->skipped = (guint16) (stream->skipped + stream->trimmed);
  stream->trimmed = 0;
  if (!stream->trim_to_key)
    return;
  stream->trim_to_key = FALSE;
  if (!stream->waiting)
    stream->waiting_since = now;
  stream->waiting = TRUE;
  tfrc_send_stream_ask_key_frame (stream, now);
}

static gboolean
is_overfull (const TfrcQueue *self)
{
  return self->bytes > TFRC_QUEUE_MAX_BYTES;
}

/* The packet that came first, behind events or not; NULL = none. */
static const TfrcQueueItem *
peek_oldest (GstQueueArray *items)
{
  guint n = gst_queue_array_get_length (items);

  for (guint i = 0; i < n; i++) {
    const TfrcQueueItem *item = gst_queue_array_peek_nth_struct (items, i);

    if (item->stream != NULL)
      return item;
  }
  return NULL;
}

static void
trim_items (TfrcQueue *self, GstQueueArray *items, const Limits *limits)
{
  const TfrcQueueItem *oldest = peek_oldest (items);
  guint n = gst_queue_array_get_length (items);

  if (oldest == NULL
      || (tfrc_time_since (oldest->arrived_at, limits->now) <= limits->max_age
          && !is_overfull (self)))
    return;

  for (guint i = 0; i < n; i++) {
    TfrcQueueItem item =
        *(TfrcQueueItem *) gst_queue_array_pop_head_struct (items);
    TfrcSendStream *stream = item.stream;

    if (stream != NULL && must_drop (&item, limits, is_overfull (self))) {
      stream->trimmed = (guint16) (stream->trimmed + item.skipped + 1);
      drop_item (self, &item);
      continue;
    }
    if (stream != NULL) {
      item.skipped = (guint16) (item.skipped + stream->trimmed);
      stream->trimmed = 0;
    }
    gst_queue_array_push_tail_struct (items, &item);
  }
  for (guint i = 0; i < self->streams->len; i++)
    end_trim (g_ptr_array_index (self->streams, i), limits->now);
}

void
tfrc_queue_trim (TfrcQueue *self, TfrcDuration max_age,
    TfrcDuration max_frame_age, gboolean has_receiver, gboolean awaits_end,
    TfrcTime now)
{
  const Limits limits = { max_age, max_frame_age, has_receiver, awaits_end,
    now };

  trim_items (self, self->rtx, &limits);
  trim_items (self, self->items, &limits);
}

void
tfrc_queue_drop_packets (TfrcQueue *self)
{
  drop_packets_of (self, self->rtx, NULL);
  drop_packets_of (self, self->items, NULL);
}

void
tfrc_queue_restart_input (TfrcQueue *self, TfrcSendInput *input, gboolean flush)
{
  for (guint i = 0; i < self->streams->len; i++) {
    TfrcSendStream *stream = g_ptr_array_index (self->streams, i);

    if (stream->input != input)
      continue;
    if (flush) {
      drop_packets_of (self, self->rtx, stream);
      drop_packets_of (self, self->items, stream);
    }
    stream->starts_anew = TRUE;
  }
  if (flush)
    gst_clear_event (&input->segment);
  input->key_announced = FALSE;
}

void
tfrc_queue_forget_input (TfrcQueue *self, TfrcSendInput *input)
{
  for (guint i = 0; i < self->streams->len; i++) {
    TfrcSendStream *stream = g_ptr_array_index (self->streams, i);

    if (stream->input == input)
      stream->input = NULL;
  }
  gst_clear_event (&input->segment);
}

/* An idle level does not save up its unused share. */
static guint64
get_start (const TfrcQueue *self, guint level)
{
  return MAX (self->ends[level], self->virtual_time);
}

/* If both would start at the same time, the higher level does. */
static gboolean
begins_before (const TfrcQueue *self, guint level, guint other)
{
  guint64 start = get_start (self, level),
          other_start = get_start (self, other);

  return start < other_start || (start == other_start && level > other);
}

/* The index of what is sent next, apart from retransmissions: the head, unless several
 * levels have packets before the next event. */
static guint
find_next (const TfrcQueue *self)
{
  guint n = gst_queue_array_get_length (self->items);
  const TfrcQueueItem *best = NULL;
  gboolean seen[TFRC_QUEUE_LEVELS] = { FALSE };
  guint unseen = 0, place = 0;

  for (guint level = 1; level < TFRC_QUEUE_LEVELS; level++)
    unseen += self->packets_of[level] > 0;
  if (unseen < 2)
    return 0;
  for (guint i = 0; i < n && unseen > 0; i++) {
    const TfrcQueueItem *item = gst_queue_array_peek_nth_struct (self->items,
        i);

    if (item->stream == NULL) {
      if (i == 0
          || !gst_video_event_is_force_key_unit (GST_EVENT_CAST (item->object)))
        break;
      continue;
    }
    if (seen[item->level])
      continue;
    seen[item->level] = TRUE;
    unseen--;
    if (best == NULL || begins_before (self, item->level, best->level)) {
      best = item;
      place = i;
    }
  }
  return place;
}

/* The index of what is sent next of `items`. */
static guint
get_place (const TfrcQueue *self, GstQueueArray *items)
{
  return items == self->rtx ? 0 : find_next (self);
}

static gboolean
is_same_segment (GstEvent *event, GstEvent *other)
{
  const GstSegment *segment, *other_segment;

  if (event == other || event == NULL || other == NULL)
    return event == other;
  gst_event_parse_segment (event, &segment);
  gst_event_parse_segment (other, &other_segment);
  return gst_segment_is_equal (segment, other_segment);
}

/* Several inputs mostly have equal segments. */
static gboolean
wants_segment (const TfrcQueue *self, const TfrcQueueItem *item)
{
  return item->segment != NULL
      && !is_same_segment (item->segment, self->sent_segment);
}

/* What an appsrc of format=bytes sends has a segment in which an rtpsession cannot count
 * time. */
static GstEvent *
make_time_segment (GstEvent *event)
{
  const GstSegment *segment;
  GstSegment time;
  guint32 seqnum = gst_event_get_seqnum (event);

  gst_event_parse_segment (event, &segment);
  if (segment->format == GST_FORMAT_TIME)
    return gst_event_ref (event);
  gst_segment_init (&time, GST_FORMAT_TIME);
  event = gst_event_new_segment (&time);
  gst_event_set_seqnum (event, seqnum);
  return event;
}

const TfrcQueueItem *
tfrc_queue_peek (const TfrcQueue *self)
{
  GstQueueArray *items = get_head_array (self);
  const TfrcQueueItem *next;

  if (gst_queue_array_is_empty (items))
    return NULL;
  next = gst_queue_array_peek_nth_struct (items, get_place (self, items));
  return wants_segment (self, next) ? &an_event : next;
}

/* The level to charge: of an RTX packet that of the original stream; RTX_LEVEL = not
 * known. */
static guint
get_level (const TfrcQueue *self, const TfrcQueueItem *item)
{
  const TfrcSendStream *original;

  if (item->level != RTX_LEVEL)
    return item->level;
  original = tfrc_queue_find_stream (self, item->repaired_ssrc);
  return original != NULL ? tfrc_send_stream_get_level (original) : RTX_LEVEL;
}

/* The highest level is charged once per byte, each level below twice as much. */
static void
charge (TfrcQueue *self, guint level, guint size)
{
  if (level == RTX_LEVEL)
    return;
  self->virtual_time = get_start (self, level);
  self->ends[level] = self->virtual_time
      + ((guint64) size << (GST_TFRC_PRIORITY_HIGH - level));
}

gboolean
tfrc_queue_pop (TfrcQueue *self, TfrcQueueItem *item)
{
  GstQueueArray *items = get_head_array (self);
  const TfrcQueueItem *next;
  TfrcSendStream *stream;
  guint place;

  if (gst_queue_array_is_empty (items))
    return FALSE;
  place = get_place (self, items);
  next = gst_queue_array_peek_nth_struct (items, place);
  if (wants_segment (self, next)) {
    gst_event_replace (&self->sent_segment, next->segment);
    *item = (TfrcQueueItem) {
      .object = GST_MINI_OBJECT_CAST (make_time_segment (next->segment)),
    };
    return TRUE;
  }

  gst_queue_array_drop_struct (items, place, item);
  gst_clear_event (&item->segment);
  stream = item->stream;
  if (stream == NULL) {
    self->events--;
    return TRUE;
  }

  item->seq = tfrc_send_stream_renumber (stream, item->frame, item->seq,
      item->skipped);
  item->renumbered = stream->offset != 0;
  charge (self, get_level (self, item), item->size);
  stream->has_sent = TRUE;
  stream->sent_frame = item->frame;
  if (item->key)
    stream->key_limit.answered = TRUE;
  uncount (self, item);
  return TRUE;
}

gboolean
tfrc_queue_allows_repair (const TfrcQueue *self, const TfrcSendStream *stream)
{
  const TfrcQueueItem *next;
  guint level;

  if (stream == NULL || gst_queue_array_is_empty (self->items))
    return TRUE;
  level = tfrc_send_stream_get_level (stream);
  next = gst_queue_array_peek_nth_struct (self->items, find_next (self));
  return next->stream == NULL || next->level == level
      || begins_before (self, level, next->level);
}

void
tfrc_queue_charge_repair (TfrcQueue *self, const TfrcSendStream *stream,
    guint size)
{
  charge (self, tfrc_send_stream_get_level (stream), size);
}

void
tfrc_queue_ask_key_frame (TfrcQueue *self, TfrcSendStream *stream, TfrcTime now)
{
  if (stream != NULL) {
    tfrc_send_stream_ask_key_frame (stream, now);
    return;
  }
  for (guint i = 0; i < self->streams->len; i++)
    tfrc_send_stream_ask_key_frame (g_ptr_array_index (self->streams, i), now);
}

gboolean
tfrc_queue_poll_key_request (TfrcQueue *self, guint32 *ssrc, TfrcTime now)
{
  for (guint i = 0; i < self->streams->len; i++) {
    TfrcSendStream *stream = g_ptr_array_index (self->streams, i);

    if (tfrc_key_limit_on_deadline (&stream->key_limit, now))
      stream->key_wanted = TRUE;
    if (stream->key_wanted) {
      stream->key_wanted = FALSE;
      self->counters.key_frame_requests++;
      *ssrc = stream->ssrc;
      return TRUE;
    }
  }
  return FALSE;
}

TfrcTime
tfrc_queue_next_deadline (const TfrcQueue *self)
{
  TfrcTime deadline = TFRC_TIME_NONE;

  for (guint i = 0; i < self->streams->len; i++) {
    const TfrcSendStream *stream = g_ptr_array_index (self->streams, i);

    if (stream->key_wanted)
      return 0;
    deadline = tfrc_time_min (deadline,
        tfrc_key_limit_next_deadline (&stream->key_limit));
  }
  return deadline;
}

/* How long the oldest packet of `items` has waited. */
static TfrcDuration
get_age (GstQueueArray *items, TfrcTime now)
{
  const TfrcQueueItem *oldest = peek_oldest (items);

  return oldest != NULL ? tfrc_time_since (oldest->arrived_at, now) : 0;
}

void
tfrc_queue_set_stats (const TfrcQueue *self, GstStructure *stats, TfrcTime now)
{
  const TfrcQueueCounters *counters = &self->counters;

  tfrc_stats_set (stats, "queue-packets", (guint64) self->packets);
  tfrc_stats_set (stats, "queue-time-ns",
      MAX (get_age (self->items, now), get_age (self->rtx, now)));
  tfrc_stats_set (stats, "frames-dropped", counters->frames_dropped);
  tfrc_stats_set (stats, "packets-dropped", counters->packets_dropped);
  tfrc_stats_set (stats, "key-frame-requests", counters->key_frame_requests);
}
