/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose answers a delay leaves time for: those to requests that a path which reorders has
 * not made needless.  rtptfrcreceive and the jitter buffers are made up. */

#include "bins/repair.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#include "base/units.h"

#define CAPS \
  "application/x-rtp, media=video, clock-rate=90000, encoding-name=H264, " \
  "payload=96"
#define PAYLOAD_TYPE 96
#define SSRC 77
#define WAIT (20 * GST_MSECOND)
#define RTT (50 * GST_MSECOND)
#define HOLD (30 * GST_MSECOND)
#define DEADLINE GST_SECOND

static GMutex lock;
static GstClockTime hold, lacks;
static guint n_expected, n_waited_for;

void
gst_rtp_tfrc_receive_set_repairs (GstRtpTfrcReceive *self, gboolean requests,
    gboolean retransmits, gboolean uses_parity)
{
}

GstClockTime
gst_rtp_tfrc_receive_on_missing (GstRtpTfrcReceive *self, guint32 ssrc,
    guint16 seq, GstClockTime *time_left, GstClockTime longest,
    GstClockTime *held)
{
  fail_unless_equals_uint64 (*time_left, DEADLINE - WAIT);
  fail_unless_equals_uint64 (longest, 2 * DEADLINE - WAIT);
  *time_left += lacks;
  *held = hold;
  return RTT;
}

GMutex *
tfrc_jitter_buffers_get_lock (TfrcJitterBuffers *self)
{
  return &lock;
}

void
tfrc_jitter_buffers_on_arrival (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime arrival)
{
  g_mutex_unlock (&lock);
}

GstClockTime
tfrc_jitter_buffers_get_wait (TfrcJitterBuffers *self, GstClockTime due,
    GstClockTime delay)
{
  return delay;
}

GstClockTime
tfrc_jitter_buffers_get_longest (TfrcJitterBuffers *self)
{
  return 2 * DEADLINE;
}

void
tfrc_jitter_buffers_wait_for (TfrcJitterBuffers *self, GstClockTime lateness)
{
  fail_unless (g_mutex_trylock (&lock), "called with the lock held");
  g_mutex_unlock (&lock);
  fail_unless_equals_uint64 (lateness, DEADLINE + lacks);
  n_waited_for++;
}

void
tfrc_jitter_buffers_expect_answer (TfrcJitterBuffers *self, GstClockTime wait,
    GstClockTime rtt)
{
  fail_unless (g_mutex_trylock (&lock), "called with the lock held");
  g_mutex_unlock (&lock);
  fail_unless_equals_uint64 (wait, WAIT);
  fail_unless_equals_uint64 (rtt, RTT);
  n_expected++;
}

typedef struct
{
  GstElement *rtpbin;
  TfrcRepair *repair;
  GstHarness *harness;
} Fixture;

static void
begin_run (Fixture *self)
{
  tfrc_repair_begin_run (self->repair, GST_TFRC_RETRANSMISSION_AUTO, NULL,
      TRUE);
}

static void
fixture_init (Fixture *self)
{
  GstElement *aux = NULL;

  n_expected = n_waited_for = 0;
  hold = HOLD;
  lacks = 0;
  self->rtpbin = gst_element_factory_make ("rtpbin", NULL);
  self->repair = tfrc_repair_new (self->rtpbin, NULL, NULL);
  begin_run (self);
  g_signal_emit_by_name (self->rtpbin, "request-aux-receiver", 0, &aux);
  self->harness = gst_harness_new_with_element (aux, "sink_0", "src_0");
  gst_harness_set_src_caps_str (self->harness, CAPS);
  gst_object_unref (aux);
}

static void
fixture_clear (Fixture *self)
{
  gst_harness_teardown (self->harness);
  tfrc_repair_free (self->repair);
  gst_object_unref (self->rtpbin);
}

static void
come (Fixture *self, guint16 seq, GstClockTime at)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (10, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, PAYLOAD_TYPE);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_PTS (packet) = GST_BUFFER_DTS (packet) = at;
  fail_unless_equals_int (gst_harness_push (self->harness, packet),
      GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (self->harness));
}

