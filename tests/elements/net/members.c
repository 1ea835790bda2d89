/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose RTCP an rtpsession gets to hear. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#include "net/session.h"
#include "common/stats.h"

/* An empty RR, or with `bye` a BYE behind it, of one SSRC. */
static GstBuffer *
make_rtcp (guint32 ssrc, gboolean bye)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (200);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, bye ? 1 : ssrc);
  if (bye) {
    gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_BYE, &packet);
    gst_rtcp_packet_bye_add_ssrc (&packet, ssrc);
  }
  gst_rtcp_buffer_unmap (&rtcp);
  return buffer;
}

static gboolean
admit (TfrcMembers *self, guint32 ssrc, gboolean bye, guint64 second)
{
  GstBuffer *buffer = make_rtcp (ssrc, bye);
  gboolean admitted = tfrc_members_admit (self, buffer, second * GST_SECOND);

  gst_buffer_unref (buffer);
  return admitted;
}

static void
assert_stats (TfrcMembers *self, guint members, guint64 refused)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SINK);
  guint64 found_refused;
  guint found;

  tfrc_members_add_stats (self, stats);
  fail_unless (gst_structure_get (stats, "rtcp-members", G_TYPE_UINT, &found,
          "rtcp-members-refused", G_TYPE_UINT64, &found_refused, NULL));
  assert_equals_int (found, members);
  assert_equals_uint64 (found_refused, refused);
  gst_structure_free (stats);
}

GST_START_TEST (so_many_are_heard_and_no_more)
{
  TfrcMembers *members = tfrc_members_new ();
  guint32 ssrc;

  for (ssrc = 1; ssrc <= TFRC_MEMBERS_MAX; ssrc++)
    fail_unless (admit (members, ssrc, FALSE, 0));
  for (ssrc = 1000; ssrc < 3000; ssrc++)
    fail_if (admit (members, ssrc, FALSE, 1));
  for (ssrc = 1; ssrc <= TFRC_MEMBERS_MAX; ssrc++)
    fail_unless (admit (members, ssrc, FALSE, 2));
  assert_stats (members, TFRC_MEMBERS_MAX, 2000);
  tfrc_members_free (members);
}

GST_END_TEST;

GST_START_TEST (a_name_inside_a_compound_counts)
{
  TfrcMembers *members = tfrc_members_new ();
  guint32 ssrc;

  for (ssrc = 1; ssrc <= TFRC_MEMBERS_MAX; ssrc++)
    fail_unless (admit (members, ssrc, FALSE, 0));
  /* The RR in front is of 1, who is known. */
  fail_if (admit (members, 1000, TRUE, 0));
  fail_unless (admit (members, 2, TRUE, 0));
  tfrc_members_free (members);
}

GST_END_TEST;

static gboolean
admit_bytes (TfrcMembers *self, const guint8 *data, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, size);
  gboolean admitted = tfrc_members_admit (self, buffer, 0);

  gst_buffer_unref (buffer);
  return admitted;
}

/* An RR of 1 and an SDES of `n` chunks, all of it but the last; its length field is
 * 2 n words. */
static gboolean
admit_crowd (TfrcMembers *self, guint8 n, guint32 last)
{
  guint8 data[8 + 4 + 8 * 31] = { 0x80, 201, 0, 1, 0, 0, 0, 1, 0x80 | n, 202, 0,
    (guint8) (2 * n) };

  for (guint8 i = 0; i < n; i++)
    GST_WRITE_UINT32_BE (data + 12 + 8 * i, i == n - 1 ? last : 1);
  return admit_bytes (self, data, 12 + 8 * (gsize) n);
}

/* A compound that repeats a known SSRC hides none behind it; nor does one whose
 * first packet an rtpsession makes no source of: an APP is of 1000. */
GST_START_TEST (nobody_comes_in_behind_those_who_are_known)
{
  static const guint8 app[] = { 0x80, 204, 0, 2, 0, 0, 0x03, 0xE8, 'T', 'E',
    'S', 'T', 0x80, 201, 0, 1, 0, 0, 0, 1 };
  TfrcMembers *members = tfrc_members_new ();

  for (guint32 ssrc = 1; ssrc <= TFRC_MEMBERS_MAX; ssrc++)
    fail_unless (admit (members, ssrc, FALSE, 0));
  fail_unless (admit_crowd (members, 31, 2));
  fail_if (admit_crowd (members, 31, 1000));
  fail_if (admit_bytes (members, app, sizeof app));
  /* Nothing at all is named: SDES and BYE of nobody. */
  fail_if (admit_bytes (members, (guint8[]) { 0x80, 203, 0, 0 }, 4));
  fail_if (admit_bytes (members, app, sizeof app - 1));
  assert_stats (members, TFRC_MEMBERS_MAX, 4);
  tfrc_members_free (members);
}

GST_END_TEST;

