/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GST_TRACERS="tfrc(interval=MS,socket=PATH)": observes the flows of a process without
 * support of the application.  At each interval (default: 1000 ms) the property
 * "stats" of each tfrcsink and tfrcsrc, and of each rtptfrcsend and rtptfrcreceive
 * outside of these, is written as text (gst_structure_to_string), with the path of the
 * element in the field "element": as a datagram to a Unix socket or, without `socket`,
 * as a line of the debug category GST_TRACER at level TRACE, like GStreamer's own
 * tracers. */

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <gst/gst.h>
#include <gst/gsttracer.h>

#include "common/locks.h"
#include "bins/bin.h"
#include "receive/gstrtptfrcreceive.h"
#include "send/gstrtptfrcsend.h"

#define DEFAULT_INTERVAL_MS 1000
#define MIN_INTERVAL_MS 10

G_DECLARE_FINAL_TYPE (TfrcTracer, tfrc_tracer, TFRC, TRACER, GstTracer)

/* Elements are weakly referenced; a thread reads their statistics. */
struct _TfrcTracer
{
  GstTracer parent;

  guint interval_ms;
  GSocket *socket; /* NULL: the debug log */
  GSocketAddress *address;

  GMutex lock;
  GCond cond;
  GThread *thread; /* from the first element on */
  GList *elements; /* (GWeakRef *) */
  gboolean stopping;
};

GST_DEBUG_CATEGORY_STATIC (tfrc_tracer_debug);
#define GST_CAT_DEFAULT tfrc_tracer_debug

G_DEFINE_TYPE_WITH_CODE (TfrcTracer, tfrc_tracer, GST_TYPE_TRACER,
    GST_DEBUG_CATEGORY_INIT (tfrc_tracer_debug, "tfrctracer", 0,
        "TFRC tracer"));

static gboolean
is_of_tfrc (gpointer element)
{
  return GST_IS_TFRC_SINK (element) || GST_IS_TFRC_SRC (element)
      || GST_IS_RTP_TFRC_SEND (element) || GST_IS_RTP_TFRC_RECEIVE (element);
}

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

/* With the lock held: references to the elements that still exist, the oldest first. */
static GList *
ref_elements (TfrcTracer *self)
{
  GList *living = NULL;

  for (GList *at = self->elements, *next; at; at = next) {
    GstElement *element = g_weak_ref_get (at->data);

    next = at->next;
    if (element) {
      living = g_list_prepend (living, element);
    } else {
      free_weak_ref (at->data);
      self->elements = g_list_delete_link (self->elements, at);
    }
  }
  return living;
}

/* Inside a bin the statistics of an element are part of those of the bin. */
static gboolean
is_inside_a_bin_of_tfrc (GstObject *element)
{
  g_autoptr (GstObject) parent = gst_object_get_parent (element);

  return parent && is_of_tfrc (parent);
}

static void
write_line (TfrcTracer *self, const gchar *line)
{
  g_autoptr (GError) error = NULL;

  if (!self->socket) {
    GST_DEBUG_CATEGORY_STATIC (tracer_category);

    GST_DEBUG_CATEGORY_GET (tracer_category, "GST_TRACER");
    GST_CAT_TRACE (tracer_category, "%s", line);
    return;
  }
  /* Best effort: without a reader, or with a slow one, samples are lost. */
  if (g_socket_send_to (self->socket, self->address, line, strlen (line), NULL,
          &error)
      < 0)
    GST_LOG_OBJECT (self, "a sample is lost: %s", error->message);
}

static void
sample (TfrcTracer *self, GstElement *element)
{
  g_autoptr (GstStructure) stats = NULL;
  g_autofree gchar *path = NULL, *line = NULL;

  if (GST_STATE (element) < GST_STATE_PAUSED
      || is_inside_a_bin_of_tfrc (GST_OBJECT (element)))
    return;
  g_object_get (element, "stats", &stats, NULL);
  if (!stats)
    return;
  path = gst_object_get_path_string (GST_OBJECT (element));
  gst_structure_set (stats, "element", G_TYPE_STRING, path, NULL);
  line = gst_structure_to_string (stats);
  write_line (self, line);
}

