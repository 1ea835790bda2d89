/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source pads of tfrcsrc: one per payload type, whatever SSRC sends it. */
#pragma once

#include <gst/gst.h>

#include "bins/jitter-buffers.h"

/* Frames that come too late after the one before, as W3C's webrtc-stats counts them
 * (freezeCount).  No lock. */

#define TFRC_FREEZES_FRAMES 30 /* whose intervals are averaged */

typedef struct
{
  GstClockTime intervals[TFRC_FREEZES_FRAMES]; /* a ring */
  GstClockTime last_at;                        /* of the frame before */
  guint64 frames;
  guint64 freezes;
  GstClockTime time; /* all freezes together */
} TfrcFreezes;

/* A frame is complete at `now`. */
void tfrc_freezes_on_frame (TfrcFreezes *self, GstClockTime now);

typedef struct _TfrcSourcePads TfrcSourcePads;

/* A payload type has its pad, for the first time in this run; after pad-added. */
typedef void (*TfrcSourcePadsAttached) (GstElement *bin);
/* Asked for a key frame of `ssrc` by an element downstream. */
typedef void (*TfrcSourcePadsKeyFrame) (GstElement *bin, guint ssrc);
/* A packet is about to leave, in the streaming thread, and those right before it are
 * lost for good. */
typedef void (*TfrcSourcePadsHole) (GstElement *bin,
    const TfrcRtpHeader *header);

/* Follows the pads of session 0 of `rtpbin`, which is in `bin` and has none yet;
 * `buffers` outlive this, and hear of what leaves. */
TfrcSourcePads *tfrc_source_pads_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffers *buffers, GstStaticPadTemplate *pad_template,
    TfrcSourcePadsAttached attached, TfrcSourcePadsKeyFrame key_frame,
    TfrcSourcePadsHole hole);
/* While nothing streams: all pads stay, and none has a stream. */
void tfrc_source_pads_begin_run (TfrcSourcePads *self);
/* Whether a stream of this payload type had a pad in this run. */
gboolean tfrc_source_pads_has (TfrcSourcePads *self, guint payload_type);
/* Of all pads. */
void tfrc_source_pads_add_stats (TfrcSourcePads *self, GstStructure *stats);
void tfrc_source_pads_free (TfrcSourcePads *self);
