/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk upstream from a pad to the nearest video encoder, through what
 * pipelines put between an encoder and its sink.  The pipelines stay in NULL:
 * links are all the walk looks at. */

#include <gst/check/gstcheck.h>

#include "encoder/fake.h"
#include "encoder/upstream.h"

/* `finds` is the name of the element; NULL: none. */
static const struct
{
  const gchar *finds;
  const gchar *launch;
} cases[] = {
  { "enc", "fakesrc ! fakekbitenc name=enc ! fakesink name=sink" },
  { NULL, "fakesrc ! identity ! fakesink name=sink" },
  { NULL, "fakesink name=sink" },
  { NULL, "identity ! fakesink name=sink" },
  /* Queue, filter, parser, payloader. */
  { "enc",
      "fakekbitenc name=enc ! queue ! capsfilter ! h264parse ! rtph264pay"
      " ! queue ! fakesink name=sink" },
  /* The nearest of two in a row. */
  { "near",
      "fakekbitenc name=far ! identity ! fakekbitenc name=near"
      " ! fakesink name=sink" },
  /* One without a bitrate is still the encoder of this stream. */
  { "near",
      "fakekbitenc name=far ! fakenobitenc name=near"
      " ! fakesink name=sink" },
  { NULL, "fakekbitenc ! fakedecoder ! identity ! fakesink name=sink" },
  /* A branch of a tee. */
  { "enc",
      "fakekbitenc name=enc ! tee name=t ! queue ! fakesink"
      "  t. ! queue ! fakesink name=sink" },
  /* Behind the second input of a funnel; the first has no encoder. */
  { "enc",
      "fakesrc ! identity ! funnel name=f ! fakesink name=sink"
      "  fakekbitenc name=enc ! queue ! f." },
  /* Of two inputs the nearer one, be it linked first or last. */
  { "near",
      "fakekbitenc name=near ! queue ! funnel name=f"
      " ! fakesink name=sink  fakekbitenc name=far ! queue ! queue ! f." },
  { "near",
      "fakekbitenc name=far ! queue ! queue ! funnel name=f"
      " ! fakesink name=sink  fakekbitenc name=near ! queue ! f." },
  { "enc",
      "audiotestsrc ! avenc_aac ! funnel name=f ! fakesink name=sink"
      "  fakekbitenc name=enc ! queue ! queue ! f." },
  /* Out of one bin, and out of two in each other. */
  { "enc", "( fakesrc ! fakekbitenc name=enc ! queue ) ! fakesink name=sink" },
  { "enc",
      "( ( fakekbitenc name=enc ! identity ) ! identity )"
      " ! fakesink name=sink" },
  /* Through a bin that only passes the stream, and from inside one. */
  { "enc", "fakekbitenc name=enc ! ( identity ! queue ) ! fakesink name=sink" },
  { "enc",
      "fakekbitenc name=enc ! ( identity ! ( queue ! fakesink name=sink )"
      " )" },
  /* A bin with an unlinked way in. */
  { NULL, "( identity ! queue ) ! fakesink name=sink" },
  /* A split and joined stream is met twice and followed once. */
  { NULL,
      "fakesrc ! tee name=t ! queue ! funnel name=f ! fakesink name=sink"
      "  t. ! queue ! f." },
};

GST_START_TEST (walk_finds_nearest_video_encoder)
{
  GstElement *pipeline, *sink, *encoder;
  GstPad *pad;
  GError *error = NULL;

  pipeline = gst_parse_launch (cases[__i__].launch, &error);
  fail_unless (error == NULL, "%s: %s", cases[__i__].launch,
      error ? error->message : "");
  if (GST_IS_BIN (pipeline))
    sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  else
    sink = gst_object_ref (pipeline);
  pad = gst_element_get_static_pad (sink, "sink");

  encoder = tfrc_encoder_find_upstream (pad);
  if (cases[__i__].finds == NULL)
    fail_unless (encoder == NULL, "%s", cases[__i__].launch);
  else
    fail_unless (encoder != NULL
            && g_str_equal (GST_OBJECT_NAME (encoder), cases[__i__].finds),
        "%s", cases[__i__].launch);

  gst_clear_object (&encoder);
  gst_object_unref (pad);
  gst_object_unref (sink);
  ASSERT_OBJECT_REFCOUNT (pipeline, "pipeline", 1);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* identity ! funnel ! tee, one branch of which goes back to the identity. */
GST_START_TEST (walk_ends_in_a_loop)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *funnel = gst_element_factory_make ("funnel", NULL);
  GstElement *tee = gst_element_factory_make ("tee", NULL);
  GstElement *queue = gst_element_factory_make ("queue", NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  gst_bin_add_many (GST_BIN (pipeline), funnel, tee, queue, sink, NULL);
  fail_unless (gst_element_link_many (queue, funnel, tee, sink, NULL));
  fail_unless (gst_element_link (tee, queue));
  fail_unless (tfrc_encoder_find_upstream (pad) == NULL);

  gst_object_unref (pad);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (name_is_found_anywhere_in_the_pipeline)
{
  GstElement *pipeline = gst_parse_launch (
      "( fakekbitenc name=enc ! identity ) ! ( fakesink name=sink )", NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstElement *encoder = tfrc_encoder_find_by_name (sink, "enc");

  fail_unless_equals_string (GST_OBJECT_NAME (encoder), "enc");
  fail_unless (tfrc_encoder_find_by_name (sink, "other") == NULL);
  gst_object_unref (encoder);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static Suite *
tfrc_encoder_finder_suite (void)
{
  Suite *suite = suite_create ("tfrcencoderfinder");
  TCase *tcase = tcase_create ("general");

  tfrc_fake_encoders_register ();
  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, walk_finds_nearest_video_encoder, 0,
      G_N_ELEMENTS (cases));
  tcase_add_test (tcase, walk_ends_in_a_loop);
  tcase_add_test (tcase, name_is_found_anywhere_in_the_pipeline);
  return suite;
}

GST_CHECK_MAIN (tfrc_encoder_finder);
