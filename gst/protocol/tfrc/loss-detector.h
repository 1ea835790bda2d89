/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detects which packets are lost, RFC 5348 section 5.1, and when they would have
 * arrived (5.2).
 *
 * Every SSRC of the flow is unwrapped and checked separately.  All of them share
 * one count of packets, the flow position: a received packet and each missing
 * packet in front of it take the next positions.  With one SSRC, positions advance
 * like its sequence numbers.
 *
 * A hole is declared lost once TFRC_NDUPACK later packets of its SSRC have arrived
 * and the time for reordering has passed (TfrcReordering).  In a sparse stream,
 * that many later packets of the flow and one RTT are enough.  At most
 * TFRC_MAX_WAITING holes of an SSRC wait; with more, the oldest is lost.  A packet
 * that arrives after it was declared lost is returned by
 * tfrc_loss_detector_poll_repair ().  A marked packet (ECN-CE) is a loss when it
 * arrives.
 *
 * SSRCs beyond TFRC_MAX_STREAMS have no place until one of the others has been
 * silent for half a second.  Their packets take no position and their losses are
 * not detected; the SSRCs that have a place are a sample of the flow.
 *
 * After every call that takes `now`, and after removing a stream, poll the repair
 * first, then all losses. */
#pragma once

#include <stdbool.h>

#include "base/units.h"
#include "tfrc/packet.h"

/* How long the path may delay a packet by reordering before it counts as lost.  It
 * is learnt from packets that arrived after three or more later ones, as RACK does
 * it (RFC 8985 section 6.2); RFC 5348 section 5.1 leaves such a scheme to later
 * versions.
 *
 * The tolerance is a time and not a number of packets: how many packets overtake
 * one depends on the rate, and a time bounds how late a loss is detected.  It is 0,
 * and NDUPACK alone decides, until such a packet has arrived. */
typedef struct
{
  bool adaptive;          /* false: the tolerance stays 0 */
  TfrcDuration tolerance; /* before it is limited to R */
  TfrcDuration newest; /* tolerance from what was seen in the current period */
  uint32_t losses;     /* runs of losses in that period */
} TfrcReordering;

void tfrc_reordering_init (TfrcReordering *self, bool adaptive);

/* A packet arrived after NDUPACK later ones, `lateness` after the first of them;
 * `rtt` is R, 0 while not known.  Packets later than an RTT are ignored, as nothing
 * waits so long. */
void tfrc_reordering_on_late (TfrcReordering *self, TfrcDuration lateness,
    TfrcDuration rtt);

/* A run of losses was declared.  Reordering is forgotten after 16 to 32 of these
 * without being seen again. */
void tfrc_reordering_on_loss (TfrcReordering *self);

/* How long to wait after the first later packet; at most `rtt`. */
TfrcDuration tfrc_reordering_get_tolerance (const TfrcReordering *self,
    TfrcDuration rtt);

/* The sequence numbers of one SSRC: which packets are new or duplicates, which are
 * missing and when they would have arrived.
 *
 * Every packet up to the highest number has arrived unless a hole covers it, so
 * holes are enough to tell duplicates from late packets.  Jumps follow RFC 3550
 * appendix A.1, holes RFC 5348 sections 5.1 and 5.2. */

#ifndef TFRC_NDUPACK
#define TFRC_NDUPACK 3 /* RFC 5348 section 5.1 */
#endif
#ifndef TFRC_MAX_HOLES
#define TFRC_MAX_HOLES 64 /* kept per SSRC, including those declared lost */
#endif
/* Most holes per SSRC that are not declared lost, whatever reordering is tolerated. */
#define TFRC_MAX_WAITING (TFRC_MAX_HOLES / 2)
#define TFRC_MAX_DROPOUT 3000 /* RFC 3550 appendix A.1 [packets] */
#define TFRC_MAX_MISORDER 100 /* RFC 3550 appendix A.1 [packets] */

/* Consecutive lost packets, or one marked packet. */
typedef struct
{
  TfrcSeq first;        /* flow position */
  TfrcTime first_at;    /* T_loss of the first */
  TfrcDuration spacing; /* from T_loss of one packet to that of the next */
  uint32_t count;
  bool marked;  /* ECN-CE: it did arrive */
  uint16_t seq; /* sequence number of the first, unless marked */
} TfrcLossRun;

