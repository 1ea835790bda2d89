/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFMCC end to end in virtual time: which receiver the group's rate follows, and
 * how soon. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "check-suite.h"
#include "tfrc/equation.h"
#include "virtual-group.h"

static VirtualGroup *group;

static void
setup (void)
{
  GroupConfig config = group_config_default ();

  group = group_new (&config);
}

/* Everybody was correct: nothing was refused or corrected. */
static void
teardown (void)
{
  TfmccSenderCounters sender =
      tfmcc_sender_get_counters (group_get_sender (group));
  TfmccReportCheckCounters reports = group_get_report_check (group)->counters;

  ck_assert_uint_eq (sender.reports_invalid, 0);
  ck_assert_uint_eq (sender.reports_below_floor, 0);
  ck_assert_uint_eq (reports.limited, 0);
  ck_assert_uint_eq (reports.colliding, 0);
  ck_assert_uint_eq (reports.rtt_bounded, 0);
  for (unsigned i = 0; i < group_get_size (group); i++) {
    TfmccPacketCheckCounters extensions =
        group_get_packet_check (group, i)->counters;

    ck_assert_uint_eq (extensions.packets_foreign, 0);
    ck_assert_uint_eq (extensions.extensions_corrected, 0);
    ck_assert_uint_eq (extensions.sender_restarts, 0);
    ck_assert_uint_eq (extensions.ssrc_collisions, 0);
  }
  group_free (group);
}

static unsigned
join_with_loss (double loss)
{
  GroupPath path = group_path_default ();

  path.forward.loss = loss;
  return group_join (group, &path);
}

static unsigned
join_with_rate (TfrcRate rate)
{
  GroupPath path = group_path_default ();

  path.forward.rate = rate;
  path.forward.queue_limit = 100 * MS;
  return group_join (group, &path);
}

/* T computed by hand: 6 R_max, or 24 packets of 1000 bytes. */
static TfrcDuration
feedback_delay (TfrcDuration rtt, TfrcRate rate)
{
  return tfrc_time_max (6 * rtt, (TfrcDuration) (24e3 / rate * S));
}

/* Runs until the CLR is `receiver`; returns how long that took, or TFRC_TIME_NONE. */
static TfrcDuration
run_until_clr (int receiver, TfrcTime start, TfrcDuration limit)
{
  for (TfrcDuration passed = 0; passed <= limit; passed += 10 * MS) {
    group_run (group, start + passed);
    if (group_get_clr (group) == receiver)
      return passed;
  }
  return TFRC_TIME_NONE;
}

/* What the equation gives at the loss event rate for random losses with probability
 * p: W packets are sent in an RTT, p_event = (1 - (1 - p)^W) / W. */
static TfrcRate
fair_rate (double p)
{
  TfrcPath path = tfrc_path_rfc5348 (1000.0, 60 * MS);
  TfrcRate rate = tfrc_equation_rate (&path, p);

  for (unsigned i = 0; i < 50; i++) {
    double window = fmax (rate * 0.06 / 1000.0, 1.0);
    double p_event = (1.0 - pow (1.0 - p, window)) / window;

    rate = 0.5 * rate + 0.5 * tfrc_equation_rate (&path, p_event);
  }
  return rate;
}

static const double losses[] = { 0.001, 0.005, 0.02, 0.05 };

/* The average of eight intervals varies, and the rate with its inverse root: the
 * mean over minutes deviates, but is never far above. */
START_TEST (one_receiver_gets_what_the_equation_gives)
{
  TfrcRate rate;

  join_with_loss (losses[_i]);
  group_run (group, 100 * S);
  rate = group_run_rate (group, 700 * S);
  ck_assert_double_ge (rate, 0.75 * fair_rate (losses[_i]));
  ck_assert_double_le (rate, 1.1 * fair_rate (losses[_i]));
}

END_TEST
START_TEST (a_link_is_filled_and_not_overrun)
{
  TfrcRate rate;

  join_with_rate (125000.0);
  group_run (group, 60 * S);
  rate = group_run_rate (group, 160 * S);
  ck_assert_double_ge (rate, 0.95 * 125000.0);
  ck_assert_double_le (rate, 1.02 * 125000.0);
}

END_TEST
/* Four receivers on 3 to 10 Mbit/s, 50 ms.  The first round takes 3/4 of 6 * 510
 * ms, plus a sixteenth for the codes of R_max and 50 ms for the reports: 2.5 s.  X
 * is then a packet per 125 + 10 ms, 59 kbit/s, and R_max 145 ms: within the next
 * round, of 6 * 145 ms, a packet per R_max in each R_max raises it to about 0.3
 * Mbit/s.  After 3.5 s X is doubled and R_max is the 50 ms of the path: 3 Mbit/s
 * more each second, so 1 Mbit/s after 3.9 s. */
