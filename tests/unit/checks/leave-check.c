/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a receiver stays in a group that is too fast for it. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "check-suite.h"
#include "checks/tfmcc-packets.h"
#include "random-link.h"
#include "virtual-group.h"

#define STEP (100 * MS)
/* RFC 4654 section 4.4, used in the calculations below. */
#define LONG (120 * S)

static TfmccLeaveCheck leave_check;
static TfrcTime now;
static TfrcTime hopeless_at; /* or NONE */

static void
setup (void)
{
  tfmcc_leave_check_init (&leave_check, LONG);
  now = 1000 * S;
  hopeless_at = TFRC_TIME_NONE;
}

/* Both rates for that time. */
static void
spend (TfrcDuration duration, TfrcRate rate, TfrcRate sending_rate)
{
  for (TfrcTime end = now + duration; now < end;) {
    now += STEP;
    if (tfmcc_leave_check_on_rates (&leave_check, rate, sending_rate, now))
      hopeless_at = now;
  }
}

/* The first sample is the mean. */
START_TEST (half_of_what_is_sent_is_hopeless_after_the_timeout)
{
  spend (120 * S, 50.0, 100.0);
  ck_assert (!leave_check.hopeless);
  spend (STEP, 50.0, 100.0);
  ck_assert (leave_check.hopeless);
  ck_assert_uint_eq (hopeless_at, 1000 * S + STEP + LONG);
  /* It is returned once. */
  spend (300 * S, 50.0, 100.0);
  ck_assert_uint_eq (hopeless_at, 1000 * S + STEP + LONG);
}

END_TEST
/* A ratio that was never below 0.7 does not count as too fast. */
static const struct
{
  double ratio;
  bool hopeless;
} ratios[] = {
  { 2.0, false },
  { 1.0, false },
  { 0.71, false },
  { 0.69, true },
  { 0.0, true },
};

START_TEST (a_quarter_below_is_noise)
{
  spend (200 * S, ratios[_i].ratio * 100.0, 100.0);
  ck_assert (leave_check.hopeless == ratios[_i].hopeless);
}

END_TEST
/* The mean goes from 100 towards 50 with a time constant of 120 s / 8 = 15 s: it is
 * 70 after 15 ln (50 / 20) = 13.74 s, and 120 s later the receiver should leave. */
START_TEST (a_fall_counts_from_when_the_mean_has_fallen)
{
  TfrcTime fell_at;

  spend (60 * S, 100.0, 100.0);
  fell_at = now;
  spend (200 * S, 50.0, 100.0);
  ck_assert_uint_ge (hopeless_at, fell_at + 133740 * MS - STEP);
  ck_assert_uint_le (hopeless_at, fell_at + 133740 * MS + STEP);
}

END_TEST
/* From 50 towards 100: the mean is 80 after 15 ln (50 / 20) = 13.74 s.  A shorter
 * time does not help; after that everything starts anew. */
START_TEST (only_a_mean_that_recovered_calms)
{
  spend (110 * S, 50.0, 100.0);
  spend (13600 * MS, 100.0, 100.0);
  ck_assert (leave_check.hopeless);
  setup ();
  spend (90 * S, 50.0, 100.0);
  spend (13900 * MS, 100.0, 100.0);
  spend (100 * S, 50.0, 100.0);
  ck_assert (!leave_check.hopeless);
  /* The mean was back at 70 after 15 ln (30 / 20) = 6.1 s of these. */
  spend (30 * S, 50.0, 100.0);
  ck_assert (leave_check.hopeless);
  spend (60 * S, 100.0, 100.0);
  ck_assert (!leave_check.hopeless);
}

END_TEST
/* A second without loss in every twenty triples the rate; a loss event every ten
 * seconds takes all of it for one second. */
START_TEST (noise_neither_calms_nor_starts)
{
  for (unsigned i = 0; i < 7; i++) {
    spend (19 * S, 50.0, 100.0);
    spend (1 * S, 300.0, 100.0);
  }
  ck_assert (leave_check.hopeless);
  setup ();
  for (unsigned i = 0; i < 30; i++) {
    spend (9 * S, 100.0, 100.0);
    spend (1 * S, 0.0, 100.0);
  }
  ck_assert (!leave_check.hopeless);
}

