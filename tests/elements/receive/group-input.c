/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive in a group: how it finds out, whose packets it believes, what
 * it tells the application, and whom it asks for key frames. */

#include "receive/group-fixture.h"

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

static void
expect_mode (Group *self, const gchar *mode)
{
  GstStructure *stats;

  g_object_get (self->base.element, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "mode"), mode);
  gst_structure_free (stats);
}

/* Ten packets are enough for either way. */
static const struct
{
  const gchar *caps;
  const gchar *mode; /* the property; NULL = default */
  const gchar *expected;
  guint64 packets_without_extension;
} modes[] = {
  { GROUP_CAPS, NULL, "tfmcc", 0 },
  { VIDEO_CAPS, NULL, "tfmcc", 0 },
  { VIDEO_CAPS, "tfmcc", "tfmcc", 0 },
  { VIDEO_CAPS, "tfrc", "tfrc", 10 },
  { EXTENSION_CAPS, NULL, "tfrc", 10 },
};

GST_START_TEST (test_the_mode_is_found)
{
  Group self;
  guint i;

  group_init (&self, modes[__i__].caps);
  if (modes[__i__].mode) {
    gst_element_set_state (self.base.element, GST_STATE_READY);
    gst_util_set_object_arg (G_OBJECT (self.base.element), "mode",
        modes[__i__].mode);
    gst_element_set_state (self.base.element, GST_STATE_PLAYING);
    gst_harness_set_src_caps_str (self.base.rtp, modes[__i__].caps);
  }
  for (i = 0; i < 10; i++) {
    fixture_advance_to (&self.base, TFRC_SECOND + i * SPACING);
    group_push (&self);
  }
  expect_mode (&self, modes[__i__].expected);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base, "packets"), 10);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "packets-unstamped"),
      modes[__i__].packets_without_extension);
  group_clear (&self);
}

GST_END_TEST;

/* A packet of TFRC's in between is no extension, and changes nothing. */
GST_START_TEST (test_a_single_packet_does_not_change_the_mode)
{
  Group self;
  TfmccReport report;

  group_init (&self, VIDEO_CAPS);
  group_push (&self);
  group_push_until (&self, 3 * TFRC_SECOND);
  fixture_push_packet (&self.base);
  expect_mode (&self, "tfmcc");
  group_push_until (&self, 4 * TFRC_SECOND);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.base),
      TFRC_SECOND + SPAN);
  fixture_crank (&self.base);
  group_pull_report (&self, &report);
  group_clear (&self);
}

GST_END_TEST;

/* Under our id, of 8 bytes that say 16. */
GST_START_TEST (test_a_malformed_element_is_counted)
{
  static const guint8 element[8] = { 0x4F, 0xFF, 0x90, 7, 0, 0, 0, 1 };
  Group self;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer;

  group_init (&self, GROUP_CAPS);
  group_push (&self);
  self.base.extension_id = 0;
  buffer = fixture_make_group_packet (&self.base, &self.extension);
  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, EXTENSION_ID,
      element, sizeof (element)));
  gst_rtp_buffer_unmap (&rtp);
  gst_harness_push (self.base.rtp, buffer);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "extensions-malformed"),
      1);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "packets-unstamped"),
      1);
  group_clear (&self);
}

GST_END_TEST;

static void
on_collision (GstElement *element, guint ssrc, guint32 *told)
{
  *told = ssrc;
  g_object_set (element, "rtcp-ssrc", ssrc + 1, NULL);
}

/* An echo of a report that left 1000 s ago.  The handler gives another SSRC,
 * under which the next report goes; measurements go on. */
GST_START_TEST (test_an_ssrc_collision_is_told_and_resolved)
{
  Group self;
  TfmccReport report;
  guint32 told = 0;

  group_init (&self, GROUP_CAPS);
  g_signal_connect (self.base.element, "ssrc-collision",
      G_CALLBACK (on_collision), &told);
  group_become_clr (&self);
  group_echo (&self, OUR_SSRC, TRUE, 1000 * TFRC_SECOND);
  self.extension.round = 8;
  group_push (&self);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.base),
      4100 * MS + SPAN);
  fail_unless_equals_int_hex (told, OUR_SSRC);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "ssrc-collisions"),
      1);
  group_push_until (&self, 7100 * MS);
  fixture_wait_for_sleep (&self.base);
  fixture_crank (&self.base);
  group_pull_report (&self, &report);
  fail_unless_equals_int (report.round, 8);
  fail_unless_equals_int_hex (report.ssrc, OUR_SSRC + 1);
  fail_unless (report.has_rtt);
  group_clear (&self);
}

