/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's queue: how it numbers, and that it is bounded. */

#include "send/queue-fixture.h"

/* What restarts, and where the number goes that follows 65533 or 9, in. */
static const struct
{
  const gchar *what;
  gboolean announced;    /* by seqnum-base in the caps */
  guint16 before, after; /* numbers that come in */
  guint16 leaves;        /* number of the second packet */
} restarts[] = {
  { "no gap", FALSE, 9, 10, 10 },
  { "upstream's own gap stays", FALSE, 9, 12, 12 },
  { "late packet keeps its number", FALSE, 9, 8, 8 },
  { "gap over the wrap stays", FALSE, 65533, 2, 2 },
  { "jump ahead is a restart", FALSE, 9, 10 + 3000, 10 },
  { "jump just short of that is a gap", FALSE, 9, 10 + 2999, 10 + 2999 },
  { "jump back is a restart", FALSE, 9, 40000, 10 },
  { "announced restart, close ahead", TRUE, 9, 15, 10 },
  { "announced restart, close behind", TRUE, 9, 5, 10 },
  { "announced restart over the wrap", TRUE, 65533, 3, 65534 },
};

GST_START_TEST (numbers_go_on_where_upstream_restarts)
{
  TfrcQueueFixture f;
  GstCaps *caps;

  tfrc_queue_fixture_init_video (&f);
  f.seq = restarts[__i__].before;
  tfrc_queue_fixture_push_frame (&f, 1, 1, TRUE);
  tfrc_queue_fixture_assert_pop (&f, 1, restarts[__i__].before);
  if (restarts[__i__].announced) {
    caps = gst_caps_new_simple ("application/x-rtp", "seqnum-base", G_TYPE_UINT,
        restarts[__i__].after, NULL);
    tfrc_send_stream_set_caps (f.stream, gst_caps_get_structure (caps, 0));
    gst_caps_unref (caps);
  }
  f.seq = restarts[__i__].after;
  tfrc_queue_fixture_push_frame (&f, 2, 1, FALSE);
  tfrc_queue_fixture_assert_pop (&f, 2, restarts[__i__].leaves);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* Frames are dropped before, between and after a restart; one leaves of each
 * part.  The numbers that leave follow each other. */
GST_START_TEST (drops_and_restarts_together_leave_no_hole)
{
  TfrcQueueFixture f;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_fixture_trim (&f); /* drops frame 1 */
  tfrc_queue_fixture_push_frame (&f, 2, 1, TRUE);
  tfrc_queue_fixture_assert_pop (&f, 2, 65533);
  tfrc_queue_fixture_push_frame (&f, 3, 4, FALSE);
  f.seq = 20000;
  tfrc_queue_fixture_push_frame (&f, 4, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_fixture_trim (&f); /* drops 3 and 4 */
  f.seq = 40000;
  tfrc_queue_fixture_push_frame (&f, 5, 2, TRUE);
  tfrc_queue_fixture_assert_pop (&f, 5, 65534);
  tfrc_queue_fixture_assert_pop (&f, 5, 65535);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* A flush drops started frames and key frames as well, but no event. */
GST_START_TEST (dropping_all_packets_keeps_events_and_numbers)
{
  TfrcQueueFixture f;
  TfrcQueueItem item;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 3, TRUE);
  tfrc_queue_fixture_assert_pop (&f, 1, 65533);
  tfrc_queue_push_event (f.queue, gst_event_new_eos ());
  tfrc_queue_drop_packets (f.queue);
  assert_equals_int (tfrc_queue_get_packets (f.queue), 0);
  fail_unless (tfrc_queue_pop (f.queue, &item));
  fail_unless (item.stream == NULL);
  gst_mini_object_unref (item.object);
  tfrc_queue_fixture_push_frame (&f, 2, 1, TRUE);
  tfrc_queue_fixture_assert_pop (&f, 2, 65534);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* Caps, then 2000 gaps between which nothing leaves: the oldest gaps go, the
 * caps and the newest gap stay; newer caps supersede the older. */
GST_START_TEST (events_are_bounded)
{
  TfrcQueueFixture f;
  TfrcQueueItem item = { NULL };
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtp");
  guint n = 0;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_push_event (f.queue, gst_event_new_caps (caps));
  for (guint i = 1; i <= 2000; i++)
    tfrc_queue_push_event (f.queue, gst_event_new_gap (i, 1));
  fail_unless (tfrc_queue_pop (f.queue, &item));
  assert_equals_int (GST_EVENT_TYPE (item.object), GST_EVENT_CAPS);
  gst_mini_object_unref (item.object);
  for (n = 1; tfrc_queue_pop (f.queue, &item); n++) {
    GstClockTime timestamp;

    gst_event_parse_gap (GST_EVENT_CAST (item.object), &timestamp, NULL);
    assert_equals_uint64 (timestamp, 2000 - TFRC_QUEUE_MAX_EVENTS + 1 + n);
    gst_mini_object_unref (item.object);
  }
  assert_equals_int (n, TFRC_QUEUE_MAX_EVENTS);

  for (guint i = 0; i < 2000; i++)
    tfrc_queue_push_event (f.queue, gst_event_new_caps (caps));
  for (n = 0; tfrc_queue_pop (f.queue, &item); n++)
    gst_mini_object_unref (item.object);
  assert_equals_int (n, TFRC_QUEUE_MAX_EVENTS);
  gst_caps_unref (caps);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* A packet comes in from each of 64 SSRCs, and leaves. */
static void
pass_packets_of_all (TfrcQueueFixture *self)
{
  for (guint i = 0; i < TFRC_QUEUE_MAX_STREAMS; i++) {
    self->stream = tfrc_queue_find_stream (self->queue, SSRC + i);
    if (self->stream == NULL)
      self->stream = tfrc_queue_add_stream (self->queue, SSRC + i);
    tfrc_queue_fixture_push_packet (self, i, FALSE, FALSE);
    tfrc_queue_fixture_assert_pop (self, i, (guint16) (self->seq - 1));
  }
}

/* The first of 64 SSRCs sends again when all have: the 65th takes the place of
 * the second, and the 66th that of the third. */
GST_START_TEST (the_stream_that_is_silent_for_longest_makes_room)
{
  TfrcQueueFixture f;

  tfrc_queue_fixture_init_video (&f);
  pass_packets_of_all (&f);
  f.stream = tfrc_queue_find_stream (f.queue, SSRC);
  tfrc_queue_fixture_push_packet (&f, 100, FALSE, FALSE);
  tfrc_queue_fixture_assert_pop (&f, 100, (guint16) (f.seq - 1));

  for (guint i = 0; i < 2; i++) {
    tfrc_queue_add_stream (f.queue, SSRC + TFRC_QUEUE_MAX_STREAMS + i);
    fail_unless (tfrc_queue_find_stream (f.queue, SSRC) == f.stream);
    fail_unless (tfrc_queue_find_stream (f.queue, SSRC + 1 + i) == NULL);
    fail_unless (tfrc_queue_find_stream (f.queue, SSRC + 2 + i) != NULL);
  }
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* A packet of each of 64 SSRCs waits: the 65th takes the place of the first,
 * whose packet goes with it; the others leave. */
GST_START_TEST (a_stream_that_makes_room_takes_its_packets_with_it)
{
  TfrcQueueFixture f;
  guint16 first_seq;

  tfrc_queue_fixture_init_video (&f);
  pass_packets_of_all (&f);
  first_seq = f.seq;
  for (guint i = 0; i < TFRC_QUEUE_MAX_STREAMS; i++) {
    f.stream = tfrc_queue_find_stream (f.queue, SSRC + i);
    tfrc_queue_fixture_push_packet (&f, 100, FALSE, FALSE);
  }

  tfrc_queue_add_stream (f.queue, SSRC + TFRC_QUEUE_MAX_STREAMS);
  fail_unless (tfrc_queue_find_stream (f.queue, SSRC) == NULL);
  for (guint i = 1; i < TFRC_QUEUE_MAX_STREAMS; i++) {
    f.stream = tfrc_queue_find_stream (f.queue, SSRC + i);
    tfrc_queue_fixture_assert_pop (&f, 100, (guint16) (first_seq + i));
  }
  tfrc_queue_fixture_assert_empty (&f);
  assert_equals_uint64 (tfrc_queue_get_counters (f.queue).packets_dropped, 1);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

static Suite *
tfrcqueue_suite (void)
{
  Suite *suite = suite_create ("tfrcqueue");
  TCase *number = tcase_create ("number");
  TCase *bounds = tcase_create ("bounds");

  tcase_add_loop_test (number, numbers_go_on_where_upstream_restarts, 0,
      G_N_ELEMENTS (restarts));
  tcase_add_test (number, drops_and_restarts_together_leave_no_hole);
  suite_add_tcase (suite, number);
  tcase_add_test (bounds, dropping_all_packets_keeps_events_and_numbers);
  tcase_add_test (bounds, events_are_bounded);
  tcase_add_test (bounds, the_stream_that_is_silent_for_longest_makes_room);
  tcase_add_test (bounds, a_stream_that_makes_room_takes_its_packets_with_it);
  suite_add_tcase (suite, bounds);
  return suite;
}

GST_CHECK_MAIN (tfrcqueue);
