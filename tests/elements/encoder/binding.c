/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What binds to the encoder anew, and what does not. */

#include <gst/check/gstcheck.h>

#include "encoder/fake.h"
#include "encoder/fixture.h"

/* Writes the configuration, attaches as new caps do, and lets the worker end. */
static void
configure (TfrcEncoderFixture *fixture)
{
  tfrc_encoder_configure (fixture->control, &fixture->settings);
  tfrc_encoder_fixture_wait ();
  tfrc_encoder_attach (fixture->control, fixture->pad);
  tfrc_encoder_fixture_wait ();
}

/* 50 ms after a change another write of the same, bounds that do not matter and
 * new caps bring no target in; what is out of the bounds waits as well. */
GST_START_TEST (writes_that_change_nothing_do_not_pass_by_the_limiter)
{
  TfrcEncoderFixture fixture;
  TfrcEncoderStats stats;
  guint count;

  tfrc_encoder_fixture_start (&fixture, LAUNCH ("fakekbitenc"), 1000000);
  tfrc_encoder_fixture_update (&fixture, 1000000, 1000 * MS);
  tfrc_encoder_fixture_update (&fixture, 900000, 1100 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 900000);

  tfrc_encoder_fixture_update (&fixture, 800000, 1150 * MS);
  configure (&fixture);
  fixture.settings.min_bitrate = 10000;
  fixture.settings.max_bitrate = 5000000;
  fixture.settings.start_bitrate = 2000000;
  configure (&fixture);
  fixture.settings.max_bitrate = 500000;
  configure (&fixture);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 2);
  stats = tfrc_encoder_fixture_get_stats (fixture.control);
  fail_unless_equals_uint64 (stats.target_bitrate, 900000);

  tfrc_encoder_on_output (fixture.control, 1200, 1200 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 500000);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 3);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* 10 % less, which costs more than it is worth as a target. */
GST_START_TEST (new_bounds_apply_whatever_a_change_costs)
{
  TfrcEncoderFixture fixture;

  tfrc_encoder_fixture_start (&fixture, LAUNCH ("vafakeenc"), 1000000);
  tfrc_encoder_fixture_update (&fixture, 1000000, 1000 * MS);
  tfrc_encoder_fixture_update (&fixture, 900000, 1200 * MS);
  fixture.settings.max_bitrate = 900000;
  configure (&fixture);
  tfrc_encoder_fixture_update (&fixture, 1000000, 1400 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 900000);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* 10 % less, as above, under bounds of 0.5 and 5 Mbit/s, between which 1 Mbit/s may stay;
 * a floor of 1.05 Mbit/s it may not. */
GST_START_TEST (bounds_that_force_nothing_do_not_make_a_change_free)
{
  TfrcEncoderFixture fixture;

  tfrc_encoder_fixture_start (&fixture, LAUNCH ("vafakeenc"), 1000000);
  tfrc_encoder_fixture_update (&fixture, 1000000, 1000 * MS);
  fixture.settings.min_bitrate = 500000;
  fixture.settings.max_bitrate = 5000000;
  configure (&fixture);
  tfrc_encoder_fixture_update (&fixture, 900000, 1600 * MS);
  tfrc_encoder_fixture_wait ();
  tfrc_encoder_fixture_expect_target (fixture.control, 1000000);
  fixture.settings.min_bitrate = 1050000;
  configure (&fixture);
  tfrc_encoder_fixture_update (&fixture, 900000, 1800 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 1050000);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* Tuned once, then put back to its default by somebody, which stands whatever
 * is written, but for encoder-tuning itself. */
GST_START_TEST (a_default_that_was_restored_stays)
{
  TfrcEncoderFixture fixture;
  guint capacity;

  tfrc_encoder_fixture_start (&fixture, LAUNCH ("x264enc"), 1000000);
  g_object_get (fixture.encoder, "vbv-buf-capacity", &capacity, NULL);
  fail_unless_equals_int (capacity, 133);
  g_object_set (fixture.encoder, "vbv-buf-capacity", 600, NULL);

  configure (&fixture);
  fixture.settings.min_bitrate = 10000;
  configure (&fixture);
  /* The same encoder in other words. */
  fixture.settings.element = (gchar *) "enc";
  configure (&fixture);
  fixture.settings.property = (gchar *) "bitrate";
  fixture.settings.unit = 1000;
  configure (&fixture);
  fixture.settings.tuning = FALSE;
  configure (&fixture);
  g_object_get (fixture.encoder, "vbv-buf-capacity", &capacity, NULL);
  fail_unless_equals_int (capacity, 600);

  fixture.settings.tuning = TRUE;
  configure (&fixture);
  g_object_get (fixture.encoder, "vbv-buf-capacity", &capacity, NULL);
  fail_unless_equals_int (capacity, 133);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* What the binding is made of: 1000 kbit/s in units of 500 bits/s, in another
 * encoder, then in the nearest again. */
GST_START_TEST (writes_that_matter_bind_anew)
{
  TfrcEncoderFixture fixture;
  GstElement *far;
  guint count;

  tfrc_encoder_fixture_setup (&fixture,
      "fakesrc ! fakekbitenc name=far "
      "! fakekbitenc name=enc ! fakesink name=sink");
  far = gst_bin_get_by_name (GST_BIN (fixture.pipeline), "far");
  fixture.settings.start_bitrate = 1000000;
  configure (&fixture);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, &count),
      1000);
  fixture.settings.unit = 500;
  configure (&fixture);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, &count),
      2000);
  fail_unless_equals_int (count, 2);
  fixture.settings.element = (gchar *) "far";
  configure (&fixture);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (far, &count), 2000);
  fail_unless_equals_int (count, 1);
  fixture.settings.element = NULL;
  configure (&fixture);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
      2000);
  tfrc_encoder_detach (fixture.control);
  configure (&fixture);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
      2000);
  gst_object_unref (far);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* 2048 is its own, and 1000 what it is told: when it is no longer the one, when
 * nothing is to be set any more, and when the sender stops; however often it was
 * bound to, and unless somebody has set it since. */
