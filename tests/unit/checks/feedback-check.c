/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which reports are accepted; that the others have no effect is tested in
 * tfrc-sender.c. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "checks/tfrc-sender.h"

#define OFFSET_US 4000000000u /* wraps within five minutes */

static TfrcFeedbackCheck checked;
static TfrcByteLog sent;

/* A packet every 25 ms until 400 ms.  A report has arrived that echoes the one of
 * 300 ms, after 10 ms, with p = 1 %. */
static void
setup (void)
{
  TfrcFeedback newest = {
    .echo_delay = 10 * MS,
    .receive_rate = 40000.0,
    .loss_event_rate = 0.01,
  };

  tfrc_byte_log_init (&sent);
  for (TfrcTime at = 0; at <= 400 * MS; at += 25 * MS)
    tfrc_byte_log_add (&sent, 1000, MS, at);
  tfrc_feedback_check_init (&checked, OFFSET_US);
  tfrc_feedback_check_accept (&checked, &newest, 300 * MS);
}

static const struct
{
  TfrcTime echo;
  TfrcDuration delay;
  double p, receive_rate;
  TfrcTime now;
  TfrcResult result;
} reports[] = {
  { 400 * MS, 0, 0.01, 40000.0, 500 * MS, TFRC_OK },
  { 400 * MS, 0, 1.0, 0.0, 500 * MS, TFRC_OK },
  /* Not numbers. */
  { 400 * MS, 0, 1.0000001, 40000.0, 500 * MS, TFRC_INVALID },
  { 400 * MS, 0, -1e-9, 40000.0, 500 * MS, TFRC_INVALID },
  { 400 * MS, 0, (double) NAN, 40000.0, 500 * MS, TFRC_INVALID },
  { 400 * MS, 0, 0.01, -1.0, 500 * MS, TFRC_INVALID },
  { 400 * MS, 0, 0.01, (double) NAN, 500 * MS, TFRC_INVALID },
  { 400 * MS, 0, 0.01, (double) INFINITY, 500 * MS, TFRC_INVALID },
  /* A microsecond in the future, and between two packets. */
  { 500 * MS + 1000, 0, 0.01, 40000.0, 500 * MS, TFRC_INVALID },
  { 388 * MS, 0, 0.01, 40000.0, 500 * MS, TFRC_INVALID },
  /* Half a second in the future, at a time by which every timestamp has been used
   * before; and 70 s before the clock started: 2^32 us is 0. */
  { 5001 * S, 0, 0.01, 40000.0, 5000500 * MS, TFRC_INVALID },
  { 4294967296 * TFRC_MICROSECOND - 70 * S, 0, 0.01, 40000.0, 500 * MS,
      TFRC_INVALID },
  /* One minute old, and older. */
  { 400 * MS, 0, 0.01, 40000.0, 60400 * MS, TFRC_OK },
  { 400 * MS, 0, 0.01, 40000.0, 60400 * MS + 1000, TFRC_STALE },
  /* R_sample of 1 ns, and of 0. */
  { 400 * MS, 100 * MS - 1, 0.01, 40000.0, 500 * MS, TFRC_OK },
  { 400 * MS, 100 * MS, 0.01, 40000.0, 500 * MS, TFRC_INVALID },
  /* Older than the newest, about a packet that was sent and one that was not. */
  { 275 * MS, 20 * MS, 0.02, 40000.0, 500 * MS, TFRC_STALE },
  { 288 * MS, 20 * MS, 0.02, 40000.0, 500 * MS, TFRC_STALE },
  /* The newest echo again: identical, held for less and for longer, with more and
   * with fewer losses. */
  { 300 * MS, 10 * MS, 0.01, 40000.0, 500 * MS, TFRC_DUPLICATE },
  { 300 * MS, 10 * MS - 1, 0.02, 40000.0, 500 * MS, TFRC_STALE },
  { 300 * MS, 10 * MS + 1, 0.01, 40000.0, 500 * MS, TFRC_OK },
  { 300 * MS, 10 * MS, 0.02, 40000.0, 500 * MS, TFRC_OK },
  { 300 * MS, 10 * MS, 0.005, 40000.0, 500 * MS, TFRC_DUPLICATE },
};

START_TEST (a_report_is_believed_if_it_can_be_one)
{
  TfrcFeedback report = {
    .echo_time_us = (uint32_t) (reports[_i].echo / TFRC_MICROSECOND)
        + OFFSET_US,
    .echo_delay = reports[_i].delay,
    .receive_rate = reports[_i].receive_rate,
    .loss_event_rate = reports[_i].p,
  };
  TfrcTime echo = 0;

  ck_assert_int_eq (tfrc_feedback_check_judge (&checked, &report, &sent, &echo,
                        reports[_i].now),
      reports[_i].result);
  if (reports[_i].result != TFRC_INVALID)
    ck_assert_uint_eq (echo, reports[_i].echo);
}

END_TEST
/* The first echo may be of any packet, since nothing could be replayed. */
START_TEST (before_the_first_report_no_echo_is_old)
{
  TfrcFeedback report = { .echo_time_us = OFFSET_US };
  TfrcTime echo = TFRC_TIME_NONE;

  tfrc_feedback_check_init (&checked, OFFSET_US);
  ck_assert_int_eq (tfrc_feedback_check_judge (&checked, &report, &sent, &echo,
                        500 * MS),
      TFRC_OK);
  ck_assert_uint_eq (echo, 0);
  tfrc_feedback_check_accept (&checked, &report, echo);
  ck_assert_int_eq (tfrc_feedback_check_judge (&checked, &report, &sent, &echo,
                        500 * MS),
      TFRC_DUPLICATE);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-feedback-check");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_loop_test (tcase, a_report_is_believed_if_it_can_be_one, 0,
      sizeof reports / sizeof reports[0]);
  tcase_add_test (tcase, before_the_first_report_no_echo_is_old);
  return run_check_suite (suite);
}
