/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the first packets show about the path: packets of 1000 bytes are sent every
 * 8 ms, 125,000 bytes/s. */
#include <check.h>
#include <math.h>

#include "base/rng.h"
#include "check-suite.h"
#include "tfmcc/overload.h"

#define SIZE 1000
#define DELAY_US 20000

static TfmccOverload overload;
static unsigned n_sent;

static void
setup (void)
{
  tfmcc_overload_init (&overload);
  n_sent = 0;
}

/* Packet `n`, counted from 0, arrives this long after it was sent. */
static TfrcRate
arrives (unsigned n, uint32_t late_us)
{
  TfrcTime sent_at = 100 * S + n * 8 * MS;

  if (n + 1 > n_sent)
    n_sent = n + 1;
  return tfmcc_overload_on_packet (&overload, SIZE, n_sent,
      (uint32_t) (sent_at / TFRC_MICROSECOND), DELAY_US + late_us,
      sent_at + (DELAY_US + late_us) * TFRC_MICROSECOND);
}

/* A third is carried: each packet takes 24 ms, ... */
START_TEST (a_narrow_link_is_known_by_the_third_packet)
{
  ck_assert_double_eq (arrives (0, 0), INFINITY);
  ck_assert_double_eq (arrives (1, 16000), INFINITY);
  ck_assert_double_eq_tol (arrives (2, 32000), 0.7 * 2000 / .048, 1e-6);
  ck_assert_double_eq (arrives (3, 48000), INFINITY);
}

END_TEST
/* ... or does so on average, as on a shared link. */
START_TEST (a_link_of_uneven_pace_is_known_by_the_fourth_packet)
{
  ck_assert_double_eq (arrives (0, 0), INFINITY);
  ck_assert_double_eq (arrives (1, 10000), INFINITY);
  ck_assert_double_eq (arrives (2, 32000), INFINITY);
  ck_assert_double_eq_tol (arrives (3, 48000), 0.7 * 3000 / .072, 1e-6);
  ck_assert_double_eq (arrives (4, 64000), INFINITY);
}

END_TEST
/* A full queue delays packets no further: two of three are lost. */
START_TEST (a_link_that_loses_most_is_known_after_100_ms)
{
  for (unsigned n = 0; n < 15; n += 3)
    ck_assert_double_eq (arrives (n, 100000), INFINITY);
  ck_assert_double_eq_tol (arrives (15, 100000), 0.7 * 5000 / .120, 1e-6);
}

END_TEST
START_TEST (three_quarters_are_no_overload)
{
  for (unsigned n = 0; n < 200; n++)
    ck_assert_double_eq (arrives (n, n * 2600), INFINITY);
}

END_TEST
/* All arrive together after 60 ms, as from an access point that slept. */
START_TEST (a_pause_of_the_path_is_no_overload)
{
  ck_assert_double_eq (arrives (0, 0), INFINITY);
  for (unsigned n = 1; n < 8; n++)
    ck_assert_double_eq (arrives (n, 60000 - 8000 * (n - 1)), INFINITY);
}

END_TEST
/* Each with its own delay of up to 60 ms, in whatever order they arrive. */
START_TEST (packets_that_overtake_each_other_are_no_overload)
{
  for (unsigned n = 0; n < 200; n += 4) {
    ck_assert_double_eq (arrives (n + 3, 30000), INFINITY);
    ck_assert_double_eq (arrives (n + 1, 50000), INFINITY);
    ck_assert_double_eq (arrives (n, 60000), INFINITY);
    ck_assert_double_eq (arrives (n + 2, 45000), INFINITY);
  }
}

END_TEST
START_TEST (after_two_seconds_it_is_not_looked_for)
{
  for (unsigned n = 0; n <= 251; n++)
    ck_assert_double_eq (arrives (n, 0), INFINITY);
  for (unsigned n = 252; n < 300; n++)
    ck_assert_double_eq (arrives (n, 16000 * (n - 251)), INFINITY);
}

END_TEST
/* Timestamps that run backwards or stand still show nothing. */
START_TEST (absurd_times_are_no_overload)
{
  TfrcRng rng;

  tfrc_rng_init (&rng, 1, 1);
  for (unsigned n = 0; n < 100000; n++) {
    uint32_t random = tfrc_rng_next (&rng);
    TfrcRate rate;

    if (n % 50 == 0)
      tfmcc_overload_init (&overload);
    rate = tfmcc_overload_on_packet (&overload, random % 1500 + 1,
        random / 7 % 20, n % 3 ? random : 0, random / 3, 100 * S + random % 5);
    ck_assert (rate > 0.0 && !isnan (rate));
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-overload");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, a_narrow_link_is_known_by_the_third_packet);
  tcase_add_test (tcase, a_link_of_uneven_pace_is_known_by_the_fourth_packet);
  tcase_add_test (tcase, a_link_that_loses_most_is_known_after_100_ms);
  tcase_add_test (tcase, three_quarters_are_no_overload);
  tcase_add_test (tcase, a_pause_of_the_path_is_no_overload);
  tcase_add_test (tcase, packets_that_overtake_each_other_are_no_overload);
  tcase_add_test (tcase, after_two_seconds_it_is_not_looked_for);
  tcase_add_test (tcase, absurd_times_are_no_overload);
  return run_check_suite (suite);
}