static void
ask (Fixture *self, guint seq, GstClockTime due, guint retry)
{
  gst_harness_push_upstream_event (self->harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("GstRTPRetransmissionRequest", "ssrc", G_TYPE_UINT,
              SSRC, "seqnum", G_TYPE_UINT, seq, "running-time", G_TYPE_UINT64,
              due, "delay", G_TYPE_UINT, (guint) (WAIT / GST_MSECOND),
              "deadline", G_TYPE_UINT,
              (guint) (DEADLINE / GST_MSECOND), "retry", G_TYPE_UINT, retry,
              NULL)));
}

GST_START_TEST (a_late_one_counts_once_its_time_is_over)
{
  Fixture f;

  fixture_init (&f);
  come (&f, 1, GST_SECOND);
  ask (&f, 2, GST_SECOND, 0);
  come (&f, 3, GST_SECOND + WAIT + HOLD - 1);
  fail_unless_equals_int (n_expected, 0);
  come (&f, 4, GST_SECOND + WAIT + HOLD);
  fail_unless_equals_int (n_expected, 1);
  come (&f, 5, 2 * GST_SECOND);
  fail_unless_equals_int (n_expected, 1);
  fixture_clear (&f);
}
GST_END_TEST

GST_START_TEST (an_overtaken_one_does_not_count)
{
  Fixture f;

  fixture_init (&f);
  come (&f, 1, GST_SECOND);
  ask (&f, 2, GST_SECOND, 0);
  ask (&f, 3, GST_SECOND, 0);
  come (&f, 2, GST_SECOND + WAIT);
  come (&f, 4, 2 * GST_SECOND);
  fail_unless_equals_int (n_expected, 1); /* the other */
  fixture_clear (&f);
}
GST_END_TEST

GST_START_TEST (one_counts_at_once_where_nothing_is_overtaken)
{
  Fixture f;

  fixture_init (&f);
  hold = 0;
  come (&f, 1, GST_SECOND);
  ask (&f, 2, GST_SECOND, 0);
  fail_unless_equals_int (n_expected, 1);
  come (&f, 3, 2 * GST_SECOND);
  fail_unless_equals_int (n_expected, 1);
  fixture_clear (&f);
}
GST_END_TEST

/* That is how late the first answer is, or that it was lost. */
GST_START_TEST (a_second_request_does_not_count)
{
  Fixture f;

  fixture_init (&f);
  come (&f, 1, GST_SECOND);
  ask (&f, 2, GST_SECOND, 1);
  come (&f, 3, 2 * GST_SECOND);
  hold = 0;
  ask (&f, 2, GST_SECOND, 2);
  come (&f, 4, 3 * GST_SECOND);
  fail_unless_equals_int (n_expected, 0);
  fixture_clear (&f);
}
GST_END_TEST

/* Running time begins anew with each run. */
GST_START_TEST (requests_of_the_run_before_are_forgotten)
{
  Fixture f;

  fixture_init (&f);
  come (&f, 1, 60 * GST_SECOND);
  ask (&f, 2, 60 * GST_SECOND, 0);
  begin_run (&f);
  come (&f, 1, 0);
  ask (&f, 3, 0, 0);
  come (&f, 4, WAIT + HOLD);
  fail_unless_equals_int (n_expected, 1); /* that of this run */
  come (&f, 5, 61 * GST_SECOND);
  fail_unless_equals_int (n_expected, 1);
  fixture_clear (&f);
}
GST_END_TEST

/* The second one, too. */
GST_START_TEST (one_that_lacks_time_is_waited_for)
{
  Fixture f;

  fixture_init (&f);
  ask (&f, 1, GST_SECOND, 0);
  fail_unless_equals_int (n_waited_for, 0);
  lacks = 7 * GST_MSECOND;
  ask (&f, 1, GST_SECOND, 1);
  fail_unless_equals_int (n_waited_for, 1);
  fixture_clear (&f);
}
GST_END_TEST

static Suite *
repair_suite (void)
{
  Suite *suite = suite_create ("repair");
  TCase *tcase = tcase_create ("answers");

  tcase_add_test (tcase, a_late_one_counts_once_its_time_is_over);
  tcase_add_test (tcase, an_overtaken_one_does_not_count);
  tcase_add_test (tcase, one_counts_at_once_where_nothing_is_overtaken);
  tcase_add_test (tcase, a_second_request_does_not_count);
  tcase_add_test (tcase, requests_of_the_run_before_are_forgotten);
  tcase_add_test (tcase, one_that_lacks_time_is_waited_for);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (repair);
