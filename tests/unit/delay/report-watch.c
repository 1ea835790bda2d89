/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Overdue reports, alone and in the sender.  A packet is due to be reported within
 * 150 ms unless stated otherwise. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "delay/report-watch.h"
#include "sender-flow.h"

#define DUE (150 * MS)
#define GRACE (25 * MS)

static TfrcReportWatch watch;

static void
expect_limit (TfrcRate rate, TfrcTime now)
{
  ck_assert_double_eq_tol (tfrc_report_watch_get_limit (&watch, 1000.0, now),
      rate, 1e-6);
}

START_TEST (silence_lets_ever_fewer_packets_leave)
{
  tfrc_report_watch_init (&watch);
  ck_assert_uint_eq (watch.overdue_at, TFRC_TIME_NONE);
  tfrc_report_watch_on_sent (&watch, DUE, 1000 * MS);
  /* Not the oldest packet. */
  tfrc_report_watch_on_sent (&watch, DUE, 1100 * MS);
  ck_assert_uint_eq (watch.overdue_at, 1150 * MS);
  tfrc_report_watch_on_deadline (&watch, 1149 * MS);
  ck_assert (!watch.overdue);
  ck_assert (isinf (tfrc_report_watch_get_limit (&watch, 1000.0, 1149 * MS)));
  /* After a silence of 150 ms: 1000 bytes in the next 150, then per 300 ms, an
   * interval that grows no further. */
  tfrc_report_watch_on_deadline (&watch, 1150 * MS);
  expect_limit (1000.0 / 0.15, 1150 * MS);
  tfrc_report_watch_on_deadline (&watch, 1300 * MS);
  expect_limit (1000.0 / 0.3, 1300 * MS);
  tfrc_report_watch_on_deadline (&watch, 1600 * MS);
  expect_limit (1000.0 / 0.3, 1600 * MS);
  tfrc_report_watch_on_report (&watch, TFRC_TIME_NONE, DUE, GRACE, false,
      1700 * MS);
  ck_assert (isinf (tfrc_report_watch_get_limit (&watch, 1000.0, 1700 * MS)));
  ck_assert_uint_eq (watch.overdue_at, TFRC_TIME_NONE);
}

END_TEST
START_TEST (a_report_has_time_behind_the_one_before)
{
  tfrc_report_watch_init (&watch);
  tfrc_report_watch_on_report (&watch, 1000 * MS, DUE, GRACE, true, 1140 * MS);
  ck_assert_uint_eq (watch.overdue_at, 1165 * MS);
  tfrc_report_watch_on_report (&watch, 1100 * MS, DUE, GRACE, true, 1160 * MS);
  ck_assert_uint_eq (watch.overdue_at, 1250 * MS);
}

END_TEST
/* The newest report was made at the end of a frame: the next report is due after
 * the end of the next frame. */
START_TEST (a_frame_is_due_behind_its_end)
{
  tfrc_report_watch_init (&watch);
  tfrc_report_watch_on_frame_end (&watch, DUE, 1000 * MS);
  tfrc_report_watch_on_newest (&watch, 1000 * MS);
  tfrc_report_watch_on_report (&watch, TFRC_TIME_NONE, DUE, GRACE, true,
      1100 * MS);
  tfrc_report_watch_on_sent (&watch, DUE, 1200 * MS);
  ck_assert_uint_eq (watch.overdue_at, TFRC_TIME_NONE);
  tfrc_report_watch_on_frame_end (&watch, DUE, 1500 * MS);
  /* Not the oldest packet. */
  tfrc_report_watch_on_frame_end (&watch, DUE, 1600 * MS);
  ck_assert_uint_eq (watch.overdue_at, 1650 * MS);
  tfrc_report_watch_on_newest (&watch, 1500 * MS);
  tfrc_report_watch_on_report (&watch, 1550 * MS, DUE, GRACE, true, 1630 * MS);
  ck_assert_uint_eq (watch.overdue_at, 1750 * MS);
  /* A report in the middle of a frame comes from a receiver that reports by time. */
  tfrc_report_watch_on_newest (&watch, 1550 * MS);
  tfrc_report_watch_on_report (&watch, 1560 * MS, DUE, GRACE, true, 1640 * MS);
  ck_assert_uint_eq (watch.overdue_at, 1710 * MS);
}

