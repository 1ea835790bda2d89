/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver learns from a session description. */

#include <gst/check/gstcheck.h>

#include <string.h>

#include "bins/sdp.h"
#include "receive/flow.h"
#include "tfrc-wire.h"

/* The configuration of a receiver that got the description of such a sender. */
static TfrcReceiverConfig
learn (gboolean small_packets, TfrcTcp tcp, GstTfrcMode mode)
{
  TfrcReceiveFlow *flow = g_new0 (TfrcReceiveFlow, 1);
  TfrcSdp sent = {
    .caps = gst_caps_from_string (
        "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,"
        "payload=96"),
    .host = (gchar *) "192.0.2.1",
    .port = 5004,
    .extension_id = 14,
    .mode = mode,
    .small_packets = small_packets,
    .tcp = tcp,
  };
  gchar *text = tfrc_sdp_write (&sent);
  TfrcReceiverConfig config = tfrc_receiver_config_default ();
  TfrcSdp got;

  flow->checked.receiver.config = config;
  fail_unless (tfrc_sdp_read (&got, text, NULL), "%s", text);
  tfrc_receive_flow_set_caps (flow, got.caps);
  config = flow->checked.receiver.config;
  tfrc_sdp_clear (&got);
  gst_caps_unref (sent.caps);
  g_free (text);
  g_free (flow);
  return config;
}

GST_START_TEST (both_ends_agree_on_small_packets)
{
  fail_unless (learn (TRUE, TFRC_TCP_CUBIC, GST_TFRC_MODE_TFRC).small_packets);
  fail_if (learn (FALSE, TFRC_TCP_CUBIC, GST_TFRC_MODE_TFRC).small_packets);
  /* RFC 4654 has nothing like it. */
  fail_if (learn (TRUE, TFRC_TCP_CUBIC, GST_TFRC_MODE_TFMCC).small_packets);
}

GST_END_TEST;

GST_START_TEST (both_ends_agree_on_tcp)
{
  assert_equals_int (learn (FALSE, TFRC_TCP_CUBIC, GST_TFRC_MODE_TFRC).tcp,
      TFRC_TCP_CUBIC);
  assert_equals_int (learn (FALSE, TFRC_TCP_RENO, GST_TFRC_MODE_TFRC).tcp,
      TFRC_TCP_RENO);
}

GST_END_TEST;

/* As text, and as direction, URI and attributes. */
GST_START_TEST (an_id_is_known_in_both_forms)
{
  static const gchar *const fields[] = {
    "extmap-5=(string)" TFRC_WIRE_EXTENSION_URI,
    "extmap-5=(string)<\"\"," TFRC_WIRE_EXTENSION_URI ",\"\">",
    "extmap-5=(string)<sendonly," TFRC_WIRE_EXTENSION_URI ",\"\">",
  };
  gchar *caps = g_strdup_printf (
      "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,"
      "payload=96,%s",
      fields[__i__]);
  TfrcSdp sent = {
    .caps = gst_caps_from_string (caps),
    .host = (gchar *) "192.0.2.1",
    .port = 5004,
    .extension_id = 5,
    .mode = GST_TFRC_MODE_TFRC,
  };
  gchar *text = tfrc_sdp_write (&sent);
  const gchar *line = strstr (text, "a=extmap:5");
  TfrcSdp got;

  fail_unless (line != NULL, "%s", text);
  fail_unless (strstr (line + 1, "a=extmap:5") == NULL, "%s", text);
  fail_unless (tfrc_sdp_read (&got, text, NULL), "%s", text);
  fail_unless_equals_int (got.extension_id, 5);
  fail_unless_equals_int (got.mode, GST_TFRC_MODE_TFRC);
  tfrc_sdp_clear (&got);
  gst_caps_unref (sent.caps);
  g_free (text);
  g_free (caps);
}

GST_END_TEST;

static Suite *
sdp_suite (void)
{
  Suite *suite = suite_create ("sdp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, both_ends_agree_on_small_packets);
  tcase_add_test (tcase, both_ends_agree_on_tcp);
  tcase_add_loop_test (tcase, an_id_is_known_in_both_forms, 0, 3);
  return suite;
}

GST_CHECK_MAIN (sdp);
