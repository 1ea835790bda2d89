/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies the tunings of the table to an encoder. */

#include "encoder/tuning.h"

#include "encoder/finder.h"
#include "encoder/property.h"
#include "encoder/table.h"

GST_DEBUG_CATEGORY_EXTERN (tfrc_encoder_debug);
#define GST_CAT_DEFAULT tfrc_encoder_debug

static void apply (const TfrcEncoderTuning *tuning, GstElement *encoder,
    GstElement *owner);

void
tfrc_encoder_tune (GstElement *encoder, GstElement *owner)
{
  const gchar *factory = tfrc_encoder_get_factory_name (encoder);
  const TfrcEncoderTuning *tuning = NULL;

  while ((tuning = tfrc_encoder_table_next_tuning (factory, tuning)) != NULL)
    apply (tuning, encoder, owner);
}

/* GObject converts between int64 and the property's own type, enums too. */
static void
apply (const TfrcEncoderTuning *tuning, GstElement *encoder, GstElement *owner)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (encoder),
          tuning->property);
  GValue value = G_VALUE_INIT;
  GstState state;

  if (pspec == NULL)
    return;
  g_value_init (&value, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (encoder), tuning->property, &value);
  if (g_value_get_int64 (&value) != tuning->from)
    return;

  GST_OBJECT_LOCK (encoder);
  state = GST_STATE (encoder);
  GST_OBJECT_UNLOCK (encoder);
  if (state > tfrc_encoder_get_last_state (pspec)
      || (!tuning->live && tfrc_encoder_has_format (encoder))) {
    GST_INFO_OBJECT (owner, "encoder=%s property=%s too late to tune",
        GST_OBJECT_NAME (encoder), tuning->property);
    return;
  }
  g_value_set_int64 (&value, tuning->to);
  g_object_set_property (G_OBJECT (encoder), tuning->property, &value);
  GST_INFO_OBJECT (owner,
      "encoder=%s property=%s tuned from=%" G_GINT64_FORMAT
      " to=%" G_GINT64_FORMAT,
      GST_OBJECT_NAME (encoder), tuning->property, tuning->from, tuning->to);
}
