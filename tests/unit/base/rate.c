/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conversions between rates and times, on which everything else relies. */
#include <check.h>
#include <math.h>

#include "base/units.h"
#include "check-suite.h"

START_TEST (a_packet_takes_its_size_over_the_rate)
{
  /* 1200 bytes at 250000 bytes/s (2 Mbit/s): 4.8 ms. */
  ck_assert_uint_eq (tfrc_rate_time_for (250000.0, 1200.0), 4800000);
  /* A product that overflows 32 bits: 4380 bytes in 100 ms are 43800 bytes/s, and
   * 4380 bytes at that rate take 100 ms. */
  ck_assert_double_eq (tfrc_rate_of (4380.0, 100 * TFRC_MILLISECOND), 43800.0);
  ck_assert_uint_eq (tfrc_rate_time_for (43800.0, 4380.0),
      100 * TFRC_MILLISECOND);
}

END_TEST
START_TEST (no_rate_takes_for_ever)
{
  ck_assert_uint_eq (tfrc_rate_time_for (0.0, 1200.0), TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_rate_time_for (-1.0, 1200.0), TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_rate_time_for ((double) NAN, 1200.0), TFRC_TIME_NONE);
  /* 1.2e15 s do not fit into 64 bits of ns. */
  ck_assert_uint_eq (tfrc_rate_time_for (1e-12, 1200.0), TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_rate_time_for ((double) INFINITY, 1200.0), 0);
}

END_TEST
START_TEST (bytes_in_a_duration)
{
  /* 64 kbit/s for one minute. */
  ck_assert_double_eq (tfrc_rate_bytes_in (8000.0, 60 * TFRC_SECOND), 480000.0);
  /* In no time nothing is sent, whatever the rate. */
  ck_assert_double_eq (tfrc_rate_bytes_in ((double) INFINITY, 0), 0.0);
  ck_assert_double_eq (tfrc_rate_of (1200.0, 0), 0.0);
}

END_TEST
START_TEST (bits_of_a_property)
{
  ck_assert_double_eq (tfrc_rate_from_bits (2000000), 250000.0);
  ck_assert_uint_eq (tfrc_rate_to_bits (250000.0), 2000000);
  /* To the nearest bit: 0.0625 bytes are half a bit. */
  ck_assert_uint_eq (tfrc_rate_to_bits (0.0625), 1);
  ck_assert_uint_eq (tfrc_rate_to_bits (0.0624), 0);
  ck_assert_uint_eq (tfrc_rate_to_bits (-5.0), 0);
  ck_assert_uint_eq (tfrc_rate_to_bits ((double) NAN), 0);
  ck_assert_uint_eq (tfrc_rate_to_bits ((double) INFINITY), UINT64_MAX);
  /* 2^61 bytes/s are 2^64 bits/s, one too many. */
  ck_assert_uint_eq (tfrc_rate_to_bits (2305843009213693952.0), UINT64_MAX);
  ck_assert_uint_eq (tfrc_rate_to_bits (1152921504606846976.0),
      UINT64_C (1) << 63);
}

END_TEST
START_TEST (instants_saturate)
{
  ck_assert_uint_eq (tfrc_time_add (TFRC_TIME_NONE - 5, 5), TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_time_add (TFRC_TIME_NONE - 5, 6), TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_time_add (TFRC_TIME_NONE, 0), TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_time_sub (5, 6), 0);
  ck_assert_uint_eq (tfrc_time_sub (TFRC_TIME_NONE, 6), TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_time_since (6, 5), 0);
  ck_assert_uint_eq (tfrc_time_since (5, 6), 1);
  ck_assert_uint_eq (tfrc_duration_from_seconds ((double) NAN), 0);
  ck_assert_uint_eq (tfrc_duration_from_seconds (-1.0), 0);
  ck_assert_uint_eq (tfrc_duration_from_seconds (1.8e10), TFRC_TIME_NONE);
  ck_assert_uint_eq (tfrc_duration_from_seconds (0.1), 100 * TFRC_MILLISECOND);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-rate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_packet_takes_its_size_over_the_rate);
  tcase_add_test (tcase, no_rate_takes_for_ever);
  tcase_add_test (tcase, bytes_in_a_duration);
  tcase_add_test (tcase, bits_of_a_property);
  tcase_add_test (tcase, instants_saturate);
  return run_check_suite (suite);
}
