/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breakers of rtptfrcsend (RFC 8083): what trips them, what leaves
 * while they are open, how soon a stream is back, and what must not trip
 * them. */

#include "send/group-fixture.h"
#include "tfrc/receiver.h"
#include "base/rng.h"
#include "base/units.h"
#include "units.h"

#define STEP (10 * MS)
#define FRAME_INTERVAL (20 * MS) /* of one packet */
#define REPORT_INTERVAL (5 * S)
#define MAX_PENDING 64

/* A sender, the protocol core as its receiver, and a link between them that
 * takes RTT on the way back alone. */
typedef struct
{
  SendFixture f;
  TfrcReceiver receiver;
  TfrcRng rng;
  TfrcSeqUnwrapper seq;

  gboolean source_runs;
  gboolean forward_up;
  gboolean back_up;
  gboolean conceals; /* tells of no loss in its feedback */
  gdouble loss;      /* probability */
  TfrcDuration frame_interval;
  guint burst; /* packets per frame */
  TfrcTime frame_at;

  TfrcFeedback pending[MAX_PENDING]; /* on their way back, oldest first */
  TfrcTime due_at[MAX_PENDING];
  guint n_pending;
  TfrcTime feedback_at; /* newest that came in */

  TfrcTime report_at;
  TfrcSeq highest_before; /* at the report before */
  guint arrived;          /* since then */
  guint left;             /* packets, ever */
} Call;

static void
call_init (Call *self)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();

  memset (self, 0, sizeof *self);
  send_fixture_init (&self->f);
  /* Report blocks are the circuit breakers' alone. */
  gst_util_set_object_arg (G_OBJECT (self->f.element), "feedback", "tfrc");
  tfrc_receiver_init (&self->receiver, &config);
  tfrc_rng_init (&self->rng, 1, 1);
  tfrc_seq_unwrapper_init (&self->seq);
  self->source_runs = self->forward_up = self->back_up = TRUE;
  self->frame_interval = FRAME_INTERVAL;
  self->burst = 1;
  self->frame_at = START;
  self->report_at = START + REPORT_INTERVAL;
}

static void
call_clear (Call *self)
{
  send_fixture_clear (&self->f);
}

/* RR with one block: RFC 3550 section 6.4.2. */
static void
push_report (Call *self, guint8 fraction_lost, guint32 highest_seq)
{
  guint8 data[32] = { 0x81, 201, 0, 7 };

  GST_WRITE_UINT32_BE (data + 4, RECEIVER_SSRC);
  GST_WRITE_UINT32_BE (data + 8, SSRC);
  data[12] = fraction_lost;
  GST_WRITE_UINT32_BE (data + 16, highest_seq);
  send_fixture_push_rtcp (&self->f, data, sizeof data);
}

static void
pull_packets (Call *self, TfrcTime now)
{
  TfrcDataPacket packet = {
    .ssrc = SSRC, .size = PACKET_SIZE, .has_extension = TRUE
  };
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (self->f.rtp)) != NULL) {
    SendPacket read = send_fixture_read_packet (buffer, SEND_ID);

    gst_buffer_unref (buffer);
    self->left++;
    if (!self->forward_up
        || (self->loss > 0 && tfrc_rng_uniform (&self->rng) < self->loss))
      continue;
    packet.seq = read.seq;
    packet.extension = read.extension;
    tfrc_receiver_on_packet (&self->receiver, &packet, now);
    tfrc_seq_unwrap16 (&self->seq, read.seq);
    self->arrived++;
  }
}

