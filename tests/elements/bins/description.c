/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP caps without signalling. */

#include <gst/check/gstcheck.h>

#include "bins/sdp.h"

static const struct
{
  const gchar *caps; /* property; NULL = unset */
  const gchar *encoding_name;
  guint payload_type;
  const gchar *expected; /* NULL = unknown */
} cases[] = {
  { NULL, "H264", 96,
      "application/x-rtp,media=video,encoding-name=H264,"
      "clock-rate=90000,payload=96" },
  { NULL, "h264", 97,
      "application/x-rtp,media=video,encoding-name=H264,"
      "clock-rate=90000,payload=97" },
  { NULL, "OPUS", 96,
      "application/x-rtp,media=audio,encoding-name=OPUS,"
      "clock-rate=48000,payload=96" },
  /* RFC 3551 table 4: PCMU is 0 whatever the name says. */
  { NULL, "H264", 0,
      "application/x-rtp,media=audio,encoding-name=PCMU,"
      "clock-rate=8000,payload=0" },
  { NULL, NULL, 96, NULL },
  { NULL, "NO-SUCH", 96, NULL },
  /* What GStreamer knows by name, and what it does not. */
  { NULL, "AMR-WB", 96,
      "application/x-rtp,media=audio,encoding-name=AMR-WB,"
      "clock-rate=16000,payload=96" },
  { NULL, "PCMA", 96,
      "application/x-rtp,media=audio,encoding-name=PCMA,"
      "clock-rate=8000,payload=96" },
  { NULL, "raw", 96,
      "application/x-rtp,media=video,encoding-name=raw,"
      "clock-rate=90000,payload=96" },
  { NULL, "AV1", 96,
      "application/x-rtp,media=video,encoding-name=AV1,"
      "clock-rate=90000,payload=96" },
  { NULL, "AC3", 96,
      "application/x-rtp,media=audio,encoding-name=AC3,"
      "clock-rate=48000,payload=96" },
  { NULL, "theora", 96,
      "application/x-rtp,media=video,encoding-name=THEORA,"
      "clock-rate=90000,payload=96" },
  { NULL, "JPEG2000", 96,
      "application/x-rtp,media=video,encoding-name=JPEG2000,"
      "clock-rate=90000,payload=96" },
  { NULL, "X-GST", 96,
      "application/x-rtp,media=application,encoding-name=X-GST,"
      "clock-rate=90000,payload=96" },
  /* The rate is the stream's. */
  { NULL, "SPEEX", 96, NULL },
  { NULL, "L16", 96, NULL },
  /* The structure of the payload type, without what belongs to one SSRC. */
  { "application/x-rtp,payload=96,clock-rate=1000;"
    "application/x-rtp,payload=97,clock-rate=2000,ssrc=(uint)5",
      "H264", 97, "application/x-rtp,payload=97,clock-rate=2000" },
  { "application/x-rtp,clock-rate=3000", NULL, 99,
      "application/x-rtp,clock-rate=3000,payload=99" },
  { "application/x-rtp,payload=97,clock-rate=2000", "VP8", 98,
      "application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,"
      "payload=98" },
  /* As udpsrc is often given them: without a clock rate. */
  { "application/x-rtp,encoding-name=H264", NULL, 96,
      "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,"
      "payload=96" },
  { "application/x-rtp", "H264", 96,
      "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,"
      "payload=96" },
  { "application/x-rtp", NULL, 0,
      "application/x-rtp,media=audio,encoding-name=PCMU,clock-rate=8000,"
      "payload=0" },
  { "application/x-rtp", NULL, 96, NULL },
  { "application/x-rtp,encoding-name=NO-SUCH", "H264", 96, NULL },
};

GST_START_TEST (depayloaders_are_looked_for)
{
  TfrcDescription description = { .encoding_name = (gchar *) "H264" };
  GstCaps *caps = tfrc_description_get_caps (&description, 0);

  fail_unless (tfrc_description_has_depayloader (caps));
  gst_caps_unref (caps);
  caps = tfrc_description_get_caps (&description, 96);
  fail_unless (tfrc_description_has_depayloader (caps));
  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps, "encoding-name", G_TYPE_STRING, "NO-SUCH", NULL);
  fail_if (tfrc_description_has_depayloader (caps));
  gst_caps_unref (caps);
}

GST_END_TEST;

GST_START_TEST (caps_are_found_in_order)
{
  TfrcDescription description = {
    .caps = cases[__i__].caps ? gst_caps_from_string (cases[__i__].caps) : NULL,
    .encoding_name = (gchar *) cases[__i__].encoding_name,
  };
  GstCaps *caps = tfrc_description_get_caps (&description,
      cases[__i__].payload_type);

  if (cases[__i__].expected) {
    GstCaps *expected = gst_caps_from_string (cases[__i__].expected);

    fail_unless (caps != NULL);
    fail_unless (gst_caps_is_equal (caps, expected), "%" GST_PTR_FORMAT, caps);
    gst_caps_unref (expected);
  } else {
    fail_unless (caps == NULL);
  }
  gst_clear_caps (&caps);
  gst_clear_caps (&description.caps);
}

GST_END_TEST;

static Suite *
description_suite (void)
{
  Suite *suite = suite_create ("description");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, depayloaders_are_looked_for);
  tcase_add_loop_test (tcase, caps_are_found_in_order, 0, G_N_ELEMENTS (cases));
  return suite;
}

GST_CHECK_MAIN (description);
