/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a source that nothing makes slower is told of, and when not. */
#include "send/overload.h"

#include "send/fixture.h"

#define STEP (20 * TFRC_MILLISECOND)
#define ALLOWED 1000.0 /* bytes/s */
#define BITS_S 8

typedef struct
{
  TfrcOverload overload;
  TfrcQueue *queue;
  GPtrArray *inputs;
  TfrcSendInput input;
  TfrcSendStream *stream;
  TfrcOverloadMessage message;
  TfrcTime now;
  guint n_told;
} Fixture;

static void
fixture_init (Fixture *self)
{
  *self = (Fixture) { .input = { .live = TRUE }, .now = START };
  tfrc_overload_start (&self->overload);
  self->queue = tfrc_queue_new ();
  self->inputs = g_ptr_array_new ();
  g_ptr_array_add (self->inputs, &self->input);
  self->stream = tfrc_queue_add_stream (self->queue, SSRC);
  self->stream->input = &self->input;
}

static void
fixture_clear (Fixture *self)
{
  tfrc_queue_free (self->queue);
  g_ptr_array_unref (self->inputs);
}

static void
drop_packet (Fixture *self)
{
  const TfrcQueueItem packet = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .stream = self->stream,
    .size = 100,
  };

  tfrc_queue_push_packet (self->queue, &packet, self->now);
  tfrc_queue_drop_packets (self->queue);
}

/* The source makes `rate` [bytes/s] for `time`, of which a packet is dropped every 20 ms
 * where it is above the rate. */
static void
run (Fixture *self, gdouble rate, TfrcDuration time)
{
  TfrcTime end = self->now + time;

  for (; self->now < end; self->now += STEP) {
    if (rate > ALLOWED)
      drop_packet (self);
    self->stream->rate = rate;
    self->n_told += tfrc_overload_on_measured (&self->overload, self->queue,
        self->inputs, ALLOWED, self->now, &self->message);
  }
}

/* 5 s after it began with the first measurement, again after a minute.  A packet each
 * 20 ms, but for the one before it began: 250. */
