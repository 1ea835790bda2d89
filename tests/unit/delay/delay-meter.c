/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The delays that a receiver reports: packets of 1000 bytes, times in us, an RTT of
 * 40 ms, so runs of 10 ms. */
#include <check.h>
#include <stdlib.h>

#include "delay/delay-meter.h"

#define RTT (40 * TFRC_MILLISECOND)

static void
receive (TfrcDelayMeter *self, uint32_t send_time_us, uint64_t arrival_us)
{
  tfrc_delay_meter_on_packet (self, send_time_us, 1000, RTT,
      arrival_us * TFRC_MICROSECOND);
}

START_TEST (a_report_has_the_least_delay_since_the_last)
{
  TfrcDelayMeter self;
  TfrcDelayReport report;

  self = (TfrcDelayMeter) { 0 };
  ck_assert (!tfrc_delay_meter_poll (&self, &report));
  receive (&self, 1000, 5000);
  receive (&self, 2000, 5500);
  receive (&self, 3000, 7500);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  ck_assert_uint_eq (report.least_delay_us, 3500);
  ck_assert_uint_eq (report.arrival_us, 7500);
  ck_assert_uint_eq (report.bytes, 3000);
  ck_assert (!tfrc_delay_meter_poll (&self, &report));
  receive (&self, 4000, 9000);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  ck_assert_uint_eq (report.least_delay_us, 5000);
  ck_assert_uint_eq (report.bytes, 4000);
}

END_TEST
/* The sender's timestamps wrap between the packets: both delays differ from zero by
 * 2^31 - 1000 us, and one is 500 us less than the other. */
START_TEST (delays_wrap)
{
  TfrcDelayMeter self;
  TfrcDelayReport report;

  self = (TfrcDelayMeter) { 0 };
  receive (&self, UINT32_MAX - 99, 400);
  receive (&self, 900, 900);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  ck_assert_uint_eq (report.least_delay_us, 0);
  /* The receiver's clock is behind the sender's. */
  receive (&self, 5000, 1000);
  receive (&self, 6000, 2500);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  ck_assert_uint_eq (report.least_delay_us, (uint32_t) -4000);
}

END_TEST

/* Delays of 3 ms and 5 ms in the first run, 7 and 9 in the second, 20 in the
 * third.  Two runs count: (7 + 9 + 20) / 3. */
START_TEST (the_delay_of_the_newest_packets_is_the_mean_of_two_runs)
{
  TfrcDelayMeter self;
  TfrcDelayReport report;

  self = (TfrcDelayMeter) { 0 };
  receive (&self, 0, 3000);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  ck_assert_uint_eq (report.newest_delay_us, 3000);
  receive (&self, 5000, 10000);
  receive (&self, 13000, 20000);
  receive (&self, 20000, 29000);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  ck_assert_uint_eq (report.newest_delay_us, 6000);
  receive (&self, 20000, 40000);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  ck_assert_uint_eq (report.newest_delay_us, 12000);
  ck_assert_uint_eq (report.least_delay_us, 20000);
}

END_TEST
/* 20 ms in two runs, then 4 and 6 ms, more than a second later or less, or by a clock that
 * was set back. */
START_TEST (what_was_before_a_pause_does_not_count)
{
  const int64_t pause_us = (const int64_t[]) { 1000001, -1, 1000000 }[_i];
  uint64_t arrival_us = 100000;
  TfrcDelayMeter self;
  TfrcDelayReport report;

  self = (TfrcDelayMeter) { 0 };
  for (unsigned i = 0; i < 3; i++, arrival_us += 10000)
    receive (&self, (uint32_t) arrival_us - 20000, arrival_us);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  arrival_us += (uint64_t) (pause_us - 10000);
  receive (&self, (uint32_t) arrival_us - 4000, arrival_us);
  /* One packet is not enough after a pause; without one it is (20 + 20 + 20 + 4) /
   * 4. */
  ck_assert_int_eq (tfrc_delay_meter_poll (&self, &report), _i == 2);
  if (_i == 2)
    ck_assert_uint_eq (report.newest_delay_us, 16000);
  receive (&self, (uint32_t) arrival_us - 5000, arrival_us + 1000);
  ck_assert (tfrc_delay_meter_poll (&self, &report));
  ck_assert_uint_eq (report.least_delay_us, _i == 2 ? 6000 : 4000);
  if (_i != 2)
    ck_assert_uint_eq (report.newest_delay_us, 5000);
}

END_TEST

int
main (void)
{
  Suite *suite = suite_create ("delay-meter");
  TCase *tcase = tcase_create ("delay-meter");
  SRunner *runner = srunner_create (suite);
  int failed;

  tcase_add_test (tcase, a_report_has_the_least_delay_since_the_last);
  tcase_add_test (tcase, delays_wrap);
  tcase_add_test (tcase,
      the_delay_of_the_newest_packets_is_the_mean_of_two_runs);
  tcase_add_loop_test (tcase, what_was_before_a_pause_does_not_count, 0, 3);
  suite_add_tcase (suite, tcase);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
