/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When rtptfrcsend lets packets and events go, through states and flushes. */

#include <math.h>

#include "send/fixture.h"
#include "waiter.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

static SendFixture f;

static void
set_up (void)
{
  send_fixture_init (&f);
}

/* Before the first report one packet a second may leave (RFC 5348 section
 * 4.2): its next deadline lets the second go. */
GST_START_TEST (one_packet_a_second_before_feedback)
{
  SendPacket before, after;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 2);
  before = send_fixture_pull_packet (&f);
  send_fixture_run_until (&f, START + 900 * TFRC_MILLISECOND);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtp), 0);
  send_fixture_run_until (&f, START + TFRC_SECOND);
  after = send_fixture_pull_packet (&f);
  assert_equals_int (after.seq, (guint16) (before.seq + 1));
  assert_equals_uint64 (before.extension.rtt, 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

#ifdef PR_GET_TIMERSLACK
static GstPadProbeReturn
note_slack (GstPad *pad, GstPadProbeInfo *info, gpointer slack)
{
  g_atomic_int_set ((gint *) slack, prctl (PR_GET_TIMERSLACK));
  return GST_PAD_PROBE_OK;
}

/* The thread goes back to a pool when the task is stopped, which may be while it
 * pushes. */
GST_START_TEST (precise_timers_are_for_the_sleep_alone)
{
  gint slack = -1;
  GstPad *pad;

  send_fixture_start (&f, VIDEO_CAPS);
  pad = gst_element_get_static_pad (f.element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_slack, &slack, NULL);
  gst_object_unref (pad);
  send_fixture_push_packets (&f, 1);
  send_fixture_pull_packet (&f);
  assert_equals_int (g_atomic_int_get (&slack), prctl (PR_GET_TIMERSLACK));
  send_fixture_clear (&f);
}

GST_END_TEST;
#endif

/* A long queue leaves at 10 ms a packet, once the saved time is used up, and
 * extensions carry the RTT of the report. */
GST_START_TEST (packets_leave_at_the_allowed_rate)
{
  SendPacket packet, last;

  send_fixture_start (&f, VIDEO_CAPS);
  last = send_fixture_start_flow (&f);
  send_fixture_push_packets (&f, 20);
  send_fixture_run_until (&f, START + 300 * TFRC_MILLISECOND);
  fail_unless (gst_harness_buffers_in_queue (f.rtp) >= 18);

  for (guint i = 0; i < 18; i++) {
    packet = send_fixture_pull_packet (&f);
    assert_equals_int (packet.seq, (guint16) (last.seq + 1));
    assert_equals_uint64 (packet.extension.rtt, RTT);
    if (i >= 4)
      assert_equals_int (packet.extension.send_time_us
              - last.extension.send_time_us,
          PACKET_TIME / TFRC_MICROSECOND);
    last = packet;
  }
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A frame that comes in as one list. */
GST_START_TEST (a_list_is_paced_packet_by_packet)
{
  GstBufferList *list = gst_buffer_list_new ();
  SendPacket last;

  send_fixture_start (&f, VIDEO_CAPS);
  last = send_fixture_start_flow (&f);
  for (guint i = 0; i < 50; i++, f.seq++)
    gst_buffer_list_add (list,
        send_fixture_make_packet (f.seq, 1, PAYLOAD_SIZE));
  gst_pad_push_list (f.rtp->srcpad, list);
  send_fixture_run_until (&f, START + 2 * RTT);
  /* 100 ms of packets and at most 10 ms of credit. */
  fail_unless (gst_harness_buffers_in_queue (f.rtp) >= 10);
  fail_unless (gst_harness_buffers_in_queue (f.rtp) <= 12);
  assert_equals_int (send_fixture_pull_packet (&f).seq,
      (guint16) (last.seq + 1));
  send_fixture_clear (&f);
}

GST_END_TEST;

static GstBuffer *
make_packet_of (guint32 ssrc, guint16 seq)
{
  GstBuffer *buffer = send_fixture_make_packet (seq, 1, PAYLOAD_SIZE);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp));
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static guint32
get_ssrc (GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 ssrc;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return ssrc;
}

/* 64 SSRCs are known, SSRC is silent for longest, and one list brings packets
 * of it, of the next, and of new ones that take the place of others. */
GST_START_TEST (streams_of_a_list_may_make_room_for_each_other)
{
  static const guint32 ssrcs[] = { SSRC, SSRC + 64, SSRC + 1, SSRC + 65 };
  GstBufferList *list = gst_buffer_list_new ();
  TfrcTime now = START + RTT;

  send_fixture_start (&f, VIDEO_CAPS);
  g_object_set (f.element, "min-bitrate", 8 * 43800, NULL);
  send_fixture_start_flow (&f);
  for (guint i = 1; i < 64; i++) {
    assert_equals_int (gst_harness_push (f.rtp, make_packet_of (SSRC + i, 1)),
        GST_FLOW_OK);
    send_fixture_run_until (&f, now += PACKET_TIME);
    gst_buffer_unref (gst_harness_pull (f.rtp));
  }
  assert_equals_uint64 (send_fixture_get_stat (&f, "packets-dropped"), 0);

  for (guint i = 0; i < G_N_ELEMENTS (ssrcs); i++)
    gst_buffer_list_add (list, make_packet_of (ssrcs[i], 2));
  assert_equals_int (gst_pad_push_list (f.rtp->srcpad, list), GST_FLOW_OK);
  send_fixture_run_until (&f, now += 5 * PACKET_TIME);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtp),
      G_N_ELEMENTS (ssrcs));
  for (guint i = 0; i < G_N_ELEMENTS (ssrcs); i++) {
    GstBuffer *buffer = gst_harness_pull (f.rtp);

    assert_equals_int64 (get_ssrc (buffer), ssrcs[i]);
    gst_buffer_unref (buffer);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The first SSRC and the number of packets of each push. */
static GstPadProbeReturn
note_push (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GString *pushes = user_data;
  GstBufferList *list = NULL;
  GstBuffer *first;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  first = list != NULL ? gst_buffer_list_get (list, 0)
                       : GST_PAD_PROBE_INFO_BUFFER (info);
  g_string_append_printf (pushes, "%c%u", 'A' + get_ssrc (first) - SSRC,
      list != NULL ? gst_buffer_list_length (list) : 1);
  return GST_PAD_PROBE_OK;
}

/* An rtpsession counts all of a list for the SSRC of its first packet, and says
 * neither SR nor BYE for the others. */
GST_START_TEST (what_leaves_together_is_of_one_ssrc)
{
  static const guint32 ssrcs[] = { SSRC, SSRC + 1, SSRC, SSRC, SSRC, SSRC + 1 };
  g_autoptr (GString) pushes = g_string_new (NULL);
  g_autoptr (GstPad) srcpad = NULL;
  TfrcTime now = START + RTT;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  srcpad = gst_element_get_static_pad (f.element, "src");
  gst_pad_add_probe (srcpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, note_push,
      pushes, NULL);
  /* Behind a pause two may leave at once, but an event goes before the first of
   * a stream. */
  for (guint i = 0; i < G_N_ELEMENTS (ssrcs); i += 2) {
    GstBufferList *list = gst_buffer_list_new ();

    for (guint j = i; j < i + 2; j++)
      gst_buffer_list_add (list,
          make_packet_of (ssrcs[j], (guint16) (f.seq + j)));
    send_fixture_run_until (&f, now += 5 * PACKET_TIME);
    assert_equals_int (gst_pad_push_list (f.rtp->srcpad, list), GST_FLOW_OK);
  }
  send_fixture_run_until (&f, now += 5 * PACKET_TIME);
  assert_equals_string (pushes->str, "A1B1A2A1B1");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Nothing leaves before PLAYING, and the packet is not a nanosecond older
 * after an hour of PAUSED. */
GST_START_TEST (time_stands_still_in_paused)
{
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  gst_element_set_state (f.element, GST_STATE_PAUSED);
  send_fixture_push_packets (&f, 1);
  gst_test_clock_advance_time (f.clock, 3600 * TFRC_SECOND);
  assert_equals_uint64 (send_fixture_get_stat (&f, "queue-time-ns"), 0);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtp), 0);
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  send_fixture_pull_packet (&f);
  assert_equals_uint64 (send_fixture_get_stat (&f, "pacer-delay-ns"), 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "frames-dropped"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* At one packet a second two packets take 2 s: the four that came together
 * are still there, far beyond max-queue-time. */
GST_START_TEST (a_slow_flow_keeps_two_packets_time)
{
  SendPacket packet;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 4);
  packet = send_fixture_pull_packet (&f);
  send_fixture_run_until (&f, START + 2 * TFRC_SECOND - 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "frames-dropped"), 0);
  assert_equals_int (send_fixture_pull_packet (&f).seq,
      (guint16) (packet.seq + 1));
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The queue is looked through each 10 ms, and when a report lets X rise from next to
 * nothing to W_init/R: then frames in front of a key frame may wait for 200 ms, others for
 * 800 ms, which are 8. */
GST_START_TEST (a_receiver_that_is_back_gets_no_old_frames)
{
  TfrcTime now = START + RTT;
  guint64 sent = 0;
  SendPacket packet;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  for (guint ms = 0;
      ms < 20000 || send_fixture_get_stat (&f, "packets") == sent; ms++) {
    sent = send_fixture_get_stat (&f, "packets");
    if (ms % 100 == 0)
      send_fixture_push_frame (&f, ms % 2000 == 0);
    now += TFRC_MILLISECOND;
    send_fixture_run_until (&f, now);
  }
  fail_unless (send_fixture_get_stat (&f, "queue-packets") >= 20);
  packet = send_fixture_pull_all (&f);
  send_fixture_push_frame (&f, FALSE);
  sent = send_fixture_get_stat (&f, "packets");
  send_fixture_push_feedback (&f,
      &(TfrcFeedback) {
          .media_ssrc = SSRC,
          .echo_time_us = packet.extension.send_time_us,
          .receive_rate = PACKET_SIZE * 10.0,
      });
  send_fixture_run_until (&f, now + TFRC_SECOND);
  assert_equals_uint64 (send_fixture_get_stat (&f, "queue-packets"), 0);
  fail_unless (send_fixture_get_stat (&f, "packets") - sent <= 9);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A report has X fall from a packet in 10 ms to one in 100 ms: p = 0.145 is a packet per RTT
 * (RFC 5348 section 3.1).  At the rate of before 20 packets take 200 ms, max-queue-time,
 * and 0.25 s later 16 (20 e^-0.25).  So five frames are sent, the last 500 ms late, but of 30
 * nearly all are dropped. */
GST_START_TEST (frames_that_are_withheld_for_a_moment_are_sent_late)
{
  const gboolean too_many = __i__ == 1;
  const guint n = too_many ? 30 : 5;
  TfrcFeedback feedback = {
    .media_ssrc = SSRC,
    .receive_rate = PACKET_SIZE * 20.0,
    .loss_event_rate = 0.145,
  };
  SendPacket packet;

  g_object_set (f.element, "delay-target", 0, "loss-tolerance", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (f.element), "tcp", "reno");
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  send_fixture_push_packets (&f, 1);
  packet = send_fixture_pull_packet (&f);
  send_fixture_run_until (&f, START + 2 * RTT);
  feedback.echo_time_us = packet.extension.send_time_us;
  send_fixture_push_feedback (&f, &feedback);
  send_fixture_push_packets (&f, n);
  send_fixture_run_until (&f, START + 2 * RTT + 250 * TFRC_MILLISECOND);
  if (too_many) {
    fail_unless (send_fixture_get_stat (&f, "frames-dropped") > 20);
  } else {
    assert_equals_uint64 (send_fixture_get_stat (&f, "queue-packets"), 2);
    send_fixture_run_until (&f, START + 2 * RTT + 520 * TFRC_MILLISECOND);
    assert_equals_uint64 (send_fixture_get_stat (&f, "queue-packets"), 0);
    assert_equals_uint64 (send_fixture_get_stat (&f, "frames-dropped"), 0);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

/* EOS comes behind the packets, and no later than 3 s after it came in. */
GST_START_TEST (eos_waits_for_the_queue_but_not_for_long)
{
  GstEvent *event;

  send_fixture_start (&f, VIDEO_CAPS);
  while ((event = gst_harness_try_pull_event (f.rtp)) != NULL)
    gst_event_unref (event);
  send_fixture_push_packets (&f, 10);
  gst_harness_push_event (f.rtp, gst_event_new_eos ());
  send_fixture_pull_packet (&f);
  send_fixture_run_until (&f, START + 2900 * TFRC_MILLISECOND);
  do {
    event = gst_harness_try_pull_event (f.rtp);
    fail_if (event != NULL && GST_EVENT_TYPE (event) == GST_EVENT_EOS);
    gst_clear_event (&event);
  } while (gst_harness_events_in_queue (f.rtp) > 0);

  send_fixture_run_until (&f, START + 3 * TFRC_SECOND);
  do {
    gst_clear_event (&event);
    event = gst_harness_pull_event (f.rtp);
  } while (GST_EVENT_TYPE (event) != GST_EVENT_EOS);
  gst_event_unref (event);
  assert_equals_uint64 (send_fixture_get_stat (&f, "queue-packets"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Events between packets stay where they were. */
GST_START_TEST (serialized_events_keep_their_place)
{
  GstEvent *event;
  GstTagList *tags = gst_tag_list_new (GST_TAG_TITLE, "between", NULL);

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  send_fixture_pull_packet (&f);
  while ((event = gst_harness_try_pull_event (f.rtp)) != NULL)
    gst_event_unref (event);
  send_fixture_push_packets (&f, 1);
  gst_harness_push_event (f.rtp, gst_event_new_tag (tags));
  send_fixture_run_until (&f, START + 900 * TFRC_MILLISECOND);
  assert_equals_int (gst_harness_events_in_queue (f.rtp), 0);
  send_fixture_run_until (&f, START + TFRC_SECOND);
  send_fixture_pull_packet (&f);
  event = gst_harness_pull_event (f.rtp);
  assert_equals_int (GST_EVENT_TYPE (event), GST_EVENT_TAG);
  gst_event_unref (event);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Packets leave by their segment.  Sinks that hear of another rate ask for it, and a sink
 * of RTCP has no position in the media. */
GST_START_TEST (an_instant_rate_change_goes_no_further)
{
  GstEventType type;
  GstEvent *event;

  send_fixture_start (&f, VIDEO_CAPS);
  fail_unless (gst_harness_push_event (f.rtp,
      gst_event_new_instant_rate_change (2.0, GST_SEGMENT_FLAG_NONE)));
  fail_unless (gst_harness_push_event (f.rtp,
      gst_event_new_tag (gst_tag_list_new_empty ())));
  do {
    event = gst_harness_pull_event (f.rtp);
    type = GST_EVENT_TYPE (event);
    fail_unless (type != GST_EVENT_INSTANT_RATE_CHANGE);
    gst_event_unref (event);
  } while (type != GST_EVENT_TAG);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Without feedback one packet leaves a second.  Audio whose caps come only when video
 * waits is the next. */
GST_START_TEST (audio_goes_first_though_its_caps_come_behind_video)
{
  const guint32 ssrc = SSRC + 1;
  GstHarness *audio;
  GstBuffer *buffer;
  guint8 bytes[4];

  audio = gst_harness_new_with_element (f.element, "sink_%u", NULL);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 3);
  send_fixture_pull_packet (&f);

  gst_harness_set_src_caps_str (audio,
      "application/x-rtp, media=audio, clock-rate=48000, encoding-name=OPUS, "
      "payload=97");
  buffer = send_fixture_make_packet (0, 0, PAYLOAD_SIZE);
  GST_WRITE_UINT32_BE (bytes, ssrc);
  gst_buffer_fill (buffer, 8, bytes, sizeof bytes);
  assert_equals_int (gst_harness_push (audio, buffer), GST_FLOW_OK);
  send_fixture_run_until (&f, START + TFRC_SECOND);
  buffer = gst_harness_pull (f.rtp);
  assert_equals_int (gst_buffer_memcmp (buffer, 8, bytes, sizeof bytes), 0);
  gst_buffer_unref (buffer);
  gst_harness_teardown (audio);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* As while it goes to READY: what a funnel sends before the packets of another
 * stream. */
GST_START_TEST (new_segments_are_no_error_while_the_source_pad_is_inactive)
{
  GstSegment segment;
  GstEvent *event;
  GstPad *src;

  send_fixture_start (&f, VIDEO_CAPS);
  src = gst_element_get_static_pad (f.rtp->element, "src");
  fail_unless (gst_pad_set_active (src, FALSE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = GST_SECOND;
  event = gst_event_new_segment (&segment);
  gst_pad_store_sticky_event (f.rtp->srcpad, event);
  assert_equals_int (gst_harness_push (f.rtp,
                         send_fixture_make_packet (f.seq, 0, PAYLOAD_SIZE)),
      GST_FLOW_FLUSHING);
  gst_event_unref (event);
  gst_object_unref (src);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A flush takes packets and EOS away; numbers and the protocol go on. */
GST_START_TEST (a_flush_empties_the_queue)
{
  GstSegment segment;
  SendPacket before;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 4);
  before = send_fixture_pull_packet (&f);
  gst_harness_push_event (f.rtp, gst_event_new_flush_start ());
  assert_equals_int (gst_harness_push (f.rtp,
                         send_fixture_make_packet (f.seq, 0, PAYLOAD_SIZE)),
      GST_FLOW_FLUSHING);
  gst_harness_push_event (f.rtp, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f.rtp, gst_event_new_segment (&segment));
  assert_equals_uint64 (send_fixture_get_stat (&f, "queue-packets"), 0);
  send_fixture_push_packets (&f, 1);
  send_fixture_run_until (&f, START + TFRC_SECOND);
  assert_equals_int (send_fixture_pull_packet (&f).seq,
      (guint16) (before.seq + 1));
  send_fixture_clear (&f);
}

GST_END_TEST;

typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean inside, may_go;
} Gate;

static GstPadProbeReturn
hold_flush_stop (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data)
{
  Gate *gate = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_FLUSH_STOP)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&gate->lock);
  gate->inside = TRUE;
  g_cond_broadcast (&gate->cond);
  while (!gate->may_go)
    g_cond_wait (&gate->cond, &gate->lock);
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

static gpointer
flush_once (gpointer srcpad)
{
  gst_pad_push_event (srcpad, gst_event_new_flush_start ());
  gst_pad_push_event (srcpad, gst_event_new_flush_stop (TRUE));
  return NULL;
}

static gpointer
go_to_ready (gpointer element)
{
  gst_element_set_state (element, GST_STATE_READY);
  return NULL;
}

/* The task that the flush starts would run on, and the next state wait for it. */
GST_START_TEST (a_flush_that_ends_while_the_pad_goes_starts_no_task)
{
  Gate gate = { 0 };
  GThread *flushing;
  Waiter going;
  g_autoptr (GstPad) srcpad = NULL;

  send_fixture_start (&f, VIDEO_CAPS);
  srcpad = gst_element_get_static_pad (f.element, "src");
  gst_pad_add_probe (srcpad, GST_PAD_PROBE_TYPE_EVENT_FLUSH, hold_flush_stop,
      &gate, NULL);
  flushing = g_thread_new ("flush", flush_once, f.rtp->srcpad);
  g_mutex_lock (&gate.lock);
  while (!gate.inside)
    g_cond_wait (&gate.cond, &gate.lock);
  g_mutex_unlock (&gate.lock);
  waiter_start (&going, go_to_ready, f.element);
  fail_unless (waiter_waits (&going, 1));
  g_mutex_lock (&gate.lock);
  gate.may_go = TRUE;
  g_cond_broadcast (&gate.cond);
  g_mutex_unlock (&gate.lock);
  g_thread_join (flushing);
  waiter_join (&going);
  fail_unless (GST_PAD_TASK (srcpad) == NULL);
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  send_fixture_clear (&f);
}

GST_END_TEST;

static GstFlowReturn
link_anew (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstPad *src = gst_pad_get_peer (pad);

  gst_buffer_unref (buffer);
  gst_pad_unlink (src, pad);
  gst_pad_set_chain_function (pad,
      g_object_get_data (G_OBJECT (pad), "chain-function"));
  fail_unless_equals_int (gst_pad_link (src, pad), GST_PAD_LINK_OK);
  gst_object_unref (src);
  return GST_FLOW_NOT_LINKED;
}

/* Between the push that finds no peer and the pause that follows from it. */
GST_START_TEST (a_pad_that_is_linked_while_its_push_fails_goes_on)
{
  GstPad *pad, *peer;

  send_fixture_start (&f, VIDEO_CAPS);
  pad = gst_element_get_static_pad (f.element, "src");
  peer = gst_pad_get_peer (pad);
  g_object_set_data (G_OBJECT (peer), "chain-function",
      GST_PAD_CHAINFUNC (peer));
  gst_pad_set_chain_function (peer, link_anew);
  send_fixture_push_packets (&f, 2);
  send_fixture_run_until (&f, START + TFRC_SECOND);
  send_fixture_pull_packet (&f);
  send_fixture_push_packets (&f, 1);
  gst_object_unref (peer);
  gst_object_unref (pad);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Of the sink that takes its time: 25 ms for each packet. */
static struct
{
  GstTestClock *clock;
  gint n_taken; /* atomic */
} slow;

static GstFlowReturn
take_slowly (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  gst_test_clock_advance_time (slow.clock, 25 * GST_MSECOND);
  g_atomic_int_inc (&slow.n_taken);
  return GST_FLOW_OK;
}

/* A push of packets of two SSRCs, which waits: encoders are bound by what is taken, and
 * all of it is. */
GST_START_TEST (a_sink_that_takes_all_of_two_streams_bounds_nothing)
{
  GstPad *pad, *peer;
  guint bitrate;

  g_object_set (f.element, "start-bitrate", 20000000, NULL);
  gst_util_set_object_arg (G_OBJECT (f.element), "feedback", "none");
  send_fixture_start (&f, VIDEO_CAPS);
  pad = gst_element_get_static_pad (f.element, "src");
  peer = gst_pad_get_peer (pad);
  slow.clock = f.clock;
  gst_pad_set_chain_function (peer, take_slowly);
  for (guint i = 0; i < 40; i++) {
    GstBufferList *list = gst_buffer_list_new ();

    gst_buffer_list_add (list, make_packet_of (SSRC, (guint16) i));
    gst_buffer_list_add (list, make_packet_of (SSRC + 1, (guint16) i));
    gst_pad_push_list (f.rtp->srcpad, list);
    while (g_atomic_int_get (&slow.n_taken) < (gint) (2 * (i + 1))) {
      if (gst_test_clock_peek_id_count (f.clock) > 0)
        gst_test_clock_crank (f.clock);
      g_thread_yield ();
    }
    gst_test_clock_advance_time (f.clock, 100 * GST_MSECOND);
  }
  g_object_get (f.element, "bitrate", &bitrate, NULL);
  assert_equals_int (bitrate, 20000000);
  gst_object_unref (peer);
  gst_object_unref (pad);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A new run has a new protocol state, new counters and takes packets again
 * after EOS. */
GST_START_TEST (a_restart_begins_anew)
{
  SendPacket packet;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  gst_harness_push_event (f.rtp, gst_event_new_eos ());
  gst_element_set_state (f.element, GST_STATE_READY);
  assert_equals_uint64 (send_fixture_get_stat (&f, "packets-invalid"), 0);
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  gst_pad_set_active (f.rtp->srcpad, FALSE);
  gst_pad_set_active (f.rtp->srcpad, TRUE);
  gst_harness_push_event (f.rtp, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (f.rtp, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  packet = send_fixture_pull_packet (&f);
  assert_equals_uint64 (packet.extension.rtt, 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "packets"), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

static gboolean
answer_latency (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 40 * GST_MSECOND, 100 * GST_MSECOND);
  return TRUE;
}

/* Min stays at 40 ms, max grows by max-queue-time to 100 + 300 ms. */
GST_START_TEST (latency_grows_by_the_queue)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  g_object_set (f.element, "max-queue-time", 300, NULL);
  send_fixture_start (&f, VIDEO_CAPS);
  gst_pad_set_query_function (f.rtp->srcpad, answer_latency);
  fail_unless (gst_pad_peer_query (f.rtp->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  assert_equals_uint64 (min, 40 * GST_MSECOND);
  fail_unless (live);
  assert_equals_uint64 (max, 400 * GST_MSECOND);
  gst_query_unref (query);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The caps have the numbers start again at 7; those that leave go on. */
GST_START_TEST (a_restarted_payloader_leaves_no_hole)
{
  GstCaps *caps;
  SendPacket before;

  send_fixture_start (&f, VIDEO_CAPS ", seqnum-base=(uint)65534");
  before = send_fixture_start_flow (&f);
  gst_harness_set_src_caps_str (f.rtp, VIDEO_CAPS ", seqnum-base=(uint)7");
  f.seq = 7;
  send_fixture_push_packets (&f, 1);
  send_fixture_run_until (&f, START + 2 * RTT);
  assert_equals_int (send_fixture_pull_packet (&f).seq,
      (guint16) (before.seq + 1));
  caps = gst_pad_get_current_caps (f.rtp->sinkpad);
  fail_if (gst_structure_has_field (gst_caps_get_structure (caps, 0),
      "seqnum-base"));
  gst_caps_unref (caps);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Nobody says so, and they go back by a hundred (RFC 3550 appendix A.1). */
GST_START_TEST (a_restart_without_caps_leaves_no_hole)
{
  SendPacket before;
  guint16 begun;

  send_fixture_start (&f, VIDEO_CAPS);
  before = send_fixture_start_flow (&f);
  begun = f.seq;
  send_fixture_push_packets (&f, 1);
  f.seq = (guint16) (begun + 1 - 100);
  send_fixture_push_packets (&f, 1);
  send_fixture_run_until (&f, START + 2 * RTT);
  for (guint i = 1; i <= 2; i++)
    assert_equals_int (send_fixture_pull_packet (&f).seq,
        (guint16) (before.seq + i));
  send_fixture_clear (&f);
}

GST_END_TEST;

/* 43800 bytes/s, told within 50 ms; max-bitrate caps it at once. */
GST_START_TEST (bitrate_follows_the_allowed_rate)
{
  guint bitrate;

  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  send_fixture_run_until (&f, START + RTT + 50 * TFRC_MILLISECOND);
  g_object_get (f.element, "bitrate", &bitrate, NULL);
  assert_equals_int (bitrate, 8 * 43800);
  g_object_set (f.element, "max-bitrate", 100000, NULL);
  send_fixture_run_until (&f, START + RTT + 50 * TFRC_MILLISECOND);
  g_object_get (f.element, "bitrate", &bitrate, NULL);
  assert_equals_int (bitrate, 100000);
  gst_element_set_state (f.element, GST_STATE_READY);
  g_object_get (f.element, "bitrate", &bitrate, NULL);
  assert_equals_int (bitrate, 0);
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The first sample R makes it R + 4 R / 2 = 3 R (RFC 6298 section 2.2): 300 ms. */
static const struct
{
  const gchar *mode;
  guint floor; /* [ms] */
  TfrcDuration rto;
} floors[] = {
  { "tcp", 1000, TFRC_SECOND },
  { "tcp", 400, 400 * TFRC_MILLISECOND },
  { "tcp", 200, 300 * TFRC_MILLISECOND },
  { "scaled", 600, 200 * TFRC_MILLISECOND },
  { "rfc5348", 1000, 400 * TFRC_MILLISECOND },
};

GST_START_TEST (rto_floor_is_that_of_tcp)
{
  gst_util_set_object_arg (G_OBJECT (f.element), "rto-mode",
      floors[__i__].mode);
  g_object_set (f.element, "rto-floor", floors[__i__].floor, NULL);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_start_flow (&f);
  assert_equals_uint64 (send_fixture_get_stat (&f, "rto-ns"),
      floors[__i__].rto);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* p = 1e-4, R = 100 ms: CUBIC's window is 187.2 packets, of 438 bytes, Reno's 122.4
 * (tests/unit/tfrc/sender-extensions.c). */
static const struct
{
  const gchar *tcp; /* NULL: by default */
  gdouble window;
} windows[] = { { NULL, 187.17285 }, { "cubic", 187.17285 },
  { "reno", 122.36436 } };

GST_START_TEST (tcp_is_whose_rate_is_taken)
{
  TfrcFeedback feedback = { .media_ssrc = SSRC, .loss_event_rate = 1e-4 };
  gdouble rate = windows[__i__].window * PACKET_SIZE / 0.1;

  if (windows[__i__].tcp)
    gst_util_set_object_arg (G_OBJECT (f.element), "tcp", windows[__i__].tcp);
  send_fixture_start (&f, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  feedback.echo_time_us = send_fixture_pull_packet (&f).extension.send_time_us;
  send_fixture_run_until (&f, START + RTT);
  send_fixture_push_feedback (&f, &feedback);
  fail_unless (fabs (send_fixture_get_rate (&f, "equation-rate") - rate)
      < 1e-5 * rate);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Nothing of the element is called then. */
GST_START_TEST (a_sink_pad_may_outlive_its_element)
{
  GstElement *element = gst_element_factory_make ("rtptfrcsend", NULL);
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  guint notify = g_signal_lookup ("notify", G_TYPE_OBJECT);

  fail_if (g_signal_handler_find (pad, G_SIGNAL_MATCH_ID, notify, 0, NULL, NULL,
               NULL)
      == 0);
  gst_object_unref (element);
  fail_unless (g_signal_handler_find (pad, G_SIGNAL_MATCH_ID, notify, 0, NULL,
                   NULL, NULL)
      == 0);
  gst_util_set_object_arg (G_OBJECT (pad), "priority", "high");
  gst_object_unref (pad);
}

GST_END_TEST;

static Suite *
rtptfrcsend_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsend");
  TCase *pace = tcase_create ("pace");
  TCase *events = tcase_create ("events");
  TCase *pads = tcase_create ("pads");

  tcase_add_test (pace, one_packet_a_second_before_feedback);
#ifdef PR_GET_TIMERSLACK
  tcase_add_test (pace, precise_timers_are_for_the_sleep_alone);
#endif
  tcase_add_test (pace, packets_leave_at_the_allowed_rate);
  tcase_add_test (pace, a_list_is_paced_packet_by_packet);
  tcase_add_test (pace, streams_of_a_list_may_make_room_for_each_other);
  tcase_add_test (pace, what_leaves_together_is_of_one_ssrc);
  tcase_add_test (pace, time_stands_still_in_paused);
  tcase_add_test (pace, a_slow_flow_keeps_two_packets_time);
  tcase_add_test (pace, a_receiver_that_is_back_gets_no_old_frames);
  tcase_add_loop_test (pace,
      frames_that_are_withheld_for_a_moment_are_sent_late, 0, 2);
  tcase_add_test (pace, bitrate_follows_the_allowed_rate);
  tcase_add_loop_test (pace, rto_floor_is_that_of_tcp, 0,
      G_N_ELEMENTS (floors));
  tcase_add_loop_test (pace, tcp_is_whose_rate_is_taken, 0,
      G_N_ELEMENTS (windows));
  suite_add_tcase (suite, pace);
  tcase_add_checked_fixture (pace, set_up, NULL);
  tcase_add_test (events, eos_waits_for_the_queue_but_not_for_long);
  tcase_add_test (events,
      new_segments_are_no_error_while_the_source_pad_is_inactive);
  tcase_add_test (events, serialized_events_keep_their_place);
  tcase_add_test (events, an_instant_rate_change_goes_no_further);
  tcase_add_test (events, audio_goes_first_though_its_caps_come_behind_video);
  tcase_add_test (events, a_flush_empties_the_queue);
  tcase_add_test (events, a_flush_that_ends_while_the_pad_goes_starts_no_task);
  tcase_add_test (events, a_pad_that_is_linked_while_its_push_fails_goes_on);
  tcase_add_test (events, a_sink_that_takes_all_of_two_streams_bounds_nothing);
  tcase_add_test (events, a_restart_begins_anew);
  tcase_add_test (events, latency_grows_by_the_queue);
  tcase_add_test (events, a_restarted_payloader_leaves_no_hole);
  tcase_add_test (events, a_restart_without_caps_leaves_no_hole);
  tcase_add_test (pads, a_sink_pad_may_outlive_its_element);
  suite_add_tcase (suite, events);
  tcase_add_checked_fixture (events, set_up, NULL);
  suite_add_tcase (suite, pads);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsend);
