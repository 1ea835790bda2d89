/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a receiver waits for packets before their frame is shown, so that
 * hardly one comes too late.
 *
 * How late a packet is, is counted from the playout of one that was as fast as
 * the fastest of the last seconds, and so holds all that varies: what the
 * sender's pacer, the queues of the path and a large frame take.  The delay
 * covers the largest lateness of the last four seconds, what came twice in the last
 * twenty, four seconds apart, and a margin, and the answers to requests for lost
 * packets, since one that is not covered is not asked for: it grows with the packet
 * that needs more, and shrinks by a step at a time, each shorter than a frame.  A
 * packet for which even the longest delay is too short says nothing: who plays
 * starts over with it. */
#pragma once

#include "base/units.h"

/* How late the answer to a request for a lost packet comes, at most, so that a
 * receiver can wait for it: how late packets were when they were asked for, and
 * a round trip as it is now.
 *
 * Losses are rarer than packets.  Those that keep coming, six seconds apart in a
 * minute, are remembered for that minute, and others, such as a burst when a
 * stream starts, for three to six seconds.
 *
 * Where they keep coming there is time for a second answer, too, if the first
 * would be lost often enough: loss events (requests less than an RTT behind the
 * first of them are one) times the share of packets that are asked for.
 *
 * A packet that no answer can reach in time says nothing. */
#define TFRC_REPAIR_TIME_N_SLICES 20

typedef struct
{
  TfrcDuration wait; /* the longest until a packet was asked for */
  TfrcDuration
      behind; /* the longest by which that was more than packets were late */
  uint32_t packets;
  uint32_t requests;
  uint32_t loss_events;
} TfrcRepairTimeSlice;

typedef struct
{
  TfrcDuration longest;
  TfrcTime started_at; /* TFRC_TIME_NONE = not yet */
  TfrcTime now;        /* the newest */
  TfrcDuration rtt;    /* of the newest request */
  TfrcTime event_at;   /* the newest loss event began; TFRC_TIME_NONE */
  TfrcRepairTimeSlice slices[TFRC_REPAIR_TIME_N_SLICES];
  uint64_t slice; /* the newest, counted from the clock's origin */
} TfrcRepairTime;

/* `longest`: that answers may take. */
void tfrc_repair_time_init (TfrcRepairTime *self, TfrcDuration longest);

/* A packet of the stream has come, asked for or not. */
void tfrc_repair_time_on_packet (TfrcRepairTime *self, TfrcTime now);

/* A packet is asked for, for the first time, `wait` after the playout without any
 * delay; the newest packets have that `lateness`. */
void tfrc_repair_time_on_request (TfrcRepairTime *self, TfrcDuration wait,
    TfrcDuration rtt, TfrcDuration lateness, TfrcTime now);

/* Lateness that answers need where packets have that `lateness`; 0 = nothing is asked
 * for. */
TfrcDuration tfrc_repair_time_get (const TfrcRepairTime *self,
    TfrcDuration lateness);

#define TFRC_PLAYOUT_DELAY_MIN (40 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_MAX (500 * TFRC_MILLISECOND)

/* Until packets have come. */
#define TFRC_PLAYOUT_DELAY_INITIAL (300 * TFRC_MILLISECOND)

#define TFRC_PLAYOUT_DELAY_STEP (10 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_SLICE (100 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_N_SLICES 200

typedef struct
{
  TfrcDuration delay;
  TfrcDuration
      largest[TFRC_PLAYOUT_DELAY_N_SLICES]; /* lateness of each slice */
  uint64_t slice;          /* the newest, counted from the clock's origin */
  TfrcDuration remembered; /* of the slices before it */
  TfrcRepairTime repair;
} TfrcPlayoutDelay;

void tfrc_playout_delay_init (TfrcPlayoutDelay *self);

/* A packet came `lateness` after the playout without any delay [ns], were it an
 * answer.  True: the delay is another one. */
bool tfrc_playout_delay_on_packet (TfrcPlayoutDelay *self,
    TfrcDuration lateness, TfrcTime now);

/* See tfrc_repair_time_on_request.  True: the delay is another one. */
bool tfrc_playout_delay_on_request (TfrcPlayoutDelay *self, TfrcDuration wait,
    TfrcDuration rtt, TfrcTime now);
