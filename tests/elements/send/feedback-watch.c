/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcsend says on the bus, and in feedback-state, when no reports come
 * back that it can use; and when it says nothing. */

#include "send/group-fixture.h"
#include "units.h"

#define STEP (100 * MS)
/* A state is told after the time of sending, with a packet that leaves after it:
 * one in 3 s does (probe-interval). */
#define TOLD_BY (8 * S)

/* What comes back for the packets, every 500 ms. */
typedef enum
{
  NOTHING,
  REPORT_BLOCK, /* RR about the stream */
  EMPTY_REPORT, /* RR about nothing */
  FOREIGN,
  MALFORMED,
  STALE,   /* the first report, again and again */
  INVALID, /* echoes what has not been sent */
  OTHER_MODE,
  GOOD
} Answer;

typedef struct
{
  SendFixture f;
  Answer answer;
  gboolean source_runs;
  SendPacket newest;
  gboolean has_newest;
} Watch;

static void
watch_init (Watch *self)
{
  *self = (Watch) { .source_runs = TRUE };
  send_fixture_init (&self->f);
  /* Others would be followed. */
  gst_util_set_object_arg (G_OBJECT (self->f.element), "feedback", "tfrc");
}

static void
watch_clear (Watch *self)
{
  send_fixture_clear (&self->f);
}

/* RFC 3550 section 6.4.2. */
static void
push_receiver_report (Watch *self, gboolean with_block)
{
  guint8 data[32] = { 0x80 | (with_block ? 1 : 0), 201, 0, with_block ? 7 : 1 };

  GST_WRITE_UINT32_BE (data + 4, RECEIVER_SSRC);
  GST_WRITE_UINT32_BE (data + 8, SSRC);
  GST_WRITE_UINT32_BE (data + 16, self->f.seq);
  send_fixture_push_rtcp (&self->f, data, with_block ? 32 : 8);
}

static void
push_answer (Watch *self)
{
  guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE], report[TFMCC_WIRE_REPORT_MAX];
  TfmccReport other = {
    .ssrc = RECEIVER_SSRC, .media_ssrc = SSRC, .rate = 1000
  };
  SendPacket packet = self->newest;

  switch (self->answer) {
    case NOTHING:
      return;
    case REPORT_BLOCK:
    case EMPTY_REPORT:
      push_receiver_report (self, self->answer == REPORT_BLOCK);
      return;
    case OTHER_MODE:
      send_fixture_push_rtcp (&self->f, report,
          tfmcc_wire_write_report (report, &other, NULL));
      return;
    default:
      break;
  }
  if (self->answer == INVALID)
    packet.extension.send_time_us += 3600 * 1000000u;
  send_fixture_make_feedback (feedback, &packet,
      self->answer == FOREIGN ? SSRC + 1 : SSRC);
  send_fixture_push_rtcp (&self->f, feedback,
      sizeof feedback - (self->answer == MALFORMED ? 2 : 0));
}

static void
pull_packets (Watch *self)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (self->f.rtp)) != NULL) {
    if (self->answer != STALE || !self->has_newest)
      self->newest = send_fixture_read_packet (buffer, SEND_ID);
    self->has_newest = TRUE;
    gst_buffer_unref (buffer);
  }
}

/* A packet comes in every 100 ms, an answer every 500. */
static void
watch_run (Watch *self, TfrcTime until)
{
  TfrcTime now = gst_clock_get_time (GST_CLOCK (self->f.clock));

  for (guint n = 1; now < until; n++) {
    if (self->source_runs)
      send_fixture_push_packets (&self->f, 1);
    now = tfrc_time_min (now + STEP, until);
    send_fixture_run_until (&self->f, now);
    pull_packets (self);
    if (n % 5 == 0 && self->has_newest)
      push_answer (self);
  }
}

/* With this answer from now on. */
static void
watch_answer (Watch *self, Answer answer, TfrcTime until)
{
  self->answer = answer;
  watch_run (self, until);
}

static guint
count_messages (Watch *self)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = gst_bus_pop_filtered (self->f.bus,
              GST_MESSAGE_WARNING | GST_MESSAGE_INFO))
      != NULL;
      n++)
    gst_message_unref (message);
  return n;
}

