/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What senders agree on that follow one encoder, without them: who rules, who does
 * not count, and what is set back. */

#include <gst/check/gstcheck.h>

#include "encoder/shared.h"

#define KBIT 1000
#define FLOOR (100 * KBIT)

static const TfrcEncoderProperty property = {
  .name = (gchar *) "bitrate",
  .unit = KBIT,
  .min_bitrate = KBIT,
  .max_bitrate = 10000 * KBIT,
};

typedef struct
{
  GstElement *encoder;
  TfrcEncoderFollower *followers[2];
} Fixture;

static void
setup (Fixture *self)
{
  self->encoder = gst_object_ref_sink (gst_bin_new (NULL));
  for (guint i = 0; i < G_N_ELEMENTS (self->followers); i++)
    self->followers[i] = tfrc_encoder_follower_new (self->encoder, &property);
}

static void
teardown (Fixture *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->followers); i++)
    if (self->followers[i] != NULL)
      tfrc_encoder_follower_free (self->followers[i]);
  gst_object_unref (self->encoder);
}

static TfrcEncoderAgreement
agree (Fixture *self, guint i, guint64 bitrate, GstClockTime now)
{
  const TfrcEncoderWish wish = {
    .wanted = bitrate,
    .target = MAX (bitrate, FLOOR),
    .floor = FLOOR,
  };

  tfrc_encoder_follower_on_output (self->followers[i], now);
  return tfrc_encoder_follower_agree (self->followers[i], &wish, now);
}

GST_START_TEST (who_can_take_the_least_rules)
{
  Fixture fixture, *self = &fixture;
  TfrcEncoderAgreement agreement;
  guint64 bitrate;

  setup (self);
  agreement = agree (self, 0, 900 * KBIT, GST_SECOND);
  assert_equals_int (agreement.followers, 1);
  agreement = agree (self, 1, 500 * KBIT, 2 * GST_SECOND);
  assert_equals_int (agreement.followers, 2);
  assert_equals_uint64 (agreement.bitrate, 500 * KBIT);
  fail_unless (agreement.is_slowest);
  fail_if (agreement.stands);
  fail_if (agree (self, 0, 900 * KBIT, 2 * GST_SECOND).is_slowest);
  /* One of them sets it for both. */
  fail_unless (tfrc_encoder_follower_begin (self->followers[0], &bitrate));
  assert_equals_uint64 (bitrate, 500 * KBIT);
  fail_if (tfrc_encoder_follower_begin (self->followers[1], &bitrate));
  tfrc_encoder_follower_end (self->followers[0], TRUE);
  fail_if (tfrc_encoder_follower_begin (self->followers[1], &bitrate));
  fail_unless (agree (self, 1, 500 * KBIT, 2 * GST_SECOND).stands);
  assert_equals_uint64 (tfrc_encoder_follower_get_set (self->followers[1]),
      500 * KBIT);
  teardown (self);
}
GST_END_TEST;

/* Two seconds below the floor; two seconds at 1.2 times that, and not at 1.1. */
GST_START_TEST (who_cannot_take_the_floor_counts_no_more_until_it_can)
{
  const struct
  {
    guint kbit_s;
    guint seconds;
    guint ignored; /* then */
  } phases[] = { { 50, 1, 0 }, { 50, 1, 1 }, { 110, 3, 1 }, { 120, 2, 0 } };
  Fixture fixture, *self = &fixture;
  TfrcEncoderAgreement agreement;
  GstClockTime now = GST_SECOND;

  setup (self);
  agree (self, 0, 900 * KBIT, now);
  agree (self, 1, 50 * KBIT, now);
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++) {
    agree (self, 1, phases[i].kbit_s * KBIT, now);
    for (guint step = 0; step < 10 * phases[i].seconds; step++) {
      now += GST_SECOND / 10;
      agree (self, 1, phases[i].kbit_s * KBIT, now);
      agreement = agree (self, 0, 900 * KBIT, now);
    }
    assert_equals_int (agreement.ignored, phases[i].ignored);
    assert_equals_int (agreement.is_slowest, phases[i].ignored);
  }
  teardown (self);
}
GST_END_TEST;

/* By the last that leaves, and only where something was set. */
GST_START_TEST (the_last_sets_back_what_stood_before_the_first)
{
  Fixture fixture, *self = &fixture;
  guint64 bitrate, units, own_units;

  setup (self);
  agree (self, 0, 900 * KBIT, GST_SECOND);
  fail_unless (tfrc_encoder_follower_begin (self->followers[0], &bitrate));
  tfrc_encoder_follower_keep_own (self->followers[0], 2048);
  tfrc_encoder_follower_keep_own (self->followers[0], 900);
  tfrc_encoder_follower_note_kept (self->followers[0], 899);
  tfrc_encoder_follower_end (self->followers[0], TRUE);
  fail_if (tfrc_encoder_follower_leave (self->followers[0], &units,
      &own_units));
  fail_unless (tfrc_encoder_follower_leave (self->followers[1], &units,
      &own_units));
  assert_equals_uint64 (units, 899);
  assert_equals_uint64 (own_units, 2048);
  tfrc_encoder_follower_on_restored (self->followers[1]);
  fail_if (tfrc_encoder_follower_leave (self->followers[1], &units,
      &own_units));
  teardown (self);
}
GST_END_TEST;

static Suite *
shared_agreement_suite (void)
{
  Suite *suite = suite_create ("shared-agreement");
  TCase *test_case = tcase_create ("general");

  tcase_add_test (test_case, who_can_take_the_least_rules);
  tcase_add_test (test_case,
      who_cannot_take_the_floor_counts_no_more_until_it_can);
  tcase_add_test (test_case, the_last_sets_back_what_stood_before_the_first);
  suite_add_tcase (suite, test_case);
  return suite;
}

GST_CHECK_MAIN (shared_agreement);
