/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The id of our header extension: given, or learnt from the packets. */

#include "receive/extension-reader.h"

#include <gst/check/gstcheck.h>
#include <gst/rtp/rtp.h>

#include "tfmcc-wire.h"
#include "tfrc-wire.h"

/* A packet with one element; the extension's RTT is 50 ms. */
static GstBuffer *
packet_with (guint id, guint32 send_time_us, gsize size, gboolean two_byte)
{
  const TfrcExtension extension = { send_time_us, 50 * TFRC_MILLISECOND };
  guint8 data[16] = {
    0,
  };
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (10, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  tfrc_wire_write_extension (data, &extension);
  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  if (two_byte)
    fail_unless (gst_rtp_buffer_add_extension_twobytes_header (&rtp, 0, id,
        data, size));
  else
    fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, id, data,
        size));
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static void
add_element (GstBuffer *buffer, guint id, guint32 send_time_us)
{
  const TfrcExtension extension = { send_time_us, 0 };
  guint8 data[TFRC_WIRE_EXTENSION_SIZE];
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  tfrc_wire_write_extension (data, &extension);
  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, id, data,
      sizeof (data)));
  gst_rtp_buffer_unmap (&rtp);
}

/* Reads and frees the packet. */
static TfrcExtensionResult
read_packet (TfrcExtensionReader *self, GstBuffer *buffer,
    TfrcPacketExtension *extension, TfrcTime now)
{
  GstMapInfo map;
  TfrcRtpPacket packet;
  TfrcExtensionResult result;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless (tfrc_rtp_packet_read (&packet, map.data, map.size));
  result = tfrc_extension_reader_read (self, &packet, extension, now);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return result;
}

static TfrcExtensionReader self;
static TfrcPacketExtension extension;

static void
set_up (void)
{
  tfrc_extension_reader_init (&self, NULL, GST_TFRC_MODE_AUTO);
}

GST_START_TEST (test_a_configured_id_reads_both_forms)
{
  tfrc_extension_reader_set_id (&self, 3);
  fail_unless_equals_int (read_packet (&self, packet_with (3, 7, 7, FALSE),
                              &extension, 0),
      TFRC_EXTENSION_FOUND);
  fail_unless_equals_int (extension.tfrc.send_time_us, 7);
  fail_unless_equals_uint64 (extension.tfrc.rtt, 50 * TFRC_MILLISECOND);
  fail_unless_equals_int (read_packet (&self, packet_with (3, 8, 7, TRUE),
                              &extension, 0),
      TFRC_EXTENSION_FOUND);
  fail_unless_equals_int (extension.tfrc.send_time_us, 8);

  tfrc_extension_reader_set_id (&self, 200);
  fail_unless_equals_int (read_packet (&self, packet_with (200, 9, 7, TRUE),
                              &extension, 0),
      TFRC_EXTENSION_FOUND);
  fail_unless_equals_int (extension.tfrc.send_time_us, 9);
}

GST_END_TEST;

GST_START_TEST (test_another_length_or_id_is_no_extension)
{
  TfrcPacketExtension extension = { .tfrc = { 1, 2 } };

  self.mode = GST_TFRC_MODE_TFRC;
  tfrc_extension_reader_set_id (&self, 3);
  fail_unless_equals_int (read_packet (&self, packet_with (3, 7, 6, FALSE),
                              &extension, 0),
      TFRC_EXTENSION_MALFORMED);
  fail_unless_equals_int (read_packet (&self, packet_with (3, 7, 8, TRUE),
                              &extension, 0),
      TFRC_EXTENSION_MALFORMED);
  fail_unless_equals_int (read_packet (&self, packet_with (4, 7, 7, FALSE),
                              &extension, 0),
      TFRC_EXTENSION_NONE);
  fail_unless_equals_int (read_packet (&self,
                              gst_rtp_buffer_new_allocate (10, 0, 0),
                              &extension, 0),
      TFRC_EXTENSION_NONE);
  fail_unless_equals_int (extension.tfrc.send_time_us, 1);
}

GST_END_TEST;

