/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the threads of the sender find behind its lock, without the element: whose
 * stream it is, who has to wait, and what is refused. */

#include <gst/check/gstcheck.h>
#include <gst/check/gsttestclock.h>

#include <gst/rtp/rtp.h>

#include "send/pacer.h"
#include "waiter.h"

#define SSRC 0x1234
#define PREROLL_PACKETS 3 /* of half a megabyte: more than may wait */

typedef struct
{
  TfrcSendPacer *pacer;
  GstTestClock *clock;
  GstPad *pads[2];
  TfrcSendInput inputs[2];
  gint gone_on; /* who waited for room */
} Fixture;

static void
setup_mode (Fixture *self, GstTfrcMode mode)
{
  const TfrcSendFlowConfig config = {
    .mode = mode,
    .unicast = tfrc_sender_config_default (),
    .group = tfmcc_sender_config_default (),
  };
  const TfrcSendSettings settings = {
    .encoder.max_bitrate = 1000000,
    .max_queue_time = 200,
  };

  self->gone_on = 0;
  self->pacer = tfrc_send_pacer_new ();
  tfrc_send_pacer_start_flow (self->pacer, &config);
  tfrc_send_pacer_configure (self->pacer, &settings);
  self->clock =
      GST_TEST_CLOCK (gst_test_clock_new_with_start_time (GST_SECOND));
  tfrc_send_pacer_start (self->pacer, GST_CLOCK (gst_object_ref (self->clock)));
  for (guint i = 0; i < G_N_ELEMENTS (self->inputs); i++) {
    self->pads[i] = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));
    gst_pad_set_active (self->pads[i], TRUE);
    self->inputs[i] = (TfrcSendInput) { .pad = self->pads[i] };
    tfrc_send_pacer_add_input (self->pacer, &self->inputs[i]);
  }
  tfrc_send_pacer_stop_flushing (self->pacer, self->pads[0]);
  tfrc_send_pacer_add_stream (self->pacer, &self->inputs[0], SSRC, NULL);
}

static void
setup (Fixture *self)
{
  setup_mode (self, GST_TFRC_MODE_TFRC);
}

static void
teardown (Fixture *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->inputs); i++) {
    tfrc_send_pacer_forget_input (self->pacer, &self->inputs[i]);
    gst_object_unref (self->pads[i]);
  }
  tfrc_send_pacer_stop (self->pacer);
  tfrc_send_pacer_free (self->pacer);
  gst_object_unref (self->clock);
}

static TfrcSendStream *
find (Fixture *self, guint input)
{
  return tfrc_send_pacer_find_stream (self->pacer, &self->inputs[input], SSRC);
}

static GstFlowReturn
push (Fixture *self, guint16 seq, guint size)
{
  TfrcQueueItem item = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .stream = find (self, 0),
    .size = size,
    .seq = seq,
  };
  TfrcSendPushed pushed = { 0 };

  return tfrc_send_pacer_push (self->pacer, &item, 1, &pushed);
}

static gboolean
waits_for_time (Fixture *self, GstClockTime time)
{
  return tfrc_send_pacer_wait_for_time (self->pacer, &self->inputs[0], time);
}

static gpointer
wait_for_time (gpointer user_data)
{
  waits_for_time (user_data, 3600 * GST_SECOND);
  return NULL;
}

static gpointer
wait_for_room (gpointer user_data)
{
  Fixture *self = (Fixture *) user_data;
  GstClockTime due;

  tfrc_send_pacer_wait_for_room (self->pacer, &self->inputs[0], GST_SECOND,
      &due);
  g_atomic_int_inc (&self->gone_on);
  return NULL;
}

/* s/X is a second. */
static void
let_one_leave (Fixture *self)
{
  TfrcSendDue due;

  fail_unless (tfrc_send_pacer_wait (self->pacer, &due));
  assert_equals_int (due.n_items, 1);
  gst_mini_object_unref (due.items[0].object);
}

/* A stream is where it came in last, and goes with its pad. */
GST_START_TEST (a_stream_is_found_where_it_comes_in_alone)
{
  Fixture fixture, *self = &fixture;

  setup (self);
  fail_unless (find (self, 0) != NULL);
  fail_unless (find (self, 1) == NULL);
  tfrc_send_pacer_add_stream (self->pacer, &self->inputs[1], SSRC, NULL);
  fail_unless (find (self, 0) == NULL);
  fail_unless (find (self, 1) != NULL);
  tfrc_send_pacer_forget_input (self->pacer, &self->inputs[1]);
  fail_unless (find (self, 1) == NULL);
  teardown (self);
}
GST_END_TEST;

