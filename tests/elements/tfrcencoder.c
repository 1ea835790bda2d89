/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control as its owner sees it: on fake encoders what is set, when
 * and by whom; on real ones that the output follows.  Time is handed in.  The
 * worker is a real thread: what it is to do is awaited in the statistics. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include "moving-scene.h"
#include "tfrcencoder.h"
#include "tfrcencoderfake.h"

#define MS GST_MSECOND
#define WAIT_US (10 * G_USEC_PER_SEC)

typedef struct
{
  GstElement *pipeline;
  GstElement *encoder;          /* called "enc"; may be NULL */
  GstElement *owner;            /* called "sink" */
  GstPad *pad;
  TfrcEncoder *control;
  TfrcEncoderConfig config;
} Fixture;

static void
setup (Fixture *fixture, const gchar *launch)
{
  fixture->pipeline = gst_parse_launch (launch, NULL);
  fail_unless (fixture->pipeline != NULL, "%s", launch);
  fixture->encoder = gst_bin_get_by_name (GST_BIN (fixture->pipeline), "enc");
  fixture->owner = gst_bin_get_by_name (GST_BIN (fixture->pipeline), "sink");
  fixture->pad = gst_element_get_static_pad (fixture->owner, "sink");
  fixture->control = tfrc_encoder_new (fixture->owner);
  fixture->config = (TfrcEncoderConfig) {
    .control = TRUE,.tuning = TRUE,
  };
}

static void
attach (Fixture *fixture)
{
  tfrc_encoder_set_config (fixture->control, &fixture->config);
  tfrc_encoder_attach (fixture->control, fixture->pad);
}

static void
teardown (Fixture *fixture)
{
  tfrc_encoder_free (fixture->control);
  gst_element_set_state (fixture->pipeline, GST_STATE_NULL);
  gst_object_unref (fixture->pad);
  gst_clear_object (&fixture->encoder);
  gst_object_unref (fixture->owner);
  gst_object_unref (fixture->pipeline);
}

static TfrcEncoderStats
get_stats (TfrcEncoder *control)
{
  TfrcEncoderStats stats;

  tfrc_encoder_get_stats (control, &stats);
  g_free (stats.element);
  g_free (stats.property);
  return stats;
}

/* Waits for a condition on `stats`, which is refreshed. */
#define WAIT_FOR(control, stats, condition)                             \
  G_STMT_START {                                                        \
    gint64 end = g_get_monotonic_time () + WAIT_US;                     \
    while (stats = get_stats (control), !(condition)) {                 \
      fail_unless (g_get_monotonic_time () < end, "waited for "         \
          #condition);                                                  \
      g_usleep (1000);                                                  \
    }                                                                   \
  } G_STMT_END

/* A worker holds a reference to the owner until it has done all there was. */
static void
wait_until_idle (Fixture *fixture, gint references)
{
  gint64 end = g_get_monotonic_time () + WAIT_US;

  while (GST_OBJECT_REFCOUNT_VALUE (fixture->owner) > references) {
    fail_unless (g_get_monotonic_time () < end, "still working");
    g_usleep (1000);
  }
}

static void
update (Fixture *fixture, guint64 allowed, GstClockTime now)
{
  TfrcEncoderFlow flow = {.allowed_bitrate = allowed,.overhead = 1.0 };

  tfrc_encoder_update (fixture->control, &flow, now);
}

#define LAUNCH(enc) "fakesrc ! " enc " name=enc ! queue ! fakesink name=sink"

GST_START_TEST (start_bitrate_is_set_at_attach)
{
  Fixture fixture;
  TfrcEncoderStats stats;

  setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.config.start_bitrate = 700000;
  attach (&fixture);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate != 0);
  fail_unless_equals_uint64 (stats.target_bitrate, 700000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
      700);

  tfrc_encoder_get_stats (fixture.control, &stats);
  fail_unless (g_str_has_suffix (stats.element, "/fakekbitenc:enc"), "%s",
      stats.element);
  fail_unless_equals_string (stats.property, "bitrate");
  g_free (stats.element);
  g_free (stats.property);
  teardown (&fixture);
}

