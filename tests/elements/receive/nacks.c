/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which missing packets are asked for, and how often. */

#include "receive/feedback.h"

#include <gst/check/gstcheck.h>

#define SSRC 0x1111
#define RTT (50 * TFRC_MILLISECOND)
#define TIME_LEFT (300 * TFRC_MILLISECOND)

static TfrcNacks nacks;

static gboolean
miss_of (guint32 ssrc, guint16 seq, TfrcDuration time_left, TfrcTime now)
{
  return tfrc_nacks_on_missing (&nacks, ssrc, seq, &time_left, 0, RTT, now);
}

static void
want (guint16 seq, TfrcTime now)
{
  fail_unless (miss_of (SSRC, seq, TIME_LEFT, now));
}

/* Of SSRC; how many are asked for. */
static guint
poll (guint16 seqs[TFRC_NACKS_MAX], TfrcTime now)
{
  guint32 ssrc = 0;
  guint n = tfrc_nacks_poll (&nacks, &ssrc, seqs, now);

  if (n > 0)
    fail_unless_equals_int (ssrc, SSRC);
  return n;
}

GST_START_TEST (what_is_missing_together_is_asked_for_together)
{
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  fail_unless (nacks.due_at == TFRC_TIME_NONE);
  want (65535, 0);
  want (0, TFRC_MILLISECOND / 2);
  fail_unless_equals_uint64 (nacks.due_at, TFRC_MILLISECOND);
  fail_unless_equals_int (poll (seqs, TFRC_MILLISECOND / 2), 0);
  fail_unless_equals_int (poll (seqs, TFRC_MILLISECOND), 2);
  fail_unless_equals_int (seqs[0], 65535);
  fail_unless_equals_int (seqs[1], 0);
  fail_unless_equals_int (poll (seqs, TFRC_SECOND), 0);
  fail_unless (nacks.due_at == TFRC_TIME_NONE);
}

GST_END_TEST;

GST_START_TEST (a_packet_is_asked_for_once_per_rtt)
{
  guint16 seqs[TFRC_NACKS_MAX];
  TfrcTime now;
  guint n = 0;

  tfrc_nacks_init (&nacks);
  /* Wanted every millisecond for 200: at 1 ms, and again a round trip and the
   * time to gather after each: 52, 103, 154. */
  for (now = 0; now < 200 * TFRC_MILLISECOND; now += TFRC_MILLISECOND) {
    n += poll (seqs, now);
    want (7, now);
  }
  fail_unless_equals_int (n, 4);
  fail_unless_equals_uint64 (nacks.asked, 4);
}

GST_END_TEST;

GST_START_TEST (nothing_is_asked_for_that_cannot_come_in_time)
{
  tfrc_nacks_init (&nacks);
  fail_if (miss_of (SSRC, 7, RTT, 0));
  fail_unless (nacks.due_at == TFRC_TIME_NONE);
  fail_unless (miss_of (SSRC, 7, RTT + 2 * TFRC_MILLISECOND, 0));
}

GST_END_TEST;

/* An RTT and the millisecond to gather; the second request, when the answer to the first
 * could have come, needs as much again. */
GST_START_TEST (time_that_an_answer_lacks_is_had_up_to_the_longest)
{
  TfrcDuration left = TFRC_MILLISECOND, least = RTT + TFRC_MILLISECOND;
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  fail_if (tfrc_nacks_on_missing (&nacks, SSRC, 7, &left, RTT, RTT, 0));
  fail_unless_equals_uint64 (left, TFRC_MILLISECOND);
  for (TfrcTime now = 0; now <= least; now += least) {
    fail_unless (tfrc_nacks_on_missing (&nacks, SSRC, 7, &left, least, RTT,
        now));
    fail_unless_equals_uint64 (left, least);
    fail_unless_equals_int (poll (seqs, now + TFRC_MILLISECOND), 1);
    left = TFRC_MILLISECOND;
    fail_unless (tfrc_nacks_on_missing (&nacks, SSRC, 7, &left, least, RTT,
        now + RTT));
    fail_unless_equals_uint64 (left, TFRC_MILLISECOND);
  }
}

GST_END_TEST;

GST_START_TEST (a_packet_that_came_is_not_asked_for_again)
{
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  want (7, 0);
  poll (seqs, TFRC_MILLISECOND);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 7, RTT), SSRC);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 7, RTT), 0);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 8, RTT), 0);
  want (7, 2 * RTT);
  fail_unless_equals_int (poll (seqs, 3 * RTT), 0);
  fail_unless_equals_uint64 (nacks.recovered, 1);
}

GST_END_TEST;

