/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What payloaders are told of the path. */
#include "send/sink-pad.h"

#include <gst/check/gstcheck.h>
#include <gst/rtp/rtp.h>

/* Without the header extension of at most 16 bytes. */
#define OWN (1200 + 16)
#define STANDARD 1400

typedef struct
{
  TfrcSendIngress ingress;
  TfrcSendPacer *pacer;
  GstElement *pay, *element;
  GstPad *pad;
} Fixture;

static void
start (Fixture *self, guint mtu)
{
  tfrc_send_ingress_start (&self->ingress, GST_TFRC_MODE_TFRC, TRUE, mtu);
  tfrc_send_ingress_limit_mtu (&self->ingress, self->pad, TRUE);
}

static void
fixture_init (Fixture *self)
{
  *self = (Fixture) { .pacer = tfrc_send_pacer_new () };
  self->pay = gst_element_factory_make ("rtpvrawpay", NULL);
  self->element = gst_element_factory_make ("identity", NULL);
  self->pad = gst_element_get_static_pad (self->element, "sink");
  fail_unless (gst_element_link (self->pay, self->element));
  tfrc_send_ingress_init (&self->ingress, self->element, self->pacer);
  start (self, OWN);
}

static void
fixture_clear (Fixture *self)
{
  tfrc_send_ingress_clear (&self->ingress);
  tfrc_send_pacer_free (self->pacer);
  gst_object_unref (self->pad);
  gst_object_unref (self->pay);
  gst_object_unref (self->element);
}

static guint
get_mtu (Fixture *self)
{
  guint mtu;

  g_object_get (self->pay, "mtu", &mtu, NULL);
  return mtu;
}

static void
set_path (Fixture *self, guint mtu)
{
  tfrc_send_ingress_bound_mtu (&self->ingress, TFRC_MTU_BY_SYSTEM, mtu + 16,
      self->pad);
}

static void
begin_path (Fixture *self)
{
  tfrc_send_ingress_bound_mtu (&self->ingress, TFRC_MTU_BY_SYSTEM, G_MAXUINT,
      self->pad);
  tfrc_send_ingress_bound_mtu (&self->ingress, TFRC_MTU_BY_LOSSES, G_MAXUINT,
      self->pad);
}

/* The system says 1000, then 1100, then more than the user wants. */
GST_START_TEST (payloaders_follow_what_the_system_says)
{
  static const guint paths[] = { 1000, 1100, 9000 };
  static const guint wanted[] = { 1000, 1100, 1200 };
  Fixture fixture;

  fixture_init (&fixture);
  assert_equals_int (get_mtu (&fixture), 1200);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    set_path (&fixture, paths[i]);
    assert_equals_int (get_mtu (&fixture), wanted[i]);
  }
  fixture_clear (&fixture);
}

GST_END_TEST;

/* What losses have shown stands, whatever the system says, until the path changes. */
GST_START_TEST (another_path_has_the_users_mtu_again)
{
  Fixture fixture;

  fixture_init (&fixture);
  tfrc_send_ingress_bound_mtu (&fixture.ingress, TFRC_MTU_BY_LOSSES, 900 + 16,
      fixture.pad);
  set_path (&fixture, 1000);
  set_path (&fixture, 9000);
  assert_equals_int (get_mtu (&fixture), 900);
  begin_path (&fixture);
  assert_equals_int (get_mtu (&fixture), 1200);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* No more than the payloader's default of 1400. */
GST_START_TEST (another_run_has_the_users_mtu_again)
{
  Fixture fixture;

  fixture_init (&fixture);
  set_path (&fixture, 1000);
  start (&fixture, OWN);
  assert_equals_int (get_mtu (&fixture), 1200);
  start (&fixture, 9000);
  assert_equals_int (get_mtu (&fixture), STANDARD);
  fixture_clear (&fixture);
}

GST_END_TEST;

GST_START_TEST (the_users_value_is_not_raised)
{
  Fixture fixture;

  fixture_init (&fixture);
  set_path (&fixture, 1000);
  g_object_set (fixture.pay, "mtu", 999, NULL);
  begin_path (&fixture);
  assert_equals_int (get_mtu (&fixture), 999);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* To the pacer, which does not run and drops it. */
static void
push (Fixture *self, TfrcSendInput *input, guint size)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (size - 12, 0, 0);

  assert_equals_int (tfrc_send_ingress_push (&self->ingress, input, buffer),
      GST_FLOW_FLUSHING);
}

/* Another sender behind the same payloader begins, and may be the only one by now.  The
 * first one lowers the value again with the first packet that is too large for its path,
 * and not before. */
GST_START_TEST (a_payloader_of_two_senders_fits_both)
{
  Fixture fixture;
  TfrcSendInput input = { .live = TRUE };
  TfrcSendIngress other = { 0 };

  fixture_init (&fixture);
  input.pad = fixture.pad;
  gst_pad_set_active (fixture.pad, TRUE);
  tfrc_send_pacer_add_input (fixture.pacer, &input);
  set_path (&fixture, 1000);
  tfrc_send_ingress_init (&other, fixture.element, fixture.pacer);
  tfrc_send_ingress_start (&other, GST_TFRC_MODE_TFRC, TRUE, OWN);
  tfrc_send_ingress_limit_mtu (&other, fixture.pad, TRUE);
  assert_equals_int (get_mtu (&fixture), 1200);
  push (&fixture, &input, 1000);
  assert_equals_int (get_mtu (&fixture), 1200);
  push (&fixture, &input, 1200);
  assert_equals_int (get_mtu (&fixture), 1000);
  tfrc_send_ingress_clear (&other);
  tfrc_send_pacer_forget_input (fixture.pacer, &input);
  fixture_clear (&fixture);
}

GST_END_TEST;

static Suite *
ingress_suite (void)
{
  Suite *suite = suite_create ("ingress");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, payloaders_follow_what_the_system_says);
  tcase_add_test (tcase, another_path_has_the_users_mtu_again);
  tcase_add_test (tcase, another_run_has_the_users_mtu_again);
  tcase_add_test (tcase, the_users_value_is_not_raised);
  tcase_add_test (tcase, a_payloader_of_two_senders_fits_both);
  return suite;
}

GST_CHECK_MAIN (ingress);
