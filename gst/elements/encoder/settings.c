/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of the control of an encoder. */

#include "encoder/settings.h"

#include "common/properties.h"

/* In a function that has klass, offset and id. */
#define INSTALL(field, type, ...) \
  tfrc_properties_install (klass, id, \
      offset + G_STRUCT_OFFSET (TfrcEncoderSettings, field), \
      g_param_spec_##type (__VA_ARGS__))

void
tfrc_encoder_settings_install (GObjectClass *klass, guint id, gsize offset)
{
  INSTALL (control, boolean, "encoder-control", "Encoder control",
      "Set the bitrates of the video encoders upstream, and back when they "
      "are let go of (default: true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
  INSTALL (element, string, "encoder", "Encoder",
      "Name of the only encoder element to set (default: NULL = the "
      "nearest video encoder upstream of each pad)",
      NULL, TFRC_PROPERTY_ANY_STATE);
  INSTALL (property, string, "encoder-bitrate-property",
      "Encoder bitrate property",
      "The encoder's property that takes its bitrate (default: NULL = "
      "known for common encoders, else guessed)",
      NULL, TFRC_PROPERTY_ANY_STATE);
  INSTALL (unit, uint, "encoder-bitrate-unit", "Encoder bitrate unit",
      "Unit of encoder-bitrate-property, 1000 for kbit/s (bits/s, "
      "default: 0 = known for common encoders, else guessed)",
      0, 1000000, 0, TFRC_PROPERTY_ANY_STATE);
  INSTALL (tuning, boolean, "encoder-tuning", "Encoder tuning",
      "Also set what lets the encoder follow a new bitrate at once, such "
      "as the VBV of x264enc, where it stands at its default "
      "(default: true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
}

TfrcEncoderSettings
tfrc_encoder_settings_copy (const TfrcEncoderSettings *self)
{
  TfrcEncoderSettings copy = *self;

  copy.element = g_strdup (self->element);
  copy.property = g_strdup (self->property);
  return copy;
}

void
tfrc_encoder_settings_clear (TfrcEncoderSettings *self)
{
  g_clear_pointer (&self->element, g_free);
  g_clear_pointer (&self->property, g_free);
}
