/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bins/sink-pads.h"

#include <stdio.h>

#include "common/locks.h"
#include "common/properties.h"
#include "common/repair-types.h"
#include "encoder/upstream.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* RFC 3551 section 6. */
#define FIRST_DYNAMIC 96
#define N_TYPES 128

#define NOBODY -1

static gboolean
is_type (gint type)
{
  return type >= 0 && type < N_TYPES;
}

/* FALSE: the type is out of range, or another stream has it. */
static gboolean
claim (gint owners[N_TYPES], gint type, gint stream)
{
  if (!is_type (type) || owners[type] != NOBODY)
    return FALSE;
  owners[type] = stream;
  return TRUE;
}

/* -1: none is free. */
static gint
claim_free (gint owners[N_TYPES], gint stream)
{
  for (gint type = FIRST_DYNAMIC; type < N_TYPES; type++) {
    if (claim (owners, type, stream))
      return type;
  }
  return -1;
}

gint
tfrc_payload_choice_make (const TfrcPayloadChoice *streams, gint n, gint index)
{
  gint owners[N_TYPES];

  for (gint i = 0; i < N_TYPES; i++)
    owners[i] = NOBODY;
  for (gint i = 0; i < n; i++) {
    if (i != index)
      claim (owners, streams[i].fixed, i);
  }
  if (claim (owners, streams[index].fixed, index))
    return -1;
  for (gint i = 0; i < n; i++) {
    if (streams[i].fixed < 0 || i == index)
      claim (owners, streams[i].wanted, i);
  }
  for (gint i = 0; i < index; i++) {
    if (streams[i].fixed < 0 && is_type (streams[i].wanted)
        && owners[streams[i].wanted] != i)
      claim_free (owners, i);
  }
  if (!is_type (streams[index].wanted)
      || owners[streams[index].wanted] == index)
    return -1;
  return claim_free (owners, index);
}

enum
{
  PROP_PRIORITY = 1,
};

/* References `inner`, as a bin disposes of its elements before its pads. */
struct _GstTfrcSinkPad
{
  GstGhostPad parent;

  GstPad *inner; /* of rtptfrcsend */

  /* Under the object lock; -1 = none. */
  gint payload_type; /* in its caps */
  gint offered;      /* instead of the one that it wanted */
  gint warned;       /* the type in the last warning of a collision */
};

G_DEFINE_TYPE (GstTfrcSinkPad, gst_tfrc_sink_pad, GST_TYPE_GHOST_PAD);

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

static gboolean
forget_types (GstElement *bin, GstPad *pad, gpointer unused)
{
  GstTfrcSinkPad *self = GST_TFRC_SINK_PAD (pad);

  GST_OBJECT_AUTO_LOCK (pad, locker);
  self->payload_type = self->offered = self->warned = -1;
  return TRUE;
}

static void
gst_tfrc_sink_pad_init (GstTfrcSinkPad *self)
{
  forget_types (NULL, GST_PAD (self), NULL);
}

/* The number in the name sink_%u. */
static guint
get_number (gconstpointer pad)
{
  guint number = 0;

  sscanf (GST_PAD_NAME (pad), "sink_%u", &number);
  return number;
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  return get_number (a) < get_number (b) ? -1 : 1;
}

static gboolean
add_to_list (GstElement *bin, GstPad *pad, gpointer pads)
{
  *(GList **) pads = g_list_insert_sorted (*(GList **) pads,
      gst_object_ref (pad), compare_numbers);
  return TRUE;
}

/* The pads by number, which the caller frees and unrefs. */
static GList *
list_pads (GstElement *bin)
{
  GList *pads = NULL;

  gst_element_foreach_sink_pad (bin, add_to_list, &pads);
  return pads;
}

static gint
get_payload_type (gpointer pad)
{
  GST_OBJECT_AUTO_LOCK (pad, locker);
  return GST_TFRC_SINK_PAD (pad)->payload_type;
}

/* Deactivates the inner pad first, as the streaming thread may wait in it. */
static void
remove_inside (const GstTfrcSinkPad *pad)
{
  g_autoptr (GstElement) send = NULL;

  gst_pad_set_active (pad->inner, FALSE);
  send = gst_pad_get_parent_element (pad->inner);
  if (send)
    gst_element_release_request_pad (send, pad->inner);
}

/* The type to offer the stream of this pad; -1 = any. */
static gint
choose_payload_type (GstElement *bin, GstPad *pad)
{
  g_autolist (GstPad) pads = list_pads (bin);
  gint n = (gint) g_list_length (pads), index = g_list_index (pads, pad);
  g_autofree TfrcPayloadChoice *streams = g_new (TfrcPayloadChoice, n);
  gint i = 0;

  for (GList *walk = pads; walk; walk = walk->next)
    streams[i++] = (TfrcPayloadChoice) {
      .fixed = get_payload_type (walk->data),
      .wanted = tfrc_upstream_find_payload_type (walk->data),
    };
  return index >= 0 ? tfrc_payload_choice_make (streams, n, index) : -1;
}

/* Puts the type first, as a payloader that is free to choose uses the first structure. */
static void
prefer_payload_type (GstElement *bin, GstPad *pad, GstQuery *query)
{
  gint type = choose_payload_type (bin, pad);
  g_autoptr (GstCaps) preferred = NULL;
  g_autoptr (GstCaps) result = NULL;
  GstCaps *caps;

  GST_OBJECT_LOCK (pad);
  GST_TFRC_SINK_PAD (pad)->offered = type;
  GST_OBJECT_UNLOCK (pad);
  if (type < 0)
    return;
  gst_query_parse_caps_result (query, &caps);
  preferred = gst_caps_new_simple ("application/x-rtp",
      "payload", G_TYPE_INT, type, NULL);
  result = gst_caps_intersect (caps, preferred);
  gst_caps_append (result, gst_caps_copy (caps));
  gst_query_set_caps_result (query, result);
}