END_TEST
START_TEST (what_is_not_sent_is_not_too_fast)
{
  spend (100 * S, 50.0, 100.0);
  /* One update after the pause is enough: its mean is what was sent. */
  now += 60 * S;
  ck_assert (!tfmcc_leave_check_on_rates (&leave_check, 50.0, 0.0, now));
  spend (60 * S, 50.0, 50.0);
  ck_assert (!leave_check.hopeless);
}

END_TEST
START_TEST (without_a_timeout_nobody_leaves)
{
  tfmcc_leave_check_init (&leave_check, 0);
  spend (1000 * S, 0.0, 100.0);
  ck_assert (!leave_check.hopeless);
  leave_check.timeout = 10 * S;
  spend (10 * S + STEP, 0.0, 100.0);
  ck_assert (leave_check.hopeless);
}

END_TEST
/* Receivers that limit their group, behind random loss or a bottleneck; each run
 * with five seeds.  The lowest ratio of the means in 40 such runs is 0.98. */
static const struct
{
  double loss;
  TfrcRate rate;
  size_t queue_bytes;
  TfrcDuration delay;
} paths[] = {
  { 0.001, INFINITY, LINK_UNLIMITED_BYTES, 30 * MS },
  { 0.02, INFINITY, LINK_UNLIMITED_BYTES, 150 * MS },
  { 0.1, INFINITY, LINK_UNLIMITED_BYTES, 30 * MS },
  { 0.0, 62500.0, 10000, 30 * MS },
};

/* The check of the first member, from `from` to `until`; returns the lowest
 * ratio after a minute. */
static double
watch (VirtualGroup *group, TfrcTime from, TfrcTime until)
{
  double lowest = INFINITY;

  for (now = from; now < until; now += STEP) {
    const TfmccReceiver *receiver = group_get_receiver (group, 0);

    group_run (group, now);
    if (tfmcc_leave_check_on_rates (&leave_check,
            tfmcc_receiver_get_rate (receiver),
            tfmcc_receiver_get_sending_rate (receiver), now))
      hopeless_at = now;
    if (now > from + 60 * S)
      lowest = fmin (lowest, leave_check.rate / leave_check.sending_rate);
  }
  return lowest;
}

static VirtualGroup *
make_group (int run)
{
  GroupConfig config = group_config_default ();
  GroupPath path = group_path_default ();
  VirtualGroup *group;

  config.seed = 1 + (uint64_t) run % 5;
  path.forward.loss = paths[run / 5].loss;
  path.forward.rate = paths[run / 5].rate;
  path.forward.queue_limit_bytes = paths[run / 5].queue_bytes;
  path.forward.delay = paths[run / 5].delay;
  group = group_new (&config);
  group_join (group, &path);
  return group;
}

START_TEST (the_limiting_receiver_of_a_group_is_calm)
{
  VirtualGroup *group = make_group (_i);

  ck_assert_double_gt (watch (group, STEP, 300 * S), 0.95);
  ck_assert (!leave_check.hopeless);
  group_free (group);
}

END_TEST
/* The same with the default timeout, where means are over 1.25 s. */
START_TEST (ten_seconds_are_enough_to_tell_noise)
{
  VirtualGroup *group = make_group (_i);

  tfmcc_leave_check_init (&leave_check, TFMCC_LEAVE_TIMEOUT);
  watch (group, STEP, 600 * S);
  ck_assert_uint_eq (hopeless_at, TFRC_TIME_NONE);
  group_free (group);
}

END_TEST
/* Six receivers behind random links, one of which changes every minute: after
 * twenty changes at most one receiver is left that the sender does not hear in
 * time. */
START_TEST (links_that_change_are_seldom_hopeless)
{
  enum
  {
    MEMBERS = 6
  };
  GroupConfig config = group_config_default ();
  TfmccLeaveCheck checks[MEMBERS];
  VirtualGroup *group;
  unsigned alarms = 0;
  TfrcRng rng;

  config.seed = 1 + (uint64_t) _i;
  tfrc_rng_init (&rng, config.seed, 7);
  group = group_new (&config);
  for (unsigned i = 0; i < MEMBERS; i++) {
    GroupPath path;

    random_link_draw (&path.forward, &rng);
    random_link_draw (&path.back, &rng);
    group_join (group, &path);
    tfmcc_leave_check_init (&checks[i], TFMCC_LEAVE_TIMEOUT);
  }
  for (now = STEP; now < 1200 * S; now += STEP) {
    if (now % (60 * S) == 0) {
      GroupPath path = group_path_default ();

      random_link_draw (&path.forward, &rng);
      group_set_path (group, tfrc_rng_next (&rng) % MEMBERS, &path);
    }
    group_run (group, now);
    for (unsigned i = 0; i < MEMBERS; i++) {
      const TfmccReceiver *receiver = group_get_receiver (group, i);

      alarms += tfmcc_rtt_is_measured (&receiver->rtt)
          && tfmcc_leave_check_on_rates (&checks[i],
              tfmcc_receiver_get_rate (receiver),
              tfmcc_receiver_get_sending_rate (receiver), now);
    }
  }
  ck_assert_uint_le (alarms, 1);
  group_free (group);
}

