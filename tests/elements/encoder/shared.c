/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several that follow one encoder, as senders behind a tee do.  Time is handed in, and
 * each gets a frame and is told what its flow may send every 100 ms. */

#include <gst/check/gstcheck.h>

#include "encoder/fake.h"
#include "encoder/fixture.h"

#define N 3

typedef struct
{
  TfrcEncoderFixture base;
  TfrcEncoder *controls[N];
  guint64 allowed[N];  /* 0 = has left */
  gboolean cut_off[N]; /* it gets no frames */
  GstClockTime now;
} Shared;

static void
start_with (Shared *self, const gchar *launch, guint64 floor)
{
  TfrcEncoderSettings settings = { .control = TRUE };

  tfrc_encoder_fixture_setup (&self->base, launch);
  g_object_set (self->base.encoder, "bitrate", 1234, NULL);
  self->now = 0;
  for (guint i = 0; i < N; i++) {
    self->controls[i] = tfrc_encoder_new (self->base.owner, NULL);
    settings.min_bitrate = i == 0 ? floor : 32000;
    tfrc_encoder_configure (self->controls[i], &settings);
    tfrc_encoder_attach (self->controls[i], self->base.pad);
    tfrc_encoder_fixture_wait ();
  }
}

static void
start (Shared *self, guint64 floor)
{
  start_with (self, LAUNCH ("fakekbitenc"), floor);
}

static void
run (Shared *self, GstClockTime duration)
{
  for (GstClockTime end = self->now + duration; self->now < end;
      self->now += 100 * MS)
    for (guint i = 0; i < N; i++) {
      TfrcEncoderFlow flow = { .allowed_bitrate = self->allowed[i],
        .overhead = 1.0 };

      if (self->allowed[i] != 0 && !self->cut_off[i])
        tfrc_encoder_on_output (self->controls[i], 1, self->now);
      if (self->allowed[i] != 0)
        tfrc_encoder_update (self->controls[i], &flow, self->now);
      tfrc_encoder_fixture_wait ();
    }
}

static void
expect (Shared *self, guint kbits)
{
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (self->base.encoder, NULL),
      kbits);
}

static void
leave (Shared *self, guint i)
{
  self->allowed[i] = 0;
  tfrc_encoder_detach (self->controls[i]);
  tfrc_encoder_fixture_wait ();
}

static void
finish (Shared *self)
{
  for (guint i = 0; i < N; i++)
    tfrc_encoder_free (self->controls[i]);
  tfrc_encoder_fixture_teardown (&self->base);
}

GST_START_TEST (an_encoder_is_told_the_least_of_all)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };
  guint count, before;

  start (&self, 32000);
  run (&self, GST_SECOND);
  expect (&self, 500);
  for (guint i = 0; i < N; i++)
    tfrc_encoder_fixture_expect_target (self.controls[i], 500000);
  /* Those that have more say nothing of it. */
  tfrc_fake_encoder_get (self.base.encoder, &before);
  self.allowed[0] = 1900000;
  run (&self, GST_SECOND);
  tfrc_fake_encoder_get (self.base.encoder, &count);
  fail_unless_equals_int (count, before);
  self.allowed[1] = 300000;
  run (&self, GST_SECOND);
  expect (&self, 300);
  leave (&self, 1);
  run (&self, GST_SECOND);
  expect (&self, 500);
  finish (&self);
}

GST_END_TEST;

/* Its branch is unlinked in front of a queue, paused, or a valve is shut. */
GST_START_TEST (who_gets_nothing_of_the_encoder_rules_no_more)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };
  guint before, count;

  start (&self, 32000);
  run (&self, GST_SECOND);
  expect (&self, 500);
  self.cut_off[2] = TRUE;
  run (&self, 3 * GST_SECOND);
  expect (&self, 1000);
  self.cut_off[2] = FALSE;
  run (&self, GST_SECOND);
  expect (&self, 500);
  /* Of a source that stands for a while all get nothing; then one gets it first. */
  self.cut_off[0] = self.cut_off[1] = self.cut_off[2] = TRUE;
  run (&self, 10 * GST_SECOND);
  expect (&self, 500);
  tfrc_fake_encoder_get (self.base.encoder, &before);
  self.cut_off[0] = self.cut_off[1] = self.cut_off[2] = FALSE;
  run (&self, GST_SECOND);
  expect (&self, 500);
  tfrc_fake_encoder_get (self.base.encoder, &count);
  fail_unless_equals_int (count, before);
  finish (&self);
}

