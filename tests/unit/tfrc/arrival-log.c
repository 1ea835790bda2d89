/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the receiver of the sender-based variant keeps, and when it reports it. */
#include <check.h>
#include <string.h>

#include "base/rng.h"
#include "check-suite.h"
#include "tfrc/arrival-log.h"

#define SSRC 0x1111
#define SIZE 1000
#define REPORT 80 /* bytes on the wire */
#define LENGTH TFRC_ARRIVAL_LOG_LENGTH
#define CE 3

static TfrcArrivalLog arrivals;
static TfrcReportedPacket packets[8 * LENGTH];

static void
setup (void)
{
  TfrcArrivalLogConfig config = tfrc_arrival_log_config_default ();

  tfrc_arrival_log_init (&arrivals, &config);
}

static void
receive (uint16_t seq, TfrcTime now)
{
  tfrc_arrival_log_on_packet (&arrivals, SSRC, seq, SIZE, 0, now);
}

static size_t
peek (TfrcTime now)
{
  return tfrc_arrival_log_peek (&arrivals, packets,
      sizeof packets / sizeof packets[0], now);
}

/* Everything due goes into a report of REPORT bytes. */
static size_t
report (TfrcTime now)
{
  size_t n = peek (now);

  tfrc_arrival_log_on_reported (&arrivals, packets, n, REPORT, now);
  return n;
}

static void
expect (size_t i, uint16_t seq, uint16_t missing, TfrcDuration age)
{
  ck_assert_uint_eq (packets[i].ssrc, SSRC);
  ck_assert_uint_eq (packets[i].seq, seq);
  ck_assert_uint_eq (packets[i].missing, missing);
  ck_assert (packets[i].arrived);
  ck_assert (packets[i].has_time);
  ck_assert_uint_eq (packets[i].age, age);
}

START_TEST (tells_arrivals_holes_and_ages_over_the_wrap)
{
  receive (0xfffe, 10 * MS);
  receive (0xffff, 11 * MS);
  receive (2, 15 * MS);
  ck_assert_uint_eq (report (20 * MS), 3);
  expect (0, 0xfffe, 0, 10 * MS);
  expect (1, 0xffff, 0, 9 * MS);
  expect (2, 2, 2, 5 * MS);
  /* Only once. */
  ck_assert_uint_eq (peek (30 * MS), 0);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals),
      TFRC_TIME_NONE);
  /* What is missing between two reports is reported in the second. */
  receive (4, 40 * MS);
  ck_assert_uint_eq (report (50 * MS), 1);
  expect (0, 4, 1, 10 * MS);
}

END_TEST
/* 81 arrives after 82 and after the report: everything from it on is reported
 * again. */
START_TEST (a_late_packet_is_told_with_those_behind_it)
{
  receive (80, 10 * MS);
  receive (82, 11 * MS);
  report (20 * MS);
  receive (81, 30 * MS);
  receive (83, 31 * MS);
  ck_assert_uint_eq (report (80 * MS), 3);
  expect (0, 81, 0, 50 * MS);
  expect (1, 82, 0, 69 * MS);
  expect (2, 83, 0, 49 * MS);
}

END_TEST
/* RFC 8888 section 3.1: the arrival time of the first copy, and the mark of any
 * copy. */
START_TEST (of_copies_the_first_counts_and_any_mark)
{
  receive (5, 10 * MS);
  receive (5, 12 * MS);
  ck_assert_uint_eq (report (20 * MS), 1);
  expect (0, 5, 0, 10 * MS);
  ck_assert_uint_eq (packets[0].ecn, 0);
  receive (5, 22 * MS);
  ck_assert_uint_eq (peek (25 * MS), 0);
  tfrc_arrival_log_on_packet (&arrivals, SSRC, 5, SIZE, CE, 24 * MS);
  ck_assert_uint_eq (report (30 * MS), 1);
  expect (0, 5, 0, 20 * MS);
  ck_assert_uint_eq (packets[0].ecn, CE);
}

END_TEST
/* The first report is due at once; later ones 50 ms apart, if 5 % of the bytes
 * received since cover the size of the last one: 80 are 5 % of 1600, two packets. */
START_TEST (reports_within_their_share)
{
  receive (1, 1000 * MS);
  ck_assert_uint_le (tfrc_arrival_log_next_deadline (&arrivals), 1000 * MS);
  report (1000 * MS);
  receive (2, 1010 * MS);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals), 1250 * MS);
  receive (3, 1020 * MS);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals), 1050 * MS);
  report (1050 * MS);
  /* After a pause at once: the deadline has long passed. */
  receive (4, 9000 * MS);
  ck_assert_uint_le (tfrc_arrival_log_next_deadline (&arrivals), 9000 * MS);
}

