/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One congestion-controlled flow: the TFRC sender behind a lock, shared by
 * whoever releases packets, stamps them, and gets the receiver's reports.
 *
 * Rates are bytes/s; only what a property shows is in bits/s. */
#pragma once

#include <gst/gst.h>

#include "tfrc-sender.h"

G_BEGIN_DECLS

typedef struct _TfrcFlow TfrcFlow;

TfrcFlow *tfrc_flow_new (void);
void tfrc_flow_unref (TfrcFlow * self);
TfrcFlow *tfrc_flow_ref (TfrcFlow * self);

/* Starts the protocol anew. */
void tfrc_flow_start (TfrcFlow * self, const TfrcSenderConfig * config);

/* When the next packet may leave. */
TfrcTime tfrc_flow_next_send_at (TfrcFlow * self);

/* A packet of `size` bytes leaves.  `backlog`: more is waiting. */
TfrcStamp tfrc_flow_charge (TfrcFlow * self, guint size, gboolean backlog,
    TfrcTime now);

TfrcResult tfrc_flow_on_feedback (TfrcFlow * self,
    const TfrcFeedback * feedback, TfrcTime now);

/* The nofeedback timer.  tfrc_flow_on_deadline does nothing before it. */
TfrcTime tfrc_flow_next_deadline (TfrcFlow * self);
void tfrc_flow_on_deadline (TfrcFlow * self, TfrcTime now);

/* Bounds what the encoder and the application are told, not the pace: a frame
 * of an encoder that keeps the bound need not take a frame's time to leave. */
void tfrc_flow_set_max_rate (TfrcFlow * self, TfrcRate max_rate);

/* 2 s/X: what a queue must hold lest a slow flow drops everything. */
TfrcDuration tfrc_flow_get_two_packets_time (TfrcFlow * self);

/* The receiver reports: neither is the first report out nor has the nofeedback
 * timer expired since the newest. */
gboolean tfrc_flow_is_heard (TfrcFlow * self);

/* The allowed rate in bits/s, saturating; TRUE when it moved by more than 1 %
 * since this last returned TRUE. */
gboolean tfrc_flow_poll_bitrate (TfrcFlow * self, guint * bitrate);

/* The rate that an encoder may follow, see tfrcencoderrate.h.  FALSE: no
 * report yet. */
gboolean tfrc_flow_get_smoothed_rate (TfrcFlow * self, TfrcRate * rate,
    TfrcTime now);

void tfrc_flow_get_trace (TfrcFlow * self, TfrcTrace * trace, TfrcTime now);

G_END_DECLS