GST_END_TEST;

/* What it queues meanwhile leaves nothing for the encoder. */
GST_START_TEST (who_is_paused_does_not_count)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };

  start (&self, 32000);
  run (&self, GST_SECOND);
  expect (&self, 500);
  tfrc_encoder_set_paused (self.controls[2], TRUE);
  self.allowed[2] = 1;
  run (&self, 200 * MS);
  expect (&self, 1000);
  /* All of them: it stays. */
  tfrc_encoder_set_paused (self.controls[0], TRUE);
  tfrc_encoder_set_paused (self.controls[1], TRUE);
  run (&self, GST_SECOND);
  expect (&self, 1000);
  for (guint i = 0; i < N; i++)
    tfrc_encoder_set_paused (self.controls[i], FALSE);
  tfrc_encoder_fixture_wait ();
  expect (&self, 500);
  finish (&self);
}

GST_END_TEST;

/* Of the two seconds below the floor. */
GST_START_TEST (a_pause_does_not_count)
{
  Shared self = { .allowed = { 2000000, 1000000, 300000 } };

  start (&self, 400000);
  run (&self, GST_SECOND);
  tfrc_encoder_set_paused (self.controls[2], TRUE);
  run (&self, 5 * GST_SECOND);
  expect (&self, 1000);
  tfrc_encoder_set_paused (self.controls[2], FALSE);
  run (&self, GST_SECOND);
  expect (&self, 300);
  run (&self, 2 * GST_SECOND);
  expect (&self, 1000);
  finish (&self);
}

GST_END_TEST;

/* As the first packet of a pad does: no time is known of it. */
GST_START_TEST (who_comes_below_the_floor_is_not_ignored_at_once)
{
  Shared self = { .allowed = { 2000000, 1000000, 0 } };
  TfrcEncoderSettings settings = { .control = TRUE, .start_bitrate = 300000 };

  start (&self, 400000);
  self.now = GST_SECOND * 3600;
  run (&self, GST_SECOND);
  expect (&self, 1000);
  tfrc_encoder_detach (self.controls[2]);
  tfrc_encoder_fixture_wait ();
  tfrc_encoder_configure (self.controls[2], &settings);
  tfrc_encoder_attach (self.controls[2], self.base.pad);
  tfrc_encoder_fixture_wait ();
  expect (&self, 300);
  self.allowed[2] = 300000;
  run (&self, GST_SECOND);
  expect (&self, 300);
  finish (&self);
}

GST_END_TEST;

/* As a pad does that is released: the last reference goes while the worker is busy. */
GST_START_TEST (who_is_freed_behind_its_detachment_restores_what_was_there)
{
  for (guint i = 0; i < 100; i++) {
    TfrcEncoderFixture fixture;

    tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakekbitenc"));
    g_object_set (fixture.encoder, "bitrate", 1234, NULL);
    fixture.settings.start_bitrate = 300000;
    tfrc_encoder_fixture_attach (&fixture);
    tfrc_encoder_fixture_expect_target (fixture.control, 300000);
    tfrc_encoder_detach (fixture.control);
    tfrc_encoder_free (fixture.control);
    tfrc_encoder_fixture_wait ();
    fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
        1234);
    fixture.control = tfrc_encoder_new (fixture.owner, NULL);
    tfrc_encoder_fixture_teardown (&fixture);
  }
}

GST_END_TEST;

typedef struct
{
  TfrcEncoder *control;
  guint64 last;
  GRand *random;
} Racer;

/* A minute of its own, so that each update may be set. */
static gpointer
race (gpointer data)
{
  Racer *self = data;
  TfrcEncoderFlow flow = { .overhead = 1.0 };

  for (guint i = 0; i < 600; i++) {
    flow.allowed_bitrate = i < 599
        ? (guint64) g_rand_int_range (self->random, 100, 2000) * 1000
        : self->last;
    tfrc_encoder_on_output (self->control, 1, i * 100 * MS);
    tfrc_encoder_update (self->control, &flow, i * 100 * MS);
  }
  return NULL;
}

