/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the controls of the encoders are told of the flow, and how often: the allowed
 * rate, and how much of it each cannot have.
 *
 * No lock of its own. */
#pragma once

#include "send/flow.h"
#include "send/queue.h"

typedef struct
{
  TfrcTime due_at;      /* TFRC_TIME_NONE = no packet, or none of late */
  TfrcTime packet_at;   /* the newest came in */
  TfrcEncoderFlow flow; /* the last, before it was shared */
} TfrcSendEncoderUpdates;

/* A new flow. */
void tfrc_send_encoder_updates_start (TfrcSendEncoderUpdates *self);

/* A packet came in: from the first one on there is something to tell. */
void tfrc_send_encoder_updates_on_packet (TfrcSendEncoderUpdates *self,
    TfrcTime now);

/* Measures the streams of the queue, if it is time.  TRUE: the control of each of the
 * inputs (of TfrcSendInput) is to hear of its `flow`.  `repaired`: losses are. */
gboolean tfrc_send_encoder_updates_on_deadline (TfrcSendEncoderUpdates *self,
    const TfrcQueue *queue, GPtrArray *inputs, TfrcSendFlow *flow,
    gboolean repaired, TfrcTime now);