static void
bring_feedback (Call *self, TfrcTime now)
{
  guint done = 0;

  tfrc_receiver_on_deadline (&self->receiver, now);
  if (self->n_pending < MAX_PENDING
      && tfrc_receiver_poll_feedback (&self->receiver,
          &self->pending[self->n_pending], now))
    self->due_at[self->n_pending++] = now + RTT;

  for (; done < self->n_pending && self->due_at[done] <= now; done++) {
    if (!self->back_up)
      continue;
    if (self->conceals)
      self->pending[done].loss_event_rate = 0;
    send_fixture_push_feedback (&self->f, &self->pending[done]);
    self->feedback_at = now;
  }
  self->n_pending -= done;
  memmove (self->pending, self->pending + done,
      self->n_pending * sizeof self->pending[0]);
  memmove (self->due_at, self->due_at + done,
      self->n_pending * sizeof self->due_at[0]);
}

static void
bring_report (Call *self, TfrcTime now)
{
  guint expected = (guint) (self->seq.highest - self->highest_before);
  guint lost = expected > self->arrived ? expected - self->arrived : 0;

  if (now < self->report_at || !self->seq.started)
    return;
  self->report_at = now + REPORT_INTERVAL;
  if (self->back_up)
    push_report (self, expected > 0 ? (guint8) (lost * 256 / expected) : 0,
        (guint32) self->seq.highest);
  self->highest_before = self->seq.highest;
  self->arrived = 0;
}

static void
call_run (Call *self, TfrcTime until)
{
  TfrcTime now = gst_clock_get_time (GST_CLOCK (self->f.clock));

  while (now < until) {
    if (self->source_runs && self->frame_at <= now) {
      send_fixture_push_packets (&self->f, self->burst);
      self->frame_at = now + self->frame_interval;
    }
    now = tfrc_time_min (tfrc_time_add (now, STEP), until);
    send_fixture_run_until (&self->f, now);
    pull_packets (self, now);
    bring_feedback (self, now);
    bring_report (self, now);
  }
}

static GstMessage *
pop_message (Call *self, GstClockTime timeout)
{
  GstMessage *message;

  while ((message = gst_bus_timed_pop_filtered (self->f.bus, timeout,
              GST_MESSAGE_ELEMENT))
      != NULL) {
    if (gst_message_has_name (message, "rtp-circuit-breaker"))
      return message;
    gst_message_unref (message);
  }
  return NULL;
}

#define assert_no_message(self) fail_unless (pop_message ((self), 0) == NULL)

static void
assert_message (Call *self, gboolean tripped, const gchar *reason, guint ssrc)
{
  GstMessage *message = pop_message (self, 5 * GST_SECOND);
  const GstStructure *structure;
  gboolean found_tripped;
  guint64 ceased;
  guint found;

  fail_unless (message != NULL, "no message: %s", reason);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_get (structure, "tripped", G_TYPE_BOOLEAN,
          &found_tripped, "ssrc", G_TYPE_UINT, &found, "ceased-ns",
          G_TYPE_UINT64, &ceased, NULL));
  assert_equals_int (found_tripped, tripped);
  assert_equals_string (gst_structure_get_string (structure, "reason"), reason);
  assert_equals_int (found, ssrc);
  assert_equals_int (ceased == 0, tripped);
  gst_message_unref (message);
}

/* After the rate was reduced, and nothing had ceased. */
static void
assert_closed_again (Call *self)
{
  GstMessage *message = pop_message (self, 5 * GST_SECOND);
  gboolean tripped;
  guint64 ceased;

  fail_unless (message != NULL);
  fail_unless (gst_structure_get (gst_message_get_structure (message),
          "tripped", G_TYPE_BOOLEAN, &tripped, "ceased-ns", G_TYPE_UINT64,
          &ceased, NULL));
  fail_if (tripped);
  assert_equals_uint64 (ceased, 0);
  gst_message_unref (message);
}

/* How long after `since` the first whole second begins in which nine of ten
 * packets arrive. */
static TfrcDuration
measure_return (Call *self, TfrcTime since)
{
  guint history[1000] = { 0 };
  guint per_second = (guint) (S / self->frame_interval);

  for (guint i = 0; i < G_N_ELEMENTS (history); i++) {
    history[i] = self->left;
    if (i >= 100 && history[i] - history[i - 100] >= per_second * 9 / 10)
      return (i - 100) * STEP;
    call_run (self, since + (i + 1) * STEP);
  }
  ck_abort_msg ("not back after 10 s");
  return TFRC_TIME_NONE;
}

