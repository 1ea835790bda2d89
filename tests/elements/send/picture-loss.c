/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which losses a key frame answers. */

#include <gst/check/gstcheck.h>

#include "send/stream.h"
#include "units.h"

#define START (5 * TFRC_SECOND)
#define RTT (50 * MS)

/* The first report of a loss might be followed by a request for the packet: until
 * R + 100 ms later, not a nanosecond more.  Of the losses behind it each is answered
 * at once. */
GST_START_TEST (only_the_first_loss_waits_for_a_nack)
{
  TfrcPictureLoss loss;

  tfrc_picture_loss_init (&loss);
  fail_if (tfrc_picture_loss_on_report (&loss, TRUE, FALSE, RTT, START));
  fail_if (tfrc_picture_loss_on_report (&loss, FALSE, FALSE, RTT,
      START + 150 * MS - 1));
  fail_unless (tfrc_picture_loss_on_report (&loss, FALSE, FALSE, RTT,
      START + 150 * MS));
  fail_if (tfrc_picture_loss_on_report (&loss, FALSE, FALSE, RTT,
      START + 151 * MS));
  fail_unless (tfrc_picture_loss_on_report (&loss, TRUE, FALSE, RTT,
      START + 152 * MS));
}

GST_END_TEST;

/* Neither that one nor the next. */
GST_START_TEST (a_loss_that_is_repaired_needs_no_key_frame)
{
  TfrcPictureLoss loss;

  tfrc_picture_loss_init (&loss);
  fail_if (tfrc_picture_loss_on_report (&loss, TRUE, FALSE, RTT, START));
  fail_if (tfrc_picture_loss_on_report (&loss, FALSE, TRUE, RTT,
      START + 149 * MS));
  fail_if (tfrc_picture_loss_on_report (&loss, FALSE, FALSE, RTT,
      START + 200 * MS));
  fail_if (tfrc_picture_loss_on_report (&loss, TRUE, TRUE, RTT,
      START + TFRC_SECOND));
  fail_if (tfrc_picture_loss_covers_request (&loss, RTT, START + TFRC_SECOND));
}

GST_END_TEST;

/* A PLI that comes R + 400 ms after the encoder was asked, or later, may be about
 * the answer. */
GST_START_TEST (a_receiver_that_asks_too_gets_one_key_frame)
{
  TfrcPictureLoss loss;

  tfrc_picture_loss_init (&loss);
  fail_if (tfrc_picture_loss_covers_request (&loss, RTT, START));
  tfrc_picture_loss_on_report (&loss, TRUE, FALSE, RTT, START - 150 * MS);
  fail_unless (tfrc_picture_loss_on_report (&loss, FALSE, FALSE, RTT, START));
  fail_unless (tfrc_picture_loss_covers_request (&loss, RTT,
      START + 450 * MS - 1));
  fail_if (tfrc_picture_loss_covers_request (&loss, RTT, START + 450 * MS));
}

GST_END_TEST;

static Suite *
picture_loss_suite (void)
{
  Suite *suite = suite_create ("picture-loss");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, only_the_first_loss_waits_for_a_nack);
  tcase_add_test (tcase, a_loss_that_is_repaired_needs_no_key_frame);
  tcase_add_test (tcase, a_receiver_that_asks_too_gets_one_key_frame);
  return suite;
}

GST_CHECK_MAIN (picture_loss);
