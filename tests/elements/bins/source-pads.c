/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source pads of tfrcsrc while pads of rtpbin come and go in several
 * threads.  One is stopped where it logs which stream has come: it has the pad,
 * and is about to link it. */

#include "bins/source-pads.h"

#include "bins/bin.h"
#include "common/stats.h"

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
  GstRtpTfrcReceive *receive;
  TfrcJitterBuffers *buffers;
  TfrcSourcePads *streams;
  GstTestClock *clock; /* the system's */
} Fixture;

static guint n_attached;

static void
count_attached (GstElement *bin)
{
  n_attached++;
}

/* The newest packet that was lost for good. */
static struct
{
  guint32 ssrc;
  guint16 seq;
} lost;

/* Stands before that of the element. */
void __wrap_gst_rtp_tfrc_receive_on_unrepaired (GstRtpTfrcReceive *receive,
    guint32 ssrc, guint16 seq);

void
__wrap_gst_rtp_tfrc_receive_on_unrepaired (GstRtpTfrcReceive *receive,
    guint32 ssrc, guint16 seq)
{
  lost.ssrc = ssrc;
  lost.seq = seq;
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
  self->receive = gst_object_ref_sink (g_object_new (GST_TYPE_RTP_TFRC_RECEIVE,
      NULL));
  self->buffers = tfrc_jitter_buffers_new (self->bin, self->rtpbin,
      self->receive);
  self->streams = tfrc_source_pads_new (self->bin, self->rtpbin, self->receive,
      self->buffers, &src_template, count_attached);
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
on_bin_gone (gpointer user_data, GObject *bin)
{
  Fixture *self = user_data;

  tfrc_source_pads_free (self->streams);
  tfrc_jitter_buffers_free (self->buffers);
  gst_object_unref (self->receive);
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
  g_object_weak_ref (G_OBJECT (self->bin), on_bin_gone, self);
  gst_object_unref (self->bin);
  g_mutex_lock (&stop.lock);
  while (!stop.go)
    g_cond_wait (&stop.cond, &stop.lock);
  g_mutex_unlock (&stop.lock);
  gst_system_clock_set_default (NULL);
  gst_object_unref (self->clock);
}

/* Of rtpbin. */
static GstPad *
make_pad_of_type (guint ssrc, guint payload_type)
{
  gchar *name = g_strdup_printf ("recv_rtp_src_0_%u_%u", ssrc, payload_type);
  GstPad *pad = gst_object_ref_sink (gst_pad_new (name, GST_PAD_SRC));

  g_free (name);
  gst_pad_set_active (pad, TRUE);
  return pad;
}

static GstPad *
make_pad (guint ssrc)
{
  return make_pad_of_type (ssrc, 96);
}

/* What rtpbin does in PAUSED to READY, and tfrcsrc after that. */
static void
begin_run (const Fixture *self)
{
  GList *pads = g_list_copy (self->rtpbin->srcpads);

  for (GList *walk = pads; walk; walk = walk->next)
    gst_element_remove_pad (self->rtpbin, walk->data);
  g_list_free (pads);
  tfrc_source_pads_begin_run (self->streams);
  tfrc_jitter_buffers_begin_run (self->buffers);
  n_attached = 0;
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
  Fixture f;

  fixture_init (&f);
  for (guint run = 0; run < 2; run++) {
    GstPad *old = make_pad (1), *new = make_pad (2);

    begin_run (&f);
    gst_element_add_pad (f.rtpbin, old);
    assert_target (&f, old);
    gst_element_remove_pad (f.rtpbin, old);
    assert_target (&f, NULL);
    gst_element_add_pad (f.rtpbin, new);
    assert_target (&f, new);
    gst_object_unref (old);
    gst_object_unref (new);
  }
  fixture_clear (&f);
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

static void
begin_segment (GstPad *pad)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("test"));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

/* With it a segment has begun. */
static void
begin (const Fixture *self, GstPad *pad)
{
  gst_element_add_pad (self->rtpbin, pad);
  begin_segment (pad);
}

static void
note_blocked (GstPad *pad, GstPad *peer, gpointer blocked)
{
  GstPad *source = g_object_get_data (G_OBJECT (pad), "source");

  *(gboolean *) blocked = gst_pad_is_blocked (source);
}

/* Stops what is on its way from a jitter buffer to its pad. */
static GstFlowReturn
pass_later (GstPad *pad, GstObject *parent, GstBuffer *packet)
{
  g_mutex_lock (&stop.lock);
  stop.reached = TRUE;
  g_cond_broadcast (&stop.cond);
  while (!stop.go)
    g_cond_wait (&stop.cond, &stop.lock);
  g_mutex_unlock (&stop.lock);
  return gst_pad_push (gst_pad_get_element_private (pad), packet);
}

static gpointer
push_one (gpointer source)
{
  return GINT_TO_POINTER (gst_pad_push (source, make_packet (1, 1)));
}

/* For longer than the pad is kept for who sends nothing.  Nothing would take it. */
GST_START_TEST (a_pad_is_kept_while_a_packet_is_on_its_way_to_it)
{
  GstElement *buffer =
      gst_object_ref_sink (gst_element_factory_make ("identity", NULL));
  GstPad *source = gst_element_get_static_pad (buffer, "src");
  GstPad *between = gst_pad_new ("between", GST_PAD_SINK);
  GstPad *old = make_pad (1), *new = make_pad (2);
  GThread *thread;
  Fixture f;

  fixture_init (&f);
  g_signal_emit_by_name (f.rtpbin, "new-jitterbuffer", buffer, 0u, 1u);
  begin (&f, old);
  gst_pad_set_element_private (between, old);
  gst_pad_set_chain_function (between, pass_later);
  gst_pad_set_active (between, TRUE);
  gst_pad_set_active (source, TRUE);
  fail_unless_equals_int (gst_pad_link (source, between), GST_PAD_LINK_OK);
  begin_segment (source);
  thread = g_thread_new ("packet", push_one, source);
  wait_for_thread ();
  gst_test_clock_advance_time (f.clock, PAUSE);
  begin (&f, new);
  if (__i__ == 1)
    gst_pad_push (new, make_packet (2, 1));
  assert_target (&f, old);
  let_go ();
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
      GST_FLOW_OK);
  gst_test_clock_advance_time (f.clock, PAUSE);
  gst_pad_push (new, make_packet (2, 2));
  assert_target (&f, new);

  fixture_clear (&f);
  gst_object_unref (old);
  gst_object_unref (new);
  gst_object_unref (between);
  gst_object_unref (source);
  gst_object_unref (buffer);
}

