/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is taken out of RTCP and read from it on the way to an rtpsession. */

#include "rtcp/packet.h"

#include <gst/check/gstcheck.h>

/* Length fields by hand: words of the packet less one. */
#define RR 0x80, 201, 0, 1, 0, 0, 0, 1
#define SR_REQUEST 0x85, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2
#define PLI 0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2
#define BYE_OF_TWO 0x82, 203, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4
#define BYE_OF_TWO_WITHOUT_ROOM 0x82, 203, 0, 1, 0, 0, 0, 3

#define BYTES(...) \
  sizeof ((guint8[]) { __VA_ARGS__ }), { __VA_ARGS__ }

typedef struct
{
  gsize size;
  guint8 data[64];
} Bytes;

static const struct
{
  Bytes in;
  guint n_removed;
  Bytes out;
} filter_rows[] = {
  { { BYTES (RR, PLI) }, 0, { BYTES (RR, PLI) } },
  { { BYTES (SR_REQUEST) }, 1, { 0 } },
  { { BYTES (RR, SR_REQUEST) }, 1, { BYTES (RR) } },
  { { BYTES (SR_REQUEST, RR, SR_REQUEST, PLI) }, 2, { BYTES (RR, PLI) } },
  /* Another kind of feedback with FMT 5, and one of another length. */
  { { BYTES (0x85, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2) }, 0,
      { BYTES (0x85, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2) } },
  { { BYTES (0x85, 205, 0, 1, 0, 0, 0, 1) }, 1, { 0 } },
  /* Not RTCP: the rtpsession's business. */
  { { BYTES (0x05, 205, 0, 2, 0, 0, 0, 1) }, 0,
      { BYTES (0x05, 205, 0, 2, 0, 0, 0, 1) } },
};

GST_START_TEST (test_sr_requests_are_taken_out_and_nothing_else)
{
  const Bytes *in = &filter_rows[__i__].in, *out = &filter_rows[__i__].out;
  guint n_removed;
  GstBuffer *buffer = gst_buffer_new_memdup (in->data, in->size);

  GST_BUFFER_PTS (buffer) = 7;
  buffer = tfrc_packet_remove_sr_requests (buffer, &n_removed);
  fail_unless_equals_int (n_removed, filter_rows[__i__].n_removed);
  if (out->size == 0) {
    fail_unless (buffer == NULL);
    return;
  }
  gst_check_buffer_data (buffer, out->data, out->size);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 7);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

static const struct
{
  Bytes in;
  guint n_max;
  guint n;
} bye_rows[] = {
  { { BYTES (RR, BYE_OF_TWO) }, 8, 2 },
  { { BYTES (RR, BYE_OF_TWO) }, 1, 1 },
  { { BYTES (BYE_OF_TWO_WITHOUT_ROOM) }, 8, 1 },
  { { BYTES (RR, PLI) }, 8, 0 },
};

GST_START_TEST (test_byes_are_read)
{
  const Bytes *in = &bye_rows[__i__].in;
  GstBuffer *buffer = gst_buffer_new_memdup (in->data, in->size);
  guint32 ssrcs[8];
  guint i, n;

  n = tfrc_packet_read_byes (buffer, ssrcs, bye_rows[__i__].n_max);
  fail_unless_equals_int (n, bye_rows[__i__].n);
  for (i = 0; i < n; i++)
    fail_unless_equals_int (ssrcs[i], 3 + i);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

static Suite *
tfrcpacket_suite (void)
{
  Suite *suite = suite_create ("tfrcpacket");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_sr_requests_are_taken_out_and_nothing_else,
      0, G_N_ELEMENTS (filter_rows));
  tcase_add_loop_test (tcase, test_byes_are_read, 0, G_N_ELEMENTS (bye_rows));
  return suite;
}

GST_CHECK_MAIN (tfrcpacket);
