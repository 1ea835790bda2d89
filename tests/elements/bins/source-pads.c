/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source pads of tfrcsrc while pads of rtpbin come and go in several
 * threads.  One is stopped where it logs which stream has come: it has the pad,
 * and is about to link it. */

#include "bins/source-pads.h"

#include "bins/gsttfrcsrc.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/rtp.h>

#define PAUSE (600 * GST_MSECOND) /* above that after which a pad is free */

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u",
    GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS ("application/x-rtp"));

/* Of the thread that is stopped. */
static struct
{
  GMutex lock;
  GCond cond;
  GThread *thread;
  gboolean reached;
  gboolean go;
} stop;

typedef struct
{
  GstElement *bin;
  GstElement *rtpbin;
  TfrcSourcePads *streams;
  GstTestClock *clock; /* the system's */
} Fixture;

static void
ignore (GstElement *bin, guint ssrc)
{
}

/* The newest that left. */
static struct
{
  TfrcRtpHeader header;
  GstClockTime pts;
  gboolean follows_hole;
} departure;

static void
note_departure (GstElement *bin, const TfrcRtpHeader *header, GstClockTime pts,
    gboolean follows_hole)
{
  departure.header = *header;
  departure.pts = pts;
  departure.follows_hole = follows_hole;
}

static void
on_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer user_data)
{
  const gchar *text = gst_debug_message_get (message);

  g_mutex_lock (&stop.lock);
  if (stop.thread == g_thread_self () && !stop.reached && text
      && g_str_has_prefix (text, "event=stream")) {
    stop.reached = TRUE;
    g_cond_broadcast (&stop.cond);
    while (!stop.go)
      g_cond_wait (&stop.cond, &stop.lock);
  }
  g_mutex_unlock (&stop.lock);
}

static void
fixture_init (Fixture *self)
{
  self->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_system_clock_set_default (GST_CLOCK (self->clock));
  /* Has the debug category. */
  GST_ELEMENT_REGISTER (tfrcsrc, NULL);
  gst_object_unref (gst_element_factory_make ("tfrcsrc", NULL));
  self->bin = gst_object_ref_sink (gst_bin_new (NULL));
  self->rtpbin = gst_element_factory_make ("rtpbin", NULL);
  gst_bin_add (GST_BIN (self->bin), self->rtpbin);
  self->streams = tfrc_source_pads_new (self->bin, self->rtpbin, &src_template,
      ignore, ignore, note_departure);
  stop.reached = stop.go = FALSE;
  stop.thread = NULL;
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_for_name ("tfrcsrc", GST_LEVEL_INFO);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (on_log, NULL, NULL);
}

static void
let_go (void)
{
  g_mutex_lock (&stop.lock);
  stop.go = TRUE;
  g_cond_broadcast (&stop.cond);
  g_mutex_unlock (&stop.lock);
}

static void
on_bin_gone (gpointer streams, GObject *bin)
{
  tfrc_source_pads_free (streams);
  let_go ();
}

/* As tfrcsrc does, when nothing that runs asynchronously has the bin. */
static void
fixture_clear (Fixture *self)
{
  gst_debug_remove_log_function (on_log);
  gst_debug_set_default_threshold (GST_LEVEL_NONE);
  g_mutex_lock (&stop.lock);
  stop.go = FALSE;
  g_mutex_unlock (&stop.lock);
  g_object_weak_ref (G_OBJECT (self->bin), on_bin_gone, self->streams);
  gst_object_unref (self->bin);
  g_mutex_lock (&stop.lock);
  while (!stop.go)
    g_cond_wait (&stop.cond, &stop.lock);
  g_mutex_unlock (&stop.lock);
  gst_system_clock_set_default (NULL);
  gst_object_unref (self->clock);
}

/* Of rtpbin, with payload type 96. */
static GstPad *
make_pad (guint ssrc)
{
  gchar *name = g_strdup_printf ("recv_rtp_src_0_%u_96", ssrc);
  GstPad *pad = gst_object_ref_sink (gst_pad_new (name, GST_PAD_SRC));

  g_free (name);
  gst_pad_set_active (pad, TRUE);
  return pad;
}

static void
wait_for_thread (void)
{
  g_mutex_lock (&stop.lock);
  while (!stop.reached)
    g_cond_wait (&stop.cond, &stop.lock);
  g_mutex_unlock (&stop.lock);
}

typedef struct
{
  GstElement *rtpbin;
  GstPad *pad;
} Coming;

static gpointer
add_pad (gpointer data)
{
  Coming *coming = data;

  g_mutex_lock (&stop.lock);
  stop.thread = g_thread_self ();
  g_mutex_unlock (&stop.lock);
  gst_element_add_pad (coming->rtpbin, coming->pad);
  return NULL;
}

