/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of the packets of a video of 30 frames/s on a link, in virtual time,
 * and a player that replays it with one way or another to choose the delay until
 * playout: each on the same arrivals.
 *
 * A jitter buffer asks for a packet 15 ms after it was due, or once a later one
 * shows that it is missing, and again an RTT and 40 ms later, as long as an answer
 * can come in time.  An answer fares as the next packet that leaves behind the
 * request, be that lost. */
#pragma once

#include "rtp/playout-delay.h"
#include "virtual-pair.h"

/* Measures begin, and end. */
#define PLAYOUT_WARMUP (10 * TFRC_SECOND)
#define PLAYOUT_RUN (120 * TFRC_SECOND)

typedef struct
{
  PairPacket *sent; /* by number */
  unsigned n_sent;
  unsigned *arrivals; /* numbers */
  double *bases;      /* playout without any delay at that arrival [s] */
  unsigned n_arrivals;
  TfrcDuration back; /* of the link */
} PlayoutTrace;

typedef struct
{
  double late;       /* share of the packets that came */
  double unrepaired; /* share of all packets, lost and not there in time */
  double episodes;   /* a minute: of these, half a second apart */
  double p50;        /* encoding to playout [s] */
  double p95;
  double growths;        /* a minute, of more than a frame at once */
  double largest_growth; /* [s] */
} PlayoutFigures;

/* `config`: links and seed. */
PlayoutTrace playout_trace_new (PairConfig config);
void playout_trace_clear (PlayoutTrace *self);

/* `fixed`: 0 = the delay follows. */
PlayoutFigures playout_trace_replay (const PlayoutTrace *self,
    TfrcDuration fixed);
