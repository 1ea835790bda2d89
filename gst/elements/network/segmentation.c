/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sendmsg with UDP_SEGMENT in a control message, in front of what the udpsink does
 * with lists. */

#include "network/segmentation.h"

#ifdef HAVE_UDP_SEGMENT

#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>

#include "common/net-debug.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

#define SEGMENTATION "tfrc-segmentation" /* data of the pad */

#define MAX_PACKETS 64   /* UDP_MAX_SEGMENTS of Linux */
#define MAX_BYTES 60000  /* below what an IPv4 packet may have */
#define MAX_MEMORIES 128 /* header and payload of each */

typedef struct
{
  GSocket *socket;
  GSocketAddress *remote;
  GstPadChainListFunction chain_list; /* of the udpsink */
  gboolean refused; /* by the kernel; of the thread that sends */
} Segmentation;

/* Packets to be sent at once, all but the last of one size. */
typedef struct
{
  GstMemory *memories[MAX_MEMORIES];
  GstMapInfo maps[MAX_MEMORIES];
  GOutputVector vectors[MAX_MEMORIES];
  guint n_memories;
  guint n_packets;
  gsize segment_size;
} Batch;

#define TFRC_TYPE_SEGMENT_SIZE (tfrc_segment_size_message_get_type ())
G_DECLARE_FINAL_TYPE (TfrcSegmentSizeMessage, tfrc_segment_size_message, TFRC,
    SEGMENT_SIZE_MESSAGE, GSocketControlMessage)

struct _TfrcSegmentSizeMessage
{
  GSocketControlMessage parent;
  guint16 size; /* of each UDP payload but the last [bytes] */
};

G_DEFINE_TYPE (TfrcSegmentSizeMessage, tfrc_segment_size_message,
    G_TYPE_SOCKET_CONTROL_MESSAGE);

static GstFlowReturn on_list (GstPad *pad, GstObject *parent,
    GstBufferList *list);
static guint send_list (Segmentation *self, GstBufferList *list);
static gboolean is_playing (GstObject *udpsink);
static gboolean collect (Batch *batch, GstBufferList *list, guint first);
static gboolean add_packet (Batch *batch, GstBuffer *buffer);
static void batch_clear (Batch *batch);
static gboolean send_batch (Segmentation *self, Batch *batch);
static void segmentation_free (gpointer data);

void
tfrc_segmentation_add (GstElement *udpsink, GSocket *socket,
    GInetSocketAddress *remote)
{
  Segmentation *self;
  GstPad *pad;
  gint size;

  /* An older kernel takes no notice of the control message, and would send one
   * large datagram. */
  if (!g_socket_get_option (socket, IPPROTO_UDP, UDP_SEGMENT, &size, NULL))
    return;
  self = g_new0 (Segmentation, 1);
  self->socket = g_object_ref (socket);
  self->remote = G_SOCKET_ADDRESS (g_object_ref (remote));
  pad = gst_element_get_static_pad (udpsink, "sink");
  self->chain_list = GST_PAD_CHAINLISTFUNC (pad);
  g_object_set_data_full (G_OBJECT (pad), SEGMENTATION, self,
      segmentation_free);
  gst_pad_set_chain_list_function (pad, on_list);
  gst_object_unref (pad);
}

/* What it does not send is left to the udpsink. */
static GstFlowReturn
on_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  Segmentation *self = g_object_get_data (G_OBJECT (pad), SEGMENTATION);
  guint n_sent = 0;

  if (!self->refused && is_playing (parent))
    n_sent = send_list (self, list);
  if (n_sent == gst_buffer_list_length (list)) {
    gst_buffer_list_unref (list);
    return GST_FLOW_OK;
  }
  if (n_sent > 0) {
    list = gst_buffer_list_make_writable (list);
    gst_buffer_list_remove (list, 0, n_sent);
  }
  return self->chain_list (pad, parent, list);
}

/* Returns how many packets have left. */
static guint
send_list (Segmentation *self, GstBufferList *list)
{
  guint n = gst_buffer_list_length (list);
  guint n_sent = 0;
  gboolean sent = TRUE;
  Batch batch;

  while (sent && n_sent < n) {
    sent = collect (&batch, list, n_sent) && send_batch (self, &batch);
    if (sent)
      n_sent += batch.n_packets;
    batch_clear (&batch);
  }
  return n_sent;
}

/* In PAUSED a packet waits in the udpsink. */
static gboolean
is_playing (GstObject *udpsink)
{
  gboolean playing;

  GST_OBJECT_LOCK (udpsink);
  playing = GST_STATE (udpsink) == GST_STATE_PLAYING
      && GST_STATE_PENDING (udpsink) == GST_STATE_VOID_PENDING;
  GST_OBJECT_UNLOCK (udpsink);
  return playing;
}

