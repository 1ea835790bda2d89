/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the controls of the encoders are told of the flow, and how often: the allowed
 * rate, and how much of it each cannot have.
 *
 * No lock of its own. */
#pragma once

#include "encoder/encoder.h"
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

/* What takes the packets may take them more slowly than they may leave, as a sink does in
 * front of a TCP connection that is full: pushing waits, and more comes in than goes out.
 * Then 0.9 of what went out is the limit of what encoders make, which grows by 0.15 a second while that does not
 * happen again, and is none at four times as much.
 *
 * A sink that waits for the clock takes all that comes in, and is none of these.
 * No lock, no clock. */
typedef struct
{
  TfrcTime begun_at; /* of the interval; 0: none has */
  guint64 came_in;   /* bytes in it, ... */
  guint64 went_out;  /* ... and of these */
  guint n_waits;
  TfrcTime grown_at; /* the limit */
  TfrcRate limit;    /* INFINITY: none */
  TfrcRate taken;    /* when it was set */
} TfrcBackPressure;

void tfrc_back_pressure_init (TfrcBackPressure *self);

/* So many bytes came in, to be sent. */
void tfrc_back_pressure_on_input (TfrcBackPressure *self, gsize bytes);

/* A push of so many began at `began` and has ended `now`. */
void tfrc_back_pressure_on_pushed (TfrcBackPressure *self, gsize bytes,
    TfrcTime began, TfrcTime now);
