/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Initiation and fallback of RFC 6679 section 7.  Reports come every 100 ms, the
 * step of the clock in these tests. */
#include <check.h>

#include "check-suite.h"
#include "base/units.h"
#include "rtp/ecn.h"

#define STEP (100 * TFRC_MILLISECOND)

static TfrcEcnCheck check;
static TfrcEcnSummary summary;
static TfrcTime now;

static void
set_up (void)
{
  tfrc_ecn_check_init (&check, TFRC_ECN_ECT_0);
  summary = (TfrcEcnSummary) { .media_ssrc = 7 };
  now = TFRC_SECOND;
}

/* Packets are sent; no report arrives. */
static void
send_for (TfrcDuration duration)
{
  TfrcTime end = now + duration;

  for (; now < end; now += STEP) {
    tfrc_ecn_check_on_sent (&check, now);
    tfrc_ecn_check_on_deadline (&check, now);
  }
}

/* A report each step, without a summary. */
static void
report_for (TfrcDuration duration)
{
  TfrcTime end = now + duration;

  for (; now < end; now += STEP) {
    tfrc_ecn_check_on_sent (&check, now);
    tfrc_ecn_check_on_feedback (&check, now);
    tfrc_ecn_check_on_deadline (&check, now);
  }
}

static void
arrive (uint32_t ect_0, uint32_t ce, uint32_t not_ect)
{
  summary.ect_0 += ect_0;
  summary.ce = (uint16_t) (summary.ce + ce);
  summary.not_ect = (uint16_t) (summary.not_ect + not_ect);
  tfrc_ecn_check_on_summary (&check, &summary);
  tfrc_ecn_check_on_feedback (&check, now);
}

START_TEST (nothing_is_ect_unless_wanted)
{
  tfrc_ecn_check_init (&check, TFRC_ECN_NOT_ECT);
  ck_assert (!tfrc_ecn_check_get_ect (&check));
  send_for (10 * TFRC_SECOND);
  arrive (10, 0, 0);
  ck_assert_int_eq (check.state, TFRC_ECN_OFF);
}

END_TEST
START_TEST (packets_that_arrive_as_ect_prove_it)
{
  ck_assert (tfrc_ecn_check_get_ect (&check));
  arrive (0, 1, 0);
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
  arrive (40, 2, 3);
  ck_assert_uint_eq (check.ect_0, 40);
  ck_assert_uint_eq (check.ce, 3);
  ck_assert_uint_eq (check.not_ect, 3);
}

END_TEST
/* 10 intervals of 500 ms without a summary: the reports from 1.0 to 5.9 s are not
 * enough, the one at 6.0 s is. */
START_TEST (a_receiver_that_tells_nothing_ends_it)
{
  report_for (TFRC_ECN_UNREPORTED_TIME);
  ck_assert_int_eq (check.state, TFRC_ECN_TESTING);
  report_for (STEP);
  ck_assert_int_eq (check.state, TFRC_ECN_FAILED);
  ck_assert_int_eq (check.failure, TFRC_ECN_FAILURE_UNREPORTED);
  ck_assert (!tfrc_ecn_check_get_ect (&check));
  arrive (10, 0, 0);
  ck_assert_int_eq (check.state, TFRC_ECN_FAILED);
}

END_TEST
/* For instance because another receiver took over. */
START_TEST (a_receiver_that_stops_telling_ends_it)
{
  arrive (10, 0, 0);
  report_for (TFRC_ECN_UNREPORTED_TIME - STEP);
  arrive (10, 0, 0);
  report_for (TFRC_ECN_UNREPORTED_TIME - STEP);
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
  report_for (2 * STEP);
  ck_assert_int_eq (check.failure, TFRC_ECN_FAILURE_UNREPORTED);
}

END_TEST
/* Reports are rare: seven in 12 s are no proof. */
START_TEST (few_reports_are_no_proof)
{
  int i;

  for (i = 0; i < TFRC_ECN_UNREPORTED_REPORTS - 1; i++) {
    tfrc_ecn_check_on_feedback (&check, now);
    now += 2 * TFRC_SECOND;
  }
  ck_assert_int_eq (check.state, TFRC_ECN_TESTING);
  tfrc_ecn_check_on_feedback (&check, now);
  ck_assert_int_eq (check.state, TFRC_ECN_FAILED);
}

END_TEST
/* A path that clears the bits (RFC 6679 section 7.4). */
START_TEST (bleached_packets_end_it)
{
  arrive (0, 0, 20);
  arrive (0, 0, 20);
  ck_assert_int_eq (check.state, TFRC_ECN_TESTING);
  arrive (0, 0, 20);
  ck_assert_int_eq (check.state, TFRC_ECN_FAILED);
  ck_assert_int_eq (check.failure, TFRC_ECN_FAILURE_BLEACHED);
}

END_TEST
START_TEST (ect_1_is_not_what_was_sent)
{
  for (int i = 0; i < TFRC_ECN_BLEACHED_SUMMARIES; i++) {
    summary.ect_1 += 20;
    arrive (0, 0, 0);
  }
  ck_assert_int_eq (check.failure, TFRC_ECN_FAILURE_BLEACHED);
}

