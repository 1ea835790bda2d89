/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sink_%u -> clocksync -> a pad of the merge. */

#include "tfrcinputs.h"

#include <stdio.h>
#include <string.h>

struct _TfrcInputs
{
  GstElement *bin;
  TfrcMerge *merge;
  GMutex lock;                  /* guards all below */
  GList *pads;                  /* GstGhostPad, owned by the bin */
  guint next_id;
};

/* Of a pad, which has it as its private data, with references: a bin that is
 * disposed of loses its elements before its pads. */
typedef struct
{
  GstElement *clocksync;
  GstPad *merged;               /* of the merge */
} Input;

static gchar *choose_name (TfrcInputs * self, const gchar *name);
static Input *add_input (TfrcInputs * self, const gchar *name);
static void remove_input (TfrcInputs * self, const Input *input);
static void free_input (gpointer input);

TfrcInputs *
tfrc_inputs_new (GstElement *bin, TfrcMerge * merge)
{
  TfrcInputs *self = g_new0 (TfrcInputs, 1);

  self->bin = bin;
  self->merge = merge;
  g_mutex_init (&self->lock);
  return self;
}

void
tfrc_inputs_free (TfrcInputs * self)
{
  if (!self)
    return;
  g_list_free (self->pads);
  g_mutex_clear (&self->lock);
  g_free (self);
}

GstPad *
tfrc_inputs_request_pad (TfrcInputs * self, GstPadTemplate * template,
    const gchar *name)
{
  gchar *own_name = choose_name (self, name);
  Input *input = add_input (self, own_name);
  GstPad *target = gst_element_get_static_pad (input->clocksync, "sink");
  GstPad *pad = gst_ghost_pad_new_from_template (own_name, target, template);

  gst_object_unref (target);
  g_free (own_name);
  gst_pad_set_element_private (pad, input);
  g_object_set_data_full (G_OBJECT (pad), "tfrc-input", input, free_input);
  gst_pad_set_active (pad, TRUE);
  if (!gst_element_add_pad (self->bin, pad)) {
    remove_input (self, input);
    gst_object_unref (pad);
    return NULL;
  }
  g_mutex_lock (&self->lock);
  self->pads = g_list_append (self->pads, pad);
  g_mutex_unlock (&self->lock);
  return pad;
}

void
tfrc_inputs_release_pad (TfrcInputs * self, GstPad *pad)
{
  g_mutex_lock (&self->lock);
  self->pads = g_list_remove (self->pads, pad);
  g_mutex_unlock (&self->lock);

  gst_object_ref (pad);
  remove_input (self, gst_pad_get_element_private (pad));
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (self->bin, pad);
  gst_object_unref (pad);
}

GstCaps *
tfrc_inputs_get_caps (TfrcInputs * self, guint payload_type)
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
tfrc_inputs_get_all_caps (TfrcInputs * self)
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

/* The caller frees it. */
static gchar *
choose_name (TfrcInputs * self, const gchar *name)
{
  guint id;

  g_mutex_lock (&self->lock);
  if (!name || sscanf (name, "sink_%u", &id) != 1)
    id = self->next_id;
  self->next_id = MAX (self->next_id, id + 1);
  g_mutex_unlock (&self->lock);
  return g_strdup_printf ("sink_%u", id);
}

/* Of the pad `name`, sink_%u. */
static Input *
add_input (TfrcInputs * self, const gchar *name)
{
  gchar *own_name = g_strconcat ("clocksync", name + strlen ("sink"), NULL);
  GstElement *clocksync = gst_element_factory_make ("clocksync", own_name);
  Input *input = g_new (Input, 1);
  GstPad *src;

  g_free (own_name);
  input->clocksync = gst_object_ref_sink (clocksync);
  /* What provides the pipeline's clock must not go with a pad. */
  GST_OBJECT_FLAG_UNSET (clocksync, GST_ELEMENT_FLAG_PROVIDE_CLOCK);
  g_object_bind_property (self->bin, "sync", clocksync, "sync",
      G_BINDING_SYNC_CREATE);
  gst_bin_add (GST_BIN (self->bin), clocksync);

  input->merged = gst_object_ref (tfrc_merge_add_pad (self->merge));
  src = gst_element_get_static_pad (clocksync, "src");
  gst_pad_link (src, input->merged);
  gst_object_unref (src);
  gst_element_sync_state_with_parent (clocksync);
  return input;
}

/* First the clocksync, in which the streaming thread may wait. */
static void
remove_input (TfrcInputs * self, const Input *input)
{
  gst_element_set_locked_state (input->clocksync, TRUE);
  gst_element_set_state (input->clocksync, GST_STATE_NULL);
  tfrc_merge_remove_pad (self->merge, input->merged);
  if (GST_OBJECT_PARENT (input->clocksync))
    gst_bin_remove (GST_BIN (self->bin), input->clocksync);
}

static void
free_input (gpointer input)
{
  gst_object_unref (((Input *) input)->clocksync);
  gst_object_unref (((Input *) input)->merged);
  g_free (input);
}
