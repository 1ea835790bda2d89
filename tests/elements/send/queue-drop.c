/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sender's queue drops, and what it keeps. */

#include <gst/video/video.h>

#include "send/queue-fixture.h"

/* Frames 1 to 8 of two packets come 40 ms apart and none leaves.  At 8 x 40 =
 * 320 ms frames 1 to 3 are 320, 280 and 240 ms old and go; 4 to 8 need them
 * and go as well.  Frame 9 goes on arrival, frame 10 is a key frame. */
GST_START_TEST (a_late_frame_takes_all_up_to_the_next_key_frame_along)
{
  TfrcQueueFixture f;
  guint32 ssrc;

  tfrc_queue_fixture_init_video (&f);
  for (guint32 frame = 1; frame <= 8; frame++) {
    tfrc_queue_fixture_push_frame (&f, frame, 2, FALSE);
    f.now += FRAME_TIME;
  }
  tfrc_queue_fixture_trim (&f);
  tfrc_queue_fixture_assert_empty (&f);
  fail_unless (tfrc_queue_poll_key_request (f.queue, &ssrc, f.now));
  assert_equals_int (ssrc, SSRC);

  assert_equals_int (tfrc_queue_fixture_push_frame (&f, 9, 2, FALSE), 0);
  assert_equals_int (tfrc_queue_fixture_push_frame (&f, 10, 2, TRUE), 2);
  assert_equals_int (tfrc_queue_fixture_push_frame (&f, 11, 1, FALSE), 1);
  assert_equals_uint64 (tfrc_queue_get_counters (f.queue).frames_dropped, 9);
  assert_equals_uint64 (tfrc_queue_get_counters (f.queue).packets_dropped, 18);
  assert_equals_uint64 (tfrc_queue_get_counters (f.queue).bytes_dropped, 1800);

  /* Nothing had left: the first number out is the first that came. */
  tfrc_queue_fixture_assert_pop (&f, 10, 65533);
  tfrc_queue_fixture_assert_pop (&f, 10, 65534);
  tfrc_queue_fixture_assert_pop (&f, 11, 65535);
  tfrc_queue_fixture_assert_empty (&f);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* Not one nanosecond earlier. */
GST_START_TEST (a_frame_of_just_the_allowed_age_stays)
{
  TfrcQueueFixture f;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 1, FALSE);
  f.now += MAX_AGE;
  tfrc_queue_fixture_trim (&f);
  assert_equals_int (tfrc_queue_get_packets (f.queue), 1);
  f.now += 1;
  tfrc_queue_fixture_trim (&f);
  tfrc_queue_fixture_assert_empty (&f);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* One packet of frame 1 has left, so its other two stay; frame 2 goes. */
GST_START_TEST (a_frame_that_has_begun_to_leave_stays)
{
  TfrcQueueFixture f;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 3, FALSE);
  tfrc_queue_fixture_push_frame (&f, 2, 2, FALSE);
  tfrc_queue_fixture_assert_pop (&f, 1, 65533);
  f.now += MAX_AGE + FRAME_TIME;
  tfrc_queue_fixture_trim (&f);
  assert_equals_int (tfrc_queue_get_packets (f.queue), 2);
  tfrc_queue_fixture_assert_pop (&f, 1, 65534);
  tfrc_queue_fixture_assert_pop (&f, 1, 65535);
  tfrc_queue_fixture_push_frame (&f, 3, 1, TRUE);
  tfrc_queue_fixture_assert_pop (&f, 3, 0);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* Both key frames are too old; the newer stays, all else goes. */
GST_START_TEST (the_newest_key_frame_stays)
{
  TfrcQueueFixture f;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 2, TRUE);
  tfrc_queue_fixture_push_frame (&f, 2, 1, FALSE);
  tfrc_queue_fixture_push_frame (&f, 3, 2, TRUE);
  tfrc_queue_fixture_push_frame (&f, 4, 1, FALSE);
  f.now += MAX_AGE + FRAME_TIME;
  tfrc_queue_fixture_trim (&f);
  assert_equals_int (tfrc_queue_get_packets (f.queue), 2);
  assert_equals_uint64 (tfrc_queue_get_counters (f.queue).frames_dropped, 3);
  tfrc_queue_fixture_assert_pop (&f, 3, 65533);
  tfrc_queue_fixture_assert_pop (&f, 3, 65534);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* Frames after a key frame that stays do not wait for another. */
GST_START_TEST (a_queued_key_frame_answers_without_a_request)
{
  TfrcQueueFixture f;
  guint32 ssrc;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 1, FALSE);
  f.now += MAX_AGE;
  tfrc_queue_fixture_push_frame (&f, 2, 1, FALSE);
  tfrc_queue_fixture_push_frame (&f, 3, 1, TRUE);
  tfrc_queue_fixture_push_frame (&f, 4, 1, FALSE);
  f.now += 1;
  tfrc_queue_fixture_trim (&f);
  fail_if (tfrc_queue_poll_key_request (f.queue, &ssrc, f.now));
  tfrc_queue_fixture_assert_pop (&f, 3, 65533);
  tfrc_queue_fixture_assert_pop (&f, 4, 65534);
  tfrc_queue_fixture_assert_empty (&f);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* Frame 1 is dropped and a key frame asked for at 0.2 s; frame 2, that key
 * frame, leaves.  Frame 3 is too old at 0.4 s, but the next key frame can be
 * asked for at 1.2 s: it stays until then while reports come, and not longer.
 * Without reports it goes at once. */
GST_START_TEST (late_frames_stay_while_no_key_frame_can_be_asked_for)
{
  gboolean heard = __i__ == 0;
  TfrcQueueFixture f;
  guint32 ssrc;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_trim (f.queue, MAX_AGE, heard, f.now);
  fail_unless (tfrc_queue_poll_key_request (f.queue, &ssrc, f.now));
  tfrc_queue_fixture_push_frame (&f, 2, 1, TRUE);
  tfrc_queue_fixture_assert_pop (&f, 2, 65533);

  tfrc_queue_fixture_push_frame (&f, 3, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_trim (f.queue, MAX_AGE, heard, f.now);
  assert_equals_int (tfrc_queue_get_packets (f.queue), heard ? 1 : 0);
  f.now += TFRC_SECOND - MAX_AGE - 2;
  tfrc_queue_trim (f.queue, MAX_AGE, heard, f.now);
  assert_equals_int (tfrc_queue_get_packets (f.queue), heard ? 1 : 0);
  f.now += 1;
  tfrc_queue_trim (f.queue, MAX_AGE, heard, f.now);
  tfrc_queue_fixture_assert_empty (&f);
  fail_unless (tfrc_queue_poll_key_request (f.queue, &ssrc, f.now));
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* No request is needed where the key frame has come already: frame 3 goes. */
GST_START_TEST (late_frames_in_front_of_a_key_frame_go)
{
  TfrcQueueFixture f;
  guint32 ssrc;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_trim (f.queue, MAX_AGE, TRUE, f.now);
  fail_unless (tfrc_queue_poll_key_request (f.queue, &ssrc, f.now));
  tfrc_queue_fixture_push_frame (&f, 2, 1, TRUE);
  tfrc_queue_fixture_assert_pop (&f, 2, 65533);

  tfrc_queue_fixture_push_frame (&f, 3, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_fixture_push_frame (&f, 4, 1, TRUE);
  tfrc_queue_trim (f.queue, MAX_AGE, TRUE, f.now);
  tfrc_queue_fixture_assert_pop (&f, 4, 65534);
  tfrc_queue_fixture_assert_empty (&f);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* A droppable frame goes, and takes its rest along but nothing else. */
GST_START_TEST (a_droppable_frame_goes_alone)
{
  TfrcQueueFixture f;
  guint32 ssrc;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_packet (&f, 1, FALSE, TRUE);
  tfrc_queue_fixture_push_packet (&f, 1, FALSE, TRUE);
  f.now += MAX_AGE + 1;
  tfrc_queue_fixture_trim (&f);
  fail_if (tfrc_queue_fixture_push_packet (&f, 1, FALSE, TRUE));
  assert_equals_int (tfrc_queue_fixture_push_frame (&f, 2, 1, FALSE), 1);
  fail_if (tfrc_queue_poll_key_request (f.queue, &ssrc, f.now));
  tfrc_queue_fixture_assert_pop (&f, 2, 65533);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* Packets with one timestamp, of which the first is 1 ns too old. */
GST_START_TEST (audio_goes_packet_by_packet)
{
  TfrcQueueFixture f;
  guint32 ssrc;

  tfrc_queue_fixture_init (&f,
      "application/x-rtp, media=audio, clock-rate=48000");
  tfrc_queue_fixture_push_packet (&f, 1, FALSE, FALSE);
  f.now += 1;
  tfrc_queue_fixture_push_packet (&f, 1, FALSE, FALSE);
  f.now += MAX_AGE;
  tfrc_queue_fixture_trim (&f);
  fail_if (tfrc_queue_poll_key_request (f.queue, &ssrc, f.now));
  tfrc_queue_fixture_push_packet (&f, 1, FALSE, FALSE);
  tfrc_queue_fixture_assert_pop (&f, 1, 65533);
  tfrc_queue_fixture_assert_pop (&f, 1, 65534);
  tfrc_queue_fixture_assert_empty (&f);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* The event comes in front of the frame that it means. */
GST_START_TEST (the_frame_behind_a_force_key_unit_event_is_a_key_frame)
{
  TfrcQueueFixture f;
  TfrcQueueItem item;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_fixture_trim (&f);
  tfrc_queue_push_event (f.queue,
      gst_video_event_new_downstream_force_key_unit (0, 0, 0, TRUE, 1));
  assert_equals_int (tfrc_queue_fixture_push_frame (&f, 2, 2, FALSE), 2);
  fail_unless (tfrc_queue_pop (f.queue, &item));
  fail_unless (item.stream == NULL);
  gst_mini_object_unref (item.object);
  tfrc_queue_fixture_assert_pop (&f, 2, 65533);
  tfrc_queue_fixture_assert_pop (&f, 2, 65534);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* The first packet is an access unit delimiter, the second tells. */
GST_START_TEST (a_key_frame_may_tell_in_its_second_packet)
{
  TfrcQueueFixture f;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 1, FALSE);
  f.now += MAX_AGE + 1;
  tfrc_queue_fixture_trim (&f);
  fail_if (tfrc_queue_fixture_push_packet (&f, 2, FALSE, FALSE));
  fail_unless (tfrc_queue_fixture_push_packet (&f, 2, TRUE, FALSE));
  fail_unless (tfrc_queue_fixture_push_packet (&f, 2, FALSE, FALSE));
  tfrc_queue_fixture_assert_pop (&f, 2, 65533);
  tfrc_queue_fixture_assert_pop (&f, 2, 65534);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

/* An encoder that never answers is asked at 0 s and 1 s; from 2 s on frames
 * pass as they are. */
GST_START_TEST (frames_pass_again_when_no_key_frame_comes)
{
  TfrcQueueFixture f;
  TfrcTime dropped_at;
  guint requests = 0;
  guint32 ssrc;

  tfrc_queue_fixture_init_video (&f);
  tfrc_queue_fixture_push_frame (&f, 1, 1, FALSE);
  f.now += MAX_AGE + 1;
  dropped_at = f.now;
  tfrc_queue_fixture_trim (&f);
  for (guint32 frame = 2; frame < 300; frame++) {
    while (tfrc_queue_poll_key_request (f.queue, &ssrc, f.now))
      requests++;
    f.now += 10 * TFRC_MILLISECOND;
    if (tfrc_queue_fixture_push_frame (&f, frame, 1, FALSE) > 0)
      break;
  }
  assert_equals_uint64 (f.now - dropped_at, 2 * TFRC_SECOND);
  assert_equals_int (requests, 2);
  tfrc_queue_free (f.queue);
}

GST_END_TEST;

static Suite *
tfrcdroppass_suite (void)
{
  Suite *suite = suite_create ("tfrcdroppass");
  TCase *drop = tcase_create ("drop");

  tcase_add_test (drop, a_late_frame_takes_all_up_to_the_next_key_frame_along);
  tcase_add_test (drop, a_frame_of_just_the_allowed_age_stays);
  tcase_add_test (drop, a_frame_that_has_begun_to_leave_stays);
  tcase_add_test (drop, the_newest_key_frame_stays);
  tcase_add_test (drop, a_queued_key_frame_answers_without_a_request);
  tcase_add_loop_test (drop,
      late_frames_stay_while_no_key_frame_can_be_asked_for, 0, 2);
  tcase_add_test (drop, late_frames_in_front_of_a_key_frame_go);
  tcase_add_test (drop, a_droppable_frame_goes_alone);
  tcase_add_test (drop, audio_goes_packet_by_packet);
  tcase_add_test (drop, the_frame_behind_a_force_key_unit_event_is_a_key_frame);
  tcase_add_test (drop, a_key_frame_may_tell_in_its_second_packet);
  tcase_add_test (drop, frames_pass_again_when_no_key_frame_comes);
  suite_add_tcase (suite, drop);
  return suite;
}

GST_CHECK_MAIN (tfrcdroppass);
