/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pads of tfrcsink: which names and payload types they may have, and that what
 * happens to one leaves the others alone.  Packets go to a port where nobody listens, one a second
 * (RFC 5348 section 4.2). */

#include "bins/bin.h"
#include "waiter.h"

#include <gst/check/gstcheck.h>
#include <gst/rtp/rtp.h>
#include <gst/video/video.h>

#define MAX_PADS 4
#define SSRC 0x1000
#define PAYLOAD_SIZE 100
/* Nobody reports: the fourth packet leaves after 4 s, one in 3 s from then on. */
#define WAIT (30 * G_TIME_SPAN_SECOND)

#define VIDEO "media=video, clock-rate=90000, encoding-name=VP8"
#define AUDIO "media=audio, clock-rate=48000, encoding-name=OPUS"

static GstElement *
make_sink (void)
{
  GST_ELEMENT_REGISTER (tfrcsink, NULL);
  return gst_object_ref_sink (gst_element_factory_make ("tfrcsink", NULL));
}

/* What feeds a pad. */
typedef struct
{
  GstElement *sink;
  GstPad *pad; /* of the sink */
  GstPad *src;
  guint32 ssrc;
  guint16 seq;
  guint n_asked; /* key frames; under the lock */
  gint n_pushed; /* atomic */
} Feed;

typedef struct
{
  GstElement *sink;
  Feed feeds[MAX_PADS];
  guint n;
  GArray *left; /* numbers of what rtptfrcsend gave out; under the lock */
} Fixture;

static GMutex lock;
static GCond changed;

/* Until the counter is n, with the lock held. */
static void
wait_for (const guint *counter, guint n)
{
  const gint64 end = g_get_monotonic_time () + WAIT;

  while (*counter < n && g_cond_wait_until (&changed, &lock, end))
    ;
  fail_unless (*counter == n, "%u of %u", *counter, n);
}

static gboolean
on_upstream_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Feed *feed = gst_pad_get_element_private (pad);

  if (gst_video_event_is_force_key_unit (event)) {
    g_mutex_lock (&lock);
    feed->n_asked++;
    g_cond_broadcast (&changed);
    g_mutex_unlock (&lock);
  }
  gst_event_unref (event);
  return TRUE;
}

static void
feed_init (Feed *self, GstElement *sink, guint32 ssrc)
{
  *self = (Feed) { .sink = sink, .ssrc = ssrc };
  self->pad = gst_element_request_pad_simple (sink, "sink_%u");
  self->src = gst_pad_new (NULL, GST_PAD_SRC);
  gst_pad_set_element_private (self->src, self);
  gst_pad_set_event_function (self->src, on_upstream_event);
  gst_pad_set_active (self->src, TRUE);
  fail_unless_equals_int (gst_pad_link (self->src, self->pad), GST_PAD_LINK_OK);
}

static void
feed_release (Feed *self)
{
  gst_pad_unlink (self->src, self->pad);
  gst_element_release_request_pad (self->sink, self->pad);
  gst_clear_object (&self->pad);
}

static void
feed_clear (Feed *self)
{
  if (self->pad)
    feed_release (self);
  gst_object_unref (self->src);
}

static void
push_caps (Feed *self, const gchar *fields)
{
  gchar *string = g_strdup_printf ("application/x-rtp, payload=96, %s", fields);
  GstCaps *caps = gst_caps_from_string (string);

  gst_pad_push_event (self->src, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  g_free (string);
}

static void
push_segment (Feed *self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->src, gst_event_new_segment (&segment));
}

static void
begin (Feed *self, const gchar *fields)
{
  gchar *id = g_strdup_printf ("stream-%u", self->ssrc);

  gst_pad_push_event (self->src, gst_event_new_stream_start (id));
  push_caps (self, fields);
  push_segment (self);
  g_free (id);
}

