/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of several groups is listened to, and when, under virtual time. */

#include <gst/check/gstcheck.h>

#include "bins/gsttfrcladdersrc.h"

#define INTERVAL (30 * GST_SECOND)
#define TRIAL (4 * GST_SECOND)
#define SILENCE (3 * GST_SECOND)
#define KEY_FRAME_TIME (15 * GST_SECOND)

typedef struct
{
  TfrcRungChoice choice;
  GstClockTime now;
} Fixture;

static void
setup (Fixture *fixture, guint n_rungs)
{
  fixture->now = 1000 * GST_SECOND;
  tfrc_rung_choice_init (&fixture->choice, n_rungs, INTERVAL);
  tfrc_rung_choice_begin (&fixture->choice, fixture->now);
}

/* For so long, a packet each 100 ms in front of a tick, on all rungs that are joined:
 * the first move, or none. */
static TfrcRungMove
play (Fixture *fixture, GstClockTime time, gboolean key_frames)
{
  GstClockTime end = fixture->now + time;
  TfrcRungMove move = TFRC_RUNG_MOVE_NONE;

  while (fixture->now < end && move == TFRC_RUNG_MOVE_NONE) {
    fixture->now += 100 * GST_MSECOND;
    for (guint i = 0; i < fixture->choice.n_rungs; i++)
      if (move == TFRC_RUNG_MOVE_NONE
          && tfrc_rung_choice_has (&fixture->choice, i))
        move = tfrc_rung_choice_on_packet (&fixture->choice, i, key_frames,
            fixture->now);
    if (move == TFRC_RUNG_MOVE_NONE)
      move = tfrc_rung_choice_on_time (&fixture->choice, fixture->now);
  }
  return move;
}

static TfrcRungMove
lose_hope (Fixture *fixture, guint rung)
{
  return tfrc_rung_choice_on_hopeless (&fixture->choice, rung, fixture->now);
}

static void
expect (const Fixture *fixture, guint current, gint tried)
{
  fail_unless_equals_int (fixture->choice.current, current);
  fail_unless_equals_int (fixture->choice.tried, tried);
}

GST_START_TEST (the_fastest_is_listened_to_until_it_is_hopeless)
{
  Fixture fixture;

  setup (&fixture, 3);
  fail_unless_equals_int (play (&fixture, 3600 * GST_SECOND, TRUE),
      TFRC_RUNG_MOVE_NONE);
  expect (&fixture, 0, -1);
  fail_unless_equals_int (lose_hope (&fixture, 0), TFRC_RUNG_MOVE_HOPELESS);
  expect (&fixture, 1, -1);
  fail_if (tfrc_rung_choice_has (&fixture.choice, 0));
  /* Of one that was left. */
  fail_unless_equals_int (lose_hope (&fixture, 0), TFRC_RUNG_MOVE_NONE);
  fail_unless_equals_int (lose_hope (&fixture, 1), TFRC_RUNG_MOVE_HOPELESS);
  fail_unless_equals_int (lose_hope (&fixture, 2), TFRC_RUNG_MOVE_NONE);
  expect (&fixture, 2, -1);
}

GST_END_TEST;

GST_START_TEST (the_one_above_is_tried_and_shown_from_a_key_frame_on)
{
  Fixture fixture;
  GstClockTime began;

  setup (&fixture, 2);
  lose_hope (&fixture, 0);
  began = fixture.now;
  fail_unless_equals_int (play (&fixture, INTERVAL, TRUE), TFRC_RUNG_MOVE_TRY);
  fail_unless_equals_uint64 (fixture.now - began, INTERVAL);
  expect (&fixture, 1, 0);
  fail_unless (tfrc_rung_choice_has (&fixture.choice, 1));
  fail_if (tfrc_rung_choice_needs_key_frame (&fixture.choice, fixture.now));
  fail_unless_equals_int (play (&fixture, TRIAL + GST_SECOND, FALSE),
      TFRC_RUNG_MOVE_NONE);
  fail_unless (tfrc_rung_choice_needs_key_frame (&fixture.choice, fixture.now));
  fail_unless_equals_int (play (&fixture, GST_SECOND, TRUE), TFRC_RUNG_MOVE_UP);
  expect (&fixture, 0, -1);
  fail_if (tfrc_rung_choice_has (&fixture.choice, 1));
}

