/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's queue with packets of 100 bytes of one stream, in virtual time:
 * what it drops and what it keeps, how it numbers, and that it is bounded. */

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#include "send/queue.h"

#define MAX_AGE (200 * TFRC_MILLISECOND)
#define FRAME_TIME (40 * TFRC_MILLISECOND)
#define SSRC 0x1234

typedef struct
{
  TfrcQueue *queue;
  TfrcSendInput input;
  TfrcSendStream *stream;
  guint16 seq; /* of the next packet */
  gboolean ends_frame;
  TfrcTime now;
} Fixture;

static Fixture f;

static void
setup (const gchar *caps_string)
{
  GstCaps *caps = gst_caps_from_string (caps_string);

  f = (Fixture) {
    .queue = tfrc_queue_new (),
    .seq = 65533, /* every test wraps */
    .now = 10 * TFRC_SECOND,
  };
  f.stream = tfrc_queue_add_stream (f.queue, SSRC);
  f.stream->input = &f.input;
  tfrc_send_stream_set_caps (f.stream, gst_caps_get_structure (caps, 0));
  gst_caps_unref (caps);
}

static void
teardown (void)
{
  tfrc_queue_free (f.queue);
}

static void
setup_video (void)
{
  setup ("application/x-rtp, media=video, encoding-name=H264");
}

/* FALSE: dropped on arrival. */
static gboolean
push_packet (guint32 timestamp, gboolean key, gboolean droppable)
{
  TfrcQueueItem packet = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .stream = f.stream,
    .timestamp = timestamp,
    .size = 100,
    .seq = f.seq++,
    .key = key,
    .ends_frame = f.ends_frame,
    .droppable = droppable,
  };

  return tfrc_queue_push_packet (f.queue, &packet, f.now);
}

/* A frame of n packets; its number is its timestamp.  How many were taken. */
static guint
push_frame (guint32 frame, guint n, gboolean key)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++) {
    f.ends_frame = i == n - 1;
    if (push_packet (frame, key && i == 0, FALSE))
      kept++;
  }
  return kept;
}

/* So many frames of 25 a second by their timestamps, `apart`; how many were taken. */
static guint
push_video (guint32 *timestamp, guint n, TfrcDuration apart)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++) {
    f.now += apart;
    *timestamp += 3600;
    kept += push_frame (*timestamp, 2, i % 25 == 0);
    tfrc_queue_drop_packets (f.queue);
  }
  return kept / 2;
}

/* The oldest packet must be of this frame and have this number. */
static void
assert_pop (guint32 frame, guint16 seq)
{
  TfrcQueueItem item;

  fail_unless (tfrc_queue_pop (f.queue, &item));
  fail_unless (item.stream == f.stream);
  assert_equals_int (item.timestamp, frame);
  assert_equals_int (item.seq, seq);
  gst_mini_object_unref (item.object);
}

static void
assert_empty (void)
{
  fail_unless (tfrc_queue_peek (f.queue) == NULL);
  assert_equals_int (f.queue->packets, 0);
  assert_equals_uint64 (f.queue->bytes, 0);
}

static void
pop_event (void)
{
  TfrcQueueItem item;

  fail_unless (tfrc_queue_pop (f.queue, &item));
  fail_unless (item.stream == NULL);
  gst_mini_object_unref (item.object);
}

/* Of the one stream that there is. */
static gboolean
asks_key_frame (void)
{
  guint32 ssrc = SSRC;
  gboolean asks = tfrc_queue_poll_key_request (f.queue, &ssrc, f.now);

  assert_equals_int (ssrc, SSRC);
  return asks;
}

/* To MAX_AGE, with nobody heard. */
static void
trim (void)
{
  tfrc_queue_trim (f.queue, MAX_AGE, MAX_AGE, FALSE, FALSE, f.now);
}

/* A frame of one packet that is not sent in time. */
static void
drop_frame (guint32 frame)
{
  push_frame (frame, 1, FALSE);
  f.now += MAX_AGE + 1;
  trim ();
}

/* Frames 1 to 8 of two packets come 40 ms apart and none leaves.  At 8 x 40 =
 * 320 ms frames 1 to 3 are 320, 280 and 240 ms old and go; 4 to 8 need them
 * and go as well.  Frame 9 goes on arrival, frame 10 is a key frame. */
GST_START_TEST (a_late_frame_takes_all_up_to_the_next_key_frame_along)
{
  setup_video ();
  for (guint32 frame = 1; frame <= 8; frame++) {
    push_frame (frame, 2, FALSE);
    f.now += FRAME_TIME;
  }
  trim ();
  assert_empty ();
  fail_unless (asks_key_frame ());

  assert_equals_int (push_frame (9, 2, FALSE), 0);
  assert_equals_int (push_frame (10, 2, TRUE), 2);
  assert_equals_int (push_frame (11, 1, FALSE), 1);
  assert_equals_uint64 (f.queue->counters.frames_dropped, 9);
  assert_equals_uint64 (f.queue->counters.packets_dropped, 18);

  /* Nothing had left: the first number out is the first that came. */
  assert_pop (10, 65533);
  assert_pop (10, 65534);
  assert_pop (11, 65535);
  assert_empty ();
}

GST_END_TEST;

/* Not one nanosecond earlier. */
GST_START_TEST (a_frame_of_just_the_allowed_age_stays)
{
  setup_video ();
  push_frame (1, 1, FALSE);
  f.now += MAX_AGE;
  trim ();
  assert_equals_int (f.queue->packets, 1);
  f.now += 1;
  trim ();
  assert_empty ();
}

GST_END_TEST;

/* One packet of frame 1 has left, so its other two stay; frame 2 goes. */
GST_START_TEST (a_frame_that_has_begun_to_leave_stays)
{
  setup_video ();
  push_frame (1, 3, FALSE);
  push_frame (2, 2, FALSE);
  assert_pop (1, 65533);
  f.now += MAX_AGE + FRAME_TIME;
  trim ();
  assert_equals_int (f.queue->packets, 2);
  assert_pop (1, 65534);
  assert_pop (1, 65535);
  push_frame (3, 1, TRUE);
  assert_pop (3, 0);
}

GST_END_TEST;

/* A packet of frame 1 has left, then no reports come any more.  A second later, at a packet
 * in seconds, only its last packet can still draw one; of key frame 2 too. */
GST_START_TEST (without_reports_the_end_of_a_frame_stays)
{
  setup_video ();
  push_frame (1, 20, FALSE);
  assert_pop (1, 65533);
  push_frame (2, 20, TRUE);
  f.now += TFRC_SECOND;
  tfrc_queue_trim (f.queue, MAX_AGE, MAX_AGE, FALSE, TRUE, f.now);
  assert_equals_int (f.queue->packets, 39);
  f.now += 1;
  tfrc_queue_trim (f.queue, MAX_AGE, MAX_AGE, FALSE, TRUE, f.now);
  assert_equals_int (f.queue->packets, 2);
  fail_unless (asks_key_frame ());
  assert_pop (1, 65534);
  assert_pop (2, 65535);
  assert_empty ();
}

