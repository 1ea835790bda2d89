/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver learns from a session description. */

#include <gst/check/gstcheck.h>

#include "bins/sdp.h"
#include "receive/flow.h"

/* Whether a receiver has TFRC-SP that got the description of a sender with it, or
 * of one without. */
static gboolean
agrees (gboolean small_packets, GstTfrcMode mode)
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
  };
  gchar *text = tfrc_sdp_write (&sent);
  gboolean agreed;
  TfrcSdp got;

  fail_unless (tfrc_sdp_read (&got, text, NULL), "%s", text);
  tfrc_receive_flow_set_caps (flow, got.caps);
  agreed = flow->unicast.guarded.receiver.config.small_packets;
  tfrc_sdp_clear (&got);
  gst_caps_unref (sent.caps);
  g_free (text);
  g_free (flow);
  return agreed;
}

GST_START_TEST (both_ends_agree_on_small_packets)
{
  fail_unless (agrees (TRUE, GST_TFRC_MODE_TFRC));
  fail_if (agrees (FALSE, GST_TFRC_MODE_TFRC));
  /* RFC 4654 has nothing like it. */
  fail_if (agrees (TRUE, GST_TFRC_MODE_TFMCC));
}

GST_END_TEST;

static Suite *
sdp_suite (void)
{
  Suite *suite = suite_create ("sdp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, both_ends_agree_on_small_packets);
  return suite;
}

GST_CHECK_MAIN (sdp);
