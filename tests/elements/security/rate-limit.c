/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What strangers, and attempts at their roll-over counters, may cost. */

#include <gst/check/gstcheck.h>

#include "security/rate-limit.h"

/* Any time at which a period begins. */
#define BEGUN (100 * GST_SECOND)

/* 32 a second, counted anew from the first packet after it; the authentic ones
 * are not counted. */
GST_START_TEST (strangers_are_admitted_32_times_a_second)
{
  TfrcSrtpRateLimit self = { 0 };
  guint i;

  for (i = 0; i < 32; i++)
    fail_unless (tfrc_srtp_rate_limit_admit (&self, FALSE, BEGUN + i));
  fail_if (tfrc_srtp_rate_limit_admit (&self, FALSE, BEGUN + GST_SECOND - 1));
  fail_unless (tfrc_srtp_rate_limit_admit (&self, TRUE,
      BEGUN + GST_SECOND - 1));
  fail_unless (tfrc_srtp_rate_limit_admit (&self, FALSE, BEGUN + GST_SECOND));
}

GST_END_TEST;

GST_START_TEST (a_stranger_that_authenticates_does_not_count)
{
  TfrcSrtpRateLimit self = { 0 };
  guint i;

  for (i = 0; i < 32; i++)
    tfrc_srtp_rate_limit_admit (&self, FALSE, BEGUN);
  tfrc_srtp_rate_limit_refund (&self);
  fail_unless (tfrc_srtp_rate_limit_admit (&self, FALSE, BEGUN));
  fail_if (tfrc_srtp_rate_limit_admit (&self, FALSE, BEGUN));
}

GST_END_TEST;

GST_START_TEST (counters_are_tried_512_times_a_second)
{
  TfrcSrtpRateLimit self = { 0 };
  guint i;

  for (i = 0; i < 512; i++)
    fail_unless (tfrc_srtp_rate_limit_may_try (&self, 0, BEGUN));
  fail_if (tfrc_srtp_rate_limit_may_try (&self, 0, BEGUN));
  fail_unless (tfrc_srtp_rate_limit_may_try (&self, 0, BEGUN + GST_SECOND));
}

GST_END_TEST;

/* The first attempt begins the period; those after it take 7 ms each, so that
 * the third of them ends at 21 ms, above 20. */
GST_START_TEST (counters_are_tried_for_20_ms_a_second)
{
  TfrcSrtpRateLimit self = { 0 };
  GstClockTime took = 7 * GST_MSECOND;

  fail_unless (tfrc_srtp_rate_limit_may_try (&self, 0, BEGUN));
  fail_unless (tfrc_srtp_rate_limit_may_try (&self, took, BEGUN + took));
  fail_unless (tfrc_srtp_rate_limit_may_try (&self, took, BEGUN + 2 * took));
  fail_if (tfrc_srtp_rate_limit_may_try (&self, took, BEGUN + 3 * took));
}

GST_END_TEST;

static Suite *
tfrcsrtpratelimit_suite (void)
{
  Suite *suite = suite_create ("tfrcsrtpratelimit");
  TCase *tcase = tcase_create ("rate limit");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, strangers_are_admitted_32_times_a_second);
  tcase_add_test (tcase, a_stranger_that_authenticates_does_not_count);
  tcase_add_test (tcase, counters_are_tried_512_times_a_second);
  tcase_add_test (tcase, counters_are_tried_for_20_ms_a_second);
  return suite;
}

GST_CHECK_MAIN (tfrcsrtpratelimit);
