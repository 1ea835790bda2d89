/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which property is an encoder's bitrate, in which unit, and setting it: on
 * fakes, on the table, and on every known encoder that is installed. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>

#include "encoder/fake.h"
#include "encoder/property.h"

/* Blurbs as the elements of GStreamer 1.22 have them. */
GST_START_TEST (unit_is_guessed_from_blurb_then_range)
{
  static const struct
  {
    const gchar *blurb;
    guint maximum;
    guint standard;
    guint unit;
  } guesses[] = {
    { "Bitrate in kbit/sec", 2048000, 2048, 1000 },
    { "Compressed video bitrate (kbps)", 16777215, 0, 1000 },
    { "Target bitrate, in kilobits per second", G_MAXUINT, 256, 1000 },
    { "Target Bitrate in Kbit/s", G_MAXUINT, 3000000, 1000 },
    { "Bitrate (in bits per second)", G_MAXUINT, 128000, 1 },
    { "Target bitrate (in bits/sec) (0: auto)", G_MAXINT, 256000, 1 },
    { "Set bitrate, in bps", 1000, 100, 1 },
    { "Bitrate in Mbps", 100, 10, 1000000 },
    { "Bitrate", 2048000, 2048, 1000 },
    { "Bitrate", 2048000, 2000000, 1000 },
    { "Bitrate", G_MAXUINT, 4000000, 1 },
    { "Bitrate", G_MAXUINT, 4000, 1000 },
    { "Bitrate", G_MAXUINT, 0, 1000 },
    { NULL, G_MAXUINT, 0, 1000 },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (guesses); i++) {
    GParamSpec *pspec = g_param_spec_ref_sink (g_param_spec_uint ("bitrate",
        NULL, guesses[i].blurb, 0, guesses[i].maximum, guesses[i].standard,
        G_PARAM_READWRITE));

    fail_unless (tfrc_encoder_property_guess_unit (pspec) == guesses[i].unit,
        "row %u: %s", i, guesses[i].blurb);
    g_param_spec_unref (pspec);
  }
}

GST_END_TEST;

GST_START_TEST (table_tells_families_apart)
{
  static const struct
  {
    const gchar *factory;
    const gchar *property;
    guint unit;
    gboolean live;
    TfrcEncoderCost cost;
  } rows[] = {
    { "x264enc", "bitrate", 1000, TRUE },
    { "x265enc", "bitrate", 1000, TRUE, TFRC_ENCODER_KEY_FRAME },
    { "vp8enc", "target-bitrate", 1, TRUE },
    { "rav1enc", "bitrate", 1, FALSE },
    { "avenc_mpeg4", "bitrate", 1, FALSE },
    { "nvh264enc", "bitrate", 1000, TRUE, TFRC_ENCODER_KEY_FRAME },
    { "nvcudah265enc", "bitrate", 1000, TRUE, TFRC_ENCODER_KEY_FRAME },
    { "nvv4l2h264enc", "bitrate", 1, TRUE },
    { "vah264lpenc", "bitrate", 1000, TRUE, TFRC_ENCODER_KEY_FRAME },
    { "vaapih264enc", "bitrate", 1000, TRUE },
    { "qsvav1enc", "bitrate", 1000, TRUE, TFRC_ENCODER_KEY_FRAME },
    { "amfh264enc", "bitrate", 1000, TRUE, TFRC_ENCODER_KEY_FRAME },
    { "msdkh264enc", "bitrate", 1000, TRUE, TFRC_ENCODER_RESTART },
    { "v4l2h264enc", "extra-controls", 1, TRUE },
    { "vtenc_h264_hw", "bitrate", 1000, TRUE },
    { "mpph265enc", "bps", 1, TRUE },
    { "vpuenc_h264", "bitrate", 1000, TRUE },
    { "omxh264enc", "target-bitrate", 1, TRUE },
    { "amcvidenc-omxqcomvideoencoderavc", "bitrate", 1, TRUE },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    const TfrcEncoderEntry *entry = tfrc_encoder_table_lookup (rows[i].factory);

    fail_unless (entry != NULL, "%s", rows[i].factory);
    fail_unless_equals_string (entry->property, rows[i].property);
    fail_unless_equals_int (entry->unit, rows[i].unit);
    fail_unless_equals_int (entry->live, rows[i].live);
    fail_unless_equals_int (entry->cost, rows[i].cost);
  }
  /* Which it would skip frames for seconds with. */
  fail_unless (tfrc_encoder_table_next_tuning ("openh264enc", NULL) == NULL);
  fail_unless (tfrc_encoder_table_lookup ("identity") == NULL);
  fail_unless (tfrc_encoder_table_lookup ("vah264dec") == NULL);
  fail_unless (tfrc_encoder_table_lookup ("valve") == NULL);
  fail_unless (tfrc_encoder_table_lookup ("") == NULL);
}

