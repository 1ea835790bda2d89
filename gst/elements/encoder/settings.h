/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set about the control of the encoder: one struct and its
 * GObject properties.  Names, ranges, defaults and texts are here. */
#pragma once

#include <gst/gst.h>

#include "encoder/encoder.h"

G_BEGIN_DECLS

/* Property ids, from the one that they are installed at. */
typedef enum
{
  TFRC_ENCODER_PROP_CONTROL,
  TFRC_ENCODER_PROP_ENCODER,
  TFRC_ENCODER_PROP_BITRATE_PROPERTY,
  TFRC_ENCODER_PROP_BITRATE_UNIT,
  TFRC_ENCODER_PROP_TUNING,
  TFRC_ENCODER_N_PROPS
} TfrcEncoderProp;

typedef struct
{
  gboolean control;
  gchar *encoder;          /* owned; may be NULL */
  gchar *bitrate_property; /* owned; may be NULL */
  guint bitrate_unit;      /* [bits/s per unit]; 0 = from the table */
  gboolean tuning;
} TfrcEncoderSettings;

void tfrc_encoder_settings_init (TfrcEncoderSettings *self);
void tfrc_encoder_settings_clear (TfrcEncoderSettings *self);

/* Installs TFRC_ENCODER_N_PROPS properties on an element class. */
void tfrc_encoder_settings_install (GObjectClass *klass, guint first_id);

/* FALSE: no such setting. */
gboolean tfrc_encoder_settings_set (TfrcEncoderSettings *self, guint prop,
    const GValue *value);
gboolean tfrc_encoder_settings_get (const TfrcEncoderSettings *self, guint prop,
    GValue *value);

/* Sets what follows from these settings; the strings stay theirs. */
void tfrc_encoder_settings_configure (const TfrcEncoderSettings *self,
    TfrcEncoderConfig *config);

G_END_DECLS
