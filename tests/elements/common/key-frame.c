/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key frames told from the first bytes of RTP payloads, format by format. */

#include "common/rtp.h"

#include <gst/check/gstcheck.h>

typedef struct
{
  const gchar *what;
  const gchar *encoding_name;
  gboolean starts;
  gsize size;
  guint8 payload[16];
  gsize needed; /* bytes without which it is not told */
} Row;

#define BYTES(...) \
  sizeof ((guint8[]) { __VA_ARGS__ }), { __VA_ARGS__ }

/* Types by hand: H.264 header & 0x1F: 0x65 = 5 (IDR), 0x67 = 7 (SPS), 0x68 = 8
 * (PPS), 0x41 = 1 (not IDR), 0x78 = 24 (STAP-A), 0x7C = 28 (FU-A).
 * H.265 header >> 1 & 0x3F: 0x26 = 19 (IDR_W_RADL), 0x2A = 21 (CRA), 0x40 = 32
 * (VPS), 0x42 = 33 (SPS), 0x44 = 34 (PPS), 0x02 = 1, 0x60 = 48 (AP), 0x62 = 49
 * (FU). */
static const Row rows[] = {
  { "IDR slice", "H264", TRUE, BYTES (0x65, 0x88), 1 },
  { "SPS", "H264", TRUE, BYTES (0x67, 0x42), 1 },
  { "PPS", "H264", FALSE, BYTES (0x68, 0xCE) },
  { "non-IDR slice", "H264", FALSE, BYTES (0x41, 0x9A) },
  { "STAP-A of SPS, PPS", "H264", TRUE,
      BYTES (0x78, 0, 2, 0x67, 0x42, 0, 2, 0x68, 0xCE), 5 },
  { "STAP-A with the IDR last", "H264", TRUE,
      BYTES (0x78, 0, 2, 0x68, 0xCE, 0, 2, 0x65, 0x88), 9 },
  { "STAP-A of non-IDR slices", "H264", FALSE,
      BYTES (0x78, 0, 2, 0x41, 0x9A, 0, 2, 0x41, 0x65) },
  { "STAP-A with a size past its end", "H264", FALSE,
      BYTES (0x78, 0, 9, 0x65, 0x88) },
  { "STAP-A with a NAL unit of no bytes", "H264", FALSE,
      BYTES (0x78, 0, 0, 0, 2, 0x65, 0x88) },
  { "STAP-B", "H264", TRUE, BYTES (0x79, 0x12, 0x34, 0, 2, 0x67, 0x42), 7 },
  { "FU-A, first of an IDR", "H264", TRUE, BYTES (0x7C, 0x85, 0x88), 2 },
  { "FU-A, second of an IDR", "H264", FALSE, BYTES (0x7C, 0x05, 0x88) },
  { "FU-A, last of an IDR", "H264", FALSE, BYTES (0x7C, 0x45, 0x88) },
  { "FU-A, first of a non-IDR slice", "H264", FALSE, BYTES (0x7C, 0x81, 0x9A) },

  { "IDR_W_RADL", "H265", TRUE, BYTES (0x26, 0x01, 0xAF), 3 },
  { "CRA", "H265", TRUE, BYTES (0x2A, 0x01, 0xAF), 3 },
  { "VPS", "H265", TRUE, BYTES (0x40, 0x01, 0x0C), 3 },
  { "SPS", "H265", TRUE, BYTES (0x42, 0x01, 0x01), 3 },
  { "PPS", "H265", FALSE, BYTES (0x44, 0x01, 0xC1) },
  { "TRAIL_R", "H265", FALSE, BYTES (0x02, 0x01, 0xD0) },
  { "AP of PPS, SPS", "H265", TRUE,
      BYTES (0x60, 0x01, 0, 2, 0x44, 0x01, 0, 2, 0x42, 0x01), 10 },
  { "AP with a size past its end", "H265", FALSE,
      BYTES (0x60, 0x01, 0, 3, 0x42, 0x01) },
  { "FU, first of an IDR", "H265", TRUE, BYTES (0x62, 0x01, 0x93, 0xAF), 3 },
  { "FU, second of an IDR", "H265", FALSE, BYTES (0x62, 0x01, 0x13, 0xAF) },
  { "FU, first of TRAIL_R", "H265", FALSE, BYTES (0x62, 0x01, 0x81, 0xD0) },

  { "key frame", "VP8", TRUE, BYTES (0x10, 0x10, 0x02), 2 },
  { "inter frame", "VP8", FALSE, BYTES (0x10, 0x11, 0x02) },
  { "second packet", "VP8", FALSE, BYTES (0x00, 0x10, 0x02) },
  { "second partition", "VP8", FALSE, BYTES (0x11, 0x10, 0x02) },
  { "key frame, picture id of 7 bits", "VP8", TRUE,
      BYTES (0x90, 0x80, 0x11, 0x10), 4 },
  { "key frame, picture id of 15 bits", "VP8", TRUE,
      BYTES (0x90, 0x80, 0x81, 0x11, 0x10), 5 },
  { "key frame, all of I, L, T and K", "VP8", TRUE,
      BYTES (0x90, 0xF0, 0x81, 0x11, 0x33, 0x20, 0x10), 7 },
  { "inter frame, all of I, L, T and K", "VP8", FALSE,
      BYTES (0x90, 0xF0, 0x80, 0x10, 0x10, 0x10, 0x11) },

  { "key frame", "VP9", TRUE, BYTES (0x08, 0x82), 2 },
  { "key frame, picture id of 15 bits", "VP9", TRUE,
      BYTES (0x88, 0x80, 0x01, 0x82), 4 },
  { "inter frame", "VP9", FALSE, BYTES (0xC8, 0x01, 0x82) },
  { "second packet", "VP9", FALSE, BYTES (0x84, 0x01, 0x82) },
  { "base layer of a key picture", "VP9", TRUE,
      BYTES (0xA8, 0x01, 0x00, 0x00, 0x82), 5 },
  { "upper spatial layer of a key picture", "VP9", FALSE,
      BYTES (0xA8, 0x01, 0x03, 0x00, 0x82) },
  { "key frame, flexible mode", "VP9", TRUE, BYTES (0xB8, 0x01, 0x00, 0x82),
      4 },

  { "new coded video sequence", "AV1", TRUE, BYTES (0x18, 0x0A), 2 },
  { "later temporal unit", "AV1", FALSE, BYTES (0x10, 0x32) },
  { "continued fragment", "AV1", FALSE, BYTES (0x98, 0x0A) },

  { "intra frame", "THEORA", TRUE,
      BYTES (0xAB, 0xCD, 0xEF, 0x01, 0, 2, 0x00, 0x11), 7 },
  { "inter frame", "THEORA", FALSE,
      BYTES (0xAB, 0xCD, 0xEF, 0x01, 0, 2, 0x40, 0x11) },
  { "first fragment of an intra frame", "THEORA", TRUE,
      BYTES (0xAB, 0xCD, 0xEF, 0x40, 0, 2, 0x00, 0x11), 7 },
  { "second fragment", "THEORA", FALSE,
      BYTES (0xAB, 0xCD, 0xEF, 0x80, 0, 2, 0x00, 0x11) },
  { "configuration", "THEORA", TRUE,
      BYTES (0xAB, 0xCD, 0xEF, 0x10, 0, 2, 0x80, 0x11), 7 },

  { "first fragment", "JPEG2000", TRUE,
      BYTES (0, 255, 0, 0, 0, 0, 0, 0, 0xFF, 0x4F), 9 },
  { "second fragment", "JPEG2000", FALSE,
      BYTES (0, 255, 0, 0, 0, 0, 5, 0x78, 0, 0) },
  /* Length 320; field and line; continuation and offset. */
  { "first line", "RAW", TRUE, BYTES (0, 0, 1, 64, 0, 0, 0, 0, 16), 9 },
  { "first line, another behind it", "RAW", TRUE,
      BYTES (0, 0, 1, 64, 0, 0, 0x80, 0, 16), 9 },
  { "rest of the first line", "RAW", FALSE,
      BYTES (0, 0, 1, 64, 0, 0, 0, 160, 16) },
  { "second line", "RAW", FALSE, BYTES (0, 0, 1, 64, 0, 1, 0, 0, 16) },
  { "second field", "RAW", FALSE, BYTES (0, 0, 1, 64, 0x80, 0, 0, 0, 16) },
  { "first fragment", "JPEG", TRUE, BYTES (0, 0, 0, 0, 1, 50, 40, 30, 0xFF),
      9 },
  { "second fragment", "JPEG", FALSE,
      BYTES (0, 0, 5, 0x78, 1, 50, 40, 30, 0xFF) },
  { "lower-case encoding name", "h264", TRUE, BYTES (0x65, 0x88), 1 },
  { "unknown encoding", "OPUS", FALSE, BYTES (0x65, 0x88) },
  { "no encoding", NULL, FALSE, BYTES (0x65, 0x88) },
};