GST_START_TEST (five_seconds_above_the_rate_are_told_and_again_each_minute)
{
  Fixture fixture;

  fixture_init (&fixture);
  run (&fixture, 1500, 5 * TFRC_SECOND);
  fail_unless_equals_int (fixture.n_told, 0);
  run (&fixture, 1500, STEP);
  fail_unless_equals_int (fixture.n_told, 1);
  assert_equals_float (fixture.message.rate, 1500);
  fail_unless (fixture.message.allowed > 0.999 * ALLOWED
      && fixture.message.allowed < 1.001 * ALLOWED);
  fail_unless_equals_uint64 (fixture.message.n_dropped, 250);
  run (&fixture, 1500, 60 * TFRC_SECOND - STEP);
  fail_unless_equals_int (fixture.n_told, 1);
  run (&fixture, 1500, STEP);
  fail_unless_equals_int (fixture.n_told, 2);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* A second below the rate is the end; what comes after that begins anew. */
GST_START_TEST (what_passes_is_not_told)
{
  Fixture fixture;

  fixture_init (&fixture);
  for (guint i = 0; i < 5; i++) {
    run (&fixture, 1500, 49 * TFRC_SECOND / 10);
    run (&fixture, 900, TFRC_SECOND + STEP);
  }
  fail_unless_equals_int (fixture.n_told, 0);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* The nofeedback timer may expire between two reports on a slow path: 3 s, half a second
 * that counts for nothing, and 1.5 s. */
GST_START_TEST (half_a_second_without_reports_is_not_the_end)
{
  Fixture fixture;

  fixture_init (&fixture);
  run (&fixture, 1500, 3 * TFRC_SECOND);
  for (guint i = 0; i < 25; i++, fixture.now += STEP)
    fail_if (tfrc_overload_on_measured (&fixture.overload, fixture.queue,
        fixture.inputs, 0, fixture.now, &fixture.message));
  run (&fixture, 1500, 3 * TFRC_SECOND / 2 + STEP);
  fail_unless_equals_int (fixture.n_told, 1);
  fail_unless (fixture.message.allowed > 0.999 * ALLOWED);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* Half of the time above the rate, in turns of 0.5 s: 1500 and 900 bytes/s are more than
 * 1000 in the mean, 1050 and 900 are less. */
GST_START_TEST (the_mean_of_a_rate_that_changes_counts)
{
  static const gdouble high[] = { 1500, 1050 };
  Fixture fixture;

  fixture_init (&fixture);
  for (guint i = 0; i < 8; i++) {
    run (&fixture, high[__i__], TFRC_SECOND / 2);
    run (&fixture, 900, TFRC_SECOND / 2);
  }
  fail_unless_equals_int (fixture.n_told, __i__ == 0);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* The second has lasted for 5 s when the first was told 7 s ago. */
GST_START_TEST (
    a_new_overload_is_told_ten_seconds_after_the_last_at_the_earliest)
{
  Fixture fixture;

  fixture_init (&fixture);
  run (&fixture, 1500, 5 * TFRC_SECOND + STEP);
  run (&fixture, 900, 2 * TFRC_SECOND);
  run (&fixture, 1500, 8 * TFRC_SECOND - STEP);
  fail_unless_equals_int (fixture.n_told, 1);
  run (&fixture, 1500, STEP);
  fail_unless_equals_int (fixture.n_told, 2);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* An encoder that follows, a file that is held back or is sent as fast as it is read, a
 * queue that dropped nothing, and a path of which nothing is known. */
GST_START_TEST (other_sources_are_not_told_of)
{
  Fixture fixture;

  fixture_init (&fixture);
  fixture.input.follows = __i__ == 0;
  fixture.input.waited = __i__ == 1;
  fixture.input.live = __i__ != 2;
  for (guint i = 0; i < 1000; i++, fixture.now += STEP) {
    if (__i__ != 3)
      drop_packet (&fixture);
    fixture.stream->rate = 1500;
    fixture.n_told += tfrc_overload_on_measured (&fixture.overload,
        fixture.queue, fixture.inputs, __i__ == 4 ? 0 : ALLOWED, fixture.now,
        &fixture.message);
  }
  fail_unless_equals_int (fixture.n_told, 0);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* 800 and 700 bytes/s of two cameras are above 1000 together, whatever an encoder that
 * follows makes beside them. */
GST_START_TEST (sources_count_together_and_the_fastest_is_named)
{
  Fixture fixture;
  TfrcSendInput other = { .live = TRUE };
  TfrcSendInput encoder = { .live = TRUE, .follows = TRUE };
  TfrcSendStream *streams[2];

  fixture_init (&fixture);
  g_ptr_array_add (fixture.inputs, &other);
  g_ptr_array_add (fixture.inputs, &encoder);
  for (guint i = 0; i < 2; i++)
    streams[i] = tfrc_queue_add_stream (fixture.queue, i);
  streams[0]->input = &other;
  streams[0]->rate = 800;
  streams[1]->input = &encoder;
  streams[1]->rate = 5000;
  other.pad = gst_object_ref_sink (gst_pad_new ("other", GST_PAD_SINK));
  for (guint i = 0; i < 300; i++) {
    drop_packet (&fixture);
    run (&fixture, 700, STEP);
  }
  fail_unless_equals_int (fixture.n_told, 1);
  assert_equals_float (fixture.message.rate, 1500);
  fail_unless (fixture.message.pad == other.pad);
  gst_object_unref (fixture.message.pad);
  gst_object_unref (other.pad);
  fixture_clear (&fixture);
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

/* 438 bytes each 10 ms are 350400 bits/s, of which 100000 may be sent.  Without any
 * report nothing is known about the path, and the missing reports are told. */
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
    fail_unless (source > 330000 && source < 352000);
    fail_unless (allowed > 99000 && allowed < 101000);
    gst_structure_free (details);
  }
  send_fixture_clear (&fixture);
}

GST_END_TEST;

static Suite *
overload_suite (void)
{
  Suite *suite = suite_create ("overload");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      five_seconds_above_the_rate_are_told_and_again_each_minute);
  tcase_add_test (tcase, what_passes_is_not_told);
  tcase_add_test (tcase, half_a_second_without_reports_is_not_the_end);
  tcase_add_loop_test (tcase, the_mean_of_a_rate_that_changes_counts, 0, 2);
  tcase_add_test (tcase,
      a_new_overload_is_told_ten_seconds_after_the_last_at_the_earliest);
  tcase_add_loop_test (tcase, other_sources_are_not_told_of, 0, 5);
  tcase_add_test (tcase, sources_count_together_and_the_fastest_is_named);
  tcase_add_loop_test (tcase, the_element_tells_of_a_source_that_it_cannot_set,
      0, 2);
  return suite;
}

GST_CHECK_MAIN (overload);
