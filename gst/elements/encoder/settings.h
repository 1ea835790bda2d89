/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set about the control of the encoder. */
#pragma once

#include <gst/gst.h>

typedef struct
{
  gboolean control;          /* FALSE: leave the encoder alone */
  gboolean tuning;           /* FALSE: touch nothing but the bitrate */
  gboolean delay_controlled; /* what the encoder makes is to leave soon */
  gchar *element;            /* name in the pipeline; NULL = nearest upstream */
  gchar *property;           /* bitrate property; NULL = from the table */
  guint unit;                /* bits/s per unit of it; 0 = from the table */
  guint min_bitrate;         /* [bits/s] */
  guint start_bitrate;       /* until the first update [bits/s] */
  guint max_bitrate;         /* [bits/s]; 0 = none */
} TfrcEncoderSettings;

/* Installs the properties but for the bitrates, of settings that are at `offset`
 * of those of the element; see common/properties.h. */
void tfrc_encoder_settings_install (GObjectClass *klass, guint id,
    gsize offset);

/* With strings of its own. */
TfrcEncoderSettings
tfrc_encoder_settings_copy (const TfrcEncoderSettings *self);
void tfrc_encoder_settings_clear (TfrcEncoderSettings *self);
