/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver adds to its reports so that the sender can control the delay:
 * one-way delays and arrivals, as they are.  It judges nothing.
 *
 * The delay of the newest packets is the mean of those that came within the last
 * half of an RTT or so, and of several: jitter moves it less than the delay of one
 * packet, and less than the least of them.
 *
 * All numbers wrap, and the clocks of both ends have any origin. */
#pragma once

#include "tfrc/packet.h"

/* Packets that came one after another. */
typedef struct
{
  uint32_t first_us; /* delay of the first */
  int64_t sum_us;    /* of what the others took more */
  uint32_t packets;  /* 0 = none */
  TfrcTime since;
} TfrcDelayRun;

/* Of zeros it is a new one. */
typedef struct
{
  TfrcDelayReport report;
  bool has_delay;       /* a packet with an extension since the last report */
  TfrcDelayRun runs[2]; /* the running one, and the one before */
  uint32_t packets_needed; /* of both, for a report */
  TfrcTime newest_at;      /* the newest packet of them came */
} TfrcDelayMeter;

/* A packet of `size` bytes was accepted, sent at `send_time_us` by a sender whose
 * RTT is `rtt`; 0 = not known. */
void tfrc_delay_meter_on_packet (TfrcDelayMeter *self, uint32_t send_time_us,
    uint32_t size, TfrcDuration rtt, TfrcTime now);

/* The sender is another one: delays begin anew. */
void tfrc_delay_meter_forget (TfrcDelayMeter *self);

/* A report leaves; false: nothing came since the last that could be told. */
bool tfrc_delay_meter_poll (TfrcDelayMeter *self, TfrcDelayReport *report);