START_TEST (a_group_is_at_a_megabit_within_four_seconds)
{
  GroupConfig config = group_config_default ();
  GroupPath path = group_path_default ();
  uint64_t lost;

  group_free (group);
  config.seed = (uint64_t) _i + 1;
  config.sender.max_segment_size = config.packet_size;
  group = group_new (&config);
  path.forward.delay = path.back.delay = 25 * MS;
  path.forward.queue_limit = 100 * MS;
  for (unsigned i = 0; i < 4; i++) {
    path.forward.rate = (3.0 + 7.0 / 3.0 * i) * 125000.0;
    group_join (group, &path);
  }
  group_run (group, 4 * S);
  ck_assert_double_ge (group_get_rate (group, 4 * S), 125000.0);
  lost =
      tfmcc_receiver_get_counters (group_get_receiver (group, 0)).packets_lost;
  ck_assert_uint_eq (lost, 0);
}

END_TEST
/* Three receivers on 2 to 6 Mbit/s, 50 ms, and a sender that begins again after 2 s,
 * at 0.3 Mbit/s and with 500 ms for R_max: the first round takes 4.5 times the R_max
 * of before, of 115 ms at most with a full queue, and the second 6 times 125 ms.  X
 * is then four times as much, and at 0.8 of 2 Mbit/s within a third. */
START_TEST (a_sender_that_restarts_is_soon_where_it_was)
{
  GroupConfig config = group_config_default ();
  VirtualGroup *restarts;
  TfrcTime now;

  config.seed = (uint64_t) _i + 1;
  config.sender.max_segment_size = config.packet_size;
  config.sender.start_rate = 37.5e3;
  restarts = group_new (&config);
  for (unsigned i = 0; i < 3; i++)
    group_join_by (restarts, 50 * MS, (2.0 + 2.0 * i) * 125000.0, 0.0);
  group_run (restarts, 20 * S);
  group_set_paused (restarts, true);
  group_run (restarts, 22 * S);
  group_restart_sender (restarts);
  group_set_paused (restarts, false);
  for (now = 22 * S; group_get_rate (restarts, now) < 0.8 * 250e3;
      now += 10 * MS)
    group_run (restarts, now);
  ck_assert_uint_le (now - 22 * S, 2200 * MS);
  group_free (restarts);
}

END_TEST
START_TEST (slow_start_never_exceeds_twice_the_link)
{
  join_with_rate (125000.0);
  for (unsigned i = 1; i < 600; i++) {
    group_run (group, i * 100 * MS);
    ck_assert_double_le (tfmcc_sender_get_rate (group_get_sender (group),
                             i * 100 * MS),
        2.0 * 125000.0);
  }
  ck_assert (!group_get_sender (group)->slow_start);
}

END_TEST
/* Receivers that join, or crash, beside others that lose less; each with five
 * seeds. */
static const struct
{
  double loss;
  TfrcRate rate;      /* rate of its link; 0: no limit */
  TfrcDuration delay; /* one way */
} slowest[] = {
  { 0.1, 0.0, 30 * MS },
  { 0.03, 0.0, 30 * MS },
  { 0.1, 0.0, 20 * MS },
  { 0.1, 0.0, 150 * MS },
  { 0.0, 12500.0, 30 * MS },
};

#define SEEDS 5
#define N_JOINERS 16
#define N_SLOWEST (SEEDS * sizeof slowest / sizeof slowest[0])

static void
start_group (int i, TfrcDuration delay_target)
{
  GroupConfig config = group_config_default ();

  group_free (group);
  config.seed = 1 + (uint64_t) i;
  config.receiver.delay_target = delay_target;
  group = group_new (&config);
}

static void
join_slowest (int i)
{
  GroupPath path = group_path_default ();

  i /= SEEDS;
  path.forward.loss = slowest[i].loss;
  path.forward.delay = path.back.delay = slowest[i].delay;
  if (slowest[i].rate > 0.0) {
    path.forward.rate = slowest[i].rate;
    path.forward.queue_limit = 100 * MS;
  }
  group_join (group, &path);
}

/* Its delay in both directions, and a full queue with the packet behind it. */
static TfrcDuration
get_slowest_rtt (int i)
{
  TfrcDuration rtt = 2 * slowest[i / SEEDS].delay;

  if (slowest[i / SEEDS].rate > 0.0)
    rtt += 100 * MS + (TfrcDuration) (1e3 / slowest[i / SEEDS].rate * S);
  return rtt;
}

