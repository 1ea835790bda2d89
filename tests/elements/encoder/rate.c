/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate that the encoder follows: means of X and X_inst. */

#include <gst/check/gstcheck.h>
#include <math.h>

#include "encoder/target.h"
#include "units.h"

#define START (5 * TFRC_SECOND)

/* A sender in the middle of its life: `rate` is X, and the newest RTT sample is
 * `queue` times the mean: X_inst = X / sqrt (queue). */
static void
set_sender (TfrcSender *sender, TfrcRate rate, gdouble queue)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  tfrc_sender_init (sender, &config);
  sender->rate = rate;
  sender->rtt.rtt = sender->rtt.sample = 100 * MS;
  sender->rtt.sqrt_mean = sqrt (0.1 / queue);
}

GST_START_TEST (nothing_is_known_before_a_report)
{
  TfrcEncoderRate rate;
  TfrcSender sender;

  set_sender (&sender, 1000, 1);
  tfrc_encoder_rate_init (&rate);
  tfrc_encoder_rate_advance (&rate, &sender, START);
  assert_equals_float (tfrc_encoder_rate_get (&rate), 0);
  tfrc_encoder_rate_on_report (&rate, &sender, START);
  assert_equals_float (tfrc_encoder_rate_get (&rate), 1000);
}

GST_END_TEST;

/* 30 ms, the time constant, after X went from 1000 to 2000:
 * 1000 + 1000 (1 - 1/e) = 1632.12, in one step as in three. */
GST_START_TEST (a_step_is_followed_within_a_frame)
{
  TfrcEncoderRate rate;
  TfrcSender sender;
  guint steps = __i__ == 0 ? 1 : 3;

  set_sender (&sender, 1000, 1);
  tfrc_encoder_rate_init (&rate);
  tfrc_encoder_rate_on_report (&rate, &sender, START);
  set_sender (&sender, 2000, 1);
  for (guint i = 1; i <= steps; i++)
    tfrc_encoder_rate_advance (&rate, &sender, START + i * 30 * MS / steps);
  fail_unless (fabs (tfrc_encoder_rate_get (&rate) - 1632.12) < 0.01);
}

GST_END_TEST;

/* A queue that doubled the RTT: X_inst = X / sqrt (2), 0.7071.  In the first
 * 30 ms the mean falls to 1 - (1 - 0.7071) (1 - 1/e) = 0.8149.  A shrinking
 * queue, X_inst = 1.41 X, gives X and no more. */
GST_START_TEST (a_growing_queue_lowers_and_a_shrinking_one_does_not_raise)
{
  TfrcEncoderRate rate;
  TfrcSender sender;

  set_sender (&sender, 1000, 2);
  tfrc_encoder_rate_init (&rate);
  tfrc_encoder_rate_on_report (&rate, &sender, START);
  tfrc_encoder_rate_advance (&rate, &sender, START + 30 * MS);
  fail_unless (fabs (tfrc_encoder_rate_get (&rate) - 814.9) < 0.1);
  set_sender (&sender, 1000, 0.5);
  tfrc_encoder_rate_advance (&rate, &sender, START + TFRC_SECOND);
  assert_equals_float (tfrc_encoder_rate_get (&rate), 1000);
}

GST_END_TEST;

static Suite *
tfrc_encoder_rate_suite (void)
{
  Suite *suite = suite_create ("tfrcencoderrate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, nothing_is_known_before_a_report);
  tcase_add_loop_test (tcase, a_step_is_followed_within_a_frame, 0, 2);
  tcase_add_test (tcase,
      a_growing_queue_lowers_and_a_shrinking_one_does_not_raise);
  return suite;
}

GST_CHECK_MAIN (tfrc_encoder_rate);
