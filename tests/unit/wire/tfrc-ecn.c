/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP XR with ECN Summary Reports (RFC 6679 section 5.2). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check-suite.h"
#include "tfrc-wire.h"
#include "wire/expect-rtcp.h"

/* Version 2, PT 207, length 7; a block of type 13, block length 5. */
static const uint8_t golden[TFRC_WIRE_XR_HEADER_SIZE
    + TFRC_WIRE_ECN_BLOCK_SIZE] = {
  0x80,
  0xCF,
  0x00,
  0x07,
  0xDE,
  0xAD,
  0xBE,
  0xEF,
  0x0D,
  0x00,
  0x00,
  0x05,
  0x01,
  0x02,
  0x03,
  0x04,
  0x00,
  0x01,
  0x00,
  0x02,
  0x00,
  0x00,
  0x00,
  0x03,
  0x00,
  0x04,
  0x00,
  0x05,
  0x00,
  0x06,
  0x00,
  0x07,
};

static const TfrcEcnSummary one = {
  .media_ssrc = 0x01020304,
  .ect_0 = 0x10002,
  .ect_1 = 3,
  .ce = 4,
  .not_ect = 5,
  .lost = 6,
  .duplicates = 7,
};

START_TEST (writes_the_bytes_of_the_rfc)
{
  uint8_t data[TFRC_WIRE_ECN_MAX];

  ck_assert_uint_eq (tfrc_wire_write_ecn (data, &one, 1, 0xDEADBEEF),
      sizeof golden);
  ck_assert_mem_eq (data, golden, sizeof golden);
  ck_assert_uint_eq (tfrc_wire_write_ecn (data, &one, 0, 0xDEADBEEF), 0);
}

END_TEST
START_TEST (reads_them_back)
{
  TfrcEcnSummary read[TFRC_ECN_MAX_STREAMS];
  bool alone;

  ck_assert_uint_eq (tfrc_wire_read_ecn (golden, sizeof golden, read, &alone),
      1);
  ck_assert (alone);
  ck_assert_mem_eq (&read[0], &one, sizeof one);
}

END_TEST
START_TEST (is_correct_rtcp) { expect_foreign_rtcp (golden, sizeof golden); }

END_TEST
START_TEST (counters_lose_their_upper_bits)
{
  TfrcEcnSummary many = one, read[TFRC_ECN_MAX_STREAMS];
  uint8_t data[TFRC_WIRE_ECN_MAX];
  bool alone;

  many.ce = 0x10004;
  many.not_ect = many.lost = many.duplicates = 0x20000;
  tfrc_wire_read_ecn (data, tfrc_wire_write_ecn (data, &many, 1, 1), read,
      &alone);
  ck_assert_uint_eq (read[0].ce, 4);
  ck_assert_uint_eq (read[0].not_ect, 0);
}

END_TEST
/* Eight are written and read; there is no room for a ninth. */
START_TEST (reads_as_many_as_there_are)
{
  TfrcEcnSummary all[TFRC_ECN_MAX_STREAMS], read[TFRC_ECN_MAX_STREAMS];
  uint8_t data[TFRC_WIRE_ECN_MAX + TFRC_WIRE_ECN_BLOCK_SIZE];
  size_t size;
  bool alone;

  for (size_t i = 0; i < TFRC_ECN_MAX_STREAMS; i++) {
    all[i] = one;
    all[i].media_ssrc = (uint32_t) i;
  }
  size = tfrc_wire_write_ecn (data, all, TFRC_ECN_MAX_STREAMS, 1);
  ck_assert_uint_eq (size, TFRC_WIRE_ECN_MAX);
  memcpy (data + size, golden + TFRC_WIRE_XR_HEADER_SIZE,
      TFRC_WIRE_ECN_BLOCK_SIZE);
  ck_assert_uint_eq (tfrc_wire_read_ecn (data, size, read, &alone),
      TFRC_ECN_MAX_STREAMS);
  ck_assert (alone);
  ck_assert_mem_eq (read, all, sizeof all);
  ck_assert_uint_eq (tfrc_wire_read_ecn (data, sizeof data, read, &alone),
      TFRC_ECN_MAX_STREAMS);
  ck_assert (!alone);
}

END_TEST
/* A receiver reference time block (RFC 3611 section 4.4, type 4, 2 words) comes
 * first. */
START_TEST (goes_over_other_blocks)
{
  uint8_t data[sizeof golden + 12] = { 0x80, 0xCF, 0x00, 0x0A, 0, 0, 0, 1, 4, 0,
    0x00, 0x02 };
  TfrcEcnSummary read[TFRC_ECN_MAX_STREAMS];
  bool alone;

  memcpy (data + TFRC_WIRE_XR_HEADER_SIZE + 12,
      golden + TFRC_WIRE_XR_HEADER_SIZE, TFRC_WIRE_ECN_BLOCK_SIZE);
  ck_assert_uint_eq (tfrc_wire_read_ecn (data, sizeof data, read, &alone), 1);
  ck_assert (!alone);
  ck_assert_uint_eq (read[0].media_ssrc, 0x01020304);
}

END_TEST
/* Every shorter length, from memory of exactly that size, so that a sanitizer sees
 * a byte too many. */
START_TEST (truncated_packets_have_none)
{
  TfrcEcnSummary read[TFRC_ECN_MAX_STREAMS];
  bool alone;

  for (size_t size = 0; size < sizeof golden; size++) {
    uint8_t *data = malloc (size > 0 ? size : 1);

    memcpy (data, golden, size);
    ck_assert_uint_eq (tfrc_wire_read_ecn (data, size, read, &alone), 0);
    ck_assert (!alone);
    free (data);
  }
}

END_TEST
START_TEST (other_packets_and_lengths_have_none)
{
  TfrcEcnSummary read[TFRC_ECN_MAX_STREAMS];
  uint8_t data[sizeof golden];
  bool alone;

  memcpy (data, golden, sizeof data);
  data[1] = 205;
  ck_assert_uint_eq (tfrc_wire_read_ecn (data, sizeof data, read, &alone), 0);
  memcpy (data, golden, sizeof data);
  data[11] = 4;
  ck_assert_uint_eq (tfrc_wire_read_ecn (data, sizeof data, read, &alone), 0);
  data[11] = 6;
  ck_assert_uint_eq (tfrc_wire_read_ecn (data, sizeof data, read, &alone), 0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-ecn");
  TCase *tc = tcase_create ("bytes");

  tcase_add_test (tc, writes_the_bytes_of_the_rfc);
  tcase_add_test (tc, reads_them_back);
  tcase_add_test (tc, is_correct_rtcp);
  tcase_add_test (tc, counters_lose_their_upper_bits);
  tcase_add_test (tc, reads_as_many_as_there_are);
  tcase_add_test (tc, goes_over_other_blocks);
  tcase_add_test (tc, truncated_packets_have_none);
  tcase_add_test (tc, other_packets_and_lengths_have_none);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
