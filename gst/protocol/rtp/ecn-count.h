/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the receiver saw of ECN (RFC 3168), for each SSRC, and when to tell the
 * sender: RFC 6679 sections 5.2 and 7.3.2.  Marks as losses are the business
 * of tfrc/loss-detector.h. */
#pragma once

#include <stddef.h>

#include "base/seq.h"
#include "base/streams.h"
#include "base/time.h"

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
  size_t next_told;
  uint64_t packets;
  uint64_t received[4]; /* packets of the flow, by codepoint */
  TfrcTime told_at;     /* 0 = never */
} TfrcEcnCount;

void tfrc_ecn_count_init (TfrcEcnCount *self);

/* A packet came, for the first time or again. */
void tfrc_ecn_count_on_packet (TfrcEcnCount *self, uint32_t ssrc, uint16_t seq,
    TfrcEcnCodepoint ecn, bool duplicate);

void tfrc_ecn_count_remove_stream (TfrcEcnCount *self, uint32_t ssrc);

/* What goes with the report that leaves now; the number of summaries, 0 when
 * none is due. */
size_t tfrc_ecn_count_poll (TfrcEcnCount *self,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], TfrcTime now);
