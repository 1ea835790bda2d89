/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the relay writes down.  Two CSV files, both with a comment line
 * `# origin_ns=N` (CLOCK_MONOTONIC) to which time_s refers, and
 * `# schedule_ns=N` each time the schedule starts (over).
 *
 * The log, a row each 10 ms:
 *   time_s
 *   capacity_kbit_s     forward link, as the profile has it; inf = unlimited
 *   queue_ms queue_bytes   forward: wait of a packet that comes now; backlog
 *   offered_packets offered_bytes   forward, cumulative, as the rest: what
 *                       came in
 *   forward_packets forward_bytes   what went out to the target
 *   dropped_queue dropped_outage lost duplicated   packets, forward; those
 *                       that RED dropped count as dropped_queue
 *   back_packets back_bytes back_dropped           the way back; all drops
 *   lateness_ms         the relay's own: most by which it was late since the
 *                       last row.  Large values: the machine stalled, and
 *                       the run says little.
 *
 * The drops, a row for each:
 *   time_s, direction (forward, back), kind (queue, outage, lost), bytes,
 *   number (which packet of its direction, counted from 1 as offered) */
#pragma once

#include <stdio.h>

#include "link-model.h"

#define RELAY_LOG_INTERVAL (10 * TFRC_MILLISECOND)

typedef struct
{
  FILE *rows; /* NULL: not wanted */
  FILE *drops;
  TfrcTime origin;
  TfrcTime next_row_at;
  TfrcDuration lateness; /* since the last row */
  TfrcDuration max_lateness;
} RelayLog;

/* Paths may be NULL.  False: errno tells, *failed is the path. */
bool relay_log_open (RelayLog *self, const char *rows_path,
    const char *drops_path, TfrcTime now, const char **failed);
void relay_log_close (RelayLog *self);

void relay_log_schedule (RelayLog *self, TfrcTime now);
void relay_log_drop (RelayLog *self, const char *direction, const char *kind,
    size_t bytes, uint64_t number, TfrcTime now);
void relay_log_lateness (RelayLog *self, TfrcDuration lateness);

/* Writes the row that is due, if one is; both links know `now` already. */
void relay_log_on_time (RelayLog *self, const LinkModel *forward,
    const LinkModel *back, TfrcTime now);

/* Everything in one line of JSON. */
void relay_log_print_summary (const RelayLog *self, FILE *file,
    const LinkModel *forward, const LinkModel *back, TfrcTime now);
