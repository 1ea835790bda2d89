/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcsend behind an encoder that makes next to nothing: what probes are made of,
 * and for whom. */

#include "encoder/fake.h"
#include "encoder/fixture.h"
#include "send/branch.h"
#include "tfrc-wire.h"

#define STILL 40000 /* bits/s: 200 bytes a frame */
#define FRAMES 100
#define RTX_TYPE 127
#define PADDING 255

/* What left, and what the receiver says of it at each frame. */
typedef struct
{
  SendFixture f;
  Branch branch;
  gboolean ends_padding;
  guint32 bytes; /* in all, as the next two */
  guint padding, rtx;
  guint padding_bytes, rtx_bytes;
  guint16 newest_seq; /* of the stream */
  SendPacket newest;
} World;

static void
start (World *self, const gchar *encoder, gboolean ends_padding)
{
  SendFixture *f = &self->f;

  *self = (World) { .ends_padding = ends_padding };
  tfrc_fake_encoders_register ();
  send_fixture_init (f);
  g_object_set (f->element, "delay-target", 8, "max-bitrate", 4000000, NULL);
  gst_util_set_object_arg (G_OBJECT (f->element), "retransmission", "on");
  send_fixture_start (f, NULL);
  branch_init (&self->branch, f, encoder, SSRC);
}

static void
stop (World *self)
{
  branch_clear (&self->branch, &self->f);
  send_fixture_clear (&self->f);
}

/* With a property that does not change while the element runs. */
static void
restart_with (World *self, const gchar *property, gint value)
{
  branch_clear (&self->branch, &self->f);
  gst_element_set_state (self->f.element, GST_STATE_READY);
  g_object_set (self->f.element, property, value, NULL);
  gst_element_set_state (self->f.element, GST_STATE_PLAYING);
  branch_init (&self->branch, &self->f, "fakebitenc", SSRC);
}

/* RFC 3550 section 5.1: the last byte counts the padding.  Beside the stream, which is
 * its CSRC, and with its payload type and an extension. */
static void
check_padding (GstRTPBuffer *rtp, GstBuffer *buffer)
{
  guint8 last;

  fail_unless (gst_rtp_buffer_get_padding (rtp));
  assert_equals_int (gst_rtp_buffer_get_payload_len (rtp), 0);
  assert_equals_int (gst_rtp_buffer_get_payload_type (rtp), 96);
  assert_equals_int (gst_rtp_buffer_get_csrc_count (rtp), 1);
  fail_unless (gst_rtp_buffer_get_csrc (rtp, 0) == SSRC);
  gst_buffer_extract (buffer, gst_buffer_get_size (buffer) - 1, &last, 1);
  assert_equals_int (last, PADDING);
  /* 12 + 4 of CSRC, 4 + 8 of extension. */
  assert_equals_int (gst_buffer_get_size (buffer), 28 + PADDING);
}

static void
take (World *self, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint size = (guint) gst_buffer_get_size (buffer);

  self->newest = send_fixture_read_packet (buffer, SEND_ID);
  fail_unless (self->newest.has_extension);
  self->bytes += size;
  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  if (gst_rtp_buffer_get_ssrc (&rtp) == SSRC) {
    self->newest_seq = gst_rtp_buffer_get_seq (&rtp);
  } else if (gst_rtp_buffer_get_payload_type (&rtp) == RTX_TYPE) {
    self->rtx++;
    self->rtx_bytes += size;
  } else if (gst_rtp_buffer_get_payload_type (&rtp) == 96) {
    check_padding (&rtp, buffer);
    self->padding++;
    self->padding_bytes += size;
  }
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
}

static void
report (World *self, TfrcTime now)
{
  const TfrcFeedback feedback = {
    .media_ssrc = SSRC,
    .echo_time_us = self->newest.extension.send_time_us,
    .receive_rate = 50000, /* X stays at W_init / R */
  };
  const TfrcDelayReport delay = {
    .arrival_us = (guint32) (now / TFRC_MICROSECOND),
    .bytes = self->bytes,
    .ends_padding = self->ends_padding,
  };
  guint8 data[TFRC_WIRE_FEEDBACK_SIZE + TFRC_WIRE_DELAY_SIZE];

  tfrc_wire_write_feedback (data, &feedback, RECEIVER_SSRC);
  tfrc_wire_write_delay (data + TFRC_WIRE_FEEDBACK_SIZE, &delay, RECEIVER_SSRC);
  send_fixture_push_rtcp (&self->f, data, sizeof data);
}

static void
take_all (World *self)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (self->f.rtp)) != NULL)
    take (self, buffer);
}

static void
run (World *self, guint first, guint n)
{
  for (guint i = first; i < first + n; i++) {
    TfrcTime now = START + (i + 1) * FRAME_TIME;

    branch_push_frame (&self->branch, STILL);
    tfrc_encoder_fixture_wait ();
    send_fixture_run_until (&self->f, now);
    take_all (self);
    report (self, now);
    tfrc_encoder_fixture_wait ();
  }
  /* And what the last report let go. */
  send_fixture_run_until (&self->f, START + (first + n) * FRAME_TIME + 1);
  take_all (self);
}

