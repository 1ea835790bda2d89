/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP packets and their header extensions, read as GStreamer's GstRTPBuffer does. */

#include "common/rtp.h"

#include <gst/check/gstcheck.h>
#include <gst/rtp/rtp.h>

#define PACKETS 2000
#define MOST_SIZE 64

/* Random bytes, of which a half has version 2, an extension of a few words, and one of
 * both forms. */
static gsize
make_random (guint8 data[MOST_SIZE], GRand *rand)
{
  const gsize size = (gsize) g_rand_int_range (rand, 1, MOST_SIZE + 1);

  for (guint i = 0; i < MOST_SIZE; i++)
    data[i] = (guint8) g_rand_int (rand);
  if (g_rand_boolean (rand)) {
    guint extension = 12 + 4 * g_rand_int_range (rand, 0, 3);

    data[0] = (guint8) ((data[0] & 0x20) | 0x90 | (extension - 12) / 4);
    GST_WRITE_UINT16_BE (data + extension,
        g_rand_boolean (rand) ? TFRC_ONE_BYTE_PROFILE : 0x1005);
    GST_WRITE_UINT16_BE (data + extension + 2, g_rand_int_range (rand, 0, 10));
    /* Short elements, with padding between them. */
    for (guint i = extension + 4; i < MOST_SIZE; i++)
      data[i] &= g_rand_boolean (rand) ? 0x11 : 0x03;
  }
  return size;
}

static void
compare_elements (const TfrcHeaderExtension *extension, GstRTPBuffer *rtp)
{
  for (guint id = 1; id <= TFRC_EXTMAP_MAX_ID; id++) {
    guint size = 0, expected_size = 0;
    gpointer expected = NULL;
    guint8 bits;

    if (extension->profile == TFRC_ONE_BYTE_PROFILE) {
      if (id <= TFRC_ONE_BYTE_MAX_ID)
        gst_rtp_buffer_get_extension_onebyte_header (rtp, (guint8) id, 0,
            &expected, &expected_size);
    } else {
      gst_rtp_buffer_get_extension_twobytes_header (rtp, &bits, (guint8) id, 0,
          &expected, &expected_size);
    }
    fail_unless (tfrc_header_extension_find (extension, id, &size) == expected);
    fail_unless_equals_int (size, expected_size);
  }
}

static void
compare (const TfrcRtpPacket *packet, GstRTPBuffer *rtp)
{
  const TfrcRtpHeader *header = &packet->header;

  fail_unless_equals_int (header->n_csrcs, gst_rtp_buffer_get_csrc_count (rtp));
  fail_unless_equals_int (header->payload_type,
      gst_rtp_buffer_get_payload_type (rtp));
  fail_unless_equals_int (header->marker, gst_rtp_buffer_get_marker (rtp));
  fail_unless_equals_int (header->seq, gst_rtp_buffer_get_seq (rtp));
  fail_unless_equals_uint64 (header->timestamp,
      gst_rtp_buffer_get_timestamp (rtp));
  fail_unless_equals_uint64 (header->ssrc, gst_rtp_buffer_get_ssrc (rtp));
  fail_unless_equals_int (packet->padded, gst_rtp_buffer_get_padding (rtp));
  fail_unless_equals_int (packet->payload_size,
      gst_rtp_buffer_get_payload_len (rtp));
  if (packet->payload_size > 0)
    fail_unless (packet->payload == gst_rtp_buffer_get_payload (rtp));
  fail_unless ((packet->extension.data != NULL)
      == gst_rtp_buffer_get_extension (rtp));
  compare_elements (&packet->extension, rtp);
}

/* But for those that a GstRTPBuffer takes for RTCP by their second byte, 200 to 204. */
GST_START_TEST (test_a_packet_is_read_as_gstreamer_does)
{
  GRand *rand = g_rand_new_with_seed (1);
  guint n_valid = 0;

  for (guint i = 0; i < PACKETS; i++) {
    guint8 data[MOST_SIZE];
    gsize size = make_random (data, rand);
    GstBuffer *buffer;
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    TfrcRtpPacket packet;
    gboolean valid;

    if (data[1] >= 200 && data[1] <= 204)
      continue;
    buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, data, size,
        0, size, NULL, NULL);
    valid = gst_rtp_buffer_map (buffer,
        GST_MAP_READ | GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING, &rtp);
    fail_unless_equals_int (tfrc_rtp_packet_read (&packet, data, size), valid);
    if (valid) {
      compare (&packet, &rtp);
      gst_rtp_buffer_unmap (&rtp);
      n_valid++;
    }
    gst_buffer_unref (buffer);
  }
  fail_unless (n_valid > PACKETS / 8);
  g_rand_free (rand);
}

GST_END_TEST;

/* By hand: version 2, extension of one word: id 1 with one byte, id 2 with one. */
GST_START_TEST (test_a_cleared_element_is_padding_and_others_stay)
{
  guint8 data[] = { 0x90, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0xBE, 0xDE, 0, 1,
    0x10, 0xAA, 0x20, 0xBB };
  const guint8 expected[] = { 0, 0, 0x20, 0xBB };
  TfrcRtpPacket packet;

  fail_unless (tfrc_rtp_packet_read (&packet, data, sizeof data));
  fail_unless_equals_int (tfrc_rtp_packet_remove_element (&packet, data, 3), 0);
  fail_unless_equals_int (data[17], 0xAA);
  fail_unless_equals_int (tfrc_rtp_packet_remove_element (&packet, data, 1), 0);
  fail_unless (memcmp (data + 16, expected, sizeof expected) == 0);
}

GST_END_TEST;

/* By hand: one CSRC, an extension of two words with id 1 of three bytes and padding, and two
 * bytes of payload.  4 + 8 bytes go. */
GST_START_TEST (test_an_extension_goes_with_its_only_element)
{
  guint8 data[] = { 0x91, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0xBE,
    0xDE, 0, 2, 0x12, 0xAA, 0xBB, 0xCC, 0, 0, 0, 0, 0xD1, 0xD2 };
  const guint8 expected[] = { 0x81, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
    4, 0xD1, 0xD2 };
  TfrcRtpPacket packet;

  fail_unless (tfrc_rtp_packet_read (&packet, data, sizeof data));
  fail_unless_equals_int (tfrc_rtp_packet_remove_element (&packet, data, 2), 0);
  fail_unless_equals_int (data[0], 0x91);
  fail_unless_equals_int (tfrc_rtp_packet_remove_element (&packet, data, 1),
      12);
  fail_unless (memcmp (data + 12, expected, sizeof expected) == 0);
}

GST_END_TEST;

static Suite *
rtp_suite (void)
{
  Suite *suite = suite_create ("rtp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_packet_is_read_as_gstreamer_does);
  tcase_add_test (tcase, test_a_cleared_element_is_padding_and_others_stay);
  tcase_add_test (tcase, test_an_extension_goes_with_its_only_element);
  return suite;
}

GST_CHECK_MAIN (rtp);
