/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our header extension beside those of others. */

#include "send/extension-writer.h"

#include <gst/check/gstcheck.h>

#define OTHER "urn:other"

static TfrcExtensionWriter
make_extension_writer (const gchar *caps_string, guint configured)
{
  GstCaps *caps = gst_caps_from_string (caps_string);
  TfrcExtensionWriter self;

  tfrc_extension_writer_init (&self, GST_TFRC_MODE_TFRC, TRUE);
  gst_caps_unref (tfrc_extension_writer_set_caps (&self, caps, configured));
  return self;
}

/* Of 10 bytes of payload, all 0. */
static GstBuffer *
new_packet (void)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (10, 0, 0);

  gst_buffer_memset (buffer, gst_buffer_get_size (buffer) - 10, 0, 10);
  return buffer;
}

/* A packet with one element of `size` bytes, each 0xAB. */
static GstBuffer *
packet_with (guint id, guint size, gboolean two_byte)
{
  GstBuffer *buffer = new_packet ();
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 data[32];

  memset (data, 0xAB, sizeof data);
  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  fail_unless (two_byte
          ? gst_rtp_buffer_add_extension_twobytes_header (&rtp, 0, id, data,
                size)
          : gst_rtp_buffer_add_extension_onebyte_header (&rtp, id, data, size));
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* How often the packet has such an element, and the size of the last. */
static guint
count_elements (GstBuffer *buffer, guint id, gboolean two_byte, guint *size)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gpointer data;
  guint8 bits;
  guint n = 0;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  while (two_byte ? gst_rtp_buffer_get_extension_twobytes_header (&rtp, &bits,
                        id, n, &data, size)
                  : gst_rtp_buffer_get_extension_onebyte_header (&rtp, id, n,
                        &data, size))
    n++;
  gst_rtp_buffer_unmap (&rtp);
  return n;
}