END_TEST
/* L4S sends ECT(1); if ECT(0) arrives, the path has changed it. */
START_TEST (ect_1_is_proved_by_ect_1_alone)
{
  tfrc_ecn_check_init (&check, TFRC_ECN_ECT_1);
  ck_assert_int_eq (tfrc_ecn_check_get_ect (&check), TFRC_ECN_ECT_1);
  summary.ect_1 += 20;
  arrive (0, 0, 0);
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
  for (int i = 0; i < TFRC_ECN_BLEACHED_SUMMARIES; i++)
    arrive (20, 0, 0);
  ck_assert_int_eq (check.failure, TFRC_ECN_FAILURE_BLEACHED);
  ck_assert_int_eq (tfrc_ecn_check_get_ect (&check), TFRC_ECN_NOT_ECT);
}

END_TEST
/* For 2 s; a packet that is not marked restarts the count.  With RFC 3168 marks
 * count as losses, which bound the flow. */
START_TEST (marks_on_every_packet_end_ect_1)
{
  for (int l4s = 0; l4s < 2; l4s++) {
    tfrc_ecn_check_init (&check, l4s ? TFRC_ECN_ECT_1 : TFRC_ECN_ECT_0);
    for (int i = 0; i < 40; i++, now += STEP) {
      summary.ect_1 += l4s && i == 19;
      arrive (0, i == 19 ? 9 : 10, 0);
    }
    ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
    arrive (0, 10, 0);
    ck_assert_int_eq (check.state, l4s ? TFRC_ECN_FAILED : TFRC_ECN_WORKING);
  }
  ck_assert_int_eq (check.failure, TFRC_ECN_FAILURE_MARKED);
  ck_assert_int_eq (tfrc_ecn_check_get_ect (&check), TFRC_ECN_NOT_ECT);
}

END_TEST
START_TEST (a_few_marked_packets_do_not_end_ect_1)
{
  tfrc_ecn_check_init (&check, TFRC_ECN_ECT_1);
  arrive (0, TFRC_ECN_MARKED_PACKETS - 1, 0);
  for (int i = 0; i < 40; i++, now += STEP)
    arrive (0, 0, 0);
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
}

END_TEST
/* Nine packets are too few, and those of a single bleached summary may have been
 * sent earlier. */
START_TEST (a_few_bleached_packets_do_not_end_it)
{
  arrive (50, 0, 0);
  for (int i = 0; i < 10; i++)
    arrive (0, 0, TFRC_ECN_BLEACHED_PACKETS - 1);
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
  for (int i = 0; i < 10; i++) {
    arrive (0, 0, 20);
    arrive (0, 0, 20);
    arrive (1, 0, 20);
  }
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
}

END_TEST
/* No receiver for a minute, then one that supports ECN. */
START_TEST (silence_waits_without_ect)
{
  send_for (TFRC_ECN_TIMEOUT);
  ck_assert (tfrc_ecn_check_get_ect (&check));
  send_for (60 * TFRC_SECOND);
  ck_assert_int_eq (check.state, TFRC_ECN_WAITING);
  ck_assert (!tfrc_ecn_check_get_ect (&check));
  /* Packets that arrived until then were not ECT; they do not count as bleached. */
  arrive (0, 0, 200);
  ck_assert_int_eq (check.state, TFRC_ECN_TESTING);
  arrive (0, 0, 20);
  arrive (20, 0, 0);
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
}

END_TEST
START_TEST (outages_do_not_end_it)
{
  int i;

  for (i = 0; i < 5; i++) {
    arrive (20, 0, 0);
    ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
    send_for (30 * TFRC_SECOND);
    ck_assert_int_eq (check.state, TFRC_ECN_WAITING);
    arrive (0, 0, 5);
  }
}

END_TEST
/* A path that drops every ECT packet: without ECT reports arrive, with ECT they
 * stop. */
START_TEST (a_path_that_blocks_ect_ends_it)
{
  send_for (TFRC_ECN_TIMEOUT + STEP);
  ck_assert_int_eq (check.state, TFRC_ECN_WAITING);
  arrive (0, 0, 5);
  ck_assert_int_eq (check.state, TFRC_ECN_TESTING);
  send_for (TFRC_ECN_TIMEOUT + STEP);
  ck_assert_int_eq (check.state, TFRC_ECN_FAILED);
  ck_assert_int_eq (check.failure, TFRC_ECN_FAILURE_BLOCKED);
}

END_TEST
START_TEST (a_sender_that_sends_nothing_waits_for_nothing)
{
  tfrc_ecn_check_on_feedback (&check, now);
  tfrc_ecn_check_on_deadline (&check, now + 100 * TFRC_SECOND);
  ck_assert_int_eq (check.state, TFRC_ECN_TESTING);
}

