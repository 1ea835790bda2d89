/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of a sender of TFMCC. */

#include "group/send-settings.h"

#include "common/properties.h"

/* ts_gran of RFC 4654: the pacer's timer. */
#define CLOCK_GRANULARITY TFRC_MILLISECOND

#define FIELD(name) (offset + G_STRUCT_OFFSET (TfmccSendSettings, name))

void
tfmcc_send_settings_install (GObjectClass *klass, guint id, gsize offset)
{
  tfrc_properties_install (klass, id, FIELD (feedback_rtts),
      g_param_spec_double ("feedback-rtts", "Feedback RTTs",
          "TFMCC: length of a feedback round in units of the longest RTT, b "
          "of RFC 4654; the same at sender and receivers (RTTs, default: 6)",
          1.0, 100.0, 6.0, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, id, FIELD (feedback_packets),
      g_param_spec_double ("feedback-packets", "Feedback packets",
          "TFMCC: where packets are rare a round lasts longer, for b times "
          "this number plus one of them, c of RFC 4654; the same at sender and "
          "receivers (packets, default: 3)",
          0.0, 100.0, 3.0, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, id, FIELD (suppression_margin),
      g_param_spec_double ("suppression-margin", "Suppression margin",
          "TFMCC: a report suppresses those whose rate is not lower than its "
          "own by more than this share, theta of Widmer and Handley 2001 "
          "(share, default: 0.1)",
          0.0, 1.0, 0.1, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, id, FIELD (initial_max_rtt),
      g_param_spec_uint ("initial-max-rtt", "Initial maximum RTT",
          "TFMCC: what is taken as the group's longest RTT before any is "
          "known; also sets the first rate, a packet per RTT, and is raised "
          "to the time between two packets (ms, default: 500)",
          1, 63000, 500, TFRC_PROPERTY_BEFORE_PAUSED));
}

void
tfmcc_send_settings_configure (const TfmccSendSettings *self,
    TfmccSenderConfig *config)
{
  config->round.rtts = self->feedback_rtts;
  config->round.packets = self->feedback_packets;
  config->round.margin = self->suppression_margin;
  config->round.granularity = CLOCK_GRANULARITY;
  config->round.initial_rtt = self->initial_max_rtt * TFRC_MILLISECOND;
}
