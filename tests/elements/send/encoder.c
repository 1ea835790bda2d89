/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two encoders in front of two sink pads of rtptfrcsend: one or both of them follow
 * the rate. */

#include "encoder/fake.h"
#include "encoder/fixture.h"
#include "send/branch.h"

#define ALLOWED 1000000 /* bits/s */

/* `bin`: for the element to be in; NULL = none. */
static void
start_flow (SendFixture *f, GstElement *bin)
{
  tfrc_fake_encoders_register ();
  send_fixture_init (f);
  if (bin != NULL)
    gst_bin_add (GST_BIN (bin), gst_object_ref (f->element));
  g_object_set (f->element, "max-bitrate", ALLOWED, "delay-target", 0, NULL);
  send_fixture_start (f, NULL);
}

/* All that left arrives at once: the rate soon is that of max-bitrate. */
static void
report (SendFixture *f)
{
  TfrcFeedback feedback = { .media_ssrc = SSRC,
    .receive_rate = 2 * ALLOWED / 8 };

  feedback.echo_time_us = send_fixture_pull_all (f).extension.send_time_us;
  send_fixture_push_feedback (f, &feedback);
}

/* 1000 kbit/s are allowed, b makes 500 or 800 of payload, and a what it is told: a is
 * told what b leaves, within 15 %.  Of b a packet of 1124 bytes carries 1100, one of
 * 324 the rest of 300 of 2500 bytes a frame, or of 724 that of 700 of 4000 (12 + 4 + 8
 * bytes are RTP header, extension and its element): 514.4 and 819.2 kbit/s as they leave. */
