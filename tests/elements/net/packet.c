/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is taken out of RTCP and read from it on the way to an rtpsession. */

#include "net/session.h"

#include <gst/check/gstcheck.h>

/* Length fields by hand: words of the packet less one. */
#define RR 0x80, 201, 0, 1, 0, 0, 0, 1
#define SR_REQUEST 0x85, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2
#define TWCC 0x8F, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2
#define PLI 0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2

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
  { { BYTES (RR, TWCC, PLI) }, 1, { BYTES (RR, PLI) } },
  /* Another kind of feedback with FMT 5. */
  { { BYTES (0x85, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2) }, 0,
      { BYTES (0x85, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2) } },
};

GST_START_TEST (test_what_harms_is_taken_out_and_nothing_else)
{
  const Bytes *in = &filter_rows[__i__].in, *out = &filter_rows[__i__].out;
  TfrcWireCompound compound;
  GstBuffer *buffer = gst_buffer_new_memdup (in->data, in->size);

  GST_BUFFER_PTS (buffer) = 7;
  fail_unless (tfrc_packet_read_compound (buffer, &compound));
  fail_unless_equals_int (compound.n_harmful, filter_rows[__i__].n_removed);
  buffer = tfrc_packet_remove_harmful (buffer, &compound);
  if (out->size == 0) {
    fail_unless (buffer == NULL);
    return;
  }
  gst_check_buffer_data (buffer, out->data, out->size);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 7);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

/* GStreamer's rtpsession has been seen to make a stream of all others. */
GST_START_TEST (test_what_begins_with_another_type_is_taken_for_rtp)
{
  for (guint type = 192; type <= 223; type++) {
    const guint8 data[] = { 0x80, (guint8) type, 0, 1, 0, 0, 0, 1 };
    GstBuffer *buffer = gst_buffer_new_memdup (data, sizeof (data));

    fail_unless_equals_int (tfrc_packet_begins_as_rtcp (buffer),
        type >= 200 && type <= 204);
    gst_buffer_unref (buffer);
  }
}

GST_END_TEST;

/* An SR request whose padding is longer than it: an rtpsession takes it. */
static const Bytes refused[] = {
  { BYTES (0xA5, 205, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 255) },
  { BYTES (RR, 0xA5, 205, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 255) },
  { BYTES (0x05, 205, 0, 2, 0, 0, 0, 1) },
  { BYTES (RR, PLI, 0) },
};

GST_START_TEST (test_what_does_not_add_up_is_no_compound)
{
  const Bytes *in = &refused[__i__];
  GstBuffer *buffer = gst_buffer_new_memdup (in->data, in->size);
  TfrcWireCompound compound;

  fail_if (tfrc_packet_read_compound (buffer, &compound));
  gst_buffer_unref (buffer);
}

GST_END_TEST;

static Suite *
tfrcpacket_suite (void)
{
  Suite *suite = suite_create ("tfrcpacket");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_what_harms_is_taken_out_and_nothing_else, 0,
      G_N_ELEMENTS (filter_rows));
  tcase_add_test (tcase, test_what_begins_with_another_type_is_taken_for_rtp);
  tcase_add_loop_test (tcase, test_what_does_not_add_up_is_no_compound, 0,
      G_N_ELEMENTS (refused));
  return suite;
}

GST_CHECK_MAIN (tfrcpacket);
