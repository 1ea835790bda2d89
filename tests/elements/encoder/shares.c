/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How three encoders share 1000. */

#include <gst/check/gstcheck.h>

#include "encoder/target.h"

#define ALL 1e9

static const struct
{
  TfrcEncoderShare shares[3];
  gdouble target[3];
} cases[] = {
  { { { 1, 0, ALL }, { 2, 0, ALL }, { 1, 0, ALL } }, { 250, 500, 250 } },
  /* The second can be told 200: 800 for two. */
  { { { 1, 0, ALL }, { 2, 0, 200 }, { 1, 0, ALL } }, { 400, 200, 400 } },
  /* The first not less than 600: 400 by 2 : 1. */
  { { { 1, 600, ALL }, { 2, 0, ALL }, { 1, 0, ALL } },
      { 600, 800 / 3.0, 400 / 3.0 } },
  /* The third takes 700, whatever it is told: 300 by 1 : 2. */
  { { { 1, 0, ALL }, { 2, 0, ALL }, { 1, 0, ALL, 700 } }, { 100, 200, 100 } },
  /* What nobody can be told is left; what all must be told is more than there is. */
  { { { 1, 0, 100 }, { 2, 0, 100 }, { 1, 0, 100 } }, { 100, 100, 100 } },
  { { { 1, 500, ALL }, { 2, 500, ALL }, { 1, 500, ALL } }, { 500, 500, 500 } },
  { { { 0, 0, ALL }, { 2, 0, ALL }, { 0, 0, 0 } }, { 0, 1000, 0 } },
};

GST_START_TEST (each_gets_its_part_of_what_the_others_leave)
{
  TfrcEncoderShare shares[3];
  gdouble sum = 0;

  memcpy (shares, cases[__i__].shares, sizeof shares);
  tfrc_encoder_shares_divide (shares, 3, 1000);
  for (guint i = 0; i < 3; i++) {
    gdouble target = cases[__i__].target[i];

    fail_unless (ABS (shares[i].target - target) < 1e-6, "%u: %f", i,
        shares[i].target);
    sum += shares[i].target;
  }
  fail_unless (sum <= 1000 || shares[0].least == 500);
}

GST_END_TEST;

static Suite *
shares_suite (void)
{
  Suite *suite = suite_create ("shares");
  TCase *tcase = tcase_create ("shares");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, each_gets_its_part_of_what_the_others_leave, 0,
      G_N_ELEMENTS (cases));
  return suite;
}

GST_CHECK_MAIN (shares);
