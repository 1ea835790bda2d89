/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The target of the encoder, how often it changes, and the check of what the
 * encoder makes: plain arithmetic under virtual time. */

#include <gst/check/gstcheck.h>

#include "encoder/target.h"

#define MS GST_MSECOND

/* allowed 1,000,000, overhead 1.25: 800,000.  Others 200,000: 640,000.  The
 * 5,000 bytes of 40 ms in the queue are no backlog; 12,500 more drained in
 * 0.5 s are 200,000 bits/s. */
GST_START_TEST (target_leaves_room_for_overhead_others_and_queue)
{
  static const struct
  {
    TfrcEncoderFlow flow;
    guint64 target;
  } cases[] = {
    { { 1000000, 0, 1.0, 0 }, 1000000 },
    { { 1000000, 0, 1.25, 0 }, 800000 },
    { { 1000000, 200000, 1.25, 0 }, 640000 },
    { { 1000000, 200000, 1.25, 5000 }, 640000 },
    { { 1000000, 200000, 1.25, 17500 }, 480000 },
    { { 1000000, 0, 1.0, 17500 }, 800000 },
    /* Where losses are repaired in 100 ms: 2,500 bytes are 200,000 bits/s. */
    { { 1000000, 0, 1.0, 7500, TRUE }, 800000 },
    { { 100000, 200000, 1.0, 0 }, 0 },
    { { 1000000, 0, 1.0, 1000000 }, 0 },
    /* An overhead that was not measured yet does not divide by zero. */
    { { 1000000, 0, 0.0, 0 }, 1000000 },
    /* No limit yet is a lot, not an overflow. */
    { { G_MAXUINT64, 0, 1.0, 0 }, G_GUINT64_CONSTANT (1) << 63 },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_equals_uint64 (tfrc_encoder_target_from_flow (&cases[i].flow),
        cases[i].target);
}

GST_END_TEST;

/* Two times of 300 ms have to pass in which there is never less. */
GST_START_TEST (what_passes_within_a_third_of_a_second_does_not_stand)
{
  TfrcEncoderBacklog backlog = { 0 };
  GstClockTime now = GST_SECOND, began;
  guint64 bytes;

  for (guint i = 0; i < 100; i++, now += 20 * MS)
    fail_unless (tfrc_encoder_backlog_update (&backlog,
                     i % 20 < 10 ? 10000 : 100, now)
        <= 100);
  began = now;
  do {
    now += 20 * MS;
    bytes = tfrc_encoder_backlog_update (&backlog, 10000, now);
  } while (bytes == 100);
  assert_equals_uint64 (bytes, 10000);
  fail_unless (now - began > 300 * MS && now - began <= 620 * MS);
}

GST_END_TEST;

/* Told 1,000,000 it makes 900,000, 11,250 bytes in 100 ms.  After 3 s the last
 * 21 of 30 buckets had a full second behind them: told (1 - 0.967^21) / 0.033
 * = 15.33 buckets or 1.533 s, made 0.9 times that; of the second at the target that
 * weighs against the first frames 0.967^21 = 0.494 are left: (0.9 * 1.533 + 0.494) /
 * (1.533 + 0.494) = 0.9244. */
GST_START_TEST (share_of_the_target_is_learnt)
{
  TfrcEncoderOutput output = { 0 };
  gdouble share;

  assert_equals_float (tfrc_encoder_output_get_share (&output), 1.0);
  tfrc_encoder_output_set_target (&output, 1000000);
  for (guint i = 0; i <= 30; i++) {
    tfrc_encoder_output_advance (&output, i * 100 * MS);
    output.open.bytes += 11250;
  }
  share = tfrc_encoder_output_get_share (&output);
  fail_unless (ABS (share - 0.9244) < 0.0001, "%f", share);
}

GST_END_TEST;

/* A quarter of the target: there is nothing to encode.  Twice as much: it is
 * ignored.  Neither changes what the encoder is told. */
GST_START_TEST (share_is_not_learnt_from_an_encoder_that_does_not_follow)
{
  static const gsize bytes[] = { 3125, 25000 };
  TfrcEncoderOutput output = { 0 };

  tfrc_encoder_output_set_target (&output, 1000000);
  for (guint i = 0; i <= 100; i++) {
    tfrc_encoder_output_advance (&output, i * 100 * MS);
    output.open.bytes += bytes[__i__];
  }
  assert_equals_float (tfrc_encoder_output_get_share (&output), 1.0);
}

GST_END_TEST;

GST_START_TEST (target_keeps_within_configured_bounds)
{
  TfrcEncoderSettings settings = { .min_bitrate = 100000,
    .max_bitrate = 500000 };

  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 0, 1), 100000);
  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 300000, 1),
      300000);
  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 900000, 1),
      500000);
  settings.max_bitrate = 0;
  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 900000, 1),
      900000);
  settings.max_bitrate = 50000;
  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 900000, 1),
      50000);
}