GST_END_TEST;

/* 1,234,567 bits/s is 1234 kbit/s rounded down; the range is 1 to 2,048,000
 * kbit/s.  The other fake counts bits and its 0 means automatic. */
GST_START_TEST (value_is_in_the_units_and_range_of_the_property)
{
  GstElement *kbit = gst_element_factory_make ("fakekbitenc", NULL);
  GstElement *bit = gst_element_factory_make ("fakebitenc", NULL);
  TfrcEncoderProperty property;

  fail_unless (tfrc_encoder_property_resolve (&property, kbit, NULL, 0));
  fail_unless_equals_string (property.name, "bitrate");
  fail_unless (property.unit_guessed);
  tfrc_encoder_property_set (&property, kbit, 1234567);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (kbit, NULL), 1234);
  tfrc_encoder_property_set (&property, kbit, 0);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (kbit, NULL), 1);
  tfrc_encoder_property_set (&property, kbit, G_MAXUINT64);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (kbit, NULL), 2048000);
  tfrc_encoder_property_clear (&property);

  fail_unless (tfrc_encoder_property_resolve (&property, bit, NULL, 0));
  fail_unless_equals_string (property.name, "target-bitrate");
  tfrc_encoder_property_set (&property, bit, 1234567);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (bit, NULL), 1234567);
  tfrc_encoder_property_set (&property, bit, 0);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (bit, NULL), 1);
  tfrc_encoder_property_clear (&property);

  gst_object_unref (kbit);
  gst_object_unref (bit);
}

GST_END_TEST;

GST_START_TEST (overrides_win_and_wrong_ones_fail)
{
  GstElement *bit = gst_element_factory_make ("fakebitenc", NULL);
  GstElement *none = gst_element_factory_make ("fakenobitenc", NULL);
  TfrcEncoderProperty property;

  fail_unless (tfrc_encoder_property_resolve (&property, bit, "target-bitrate",
      100));
  fail_if (property.unit_guessed);
  tfrc_encoder_property_set (&property, bit, 500000);
  fail_unless_equals_uint64 (tfrc_fake_encoder_get (bit, NULL), 5000);
  tfrc_encoder_property_clear (&property);
  /* Absent, and not a number. */
  fail_if (tfrc_encoder_property_resolve (&property, bit, "bitrate", 0));
  fail_if (tfrc_encoder_property_resolve (&property, bit, "name", 0));
  fail_if (tfrc_encoder_property_resolve (&property, none, NULL, 0));

  gst_object_unref (bit);
  gst_object_unref (none);
}

GST_END_TEST;

GST_START_TEST (property_of_ready_is_settable_up_to_ready)
{
  GstElement *encoder = gst_element_factory_make ("fakereadyenc", NULL);
  TfrcEncoderProperty property;

  fail_unless (tfrc_encoder_property_resolve (&property, encoder, NULL, 0));
  fail_unless (tfrc_encoder_property_is_settable (&property, encoder));
  gst_element_set_state (encoder, GST_STATE_READY);
  fail_unless (tfrc_encoder_property_is_settable (&property, encoder));
  gst_element_set_state (encoder, GST_STATE_PAUSED);
  fail_if (tfrc_encoder_property_is_settable (&property, encoder));
  gst_element_set_state (encoder, GST_STATE_NULL);
  tfrc_encoder_property_clear (&property);
  gst_object_unref (encoder);
}

GST_END_TEST;

/* It is PLAYING all the time; what ends it is the codec's being opened. */
GST_START_TEST (encoder_that_is_not_live_is_settable_until_its_caps)
{
  GstElement *encoder = gst_element_factory_make ("avenc_mpeg4", NULL);
  TfrcEncoderProperty property;
  GstHarness *harness;

  if (encoder == NULL) {
    g_print ("avenc_mpeg4: not installed, skipped\n");
    return;
  }
  harness = gst_harness_new_with_element (encoder, "sink", "src");
  fail_unless (tfrc_encoder_property_resolve (&property, encoder, NULL, 0));
  fail_unless (tfrc_encoder_property_is_settable (&property, encoder));
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=I420,width=64,"
      "height=64,framerate=30/1");
  fail_if (tfrc_encoder_property_is_settable (&property, encoder));
  tfrc_encoder_property_clear (&property);
  gst_harness_teardown (harness);
  gst_object_unref (encoder);
}

GST_END_TEST;

