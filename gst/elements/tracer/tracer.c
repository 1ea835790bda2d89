/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GST_TRACERS="tfrc(interval=MS,socket=PATH)": observes the flows of a process without
 * support of the application.  Each rtptfrcsend and rtptfrcreceive, in a bin or alone,
 * gets the interval (default: 1000 ms) as its stats-interval, unless the application sets
 * one.  Each tfrc-stats message of a tfrcsink, of a tfrcsrc, or of such an element alone is
 * written as text (gst_structure_to_string), with the path of the element in the field
 * "element": as a datagram to a Unix socket or, without `socket`, as a line of the debug
 * category GST_TRACER at level TRACE, like GStreamer's own tracers. */

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <gst/gst.h>
#include <gst/gsttracer.h>

#include "bins/bin.h"
#include "common/stats.h"
#include "receive/gstrtptfrcreceive.h"
#include "send/gstrtptfrcsend.h"

#define DEFAULT_INTERVAL_MS 1000
#define MIN_INTERVAL_MS 10

G_DECLARE_FINAL_TYPE (TfrcTracer, tfrc_tracer, TFRC, TRACER, GstTracer)

struct _TfrcTracer
{
  GstTracer parent;

  guint interval_ms;
  GSocket *socket; /* NULL: the debug log */
  GSocketAddress *address;
};

GST_DEBUG_CATEGORY_STATIC (tfrc_tracer_debug);
#define GST_CAT_DEFAULT tfrc_tracer_debug

G_DEFINE_TYPE_WITH_CODE (TfrcTracer, tfrc_tracer, GST_TYPE_TRACER,
    GST_DEBUG_CATEGORY_INIT (tfrc_tracer_debug, "tfrctracer", 0,
        "TFRC tracer"));

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
on_element_new (TfrcTracer *self, GstClockTime timestamp, GstElement *element)
{
  if (GST_IS_RTP_TFRC_SEND (element) || GST_IS_RTP_TFRC_RECEIVE (element))
    g_object_set (element, "stats-interval", self->interval_ms, NULL);
}

/* Inside a bin the statistics of an element are part of those of the bin, which posts
 * them, too. */
static gboolean
is_outermost (GstElement *element)
{
  g_autoptr (GstObject) parent = gst_object_get_parent (GST_OBJECT (element));

  return GST_IS_TFRC_SINK (element) || GST_IS_TFRC_SRC (element)
      || ((GST_IS_RTP_TFRC_SEND (element) || GST_IS_RTP_TFRC_RECEIVE (element))
          && !GST_IS_TFRC_SINK (parent) && !GST_IS_TFRC_SRC (parent));
}

/* An element, or then a bin that it is in, posts a message. */
static void
on_message (TfrcTracer *self, GstClockTime timestamp, GstElement *element,
    GstMessage *message)
{
  g_autoptr (GstStructure) stats = NULL;
  g_autofree gchar *path = NULL, *line = NULL;

  if (!gst_message_has_name (message, TFRC_STATS_NAME)
      || !is_outermost (element))
    return;
  stats = gst_structure_copy (gst_message_get_structure (message));
  path = gst_object_get_path_string (GST_OBJECT (element));
  gst_structure_set (stats, "element", G_TYPE_STRING, path, NULL);
  line = gst_structure_to_string (stats);
  write_line (self, line);
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
  g_autoptr (GstStructure) structure = NULL;
  g_autofree gchar *params = NULL, *text = NULL;
  const gchar *path;
  gint interval_ms;

  g_object_get (self, "params", &params, NULL);
  if (!params)
    return;
  text = g_strdup_printf ("tfrc,%s", params);
  structure = gst_structure_from_string (text, NULL);
  if (!structure || !gst_structure_foreach (structure, is_param, NULL)) {
    g_warning ("GST_TRACERS: cannot read 'tfrc(%s)'; it is "
               "tfrc(interval=MS,socket=PATH), both optional",
        params);
    return;
  }
  if (gst_structure_get_int (structure, "interval", &interval_ms))
    self->interval_ms = (guint) MAX (interval_ms, MIN_INTERVAL_MS);
  path = gst_structure_get_string (structure, "socket");
  if (path)
    open_socket (self, path);
}

static void
tfrc_tracer_init (TfrcTracer *self)
{
  self->interval_ms = DEFAULT_INTERVAL_MS;
}

static void
tfrc_tracer_constructed (GObject *object)
{
  GstTracer *tracer = GST_TRACER (object);

  G_OBJECT_CLASS (tfrc_tracer_parent_class)->constructed (object);
  read_params (TFRC_TRACER (object));
  gst_tracing_register_hook (tracer, "element-new",
      G_CALLBACK (on_element_new));
  gst_tracing_register_hook (tracer, "element-post-message-pre",
      G_CALLBACK (on_message));
}

static void
tfrc_tracer_finalize (GObject *object)
{
  g_clear_object (&TFRC_TRACER (object)->socket);
  g_clear_object (&TFRC_TRACER (object)->address);
  G_OBJECT_CLASS (tfrc_tracer_parent_class)->finalize (object);
}

static void
tfrc_tracer_class_init (TfrcTracerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = tfrc_tracer_constructed;
  object_class->finalize = tfrc_tracer_finalize;
}
