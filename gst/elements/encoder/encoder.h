/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows the allowed rate with the video encoder upstream.
 *
 * The owner says where the stream comes in and what it may send; a worker
 * thread of this object finds the nearest video encoder upstream and sets its
 * bitrate, because a set_property may wait for the frame being encoded.
 * Nothing here blocks the caller.  All functions may be called from any
 * thread, with no lock of the owner held. */
#pragma once

#include <gst/gst.h>

#include "encoder/settings.h"
#include "encoder/target.h"

typedef struct _TfrcEncoder TfrcEncoder;

/* `other`: what comes in at the sink pad is not made by the encoder that was found. */
typedef void (*TfrcEncoderTellPad) (GstPad *sinkpad, gboolean other,
    GstElement *owner);

/* `owner` is not referenced: it posts messages and logs, and outlives this.
 * `tell_pad`: called by the worker for each sink pad after each walk; NULL: nobody. */
TfrcEncoder *tfrc_encoder_new (GstElement *owner, TfrcEncoderTellPad tell_pad);
void tfrc_encoder_free (TfrcEncoder *self);

/* Binds anew where the encoder, its property or the unit is another, or control
 * or tuning is switched on; bounds count from the next target on. */
void tfrc_encoder_configure (TfrcEncoder *self,
    const TfrcEncoderSettings *settings);

/* (Re)finds the encoder by walking upstream from `sinkpad`; on the worker.  One
 * that is bound to already is left alone. */
void tfrc_encoder_attach (TfrcEncoder *self, GstPad *sinkpad);

/* Lets go of the encoder: READY, or the upstream link changed. */
void tfrc_encoder_detach (TfrcEncoder *self);

/* The newest state of the flow; `now` is the owner's clock. */
void tfrc_encoder_update (TfrcEncoder *self, const TfrcEncoderFlow *flow,
    GstClockTime now);

/* `bytes` of encoded payload came in at `now`: to see whether the encoder
 * keeps its target. */
void tfrc_encoder_on_output (TfrcEncoder *self, gsize bytes, GstClockTime now);

/* A key frame is about to be asked for: it pays for a new bitrate. */
void tfrc_encoder_on_key_frame_request (TfrcEncoder *self, GstClockTime now);

/* Sets "encoder" (its path; NULL = none found), "encoder-property",
 * "encoder-target-bitrate" (last set, 0 = none), "encoder-output-bitrate"
 * (measured over the last second), "encoder-changes" (times the property was
 * set) and "encoder-overshoots" (warnings of an encoder that ignores it). */
void tfrc_encoder_set_stats (TfrcEncoder *self, GstStructure *stats);
