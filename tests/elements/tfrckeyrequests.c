/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a key frame is asked for: for joiners, after loss, on request. */

#include "tfrckeyrequests.h"

#include <gst/check/gstcheck.h>

#define VIDEO_SSRC 0x1111
#define FRAME (33 * TFRC_MILLISECOND)

static const guint8 idr[] = { 0x65, 0x88 };
static const guint8 slice[] = { 0x41, 0x9A };
static const guint8 delimiter[] = { 0x09, 0xF0 };

typedef struct
{
  TfrcKeyRequests requests;
  const gchar *encoding_name;
  guint16 seq;
  guint32 timestamp;
} Flow;

static void
flow_init (Flow *self, const gchar *encoding_name)
{
  tfrc_key_requests_init (&self->requests);
  self->encoding_name = encoding_name;
  self->seq = 65534;
  self->timestamp = 0;
}

/* One more packet of the stream. */
static void
push (Flow *self, const guint8 payload[2], gboolean marker, TfrcTime now)
{
  const TfrcKeyRequestPacket packet = { VIDEO_SSRC, self->seq,
    self->timestamp, marker, self->encoding_name, payload, 2
  };

  tfrc_key_requests_on_packet (&self->requests, &packet, now);
  self->seq++;
  if (marker)
    self->timestamp += 3000;
}

/* Requests handed out over [from, to), looking every 10 ms. */
static guint
count_requests (Flow *self, TfrcTime from, TfrcTime to)
{
  guint n = 0;
  guint32 ssrc;

  for (; from < to; from += 10 * TFRC_MILLISECOND) {
    while (tfrc_key_requests_poll (&self->requests, &ssrc, from)) {
      fail_unless_equals_int (ssrc, VIDEO_SSRC);
      n++;
    }
  }
  return n;
}

GST_START_TEST (test_a_stream_that_starts_with_a_key_frame_is_not_asked)
{
  Flow flow;

  flow_init (&flow, "H264");
  push (&flow, delimiter, FALSE, 0);
  push (&flow, idr, FALSE, 0);
  push (&flow, idr, TRUE, 0);
  push (&flow, slice, TRUE, FRAME);
  fail_unless_equals_uint64 (flow.requests.key_frames, 1);
  fail_unless_equals_uint64 (tfrc_key_requests_next_deadline
      (&flow.requests), TFRC_TIME_NONE);
  fail_unless_equals_int (count_requests (&flow, FRAME, 20 * TFRC_SECOND), 0);
}

GST_END_TEST;

/* Judged at the end of the first frame, repeated at 1 s and 2 s, and answered
 * at 2.5 s. */
GST_START_TEST (test_a_joiner_asks_once_a_second_until_a_key_frame_starts)
{
  Flow flow;

  flow_init (&flow, "H264");
  push (&flow, slice, FALSE, 0);
  fail_unless_equals_int (count_requests (&flow, 0, FRAME), 0);
  push (&flow, slice, TRUE, FRAME);
  fail_unless_equals_uint64 (tfrc_key_requests_next_deadline
      (&flow.requests), FRAME);
  fail_unless_equals_int (count_requests (&flow, FRAME,
          2500 * TFRC_MILLISECOND), 3);
  push (&flow, idr, TRUE, 2500 * TFRC_MILLISECOND);
  fail_unless_equals_int (count_requests (&flow, 2500 * TFRC_MILLISECOND,
          20 * TFRC_SECOND), 0);
  fail_unless_equals_uint64 (flow.requests.requests, 3);
  fail_unless_equals_uint64 (flow.requests.key_frames, 1);
}

GST_END_TEST;

/* At one packet per second the first frame would take long to judge. */
GST_START_TEST (test_a_slow_first_frame_is_waited_for_100_ms)
{
  Flow flow;

  flow_init (&flow, "H264");
  push (&flow, slice, FALSE, TFRC_SECOND);
  fail_unless_equals_uint64 (tfrc_key_requests_next_deadline
      (&flow.requests), 1100 * TFRC_MILLISECOND);
}

GST_END_TEST;

GST_START_TEST (test_loss_asks_only_streams_with_missing_packets)
{
  Flow flow;

  flow_init (&flow, "H264");
  push (&flow, idr, TRUE, 0);
  tfrc_key_requests_on_loss (&flow.requests, FRAME);
  fail_unless_equals_int (count_requests (&flow, FRAME, TFRC_SECOND), 0);

  flow.seq++;
  push (&flow, slice, TRUE, FRAME);
  fail_unless_equals_int (count_requests (&flow, FRAME, TFRC_SECOND), 0);
  tfrc_key_requests_on_loss (&flow.requests, TFRC_SECOND);
  fail_unless_equals_int (count_requests (&flow, TFRC_SECOND,
          TFRC_SECOND + FRAME), 1);
}