/* Whose worker comes last, too. */
GST_START_TEST (what_several_threads_agree_on_is_what_stands)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };

  start (&self, 32000);
  for (guint round = 0; round < 20; round++) {
    GThread *threads[N];
    Racer racers[N];

    for (guint i = 0; i < N; i++) {
      racers[i] = (Racer) { self.controls[i], self.allowed[i],
        g_rand_new_with_seed (round * N + i) };
      threads[i] = g_thread_new ("race", race, &racers[i]);
    }
    for (guint i = 0; i < N; i++) {
      g_thread_join (threads[i]);
      g_rand_free (racers[i].random);
    }
    self.now = 60 * GST_SECOND;
    run (&self, GST_SECOND);
    expect (&self, 500);
  }
  finish (&self);
}

GST_END_TEST;

/* Each pays for its own word in its own unit; none is set twice. */
GST_START_TEST (who_have_other_units_do_not_set_it_in_turn)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };
  TfrcEncoderSettings settings = { .control = TRUE, .unit = 500 };
  guint before, count;

  start (&self, 32000);
  tfrc_encoder_configure (self.controls[1], &settings);
  tfrc_encoder_fixture_wait ();
  run (&self, GST_SECOND);
  tfrc_fake_encoder_get (self.base.encoder, &before);
  run (&self, 5 * GST_SECOND);
  tfrc_fake_encoder_get (self.base.encoder, &count);
  fail_unless_equals_int (count, before);
  finish (&self);
}

GST_END_TEST;

/* 950 is too near to 1000 for a key frame. */
GST_START_TEST (who_comes_and_has_more_costs_no_key_frame)
{
  Shared self = { .allowed = { 2000000, 1000000, 0 } };
  TfrcEncoderSettings settings = { .control = TRUE, .start_bitrate = 3000000 };

  start_with (&self, LAUNCH ("vafakeenc"), 32000);
  run (&self, GST_SECOND);
  expect (&self, 1000);
  self.allowed[1] = 950000;
  run (&self, GST_SECOND);
  expect (&self, 1000);
  leave (&self, 2);
  tfrc_encoder_configure (self.controls[2], &settings);
  tfrc_encoder_attach (self.controls[2], self.base.pad);
  tfrc_encoder_fixture_wait ();
  expect (&self, 1000);
  finish (&self);
}

GST_END_TEST;

/* The frame that holds it up waits in a queue of one of them. */
GST_START_TEST (who_is_held_up_sets_what_the_others_came_to_meanwhile)
{
  Shared self = { .allowed = { 2000000, 1000000, 0 } };
  TfrcEncoderFlow flow = { .allowed_bitrate = 700000, .overhead = 1.0 };

  start_with (&self, LAUNCH ("fakeblockedenc"), 32000);
  run (&self, GST_SECOND);
  expect (&self, 1000);
  tfrc_fake_encoder_block (TRUE);
  tfrc_encoder_update (self.controls[0], &flow, self.now);
  flow.allowed_bitrate = 300000;
  tfrc_encoder_update (self.controls[1], &flow, self.now + GST_SECOND);
  if (__i__ == 1)
    for (guint i = 0; i < N; i++)
      tfrc_encoder_detach (self.controls[i]);
  tfrc_fake_encoder_block (FALSE);
  tfrc_encoder_fixture_wait ();
  expect (&self, __i__ == 1 ? 1234 : 300);
  finish (&self);
}

GST_END_TEST;

GST_START_TEST (the_last_that_leaves_restores_what_was_there)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };

  start (&self, 32000);
  run (&self, GST_SECOND);
  leave (&self, 2);
  leave (&self, 0);
  expect (&self, 500);
  leave (&self, 1);
  expect (&self, 1234);
  finish (&self);
}

GST_END_TEST;

/* Two seconds below the largest min-bitrate, and two above 1.2 of it. */
GST_START_TEST (who_would_drag_the_others_below_the_floor_does_not_count)
{
  Shared self = { .allowed = { 2000000, 1000000, 200000 } };

  start (&self, 400000);
  run (&self, GST_SECOND);
  expect (&self, 200);
  run (&self, 2 * GST_SECOND);
  expect (&self, 1000);
  self.allowed[2] = 450000;
  run (&self, 3 * GST_SECOND);
  expect (&self, 1000);
  self.allowed[2] = 600000;
  run (&self, 3 * GST_SECOND);
  expect (&self, 600);
  /* None can: then the least, whatever it is. */
  self.allowed[0] = self.allowed[1] = self.allowed[2] = 100000;
  run (&self, 4 * GST_SECOND);
  expect (&self, 100);
  finish (&self);
}