END_TEST
/* RFC 6679 section 5.2: the counters of CE and not-ECT have 16 bits. */
START_TEST (counters_wrap)
{
  summary.ect_0 = UINT32_MAX;
  summary.ce = 65535;
  tfrc_ecn_check_on_summary (&check, &summary);
  arrive (3, 2, 0);
  ck_assert_uint_eq (check.ect_0, (uint64_t) UINT32_MAX + 3);
  ck_assert_uint_eq (check.ce, 65537);
}

END_TEST
START_TEST (a_restarted_receiver_begins_at_nought)
{
  arrive (1000, 10, 0);
  summary.ect_0 = 5;
  summary.ce = 1;
  tfrc_ecn_check_on_summary (&check, &summary);
  ck_assert_uint_eq (check.ect_0, 1005);
  ck_assert_uint_eq (check.ce, 11);
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
}

END_TEST
/* Five pairs, one after the other; then the path clears the bits of the last: three
 * bleached summaries make it fail. */
START_TEST (the_tenth_stream_does_not_hide_bleaching)
{
  TfrcEcnSummary pair[2];

  for (uint32_t n = 0; n < 5; n++) {
    pair[0] = (TfrcEcnSummary) { .media_ssrc = 2 * n + 1 };
    pair[1] = (TfrcEcnSummary) { .media_ssrc = 2 * n + 2 };
    for (unsigned i = 0; i < 20; i++) {
      summary = pair[i % 2];
      arrive (50, 0, 0);
      pair[i % 2] = summary;
    }
  }
  ck_assert_uint_eq (check.ect_0, 5 * 20 * 50);
  ck_assert_int_eq (check.state, TFRC_ECN_WORKING);
  for (unsigned i = 0; i < TFRC_ECN_BLEACHED_SUMMARIES; i++) {
    summary = pair[i % 2];
    arrive (0, 0, 50);
    pair[i % 2] = summary;
  }
  ck_assert_int_eq (check.state, TFRC_ECN_FAILED);
  ck_assert_int_eq (check.failure, TFRC_ECN_FAILURE_BLEACHED);
}

END_TEST
/* More live streams than there are places: those that have one keep it, and no
 * packet counts twice. */
START_TEST (more_streams_than_there_is_room_for_do_no_harm)
{
  TfrcEcnSummary all[TFRC_MAX_STREAMS + 2] = { 0 };

  for (unsigned n = 0; n < 10; n++)
    for (uint32_t i = 0; i < TFRC_MAX_STREAMS + 2; i++) {
      summary = all[i];
      summary.media_ssrc = i + 1;
      arrive (10, 0, 0);
      all[i] = summary;
    }
  ck_assert_uint_eq (check.ect_0, 10 * 10 * TFRC_MAX_STREAMS);
  ck_assert_uint_eq (check.n_seen, TFRC_MAX_STREAMS);
}

END_TEST
/* A stream that ended has no further summaries, while the others have two each. */
START_TEST (a_stream_that_ended_makes_room)
{
  for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS; ssrc++) {
    summary = (TfrcEcnSummary) { .media_ssrc = ssrc };
    arrive (10, 0, 0);
  }
  for (uint32_t n = 0; n < 2 * TFRC_MAX_STREAMS; n++) {
    summary = (TfrcEcnSummary) { .media_ssrc = TFRC_MAX_STREAMS, .ect_0 = 10 };
    arrive (0, 0, 0);
  }
  summary = (TfrcEcnSummary) { .media_ssrc = TFRC_MAX_STREAMS + 1 };
  arrive (10, 0, 0);
  ck_assert_uint_eq (check.ect_0, 10 * (TFRC_MAX_STREAMS + 1));
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-ecn-check");
  TCase *tc = tcase_create ("states");

  tcase_add_checked_fixture (tc, set_up, NULL);
  tcase_add_test (tc, nothing_is_ect_unless_wanted);
  tcase_add_test (tc, packets_that_arrive_as_ect_prove_it);
  tcase_add_test (tc, a_receiver_that_tells_nothing_ends_it);
  tcase_add_test (tc, a_receiver_that_stops_telling_ends_it);
  tcase_add_test (tc, few_reports_are_no_proof);
  tcase_add_test (tc, bleached_packets_end_it);
  tcase_add_test (tc, ect_1_is_not_what_was_sent);
  tcase_add_test (tc, ect_1_is_proved_by_ect_1_alone);
  tcase_add_test (tc, marks_on_every_packet_end_ect_1);
  tcase_add_test (tc, a_few_marked_packets_do_not_end_ect_1);
  tcase_add_test (tc, a_few_bleached_packets_do_not_end_it);
  tcase_add_test (tc, silence_waits_without_ect);
  tcase_add_test (tc, outages_do_not_end_it);
  tcase_add_test (tc, a_path_that_blocks_ect_ends_it);
  tcase_add_test (tc, a_sender_that_sends_nothing_waits_for_nothing);
  tcase_add_test (tc, counters_wrap);
  tcase_add_test (tc, a_restarted_receiver_begins_at_nought);
  tcase_add_test (tc, the_tenth_stream_does_not_hide_bleaching);
  tcase_add_test (tc, more_streams_than_there_is_room_for_do_no_harm);
  tcase_add_test (tc, a_stream_that_ended_makes_room);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
