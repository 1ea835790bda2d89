/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How late the answer to a request for a lost packet comes, at most, so that a
 * receiver can wait for it: how late packets were when they were asked for, and
 * a round trip as it is now.
 *
 * Losses are rarer than packets.  Those that keep coming, six seconds apart in a
 * minute, are remembered for that minute, and others, such as a burst when a
 * stream starts, for some ten seconds.
 *
 * Where they keep coming there is time for a second answer, too, if the first
 * would be lost often enough: loss events (requests less than an RTT behind the
 * first of them are one) times the share of packets that are asked for.
 *
 * A packet that no answer can reach in time says nothing. */
#pragma once

#include "base/time.h"

#define TFRC_REPAIR_TIME_N_SLICES 20

typedef struct
{
  TfrcDuration memory; /* of losses that keep coming; 0 = of none at all */
  unsigned recurring;  /* slices between losses that keep coming; 0 = any */
  unsigned answers;    /* that there is time for; 0 = a second one by need */
  bool newest_rtt;     /* of the newest request; false: the longest of all */
} TfrcRepairTimeConfig;

typedef struct
{
  TfrcDuration wait; /* the longest until a packet was asked for */
  TfrcDuration rtt;  /* the longest then */
  uint32_t packets;
  uint32_t requests;
  uint32_t loss_events;
} TfrcRepairTimeSlice;

typedef struct
{
  TfrcRepairTimeConfig config;
  TfrcDuration longest;
  TfrcTime started_at; /* TFRC_TIME_NONE = not yet */
  TfrcTime now;        /* the newest */
  TfrcDuration rtt;    /* of the newest request */
  TfrcTime event_at;   /* the newest loss event began; TFRC_TIME_NONE */
  TfrcRepairTimeSlice slices[TFRC_REPAIR_TIME_N_SLICES];
  uint64_t slice; /* the newest, counted from the clock's origin */
} TfrcRepairTime;

TfrcRepairTimeConfig tfrc_repair_time_config_default (void);

/* `longest`: that answers may take. */
void tfrc_repair_time_init (TfrcRepairTime *self,
    const TfrcRepairTimeConfig *config, TfrcDuration longest);

void tfrc_repair_time_on_packet (TfrcRepairTime *self, TfrcTime now);

/* A packet is asked for, for the first time, `wait` after the playout without any
 * delay. */
void tfrc_repair_time_on_request (TfrcRepairTime *self, TfrcDuration wait,
    TfrcDuration rtt, TfrcTime now);

/* Lateness that answers need; 0 = nothing is asked for. */
TfrcDuration tfrc_repair_time_get (const TfrcRepairTime *self);