static GstFlowReturn
push (Feed *self, guint payload_size)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload_size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, self->ssrc);
  gst_rtp_buffer_set_seq (&rtp, self->seq);
  gst_rtp_buffer_set_timestamp (&rtp, self->seq++ * 3000);
  memset (gst_rtp_buffer_get_payload (&rtp), 0x11, payload_size);
  gst_rtp_buffer_unmap (&rtp);
  g_atomic_int_inc (&self->n_pushed);
  return gst_pad_push (self->src, buffer);
}

static void
note_left (Fixture *self, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 seq;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  seq = gst_rtp_buffer_get_seq (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  g_mutex_lock (&lock);
  g_array_append_val (self->left, seq);
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static GstPadProbeReturn
on_left (GstPad *pad, GstPadProbeInfo *info, gpointer fixture)
{
  GstBufferList *list;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    note_left (fixture, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  }
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    note_left (fixture, gst_buffer_list_get (list, i));
  return GST_PAD_PROBE_OK;
}

static GstPad *
get_output (Fixture *self)
{
  GstElement *send = gst_bin_get_by_name (GST_BIN (self->sink), "rtptfrcsend");
  GstPad *pad = gst_element_get_static_pad (send, "src");

  gst_object_unref (send);
  return pad;
}

static void
fixture_init (Fixture *self, guint n, GstState state)
{
  GstPad *output;

  *self = (Fixture) { .sink = make_sink (), .n = n };
  self->left = g_array_new (FALSE, FALSE, sizeof (guint16));
  /* A rate at which a few packets leave at once. */
  g_object_set (self->sink, "port", 9, "sync", FALSE, "max-queue-time", 10000,
      "start-bitrate", 1000000, NULL);
  output = get_output (self);
  gst_pad_add_probe (output,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_left, self,
      NULL);
  gst_object_unref (output);
  for (guint i = 0; i < n; i++)
    feed_init (&self->feeds[i], self->sink, SSRC + i);
  fail_unless (gst_element_set_state (self->sink, state)
      != GST_STATE_CHANGE_FAILURE);
}

static void
fixture_clear (Fixture *self)
{
  gst_element_set_state (self->sink, GST_STATE_NULL);
  for (guint i = 0; i < self->n; i++)
    feed_clear (&self->feeds[i]);
  gst_object_unref (self->sink);
  g_array_unref (self->left);
}

/* The numbers of n packets that left, all there is. */
static void
assert_left_without_hole (Fixture *self, guint n)
{
  g_mutex_lock (&lock);
  wait_for (&self->left->len, n);
  g_mutex_unlock (&lock);
  for (guint i = 1; i < n; i++)
    fail_unless_equals_int (g_array_index (self->left, guint16, i),
        (guint16) (g_array_index (self->left, guint16, 0) + i));
}

/* Another spelling of a pad's number is that pad. */
GST_START_TEST (a_number_is_given_to_one_pad_alone)
{
  GstElement *sink = make_sink ();
  GstPad *pad = gst_element_request_pad_simple (sink, "sink_3"), *next;

  fail_unless_equals_string (GST_PAD_NAME (pad), "sink_3");
  fail_unless (gst_element_request_pad_simple (sink, "sink_03") == NULL);
  fail_unless_equals_int (sink->numsinkpads, 1);
  next = gst_element_request_pad_simple (sink, "sink_%u");
  fail_unless_equals_string (GST_PAD_NAME (next), "sink_4");
  gst_object_unref (pad);
  gst_object_unref (next);
  gst_object_unref (sink);
}

GST_END_TEST;

static void
send_caps (GstPad *src, gint payload_type)
{
  GstCaps *caps = gst_caps_new_simple ("application/x-rtp",
      "media", G_TYPE_STRING, "video", "clock-rate", G_TYPE_INT, 90000,
      "encoding-name", G_TYPE_STRING, "H264",
      "payload", G_TYPE_INT, payload_type, NULL);

  gst_pad_set_active (src, TRUE);
  gst_pad_push_event (src, gst_event_new_stream_start ("test"));
  gst_pad_push_event (src, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

/* What a pad that is free to choose is offered first. */
static gint
get_offer (GstPad *pad)
{
  GstCaps *caps = gst_pad_query_caps (pad, NULL);
  gint type = -1;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload", &type);
  gst_caps_unref (caps);
  return type;
}

static guint
count_warnings (GstElement *sink)
{
  GstBus *bus = gst_element_get_bus (sink);
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    n++;
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return n;
}

/* The types of the streams of a run are those of its caps. */
GST_START_TEST (each_run_has_its_own_payload_types)
{
  /* 112 is RTX of 111 to a receiver without SDP: the 17th stream of a sender. */
  static const gint types[][2] = { { 96, 96 }, { 111, 112 }, { 112, 111 },
    { 110, 112 } };
  static const GstState between[] = { GST_STATE_READY, GST_STATE_NULL,
    GST_STATE_NULL };
  GstElement *sink = make_sink ();
  GstPad *src[2], *pads[2];
  GstBus *bus = gst_bus_new ();
  guint i, run;

  gst_element_set_bus (sink, bus);
  for (i = 0; i < 2; i++) {
    src[i] = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));
    pads[i] = gst_element_request_pad_simple (sink, "sink_%u");
    fail_unless_equals_int (gst_pad_link (src[i], pads[i]), GST_PAD_LINK_OK);
  }
  for (run = 0; run < G_N_ELEMENTS (between); run++) {
    gst_element_set_state (sink, GST_STATE_PAUSED);
    fail_unless_equals_int (get_offer (pads[1]), -1);
    send_caps (src[0], types[__i__][0]);
    fail_unless_equals_int (count_warnings (sink), 0);
    send_caps (src[1], types[__i__][1]);
    fail_unless_equals_int (count_warnings (sink), __i__ == 3 ? 0 : 1);
    for (i = 0; i < 2; i++)
      gst_pad_set_active (src[i], FALSE);
    gst_element_set_state (sink, between[run]);
  }
  for (i = 0; i < 2; i++) {
    gst_object_unref (src[i]);
    gst_object_unref (pads[i]);
  }
  gst_element_set_bus (sink, NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
}

GST_END_TEST;

static gpointer
flush_often (gpointer data)
{
  Feed *feed = data;

  begin (feed, VIDEO);
  for (guint i = 0; i < 1000; i++) {
    gst_pad_push_event (feed->src, gst_event_new_flush_start ());
    gst_pad_push_event (feed->src, gst_event_new_flush_stop (FALSE));
    push_segment (feed);
    push (feed, PAYLOAD_SIZE);
  }
  return NULL;
}

/* Each waits for the task that another one starts. */
GST_START_TEST (pads_that_flush_at_once_do_not_stop_each_other)
{
  GThread *threads[MAX_PADS];
  Fixture f;

  fixture_init (&f, __i__, GST_STATE_PLAYING);
  for (guint i = 0; i < f.n; i++)
    threads[i] = g_thread_new ("flush", flush_often, &f.feeds[i]);
  for (guint i = 0; i < f.n; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < f.n; i++)
    fail_unless_equals_int (push (&f.feeds[i], PAYLOAD_SIZE), GST_FLOW_OK);
  fixture_clear (&f);
}

GST_END_TEST;

/* It never gets its FLUSH_STOP. */
GST_START_TEST (a_pad_that_goes_while_it_flushes_leaves_the_others_alone)
{
  Fixture f;

  fixture_init (&f, 2, GST_STATE_PLAYING);
  for (guint i = 0; i < 2; i++)
    begin (&f.feeds[i], VIDEO);
  push (&f.feeds[0], PAYLOAD_SIZE);
  gst_pad_push_event (f.feeds[1].src, gst_event_new_flush_start ());
  feed_release (&f.feeds[1]);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (push (&f.feeds[0], PAYLOAD_SIZE), GST_FLOW_OK);
  assert_left_without_hole (&f, 4);
  fixture_clear (&f);
}

GST_END_TEST;

/* The other pad goes on, with what it has in the queue. */
GST_START_TEST (a_flush_is_of_its_pad_alone)
{
  Fixture f;

  fixture_init (&f, 2, GST_STATE_PAUSED);
  for (guint i = 0; i < 2; i++)
    begin (&f.feeds[i], VIDEO);
  push (&f.feeds[0], PAYLOAD_SIZE);
  gst_pad_push_event (f.feeds[1].src, gst_event_new_flush_start ());
  fail_unless_equals_int (push (&f.feeds[0], PAYLOAD_SIZE), GST_FLOW_OK);
  gst_pad_push_event (f.feeds[1].src, gst_event_new_flush_stop (FALSE));
  fail_unless_equals_int (push (&f.feeds[0], PAYLOAD_SIZE), GST_FLOW_OK);
  gst_element_set_state (f.sink, GST_STATE_PLAYING);
  assert_left_without_hole (&f, 3);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (the_end_of_the_run_before_does_not_count)
{
  Fixture f;

  fixture_init (&f, 2, GST_STATE_PLAYING);
  for (guint i = 0; i < 2; i++) {
    begin (&f.feeds[i], VIDEO);
    gst_pad_push_event (f.feeds[i].src, gst_event_new_eos ());
  }
  gst_element_set_state (f.sink, GST_STATE_READY);
  gst_element_set_state (f.sink, GST_STATE_PLAYING);
  begin (&f.feeds[0], VIDEO);
  gst_pad_push_event (f.feeds[0].src, gst_event_new_eos ());
  begin (&f.feeds[1], VIDEO);
  fail_unless_equals_int (push (&f.feeds[1], PAYLOAD_SIZE), GST_FLOW_OK);
  assert_left_without_hole (&f, 1);
  fixture_clear (&f);
}

GST_END_TEST;

static gpointer
push_until_refused (gpointer data)
{
  Feed *feed = data;

  while (push (feed, 1400) == GST_FLOW_OK)
    ;
  return NULL;
}

/* 1 MiB waits before PLAYING, 737 packets of 1400 bytes and 24 of headers: nobody takes
 * the next. */
GST_START_TEST (a_pad_goes_while_its_stream_waits_for_room)
{
  Waiter stream;
  Fixture f;

  fixture_init (&f, 2, GST_STATE_PAUSED);
  begin (&f.feeds[0], VIDEO);
  begin (&f.feeds[1], VIDEO);
  waiter_start (&stream, push_until_refused, &f.feeds[0]);
  fail_unless (waiter_waits (&stream, 1));
  fail_unless_equals_int (g_atomic_int_get (&f.feeds[0].n_pushed), 738);
  feed_release (&f.feeds[0]);
  waiter_join (&stream);
  fixture_clear (&f);
}

GST_END_TEST;

/* Video and audio whose caps have no ssrc, as of a udpsrc: a key frame is asked of the
 * pad that the stream comes in at, and none of audio. */
GST_START_TEST (a_stream_has_the_caps_of_its_pad)
{
  GstPad *output;
  Fixture f;

  fixture_init (&f, 3, GST_STATE_PLAYING);
  begin (&f.feeds[0], AUDIO);
  begin (&f.feeds[1], VIDEO);
  begin (&f.feeds[2], VIDEO);
  output = get_output (&f);
  for (guint i = 0; i < 3; i++)
    push (&f.feeds[i], PAYLOAD_SIZE);
  for (guint i = 0; i < 2; i++) {
    GstEvent *event =
        gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
            0);

    gst_structure_set (gst_event_writable_structure (event), "ssrc",
        G_TYPE_UINT, f.feeds[i].ssrc, NULL);
    gst_pad_send_event (output, event);
  }
  g_mutex_lock (&lock);
  wait_for (&f.feeds[1].n_asked, 1);
  fail_unless_equals_int (f.feeds[0].n_asked, 0);
  fail_unless_equals_int (f.feeds[2].n_asked, 0);
  g_mutex_unlock (&lock);
  gst_object_unref (output);
  fixture_clear (&f);
}

GST_END_TEST;

/* Under the same SSRC, its numbers again from 0, with caps that say so or without: the
 * receiver sees one stream. */
GST_START_TEST (a_stream_that_starts_again_goes_on_with_our_numbers)
{
  const gchar *fields = __i__ == 0
      ? VIDEO ", ssrc=(uint)4096, seqnum-base=(uint)0"
      : VIDEO;
  Fixture f;

  fixture_init (&f, 1, GST_STATE_PLAYING);
  for (guint run = 0; run < 2; run++) {
    f.feeds[0].seq = 0;
    begin (&f.feeds[0], fields);
    for (guint i = 0; i < 2; i++)
      push (&f.feeds[0], PAYLOAD_SIZE);
  }
  assert_left_without_hole (&f, 4);
  fixture_clear (&f);
}

GST_END_TEST;

static gint stress_over; /* atomic */

static gpointer
change_caps (gpointer data)
{
  Feed *feed = data;

  while (!g_atomic_int_get (&stress_over)) {
    gchar *fields = g_strdup_printf (VIDEO ", ssrc=(uint)%u", feed->ssrc);

    begin (feed, fields);
    g_free (fields);
    push (feed, PAYLOAD_SIZE);
    feed->ssrc += MAX_PADS;
  }
  return NULL;
}

/* Threads of four streams, of which one flushes and others come with new SSRCs all
 * the time, and pads that come and go. */
GST_START_TEST (streams_start_flush_and_go_in_threads_of_their_own)
{
  GThread *threads[MAX_PADS];
  Fixture f;

  g_atomic_int_set (&stress_over, FALSE);
  fixture_init (&f, MAX_PADS, GST_STATE_NULL);
  /* Few leave: the RTCP thread of rtpsession 1.22 goes wrong over many new SSRCs. */
  g_object_set (f.sink, "start-bitrate", 300000, NULL);
  gst_element_set_state (f.sink, GST_STATE_PLAYING);
  threads[0] = g_thread_new ("flush", flush_often, &f.feeds[0]);
  for (guint i = 1; i < MAX_PADS; i++)
    threads[i] = g_thread_new ("caps", change_caps, &f.feeds[i]);
  for (guint i = 0; i < 300; i++) {
    Feed feed;

    feed_init (&feed, f.sink, SSRC - 1);
    begin (&feed, AUDIO);
    push (&feed, PAYLOAD_SIZE);
    feed_clear (&feed);
  }
  g_thread_join (threads[0]);
  g_atomic_int_set (&stress_over, TRUE);
  for (guint i = 1; i < MAX_PADS; i++)
    g_thread_join (threads[i]);
  fixture_clear (&f);
}

GST_END_TEST;

static Suite *
tfrcsinkpads_suite (void)
{
  Suite *suite = suite_create ("tfrcsinkpads");
  TCase *names = tcase_create ("names");
  TCase *streams = tcase_create ("streams");

  tcase_add_test (names, a_number_is_given_to_one_pad_alone);
  tcase_add_loop_test (names, each_run_has_its_own_payload_types, 0, 4);
  suite_add_tcase (suite, names);
  tcase_add_loop_test (streams, pads_that_flush_at_once_do_not_stop_each_other,
      2, MAX_PADS + 1);
  tcase_add_test (streams,
      a_pad_that_goes_while_it_flushes_leaves_the_others_alone);
  tcase_add_test (streams, a_flush_is_of_its_pad_alone);
  tcase_add_test (streams, the_end_of_the_run_before_does_not_count);
  tcase_add_test (streams, a_pad_goes_while_its_stream_waits_for_room);
  tcase_add_test (streams, a_stream_has_the_caps_of_its_pad);
  tcase_add_loop_test (streams,
      a_stream_that_starts_again_goes_on_with_our_numbers, 0, 2);
  tcase_add_test (streams, streams_start_flush_and_go_in_threads_of_their_own);
  suite_add_tcase (suite, streams);
  return suite;
}

GST_CHECK_MAIN (tfrcsinkpads);
