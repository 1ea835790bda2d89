/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the emulator writes down.
 *
 * The log, CSV, a row each 100 ms for each port and direction (to, from), behind
 * a comment line `# origin_ns=N` (CLOCK_MONOTONIC) to which time_s refers:
 *   time_s port direction
 *   rate_kbit_s         of the moment; inf = unlimited
 *   queue_ms            wait of a packet that comes now
 *   the rest is cumulative: offered_packets offered_bytes, packets bytes
 *   (delivered, copies included; of these tcp_bytes udp_bytes), dropped_queue
 *   dropped_red dropped_outage lost marked duplicated
 *   lateness_ms         not cumulative, the same in all rows of an instant: most
 *                       by which the emulator was late since the last one
 *
 * The log of flows, CSV with the same comment line, a row at the same instants
 * for each flow (flow-table.h) on each link:
 *   time_s port direction protocol (its number) source source_port destination
 *   destination_port; cumulative: packets bytes (delivered), dropped (packets)
 *
 * The log of packets, CSV with the same comment line, a row for each packet that
 * came to a link with a rate or a trace:
 *   time_s port direction protocol source_port destination_port bytes
 *   wait_ms             that it found, without its own sending time
 *   fate                passed, marked, lost, or dropped by the: queue red outage
 *
 * The summary, a line of JSON: the same sums for each port, and
 *   queue_ms            p50, p95, max of the packets' waits, own time included
 *   joins leaves        of groups, as the router saw them
 *   lateness_ms         p50, p99 of the packets; max of everything
 *   stalls              instants of the log with a lateness above 20 ms
 *   unroutable expired too_big malformed unwritten    packets that were
 *                       dropped: no port, no hop left, above the port's MTU, no
 *                       IP, not taken by the device */
#pragma once

#include <stdio.h>

#include "emulator.h"

#define EMULATOR_LOG_INTERVAL (100 * TFRC_MILLISECOND)
#define EMULATOR_LOG_TICK (10 * TFRC_MILLISECOND)
#define EMULATOR_LOG_STALL (20 * TFRC_MILLISECOND)

typedef struct
{
  FILE *rows;    /* NULL: not wanted */
  FILE *flows;   /* NULL: not wanted */
  FILE *packets; /* NULL: not wanted */
  TfrcTime origin;
  TfrcTime next_tick_at; /* a look at the clock, whatever happens */
  TfrcTime next_row_at;
  TfrcDuration max_lateness;
  unsigned n_stalls;
} EmulatorLog;

/* Each path may be NULL.  False: errno tells. */
bool emulator_log_open (EmulatorLog *self, const char *path,
    const char *flows_path, const char *packets_path, TfrcTime now);
void emulator_log_close (EmulatorLog *self);

/* Writes the rows that are due, if any are; the links know `now` already. */
void emulator_log_on_time (EmulatorLog *self, Emulator *emulator, TfrcTime now);

/* The EmulatorOnArrival that writes the log of packets; `user` is the log. */
void emulator_log_on_arrival (void *user, const EmulatorArrival *arrival,
    TfrcTime now);

void emulator_log_print_summary (const EmulatorLog *self,
    const Emulator *emulator, FILE *file, TfrcTime now);
