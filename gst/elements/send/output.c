/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stamps and pushes what may leave, and tells whoever has to know. */

#include "send/output.h"

#include <gst/video/video.h>

#include "send/stamper.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

#define RTP_SEQ_OFFSET 2 /* in an RTP packet [bytes] */

static GstFlowReturn
push_packets (GstPad *srcpad, const TfrcSendDue *due)
{
  GstBufferList *list;

  if (due->n_items == 1)
    return gst_pad_push (srcpad, GST_BUFFER_CAST (due->items[0].object));

  list = gst_buffer_list_new_sized (due->n_items);
  for (guint i = 0; i < due->n_items; i++)
    gst_buffer_list_add (list, GST_BUFFER_CAST (due->items[i].object));
  return gst_pad_push_list (srcpad, list);
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

/* The packets, or the event. */
static GstFlowReturn
push (TfrcSendOutput *self, TfrcSendDue *due)
{
  GstPad *srcpad = self->srcpad;
  gboolean flushing;
  GstFlowReturn ret;

  if (due->event != NULL)
    gst_pad_push_event (srcpad, due->event);
  if (due->n_items == 0)
    return GST_FLOW_OK;

  for (guint i = 0; i < due->n_items; i++) {
    write_packet (&due->items[i], &due->stamps[i]);
    GST_LOG_OBJECT (srcpad,
        "sending seq=%u size=%u stamp_bytes=%u "
        "send_at_ns=%" G_GUINT64_FORMAT,
        due->items[i].seq, due->items[i].size, due->stamps[i].size,
        due->send_at);
  }
  tfrc_send_pacer_on_output (self->pacer, due);
  flushing = GST_PAD_IS_FLUSHING (srcpad);
  ret = push_packets (srcpad, due);
  /* A peer may say so of a pad behind it: an rtpsession has numbered them then, as
   * whatever else fails. */
  if ((ret == GST_FLOW_FLUSHING && flushing)
      || (ret == GST_FLOW_NOT_LINKED && !gst_pad_is_linked (srcpad)))
    tfrc_send_pacer_take_back (self->pacer, due);
  return ret;
}

/* Takes the pad; NULL: it is gone. */
static void
ask_key_frame (GstPad *sinkpad, guint32 ssrc)
{
  GstEvent *event;

  if (sinkpad == NULL)
    return;
  event = gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE,
      TRUE, 0);
  /* So that an rtpfunnel upstream finds the right encoder. */
  gst_structure_set (gst_event_writable_structure (event), "ssrc", G_TYPE_UINT,
      ssrc, NULL);
  GST_DEBUG_OBJECT (sinkpad, "asking for a key frame: ssrc=%08x", ssrc);
  if (!gst_pad_push_event (sinkpad, event))
    GST_DEBUG_OBJECT (sinkpad, "nobody upstream makes key frames");
  gst_object_unref (sinkpad);
}

static void
post_clr_news (GstElement *element, const TfmccClrNews *news)
{
  guint64 bitrate = tfrc_rate_to_bits (news->rate);

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

static void
post_stats (GstElement *element)
{
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element), stats));
}

static void
fail (TfrcSendOutput *self, GstFlowReturn ret)
{
  gboolean eos;

  GST_INFO_OBJECT (self->element, "pausing: %s", gst_flow_get_name (ret));
  /* Before the failure is known: then who links the pad starts the task. */
  gst_pad_pause_task (self->srcpad);
  if (!tfrc_send_pacer_fail (self->pacer, ret, &eos)) {
    tfrc_send_output_start (self);
    return;
  }
  /* After EOS nobody upstream is left to see the error. */
  if (eos && (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS)) {
    GST_ELEMENT_FLOW_ERROR (self->element, ret);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}

static void
run (gpointer user_data)
{
  TfrcSendOutput *self = user_data;
  TfrcSendDue due;
  GstFlowReturn ret;

  if (!tfrc_send_pacer_wait (self->pacer, &due)) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  tfrc_send_ecn_on_output (self->ecn, due.n_items > 0, due.now);
  /* Packets first: all else may take a while. */
  ret = push (self, &due);
  if (due.wants_key_frame) {
    tfrc_encoder_on_key_frame_request (self->encoder, due.now);
    ask_key_frame (due.key_pad, due.key_ssrc);
  }
  if (due.clr_changed)
    post_clr_news (self->element, &due.clr_news);
  if (due.breaker_changed)
    tfrc_send_breaker_news_post (&due.breaker_news, self->element);
  if (due.watch_changed)
    tfrc_feedback_watch_news_post (&due.watch_news, self->element);
  if (due.bitrate_moved)
    g_object_notify (G_OBJECT (self->element), "bitrate");
  if (due.update_encoder)
    tfrc_encoder_update (self->encoder, &due.encoder_flow, due.now);
  if (due.post_stats)
    post_stats (self->element);
  if (ret != GST_FLOW_OK)
    fail (self, ret);
}

gboolean
tfrc_send_output_start (TfrcSendOutput *self)
{
  return gst_pad_start_task (self->srcpad, run, self, NULL);
}