/* As Farstream 0.2 sends them, with id 3: an RTT of 60 ms = 0xEA60 us, 50 ms = 0xC350 us
 * after its first packet. */
GST_START_TEST (test_packets_of_farstream_have_an_extension)
{
  const guint8 one_byte[] = { 0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0xBE,
    0xDE, 0, 2, 0x36, 0x00, 0xEA, 0x60, 0x00, 0x00, 0xC3, 0x50, 0xAA };
  const guint8 two_byte[] = { 0x90, 96, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0x10,
    0x00, 0, 3, 3, 7, 0x00, 0xEA, 0x60, 0x00, 0x00, 0xC3, 0x50, 0, 0, 0, 0xAA };

  tfrc_extension_reader_set_id (&self, 3);
  for (guint i = 0; i < 2; i++) {
    TfrcPacketExtension extension = { 0 };
    GstBuffer *buffer = i == 0
        ? gst_buffer_new_memdup (one_byte, sizeof (one_byte))
        : gst_buffer_new_memdup (two_byte, sizeof (two_byte));

    fail_unless_equals_int (read_packet (&self, buffer, &extension, 0),
        TFRC_EXTENSION_FOUND);
    fail_unless_equals_int (extension.tfrc.send_time_us, 50000);
    fail_unless_equals_uint64 (extension.tfrc.rtt, 60 * TFRC_MILLISECOND);
  }
}

GST_END_TEST;

/* A one-byte header that says 7 bytes (0x36) where 3 are left. */
GST_START_TEST (test_an_element_past_the_end_is_no_extension)
{
  const guint8 bytes[] = { 0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0xBE, 0xDE,
    0, 1, 0x36, 1, 2, 3 };

  tfrc_extension_reader_set_id (&self, 3);
  fail_unless_equals_int (read_packet (&self,
                              gst_buffer_new_memdup (bytes, sizeof (bytes)),
                              &extension, 0),
      TFRC_EXTENSION_NONE);
}

GST_END_TEST;

GST_START_TEST (test_caps_give_the_id_in_both_forms)
{
  static const struct
  {
    const gchar *caps;
    guint id;
  } rows[] = {
    { "application/x-rtp, extmap-5=(string)" TFRC_WIRE_EXTENSION_URI, 5 },
    { "application/x-rtp, extmap-14=(string)< \"\", " TFRC_WIRE_EXTENSION_URI
      ", \"\" >",
        14 },
    { "application/x-rtp, extmap-5=(string)urn:other", 0 },
    { "application/x-rtp, extmap-0=(string)" TFRC_WIRE_EXTENSION_URI, 0 },
    { "application/x-rtp, extmap-256=(string)" TFRC_WIRE_EXTENSION_URI, 0 },
    { "application/x-rtp, extmap-x=(string)" TFRC_WIRE_EXTENSION_URI, 0 },
    { "application/x-rtp", 0 },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstCaps *caps = gst_caps_from_string (rows[i].caps);

    memset (self.caps_ids, 0, sizeof (self.caps_ids));
    tfrc_extension_reader_add_caps (&self, caps);
    fail_unless_equals_int (tfrc_extension_reader_get_id (&self), rows[i].id);
    gst_caps_unref (caps);
  }
  tfrc_extension_reader_set_id (&self, 9);
  fail_unless_equals_int (tfrc_extension_reader_get_id (&self), 9);
}

GST_END_TEST;

/* The only element of 7 bytes is read from the first packet on; two more whose
 * timestamps move as the clock does (10 ms here) confirm it. */
GST_START_TEST (test_the_only_element_is_used_on_trial_and_learnt)
{
  guint i;

  for (i = 0; i < 3; i++) {
    fail_unless_equals_int (self.learnt, 0);
    /* From just below the wrap of the timestamp. */
    fail_unless_equals_int (
        read_packet (&self, packet_with (2, 0xFFFFFFF0 + i * 10000, 7, FALSE),
            &extension, TFRC_SECOND + i * 10 * TFRC_MILLISECOND),
        TFRC_EXTENSION_FOUND);
    fail_unless_equals_int (extension.tfrc.send_time_us,
        0xFFFFFFF0 + i * 10000);
    fail_unless_equals_int (tfrc_extension_reader_get_id (&self), 2);
  }
  fail_unless_equals_int (self.learnt, 2);
}