GST_END_TEST;

/* Both key frames are too old; the newer stays, all else goes. */
GST_START_TEST (the_newest_key_frame_stays)
{
  setup_video ();
  push_frame (1, 2, TRUE);
  push_frame (2, 1, FALSE);
  push_frame (3, 2, TRUE);
  push_frame (4, 1, FALSE);
  f.now += MAX_AGE + FRAME_TIME;
  trim ();
  assert_equals_int (f.queue->packets, 2);
  assert_equals_uint64 (f.queue->counters.frames_dropped, 3);
  assert_pop (3, 65533);
  assert_pop (3, 65534);
}

GST_END_TEST;

/* Frames after a key frame that stays do not wait for another. */
GST_START_TEST (a_queued_key_frame_answers_without_a_request)
{
  setup_video ();
  push_frame (1, 1, FALSE);
  f.now += MAX_AGE;
  push_frame (2, 1, FALSE);
  push_frame (3, 1, TRUE);
  push_frame (4, 1, FALSE);
  f.now += 1;
  trim ();
  fail_if (asks_key_frame ());
  assert_pop (3, 65533);
  assert_pop (4, 65534);
  assert_empty ();
}

GST_END_TEST;

/* Frame 1 is dropped and a key frame asked for at 0.2 s; frame 2, that key
 * frame, leaves.  Frame 3 is too old at 0.4 s, but the next key frame can be
 * asked for at 1.2 s: it stays until then while reports come, and not longer.
 * Without reports it goes at once. */
