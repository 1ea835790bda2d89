/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The encoder that was found, and its bitrate property.  Keeps no reference to
 * the encoder, and does nothing once it is gone.
 *
 * Reference counted.  What it is bound to never changes and may be read from
 * any thread; the functions but for unref are the worker's, with no lock held,
 * because they may wait for the frame being encoded.  `owner` logs and posts. */
#pragma once

#include <gst/gst.h>

#include "encoder/property.h"
#include "encoder/settings.h"

typedef struct
{
  GWeakRef encoder;
  gchar *path;
  TfrcEncoderProperty property;

  /* Worker only. */
  guint64 bitrate;   /* the last set [bits/s]; 0 = none */
  gboolean has_own;  /* one to go back to */
  guint64 own_units; /* what stood before, in units of the property */
  gboolean late;     /* said that it is too late */
} TfrcEncoderBinding;

/* Tunes the encoder, too, if `settings` lets it.  NULL: it has nothing to set. */
TfrcEncoderBinding *tfrc_encoder_binding_new (GstElement *encoder,
    const TfrcEncoderSettings *settings, GstElement *owner);
TfrcEncoderBinding *tfrc_encoder_binding_ref (TfrcEncoderBinding *self);
void tfrc_encoder_binding_unref (TfrcEncoderBinding *self);

/* TRUE: it was set; else it stands already, or cannot be. */
gboolean tfrc_encoder_binding_set (TfrcEncoderBinding *self, guint64 bitrate,
    GstElement *owner);

/* Sets what stood before the first was set, unless somebody else has set another
 * since. */
void tfrc_encoder_binding_restore (TfrcEncoderBinding *self, GstElement *owner);

/* The same encoder and property: what stood before stands in `old`. */
void tfrc_encoder_binding_succeed (TfrcEncoderBinding *self,
    TfrcEncoderBinding *old);

/* Posts that the encoder makes `output` and not `target` [bits/s]. */
void tfrc_encoder_binding_warn (const TfrcEncoderBinding *self, guint64 output,
    guint64 target, GstElement *owner);
