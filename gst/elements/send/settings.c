/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of rtptfrcsend and the configurations that follow from them. */

#include "send/settings.h"

#include <math.h>

#define DEFAULT_MIN_BITRATE 32000
#define DEFAULT_START_BITRATE 300000
#define DEFAULT_MAX_BITRATE 20000000
#define DEFAULT_MAX_QUEUE_TIME 200
#define DEFAULT_MODE GST_TFRC_MODE_AUTO
#define DEFAULT_ECN FALSE
#define DEFAULT_EXTENSION_ID 0
#define DEFAULT_MTU 1400
#define DEFAULT_STATS_INTERVAL 0
#define DEFAULT_CIRCUIT_BREAKER TRUE

#define MAX_MAX_QUEUE_TIME 60000

static TfrcSenderConfig get_unicast_config (const TfrcSendSettings *self);
static TfmccSenderConfig get_group_config (const TfrcSendSettings *self);

void
tfrc_send_settings_init (TfrcSendSettings *self)
{
  *self = (TfrcSendSettings) {
    .min_bitrate = DEFAULT_MIN_BITRATE,
    .start_bitrate = DEFAULT_START_BITRATE,
    .max_bitrate = DEFAULT_MAX_BITRATE,
    .max_queue_time = DEFAULT_MAX_QUEUE_TIME,
    .mode = DEFAULT_MODE,
    .ecn = DEFAULT_ECN,
    .extension_id = DEFAULT_EXTENSION_ID,
    .mtu = DEFAULT_MTU,
    .stats_interval = DEFAULT_STATS_INTERVAL,
    .circuit_breaker = DEFAULT_CIRCUIT_BREAKER,
  };
  tfmcc_group_settings_init (&self->group);
  tfrc_unicast_settings_init (&self->unicast);
  tfrc_encoder_settings_init (&self->encoder);
}

void
tfrc_send_settings_clear (TfrcSendSettings *self)
{
  tfrc_encoder_settings_clear (&self->encoder);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define ANY_STATE (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define BEFORE_PAUSED (FLAGS | GST_PARAM_MUTABLE_READY)

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
install_flow_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, TFRC_SEND_PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "The protocol, chosen on the way to PAUSED; auto: TFMCC where the "
          "first caps name its header extension, else TFRC (default auto)",
          GST_TYPE_TFRC_MODE, DEFAULT_MODE, BEFORE_PAUSED));
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
          "(default 0 = 14, or the highest free below)",
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
          "(RFC 8083; default true)",
          DEFAULT_CIRCUIT_BREAKER, ANY_STATE));
}

void
tfrc_send_settings_install (GObjectClass *klass)
{
  install_rate_properties (klass);
  install_flow_properties (klass);
  tfmcc_group_settings_install (klass, TFRC_SEND_PROP_GROUP);
  tfrc_unicast_settings_install (klass, TFRC_SEND_PROP_UNICAST);
  tfrc_encoder_settings_install (klass, TFRC_SEND_PROP_ENCODER);

  g_object_class_install_property (klass, TFRC_SEND_PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "State and counters of the flow; the fields are listed in the "
          "element's description",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
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
    case TFRC_SEND_PROP_ECN:
      self->ecn = g_value_get_boolean (value);
      return TRUE;
    case TFRC_SEND_PROP_EXTENSION_ID:
      self->extension_id = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_MTU:
      self->mtu = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_STATS_INTERVAL:
      self->stats_interval = g_value_get_uint (value);
      return TRUE;
    case TFRC_SEND_PROP_CIRCUIT_BREAKER:
      self->circuit_breaker = g_value_get_boolean (value);
      return TRUE;
    default:
      /* In a range that begins above it an id wraps around, to none. */
      return tfmcc_group_settings_set (&self->group,
                 prop_id - TFRC_SEND_PROP_GROUP, value)
          || tfrc_unicast_settings_set (&self->unicast,
              prop_id - TFRC_SEND_PROP_UNICAST, value)
          || tfrc_encoder_settings_set (&self->encoder,
              prop_id - TFRC_SEND_PROP_ENCODER, value);
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
    case TFRC_SEND_PROP_ECN:
      g_value_set_boolean (value, self->ecn);
      return TRUE;
    case TFRC_SEND_PROP_EXTENSION_ID:
      g_value_set_uint (value, self->extension_id);
      return TRUE;
    case TFRC_SEND_PROP_MTU:
      g_value_set_uint (value, self->mtu);
      return TRUE;
    case TFRC_SEND_PROP_STATS_INTERVAL:
      g_value_set_uint (value, self->stats_interval);
      return TRUE;
    case TFRC_SEND_PROP_CIRCUIT_BREAKER:
      g_value_set_boolean (value, self->circuit_breaker);
      return TRUE;
    default:
      /* In a range that begins above it an id wraps around, to none. */
      return tfmcc_group_settings_get (&self->group,
                 prop_id - TFRC_SEND_PROP_GROUP, value)
          || tfrc_unicast_settings_get (&self->unicast,
              prop_id - TFRC_SEND_PROP_UNICAST, value)
          || tfrc_encoder_settings_get (&self->encoder,
              prop_id - TFRC_SEND_PROP_ENCODER, value);
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
  return self->max_bitrate == 0 ? INFINITY
                                : tfrc_rate_from_bits (self->max_bitrate);
}

TfrcEncoderConfig
tfrc_send_settings_get_encoder_config (const TfrcSendSettings *self)
{
  TfrcEncoderConfig config = {
    .min_bitrate = self->min_bitrate,
    .start_bitrate = self->start_bitrate,
    .max_bitrate = self->max_bitrate,
  };

  tfrc_encoder_settings_configure (&self->encoder, &config);
  return config;
}

static TfrcSenderConfig
get_unicast_config (const TfrcSendSettings *self)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.max_segment_size = self->mtu;
  tfrc_unicast_settings_configure (&self->unicast, &config);
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
  tfmcc_group_settings_configure (&self->group, &config);
  config.timestamp_offset_us = g_random_int ();
  return config;
}
