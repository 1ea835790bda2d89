/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter for incoming RTCP: takes out the packets that are for this sender, and lets
 * the rest of the compound packet go on to the rtpsession.
 *
 * Taken out are feedback of TFRC and the delay reports that follow it, or reports of
 * TFMCC; requests for key frames (PLI, FIR) and ECN summaries (XR) that name only our
 * SSRCs; and every SR request, because one that names a local SSRC blocks an rtpsession
 * of GStreamer 1.22 for good.  Report blocks about our SSRCs are read, but passed on.  So
 * is packet feedback (send/packet-feedback.h), malformed or not, as an rtpsession reads
 * it, too; only transport-wide feedback about packets that are not remembered is taken
 * out. */
#pragma once

#include <gst/gst.h>

#include "rtp/ecn.h"
#include "rtp/report-block.h"
#include "send/packet-feedback.h"
#include "tfmcc/packet.h"
#include "tfrc-wire.h"
#include "tfrc/packet.h"

/* Feedback, reports, key frame requests and report blocks that are read from one compound
 * packet; a correct receiver sends one of each. */
#define TFRC_RTCP_MAX 8

/* NACK entries that are read from one compound packet; each is for up to 17 packets. */
#define TFRC_RTCP_MAX_NACKS 32

/* Packets of packet feedback in one compound packet: a receiver may send one per SSRC. */
#define TFRC_RTCP_MAX_SPANS 64

typedef struct
{
  guint32 media_ssrc;
  TfrcNackEntry entry;
} TfrcRtcpNack;

/* What is counted, for the statistics. */
typedef enum
{
  /* wrong length or version; taken out, but for packet feedback */
  TFRC_RTCP_FEEDBACK_MALFORMED,
  /* about other SSRCs; passed on, but for transport-wide feedback */
  TFRC_RTCP_FEEDBACK_FOREIGN,
  /* no room in the arrays; taken out, but for packet feedback */
  TFRC_RTCP_FEEDBACK_EXCESS,
  TFRC_RTCP_SR_REQUESTS, /* taken out */
  /* 1: not RTCP that may be passed on (tfrc_wire_read_compound); nothing else is set
   * then */
  TFRC_RTCP_MALFORMED,
  TFRC_RTCP_KEY_REQUESTS, /* counted by the caller, with upstream events */
  TFRC_RTCP_N_COUNTS
} TfrcRtcpCount;

typedef struct
{
  TfrcFeedback feedback[TFRC_RTCP_MAX]; /* of TFRC */
  guint n_feedback;
  TfmccReport reports[TFRC_RTCP_MAX]; /* of TFMCC */
  /* p of each report; 0 = it has none */
  gdouble report_p[TFRC_RTCP_MAX];
  guint n_reports;
  guint32 key_requests[TFRC_RTCP_MAX]; /* media SSRCs */
  guint n_key_requests;
  /* packet feedback; passed on */
  TfrcFeedbackSpan spans[TFRC_RTCP_MAX_SPANS];
  guint n_spans;
  TfrcRtcpNack nacks[TFRC_RTCP_MAX_NACKS];
  guint n_nacks;
  RtpReportBlock blocks[TFRC_RTCP_MAX]; /* passed on, too */
  guint n_blocks;
  gboolean about_us; /* some packet names one of our SSRCs */
  TfrcEcnSummary ecn[TFRC_ECN_MAX_STREAMS]; /* of the last XR packet */
  guint n_ecn;
  guint counts[TFRC_RTCP_N_COUNTS];
  /* reports about our SSRCs, but of the other protocol; passed on */
  guint other_mode;
  guint n_packets;                        /* RTCP packets of any kind */
  guint32 ssrc;                           /* of the first packet's sender */
  guint32 byes[TFRC_WIRE_COMPOUND_SSRCS]; /* SSRCs that sent BYE */
  guint n_byes;
} TfrcRtcpContent;

typedef gboolean (*TfrcRtcpIsOurs) (guint32 ssrc, gpointer user_data);

/* Reads one compound packet.  `group`: looks for reports of TFMCC, else for feedback of
 * TFRC.  `repairs`: reads NACKs, which are passed on otherwise.  `n_numbered`: how many
 * packets with a transport-wide sequence number have been sent.  `map`: of the buffer,
 * for reading; `spans` in the result point into it.  `is_ours` (with `user_data`) tells
 * our SSRCs.
 *
 * Returns a new buffer with what is passed on, with the flag TFRC_MEMBERS_ABOUT_US if
 * result->about_us, or NULL if that is nothing.  It shares the
 * memory of `buffer`, of which the caller keeps its reference. */
GstBuffer *tfrc_rtcp_filter (GstBuffer *buffer, const GstMapInfo *map,
    gboolean group, gboolean repairs, guint64 n_numbered,
    TfrcRtcpContent *result, TfrcRtcpIsOurs is_ours, gpointer user_data);

void tfrc_rtcp_filter_set_stats (const guint64 *counts, GstStructure *stats);
