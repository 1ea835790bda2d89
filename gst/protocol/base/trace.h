/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One sample of everything worth monitoring.  The log, the stats property, the CSV
 * files and the plots take their names, units and values from this list. */
#pragma once

#include <stddef.h>

#include "base/units.h"

typedef enum
{
  TFRC_TRACE_SENDER = 1,
  TFRC_TRACE_RECEIVER = 2,
} TfrcTraceSide;

/* Name of the column and of the stats field, field of TfrcTrace, unit, sides, and a
 * description with the symbol of the RFC; in the order of CSV files.  UINT64 is for
 * counters, instants and durations.  Fields of the delay control are 0 without one. */
#define TFRC_TRACE_FIELDS(DOUBLE, UINT64) \
  UINT64 ("time-ns", at, "ns", BOTH, "Instant of the sample") \
  DOUBLE ("allowed-rate", allowed_rate, "bytes/s", SENDER, \
      "Allowed sending rate, X") \
  DOUBLE ("instant-rate", instant_rate, "bytes/s", SENDER, \
      "Rate after oscillation damping, X_inst") \
  DOUBLE ("equation-rate", equation_rate, "bytes/s", SENDER, \
      "Rate of the throughput equation, X_Bps; infinite while p is 0") \
  DOUBLE ("receive-limit", receive_limit, "bytes/s", SENDER, \
      "Bound by what arrived, recv_limit") \
  DOUBLE ("receive-rate", receive_rate, "bytes/s", BOTH, \
      "Rate of the data that arrived, X_recv") \
  DOUBLE ("loss-event-rate", loss_event_rate, "", BOTH, "Loss event rate, p") \
  UINT64 ("rtt-ns", rtt, "ns", BOTH, \
      "Smoothed round-trip time, R; 0 when not known") \
  UINT64 ("rtt-sample-ns", rtt_sample, "ns", SENDER, \
      "Newest sample of the round-trip time, R_sample") \
  UINT64 ("rto-ns", rto, "ns", SENDER, \
      "Retransmission timeout in the equation, t_RTO") \
  DOUBLE ("segment-size", segment_size, "bytes", BOTH, "Mean packet size") \
  UINT64 ("state", state, "", SENDER, \
      "Sender state: 0 waiting, 1 slow start, 2 equation, 3 no feedback") \
  UINT64 ("data-limited", data_limited, "", SENDER, \
      "1 when the newest report covers a data-limited interval") \
  DOUBLE ("discount", discount, "", RECEIVER, \
      "Discount factor of the closed intervals, DF; 1 = none") \
  UINT64 ("packets", packets, "packets", BOTH, \
      "Data packets sent or received") \
  UINT64 ("bytes", bytes, "bytes", BOTH, "Bytes of these packets") \
  UINT64 ("packets-lost", packets_lost, "packets", RECEIVER, \
      "Packets declared lost and not seen since") \
  UINT64 ("packets-marked", packets_marked, "packets", RECEIVER, \
      "Packets that carried ECN-CE") \
  UINT64 ("packets-duplicate", packets_duplicate, "packets", RECEIVER, \
      "Packets seen before") \
  UINT64 ("packets-late", packets_late, "packets", RECEIVER, \
      "Packets that came after they were declared lost") \
  UINT64 ("packets-unproven", packets_unproven, "packets", RECEIVER, \
      "Packets dropped for a sequence number far from all others") \
  UINT64 ("packets-unstamped", packets_without_extension, "packets", RECEIVER, \
      "Packets without the header extension") \
  UINT64 ("loss-events", loss_events, "events", BOTH, \
      "Loss events at the receiver, reports of new ones at the sender") \
  UINT64 ("sender-restarts", sender_restarts, "restarts", RECEIVER, \
      "Times that the sender's RTT went back to 0") \
  UINT64 ("stream-resets", stream_resets, "resets", RECEIVER, \
      "Jumps of an SSRC to other sequence numbers") \
  UINT64 ("feedback", feedback, "reports", BOTH, "Reports sent, or accepted") \
  UINT64 ("feedback-stale", feedback_stale, "reports", SENDER, \
      "Reports dropped as older than the newest, or replayed") \
  UINT64 ("feedback-invalid", feedback_invalid, "reports", SENDER, \
      "Reports dropped as impossible") \
  UINT64 ("feedback-clamped", feedback_clamped, "reports", SENDER, \
      "Reports whose X_recv exceeded what was sent") \
  UINT64 ("nofeedback-expiries", nofeedback_expiries, "expiries", SENDER, \
      "Expiries of the nofeedback timer") \
  DOUBLE ("send-limit", send_limit, "bytes/s", SENDER, \
      "What the delay control lets be sent below X; infinite: X") \
  UINT64 ("queue-delay-ns", queue_delay, "ns", SENDER, \
      "Queueing delay that the delay control sees; 0 without delay-target") \
  UINT64 ("queue-target-ns", queue_target, "ns", SENDER, \
      "Queueing delay that the delay control aims at now") \
  UINT64 ("base-rtt-ns", base_rtt, "ns", SENDER, \
      "Round-trip time of the empty path, as the delay control takes it") \
  UINT64 ("delay-state", delay_state, "", SENDER, \
      "Delay control: 0 start, 1 control, 2 drain, 3 compete, 4 probe") \
  UINT64 ("delay-reports", delay_reports, "reports", SENDER, \
      "Accepted reports that came with one-way delays") \
  UINT64 ("delay-drains", delay_drains, "drains", SENDER, \
      "Times that the delay control emptied the queue") \
  UINT64 ("delay-probes", delay_probes, "probes", SENDER, \
      "Times that it looked whether the queue is its own again") \
  UINT64 ("delay-competitions", delay_competitions, "times", SENDER, \
      "Times that it left a queue that is not its own to X") \
  UINT64 ("delay-clock-steps", delay_clock_steps, "steps", SENDER, \
      "Steps of the receiver's clock") \
  UINT64 ("delay-impossible", delay_impossible, "reports", SENDER, \
      "Reports of a queue longer than the RTT allows, or of a rate far below " \
      "X_recv") \
  UINT64 ("delay-mark-cuts", delay_mark_cuts, "cuts", SENDER, \
      "Times that marks of ECT(1) packets lowered its bound")

typedef struct
{
#define TFRC_TRACE_DOUBLE_FIELD(name, field, ...) double field;
#define TFRC_TRACE_UINT64_FIELD(name, field, ...) uint64_t field;
  TFRC_TRACE_FIELDS (TFRC_TRACE_DOUBLE_FIELD, TFRC_TRACE_UINT64_FIELD)
#undef TFRC_TRACE_DOUBLE_FIELD
#undef TFRC_TRACE_UINT64_FIELD
} TfrcTrace;

typedef enum
{
  TFRC_TRACE_DOUBLE,
  TFRC_TRACE_UINT64, /* counters, instants and durations */
} TfrcTraceType;

typedef struct
{
  const char *name;
  const char *unit;
  const char *description;
  TfrcTraceType type;
  unsigned sides; /* TfrcTraceSide values, combined by | */
  size_t offset;  /* of the field in TfrcTrace */
} TfrcTraceColumn;

/* All columns, in the order of CSV files; sets *n_columns. */
const TfrcTraceColumn *tfrc_trace_get_columns (size_t *n_columns);

/* The value of a column, as a double whatever its type. */
double tfrc_trace_get_value (const TfrcTrace *trace,
    const TfrcTraceColumn *column);
