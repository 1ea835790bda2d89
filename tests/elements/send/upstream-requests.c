/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that are asked for again: what is remembered of the requests, and the
 * element between a receiver and an rtprtxsend that know a packet by different
 * numbers. */

#include "send/repair.h"

#include "send/fixture.h"

#define OTHER_SSRC 0x2222
#define RTX_SSRC 0x3333
#define RTX_PAYLOAD 3 /* the original number, and a byte */
#define AUDIO_CAPS \
  "application/x-rtp, media=audio, clock-rate=48000, " \
  "encoding-name=OPUS, payload=96, ssrc=(uint)286335522" /* SSRC */

static gboolean
ask (TfrcUpstreamRequests *self, guint32 ssrc, guint16 seq, TfrcTime now)
{
  const TfrcUpstreamRequest request = {
    .ssrc = ssrc,
    .seq = seq,
    .original_seq = (guint16) (seq + 10),
    .asked_at = now,
  };

  return tfrc_upstream_requests_on_request (self, &request, RTT);
}

GST_START_TEST (a_packet_is_repeated_once_in_an_interval)
{
  TfrcUpstreamRequests requests;

  requests = (TfrcUpstreamRequests) { 0 };
  fail_unless (ask (&requests, SSRC, 7, START));
  fail_unless (ask (&requests, SSRC, 8, START + 1));
  fail_if (ask (&requests, SSRC, 7, START + RTT - 1));
  /* Another packet: of another stream. */
  fail_unless (ask (&requests, OTHER_SSRC, 7, START + RTT - 1));
  fail_unless (ask (&requests, SSRC, 7, START + RTT));
  fail_if (ask (&requests, SSRC, 7, START + 2 * RTT - 1));
  assert_equals_uint64 (requests.asked, 4);
}

GST_END_TEST;

GST_START_TEST (a_repetition_finds_the_newest_request_for_it)
{
  TfrcUpstreamRequests requests;
  guint16 i;

  requests = (TfrcUpstreamRequests) { 0 };
  fail_unless (tfrc_upstream_requests_find (&requests, 17) == NULL);
  ask (&requests, SSRC, 7, START);
  ask (&requests, OTHER_SSRC, 7, START);
  assert_equals_int (tfrc_upstream_requests_find (&requests, 17)->ssrc,
      OTHER_SSRC);
  fail_unless (tfrc_upstream_requests_find (&requests, 7) == NULL);
  /* 256 others later nobody remembers. */
  for (i = 0; i < TFRC_UPSTREAM_REQUESTS_MAX - 1; i++)
    ask (&requests, SSRC, (guint16) (100 + i), START);
  fail_unless (tfrc_upstream_requests_find (&requests, 17) != NULL);
  ask (&requests, SSRC, (guint16) (100 + i), START);
  fail_unless (tfrc_upstream_requests_find (&requests, 17) == NULL);
}

GST_END_TEST;

/* As rtpsession sends it upstream for a NACK. */
static void
push_request (SendFixture *self, guint ssrc, guint seq)
{
  gst_harness_push_upstream_event (self->rtp,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("GstRTPRetransmissionRequest",
              "seqnum", G_TYPE_UINT, seq, "ssrc", G_TYPE_UINT, ssrc, NULL)));
}

/* The number of the next request that comes to upstream, -1: none does. */
static gint
pull_request (SendFixture *self)
{
  GstEvent *event;
  guint seq;

  while ((event = gst_harness_try_pull_upstream_event (self->rtp)) != NULL) {
    gboolean found = gst_event_has_name (event, "GstRTPRetransmissionRequest");

    if (found)
      gst_structure_get_uint (gst_event_get_structure (event), "seqnum", &seq);
    gst_event_unref (event);
    if (found)
      return (gint) seq;
  }
  return -1;
}

