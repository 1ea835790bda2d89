/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The latency of an rtpbin's jitter buffers while packets come sooner or later.
 * They arrive when the test says so: the jitter buffer goes by their DTS, and
 * its clock is so far ahead that it never waits. */

#include "bins/jitter-buffers.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#include "bins/bin.h"
#include "common/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);

#define CLOCK_RATE 90000
#define FRAME (40 * GST_MSECOND)
#define N_STREAMS 2
#define AHEAD (3600 * GST_SECOND)
#define CAPS \
  "application/x-rtp, media=video, clock-rate=90000, " \
  "encoding-name=H264, payload=96"

typedef struct
{
  GstElement *pipeline;
  GstElement *rtpbin;
  TfrcJitterBuffers *tested;
  GstPad *src;                    /* feeds rtpbin */
  GstElement *buffers[N_STREAMS]; /* in order of appearance */
  guint n_buffers;
  guint16 seqs[N_STREAMS];
  guint64 sent;
  GstClockTime frame_at; /* capture of the newest frame */

  GMutex lock; /* guards what follows */
  GCond cond;
  guint64 came;
  GstClockTime pts; /* of the newest packet that came */
  gboolean gone;    /* the pipeline */
  gboolean moved;   /* the deadlines of a jitter buffer */
} Fixture;

static void
wake (Fixture *self)
{
  g_mutex_lock (&self->lock);
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
}

static GstCaps *
on_request_pt_map (GstElement *rtpbin, guint session, guint payload_type,
    gpointer user_data)
{
  return gst_caps_from_string (CAPS);
}

