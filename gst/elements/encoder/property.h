/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bitrate property of one encoder: which it is, its unit and range, when
 * it may be set, and setting it.  Keeps no reference to the encoder. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

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

/* May wait for the frame being encoded. */
void tfrc_encoder_property_set (const TfrcEncoderProperty *self,
    GstElement *encoder, guint64 bitrate);

/* bits/s per unit, from what the property says of itself. */
guint tfrc_encoder_guess_unit (GParamSpec *pspec);

/* The last state in which the flags of `pspec` allow a change; encoders that
 * say nothing (vp8enc) are taken to allow it always. */
GstState tfrc_encoder_get_last_state (GParamSpec *pspec);

/* TRUE once the encoder knows the video's caps: when most set up the codec. */
gboolean tfrc_encoder_has_format (GstElement *encoder);

G_END_DECLS
