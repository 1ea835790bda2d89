/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads RTP packets on their way into the queue. */

#include "send/intake.h"

#include "common/key-frame.h"
#include "common/stats.h"
#include "encoder/upstream.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* Of the original sequence number (RFC 4588 section 4) [bytes]. */
#define OSN_SIZE 2

/* Packets on their way to the pacer. */
typedef struct
{
  TfrcQueueItem items[TFRC_SEND_MAX_BURST];
  guint n;
  GstFlowReturn ret; /* of the last that were pushed */
} Batch;

/* Of a stream's priority. */
typedef struct
{
  guint32 ssrc;
  GstTfrcPriority priority;
} PrioritySearch;

void
tfrc_send_intake_init (TfrcSendIntake *self, GstPad *sinkpad,
    TfrcSendPacer *pacer, TfrcEncoder *encoder)
{
  *self = (TfrcSendIntake) {
    .sinkpad = sinkpad,
    .pacer = pacer,
    .encoder = encoder,
  };
  g_mutex_init (&self->lock);
  tfrc_stamper_init (&self->stamper, GST_TFRC_MODE_TFRC, TRUE);
}

void
tfrc_send_intake_clear (TfrcSendIntake *self)
{
  gst_clear_caps (&self->caps);
  g_mutex_clear (&self->lock);
}

void
tfrc_send_intake_start (TfrcSendIntake *self, GstTfrcMode mode, gboolean stamps,
    guint mtu)
{
  gst_clear_caps (&self->caps);
  tfrc_stamper_init (&self->stamper, mode, stamps);
  self->mtu = mtu;
  g_mutex_lock (&self->lock);
  self->packets_invalid = 0;
  self->packets_unstamped = 0;
  self->packets_oversize = 0;
  g_mutex_unlock (&self->lock);
}

void
tfrc_send_intake_limit_mtu (TfrcSendIntake *self)
{
  tfrc_upstream_set_mtu (self->sinkpad,
      self->mtu - tfrc_stamper_get_max_overhead (&self->stamper));
}

/* A funnel hands on the extensions of none of its streams either. */
static void
read_upstream_ids (TfrcSendIntake *self)
{
  tfrc_upstream_visit_caps (self->sinkpad, tfrc_stamper_read_caps,
      &self->stamper);
}

/* `told_id`: that receivers may know of; 0 = none. */
static void
announce_id (TfrcSendIntake *self, guint old_id, guint told_id)
{
  GstElement *element = GST_ELEMENT (GST_PAD_PARENT (self->sinkpad));
  guint id = self->stamper.id;

  if (id == old_id)
    return;
  GST_INFO_OBJECT (self->sinkpad, "stamping packets: extension_id=%u", id);
  if (told_id != 0 && id != told_id)
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("Header extension id %u is that of another extension, or caps give "
         "ours another: ours has id %u.  A receiver that was told the id, "
         "by sdp or extension-id, has to be told anew.",
            told_id, id),
        (NULL));
}

GstCaps *
tfrc_send_intake_set_caps (TfrcSendIntake *self, GstCaps *caps,
    guint extension_id)
{
  gboolean known = tfrc_send_pacer_set_stream_caps (self->pacer, caps);
  guint old_id = self->stamper.id;

  gst_caps_replace (&self->caps, caps);
  tfrc_send_intake_limit_mtu (self);

  caps = gst_caps_make_writable (caps);
  /* Our numbers go on where upstream starts anew. */
  if (known)
    gst_structure_remove_field (gst_caps_get_structure (caps, 0),
        "seqnum-base");
  read_upstream_ids (self);
  caps = tfrc_stamper_set_caps (&self->stamper, caps, extension_id);
  announce_id (self, old_id, self->stamper.in_use ? old_id : extension_id);
  return caps;
}

/* The number in its payload is the one that upstream knows the packet by.  Returns
 * the SSRC of what is repeated; 0 = not known. */
static guint32
renumber_repeated (TfrcSendIntake *self, GstBuffer *buffer,
    guint payload_offset)
{
  guint8 bytes[OSN_SIZE];
  guint16 original, seq;
  guint32 ssrc;

  gst_buffer_extract (buffer, payload_offset, bytes, sizeof bytes);
  original = seq = GST_READ_UINT16_BE (bytes);
  ssrc = tfrc_send_pacer_repeat (self->pacer, &seq);
  if (seq != original) {
    GST_WRITE_UINT16_BE (bytes, seq);
    gst_buffer_fill (buffer, payload_offset, bytes, sizeof bytes);
  }
  return ssrc;
}

/* An empty batch tells as well what the source pad got. */
static void
batch_push (Batch *batch, TfrcSendIntake *self)
{
  gsize video_bytes = 0;
  TfrcTime now;

  for (guint i = 0; i < batch->n; i++) {
    if (batch->items[i].stream->video)
      video_bytes += batch->items[i].payload_size;
  }
  batch->ret = tfrc_send_pacer_push (self->pacer, batch->items, batch->n, &now);
  batch->n = 0;
  if (batch->ret == GST_FLOW_OK && video_bytes > 0)
    tfrc_encoder_on_output (self->encoder, video_bytes, now);
}