END_TEST
START_TEST (without_a_share_the_interval_holds)
{
  arrivals.config.share = 0.0;
  arrivals.config.interval = 300 * MS;
  receive (1, 1000 * MS);
  report (1000 * MS);
  receive (2, 1010 * MS);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals), 1300 * MS);
  /* With a share, too, it is the shortest interval. */
  arrivals.config.share = 0.05;
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals), 1300 * MS);
}

END_TEST
/* Half of what is kept is due at once.  If more than is kept arrives, the oldest
 * packets are left out of the report, not reported as missing. */
START_TEST (a_flood_is_due_at_once_and_loses_its_oldest)
{
  for (uint16_t seq = 0; seq < LENGTH / 2 + 1; seq++)
    receive (seq, 10 * MS);
  report (10 * MS);
  for (uint16_t seq = LENGTH / 2 + 1; seq < LENGTH; seq++)
    receive (seq, 11 * MS);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals), 60 * MS);
  receive (LENGTH, 11 * MS);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals), 0);
  for (uint16_t seq = LENGTH + 1; seq < 3 * LENGTH; seq++)
    receive (seq, 12 * MS);
  ck_assert_uint_eq (report (20 * MS), LENGTH);
  for (uint16_t i = 0; i < LENGTH; i++)
    expect (i, (uint16_t) (2 * LENGTH + i), 0, 8 * MS);
}

END_TEST
/* At one packet per ms every second one is 300 ms late.  Reports stay 50 ms apart;
 * there is no extra one for each late packet. */
START_TEST (late_packets_cause_no_more_reports)
{
  uint32_t n_reports = 0;

  for (uint16_t i = 0; i < 2000; i++) {
    TfrcTime now = (1000u + i) * MS;

    if (i % 2 == 0)
      receive (i, now);
    else if (i > 300)
      receive ((uint16_t) (i - 300), now);
    while (tfrc_arrival_log_next_deadline (&arrivals) <= now) {
      report (now);
      n_reports++;
    }
  }
  ck_assert_uint_eq (n_reports, 2000 / 50);
}

END_TEST
/* A part of what is due goes into one report; the rest stays due. */
START_TEST (what_has_no_room_goes_into_the_next)
{
  for (uint16_t seq = 0; seq < 10; seq++)
    receive (seq, 10 * MS);
  ck_assert_uint_eq (peek (20 * MS), 10);
  tfrc_arrival_log_on_reported (&arrivals, packets, 4, REPORT, 20 * MS);
  ck_assert_uint_le (tfrc_arrival_log_next_deadline (&arrivals), 20 * MS);
  ck_assert_uint_eq (peek (20 * MS), 6);
  expect (0, 4, 0, 10 * MS);
  tfrc_arrival_log_on_reported (&arrivals, packets, 6, REPORT, 20 * MS);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals),
      TFRC_TIME_NONE);
  /* Both reports count: 160 bytes are 5 % of 3200. */
  for (uint16_t seq = 10; seq < 13; seq++)
    receive (seq, 30 * MS);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals), 270 * MS);
  receive (13, 30 * MS);
  ck_assert_uint_eq (tfrc_arrival_log_next_deadline (&arrivals), 70 * MS);
}

END_TEST
/* Alone it is an old duplicate; two in a row are a sender that restarted. */
START_TEST (one_stray_number_changes_nothing)
{
  receive (1000, 10 * MS);
  receive (40000, 11 * MS);
  receive (1001, 12 * MS);
  ck_assert_uint_eq (report (20 * MS), 2);
  expect (1, 1001, 0, 8 * MS);
  receive (40000, 31 * MS);
  receive (40001, 32 * MS);
  receive (40003, 33 * MS);
  ck_assert_uint_eq (report (40 * MS), 2);
  expect (0, 40001, 0, 8 * MS);
  expect (1, 40003, 1, 7 * MS);
}

END_TEST
/* Half a second after its last packet a stream loses its place: of 1 to 8 the
 * second, as 1 sent again. */
