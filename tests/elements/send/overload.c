/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a source that nothing makes slower is told of, and when not. */
#include "send/overload.h"

#include <math.h>

#include "send/fixture.h"

#define STEP (20 * TFRC_MILLISECOND)
#define ALLOWED 1000.0 /* bytes/s */
#define BITS_S 8

typedef struct
{
  TfrcOverload overload;
  TfrcQueue *queue;
  GPtrArray *inputs;
  TfrcSendInput input; /* not live: an appsrc is not by default */
  TfrcSendStream *stream;
  TfrcOverloadMessage message; /* the newest; `pad` is not held */
  GstPad *pad;                 /* of it; only to compare */
  TfrcTime now;
  guint n_told;
} Sources;

static Sources sources;

static GstPad *
new_pad (const gchar *name)
{
  return gst_object_ref_sink (gst_pad_new (name, GST_PAD_SINK));
}

static void
setup (void)
{
  sources = (Sources) { .now = START };
  sources.input.pad = new_pad ("camera");
  tfrc_overload_start (&sources.overload);
  sources.queue = tfrc_queue_new ();
  sources.inputs = g_ptr_array_new ();
  g_ptr_array_add (sources.inputs, &sources.input);
  sources.stream = tfrc_queue_add_stream (sources.queue, SSRC);
  sources.stream->input = &sources.input;
}

static void
teardown (void)
{
  tfrc_queue_free (sources.queue);
  g_ptr_array_unref (sources.inputs);
  gst_object_unref (sources.input.pad);
}

static void
drop_packet (void)
{
  const TfrcQueueItem packet = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .stream = sources.stream,
    .size = 100,
  };

  tfrc_queue_push_packet (sources.queue, &packet, sources.now);
  tfrc_queue_drop_packets (sources.queue);
}

/* One measurement. */
static void
measure (gdouble rate, gdouble allowed)
{
  sources.input.rate = rate;
  if (tfrc_overload_on_measured (&sources.overload, sources.queue,
          sources.inputs, allowed, sources.now, &sources.message)) {
    sources.n_told++;
    sources.pad = sources.message.pad;
    gst_clear_object (&sources.message.pad);
  }
  sources.now += STEP;
}

/* The source produces `rate` [bytes/s] for `time`, of which a packet is dropped every 20 ms
 * where it is above the rate. */
static void
run (gdouble rate, TfrcDuration time)
{
  TfrcTime end = sources.now + time;

  while (sources.now < end) {
    if (rate > ALLOWED)
      drop_packet ();
    measure (rate, ALLOWED);
  }
}

/* 5 s after it began with the first measurement, again after a minute.  A packet each
 * 20 ms, but for the one before it began: 250. */
GST_START_TEST (five_seconds_above_the_rate_are_told_and_again_each_minute)
{
  run (1500, 5 * TFRC_SECOND);
  fail_unless_equals_int (sources.n_told, 0);
  run (1500, STEP);
  fail_unless_equals_int (sources.n_told, 1);
  fail_unless (fabs (sources.message.rate - 1500) < 1);
  fail_unless (sources.message.allowed > 0.999 * ALLOWED
      && sources.message.allowed < 1.001 * ALLOWED);
  fail_unless_equals_uint64 (sources.message.n_dropped, 250);
  run (1500, 60 * TFRC_SECOND - STEP);
  fail_unless_equals_int (sources.n_told, 1);
  run (1500, STEP);
  fail_unless_equals_int (sources.n_told, 2);
}

GST_END_TEST;

/* A second below the rate is the end; what comes after that begins anew. */
GST_START_TEST (what_passes_is_not_told)
{
  for (guint i = 0; i < 5; i++) {
    run (1500, 49 * TFRC_SECOND / 10);
    run (900, TFRC_SECOND + STEP);
  }
  fail_unless_equals_int (sources.n_told, 0);
}

GST_END_TEST;

/* The nofeedback timer may expire between two reports on a slow path: 3 s, half a second
 * that counts for nothing, and 1.5 s. */
