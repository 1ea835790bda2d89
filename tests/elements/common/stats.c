/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of statistics, each set by its name to a value of its type. */

#include <gst/check/gstcheck.h>

#include "common/stats.h"

GST_START_TEST (a_field_of_each_type_is_set)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SEND);
  const guint64 packets = G_MAXUINT64;
  const gdouble share = 0.25;
  gboolean slow_start;
  gdouble share_set;
  guint64 packets_set;
  guint ssrc;

  tfrc_stats_add (stats, TFRC_STATS_SEND_GROUP);
  tfrc_stats_set (stats, "slow-start", true);
  tfrc_stats_set (stats, "clr-ssrc", G_MAXUINT32);
  tfrc_stats_set (stats, "queue-packets", packets);
  tfrc_stats_set (stats, "repair-share", share);
  tfrc_stats_set (stats, "mode", "tfmcc");
  fail_unless (gst_structure_get (stats,
      "slow-start", G_TYPE_BOOLEAN, &slow_start,
      "clr-ssrc", G_TYPE_UINT, &ssrc,
      "queue-packets", G_TYPE_UINT64, &packets_set,
      "repair-share", G_TYPE_DOUBLE, &share_set,
      NULL));
  fail_unless (slow_start);
  assert_equals_uint64 (ssrc, G_MAXUINT32);
  assert_equals_uint64 (packets_set, packets);
  assert_equals_float (share_set, share);
  assert_equals_string (gst_structure_get_string (stats, "mode"), "tfmcc");
  gst_structure_free (stats);
}
GST_END_TEST

static void
expect_critical (const gchar *pattern)
{
  g_test_expect_message ("GStreamer-TFRC", G_LOG_LEVEL_CRITICAL, pattern);
}

static void
assert_unchanged (GstStructure *stats)
{
  GstStructure *unchanged = tfrc_stats_new (TFRC_STATS_SEND);

  g_test_assert_expected_messages ();
  fail_unless (gst_structure_is_equal (stats, unchanged));
  gst_structure_free (unchanged);
}

GST_START_TEST (a_field_that_no_list_has_is_refused)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SEND);

  expect_critical ("*queue-byte");
  tfrc_stats_set (stats, "queue-byte", G_GUINT64_CONSTANT (1));
  assert_unchanged (stats);
  gst_structure_free (stats);
}
GST_END_TEST

GST_START_TEST (a_value_of_another_type_is_refused)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SEND);

  expect_critical ("*guint named queue-packets");
  tfrc_stats_set (stats, "queue-packets", 1u);
  expect_critical ("*gdouble named queue-packets");
  tfrc_stats_set (stats, "queue-packets", 1.0);
  expect_critical ("*gchararray named queue-packets");
  tfrc_stats_set (stats, "queue-packets", "1");
  expect_critical ("*gboolean named mode");
  tfrc_stats_set (stats, "mode", TRUE);
  assert_unchanged (stats);
  gst_structure_free (stats);
}
GST_END_TEST

static Suite *
stats_suite (void)
{
  Suite *suite = suite_create ("stats");
  TCase *tcase = tcase_create ("set");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_field_of_each_type_is_set);
  tcase_add_test (tcase, a_field_that_no_list_has_is_refused);
  tcase_add_test (tcase, a_value_of_another_type_is_refused);
  return suite;
}

GST_CHECK_MAIN (stats);
