/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN of RTP (RFC 3168, RFC 6679): what the receiver saw of it, for each SSRC, and
 * when to tell the sender (sections 5.2 and 7.3.2); whether the sender may send
 * ECT(0), or ECT(1) (section 7).  Marks as losses are the business of
 * tfrc/loss-detector.h; of a flow that sends ECT(1) they are none (RFC 9331), but of
 * delay/delay-control.h. */
#pragma once

#include <stddef.h>

#include "base/units.h"

/* RFC 3168 section 5 */
typedef enum
{
  TFRC_ECN_NOT_ECT = 0,
  TFRC_ECN_ECT_1 = 1,
  TFRC_ECN_ECT_0 = 2,
  TFRC_ECN_CE = 3,
} TfrcEcnCodepoint;

#define TFRC_ECN_MASK 3

/* SSRCs that one report tells of; of more it tells in turn. */
#define TFRC_ECN_MAX_STREAMS 8

/* RFC 6679 leaves the interval to that of regular RTCP, seconds; the sender
 * must not wait so long for its first one. */
#define TFRC_ECN_SUMMARY_INTERVAL (500 * TFRC_MILLISECOND)

/* All packets of an SSRC so far.  On the wire those below `ect_1` are modulo
 * 2^16, the others modulo 2^32. */
typedef struct
{
  uint32_t media_ssrc;
  uint32_t ect_0; /* packets that came with ECT(0) */
  uint32_t ect_1;
  uint32_t ce;
  uint32_t not_ect;
  uint32_t lost;
  uint32_t duplicates;
} TfrcEcnSummary;

typedef struct
{
  TfrcEcnSummary summary; /* its counters wrap, these do not: */
  uint64_t received;      /* packets, without duplicates */
  TfrcSeqUnwrapper seq;
  TfrcSeq first_seq;
  uint64_t newest_at; /* counted in packets of the flow */
} TfrcEcnStream;

typedef struct
{
  TfrcEcnStream streams[TFRC_MAX_STREAMS];
  size_t n_streams;
  size_t next_reported;
  uint64_t packets;
  uint64_t received[4]; /* packets of the flow, by codepoint */
  TfrcTime reported_at; /* 0 = never */
  bool is_l4s;          /* the newest that was ECT and not marked was ECT(1) */
} TfrcEcnCount;

/* A packet of a summary. */
void tfrc_ecn_summary_count (TfrcEcnSummary *self, TfrcEcnCodepoint ecn);

/* A packet came, for the first time or again. */
void tfrc_ecn_count_on_packet (TfrcEcnCount *self, uint32_t ssrc, uint16_t seq,
    TfrcEcnCodepoint ecn, bool duplicate);

/* The SSRC has left: it is in no summary. */
void tfrc_ecn_count_remove_stream (TfrcEcnCount *self, uint32_t ssrc);

/* What goes with the report that leaves now; the number of summaries, 0 when
 * none is due.  L4S wants them with each report: a mark is of its round trip. */
size_t tfrc_ecn_count_poll (TfrcEcnCount *self,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], TfrcTime now);

/* The sender begins at once (leap of faith, section 7.2.3) and goes on only while
 * the receiver tells that the packets arrive as such (sections 7.3 and 7.4).
 *
 *   OFF
 *   TESTING --ECT as sent, or CE, arrived--> WORKING
 *   TESTING, WORKING --nothing comes back--> WAITING (not ECT)
 *   WAITING --a report--> TESTING
 *   TESTING, WORKING --see TfrcEcnFailure--> FAILED (not ECT)
 *
 * FAILED lasts.  Only says; sends nothing. */

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
  TFRC_ECN_FAILURE_BLEACHED,   /* arrives as not-ECT, or as the other ECT */
  TFRC_ECN_FAILURE_BLOCKED,    /* arrives as not-ECT alone */
  TFRC_ECN_FAILURE_MARKED,     /* all that is ECT(1) arrives marked */
} TfrcEcnFailure;

/* Packets went out and nothing came back for so long. */
#define TFRC_ECN_TIMEOUT (3 * TFRC_SECOND)

/* Reports without a summary for so long, and so many: ten summaries must have
 * been lost. */
#define TFRC_ECN_UNREPORTED_TIME (10 * TFRC_ECN_SUMMARY_INTERVAL)
#define TFRC_ECN_UNREPORTED_REPORTS 8

/* Each ECT(1) packet came marked for so long: that tells of no queue of ours, or of one
 * that others fill, and D is next to nothing. */
#define TFRC_ECN_MARKED_TIME (2 * TFRC_SECOND)
#define TFRC_ECN_MARKED_PACKETS 10

/* Summaries in a row, of at least so many packets each, without ECT as sent or
 * CE: those that were on their way as not-ECT have arrived by then. */
#define TFRC_ECN_BLEACHED_SUMMARIES 3
#define TFRC_ECN_BLEACHED_PACKETS 10

typedef struct
{
  TfrcEcnState state;
  TfrcEcnFailure failure; /* of FAILED */
  TfrcEcnCodepoint ect;   /* as packets leave */
  bool waited;            /* has been WAITING since it last worked */

  bool unanswered;           /* nothing came back since then, when */
  TfrcTime unanswered_since; /* a packet went out */
  uint32_t reports;          /* since the last summary; the first of */
  TfrcTime reports_since;    /* them */
  uint32_t bleached;         /* summaries in a row */
  uint32_t marked;           /* packets in a row, of ECT(1), */
  TfrcTime marked_since;     /* and so since; 0: not known */

  TfrcEcnSummary seen[TFRC_MAX_STREAMS]; /* the newest of each SSRC */
  uint64_t seen_at[TFRC_MAX_STREAMS];    /* counted in summaries */
  size_t n_seen;
  uint64_t summaries;
  uint64_t ect_0, ect_1, ce, not_ect; /* packets that arrived, as told */
} TfrcEcnCheck;

/* TESTING with ECT(0) or ECT(1), else OFF. */
void tfrc_ecn_check_init (TfrcEcnCheck *self, TfrcEcnCodepoint ect);

/* As what packets are to leave: `ect`, or TFRC_ECN_NOT_ECT. */
TfrcEcnCodepoint tfrc_ecn_check_get_ect (const TfrcEcnCheck *self);

/* A packet leaves `now` as ECT. */
void tfrc_ecn_check_on_sent (TfrcEcnCheck *self, TfrcTime now);

/* A report came; after the summaries that came with it. */
void tfrc_ecn_check_on_feedback (TfrcEcnCheck *self, TfrcTime now);
void tfrc_ecn_check_on_summary (TfrcEcnCheck *self,
    const TfrcEcnSummary *summary);

/* Any time; late is well enough. */
void tfrc_ecn_check_on_deadline (TfrcEcnCheck *self, TfrcTime now);
