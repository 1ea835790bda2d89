/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of a sender of TFMCC. */

#include "group/send-settings.h"

#define DEFAULT_FEEDBACK_RTTS 6.0
#define DEFAULT_FEEDBACK_PACKETS 3.0
#define DEFAULT_SUPPRESSION_MARGIN 0.1
#define DEFAULT_INITIAL_MAX_RTT 500

/* ts_gran of RFC 4654: the pacer's timer. */
#define CLOCK_GRANULARITY TFRC_MILLISECOND

void
tfmcc_group_settings_init (TfmccGroupSettings *self)
{
  *self = (TfmccGroupSettings) {
    .feedback_rtts = DEFAULT_FEEDBACK_RTTS,
    .feedback_packets = DEFAULT_FEEDBACK_PACKETS,
    .suppression_margin = DEFAULT_SUPPRESSION_MARGIN,
    .initial_max_rtt = DEFAULT_INITIAL_MAX_RTT,
  };
}

void
tfmcc_group_settings_install (GObjectClass *klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass,
      first_id + TFMCC_GROUP_PROP_FEEDBACK_RTTS,
      g_param_spec_double ("feedback-rtts", "Feedback RTTs",
          "TFMCC: length of a feedback round in units of the longest RTT, b "
          "of RFC 4654; the same at sender and receivers (RTTs, default 6)",
          1.0, 100.0, DEFAULT_FEEDBACK_RTTS, flags));
  g_object_class_install_property (klass,
      first_id + TFMCC_GROUP_PROP_FEEDBACK_PACKETS,
      g_param_spec_double ("feedback-packets", "Feedback packets",
          "TFMCC: where packets are rare a round lasts longer, for b times "
          "this number plus one of them, c of RFC 4654; the same at sender and "
          "receivers (packets, default 3)",
          0.0, 100.0, DEFAULT_FEEDBACK_PACKETS, flags));
  g_object_class_install_property (klass,
      first_id + TFMCC_GROUP_PROP_SUPPRESSION_MARGIN,
      g_param_spec_double ("suppression-margin", "Suppression margin",
          "TFMCC: a report suppresses those whose rate is not lower than its "
          "own by more than this share, theta of Widmer and Handley 2001 "
          "(share, default 0.1)",
          0.0, 1.0, DEFAULT_SUPPRESSION_MARGIN, flags));
  g_object_class_install_property (klass,
      first_id + TFMCC_GROUP_PROP_INITIAL_MAX_RTT,
      g_param_spec_uint ("initial-max-rtt", "Initial maximum RTT",
          "TFMCC: what is taken as the group's longest RTT before any is "
          "known; also sets the first rate, a packet per RTT, and is raised "
          "to the time between two packets (ms, default 500)",
          1, 63000, DEFAULT_INITIAL_MAX_RTT, flags));
}

gboolean
tfmcc_group_settings_set (TfmccGroupSettings *self, guint prop,
    const GValue *value)
{
  switch (prop) {
    case TFMCC_GROUP_PROP_FEEDBACK_RTTS:
      self->feedback_rtts = g_value_get_double (value);
      return TRUE;
    case TFMCC_GROUP_PROP_FEEDBACK_PACKETS:
      self->feedback_packets = g_value_get_double (value);
      return TRUE;
    case TFMCC_GROUP_PROP_SUPPRESSION_MARGIN:
      self->suppression_margin = g_value_get_double (value);
      return TRUE;
    case TFMCC_GROUP_PROP_INITIAL_MAX_RTT:
      self->initial_max_rtt = g_value_get_uint (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfmcc_group_settings_get (const TfmccGroupSettings *self, guint prop,
    GValue *value)
{
  switch (prop) {
    case TFMCC_GROUP_PROP_FEEDBACK_RTTS:
      g_value_set_double (value, self->feedback_rtts);
      return TRUE;
    case TFMCC_GROUP_PROP_FEEDBACK_PACKETS:
      g_value_set_double (value, self->feedback_packets);
      return TRUE;
    case TFMCC_GROUP_PROP_SUPPRESSION_MARGIN:
      g_value_set_double (value, self->suppression_margin);
      return TRUE;
    case TFMCC_GROUP_PROP_INITIAL_MAX_RTT:
      g_value_set_uint (value, self->initial_max_rtt);
      return TRUE;
    default:
      return FALSE;
  }
}

void
tfmcc_group_settings_configure (const TfmccGroupSettings *self,
    TfmccSenderConfig *config)
{
  config->round.rtts = self->feedback_rtts;
  config->round.packets = self->feedback_packets;
  config->round.margin = self->suppression_margin;
  config->round.granularity = CLOCK_GRANULARITY;
  config->round.initial_rtt = self->initial_max_rtt * TFRC_MILLISECOND;
}