GST_END_TEST;

/* Nothing took what it lets out, and its chain would say so from then on.  In the
 * second run the new stream had to wait. */
GST_START_TEST (a_jitter_buffer_lets_nothing_out_once_another_has_its_pad)
{
  GstElement *buffer =
      gst_object_ref_sink (gst_element_factory_make ("rtpjitterbuffer", NULL));
  GstPad *source = gst_element_get_static_pad (buffer, "src");
  GstPad *old = make_pad (1), *new = make_pad (2);
  gboolean blocked = FALSE;
  Fixture f;

  fixture_init (&f);
  g_signal_emit_by_name (f.rtpbin, "new-jitterbuffer", buffer, 0u, 1u);
  gst_element_add_pad (f.rtpbin, old);
  g_object_set_data (G_OBJECT (old), "source", source);
  g_signal_connect (old, "unlinked", G_CALLBACK (note_blocked), &blocked);
  if (__i__ == 0)
    gst_test_clock_advance_time (f.clock, PAUSE);
  begin (&f, new);
  if (__i__ == 1) {
    gst_test_clock_advance_time (f.clock, PAUSE);
    gst_pad_push (new, make_packet (2, 1));
  }
  assert_target (&f, new);
  fail_unless (blocked);
  fixture_clear (&f);
  gst_object_unref (new);
  gst_object_unref (old);
  gst_object_unref (source);
  gst_object_unref (buffer);
}

GST_END_TEST;

static GstCaps *
make_caps (GstElement *buffer, guint payload_type)
{
  return gst_caps_from_string ("application/x-rtp, clock-rate=90000");
}

/* Against a latency of 1 s, which leaves time enough to the packet that left last with
 * that PTS. */
