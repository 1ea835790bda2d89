/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a receiver waits for packets before their frame is shown, so that
 * hardly one comes too late.
 *
 * How late a packet is, is counted from the playout of one that was as fast as
 * the fastest of the last seconds, and so holds all that varies: what the
 * sender's pacer, the queues of the path and a large frame take.  The delay
 * covers the largest lateness of the last ten seconds and a margin, and the answers
 * to requests for lost packets (repair-time.h), since one that is not covered is
 * not asked for: it grows with the packet that needs more, and shrinks by a step at
 * a time, each shorter than a frame.  A packet for which even the longest delay is
 * too short says nothing: who plays starts over with it. */
#pragma once

#include "rtp/repair-time.h"

#define TFRC_PLAYOUT_DELAY_MIN (40 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_MAX (500 * TFRC_MILLISECOND)

/* Until packets have come. */
#define TFRC_PLAYOUT_DELAY_INITIAL (300 * TFRC_MILLISECOND)

#define TFRC_PLAYOUT_DELAY_STEP (20 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_SLICE (500 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_N_SLICES 20

typedef struct
{
  TfrcDuration delay;
  TfrcDuration
      largest[TFRC_PLAYOUT_DELAY_N_SLICES]; /* lateness of each slice */
  uint64_t slice; /* the newest, counted from the clock's origin */
  TfrcRepairTime repair;
} TfrcPlayoutDelay;

void tfrc_playout_delay_init (TfrcPlayoutDelay *self,
    const TfrcRepairTimeConfig *repair);

/* A packet came `lateness` after the playout without any delay [ns], were it an
 * answer.  True: the delay is another one. */
bool tfrc_playout_delay_on_packet (TfrcPlayoutDelay *self,
    TfrcDuration lateness, TfrcTime now);

/* See tfrc_repair_time_on_request.  True: the delay is another one. */
bool tfrc_playout_delay_on_request (TfrcPlayoutDelay *self, TfrcDuration wait,
    TfrcDuration rtt, TfrcTime now);