GST_END_TEST;

static void
count_collision (GstElement *element, guint ssrc, guint *n)
{
  (*n)++;
}

static void
queue_collision (GstElement *element, guint ssrc, GAsyncQueue *told)
{
  g_async_queue_push (told, GUINT_TO_POINTER (ssrc));
}

/* Forged echoes, ten a second: told at once, at 1 s, and at 11 s. */
GST_START_TEST (test_collisions_are_told_once_in_ten_seconds)
{
  GAsyncQueue *told = g_async_queue_new ();
  Group self;
  guint i;

  group_init (&self, GROUP_CAPS);
  g_signal_connect (self.base.element, "ssrc-collision",
      G_CALLBACK (queue_collision), told);
  for (i = 0; i < 100; i++) {
    fixture_advance_to (&self.base, TFRC_SECOND + i * SPACING);
    group_echo (&self, OUR_SSRC, FALSE, 1000 * TFRC_SECOND);
    group_push (&self);
    if (i == 0)
      g_async_queue_pop (told);
    /* The round's report. */
    if (fixture_wait_for_sleep (&self.base) == TFRC_SECOND + SPAN && i == 30)
      fixture_crank (&self.base);
  }
  fail_unless (g_async_queue_try_pop (told) == NULL);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.base),
      11 * TFRC_SECOND);
  fixture_crank (&self.base);
  g_async_queue_pop (told);
  group_echo (&self, OUR_SSRC, FALSE, 1000 * TFRC_SECOND);
  group_push (&self);
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.base),
      21 * TFRC_SECOND);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "ssrc-collisions"),
      101);
  group_clear (&self);
  g_async_queue_unref (told);
}

GST_END_TEST;

/* One of another receiver that was echoed, and the sender's. */
GST_START_TEST (test_an_ssrc_that_was_heard_is_not_taken)
{
  static const guint32 taken[] = { OTHER_SSRC, VIDEO_SSRC };
  Group self;
  guint n = 0;

  group_init (&self, GROUP_CAPS);
  g_signal_connect (self.base.element, "ssrc-collision",
      G_CALLBACK (count_collision), &n);
  group_push (&self);
  group_echo (&self, OTHER_SSRC, FALSE, 100 * MS);
  group_push (&self);
  fixture_wait_for_sleep (&self.base);
  fail_unless_equals_int (n, 0);
  g_object_set (self.base.element, "rtcp-ssrc", taken[__i__], NULL);
  fixture_wait_for_sleep (&self.base);
  fail_unless_equals_int (n, 1);
  group_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_the_ssrc_of_the_sender_is_given_up)
{
  Group self;
  guint n = 0;

  group_init (&self, GROUP_CAPS);
  g_signal_connect (self.base.element, "ssrc-collision",
      G_CALLBACK (count_collision), &n);
  g_object_set (self.base.element, "rtcp-ssrc", VIDEO_SSRC, NULL);
  fail_unless_equals_int (n, 0);
  group_push (&self);
  fixture_wait_for_sleep (&self.base);
  fail_unless_equals_int (n, 1);
  group_clear (&self);
}

GST_END_TEST;

/* Another clock and SSRC, once the former sender is silent for 2 R_max: two
 * packets are not believed, with the third, at 7.2 s, it is the sender. */
