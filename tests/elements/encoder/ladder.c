/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which rung is chosen, and when, under virtual time. */

#include <gst/check/gstcheck.h>

#include "encoder/gsttfrcvideoscale.h"

#define MS GST_MSECOND
/* Frames at 25/s. */
#define FRAME (40 * MS)

typedef struct
{
  TfrcLadder ladder;
  guint64 full;
  GstClockTime now;
  guint changes;
} Fixture;

static void
setup (Fixture *fixture, GstTfrcDegradation mode, guint side)
{
  *fixture = (Fixture) { .full = 1000000 };
  tfrc_ladder_init (&fixture->ladder, mode);
  tfrc_ladder_set_side (&fixture->ladder, side);
}

static void
run (Fixture *fixture, guint64 bitrate, GstClockTime time)
{
  GstClockTime end = fixture->now + time;

  for (; fixture->now < end; fixture->now += FRAME)
    fixture->changes += tfrc_ladder_step (&fixture->ladder, bitrate,
        fixture->full, fixture->now);
}

static void
expect (const Fixture *fixture, guint size_n, guint size_d, guint rate_d)
{
  const TfrcRung *rung = tfrc_ladder_get_rung (&fixture->ladder);

  fail_unless_equals_int (rung->size_n, size_n);
  fail_unless_equals_int (rung->size_d, size_d);
  fail_unless_equals_int (rung->rate_d, rate_d);
}

/* All needs 1,000,000: 3/4 of the width (3/4)^2 = 562,500, a half 250,000, 3/8
 * 140,625, and a quarter 62,500. */