GST_START_TEST (half_a_second_without_reports_is_not_the_end)
{
  run (1500, 3 * TFRC_SECOND);
  for (guint i = 0; i < 25; i++)
    measure (1500, 0);
  run (1500, 3 * TFRC_SECOND / 2 + STEP);
  fail_unless_equals_int (sources.n_told, 1);
  fail_unless (sources.message.allowed > 0.999 * ALLOWED);
}

GST_END_TEST;

/* Half of the time above the rate, in turns of 0.5 s: 1500 and 900 bytes/s are 1200 in the
 * mean, 1050 and 900 less than 1000. */
GST_START_TEST (the_mean_of_a_rate_that_changes_counts)
{
  static const gdouble high[] = { 1500, 1050 };

  for (guint i = 0; i < 8; i++) {
    run (high[__i__], TFRC_SECOND / 2);
    run (900, TFRC_SECOND / 2);
  }
  fail_unless_equals_int (sources.n_told, __i__ == 0);
}

GST_END_TEST;

/* 1010 bytes/s for three quarters of the time and 990 else are 1005, 1 % of them dropped. */
GST_START_TEST (a_hair_above_the_rate_is_not_told)
{
  for (guint i = 0; i < 1000; i++) {
    if (i % 100 == 0)
      drop_packet ();
    measure (i % 40 < 30 ? 1010 : 990, ALLOWED);
  }
  fail_unless_equals_int (sources.n_told, 0);
}

GST_END_TEST;

/* Every 5 s delay control withholds twice a queue of 40 ms in 120 ms: two such drains take
 * 2 x 80 of 5120 ms, 3 %.  Between them the path carries the source, but for a hair. */
GST_START_TEST (drains_are_not_told)
{
  for (guint i = 0; i < 3000; i++) {
    gboolean drain = i % 250 < 6;

    if (drain)
      drop_packet ();
    measure (1001, drain ? ALLOWED / 3 : ALLOWED);
  }
  fail_unless_equals_int (sources.n_told, 0);
}

GST_END_TEST;

/* From 1000 to 2500 bytes/s in 15 s, 100 more each second: smoothed over 2 s, that lags by
 * 200, 8 % in the end.  Then it stays there, and the lag is 5 % after a second. */
GST_START_TEST (a_rate_that_grows_is_waited_for)
{
  for (guint i = 0; i < 750; i++) {
    drop_packet ();
    measure (3000, 1000 + 2 * i);
  }
  fail_unless_equals_int (sources.n_told, 0);
  for (guint i = 0; i < 60; i++)
    measure (3000, 2500);
  fail_unless_equals_int (sources.n_told, 1);
}

GST_END_TEST;

/* 3000 bytes/s for 4 s and 1500 for 1 s are 2700 in the mean; of 1500 and 1000, the path
 * carried 1400. */
GST_START_TEST (the_message_has_means)
{
  for (guint i = 0; i <= 250; i++) {
    drop_packet ();
    measure (i <= 200 ? 3000 : 1500, i <= 200 ? 1500 : 1000);
  }
  fail_unless_equals_int (sources.n_told, 1);
  fail_unless (fabs (sources.message.rate - 2700) < 10);
  fail_unless (fabs (sources.message.allowed - 1400) < 10);
}

GST_END_TEST;

/* The second has lasted for 5 s when the first was told 7 s ago. */
GST_START_TEST (
    a_new_overload_is_told_ten_seconds_after_the_last_at_the_earliest)
{
  run (1500, 5 * TFRC_SECOND + STEP);
  run (900, 2 * TFRC_SECOND);
  run (1500, 8 * TFRC_SECOND - STEP);
  fail_unless_equals_int (sources.n_told, 1);
  run (1500, STEP);
  fail_unless_equals_int (sources.n_told, 2);
}

GST_END_TEST;

/* An encoder that follows, a file that is held back, a queue that dropped nothing, and a
 * path of which nothing is known. */
