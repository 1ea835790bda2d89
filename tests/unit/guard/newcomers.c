/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which streams may join a flow that is alive. */
#include <check.h>
#include <stdlib.h>

#include "guard/newcomers.h"

#define MS TFRC_MILLISECOND
#define START (100 * TFRC_SECOND)
#define HALF (500 * MS)      /* of a second, after which a flow is silent */
#define CLOCK_US 0xFFFFFF00u /* at START; wraps 256 us later */

static TfrcNewcomers newcomers;

static void
setup (void)
{
  tfrc_newcomers_init (&newcomers);
}

static void
hear_flow (TfrcTime now)
{
  tfrc_newcomers_on_stamp (&newcomers,
      CLOCK_US + (uint32_t) ((now - START) / TFRC_MICROSECOND), now);
}

/* A stranger whose clock is ahead of the flow's. */
static bool
admits (int64_t ahead_us, TfrcTime now)
{
  TfrcDataPacket packet = { .ssrc = 2, .stamped = true };

  packet.stamp.send_time_us = CLOCK_US
      + (uint32_t) ((now - START) / TFRC_MICROSECOND) + (uint32_t) ahead_us;
  return tfrc_newcomers_admit (&newcomers, &packet, now);
}

START_TEST (anybody_may_begin)
{
  TfrcDataPacket packet = { .ssrc = 2 };

  setup ();
  ck_assert (tfrc_newcomers_admit (&newcomers, &packet, START));
  ck_assert (admits (1000000000, START));
}

END_TEST
/* 2 s either way, across the wrap of the stamps. */
static const struct
{
  int64_t ahead_us;
  bool admitted;
} clocks[] = {
  { 0, true },
  { 2000000, true },
  { -2000000, true },
  { 2000001, false },
  { -2000001, false },
  { 0x7FFFFFFF, false },
  { 0x80000000, false },
};

START_TEST (a_stream_of_the_flows_clock_joins)
{
  setup ();
  hear_flow (START);
  ck_assert_int_eq (admits (clocks[_i].ahead_us, START + 499 * MS),
      clocks[_i].admitted);
}

END_TEST
START_TEST (a_stream_without_stamps_does_not_join)
{
  TfrcDataPacket packet = { .ssrc = 2 };

  setup ();
  hear_flow (START);
  ck_assert (!tfrc_newcomers_admit (&newcomers, &packet, START));
  ck_assert (!tfrc_newcomers_admit (&newcomers, &packet, START + HALF - 1));
  ck_assert (tfrc_newcomers_admit (&newcomers, &packet, START + HALF));
}

END_TEST
START_TEST (another_clock_may_follow_after_silence)
{
  setup ();
  hear_flow (START);
  ck_assert (!admits (3000000, START + HALF - 1));
  ck_assert (admits (3000000, START + HALF));
  /* It has not been heard yet, and so has no precedence. */
  ck_assert (admits (-3000000, START + HALF));
}

END_TEST
/* Whoever knocks, and however often. */
START_TEST (a_refusal_keeps_nobody_else_out)
{
  TfrcDataPacket unstamped = { .ssrc = 3 };

  setup ();
  hear_flow (START);
  ck_assert (!admits (3000000, START));
  ck_assert (admits (0, START));
  ck_assert (!tfrc_newcomers_admit (&newcomers, &unstamped, START + 400 * MS));
  ck_assert (admits (0, START + 400 * MS));
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-newcomers");
  TCase *tcase = tcase_create ("general");
  SRunner *runner = srunner_create (suite);
  int failed;

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, anybody_may_begin);
  tcase_add_loop_test (tcase, a_stream_of_the_flows_clock_joins, 0,
      sizeof clocks / sizeof clocks[0]);
  tcase_add_test (tcase, a_stream_without_stamps_does_not_join);
  tcase_add_test (tcase, another_clock_may_follow_after_silence);
  tcase_add_test (tcase, a_refusal_keeps_nobody_else_out);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
