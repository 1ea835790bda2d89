/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtptfrcreceive does when the branch behind its rtcp_src refuses the
 * reports. */

#include "receive/fixture.h"

/* What the branch returns, and what is posted for it, once until a report is
 * taken again. */
static const struct
{
  GstFlowReturn flow;
  GstMessageType posted;
} refusals[] = {
  { GST_FLOW_NOT_LINKED, 0 },
  { GST_FLOW_FLUSHING, 0 },
  { GST_FLOW_EOS, GST_MESSAGE_WARNING },
  { GST_FLOW_NOT_NEGOTIATED, GST_MESSAGE_ERROR },
  { GST_FLOW_NOT_SUPPORTED, GST_MESSAGE_ERROR },
  { GST_FLOW_ERROR, GST_MESSAGE_ERROR },
  { GST_FLOW_CUSTOM_ERROR, GST_MESSAGE_ERROR },
};

/* The receiver, its bus, and what the branch answers. */
typedef struct
{
  Fixture receiver;
  GstBus *bus;
  gint flow;   /* atomic */
  gint pushed; /* atomic */
} Branch;

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Branch *self = gst_pad_get_element_private (pad);

  gst_buffer_unref (buffer);
  g_atomic_int_inc (&self->pushed);
  return g_atomic_int_get (&self->flow);
}

static void
branch_init (Branch *self)
{
  memset (self, 0, sizeof (*self));
  fixture_init (&self->receiver, EXTENSION_CAPS);
  /* So that the task always has something to sleep for. */
  g_object_set (self->receiver.element, "stats-interval", 3600 * 1000, NULL);
  self->bus = gst_bus_new ();
  gst_element_set_bus (self->receiver.element, self->bus);
  gst_pad_set_element_private (self->receiver.rtcp->sinkpad, self);
  gst_pad_set_chain_function (self->receiver.rtcp->sinkpad, chain);
}

static void
branch_clear (Branch *self)
{
  gst_element_set_bus (self->receiver.element, NULL);
  gst_object_unref (self->bus);
  fixture_clear (&self->receiver);
}

/* A packet comes in, and a report of it is pushed at once or one RTT after the
 * last; then the task sleeps again. */
static void
report (Branch *self, GstFlowReturn flow)
{
  gint pushed = g_atomic_int_get (&self->pushed);
  TfrcTime next;

  g_atomic_int_set (&self->flow, flow);
  fixture_push_packet (&self->receiver);
  while (next = fixture_wait_for_sleep (&self->receiver),
      g_atomic_int_get (&self->pushed) == pushed) {
    if (next <= fixture_get_time (&self->receiver) + RTT)
      fixture_crank (&self->receiver);
  }
  fixture_wait_for_sleep (&self->receiver);
}

/* Takes what the element has posted; how many of `type`.  Warnings and errors
 * are to be of that type, and to name the pad and `named`. */
static guint
count_messages (Branch *self, GstMessageType type, const gchar *named)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop (self->bus)) != NULL) {
    GstMessageType is = GST_MESSAGE_TYPE (message);
    GError *error = NULL;

    if (is == GST_MESSAGE_WARNING)
      gst_message_parse_warning (message, &error, NULL);
    if (is == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    if (error) {
      fail_unless_equals_int (is, type);
      fail_unless (strstr (error->message, named) != NULL, "%s",
          error->message);
      fail_unless (strstr (error->message, "rtcp_src") != NULL, "%s",
          error->message);
      g_error_free (error);
    }
    n += is == type;
    gst_message_unref (message);
  }
  return n;
}

/* Reports go on, are told of once, and of the next time again. */
GST_START_TEST (reports_go_on_after_the_branch_has_refused_some)
{
  GstFlowReturn flow = refusals[__i__].flow;
  guint expected = refusals[__i__].posted != 0 ? 1 : 0;
  Branch self;
  gint i;

  branch_init (&self);
  report (&self, GST_FLOW_OK);
  for (i = 0; i < 2; i++) {
    report (&self, flow);
    report (&self, flow);
    fail_unless_equals_int (count_messages (&self, refusals[__i__].posted,
                                gst_flow_get_name (flow)),
        expected);
    report (&self, GST_FLOW_OK);
    fail_unless_equals_int (count_messages (&self, GST_MESSAGE_WARNING, ""), 0);
  }
  fail_unless_equals_uint64 (fixture_get_counter (&self.receiver,
                                 "rtcp-packets"),
      7);
  branch_clear (&self);
}

GST_END_TEST;

GST_START_TEST (stats_messages_go_on_while_the_branch_refuses)
{
  Branch self;
  guint i;

  branch_init (&self);
  g_object_set (self.receiver.element, "stats-interval", 1000, NULL);
  report (&self, refusals[__i__].flow);
  count_messages (&self, refusals[__i__].posted, "");
  for (i = 1; i <= 3; i++) {
    while (fixture_wait_for_sleep (&self.receiver) <= (1 + i) * TFRC_SECOND)
      fixture_crank (&self.receiver);
    fail_unless_equals_int (count_messages (&self, GST_MESSAGE_ELEMENT, ""), 1);
  }
  branch_clear (&self);
}

GST_END_TEST;

/* A refusal of the run before is forgotten: one of the new run is told of. */
GST_START_TEST (a_restart_reports_again)
{
  GstFlowReturn flow = refusals[__i__].flow;
  Branch self;

  branch_init (&self);
  report (&self, flow);
  count_messages (&self, refusals[__i__].posted, "");
  gst_element_set_state (self.receiver.element, GST_STATE_READY);
  gst_element_set_state (self.receiver.element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (self.receiver.rtp, EXTENSION_CAPS);
  report (&self, flow);
  fail_unless_equals_int (count_messages (&self, refusals[__i__].posted,
                              gst_flow_get_name (flow)),
      refusals[__i__].posted != 0 ? 1 : 0);
  report (&self, GST_FLOW_OK);
  fail_unless_equals_uint64 (fixture_get_counter (&self.receiver,
                                 "rtcp-packets"),
      2);
  branch_clear (&self);
}

GST_END_TEST;

/* After a report that the timer made the task sleeps until the next: packets need
 * not wake it.  Where none came it sleeps on, and none is made. */
GST_START_TEST (packets_of_a_steady_flow_wake_nobody)
{
  Branch self;
  TfrcTime next;

  branch_init (&self);
  report (&self, GST_FLOW_OK);
  fail_unless (fixture_wait_for_sleep (&self.receiver)
      > fixture_get_time (&self.receiver) + RTT);
  report (&self, GST_FLOW_OK);
  next = fixture_get_time (&self.receiver) + RTT;
  fail_unless_equals_uint64 (fixture_wait_for_sleep (&self.receiver), next);
  fixture_crank (&self.receiver);
  fail_unless (fixture_wait_for_sleep (&self.receiver) > next + RTT);
  fail_unless_equals_int (g_atomic_int_get (&self.pushed), 2);
  branch_clear (&self);
}

GST_END_TEST;

static Suite *
tfrcreporter_suite (void)
{
  Suite *suite = suite_create ("tfrcreporter");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, reports_go_on_after_the_branch_has_refused_some,
      0, G_N_ELEMENTS (refusals));
  tcase_add_loop_test (tcase, stats_messages_go_on_while_the_branch_refuses, 0,
      G_N_ELEMENTS (refusals));
  tcase_add_loop_test (tcase, a_restart_reports_again, 0,
      G_N_ELEMENTS (refusals));
  tcase_add_test (tcase, packets_of_a_steady_flow_wake_nobody);
  return suite;
}

GST_CHECK_MAIN (tfrcreporter);
