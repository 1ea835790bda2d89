/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of rtptfrcsend and the configurations that follow from them. */

#include "tfrcsendsettings.h"

#include <math.h>

#include "gstrtptfrcsend.h"

#define DEFAULT_MIN_BITRATE 32000
#define DEFAULT_START_BITRATE 300000
#define DEFAULT_MAX_BITRATE 20000000
#define DEFAULT_MAX_QUEUE_TIME 200
#define DEFAULT_MODE GST_TFRC_MODE_AUTO
#define DEFAULT_FEEDBACK_RTTS 6.0
#define DEFAULT_FEEDBACK_PACKETS 3.0
#define DEFAULT_SUPPRESSION_MARGIN 0.1
#define DEFAULT_INITIAL_MAX_RTT 500
#define DEFAULT_SELF_CLOCKING FALSE
#define DEFAULT_RTO_MODE TFRC_RTO_RFC5348
#define DEFAULT_RTO_SCALE 3.0
#define DEFAULT_RATE_SCALE 1.0
#define DEFAULT_OSCILLATION_DAMPING TRUE
#define DEFAULT_PROBE_INTERVAL 3000
#define DEFAULT_ECN FALSE
#define DEFAULT_EXTENSION_ID 0
#define DEFAULT_MTU 1400
#define DEFAULT_ENCODER_CONTROL TRUE
#define DEFAULT_ENCODER_BITRATE_UNIT 0
#define DEFAULT_ENCODER_TUNING TRUE
#define DEFAULT_STATS_INTERVAL 0
#define DEFAULT_CIRCUIT_BREAKER TRUE

#define MAX_MAX_QUEUE_TIME 60000

/* ts_gran of RFC 4654: the pacer's timer. */
#define CLOCK_GRANULARITY TFRC_MILLISECOND

static TfrcSenderConfig get_unicast_config (const TfrcSendSettings *self);
static TfmccSenderConfig get_group_config (const TfrcSendSettings *self);

GType
gst_rtp_tfrc_rto_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue modes[] = {
    {TFRC_RTO_RFC5348, "4 RTT (RFC 5348 section 3.1)", "rfc5348"},
    {TFRC_RTO_TCP, "TCP's retransmission timeout (RFC 6298)", "tcp"},
    {TFRC_RTO_SCALED, "TCP's divided by rto-scale (Rhee and Xu 2007)",
        "scaled"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    g_once_init_leave (&type,
        g_enum_register_static ("GstRtpTfrcRtoMode", modes));
  }
  return type;
}

void
tfrc_send_settings_init (TfrcSendSettings *self)
{
  *self = (TfrcSendSettings) {
    .min_bitrate = DEFAULT_MIN_BITRATE,
    .start_bitrate = DEFAULT_START_BITRATE,
    .max_bitrate = DEFAULT_MAX_BITRATE,
    .max_queue_time = DEFAULT_MAX_QUEUE_TIME,
    .mode = DEFAULT_MODE,
    .feedback_rtts = DEFAULT_FEEDBACK_RTTS,
    .feedback_packets = DEFAULT_FEEDBACK_PACKETS,
    .suppression_margin = DEFAULT_SUPPRESSION_MARGIN,
    .initial_max_rtt = DEFAULT_INITIAL_MAX_RTT,
    .self_clocking = DEFAULT_SELF_CLOCKING,
    .rto_mode = DEFAULT_RTO_MODE,
    .rto_scale = DEFAULT_RTO_SCALE,
    .rate_scale = DEFAULT_RATE_SCALE,
    .oscillation_damping = DEFAULT_OSCILLATION_DAMPING,
    .probe_interval = DEFAULT_PROBE_INTERVAL,
    .ecn = DEFAULT_ECN,
    .extension_id = DEFAULT_EXTENSION_ID,
    .mtu = DEFAULT_MTU,
    .encoder_control = DEFAULT_ENCODER_CONTROL,
    .encoder_bitrate_unit = DEFAULT_ENCODER_BITRATE_UNIT,
    .encoder_tuning = DEFAULT_ENCODER_TUNING,
    .stats_interval = DEFAULT_STATS_INTERVAL,
    .circuit_breaker = DEFAULT_CIRCUIT_BREAKER,
  };
}

void
tfrc_send_settings_clear (TfrcSendSettings *self)
{
  g_clear_pointer (&self->encoder, g_free);
  g_clear_pointer (&self->encoder_bitrate_property, g_free);
}

