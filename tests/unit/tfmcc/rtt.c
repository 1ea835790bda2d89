/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver's RTT: initial, measured, and adjusted by one-way delays. */
#include <check.h>

#include "check-suite.h"
#include "tfmcc/receiver.h"

static TfmccRtt
new_rtt (void)
{
  TfmccRttConfig config = tfmcc_rtt_config_default ();
  TfmccRtt rtt;

  tfmcc_rtt_init (&rtt, &config, true);
  return rtt;
}

/* A path with a delay in each direction, and clocks that are `offset_us` apart. */
typedef struct
{
  uint32_t forward_us, back_us;
  uint32_t offset_us; /* receiver's clock minus the sender's */
} Path;

/* At `at_us` of its clock the sender sends an echo of a report that it has held for
 * 3 ms. */
static void
echo (TfmccRtt *rtt, const Path *path, uint32_t at_us, bool is_clr)
{
  uint32_t reported_at = at_us - 3000 - path->back_us + path->offset_us;
  TfmccEcho echo = {
    .ssrc = 1,
    .report_time_us = reported_at + 3000,
    .is_clr = is_clr,
  };

  tfmcc_rtt_on_echo (rtt, &echo, at_us,
      at_us + path->forward_us + path->offset_us);
}

static void
packet (TfmccRtt *rtt, const Path *path, uint32_t at_us)
{
  tfmcc_rtt_on_packet (rtt, at_us, at_us + path->forward_us + path->offset_us);
}

START_TEST (initial_rtt_is_half_a_second_or_what_r_max_says)
{
  TfmccRtt rtt = new_rtt ();

  ck_assert (!tfmcc_rtt_is_measured (&rtt));
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 500 * MS);
  tfmcc_rtt_set_initial (&rtt, 700 * MS);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 700 * MS);
  tfmcc_rtt_set_initial (&rtt, 0);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 1 * MS);
  tfmcc_rtt_set_initial (&rtt, TFRC_TIME_NONE);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 64 * TFRC_SECOND);
}

END_TEST
START_TEST (r_max_counts_until_there_is_a_measurement)
{
  TfmccRtt rtt = new_rtt ();

  ck_assert (tfmcc_rtt_on_max_rtt (&rtt, 400 * MS));
  ck_assert (!tfmcc_rtt_on_max_rtt (&rtt, 400 * MS));
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 400 * MS);
  tfmcc_rtt_set_synchronised (&rtt, 30 * MS, 0, 0);
  ck_assert (!tfmcc_rtt_on_max_rtt (&rtt, 300 * MS));
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 60 * MS);
}

END_TEST
START_TEST (synchronised_clocks_double_the_delay_and_both_errors)
{
  TfmccRtt rtt = new_rtt ();

  /* 2 (30 + 10 + 5) = 90. */
  tfmcc_rtt_set_synchronised (&rtt, 30 * MS, 10 * MS, 5 * MS);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 90 * MS);
  ck_assert (!tfmcc_rtt_is_measured (&rtt));
  ck_assert (tfmcc_rtt_is_own (&rtt));
}

END_TEST
/* The offset may be anything, and the timestamps wrap. */
static const uint32_t offsets[] = { 0, 1, 123456789, 0x80000000, 0xFFFFFFF0 };
static const uint32_t starts[] = { 1000000, 0xFFFFFFFF, 0x7FFFFFF0 };

START_TEST (measurements_do_not_depend_on_clocks)
{
  for (unsigned i = 0; i < sizeof starts / sizeof starts[0]; i++) {
    Path path = { 20000, 40000, offsets[_i] };
    TfmccRtt rtt = new_rtt ();

    /* The hold time is not included: 20 + 40. */
    echo (&rtt, &path, starts[i], false);
    ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 60 * MS);
    ck_assert (tfmcc_rtt_is_measured (&rtt));
    /* The forward delay grows by 30 ms; after many packets R' has followed. */
    path.forward_us = 50000;
    packet (&rtt, &path, starts[i] + 1000);
    /* 0.95 * 60 + 0.05 * 90 */
    ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 61500000);
    for (uint32_t j = 2; j < 400; j++)
      packet (&rtt, &path, starts[i] + j * 1000);
    ck_assert_uint_eq (tfmcc_rtt_get (&rtt) / MS, 89);
    /* The next measurement ignores that: 0.5 * 60 + 0.5 * 90. */
    echo (&rtt, &path, starts[i] + 500000, false);
    ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 75 * MS);
  }
}

END_TEST
/* An hour without an echo, with clocks that drift apart.  If the receiver's clock
 * is slow, by 720 ms at most, the path does not seem shorter than measured; if it
 * is fast, the path seems longer until there is a measurement.  If the path becomes
 * longer by 50 ms, R' grows by that. */