static gboolean
on_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  gboolean answered = gst_pad_query_default (pad, parent, query);

  if (answered && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    prefer_payload_type (GST_ELEMENT (parent), pad, query);
  return answered;
}

/* The name of another pad with the same type; the caller frees. */
static gchar *
find_other (GstElement *bin, GstPad *pad, gint type)
{
  g_autolist (GstPad) pads = list_pads (bin);

  for (GList *walk = pads; walk; walk = walk->next) {
    if (walk->data != pad && get_payload_type (walk->data) == type
        && !GST_PAD_IS_EOS (walk->data))
      return gst_object_get_name (walk->data);
  }
  return NULL;
}

/* The type of RTX of a stream, or the stream of which it is RTX; -1 = neither. */
static gint
get_partner (gint type)
{
  const guint rtx = tfrc_rtx_get_payload_type ((guint) type);
  const guint partner = rtx ? rtx : tfrc_rtx_get_original_type ((guint) type);

  return partner ? (gint) partner : -1;
}

static void
set_payload_type (GstElement *bin, GstPad *pad, const GstCaps *caps)
{
  GstTfrcSinkPad *self = GST_TFRC_SINK_PAD (pad);
  gboolean offered, warned;
  g_autofree gchar *other = NULL;
  g_autofree gchar *partner = NULL;
  gint type;

  if (!gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload",
          &type))
    return;
  GST_OBJECT_LOCK (pad);
  offered = self->offered == type && self->payload_type != type;
  self->payload_type = type;
  warned = self->warned == type;
  GST_OBJECT_UNLOCK (pad);
  if (!warned) {
    other = find_other (bin, pad, type);
    partner = find_other (bin, pad, get_partner (type));
  }
  if (other || partner) {
    GST_OBJECT_LOCK (pad);
    self->warned = type;
    GST_OBJECT_UNLOCK (pad);
  }
  if (other) {
    GST_ELEMENT_WARNING (bin, STREAM, FORMAT,
        ("%s and %s both have payload type %d, of which tfrcsrc takes one "
         "stream at a time: set pt of one of the payloaders to another.",
            GST_PAD_NAME (pad), other, type),
        (NULL));
  } else if (partner) {
    GST_ELEMENT_WARNING (bin, STREAM, FORMAT,
        ("The payload types of %s and %s, %d and %d, are to a tfrcsrc without "
         "sdp one stream and its retransmissions: give it sdp or caps, or set "
         "its retransmission=off.",
            GST_PAD_NAME (pad), partner, type, get_partner (type)),
        (NULL));
  } else if (offered) {
    GST_ELEMENT_INFO (bin, STREAM, FORMAT,
        ("%s has payload type %d, as another stream has the one of its "
         "payloader.",
            GST_PAD_NAME (pad), type),
        (NULL));
  }
}

static gboolean
on_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    set_payload_type (GST_ELEMENT (parent), pad, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    GST_OBJECT_LOCK (pad);
    GST_TFRC_SINK_PAD (pad)->payload_type = -1;
    GST_OBJECT_UNLOCK (pad);
  }
  return gst_pad_event_default (pad, parent, event);
}

void
tfrc_sink_pads_begin_run (GstElement *bin)
{
  gst_element_foreach_sink_pad (bin, forget_types, NULL);
}

/* The pad has the name of the new pad of rtptfrcsend. */
GstPad *
tfrc_sink_pads_request_pad (GstElement *bin, GstElement *send,
    GstPadTemplate *template, const gchar *name)
{
  GstPad *inner = gst_element_request_pad_simple (send,
      name ? name : "sink_%u");
  GstPad *pad;
  gboolean added;

  if (!inner)
    return NULL;
  pad = g_object_new (GST_TYPE_TFRC_SINK_PAD, "name", GST_PAD_NAME (inner),
      "direction", GST_PAD_SINK, "template", template, NULL);
  GST_TFRC_SINK_PAD (pad)->inner = inner;
  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), inner);
  gst_pad_set_query_function (pad, on_query);
  gst_pad_set_event_function (pad, on_event);
  gst_pad_set_active (pad, TRUE);
  /* gst_element_add_pad () consumes the floating reference even if it fails. */
  gst_object_ref (pad);
  added = gst_element_add_pad (bin, pad);
  if (!added)
    remove_inside (GST_TFRC_SINK_PAD (pad));
  gst_object_unref (pad);
  return added ? pad : NULL;
}

void
tfrc_sink_pads_release_pad (GstElement *bin, GstPad *pad)
{
  gst_object_ref (pad);
  remove_inside (GST_TFRC_SINK_PAD (pad));
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (bin, pad);
  gst_object_unref (pad);
}

GstCaps *
tfrc_sink_pads_get_all_caps (GstElement *bin)
{
  g_autolist (GstPad) pads = list_pads (bin);
  GstCaps *all = gst_caps_new_empty ();

  for (GList *walk = pads; walk; walk = walk->next) {
    GstCaps *caps = gst_pad_get_current_caps (walk->data);

    if (caps)
      gst_caps_append (all, gst_caps_make_writable (caps));
  }
  return all;
}

GstCaps *
tfrc_sink_pads_get_caps (GstElement *bin, guint payload_type)
{
  g_autoptr (GstCaps) all = tfrc_sink_pads_get_all_caps (bin);
  gint payload;

  for (guint i = 0; i < gst_caps_get_size (all); i++)
    if (gst_structure_get_int (gst_caps_get_structure (all, i), "payload",
            &payload)
        && (guint) payload == payload_type)
      return gst_caps_copy_nth (all, i);
  return NULL;
}