static void
assert_departure (const Fixture *self, guint16 seq, GstClockTime pts)
{
  const TfrcRtpHeader header = {
    .payload_type = 96, .ssrc = 1, .seq = seq, .timestamp = 3000u * seq
  };
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SRC);
  guint64 before, late;

  g_mutex_lock (tfrc_jitter_buffers_get_lock (self->buffers));
  tfrc_jitter_buffers_on_arrival (self->buffers, &header, pts + GST_SECOND);
  tfrc_jitter_buffers_add_stats (self->buffers, stats);
  gst_structure_get_uint64 (stats, "packets-too-late", &before);
  g_mutex_lock (tfrc_jitter_buffers_get_lock (self->buffers));
  tfrc_jitter_buffers_on_arrival (self->buffers, &header, pts + GST_SECOND + 1);
  tfrc_jitter_buffers_add_stats (self->buffers, stats);
  gst_structure_get_uint64 (stats, "packets-too-late", &late);
  fail_unless_equals_uint64 (late, before + 1);
  gst_structure_free (stats);
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
  Fixture f;
  guint run, i;

  fixture_init (&f);
  g_signal_connect (buffer, "request-pt-map", G_CALLBACK (make_caps), NULL);
  tfrc_jitter_buffers_set_latency (f.buffers, 1000);
  for (run = 0; run < 2; run++) {
    GstPad *pad = make_pad (1);

    begin_run (&f);
    g_signal_emit_by_name (f.rtpbin, "new-jitterbuffer", buffer, 0u, 1u);
    begin (&f, pad);
    for (i = 0; i < G_N_ELEMENTS (packets); i++) {
      guint16 seq = packets[i].seq;

      lost.ssrc = 0;
      fail_unless_equals_int (gst_pad_push (pad, make_packet (1, seq)),
          GST_FLOW_OK);
      assert_departure (&f, seq, seq * GST_MSECOND);
      fail_unless_equals_int (lost.ssrc, packets[i].follows_hole);
      if (packets[i].follows_hole)
        fail_unless_equals_int (lost.seq, seq - 1);
    }
    gst_object_unref (pad);
  }
  fixture_clear (&f);
  gst_object_unref (buffer);
}

GST_END_TEST;

static GstFlowReturn
answer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return *(GstFlowReturn *) gst_pad_get_element_private (pad);
}

/* What the application has linked: it answers with *flow. */
static GstPad *
link_branch (const Fixture *self, const gchar *name, GstFlowReturn *flow)
{
  GstPad *ghost = gst_element_get_static_pad (self->bin, name);
  GstPad *branch = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));

  gst_pad_set_chain_function (branch, answer);
  gst_pad_set_element_private (branch, flow);
  gst_pad_set_active (branch, TRUE);
  fail_unless_equals_int (gst_pad_link (ghost, branch), GST_PAD_LINK_OK);
  gst_object_unref (ghost);
  return branch;
}

static GstPadProbeReturn
note_time (GstPad *pad, GstPadProbeInfo *info, gpointer newest)
{
  *(GstClockTime *) newest = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static GstClockTime
from_us (gint us)
{
  return us < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime) us * GST_USECOND;
}

/* A jitter buffer gives one time to frames that come ever earlier, and a parser then none
 * to the second.  A frame shown before the one it follows keeps its time, and so does
 * what begins anew or has none. */
