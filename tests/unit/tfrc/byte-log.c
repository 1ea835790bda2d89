/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes over time. */
#include <check.h>

#include "check-suite.h"
#include "tfrc/byte-log.h"

static TfrcByteLog byte_log;

START_TEST (counts_what_lies_between)
{
  tfrc_byte_log_init (&byte_log);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 0, 100 * MS), 0);

  tfrc_byte_log_add (&byte_log, 100, 0, 10 * MS);
  tfrc_byte_log_add (&byte_log, 20, 0, 20 * MS);
  tfrc_byte_log_add (&byte_log, 3, 0, 30 * MS);
  ck_assert_uint_eq (byte_log.bytes, 123);
  ck_assert_uint_eq (byte_log.packets, 3);

  /* (from, to]: the later end is included. */
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 0, 9 * MS), 0);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 0, 10 * MS), 100);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 10 * MS, 20 * MS), 20);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 9 * MS, 29 * MS), 120);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 0, 99 * MS), 123);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 30 * MS, 99 * MS), 0);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 20 * MS, 20 * MS), 0);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 20 * MS, 10 * MS), 0);
}

END_TEST
START_TEST (close_packets_share_an_entry)
{
  tfrc_byte_log_init (&byte_log);
  for (uint64_t i = 0; i <= 10; i++)
    tfrc_byte_log_add (&byte_log, 1, 5 * MS, i * MS);
  /* 0-5 ms, 6-10 ms. */
  ck_assert_uint_eq (byte_log.length, 2);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 5 * MS, 6 * MS), 5);
  /* Adjacent intervals count each packet once. */
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 0, 7 * MS)
          + tfrc_byte_log_between (&byte_log, 7 * MS, 99 * MS),
      5);
  ck_assert_uint_eq (byte_log.bytes, 11);
}

END_TEST
START_TEST (the_oldest_make_room)
{
  const uint64_t n = TFRC_BYTE_LOG_LENGTH + 100;

  tfrc_byte_log_init (&byte_log);
  for (uint64_t i = 1; i <= n; i++)
    tfrc_byte_log_add (&byte_log, 10, 0, i * MS);
  ck_assert_uint_eq (byte_log.length, TFRC_BYTE_LOG_LENGTH);
  ck_assert_uint_eq (byte_log.bytes, 10 * n);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 0, n * MS),
      10 * TFRC_BYTE_LOG_LENGTH);
  /* Every window within the ring is exact. */
  for (uint64_t i = 0; i <= TFRC_BYTE_LOG_LENGTH; i++)
    ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, (n - i) * MS, n * MS),
        10 * i);
}

END_TEST
START_TEST (knows_when_packets_went_by)
{
  tfrc_byte_log_init (&byte_log);
  ck_assert (!tfrc_byte_log_covers (&byte_log, 0, TFRC_TIME_NONE));
  tfrc_byte_log_add (&byte_log, 1, 5 * MS, 100 * MS);
  tfrc_byte_log_add (&byte_log, 1, 5 * MS, 104 * MS);
  tfrc_byte_log_add (&byte_log, 1, 5 * MS, 200 * MS);
  ck_assert (tfrc_byte_log_covers (&byte_log, 100 * MS, 0));
  ck_assert (tfrc_byte_log_covers (&byte_log, 104 * MS, 0));
  ck_assert (!tfrc_byte_log_covers (&byte_log, 99 * MS, 0));
  ck_assert (tfrc_byte_log_covers (&byte_log, 99 * MS, MS));
  ck_assert (!tfrc_byte_log_covers (&byte_log, 106 * MS, MS));
  ck_assert (tfrc_byte_log_covers (&byte_log, 106 * MS, 2 * MS));
  ck_assert (tfrc_byte_log_covers (&byte_log, 201 * MS, MS));
  ck_assert (!tfrc_byte_log_covers (&byte_log, TFRC_TIME_NONE, MS));
}

