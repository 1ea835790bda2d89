/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "receive/settings.h"

#include "net/session.h"

/* To be used where `klass` and `id` are defined. */
#define INSTALL(field, type, ...) \
  tfrc_properties_install (klass, id, \
      G_STRUCT_OFFSET (TfrcReceiveSettings, field), \
      g_param_spec_##type (__VA_ARGS__))

static void
install_measurement_properties (GObjectClass *klass, guint id)
{
  INSTALL (mode, enum, "mode", "Mode",
      "Protocol to speak; auto = the one whose header extension the caps "
      "name, else the packets have (default: auto)",
      GST_TYPE_TFRC_MODE, GST_TFRC_MODE_AUTO, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (history_length, uint, "history-length", "History length",
      "Loss intervals that the loss event rate is the mean of, n of RFC "
      "5348 and 4654; more is smoother and slower (intervals, default: 8)",
      2, 256, 8, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (small_packets, boolean, "small-packets", "Small packets",
      "TFRC-SP (RFC 4828, experimental): count losses as a sender with "
      "small-packets needs it; also where the caps have "
      "rtcp-fb-tfrc-small-packets (default: false)",
      FALSE, TFRC_PROPERTY_BEFORE_PAUSED);
}

static void
install_feedback_properties (GObjectClass *klass, guint id)
{
  INSTALL (feedback, enum, "feedback", "Feedback",
      "TFRC: which reports are sent; auto = those of TFRC to a sender "
      "whose packets have its header extension, else what the caps name; "
      "rr, none = only those of an rtpsession (default: auto)",
      GST_TYPE_RTP_TFRC_FEEDBACK, GST_RTP_TFRC_FEEDBACK_AUTO,
      TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (feedback_interval, uint, "feedback-interval", "Feedback interval",
      "Least time between two reports of feedback=ccfb and twcc; up to "
      "250 where feedback-share asks for it (ms, default: 50)",
      5, 1000, 50, TFRC_PROPERTY_ANY_STATE);
  INSTALL (feedback_share, double, "feedback-share", "Feedback share",
      "Share of the flow's bitrate that reports of ccfb and twcc keep to, "
      "and beyond which those of TFRC are counted in feedback-over-share "
      "(share, default: 0.05, 0 = no limit)",
      0.0, 1.0, 0.05, TFRC_PROPERTY_BEFORE_PAUSED);
}

static void
install_report_properties (GObjectClass *klass, guint id)
{
  INSTALL (extension_id, uint, "extension-id", "Extension id",
      "Id of the RTP header extension of TFRC or TFMCC; 0 = from the caps "
      "(extmap-N), else learnt from the packets (default: 0)",
      0, 255, 0, TFRC_PROPERTY_ANY_STATE);
  INSTALL (report.reduced_size, boolean, "rtcp-reduced-size",
      "RTCP reduced size",
      "Send reports alone (RFC 5506) instead of in a compound packet with "
      "an empty RR and SDES CNAME (default: true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
  INSTALL (report.ssrc, uint, "rtcp-ssrc", "RTCP SSRC",
      "SSRC that reports come from; that of the rtpsession beside this "
      "element (default: random)",
      0, G_MAXUINT32, 0, TFRC_PROPERTY_ANY_STATE | GST_PARAM_DOC_SHOW_DEFAULT);
  INSTALL (report.cname, string, "cname", "CNAME",
      "CNAME of compound reports; that of the rtpsession beside this "
      "element; NULL = a new random one (default: random)",
      NULL, TFRC_PROPERTY_ANY_STATE | GST_PARAM_DOC_SHOW_DEFAULT);
  INSTALL (key_frame_requests, boolean, "key-frame-requests",
      "Key frame requests",
      "Ask the sender for a key frame (RTCP PLI) when a video stream "
      "appears and after loss (default: true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
  INSTALL (stats_interval, uint, "stats-interval", "Statistics interval",
      "Post the statistics as an element message \"tfrc-stats\" this "
      "often (ms, default: 0 = never)",
      0, G_MAXUINT, 0, TFRC_PROPERTY_ANY_STATE);
}

static void
install_group_properties (GObjectClass *klass, guint id)
{
  INSTALL (group_size, uint, "group-size", "Group size",
      "TFMCC: upper bound of the group, up to which reports stay few, N of "
      "RFC 4654 (receivers, default: 10000)",
      2, 1000000, 10000, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (feedback_bias, double, "feedback-bias", "Feedback bias",
      "TFMCC: part of the feedback delay that low rates are spared, gamma "
      "of Widmer and Handley 2001 (share, default: 0.25)",
      0.0, 1.0, 0.25, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (feedback_rtts, double, "feedback-rtts", "Feedback RTTs",
      "TFMCC: longest feedback delay in units of the group's longest RTT, "
      "b of RFC 4654; the same at the sender (RTTs, default: 6)",
      1.0, 100.0, 6.0, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (feedback_packets, double, "feedback-packets", "Feedback packets",
      "TFMCC: consecutive data packets whose loss does not cause more reports"
      " at low rates, c of RFC 4654; the same at the sender (packets, "
      "default: 3)",
      0.0, 100.0, 3.0, TFRC_PROPERTY_BEFORE_PAUSED);
  INSTALL (delay_target, uint, "delay-target", "Delay target",
      "TFMCC: queue of its path, or of two packets, above which the limiting "
      "receiver requests less than RFC 4654 allows, unless other flows fill "
      "it (ms, 0 = never, default: 15)",
      0, 1000, 15, TFRC_PROPERTY_BEFORE_PAUSED);
  /* RFC 4654 section 4.4 has 120 s. */
  INSTALL (leave_timeout, uint, "leave-timeout", "Leave timeout",
      "TFMCC: how long less can be received than is sent before "
      "tfmcc-hopeless is posted (ms, default: 10000, 0 = never)",
      0, G_MAXUINT, 10000, TFRC_PROPERTY_ANY_STATE);
  INSTALL (auto_leave, boolean, "auto-leave", "Auto leave",
      "TFMCC: leave the group when it is hopeless (default: false)", FALSE,
      TFRC_PROPERTY_ANY_STATE);
}

void
tfrc_receive_settings_install (GObjectClass *klass, guint id)
{
  install_measurement_properties (klass, id);
  install_feedback_properties (klass, id);
  install_report_properties (klass, id);
  install_group_properties (klass, id);
}

void
tfrc_receive_settings_init (TfrcReceiveSettings *self, GObjectClass *klass)
{
  tfrc_properties_init (self, klass);
  self->report.ssrc = g_random_int ();
  self->timestamp_offset_us = g_random_int ();
  self->report.cname = tfrc_session_make_cname ();
}

gboolean
tfrc_receive_settings_set (TfrcReceiveSettings *self, GParamSpec *pspec,
    const GValue *value)
{
  gboolean known = tfrc_properties_set (self, pspec, value);

  if (!self->report.cname)
    self->report.cname = tfrc_session_make_cname ();
  return known;
}
