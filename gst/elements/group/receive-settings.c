/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of a receiver of TFMCC. */

#include "group/receive-settings.h"

#include "common/properties.h"

#define FIELD(name) (offset + G_STRUCT_OFFSET (TfmccReceiveSettings, name))

void
tfmcc_receive_settings_install (GObjectClass *klass, guint id, gsize offset)
{
  tfrc_properties_install (klass, id, FIELD (group_size),
      g_param_spec_uint ("group-size", "Group size",
          "TFMCC: upper bound of the group, up to which reports stay few, N of "
          "RFC 4654 (receivers, default: 10000)",
          2, 1000000, 10000, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, id, FIELD (feedback_bias),
      g_param_spec_double ("feedback-bias", "Feedback bias",
          "TFMCC: part of the feedback delay that low rates are spared, gamma "
          "of Widmer and Handley 2001 (share, default: 0.25)",
          0.0, 1.0, 0.25, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, id, FIELD (feedback_rtts),
      g_param_spec_double ("feedback-rtts", "Feedback RTTs",
          "TFMCC: longest feedback delay in units of the group's longest RTT, "
          "b of RFC 4654; the same at the sender (RTTs, default: 6)",
          1.0, 100.0, 6.0, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, id, FIELD (feedback_packets),
      g_param_spec_double ("feedback-packets", "Feedback packets",
          "TFMCC: data packets in a row whose loss does not bring more reports "
          "at low rates, c of RFC 4654; the same at the sender (packets, "
          "default: 3)",
          0.0, 100.0, 3.0, TFRC_PROPERTY_BEFORE_PAUSED));
  tfrc_properties_install (klass, id, FIELD (slow_start_factor),
      g_param_spec_double ("slow-start-factor", "Slow start factor",
          "TFMCC: rate to ask for before the first loss, by the rate that "
          "arrives, d of RFC 4654 (factor, default: 2)",
          1.0, 10.0, 2.0, TFRC_PROPERTY_BEFORE_PAUSED));
  /* RFC 4654 section 4.4 */
  tfrc_properties_install (klass, id, FIELD (leave_timeout),
      g_param_spec_uint ("leave-timeout", "Leave timeout",
          "TFMCC: for how long less can be taken than is sent before "
          "tfmcc-hopeless is posted (ms, default: 120000, 0 = never)",
          0, G_MAXUINT, 120000, TFRC_PROPERTY_ANY_STATE));
  tfrc_properties_install (klass, id, FIELD (auto_leave),
      g_param_spec_boolean ("auto-leave", "Auto leave",
          "TFMCC: leave the group when it is hopeless (default: false)", FALSE,
          TFRC_PROPERTY_ANY_STATE));
}

void
tfmcc_receive_settings_configure (const TfmccReceiveSettings *self,
    TfmccReceiverConfig *config)
{
  config->slow_start_factor = self->slow_start_factor;
  config->suppression.group_size = self->group_size;
  config->suppression.bias = self->feedback_bias;
  config->suppression.rtts = self->feedback_rtts;
  config->suppression.packets = self->feedback_packets;
}
