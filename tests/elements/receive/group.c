/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive as a member of a TFMCC group: what it reports, and when. */

#include "receive/group-fixture.h"
#include "waiter.h"

#include <gst/rtp/rtp.h>

/* X_r: 15 packets of 128 bytes in the last 3 * 512 ms, twice that rate: 2500
 * bytes/s = 100 * 2^7 (1 + 72/128) bit/s, code 7 << 7 | 72 = 0x3C8.  The newest
 * packet left at 4 s and waited for 72 ms. */
GST_START_TEST (test_the_bytes_of_a_report)
{
  static const guint8 before_time[] = { 0x8F, 206, 0, 8, 0xAA, 0xBB, 0xCC, 0xDD,
    0x11, 0x11, 0x22, 0x22, 'T', 'F', 'M', 'C', 0x13, 0xC8, 7, 0x10 };
  /* 4072000, p = 0 and 512000. */
  static const guint8 behind_time[] = { 0x00, 0x3E, 0x22, 0x40, 0, 0, 0, 0,
    0x00, 0x07, 0xD0, 0x00 };
  Group self;
  GstBuffer *buffer;

  group_init (&self, GROUP_CAPS);
  group_push (&self);
  group_push_until (&self, 4 * TFRC_SECOND);
  fixture_wait_for_sleep (&self.base);
  fixture_crank (&self.base);
  buffer = gst_harness_pull (self.base.rtcp);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 36);
  fail_unless_equals_int (gst_buffer_memcmp (buffer, 0, before_time,
                              sizeof (before_time)),
      0);
  fail_unless_equals_int (gst_buffer_memcmp (buffer, 24, behind_time,
                              sizeof (behind_time)),
      0);
  gst_buffer_unref (buffer);
  group_clear (&self);
}

GST_END_TEST;

/* RR 8 and SDES 16 bytes, then the same. */
GST_START_TEST (test_a_compound_report)
{
  Group self;
  TfmccReport report;
  GstBuffer *buffer;

  group_init (&self, GROUP_CAPS);
  g_object_set (self.base.element, "rtcp-reduced-size", FALSE, "cname", "name",
      NULL);
  group_push (&self);
  group_push_until (&self, 4 * TFRC_SECOND);
  fixture_wait_for_sleep (&self.base);
  fixture_crank (&self.base);
  buffer = gst_harness_pull (self.base.rtcp);
  fail_unless (gst_rtcp_buffer_validate (buffer));
  group_read_report (buffer, 24, &report);
  fail_unless_equals_int (report.round, 7);
  gst_buffer_unref (buffer);
  group_clear (&self);
}

GST_END_TEST;

/* One report a round; a rate of others that is below ours cancels it. */
GST_START_TEST (test_a_lower_rate_of_others_suppresses_the_report)
{
  Group self;
  TfmccReport report;

  group_init (&self, GROUP_CAPS);
  group_report_once (&self, &report);
  self.extension.round = 8;
  group_push_until (&self, 5 * TFRC_SECOND);
  fail_unless (fixture_wait_for_sleep (&self.base) > 5 * TFRC_SECOND);
  self.extension.suppression_rate = 100.0;
  group_push_until (&self, 9 * TFRC_SECOND);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "reports"), 1);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "reports-suppressed"),
      1);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "rounds"), 2);
  group_clear (&self);
}

GST_END_TEST;

/* The report of 4.072 s was the last; from then on one RTT apart, whatever
 * others say. */
GST_START_TEST (test_the_clr_reports_once_per_rtt)
{
  Group self;
  TfmccReport report;
  guint i;

  group_init (&self, GROUP_CAPS);
  group_become_clr (&self);
  self.extension.suppression_rate = 100.0;
  for (i = 1; i <= 3; i++) {
    fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.base),
        4072 * MS + i * 100 * MS);
    fixture_crank (&self.base);
    group_pull_report (&self, &report);
    fail_unless (report.has_rtt);
    fail_unless_equals_int (report.report_time_us - self.offset_us,
        4072000 + i * 100000);
    fixture_advance_to (&self.base, 4100 * MS + i * 100 * MS);
    group_push (&self);
  }
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "clr-periods"),
      1);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "echoes"), 1);
  /* 28 + 36 bytes are below 5 % of the first 31 * 128 = 3968, and above those of
   * one packet in between. */
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "feedback-over-share"),
      3);
  group_clear (&self);
}

GST_END_TEST;

static gpointer
leave (gpointer element)
{
  g_signal_emit_by_name (element, "leave");
  return NULL;
}

/* Downstream takes the report no earlier than that it is waited for. */
static GstPadProbeReturn
delay (GstPad *pad, GstPadProbeInfo *info, gpointer leaving)
{
  fail_unless (waiter_waits (leaving, 1));
  return GST_PAD_PROBE_OK;
}

/* The report has left the element when the action returns. */
GST_START_TEST (test_the_clr_says_that_it_leaves)
{
  Group self;
  TfmccReport report;
  Waiter leaving;
  GstPad *pad;

  group_init (&self, GROUP_CAPS);
  group_become_clr (&self);
  pad = gst_element_get_static_pad (self.base.element, "rtcp_src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, delay, &leaving, NULL);
  gst_object_unref (pad);
  waiter_start (&leaving, leave, self.base.element);
  waiter_join (&leaving);
  fail_unless_equals_int (gst_harness_buffers_in_queue (self.base.rtcp), 1);
  group_pull_report (&self, &report);
  fail_unless (report.leaving);
  fail_unless_equals_int (report.report_time_us - self.offset_us, 4100000);
  group_clear (&self);
}

GST_END_TEST;

/* Neither now nor when the round's timer would have expired. */
GST_START_TEST (test_who_was_not_heard_leaves_in_silence)
{
  Group self;

  group_init (&self, GROUP_CAPS);
  group_push (&self);
  g_signal_emit_by_name (self.base.element, "leave");
  group_push_until (&self, 6 * TFRC_SECOND);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "reports"), 0);
  group_clear (&self);
}

