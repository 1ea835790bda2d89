/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often a key frame may be asked for. */

#include <gst/check/gstcheck.h>

#include "send/stream.h"

#define START (5 * TFRC_SECOND)
#define HALF (500 * TFRC_MILLISECOND)

GST_START_TEST (the_first_request_is_sent_at_once)
{
  TfrcKeyLimit limit;

  tfrc_key_limit_init (&limit);
  fail_unless (tfrc_key_limit_next_deadline (&limit) == TFRC_TIME_NONE);
  fail_unless (tfrc_key_limit_ask (&limit, START));
}

GST_END_TEST;

/* The key frame that is on its way answers these, too. */
GST_START_TEST (requests_before_the_answer_are_absorbed)
{
  TfrcKeyLimit limit;

  tfrc_key_limit_init (&limit);
  tfrc_key_limit_ask (&limit, START);
  fail_if (tfrc_key_limit_ask (&limit, START + HALF));
  fail_unless (tfrc_key_limit_next_deadline (&limit) == TFRC_TIME_NONE);
}

GST_END_TEST;

/* No answer within a second: the next who asks is heard, not a nanosecond
 * earlier. */
GST_START_TEST (an_unanswered_request_may_be_repeated_after_a_second)
{
  TfrcKeyLimit limit;

  tfrc_key_limit_init (&limit);
  tfrc_key_limit_ask (&limit, START);
  fail_if (tfrc_key_limit_may_ask (&limit, START + TFRC_SECOND - 1));
  fail_if (tfrc_key_limit_ask (&limit, START + TFRC_SECOND - 1));
  fail_unless (tfrc_key_limit_may_ask (&limit, START + TFRC_SECOND));
  fail_unless (tfrc_key_limit_ask (&limit, START + TFRC_SECOND));
}

GST_END_TEST;

/* The key frame got lost: it is asked for again once the second is over. */
GST_START_TEST (a_request_after_the_answer_waits_for_the_second_to_end)
{
  TfrcKeyLimit limit;

  tfrc_key_limit_init (&limit);
  tfrc_key_limit_ask (&limit, START);
  limit.answered = TRUE;
  fail_if (tfrc_key_limit_ask (&limit, START + HALF));
  assert_equals_uint64 (tfrc_key_limit_next_deadline (&limit),
      START + TFRC_SECOND);
  fail_if (tfrc_key_limit_on_deadline (&limit, START + TFRC_SECOND - 1));
  fail_unless (tfrc_key_limit_on_deadline (&limit, START + TFRC_SECOND));
  fail_if (tfrc_key_limit_on_deadline (&limit, START + 3 * TFRC_SECOND));
}

GST_END_TEST;

static Suite *
tfrckeylimit_suite (void)
{
  Suite *suite = suite_create ("tfrckeylimit");
  TCase *tcase = tcase_create ("limit");

  tcase_add_test (tcase, the_first_request_is_sent_at_once);
  tcase_add_test (tcase, requests_before_the_answer_are_absorbed);
  tcase_add_test (tcase, an_unanswered_request_may_be_repeated_after_a_second);
  tcase_add_test (tcase,
      a_request_after_the_answer_waits_for_the_second_to_end);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (tfrckeylimit);
