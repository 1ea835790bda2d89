/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a receiver waits for packets before their frame is shown, so that
 * hardly one comes too late.
 *
 * How late a packet is, is counted from the playout of one that was as fast as
 * the fastest of the last seconds, and so holds all that varies: what the
 * sender's pacer, the queues of the path and a large frame take.  The delay
 * covers the largest lateness of the last ten seconds and a margin: it grows with the
 * packet that needs more, and shrinks by a step at a time, each shorter than a
 * frame.  What the answer to a request for a lost packet would have needed is
 * covered for a minute, since losses are rarer than packets, and one that is not
 * covered is not asked for.  A packet for which even the longest delay is too short says nothing:
 * who plays starts over with it. */
#pragma once

#include "base/time.h"

#define TFRC_PLAYOUT_DELAY_MIN (40 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_MAX (500 * TFRC_MILLISECOND)

/* Until packets have come. */
#define TFRC_PLAYOUT_DELAY_INITIAL (300 * TFRC_MILLISECOND)

#define TFRC_PLAYOUT_DELAY_STEP (20 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_SLICE (500 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_ANSWER_SLICE (3 * TFRC_SECOND)
#define TFRC_PLAYOUT_DELAY_N_SLICES 20

typedef struct
{
  TfrcDuration length; /* of a slice */
  TfrcDuration
      largest[TFRC_PLAYOUT_DELAY_N_SLICES]; /* lateness of each slice */
  uint64_t slice; /* the newest, counted from the clock's origin */
} TfrcPlayoutWindow;

typedef struct
{
  TfrcDuration delay;
  TfrcPlayoutWindow packets;
  TfrcPlayoutWindow answers;
} TfrcPlayoutDelay;

void tfrc_playout_delay_init (TfrcPlayoutDelay *self);

/* A packet came `lateness` after the playout without any delay [ns].  True: the
 * delay is another one. */
bool tfrc_playout_delay_on_packet (TfrcPlayoutDelay *self,
    TfrcDuration lateness, TfrcTime now);

/* The same of an answer that is expected to come so late. */
bool tfrc_playout_delay_on_answer (TfrcPlayoutDelay *self,
    TfrcDuration lateness, TfrcTime now);
