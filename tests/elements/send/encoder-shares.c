/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the encoder control hears of a flow with a video and an audio stream,
 * and when.  A group's rate is known before anybody reports. */

#include <gst/check/gstcheck.h>

#include "send/encoder-shares.h"

#define NOW (10 * TFRC_SECOND)
#define INTERVAL (20 * TFRC_MILLISECOND)
#define MAX_RATE 1000 /* bytes/s; the flow starts with more */

typedef struct
{
  TfrcSendEncoderShares updates;
  TfrcSendFlow flow;
  TfrcQueue *queue;
  GPtrArray *inputs;
  TfrcSendStream *video;
  TfrcSendStream *audio;
} Fixture;

static void
fixture_init (Fixture *self, GstTfrcMode mode)
{
  const TfrcSendFlowConfig config = {
    .mode = mode,
    .unicast = tfrc_sender_config_default (),
    .group = tfmcc_sender_config_default (),
  };

  tfrc_send_flow_init (&self->flow);
  tfrc_send_flow_start (&self->flow, &config);
  tfrc_send_flow_set_bounds (&self->flow, 0, MAX_RATE);
  self->queue = tfrc_queue_new ();
  self->inputs = g_ptr_array_new ();
  self->video = tfrc_queue_add_stream (self->queue, 1);
  self->audio = tfrc_queue_add_stream (self->queue, 2);
  self->audio->video = FALSE;
  self->audio->audio = TRUE;
  tfrc_send_encoder_shares_start (&self->updates);
  tfrc_send_encoder_shares_on_packet (&self->updates, NOW);
}

static void
fixture_clear (Fixture *self)
{
  tfrc_send_flow_clear (&self->flow);
  tfrc_queue_free (self->queue);
  g_ptr_array_unref (self->inputs);
}

static gboolean
update (Fixture *self, TfrcTime now)
{
  return tfrc_send_encoder_shares_on_deadline (&self->updates, self->queue,
      self->inputs, &self->flow, FALSE, now);
}

GST_START_TEST (before_the_first_packet_there_is_nothing_to_tell)
{
  Fixture fixture;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  tfrc_send_encoder_shares_start (&fixture.updates);
  assert_equals_uint64 (fixture.updates.due_at, TFRC_TIME_NONE);
  fail_if (update (&fixture, NOW));
  fixture_clear (&fixture);
}

GST_END_TEST;

GST_START_TEST (the_first_packet_is_told_at_once_and_the_rest_every_20_ms)
{
  Fixture fixture;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  assert_equals_uint64 (fixture.updates.due_at, NOW);
  fail_unless (update (&fixture, NOW));
  tfrc_send_encoder_shares_on_packet (&fixture.updates, NOW + 1);
  assert_equals_uint64 (fixture.updates.due_at, NOW + INTERVAL);
  fail_if (update (&fixture, NOW + INTERVAL - 1));
  fail_unless (update (&fixture, NOW + INTERVAL));
  fixture_clear (&fixture);
}

GST_END_TEST;

