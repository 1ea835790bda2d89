/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghost pads in front of rtpfunnel.
 *
 * rtpfunnel hands on the first EOS that it gets and never a second segment of
 * the same pad, nor one after a flush.  So EOS waits here until every pad has
 * it, and a pad that starts anew gets a new pad of the funnel, which makes the
 * funnel send that pad's segment. */

#include "tfrcmerge.h"

#include <stdio.h>

#define EOS_KEY "tfrc-eos"
#define SEGMENT_KEY "tfrc-segment"

struct _TfrcMerge
{
  GstElement *bin;
  GstElement *funnel;
  GstElement *next;
  GMutex lock;                  /* guards all below and the pads' EOS */
  GList *pads;                  /* GstGhostPad, owned by the bin */
  guint next_id;
};

static GstPadProbeReturn on_event (GstPad *pad, GstPadProbeInfo * info,
    gpointer user_data);
static void renew_target (TfrcMerge * self, GstPad *pad);
static gboolean all_eos (TfrcMerge * self);

TfrcMerge *
tfrc_merge_new (GstElement *bin, GstElement *funnel, GstElement *next)
{
  TfrcMerge *self = g_new0 (TfrcMerge, 1);

  self->bin = bin;
  self->funnel = funnel;
  self->next = next;
  g_mutex_init (&self->lock);
  return self;
}

void
tfrc_merge_free (TfrcMerge * self)
{
  if (!self)
    return;
  g_list_free (self->pads);
  g_mutex_clear (&self->lock);
  g_free (self);
}

GstPad *
tfrc_merge_request_pad (TfrcMerge * self, GstPadTemplate * template,
    const gchar *name)
{
  GstPad *target = gst_element_request_pad_simple (self->funnel, "sink_%u");
  GstPad *pad;
  gchar *own_name = NULL;
  guint id;

  g_mutex_lock (&self->lock);
  if (name && sscanf (name, "sink_%u", &id) == 1)
    self->next_id = MAX (self->next_id, id + 1);
  else
    name = own_name = g_strdup_printf ("sink_%u", self->next_id++);
  g_mutex_unlock (&self->lock);

  pad = gst_ghost_pad_new_from_template (name, target, template);
  gst_object_unref (target);
  g_free (own_name);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
      GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_event, self, NULL);
  gst_pad_set_active (pad, TRUE);
  if (!gst_element_add_pad (self->bin, pad)) {
    GstPad *unused = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));

    gst_element_release_request_pad (self->funnel, unused);
    gst_object_unref (unused);
    gst_object_unref (pad);
    return NULL;
  }
  g_mutex_lock (&self->lock);
  self->pads = g_list_append (self->pads, pad);
  g_mutex_unlock (&self->lock);
  return pad;
}

void
tfrc_merge_release_pad (TfrcMerge * self, GstPad *pad)
{
  GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  gboolean eos;

  g_mutex_lock (&self->lock);
  self->pads = g_list_remove (self->pads, pad);
  eos = !g_object_get_data (G_OBJECT (pad), EOS_KEY) && all_eos (self);
  g_mutex_unlock (&self->lock);

  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (self->bin, pad);
  if (target) {
    gst_element_release_request_pad (self->funnel, target);
    gst_object_unref (target);
  }
  /* It was the last one that the others' EOS waited for. */
  if (eos) {
    GstPad *sink = gst_element_get_static_pad (self->next, "sink");

    gst_pad_send_event (sink, gst_event_new_eos ());
    gst_object_unref (sink);
  }
}

GstCaps *
tfrc_merge_get_caps (TfrcMerge * self, guint payload_type)
{
  GstCaps *found = NULL;
  GList *walk;

  g_mutex_lock (&self->lock);
  for (walk = self->pads; walk && !found; walk = walk->next) {
    GstCaps *caps = gst_pad_get_current_caps (walk->data);
    gint payload;

    if (caps && gst_structure_get_int (gst_caps_get_structure (caps, 0),
            "payload", &payload) && (guint) payload == payload_type)
      found = gst_caps_ref (caps);
    gst_clear_caps (&caps);
  }
  g_mutex_unlock (&self->lock);
  return found;
}

GstCaps *
tfrc_merge_get_all_caps (TfrcMerge * self)
{
  GstCaps *all = gst_caps_new_empty ();
  GList *walk;

  g_mutex_lock (&self->lock);
  for (walk = self->pads; walk; walk = walk->next) {
    GstCaps *caps = gst_pad_get_current_caps (walk->data);

    if (caps)
      gst_caps_append (all, gst_caps_copy (caps));
    gst_clear_caps (&caps);
  }
  g_mutex_unlock (&self->lock);
  return all;
}

/* With the lock held. */
static gboolean
all_eos (TfrcMerge * self)
{
  GList *walk;

  for (walk = self->pads; walk; walk = walk->next) {
    if (!g_object_get_data (G_OBJECT (walk->data), EOS_KEY))
      return FALSE;
  }
  return self->pads != NULL;
}

static void
set_flag (TfrcMerge * self, GstPad *pad, const gchar *key, gboolean value)
{
  g_mutex_lock (&self->lock);
  g_object_set_data (G_OBJECT (pad), key, GINT_TO_POINTER (value));
  g_mutex_unlock (&self->lock);
}

/* Runs in the pad's streaming thread, except for FLUSH_START. */
static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo * info, gpointer user_data)
{
  TfrcMerge *self = user_data;
  gboolean forward;

  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_FLUSH_STOP:
      set_flag (self, pad, EOS_KEY, FALSE);
      break;
    case GST_EVENT_SEGMENT:
      if (g_object_get_data (G_OBJECT (pad), SEGMENT_KEY))
        renew_target (self, pad);
      set_flag (self, pad, SEGMENT_KEY, TRUE);
      break;
    case GST_EVENT_EOS:
      g_mutex_lock (&self->lock);
      g_object_set_data (G_OBJECT (pad), EOS_KEY, GINT_TO_POINTER (TRUE));
      forward = all_eos (self);
      g_mutex_unlock (&self->lock);
      if (!forward)
        return GST_PAD_PROBE_DROP;
      break;
    default:
      break;
  }
  return GST_PAD_PROBE_OK;
}

/* The new pad is requested before the old one goes, so that the funnel, which
 * compares addresses, takes them for two. */
static void
renew_target (TfrcMerge * self, GstPad *pad)
{
  GstPad *old = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  GstPad *target = gst_element_request_pad_simple (self->funnel, "sink_%u");

  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), target);
  gst_object_unref (target);
  if (old) {
    gst_element_release_request_pad (self->funnel, old);
    gst_object_unref (old);
  }
}