GST_END_TEST;

/* 400000 / 0.8; 582000 / 0.97; 600000 / 0.8, as with a buffer of a frame or so; and
 * 600000 / 1.25. */
GST_START_TEST (maximum_bounds_what_the_encoder_makes)
{
  TfrcEncoderSettings settings = { .max_bitrate = 582000 };

  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 400000, 0.8),
      500000);
  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 900000, 0.97),
      600000);
  settings.max_bitrate = 600000;
  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 900000, 0.8),
      750000);
  assert_equals_uint64 (tfrc_encoder_target_request (&settings, 900000, 1.25),
      480000);
}

GST_END_TEST;

GST_START_TEST (change_under_one_per_cent_does_not_pass)
{
  TfrcEncoderTargetLimiter limiter = { 0 };

  tfrc_encoder_target_limiter_reset (&limiter, 0);
  fail_unless (tfrc_encoder_target_limiter_pass (&limiter, 1000000, 0));
  fail_if (tfrc_encoder_target_limiter_pass (&limiter, 1000000, 1000 * MS));
  fail_if (tfrc_encoder_target_limiter_pass (&limiter, 1009999, 1000 * MS));
  fail_if (tfrc_encoder_target_limiter_pass (&limiter, 990001, 1000 * MS));
  fail_unless (tfrc_encoder_target_limiter_pass (&limiter, 1010000, 1000 * MS));
  /* Small steps add up: each is compared with what was set. */
  fail_if (tfrc_encoder_target_limiter_pass (&limiter, 1015000, 2000 * MS));
  fail_unless (tfrc_encoder_target_limiter_pass (&limiter, 1020100, 2000 * MS));
}

GST_END_TEST;

/* Asked every 10 ms for 1 s, from 0 ms on: at 0, 100, ..., 900 ms. */
GST_START_TEST (no_more_than_ten_changes_pass_in_a_second)
{
  TfrcEncoderTargetLimiter limiter = { 0 };
  guint passed = 0;
  guint i;

  tfrc_encoder_target_limiter_reset (&limiter, 0);
  for (i = 0; i < 100; i++)
    passed += tfrc_encoder_target_limiter_pass (&limiter, 1000000 + 20000 * i,
        i * 10 * MS);
  assert_equals_int (passed, 10);
  /* The last that was held back passes once its time has come. */
  assert_equals_uint64 (limiter.bitrate, 1000000 + 20000 * 90);
  fail_unless (tfrc_encoder_target_limiter_pass (&limiter, 2980000, 1000 * MS));
}

GST_END_TEST;

/* The start bitrate was set at a time not known: 100 ms from the first look
 * at the clock.  A clock that jumps back must not stop changes for ever. */
/* From 1000 to 2500 kbit/s in steps of 5 kbit/s each 100 ms, 5 % a second of where it
 * began.  With 15 % more at a time: 1150, 1325, 1525, 1755, 2020, 2325 and no seventh
 * at 2675; none is within 3 s of the one before, as 15 % of 1000 take 3 s. */
