/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The `stats` of rtptfrcsend: put together of what its parts tell, and the
 * fields beyond the columns of the protocol core. */
#pragma once

#include <gst/gst.h>

#include "encoder/encoder.h"
#include "send/feedback-filter.h"
#include "send/queue.h"
#include "send/ecn.h"
#include "send/intake.h"
#include "send/pacer.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 feedback_malformed;
  guint64 feedback_foreign;
  guint64 feedback_excess;
  guint64 rtcp_malformed;
  guint64 sr_requests;
  guint64 key_frame_requests_received; /* PLI, FIR, upstream events */
} TfrcSendRtcpCounters;

void tfrc_send_stats_add_rtcp (TfrcSendRtcpCounters *counters,
    const TfrcFeedbackFilterResult *result);

/* A new structure with all fields, of the protocol too. */
GstStructure *tfrc_send_stats_create (TfrcSendPacer *pacer,
    TfrcSendIntake *intake, TfrcSendEcn *ecn, TfrcEncoder *encoder);

/* Each sets its own fields. */
void tfrc_send_stats_set_rtcp (GstStructure *stats,
    const TfrcSendRtcpCounters *counters);
void tfrc_send_stats_set_queue (GstStructure *stats, const TfrcQueue *queue,
    TfrcDuration pacer_delay, TfrcTime now);
void tfrc_send_stats_set_intake (GstStructure *stats,
    const TfrcSendIntakeCounters *counters);
void tfrc_send_stats_set_encoder (GstStructure *stats,
    const TfrcEncoderStats *encoder);
void tfrc_send_stats_set_flow (GstStructure *stats,
    const TfrcEncoderFlow *flow);

G_END_DECLS
