/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sink pads of tfrcsink that come and go while their threads stream. */

#include "bins/gsttfrcsink.h"

#include <gst/check/gstcheck.h>
#include <gst/rtp/rtp.h>

#define CAPS \
  "application/x-rtp, media=(string)video, payload=(int)96, " \
  "clock-rate=(int)90000, encoding-name=(string)H264"
#define ROUNDS 200

/* In PAUSED, where nothing leaves, without waiting for PLAYING. */
static GstElement *
make_sink (void)
{
  GstElement *sink = gst_object_ref_sink (g_object_new (GST_TYPE_TFRC_SINK,
      "sync", FALSE, NULL));

  fail_if (gst_element_set_state (sink, GST_STATE_PAUSED)
      == GST_STATE_CHANGE_FAILURE);
  return sink;
}

static guint
count_funnel_pads (GstElement *sink)
{
  GstIterator *funnels =
      gst_bin_iterate_all_by_element_factory_name (GST_BIN (sink), "rtpfunnel");
  GValue value = G_VALUE_INIT;
  GstElement *funnel;
  guint n_pads;

  fail_unless_equals_int (gst_iterator_next (funnels, &value), GST_ITERATOR_OK);
  funnel = g_value_get_object (&value);
  GST_OBJECT_LOCK (funnel);
  n_pads = funnel->numsinkpads;
  GST_OBJECT_UNLOCK (funnel);
  g_value_unset (&value);
  gst_iterator_free (funnels);
  return n_pads;
}

/* Each segment makes the pad start anew behind the funnel. */
static gpointer
stream_segments (gpointer data)
{
  GstPad *src = data;
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstSegment segment;
  guint n = 0;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (src, gst_event_new_stream_start ("stream"));
  gst_pad_push_event (src, gst_event_new_caps (caps));
  do {
    segment.base = n++;
    gst_pad_push_event (src, gst_event_new_segment (&segment));
  } while (gst_pad_push (src, gst_rtp_buffer_new_allocate (10, 0, 0))
      == GST_FLOW_OK);
  gst_caps_unref (caps);
  return NULL;
}

/* Its thread was about to give it another pad of the funnel: which one it had
 * was read before that. */
GST_START_TEST (a_released_pad_leaves_no_pad_of_the_funnel)
{
  GstElement *sink = make_sink ();

  for (guint i = 0; i < ROUNDS; i++) {
    GstPad *pad = gst_element_request_pad_simple (sink, "sink_%u");
    GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
    GThread *thread;

    gst_pad_set_active (src, TRUE);
    fail_unless_equals_int (gst_pad_link (src, pad), GST_PAD_LINK_OK);
    thread = g_thread_new ("stream", stream_segments, src);
    g_usleep (200 + 37 * (i % 50));
    gst_element_release_request_pad (sink, pad);
    gst_object_unref (pad);
    g_thread_join (thread);
    gst_object_unref (src);
    fail_unless_equals_int (count_funnel_pads (sink), 0);
  }
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_object_unref (sink);
}

GST_END_TEST;

static Suite *
tfrcmerge_suite (void)
{
  Suite *suite = suite_create ("tfrcmerge");
  TCase *pads = tcase_create ("pads");

  tcase_add_test (pads, a_released_pad_leaves_no_pad_of_the_funnel);
  suite_add_tcase (suite, pads);
  return suite;
}

GST_CHECK_MAIN (tfrcmerge);