GST_START_TEST (late_frames_stay_while_no_key_frame_can_be_asked_for)
{
  gboolean has_receiver = __i__ == 0;
  setup_video ();
  push_frame (1, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_trim (f.queue, MAX_AGE, MAX_AGE, has_receiver, FALSE, f.now);
  fail_unless (asks_key_frame ());
  push_frame (2, 1, TRUE);
  assert_pop (2, 65533);

  push_frame (3, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_trim (f.queue, MAX_AGE, MAX_AGE, has_receiver, FALSE, f.now);
  assert_equals_int (f.queue->packets, has_receiver ? 1 : 0);
  f.now += TFRC_SECOND - MAX_AGE - 2;
  tfrc_queue_trim (f.queue, MAX_AGE, MAX_AGE, has_receiver, FALSE, f.now);
  assert_equals_int (f.queue->packets, has_receiver ? 1 : 0);
  f.now += 1;
  tfrc_queue_trim (f.queue, MAX_AGE, MAX_AGE, has_receiver, FALSE, f.now);
  assert_empty ();
  fail_unless (asks_key_frame ());
}

GST_END_TEST;

/* No request is needed where the key frame has come already: frame 3 goes. */
GST_START_TEST (late_frames_in_front_of_a_key_frame_go)
{
  setup_video ();
  push_frame (1, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_trim (f.queue, MAX_AGE, MAX_AGE, TRUE, FALSE, f.now);
  fail_unless (asks_key_frame ());
  push_frame (2, 1, TRUE);
  assert_pop (2, 65533);

  push_frame (3, 1, FALSE);
  f.now += MAX_AGE + 1;
  push_frame (4, 1, TRUE);
  tfrc_queue_trim (f.queue, MAX_AGE, 4 * MAX_AGE, TRUE, FALSE, f.now);
  assert_pop (4, 65534);
  assert_empty ();
}

GST_END_TEST;

/* A droppable frame goes, and takes its rest along but nothing else. */
GST_START_TEST (a_droppable_frame_goes_alone)
{
  setup_video ();
  push_packet (1, FALSE, TRUE);
  push_packet (1, FALSE, TRUE);
  f.now += MAX_AGE + 1;
  trim ();
  fail_if (push_packet (1, FALSE, TRUE));
  assert_equals_int (push_frame (2, 1, FALSE), 1);
  fail_if (asks_key_frame ());
  assert_pop (2, 65533);
}

GST_END_TEST;

/* The droppable frame goes at MAX_AGE, what others need only at twice that. */
GST_START_TEST (a_frame_that_others_need_has_an_age_of_its_own)
{
  setup_video ();
  push_frame (1, 1, FALSE);
  push_packet (2, FALSE, TRUE);
  push_frame (3, 1, FALSE);
  f.now += 2 * MAX_AGE;
  tfrc_queue_trim (f.queue, MAX_AGE, 2 * MAX_AGE, FALSE, FALSE, f.now);
  assert_equals_int (f.queue->packets, 2);
  fail_if (asks_key_frame ());
  f.now += 1;
  tfrc_queue_trim (f.queue, MAX_AGE, 2 * MAX_AGE, FALSE, FALSE, f.now);
  assert_empty ();
  fail_unless (asks_key_frame ());
}

GST_END_TEST;

/* Packets with one timestamp, of which the first is 1 ns too old. */
GST_START_TEST (audio_goes_packet_by_packet)
{
  setup ("application/x-rtp, media=audio, clock-rate=48000");
  push_packet (1, FALSE, FALSE);
  f.now += 1;
  push_packet (1, FALSE, FALSE);
  f.now += MAX_AGE;
  trim ();
  fail_if (asks_key_frame ());
  push_packet (1, FALSE, FALSE);
  assert_pop (1, 65533);
  assert_pop (1, 65534);
  assert_empty ();
}

GST_END_TEST;

/* Packets 65534 and 65535 are dropped, so the one that comes with number 0 leaves
 * with 65534, and so on.  What has not left is not known, nor is a number that is
 * half the way round from the newest. */
GST_START_TEST (a_number_that_left_tells_the_one_that_came)
{
  guint16 seq;

  setup_video ();
  fail_if (tfrc_send_stream_find_original (f.stream, 65533, &seq));
  push_frame (1, 1, FALSE);
  assert_pop (1, 65533);
  push_frame (2, 2, FALSE);
  f.now += MAX_AGE + 1;
  trim ();
  push_frame (3, 2, TRUE);
  assert_pop (3, 65534);
  fail_unless (tfrc_send_stream_find_original (f.stream, 65533, &seq));
  assert_equals_int (seq, 65533);
  fail_unless (tfrc_send_stream_find_original (f.stream, 65534, &seq));
  assert_equals_int (seq, 0);
  fail_if (tfrc_send_stream_find_original (f.stream, 65535, &seq));
  assert_pop (3, 65535);
  fail_unless (tfrc_send_stream_find_original (f.stream, 65535, &seq));
  assert_equals_int (seq, 1);
  fail_if (tfrc_send_stream_find_original (f.stream, 65532, &seq));
  fail_if (tfrc_send_stream_find_original (f.stream, 32767, &seq));
}

GST_END_TEST;

/* 40 times one packet leaves and one is dropped in front of the next: of the last
 * 32 of these changes all is known, of what left before the first of them
 * nothing. */
GST_START_TEST (numbers_of_long_ago_are_forgotten)
{
  guint16 seq;

  setup ("application/x-rtp, media=audio, clock-rate=48000");
  for (guint32 i = 0; i < 40; i++) {
    push_packet (2 * i, FALSE, FALSE);
    f.now += MAX_AGE + 1;
    trim ();
    push_packet (2 * i + 1, FALSE, FALSE);
    assert_pop (2 * i + 1, (guint16) (65533 + i));
  }
  /* Packet i left behind i + 1 that were dropped; the 32 newest changes begin
   * with packet 8. */
  for (guint16 i = 8; i < 40; i++) {
    fail_unless (tfrc_send_stream_find_original (f.stream,
        (guint16) (65533 + i), &seq));
    assert_equals_int (seq, (guint16) (65533 + 2 * i + 1));
  }
  fail_if (tfrc_send_stream_find_original (f.stream, (guint16) (65533 + 7),
      &seq));
}

GST_END_TEST;

/* The event comes in front of the frame that it means.  (Nobody knows how a key frame
 * of this encoding begins.) */
GST_START_TEST (the_frame_behind_a_force_key_unit_event_is_a_key_frame)
{
  setup ("application/x-rtp, media=video, encoding-name=MP4V-ES");
  drop_frame (1);
  tfrc_queue_push_event (f.queue, &f.input,
      gst_video_event_new_downstream_force_key_unit (0, 0, 0, TRUE, 1));
  assert_equals_int (push_frame (2, 2, FALSE), 2);
  pop_event ();
  assert_pop (2, 65533);
  assert_pop (2, 65534);
}

GST_END_TEST;

/* The first packet is an access unit delimiter, the second tells. */
GST_START_TEST (a_key_frame_may_tell_in_its_second_packet)
{
  setup_video ();
  drop_frame (1);
  fail_if (push_packet (2, FALSE, FALSE));
  fail_unless (push_packet (2, TRUE, FALSE));
  fail_unless (push_packet (2, FALSE, FALSE));
  assert_pop (2, 65533);
  assert_pop (2, 65534);
}

GST_END_TEST;

/* An encoder that never answers is asked at 0 s and 1 s; from 2 s on frames
 * pass as they are. */
GST_START_TEST (frames_pass_again_when_no_key_frame_comes)
{
  TfrcTime dropped_at;
  guint requests = 0;
  setup_video ();
  push_frame (1, 1, FALSE);
  f.now += MAX_AGE + 1;
  dropped_at = f.now;
  trim ();
  for (guint32 frame = 2; frame < 300; frame++) {
    while (asks_key_frame ())
      requests++;
    f.now += 10 * TFRC_MILLISECOND;
    if (push_frame (frame, 1, FALSE) > 0)
      break;
  }
  assert_equals_uint64 (f.now - dropped_at, 2 * TFRC_SECOND);
  assert_equals_int (requests, 2);
}

GST_END_TEST;

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
  GstCaps *caps;

  setup_video ();
  f.seq = restarts[__i__].before;
  push_frame (1, 1, TRUE);
  assert_pop (1, restarts[__i__].before);
  if (restarts[__i__].announced) {
    caps = gst_caps_new_simple ("application/x-rtp", "seqnum-base", G_TYPE_UINT,
        restarts[__i__].after, NULL);
    tfrc_send_stream_set_caps (f.stream, gst_caps_get_structure (caps, 0));
    gst_caps_unref (caps);
  }
  f.seq = restarts[__i__].after;
  push_frame (2, 1, FALSE);
  assert_pop (2, restarts[__i__].leaves);
}

GST_END_TEST;

/* Frames are dropped before, between and after a restart; one leaves of each
 * part.  The numbers that leave follow each other. */
GST_START_TEST (drops_and_restarts_together_leave_no_hole)
{
  setup_video ();
  push_frame (1, 1, FALSE);
  f.now += MAX_AGE + 1;
  trim (); /* drops frame 1 */
  push_frame (2, 1, TRUE);
  assert_pop (2, 65533);
  push_frame (3, 4, FALSE);
  f.seq = 20000;
  push_frame (4, 1, FALSE);
  f.now += MAX_AGE + 1;
  trim (); /* drops 3 and 4 */
  f.seq = 40000;
  push_frame (5, 2, TRUE);
  assert_pop (5, 65534);
  assert_pop (5, 65535);
}

GST_END_TEST;

/* A flush drops started frames and key frames as well, but no event. */
GST_START_TEST (dropping_all_packets_keeps_events_and_numbers)
{
  setup_video ();
  push_frame (1, 3, TRUE);
  assert_pop (1, 65533);
  tfrc_queue_push_event (f.queue, &f.input, gst_event_new_eos ());
  tfrc_queue_drop_packets (f.queue);
  assert_equals_int (f.queue->packets, 0);
  pop_event ();
  push_frame (2, 1, TRUE);
  assert_pop (2, 65534);
}

GST_END_TEST;

/* 50 frames of which all but the newest key frame, the 26th, wait for too long behind
 * caps, as downstream blocks them. */
GST_START_TEST (packets_behind_an_event_that_stays_are_too_old_as_well)
{
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtp");

  setup_video ();
  tfrc_queue_push_event (f.queue, &f.input, gst_event_new_caps (caps));
  for (guint i = 0; i < 50; i++)
    push_frame (i + 1, 1, i % 25 == 0);
  assert_equals_int (f.queue->packets, 50);
  f.now += MAX_AGE + 1;
  trim ();
  assert_equals_int (f.queue->packets, 1);
  pop_event ();
  assert_pop (26, 65533);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Caps, then 2000 gaps between which nothing leaves: the oldest gaps go, the
 * caps and the newest gap stay; newer caps supersede the older. */
GST_START_TEST (events_are_bounded)
{
  TfrcQueueItem item = { NULL };
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtp");
  guint n = 0;

  setup_video ();
  tfrc_queue_push_event (f.queue, &f.input, gst_event_new_caps (caps));
  for (guint i = 1; i <= 2000; i++)
    tfrc_queue_push_event (f.queue, &f.input, gst_event_new_gap (i, 1));
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

  for (guint i = 0; i < 2000; i++) {
    caps = gst_caps_make_writable (caps);
    gst_caps_set_simple (caps, "payload", G_TYPE_INT, i, NULL);
    tfrc_queue_push_event (f.queue, &f.input, gst_event_new_caps (caps));
  }
  for (n = 0; tfrc_queue_pop (f.queue, &item); n++)
    gst_mini_object_unref (item.object);
  assert_equals_int (n, TFRC_QUEUE_MAX_EVENTS);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* A packet comes in from each of as many SSRCs as there may be, and leaves. */
static void
pass_packets_of_all (void)
{
  for (guint i = 0; i < TFRC_QUEUE_MAX_STREAMS; i++) {
    f.stream = tfrc_queue_find_stream (f.queue, SSRC + i);
    if (f.stream == NULL)
      f.stream = tfrc_queue_add_stream (f.queue, SSRC + i);
    push_packet (i, FALSE, FALSE);
    assert_pop (i, (guint16) (f.seq - 1));
  }
}

/* The first of them sends again when all have: one more takes the place of the
 * second, and another one that of the third. */
GST_START_TEST (the_stream_that_is_silent_for_longest_makes_room)
{
  setup_video ();
  pass_packets_of_all ();
  f.stream = tfrc_queue_find_stream (f.queue, SSRC);
  push_packet (100, FALSE, FALSE);
  assert_pop (100, (guint16) (f.seq - 1));

  for (guint i = 0; i < 2; i++) {
    tfrc_queue_add_stream (f.queue, SSRC + TFRC_QUEUE_MAX_STREAMS + i);
    fail_unless (tfrc_queue_find_stream (f.queue, SSRC) == f.stream);
    fail_unless (tfrc_queue_find_stream (f.queue, SSRC + 1 + i) == NULL);
    fail_unless (tfrc_queue_find_stream (f.queue, SSRC + 2 + i) != NULL);
  }
}

GST_END_TEST;

/* In turn, a hundred of them: none is new when it sends again. */
GST_START_TEST (streams_that_all_send_stay_known)
{
  setup_video ();
  for (guint i = 0; i < 300; i++) {
    f.stream = tfrc_queue_find_stream (f.queue, SSRC + i % 100);
    if (f.stream == NULL && i < 100)
      f.stream = tfrc_queue_add_stream (f.queue, SSRC + i);
    fail_unless (f.stream != NULL);
    push_packet (i, FALSE, FALSE);
    assert_pop (i, (guint16) (f.seq - 1));
  }
}

GST_END_TEST;

/* A packet of each of them waits: one more takes the place of the first, whose packet
 * goes with it; the others leave. */
GST_START_TEST (a_stream_that_makes_room_takes_its_packets_with_it)
{
  guint16 first_seq;

  setup_video ();
  pass_packets_of_all ();
  first_seq = f.seq;
  for (guint i = 0; i < TFRC_QUEUE_MAX_STREAMS; i++) {
    f.stream = tfrc_queue_find_stream (f.queue, SSRC + i);
    push_packet (100, FALSE, FALSE);
  }

  tfrc_queue_add_stream (f.queue, SSRC + TFRC_QUEUE_MAX_STREAMS);
  fail_unless (tfrc_queue_find_stream (f.queue, SSRC) == NULL);
  for (guint i = 1; i < TFRC_QUEUE_MAX_STREAMS; i++) {
    f.stream = tfrc_queue_find_stream (f.queue, SSRC + i);
    assert_pop (100, (guint16) (first_seq + i));
  }
  assert_empty ();
  assert_equals_uint64 (f.queue->counters.packets_dropped, 1);
}

GST_END_TEST;

/* The stream turns out to be one of repetitions, or none, when a packet of it
 * waits: it takes that along all the same. */
GST_START_TEST (a_stream_whose_caps_change_takes_its_packets_with_it)
{
  static const gchar *const names[] = { "rtx", "H264" };
  GstStructure *caps = gst_structure_new ("application/x-rtp", "encoding-name",
      G_TYPE_STRING, names[1 - __i__], NULL);
  setup_video ();
  tfrc_send_stream_set_caps (f.stream, caps);
  pass_packets_of_all ();
  f.stream = tfrc_queue_find_stream (f.queue, SSRC);
  push_packet (100, FALSE, FALSE);
  gst_structure_set (caps, "encoding-name", G_TYPE_STRING, names[__i__], NULL);
  tfrc_send_stream_set_caps (f.stream, caps);
  tfrc_queue_update_level (f.queue, f.stream);
  gst_structure_free (caps);

  for (guint i = 0; i < TFRC_QUEUE_MAX_STREAMS; i++)
    tfrc_queue_add_stream (f.queue, SSRC + TFRC_QUEUE_MAX_STREAMS + i);
  fail_unless (tfrc_queue_find_stream (f.queue, SSRC) == NULL);
  assert_empty ();
}

GST_END_TEST;

static void
push_repetition (TfrcSendStream *stream, guint16 seq)
{
  TfrcQueueItem packet = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .stream = stream,
    .size = 100,
    .seq = seq,
    .repaired_ssrc = SSRC,
  };

  fail_unless (tfrc_queue_push_packet (f.queue, &packet, f.now));
}

static TfrcSendStream *
add_repetitions (void)
{
  TfrcSendStream *stream = tfrc_queue_add_stream (f.queue, SSRC + 1);
  GstStructure *caps = gst_structure_new ("application/x-rtp", "encoding-name",
      G_TYPE_STRING, "rtx", NULL);

  tfrc_send_stream_set_caps (stream, caps);
  gst_structure_free (caps);
  return stream;
}

static void
assert_pop_repetition (TfrcSendStream *stream, guint16 seq)
{
  TfrcQueueItem item;

  fail_unless (tfrc_queue_pop (f.queue, &item));
  fail_unless (item.stream == stream);
  assert_equals_int (item.seq, seq);
  gst_mini_object_unref (item.object);
}

/* Two repetitions come when an event, a frame and another event wait. */
GST_START_TEST (repetitions_leave_before_all_else_in_their_order)
{
  TfrcSendStream *stream;
  TfrcQueueItem item;

  setup_video ();
  stream = add_repetitions ();
  tfrc_queue_push_event (f.queue, &f.input, gst_event_new_gap (1, 1));
  push_frame (1, 2, FALSE);
  tfrc_queue_push_event (f.queue, &f.input, gst_event_new_gap (2, 1));
  push_repetition (stream, 7);
  push_repetition (stream, 8);
  assert_equals_int (f.queue->packets, 4);

  fail_unless (tfrc_queue_peek (f.queue)->stream == stream);
  assert_pop_repetition (stream, 7);
  assert_pop_repetition (stream, 8);
  fail_unless (tfrc_queue_pop (f.queue, &item));
  assert_equals_int (GST_EVENT_TYPE (item.object), GST_EVENT_GAP);
  gst_mini_object_unref (item.object);
  assert_pop (1, 65533);
  assert_pop (1, 65534);
  fail_unless (tfrc_queue_pop (f.queue, &item));
  gst_mini_object_unref (item.object);
  assert_empty ();
}

GST_END_TEST;

/* A repetition that has waited for too long goes, the one that came just now
 * takes its number, and the frame that is as young stays.  One that waits does
 * not keep late frames from being dropped either. */
GST_START_TEST (late_repetitions_and_late_frames_go_each_by_their_age)
{
  TfrcSendStream *stream;

  setup_video ();
  stream = add_repetitions ();
  push_repetition (stream, 7);
  f.now += MAX_AGE + 1;
  push_repetition (stream, 8);
  push_frame (1, 1, FALSE);
  trim ();
  assert_equals_uint64 (f.queue->counters.packets_dropped, 1);
  assert_pop_repetition (stream, 7);

  f.now += MAX_AGE + 1;
  push_repetition (stream, 9);
  trim ();
  assert_equals_uint64 (f.queue->counters.packets_dropped, 2);
  assert_pop_repetition (stream, 8);
  assert_empty ();
}

GST_END_TEST;

/* Frame 1 has left, a key frame is asked for (__i__ = 1) or not (0), and a packet of
 * frame 1 is repeated when frames 2 and 3 come, of which 3 is a key frame.  A
 * receiver that waits for the key frame has no use for the repetition nor, once
 * frame 2 has left as number 0 behind 65535, for what is more than four packets in
 * front of frame 3. */
GST_START_TEST (a_key_frame_that_was_asked_for_replaces_repetitions)
{
  TfrcSendStream *stream;
  setup_video ();
  stream = add_repetitions ();
  push_frame (1, 6, TRUE);
  for (guint i = 0; i < 6; i++)
    assert_pop (1, (guint16) (65533 + i));
  if (__i__ == 1) {
    tfrc_queue_ask_key_frame (f.queue, f.stream, f.now);
    fail_unless (asks_key_frame ());
  }
  push_repetition (stream, 7);
  push_frame (2, 1, FALSE);
  fail_unless (tfrc_queue_peek (f.queue)->stream == stream);
  fail_unless (tfrc_send_stream_is_of_use (f.stream, 65533));

  push_frame (3, 2, TRUE);
  assert_equals_uint64 (f.queue->counters.packets_dropped, __i__);
  assert_equals_int (tfrc_send_stream_is_of_use (f.stream, 65534), __i__ == 0);
  fail_unless (tfrc_send_stream_is_of_use (f.stream, 65535));
  if (__i__ == 0)
    assert_pop_repetition (stream, 7);
  assert_pop (2, 3);
  assert_equals_int (tfrc_send_stream_is_of_use (f.stream, 65535), __i__ == 0);
  fail_unless (tfrc_send_stream_is_of_use (f.stream, 0));
  assert_pop (3, 4);
  assert_equals_int (tfrc_send_stream_is_of_use (f.stream, 65535), __i__ == 0);
  fail_unless (tfrc_send_stream_is_of_use (f.stream, 0));
  assert_pop (3, 5);
  fail_unless (tfrc_send_stream_is_of_use (f.stream, 5));
  /* The next repetition takes the number of the one that went. */
  push_repetition (stream, 8);
  assert_pop_repetition (stream, (guint16) (8 - __i__));
}

GST_END_TEST;

/* Frame 1 has left; frame 2, a key frame that was asked for, is dropped, and the
 * key frame 3 comes unasked.  It stands in for frame 2 as soon as it leaves. */
GST_START_TEST (
    repetitions_are_of_use_again_behind_a_key_frame_that_was_dropped)
{
  setup_video ();
  push_frame (1, 5, TRUE);
  for (guint i = 0; i < 5; i++)
    assert_pop (1, (guint16) (65533 + i));
  tfrc_queue_ask_key_frame (f.queue, f.stream, f.now);
  fail_unless (asks_key_frame ());
  push_frame (2, 1, TRUE);
  tfrc_queue_drop_packets (f.queue);
  fail_if (tfrc_send_stream_is_of_use (f.stream, 65533));
  push_frame (3, 1, TRUE);
  assert_pop (3, 2);
  fail_if (tfrc_send_stream_is_of_use (f.stream, 65533));
  fail_unless (tfrc_send_stream_is_of_use (f.stream, 65534));
  fail_unless (tfrc_send_stream_is_of_use (f.stream, 2));
}

GST_END_TEST;

/* A stream of a level, added to the fixture's queue. */
static TfrcSendStream *
add_stream (guint32 ssrc, const gchar *media, GstTfrcPriority priority)
{
  TfrcSendStream *stream = tfrc_queue_add_stream (f.queue, ssrc);
  GstStructure *caps = gst_structure_new ("application/x-rtp", "media",
      G_TYPE_STRING, media, NULL);

  tfrc_send_stream_set_caps (stream, caps);
  gst_structure_free (caps);
  stream->priority = priority;
  return stream;
}

/* n more packets of 100 bytes, counted from 1; numbers are timestamps. */
static void
push_numbered (TfrcSendStream *stream, guint n)
{
  for (guint i = 0; i < n; i++) {
    const guint16 seq = stream->started ? stream->next_seq : 1;
    TfrcQueueItem packet = {
      .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
      .stream = stream,
      .timestamp = seq,
      .size = 100,
      .seq = seq,
    };

    fail_unless (tfrc_queue_push_packet (f.queue, &packet, f.now));
  }
}

/* The next n packets: how many are of `stream`; each stream's in order. */
static guint
pop_and_count (guint n, const TfrcSendStream *stream)
{
  guint count = 0;

  for (guint i = 0; i < n; i++) {
    TfrcQueueItem item;

    fail_unless (tfrc_queue_peek (f.queue)->stream != NULL);
    fail_unless (tfrc_queue_pop (f.queue, &item));
    assert_equals_int (item.seq, item.timestamp);
    assert_equals_int (item.seq, item.stream->n_sent);
    count += item.stream == stream;
    gst_mini_object_unref (item.object);
  }
  return count;
}

static void
assert_pop_event (const GstEvent *event)
{
  TfrcQueueItem item;

  fail_unless (tfrc_queue_peek (f.queue)->stream == NULL);
  fail_unless (tfrc_queue_pop (f.queue, &item));
  fail_unless (item.stream == NULL);
  fail_unless (item.object == GST_MINI_OBJECT_CAST (event));
  gst_mini_object_unref (item.object);
}

/* Audio is high and video low by itself: what comes behind a burst of video is
 * the next to leave, and what follows it at once is, too, for as long as it has
 * less than 4 of 5 bytes. */
GST_START_TEST (audio_does_not_wait_for_video_in_front_of_it)
{
  TfrcSendStream *audio;

  setup_video ();
  audio = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_AUTO);
  push_frame (1, 10, TRUE);
  assert_pop (1, 65533);
  push_numbered (audio, 2);
  assert_equals_int (pop_and_count (2, audio), 2);
  assert_pop (1, 65534);
}
GST_END_TEST;

/* Audio of 100 bytes and repair of video, both all the time: the audio goes first,
 * and gets four of five bytes.  Without audio repair goes before the video. */
GST_START_TEST (repair_of_video_is_in_the_share_of_video)
{
  TfrcSendStream *audio, *video;
  guint n_repair = 0, n_audio = 0;

  setup_video ();
  video = add_stream (SSRC + 2, "video", GST_TFRC_PRIORITY_AUTO);
  audio = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_AUTO);
  fail_unless (tfrc_queue_allows_repair (f.queue, video));
  push_numbered (video, 50);
  fail_unless (tfrc_queue_allows_repair (f.queue, video));
  tfrc_queue_charge_repair (f.queue, video, 100);
  push_numbered (audio, 50);
  fail_if (tfrc_queue_allows_repair (f.queue, video));
  fail_unless (tfrc_queue_allows_repair (f.queue, audio));
  fail_unless (tfrc_queue_allows_repair (f.queue, NULL));
  while (n_repair + n_audio < 50) {
    if (tfrc_queue_allows_repair (f.queue, video)) {
      tfrc_queue_charge_repair (f.queue, video, 100);
      n_repair++;
    } else {
      assert_equals_int (pop_and_count (1, audio), 1);
      n_audio++;
    }
  }
  assert_equals_int (n_repair, 9);
}
GST_END_TEST;

/* Of an rtprtxsend upstream.  Video has begun, so that it is not its turn. */
GST_START_TEST (a_repetition_of_video_waits_for_audio)
{
  TfrcSendStream *audio, *repeats;
  setup_video ();
  repeats = add_repetitions ();
  audio = add_stream (SSRC + 2, "audio", GST_TFRC_PRIORITY_AUTO);
  push_frame (1, 2, FALSE);
  assert_pop (1, 65533);
  push_repetition (repeats, 7);
  push_numbered (audio, 2);
  assert_equals_int (pop_and_count (2, audio), 2);
  assert_pop_repetition (repeats, 7);
  assert_pop (1, 65534);
  assert_empty ();
}
GST_END_TEST;

/* RFC 8835 section 4.1: each level gets twice what the one below gets.  150
 * packets are 10, 20, 40 and 80. */
GST_START_TEST (levels_share_the_rate_by_one_two_four_and_eight)
{
  TfrcSendStream *streams[4];
  const GstTfrcPriority level = GST_TFRC_PRIORITY_VERY_LOW + (guint) __i__;
  const guint share = 10u << __i__;
  guint n;

  setup_video ();
  for (guint i = 0; i < 4; i++) {
    streams[i] = add_stream (SSRC + 1 + i, "video",
        GST_TFRC_PRIORITY_VERY_LOW + i);
    push_numbered (streams[i], 100);
  }
  assert_equals_int (tfrc_send_stream_get_level (streams[__i__]), level);
  n = pop_and_count (150, streams[__i__]);
  fail_unless (n + 1 >= share && n <= share + 1);
}
GST_END_TEST;

/* Either level has the flow alone for 50 packets.  Then both have packets, and
 * 10 of them are 8 and 2, as if nothing had been. */
GST_START_TEST (who_has_been_idle_has_no_claim_to_more)
{
  TfrcSendStream *high, *low, *busy;
  guint n;

  setup_video ();
  high = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_HIGH);
  low = add_stream (SSRC + 2, "audio", GST_TFRC_PRIORITY_LOW);
  busy = __i__ == 0 ? high : low;
  push_numbered (busy, 50);
  assert_equals_int (pop_and_count (50, busy), 50);
  push_numbered (high, 20);
  push_numbered (low, 20);
  n = pop_and_count (10, high);
  fail_unless (n >= 7 && n <= 9);
}
GST_END_TEST;

