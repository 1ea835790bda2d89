/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base delay, from a sample every 100 ms with arbitrary clock origins. */
#include <check.h>
#include <stdlib.h>

#include "base/base-delay.h"
#include "units.h"

#define STEP (100 * MS)
#define SKEW 300e-6
#define ORIGIN (-5 * (int64_t) TFRC_SECOND)
#define BACK (5 * (int64_t) TFRC_SECOND)

/* Samples of `delay` until `until`.  The delay grows by `growth` per time as the
 * clocks drift apart; the reverse delay shrinks by as much. */
static TfrcTime
feed (TfrcBaseDelay *self, int64_t delay, double growth, TfrcTime from,
    TfrcTime until)
{
  for (; from < until; from += STEP)
    tfrc_base_delay_on_sample (self, delay + (int64_t) (growth * (double) from),
        BACK - (int64_t) (growth * (double) from), from);
  return from;
}

START_TEST (the_least_delay_of_the_window_is_the_base)
{
  TfrcBaseDelay self;
  TfrcTime now;

  tfrc_base_delay_init (&self, SKEW);
  ck_assert_uint_eq (tfrc_base_delay_get_queue (&self, ORIGIN, 0), 0);
  tfrc_base_delay_on_sample (&self, ORIGIN, BACK, 0);
  now = feed (&self, ORIGIN + 30 * (int64_t) MS, 0.0, STEP, 29 * TFRC_SECOND);
  ck_assert_uint_eq (tfrc_base_delay_get_queue (&self,
                         ORIGIN + 40 * (int64_t) MS, now),
      40 * MS);
  /* Six slices of 5 s: the first sample is gone after 30 s. */
  now = feed (&self, ORIGIN + 30 * (int64_t) MS, 0.0, now, 31 * TFRC_SECOND);
  ck_assert_uint_eq (tfrc_base_delay_get_queue (&self,
                         ORIGIN + 40 * (int64_t) MS, now),
      10 * MS);
}

END_TEST
START_TEST (a_lower_delay_is_the_base_at_once)
{
  TfrcBaseDelay self;

  tfrc_base_delay_init (&self, SKEW);
  tfrc_base_delay_on_sample (&self, ORIGIN, BACK, 0);
  tfrc_base_delay_on_sample (&self, ORIGIN - 700 * (int64_t) MS, BACK, STEP);
  ck_assert_uint_eq (tfrc_base_delay_get_queue (&self,
                         ORIGIN - 700 * (int64_t) MS, STEP),
      0);
  ck_assert_uint_eq (tfrc_base_delay_get_queue (&self, ORIGIN, STEP), 700 * MS);
}

END_TEST
/* 200 ppm are 6 ms in 30 s. */
START_TEST (skew_of_the_clocks_is_taken_out)
{
  for (int sign = -1; sign <= 1; sign += 2) {
    TfrcBaseDelay self;
    double skew = sign * 200e-6;
    TfrcTime now;

    tfrc_base_delay_init (&self, SKEW);
    now = feed (&self, ORIGIN, skew, 0, 100 * TFRC_SECOND);
    ck_assert_double_eq_tol (self.skew, skew, 1e-6);
    ck_assert_uint_le (tfrc_base_delay_get_queue (&self,
                           ORIGIN + (int64_t) (skew * (double) now), now),
        MS / 10);
  }
}

END_TEST
/* A path change every 7 s: the measured skew is kept. */
START_TEST (the_skew_outlives_the_path)
{
  TfrcBaseDelay self;
  TfrcTime now = 0;

  tfrc_base_delay_init (&self, SKEW);
  for (unsigned i = 1; i <= 14; i++) {
    now = feed (&self, ORIGIN, 200e-6, now, i * 7 * TFRC_SECOND);
    tfrc_base_delay_restart (&self);
    ck_assert_uint_eq (tfrc_base_delay_get_queue (&self, ORIGIN + 50 * MS, now),
        0);
  }
  ck_assert_double_eq_tol (self.skew, 200e-6, 20e-6);
}

END_TEST
START_TEST (delays_of_one_clock_have_no_skew)
{
  TfrcBaseDelay self;
  TfrcTime now;

  tfrc_base_delay_init (&self, 0.0);
  now = feed (&self, ORIGIN, 200e-6, 0, 60 * TFRC_SECOND);
  ck_assert_double_eq (self.skew, 0.0);
  ck_assert_uint_ge (tfrc_base_delay_get_queue (&self,
                         ORIGIN + (int64_t) (200e-6 * (double) now), now),
      5 * MS);
}

END_TEST
/* The forward route becomes 40 ms longer; the reverse path stays the same. */
START_TEST (a_step_of_the_route_is_no_skew)
{
  TfrcBaseDelay self;
  TfrcTime now;

  tfrc_base_delay_init (&self, SKEW);
  now = feed (&self, ORIGIN, 0.0, 0, 35 * TFRC_SECOND);
  now = feed (&self, ORIGIN + 40 * (int64_t) MS, 0.0, now, 150 * TFRC_SECOND);
  ck_assert_double_eq (self.skew, 0.0);
  ck_assert_uint_eq (tfrc_base_delay_get_queue (&self,
                         ORIGIN + 41 * (int64_t) MS, now),
      MS);
}

