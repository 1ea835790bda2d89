/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source pads of tfrcsrc: one per payload type, whatever SSRC sends it. */
#pragma once

#include <gst/gst.h>

#include "common/rtp-header.h"

typedef struct _TfrcSourcePads TfrcSourcePads;

/* A payload type has its pad, for the first time in this run; after pad-added. */
typedef void (*TfrcSourcePadsAttached) (GstElement *bin);
/* Asked for a key frame of `ssrc` by an element downstream. */
typedef void (*TfrcSourcePadsKeyFrame) (GstElement *bin, guint ssrc);
/* Whether `ssrc` is a stream of the sender's. */
typedef gboolean (*TfrcSourcePadsKnows) (GstElement *bin, guint ssrc);
/* `ssrc` is gone for good. */
typedef void (*TfrcSourcePadsGone) (GstElement *bin, guint ssrc);

/* A packet is about to leave, in the streaming thread: `follows_hole`, those right
 * before it are lost for good. */
typedef void (*TfrcSourcePadsDeparture) (GstElement *bin,
    const TfrcRtpHeader *header, GstClockTime pts, gboolean follows_hole);

/* Follows the pads of session 0 of `rtpbin`, which is in `bin` and has none yet. */
TfrcSourcePads *tfrc_source_pads_new (GstElement *bin, GstElement *rtpbin,
    GstStaticPadTemplate *pad_template, TfrcSourcePadsAttached attached,
    TfrcSourcePadsKeyFrame key_frame, TfrcSourcePadsKnows knows,
    TfrcSourcePadsGone gone, TfrcSourcePadsDeparture departure);
/* While nothing streams: all pads stay, and none has a stream. */
void tfrc_source_pads_begin_run (TfrcSourcePads *self);
/* Whether a stream of this payload type had a pad in this run. */
gboolean tfrc_source_pads_has (TfrcSourcePads *self, guint payload_type);
/* Takes every SSRC out of `rtpbin`; the pads stay, without a target.  For the
 * way from PAUSED to READY, when no RTP comes in any more. */
void tfrc_source_pads_clear (TfrcSourcePads *self);
/* Takes one out, later and not in the caller's thread. */
void tfrc_source_pads_evict (TfrcSourcePads *self, guint ssrc);
void tfrc_source_pads_free (TfrcSourcePads *self);
