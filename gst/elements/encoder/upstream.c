/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks upstream over linked pads. */

#include "encoder/upstream.h"

#include <string.h>

/* Elements in a row; more is a loop or no pipeline of ours. */
#define MAX_DEPTH 32

typedef struct
{
  guint32 ssrc;
  GstCaps *caps;
  guint mtu;
  gint payload_type;
  TfrcUpstreamVisitor visitor;
  gpointer user_data;
} Walk;

/* TRUE: go on upstream of it. */
typedef gboolean (*Visitor) (Walk *walk, GstPad *srcpad);

static void walk_from (Walk *walk, GstPad *sinkpad, Visitor visit, guint depth);
static gboolean visit_caps (Walk *walk, GstPad *srcpad);
static gboolean visit_stream (Walk *walk, GstPad *srcpad);
static gboolean visit_payloader (Walk *walk, GstPad *srcpad);
static gboolean visit_payload_type (Walk *walk, GstPad *srcpad);
static GstElement *get_payloader (GstPad *srcpad);
static void limit_mtu (GstElement *payloader, guint mtu);

GstCaps *
tfrc_upstream_find_caps (GstPad *sinkpad, guint32 ssrc)
{
  Walk walk = { .ssrc = ssrc };

  walk_from (&walk, sinkpad, visit_caps, 0);
  return walk.caps;
}

gint
tfrc_upstream_find_payload_type (GstPad *sinkpad)
{
  Walk walk = { .payload_type = -1 };

  walk_from (&walk, sinkpad, visit_payload_type, 0);
  return walk.payload_type;
}

void
tfrc_upstream_visit_caps (GstPad *sinkpad, TfrcUpstreamVisitor visit,
    gpointer user_data)
{
  Walk walk = { .visitor = visit, .user_data = user_data };

  walk_from (&walk, sinkpad, visit_stream, 0);
}

void
tfrc_upstream_set_mtu (GstPad *sinkpad, guint mtu)
{
  Walk walk = { .mtu = mtu };

  walk_from (&walk, sinkpad, visit_payloader, 0);
}

static void
walk_from (Walk *walk, GstPad *sinkpad, Visitor visit, guint depth)
{
  GstPad *srcpad = gst_pad_get_peer (sinkpad);
  GstIterator *sinks;
  GValue value = G_VALUE_INIT;

  if (srcpad == NULL)
    return;
  if (depth < MAX_DEPTH && visit (walk, srcpad)) {
    sinks = gst_pad_iterate_internal_links (srcpad);
    /* A pad that comes or goes meanwhile ends the walk: its caps event comes
     * by here, too. */
    while (sinks != NULL
        && gst_iterator_next (sinks, &value) == GST_ITERATOR_OK) {
      walk_from (walk, g_value_get_object (&value), visit, depth + 1);
      g_value_reset (&value);
    }
    if (G_IS_VALUE (&value))
      g_value_unset (&value);
    g_clear_pointer (&sinks, gst_iterator_free);
  }
  gst_object_unref (srcpad);
}

static gboolean
visit_caps (Walk *walk, GstPad *srcpad)
{
  GstCaps *caps;
  guint ssrc;

  if (walk->caps != NULL)
    return FALSE;
  caps = gst_pad_get_current_caps (srcpad);
  if (caps == NULL)
    return TRUE;
  if (gst_structure_get_uint (gst_caps_get_structure (caps, 0), "ssrc", &ssrc)
      && ssrc == walk->ssrc) {
    walk->caps = caps;
    return FALSE;
  }
  gst_caps_unref (caps);
  return TRUE;
}

/* Caps with a payload type are those of one stream; without, of a funnel. */
static gboolean
visit_stream (Walk *walk, GstPad *srcpad)
{
  GstCaps *caps = gst_pad_get_current_caps (srcpad);
  gboolean is_stream;

  if (caps == NULL)
    return TRUE;
  is_stream = gst_structure_has_field (gst_caps_get_structure (caps, 0),
      "payload");
  if (is_stream)
    walk->visitor (caps, walk->user_data);
  gst_caps_unref (caps);
  return !is_stream;
}

static gboolean
visit_payloader (Walk *walk, GstPad *srcpad)
{
  GstElement *payloader = get_payloader (srcpad);

  if (payloader == NULL)
    return TRUE;
  limit_mtu (payloader, walk->mtu);
  gst_object_unref (payloader);
  return FALSE;
}

static gboolean
visit_payload_type (Walk *walk, GstPad *srcpad)
{
  GstElement *payloader;
  guint payload_type;

  if (walk->payload_type >= 0)
    return FALSE;
  payloader = get_payloader (srcpad);
  if (payloader == NULL)
    return TRUE;
  if (G_IS_PARAM_SPEC_UINT (g_object_class_find_property (
          G_OBJECT_GET_CLASS (payloader), "pt"))) {
    g_object_get (payloader, "pt", &payload_type, NULL);
    walk->payload_type = (gint) payload_type;
  }
  gst_object_unref (payloader);
  return FALSE;
}

/* That the pad is of; NULL = it is another one's. */
static GstElement *
get_payloader (GstPad *srcpad)
{
  GstElement *element = gst_pad_get_parent_element (srcpad);
  const gchar *klass;

  /* A ghost pad's parent is a bin, a proxy pad's is none. */
  if (element == NULL)
    return NULL;
  klass = gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS);
  if (klass == NULL || strstr (klass, "Payloader") == NULL
      || GST_IS_BIN (element))
    gst_clear_object (&element);
  return element;
}

static void
limit_mtu (GstElement *payloader, guint mtu)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (payloader), "mtu");
  guint present, standard;

  if (!G_IS_PARAM_SPEC_UINT (pspec))
    return;
  standard = G_PARAM_SPEC_UINT (pspec)->default_value;
  g_object_get (payloader, "mtu", &present, NULL);
  if (present == standard && present > mtu)
    g_object_set (payloader, "mtu", mtu, NULL);
}
