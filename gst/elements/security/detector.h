/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For an end without a key: recognises SRTP, says so once, and keeps it from
 * those who would take it for media.
 *
 * Nothing in an RTP packet tells whether it is protected.  Its RTCP does: what
 * comes of an SSRC in front of that gets through. */
#pragma once

#include <gst/gst.h>

typedef struct _TfrcSrtpDetector TfrcSrtpDetector;

/* `owner`, which posts the warning, is not referenced. */
TfrcSrtpDetector *tfrc_srtp_detector_new (GstElement *owner);
/* NULL does nothing. */
void tfrc_srtp_detector_unref (TfrcSrtpDetector *self);

/* The other end may be another one.  NULL does nothing. */
void tfrc_srtp_detector_begin_run (TfrcSrtpDetector *self);

/* Looks at what leaves `udpsrc`, in each run until RTCP is seen that is not
 * protected. */
void tfrc_srtp_detector_add (TfrcSrtpDetector *self, GstElement *udpsrc);
