/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets are lost, RFC 5348 section 5.1, and when they would have
 * arrived (5.2).
 *
 * Every SSRC of the flow is unwrapped and checked on its own; all share one
 * count of packets, the flow position: a received packet and each hole in
 * front of it take the next positions.  With one SSRC positions advance as
 * its sequence numbers do.
 *
 * A hole is lost once TFRC_NDUPACK later packets of its SSRC have arrived and
 * the path's reordering has had its time (TfrcReordering); in a sparse stream
 * also once that many later packets of the flow and one RTT have passed.  More
 * than TFRC_MAX_WAITING holes of an SSRC do not wait: the oldest is lost.  A packet that comes after its hole was declared lost is
 * reported by tfrc_loss_detector_poll_repair ().  A marked packet (ECN-CE)
 * is a loss at its arrival.
 *
 * Packets of more SSRCs than there are places for take no position, until one of
 * the others was silent for half a second: what their SSRCs lose is not known, so
 * the others are a sample of the flow.
 *
 * After every call that takes `now`, and after removing a stream, poll first
 * the repair, then all losses. */
#pragma once

#include <stdbool.h>

#include "base/units.h"
#include "tfrc/packet.h"

/* How long a path may hold a packet back before it counts as lost: learnt from
 * the packets that came behind three later ones or more, as RACK learns it
 * (RFC 8985 section 6.2).  RFC 5348 section 5.1 leaves it to later versions.
 *
 * Time and not packets, since what holds a packet back does not know how many
 * others overtake it, and since it is time that a loss may take to be known.
 * While nothing has come so late the tolerance is 0, and NDUPACK alone decides. */
typedef struct
{
  bool adaptive;          /* false: the tolerance stays 0 */
  TfrcDuration tolerance; /* without the bound of an RTT */
  TfrcDuration newest;    /* the same by what was seen since `losses` */
  uint32_t losses;        /* was 0 */
} TfrcReordering;

void tfrc_reordering_init (TfrcReordering *self, bool adaptive);

/* NDUPACK later packets had come when this one came, `lateness` behind the first
 * of them; `rtt` is R, 0 while not known.  Who is later than an RTT would not be
 * waited for, and teaches nothing. */
void tfrc_reordering_on_late (TfrcReordering *self, TfrcDuration lateness,
    TfrcDuration rtt);

/* Packets were declared lost.  What was seen is forgotten after 16 times without
 * being seen again, 32 at most. */
void tfrc_reordering_on_loss (TfrcReordering *self);

/* How long to wait behind the first later packet: never longer than `rtt`. */
TfrcDuration tfrc_reordering_get_tolerance (const TfrcReordering *self,
    TfrcDuration rtt);

/* The sequence numbers of one SSRC: what is new, what is a duplicate, which
 * holes there are and when their packets would have arrived.
 *
 * Everything at or below the highest number has arrived unless a hole covers
 * it, so holes alone tell duplicates from late packets.  RFC 3550 appendix
 * A.1 for jumps, RFC 5348 sections 5.1 and 5.2 for holes.  Not here: what is
 * shared by all SSRCs (tfrc/loss-detector.h). */

#ifndef TFRC_NDUPACK
#define TFRC_NDUPACK 3 /* RFC 5348 section 5.1 */
#endif
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

typedef struct
{
  TfrcFlow flow;
  TfrcTime now;
  uint16_t n_streams;
  uint16_t newest; /* index of the stream of the last packet */
  uint16_t n_pending;
  bool has_repair;
  /* The holes of a stream that went, and the mark of the packet. */
  TfrcLossRun pending[TFRC_MAX_WAITING + 1];
  uint32_t pending_ssrc;
  uint32_t lost_ssrc;     /* of the newest loss that was polled */
  TfrcSeq repair;         /* position of the packet that came after all */
  uint64_t stream_resets; /* an SSRC jumped to other sequence numbers */
  TfrcStream streams[TFRC_MAX_STREAMS]; /* untouched from n_streams on */
} TfrcLossDetector;

/* `adaptive`: reordering is learnt; false: TFRC_NDUPACK alone decides.
 * `outages`: losses over an outage lie at its beginning. */
void tfrc_loss_detector_init (TfrcLossDetector *self, bool adaptive,
    bool outages);

/* `now` not before the last one; `rtt` is R, 0 while not known. */
TfrcArrival tfrc_loss_detector_on_packet (TfrcLossDetector *self,
    const TfrcDataPacket *packet, TfrcDuration rtt, TfrcTime now);

/* Whether packets of that SSRC have come, and it has a place. */
bool tfrc_loss_detector_knows (const TfrcLossDetector *self, uint32_t ssrc);

/* When time alone makes a hole lost; TFRC_TIME_NONE: never. */
TfrcTime tfrc_loss_detector_next_deadline (const TfrcLossDetector *self);
void tfrc_loss_detector_on_deadline (TfrcLossDetector *self, TfrcTime now);

/* The position whose loss is to be taken back, at most one per packet. */
bool tfrc_loss_detector_poll_repair (TfrcLossDetector *self, TfrcSeq *position);

/* The oldest run of losses that was found and not given yet (RFC 5348 section 5.1);
 * false: none. */
bool tfrc_loss_detector_poll_loss (TfrcLossDetector *self, TfrcLossRun *run);

/* The SSRC has left.  Its holes are declared lost: whoever leaves sends
 * nothing more, and forgetting losses is the unsafe side. */
void tfrc_loss_detector_remove_stream (TfrcLossDetector *self, uint32_t ssrc);
