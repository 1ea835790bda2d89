/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares what the flow may send among the encoders that follow it, by priority and by what
 * they make, and tells each its part, regularly.
 *
 * No lock of its own: the pacer's is held. */
#pragma once

#include "send/flow.h"
#include "send/queue.h"

typedef struct
{
  TfrcTime due_at;    /* TFRC_TIME_NONE = no recent packet */
  TfrcTime packet_at; /* when the newest came in */
  /* the last one, before it was divided among the inputs */
  TfrcEncoderFlow flow;
} TfrcSendEncoderShares;

/* A new flow. */
void tfrc_send_encoder_shares_start (TfrcSendEncoderShares *self);

/* A packet came in: updates are due from the first one on. */
void tfrc_send_encoder_shares_on_packet (TfrcSendEncoderShares *self,
    TfrcTime now);

/* If an update is due, measures the streams of the queue, and sets `flow` of each of
 * `inputs` (of TfrcSendInput).  `repaired`: lost packets are repaired.  TRUE: give each
 * encoder control its `flow`. */
gboolean tfrc_send_encoder_shares_on_deadline (TfrcSendEncoderShares *self,
    const TfrcQueue *queue, GPtrArray *inputs, TfrcSendFlow *flow,
    gboolean repaired, TfrcTime now);
