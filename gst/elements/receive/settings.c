/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of rtptfrcreceive and the configurations that follow from them. */

#include "receive/settings.h"

#include <gio/gio.h>

#define DEFAULT_MODE GST_TFRC_MODE_AUTO
#define DEFAULT_HISTORY_LENGTH 8
#define DEFAULT_HISTORY_DISCOUNTING TRUE
#define DEFAULT_DISCOUNT_THRESHOLD 0.25
#define DEFAULT_FEEDBACK_SHARE 0.05
#define DEFAULT_EXTENSION_ID 0
#define DEFAULT_RTCP_REDUCED_SIZE TRUE
#define DEFAULT_KEY_FRAME_REQUESTS TRUE
#define DEFAULT_STATS_INTERVAL 0

/* 96 random bits, RFC 7022 section 4.2: neither host nor user. */
static gchar *
make_cname (void)
{
  guint32 random[3];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (random); i++)
    random[i] = g_random_int ();
  return g_base64_encode ((const guchar *) random, sizeof (random));
}

void
tfrc_receive_settings_init (TfrcReceiveSettings *self)
{
  *self = (TfrcReceiveSettings) {
    .mode = DEFAULT_MODE,
    .history_length = DEFAULT_HISTORY_LENGTH,
    .history_discounting = DEFAULT_HISTORY_DISCOUNTING,
    .discount_threshold = DEFAULT_DISCOUNT_THRESHOLD,
    .feedback_share = DEFAULT_FEEDBACK_SHARE,
    .extension_id = DEFAULT_EXTENSION_ID,
    .rtcp_reduced_size = DEFAULT_RTCP_REDUCED_SIZE,
    .rtcp_ssrc = g_random_int (),
    .timestamp_offset_us = g_random_int (),
    .cname = make_cname (),
    .key_frame_requests = DEFAULT_KEY_FRAME_REQUESTS,
    .stats_interval = DEFAULT_STATS_INTERVAL,
  };
  tfmcc_member_settings_init (&self->member);
}

void
tfrc_receive_settings_clear (TfrcReceiveSettings *self)
{
  g_clear_pointer (&self->cname, g_free);
}