GST_END_TEST;

/* 1,000,000 - 100,000 of others - (15,000 - 5,000 bytes of 40 ms) * 8 / 0.5 s
 * = 740,000, by 1.25
 * = 592,000 bits/s. */
GST_START_TEST (update_sets_the_target)
{
  TfrcEncoderFlow flow = { 1000000, 100000, 1.25, 15000 };
  Fixture fixture;
  TfrcEncoderStats stats;

  setup (&fixture, LAUNCH ("fakekbitenc"));
  attach (&fixture);
  WAIT_FOR (fixture.control, stats, TRUE);
  tfrc_encoder_update (fixture.control, &flow, 0);
  /* The walk may end after the first update; it then sets the target. */
  WAIT_FOR (fixture.control, stats, stats.target_bitrate != 0);
  fail_unless_equals_uint64 (stats.target_bitrate, 592000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, NULL),
      592);
  teardown (&fixture);
}

GST_END_TEST;

GST_START_TEST (target_keeps_bounds_of_config_and_property)
{
  Fixture fixture;
  TfrcEncoderStats stats;

  setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.config.min_bitrate = 100000;
  fixture.config.max_bitrate = 900000;
  fixture.config.start_bitrate = 500000;
  attach (&fixture);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 500000);
  update (&fixture, 0, 0);
  update (&fixture, 0, 100 * MS);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 100000);
  update (&fixture, 5000000, 200 * MS);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 900000);
  fixture.config.min_bitrate = 0;
  fixture.config.max_bitrate = 0;
  tfrc_encoder_set_config (fixture.control, &fixture.config);
  update (&fixture, G_MAXUINT64, 400 * MS);
  update (&fixture, G_MAXUINT64, 500 * MS);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 2048000000);
  teardown (&fixture);
}

GST_END_TEST;

/* 50 ms after a change nothing is set; the next frame after 100 ms, with no
 * further word from the owner, brings the last target in. */
GST_START_TEST (target_held_back_comes_with_a_later_frame)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  guint count;

  setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.config.start_bitrate = 1000000;
  attach (&fixture);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 1000000);
  update (&fixture, 1000000, 1000 * MS);
  update (&fixture, 900000, 1100 * MS);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 900000);
  update (&fixture, 800000, 1150 * MS);
  update (&fixture, 500000, 1160 * MS);
  tfrc_encoder_on_output (fixture.control, 1200, 1199 * MS);
  tfrc_encoder_on_output (fixture.control, 1200, 1200 * MS);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate != 900000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (fixture.encoder, &count),
      500);
  fail_unless_equals_int (count, 3);
  fail_unless_equals_uint64 (stats.changes, 3);
  teardown (&fixture);
}

GST_END_TEST;

/* The caller goes on while the encoder holds up its set_property, and so do
 * detach and free; the newest of the targets that came meanwhile is set. */
GST_START_TEST (blocked_encoder_blocks_nobody)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  GWeakRef weak;
  gint64 end = g_get_monotonic_time () + WAIT_US;
  guint count;
  guint i;

  setup (&fixture, LAUNCH ("fakeblockedenc"));
  fixture.config.start_bitrate = 1000000;
  tfrc_fake_encoder_block (TRUE);
  attach (&fixture);
  for (i = 0; i <= 20; i++)
    update (&fixture, 500000 + 10000 * i, i * 100 * MS);
  tfrc_fake_encoder_block (FALSE);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 700000);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless (count <= 3, "%u", count);

  tfrc_fake_encoder_block (TRUE);
  update (&fixture, 300000, 5000 * MS);
  tfrc_encoder_detach (fixture.control);
  g_weak_ref_init (&weak, fixture.encoder);
  teardown (&fixture);
  tfrc_fake_encoder_block (FALSE);
  /* Nothing of it stays when the encoder has come back. */
  for (;;) {
    GObject *left = g_weak_ref_get (&weak);

    if (left == NULL)
      break;
    g_object_unref (left);
    fail_unless (g_get_monotonic_time () < end, "encoder is held");
    g_usleep (1000);
  }
  g_weak_ref_clear (&weak);
}