GST_START_TEST (test_a_restarted_sender_is_followed)
{
  Group self;
  TfmccReport report;
  TfrcTime start = 7 * TFRC_SECOND;
  guint i;

  group_init (&self, GROUP_CAPS);
  group_become_clr (&self);
  fixture_wait_for_sleep (&self.base);
  fixture_crank (&self.base);
  for (i = 0; i < 33; i++) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    GstBuffer *buffer;
    guint8 *data;
    guint size;

    fixture_advance_to (&self.base, start + i * SPACING);
    self.base.seq = (guint16) (100 + i);
    self.extension.round = 0;
    buffer = fixture_make_group_packet (&self.base, &self.extension);
    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
    gst_rtp_buffer_set_ssrc (&rtp, 0x55556666);
    fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp,
        EXTENSION_ID, 0, (gpointer *) &data, &size));
    /* Its timestamps began elsewhere, 2^31 us away. */
    data[4] ^= 0x80;
    gst_rtp_buffer_unmap (&rtp);
    gst_harness_push (self.base.rtp, buffer);
  }
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "sender-restarts"),
      1);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "packets-foreign"),
      2);
  /* It has an RTT still, and the R_max of before. */
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.base),
      7200 * MS + SPAN);
  fixture_crank (&self.base);
  do
    group_pull_report (&self, &report);
  while (report.media_ssrc != 0x55556666);
  fail_unless (report.has_rtt);
  fail_unless_equals_int (report.round, 0);
  group_clear (&self);
}

GST_END_TEST;

/* From elsewhere under the sender's own SSRC: dropped, and no report goes there.  After
 * four intervals of silence, each 100 ms, it is the sender, which has moved. */
GST_START_TEST (test_packets_from_elsewhere_are_foreign)
{
  static const struct
  {
    gboolean home;
    guint at_ms;
    guint64 foreign;
    guint passed; /* buffers, then */
  } rows[] = { { TRUE, 1000, 0, 1 }, { TRUE, 1000, 0, 2 }, { TRUE, 1000, 0, 3 },
    { FALSE, 1001, 1, 3 }, { TRUE, 1100, 1, 4 }, { FALSE, 1499, 2, 4 },
    { FALSE, 1500, 2, 5 } };
  Group self;
  guint i;

  group_init (&self, GROUP_CAPS);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GSocketAddress *address;
    GstBuffer *buffer;

    fixture_advance_to (&self.base, rows[i].at_ms * MS);
    buffer = fixture_make_group_packet (&self.base, &self.extension);
    gst_buffer_add_net_address_meta (buffer,
        rows[i].home ? self.base.home : self.base.away);
    fail_unless_equals_int (gst_harness_push (self.base.rtp, buffer),
        GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_buffers_received (self.base.rtp),
        rows[i].passed);
    fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                   "packets-foreign"),
        rows[i].foreign);
    g_object_get (self.base.element, "source-address", &address, NULL);
    fail_unless (address == (i == 6 ? self.base.away : self.base.home));
    g_object_unref (address);
  }
  group_clear (&self);
}

GST_END_TEST;

/* A stream of another sender would take the place of ours in tfrcsrc. */
GST_START_TEST (test_streams_from_elsewhere_are_dropped)
{
  static const struct
  {
    guint at_ms;
    gboolean home;
    guint8 ssrc_end; /* the last of its bytes */
    guint passed;    /* buffers, then */
  } rows[] = {
    /* The sender's second stream is its own; silence frees the place. */
    { 1000, TRUE, 0x22, 1 }, { 1000, TRUE, 0x22, 2 }, { 1000, TRUE, 0x22, 3 },
    { 1001, FALSE, 0x23, 3 }, { 1002, TRUE, 0x23, 4 }, { 1003, FALSE, 0x23, 4 },
    { 1004, FALSE, 0x24, 4 }, { 2100, FALSE, 0x24, 5 }
  };
  Group self;
  guint i;

  group_init (&self, GROUP_CAPS);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *buffer;

    fixture_advance_to (&self.base, rows[i].at_ms * MS);
    buffer = fixture_make_group_packet (&self.base, &self.extension);
    gst_buffer_fill (buffer, 11, &rows[i].ssrc_end, 1);
    gst_buffer_add_net_address_meta (buffer,
        rows[i].home ? self.base.home : self.base.away);
    fail_unless_equals_int (gst_harness_push (self.base.rtp, buffer),
        GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_buffers_received (self.base.rtp),
        rows[i].passed);
  }
  group_clear (&self);
}

GST_END_TEST;

