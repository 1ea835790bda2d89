/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the text after all that it is made of. */

#include "bins/sdp-watch.h"

struct _TfrcSdpWatch
{
  GstElement *bin;
  GstPad *sent;
  GMutex lock; /* one comparison after the other */
  gchar *text; /* that was there last; NULL = none */
};

static void
on_change (GObject *object, GParamSpec *pspec, TfrcSdpWatch *self)
{
  gboolean changed;
  gchar *text;

  g_mutex_lock (&self->lock);
  g_object_get (self->bin, "sdp", &text, NULL);
  changed = g_strcmp0 (text, self->text) != 0;
  g_free (self->text);
  self->text = text;
  g_mutex_unlock (&self->lock);
  if (changed)
    g_object_notify (G_OBJECT (self->bin), "sdp");
}

static void
on_pad_added (GstElement *bin, GstPad *pad, TfrcSdpWatch *self)
{
  g_signal_connect (pad, "notify::caps", G_CALLBACK (on_change), self);
}

static void
on_pad_removed (GstElement *bin, GstPad *pad, TfrcSdpWatch *self)
{
  g_signal_handlers_disconnect_by_data (pad, self);
  on_change (G_OBJECT (bin), NULL, self);
}

TfrcSdpWatch *
tfrc_sdp_watch_new (GstElement *bin, GstPad *sent)
{
  /* The settings that are in it; a URI sets some of them. */
  static const gchar *const signals[] = { "notify::host", "notify::address",
    "notify::port", "notify::rtcp-mux", "notify::ttl-mc",
    "notify::bind-address", "notify::retransmission", "notify::fec" };
  TfrcSdpWatch *self = g_new0 (TfrcSdpWatch, 1);

  self->bin = bin;
  self->sent = gst_object_ref (sent);
  g_mutex_init (&self->lock);
  g_signal_connect (bin, "pad-added", G_CALLBACK (on_pad_added), self);
  g_signal_connect (bin, "pad-removed", G_CALLBACK (on_pad_removed), self);
  g_signal_connect (sent, "notify::caps", G_CALLBACK (on_change), self);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect (bin, signals[i], G_CALLBACK (on_change), self);
  return self;
}

void
tfrc_sdp_watch_free (TfrcSdpWatch *self)
{
  GList *walk;

  if (!self)
    return;
  for (walk = self->bin->pads; walk; walk = walk->next)
    g_signal_handlers_disconnect_by_data (walk->data, self);
  g_signal_handlers_disconnect_by_data (self->bin, self);
  g_signal_handlers_disconnect_by_data (self->sent, self);
  gst_object_unref (self->sent);
  g_mutex_clear (&self->lock);
  g_free (self->text);
  g_free (self);
}