/* *INDENT-OFF* */
#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define ANY_STATE (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define BEFORE_PAUSED (FLAGS | GST_PARAM_MUTABLE_READY)
/* *INDENT-ON* */

static void
install_rate_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, TFRC_SEND_PROP_MIN_BITRATE,
      g_param_spec_uint ("min-bitrate", "Minimum bitrate",
          "Lowest bitrate to set on the encoder; with TFMCC packets leave no "
          "slower, with TFRC never faster than allowed because of it "
          "(bits/s, default 32000)",
          1000, G_MAXUINT, DEFAULT_MIN_BITRATE, ANY_STATE));
  g_object_class_install_property (klass, TFRC_SEND_PROP_START_BITRATE,
      g_param_spec_uint ("start-bitrate", "Start bitrate",
          "Bitrate to set on the encoder until the first feedback, with TFMCC "
          "until the first packet (bits/s, default 300000)",
          1000, G_MAXUINT, DEFAULT_START_BITRATE, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_MAX_BITRATE,
      g_param_spec_uint ("max-bitrate", "Maximum bitrate",
          "Upper bound of the bitrate property and of what the encoder makes "
          "(bits/s, 0 = no bound, default 20000000)",
          0, G_MAXUINT, DEFAULT_MAX_BITRATE, ANY_STATE));
  g_object_class_install_property (klass, TFRC_SEND_PROP_BITRATE,
      g_param_spec_uint ("bitrate", "Bitrate",
          "The rate that is allowed now, RTP headers included; notified when "
          "it moves by more than 1 % (bits/s, 0 = not running)",
          0, G_MAXUINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, TFRC_SEND_PROP_MAX_QUEUE_TIME,
      g_param_spec_uint ("max-queue-time", "Maximum queue time",
          "Drop frames that waited longer than this or than two packets take "
          "at the allowed rate, whichever is longer (ms, default 200)",
          1, MAX_MAX_QUEUE_TIME, DEFAULT_MAX_QUEUE_TIME, ANY_STATE));
}

static void
install_protocol_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, TFRC_SEND_PROP_SELF_CLOCKING,
      g_param_spec_boolean ("self-clocking", "Self-clocking",
          "After a loss send no faster than 1.1 times what the receiver got "
          "(Bansal et al. 2001; default false)",
          DEFAULT_SELF_CLOCKING, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_RTO_MODE,
      g_param_spec_enum ("rto-mode", "RTO mode",
          "The retransmission timeout in the throughput equation "
          "(default rfc5348)",
          GST_TYPE_RTP_TFRC_RTO_MODE, DEFAULT_RTO_MODE, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_RTO_SCALE,
      g_param_spec_double ("rto-scale", "RTO scale",
          "What TCP's retransmission timeout is divided by in rto-mode=scaled "
          "(factor, default 3)", 1.0, 100.0, DEFAULT_RTO_SCALE, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_RATE_SCALE,
      g_param_spec_double ("rate-scale", "Rate scale",
          "What the rate of the throughput equation is multiplied by; above 1 "
          "the flow takes more than TCP would (factor, default 1)",
          0.1, 10.0, DEFAULT_RATE_SCALE, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_OSCILLATION_DAMPING,
      g_param_spec_boolean ("oscillation-damping", "Oscillation damping",
          "Slow down for a moment when the RTT rises above its mean "
          "(RFC 5348 section 4.5; default true)",
          DEFAULT_OSCILLATION_DAMPING, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_PROBE_INTERVAL,
      g_param_spec_uint ("probe-interval", "Probe interval",
          "While no feedback comes, send at least one packet in this time "
          "(ms, default 3000; 0 = every 64 s as RFC 5348 has it)",
          0, 64000, DEFAULT_PROBE_INTERVAL, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_ECN,
      g_param_spec_boolean ("ecn", "ECN",
          "TFRC: find out whether packets may leave as ECT(0) (RFC 6679); "
          "follow ect, or let tfrcsink (default false)",
          DEFAULT_ECN, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_ECT,
      g_param_spec_boolean ("ect", "ECT",
          "Packets are to leave as ECT(0) now; notified when it changes", FALSE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, TFRC_SEND_PROP_EXTENSION_ID,
      g_param_spec_uint ("extension-id", "Extension id",
          "Id of the protocol's header extension where the caps name none "
          "(default 0 = the first free one)",
          0, 255, DEFAULT_EXTENSION_ID, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_MTU,
      g_param_spec_uint ("mtu", "MTU",
          "Largest RTP packet to leave, header extension included; payloaders "
          "upstream that stand at their default are set to fit "
          "(bytes, default 1400)",
          100, G_MAXUINT16, DEFAULT_MTU, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_CIRCUIT_BREAKER,
      g_param_spec_boolean ("circuit-breaker", "Circuit breaker",
          "Cease sending, but for a packet in 3 s, while nothing says that "
          "packets arrive, or when they do far more harm than TCP's would "
          "(RFC 8083; default true)", DEFAULT_CIRCUIT_BREAKER, ANY_STATE));
}

static void
install_group_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, TFRC_SEND_PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "The protocol, chosen on the way to PAUSED; auto: TFMCC where the "
          "first caps name its header extension, else TFRC (default auto)",
          GST_TYPE_TFRC_MODE, DEFAULT_MODE, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_FEEDBACK_RTTS,
      g_param_spec_double ("feedback-rtts", "Feedback RTTs",
          "TFMCC: length of a feedback round in units of the longest RTT, b "
          "of RFC 4654; the same at sender and receivers (RTTs, default 6)",
          1.0, 100.0, DEFAULT_FEEDBACK_RTTS, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_FEEDBACK_PACKETS,
      g_param_spec_double ("feedback-packets", "Feedback packets",
          "TFMCC: where packets are rare a round lasts longer, for b times "
          "this number plus one of them, c of RFC 4654; the same at sender and "
          "receivers (packets, default 3)",
          0.0, 100.0, DEFAULT_FEEDBACK_PACKETS, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_SUPPRESSION_MARGIN,
      g_param_spec_double ("suppression-margin", "Suppression margin",
          "TFMCC: a report suppresses those whose rate is not lower than its "
          "own by more than this share, theta of Widmer and Handley 2001 "
          "(share, default 0.1)",
          0.0, 1.0, DEFAULT_SUPPRESSION_MARGIN, BEFORE_PAUSED));
  g_object_class_install_property (klass, TFRC_SEND_PROP_INITIAL_MAX_RTT,
      g_param_spec_uint ("initial-max-rtt", "Initial maximum RTT",
          "TFMCC: what is taken as the group's longest RTT before any is "
          "known; also sets the first rate, a packet per RTT, and is raised "
          "to the time between two packets (ms, default 500)",
          1, 63000, DEFAULT_INITIAL_MAX_RTT, BEFORE_PAUSED));
}

static void
install_encoder_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, TFRC_SEND_PROP_ENCODER_CONTROL,
      g_param_spec_boolean ("encoder-control", "Encoder control",
          "Set the bitrate of the video encoder upstream (default true)",
          DEFAULT_ENCODER_CONTROL, ANY_STATE));
  g_object_class_install_property (klass, TFRC_SEND_PROP_ENCODER,
      g_param_spec_string ("encoder", "Encoder",
          "Name of the encoder element (default NULL = the nearest video "
          "encoder upstream)", NULL, ANY_STATE));
  g_object_class_install_property (klass,
      TFRC_SEND_PROP_ENCODER_BITRATE_PROPERTY,
      g_param_spec_string ("encoder-bitrate-property",
          "Encoder bitrate property",
          "The encoder's property that takes its bitrate (default NULL = "
          "known for common encoders, else guessed)", NULL, ANY_STATE));
  g_object_class_install_property (klass, TFRC_SEND_PROP_ENCODER_BITRATE_UNIT,
      g_param_spec_uint ("encoder-bitrate-unit", "Encoder bitrate unit",
          "Unit of encoder-bitrate-property, 1000 for kbit/s (bits/s, default "
          "0 = known for common encoders, else guessed)",
          0, 1000000, DEFAULT_ENCODER_BITRATE_UNIT, ANY_STATE));
  g_object_class_install_property (klass, TFRC_SEND_PROP_ENCODER_TUNING,
      g_param_spec_boolean ("encoder-tuning", "Encoder tuning",
          "Also set what lets the encoder follow a new bitrate at once, such "
          "as the VBV of x264enc, where it stands at its default "
          "(default true)", DEFAULT_ENCODER_TUNING, ANY_STATE));
}

void
tfrc_send_settings_install (GObjectClass *klass)
{
  install_rate_properties (klass);
  install_protocol_properties (klass);
  install_group_properties (klass);
  install_encoder_properties (klass);

  g_object_class_install_property (klass, TFRC_SEND_PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "State and counters of the flow; the fields are listed in the "
          "element's description", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, TFRC_SEND_PROP_STATS_INTERVAL,
      g_param_spec_uint ("stats-interval", "Statistics interval",
          "Post the statistics as an element message \"tfrc-stats\" this "
          "often (ms, default 0 = never)",
          0, G_MAXUINT, DEFAULT_STATS_INTERVAL, ANY_STATE));
}

gboolean
tfrc_send_settings_set (TfrcSendSettings *self, guint prop_id,
    const GValue *value)
{
  switch ((TfrcSendProp) prop_id) {
    case TFRC_SEND_PROP_MIN_BITRATE:
      self->min_bitrate = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_START_BITRATE:
      self->start_bitrate = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_MAX_BITRATE:
      self->max_bitrate = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_MAX_QUEUE_TIME:
      self->max_queue_time = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_MODE:
      self->mode = g_value_get_enum (value);
      return TRUE;
    case TFRC_SEND_PROP_FEEDBACK_RTTS:
      self->feedback_rtts = g_value_get_double (value);
      return TRUE;
    case TFRC_SEND_PROP_FEEDBACK_PACKETS:
      self->feedback_packets = g_value_get_double (value);
      return TRUE;
    case TFRC_SEND_PROP_SUPPRESSION_MARGIN:
      self->suppression_margin = g_value_get_double (value);
      return TRUE;
    case TFRC_SEND_PROP_INITIAL_MAX_RTT:
      self->initial_max_rtt = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_SELF_CLOCKING:
      self->self_clocking = g_value_get_boolean (value);
      return TRUE;
    case TFRC_SEND_PROP_RTO_MODE:
      self->rto_mode = g_value_get_enum (value);
      return TRUE;
    case TFRC_SEND_PROP_RTO_SCALE:
      self->rto_scale = g_value_get_double (value);
      return TRUE;
    case TFRC_SEND_PROP_RATE_SCALE:
      self->rate_scale = g_value_get_double (value);
      return TRUE;
    case TFRC_SEND_PROP_OSCILLATION_DAMPING:
      self->oscillation_damping = g_value_get_boolean (value);
      return TRUE;
    case TFRC_SEND_PROP_PROBE_INTERVAL:
      self->probe_interval = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_ECN:
      self->ecn = g_value_get_boolean (value);
      return TRUE;
    case TFRC_SEND_PROP_EXTENSION_ID:
      self->extension_id = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_MTU:
      self->mtu = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER_CONTROL:
      self->encoder_control = g_value_get_boolean (value);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER:
      g_free (self->encoder);
      self->encoder = g_value_dup_string (value);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER_BITRATE_PROPERTY:
      g_free (self->encoder_bitrate_property);
      self->encoder_bitrate_property = g_value_dup_string (value);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER_BITRATE_UNIT:
      self->encoder_bitrate_unit = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER_TUNING:
      self->encoder_tuning = g_value_get_boolean (value);
      return TRUE;
    case TFRC_SEND_PROP_STATS_INTERVAL:
      self->stats_interval = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_CIRCUIT_BREAKER:
      self->circuit_breaker = g_value_get_boolean (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfrc_send_settings_get (const TfrcSendSettings *self, guint prop_id,
    GValue *value)
{
  switch ((TfrcSendProp) prop_id) {
    case TFRC_SEND_PROP_MIN_BITRATE:
      g_value_set_uint (value, self->min_bitrate);
      return TRUE;
    case TFRC_SEND_PROP_START_BITRATE:
      g_value_set_uint (value, self->start_bitrate);
      return TRUE;
    case TFRC_SEND_PROP_MAX_BITRATE:
      g_value_set_uint (value, self->max_bitrate);
      return TRUE;
    case TFRC_SEND_PROP_MAX_QUEUE_TIME:
      g_value_set_uint (value, self->max_queue_time);
      return TRUE;
    case TFRC_SEND_PROP_MODE:
      g_value_set_enum (value, self->mode);
      return TRUE;
    case TFRC_SEND_PROP_FEEDBACK_RTTS:
      g_value_set_double (value, self->feedback_rtts);
      return TRUE;
    case TFRC_SEND_PROP_FEEDBACK_PACKETS:
      g_value_set_double (value, self->feedback_packets);
      return TRUE;
    case TFRC_SEND_PROP_SUPPRESSION_MARGIN:
      g_value_set_double (value, self->suppression_margin);
      return TRUE;
    case TFRC_SEND_PROP_INITIAL_MAX_RTT:
      g_value_set_uint (value, self->initial_max_rtt);
      return TRUE;
    case TFRC_SEND_PROP_SELF_CLOCKING:
      g_value_set_boolean (value, self->self_clocking);
      return TRUE;
    case TFRC_SEND_PROP_RTO_MODE:
      g_value_set_enum (value, self->rto_mode);
      return TRUE;
    case TFRC_SEND_PROP_RTO_SCALE:
      g_value_set_double (value, self->rto_scale);
      return TRUE;
    case TFRC_SEND_PROP_RATE_SCALE:
      g_value_set_double (value, self->rate_scale);
      return TRUE;
    case TFRC_SEND_PROP_OSCILLATION_DAMPING:
      g_value_set_boolean (value, self->oscillation_damping);
      return TRUE;
    case TFRC_SEND_PROP_PROBE_INTERVAL:
      g_value_set_uint (value, self->probe_interval);
      return TRUE;
    case TFRC_SEND_PROP_ECN:
      g_value_set_boolean (value, self->ecn);
      return TRUE;
    case TFRC_SEND_PROP_EXTENSION_ID:
      g_value_set_uint (value, self->extension_id);
      return TRUE;
    case TFRC_SEND_PROP_MTU:
      g_value_set_uint (value, self->mtu);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER_CONTROL:
      g_value_set_boolean (value, self->encoder_control);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER:
      g_value_set_string (value, self->encoder);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER_BITRATE_PROPERTY:
      g_value_set_string (value, self->encoder_bitrate_property);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER_BITRATE_UNIT:
      g_value_set_uint (value, self->encoder_bitrate_unit);
      return TRUE;
    case TFRC_SEND_PROP_ENCODER_TUNING:
      g_value_set_boolean (value, self->encoder_tuning);
      return TRUE;
    case TFRC_SEND_PROP_STATS_INTERVAL:
      g_value_set_uint (value, self->stats_interval);
      return TRUE;
    case TFRC_SEND_PROP_CIRCUIT_BREAKER:
      g_value_set_boolean (value, self->circuit_breaker);
      return TRUE;
    default:
      return FALSE;
  }
}

TfrcFlowConfig
tfrc_send_settings_get_flow_config (const TfrcSendSettings *self)
{
  return (TfrcFlowConfig) {
    .mode = (GstTfrcMode) self->mode,
    .ecn = self->ecn,
    .unicast = get_unicast_config (self),
    .group = get_group_config (self),
  };
}

TfrcRate
tfrc_send_settings_get_min_rate (const TfrcSendSettings *self)
{
  return tfrc_rate_from_bits (self->min_bitrate);
}

TfrcRate
tfrc_send_settings_get_max_rate (const TfrcSendSettings *self)
{
  return self->max_bitrate == 0 ? INFINITY :
      tfrc_rate_from_bits (self->max_bitrate);
}

TfrcEncoderConfig
tfrc_send_settings_get_encoder_config (const TfrcSendSettings *self)
{
  return (TfrcEncoderConfig) {
    .control = self->encoder_control,
    .tuning = self->encoder_tuning,
    .element = self->encoder,
    .property = self->encoder_bitrate_property,
    .unit = self->encoder_bitrate_unit,
    .min_bitrate = self->min_bitrate,
    .start_bitrate = self->start_bitrate,
    .max_bitrate = self->max_bitrate,
  };
}

static TfrcSenderConfig
get_unicast_config (const TfrcSendSettings *self)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.max_segment_size = self->mtu;
  config.probe_interval = self->probe_interval * TFRC_MILLISECOND;
  config.oscillation_damping = self->oscillation_damping;
  config.self_clocking = self->self_clocking;
  config.rto.mode = (TfrcRtoMode) self->rto_mode;
  config.rto.scale = self->rto_scale;
  config.rate_scale = self->rate_scale;
  config.timestamp_offset_us = g_random_int ();
  return config;
}

/* No bound from above: nobody reports more than twice what arrives. */
static TfmccSenderConfig
get_group_config (const TfrcSendSettings *self)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();

  config.max_segment_size = self->mtu;
  config.min_rate = tfrc_send_settings_get_min_rate (self);
  config.round.rtts = self->feedback_rtts;
  config.round.packets = self->feedback_packets;
  config.round.margin = self->suppression_margin;
  config.round.granularity = CLOCK_GRANULARITY;
  config.round.initial_rtt = self->initial_max_rtt * TFRC_MILLISECOND;
  config.timestamp_offset_us = g_random_int ();
  return config;
}