static void
on_new (GstElement *rtpbin, GstElement *buffer, guint session, guint ssrc,
    Fixture *self)
{
  self->buffers[self->n_buffers++] = buffer;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Fixture *self = gst_pad_get_element_private (pad);
  TfrcRtpHeader header;

  fail_unless (tfrc_rtp_header_read (&header, buffer));
  g_mutex_lock (tfrc_jitter_buffers_get_lock (self->tested));
  tfrc_jitter_buffers_on_departure (self->tested, &header,
      GST_BUFFER_PTS (buffer));
  g_mutex_unlock (tfrc_jitter_buffers_get_lock (self->tested));
  g_mutex_lock (&self->lock);
  self->came++;
  self->pts = GST_BUFFER_PTS (buffer);
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
on_pad_added (GstElement *rtpbin, GstPad *pad, Fixture *self)
{
  GstPad *sink;

  if (GST_PAD_IS_SINK (pad))
    return;
  sink = gst_pad_new (NULL, GST_PAD_SINK);
  gst_pad_set_chain_function (sink, chain);
  gst_pad_set_element_private (sink, self);
  gst_pad_set_active (sink, TRUE);
  fail_unless_equals_int (gst_pad_link (pad, sink), GST_PAD_LINK_OK);
  g_object_set_data_full (G_OBJECT (pad), "test-sink", sink, gst_object_unref);
}

static void
link_source (Fixture *self)
{
  GstPad *sink = gst_element_request_pad_simple (self->rtpbin,
      "recv_rtp_sink_0");
  GstSegment segment;
  GstCaps *caps;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  self->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_active (self->src, TRUE);
  fail_unless_equals_int (gst_pad_link (self->src, sink), GST_PAD_LINK_OK);
  gst_object_unref (sink);
  gst_pad_push_event (self->src, gst_event_new_stream_start ("test"));
  caps = gst_caps_new_empty_simple ("application/x-rtp");
  gst_pad_push_event (self->src, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_pad_push_event (self->src, gst_event_new_segment (&segment));
}

static void
fixture_init (Fixture *self)
{
  GstClock *clock = gst_system_clock_obtain ();

  *self = (Fixture) { .frame_at = GST_SECOND };
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  /* Has the debug category. */
  GST_ELEMENT_REGISTER (tfrcsrc, NULL);
  gst_object_unref (gst_element_factory_make ("tfrcsrc", NULL));

  self->pipeline = gst_pipeline_new (NULL);
  self->rtpbin = gst_element_factory_make ("rtpbin", NULL);
  gst_bin_add (GST_BIN (self->pipeline), self->rtpbin);
  g_signal_connect (self->rtpbin, "request-pt-map",
      G_CALLBACK (on_request_pt_map), NULL);
  g_signal_connect (self->rtpbin, "new-jitterbuffer", G_CALLBACK (on_new),
      self);
  g_signal_connect (self->rtpbin, "pad-added", G_CALLBACK (on_pad_added), self);
  g_signal_connect_swapped (self->rtpbin, "notify::latency", G_CALLBACK (wake),
      self);
  self->tested = tfrc_jitter_buffers_new (self->pipeline, self->rtpbin, NULL);

  gst_pipeline_use_clock (GST_PIPELINE (self->pipeline), clock);
  gst_element_set_start_time (self->pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (self->pipeline,
      gst_clock_get_time (clock) - AHEAD);
  gst_object_unref (clock);
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
  link_source (self);
}

static void
on_pipeline_gone (gpointer user_data, GObject *pipeline)
{
  Fixture *self = user_data;

  g_mutex_lock (&self->lock);
  self->gone = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
}

static void
fixture_clear (Fixture *self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_pad_set_active (self->src, FALSE);
  gst_object_unref (self->src);
  /* What runs asynchronously has a reference. */
  g_object_weak_ref (G_OBJECT (self->pipeline), on_pipeline_gone, self);
  gst_object_unref (self->pipeline);
  g_mutex_lock (&self->lock);
  while (!self->gone)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
  tfrc_jitter_buffers_free (self->tested);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->lock);
}

/* The next frame, a packet of stream 0 or 1; returns when it has come out.  Of
 * the first one rtpsession keeps it until the second. */
static void
receive_of (Fixture *self, guint stream, GstClockTime lateness)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (10, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcRtpHeader header;

  self->frame_at += FRAME;
  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, 1000 + stream);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_seq (&rtp, self->seqs[stream]++);
  gst_rtp_buffer_set_timestamp (&rtp,
      (guint32) gst_util_uint64_scale (self->frame_at, CLOCK_RATE, GST_SECOND));
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_DTS (packet) = self->frame_at + lateness;

  fail_unless (tfrc_rtp_header_read (&header, packet));
  g_mutex_lock (tfrc_jitter_buffers_get_lock (self->tested));
  tfrc_jitter_buffers_on_arrival (self->tested, &header,
      GST_BUFFER_DTS (packet));
  fail_unless_equals_int (gst_pad_push (self->src, packet), GST_FLOW_OK);
  self->sent++;
  if (self->seqs[stream] == 1)
    return;
  g_mutex_lock (&self->lock);
  while (self->came < self->sent)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
}

static void
receive (Fixture *self, GstClockTime lateness)
{
  receive_of (self, 0, lateness);
}

/* Every other frame is that late. */
static void
receive_for (Fixture *self, GstClockTime duration, GstClockTime lateness)
{
  GstClockTime end = self->frame_at + duration;
  guint i;

  for (i = 0; self->frame_at < end; i++)
    receive (self, i % 2 * lateness);
}

static guint
get_latency (gpointer object)
{
  guint latency_ms;

  g_object_get (object, "latency", &latency_ms, NULL);
  return latency_ms;
}

/* Of rtpbin, where another thread sets it. */
static void
wait_for_latency (Fixture *self, guint latency_ms)
{
  g_mutex_lock (&self->lock);
  while (get_latency (self->rtpbin) != latency_ms)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
}

static guint64
get_stat (Fixture *self, const gchar *field)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SRC);
  guint64 value;

  tfrc_jitter_buffers_add_stats (self->tested, stats);
  fail_unless (gst_structure_get_uint64 (stats, field, &value));
  gst_structure_free (stats);
  return value;
}

/* 60 ms and a margin of 10. */
GST_START_TEST (it_follows_what_packets_need)
{
  Fixture f;

  fixture_init (&f);
  fail_unless_equals_int (get_latency (f.rtpbin), 300);
  receive_for (&f, 20 * GST_SECOND, 60 * GST_MSECOND);
  fail_unless_equals_int (get_latency (f.buffers[0]), 70);
  wait_for_latency (&f, 70);
  fail_unless_equals_uint64 (get_stat (&f, "latency-ns"), 70 * GST_MSECOND);
  fail_unless_equals_uint64 (get_stat (&f, "packets-too-late"), 0);
  fixture_clear (&f);
}
GST_END_TEST

/* The jitter buffer itself would begin anew with PTS = DTS, 160 ms of jump. */
GST_START_TEST (a_late_frame_does_not_move_the_time_line)
{
  GstClockTime before;
  Fixture f;

  fixture_init (&f);
  receive_for (&f, 20 * GST_SECOND, 20 * GST_MSECOND);
  fail_unless_equals_int (get_latency (f.buffers[0]), 40);
  before = f.pts;
  receive (&f, 160 * GST_MSECOND);
  fail_unless (f.pts < before + FRAME + 2 * GST_MSECOND);
  fail_unless_equals_int (get_latency (f.buffers[0]), 170);
  fail_unless_equals_uint64 (get_stat (&f, "packets-too-late"), 1);
  fixture_clear (&f);
}
GST_END_TEST