static const struct
{
  int ppm;
  uint32_t packet_interval_us;
  TfrcDuration lowest, highest; /* R' during this hour */
} drifts[] = {
  { -50, 10000, 59 * MS, 60 * MS },
  { -200, 10000, 59 * MS, 60 * MS },
  { -200, 1500, 59 * MS, 60 * MS },
  { -200, 1000000, 54 * MS, 61 * MS },
  { 0, 10000, 60 * MS, 60 * MS },
  { 50, 10000, 60 * MS, 240 * MS },
  { 200, 10000, 60 * MS, 780 * MS },
};

START_TEST (clocks_that_drift_make_no_path_shorter)
{
  Path path = { 20000, 40000, 123456789 };
  TfrcDuration lowest = TFRC_TIME_NONE, highest = 0, before = 0;
  uint32_t at_us = 0xF0000000;
  TfmccRtt rtt = new_rtt ();

  echo (&rtt, &path, at_us, false);
  for (uint64_t us = 0; us < 3660000000; us += drifts[_i].packet_interval_us) {
    path.offset_us = (uint32_t) (123456789
        + (int64_t) us * drifts[_i].ppm / 1000000);
    packet (&rtt, &path, (uint32_t) (at_us + us));
    lowest = tfrc_time_min (lowest, tfmcc_rtt_get (&rtt));
    highest = tfrc_time_max (highest, tfmcc_rtt_get (&rtt));
    if (us == 3600000000) {
      before = tfmcc_rtt_get (&rtt);
      ck_assert_uint_ge (lowest, drifts[_i].lowest);
      ck_assert_uint_le (highest, drifts[_i].highest);
      path.forward_us = 70000;
    }
  }
  /* Up to 12 ms of it may have been drift in the last minute. */
  ck_assert_uint_ge (tfmcc_rtt_get (&rtt), before + 35 * MS);
  ck_assert_uint_le (tfmcc_rtt_get (&rtt), before + 62 * MS);
  echo (&rtt, &path, at_us, false);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 85 * MS);
}

END_TEST
/* The queue at the measurement has drained: R' is shorter at once, and returns by
 * 500 ppm of the time. */
START_TEST (a_shorter_delay_is_believed_for_a_while)
{
  Path path = { 120000, 40000, 5 };
  TfmccRtt rtt = new_rtt ();
  uint32_t us = 0;

  echo (&rtt, &path, us, false);
  path.forward_us = 20000;
  for (; us < 5000000; us += 10000)
    packet (&rtt, &path, us);
  /* 60 + 2.5, and it follows within 20 packets. */
  ck_assert_uint_ge (tfmcc_rtt_get (&rtt), 61 * MS);
  ck_assert_uint_le (tfmcc_rtt_get (&rtt), 63 * MS);
  for (; us < 100000000; us += 10000)
    packet (&rtt, &path, us);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt) / MS, 109);
  for (; us < 300000000; us += 10000)
    packet (&rtt, &path, us);
  ck_assert_uint_ge (tfmcc_rtt_get (&rtt), 159 * MS);
  ck_assert_uint_le (tfmcc_rtt_get (&rtt), 161 * MS);
}

END_TEST
START_TEST (the_clr_trusts_a_sample_less)
{
  Path path = { 20000, 40000, 5 };
  TfmccRtt rtt = new_rtt ();

  echo (&rtt, &path, 1000000, true);
  path.back_us = 140000;
  /* 0.9 * 60 + 0.1 * 160 = 70. */
  echo (&rtt, &path, 2000000, true);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 70 * MS);
}

END_TEST
START_TEST (impossible_times_give_the_least_rtt)
{
  TfmccRtt rtt = new_rtt ();
  TfmccEcho from_the_future = { .report_time_us = 2000 };

  tfmcc_rtt_on_echo (&rtt, &from_the_future, 500, 1000);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 1 * MS);
}

END_TEST
START_TEST (delays_before_a_measurement_say_nothing)
{
  Path path = { 20000, 40000, 5 };
  TfmccRtt rtt = new_rtt ();

  packet (&rtt, &path, 1000);
  ck_assert_uint_eq (tfmcc_rtt_get (&rtt), 500 * MS);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-rtt");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, initial_rtt_is_half_a_second_or_what_r_max_says);
  tcase_add_test (tcase, r_max_counts_until_there_is_a_measurement);
  tcase_add_test (tcase, synchronised_clocks_double_the_delay_and_both_errors);
  tcase_add_loop_test (tcase, measurements_do_not_depend_on_clocks, 0,
      sizeof offsets / sizeof offsets[0]);
  tcase_add_loop_test (tcase, clocks_that_drift_make_no_path_shorter, 0,
      sizeof drifts / sizeof drifts[0]);
  tcase_add_test (tcase, a_shorter_delay_is_believed_for_a_while);
  tcase_add_test (tcase, the_clr_trusts_a_sample_less);
  tcase_add_test (tcase, impossible_times_give_the_least_rtt);
  tcase_add_test (tcase, delays_before_a_measurement_say_nothing);
  return run_check_suite (suite);
}