END_TEST
/* However long a delay grows, the skew is limited: at 1000 ppm all of the growth
 * counts as queue, 25 to 30 ms over the window. */
START_TEST (a_delay_that_only_grows_is_a_queue)
{
  TfrcBaseDelay self;
  TfrcTime now;
  TfrcDuration queue;

  tfrc_base_delay_init (&self, SKEW);
  now = feed (&self, ORIGIN, 1000e-6, 0, 600 * TFRC_SECOND);
  queue = tfrc_base_delay_get_queue (&self,
      ORIGIN + (int64_t) (1000e-6 * (double) now), now);
  ck_assert_uint_ge (queue, 25 * MS);
  ck_assert_uint_le (queue, 31 * MS);
}

END_TEST
/* A queue that grows by 200 us per second, and none on the reverse path.  Of the 30
 * s window 5 s are gone with a slice, so the growth of 25 s is seen, 5 ms. */
START_TEST (a_queue_that_grows_slowly_is_no_skew)
{
  TfrcBaseDelay self;
  TfrcTime now;
  int64_t queue = 0;

  tfrc_base_delay_init (&self, SKEW);
  for (now = 0; now < 100 * TFRC_SECOND; now += STEP) {
    queue = (int64_t) (200e-6 * (double) now);
    tfrc_base_delay_on_sample (&self, ORIGIN + queue, BACK, now);
  }
  ck_assert_double_eq (self.skew, 0.0);
  ck_assert_uint_ge (tfrc_base_delay_get_queue (&self, ORIGIN + queue, now),
      49 * MS / 10);
}

END_TEST
/* A reverse path that becomes 2 ms longer affects at most nine of the 15 slopes
 * between six slices (133 ppm, 80 ppm and so on) while both lengths are in the
 * window, and none later. */
START_TEST (a_step_of_the_way_back_is_soon_no_skew)
{
  TfrcBaseDelay self;

  tfrc_base_delay_init (&self, SKEW);
  for (TfrcTime now = 0; now < 100 * TFRC_SECOND; now += STEP) {
    int64_t step = now < 50 * TFRC_SECOND ? 0 : 2 * (int64_t) MS;

    tfrc_base_delay_on_sample (&self, ORIGIN, BACK + step, now);
    ck_assert_double_ge (self.skew, -200e-6);
    ck_assert_double_le (self.skew, 0.0);
  }
  ck_assert_double_eq (self.skew, 0.0);
}

END_TEST
START_TEST (a_pause_makes_all_slices_expire)
{
  TfrcBaseDelay self;
  TfrcTime later = 3600 * TFRC_SECOND;

  tfrc_base_delay_init (&self, SKEW);
  feed (&self, ORIGIN, 0.0, 0, 20 * TFRC_SECOND);
  tfrc_base_delay_on_sample (&self, ORIGIN + 80 * (int64_t) MS, BACK, later);
  ck_assert_uint_eq (tfrc_base_delay_get_queue (&self,
                         ORIGIN + 85 * (int64_t) MS, later),
      5 * MS);
}

END_TEST
/* Samples with times that run backwards count for the current slice. */
START_TEST (time_that_runs_back_does_no_harm)
{
  TfrcBaseDelay self;

  tfrc_base_delay_init (&self, SKEW);
  tfrc_base_delay_on_sample (&self, ORIGIN, BACK, 10 * TFRC_SECOND);
  tfrc_base_delay_on_sample (&self, ORIGIN + (int64_t) MS, BACK,
      5 * TFRC_SECOND);
  ck_assert_uint_eq (tfrc_base_delay_get_queue (&self,
                         ORIGIN + 2 * (int64_t) MS, 10 * TFRC_SECOND),
      2 * MS);
}

END_TEST

int
main (void)
{
  Suite *suite = suite_create ("base-delay");
  TCase *tcase = tcase_create ("base-delay");
  SRunner *runner = srunner_create (suite);
  int failed;

  tcase_add_test (tcase, the_least_delay_of_the_window_is_the_base);
  tcase_add_test (tcase, a_lower_delay_is_the_base_at_once);
  tcase_add_test (tcase, skew_of_the_clocks_is_taken_out);
  tcase_add_test (tcase, the_skew_outlives_the_path);
  tcase_add_test (tcase, delays_of_one_clock_have_no_skew);
  tcase_add_test (tcase, a_step_of_the_route_is_no_skew);
  tcase_add_test (tcase, a_delay_that_only_grows_is_a_queue);
  tcase_add_test (tcase, a_queue_that_grows_slowly_is_no_skew);
  tcase_add_test (tcase, a_step_of_the_way_back_is_soon_no_skew);
  tcase_add_test (tcase, a_pause_makes_all_slices_expire);
  tcase_add_test (tcase, time_that_runs_back_does_no_harm);
  suite_add_tcase (suite, tcase);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
