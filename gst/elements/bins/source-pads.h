/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source pads of tfrcsrc: one per payload type, independent of the SSRC. */
#pragma once

#include <gst/gst.h>

#include "bins/jitter-buffers.h"

/* Counts freezes, frames that follow too late after the previous one, as freezeCount of
 * W3C's webrtc-stats.  No lock. */

#define TFRC_FREEZES_FRAMES 30 /* whose intervals are averaged */

typedef struct
{
  GstClockTime intervals[TFRC_FREEZES_FRAMES]; /* a ring */
  GstClockTime last_at;                        /* of the previous frame */
  guint64 frames;
  guint64 freezes;
  GstClockTime time; /* total duration of freezes */
} TfrcFreezes;

/* A frame was completed at `now`. */
void tfrc_freezes_on_frame (TfrcFreezes *self, GstClockTime now);

typedef struct _TfrcSourcePads TfrcSourcePads;

/* A payload type has its pad for the first time in this run; called after pad-added. */
typedef void (*TfrcSourcePadsAttached) (GstElement *bin);
/* A key frame of `ssrc` is needed: requested downstream, or as it was just linked. */
typedef void (*TfrcSourcePadsKeyFrame) (GstElement *bin, guint ssrc);
/* The packets right before the one that is about to be pushed are lost for good;
 * called in the streaming thread. */
typedef void (*TfrcSourcePadsUnrepaired) (GstElement *bin,
    const TfrcRtpHeader *header);
/* The id of the header extension, which is of this hop; 0 = none. */
typedef guint (*TfrcSourcePadsExtension) (GstElement *bin);

/* For the pads of session 0 of `rtpbin`, which is in `bin` and has none yet.  `buffers`
 * must outlive this object, and are informed of each packet output. */
TfrcSourcePads *tfrc_source_pads_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffers *buffers, GstStaticPadTemplate *pad_template,
    TfrcSourcePadsAttached attached, TfrcSourcePadsKeyFrame key_frame,
    TfrcSourcePadsUnrepaired unrepaired, TfrcSourcePadsExtension extension);
/* While nothing streams: keeps the pads, without their streams. */
void tfrc_source_pads_begin_run (TfrcSourcePads *self);
/* Whether a stream of this payload type had a pad in this run. */
gboolean tfrc_source_pads_has (TfrcSourcePads *self, guint payload_type);
/* Adds frames, freezes (guint64) and freezes-ns of all pads. */
void tfrc_source_pads_add_stats (TfrcSourcePads *self, GstStructure *stats);
void tfrc_source_pads_free (TfrcSourcePads *self);
