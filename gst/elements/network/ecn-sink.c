/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sendmsg with IP_TOS or IPV6_TCLASS in a control message. */

#include "network/ecn-sink.h"

#include "network/ecn-socket.h"
#include "common/net-debug.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

struct _GstTfrcEcnSink
{
  GstBaseSink parent;

  GSocket *socket;
  GSocketAddress *address;
  GSocketControlMessage *not_ect;
  GCancellable *cancellable;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE (GstTfrcEcnSink, gst_tfrc_ecn_sink, GST_TYPE_BASE_SINK);

GstElement *
gst_tfrc_ecn_sink_new (GSocket *socket, GInetSocketAddress *address)
{
  GstTfrcEcnSink *self = g_object_new (GST_TYPE_TFRC_ECN_SINK, NULL);

  self->socket = g_object_ref (socket);
  self->address = G_SOCKET_ADDRESS (g_object_ref (address));
  self->not_ect = tfrc_ecn_socket_make_message (socket,
      g_socket_address_get_family (self->address), TFRC_ECN_NOT_ECT);
  return GST_ELEMENT (self);
}

static gboolean
gst_tfrc_ecn_sink_unlock (GstBaseSink *sink)
{
  g_cancellable_cancel (GST_TFRC_ECN_SINK (sink)->cancellable);
  return TRUE;
}

static gboolean
gst_tfrc_ecn_sink_unlock_stop (GstBaseSink *sink)
{
  g_cancellable_reset (GST_TFRC_ECN_SINK (sink)->cancellable);
  return TRUE;
}

/* What cannot be sent is lost, as in udpsink: the next may find the way. */
static GstFlowReturn
gst_tfrc_ecn_sink_render (GstBaseSink *sink, GstBuffer *buffer)
{
  GstTfrcEcnSink *self = GST_TFRC_ECN_SINK (sink);
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;
  GOutputVector vector;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_FLOW_ERROR;
  vector = (GOutputVector) { map.data, map.size };
  if (g_socket_send_message (self->socket, self->address, &vector, 1,
          &self->not_ect, 1, G_SOCKET_MSG_NONE, self->cancellable, &error)
      < 0) {
    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      ret = GST_FLOW_FLUSHING;
    else
      GST_INFO_OBJECT (self,
          "event=not-sent size_bytes=%" G_GSIZE_FORMAT ": %s", map.size,
          error->message);
    g_error_free (error);
  }
  gst_buffer_unmap (buffer, &map);
  return ret;
}

static void
gst_tfrc_ecn_sink_finalize (GObject *object)
{
  GstTfrcEcnSink *self = GST_TFRC_ECN_SINK (object);

  g_clear_object (&self->socket);
  g_clear_object (&self->address);
  g_clear_object (&self->not_ect);
  g_object_unref (self->cancellable);
  G_OBJECT_CLASS (gst_tfrc_ecn_sink_parent_class)->finalize (object);
}

static void
gst_tfrc_ecn_sink_class_init (GstTfrcEcnSinkClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_tfrc_ecn_sink_finalize;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "Datagrams without ECN",
      "Sink/Network", "Sends datagrams that are not ECN-capable",
      "gst-tfrc maintainers");
  sink_class->unlock = gst_tfrc_ecn_sink_unlock;
  sink_class->unlock_stop = gst_tfrc_ecn_sink_unlock_stop;
  sink_class->render = gst_tfrc_ecn_sink_render;
}

/* As set_up_udpsink of network/transport.c has it, for the same reasons. */
static void
gst_tfrc_ecn_sink_init (GstTfrcEcnSink *self)
{
  self->cancellable = g_cancellable_new ();
  gst_base_sink_set_sync (GST_BASE_SINK (self), FALSE);
  gst_base_sink_set_async_enabled (GST_BASE_SINK (self), FALSE);
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
}
