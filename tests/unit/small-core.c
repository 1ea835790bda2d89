/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core with small limits, for simulations with thousands of receivers: its
 * size, and that it behaves like the normal one. */
#include <check.h>

#include "check-suite.h"
#include "group-history.h"

static GroupHistory small, large;

START_TEST (a_small_receiver_fits_into_4608_bytes)
{
  ck_assert_uint_le (small.receiver_bytes, 4608);
  ck_assert_uint_gt (large.receiver_bytes, 4096);
}

END_TEST
START_TEST (a_group_of_small_receivers_does_the_same)
{
  for (unsigned i = 0; i < HISTORY_SAMPLES; i++) {
    const GroupSample *a = &large.samples[i], *b = &small.samples[i];

    ck_assert_msg (a->rate == b->rate, "X at sample %u", i);
    ck_assert_int_eq (a->clr, b->clr);
    ck_assert_uint_eq (a->round, b->round);
    for (unsigned j = 0; j < HISTORY_RECEIVERS; j++) {
      ck_assert_msg (a->rates[j] == b->rates[j], "X_r of %u at %u", j, i);
      ck_assert_msg (a->loss_event_rates[j] == b->loss_event_rates[j],
          "p of %u at %u", j, i);
      ck_assert_uint_eq (a->rtts[j], b->rtts[j]);
      ck_assert_uint_eq (a->reports[j], b->reports[j]);
    }
  }
}

END_TEST
/* Otherwise there was nothing to compare. */
START_TEST (the_group_has_seen_something)
{
  const GroupSample *last = &large.samples[HISTORY_SAMPLES - 1];
  unsigned n_changes = 0, n_with_losses = 0;

  for (unsigned i = 1; i < HISTORY_SAMPLES; i++)
    n_changes += large.samples[i].clr != large.samples[i - 1].clr;
  ck_assert_uint_ge (n_changes, 5);
  for (unsigned j = 0; j < HISTORY_RECEIVERS; j++) {
    ck_assert_uint_gt (last->reports[j], 0);
    n_with_losses += last->loss_event_rates[j] > 0.0;
  }
  ck_assert_uint_ge (n_with_losses, 5);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("small-core");
  TCase *tcase = tcase_create ("general");

  small_group_history (&small);
  large_group_history (&large);
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_small_receiver_fits_into_4608_bytes);
  tcase_add_test (tcase, a_group_of_small_receivers_does_the_same);
  tcase_add_test (tcase, the_group_has_seen_something);
  return run_check_suite (suite);
}