GST_START_TEST (test_key_frames_are_told_from_others)
{
  const Row *row = &rows[__i__];

  fail_unless_equals_int (tfrc_key_frame_starts (row->encoding_name,
                              row->payload, row->size),
      row->starts);
}

GST_END_TEST;

/* Every truncation, in a block of exactly that size so that a memory checker
 * sees a read past its end. */
GST_START_TEST (test_truncated_key_frames_are_no_key_frames)
{
  const Row *row = &rows[__i__];
  gsize size;

  for (size = 0; size <= row->size; size++) {
    guint8 *payload = g_memdup2 (row->payload, MAX (size, 1));
    gboolean starts;

    starts = tfrc_key_frame_starts (row->encoding_name, payload, size);
    fail_unless_equals_int (starts, row->starts && size >= row->needed);
    g_free (payload);
  }
}

GST_END_TEST;

GST_START_TEST (test_known_formats_are_named)
{
  fail_unless (tfrc_key_frame_is_known ("H264"));
  fail_unless (tfrc_key_frame_is_known ("vp8"));
  fail_if (tfrc_key_frame_is_known ("MPV"));
  fail_if (tfrc_key_frame_is_known (NULL));
}

GST_END_TEST;

static Suite *
tfrckeyframe_suite (void)
{
  Suite *suite = suite_create ("tfrckeyframe");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_key_frames_are_told_from_others, 0,
      G_N_ELEMENTS (rows));
  tcase_add_loop_test (tcase, test_truncated_key_frames_are_no_key_frames, 0,
      G_N_ELEMENTS (rows));
  tcase_add_test (tcase, test_known_formats_are_named);
  return suite;
}

GST_CHECK_MAIN (tfrckeyframe);