GST_END_TEST;

/* Which of the two it is that cannot keep up: 30, 60, 120, 240, 480 and 480 s. */
GST_START_TEST (a_try_that_fails_doubles_the_wait_for_the_next)
{
  Fixture fixture;

  setup (&fixture, 2);
  lose_hope (&fixture, 0);
  for (guint i = 0; i < 6; i++) {
    GstClockTime began = fixture.now;

    fail_unless_equals_int (play (&fixture, 3600 * GST_SECOND, FALSE),
        TFRC_RUNG_MOVE_TRY);
    fail_unless_equals_uint64 (fixture.now - began, INTERVAL << MIN (i, 4));
    fail_unless_equals_int (lose_hope (&fixture, i % 2), TFRC_RUNG_MOVE_FAILED);
    expect (&fixture, 1, -1);
  }
}

GST_END_TEST;

/* No key frame comes that it could be shown from: of sources that make none on request
 * there is one in ten seconds. */
GST_START_TEST (a_try_ends_where_nothing_can_be_shown)
{
  Fixture fixture;
  GstClockTime began;

  setup (&fixture, 2);
  lose_hope (&fixture, 0);
  play (&fixture, INTERVAL, FALSE);
  began = fixture.now;
  fail_unless_equals_int (play (&fixture, 60 * GST_SECOND, FALSE),
      TFRC_RUNG_MOVE_FAILED);
  fail_unless_equals_uint64 (fixture.now - began, TRIAL + KEY_FRAME_TIME);
  expect (&fixture, 1, -1);
}

GST_END_TEST;

GST_START_TEST (a_try_ends_sooner_where_nothing_comes)
{
  Fixture fixture;
  GstClockTime began;

  setup (&fixture, 2);
  lose_hope (&fixture, 0);
  play (&fixture, INTERVAL, FALSE);
  began = fixture.now;
  do {
    fixture.now += 100 * GST_MSECOND;
    tfrc_rung_choice_on_packet (&fixture.choice, 1, FALSE, fixture.now);
  } while (tfrc_rung_choice_on_time (&fixture.choice, fixture.now)
      == TFRC_RUNG_MOVE_NONE);
  fail_unless_equals_uint64 (fixture.now - began, TRIAL + SILENCE);
  expect (&fixture, 1, -1);
}

GST_END_TEST;

/* Three of thirty are a tenth, which is borne; 4 are not, nor are 3 of 29, but these
 * are too few to tell. */
GST_START_TEST (a_try_that_loses_more_than_a_tenth_ends)
{
  Fixture fixture;

  setup (&fixture, 2);
  lose_hope (&fixture, 0);
  fail_unless_equals_int (tfrc_rung_choice_on_losses (&fixture.choice, 0, 100,
                              fixture.now),
      TFRC_RUNG_MOVE_NONE);
  play (&fixture, INTERVAL, FALSE);
  /* Of the run before. */
  fail_unless_equals_int (tfrc_rung_choice_on_losses (&fixture.choice, 0, 100,
                              fixture.now),
      TFRC_RUNG_MOVE_NONE);
  play (&fixture, GST_SECOND, FALSE);
  fail_unless_equals_int (tfrc_rung_choice_on_losses (&fixture.choice, 26, 3,
                              fixture.now),
      TFRC_RUNG_MOVE_NONE);
  fail_unless_equals_int (tfrc_rung_choice_on_losses (&fixture.choice, 27, 3,
                              fixture.now),
      TFRC_RUNG_MOVE_NONE);
  fail_unless_equals_int (tfrc_rung_choice_on_losses (&fixture.choice, 27, 4,
                              fixture.now),
      TFRC_RUNG_MOVE_FAILED);
  expect (&fixture, 1, -1);
}

GST_END_TEST;

