/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which losses count as congestion.  Figures are computed by hand: the mean of loss
 * events with a queue falls to 7/8 with each one without. */
#include <check.h>

#include "check-suite.h"
#include "delay/loss-tolerance.h"

#define TARGET (8 * MS)
#define RTT (50 * MS)

static TfrcLossTolerance tolerance;
static double p;

static void
start (void)
{
  tfrc_loss_tolerance_init (&tolerance);
  p = 0.0;
}

static void
report (bool lost, TfrcDuration queue, TfrcTime now)
{
  if (lost)
    p += 0.001;
  tfrc_loss_tolerance_on_report (&tolerance, p, queue, TARGET, RTT, now);
}

START_TEST (without_a_queue_that_was_held_all_losses_count)
{
  start ();
  for (unsigned i = 1; i <= 20; i++) {
    report (true, 0, i * S);
    ck_assert_double_eq (tolerance.congestive, 1.0);
  }
  /* A queue as long as the target proves nothing, nor one at which a packet was
   * lost. */
  report (false, TARGET, 21 * S);
  ck_assert_double_eq (tolerance.congestive, 1.0);
  report (true, 2 * TARGET, 22 * S);
  ck_assert_double_eq (tolerance.congestive, 1.0);
}
END_TEST

START_TEST (losses_without_a_queue_count_less_and_less)
{
  start ();
  report (false, TARGET + 1, S);
  report (false, 0, 2 * S);
  report (true, 0, 3 * S);
  ck_assert_double_eq (tolerance.congestive, 0.875);
  report (true, 0, 4 * S);
  ck_assert_double_eq (tolerance.congestive, 0.765625);
  /* A queue longer than half of the target: 0.765625 + (1 - 0.765625)/8. */
  report (true, TARGET / 2 + 1, 5 * S);
  ck_assert_double_eq (tolerance.congestive, 0.794921875);
}
END_TEST

START_TEST (a_queue_before_the_report_of_a_loss_counts)
{
  start ();
  report (false, TARGET + 1, S);
  report (false, TARGET + 1, 2 * S);
  report (true, 0, 3 * S);
  ck_assert_double_eq (tolerance.congestive, 1.0);
  report (true, 0, 4 * S);
  ck_assert_double_eq (tolerance.congestive, 0.875);
}
END_TEST

START_TEST (a_quarter_of_the_losses_counts_always)
{
  start ();
  report (false, TARGET + 1, S);
  report (false, 0, 2 * S);
  for (unsigned i = 0; i < 40; i++)
    report (true, 0, 3 * S);
  ck_assert_double_eq (tolerance.congestive, 0.25);
}
END_TEST

START_TEST (what_was_held_a_minute_ago_is_no_proof)
{
  start ();
  report (false, TARGET + 1, S);
  report (false, 0, 2 * S);
  report (true, 0, 61 * S);
  ck_assert_double_eq (tolerance.congestive, 0.875);
  report (false, 0, 61 * S + 1);
  ck_assert_double_eq (tolerance.congestive, 1.0);
}
END_TEST

/* Losses are reported an RTT later, when the queue may be gone. */
START_TEST (a_queue_whose_losses_follow_is_no_proof)
{
  start ();
  report (false, 2 * TARGET, S);
  report (true, 0, S + RTT);
  report (false, 0, 2 * S);
  report (true, 0, 3 * S);
  ck_assert_double_eq (tolerance.congestive, 1.0);
}
END_TEST

/* By a queue of 5 ms, below the target; within three RTTs after the train, not
 * later. */
START_TEST (packets_that_left_at_once_prove_it_by_less)
{
  const TfrcDuration after = _i == 0 ? RTT : 3 * RTT;

  start ();
  report (true, 0, S);
  ck_assert (tfrc_loss_tolerance_poll_train (&tolerance, S));
  report (false, 5 * MS, S + after);
  report (false, 0, 2 * S);
  report (true, 0, 3 * S);
  ck_assert_double_eq (tolerance.congestive, _i == 0 ? 0.875 * 0.875 : 1.0);
}
END_TEST

/* Every ten seconds while there are losses and no proof from the last half minute. */
START_TEST (a_train_leaves_where_losses_have_no_proof)
{
  start ();
  report (false, 0, S);
  ck_assert (!tfrc_loss_tolerance_poll_train (&tolerance, S));
  report (true, 0, 2 * S);
  ck_assert (tfrc_loss_tolerance_poll_train (&tolerance, 2 * S));
  ck_assert (!tfrc_loss_tolerance_poll_train (&tolerance, 12 * S - 1));
  ck_assert (tfrc_loss_tolerance_poll_train (&tolerance, 12 * S));
  report (false, TARGET + 1, 13 * S);
  report (false, 0, 14 * S);
  ck_assert (!tfrc_loss_tolerance_poll_train (&tolerance, 43 * S - 1));
  ck_assert (tfrc_loss_tolerance_poll_train (&tolerance, 43 * S));
}
END_TEST

int
main (void)
{
  Suite *suite = suite_create ("tfrc-loss-tolerance");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, without_a_queue_that_was_held_all_losses_count);
  tcase_add_test (tc, losses_without_a_queue_count_less_and_less);
  tcase_add_test (tc, a_queue_before_the_report_of_a_loss_counts);
  tcase_add_test (tc, a_quarter_of_the_losses_counts_always);
  tcase_add_test (tc, what_was_held_a_minute_ago_is_no_proof);
  tcase_add_test (tc, a_queue_whose_losses_follow_is_no_proof);
  tcase_add_loop_test (tc, packets_that_left_at_once_prove_it_by_less, 0, 2);
  tcase_add_test (tc, a_train_leaves_where_losses_have_no_proof);
  return run_check_suite (suite);
}
