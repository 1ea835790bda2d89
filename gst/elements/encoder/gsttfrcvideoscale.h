/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcvideoscale: makes pictures smaller or fewer if the bitrate is too low for all. */
#pragma once

#include <gst/gst.h>

/* The ladder: how large and how frequent pictures may be for an encoder to do well with
 * its bitrate.  Below some bits per pixel a smaller picture, scaled up again, looks
 * better.  Plain arithmetic; `now` is the pictures' timestamp. */

#define GST_TYPE_TFRC_DEGRADATION (gst_tfrc_degradation_get_type ())

/**
 * GstTfrcDegradation:
 * @GST_TFRC_DEGRADATION_RESOLUTION: smaller pictures, as many of them
 * @GST_TFRC_DEGRADATION_FRAME_RATE: fewer pictures of the same size
 * @GST_TFRC_DEGRADATION_BALANCED: smaller ones, then fewer, then smaller ones
 *
 * What a low bitrate costs, by the names of RTCDegradationPreference (W3C).
 */
typedef enum
{
  GST_TFRC_DEGRADATION_RESOLUTION,
  GST_TFRC_DEGRADATION_FRAME_RATE,
  GST_TFRC_DEGRADATION_BALANCED,
} GstTfrcDegradation;

GType gst_tfrc_degradation_get_type (void);

/* A rung: fractions of the source's width and height, and of its frame rate. */
typedef struct
{
  guint size_n, size_d;
  guint rate_n, rate_d;
} TfrcRung;

typedef struct
{
  GstTfrcDegradation mode;
  guint side;              /* shorter side of the source's pictures [pixels] */
  guint index;             /* of the rung; 0 = full size and rate */
  GstClockTime changed_at; /* NONE = never */
  GstClockTime poor_since; /* NONE = the bitrate suffices for this rung */
  GstClockTime rich_since; /* NONE = it does not for a higher one */
  /* the highest rung that the bitrate sufficed for all the time since */
  guint rich_index;
} TfrcLadder;

/* Starts at full size and rate. */
void tfrc_ladder_init (TfrcLadder *self, GstTfrcDegradation mode);

const TfrcRung *tfrc_ladder_get_rung (const TfrcLadder *self);

/* The shorter side of the source's pictures has changed [pixels]. */
void tfrc_ladder_set_side (TfrcLadder *self, guint side);

/* `bitrate`: of the encoder; `full`: what it needs for all of the source (both in bits/s,
 * 0 = not known: full size and rate).  TRUE: the rung has changed. */
gboolean tfrc_ladder_step (TfrcLadder *self, guint64 bitrate, guint64 full,
    GstClockTime now);

#define GST_TYPE_TFRC_VIDEO_SCALE (gst_tfrc_video_scale_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcVideoScale, gst_tfrc_video_scale, GST,
    TFRC_VIDEO_SCALE, GstBin)

GST_ELEMENT_REGISTER_DECLARE (tfrcvideoscale);
