/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk upstream from a pad to the nearest video encoder. */

#include "encoder/finder.h"

#include <string.h>

#include "encoder/table.h"

typedef struct
{
  GQueue pads;      /* sink pads still to follow, nearest first */
  GHashTable *seen; /* pads that were queued: no endless loops */
} Walk;

static GstElement *visit_source (Walk *walk, GstPad *srcpad);
static void follow_element (Walk *walk, GstElement *element, GstPad *srcpad);
static void enqueue (Walk *walk, GstPad *sinkpad);
static void enqueue_all (Walk *walk, GstIterator *pads);
static gboolean is_video_encoder (GstElement *element);
static gboolean is_decoder (GstElement *element);

GstElement *
tfrc_encoder_find_upstream (GstPad *sinkpad)
{
  Walk walk;
  GstElement *encoder = NULL;
  GstPad *pad;

  g_queue_init (&walk.pads);
  walk.seen = g_hash_table_new_full (NULL, NULL, gst_object_unref, NULL);
  enqueue (&walk, sinkpad);
  while (encoder == NULL && (pad = g_queue_pop_head (&walk.pads)) != NULL) {
    GstPad *peer = gst_pad_get_peer (pad);

    if (peer != NULL) {
      encoder = visit_source (&walk, peer);
      gst_object_unref (peer);
    }
  }
  g_queue_clear (&walk.pads);
  g_hash_table_unref (walk.seen);
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

/* The encoder behind `srcpad`; else queues the pads that feed it. */
static GstElement *
visit_source (Walk *walk, GstPad *srcpad)
{
  GstElement *element;

  if (GST_IS_PROXY_PAD (srcpad) && !GST_IS_GHOST_PAD (srcpad)) {
    /* From inside a bin to the ghost pad that lets the stream in. */
    GstProxyPad *ghost = gst_proxy_pad_get_internal (GST_PROXY_PAD (srcpad));

    if (ghost != NULL) {
      enqueue (walk, GST_PAD (ghost));
      gst_object_unref (ghost);
    }
    return NULL;
  }

  element = gst_pad_get_parent_element (srcpad);
  if (element == NULL)
    return NULL;
  if (is_video_encoder (element))
    return element;
  if (GST_IS_GHOST_PAD (srcpad)) {
    /* Into a bin, down to the element that makes the stream. */
    GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (srcpad));
    GstElement *encoder = NULL;

    if (target != NULL) {
      encoder = visit_source (walk, target);
      gst_object_unref (target);
    }
    gst_object_unref (element);
    return encoder;
  }
  /* What a decoder takes in is another stream than what it gives out. */
  if (!is_decoder (element))
    follow_element (walk, element, srcpad);
  gst_object_unref (element);
  return NULL;
}

/* A selector or an rtpbin knows which inputs feed an output; the default is
 * all of them. */
static void
follow_element (Walk *walk, GstElement *element, GstPad *srcpad)
{
  GstIterator *links = gst_pad_iterate_internal_links (srcpad);

  if (links == NULL)
    links = gst_element_iterate_sink_pads (element);
  enqueue_all (walk, links);
}

static void
enqueue (Walk *walk, GstPad *sinkpad)
{
  if (g_hash_table_add (walk->seen, gst_object_ref (sinkpad)))
    g_queue_push_tail (&walk->pads, sinkpad);
}

/* Takes the iterator.  Pads seen before a resync stay queued once. */
static void
enqueue_all (Walk *walk, GstIterator *pads)
{
  GValue item = G_VALUE_INIT;
  gboolean more = TRUE;

  while (more) {
    switch (gst_iterator_next (pads, &item)) {
      case GST_ITERATOR_OK:
        enqueue (walk, g_value_get_object (&item));
        g_value_reset (&item);
        break;
      case GST_ITERATOR_RESYNC:
        gst_iterator_resync (pads);
        break;
      default:
        more = FALSE;
        break;
    }
  }
  g_value_unset (&item);
  gst_iterator_free (pads);
}

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
