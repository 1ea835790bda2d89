/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "encoder/upstream.h"

#include <string.h>

#include "encoder/property.h"

typedef enum
{
  ON,   /* continue upstream of this pad */
  SKIP, /* continue elsewhere only */
  STOP,
} Next;

typedef Next (*Visit) (GstPad *srcpad, gpointer user_data);

typedef struct
{
  Visit visit;
  gpointer user_data;
  GQueue pads;      /* sink pads to be followed, nearest first */
  GHashTable *seen; /* pads queued so far, against endless loops */
} Walk;

static void
enqueue (Walk *walk, GstPad *sinkpad)
{
  if (g_hash_table_add (walk->seen, gst_object_ref (sinkpad)))
    g_queue_push_tail (&walk->pads, sinkpad);
}

static void
enqueue_item (const GValue *item, gpointer walk)
{
  enqueue (walk, g_value_get_object (item));
}

/* A selector or an rtpbin knows which inputs feed an output, and a bin's inner pad the
 * one outside; by default all inputs do. */
static void
follow (Walk *walk, GstPad *srcpad)
{
  GstIterator *links = gst_pad_iterate_internal_links (srcpad);
  g_autoptr (GstElement) element = gst_pad_get_parent_element (srcpad);

  if (links == NULL && element != NULL)
    links = gst_element_iterate_sink_pads (element);
  /* Pads seen before a resync stay queued once. */
  while (links != NULL
      && gst_iterator_foreach (links, enqueue_item, walk)
          == GST_ITERATOR_RESYNC)
    gst_iterator_resync (links);
  g_clear_pointer (&links, gst_iterator_free);
}

/* TRUE: the search is finished. */
static gboolean
visit_source (Walk *walk, GstPad *srcpad)
{
  Next next = walk->visit (srcpad, walk->user_data);
  g_autoptr (GstPad) target = NULL;

  if (next != ON)
    return next == STOP;
  if (!GST_IS_GHOST_PAD (srcpad)) {
    follow (walk, srcpad);
    return FALSE;
  }
  /* Enters a bin, down to the element that produces the stream. */
  target = gst_ghost_pad_get_target (GST_GHOST_PAD (srcpad));
  return target != NULL && visit_source (walk, target);
}

/* Visits each source pad upstream of `sinkpad` once, the nearest first.  If given a
 * source pad of this element: upstream of the sink pads that are its internal links. */
static void
walk_upstream (GstPad *sinkpad, Visit visit, gpointer user_data)
{
  Walk walk = { .visit = visit, .user_data = user_data };
  gboolean stop = FALSE;
  GstPad *pad;

  g_queue_init (&walk.pads);
  walk.seen = g_hash_table_new_full (NULL, NULL, gst_object_unref, NULL);
  if (GST_PAD_IS_SRC (sinkpad))
    follow (&walk, sinkpad);
  else
    enqueue (&walk, sinkpad);
  while (!stop && (pad = g_queue_pop_head (&walk.pads)) != NULL) {
    g_autoptr (GstPad) srcpad = gst_pad_get_peer (pad);

    stop = srcpad != NULL && visit_source (&walk, srcpad);
  }
  g_queue_clear (&walk.pads);
  g_hash_table_unref (walk.seen);
}

/* Whether the input is RTP. */
static gboolean
takes_rtp (GstElement *element)
{
  GList *templates = gst_element_get_pad_template_list (element);

  for (; templates != NULL; templates = templates->next) {
    GstPadTemplate *template = templates->data;
    const GstCaps *caps = GST_PAD_TEMPLATE_CAPS (template);

    if (GST_PAD_TEMPLATE_DIRECTION (template) == GST_PAD_SINK
        && gst_caps_get_size (caps) > 0
        && gst_structure_has_name (gst_caps_get_structure (caps, 0),
            "application/x-rtp"))
      return TRUE;
  }
  return FALSE;
}

/* The pad's element if it is a payloader, else NULL.  Elements that add FEC to RTP are of
 * that class, too. */
static GstElement *
get_payloader (GstPad *srcpad)
{
  GstElement *element = gst_pad_get_parent_element (srcpad);
  const gchar *klass;

  /* The parent of a ghost pad is a bin, that of a proxy pad is no element. */
  if (element == NULL)
    return NULL;
  klass = gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS);
  if (klass == NULL || strstr (klass, "Payloader") == NULL
      || GST_IS_BIN (element) || takes_rtp (element))
    gst_clear_object (&element);
  return element;
}