GST_START_TEST (streams_of_one_level_leave_as_they_came)
{
  TfrcSendStream *early, *late;

  setup_video ();
  early = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_AUTO);
  late = add_stream (SSRC + 2, "video", GST_TFRC_PRIORITY_HIGH);
  push_numbered (early, 10);
  push_numbered (late, 10);
  assert_equals_int (pop_and_count (10, early), 10);
  assert_equals_int (pop_and_count (10, late), 10);
}
GST_END_TEST;

/* A new level is that of what waits, too: newer packets do not overtake it. */
GST_START_TEST (what_waits_moves_to_another_level_with_its_stream)
{
  TfrcSendStream *low, *other;

  setup_video ();
  low = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_LOW);
  other = add_stream (SSRC + 2, "audio", GST_TFRC_PRIORITY_HIGH);
  push_numbered (low, 4);
  push_numbered (other, 4);
  low->priority = GST_TFRC_PRIORITY_HIGH;
  tfrc_queue_update_level (f.queue, low);
  assert_equals_int (pop_and_count (4, low), 4);
  assert_equals_int (pop_and_count (4, other), 4);
  assert_empty ();
}
GST_END_TEST;

/* Caps may say what packets behind them are; that a key frame comes says nothing
 * of audio. */
GST_START_TEST (nothing_overtakes_an_event_but_that_of_a_key_frame)
{
  TfrcSendStream *audio;
  GstEvent *event = __i__ == 0
      ? gst_event_new_gap (0, 1)
      : gst_video_event_new_downstream_force_key_unit (0, 0, 0, TRUE, 0);

  setup_video ();
  audio = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_AUTO);
  push_frame (1, 1, TRUE);
  tfrc_queue_push_event (f.queue, &f.input, event);
  push_numbered (audio, 1);
  if (__i__ == 1)
    assert_equals_int (pop_and_count (1, audio), 1);
  assert_pop (1, 65533);
  assert_pop_event (event);
  if (__i__ == 0)
    assert_equals_int (pop_and_count (1, audio), 1);
  assert_empty ();
}
GST_END_TEST;

