/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A queue with one stream. */

#include "send/queue-fixture.h"

void
tfrc_queue_fixture_init (TfrcQueueFixture *self, const gchar *caps_string)
{
  GstCaps *caps = gst_caps_from_string (caps_string);

  self->queue = tfrc_queue_new ();
  self->stream = tfrc_queue_add_stream (self->queue, SSRC);
  tfrc_send_stream_set_caps (self->stream, gst_caps_get_structure (caps, 0));
  gst_caps_unref (caps);
  self->seq = 65533; /* every test wraps */
  self->now = 10 * TFRC_SECOND;
}

void
tfrc_queue_fixture_init_video (TfrcQueueFixture *self)
{
  tfrc_queue_fixture_init (self,
      "application/x-rtp, media=video, encoding-name=H264");
}

gboolean
tfrc_queue_fixture_push_packet (TfrcQueueFixture *self, guint32 timestamp,
    gboolean key, gboolean droppable)
{
  TfrcQueueItem packet = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .stream = self->stream,
    .timestamp = timestamp,
    .size = 100,
    .seq = self->seq++,
    .key = key,
    .droppable = droppable,
  };

  return tfrc_queue_push_packet (self->queue, &packet, self->now);
}

guint
tfrc_queue_fixture_push_frame (TfrcQueueFixture *self, guint32 frame, guint n,
    gboolean key)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    if (tfrc_queue_fixture_push_packet (self, frame, key && i == 0, FALSE))
      kept++;
  return kept;
}

void
tfrc_queue_fixture_assert_pop (TfrcQueueFixture *self, guint32 frame,
    guint16 seq)
{
  TfrcQueueItem item;

  fail_unless (tfrc_queue_pop (self->queue, &item));
  fail_unless (item.stream == self->stream);
  assert_equals_int (item.timestamp, frame);
  assert_equals_int (item.seq, seq);
  gst_mini_object_unref (item.object);
}

void
tfrc_queue_fixture_assert_empty (TfrcQueueFixture *self)
{
  fail_unless (tfrc_queue_peek (self->queue) == NULL);
  assert_equals_int (tfrc_queue_get_packets (self->queue), 0);
  assert_equals_uint64 (tfrc_queue_get_bytes (self->queue), 0);
}

void
tfrc_queue_fixture_trim (TfrcQueueFixture *self)
{
  tfrc_queue_trim (self->queue, MAX_AGE, FALSE, self->now);
}
