/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source pads of tfrcsrc: one per payload type, whatever SSRC sends it. */
#pragma once

#include <gst/gst.h>

#include "common/rtp.h"

/* The jitter buffers of an rtpbin, one for each SSRC: it keeps them, and their
 * threads, until somebody clears the SSRC.
 *
 * They wait for a fixed time, or one that follows what packets need
 * (rtp/playout-delay.h).  It is the same for all streams, so that they stay
 * together.  With each new latency a jitter buffer posts the message after which the
 * pipeline's is to be calculated anew. */

#define TFRC_LATENCY_AUTO 0

typedef struct _TfrcJitterBuffers TfrcJitterBuffers;

/* Whether `ssrc` is a stream.  Any thread. */
typedef gboolean (*TfrcJitterBuffersKnows) (GstElement *bin, guint ssrc);
/* `ssrc` is being cleared; with no lock held. */
typedef void (*TfrcJitterBuffersGone) (GstElement *bin, guint ssrc);

/* Of session 0 of `rtpbin`, which is in `bin` and has no session yet; with
 * TFRC_LATENCY_AUTO at first.  There are never more than TFRC_MAX_STREAMS, and eight
 * that will soon be cleared. */
TfrcJitterBuffers *tfrc_jitter_buffers_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffersKnows knows, TfrcJitterBuffersGone gone);
void tfrc_jitter_buffers_free (TfrcJitterBuffers *self);
/* While rtpbin has none: forgets what was measured. */
void tfrc_jitter_buffers_begin_run (TfrcJitterBuffers *self);

/* In ms, or TFRC_LATENCY_AUTO; at any time. */
void tfrc_jitter_buffers_set_latency (TfrcJitterBuffers *self,
    guint latency_ms);
guint tfrc_jitter_buffers_get_latency (TfrcJitterBuffers *self);

/* Guards them, and what else is to be looked at for each packet in front of and
 * behind them: so it is taken once on either side. */
GMutex *tfrc_jitter_buffers_get_lock (TfrcJitterBuffers *self);

/* A packet comes, right before a jitter buffer gets it: `arrival` is its DTS.  With
 * the lock held, which it gives up. */
void tfrc_jitter_buffers_on_arrival (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime arrival);

/* A packet has left a jitter buffer, which lets them out in order, with this PTS.
 * TRUE: those right before it are lost for good.  With the lock held. */
gboolean tfrc_jitter_buffers_on_departure (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime pts);

/* How long behind the playout without any delay a packet that was `due` is asked
 * for, by a jitter buffer that says it waited for `delay`: that leaves out how late
 * the packet was by which it found out. */
GstClockTime tfrc_jitter_buffers_get_wait (TfrcJitterBuffers *self,
    GstClockTime due, GstClockTime delay);

/* A packet is asked for, after such a wait, at a round-trip time of `rtt` [ns]: a
 * delay that follows leaves time for the answer (rtp/playout-delay.h). */
void tfrc_jitter_buffers_expect_answer (TfrcJitterBuffers *self,
    GstClockTime wait, GstClockTime rtt);

/* Adds latency-ns (guint64) and packets-too-late (guint64, packets). */
void tfrc_jitter_buffers_add_stats (TfrcJitterBuffers *self,
    GstStructure *stats);

/* Clears one SSRC as soon as nothing is on its way out of its jitter buffer, and
 * not in the caller's thread.  Stopping the buffer waits for its thread, which
 * may wait for the caller's or in a sink that is in PAUSED, and no state can be
 * set meanwhile.  FALSE: something is on its way out; ask again. */
gboolean tfrc_jitter_buffers_clear_later (TfrcJitterBuffers *self, guint ssrc);

/* Clears every SSRC, at once.  READY makes the demuxers of rtpbin forget them,
 * so that nobody can do it after that. */
void tfrc_jitter_buffers_clear_all (TfrcJitterBuffers *self);

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
