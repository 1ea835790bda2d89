/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of several formats of reports is followed. */

#include "send/packet-feedback.h"

#include <gst/check/gstcheck.h>

#define TFRC GST_RTP_TFRC_FEEDBACK_TFRC
#define CCFB GST_RTP_TFRC_FEEDBACK_CCFB
#define TWCC GST_RTP_TFRC_FEEDBACK_TWCC
#define RR GST_RTP_TFRC_FEEDBACK_RR
#define AUTO GST_RTP_TFRC_FEEDBACK_AUTO
#define SECOND TFRC_SECOND

static TfrcFeedbackFormat format;

/* Whether it counts; then it is accepted. */
static void
assert_report (GstRtpTfrcFeedback of, TfrcTime at, gboolean counts)
{
  assert_equals_int (tfrc_feedback_format_admits (&format, of, at), counts);
  if (counts) {
    tfrc_feedback_format_on_accepted (&format, of, at);
    assert_equals_int (format.current, of);
  }
}

GST_START_TEST (the_best_that_comes_is_followed)
{
  format = (TfrcFeedbackFormat) { .wanted = AUTO };
  assert_report (TWCC, 1 * SECOND, TRUE);
  assert_report (TWCC, 2 * SECOND, TRUE);
  assert_report (CCFB, 2 * SECOND, TRUE);
  assert_report (TWCC, 3 * SECOND, FALSE);
  assert_report (TFRC, 3 * SECOND, TRUE);
  assert_report (CCFB, 4 * SECOND, FALSE);
}

GST_END_TEST;

/* 2 s are the nofeedback timer's before the first report. */
GST_START_TEST (another_is_followed_when_the_first_has_stopped)
{
  format = (TfrcFeedbackFormat) { .wanted = AUTO };
  assert_report (TFRC, 1 * SECOND, TRUE);
  assert_report (TWCC, 3 * SECOND - 1, FALSE);
  assert_report (TWCC, 3 * SECOND, TRUE);
  assert_report (TWCC, 4 * SECOND, TRUE);
  assert_report (TFRC, 4 * SECOND, TRUE);
}

GST_END_TEST;

/* A session's RTCP comes each 5 s. */
GST_START_TEST (reception_reports_count_after_five_seconds)
{
  format = (TfrcFeedbackFormat) { .wanted = AUTO };
  assert_report (TWCC, 1 * SECOND, TRUE);
  assert_report (RR, 6 * SECOND - 1, FALSE);
  assert_report (RR, 6 * SECOND, TRUE);
  assert_report (TWCC, 6 * SECOND, TRUE);
}

GST_END_TEST;

GST_START_TEST (only_the_one_that_is_set_counts)
{
  format = (TfrcFeedbackFormat) { .wanted = CCFB };
  assert_report (TFRC, 1 * SECOND, FALSE);
  assert_report (TWCC, 9 * SECOND, FALSE);
  assert_report (CCFB, 9 * SECOND, TRUE);
}

GST_END_TEST;

static Suite *
feedback_format_suite (void)
{
  Suite *suite = suite_create ("feedback-format");
  TCase *tcase = tcase_create ("feedback-format");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, the_best_that_comes_is_followed);
  tcase_add_test (tcase, another_is_followed_when_the_first_has_stopped);
  tcase_add_test (tcase, reception_reports_count_after_five_seconds);
  tcase_add_test (tcase, only_the_one_that_is_set_counts);
  return suite;
}

GST_CHECK_MAIN (feedback_format);
