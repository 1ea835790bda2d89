/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcvideoscale as an encoder sees it. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "encoder/binding.h"
#include "encoder/gsttfrcvideoscale.h"

#define CAPS(width, height) \
  "video/x-raw,format=I420,width=" #width ",height=" #height ",framerate=25/1"
#define FRAME (40 * GST_MSECOND)

typedef struct
{
  GstHarness *harness;
  GstClockTime now;
  gsize size; /* of a frame that goes in */
} Fixture;

static void
setup (Fixture *fixture, const gchar *launch)
{
  GST_ELEMENT_REGISTER (tfrcvideoscale, NULL);
  *fixture = (Fixture) { .harness = gst_harness_new_parse (launch) };
}

static void
set_source (Fixture *fixture, const gchar *caps, gsize width, gsize height)
{
  gst_harness_set_src_caps_str (fixture->harness, caps);
  fixture->size = width * height * 3 / 2;
}

/* Returns how many frames come out, each before the next one goes in. */
static guint
run (Fixture *fixture, GstClockTime time)
{
  GstClockTime end = fixture->now + time;
  guint frames = 0;

  for (; fixture->now < end; fixture->now += FRAME) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, fixture->size, NULL);

    gst_buffer_memset (buffer, 0, 128, fixture->size);
    GST_BUFFER_PTS (buffer) = fixture->now;
    GST_BUFFER_DURATION (buffer) = FRAME;
    fail_unless_equals_int (gst_harness_push (fixture->harness, buffer),
        GST_FLOW_OK);
    while ((buffer = gst_harness_try_pull (fixture->harness)) != NULL) {
      frames++;
      gst_buffer_unref (buffer);
    }
  }
  return frames;
}

static void
tell (Fixture *fixture, guint64 bitrate, const gchar *media_type)
{
  fail_unless (gst_harness_push_upstream_event (fixture->harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new (TFRC_ENCODER_BITRATE_EVENT, "bitrate",
              G_TYPE_UINT64, bitrate, "media-type", G_TYPE_STRING, media_type,
              NULL))));
}

