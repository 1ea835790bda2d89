/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sender hears from receivers, in RTCP or, of an rtpsession or a pipeline
 * behind it, in events: reports for the flow, requests for key frames and for lost
 * packets, counts of ECN marks.  Behind the lock of the pacer, whose parts it
 * reaches. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "common/alarm.h"
#include "rtp/ecn.h"
#include "send/feedback.h"
#include "send/flow.h"
#include "send/queue.h"
#include "send/parity.h"
#include "send/repair.h"

/* Whether packets may leave as ECT (RFC 6679 section 7), as others are told. */
typedef struct
{
  TfrcEcnState state;
  const gchar *text;
  TfrcEcnCodepoint ect;
} TfrcSendEcn;

/* What was in RTCP that came in. */
typedef struct
{
  TfrcTime arrived_at;
  TfrcDuration rtt; /* R before it; 0 = not known */
  guint n_feedback; /* of TFRC */
  gboolean feedback_accepted;
  gboolean no_news;   /* feedback was TFRC_NO_NEWS */
  gboolean heard;     /* anything of it names one of our SSRCs */
  gboolean malformed; /* it, or feedback in it */
  TfrcSendEcn ecn_before, ecn;
} TfrcSendRtcpPacket;

/* A client of a multiudpsink, to which packets leave since then. */
#define TFRC_SEND_MAX_RETURNS 64
typedef struct
{
  GInetAddress *address;
  guint port; /* of RTP */
  TfrcTime at;
} TfrcSendReturn;

typedef struct
{
  /* The owner's. */
  TfrcSendFlow *flow;
  TfrcQueue *queue;
  TfrcRetransmitter *retransmitter;
  const TfrcFecEncoder *fec;
  const TfrcPadding *padding;
  const TfrcStopwatch *stopwatch; /* queue time */

  TfrcSendCircuitBreaker circuit_breaker;
  TfrcFeedbackWatch watch;
  TfrcEcnCheck ecn;
  TfrcFeedbackFilterCounters counters;
  TfrcUpstreamRequests upstream_requests;
  TfrcTime twcc_in_rtcp_at; /* newest; TFRC_TIME_NONE = none */
  TfrcSendReturn returns[TFRC_SEND_MAX_RETURNS]; /* the newest */
  guint n_returns;
  gboolean key_frame_on_loss;
  gboolean tcp; /* RTCP comes inside TCP as well */
} TfrcSendReports;

/* Ends with it. */
void tfrc_send_reports_clear (TfrcSendReports *self);

/* A new flow. */
void tfrc_send_reports_start (TfrcSendReports *self);

/* See tfrc_send_pacer_begin_path. */
void tfrc_send_reports_begin_path (TfrcSendReports *self);

/* Hands what is in RTCP that came at packet->arrived_at to whom it concerns; sets the
 * rest of `packet`.  `map`: of the buffer, to read.  Returns what is left of it (NULL =
 * nothing).  `overheard`: see tfrc_send_pacer_push_rtcp. */
GstBuffer *tfrc_send_reports_on_rtcp (TfrcSendReports *self, GstBuffer *buffer,
    const GstMapInfo *map, gboolean overheard, TfrcSendRtcpPacket *packet);

/* See tfrc_send_pacer_add_client. */
void tfrc_send_reports_add_client (TfrcSendReports *self, const gchar *host,
    gint port, TfrcTime now);

/* TFRC_FOREIGN: it does not count. */
TfrcResult tfrc_send_reports_on_twcc_event (TfrcSendReports *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now);

/* See tfrc_send_pacer_ask_key_frame. */
gboolean tfrc_send_reports_ask_key_frame (TfrcSendReports *self,
    const guint32 *ssrc, TfrcTime now);

/* See tfrc_send_pacer_ask_again; `repeat_delay`: that upstream's newest repetition has
 * waited in the queue. */
gboolean tfrc_send_reports_on_request (TfrcSendReports *self, guint32 ssrc,
    guint *seq, TfrcDuration repeat_delay, TfrcTime now);

TfrcSendEcn tfrc_send_reports_get_ecn (const TfrcSendReports *self);

void tfrc_send_reports_set_stats (const TfrcSendReports *self,
    GstStructure *stats, TfrcTime now);
