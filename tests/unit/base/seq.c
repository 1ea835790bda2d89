/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unwrapping of 16 bits. */
#include <check.h>

#include "base/units.h"
#include "check-suite.h"

START_TEST (sixteen_bits_wrap_from_every_start)
{
  /* All 65536 first values, and from each one step, the longest step forward, and
   * the way back. */
  for (uint32_t first = 0; first < 65536; first++) {
    TfrcSeqUnwrapper seq;
    uint64_t base = 65536 + first;

    tfrc_seq_unwrapper_init (&seq);
    ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, (uint16_t) first), base);
    ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, (uint16_t) (first + 1)),
        base + 1);
    ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, (uint16_t) (first + 32768)),
        base + 32768);
    /* 32768 behind is the furthest value that counts as older. */
    ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, (uint16_t) first), base);
    ck_assert_uint_eq (seq.highest, base + 32768);
  }
}

END_TEST
START_TEST (half_the_space_is_older)
{
  TfrcSeqUnwrapper seq;

  tfrc_seq_unwrapper_init (&seq);
  ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, 5), 65541);
  ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, 32773), 65541 - 32768);
  ck_assert_uint_eq (seq.highest, 65541);
  ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, 32772), 65541 + 32767);
}

END_TEST
START_TEST (older_values_change_nothing)
{
  TfrcSeqUnwrapper seq;

  tfrc_seq_unwrapper_init (&seq);
  tfrc_seq_unwrap16 (&seq, 2);
  ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, 65535), 65535);
  ck_assert_uint_eq (seq.highest, 65538);
  ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, 3), 65539);
}

END_TEST
START_TEST (counts_through_many_wraps)
{
  TfrcSeqUnwrapper seq;

  tfrc_seq_unwrapper_init (&seq);
  for (uint64_t value = 65536; value < 5 * 65536; value++)
    ck_assert_uint_eq (tfrc_seq_unwrap16 (&seq, (uint16_t) value), value);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-seq");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, sixteen_bits_wrap_from_every_start);
  tcase_add_test (tcase, half_the_space_is_older);
  tcase_add_test (tcase, older_values_change_nothing);
  tcase_add_test (tcase, counts_through_many_wraps);
  return run_check_suite (suite);
}