GST_END_TEST;

/* As where many have the same link. */
GST_START_TEST (who_rules_in_turn_is_told_each_ten_seconds)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };
  GstMessage *message;
  guint n = 0;
  GstBus *bus;

  start (&self, 32000);
  bus = gst_pipeline_get_bus (GST_PIPELINE (self.base.pipeline));
  for (guint i = 0; i < 20; i++) {
    self.allowed[i % N] = 300000;
    self.allowed[(i + 1) % N] = 1000000;
    run (&self, 3 * GST_SECOND);
  }
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_INFO)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  fail_unless (n >= 2 && n <= 6, "%u", n);
  gst_object_unref (bus);
  finish (&self);
}

GST_END_TEST;

/* Once, however long, and again when another does. */
GST_START_TEST (who_rules_is_told)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };
  const GstStructure *details;
  GstMessage *message;
  GstBus *bus;
  guint senders;

  start (&self, 32000);
  bus = gst_pipeline_get_bus (GST_PIPELINE (self.base.pipeline));
  for (guint i = 0; i < 2; i++) {
    run (&self, 12 * GST_SECOND);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_INFO);
    fail_unless (message != NULL);
    gst_message_parse_info_details (message, &details);
    fail_unless (gst_structure_get_uint (details, "senders", &senders));
    fail_unless_equals_int (senders, 3);
    gst_message_unref (message);
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_INFO) == NULL);
    self.allowed[1] = 300000;
  }
  gst_object_unref (bus);
  finish (&self);
}

GST_END_TEST;

/* Each says so. */
GST_START_TEST (an_encoder_that_goes_is_nobodys)
{
  Shared self = { .allowed = { 2000000, 1000000, 500000 } };
  GstMessage *message;
  guint n = 0;
  GstBus *bus;

  start (&self, 32000);
  run (&self, GST_SECOND);
  gst_bin_remove (GST_BIN (self.base.pipeline), self.base.encoder);
  gst_clear_object (&self.base.encoder);
  run (&self, 2 * GST_SECOND);
  bus = gst_pipeline_get_bus (GST_PIPELINE (self.base.pipeline));
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_INFO)) != NULL) {
    GError *error;

    gst_message_parse_info (message, &error, NULL);
    n += strstr (error->message, "enc is not upstream any more") != NULL;
    g_error_free (error);
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, N);
  gst_object_unref (bus);
  finish (&self);
}

GST_END_TEST;

static Suite *
tfrcencodershared_suite (void)
{
  Suite *suite = suite_create ("tfrcencodershared");
  TCase *general = tcase_create ("general");

  tfrc_fake_encoders_register ();
  tcase_add_test (general, an_encoder_is_told_the_least_of_all);
  tcase_add_test (general, who_gets_nothing_of_the_encoder_rules_no_more);
  tcase_add_test (general, who_is_paused_does_not_count);
  tcase_add_test (general, a_pause_does_not_count);
  tcase_add_test (general, who_comes_below_the_floor_is_not_ignored_at_once);
  tcase_add_test (general,
      who_is_freed_behind_its_detachment_restores_what_was_there);
  tcase_add_test (general, what_several_threads_agree_on_is_what_stands);
  tcase_add_test (general, who_have_other_units_do_not_set_it_in_turn);
  tcase_add_test (general, who_comes_and_has_more_costs_no_key_frame);
  tcase_add_loop_test (general,
      who_is_held_up_sets_what_the_others_came_to_meanwhile, 0, 2);
  tcase_add_test (general, the_last_that_leaves_restores_what_was_there);
  tcase_add_test (general,
      who_would_drag_the_others_below_the_floor_does_not_count);
  tcase_add_test (general, who_rules_is_told);
  tcase_add_test (general, who_rules_in_turn_is_told_each_ten_seconds);
  tcase_add_test (general, an_encoder_that_goes_is_nobodys);
  suite_add_tcase (suite, general);
  return suite;
}

GST_CHECK_MAIN (tfrcencodershared);