/* Until packets leave, its pad flushes, or the source pad has failed. */
GST_START_TEST (before_playing_a_source_waits_for_room)
{
  Fixture fixture, *self = &fixture;
  gboolean eos;
  Waiter source;

  setup (self);
  wait_for_room (self);
  for (guint i = 0; i < PREROLL_PACKETS; i++)
    assert_equals_int (push (self, i, 512 * 1024), GST_FLOW_OK);
  waiter_start (&source, wait_for_room, self);
  if (__i__ == 0) {
    tfrc_send_pacer_set_playing (self->pacer, TRUE);
  } else if (__i__ == 1) {
    gst_pad_set_active (self->pads[0], FALSE);
    tfrc_send_pacer_wake_sources (self->pacer);
  } else {
    fail_unless (tfrc_send_pacer_fail (self->pacer, GST_FLOW_ERROR, &eos));
    fail_if (eos);
  }
  waiter_join (&source);
  teardown (self);
}
GST_END_TEST;

/* Its first packet would leave at PLAYING, whatever its time is. */
GST_START_TEST (before_playing_what_is_not_live_is_not_let_in)
{
  TfrcSendSettings settings = {
    .encoder.max_bitrate = 1000000, .max_queue_time = 200, .sync = TRUE
  };
  Fixture fixture, *self = &fixture;
  Waiter source;

  setup (self);
  tfrc_send_pacer_configure (self->pacer, &settings);
  self->inputs[0].live = TRUE;
  wait_for_room (self);
  self->inputs[0].live = FALSE;
  waiter_start (&source, wait_for_room, self);
  fail_unless (waiter_waits (&source, 1));
  assert_equals_int (g_atomic_int_get (&self->gone_on), 1);
  tfrc_send_pacer_set_playing (self->pacer, TRUE);
  waiter_join (&source);
  teardown (self);
}
GST_END_TEST;

/* Or until something else is to be looked at; never before PLAYING, nor without sync. */
GST_START_TEST (in_playing_a_source_waits_for_its_time)
{
  const TfrcSendSettings settings = {
    .encoder.max_bitrate = 1000000, .max_queue_time = 200, .sync = TRUE
  };
  Fixture fixture, *self = &fixture;
  Waiter source;

  setup (self);
  tfrc_send_pacer_set_playing (self->pacer, TRUE);
  fail_if (waits_for_time (self, 3600 * GST_SECOND));
  tfrc_send_pacer_configure (self->pacer, &settings);
  tfrc_send_pacer_set_playing (self->pacer, FALSE);
  fail_if (waits_for_time (self, 3600 * GST_SECOND));
  tfrc_send_pacer_set_playing (self->pacer, TRUE);
  fail_unless (waits_for_time (self, GST_MSECOND));
  waiter_start (&source, wait_for_time, self);
  if (__i__ == 0) {
    gst_pad_set_active (self->pads[0], FALSE);
    tfrc_send_pacer_wake_sources (self->pacer);
  } else {
    tfrc_send_pacer_start_flushing (self->pacer);
  }
  waiter_join (&source);
  fail_if (waits_for_time (self, 3600 * GST_SECOND));
  teardown (self);
}
GST_END_TEST;

/* Who has been early waits until the queue may leave within max-queue-time, or holds two
 * packets where X is a packet in a second.  With sync off, or while an encoder follows,
 * nobody waits. */
GST_START_TEST (in_playing_what_can_wait_waits_for_room)
{
  TfrcSendSettings settings = {
    .encoder.max_bitrate = 1000000, .max_queue_time = 200, .sync = TRUE
  };
  Fixture fixture, *self = &fixture;
  Waiter source;

  setup (self);
  tfrc_send_pacer_configure (self->pacer, &settings);
  tfrc_send_pacer_set_playing (self->pacer, TRUE);
  for (guint i = 0; i < 3; i++)
    assert_equals_int (push (self, i, 1000), GST_FLOW_OK);
  wait_for_room (self);
  fail_unless (waits_for_time (self, GST_MSECOND));
  self->inputs[0].follows = TRUE;
  wait_for_room (self);
  self->inputs[0].follows = FALSE;
  waiter_start (&source, wait_for_room, self);
  fail_unless (waiter_waits (&source, 1));
  assert_equals_int (g_atomic_int_get (&self->gone_on), 2);
  if (__i__ == 0) {
    let_one_leave (self);
  } else if (__i__ == 1) {
    settings.sync = FALSE;
    tfrc_send_pacer_configure (self->pacer, &settings);
  } else {
    gst_pad_set_active (self->pads[0], FALSE);
    tfrc_send_pacer_wake_sources (self->pacer);
  }
  waiter_join (&source);
  teardown (self);
}
GST_END_TEST;

