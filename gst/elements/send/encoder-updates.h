/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the encoder control is told of the flow, and how often: the allowed
 * rate, and how much of it the encoder cannot have.
 *
 * No lock of its own. */
#pragma once

#include <gst/gst.h>

#include "encoder/encoder.h"
#include "send/flow.h"
#include "send/queue.h"

typedef struct
{
  TfrcTime due_at;      /* TFRC_TIME_NONE = no packet, or none of late */
  TfrcTime packet_at;   /* the newest came in */
  TfrcEncoderFlow flow; /* the last that was told */
} TfrcSendEncoderUpdates;

/* A new flow. */
void tfrc_send_encoder_updates_start (TfrcSendEncoderUpdates *self);

/* A packet came in: from the first one on there is something to tell. */
void tfrc_send_encoder_updates_on_packet (TfrcSendEncoderUpdates *self,
    TfrcTime now);

/* Measures the streams of the queue, if it is time.  TRUE: the encoder control
 * is to hear of `self->flow`. */
gboolean tfrc_send_encoder_updates_on_deadline (TfrcSendEncoderUpdates *self,
    const TfrcQueue *queue, TfrcSendFlow *flow, TfrcTime now);