static Call call;

static void
set_up (void)
{
  call_init (&call);
}

/* 15 s from the newest feedback, not a nanosecond earlier; then a packet in 3 s
 * leaves, ten in 30 s, until one is answered. */
GST_START_TEST (silence_lets_only_probes_leave)
{
  TfrcTime tripped_at;
  guint left;

  send_fixture_start (&call.f, GROUP_AUDIO_CAPS);
  call_run (&call, START + 4 * S);
  call.forward_up = call.back_up = FALSE;
  tripped_at = call.feedback_at + 15 * S;
  call_run (&call, tripped_at - 1);
  assert_no_message (&call);
  send_fixture_assert_state (&call.f, "circuit-breaker", "closed");
  call_run (&call, tripped_at);
  assert_message (&call, TRUE, "rtcp-timeout", 0);
  send_fixture_assert_state (&call.f, "circuit-breaker", "rtcp-timeout");

  left = call.left;
  call_run (&call, tripped_at + 30 * S);
  assert_equals_int (call.left - left, 10);
  call.forward_up = call.back_up = TRUE;
  call_run (&call, tripped_at + 34 * S);
  assert_message (&call, FALSE, "rtcp-timeout", 0);
  send_fixture_assert_state (&call.f, "circuit-breaker", "closed");
  assert_equals_uint64 (send_fixture_get_stat (&call.f,
                            "circuit-breaker-trips"),
      1);
  call_clear (&call);
}

GST_END_TEST;

/* The outages of the evaluation: after 5 s the stream is back within 3 s, after
 * 30 s within 6 s, with circuit breakers and without. */
static const struct
{
  TfrcDuration outage, limit;
  gboolean circuit_breaker;
  guint trips;
} outages[] = {
  { 5 * S, 3 * S, TRUE, 0 },
  { 5 * S, 3 * S, FALSE, 0 },
  { 30 * S, 6 * S, TRUE, 1 },
  { 30 * S, 6 * S, FALSE, 0 },
};

GST_START_TEST (a_stream_is_back_soon_after_an_outage)
{
  TfrcTime up_at;
  TfrcDuration back;

  g_object_set (call.f.element, "circuit-breaker", outages[__i__].circuit_breaker,
      NULL);
  send_fixture_start (&call.f, GROUP_AUDIO_CAPS);
  call_run (&call, START + 20 * S);
  call.forward_up = call.back_up = FALSE;
  up_at = START + 20 * S + outages[__i__].outage;
  call_run (&call, up_at);
  assert_equals_uint64 (send_fixture_get_stat (&call.f,
                            "circuit-breaker-trips"),
      outages[__i__].trips);
  call.forward_up = call.back_up = TRUE;
  back = measure_return (&call, up_at);
  GST_INFO ("back after %" GST_TIME_FORMAT, GST_TIME_ARGS (back));
  fail_unless (back <= outages[__i__].limit, "back after %" GST_TIME_FORMAT,
      GST_TIME_ARGS (back));
  send_fixture_assert_state (&call.f, "circuit-breaker", "closed");
  call_clear (&call);
}

GST_END_TEST;

/* Nothing arrives, and the receiver says so each 5 s; the fifth report of no
 * progress is the one at 25 s. */
GST_START_TEST (reports_without_progress_trip)
{
  TfrcTime report_at;

  send_fixture_start (&call.f, GROUP_AUDIO_CAPS);
  call_run (&call, START + 10 * S);
  call.forward_up = FALSE;
  report_at = call.report_at;
  call_run (&call, report_at + 4 * REPORT_INTERVAL - 1);
  assert_no_message (&call);
  call_run (&call, report_at + 4 * REPORT_INTERVAL + STEP);
  assert_message (&call, TRUE, "media-timeout", SSRC);
  call.forward_up = TRUE;
  call_run (&call, report_at + 4 * REPORT_INTERVAL + 4 * S);
  assert_message (&call, FALSE, "media-timeout", SSRC);
  call_clear (&call);
}

