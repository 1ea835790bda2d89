/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of a sender of TFRC. */

#include "send/unicast-settings.h"

#define DEFAULT_SELF_CLOCKING FALSE
#define DEFAULT_RTO_MODE TFRC_RTO_RFC5348
#define DEFAULT_RTO_SCALE 3.0
#define DEFAULT_RTO_FLOOR 1000
#define DEFAULT_RATE_SCALE 1.0
#define DEFAULT_OSCILLATION_DAMPING TRUE
#define DEFAULT_PROBE_INTERVAL 3000

GType
gst_rtp_tfrc_rto_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue modes[] = {
    { TFRC_RTO_RFC5348, "4 RTT (RFC 5348 section 3.1)", "rfc5348" },
    { TFRC_RTO_TCP, "TCP's retransmission timeout (RFC 6298)", "tcp" },
    { TFRC_RTO_SCALED, "TCP's divided by rto-scale (Rhee and Xu 2007)",
        "scaled" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType registered = g_enum_register_static ("GstRtpTfrcRtoMode", modes);

    gst_type_mark_as_plugin_api (registered, 0);
    g_once_init_leave (&type, registered);
  }
  return type;
}

void
tfrc_unicast_settings_init (TfrcUnicastSettings *self)
{
  *self = (TfrcUnicastSettings) {
    .self_clocking = DEFAULT_SELF_CLOCKING,
    .rto_mode = DEFAULT_RTO_MODE,
    .rto_scale = DEFAULT_RTO_SCALE,
    .rto_floor = DEFAULT_RTO_FLOOR,
    .rate_scale = DEFAULT_RATE_SCALE,
    .oscillation_damping = DEFAULT_OSCILLATION_DAMPING,
    .probe_interval = DEFAULT_PROBE_INTERVAL,
  };
}

void
tfrc_unicast_settings_install (GObjectClass *klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass,
      first_id + TFRC_UNICAST_PROP_SELF_CLOCKING,
      g_param_spec_boolean ("self-clocking", "Self-clocking",
          "After a loss send no faster than 1.1 times what the receiver got "
          "(Bansal et al. 2001; default false)",
          DEFAULT_SELF_CLOCKING, flags));
  g_object_class_install_property (klass, first_id + TFRC_UNICAST_PROP_RTO_MODE,
      g_param_spec_enum ("rto-mode", "RTO mode",
          "The retransmission timeout in the throughput equation "
          "(default rfc5348)",
          GST_TYPE_RTP_TFRC_RTO_MODE, DEFAULT_RTO_MODE, flags));
  g_object_class_install_property (klass,
      first_id + TFRC_UNICAST_PROP_RTO_SCALE,
      g_param_spec_double ("rto-scale", "RTO scale",
          "What TCP's retransmission timeout is divided by in rto-mode=scaled "
          "(factor, default 3)",
          1.0, 100.0, DEFAULT_RTO_SCALE, flags));
  g_object_class_install_property (klass,
      first_id + TFRC_UNICAST_PROP_RTO_FLOOR,
      g_param_spec_uint ("rto-floor", "RTO floor",
          "Least retransmission timeout of TCP in rto-mode=tcp, and in scaled "
          "before it is divided (ms, default 1000, RFC 6298; Linux has 200)",
          0, 60000, DEFAULT_RTO_FLOOR, flags));
  g_object_class_install_property (klass,
      first_id + TFRC_UNICAST_PROP_RATE_SCALE,
      g_param_spec_double ("rate-scale", "Rate scale",
          "What the rate of the throughput equation is multiplied by; above 1 "
          "the flow takes more than TCP would (factor, default 1)",
          0.1, 10.0, DEFAULT_RATE_SCALE, flags));
  g_object_class_install_property (klass,
      first_id + TFRC_UNICAST_PROP_OSCILLATION_DAMPING,
      g_param_spec_boolean ("oscillation-damping", "Oscillation damping",
          "Slow down for a moment when the RTT rises above its mean "
          "(RFC 5348 section 4.5; default true)",
          DEFAULT_OSCILLATION_DAMPING, flags));
  g_object_class_install_property (klass,
      first_id + TFRC_UNICAST_PROP_PROBE_INTERVAL,
      g_param_spec_uint ("probe-interval", "Probe interval",
          "While no feedback comes, send at least one packet in this time "
          "(ms, default 3000; 0 = every 64 s as RFC 5348 has it)",
          0, 64000, DEFAULT_PROBE_INTERVAL, flags));
}

gboolean
tfrc_unicast_settings_set (TfrcUnicastSettings *self, guint prop,
    const GValue *value)
{
  switch (prop) {
    case TFRC_UNICAST_PROP_SELF_CLOCKING:
      self->self_clocking = g_value_get_boolean (value);
      return TRUE;
    case TFRC_UNICAST_PROP_RTO_MODE:
      self->rto_mode = (TfrcRtoMode) g_value_get_enum (value);
      return TRUE;
    case TFRC_UNICAST_PROP_RTO_SCALE:
      self->rto_scale = g_value_get_double (value);
      return TRUE;
    case TFRC_UNICAST_PROP_RTO_FLOOR:
      self->rto_floor = g_value_get_uint (value);
      return TRUE;
    case TFRC_UNICAST_PROP_RATE_SCALE:
      self->rate_scale = g_value_get_double (value);
      return TRUE;
    case TFRC_UNICAST_PROP_OSCILLATION_DAMPING:
      self->oscillation_damping = g_value_get_boolean (value);
      return TRUE;
    case TFRC_UNICAST_PROP_PROBE_INTERVAL:
      self->probe_interval = g_value_get_uint (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfrc_unicast_settings_get (const TfrcUnicastSettings *self, guint prop,
    GValue *value)
{
  switch (prop) {
    case TFRC_UNICAST_PROP_SELF_CLOCKING:
      g_value_set_boolean (value, self->self_clocking);
      return TRUE;
    case TFRC_UNICAST_PROP_RTO_MODE:
      g_value_set_enum (value, self->rto_mode);
      return TRUE;
    case TFRC_UNICAST_PROP_RTO_SCALE:
      g_value_set_double (value, self->rto_scale);
      return TRUE;
    case TFRC_UNICAST_PROP_RTO_FLOOR:
      g_value_set_uint (value, self->rto_floor);
      return TRUE;
    case TFRC_UNICAST_PROP_RATE_SCALE:
      g_value_set_double (value, self->rate_scale);
      return TRUE;
    case TFRC_UNICAST_PROP_OSCILLATION_DAMPING:
      g_value_set_boolean (value, self->oscillation_damping);
      return TRUE;
    case TFRC_UNICAST_PROP_PROBE_INTERVAL:
      g_value_set_uint (value, self->probe_interval);
      return TRUE;
    default:
      return FALSE;
  }
}

void
tfrc_unicast_settings_configure (const TfrcUnicastSettings *self,
    TfrcSenderConfig *config)
{
  config->probe_interval = self->probe_interval * TFRC_MILLISECOND;
  config->oscillation_damping = self->oscillation_damping;
  config->self_clocking = self->self_clocking;
  config->rto.mode = self->rto_mode;
  config->rto.scale = self->rto_scale;
  config->rto.floor = self->rto_floor * TFRC_MILLISECOND;
  config->rate_scale = self->rate_scale;
}