/* That of another pad, or of another stream there whose packets tell themselves:
 * frame 2 of those waits for a key frame, and goes. */
GST_START_TEST (a_key_frame_is_announced_to_the_streams_of_its_pad_alone)
{
  const gchar *encoding = __i__ == 0 ? "MP4V-ES" : "H264";
  gchar *caps =
      g_strdup_printf ("application/x-rtp, media=video, encoding-name=%s",
          encoding);
  TfrcSendInput other = { NULL };
  GstEvent *event = gst_video_event_new_downstream_force_key_unit (0, 0, 0,
      TRUE, 0);
  setup (caps);
  g_free (caps);
  drop_frame (1);
  tfrc_queue_push_event (f.queue, __i__ == 0 ? &other : &f.input, event);
  assert_equals_int (push_frame (2, 1, FALSE), 0);
  assert_equals_int (push_frame (3, 1, TRUE), 1);
  assert_pop_event (event);
  assert_pop (3, 65533);
}
GST_END_TEST;

/* Packets of the stream wait in one pad that is flushed: those of the other stay, and
 * the stream goes on without a hole with whatever number. */
GST_START_TEST (a_flush_takes_the_packets_of_its_pad_alone)
{
  TfrcSendInput other = { NULL };
  TfrcSendStream *audio;
  setup_video ();
  audio = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_AUTO);
  audio->input = &other;
  push_frame (1, 2, TRUE);
  push_numbered (audio, 3);
  tfrc_queue_restart_input (f.queue, &f.input, TRUE);
  assert_equals_int (f.queue->packets, 3);
  assert_equals_int (pop_and_count (3, audio), 3);
  f.seq -= 100;
  push_frame (2, 1, TRUE);
  assert_pop (2, 65533);
  assert_empty ();
}
GST_END_TEST;

