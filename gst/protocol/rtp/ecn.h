/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN for RTP (RFC 3168, RFC 6679).  Receiver: counts codepoints per SSRC and
 * decides when to report them (sections 5.2 and 7.3.2).  Sender: decides whether
 * ECT(0), or ECT(1), may be sent (section 7).  CE marks are treated as losses in
 * tfrc/loss-detector.h; those of a flow that sends ECT(1) are not (RFC 9331) but go
 * to delay/delay-control.h. */
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

/* SSRCs in one report; if there are more, they take turns. */
#define TFRC_ECN_MAX_STREAMS 8

/* RFC 6679 uses the interval of regular RTCP, which is seconds.  That is too long
 * to wait for the first summary. */
#define TFRC_ECN_SUMMARY_INTERVAL (500 * TFRC_MILLISECOND)

/* Counts all packets of an SSRC so far.  On the wire the counters after `ect_1` are
 * modulo 2^16, the others modulo 2^32. */
typedef struct
{
  uint32_t media_ssrc;
  uint32_t ect_0; /* packets that arrived with ECT(0) */
  uint32_t ect_1;
  uint32_t ce;
  uint32_t not_ect;
  uint32_t lost;
  uint32_t duplicates;
} TfrcEcnSummary;

typedef struct
{
  TfrcEcnSummary summary; /* its counters wrap, those below do not */
  uint64_t received;      /* packets, without duplicates */
  TfrcSeqUnwrapper seq;
  TfrcSeq first_seq;
  uint64_t newest_at; /* packets of the flow when its newest packet arrived */
} TfrcEcnStream;

typedef struct
{
  TfrcEcnStream streams[TFRC_MAX_STREAMS];
  size_t n_streams;
  size_t next_reported;
  uint64_t packets;
  uint64_t received[4]; /* packets of the flow, by codepoint */
  TfrcTime reported_at; /* when the last summaries were sent; 0 = never */
  bool is_l4s;          /* the newest unmarked ECT packet was ECT(1) */
} TfrcEcnCount;

/* Counts one packet. */
void tfrc_ecn_summary_count (TfrcEcnSummary *self, TfrcEcnCodepoint ecn);

/* A packet arrived; `duplicate`: it had arrived before. */
void tfrc_ecn_count_on_packet (TfrcEcnCount *self, uint32_t ssrc, uint16_t seq,
    TfrcEcnCodepoint ecn, bool duplicate);

/* The SSRC has left and is in no further summary. */
void tfrc_ecn_count_remove_stream (TfrcEcnCount *self, uint32_t ssrc);

/* Gets the summaries to send with the report made now; returns their number, 0 if
 * none are due.  With ECT(1) they go with every report, as marks are answered per
 * round trip. */
size_t tfrc_ecn_count_poll (TfrcEcnCount *self,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], TfrcTime now);

/* The sender uses ECT at once (leap of faith, section 7.2.3) and goes on as long as
 * the receiver reports that packets arrive with it (sections 7.3 and 7.4).
 *
 *   OFF
 *   TESTING --ECT as sent, or CE, arrived--> WORKING
 *   TESTING, WORKING --no report arrives---> WAITING (sends not-ECT)
 *   WAITING --a report arrives--> TESTING
 *   TESTING, WORKING --see TfrcEcnFailure--> FAILED (sends not-ECT)
 *
 * FAILED is final.  The caller sets the codepoint of packets. */

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
  /* Packets arrive as not-ECT, or with the other ECT codepoint. */
  TFRC_ECN_FAILURE_BLEACHED,
  TFRC_ECN_FAILURE_BLOCKED, /* packets arrive only if sent as not-ECT */
  TFRC_ECN_FAILURE_MARKED,  /* every ECT(1) packet arrives marked */
} TfrcEcnFailure;

/* WAITING after so long without any report. */
#define TFRC_ECN_TIMEOUT (3 * TFRC_SECOND)

/* UNREPORTED after so long, and so many reports, without a summary: ten of them
 * would have to be lost. */
#define TFRC_ECN_UNREPORTED_TIME (10 * TFRC_ECN_SUMMARY_INTERVAL)
#define TFRC_ECN_UNREPORTED_REPORTS 8

/* MARKED after so long, and so many packets, if every ECT(1) packet arrives marked.
 * Such marks do not describe our own queue, or others fill it, and the rate bound
 * of the delay control would fall to next to nothing. */
#define TFRC_ECN_MARKED_TIME (2 * TFRC_SECOND)
#define TFRC_ECN_MARKED_PACKETS 10

/* BLEACHED after so many summaries in a row, each of so many packets at least, that
 * count neither the ECT codepoint sent nor CE.  Packets sent as not-ECT earlier
 * have arrived by then. */
#define TFRC_ECN_BLEACHED_SUMMARIES 3
#define TFRC_ECN_BLEACHED_PACKETS 10

typedef struct
{
  TfrcEcnState state;
  TfrcEcnFailure failure; /* reason for FAILED */
  TfrcEcnCodepoint ect;   /* the codepoint to send */
  bool waited;            /* was WAITING since it last was WORKING */

  bool unanswered;           /* packets were sent without a report since */
  TfrcTime unanswered_since; /* the first of them was sent */
  uint32_t reports;          /* since the last summary */
  TfrcTime reports_since;    /* arrival of the first of them */
  uint32_t bleached;         /* bleached summaries in a row */
  uint32_t marked; /* CE packets in a row, without one that arrived as ECT(1) */
  TfrcTime marked_since; /* first report of them; 0: none */

  TfrcEcnSummary seen[TFRC_MAX_STREAMS]; /* newest summary of each SSRC */
  uint64_t seen_at[TFRC_MAX_STREAMS]; /* value of `summaries` when it arrived */
  size_t n_seen;
  uint64_t summaries;
  uint64_t ect_0, ect_1, ce, not_ect; /* packets that arrived, as reported */
} TfrcEcnCheck;

/* TESTING with ECT(0) or ECT(1), else OFF. */
void tfrc_ecn_check_init (TfrcEcnCheck *self, TfrcEcnCodepoint ect);

/* The codepoint to send: `ect`, or TFRC_ECN_NOT_ECT. */
TfrcEcnCodepoint tfrc_ecn_check_get_ect (const TfrcEcnCheck *self);

/* A packet is sent as ECT. */
void tfrc_ecn_check_on_sent (TfrcEcnCheck *self, TfrcTime now);

/* A report arrived.  Its summaries go first. */
void tfrc_ecn_check_on_feedback (TfrcEcnCheck *self, TfrcTime now);
void tfrc_ecn_check_on_summary (TfrcEcnCheck *self,
    const TfrcEcnSummary *summary);

/* Checks for TFRC_ECN_TIMEOUT; call it any time, precision does not matter. */
void tfrc_ecn_check_on_deadline (TfrcEcnCheck *self, TfrcTime now);
