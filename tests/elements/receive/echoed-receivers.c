/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who of a group is overheard. */

#include <gst/check/gstcheck.h>

#include "tfmcc/round.h"
#include "receive/flow.h"

#define MAX_GROUP 1000
#define ROUNDS 200
#define SAMPLES 200
#define MAX_RTT (100 * TFRC_MILLISECOND)
#define PACKET_INTERVAL (10 * TFRC_MILLISECOND)
/* The default of tfrcsrc's rtcp-group-limit. */
#define LIMIT 8

static void
hear (TfmccEchoedReceivers *self, guint8 round, guint32 ssrc)
{
  TfmccExtension extension = {
    .round = round, .has_echo = ssrc != 0, .echo = { .ssrc = ssrc }
  };

  tfmcc_echoed_receivers_on_extension (self, &extension);
}

static guint
count (const TfmccEchoedReceivers *self)
{
  return tfmcc_echoed_receivers_count (self, TFMCC_ECHOED_RECEIVERS_ROUNDS);
}

GST_START_TEST (size_is_known_after_sixteen_rounds)
{
  TfmccEchoedReceivers echoed;
  guint round;

  echoed = (TfmccEchoedReceivers) { 0 };
  for (round = 0; round < TFMCC_ECHOED_RECEIVERS_ROUNDS; round++) {
    hear (&echoed, round, 1 + round % 3);
    assert_equals_int (count (&echoed), 0);
  }
  hear (&echoed, round, 1);
  assert_equals_int (count (&echoed), 3);
}

GST_END_TEST;

GST_START_TEST (who_is_silent_for_sixteen_rounds_is_not_counted)
{
  TfmccEchoedReceivers echoed;
  guint round;

  echoed = (TfmccEchoedReceivers) { 0 };
  hear (&echoed, 0, 7);
  for (round = 1; round <= 20; round++)
    hear (&echoed, round, 1);
  assert_equals_int (count (&echoed), 1);
  /* But it may still be there. */
  fail_unless (tfmcc_echoed_receivers_knows (&echoed, 7));
  fail_if (tfmcc_echoed_receivers_knows (&echoed, 8));
}

GST_END_TEST;

GST_START_TEST (one_of_ten_thousand_is_never_heard_again)
{
  TfmccEchoedReceivers echoed;
  guint packet;

  /* Two new names in every round: 32 in 16 rounds, also across the wrap of
   * the number from 255 to 0. */
  echoed = (TfmccEchoedReceivers) { 0 };
  for (packet = 0; packet < 1000; packet++)
    hear (&echoed, (guint8) (packet / 2), 1 + packet);
  assert_equals_int (count (&echoed), 32);
}

GST_END_TEST;

GST_START_TEST (memory_is_bounded)
{
  TfmccEchoedReceivers echoed;
  guint packet;

  echoed = (TfmccEchoedReceivers) { 0 };
  for (packet = 0; packet < 100000; packet++)
    hear (&echoed, (guint8) (packet / 1000), 1 + packet);
  assert_equals_int (count (&echoed), TFMCC_ECHOED_RECEIVERS_MAX);
}

GST_END_TEST;

GST_START_TEST (a_number_that_jumps_or_falls_back_is_one_round_at_most)
{
  static const guint8 rounds[] = { 0, 100, 99, 100, 200, 50, 60, 50, 170, 20 };
  TfmccEchoedReceivers echoed;
  guint i;

  /* Begins: 0, 100, 200, 50, 60, 170, 20.  (60 to 170 is 110 ahead.) */
  echoed = (TfmccEchoedReceivers) { 0 };
  for (i = 0; i < G_N_ELEMENTS (rounds); i++)
    hear (&echoed, rounds[i], 0);
  assert_equals_uint64 (echoed.round, 7);
}

GST_END_TEST;

/* A round of `n` receivers of equal rates: who reports until the first report
 * has come back in a packet is echoed. */
static void
play_round (TfmccEchoedReceivers *echoed, TfmccSuppression *timers, guint n,
    guint round)
{
  TfrcTime began_at = round * TFRC_SECOND;
  TfrcTime first = TFRC_TIME_NONE;
  guint i;

  for (i = 0; i < n; i++) {
    tfmcc_suppression_start (&timers[i], 1e5, 1e5, MAX_RTT, PACKET_INTERVAL,
        began_at);
    first = tfrc_time_min (first, timers[i].expires_at);
  }
  for (i = 0; i < n; i++) {
    if (timers[i].expires_at <= first + MAX_RTT + PACKET_INTERVAL)
      hear (echoed, (guint8) round, 1 + i);
  }
}