GST_START_TEST (other_sources_are_not_told_of)
{
  sources.input.follows = __i__ == 0;
  sources.input.waited = __i__ == 1;
  for (guint i = 0; i < 1000; i++) {
    if (__i__ != 2)
      drop_packet ();
    measure (1500, __i__ == 3 ? 0 : ALLOWED);
  }
  fail_unless_equals_int (sources.n_told, 0);
}

GST_END_TEST;

/* 800 and 700 bytes/s of two cameras are above 1000 together, whatever an encoder that
 * follows makes beside them, and a source that has nearly decayed to silence. */
GST_START_TEST (sources_count_together_and_the_fastest_is_named)
{
  TfrcSendInput other = { .pad = new_pad ("other"), .rate = 800 };
  TfrcSendInput encoder = { .live = TRUE, .follows = TRUE, .rate = 5000 };
  TfrcSendInput silent = { .pad = other.pad, .rate = 0.1 };

  g_ptr_array_add (sources.inputs, &other);
  g_ptr_array_add (sources.inputs, &encoder);
  g_ptr_array_add (sources.inputs, &silent);
  for (guint i = 0; i < 300; i++) {
    drop_packet ();
    run (700, STEP);
  }
  fail_unless_equals_int (sources.n_told, 1);
  fail_unless (fabs (sources.message.rate - 1500) < 1);
  fail_unless_equals_int (sources.message.n_pads, 2);
  fail_unless (sources.pad == other.pad);
  gst_object_unref (other.pad);
}

GST_END_TEST;