static void
ask_again (World *self)
{
  const guint16 seqs[] = { (guint16) (self->newest_seq - 1) };
  guint8 data[TFRC_WIRE_NACK_SIZE (1)];
  gsize size = tfrc_wire_write_nack (data, RECEIVER_SSRC, SSRC, seqs, 1);

  send_fixture_push_rtcp (&self->f, data, size);
}

/* In 4 s some probes of 60 ms at the 876 kbit/s and more that W_init / R is at 40 ms:
 * of 283 bytes each, and no more than slow start sends in four RTTs and a quarter of
 * the source. */
GST_START_TEST (a_receiver_that_ends_it_gets_padding)
{
  World world;

  start (&world, "fakebitenc", TRUE);
  run (&world, 0, FRAMES);
  fail_unless (world.padding > 10, "%u", world.padding);
  assert_equals_int (world.rtx, 0);
  fail_unless (world.padding_bytes < 65700 + 800 + FRAMES * 224 / 4, "%u",
      world.padding_bytes);
  assert_equals_uint64 (send_fixture_get_stat (&world.f, "padding-bytes"),
      world.padding_bytes);
  fail_unless (send_fixture_get_stat (&world.f, "padding-probes") > 1);
  stop (&world);
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_does_not_say_so_gets_none)
{
  World world;

  start (&world, "fakebitenc", FALSE);
  run (&world, 0, FRAMES);
  assert_equals_int (world.padding + world.rtx, 0);
  assert_equals_uint64 (send_fixture_get_stat (&world.f, "padding-bytes"), 0);
  stop (&world);
}

GST_END_TEST;

/* One packet is repeated for the NACK; after that probes are. */
GST_START_TEST (a_receiver_that_had_a_packet_again_gets_recent_ones)
{
  World world;

  start (&world, "fakebitenc", __i__ == 1);
  run (&world, 0, 5);
  ask_again (&world);
  run (&world, 5, FRAMES);
  fail_unless (world.rtx > 10, "%u", world.rtx);
  if (__i__ == 0)
    assert_equals_int (world.padding, 0);
  assert_equals_uint64 (send_fixture_get_stat (&world.f,
                            "retransmissions-sent"),
      1);
  assert_equals_uint64 (send_fixture_get_stat (&world.f, "padding-bytes")
          + send_fixture_get_stat (&world.f, "retransmission-bytes"),
      world.rtx_bytes + world.padding_bytes);
  stop (&world);
}

GST_END_TEST;

/* Which the receiver was said to take. */
GST_START_TEST (parity_is_more_while_a_probe_is_on)
{
  World world;
  guint percentage = 0, most = 0;

  start (&world, "fakebitenc", FALSE);
  restart_with (&world, "fec", 20);
  for (guint i = 0; i < FRAMES; i++) {
    GstStructure *stats;

    run (&world, i, 1);
    g_object_get (world.f.element, "stats", &stats, NULL);
    fail_unless (gst_structure_get_uint (stats, "fec-percentage", &percentage));
    gst_structure_free (stats);
    most = MAX (most, percentage);
  }
  assert_equals_int (most, 100);
  assert_equals_int (percentage, 20);
  stop (&world);
}

GST_END_TEST;

/* There is nobody who could use a higher rate. */
GST_START_TEST (without_an_encoder_that_follows_there_is_none)
{
  World world;

  start (&world, "fakenobitenc", TRUE);
  run (&world, 0, FRAMES);
  assert_equals_int (world.padding, 0);
  stop (&world);
}

GST_END_TEST;

/* By max-bitrate: W_init / R is more than that. */
GST_START_TEST (an_encoder_that_has_all_it_may_make_needs_none)
{
  World world;

  start (&world, "fakebitenc", TRUE);
  g_object_set (world.f.element, "max-bitrate", 300000, NULL);
  run (&world, 0, FRAMES);
  assert_equals_int (world.padding, 0);
  stop (&world);
}

GST_END_TEST;

GST_START_TEST (without_delay_control_there_is_none)
{
  World world;

  start (&world, "fakebitenc", TRUE);
  restart_with (&world, "delay-target", 0);
  run (&world, 0, FRAMES);
  assert_equals_int (world.padding, 0);
  stop (&world);
}

GST_END_TEST;

static Suite *
padding_suite (void)
{
  Suite *suite = suite_create ("padding");
  TCase *tcase = tcase_create ("padding");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_receiver_that_ends_it_gets_padding);
  tcase_add_test (tcase, a_receiver_that_does_not_say_so_gets_none);
  tcase_add_loop_test (tcase,
      a_receiver_that_had_a_packet_again_gets_recent_ones, 0, 2);
  tcase_add_test (tcase, parity_is_more_while_a_probe_is_on);
  tcase_add_test (tcase, without_an_encoder_that_follows_there_is_none);
  tcase_add_test (tcase, an_encoder_that_has_all_it_may_make_needs_none);
  tcase_add_test (tcase, without_delay_control_there_is_none);
  return suite;
}

GST_CHECK_MAIN (padding);
