/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of dropping. */

#include "send/queue-drop.h"

static gboolean must_drop (const TfrcDropPass *self, TfrcDropRun *run,
    const TfrcQueueItem *item, gboolean overfull);
static gboolean is_protected (const TfrcQueueItem *item);
static gboolean can_be_spared (const TfrcDropPass *self,
    const TfrcQueueItem *item);

void
tfrc_drop_pass_start (TfrcDropPass *self, const GPtrArray *streams,
    TfrcDuration max_age, gboolean heard, TfrcTime now)
{
  self->max_age = max_age;
  self->heard = heard;
  self->now = now;
  self->n_runs = streams->len;
  for (guint i = 0; i < streams->len; i++) {
    self->runs[i] = (TfrcDropRun) { .stream = g_ptr_array_index (streams, i) };
    self->runs[i].stream->index = i;
  }
}

gboolean
tfrc_drop_pass_look (TfrcDropPass *self, TfrcQueueItem *item, gboolean overfull)
{
  TfrcDropRun *run = &self->runs[item->stream->index];

  if (must_drop (self, run, item, overfull)) {
    run->skipped = (guint16) (run->skipped + item->skipped + 1);
    return TRUE;
  }
  item->skipped = (guint16) (item->skipped + run->skipped);
  run->skipped = 0;
  return FALSE;
}

void
tfrc_drop_pass_end (TfrcDropPass *self)
{
  for (guint i = 0; i < self->n_runs; i++) {
    const TfrcDropRun *run = &self->runs[i];
    TfrcSendStream *stream = run->stream;

    stream->skipped = (guint16) (stream->skipped + run->skipped);
    if (run->up_to_key && !stream->waiting) {
      stream->waiting = TRUE;
      stream->waiting_since = self->now;
    }
    if (run->up_to_key)
      tfrc_send_stream_ask_key_frame (stream, self->now);
  }
}

static gboolean
must_drop (const TfrcDropPass *self, TfrcDropRun *run,
    const TfrcQueueItem *item, gboolean overfull)
{
  gboolean over = overfull
      || (tfrc_time_since (item->arrived_at, self->now) > self->max_age
          && can_be_spared (self, item));

  if (is_protected (item) || (item->key && !over)) {
    run->up_to_key &= !item->key;
    return FALSE;
  }
  /* The rest of a dropped frame is younger by some microseconds. */
  if (over || run->up_to_key || item->frame == item->stream->dropped_frame) {
    if (item->stream->video && !item->droppable)
      run->up_to_key = TRUE;
    return TRUE;
  }
  return FALSE;
}

static gboolean
is_protected (const TfrcQueueItem *item)
{
  const TfrcSendStream *stream = item->stream;

  return stream->video
      && ((stream->leaving && stream->leaving_frame == item->frame)
          || (stream->has_key && stream->newest_key == item->frame));
}

/* With a frame of video all that follow up to a key frame go.  While none can
 * be asked for, that would leave a flow that gets reports with nothing to send,
 * and they take away the rate that it does not use (recv_limit of RFC 5348
 * section 4.3): an encoder that makes more than the rate would never get out of
 * that.  So its frames are late, for a second at most. */
static gboolean
can_be_spared (const TfrcDropPass *self, const TfrcQueueItem *item)
{
  const TfrcSendStream *stream = item->stream;

  return !self->heard || !stream->video || item->droppable || stream->waiting
      || (stream->has_key && item->frame < stream->newest_key)
      || tfrc_key_limit_may_ask (&stream->key_limit, self->now);
}