GST_START_TEST (each_frame_has_a_time_of_its_own)
{
  static const struct
  {
    guint32 timestamp;
    gint us, shown_us; /* -1 = none */
  } packets[] = { { 3000, 20000, 20000 }, { 6000, 20000, 21000 },
    { 6000, 20000, 21000 }, { 9000, 20500, 22000 }, { 12000, 50000, 50000 },
    { 18000, 110000, 110000 }, { 15000, 80000, 80000 },
    { 21000, 140000, 140000 }, { 24000, 139000, 141000 },
    { 27000, 10000000, 10000000 }, { 30000, 33000, 33000 }, { 33000, -1, -1 },
    { 36000, -1, -1 }, { 39000, 33000, 34000 } };
  GstFlowReturn flow = GST_FLOW_OK;
  GstClockTime newest = 0;
  GstPad *branch, *pad = make_pad (1);
  Fixture f;

  fixture_init (&f);
  begin_run (&f);
  begin (&f, pad);
  branch = link_branch (&f, "src_96", &flow);
  gst_pad_add_probe (branch, GST_PAD_PROBE_TYPE_BUFFER, note_time, &newest,
      NULL);
  for (guint i = 0; i < G_N_ELEMENTS (packets); i++) {
    GstBuffer *packet = make_packet (1, (guint16) i);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
    gst_rtp_buffer_set_timestamp (&rtp, packets[i].timestamp);
    gst_rtp_buffer_unmap (&rtp);
    GST_BUFFER_PTS (packet) = from_us (packets[i].us);
    fail_unless_equals_int (gst_pad_push (pad, packet), GST_FLOW_OK);
    fail_unless_equals_uint64 (newest, from_us (packets[i].shown_us));
  }
  /* Another stream takes the pad. */
  gst_element_remove_pad (f.rtpbin, pad);
  gst_object_unref (pad);
  pad = make_pad (2);
  begin (&f, pad);
  gst_pad_push (pad, make_packet (2, 20));
  fail_unless_equals_uint64 (newest, 20 * GST_MSECOND);
  gst_object_unref (pad);
  fixture_clear (&f);
  gst_object_unref (branch);
}

GST_END_TEST;

/* Neither when the application stops it, nor when it has had enough, before all
 * have; an error is one.  Who has had enough may take the first packets of a
 * frame. */
GST_START_TEST (a_branch_stops_no_other_stream)
{
  static const struct
  {
    GstFlowReturn first, second, told;
  } cases[] = {
    { GST_FLOW_OK, GST_FLOW_OK, GST_FLOW_OK },
    { GST_FLOW_NOT_LINKED, GST_FLOW_NOT_LINKED, GST_FLOW_OK },
    { GST_FLOW_FLUSHING, GST_FLOW_OK, GST_FLOW_OK },
    { GST_FLOW_ERROR, GST_FLOW_OK, GST_FLOW_ERROR },
    { GST_FLOW_EOS, GST_FLOW_OK, GST_FLOW_OK },
    { GST_FLOW_OK, GST_FLOW_EOS, GST_FLOW_OK },
    { GST_FLOW_EOS, GST_FLOW_OK, GST_FLOW_EOS },
  };
  GstFlowReturn first, second;
  GstPad *branches[2], *pads[2];
  Fixture f;
  guint run, i;

  fixture_init (&f);
  for (run = 0; run < 2; run++) {
    begin_run (&f);
    begin (&f, pads[0] = make_pad_of_type (1, 96));
    begin (&f, pads[1] = make_pad_of_type (2, 97));
    if (run == 0) {
      branches[0] = link_branch (&f, "src_96", &first);
      branches[1] = link_branch (&f, "src_97", &second);
    }
    for (i = 0; i < G_N_ELEMENTS (cases); i++) {
      first = cases[i].first;
      second = cases[i].second;
      gst_pad_push (pads[1], make_packet (2, (guint16) i));
      fail_unless_equals_int (gst_pad_push (pads[0],
                                  make_packet (1, (guint16) i)),
          cases[i].told);
    }
    gst_object_unref (pads[0]);
    gst_object_unref (pads[1]);
  }
  fixture_clear (&f);
  for (i = 0; i < 2; i++)
    gst_object_unref (branches[i]);
}

GST_END_TEST;

GST_START_TEST (what_is_linked_anew_has_not_ended)
{
  GstFlowReturn ended = GST_FLOW_EOS, taken = GST_FLOW_OK;
  GstPad *pads[] = { make_pad_of_type (1, 96), make_pad_of_type (2, 97) };
  GstPad *first, *second, *next, *ghost;
  Fixture f;

  fixture_init (&f);
  begin (&f, pads[0]);
  begin (&f, pads[1]);
  first = link_branch (&f, "src_96", &ended);
  second = link_branch (&f, "src_97", &ended);
  fail_unless_equals_int (gst_pad_push (pads[0], make_packet (1, 1)),
      GST_FLOW_OK);
  ghost = gst_pad_get_peer (first);
  gst_pad_unlink (ghost, first);
  next = link_branch (&f, "src_96", &taken);
  fail_unless_equals_int (gst_pad_push (pads[1], make_packet (2, 1)),
      GST_FLOW_OK);
  fixture_clear (&f);
  gst_object_unref (ghost);
  gst_object_unref (next);
  gst_object_unref (second);
  gst_object_unref (first);
  gst_object_unref (pads[0]);
  gst_object_unref (pads[1]);
}

