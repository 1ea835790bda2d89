/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Jitter buffers of a real rtpbin go while packets of their SSRC come. */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <gmodule.h>
#include <gst/check/gstcheck.h>
#include <gst/rtp/rtp.h>

#include "base/units.h"
#include "bins/jitter-buffers.h"

#define SSRC 77
#define STRAY 7
#define TIMES 50

typedef struct
{
  gboolean keeps; /* else it is called */
  GstElementCallAsyncFunc function;
  gpointer data;
} Call;

static gint n_pushed, n_gone, n_made, ended;
static Call newest;
static GMutex lock; /* of what wait_for_more_than waits for */
static GCond counted;

/* What threads count; also read as an atomic. */
static void
counter_add (gint *counter)
{
  g_mutex_lock (&lock);
  g_atomic_int_inc (counter);
  g_cond_broadcast (&counted);
  g_mutex_unlock (&lock);
}

/* Stands before that of GStreamer. */
G_MODULE_EXPORT void
gst_element_call_async (GstElement *element, GstElementCallAsyncFunc function,
    gpointer data, GDestroyNotify destroy)
{
  __typeof__ (&gst_element_call_async) real =
      (__typeof__ (real)) dlsym (RTLD_NEXT, "gst_element_call_async");

  if (newest.keeps)
    newest = (Call) { TRUE, function, data };
  else
    real (element, function, data, destroy);
}

/* Stands before that of the element. */
gboolean __wrap_gst_rtp_tfrc_receive_has_stream (GstRtpTfrcReceive *receive,
    guint32 ssrc);

gboolean
__wrap_gst_rtp_tfrc_receive_has_stream (GstRtpTfrcReceive *receive,
    guint32 ssrc)
{
  return ssrc != STRAY;
}

static void
count_gone (GstRtpTfrcReceive *receive, guint ssrc, gpointer unused)
{
  counter_add (&n_gone);
}

static GstRtpTfrcReceive *
make_receive (void)
{
  GstRtpTfrcReceive *receive = g_object_new (GST_TYPE_RTP_TFRC_RECEIVE, NULL);

  g_signal_connect (receive, "remove-stream", G_CALLBACK (count_gone), NULL);
  return gst_object_ref_sink (receive);
}

static GstCaps *
make_caps (GstElement *rtpbin, guint session, guint pt, gpointer unused)
{
  return gst_caps_from_string ("application/x-rtp, media=video, "
                               "clock-rate=90000, encoding-name=H264");
}

static void
push_packet (GstPad *pad, guint32 ssrc, guint16 seq)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (10, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_unmap (&rtp);
  fail_unless_equals_int (gst_pad_push (pad, packet), GST_FLOW_OK);
}

static gpointer
push_packets (gpointer data)
{
  for (guint16 seq = 0; !g_atomic_int_get (&ended); seq++) {
    push_packet (data, SSRC, seq);
    counter_add (&n_pushed);
    g_usleep (20); /* or they fill the jitter buffer */
  }
  return NULL;
}

