/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The seeded generator. */
#include <check.h>

#include "base/rng.h"
#include "check-suite.h"

START_TEST (gives_the_numbers_of_pcg32)
{
  /* Seed 42, stream 54: the output of O'Neill's pcg32-demo. */
  const uint32_t expected[] = {
    0xa15c02b7,
    0x7b47f409,
    0xba1d3330,
    0x83d2f293,
    0xbfa4784b,
    0xcbed606e,
  };
  TfrcRng rng;

  tfrc_rng_init (&rng, 42, 54);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    ck_assert_uint_eq (tfrc_rng_next (&rng), expected[i]);
}

END_TEST
START_TEST (streams_of_a_seed_differ)
{
  TfrcRng a, b;
  int equal = 0;

  tfrc_rng_init (&a, 1, 1);
  tfrc_rng_init (&b, 1, 2);
  for (int i = 0; i < 1000; i++)
    equal += tfrc_rng_next (&a) == tfrc_rng_next (&b) ? 1 : 0;
  ck_assert_int_le (equal, 1);
}

END_TEST
START_TEST (uniform_is_never_zero_and_has_its_mean)
{
  TfrcRng rng;
  double sum = 0.0;

  tfrc_rng_init (&rng, 7, 0);
  for (int i = 0; i < 100000; i++) {
    double u = tfrc_rng_uniform (&rng);

    ck_assert (u > 0.0 && u <= 1.0);
    sum += u;
  }
  /* Standard deviation of the mean: 0.2887 / sqrt (1e5) = 0.0009. */
  ck_assert_double_eq_tol (sum / 100000.0, 0.5, 0.004);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-rng");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, gives_the_numbers_of_pcg32);
  tcase_add_test (tcase, streams_of_a_seed_differ);
  tcase_add_test (tcase, uniform_is_never_zero_and_has_its_mean);
  return run_check_suite (suite);
}
