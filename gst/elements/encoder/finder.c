/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is a video encoder, and where it is. */

#include "encoder/finder.h"

#include <string.h>

#include "encoder/table.h"
#include "encoder/upstream.h"

/* A bin is one if it can be set as a whole; otherwise the walk goes inside. */
static gboolean
is_video_encoder (GstElement *element)
{
  const gchar *klass = gst_element_get_metadata (element,
      GST_ELEMENT_METADATA_KLASS);
  GObjectClass *properties = G_OBJECT_GET_CLASS (element);

  if (klass != NULL && strstr (klass, "Audio") != NULL)
    return FALSE;
  if (GST_IS_BIN (element)
      && !g_object_class_find_property (properties, "bitrate")
      && !g_object_class_find_property (properties, "target-bitrate"))
    return FALSE;
  if (klass != NULL && strstr (klass, "Encoder") != NULL
      && (strstr (klass, "Video") != NULL || strstr (klass, "Image") != NULL))
    return TRUE;
  return tfrc_encoder_table_lookup (tfrc_encoder_get_factory_name (element))
      != NULL;
}

static gboolean
is_decoder (GstElement *element)
{
  const gchar *klass = gst_element_get_metadata (element,
      GST_ELEMENT_METADATA_KLASS);

  return klass != NULL && strstr (klass, "Decoder") != NULL;
}

static TfrcUpstreamNext
visit (GstPad *srcpad, gpointer found)
{
  GstElement *element = gst_pad_get_parent_element (srcpad);
  TfrcUpstreamNext next = TFRC_UPSTREAM_ON;

  if (element != NULL && is_video_encoder (element)) {
    *(GstElement **) found = element;
    return TFRC_UPSTREAM_STOP;
  }
  /* What a decoder takes in is another stream than what it gives out. */
  if (element != NULL && !GST_IS_GHOST_PAD (srcpad) && is_decoder (element))
    next = TFRC_UPSTREAM_SKIP;
  gst_clear_object (&element);
  return next;
}

GstElement *
tfrc_encoder_find_upstream (GstPad *sinkpad)
{
  GstElement *encoder = NULL;

  tfrc_upstream_walk (sinkpad, visit, &encoder);
  return encoder;
}

GstElement *
tfrc_encoder_find_by_name (GstElement *element, const gchar *name)
{
  GstObject *top = gst_object_ref (GST_OBJECT (element));
  GstObject *parent;
  GstElement *found = NULL;

  while ((parent = gst_object_get_parent (top)) != NULL) {
    gst_object_unref (top);
    top = parent;
  }
  if (GST_IS_BIN (top))
    found = gst_bin_get_by_name (GST_BIN (top), name);
  gst_object_unref (top);
  return found;
}

const gchar *
tfrc_encoder_get_factory_name (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL ? GST_OBJECT_NAME (factory) : "";
}
