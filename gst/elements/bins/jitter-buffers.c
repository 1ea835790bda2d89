/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notes each one that rtpbin makes. */

#include "bins/jitter-buffers.h"

struct _TfrcJitterBuffers
{
  GstElement *bin;
  GstElement *rtpbin;
  TfrcJitterBuffersCleared cleared;
  GMutex lock;   /* guards what follows */
  GArray *ssrcs; /* guint: those that have one */
};

typedef struct
{
  TfrcJitterBuffers *buffers;
  guint ssrc;
} Clearing;

static void on_new (GstElement *rtpbin, GstElement *buffer, guint session,
    guint ssrc, TfrcJitterBuffers *self);
static void clear_now (GstElement *bin, gpointer user_data);
static guint find_ssrc (const GArray *ssrcs, guint ssrc);
static gboolean remove_ssrc (GArray *ssrcs, guint ssrc);

TfrcJitterBuffers *
tfrc_jitter_buffers_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffersCleared cleared)
{
  TfrcJitterBuffers *self = g_new0 (TfrcJitterBuffers, 1);

  self->bin = bin;
  self->rtpbin = gst_object_ref (rtpbin);
  self->cleared = cleared;
  g_mutex_init (&self->lock);
  self->ssrcs = g_array_new (FALSE, FALSE, sizeof (guint));
  g_signal_connect (rtpbin, "new-jitterbuffer", G_CALLBACK (on_new), self);
  return self;
}

void
tfrc_jitter_buffers_free (TfrcJitterBuffers *self)
{
  /* Somebody may still hold it. */
  g_signal_handlers_disconnect_by_data (self->rtpbin, self);
  gst_object_unref (self->rtpbin);
  g_array_unref (self->ssrcs);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_jitter_buffers_clear_later (TfrcJitterBuffers *self, guint ssrc)
{
  Clearing *clearing = g_new (Clearing, 1);

  clearing->buffers = self;
  clearing->ssrc = ssrc;
  gst_element_call_async (self->bin, clear_now, clearing, g_free);
}

void
tfrc_jitter_buffers_clear_all (TfrcJitterBuffers *self)
{
  GArray *ssrcs;
  guint i;

  g_mutex_lock (&self->lock);
  ssrcs = self->ssrcs;
  self->ssrcs = g_array_new (FALSE, FALSE, sizeof (guint));
  g_mutex_unlock (&self->lock);
  for (i = 0; i < ssrcs->len; i++)
    g_signal_emit_by_name (self->rtpbin, "clear-ssrc", 0,
        g_array_index (ssrcs, guint, i));
  g_array_unref (ssrcs);
}

/* Long before its pad, which comes with the first packet that it lets out. */
static void
on_new (GstElement *rtpbin, GstElement *buffer, guint session, guint ssrc,
    TfrcJitterBuffers *self)
{
  g_mutex_lock (&self->lock);
  if (find_ssrc (self->ssrcs, ssrc) == self->ssrcs->len)
    g_array_append_val (self->ssrcs, ssrc);
  g_mutex_unlock (&self->lock);
}

static void
clear_now (GstElement *bin, gpointer user_data)
{
  Clearing *clearing = user_data;
  TfrcJitterBuffers *self = clearing->buffers;
  gboolean buffered;

  /* Its BYE may time out after it was replaced. */
  g_mutex_lock (&self->lock);
  buffered = remove_ssrc (self->ssrcs, clearing->ssrc);
  g_mutex_unlock (&self->lock);
  if (buffered)
    g_signal_emit_by_name (self->rtpbin, "clear-ssrc", 0, clearing->ssrc);
  self->cleared (bin, clearing->ssrc);
}

/* Where it stands in the array; its length = nowhere. */
static guint
find_ssrc (const GArray *ssrcs, guint ssrc)
{
  guint i = 0;

  while (i < ssrcs->len && g_array_index (ssrcs, guint, i) != ssrc)
    i++;
  return i;
}

/* Whether it was in there. */
static gboolean
remove_ssrc (GArray *ssrcs, guint ssrc)
{
  guint i = find_ssrc (ssrcs, ssrc);

  if (i == ssrcs->len)
    return FALSE;
  g_array_remove_index_fast (ssrcs, i);
  return TRUE;
}
