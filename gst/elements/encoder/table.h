/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of the video encoders: where their bitrate is set, in which
 * unit, and what they need to keep it.  Names only: nothing here touches an
 * element. */
#pragma once

#include <glib.h>

/* What a new bitrate costs while the encoder runs. */
typedef enum
{
  TFRC_ENCODER_FREE,
  TFRC_ENCODER_KEY_FRAME,
  TFRC_ENCODER_RESTART, /* and a key frame */
} TfrcEncoderCost;

typedef struct
{
  const gchar *factory; /* name or pattern with * */
  const gchar *property;
  const gchar *field; /* of a GstStructure property; else NULL */
  guint unit;         /* bits/s per unit */
  gboolean live;      /* FALSE: refused once it has its caps */
  TfrcEncoderCost cost;
} TfrcEncoderEntry;

/* One property that rate control needs, where it stands at `from`, its
 * default.  Enums and booleans by their number. */
typedef struct
{
  const gchar *factory;
  const gchar *property;
  gint64 from;
  gint64 to;
  gint64 to_with_delay_control; /* 0 = the same */
  gboolean live;                /* FALSE: read when the encoder has its caps */
} TfrcEncoderTuning;

/* NULL where the factory is not known. */
const TfrcEncoderEntry *tfrc_encoder_table_lookup (const gchar *factory);

/* The first tuning for `factory` after `previous` (NULL to begin), or NULL. */
const TfrcEncoderTuning *tfrc_encoder_table_next_tuning (const gchar *factory,
    const TfrcEncoderTuning *previous);
