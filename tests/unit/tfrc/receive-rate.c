/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv, RFC 5348 section 6.2. */
#include <check.h>

#include "check-suite.h"
#include "tfrc/byte-log.h"

#define RTT (100 * MS)

static TfrcReceiveRate receive_rate;

static void
setup (void)
{
  tfrc_receive_rate_init (&receive_rate);
}

static void
packet (uint32_t size, TfrcTime now)
{
  tfrc_receive_rate_on_packet (&receive_rate, size, RTT, now);
}

START_TEST (first_report_says_zero)
{
  setup ();
  packet (1000, 1000 * MS);
  ck_assert_double_eq (tfrc_receive_rate_on_report (&receive_rate, 0,
                           1000 * MS),
      0.0);
  ck_assert_double_eq (receive_rate.largest.rate, 0.0);
}

END_TEST
START_TEST (measures_the_last_rtt)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1000 * MS);
  for (TfrcTime t = 1010 * MS; t <= 1100 * MS; t += 10 * MS)
    packet (500, t);
  /* 10 packets of 500 bytes in 100 ms. */
  ck_assert_double_eq (tfrc_receive_rate_on_report (&receive_rate, RTT,
                           1100 * MS),
      50000.0);
  ck_assert_double_eq (receive_rate.rate, 50000.0);
}

END_TEST
START_TEST (an_early_report_still_covers_a_whole_rtt)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1000 * MS);
  for (TfrcTime t = 1010 * MS; t <= 1120 * MS; t += 10 * MS)
    packet (500, t);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1100 * MS);
  /* 20 ms after it: (1020, 1120] holds 10 packets. */
  ck_assert_double_eq (tfrc_receive_rate_on_report (&receive_rate, RTT,
                           1120 * MS),
      50000.0);
}

END_TEST
START_TEST (a_longer_interval_is_measured_whole)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1000 * MS);
  packet (800, 1010 * MS);
  /* 150 ms between reports, nothing in the last RTT. */
  ck_assert_double_eq_tol (tfrc_receive_rate_on_report (&receive_rate, RTT,
                               1150 * MS),
      800.0 / 0.15, 1e-9);
}

END_TEST
START_TEST (at_least_the_newest_packet_counts)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1000 * MS);
  packet (700, 1005 * MS);
  receive_rate.begin_at = 1005 * MS;
  /* The packet lies just outside (1005, 1105]. */
  ck_assert_double_eq_tol (tfrc_receive_rate_on_report (&receive_rate, RTT,
                               1105 * MS),
      7000.0, 1e-9);
}

END_TEST
START_TEST (the_largest_rate_is_kept)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1000 * MS);
  packet (2000, 1100 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1100 * MS);
  packet (600, 1200 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1200 * MS);
  ck_assert_double_eq_tol (receive_rate.rate, 6000.0, 1e-9);
  ck_assert_double_eq_tol (receive_rate.largest.rate, 20000.0, 1e-9);
}

END_TEST
/* One burst of 100 packets in an RTT of 100 ms, then one packet every 100 ms: 1
 * Mbyte/s is forgotten after two periods of 1 s, or of 8 R. */
START_TEST (a_burst_of_long_ago_is_no_receive_rate)
{
  TfrcTime now = 1000 * MS;

  setup ();
  packet (1000, now);
  tfrc_receive_rate_on_report (&receive_rate, RTT, now);
  now += RTT;
  for (unsigned i = 0; i < 100; i++)
    packet (1000, now);
  tfrc_receive_rate_on_report (&receive_rate, RTT, now);
  for (unsigned i = 1; i <= 30; i++) {
    packet (500, now += RTT);
    tfrc_receive_rate_on_report (&receive_rate, RTT, now);
    if (i <= 10)
      ck_assert_double_eq_tol (receive_rate.largest.rate, 1e6, 1e-6);
  }
  ck_assert_double_eq_tol (receive_rate.largest.rate, 5000.0, 1e-9);
  ck_assert_double_eq (receive_rate.largest.size, 500.0);
}

END_TEST
/* With R = 500 ms a period is 8 R, 4 s: the burst is remembered for one at least. */
START_TEST (a_burst_counts_for_eight_rtts)
{
  const TfrcDuration rtt = 500 * MS;
  TfrcTime now = 1000 * MS;

  setup ();
  packet (1000, now);
  tfrc_receive_rate_on_report (&receive_rate, rtt, now);
  now += rtt;
  for (unsigned i = 0; i < 100; i++)
    packet (1000, now);
  tfrc_receive_rate_on_report (&receive_rate, rtt, now);
  for (unsigned i = 1; i <= 8; i++) {
    packet (500, now += rtt);
    tfrc_receive_rate_on_report (&receive_rate, rtt, now);
    ck_assert_double_eq_tol (receive_rate.largest.rate, 2e5, 1e-6);
  }
}