/* Segments of several pads that say the same are one. */
GST_START_TEST (equal_segments_are_sent_once)
{
  TfrcSendInput other = { NULL };
  TfrcSendStream *audio;
  GstEvent *segments[2];
  GstSegment segment;
  setup_video ();
  audio = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_LOW);
  audio->input = &other;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 2; i++)
    segments[i] = gst_event_new_segment (&segment);
  tfrc_queue_push_event (f.queue, &f.input, segments[0]);
  tfrc_queue_push_event (f.queue, &other, segments[1]);
  push_frame (1, 1, TRUE);
  push_numbered (audio, 1);
  assert_pop_event (segments[0]);
  assert_pop (1, 65533);
  assert_equals_int (pop_and_count (1, audio), 1);
  assert_empty ();
  gst_event_unref (segments[0]);
  gst_event_unref (segments[1]);
}
GST_END_TEST;

/* An rtpsession counts time in it.  It still belongs to the same seek. */
GST_START_TEST (a_segment_of_bytes_leaves_as_one_of_time)
{
  const GstSegment *sent;
  GstSegment segment;
  TfrcQueueItem item;
  GstEvent *event;
  setup_video ();
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  event = gst_event_new_segment (&segment);
  tfrc_queue_push_event (f.queue, &f.input, event);
  push_frame (1, 1, TRUE);
  fail_unless (tfrc_queue_pop (f.queue, &item));
  gst_event_parse_segment (GST_EVENT_CAST (item.object), &sent);
  assert_equals_int (sent->format, GST_FORMAT_TIME);
  assert_equals_int (gst_event_get_seqnum (GST_EVENT_CAST (item.object)),
      gst_event_get_seqnum (event));
  gst_mini_object_unref (item.object);
  assert_pop (1, 65533);
  assert_empty ();
  gst_event_unref (event);
}
GST_END_TEST;

