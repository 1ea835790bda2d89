/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source pads of tfrcsrc: one per payload type, whatever SSRC sends it. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _TfrcStreams TfrcStreams;

/* Asked for a key frame of `ssrc` by an element downstream. */
typedef void (*TfrcStreamsKeyFrame) (GstElement *bin, guint ssrc);
/* `ssrc` is gone for good. */
typedef void (*TfrcStreamsGone) (GstElement *bin, guint ssrc);

/* Follows the pads of session 0 of `rtpbin`, which is in `bin`. */
TfrcStreams *tfrc_streams_new (GstElement *bin, GstElement *rtpbin,
    GstStaticPadTemplate *pad_template, TfrcStreamsKeyFrame key_frame,
    TfrcStreamsGone gone);
/* Takes every SSRC out of `rtpbin`; the pads stay, without a target.  For the
 * way from PAUSED to READY, when no RTP comes in any more. */
void tfrc_streams_clear (TfrcStreams *self);
void tfrc_streams_free (TfrcStreams *self);

G_END_DECLS
