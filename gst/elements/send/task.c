/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns of the source pad's task. */

#include "send/task.h"

#include "send/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

static void take_turn (gpointer user_data);
static void fail (TfrcSendTask *self, GstFlowReturn ret);

gboolean
tfrc_send_task_start (TfrcSendTask *self)
{
  return gst_pad_start_task (self->srcpad, take_turn, self, NULL);
}

static void
take_turn (gpointer user_data)
{
  TfrcSendTask *self = user_data;
  TfrcSendTurn turn;
  GstFlowReturn ret;

  if (!tfrc_send_pacer_take_turn (self->pacer, &turn)) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  tfrc_send_ecn_on_turn (self->ecn, turn.n_items > 0, turn.now);
  /* Packets first: all else may take a while. */
  ret = tfrc_send_turn_push (&turn, self->srcpad);
  tfrc_send_turn_ask_key_frame (&turn, self->sinkpad);
  tfrc_send_turn_post_clr_news (&turn, self->element);
  tfrc_send_turn_post_breaker_news (&turn, self->element);
  if (turn.watch_changed)
    tfrc_send_watch_news_post (&turn.watch_news, self->element);
  if (turn.bitrate_moved)
    g_object_notify (G_OBJECT (self->element), "bitrate");
  if (turn.update_encoder)
    tfrc_encoder_update (self->encoder, &turn.encoder_flow, turn.now);
  if (turn.post_stats)
    gst_element_post_message (self->element,
        gst_message_new_element (GST_OBJECT (self->element),
            tfrc_send_stats_create (self->pacer, self->intake, self->ecn,
                self->encoder)));
  if (ret != GST_FLOW_OK)
    fail (self, ret);
}

static void
fail (TfrcSendTask *self, GstFlowReturn ret)
{
  GST_INFO_OBJECT (self->element, "pausing: %s", gst_flow_get_name (ret));
  gst_pad_pause_task (self->srcpad);
  /* After EOS nobody upstream is left to see the error. */
  if (tfrc_send_pacer_fail (self->pacer, ret)
      && (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS)) {
    GST_ELEMENT_FLOW_ERROR (self->element, ret);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}
