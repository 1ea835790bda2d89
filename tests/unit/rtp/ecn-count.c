/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of RFC 6679 section 5.2. */
#include <check.h>

#include "check-suite.h"
#include "base/units.h"
#include "rtp/ecn.h"

#define SSRC 0xCAFE

static TfrcEcnCount count;
static TfrcEcnSummary told[TFRC_ECN_MAX_STREAMS];

static void
set_up (void)
{
  count = (TfrcEcnCount) { 0 };
}

static void
receive (uint32_t ssrc, uint16_t seq, TfrcEcnCodepoint ecn)
{
  tfrc_ecn_count_on_packet (&count, ssrc, seq, ecn, false);
}

/* As if n more packets had arrived, one after the other; returns the number of the
 * last. */
static uint16_t
come (uint32_t n)
{
  TfrcEcnStream *stream = &count.streams[0];

  stream->summary.ect_0 += n;
  stream->received += n;
  stream->seq.highest += n;
  return (uint16_t) stream->seq.highest;
}

START_TEST (counts_each_codepoint)
{
  receive (SSRC, 1, TFRC_ECN_ECT_0);
  receive (SSRC, 2, TFRC_ECN_ECT_0);
  receive (SSRC, 3, TFRC_ECN_ECT_0);
  receive (SSRC, 4, TFRC_ECN_ECT_1);
  receive (SSRC, 5, TFRC_ECN_CE);
  receive (SSRC, 6, TFRC_ECN_CE);
  receive (SSRC, 7, TFRC_ECN_NOT_ECT);

  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, TFRC_SECOND), 1);
  ck_assert_uint_eq (told[0].media_ssrc, SSRC);
  ck_assert_uint_eq (told[0].ect_0, 3);
  ck_assert_uint_eq (told[0].ect_1, 1);
  ck_assert_uint_eq (told[0].ce, 2);
  ck_assert_uint_eq (told[0].not_ect, 1);
  ck_assert_uint_eq (told[0].lost, 0);
  ck_assert_uint_eq (count.received[TFRC_ECN_ECT_0], 3);
  ck_assert_uint_eq (count.received[TFRC_ECN_CE], 2);
}

END_TEST
/* 65534, 65535, 1, 3, and 65535 again: 6 numbers, of which 4 arrived, once across
 * the wrap. */
START_TEST (lost_is_expected_less_received)
{
  receive (SSRC, 65534, TFRC_ECN_ECT_0);
  receive (SSRC, 65535, TFRC_ECN_ECT_0);
  receive (SSRC, 1, TFRC_ECN_ECT_0);
  receive (SSRC, 3, TFRC_ECN_ECT_0);
  tfrc_ecn_count_on_packet (&count, SSRC, 65535, TFRC_ECN_ECT_0, true);

  tfrc_ecn_count_poll (&count, told, TFRC_SECOND);
  ck_assert_uint_eq (told[0].ect_0, 5);
  ck_assert_uint_eq (told[0].duplicates, 1);
  ck_assert_uint_eq (told[0].lost, 2);
}

END_TEST
/* The first packet to arrive need not be the first that was sent. */
START_TEST (packets_in_front_of_the_first_are_not_lost)
{
  receive (SSRC, 10, TFRC_ECN_ECT_0);
  receive (SSRC, 8, TFRC_ECN_ECT_0);
  receive (SSRC, 9, TFRC_ECN_ECT_0);
  tfrc_ecn_count_poll (&count, told, TFRC_SECOND);
  ck_assert_uint_eq (told[0].lost, 0);
}

END_TEST
/* One packet arrives from before the first, so that one more is received than
 * expected; before the counters on the wire wrap, and after. */
START_TEST (losses_count_on_when_the_counters_have_wrapped)
{
  uint16_t seq;

  receive (SSRC, 10, TFRC_ECN_ECT_0);
  receive (SSRC, 9, TFRC_ECN_ECT_0);
  seq = come (UINT32_MAX - 4);
  for (unsigned i = 0; i < 10; i++) {
    ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, i * TFRC_SECOND), 1);
    ck_assert_uint_eq (told[0].ect_0, (uint32_t) (UINT32_MAX - 2 + i));
    ck_assert_uint_eq (told[0].lost, 0);
    receive (SSRC, ++seq, TFRC_ECN_ECT_0);
  }
  /* Three are missing. */
  receive (SSRC, (uint16_t) (seq + 4), TFRC_ECN_ECT_0);
  tfrc_ecn_count_poll (&count, told, 60 * TFRC_SECOND);
  ck_assert_uint_eq (told[0].lost, 2);
}

