/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of an encoder: the one for its bitrate, with unit, range and when it may
 * be set, and setting it; and those that let it follow a new bitrate.  Keeps no reference
 * to the encoder.
 *
 * What is known about encoders, by the names of their factories, is in tables. */
#pragma once

#include <gst/gst.h>

/* What setting a new bitrate costs while the encoder runs. */
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
  gboolean live;      /* FALSE: not possible once it has caps */
  TfrcEncoderCost cost;
} TfrcEncoderEntry;

/* A property that rate control needs to have value `to`; set only if it is `from`, the
 * default.  Enums and booleans as numbers. */
typedef struct
{
  const gchar *factory;
  const gchar *property;
  gint64 from;
  gint64 to;
  gint64 to_with_delay_control; /* 0 = the same */
  gboolean live;                /* FALSE: read when the encoder gets caps */
} TfrcEncoderTuning;

/* NULL: the factory is not known. */
const TfrcEncoderEntry *tfrc_encoder_table_lookup (const gchar *factory);

/* The first tuning for `factory` after `previous` (NULL to begin), or NULL. */
const TfrcEncoderTuning *tfrc_encoder_table_next_tuning (const gchar *factory,
    const TfrcEncoderTuning *previous);

/* The name of the element's factory; "" if it was made without one. */
const gchar *tfrc_encoder_get_factory_name (GstElement *element);

typedef struct
{
  gchar *name;
  const gchar *field; /* of a GstStructure property; else NULL */
  GParamSpec *pspec;
  guint unit;            /* bits/s per unit */
  gboolean unit_guessed; /* from the range and the blurb */
  guint64 min_bitrate;   /* [bits/s], never 0, which means automatic */
  guint64 max_bitrate;   /* [bits/s] */
  GstState last_state;   /* highest state in which it may be set */
  gboolean live;         /* FALSE: only until the encoder has caps */
  TfrcEncoderCost cost;
} TfrcEncoderProperty;

/* Finds the bitrate property.  `name` and `unit` override the table; NULL and 0: by the
 * table, else the first of `bitrate` and `target-bitrate` that is a writable number.
 * FALSE: there is none.  Clear it after use. */
gboolean tfrc_encoder_property_resolve (TfrcEncoderProperty *self,
    GstElement *encoder, const gchar *name, guint unit);
void tfrc_encoder_property_clear (TfrcEncoderProperty *self);

/* `bitrate` as the property can express it: in whole units, rounded down,
 * within its range [bits/s]. */
guint64 tfrc_encoder_property_quantize (const TfrcEncoderProperty *self,
    guint64 bitrate);

/* FALSE: it is too late for the encoder to accept a new value. */
gboolean tfrc_encoder_property_is_settable (const TfrcEncoderProperty *self,
    GstElement *encoder);

/* The present value in the property's units.  FALSE: the structure has no such field. */
gboolean tfrc_encoder_property_get (const TfrcEncoderProperty *self,
    GstElement *encoder, guint64 *units);

/* Both may wait for the frame being encoded.  The second one sets the value as it is,
 * without regard to the range. */
void tfrc_encoder_property_set (const TfrcEncoderProperty *self,
    GstElement *encoder, guint64 bitrate);
void tfrc_encoder_property_set_units (const TfrcEncoderProperty *self,
    GstElement *encoder, guint64 units);

/* Guesses the unit [bits/s] from the property's description, range and default. */
guint tfrc_encoder_property_guess_unit (GParamSpec *pspec);

/* Sets the properties that an encoder's rate control needs besides the bitrate, if they
 * have their defaults: whether the user set a default on purpose cannot be known.  Logs
 * as `owner`.  May wait for the frame being encoded, but not if `early`: then it sets
 * those only that cannot be set once the encoder has caps. */
void tfrc_encoder_property_tune (GstElement *encoder, gboolean early,
    gboolean delay_controlled, GstElement *owner);
