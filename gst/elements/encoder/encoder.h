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

#include "encoder/target.h"

typedef struct _TfrcEncoder TfrcEncoder;

/* Goes upstream through the encoder with each bitrate that it is told: "bitrate"
 * (guint64, bits/s) and "media-type" (of what it makes; may be NULL). */
#define TFRC_ENCODER_BITRATE_EVENT "tfrc-encoder-bitrate"

/* An encoder was found upstream of the pad (NULL: none, or it has no bitrate).  FALSE:
 * it is another pad's.  `nearest`: it is the nearest, and not just named. */
typedef gboolean (*TfrcEncoderClaim) (GstPad *sinkpad, GstElement *encoder,
    gboolean nearest, GstElement *owner);

/* `owner` is not referenced: it posts messages and logs, and outlives this.
 * `claim`: called by the worker after each walk; NULL: all are free. */
TfrcEncoder *tfrc_encoder_new (GstElement *owner, TfrcEncoderClaim claim);

/* One that has not been detached keeps its bitrate. */
void tfrc_encoder_free (TfrcEncoder *self);

/* Binds anew where the encoder, its property or the unit is another, or control
 * or tuning is switched on; bounds count from the next target on, and the start
 * bitrate until the first. */
void tfrc_encoder_configure (TfrcEncoder *self,
    const TfrcEncoderSettings *settings);

/* (Re)finds the encoder by walking upstream from `sinkpad`; on the worker.  One
 * that is bound to already is left alone. */
void tfrc_encoder_attach (TfrcEncoder *self, GstPad *sinkpad);

/* Lets go of the encoder: READY, or no video comes in any more.  The worker sets the
 * bitrate that it had before, unless somebody else has set another. */
void tfrc_encoder_detach (TfrcEncoder *self);

/* PAUSED after PLAYING: what is queued meanwhile says nothing of the network, and others
 * that follow the encoder do not wait for this one.  Its bitrate stays, where there are
 * none.  Until it plays again, or is detached. */
void tfrc_encoder_set_paused (TfrcEncoder *self, gboolean paused);

/* The newest state of the flow; `now` is the owner's clock.  FALSE: no encoder
 * follows it. */
gboolean tfrc_encoder_update (TfrcEncoder *self, const TfrcEncoderFlow *flow,
    GstClockTime now);

/* `bytes` of encoded payload came in at `now`: to see whether the encoder
 * keeps its target. */
void tfrc_encoder_on_output (TfrcEncoder *self, gsize bytes, GstClockTime now);

/* A key frame is about to be asked for: it pays for a new bitrate. */
void tfrc_encoder_on_key_frame_request (TfrcEncoder *self, GstClockTime now);

/* What may be set on the encoder that was found [bits/s].  FALSE: none was, or it
 * cannot be set any more. */
gboolean tfrc_encoder_get_range (TfrcEncoder *self, guint64 *least,
    guint64 *most);

/* Adds to "encoder" (its path; NULL = none found), "encoder-property",
 * "encoder-target-bitrate" (last set, 0 = none), "encoder-output-bitrate"
 * (measured over the last second), "encoder-changes" (times the property was
 * set) and "encoder-overshoots" (warnings of an encoder that ignores it). */
void tfrc_encoder_add_stats (TfrcEncoder *self, GstStructure *stats);