static const gchar *const installed[] = {
  "x264enc",
  "x265enc",
  "vp8enc",
  "vp9enc",
  "av1enc",
  "openh264enc",
  "theoraenc",
  "mpeg2enc",
  "avenc_mpeg4",
  "avenc_mjpeg",
  "svtav1enc",
  "rav1enc",
};

/* The table's row fits the element that is there: 600,000 bits/s arrive. */
GST_START_TEST (table_fits_installed_encoder)
{
  GstElement *encoder = gst_element_factory_make (installed[__i__], NULL);
  TfrcEncoderProperty property;
  const TfrcEncoderEntry *entry;
  gint64 value = 0;
  GValue number = G_VALUE_INIT;

  if (encoder == NULL) {
    g_print ("%s: not installed, skipped\n", installed[__i__]);
    return;
  }
  fail_unless (tfrc_encoder_property_resolve (&property, encoder, NULL, 0));
  entry = tfrc_encoder_table_lookup (installed[__i__]);
  fail_unless (entry != NULL);
  fail_if (property.unit_guessed);
  fail_unless_equals_string (property.name, entry->property);
  /* And where the blurb names a unit, it is the table's. */
  fail_unless_equals_int (tfrc_encoder_property_guess_unit (property.pspec),
      property.unit);

  tfrc_encoder_property_set (&property, encoder, 600000);
  g_value_init (&number, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (encoder), property.name, &number);
  value = g_value_get_int64 (&number);
  fail_unless_equals_int64 (value, 600000 / property.unit);
  tfrc_encoder_property_clear (&property);
  gst_object_unref (encoder);
}

GST_END_TEST;

/* Each tuning still finds its default on the installed element. */
GST_START_TEST (tuning_changes_defaults_only)
{
  static const gchar *const tuned[] = { "x264enc", "vp8enc", "vp9enc",
    "theoraenc" };
  const gchar *factory = tuned[__i__];
  GstElement *encoder = gst_element_factory_make (factory, NULL);
  GstElement *owner = gst_element_factory_make ("identity", NULL);
  const TfrcEncoderTuning *tuning = NULL;
  const TfrcEncoderTuning *choice;
  GValue number = G_VALUE_INIT;

  if (encoder == NULL) {
    g_print ("%s: not installed, skipped\n", factory);
    gst_object_unref (owner);
    return;
  }
  choice = tfrc_encoder_table_next_tuning (factory, NULL);
  fail_unless (choice != NULL);
  g_value_init (&number, G_TYPE_INT64);
  while ((tuning = tfrc_encoder_table_next_tuning (factory, tuning)) != NULL) {
    g_object_get_property (G_OBJECT (encoder), tuning->property, &number);
    fail_unless_equals_int64 (g_value_get_int64 (&number), tuning->from);
  }
  tfrc_encoder_property_tune (encoder, FALSE, FALSE, owner);
  while ((tuning = tfrc_encoder_table_next_tuning (factory, tuning)) != NULL) {
    g_object_get_property (G_OBJECT (encoder), tuning->property, &number);
    fail_unless_equals_int64 (g_value_get_int64 (&number), tuning->to);
  }
  /* What the user set stays. */
  g_value_set_int64 (&number, choice->to + 1);
  g_object_set_property (G_OBJECT (encoder), choice->property, &number);
  g_object_get_property (G_OBJECT (encoder), choice->property, &number);
  fail_unless_equals_int64 (g_value_get_int64 (&number), choice->to + 1);
  tfrc_encoder_property_tune (encoder, FALSE, FALSE, owner);
  g_object_get_property (G_OBJECT (encoder), choice->property, &number);
  fail_unless_equals_int64 (g_value_get_int64 (&number), choice->to + 1);
  gst_object_unref (encoder);
  gst_object_unref (owner);
}

GST_END_TEST;

static Suite *
tfrc_encoder_property_suite (void)
{
  Suite *suite = suite_create ("tfrcencoderproperty");
  TCase *tcase = tcase_create ("general");

  tfrc_fake_encoders_register ();
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, unit_is_guessed_from_blurb_then_range);
  tcase_add_test (tcase, table_tells_families_apart);
  tcase_add_test (tcase, value_is_in_the_units_and_range_of_the_property);
  tcase_add_test (tcase, overrides_win_and_wrong_ones_fail);
  tcase_add_test (tcase, property_of_ready_is_settable_up_to_ready);
  tcase_add_test (tcase, encoder_that_is_not_live_is_settable_until_its_caps);
  tcase_add_loop_test (tcase, table_fits_installed_encoder, 0,
      G_N_ELEMENTS (installed));
  tcase_add_loop_test (tcase, tuning_changes_defaults_only, 0, 4);
  return suite;
}

GST_CHECK_MAIN (tfrc_encoder_property);