/* What a user reads. */
static gchar *
post (TfrcOverloadMessage message, gboolean fixed)
{
  GstElement *element = gst_bin_new (NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *posted;
  GError *error;
  gchar *text;

  message.pad = new_pad ("sink_0");
  message.rate = 1500;
  message.allowed = 1000;
  gst_element_set_bus (element, bus);
  tfrc_overload_post (&message, element, TRUE, fixed);
  posted = gst_bus_pop (bus);
  gst_message_parse_warning (posted, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (posted);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  return text;
}

GST_START_TEST (the_text_says_whose_rate_it_is)
{
  g_autofree gchar *one = post ((TfrcOverloadMessage) { .n_pads = 1 }, TRUE);
  g_autofree gchar *more =
      post ((TfrcOverloadMessage) { .n_pads = 2, .repaired = TRUE }, FALSE);

  assert_equals_string (one,
      "Packets of pad sink_0 are being dropped: its source produces 12000 "
      "bits/s, but only 8000 bits/s may be sent. Set a higher start-bitrate "
      "if the network can carry it, or lower the source's bitrate.");
  assert_equals_string (more,
      "Packets are being dropped: the sources of 2 pads, above all that of "
      "pad sink_0, produce, with repair, 12000 bits/s, but only 8000 bits/s "
      "may be sent. There is no encoder upstream to set. Set the source's "
      "bitrate whenever notify::bitrate tells what may be sent, or encode its "
      "pictures again.");
}

GST_END_TEST;

/* The details of the next warning that packets are dropped; NULL: there is none. */
static GstStructure *
pop_details (SendFixture *self)
{
  const GstStructure *details;
  GstStructure *copy = NULL;
  GstMessage *message;

  while (copy == NULL
      && (message = gst_bus_pop_filtered (self->bus, GST_MESSAGE_WARNING))
          != NULL) {
    gst_message_parse_warning_details (message, &details);
    if (details != NULL && gst_structure_has_field (details, "packets-dropped"))
      copy = gst_structure_copy (details);
    gst_message_unref (message);
  }
  return copy;
}

/* Without an extension, 426 bytes each 10 ms are 340800 bits/s, of which 100000 may be
 * sent.  Smoothed over a second that exceeds them after 0.35 s, and is 293000 in the mean of
 * the next 5 s, (e^-0.35 - e^-5.35) / 5 = 14 % less.  Without any report nothing is known
 * about the path, and the missing reports are told. */
GST_START_TEST (the_element_tells_of_a_source_that_it_cannot_set)
{
  const gboolean fixed = __i__ == 0;
  SendFixture fixture;
  GstStructure *details;
  guint64 source, allowed;

  send_fixture_init (&fixture);
  if (fixed)
    gst_util_set_object_arg (G_OBJECT (fixture.element), "feedback", "none");
  g_object_set (fixture.element, "start-bitrate", 100000, NULL);
  send_fixture_start (&fixture, VIDEO_CAPS);
  for (guint i = 0; i < 650; i++) {
    send_fixture_push_packets (&fixture, 1);
    send_fixture_run_until (&fixture, START + i * PACKET_TIME);
    if (i == 400)
      fail_unless (pop_details (&fixture) == NULL);
  }
  details = pop_details (&fixture);
  fail_unless ((details != NULL) == fixed);
  if (fixed) {
    fail_unless (gst_structure_get_uint64 (details, "source-bitrate", &source));
    fail_unless (gst_structure_get_uint64 (details, "allowed-bitrate",
        &allowed));
    assert_equals_string (gst_structure_get_string (details, "pad"), "sink");
    fail_unless (source > 288000 && source < 298000);
    fail_unless (allowed > 99000 && allowed < 101000);
    gst_structure_free (details);
  }
  send_fixture_clear (&fixture);
}

GST_END_TEST;

/* Of 20 packets each 100 ms, 87600 bytes/s, W_init / R = 43800 may be sent, and slow start
 * stays there while half of that is received.  Loss ends it: p = 0.01 allows no more. */
GST_START_TEST (slow_start_is_waited_for)
{
  const gdouble p = __i__ == 0 ? 0.0 : 0.01;
  TfrcFeedback feedback = {
    .media_ssrc = SSRC, .loss_event_rate = p, .receive_rate = 21900
  };
  SendFixture fixture;
  SendPacket newest;
  GstStructure *details;

  send_fixture_init (&fixture);
  g_object_set (fixture.element, "delay-target", 0, NULL);
  send_fixture_start (&fixture, VIDEO_CAPS);
  newest = send_fixture_start_flow (&fixture);
  for (guint i = 1; i < 80; i++) {
    feedback.echo_time_us = newest.extension.send_time_us;
    send_fixture_push_packets (&fixture, 20);
    send_fixture_run_until (&fixture, START + (i + 1) * RTT);
    newest = send_fixture_pull_all (&fixture);
    send_fixture_push_feedback (&fixture, &feedback);
  }
  fail_unless (send_fixture_get_stat (&fixture, "packets-dropped") > 100);
  details = pop_details (&fixture);
  fail_unless ((details != NULL) == (p > 0.0));
  g_clear_pointer (&details, gst_structure_free);
  send_fixture_clear (&fixture);
}

GST_END_TEST;

static Suite *
overload_suite (void)
{
  Suite *suite = suite_create ("overload");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, setup, teardown);
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      five_seconds_above_the_rate_are_told_and_again_each_minute);
  tcase_add_test (tcase, what_passes_is_not_told);
  tcase_add_test (tcase, half_a_second_without_reports_is_not_the_end);
  tcase_add_loop_test (tcase, the_mean_of_a_rate_that_changes_counts, 0, 2);
  tcase_add_test (tcase, a_hair_above_the_rate_is_not_told);
  tcase_add_test (tcase, drains_are_not_told);
  tcase_add_test (tcase, a_rate_that_grows_is_waited_for);
  tcase_add_test (tcase, the_message_has_means);
  tcase_add_test (tcase,
      a_new_overload_is_told_ten_seconds_after_the_last_at_the_earliest);
  tcase_add_loop_test (tcase, other_sources_are_not_told_of, 0, 4);
  tcase_add_test (tcase, sources_count_together_and_the_fastest_is_named);
  tcase_add_test (tcase, the_text_says_whose_rate_it_is);
  tcase_add_loop_test (tcase, slow_start_is_waited_for, 0, 2);
  tcase_add_loop_test (tcase, the_element_tells_of_a_source_that_it_cannot_set,
      0, 2);
  return suite;
}

GST_CHECK_MAIN (overload);