static void
assert_target (const Fixture *self, GstPad *wanted)
{
  GstPad *ghost = gst_element_get_static_pad (self->bin, "src_96");
  GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (ghost));

  fail_unless (target == wanted);
  gst_clear_object (&target);
  gst_object_unref (ghost);
}

GST_START_TEST (a_pad_that_goes_takes_the_target_along)
{
  GstPad *old = make_pad (1), *new = make_pad (2);
  Fixture f;

  fixture_init (&f);
  gst_element_add_pad (f.rtpbin, old);
  assert_target (&f, old);
  gst_element_remove_pad (f.rtpbin, old);
  assert_target (&f, NULL);
  gst_element_add_pad (f.rtpbin, new);
  assert_target (&f, new);
  fixture_clear (&f);
  gst_object_unref (old);
  gst_object_unref (new);
}

GST_END_TEST;

/* Its thread was stopped for so long that another SSRC has the pad, or that its
 * own has gone. */
GST_START_TEST (a_pad_that_comes_late_does_not_undo_what_came_after)
{
  GstPad *first = make_pad (1), *late = make_pad (2), *next = make_pad (3);
  Coming coming;
  GThread *thread;
  Fixture f;

  fixture_init (&f);
  coming.rtpbin = f.rtpbin;
  coming.pad = late;
  gst_element_add_pad (f.rtpbin, first);
  gst_element_remove_pad (f.rtpbin, first);
  thread = g_thread_new ("add", add_pad, &coming);
  wait_for_thread ();
  if (__i__ == 0) {
    gst_test_clock_advance_time (f.clock, PAUSE);
    gst_element_add_pad (f.rtpbin, next);
  } else {
    gst_element_remove_pad (f.rtpbin, late);
  }
  let_go ();
  g_thread_join (thread);
  assert_target (&f, __i__ == 0 ? next : NULL);

  fixture_clear (&f);
  gst_object_unref (first);
  gst_object_unref (late);
  gst_object_unref (next);
}

GST_END_TEST;

static GstBuffer *
make_packet (guint ssrc, guint16 seq)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (10, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, 3000u * seq);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_PTS (packet) = seq * GST_MSECOND;
  return packet;
}

/* Numbers 1 and 2 are missing, then as many as may be; one more, or a step back, is
 * a restart (RFC 3550 appendix A.1). */
GST_START_TEST (it_tells_of_each_packet_that_leaves_and_of_holes)
{
  static const struct
  {
    guint16 seq;
    gboolean follows_hole;
  } packets[] = { { 65535, FALSE }, { 0, FALSE }, { 3, TRUE }, { 4, FALSE },
    { 5 + 2999, TRUE }, { 3005 + 3000, FALSE }, { 6006, FALSE }, { 7, FALSE } };
  GstElement *buffer =
      gst_object_ref_sink (gst_element_factory_make ("rtpjitterbuffer", NULL));
  GstPad *pad = make_pad (1);
  GstSegment segment;
  Fixture f;
  guint i;

  fixture_init (&f);
  g_signal_emit_by_name (f.rtpbin, "new-jitterbuffer", buffer, 0u, 1u);
  gst_element_add_pad (f.rtpbin, pad);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("test"));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  for (i = 0; i < G_N_ELEMENTS (packets); i++) {
    guint16 seq = packets[i].seq;

    fail_unless_equals_int (gst_pad_push (pad, make_packet (1, seq)),
        GST_FLOW_OK);
    fail_unless_equals_int (departure.header.ssrc, 1);
    fail_unless_equals_int (departure.header.payload_type, 96);
    fail_unless_equals_int (departure.header.seq, seq);
    fail_unless_equals_int (departure.header.timestamp, 3000u * seq);
    fail_unless_equals_uint64 (departure.pts, seq * GST_MSECOND);
    fail_unless_equals_int (departure.follows_hole, packets[i].follows_hole);
  }
  fixture_clear (&f);
  gst_object_unref (pad);
  gst_object_unref (buffer);
}

GST_END_TEST;

static Suite *
tfrcstreams_suite (void)
{
  Suite *suite = suite_create ("tfrcstreams");
  TCase *races = tcase_create ("races"), *departures;

  tcase_add_test (races, a_pad_that_goes_takes_the_target_along);
  tcase_add_loop_test (races,
      a_pad_that_comes_late_does_not_undo_what_came_after, 0, 2);
  suite_add_tcase (suite, races);
  departures = tcase_create ("departures");
  tcase_add_test (departures, it_tells_of_each_packet_that_leaves_and_of_holes);
  suite_add_tcase (suite, departures);
  return suite;
}

GST_CHECK_MAIN (tfrcstreams);