/* A BYE for the sender's stream, of which a packet is missing: it is lost if
 * the sender says so. */
GST_START_TEST (test_only_the_sender_says_bye)
{
  static const guint8 bye[] = { 0x81, 203, 0, 1, 0x11, 0x11, 0x22, 0x22 };
  Group self;
  GstBuffer *buffer;
  guint i;

  group_init (&self, GROUP_CAPS);
  for (i = 0; i < 3; i++) {
    GSocketAddress *address = i == 1 ? self.base.away : self.base.home;

    if (i == 0) {
      buffer = fixture_make_group_packet (&self.base, &self.extension);
      gst_buffer_add_net_address_meta (buffer, address);
      gst_harness_push (self.base.rtp, buffer);
      self.base.seq++;
      buffer = fixture_make_group_packet (&self.base, &self.extension);
    } else {
      buffer = gst_buffer_new_memdup (bye, sizeof (bye));
    }
    gst_buffer_add_net_address_meta (buffer, address);
    gst_harness_push (self.base.rtp, buffer);
    fail_unless_equals_uint64 (fixture_get_counter (&self.base, "packets-lost"),
        i == 2 ? 1 : 0);
    fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                   "packets-foreign"),
        i == 0 ? 0 : 1);
  }
  group_clear (&self);
}

GST_END_TEST;

static void
on_leaving (GstElement *element, GstBus *bus)
{
  gst_bus_post (bus,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new_empty ("leaving")));
}

static GstMessage *
pop (GstBus *bus, const gchar *name)
{
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_ELEMENT);

  fail_unless (message != NULL, "no message %s", name);
  fail_unless (gst_message_has_name (message, name));
  return message;
}

/* The CLR loses every second packet, and the sender goes on: with an RTT of 100
 * ms and packets of 128 bytes it could take less than half of that.  A second
 * after the means have met it is hopeless. */