/* As rtprtxsend repeats the packet that came with this number. */
static void
push_repetition (SendFixture *self, guint16 original)
{
  GstBuffer *buffer = send_fixture_make_packet (500, 0, RTX_PAYLOAD);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  gst_rtp_buffer_set_ssrc (&rtp, RTX_SSRC);
  gst_rtp_buffer_set_payload_type (&rtp, 97);
  GST_WRITE_UINT16_BE (gst_rtp_buffer_get_payload (&rtp), original);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_FLAG_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  assert_equals_int (gst_harness_push (self->rtp, buffer), GST_FLOW_OK);
}

/* The original number in the next packet that leaves. */
static guint16
pull_repetition (SendFixture *self)
{
  GstBuffer *buffer = gst_harness_pull (self->rtp);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 original;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  assert_equals_int (gst_rtp_buffer_get_ssrc (&rtp), RTX_SSRC);
  assert_equals_int (gst_rtp_buffer_get_payload_len (&rtp), RTX_PAYLOAD);
  original = GST_READ_UINT16_BE (gst_rtp_buffer_get_payload (&rtp));
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  return original;
}

/* All that has left by now; the number of the last. */
static guint16
pull_packets (SendFixture *self)
{
  guint16 seq = 0;

  for (guint n = gst_harness_buffers_in_queue (self->rtp); n > 0; n--)
    seq = send_fixture_pull_packet (self).seq;
  return seq;
}

/* Of 60 packets at 10 ms each those are dropped that wait for more than 200 ms;
 * what comes then leaves with the next number, and with that is asked for. */
GST_START_TEST (both_sides_know_a_packet_by_their_own_numbers)
{
  SendFixture f;
  guint16 came, left;

  send_fixture_init (&f);
  send_fixture_start (&f, AUDIO_CAPS);
  send_fixture_start_flow (&f);
  send_fixture_push_packets (&f, 60);
  send_fixture_run_until (&f, START + 5 * RTT);
  fail_unless (send_fixture_get_stat (&f, "packets-dropped") > 0);
  pull_packets (&f);
  came = f.seq;
  send_fixture_push_packets (&f, 1);
  send_fixture_run_until (&f, START + 6 * RTT);
  left = pull_packets (&f);
  assert_equals_int ((guint16) (came - left),
      send_fixture_get_stat (&f, "packets-dropped"));

  push_request (&f, SSRC, left);
  assert_equals_int (pull_request (&f), came);
  push_repetition (&f, came);
  send_fixture_run_until (&f, START + 6 * RTT + RTT / 2);
  assert_equals_int (pull_repetition (&f), left);

  /* Not again at once, nor what has not left, nor of whom we do not know. */
  push_request (&f, SSRC, left);
  push_request (&f, SSRC, (guint16) (left + 1));
  push_request (&f, OTHER_SSRC, left);
  assert_equals_int (pull_request (&f), -1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A repetition is no frame of video: where it is dropped, no key frame is asked
 * for. */
GST_START_TEST (a_repetition_that_is_late_goes_alone)
{
  SendFixture f;
  guint64 asked;

  send_fixture_init (&f);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  asked = send_fixture_get_stat (&f, "key-frame-requests");
  for (guint16 i = 0; i < 2000; i++)
    push_repetition (&f, i);
  send_fixture_run_until (&f, START + 4 * RTT);
  fail_unless (send_fixture_get_stat (&f, "packets-dropped") > 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "key-frame-requests"),
      asked);
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
upstream_requests_suite (void)
{
  Suite *suite = suite_create ("upstream-requests");
  TCase *requests = tcase_create ("requests");
  TCase *element = tcase_create ("element");

  tcase_add_test (requests, a_packet_is_repeated_once_in_an_interval);
  tcase_add_test (requests, a_repetition_finds_the_newest_request_for_it);
  suite_add_tcase (suite, requests);
  tcase_add_test (element, both_sides_know_a_packet_by_their_own_numbers);
  tcase_add_test (element, a_repetition_that_is_late_goes_alone);
  suite_add_tcase (suite, element);
  return suite;
}

GST_CHECK_MAIN (upstream_requests);
