/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One turn of the sender's task: what the pacer found due, and carrying it
 * out, with no lock held. */
#pragma once

#include <gst/gst.h>

#include "group/send-flow.h"
#include "encoder/encoder.h"
#include "send/queue.h"
#include "send/breaker.h"
#include "send/feedback-watch.h"

G_BEGIN_DECLS

#define TFRC_SEND_MAX_BURST 128 /* packets of one turn */

typedef struct
{
  TfrcTime now;
  TfrcQueueItem items[TFRC_SEND_MAX_BURST]; /* without `stream` */
  TfrcStampBytes stamps[TFRC_SEND_MAX_BURST];
  guint n_items;
  GstEvent *event;          /* NULL = none; never together with items */
  gboolean bitrate_moved;   /* notify */
  gboolean wants_key_frame; /* ask upstream */
  guint32 key_ssrc;         /* for this stream */
  gboolean update_encoder;  /* with encoder_flow */
  TfrcEncoderFlow encoder_flow;
  gboolean clr_changed; /* post clr_news */
  TfmccClrNews clr_news;
  gboolean breaker_changed; /* post breaker_news */
  TfrcSendBreakerNews breaker_news;
  gboolean watch_changed; /* post watch_news */
  TfrcSendWatchNews watch_news;
  gboolean post_stats;
} TfrcSendTurn;

/* Stamps the packets and pushes them, or the event. */
GstFlowReturn tfrc_send_turn_push (TfrcSendTurn *self, GstPad *srcpad);

/* Asks for the key frame, if one is wanted. */
void tfrc_send_turn_ask_key_frame (TfrcSendTurn *self, GstPad *sinkpad);

/* Posts the change of the limiting receiver, if there is one. */
void tfrc_send_turn_post_clr_news (const TfrcSendTurn *self,
    GstElement *element);

/* Posts that the circuit breaker tripped or closed, if it did. */
void tfrc_send_turn_post_breaker_news (const TfrcSendTurn *self,
    GstElement *element);

G_END_DECLS