GST_END_TEST;

/* Losses every 100 ms, each answered at once: 1 + 9 requests in [0 s, 10 s)
 * because they stay 1 s apart. */
GST_START_TEST (test_requests_stay_a_second_apart_when_answered)
{
  Flow flow;
  guint i, n = 0;

  flow_init (&flow, "H264");
  push (&flow, idr, TRUE, 0);
  for (i = 0; i < 100; i++) {
    TfrcTime now = i * 100 * TFRC_MILLISECOND;

    flow.seq++;
    push (&flow, slice, TRUE, now);
    tfrc_key_requests_on_loss (&flow.requests, now);
    n += count_requests (&flow, now, now + 10 * TFRC_MILLISECOND);
    if (flow.requests.streams[0].unanswered > 0)
      push (&flow, idr, TRUE, now);
  }
  fail_unless_equals_int (n, 10);
}

GST_END_TEST;

/* Intra refresh: never a key frame.  Ten requests, also when loss goes on; an
 * explicit wish still gives one. */
GST_START_TEST (test_a_stream_without_key_frames_is_asked_ten_times)
{
  Flow flow;
  guint i, n = 0;

  flow_init (&flow, "H264");
  for (i = 0; i < 60; i++) {
    TfrcTime now = i * TFRC_SECOND;

    flow.seq++;
    push (&flow, slice, TRUE, now);
    tfrc_key_requests_on_loss (&flow.requests, now);
    n += count_requests (&flow, now, now + TFRC_SECOND);
  }
  fail_unless_equals_int (n, 10);

  tfrc_key_requests_want (&flow.requests, 0, 60 * TFRC_SECOND);
  fail_unless_equals_int (count_requests (&flow, 60 * TFRC_SECOND,
          70 * TFRC_SECOND), 1);
}

GST_END_TEST;

GST_START_TEST (test_an_unknown_encoding_is_asked_once)
{
  Flow flow;

  flow_init (&flow, "X-OURS");
  push (&flow, slice, TRUE, 0);
  fail_unless_equals_int (count_requests (&flow, 0, 20 * TFRC_SECOND), 1);
}

GST_END_TEST;

GST_START_TEST (test_a_removed_stream_is_not_asked)
{
  Flow flow;

  flow_init (&flow, "H264");
  push (&flow, slice, TRUE, 0);
  tfrc_key_requests_remove_stream (&flow.requests, VIDEO_SSRC);
  tfrc_key_requests_want (&flow.requests, VIDEO_SSRC, 0);
  fail_unless_equals_int (count_requests (&flow, 0, 20 * TFRC_SECOND), 0);
}

GST_END_TEST;

/* A ninth stream takes the place of the one that is silent for longest. */
GST_START_TEST (test_the_longest_silent_stream_makes_room)
{
  TfrcKeyRequests self;
  TfrcKeyRequestPacket packet = { 0, 1, 0, TRUE, "H264", idr, 2 };
  guint i;

  tfrc_key_requests_init (&self);
  for (i = 1; i <= 9; i++) {
    packet.ssrc = i;
    tfrc_key_requests_on_packet (&self, &packet, i * FRAME);
  }
  fail_unless_equals_int (self.streams[0].ssrc, 9);
  fail_unless_equals_int (self.streams[1].ssrc, 2);
  fail_unless_equals_int (self.streams[7].ssrc, 8);
}

GST_END_TEST;

static Suite *
tfrckeyrequests_suite (void)
{
  Suite *suite = suite_create ("tfrckeyrequests");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_a_stream_that_starts_with_a_key_frame_is_not_asked);
  tcase_add_test (tcase,
      test_a_joiner_asks_once_a_second_until_a_key_frame_starts);
  tcase_add_test (tcase, test_a_slow_first_frame_is_waited_for_100_ms);
  tcase_add_test (tcase, test_loss_asks_only_streams_with_missing_packets);
  tcase_add_test (tcase, test_requests_stay_a_second_apart_when_answered);
  tcase_add_test (tcase, test_a_stream_without_key_frames_is_asked_ten_times);
  tcase_add_test (tcase, test_an_unknown_encoding_is_asked_once);
  tcase_add_test (tcase, test_a_removed_stream_is_not_asked);
  tcase_add_test (tcase, test_the_longest_silent_stream_makes_room);
  return suite;
}

GST_CHECK_MAIN (tfrckeyrequests);
