/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's rate from its timestamps. */
#include <check.h>

#include "check-suite.h"
#include "tfmcc/round.h"

#define SPAN (500 * MS)

static TfmccSendingRate rate;

static void
setup (void)
{
  rate = (TfmccSendingRate) { 0 };
}

START_TEST (not_known_before_two_packets)
{
  ck_assert_uint_eq (tfmcc_sending_rate_get_interval (&rate), 0);
  tfmcc_sending_rate_on_packet (&rate, 0xFFFFFFF0, 1, SPAN);
  ck_assert_uint_eq (tfmcc_sending_rate_get_interval (&rate), 0);
  /* 32 us later, across the wrap. */
  tfmcc_sending_rate_on_packet (&rate, 0x10, 2, SPAN);
  ck_assert_uint_eq (tfmcc_sending_rate_get_interval (&rate), 32000);
}

END_TEST
START_TEST (lost_packets_count)
{
  /* Every second packet, 10 ms apart, is lost. */
  for (uint32_t i = 1; i <= 200; i++)
    tfmcc_sending_rate_on_packet (&rate, 20000 * i, 2 * i, SPAN);
  ck_assert_uint_eq (tfmcc_sending_rate_get_interval (&rate), 10 * MS);
}

END_TEST
START_TEST (a_change_is_seen_within_two_spans)
{
  uint32_t now_us = 0;
  TfrcSeq position = 0;

  while (position < 1000)
    tfmcc_sending_rate_on_packet (&rate, now_us += 10000, ++position, SPAN);
  ck_assert_uint_eq (tfmcc_sending_rate_get_interval (&rate), 10 * MS);
  for (unsigned i = 0; i < 2 * 500 / 5; i++)
    tfmcc_sending_rate_on_packet (&rate, now_us += 5000, ++position, SPAN);
  ck_assert_uint_eq (tfmcc_sending_rate_get_interval (&rate), 5 * MS);
}

END_TEST
START_TEST (another_clock_begins_anew)
{
  tfmcc_sending_rate_on_packet (&rate, 1000000, 1, SPAN);
  tfmcc_sending_rate_on_packet (&rate, 1010000, 2, SPAN);
  tfmcc_sending_rate_on_packet (&rate, 500, 3, SPAN);
  ck_assert_uint_eq (tfmcc_sending_rate_get_interval (&rate), 0);
  tfmcc_sending_rate_on_packet (&rate, 7500, 4, SPAN);
  ck_assert_uint_eq (tfmcc_sending_rate_get_interval (&rate), 7 * MS);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-sending-rate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, not_known_before_two_packets);
  tcase_add_test (tcase, lost_packets_count);
  tcase_add_test (tcase, a_change_is_seen_within_two_spans);
  tcase_add_test (tcase, another_clock_begins_anew);
  return run_check_suite (suite);
}