/* Of `SAMPLES` joiners, how many take it for small after four rounds. */
static guint
count_deceived (guint n)
{
  TfmccSuppressionConfig config = tfmcc_suppression_config_default ();
  TfmccSuppression *timers = g_new (TfmccSuppression, n);
  guint deceived = 0;

  for (guint sample = 0; sample < SAMPLES; sample++) {
    TfmccEchoedReceivers echoed = { 0 };

    for (guint i = 0; i < n; i++)
      tfmcc_suppression_init (&timers[i], &config, 1 + sample * n + i);
    for (guint round = 0; round <= 4; round++)
      play_round (&echoed, timers, n, round);
    deceived += tfmcc_echoed_receivers_count (&echoed, 4) <= LIMIT;
  }
  g_free (timers);
  return deceived;
}

static void
play_group (guint n, guint *smallest, guint *largest)
{
  TfmccSuppressionConfig config = tfmcc_suppression_config_default ();
  TfmccSuppression *timers = g_new (TfmccSuppression, n);
  TfmccEchoedReceivers echoed;
  guint i, round;

  *smallest = G_MAXUINT;
  *largest = 0;
  echoed = (TfmccEchoedReceivers) { 0 };
  for (i = 0; i < n; i++)
    tfmcc_suppression_init (&timers[i], &config, 1 + i);
  for (round = 0; round < ROUNDS; round++) {
    play_round (&echoed, timers, n, round);
    if (round < TFMCC_ECHOED_RECEIVERS_ROUNDS)
      continue;
    *smallest = MIN (*smallest, count (&echoed));
    *largest = MAX (*largest, count (&echoed));
  }
  g_free (timers);
}

GST_START_TEST (large_group_never_seems_small)
{
  static const guint groups[] = { 20, 100, MAX_GROUP };
  guint smallest, largest, i;

  for (i = 0; i < G_N_ELEMENTS (groups); i++) {
    play_group (groups[i], &smallest, &largest);
    fail_unless (smallest > 2 * LIMIT, "%u of %u", smallest, groups[i]);
  }
}

GST_END_TEST;

GST_START_TEST (large_group_seldom_seems_small_after_four_rounds)
{
  static const guint groups[] = { 30, 100, MAX_GROUP };

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    fail_unless (count_deceived (groups[i]) <= SAMPLES / 50);
}

GST_END_TEST;

GST_START_TEST (small_group_never_seems_large)
{
  guint smallest, largest;

  play_group (LIMIT, &smallest, &largest);
  fail_unless (smallest > 0 && largest <= LIMIT);
}

GST_END_TEST;

/* Known to be, after four rounds; of nine there is one too many. */
GST_START_TEST (sender_of_a_small_group_is_asked_for_what_is_missing)
{
  TfrcReceiveFlow flow = { .mode = GST_TFRC_MODE_TFMCC };
  guint8 round;

  flow.group.receiver.rtt.measured = MAX_RTT;
  for (round = 0; round <= 4; round++) {
    assert_equals_uint64 (tfrc_receive_flow_get_repair_time (&flow, FALSE), 0);
    hear (&flow.group.echoed, round, 1 + 2 * round % 8);
    hear (&flow.group.echoed, round, 2 + 2 * round % 8);
  }
  assert_equals_uint64 (tfrc_receive_flow_get_repair_time (&flow, FALSE),
      MAX_RTT);
  hear (&flow.group.echoed, round, 9);
  assert_equals_uint64 (tfrc_receive_flow_get_repair_time (&flow, FALSE), 0);
  /* For what parity has not given, up to 32. */
  assert_equals_uint64 (tfrc_receive_flow_get_repair_time (&flow, TRUE),
      MAX_RTT);
  for (guint32 ssrc = 10; ssrc <= 33; ssrc++)
    hear (&flow.group.echoed, round, ssrc);
  assert_equals_uint64 (tfrc_receive_flow_get_repair_time (&flow, TRUE), 0);
}

GST_END_TEST;

static Suite *
echoed_receivers_suite (void)
{
  Suite *suite = suite_create ("echoed_receivers");
  TCase *tcase = tcase_create ("echoed");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, size_is_known_after_sixteen_rounds);
  tcase_add_test (tcase, who_is_silent_for_sixteen_rounds_is_not_counted);
  tcase_add_test (tcase, one_of_ten_thousand_is_never_heard_again);
  tcase_add_test (tcase, memory_is_bounded);
  tcase_add_test (tcase, large_group_never_seems_small);
  tcase_add_test (tcase, large_group_seldom_seems_small_after_four_rounds);
  tcase_add_test (tcase, small_group_never_seems_large);
  tcase_add_test (tcase, sender_of_a_small_group_is_asked_for_what_is_missing);
  tcase_add_test (tcase,
      a_number_that_jumps_or_falls_back_is_one_round_at_most);
  return suite;
}

GST_CHECK_MAIN (echoed_receivers);
