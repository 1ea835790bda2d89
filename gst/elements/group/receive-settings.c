/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of a receiver of TFMCC. */

#include "group/receive-settings.h"

#define DEFAULT_GROUP_SIZE 10000
#define DEFAULT_FEEDBACK_BIAS 0.25
#define DEFAULT_FEEDBACK_RTTS 6.0
#define DEFAULT_FEEDBACK_PACKETS 3.0
#define DEFAULT_SLOW_START_FACTOR 2.0
/* RFC 4654 section 4.4 */
#define DEFAULT_LEAVE_TIMEOUT 120000
#define DEFAULT_AUTO_LEAVE FALSE

void
tfmcc_member_settings_init (TfmccMemberSettings *self)
{
  *self = (TfmccMemberSettings) {
    .group_size = DEFAULT_GROUP_SIZE,
    .feedback_bias = DEFAULT_FEEDBACK_BIAS,
    .feedback_rtts = DEFAULT_FEEDBACK_RTTS,
    .feedback_packets = DEFAULT_FEEDBACK_PACKETS,
    .slow_start_factor = DEFAULT_SLOW_START_FACTOR,
    .leave_timeout = DEFAULT_LEAVE_TIMEOUT,
    .auto_leave = DEFAULT_AUTO_LEAVE,
  };
}

static void
install_feedback_properties (GObjectClass *klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass,
      first_id + TFMCC_MEMBER_PROP_GROUP_SIZE,
      g_param_spec_uint ("group-size", "Group size",
          "TFMCC: receivers that the group may have, an upper bound (N of RFC "
          "4654); reports stay few up to it (default: 10000)",
          2, 1000000, DEFAULT_GROUP_SIZE, flags));
  g_object_class_install_property (klass,
      first_id + TFMCC_MEMBER_PROP_FEEDBACK_BIAS,
      g_param_spec_double ("feedback-bias", "Feedback bias",
          "TFMCC: part of the feedback delay that low rates are spared (gamma "
          "of Widmer and Handley 2001), no unit (default: 0.25)",
          0.0, 1.0, DEFAULT_FEEDBACK_BIAS, flags));
  g_object_class_install_property (klass,
      first_id + TFMCC_MEMBER_PROP_FEEDBACK_RTTS,
      g_param_spec_double ("feedback-rtts", "Feedback RTTs",
          "TFMCC: longest feedback delay in the group's longest round-trip "
          "times (b); the same at the sender (default: 6)",
          1.0, 100.0, DEFAULT_FEEDBACK_RTTS, flags));
  g_object_class_install_property (klass,
      first_id + TFMCC_MEMBER_PROP_FEEDBACK_PACKETS,
      g_param_spec_double ("feedback-packets", "Feedback packets",
          "TFMCC: data packets in a row whose loss does not bring more reports "
          "at low rates (c); the same at the sender (default: 3)",
          0.0, 100.0, DEFAULT_FEEDBACK_PACKETS, flags));
  g_object_class_install_property (klass,
      first_id + TFMCC_MEMBER_PROP_SLOW_START_FACTOR,
      g_param_spec_double ("slow-start-factor", "Slow start factor",
          "TFMCC: rate to ask for before the first loss, in what arrives (d), "
          "no unit (default: 2)",
          1.0, 10.0, DEFAULT_SLOW_START_FACTOR, flags));
}

void
tfmcc_member_settings_install (GObjectClass *klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  install_feedback_properties (klass, first_id);
  g_object_class_install_property (klass,
      first_id + TFMCC_MEMBER_PROP_LEAVE_TIMEOUT,
      g_param_spec_uint ("leave-timeout", "Leave timeout",
          "TFMCC: milliseconds for which less can be taken than is sent before "
          "tfmcc-hopeless is posted; 0 = never (default: 120000)",
          0, G_MAXUINT, DEFAULT_LEAVE_TIMEOUT, flags));
  g_object_class_install_property (klass,
      first_id + TFMCC_MEMBER_PROP_AUTO_LEAVE,
      g_param_spec_boolean ("auto-leave", "Auto leave",
          "TFMCC: leave the group when it is hopeless (default: false)",
          DEFAULT_AUTO_LEAVE, flags));
}

gboolean
tfmcc_member_settings_set (TfmccMemberSettings *self, guint prop,
    const GValue *value)
{
  switch (prop) {
    case TFMCC_MEMBER_PROP_GROUP_SIZE:
      self->group_size = g_value_get_uint (value);
      return TRUE;
    case TFMCC_MEMBER_PROP_FEEDBACK_BIAS:
      self->feedback_bias = g_value_get_double (value);
      return TRUE;
    case TFMCC_MEMBER_PROP_FEEDBACK_RTTS:
      self->feedback_rtts = g_value_get_double (value);
      return TRUE;
    case TFMCC_MEMBER_PROP_FEEDBACK_PACKETS:
      self->feedback_packets = g_value_get_double (value);
      return TRUE;
    case TFMCC_MEMBER_PROP_SLOW_START_FACTOR:
      self->slow_start_factor = g_value_get_double (value);
      return TRUE;
    case TFMCC_MEMBER_PROP_LEAVE_TIMEOUT:
      self->leave_timeout = g_value_get_uint (value);
      return TRUE;
    case TFMCC_MEMBER_PROP_AUTO_LEAVE:
      self->auto_leave = g_value_get_boolean (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfmcc_member_settings_get (const TfmccMemberSettings *self, guint prop,
    GValue *value)
{
  switch (prop) {
    case TFMCC_MEMBER_PROP_GROUP_SIZE:
      g_value_set_uint (value, self->group_size);
      return TRUE;
    case TFMCC_MEMBER_PROP_FEEDBACK_BIAS:
      g_value_set_double (value, self->feedback_bias);
      return TRUE;
    case TFMCC_MEMBER_PROP_FEEDBACK_RTTS:
      g_value_set_double (value, self->feedback_rtts);
      return TRUE;
    case TFMCC_MEMBER_PROP_FEEDBACK_PACKETS:
      g_value_set_double (value, self->feedback_packets);
      return TRUE;
    case TFMCC_MEMBER_PROP_SLOW_START_FACTOR:
      g_value_set_double (value, self->slow_start_factor);
      return TRUE;
    case TFMCC_MEMBER_PROP_LEAVE_TIMEOUT:
      g_value_set_uint (value, self->leave_timeout);
      return TRUE;
    case TFMCC_MEMBER_PROP_AUTO_LEAVE:
      g_value_set_boolean (value, self->auto_leave);
      return TRUE;
    default:
      return FALSE;
  }
}

void
tfmcc_member_settings_configure (const TfmccMemberSettings *self,
    TfmccReceiverConfig *config)
{
  config->slow_start_factor = self->slow_start_factor;
  config->suppression.group_size = self->group_size;
  config->suppression.bias = self->feedback_bias;
  config->suppression.rtts = self->feedback_rtts;
  config->suppression.packets = self->feedback_packets;
}