GST_START_TEST (an_encoder_is_told_what_the_others_leave)
{
  const guint64 fixed = __i__ == 1 ? 800000 : 500000;
  const guint64 left = ALLOWED - (__i__ == 1 ? 819200 : 514400);
  Branch a, b;
  guint64 target, sum = 0; /* of the last 2 s */
  SendFixture f;

  start_flow (&f, NULL);
  branch_init (&a, &f, "fakebitenc", SSRC);
  branch_init (&b, &f, "fakenobitenc", SSRC + 1);
  for (guint i = 0; i < 250; i++) {
    target = tfrc_fake_encoder_get (a.encoder, NULL);
    sum += i < 200 ? 0 : target;
    branch_push_frame (&a, target > 0 ? target : 300000);
    branch_push_frame (&b, fixed);
    tfrc_encoder_fixture_wait ();
    send_fixture_run_until (&f, START + (i + 1) * FRAME_TIME);
    report (&f);
    tfrc_encoder_fixture_wait ();
  }
  target = sum / 50;
  fail_unless (target > left * 85 / 100 && target < left * 115 / 100,
      "%" G_GUINT64_FORMAT " is not %" G_GUINT64_FORMAT, target, left);
  assert_equals_uint64 (send_fixture_get_stat (&f, "encoder-overshoots"), 0);
  branch_clear (&a, &f);
  branch_clear (&b, &f);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* It makes nine tenths of what it is told.  Of 1000 kbit/s some 970 are payload, so that
 * is told about 1080.  What rtpgstpay packs is an application. */
GST_START_TEST (an_encoder_is_told_the_same_whatever_its_media)
{
  static const gchar *const caps[] = {
    "application/x-rtp, media=video, clock-rate=90000, payload=96",
    "application/x-rtp, media=application, clock-rate=90000, payload=96",
    "application/x-rtp, payload=96"
  };
  GstCaps *set = gst_caps_from_string (caps[__i__]);
  guint64 target, sum = 0; /* of the last 2 s */
  SendFixture f;
  Branch a;

  start_flow (&f, NULL);
  branch_init (&a, &f, "fakebitenc", SSRC);
  gst_pad_push_event (a.srcpad, gst_event_new_caps (set));
  for (guint i = 0; i < 250; i++) {
    target = tfrc_fake_encoder_get (a.encoder, NULL);
    sum += i < 200 ? 0 : target;
    branch_push_frame (&a, target > 0 ? target * 9 / 10 : 300000);
    tfrc_encoder_fixture_wait ();
    send_fixture_run_until (&f, START + (i + 1) * FRAME_TIME);
    report (&f);
    tfrc_encoder_fixture_wait ();
  }
  target = sum / 50;
  fail_unless (target > 1040000 && target < 1120000, "%s: %" G_GUINT64_FORMAT,
      caps[__i__], target);
  branch_clear (&a, &f);
  gst_caps_unref (set);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Of kbit/s. */
static guint
get_told (const Branch *self)
{
  return (guint) tfrc_fake_encoder_get (self->encoder, NULL);
}

/* For n frames each makes what it is told. */
static void
run_pair (SendFixture *f, Branch *a, Branch *b, guint first, guint n)
{
  for (guint i = first; i < first + n; i++) {
    branch_push_frame (a, 1000 * get_told (a));
    if (b != NULL)
      branch_push_frame (b, 1000 * get_told (b));
    tfrc_encoder_fixture_wait ();
    send_fixture_run_until (f, START + (i + 1) * FRAME_TIME);
    report (f);
    tfrc_encoder_fixture_wait ();
  }
}

static void
start_pair (SendFixture *f, Branch *a, Branch *b, const gchar *priority)
{
  start_flow (f, NULL);
  branch_init (a, f, "fakekbitenc", SSRC);
  branch_init (b, f, "fakekbitenc", SSRC + 1);
  gst_util_set_object_arg (G_OBJECT (a->sinkpad), "priority", priority);
  tfrc_encoder_fixture_wait ();
}

/* Of the first; the second's is low. */
static const struct
{
  const gchar *priority;
  guint start; /* of 300 kbit/s */
  guint least, most;
} pairs[] = {
  { "auto", 150, 440, 500 },
  { "medium", 200, 590, 667 },
  { "very-low", 100, 290, 333 },
};

/* start-bitrate is 300 kbit/s, and max-bitrate 1000, of which headers take 2 to 4 %,
 * and 10 % may be a queue.  By priority the first has half, two thirds or a third of
 * it; together they are told no more. */
GST_START_TEST (encoders_of_two_pads_share_the_rate)
{
  Branch a, b;
  SendFixture f;

  start_pair (&f, &a, &b, pairs[__i__].priority);
  assert_equals_int (get_told (&a), pairs[__i__].start);
  assert_equals_int (get_told (&b), 300 - pairs[__i__].start);
  run_pair (&f, &a, &b, 0, 200);
  for (guint i = 200; i < 250; i++) {
    run_pair (&f, &a, &b, i, 1);
    fail_unless (get_told (&a) >= pairs[__i__].least
            && get_told (&a) <= pairs[__i__].most,
        "told %u", get_told (&a));
    fail_unless (get_told (&a) + get_told (&b) <= 1000, "told %u and %u",
        get_told (&a), get_told (&b));
    fail_unless (get_told (&a) + get_told (&b) >= 880, "told %u and %u",
        get_told (&a), get_told (&b));
  }
  assert_equals_uint64 (send_fixture_get_stat (&f, "encoder-overshoots"), 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "encoder-target-bitrate"),
      1000 * (get_told (&a) + get_told (&b)));
  branch_clear (&a, &f);
  branch_clear (&b, &f);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The one that stays gets all, and a little more (max-bitrate), the other its 2048 of
 * before; so does the first when the element stops. */
GST_START_TEST (an_encoder_whose_pad_goes_leaves_its_share)
{
  Branch a, b;
  SendFixture f;

  start_pair (&f, &a, &b, "auto");
  run_pair (&f, &a, &b, 0, 100);
  fail_unless (get_told (&a) <= 500);
  gst_element_release_request_pad (f.element, b.sinkpad);
  tfrc_encoder_fixture_wait ();
  assert_equals_int (get_told (&b), 2048);
  run_pair (&f, &a, NULL, 100, 100);
  fail_unless (get_told (&a) >= 880 && get_told (&a) <= 1050, "told %u",
      get_told (&a));
  gst_element_set_state (f.element, GST_STATE_READY);
  tfrc_encoder_fixture_wait ();
  assert_equals_int (get_told (&a), 2048);
  branch_clear (&a, &f);
  branch_clear (&b, &f);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The other makes 300 kbit/s, and keeps what it was set to. */
GST_START_TEST (an_encoder_that_is_named_is_the_only_one)
{
  GstElement *bin = gst_object_ref_sink (gst_bin_new (NULL));
  Branch a, b;
  SendFixture f;

  start_flow (&f, bin);
  branch_init (&a, &f, "fakekbitenc", SSRC);
  branch_init (&b, &f, "fakekbitenc", SSRC + 1);
  g_object_set (f.element, "encoder", GST_OBJECT_NAME (b.encoder), NULL);
  tfrc_encoder_fixture_wait ();
  g_object_set (a.encoder, "bitrate", 300, NULL);
  run_pair (&f, &a, &b, 0, 150);
  assert_equals_int (get_told (&a), 300);
  fail_unless (get_told (&b) >= 600 && get_told (&b) <= 700, "told %u",
      get_told (&b));
  branch_clear (&a, &f);
  branch_clear (&b, &f);
  send_fixture_clear (&f);
  gst_object_unref (bin);
}

GST_END_TEST;

/* Behind a tee: one pad has it, and what comes in at the other is as much again.
 * When the first goes the other has it, and all, which it looks for once a second. */
GST_START_TEST (an_encoder_of_two_pads_is_told_once)
{
  GstElement *tee = gst_element_factory_make ("tee", NULL);
  GstElement *encoder;
  Branch a, b;
  SendFixture f;

  start_flow (&f, NULL);
  encoder = gst_object_ref_sink (gst_element_factory_make ("fakekbitenc",
      NULL));
  gst_object_ref_sink (tee);
  gst_element_link_pads_full (encoder, "src", tee, "sink",
      GST_PAD_LINK_CHECK_NOTHING);
  branch_link (&a, &f, gst_element_request_pad_simple (tee, "src_%u"), SSRC);
  branch_link (&b, &f, gst_element_request_pad_simple (tee, "src_%u"),
      SSRC + 1);
  a.encoder = gst_object_ref (encoder);
  b.encoder = gst_object_ref (encoder);
  tfrc_encoder_fixture_wait ();
  run_pair (&f, &a, &b, 0, 250);
  fail_unless (get_told (&a) >= 440 && get_told (&a) <= 525, "told %u",
      get_told (&a));
  gst_element_release_request_pad (f.element, a.sinkpad);
  tfrc_encoder_fixture_wait ();
  run_pair (&f, &b, NULL, 250, 100);
  fail_unless (get_told (&b) >= 880 && get_told (&b) <= 1050, "told %u",
      get_told (&b));
  branch_clear (&a, &f);
  branch_clear (&b, &f);
  gst_object_unref (tee);
  gst_object_unref (encoder);
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
encoder_suite (void)
{
  Suite *suite = suite_create ("encoder");
  TCase *tcase = tcase_create ("encoder");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, an_encoder_is_told_what_the_others_leave, 0, 2);
  tcase_add_loop_test (tcase, an_encoder_is_told_the_same_whatever_its_media, 0,
      3);
  tcase_add_loop_test (tcase, encoders_of_two_pads_share_the_rate, 0,
      G_N_ELEMENTS (pairs));
  tcase_add_test (tcase, an_encoder_whose_pad_goes_leaves_its_share);
  tcase_add_test (tcase, an_encoder_that_is_named_is_the_only_one);
  tcase_add_test (tcase, an_encoder_of_two_pads_is_told_once);
  return suite;
}

GST_CHECK_MAIN (encoder);