static void
expect_rate (Fixture *fixture, gint width, gint height, gint fps_n, gint fps_d)
{
  GstCaps *caps = gst_pad_get_current_caps (fixture->harness->sinkpad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (info.width, width);
  fail_unless_equals_int (info.height, height);
  fail_unless_equals_int (info.fps_n, fps_n);
  fail_unless_equals_int (info.fps_d, fps_d);
  gst_caps_unref (caps);
}

static void
expect (Fixture *fixture, gint width, gint height)
{
  expect_rate (fixture, width, height, 25, 1);
}

/* 1280 * 720 * 25 * .024 = 552,960 bits/s do for all of H.264, a half needs 138,240. */
GST_START_TEST (pictures_follow_what_the_encoder_is_told)
{
  Fixture fixture;
  GstElement *element;
  gint width, height;

  setup (&fixture, "tfrcvideoscale");
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  fail_unless_equals_int (run (&fixture, GST_SECOND), 25);
  expect (&fixture, 1280, 720);
  tell (&fixture, 200000, "video/x-h264");
  fail_unless_equals_int (run (&fixture, GST_SECOND), 25);
  expect (&fixture, 640, 360);
  element = gst_harness_find_element (fixture.harness, "tfrcvideoscale");
  g_object_get (element, "width", &width, "height", &height, NULL);
  gst_object_unref (element);
  fail_unless_equals_int (width, 640);
  fail_unless_equals_int (height, 360);
  /* What it was made for does not go on to the source. */
  while (gst_harness_upstream_events_in_queue (fixture.harness) > 0) {
    GstEvent *event = gst_harness_pull_upstream_event (fixture.harness);

    fail_if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM);
    gst_event_unref (event);
  }
  tell (&fixture, 1000000, "video/x-h264");
  fail_unless_equals_int (run (&fixture, 5 * GST_SECOND), 125);
  expect (&fixture, 1280, 720);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* 150,000 of H.264's 552,960 do for a half, and of VP9's 184,320, at .008 a pixel, for
 * 3/4, which needs 103,680. */
GST_START_TEST (an_encoder_of_today_needs_less)
{
  Fixture fixture;

  setup (&fixture, "tfrcvideoscale");
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  tell (&fixture, 150000, "video/x-h264");
  run (&fixture, GST_SECOND);
  expect (&fixture, 640, 360);
  tell (&fixture, 600000, "video/x-vp9");
  run (&fixture, 5 * GST_SECOND);
  expect (&fixture, 1280, 720);
  tell (&fixture, 150000, "video/x-vp9");
  run (&fixture, 2 * GST_SECOND);
  expect (&fixture, 960, 540);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* A phone that is turned, while pictures are small. */
GST_START_TEST (a_source_of_another_size_keeps_the_part)
{
  Fixture fixture;

  setup (&fixture, "tfrcvideoscale bitrate=200000");
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  run (&fixture, GST_SECOND);
  expect (&fixture, 640, 360);
  set_source (&fixture, CAPS (720, 1280), 720, 1280);
  run (&fixture, FRAME);
  expect (&fixture, 360, 640);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

GST_START_TEST (fewer_frames_where_the_size_stays)
{
  Fixture fixture;

  setup (&fixture,
      "tfrcvideoscale degradation=maintain-resolution bitrate=280000");
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  run (&fixture, GST_SECOND);
  expect_rate (&fixture, 1280, 720, 25, 2);
  fail_unless_equals_int (run (&fixture, 2 * GST_SECOND), 25);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* Each rate has its own measure of whose turn it is. */
GST_START_TEST (fewer_frames_of_a_source_that_changes_its_rate)
{
  Fixture fixture;

  setup (&fixture,
      "tfrcvideoscale degradation=maintain-resolution bitrate=340000");
  set_source (&fixture,
      "video/x-raw,format=I420,width=1280,height=720,framerate=30000/1001",
      1280, 720);
  run (&fixture, GST_SECOND + FRAME);
  expect_rate (&fixture, 1280, 720, 15000, 1001);
  set_source (&fixture,
      "video/x-raw,format=I420,width=1280,height=720,framerate=30/1", 1280,
      720);
  fail_unless_equals_int (run (&fixture, 2 * GST_SECOND), 25);
  expect_rate (&fixture, 1280, 720, 15, 1);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* Who wants to see only. */
GST_START_TEST (passive_tells_and_changes_nothing)
{
  Fixture fixture;
  GstBus *bus = gst_bus_new ();
  GstElement *element;
  GstMessage *message;
  gint width = 0;

  setup (&fixture, "tfrcvideoscale passive=true bitrate=200000");
  element = gst_harness_find_element (fixture.harness, "tfrcvideoscale");
  gst_element_set_bus (element, bus);
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  run (&fixture, GST_SECOND);
  expect (&fixture, 1280, 720);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *told = gst_message_get_structure (message);

    fail_unless (gst_structure_has_name (told, "tfrc-picture-size"));
    gst_structure_get_int (told, "width", &width);
    gst_message_unref (message);
  }
  fail_unless_equals_int (width, 640);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* A capsfilter of the user's behind it. */
GST_START_TEST (pictures_stay_where_nothing_takes_others)
{
  Fixture fixture;
  GstBus *bus = gst_bus_new ();
  GstElement *element;
  guint warnings = 0;
  GstMessage *message;

  setup (&fixture,
      "tfrcvideoscale bitrate=200000 ! capsfilter "
      "caps=video/x-raw,width=1280,height=720");
  element = gst_harness_find_element (fixture.harness, "tfrcvideoscale");
  gst_element_set_bus (element, bus);
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  fail_unless_equals_int (run (&fixture, 4 * GST_SECOND), 100);
  expect (&fixture, 1280, 720);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL) {
    warnings++;
    gst_message_unref (message);
  }
  fail_unless_equals_int (warnings, 1);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* 3/4 of the width is had, a half is not: it stays at 3/4, and grows again. */
GST_START_TEST (what_is_refused_once_does_not_stop_what_is_not)
{
  Fixture fixture;

  setup (&fixture,
      "tfrcvideoscale ! capsfilter caps=video/x-raw,width=[900,1280]");
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  tell (&fixture, 400000, "video/x-h264");
  run (&fixture, GST_SECOND);
  expect (&fixture, 960, 540);
  tell (&fixture, 150000, "video/x-h264");
  fail_unless_equals_int (run (&fixture, 3 * GST_SECOND), 75);
  expect (&fixture, 960, 540);
  tell (&fixture, 2000000, "video/x-h264");
  run (&fixture, 5 * GST_SECOND);
  expect (&fixture, 1280, 720);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

GST_START_TEST (passive_may_be_switched_while_it_runs)
{
  GstElement *element;
  Fixture fixture;

  setup (&fixture, "tfrcvideoscale bitrate=200000");
  element = gst_harness_find_element (fixture.harness, "tfrcvideoscale");
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  run (&fixture, GST_SECOND);
  expect (&fixture, 640, 360);
  g_object_set (element, "passive", TRUE, NULL);
  run (&fixture, FRAME);
  expect (&fixture, 1280, 720);
  g_object_set (element, "passive", FALSE, NULL);
  run (&fixture, FRAME);
  expect (&fixture, 640, 360);
  gst_object_unref (element);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* A camera that says 0/1, whose frames come when they come and tell no duration. */
GST_START_TEST (a_source_of_no_frame_rate_loses_no_picture)
{
  Fixture fixture;

  setup (&fixture, "tfrcvideoscale");
  set_source (&fixture,
      "video/x-raw,format=I420,width=320,height=240,framerate=0/1", 320, 240);
  for (guint i = 0; i < 50; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, fixture.size, NULL);

    GST_BUFFER_PTS (buffer) = i * FRAME + i % 3 * FRAME / 4;
    fail_unless_equals_int (gst_harness_push (fixture.harness, buffer),
        GST_FLOW_OK);
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (fixture.harness), 50);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* What can make any size makes that of the source, not what leaves just now. */
GST_START_TEST (what_comes_before_does_not_make_the_size_that_leaves)
{
  GstCaps *caps;
  Fixture fixture;
  GstElement *element;
  GstPad *pad;
  gint width;

  setup (&fixture, "videoscale ! tfrcvideoscale bitrate=200000");
  element = gst_harness_find_element (fixture.harness, "tfrcvideoscale");
  pad = gst_element_get_static_pad (element, "sink");
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  run (&fixture, 3 * GST_SECOND);
  expect (&fixture, 640, 360);
  caps = gst_pad_get_current_caps (pad);
  fail_unless (gst_structure_get_int (gst_caps_get_structure (caps, 0), "width",
      &width));
  fail_unless_equals_int (width, 1280);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_object_unref (element);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

/* Another encoder, linked while pictures are small. */
GST_START_TEST (what_is_linked_anew_is_asked_anew)
{
  Fixture fixture;
  GstElement *filter;

  setup (&fixture, "tfrcvideoscale bitrate=200000 ! capsfilter name=f");
  filter = gst_harness_find_element (fixture.harness, "capsfilter");
  set_source (&fixture, CAPS (1280, 720), 1280, 720);
  run (&fixture, GST_SECOND);
  expect (&fixture, 640, 360);
  gst_util_set_object_arg (G_OBJECT (filter), "caps",
      "video/x-raw,width=1280,height=720");
  run (&fixture, GST_SECOND);
  expect (&fixture, 1280, 720);
  gst_util_set_object_arg (G_OBJECT (filter), "caps", "video/x-raw");
  run (&fixture, GST_SECOND);
  expect (&fixture, 640, 360);
  gst_object_unref (filter);
  gst_harness_teardown (fixture.harness);
}

GST_END_TEST;

static Suite *
video_scale_suite (void)
{
  Suite *s = suite_create ("video-scale");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, pictures_follow_what_the_encoder_is_told);
  tcase_add_test (tc, an_encoder_of_today_needs_less);
  tcase_add_test (tc, a_source_of_another_size_keeps_the_part);
  tcase_add_test (tc, fewer_frames_where_the_size_stays);
  tcase_add_test (tc, fewer_frames_of_a_source_that_changes_its_rate);
  tcase_add_test (tc, passive_tells_and_changes_nothing);
  tcase_add_test (tc, pictures_stay_where_nothing_takes_others);
  tcase_add_test (tc, what_is_refused_once_does_not_stop_what_is_not);
  tcase_add_test (tc, passive_may_be_switched_while_it_runs);
  tcase_add_test (tc, a_source_of_no_frame_rate_loses_no_picture);
  tcase_add_test (tc, what_comes_before_does_not_make_the_size_that_leaves);
  tcase_add_test (tc, what_is_linked_anew_is_asked_anew);
  return s;
}

GST_CHECK_MAIN (video_scale);
