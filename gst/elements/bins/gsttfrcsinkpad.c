/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows the priority of the pad inside. */

#include "bins/gsttfrcsinkpad.h"

#include "common/priority.h"

enum
{
  PROP_PRIORITY = 1,
};

struct _GstTfrcSinkPad
{
  GstGhostPad parent;

  GstPad *inner; /* of rtptfrcsend */
};

G_DEFINE_TYPE (GstTfrcSinkPad, gst_tfrc_sink_pad, GST_TYPE_GHOST_PAD);

GstPad *
gst_tfrc_sink_pad_new (const gchar *name, GstPad *target, GstPad *inner,
    GstPadTemplate *template)
{
  GstPad *pad = g_object_new (GST_TYPE_TFRC_SINK_PAD, "name", name, "direction",
      GST_PAD_SINK, "template", template, NULL);

  if (!gst_ghost_pad_set_target (GST_GHOST_PAD (pad), target)) {
    gst_object_unref (pad);
    return NULL;
  }
  GST_TFRC_SINK_PAD (pad)->inner = gst_object_ref (inner);
  return pad;
}

static void
gst_tfrc_sink_pad_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  g_object_set_property (G_OBJECT (GST_TFRC_SINK_PAD (object)->inner),
      pspec->name, value);
}

static void
gst_tfrc_sink_pad_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  g_object_get_property (G_OBJECT (GST_TFRC_SINK_PAD (object)->inner),
      pspec->name, value);
}

static void
gst_tfrc_sink_pad_finalize (GObject *object)
{
  gst_clear_object (&GST_TFRC_SINK_PAD (object)->inner);
  G_OBJECT_CLASS (gst_tfrc_sink_pad_parent_class)->finalize (object);
}

static void
gst_tfrc_sink_pad_class_init (GstTfrcSinkPadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = gst_tfrc_sink_pad_set_property;
  object_class->get_property = gst_tfrc_sink_pad_get_property;
  object_class->finalize = gst_tfrc_sink_pad_finalize;
  tfrc_priority_install (object_class, PROP_PRIORITY);
}

static void
gst_tfrc_sink_pad_init (GstTfrcSinkPad *self)
{
}
