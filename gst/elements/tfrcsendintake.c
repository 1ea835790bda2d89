/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads RTP packets on their way into the queue. */

#include "tfrcsendintake.h"

#include "tfrckeyframe.h"
#include "tfrcupstream.h"

static TfrcSendStream *find_stream (TfrcSendIntake *self, guint32 ssrc,
    TfrcQueue *queue, GMutex *lock, GstPad *sinkpad);
static TfrcSendIntakeResult judge (TfrcSendIntake *self,
    const TfrcQueueItem *item);

void
tfrc_send_intake_init (TfrcSendIntake *self)
{
  *self = (TfrcSendIntake) { {0} };
  tfrc_stamper_init (&self->stamper);
}

void
tfrc_send_intake_clear (TfrcSendIntake *self)
{
  gst_clear_caps (&self->caps);
}

GstCaps *
tfrc_send_intake_set_caps (TfrcSendIntake *self, GstCaps *caps,
    guint extension_id, TfrcQueue *queue, GMutex *lock)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  TfrcSendStream *stream = NULL;
  guint ssrc;

  gst_caps_replace (&self->caps, caps);
  g_mutex_lock (lock);
  if (gst_structure_get_uint (structure, "ssrc", &ssrc))
    stream = tfrc_queue_find_stream (queue, ssrc);
  if (stream != NULL)
    tfrc_send_stream_set_caps (stream, structure);
  g_mutex_unlock (lock);

  caps = gst_caps_make_writable (caps);
  /* Our numbers go on where upstream starts anew. */
  if (stream != NULL)
    gst_structure_remove_field (gst_caps_get_structure (caps, 0),
        "seqnum-base");
  return tfrc_stamper_set_caps (&self->stamper, caps, extension_id);
}

TfrcSendIntakeResult
tfrc_send_intake_read (TfrcSendIntake *self, GstBuffer *buffer,
    TfrcQueueItem *item, TfrcQueue *queue, GMutex *lock, GstPad *sinkpad)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcSendStream *stream;
  gsize payload_size;

  *item = (TfrcQueueItem) {.object = NULL };
  buffer = gst_buffer_make_writable (buffer);
  if (!gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp)) {
    gst_buffer_unref (buffer);
    self->counters.packets_invalid++;
    return TFRC_SEND_INTAKE_INVALID;
  }

  stream = find_stream (self, gst_rtp_buffer_get_ssrc (&rtp), queue, lock,
      sinkpad);
  item->stream = stream;
  item->seq = gst_rtp_buffer_get_seq (&rtp);
  item->timestamp = gst_rtp_buffer_get_timestamp (&rtp);
  item->droppable = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DROPPABLE);
  payload_size = gst_rtp_buffer_get_payload_len (&rtp);
  if (tfrc_key_frame_is_known (stream->encoding_name)
      && tfrc_send_stream_wants_key_check (stream, item->timestamp))
    item->key = tfrc_key_frame_starts (stream->encoding_name,
        gst_rtp_buffer_get_payload (&rtp), payload_size);
  item->stamp_offset = tfrc_stamper_prepare (&self->stamper, &rtp);
  gst_rtp_buffer_unmap (&rtp);

  item->object = GST_MINI_OBJECT_CAST (buffer);
  item->size = (guint) gst_buffer_get_size (buffer);
  item->payload_size = (guint) payload_size;
  return judge (self, item);
}

/* A funnel hands on the caps of none of its streams: look for them there. */
static TfrcSendStream *
find_stream (TfrcSendIntake *self, guint32 ssrc, TfrcQueue *queue,
    GMutex *lock, GstPad *sinkpad)
{
  /* Streams come and go in this thread alone. */
  TfrcSendStream *stream = tfrc_queue_find_stream (queue, ssrc);
  GstCaps *caps;

  if (stream != NULL)
    return stream;

  caps = tfrc_upstream_find_caps (sinkpad, ssrc);
  if (caps == NULL && self->caps != NULL)
    caps = gst_caps_ref (self->caps);
  g_mutex_lock (lock);
  stream = tfrc_queue_add_stream (queue, ssrc);
  if (caps != NULL)
    tfrc_send_stream_set_caps (stream, gst_caps_get_structure (caps, 0));
  g_mutex_unlock (lock);
  gst_clear_caps (&caps);
  return stream;
}

static TfrcSendIntakeResult
judge (TfrcSendIntake *self, const TfrcQueueItem *item)
{
  if (item->stamp_offset == 0) {
    self->counters.packets_unstamped++;
    return TFRC_SEND_INTAKE_UNSTAMPED;
  }
  if (item->size > self->mtu) {
    self->counters.packets_oversize++;
    return TFRC_SEND_INTAKE_OVERSIZE;
  }
  return TFRC_SEND_INTAKE_OK;
}
