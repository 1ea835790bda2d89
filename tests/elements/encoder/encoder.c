/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control as its owner sees it: on fake encoders what is set, when
 * and by whom.  Time is handed in. */

#include <gst/check/gstcheck.h>

#include "encoder/fake.h"
#include "common/stats.h"
#include "encoder/fixture.h"

GST_START_TEST (start_bitrate_is_set_at_attach)
{
  GstStructure *structure = tfrc_stats_new (TFRC_STATS_SEND);
  TfrcEncoderFixture fixture;

  tfrc_encoder_fixture_start (&fixture, LAUNCH ("fakekbitenc"), 700000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
      700);

  tfrc_encoder_add_stats (fixture.control, structure);
  fail_unless (g_str_has_suffix (gst_structure_get_string (structure,
                                     "encoder"),
      "/fakekbitenc:enc"));
  fail_unless_equals_string (gst_structure_get_string (structure,
                                 "encoder-property"),
      "bitrate");
  gst_structure_free (structure);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* 1,000,000 - 100,000 of others - (15,000 - 5,000 bytes of 40 ms) * 8 / 0.5 s
 * = 740,000, by 1.25
 * = 592,000 bits/s. */
GST_START_TEST (update_sets_the_target)
{
  TfrcEncoderFlow flow = { 1000000, 100000, 1.25, 15000 };
  TfrcEncoderFixture fixture;

  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakekbitenc"));
  tfrc_encoder_fixture_attach (&fixture);
  /* The walk may end after that; it then sets the target. */
  tfrc_encoder_update (fixture.control, &flow, 0);
  tfrc_encoder_fixture_expect_target (fixture.control, 592000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
      592);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* 20,000 bytes wait for 200 ms, a key frame, and then for a second: 1,000,000 - 15,000 * 8 /
 * 0.5 s = 760,000. */
GST_START_TEST (the_key_frame_of_a_change_does_not_cause_the_next_one)
{
  TfrcEncoderFlow flow = { 1000000, 0, 1.0, 0 };
  TfrcEncoderFixture fixture;
  GstClockTime now = GST_SECOND;

  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("vafakeenc"));
  fixture.settings.start_bitrate = 1000000;
  tfrc_encoder_fixture_attach (&fixture);
  tfrc_encoder_fixture_expect_target (fixture.control, 1000000);
  for (guint i = 0; i < 150; i++, now += 20 * MS) {
    flow.queued_bytes = (i >= 40 && i < 50) || i >= 100 ? 20000 : 0;
    tfrc_encoder_update (fixture.control, &flow, now);
    if (i == 99)
      tfrc_encoder_fixture_expect_target (fixture.control, 1000000);
  }
  tfrc_encoder_fixture_expect_target (fixture.control, 760000);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

GST_START_TEST (target_keeps_bounds_of_config_and_property)
{
  TfrcEncoderFixture fixture;

  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.settings.min_bitrate = 100000;
  fixture.settings.max_bitrate = 900000;
  fixture.settings.start_bitrate = 500000;
  tfrc_encoder_fixture_attach (&fixture);
  tfrc_encoder_fixture_expect_target (fixture.control, 500000);
  tfrc_encoder_fixture_update (&fixture, 0, 0);
  tfrc_encoder_fixture_update (&fixture, 0, 100 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 100000);
  tfrc_encoder_fixture_update (&fixture, 5000000, 200 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 900000);
  fixture.settings.min_bitrate = 0;
  fixture.settings.max_bitrate = 0;
  tfrc_encoder_configure (fixture.control, &fixture.settings);
  tfrc_encoder_fixture_update (&fixture, G_MAXUINT64, 400 * MS);
  tfrc_encoder_fixture_update (&fixture, G_MAXUINT64, 500 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 2048000000);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* 50 ms after a change nothing is set; the next frame after 100 ms, with no
 * further word from the owner, brings the last target in. */
GST_START_TEST (target_held_back_comes_with_a_later_frame)
{
  TfrcEncoderFixture fixture;
  TfrcEncoderStats stats;
  guint count;

  tfrc_encoder_fixture_start (&fixture, LAUNCH ("fakekbitenc"), 1000000);
  tfrc_encoder_fixture_update (&fixture, 1000000, 1000 * MS);
  tfrc_encoder_fixture_update (&fixture, 900000, 1100 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 900000);
  tfrc_encoder_fixture_update (&fixture, 800000, 1150 * MS);
  tfrc_encoder_fixture_update (&fixture, 500000, 1160 * MS);
  tfrc_encoder_on_output (fixture.control, 1200, 1199 * MS);
  tfrc_encoder_on_output (fixture.control, 1200, 1200 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 500000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, &count),
      500);
  fail_unless_equals_int (count, 3);
  stats = tfrc_encoder_fixture_get_stats (fixture.control);
  fail_unless_equals_uint64 (stats.changes, 3);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

GST_START_TEST (each_run_counts_its_own_changes)
{
  TfrcEncoderFixture fixture;

  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.settings.start_bitrate = 1000000;
  for (guint run = 0; run < 2; run++) {
    tfrc_encoder_fixture_attach (&fixture);
    tfrc_encoder_fixture_expect_target (fixture.control, 1000000);
    fail_unless_equals_uint64 (
        tfrc_encoder_fixture_get_stats (fixture.control).changes, 1);
    tfrc_encoder_detach (fixture.control);
  }
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* What TFRC makes of a link of 1 Mbit/s: a fifth less with each loss event, each 5 s,
 * and up again.  The encoder hears of the first fall, and of what is 15 % above that
 * at the earliest 3 s later; from there no swing is large enough.  Where it is free
 * it hears of some hundred. */
GST_START_TEST (a_steady_link_makes_few_key_frames)
{
  static const struct
  {
    const gchar *launch;
    guint least, most;
  } cases[] = { { LAUNCH ("vafakeenc"), 1, 29 },
    { LAUNCH ("fakekbitenc"), 100, 600 } };
  TfrcEncoderFixture fixture;
  guint n_key_frames, before;

  tfrc_encoder_fixture_start (&fixture, cases[__i__].launch, 1000000);
  tfrc_fake_encoder_get (fixture.encoder, &before);
  for (guint ms = 0; ms < 60000; ms += 20) {
    tfrc_encoder_fixture_update (&fixture, 800000 + ms % 5000 * 40, ms * MS);
    tfrc_encoder_fixture_wait ();
  }
  tfrc_fake_encoder_get (fixture.encoder, &n_key_frames);
  n_key_frames -= before;
  fail_unless (n_key_frames >= cases[__i__].least
          && n_key_frames <= cases[__i__].most,
      "%u", n_key_frames);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

GST_START_TEST (a_key_frame_that_is_asked_for_pays_for_the_bitrate)
{
  TfrcEncoderFixture fixture;

  tfrc_encoder_fixture_start (&fixture, LAUNCH ("vafakeenc"), 1000000);
  tfrc_encoder_fixture_update (&fixture, 1000000, 0);
  tfrc_encoder_fixture_update (&fixture, 900000, 5000 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 1000000);
  tfrc_encoder_on_key_frame_request (fixture.control, 5100 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 900000);
  tfrc_encoder_fixture_update (&fixture, 1000000, 9000 * MS);
  tfrc_encoder_fixture_expect_target (fixture.control, 900000);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* The caller goes on while the encoder holds up its set_property, and so do
 * detach and free; the newest of the targets that came meanwhile is set. */
GST_START_TEST (blocked_encoder_blocks_nobody)
{
  TfrcEncoderFixture fixture;
  gpointer left;
  guint count;
  guint i;

  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakeblockedenc"));
  fixture.settings.start_bitrate = 1000000;
  tfrc_fake_encoder_block (TRUE);
  tfrc_encoder_fixture_attach (&fixture);
  for (i = 0; i <= 20; i++)
    tfrc_encoder_fixture_update (&fixture, 500000 + 10000 * i, i * 100 * MS);
  tfrc_fake_encoder_block (FALSE);
  tfrc_encoder_fixture_expect_target (fixture.control, 700000);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless (count <= 3, "%u", count);

  tfrc_fake_encoder_block (TRUE);
  tfrc_encoder_fixture_update (&fixture, 300000, 5000 * MS);
  tfrc_encoder_detach (fixture.control);
  left = fixture.encoder;
  g_object_add_weak_pointer (left, &left);
  tfrc_encoder_fixture_teardown (&fixture);
  tfrc_fake_encoder_block (FALSE);
  /* Nothing of it stays when the encoder has come back. */
  tfrc_encoder_fixture_wait ();
  fail_unless (left == NULL);
}

GST_END_TEST;

/* The first encoder is gone for good although control never let go of it; the
 * other is found within a second and gets the target that stands. */
GST_START_TEST (replaced_encoder_is_released)
{
  TfrcEncoderFixture fixture;
  GstElement *next, *queue;
  gpointer gone;

  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.settings.start_bitrate = 600000;
  tfrc_encoder_fixture_attach (&fixture);
  tfrc_encoder_fixture_update (&fixture, 600000, 0);
  tfrc_encoder_fixture_expect_target (fixture.control, 600000);

  queue = gst_bin_get_by_name (GST_BIN (fixture.pipeline), "queue0");
  if (queue == NULL) {
    GstPad *peer = gst_pad_get_peer (fixture.pad);

    queue = gst_pad_get_parent_element (peer);
    gst_object_unref (peer);
  }
  gone = fixture.encoder;
  g_object_add_weak_pointer (gone, &gone);
  gst_bin_remove (GST_BIN (fixture.pipeline), fixture.encoder);
  gst_clear_object (&fixture.encoder);
  fail_unless (gone == NULL);

  next = gst_element_factory_make ("fakebitenc", "next");
  gst_bin_add (GST_BIN (fixture.pipeline), next);
  fail_unless (gst_element_link (next, queue));
  tfrc_encoder_on_output (fixture.control, 1200, 500 * MS);
  tfrc_encoder_on_output (fixture.control, 1200, 1000 * MS);
  tfrc_encoder_fixture_wait ();
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (next, NULL), 600000);
  gst_object_unref (queue);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

GST_START_TEST (named_encoder_and_property_win)
{
  TfrcEncoderFixture fixture;
  GstElement *far;
  guint count;

  tfrc_encoder_fixture_setup (&fixture,
      "fakesrc ! fakebitenc name=far ! fakekbitenc name=enc"
      " ! fakesink name=sink");
  far = gst_bin_get_by_name (GST_BIN (fixture.pipeline), "far");
  fixture.settings.start_bitrate = 600000;
  fixture.settings.element = (gchar *) "far";
  fixture.settings.property = (gchar *) "target-bitrate";
  fixture.settings.unit = 1000;
  tfrc_encoder_fixture_attach (&fixture);
  tfrc_encoder_fixture_expect_target (fixture.control, 600000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (far, NULL), 600);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 0);
  gst_object_unref (far);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* Switched on at last, it sets what stands then: only one value ever came. */
GST_START_TEST (without_control_nothing_is_set)
{
  TfrcEncoderFixture fixture;
  guint count;

  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.settings.start_bitrate = 600000;
  fixture.settings.control = FALSE;
  tfrc_encoder_fixture_attach (&fixture);
  tfrc_encoder_fixture_update (&fixture, 700000, 0);
  tfrc_encoder_fixture_update (&fixture, 800000, 2000 * MS);
  fixture.settings.control = TRUE;
  tfrc_encoder_configure (fixture.control, &fixture.settings);
  tfrc_encoder_fixture_expect_target (fixture.control, 800000);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 1);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

static gint log_lines;
static const gchar *log_words;

static void
count_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer data)
{
  if (level == GST_LEVEL_INFO
      && strstr (gst_debug_message_get (message), log_words) != NULL)
    g_atomic_int_inc (&log_lines);
}

static void
listen_to_log (const gchar *words)
{
  log_words = words;
  g_atomic_int_set (&log_lines, 0);
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_for_name ("tfrcencoder", GST_LEVEL_INFO);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (count_log, NULL, NULL);
}

/* Looked for once a second, but said once.  An encoder linked at last shows
 * that the looking went on. */
GST_START_TEST (absence_is_said_once)
{
  TfrcEncoderFixture fixture;
  GstElement *encoder = gst_element_factory_make ("fakekbitenc", NULL);
  guint i;

  listen_to_log ("no video encoder");
  tfrc_encoder_fixture_setup (&fixture, "identity name=i ! fakesink name=sink");
  tfrc_encoder_fixture_attach (&fixture);
  for (i = 0; i < 10; i++) {
    tfrc_encoder_fixture_update (&fixture, 600000, i * 1000 * MS);
    tfrc_encoder_fixture_wait ();
  }
  gst_bin_add (GST_BIN (fixture.pipeline), encoder);
  fixture.encoder = gst_bin_get_by_name (GST_BIN (fixture.pipeline), "i");
  fail_unless (gst_element_link (encoder, fixture.encoder));
  tfrc_encoder_fixture_update (&fixture, 600000, 20 * GST_SECOND);
  tfrc_encoder_fixture_expect_target (fixture.control, 600000);
  fail_unless_equals_int (g_atomic_int_get (&log_lines), 1);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

GST_START_TEST (running_encoder_of_ready_is_not_touched)
{
  TfrcEncoderFixture fixture;
  TfrcEncoderStats stats;
  guint count;

  listen_to_log ("cannot be changed while");
  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakereadyenc"));
  gst_element_set_state (fixture.encoder, GST_STATE_READY);
  fixture.settings.start_bitrate = 600000;
  tfrc_encoder_fixture_attach (&fixture);
  tfrc_encoder_fixture_expect_target (fixture.control, 600000);
  fail_unless_equals_int (g_atomic_int_get (&log_lines), 0);
  gst_element_set_state (fixture.encoder, GST_STATE_PAUSED);
  tfrc_encoder_fixture_update (&fixture, 900000, 0);
  tfrc_encoder_fixture_update (&fixture, 900000, 100 * MS);
  tfrc_encoder_fixture_wait ();
  fail_unless (g_atomic_int_get (&log_lines) > 0);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 1);
  stats = tfrc_encoder_fixture_get_stats (fixture.control);
  fail_unless_equals_uint64 (stats.target_bitrate, 600000);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

/* Told 500 kbit/s, it makes 2000 for 6 s: one warning that names it all. */
GST_START_TEST (encoder_that_ignores_its_target_is_named)
{
  TfrcEncoderFixture fixture;
  TfrcEncoderStats stats;
  GstBus *bus;
  GstMessage *message;
  const GstStructure *details;
  guint64 target, output;
  guint ms;

  tfrc_encoder_fixture_setup (&fixture, LAUNCH ("fakekbitenc"));
  bus = gst_element_get_bus (fixture.pipeline);
  fixture.settings.start_bitrate = 500000;
  tfrc_encoder_fixture_attach (&fixture);
  tfrc_encoder_fixture_expect_target (fixture.control, 500000);
  for (ms = 0; ms < 6000; ms += 10)
    tfrc_encoder_on_output (fixture.control, 2500, ms * MS);
  tfrc_encoder_fixture_wait ();
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (fixture.owner));
  gst_message_parse_warning_details (message, &details);
  fail_unless_equals_string (gst_structure_get_string (details, "property"),
      "bitrate");
  fail_unless (g_str_has_suffix (gst_structure_get_string (details, "element"),
      ":enc"));
  fail_unless (gst_structure_get (details, "target-bitrate", G_TYPE_UINT64,
          &target, "output-bitrate", G_TYPE_UINT64, &output, NULL));
  fail_unless_equals_uint64 (target, 500000);
  fail_unless_equals_uint64 (output, 2000000);
  gst_message_unref (message);
  stats = tfrc_encoder_fixture_get_stats (fixture.control);
  fail_unless_equals_uint64 (stats.overshoots, 1);
  fail_unless_equals_uint64 (stats.output_bitrate, 2000000);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_object_unref (bus);
  tfrc_encoder_fixture_teardown (&fixture);
}

GST_END_TEST;

static Suite *
tfrc_encoder_suite (void)
{
  Suite *suite = suite_create ("tfrcencoder");
  TCase *tcase = tcase_create ("general");

  tfrc_fake_encoders_register ();
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, start_bitrate_is_set_at_attach);
  tcase_add_test (tcase, update_sets_the_target);
  tcase_add_test (tcase, the_key_frame_of_a_change_does_not_cause_the_next_one);
  tcase_add_test (tcase, target_keeps_bounds_of_config_and_property);
  tcase_add_test (tcase, target_held_back_comes_with_a_later_frame);
  tcase_add_test (tcase, each_run_counts_its_own_changes);
  tcase_add_loop_test (tcase, a_steady_link_makes_few_key_frames, 0, 2);
  tcase_add_test (tcase, a_key_frame_that_is_asked_for_pays_for_the_bitrate);
  tcase_add_test (tcase, blocked_encoder_blocks_nobody);
  tcase_add_test (tcase, replaced_encoder_is_released);
  tcase_add_test (tcase, named_encoder_and_property_win);
  tcase_add_test (tcase, without_control_nothing_is_set);
  tcase_add_test (tcase, absence_is_said_once);
  tcase_add_test (tcase, running_encoder_of_ready_is_not_touched);
  tcase_add_test (tcase, encoder_that_ignores_its_target_is_named);
  return suite;
}

GST_CHECK_MAIN (tfrc_encoder);