static GstEvent *
make_caps_event (const gchar *caps_string)
{
  GstCaps *caps = gst_caps_from_string (caps_string);
  GstEvent *event = gst_event_new_caps (caps);

  gst_caps_unref (caps);
  return event;
}

/* What several pads have in common: audio does not wait behind the caps of its pad
 * for the video in front of them.  A stream that begins anew has none yet. */
GST_START_TEST (equal_caps_are_sent_once)
{
  TfrcSendInput other = { NULL };
  GstEvent *caps = make_caps_event ("application/x-rtp");
  GstEvent *others = make_caps_event ("application/x-rtp, extmap-1=a");
  GstEvent *start = gst_event_new_stream_start ("a");
  TfrcSendStream *audio;
  setup_video ();
  audio = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_AUTO);
  audio->input = &other;
  tfrc_queue_push_event (f.queue, &f.input, gst_event_ref (caps));
  assert_pop_event (caps);
  push_frame (1, 2, TRUE);
  tfrc_queue_push_event (f.queue, &other,
      make_caps_event ("application/x-rtp"));
  push_numbered (audio, 1);
  assert_equals_int (pop_and_count (1, audio), 1);
  assert_pop (1, 65533);
  assert_pop (1, 65534);

  tfrc_queue_push_event (f.queue, &other, others);
  tfrc_queue_push_event (f.queue, &other, gst_event_ref (caps));
  tfrc_queue_push_event (f.queue, &other, start);
  tfrc_queue_push_event (f.queue, &other, gst_event_ref (caps));
  assert_pop_event (others);
  assert_pop_event (caps);
  assert_pop_event (start);
  assert_pop_event (caps);
  assert_empty ();
  gst_event_unref (caps);
}
GST_END_TEST;

/* Each pad has its own.  A packet takes it along, and one that overtakes does not
 * wait. */
GST_START_TEST (packets_leave_behind_the_segment_that_they_came_in)
{
  TfrcSendInput other = { NULL };
  TfrcSendStream *audio;
  GstEvent *segments[2];
  GstSegment segment;

  setup_video ();
  audio = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_AUTO);
  audio->input = &other;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 2; i++) {
    segments[i] = gst_event_new_segment (&segment);
    segment.start += GST_SECOND;
  }
  tfrc_queue_push_event (f.queue, &f.input, gst_event_ref (segments[0]));
  push_frame (1, 2, TRUE);
  tfrc_queue_push_event (f.queue, &other, gst_event_ref (segments[1]));
  push_numbered (audio, 1);
  push_frame (2, 1, FALSE);

  assert_pop_event (segments[1]);
  assert_equals_int (pop_and_count (1, audio), 1);
  assert_pop_event (segments[0]);
  assert_pop (1, 65533);
  assert_pop (1, 65534);
  assert_pop (2, 65535);
  assert_empty ();

  /* After a flush it is to be said anew. */
  gst_clear_event (&f.queue->sent_segment);
  tfrc_queue_push_event (f.queue, &f.input, gst_event_ref (segments[0]));
  push_frame (3, 1, FALSE);
  assert_pop_event (segments[0]);
  assert_pop (3, 0);
  tfrc_queue_forget_input (f.queue, &f.input);
  tfrc_queue_forget_input (f.queue, &other);
  gst_event_unref (segments[0]);
  gst_event_unref (segments[1]);
}
GST_END_TEST;

/* What is too old in front of audio goes, and the audio stays. */
GST_START_TEST (video_that_waits_too_long_is_dropped_and_audio_stays)
{
  TfrcSendStream *audio;

  setup_video ();
  audio = add_stream (SSRC + 1, "audio", GST_TFRC_PRIORITY_AUTO);
  push_frame (1, 3, FALSE);
  f.now += MAX_AGE;
  push_numbered (audio, 2);
  f.now++;
  trim ();
  assert_equals_int (pop_and_count (2, audio), 2);
  assert_empty ();
  assert_equals_uint64 (f.queue->counters.packets_dropped, 3);
}
GST_END_TEST;

/* A file whose bitrate is its own waits for the rate.  One that an encoder makes anew
 * follows that, and is dropped. */
GST_START_TEST (what_waits_instead_is_never_too_old)
{
  gboolean follows = __i__ == 1;
  guint32 timestamp = 0;
  setup_video ();
  f.input.waited = TRUE;
  f.input.follows = follows;
  push_frame (1, 2, TRUE);
  push_frame (2, 2, FALSE);
  f.now += 30 * TFRC_SECOND;
  trim ();
  assert_equals_int (f.queue->packets, follows ? 2 : 4);
  tfrc_queue_drop_packets (f.queue);
  if (!follows) {
    push_video (&timestamp, 25, FRAME_TIME);
    f.now += 30 * TFRC_SECOND;
    assert_equals_int (push_video (&timestamp, 900, FRAME_TIME / 10), 900);
  }
}

GST_END_TEST;

/* 30 s of pictures as they come when a stopped process goes on, up to the one that is
 * for now. */