GST_START_TEST (an_encoder_that_is_released_has_its_own_bitrate_again)
{
  TfrcEncoderFixture fixture;
  guint64 expected = 2048;

  tfrc_encoder_fixture_setup (&fixture,
      "fakesrc ! fakekbitenc name=far "
      "! fakekbitenc name=enc ! fakesink name=sink");
  fixture.settings.start_bitrate = 1000000;
  configure (&fixture);
  fixture.settings.element = (gchar *) "enc";
  configure (&fixture);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
      1000);
  if (__i__ == 3) {
    expected = 700;
    g_object_set (fixture.encoder, "bitrate", 700, NULL);
  }
  if (__i__ == 0) {
    fixture.settings.element = (gchar *) "far";
    configure (&fixture);
  } else if (__i__ == 1) {
    fixture.settings.control = FALSE;
    configure (&fixture);
  } else {
    tfrc_encoder_detach (fixture.control);
    tfrc_encoder_fixture_wait ();
  }
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
      expected);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* Each property of rtptfrcsend is written as it stands, and two that are of no
 * concern to the encoder with another value: it is set once, at the start. */
GST_START_TEST (other_properties_do_not_touch_the_encoder)
{
  TfrcEncoderFixture fixture;
  GParamSpec **pspecs;
  GstElement *sender;
  guint count, n, i;

  tfrc_encoder_fixture_setup (&fixture,
      "fakesrc ! fakekbitenc name=enc "
      "! rtptfrcsend name=sink ! fakesink");
  sender = fixture.owner;
  gst_bus_set_flushing (GST_ELEMENT_BUS (fixture.pipeline), TRUE);
  gst_element_set_state (sender, GST_STATE_PAUSED);
  tfrc_encoder_fixture_wait ();
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, &count),
      300);

  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (sender), &n);
  for (i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    if ((pspecs[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE
        || pspecs[i]->owner_type != G_OBJECT_TYPE (sender))
      continue;
    g_value_init (&value, pspecs[i]->value_type);
    g_object_get_property (G_OBJECT (sender), pspecs[i]->name, &value);
    g_object_set_property (G_OBJECT (sender), pspecs[i]->name, &value);
    g_value_unset (&value);
    tfrc_encoder_fixture_wait ();
  }
  g_free (pspecs);
  g_object_set (sender, "stats-interval", 100, "max-queue-time", 300, NULL);
  tfrc_encoder_fixture_wait ();
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 1);

  g_object_set (sender, "encoder-bitrate-unit", 500, NULL);
  tfrc_encoder_fixture_wait ();
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, &count),
      600);
  fail_unless_equals_int (count, 2);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

static Suite *
tfrcencoderbinding_suite (void)
{
  Suite *suite = suite_create ("tfrcencoderbinding");
  TCase *tcase = tcase_create ("general");

  tfrc_fake_encoders_register ();
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, writes_that_change_nothing_do_not_pass_by_the_limiter);
  tcase_add_test (tcase, new_bounds_apply_whatever_a_change_costs);
  tcase_add_test (tcase, bounds_that_force_nothing_do_not_make_a_change_free);
  tcase_add_test (tcase, a_default_that_was_restored_stays);
  tcase_add_test (tcase, writes_that_matter_bind_anew);
  tcase_add_loop_test (tcase,
      an_encoder_that_is_released_has_its_own_bitrate_again, 0, 4);
  tcase_add_test (tcase, other_properties_do_not_touch_the_encoder);
  return suite;
}

GST_CHECK_MAIN (tfrcencoderbinding);