END_TEST
START_TEST (summaries_are_half_a_second_apart)
{
  TfrcTime now = 5 * TFRC_SECOND;

  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, now), 0);
  receive (SSRC, 1, TFRC_ECN_ECT_0);
  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, now), 1);
  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told,
                         now + TFRC_ECN_SUMMARY_INTERVAL - 1),
      0);
  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told,
                         now + TFRC_ECN_SUMMARY_INTERVAL),
      1);
}

END_TEST
/* The newest packet that was ECT(0) or ECT(1) decides; CE does not. */
START_TEST (l4s_is_told_with_each_report)
{
  receive (SSRC, 1, TFRC_ECN_CE);
  ck_assert (!count.is_l4s);
  receive (SSRC, 2, TFRC_ECN_ECT_1);
  receive (SSRC, 3, TFRC_ECN_CE);
  receive (SSRC, 4, TFRC_ECN_NOT_ECT);
  ck_assert (count.is_l4s);
  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, TFRC_SECOND), 1);
  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, TFRC_SECOND + 1), 1);
  receive (SSRC, 5, TFRC_ECN_ECT_0);
  ck_assert (!count.is_l4s);
  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, TFRC_SECOND + 2), 0);
}

END_TEST
START_TEST (streams_count_apart_and_leave)
{
  receive (1, 1, TFRC_ECN_ECT_0);
  receive (2, 1, TFRC_ECN_CE);
  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, TFRC_SECOND), 2);
  ck_assert_uint_eq (told[0].ect_0, 1);
  ck_assert_uint_eq (told[1].ce, 1);

  tfrc_ecn_count_remove_stream (&count, 1);
  ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, 2 * TFRC_SECOND), 1);
  ck_assert_uint_eq (told[0].media_ssrc, 2);
}

END_TEST
/* A report has room for eight: 20 streams take three reports, the last of which
 * starts over with the first four. */
START_TEST (many_streams_are_told_in_turn)
{
  uint32_t ssrc;

  for (ssrc = 1; ssrc <= 20; ssrc++)
    receive (ssrc, 1, TFRC_ECN_ECT_0);
  for (uint32_t i = 0; i < 24; i++) {
    if (i % 8 == 0)
      ck_assert_uint_eq (tfrc_ecn_count_poll (&count, told, i * TFRC_SECOND),
          TFRC_ECN_MAX_STREAMS);
    ck_assert_uint_eq (told[i % 8].media_ssrc, i % 20 + 1);
    ck_assert_uint_eq (told[i % 8].ect_0, 1);
  }
}

END_TEST
/* Of more live streams than there are places, the first keep theirs; one from which
 * nothing arrives while all others go on loses its place. */
START_TEST (the_least_recently_heard_makes_room)
{
  uint32_t n;

  for (n = 0; n < 3; n++)
    for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS + 3; ssrc++)
      receive (ssrc, (uint16_t) n, TFRC_ECN_ECT_0);
  ck_assert_uint_eq (count.received[TFRC_ECN_ECT_0],
      3 * (TFRC_MAX_STREAMS + 3));
  for (uint32_t i = 0; i < TFRC_MAX_STREAMS; i++) {
    ck_assert_uint_eq (count.streams[i].summary.media_ssrc, i + 1);
    ck_assert_uint_eq (count.streams[i].summary.ect_0, 3);
  }
  for (; n < 30; n++)
    for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS + 1; ssrc++)
      if (ssrc != 5)
        receive (ssrc, (uint16_t) n, TFRC_ECN_ECT_0);
  for (uint32_t i = 0; i < TFRC_MAX_STREAMS; i++)
    ck_assert_uint_eq (count.streams[i].summary.media_ssrc,
        i == 4 ? TFRC_MAX_STREAMS + 1 : i + 1);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-ecn-count");
  TCase *tc = tcase_create ("counters");

  tcase_add_checked_fixture (tc, set_up, NULL);
  tcase_add_test (tc, counts_each_codepoint);
  tcase_add_test (tc, lost_is_expected_less_received);
  tcase_add_test (tc, packets_in_front_of_the_first_are_not_lost);
  tcase_add_test (tc, losses_count_on_when_the_counters_have_wrapped);
  tcase_add_test (tc, summaries_are_half_a_second_apart);
  tcase_add_test (tc, l4s_is_told_with_each_report);
  tcase_add_test (tc, streams_count_apart_and_leave);
  tcase_add_test (tc, many_streams_are_told_in_turn);
  tcase_add_test (tc, the_least_recently_heard_makes_room);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