/* Within two feedback delays and a second: T is 6 R_max (RFC 4654 section 4.5), and
 * the two that were there have an RTT of 60 ms. */
START_TEST (a_new_slowest_receiver_becomes_the_clr)
{
  TfrcDuration limit = 2 * 6 * 60 * MS + S;

  start_group (_i % SEEDS, 0);
  join_with_loss (0.001);
  join_with_loss (0.005);
  group_run (group, 100 * S);
  join_slowest (_i);
  ck_assert_uint_le (run_until_clr (2, 100 * S, limit), limit);
}

END_TEST
/* Most of what is sent is lost until it is the CLR: within 0.85 s on average, of
 * which its queue and two one-way delays take 0.35.  It does not wait for a bias by
 * the sending rate, which it cannot know. */
START_TEST (a_joiner_behind_a_narrow_link_is_soon_the_clr)
{
  GroupPath narrow = group_path_default ();
  TfrcDuration sum = 0;

  narrow.forward.rate = 0.4 * 125000.0;
  narrow.forward.queue_limit = 200 * MS;
  narrow.forward.delay = narrow.back.delay = 50 * MS;
  for (int i = 0; i < N_JOINERS; i++) {
    TfrcTime at = 60 * S + i * 40 * MS;

    start_group (i, 15 * MS);
    join_with_rate (1.3 * 125000.0);
    join_with_rate (2.6 * 125000.0);
    group_run (group, at);
    group_join (group, &narrow);
    sum += run_until_clr (2, at, 2 * S);
  }
  ck_assert_uint_le (sum, N_JOINERS * 850 * MS);
}

END_TEST
/* Within 10 of its RTTs and a round of 6, plus two for the code of R_max and the
 * way of the report.  If packets are further apart, these intervals count: at half
 * the rate, as it is after 4 RTTs, 10 intervals are at most 20 packets and a round
 * 24; one begins the round, and one is sent until the report has arrived. */
START_TEST (a_killed_clr_is_replaced)
{
  TfrcDuration rtt = tfrc_time_max (get_slowest_rtt (_i), 60 * MS), passed;
  uint64_t n_before;

  start_group (_i % SEEDS, 0);
  join_with_loss (0.005);
  join_slowest (_i);
  group_run (group, 100 * S);
  ck_assert_int_eq (group_get_clr (group), 1);
  group_kill (group, 1);
  /* Its last reports are still in flight. */
  group_run (group, 100 * S + 150 * MS);
  n_before = tfmcc_sender_get_counters (group_get_sender (group)).packets;
  passed = run_until_clr (0, 100 * S, 60 * S);
  ck_assert_uint_ne (passed, TFRC_TIME_NONE);
  ck_assert (passed <= 18 * rtt
      || tfmcc_sender_get_counters (group_get_sender (group)).packets - n_before
          <= 46);
}

END_TEST
START_TEST (the_rate_recovers_when_the_slowest_leaves)
{
  TfrcRate before;
  TfrcDuration limit;

  join_with_loss (0.001);
  join_with_loss (0.1);
  group_run (group, 60 * S);
  before = group_run_rate (group, 100 * S);
  ck_assert_double_le (before, 1.3 * fair_rate (0.1));
  group_leave (group, 1);
  limit = 2 * feedback_delay (60 * MS, before);
  ck_assert_uint_le (run_until_clr (0, 100 * S, limit), limit);
  group_run (group, 200 * S);
  ck_assert_double_ge (group_run_rate (group, 300 * S),
      0.7 * fair_rate (0.001));
}

END_TEST
START_TEST (every_receiver_gets_an_rtt)
{
  for (unsigned i = 0; i < 30; i++)
    join_with_loss (0.001 * (i + 1));
  group_run (group, 200 * S);
  for (unsigned i = 0; i < 30; i++)
    ck_assert_uint_le (tfmcc_rtt_get (&(group_get_receiver (group, i))->rtt),
        70 * MS);
}

END_TEST
/* For an hour the sender hears only the slowest receiver and echoes no other; their
 * clocks drift apart, half of them in either direction.  Then all are heard again,
 * and one whose clock was slow becomes slow: it must not take its path for a short
 * one, and the half of the group that takes its paths for long ones must not report
 * all at once. */
static const int drifts[] = { 0, 50, 200 };

#define N_DRIFTING 16

