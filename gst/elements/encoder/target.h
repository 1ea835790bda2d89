/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the encoder should make of the rate the flow may send, and how often
 * it is told.  Plain arithmetic; `now` is the owner's clock. */
#pragma once

#include <gst/gst.h>

#include "encoder/settings.h"
#include "encoder/table.h"

/* Where it is free: 10 changes a second, none under 1 %. */
#define TFRC_ENCODER_CHANGE_INTERVAL (100 * GST_MSECOND)

/* What waits in the pacer's queue for longer than a frame at 25 frames/s is
 * drained within this time. */
#define TFRC_ENCODER_DRAIN_TIME (500 * GST_MSECOND)
/* Where losses are repaired, a frame that waits for too long and is dropped is what
 * is left to break the picture. */
#define TFRC_ENCODER_REPAIRED_DRAIN_TIME (100 * GST_MSECOND)
#define TFRC_ENCODER_FRAME_TIME (40 * GST_MSECOND)

/* What the owner knows of the flow, in bits/s unless said otherwise. */
typedef struct
{
  guint64 allowed_bitrate; /* what the flow may send */
  guint64 other_bitrate;   /* measured, of streams without this encoder */
  gdouble overhead;        /* measured: bytes sent per encoded byte, >= 1 */
  guint64 queued_bytes;    /* in the pacer now */
  gboolean repaired;       /* losses are */
} TfrcEncoderFlow;

typedef struct
{
  guint64 bitrate;         /* the last one that passed; 0 = none */
  GstClockTime changed_at; /* NONE: not known when */
  TfrcEncoderCost cost;    /* of a change; the owner sets it */
} TfrcEncoderTargetLimiter;

/* [bits/s]; 0 when the flow has nothing left for this encoder. */
guint64 tfrc_encoder_target_from_flow (const TfrcEncoderFlow *flow);

/* What to tell an encoder that makes `share` (0.8 to 1.25) of what it is told,
 * so that it makes `wanted`.  Within min_bitrate and max_bitrate, the latter
 * having the last word: it bounds what the encoder makes, and what it is told
 * is above it by 5 % at most, so that it overshoots by no more than that when
 * it suddenly makes all of it. */
guint64 tfrc_encoder_target_tell (const TfrcEncoderSettings *settings,
    guint64 wanted, gdouble share);

/* Starts from `bitrate` (0 = none yet), set at a time not known. */
void tfrc_encoder_target_limiter_reset (TfrcEncoderTargetLimiter *self,
    guint64 bitrate);

/* TRUE: set `bitrate` now; it becomes what the next one is compared to. */
gboolean tfrc_encoder_target_limiter_pass (TfrcEncoderTargetLimiter *self,
    guint64 bitrate, GstClockTime now);