/* Inside a bin its sink pad shows as the source pad behind it. */
static TfrcUpstreamNext
read_priority (GstPad *srcpad, gpointer search)
{
  PrioritySearch *self = search;
  GstCaps *caps = gst_pad_get_current_caps (srcpad);
  guint32 ssrc;
  gboolean is_stream = caps != NULL
      && gst_structure_get_uint (gst_caps_get_structure (caps, 0), "ssrc",
          &ssrc);
  GstProxyPad *pad;
  GParamSpec *pspec;

  gst_clear_caps (&caps);
  if (is_stream && ssrc != self->ssrc)
    return TFRC_UPSTREAM_SKIP;
  pad = is_stream && GST_IS_PROXY_PAD (srcpad)
      ? gst_proxy_pad_get_internal (GST_PROXY_PAD (srcpad))
      : NULL;
  if (pad == NULL)
    return TFRC_UPSTREAM_ON;
  pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (pad), "priority");
  if (pspec != NULL && pspec->value_type == GST_TYPE_TFRC_PRIORITY)
    g_object_get (pad, "priority", &self->priority, NULL);
  gst_object_unref (pad);
  return pspec != NULL ? TFRC_UPSTREAM_STOP : TFRC_UPSTREAM_ON;
}

/* Of the nearest pad on the way of the stream that has a property for it. */
static GstTfrcPriority
find_priority (TfrcSendIntake *self, guint32 ssrc)
{
  PrioritySearch search = { ssrc, GST_TFRC_PRIORITY_AUTO };

  tfrc_upstream_walk (self->sinkpad, read_priority, &search);
  return search.priority;
}

/* A funnel hands on the caps of none of its streams: look for them there.  A
 * new one may take the place of any whose packets are not in the queue.  Of one
 * that repeats others (RFC 4588) there are none to look for. */
static TfrcSendStream *
find_stream (TfrcSendIntake *self, guint32 ssrc, gboolean repeats, Batch *batch)
{
  TfrcSendStream *stream = tfrc_send_pacer_find_stream (self->pacer, ssrc);
  GstCaps *caps;

  if (stream != NULL)
    return stream;

  batch_push (batch, self);
  read_upstream_ids (self);
  caps = repeats ? gst_caps_new_simple ("application/x-rtp", "encoding-name",
            G_TYPE_STRING, "rtx", NULL)
                       : tfrc_upstream_find_caps (self->sinkpad, ssrc);
  if (caps == NULL && self->caps != NULL)
    caps = gst_caps_ref (self->caps);
  stream = tfrc_send_pacer_add_stream (self->pacer, ssrc, caps,
      find_priority (self, ssrc));
  GST_INFO_OBJECT (self->sinkpad, "new stream: ssrc=%08x media=%s encoding=%s",
      ssrc, stream->video ? "video" : "other",
      GST_STR_NULL (stream->encoding_name));
  gst_clear_caps (&caps);
  return stream;
}

static void
stamp (TfrcSendIntake *self, GstBuffer *buffer, TfrcQueueItem *item,
    Batch *batch)
{
  guint old_id = self->stamper.id;
  guint told_id = self->stamper.in_use ? old_id : self->stamper.configured;
  GstCaps *caps;

  item->stamp_offset = tfrc_stamper_prepare (&self->stamper, buffer);
  item->stamp_room = tfrc_stamper_get_room (&self->stamper);
  if (self->stamper.id == old_id)
    return;
  announce_id (self, old_id, told_id);
  if (self->caps == NULL)
    return;
  /* What carries the old id leaves before the caps that name the new one. */
  batch_push (batch, self);
  caps = gst_caps_copy (self->caps);
  gst_structure_remove_field (gst_caps_get_structure (caps, 0), "seqnum-base");
  caps = tfrc_stamper_set_caps (&self->stamper, caps, self->stamper.configured);
  tfrc_send_pacer_push_event (self->pacer, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

static void
warn_unstamped (TfrcSendIntake *self)
{
  GstElement *element = GST_ELEMENT (GST_PAD_PARENT (self->sinkpad));
  const gchar *text = "Packets leave without the header extension that the "
                      "receiver answers to";
  const gchar *debug = "more are counted in packets-not-stamped";

  if (self->caps == NULL)
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("%s: they came without caps; set those of application/x-rtp.", text),
        ("%s", debug));
  else
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("%s: the one that they bring along is not of RFC 8285, or has no "
         "place for one of ours with id %u.",
            text, self->stamper.id),
        ("%s", debug));
}

