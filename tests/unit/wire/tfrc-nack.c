/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Generic NACKs (RFC 4585 section 6.2.1). */
#include <check.h>
#include <string.h>

#include "check-suite.h"
#include "tfrc-wire.h"

/* 65534, 65535 and 14 = 65534 + 16 are one entry: bits 0 and 15.  15 is one
 * further and begins the next. */
START_TEST (writes_few_entries_and_reads_them)
{
  static const uint16_t seqs[] = { 65534, 65535, 14, 15 };
  static const uint8_t golden[] = { 0x81, 0xCD, 0x00, 0x04, 0xDE, 0xAD, 0xBE,
    0xEF, 0x01, 0x02, 0x03, 0x04, 0xFF, 0xFE, 0x80, 0x01, 0x00, 0x0F, 0x00,
    0x00 };
  uint8_t data[TFRC_WIRE_NACK_SIZE (4)];
  uint32_t media_ssrc;
  size_t n_entries;

  ck_assert_uint_eq (tfrc_wire_write_nack (data, 0xDEADBEEF, 0x01020304, seqs,
                         4),
      sizeof golden);
  ck_assert_mem_eq (data, golden, sizeof golden);

  ck_assert (tfrc_wire_read_nack (data, sizeof golden, &media_ssrc,
      &n_entries));
  ck_assert_uint_eq (media_ssrc, 0x01020304);
  ck_assert_uint_eq (n_entries, 2);
  ck_assert_uint_eq (tfrc_wire_read_nack_entry (data, 0).seq, 65534);
  ck_assert_uint_eq (tfrc_wire_read_nack_entry (data, 0).following, 0x8001);
  ck_assert_uint_eq (tfrc_wire_read_nack_entry (data, 1).seq, 15);
  ck_assert_uint_eq (tfrc_wire_read_nack_entry (data, 1).following, 0);
}

END_TEST
START_TEST (a_number_that_is_named_twice_is_one)
{
  static const uint16_t seqs[] = { 7, 7, 8, 8 };
  uint8_t data[TFRC_WIRE_NACK_SIZE (4)];

  ck_assert_uint_eq (tfrc_wire_write_nack (data, 1, 2, seqs, 4),
      TFRC_WIRE_NACK_SIZE (1));
  ck_assert_uint_eq (tfrc_wire_read_nack_entry (data, 0).seq, 7);
  ck_assert_uint_eq (tfrc_wire_read_nack_entry (data, 0).following, 1);
}

END_TEST
/* Sequence numbers far apart or out of order each need an entry. */
START_TEST (room_for_each_number_is_enough)
{
  uint8_t data[TFRC_WIRE_NACK_SIZE (32)];
  uint16_t seqs[32];
  unsigned i;

  for (i = 0; i < 32; i++)
    seqs[i] = (uint16_t) (60000 - 1000 * i);
  ck_assert_uint_eq (tfrc_wire_write_nack (data, 1, 2, seqs, 32), sizeof data);
  for (i = 0; i < 32; i++)
    ck_assert_uint_eq (tfrc_wire_read_nack_entry (data, i).seq, seqs[i]);
}

END_TEST
START_TEST (other_packets_are_no_nack)
{
  static const uint16_t seq = 1;
  uint8_t data[TFRC_WIRE_NACK_SIZE (1)];
  uint32_t media_ssrc = 42;
  size_t n_entries = 42, size;
  unsigned fmt;

  for (fmt = 0; fmt < 32; fmt++) {
    tfrc_wire_write_nack (data, 1, 2, &seq, 1);
    data[0] = (uint8_t) (0x80 | fmt);
    ck_assert_int_eq (tfrc_wire_read_nack (data, sizeof data, &media_ssrc,
                          &n_entries),
        fmt == 1);
  }
  media_ssrc = n_entries = 42;
  tfrc_wire_write_nack (data, 1, 2, &seq, 1);
  for (size = 0; size < sizeof data; size++)
    ck_assert (!tfrc_wire_read_nack (data, size, &media_ssrc, &n_entries));
  data[0] |= 0x20; /* padding of 4 bytes: no entry is left */
  data[sizeof data - 1] = 4;
  ck_assert (!tfrc_wire_read_nack (data, sizeof data, &media_ssrc, &n_entries));
  ck_assert_uint_eq (media_ssrc, 42);
  ck_assert_uint_eq (n_entries, 42);
}

END_TEST
int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-nack");
  TCase *tc = tcase_create ("bytes");

  tcase_add_test (tc, writes_few_entries_and_reads_them);
  tcase_add_test (tc, a_number_that_is_named_twice_is_one);
  tcase_add_test (tc, room_for_each_number_is_enough);
  tcase_add_test (tc, other_packets_are_no_nack);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