GST_START_TEST (a_fixed_one_stays)
{
  Fixture f;

  fixture_init (&f);
  tfrc_jitter_buffers_set_latency (f.tested, 100);
  fail_unless_equals_int (tfrc_jitter_buffers_get_latency (f.tested), 100);
  fail_unless_equals_int (get_latency (f.rtpbin), 100);
  receive_for (&f, 20 * GST_SECOND, 20 * GST_MSECOND);
  receive (&f, 160 * GST_MSECOND);
  fail_unless_equals_int (get_latency (f.buffers[0]), 100);
  fail_unless_equals_int (get_latency (f.rtpbin), 100);
  fail_unless_equals_uint64 (get_stat (&f, "packets-too-late"), 1);
  fixture_clear (&f);
}
GST_END_TEST

GST_START_TEST (it_may_be_changed_while_packets_come)
{
  Fixture f;

  fixture_init (&f);
  tfrc_jitter_buffers_set_latency (f.tested, 200);
  receive_for (&f, 20 * GST_SECOND, 60 * GST_MSECOND);
  tfrc_jitter_buffers_set_latency (f.tested, TFRC_LATENCY_AUTO);
  fail_unless_equals_int (get_latency (f.buffers[0]), 70);
  tfrc_jitter_buffers_set_latency (f.tested, 200);
  fail_unless_equals_int (get_latency (f.buffers[0]), 200);
  fixture_clear (&f);
}
GST_END_TEST

/* 30 ms, an RTT of 40 and the margin of 10. */
GST_START_TEST (it_leaves_time_for_an_answer)
{
  Fixture f;

  fixture_init (&f);
  tfrc_jitter_buffers_expect_answer (f.tested, 30 * GST_MSECOND,
      40 * GST_MSECOND);
  receive_for (&f, 20 * GST_SECOND, 20 * GST_MSECOND);
  wait_for_latency (&f, 40);
  tfrc_jitter_buffers_expect_answer (f.tested, 30 * GST_MSECOND,
      40 * GST_MSECOND);
  wait_for_latency (&f, 80);
  fail_unless_equals_uint64 (get_stat (&f, "packets-too-late"), 0);
  receive_for (&f, 20 * GST_SECOND, 20 * GST_MSECOND);
  wait_for_latency (&f, 40);
  tfrc_jitter_buffers_set_latency (f.tested, 100);
  tfrc_jitter_buffers_expect_answer (f.tested, 30 * GST_MSECOND,
      40 * GST_MSECOND);
  fail_unless_equals_int (get_latency (f.buffers[0]), 100);
  fixture_clear (&f);
}
GST_END_TEST

/* The packet of frame 1 that shows that one is missing came 80 ms late, whatever
 * the jitter buffer waits by itself; of frame 2, in time. */
GST_START_TEST (a_packet_is_asked_for_as_late_as_the_one_that_shows_it)
{
  GstClockTime due;
  Fixture f;

  fixture_init (&f);
  fail_unless_equals_uint64 (tfrc_jitter_buffers_get_wait (f.tested, 0,
                                 13 * GST_MSECOND),
      13 * GST_MSECOND);
  receive (&f, 80 * GST_MSECOND);
  due = f.frame_at;
  fail_unless_equals_uint64 (tfrc_jitter_buffers_get_wait (f.tested, due,
                                 13 * GST_MSECOND),
      80 * GST_MSECOND);
  receive (&f, 0);
  fail_unless_equals_uint64 (tfrc_jitter_buffers_get_wait (f.tested, f.frame_at,
                                 13 * GST_MSECOND),
      13 * GST_MSECOND);
  fixture_clear (&f);
}
GST_END_TEST

static Fixture *fixture_of_log;

/* Between the decision for a latency and its way to the jitter buffer. */
static void
set_by_hand (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer user_data)
{
  if (g_str_has_prefix (gst_debug_message_get (message), "event=latency"))
    tfrc_jitter_buffers_set_latency (fixture_of_log->tested, 200);
}

