/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pads of tfrcsink: which names and payload types they may have. */

#include "bins/gsttfrcsink.h"

#include <gst/check/gstcheck.h>

static GstElement *
make_sink (void)
{
  GST_ELEMENT_REGISTER (tfrcsink, NULL);
  return gst_object_ref_sink (gst_element_factory_make ("tfrcsink", NULL));
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
    send_caps (src[0], 96);
    fail_unless_equals_int (count_warnings (sink), 0);
    send_caps (src[1], 96);
    fail_unless_equals_int (count_warnings (sink), 1);
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

static Suite *
tfrcsinkpads_suite (void)
{
  Suite *suite = suite_create ("tfrcsinkpads");
  TCase *names = tcase_create ("names");

  tcase_add_test (names, a_number_is_given_to_one_pad_alone);
  tcase_add_test (names, each_run_has_its_own_payload_types);
  suite_add_tcase (suite, names);
  return suite;
}

GST_CHECK_MAIN (tfrcsinkpads);
