/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When rtptfrcreceive asks for key frames, and what it does in state changes,
 * flushes and EOS. */

#include "receive/fixture.h"

#include <gst/video/video.h>

GST_START_TEST (test_a_loss_is_reported_at_once_and_a_key_frame_asked_for)
{
  Fixture self;
  TfrcFeedback feedback;
  guint i;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  self.payload = fixture_slice;
  for (i = 1; i <= 20; i++) {
    fixture_advance_to (&self, TFRC_SECOND + i * TFRC_MILLISECOND);
    if (i == 17)
      self.seq++;
    fixture_push_packet (&self);
  }
  /* The hole is lost with the third packet after it (i = 19). */
  fixture_pull_feedback (&self, &feedback);
  fail_unless (feedback.loss_event_rate > 0.0);
  fixture_pull_key_frame_request (&self);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-lost"), 1);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "loss-events"), 1);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "key-frame-requests"),
      1);
  fixture_clear (&self);
}

GST_END_TEST;

/* The first frame, of one packet, is none: asked at once and a second later;
 * then it comes. */
GST_START_TEST (test_a_joiner_asks_for_a_key_frame_until_it_comes)
{
  Fixture self;

  fixture_init (&self, VIDEO_CAPS);
  self.extension_id = 0;
  self.payload = fixture_slice;
  fixture_push_packet (&self);
  fixture_pull_key_frame_request (&self);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self), 2 * TFRC_SECOND);
  fixture_crank (&self);
  fixture_pull_key_frame_request (&self);
  self.payload = fixture_idr;
  fixture_push_packet (&self);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "key-frames"), 1);
  fixture_advance_to (&self, 5 * TFRC_SECOND);
  fixture_push_packet (&self);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "key-frame-requests"),
      2);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_force_key_unit_from_downstream_asks_and_goes_on)
{
  Fixture self;
  TfrcFeedback feedback;
  GstEvent *event;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  gst_harness_push_upstream_event (self.rtp,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0));
  fixture_pull_key_frame_request (&self);
  do {
    event = gst_harness_pull_upstream_event (self.rtp);
    fail_unless (event != NULL);
    if (gst_video_event_is_force_key_unit (event))
      break;
    gst_event_unref (event);
  } while (TRUE);
  gst_event_unref (event);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_key_frame_requests_can_be_turned_off)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, EXTENSION_CAPS);
  g_object_set (self.element, "key-frame-requests", FALSE, NULL);
  self.payload = fixture_slice;
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fixture_push_packet (&self);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self), TFRC_SECOND + RTT);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "key-frame-requests"),
      0);
  fixture_clear (&self);
}

GST_END_TEST;

/* The second packet is due for a report one round trip later, in PAUSED, where
 * the task sleeps until its next stats message. */
GST_START_TEST (test_nothing_is_reported_in_paused)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fixture_advance_to (&self, TFRC_SECOND + RTT / 2);
  fixture_push_packet (&self);
  g_object_set (self.element, "stats-interval", 1000, NULL);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self), TFRC_SECOND + RTT);
  gst_element_set_state (self.element, GST_STATE_PAUSED);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self),
      2 * TFRC_SECOND + RTT / 2);
  fixture_advance_to (&self, 10 * TFRC_SECOND);
  gst_element_set_state (self.element, GST_STATE_PLAYING);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless_equals_int (feedback.echo_time_us, 10000000);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "rtcp-packets"), 2);
  fixture_clear (&self);
}

GST_END_TEST;

/* After a pause the flow is a new one: its first packet is reported at once,
 * with X_recv = 0, and a jump of the sequence numbers is no loss. */