static Next
find_payloader (GstPad *srcpad, gpointer found)
{
  g_autoptr (GstElement) payloader = get_payloader (srcpad);

  if (payloader == NULL)
    return ON;
  if (!G_IS_PARAM_SPEC_UINT (
          g_object_class_find_property (G_OBJECT_GET_CLASS (payloader), "pt")))
    return SKIP;
  *(GstElement **) found = g_steal_pointer (&payloader);
  return STOP;
}

GstElement *
tfrc_upstream_find_payloader (GstPad *sinkpad)
{
  GstElement *payloader = NULL;

  walk_upstream (sinkpad, find_payloader, &payloader);
  return payloader;
}

gint
tfrc_upstream_find_payload_type (GstPad *sinkpad)
{
  g_autoptr (GstElement) payloader = tfrc_upstream_find_payloader (sinkpad);
  guint payload_type;

  if (payloader == NULL)
    return -1;
  g_object_get (payloader, "pt", &payload_type, NULL);
  return (gint) payload_type;
}

/* Caps with a payload type are of one stream, caps without of a funnel. */
static Next
add_caps (GstPad *srcpad, gpointer found)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (srcpad);

  if (caps == NULL
      || !gst_structure_has_field (gst_caps_get_structure (caps, 0), "payload"))
    return ON;
  g_ptr_array_add (found, g_steal_pointer (&caps));
  return SKIP;
}

GPtrArray *
tfrc_upstream_find_caps (GstPad *sinkpad)
{
  GPtrArray *found =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_caps_unref);

  walk_upstream (sinkpad, add_caps, found);
  return found;
}

/* Data of a payloader: the `mtu` that was set here. */
#define SET_MTU "tfrc-mtu"

typedef struct
{
  guint mtu;
  gboolean raises;
} Mtu;

static Next
set_mtu (GstPad *srcpad, gpointer user_data)
{
  g_autoptr (GstElement) payloader = get_payloader (srcpad);
  const Mtu *wanted = user_data;
  GParamSpec *pspec;
  guint present, set, standard, mtu;

  if (payloader == NULL)
    return ON;
  pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (payloader), "mtu");
  if (!G_IS_PARAM_SPEC_UINT (pspec))
    return SKIP;
  set = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (payloader), SET_MTU));
  standard = G_PARAM_SPEC_UINT (pspec)->default_value;
  mtu = MIN (wanted->mtu, standard);
  g_object_get (payloader, "mtu", &present, NULL);
  if ((present > mtu && (present == set || present == standard))
      || (present < mtu && present == set && wanted->raises)) {
    g_object_set_data (G_OBJECT (payloader), SET_MTU, GUINT_TO_POINTER (mtu));
    g_object_set (payloader, "mtu", mtu, NULL);
  }
  return SKIP;
}

void
tfrc_upstream_set_mtu (GstPad *sinkpad, guint mtu, gboolean raises)
{
  Mtu wanted = { mtu, raises };

  walk_upstream (sinkpad, set_mtu, &wanted);
}

/* A bin counts as encoder if it has a bitrate property; otherwise the search enters it. */
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

static Next
visit_encoder (GstPad *srcpad, gpointer found)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (srcpad);

  if (element != NULL && is_video_encoder (element)) {
    *(GstElement **) found = g_steal_pointer (&element);
    return STOP;
  }
  /* A decoder's input is another stream than its output. */
  return element != NULL && !GST_IS_GHOST_PAD (srcpad) && is_decoder (element)
      ? SKIP
      : ON;
}

GstElement *
tfrc_encoder_find_upstream (GstPad *sinkpad)
{
  GstElement *encoder = NULL;

  walk_upstream (sinkpad, visit_encoder, &encoder);
  return encoder;
}

GstElement *
tfrc_encoder_find_by_name (GstElement *element, const gchar *name)
{
  g_autoptr (GstObject) top = gst_object_ref (GST_OBJECT (element));
  GstObject *parent;

  while ((parent = gst_object_get_parent (top)) != NULL) {
    gst_object_unref (top);
    top = parent;
  }
  return GST_IS_BIN (top) ? gst_bin_get_by_name (GST_BIN (top), name) : NULL;
}
