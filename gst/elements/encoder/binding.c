/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binds to an encoder, sets it, and complains of it. */

#include "encoder/binding.h"

GST_DEBUG_CATEGORY_EXTERN (tfrc_encoder_debug);
#define GST_CAT_DEFAULT tfrc_encoder_debug

TfrcEncoderBinding *
tfrc_encoder_binding_new (GstElement *encoder,
    const TfrcEncoderSettings *settings, GstElement *owner)
{
  TfrcEncoderBinding *self = g_atomic_rc_box_new0 (TfrcEncoderBinding);

  g_weak_ref_init (&self->encoder, encoder);
  self->path = gst_object_get_path_string (GST_OBJECT (encoder));
  if (!tfrc_encoder_property_resolve (&self->property, encoder,
          settings->property, settings->unit)) {
    tfrc_encoder_binding_unref (self);
    return NULL;
  }
  GST_INFO_OBJECT (owner, "encoder=%s property=%s unit_bits_s=%u%s", self->path,
      self->property.name, self->property.unit,
      self->property.unit_guessed ? " (guessed)" : "");
  if (self->property.cost != TFRC_ENCODER_FREE)
    GST_INFO_OBJECT (owner,
        "encoder=%s pays for each new bitrate with a %s: it gets few of them",
        self->path,
        self->property.cost == TFRC_ENCODER_RESTART ? "restart" : "key frame");
  if (settings->tuning)
    tfrc_encoder_property_tune (encoder, settings->delay_controlled, owner);
  return self;
}

TfrcEncoderBinding *
tfrc_encoder_binding_ref (TfrcEncoderBinding *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  TfrcEncoderBinding *self = data;

  g_weak_ref_clear (&self->encoder);
  g_free (self->path);
  tfrc_encoder_property_clear (&self->property);
}

void
tfrc_encoder_binding_unref (TfrcEncoderBinding *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

static gboolean
set (TfrcEncoderBinding *self, GstElement *encoder, guint64 bitrate,
    GstElement *owner)
{
  if (!tfrc_encoder_property_is_settable (&self->property, encoder)) {
    if (!self->late)
      GST_INFO_OBJECT (owner,
          "encoder=%s property=%s cannot be changed while "
          "the encoder is running: pacing only",
          self->path, self->property.name);
    self->late = TRUE;
    return FALSE;
  }
  if (self->bitrate == 0 && !self->has_own)
    self->has_own = tfrc_encoder_property_get (&self->property, encoder,
        &self->own_units);
  tfrc_encoder_property_set (&self->property, encoder, bitrate);
  self->bitrate = bitrate;
  GST_DEBUG_OBJECT (owner, "encoder=%s bitrate_bits_s=%" G_GUINT64_FORMAT,
      self->path, bitrate);
  return TRUE;
}

gboolean
tfrc_encoder_binding_set (TfrcEncoderBinding *self, guint64 bitrate,
    GstElement *owner)
{
  GstElement *encoder = g_weak_ref_get (&self->encoder);
  gboolean changed = encoder != NULL && bitrate != 0 && bitrate != self->bitrate
      && set (self, encoder, bitrate, owner);

  gst_clear_object (&encoder);
  return changed;
}

void
tfrc_encoder_binding_restore (TfrcEncoderBinding *self, GstElement *owner)
{
  GstElement *encoder = g_weak_ref_get (&self->encoder);
  guint64 units;

  if (encoder != NULL && self->bitrate != 0 && self->has_own
      && tfrc_encoder_property_get (&self->property, encoder, &units)
      && units == self->bitrate / self->property.unit
      && tfrc_encoder_property_is_settable (&self->property, encoder)) {
    tfrc_encoder_property_set_units (&self->property, encoder, self->own_units);
    GST_DEBUG_OBJECT (owner, "encoder=%s has its own %s again", self->path,
        self->property.name);
  }
  self->bitrate = 0;
  gst_clear_object (&encoder);
}

void
tfrc_encoder_binding_succeed (TfrcEncoderBinding *self, TfrcEncoderBinding *old)
{
  if (self->property.pspec != old->property.pspec)
    return;
  self->has_own = old->has_own;
  self->own_units = old->own_units;
  old->has_own = FALSE;
}

void
tfrc_encoder_binding_warn (const TfrcEncoderBinding *self, guint64 output,
    guint64 target, GstElement *owner)
{
  GST_ELEMENT_WARNING_WITH_DETAILS (owner, LIBRARY, SETTINGS,
      ("The encoder %s ignores its %s: it makes %" G_GUINT64_FORMAT
       " bits/s, not %" G_GUINT64_FORMAT " bits/s.",
          self->path, self->property.name, output, target),
      ("more than 30 %% above its target for 3 s"),
      ("element", G_TYPE_STRING, self->path, "property", G_TYPE_STRING,
          self->property.name, "target-bitrate", G_TYPE_UINT64, target,
          "output-bitrate", G_TYPE_UINT64, output, NULL));
}
