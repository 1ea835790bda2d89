/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FEC headers (SMPTE 2022-1, RFC 6015 section 4.3). */
#include <check.h>
#include <string.h>

#include "check-suite.h"
#include "tfrc-wire.h"

static const TfrcWireParity parity = {
  .first = 0xFFFE,
  .stride = 4,
  .count = 10,
  .length = 0x0102,
  .payload_type = 0x60,
  .timestamp = 0xDEADBEEF,
};
static const uint8_t golden[TFRC_WIRE_PARITY_SIZE] = { 0xFF, 0xFE, 0x01, 0x02,
  0xE0, 0, 0, 0, 0xDE, 0xAD, 0xBE, 0xEF, 0, 4, 10, 0 };

START_TEST (writes_and_reads_the_fields)
{
  uint8_t data[TFRC_WIRE_PARITY_SIZE];
  TfrcWireParity read;

  tfrc_wire_write_parity (data, &parity);
  ck_assert_mem_eq (data, golden, sizeof golden);
  ck_assert (tfrc_wire_read_parity (golden, sizeof golden, &read));
  ck_assert_uint_eq (read.first, parity.first);
  ck_assert_uint_eq (read.stride, parity.stride);
  ck_assert_uint_eq (read.count, parity.count);
  ck_assert_uint_eq (read.length, parity.length);
  ck_assert_uint_eq (read.payload_type, parity.payload_type);
  ck_assert_uint_eq (read.timestamp, parity.timestamp);
}

END_TEST
/* Rows have the D bit set, and an offset of 1. */
START_TEST (rows_are_read_too)
{
  uint8_t data[TFRC_WIRE_PARITY_SIZE];
  TfrcWireParity read;

  memcpy (data, golden, sizeof data);
  data[12] = 0x40;
  data[13] = 1;
  ck_assert (tfrc_wire_read_parity (data, sizeof data, &read));
  ck_assert_uint_eq (read.stride, 1);
}

END_TEST
START_TEST (other_forms_are_not_read)
{
  /* The index of a byte, and a value that it must not have. */
  static const uint8_t wrong[][2] = {
    { 4, 0x60 },  /* not extended: RFC 2733 */
    { 5, 0x80 },  /* a mask */
    { 7, 0x01 },  /* a mask */
    { 12, 0x80 }, /* reserved */
    { 12, 0x08 }, /* not XOR */
    { 13, 0 },    /* an offset of 0: the same packet again and again */
    { 14, 0 },    /* protects no packet */
  };
  uint8_t data[TFRC_WIRE_PARITY_SIZE];
  TfrcWireParity read = { .count = 42 };
  size_t i;

  for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    memcpy (data, golden, sizeof data);
    data[wrong[i][0]] = wrong[i][1];
    ck_assert (!tfrc_wire_read_parity (data, sizeof data, &read));
  }
  for (i = 0; i < sizeof golden; i++)
    ck_assert (!tfrc_wire_read_parity (golden, i, &read));
  ck_assert_uint_eq (read.count, 42);
}

END_TEST
int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-parity");
  TCase *tc = tcase_create ("bytes");

  tcase_add_test (tc, writes_and_reads_the_fields);
  tcase_add_test (tc, rows_are_read_too);
  tcase_add_test (tc, other_forms_are_not_read);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
