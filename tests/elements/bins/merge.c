/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads of the merge that go while their threads push. */

#include "bins/merge.h"

#include <gst/check/gstcheck.h>
#include <gst/rtp/rtp.h>

#define CAPS \
  "application/x-rtp, media=(string)video, payload=(int)96, " \
  "clock-rate=(int)90000, encoding-name=(string)H264"

typedef struct
{
  TfrcMerge *merge;
  GstElement *funnel;
  GstPad *src; /* feeds `pad` */
  GstPad *pad; /* of the merge */
  GMutex lock; /* guards what follows */
  GCond cond;
  gboolean is_held; /* the thread of `pad` */
} Fixture;

static GstPadProbeReturn
on_held (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Fixture *self = user_data;

  g_mutex_lock (&self->lock);
  self->is_held = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

/* In the thread of the pad, which gets this pad of the funnel instead of the
 * one that it has: a blocked pad holds the thread until it is deactivated. */
static void
on_pad_of_funnel (GstElement *funnel, GstPad *added, Fixture *self)
{
  gst_pad_add_probe (self->pad,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, on_held, self,
      NULL);
  fail_unless_equals_int (gst_pad_chain (self->pad,
                              gst_rtp_buffer_new_allocate (10, 0, 0)),
      GST_FLOW_FLUSHING);
}

static void
fixture_init (Fixture *self)
{
  *self = (Fixture) { .merge = tfrc_merge_new () };
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->funnel =
      gst_bin_get_by_name (GST_BIN (tfrc_merge_get_element (self->merge)),
          "rtpfunnel");
  gst_element_set_state (tfrc_merge_get_element (self->merge),
      GST_STATE_PAUSED);
  self->pad = gst_object_ref (tfrc_merge_add_pad (self->merge));
  self->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_active (self->src, TRUE);
  fail_unless_equals_int (gst_pad_link (self->src, self->pad), GST_PAD_LINK_OK);
}

static void
fixture_clear (Fixture *self)
{
  gst_object_unref (self->src);
  gst_object_unref (self->pad);
  gst_object_unref (self->funnel);
  gst_element_set_state (tfrc_merge_get_element (self->merge), GST_STATE_NULL);
  tfrc_merge_free (self->merge);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->lock);
}

/* With the second segment the pad starts anew behind the funnel. */
static gpointer
push_segments (gpointer data)
{
  GstPad *src = data;
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (src, gst_event_new_stream_start ("stream"));
  gst_pad_push_event (src, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_pad_push_event (src, gst_event_new_segment (&segment));
  segment.base = 1;
  gst_pad_push_event (src, gst_event_new_segment (&segment));
  return NULL;
}

/* Which pad of the funnel it has is known when its thread is out of it. */
GST_START_TEST (a_removed_pad_leaves_no_pad_of_the_funnel)
{
  GThread *thread;
  Fixture f;

  fixture_init (&f);
  fail_unless_equals_int (f.funnel->numsinkpads, 1);
  g_signal_connect (f.funnel, "pad-added", G_CALLBACK (on_pad_of_funnel), &f);
  thread = g_thread_new ("stream", push_segments, f.src);
  g_mutex_lock (&f.lock);
  while (!f.is_held)
    g_cond_wait (&f.cond, &f.lock);
  g_mutex_unlock (&f.lock);
  tfrc_merge_remove_pad (f.merge, f.pad);
  g_thread_join (thread);
  fail_unless_equals_int (f.funnel->numsinkpads, 0);
  fixture_clear (&f);
}

GST_END_TEST;

/* From an appsrc or a udpsrc whose application sets none. */
GST_START_TEST (packets_without_caps_are_rtp)
{
  GstSegment segment;
  GstPad *target;
  GstCaps *caps;
  Fixture f;

  fixture_init (&f);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (f.src, gst_event_new_stream_start ("stream"));
  gst_pad_push_event (f.src, gst_event_new_segment (&segment));
  fail_unless_equals_int (gst_pad_push (f.src,
                              gst_rtp_buffer_new_allocate (10, 0, 0)),
      GST_FLOW_NOT_LINKED);
  target = gst_ghost_pad_get_target (GST_GHOST_PAD (f.pad));
  caps = gst_pad_get_current_caps (target);
  fail_unless (gst_structure_has_name (gst_caps_get_structure (caps, 0),
      "application/x-rtp"));
  gst_caps_unref (caps);
  gst_object_unref (target);
  fixture_clear (&f);
}

GST_END_TEST;

static Suite *
merge_suite (void)
{
  Suite *suite = suite_create ("merge");
  TCase *pads = tcase_create ("pads");

  tcase_add_test (pads, a_removed_pad_leaves_no_pad_of_the_funnel);
  tcase_add_test (pads, packets_without_caps_are_rtp);
  suite_add_tcase (suite, pads);
  return suite;
}

GST_CHECK_MAIN (merge);