/* Who may not ask for a while asks for what is still of use. */
GST_START_TEST (what_is_needed_no_more_is_not_asked_for)
{
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  want (7, 0);
  want (8, TIME_LEFT / 2);
  fail_unless_equals_int (poll (seqs, TIME_LEFT), 1);
  fail_unless_equals_int (seqs[0], 8);
  fail_unless (nacks.due_at == TFRC_TIME_NONE);
}

GST_END_TEST;

GST_START_TEST (an_answer_that_comes_too_late_recovers_nothing)
{
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  want (7, 0);
  want (8, 0);
  poll (seqs, TFRC_MILLISECOND);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 7, TIME_LEFT), SSRC);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 8, TIME_LEFT + 1),
      SSRC);
  fail_unless_equals_uint64 (nacks.recovered, 1);
}

GST_END_TEST;

/* A burst of a thousand: the oldest of what is remembered make room. */
GST_START_TEST (many_are_bounded)
{
  guint16 seqs[TFRC_NACKS_MAX];
  guint asked = 0, n, i;

  tfrc_nacks_init (&nacks);
  for (i = 0; i < 1000; i++)
    want ((guint16) i, 0);
  while ((n = poll (seqs, TFRC_MILLISECOND)) > 0) {
    fail_unless_equals_int (seqs[0], 1000 - TFRC_NACKS_REMEMBERED + asked);
    asked += n;
  }
  fail_unless_equals_int (asked, TFRC_NACKS_REMEMBERED);
}

GST_END_TEST;

GST_START_TEST (each_stream_is_asked_by_itself)
{
  guint16 seqs[TFRC_NACKS_MAX];
  guint32 ssrc, other;

  tfrc_nacks_init (&nacks);
  want (7, 0);
  fail_unless (miss_of (SSRC + 1, 7, TIME_LEFT, 0));
  want (8, 0);
  fail_unless_equals_int (tfrc_nacks_poll (&nacks, &ssrc, seqs, RTT), 2);
  fail_unless_equals_int (tfrc_nacks_poll (&nacks, &other, seqs, RTT), 1);
  fail_unless_equals_int (ssrc, SSRC);
  fail_unless_equals_int (other, SSRC + 1);
}

GST_END_TEST;

/* The numbers wrap within seconds, and losses are rare. */
GST_START_TEST (the_same_number_a_cycle_later_is_another_packet)
{
  const TfrcTime later = 10 * TFRC_SECOND;
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  want (7, 0);
  want (8, 0);
  fail_unless_equals_int (poll (seqs, TFRC_MILLISECOND), 2);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 7, RTT), SSRC);
  want (7, later);
  want (8, later);
  fail_unless_equals_int (poll (seqs, later + TFRC_MILLISECOND), 2);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 7, later + RTT), SSRC);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 8, later + RTT), SSRC);
  fail_unless_equals_uint64 (nacks.recovered, 3);
}

GST_END_TEST;

/* Seven packets are asked for, and one of them again: then it is plain that nobody
 * answers, until somebody does, and be it too late. */
GST_START_TEST (who_answers_none_of_eight_is_not_waited_for)
{
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  for (guint16 seq = 0; seq < 7; seq++)
    want (seq, 0);
  poll (seqs, TFRC_MILLISECOND);
  fail_unless (tfrc_nacks_expect_answers (&nacks));
  want (6, 2 * RTT);
  poll (seqs, 3 * RTT);
  fail_if (tfrc_nacks_expect_answers (&nacks));
  tfrc_nacks_on_repair (&nacks, 8, 3 * RTT);
  fail_if (tfrc_nacks_expect_answers (&nacks));
  tfrc_nacks_on_repair (&nacks, 0, TIME_LEFT + 1);
  fail_unless (tfrc_nacks_expect_answers (&nacks));
}

GST_END_TEST;

/* By 5 ms: those that are missed next have twice that and the time to gather, and none
 * where it is not to spare beside an answer that takes half an RTT longer. */
