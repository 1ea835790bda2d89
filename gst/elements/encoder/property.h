/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of one encoder: which takes its bitrate, in which unit and
 * range, when it may be set, and setting it; and those that let it follow a new
 * bitrate.  Keeps no reference to the encoder.
 *
 * What is known of encoders by their name is in tables. */
#pragma once

#include <gst/gst.h>

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

/* The name of its factory; "" for an element made without one. */
const gchar *tfrc_encoder_get_factory_name (GstElement *element);

typedef struct
{
  gchar *name;
  const gchar *field; /* of a GstStructure property; else NULL */
  GParamSpec *pspec;
  guint unit;            /* bits/s per unit */
  gboolean unit_guessed; /* from the range and the blurb */
  guint64 min_bitrate;   /* [bits/s], never 0: that means automatic */
  guint64 max_bitrate;   /* [bits/s] */
  GstState last_state;   /* it may be set in this state and below */
  gboolean live;         /* FALSE: only until the encoder has caps */
  TfrcEncoderCost cost;
} TfrcEncoderProperty;

/* `name` and `unit` override the table (NULL, 0: from the table, or else the
 * first of `bitrate` and `target-bitrate` that is a writable number).  FALSE:
 * no such property.  Clear it after use. */
gboolean tfrc_encoder_property_resolve (TfrcEncoderProperty *self,
    GstElement *encoder, const gchar *name, guint unit);
void tfrc_encoder_property_clear (TfrcEncoderProperty *self);

/* `bitrate` as the property can express it: in whole units, rounded down,
 * within its range [bits/s]. */
guint64 tfrc_encoder_property_quantize (const TfrcEncoderProperty *self,
    guint64 bitrate);

/* FALSE: the encoder is past the point up to which it takes a new value. */
gboolean tfrc_encoder_property_is_settable (const TfrcEncoderProperty *self,
    GstElement *encoder);

/* As it stands, in its units.  FALSE: a field that is not there. */
gboolean tfrc_encoder_property_get (const TfrcEncoderProperty *self,
    GstElement *encoder, guint64 *units);

/* Both may wait for the frame being encoded; the second knows no range. */
void tfrc_encoder_property_set (const TfrcEncoderProperty *self,
    GstElement *encoder, guint64 bitrate);
void tfrc_encoder_property_set_units (const TfrcEncoderProperty *self,
    GstElement *encoder, guint64 units);

/* bits/s per unit, from what the property says of itself. */
guint tfrc_encoder_property_guess_unit (GParamSpec *pspec);

/* Sets what an encoder's rate control needs besides the bitrate, where the user
 * left it at its default: a property that was set to its default on purpose
 * cannot be told from one left alone.  Logs as `owner`.  May wait for the frame
 * being encoded. */
void tfrc_encoder_property_tune (GstElement *encoder, gboolean delay_controlled,
    GstElement *owner);