GST_END_TEST;

/* The first encoder is gone for good although control never let go of it; the
 * other is found within a second and gets the target that stands. */
GST_START_TEST (replaced_encoder_is_let_go)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  GstElement *next, *queue;
  gpointer gone;
  gint64 end = g_get_monotonic_time () + WAIT_US;
  guint64 value;

  setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.config.start_bitrate = 600000;
  attach (&fixture);
  update (&fixture, 600000, 0);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 600000);

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
  while (g_atomic_pointer_get (&gone) != NULL) {
    fail_unless (g_get_monotonic_time () < end, "encoder is held");
    g_usleep (1000);
  }

  next = gst_element_factory_make ("fakebitenc", "next");
  gst_bin_add (GST_BIN (fixture.pipeline), next);
  fail_unless (gst_element_link (next, queue));
  tfrc_encoder_on_output (fixture.control, 1200, 500 * MS);
  tfrc_encoder_on_output (fixture.control, 1200, 1000 * MS);
  while ((value = tfrc_fake_encoder_get (next, NULL)) == 0) {
    fail_unless (g_get_monotonic_time () < end, "not found");
    g_usleep (1000);
  }
  fail_unless_equals_uint64 (value, 600000);
  gst_object_unref (queue);
  teardown (&fixture);
}

GST_END_TEST;

GST_START_TEST (named_encoder_and_property_win)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  GstElement *far;
  guint count;

  setup (&fixture, "fakesrc ! fakebitenc name=far ! fakekbitenc name=enc"
      " ! fakesink name=sink");
  far = gst_bin_get_by_name (GST_BIN (fixture.pipeline), "far");
  fixture.config.start_bitrate = 600000;
  fixture.config.element = "far";
  fixture.config.property = "target-bitrate";
  fixture.config.unit = 1000;
  attach (&fixture);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 600000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (far, NULL), 600);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 0);
  gst_object_unref (far);
  teardown (&fixture);
}

GST_END_TEST;

/* Switched on at last, it sets what stands then: only one value ever came. */
GST_START_TEST (without_control_nothing_is_set)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  guint count;

  setup (&fixture, LAUNCH ("fakekbitenc"));
  fixture.config.start_bitrate = 600000;
  fixture.config.control = FALSE;
  attach (&fixture);
  update (&fixture, 700000, 0);
  update (&fixture, 800000, 2000 * MS);
  fixture.config.control = TRUE;
  tfrc_encoder_set_config (fixture.control, &fixture.config);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 800000);
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 1);
  teardown (&fixture);
}

GST_END_TEST;

static gint log_lines;
static const gchar *log_words;

static void
count_log (GstDebugCategory * category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage * message, gpointer data)
{
  if (level == GST_LEVEL_INFO && strstr (gst_debug_message_get (message),
          log_words) != NULL)
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

static void
wait_for_log (void)
{
  gint64 end = g_get_monotonic_time () + WAIT_US;

  while (g_atomic_int_get (&log_lines) == 0) {
    fail_unless (g_get_monotonic_time () < end, "not logged: %s", log_words);
    g_usleep (1000);
  }
}

/* Looked for once a second, but said once.  An encoder linked at last shows
 * that the looking went on. */
GST_START_TEST (absence_is_said_once)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  GstElement *encoder = gst_element_factory_make ("fakekbitenc", NULL);
  gint references;
  guint i;

  listen_to_log ("no video encoder");
  setup (&fixture, "identity name=i ! fakesink name=sink");
  references = GST_OBJECT_REFCOUNT_VALUE (fixture.owner);
  attach (&fixture);
  wait_for_log ();
  for (i = 0; i < 10; i++) {
    update (&fixture, 600000, i * 1000 * MS);
    wait_until_idle (&fixture, references);
  }
  gst_bin_add (GST_BIN (fixture.pipeline), encoder);
  fixture.encoder = gst_bin_get_by_name (GST_BIN (fixture.pipeline), "i");
  fail_unless (gst_element_link (encoder, fixture.encoder));
  update (&fixture, 600000, 20 * GST_SECOND);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 600000);
  fail_unless_equals_int (g_atomic_int_get (&log_lines), 1);
  teardown (&fixture);
}