/* The message that comes next is of this type and says so. */
static void
assert_told (Watch *self, GstMessageType type, const gchar *state,
    const gchar *word)
{
  GstMessage *message = gst_bus_timed_pop_filtered (self->f.bus, 5 * GST_SECOND,
      GST_MESSAGE_WARNING | GST_MESSAGE_INFO);
  const GstStructure *details;
  GError *error;

  fail_unless (message != NULL, "nothing is told of %s", state);
  assert_equals_int (GST_MESSAGE_TYPE (message), type);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (self->f.element));
  if (type == GST_MESSAGE_WARNING) {
    gst_message_parse_warning (message, &error, NULL);
    gst_message_parse_warning_details (message, &details);
  } else {
    gst_message_parse_info (message, &error, NULL);
    gst_message_parse_info_details (message, &details);
  }
  assert_equals_string (gst_structure_get_string (details, "feedback-state"),
      state);
  fail_unless (strstr (error->message, word) != NULL, "'%s' is not in '%s'",
      word, error->message);
  g_error_free (error);
  gst_message_unref (message);
}

static const struct
{
  Answer answer;
  const gchar *state;
  const gchar *word;
} answers[] = {
  { NOTHING, "silent", "firewall" },
  { NOTHING, "silent", "rtcp-mux" },
  { REPORT_BLOCK, "rtcp-only", "tfrcsrc" },
  { EMPTY_REPORT, "rtcp-only", "rtptfrcreceive" },
  { FOREIGN, "foreign", "SSRC" },
  { MALFORMED, "malformed", "cannot be read" },
  { INVALID, "invalid", "do not match" },
  { OTHER_MODE, "other-mode", "TFMCC" },
};

static Watch watch;

static void
set_up (void)
{
  watch_init (&watch);
}

/* Once, not before 5 s of sending, and by the packet that leaves next. */
GST_START_TEST (who_sends_without_reports_is_told_why)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch.answer = answers[__i__].answer;
  watch_run (&watch, START + 5 * S - 1);
  send_fixture_assert_state (&watch.f, "feedback-state", "waiting");
  assert_equals_int (count_messages (&watch), 0);
  watch_run (&watch, START + TOLD_BY);
  send_fixture_assert_state (&watch.f, "feedback-state", answers[__i__].state);
  assert_told (&watch, GST_MESSAGE_WARNING, answers[__i__].state,
      answers[__i__].word);
  watch_run (&watch, START + 60 * S);
  assert_equals_int (count_messages (&watch), 0);
  watch_clear (&watch);
}

GST_END_TEST;

/* A report that comes again and again counts once. */
GST_START_TEST (a_report_that_is_replayed_is_refused)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_answer (&watch, STALE, START + 2 * S);
  send_fixture_assert_state (&watch.f, "feedback-state", "working");
  watch_run (&watch, START + 2 * S + TOLD_BY);
  assert_told (&watch, GST_MESSAGE_WARNING, "stale", "older");
  send_fixture_assert_state (&watch.f, "feedback-state", "stale");
  watch_clear (&watch);
}

GST_END_TEST;

/* After the first one at 5 to 8 s: 60 s, 120, 240 and so on until an hour. */
GST_START_TEST (the_warning_is_repeated_sparingly)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_run (&watch, START + 65 * S);
  assert_equals_int (count_messages (&watch), 1);
  watch_run (&watch, START + 72 * S);
  assert_equals_int (count_messages (&watch), 1);
  watch_run (&watch, START + 180 * S);
  assert_equals_int (count_messages (&watch), 0);
  watch_run (&watch, START + 200 * S);
  assert_equals_int (count_messages (&watch), 1);
  watch_run (&watch, START + 420 * S);
  assert_equals_int (count_messages (&watch), 0);
  watch_run (&watch, START + 440 * S);
  assert_equals_int (count_messages (&watch), 1);
  watch_clear (&watch);
}

GST_END_TEST;

GST_START_TEST (what_is_told_is_told_to_be_over_once)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_run (&watch, START + 10 * S);
  assert_told (&watch, GST_MESSAGE_WARNING, "silent", "running");
  watch_answer (&watch, GOOD, START + 20 * S);
  assert_told (&watch, GST_MESSAGE_INFO, "working", "Reports");
  send_fixture_assert_state (&watch.f, "feedback-state", "working");
  watch_run (&watch, START + 120 * S);
  assert_equals_int (count_messages (&watch), 0);

  /* It ends again: the same, and its end. */
  watch_answer (&watch, NOTHING, START + 130 * S);
  assert_told (&watch, GST_MESSAGE_WARNING, "silent", "running");
  watch_answer (&watch, GOOD, START + 140 * S);
  assert_told (&watch, GST_MESSAGE_INFO, "working", "Reports");

  /* And soon again: that was said a moment ago. */
  watch_answer (&watch, NOTHING, START + 150 * S);
  send_fixture_assert_state (&watch.f, "feedback-state", "silent");
  watch_answer (&watch, GOOD, START + 160 * S);
  assert_equals_int (count_messages (&watch), 0);
  watch_clear (&watch);
}