typedef enum
{
  TFRC_ARRIVAL_NEW,       /* the highest of its SSRC so far */
  TFRC_ARRIVAL_FILLED,    /* late, in a hole not yet declared lost */
  TFRC_ARRIVAL_REPAIRED,  /* late, after it was declared lost */
  TFRC_ARRIVAL_DUPLICATE, /* arrived before */
  TFRC_ARRIVAL_STALE,     /* older than everything that is kept */
  TFRC_ARRIVAL_UNPROVEN,  /* too far off to be accepted after a single packet */
  TFRC_ARRIVAL_RESET,     /* the next packets continued there */
} TfrcArrival;

/* State shared by all SSRCs of a flow. */
typedef struct
{
  TfrcSeq highest;           /* flow position of the newest packet, from 1 */
  uint64_t packets;          /* arrived, without duplicates */
  uint64_t packets_unsent;   /* declared lost, with numbers that none had */
  TfrcTime newest_at;        /* arrival time of the newest of them */
  TfrcDuration rtt;          /* R of the newest packet; 0 = not known */
  TfrcReordering reordering; /* of the path, so all SSRCs share it */
  /* D12: losses during an outage are placed at its start. */
  bool detect_outages;
} TfrcFlow;

typedef struct
{
  TfrcLossRun run;       /* the packets still missing */
  TfrcSeq first_seq;     /* sequence number of the first of them */
  TfrcTime seen_at;      /* arrival of S_after */
  uint64_t seen_packets; /* packets of the flow before S_after */
  uint32_t later;        /* later packets of the SSRC so far */
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
  TfrcSeq first_seq;  /* older ones are stale */
  TfrcTime newest_at; /* T_before: arrival time of the highest */
  TfrcTime last_at;   /* arrival time of the last packet */
  /* Two packets at least one RTT apart.  The sender's packet spacing is measured
   * from the older of them to the newest packet. */
  TfrcSpacingMark older_mark, newer_mark;
  /* Of a jump that waits for confirmation, or of packets in a row far below the highest
   * number: the next one, and how many of the latter there were. */
  bool suspicious;
  uint16_t expected;
  uint32_t n_old;
  uint32_t n_holes; /* ordered by sequence number */
  uint32_t n_lost;  /* the first of these, which were declared lost */
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
  /* The holes of a stream that was removed or reset, and the mark of the packet. */
  TfrcLossRun pending[TFRC_MAX_WAITING + 1];
  uint32_t pending_ssrc;
  uint32_t lost_ssrc;     /* SSRC of the newest loss polled */
  TfrcSeq repair;         /* position of the packet that arrived late */
  uint64_t stream_resets; /* an SSRC jumped to other sequence numbers */
  TfrcStream streams[TFRC_MAX_STREAMS]; /* not initialized from n_streams on */
} TfrcLossDetector;

/* `adaptive`: the tolerance for reordering is learnt; false: TFRC_NDUPACK alone
 * decides.  `outages`: losses during an outage are placed at its start. */
void tfrc_loss_detector_init (TfrcLossDetector *self, bool adaptive,
    bool outages);

/* A data packet arrived; `now` must not run backwards; `rtt` is R, 0 while not
 * known. */
TfrcArrival tfrc_loss_detector_on_packet (TfrcLossDetector *self,
    const TfrcDataPacket *packet, TfrcDuration rtt, TfrcTime now);

/* Whether the SSRC has a place, as packets of it have arrived. */
bool tfrc_loss_detector_knows (const TfrcLossDetector *self, uint32_t ssrc);

/* When a hole becomes lost without another packet; TFRC_TIME_NONE: never. */
TfrcTime tfrc_loss_detector_next_deadline (const TfrcLossDetector *self);
void tfrc_loss_detector_on_deadline (TfrcLossDetector *self, TfrcTime now);

/* Gets the flow position of a packet that arrived after it was declared lost, so
 * that the loss can be taken back; at most one per packet.  Returns false if there
 * is none. */
bool tfrc_loss_detector_poll_repair (TfrcLossDetector *self, TfrcSeq *position);

/* Gets the oldest run of losses not polled yet (RFC 5348 section 5.1).  Returns
 * false if there is none. */
bool tfrc_loss_detector_poll_loss (TfrcLossDetector *self, TfrcLossRun *run);

/* The SSRC has left.  Its holes are declared lost: it sends nothing more, and
 * forgetting losses would not be safe. */
void tfrc_loss_detector_remove_stream (TfrcLossDetector *self, uint32_t ssrc);