static void
install_measurement_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "Protocol to speak; auto = the one whose header extension the caps "
          "name, else the packets have (default: auto)",
          GST_TYPE_TFRC_MODE, DEFAULT_MODE, flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_HISTORY_LENGTH,
      g_param_spec_uint ("history-length", "History length",
          "Loss intervals that the loss event rate is the mean of (n of "
          "RFC 5348 and 4654); more is smoother and slower (default: 8)",
          2, 256, DEFAULT_HISTORY_LENGTH, flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_HISTORY_DISCOUNTING,
      g_param_spec_boolean ("history-discounting", "History discounting",
          "Give less weight to old loss intervals while a long time passes "
          "without loss, RFC 5348 section 5.5 (default: true)",
          DEFAULT_HISTORY_DISCOUNTING, flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_DISCOUNT_THRESHOLD,
      g_param_spec_double ("discount-threshold", "Discount threshold",
          "Lower bound of the discount factor of history-discounting, from 0 "
          "to 1, no unit; TFMCC has 0.5 (default: 0.25)",
          0.001, 1.0, DEFAULT_DISCOUNT_THRESHOLD, flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_FEEDBACK_SHARE,
      g_param_spec_double ("feedback-share", "Feedback share",
          "Fraction of the flow's bitrate that reports may take before they "
          "come less often than once per round trip; 0 = no limit "
          "(default: 0.05)",
          0.0, 1.0, DEFAULT_FEEDBACK_SHARE, flags));
}

static void
install_rtcp_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_EXTENSION_ID,
      g_param_spec_uint ("extension-id", "Extension id",
          "Id of the RTP header extension of TFRC or TFMCC; 0 = from the caps "
          "(extmap-N), else learnt from the packets (default: 0)",
          0, 255, DEFAULT_EXTENSION_ID, flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_RTCP_REDUCED_SIZE,
      g_param_spec_boolean ("rtcp-reduced-size", "RTCP reduced size",
          "Send reports alone (RFC 5506) instead of in a compound packet with "
          "an empty RR and SDES CNAME (default: true)",
          DEFAULT_RTCP_REDUCED_SIZE, flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_RTCP_SSRC,
      g_param_spec_uint ("rtcp-ssrc", "RTCP SSRC",
          "SSRC that reports come from; that of the rtpsession beside this "
          "element (default: random)",
          0, G_MAXUINT32, 0, flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_CNAME,
      g_param_spec_string ("cname", "CNAME",
          "CNAME of compound reports; that of the rtpsession beside this "
          "element; NULL = a new random one (default: random)",
          NULL, flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_KEY_FRAME_REQUESTS,
      g_param_spec_boolean ("key-frame-requests", "Key frame requests",
          "Ask the sender for a key frame (RTCP PLI) when a video stream "
          "appears and after loss (default: true)",
          DEFAULT_KEY_FRAME_REQUESTS, flags));
}

static void
install_stats_properties (GObjectClass *klass)
{
  const GParamFlags read_flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_SOURCE_ADDRESS,
      g_param_spec_object ("source-address", "Source address",
          "Address of the sender by the newest packet that proved itself; "
          "NULL = not known (default: NULL)",
          G_TYPE_SOCKET_ADDRESS, read_flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "What was measured; the fields are listed in the element's "
          "description",
          GST_TYPE_STRUCTURE, read_flags));
  g_object_class_install_property (klass, TFRC_RECEIVE_PROP_STATS_INTERVAL,
      g_param_spec_uint ("stats-interval", "Statistics interval",
          "Milliseconds between tfrc-stats element messages; 0 = none "
          "(default: 0)",
          0, G_MAXUINT, DEFAULT_STATS_INTERVAL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
}

void
tfrc_receive_settings_install (GObjectClass *klass)
{
  install_measurement_properties (klass);
  install_rtcp_properties (klass);
  install_stats_properties (klass);
  tfmcc_member_settings_install (klass, TFRC_RECEIVE_PROP_MEMBER);
}

gboolean
tfrc_receive_settings_set (TfrcReceiveSettings *self, guint prop_id,
    const GValue *value)
{
  switch (prop_id) {
    case TFRC_RECEIVE_PROP_MODE:
      self->mode = g_value_get_enum (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_HISTORY_LENGTH:
      self->history_length = g_value_get_uint (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_HISTORY_DISCOUNTING:
      self->history_discounting = g_value_get_boolean (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_DISCOUNT_THRESHOLD:
      self->discount_threshold = g_value_get_double (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_FEEDBACK_SHARE:
      self->feedback_share = g_value_get_double (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_EXTENSION_ID:
      self->extension_id = g_value_get_uint (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_RTCP_REDUCED_SIZE:
      self->rtcp_reduced_size = g_value_get_boolean (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_RTCP_SSRC:
      self->rtcp_ssrc = g_value_get_uint (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_CNAME:
      g_free (self->cname);
      self->cname = g_value_dup_string (value);
      if (!self->cname)
        self->cname = make_cname ();
      return TRUE;
    case TFRC_RECEIVE_PROP_KEY_FRAME_REQUESTS:
      self->key_frame_requests = g_value_get_boolean (value);
      return TRUE;
    case TFRC_RECEIVE_PROP_STATS_INTERVAL:
      self->stats_interval = g_value_get_uint (value);
      return TRUE;
    default:
      return tfmcc_member_settings_set (&self->member,
          prop_id - TFRC_RECEIVE_PROP_MEMBER, value);
  }
}

gboolean
tfrc_receive_settings_get (const TfrcReceiveSettings *self, guint prop_id,
    GValue *value)
{
  switch (prop_id) {
    case TFRC_RECEIVE_PROP_MODE:
      g_value_set_enum (value, self->mode);
      return TRUE;
    case TFRC_RECEIVE_PROP_HISTORY_LENGTH:
      g_value_set_uint (value, self->history_length);
      return TRUE;
    case TFRC_RECEIVE_PROP_HISTORY_DISCOUNTING:
      g_value_set_boolean (value, self->history_discounting);
      return TRUE;
    case TFRC_RECEIVE_PROP_DISCOUNT_THRESHOLD:
      g_value_set_double (value, self->discount_threshold);
      return TRUE;
    case TFRC_RECEIVE_PROP_FEEDBACK_SHARE:
      g_value_set_double (value, self->feedback_share);
      return TRUE;
    case TFRC_RECEIVE_PROP_EXTENSION_ID:
      g_value_set_uint (value, self->extension_id);
      return TRUE;
    case TFRC_RECEIVE_PROP_RTCP_REDUCED_SIZE:
      g_value_set_boolean (value, self->rtcp_reduced_size);
      return TRUE;
    case TFRC_RECEIVE_PROP_RTCP_SSRC:
      g_value_set_uint (value, self->rtcp_ssrc);
      return TRUE;
    case TFRC_RECEIVE_PROP_CNAME:
      g_value_set_string (value, self->cname);
      return TRUE;
    case TFRC_RECEIVE_PROP_KEY_FRAME_REQUESTS:
      g_value_set_boolean (value, self->key_frame_requests);
      return TRUE;
    case TFRC_RECEIVE_PROP_STATS_INTERVAL:
      g_value_set_uint (value, self->stats_interval);
      return TRUE;
    default:
      return tfmcc_member_settings_get (&self->member,
          prop_id - TFRC_RECEIVE_PROP_MEMBER, value);
  }
}

TfrcReportFormat
tfrc_receive_settings_get_report_format (const TfrcReceiveSettings *self)
{
  TfrcReportFormat format = {
    .reduced_size = self->rtcp_reduced_size,
    .ssrc = self->rtcp_ssrc,
    .cname = self->cname,
  };

  return format;
}

TfrcReceiverConfig
tfrc_receive_settings_get_receiver_config (const TfrcReceiveSettings *self)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();
  TfrcReportFormat format = tfrc_receive_settings_get_report_format (self);

  config.history_length = self->history_length;
  config.history_discounting = self->history_discounting;
  config.discount_threshold = self->discount_threshold;
  config.feedback_share = self->feedback_share;
  config.feedback_size = tfrc_report_get_wire_size (&format);
  return config;
}

TfmccReceiverConfig
tfrc_receive_settings_get_member_config (const TfrcReceiveSettings *self)
{
  TfmccReceiverConfig config = tfmcc_receiver_config_default ();

  config.ssrc = self->rtcp_ssrc;
  config.history_length = self->history_length;
  config.history_discounting = self->history_discounting;
  config.timestamp_offset_us = self->timestamp_offset_us;
  config.seed = (guint64) g_random_int () << 32 | g_random_int ();
  tfmcc_member_settings_configure (&self->member, &config);
  return config;
}