GST_END_TEST;

/* As when the whole element stops. */
GST_START_TEST (a_pad_that_is_stopped_says_so)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstPad *pad = make_pad (1), *branch, *ghost;
  Fixture f;

  fixture_init (&f);
  begin (&f, pad);
  branch = link_branch (&f, "src_96", &flow);
  ghost = gst_element_get_static_pad (f.bin, "src_96");
  gst_pad_set_active (ghost, FALSE);
  fail_unless_equals_int (gst_pad_push (pad, make_packet (1, 1)),
      GST_FLOW_FLUSHING);
  fixture_clear (&f);
  gst_object_unref (ghost);
  gst_object_unref (branch);
  gst_object_unref (pad);
}

GST_END_TEST;

static void
add_and_remove (const Fixture *self, guint ssrc, guint payload_type)
{
  GstPad *pad = make_pad_of_type (ssrc, payload_type);

  gst_element_add_pad (self->rtpbin, pad);
  gst_element_remove_pad (self->rtpbin, pad);
  gst_object_unref (pad);
}

/* The pads stay, and count once they have a stream again, whoever sends it. */
GST_START_TEST (each_run_begins_with_pads_that_have_no_stream)
{
  GstPad *pad;
  Fixture f;

  fixture_init (&f);
  begin_run (&f);
  add_and_remove (&f, 1, 96);
  add_and_remove (&f, 2, 96);
  fail_unless_equals_int (n_attached, 1);
  fail_unless (tfrc_source_pads_has (f.streams, 96));

  begin_run (&f);
  pad = gst_element_get_static_pad (f.bin, "src_96");
  fail_unless (pad != NULL);
  gst_object_unref (pad);
  fail_if (tfrc_source_pads_has (f.streams, 96));
  add_and_remove (&f, 3, 97);
  fail_unless_equals_int (n_attached, 1);
  fail_if (tfrc_source_pads_has (f.streams, 96));
  fail_unless (tfrc_source_pads_has (f.streams, 97));
  add_and_remove (&f, 4, 96);
  fail_unless_equals_int (n_attached, 2);
  fail_unless_equals_int (f.bin->numsrcpads, 2);
  fixture_clear (&f);
}

GST_END_TEST;

static Suite *
tfrcstreams_suite (void)
{
  Suite *suite = suite_create ("tfrcstreams");
  TCase *races = tcase_create ("races"), *departures, *flows, *runs;

  tcase_add_test (races, a_pad_that_goes_takes_the_target_along);
  tcase_add_loop_test (races,
      a_pad_that_comes_late_does_not_undo_what_came_after, 0, 2);
  tcase_add_loop_test (races,
      a_jitter_buffer_lets_nothing_out_once_another_has_its_pad, 0, 2);
  tcase_add_loop_test (races, a_pad_is_kept_while_a_packet_is_on_its_way_to_it,
      0, 2);
  suite_add_tcase (suite, races);
  departures = tcase_create ("departures");
  tcase_add_test (departures, it_tells_of_each_packet_that_leaves_and_of_holes);
  tcase_add_test (departures, each_frame_has_a_time_of_its_own);
  suite_add_tcase (suite, departures);
  flows = tcase_create ("flows");
  tcase_add_test (flows, a_branch_stops_no_other_stream);
  tcase_add_test (flows, what_is_linked_anew_has_not_ended);
  tcase_add_test (flows, a_pad_that_is_stopped_says_so);
  suite_add_tcase (suite, flows);
  runs = tcase_create ("runs");
  tcase_add_test (runs, each_run_begins_with_pads_that_have_no_stream);
  suite_add_tcase (suite, runs);
  return suite;
}

GST_CHECK_MAIN (tfrcstreams);
