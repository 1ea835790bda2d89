/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Carries out turns of the sender's task. */

#include "send/turn.h"

#include <gst/video/video.h>

#include "send/stamper.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

#define RTP_SEQ_OFFSET 2 /* in an RTP packet [bytes] */

static void write_packet (const TfrcQueueItem *item,
    const TfrcStampBytes *stamp);

GstFlowReturn
tfrc_send_turn_push (TfrcSendTurn *self, GstPad *srcpad)
{
  GstBufferList *list;

  if (self->event != NULL)
    gst_pad_push_event (srcpad, g_steal_pointer (&self->event));
  if (self->n_items == 0)
    return GST_FLOW_OK;

  for (guint i = 0; i < self->n_items; i++) {
    write_packet (&self->items[i], &self->stamps[i]);
    GST_LOG_OBJECT (srcpad, "sending seq=%u size=%u stamp_bytes=%u",
        self->items[i].seq, self->items[i].size, self->stamps[i].size);
  }
  if (self->n_items == 1)
    return gst_pad_push (srcpad, GST_BUFFER_CAST (self->items[0].object));

  list = gst_buffer_list_new_sized (self->n_items);
  for (guint i = 0; i < self->n_items; i++)
    gst_buffer_list_add (list, GST_BUFFER_CAST (self->items[i].object));
  return gst_pad_push_list (srcpad, list);
}

void
tfrc_send_turn_ask_key_frame (TfrcSendTurn *self, GstPad *sinkpad)
{
  GstEvent *event;

  if (!self->wants_key_frame)
    return;
  event = gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE,
      TRUE, 0);
  /* So that an rtpfunnel finds the right encoder. */
  gst_structure_set (gst_event_writable_structure (event), "ssrc", G_TYPE_UINT,
      self->key_ssrc, NULL);
  GST_DEBUG_OBJECT (sinkpad, "asking for a key frame: ssrc=%08x",
      self->key_ssrc);
  if (!gst_pad_push_event (sinkpad, event))
    GST_DEBUG_OBJECT (sinkpad, "nobody upstream makes key frames");
}

void
tfrc_send_turn_post_clr_news (const TfrcSendTurn *self, GstElement *element)
{
  const TfmccClrNews *news = &self->clr_news;
  guint64 bitrate;

  if (!self->clr_changed)
    return;
  bitrate = tfrc_rate_to_bits (news->rate);
  GST_INFO_OBJECT (element,
      "limiting receiver: ssrc=%08x previous_ssrc=%08x "
      "bitrate_bits_s=%" G_GUINT64_FORMAT " rtt_ns=%" G_GUINT64_FORMAT
      " reason=%s",
      news->ssrc, news->previous_ssrc, bitrate, news->rtt, news->reason);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("tfmcc-clr",
              "ssrc", G_TYPE_UINT, news->ssrc,
              "previous-ssrc", G_TYPE_UINT, news->previous_ssrc,
              "bitrate", G_TYPE_UINT64, bitrate,
              "rtt-ns", G_TYPE_UINT64, news->rtt,
              "reason", G_TYPE_STRING, news->reason, NULL)));
}

void
tfrc_send_turn_post_breaker_news (const TfrcSendTurn *self, GstElement *element)
{
  const TfrcSendBreakerNews *news = &self->breaker_news;

  if (!self->breaker_changed)
    return;
  GST_INFO_OBJECT (element,
      "circuit breaker: tripped=%d reason=%s ssrc=%08x "
      "bitrate_limit=%" G_GUINT64_FORMAT " ceased_ns=%" G_GUINT64_FORMAT,
      news->tripped, news->reason, news->ssrc,
      tfrc_rate_to_bits (news->rate_limit), news->ceased);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("rtp-circuit-breaker",
              "tripped", G_TYPE_BOOLEAN, news->tripped,
              "reason", G_TYPE_STRING, news->reason,
              "ssrc", G_TYPE_UINT, news->ssrc,
              "bitrate-limit", G_TYPE_UINT64,
              tfrc_rate_to_bits (news->rate_limit),
              "ceased-ns", G_TYPE_UINT64, news->ceased, NULL)));
}

static void
write_packet (const TfrcQueueItem *item, const TfrcStampBytes *stamp)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  guint8 seq[2];

  if (item->renumbered) {
    GST_WRITE_UINT16_BE (seq, item->seq);
    gst_buffer_fill (buffer, RTP_SEQ_OFFSET, seq, sizeof seq);
  }
  if (item->stamp_offset != 0)
    tfrc_stamper_write (buffer, item->stamp_offset, item->stamp_room, stamp);
}
