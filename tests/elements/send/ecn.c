/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When rtptfrcsend wants its packets to be ECT, and what it makes of the marks of
 * ECT(1). */

#include "send/fixture.h"

#include <math.h>

#include "rtp/ecn.h"
#include "tfrc-wire.h"

static guint n_notified;

static void
on_ect (GObject *element, GParamSpec *pspec, gpointer user_data)
{
  n_notified++;
}

static void
start (SendFixture *f, gboolean ecn, const gchar *mode)
{
  n_notified = 0;
  send_fixture_init (f);
  g_signal_connect (f->element, "notify::ect", G_CALLBACK (on_ect), NULL);
  g_object_set (f->element, "ecn", ecn, NULL);
  gst_util_set_object_arg (G_OBJECT (f->element), "mode", mode);
}

static guint
is_ect (SendFixture *f)
{
  guint ect;

  g_object_get (f->element, "ect", &ect, NULL);
  return ect;
}

static void
check_state (SendFixture *f, const gchar *expected)
{
  GstStructure *stats;

  g_object_get (f->element, "stats", &stats, NULL);
  assert_equals_string (gst_structure_get_string (stats, "ecn"), expected);
  gst_structure_free (stats);
}

/* A report with the summary of so many packets. */
static void
push_report (SendFixture *f, const SendPacket *packet, guint ect_0, guint ce,
    guint not_ect, guint32 media_ssrc)
{
  TfrcEcnSummary summary = {
    .media_ssrc = media_ssrc, .ect_0 = ect_0, .ce = ce, .not_ect = not_ect
  };
  guint8 data[TFRC_WIRE_FEEDBACK_SIZE + TFRC_WIRE_ECN_MAX];
  gsize size;

  send_fixture_make_feedback (data, packet, SSRC);
  size = tfrc_wire_write_ecn (data + TFRC_WIRE_FEEDBACK_SIZE, &summary, 1,
      RECEIVER_SSRC);
  send_fixture_push_rtcp (f, data, TFRC_WIRE_FEEDBACK_SIZE + size);
}