GST_START_TEST (the_largest_picture_that_the_bitrate_does_for)
{
  static const struct
  {
    guint64 bitrate;
    guint size_n, size_d;
  } cases[] = {
    { 0, 1, 1 }, /* not known */
    { 1000000, 1, 1 },
    { 999999, 3, 4 },
    { 562500, 3, 4 },
    { 250000, 1, 2 },
    { 249999, 3, 8 },
    { 62500, 1, 4 },
    { 1, 1, 4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Fixture fixture;

    setup (&fixture, GST_TFRC_DEGRADATION_RESOLUTION, 1080);
    run (&fixture, cases[i].bitrate, GST_SECOND);
    expect (&fixture, cases[i].size_n, cases[i].size_d, 1);
    fail_unless (fixture.changes <= 1);
  }
}

GST_END_TEST;

/* 720: 3/8 is 270 and a quarter 180.  480: a half is 240.  A source that becomes
 * smaller has fewer rungs. */
GST_START_TEST (no_picture_is_smaller_than_240_pixels)
{
  Fixture fixture;

  setup (&fixture, GST_TFRC_DEGRADATION_RESOLUTION, 720);
  run (&fixture, 1, GST_SECOND);
  expect (&fixture, 3, 8, 1);
  tfrc_ladder_set_side (&fixture.ladder, 480);
  expect (&fixture, 1, 2, 1);
  tfrc_ladder_set_side (&fixture.ladder, 200);
  expect (&fixture, 1, 1, 1);
  run (&fixture, 1, 10 * GST_SECOND);
  expect (&fixture, 1, 1, 1);
}

GST_END_TEST;

GST_START_TEST (a_dip_of_less_than_half_a_second_changes_nothing)
{
  Fixture fixture;

  setup (&fixture, GST_TFRC_DEGRADATION_RESOLUTION, 720);
  for (guint i = 0; i < 20; i++) {
    run (&fixture, 300000, 480 * MS);
    run (&fixture, 1000000, 200 * MS);
  }
  fail_unless_equals_int (fixture.changes, 0);
}

GST_END_TEST;

/* 3/4 needs 562,500; all is had at 1,250,000 for 4 s, and not at 1,240,000. */
GST_START_TEST (up_after_four_seconds_with_a_quarter_to_spare)
{
  Fixture fixture;

  setup (&fixture, GST_TFRC_DEGRADATION_RESOLUTION, 720);
  run (&fixture, 600000, GST_SECOND);
  expect (&fixture, 3, 4, 1);
  run (&fixture, 1240000, 20 * GST_SECOND);
  expect (&fixture, 3, 4, 1);
  run (&fixture, 1250000, 3960 * MS);
  expect (&fixture, 3, 4, 1);
  run (&fixture, 1250000, 80 * MS);
  expect (&fixture, 1, 1, 1);
}

GST_END_TEST;

/* At 2,000,000, but once in 3 s 400,000, which does for a half with a quarter to
 * spare: up to that from 3/8, and no further. */
GST_START_TEST (up_to_what_the_bitrate_did_for_all_the_time)
{
  Fixture fixture;

  setup (&fixture, GST_TFRC_DEGRADATION_RESOLUTION, 720);
  run (&fixture, 150000, GST_SECOND);
  expect (&fixture, 3, 8, 1);
  for (guint i = 0; i < 4; i++) {
    run (&fixture, 2000000, 2960 * MS);
    run (&fixture, 400000, FRAME);
  }
  expect (&fixture, 1, 2, 1);
  fail_unless_equals_int (fixture.changes, 2);
}

GST_END_TEST;

/* Between two changes at least 2 s, unless there is less than half of what the rung
 * needs: 200,000 of 562,500. */
GST_START_TEST (falls_again_at_once_only_where_it_is_hopeless)
{
  Fixture fixture;

  setup (&fixture, GST_TFRC_DEGRADATION_RESOLUTION, 720);
  run (&fixture, 600000, 540 * MS);
  expect (&fixture, 3, 4, 1);
  run (&fixture, 500000, 1480 * MS);
  expect (&fixture, 3, 4, 1);
  run (&fixture, 500000, GST_SECOND);
  expect (&fixture, 1, 2, 1);

  setup (&fixture, GST_TFRC_DEGRADATION_RESOLUTION, 720);
  run (&fixture, 600000, 540 * MS);
  run (&fixture, 200000, 580 * MS);
  expect (&fixture, 3, 8, 1);
}

GST_END_TEST;

GST_START_TEST (other_modes_give_up_frames)
{
  Fixture fixture;

  setup (&fixture, GST_TFRC_DEGRADATION_FRAME_RATE, 100);
  run (&fixture, 300000, GST_SECOND);
  expect (&fixture, 1, 1, 4);
  setup (&fixture, GST_TFRC_DEGRADATION_BALANCED, 1080);
  run (&fixture, 130000, GST_SECOND);
  expect (&fixture, 1, 2, 2);
  run (&fixture, 1, 3 * GST_SECOND);
  expect (&fixture, 1, 4, 2);
}

GST_END_TEST;

/* As of a source that begins anew. */
GST_START_TEST (time_that_goes_back_delays_nothing)
{
  Fixture fixture;

  setup (&fixture, GST_TFRC_DEGRADATION_RESOLUTION, 720);
  fixture.now = GST_SECOND * 3600;
  run (&fixture, 300000, 540 * MS);
  expect (&fixture, 1, 2, 1);
  fixture.now = 0;
  run (&fixture, 200000, 540 * MS);
  expect (&fixture, 3, 8, 1);
  run (&fixture, 0, 4040 * MS);
  expect (&fixture, 1, 1, 1);
}

GST_END_TEST;

static Suite *
ladder_suite (void)
{
  Suite *s = suite_create ("ladder");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_largest_picture_that_the_bitrate_does_for);
  tcase_add_test (tc, no_picture_is_smaller_than_240_pixels);
  tcase_add_test (tc, a_dip_of_less_than_half_a_second_changes_nothing);
  tcase_add_test (tc, up_after_four_seconds_with_a_quarter_to_spare);
  tcase_add_test (tc, up_to_what_the_bitrate_did_for_all_the_time);
  tcase_add_test (tc, falls_again_at_once_only_where_it_is_hopeless);
  tcase_add_test (tc, other_modes_give_up_frames);
  tcase_add_test (tc, time_that_goes_back_delays_nothing);
  return s;
}

GST_CHECK_MAIN (ladder);