GST_END_TEST;

GST_START_TEST (running_encoder_of_ready_is_not_touched)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  guint count;

  listen_to_log ("cannot be changed while");
  setup (&fixture, LAUNCH ("fakereadyenc"));
  gst_element_set_state (fixture.encoder, GST_STATE_READY);
  fixture.config.start_bitrate = 600000;
  attach (&fixture);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 600000);
  fail_unless_equals_int (g_atomic_int_get (&log_lines), 0);
  gst_element_set_state (fixture.encoder, GST_STATE_PAUSED);
  update (&fixture, 900000, 0);
  update (&fixture, 900000, 100 * MS);
  wait_for_log ();
  tfrc_fake_encoder_get (fixture.encoder, &count);
  fail_unless_equals_int (count, 1);
  stats = get_stats (fixture.control);
  fail_unless_equals_uint64 (stats.target_bitrate, 600000);
  teardown (&fixture);
}

GST_END_TEST;

/* Told 500 kbit/s, it makes 2000 for 6 s: one warning that names it all. */
GST_START_TEST (encoder_that_ignores_its_target_is_named)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  GstBus *bus;
  GstMessage *message;
  const GstStructure *details;
  guint64 target, output;
  guint ms;

  setup (&fixture, LAUNCH ("fakekbitenc"));
  bus = gst_element_get_bus (fixture.pipeline);
  fixture.config.start_bitrate = 500000;
  attach (&fixture);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 500000);
  for (ms = 0; ms < 6000; ms += 10)
    tfrc_encoder_on_output (fixture.control, 2500, ms * MS);
  message = gst_bus_timed_pop_filtered (bus, WAIT_US * GST_USECOND,
      GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (fixture.owner));
  gst_message_parse_warning_details (message, &details);
  fail_unless_equals_string (gst_structure_get_string (details, "property"),
      "bitrate");
  fail_unless (g_str_has_suffix (gst_structure_get_string (details,
              "element"), ":enc"));
  fail_unless (gst_structure_get (details, "target-bitrate", G_TYPE_UINT64,
          &target, "output-bitrate", G_TYPE_UINT64, &output, NULL));
  fail_unless_equals_uint64 (target, 500000);
  fail_unless_equals_uint64 (output, 2000000);
  gst_message_unref (message);
  stats = get_stats (fixture.control);
  fail_unless_equals_uint64 (stats.overshoots, 1);
  fail_unless_equals_uint64 (stats.output_bitrate, 2000000);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_object_unref (bus);
  teardown (&fixture);
}

GST_END_TEST;

/* Encodes frames [from, to) of the scene; the bytes that came out. */
static gsize
encode (GstHarness * harness, guint from, guint to)
{
  gsize bytes = 0;
  GstBuffer *buffer;
  guint n;

  for (n = from; n < to; n++) {
    fail_unless_equals_int (gst_harness_push (harness,
            moving_scene_frame (n)), GST_FLOW_OK);
    while ((buffer = gst_harness_try_pull (harness)) != NULL) {
      bytes += gst_buffer_get_size (buffer);
      gst_buffer_unref (buffer);
    }
  }
  return bytes;
}

static const struct
{
  const gchar *factory;
  const gchar *launch;
} followers[] = {
  {"x264enc", "x264enc tune=zerolatency speed-preset=ultrafast threads=1"},
  {"vp8enc", "vp8enc deadline=1 cpu-used=-8 threads=1"},
};

/* A step from 2000 to 500 kbit/s after 3 s of frames.  In the second second
 * after it, frames 120 to 149, 500 kbit/s are 62,500 bytes: within 20 %, and
 * before the step 250,000.  The encoders stay some way below or above. */
