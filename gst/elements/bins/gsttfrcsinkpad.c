/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the priority; rtptfrcsend looks for it upstream. */

#include "bins/gsttfrcsinkpad.h"

#include "common/priority.h"

enum
{
  PROP_PRIORITY = 1,
};

struct _GstTfrcSinkPad
{
  GstGhostPad parent;

  GstTfrcPriority priority; /* object lock */
};

G_DEFINE_TYPE (GstTfrcSinkPad, gst_tfrc_sink_pad, GST_TYPE_GHOST_PAD);

GstPad *
gst_tfrc_sink_pad_new (const gchar *name, GstPad *target,
    GstPadTemplate *template)
{
  GstPad *pad = g_object_new (GST_TYPE_TFRC_SINK_PAD, "name", name, "direction",
      GST_PAD_SINK, "template", template, NULL);

  if (!gst_ghost_pad_set_target (GST_GHOST_PAD (pad), target)) {
    gst_object_unref (pad);
    return NULL;
  }
  return pad;
}

static void
gst_tfrc_sink_pad_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  if (id != PROP_PRIORITY) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  GST_TFRC_SINK_PAD (object)->priority = g_value_get_enum (value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_tfrc_sink_pad_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  if (id != PROP_PRIORITY) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  g_value_set_enum (value, GST_TFRC_SINK_PAD (object)->priority);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_tfrc_sink_pad_class_init (GstTfrcSinkPadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = gst_tfrc_sink_pad_set_property;
  object_class->get_property = gst_tfrc_sink_pad_get_property;
  g_object_class_install_property (object_class, PROP_PRIORITY,
      g_param_spec_enum ("priority", "Priority",
          "Share of the rate beside the other streams, while all have packets "
          "waiting: each level gets twice that of the one below (default: auto "
          "= high for audio, else low)",
          GST_TYPE_TFRC_PRIORITY, GST_TFRC_PRIORITY_AUTO,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
}

static void
gst_tfrc_sink_pad_init (GstTfrcSinkPad *self)
{
}