GST_START_TEST (ecn_is_off_unless_wanted)
{
  SendFixture f;

  start (&f, FALSE, "tfrc");
  send_fixture_start (&f, VIDEO_CAPS);
  fail_if (is_ect (&f));
  fail_unless_equals_int (n_notified, 0);
  check_state (&f, "off");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* RFC 6679 section 7.2.3: a leap of faith is for one receiver. */
GST_START_TEST (a_group_gets_no_ect)
{
  SendFixture f;

  start (&f, TRUE, "tfmcc");
  send_fixture_start (&f, VIDEO_CAPS);
  fail_if (is_ect (&f));
  check_state (&f, "off");
  send_fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (a_summary_shows_that_ecn_works)
{
  SendPacket packet;
  SendFixture f;

  start (&f, TRUE, "tfrc");
  send_fixture_start (&f, VIDEO_CAPS);
  fail_unless (is_ect (&f));
  fail_unless_equals_int (n_notified, 1);
  check_state (&f, "testing");
  send_fixture_push_packets (&f, 1);
  packet = send_fixture_pull_packet (&f);
  send_fixture_run_until (&f, START + RTT);

  push_report (&f, &packet, 1, 0, 0, 12345);
  check_state (&f, "testing");
  push_report (&f, &packet, 3, 2, 1, SSRC);
  check_state (&f, "working");
  fail_unless_equals_uint64 (send_fixture_get_stat (&f, "ecn-ect-0"), 3);
  fail_unless_equals_uint64 (send_fixture_get_stat (&f, "ecn-ce"), 2);
  fail_unless_equals_uint64 (send_fixture_get_stat (&f, "ecn-not-ect"), 1);
  fail_unless (is_ect (&f));
  fail_unless_equals_int (n_notified, 1);
  /* All of it was for us: nothing is left for an rtpsession but the XR that
   * named another SSRC. */
  fail_unless_equals_int (gst_harness_buffers_in_queue (f.rtcp), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* RFC 6679 section 7.4: three summaries of 20 packets that were cleared on the
 * way. */
GST_START_TEST (a_path_that_bleaches_ends_ect)
{
  SendPacket packet;
  GstMessage *message;
  SendFixture f;
  guint i;

  start (&f, TRUE, "tfrc");
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  packet = send_fixture_pull_packet (&f);
  send_fixture_run_until (&f, START + RTT);
  for (i = 1; i <= TFRC_ECN_BLEACHED_SUMMARIES; i++) {
    fail_unless (is_ect (&f));
    push_report (&f, &packet, 0, 0, 20 * i, SSRC);
  }
  fail_if (is_ect (&f));
  fail_unless_equals_int (n_notified, 2);
  check_state (&f, "bleached");

  message = gst_bus_pop_filtered (f.bus, GST_MESSAGE_ELEMENT);
  fail_unless (gst_message_has_name (message, "tfrc-ecn"));
  assert_equals_string (
      gst_structure_get_string (gst_message_get_structure (message), "state"),
      "bleached");
  gst_message_unref (message);
  fail_if (gst_bus_pop_filtered (f.bus, GST_MESSAGE_ELEMENT));
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Nobody answers: after 3 s packets leave without ECT. */
GST_START_TEST (silence_ends_ect_for_now)
{
  SendFixture f;

  start (&f, TRUE, "tfrc");
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  send_fixture_run_until (&f, START + 8 * TFRC_SECOND);
  check_state (&f, "waiting");
  fail_if (is_ect (&f));
  send_fixture_clear (&f);
}

GST_END_TEST;

/* ECT(1) only where delay control can answer marks that come each round trip. */
GST_START_TEST (l4s_needs_delay_control_and_its_reports)
{
  static const struct
  {
    guint delay_target;
    const gchar *feedback;
    TfrcEcnCodepoint ect;
  } cases[] = { { 8, "auto", TFRC_ECN_ECT_1 }, { 8, "tfrc", TFRC_ECN_ECT_1 },
    { 8, "ccfb", TFRC_ECN_ECT_1 }, { 0, "auto", TFRC_ECN_ECT_0 },
    { 8, "twcc", TFRC_ECN_ECT_0 }, { 8, "rr", TFRC_ECN_ECT_0 } };
  SendFixture f;

  start (&f, TRUE, "tfrc");
  g_object_set (f.element, "l4s", TRUE, "delay-target",
      cases[__i__].delay_target, NULL);
  gst_util_set_object_arg (G_OBJECT (f.element), "feedback",
      cases[__i__].feedback);
  send_fixture_start (&f, VIDEO_CAPS);
  assert_equals_int (is_ect (&f), cases[__i__].ect);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* And no loss: p stays 0. */
GST_START_TEST (a_mark_of_ect_1_bounds_what_is_sent)
{
  SendPacket packet;
  SendFixture f;

  start (&f, TRUE, "tfrc");
  g_object_set (f.element, "l4s", TRUE, NULL);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  packet = send_fixture_pull_packet (&f);
  send_fixture_run_until (&f, START + RTT);
  push_report (&f, &packet, 0, 0, 0, SSRC);
  fail_unless (isinf (send_fixture_get_rate (&f, "send-limit")));
  fail_unless_equals_uint64 (send_fixture_get_stat (&f, "delay-mark-cuts"), 0);

  push_report (&f, &packet, 0, 1, 0, SSRC);
  fail_if (isinf (send_fixture_get_rate (&f, "send-limit")));
  fail_unless_equals_uint64 (send_fixture_get_stat (&f, "delay-mark-cuts"), 1);
  check_state (&f, "working");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Marks on everything tell of nothing: 2 s of them, a report each second. */
GST_START_TEST (a_path_that_marks_everything_ends_ect_1)
{
  SendPacket packet;
  SendFixture f;
  guint i;

  start (&f, TRUE, "tfrc");
  g_object_set (f.element, "l4s", TRUE, NULL);
  send_fixture_start (&f, VIDEO_CAPS);
  for (i = 0; i <= 2; i++) {
    fail_unless (is_ect (&f));
    send_fixture_push_packets (&f, 1);
    send_fixture_run_until (&f, START + (i + 1) * TFRC_SECOND);
    packet = send_fixture_pull_packet (&f);
    push_report (&f, &packet, 0, 10 * (i + 1), 0, SSRC);
  }
  fail_if (is_ect (&f));
  check_state (&f, "marked");
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
rtptfrcsendecn_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsendecn");
  TCase *tcase = tcase_create ("ect");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, ecn_is_off_unless_wanted);
  tcase_add_test (tcase, a_group_gets_no_ect);
  tcase_add_test (tcase, a_summary_shows_that_ecn_works);
  tcase_add_test (tcase, a_path_that_bleaches_ends_ect);
  tcase_add_test (tcase, silence_ends_ect_for_now);
  tcase_add_loop_test (tcase, l4s_needs_delay_control_and_its_reports, 0, 6);
  tcase_add_test (tcase, a_mark_of_ect_1_bounds_what_is_sent);
  tcase_add_test (tcase, a_path_that_marks_everything_ends_ect_1);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsendecn);