GST_END_TEST;

/* A receiver that hides its losses from TFRC, but not from RTCP: at half of the
 * packets lost X = 438 / (0.1 sqrt (1/3)) = 7586 bytes/s, and ten times that are
 * a packet in 5.8 ms; four leave in 10 ms.  The fourth block trips and leaves 40
 * packets/s, for three blocks.  The third block behind these trips for the second
 * time within half a minute: the flow ceases.  Feedback goes on, and helps nothing;
 * reports of no loss do, 15 s after one of loss: that of the trip, or of the last
 * probe that is lost, as chance has it. */
GST_START_TEST (congestion_that_feedback_conceals_trips)
{
  TfrcTime now;
  guint left;

  /* What arrives would hold it back before it is congestion. */
  g_object_set (call.f.element, "delay-target", 0, NULL);
  send_fixture_start (&call.f, GROUP_AUDIO_CAPS);
  call.conceals = TRUE;
  call.loss = 0.5;
  call.frame_interval = 10 * MS;
  call.burst = 4;
  call_run (&call, START + 4 * REPORT_INTERVAL - 1);
  assert_no_message (&call);
  now = START + 4 * REPORT_INTERVAL + STEP;
  call_run (&call, now);
  assert_message (&call, TRUE, "congestion", SSRC);
  send_fixture_assert_state (&call.f, "circuit-breaker", "reduced");
  left = call.left;
  call_run (&call, now += 3 * REPORT_INTERVAL - STEP);
  fail_unless (call.left - left > 500 && call.left - left < 620,
      "%u packets left", call.left - left);
  assert_no_message (&call);
  call_run (&call, now += 2 * STEP);
  assert_closed_again (&call);
  send_fixture_assert_state (&call.f, "circuit-breaker", "closed");

  call_run (&call, now += 3 * REPORT_INTERVAL - 2 * STEP);
  assert_no_message (&call);
  call_run (&call, now += 2 * STEP);
  assert_message (&call, TRUE, "congestion", SSRC);
  send_fixture_assert_state (&call.f, "circuit-breaker", "congestion");
  left = call.left;
  call_run (&call, now + 12 * S);
  assert_equals_int (call.left - left, 4);
  assert_no_message (&call);
  call.loss = 0;
  call_run (&call, now + 14 * S);
  assert_no_message (&call);
  call_run (&call, now + 36 * S);
  assert_message (&call, FALSE, "congestion", SSRC);
  call_clear (&call);
}

GST_END_TEST;

/* 10 % loss for two minutes, a source that pauses for one, and four outages of
 * feedback alone, of 10 s. */
GST_START_TEST (a_correct_stream_never_trips)
{
  TfrcTime now = START;

  send_fixture_start (&call.f, GROUP_AUDIO_CAPS);
  call.loss = 0.1;
  call_run (&call, now += 120 * S);
  call.loss = 0;
  call.source_runs = FALSE;
  call_run (&call, now += 60 * S);
  call.source_runs = TRUE;
  for (guint i = 0; i < 4; i++) {
    call_run (&call, now += 10 * S);
    call.back_up = FALSE;
    call_run (&call, now += 10 * S);
    call.back_up = TRUE;
  }
  call_run (&call, now += 10 * S);
  assert_no_message (&call);
  assert_equals_uint64 (send_fixture_get_stat (&call.f,
                            "circuit-breaker-trips"),
      0);
  call_clear (&call);
}

GST_END_TEST;

/* RFC 8083 section 5: feedback of any kind about the stream counts, as of a
 * generic NACK; of other streams it does not, nor does an RR of no block. */
