/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who of a group is overheard. */

#include <gst/check/gstcheck.h>

#include "tfmcc/suppression.h"
#include "group/audience.h"

#define MAX_GROUP 1000
#define ROUNDS 200
#define MAX_RTT (100 * TFRC_MILLISECOND)
#define PACKET_INTERVAL (10 * TFRC_MILLISECOND)
/* The default of tfrcsrc's rtcp-group-limit. */
#define LIMIT 8

static void
hear (TfmccAudience *self, guint8 round, guint32 ssrc)
{
  TfmccStamp stamp = {
    .round = round, .has_echo = ssrc != 0, .echo = { .ssrc = ssrc }
  };

  tfmcc_audience_on_stamp (self, &stamp);
}

GST_START_TEST (size_is_known_after_sixteen_rounds)
{
  TfmccAudience audience;
  guint round;

  tfmcc_audience_init (&audience);
  for (round = 0; round < TFMCC_AUDIENCE_ROUNDS; round++) {
    hear (&audience, round, 1 + round % 3);
    assert_equals_int (tfmcc_audience_get_size (&audience), 0);
  }
  hear (&audience, round, 1);
  assert_equals_int (tfmcc_audience_get_size (&audience), 3);
}

GST_END_TEST;

GST_START_TEST (who_is_silent_for_sixteen_rounds_is_not_counted)
{
  TfmccAudience audience;
  guint round;

  tfmcc_audience_init (&audience);
  hear (&audience, 0, 7);
  for (round = 1; round <= 20; round++)
    hear (&audience, round, 1);
  assert_equals_int (tfmcc_audience_get_size (&audience), 1);
  /* But it may still be there. */
  fail_unless (tfmcc_audience_knows (&audience, 7));
  fail_if (tfmcc_audience_knows (&audience, 8));
}

GST_END_TEST;

GST_START_TEST (one_of_ten_thousand_is_never_heard_again)
{
  TfmccAudience audience;
  guint packet;

  /* Two new names in every round: 32 in 16 rounds, also across the wrap of
   * the number from 255 to 0. */
  tfmcc_audience_init (&audience);
  for (packet = 0; packet < 1000; packet++)
    hear (&audience, (guint8) (packet / 2), 1 + packet);
  assert_equals_int (tfmcc_audience_get_size (&audience), 32);
}

GST_END_TEST;

GST_START_TEST (memory_is_bounded)
{
  TfmccAudience audience;
  guint packet;

  tfmcc_audience_init (&audience);
  for (packet = 0; packet < 100000; packet++)
    hear (&audience, (guint8) (packet / 1000), 1 + packet);
  assert_equals_int (tfmcc_audience_get_size (&audience), TFMCC_AUDIENCE_MAX);
}

GST_END_TEST;

GST_START_TEST (a_number_that_jumps_or_falls_back_is_one_round_at_most)
{
  static const guint8 rounds[] = { 0, 100, 99, 100, 200, 50, 60, 50, 170, 20 };
  TfmccAudience audience;
  guint i;

  /* Begins: 0, 100, 200, 50, 60, 170, 20.  (60 to 170 is 110 ahead.) */
  tfmcc_audience_init (&audience);
  for (i = 0; i < G_N_ELEMENTS (rounds); i++)
    hear (&audience, rounds[i], 0);
  assert_equals_uint64 (audience.round, 7);
}

GST_END_TEST;

/* A round of `n` receivers of equal rates: who reports until the first report
 * has come back in a packet is echoed. */
static void
play_round (TfmccAudience *audience, TfmccSuppression *timers, guint n,
    guint round)
{
  TfrcTime began_at = round * TFRC_SECOND;
  TfrcTime first = TFRC_TIME_NONE;
  guint i;

  for (i = 0; i < n; i++) {
    tfmcc_suppression_start (&timers[i], 1e5, 1e5, MAX_RTT, PACKET_INTERVAL,
        began_at);
    first = tfrc_time_min (first, tfmcc_suppression_next_deadline (&timers[i]));
  }
  for (i = 0; i < n; i++) {
    if (tfmcc_suppression_next_deadline (&timers[i])
        <= first + MAX_RTT + PACKET_INTERVAL)
      hear (audience, (guint8) round, 1 + i);
  }
}

static void
play_group (guint n, guint *smallest, guint *largest)
{
  TfmccSuppressionConfig config = tfmcc_suppression_config_default ();
  TfmccSuppression *timers = g_new (TfmccSuppression, n);
  TfmccAudience audience;
  guint i, round;

  *smallest = G_MAXUINT;
  *largest = 0;
  tfmcc_audience_init (&audience);
  for (i = 0; i < n; i++)
    tfmcc_suppression_init (&timers[i], &config, 1 + i);
  for (round = 0; round < ROUNDS; round++) {
    play_round (&audience, timers, n, round);
    if (round < TFMCC_AUDIENCE_ROUNDS)
      continue;
    *smallest = MIN (*smallest, tfmcc_audience_get_size (&audience));
    *largest = MAX (*largest, tfmcc_audience_get_size (&audience));
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

GST_START_TEST (small_group_never_seems_large)
{
  guint smallest, largest;

  play_group (LIMIT, &smallest, &largest);
  fail_unless (smallest > 0 && largest <= LIMIT);
}

GST_END_TEST;

static Suite *
tfmccaudience_suite (void)
{
  Suite *suite = suite_create ("tfmccaudience");
  TCase *tcase = tcase_create ("audience");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, size_is_known_after_sixteen_rounds);
  tcase_add_test (tcase, who_is_silent_for_sixteen_rounds_is_not_counted);
  tcase_add_test (tcase, one_of_ten_thousand_is_never_heard_again);
  tcase_add_test (tcase, memory_is_bounded);
  tcase_add_test (tcase, large_group_never_seems_small);
  tcase_add_test (tcase, small_group_never_seems_large);
  tcase_add_test (tcase,
      a_number_that_jumps_or_falls_back_is_one_round_at_most);
  return suite;
}

GST_CHECK_MAIN (tfmccaudience);