START_TEST (an_hour_of_drift_hides_nobody)
{
  GroupPath path = group_path_default ();
  TfmccSenderCounters before, after;
  TfrcDuration limit;
  TfrcRate rate;

  join_with_loss (0.05);
  for (unsigned i = 1; i < N_DRIFTING; i++) {
    join_with_loss (0.01);
    group_set_drift (group, i, i % 2 == 0 ? drifts[_i] : -drifts[_i]);
  }
  group_run (group, 60 * S);
  path.forward.loss = 0.01;
  path.back.rate = 0.0;
  for (unsigned i = 1; i < N_DRIFTING; i++)
    group_set_path (group, i, &path);
  group_run (group, 3000 * S);
  rate = group_run_rate (group, 3600 * S);
  ck_assert_double_le (rate, 1.1 * fair_rate (0.05));
  for (unsigned i = 1; i < N_DRIFTING; i += 2)
    ck_assert_uint_ge (tfmcc_rtt_get (&(group_get_receiver (group, i))->rtt),
        59 * MS);

  path.back.rate = INFINITY;
  for (unsigned i = 1; i < N_DRIFTING; i++) {
    path.forward.loss = i == 1 ? 0.2 : 0.01;
    group_set_path (group, i, &path);
  }
  before = tfmcc_sender_get_counters (group_get_sender (group));
  limit = 2 * feedback_delay (60 * MS, rate) + S;
  ck_assert_uint_le (run_until_clr (1, 3600 * S, limit), limit);
  group_run (group, 3700 * S);
  after = tfmcc_sender_get_counters (group_get_sender (group));
  ck_assert_uint_le (after.reports - after.reports_clr - before.reports
          + before.reports_clr,
      N_DRIFTING / 2 * (after.rounds - before.rounds));
  /* The equation is convex: with eight intervals of five packets it gives a
   * twentieth more on average, and over 1000 s another twentieth is chance. */
  ck_assert_double_le (group_run_rate (group, 4700 * S),
      1.15 * fair_rate (0.2));
}

END_TEST
START_TEST (a_pause_does_not_stop_the_group)
{
  join_with_loss (0.005);
  group_run (group, 60 * S);
  group_set_paused (group, true);
  group_run (group, 90 * S);
  group_set_paused (group, false);
  group_run (group, 150 * S);
  ck_assert_double_ge (group_run_rate (group, 300 * S),
      0.7 * fair_rate (0.005));
}

END_TEST
/* With small packets, 40 ms apart where 10 R_max are 26. */
START_TEST (frames_on_a_short_path_are_no_pauses)
{
  GroupConfig config = group_config_default ();
  TfrcRate rate;

  config.packet_size = config.sender.max_segment_size = 300;
  config.sender.max_rate = 1.5 * MBIT;
  config.sender.round.granularity = MS;
  config.source_rate = 0.3 * MBIT;
  config.frame_interval = 40 * MS;
  group_free (group);
  group = group_new (&config);
  group_join_by (group, MS, 0, 0);
  group_run (group, 10 * S);
  rate = group_get_rate (group, 10 * S);
  ck_assert_double_ge (rate, 1.2 * MBIT);
  for (TfrcTime at = 10 * S; at < 20 * S; at += 10 * MS) {
    group_run (group, at);
    ck_assert_double_ge (group_get_rate (group, at), rate);
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("group-rates");
  TCase *tcase = tcase_create ("general");
  TCase *deviations = tcase_create ("deviations");

  suite_add_tcase (suite, tcase);
  suite_add_tcase (suite, deviations);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_checked_fixture (deviations, setup, teardown);
  tcase_add_loop_test (tcase, one_receiver_gets_what_the_equation_gives, 0,
      sizeof losses / sizeof losses[0]);
  tcase_add_test (tcase, a_link_is_filled_and_not_overrun);
  tcase_add_loop_test (deviations, a_group_is_at_a_megabit_within_four_seconds,
      0, 20);
  tcase_add_loop_test (deviations, a_sender_that_restarts_is_soon_where_it_was,
      0, 4);
  tcase_add_test (tcase, slow_start_never_exceeds_twice_the_link);
  tcase_add_loop_test (tcase, a_new_slowest_receiver_becomes_the_clr, 0,
      N_SLOWEST);
  tcase_add_test (tcase, a_joiner_behind_a_narrow_link_is_soon_the_clr);
  tcase_add_loop_test (deviations, a_killed_clr_is_replaced, 0, N_SLOWEST);
  tcase_add_test (tcase, the_rate_recovers_when_the_slowest_leaves);
  tcase_add_test (tcase, every_receiver_gets_an_rtt);
  tcase_add_loop_test (deviations, an_hour_of_drift_hides_nobody, 0,
      sizeof drifts / sizeof drifts[0]);
  tcase_add_test (deviations, a_pause_does_not_stop_the_group);
  tcase_add_test (deviations, frames_on_a_short_path_are_no_pauses);
  return run_check_suite (suite);
}
