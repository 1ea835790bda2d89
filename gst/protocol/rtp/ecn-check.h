/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the sender may send ECT(0): RFC 6679 section 7.  It begins at once
 * (leap of faith, section 7.2.3) and goes on only while the receiver tells that
 * the packets arrive as such (sections 7.3 and 7.4).
 *
 *   OFF
 *   TESTING --ECT(0) or CE arrived--> WORKING
 *   TESTING, WORKING --nothing comes back--> WAITING (not ECT)
 *   WAITING --a report--> TESTING
 *   TESTING, WORKING --see TfrcEcnFailure--> FAILED (not ECT)
 *
 * FAILED lasts.  Only says; sends nothing. */
#pragma once

#include "base/streams.h"
#include "rtp/ecn-count.h"

typedef enum
{
  TFRC_ECN_OFF,
  TFRC_ECN_TESTING,
  TFRC_ECN_WAITING,
  TFRC_ECN_WORKING,
  TFRC_ECN_FAILED,
} TfrcEcnState;

typedef enum
{
  TFRC_ECN_FAILURE_NONE,
  TFRC_ECN_FAILURE_UNREPORTED, /* reports come, but no summaries */
  TFRC_ECN_FAILURE_BLEACHED,   /* arrives as not-ECT, or as ECT(1) */
  TFRC_ECN_FAILURE_BLOCKED,    /* arrives as not-ECT alone */
} TfrcEcnFailure;

/* Packets went out and nothing came back for so long. */
#define TFRC_ECN_TIMEOUT (3 * TFRC_SECOND)

/* Reports without a summary for so long, and so many: ten summaries must have
 * been lost. */
#define TFRC_ECN_UNREPORTED_TIME (10 * TFRC_ECN_SUMMARY_INTERVAL)
#define TFRC_ECN_UNREPORTED_REPORTS 8

/* Summaries in a row, of at least so many packets each, without ECT(0) or
 * CE: those that were on their way as not-ECT have arrived by then. */
#define TFRC_ECN_BLEACHED_SUMMARIES 3
#define TFRC_ECN_BLEACHED_PACKETS 10

typedef struct
{
  TfrcEcnState state;
  TfrcEcnFailure failure; /* of FAILED */
  bool waited;            /* has been WAITING since it last worked */

  bool unanswered;           /* nothing came back since then, when */
  TfrcTime unanswered_since; /* a packet went out */
  uint32_t reports;          /* since the last summary; the first of */
  TfrcTime reports_since;    /* them */
  uint32_t bleached;         /* summaries in a row */

  TfrcEcnSummary seen[TFRC_MAX_STREAMS]; /* the newest of each SSRC */
  uint64_t seen_at[TFRC_MAX_STREAMS];    /* counted in summaries */
  size_t n_seen;
  uint64_t summaries;
  uint64_t ect_0, ect_1, ce, not_ect; /* packets that arrived, as told */
} TfrcEcnCheck;

/* TESTING if `wanted`, else OFF. */
void tfrc_ecn_check_init (TfrcEcnCheck *self, bool wanted);

/* Whether packets are to leave as ECT(0). */
bool tfrc_ecn_check_is_ect (const TfrcEcnCheck *self);

void tfrc_ecn_check_on_sent (TfrcEcnCheck *self, TfrcTime now);

/* A report came; after the summaries that came with it. */
void tfrc_ecn_check_on_feedback (TfrcEcnCheck *self, TfrcTime now);
void tfrc_ecn_check_on_summary (TfrcEcnCheck *self,
    const TfrcEcnSummary *summary);

/* Any time; late is well enough. */
void tfrc_ecn_check_on_deadline (TfrcEcnCheck *self, TfrcTime now);