/* As many as may go at once; a smaller one ends it.  FALSE: not even one. */
static gboolean
collect (Batch *batch, GstBufferList *list, guint first)
{
  guint n = gst_buffer_list_length (list);
  gsize bytes = 0;
  guint i;

  batch->n_memories = batch->n_packets = 0;
  batch->segment_size = gst_buffer_get_size (gst_buffer_list_get (list, first));
  for (i = first; i < n && batch->n_packets < MAX_PACKETS; i++) {
    GstBuffer *buffer = gst_buffer_list_get (list, i);
    gsize size = gst_buffer_get_size (buffer);

    bytes += size;
    if (size == 0 || size > batch->segment_size || bytes > MAX_BYTES
        || !add_packet (batch, buffer))
      break;
    if (size < batch->segment_size)
      break;
  }
  return batch->n_packets > 0;
}

/* FALSE: there is no room for all of it, and none of it is in. */
static gboolean
add_packet (Batch *batch, GstBuffer *buffer)
{
  guint n = gst_buffer_n_memory (buffer);
  guint i;

  if (n > MAX_MEMORIES - batch->n_memories)
    return FALSE;
  for (i = 0; i < n; i++) {
    GstMapInfo *map = &batch->maps[batch->n_memories + i];
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    if (!gst_memory_map (memory, map, GST_MAP_READ)) {
      while (i-- > 0)
        gst_memory_unmap (batch->memories[batch->n_memories + i],
            &batch->maps[batch->n_memories + i]);
      return FALSE;
    }
    batch->memories[batch->n_memories + i] = memory;
    batch->vectors[batch->n_memories + i] = (GOutputVector) { map->data,
      map->size };
  }
  batch->n_memories += n;
  batch->n_packets++;
  return TRUE;
}

static void
batch_clear (Batch *batch)
{
  guint i;

  for (i = 0; i < batch->n_memories; i++)
    gst_memory_unmap (batch->memories[i], &batch->maps[i]);
}

/* A device without checksums says EIO, and packets above the MTU that is known EINVAL:
 * neither changes soon.  Whatever else is wrong, the udpsink tells. */
static gboolean
send_batch (Segmentation *self, Batch *batch)
{
  TfrcSegmentSizeMessage *message = g_object_new (TFRC_TYPE_SEGMENT_SIZE, NULL);
  GSocketControlMessage *messages[] = { G_SOCKET_CONTROL_MESSAGE (message) };
  GError *error = NULL;
  gsize written;
  GPollableReturn result;

  message->size = (guint16) batch->segment_size;
  result = g_socket_send_message_with_timeout (self->socket, self->remote,
      batch->vectors, (gint) batch->n_memories, messages,
      batch->n_packets > 1 ? 1 : 0, G_SOCKET_MSG_NONE, 0, &written, NULL,
      &error);
  g_object_unref (message);
  if (error) {
    self->refused = batch->n_packets > 1
        && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE)
        && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE)
        && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED);
    GST_INFO ("event=not-segmented packets=%u segment_bytes=%" G_GSIZE_FORMAT
              " refused=%d: %s",
        batch->n_packets, batch->segment_size, self->refused, error->message);
    g_error_free (error);
  }
  return result == G_POLLABLE_RETURN_OK;
}

static void
segmentation_free (gpointer data)
{
  Segmentation *self = data;

  g_object_unref (self->socket);
  g_object_unref (self->remote);
  g_free (self);
}

static gsize
get_size (GSocketControlMessage *message)
{
  return sizeof (guint16);
}

static int
get_level (GSocketControlMessage *message)
{
  return IPPROTO_UDP;
}

static int
get_msg_type (GSocketControlMessage *message)
{
  return UDP_SEGMENT;
}

static void
serialize (GSocketControlMessage *message, gpointer data)
{
  memcpy (data, &TFRC_SEGMENT_SIZE_MESSAGE (message)->size, sizeof (guint16));
}

static void
tfrc_segment_size_message_class_init (TfrcSegmentSizeMessageClass *klass)
{
  GSocketControlMessageClass *message_class =
      G_SOCKET_CONTROL_MESSAGE_CLASS (klass);

  message_class->get_size = get_size;
  message_class->get_level = get_level;
  message_class->get_type = get_msg_type;
  message_class->serialize = serialize;
}

static void
tfrc_segment_size_message_init (TfrcSegmentSizeMessage *self)
{
}

#else

void
tfrc_segmentation_add (GstElement *udpsink, GSocket *socket,
    GInetSocketAddress *remote)
{
}

#endif