GST_END_TEST;

/* Its last word is RTCP, after its last report: RFC 3550 section 6.6. */
GST_START_TEST (a_receiver_that_said_bye_is_gone)
{
  static const guint8 bye[] = { 0x80, 201, 0, 1, 0x99, 0x99, 0x88, 0x88, 0x81,
    203, 0, 1, 0x99, 0x99, 0x88, 0x88 };

  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_answer (&watch, GOOD, START + 10 * S);
  watch_answer (&watch, NOTHING, START + 10 * S + 100 * MS);
  send_fixture_push_rtcp (&watch.f, bye, sizeof bye);
  watch_run (&watch, START + 10 * S + TOLD_BY);
  assert_told (&watch, GST_MESSAGE_WARNING, "silent", "running");
  watch_clear (&watch);
}

GST_END_TEST;

/* A key frame request or report block that comes between the last report and an
 * outage, or between an outage and the first report, is of a receiver of TFRC. */
GST_START_TEST (rtcp_beside_an_outage_is_no_cause)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_answer (&watch, GOOD, START + 10 * S);
  watch_answer (&watch, NOTHING, START + 10 * S + 100 * MS);
  push_receiver_report (&watch, TRUE);
  watch_run (&watch, START + 10 * S + TOLD_BY);
  assert_told (&watch, GST_MESSAGE_WARNING, "silent", "running");
  watch_run (&watch, START + 40 * S);
  push_receiver_report (&watch, TRUE);
  watch_run (&watch, START + 43 * S);
  watch_answer (&watch, GOOD, START + 45 * S);
  assert_told (&watch, GST_MESSAGE_INFO, "working", "come");
  watch_clear (&watch);
}

GST_END_TEST;

/* Of the receiver whose packets are lost on the way there: it is the right one. */
GST_START_TEST (rtcp_of_who_has_reported_is_no_wrong_receiver)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_answer (&watch, GOOD, START + 10 * S);
  watch_answer (&watch, EMPTY_REPORT, START + 10 * S + 2 * TOLD_BY);
  assert_told (&watch, GST_MESSAGE_WARNING, "rtcp-only", "still arrive");
  watch_clear (&watch);
}

GST_END_TEST;

/* Of a receiver that is none of TFRC reports may come early, late, or first in
 * the moment in which it is judged: nobody is told that nothing comes. */
GST_START_TEST (rtcp_that_has_just_come_is_something)
{
  const TfrcTime first[] = { 500 * MS, 4500 * MS };
  const TfrcTime at = START + first[__i__];

  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_run (&watch, at);
  push_receiver_report (&watch, FALSE);
  watch_run (&watch, at + 5 * S);
  push_receiver_report (&watch, FALSE);
  watch_run (&watch, START + TOLD_BY + 5 * S);
  assert_told (&watch, GST_MESSAGE_WARNING, "rtcp-only", "no report that can");
  watch_clear (&watch);
}

GST_END_TEST;

/* ffmpeg's first reception report comes with its 280 kB, 7.5 s behind the start at 300
 * kbit/s, and RTCP without one before; until the timer has expired start-bitrate is
 * sent. */
GST_START_TEST (reception_reports_are_waited_for_as_long_as_the_rate_is_kept)
{
  gst_util_set_object_arg (G_OBJECT (watch.f.element), "feedback", "rr");
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch.answer = __i__ == 0 ? NOTHING : EMPTY_REPORT;
  watch_run (&watch, START + 14 * S);
  assert_equals_int (count_messages (&watch), 0);
  watch_run (&watch, START + 20 * S);
  assert_told (&watch, GST_MESSAGE_WARNING, __i__ == 0 ? "silent" : "rtcp-only",
      "hardly anything");
  watch_clear (&watch);
}

GST_END_TEST;

/* A receiver that starts after the sender, and is none of TFRC. */
GST_START_TEST (another_cause_is_told_at_once)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_run (&watch, START + 10 * S);
  assert_told (&watch, GST_MESSAGE_WARNING, "silent", "running");
  watch_answer (&watch, REPORT_BLOCK, START + 15 * S);
  assert_told (&watch, GST_MESSAGE_WARNING, "rtcp-only", "tfrcsrc");
  /* And goes: the RTCP of 10 s ago says nothing of now. */
  watch_answer (&watch, NOTHING, START + 30 * S);
  send_fixture_assert_state (&watch.f, "feedback-state", "silent");
  watch_clear (&watch);
}

GST_END_TEST;

