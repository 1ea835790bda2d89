/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bins/sink-pads.h"

#include <stdio.h>

#include "common/locks.h"
#include "common/properties.h"
#include "encoder/upstream.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* RFC 3551 section 6. */
#define FIRST_DYNAMIC 96
#define N_TYPES 128

#define NOBODY -1

/* FALSE: the type is out of range, or another stream has it. */
static gboolean
claim (gint owners[N_TYPES], gint type, gint stream)
{
  if (type < 0 || type >= N_TYPES || owners[type] != NOBODY)
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
    if (streams[i].fixed < 0 && streams[i].wanted >= 0
        && owners[streams[i].wanted] != i)
      claim_free (owners, i);
  }
  if (streams[index].wanted < 0 || owners[streams[index].wanted] == index)
    return -1;
  return claim_free (owners, index);
}

struct _TfrcSinkPads
{
  GstElement *bin;
  GstElement *send;
  GMutex lock; /* guards all below */
  GList *pads; /* GstTfrcSinkPad, owned by the bin, by number */
};

enum
{
  PROP_PRIORITY = 1,
};

/* References `inner`, as a bin disposes of its elements before its pads. */
struct _GstTfrcSinkPad
{
  GstGhostPad parent;

  TfrcSinkPads *pads;
  GstPad *inner; /* of rtptfrcsend */

  /* Under the lock of the pads; -1 = none. */
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
  GstTfrcSinkPad *self = GST_TFRC_SINK_PAD (object);

  gst_clear_object (&self->inner);
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
forget_types (GstTfrcSinkPad *self)
{
  self->payload_type = self->offered = self->warned = -1;
}

static void
gst_tfrc_sink_pad_init (GstTfrcSinkPad *self)
{
  forget_types (self);
}

TfrcSinkPads *
tfrc_sink_pads_new (GstElement *bin, GstElement *send)
{
  TfrcSinkPads *self = g_new0 (TfrcSinkPads, 1);

  self->bin = bin;
  self->send = send;
  g_mutex_init (&self->lock);
  return self;
}

void
tfrc_sink_pads_free (TfrcSinkPads *self)
{
  g_list_free (self->pads);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* The number in the name sink_%u. */
static guint
get_number (gconstpointer pad)
{
  guint number = 0;

  sscanf (GST_PAD_NAME (pad), "sink_%u", &number);
  return number;
}

/* Takes the name of the new pad of rtptfrcsend; NULL: that cannot have such a pad. */
static GstPad *
make_pad (TfrcSinkPads *self, GstPadTemplate *template, const gchar *name)
{
  GstPad *inner = gst_element_request_pad_simple (self->send,
      name ? name : "sink_%u");
  GstTfrcSinkPad *pad;

  if (!inner)
    return NULL;
  pad = g_object_new (GST_TYPE_TFRC_SINK_PAD, "name", GST_PAD_NAME (inner),
      "direction", GST_PAD_SINK, "template", template, NULL);
  pad->pads = self;
  pad->inner = inner;
  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), pad->inner);
  return GST_PAD (pad);
}

/* Deactivates the inner pad first, as the streaming thread may wait in it. */
static void
remove_inside (TfrcSinkPads *self, const GstTfrcSinkPad *pad)
{
  gst_pad_set_active (pad->inner, FALSE);
  if (GST_OBJECT_PARENT (pad->inner))
    gst_element_release_request_pad (self->send, pad->inner);
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  return get_number (a) < get_number (b) ? -1 : 1;
}

/* The type to offer the stream of this pad; -1 = any. */
static gint
choose_payload_type (TfrcSinkPads *self, GstPad *pad)
{
  g_autofree TfrcPayloadChoice *streams = NULL;
  g_autolist (GstPad) pads = NULL;
  GList *walk;
  gint n, index, i;

  g_mutex_lock (&self->lock);
  pads = g_list_copy (self->pads);
  n = (gint) g_list_length (pads);
  index = g_list_index (pads, pad);
  streams = g_new (TfrcPayloadChoice, n);
  for (walk = pads, i = 0; walk; walk = walk->next, i++)
    streams[i].fixed =
        GST_TFRC_SINK_PAD (gst_object_ref (walk->data))->payload_type;
  g_mutex_unlock (&self->lock);

  for (walk = pads, i = 0; walk; walk = walk->next, i++)
    streams[i].wanted = tfrc_upstream_find_payload_type (walk->data);
  return index >= 0 ? tfrc_payload_choice_make (streams, n, index) : -1;
}