static void
climb (Fixture *fixture)
{
  fail_unless_equals_int (play (fixture, 3600 * GST_SECOND, FALSE),
      TFRC_RUNG_MOVE_TRY);
  fail_unless_equals_int (play (fixture, 2 * TRIAL, TRUE), TFRC_RUNG_MOVE_UP);
}

/* A minute is to be stayed: 60 s after a fall within it, 30 s after a later one. */
GST_START_TEST (a_climb_that_did_not_last_doubles_the_wait)
{
  Fixture fixture;
  GstClockTime began;

  setup (&fixture, 2);
  lose_hope (&fixture, 0);
  climb (&fixture);
  play (&fixture, 50 * GST_SECOND, TRUE);
  lose_hope (&fixture, 0);
  began = fixture.now;
  climb (&fixture);
  fail_unless_equals_uint64 (fixture.now - began, 2 * INTERVAL + TRIAL);
  play (&fixture, 61 * GST_SECOND, TRUE);
  lose_hope (&fixture, 0);
  began = fixture.now;
  climb (&fixture);
  fail_unless_equals_uint64 (fixture.now - began, INTERVAL + TRIAL);
}

GST_END_TEST;

GST_START_TEST (silence_goes_round)
{
  Fixture fixture;

  setup (&fixture, 3);
  for (guint i = 0; i < 7; i++) {
    expect (&fixture, i % 3, -1);
    fixture.now += SILENCE - 1;
    fail_unless_equals_int (tfrc_rung_choice_on_time (&fixture.choice,
                                fixture.now),
        TFRC_RUNG_MOVE_NONE);
    fixture.now++;
    fail_unless_equals_int (tfrc_rung_choice_on_time (&fixture.choice,
                                fixture.now),
        TFRC_RUNG_MOVE_SILENT);
  }
}

GST_END_TEST;

/* A pause is no silence. */
GST_START_TEST (it_begins_again_where_it_was)
{
  Fixture fixture;

  setup (&fixture, 2);
  lose_hope (&fixture, 0);
  fail_unless_equals_int (play (&fixture, INTERVAL, TRUE), TFRC_RUNG_MOVE_TRY);
  fixture.now += 3600 * GST_SECOND;
  tfrc_rung_choice_begin (&fixture.choice, fixture.now);
  expect (&fixture, 1, -1);
  fail_unless_equals_int (play (&fixture, INTERVAL - GST_SECOND, TRUE),
      TFRC_RUNG_MOVE_NONE);
}

GST_END_TEST;

GST_START_TEST (one_rung_is_never_left)
{
  Fixture fixture;

  setup (&fixture, 1);
  fail_unless_equals_int (lose_hope (&fixture, 0), TFRC_RUNG_MOVE_NONE);
  fixture.now += 60 * GST_SECOND;
  fail_unless_equals_int (tfrc_rung_choice_on_time (&fixture.choice,
                              fixture.now),
      TFRC_RUNG_MOVE_NONE);
  expect (&fixture, 0, -1);
}

GST_END_TEST;

static Suite *
rung_choice_suite (void)
{
  Suite *suite = suite_create ("rung-choice");
  TCase *tc = tcase_create ("virtual-time");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, the_fastest_is_listened_to_until_it_is_hopeless);
  tcase_add_test (tc, the_one_above_is_tried_and_shown_from_a_key_frame_on);
  tcase_add_test (tc, a_try_that_fails_doubles_the_wait_for_the_next);
  tcase_add_test (tc, a_try_ends_where_nothing_can_be_shown);
  tcase_add_test (tc, a_try_ends_sooner_where_nothing_comes);
  tcase_add_test (tc, a_try_that_loses_more_than_a_tenth_ends);
  tcase_add_test (tc, a_climb_that_did_not_last_doubles_the_wait);
  tcase_add_test (tc, silence_goes_round);
  tcase_add_test (tc, it_begins_again_where_it_was);
  tcase_add_test (tc, one_rung_is_never_left);
  return suite;
}

GST_CHECK_MAIN (rung_choice);