/* Last year's answer is one; and a packet now and then that gets its answer. */
GST_START_TEST (an_idle_sender_is_not_judged)
{
  /* Nothing else is due while nothing comes. */
  g_object_set (watch.f.element, "stats-interval", 1000, NULL);
  send_fixture_start (&watch.f, VIDEO_CAPS);
  send_fixture_push_packets (&watch.f, 1);
  watch.source_runs = FALSE;
  watch_run (&watch, START + 600 * S);
  send_fixture_assert_state (&watch.f, "feedback-state", "waiting");
  for (guint i = 1; i < 20; i++) {
    send_fixture_push_packets (&watch.f, 1);
    watch_answer (&watch, GOOD, START + 600 * S + i * 30 * S);
  }
  send_fixture_assert_state (&watch.f, "feedback-state", "working");
  assert_equals_int (count_messages (&watch), 0);
  watch_clear (&watch);
}

GST_END_TEST;

/* Slides: one packet in 10 s.  Three of them unanswered are a reason. */
GST_START_TEST (a_rare_packet_without_answer_is_judged_too)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch.source_runs = FALSE;
  for (guint i = 1; i <= 3; i++) {
    assert_equals_int (count_messages (&watch), 0);
    send_fixture_push_packets (&watch.f, 1);
    watch_run (&watch, START + i * 10 * S);
  }
  assert_told (&watch, GST_MESSAGE_WARNING, "silent", "running");
  watch_clear (&watch);
}

GST_END_TEST;

/* 4 s of sending, a pause, and 4 s more are no 5 s in which nobody answered. */
GST_START_TEST (a_paused_sender_is_not_judged)
{
  send_fixture_start (&watch.f, VIDEO_CAPS);
  watch_run (&watch, START + 4 * S);
  gst_element_set_state (watch.f.element, GST_STATE_PAUSED);
  watch.source_runs = FALSE;
  watch_run (&watch, START + 60 * S);
  watch.source_runs = TRUE;
  gst_element_set_state (watch.f.element, GST_STATE_PLAYING);
  watch_run (&watch, START + 64 * S);
  assert_equals_int (count_messages (&watch), 0);
  send_fixture_assert_state (&watch.f, "feedback-state", "waiting");
  watch_run (&watch, START + 60 * S + TOLD_BY);
  assert_told (&watch, GST_MESSAGE_WARNING, "silent", "running");
  watch_clear (&watch);
}

GST_END_TEST;

/* That nobody has joined yet is told as it is, and is no fault. */
GST_START_TEST (a_group_without_receivers_is_no_warning)
{
  GroupMember member;

  gst_util_set_object_arg (G_OBJECT (watch.f.element), "mode", "tfmcc");
  send_fixture_start (&watch.f, GROUP_AUDIO_CAPS);
  group_fixture_run (&watch.f, NULL, 0, START + 5 * S - 1);
  assert_equals_int (count_messages (&watch), 0);
  group_fixture_run (&watch.f, NULL, 0, START + 30 * S);
  assert_told (&watch, GST_MESSAGE_INFO, "silent", "min-bitrate");
  group_member_join (&member, 5);
  group_fixture_run (&watch.f, &member, 1, START + 60 * S);
  assert_told (&watch, GST_MESSAGE_INFO, "working", "group");
  assert_equals_int (count_messages (&watch), 0);
  watch_clear (&watch);
}

GST_END_TEST;

/* An unanswered round lasts 2 T, T being b R_max (RFC 4654 section 3.4): with
 * an R_max of 4 s that is 48 s, and more as the rate falls. */
GST_START_TEST (a_slow_group_has_time_to_answer)
{
  gst_util_set_object_arg (G_OBJECT (watch.f.element), "mode", "tfmcc");
  g_object_set (watch.f.element, "min-bitrate", 1000, "initial-max-rtt", 4000,
      NULL);
  send_fixture_start (&watch.f, GROUP_AUDIO_CAPS);
  group_fixture_run (&watch.f, NULL, 0, START + 48 * S - 1);
  assert_equals_int (count_messages (&watch), 0);
  send_fixture_assert_state (&watch.f, "feedback-state", "waiting");
  group_fixture_run (&watch.f, NULL, 0, START + 200 * S);
  assert_told (&watch, GST_MESSAGE_INFO, "silent", "min-bitrate");
  watch_clear (&watch);
}

GST_END_TEST;

GST_START_TEST (receivers_of_a_group_that_do_not_report_are_a_warning)
{
  gst_util_set_object_arg (G_OBJECT (watch.f.element), "mode", "tfmcc");
  send_fixture_start (&watch.f, GROUP_AUDIO_CAPS);
  for (guint i = 1; i <= 10; i++) {
    group_fixture_run (&watch.f, NULL, 0, START + i * 2 * S);
    push_receiver_report (&watch, TRUE);
  }
  assert_told (&watch, GST_MESSAGE_WARNING, "rtcp-only", "reception reports");
  watch_clear (&watch);
}

