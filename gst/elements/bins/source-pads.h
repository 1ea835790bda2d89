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

/* For the pads of session 0 of `rtpbin`, which is in `bin` and has none yet.  `buffers`
 * must outlive this object, and are informed of each packet output.  `receive`, which is
 * not referenced, asks for a key frame when one is requested downstream or a stream is
 * just linked, and is informed of packets that are lost for good. */
TfrcSourcePads *tfrc_source_pads_new (GstElement *bin, GstElement *rtpbin,
    GstRtpTfrcReceive *receive, TfrcJitterBuffers *buffers,
    GstStaticPadTemplate *pad_template, TfrcSourcePadsAttached attached);
/* While nothing streams: keeps the pads, without their streams. */
void tfrc_source_pads_begin_run (TfrcSourcePads *self);
/* Whether a stream of this payload type had a pad in this run. */
gboolean tfrc_source_pads_has (TfrcSourcePads *self, guint payload_type);
/* Adds frames, freezes (guint64) and freezes-ns of all pads. */
void tfrc_source_pads_add_stats (TfrcSourcePads *self, GstStructure *stats);
void tfrc_source_pads_free (TfrcSourcePads *self);
