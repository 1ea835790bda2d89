/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a receiver is the CLR, and when it reports as that. */
#include <check.h>

#include "check-suite.h"
#include "tfmcc/clr-role.h"

#define MS TFRC_MILLISECOND
#define S TFRC_SECOND
#define RTT (60 * MS)

static TfmccClrRole role;

static void
setup (void)
{
  tfmcc_clr_role_init (&role);
}

/* Named at 10 s by a packet, and reports at once. */
static void
begin (void)
{
  role.unreported = true;
  ck_assert (tfmcc_clr_role_on_name (&role, true));
  ck_assert (tfmcc_clr_role_next_report (&role, RTT) <= 10 * S);
  tfmcc_clr_role_on_report (&role, 10 * S);
}

START_TEST (the_role_lasts_until_another_is_named)
{
  ck_assert (!role.is_clr);
  ck_assert (!tfmcc_clr_role_on_name (&role, false));
  ck_assert (!role.is_clr);
  begin ();
  ck_assert (role.is_clr);
  ck_assert (!tfmcc_clr_role_on_name (&role, true));
  ck_assert (role.is_clr);
  ck_assert (!tfmcc_clr_role_on_name (&role, false));
  ck_assert (!role.is_clr);
  ck_assert (tfmcc_clr_role_on_name (&role, true));
  ck_assert (role.is_clr);
}

END_TEST
START_TEST (a_report_is_due_an_rtt_after_the_last_if_there_is_news)
{
  begin ();
  ck_assert (tfmcc_clr_role_next_report (&role, RTT) == TFRC_TIME_NONE);
  role.unreported = true;
  ck_assert_uint_eq (tfmcc_clr_role_next_report (&role, RTT), 10 * S + RTT);
  role.unreported = true;
  ck_assert_uint_eq (tfmcc_clr_role_next_report (&role, RTT), 10 * S + RTT);
  tfmcc_clr_role_on_report (&role, 10 * S + 70 * MS);
  ck_assert (tfmcc_clr_role_next_report (&role, RTT) == TFRC_TIME_NONE);
  role.unreported = true;
  ck_assert_uint_eq (tfmcc_clr_role_next_report (&role, RTT),
      10 * S + 130 * MS);
}

END_TEST
START_TEST (who_does_not_serve_has_no_report)
{
  begin ();
  role.unreported = true;
  role.is_clr = false;
  ck_assert (tfmcc_clr_role_next_report (&role, RTT) == TFRC_TIME_NONE);
  /* Named again it goes on where it was. */
  ck_assert (tfmcc_clr_role_on_name (&role, true));
  ck_assert_uint_eq (tfmcc_clr_role_next_report (&role, RTT), 10 * S + RTT);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-clr-role");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, the_role_lasts_until_another_is_named);
  tcase_add_test (tcase,
      a_report_is_due_an_rtt_after_the_last_if_there_is_news);
  tcase_add_test (tcase, who_does_not_serve_has_no_report);
  return run_check_suite (suite);
}