GST_START_TEST (the_silent_make_room_after_five_minutes)
{
  TfrcMembers *members = tfrc_members_new ();
  guint32 ssrc;

  for (ssrc = 1; ssrc <= TFRC_MEMBERS_MAX; ssrc++)
    fail_unless (admit (members, ssrc, FALSE, ssrc == 1 ? 0 : 10));
  fail_if (admit (members, 1000, FALSE, 300));
  fail_unless (admit (members, 1000, FALSE, 301));
  /* 1 has lost its place to it; 2 was heard of later. */
  fail_if (admit (members, 1, FALSE, 302));
  fail_unless (admit (members, 2, FALSE, 302));
  tfrc_members_free (members);
}

GST_END_TEST;

static gboolean
admit_about_us (TfrcMembers *self, guint32 ssrc, guint64 second)
{
  GstBuffer *buffer = make_rtcp (ssrc, FALSE);
  gboolean admitted;

  GST_BUFFER_FLAG_SET (buffer, TFRC_MEMBERS_ABOUT_US);
  admitted = tfrc_members_admit (self, buffer, second * GST_SECOND);
  gst_buffer_unref (buffer);
  return admitted;
}

/* 1 is heard of again, so 2 goes first. */
GST_START_TEST (who_speaks_about_us_takes_the_place_of_a_stranger)
{
  TfrcMembers *members = tfrc_members_new ();
  guint32 ssrc;

  for (ssrc = 1; ssrc <= TFRC_MEMBERS_MAX; ssrc++)
    fail_unless (admit (members, ssrc, FALSE, ssrc));
  fail_unless (admit (members, 1, FALSE, 100));
  fail_unless (admit_about_us (members, 1000, 101));
  fail_if (admit (members, 2, FALSE, 102));
  /* Known as such from then on; and all places are such ones at last. */
  for (ssrc = 1001; ssrc < 1000 + TFRC_MEMBERS_MAX; ssrc++)
    fail_unless (admit_about_us (members, ssrc, 103));
  fail_if (admit_about_us (members, 3000, 104));
  for (ssrc = 1000; ssrc < 1000 + TFRC_MEMBERS_MAX; ssrc++)
    fail_unless (admit (members, ssrc, FALSE, 105));
  assert_stats (members, TFRC_MEMBERS_MAX, 2);
  tfrc_members_free (members);
}

GST_END_TEST;

GST_START_TEST (a_run_begins_without_those_of_the_one_before)
{
  TfrcMembers *members = tfrc_members_new ();

  for (guint32 run = 0; run < 2; run++) {
    tfrc_members_begin_run (members);
    for (guint32 ssrc = 1; ssrc <= TFRC_MEMBERS_MAX; ssrc++)
      fail_unless (admit (members, 100 * run + ssrc, FALSE, run));
    fail_if (admit (members, 1000, FALSE, run));
    assert_stats (members, TFRC_MEMBERS_MAX, 1);
  }
  tfrc_members_free (members);
}

GST_END_TEST;

/* On its way to a session whose own SSRC is 7: of a list of all that fit, one
 * more, and one in the session's name, those that fit pass. */
GST_START_TEST (reports_of_a_list_are_admitted_one_by_one)
{
  TfrcMembers *members = tfrc_members_new ();
  GstElement *rtpbin = gst_element_factory_make ("rtpbin", NULL);
  GstPad *session = gst_element_request_pad_simple (rtpbin, "recv_rtcp_sink_0");
  GstBufferList *list = gst_buffer_list_new ();
  GstHarness *harness = gst_harness_new ("identity");
  GstPad *pad = gst_element_get_static_pad (harness->element, "src");
  GObject *internal;
  guint32 ssrc;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &internal);
  g_object_set (internal, "internal-ssrc", 7, NULL);
  gst_harness_set_src_caps_str (harness, "application/x-rtcp");
  tfrc_members_watch (members, pad, rtpbin);
  gst_buffer_list_add (list, make_rtcp (7, FALSE));
  for (ssrc = 100; ssrc <= 100 + TFRC_MEMBERS_MAX; ssrc++)
    gst_buffer_list_add (list, make_rtcp (ssrc, FALSE));
  fail_unless_equals_int (gst_pad_push_list (pad, list), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (harness),
      TFRC_MEMBERS_MAX);
  assert_stats (members, TFRC_MEMBERS_MAX, 2);

  gst_object_unref (pad);
  gst_harness_teardown (harness);
  tfrc_members_free (members);
  g_object_unref (internal);
  gst_element_release_request_pad (rtpbin, session);
  gst_object_unref (session);
  gst_object_unref (rtpbin);
}

GST_END_TEST;

static Suite *
tfrcmembers_suite (void)
{
  Suite *suite = suite_create ("tfrcmembers");
  TCase *tcase = tcase_create ("members");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, so_many_are_heard_and_no_more);
  tcase_add_test (tcase, a_name_inside_a_compound_counts);
  tcase_add_test (tcase, nobody_comes_in_behind_those_who_are_known);
  tcase_add_test (tcase, the_silent_make_room_after_five_minutes);
  tcase_add_test (tcase, who_speaks_about_us_takes_the_place_of_a_stranger);
  tcase_add_test (tcase, a_run_begins_without_those_of_the_one_before);
  tcase_add_test (tcase, reports_of_a_list_are_admitted_one_by_one);
  return suite;
}

GST_CHECK_MAIN (tfrcmembers);