GST_END_TEST;

/* Timestamps 5 s apart in packets 10 ms apart cannot be ours. */
GST_START_TEST (test_a_foreign_element_is_rejected_once_and_not_used_again)
{
  guint i;

  for (i = 0; i < 10; i++) {
    TfrcExtensionResult expected = i == 0 ? TFRC_EXTENSION_FOUND
        : i == 1                          ? TFRC_EXTENSION_REJECTED
                                          : TFRC_EXTENSION_NONE;

    fail_unless_equals_int (read_packet (&self,
                                packet_with (2, i * 5000000, 7, FALSE),
                                &extension, i * 10 * TFRC_MILLISECOND),
        expected);
  }
  fail_unless_equals_int (tfrc_extension_reader_get_id (&self), 0);
}

GST_END_TEST;

/* In a burst, a constant has the right pace; it is learnt never. */
GST_START_TEST (test_a_constant_is_not_learnt)
{
  guint i;

  for (i = 0; i < 10; i++)
    read_packet (&self, packet_with (2, 1234, 7, FALSE), &extension, 0);
  fail_unless_equals_int (self.learnt, 0);
}

GST_END_TEST;

/* With two elements of 7 bytes neither is used before it is known which. */
GST_START_TEST (test_of_two_elements_the_one_that_advances_is_learnt)
{
  guint i;

  for (i = 0; i < 3; i++) {
    GstBuffer *buffer = packet_with (1, 77, 7, FALSE);

    add_element (buffer, 4, 1000 + i * 10000);
    fail_unless_equals_int (read_packet (&self, buffer, &extension,
                                i * 10 * TFRC_MILLISECOND),
        i < 2 ? TFRC_EXTENSION_NONE : TFRC_EXTENSION_FOUND);
  }
  fail_unless_equals_int (self.learnt, 4);
  fail_unless_equals_int (extension.tfrc.send_time_us, 21000);
}

GST_END_TEST;

/* The element of the hop before has the lower id, or the higher one. */
GST_START_TEST (test_of_two_hops_the_last_is_learnt)
{
  const guint before = __i__ == 0 ? 3 : 5;

  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = packet_with (before, 500000 + i * 10000, 7, FALSE);

    add_element (buffer, 4, 1000 + i * 10000);
    read_packet (&self, buffer, &extension, i * 10 * TFRC_MILLISECOND);
  }
  fail_unless_equals_int (self.learnt, 4);
  fail_unless_equals_int (extension.tfrc.send_time_us, 21000);
}

GST_END_TEST;

GST_START_TEST (test_a_restarted_sender_with_another_id_is_learnt_anew)
{
  guint i;

  for (i = 0; i < 6; i++) {
    guint id = i < 3 ? 1 : 6;

    fail_unless_equals_int (read_packet (&self,
                                packet_with (id, i * 10000, 7, FALSE),
                                &extension, i * 10 * TFRC_MILLISECOND),
        TFRC_EXTENSION_FOUND);
    fail_unless_equals_int (extension.tfrc.send_time_us, i * 10000);
  }
  fail_unless_equals_int (tfrc_extension_reader_get_id (&self), 6);
}

GST_END_TEST;

