/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pads of tfrcsink: which names they may have. */

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

static Suite *
tfrcsinkpads_suite (void)
{
  Suite *suite = suite_create ("tfrcsinkpads");
  TCase *names = tcase_create ("names");

  tcase_add_test (names, a_number_is_given_to_one_pad_alone);
  suite_add_tcase (suite, names);
  return suite;
}

GST_CHECK_MAIN (tfrcsinkpads);
