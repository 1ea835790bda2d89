/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control: makes the video encoder upstream follow the allowed rate.
 *
 * The owner says at which sink pad the stream comes in, and what it may send.  A worker
 * thread of this object finds the nearest video encoder upstream and sets its bitrate, as
 * setting a property may wait for the frame that is being encoded.  Nothing here blocks
 * the caller.  All functions may be called from any thread, without the owner's object
 * lock held; tfrc_encoder_configure and _get_range are also called with other locks of it
 * held (docs/architecture.md). */
#pragma once

#include <gst/gst.h>

#include "encoder/target.h"

typedef struct _TfrcEncoder TfrcEncoder;

/* Called when an encoder was found upstream of the pad (NULL = none, or none with a
 * bitrate).  `nearest`: it is the nearest one, whether or not it was also set by name.
 * FALSE: another pad has it. */
typedef gboolean (*TfrcEncoderClaim) (GstPad *sinkpad, GstElement *encoder,
    gboolean nearest, GstElement *owner);

/* `owner` posts the messages; it is not referenced, and must outlive the object.
 * `claim`: called by the worker after each search; NULL = all encoders may be used. */
TfrcEncoder *tfrc_encoder_new (GstElement *owner, TfrcEncoderClaim claim);

/* An encoder that has not been detached before keeps its bitrate. */
void tfrc_encoder_free (TfrcEncoder *self);

/* Applies the settings.  If the encoder, its property or unit are others, or control or
 * tuning is switched on, the encoder is bound again.  New bounds apply from the next
 * target on, whatever that costs, the start bitrate until the first update. */
void tfrc_encoder_configure (TfrcEncoder *self,
    const TfrcEncoderSettings *settings);

/* Before the pads are active: tunes what cannot be tuned once caps have come, for which a
 * worker may be too late. */
void tfrc_encoder_prepare (TfrcEncoder *self, GstPad *sinkpad);

/* Searches upstream of `sinkpad` for the encoder, in the worker.  One that is bound
 * already is not changed. */
void tfrc_encoder_attach (TfrcEncoder *self, GstPad *sinkpad);

/* Releases the encoder, as in READY, or when no video comes in any more.  The worker
 * restores the bitrate that it had before, unless somebody else has changed it since. */
void tfrc_encoder_detach (TfrcEncoder *self);

/* Paused after PLAYING: the flow's state is ignored, as the queue is not emptied, and
 * other senders that share the encoder do not wait for this one.  If there are none, the
 * bitrate is not changed.  Ends by playing again, or by detaching. */
void tfrc_encoder_set_paused (TfrcEncoder *self, gboolean paused);

/* Gives the newest state of the flow; `now`: time of the owner's clock. */
void tfrc_encoder_update (TfrcEncoder *self, const TfrcEncoderFlow *flow,
    GstClockTime now);

/* `bytes` of encoded payload came in at `now`; shows whether the encoder keeps to its
 * target. */
void tfrc_encoder_on_output (TfrcEncoder *self, gsize bytes, GstClockTime now);

/* A key frame is about to be requested: a new bitrate costs nothing with it. */
void tfrc_encoder_on_key_frame_request (TfrcEncoder *self, GstClockTime now);

/* The range of bitrates that may be set [bits/s].  FALSE: no encoder is bound, or it
 * cannot be set any more. */
gboolean tfrc_encoder_get_range (TfrcEncoder *self, guint64 *least,
    guint64 *most);

/* Adds to the fields of the statistics: "encoder" (its path; NULL = none found),
 * "encoder-property", "encoder-target-bitrate" (last set, 0 = none),
 * "encoder-output-bitrate" (over the last second), "encoder-changes" (how often the
 * property was set) and "encoder-overshoots" (warnings that the encoder ignores it).
 * With several pads, names are listed and numbers summed. */
void tfrc_encoder_add_stats (TfrcEncoder *self, GstStructure *stats);