GST_START_TEST (a_source_that_catches_up_is_dropped_until_it_has)
{
  guint32 timestamp = 0;

  setup_video ();
  assert_equals_int (push_video (&timestamp, 100, FRAME_TIME), 100);
  f.now += 30300 * TFRC_MILLISECOND;
  assert_equals_int (push_video (&timestamp, 1, FRAME_TIME), 1);
  fail_unless (push_video (&timestamp, 890, 6 * TFRC_MILLISECOND) < 15);
  fail_unless (asks_key_frame ());
  assert_equals_int (push_video (&timestamp, 100, FRAME_TIME), 100);
}

GST_END_TEST;

/* An encoder that is too slow, and a source that is late from now on, are not old. */
GST_START_TEST (a_source_that_does_not_catch_up_is_sent)
{
  static const TfrcDuration apart[] = { FRAME_TIME, 2 * FRAME_TIME,
    FRAME_TIME * 9 / 10 };
  guint32 timestamp = 0;
  setup_video ();
  assert_equals_int (push_video (&timestamp, 100, FRAME_TIME), 100);
  f.now += 30 * TFRC_SECOND;
  assert_equals_int (push_video (&timestamp, 1000, apart[__i__]), 1000);
}

GST_END_TEST;

/* Half of it: what is late for good passes again soon. */
GST_START_TEST (a_source_that_stays_late_is_sent_again)
{
  guint32 timestamp = 0;
  setup_video ();
  push_video (&timestamp, 100, FRAME_TIME);
  f.now += 30 * TFRC_SECOND;
  push_video (&timestamp, 400, 6 * TFRC_MILLISECOND);
  push_video (&timestamp, 50, FRAME_TIME);
  assert_equals_int (push_video (&timestamp, 1000, FRAME_TIME), 1000);
}

GST_END_TEST;

static TCase *
create_case (const gchar *name)
{
  TCase *created = tcase_create (name);

  tcase_add_checked_fixture (created, NULL, teardown);
  return created;
}

static Suite *
queue_suite (void)
{
  Suite *suite = suite_create ("queue");
  TCase *drop = create_case ("drop");
  TCase *number = create_case ("number");
  TCase *repeat = create_case ("repeat");
  TCase *bounds = create_case ("bounds");
  TCase *share = create_case ("share");

  tcase_add_test (drop, a_late_frame_takes_all_up_to_the_next_key_frame_along);
  tcase_add_test (drop, a_frame_of_just_the_allowed_age_stays);
  tcase_add_test (drop, a_frame_that_has_begun_to_leave_stays);
  tcase_add_test (drop, without_reports_the_end_of_a_frame_stays);
  tcase_add_test (drop, the_newest_key_frame_stays);
  tcase_add_test (drop, a_queued_key_frame_answers_without_a_request);
  tcase_add_loop_test (drop,
      late_frames_stay_while_no_key_frame_can_be_asked_for, 0, 2);
  tcase_add_test (drop, late_frames_in_front_of_a_key_frame_go);
  tcase_add_test (drop, a_droppable_frame_goes_alone);
  tcase_add_test (drop, a_frame_that_others_need_has_an_age_of_its_own);
  tcase_add_test (drop, audio_goes_packet_by_packet);
  tcase_add_test (drop, the_frame_behind_a_force_key_unit_event_is_a_key_frame);
  tcase_add_test (drop, a_key_frame_may_tell_in_its_second_packet);
  tcase_add_test (drop, frames_pass_again_when_no_key_frame_comes);
  tcase_add_loop_test (drop, what_waits_instead_is_never_too_old, 0, 2);
  tcase_add_test (drop, a_source_that_catches_up_is_dropped_until_it_has);
  tcase_add_loop_test (drop, a_source_that_does_not_catch_up_is_sent, 0, 3);
  tcase_add_test (drop, a_source_that_stays_late_is_sent_again);
  suite_add_tcase (suite, drop);
  tcase_add_loop_test (number, numbers_go_on_where_upstream_restarts, 0,
      G_N_ELEMENTS (restarts));
  tcase_add_test (number, drops_and_restarts_together_leave_no_hole);
  tcase_add_test (number, a_number_that_left_tells_the_one_that_came);
  tcase_add_test (number, numbers_of_long_ago_are_forgotten);
  suite_add_tcase (suite, number);
  tcase_add_test (repeat, repetitions_leave_before_all_else_in_their_order);
  tcase_add_test (repeat,
      late_repetitions_and_late_frames_go_each_by_their_age);
  tcase_add_loop_test (repeat,
      a_key_frame_that_was_asked_for_replaces_repetitions, 0, 2);
  tcase_add_test (repeat,
      repetitions_are_of_use_again_behind_a_key_frame_that_was_dropped);
  suite_add_tcase (suite, repeat);
  tcase_add_test (bounds, dropping_all_packets_keeps_events_and_numbers);
  tcase_add_test (bounds,
      packets_behind_an_event_that_stays_are_too_old_as_well);
  tcase_add_test (bounds, events_are_bounded);
  tcase_add_test (bounds, the_stream_that_is_silent_for_longest_makes_room);
  tcase_add_test (bounds, streams_that_all_send_stay_known);
  tcase_add_test (bounds, a_stream_that_makes_room_takes_its_packets_with_it);
  tcase_add_loop_test (bounds,
      a_stream_whose_caps_change_takes_its_packets_with_it, 0, 2);
  suite_add_tcase (suite, bounds);
  tcase_add_test (share, audio_does_not_wait_for_video_in_front_of_it);
  tcase_add_test (share, repair_of_video_is_in_the_share_of_video);
  tcase_add_test (share, a_repetition_of_video_waits_for_audio);
  tcase_add_loop_test (share, levels_share_the_rate_by_one_two_four_and_eight,
      0, 4);
  tcase_add_loop_test (share, who_has_been_idle_has_no_claim_to_more, 0, 2);
  tcase_add_test (share, streams_of_one_level_leave_as_they_came);
  tcase_add_test (share, what_waits_moves_to_another_level_with_its_stream);
  tcase_add_loop_test (share,
      nothing_overtakes_an_event_but_that_of_a_key_frame, 0, 2);
  tcase_add_test (share, packets_leave_behind_the_segment_that_they_came_in);
  tcase_add_test (share, equal_segments_are_sent_once);
  tcase_add_test (share, a_segment_of_bytes_leaves_as_one_of_time);
  tcase_add_test (share, equal_caps_are_sent_once);
  tcase_add_test (share, a_flush_takes_the_packets_of_its_pad_alone);
  tcase_add_loop_test (share,
      a_key_frame_is_announced_to_the_streams_of_its_pad_alone, 0, 2);
  tcase_add_test (share, video_that_waits_too_long_is_dropped_and_audio_stays);
  suite_add_tcase (suite, share);
  return suite;
}

GST_CHECK_MAIN (queue);
