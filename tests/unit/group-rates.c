/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFMCC end to end under virtual time: whom the group's rate follows, and how
 * soon. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tfrc-equation.h"
#include "virtual-group.h"

#define MS TFRC_MILLISECOND
#define S TFRC_SECOND

static VirtualGroup *group;

static void
setup (void)
{
  GroupConfig config = group_config_default ();

  group = group_new (&config);
}

static void
teardown (void)
{
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

static TfrcRate
equation (double p)
{
  TfrcPath path = tfrc_path_rfc5348 (1000.0, 60 * MS);

  return tfrc_equation_rate (&path, p);
}

START_TEST (one_receiver_gets_what_the_equation_gives)
{
  TfrcRate rate;

  join_with_loss (0.02);
  group_run (group, 60 * S);
  rate = group_run_rate (group, 260 * S);
  fprintf (stderr, "%g of %g\n", rate, equation (0.02));
  ck_assert_double_ge (rate, 0.7 * equation (0.02));
  ck_assert_double_le (rate, 1.1 * equation (0.02));
}

END_TEST
START_TEST (a_link_is_filled)
{
  TfrcRate rate;

  join_with_rate (125000.0);
  group_run (group, 60 * S);
  rate = group_run_rate (group, 160 * S);
  fprintf (stderr, "link %g\n", rate);
  ck_assert_double_ge (rate, 0.9 * 125000.0);
  ck_assert_double_le (rate, 1.05 * 125000.0);
}

END_TEST
START_TEST (the_slowest_receiver_limits_the_group)
{
  join_with_loss (0.001);
  join_with_loss (0.005);
  join_with_loss (0.05);
  group_run (group, 30 * S);
  for (int i = 31; i < 200; i++) {
    group_run (group, i * S);
    if (i % 20 == 0)
      fprintf (stderr, "%d: clr %d rate %g (%g)\n", i, group_get_clr (group),
          tfmcc_sender_get_rate (group_get_sender (group), i * S),
          equation (0.05));
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("group-rates");
  TCase *tcase = tcase_create ("general");
  SRunner *runner = srunner_create (suite);
  int failed;

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, one_receiver_gets_what_the_equation_gives);
  tcase_add_test (tcase, a_link_is_filled);
  tcase_add_test (tcase, the_slowest_receiver_limits_the_group);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