START_TEST (streams_are_apart_and_the_silent_one_makes_room)
{
  for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS; ssrc++)
    tfrc_arrival_log_on_packet (&arrivals, ssrc, 7, SIZE, 0, ssrc * MS);
  tfrc_arrival_log_on_packet (&arrivals, 1, 8, SIZE, 0, 20 * MS);
  tfrc_arrival_log_on_packet (&arrivals, 98, 3, SIZE, 0, 501 * MS);
  tfrc_arrival_log_on_packet (&arrivals, 99, 3, SIZE, 0, 502 * MS);
  ck_assert_uint_eq (report (510 * MS), TFRC_MAX_STREAMS + 1);
  ck_assert_uint_eq (packets[0].ssrc, 1);
  ck_assert_uint_eq (packets[1].ssrc, 1);
  ck_assert_uint_eq (packets[2].ssrc, 99);
  ck_assert_uint_eq (packets[3].ssrc, 3);
}

END_TEST
/* All streams send: the first ones keep their places, and all of their packets are
 * reported.  Otherwise each packet would displace others not yet reported. */
START_TEST (too_many_streams_leave_the_first_ones_reported)
{
  const size_t n_packets = 20;

  for (uint16_t seq = 0; seq < n_packets; seq++) {
    for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS + 2; ssrc++)
      tfrc_arrival_log_on_packet (&arrivals, ssrc, seq, SIZE, 0, seq * MS);
  }
  ck_assert_uint_eq (report (20 * MS), n_packets * TFRC_MAX_STREAMS);
  for (size_t i = 0; i < n_packets * TFRC_MAX_STREAMS; i++) {
    ck_assert_uint_eq (packets[i].ssrc, 1 + i / n_packets);
    ck_assert_uint_eq (packets[i].seq, i % n_packets);
  }
}

END_TEST
/* Any order, duplicates, losses and restarts: each arrival that is kept is reported
 * as such, no other packet is, and reports follow each other without a gap. */
START_TEST (any_input_is_told_truly)
{
  static bool came[65536];
  TfrcTime now = TFRC_SECOND;
  bool truly = true;
  uint16_t seq = 0;
  TfrcRng rng;

  memset (came, 0, sizeof came);
  tfrc_rng_init (&rng, (uint64_t) _i + 1, 0);
  for (int i = 0; i < 20000; i++) {
    uint32_t r = tfrc_rng_next (&rng);
    uint16_t back = (uint16_t) (r % 8 == 0 ? (r >> 8) % 100 : 0);

    seq = (uint16_t) (seq + (r % 50 == 0 ? (r >> 16) % 40 : 1));
    now += (r >> 4) % MS;
    came[(uint16_t) (seq - back)] = true;
    for (uint16_t m = 0; m < 50; m++)
      came[(uint16_t) (seq + 30000 + m)] = false;
    receive ((uint16_t) (seq - back), now);
    while (tfrc_arrival_log_next_deadline (&arrivals) <= now) {
      size_t n = peek (now);

      ck_assert_uint_gt (n, 0);
      for (size_t k = 0; k < n; k++) {
        truly &= came[packets[k].seq]
            && (k == 0
                || (uint16_t) (packets[k].seq - packets[k].missing)
                    == (uint16_t) (packets[k - 1].seq + 1));
        for (uint16_t m = 1; m <= packets[k].missing; m++)
          truly &= !came[(uint16_t) (packets[k].seq - m)];
      }
      ck_assert (truly);
      n = 1 + tfrc_rng_next (&rng) % n;
      tfrc_arrival_log_on_reported (&arrivals, packets, n, REPORT, now);
    }
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-arrival-log");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, tells_arrivals_holes_and_ages_over_the_wrap);
  tcase_add_test (tcase, a_late_packet_is_told_with_those_behind_it);
  tcase_add_test (tcase, of_copies_the_first_counts_and_any_mark);
  tcase_add_test (tcase, reports_within_their_share);
  tcase_add_test (tcase, without_a_share_the_interval_holds);
  tcase_add_test (tcase, a_flood_is_due_at_once_and_loses_its_oldest);
  tcase_add_test (tcase, late_packets_cause_no_more_reports);
  tcase_add_test (tcase, what_has_no_room_goes_into_the_next);
  tcase_add_test (tcase, one_stray_number_changes_nothing);
  tcase_add_test (tcase, streams_are_apart_and_the_silent_one_makes_room);
  tcase_add_test (tcase, too_many_streams_leave_the_first_ones_reported);
  tcase_add_loop_test (tcase, any_input_is_told_truly, 0, 3);
  suite_add_tcase (suite, tcase);
  return run_check_suite (suite);
}
