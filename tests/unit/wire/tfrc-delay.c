/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One-way delays in an RTCP APP packet (RFC 3550 section 6.7). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check-suite.h"
#include "tfrc-wire.h"
#include "wire/expect-rtcp.h"

/* clang-format off */
static const uint8_t golden[TFRC_WIRE_DELAY_SIZE] = {
  0x80, 0xCC, 0x00, 0x06, /* version 2, subtype 0, PT 204, 6 words follow */
  0xDE, 0xAD, 0xBE, 0xEF,
  'T', 'F', 'R', 'C',
  0x00, 0x00, 0x61, 0xA8, /* 25 ms */
  0x00, 0x00, 0x75, 0x30, /* 30 ms */
  0xFF, 0xFF, 0xFF, 0xFE, /* 2 us before it wraps */
  0x01, 0x02, 0x03, 0x04,
};
/* clang-format on */

static const TfrcDelayReport one = {
  .least_delay_us = 25000,
  .newest_delay_us = 30000,
  .arrival_us = 0xFFFFFFFE,
  .bytes = 0x01020304,
};

static void
assert_one (const TfrcDelayReport *delay)
{
  ck_assert_uint_eq (delay->least_delay_us, one.least_delay_us);
  ck_assert_uint_eq (delay->newest_delay_us, one.newest_delay_us);
  ck_assert_uint_eq (delay->arrival_us, one.arrival_us);
  ck_assert_uint_eq (delay->bytes, one.bytes);
  ck_assert (!delay->ends_padding);
}

START_TEST (writes_the_golden_bytes)
{
  uint8_t data[TFRC_WIRE_DELAY_SIZE];

  tfrc_wire_write_delay (data, &one, 0xDEADBEEF);
  ck_assert_mem_eq (data, golden, sizeof golden);
}

END_TEST
START_TEST (reads_them_back)
{
  TfrcDelayReport delay;
  uint32_t ssrc;

  ck_assert_int_eq (tfrc_wire_read_delay (golden, sizeof golden, &delay, &ssrc),
      TFRC_WIRE_DELAY);
  assert_one (&delay);
  ck_assert_uint_eq (ssrc, 0xDEADBEEF);
}

END_TEST
START_TEST (is_correct_rtcp_of_a_foreign_kind)
{
  expect_foreign_rtcp (golden, sizeof golden);
}

END_TEST
/* RFC 3550 section 6.4.1: the last packet of a compound may be padded. */
START_TEST (padding_does_not_count)
{
  uint8_t data[TFRC_WIRE_DELAY_SIZE + 4] = { 0 };
  TfrcFeedback feedback;
  TfrcDelayReport delay;
  uint32_t ssrc;
  size_t size;

  memcpy (data, golden, sizeof golden);
  data[0] |= 0x20;
  data[3] = 7;
  data[sizeof data - 1] = 4;
  ck_assert_int_eq (tfrc_wire_read_rtcp (data, sizeof data, &size, &feedback,
                        &ssrc),
      TFRC_WIRE_FOREIGN);
  ck_assert_int_eq (tfrc_wire_read_delay (data, size, &delay, &ssrc),
      TFRC_WIRE_DELAY);
  assert_one (&delay);
}

END_TEST
/* Every shorter length, from memory of exactly that size, so that a sanitizer sees
 * a byte too many.  Without the name nobody can tell whose packet it is. */
START_TEST (truncated_packets_have_none)
{
  TfrcDelayReport delay;
  uint32_t ssrc;

  for (size_t size = 0; size < sizeof golden; size++) {
    uint8_t *data = malloc (size > 0 ? size : 1);

    memcpy (data, golden, size);
    ck_assert_int_eq (tfrc_wire_read_delay (data, size, &delay, &ssrc),
        size < 12 ? TFRC_WIRE_NO_DELAY : TFRC_WIRE_BAD_DELAY);
    free (data);
  }
}

END_TEST
START_TEST (longer_packets_are_malformed)
{
  uint8_t data[TFRC_WIRE_DELAY_SIZE + 4] = { 0 };
  TfrcDelayReport delay;
  uint32_t ssrc;

  memcpy (data, golden, sizeof golden);
  data[3] = 7;
  ck_assert_int_eq (tfrc_wire_read_delay (data, sizeof data, &delay, &ssrc),
      TFRC_WIRE_BAD_DELAY);
}

END_TEST
/* Subtype 1. */
START_TEST (says_whether_padding_ends_there)
{
  uint8_t data[sizeof golden];
  TfrcDelayReport delay = one;
  uint32_t ssrc;

  delay.ends_padding = true;
  tfrc_wire_write_delay (data, &delay, 0xDEADBEEF);
  ck_assert_uint_eq (data[0], 0x81);
  ck_assert_mem_eq (data + 1, golden + 1, sizeof golden - 1);
  delay.ends_padding = false;
  ck_assert_int_eq (tfrc_wire_read_delay (data, sizeof data, &delay, &ssrc),
      TFRC_WIRE_DELAY);
  ck_assert (delay.ends_padding);
}

END_TEST
/* Another packet type, another subtype, another name. */
START_TEST (packets_of_others_are_not_read)
{
  static const uint8_t places[] = { 0, 1, 11 };

  for (size_t i = 0; i < sizeof places; i++) {
    uint8_t data[sizeof golden];
    TfrcDelayReport delay;
    uint32_t ssrc;

    memcpy (data, golden, sizeof data);
    data[places[i]] += 2;
    ck_assert_int_eq (tfrc_wire_read_delay (data, sizeof data, &delay, &ssrc),
        TFRC_WIRE_NO_DELAY);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-delay");
  TCase *tc = tcase_create ("bytes");

  tcase_add_test (tc, writes_the_golden_bytes);
  tcase_add_test (tc, reads_them_back);
  tcase_add_test (tc, is_correct_rtcp_of_a_foreign_kind);
  tcase_add_test (tc, padding_does_not_count);
  tcase_add_test (tc, truncated_packets_have_none);
  tcase_add_test (tc, longer_packets_are_malformed);
  tcase_add_test (tc, says_whether_padding_ends_there);
  tcase_add_test (tc, packets_of_others_are_not_read);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