static const struct
{
  guint8 data[16];
  gboolean trips;
} heard[] = {
  { { 0x81, 205, 0, 3, [8] = SSRC >> 24, SSRC >> 16 & 0xff, SSRC >> 8 & 0xff,
        SSRC & 0xff },
      FALSE },
  { { 0x81, 205, 0, 3, [8] = 1, 2, 3, 4 }, TRUE },
  { { 0x8f, 206, 0, 3, [8] = SSRC >> 24, SSRC >> 16 & 0xff, SSRC >> 8 & 0xff,
        SSRC & 0xff },
      FALSE },
  { { 0x80, 201, 0, 1, 9, 9, 9, 9, 0x80, 201, 0, 1, 9, 9, 9, 9 }, TRUE },
};

GST_START_TEST (rtcp_about_the_stream_is_no_silence)
{
  send_fixture_start (&call.f, GROUP_AUDIO_CAPS);
  call_run (&call, START + 4 * S);
  call.back_up = FALSE;
  for (guint n = 1; n <= 3; n++) {
    call_run (&call, START + 4 * S + n * 10 * S);
    send_fixture_push_rtcp (&call.f, heard[__i__].data,
        sizeof heard[__i__].data);
  }
  send_fixture_assert_state (&call.f, "circuit-breaker",
      heard[__i__].trips ? "rtcp-timeout" : "closed");
  call_clear (&call);
}

GST_END_TEST;

/* It may be switched off, also when it is open. */
GST_START_TEST (without_the_property_nothing_trips)
{
  send_fixture_start (&call.f, GROUP_AUDIO_CAPS);
  call.forward_up = FALSE;
  call_run (&call, START + 16 * S);
  assert_message (&call, TRUE, "rtcp-timeout", 0);
  g_object_set (call.f.element, "circuit-breaker", FALSE, NULL);
  call_run (&call, START + 40 * S);
  assert_message (&call, FALSE, "rtcp-timeout", 0);
  assert_no_message (&call);
  send_fixture_assert_state (&call.f, "circuit-breaker", "closed");
  call_clear (&call);
}

GST_END_TEST;

/* A group nobody reports of: told after 15 s, but the pace stays the floor's, at
 * which a joiner can answer. */
GST_START_TEST (a_silent_group_is_told_of_and_keeps_its_floor)
{
  GroupMember member;

  gst_util_set_object_arg (G_OBJECT (call.f.element), "mode", "tfmcc");
  send_fixture_start (&call.f, GROUP_AUDIO_CAPS);
  group_fixture_run (&call.f, NULL, 0, START + 15 * S - 1);
  assert_no_message (&call);
  group_fixture_run (&call.f, NULL, 0, START + 30 * S);
  assert_message (&call, TRUE, "rtcp-timeout", 0);
  /* 450 bytes at 4000 bytes/s: 112.5 ms each. */
  fail_unless (send_fixture_get_stat (&call.f, "packets") > 250);
  group_member_join (&member, 5);
  group_fixture_run (&call.f, &member, 1, START + 45 * S);
  assert_message (&call, FALSE, "rtcp-timeout", 0);
  call_clear (&call);
}

GST_END_TEST;

static Suite *
rtptfrcsendcircuitbreaker_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsendcircuitbreaker");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, set_up, NULL);
  tcase_add_test (tcase, silence_lets_only_probes_leave);
  tcase_add_loop_test (tcase, a_stream_is_back_soon_after_an_outage, 0,
      G_N_ELEMENTS (outages));
  tcase_add_test (tcase, reports_without_progress_trip);
  tcase_add_test (tcase, congestion_that_feedback_conceals_trips);
  tcase_add_test (tcase, a_correct_stream_never_trips);
  tcase_add_loop_test (tcase, rtcp_about_the_stream_is_no_silence, 0,
      G_N_ELEMENTS (heard));
  tcase_add_test (tcase, without_the_property_nothing_trips);
  tcase_add_test (tcase, a_silent_group_is_told_of_and_keeps_its_floor);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsendcircuitbreaker);