GST_START_TEST (what_was_overtaken_gives_the_next_time_to_come)
{
  const TfrcTime later = TFRC_SECOND;
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  fail_unless_equals_uint64 (tfrc_nacks_get_hold (&nacks), 0);
  want (7, 0);
  poll (seqs, TFRC_MILLISECOND);
  tfrc_nacks_on_packet (&nacks, SSRC, 7, 5 * TFRC_MILLISECOND);
  fail_unless_equals_uint64 (tfrc_nacks_get_hold (&nacks),
      11 * TFRC_MILLISECOND);

  want (8, later);
  want (9, later + 5 * TFRC_MILLISECOND);
  fail_unless (miss_of (SSRC, 10, 3 * RTT / 2 + 10 * TFRC_MILLISECOND,
      later + 5 * TFRC_MILLISECOND));
  tfrc_nacks_on_packet (&nacks, SSRC, 8, later + 6 * TFRC_MILLISECOND);
  fail_unless_equals_int (poll (seqs, later + 6 * TFRC_MILLISECOND), 1);
  fail_unless_equals_int (seqs[0], 10);
  fail_unless_equals_uint64 (nacks.due_at, later + 16 * TFRC_MILLISECOND);
  fail_unless_equals_int (poll (seqs, later + 16 * TFRC_MILLISECOND), 1);
  fail_unless_equals_int (seqs[0], 9);
  fail_unless (nacks.due_at == TFRC_TIME_NONE);
}

GST_END_TEST;

/* RFC 8985 section 6.2: 16 losses, and as many since it was seen. */
GST_START_TEST (what_was_overtaken_is_forgotten)
{
  guint16 seqs[TFRC_NACKS_MAX];
  TfrcTime now = 0;

  tfrc_nacks_init (&nacks);
  want (7, now);
  tfrc_nacks_on_packet (&nacks, SSRC, 7, now + TFRC_MILLISECOND / 2);
  for (guint16 seq = 8; seq < 8 + 32; seq++) {
    fail_unless_equals_uint64 (tfrc_nacks_get_hold (&nacks),
        2 * TFRC_MILLISECOND);
    want (seq, now);
    now += 2 * TFRC_MILLISECOND;
    fail_unless_equals_int (poll (seqs, now), 1);
  }
  fail_unless_equals_uint64 (tfrc_nacks_get_hold (&nacks), 0);
}

GST_END_TEST;

/* It says that it answers, too late to tell more. */
GST_START_TEST (the_answer_to_what_was_overtaken_recovers_nothing)
{
  guint16 seqs[TFRC_NACKS_MAX];

  tfrc_nacks_init (&nacks);
  want (7, 0);
  poll (seqs, TFRC_MILLISECOND);
  tfrc_nacks_on_packet (&nacks, SSRC, 7, 5 * TFRC_MILLISECOND);
  fail_unless_equals_int (tfrc_nacks_on_repair (&nacks, 7, RTT), 0);
  fail_unless (nacks.answered);
  fail_unless_equals_uint64 (nacks.recovered, 0);
}

GST_END_TEST;

/* Who misses a packet says so from another thread. */
GST_START_TEST (what_has_come_is_known)
{
  tfrc_nacks_init (&nacks);
  for (guint16 seq = 1; seq <= TFRC_NACKS_NEWEST + 1; seq++)
    tfrc_nacks_on_packet (&nacks, SSRC, seq, 0);
  fail_if (tfrc_nacks_has_arrived (&nacks, SSRC, 1));
  fail_unless (tfrc_nacks_has_arrived (&nacks, SSRC, 2));
  fail_unless (tfrc_nacks_has_arrived (&nacks, SSRC, TFRC_NACKS_NEWEST + 1));
  fail_if (tfrc_nacks_has_arrived (&nacks, SSRC + 1, 2));
}

GST_END_TEST;

static Suite *
nacks_suite (void)
{
  Suite *suite = suite_create ("nacks");
  TCase *tc = tcase_create ("virtual time");

  tcase_add_test (tc, what_is_missing_together_is_asked_for_together);
  tcase_add_test (tc, a_packet_is_asked_for_once_per_rtt);
  tcase_add_test (tc, nothing_is_asked_for_that_cannot_come_in_time);
  tcase_add_test (tc, time_that_an_answer_lacks_is_had_up_to_the_longest);
  tcase_add_test (tc, a_packet_that_came_is_not_asked_for_again);
  tcase_add_test (tc, what_is_needed_no_more_is_not_asked_for);
  tcase_add_test (tc, an_answer_that_comes_too_late_recovers_nothing);
  tcase_add_test (tc, many_are_bounded);
  tcase_add_test (tc, each_stream_is_asked_by_itself);
  tcase_add_test (tc, the_same_number_a_cycle_later_is_another_packet);
  tcase_add_test (tc, who_answers_none_of_eight_is_not_waited_for);
  tcase_add_test (tc, what_was_overtaken_gives_the_next_time_to_come);
  tcase_add_test (tc, what_was_overtaken_is_forgotten);
  tcase_add_test (tc, the_answer_to_what_was_overtaken_recovers_nothing);
  tcase_add_test (tc, what_has_come_is_known);
  suite_add_tcase (suite, tc);
  return suite;
}

GST_CHECK_MAIN (nacks);
