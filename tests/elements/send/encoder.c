/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two encoders in front of two sink pads of rtptfrcsend, of which one follows the
 * rate. */

#include "encoder/fake.h"
#include "encoder/fixture.h"
#include "send/fixture.h"

#define ALLOWED 1000000 /* bits/s */
#define FRAME_TIME (40 * TFRC_MILLISECOND)
#define MAX_PAYLOAD 1100

typedef struct
{
  GstElement *encoder;
  GstPad *srcpad, *sinkpad;
  guint32 ssrc, timestamp;
  guint16 seq;
} Branch;

/* Behind it a payloader would be. */
static void
branch_init (Branch *self, SendFixture *f, const gchar *factory, guint32 ssrc)
{
  GstCaps *caps = gst_caps_from_string (
      "application/x-rtp, media=video, clock-rate=90000, encoding-name=VP8, "
      "payload=96");
  GstSegment segment;

  *self = (Branch) { .ssrc = ssrc };
  self->encoder = gst_object_ref_sink (gst_element_factory_make (factory,
      NULL));
  self->srcpad = gst_element_get_static_pad (self->encoder, "src");
  self->sinkpad = gst_element_request_pad_simple (f->element, "sink_%u");
  gst_pad_set_active (self->srcpad, TRUE);
  assert_equals_int (gst_pad_link_full (self->srcpad, self->sinkpad,
                         GST_PAD_LINK_CHECK_NOTHING),
      GST_PAD_LINK_OK);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->srcpad, gst_event_new_stream_start ("test"));
  gst_pad_push_event (self->srcpad, gst_event_new_caps (caps));
  gst_pad_push_event (self->srcpad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static void
branch_clear (Branch *self, SendFixture *f)
{
  gst_pad_set_active (self->srcpad, FALSE);
  gst_element_release_request_pad (f->element, self->sinkpad);
  gst_object_unref (self->sinkpad);
  gst_object_unref (self->srcpad);
  gst_object_unref (self->encoder);
}

static void
branch_push_frame (Branch *self, guint64 bitrate)
{
  guint left = (guint) (bitrate * FRAME_TIME / TFRC_SECOND / 8);
  guint size;

  self->timestamp += 3600;
  for (; left > 0; left -= size) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    GstBuffer *buffer;

    size = MIN (left, MAX_PAYLOAD);
    buffer = send_fixture_make_packet (self->seq++, self->timestamp, size);
    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_ssrc (&rtp, self->ssrc);
    gst_rtp_buffer_unmap (&rtp);
    assert_equals_int (gst_pad_push (self->srcpad, buffer), GST_FLOW_OK);
  }
}

static void
start_flow (SendFixture *f)
{
  tfrc_fake_encoders_register ();
  send_fixture_init (f);
  g_object_set (f->element, "max-bitrate", ALLOWED, NULL);
  f->rtp = gst_harness_new_with_element (f->element, NULL, "src");
  f->rtcp = gst_harness_new_with_element (f->element, "rtcp_sink", "rtcp_src");
  gst_harness_set_src_caps_str (f->rtcp, "application/x-rtcp");
}

/* All that left arrives at once: the rate soon is that of max-bitrate. */
static void
report (SendFixture *f)
{
  TfrcFeedback feedback = { .media_ssrc = SSRC,
    .receive_rate = 2 * ALLOWED / 8 };
  guint8 data[TFRC_WIRE_FEEDBACK_SIZE];
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (f->rtp)) != NULL) {
    feedback.echo_time_us =
        send_fixture_read_packet (buffer, SEND_ID).stamp.send_time_us;
    gst_buffer_unref (buffer);
  }
  tfrc_wire_write_feedback (data, &feedback, RECEIVER_SSRC);
  send_fixture_push_rtcp (f, data, sizeof data);
}

/* 1000 kbit/s are allowed, b makes 500 or 800 of payload, and a what it is told: a is
 * told what b leaves, within 15 %.  Of b a packet of 1124 bytes carries 1100, one of
 * 324 the rest of 300 of 2500 bytes a frame, or of 724 that of 700 of 4000 (12 + 4 + 8
 * bytes are RTP header, extension and stamp): 514.4 and 819.2 kbit/s as they leave. */
GST_START_TEST (an_encoder_is_told_what_the_others_leave)
{
  const guint64 fixed = __i__ == 1 ? 800000 : 500000;
  const guint64 left = ALLOWED - (__i__ == 1 ? 819200 : 514400);
  Branch a, b;
  guint64 target, sum = 0; /* of the last 2 s */
  SendFixture f;

  start_flow (&f);
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

static Suite *
encoder_suite (void)
{
  Suite *suite = suite_create ("encoder");
  TCase *tcase = tcase_create ("encoder");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, an_encoder_is_told_what_the_others_leave, 0, 2);
  return suite;
}

GST_CHECK_MAIN (encoder);