END_TEST
/* A period without packets does not count: the last burst is remembered. */
START_TEST (a_silence_is_no_period)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1000 * MS);
  packet (2000, 1100 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1100 * MS);
  packet (500, 60000 * MS);
  receive_rate.begin_at = 60000 * MS - RTT;
  tfrc_receive_rate_on_report (&receive_rate, RTT, 60000 * MS);
  ck_assert_double_eq_tol (receive_rate.largest.rate, 20000.0, 1e-9);
}

END_TEST
/* Two packets 20 us apart, before R is known, are not 400 Mbit/s. */
START_TEST (without_an_rtt_there_is_no_maximum)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, 0, 1000 * MS);
  packet (1000, 1000 * MS + 20 * TFRC_MICROSECOND);
  tfrc_receive_rate_on_report (&receive_rate, 0,
      1000 * MS + 20 * TFRC_MICROSECOND);
  ck_assert_double_gt (receive_rate.rate, 1e7);
  ck_assert_double_eq (receive_rate.largest.rate, 0.0);
}

END_TEST
START_TEST (two_packets_at_one_instant_measure_nothing)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, 0, 1000 * MS);
  packet (1000, 1500 * MS);
  ck_assert_double_eq (tfrc_receive_rate_on_report (&receive_rate, 0,
                           1500 * MS),
      2000.0);
  packet (1000, 1500 * MS);
  ck_assert_double_eq (tfrc_receive_rate_on_report (&receive_rate, 0,
                           1500 * MS),
      2000.0);
}

END_TEST
/* Ten packets of each size; with the mean size of those before or after them, the
 * largest rate would be a different number of packets. */
START_TEST (the_largest_rate_keeps_the_size_of_its_packets)
{
  static const uint32_t sizes[] = { 200, 1200, 300 };
  TfrcTime now = 1000 * MS;

  setup ();
  ck_assert_double_eq (receive_rate.largest.size, 0.0);
  packet (200, now);
  tfrc_receive_rate_on_report (&receive_rate, 0, now);
  for (unsigned i = 0; i < 3; i++) {
    for (unsigned j = 0; j < 10; j++)
      packet (sizes[i], now += 10 * MS);
    tfrc_receive_rate_on_report (&receive_rate, RTT, now);
    ck_assert_double_eq (receive_rate.largest.size, i == 0 ? 200.0 : 1200.0);
  }
}

END_TEST
/* X_recv covers a whole RTT: 1 packet after the last report, and 10 of another size
 * before it. */
START_TEST (the_size_at_an_early_report_is_of_more_than_the_last_packets)
{
  setup ();
  packet (1000, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1000 * MS);
  for (TfrcTime t = 1010 * MS; t <= 1100 * MS; t += 10 * MS)
    packet (1200, t);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1100 * MS);
  packet (2400, 1110 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1110 * MS);
  ck_assert_double_eq_tol (receive_rate.largest.size, 14400.0 / 11.0, 1e-9);
}

END_TEST
START_TEST (any_packet_rate_fits_into_the_log)
{
  setup ();
  packet (1, 1000 * MS);
  tfrc_receive_rate_on_report (&receive_rate, RTT, 1000 * MS);
  /* A million packets per second for 0.3 s, reported early, after 50 ms: an entry
   * shared by packets at the edge is at most R / 1024 wide. */
  for (TfrcTime t = 1000 * MS; t <= 1300 * MS; t += TFRC_MICROSECOND)
    packet (100, t);
  receive_rate.begin_at = 1250 * MS;
  ck_assert_double_eq_tol (tfrc_receive_rate_on_report (&receive_rate, RTT,
                               1300 * MS),
      1e8, 1e8 * 0.001);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-receive-rate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, first_report_says_zero);
  tcase_add_test (tcase, measures_the_last_rtt);
  tcase_add_test (tcase, an_early_report_still_covers_a_whole_rtt);
  tcase_add_test (tcase, a_longer_interval_is_measured_whole);
  tcase_add_test (tcase, at_least_the_newest_packet_counts);
  tcase_add_test (tcase, the_largest_rate_is_kept);
  tcase_add_test (tcase, a_burst_of_long_ago_is_no_receive_rate);
  tcase_add_test (tcase, a_burst_counts_for_eight_rtts);
  tcase_add_test (tcase, a_silence_is_no_period);
  tcase_add_test (tcase, without_an_rtt_there_is_no_maximum);
  tcase_add_test (tcase, two_packets_at_one_instant_measure_nothing);
  tcase_add_test (tcase, the_largest_rate_keeps_the_size_of_its_packets);
  tcase_add_test (tcase,
      the_size_at_an_early_report_is_of_more_than_the_last_packets);
  tcase_add_test (tcase, any_packet_rate_fits_into_the_log);
  return run_check_suite (suite);
}
