/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incoming RTCP at the sender: takes out what is for us and lets the rest of
 * the compound packet go on to the rtpsession.
 *
 * For us are feedback of TFRC with the delays behind it, or reports of TFMCC, and
 * requests for key frames (PLI, FIR), and ECN summaries (XR), that name one of our SSRCs, and every SR
 * request, because one that names a local SSRC blocks an rtpsession of GStreamer
 * 1.22 for good.  Report blocks about our SSRCs are read, and stay where they
 * are; and so do reports of arrivals, which an rtpsession has a use for, if they can
 * be read (send/arrivals.h). */
#pragma once

#include <gst/gst.h>

#include "rtp/report-block.h"
#include "tfmcc/packet.h"
#include "rtp/ecn.h"
#include "tfrc/packet.h"
#include "common/enums.h"
#include "send/arrivals.h"
#include "tfrc-wire-compound.h"
#include "tfrc-wire-rtcp.h"

/* Of one compound packet; a correct receiver sends one of each. */
#define TFRC_FEEDBACK_FILTER_MAX 8

/* Entries of NACKs in one compound packet, 17 packets each. */
#define TFRC_FEEDBACK_FILTER_NACKS 32

/* Packets with reports of arrivals: a receiver may have one for each SSRC. */
#define TFRC_FEEDBACK_FILTER_ARRIVALS 64

typedef struct
{
  guint32 media_ssrc;
  TfrcNackEntry entry;
} TfrcFeedbackFilterNack;

typedef struct
{
  TfrcFeedback feedback[TFRC_FEEDBACK_FILTER_MAX]; /* TFRC */
  guint n_feedback;
  TfmccReport reports[TFRC_FEEDBACK_FILTER_MAX]; /* TFMCC */
  guint n_reports;
  guint32 key_requests[TFRC_FEEDBACK_FILTER_MAX]; /* SSRCs */
  guint n_key_requests;
  TfrcArrivalPacket arrivals[TFRC_FEEDBACK_FILTER_ARRIVALS]; /* passed on */
  guint n_arrivals;
  TfrcFeedbackFilterNack nacks[TFRC_FEEDBACK_FILTER_NACKS];
  guint n_nacks;
  RtpReportBlock blocks[TFRC_FEEDBACK_FILTER_MAX]; /* passed on too */
  guint n_blocks;
  gboolean heard; /* anything of it names one of our SSRCs */
  TfrcEcnSummary ecn[TFRC_ECN_MAX_STREAMS]; /* of the last XR */
  guint n_ecn;
  guint feedback_malformed;  /* of another length or version: taken out */
  guint feedback_foreign;    /* for another SSRC: passed on */
  guint feedback_excess;     /* found no place here: taken out */
  guint feedback_other_mode; /* about ours, of the other protocol: passed on */
  guint sr_requests;         /* taken out */
  guint rtcp_malformed;      /* 1: no RTCP that may go on, see
                              * tfrc_wire_read_compound, and nothing else is set */
  guint n_packets;           /* of RTCP, of whatever kind */
  guint32 ssrc;              /* of who sent them */
  guint32 byes[TFRC_WIRE_COMPOUND_SSRCS]; /* who say that they are gone */
  guint n_byes;
} TfrcFeedbackFilterResult;

/* Of all packets. */
typedef struct
{
  guint64 feedback_malformed;
  guint64 feedback_foreign;
  guint64 feedback_excess;
  guint64 rtcp_malformed;
  guint64 sr_requests;
  guint64 key_frame_requests; /* PLI, FIR; and the owner's upstream events */
} TfrcFeedbackFilterCounters;

typedef gboolean (*TfrcFeedbackFilterIsOurs) (guint32 ssrc, gpointer user_data);

/* Looks for what GST_TFRC_MODE_TFMCC, else TFRC, sends, and for NACKs if
 * `repairs`; else they are passed on.  `n_numbered` packets that were sent have a
 * number of the transport.
 * `map`: of the buffer, to read, to which `arrivals` point.  Returns a copy of
 * what is left of it, or NULL when nothing is.  Memory is shared, not copied. */
GstBuffer *tfrc_feedback_filter (GstBuffer *buffer, const GstMapInfo *map,
    GstTfrcMode mode, gboolean repairs, guint64 n_numbered,
    TfrcFeedbackFilterResult *result, TfrcFeedbackFilterIsOurs is_ours,
    gpointer user_data);

void tfrc_feedback_filter_count (TfrcFeedbackFilterCounters *counters,
    const TfrcFeedbackFilterResult *result);
void tfrc_feedback_filter_set_stats (const TfrcFeedbackFilterCounters *counters,
    GstStructure *stats);