GST_START_TEST (real_encoder_follows_a_step)
{
  GstElement *owner = gst_element_factory_make ("identity", NULL);
  TfrcEncoder *control = tfrc_encoder_new (owner);
  TfrcEncoderConfig config = {.control = TRUE,.tuning = TRUE,
    .start_bitrate = 2000000
  };
  TfrcEncoderFlow flow = {.allowed_bitrate = 500000,.overhead = 1.0 };
  TfrcEncoderStats stats;
  GstHarness *harness;
  GstElementFactory *factory = gst_element_factory_find
      (followers[__i__].factory);
  gsize before, after;

  if (factory == NULL) {
    g_print ("%s: not installed, skipped\n", followers[__i__].factory);
    tfrc_encoder_free (control);
    gst_object_unref (owner);
    return;
  }
  gst_object_unref (factory);
  harness = gst_harness_new_parse (followers[__i__].launch);
  gst_harness_set_src_caps_str (harness, MOVING_SCENE_CAPS);
  tfrc_encoder_set_config (control, &config);
  tfrc_encoder_attach (control, harness->sinkpad);
  WAIT_FOR (control, stats, stats.target_bitrate == 2000000);

  encode (harness, 0, 60);
  before = encode (harness, 60, 90);
  tfrc_encoder_update (control, &flow, 3000 * MS);
  tfrc_encoder_update (control, &flow, 3100 * MS);
  WAIT_FOR (control, stats, stats.target_bitrate == 500000);
  encode (harness, 90, 120);
  after = encode (harness, 120, 150);
  g_print ("%s: before_bytes=%" G_GSIZE_FORMAT " after_bytes=%"
      G_GSIZE_FORMAT "\n", followers[__i__].factory, before, after);
  fail_unless (before > 200000 && before < 300000);
  fail_unless (after > 50000 && after < 75000);

  tfrc_encoder_free (control);
  gst_harness_teardown (harness);
  gst_object_unref (owner);
}

GST_END_TEST;

static guint
attach_to_x264 (gboolean tuning, const gchar *launch)
{
  Fixture fixture;
  TfrcEncoderStats stats;
  guint capacity;

  setup (&fixture, launch);
  fixture.config.start_bitrate = 600000;
  fixture.config.tuning = tuning;
  attach (&fixture);
  WAIT_FOR (fixture.control, stats, stats.target_bitrate == 600000);
  g_object_get (fixture.encoder, "vbv-buf-capacity", &capacity, NULL);
  teardown (&fixture);
  return capacity;
}

GST_START_TEST (tuning_leaves_the_users_choice_alone)
{
  GstElementFactory *factory = gst_element_factory_find ("x264enc");

  if (factory == NULL) {
    g_print ("x264enc: not installed, skipped\n");
    return;
  }
  gst_object_unref (factory);
  fail_unless_equals_int (attach_to_x264 (TRUE, LAUNCH ("x264enc")), 133);
  fail_unless_equals_int (attach_to_x264 (FALSE, LAUNCH ("x264enc")), 600);
  fail_unless_equals_int (attach_to_x264 (TRUE,
          LAUNCH ("x264enc vbv-buf-capacity=300")), 300);
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
  tcase_add_test (tcase, target_keeps_bounds_of_config_and_property);
  tcase_add_test (tcase, target_held_back_comes_with_a_later_frame);
  tcase_add_test (tcase, blocked_encoder_blocks_nobody);
  tcase_add_test (tcase, replaced_encoder_is_let_go);
  tcase_add_test (tcase, named_encoder_and_property_win);
  tcase_add_test (tcase, without_control_nothing_is_set);
  tcase_add_test (tcase, absence_is_said_once);
  tcase_add_test (tcase, running_encoder_of_ready_is_not_touched);
  tcase_add_test (tcase, encoder_that_ignores_its_target_is_named);
  tcase_add_loop_test (tcase, real_encoder_follows_a_step, 0,
      G_N_ELEMENTS (followers));
  tcase_add_test (tcase, tuning_leaves_the_users_choice_alone);
  return suite;
}

GST_CHECK_MAIN (tfrc_encoder);
