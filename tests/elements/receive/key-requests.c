/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a key frame is asked for: for joiners, after loss, on request. */

#include "receive/feedback.h"

#include <gst/check/gstcheck.h>
#include <math.h>

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
  tfrc_key_requests_init (&self->requests, 0);
  self->encoding_name = encoding_name;
  self->seq = 65534;
  self->timestamp = 0;
}

/* One more packet of the stream. */
static void
push (Flow *self, const guint8 payload[2], gboolean marker, TfrcTime now)
{
  const TfrcKeyRequestPacket packet = { VIDEO_SSRC, self->seq, self->timestamp,
    marker, self->encoding_name, payload, 2 };

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
  fail_unless_equals_uint64 (tfrc_key_requests_next_deadline (&flow.requests),
      TFRC_TIME_NONE);
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
  fail_unless_equals_uint64 (tfrc_key_requests_next_deadline (&flow.requests),
      FRAME);
  fail_unless_equals_int (count_requests (&flow, FRAME,
                              2500 * TFRC_MILLISECOND),
      3);
  push (&flow, idr, TRUE, 2500 * TFRC_MILLISECOND);
  fail_unless_equals_int (count_requests (&flow, 2500 * TFRC_MILLISECOND,
                              20 * TFRC_SECOND),
      0);
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
  fail_unless_equals_uint64 (tfrc_key_requests_next_deadline (&flow.requests),
      1100 * TFRC_MILLISECOND);
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
                              TFRC_SECOND + FRAME),
      1);
}

GST_END_TEST;

/* Of a frame of four slices one is lost, the first one last: what comes after it is as
 * much of a key frame, and is none. */
GST_START_TEST (test_a_hole_in_a_key_frame_is_asked_for)
{
  Flow flow;
  guint i;

  flow_init (&flow, "H264");
  push (&flow, slice, TRUE, 0);
  for (i = 0; i < 4; i++) {
    if (i == (guint) __i__)
      flow.seq++;
    else
      push (&flow, idr, i == 3, 0);
  }
  if (__i__ == 3)
    flow.timestamp += 3000;
  push (&flow, slice, TRUE, FRAME);
  tfrc_key_requests_on_loss (&flow.requests, FRAME);
  fail_unless_equals_int (count_requests (&flow, FRAME, 2 * FRAME), 1);
}

GST_END_TEST;

/* The same where it is a jitter buffer that tells, of the last packet of a hole. */
GST_START_TEST (test_a_hole_in_front_of_a_key_frame_is_none_but_next_to_it)
{
  Flow flow;

  flow_init (&flow, "H264");
  push (&flow, slice, TRUE, 0);
  flow.seq++;
  push (&flow, slice, TRUE, FRAME);
  flow.seq++;
  push (&flow, idr, TRUE, 2 * FRAME);
  tfrc_key_requests_on_unrepaired (&flow.requests, VIDEO_SSRC,
      (guint16) (flow.seq - 4), 2 * FRAME);
  fail_unless_equals_int (count_requests (&flow, 2 * FRAME, 3 * FRAME), 0);
  tfrc_key_requests_on_unrepaired (&flow.requests, VIDEO_SSRC,
      (guint16) (flow.seq - 2), 3 * FRAME);
  fail_unless_equals_int (count_requests (&flow, 3 * FRAME, 4 * FRAME), 1);
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

  tfrc_key_requests_request (&flow.requests, 0, 60 * TFRC_SECOND);
  fail_unless_equals_int (count_requests (&flow, 60 * TFRC_SECOND,
                              70 * TFRC_SECOND),
      1);
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
  tfrc_key_requests_request (&flow.requests, VIDEO_SSRC, 0);
  fail_unless_equals_int (count_requests (&flow, 0, 20 * TFRC_SECOND), 0);
}

GST_END_TEST;

/* Stream 65 takes the place of the one that is silent for longest. */
GST_START_TEST (test_the_longest_silent_stream_makes_room)
{
  TfrcKeyRequests self;
  TfrcKeyRequestPacket packet = { 0, 1, 0, TRUE, "H264", idr, 2 };
  guint i;

  tfrc_key_requests_init (&self, 0);
  for (i = 1; i <= TFRC_MAX_STREAMS + 1; i++) {
    packet.ssrc = i;
    tfrc_key_requests_on_packet (&self, &packet, i * FRAME);
  }
  fail_unless_equals_int (self.streams[0].ssrc, TFRC_MAX_STREAMS + 1);
  fail_unless_equals_int (self.streams[1].ssrc, 2);
  fail_unless_equals_int (self.streams[63].ssrc, 64);
}

GST_END_TEST;