END_TEST
/* Twice the time, up to eight times, and a hundredth less with each report in time. */
START_TEST (who_waits_for_the_way_back_is_patient)
{
  tfrc_report_watch_init (&watch);
  for (unsigned i = 0; i < 5; i++) {
    watch.overdue = true;
    tfrc_report_watch_on_report (&watch, TFRC_TIME_NONE, DUE, GRACE, true, 0);
    ck_assert_double_eq (watch.timeout_factor,
        fmin (8.0, ldexp (2.0, (int) i)));
  }
  watch.overdue = true;
  tfrc_report_watch_on_report (&watch, TFRC_TIME_NONE, DUE, GRACE, false, 0);
  ck_assert_double_eq (watch.timeout_factor, 8.0);
  tfrc_report_watch_on_report (&watch, TFRC_TIME_NONE, DUE, GRACE, true, 0);
  ck_assert_double_eq_tol (watch.timeout_factor, 7.92, 1e-9);
  for (unsigned i = 0; i < 300; i++)
    tfrc_report_watch_on_report (&watch, TFRC_TIME_NONE, DUE, GRACE, true, 0);
  ck_assert_double_eq (watch.timeout_factor, 1.0);
}

END_TEST
/* R is 100 ms; the packet after the one reported at 1000 ms was sent at 910: a
 * report is due 100 + 100 + 50 ms later.  Without delay control no report is
 * expected. */
START_TEST (a_sender_stops_when_no_report_comes)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcSenderChecks checks = tfrc_sender_checks_default ();
  static TfrcCheckedSender checked;
  TfrcTime now = 0;

  checks.delay_target = _i == 0 ? 8 * MS : 0;
  tfrc_checked_sender_init (&checked, &config, checks);
  for (; now < 1000 * MS; now += 100 * MS) {
    sender_flow_send (&checked, 1200, true, 120000.0, now, now + 100 * MS);
    sender_flow_report (&checked, now, 120000.0, 0.0001, now + 100 * MS);
  }
  sender_flow_send (&checked, 1200, true, 120000.0, now, now + 150 * MS);
  /* Nor is the rest of a train sent then. */
  tfrc_pacer_begin_train (&checked.sender.pacer, 10);
  for (now = 1100 * MS; now < 1300 * MS; now += MS)
    if (tfrc_checked_sender_next_deadline (&checked) <= now)
      tfrc_checked_sender_on_deadline (&checked, now);
  ck_assert_int_eq (checked.report_watch.overdue, _i == 0);
  if (_i == 0) {
    ck_assert_double_lt (checked.sender.send_limit, 1200.0 / 0.1);
    ck_assert_uint_gt (tfrc_sender_next_send_at (&checked.sender), now);
  } else {
    ck_assert (isinf (checked.sender.send_limit));
  }
  /* A packet sent meanwhile does not show that X is the limit. */
  ck_assert_int_eq (sender_flow_report (&checked, 1140 * MS, 120000.0, 0.0001,
                        1300 * MS),
      TFRC_OK);
  ck_assert (!checked.report_watch.overdue);
}

END_TEST
/* 120000 bytes/s in 100 packets per second; then p = 0.2, where X is 1200 bytes in
 * 100 ms * (0.365 + 1.5), 6400 bytes/s: 1.3 packets in 250 ms, fewer than a train
 * has. */
START_TEST (a_train_ends_where_little_may_be_sent)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcSenderChecks checks = tfrc_sender_checks_default ();
  static TfrcCheckedSender checked;
  TfrcTime now = 0;

  checks.delay_target = 8 * MS;
  tfrc_checked_sender_init (&checked, &config, checks);
  for (; now < 1000 * MS; now += 100 * MS) {
    sender_flow_send (&checked, 1200, true, 120000.0, now, now + 100 * MS);
    sender_flow_report (&checked, now, 120000.0, 0.0001, now + 100 * MS);
  }
  sender_flow_send (&checked, 1200, true, 120000.0, now, now + 100 * MS);
  tfrc_pacer_begin_train (&checked.sender.pacer, 10);
  sender_flow_report (&checked, now, 120000.0, 0.2, now + 100 * MS);
  ck_assert_double_lt (checked.sender.rate, 12000.0);
  ck_assert_uint_eq (checked.sender.pacer.train, 0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("report-watch");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, silence_lets_ever_fewer_packets_leave);
  tcase_add_test (tcase, a_report_has_time_behind_the_one_before);
  tcase_add_test (tcase, a_frame_is_due_behind_its_end);
  tcase_add_test (tcase, who_waits_for_the_way_back_is_patient);
  tcase_add_test (tcase, a_train_ends_where_little_may_be_sent);
  tcase_add_loop_test (tcase, a_sender_stops_when_no_report_comes, 0, 2);
  return run_check_suite (suite);
}