static void
push_events (GstPad *pad)
{
  GstSegment segment;
  GstCaps *caps = make_caps (NULL, 0, 0, NULL);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("stream"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

typedef struct
{
  GstElement *bin, *rtpbin;
  GstRtpTfrcReceive *receive;
  GstPad *src, *sink;
  TfrcJitterBuffers *buffers;
} Fixture;

static void
fixture_init (Fixture *self)
{
  self->bin = gst_pipeline_new (NULL);
  self->rtpbin = gst_element_factory_make ("rtpbin", NULL);
  self->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_bin_add (GST_BIN (self->bin), self->rtpbin);
  g_signal_connect (self->rtpbin, "request-pt-map", G_CALLBACK (make_caps),
      NULL);
  self->receive = make_receive ();
  self->buffers = tfrc_jitter_buffers_new (self->bin, self->rtpbin,
      self->receive);
  self->sink = gst_element_request_pad_simple (self->rtpbin, "recv_rtp_sink_0");
  fail_unless_equals_int (gst_pad_link (self->src, self->sink),
      GST_PAD_LINK_OK);
}

static void
fixture_start (Fixture *self)
{
  gst_element_set_state (self->bin, GST_STATE_PLAYING);
  gst_pad_set_active (self->src, TRUE);
  push_events (self->src);
}

static void
fixture_stop (Fixture *self, GstState state)
{
  tfrc_jitter_buffers_clear_all (self->buffers);
  gst_element_set_state (self->bin, state);
  gst_pad_set_active (self->src, FALSE);
}

static void
fixture_clear (Fixture *self)
{
  fixture_stop (self, GST_STATE_NULL);
  tfrc_jitter_buffers_free (self->buffers);
  gst_object_unref (self->receive);
  gst_object_unref (self->sink);
  gst_object_unref (self->src);
  gst_object_unref (self->bin);
}

/* For a thread of rtpbin's, however long that takes. */
static void
wait_for_more_than (gint *counter, gint n)
{
  g_mutex_lock (&lock);
  while (g_atomic_int_get (counter) <= n)
    g_cond_wait (&counted, &lock);
  g_mutex_unlock (&lock);
}

/* rtpssrcdemux makes the next pads of an SSRC under the names of those that it
 * removes: it complains where a packet comes in between. */
GST_START_TEST (an_ssrc_is_cleared_while_its_packets_come)
{
  static const GstState between[] = { GST_STATE_READY, GST_STATE_NULL,
    GST_STATE_NULL };
  GThread *thread;
  Fixture f;

  fixture_init (&f);
  for (guint run = 0; run < G_N_ELEMENTS (between); run++) {
    tfrc_jitter_buffers_begin_run (f.buffers);
    fixture_start (&f);
    g_atomic_int_set (&n_gone, 0);
    g_atomic_int_set (&ended, FALSE);
    thread = g_thread_new ("packets", push_packets, f.src);
    for (gint i = 0; i < TIMES; i++) {
      tfrc_jitter_buffers_clear_later (f.buffers, SSRC);
      wait_for_more_than (&n_gone, i);
      /* Its packets come again. */
      wait_for_more_than (&n_pushed, g_atomic_int_get (&n_pushed) + 1);
    }
    g_atomic_int_set (&ended, TRUE);
    g_thread_join (thread);
    fixture_stop (&f, between[run]);
  }
  fixture_clear (&f);
}

GST_END_TEST;

/* Its thread comes so late; the SSRC is that of a sender that just went on. */
GST_START_TEST (what_a_run_has_to_clear_is_nothing_to_the_next)
{
  GstElement *bin = gst_pipeline_new (NULL);
  GstElement *rtpbin = gst_element_factory_make ("rtpbin", NULL);
  GstRtpTfrcReceive *receive = make_receive ();
  TfrcJitterBuffers *buffers;

  gst_bin_add (GST_BIN (bin), rtpbin);
  buffers = tfrc_jitter_buffers_new (bin, rtpbin, receive);
  newest.keeps = TRUE;
  for (gint run = 0; run < 2; run++) {
    n_gone = 0;
    tfrc_jitter_buffers_clear_later (buffers, SSRC);
    if (run == 1)
      tfrc_jitter_buffers_begin_run (buffers);
    newest.function (bin, newest.data);
    fail_unless_equals_int (n_gone, run == 0);
    g_free (newest.data);
  }
  newest.keeps = FALSE;
  tfrc_jitter_buffers_free (buffers);
  gst_object_unref (receive);
  gst_object_unref (bin);
}

GST_END_TEST;

static void
note_dropout_time (GstElement *rtpbin, GstElement *buffer, guint session,
    guint ssrc, guint *dropout_time)
{
  g_object_get (buffer, "max-dropout-time", dropout_time, NULL);
  counter_add (&n_made);
}

/* Of a time it would take as many packets as come in that at the newest rate, which
 * the timestamps of a few tell. */
GST_START_TEST (more_than_3000_missing_are_a_restart_at_any_rate)
{
  guint dropout_time = 1;
  GThread *thread;
  Fixture f;

  g_atomic_int_set (&n_made, 0);
  fixture_init (&f);
  g_signal_connect (f.rtpbin, "new-jitterbuffer",
      G_CALLBACK (note_dropout_time), &dropout_time);
  fixture_start (&f);
  g_atomic_int_set (&ended, FALSE);
  thread = g_thread_new ("packets", push_packets, f.src);
  wait_for_more_than (&n_made, 0);
  g_atomic_int_set (&ended, TRUE);
  g_thread_join (thread);
  fail_unless_equals_int (dropout_time, 0);
  fixture_clear (&f);
}

GST_END_TEST;

static void
count_made (GstElement *rtpbin, GstElement *buffer, guint session, guint ssrc,
    gpointer unused)
{
  n_made++;
}

static void
count_bye (GstElement *rtpbin, guint session, guint ssrc, gint *n_byes)
{
  fail_unless_equals_int (ssrc, STRAY);
  counter_add (n_byes);
}

typedef struct
{
  GstPad *source;
  gulong probe_id;
  gint reached, n_flushes;
} Block;

static GstPadProbeReturn
note_reached (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  counter_add (&((Block *) user_data)->reached);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
count_flush (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  ((Block *) user_data)->n_flushes++;
  return GST_PAD_PROBE_OK;
}

static void
block_source (GstElement *rtpbin, GstElement *buffer, guint session, guint ssrc,
    Block *block)
{
  block->source = gst_element_get_static_pad (buffer, "src");
  block->probe_id = gst_pad_add_probe (block->source,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      note_reached, block, NULL);
  gst_pad_add_probe (block->source, GST_PAD_PROBE_TYPE_EVENT_FLUSH, count_flush,
      block, NULL);
}

static void
flush (GstPad *pad)
{
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
}

/* It is about to let out its first event, and has caps and a segment behind that:
 * they come once, and rtpptdemux takes it that they have. */
GST_START_TEST (none_is_flushed_before_its_first_events_are_out)
{
  Block block = { NULL };
  GstEvent *segment = NULL;
  Fixture f;

  fixture_init (&f);
  g_signal_connect (f.rtpbin, "new-jitterbuffer", G_CALLBACK (block_source),
      &block);
  fixture_start (&f);
  push_packet (f.src, SSRC, 1);
  push_packet (f.src, SSRC, 2);
  wait_for_more_than (&block.reached, 0);
  flush (f.src);
  fail_unless_equals_int (block.n_flushes, 0);
  gst_pad_remove_probe (block.source, block.probe_id);
  while (!segment) {
    segment = gst_pad_get_sticky_event (block.source, GST_EVENT_SEGMENT, 0);
    g_thread_yield ();
  }
  gst_event_unref (segment);
  flush (f.src);
  fail_unless_equals_int (block.n_flushes, 2);
  gst_object_unref (block.source);
  fixture_clear (&f);
}

GST_END_TEST;

/* The second goes on: it is in probation no more. */
static void
push_pair (GstPad *pad, guint32 ssrc)
{
  push_packet (pad, ssrc, 1);
  push_packet (pad, ssrc, 2);
}

/* An SSRC that nobody knows goes for the 65th that comes, from the rtpsession too, to
 * which it says BYE.  From then on nobody clears any of 200 until one makes room. */
GST_START_TEST (there_are_eight_more_than_streams_at_most)
{
  GstPad *rtcp_sink;
  gint n_byes = 0;
  Fixture f;

  fixture_init (&f);
  g_signal_connect (f.rtpbin, "new-jitterbuffer", G_CALLBACK (count_made),
      NULL);
  g_signal_connect (f.rtpbin, "on-bye-ssrc", G_CALLBACK (count_bye), &n_byes);
  rtcp_sink = gst_element_request_pad_simple (f.rtpbin, "recv_rtcp_sink_0");
  fixture_start (&f);
  n_gone = n_made = 0;
  push_pair (f.src, STRAY);
  for (guint i = 1; i < TFRC_MAX_STREAMS; i++)
    push_pair (f.src, SSRC + i);
  fail_unless_equals_int (n_made, TFRC_MAX_STREAMS);
  fail_unless_equals_int (n_gone, 0);
  push_pair (f.src, SSRC);
  wait_for_more_than (&n_byes, 0);
  for (guint i = TFRC_MAX_STREAMS; i < 200 || n_made < TFRC_MAX_STREAMS + 9;
      i++)
    push_pair (f.src, SSRC + i);
  fail_unless_equals_int (n_made, TFRC_MAX_STREAMS + 9);
  fail_unless_equals_int (n_gone, 1);
  g_signal_handlers_disconnect_by_data (f.rtpbin, &n_byes);
  tfrc_jitter_buffers_clear_later (f.buffers, SSRC);
  while (n_made == TFRC_MAX_STREAMS + 9) {
    push_pair (f.src, STRAY - 1);
    g_thread_yield ();
  }
  fail_unless_equals_int (n_made, TFRC_MAX_STREAMS + 10);
  gst_object_unref (rtcp_sink);
  fixture_clear (&f);
}

GST_END_TEST;

static Suite *
tfrcjitterbuffers_suite (void)
{
  Suite *suite = suite_create ("tfrcjitterbuffers");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, an_ssrc_is_cleared_while_its_packets_come);
  tcase_add_test (tcase, what_a_run_has_to_clear_is_nothing_to_the_next);
  tcase_add_test (tcase, none_is_flushed_before_its_first_events_are_out);
  tcase_add_test (tcase, there_are_eight_more_than_streams_at_most);
  tcase_add_test (tcase, more_than_3000_missing_are_a_restart_at_any_rate);
  return suite;
}

GST_CHECK_MAIN (tfrcjitterbuffers);
