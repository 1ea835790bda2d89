/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The 7 bytes of the rtt-sendts header extension, written and read. */
#include <check.h>
#include <string.h>

#include "check-suite.h"
#include "tfrc-wire.h"

/* RTT 60 ms = 60000 us = 0x00EA60. */
static const struct
{
  TfrcDuration rtt;      /* written */
  TfrcDuration rtt_back; /* and read back */
  uint32_t send_time_us;
  uint8_t bytes[TFRC_WIRE_EXTENSION_SIZE];
} goldens[] = {
  { 0, 0, 0, { 0, 0, 0, 0, 0, 0, 0 } },
  { 60 * TFRC_MILLISECOND, 60 * TFRC_MILLISECOND, 0x00112233,
      { 0x00, 0xEA, 0x60, 0x00, 0x11, 0x22, 0x33 } },
  /* From Farstream, 50 ms after its first packet: its timestamps start at 0. */
  { 60 * TFRC_MILLISECOND, 60 * TFRC_MILLISECOND, 50000,
      { 0x00, 0xEA, 0x60, 0x00, 0x00, 0xC3, 0x50 } },
  /* A known RTT is never written as 0, which means "not known". */
  { 1, TFRC_MICROSECOND, 1, { 0, 0, 1, 0, 0, 0, 1 } },
  { TFRC_MICROSECOND, TFRC_MICROSECOND, 0xFFFFFFFF,
      { 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF } },
  /* Rounds to the nearest microsecond. */
  { 1499, TFRC_MICROSECOND, 0, { 0, 0, 1, 0, 0, 0, 0 } },
  { 1500, 2 * TFRC_MICROSECOND, 0, { 0, 0, 2, 0, 0, 0, 0 } },
  /* 16.777214 s is the largest RTT, 16.777215 s says "that or more". */
  { 16777214 * TFRC_MICROSECOND, 16777214 * TFRC_MICROSECOND, 0x80000000,
      { 0xFF, 0xFF, 0xFE, 0x80, 0, 0, 0 } },
  { 16777215 * TFRC_MICROSECOND, 16777215 * TFRC_MICROSECOND, 0,
      { 0xFF, 0xFF, 0xFF, 0, 0, 0, 0 } },
  { 16777216 * TFRC_MICROSECOND, 16777215 * TFRC_MICROSECOND, 0,
      { 0xFF, 0xFF, 0xFF, 0, 0, 0, 0 } },
  /* 2^32 us must not wrap to 0. */
  { 4294967296 * TFRC_MICROSECOND, 16777215 * TFRC_MICROSECOND, 0,
      { 0xFF, 0xFF, 0xFF, 0, 0, 0, 0 } },
  { TFRC_TIME_NONE, 16777215 * TFRC_MICROSECOND, 0,
      { 0xFF, 0xFF, 0xFF, 0, 0, 0, 0 } },
};

START_TEST (writes_golden_bytes)
{
  TfrcExtension extension = { goldens[_i].send_time_us, goldens[_i].rtt };
  uint8_t data[TFRC_WIRE_EXTENSION_SIZE + 1] = {
    [TFRC_WIRE_EXTENSION_SIZE] = 0xA5
  };

  tfrc_wire_write_extension (data, &extension);
  ck_assert_mem_eq (data, goldens[_i].bytes, TFRC_WIRE_EXTENSION_SIZE);
  ck_assert_uint_eq (data[TFRC_WIRE_EXTENSION_SIZE], 0xA5);
}

END_TEST
START_TEST (reads_golden_bytes)
{
  TfrcExtension extension;

  ck_assert (tfrc_wire_read_extension (&extension, goldens[_i].bytes,
      TFRC_WIRE_EXTENSION_SIZE));
  ck_assert_uint_eq (extension.rtt, goldens[_i].rtt_back);
  ck_assert_uint_eq (extension.send_time_us, goldens[_i].send_time_us);
}

END_TEST
START_TEST (another_size_leaves_the_extension_alone)
{
  uint8_t data[32] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  TfrcExtension extension = { 42, 43 };
  size_t size;

  for (size = 0; size <= sizeof data; size++) {
    if (size == TFRC_WIRE_EXTENSION_SIZE)
      continue;
    ck_assert (!tfrc_wire_read_extension (&extension, data, size));
    ck_assert_uint_eq (extension.send_time_us, 42);
    ck_assert_uint_eq (extension.rtt, 43);
  }
}

END_TEST
/* The field holds 2^24 values, and each of them survives writing and reading. */
START_TEST (every_rtt_field_survives)
{
  uint8_t data[TFRC_WIRE_EXTENSION_SIZE], again[TFRC_WIRE_EXTENSION_SIZE];
  TfrcExtension extension;
  uint32_t us;

  memset (data, 0, sizeof data);
  for (us = 0; us <= 0xFFFFFF; us++) {
    data[0] = (uint8_t) (us >> 16);
    data[1] = (uint8_t) (us >> 8);
    data[2] = (uint8_t) us;
    if (!tfrc_wire_read_extension (&extension, data, sizeof data)
        || extension.rtt != us * TFRC_MICROSECOND)
      ck_abort_msg ("RTT field %u read as %llu ns", us,
          (unsigned long long) extension.rtt);
    tfrc_wire_write_extension (again, &extension);
    if (memcmp (data, again, sizeof data) != 0)
      ck_abort_msg ("RTT field %u written otherwise", us);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-extension");
  TCase *tcase = tcase_create ("general");
  int n_goldens = sizeof goldens / sizeof goldens[0];

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, writes_golden_bytes, 0, n_goldens);
  tcase_add_loop_test (tcase, reads_golden_bytes, 0, n_goldens);
  tcase_add_test (tcase, another_size_leaves_the_extension_alone);
  tcase_add_test (tcase, every_rtt_field_survives);
  return run_check_suite (suite);
}