/* A packet with one element of TFMCC, with an echo (16 bytes) or without (8). */
static GstBuffer *
group_packet_with (guint id, guint32 send_time_us, gboolean has_echo)
{
  const TfmccExtension extension = { .suppression_rate = TFMCC_NO_SUPPRESSION,
    .max_rtt = TFMCC_INITIAL_RTT,
    .send_time_us = send_time_us,
    .has_echo = has_echo };
  guint8 data[TFMCC_WIRE_EXTENSION_MAX];
  gsize size = tfmcc_wire_write_extension (data, &extension);
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (10, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, id, data,
      size));
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* Both sizes under one id are one element. */
GST_START_TEST (test_tfmcc_is_learnt_by_its_sizes)
{
  guint i;

  for (i = 0; i < 3; i++) {
    fail_unless_equals_int (self.learnt, 0);
    fail_unless_equals_int (read_packet (&self,
                                group_packet_with (2, i * 10000, i % 2),
                                &extension, i * 10 * TFRC_MILLISECOND),
        TFRC_EXTENSION_FOUND);
    fail_unless_equals_int (extension.mode, GST_TFRC_MODE_TFMCC);
    fail_unless_equals_int (extension.tfmcc.send_time_us, i * 10000);
    fail_unless (extension.tfmcc.has_echo == (i % 2 == 1));
  }
  fail_unless_equals_int (self.learnt, 2);
  fail_unless_equals_int (self.learnt_mode, GST_TFRC_MODE_TFMCC);
}

GST_END_TEST;

/* Once TFMCC is learnt, TFRC's element is no extension before three packets. */
GST_START_TEST (test_the_other_protocol_is_not_taken_on_trial)
{
  guint i;

  for (i = 0; i < 6; i++) {
    GstBuffer *buffer = i < 3 ? group_packet_with (2, i * 10000, FALSE)
                              : packet_with (3, i * 10000, 7, FALSE);

    fail_unless_equals_int (read_packet (&self, buffer, &extension,
                                i * 10 * TFRC_MILLISECOND),
        i == 3 || i == 4 ? TFRC_EXTENSION_NONE : TFRC_EXTENSION_FOUND);
  }
  fail_unless_equals_int (extension.mode, GST_TFRC_MODE_TFRC);
  fail_unless_equals_int (tfrc_extension_reader_get_id (&self), 3);
}

GST_END_TEST;

/* What is named or configured decides; without, the first size does. */
GST_START_TEST (test_the_mode_follows_property_caps_and_size)
{
  GstCaps *caps = gst_caps_from_string (
      "application/x-rtp, extmap-5=" TFRC_WIRE_EXTENSION_URI
      ", extmap-6=" TFMCC_WIRE_EXTENSION_URI);

  fail_unless_equals_int (tfrc_extension_reader_get_mode (&self),
      GST_TFRC_MODE_AUTO);
  tfrc_extension_reader_add_caps (&self, caps);
  fail_unless_equals_int (tfrc_extension_reader_get_mode (&self),
      GST_TFRC_MODE_TFMCC);
  fail_unless_equals_int (tfrc_extension_reader_get_id (&self), 6);
  fail_unless_equals_int (read_packet (&self, packet_with (6, 1, 7, FALSE),
                              &extension, 0),
      TFRC_EXTENSION_MALFORMED);
  self.mode = GST_TFRC_MODE_TFRC;
  fail_unless_equals_int (tfrc_extension_reader_get_id (&self), 5);
  fail_unless_equals_int (read_packet (&self, group_packet_with (5, 1, FALSE),
                              &extension, 0),
      TFRC_EXTENSION_MALFORMED);

  memset (self.caps_ids, 0, sizeof (self.caps_ids));
  self.mode = GST_TFRC_MODE_AUTO;
  tfrc_extension_reader_set_id (&self, 3);
  fail_unless_equals_int (read_packet (&self, group_packet_with (3, 1, TRUE),
                              &extension, 0),
      TFRC_EXTENSION_FOUND);
  fail_unless_equals_int (read_packet (&self, packet_with (3, 1, 7, FALSE),
                              &extension, 0),
      TFRC_EXTENSION_MALFORMED);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* One packet with four of them first, then ours: on trial at once, and learnt with the
 * third packet. */
GST_START_TEST (test_strange_elements_keep_ours_from_nothing)
{
  GstBuffer *buffer;
  guint i;

  buffer = packet_with (1, 1, TFRC_WIRE_EXTENSION_SIZE, FALSE);
  for (i = 2; i <= TFRC_EXTENSION_CANDIDATES; i++)
    add_element (buffer, i, i);
  fail_unless_equals_int (read_packet (&self, buffer, &extension, TFRC_SECOND),
      TFRC_EXTENSION_NONE);
  for (i = 0; i < 10; i++) {
    buffer = packet_with (14, 0x55000000 + i * 10000, TFRC_WIRE_EXTENSION_SIZE,
        FALSE);
    fail_unless_equals_int (read_packet (&self, buffer, &extension,
                                2 * TFRC_SECOND + i * 10 * TFRC_MILLISECOND),
        TFRC_EXTENSION_FOUND);
    fail_unless_equals_int (self.learnt, i < 2 ? 0 : 14);
  }
}

GST_END_TEST;

/* To look for each of 255 ids among some hundred elements takes a millisecond, which
 * anybody's packets could cost.  An id that is given is found. */
GST_START_TEST (test_no_id_is_learnt_from_a_long_header_extension)
{
  const guint8 other[100] = { 0 };

  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = packet_with (3, i * 10000, TFRC_WIRE_EXTENSION_SIZE,
        TRUE);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
    fail_unless (gst_rtp_buffer_add_extension_twobytes_header (&rtp, 0, 4,
        other, sizeof (other)));
    gst_rtp_buffer_unmap (&rtp);
    if (i == 4)
      tfrc_extension_reader_set_id (&self, 3);
    fail_unless_equals_int (read_packet (&self, buffer, &extension,
                                i * 10 * TFRC_MILLISECOND),
        i < 4 ? TFRC_EXTENSION_NONE : TFRC_EXTENSION_FOUND);
    fail_unless_equals_int (self.learnt, 0);
  }
}