static GstBuffer *
make_wide_packet (void)
{
  GstBuffer *buffer = new_packet ();
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_extension_data (&rtp, 0xABAC, 2);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* Caps, the property, and the id. */
static const struct
{
  const gchar *fields;
  guint configured;
  guint id;
} choices[] = {
  { "", 0, 14 },
  { ", extmap-1=" OTHER, 0, 14 },
  { ", extmap-14=" OTHER ", extmap-13=" OTHER, 0, 12 },
  { ", extmap-14=(string)<\"sendonly\", \"" OTHER "\", \"\">", 0, 13 },
  { "", 3, 3 },
  { ", extmap-3=" OTHER, 3, 14 },
  { ", extmap-5=" TFRC_WIRE_EXTENSION_URI, 3, 5 },
  { ", extmap-14=" TFMCC_WIRE_EXTENSION_URI, 0, 13 },
};

GST_START_TEST (caps_leave_an_id)
{
  gchar *caps = g_strconcat ("application/x-rtp", choices[__i__].fields, NULL);

  fail_unless_equals_int (
      make_extension_writer (caps, choices[__i__].configured).id,
      choices[__i__].id);
  g_free (caps);
}

GST_END_TEST;

/* Of each stream behind a funnel. */
GST_START_TEST (ids_of_all_streams_are_taken)
{
  TfrcExtensionWriter self = make_extension_writer ("application/x-rtp", 0);
  GstBuffer *buffer = new_packet ();
  GstCaps *caps;
  guint size;

  fail_unless_equals_int (self.id, 14);
  for (guint id = 1; id <= 14; id++) {
    gchar *text = g_strdup_printf ("application/x-rtp, extmap-%u=" OTHER, id);

    caps = gst_caps_from_string (text);
    tfrc_extension_writer_read_caps (&self, caps);
    gst_caps_unref (caps);
    g_free (text);
  }
  /* None of the one-byte form is left, and 15 means something else there. */
  fail_unless (tfrc_extension_writer_prepare (&self, buffer) != 0);
  fail_unless_equals_int (self.id, 16);
  fail_unless_equals_int (count_elements (buffer, 16, TRUE, &size), 1);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

/* An element with id 0 is padding (RFC 8285 section 4.1.1). */
GST_START_TEST (without_a_free_id_nothing_is_written)
{
  TfrcExtensionWriter self = make_extension_writer ("application/x-rtp", 0);
  GstBuffer *buffer = new_packet ();
  gsize size = gst_buffer_get_size (buffer);

  for (guint id = 1; id <= 255; id++) {
    gchar *text = g_strdup_printf ("application/x-rtp, extmap-%u=" OTHER, id);
    GstCaps *caps = gst_caps_from_string (text);

    tfrc_extension_writer_read_caps (&self, caps);
    gst_caps_unref (caps);
    g_free (text);
  }
  fail_unless_equals_int (tfrc_extension_writer_prepare (&self, buffer), 0);
  fail_unless_equals_int (self.id, 0);
  fail_unless_equals_int (gst_buffer_get_size (buffer), size);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

/* 7 bytes are the size of ours. */
GST_START_TEST (an_element_of_others_is_left_alone)
{
  static const guint sizes[] = { 7, 3, 16 };
  guint size, other_size = sizes[__i__ / 2];
  gboolean two_byte = __i__ % 2;
  TfrcExtensionWriter self = make_extension_writer ("application/x-rtp", 0);
  GstBuffer *buffer = packet_with (14, other_size, two_byte);

  fail_unless (tfrc_extension_writer_prepare (&self, buffer) != 0);
  fail_unless_equals_int (self.id, 13);
  fail_unless_equals_int (count_elements (buffer, 14, two_byte, &size), 1);
  fail_unless_equals_int (size, other_size);
  fail_unless_equals_int (count_elements (buffer, 13, two_byte, &size), 1);
  fail_unless_equals_int (size, TFRC_WIRE_EXTENSION_SIZE);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

/* A relay's packets have that of the way before. */
GST_START_TEST (an_element_of_ours_is_used_again)
{
  guint size;
  gboolean two_byte = __i__ == 1;
  TfrcExtensionWriter self = make_extension_writer (
      "application/x-rtp, extmap-5=" TFRC_WIRE_EXTENSION_URI, 0);
  GstBuffer *buffer = packet_with (5, TFRC_WIRE_EXTENSION_SIZE, two_byte);

  fail_unless (tfrc_extension_writer_prepare (&self, buffer) != 0);
  fail_unless_equals_int (self.id, 5);
  fail_unless_equals_int (count_elements (buffer, 5, two_byte, &size), 1);
  fail_unless_equals_int (size, TFRC_WIRE_EXTENSION_SIZE);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

/* Not one byte of it changes. */
GST_START_TEST (a_packet_without_place_stays_as_it_is)
{
  TfrcExtensionWriter self = make_extension_writer (
      "application/x-rtp, extmap-5=" TFRC_WIRE_EXTENSION_URI, 0);
  GstBuffer *buffer;
  GstBuffer *before;
  GstMapInfo map;

  if (__i__ == 0) {
    self = make_extension_writer ("application/x-rtp", 20);
    buffer = packet_with (3, 1, FALSE);
  } else if (__i__ == 1) {
    buffer = packet_with (5, TFRC_WIRE_EXTENSION_SIZE + 1, FALSE);
  } else {
    buffer = make_wide_packet ();
  }
  before = gst_buffer_copy_deep (buffer);
  fail_unless_equals_int (tfrc_extension_writer_prepare (&self, buffer), 0);
  fail_unless (gst_buffer_map (before, &map, GST_MAP_READ));
  fail_unless_equals_int (gst_buffer_get_size (buffer), map.size);
  fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0);
  gst_buffer_unmap (before, &map);
  gst_buffer_unref (before);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

static Suite *
tfrcextensionwriter_suite (void)
{
  Suite *suite = suite_create ("tfrcextensionwriter");
  TCase *ids = tcase_create ("ids");
  TCase *packets = tcase_create ("packets");

  tcase_add_loop_test (ids, caps_leave_an_id, 0, G_N_ELEMENTS (choices));
  tcase_add_test (ids, ids_of_all_streams_are_taken);
  tcase_add_test (ids, without_a_free_id_nothing_is_written);
  suite_add_tcase (suite, ids);
  tcase_add_loop_test (packets, an_element_of_others_is_left_alone, 0, 6);
  tcase_add_loop_test (packets, an_element_of_ours_is_used_again, 0, 2);
  tcase_add_loop_test (packets, a_packet_without_place_stays_as_it_is, 0, 3);
  suite_add_tcase (suite, packets);
  return suite;
}

GST_CHECK_MAIN (tfrcextensionwriter);