/* As in a group: R_max and the encoder's time are 200 ms, and from a request to
 * the key frame it takes 140 ms. */
#define ANSWER_TIME (200 * TFRC_MILLISECOND)
#define ANSWERED_AFTER (140 * TFRC_MILLISECOND)
#define GROUP_SIZE 10000.0
#define MAX_MEMBERS 10000

static Flow members[MAX_MEMBERS];

/* All of them want a key frame at `now`; returns how many ask for it before
 * the first request brings it.  *first_at is when that was. */
static guint
count_requests_of_group (guint n_members, TfrcTime now, TfrcTime *first_at)
{
  TfrcTime end = TFRC_TIME_NONE;
  guint32 ssrc;
  guint i, n = 0;

  *first_at = TFRC_TIME_NONE;
  for (i = 0; i < n_members; i++)
    *first_at = tfrc_time_min (*first_at,
        tfrc_key_requests_next_deadline (&members[i].requests));
  end = tfrc_time_add (*first_at, ANSWERED_AFTER);
  for (i = 0; i < n_members; i++) {
    TfrcTime at = tfrc_key_requests_next_deadline (&members[i].requests);

    fail_unless (at >= now);
    if (at < end && tfrc_key_requests_poll (&members[i].requests, &ssrc, at))
      n++;
    push (&members[i], idr, TRUE, end);
    fail_unless_equals_uint64 (
        tfrc_key_requests_next_deadline (&members[i].requests), TFRC_TIME_NONE);
  }
  return n;
}

static void
members_init (guint n_members, guint64 seed)
{
  guint i;

  for (i = 0; i < n_members; i++) {
    flow_init (&members[i], "H264");
    tfrc_key_requests_init (&members[i].requests, seed * MAX_MEMBERS + i);
    members[i].requests.answer_time = ANSWER_TIME;
    members[i].requests.group_size = GROUP_SIZE;
  }
}

/* Of n receivers whose waits are up to T and that hear of the first request
 * after tau, N^(tau / T) (n / N + (1 - 1 / N)^n - (1 - N^(-tau / T))^n) ask.  T is
 * 4 * 200 ms after loss, tau / T = 0.175, and 2 * 200 ms for joiners, 0.35.  In
 * single runs the number is nearly exponentially distributed: eight times the
 * mean has a probability of e^-8, and the mean of n runs a standard error of 1 /
 * sqrt (n), three of which are allowed. */
static const struct
{
  gboolean joiners;
  guint n_members;
  gdouble requests;
} groups[] = {
  { FALSE, 1, 1.00 },
  { FALSE, 10, 4.46 },
  { FALSE, 1000, 5.04 },
  { FALSE, 10000, 6.86 },
  { TRUE, 1000, 25.2 },
  { TRUE, 10000, 34.4 },
};

GST_START_TEST (test_few_of_a_group_ask_for_the_same_key_frame)
{
  const guint n_runs = groups[__i__].n_members > 1000 ? 20 : 200;
  guint run, i, n = 0;

  for (run = 0; run < n_runs; run++) {
    TfrcTime now = 0, first_at;
    guint n_asked;

    members_init (groups[__i__].n_members, run);
    if (!groups[__i__].joiners) {
      for (i = 0; i < groups[__i__].n_members; i++)
        push (&members[i], idr, TRUE, 0);
      now = 5 * TFRC_SECOND;
    }
    for (i = 0; i < groups[__i__].n_members; i++) {
      members[i].seq++;
      push (&members[i], slice, TRUE, now);
      tfrc_key_requests_on_loss (&members[i].requests, now);
    }
    n_asked = count_requests_of_group (groups[__i__].n_members, now, &first_at);
    fail_unless (n_asked <= 8 * groups[__i__].requests);
    n += n_asked;
  }
  fail_unless (ABS ((gdouble) n / n_runs / groups[__i__].requests - 1.0)
          <= 3.0 / sqrt (n_runs),
      "%g", (gdouble) n / n_runs);
}

GST_END_TEST;

/* A joiner waits no longer than 2 * 200 ms; 0.89 of that in the mean, by the
 * law's 1 - (1 - 1/N) / ln N. */
GST_START_TEST (test_a_joiner_of_a_group_waits_twice_the_answer_time_at_most)
{
  TfrcTime sum = 0;
  guint run;

  for (run = 0; run < 1000; run++) {
    TfrcTime deadline;

    members_init (1, run);
    push (&members[0], slice, TRUE, 0);
    deadline = tfrc_key_requests_next_deadline (&members[0].requests);
    fail_unless (deadline <= 2 * ANSWER_TIME);
    sum += deadline;
  }
  fail_unless (ABS ((gdouble) sum / 1000 / (2 * ANSWER_TIME) - 0.8914) < 0.01);
}