/* As the source pad failed; a link that comes meanwhile saves it. */
GST_START_TEST (nothing_is_taken_once_the_source_pad_has_failed)
{
  Fixture fixture, *self = &fixture;
  gboolean eos;

  setup (self);
  fail_unless (tfrc_send_pacer_fail (self->pacer, GST_FLOW_NOT_LINKED, &eos));
  assert_equals_int (push (self, 0, 100), GST_FLOW_NOT_LINKED);
  fail_unless (tfrc_send_pacer_restart (self->pacer));
  assert_equals_int (push (self, 0, 100), GST_FLOW_OK);
  fail_if (tfrc_send_pacer_restart (self->pacer));
  fail_if (tfrc_send_pacer_fail (self->pacer, GST_FLOW_NOT_LINKED, &eos));
  assert_equals_int (push (self, 1, 100), GST_FLOW_OK);
  tfrc_send_pacer_start_flushing (self->pacer);
  assert_equals_int (push (self, 2, 100), GST_FLOW_FLUSHING);
  teardown (self);
}
GST_END_TEST;

/* In PAUSED nothing does; the number with which it leaves is its own. */
GST_START_TEST (the_first_packet_leaves_once_it_may)
{
  Fixture fixture, *self = &fixture;
  TfrcSendDue due = { 0 };

  setup (self);
  push (self, 77, 100);
  tfrc_send_pacer_set_playing (self->pacer, TRUE);
  fail_unless (tfrc_send_pacer_wait (self->pacer, &due));
  assert_equals_int (due.n_items, 1);
  assert_equals_int (due.items[0].seq, 77);
  gst_mini_object_unref (due.items[0].object);
  tfrc_send_pacer_start_flushing (self->pacer);
  fail_if (tfrc_send_pacer_wait (self->pacer, &due));
  teardown (self);
}
GST_END_TEST;

#define REPORTER 7

/* A tenth is lost. */
static void
push_block (Fixture *self)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (200);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  TfrcSendMessages messages;
  GstBuffer *rest;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, REPORTER);
  gst_rtcp_packet_add_rb (&packet, SSRC, 26, 10, 100, 0, 0, 0);
  gst_rtcp_buffer_unmap (&rtcp);
  rest = tfrc_send_pacer_push_rtcp (self->pacer, buffer, FALSE, &messages);
  gst_clear_buffer (&rest);
}

typedef struct
{
  TfrcSendPacer *pacer;
  TfrcSendDue due;
  gint done; /* atomic */
} Task;

static gpointer
run_task (gpointer user_data)
{
  Task *self = user_data;

  fail_unless (tfrc_send_pacer_wait (self->pacer, &self->due));
  g_atomic_int_set (&self->done, TRUE);
  return NULL;
}

/* What is due now: the task does not sleep for long. */
static TfrcSendDue
collect (Fixture *self)
{
  Task task = { .pacer = self->pacer };
  GThread *thread = g_thread_new ("task", run_task, &task);

  while (!g_atomic_int_get (&task.done)) {
    tfrc_send_pacer_set_playing (self->pacer, TRUE);
    g_thread_yield ();
  }
  g_thread_join (thread);
  return task.due;
}

/* Of whom nothing else is due with it. */
GST_START_TEST (a_slow_receiver_is_told_of_before_the_task_sleeps)
{
  Fixture fixture, *self = &fixture;
  TfrcSendDue due;
  guint ssrc;

  setup_mode (self, GST_TFRC_MODE_TFMCC);
  for (guint i = 0; i < 10; i++) {
    push_block (self);
    gst_test_clock_advance_time (self->clock, GST_SECOND);
  }
  for (guint i = 0; i < 20; i++) {
    due = collect (self);
    assert_equals_int (due.messages.n, 0);
  }
  gst_test_clock_advance_time (self->clock, 1);
  push_block (self);
  due = collect (self);
  assert_equals_int (due.messages.n, 1);
  fail_unless (gst_structure_get_uint (due.messages.items[0], "ssrc", &ssrc));
  assert_equals_int (ssrc, REPORTER);
  gst_structure_free (due.messages.items[0]);
  teardown (self);
}
GST_END_TEST;

/* Whose packet is due first goes first, however late it came: else the pads of a file
 * drift apart. */
