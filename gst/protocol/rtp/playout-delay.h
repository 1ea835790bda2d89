/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Playout delay: how long a receiver waits before a frame is shown, so that hardly
 * any packet arrives too late.
 *
 * The lateness of a packet is measured against the fastest packet of the last
 * seconds, so it contains everything that varies: the sender's pacer, the queues of
 * the path, the size of a frame.  The delay covers the largest lateness of the last
 * 4 s, what occurred twice in the last 20 s at least 4 s apart, and a margin.  It
 * also covers the answers to requests for lost packets.  It grows with the packet
 * that needs more, and shrinks by steps shorter than a frame.  A packet that even the
 * longest delay does not cover is ignored: the jitter buffer resynchronizes on it. */
#pragma once

#include "base/units.h"

/* The lateness of answers to requests for lost packets, so that a receiver can wait
 * for them: how late packets were requested, plus the current RTT.
 *
 * Losses are rarer than packets.  Recurring losses, at least six seconds apart
 * within a minute, are remembered for that minute; others, such as a burst at the
 * start of a stream, for three to six seconds.
 *
 * If losses recur, a second answer is waited for, too, where the first would be
 * lost often enough: the number of loss events (requests within an RTT of the first
 * are one event) times the share of packets that are requested.
 *
 * A packet whose answer cannot arrive in time is ignored. */
#define TFRC_REPAIR_TIME_N_SLICES 20

typedef struct
{
  /* The longest time until a request, from playout without delay. */
  TfrcDuration wait;
  /* The most by which that exceeded the lateness of other packets. */
  TfrcDuration behind;
  uint32_t packets;
  uint32_t requests;
  uint32_t loss_events;
} TfrcRepairTimeSlice;

typedef struct
{
  TfrcDuration longest;
  TfrcTime started_at; /* TFRC_TIME_NONE = not yet */
  TfrcTime now;        /* of the newest packet or request */
  TfrcDuration rtt;    /* of the newest request */
  TfrcTime event_at;   /* start of the newest loss event, or TFRC_TIME_NONE */
  TfrcRepairTimeSlice slices[TFRC_REPAIR_TIME_N_SLICES];
  /* Number of the newest slice, counted from the origin of the clock. */
  uint64_t slice;
} TfrcRepairTime;

/* `longest`: the most that answers may be late. */
void tfrc_repair_time_init (TfrcRepairTime *self, TfrcDuration longest);

/* A packet of the stream arrived, requested or not. */
void tfrc_repair_time_on_packet (TfrcRepairTime *self, TfrcTime now);

/* A packet is requested for the first time, `wait` after its playout without delay;
 * the newest packets are late by `lateness`. */
void tfrc_repair_time_on_request (TfrcRepairTime *self, TfrcDuration wait,
    TfrcDuration rtt, TfrcDuration lateness, TfrcTime now);

/* The lateness of answers if packets are late by `lateness`; 0 if there were no
 * requests. */
TfrcDuration tfrc_repair_time_get (const TfrcRepairTime *self,
    TfrcDuration lateness);

#define TFRC_PLAYOUT_DELAY_MIN (40 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_MAX (500 * TFRC_MILLISECOND)

/* Until packets have arrived. */
#define TFRC_PLAYOUT_DELAY_INITIAL (300 * TFRC_MILLISECOND)

#define TFRC_PLAYOUT_DELAY_STEP (10 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_SLICE (100 * TFRC_MILLISECOND)
#define TFRC_PLAYOUT_DELAY_N_SLICES 200

typedef struct
{
  TfrcDuration delay;
  TfrcDuration
      largest[TFRC_PLAYOUT_DELAY_N_SLICES]; /* largest lateness in each slice */
  /* Number of the newest slice, counted from the origin of the clock. */
  uint64_t slice;
  TfrcDuration remembered; /* what the slices before it need */
  TfrcRepairTime repair;
} TfrcPlayoutDelay;

void tfrc_playout_delay_init (TfrcPlayoutDelay *self);

/* A packet arrived `lateness` after its playout without delay [ns], repaired
 * packets included.  Returns true if the delay has changed. */
bool tfrc_playout_delay_on_packet (TfrcPlayoutDelay *self,
    TfrcDuration lateness, TfrcTime now);

/* See tfrc_repair_time_on_request.  Returns true if the delay has changed. */
bool tfrc_playout_delay_on_request (TfrcPlayoutDelay *self, TfrcDuration wait,
    TfrcDuration rtt, TfrcTime now);

/* An answer will be late by `lateness`, and is waited for whatever the delay was: that is
 * shorter than a picture broken until the next key frame.  It is not remembered.  Returns
 * true if the delay has changed. */
bool tfrc_playout_delay_wait_for (TfrcPlayoutDelay *self,
    TfrcDuration lateness);