GST_START_TEST (test_resuming_forgets_the_flow_and_keeps_the_counters)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless_equals_int (gst_element_set_state (self.element,
                              GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  fixture_advance_to (&self, 10 * TFRC_SECOND);
  fail_unless_equals_int (gst_element_set_state (self.element,
                              GST_STATE_PLAYING),
      GST_STATE_CHANGE_SUCCESS);
  self.seq += 100;
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless_equals_int (feedback.echo_time_us, 10000000);
  fail_unless_equals_float (feedback.receive_rate, 0.0);
  fail_unless_equals_float (feedback.loss_event_rate, 0.0);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets"), 2);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets-lost"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

static void
wait_for_eos (GstHarness *harness)
{
  gboolean seen = FALSE;

  while (!seen) {
    GstEvent *event = gst_harness_pull_event (harness);

    fail_unless (event != NULL);
    seen = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
}

GST_START_TEST (test_eos_follows_the_last_report_and_a_flush_undoes_it)
{
  Fixture self;
  TfrcFeedback feedback;
  GstSegment segment;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless (gst_harness_push_event (self.rtp, gst_event_new_eos ()));
  wait_for_eos (self.rtcp);
  fail_unless (gst_harness_push_event (self.rtp, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (self.rtp,
      gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (self.rtp,
      gst_event_new_segment (&segment)));
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fixture_clear (&self);
}

GST_END_TEST;

/* Another stream after EOS: to the peer it is a flow of its own, whose first
 * packet is reported at once. */
GST_START_TEST (test_a_stream_that_follows_eos_is_reported)
{
  Fixture self;
  TfrcFeedback feedback;
  GstSegment segment;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless (gst_harness_push_event (self.rtp, gst_event_new_eos ()));
  wait_for_eos (self.rtcp);
  fail_unless (gst_harness_push_event (self.rtp,
      gst_event_new_stream_start ("next")));
  gst_harness_set_src_caps_str (self.rtp, EXTENSION_CAPS);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (self.rtp,
      gst_event_new_segment (&segment)));
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  fail_unless_equals_float (feedback.receive_rate, 0.0);
  /* And one that follows no EOS, as a funnel sends them, begins nothing. */
  fixture_advance_to (&self, TFRC_SECOND + RTT / 2);
  fixture_push_packet (&self);
  fail_unless (gst_harness_push_event (self.rtp,
      gst_event_new_stream_start ("next but one")));
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self), TFRC_SECOND + RTT);
  fixture_clear (&self);
}

GST_END_TEST;

/* READY and back: counters begin anew. */
GST_START_TEST (test_a_restart_begins_anew)
{
  Fixture self;
  TfrcFeedback feedback;

  fixture_init (&self, EXTENSION_CAPS);
  fixture_push_packet (&self);
  fixture_pull_feedback (&self, &feedback);
  gst_element_set_state (self.element, GST_STATE_READY);
  gst_element_set_state (self.element, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "packets"), 0);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "rtcp-packets"), 0);
  fixture_clear (&self);
}

GST_END_TEST;

/* Neither the repetition at 2 s nor a new wish gives a request. */
GST_START_TEST (test_a_stream_that_says_bye_is_no_longer_asked)
{
  static const guint8 bye[] = { 0x81, 203, 0, 1, 0x11, 0x11, 0x22, 0x22 };
  Fixture self;

  fixture_init (&self, VIDEO_CAPS);
  self.extension_id = 0;
  self.payload = fixture_slice;
  fixture_push_packet (&self);
  fixture_pull_key_frame_request (&self);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self), 2 * TFRC_SECOND);
  gst_harness_push (self.rtp, gst_buffer_new_memdup (bye, sizeof (bye)));
  g_signal_emit_by_name (self.element, "request-key-frame", 0);
  fixture_advance_to (&self, 3 * TFRC_SECOND);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "key-frame-requests"),
      1);
  fixture_clear (&self);
}

GST_END_TEST;

static GstCaps *
audio_caps (GstElement *element, guint type, guint *n_calls)
{
  fail_unless_equals_int (type, 96);
  (*n_calls)++;
  return gst_caps_from_string ("application/x-rtp, media=audio");
}

/* Sink caps that name another payload type: the application is asked once. */
GST_START_TEST (test_the_application_says_what_a_payload_type_is)
{
  Fixture self;
  guint i, n_calls = 0;

  fixture_init (&self,
      "application/x-rtp, media=video, payload=97, "
      "encoding-name=H264");
  g_signal_connect (self.element, "request-pt-map", G_CALLBACK (audio_caps),
      &n_calls);
  self.extension_id = 0;
  self.payload = fixture_slice;
  for (i = 0; i < 3; i++)
    fixture_push_packet (&self);
  fail_unless_equals_int (n_calls, 1);
  g_signal_emit_by_name (self.element, "clear-pt-map");
  fixture_push_packet (&self);
  fail_unless_equals_int (n_calls, 2);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "key-frame-requests"),
      0);
  fixture_clear (&self);
}

GST_END_TEST;

static Suite *
rtptfrcreceivestates_suite (void)
{
  Suite *suite = suite_create ("rtptfrcreceivestates");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_a_loss_is_reported_at_once_and_a_key_frame_asked_for);
  tcase_add_test (tcase, test_a_joiner_asks_for_a_key_frame_until_it_comes);
  tcase_add_test (tcase, test_force_key_unit_from_downstream_asks_and_goes_on);
  tcase_add_test (tcase, test_key_frame_requests_can_be_turned_off);
  tcase_add_test (tcase, test_nothing_is_reported_in_paused);
  tcase_add_test (tcase, test_resuming_forgets_the_flow_and_keeps_the_counters);
  tcase_add_test (tcase,
      test_eos_follows_the_last_report_and_a_flush_undoes_it);
  tcase_add_test (tcase, test_a_stream_that_follows_eos_is_reported);
  tcase_add_test (tcase, test_a_restart_begins_anew);
  tcase_add_test (tcase, test_a_stream_that_says_bye_is_no_longer_asked);
  tcase_add_test (tcase, test_the_application_says_what_a_payload_type_is);
  return suite;
}

GST_CHECK_MAIN (rtptfrcreceivestates);