GST_START_TEST (of_those_that_wait_for_room_the_first_due_goes_on)
{
  const TfrcSendSettings settings = {
    .encoder.max_bitrate = 1000000, .max_queue_time = 200, .sync = TRUE
  };
  Fixture fixture, *self = &fixture;
  GstSegment segment;
  GstClockTime due;
  Waiter source;

  setup (self);
  tfrc_send_pacer_configure (self->pacer, &settings);
  tfrc_send_pacer_set_playing (self->pacer, TRUE);
  fail_unless (waits_for_time (self, GST_MSECOND));
  self->inputs[1].waits_with = GST_SECOND - 1;
  for (guint i = 0; i < 3; i++)
    assert_equals_int (push (self, i, 1000), GST_FLOW_OK);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  self->inputs[0].segment = gst_event_new_segment (&segment);
  waiter_start (&source, wait_for_room, self);
  fail_unless (waiter_waits (&source, 1));
  let_one_leave (self);
  fail_unless (waiter_waits (&source, 2));
  assert_equals_int (g_atomic_int_get (&self->gone_on), 0);
  tfrc_send_pacer_wait_for_room (self->pacer, &self->inputs[1], 0, &due);
  waiter_join (&source);
  teardown (self);
}
GST_END_TEST;

/* Beside a live pad. */
static void
play_beside_live (Fixture *self, gboolean follows)
{
  const TfrcSendSettings settings = {
    .encoder.max_bitrate = 1000000, .max_queue_time = 200, .sync = TRUE
  };

  setup (self);
  tfrc_send_pacer_configure (self->pacer, &settings);
  tfrc_send_pacer_set_playing (self->pacer, TRUE);
  self->inputs[1].live = TRUE;
  self->inputs[1].follows = follows;
}

/* Until its pad flushes. */
static void
assert_no_room (Fixture *self)
{
  const gint before = g_atomic_int_get (&self->gone_on);
  Waiter source;

  waiter_start (&source, wait_for_room, self);
  fail_unless (waiter_waits (&source, 1));
  assert_equals_int (g_atomic_int_get (&self->gone_on), before);
  gst_pad_set_active (self->pads[0], FALSE);
  tfrc_send_pacer_wake_sources (self->pacer);
  waiter_join (&source);
}

/* Less than a packet, beside one whose encoder follows. */
GST_START_TEST (beside_an_encoder_that_follows_little_can_wait)
{
  Fixture fixture, *self = &fixture;

  play_beside_live (self, __i__ == 1);
  fail_unless (waits_for_time (self, GST_MSECOND));
  assert_equals_int (push (self, 0, 1000), GST_FLOW_OK);
  if (__i__ == 0)
    wait_for_room (self);
  else
    assert_no_room (self);
  teardown (self);
}
GST_END_TEST;

/* What came by pads that cannot wait takes none of that half. */
GST_START_TEST (beside_a_live_pad_half_of_the_queue_is_for_what_can_wait)
{
  Fixture fixture, *self = &fixture;

  play_beside_live (self, FALSE);
  for (guint i = 0; i < 3; i++)
    assert_equals_int (push (self, i, 1000), GST_FLOW_OK);
  fail_unless (waits_for_time (self, GST_MSECOND));
  wait_for_room (self);
  for (guint i = 3; i < 5; i++)
    assert_equals_int (push (self, i, 1000), GST_FLOW_OK);
  assert_no_room (self);
  teardown (self);
}
GST_END_TEST;

static Suite *
pacer_suite (void)
{
  Suite *suite = suite_create ("pacer");
  TCase *test_case = tcase_create ("threads");

  tcase_add_test (test_case, a_stream_is_found_where_it_comes_in_alone);
  tcase_add_loop_test (test_case, before_playing_a_source_waits_for_room, 0, 3);
  tcase_add_test (test_case, before_playing_what_is_not_live_is_not_let_in);
  tcase_add_loop_test (test_case, in_playing_a_source_waits_for_its_time, 0, 2);
  tcase_add_loop_test (test_case, in_playing_what_can_wait_waits_for_room, 0,
      3);
  tcase_add_test (test_case, of_those_that_wait_for_room_the_first_due_goes_on);
  tcase_add_loop_test (test_case,
      beside_an_encoder_that_follows_little_can_wait, 0, 2);
  tcase_add_test (test_case,
      beside_a_live_pad_half_of_the_queue_is_for_what_can_wait);
  tcase_add_test (test_case, nothing_is_taken_once_the_source_pad_has_failed);
  tcase_add_test (test_case, the_first_packet_leaves_once_it_may);
  tcase_add_test (test_case, a_slow_receiver_is_told_of_before_the_task_sleeps);
  suite_add_tcase (suite, test_case);
  return suite;
}

GST_CHECK_MAIN (pacer);