END_TEST
START_TEST (time_never_runs_back)
{
  tfrc_byte_log_init (&byte_log);
  tfrc_byte_log_add (&byte_log, 1, 0, 20 * MS);
  tfrc_byte_log_add (&byte_log, 1, 0, 10 * MS);
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 10 * MS, 20 * MS), 2);
}

END_TEST
/* A packet every 10 us fills the ring in 41 ms.  Stretched, it reaches back 2 s,
 * and the last 4 ms are not merged; further back 1 ms holds 100 packets plus or
 * minus two. */
START_TEST (a_stretched_log_reaches_back_two_seconds)
{
  const TfrcDuration spacing = 10 * TFRC_MICROSECOND;
  TfrcTime now = 100 * MS;

  tfrc_byte_log_init (&byte_log);
  for (unsigned i = 0; i < 300000; i++, now += spacing) {
    tfrc_byte_log_stretch (&byte_log, 4 * MS, now);
    tfrc_byte_log_add (&byte_log, 100, 0, now);
  }
  now -= spacing;
  for (TfrcDuration age = 0; age < TFRC_BYTE_LOG_SPAN; age += 7 * spacing) {
    uint64_t bytes = tfrc_byte_log_between (&byte_log, now - age - MS,
        now - age);

    ck_assert (tfrc_byte_log_covers (&byte_log, now - age, 0));
    if (age <= 3 * MS) {
      ck_assert_uint_eq (bytes, 10000);
    } else {
      ck_assert_uint_ge (bytes, 9800);
      ck_assert_uint_le (bytes, 10200);
    }
  }
  ck_assert_uint_eq (byte_log.bytes, 30000000);
}

END_TEST
/* A second of packets, half a second of none, and half a second again. */
START_TEST (a_stretched_log_keeps_its_pauses)
{
  TfrcTime now = 0;

  tfrc_byte_log_init (&byte_log);
  for (unsigned i = 0; i < 15000; i++) {
    tfrc_byte_log_stretch (&byte_log, 4 * MS, now);
    tfrc_byte_log_add (&byte_log, 1, 0, now);
    now += i == 9999 ? 500 * MS : MS / 10;
  }
  ck_assert (tfrc_byte_log_covers (&byte_log, 999 * MS, 0));
  ck_assert (!tfrc_byte_log_covers (&byte_log, 1010 * MS, MS));
  ck_assert (!tfrc_byte_log_covers (&byte_log, 1490 * MS, MS));
  ck_assert (tfrc_byte_log_covers (&byte_log, 1501 * MS, 0));
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, 1010 * MS, 1490 * MS),
      0);
}

END_TEST
/* If each entry is as wide as its age allows, nothing can be merged: the oldest are
 * dropped, many at once. */
START_TEST (what_cannot_be_joined_makes_room)
{
  const uint64_t n = 3 * TFRC_BYTE_LOG_LENGTH;

  tfrc_byte_log_init (&byte_log);
  for (uint64_t i = 1; i <= n; i++) {
    tfrc_byte_log_stretch (&byte_log, TFRC_SECOND, i * MS / 10);
    tfrc_byte_log_add (&byte_log, 10, 0, i * MS / 10);
    if (i > TFRC_BYTE_LOG_LENGTH)
      ck_assert_uint_gt (byte_log.length, TFRC_BYTE_LOG_LENGTH * 3 / 4);
  }
  ck_assert_uint_eq (tfrc_byte_log_between (&byte_log, (n - 3000) * MS / 10,
                         n * MS / 10),
      30000);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-byte-log");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, counts_what_lies_between);
  tcase_add_test (tcase, close_packets_share_an_entry);
  tcase_add_test (tcase, the_oldest_make_room);
  tcase_add_test (tcase, knows_when_packets_went_by);
  tcase_add_test (tcase, time_never_runs_back);
  tcase_add_test (tcase, a_stretched_log_reaches_back_two_seconds);
  tcase_add_test (tcase, a_stretched_log_keeps_its_pauses);
  tcase_add_test (tcase, what_cannot_be_joined_makes_room);
  return run_check_suite (suite);
}