GST_END_TEST;

/* Key frames come once a second for the whole group: asking earlier brings
 * none.  More losses do not draw again. */
GST_START_TEST (test_a_group_waits_for_the_second_after_a_key_frame)
{
  TfrcTime deadline;
  guint i;

  members_init (1, 1);
  push (&members[0], idr, TRUE, 0);
  members[0].seq++;
  push (&members[0], slice, TRUE, FRAME);
  tfrc_key_requests_on_loss (&members[0].requests, FRAME);
  deadline = tfrc_key_requests_next_deadline (&members[0].requests);
  fail_unless (deadline >= TFRC_SECOND);
  fail_unless (deadline <= TFRC_SECOND + 4 * ANSWER_TIME);
  for (i = 2; i < 30; i++) {
    members[0].seq++;
    push (&members[0], slice, TRUE, i * FRAME);
    tfrc_key_requests_on_loss (&members[0].requests, i * FRAME);
    fail_unless_equals_uint64 (
        tfrc_key_requests_next_deadline (&members[0].requests), deadline);
  }
}

GST_END_TEST;

/* 1, 2, 4, 8, 16 and 16 s apart, and up to 2 * 200 ms more. */
GST_START_TEST (test_a_group_that_is_not_answered_asks_ever_less)
{
  TfrcTime asked_at, deadline;
  guint32 ssrc;
  guint i;

  members_init (1, 1);
  push (&members[0], slice, TRUE, 0);
  asked_at = tfrc_key_requests_next_deadline (&members[0].requests);
  for (i = 0; i < 6; i++) {
    TfrcDuration interval = TFRC_SECOND << MIN (i, 4);

    fail_unless (tfrc_key_requests_poll (&members[0].requests, &ssrc,
        asked_at));
    deadline = tfrc_key_requests_next_deadline (&members[0].requests);
    fail_unless (deadline >= asked_at + interval);
    fail_unless (deadline <= asked_at + interval + 2 * ANSWER_TIME);
    asked_at = deadline;
  }
}

GST_END_TEST;

/* 100 ... 165 is a hole of 64, 165 ... 231 one of 65; of another stream nothing is
 * said.  40,000 packets without a hole later, numbers that wrapped are missed by
 * themselves. */
GST_START_TEST (test_a_key_frame_replaces_a_large_hole)
{
  static const guint16 seqs[] = { 100, 165, 231 };
  Flow flow;

  flow_init (&flow, "H264");
  for (guint i = 0; i < G_N_ELEMENTS (seqs); i++) {
    fail_if (i > 0
        && tfrc_key_requests_replace (&flow.requests, VIDEO_SSRC, 164));
    flow.seq = seqs[i];
    push (&flow, slice, TRUE, 0);
  }
  for (guint16 seq = 164; seq <= 230; seq++)
    fail_unless (tfrc_key_requests_replace (&flow.requests, VIDEO_SSRC, seq));
  fail_if (tfrc_key_requests_replace (&flow.requests, VIDEO_SSRC, 232));
  fail_if (tfrc_key_requests_replace (&flow.requests, 0x2222, 200));
  for (guint i = 0; i < 40000; i++)
    push (&flow, slice, TRUE, 0);
  fail_if (tfrc_key_requests_replace (&flow.requests, VIDEO_SSRC,
      (guint16) (flow.seq - 4)));
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
  tcase_add_loop_test (tcase, test_a_hole_in_a_key_frame_is_asked_for, 0, 4);
  tcase_add_test (tcase,
      test_a_hole_in_front_of_a_key_frame_is_none_but_next_to_it);
  tcase_add_test (tcase, test_requests_stay_a_second_apart_when_answered);
  tcase_add_test (tcase, test_a_stream_without_key_frames_is_asked_ten_times);
  tcase_add_test (tcase, test_an_unknown_encoding_is_asked_once);
  tcase_add_test (tcase, test_a_removed_stream_is_not_asked);
  tcase_add_test (tcase, test_the_longest_silent_stream_makes_room);
  tcase_add_loop_test (tcase, test_few_of_a_group_ask_for_the_same_key_frame, 0,
      G_N_ELEMENTS (groups));
  tcase_add_test (tcase,
      test_a_joiner_of_a_group_waits_twice_the_answer_time_at_most);
  tcase_add_test (tcase, test_a_group_waits_for_the_second_after_a_key_frame);
  tcase_add_test (tcase, test_a_group_that_is_not_answered_asks_ever_less);
  tcase_add_test (tcase, test_a_key_frame_replaces_a_large_hole);
  return suite;
}

GST_CHECK_MAIN (tfrckeyrequests);