/* Puts the type first, as a payloader that is free to choose uses the first structure. */
static void
prefer_payload_type (TfrcSinkPads *self, GstPad *pad, GstQuery *query)
{
  gint type = choose_payload_type (self, pad);
  g_autoptr (GstCaps) preferred = NULL;
  g_autoptr (GstCaps) result = NULL;
  GstCaps *caps;

  g_mutex_lock (&self->lock);
  GST_TFRC_SINK_PAD (pad)->offered = type;
  g_mutex_unlock (&self->lock);
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
    prefer_payload_type (GST_TFRC_SINK_PAD (pad)->pads, pad, query);
  return answered;
}

/* With the lock held: the name of a pad with the same type; the caller frees. */
static gchar *
find_other (TfrcSinkPads *self, GstPad *pad, gint type)
{
  for (GList *walk = self->pads; walk; walk = walk->next) {
    if (walk->data != pad
        && GST_TFRC_SINK_PAD (walk->data)->payload_type == type
        && !GST_PAD_IS_EOS (walk->data))
      return gst_object_get_name (walk->data);
  }
  return NULL;
}

static void
set_payload_type (TfrcSinkPads *self, GstPad *pad, const GstCaps *caps)
{
  GstTfrcSinkPad *input = GST_TFRC_SINK_PAD (pad);
  gboolean offered;
  g_autofree gchar *other = NULL;
  gint type;

  if (!gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload",
          &type))
    return;
  g_mutex_lock (&self->lock);
  offered = input->offered == type && input->payload_type != type;
  input->payload_type = type;
  other = input->warned != type ? find_other (self, pad, type) : NULL;
  if (other)
    input->warned = type;
  g_mutex_unlock (&self->lock);

  if (other)
    GST_ELEMENT_WARNING (self->bin, STREAM, FORMAT,
        ("%s and %s both have payload type %d, of which tfrcsrc takes one "
         "stream at a time: set pt of one of the payloaders to another.",
            GST_PAD_NAME (pad), other, type),
        (NULL));
  else if (offered)
    GST_ELEMENT_INFO (self->bin, STREAM, FORMAT,
        ("%s has payload type %d, as another stream has the one of its "
         "payloader.",
            GST_PAD_NAME (pad), type),
        (NULL));
}

static gboolean
on_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstTfrcSinkPad *input = GST_TFRC_SINK_PAD (pad);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    set_payload_type (input->pads, pad, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    g_mutex_lock (&input->pads->lock);
    input->payload_type = -1;
    g_mutex_unlock (&input->pads->lock);
  }
  return gst_pad_event_default (pad, parent, event);
}

void
tfrc_sink_pads_begin_run (TfrcSinkPads *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  for (GList *walk = self->pads; walk; walk = walk->next)
    forget_types (GST_TFRC_SINK_PAD (walk->data));
}

GstPad *
tfrc_sink_pads_request_pad (TfrcSinkPads *self, GstPadTemplate *template,
    const gchar *name)
{
  GstPad *pad = make_pad (self, template, name);

  if (!pad)
    return NULL;
  gst_pad_set_query_function (pad, on_query);
  gst_pad_set_event_function (pad, on_event);
  gst_pad_set_active (pad, TRUE);
  /* gst_element_add_pad () consumes the floating reference even if it fails. */
  gst_object_ref (pad);
  if (!gst_element_add_pad (self->bin, pad)) {
    remove_inside (self, GST_TFRC_SINK_PAD (pad));
    gst_object_unref (pad);
    return NULL;
  }
  gst_object_unref (pad);
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->pads = g_list_insert_sorted (self->pads, pad, compare_numbers);
  return pad;
}

void
tfrc_sink_pads_release_pad (TfrcSinkPads *self, GstPad *pad)
{
  g_mutex_lock (&self->lock);
  self->pads = g_list_remove (self->pads, pad);
  g_mutex_unlock (&self->lock);

  gst_object_ref (pad);
  remove_inside (self, GST_TFRC_SINK_PAD (pad));
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (self->bin, pad);
  gst_object_unref (pad);
}

GstCaps *
tfrc_sink_pads_get_caps (TfrcSinkPads *self, guint payload_type)
{
  GstCaps *found = NULL;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  for (GList *walk = self->pads; walk && !found; walk = walk->next) {
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (walk->data);
    gint payload;

    if (caps
        && gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload",
            &payload)
        && (guint) payload == payload_type)
      found = g_steal_pointer (&caps);
  }
  return found;
}

GstCaps *
tfrc_sink_pads_get_all_caps (TfrcSinkPads *self)
{
  GstCaps *all = gst_caps_new_empty ();

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  for (GList *walk = self->pads; walk; walk = walk->next) {
    GstCaps *caps = gst_pad_get_current_caps (walk->data);

    if (caps)
      gst_caps_append (all, gst_caps_make_writable (caps));
  }
  return all;
}
