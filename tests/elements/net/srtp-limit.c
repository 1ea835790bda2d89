/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What strangers, and attempts at their roll-over counters, may cost. */

#include <gst/check/gstcheck.h>

#include "net/srtp.h"

/* Any time at which a period begins. */
#define BEGUN (100 * GST_SECOND)

/* 32 a second, counted anew from the first packet after it. */
GST_START_TEST (strangers_are_admitted_32_times_a_second)
{
  TfrcSrtpRateLimit self = { 0 };
  guint i;

  for (i = 0; i < 32; i++)
    fail_unless (tfrc_srtp_rate_limit_admit (&self, NULL, BEGUN + i));
  fail_if (tfrc_srtp_rate_limit_admit (&self, NULL, BEGUN + GST_SECOND - 1));
  fail_unless (tfrc_srtp_rate_limit_admit (&self, NULL, BEGUN + GST_SECOND));
}

GST_END_TEST;

GST_START_TEST (a_stranger_that_authenticates_does_not_count)
{
  TfrcSrtpRateLimit self = { 0 };
  guint i;

  for (i = 0; i < 32; i++)
    tfrc_srtp_rate_limit_admit (&self, NULL, BEGUN);
  tfrc_srtp_rate_limit_refund (&self, NULL);
  fail_unless (tfrc_srtp_rate_limit_admit (&self, NULL, BEGUN));
  fail_if (tfrc_srtp_rate_limit_admit (&self, NULL, BEGUN));
}

GST_END_TEST;

/* A sender of many streams, or many receivers behind one address. */
GST_START_TEST (those_of_one_socket_that_authenticate_do_not_count)
{
  GSocketAddress *from = g_inet_socket_address_new_from_string ("192.0.2.1",
      5000);
  TfrcSrtpRateLimit self = { 0 };
  guint i;

  for (i = 0; i < 100; i++) {
    fail_unless (tfrc_srtp_rate_limit_admit (&self, from, BEGUN));
    tfrc_srtp_rate_limit_refund (&self, from);
  }
  /* Not those of the period before. */
  tfrc_srtp_rate_limit_refund (&self, from);
  for (i = 0; i < 8; i++)
    fail_unless (tfrc_srtp_rate_limit_admit (&self, from, BEGUN));
  fail_if (tfrc_srtp_rate_limit_admit (&self, from, BEGUN));
  g_object_unref (from);
}

GST_END_TEST;

/* 1000 packets of one socket of a host: 8 are admitted.  Of 1000 others of it 8
 * more.  Those of 16 other hosts then find room: of the 32 in all, 16 are left. */
GST_START_TEST (a_flood_leaves_room_for_others)
{
  TfrcSrtpRateLimit self = { 0 };
  GSocketAddress *from;
  guint i, n = 0;

  from = g_inet_socket_address_new_from_string ("192.0.2.1", 5000);
  for (i = 0; i < 1000; i++)
    n += (guint) tfrc_srtp_rate_limit_admit (&self, from, BEGUN);
  g_object_unref (from);
  fail_unless_equals_int (n, 8);
  for (i = 0; i < 1000; i++) {
    from = g_inet_socket_address_new_from_string ("192.0.2.1", 6000 + i);
    n += (guint) tfrc_srtp_rate_limit_admit (&self, from, BEGUN);
    g_object_unref (from);
  }
  fail_unless_equals_int (n, 16);
  for (i = 0; i < 16; i++) {
    gchar *host = g_strdup_printf ("2001:db8::%u", i);

    from = g_inet_socket_address_new_from_string (host, 5000);
    n += (guint) tfrc_srtp_rate_limit_admit (&self, from, BEGUN);
    g_object_unref (from);
    g_free (host);
  }
  fail_unless_equals_int (n, 32);
  fail_if (tfrc_srtp_rate_limit_admit (&self, NULL, BEGUN));
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
  tcase_add_test (tcase, those_of_one_socket_that_authenticate_do_not_count);
  tcase_add_test (tcase, a_flood_leaves_room_for_others);
  tcase_add_test (tcase, counters_are_tried_512_times_a_second);
  tcase_add_test (tcase, counters_are_tried_for_20_ms_a_second);
  return suite;
}

GST_CHECK_MAIN (tfrcsrtpratelimit);