GST_START_TEST (test_a_hopeless_member_tells_and_leaves)
{
  gboolean auto_leave = __i__ == 1, left = 2;
  GstBus *bus = gst_bus_new ();
  Group self;
  TfmccReport report;
  GstMessage *message;
  guint64 bitrate, sending_bitrate;
  guint i;

  group_init (&self, GROUP_CAPS);
  gst_element_set_bus (self.base.element, bus);
  gst_element_set_state (self.base.element, GST_STATE_READY);
  g_object_set (self.base.element, "leave-timeout", 1000, "auto-leave",
      auto_leave, "key-frame-requests", FALSE, NULL);
  gst_element_set_state (self.base.element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (self.base.rtp, GROUP_CAPS);
  g_signal_connect (self.base.element, "leaving", G_CALLBACK (on_leaving), bus);
  group_become_clr (&self);
  for (i = 1; i <= 300; i++) {
    fixture_advance_to (&self.base, 4100 * MS + i * 10 * MS);
    self.base.seq++;
    group_push (&self);
  }
  message = pop (bus, "tfmcc-hopeless");
  fail_unless (gst_structure_get (gst_message_get_structure (message),
          "bitrate", G_TYPE_UINT64, &bitrate, "sending-bitrate", G_TYPE_UINT64,
          &sending_bitrate, "left", G_TYPE_BOOLEAN, &left, NULL));
  fail_unless (bitrate < 0.7 * sending_bitrate);
  fail_unless_equals_int (left, auto_leave);
  gst_message_unref (message);
  if (auto_leave) {
    do
      group_pull_report (&self, &report);
    while (!report.leaving);
    gst_message_unref (pop (bus, "leaving"));
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
  gst_element_set_bus (self.base.element, NULL);
  gst_object_unref (bus);
  group_clear (&self);
}

GST_END_TEST;

/* The same losses before the RTT is known: the rate is that of R_max. */
GST_START_TEST (test_without_an_rtt_nobody_is_hopeless)
{
  GstBus *bus = gst_bus_new ();
  Group self;
  guint i;

  group_init (&self, GROUP_CAPS);
  gst_element_set_bus (self.base.element, bus);
  g_object_set (self.base.element, "leave-timeout", 1000, NULL);
  for (i = 1; i <= 300; i++) {
    fixture_advance_to (&self.base, TFRC_SECOND + i * 10 * MS);
    self.base.seq++;
    group_push (&self);
  }
  fixture_wait_for_sleep (&self.base);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
  gst_element_set_bus (self.base.element, NULL);
  gst_object_unref (bus);
  group_clear (&self);
}

GST_END_TEST;

/* A joiner without a key frame: not at once, as a lone receiver, but within
 * 2 (512 + 100) ms. */
GST_START_TEST (test_a_joiner_waits_before_it_asks_for_a_key_frame)
{
  Group self;
  TfrcTime due;

  group_init (&self, GROUP_CAPS);
  self.base.payload = fixture_slice;
  group_push (&self);
  due = fixture_wait_for_sleep (&self.base);
  fail_unless (due <= TFRC_SECOND + 1224 * MS);
  fail_unless_equals_uint64 (fixture_get_counter (&self.base,
                                 "key-frame-requests"),
      0);
  group_push_until (&self, due - 1);
  fixture_crank (&self.base);
  fixture_pull_key_frame_request (&self.base);
  group_clear (&self);
}

GST_END_TEST;

/* There is one CLR only. */
GST_START_TEST (test_the_clr_asks_for_a_key_frame_at_once)
{
  Group self;

  group_init (&self, GROUP_CAPS);
  group_become_clr (&self);
  g_signal_emit_by_name (self.base.element, "request-key-frame", 0);
  fixture_pull_key_frame_request (&self.base);
  group_clear (&self);
}

GST_END_TEST;

/* Two of them are heard of in more than four rounds, of which the other is the CLR. */
GST_START_TEST (test_one_of_few_asks_for_a_key_frame_at_once)
{
  Group self;

  group_init (&self, GROUP_CAPS);
  group_become_clr (&self);
  for (guint8 round = 8; round <= 13; round++) {
    fixture_advance_to (&self.base,
        fixture_get_time (&self.base) + TFRC_SECOND);
    self.extension.round = round;
    group_echo (&self, OTHER_SSRC, TRUE, 50 * MS);
    group_push (&self);
  }
  fixture_crank (&self.base);
  fixture_wait_for_sleep (&self.base);
  while (gst_harness_buffers_in_queue (self.base.rtcp) > 0)
    gst_buffer_unref (gst_harness_pull (self.base.rtcp));
  g_signal_emit_by_name (self.base.element, "request-key-frame", 0);
  fixture_pull_key_frame_request (&self.base);
  group_clear (&self);
}

GST_END_TEST;

static Suite *
rtptfrcreceivegroupinput_suite (void)
{
  Suite *suite = suite_create ("rtptfrcreceivegroupinput");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_the_mode_is_found, 0, G_N_ELEMENTS (modes));
  tcase_add_test (tcase, test_a_single_packet_does_not_change_the_mode);
  tcase_add_test (tcase, test_a_malformed_element_is_counted);
  tcase_add_test (tcase, test_an_ssrc_collision_is_told_and_resolved);
  tcase_add_test (tcase, test_collisions_are_told_once_in_ten_seconds);
  tcase_add_loop_test (tcase, test_an_ssrc_that_was_heard_is_not_taken, 0, 2);
  tcase_add_test (tcase, test_the_ssrc_of_the_sender_is_given_up);
  tcase_add_test (tcase, test_a_restarted_sender_is_followed);
  tcase_add_test (tcase, test_packets_from_elsewhere_are_foreign);
  tcase_add_test (tcase, test_streams_from_elsewhere_are_dropped);
  tcase_add_test (tcase, test_only_the_sender_says_bye);
  tcase_add_loop_test (tcase, test_a_hopeless_member_tells_and_leaves, 0, 2);
  tcase_add_test (tcase, test_without_an_rtt_nobody_is_hopeless);
  tcase_add_test (tcase, test_a_joiner_waits_before_it_asks_for_a_key_frame);
  tcase_add_test (tcase, test_the_clr_asks_for_a_key_frame_at_once);
  tcase_add_test (tcase, test_one_of_few_asks_for_a_key_frame_at_once);
  return suite;
}

GST_CHECK_MAIN (rtptfrcreceivegroupinput);
