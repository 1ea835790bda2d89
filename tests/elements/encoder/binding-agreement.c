/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What senders agree on that follow one encoder, without them: who rules, and who does
 * not count. */

#include <gst/check/gstcheck.h>

#include "encoder/binding.h"
#include "encoder/fake.h"

#define KBIT 1000
#define FLOOR (100 * KBIT)

typedef struct
{
  GstElement *encoder;
  TfrcEncoderBinding *followers[2];
} Fixture;

static void
setup (Fixture *self)
{
  tfrc_fake_encoders_register ();
  self->encoder = gst_object_ref_sink (gst_element_factory_make ("fakekbitenc",
      NULL));
  for (guint i = 0; i < G_N_ELEMENTS (self->followers); i++)
    self->followers[i] = tfrc_encoder_binding_new (self->encoder, NULL, 0,
        self->encoder);
}

static void
teardown (Fixture *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->followers); i++)
    tfrc_encoder_binding_unref (self->followers[i]);
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

  tfrc_encoder_binding_on_output (self->followers[i], now);
  return tfrc_encoder_binding_agree (self->followers[i], &wish, now);
}

GST_START_TEST (who_can_take_the_least_rules)
{
  Fixture fixture, *self = &fixture;
  TfrcEncoderAgreement agreement;
  guint count;

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
  assert_equals_int (tfrc_encoder_binding_set (self->followers[0],
                         self->encoder),
      1);
  assert_equals_int (tfrc_encoder_binding_set (self->followers[1],
                         self->encoder),
      0);
  assert_equals_uint64 (tfrc_fake_encoder_get (self->encoder, &count), 500);
  assert_equals_int (count, 1);
  fail_unless (agree (self, 1, 500 * KBIT, 2 * GST_SECOND).stands);
  assert_equals_uint64 (tfrc_encoder_binding_get_bitrate (self->followers[1]),
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

/* By the last that leaves, once, and only where something was set. */
GST_START_TEST (the_last_sets_back_what_stood_before_the_first)
{
  Fixture fixture, *self = &fixture;
  guint count;

  setup (self);
  g_object_set (self->encoder, "bitrate", 1234, NULL);
  agree (self, 0, 900 * KBIT, GST_SECOND);
  tfrc_encoder_binding_set (self->followers[0], self->encoder);
  agree (self, 0, 800 * KBIT, 2 * GST_SECOND);
  tfrc_encoder_binding_set (self->followers[0], self->encoder);
  tfrc_encoder_binding_restore (self->followers[0], self->encoder);
  assert_equals_uint64 (tfrc_fake_encoder_get (self->encoder, NULL), 800);
  tfrc_encoder_binding_restore (self->followers[1], self->encoder);
  assert_equals_uint64 (tfrc_fake_encoder_get (self->encoder, NULL), 1234);
  tfrc_encoder_binding_restore (self->followers[1], self->encoder);
  tfrc_fake_encoder_get (self->encoder, &count);
  assert_equals_int (count, 4);
  teardown (self);
}
GST_END_TEST;

static Suite *
binding_agreement_suite (void)
{
  Suite *suite = suite_create ("binding-agreement");
  TCase *test_case = tcase_create ("general");

  tcase_add_test (test_case, who_can_take_the_least_rules);
  tcase_add_test (test_case,
      who_cannot_take_the_floor_counts_no_more_until_it_can);
  tcase_add_test (test_case, the_last_sets_back_what_stood_before_the_first);
  suite_add_tcase (suite, test_case);
  return suite;
}

GST_CHECK_MAIN (binding_agreement);