GST_START_TEST (by_hand_wins_over_a_packet)
{
  GstDebugLevel level;
  Fixture f;

  fixture_init (&f);
  level = gst_debug_category_get_threshold (gst_tfrc_src_debug);
  gst_debug_category_set_threshold (gst_tfrc_src_debug, GST_LEVEL_DEBUG);
  fixture_of_log = &f;
  gst_debug_add_log_function (set_by_hand, NULL, NULL);
  receive_for (&f, 20 * GST_SECOND, 60 * GST_MSECOND);
  gst_debug_remove_log_function (set_by_hand);
  gst_debug_category_set_threshold (gst_tfrc_src_debug, level);
  fail_unless_equals_int (tfrc_jitter_buffers_get_latency (f.tested), 200);
  fail_unless_equals_int (get_latency (f.buffers[0]), 200);
  fixture_clear (&f);
}
GST_END_TEST

/* What one needs all have. */
GST_START_TEST (streams_stay_together)
{
  guint i;
  Fixture f;

  fixture_init (&f);
  for (i = 0; i < 400; i++)
    receive_of (&f, i / 2 % 2, i % 2 * (i & 2) * 45 * GST_MSECOND);
  fail_unless_equals_int (f.n_buffers, 2);
  wait_for_latency (&f, 100);
  fail_unless_equals_int (get_latency (f.buffers[0]), 100);
  fail_unless_equals_int (get_latency (f.buffers[1]), 100);
  fixture_clear (&f);
}
GST_END_TEST

GST_START_TEST (another_run_begins_anew)
{
  Fixture f;

  fixture_init (&f);
  for (guint run = 0; run < 2; run++) {
    receive_for (&f, 20 * GST_SECOND, 0);
    wait_for_latency (&f, 40);
    receive (&f, 100 * GST_MSECOND);
    fail_unless_equals_uint64 (get_stat (&f, "packets-too-late"), 1);
    tfrc_jitter_buffers_clear_all (f.tested);
    tfrc_jitter_buffers_begin_run (f.tested);
    f.n_buffers = 0;
    wait_for_latency (&f, 300);
    fail_unless_equals_uint64 (get_stat (&f, "packets-too-late"), 0);
  }
  fixture_clear (&f);
}
GST_END_TEST

/* After it the application lets the pipeline calculate its latency anew. */
GST_START_TEST (each_change_is_told)
{
  GstMessage *message;
  GstBus *bus;
  Fixture f;

  fixture_init (&f);
  bus = gst_element_get_bus (f.pipeline);
  receive_for (&f, 20 * GST_SECOND, 0);
  wait_for_latency (&f, 40);
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  receive_for (&f, 10 * GST_SECOND, 0);
  fail_if (gst_bus_have_pending (bus));
  receive (&f, 100 * GST_MSECOND);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_LATENCY);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (f.buffers[0]));
  gst_message_unref (message);
  gst_object_unref (bus);
  fixture_clear (&f);
}
GST_END_TEST