GST_END_TEST;

/* EOS is a goodbye as well; it follows the report. */
GST_START_TEST (test_the_clr_leaves_at_eos)
{
  Group self;
  TfmccReport report;
  GstEvent *event;
  gboolean seen = FALSE;

  group_init (&self, GROUP_CAPS);
  group_become_clr (&self);
  fail_unless (gst_harness_push_event (self.base.rtp, gst_event_new_eos ()));
  while (!seen) {
    event = gst_harness_pull_event (self.base.rtcp);
    fail_unless (event != NULL);
    seen = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  group_pull_report (&self, &report);
  fail_unless (report.leaving);
  group_clear (&self);
}

GST_END_TEST;

/* After a pause the group is a new one, in which nothing has been said. */
GST_START_TEST (test_resuming_joins_anew)
{
  Group self;

  group_init (&self, GROUP_CAPS);
  group_become_clr (&self);
  g_signal_emit_by_name (self.base.element, "leave");
  gst_element_set_state (self.base.element, GST_STATE_PAUSED);
  fixture_advance_to (&self.base, 10 * TFRC_SECOND);
  gst_element_set_state (self.base.element, GST_STATE_PLAYING);
  self.base.seq += 100;
  group_push (&self);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.base),
      10 * TFRC_SECOND + SPAN);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "packets-lost"),
      0);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "clr-periods"),
      1);
  group_clear (&self);
}

GST_END_TEST;

/* The packet of 4.2 s is missing, which is known with the third one after it, at
 * 4.5 s; the CLR's reports leave at 4.172 s and then, one RTT or more later, with
 * each packet. */
GST_START_TEST (test_a_loss_goes_into_the_report)
{
  Group self;
  TfmccReport report;
  guint i;

  group_init (&self, GROUP_CAPS);
  group_become_clr (&self);
  fixture_wait_for_sleep (&self.base);
  fixture_crank (&self.base);
  group_pull_report (&self, &report);
  self.base.seq++;
  for (i = 3; i <= 5; i++) {
    fixture_advance_to (&self.base, 4000 * MS + i * SPACING);
    group_push (&self);
    group_pull_report (&self, &report);
    fail_unless_equals_int (report.report_time_us - self.offset_us,
        4000000 + i * 100000);
    fail_unless (report.has_loss == (i == 5));
  }
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "packets-lost"),
      1);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "loss-events"),
      1);
  group_clear (&self);
}

GST_END_TEST;

/* Sound and picture in one flow: sequence numbers of their own, one report.  The
 * second time a packet of one of them is missing. */
GST_START_TEST (test_streams_of_one_sender_are_one_flow)
{
  Group self;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfmccReport report;
  GstBuffer *buffer;
  guint i;

  group_init (&self, GROUP_CAPS);
  group_push (&self);
  for (i = 1; i <= 30; i++) {
    fixture_advance_to (&self.base, TFRC_SECOND + i * SPACING);
    group_push (&self);
    buffer = fixture_make_group_packet (&self.base, &self.extension);
    self.base.seq--;
    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
    gst_rtp_buffer_set_ssrc (&rtp, 0x33334444);
    gst_rtp_buffer_set_seq (&rtp, 40000 + i + (i > 20 ? __i__ : 0));
    gst_rtp_buffer_unmap (&rtp);
    gst_harness_push (self.base.rtp, buffer);
    gst_buffer_unref (gst_harness_pull (self.base.rtp));
  }
  /* It may still sleep until the hole would be lost by time alone. */
  if (fixture_wait_for_sleep (&self.base) < TFRC_SECOND + SPAN)
    fixture_crank (&self.base);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.base),
      TFRC_SECOND + SPAN);
  fixture_crank (&self.base);
  group_pull_report (&self, &report);
  fail_unless_equals_int_hex (report.media_ssrc, 0x33334444);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "packets"), 61);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "packets-lost"),
      __i__);
  fail_unless (report.has_loss == (__i__ == 1));
  /* Twice as much as of one: 40000 bit/s, code 8 << 7 | 72. */
  if (__i__ == 0)
    fail_unless_equals_float (report.rate * 8.0, 40000.0);
  group_clear (&self);
}

GST_END_TEST;

static Suite *
rtptfrcreceivegroup_suite (void)
{
  Suite *suite = suite_create ("rtptfrcreceivegroup");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_the_bytes_of_a_report);
  tcase_add_test (tcase, test_a_compound_report);
  tcase_add_test (tcase, test_a_lower_rate_of_others_suppresses_the_report);
  tcase_add_test (tcase, test_the_clr_reports_once_per_rtt);
  tcase_add_test (tcase, test_the_clr_says_that_it_leaves);
  tcase_add_test (tcase, test_who_was_not_heard_leaves_in_silence);
  tcase_add_test (tcase, test_the_clr_leaves_at_eos);
  tcase_add_test (tcase, test_resuming_joins_anew);
  tcase_add_test (tcase, test_a_loss_goes_into_the_report);
  tcase_add_loop_test (tcase, test_streams_of_one_sender_are_one_flow, 0, 2);
  return suite;
}

GST_CHECK_MAIN (rtptfrcreceivegroup);
