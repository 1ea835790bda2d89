/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is seen upstream: through a funnel, and of payloaders. */

#include "encoder/upstream.h"

#include <gst/check/gstcheck.h>

/* A pad with caps in front of the funnel. */
static GstPad *
link_stream (GstElement *funnel, const gchar *caps_string)
{
  GstPad *src = gst_pad_new (NULL, GST_PAD_SRC);
  GstPad *sink = gst_element_request_pad_simple (funnel, "sink_%u");
  GstCaps *caps = gst_caps_from_string (caps_string);

  gst_pad_set_active (src, TRUE);
  fail_unless_equals_int (gst_pad_link (src, sink), GST_PAD_LINK_OK);
  gst_pad_push_event (src, gst_event_new_stream_start (caps_string));
  gst_pad_push_event (src, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_object_unref (sink);
  return src;
}

GST_START_TEST (the_caps_of_all_streams_are_found)
{
  GstElement *funnel = gst_element_factory_make ("rtpfunnel", NULL);
  GstPad *src = gst_element_get_static_pad (funnel, "src");
  GstPad *end = gst_pad_new (NULL, GST_PAD_SINK);
  GstPad *first = link_stream (funnel, "application/x-rtp, payload=3");
  GstPad *second = link_stream (funnel, "application/x-rtp, payload=40");
  GPtrArray *found;
  gint payload, sum = 0;

  fail_unless_equals_int (gst_pad_link (src, end), GST_PAD_LINK_OK);
  found = tfrc_upstream_find_caps (end);
  for (guint i = 0; i < found->len; i++) {
    gst_structure_get_int (gst_caps_get_structure (found->pdata[i], 0),
        "payload", &payload);
    sum += payload;
  }
  g_ptr_array_unref (found);
  fail_unless_equals_int (sum, 43);
  fail_unless_equals_int (tfrc_upstream_find_payload_type (end), -1);

  gst_object_unref (src);
  gst_object_unref (end);
  gst_object_unref (first);
  gst_object_unref (second);
  gst_object_unref (funnel);
}

GST_END_TEST;

/* A sink pad behind the elements, the last of which is called last. */
typedef struct
{
  GstElement *bin;
  GstPad *end;
} Fixture;

static void
fixture_init (Fixture *self, const gchar *elements)
{
  GstElement *last;
  GstPad *src;

  self->bin = gst_parse_bin_from_description (elements, FALSE, NULL);
  self->end = gst_pad_new (NULL, GST_PAD_SINK);
  last = gst_bin_get_by_name (GST_BIN (self->bin), "last");
  src = gst_element_get_static_pad (last, "src");
  fail_unless_equals_int (gst_pad_link (src, self->end), GST_PAD_LINK_OK);
  gst_object_unref (src);
  gst_object_unref (last);
}

static void
fixture_clear (Fixture *self)
{
  gst_object_unref (self->end);
  gst_object_unref (self->bin);
}

/* Elements that add FEC to RTP are of the class of payloaders, too. */
static const gchar *const behind_payloaders[] = {
  "rtph264pay name=pay pt=99 ! queue name=last",
  "rtph264pay name=pay pt=99 ! rtpulpfecenc name=last",
  "rtph264pay name=pay pt=99 ! rtpulpfecenc pt=122 ! rtpredenc pt=123 "
  "name=last",
};

GST_START_TEST (the_type_of_a_payloader_is_found)
{
  Fixture f;

  fixture_init (&f, behind_payloaders[__i__]);
  fail_unless_equals_int (tfrc_upstream_find_payload_type (f.end), 99);
  fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (the_mtu_of_a_payloader_is_set)
{
  GstElement *payloader;
  Fixture f;
  guint mtu;

  fixture_init (&f, behind_payloaders[__i__]);
  tfrc_upstream_set_mtu (f.end, 1200, FALSE);
  payloader = gst_bin_get_by_name (GST_BIN (f.bin), "pay");
  g_object_get (payloader, "mtu", &mtu, NULL);
  fail_unless_equals_int (mtu, 1200);
  gst_object_unref (payloader);
  fixture_clear (&f);
}

GST_END_TEST;

static Suite *
tfrcupstream_suite (void)
{
  Suite *suite = suite_create ("tfrcupstream");
  TCase *walk = tcase_create ("walk");

  tcase_add_test (walk, the_caps_of_all_streams_are_found);
  tcase_add_loop_test (walk, the_type_of_a_payloader_is_found, 0,
      G_N_ELEMENTS (behind_payloaders));
  tcase_add_loop_test (walk, the_mtu_of_a_payloader_is_set, 0,
      G_N_ELEMENTS (behind_payloaders));
  suite_add_tcase (suite, walk);
  return suite;
}

GST_CHECK_MAIN (tfrcupstream);