GST_END_TEST;

GST_START_TEST (a_group_of_excluded_receivers_is_a_warning)
{
  GroupMember member;
  gboolean done;

  gst_util_set_object_arg (G_OBJECT (watch.f.element), "mode", "tfmcc");
  send_fixture_start (&watch.f, GROUP_AUDIO_CAPS);
  g_signal_emit_by_name (watch.f.element, "exclude-receiver", 5, &done);
  fail_unless (done);
  group_member_join (&member, 5);
  group_fixture_run (&watch.f, &member, 1, START + 30 * S);
  assert_told (&watch, GST_MESSAGE_WARNING, "stale", "reports-excluded");
  watch_clear (&watch);
}

GST_END_TEST;

/* Nothing can come where nothing is linked; a group has its least rate then. */
GST_START_TEST (an_unlinked_rtcp_sink_is_named)
{
  gboolean group = __i__ == 1;
  GstPad *pad, *peer;

  gst_util_set_object_arg (G_OBJECT (watch.f.element), "mode",
      group ? "tfmcc" : "tfrc");
  send_fixture_start (&watch.f, VIDEO_CAPS);
  pad = gst_element_get_static_pad (watch.f.element, "rtcp_sink");
  peer = gst_pad_get_peer (pad);
  gst_pad_unlink (peer, pad);
  watch_run (&watch, START + 30 * S);
  assert_told (&watch, group ? GST_MESSAGE_INFO : GST_MESSAGE_WARNING, "silent",
      group ? "not linked, so the rate stays at min-bitrate"
            : "so hardly anything is sent");
  gst_pad_link (peer, pad);
  gst_object_unref (peer);
  gst_object_unref (pad);
  watch_clear (&watch);
}

GST_END_TEST;

GST_START_TEST (rtcp_of_a_group_that_has_reported_is_told)
{
  GroupMember member;

  gst_util_set_object_arg (G_OBJECT (watch.f.element), "mode", "tfmcc");
  send_fixture_start (&watch.f, GROUP_AUDIO_CAPS);
  group_member_join (&member, 5);
  group_fixture_run (&watch.f, &member, 1, START + 30 * S);
  for (guint i = 1; i <= 30; i++) {
    group_fixture_run (&watch.f, NULL, 0, START + 30 * S + i * 2 * S);
    push_receiver_report (&watch, TRUE);
  }
  assert_told (&watch, GST_MESSAGE_WARNING, "rtcp-only",
      "any more, so the rate stays at min-bitrate");
  watch_clear (&watch);
}

GST_END_TEST;

static Suite *
rtptfrcsendwatch_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsendwatch");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, set_up, NULL);
  tcase_add_loop_test (tcase, who_sends_without_reports_is_told_why, 0,
      G_N_ELEMENTS (answers));
  tcase_add_test (tcase, a_report_that_is_replayed_is_refused);
  tcase_add_test (tcase, the_warning_is_repeated_sparingly);
  tcase_add_test (tcase, what_is_told_is_told_to_be_over_once);
  tcase_add_test (tcase, a_receiver_that_said_bye_is_gone);
  tcase_add_test (tcase, rtcp_beside_an_outage_is_no_cause);
  tcase_add_test (tcase, rtcp_of_who_has_reported_is_no_wrong_receiver);
  tcase_add_loop_test (tcase, rtcp_that_has_just_come_is_something, 0, 2);
  tcase_add_loop_test (tcase,
      reception_reports_are_waited_for_as_long_as_the_rate_is_kept, 0, 2);
  tcase_add_test (tcase, another_cause_is_told_at_once);
  tcase_add_test (tcase, an_idle_sender_is_not_judged);
  tcase_add_test (tcase, a_rare_packet_without_answer_is_judged_too);
  tcase_add_test (tcase, a_paused_sender_is_not_judged);
  tcase_add_test (tcase, a_group_without_receivers_is_no_warning);
  tcase_add_test (tcase, a_slow_group_has_time_to_answer);
  tcase_add_test (tcase, receivers_of_a_group_that_do_not_report_are_a_warning);
  tcase_add_test (tcase, a_group_of_excluded_receivers_is_a_warning);
  tcase_add_loop_test (tcase, an_unlinked_rtcp_sink_is_named, 0, 2);
  tcase_add_test (tcase, rtcp_of_a_group_that_has_reported_is_told);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsendwatch);