/* Else the task would wake 50 times a second for nothing. */
GST_START_TEST (it_rests_after_a_second_without_packets)
{
  Fixture fixture;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  fail_unless (update (&fixture, NOW + TFRC_SECOND - 1));
  assert_equals_uint64 (fixture.updates.due_at,
      NOW + TFRC_SECOND - 1 + INTERVAL);
  fail_unless (update (&fixture, NOW + TFRC_SECOND - 1 + INTERVAL));
  assert_equals_uint64 (fixture.updates.due_at, TFRC_TIME_NONE);
  tfrc_send_encoder_shares_on_packet (&fixture.updates, NOW + 2 * TFRC_SECOND);
  assert_equals_uint64 (fixture.updates.due_at, NOW + 2 * TFRC_SECOND);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* No report yet: TFRC knows no rate, and is looked at again. */
GST_START_TEST (an_unknown_rate_is_not_told)
{
  Fixture fixture;

  fixture_init (&fixture, GST_TFRC_MODE_TFRC);
  fail_if (update (&fixture, NOW));
  assert_equals_uint64 (fixture.updates.due_at, NOW + INTERVAL);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* At its least an encoder makes 15 bytes for 50 that are sent, 3.3 times as many; of 1000
 * it can have 15 + 950 / 1.05 = 920, not 300, which would be all that is asked for then. */
GST_START_TEST (an_encoder_that_makes_small_packets_may_make_larger_ones)
{
  Fixture fixture;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  fixture.video->rate = 50;
  fixture.video->payload_rate = 15;
  fail_unless (update (&fixture, NOW));
  assert_equals_float (fixture.updates.flow.overhead, 1000 / (15 + 950 / 1.05));
  fixture_clear (&fixture);
}

GST_END_TEST;

/* Video of 100 bytes/s around 80 of payload, audio of 500 bytes/s: the encoder
 * shares 8000 bits/s with 4000.  5 bytes leave for 4 that it makes, but of 400 more there
 * are 381 in larger packets: 500 for 461. */
GST_START_TEST (what_the_encoder_cannot_have_is_told)
{
  Fixture fixture;
  TfrcQueueItem packet = { .size = 300 };

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  packet.object = GST_MINI_OBJECT_CAST (gst_buffer_new ());
  packet.stream = fixture.video;
  tfrc_queue_push_packet (fixture.queue, &packet, NOW);
  fixture.video->rate = 100;
  fixture.video->payload_rate = 80;
  fixture.audio->rate = 500;
  fail_unless (update (&fixture, NOW));
  assert_equals_uint64 (fixture.updates.flow.allowed_bitrate, 8000);
  assert_equals_uint64 (fixture.updates.flow.other_bitrate, 4000);
  assert_equals_float (fixture.updates.flow.overhead, 500 / (80 + 400 / 1.05));
  assert_equals_uint64 (fixture.updates.flow.queued_bytes, 300);
  assert_equals_uint64 (fixture.updates.due_at, NOW + INTERVAL);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* Of 8000 bits/s 4000 + 1600 are others': audio, and the video of a pad whose encoder
 * does not follow, the faster one or not. */
GST_START_TEST (video_of_other_encoders_is_not_the_encoders)
{
  Fixture fixture;
  TfrcSendInput other = { 0 }, own = { .follows = TRUE, .most = 1000000 };
  TfrcSendStream *second;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  g_ptr_array_add (fixture.inputs, &other);
  g_ptr_array_add (fixture.inputs, &own);
  second = tfrc_queue_add_stream (fixture.queue, 3);
  second->input = &other;
  second->rate = 200;
  fixture.video->input = fixture.audio->input = &own;
  fixture.video->rate = 100;
  fixture.audio->rate = 500;
  fail_unless (update (&fixture, NOW));
  assert_equals_float (other.rate, 200);
  assert_equals_float (own.rate, 600);
  assert_equals_float (own.video_rate, 100);
  assert_equals_uint64 (fixture.updates.flow.other_bitrate, 5600);
  assert_equals_uint64 (own.flow.allowed_bitrate, 8000);
  assert_equals_uint64 (own.flow.other_bitrate, 5600);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* rtpgstpay says media=application of any encoder's output.  It is not subtracted from what
 * that encoder may make; audio and retransmissions beside it on the pad are. */
GST_START_TEST (what_an_encoder_makes_is_its_own_whatever_its_media)
{
  Fixture fixture;
  TfrcSendInput own = { .follows = TRUE, .most = 1000000 };
  TfrcSendStream *rtx;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  g_ptr_array_add (fixture.inputs, &own);
  rtx = tfrc_queue_add_stream (fixture.queue, 3);
  rtx->is_rtx = TRUE;
  rtx->video = fixture.video->video = FALSE;
  fixture.video->input = fixture.audio->input = rtx->input = &own;
  fixture.video->rate = 400;
  fixture.audio->rate = 100;
  rtx->rate = 50;
  fail_unless (update (&fixture, NOW));
  assert_equals_uint64 (own.flow.allowed_bitrate, 8000);
  assert_equals_uint64 (own.flow.other_bitrate, 1200);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* Of 8000 bits/s 4000 are the part of a file, which would take more, beside an encoder
 * of the same weight; less than that is what it takes. */
GST_START_TEST (a_file_leaves_encoders_their_part)
{
  static const struct
  {
    gdouble file; /* [bytes/s] */
    gboolean live;
    guint64 others; /* [bits/s] */
  } rates[] = { { 900, FALSE, 4000 }, { 300, FALSE, 2400 },
    { 900, TRUE, 7200 } };
  Fixture fixture;
  TfrcSendInput file = { .waited = !rates[__i__].live };
  TfrcSendInput own = { .follows = TRUE, .most = 1000000 };
  TfrcQueueItem packet = { .size = 300 };
  TfrcSendStream *second;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  g_ptr_array_add (fixture.inputs, &file);
  g_ptr_array_add (fixture.inputs, &own);
  second = tfrc_queue_add_stream (fixture.queue, 3);
  second->input = &file;
  packet.object = GST_MINI_OBJECT_CAST (gst_buffer_new ());
  packet.stream = second;
  tfrc_queue_push_packet (fixture.queue, &packet, NOW);
  second->rate = rates[__i__].file;
  fixture.video->input = &own;
  fixture.video->rate = 100;
  fail_unless (update (&fixture, NOW));
  assert_equals_uint64 (fixture.updates.flow.other_bitrate,
      rates[__i__].others);
  /* What waits by itself is no backlog. */
  assert_equals_uint64 (fixture.updates.flow.queued_bytes,
      rates[__i__].live ? 300 : 0);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* Of 8000 bits/s audio has 800 and two encoders the rest, at rates of streams in
 * bytes/s, when they have been told 3600 each for longer than 3 s. */
static const struct
{
  GstTfrcPriority priority; /* of the first */
  guint64 most;             /* of the second [bits/s] */
  gdouble rates[2];         /* of the streams */
  gint told[2];             /* [bits/s] */
} pairs[] = {
  { GST_TFRC_PRIORITY_AUTO, 100000, { 450, 450 }, { 3600, 3600 } },
  { GST_TFRC_PRIORITY_MEDIUM, 100000, { 450, 450 }, { 4800, 2400 } },
  { GST_TFRC_PRIORITY_VERY_LOW, 100000, { 450, 450 }, { 2400, 4800 } },
  /* The second can be told no more, makes less than half of its share, next to
   * nothing, nothing any more (1 % are 36 bits/s), or has just come. */
  { GST_TFRC_PRIORITY_AUTO, 1000, { 450, 450 }, { 6200, 1000 } },
  { GST_TFRC_PRIORITY_AUTO, 100000, { 450, 125 }, { 5200, 2000 } },
  { GST_TFRC_PRIORITY_AUTO, 100000, { 450, 25 }, { 5400, 1800 } },
  { GST_TFRC_PRIORITY_AUTO, 100000, { 450, 4 }, { 7200, 1800 } },
  { GST_TFRC_PRIORITY_AUTO, 100000, { 450, 0 }, { 3600, 3600 } },
  /* Neither needs more than half of its share; both have all again. */
  { GST_TFRC_PRIORITY_AUTO, 100000, { 100, 50 }, { 3600, 3600 } },
  /* It makes 5600 of the 7200, whatever it is told. */
  { GST_TFRC_PRIORITY_AUTO, 100000, { 200, 700 }, { 1600, 1600 } },
};

static void
share_out_between (Fixture *self, TfrcSendInput *inputs, guint i)
{
  TfrcSendStream *streams[2] = { self->video, NULL };

  streams[1] = tfrc_queue_add_stream (self->queue, 3);
  self->audio->rate = 100;
  for (guint k = 0; k < 2; k++) {
    inputs[k] = (TfrcSendInput) {
      .follows = TRUE,
      .priority = k == 0 ? pairs[i].priority : GST_TFRC_PRIORITY_AUTO,
      .most = k == 0 ? 100000 : pairs[i].most,
      .target = 3600,
      .over_since = pairs[i].rates[k] > 585 ? NOW : TFRC_TIME_NONE,
    };
    g_ptr_array_add (self->inputs, &inputs[k]);
    streams[k]->input = &inputs[k];
    streams[k]->rate = streams[k]->payload_rate = pairs[i].rates[k];
  }
}

GST_START_TEST (encoders_share_what_is_left)
{
  TfrcSendInput inputs[2];
  Fixture fixture;
  gdouble sum = 0;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  share_out_between (&fixture, inputs, __i__);
  fail_unless (update (&fixture, NOW + 3 * TFRC_SECOND));
  for (guint k = 0; k < 2; k++) {
    gint told = (gint) tfrc_encoder_target_from_flow (&inputs[k].flow);

    fail_unless (ABS (told - pairs[__i__].told[k]) <= 2, "%u: told %d", k,
        told);
    sum += told;
  }
  fail_unless (sum <= 7200 || pairs[__i__].rates[1] == 4);
  fixture_clear (&fixture);
}

GST_END_TEST;

/* What an encoder would get besides another, before it is bound to. */
GST_START_TEST (an_encoder_that_is_found_begins_with_its_share)
{
  TfrcSendInput inputs[2] = { { .follows = TRUE, .most = 1000000 }, { 0 } };
  Fixture fixture;

  fixture_init (&fixture, GST_TFRC_MODE_TFMCC);
  for (guint k = 0; k < 2; k++)
    g_ptr_array_add (fixture.inputs, &inputs[k]);
  fixture.video->input = &inputs[0];
  fixture.video->rate = 1000;
  fail_unless (update (&fixture, NOW));
  assert_equals_uint64 (inputs[0].flow.allowed_bitrate, 8000);
  assert_equals_uint64 (inputs[1].flow.allowed_bitrate, 4000);
  fixture_clear (&fixture);
}

GST_END_TEST;

static Suite *
encoder_shares_suite (void)
{
  Suite *suite = suite_create ("encoder_shares");
  TCase *tcase = tcase_create ("updates");

  tcase_add_test (tcase, before_the_first_packet_there_is_nothing_to_tell);
  tcase_add_test (tcase,
      the_first_packet_is_told_at_once_and_the_rest_every_20_ms);
  tcase_add_test (tcase, it_rests_after_a_second_without_packets);
  tcase_add_test (tcase, an_unknown_rate_is_not_told);
  tcase_add_test (tcase,
      an_encoder_that_makes_small_packets_may_make_larger_ones);
  tcase_add_test (tcase, what_the_encoder_cannot_have_is_told);
  tcase_add_test (tcase, video_of_other_encoders_is_not_the_encoders);
  tcase_add_test (tcase, what_an_encoder_makes_is_its_own_whatever_its_media);
  tcase_add_loop_test (tcase, a_file_leaves_encoders_their_part, 0, 3);
  tcase_add_loop_test (tcase, encoders_share_what_is_left, 0,
      G_N_ELEMENTS (pairs));
  tcase_add_test (tcase, an_encoder_that_is_found_begins_with_its_share);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (encoder_shares);
