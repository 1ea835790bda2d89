/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much parity there is at which loss. */

#include "send/parity.h"

#include <gst/check/gstcheck.h>

#define BEGUN (100 * TFRC_SECOND)

GST_START_TEST (what_is_set_stays)
{
  TfrcFecShare share;

  tfrc_fec_share_init (&share, 20);
  fail_unless_equals_int (tfrc_fec_share_get (&share, 0, 0, TRUE, BEGUN), 20);
  fail_unless_equals_int (tfrc_fec_share_get (&share, 0.1, 7, TRUE, BEGUN), 20);
  tfrc_fec_share_init (&share, 0);
  fail_unless_equals_int (tfrc_fec_share_get (&share, 0.1, 0, TRUE, BEGUN), 0);
}

GST_END_TEST;

/* 100 sqrt (p) / 0.35: 1 % is 28.6, 0.25 % 14.3; from 5 to 50. */
GST_START_TEST (it_follows_the_loss)
{
  static const struct
  {
    gdouble p;
    guint percentage;
  } cases[] = { { 0.01, 29 }, { 0.0025, 14 }, { 0.0001, 5 }, { 0.5, 50 },
    { 1, 50 }, { 0, 0 } };
  TfrcFecShare share;
  guint i;

  tfrc_fec_share_init (&share, TFRC_FEC_AUTO);
  fail_unless_equals_int (tfrc_fec_share_get (&share, 0.01, 0, TRUE, BEGUN), 0);
  for (i = 0; i < G_N_ELEMENTS (cases); i++)
    fail_unless_equals_int (tfrc_fec_share_get (&share, cases[i].p, 0, TRUE,
                                BEGUN + TFRC_SECOND + i),
        cases[i].percentage);
}

GST_END_TEST;

/* Loss from BEGUN on, a request half a second later. */
GST_START_TEST (there_is_none_for_who_asks)
{
  TfrcFecShare share;
  TfrcTime asked_at = BEGUN + TFRC_SECOND / 2;

  tfrc_fec_share_init (&share, TFRC_FEC_AUTO);
  tfrc_fec_share_get (&share, 0.01, 0, TRUE, BEGUN);
  tfrc_fec_share_get (&share, 0.01, 1, TRUE, asked_at);
  fail_unless_equals_int (tfrc_fec_share_get (&share, 0.01, 1, TRUE,
                              asked_at + 15 * TFRC_SECOND - 1),
      0);
  fail_unless_equals_int (tfrc_fec_share_get (&share, 0.01, 1, TRUE,
                              asked_at + 15 * TFRC_SECOND),
      29);
  fail_unless_equals_int (tfrc_fec_share_get (&share, 0.01, 2, TRUE,
                              asked_at + 16 * TFRC_SECOND),
      0);
}

GST_END_TEST;

/* In a large group parity stays beside requests for what it leaves. */
GST_START_TEST (requests_for_the_rest_end_no_parity)
{
  TfrcFecShare share;

  tfrc_fec_share_init (&share, TFRC_FEC_AUTO);
  tfrc_fec_share_get (&share, 0.01, 0, FALSE, BEGUN);
  for (guint asked = 0; asked < 3; asked++)
    fail_unless_equals_int (tfrc_fec_share_get (&share, 0.01, asked, FALSE,
                                BEGUN + (2 + asked) * TFRC_SECOND),
        29);
  fail_unless_equals_int (tfrc_fec_share_get (&share, 0.01, 3, TRUE,
                              BEGUN + 6 * TFRC_SECOND),
      0);
}

GST_END_TEST;

static Suite *
fec_share_suite (void)
{
  Suite *suite = suite_create ("fec-share");
  TCase *tc = tcase_create ("virtual time");

  tcase_add_test (tc, what_is_set_stays);
  tcase_add_test (tc, it_follows_the_loss);
  tcase_add_test (tc, there_is_none_for_who_asks);
  tcase_add_test (tc, requests_for_the_rest_end_no_parity);
  suite_add_tcase (suite, tc);
  return suite;
}

GST_CHECK_MAIN (fec_share);
