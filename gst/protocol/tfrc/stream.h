/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sequence numbers of one SSRC: what is new, what is a duplicate, which
 * holes there are and when their packets would have arrived.
 *
 * Everything at or below the highest number has arrived unless a hole covers
 * it, so holes alone tell duplicates from late packets.  RFC 3550 appendix
 * A.1 for jumps, RFC 5348 sections 5.1 and 5.2 for holes.  Not here: what is
 * shared by all SSRCs (tfrc/loss-detector.h). */
#pragma once

#include "tfrc/reordering.h"
#include "base/seq.h"

#define TFRC_NDUPACK 3 /* RFC 5348 section 5.1 */
#ifndef TFRC_MAX_HOLES
#define TFRC_MAX_HOLES 64 /* remembered per SSRC, lost ones included */
#endif
/* Holes that wait for their packets, however much reordering is tolerated. */
#define TFRC_MAX_WAITING (TFRC_MAX_HOLES / 2)
#define TFRC_MAX_DROPOUT 3000 /* RFC 3550 appendix A.1 [packets] */
#define TFRC_MAX_MISORDER 100 /* RFC 3550 appendix A.1 [packets] */

/* Consecutive lost packets, or one marked packet. */
typedef struct
{
  TfrcSeq first;        /* flow position */
  TfrcTime first_at;    /* T_loss of the first */
  TfrcDuration spacing; /* T_loss of one to that of the next */
  uint32_t count;
  bool marked;  /* ECN-CE: it did arrive */
  uint16_t seq; /* of the first, which did not */
} TfrcLossRun;

typedef enum
{
  TFRC_ARRIVAL_NEW,       /* the highest of its SSRC so far */
  TFRC_ARRIVAL_FILLED,    /* late, in a hole not yet declared lost */
  TFRC_ARRIVAL_REPAIRED,  /* late, after it was declared lost */
  TFRC_ARRIVAL_DUPLICATE, /* arrived before */
  TFRC_ARRIVAL_STALE,     /* older than everything remembered */
  TFRC_ARRIVAL_UNPROVEN,  /* too far off to believe a single packet */
  TFRC_ARRIVAL_RESET,     /* and the next one confirmed it */
} TfrcArrival;

/* What the SSRCs of a flow share. */
typedef struct
{
  TfrcSeq highest;           /* position of the newest packet, from 1 */
  uint64_t packets;          /* arrived, without duplicates */
  TfrcTime newest_at;        /* arrival of the newest of them */
  TfrcDuration rtt;          /* R of the newest packet; 0 = not known */
  TfrcReordering reordering; /* of the path, which is that of all SSRCs */
  bool detect_outages;       /* D12 */
} TfrcFlow;

typedef struct
{
  TfrcLossRun run;       /* what is still missing */
  TfrcSeq first_seq;     /* sequence number of the first of it */
  TfrcTime seen_at;      /* arrival of S_after */
  uint64_t seen_packets; /* of the flow before S_after */
  uint32_t later;        /* packets of the SSRC above it so far */
} TfrcHole;

typedef struct
{
  TfrcTime at;
  TfrcSeq seq;
} TfrcSpacingMark;

typedef struct
{
  uint32_t ssrc;
  TfrcSeqUnwrapper unwrapper;
  TfrcSeq first_seq;  /* older ones are not known */
  TfrcTime newest_at; /* T_before: arrival of the highest */
  TfrcTime last_at;   /* arrival of any */
  /* At least one RTT apart: the sender's spacing is measured from the older
   * to the newest packet. */
  TfrcSpacingMark older_mark, newer_mark;
  bool suspicious;   /* a jump waits for its confirmation, */
  uint16_t expected; /* which is this sequence number */
  uint32_t n_holes;  /* in order of their sequence numbers, */
  uint32_t n_lost;   /* of which the first were declared lost */
  TfrcHole holes[TFRC_MAX_HOLES];
} TfrcStream;

void tfrc_stream_init (TfrcStream *self, uint32_t ssrc);

/* Sets *position for NEW, FILLED and REPAIRED, and advances flow->highest for
 * NEW.  RESET: nothing was done; give up what is missing, initialise and
 * hand the packet in again. */
TfrcArrival tfrc_stream_on_packet (TfrcStream *self, uint16_t seq,
    TfrcFlow *flow, TfrcSeq *position, TfrcTime now);

/* The next hole that is lost by now. */
bool tfrc_stream_poll_loss (TfrcStream *self, TfrcFlow *flow, TfrcLossRun *run,
    TfrcTime now);

/* The next hole that waits, lost or not: nothing of the SSRC is expected. */
bool tfrc_stream_give_up (TfrcStream *self, TfrcLossRun *run);

/* When time alone makes a hole lost; TFRC_TIME_NONE: never. */
TfrcTime tfrc_stream_next_deadline (const TfrcStream *self,
    const TfrcFlow *flow);