/* TRUE: the first. */
static gboolean
count (TfrcSendIntake *self, guint64 *counter)
{
  gboolean first;

  g_mutex_lock (&self->lock);
  first = (*counter)++ == 0;
  g_mutex_unlock (&self->lock);
  return first;
}

static void
check_packet (TfrcSendIntake *self, const TfrcQueueItem *item)
{
  if (item->stamp_room > 0 && item->stamp_offset == 0
      && count (self, &self->packets_unstamped))
    warn_unstamped (self);
  if (item->size > self->mtu && count (self, &self->packets_oversize))
    GST_WARNING_OBJECT (self->sinkpad,
        "a packet is above the mtu: size=%u "
        "mtu=%u; more are only counted",
        item->size, self->mtu);
}

/* Takes the buffer; there is room for it. */
static void
batch_add (Batch *batch, TfrcSendIntake *self, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcSendStream *stream;
  TfrcQueueItem item;
  gboolean repeats;
  guint payload_offset;

  buffer = gst_buffer_make_writable (buffer);
  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp)) {
    if (count (self, &self->packets_invalid))
      GST_WARNING_OBJECT (self->sinkpad,
          "dropped a buffer that is no RTP "
          "packet; more are only counted");
    gst_buffer_unref (buffer);
    return;
  }

  repeats = GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  payload_offset = gst_rtp_buffer_get_header_len (&rtp);
  stream = find_stream (self, gst_rtp_buffer_get_ssrc (&rtp), repeats, batch);
  item = (TfrcQueueItem) { .stream = stream };
  item.seq = gst_rtp_buffer_get_seq (&rtp);
  item.timestamp = gst_rtp_buffer_get_timestamp (&rtp);
  item.droppable = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DROPPABLE);
  item.payload_size = gst_rtp_buffer_get_payload_len (&rtp);
  item.transport_numbered = tfrc_stamper_is_transport_numbered (&self->stamper,
      &rtp);
  if (tfrc_key_frame_is_known (stream->encoding_name)
      && tfrc_send_stream_wants_key_check (stream, item.timestamp))
    item.key = tfrc_key_frame_starts (stream->encoding_name,
        gst_rtp_buffer_get_payload (&rtp), item.payload_size);
  gst_rtp_buffer_unmap (&rtp);
  if (repeats && item.payload_size >= OSN_SIZE)
    item.repeated_ssrc = renumber_repeated (self, buffer, payload_offset);

  stamp (self, buffer, &item, batch);
  item.object = GST_MINI_OBJECT_CAST (buffer);
  item.size = (guint) gst_buffer_get_size (buffer);
  check_packet (self, &item);
  batch->items[batch->n++] = item;
}

GstFlowReturn
tfrc_send_intake_push (TfrcSendIntake *self, GstBuffer *buffer)
{
  Batch batch;

  batch.n = 0;
  batch_add (&batch, self, buffer);
  batch_push (&batch, self);
  return batch.ret;
}

static gboolean
move_to_array (GstBuffer **buffer, guint index, gpointer user_data)
{
  g_ptr_array_add (user_data, g_steal_pointer (buffer));
  return TRUE;
}

GstFlowReturn
tfrc_send_intake_push_list (TfrcSendIntake *self, GstBufferList *list)
{
  GPtrArray *buffers = g_ptr_array_sized_new (gst_buffer_list_length (list));
  Batch batch;

  /* Out of the list the buffers are ours alone and need no copy. */
  list = gst_buffer_list_make_writable (list);
  gst_buffer_list_foreach (list, move_to_array, buffers);
  gst_buffer_list_unref (list);

  batch.n = 0;
  batch.ret = GST_FLOW_OK;
  for (guint i = 0; i < buffers->len; i++) {
    if (batch.n == TFRC_SEND_MAX_BURST)
      batch_push (&batch, self);
    if (batch.ret == GST_FLOW_OK)
      batch_add (&batch, self, g_ptr_array_index (buffers, i));
    else
      gst_buffer_unref (g_ptr_array_index (buffers, i));
  }
  batch_push (&batch, self);
  g_ptr_array_unref (buffers);
  return batch.ret;
}

void
tfrc_send_intake_update_priorities (TfrcSendIntake *self)
{
  guint32 ssrcs[TFRC_QUEUE_MAX_STREAMS];
  guint n = tfrc_send_pacer_get_ssrcs (self->pacer, ssrcs);

  for (guint i = 0; i < n; i++)
    tfrc_send_pacer_set_priority (self->pacer, ssrcs[i],
        find_priority (self, ssrcs[i]));
}

void
tfrc_send_intake_set_stats (TfrcSendIntake *self, GstStructure *stats)
{
  g_mutex_lock (&self->lock);
  tfrc_stats_set (stats, "packets-invalid", self->packets_invalid);
  tfrc_stats_set (stats, "packets-not-stamped", self->packets_unstamped);
  tfrc_stats_set (stats, "packets-oversize", self->packets_oversize);
  g_mutex_unlock (&self->lock);
}