/* Numbers 0, 1 and 3, a packet in 20 ms; returns what number 2 is due at. */
static GstClockTime
push_with_hole (GstHarness *harness)
{
  GstClockTime due = 0;

  for (guint16 i = 0; i <= 3; i++) {
    GstBuffer *packet = gst_rtp_buffer_new_allocate (10, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
    gst_rtp_buffer_set_ssrc (&rtp, 7);
    gst_rtp_buffer_set_payload_type (&rtp, 96);
    gst_rtp_buffer_set_seq (&rtp, i);
    gst_rtp_buffer_set_timestamp (&rtp, i * CLOCK_RATE / 50);
    gst_rtp_buffer_unmap (&rtp);
    GST_BUFFER_DTS (packet) = i * 20 * GST_MSECOND;
    gst_harness_set_time (harness, GST_BUFFER_DTS (packet));
    if (i == 2) {
      due = GST_BUFFER_DTS (packet);
      gst_buffer_unref (packet);
    } else {
      fail_unless_equals_int (gst_harness_push (harness, packet), GST_FLOW_OK);
    }
  }
  return due;
}

/* When the jitter buffer's clock is next waited for. */
static GstClockTime
get_next_wait (GstHarness *harness)
{
  GstTestClock *clock = gst_harness_get_testclock (harness);
  GstClockTime next;

  fail_unless (gst_harness_wait_for_clock_id_waits (harness, 1, 10));
  next = gst_test_clock_get_next_entry_time (clock);
  gst_object_unref (clock);
  return next;
}

static void
on_deadlines_moved (Fixture *self)
{
  g_mutex_lock (&self->lock);
  self->moved = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
}

static void
wait_until_moved (Fixture *self)
{
  g_mutex_lock (&self->lock);
  while (!self->moved)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
}

/* A jitter buffer of SSRC 7 with a clock by hand and a latency of 60 ms, but from now on
 * that of rtpbin. */
static GstHarness *
make_harness (Fixture *self)
{
  GstHarness *harness = gst_harness_new ("rtpjitterbuffer");

  receive_for (self, 20 * GST_SECOND, 0);
  wait_for_latency (self, 40);

  g_object_set (harness->element, "do-retransmission", TRUE,
      "rtx-next-seqnum", FALSE, "latency", 60, NULL);
  g_object_bind_property (self->rtpbin, "latency", harness->element, "latency",
      G_BINDING_DEFAULT);
  gst_harness_set_src_caps_str (harness, CAPS);
  g_signal_connect_swapped (harness->element, "notify::ts-offset",
      G_CALLBACK (on_deadlines_moved), self);
  g_signal_emit_by_name (self->rtpbin, "new-jitterbuffer", harness->element, 0,
      7);
  return harness;
}

/* At a latency of 60 ms an answer will be 100 ms late: the packet is given up 10 ms
 * behind that, the margin, and what is behind it waits for so long. */
GST_START_TEST (what_is_missing_already_is_waited_for_longer)
{
  GstHarness *harness;
  GstClockTime due;
  Fixture f;

  fixture_init (&f);
  harness = make_harness (&f);
  due = push_with_hole (harness);
  while (get_next_wait (harness) < due + 60 * GST_MSECOND)
    fail_unless (gst_harness_crank_single_clock_wait (harness));
  fail_unless_equals_uint64 (get_next_wait (harness), due + 60 * GST_MSECOND);
  tfrc_jitter_buffers_wait_for (f.tested, 100 * GST_MSECOND);
  wait_until_moved (&f);
  fail_unless_equals_int (get_latency (harness->element), 110);
  fail_unless (gst_harness_crank_single_clock_wait (harness));
  fail_unless_equals_uint64 (get_next_wait (harness), due + 110 * GST_MSECOND);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 2);
  fail_unless (gst_harness_crank_single_clock_wait (harness));
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (gst_harness_pull (harness));
  gst_harness_teardown (harness);
  fixture_clear (&f);
}
GST_END_TEST

static GstPadProbeReturn
on_request (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Fixture *self = user_data;

  if (gst_event_has_name (GST_PAD_PROBE_INFO_EVENT (info),
          "GstRTPRetransmissionRequest"))
    tfrc_jitter_buffers_wait_for (self->tested, 100 * GST_MSECOND);
  return GST_PAD_PROBE_OK;
}

/* It sends a request with its lock held where it has nothing to wait for behind that, as
 * its thread stalled for so long that it gives up the packet at once. */
GST_START_TEST (a_jitter_buffer_may_be_locked_while_it_requests_a_packet)
{
  GstHarness *harness;
  GstClockTime due;
  Fixture f;

  fixture_init (&f);
  harness = make_harness (&f);
  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      on_request, &f, NULL);
  g_object_set (harness->element, "rtx-delay", 30, NULL);
  due = push_with_hole (harness);
  fail_unless (get_next_wait (harness) <= due + 30 * GST_MSECOND);
  gst_harness_set_time (harness, due + GST_SECOND);
  fail_unless (gst_harness_crank_single_clock_wait (harness));
  wait_until_moved (&f);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (gst_harness_pull (harness));
  gst_harness_teardown (harness);
  fixture_clear (&f);
}
GST_END_TEST

static Suite *
latency_suite (void)
{
  Suite *suite = suite_create ("latency");
  TCase *test_case = tcase_create ("latency");

  tcase_add_test (test_case, it_follows_what_packets_need);
  tcase_add_test (test_case, a_late_frame_does_not_move_the_time_line);
  tcase_add_test (test_case, a_fixed_one_stays);
  tcase_add_test (test_case, it_may_be_changed_while_packets_come);
  tcase_add_test (test_case, by_hand_wins_over_a_packet);
  tcase_add_test (test_case, it_leaves_time_for_an_answer);
  tcase_add_test (test_case,
      a_packet_is_asked_for_as_late_as_the_one_that_shows_it);
  tcase_add_test (test_case, streams_stay_together);
  tcase_add_test (test_case, what_is_missing_already_is_waited_for_longer);
  tcase_add_test (test_case,
      a_jitter_buffer_may_be_locked_while_it_requests_a_packet);
  tcase_add_test (test_case, another_run_begins_anew);
  tcase_add_test (test_case, each_change_is_told);
  suite_add_tcase (suite, test_case);
  return suite;
}

GST_CHECK_MAIN (latency)