GST_END_TEST;

/* What caps of a payload type give as well stays when the next ones give none. */
GST_START_TEST (test_an_id_that_is_given_is_never_learnt_over)
{
  GstCaps *caps = gst_caps_from_string (
      "application/x-rtp, extmap-14=" TFRC_WIRE_EXTENSION_URI);
  guint i;

  tfrc_extension_reader_add_caps (&self, caps);
  gst_caps_unref (caps);
  for (i = 0; i < 5; i++)
    fail_unless_equals_int (read_packet (&self,
                                packet_with (1, i * 10000,
                                    TFRC_WIRE_EXTENSION_SIZE, FALSE),
                                &extension, i * 10 * TFRC_MILLISECOND),
        TFRC_EXTENSION_NONE);
  fail_unless_equals_int (tfrc_extension_reader_get_id (&self), 14);
}

GST_END_TEST;

static Suite *
tfrcextensionreader_suite (void)
{
  Suite *suite = suite_create ("tfrcextensionreader");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, set_up, NULL);
  tcase_add_test (tcase, test_a_configured_id_reads_both_forms);
  tcase_add_test (tcase, test_another_length_or_id_is_no_extension);
  tcase_add_test (tcase, test_packets_of_farstream_have_an_extension);
  tcase_add_test (tcase, test_an_element_past_the_end_is_no_extension);
  tcase_add_test (tcase, test_caps_give_the_id_in_both_forms);
  tcase_add_test (tcase, test_the_only_element_is_used_on_trial_and_learnt);
  tcase_add_test (tcase,
      test_a_foreign_element_is_rejected_once_and_not_used_again);
  tcase_add_test (tcase, test_a_constant_is_not_learnt);
  tcase_add_test (tcase, test_of_two_elements_the_one_that_advances_is_learnt);
  tcase_add_loop_test (tcase, test_of_two_hops_the_last_is_learnt, 0, 2);
  tcase_add_test (tcase,
      test_a_restarted_sender_with_another_id_is_learnt_anew);
  tcase_add_test (tcase, test_tfmcc_is_learnt_by_its_sizes);
  tcase_add_test (tcase, test_the_other_protocol_is_not_taken_on_trial);
  tcase_add_test (tcase, test_the_mode_follows_property_caps_and_size);
  tcase_add_test (tcase, test_strange_elements_keep_ours_from_nothing);
  tcase_add_test (tcase, test_an_id_that_is_given_is_never_learnt_over);
  tcase_add_test (tcase, test_no_id_is_learnt_from_a_long_header_extension);
  return suite;
}

GST_CHECK_MAIN (tfrcextensionreader);