GST_START_TEST (a_ramp_takes_few_changes_that_cost_a_key_frame)
{
  TfrcEncoderTargetLimiter limiter = { .cost = TFRC_ENCODER_KEY_FRAME };
  guint n_changes = 0;

  tfrc_encoder_target_limiter_reset (&limiter, 1000000);
  for (guint i = 0; i <= 300; i++)
    n_changes += tfrc_encoder_target_limiter_pass (&limiter, 1000000 + i * 5000,
        i * 100 * MS);
  assert_equals_int (n_changes, 6);
  assert_equals_uint64 (limiter.bitrate, 2325000);
}

GST_END_TEST;

/* A change below 15 % never passes.  15.1 % more wait for 15 / 15.1 of 3 s, which the next
 * look after 10 ms finds; 30 % for half of it; and twice the bitrate for no less than a
 * decrease. */
GST_START_TEST (what_a_change_costs_says_how_long_it_waits)
{
  static const struct
  {
    TfrcEncoderCost cost;
    guint64 bitrate;
    guint64 after_ms; /* 0 = never */
  } cases[] = {
    { TFRC_ENCODER_FREE, 990000, 100 },
    { TFRC_ENCODER_FREE, 1010000, 100 },
    { TFRC_ENCODER_KEY_FRAME, 851000, 0 },
    { TFRC_ENCODER_KEY_FRAME, 849000, 500 },
    { TFRC_ENCODER_KEY_FRAME, 1149000, 0 },
    { TFRC_ENCODER_KEY_FRAME, 1151000, 2990 },
    { TFRC_ENCODER_KEY_FRAME, 1300000, 1500 },
    { TFRC_ENCODER_KEY_FRAME, 2000000, 500 },
    { TFRC_ENCODER_RESTART, 849000, 1000 },
    { TFRC_ENCODER_RESTART, 1151000, 4970 },
    { TFRC_ENCODER_RESTART, 2000000, 1000 },
    { TFRC_ENCODER_RESTART, 1000000, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcEncoderTargetLimiter limiter = { .cost = cases[i].cost };
    guint64 ms = 0;

    tfrc_encoder_target_limiter_reset (&limiter, 1000000);
    while (ms < 10000
        && !tfrc_encoder_target_limiter_pass (&limiter, cases[i].bitrate,
            ms * MS))
      ms += 10;
    assert_equals_uint64 (ms, cases[i].after_ms ? cases[i].after_ms : 10000);
  }
}

GST_END_TEST;

GST_START_TEST (limiter_waits_after_reset_and_clock_jump)
{
  TfrcEncoderTargetLimiter limiter = { 0 };

  tfrc_encoder_target_limiter_reset (&limiter, 500000);
  fail_if (tfrc_encoder_target_limiter_pass (&limiter, 900000, 5000 * MS));
  fail_if (tfrc_encoder_target_limiter_pass (&limiter, 900000, 5099 * MS));
  fail_unless (tfrc_encoder_target_limiter_pass (&limiter, 900000, 5100 * MS));
  fail_if (tfrc_encoder_target_limiter_pass (&limiter, 500000, 10 * MS));
  fail_unless (tfrc_encoder_target_limiter_pass (&limiter, 500000, 110 * MS));
}

GST_END_TEST;

/* One packet each 10 ms from `from` to `to`; the number of warnings, and the
 * time of the last. */
static guint
feed (TfrcEncoderOutput *output, guint from_ms, guint to_ms, guint bitrate,
    guint *warned_ms)
{
  guint warnings = 0;
  guint ms;

  for (ms = from_ms; ms < to_ms; ms += 10) {
    if (tfrc_encoder_output_advance (output, ms * MS)) {
      warnings++;
      *warned_ms = ms;
    }
    output->open.bytes += bitrate / 800;
  }
  return warnings;
}

GST_START_TEST (output_is_the_mean_of_the_last_second)
{
  TfrcEncoderOutput output = { 0 };
  guint warned_ms = 0;

  feed (&output, 0, 500, 800000, &warned_ms);
  tfrc_encoder_output_advance (&output, 500 * MS);
  assert_equals_uint64 (output.output_bitrate, 400000);
  feed (&output, 500, 2000, 800000, &warned_ms);
  tfrc_encoder_output_advance (&output, 2000 * MS);
  assert_equals_uint64 (output.output_bitrate, 800000);
  /* Nothing for half a second, then for an hour. */
  tfrc_encoder_output_advance (&output, 2500 * MS);
  assert_equals_uint64 (output.output_bitrate, 400000);
  tfrc_encoder_output_advance (&output, 3600 * GST_SECOND);
  assert_equals_uint64 (output.output_bitrate, 0);
}

GST_END_TEST;

/* A step from 2000 to 500 kbit/s at 2 s that is ignored: the first second in
 * which only the new target was in force ends at 3.0 s.  It is the first of 30
 * that end too high in a row; the last of them ends at 5.9 s. */
GST_START_TEST (ignored_step_warns_once_an_episode)
{
  TfrcEncoderOutput output = { 0 };
  guint warned_ms = 0;

  tfrc_encoder_output_set_target (&output, 2000000);
  assert_equals_int (feed (&output, 0, 2000, 2000000, &warned_ms), 0);
  tfrc_encoder_output_set_target (&output, 500000);
  assert_equals_int (feed (&output, 2000, 12000, 2000000, &warned_ms), 1);
  assert_equals_int (warned_ms, 5900);
  /* It obeys, and then forgets again: another episode. */
  assert_equals_int (feed (&output, 12000, 15000, 500000, &warned_ms), 0);
  assert_equals_int (feed (&output, 15000, 25000, 2000000, &warned_ms), 1);
}

GST_END_TEST;

GST_START_TEST (obeyed_step_and_burst_do_not_warn)
{
  TfrcEncoderOutput output = { 0 };
  guint warned_ms = 0;
  guint ms;

  tfrc_encoder_output_set_target (&output, 2000000);
  feed (&output, 0, 2000, 2000000, &warned_ms);
  tfrc_encoder_output_set_target (&output, 500000);
  /* 0.5 s to react. */
  assert_equals_int (feed (&output, 2000, 2500, 2000000, &warned_ms), 0);
  assert_equals_int (feed (&output, 2500, 8000, 500000, &warned_ms), 0);
  /* A key frame of a whole second's bits every 3 s. */
  for (ms = 8000; ms < 20000; ms += 3000) {
    output.open.bytes += 500000 / 8;
    assert_equals_int (feed (&output, ms, ms + 3000, 500000, &warned_ms), 0);
  }
  /* Always 29 % above. */
  assert_equals_int (feed (&output, 20000, 30000, 645000, &warned_ms), 0);
}

GST_END_TEST;

/* No encoder, no target: whatever comes is right. */
GST_START_TEST (output_without_target_never_warns)
{
  TfrcEncoderOutput output = { 0 };
  guint warned_ms = 0;

  assert_equals_int (feed (&output, 0, 10000, 9000000, &warned_ms), 0);
}

GST_END_TEST;

static Suite *
tfrc_encoder_target_suite (void)
{
  Suite *suite = suite_create ("tfrcencodertarget");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, target_leaves_room_for_overhead_others_and_queue);
  tcase_add_test (tcase, what_passes_within_a_third_of_a_second_does_not_stand);
  tcase_add_test (tcase, share_of_the_target_is_learnt);
  tcase_add_loop_test (tcase,
      share_is_not_learnt_from_an_encoder_that_does_not_follow, 0, 2);
  tcase_add_test (tcase, target_keeps_within_configured_bounds);
  tcase_add_test (tcase, maximum_bounds_what_the_encoder_makes);
  tcase_add_test (tcase, change_under_one_per_cent_does_not_pass);
  tcase_add_test (tcase, no_more_than_ten_changes_pass_in_a_second);
  tcase_add_test (tcase, a_ramp_takes_few_changes_that_cost_a_key_frame);
  tcase_add_test (tcase, what_a_change_costs_says_how_long_it_waits);
  tcase_add_test (tcase, limiter_waits_after_reset_and_clock_jump);
  tcase_add_test (tcase, output_is_the_mean_of_the_last_second);
  tcase_add_test (tcase, ignored_step_warns_once_an_episode);
  tcase_add_test (tcase, obeyed_step_and_burst_do_not_warn);
  tcase_add_test (tcase, output_without_target_never_warns);
  return suite;
}

GST_CHECK_MAIN (tfrc_encoder_target);
