/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcreceive makes of the jitter buffer's holes.  The element is the one that is
 * linked with this program, and not the plugin's, whose functions are others. */

#include "receive/group-fixture.h"
#include "receive/gstrtptfrcreceive.h"

/* A packet is lost, and the jitter buffer has given it up before its loss is known, or
 * knows that only behind it; in between the first parity comes, or the last one is long
 * ago.  One request, whichever was told while there was no repair. */
GST_START_TEST (test_a_loss_while_repair_begins_or_ends_is_asked_for_once)
{
  gboolean begins = (__i__ & 1) != 0, hole_first = (__i__ & 2) != 0;
  GstRtpTfrcReceive *receive;
  guint16 lost;
  Fixture self;
  guint i;

  GST_ELEMENT_REGISTER (rtptfrcreceive, NULL);
  fixture_init (&self, VIDEO_CAPS);
  self.extension_id = 0;
  receive = GST_RTP_TFRC_RECEIVE (self.element);
  gst_rtp_tfrc_receive_set_repairs (receive, FALSE, FALSE, !begins);
  fixture_push_packet (&self);
  self.payload = fixture_slice;
  fixture_push_packet (&self);
  lost = self.seq++;
  fixture_push_packet (&self);
  for (i = 0; i < 2; i++) {
    if ((i == 0) == hole_first) {
      gst_rtp_tfrc_receive_on_unrepaired (receive, VIDEO_SSRC, lost);
    } else {
      fixture_push_packet (&self);
      fixture_push_packet (&self);
    }
    if (i == 0)
      gst_rtp_tfrc_receive_set_repairs (receive, FALSE, FALSE, begins);
  }
  fixture_pull_key_frame_request (&self);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self), 2 * TFRC_SECOND);
  fail_unless_equals_uint64 (fixture_get_counter (&self, "key-frame-requests"),
      1);
  fixture_clear (&self);
}

GST_END_TEST;

static GstClockTime
miss (Group *self, guint16 seq, GstClockTime time_left)
{
  GstClockTime hold;

  return gst_rtp_tfrc_receive_on_missing (
      GST_RTP_TFRC_RECEIVE (self->base.element), VIDEO_SSRC, seq, &time_left,
      time_left, &hold);
}

/* Ten receivers: without parity nobody asks, and with it when an answer can just come in
 * time, 250 ms before the packet is needed at an RTT of 100 ms.  What has come before the
 * hole is told of is not asked for. */
GST_START_TEST (test_a_large_group_asks_for_what_parity_has_not_given)
{
  GstRtpTfrcReceive *receive;
  guint16 came;
  Group self;

  GST_ELEMENT_REGISTER (rtptfrcreceive, NULL);
  group_init (&self, VIDEO_CAPS);
  receive = GST_RTP_TFRC_RECEIVE (self.base.element);
  group_become_clr (&self);
  for (guint i = 0; i < 50; i++) {
    self.extension.round += i % 10 == 9;
    group_echo (&self, OTHER_SSRC + i % 10, FALSE, 100 * MS);
    group_push (&self);
  }
  for (guint uses_parity = 0; uses_parity <= 1; uses_parity++) {
    gst_rtp_tfrc_receive_set_repairs (receive, TRUE, TRUE, uses_parity);
    fail_unless_equals_uint64 (miss (&self, 7, 260 * MS), 0);
    fail_unless_equals_uint64 (miss (&self, 7, 240 * MS),
        uses_parity ? 100 * MS : 0);
  }
  came = self.base.seq;
  group_push (&self);
  fail_unless_equals_uint64 (miss (&self, came, 240 * MS), 0);
  group_clear (&self);
}

GST_END_TEST;

static Suite *
holes_suite (void)
{
  Suite *suite = suite_create ("rtptfrcreceiveholes");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      test_a_loss_while_repair_begins_or_ends_is_asked_for_once, 0, 4);
  tcase_add_test (tcase, test_a_large_group_asks_for_what_parity_has_not_given);
  return suite;
}

GST_CHECK_MAIN (holes);