END_TEST
/* Sixteen receivers with the same random loss limit the group in turn, so each
 * could take more on average than what is sent: at least 1.13 of it, with this loss
 * and with 0.5 and 8 %. */
START_TEST (every_member_of_a_group_is_calm)
{
  enum
  {
    MEMBERS = 16
  };
  GroupConfig config = group_config_default ();
  GroupPath path = group_path_default ();
  TfmccLeaveCheck leave_checks[MEMBERS];
  VirtualGroup *group;

  path.forward.loss = 0.02;
  group = group_new (&config);
  for (unsigned i = 0; i < MEMBERS; i++) {
    group_join (group, &path);
    tfmcc_leave_check_init (&leave_checks[i], LONG);
  }
  for (now = S; now < 300 * S; now += STEP) {
    group_run (group, now);
    for (unsigned i = 0; i < MEMBERS; i++) {
      const TfmccReceiver *receiver = group_get_receiver (group, i);

      if (!tfmcc_rtt_is_measured (&receiver->rtt))
        continue;
      ck_assert (!tfmcc_leave_check_on_rates (&leave_checks[i],
          tfmcc_receiver_get_rate (receiver),
          tfmcc_receiver_get_sending_rate (receiver), now));
      if (now > 60 * S)
        ck_assert_double_gt (leave_checks[i].rate,
            leave_checks[i].sending_rate);
    }
  }
  group_free (group);
}

END_TEST
/* Behind half of the 1 Mbit/s that is sent at least. */
START_TEST (behind_half_of_the_lower_bound_it_is_hopeless)
{
  GroupConfig config = group_config_default ();
  GroupPath path = group_path_default ();
  VirtualGroup *group;

  config.sender.min_rate = 125000.0;
  config.seed = 1 + (uint64_t) _i;
  group = group_new (&config);
  path.forward.rate = 62500.0;
  path.forward.queue_limit_bytes = 10000;
  group_join (group, &path);
  tfmcc_leave_check_init (&leave_check, TFMCC_LEAVE_TIMEOUT);
  watch (group, STEP, 10 * S + TFMCC_LEAVE_TIMEOUT);
  ck_assert (leave_check.hopeless);
  ck_assert_uint_ge (hopeless_at, TFMCC_LEAVE_TIMEOUT);
  group_free (group);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("leave-check");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, half_of_what_is_sent_is_hopeless_after_the_timeout);
  tcase_add_loop_test (tcase, a_quarter_below_is_noise, 0,
      sizeof ratios / sizeof ratios[0]);
  tcase_add_test (tcase, a_fall_counts_from_when_the_mean_has_fallen);
  tcase_add_test (tcase, only_a_mean_that_recovered_calms);
  tcase_add_test (tcase, noise_neither_calms_nor_starts);
  tcase_add_test (tcase, what_is_not_sent_is_not_too_fast);
  tcase_add_test (tcase, without_a_timeout_nobody_leaves);
  tcase_add_loop_test (tcase, the_limiting_receiver_of_a_group_is_calm, 0,
      5 * (int) (sizeof paths / sizeof paths[0]));
  tcase_add_loop_test (tcase, ten_seconds_are_enough_to_tell_noise, 0,
      5 * (int) (sizeof paths / sizeof paths[0]));
  tcase_add_loop_test (tcase, links_that_change_are_seldom_hopeless, 0, 12);
  tcase_add_test (tcase, every_member_of_a_group_is_calm);
  tcase_add_loop_test (tcase, behind_half_of_the_lower_bound_it_is_hopeless, 0,
      5);
  return run_check_suite (suite);
}
