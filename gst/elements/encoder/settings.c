/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of the control of an encoder. */

#include "encoder/settings.h"

#define DEFAULT_CONTROL TRUE
#define DEFAULT_BITRATE_UNIT 0
#define DEFAULT_TUNING TRUE

void
tfrc_encoder_settings_init (TfrcEncoderSettings *self)
{
  *self = (TfrcEncoderSettings) {
    .control = DEFAULT_CONTROL,
    .bitrate_unit = DEFAULT_BITRATE_UNIT,
    .tuning = DEFAULT_TUNING,
  };
}

void
tfrc_encoder_settings_clear (TfrcEncoderSettings *self)
{
  g_clear_pointer (&self->encoder, g_free);
  g_clear_pointer (&self->bitrate_property, g_free);
}

void
tfrc_encoder_settings_install (GObjectClass *klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, first_id + TFRC_ENCODER_PROP_CONTROL,
      g_param_spec_boolean ("encoder-control", "Encoder control",
          "Set the bitrate of the video encoder upstream (default true)",
          DEFAULT_CONTROL, flags));
  g_object_class_install_property (klass, first_id + TFRC_ENCODER_PROP_ENCODER,
      g_param_spec_string ("encoder", "Encoder",
          "Name of the encoder element (default NULL = the nearest video "
          "encoder upstream)",
          NULL, flags));
  g_object_class_install_property (klass,
      first_id + TFRC_ENCODER_PROP_BITRATE_PROPERTY,
      g_param_spec_string ("encoder-bitrate-property",
          "Encoder bitrate property",
          "The encoder's property that takes its bitrate (default NULL = "
          "known for common encoders, else guessed)",
          NULL, flags));
  g_object_class_install_property (klass,
      first_id + TFRC_ENCODER_PROP_BITRATE_UNIT,
      g_param_spec_uint ("encoder-bitrate-unit", "Encoder bitrate unit",
          "Unit of encoder-bitrate-property, 1000 for kbit/s (bits/s, default "
          "0 = known for common encoders, else guessed)",
          0, 1000000, DEFAULT_BITRATE_UNIT, flags));
  g_object_class_install_property (klass, first_id + TFRC_ENCODER_PROP_TUNING,
      g_param_spec_boolean ("encoder-tuning", "Encoder tuning",
          "Also set what lets the encoder follow a new bitrate at once, such "
          "as the VBV of x264enc, where it stands at its default "
          "(default true)",
          DEFAULT_TUNING, flags));
}

gboolean
tfrc_encoder_settings_set (TfrcEncoderSettings *self, guint prop,
    const GValue *value)
{
  switch (prop) {
    case TFRC_ENCODER_PROP_CONTROL:
      self->control = g_value_get_boolean (value);
      return TRUE;
    case TFRC_ENCODER_PROP_ENCODER:
      g_free (self->encoder);
      self->encoder = g_value_dup_string (value);
      return TRUE;
    case TFRC_ENCODER_PROP_BITRATE_PROPERTY:
      g_free (self->bitrate_property);
      self->bitrate_property = g_value_dup_string (value);
      return TRUE;
    case TFRC_ENCODER_PROP_BITRATE_UNIT:
      self->bitrate_unit = g_value_get_uint (value);
      return TRUE;
    case TFRC_ENCODER_PROP_TUNING:
      self->tuning = g_value_get_boolean (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfrc_encoder_settings_get (const TfrcEncoderSettings *self, guint prop,
    GValue *value)
{
  switch (prop) {
    case TFRC_ENCODER_PROP_CONTROL:
      g_value_set_boolean (value, self->control);
      return TRUE;
    case TFRC_ENCODER_PROP_ENCODER:
      g_value_set_string (value, self->encoder);
      return TRUE;
    case TFRC_ENCODER_PROP_BITRATE_PROPERTY:
      g_value_set_string (value, self->bitrate_property);
      return TRUE;
    case TFRC_ENCODER_PROP_BITRATE_UNIT:
      g_value_set_uint (value, self->bitrate_unit);
      return TRUE;
    case TFRC_ENCODER_PROP_TUNING:
      g_value_set_boolean (value, self->tuning);
      return TRUE;
    default:
      return FALSE;
  }
}

void
tfrc_encoder_settings_configure (const TfrcEncoderSettings *self,
    TfrcEncoderConfig *config)
{
  config->control = self->control;
  config->tuning = self->tuning;
  config->element = self->encoder;
  config->property = self->bitrate_property;
  config->unit = self->bitrate_unit;
}
