/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures what a receiver adds to its reports so that the sender can control the
 * delay: one-way delays and arrival times.  It does not interpret them.
 *
 * The delay of the newest packets is a mean over about the last half of an RTT, and
 * over several packets: jitter changes it less than the delay of a single packet,
 * and less than the minimum.
 *
 * All numbers wrap, and both clocks have an arbitrary origin. */
#pragma once

#include "tfrc/packet.h"

/* Consecutive packets. */
typedef struct
{
  uint32_t first_us; /* delay of the first packet */
  int64_t sum_us;    /* sum of the differences of the others to it */
  uint32_t packets;  /* 0 = none */
  TfrcTime since;
} TfrcDelayRun;

/* Starts zeroed. */
typedef struct
{
  TfrcDelayReport report;
  bool has_delay; /* a packet with an extension arrived since the last report */
  TfrcDelayRun runs[2];    /* the current run, and the one before */
  uint32_t packets_needed; /* in both runs together, for a report */
  TfrcTime newest_at;      /* when the newest packet arrived */
} TfrcDelayMeter;

/* A packet of `size` bytes was accepted; it was sent at `send_time_us` by a sender
 * whose RTT is `rtt`, 0 = not known. */
void tfrc_delay_meter_on_packet (TfrcDelayMeter *self, uint32_t send_time_us,
    uint32_t size, TfrcDuration rtt, TfrcTime now);

/* Another sender: measuring restarts. */
void tfrc_delay_meter_forget (TfrcDelayMeter *self);

/* Gets the delays for a report that is sent now.  Returns false if there are none:
 * no packet since the last report, or too few. */
bool tfrc_delay_meter_poll (TfrcDelayMeter *self, TfrcDelayReport *report);