static gpointer
run (gpointer data)
{
  TfrcTracer *self = data;

  g_mutex_lock (&self->lock);
  while (!self->stopping) {
    gint64 until = g_get_monotonic_time ()
        + self->interval_ms * G_TIME_SPAN_MILLISECOND;

    while (!self->stopping
        && g_cond_wait_until (&self->cond, &self->lock, until))
      ;
    if (!self->stopping) {
      GList *elements = ref_elements (self);

      g_mutex_unlock (&self->lock);
      for (GList *at = elements; at; at = at->next)
        sample (self, at->data);
      g_list_free_full (elements, gst_object_unref);
      g_mutex_lock (&self->lock);
    }
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

static void
on_element_new (TfrcTracer *self, GstClockTime timestamp, GstElement *element)
{
  GWeakRef *weak_ref;

  if (!is_of_tfrc (element))
    return;
  weak_ref = g_new0 (GWeakRef, 1);
  g_weak_ref_init (weak_ref, element);
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->elements = g_list_prepend (self->elements, weak_ref);
  if (!self->thread && !self->stopping)
    self->thread = g_thread_new ("tfrc-tracer", run, self);
}

static gboolean
is_param (GQuark field, const GValue *value, gpointer data)
{
  const gchar *name = g_quark_to_string (field);

  return (g_str_equal (name, "interval") && G_VALUE_HOLDS_INT (value))
      || (g_str_equal (name, "socket") && G_VALUE_HOLDS_STRING (value));
}

static void
open_socket (TfrcTracer *self, const gchar *path)
{
  g_autoptr (GError) error = NULL;

  self->socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_DEFAULT, &error);
  if (!self->socket) {
    g_warning ("GST_TRACERS: tfrc has no socket: %s", error->message);
    return;
  }
  g_socket_set_blocking (self->socket, FALSE);
  self->address = g_unix_socket_address_new (path);
}

static void
read_params (TfrcTracer *self)
{
  g_autofree gchar *params = NULL, *text = NULL;
  g_autoptr (GstStructure) structure = NULL;
  const gchar *path;
  gint interval_ms;

  g_object_get (self, "params", &params, NULL);
  if (!params)
    return;
  text = g_strdup_printf ("tfrc,%s", params);
  structure = gst_structure_from_string (text, NULL);
  if (structure && gst_structure_foreach (structure, is_param, NULL)) {
    if (gst_structure_get_int (structure, "interval", &interval_ms))
      self->interval_ms = (guint) MAX (interval_ms, MIN_INTERVAL_MS);
    path = gst_structure_get_string (structure, "socket");
    if (path)
      open_socket (self, path);
  } else {
    g_warning ("GST_TRACERS: cannot read 'tfrc(%s)'; it is "
               "tfrc(interval=MS,socket=PATH), both optional",
        params);
  }
}

static void
tfrc_tracer_init (TfrcTracer *self)
{
  self->interval_ms = DEFAULT_INTERVAL_MS;
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
}

static void
tfrc_tracer_constructed (GObject *object)
{
  G_OBJECT_CLASS (tfrc_tracer_parent_class)->constructed (object);
  read_params (TFRC_TRACER (object));
  gst_tracing_register_hook (GST_TRACER (object), "element-new",
      G_CALLBACK (on_element_new));
}

static void
tfrc_tracer_finalize (GObject *object)
{
  TfrcTracer *self = TFRC_TRACER (object);

  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
  if (self->thread)
    g_thread_join (self->thread);
  g_list_free_full (self->elements, free_weak_ref);
  g_clear_object (&self->socket);
  g_clear_object (&self->address);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  G_OBJECT_CLASS (tfrc_tracer_parent_class)->finalize (object);
}

static void
tfrc_tracer_class_init (TfrcTracerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = tfrc_tracer_constructed;
  object_class->finalize = tfrc_tracer_finalize;
}
